"""Which edition of the course is installed: a version that changes whenever what readers install changes.

It needs nothing but the standard library, because whoever builds the wheel runs this file alone.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

RELEASE = "2026.11.0"
"""The year, the month, and the number of the last release in it: `jaxcourse release` writes it."""
_PACKAGE = Path(__file__).resolve().parent
_LEFT_OUT = ("__pycache__", "_course")


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

    What the lessons say names the files that they read, with digests of these. The edition is the same on every
    machine: names in order, line ends as on Unix. The letter keeps a digest of ten figures from being read as a number.

    Args:
        package: the folder of the package `jaxcourse`.
        course: the folder with `exercises_tests` and `solutions/course.json`.
    """
    digest = hashlib.sha256()
    for name, path in sorted(_installed(package, course)):
        data = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return f"{RELEASE}+e{digest.hexdigest()[:10]}"


def _installed(package: Path, course: Path) -> Iterator[tuple[str, Path]]:
    """What the wheel holds, by a name that is the same in a checkout and where it is installed."""
    for kind, folder in (("package", package), ("checks", course / "exercises_tests")):
        for path in folder.rglob("*"):
            place = path.relative_to(folder)
            if path.is_file() and not any(part.startswith(".") or part in _LEFT_OUT for part in place.parts):
                yield f"{kind}/{place.as_posix()}", path
    yield "lessons", course / "solutions" / "course.json"
