"""What examinations withhold, line by line, and where something published says it all the same.

Lines are compared by their letters and figures alone, so that it does not matter how a page, a script or a notebook
writes them. A line that stands in something public anyway, such as `return x.mean()`, is no secret.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from jaxcourse.course import ANSWERS, CHECKS, Course
from jaxcourse_author.lesson import LessonSource, read_lesson, withholding_lessons, without_solutions

LEAST = 16
"""How many letters and figures a line has at least that is looked for: shorter ones stand anywhere by chance."""
_MARKUP = re.compile(r"[`{}<>$\[\]]")
"""Where a line of a lesson may be cut by what a page makes of it."""
_TAG = re.compile(r"<[^>]*>")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_BETWEEN = re.compile(r"[\W_]+")
_PUBLIC = ("book", "src", CHECKS, ANSWERS)
"""Folders of a course in which everything is public but what lessons withhold."""


def secrets(course: Course) -> dict[str, str]:
    """What the lessons of a course withhold today: the place of each line, by what is looked for.

    Args:
        course: a checkout; also what is not taught yet is withheld.
    """
    lessons = {
        path: read_lesson(path, course) if path in course.lesson_paths else None for path in withholding_lessons(course)
    }
    if not lessons:
        return {}
    hidden = {place: text for path, one in lessons.items() for place, text in _hidden_lines(path, one, course.root)}
    public = squeezed("\n".join(_public(course, lessons)))
    found = {piece: place for place, text in hidden.items() for piece in _pieces(text)}
    return {piece: place for piece, place in found.items() if piece not in public}


def _hidden_lines(path: Path, lesson: LessonSource | None, root: Path) -> Iterator[tuple[str, str]]:
    """The lines that a lesson withholds, each with its place: of its solutions, its checks, and its listed answers.

    One that is not taught yet withholds all that it says.
    """
    shown = [] if lesson is None else [one for one in lesson.gates if one.kind == "solution"]
    hidden = {number for gate in shown for number in gate.lines}
    files = [path, *(one for folder in (CHECKS, ANSWERS) for one in sorted((root / folder / path.stem).glob("*.py")))]
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
            if file != path or lesson is None or number in hidden:
                yield f"{file.relative_to(root).as_posix()}:{number}", line


def _public(course: Course, lessons: Mapping[Path, LessonSource | None]) -> Iterator[str]:
    """Everything of a course that lessons do not withhold."""
    yield from (path.read_text(encoding="utf-8") for path in course.lessons_here if path not in lessons)
    for lesson in filter(None, lessons.values()):
        yield without_solutions(lesson)
        yield from (f"{name}: {task.title}" for name, task in lesson.tasks.items())  # as `course.json` has them
    stems = {path.stem for path in lessons}
    for folder in _PUBLIC:
        for path in sorted((course.root / folder).rglob("*")):
            is_text = path.suffix in (".py", ".md", ".yml", ".js", ".css", ".html") and path.is_file()
            if is_text and not stems.intersection(path.relative_to(course.root).parts):
                yield path.read_text(encoding="utf-8")


def _pieces(line: str) -> Iterator[str]:
    """What is looked for of a line: all of it, and what stands between its markup."""
    for piece in dict.fromkeys([line, *_MARKUP.split(line)]):
        if len(found := squeezed(piece)) >= LEAST:
            yield found


def squeezed(text: str) -> str:
    r"""The letters and figures of a text.

    Example:
        >>> squeezed("return x[0] \\u003c 'two'"), squeezed("it's <b>two</b>")
        ('returnx0two', 'itsbtwob')
    """
    return _BETWEEN.sub("", _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text))


def said_in(data: bytes, withheld: Mapping[str, str]) -> set[str]:
    """The places of what is withheld that some bytes say: as text, as HTML, and in the files of an archive.

    Args:
        data: of a file.
        withheld: as `secrets` gives it.

    Example:
        >>> said_in(b"<p>The <b>seventh</b> difference</p>", {"Theseventhdifference": "notebooks/50_exam.md:7"})
        {'notebooks/50_exam.md:7'}
    """
    if zipfile.is_zipfile(packed := io.BytesIO(data)):
        with zipfile.ZipFile(packed) as archive:
            found = [said_in(archive.read(name), withheld) for name in archive.namelist()]
            return set().union(said_in("\n".join(archive.namelist()).encode(), withheld), *found)
    text = data.decode("utf-8", "ignore")
    views = [squeezed(text), squeezed(html.unescape(_TAG.sub("", text)))]
    return {place for piece, place in withheld.items() if any(piece in view for view in views)}


def leaks(files: Iterable[Path], withheld: Mapping[str, str]) -> Iterator[str]:
    """Which published files say what is withheld, and where that stands in the sources.

    Args:
        files: that are or will be published.
        withheld: as `secrets` gives it.
    """
    for path in files if withheld else ():
        if places := sorted(said_in(path.read_bytes(), withheld)):
            more = f" and {len(places) - 3} more lines" if len(places) > 3 else ""
            yield f"{path} says what is withheld: {', '.join(places[:3])}{more}"
