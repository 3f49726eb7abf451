"""When something was handed in, by those who know it: never by the time of a download, a checkout or a copy.

A learning platform knows it, and says it in a name (`_LATE_`), in its worksheet or in its metadata. A commit says when
a file was changed, by the student's clock. The time of a file on this machine, or in an archive, is that of whatever
wrote it last: it counts only where an instructor says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from jaxcourse_grade._bounded import TooMuch
from jaxcourse_grade._records import Submission, minutes_late
from jaxcourse_grade.intake._commits import committed
from jaxcourse_grade.intake._find import Handed
from jaxcourse_grade.intake._read import SECONDS
from jaxcourse_grade.intake._roster import Person

COMMIT = "the commit"
FILE = "the file’s own time"
_Pair = tuple[Handed, Submission]


def with_times(
    pairs: Iterable[_Pair],
    source: Path,
    apart: Callable[..., Any],
    limits: Mapping[str, datetime],
    files_own: bool = False,
) -> Iterator[_Pair]:
    """The same, with when each was handed in, where a commit says so, or else a file's own time that may be believed.

    Args:
        pairs: what was handed in, and what was read of it.
        source: the folder, resolved, in which it was found.
        apart: calls a function in a process of its own.
        limits: when a lesson is due, if what came in time counts before what came late.
        files_own: whether files' own times are those of hand-in.
    """
    for handed, read in pairs:
        if not read.submitted and not handed.platform:
            commit = _commit(handed, source, apart)
            moment, told = (commit, COMMIT) if commit else (handed.arrived if files_own else "", FILE)
            read = replace(read, submitted=moment, told=told) if moment else read
        yield with_limit(handed, read, limits), read


def with_limit(handed: Handed, read: Submission, limits: Mapping[str, datetime]) -> Handed:
    """The same, with whether it came late for its lesson, if that decides which file counts."""
    return replace(handed, overdue=_is_late(read, limits[read.lesson])) if read.lesson in limits else handed


def in_zone(moment: str, due: datetime) -> str:
    """A moment without a time zone in that of the time when it was due.

    Example:
        >>> in_zone("2026-11-20T23:40:00", datetime.fromisoformat("2026-11-20T23:59:00+01:00"))
        '2026-11-20T23:40:00+01:00'
    """
    try:
        came = datetime.fromisoformat(moment)
    except ValueError:
        return moment
    return moment if came.tzinfo else came.replace(tzinfo=due.tzinfo).isoformat()


def _is_late(read: Submission, due: datetime) -> bool:
    late = minutes_late(in_zone(read.submitted, due), due.isoformat())
    return bool(read.late) if late is None else late > 0


def _commit(handed: Handed, source: Path, apart: Callable[..., Any]) -> str:
    """When the file was committed, if a clone was handed in."""
    if handed.members or handed.problem or not handed.path.is_relative_to(source):
        return ""
    parts = handed.path.relative_to(source).parts
    # A repository around what several students handed in is the instructor's: its commits say when it was collected.
    own = handed.place.count("/") + 1
    roots = (at for at in range(len(parts) - 1, own - 1, -1) if source.joinpath(*parts[:at], ".git").is_dir())
    at = next(roots, 0)
    if not at:
        return ""
    try:
        budgets = {f"{source.joinpath(*parts[:at])}/.git": SECONDS}
        moment: str = apart(committed, source.joinpath(*parts[:at]), parts[at:], budgets=budgets)
    except (TooMuch, Exception):
        return ""
    return moment


_LATE = re.compile(r"((?:\d+ [a-z]+ ?)+)\blate\b", re.IGNORECASE)


def by_worksheet(handed: Handed, person: Person) -> Handed:
    """The same, with what Moodle's worksheet says of when it came.

    An extension that was granted is told, and then no time is: the lesson was not due for this student when it was for
    others.

    Example:
        >>> tom = Person("Tom", handed="2026-11-21T02:02:00", status="Submitted for grading - 2 hours 3 mins late")
        >>> found = by_worksheet(Handed(Path("x"), (), "x", "104", "Tom"), tom)
        >>> found.submitted, found.told, found.late
        ('2026-11-21T02:02:00', 'Moodle', '2 hours 3 mins late, says Moodle')
    """
    late = _LATE.search(person.status)
    said = f"{late[1].strip()} late, says Moodle" if late else ""
    if "extension" in person.status.casefold():
        return replace(handed, late=said, notes=(*handed.notes, f"Moodle says: {person.status}."))
    return replace(handed, late=said, submitted=person.handed, told="Moodle" if person.handed else "")
