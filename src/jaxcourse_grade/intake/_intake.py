"""A class, taken in: what counts for each student, who is missing, and what the instructor should know."""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jaxcourse_grade._bounded import TooMuch, directly
from jaxcourse_grade._records import Submission
from jaxcourse_grade.intake._files import Member, Unreadable, listing, load
from jaxcourse_grade.intake._find import SECTION, Handed, find, platforms_facts
from jaxcourse_grade.intake._folders import Naming
from jaxcourse_grade.intake._lessons import Lessons, earlier, lesson_in_name, names_of, number_of
from jaxcourse_grade.intake._modules import with_modules
from jaxcourse_grade.intake._names import NOTEBOOKS, UNFINISHED, is_name, original, spaced, stem_of, suffix
from jaxcourse_grade.intake._partners import Meant, Partners, meant, shared
from jaxcourse_grade.intake._published import Ours, is_shelved
from jaxcourse_grade.intake._read import (
    SECONDS,
    Choice,
    carefully,
    choose,
    glance,
    is_notebook,
)
from jaxcourse_grade.intake._roster import (
    Matched,
    Person,
    Roster,
    RosterError,
    enrol,
    is_called,
    match,
    read_roster,
    recognises,
    roster_of,
)
from jaxcourse_grade.intake._teams import shelf_of, shelf_of_moodle, with_teams
from jaxcourse_grade.intake._times import with_limit, with_times

MOST_TOLD = 50
"""How many files of one kind the notes name; the rest are counted."""
_EXPORTS_SECONDS = 600.0
"""Of processor time, to list the archives in one archive, which may be the export of a class of thousands."""
NOTHING = Ours()
_NEVER_DUE: Mapping[str, datetime] = MappingProxyType({})
_Pair = tuple[Handed, Submission]


@dataclass(frozen=True)
class Intake:
    """The class, sorted.

    Attributes:
        choices: what counts, one for each student and lesson.
        asked: the lessons that are graded, in the course's order.
        missing: who is in the class and handed in nothing, for each lesson.
        columns: what the roster says of a student, for the table of grades.
        notes: what the instructor should know: files that were not looked at, places with two claims, names that match
            nobody.
    """

    choices: tuple[Choice, ...]
    asked: tuple[str, ...] = ()
    missing: tuple[Submission, ...] = ()
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def take_in(
    source: Path,
    lessons: Lessons,
    *,
    asked: Sequence[str] = (),
    roster: Path | None = None,
    ours: Ours = NOTHING,
    worksheet: Path | None = None,
    due: Mapping[str, datetime] = _NEVER_DUE,
    on_time: bool = False,
    file_times: bool = False,
    groups: bool = False,
    apart: Callable[..., Any] = directly,
) -> Intake:
    """Find what was handed in, and sort it.

    Args:
        source: a folder, a zip of a learning platform, or one notebook.
        lessons: the lessons that can be graded.
        asked: those that were handed out. If none are named, they are the ones that most students handed in.
        roster: a table of the class.
        ours: what the course has published, which is no student's work.
        worksheet: Moodle's, which says who is in a team, and when something was handed in.
        due: when a lesson is due.
        on_time: whether of several files, the latest that came in time counts before those that came late.
        file_times: whether files' own times are those of hand-in.
        groups: whether what one of a group on the roster handed in is the work of all of it.
        apart: calls a function in a process of its own, with limits.

    Raises:
        FileNotFoundError: there is nothing there.
        ValueError: there is nothing in it, or the roster cannot be read.
    """
    people = read_roster(roster) if roster else Roster(())
    naming = Naming((*lessons, *earlier(lessons)), recognises(people))
    found = find(source, partial(_listing, apart), partial(_tried, apart, platforms_facts), naming)
    sheets = _worksheets(found.handed, apart)
    sheet = read_roster(worksheet) if worksheet else people if people.platform == "Moodle" else None
    shelves = {shelf_of(name): one for name, one in sheets.items()}
    handed_in = with_teams([item for item in found.handed if item.source not in sheets], shelves, sheet, people)
    glances = list(ours.marked((handed, carefully(glance, handed, lessons, asked, apart)) for handed in handed_in))
    limits = due if on_time else _NEVER_DUE
    glances = list(with_times(glances, source.resolve(), apart, limits, file_times))
    everything = list(_in_each_lesson(with_modules(list(_numbered(glances, lessons))), limits))
    is_stray = _Strays(everything, naming)
    pairs, strays = ([pair for pair in everything if is_stray(*pair) == no] for no in (False, True))
    notes = [*_some("Hidden, or left behind by a system or a platform", found.ignored), *_some(_NAMED, found.named)]
    notes += _some(_STRAY, [f"`{handed.source}`" for handed, _ in strays])
    pairs = list(_by_roster(pairs, people, naming))
    matched = match(
        {read.student: read.name for _, read in pairs}, people, {read.student: read.platform for _, read in pairs}
    )
    twins = frozenset(matched.ambiguous)
    notes += [_NO_WORKSHEET] * any(_is_of_moodle_alone(handed, sheet, shelves) for handed, _ in pairs)
    notes += _other_names(pairs, matched)
    pairs = list(enrol(pairs, matched))
    named = _meant(pairs, people, matched, naming)
    class_ = _Class(pairs, tuple(stem for stem in lessons if stem in asked) or _handed_out(pairs, lessons), twins)
    partners = class_.partners(people.people)
    choices = tuple(_asked_for(choice, partners) for choice in class_.choices())
    missing = tuple(class_.missing(people.people, matched, named))
    if groups:
        choices, missing, told = shared(choices, missing, people.people, named)
        notes += told
    return Intake(
        choices,
        class_.asked,
        missing,
        {person.key: {"id": person.id, "login": person.login, "email": person.email} for person in people.people},
        (*class_.notes(bool(asked)), *notes, *people.notes, *(_unmatched(matched, named) if roster else ())),
    )


def _worksheets(handed: Iterable[Handed], apart: Callable[..., Any]) -> dict[str, Roster]:
    """The grading worksheets of Moodle's that lie among what was handed in, by their paths."""
    found = {}
    for item in handed:
        if suffix(item.file) == ".csv" and not item.problem:
            with contextlib.suppress(Unreadable):
                if sheet := _tried(apart, _worksheet, item.path, item.members, item.file):
                    found[item.source] = sheet
    return found


def _worksheet(path: Path, members: tuple[int, ...], name: str) -> Roster | None:
    """The worksheet in a file; None if it is another table, or none."""
    try:
        sheet = roster_of(load(path, members), name)
    except RosterError:
        return None
    return sheet if sheet.platform == "Moodle" else None


def _is_of_moodle_alone(handed: Handed, sheet: Roster | None, shelves: Mapping[str, Roster]) -> bool:
    """Whether it comes from Moodle, and no worksheet says more of it."""
    return handed.platform == "Moodle" and sheet is None and shelf_of_moodle(handed.source) not in shelves


_NO_WORKSHEET = (
    "This comes from Moodle, and without the assignment's grading worksheet nothing says whether the numbers in its "
    "names are participants' or teams', nor when it was handed in: add `--moodle worksheet.csv`. No feedback was "
    "packed for those of whom no roster knows the name."
)


def _other_names(pairs: Iterable[_Pair], matched: Matched) -> list[str]:
    """Who is known by a number, and called otherwise by the platform: on Canvas, a group has its own name."""
    found = {
        f"{person.name} (`{read.name}`)": None
        for handed, read in pairs
        if handed.platform == "Canvas" and (person := matched.found.get(read.student)) and _is_other(person, read.name)
    }
    return _some(_OTHER_NAMES, list(found))


def _is_other(person: Person, name: str) -> bool:
    joined = match({name: name}, Roster((person,)))
    return name != "anonymous" and not is_called(person, name) and name not in joined.found


_OTHER_NAMES = (
    "Handed in under another name than the roster's. If these are groups, say what the other members get in "
    "`marks.csv`: `student,lesson,points,comment`"
)


# -- limits


def _listing(apart: Callable[..., Any], path: Path, members: tuple[int, ...] = ()) -> list[Member]:
    budgets = {str(path): _EXPORTS_SECONDS, f"{path}!{members[:1]}": SECONDS} if members else {}
    found: list[Member] = _tried(apart, listing, path, members, budgets=budgets)
    return found


def _tried(apart: Callable[..., Any], *call: Any, **how: Any) -> Any:
    """What a call gives; if it failed in any way, this file cannot be read."""
    try:
        return apart(*call, **how)
    except Unreadable:
        raise
    except TooMuch as error:
        raise Unreadable(str(error)) from None
    except Exception as error:  # whatever it is, it is this file's own
        raise Unreadable(f"The file could not be read ({type(error).__name__}).") from None


# -- whose


_STRAY = "Not looked at, because neither content nor name says whose or what it is"


_NAMED = "Taken as one student's, whose name is what stands beside the assignment's"
_LIKE_NOTEBOOKS = (".ipynb", ".py", ".pdf", ".html", ".htm", ".docx", ".doc", ".odt", ".txt", ".json", "")
"""What somebody may take for a notebook; a table or a picture lies beside it by accident."""


class _Strays:
    """Which loose files are nobody's: no notebooks, and neither of a student's name nor of a kind that is handed in."""

    def __init__(self, pairs: Iterable[_Pair], naming: Naming) -> None:
        self.naming = naming
        self.students = {read.student for _, read in pairs if not read.unreadable}

    def __call__(self, handed: Handed, read: Submission) -> bool:
        """Whether it is."""
        is_book = is_notebook(handed, read) or suffix(handed.file) == ".ipynb"
        if not handed.by_file or handed.module or is_book or _is_archive(handed):
            return False
        known = read.student in self.students or self.naming.on_roster(read.student)
        return not known and not (is_name(read.student) and suffix(handed.file) in _LIKE_NOTEBOOKS)


def _is_archive(handed: Handed) -> bool:
    return bool(re.search(r"\.zip|!", handed.source, re.IGNORECASE))


def _by_roster(pairs: list[_Pair], people: Roster, naming: Naming) -> Iterator[_Pair]:
    """The same, in which who matches nobody is whoever on the roster stands within the name, if nobody else does."""
    matched = match({read.student: read.name for _, read in pairs}, people)
    within = {key: name for key in matched.unknown if (name := naming.on_roster(key))}
    theirs = match({name: name for name in within.values()}, people).found
    free = {key: name for key, name in within.items() if theirs[name] in matched.missing}
    for handed, read in pairs:
        name = free.get(read.student, read.student)
        yield handed, replace(read, student=name, name=spaced(name)) if read.student in free else read


def _in_each_lesson(pairs: Iterable[_Pair], limits: Mapping[str, datetime]) -> Iterator[_Pair]:
    """The same, in which a notebook of before sections moved is one of each lesson that has its exercises now."""
    for handed, read in pairs:
        if not read.parts or read.unreadable:
            yield handed, read
            continue
        told = _MOVED.format(handed.source, read.was or read.lesson, _both([read.lesson, *dict(read.parts)]))
        known = replace(read, notes=(*read.notes, told), parts=())
        yield handed, known
        for stem, basis in read.parts:
            part = replace(known, lesson=stem, was=read.was or read.lesson)
            part = replace(part, basis=replace(basis, published=read.basis.published))
            yield with_limit(handed, part, limits), part


_IS_MOVED = "as it was before: its exercises are those of"
_MOVED = f"`{{}}` is {{}} {_IS_MOVED} {{}} now, and it counts for each of them."


def _both(stems: Sequence[str]) -> str:
    return f"{', '.join(stems[:-1])} and {stems[-1]}"


def _numbered(pairs: list[_Pair], lessons: Lessons) -> Iterator[_Pair]:
    """A number at the end of a name is the student's, `student_01`, if many such numbers are not those of the lessons.

    Which lessons they are is told by what is in the notebooks.
    """
    counts = {
        id(handed): found for handed, _ in pairs if handed.by_file and (found := _NUMBERED.fullmatch(handed.student))
    }
    numbers = defaultdict[str, set[str]](set)
    for handed, read in pairs:
        found = counts.get(id(handed))
        if found and not read.unreadable and not _says(found["number"], names_of(read.lesson, lessons)):
            numbers[found["base"]].add(found["number"])
    for handed, read in pairs:
        is_persons = id(handed) in counts and len(numbers.get(counts[id(handed)]["base"], ())) >= SECTION
        name = handed.student
        yield handed, replace(read, student=name, name=spaced(name)) if is_persons else read


_NUMBERED = re.compile(r"(?P<base>.*?)[\s_.-]*(?P<number>\d+)", re.DOTALL)


def _says(number: str, names: Iterable[str]) -> bool:
    return number.lstrip("0") in {first.lstrip("0") for name in names if (first := number_of(name))}


def _meant(pairs: Iterable[_Pair], people: Roster, matched: Matched, naming: Naming) -> Meant:
    """Whom keys may stand for that match nobody on the roster."""
    names = defaultdict[str, dict[str, None]](dict)
    for handed, read in pairs:
        if read.student in matched.unknown:
            parts = filter(None, re.split(r"[/!]", handed.source))
            names[read.student] |= dict.fromkeys([read.name, read.student, *map(stem_of, parts)])

    def one(name: str) -> Person | None:
        return match({name: name}, people).found[name] if naming.knows(name) else None

    return meant(names, people.people, one)


def _asked_for(choice: Choice, partners: Partners) -> Choice:
    """The same; of a blank notebook, what a partner of the student's handed in is to be looked at."""
    read = choice.submission
    look = partners.of(read.student, read.lesson) if read.basis.published == "blank" and not read.look else ""
    return replace(choice, submission=replace(read, look=look)) if look else choice


def _unmatched(matched: Matched, named: Meant) -> list[str]:
    unknown = [
        f"{key} matches nobody on the roster{_STANDS_FOR.format(_both([p.name for p in named[key]]))}."
        if key in named
        else f"{key} matches nobody on the roster."
        for key in matched.unknown
    ]
    several = [
        f"{key} may be {' or '.join(person.name for person in people)}: the roster does not say which."
        for key, people in matched.ambiguous.items()
    ]
    return [*unknown, *several]


_STANDS_FOR = ", and may be of {}: whoever of them handed in nothing else is asked about"


# -- which lessons


def _handed_out(pairs: list[_Pair], lessons: Lessons) -> tuple[str, ...]:
    """The lessons that a class was asked for, as what came back shows it: in the course's order.

    It is a lesson that more than half as many students handed in as the one that most did, or that a folder around the
    students' notebooks is named after; what is unchanged in a copy of the course was not handed in. If nothing can be
    read, the names of notebooks decide in the same way.
    """
    students, named = defaultdict[str, set[str]](set), set()
    readable = [pair for pair in pairs if not pair[1].unreadable]
    for handed, read in _own(readable) or readable or [pair for pair in pairs if suffix(pair[0].file) in NOTEBOOKS]:
        students[read.lesson].add(read.student)
        if handed.shelf and lesson_in_name(handed.shelf, lessons).lesson == read.lesson:
            named.add(read.lesson)
    most = max(map(len, students.values()), default=0)
    return tuple(stem for stem in lessons if 2 * len(students.get(stem, ())) > most or stem in named)


@dataclass(frozen=True)
class _Class:
    """What a class handed in, what it was asked for, and whose keys may be several people's."""

    pairs: list[_Pair]
    asked: tuple[str, ...]
    twins: frozenset[str] = frozenset()

    def choices(self) -> Iterator[Choice]:
        """What counts: at least one row for everybody who handed in something."""
        looked_at = [pair for pair in self.pairs if self._is_asked(pair[1])]
        able = {read.student for _, read in looked_at if not read.unreadable}
        chosen = choose(_claimed([self._settled(*pair, able) for pair in looked_at], self.twins))
        others = defaultdict[str, list[_Pair]](list)
        for pair in self.pairs:
            if not self._is_asked(pair[1]):
                others[pair[1].student].append(pair)
        counted = {handed.source for handed, _ in looked_at}
        said = set[tuple[str, str]]()
        for choice in chosen:
            more = [pair for pair in others.get(choice.submission.student, []) if pair[0].source not in counted]
            yield _with_note(_once(choice, said), _own(more))
        yield from (self._instead(others[student]) for student in self._only_others())

    def partners(self, people: Sequence[Person]) -> Partners:
        """Who of a group may have handed in for the others."""
        return Partners(people, [(handed, read) for handed, read in self._looked_at() if not read.unreadable])

    def missing(self, people: Sequence[Person], matched: Matched, named: Meant) -> Iterator[Submission]:
        """Who handed in nothing, for each lesson: of the roster, or else of those who handed in anything."""
        rows = {(read.student, self._settled(handed, read, set())[1].lesson) for handed, read in self._looked_at()}
        rows |= {(student, self._only) for student in self._only_others()}
        lost = {read.student: handed.source for handed, read in self._looked_at() if not read.lesson}
        known = [(one.key, one.name) for one in people] or list({r.student: r.name for _, r in self.pairs}.items())
        partners = self.partners(people)
        for student, name in known:
            for stem in self.asked:
                if (student, stem) not in rows:
                    look = partners.of(student, stem) or self._may_be(student, stem, {**matched.ambiguous, **named})
                    look = look or (_LOST.format(lost[student]) if student in lost else "")
                    yield Submission(student, name, stem, "", look=look)

    def _looked_at(self) -> Iterator[_Pair]:
        return (pair for pair in self.pairs if self._is_asked(pair[1]) and not pair[0].module)

    def _only_others(self) -> list[str]:
        """Students who handed in something, and nothing of what is asked for."""
        others = {read.student for _, read in self.pairs if not self._is_asked(read)}
        return sorted(others - {read.student for _, read in self._looked_at()})

    @property
    def _only(self) -> str:
        """The lesson that is asked for, if there is one alone."""
        return self.asked[0] if len(self.asked) == 1 else ""

    def _may_be(self, student: str, stem: str, several: Meant) -> str:
        """What was handed in by somebody who may be this student, or another one."""
        keys = [key for key, found in several.items() if student in {person.key for person in found}]
        theirs = [handed.source for handed, read in self._looked_at() if read.student in keys and read.lesson == stem]
        return _MAY_BE.format(theirs[0]) if theirs else ""

    def _is_asked(self, read: Submission) -> bool:
        return read.lesson in self.asked or bool(read.unreadable and not read.basis.published)

    def _settled(self, handed: Handed, read: Submission, able: set[str]) -> _Pair:
        """The lesson of a file that cannot be read: the one in its name, else the only one that there is."""
        beside = read.student in able and not is_notebook(handed, read)
        known = read.lesson if read.lesson in self.asked and not beside else self._only
        return handed, replace(read, lesson=known) if read.unreadable and not read.basis.published else read

    def _instead(self, pairs: list[_Pair]) -> Choice:
        """The row of a student who handed in other lessons only."""
        handed, read = pairs[0]
        why = f"This is {read.lesson}, which was not asked for: what is graded here is {', '.join(self.asked)}."
        aside = tuple(other.source for other, _ in pairs[1:])
        return _with_note(Choice(handed, replace(read, lesson=self._only, unreadable=why), aside), pairs[1:])

    def _called(self) -> Iterator[str]:
        """By which earlier names lessons were taken, and how often."""
        found = defaultdict[tuple[str, str], set[str]](set)
        for _, read in self._looked_at():
            if read.was and not read.unreadable:
                found[read.was, read.lesson].add(read.student)
        for (was, stem), students in sorted(found.items()):
            yield f"{was} as {stem} ({len(students)} student{'s' * (len(students) > 1)})"

    def notes(self, named: bool) -> Iterator[str]:
        """Which lessons are graded, and why; what is not; places that several claim."""
        students = defaultdict[str, set[str]](set)
        files = defaultdict[str, list[str]](list)
        for handed, read in self.pairs:
            if not read.unreadable:
                students[read.lesson].add(read.student)
                files[read.lesson] += [f"`{handed.source}`" for _ in _own([(handed, read)])]
        count = len({read.student for _, read in self.pairs})
        why = "as you named them" if named else "because that is what most handed in; `--lesson` names others"
        told = ", ".join(f"{stem} ({len(students[stem])} of {count} students)" for stem in self.asked)
        yield f"Graded, {why}: {told or 'no lesson'}."
        yield from _some("Taken by names that lessons had before", list(self._called()))
        counted = {f"`{handed.source}`" for handed, _ in self._looked_at()}
        for stem in sorted(students.keys() - set(self.asked)):
            yield from _some(
                f"Not looked at, because {stem} was not asked for",
                [file for file in files[stem] if file not in counted],
            )
            yield from _some(
                f"Looked at for another lesson alone, because {stem}, of which they are too, was not asked for",
                [file for file in files[stem] if file in counted],
            )
        yield from _claims(self.pairs, self.asked, self.twins)
        yield from _twice(self.pairs, self.asked, self.twins)
        yield from _attempts(self.pairs, self.asked, self.twins)
        yield from _crowded(self.pairs)


def _once(choice: Choice, said: set[tuple[str, str]]) -> Choice:
    """The same, without what a row of the same student has said already of a notebook that counts in several."""
    read = choice.submission
    mine = {(read.student, note) for note in read.notes if note.startswith("`") and _IS_MOVED in note}
    notes = tuple(note for note in read.notes if (read.student, note) not in mine & said)
    said |= mine
    return replace(choice, submission=replace(read, notes=notes))


def _own(pairs: Iterable[_Pair]) -> list[_Pair]:
    """Those that are not just as the course publishes them, in a copy of it."""
    return [(handed, read) for handed, read in pairs if not (read.basis.published and is_shelved(handed))]


def _with_note(choice: Choice, others: list[_Pair]) -> Choice:
    """The same, with what else the student handed in."""
    if not others:
        return choice
    (note,) = _some("Not looked at, because it was not asked for", [f"`{handed.source}`" for handed, _ in others])
    return replace(choice, submission=replace(choice.submission, notes=(*choice.submission.notes, note)))


_LOST = (
    "Something was handed in, and which lesson it is could not be told: `{}`. Decide, and write it into `marks.csv`."
)
_MAY_BE = "`{}` may be theirs: the roster does not say whose it is. Decide, and write it into `marks.csv`."


# -- two claims to one place


_Places = dict[tuple[str, str, str], dict[str, set[str]]]
"""By student, lesson, and what the lesson was called, where notebooks come from, and what is in them."""


def _whole(handed: Handed, read: Submission, twins: Collection[str]) -> str:
    """Where all that one student handed in lies.

    A copy, such as every browser's second download, `doe (1).ipynb`, lies where `doe.ipynb` does: it is another attempt
    of the same student's, unless the name may be several people's.
    """
    shelf, slash, name = handed.place.rpartition("/")
    stem = stem_of(name)
    if read.student in twins:
        return handed.place
    whole = original(stem)[0] if handed.copy else stem
    return f"{shelf}{slash}{whole}{re.sub(UNFINISHED, '', name[len(stem) :])}"


def _places(pairs: Iterable[_Pair], twins: Collection[str]) -> _Places:
    """The places of those who have several."""
    found: _Places = defaultdict(dict)
    for handed, read in pairs:
        if not read.unreadable:
            key = read.student, read.lesson, read.was
            found[key].setdefault(_whole(handed, read, twins), set()).add(read.sha256)
    return {key: places for key, places in found.items() if len(places) > 1}


def _contested(pairs: Iterable[_Pair], twins: Collection[str]) -> _Places:
    """The places of those who have several, of which it is not sure that one student handed in all of it.

    What is in them differs; or it is called by no name, such as `Untitled.ipynb`, and may be anybody's.
    """
    pairs = list(pairs)
    named = {read.student for handed, read in pairs if is_name(handed.student) or read.student != handed.student}
    places = _places(pairs, twins).items()
    return {key: found for key, found in places if len(set().union(*found.values())) > 1 or key[0] not in named}


def _claimed(pairs: list[_Pair], twins: Collection[str]) -> list[_Pair]:
    """The same; where several claim to be one student, each has a row of its own, and none is the student's."""
    contested = {key[:2]: places for key, places in _contested(pairs, twins).items()}
    return [
        (handed, _claim(read, _whole(handed, read, twins) or handed.source, len(places)))
        if (places := contested.get((read.student, read.lesson)))
        else (handed, read)
        for handed, read in pairs
    ]


def _claim(read: Submission, place: str, count: int) -> Submission:
    note = (
        f"{count} hand-ins claim to be {read.name}'s, and this is one of them. Each is graded, and none is entered in "
        "a form: remove what is not theirs, and grade again."
    )
    return replace(read, student=f"{read.student} [{place}]", notes=(*read.notes, note))


def _claims(pairs: list[_Pair], asked: Sequence[str], twins: Collection[str]) -> Iterator[str]:
    for (student, lesson, _), places in _contested(pairs, twins).items():
        if lesson in asked:
            told = ", ".join(f"`{place or 'the platform'}`" for place in sorted(places))
            yield f"{len(places)} hand-ins claim to be {student}'s, for {lesson}: {told}. Each has a row of its own."


def _twice(pairs: list[_Pair], asked: Sequence[str], twins: Collection[str]) -> Iterator[str]:
    """Who handed in the same in several places, and has one row for it."""
    contested = _contested(pairs, twins)
    told = [
        f"{student} ({', '.join(f'`{place}`' for place in sorted(places) if place)})"
        for (student, lesson, was), places in _places(pairs, twins).items()
        if lesson in asked and (student, lesson, was) not in contested
    ]
    yield from _some("In several places, with the same content, and graded once", told)


def _attempts(pairs: list[_Pair], asked: Sequence[str], twins: Collection[str]) -> Iterator[str]:
    """Which loose files were taken as attempts of one student, because one is called a copy of the other."""
    found = defaultdict[tuple[str, str, str], dict[str, None]](dict)
    for handed, read in pairs:
        if handed.place and (read.unreadable or read.lesson in asked):
            found[read.student, read.lesson, _whole(handed, read, twins)][handed.place] = None
    several = dict.fromkeys(", ".join(f"`{place}`" for place in places) for places in found.values() if len(places) > 1)
    yield from _some(
        "Taken as attempts of one student each, of which the latest that can be read counts", list(several)
    )


def _crowded(pairs: list[_Pair]) -> Iterator[str]:
    """Which folders and archives were taken as one student's, and hold one lesson under several names."""
    stems = defaultdict[tuple[str, str], set[str]](set)
    for handed, read in pairs:
        if not read.unreadable and handed.place:
            stems[handed.place, read.lesson].add(stem_of(handed.file))
    names = {key: sorted(filter(is_name, {original(stem, found)[0] for stem in found})) for key, found in stems.items()}
    crowded = [
        f"`{place}` ({len(found)} of {lesson}, such as {', '.join(found[:3])})"
        for (place, lesson), found in names.items()
        if len(found) > 1
    ]
    yield from _some(_CROWDED, crowded)


_CROWDED = (
    "Taken as one student's each, though they hold notebooks of one lesson under several names (if one holds several "
    "students', grade it by itself)"
)


def _some(what: str, things: Sequence[str]) -> list[str]:
    """A note about several things; the first are named, the rest counted."""
    more = f", and {len(things) - MOST_TOLD} more" if len(things) > MOST_TOLD else ""
    return [f"{what}: {', '.join(things[:MOST_TOLD])}{more}."] if things else []
