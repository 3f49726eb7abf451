"""Every listed answer gets its own verdict on this stack too, right ones and wrong ones: run by `tests/stack.py`."""

import pytest

from jaxcourse.course import Course, load
from jaxcourse.exercise import judge
from jaxcourse.probe import local_channel


@pytest.mark.parametrize("path", Course.installed().check_files(), ids=lambda path: path.stem)
def test_listed_wrong_answers(path):
    lesson = load(path)
    assert lesson.wrongs
    for item in lesson.wrongs:
        verdict = judge(lesson.exercises[item.exercise], local_channel(item.answer))
        assert verdict.label == item.label, f"{item.exercise}: {verdict}"


@pytest.mark.parametrize("path", Course.installed().check_files(), ids=lambda path: path.stem)
def test_listed_right_answers(path):
    lesson = load(path)
    for item in lesson.rights:
        verdict = judge(lesson.exercises[item.exercise], local_channel(item.answer))
        assert verdict.status == "passed", f"{item.exercise}: {verdict}"
