"""A second course, of two lessons: one is called like a lesson of the installed course, and asks something else."""

import pytest
from toy import CHECKS, CONFIG, LESSON, TOC

from jaxcourse.course import Course, notebooks

ADDING = {
    "A toy": "Adding",
    "(doubling)=\n## Doubling": "(adding)=\n## Adding",
    "`the beginning <doubling>`": "`the beginning <adding>`",
    "Double it": "Add one",
    "double-it": "add-one",
    "double_it": "add_one",
    "twice": "one more than",
    "2 * x": "x + 1",
}
ADDING_CHECKS = '''\
"""Checks of adding."""

import numpy as np

from jaxcourse.exercise import close, exercise, expect, numbers, require, right, wrong


@exercise("add-one", see="adding", hint="one", points=4)
def add_one(answer, rng):
    x = rng.normal(size=3)
    got = numbers(answer(x))
    require(not close(got, x), "unchanged", "That is the argument itself.")
    expect(got, x + 1, "One more.")
    expect(answer(-x), 1 - x, "One more.")


@right("add-one")
def the_other_way_round(x):
    return 1 + x


@wrong("add-one", "unchanged")
def returns_it(x):
    return x.copy()


@wrong("add-one", "wrong-value")
def subtracts(x):
    return x - 1


@wrong("add-one", "wrong-shape")
def one_only(x):
    return x[:1] + 1
'''


def adding():
    """The lesson's source."""
    text = LESSON
    for old, new in ADDING.items():
        text = text.replace(old, new)
    return text


@pytest.fixture(scope="module")
def second(tmp_path_factory):
    """The course, in a folder that is neither the installed one's nor the one that the user stands in."""
    root = tmp_path_factory.mktemp("courses") / "second"
    files = {
        "_config.yml": CONFIG,
        "_toc.yml": TOC.replace("01_toy", "00_start_here\n  - file: notebooks/07_adding"),
        "book/index.md": "# Second\n",
        "notebooks/00_start_here.md": LESSON,
        "notebooks/07_adding.md": adding(),
        "exercises_tests/ex_00_start_here.py": CHECKS,
        "exercises_tests/ex_07_adding.py": ADDING_CHECKS,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    notebooks.write(Course(root))
    return Course(root)
