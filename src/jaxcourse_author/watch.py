"""`jaxcourse check --watch`: prove each lesson as it is saved, for as long as its author is writing."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from jaxcourse.course import Course
from jaxcourse.paths import PACKAGES

TICK = 0.5
"""Seconds between two looks at the files."""

Stamps = dict[Path, int]


def stamps(course: Course) -> Stamps:
    """When each file that an author edits was last written: lessons, checks, and the package's own code."""
    files = [path for lesson in course.lesson_paths for path in (lesson, *course.files(lesson.stem))]
    edited = [*files, *(path for package in PACKAGES for path in sorted(package.rglob("*.py")))]
    return {path: path.stat().st_mtime_ns for path in edited if path.exists()}


def saved(before: Stamps, after: Stamps) -> list[Path]:
    """The files that are new or have been written.

    Example:
        >>> saved({Path("a"): 1, Path("b"): 1}, {Path("a"): 2, Path("b"): 1, Path("c"): 1})
        [PosixPath('a'), PosixPath('c')]
    """
    return [path for path, stamp in after.items() if before.get(path) != stamp]


def stem_of(path: Path) -> str:
    """The lesson that a file belongs to.

    Example:
        >>> stem_of(Path("notebooks/01_memory_layout.md"))
        '01_memory_layout'
        >>> stem_of(Path("exercises_tests/01_memory_layout/row_strides.py"))
        '01_memory_layout'
    """
    return path.stem if path.suffix == ".md" else path.parent.name


def changes(course: Course, only: tuple[str, ...] = (), sleep: Callable[[float], None] = time.sleep) -> Iterator[str]:
    """The stems of lessons, each time that one of their files is saved; it never ends by itself.

    When the package's own code is saved, a new process that has the new code replaces this one.

    Args:
        course: what is watched.
        only: stems of lessons; all of them if empty.
        sleep: waits.
    """
    seen = stamps(course)
    while True:
        sleep(TICK)
        now = stamps(course)
        files, seen = saved(seen, now), now
        if any(package in path.parents for package in PACKAGES for path in files):
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
        yield from dict.fromkeys(stem_of(path) for path in files if not only or stem_of(path) in only)
