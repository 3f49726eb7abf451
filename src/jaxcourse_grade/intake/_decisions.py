"""What a teacher decided, and when a lesson was due: it comes from outside of the grader, and is read at each run."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from jaxcourse.course import nearest
from jaxcourse.moments import moment
from jaxcourse_grade._records import Decision, Submission
from jaxcourse_grade.intake._lessons import (
    Called,
    Lessons,
    earlier,
    exercise_today,
    home_of,
    lesson_in_name,
    today,
)
from jaxcourse_grade.intake._roster import Person, Roster, match
from jaxcourse_grade.intake._text import decoded, kind_of

_HEADINGS = ("student", "lesson", "exercise", "points", "comment")
_NEEDED = ("student", "lesson", "points")
NO_EXERCISE = ("", "none", "all", "-")
"""What stands where no exercise is meant."""


class MarksError(ValueError):
    """A file of decisions is not as it should be: the file, the line, and how to fix it."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path.name}, line {line}: {problem}")


@dataclass(frozen=True)
class Line:
    """One line of `marks.csv`.

    Attributes:
        number: where it stands in the file.
        student: who, in the teacher's words.
        lesson: its stem.
        exercise: its name; empty if the whole lesson is meant.
        decision: what was decided.
        called: an earlier name of the lesson, by which the line calls it; else empty.
        doubt: what to say where the line may mean another lesson; else empty.
    """

    number: int
    student: str
    lesson: str
    exercise: str
    decision: Decision
    called: str = ""
    doubt: str = ""


@dataclass(frozen=True)
class Decided:
    """A teacher's decisions on the rows of a class.

    Attributes:
        found: by the student's key and the lesson: a decision on each exercise, or on `""`, the whole of it.
        notes: the lines that fit nobody, and those that a later line replaces.
    """

    found: Mapping[tuple[str, str], Mapping[str, Decision]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many decisions count."""
        return sum(map(len, self.found.values()))


# -- reading


def read_marks(path: Path, lessons: Lessons) -> list[Line]:
    """Read a teacher's decisions.

    Args:
        path: a CSV file with the headings `student`, `lesson`, `points`, and perhaps `exercise` and `comment`. A lesson
            is named by its stem, its number or its topic; points are a number, `excused`, or nothing, if the line is a
            comment only.
        lessons: the exercises of each lesson.

    Raises:
        OSError: the file cannot be read.
        MarksError: a heading is missing, or a line says what cannot be.
    """
    rows = rows_of(path)
    number, head = next(rows, (1, []))
    columns = [heading.casefold() for heading in head]
    if lacking := [name for name in _NEEDED if name not in columns]:
        raise MarksError(path, number, f"no column {' or '.join(map(repr, lacking))}: it needs {', '.join(_HEADINGS)}.")
    return [_line(path, number, dict(zip(columns, row, strict=False)), lessons) for number, row in rows]


def rows_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a teacher's table that hold anything, each with its line.

    Raises:
        OSError: the file cannot be read.
        MarksError: it is no CSV file.
    """
    data = path.read_bytes()
    if kind := kind_of(data):
        raise MarksError(path, 1, f"this is {kind}, and no CSV file: save it as `CSV UTF-8`, and name that file.")
    text, _ = decoded(data)
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise MarksError(path, reader.line_num, f"this is not CSV: {error}.") from None


def _line(path: Path, number: int, cells: Mapping[str, str], lessons: Lessons) -> Line:
    # A spreadsheet makes 1 of 01.
    said = cells.get("lesson", "")
    found = Called(said, said) if said in lessons else lesson_in_name(said.zfill(2), lessons)
    if not found.lesson:
        raise MarksError(path, number, f"there is no lesson {said!r}; there are {', '.join(lessons)}.")
    exercise = cells.get("exercise", "")
    exercise = "" if exercise.casefold() in NO_EXERCISE else exercise_today(exercise, lessons)
    called = found.name if found.name != found.lesson else ""
    lesson = (called and exercise and home_of(exercise, lessons)) or found.lesson
    if exercise and exercise not in lessons[lesson]:
        raise MarksError(path, number, f"{lesson} has no exercise {exercise!r}; {_nearest(exercise, lesson, lessons)}")
    if not cells.get("student"):
        raise MarksError(path, number, "it names no student.")
    try:
        decision = _decision(cells.get("points", ""), cells.get("comment", ""))
    except ValueError as error:
        raise MarksError(path, number, str(error)) from None
    return Line(number, cells["student"], lesson, exercise, decision, called, found.doubt)


def _nearest(exercise: str, lesson: str, lessons: Lessons) -> str:
    """What a line may mean by an exercise that its lesson has not."""
    if home := earlier(lessons) and home_of(exercise, lessons):
        return f"it is one of {home}."
    near = nearest(exercise, lessons[lesson])
    return f"did you mean {near!r}?" if near else f"it has {', '.join(sorted(lessons[lesson]))}."


def _decision(points: str, comment: str) -> Decision:
    """What one line decides.

    Example:
        >>> _decision("1,5", ""), _decision("Excused", "ill").excused
        (Decision(points=1.5, excused=False, comment=''), True)
    """
    if points.casefold() == "excused":
        return Decision(None, True, comment)
    if not points and not comment:
        raise ValueError("it says neither points, nor `excused`, nor a comment.")
    if points and not re.fullmatch(r"\d+([.,]\d*)?", points):
        raise ValueError(f"points are a number or `excused`, and not {points!r}.")
    return Decision(float(points.replace(",", ".")) if points else None, False, comment)


# -- whom they are about


def decide(
    lines: Sequence[Line],
    rows: Iterable[Submission],
    columns: Mapping[str, Mapping[str, str]],
    file: str,
    uncounted: Collection[str] = (),
    worth: Mapping[tuple[str, str], float] = MappingProxyType({}),
) -> Decided:
    """Say which row each decision is about; nobody is guessed.

    Args:
        lines: what was decided.
        rows: of the class: what was handed in, and who is missing.
        columns: what a roster says of a student's key.
        file: what the notes call the file.
        uncounted: the exercises that do not count in this run.
        worth: how many points there are, by the lesson and the exercise, or `""` for all of it; who gives more is told.

    Example:
        >>> lines = [Line(2, "Ada", "01_toy", "", Decision(3.0)), Line(3, "Bob", "01_toy", "", Decision(1.0))]
        >>> decided = decide(lines, [Submission("7", "Ada", "01_toy", "ada.ipynb")], {}, "marks.csv")
        >>> decided.found[("7", "01_toy")][""].points, decided.notes
        (3.0, ('marks.csv, line 3, fits nobody and was not used: nobody here is Bob.',))
    """
    rows = list(rows)
    there = {(row.student, row.lesson) for row in rows}
    people = {row.student: _person(row, columns.get(row.student, {})) for row in rows}
    matched = match({line.student: line.student for line in lines}, Roster(tuple(people.values())))
    found: dict[tuple[str, str], dict[str, Decision]] = {}
    places: dict[tuple[str, str, str], int] = {}
    notes = list(_by_name(lines, file))
    for line in lines:
        person = matched.found.get(line.student)
        several = [f"{one.name} ({one.key})" for one in matched.ambiguous.get(line.student, ())]
        if person is None or (person.key, line.lesson) not in there:
            notes.append(f"{file}, line {line.number}, fits nobody and was not used: {_why(line, person, several)}.")
            continue
        if line.exercise in uncounted:
            notes.append(f"{file}, line {line.number}, was not used: {line.exercise} does not count.")
            continue
        place = person.key, line.lesson, line.exercise
        if place in places:
            notes.append(f"{file}, line {line.number}, replaces line {places[place]}.")
        places[place] = line.number
        most = worth.get((line.lesson, line.exercise), math.inf)
        if (line.decision.points or 0) > most:
            notes.append(
                f"{file}, line {line.number}, gives more than there is: {line.decision.points:g} of {most:g} for "
                f"{line.exercise or line.lesson}."
            )
        found.setdefault(place[:2], {})[line.exercise] = line.decision
    return Decided(found, tuple(notes))


def _by_name(lines: Iterable[Line], file: str) -> Iterator[str]:
    """What to say of lines that call a lesson by an earlier name, or by a number that has been another's."""
    for line in lines:
        if line.called and not line.exercise:
            yield (
                f"{file}, line {line.number}, calls {line.lesson} by an earlier name, {line.called}, and is on all "
                f"that {line.lesson} has today: if exercises of it are in other lessons now, add lines for these."
            )
        if line.doubt:
            yield f"{file}, line {line.number}: {line.doubt}"


def _person(row: Submission, said: Mapping[str, str]) -> Person:
    number, login, email = (said.get(name, "") for name in ("id", "login", "email"))
    return Person(row.name, number, row.student, login, email)


def _why(line: Line, person: Person | None, several: Sequence[str]) -> str:
    if person:
        return f"{line.student} has no row for {line.lesson}"
    return f"{line.student} may be {' or '.join(several)}" if several else f"nobody here is {line.student}"


# -- when it was due


def due_times(orders: Sequence[str], lessons: Lessons) -> dict[str, datetime]:
    """When each lesson is due.

    Args:
        orders: each `[LESSON=]TIME`: for one lesson, or for all that have no time of their own. A time is a date and a
            time of day in ISO 8601 with an offset, or followed by the name of a time zone.
        lessons: those that there are.

    Raises:
        ValueError: there is no such lesson, or it is no time, or has no time zone.

    Example:
        >>> lessons = {"01_toy": frozenset(), "02_toy": frozenset()}
        >>> found = due_times(["2026-11-20 23:59 Europe/Berlin", "02_toy=2026-12-01T08:00Z"], lessons)
        >>> [when.isoformat() for when in found.values()]
        ['2026-11-20T23:59:00+01:00', '2026-12-01T08:00:00+00:00']
    """
    found: dict[str, datetime] = {}
    by: dict[str, str] = {}
    for order in orders:
        said, _, text = order.rpartition("=")
        stem = today(said, lessons)
        if said and not stem:
            raise ValueError(f"--due {order}: there is no lesson {said!r}; there are {', '.join(lessons)}.")
        if by.setdefault(stem, said) != said:
            raise ValueError(f"--due {order}: {by[stem]} and {said} are one lesson, {stem}: say once when it is due.")
        found[stem] = _moment(order, text)
    everybodys = found.pop("", None)
    return {stem: when for stem in lessons if (when := found.get(stem, everybodys))}


def _moment(order: str, text: str) -> datetime:
    try:
        return moment(text)
    except ValueError as error:
        raise ValueError(f"--due {order}: {error}") from None
