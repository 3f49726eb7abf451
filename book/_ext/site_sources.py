"""What several extensions need of lessons: their source, read once in a build, the road through them, addresses."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from jaxcourse.course import UNSET, Course
from jaxcourse_author.concepts import CONCEPTS, Road, road_of
from jaxcourse_author.lesson import LessonSource, read_lesson

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def lesson_source(path: Path, course: Course) -> LessonSource:
    """A lesson as `read_lesson` gives it; it is read again only when its file has changed.

    Args:
        path: `notebooks/NN_topic.md`.
        course: the course that it belongs to.
    """
    return _read(path, course, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _read(path: Path, course: Course, changed: int) -> LessonSource:
    return read_lesson(path, course)


def road(course: Course) -> Road:
    """The road through the lessons of a course; it is made again only when a file has changed."""
    files = [course.root / "_toc.yml", course.root / CONCEPTS, *course.lesson_paths]
    return _road(course, tuple(path.stat().st_mtime_ns for path in files if path.exists()))


@functools.lru_cache(maxsize=4)
def _road(course: Course, changed: tuple[int, ...]) -> Road:
    return road_of(course, lesson_source)


def raw(html: str) -> str:
    """HTML as MyST takes it; nothing of nothing."""
    return f"```{{raw}} html\n{html}\n```" if html else ""


def fill_in(text: str, course: Course) -> str:
    """Replace `{{ title }}` and what else follows from title and address, in code too.

    Args:
        text: the source of a page.
        course: a copy that has them in its configuration. Where it has no address, no link to one is made.
    """
    place = course.repository
    words = {
        "title": course.title,
        "file_name": course.file_name,
        "repository": place or "ADDRESS",
        "the repository": f"[the repository]({place})" if place else "the repository",
        "say so": f"[say so]({place}/issues)" if place else "say so",
        "unset": "" if place else f":::{{note}}\n{UNSET.replace(': ', ': `')}`\n:::",
    }
    for name, word in words.items():
        text = text.replace(f"{{{{ {name} }}}}", word)
    return text


def notebook_in_colab(stem: str, app: Sphinx) -> str:
    """The address at which Colab opens the blank notebook of a lesson, or "" where it cannot."""
    colab = Course(Path(app.srcdir)).colab
    return f"{colab}/notebooks/{stem}.ipynb" if colab else ""
