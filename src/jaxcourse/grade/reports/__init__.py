"""Reports of a class: tables, forms of learning platforms, files for other programs, and pages to read.

`write` writes all of them. Each is a function from results to text, and sees results only as `entry` makes them fit to
be printed. `read_canvas` and `read_moodle` read the forms to be filled in; `gradescope` is one result for Gradescope.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

from jaxcourse.grade._records import Result
from jaxcourse.grade._store import atomic_write
from jaxcourse.grade.reports import _forms, _likeness, _machines, _pages, _tables
from jaxcourse.grade.reports._entry import Entry, entry, in_order, lesson_name, number, shown
from jaxcourse.grade.reports._facts import Facts, facts
from jaxcourse.grade.reports._forms import read_canvas, read_moodle
from jaxcourse.grade.reports._likeness import Solutions
from jaxcourse.grade.reports._machines import gradescope
from jaxcourse.grade.reports._words import WORDS, evidence

__all__ = ["WORDS", "entry", "evidence", "gradescope", "lesson_name", "number", "read_canvas", "read_moodle", "write"]

_NOBODY: Mapping[str, Mapping[str, str]] = {}
_NO_SOLUTIONS: Solutions = {}


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
) -> list[Path]:
    """Write all reports of a class.

    Args:
        results: what was graded, in any order. They are gone through several times and not kept, so for thousands of
            students an object that reads one after the other will do.
        out: the folder for the reports: `grades.csv`, `marks.csv`, `grades.json`, `junit.xml`, `class.html`,
            `alike.html` if any answers are, and a page for each student in `feedback`; with the options also
            `canvas.csv` and `moodle.csv`, and beside them, in `canvas_notes.txt` and `moodle_notes.txt`, who could not
            be matched.
        title: of the pages, such as "Memory layout, autumn 2026".
        columns: further columns for `grades.csv`, by student's key and heading, such as a roster's section.
        notes: what else an instructor should know, for the page of the class.
        solutions: the lessons' own answers, which do not count where answers are compared with each other.
        canvas: a gradebook exported by Canvas, to be filled in; `moodle`, a grading worksheet of Moodle.

    Returns:
        The files that were written.

    Raises:
        TypeError: `results` can be gone through only once.
        ValueError: a form could not be filled in; every other report is written. See also `read_canvas`, `read_moodle`.
        OSError: the folder cannot be written, or the disk is full.
    """
    if isinstance(results, Iterator):
        raise TypeError(
            "results are gone through several times: give a list, or an object whose __iter__ starts again."
        )
    title = shown(title, 200)
    entries = in_order(results)
    found = facts(entries)
    pairs = _likeness.shown_pairs(_likeness.alike(results, solutions), results)
    filled, faults = _fill(entries, found, {"canvas": canvas, "moodle": moodle})
    told = [*notes, *(f"{name}: {note}" for name, text in filled.items() for note in text.notes), *map(str, faults)]
    reports: dict[str, Callable[[], str]] = {
        "grades.csv": lambda: _tables.grades(entries, columns),
        "marks.csv": lambda: _tables.marks(entries),
        "grades.json": lambda: _machines.grades(entries, found, title),
        "junit.xml": lambda: _machines.junit(entries, title),
        "class.html": lambda: _pages.the_class(entries, found, title, told, len(pairs)),
        **({"alike.html": lambda: _pages.the_alike(pairs, title)} if pairs else {}),
        **{f"{name}.csv": partial(str, form.text) for name, form in filled.items()},
        **{f"{name}_notes.txt": partial("\n".join, (*form.notes, "")) for name, form in filled.items()},
    }
    if not pairs:  # of an earlier run
        (out / "alike.html").unlink(missing_ok=True)
    for name, report in reports.items():  # one text at a time: for thousands of students they are long
        atomic_write(out / name, report())
    pages = _write_pages(results, entries, out / "feedback", title)
    if faults:
        raise faults[0]
    return [*(out / name for name in reports), *sorted(pages)]


def _fill(
    entries: Sequence[Entry], found: Facts, forms: Mapping[str, Path | None]
) -> tuple[dict[str, _forms.Filled], list[ValueError]]:
    """Fill in the forms; one that is broken does not take the other reports with it."""
    filled: dict[str, _forms.Filled] = {}
    faults: list[ValueError] = []
    for name, path in forms.items():
        try:
            if path is not None:
                filled[name] = _FORMS[name](entries, found, path)
        except ValueError as fault:
            faults.append(fault)
    return filled, faults


_FORMS = {
    "canvas": lambda entries, found, path: _forms.canvas(entries, found, read_canvas(path)),
    "moodle": lambda entries, found, path: _forms.moodle(entries, found, read_moodle(path)),
}


def _write_pages(results: Iterable[Result], entries: Sequence[Entry], folder: Path, title: str) -> list[Path]:
    """Write the pages of all students; several at once, because each waits for the disk."""
    pages = _rendered(results, Counter(item.page for item in entries), folder, title)
    written: list[Path] = []
    with ThreadPoolExecutor(_WRITERS) as pool:
        while batch := list(islice(pages, 8 * _WRITERS)):
            written += pool.map(_write_page, batch)
    return written


_WRITERS = 8


def _write_page(page: tuple[Path, str]) -> Path:
    atomic_write(*page)
    return page[0]


def _rendered(
    results: Iterable[Result], left: Mapping[str, int], folder: Path, title: str
) -> Iterator[tuple[Path, str]]:
    """Each student's page, as soon as all of the student's results have come by."""
    waiting: dict[str, list[Entry]] = {}
    for item in (entry(result, code=True) for result in results):
        found = waiting.setdefault(item.page, [])
        found.append(item)
        if len(found) == left[item.page]:
            yield folder / f"{item.page}.html", _page(waiting.pop(item.page), title)


def _page(entries: Sequence[Entry], title: str) -> str:
    """A student's page; if it cannot be made, one that says so, because everybody else's can."""
    try:
        return _pages.feedback(entries, title)
    except Exception as error:
        return f"<!doctype html><title>No page</title><p>This page could not be made ({type(error).__name__})."
