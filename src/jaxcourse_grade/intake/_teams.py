"""Whose the numbers are that Moodle puts into names: participants', or teams'.

In a team assignment, Moodle since 4.1 calls what a team handed in `Team A_37_assignsubmission_file`, and 37 is the
group's number; the team of those who are in none is `Default group_assignsubmission_file`. What one student handed in
looks the same, `Jane Doe_37_assignsubmission_file`, with the participant's number. The grading worksheet knows both:
https://github.com/moodle/moodle/blob/main/mod/assign/classes/downloader.php.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jaxcourse_grade.intake._find import Handed
from jaxcourse_grade.intake._roster import Person, Roster, folded, is_called
from jaxcourse_grade.intake._times import by_worksheet

_TEAM = re.compile(r"(?:team|group|gruppe|groupe|équipe|equipe|grupo|equipo)\b.*", re.IGNORECASE)
"""What nobody is called."""
NO_WORKSHEET = (
    "This is a team's on Moodle, and nothing says who is in it: hand over the assignment's grading worksheet with "
    "`--moodle`, or enter it for each of them yourself."
)
_NOBODY = (
    "The worksheet knows no participant of this number and name, and no team of this name: its number was not used. "
    "Enter it yourself, or hand over the worksheet of this assignment."
)
_SEVERAL = (
    "The worksheet has a team of this name and a participant of this number and name, or two teams of this name: "
    "nobody was guessed. Enter it yourself."
)


def with_teams(
    handed: Sequence[Handed], sheets: Mapping[str, Roster], sheet: Roster | None, known: Roster
) -> Iterator[Handed]:
    """The same, in which a number of Moodle's is a participant's: of a team, each member has what it handed in.

    Args:
        handed: what was found.
        sheets: by the shelf, a grading worksheet that lies among what was handed in.
        sheet: the one for all other shelves, if there is one.
        known: who is in the class: of a name on that, the number is a participant's.
    """
    shelves = defaultdict[str, list[Handed]](list)
    for item in handed:
        if item.platform == "Moodle":
            shelves[shelf_of_moodle(item.source)].append(item)
    exports = {shelf: _Export(items, sheets.get(shelf, sheet), known) for shelf, items in shelves.items()}
    for item in handed:
        yield from exports[shelf_of_moodle(item.source)].whose(item) if item.platform == "Moodle" else [item]


def shelf_of(source: str) -> str:
    """What stands before a file's own name."""
    return source[: max(source.rfind("/"), source.rfind("!")) + 1]


def shelf_of_moodle(source: str) -> str:
    """What stands before the name that Moodle gave to a folder or a file."""
    return shelf_of(source[: source.find("_assignsubmission_")])


@dataclass(frozen=True)
class _Export:
    """What was handed in to one assignment, the worksheet, and who is in the class."""

    items: Iterable[Handed]
    sheet: Roster | None
    known: Roster

    def whose(self, item: Handed) -> list[Handed]:
        if self.sheet is None:
            return [self._unknown(item)]
        members, one = self._team(item), self._participant(item, self.sheet)
        if members and (one or self._shares_its_name(item)):
            return [_own_row(replace(item, name=f"{item.name} (team?)"), _SEVERAL)]
        if members:
            note = f"Handed in by a team of {len(members)}: {item.name}."
            team = replace(item, notes=(*item.notes, note), back="")
            return [_as(team, person) for person in members]
        return [_as(item, one)] if one else [_own_row(item, _NOBODY)]

    def _team(self, item: Handed) -> list[Person]:
        """The members of the team of this name; of the one without a number, those who are in no other."""
        people = self.sheet.people if self.sheet else ()
        named = [person for person in people if person.group and folded(person.group) == folded(item.name)]
        return named or [p for p in people if not item.student.isdecimal() and p.group in ("", "-")]

    def _shares_its_name(self, item: Handed) -> bool:
        return len({other.student for other in self.items if folded(other.name) == folded(item.name)}) > 1

    def _participant(self, item: Handed, sheet: Roster) -> Person | None:
        """Who has this number and this name; where marking is blind, the worksheet has no names."""
        one = next((person for person in sheet.people if person.id and person.id == item.student), None)
        blind = all(person.name == person.key for person in sheet.people)
        return one if one and (blind or is_called(one, item.name)) else None

    def _unknown(self, item: Handed) -> Handed:
        """Without a worksheet, a number is a participant's if the class has one of that name; else nobody knows."""
        if any(not other.student.isdecimal() for other in self.items) or _TEAM.fullmatch(item.name):
            return _own_row(item, NO_WORKSHEET)
        return item if any(is_called(person, item.name) for person in self.known.people) else replace(item, back="")


def _as(item: Handed, person: Person) -> Handed:
    return by_worksheet(replace(item, student=person.id or person.key, name=person.name), person)


def _own_row(item: Handed, note: str) -> Handed:
    """What was handed in, as nobody's: no number in its key is taken for a participant's."""
    key = f"{item.name}_{item.student}" if item.student.isdecimal() else item.student
    return replace(item, student=key, back="", look=note)
