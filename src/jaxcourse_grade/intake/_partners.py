"""Who works together: asked about, or, where a teacher says so, given the same work.

The roster's column `Group` says it, or the name of what was handed in: a group's, or several people's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from jaxcourse_grade._records import Submission
from jaxcourse_grade.intake._find import Handed
from jaxcourse_grade.intake._read import Choice
from jaxcourse_grade.intake._roster import Person, folded

MAX_PARTNERS = 8
"""A group of more people than these is a section of the class, and not a team."""

_PARTNER = (
    "{} of the same group ({}) handed in `{}`. If it is theirs together, write the points for this one into "
    "`marks.csv`: `student,lesson,points,comment`. If all groups work together, grade with `--groups`."
)
_SEVERAL = "In this group ({}), several handed in, each something else: nobody knows which is this one's. Decide."
_TOGETHER = "Handed in by {}, for the group {}."
_TEAM = re.compile(r"(?:team|group|groupe|gruppe|équipe|equipe|grupo|equipo)(?=\w)", re.IGNORECASE)
_BETWEEN = re.compile(r"[\W_]+(?:(?:and|und|et|y|e|with|mit)[\W_]+)?", re.IGNORECASE)
_MOST_WORDS = 20
"""Of a name in which several people's are looked for."""
_SECTIONS = "More than {} people are no group that hands in together, so each of them was taken alone: {}."


class Partners:
    """Who of a group on the roster handed in for the others, perhaps.

    Args:
        people: of the roster.
        pairs: what was handed in, and what was read of it.
    """

    def __init__(self, people: Sequence[Person], pairs: Iterable[tuple[Handed, Submission]]) -> None:
        self.groups = _groups(people)
        self.found = defaultdict[tuple[str, str], dict[str, str]](dict)
        for handed, read in pairs:
            if not _is_blank(read):
                self.found[read.student, read.lesson][read.sha256] = handed.source

    def of(self, student: str, stem: str) -> str:
        """What a partner handed in, if nobody else of a small group did; empty if there is none."""
        for mates in _mates(self.groups, student):
            theirs = {key: self.found[key, stem] for key in mates if (key, stem) in self.found}
            if len({digest for files in theirs.values() for digest in files}) == 1:
                key, files = next(iter(theirs.items()))
                return _PARTNER.format(mates[key].name, mates[key].group, *files.values())
        return ""


Meant = Mapping[str, tuple[Person, ...]]
"""Whom keys stand for that match nobody on the roster."""


def meant(names: Mapping[str, Iterable[str]], people: Sequence[Person], one: Callable[[str], Person | None]) -> Meant:
    """Whom a key stands for that matches nobody: a group, several people, or whoever a file of theirs is called after.

    Args:
        names: by the key, what it is called, and the parts of the paths of what was handed in.
        people: of the roster.
        one: the person whom a name means; None if it means nobody, or several.
    """
    groups = {_team(name): tuple(group) for name, group in _groups(people).items() if len(group) <= MAX_PARTNERS}
    found = {}
    for key, called in names.items():
        called = [name for name in called if not name.isdecimal()]
        several = [groups.get(_team(folded(name))) or _several(name, one) for name in called]
        alone = [(person,) for name in called if (person := one(name))]
        found[key] = next(filter(None, (*several, *alone)), ())
    return {key: some for key, some in found.items() if some}


def _team(folded_name: str) -> str:
    """A group's name without a word for it: on the roster, `Team 2` may be `2`."""
    return _TEAM.sub("", folded_name, count=1)


def _several(name: str, one: Callable[[str], Person | None]) -> tuple[Person, ...]:
    """The people, two or more, of whose names a name consists.

    Example:
        >>> known = {name: Person(name, login=name[:3]) for name in ("ann lee", "bob")}
        >>> [[person.login for person in _several(name, known.get)] for name in ("Ann Lee & Bob", "bob_final", "bob")]
        [['ann', 'bob'], [], []]
    """
    words = [word for word in _BETWEEN.split(name.casefold()) if word][: _MOST_WORDS + 1]
    found: dict[int, tuple[Person, ...]] = {0: ()}
    for end in range(1, len(words) + 1):
        begun = [start for start in range(end) if start in found]
        ends = ((*found[start], person) for start in begun if (person := one(" ".join(words[start:end]))))
        if people := next(ends, ()):
            found[end] = people
    people = found.get(len(words), ()) if len(words) <= _MOST_WORDS else ()
    return people if len({person.key for person in people}) > 1 else ()


def shared(
    choices: Sequence[Choice], missing: Sequence[Submission], people: Sequence[Person], named: Meant
) -> tuple[tuple[Choice, ...], tuple[Submission, ...], list[str]]:
    """Give what one of a group handed in to those of it who handed in nothing, or the blank notebook.

    Args:
        choices: what counts for whom.
        missing: who handed in nothing, for each lesson.
        people: of the roster, with their groups.
        named: whom keys stand for. Of a group, each has what was handed in under its name.

    Returns:
        What counts then, who is still missing, and what to say of groups that are none.
    """
    groups = _groups(people)
    works = {_row(one): one for one in choices if not (one.submission.unreadable or _is_blank(one.submission))}
    teams = {key: some for key, some in named.items() if _are_a_group(some, groups.values())}
    idle = [one.submission for one in choices if _is_blank(one.submission)]
    found, left, given = dict[tuple[str, str], Choice](), list[Submission](), set[tuple[str, str]]()
    for one in (*missing, *idle):
        offered = (*_of_mates(one, _mates(groups, one.student), works), *_of_team(one, teams, works))
        theirs = list({choice.submission.sha256: (mate, choice) for mate, choice in offered}.values())
        if len(theirs) == 1:
            ((mate, choice),) = theirs
            found[one.student, one.lesson] = _as(one, mate, choice)
            given.add(_row(choice))
        elif not one.source:
            left.append(replace(one, look=_SEVERAL.format(theirs[0][0].group)) if theirs else one)
    given &= {(key, lesson) for key, lesson in given if key in teams}
    kept = [one for one in choices if _row(one) not in found.keys() | given]
    large = [f"{group[0].group} ({len(group)})" for group in groups.values() if len(group) > MAX_PARTNERS]
    return (*kept, *found.values()), tuple(left), [_SECTIONS.format(MAX_PARTNERS, ", ".join(large))] * bool(large)


def _row(choice: Choice) -> tuple[str, str]:
    return choice.submission.student, choice.submission.lesson


def _is_blank(read: Submission) -> bool:
    """Whether it is just as it was handed out, and so nobody's work."""
    return read.basis.published == "blank"


def _are_a_group(some: Sequence[Person], groups: Iterable[Sequence[Person]]) -> bool:
    keys = {person.key for person in some}
    return len(keys) > 1 and any(keys <= {person.key for person in group} for group in groups)


def _of_team(one: Submission, teams: Meant, works: Mapping[tuple[str, str], Choice]) -> Iterator[tuple[Person, Choice]]:
    """What was handed in under the name of a group that somebody is in."""
    for key, members in teams.items():
        me = next((person for person in members if person.key == one.student), None)
        if me and (choice := works.get((key, one.lesson))):
            yield replace(me, name=choice.submission.name), choice


def _of_mates(
    one: Submission, groups: Iterable[dict[str, Person]], works: Mapping[tuple[str, str], Choice]
) -> list[tuple[Person, Choice]]:
    """What somebody's groups handed in of a lesson, each content once, with one of those who handed it in."""
    found = dict[str, tuple[Person, Choice]]()
    for mates in groups:
        for key, person in mates.items():
            if choice := works.get((key, one.lesson)):
                found.setdefault(choice.submission.sha256, (person, choice))
    return list(found.values())


def _as(one: Submission, mate: Person, theirs: Choice) -> Choice:
    """The row of a mate's as somebody else's; a platform takes files back for whoever handed in."""
    note = _TOGETHER.format(mate.name, mate.group)
    notes = (*theirs.submission.notes, note)
    return replace(
        theirs, submission=replace(theirs.submission, student=one.student, name=one.name, back="", notes=notes)
    )


def _groups(people: Sequence[Person]) -> dict[str, list[Person]]:
    """People by their groups; somebody may be in several."""
    groups = defaultdict[str, list[Person]](list)
    for person in people:
        for group in re.split(r"[,;]", person.group):
            if folded(group):
                groups[folded(group)].append(person)
    return groups


def _mates(groups: dict[str, list[Person]], student: str) -> Iterator[dict[str, Person]]:
    """The small groups that somebody is in, each by its members' keys."""
    for group in groups.values():
        mates = {person.key: person for person in group}
        if student in mates and len(mates) <= MAX_PARTNERS:
            yield mates
