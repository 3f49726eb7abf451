"""Who is in the class: a roster from a CSV file, and whose submission is whose.

Known are Canvas's exported gradebook, Moodle's grading worksheet and list of participants, Gradescope's roster, and any
other table with the usual headings: a name, or a first and a last name; an id, a login, an e-mail address.
"""

from __future__ import annotations

import csv
import functools
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType

from jaxcourse_grade._records import Submission
from jaxcourse_grade.intake._find import Handed
from jaxcourse_grade.intake._names import moment_of
from jaxcourse_grade.intake._text import GUESSED, decoded, kind_of

_HEADINGS = {
    "id": "id userid canvasid canvasuserid identifier participant participantid",
    "sis": """sisuserid sisid sid studentid studentnumber studentno idnumber matriculationnumber matriculation
        matrikelnummer matrikelnr matrikel matrnr idnummer numeroetudiant noetudiant numeroetudiante matricule
        numerodidentification numerodematricula matricula numerodeestudiante numerodeid matricola numerodimatricola
        numerodealuno studentnummer""",
    "login": """login loginid sisloginid username user userlogin netid uid account githubusername github
        benutzername benutzerkennung kennung anmeldename identifiant nomdutilisateur nombredeusuario usuario""",
    "email": """email emailaddress mail mailaddress schoolemail emailadresse mailadresse courriel adressedecourriel
        adresseemail adressemail adresseelectronique correo correoelectronico direcciondecorreo direccionemail
        direcciondecorreoelectronico indirizzoemail enderecodeemail emailadres""",
    "full": """fullname student studentname displayname sortablename vollstandigername vollername nomcomplet
        nomprenom nombrecompleto nomecompleto cognomenome nomecognome volledigenaam""",
    "name": "name nom nombre nome naam",
    "first": "firstname first givenname given forename vorname vornamen rufname prenom prenoms nombres voornaam",
    "last": """lastname last surname familyname family nachname familienname zuname nomdefamille
        apellido apellidos cognome sobrenome apelido achternaam""",
    "group": "group groups team teamname groupname gruppe gruppen gruppenname groupe groupes equipe grupo grupos",
    "role": "role roles rolle rollen rol",
    "status": "status",
    "handed": "lastmodifiedsubmission",
}
"""What a column may be called, in lower case, letters and digits only, without accents. `name` is a full name, or what
of it no other column has."""
_COLUMNS = {heading: column for column, headings in _HEADINGS.items() for heading in headings.split()}
_WHO = {"id", "sis", "login", "email", "full", "name", "last"}
"""The columns of which one says who somebody is."""
_NO_STUDENT = {"points possible", "manual posting", "muted", "student, test"}
"""What Canvas's gradebook has in rows that belong to no student."""
_SUMS = set(
    [
        "total",
        "totals",
        "sum",
        "average",
        "averages",
        "mean",
        "median",
        "maximum",
        "count",
        "summe",
        "gesamt",
        "durchschnitt",
        "mittelwert",
        "anzahl",
        "somme",
        "moyenne",
        "effectif",
        "suma",
        "promedio",
    ]
)
"""What stands in a row below the students, where a name would."""
_STAFF = re.compile(
    r"\b(?:instructors?|ta|tas|teaching assistant|reader|teacher|editing ?teacher|professor|lecturer|tutor|grader|"
    r"manager|staff|observer|designer|course creator|admin\w*|lehrende\w*|lehrer\w*|dozent\w*|tutor\w*|"
    r"enseignant\w*|profesor\w*)\b",
    re.IGNORECASE,
)
"""Roles of people who are no students."""
_DESTROYED = re.compile(r"\d([.,]\d+)?E\+\d+", re.IGNORECASE)
"""What a spreadsheet makes of a long number."""
_TITLE_LINES = 10
"""In how many of the first lines the headings are looked for."""
_CALLED = {"sis": "student number", "id": "id", "login": "login", "email": "e-mail address"}
"""What the columns are called in what is said about them."""


class RosterError(ValueError):
    """A roster is not as it should be: the file, the line, and how to fix it."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        super().__init__(f"{file}, line {line}: {problem}")


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
        group: the team or group.
        handed: when something was handed in, as Moodle's worksheet says it, in ISO 8601.
        status: what Moodle's worksheet says of that.
    """

    name: str
    id: str = ""
    sis: str = ""
    login: str = ""
    email: str = ""
    line: int = 0
    group: str = ""
    handed: str = ""
    status: str = ""

    @property
    def key(self) -> str:
        """What sets this person apart: the first of `sis`, `id`, `login`, `email`, `name` that is known."""
        return self.sis or self.id or self.login or self.email or self.name


@dataclass(frozen=True)
class Roster:
    """The people of a class, in the order of the file.

    Attributes:
        people: the students.
        platform: whose numbers the ids are, if the file says so: `Moodle`.
        notes: what an instructor should know: that its encoding was guessed, who was left out.
    """

    people: tuple[Person, ...]
    platform: str = ""
    notes: tuple[str, ...] = ()


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
        path: a CSV file, its fields separated by commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252.

    Raises:
        FileNotFoundError: there is no such file.
        RosterError: it is no CSV file, no column names the students, a row does not fit the headings, two people have
            one number, or a spreadsheet has destroyed the numbers.
    """
    if not path.is_file():
        raise FileNotFoundError(f"There is no roster {path}: name a CSV file with a heading and one line per student.")
    return roster_of(path.read_bytes(), path.name)


def roster_of(data: bytes, name: str) -> Roster:
    r"""The roster in a file's bytes; see `read_roster`.

    Args:
        data: the file.
        name: what errors call it.

    Example:
        >>> roster_of(b"sep=;\nName;Vorname;Matrikelnummer\nDoe;Jane;0012\nSumme;;1\n", "list.csv").people
        (Person(name='Jane Doe', id='', sis='0012', login='', email='', line=3, group='', handed='', status=''),)
    """
    if kind := kind_of(data):
        raise RosterError(name, 1, f"this is {kind}, and no CSV file: save it as `CSV UTF-8`, and name that file.")
    if not data.strip(b"\xef\xbb\xbf\0 \t\r\n"):
        raise RosterError(name, 1, "the file is empty: it needs a heading and one line per student.")
    text, guessed = decoded(data)
    if "\0" in text:
        raise RosterError(name, 1, "this is text in an encoding that it does not name: save it as `CSV UTF-8`.")
    line, headings, rows = _table(name, text)
    columns = _columns(headings)
    people: list[Person] = []
    staff: list[Person] = []
    for number, row in rows:
        person = _person(name, number, row, headings, columns)
        if person:
            (staff if _is_staff(row, columns) else people).append(person)
    if not people:
        raise RosterError(name, line, "there is nobody below the headings.")
    _refuse_twins(name, people)
    told = f"{name} is {GUESSED}. See whether names with accents are right; `CSV UTF-8` is always read as it is."
    notes = [told] if guessed else []
    notes += [f"No students, by the column of roles in {name}: {', '.join(p.name for p in staff)}."] if staff else []
    moodles = _plain(headings[columns["id"]]) == "identifier" if "id" in columns else False
    return Roster(tuple(people), "Moodle" if moodles else "", tuple(notes))


def _rows(file: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, with the line on which each ends."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    try:
        for row in reader:
            if any(field.strip() for field in row):
                yield reader.line_num, [field.strip() for field in row]
    except csv.Error as error:
        raise RosterError(file, reader.line_num, f"this is not CSV: {error}.") from None


def _table(file: str, text: str) -> tuple[int, list[str], Iterator[tuple[int, list[str]]]]:
    """The headings, their line, and the rows below them; lines above, such as a title or `sep=;`, are skipped."""
    rows = _rows(file, text)
    first = list(islice(rows, _TITLE_LINES))
    for at, (line, row) in enumerate(first):
        if _are_headings(row, at == 0):
            return line, row, chain(first[at + 1 :], rows)
    line, row = first[0] if first else (1, [])
    wanted = "`Name`, `ID`, `Login`, `Email`, or `First name` and `Last name`"
    found = f", and not {', '.join(map(repr, row[:6]))}" if any(row) else ""
    raise RosterError(file, line, f"no column says who a student is: it needs one of {wanted}{found}.")


def _are_headings(row: list[str], first: bool) -> bool:
    """Whether a row has headings; further below, one word that could be a heading is not enough."""
    columns = _columns(row)
    return bool(columns.keys() & _WHO) and (first or len(columns) > 1 or len(list(filter(None, row))) == 1)


def _separator(text: str) -> str:
    """The separator that `sep=;` names, or else the one that gives one of the first lines the most known headings."""
    lines = [line for line in text.splitlines() if line.strip(" ,;\t")][:_TITLE_LINES] or [","]
    if named := re.fullmatch(r'"?sep=(.)"?[,;\t]*', lines[0].strip(" ")):
        return named[1] if named[1] in ",;\t" else ","
    return max(",;\t", key=lambda mark: max(len(_columns(_split(line, mark))) for line in lines))


def _split(line: str, mark: str) -> list[str]:
    return next(csv.reader([line], delimiter=mark), [])


def _plain(heading: str) -> str:
    """A heading in lower case, letters and digits only, without accents.

    Example:
        >>> _plain("E-Mail-Adresse"), _plain("Prénom(s)")
        ('emailadresse', 'prenoms')
    """
    bare = unicodedata.normalize("NFKD", heading.casefold())
    return "".join(c for c in bare if unicodedata.category(c)[0] in "LN")


def _columns(headings: list[str]) -> dict[str, int]:
    """Where each known column stands; the first, if a heading comes twice."""
    known = [_COLUMNS.get(_plain(heading)) for heading in headings]
    return {column: known.index(column) for column in known if column}


def _person(file: str, line: int, row: list[str], headings: list[str], columns: dict[str, int]) -> Person | None:
    if any(row[len(headings) :]):
        problem = f"{len(row)} fields, and the heading has {len(headings)}: put a field with a separator in quotes."
        raise RosterError(file, line, problem)
    said = {column: row[at] for column, at in columns.items() if at < len(row)}
    name = _name(said)
    known = {key: said.get(key, "") for key in ("id", "sis", "login", "email", "group", "status")}
    if any(field.casefold() in _NO_STUDENT for field in row):
        return None
    if name.casefold().rstrip(":") in _SUMS and not (known["login"] or known["email"]):
        return None
    _refuse_destroyed(file, line, known)
    # Moodle's worksheet says "Participant 123" where the folders of its export have the number.
    known["id"] = re.sub(r"^\D+ (\d+)$", r"\1", known["id"])
    person = Person(name, line=line, handed=moment_of(said.get("handed", "")), **known)
    if not person.key:
        raise RosterError(file, line, "this row names nobody: give a name, an id, a login or an e-mail address.")
    return person if name else replace(person, name=person.key)


def _name(said: Mapping[str, str]) -> str:
    """A person's name; where a column `Name` stands beside first or last names, it may be the rest of the name.

    Example:
        >>> _name({"name": "Doe", "first": "Jane"}), _name({"name": "Jane Doe", "first": "Jane"}), _name({"last": "D"})
        ('Jane Doe', 'Jane Doe', 'D')
        >>> _name({"name": "Juana", "last": "Pérez Gil"})
        'Juana Pérez Gil'
    """
    first, name, last, full = (said.get(key, "") for key in ("first", "name", "last", "full"))
    if full or not name:
        return full or " ".join(filter(None, (first, last)))
    part = first or last
    if (first and last) or set(_bare(part.casefold()).split()) <= set(_bare(name.casefold()).split()):
        return name
    return f"{first} {name}" if first else f"{name} {last}"


def _is_staff(row: list[str], columns: dict[str, int]) -> bool:
    role = row[columns["role"]] if columns.get("role", len(row)) < len(row) else ""
    return bool(_STAFF.search(role)) and "student" not in role.casefold()


def _refuse_destroyed(file: str, line: int, known: Mapping[str, str]) -> None:
    for column, value in known.items():
        if column in _CALLED and _DESTROYED.fullmatch(value):
            raise RosterError(
                file,
                line,
                f"the {_CALLED[column]} {value!r} is what a spreadsheet made of a long number, and its last digits are "
                "lost: export the file again, and do not open it in a spreadsheet in between, or make the column text.",
            )


def _refuse_twins(file: str, people: Iterable[Person]) -> None:
    seen: dict[tuple[str, str], Person] = {}
    for person in people:
        for column in _CALLED:
            value = getattr(person, column).casefold()
            twin = seen.setdefault((column, value), person) if value else person
            if twin is not person:
                raise RosterError(file, person.line, f"the {_CALLED[column]} {value!r} is also in line {twin.line}.")
    keys: dict[str, Person] = {}
    for person in people:
        if keys.setdefault(person.key, person) is not person:
            problem = f"{person.key!r} is also in line {keys[person.key].line}: give an id or an e-mail address."
            raise RosterError(file, person.line, problem)


# -- matching

_NO_PLATFORMS: Mapping[str, str] = MappingProxyType({})


def match(names: Mapping[str, str], roster: Roster, platforms: Mapping[str, str] = _NO_PLATFORMS) -> Matched:
    """Say whose submissions are whose: by number, login or e-mail address, else by name.

    A name is compared without case, accents, spaces and the order of its parts, and in full: `J. Doe` matches nobody.
    If nothing else is found, numbers are compared without the zeros before them, which spreadsheets take away. Where a
    number is one person's and the name another's, it may be both.

    Args:
        names: what to show for each student's key.
        roster: the class.
        platforms: whose number a key is, if it is a learning platform's: that is compared with no other kind of number.

    Example:
        >>> roster = Roster((Person("Doe, Jané", id="7"), Person("Ann Roe", login="aroe"), Person("Tom Tarn")))
        >>> matched = match({"doe_jane": "doe jane", "AROE": "AROE", "x": "x"}, roster)
        >>> [person.name for person in matched.found.values()], matched.unknown, matched.missing[0].name
        (['Doe, Jané', 'Ann Roe'], ('x',), 'Tom Tarn')
    """
    tiers = _tiers(roster)
    nothing: list[_Index] = [{}, {}, tiers[2], {}]
    theirs = roster.platform == "Moodle"
    strange = {key for key, kind in platforms.items() if kind == ("Canvas" if theirs else "Moodle")}
    candidates = {key: _candidates(key, name, nothing if key in strange else tiers) for key, name in names.items()}
    found = {key: people[0] for key, people in candidates.items() if len(people) == 1}
    met = set(found.values())
    return Matched(
        found,
        tuple(key for key, people in candidates.items() if not people),
        {key: tuple(people) for key, people in candidates.items() if len(people) > 1},
        tuple(person for person in roster.people if person not in met),
    )


def enrol(pairs: Iterable[tuple[Handed, Submission]], matched: Matched) -> Iterator[tuple[Handed, Submission]]:
    """Give submissions the roster's keys and names, before `choose`: two keys of one person become one.

    A key that matches nobody is never that of somebody on the roster, whatever its number.
    """
    keys = {person.key for person in (*matched.found.values(), *matched.missing)}
    for handed, submission in pairs:
        person = matched.found.get(submission.student)
        if not person and submission.student in keys:
            submission = replace(submission, student=f"{submission.name}_{submission.student}")
        yield (
            handed,
            replace(submission, student=person.key, name=person.name, platform="") if person else submission,
        )


def is_called(person: Person, name: str) -> bool:
    """Whether a name is a person's, perhaps behind that of a team, as in Moodle's `Team A-Jane Doe`.

    Example:
        >>> [is_called(Person("Doe, Jané"), name) for name in ("jane doe", "Team A-Jane Doe", "Team A")]
        [True, True, False]
    """
    theirs = [set(words) for words in _words(person.name)]
    return any(some and some <= set(words) for some in theirs for words in _words(name))


def folded(name: str) -> str:
    """A name's letters and digits alone, without case: what is left of it in the name of a file."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", name.casefold()))


def recognises(roster: Roster) -> Callable[[str], bool]:
    """Whether a name is that of one person on the roster, as `match` sees it.

    Example:
        >>> knows = recognises(Roster((Person("Doe, Jané", login="jdoe"), Person("Doe, Ann"))))
        >>> [knows(name) for name in ("jdoe", "jane_doe", "Doe")]
        [True, True, False]
    """
    tiers = _tiers(roster)
    return functools.cache(lambda name: len(_candidates(name, name, tiers)) == 1)


_Index = dict[str, list[Person]]


def _tiers(roster: Roster) -> list[_Index]:
    return [_index(roster.people, of) for of in (_numbers, _local_part, _spellings, _without_zeros)]


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
    ways = zip(tiers, (_folded, _folded, _sorted_words, _without_zeros_before), strict=True)
    numbered, local, named, nearly = ([*_looked_up(index, looks, key, name)] for index, looks in ways)
    if numbered and named and not set(numbered) & set(named):
        return [*numbered, *named]
    return numbered or local or named or nearly


def _looked_up(index: _Index, looks: Callable[[str], list[str]], *texts: str) -> dict[Person, None]:
    return {person: None for text in texts for look in looks(text) for person in index.get(look, ())}


def _without_zeros(person: Person) -> set[str]:
    return {number for text in (person.id, person.sis, person.login) for number in _without_zeros_before(text)}


def _without_zeros_before(text: str) -> list[str]:
    """A number without the zeros before it; nothing for what is no number.

    Example:
        >>> _without_zeros_before("00123"), _without_zeros_before("x01")
        (['123'], [])
    """
    return [text.lstrip("0")] if text.isascii() and text.isdecimal() else []


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
    """How a name may stand on a roster: its words, sorted; in a script without spaces also as one word.

    Example:
        >>> _sorted_words("李 小龙"), _sorted_words("Doe, Jane")[:1]
        (['小龙 李', '小龙 李', '李小龙', '小龙李'], ['doe jane'])
    """
    ways = _words(name)
    words = ways[0] if _UNSPACED.fullmatch("".join(ways[0])) else []
    turned = ["".join(words[turn:] + words[:turn]) for turn in range(len(words))]
    return [" ".join(sorted(words)) for words in ways] + turned


_UNSPACED = re.compile(
    r"[\u1100-\u11ff\u3040-\u30ff\u3100-\u318f\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Letters of Chinese, Japanese and Korean, whose names are written with and without a space."""
