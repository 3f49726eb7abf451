"""`check`, `hint` and `solution`, where students run them: a terminal, IPython, a test runner. Runs on every stack."""

import os
import subprocess
import sys

import pytest

from jaxcourse import CheckFailed, check, hint, solution
from jaxcourse.notebook import _verbs as verbs

RIGHT = "def centre_columns(x): return x - x.mean(axis=0)"
GRAND_MEAN = "def centre_columns(x): return x - x.mean()"


def run(*command: str) -> str:
    """What a session prints that no test runner drives."""
    free = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run([sys.executable, *command], env=free, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout


def terminal(*lines: str) -> str:
    return run("-c", "\n".join(["from jaxcourse import check, hint, solution", *lines]))


def ipython(*lines: str) -> str:
    return run("-m", "IPython", "--colors=NoColor", "-c", "\n".join(["from jaxcourse import *", *lines]))


ANSWERS = {
    RIGHT: "✓ centre-columns: passed",
    GRAND_MEAN: "✗ centre-columns: not yet (grand-mean)",
    "def centre_columns(x): return 1 / 0": "Your code raised ZeroDivisionError: division by zero",
    "def centre_columns(x): raise NotImplementedError('your turn')": "○ centre-columns: not attempted",
    "def centre_columns(x): pass": "Is there a `return` at its end?",
    "def centre_columns(x): x -= x.mean(0); return x": "changed its own input (argument 1)",
    "def centre_columns(x): print('y' * 3_000_000); return x - x.mean(0)": "characters, which begin: yyyyyy",
    "def centre_columns(x): return x * float('nan')": "got `[[nan]]`",
    "def centre_columns(x): return {'a': object()}": "An object of type `object` came back",
    "centre_columns = ...": "There is still a `...` in `centre_columns`",
    "centre_columns = 'text'": "should be a function",
    "center_columns = 1": "You have `center_columns`: did you mean that?",
    "pass": "There is no `centre_columns` yet",
}
CUT = "-- next answer --"
ALL_ANSWERS = "\n".join(
    f"names = {{'check': check}}; exec({a!r}, names); exec(CHECK, names); print(CUT)" for a in ANSWERS
)


@pytest.fixture(scope="module", params=[terminal, ipython])
def shown(request):
    """What one session shows for each of the answers."""
    output = request.param("CHECK = 'check(\"centre-columns\")'", f"CUT = {CUT!r}", ALL_ANSWERS)
    return dict(zip(ANSWERS, output.split(CUT), strict=False))


@pytest.mark.parametrize("answer", ANSWERS)
def test_every_answer_gets_its_own_message_and_no_stack(shown, answer):
    assert ANSWERS[answer] in " ".join(shown[answer].split())
    assert len(shown[answer]) < 1000


def test_a_wrong_answer_does_not_stop_running_all():
    shown = terminal(GRAND_MEAN, 'check("centre-columns")', "print('and on')")
    assert shown.endswith("and on\n")


def test_progress_is_counted_once_for_each_exercise():
    shown = terminal(RIGHT, 'check("centre-columns")', 'check("centre-columns")', GRAND_MEAN, 'check("centre-columns")')
    counts = [line for line in shown.splitlines() if "exercises of lesson 00" in line]
    assert ["■□□ 1 of 3" in line for line in counts] == [True, True, False]


def test_the_paragraph_to_read_again_is_named(shown):
    assert "Read again: “One exercise, together”" in shown[GRAND_MEAN]


def test_hints_come_one_after_the_other_and_then_the_solution():
    said = terminal(*[f'hint("centre-columns"); print({CUT!r})'] * 3).split(CUT)
    assert [each.count("Hint ") for each in said] == [1, 2, 2, 0]
    assert "No more hints" in said[1] and "No more hints" not in said[0]


@pytest.mark.parametrize(("left", "words"), [(2, "2 more are left"), (1, "One more is left"), (0, "No more hints")])
def test_how_many_hints_are_left_is_said(left, words):
    assert words in verbs._panel.of_hints("centre-columns", ("Look.",), left).text


def test_the_solution_is_the_one_that_the_course_tests():
    shown = terminal('solution("centre-columns")')
    assert "return x - x.mean(axis=0)" in shown and "averages over the first axis" in shown


def test_a_name_is_found_in_a_function_too():
    lines = [
        "def session():",
        "    centre_columns = lambda x: x - x.mean(axis=0)",
        '    check("centre-columns")',
        "session()",
    ]
    assert "passed" in terminal(*lines)


def test_a_name_in_a_function_hides_the_one_outside():
    lines = [
        "def session(centre_columns):",
        '    check("centre-columns")',
        "centre_columns = 1",
        RIGHT.replace("centre", "the"),
    ]
    assert "passed" in terminal(*lines, "session(the_columns)")


def test_who_has_passed_is_offered_no_help():
    assert terminal(RIGHT, 'check("centre-columns")').count("\n") == 2


def test_an_answer_can_be_given():
    assert "passed" in terminal('check("centre-columns", lambda x: x - x.mean(axis=0))')


@pytest.mark.parametrize("verb", [check, hint, solution])
def test_an_unknown_exercise_is_named_with_its_neighbour(verb):
    with pytest.raises(ValueError, match="Did you mean 'centre-columns'"):
        verb("center-columns")


@pytest.mark.parametrize("verb", [check, hint, solution])
@pytest.mark.parametrize("name", [len, None, 3, ["centre-columns"]])
def test_what_is_no_name_is_refused_with_an_example(verb, name):
    with pytest.raises(ValueError, match=r'as in `check\("centre-columns"\)`, not a'):
        verb(name)


def test_an_unknown_exercise_shows_no_stack_in_a_notebook():
    assert "Did you mean 'centre-columns'?" in ipython("try_it = 1", 'check("center-columns")')


def test_a_terminal_that_has_no_ticks_shows_the_rest(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert "? centre-columns: passed" in terminal(RIGHT, 'check("centre-columns")')


def test_under_a_test_runner_a_wrong_answer_raises_its_verdict():
    with pytest.raises(CheckFailed, match="grand-mean") as failed:
        check("centre-columns", lambda x: x - x.mean())
    assert failed.value.verdict.label == "grand-mean"
    assert failed.value._render_traceback_()[0] == "✗ centre-columns: not yet (grand-mean)"


def test_under_a_test_runner_a_right_answer_is_silent_about_nothing(capsys):
    check("centre-columns", lambda x: x - x.mean(0))
    assert "passed" in capsys.readouterr().out


def panel_of(monkeypatch, answer):
    shown = []
    monkeypatch.delenv("PYTEST_VERSION")
    monkeypatch.setattr(verbs._panel, "show", shown.append)
    check("centre-columns", answer)
    return shown[0].html


def test_what_an_answer_says_is_shown_as_text_and_never_as_html(monkeypatch):
    def answer(x):
        print("<script>alert(1)</script>")
        raise ValueError("<img src=x onerror=alert(2)>")

    shown = panel_of(monkeypatch, answer)
    assert "<script" not in shown and "<img" not in shown
    assert "&lt;script&gt;" in shown


def test_a_panel_links_the_section_and_needs_no_colour(monkeypatch):
    shown = panel_of(monkeypatch, lambda x: x - x.mean())
    assert "notebooks/00_start_here.html#an-exercise" in shown
    assert "✗ centre-columns: not yet (grand-mean)" in shown and "background" not in shown
