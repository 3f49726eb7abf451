"""A course, as one value: where it is, what its lessons are, and where it is published."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxcourse._edition import published_files
from jaxcourse.course._files import data_file
from jaxcourse.course._lessons import (
    Lesson,
    LessonText,
    answer_files,
    check_files,
    earlier_names,
    load,
    nearest,
    texts_of,
    today,
)
from jaxcourse.course._withheld import Withheld
from jaxcourse.paths import installed_course

UNSET = "This copy of the course does not say yet where it lives. Its owner says so with: jaxcourse address OWNER/REPO"
"""What stands in place of an address, so that nobody is sent to a stranger."""
_LESSON = re.compile(r"notebooks/[0-9]{2}_\w+")


class UnknownExercise(ValueError):
    """There is no exercise of that name."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows this in place of a stack of our own frames."""
        return [str(self)]


@dataclass(frozen=True)
class Course:
    """A course: the folder that holds it, its lessons, and the addresses set in its `_config.yml`.

    The one value is passed from whatever is told which course it is to everything that needs a part of it.

    Example:
        >>> course = Course.installed()
        >>> stem, names = next(iter(course.exercises().items()))
        >>> course.lesson_of(names[0]).stem == stem
        True
    """

    root: Path

    @property
    def config(self) -> dict[str, Any]:
        """The book's configuration; empty where there is none."""
        path = self.root / "_config.yml"
        return _parse_yaml(path.read_text(encoding="utf-8"), "_config.yml") if path.exists() else {}

    @property
    def title(self) -> str:
        """The name of the course."""
        return str(self.config.get("title") or "The course")

    @property
    def author(self) -> str:
        """Whose work the site says it is."""
        return str(self.config.get("author") or f"the {self.title} contributors")

    @property
    def file_name(self) -> str:
        """The name of the course as files have it, such as `from-strides-to-shards`."""
        return "-".join(re.findall(r"[a-z0-9]+", self.title.lower())) or "course"

    @property
    def repository(self) -> str:
        """The repository's address, or "" where its owner has not said it: see `UNSET`."""
        return str((self.config.get("repository") or {}).get("url") or "").rstrip("/").removesuffix(".git")

    @property
    def branch(self) -> str:
        """The branch that Colab opens notebooks from."""
        return str((self.config.get("repository") or {}).get("branch") or "main")

    @property
    def colab(self) -> str:
        """The address at which Colab opens files of the repository, or "" where it cannot."""
        _, _, path = self.repository.partition("https://github.com/")
        return f"https://colab.research.google.com/github/{path}/blob/{self.branch}" if path else ""

    @property
    def site(self) -> str:
        """The address of the published site, without a trailing slash, or "" where its owner has not said it."""
        return str((self.config.get("html") or {}).get("baseurl") or "").rstrip("/")

    @property
    def full_course(self) -> str:
        """The address of the course that this one takes its lessons from, without a trailing slash; empty if not set.

        Links to what is not taught here lead there.
        """
        return str(self.config.get("full_course") or "").rstrip("/")

    @property
    def pages(self) -> list[str]:
        """The pages that `_toc.yml` names, without their suffix, in its order: that file is the syllabus.

        Raises:
            ValueError: it is not valid YAML.
        """
        contents = _parse_yaml((self.root / "_toc.yml").read_text(encoding="utf-8"), "_toc.yml")
        return [contents["root"], *(page.removesuffix(".md") for page in _pages_in(contents))]

    @property
    def parts(self) -> dict[str, list[str]]:
        """The stems of the lessons by the captions of the parts of `_toc.yml`, in its order; those of no part under "".

        Raises:
            ValueError: it is not valid YAML.
        """
        contents = _parse_yaml((self.root / "_toc.yml").read_text(encoding="utf-8"), "_toc.yml")
        found: dict[str, list[str]] = {}
        for part in contents.get("parts") or [contents]:
            pages = (page.removesuffix(".md") for page in _pages_in(part))
            stems = [page.partition("/")[2] for page in pages if _LESSON.fullmatch(page)]
            found.setdefault(str(part.get("caption", "")), []).extend(stems)
        return {caption: stems for caption, stems in found.items() if stems}

    @property
    def lesson_paths(self) -> list[Path]:
        """The sources of the lessons that are taught, in the order in which they are.

        Raises:
            FileNotFoundError: `_toc.yml` names a lesson that does not exist.
        """
        paths = [self.root / f"{page}.md" for page in self.pages if _LESSON.fullmatch(page)]
        for path in paths:
            if not path.exists():
                page = f"notebooks/{path.stem}"
                raise FileNotFoundError(f"_toc.yml names {page}, and there is no {page}.md: mend the name.")
        return paths

    @property
    def lessons_here(self) -> list[Path]:
        """The sources of all lessons that are here, taught or not."""
        return sorted((self.root / "notebooks").glob("[0-9][0-9]_*.md"))

    @classmethod
    def installed(cls) -> Course:
        """The course that came with this package."""
        return cls(installed_course())

    def check_files(self) -> list[Path]:
        """The files of the checks of all lessons that are taught, in the order of the lessons."""
        return [path for stem in self.exercises() for path in check_files(self.root, stem)]

    def files(self, stem: str) -> list[Path]:
        """The files of a lesson's checks, and of the listed answers to them."""
        return [*check_files(self.root, stem), *answer_files(self.root, stem)]

    def reads(self) -> list[Path]:
        """The files that the lessons read, such as tables, in the order of the lessons."""
        names = (name for text in self.texts.values() for name in text.files)
        return [data_file(self.root, name) for name in dict.fromkeys(names)]

    @property
    def texts(self) -> dict[str, LessonText]:
        """What the lessons say, by stem, as `jaxcourse notebooks` has written it."""
        return texts_of(self.root)

    def exercises(self) -> dict[str, tuple[str, ...]]:
        """The stems of the lessons, with the names of their exercises in reading order; no check is imported.

        Of lessons that are not taught, `texts` says only where to read again: they have none.
        """
        return {stem: tuple(text.solutions) for stem, text in self.texts.items() if text.solutions}

    def today(self, stem: str) -> str:
        """What a lesson is called today: its name itself, or the lesson's that has had it.

        Args:
            stem: of a lesson, or what was one.
        """
        return today(stem, self.texts)

    def exercise_today(self, name: str) -> str:
        """What an exercise is called today: its name itself, or that of the one that has had it.

        Args:
            name: of an exercise, or what was one.
        """
        return earlier_names(self.texts).get(name, name)

    def published_files(self) -> Iterator[tuple[str, Path]]:
        """What of the course its readers install today, by its place in the course."""
        return published_files(self.root)

    def withholds(self, stem: str) -> Withheld | None:
        """Until when a lesson withholds its solutions and checks; None if it does not, or does no more.

        Args:
            stem: of the lesson.
        """
        said = Withheld.of(self.texts[stem].withheld) if stem in self.texts else None
        return said if said and not said.is_over else None

    def practice(self) -> frozenset[str]:
        """The names of the exercises that are not on the core paths of the lessons; no check is imported."""
        return frozenset(name for text in self.texts.values() for name in text.practice)

    def lesson(self, stem: str) -> Lesson:
        """A lesson's checks, imported once.

        Raises:
            Exception: whatever importing the checks raises.
        """
        return _load(self.root, stem)

    def lesson_of(self, name: str) -> Lesson:
        """The lesson that an exercise belongs to. Only that lesson's checks are imported.

        Args:
            name: the exercise's, or one that it has had.

        Raises:
            UnknownExercise: there is no such exercise; the nearest name is in the message.
        """
        exercises, now = self.exercises(), self.exercise_today(name)
        for stem, names in exercises.items():
            if now in names:
                return self.lesson(stem)
        near = nearest(name, [known for names in exercises.values() for known in names])
        raise UnknownExercise(f"There is no exercise {name!r}." + (f" Did you mean {near!r}?" if near else ""))


_load = functools.cache(load)


def _pages_in(contents: Any) -> Iterator[str]:
    """The pages that a table of contents names, in any of its parts, chapters and sections."""
    if isinstance(contents, dict):
        yield from ([str(contents["file"])] if "file" in contents else [])
        contents = list(contents.values())
    if isinstance(contents, list):
        yield from (page for each in contents for page in _pages_in(each))


@functools.lru_cache(maxsize=8)
def _parse_yaml(text: str, name: str) -> dict[str, Any]:
    import yaml  # a student's installation has neither it nor a configuration

    try:
        parsed: dict[str, Any] = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise ValueError(f"{name} is not valid YAML: {error}") from error
    return parsed
