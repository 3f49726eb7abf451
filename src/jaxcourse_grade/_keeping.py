"""From whom a class is kept: other accounts of the machine, and the world, to which a repository may be public."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from jaxcourse_grade._store import atomic_write

_SECONDS = 20
_NOT_IGNORED = 1
"""What `git check-ignore` exits with for what a commit would take; 0 is ignored, and 128 is no repository."""


def make_private(folder: Path) -> None:
    """Make a folder that this account alone can open; one that is there keeps its rights.

    Raises:
        OSError: it cannot be made.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as place:
        ...     make_private(Path(place, "class", "grades"))
        ...     oct(Path(place, "class", "grades").stat().st_mode & 0o777)
        '0o700'
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def hide_from_git(folder: Path) -> None:
    """Let no `git add` take what is in a folder; a `.gitignore` that is there stays.

    Raises:
        OSError: the folder cannot be written.
    """
    if not (ignored := folder / ".gitignore").exists():
        atomic_write(ignored, "# People's names, marks and code.\n*\n")


def exposure_notes(kept: Path, own: Iterable[Path]) -> Iterator[str]:
    """What to tell an instructor of who else could see the class.

    Git is asked in the folders around what is named, never in what students handed in: it would do what the settings of
    a student's clone say.

    Args:
        kept: the folder of results, which hides itself from git.
        own: what the instructor brought along: submissions, tables, decisions.
    """
    if os.name == "posix" and kept.stat().st_mode & 0o077:
        yield f"Other accounts of this machine may look into {kept}: `chmod 700 {kept}` closes it."
    open_to_all = [path for path in own if _would_be_committed(path)]
    if open_to_all:
        names = ", ".join(map(str, open_to_all))
        yield (
            f"In a repository, and not ignored there: {names}. One `git add -A` and a push would publish names and "
            "work. Keep the class outside of the course's folder."
        )


def _would_be_committed(path: Path) -> bool:
    """Whether a path lies in the working tree of a repository that does not ignore it."""
    git, place = shutil.which("git"), path.absolute()
    if not git:
        return False
    # No hook, monitor or helper of a repository is wanted for a question about names.
    ask = [
        git,
        "-c",
        "core.fsmonitor=false",
        "-c",
        f"core.hooksPath={os.devnull}",
        "check-ignore",
        "--quiet",
        str(place),
    ]
    try:
        done = subprocess.run(ask, cwd=place.parent, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == _NOT_IGNORED
