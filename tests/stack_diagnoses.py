"""Listed answers get their own verdicts on this stack too, right ones and wrong ones: run by `tests/stack.py`.

With `--every-answer` it is each of them, else a wrong one for each label and a right one for each exercise.
"""

import pytest

from jaxcourse.course import ANSWERS, Course, with_answers
from jaxcourse.exercise import judge, one_for_each_label
from jaxcourse.probe import local_channel

COURSE = Course.installed()


@pytest.fixture
def every(request):
    """Whether each listed answer is judged."""
    return request.config.getoption("--every-answer")


def test_the_listed_answers_are_here():
    """Without them, the tests below would judge only what a check lists itself."""
    lacking = [stem for stem in COURSE.exercises() if not any((COURSE.root / ANSWERS / stem).glob("*.py"))]
    assert lacking == []


@pytest.mark.parametrize("stem", COURSE.exercises())
def test_listed_wrong_answers(stem, every):
    lesson = with_answers(COURSE.lesson(stem))
    assert lesson.wrongs
    for item in lesson.wrongs if every else one_for_each_label(lesson.wrongs):
        verdict = judge(lesson.exercises[item.exercise], local_channel(item.answer))
        assert verdict.label == item.label, f"{item.exercise}: {verdict}"


@pytest.mark.parametrize("stem", COURSE.exercises())
def test_listed_right_answers(stem, every):
    lesson = with_answers(COURSE.lesson(stem))
    for item in lesson.rights if every else {one.exercise: one for one in lesson.rights}.values():
        verdict = judge(lesson.exercises[item.exercise], local_channel(item.answer))
        assert verdict.status == "passed", f"{item.exercise}: {verdict}"
