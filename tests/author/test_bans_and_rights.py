"""The rules about bans, about right answers beside the solution, and about fakes: each is seen red once."""

import pytest
from toy import LISTED, MD, PY, edit, toy

from jaxcourse_author.rules import Contract, _bans, _rights

__all__ = ["toy"]

TASK = "Double `x`.\n"
LOOPING = """

@wrong("double-it", "loops")
def one_by_one(x):
    return np.array([2 * value for value in x])
"""
CALLING = """

@wrong("double-it", "forbidden-call")
def multiplies(x):
    return np.multiply(x, 2)
"""
TWICE = "    expect(answer(-x), -2 * x)\n"


def refusals(root, rule):
    (pair,) = Contract(root).pairs
    return "\n".join(map(str, rule(pair)))


def append(root, text):
    path = root / LISTED
    code = path.read_text().replace("import right", "import equivalent, right")
    path.write_text(code.replace("from jaxcourse", "import numpy as np\n\nfrom jaxcourse", 1) + text)


def banned(root, bans, *wrongs):
    append(root, "".join(wrongs))
    edit(root / PY, "import numpy as np\n", "import numpy as np\n\nfrom jaxcourse.bans import *\n")
    edit(root / PY, "words=WORDS)", f"words=WORDS, without=[{bans}])")


NO_LOOPS = "no_loops(grows=lambda n: (np.ones(n),))"
NO_MULTIPLY = 'no_calls("np.multiply")'


def test_a_ban_needs_a_wrong_answer_that_breaks_it(toy):
    banned(toy, f"{NO_LOOPS}, {NO_MULTIPLY}", LOOPING)
    said = refusals(toy, _bans.bans_are_broken_once)
    assert 'breaks its ban `no_calls("np.multiply")`' in said and "no_loops" not in said
    append(toy, CALLING)
    assert refusals(toy, _bans.bans_are_broken_once) == ""


def test_a_wrong_answer_whose_values_are_wrong_breaks_no_ban(toy):
    banned(toy, NO_LOOPS, LOOPING.replace("2 * value", "3 * value"))
    assert "no wrong answer to 'double-it' breaks its ban" in refusals(toy, _bans.bans_are_broken_once)


@pytest.mark.parametrize(
    ("bans", "text", "words"),
    [
        ("", "Double `x` without a loop.", "forbids a loop, and nothing enforces it"),
        ("", "Double `x`. Use no Python loop.", "forbids a loop, and nothing enforces it"),
        ("", "Double `x` without\n`np.multiply`.", "forbids `np.multiply`, and nothing enforces it"),
        ("", "Do not use `np.multiply(...)`.", "forbids `np.multiply`, and nothing enforces it"),
        (NO_LOOPS, "Double `x`.", "has the ban `no_loops(...)`"),
        (NO_MULTIPLY, "Double `x`.", 'has the ban `no_calls("np.multiply")`'),
        (NO_LOOPS, "Double `x` without a loop.", ""),
        (NO_MULTIPLY, "Double `x` without `np.multiply`.", ""),
        (f"{NO_LOOPS}, {NO_MULTIPLY}", "No loop, please, and do not call `multiply`.", ""),
        ("", "Double `x`, which loops need.", ""),
        ("", "Double `x` without changing it.", ""),
    ],
)
def test_what_a_task_forbids_is_enforced_and_the_other_way_round(toy, bans, text, words):
    banned(toy, bans)
    edit(toy / MD, TASK, text + "\n")
    said = refusals(toy, _bans.tasks_and_bans_agree)
    assert words in said and bool(words) == bool(said)


def test_a_section_may_forbid_for_all_of_its_exercises(toy):
    banned(toy, NO_LOOPS)
    edit(toy / MD, "Twice is `2 *`.", "Twice is `2 *`. No loop in this section.")
    assert refusals(toy, _bans.tasks_and_bans_agree) == ""


def test_a_right_answer_is_never_alone(toy):
    edit(toy / LISTED, '@right("double-it")\n', "")
    assert "'double-it' lists no right answer" in refusals(toy, _rights.right_answers_are_listed)
    edit(toy / LISTED, "def adds(x)", '@right("double-it")\ndef adds(x)')
    assert refusals(toy, _rights.right_answers_are_listed) == ""
    assert refusals(toy, _rights.right_answers_pass) == ""
    edit(toy / LISTED, '@right("double-it")', '@right("halve-it")')
    assert "'double-it' lists no right answer" in refusals(toy, _rights.right_answers_are_listed)
    assert "unknown exercise 'halve-it'" in refusals(toy, _rights.right_answers_pass)


def test_a_right_answer_is_judged_on_several_seeds(toy):
    edit(
        toy / PY,
        "    expect(got, 2 * x)",
        '    expect(got, 2 * x)\n    require(x[1] < 0, "odd")  # so it is on seed 0',
    )
    assert "a right answer to 'double-it' is judged `wrong` (odd: ) on seed 1" in refusals(
        toy, _rights.right_answers_pass
    )


def test_fakes_are_seen(toy):
    edit(toy / PY, TWICE, "")
    said = refusals(toy, _rights.fakes_are_refused)
    assert "'double-it' passes remembered by shape" in said and said.count("passes") == 1
    append(toy, '\n\naccepted = [equivalent("double-it", "remembered by shape", "a test")]\n')
    assert refusals(toy, _rights.fakes_are_refused) == ""


def test_a_second_number_refuses_who_knows_only_the_first(toy):
    for old, new in (("def double_it(x)", "def double_it(x, k=3)"), ("return 2 * x", "return 2 * x + 0 * k")):
        text = (toy / MD).read_text().replace(old, new)
        (toy / MD).write_text(text)
    edit(toy / PY, "numbers(answer(x))", "numbers(answer(x, 3))")
    assert "passes numbers remembered from the first call" in refusals(toy, _rights.fakes_are_refused)


def test_what_is_remembered_while_it_is_traced_is_no_fake(toy):
    edit(toy / PY, "import numpy as np", "import numpy as np\n\nfrom jaxcourse import probe")
    edit(toy / PY, "numbers(answer(x))", "numbers(answer.probe(probe.under_jit, x))")
    edit(toy / PY, TWICE, "")
    assert refusals(toy, _rights.fakes_are_refused) == ""
