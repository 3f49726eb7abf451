"""Skeletons: they are well-formed, they are refused, and filled they are accepted."""

import pytest
from toy import edit, toy

from jaxcourse import cli, notebooks
from jaxcourse.contract import NOTEBOOK_RULES, PLACEHOLDER, RULES, Contract

__all__ = ["toy"]


def refused_rules(root):
    return {rule.__name__ for rule in RULES if rule not in NOTEBOOK_RULES and list(rule(Contract(root)))}


def test_a_new_exercise_is_refused_until_it_is_filled(toy, capsys):
    assert cli.main(["--course", str(toy), "new", "exercise", "01_toy", "halve-it"]) == 0
    assert "jaxcourse check" in capsys.readouterr().out
    notebooks.write(notebooks.Course(toy))
    assert refused_rules(toy) >= {"nothing_is_unfinished", "sections_exist", "enough_wrong_answers"}


def test_a_filled_exercise_is_accepted(toy):
    cli.main(["--course", str(toy), "new", "exercise", "01_toy", "halve-it"])
    md, py = toy / "notebooks/01_toy.md", toy / "exercises_tests/ex_01_toy.py"
    edit(py, f'see="{PLACEHOLDER}: the label before the section that explains it"', 'see="doubling"')
    for path in (md, py):
        path.write_text(path.read_text().replace(PLACEHOLDER, "well"))
    listed = '\n\n@wrong("halve-it", "{}")\ndef {}(x):\n    return {}\n'
    more = listed.format("wrong-value", "doubles", "2 * x") + listed.format("nan", "loses", "x * np.nan")
    py.write_text(py.read_text() + more)
    notebooks.write(notebooks.Course(toy))
    assert refused_rules(toy) == set()


def test_a_new_lesson_is_in_its_three_places_and_refused_until_it_is_filled(toy):
    assert cli.main(["--course", str(toy), "new", "lesson", "02_more", "More"]) == 0
    assert (toy / "_toc.yml").read_text().endswith("  - file: notebooks/01_toy\n  - file: notebooks/02_more\n")
    notebooks.write(notebooks.Course(toy))
    assert refused_rules(toy) == {"front_matter_is_complete", "nothing_is_unfinished"}
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
        (["exercise", "01_toy", "double-it"], "is taken, in ex_01_toy.py"),
        (["exercise", "09_none", "halve-it"], "there is no lesson 09_none"),
        (["exercise", "01_toy", "lambda"], "a word of Python's own"),
        (["lesson", "more", "More"], "two digits"),
        (["lesson", "01_toy", "More"], "exists"),
    ],
)
def test_what_cannot_be_made_is_said_and_changes_nothing(toy, capsys, command, words):
    before = {path: path.read_bytes() for path in toy.rglob("*") if path.is_file()}
    assert cli.main(["--course", str(toy), "new", *command]) == 2
    assert words in capsys.readouterr().err
    assert {path: path.read_bytes() for path in toy.rglob("*") if path.is_file()} == before
