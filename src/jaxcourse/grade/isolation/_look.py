"""A look around from inside of the walls: whether a student's process could come by what it must not have.

It runs in a process like a student's, which is ended afterwards. Three things are looked for: files that must not be
readable, by their names; text of the checks and solutions, in every file that can be read; and the same text in the
process's own memory, since a fork holds all that its parent held.
"""

from __future__ import annotations

import contextlib
import csv
import ctypes
import encodings.cp437  # noqa: F401  in which archives name their members; it cannot be imported later
import hashlib
import json
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

_ENOUGH = 3
"""How many lines of one secret a file must hold: one alone is a coincidence."""
_NO_TEXT = {"a", "afm", "dll", "exe", "gif", "h", "jpg", "mo", "otf", "png", "pyc", "so", "ttf"}
"""Suffixes of files that hold no text of ours. Compiled Python is known by its name, which is that of its source."""
_LARGEST = 4 * 2**20
"""Bytes of a file that is read: no check, no notebook and no zip of a course is larger."""
_COMPRESSED = {b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"}
"""How files begin that were compressed by gzip or by zlib."""
_CHUNK = 2**24
_SHIFT = bytes((code + 1) % 256 for code in range(256))


def hidden(text: str) -> bytes:
    """A text as it may be brought into a process that must not hold it: what is looked for must not be found there.

    Example:
        >>> hidden("HAL")
        b'IBM'
    """
    return text.encode().translate(_SHIFT)


# -- by name ----------------------------------------------------------------------------------------------------


def opened(paths: Iterable[str]) -> list[str]:
    """Which of some files can be read, and which folders listed."""
    return [path for path in paths if _can_be_read(path)]


def _can_be_read(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))
    except OSError:
        return False
    return True


# -- by text ----------------------------------------------------------------------------------------------------


def reachable(roots: Iterable[str]) -> Iterator[os.DirEntry[str]]:
    """Every file that can be reached from some folders, in no order; links are not followed."""
    folders = [root for root in roots if os.path.isdir(root)]
    while folders:
        try:
            with os.scandir(folders.pop()) as members:
                for member in members:
                    if member.is_dir(follow_symlinks=False):
                        folders.append(member.path)
                    elif member.is_file(follow_symlinks=False):
                        yield member
        except OSError:
            continue


def state(roots: Sequence[str]) -> str:
    """A digest of which files can be reached: it changes when one is added, renamed or put in the place of another."""
    names = sorted(f"{entry.path}\0{entry.inode()}" for entry in reachable(roots))
    return hashlib.sha256("\0".join([*roots, *names]).encode("utf-8", "surrogatepass")).hexdigest()


def told(roots: Sequence[str], lines: dict[str, str]) -> Iterator[str]:
    """The files that hold several lines of one secret, or are called like one.

    A file of the size that its distribution has noted for it is that distribution's, and is not read.

    Args:
        roots: folders and files that can be read.
        lines: the lines that are looked for, each with the name of the secret that it is from.
    """
    wanted = {form: (name, line) for line, name in lines.items() for form in _forms(line)}
    forms, called = frozenset(wanted), {os.path.basename(name).partition(".")[0] for name in lines.values()}
    shipped = _shipped(roots)
    for path in (*(root for root in roots if os.path.isfile(root)), *(entry.path for entry in reachable(roots))):
        stem, _, suffix = os.path.basename(path).partition(".")
        if stem in called:
            yield f"{path} (by its name)"
        elif suffix.rpartition(".")[2] not in _NO_TEXT and not _is_shipped(path, shipped):
            found = (_found(wanted[form] for form in forms.intersection(part.split(b"\n"))) for part in _parts(path))
            yield from (f"{path} ({name})" for name in found if name)


def _shipped(roots: Iterable[str]) -> dict[str, int]:
    """The files that distributions have installed, with their sizes."""
    found: dict[str, int] = {}
    for root in (root for root in roots if root.endswith(".dist-info")):
        folder = os.path.dirname(root)
        with contextlib.suppress(OSError), open(os.path.join(root, "RECORD"), encoding="utf-8", newline="") as file:
            rows = (row for row in csv.reader(file) if len(row) == 3 and row[2].isdigit())
            found |= {os.path.join(folder, row[0]): int(row[2]) for row in rows}
    return found


def _is_shipped(path: str, shipped: dict[str, int]) -> bool:
    return path in shipped and os.stat(path).st_size == shipped[path]


def _forms(line: str) -> Iterator[bytes]:
    """A line as it may stand in a file: more or less indented, in Python, or in a notebook's JSON."""
    for depth in range(0, 17, 4):
        indented = " " * depth + line
        yield indented.encode()
        text = json.dumps(indented, ensure_ascii=False)
        yield from (f'    {text[:-1]}\\n",'.encode(), f"    {text}".encode())


def _found(lines: Iterable[tuple[str, str]]) -> str:
    """The secret of which there are several lines; nothing if there is none."""
    counts = Counter(name for name, _ in set(lines))
    return next((name for name, count in counts.most_common(1) if count >= _ENOUGH), "")


def _parts(path: str) -> Iterator[bytes]:
    """What a file holds: itself, and what is compressed in it, as Git keeps its objects. Large files are left out."""
    try:
        if os.stat(path).st_size > _LARGEST:
            return
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return
    yield data
    if data[:2] == b"PK":
        yield from _members(path)
    elif data[:2] in _COMPRESSED:
        with contextlib.suppress(zlib.error):
            yield zlib.decompressobj(47).decompress(data, _LARGEST)


def _members(path: str) -> Iterator[bytes]:
    """The files of an archive, as far as they can be read."""
    broken = OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error
    with contextlib.suppress(*broken), zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as file:
                yield file.read(_LARGEST)


# -- in memory --------------------------------------------------------------------------------------------------


def remembered(texts: Iterable[bytes]) -> list[int]:
    """Which of some texts, given as `hidden`, are in this process's memory as they are: their positions."""
    left = list(texts)
    found: set[int] = set()
    longest = max(map(len, left), default=0)
    for begins, ends in list(_regions()):
        for start in range(begins, ends, _CHUNK):
            data = ctypes.string_at(start, min(_CHUNK + longest, ends - start)).translate(_SHIFT)
            found |= {i for i, text in enumerate(left) if i not in found and text in data}
    return sorted(found)


def _regions() -> Iterator[tuple[int, int]]:
    """Where this process keeps what is its own: not what is mapped from files, which `told` looks into."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        where, rights, _, _, inode, *name = line.split(maxsplit=5)
        if rights[:1] == "r" and inode == "0" and not any(part.startswith("[v") for part in name):
            begins, ends = (int(number, 16) for number in where.split("-"))
            yield begins, ends


LOOKS: dict[str, Callable[..., Any]] = {
    "opened": opened,
    "state": state,
    "told": lambda roots, lines: list(told(roots, lines)),
    "remembered": lambda texts: remembered(text.tobytes() for text in texts),
}
"""What can be looked for, by name."""
