"""What an author names: lessons and single exercises, by as much of a name as is unambiguous."""

import pytest
from toy import LISTED, edit, toy

from jaxcourse import cli
from jaxcourse.course import Course
from jaxcourse_author import scaffold
from jaxcourse_author.chosen import choose
from jaxcourse_author.lesson import notebooks
from jaxcourse_author.proof import Progress
from jaxcourse_author.rules import Contract

__all__ = ["toy"]


@pytest.fixture
def two(toy):
    """The toy with a second exercise, which is still to be written."""
    scaffold.exercise(toy, "01_toy", "double-all", "function")
    notebooks.write(Course(toy))
    return toy


@pytest.mark.parametrize("word", ["01_toy", "01", "0", "01_t"])
def test_a_lesson_is_named_by_its_beginning(two, word):
    assert choose(Course(two), [word]) == {"01_toy": frozenset()}


@pytest.mark.parametrize("word", ["01_toy/double-it", "01/double-i", "double-it", "double-i"])
def test_an_exercise_is_named_with_its_lesson_or_alone(two, word):
    assert choose(Course(two), [word]) == {"01_toy": frozenset({"double-it"})}


def test_a_lesson_holds_its_exercises_whatever_is_named_first(two):
    for words in (["01", "01/double-it"], ["01/double-it", "01"]):
        assert choose(Course(two), words) == {"01_toy": frozenset()}
    both = {"double-it", "double-all"}
    assert choose(Course(two), ["01/double-it", "01/double-a"]) == {"01_toy": frozenset(both)}


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("02", "_toc.yml has no lesson '02'."),
        ("01_toys", "no lesson '01_toys'. Did you mean '01_toy'?"),
        ("01/doubel-it", "01_toy has no exercise 'doubel-it'. Did you mean 'double-it'?"),
        ("01/double", "'double' may be double-all or double-it: write more of it."),
        ("double", "'double' may be double-all or double-it: write more of it."),
        ("", "has no lesson ''"),
    ],
)
def test_what_names_nothing_or_several_things_is_refused(two, word, words):
    with pytest.raises(ValueError, match="lesson|exercise|may be") as refused:
        choose(Course(two), [word])
    assert words in str(refused.value)


def test_one_exercise_is_proved_and_nothing_of_the_others(two, capsys):
    assert cli.main(["--course", str(two), "check", "01/double-it"]) == 0
    said = capsys.readouterr().out
    assert "Everything holds" in said and "1 exercises" in said and "Whole notebooks were not run" in said
    assert cli.main(["--course", str(two), "check", "double-all"]) == 1
    assert "to be written next" in capsys.readouterr().out


def test_a_fault_in_one_exercise_is_found_in_it_and_not_in_another(two, capsys):
    edit(two / LISTED, '"squared"', '"wrong-value"')
    assert cli.main(["--course", str(two), "check", "double-it"]) == 1
    assert f"{LISTED}: a wrong answer" in capsys.readouterr().out
    assert cli.main(["--course", str(two), "check", "double-all"]) == 1
    assert LISTED not in capsys.readouterr().out


def test_what_holds_is_counted_and_named_if_wanted(toy, capsys):
    notebooks.write(Course(toy))
    assert cli.main(["--course", str(toy), "check", "--quick"]) == 0
    said = capsys.readouterr().out
    assert "✓" not in said and " rules. Whole" in said
    assert cli.main(["--course", str(toy), "check", "--quick", "-v"]) == 0
    assert "✓ every exercise has a hint" in capsys.readouterr().out


def test_a_long_run_says_how_far_it_is():
    said, now = [], iter([0.0, *(float(second) for second in range(1, 61))])
    progress = Progress(120, "verdicts", said.append, lambda: next(now))
    for _ in range(60):
        progress()
    assert said[0] == "... 15 of about 120 verdicts, about 2 minutes left" and len(said) == 4
    assert said[-1] == "... 60 of about 120 verdicts, about 60 s left"


def test_each_verdict_is_heard_once(toy):
    heard = []
    contract = Contract(toy, heard=lambda: heard.append(1))
    (pair,) = contract.pairs
    exercise, solution = pair.checks.exercises["double-it"], pair.solutions["double-it"]
    pair.verdict(exercise, solution)
    pair.verdict(exercise, solution)
    assert len(heard) == 1
