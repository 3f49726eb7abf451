"""How files are kept: written whole or not at all, under names that every file system takes."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from pathlib import Path

_TAKEN = r"(?:aux|con|nul|prn|com\d|lpt\d)(?:\..*)?"
"""Names that Windows keeps for devices."""
_PLAIN = re.compile(rf"(?!{_TAKEN}$)(?!.*-[0-9a-f]{{16}}$)(?=.{{1,60}}$)[a-z0-9]+(?:[._-][a-z0-9]+)*")


def atomic_write(path: Path, text: str | bytes) -> None:
    """Write a file so that, whenever the machine stops, it has either its old content or all of the new one.

    The text goes to `.NAME.part` beside the file, is flushed to the disk, and then takes the file's name. One process
    writes a path at a time; what a killed one left behind is overwritten by the next.

    Args:
        path: the file; its folder is made.
        text: all of it, with the line endings that it should have; it is written as UTF-8. Or bytes.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the old file stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """A rename survives a power cut only when its folder is on the disk as well. Windows cannot open folders."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def slug(student: str) -> str:
    """A file name for a student's key: a different one for every key, even where upper and lower case are the same.

    A key of plain lower-case words is its own name. Any other keeps its plain letters, and 16 digits of its
    SHA-256 are added; no key of the first kind ends like that.

    Args:
        student: any text.

    Returns:
        At most 60 characters of `a-z0-9._-`, without a file's suffix.

    Example:
        >>> slug("ada_lovelace"), slug("Ada Lovelace")
        ('ada_lovelace', 'ada-lovelace-7674021617159190')
    """
    if _PLAIN.fullmatch(student):
        return student
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    letters = unicodedata.normalize("NFKD", student[:200]).casefold()
    words = re.sub(r"[^a-z0-9]+", "-", letters.encode("ascii", "ignore").decode()).strip("-")[:40].strip("-")
    return f"{words or 'student'}-{digest}"


def result_file(page: str, lesson: str) -> str:
    """The name of the file that keeps a student's result in a lesson.

    Args:
        page: the slug of the student's key.
        lesson: its stem; empty if it is not one of ours.

    Example:
        >>> result_file("ada", "10_memory_layout"), result_file("ada", "")
        ('ada--10_memory_layout.json', 'ada--unknown.json')
    """
    return f"{page}--{lesson or 'unknown'}.json"
