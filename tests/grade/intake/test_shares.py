"""Shares of points for known mistakes: one line for each, whoever made it."""

import pytest

from jaxcourse_grade._records import Decision, Mark, Result
from jaxcourse_grade.intake import Share, met, read_shares, with_shares
from jaxcourse_grade.intake._decisions import MarksError

LESSONS = {"01_toy": frozenset({"double-it", "halve-it"}), "02_more": frozenset({"sum-it"})}


def read(folder, text):
    (folder / "shares.csv").write_text(text, encoding="utf-8")
    return read_shares(folder / "shares.csv", LESSONS)


def result(*marks):
    return Result("ada", "Ada", "01_toy", "ada.ipynb", "graded", marks=marks)


def test_a_table_says_what_a_mistake_is_worth(tmp_path):
    found = read(tmp_path, "label;share;exercise;comment\nloops;0,5;;Right, and slow.\nloops;0.75;double-it;\n")
    assert found == [Share(2, "loops", 0.5, "", "Right, and slow."), Share(3, "loops", 0.75, "double-it")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("label\nloops\n", "line 1: no column 'share'"),
        ("label,share\n,0.5\n", "line 2: it names no mistake"),
        ("label,share\nloops,1.5\n", "from 0 to 1, and not '1.5'"),
        ("label,share\nloops,half\n", "and not 'half'"),
        ("label,share\nloops,\n", "and not ''"),
        ("label,share,exercise\nloops,0.5,doubel-it\n", "did you mean 'double-it'?"),
        ("label,share\nloops,0.5\nloops,0.6\n", "line 3: line 2 says already"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(text, said, tmp_path):
    with pytest.raises(MarksError, match="shares.csv") as error:
        read(tmp_path, text)
    assert said in str(error.value)


def test_the_line_of_an_exercise_comes_before_that_of_all():
    shares = [Share(2, "loops", 0.5), Share(3, "loops", 0.25, "halve-it")]
    marks = [Mark(name, "", "wrong", "loops", out_of=2.0) for name in ("double-it", "halve-it")]
    found = with_shares(shares, result(*marks), {})
    assert {name: one.points for name, one in found.items()} == {"double-it": 1.0, "halve-it": 0.5}
    assert result(*marks).with_decisions(found).points == 1.5
    assert "`loops`, gets 25 %" in found["halve-it"].comment


@pytest.mark.parametrize(
    "mark", [Mark("double-it", "", "passed", "", points=1), Mark("double-it", "", "error", "loops")]
)
def test_only_a_mistake_has_a_share(mark):
    assert with_shares([Share(2, "loops", 0.5)], result(mark), {}) == {}


def test_what_was_decided_by_hand_stands(tmp_path):
    marks, shares = (Mark("double-it", "", "wrong", "loops"),), [Share(2, "loops", 0.5)]
    for by_hand in (Decision(0.0), Decision(excused=True)):
        assert with_shares(shares, result(*marks), {"double-it": by_hand})["double-it"] == by_hand
    comment = with_shares(shares, result(*marks), {"double-it": Decision(comment="Come and see me.")})["double-it"]
    assert comment == Decision(0.5, comment="Come and see me.")
    whole = with_shares(shares, result(*marks), {"": Decision(3.0)})
    assert result(*marks).with_decisions(whole).points == 3.0


def test_a_line_that_met_nobody_is_named():
    shares = [Share(2, "loops", 0.5), Share(3, "colums", 0.5)]
    marks = (Mark("double-it", "", "wrong", "loops"), Mark("halve-it", "", "wrong", "columns"))
    unmet, counted = met(shares, [result(*marks), result(marks[0])], "shares.csv")
    assert "line 3" in unmet and "Did you mean `columns`?" in unmet
    assert counted == "shares.csv gives a share of the points to 2 marks."
