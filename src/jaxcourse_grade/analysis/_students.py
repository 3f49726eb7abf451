"""How lessons went, one after the other, and who is stuck in which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median, quantiles

from jaxcourse_grade.analysis._mistakes import NOT_MISTAKES
from jaxcourse_grade.analysis._rows import Row

ENOUGH = 3
"""Who tried fewer exercises of a lesson is not called stuck in it."""


@dataclass(frozen=True)
class StuckStudent:
    """A student who is stuck in a lesson: at least `ENOUGH` of its exercises were tried, and fewer than half passed.

    Attributes:
        student, name: who.
        lesson: its stem.
        passed: how many exercises passed, of those that were `attempted`.
        failed: the rows of those that did not.
    """

    student: str
    name: str
    lesson: str
    passed: int
    attempted: int
    failed: tuple[Row, ...]


def stuck_students(found: Iterable[Row]) -> list[StuckStudent]:
    """Who is stuck at the last hand-in, and where: those first who are stuck in most lessons.

    Args:
        found: rows of one term.
    """
    tried: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        if row.last and row.attempted:
            tried.setdefault((row.student, row.lesson), []).append(row)
    each = [one for rows in tried.values() if (one := _stuck_in(rows))]
    lessons = [one.student for one in each]
    return sorted(each, key=lambda one: (-lessons.count(one.student), one.name.casefold(), one.student, one.lesson))


def _stuck_in(rows: Sequence[Row]) -> StuckStudent | None:
    passed = sum(row.passed for row in rows)
    if len(rows) < ENOUGH or 2 * passed >= len(rows):
        return None
    failed = tuple(row for row in rows if row.mark.status not in NOT_MISTAKES)
    return StuckStudent(rows[0].student, rows[0].name, rows[0].lesson, passed, len(rows), failed)


@dataclass(frozen=True)
class LessonCount:
    """How a lesson went in a term.

    Attributes:
        term, lesson: which.
        students: how many were to hand it in.
        handed_in: how many did.
        shares: of the exercises that each of these passed, in rising order.
        attempted: the share of the exercises that was tried, over all of these.
        stuck: how many are stuck.
    """

    term: str
    lesson: str
    students: int
    handed_in: int
    shares: tuple[float, ...]
    attempted: float
    stuck: int

    @property
    def median(self) -> float | None:
        """The share that half of the students reach."""
        return median(self.shares) if self.shares else None

    @property
    def middle_half(self) -> tuple[float, float] | None:
        """The first and the third quartile of the shares (Hyndman and Fan's type 7, as NumPy's and pandas')."""
        if len(self.shares) < 2:
            return None
        low, _, high = quantiles(self.shares, n=4, method="inclusive")
        return low, high


def trend(found: Iterable[Row]) -> list[LessonCount]:
    """The lessons of each term, in the order of the course.

    Args:
        found: rows of all terms.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        if row.last:
            groups.setdefault((row.term, row.lesson), []).append(row)
    terms = list(dict.fromkeys(term for term, _ in groups))
    order = {of: (terms.index(of[0]), min(row.known.order for row in some), of[1]) for of, some in groups.items()}
    return [_lesson(*of, groups[of]) for of in sorted(groups, key=lambda of: order[of])]


def _lesson(term: str, lesson: str, some: Sequence[Row]) -> LessonCount:
    mine: dict[str, list[Row]] = {}
    for row in some:
        if row.handed_in:
            mine.setdefault(row.student, []).append(row)
    return LessonCount(
        term,
        lesson,
        len({row.student for row in some if not row.excused}),
        len(mine),
        tuple(sorted(fmean(row.passed for row in rows) for rows in mine.values())),
        fmean(row.attempted for rows in mine.values() for row in rows) if mine else 0.0,
        len(stuck_students(some)),
    )
