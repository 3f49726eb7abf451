"""One row for each mark: what is counted, and what `analysis.csv` holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from jaxcourse_grade._records import Mark, Result, Status
from jaxcourse_grade.analysis._exercises import NOTHING_KNOWN, KnownExercise

SCHEMA = 1
"""The version of the columns. It grows when one changes its name, its type or its meaning; new ones come at the end."""
_NOT_TRIED: frozenset[Status] = frozenset({"not_attempted", "missing"})


@dataclass(frozen=True)
class Row:
    """One exercise of one student, as one run found it.

    Attributes:
        term, run: when it was graded; `place` is that of the run in its term, counted from 1.
        student: a key, the same in all runs; `key` and `name` are what the grader calls the student.
        lesson: its stem.
        mark: the verdict.
        known: what the course says of the exercise.
        graded: whether a notebook was judged for it: not if none was handed in, or none could be read.
        excused: whether a teacher excused the student.
        last: whether it is of the student's last hand-in of this lesson in this term.
    """

    term: str
    run: str
    place: int
    student: str
    key: str
    name: str
    lesson: str
    mark: Mark
    known: KnownExercise
    graded: bool
    excused: bool = False
    last: bool = True

    @property
    def exercise(self) -> str:
        """The name of the exercise."""
        return self.mark.exercise

    @property
    def handed_in(self) -> bool:
        """Whether it counts: a notebook was judged, the check could do its work, and nobody was excused."""
        return self.graded and not self.excused and self.mark.status not in ("stumbled", "unreadable")

    @property
    def attempted(self) -> bool:
        """Whether it counts, and there is an answer that is not as it was handed out."""
        return self.handed_in and self.mark.status not in _NOT_TRIED

    @property
    def passed(self) -> bool:
        """Whether it counts, and passed."""
        return self.handed_in and self.mark.status == "passed"


def rows(
    result: Result,
    student: str,
    *,
    term: str = "",
    run: str = "",
    place: int = 1,
    known: Mapping[str, KnownExercise] = NOTHING_KNOWN,
) -> Iterator[Row]:
    """The rows of one result.

    Args:
        result: with texts that can be shown.
        student: a key that is the same in all runs.
        term: in which it was graded.
        run: of which it is.
        place: of the run in its term.
        known: what the course says of its exercises.

    Example:
        >>> marks = Mark("a", "A", "passed"), Mark("b", "B", "not_attempted")
        >>> found = list(rows(Result("ada", "Ada", "01_toy", "", "graded", marks=marks), "ada"))
        >>> [(row.exercise, row.handed_in, row.attempted, row.passed) for row in found]
        [('a', True, True, True), ('b', True, False, False)]
    """
    graded = result.status == "graded"
    for mark in result.marks:
        about = known.get(mark.exercise) or KnownExercise(mark.title or mark.exercise, order=len(known))
        excused = result.excused or bool(mark.decision and mark.decision.excused)
        of = result.student, result.name, result.lesson
        yield Row(term, run, place, student, *of, mark, about, graded, excused)


def with_last(found: Iterable[Row]) -> list[Row]:
    """The same rows, each of which knows whether it is of a student's last hand-in of the exercise in its term.

    A run in which a student handed in nothing takes nothing back: the hand-in before it stays the last.

    Args:
        found: of all runs, in any order.
    """
    all_rows = list(found)
    latest: dict[tuple[str, str, str], tuple[bool, int]] = {}
    for row in all_rows:
        of = (row.term, row.student, row.exercise)
        latest[of] = max(latest.get(of, (False, 0)), (row.graded, row.place))
    return [
        replace(row, last=latest[row.term, row.student, row.exercise] == (row.graded, row.place)) for row in all_rows
    ]


# -- as a table -------------------------------------------------------------------------------------------------

COLUMNS: dict[str, type] = {
    "schema": int,
    "term": str,
    "run": str,
    "place": int,
    "last": int,
    "student": str,
    "key": str,
    "name": str,
    "lesson": str,
    "exercise": str,
    "number": str,
    "title": str,
    "ideas": str,
    "handed_in": int,
    "attempted": int,
    "passed": int,
    "excused": int,
    "status": str,
    "label": str,
    "points": float,
    "out_of": float,
}
"""The columns of `analysis.csv`, in their order; truths are 0 and 1."""


def cells(row: Row, names: bool) -> list[str | float]:
    """A row as the cells of the table, in the order of `COLUMNS`.

    Args:
        row: any.
        names: whether it says who the student is.
    """
    mark = row.mark
    who = (row.student, row.key, row.name) if names else (row.student, "", "")
    about = (row.lesson, row.exercise, row.known.number, row.known.title, "; ".join(row.known.ideas))
    counts = (int(row.handed_in), int(row.attempted), int(row.passed), int(row.excused))
    when = (SCHEMA, row.term, row.run, row.place, int(row.last))
    return [*when, *who, *about, *counts, mark.status, mark.label, mark.points, mark.out_of]
