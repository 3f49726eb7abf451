"""The proof that the walls hold back what they must: solutions, checks, and whatever is the instructor's.

A process like a student's looks for all that before anybody's submission is run. What it looks for by name is tried
each time, since that costs next to nothing. The text of every file that can be read is looked through when something
has changed among them, in our checks or in our package.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from jaxcourse._paths import PACKAGE
from jaxcourse.course import Course
from jaxcourse.grade._store import atomic_write
from jaxcourse.grade.isolation import CannotStart, Forkserver, Gone, Limits, Process, Terms, hidden
from jaxcourse.grade.judging._course import fingerprint, private, solved_notebooks

_SHORTEST, _LINES, _SAMPLE = 32, 200, 8
"""How long a line must be to tell something, how many of each secret are sought in files, and how many in memory."""
_AT_ONCE = 2_000
"""How many names are asked about in one request."""
_MOST_FILES = 20_000
"""How many files of a folder are tried by name."""
_SECONDS = 120
_OF_ANYBODY = ("import ", "from ", "#", "@", "def ", '"""', "assert ", "return np.", "return jnp.")
"""Beginnings of lines that say little."""


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
        found = _opened(process, names(course, map(Path, terms.hidden)))
        found = found or _texts(process, warm.readable, course, Path(f"{terms.cache}-inputs"))
    except Gone as gone:
        raise CannotStart(f"The look around from inside of the walls did not come to its end: {gone.message}") from gone
    finally:
        process.end()
    if found:
        raise CannotStart(
            f"A submission could read what it must not: {', '.join(map(str, found[:3]))}. Nobody is graded like this: "
            "move it elsewhere, or remove it."
        )


def _look(process: Process, at: str, *given: object) -> list[object]:
    found = process.request("look", at=at, given=list(given)).get("found")
    return found if isinstance(found, list) else [found]


# -- by name ----------------------------------------------------------------------------------------------------


def _opened(process: Process, secret: Iterator[str]) -> list[object]:
    """Which files can be read; a request holds so many names and no more."""
    while some := list(islice(secret, _AT_ONCE)):
        if found := _look(process, "opened", some):
            return found
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


# -- by text ----------------------------------------------------------------------------------------------------


def _texts(process: Process, readable: list[str], course: Course, folder: Path) -> list[object]:
    """Which files hold lines of a secret, or which secret is remembered; nothing where that is known already."""
    folder.mkdir(parents=True, exist_ok=True)
    roots = [path for path in readable if not path.startswith(("/proc", "/sys", "/dev"))]
    known = folder / "walls.json"
    with (folder / "walls.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = [fingerprint(course), *_look(process, "state", roots)]
        if known.exists() and json.loads(known.read_text(encoding="utf-8")) == state:
            return []
        lines = telling(course)
        found = [f"the memory that it inherits ({name})" for name in _remembered(process, lines)]
        found += map(str, _look(process, "told", roots, lines))
        if not found:
            atomic_write(known, json.dumps(state))
        return list(found)


def _remembered(process: Process, lines: Mapping[str, str]) -> Iterator[str]:
    """The secrets that a process holds in its memory.

    One line alone is a coincidence, since a library may have the same. Where one is found, others of that secret are
    looked for: what holds one has them all.
    """
    for name in {lines[line] for line in _held(process, lines)[0]}:
        held, drawn = _held(process, [line for line in lines if lines[line] == name])
        if len(held) > len(drawn) / 2:
            yield name


def _held(process: Process, lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """Of some lines drawn at random those that are in a process's memory, and all that were drawn."""
    every = sorted(lines)
    drawn = secrets.SystemRandom().sample(every, min(_SAMPLE, len(every)))
    found = _look(process, "remembered", [np.frombuffer(hidden(line), np.uint8) for line in drawn])
    return [drawn[i] for i in found if isinstance(i, int)], drawn


def telling(course: Course) -> dict[str, str]:
    """Lines that tell something of a check or a solution, each with the name of the file that it is from.

    Example:
        >>> lines = telling(Course.installed())
        >>> "solutions/00_start_here.ipynb" in lines.values(), all(len(line) >= 32 for line in lines)
        (True, True)
    """
    found: dict[str, str] = {}
    for path in course.check_files():
        code = path.read_text(encoding="utf-8").splitlines()
        found |= dict.fromkeys(islice(_telling(code), _LINES), f"exercises_tests/{path.name}")
    for path in solved_notebooks(course):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        of_solutions = ["".join(cell["source"]) for cell in cells if _is_solution(cell)]
        code = [line for source in of_solutions for line in source.splitlines()]
        found |= dict.fromkeys(_telling(code), f"solutions/{path.name}")
    return found


def _is_solution(cell: dict[str, object]) -> bool:
    metadata = cell["metadata"]
    return isinstance(metadata, dict) and metadata.get("jaxcourse", {}).get("role") == "solution"


def _telling(code: Iterable[str]) -> Iterator[str]:
    lines = dict.fromkeys(line.strip() for line in code)
    return (line for line in lines if len(line) >= _SHORTEST and not line.startswith(_OF_ANYBODY))
