"""The rows of the class page's first table: each student's points, and what a teacher should know."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from jaxcourse_grade._records import Mark, Result
from jaxcourse_grade.reports._entry import Entry, lesson_name, number
from jaxcourse_grade.reports._text import duration
from jaxcourse_grade.reports._words import WORDS


@dataclass(frozen=True)
class Student:
    """A row.

    Attributes:
        page, key, name: whose it is.
        cells: the outcomes of each lesson.
        points: earned, of `out_of`.
        known: what a teacher should know, each in a line.
        rank: what these lines are sorted by.
        marks: JSON: each exercise, what happened there, and whether it passed.
    """

    page: str
    key: str
    name: str
    cells: list[list[str]]
    points: float
    out_of: float
    known: list[str]
    rank: float
    marks: str


def students(entries: Iterable[Entry], stems: Sequence[str]) -> list[Student]:
    """The rows, in the order of the entries.

    Args:
        entries: all results.
        stems: the lessons, one column each.

    Example:
        >>> from jaxcourse_grade.reports._entry import entry
        >>> ada = Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", marks=(Mark("a", "A", "wrong", "late"),))
        >>> [(row.name, row.cells, row.marks) for row in students([entry(ada)], ["01_toy", "02_toy"])]
        [('Ada', [['0 of 1'], []], '[["a", "wrong: late", false]]')]
    """
    found: dict[str, list[Entry]] = {}
    for item in entries:
        found.setdefault(item.page, []).append(item)
    return [_student(page, [item.result for item in items], stems) for page, items in found.items()]


def _student(page: str, results: Sequence[Result], stems: Sequence[str]) -> Student:
    cells = [[_outcome(result) for result in results if result.lesson == stem] for stem in stems]
    marks = [[mark.exercise, outcome_of(mark), mark.status == "passed"] for result in results for mark in result.marks]
    return Student(
        page,
        results[0].student,
        results[0].name,
        cells,
        sum(result.points for result in results),
        sum(result.out_of for result in results),
        [line for result in results for line in _known_facts(result, len(results) > 1)],
        sum(result.minutes_late or result.is_late for result in results),
        json.dumps(marks, ensure_ascii=False),
    )


def _outcome(result: Result) -> str:
    points = f"{number(result.points)} of {number(result.out_of)}"
    if result.excused:
        return "excused"
    return points if result.status == "graded" or result.decision else result.status


def outcome_of(mark: Mark) -> str:
    """What became of an exercise, in the words of the tables.

    Example:
        >>> outcome_of(Mark("a", "A", "wrong", label="off-by-one")), outcome_of(Mark("a", "A", "passed", label="x"))
        ('wrong: off-by-one', 'passed')
    """
    words = WORDS[mark.status].table
    return f"{words}: {mark.label}" if mark.label not in ("", mark.status) and mark.status != "passed" else words


def _known_facts(result: Result, several: bool) -> Iterator[str]:
    of = f" ({lesson_name(result.lesson)})" if several else ""
    if result.minutes_late:
        yield f"{duration(result.minutes_late)} late{result.told and f', says {result.told}'}{of}"
    elif result.late:
        yield f"{result.late}{of}"
    if result.look:
        yield f"to look at{of}"
    if count := len(decisions(result)):
        yield f"{count} of your decisions{of}" if count > 1 else f"your decision{of}"


def decisions(result: Result) -> list[Mark | None]:
    """What a teacher decided about: marks, and None for all of it."""
    whole: list[Mark | None] = [None] if result.decision else []
    return whole + [mark for mark in result.marks if mark.decision]
