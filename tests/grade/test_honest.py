"""Honest notebooks, each with something that a grader could stumble over, get the points of their right answers."""

import sys
from dataclasses import replace

import pytest
from honest import HONEST, LOST
from three_exercises import LESSON, three_exercises

from jaxcourse_grade._records import Submission
from jaxcourse_grade.isolation import Limits, Terms, available
from jaxcourse_grade.judging import Grader

pytestmark = [
    pytest.mark.lessons("00_start_here", "12_from_numpy_to_jax"),
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made of Linux' own means"),
]
LIMITS = replace(Limits(), seconds=60.0, piece_seconds=5.0, memory=2**30)


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    held = tuple(name for name, lacking in available().items() if not lacking)
    judge = Grader(three_exercises(), Terms(LIMITS, held, str(tmp_path_factory.mktemp("programs"))))
    yield judge
    judge.close()


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_notebook_gets_the_points_of_its_right_answers(judge, name):
    submission = Submission(name, name, LESSON, "it.ipynb", cells=tuple(HONEST[name]))
    _, marks, _ = judge.marks(submission, judge.inputs(LESSON, 13, 0))
    lost = {mark.exercise: (mark.status, mark.message) for mark in marks if mark.status != "passed"}
    assert lost.keys() == LOST.get(name, set()), lost
    assert sum(mark.points for mark in marks) == sum(mark.out_of for mark in marks if mark.exercise not in lost)
