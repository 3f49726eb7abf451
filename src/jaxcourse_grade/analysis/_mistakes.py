"""Who made which mistake, and who still has it; by exercise, and by the idea that the exercise trains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from jaxcourse_grade._records import Mark, Status
from jaxcourse_grade.analysis._exercises import KnownExercise
from jaxcourse_grade.analysis._rows import Row

NOT_MISTAKES: frozenset[Status] = frozenset({"passed", "not_attempted", "missing", "unreadable", "stumbled"})
"""Statuses that are not mistakes that a class could be told about."""


@dataclass(frozen=True)
class MistakeCount:
    """A mistake in an exercise, and who made it in a term.

    Attributes:
        exercise: its name; `known` is what the course says of it.
        status, label: which mistake it was.
        made: the students who made it, at any hand-in.
        still: those who have it at their last one.
        again: those who had it at two hand-ins in a row.
        marks: all that show it.
    """

    exercise: str
    known: KnownExercise
    status: Status
    label: str
    made: frozenset[str]
    still: frozenset[str]
    again: frozenset[str]
    marks: tuple[Mark, ...]

    @property
    def message(self) -> str:
        """What most of those who made it were told."""
        return usual_message(self.marks)


def usual_message(marks: Iterable[Mark]) -> str:
    """The message that most of those who made a mistake read: it can name what one of them wrote.

    Example:
        >>> usual_message(Mark("a", "A", "wrong", "late", text) for text in ("9 late.", "8 late.", "8 late."))
        '8 late.'
    """
    told = Counter(mark.message for mark in marks)
    return min(told, key=lambda message: (-told[message], len(message), message))


def mistakes(found: Iterable[Row]) -> list[MistakeCount]:
    """The mistakes of a term, those that most students made first.

    Args:
        found: rows of one term, of all its runs.
    """
    groups: dict[tuple[str, Status, str], list[Row]] = {}
    hand_ins: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(found, key=lambda row: row.place):
        if row.attempted:
            hand_ins.setdefault((row.exercise, row.student), []).append(row)
            if row.mark.status not in NOT_MISTAKES:
                groups.setdefault((row.exercise, row.mark.status, row.mark.label), []).append(row)
    repeats = [of for rows in hand_ins.values() for of in map(_repeated_mistake, pairwise(rows)) if of]
    made = [_count_of(some, {student for of, student in repeats if of == which}) for which, some in groups.items()]
    return sorted(made, key=lambda one: (-len(one.made), -len(one.still), one.known.order, one.exercise, one.label))


def _repeated_mistake(two: tuple[Row, Row]) -> tuple[tuple[str, Status, str], str] | None:
    """The mistake that a student made at two hand-ins in a row, if it is one."""
    first, second = ((row.exercise, row.mark.status, row.mark.label) for row in two)
    return (first, two[0].student) if first == second and first[1] not in NOT_MISTAKES else None


def _count_of(some: Sequence[Row], again: set[str]) -> MistakeCount:
    one = some[0]
    return MistakeCount(
        one.exercise,
        one.known,
        one.mark.status,
        one.mark.label,
        frozenset(row.student for row in some),
        frozenset(row.student for row in some if row.last),
        frozenset(again),
        tuple(row.mark for row in some),
    )


@dataclass(frozen=True)
class IdeaCount:
    """What a term's class misunderstood of an idea.

    Attributes:
        idea: its name; empty for exercises that train none.
        exercises: how many of its exercises somebody tried.
        attempted: how many students tried at least one.
        made: how many made a mistake in one, at any hand-in; `still`, at their last one.
        mistakes: those that most made first.
    """

    idea: str
    exercises: int
    attempted: int
    made: int
    still: int
    mistakes: tuple[MistakeCount, ...]


def by_idea(found: Iterable[Row], made: Sequence[MistakeCount]) -> list[IdeaCount]:
    """The ideas that were tried, those first in which most students have a mistake still.

    Args:
        found: rows of one term.
        made: its mistakes.
    """
    tried: dict[str, list[Row]] = {}
    for row in found:
        for idea in (row.known.ideas or ("",)) if row.attempted else ():
            tried.setdefault(idea, []).append(row)
    counts = [
        _idea(idea, some, [one for one in made if idea in (one.known.ideas or ("",))]) for idea, some in tried.items()
    ]
    return sorted(counts, key=lambda one: (not one.idea, -one.still, -one.made, one.idea))


def _idea(idea: str, tried: Sequence[Row], made: Sequence[MistakeCount]) -> IdeaCount:
    return IdeaCount(
        idea,
        len({row.exercise for row in tried}),
        len({row.student for row in tried}),
        len(frozenset[str]().union(*(one.made for one in made))),
        len(frozenset[str]().union(*(one.still for one in made))),
        tuple(made),
    )
