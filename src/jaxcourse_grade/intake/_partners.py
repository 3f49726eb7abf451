"""Who works together, by the roster's column `Group`: asked about, or, where a teacher says so, given the same work."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
            self.found[read.student, read.lesson][read.sha256] = handed.source

    def of(self, student: str, stem: str) -> str:
        """What a partner handed in, if nobody else of a small group did; empty if there is none."""
        for mates in _mates(self.groups, student):
            theirs = {key: self.found[key, stem] for key in mates if (key, stem) in self.found}
            if len({digest for files in theirs.values() for digest in files}) == 1:
                key, files = next(iter(theirs.items()))
                return _PARTNER.format(mates[key].name, mates[key].group, *files.values())
        return ""


def shared(
    choices: Sequence[Choice], missing: Sequence[Submission], people: Sequence[Person]
) -> tuple[tuple[Choice, ...], tuple[Submission, ...], list[str]]:
    """Give what one of a group handed in to those of it who handed in nothing.

    Args:
        choices: what counts for whom.
        missing: who handed in nothing, for each lesson.
        people: of the roster, with their groups.

    Returns:
        What counts then, who is still missing, and what to say of groups that are none.
    """
    groups = _groups(people)
    rows = {(one.submission.student, one.submission.lesson): one for one in choices if not one.submission.unreadable}
    found, left = list(choices), list[Submission]()
    for one in missing:
        theirs = _of_mates(one, _mates(groups, one.student), rows)
        if len(theirs) == 1:
            found.append(_as(one, *theirs[0]))
        else:
            left.append(replace(one, look=_SEVERAL.format(theirs[0][0].group)) if theirs else one)
    large = [f"{group[0].group} ({len(group)})" for group in groups.values() if len(group) > MAX_PARTNERS]
    return tuple(found), tuple(left), [_SECTIONS.format(MAX_PARTNERS, ", ".join(large))] * bool(large)


def _of_mates(
    one: Submission, groups: Iterable[dict[str, Person]], rows: dict[tuple[str, str], Choice]
) -> list[tuple[Person, Choice]]:
    """What somebody's groups handed in of a lesson, each content once, with one of those who handed it in."""
    found = dict[str, tuple[Person, Choice]]()
    for mates in groups:
        for key, person in mates.items():
            if choice := rows.get((key, one.lesson)):
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
