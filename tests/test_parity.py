"""The grader, which runs answers apart, and `pytest --nbval`, which runs them beside the checks, say the same.

Every blank, every solution and every listed wrong answer is judged by both, on the same inputs. For the grader they are
notebooks such as students hand in: the j-th has the j-th wrong answer to each exercise. For nbval they stand in one
notebook for each lesson, after its set-up cells, each followed by its check: a kernel for each notebook would cost more
than all answers together. The kernel leaves what it compiles in the cache from which the grader's processes read.
"""

import re
import sys
from itertools import zip_longest
from typing import NamedTuple, get_args

import nbformat
import pytest
from submissions import code_cells, notebook, wrong_sources

from jaxcourse import _course, _panel
from jaxcourse.contract import run_nbval
from jaxcourse.exercise import Status, Verdict
from jaxcourse.grade._judge import Judge
from jaxcourse.grade._process import Terms
from jaxcourse.grade._records import Submission
from jaxcourse.grade._sandbox import Limits, available

ROOT = _course.home()
CHECKS = {path.stem.removeprefix("ex_"): path for path in _course.check_files(ROOT)}
SEEDS = 0, 1
"""`check` in a notebook draws from the first; the grader asks answers that passed a second time."""


class Given(NamedTuple):
    """An answer that is given in some notebook, and the diagnosis that it must get."""

    exercise: str
    called: str
    source: str
    label: str


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def judge(cache):
    protections = tuple(name for name, lacking in available().items() if not lacking)
    found = Judge(Terms(Limits(seconds=600, piece_seconds=120), protections, cache))
    yield found
    found.close()


@pytest.fixture
def kernels_fill(cache, monkeypatch):
    """The kernels of nbval keep what they compile, under keys that the grader's processes look for."""
    monkeypatch.setenv("PYTEST_ADDOPTS", f"-c {ROOT / 'pyproject.toml'}")
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", cache)
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES", "none")


def given(lesson):
    """What is handed in, one list for each student: nothing, the solutions, the first wrong answers, the second, ..."""
    blank = ROOT / "notebooks" / f"{lesson.stem}.ipynb"
    cells = [cell for cell in nbformat.read(blank, as_version=4).cells if "jaxcourse" in cell.metadata]
    stubs = {c.metadata.jaxcourse.exercise: c.source for c in cells if c.metadata.jaxcourse.role == "stub"}
    blanks = [Given(name, "blank", stubs[name], "not-attempted") for name in lesson.exercises]
    solved = [Given(name, "solution", lesson.solution(name)[0], "") for name in lesson.exercises]
    return [blanks, solved, *wrong_answers(lesson)]


def wrong_answers(lesson):
    module = sys.modules[f"jaxcourse_checks_ex_{lesson.stem}"]
    sources = wrong_sources(CHECKS[lesson.stem]).items()
    found = [Given(exercise, name, text, getattr(module, name).label) for (exercise, name), text in sources]
    assert len(found) == len(lesson.wrongs)
    each = [[item for item in found if item.exercise == name] for name in lesson.exercises]
    return [list(filter(None, wave)) for wave in zip_longest(*each)]


def graded(judge, lesson, wave):
    """What the grader makes of a student's notebook: the label, and what the student is told."""
    text = notebook(lesson, {item.exercise: item.source for item in wave})
    submission = Submission("ada", "Ada", lesson.stem, "ada.ipynb", cells=tuple(code_cells(text)))
    _, marks, _ = judge.marks(submission, SEEDS)
    return {mark.exercise: (mark.label, told(lesson, mark)) for mark in marks}


def told(lesson, mark):
    """A mark as the panel of a notebook puts it; nothing if it passed."""
    if mark.status not in get_args(Status):
        return f"{mark.status}: {mark.message}"
    same = ("exercise", "status", "label", "message", "called", "returned", "printed", "printed_total")
    verdict = Verdict(**{name: getattr(mark, name) for name in same})
    return "" if mark.status == "passed" else heard(f"{_panel.of_verdict(lesson, verdict, []).text}", mark.section)


def heard(text, section=""):
    """The part of a panel that is about the answer: from its head to the paragraph to read again."""
    about = re.search(r"^[✗!○].*?(?=^  Stuck\?)", text, re.DOTALL | re.MULTILINE)
    said = about[0] + (f"Read again: “{section}”" if section else "") if about else text
    return " ".join(said.split())


def nbval(lesson, setup, waves, folder):
    """What nbval says of each answer, in the order of the waves: nothing if its check passed."""
    answers = [item for wave in waves for item in wave]
    pairs = [source for item in answers for source in (item.source, f'check("{item.exercise}")')]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (*setup, *pairs)])
    nbformat.write(book, folder / f"{lesson.stem}.ipynb")
    said = list(run_nbval(folder / f"{lesson.stem}.ipynb").values())
    others = said[: len(setup)] + said[len(setup) :: 2]
    assert not any(others), "\n".join(filter(None, others))
    return [heard(text) for text in said[len(setup) + 1 :: 2]]


@pytest.mark.parametrize("stem", CHECKS)
def test_the_grader_and_nbval_say_the_same(stem, judge, kernels_fill, tmp_path):
    lesson, template = judge.lesson(stem)
    waves = given(lesson)
    from_nbval = iter(nbval(lesson, template.setup, waves, tmp_path))
    differing = []
    for wave in waves:
        marks = graded(judge, lesson, wave)
        for item in wave:
            expected, got = (item.label, next(from_nbval)), marks[item.exercise]
            if got != expected:
                differing.append(f"{item.called}, an answer to {item.exercise}:\n  {expected}\n  {got}")
    assert not differing, "\n".join(differing)
