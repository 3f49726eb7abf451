"""Every listed wrong answer gets its own diagnosis on this stack too: run by `tests/stack.py`."""

import pytest

from jaxcourse import _course
from jaxcourse.exercise import judge
from jaxcourse.probe import local_door


@pytest.mark.parametrize("path", _course.check_files(_course.home()), ids=lambda path: path.stem)
def test_listed_wrong_answers(path):
    lesson = _course.load(path)
    assert lesson.wrongs
    for item in lesson.wrongs:
        verdict = judge(lesson.exercises[item.exercise], local_door(item.answer), seed=1)
        assert verdict.label == item.label, f"{item.exercise}: {verdict}"
