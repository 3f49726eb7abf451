"""The forms of learning platforms, filled in: Canvas's gradebook and Moodle's grading worksheet.

A form comes back with its rows, columns, ids and order as they were; only the cells of grades change. Both forms are
read again by the platform that wrote them, so their texts get no apostrophe before what looks like a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxcourse_grade._records import Mark, Result
from jaxcourse_grade.intake import Person, Roster, earlier, kind_of, match
from jaxcourse_grade.reports._entry import Entry, lesson_name, number, printable
from jaxcourse_grade.reports._facts import Facts
from jaxcourse_grade.reports._text import rich, whole
from jaxcourse_grade.reports._words import WORDS, decision_text


@dataclass(frozen=True)
class Form:
    """A table as a platform exported it.

    Attributes:
        path: the file.
        rows: all cells, the headings first; each row as long as the headings.
        delimiter, newline, bom: how the file is written.
    """

    path: Path
    rows: tuple[tuple[str, ...], ...]
    delimiter: str
    newline: str
    bom: bool

    @property
    def head(self) -> tuple[str, ...]:
        """The headings."""
        return self.rows[0]

    def text(self, rows: Iterable[Sequence[str]]) -> str:
        """Other rows, written as this file is."""
        file = io.StringIO()
        csv.writer(file, delimiter=self.delimiter, lineterminator=self.newline).writerows(rows)
        return ("\ufeff" if self.bom else "") + file.getvalue()

    def fault(self, row: int, what: str) -> ValueError:
        """An error that names the file and the row, counted from 1 as a spreadsheet does."""
        return ValueError(f"{self.path.name}, row {row + 1}: {what}")


@dataclass(frozen=True)
class FilledForm:
    """A form that was filled in, and what an instructor should know before it is uploaded."""

    text: str
    notes: tuple[str, ...]


def _read_form(path: Path) -> Form:
    raw = path.read_bytes()
    if kind := kind_of(raw):
        raise ValueError(f"{path.name} is {kind}, and no CSV file: export it again as CSV.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        again = "export it again, and do not save it in a spreadsheet in between"
        raise ValueError(f"{path.name} is not written in UTF-8, as the platform does: {again}.") from fault
    first = text.splitlines()[0] if text.strip() else ""
    delimiter = max(",;\t", key=first.count)
    rows = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)]
    wide = max(map(len, rows[:1]), default=0)
    rows = [(*row, *[""] * (wide - len(row))) for row in rows]
    newline = "\r\n" if "\r\n" in text else "\n"
    return Form(path, tuple(rows), delimiter, newline, raw.startswith(b"\xef\xbb\xbf"))


def _table(path: Path) -> Form:
    """The form, with every row as wide as its headings.

    Raises:
        ValueError: it is not CSV, is empty, or has a row with more cells than headings.
    """
    try:
        form = _read_form(path)
    except csv.Error as fault:
        raise ValueError(f"{path.name} cannot be read as CSV ({fault}): export it again.") from fault
    if not form.rows:
        raise ValueError(f"{path.name} is empty: export it again.")
    for i, row in enumerate(form.rows):
        if len(row) > len(form.head):
            raise form.fault(i, f"{len(row)} cells stand under {len(form.head)} headings. Export the file again.")
    return form


def _value(text: str) -> float:
    """A number as either platform writes it, with a decimal point or comma; 0 if there is none."""
    plain = re.sub(r"[.,](?=.*[.,])", "", text.strip()).replace(",", ".")
    return float(plain) if re.fullmatch(r"\d+(\.\d*)?", plain) else 0.0


def _scaled(points: float, out_of: float, maximum: float) -> str:
    return number(points * maximum / out_of) if maximum and out_of else number(points)


# -- who is who -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Matches:
    """Which results belong to which row of a form, and what is said about those that belong to none or to several."""

    rows: dict[int, list[Entry]]
    notes: tuple[str, ...]


def _meet(entries: Sequence[Entry], people: Sequence[Person], platform: str = "") -> _Matches:
    """Match students and the rows of a form, whose `line` is the row; nobody is guessed.

    Args:
        entries: the results.
        people: the rows.
        platform: whose numbers they have.
    """
    names = {item.key: item.result.name for item in entries}
    pages = {item.key: f"{item.result.name} ({item.result.student})" for item in entries}
    platforms = {item.key: item.result.platform for item in entries}
    matched = match(names, Roster(tuple(people), platform), platforms)
    rows: dict[int, list[Entry]] = {}
    for item in entries:
        if item.key in matched.found:
            rows.setdefault(matched.found[item.key].line, []).append(item)
    twice = {row: keys for row, found in rows.items() if len(keys := {item.key for item in found}) > 1}
    notes = [f"Not entered, matches nobody: {pages[key]}." for key in matched.unknown]
    notes += [f"Not entered, matches several people: {pages[key]}." for key in matched.ambiguous]
    for row, keys in twice.items():
        notes.append(f"Not entered, all match one person: {', '.join(sorted(pages[key] for key in keys))}.")
        del rows[row]
    return _Matches(rows, tuple(notes))


def _zeros(met: _Matches) -> list[str]:
    results = [item.result for found in met.rows.values() for item in found]
    zero = [result for result in results if not (result.is_undecided or result.points or result.excused)]
    unread = [result for result in zero if result.status == "unreadable"]
    absent = [result for result in zero if result.status == "missing"]
    return [
        *(f"Entered with 0 points, not readable: {one.name}, {one.source}: {one.reason}" for one in unread),
        *(f"Entered with 0 points, nothing was handed in: {one.name}, {lesson_name(one.lesson)}." for one in absent),
    ]


def _why_undecided(results: Iterable[Result]) -> str:
    """Why nothing is entered for somebody, if an instructor should decide first."""
    return next((f"for you to decide ({result.look})" for result in results if result.is_undecided), "")


# -- Canvas -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gradebook:
    """Canvas's gradebook: its headings, perhaps a row about posting, the row of points, then the students."""

    form: Form
    points: int
    people: tuple[Person, ...]


def read_canvas(path: Path) -> Gradebook:
    """Read a gradebook that Canvas exported.

    What it looks like is read off Canvas's exporter and importer:
    https://github.com/instructure/canvas-lms/blob/master/lib/gradebook_importer.rb

    Args:
        path: the CSV file.

    Raises:
        ValueError: it is not such a gradebook; the message says what is missing.
        OSError: it cannot be read.
    """
    form = _table(path)
    if not ({"Student", "LastName"} & set(form.head) and "ID" in form.head):
        raise form.fault(0, 'no columns "Student" and "ID", so this is not a gradebook exported by Canvas.')
    points = next((i for i, row in enumerate(form.rows) if "Points Possible" in row[0]), 0)
    if not points:
        raise form.fault(1, '"Points Possible" is missing, which Canvas writes here. Export the file again.')
    students = [(i, row) for i, row in enumerate(form.rows[points + 1 :], points + 1) if any(row)]
    people = (_canvas_person(dict(zip(form.head, row, strict=True)), i) for i, row in students)
    # Canvas's own test student has no submission.
    return Gradebook(form, points, tuple(person for person in people if person.name.strip() != "Student, Test"))


def _canvas_person(cells: dict[str, str], line: int) -> Person:
    name = cells.get("Student") or f"{cells.get('LastName', '')}, {cells.get('FirstName', '')}"
    login = cells.get("SIS Login ID", "")
    email = login if "@" in login else ""
    return Person(name=name, id=cells["ID"], sis=cells.get("SIS User ID", ""), login=login, email=email, line=line)


def canvas(entries: Sequence[Entry], facts: Facts, book: Gradebook, lessons: Iterable[str] = ()) -> FilledForm:
    """The gradebook with a column of scores for each lesson.

    A lesson's column is that of the assignment whose title names it (`01 Memory layout (4711)`); if there is none, a
    new one comes last. Scores are scaled to the column's points. Who handed in nothing of a lesson, or a file that
    could not be read, gets 0, as on the class page; who is excused (`EX`), in Canvas or by a teacher's decision, was
    not given the assignment (`N/A`), or waits for a decision stays so.

    Args:
        entries: the results.
        facts: what they say together.
        book: the gradebook.
        lessons: all that there are, for titles that name several.

    Raises:
        ValueError: the titles of several assignments name one lesson.
    """
    columns = canvas_columns(book, [lesson.stem for lesson in facts.lessons], lessons)
    met = _meet(entries, book.people)
    rows = [list(row) for row in book.form.rows]
    notes = [*met.notes, *_zeros(met)]
    for lesson in facts.lessons:
        column = columns.get(lesson.stem)
        if column is None:
            column = len(rows[0])
            for row in rows:
                row.append("")
            rows[0][column], rows[book.points][column] = lesson_name(lesson.stem), number(lesson.out_of)
            named = f"no assignment of the file names `{_topic(lesson.stem)}` in its title"
            notes.append(f"A new assignment: {rows[0][column]}. It is there because {named}.")
        notes += _enter(rows, book, met, lesson.stem, column)
    return FilledForm(book.form.text(rows), tuple(map(printable, notes)))


def _enter(rows: list[list[str]], book: Gradebook, met: _Matches, stem: str, column: int) -> list[str]:
    """Write one lesson's scores into its column; why a cell was left as it was is returned as notes."""
    maximum = _value(rows[book.points][column])
    notes = []
    for person in book.people:
        cell = rows[person.line][column].strip()
        found = [item.result for item in met.rows.get(person.line, ()) if item.result.lesson == stem]
        kept = f"it says {cell} in Canvas" if cell.upper() in ("EX", "N/A") else _why_undecided(found)
        kept = kept or ("" if found else "nothing was graded")
        if kept:
            notes.append(f"Left as it was, {kept}: {person.name}, {rows[0][column]}.")
        elif found[0].excused:
            rows[person.line][column] = "EX"
        else:
            rows[person.line][column] = _scaled(found[0].points, found[0].out_of, maximum)
    return notes


def canvas_columns(book: Gradebook, asked: Sequence[str], lessons: Iterable[str] = ()) -> dict[str, int]:
    """The column of each lesson that has one.

    Canvas puts an assignment's number behind its title, `01 Memory layout (4711)`; a column without one is a teacher's
    own, or a total of a group, and is none to be written. A title that names several lessons, as *Broadcasting puzzles*
    does, belongs to the one of which it says most; of several titles for one lesson, one that says nothing else goes
    before others.

    Args:
        book: the gradebook.
        asked: the lessons that are to be entered.
        lessons: all that there are.

    Raises:
        ValueError: the titles of several assignments name one lesson, or one title names several that are asked for.
    """
    titles = {i: _plain(match[1]) for i, title in enumerate(book.form.head) if (match := _ASSIGNMENT.fullmatch(title))}
    known = _lesson_names({*lessons, *asked}, earlier(lessons))
    named = {i: {known[name] for name in _named_most(title, known)} for i, title in titles.items()}
    columns: dict[str, int] = {}
    for stem in asked:
        before = {_plain(name) for name, now in earlier(lessons).items() if now == stem}
        exact = [i for i, title in titles.items() if title in (_plain(stem), _topic(stem))]
        exact = exact or [i for i, title in titles.items() if title in before]
        exact = exact or [i for i, title in titles.items() if re.sub(r"^\d+ ", "", title) == _topic(stem)]
        found = exact or [i for i, stems in named.items() if stem in stems]
        if len(found) > 1:
            said = ", ".join(repr(book.form.head[i]) for i in found)
            why = f"several columns could be lesson {stem}: {said}. Delete all but one from the file."
            raise book.form.fault(0, why)
        if taken := [other for other, i in columns.items() if i in found]:
            why = f"{book.form.head[found[0]]!r} names two lessons, {taken[0]} and {stem}: grade them apart."
            raise book.form.fault(0, why)
        columns |= {stem: found[0]} if found else {}
    return columns


def _lesson_names(stems: Collection[str], before: Mapping[str, str]) -> dict[str, str]:
    """The lessons by their names: of the earlier ones, those whose topic is no lesson's today."""
    topics = set(map(_topic, stems))
    return {name: now for name, now in before.items() if _topic(name) not in topics} | {stem: stem for stem in stems}


_ASSIGNMENT = re.compile(r"(.+?)\s*\(\d+\)", re.DOTALL)


def _topic(stem: str) -> str:
    return re.sub(r"^\d+ ", "", _plain(stem))


def _named_most(title: str, lessons: Iterable[str]) -> list[str]:
    """The lessons whose topics a title says, without those of which a longer topic holds all that it says."""
    topics = {stem: topic for stem in lessons if f" {(topic := _topic(stem))} " in f" {title} "}
    return [
        stem
        for stem, topic in topics.items()
        if not any(topic != other and f" {topic} " in f" {other} " for other in topics.values())
    ]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


# -- Moodle -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Worksheet:
    """Moodle's grading worksheet of one assignment: the columns that are read and written, by what they hold."""

    form: Form
    columns: dict[str, int]
    people: tuple[Person, ...]


def read_moodle(path: Path) -> Worksheet:
    """Read a grading worksheet that Moodle offers for an assignment.

    What Moodle looks for when it is uploaded:
    https://github.com/moodle/moodle/blob/main/mod/assign/feedback/offline/importgradeslib.php

    Args:
        path: the CSV file.

    Raises:
        ValueError: it is not such a worksheet, or a row has no maximum, as with a scale of words.
        OSError: it cannot be read.
    """
    form = _table(path)
    columns = {heading.strip().casefold(): i for i, heading in enumerate(form.head)}
    lacking = [name for name in ("identifier", "grade", "maximum grade") if name not in columns]
    if lacking:
        what = "this is not a grading worksheet in English: download it in English"
        raise form.fault(0, f"no column {', '.join(map(repr, lacking))}: {what}.")
    students = [(i, row) for i, row in enumerate(form.rows[1:], 1) if any(row)]
    for i, row in students:
        if not _value(row[columns["maximum grade"]]):
            raise form.fault(i, "the maximum grade is not a number: give the assignment points in Moodle, not a scale.")
    return Worksheet(form, columns, tuple(_moodle_person(row, columns, i) for i, row in students))


def _moodle_person(row: Sequence[str], columns: dict[str, int], line: int) -> Person:
    cell = {name: row[i].strip() for name, i in columns.items()}
    identifier = re.sub(r"\D", "", cell["identifier"])
    name = cell.get("full name", "") or cell["identifier"]
    sis, email, login = cell.get("id number", ""), cell.get("email address", ""), cell.get("username", "")
    return Person(name=name, id=identifier, sis=sis, login=login, email=email, line=line)


def moodle(entries: Sequence[Entry], facts: Facts, sheet: Worksheet) -> FilledForm:
    """The worksheet with grades and feedback comments.

    A worksheet belongs to one assignment: all lessons that were graded count together, scaled to its maximum. Who
    handed in nothing, or a file that could not be read, gets 0. What a teacher excused does not count. The grade of who
    is excused from everything is left alone, and so is one that Moodle would not change, or that waits for a decision.
    Moodle takes no grade above the maximum: who has more gets the maximum, and is named.
    """
    met = _meet(entries, sheet.people, "Moodle")
    rows = [list(row) for row in sheet.form.rows]
    notes = [*met.notes, *_zeros(met)]
    lessons = {lesson.stem: lesson.out_of for lesson in facts.lessons}
    for person in sheet.people:
        found = [item.result for item in met.rows.get(person.line, ())]
        out_of = sum((lessons | {result.lesson: result.out_of for result in found if _is_eased(result)}).values())
        locked = _is_locked(rows[person.line], sheet.columns)
        why = _why_undecided(found) or ("" if out_of and found else "excused" if found else "nothing was graded")
        if kept := "Moodle does not let it be changed" if locked else why:
            notes.append(f"Left as it was, {kept}: {person.name}.")
        else:
            notes += _grade(rows[person.line], person, found, out_of, sheet)
    return FilledForm(sheet.form.text(rows), tuple(map(printable, notes)))


def folders(entries: Sequence[Entry], sheet: Worksheet) -> dict[str, str]:
    """By the student's key, what Moodle calls a participant's folder, without what follows of the file in it."""
    named = {
        person.line: f"{person.name.replace('_', ' ')}_{person.id}_assignsubmission_file_" for person in sheet.people
    }
    met = _meet(entries, sheet.people, "Moodle")
    return {item.key: named[line].replace("/", " ") for line, found in met.rows.items() for item in found}


def _is_eased(result: Result) -> bool:
    """Whether something of it is excused."""
    return result.excused or any(mark.decision and mark.decision.excused for mark in result.marks)


def _is_locked(row: Sequence[str], columns: dict[str, int]) -> bool:
    changeable = columns.get("grade can be changed")
    return changeable is not None and row[changeable].strip().casefold() == "no"


def _grade(row: list[str], person: Person, results: Sequence[Result], out_of: float, sheet: Worksheet) -> Iterator[str]:
    """Write one student's grade; what is to be known about it is returned as notes."""
    maximum = _value(row[sheet.columns["maximum grade"]])
    points = sum(result.points for result in results)
    if points > out_of:  # Moodle skips a grade that is out of range, and says nothing
        more = _scaled(points, out_of, maximum)
        yield f"More than Moodle takes: {person.name} has {more} of {number(maximum)}; {number(maximum)} was entered."
    row[sheet.columns["grade"]] = _scaled(min(points, out_of), out_of, maximum)
    if (column := sheet.columns.get("feedback comments")) is not None:
        row[column] = "".join(_comment(result) for result in results)


def _comment(result: Result) -> str:
    """What Moodle shows the student, as the HTML that its comments are."""
    points = f"{lesson_name(result.lesson)}: {number(result.points)} of {number(result.out_of)} points."
    said = " ".join(filter(None, (points, result.reason, decision_text(result))))
    marks = result.marks if result.status == "graded" else ()
    items = "".join(f"<li>{_item(mark)}</li>" for mark in marks)
    return f"<p>{rich(said)}</p>" + (f"<ul>{items}</ul>" if items else "")


def _item(mark: Mark) -> str:
    words = WORDS[mark.status]
    head = f"{words.symbol} {mark.title or mark.exercise}: {words.student}."
    return f"{rich(head)}{whole(mark.message)}{rich(decision_text(mark))}"
