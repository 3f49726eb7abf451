"""An answer that has passed is shown in the picture with which its lesson begins."""

import inspect
import re
from typing import Any

import pytest

from jaxcourse.course import Course, Lesson
from jaxcourse.exercise import Exercise
from jaxcourse_author.lesson import read_lesson

pytestmark = pytest.mark.lessons("11_broadcasting", "12_from_numpy_to_jax", "34_gotchas")


def pictures() -> list[tuple[Lesson, Exercise]]:
    """The exercises whose answers are shown in the lesson's own picture, each with its lesson."""
    course = Course.installed()
    stems = [path.parent.name for path in course.check_files() if "    picture=" in path.read_text(encoding="utf-8")]
    return [(lesson, one) for lesson in map(course.lesson, stems) for one in lesson.exercises.values() if one.picture]


def test_a_right_answer_is_shown_in_the_picture_with_which_the_lesson_begins() -> None:
    assert [task.name for _, task in pictures()] == ["quake-map", "insulated-rod", "hidden-light"]
    for lesson, task in pictures():
        source = read_lesson(lesson.root / "notebooks" / f"{lesson.stem}.md", Course(lesson.root))
        names: dict[str, Any] = {}
        for cell in [cell for cell in source.cells if cell.role in ("setup", "code")][:2]:
            exec(cell.source, names)
        exec(lesson.solution(task.name)[0], names)
        needed = inspect.signature(task.picture).parameters
        shown = task.picture(**{name: names[name] for name in needed})
        assert "our" in shown.alt and re.search(r"\d", shown.alt), "it says what came of the reader's answer"
