"""Answers of others: how a file is read, and that each piece is judged apart and costs no other."""

import json

import pytest
from toy import toy

from jaxcourse import cli
from jaxcourse.course import Course
from jaxcourse_author import answers

__all__ = ["toy"]


PIECES = """\
# Written from the blank notebook.

# %% double-it | right | adds
def double_it(x):
    return np.add(x, x)

# %% double-it | right | too strict a check would refuse it
def double_it(x):
    return [2 * value for value in x.tolist()]

# %% double-it | wrong | the square
def double_it(x):
    print("never a reply")
    return x * x

# %% double-it | wrong | never ends
def double_it(x):
    while True:
        pass

# %% double-it | wrong | ends everything
import os
def double_it(x):
    os._exit(0)

# %% double-it | wrong | is right, in fact
leaked = 1
def double_it(x):
    return 2 * x

# %% double-it | right | is wrong, in fact
def double_it(x):
    return 2 * x + leaked * 0

# %% double-it | wrong | remembers what it gave | for a shape
kept = {}
def double_it(x):
    return kept.setdefault(x.shape, 2 * x)

# %% doubel-it | wrong | misspelt
# %% double-it | perhaps | no kind
# %% double-it | right | not Python
def double_it(:
# %% double-it | right | nothing of that name
x = 2
# %% double-it | wrong | not begun
def double_it(x):
    raise NotImplementedError("your turn")
"""

WANT = [
    ("as expected", "passed", ""),
    ("as expected", "passed", ""),
    ("as expected", "wrong", "squared"),
    ("as expected", "ended", "too-long"),
    ("as expected", "ended", "crashed"),
    ("passed though wrong", "passed", ""),
    ("refused though right", "error", "NameError"),
    ("as expected", "wrong", "wrong-value"),
    ("broken", "broken", ""),
    ("broken", "broken", ""),
    ("broken", "broken", "SyntaxError"),
    ("broken", "broken", "missing-name"),
    ("broken", "not_attempted", "not-attempted"),
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "answers.py"
    path.write_text(PIECES, encoding="utf-8")
    return path


def test_a_file_is_read_in_pieces(file):
    found = answers.pieces(file)
    assert [piece.kind for piece in found[:3]] == ["right", "right", "wrong"]
    assert (found[0].line, found[0].exercise, found[0].said) == (3, "double-it", "adds")
    assert found[0].code == "def double_it(x):\n    return np.add(x, x)"
    assert found[7].said == "remembers what it gave | for a shape"
    assert "perhaps" not in found[9].kind or found[9].fault


@pytest.mark.parametrize("text", ["", "# only a comment\n", "import numpy\n# %% a | right | b\n"])
def test_a_file_that_is_not_in_pieces_is_refused(tmp_path, text):
    path = tmp_path / "answers.py"
    path.write_text(text)
    with pytest.raises(ValueError, match="begin each answer with"):
        answers.pieces(path)


def test_each_piece_is_judged_apart(toy, file):
    found = list(answers.reports(Course(toy), answers.pieces(file), seconds=3))
    assert [(one.outcome, one.verdict.status, one.verdict.label) for one in found] == WANT
    assert "Did you mean 'double-it'?" in found[8].verdict.message
    assert answers.figures(found) == ("3 right answers, 1 refused (33 %); 5 wrong ones, 1 passed (20 %); 5 broken")


def test_the_command_says_what_is_not_as_expected(toy, tmp_path, capsys):
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text("# %% double-it | right | adds\ndef double_it(x):\n    return x + x\n")
    bad.write_text("# %% double-it | wrong | adds\ndef double_it(x):\n    return x + x\n")
    assert cli.main(["--course", str(toy), "judge", str(good)]) == 0
    assert "1 right answer, 0 refused" in capsys.readouterr().out
    assert cli.main(["--course", str(toy), "judge", "--json", str(good), str(bad)]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [one["outcome"] for one in told["answers"]] == ["as expected", "passed though wrong"]
    assert told["figures"].endswith("0 broken")
    assert cli.main(["--course", str(toy), "judge", str(toy / "_toc.yml")]) == 2
    assert "begin each answer with" in capsys.readouterr().err
