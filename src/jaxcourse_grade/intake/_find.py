"""Who handed in what: the files of a class, named from folders and from what learning platforms call their exports.

Known are, as a folder or as the zip archive itself:

- files side by side, `doe_jane_01.ipynb`: the student is what the name says besides the lesson; `doe_jane_helpers.py`
  is what that notebook imports as `helpers`, if it does;
- a folder (or a zip archive) per student, whatever lies in it: `doe_jane`, or what stands beside an assignment's name,
  `hw1-doe_jane`; a clone of the course is such a folder;
- folders of such, one per lesson (`10_memory_layout/doe_jane.ipynb`) or per section of the class;
- Canvas: `doejane_12345_67890_notebook-1.ipynb`, `doejane_LATE_12345_67890_...`, `anonymous_12345_67890_...`,
  `LATE_anon_xY9z1_67890_...`, `doejane_12345_text.html`: the key is the user's id, the second number grows with each
  attempt; a group's name may have underscores, `team_x_12345_67890_...`;
- Moodle: `Jane Doe_12345_assignsubmission_file_/notebook.ipynb`, or with the file's name behind it, without folders;
  `..._onlinetext_...`; the key is the participant's number, as in the grading worksheet. In a team assignment the
  number is the team's, or there is none: `with_teams` tells them apart;
- Gradescope: `submission_12345678/` beside `submission_metadata.yml`, which says who, and when: the key is the SID,
  else the e-mail address, else the name; each member of a group gets the submission.

Where two readings are possible, students are split rather than merged: a row too many is seen, a row too few is not.
But a name inside of what one student handed in is that student's: nothing in it is anybody else's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from jaxcourse_grade.intake._files import MAX_NAME, Item, Lister, Unreadable, items_at, listing, load
from jaxcourse_grade.intake._folders import Naming
from jaxcourse_grade.intake._names import NOTEBOOKS, original, printable, spaced, stem_of, suffix

SECTION = 4
"""A folder with this many names is a section of the class, if all its neighbours are too and no name is in two."""

MAX_COPIES = 4
"""More files than this of one name, `x.ipynb`, `x (1).ipynb` and so on, are many students', saved from many mails."""

MAX_FILES = 1_000
"""More files than these, of all that one student handed in, are not looked at."""

Facts = Callable[[Path, tuple[int, ...]], dict[str, Any]]
"""`platforms_facts`, or what calls it in a process of its own."""

MAX_NESTING = 100
"""Gradescope's file is nested some ten deep."""


@dataclass(frozen=True)
class Handed:
    """A file that was handed in: where it is and whose, not what is in it.

    Attributes:
        path: the file on disk, or the zip archive that it is a member of.
        members: the positions that lead to the member, as in `_files.load`; empty for a file on disk.
        source: its path below the folder; a member of an archive stands behind `!`.
        student: the student's key, `name`, what to show. If `by_file`, they are the file's name, which may hold the
            lesson's too.
        size: in bytes, unpacked.
        submitted: when, in ISO 8601, as the platform says; else empty.
        told: the platform that says when.
        late: what a platform says of its being late, with the platform's name.
        back: the name under which a platform takes back a file about it.
        platform: whose number the key is: `Canvas`, `Moodle` or `Gradescope`.
        arrived: when the file, or the archive around it, that was handed in was last changed, as far as whoever
            collected it has kept that: in ISO 8601, without a time zone where an archive names none. Empty if a
            platform has packed it: then it is the time of a download.
        look: what an instructor should decide about it.
        overdue: whether it came late, where that decides which of several files counts.
        copy: if `by_file`: the number of the copy, as in `doe (2).ipynb`; 0 for an original.
        attempt: a number of the platform's that grows with each attempt; else 0.
        modified: seconds since 1970, as the file system or the archive says; 0 if unknown.
        by_file: whether only the file's name says who handed it in.
        problem: why it will not be opened; else empty.
        notes: what an instructor should know.
        place: the path of all that was handed in with it; empty if a platform says whose it is.
        shelf: the folder around that, if it holds several students.
        module: the name by which a notebook beside it may import it; empty if it is none to be imported.
    """

    path: Path
    members: tuple[int, ...]
    source: str
    student: str
    name: str
    size: int = 0
    submitted: str = ""
    attempt: int = 0
    modified: float = 0.0
    by_file: bool = False
    copy: int = 0
    problem: str = ""
    notes: tuple[str, ...] = ()
    place: str = ""
    shelf: str = ""
    module: str = ""
    told: str = ""
    late: str = ""
    back: str = ""
    platform: str = ""
    arrived: str = ""
    look: str = ""
    overdue: bool = False

    @property
    def file(self) -> str:
        """The file's own name."""
        return re.split(r"/|(?<=\.zip)!|(?<=\.ipynb)!", self.source, flags=re.IGNORECASE)[-1]


@dataclass(frozen=True)
class Found:
    """What lies in a folder of submissions.

    Attributes:
        handed: every file that somebody may have handed in, in the order of names.
        ignored: hidden files and folders, and a platform's own files that could not be used: to be reported.
        named: what was taken as one student's by a part of its name, of which no roster knows: to be reported.
    """

    handed: tuple[Handed, ...]
    ignored: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


# -- who, by a platform's name


@dataclass(frozen=True)
class _Who:
    """Who handed something in, as a name or a platform says."""

    student: str
    name: str
    submitted: str = ""
    attempt: int = 0
    by_file: bool = False
    copy: int = 0
    notes: tuple[str, ...] = ()
    told: str = ""
    late: str = ""
    back: str = ""
    platform: str = ""


# Moodle's, and three of Canvas's.
_SCHEMES = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+(?:_(?P<file>.*))?",
        r"(?:LATE_)?(?P<name>anon(?:ymous)?)(?:_LATE)?_(?P<id>[A-Za-z0-9]{5})_(?P<attempt>[1-9]\d{2,})_(?P<file>.+)",
        r"(?P<name>.+?)(?:_LATE|_late)?_(?P<id>[1-9]\d*)_(?P<attempt>[1-9]\d{2,})_(?P<file>.+)",
        r"(?P<name>.+?)(?:_LATE|_late)?_(?P<id>[1-9]\d*)_(?P<file>(?:text|link)\.html)",
    )
]
_METADATA = "submission_metadata.yml"
_NOBODY = Naming()


def _matched(part: str) -> re.Match[str] | None:
    """What a platform's name says; where two could be meant, the one that begins first: the rest is the student's."""
    part = part.removesuffix("!")
    found = [match for scheme in _SCHEMES if (match := scheme.fullmatch(part))]
    if (group := _GROUP.fullmatch(part)) and int(group["id"]) < int(group["attempt"]):
        return group
    return min(found, key=lambda match: match.start("id") if match["id"] else match.end("name"), default=None)


_GROUP = re.compile(
    r"(?P<name>(?:[^_]+_.+?|.*(?:group|groupe|gruppe|team|grupo|equipo|equipe))_[1-9]\d{0,2})"
    r"_(?P<id>[1-9]\d{2,})_(?P<attempt>(?!20\d\d_|20\d{6}_)[1-9]\d{2,})_(?P<file>.+)",
    re.DOTALL | re.IGNORECASE,
)
"""A group on Canvas whose name ends in a number, such as `project_group_1`: that stands before two others, of which the
second, the file's, is the larger. People's names have no underscores there."""


def _by_scheme(part: str) -> list[_Who]:
    match = _matched(part)
    if not match:
        return []
    groups = match.groupdict()
    platform = "Moodle" if _is_moodles(match) else "Canvas"
    late = "late, says Canvas" if _LATE.search(part[: match.start("id")]) else ""
    late = late if platform == "Canvas" else ""
    name = "anonymous" if groups["name"] == "anon" else groups["name"]
    attempt = int(groups.get("attempt") or 0)
    return [_Who(groups["id"] or name, name, "", attempt, late=late, back=_returned(part, match), platform=platform)]


_LATE = re.compile(r"^LATE_anon|._LATE_$", re.IGNORECASE)
"""Where Canvas says that something came late: a group may be called `late_risers`."""


def _is_moodles(match: re.Match[str]) -> bool:
    return match.re is _SCHEMES[0]


def _whose(parts: Iterable[str]) -> dict[str, list[_Who]]:
    """Who handed in what lies on a shelf, by the names that a platform gave.

    A name with underscores may be a group's on Canvas, but also `doe_jane_3_2026_hw.ipynb`, as somebody called it: it
    is Canvas's only where most names there are, and each of them has a number of its own that is no year.
    """
    who = {part: _by_scheme(part) for part in parts}
    odd = {part for part, found in who.items() if found and found[0].platform == "Canvas" and "_" in found[0].name}
    attempts = [found[0].attempt for found in who.values() if found and found[0].attempt]
    single = len(set(attempts)) == len(attempts) and not any(re.fullmatch(r"(?:19|20)\d\d", str(n)) for n in attempts)
    if odd and not (single and 2 * sum(map(bool, who.values())) > sum(map(_counts, who))):
        who.update(dict.fromkeys(odd, []))
    return who


def own_name(part: str) -> str:
    """A file's name as its student knows it, without what a platform put in front of it.

    Example:
        >>> own_name("doejane_LATE_12345_67890_work-1.ipynb"), own_name("work.ipynb")
        ('work-1.ipynb', 'work.ipynb')
    """
    match = _matched(part)
    return match["file"] or "" if match else part


PAGE = "feedback.html"
"""What a student's page is called when it goes back to a platform."""


def _returned(part: str, match: re.Match[str]) -> str:
    """The name under which a learning platform takes back a student's page; empty if it does not.

    Moodle wants the participant's folder, Canvas the beginning of the name that it gave to the file:
    https://github.com/moodle/moodle/blob/main/mod/assign/feedback/file/importziplib.php,
    `infer_comment_context_from_filename` in https://github.com/instructure/canvas-lms.

    Example:
        >>> [_returned(name, _matched(name)) for name in ("Ann_12_assignsubmission_file_", "doe_LATE_12_3456_x.py")]
        ['Ann_12_assignsubmission_file_/feedback.html', 'doe_LATE_12_3456_feedback.html']
    """
    if _is_moodles(match):
        return f"{part[: match.end('id')]}_assignsubmission_file_/{PAGE}" if match["id"] else ""
    if "attempt" not in match.groupdict():
        return ""
    # Canvas takes the first number in the name for the student's, and so for one that ends a group's own name.
    name = re.sub(r"_(?=\d+(?:_|$))", "-", match["name"])
    return name + part[match.end("name") : match.start("file")] + PAGE


def _by_metadata(part: str, metadata: Mapping[str, Any]) -> list[_Who]:
    """Who submitted `submission_12345678`, by Gradescope's file."""
    if not re.fullmatch(r"submission_\d+", part):
        return []
    facts = metadata.get(part) or {"people": []}
    group = facts["people"]
    if not group:
        note = f"{_METADATA} does not say who this is."
        return [_Who(part, part, notes=(note,), platform="Gradescope")] if metadata else []
    notes = (f"Handed in by a group of {len(group)}.",) if len(group) > 1 else ()
    number = int(part.split("_")[1])
    return [_submitter(person, part, facts["moment"], number, notes) for person in group]


def _submitter(person: Sequence[str], part: str, moment: str, number: int, notes: tuple[str, ...]) -> _Who:
    name, sid, email = person
    told = "Gradescope" if moment else ""
    key, shown = sid or email or name or part, name or email or sid or part
    return _Who(key, shown, moment, number, notes=notes, told=told, platform="Gradescope")


def platforms_facts(path: Path, members: tuple[int, ...] = ()) -> dict[str, Any]:
    """What Gradescope's file beside the submissions says: for each, its people's names, SIDs and e-mails, and when.

    Raises:
        Unreadable: it is broken, or nested too deeply.
    """
    try:
        data = _yaml(load(path, members))
        return {str(part): _plain(facts) for part, facts in data.items()} if isinstance(data, dict) else {}
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def _plain(facts: object) -> dict[str, Any]:
    facts = facts if isinstance(facts, dict) else {}
    people = facts.get(":submitters")
    group = [person for person in people if isinstance(person, dict)] if isinstance(people, list) else []
    moment = facts.get(":created_at")
    when = moment.isoformat() if isinstance(moment, datetime) else str(moment or "")
    return {"people": [_three(person) for person in group], "moment": when[:MAX_NAME]}


def _three(person: Mapping[str, Any]) -> list[str]:
    return [str(person.get(f":{key}") or "").strip()[:MAX_NAME] for key in ("name", "sid", "email")]


def _metadata(found: list[Item], depth: int, ignored: list[str], facts: Facts) -> dict[str, Any]:
    """The facts in Gradescope's file beside the submissions; empty if there is none."""
    file = next((item for item in found if item.parts[depth:] == (_METADATA,) and not item.problem), None)
    if file is None:
        return {}
    try:
        return facts(file.path, file.members)
    except Unreadable as error:
        ignored.append(f"{_source_of(file.parts)}: it could not be read, so submissions have no names ({error})")
        return {}


def _yaml(text: bytes) -> object:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    try:
        # libyaml's bindings overflow the C stack where Python's own code would raise a RecursionError.
        for event in yaml.parse(text, loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_NESTING:
                raise ValueError(f"it is nested more than {MAX_NESTING} deep")
        return yaml.load(text, loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


# -- who, by where it lies


@dataclass(frozen=True)
class _Shelves:
    """Goes down from shelf to shelf (the export, its wrapper, a lesson, a section) to what a student handed in."""

    facts: Facts
    ignored: list[str] = field(default_factory=list)
    naming: Naming = Naming()
    named: dict[str, None] = field(default_factory=dict)

    def place(self, found: list[Item], depth: int, lone: bool = True) -> Iterator[Handed]:
        """Name everything that lies on one shelf.

        Args:
            found: its items.
            depth: how many parts of their paths lead to the shelf.
            lone: whether they are all that there is.
        """
        metadata = _metadata(found, depth, self.ignored, self.facts)
        groups = _grouped(found, depth)
        if metadata:
            groups.pop(_METADATA)
        who = {part: _by_metadata(part, metadata) or found for part, found in _whose(groups).items()}
        vouched = 2 * sum(map(bool, who.values())) > sum(map(_counts, groups))
        unnamed = {part: group for part, group in groups.items() if not who[part]}
        shelves = _shelves(unnamed, depth + 1, self.naming, vouched, lone)
        lone = lone and len(shelves) == 1 and not any(who[part] or _is_handed_in(part) for part in groups)
        copies = _Copies(map(stem_of, groups))
        for part, group in groups.items():
            if part in shelves:
                yield from self.place(group, depth + 1, lone)
            else:
                people = who[part] or [self._by_name(part, group, depth, copies)]
                place = "" if who[part] and vouched else _source_of(group[0].parts[: depth + 1])
                shelf = "" if depth == 0 or group[0].parts[depth - 1].endswith("!") else group[0].parts[depth - 1]
                packed = sum(name.endswith("!") for name in group[0].parts[:depth])
                yield from (_handed(item, one, place, shelf, packed) for item in _looked_at(group) for one in people)

    def _by_name(self, part: str, group: list[Item], depth: int, copies: _Copies) -> _Who:
        """What a folder's, an archive's or a file's own name says; a copy has its original's."""
        by_file = part.endswith("!") or all(len(item.parts) == depth + 1 for item in group)
        base, copy = copies.of(stem_of(part)) if by_file else (part, 0)
        student = self.naming.student(base)
        if student != base and not self.naming.knows(student):
            self.named[printable(f"`{part}` ({student})")] = None
        return _Who(student, spaced(student), by_file=by_file, copy=copy)


def _grouped(found: Iterable[Item], depth: int) -> dict[str, list[Item]]:
    """The items by what they lie in on a shelf, in the order of names."""
    groups: dict[str, list[Item]] = {}
    for item in found:
        groups.setdefault(item.parts[depth], []).append(item)
    return groups


def _looked_at(group: list[Item]) -> list[Item]:
    """Of all that one student handed in, no more files than anybody does: notebooks before others."""
    if len(group) <= MAX_FILES:
        return group
    first, *others = sorted(group, key=lambda item: suffix(item.name) not in NOTEBOOKS)[:MAX_FILES]
    why = f"{len(group):,} files were handed in: no more than {MAX_FILES:,} of them were looked at."
    return [first, *others, replace(first, parts=(*first.parts, f"{len(group):,} files"), problem=why)]


def _handed(item: Item, who: _Who, place: str, shelf: str, packed: int) -> Handed:
    """A file that was handed in.

    Args:
        item: the file.
        who: whose it is.
        place: the path of what came from that student; empty if a platform says whose it is.
        shelf: the name of the folder around that; empty if there is none.
        packed: how many archives lie around all that the student handed in.
    """
    arrived = item.changed[packed] if packed < len(item.changed) and not who.platform else ""
    return Handed(
        item.path,
        item.members,
        _source_of(item.parts),
        printable(who.student),
        printable(who.name),
        item.size,
        who.submitted,
        who.attempt,
        item.modified,
        who.by_file,
        who.copy,
        item.problem,
        who.notes,
        place,
        shelf,
        told=who.told,
        late=who.late,
        back=who.back,
        platform=who.platform,
        arrived=arrived,
    )


def _source_of(parts: Sequence[str]) -> str:
    return printable("/".join(parts).replace("!/", "!"))


class _Copies:
    """Which of the names on a shelf are copies of which."""

    def __init__(self, stems: Iterable[str]) -> None:
        self.stems = set(stems)
        self._copies = Counter(original(stem, self.stems)[0] for stem in self.stems)

    def of(self, stem: str) -> tuple[str, int]:
        """What a file is a copy of, and the copy's number; where a name has many copies, each is an original."""
        base, copy = original(stem, self.stems)
        return (base, copy) if self._copies[base] <= MAX_COPIES else (stem, 0)


def _shelves(
    groups: dict[str, list[Item]], depth: int, naming: Naming, vouched: bool = False, lone: bool = True
) -> set[str]:
    """Which of these folders and archives hold several students each: all of them, or none.

    It is not enough that one looks like a shelf: a student can give files the names of another student's. So an archive
    is no shelf beside what students handed in, and a single one only if it is all that there is.

    Args:
        groups: what lies on a shelf, without what a platform's names say to be a student's.
        depth: how many parts of their paths lead into them.
        naming: what their names mean.
        vouched: whether a platform's names say of most what lies there whose it is.
        lone: whether they are all that there is.
    """
    inner = {part: group for part, group in groups.items() if min(len(item.parts) for item in group) > depth}
    loose = vouched or any(map(_is_handed_in, groups.keys() - inner.keys()))
    if len(inner) == 1 and lone and not loose:
        return {part for part, group in inner.items() if _is_wrapper(part, group, depth, naming)}
    folders = {part: group for part, group in inner.items() if not part.endswith("!")}
    archives = {part: group for part, group in inner.items() if part.endswith("!")}
    shelves = _all_or_none(folders, depth, naming)
    if loose or len(shelves) < len(folders) or len(archives) == 1:
        return shelves
    return shelves | _all_or_none(archives, depth, naming)


def _is_handed_in(part: str) -> bool:
    """Whether somebody may have handed in a loose file of this name; a picture or a table lies there by accident."""
    return suffix(part) in (*NOTEBOOKS, ".zip", ".pdf", ".html", ".docx", ".odt")


def _all_or_none(groups: dict[str, list[Item]], depth: int, naming: Naming) -> set[str]:
    if any(_is_one_students(part, group, depth, naming) for part, group in groups.items()):
        return set()
    kinds = [_is_export(group, depth) or _is_lesson(part, groups, depth, naming) for part, group in groups.items()]
    several = all(kinds) or _are_sections(groups, depth, naming) or _hold_known(groups, depth, naming)
    return set(groups) if kinds and several else set()


def _is_one_students(part: str, group: list[Item], depth: int, naming: Naming) -> bool:
    """Whether a roster, or what lies in it, says that this is what one student handed in."""
    if naming.knows(naming.student(stem_of(part))) or is_checkout(group, depth):
        return True
    said = naming.assignment(part)
    return bool(said and naming.is_name(said.beside) and _has_nameless(group, depth, naming))


def is_checkout(group: Iterable[Item], depth: int) -> bool:
    """Whether a folder is a copy of a course: lessons lie where a course has them."""
    inside = ("/".join(item.parts[depth:]) for item in group)
    return any(re.match(r"(?:[^/]+/)?(?:notebooks|solutions)/\d\d_\w+\.ipynb$", path) for path in inside)


def without_course(found: Sequence[Item], ignored: list[str]) -> Iterator[Item]:
    """The same, in which of a copy of the course only notebooks and scripts are left, and none that belong to its code.

    Args:
        found: what was found.
        ignored: gets the paths of the copies.
    """
    roots = {item.parts[:at] for item in found for at in _course_begins(item.parts)} - {()}
    kept, first = dict.fromkeys(roots, 0), dict[tuple[str, ...], Item]()
    for item in found:
        root = next((item.parts[:at] for at in range(len(item.parts)) if item.parts[:at] in roots), None)
        first.setdefault(root or (), item)
        if root is None or not _is_courses(item.parts[len(root) :]):
            yield item
            kept.update({root: kept[root] + 1} if root else {})
    for root in sorted(roots):
        ignored.append(f"{_source_of(root)} (a copy of the course: all but its notebooks)")
        if not kept[root] and root in first:  # one within another is a part of that
            yield replace(first[root], parts=root, problem="This is a copy of the course without a notebook.")


_CODE = {"exercises_tests", "src", "tests", "book", "benchmarks", "_build"}
"""The folders of a course in which nobody works."""


def _course_begins(parts: tuple[str, ...]) -> Iterator[int]:
    """How many parts of a path lead to a copy of a course, by a file of its code."""
    for at, part in enumerate(parts[:-1]):
        if (part == "exercises_tests" and re.match(r"\d\d_", parts[at + 1])) or parts[at : at + 2] == (
            "src",
            "jaxcourse",
        ):
            yield at


def _is_courses(inside: tuple[str, ...]) -> bool:
    """Whether a path in a copy of a course leads to the course's own code, or to what is no notebook."""
    return (inside[0] in _CODE and len(inside) > 1) or suffix(inside[-1].removesuffix("!")) not in (*NOTEBOOKS, ".zip")


def _has_nameless(group: list[Item], depth: int, naming: Naming) -> bool:
    """Whether a notebook lies there whose name is nobody's, such as the lesson's own.

    In a class's folder it would be nobody's at all.
    """
    own = {stem_of(item.name) for item in group if len(item.parts) == depth + 1 and suffix(item.name) == ".ipynb"}
    return any(not naming.is_name(original(stem, own)[0]) for stem in own)


def _is_export(group: list[Item], depth: int) -> bool:
    inside = {item.parts[depth] for item in group}
    known = [part for part, who in _whose(inside).items() if who or re.fullmatch(r"submission_\d+", part)]
    return _METADATA in inside or 2 * len(known) > sum(map(_counts, inside))


def _counts(part: str) -> bool:
    """Whether a name says anything of a shelf: a table, such as a worksheet that was saved there, does not."""
    return suffix(part) != ".csv"


def _is_lesson(part: str, groups: Mapping[str, list[Item]], depth: int, naming: Naming) -> bool:
    """Whether a folder is named after an assignment, and holds several students.

    Args:
        part: the folder.
        groups: all that lie beside it, and what is in them.
        depth: how many parts of the paths lead into them.
        naming: what names mean.
    """
    said, names = naming.assignment(part), _named(groups[part], depth, naming)
    if not said or not names:
        return False
    if not naming.is_name(said.beside) or any(map(naming.on_roster, names)) or not said.sure:
        return True
    others = {other: about for other in groups if other != part and (about := naming.assignment(other))}
    if any(about.label == said.label for about in others.values()):  # `hw1-jdoe` beside `hw1-troe`
        return False
    return len(names) > 1 or any(names & _named(groups[other], depth, naming) for other in others)


def _is_wrapper(part: str, group: list[Item], depth: int, naming: Naming) -> bool:
    """Whether the only folder of all holds several students: an export, several names, copies, or shelves of them."""
    if _is_one_students(part, group, depth, naming):
        return False
    inside = _grouped(group, depth)
    several = len(_named(group, depth, naming)) > 1 or any(original(stem_of(name), ())[1] for name in inside)
    several = several or _is_lesson(part, {part: group}, depth, naming)
    return several or _is_export(group, depth) or bool(_shelves(inside, depth + 1, naming))


def _are_sections(folders: dict[str, list[Item]], depth: int, naming: Naming) -> bool:
    """Whether each has many names, most of which are in no other: a name may be in two, by accident or by intention."""
    names = [_named(group, depth, naming) for group in folders.values()]
    return all(len(some) >= SECTION for some in names) and 4 * len(set().union(*names)) >= 3 * sum(map(len, names))


def _hold_known(folders: dict[str, list[Item]], depth: int, naming: Naming) -> bool:
    """Whether all names in them are on the roster, and in one are several, or in none a loose file.

    A student may call a file by a login, and have modules beside it: that alone is no section of a class.
    """
    within = [_named(group, depth, naming) for group in folders.values()]
    known = [{naming.on_roster(naming.student(name)) for name in names} for names in within]
    loose = any(len(item.parts) == depth + 1 and not item.name.endswith("!") for item in chain(*folders.values()))
    return all(some and "" not in some for some in known) and (not loose or any(len(some) > 1 for some in known))


def _named(group: list[Item], depth: int, naming: Naming) -> set[str]:
    """The names on a shelf that may be students': of folders and archives with something in them, and of notebooks.

    A script is one only where nobody has a notebook: beside one, it is a module.
    """
    endings = (".ipynb",) if any(suffix(item.name) == ".ipynb" for item in group) else NOTEBOOKS
    inner = [item for item in group if len(item.parts) > depth + 1]
    folders = {item.parts[depth] for item in inner if suffix(item.name) != ".py" or ".py" in endings}
    files = {stem_of(item.name) for item in group if len(item.parts) == depth + 1 and suffix(item.name) in endings}
    numbers = {part for part in folders if part.isdecimal()}
    copies = _Copies(files | {stem_of(part) for part in folders})
    return numbers | {base for stem in copies.stems if naming.is_name(base := copies.of(stem)[0])}


# -- all of a class at once


def find(source: Path, lister: Lister = listing, facts: Facts = platforms_facts, naming: Naming = _NOBODY) -> Found:
    """Find every file that was handed in, and say whose it is. No notebook is opened.

    Args:
        source: a folder, a zip archive (a platform's export), or one notebook.
        lister: lists what is in an archive.
        facts: reads what a platform says of submissions.
        naming: what names mean in this class.

    Raises:
        FileNotFoundError: there is nothing of that name.
        ValueError: there is nothing in it.
    """
    if not source.exists():
        raise FileNotFoundError(f"There is no {source}: name the folder, the zip export or the notebook to be graded.")
    ignored: list[str] = []
    source = source.resolve()
    found = list(items_at(source, ignored, () if source.is_dir() else (source.name,), lister))
    if not found:
        raise ValueError(f"{source} is empty: there is nothing to grade.")
    found = list(without_course(found, ignored))
    is_export = len({item.parts[0] for item in found}) == 1 and found[0].parts[0] == source.name + "!"
    shelves = _Shelves(facts, ignored, naming)
    handed = tuple(_told_apart(_numbered(list(shelves.place(found, int(is_export))))))
    return Found(handed, tuple(map(printable, ignored)), tuple(shelves.named))


def _numbered(handed: list[Handed]) -> Iterator[Handed]:
    """Where one name has many numbers, `student_01` to `student_30`, the number is the student's, not the lesson's."""
    flat = {item.student for item in handed if item.by_file}
    counted = [match for student in flat if (match := re.fullmatch(r"(.*?)[\s_.-]*\d+", student))]
    one = len(counted) > 1 and len(counted) == len(flat) and len({match[1] for match in counted}) == 1
    for item in handed:
        yield replace(item, by_file=item.by_file and not one)


def _told_apart(handed: Iterable[Handed]) -> Iterator[Handed]:
    """Keys made unique: two exports may give one number to two people."""
    handed = list(handed)
    names: dict[str, set[str]] = {}
    for item in handed:
        names.setdefault(item.student, set()).add(item.name.casefold())
    for item in handed:
        shared = len(names[item.student]) > 1
        yield replace(item, student=f"{item.name} {item.student}") if shared else item
