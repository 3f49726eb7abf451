"""What is still to be written of a lesson, where `jaxcourse new` has left a mark: no reader gets it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from jaxcourse.course import ANSWERS, CHECKS
from jaxcourse_author.lesson._lesson import LessonSource

PLACEHOLDER = "REPLACE ME"
"""What `jaxcourse new` writes where an author must write; behind it and a colon stands what."""

_LEFT = re.compile(rf"{PLACEHOLDER}(?:: (?P<what>[^\n\"`.]*))?")


@dataclass(frozen=True)
class Unwritten:
    """An exercise that is not written yet, or the rest of a lesson that is not.

    Attributes:
        exercise: its name; empty for the rest of a lesson.
        place: the file and the line of what comes next.
        what: belongs there.
        more: how many places are left after it.
    """

    exercise: str
    place: str
    what: str
    more: int

    @property
    def next(self) -> str:
        """What comes next, in words.

        Example:
            >>> Unwritten("halve-it", "notebooks/01_toy.md:9", "a title", 2).next
            'to be written next: a title (2 more places after it)'
        """
        rest = f" ({self.more} more place{'s' if self.more > 1 else ''} after it)" if self.more else ""
        return f"to be written next: {self.what}{rest}"


def unwritten(lesson: LessonSource, root: Path) -> list[Unwritten]:
    """The exercises of a lesson that are not written yet, and the rest of it if that is not.

    Args:
        lesson: as it was read.
        root: the folder of the course, in which the checks are looked at, too.
    """
    left: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, file, number, line in _lines(lesson, root):
        for found in _LEFT.finditer(line):
            left[name].append((f"{file}:{number}", (found["what"] or "what belongs there").strip()))
    return [Unwritten(name, *places[0], len(places) - 1) for name, places in left.items()]


def without_unwritten(lesson: LessonSource, root: Path) -> LessonSource:
    """A lesson without its exercises that are not written yet."""
    left = {one.exercise for one in unwritten(lesson, root)} - {""}
    cells = tuple(cell for cell in lesson.cells if cell.exercise not in left)
    return replace(lesson, cells=cells, gates=tuple(gate for gate in lesson.gates if gate.name not in left))


def _lines(lesson: LessonSource, root: Path) -> Iterator[tuple[str, str, int, str]]:
    """Each line of a lesson and of its checks, with the exercise that it belongs to, its file and its number."""
    owner = {line: gate.name for gate in lesson.gates for line in gate.lines}
    for number, line in enumerate(lesson.raw.splitlines(), 1):
        yield owner.get(number, ""), f"notebooks/{lesson.path.name}", number, line
    for folder in (CHECKS, ANSWERS):
        for path in sorted((root / folder / lesson.stem).glob("*.py")):
            name = "" if path.stem.startswith("_") else path.stem.replace("_", "-")
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield name, path.relative_to(root).as_posix(), number, line
