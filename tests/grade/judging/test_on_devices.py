"""A lesson on eight devices is graded apart: its program, exported, is run again in a clean process of eight."""

import pytest
from toy import CONFIG, LESSON, TOC

from jaxcourse.course import Course
from jaxcourse_author.lesson import notebooks
from jaxcourse_grade._records import Submission
from jaxcourse_grade.isolation import Limits, Terms, available
from jaxcourse_grade.judging import Grader

CHECKS = '''\
"""Checks on eight devices."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare
from jaxcourse.exercise import expect, require


def check_double_it(answer, rng):
    x, placed = rng.normal(size=(8, 3)).astype(np.float32), probe.placing({"x": 8}, ["x"])
    expect(answer.probe(probe.on_mesh, placed, x), 2 * x.sum(0), message="Twice the sum.", rtol=1e-3)
    found = answer.probe(probe.partitioned, placed, x)
    require(found["collectives"] == {"all-reduce": 1}, "gathered", "One sum across devices is enough.")
    (result,) = found["pieces"]
    require(len(result["pieces"]) == 8, "not-everywhere", "Each device holds the result.")


double_it = declare("double-it", see="doubling", steps=[check_double_it], words="hint: twice")
'''
SOLVED = "def double_it(x):\n    return 2 * x.sum(0)"
GATHERS = (
    "from jax.sharding import NamedSharding, PartitionSpec as P\n\n"
    "def double_it(x):\n"
    "    whole = NamedSharding(jax.make_mesh((8,), ('x',), (jax.sharding.AxisType.Auto,)), P())\n"
    "    return 2 * jax.lax.with_sharding_constraint(x, whole).sum(0)"
)
LIES = GATHERS.replace(
    "    whole =",
    "    import jaxcourse.probe._devices as ours\n\n"
    "    ours.communicated = lambda compiled: {'collectives': {'all-reduce': 1}}\n"
    "    whole =",
)


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    setup = "import jax\nimport numpy as np\n\nfrom jaxcourse import check, devices\n\ndevices.simulate()\n"
    files = {
        "_config.yml": CONFIG,
        "_toc.yml": TOC,
        "book/index.md": "# Toy\n",
        "notebooks/01_toy.md": LESSON.replace("import numpy as np\n\nfrom jaxcourse import check\n", setup).replace(
            "return 2 * x\n", "return 2 * x.sum(0)\n"
        ),
        "exercises_tests/01_toy/double_it.py": CHECKS,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    notebooks.write(Course(root))
    protections = tuple(name for name, lacking in available().items() if not lacking)
    judge = Grader(Course(root), Terms(Limits(), protections, str(tmp_path_factory.mktemp("cache"))))
    yield judge
    judge.close()


def marked(judge, source):
    submission = Submission("ada", "Ada", "01_toy", "ada.ipynb", cells=(source,))
    (mark,) = judge.grade(submission, 1).marks
    return mark.status, mark.label, mark.evidence, mark.notes


def test_a_right_program_is_believed_for_what_it_is(judge):
    status, _, evidence, notes = marked(judge, SOLVED)
    assert (status, evidence, notes) == ("passed", "proven", ())


def test_a_program_that_communicates_too_much_is_told(judge):
    assert marked(judge, GATHERS)[:2] == ("wrong", "gathered")


def test_what_is_said_of_another_program_is_no_proof(judge):
    status, _, evidence, notes = marked(judge, LIES)
    assert (status, evidence, notes) == ("passed", "reported", ())
