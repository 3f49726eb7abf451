"""When a student's commit says that a file was changed, where a clone of a repository was handed in.

Git does what a repository's own settings say: it starts monitors, filters, helpers and programs for signatures, and
fetches what is lacking. So git never meets the student's. It is given an empty repository of ours, and of the student's
nothing but the folder of objects, which are data; the commit to begin with is read here. The commands are plumbing that
lists and compares objects, and writes nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from jaxcourse_grade.intake._files import Unreadable, load
from jaxcourse_grade.intake._names import day

SECONDS = 20
"""For each command of git's."""
_MOST = 2**20
"""Bytes of a file in which a repository names commits."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SETTINGS = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tcommitGraph = false\n\tmultiPackIndex = false\n"


def committed(root: Path, parts: tuple[str, ...]) -> str:
    """When the last commit that changed a file was made, by the clock of whoever made it.

    Args:
        root: the folder of a repository's working tree.
        parts: the file's path below it.

    Returns:
        A moment in ISO 8601. Empty where none is known: the file is not as it was committed, the clone is too shallow
        to say, there is no git here, or this is no ordinary repository.
    """
    git, folder = shutil.which("git"), root / ".git"
    try:
        head = _head(folder) if git and _is_folder(folder) and _is_folder(folder / "objects") else ""
        data = load(root.joinpath(*parts))
    except (OSError, Unreadable, UnicodeError):
        return ""
    if not git or not _COMMIT.fullmatch(head):
        return ""
    with TemporaryDirectory() as ours:
        shallow = _prepare(Path(ours), folder)
        ask = _Git(git, Path(ours), folder / "objects")
        name = "/".join(parts)
        if ask("ls-tree", "-z", head, "--", name).split("\t")[0].split(" ")[-1] != _blob(data):
            return ""
        seconds, _, commit = ask("rev-list", "-1", "--timestamp", head, "--", name).strip().partition(" ")
    return day(float(seconds)) if _COMMIT.fullmatch(commit) and commit not in shallow else ""


class _Git:
    """Asks git about a folder of objects, from a repository of ours; an answer is empty where git fails."""

    def __init__(self, git: str, ours: Path, objects: Path) -> None:
        self.git, self.ours = git, ours
        self.environment = {
            "PATH": os.defpath,
            "HOME": str(ours),
            "LC_ALL": "C",
            "GIT_DIR": str(ours),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def __call__(self, *command: str) -> str:
        try:
            done = subprocess.run(
                [self.git, *command],
                cwd=self.ours,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return ""
        return done.stdout.decode("utf-8", "replace")


def _prepare(ours: Path, theirs: Path) -> set[str]:
    """Make an empty repository that knows where a shallow clone ends; the commits there."""
    for name in ("objects", "refs"):
        (ours / name).mkdir()
    (ours / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
    (ours / "config").write_text(_SETTINGS, encoding="ascii")
    shallow = {line for line in _text(theirs / "shallow").split("\n") if _COMMIT.fullmatch(line)}
    if shallow:
        (ours / "shallow").write_text("".join(f"{commit}\n" for commit in sorted(shallow)), encoding="ascii")
    return shallow


def _head(folder: Path) -> str:
    """The commit that is checked out; empty if that cannot be told."""
    said = _text(folder / "HEAD").strip()
    named = re.fullmatch(r"ref: (refs(?:/(?!\.)[\w.+@-]+)+)", said)
    if not named:
        return said
    places = [folder.joinpath(*named[1].split("/")[:depth]) for depth in range(1, named[1].count("/") + 1)]
    loose = _text(folder / named[1]).strip() if all(map(_is_folder, places)) else ""
    packed = re.search(rf"^([0-9a-f]{{40}}) {re.escape(named[1])}$", _text(folder / "packed-refs"), re.MULTILINE)
    return loose or (packed[1] if packed else "")


def _text(path: Path) -> str:
    """A small ordinary file; empty if it is none."""
    try:
        if os.stat(path, follow_symlinks=False).st_size > _MOST:
            return ""
        return load(path).decode("utf-8", "replace")
    except (OSError, Unreadable):
        return ""


def _is_folder(path: Path) -> bool:
    """Whether there is a folder, and not a link to one."""
    try:
        return stat.S_ISDIR(os.stat(path, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _blob(data: bytes) -> str:
    """What git calls a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
