"""On how many draws of its inputs an answer is judged: few each time, and more if asked."""

import pytest
from toy import LISTED, PY, edit, toy

from jaxcourse import cli
from jaxcourse.probe import local_channel
from jaxcourse_author.rules import RULES, Contract, _verdicts

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


SECOND = '@wrong("double-it", "squared")\ndef cubes(x):\n    return x**2.0\n\n\n@wrong("double-it", "wrong-value")\n'


def test_of_wrong_answers_one_for_each_label_is_judged_or_all(toy):
    edit(toy / LISTED, '@wrong("double-it", "wrong-value")\n', SECOND)
    for everything, names in (
        (True, ["squares", "cubes", "adds_two", "one_only"]),
        (False, ["squares", "adds_two", "one_only"]),
    ):
        heard = []
        contract = Contract(toy, seeds=1, heard=lambda heard=heard: heard.append(1), everything=everything)
        (pair,) = contract.pairs
        assert [one.answer.__name__ for one in pair.wrong_answers("double-it")] == names
        list(_verdicts.wrong_answers_are_diagnosed(pair))
        assert len(heard) == len(names)
        assert not [
            str(one) for rule in RULES if rule.per == "lesson" and not rule.slow for one in rule.refusals(contract)
        ]


def test_a_mistake_whose_label_an_answer_has_is_judged_only_where_everything_is(toy):
    mistakes = 'MISTAKES = {"squared": lambda x: x * x, "wrong-value": lambda x: x + 2}\nWORDS ='
    edit(toy / PY, "WORDS =", mistakes)
    edit(toy / PY, "steps=[check]", 'steps=[Agrees(lambda x: 2 * x, Shaped("n"), [(3,)], mistakes=MISTAKES)]')
    edit(toy / PY, "import declare,", "import Agrees, Shaped, declare,")
    edit(toy / LISTED, '@wrong("double-it", "wrong-value")\ndef adds_two(x):\n    return x + 2\n\n\n', "")
    for everything, labels in ((True, ["squared", "wrong-value"]), (False, ["wrong-value"])):
        (pair,) = Contract(toy, everything=everything).pairs
        assert [one.label for one in pair.own_mistakes("double-it")] == labels
