"""Skeletons: they are well-formed, they are refused, and filled they are accepted."""

import pytest
from toy import edit, toy

from jaxcourse import cli
from jaxcourse.course import Course, notebooks
from jaxcourse.course.rules import PLACEHOLDER, RULES, Contract

__all__ = ["toy"]


def refused_rules(root):
    return {rule.name for rule in RULES if not rule.slow and list(rule.refusals(Contract(root)))}


def test_a_new_exercise_is_refused_until_it_is_filled(toy, capsys):
    assert cli.main(["--course", str(toy), "new", "exercise", "01_toy", "halve-it"]) == 0
    assert "jaxcourse check" in capsys.readouterr().out
    notebooks.write(Course(toy))
    assert refused_rules(toy) >= {"nothing_is_unfinished", "sections_exist", "enough_wrong_answers"}


def test_a_filled_exercise_is_accepted(toy):
    cli.main(["--course", str(toy), "new", "exercise", "01_toy", "halve-it"])
    md, py = toy / "notebooks/01_toy.md", toy / "exercises_tests/ex_01_toy.py"
    edit(py, f'see="{PLACEHOLDER}: the label before the section that explains it"', 'see="doubling"')
    for path in (md, py):
        path.write_text(path.read_text().replace(PLACEHOLDER, "well"))
    listed = '\n\n@wrong("halve-it", "{}")\ndef {}(x):\n    return {}\n'
    more = listed.format("wrong-value", "doubles", "2 * x") + listed.format("wrong-value", "loses", "x * np.nan")
    py.write_text(py.read_text() + more)
    notebooks.write(Course(toy))
    assert refused_rules(toy) == set()


def test_a_filled_prediction_is_accepted(toy):
    cli.main(["--course", str(toy), "new", "exercise", "01_toy", "halve-it", "--prediction"])
    md, py = toy / "notebooks/01_toy.md", toy / "exercises_tests/ex_01_toy.py"
    notebooks.write(Course(toy))
    assert refused_rules(toy) >= {"nothing_is_unfinished", "sections_exist", "enough_wrong_answers"}
    edit(py, f'see="{PLACEHOLDER}: the label before the section that explains it"', 'see="doubling"')
    edit(py, '{"x.T": (8, 24)}', '{"x.T": any_of((8, 24), (3, 1), (24, 24))}')
    edit(py, "import Mistake, prediction", "import Mistake, any_of, prediction")
    for path in (md, py):
        path.write_text(path.read_text().replace(PLACEHOLDER, "well"))
    notebooks.write(Course(toy))
    assert refused_rules(toy) == set()


def test_a_new_lesson_is_in_its_three_places_and_refused_until_it_is_filled(toy):
    assert cli.main(["--course", str(toy), "new", "lesson", "02_more", "More"]) == 0
    assert (toy / "_toc.yml").read_text().endswith("  - file: notebooks/01_toy\n  - file: notebooks/02_more\n")
    notebooks.write(Course(toy))
    assert refused_rules(toy) == {"nothing_is_unfinished"}
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 1


@pytest.mark.parametrize("left", ["notebooks/02_more.md", "exercises_tests/ex_02_more.py"])
def test_half_a_lesson_is_not_overwritten(toy, capsys, left):
    (toy / left).write_text("mine")
    assert cli.main(["--course", str(toy), "new", "lesson", "02_more", "More"]) == 2
    assert (toy / left).read_text() == "mine" and "02_more" not in (toy / "_toc.yml").read_text()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["exercise", "01_toy", "Halve It"], "lower case with dashes"),
        (["exercise", "01_toy", "double-it"], "is already taken, in ex_01_toy.py"),
        (["exercise", "09_none", "halve-it"], "there is no lesson 09_none"),
        (["exercise", "01_toy", "lambda"], "is a Python keyword"),
        (["lesson", "more", "More"], "two digits"),
        (["lesson", "01_toy", "More"], "exists"),
    ],
)
def test_what_cannot_be_made_is_said_and_changes_nothing(toy, capsys, command, words):
    before = {path: path.read_bytes() for path in toy.rglob("*") if path.is_file()}
    assert cli.main(["--course", str(toy), "new", *command]) == 2
    assert words in capsys.readouterr().err
    assert {path: path.read_bytes() for path in toy.rglob("*") if path.is_file()} == before
