"""Who is in the class: a roster from a CSV file, and whose submission is whose.

Known are Canvas's exported gradebook, Moodle's grading worksheet and list of participants, Gradescope's roster, and any
other table with the usual headings: a name, or a first and a last name; an id, a login, an e-mail address.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from jaxcourse_grade._records import Submission
from jaxcourse_grade.intake._find import Handed

_HEADINGS = {
    "id": "id userid canvasid canvasuserid identifier participant participantid",
    "sis": "sisuserid sisid sid studentid studentnumber studentno idnumber matriculationnumber matriculation",
    "login": "login loginid sisloginid username user userlogin netid uid account githubusername github",
    "email": "email emailaddress mail mailaddress schoolemail",
    "name": "name fullname student studentname displayname sortablename",
    "first": "firstname first givenname given forename",
    "last": "lastname last surname familyname family",
}
"""What a column may be called, in lower case, letters and digits only."""
_COLUMNS = {heading: column for column, headings in _HEADINGS.items() for heading in headings.split()}
_NO_STUDENT = {"points possible", "manual posting", "muted", "student, test"}
"""What Canvas's gradebook has in rows that belong to no student."""


class RosterError(ValueError):
    """A roster is not as it should be: the file, the line, and how to fix it."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path.name}, line {line}: {problem}")


@dataclass(frozen=True)
class Person:
    """Somebody on the roster; what it does not say is empty.

    Attributes:
        name: as it is to be shown.
        id: the number in the learning platform's own pages: Canvas's user, Moodle's participant.
        sis: the number that the university assigned.
        login: the name to log in with.
        email: the address.
        line: where it stands in the file.
    """

    name: str
    id: str = ""
    sis: str = ""
    login: str = ""
    email: str = ""
    line: int = 0

    @property
    def key(self) -> str:
        """What sets this person apart: the first of `sis`, `id`, `login`, `email`, `name` that is known."""
        return self.sis or self.id or self.login or self.email or self.name


@dataclass(frozen=True)
class Roster:
    """The people of a class, in the order of the file."""

    people: tuple[Person, ...]


@dataclass(frozen=True)
class Matched:
    """Whose submission is whose.

    Attributes:
        found: the person, by the submission's key of a student.
        unknown: keys that match nobody on the roster.
        ambiguous: keys that may be several people's, and who they are.
        missing: who is on the roster, but handed in nothing that could be recognised as theirs.
    """

    found: dict[str, Person]
    unknown: tuple[str, ...]
    ambiguous: dict[str, tuple[Person, ...]]
    missing: tuple[Person, ...]


# -- reading


def read_roster(path: Path) -> Roster:
    """Read a roster.

    Args:
        path: a CSV file, its fields separated by commas, semicolons or tabs, in UTF-8, UTF-16 or latin-1.

    Raises:
        FileNotFoundError: there is no such file.
        RosterError: no column names the students, a row does not fit the headings, or two people have one number.
    """
    if not path.is_file():
        raise FileNotFoundError(f"There is no roster {path}: name a CSV file with a heading and one line per student.")
    rows = _rows(path, decoded(path.read_bytes()))
    line, headings = next(rows, (1, []))
    columns = _columns(headings)
    if not columns.keys() & {"id", "sis", "login", "email", "name", "last"}:
        wanted = "`Name`, `ID`, `Login`, `Email`, or `First name` and `Last name`"
        raise RosterError(path, line, f"no column says who a student is: it needs one of {wanted}.")
    people = [person for number, row in rows if (person := _person(path, number, row, headings, columns))]
    if not people:
        raise RosterError(path, line, "there is nobody below the headings.")
    _refuse_twins(path, people)
    return Roster(tuple(people))


def decoded(data: bytes) -> str:
    """The text of a table, however a spreadsheet wrote it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # what Excel calls Unicode text
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, with the line on which each ends."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    try:
        for row in reader:
            if any(field.strip() for field in row):
                yield reader.line_num, [field.strip() for field in row]
    except csv.Error as error:
        raise RosterError(path, reader.line_num, f"this is not CSV: {error}.") from None


def _separator(text: str) -> str:
    """The separator that gives the first line the most known headings."""
    heading = next((line for line in text.splitlines() if line.strip(" ,;\t")), ",")
    return max(",;\t", key=lambda mark: len(_columns(next(csv.reader([heading], delimiter=mark)))))


def _columns(headings: list[str]) -> dict[str, int]:
    """Where each known column stands; the first, if a heading comes twice."""
    known = [_COLUMNS.get(re.sub(r"[\W_]", "", heading.casefold())) for heading in headings]
    return {column: known.index(column) for column in known if column}


def _person(path: Path, line: int, row: list[str], headings: list[str], columns: dict[str, int]) -> Person | None:
    if any(row[len(headings) :]):
        problem = f"{len(row)} fields, and the heading has {len(headings)}: put a field with a separator in quotes."
        raise RosterError(path, line, problem)
    said = {column: row[at] for column, at in columns.items() if at < len(row)}
    name = said.pop("name", "") or " ".join(filter(None, (said.get("first"), said.get("last"))))
    if any(field.casefold() in _NO_STUDENT for field in row):
        return None
    said = {key: value for key, value in said.items() if key not in ("first", "last")}
    # Moodle's worksheet says "Participant 123" where the folders of its export have the number.
    said["id"] = re.sub(r"^\D+ (\d+)$", r"\1", said.get("id", ""))
    person = Person(name, line=line, **said)
    if not person.key:
        raise RosterError(path, line, "this row names nobody: give a name, an id, a login or an e-mail address.")
    return person if name else replace(person, name=person.key)


def _refuse_twins(path: Path, people: Iterable[Person]) -> None:
    seen: dict[tuple[str, str], Person] = {}
    for person in people:
        for column in ("id", "sis", "login", "email"):
            value = getattr(person, column).casefold()
            twin = seen.setdefault((column, value), person) if value else person
            if twin is not person:
                raise RosterError(path, person.line, f"the {column} {value!r} is also in line {twin.line}.")
    keys: dict[str, Person] = {}
    for person in people:
        if keys.setdefault(person.key, person) is not person:
            problem = f"{person.key!r} is also in line {keys[person.key].line}: give an id or an e-mail address."
            raise RosterError(path, person.line, problem)


# -- matching


def match(names: Mapping[str, str], roster: Roster) -> Matched:
    """Say whose submissions are whose: by number, login or e-mail address, else by name.

    A name is compared without case, accents, spaces and the order of its parts, and in full: `J. Doe` matches nobody.

    Args:
        names: what to show for each student's key.
        roster: the class.

    Example:
        >>> roster = Roster((Person("Doe, Jané", id="7"), Person("Ann Roe", login="aroe"), Person("Tom Tarn")))
        >>> matched = match({"doe_jane": "doe jane", "AROE": "AROE", "x": "x"}, roster)
        >>> [person.name for person in matched.found.values()], matched.unknown, matched.missing[0].name
        (['Doe, Jané', 'Ann Roe'], ('x',), 'Tom Tarn')
    """
    tiers = [_index(roster.people, of) for of in (_numbers, _local_part, _spellings)]
    candidates = {key: _candidates(key, name, tiers) for key, name in names.items()}
    found = {key: people[0] for key, people in candidates.items() if len(people) == 1}
    met = set(found.values())
    return Matched(
        found,
        tuple(key for key, people in candidates.items() if not people),
        {key: tuple(people) for key, people in candidates.items() if len(people) > 1},
        tuple(person for person in roster.people if person not in met),
    )


def enrol(pairs: Iterable[tuple[Handed, Submission]], matched: Matched) -> Iterator[tuple[Handed, Submission]]:
    """Give submissions the roster's keys and names, before `choose`: two keys of one person become one."""
    for handed, submission in pairs:
        person = matched.found.get(submission.student)
        yield handed, replace(submission, student=person.key, name=person.name) if person else submission


_Index = dict[str, list[Person]]


def _index(people: Iterable[Person], of: Callable[[Person], set[str]]) -> _Index:
    index: _Index = {}
    for person in people:
        for value in of(person) - {""}:
            index.setdefault(value, []).append(person)
    return index


def _numbers(person: Person) -> set[str]:
    return {value.casefold() for value in (person.id, person.sis, person.login, person.email)}


def _local_part(person: Person) -> set[str]:
    """An address without its domain, which is the login at most universities."""
    return {person.email.partition("@")[0].casefold()}


def _candidates(key: str, name: str, tiers: list[_Index]) -> list[Person]:
    """The people that a key, or a name, may be, by the surest way that finds any."""
    numbers, local_parts, names = tiers
    for index, looks in ((numbers, _folded), (local_parts, _folded), (names, _sorted_words)):
        people = {person: None for text in (key, name) for look in looks(text) for person in index.get(look, ())}
        if people:
            return list(people)
    return []


def _folded(text: str) -> list[str]:
    return [text.casefold()]


# What Unicode does not take apart into a letter and an accent.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


def _words(name: str) -> list[list[str]]:
    """The words of a name without case and accents, in each way of writing it without accents."""
    plain = unicodedata.normalize("NFC", name.casefold())
    return [_bare(plain).split(), _bare(plain.translate(_UMLAUTS)).split()]


def _bare(name: str) -> str:
    taken_apart = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    letters = re.sub(r"[\u0300-\u036f'’`]", "", taken_apart)  # no other script's marks: there they are letters
    return "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in letters)


def _spellings(person: Person) -> set[str]:
    """How a name may be written: its words in any order, or all in one as in Canvas's `doejane`."""
    ways = _words(person.name)
    turned = {"".join(words[turn:] + words[:turn]) for words in ways for turn in range(len(words))}
    return turned | {" ".join(sorted(words)) for words in ways}


def _sorted_words(name: str) -> list[str]:
    return [" ".join(sorted(words)) for words in _words(name)]
