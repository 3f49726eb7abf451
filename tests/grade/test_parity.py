"""The grader, which runs answers apart, and `pytest --nbval`, which runs them beside the checks, say the same.

Each lesson is run by nbval once, whole: for each exercise its blank and its solution, and at the end one listed answer.
The contract's rule about notebooks must hold in that run, and every word that a student reads must be the grader's. The
kernel leaves what it compiles in the cache from which the grader's processes read.

Each of these answers must get its diagnosis: the one that the contract proves each listed answer to get beside the
checks. What another answer could show is how a question or a value crosses to the grader's processes. Answers to one
exercise are asked the same questions, and each question has tests of its own (tests/grade/judging). With
`--every-answer` all of them are graded, on two draws.
"""

import os
import re
from dataclasses import replace
from itertools import chain, repeat, zip_longest
from pathlib import Path
from typing import get_args

import nbformat
import pytest
from submissions import Listed, code_cells, listed, notebook, predicted

from jaxcourse.course import Course
from jaxcourse.course._lessons import with_answers
from jaxcourse.exercise import Status, Verdict
from jaxcourse.insides import programs_kept
from jaxcourse.notebook import _panel
from jaxcourse_author.rules import RULES, Contract, _notebooks, run_nbval
from jaxcourse_grade.isolation import Limits, Terms, available
from jaxcourse_grade.judging import Grader
from jaxcourse_grade.judging._grader import Marking, Session
from jaxcourse_grade.slicing import plan

ROOT = Course.installed().root
STEMS = list(Course(ROOT).exercises())
TWO_DRAWS = 0, 1
"""`check` in a notebook draws from the first; the grader asks answers that passed a second time."""
ONE_DRAW = 0, 0
"""The second time nothing new is compiled."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """The folder in which the contract keeps what it compiles: it has judged the same answers, and this runs last."""
    mine = tmp_path_factory.getbasetemp()
    folder = (mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / "programs"
    folder.mkdir(exist_ok=True)
    return str(folder)


@pytest.fixture(scope="module")
def judge(cache):
    protections = tuple(name for name, lacking in available().items() if not lacking)
    found = Grader(Course(ROOT), Terms(Limits(seconds=600, piece_seconds=120), protections, cache))
    yield found
    found.close()


@pytest.fixture
def kernels_fill(cache, monkeypatch):
    """The kernels of nbval keep what they compile, under keys that the grader's processes look for."""
    monkeypatch.setenv("PYTEST_ADDOPTS", f"-c {ROOT / 'pyproject.toml'}")
    with programs_kept(Path(cache)):
        yield


def given(lesson, every):
    """What is handed in, one list for each student: nothing, the solutions, then other listed answers.

    Args:
        lesson: the lesson.
        every: whether all listed answers are, or one for each exercise, of another place in its list each time.
    """
    blank = ROOT / "notebooks" / f"{lesson.stem}.ipynb"
    cells = [cell for cell in nbformat.read(blank, as_version=4).cells if "jaxcourse" in cell.metadata]
    stubs = {c.metadata.jaxcourse.exercise: c.source for c in cells if c.metadata.jaxcourse.role == "stub"}
    blanks = [Listed(name, "blank", "not-attempted", stubs[name]) for name in lesson.exercises]
    solved = [Listed(name, "solution", "", lesson.solution(name)[0]) for name in lesson.exercises]
    others = sorted([*listed(ROOT, lesson.stem), *predicted(lesson)], key=lambda answer: answer.label == "")
    whole = with_answers(lesson)
    assert len(others) == len(whole.wrongs) + len(whole.rights)
    each = [[answer for answer in others if answer.exercise == name] for name in lesson.exercises]
    if not every:
        each = [one[i % len(one) :][:1] for i, one in enumerate(each)]
    return [blanks, solved, *([answer for answer in wave if answer] for wave in zip_longest(*each))]


def graded(judge, lesson, ours, waves, seeds):
    """What the grader makes of each student's answers: the label, and what the student is told."""
    for wave in waves:
        book = notebook(lesson, {answer.exercise: answer.source for answer in wave})
        asked = replace(lesson, exercises={answer.exercise: lesson.exercises[answer.exercise] for answer in wave})
        planned = plan(code_cells(book), ours)
        session = Session(judge.warm(lesson), judge.terms, planned)
        try:
            for mark in Marking(asked, ours, planned, session, seeds).marks():
                yield mark.label, told(lesson, mark)
        finally:
            session.close()


def told(lesson, mark):
    """A mark as the panel of a notebook puts it; nothing if it passed."""
    if mark.status not in get_args(Status):
        return f"{mark.status}: {mark.message}"
    same = ("exercise", "status", "label", "message", "called", "returned", "printed", "printed_total")
    verdict = Verdict(**{name: getattr(mark, name) for name in same})
    again = mark.section if mark.status == "wrong" else ""
    return "" if mark.status == "passed" else heard(f"{_panel.of_verdict(lesson, verdict, {}).text}", again)


def heard(text, section=""):
    """The part of a panel that is about the answer: from its head to the paragraph to read again."""
    about = re.search(r"^[✗!○].*?(?=^  Stuck\?)", text, re.DOTALL | re.MULTILINE)
    said = about[0] + (f"Read again: “{section}”" if section else "") if about else text
    return " ".join(said.split())


def nbval(stem, listed, monkeypatch):
    """What nbval says in one run of a whole lesson, by exercise and kind of answer; nothing if a check passed.

    The run is the one of the contract's slow rule, which must hold, and at its end come other answers.
    """
    said = {}

    def run(path, course, level):
        book = nbformat.read(path, as_version=4)
        for answer in listed:
            book.cells += [
                _cell(answer.source, "listed"),
                _cell(f'check("{answer.exercise}")', "check", answer.exercise),
            ]
        nbformat.write(book, path)
        outcomes, kind = run_nbval(path, course, level), ""
        for number, cell in enumerate(cell for cell in book.cells if cell.cell_type == "code"):
            about = cell.metadata.get("jaxcourse", {})
            if about.get("role") == "check":
                said[about["exercise"], kind] = heard(outcomes[number])
            kind = about.get("role", "")
        return outcomes

    monkeypatch.setattr(_notebooks, "run_nbval", run)
    contract = Contract(ROOT, (stem,))
    refused = [str(refusal) for rule in RULES if rule.slow for refusal in rule.refusals(contract)]
    assert not refused, "\n".join(refused)
    return said


def _cell(source, role, exercise=""):
    return nbformat.v4.new_code_cell(source, metadata={"jaxcourse": {"role": role, "exercise": exercise}})


# Groups of one: these take longer than all else, so that every worker has some.
ALONE = [pytest.param(stem, marks=pytest.mark.xdist_group(f"{stem}-whole")) for stem in STEMS]


@pytest.mark.parametrize("stem", ALONE)
def test_a_notebook_passes_solved_and_fails_blank_and_the_grader_says_the_same(
    stem, judge, kernels_fill, monkeypatch, request
):
    lesson, ours = judge.lesson(stem)
    every = request.config.getoption("every_answer")
    blanks, solved, others, *more = given(lesson, every)
    by_nbval = nbval(stem, others, monkeypatch)
    kinds = chain(repeat("stub", len(blanks)), repeat("solution", len(solved)), repeat("listed", len(others)))
    seeds, differing = TWO_DRAWS if every else ONE_DRAW, []
    waves = [blanks, solved, others, *more]
    for answer, kind, (label, text) in zip_longest(chain(*waves), kinds, graded(judge, lesson, ours, waves, seeds)):
        expected = answer.label, by_nbval[answer.exercise, kind] if kind else text
        if (label, text) != expected:
            differing.append(f"{answer.name}, an answer to {answer.exercise}:\n  {expected}\n  {(label, text)}")
    assert not differing, "\n".join(differing)
    assert len(by_nbval) == len(blanks) + len(solved) + len(others)
