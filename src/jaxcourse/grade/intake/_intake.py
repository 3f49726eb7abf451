"""A class, taken in: what counts for each student, who is missing, and what the instructor should know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxcourse.grade._records import Submission
from jaxcourse.grade.intake._find import Handed, find
from jaxcourse.grade.intake._read import Choice, Lessons, choose, glance
from jaxcourse.grade.intake._roster import Matched, enrol, match, read_roster


@dataclass(frozen=True)
class Intake:
    """The class, sorted.

    Attributes:
        choices: what counts, one for each student and lesson.
        missing: who is on the roster and handed in nothing, with the lesson.
        columns: what the roster says of a student, for the table of grades.
        notes: what the instructor should know: files ignored, names that match nobody.
    """

    choices: tuple[Choice, ...]
    missing: tuple[Submission, ...] = ()
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def take_in(
    source: Path, lessons: Lessons, *, lesson: str = "", roster: Path | None = None, without: Path | None = None
) -> Intake:
    """Find what was handed in, and sort it.

    Args:
        source: a folder, a zip of a learning platform, or one notebook.
        lessons: the lessons that can be graded.
        lesson: take every notebook to be this one; otherwise each says which it is.
        roster: a table of the class.
        without: a folder that is not the class's, such as that of the results.

    Raises:
        FileNotFoundError: there is nothing there.
        ValueError: there is nothing in it, or the roster cannot be read.
    """
    people = read_roster(roster) if roster else None
    found = find(source, without)
    pairs = _in_the_only_lesson([(handed, glance(handed, lessons, lesson)) for handed in found.handed])
    if people is None:
        return Intake(tuple(choose(pairs)), notes=found.ignored)
    matched = match({read.student: read.name for _, read in pairs}, people)
    choices = tuple(choose(enrol(pairs, matched)))
    stems = sorted({choice.submission.lesson for choice in choices} & lessons.keys()) or [lesson]
    absent = (Submission(person.key, person.name, stem, "") for person in matched.missing for stem in stems if stem)
    columns = {person.key: {"id": person.id, "login": person.login, "email": person.email} for person in people.people}
    return Intake(choices, tuple(absent), columns, (*found.ignored, *_unmatched(matched)))


def _in_the_only_lesson(pairs: list[tuple[Handed, Submission]]) -> list[tuple[Handed, Submission]]:
    """The same files; one that cannot be read counts for the lesson of all the others, if there is only one."""
    stems = {read.lesson for _, read in pairs if not read.unreadable}
    if len(stems) != 1:
        return pairs
    (only,) = stems
    return [(handed, read if read.lesson else replace(read, lesson=only)) for handed, read in pairs]


def _unmatched(matched: Matched) -> Iterator[str]:
    for key in matched.unknown:
        yield f"{key} matches nobody on the roster."
    for key, people in matched.ambiguous.items():
        yield f"{key} may be {' or '.join(person.name for person in people)}: the roster does not say which."
