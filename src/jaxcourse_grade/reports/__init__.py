"""Reports of a class: tables, forms of learning platforms, files for other programs, and pages to read.

`write` writes all of them. Each is a function from results to text, and sees results only as `entry` makes them fit to
be printed. `read_canvas` and `read_moodle` read the forms to be filled in; `gradescope` is one result for Gradescope.
`analysis_page` and `analysis_table` show what was counted over several runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from jaxcourse_grade._records import Result
from jaxcourse_grade._store import atomic_write
from jaxcourse_grade.analysis import NOTHING_KNOWN, KnownExercise
from jaxcourse_grade.intake import Lessons
from jaxcourse_grade.reports import _answers, _bulk, _forms, _machines, _pages, _tables
from jaxcourse_grade.reports._analysis import analysis_page, analysis_table
from jaxcourse_grade.reports._answers import Solutions
from jaxcourse_grade.reports._changes import changes, set_aside, under_earlier_names
from jaxcourse_grade.reports._entry import Entry, entry, in_order, lesson_name, number, printable
from jaxcourse_grade.reports._facts import Facts, facts
from jaxcourse_grade.reports._forms import canvas_columns, read_canvas, read_moodle
from jaxcourse_grade.reports._held import NOTHING, HeldBack, for_student, held_back, without_words
from jaxcourse_grade.reports._machines import gradescope
from jaxcourse_grade.reports._text import rich, whole
from jaxcourse_grade.reports._words import WORDS

__all__ = [
    "WORDS",
    "analysis_page",
    "analysis_table",
    "canvas_columns",
    "entry",
    "gradescope",
    "held_back",
    "lesson_name",
    "number",
    "read_canvas",
    "read_moodle",
    "rich",
    "under_earlier_names",
    "whole",
    "write",
]

_NOBODY: Mapping[str, Mapping[str, str]] = {}
_NO_SOLUTIONS: Solutions = {}
_NO_LESSONS: Lessons = {}
_ASIDE = "Moved aside, because this run does not stand behind it"


def write(
    results: Iterable[Result],
    out: Path,
    *,
    title: str,
    columns: Mapping[str, Mapping[str, str]] = _NOBODY,
    notes: Sequence[str] = (),
    solutions: Solutions = _NO_SOLUTIONS,
    canvas: Path | None = None,
    moodle: Path | None = None,
    answers: Path | None = None,
    lessons: Lessons = _NO_LESSONS,
    held: HeldBack = NOTHING,
    known: Mapping[str, KnownExercise] = NOTHING_KNOWN,
    say: Callable[[str], None] = lambda line: None,
) -> list[Path]:
    """Write all reports of a class.

    Args:
        results: what was graded, in any order. They are gone through several times, and not kept.
        out: the folder for the reports: `grades.csv`, `exercises.csv`, `grades.json`, `junit.xml`, `class.html`,
            a page for each student in `feedback`, and, for each lesson that came from
            a learning platform, all of them in an archive that the platform takes back; with the options also
            `canvas.csv` and `moodle.csv`, and beside them, in `canvas_notes.txt` and `moodle_notes.txt`, who could not
            be matched.
        title: of the pages, such as "Memory layout, autumn 2026".
        columns: further columns for `grades.csv`, by student's key and heading, such as a roster's section.
        notes: what else an instructor should know, for the page of the class.
        solutions: the lessons' own answers, which lie beside the students'.
        canvas: a gradebook exported by Canvas, to be filled in.
        moodle: a grading worksheet of Moodle, to be filled in.
        answers: a folder in which every answer becomes a file, for programs that compare them.
        lessons: all that there are, and by what they were called: so titles in a gradebook and the last run's marks
            are understood.
        held: what students are not told; their pages and the forms' comments go without it, and nothing else does.
        known: what the course says of the exercises: their numbers, and which ideas they train.
        say: is told whose marks have changed since the last run, and which of its reports were moved to `earlier`.

    Returns:
        The files that were written.

    Raises:
        TypeError: `results` can be gone through only once.
        ValueError: a form could not be filled in; every other report is written. See also `read_canvas`, `read_moodle`.
        OSError: the folder cannot be written, or the disk is full.
    """
    _refuse_once(results)
    title = printable(title, 200)
    found = facts(entries := in_order(results))
    to_students = [replace(item, result=without_words(item.result, held)) for item in entries]
    filled, faults = _fill(to_students, found, {"canvas": canvas, "moodle": moodle}, lessons)
    told = [*notes, *(f"{name}: {note}" for name, text in filled.items() for note in text.notes), *map(str, faults)]
    reports: dict[str, Callable[[], str]] = {
        **_data(entries, found, title, columns),
        "class.html": lambda: _pages.the_class(entries, found, title, told, known),
        **_form_texts(filled),
    }
    if answers:
        _answers.export(results, solutions, answers)
    _say_each(changes(out / "grades.json", entries, lessons), say)
    for name, report in reports.items():  # one text at a time: for thousands of students they are long
        atomic_write(out / name, report())
    pages = sorted(_write_pages(results, entries, out / "feedback", title, held))
    archives = _write_archives(entries, moodle if "moodle" in filled else None, out)
    written = [*(out / name for name in reports), *pages, *archives]
    _say_each((f"{_ASIDE}: {path.relative_to(out)}." for path in set_aside(out, set(written))), say)
    if faults:
        raise faults[0]
    return written


def _say_each(lines: Iterable[str], say: Callable[[str], None]) -> None:
    for line in lines:
        say(line)


def _data(
    entries: Sequence[Entry], found: Facts, title: str, columns: Mapping[str, Mapping[str, str]]
) -> dict[str, Callable[[], str]]:
    """The reports that other programs read."""
    return {
        "grades.csv": lambda: _tables.grades(entries, columns),
        "exercises.csv": lambda: _tables.marks(entries),
        "grades.json": lambda: _machines.grades(entries, found, title),
        "junit.xml": lambda: _machines.junit(entries, title),
    }


def _form_texts(forms: Mapping[str, _forms.FilledForm]) -> dict[str, Callable[[], str]]:
    """The forms, and what to know before they are uploaded."""
    tables: dict[str, Callable[[], str]] = {f"{name}.csv": partial(str, form.text) for name, form in forms.items()}
    return {**tables, **{f"{name}_notes.txt": partial("\n".join, (*form.notes, "")) for name, form in forms.items()}}


def _refuse_once(results: Iterable[Result]) -> None:
    if isinstance(results, Iterator):
        raise TypeError(
            "results are gone through several times: give a list, or an object whose __iter__ starts again."
        )


def _fill(
    entries: Sequence[Entry], found: Facts, forms: Mapping[str, Path | None], lessons: Lessons
) -> tuple[dict[str, _forms.FilledForm], list[ValueError]]:
    """Fill in the forms; one that is broken does not take the other reports with it."""
    filled: dict[str, _forms.FilledForm] = {}
    faults: list[ValueError] = []
    for name, path in forms.items():
        try:
            if path is not None:
                filled[name] = _FORMS[name](entries, found, path, lessons)
        except ValueError as fault:
            faults.append(fault)
    return filled, faults


_FORMS = {
    "canvas": lambda entries, found, path, lessons: _forms.canvas(entries, found, read_canvas(path), lessons),
    "moodle": lambda entries, found, path, lessons: _forms.moodle(entries, found, read_moodle(path)),
}


def _write_archives(entries: Sequence[Entry], moodle: Path | None, out: Path) -> list[Path]:
    folders = _forms.folders(entries, read_moodle(moodle)) if moodle else {}
    archives = _bulk.archives(_bulk.names(entries, folders), out / "feedback")
    return [_write_page((out / name, data)) for name, data in archives]


def _write_pages(
    results: Iterable[Result], entries: Sequence[Entry], folder: Path, title: str, held: HeldBack
) -> list[Path]:
    """Write the pages of all students; several at once, because each waits for the disk."""
    pages = _student_pages(results, Counter(item.page for item in entries), folder, title, held)
    written: list[Path] = []
    with ThreadPoolExecutor(_WRITERS) as pool:
        while batch := list(islice(pages, 8 * _WRITERS)):
            written += pool.map(_write_page, batch)
    return written


_WRITERS = 8


def _write_page(page: tuple[Path, str | bytes]) -> Path:
    atomic_write(*page)
    return page[0]


def _student_pages(
    results: Iterable[Result], left: Mapping[str, int], folder: Path, title: str, held: HeldBack
) -> Iterator[tuple[Path, str]]:
    """Each student's page, as soon as all of the student's results have come by."""
    waiting: dict[str, list[Entry]] = {}
    for item in (entry(for_student(result, held), code=True) for result in results):
        found = waiting.setdefault(item.page, [])
        found.append(item)
        if len(found) == left[item.page]:
            yield folder / f"{item.page}.html", _page(waiting.pop(item.page), title, held)


def _page(entries: Sequence[Entry], title: str, held: HeldBack) -> str:
    """A student's page; if it cannot be made, one that says so, because everybody else's can."""
    try:
        return _pages.feedback(entries, title, held)
    except Exception as error:
        return f"<!doctype html><title>No page</title><p>This page could not be made ({type(error).__name__})."
