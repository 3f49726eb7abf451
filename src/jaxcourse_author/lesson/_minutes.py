"""How long a lesson takes: counted as readers read and solve, and written down nowhere.

Whatever says how long something takes asks here: the page with what is left at each heading, the notebook, the cards,
the index of exercises, the contract's warnings.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from jaxcourse_author.lesson._cells import UNREAD, Cell

WORDS_A_MINUTE = 180
"""How fast a technical text is read by someone who wants to learn from it."""
LINES_A_MINUTE = 12
"""How fast code is read, with a look at what it prints."""
PREDICTING = 1.0
"""How many minutes it takes to commit to one field of a prediction box."""
VALUE, FUNCTION = 6.0, 8.0
"""How many minutes an exercise takes if its stub does not say: one answered by a value, and one by a function."""
SITTING = 90
"""How many minutes of a lesson's core path a reader can follow in one go."""


@dataclass(frozen=True)
class Minutes:
    """How long a lesson, or the rest of one, takes.

    Attributes:
        core: to read it, predict, and solve what the next lesson needs.
        practice: to solve the other exercises as well.
        sittings: each of them, if it is taken in several.

    Example:
        >>> str(Minutes(81.2, 30)), str(Minutes(24, 0))
        ('85 minutes, 115 with practice', '25 minutes')
        >>> str(in_sittings([Minutes(81.2, 0), Minutes(76, 14)]))
        'two sittings of 85 and 80 minutes, 175 with practice'
        >>> Minutes(24.2, 7).left
        25
    """

    core: float
    practice: float
    sittings: tuple[Minutes, ...] = ()

    @property
    def each(self) -> tuple[Minutes, ...]:
        """Its sittings, be it only one."""
        return self.sittings or (self,)

    @property
    def with_practice(self) -> float:
        """Everything together."""
        return self.core + self.practice

    @property
    def left(self) -> int:
        """Of the core path, as a heading says it: to the minute, so that no section seems to take no time."""
        return math.ceil(self.core)

    @property
    def figures(self) -> tuple[int, int]:
        """Without and with practice, rounded up to five minutes, as they are said of a whole lesson."""
        if not self.sittings:
            return _in_fives(self.core), _in_fives(self.with_practice)
        core, everything = zip(*(one.figures for one in self.sittings), strict=True)
        return sum(core), sum(everything)

    def __add__(self, other: Minutes) -> Minutes:
        return Minutes(self.core + other.core, self.practice + other.practice)

    def __str__(self) -> str:
        core, everything = self.figures
        said = f"{core} minutes"
        if self.sittings:
            *most, last = (str(one.figures[0]) for one in self.sittings)
            count = {2: "two", 3: "three"}.get(len(self.sittings), len(self.sittings))
            said = f"{count} sittings of {', '.join(most)} and {last} minutes"
        return said + (f", {everything} with practice" if self.practice else "")


def _in_fives(minutes: float) -> int:
    return 5 * math.ceil(minutes / 5)


def in_sittings(minutes: Sequence[Minutes]) -> Minutes:
    """How long all sittings of a lesson take together; if it has only one, that one.

    Args:
        minutes: of each sitting.
    """
    whole = Minutes(sum(one.core for one in minutes), sum(one.practice for one in minutes))
    return replace(whole, sittings=tuple(minutes) if len(minutes) > 1 else ())


def begins_sitting(label: str) -> bool:
    """Whether the label of a heading says that another sitting begins with it.

    Example:
        >>> begins_sitting("capstone-sitting-2"), begins_sitting("a-sitting"), begins_sitting("sitting-still")
        (True, False, False)
    """
    *_, word, number = ["", *label.split("-")]
    return word == "sitting" and number.isdecimal()


def sittings_of(cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells of each sitting of a lesson; a cell of text is cut where a sitting begins in it.

    Args:
        cells: of the lesson, in reading order.
    """
    parts = (part for cell in cells if cell.role == "text" for part in cell.parts if part.level)
    begins = [0, *(part.line for part in parts if begins_sitting(part.label)), sys.maxsize]
    return [[part for cell in cells if (part := cell.within(range(*pair)))] for pair in pairwise(begins)]


def minutes_of(cells: Iterable[Cell], practice: Collection[str]) -> Minutes:
    """How long some cells of a lesson take.

    Args:
        cells: in any order; what is folded on the page takes no time.
        practice: the names of the exercises that are not on the core path.
    """
    cells = list(cells)
    extra = sum(solving_minutes(cell) for cell in cells if cell.role == "stub" and cell.exercise in practice)
    return Minutes(sum(map(_reading_minutes, cells)) - extra, extra)


def _reading_minutes(cell: Cell) -> float:
    if cell.role == "stub":
        return solving_minutes(cell)
    if cell.role == "text":
        words = sum(len(part.text.split()) for part in cell.parts if not part.folded)
        return words / WORDS_A_MINUTE + PREDICTING * cell.asks
    if cell.role == "code" and not UNREAD & set(cell.tags):
        return sum(bool(line.strip()) for line in cell.source.splitlines()) / LINES_A_MINUTE
    return 0.0  # an exercise's minutes include its task; set-up and proofs are not read on the way


def solving_minutes(stub: Cell) -> float:
    """How long an exercise takes, with its task: what its stub says, or what such exercises take."""
    defines = any(line.lstrip(" ").startswith(("def ", "class ")) for line in stub.source.splitlines())
    return stub.minutes or (FUNCTION if defines else VALUE)
