"""The files of a course, which of them keep the names of their time, and `book/moved.yml`, which keeps all names."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import yaml

from jaxcourse.course import TEXTS, WITHHELD
from jaxcourse_author.lesson import MOVED, declared_moves

_HEAD = """\
# Names that lessons have had. Exercises have had some, too. Notebooks, marks and links of readers have them still, and
# are led to the names of today. `jaxcourse move lesson` and `jaxcourse rename exercise` write this file; nothing is
# ever taken out of it.
"""
_HISTORY = (MOVED, Path("CHANGELOG.md"))
"""What says how lessons and exercises were called at a time."""


def files(root: Path) -> list[Path]:
    """The files of a course as its repository lists them; without one, all that are not hidden or built."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        found = [Path(name) for name in listed.stdout.split("\0") if name]
    else:
        found = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
        found = [path for path in found if not any(part.startswith((".", "_build")) for part in path.parts[:-1])]
    return sorted(path for path in set(found) if (root / path).is_file() and not (root / path).is_symlink())


def is_generated(path: Path) -> bool:
    """Whether `jaxcourse notebooks` writes a file."""
    is_notebook = path.suffix == ".ipynb" and path.parts[0] in ("notebooks", "solutions")
    return is_notebook or path == Path(TEXTS) or path.is_relative_to(WITHHELD)


def text_of(path: Path) -> str:
    """What a file says; nothing if it is none of text."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return ""


def keeps_names(root: Path) -> Callable[[Path], bool]:
    """Whether a file keeps the names of its time: what says how things were called, and what was recorded.

    Args:
        root: the course's folder.
    """
    recorded = [Path(str(one)) for one in declared_moves(root).get("recorded", [])]
    return lambda path: path in _HISTORY or any(path.is_relative_to(one) for one in recorded)


def remember(root: Path, what: str, was: str, now: str) -> None:
    """Keep what something was called.

    Args:
        root: the course's folder.
        what: `lessons` or `exercises`.
        was: its earlier name.
        now: its name from now on.
    """
    kept = declared_moves(root)
    path = root / MOVED
    path.parent.mkdir(exist_ok=True)
    kept |= {what: [*kept.get(what, []), {"was": was, "now": now}]}
    said = yaml.safe_dump(kept, sort_keys=False, default_flow_style=None)
    path.write_text(_HEAD + said, encoding="utf-8", newline="\n")
