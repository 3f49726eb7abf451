"""Every listed wrong answer gets its own diagnosis on this stack too: run by `tests/stack.py`."""

import pytest

from jaxcourse.course import Course, load
from jaxcourse.exercise import judge
from jaxcourse.probe import local_channel


@pytest.mark.parametrize("path", Course.installed().check_files(), ids=lambda path: path.stem)
def test_listed_wrong_answers(path):
    lesson = load(path)
    assert lesson.wrongs
    for item in lesson.wrongs:
        verdict = judge(lesson.exercises[item.exercise], local_channel(item.answer), seed=1)
        assert verdict.label == item.label, f"{item.exercise}: {verdict}"
