"""The proof that the walls hold back what they must: solutions, checks, and whatever is the instructor's.

Before anybody's submission is run, a process like a student's tries to open all of it, by its names.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from jaxcourse.course import Course
from jaxcourse.paths import PACKAGE
from jaxcourse_grade.isolation import CannotStart, Forkserver, Limits, Process, ProcessGone, Terms
from jaxcourse_grade.judging._course import private

_AT_ONCE = 2_000
"""How many names are asked about in one request."""
_MOST_FILES = 20_000
"""How many files of a folder are tried by name."""
_SECONDS = 120


def require_walls(warm: Forkserver, terms: Terms, course: Course) -> None:
    """Look around from inside of the walls, and refuse to grade if there is anything within reach.

    Args:
        warm: where students' processes come from.
        terms: on which they run; without the protection `files` there is nothing to prove.
        course: whose checks and solutions are secret.

    Raises:
        CannotStart: what can be read, or that the look did not end.
    """
    if "files" not in terms.protections:
        return
    limits = Limits(piece_seconds=_SECONDS, seconds=_SECONDS)
    process = warm.fork(replace(terms, limits=limits), time.monotonic() + _SECONDS)
    try:
        found = _readable_files(process, names(course, map(Path, terms.hidden)))
    except ProcessGone as gone:
        raise CannotStart(f"The look around from inside of the walls did not come to its end: {gone.message}") from gone
    finally:
        process.end()
    if found:
        raise CannotStart(
            f"A submission could read what it must not: {', '.join(map(str, found[:3]))}. Nobody is graded like this: "
            "move it elsewhere, or remove it."
        )


def _readable_files(process: Process, secret: Iterator[str]) -> list[object]:
    """Which files can be read; a request holds so many names and no more."""
    while some := list(islice(secret, _AT_ONCE)):
        if found := process.request("opened", paths=some)["found"]:
            return list(found)
    return []


def names(course: Course, instructors: Iterable[Path] = ()) -> Iterator[str]:
    """The files of a course and of an instructor, and the folders of the latter: none may be readable.

    Our own modules and the interpreter may lie below the course's folder, and are left out; so are other environments,
    whose files are many, and nobody's secret.
    """
    needed = [PACKAGE, Path(sys.prefix).resolve()]
    for folder in dict.fromkeys(path.resolve() for path in private(course)):
        yield from islice(_below(folder, needed), _MOST_FILES)
    for place in dict.fromkeys(path.resolve() for path in instructors):
        yield str(place)
        yield from islice(_below(place, needed), _MOST_FILES)


def _below(place: Path, needed: list[Path]) -> Iterator[str]:
    if place.is_file():
        yield str(place)
    for folder, folders, files in os.walk(place):
        folders[:] = [name for name in folders if not _is_left_out(Path(folder, name), needed)]
        yield from (os.path.join(folder, name) for name in files)


def _is_left_out(folder: Path, needed: list[Path]) -> bool:
    return any(_holds(folder, path) for path in needed) or (folder / "pyvenv.cfg").exists()


def _holds(folder: Path, path: Path) -> bool:
    return folder == path or folder in path.parents
