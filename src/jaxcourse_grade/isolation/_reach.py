"""What a student's process may read: a list of what Python and the libraries need, and nothing that is not on it.

Landlock gives rights to a folder with all that is below, and takes nothing back. So a folder that holds something else
as well is given piece by piece: of `site-packages` what a distribution has installed there, and of our own package its
modules without the course's data. The grader and what writes lessons are packages of their own, and not on the list.
"""

from __future__ import annotations

import csv
import importlib.metadata
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path

_OURS = "jaxcourse"
"""Our own distribution: what it has installed is given from the package's folder, or not at all."""
_NOT_FOR_STUDENTS = ("_course", "course")
"""Folders of our package that no lesson needs: the course's data, and what loads its checks."""
_SITES = ("site-packages", "dist-packages")
_NOT_USED = ("ensurepip", "idlelib", "lib2to3", "test", "turtledemo")
"""Parts of Python's library that are large and that no lesson needs."""
_WITHOUT_SITES = ("store", "devices", "cgroup", "vm", "fonts", "locale", "zoneinfo")
"""Large folders of a system in which no interpreter keeps what it installs."""


def readable_paths(hidden: Iterable[Path] = ()) -> list[Path]:
    """What Python and the course's libraries read: never the checks and solutions.

    Args:
        hidden: what must not be readable even if it lies below one of these, such as the submissions.

    Returns:
        Existing files and folders. `/proc/self` stays as it is: it is another folder in each process.

    Example:
        >>> any(path.name in ("_course", "exercises_tests") for path in readable_paths())
        False
    """
    secrets = [path.resolve() for path in hidden]
    wanted = dict.fromkeys(path.resolve() for path in (*_system_paths(), *_interpreter_paths()) if path.exists())
    sites = [*secrets, *_sites(wanted), *(Path(sysconfig.get_path("stdlib"), name).resolve() for name in _NOT_USED)]
    pieces = [piece for path in wanted for piece in _around(path, sites)]
    pieces += [piece for path in (*_installed_paths(), *_own()) for piece in _around(path, secrets)]
    return [*dict.fromkeys(pieces), Path("/proc/self")]


def _system_paths() -> list[Path]:
    names = "ld.so.cache", "localtime", "timezone", "nsswitch.conf", "passwd", "group", "fonts", "mime.types"
    kernel = "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/sys/devices", "/sys/fs/cgroup"
    shared = (f"/usr/share/{name}" for name in ("fontconfig", "fonts", "locale", "mime", "terminfo", "zoneinfo"))
    devices = "/dev/urandom", "/dev/random"
    folders = "/usr/lib64", "/lib64", "/usr/lib/locale", "/nix/store", *_shared_libraries()
    return [Path(path) for path in (*folders, *shared, *(f"/etc/{name}" for name in names), *kernel, *devices)]


def _shared_libraries() -> list[str]:
    """Where a system has its shared libraries: in a folder for each architecture, or all in one."""
    own = sysconfig.get_config_var("MULTIARCH")
    found = [f"{above}/{own}" for above in ("/usr/lib", "/lib") if own and os.path.isdir(f"{above}/{own}")]
    return found or ["/usr/lib", "/lib"]


def _interpreter_paths() -> list[Path]:
    """Python's own files. A prefix may be somebody's home, so it is not given as a whole."""
    prefixes = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix), Path(sys.base_exec_prefix)}
    prefixes -= {Path("/usr"), Path("/usr/local")}  # what a system has there is not Python's alone
    library = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    parts = ("lib", "lib64", "share/zoneinfo", "etc/fonts", "pyvenv.cfg")
    return [*sorted(library), *(prefix / part for prefix in sorted(prefixes) for part in parts)]


def _sites(wanted: Iterable[Path]) -> list[Path]:
    """Every folder of installed distributions below these, whoever's interpreter it belongs to."""
    patterns = [f"{above}{name}" for above in ("", "*/", "*/*/") for name in _SITES]
    folders = [folder for folder in wanted if folder.is_dir() and folder.name not in _WITHOUT_SITES]
    found = (path for folder in folders for pattern in patterns for path in folder.glob(pattern))
    return [*dict.fromkeys(path.resolve() for path in found), *_own_sites()]


def _own_sites() -> list[Path]:
    """The folders of `sys.path` into which distributions are installed."""
    user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    listed = [path for path in sys.path if Path(path).name in _SITES]
    return list(dict.fromkeys(Path(path).resolve() for path in (*listed, *user) if os.path.isdir(path)))


def _installed_paths() -> list[Path]:
    """What distributions have put into these folders, and is still there; ours is another matter."""
    found = [
        folder / name
        for folder in _own_sites()
        for distribution in importlib.metadata.distributions(path=[str(folder)])
        if _name(distribution) != _OURS
        for name in _members(distribution)
    ]
    return [path for path in dict.fromkeys(found) if path.name != _OURS and path.exists()]


def _name(distribution: importlib.metadata.Distribution) -> str:
    return str(distribution.metadata["Name"] or "").lower()


def _members(distribution: importlib.metadata.Distribution) -> set[str]:
    """The first part of the path of each file that a distribution says to have installed: a folder, or a module."""
    files = [row[0] for row in csv.reader((distribution.read_text("RECORD") or "").splitlines()) if row]
    if not files:  # installed by a system's own packages, or long ago
        names = (distribution.read_text("top_level.txt") or _name(distribution)).split()
        files = [path for name in names for path in (name, f"{name}.py")]
    return {file.partition("/")[0] for file in files} - {"..", "", "__pycache__"}


def _own() -> list[Path]:
    """Our package's modules, as far as students have a use for them."""
    from jaxcourse.paths import PACKAGE  # not above, since the sandbox is also tried without our package

    members = sorted(path for path in PACKAGE.iterdir() if path.name not in _NOT_FOR_STUDENTS)
    return [path for path in members if path.suffix == ".py" or (path / "__init__.py").exists()]


def _around(folder: Path, secrets: Sequence[Path]) -> list[Path]:
    """A folder, or, if a secret is below, its members without the secret, and without links that lead elsewhere."""
    if folder in secrets:
        return []
    if not any(folder in secret.parents for secret in secrets):
        return [folder]
    members = (member for member in sorted(folder.iterdir()) if not member.is_symlink())
    return [piece for member in members for piece in _around(member, secrets)]
