"""On how many draws of its inputs an answer is judged: few each time, and more if asked."""

import pytest
from toy import PY, edit, toy

from jaxcourse import cli
from jaxcourse.probe import local_channel
from jaxcourse_author.rules import Contract, _verdicts

__all__ = ["toy"]


def failing(root, seeds):
    """What is refused about solutions."""
    return "\n".join(map(str, _verdicts.solutions_pass(*Contract(root, seeds=seeds).pairs)))


def test_more_draws_find_what_is_right_nearly_always(toy):
    wanted = "    expect(got, 2 * x)"
    edit(toy / PY, wanted, wanted + '\n    require(x[0] > -1.8, "rarely")')
    assert failing(toy, 6) == ""
    assert "is judged `wrong` (rarely: ) on seed 26" in failing(toy, 60)


@pytest.mark.parametrize(("seeds", "least", "draws"), [(6, 1, 1), (6, 2, 2), (60, 1, 10), (1, 2, 1)])
def test_listed_answers_have_fewer_draws_than_solutions(toy, seeds, least, draws):
    (pair,) = Contract(toy, seeds=seeds).pairs
    assert list(pair.draws(least)) == list(range(draws))


def test_no_draw_proves_nothing(toy, monkeypatch, capsys):
    with pytest.raises(ValueError, match="0 draws prove nothing"):
        Contract(toy, seeds=0)
    monkeypatch.chdir(toy)
    assert cli.main(["check", "--quick", "--seeds", "0"]) == 2
    assert "0 draws prove nothing: 1 is the least" in capsys.readouterr().err


@pytest.mark.parametrize(("seeds", "asked"), [(6, []), (60, ["adds_two", "one_only", "squares"])])
def test_only_on_many_draws_answers_are_asked_again(toy, monkeypatch, seeds, asked):
    (pair,) = Contract(toy, seeds=seeds).pairs
    task = pair.checks.exercises["double-it"]
    told = {item.answer.__name__: pair.verdict(task, item.answer) for item in pair.checks.wrongs}
    assert pair.transcripts["double-it"][1] is told["adds_two"], "the one of which most is said"
    judged = []
    monkeypatch.setattr(
        _verdicts, "local_channel", lambda answer: judged.append(answer.__name__) or local_channel(answer)
    )
    assert list(_verdicts.checks_are_repeatable(pair)) == []
    assert sorted(judged) == asked
