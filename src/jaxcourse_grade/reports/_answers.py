"""Answers as files, for programs that compare them with each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from jaxcourse_grade._records import Result
from jaxcourse_grade._store import atomic_write, slug

Solutions: TypeAlias = Mapping[tuple[str, str], str]
"""The lesson's own answer for each lesson and exercise."""

_NO_ANSWER = ("not_attempted", "missing", "unreadable")


def export(results: Iterable[Result], solutions: Solutions, folder: Path) -> None:
    """Write every answer that was tried as `LESSON/EXERCISE/answers/STUDENT.py`, its solution in `solution` beside it.

    Args:
        results: with code, in any order; gone through once.
        solutions: of the exercises in them.
        folder: for the files. Those of an earlier run that have no answer any more go.

    Raises:
        OSError: the folder cannot be written.
    """
    written = set()
    for path, code in _files(results, solutions):
        atomic_write(folder / path, code.rstrip() + "\n")
        written.add(folder / path)
    for path in folder.glob("*/*/answers/*.py"):
        if path not in written:
            path.unlink()


def _files(results: Iterable[Result], solutions: Solutions) -> Iterator[tuple[Path, str]]:
    for (lesson, exercise), code in solutions.items():
        yield Path(lesson, exercise, "solution", "solution.py"), code
    for result in results:
        for mark in result.marks:
            if mark.code and mark.status not in _NO_ANSWER:
                yield Path(result.lesson, mark.exercise, "answers", f"{slug(result.student)}.py"), mark.code
