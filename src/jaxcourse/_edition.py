"""Which edition of the course is installed, and what of a course is in it: all but what is withheld today.

The version changes whenever what readers install changes. This file needs nothing but the standard library, because
whoever builds the wheel runs it alone.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RELEASE = "2026.11.0"
"""The year, the month, and the number of the last release in it: `jaxcourse release` writes it."""
_PACKAGE = Path(__file__).resolve().parent
_LEFT_OUT = ("__pycache__", "_course")
CHECKS, TEXTS, WITHHELD = "exercises_tests", "solutions/course.json", "solutions/withheld"
"""Of a course: the folder of the checks, what the lessons say, and the folder of what some of them withhold."""
DATA = "notebooks"
"""The folder of a course that has the files that lessons read, in a checkout and in the wheel."""
ALWAYS = "always"
"""Until when something is withheld that never comes out."""


def edition() -> str:
    """The edition that is installed: of a wheel its version, of a checkout what its files give now.

    Example:
        >>> edition().startswith(f"{RELEASE}+e")
        True
    """
    if (_PACKAGE / "_course").exists():
        return importlib.metadata.version("jaxcourse")
    return of_files(_PACKAGE, _PACKAGE.parents[1])


def __getattr__(name: str) -> str:
    """`jaxcourse.__version__`, worked out when it is asked for: the package imports this function as its own."""
    if name != "__version__":
        raise AttributeError(f"module 'jaxcourse' has no attribute {name!r}")
    return edition()


def of_files(package: Path, course: Path) -> str:
    """The edition that files make: the release, and a digest of the package, the checks and what the lessons say.

    It is the same on every machine: names in order, line ends as on Unix. The letter keeps a digest of ten figures
    from being read as a number.

    Args:
        package: the folder of the package `jaxcourse`.
        course: the folder with `exercises_tests` and `solutions/course.json`.
    """
    digest = hashlib.sha256()
    for name, path in sorted(_installed_files(package, course)):
        data = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return f"{RELEASE}+e{digest.hexdigest()[:10]}"


def published_files(course: Path) -> Iterator[tuple[str, Path]]:
    """What of a course its readers install, by its place in the course: not what a lesson withholds today.

    Args:
        course: its folder.
    """
    until = _until(course)
    withheld = {stem for stem, when in until.items() if not is_over(when)}
    for path in sorted((course / CHECKS).rglob("*")):
        place = path.relative_to(course / CHECKS)
        if path.is_file() and not _is_left(place) and place.parts[0] not in withheld:
            yield f"{CHECKS}/{place.as_posix()}", path
    yield TEXTS, course / TEXTS
    for name in sorted({name for text in _texts(course).values() for name in text.get("files", ())}):
        yield f"{DATA}/{name}", course / DATA / name
    for stem in sorted(until.keys() - withheld):
        if (path := course / WITHHELD / f"{stem}.json").exists():
            yield f"{WITHHELD}/{stem}.json", path


def _until(course: Path) -> dict[str, str]:
    """Until when the lessons withhold something that do, by stem."""
    said = {stem: text.get("withheld") for stem, text in _texts(course).items()}
    return {stem: one["until"] for stem, one in said.items() if one}


def _texts(course: Path) -> dict[str, dict[str, Any]]:
    """What the lessons say, by stem."""
    return dict(json.loads((course / TEXTS).read_text(encoding="utf-8")))


def is_over(until: str) -> bool:
    """Whether what was withheld is so no more, by this machine's clock.

    Args:
        until: when, in ISO 8601 with an offset, or `ALWAYS`.

    Example:
        >>> is_over("2020-12-18T18:00:00+01:00"), is_over("2999-12-18T18:00:00+01:00"), is_over(ALWAYS)
        (True, False, False)
    """
    return until != ALWAYS and datetime.fromisoformat(until) <= datetime.now(UTC)


def _installed_files(package: Path, course: Path) -> Iterator[tuple[str, Path]]:
    """What the wheel holds, by a name that is the same in a checkout and where it is installed."""
    for path in package.rglob("*"):
        place = path.relative_to(package)
        if path.is_file() and not _is_left(place):
            yield f"package/{place.as_posix()}", path
    yield from published_files(course)


def _is_left(place: Path) -> bool:
    """Whether a file is what tools leave behind, or of a course that lies in the package."""
    return any(part.startswith(".") or part in _LEFT_OUT for part in place.parts)
