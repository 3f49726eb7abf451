"""What a class misunderstood over lessons and terms, from the folders that `jaxcourse grade` wrote."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from jaxcourse.course import Course
from jaxcourse_grade import analysis, intake, reports
from jaxcourse_grade._keeping import exposure_notes, hide_from_git, make_private
from jaxcourse_grade._records import SCHEMA, Decision, Result
from jaxcourse_grade._store import atomic_write, result_file

Say = Callable[[str], None]
SECRET = ".secret"
"""The file from which students' other names follow; whoever has it can tell who is who."""
_BROKEN = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading a file raises that is not as the grader wrote it."""


class CannotAnalyse(ValueError):
    """The folders cannot be analysed like this: what is wrong, and what to do."""


@dataclass(frozen=True)
class Run:
    """A folder that `jaxcourse grade` wrote.

    Attributes:
        term: to which it belongs.
        folder: where it is.
        name: what it is called in its term, in which it is unique.
        place: its place in its term, counted from 1: the later runs are the later hand-ins.
    """

    term: str
    folder: Path
    name: str
    place: int = 1


def runs(arguments: Sequence[str]) -> list[Run]:
    """The runs that a command line names, each as `FOLDER` or `TERM=FOLDER`.

    Without a term, it is the name of the folder around it: weekly runs of one class lie in one folder.

    Raises:
        CannotAnalyse: there is no such folder, or it is named twice.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as place:
        ...     Path(place, "class", "grades").mkdir(parents=True)
        ...     here = f"{place}/class/grades"
        ...     [run.term for each in ([here], [f"2026={here}"]) for run in runs(each)]
        ['class', '2026']
    """
    found = [_run(argument) for argument in arguments]
    if twice := [str(path) for path, n in Counter(run.folder.resolve() for run in found).items() if n > 1]:
        raise CannotAnalyse(f"{twice[0]} is named twice: name each folder once.")
    alike = Counter((run.term, run.name) for run in found)
    named = [run if alike[run.term, run.name] == 1 else replace(run, name=str(run.folder)) for run in found]
    terms = [run.term for run in named]
    return [replace(run, place=terms[: i + 1].count(run.term)) for i, run in enumerate(named)]


def _run(argument: str) -> Run:
    term, equals, path = argument.partition("=")
    folder = Path(path) if equals and not Path(argument).exists() else Path(argument)
    if not folder.is_dir():
        raise CannotAnalyse(f"there is no folder {folder}: name one that `jaxcourse grade` wrote, as --out says.")
    around = folder.resolve().parent.name or folder.resolve().name
    said = term if folder != Path(argument) else ""
    return Run(said or around, folder, folder.resolve().name)


# -- what a run found -------------------------------------------------------------------------------------------


def results(run: Run) -> Iterator[tuple[str, Result]]:
    """The results of a run, as its reports tell them, with a teacher's decisions; and the key of each one's student.

    Raises:
        CannotAnalyse: a file is missing, broken, or of another run; its name is in the message.
    """
    for row in _rows_of(run.folder / "grades.json"):
        try:
            page, lesson = Path(row["feedback"]).stem, row["lesson"]
            asked = {mark["exercise"]: mark for mark in row["exercises"]}
            excused = [name for name, mark in asked.items() if "excused" in (mark["decision"], row["decision"])]
        except _BROKEN as error:
            raise _damage_error(run.folder / "grades.json", error) from error
        path = run.folder / "results" / result_file(page, lesson)
        kept = reports.entry(_read_result(path)).result
        found = kept.without({mark.exercise for mark in kept.marks} - asked.keys())
        if {mark.exercise: mark.status for mark in found.marks} != {name: one["status"] for name, one in asked.items()}:
            raise CannotAnalyse(f"{path} is of another run than grades.json: run `jaxcourse grade` to its end again.")
        yield page, found.with_decisions(dict.fromkeys(excused, Decision(excused=True)))


def _rows_of(path: Path) -> list[dict[str, Any]]:
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        schema, rows = index["schema"], index["results"]
    except FileNotFoundError:
        raise CannotAnalyse(
            f"there is no {path}: name a folder that `jaxcourse grade` wrote, and let it come to its end."
        ) from None
    except _BROKEN as error:
        raise _damage_error(path, error) from error
    if schema != SCHEMA or not isinstance(rows, list):
        raise CannotAnalyse(
            f"{path} was written by another version of the grader: run `jaxcourse grade` into that folder again."
        )
    return rows


def _read_result(path: Path) -> Result:
    try:
        return Result.from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise CannotAnalyse(f"{path} is missing, which grades.json names: run `jaxcourse grade` again.") from None
    except _BROKEN as error:
        raise _damage_error(path, error) from error


def _damage_error(path: Path, error: Exception) -> CannotAnalyse:
    what = f"{type(error).__name__}: {str(error)[:200]}"
    return CannotAnalyse(f"{path} is damaged ({what}): delete it, and run `jaxcourse grade` again.")


def _today(result: Result, lessons: intake.Lessons) -> Iterator[Result]:
    """A result by the names of today: one for each lesson that has exercises of it."""
    now = intake.today(result.lesson, lessons) or result.lesson
    marks = [replace(mark, exercise=intake.exercise_today(mark.exercise, lessons)) for mark in result.marks]
    homes = [intake.home_of(mark.exercise, lessons) or now for mark in marks]
    for stem in dict.fromkeys(homes):
        own = tuple(mark for mark, home in zip(marks, homes, strict=True) if home == stem)
        yield replace(result, lesson=stem, marks=own)


# -- all of it --------------------------------------------------------------------------------------------------


def analyse(
    arguments: Sequence[str], course: Course, say: Say, *, out: Path | None = None, names: bool = False, title: str = ""
) -> list[Path]:
    """Analyse what was graded, and write `analysis.csv` and `analysis.html`.

    Args:
        arguments: see `runs`.
        course: the course of today, which says what exercises are called and which ideas they train.
        say: shows a line to the instructor.
        out: the folder for what is written; if none is named, `analysis` beside the last folder.
        names: whether what is written says who the students are. Without it, a room may read what is written, so that
            what a lesson withholds today is left out.
        title: of the page.

    Returns:
        What was written.

    Raises:
        CannotAnalyse: see `runs` and `results`.
        OSError: a file cannot be read or written.
    """
    given = runs(arguments)
    place = out or given[-1].folder.resolve().parent / "analysis"
    lessons = intake.Taught.of(course)
    graded = [(run, page, one) for run in given for page, each in results(run) for one in _today(each, lessons)]
    if not any(result.marks for _, _, result in graded):
        raise CannotAnalyse(f"{', '.join(str(run.folder) for run in given)}: nobody was graded there.")
    kept = {} if names else _lessons_withheld(course, {result.lesson for _, _, result in graded})
    graded = [one for one in graded if one[2].lesson not in kept]
    if not any(result.marks for _, _, result in graded):
        raise CannotAnalyse(f"nothing else was graded. {' '.join(kept.values())}")
    make_private(place)
    hide_from_git(place)
    notes = [*_terms(given), *exposure_notes(place, ()), *_unknown_notes(graded, lessons), *kept.values()]
    for note in notes:
        say(note)
    found = _all_rows(graded, course, partial(_alias, _secret(place / SECRET)))
    last = [row for row in found if row.term == given[-1].term]
    slides = analysis.slides(analysis.mistakes(last), partial(analysis.prediction_of, course))
    page = reports.analysis_page(found, slides, title or "What the class misunderstood", names=names, notes=notes)
    written = {place / "analysis.csv": reports.analysis_table(found, names), place / "analysis.html": page}
    for path, text in written.items():
        atomic_write(path, text)
    return list(written)


def _all_rows(
    graded: Sequence[tuple[Run, str, Result]], course: Course, alias: Callable[[str], str]
) -> list[analysis.Row]:
    """The rows of all runs. A run has its students by their other names: the order of the reports is that of names."""
    known = analysis.known_exercises(course, {result.lesson for _, _, result in graded})
    runs = list(dict.fromkeys(run for run, _, _ in graded))
    found = [
        row
        for run, page, result in sorted(graded, key=lambda one: (runs.index(one[0]), alias(one[1])))
        for row in analysis.rows(result, alias(page), term=run.term, run=run.name, place=run.place, known=known)
    ]
    return analysis.with_last(found)


def _terms(given: Sequence[Run]) -> Iterator[str]:
    """How the folders were taken, where that can be taken otherwise."""
    if len(given) > 1:
        told = [f"{term} ({', '.join(run.name for run in given if run.term == term)})" for term in _in_order(given)]
        yield f"Terms, each with its runs, the latest last: {'; '.join(told)}. Another term is said as TERM=FOLDER."


def _in_order(given: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(run.term for run in given))


def _lessons_withheld(course: Course, stems: Collection[str]) -> dict[str, str]:
    """The lessons of which a room is told nothing today, each with the line that says so to the instructor."""
    found = {stem: course.withholds(stem) for stem in sorted(stems)}
    until = {stem: "" if why.until == "always" else f" {why.words}" for stem, why in found.items() if why}
    return {
        stem: f"Left out, because it is withheld{when}: {stem}. `--names` counts it: then show nobody the page."
        for stem, when in until.items()
    }


def _unknown_notes(graded: Sequence[tuple[Run, str, Result]], lessons: intake.Lessons) -> Iterator[str]:
    """What is not in the course of today, and what belongs to no lesson."""
    asked = {mark.exercise: result.lesson for _, _, result in graded for mark in result.marks}
    gone = sorted(name for name, stem in asked.items() if name not in lessons.get(stem, ()))
    if gone:
        yield f"Not in the course of today, and counted without an idea: {', '.join(gone)}."


def _secret(path: Path) -> bytes:
    """What students' other names follow from: kept, so that they are the same in the next analysis."""
    if not path.exists():
        atomic_write(path, secrets.token_hex(16) + "\n")
    return path.read_bytes()


def _alias(secret: bytes, page: str) -> str:
    """A name for a student from which nobody can tell who it is without the secret."""
    return "s" + hmac.new(secret, page.encode(), hashlib.sha256).hexdigest()[:10]
