"""Honest and untidy notebooks get full marks; all hundred of them are graded by `untidy.py --class 100`."""

import json
import sys

import pytest
from untidy import WAYS, Draft, handed_in, judge_of, untidy, written

from jaxcourse.course import Course
from jaxcourse_grade.slicing._statements import read_statements

COURSE = Course.installed()
SOLVED = {stem: COURSE.lesson(stem).notebook for stem in COURSE.exercises()}
SEEDS = {"00_start_here": range(4), "10_memory_layout": (1,), "61_compiled_indexing": (5,)}
FEW = [(stem, seed) for stem, seeds in SEEDS.items() for seed in seeds if stem in SOLVED]


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    judge = judge_of(COURSE, tmp_path_factory.mktemp("programs"))
    yield judge
    judge.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made of Linux' own means")
@pytest.mark.parametrize(("stem", "seed"), FEW)
def test_an_untidy_notebook_gets_full_marks(judge, stem, seed):
    submission, ways = handed_in(SOLVED[stem], seed, demos=False)
    _, marks, _ = judge.marks(submission, (seed, seed + 1))
    lost = {mark.exercise: (ways[mark.exercise], mark.label, mark.message) for mark in marks if mark.status != "passed"}
    assert not lost and sum(mark.points for mark in marks) == sum(mark.out_of for mark in marks)


@pytest.mark.parametrize("path", SOLVED.values(), ids=SOLVED)
def test_every_cell_is_python(path):
    for seed in range(3):
        cells, _ = untidy(path, seed)
        assert not [cell.source for cell in cells if cell.kind == "code" and read_statements(cell.source).error]


@pytest.mark.lessons("10_memory_layout", "11_broadcasting")
def test_every_way_is_taken():
    found = [untidy(SOLVED[stem], seed)[1] for stem in ("10_memory_layout", "11_broadcasting") for seed in range(3)]
    assert {way for ways in found for way in ways.values()} == {way.__name__ for way in WAYS}


def test_a_class_is_the_same_whoever_makes_it():
    path = next(iter(SOLVED.values()))
    one, other = (written(untidy(path, 3)[0]) for _ in range(2))
    assert one == other != written(untidy(path, 4)[0])
    assert json.loads(one)["nbformat"] == 4


def test_a_way_that_does_not_apply_says_so():
    value = Draft("half", "half = 0.5", (set(), ""), None)
    names = {way.__name__ for way in WAYS if way(value) is None}
    assert names == {"helper_renamed", "by_call", "by_decorator", "hinted", "magic_inside"}
