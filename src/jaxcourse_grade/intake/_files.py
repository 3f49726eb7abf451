"""Files that strangers wrote: opened with limits, never followed, never unpacked.

A file is an ordinary file on disk, or a member of a zip archive, or of an archive within one. Members are addressed by
their position, since two may have the same name. Nothing is ever written: a member's path is only a name.
"""

from __future__ import annotations

import functools
import io
import math
import os
import stat
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from jaxcourse.notebook import PROGRESS_FILE
from jaxcourse_grade.intake._names import day, suffix

MAX_BYTES = 200 * 2**20
"""No file larger than this is read."""
MAX_MEMBERS = 50_000
"""No archive with more members is read."""
MAX_WITHIN = 150_000
"""Of the archives in one archive, no more members are looked at, all together: a class has fewer."""
MAX_FOLDERS = 40
"""Folders within folders that are looked into."""
MAX_NAME = 255
"""Bytes of a file's or folder's name: what file systems take."""
MAX_DEPTH = 3
"""Archives within archives, the outermost one counted: a platform's export, a student's archive, one more."""
DEFLATE_RATIO = 1032
"""Deflate packs no better (https://zlib.net/zlib_tech.html). A claim of more is a lie, or members overlap."""
_MAX_PATH = 4096
"""Characters of a path."""
TRIES = 4
"""How often a file is read again if it changes meanwhile."""
_PAUSE = 0.05
"""Seconds between two tries."""


class Unreadable(Exception):
    """A file cannot be read; the message says why, in a sentence for whoever handed it in."""


class NoArchive(Unreadable):
    """A file is no zip archive, whatever it is called: it is to be read as what it is."""


@dataclass(frozen=True)
class Member:
    """A file in an archive.

    Attributes:
        index: its position in the archive.
        name: its path there, with `/`.
        size: bytes when unpacked, as the archive says.
        modified: seconds since 1970, 0 if unknown; if they are not `zoned`, in the time zone of whoever packed it,
            which the archive does not name.
        problem: why it will not be read; else empty.
        zoned: whether they are true seconds since 1970.
        packed: whether it is called as an archive or a notebook, and begins as an archive does.
    """

    index: int
    name: str
    size: int
    modified: float
    problem: str
    zoned: bool = False
    packed: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The path's parts; a path that leads out of the archive has only its last, and one too long a short one."""
        if _is_too_long(self.name):
            return (f"{self.name[:40]}… ({self.index})",)
        parts = tuple(part for part in self.name.split("/") if part not in ("", ".", ".."))
        return (parts[-1:] if _leads_out(self.name) else parts) or ("(no name)",)


def load(path: Path, members: tuple[int, ...] = ()) -> bytes:
    """Read a file.

    Args:
        path: an ordinary file.
        members: the positions that lead to a member: of the archive `path`, of the archive in it, and so on.

    Raises:
        Unreadable: it cannot be read, is larger than `MAX_BYTES`, or keeps changing.
    """
    return _member(path, members) if members else _settled(path)


def listing(path: Path, members: tuple[int, ...] = ()) -> list[Member]:
    """The files in an archive; nothing is unpacked, except archives around it.

    Raises:
        NoArchive: it does not begin as one, or is an office document.
        Unreadable: it is not an archive that can be read.
    """
    if _beginning(path, members)[:2] != b"PK":
        raise NoArchive("This is no zip archive.")
    if len(members) >= MAX_DEPTH:
        raise Unreadable(f"Archives are nested more than {MAX_DEPTH} deep: hand in the notebook itself.")
    archive = _archive(path, members)
    infos = archive.infolist()
    if any(info.filename in ("[Content_Types].xml", "mimetype") for info in infos):
        raise NoArchive("This is an office document.")
    _refuse_bomb(infos, archive.start_dir)
    found = [_described(index, info) for index, info in enumerate(infos) if not info.filename.endswith("/")]
    return [replace(one, packed=_is_packed(archive, infos[one.index], one)) for one in found]


def _is_packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo, member: Member) -> bool:
    """Whether a member may be an archive; one that cannot be opened is, so that it is said why."""
    ending = suffix(member.parts[-1])
    if member.problem or ending not in _PACKED:
        return False
    try:
        with _strange_archives(), archive.open(info) as file:
            return file.read(2) == b"PK"
    except Unreadable:
        return ending == ".zip"


_PACKED = (".zip", ".ipynb")
"""Endings of files that may be archives."""


# -- on disk


def _settled(path: Path) -> bytes:
    """The bytes of a file that did not change while they were read."""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(_PAUSE)
        try:
            data = _once(path)
        except OSError as error:
            raise Unreadable(f"The file cannot be opened: {error.strerror or error}.") from None
        if data is not None:
            return data
    raise Unreadable("The file kept changing while it was read: wait until it is complete, and grade it again.")


def _once(path: Path) -> bytes | None:
    """The bytes, or None if the file changed meanwhile."""
    with os.fdopen(_descriptor(path), "rb") as file:
        before = _checked(os.fstat(file.fileno()))
        data = file.read(MAX_BYTES + 1)
        after = os.stat(path, follow_symlinks=False)
    return data if _stamp(before) == _stamp(after) and len(data) == after.st_size else None


def _descriptor(path: Path) -> int:
    # A pipe that took the file's place would block without O_NONBLOCK; a link is not followed.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    return os.open(path, flags)


def _checked(facts: os.stat_result, limit: float = MAX_BYTES) -> os.stat_result:
    if stat.S_ISLNK(facts.st_mode):
        raise Unreadable("This is a symbolic link, and links are not followed: hand in the file itself.")
    if not stat.S_ISREG(facts.st_mode):
        raise Unreadable("This is not an ordinary file: a folder, a pipe, a socket or a device.")
    if facts.st_size > limit:
        raise too_large(facts.st_size)
    return facts


def _stamp(facts: os.stat_result) -> tuple[int, int, int]:
    return facts.st_ino, facts.st_mtime_ns, facts.st_size


def too_large(size: int) -> Unreadable:
    """What is said about a file of this many bytes."""
    return Unreadable(
        f"The file has {size / 2**20:,.0f} MB, and no more than {MAX_BYTES // 2**20} MB are read: "
        "clear the outputs and hand in the notebook again."
    )


# -- in archives


def _member(path: Path, members: tuple[int, ...]) -> bytes:
    archive = _archive(path, members[:-1])
    with _strange_archives():
        info = archive.infolist()[members[-1]]
        with archive.open(info) as file:
            data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise too_large(len(data))
    return data


def _beginning(path: Path, members: tuple[int, ...]) -> bytes:
    """The first bytes of a file, which say whether it is an archive."""
    if members:
        archive = _archive(path, members[:-1])
        with _strange_archives(), archive.open(archive.infolist()[members[-1]]) as member:
            return member.read(_HEAD)
    try:
        with os.fdopen(_descriptor(path), "rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise Unreadable(f"The file cannot be opened: {error.strerror or error}.") from None


_HEAD = 4


def _archive(path: Path, members: tuple[int, ...]) -> zipfile.ZipFile:
    try:
        stamp = _stamp(_checked(os.stat(path, follow_symlinks=False), math.inf))
    except OSError as error:
        raise Unreadable(f"The archive cannot be opened: {error.strerror or error}.") from None
    return _opened(path, stamp, members, os.getpid())


@functools.lru_cache(maxsize=2)
def _opened(path: Path, stamp: tuple[int, int, int], members: tuple[int, ...], process: int) -> zipfile.ZipFile:
    """An open archive, kept: a class's export has thousands of members, and each would read its table again.

    It is kept for one state of the file and one process: forked processes would share the position in the file.
    """
    with _strange_archives():
        return zipfile.ZipFile(io.BytesIO(_member(path, members)) if members else path)


class _strange_archives:
    """What `zipfile` raises for an archive of strange bytes (a dozen types, `struct.error` among them) is one error."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, Unreadable):
            raise Unreadable(f"The zip archive is damaged ({str(error)[:200] or type(error).__name__}).") from None


def _refuse_bomb(infos: list[zipfile.ZipInfo], packed: int) -> None:
    if len(infos) > MAX_MEMBERS:
        raise Unreadable(f"The zip archive has more than {MAX_MEMBERS:,} files.")
    if sum(info.file_size for info in infos) > MAX_BYTES + DEFLATE_RATIO * packed:
        raise Unreadable("The zip archive claims to hold more than can be packed into it: a zip bomb.")


def _described(index: int, info: zipfile.ZipInfo) -> Member:
    name = _decoded(info).replace("\\", "/")
    seconds, zoned = _modified(info)
    return Member(index, name[: 2 * _MAX_PATH], info.file_size, seconds, _problem(info, name), zoned)


def _decoded(info: zipfile.ZipInfo) -> str:
    """The name. Many programs write UTF-8 without the flag that says so; `zipfile` reads that as code page 437."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return info.filename


def _modified(info: zipfile.ZipInfo) -> tuple[float, bool]:
    """When a member was changed, and whether that is in no time zone but UTC."""
    if (extended := _extended_time(info.extra)) is not None:
        return extended, True
    try:
        moment = datetime(*info.date_time, tzinfo=UTC)
    except ValueError:
        return 0.0, False
    return moment.timestamp() if moment.year > 1980 else 0.0, False  # 1980 is what is written for "unknown"


def _extended_time(extra: bytes) -> float | None:
    r"""The time in Info-ZIP's extended timestamp (https://libzip.org/specifications/extrafld.txt), if it is there.

    Example:
        >>> _extended_time(b"xx\1\0-UT\5\0\1\0\0\0\1"), _extended_time(b"UT\1")
        (16777216.0, None)
    """
    while len(extra) >= 4:
        kind, size = extra[:2], int.from_bytes(extra[2:4], "little")
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == b"UT" and len(field) >= 5 and field[0] & 1:
            return float(int.from_bytes(field[1:5], "little", signed=True))
    return None


def _problem(info: zipfile.ZipInfo, name: str) -> str:
    if stat.S_ISLNK(info.external_attr >> 16):
        return "This is a symbolic link in a zip archive, and links are not followed: hand in the file itself."
    if info.flag_bits & 1:
        return "The zip archive is encrypted: hand in the notebook itself."
    if _is_too_long(name):
        return "The name in the zip archive is longer than a file system takes: hand in the notebook itself."
    if _leads_out(name):
        return "The path in the zip archive leads out of it: hand in the notebook itself."
    return str(too_large(info.file_size)) if info.file_size > MAX_BYTES else ""


def _is_too_long(name: str) -> bool:
    parts = name.split("/")
    deep = len(parts) > MAX_FOLDERS or len(name) > _MAX_PATH
    return deep or any(len(part.encode("utf-8", "surrogatepass")) > MAX_NAME for part in parts)


def _leads_out(name: str) -> bool:
    return name.startswith("/") or name[1:2] == ":" or ".." in name.split("/")


# -- a folder


@dataclass(frozen=True)
class Item:
    """Something in a folder or an archive: a file, or what cannot be looked into.

    Attributes:
        parts: its path below the folder; the last is its own name, and an archive's name ends in `!`.
        path: the file on disk, `members`, the positions that lead to a member of it.
        size, modified: of a file.
        problem: why it will not be read; else empty.
        changed: when each archive around it was changed, the outermost first, and then the file itself: in ISO 8601,
            without a time zone where an archive names none; empty where nothing is known.
    """

    parts: tuple[str, ...]
    path: Path
    members: tuple[int, ...] = ()
    size: int = 0
    modified: float = 0.0
    problem: str = ""
    changed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its own name."""
        return self.parts[-1]


Lister = Callable[[Path, tuple[int, ...]], list[Member]]
"""`listing`, or what calls it in a process of its own."""


def items_in(folder: Path, ignored: list[str], parts: tuple[str, ...] = (), lister: Lister = listing) -> Iterator[Item]:
    """Everything below a folder, archives opened, in the order of names.

    Links are not followed. An empty folder is an item too, since somebody may have handed it in.

    Args:
        folder: where to look.
        ignored: gets the paths of hidden files and folders, and of those that systems leave behind.
        parts: the folder's own path, below the one that was asked for.
        lister: lists what is in an archive.
    """
    try:
        names = sorted(one.name for one in os.scandir(folder))
    except OSError as error:
        yield Item(parts or (folder.name,), folder, problem=f"The folder cannot be opened: {error.strerror or error}.")
        return
    hidden = [name for name in names if is_hidden(name) or (_ENVIRONMENT & {*names} and name in _OF_ENVIRONMENT)]
    seen = [name for name in names if name not in hidden]
    ignored += ["/".join((*parts, name)) for name in hidden]
    for name in seen:
        yield from items_at(folder / name, ignored, (*parts, name), lister)
    if parts and not seen and not (hidden and len(parts) > 1):
        yield Item(parts, folder, problem="The folder is empty: nothing was handed in.")


def is_hidden(name: str) -> bool:
    """Whether nobody hands in a file or a folder of this name: it is hidden, a system's, or what `check` keeps.

    Example:
        >>> [name for name in ("a.ipynb", "._a.ipynb", ".git", "~$a.docx", "site-packages") if is_hidden(name)]
        ['._a.ipynb', '.git', '~$a.docx', 'site-packages']
        >>> is_hidden("ada_jaxcourse-progress.json")
        True
    """
    left_behind = name.rstrip("\r").casefold() in _LEFT_BEHIND or PROGRESS_FILE in name
    return left_behind or name.startswith((".", "~$"))


_LEFT_BEHIND = {"__macosx", "__pycache__", "thumbs.db", "desktop.ini", "icon", "site-packages", "node_modules"}
_ENVIRONMENT = {"pyvenv.cfg", "conda-meta"}
"""What makes a folder a Python environment. Some make one of the folder in which they work."""
_OF_ENVIRONMENT = _ENVIRONMENT | {"bin", "etc", "include", "Include", "lib", "lib64", "Lib", "Scripts", "share"}


def items_at(path: Path, ignored: list[str], parts: tuple[str, ...], lister: Lister = listing) -> Iterator[Item]:
    """The same for one path, which may be a folder, an archive or any other file."""
    try:
        facts = os.stat(path, follow_symlinks=False)
        if stat.S_ISDIR(facts.st_mode) and len(parts) <= MAX_FOLDERS:
            yield from items_in(path, ignored, parts, lister)
            return
        _checked(facts, math.inf if path.suffix.lower() == ".zip" else MAX_BYTES)  # an export is read in pieces
    except OSError as error:
        yield Item(parts, path, problem=f"The file cannot be opened: {error.strerror or error}.")
    except Unreadable as error:
        yield Item(parts, path, problem=str(error))
    else:
        changed = (day(facts.st_mtime),)
        found = Item(parts, path, (), facts.st_size, facts.st_mtime, "", changed)
        yield from _open_archive(found, ignored, lister, [MAX_WITHIN])


def _open_archive(found: Item, ignored: list[str], lister: Lister, room: list[int]) -> Iterator[Item]:
    """The files in an archive instead of it, whatever it is called; anything else as it is.

    Args:
        found: the archive.
        ignored: gets the paths of what is hidden in it.
        lister: lists what is in it.
        room: how many members of archives in archives may still be looked at; it gets less.
    """
    if found.problem or suffix(found.name) not in _PACKED:
        yield found
        return
    inside = replace(found, parts=(*found.parts[:-1], found.name + "!"))
    try:
        members = lister(found.path, found.members)
    except NoArchive:
        yield found
        return
    except Unreadable as error:
        yield replace(found, problem=str(error))
        return
    room[0] -= len(members) if found.members else 0
    if room[0] < 0:
        yield replace(found, problem=f"The archives in the zip archive have more than {MAX_WITHIN:,} files.")
        return
    members.sort(key=lambda member: (member.parts, member.index))
    environments = {member.parts[:at] for member in members for at in _environments(member.parts)}
    seen = [member for member in members if not _is_hidden_in(member, inside, ignored, environments)]
    for member in seen:
        item = _inside(inside, member)
        yield from _open_archive(item, ignored, lister, room) if member.packed else [item]
    if not seen:
        yield replace(found, problem="The zip archive is empty: nothing was handed in.")


def _environments(parts: tuple[str, ...]) -> list[int]:
    """How many parts of a path lead to a Python environment, by what lies in it."""
    return [at for at, part in enumerate(parts) if part in _ENVIRONMENT]


def _is_hidden_in(member: Member, inside: Item, ignored: list[str], environments: set[tuple[str, ...]]) -> bool:
    parts = member.parts
    known = [
        is_hidden(part) or (part in _OF_ENVIRONMENT and parts[:at] in environments) for at, part in enumerate(parts)
    ]
    hidden = known.index(True) + 1 if any(known) else 0
    if hidden:
        ignored.append("/".join((*inside.parts, *parts[:hidden])))
    return bool(hidden)


def _inside(archive: Item, member: Member) -> Item:
    parts, members = (*archive.parts, *member.parts), (*archive.members, member.index)
    moment = day(member.modified) if member.zoned else day(member.modified).partition("+")[0]
    changed = (*archive.changed, moment)
    return Item(parts, archive.path, members, member.size, member.modified, member.problem, changed)
