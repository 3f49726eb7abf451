"""A second course, of two lessons: one is called like a lesson of the installed course, and asks something else."""

import pytest
from toy import ANSWERS, CHECK, CONFIG, LESSON, TOC

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks

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
ADDING_CHECKS = {
    "exercises_tests/07_adding/add_one.py": '''\
"""add-one: one more than `x`."""

from jaxcourse.checks import declare, expect, refuse
from jaxcourse.exercise import is_close, numbers


def check(answer, rng):
    """Require one more than `x`.

    A function, since an author's own course may have one.
    """
    x = rng.normal(size=3)
    got = numbers(answer(x))
    refuse(is_close(got, x), "unchanged")
    expect(got, x + 1)
    expect(answer(-x), 1 - x)


WORDS = """
hint: one
unchanged: That is the argument itself.
wrong-value: One more.
"""

add_one = declare("add-one", see="adding", points=4, steps=[check], words=WORDS)
''',
    "tests/answers/07_adding/add_one.py": '''\
"""Answers to add-one."""

from jaxcourse.exercise import right, wrong


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
''',
}


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
        "exercises_tests/00_start_here/double_it.py": CHECK,
        "tests/answers/00_start_here/double_it.py": ANSWERS,
        **ADDING_CHECKS,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    notebooks.write(Course(root))
    return Course(root)
