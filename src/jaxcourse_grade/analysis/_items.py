"""How hard an exercise is, and how well it tells students apart: classical item analysis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean

from jaxcourse_grade.analysis._exercises import KnownExercise
from jaxcourse_grade.analysis._rows import Row

FEW = 20
"""With fewer students, a correlation is not shown: its standard error, about 1/√(n − 1), is 0.23 for 20."""


@dataclass(frozen=True)
class Item:
    """An exercise, as those who handed in its lesson did it.

    Attributes:
        lesson, exercise: which it is; `known` is what the course says of it.
        handed_in: by how many students the lesson was handed in.
        attempted: how many of these tried it.
        passed: how many of these passed.
        discrimination: see `discrimination`; None where it cannot be said.
        students: of how many it is said.
    """

    lesson: str
    exercise: str
    known: KnownExercise
    handed_in: int
    attempted: int
    passed: int
    discrimination: float | None
    students: int

    @property
    def of_attempted(self) -> float | None:
        """The share that passed of those who tried: the item's difficulty (a *p* value: the higher, the easier).

        Crocker and Algina, *Introduction to Classical and Modern Test Theory* (1986), chapter 14.
        """
        return self.passed / self.attempted if self.attempted else None

    @property
    def of_handed_in(self) -> float | None:
        """The share that passed of those who handed in the lesson; what was not tried did not pass."""
        return self.passed / self.handed_in if self.handed_in else None

    @property
    def apart(self) -> str:
        """How well it tells students apart, in words.

        The borders, 0.2 and 0.4, are those of Ebel, *Essentials of Educational Measurement* (1972), chapter 14.
        """
        if self.discrimination is None:
            return f"too few to say ({self.students})" if self.students < FEW else "all alike"
        steps = ((0.4, "well"), (0.2, "somewhat"), (0.0, "hardly"))
        return next((word for least, word in steps if self.discrimination >= least), "the wrong way")


def items(found: Iterable[Row]) -> list[Item]:
    """The exercises of one term, in the order of the course.

    Args:
        found: rows of one term; those of last hand-ins count.
    """
    lessons: dict[str, list[Row]] = {}
    for row in found:
        if row.last:
            lessons.setdefault(row.lesson, []).append(row)
    each = [_item(name, some) for some in lessons.values() for name in dict.fromkeys(row.exercise for row in some)]
    return sorted(each, key=lambda item: (item.known.order, item.lesson))


def _item(exercise: str, lesson: Sequence[Row]) -> Item:
    own = [row for row in lesson if row.exercise == exercise]
    value, students = discrimination(exercise, lesson)
    return Item(
        own[0].lesson,
        exercise,
        own[0].known,
        sum(row.handed_in for row in own),
        sum(row.attempted for row in own),
        sum(row.passed for row in own),
        value,
        students,
    )


def discrimination(exercise: str, lesson: Iterable[Row]) -> tuple[float | None, int]:
    """The corrected item–total correlation of an exercise, and of how many students it is.

    It is the Pearson correlation (here a point-biserial one) of *passed or not* with the *rest score*: the share of the
    lesson's other exercises that the same student passed. The exercise itself is left out of the total, with which it
    would be correlated by itself: Henrysson, *Psychometrika* 28 (1963), 211–218.

    Args:
        exercise: its name.
        lesson: the rows of its lesson, one for each student and exercise.

    Returns:
        None in place of the correlation where there are fewer than `FEW` students, or where all of them did alike.
    """
    passed: dict[str, dict[str, bool]] = {}
    for row in lesson:
        if row.handed_in:
            passed.setdefault(row.student, {})[row.exercise] = row.passed
    pairs = [
        (float(mine[exercise]), fmean(other for name, other in mine.items() if name != exercise))
        for mine in passed.values()
        if exercise in mine and len(mine) > 1
    ]
    if len(pairs) < FEW:
        return None, len(pairs)
    try:
        return correlation(*zip(*pairs, strict=True)), len(pairs)
    except StatisticsError:  # one of the two does not vary
        return None, len(pairs)
