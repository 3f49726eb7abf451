"""A notebook of before an exercise got another name: its verbs and its record are today's. On every stack."""

import json
import os
import subprocess
import sys

import pytest

from jaxcourse.notebook._record import PROGRESS_FILE

NOW = "twice-as-much"
LINE = f"`double-it` is called `{NOW}` now"
RIGHT, WRONG = "def double_it(x): return 2 * x", "def double_it(x): return x * x"
STUB = "def double_it(x): raise NotImplementedError('your turn')"
CHECK = """
from jaxcourse.checks import Agrees, declare

step = Agrees(lambda x: 2 * x, lambda rng, n: (rng.normal(size=n),), [1, 3])
words = "hint: twice"
twice_as_much = declare("twice-as-much", see="", steps=[step], words=words)
"""


@pytest.fixture
def renamed(tmp_path):
    """A course as the wheel has it, whose exercise has had two names before."""
    said = {"page": "", "sections": {}, "reasons": {NOW: ""}, "titles": {NOW: "Double it"}}
    code = {"solutions": {NOW: "def twice_as_much(x): return 2 * x"}, "earlier": {NOW: ["by-two", "double-it"]}}
    files = {"solutions/course.json": json.dumps({"01_toy": said | code})}
    files["exercises_tests/01_toy/twice_as_much.py"] = CHECK
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def session(course, folder, *lines, ipython=False):
    """What a session of the course prints that runs some lines in a folder."""
    free = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    how = {"env": free | {"JAXCOURSE_COURSE": str(course)}, "cwd": folder, "capture_output": True, "text": True}
    via = ["-m", "IPython", "--colors=NoColor", "--no-term-title"] if ipython else []
    code = "\n".join(["from jaxcourse import check, hint, progress, solution", *lines])
    done = subprocess.run([sys.executable, *via, "-c", code], **how)
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout


def each(course, folder, *notebooks):
    """What is printed of several notebooks, each with names of its own, in one session."""
    runs = [f"print({MARK!r}); exec({code!r}, {{'check': check}})" for code in map("\n".join, notebooks)]
    return session(course, folder, *runs).split(MARK)[1:]


MARK = "-- notebook --"


def test_the_verbs_take_an_old_name_and_say_once_what_it_is_now(renamed, tmp_path_factory):
    verbs = ('check("double-it")', 'check("by-two")', f'check("{NOW}")', 'hint("double-it")', 'solution("double-it")')
    parts = [part for verb in verbs for part in (f"print({MARK!r})", verb)]
    _, *said = session(renamed, tmp_path_factory.mktemp("here"), RIGHT, *parts).split(MARK)
    assert [LINE in one or LINE.replace("double-it", "by-two") in one for one in said] == [
        True,
        True,
        False,
        True,
        True,
    ]
    assert all(one.count("is called") <= 1 for one in said)
    assert ["✓ Passed: Double it" in one for one in said] == [True, True, True, False, False]
    assert "Hint 1: twice" in said[3] and "def twice_as_much(x):" in said[4]


ANSWERS = {
    (WRONG, 'check("double-it")'): "✗ Not yet",
    (STUB, 'check("double-it")'): "`double_it` is still empty",
    ('check("double-it")',): "There is no `double_it` yet",
    (f'check("{NOW}")',): "There is no `twice_as_much` yet",
    (RIGHT, f'check("{NOW}")'): "✓ Passed",
    ("def twice_as_much(x): return 2 * x", 'check("double-it")'): "✓ Passed",
    (WRONG, "def twice_as_much(x): return 2 * x", f'check("{NOW}")'): "✓ Passed",
    (RIGHT, "def twice_as_much(x): return x * x", 'check("double-it")'): "✓ Passed",
}


def test_the_answer_is_what_the_notebook_calls_it(renamed, tmp_path_factory):
    said = each(renamed, tmp_path_factory.mktemp("here"), *ANSWERS)
    for one, found in zip(said, ANSWERS.values(), strict=True):
        assert found in one


def test_a_cell_that_python_could_not_read_is_found_by_its_old_name(renamed, tmp_path_factory):
    cells = ["def double_it(x) return 2 * x", 'check("double-it")']
    runs = [f"get_ipython().run_cell({cell!r}, store_history=True)" for cell in cells]
    said = session(renamed, tmp_path_factory.mktemp("here"), *runs, ipython=True)
    assert "could not read the cell of `double_it`, so nothing of it was run" in said


def test_what_was_recorded_under_an_old_name_is_that_of_today(renamed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("record")
    file = folder / PROGRESS_FILE
    file.write_text(json.dumps({"exercises": {"double-it": {"solved": True, "tries": 3}}}))
    assert "1 of 1" in session(renamed, folder, "progress()")
    session(renamed, folder, WRONG, f'check("{NOW}")')
    kept = json.loads(file.read_text())["exercises"]
    assert kept[NOW] == kept["double-it"] == {"solved": False, "tries": 4}, "a notebook of then reads the file, too"
    session(renamed, folder, RIGHT, 'check("double-it")')
    assert json.loads(file.read_text())["exercises"][NOW] == {"solved": True, "tries": 5}
    both = {"double-it": {"solved": False, "tries": 7}, NOW: {"solved": True, "tries": 1}}
    file.write_text(json.dumps({"exercises": both}))
    assert "1 of 1" in session(renamed, folder, "progress()"), "each counts once"
