"""`grades.csv` and `exercises.csv`: for spreadsheets, and for pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from jaxcourse_grade._records import Mark, Result
from jaxcourse_grade.reports._entry import Entry, number, percent, printable
from jaxcourse_grade.reports._text import plain
from jaxcourse_grade.reports._words import decision, verdict

NOT_ASKED = "n/a"
"""Stands where an exercise belongs to another lesson; pandas reads it as a missing value."""
_MARKS = (
    "student name lesson source submitted exercise title status label points out_of message section address"
    " called returned printed printed_total decision comment notes"
)


def guarded(text: str) -> str:
    r"""A text that no spreadsheet takes for a formula: an apostrophe goes before what could be one.

    Which characters start one: https://owasp.org/www-community/attacks/CSV_Injection

    Example:
        >>> guarded('=HYPERLINK("x")'), guarded("Ada"), guarded(" +1")
        ('\'=HYPERLINK("x")', 'Ada', "' +1")
    """
    begins = text.lstrip()[:1]
    return f"'{text}" if begins and begins in "=+-@＝＋－＠" or text[:1] in ("\t", "\r", "\n") else text


def table(head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """A table as CSV: UTF-8 with a byte order mark, without which Excel reads names as Latin-1; texts are guarded."""
    file = io.StringIO()
    file.write("\ufeff")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([guarded(cell) for cell in head])
    writer.writerows([guarded(cell) if isinstance(cell, str) else number(cell) for cell in row] for row in rows)
    return file.getvalue()


def exercises(entries: Iterable[Entry]) -> dict[str, dict[str, Mark]]:
    """The exercises of each lesson that was graded, in the lesson's order, each with one of its marks."""
    found: dict[str, dict[str, Mark]] = {}
    for item in entries:
        for mark in item.result.marks:
            found.setdefault(item.result.lesson, {}).setdefault(mark.exercise, mark)
    return dict(sorted(found.items()))


def grades(entries: Sequence[Entry], columns: Mapping[str, Mapping[str, str]]) -> str:
    """`grades.csv`: one row for each student and lesson.

    Each exercise has two columns: the points, and the status with its label. No cell of them is empty: where a lesson
    does not have the exercise, it says `n/a`. So does `minutes_late` where nobody says when a lesson was due, or when
    it came; `told_by` is who says when it came, and `late` what a learning platform says of its being late.

    Args:
        entries: what was graded.
        columns: further columns for a student's key, as a roster has them.
    """
    asked = exercises(entries)
    pairs = [(lesson, name) for lesson, names in asked.items() for name in names]
    more = list(dict.fromkeys(name for row in columns.values() for name in row))
    head = [
        "student",
        "name",
        *(printable(name, 80) for name in more),
        "lesson",
        "status",
        "points",
        "out_of",
        "percent",
    ]
    head += ["decision", "comment", "due", "minutes_late"]
    head += [text for _, name in pairs for text in (name, f"{name} status")]
    head += ["source", "submitted", "told_by", "late", "reason", "notes"]
    return table(head, (_grades_row(item, pairs, more, columns.get(item.key, {})) for item in entries))


def _grades_row(
    item: Entry, pairs: Sequence[tuple[str, str]], more: Sequence[str], extra: Mapping[str, str]
) -> list[str | float]:
    result = item.result
    row: list[str | float] = [result.student, result.name, *(printable(extra.get(name, ""), 300) for name in more)]
    row += [result.lesson or "unknown", result.status, result.points, result.out_of]
    row += [NOT_ASKED if result.excused else percent(result.points, result.out_of), decision(result), _comment(result)]
    row += [result.due or NOT_ASKED, _late(result)]
    found = {mark.exercise: mark for mark in result.marks}
    for lesson, name in pairs:
        row += _outcome(result, found.get(name)) if lesson == result.lesson else [NOT_ASKED, NOT_ASKED]
    row += [result.source, result.submitted, result.told or NOT_ASKED, result.late or NOT_ASKED, result.reason]
    return [*row, "\n".join(filter(None, (result.look, *result.oddities)))]


def _late(result: Result) -> str | float:
    return NOT_ASKED if result.minutes_late is None else result.minutes_late


def _outcome(result: Result, mark: Mark | None) -> list[str | float]:
    """The two cells of an exercise; without a mark it says what became of the notebook."""
    return [mark.points, verdict(mark)] if mark else [0.0, result.status]


def marks(entries: Iterable[Entry]) -> str:
    """`exercises.csv`: one row for each student and exercise, with everything that is known, except for the code."""
    return table(_MARKS.split(), (row for item in entries for row in _marks_rows(item)))


def _marks_rows(item: Entry) -> list[list[str | float]]:
    result = item.result
    about: list[str | float] = [
        result.student,
        result.name,
        result.lesson or "unknown",
        result.source,
        result.submitted,
    ]
    unread = Mark("n/a", "", "unreadable", message=result.reason, out_of=0)
    return [[*about, *_mark_cells(mark)] for mark in result.marks or [unread]]


def _mark_cells(mark: Mark) -> list[str | float]:
    cells: list[str | float] = [mark.exercise, mark.title, mark.status, mark.label, mark.points, mark.out_of]
    cells += [plain(mark.message), mark.section, mark.address, mark.called, mark.returned, mark.printed]
    return [*cells, mark.printed_total, decision(mark), _comment(mark), "\n".join(mark.notes)]


def _comment(of: Mark | Result) -> str:
    return of.decision.comment if of.decision else ""
