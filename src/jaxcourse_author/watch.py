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


def saved_files(before: Stamps, after: Stamps) -> list[Path]:
    """The files that are new or have been written.

    Example:
        >>> saved_files({Path("a"): 1, Path("b"): 1}, {Path("a"): 2, Path("b"): 1, Path("c"): 1})
        [PosixPath('a'), PosixPath('c')]
    """
    return [path for path, stamp in after.items() if before.get(path) != stamp]


def stem_of(path: Path) -> str:
    """The lesson that a file belongs to.

    Example:
        >>> stem_of(Path("notebooks/10_memory_layout.md"))
        '10_memory_layout'
        >>> stem_of(Path("exercises_tests/10_memory_layout/row_strides.py"))
        '10_memory_layout'
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
        files, seen = saved_files(seen, now), now
        if any(package in path.parents for package in PACKAGES for path in files):
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
        yield from dict.fromkeys(stem_of(path) for path in files if not only or stem_of(path) in only)


class Superseded(BaseException):
    """Raised in the middle of a proof whose lesson has been saved again: no rule takes it for a fault of an answer."""


class Newer:
    """Ends a proof, at whichever verdict it is, once a file that it rests on has been saved.

    Args:
        course: whose lesson is proved.
        stem: the lesson's.
        clock: tells seconds.
    """

    def __init__(self, course: Course, stem: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.course, self.stem, self.clock = course, stem, clock
        self._before, self._looked = stamps(course), clock()

    def __call__(self) -> None:
        """Look, if it is some time since the last look.

        Raises:
            Superseded: a file of the lesson, or of the package, has been saved since this was made.
        """
        if self.clock() - self._looked < TICK:
            return
        files, self._looked = saved_files(self._before, stamps(self.course)), self.clock()
        if any(self.stem == stem_of(path) or path.is_relative_to(package) for path in files for package in PACKAGES):
            raise Superseded
