"""Lessons that are finished: a teacher names them in a table, and their marks stay as they are."""

from __future__ import annotations

from pathlib import Path

from jaxcourse_grade.intake._decisions import MarksError, rows_of
from jaxcourse_grade.intake._lessons import Called, Lessons, lesson_in_name


def read_frozen(path: Path, lessons: Lessons) -> list[str]:
    """The lessons whose marks stay as they are, by their stems.

    Args:
        path: a CSV file with the heading `lesson`, and perhaps `comment`, for yourself. A lesson is named by its stem,
            its number or its topic.
        lessons: the exercises of each lesson.

    Raises:
        OSError: the file cannot be read.
        MarksError: the heading is missing, or a line names no lesson.
    """
    rows = rows_of(path)
    number, head = next(rows, (1, []))
    columns = [heading.casefold() for heading in head]
    if "lesson" not in columns:
        raise MarksError(path, number, "no column 'lesson': it needs lesson, comment.")
    return list(dict.fromkeys(_lesson(path, number, row[columns.index("lesson") :], lessons) for number, row in rows))


def _lesson(path: Path, number: int, cells: list[str], lessons: Lessons) -> str:
    said = cells[0] if cells else ""
    found = Called(said, said) if said in lessons else lesson_in_name(said.zfill(2), lessons)
    if not found.lesson:
        raise MarksError(path, number, f"there is no lesson {said!r}; there are {', '.join(lessons)}.")
    return found.lesson
