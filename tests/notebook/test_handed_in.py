"""An examination in a notebook, with the package as students have it: what is said, and what is not."""

import json
import shutil

import pytest
from examination import COMING, RUNS, SECRETS, STEM, course_in
from test_renamed import session

from jaxcourse.notebook._record import PROGRESS_FILE

RIGHT = "import numpy as np\ndef mean_of_runs(x, n): return x.reshape(-1, n).mean(1)"
WRONG = "import numpy as np\ndef mean_of_runs(x, n): return x.reshape(n, -1).mean(0)"
STUB = "def mean_of_runs(x, n):\n    '''Means.'''\n    raise NotImplementedError('your turn')"
CHECK = 'check("mean-of-runs")'


def installed(root, withheld):
    """The course as the wheel has it."""
    course = course_in(root / "checkout", withheld)
    for place, path in course.published_files():
        (root / "wheel" / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / "wheel" / place)
    return root / "wheel"


@pytest.fixture(scope="module")
def silent(tmp_path_factory):
    return installed(tmp_path_factory.mktemp("silent"), COMING)


@pytest.fixture(scope="module")
def telling(tmp_path_factory):
    return installed(tmp_path_factory.mktemp("telling"), RUNS)


def test_right_and_wrong_answers_are_handed_in_and_told_alike(silent, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    right = session(silent, tmp_path / "a", RIGHT, CHECK)
    wrong = session(silent, tmp_path / "b", WRONG, CHECK)
    assert right == wrong and right.startswith("▣ Handed in: The mean of a run")
    assert "withheld until 2999-12-18 18:00 Europe/Berlin. Your answer has not been" in right
    assert "0 of 2 exercises of lesson 50 solved, 1 handed in" in right and "Stuck?" not in right
    kept = json.loads((tmp_path / "a" / PROGRESS_FILE).read_text(encoding="utf-8"))
    assert kept["exercises"] == {"mean-of-runs": {"solved": False, "tries": 1, "handed": True}}


def test_progress_counts_what_is_handed_in_and_not_as_solved(silent, tmp_path):
    said = session(silent, tmp_path, RIGHT, CHECK, CHECK, "print('--')", "progress()").split("--\n")[1]
    (row,) = [line for line in said.splitlines() if line.startswith("50 ")]
    assert row.endswith("□□ 0 of 2, 1 handed in")


def test_what_is_not_there_is_not_handed_in(silent, tmp_path):
    assert session(silent, tmp_path, STUB, CHECK).startswith("○ Not attempted")
    assert "There is no `mean_of_runs` yet" in session(silent, tmp_path, CHECK)
    left = session(silent, tmp_path, 'how_many_runs = {"runs": ...}', 'check("how-many-runs")')
    assert "There is still a `...`" in left and "hint(" not in left
    assert session(silent, tmp_path, 'how_many_runs = {"runs": 5}', 'check("how-many-runs")').startswith("▣ Handed in")


def test_hint_and_solution_say_until_when_they_are_withheld(silent, tmp_path):
    said = session(silent, tmp_path, 'hint("mean-of-runs")', 'solution("mean-of-runs")')
    line = "Hints, solutions and checks of this lesson are withheld until 2999-12-18 18:00 Europe/Berlin."
    assert said.count(line) == 2 and not any(word in said.lower() for word in SECRETS)


def test_whether_it_runs_is_told_where_that_is_allowed_and_no_more(silent, telling, tmp_path):
    example = "`mean_of_runs(np.arange(6.0), 2)`".strip("`")
    runs = session(telling, tmp_path, RIGHT, CHECK)
    assert f"It runs: {example} raises no exception." in runs.replace("`", "")
    assert session(telling, tmp_path, WRONG, CHECK) == runs
    stops = "import numpy as np\ndef mean_of_runs(x, n): return x.reshap(-1, n)"
    said = session(telling, tmp_path, stops, CHECK).replace("`", "")
    assert f"It does not run yet: {example} raises AttributeError" in said
    assert "AttributeError" not in session(silent, tmp_path, stops, CHECK)


def test_a_solved_lesson_is_judged_as_ever_beside_it(silent, tmp_path):
    assert session(silent, tmp_path, "def double_it(x): return 2 * x", 'check("double-it")').startswith("✓ Passed")


def test_under_a_test_runner_nothing_that_was_not_judged_is_green(silent, tmp_path):
    line = "try:\n    check('mean-of-runs')\nexcept AssertionError as error: print(error.verdict.status)"
    said = session(silent, tmp_path, "import os; os.environ['PYTEST_VERSION'] = '8'", RIGHT, line)
    assert said == "handed_in\n"


def test_when_it_is_judged_after_all_that_counts(tmp_path):
    before = installed(tmp_path / "before", COMING)
    after = installed(tmp_path / "after", "until 2020-12-18 18:00 Europe/Berlin")
    session(before, tmp_path, RIGHT, CHECK)
    said = session(after, tmp_path, WRONG, CHECK)
    assert said.startswith("✗ Not yet") and "bandicoot" in said
    kept = json.loads((tmp_path / PROGRESS_FILE).read_text(encoding="utf-8"))
    assert kept["exercises"] == {"mean-of-runs": {"solved": False, "tries": 2}}
    assert (after / "solutions" / "withheld" / f"{STEM}.json").exists()
