"""Checks in steps: how their words are read, and which of their mistakes can be given as answers."""

import functools
import re

import numpy as np
import pytest

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, mistakes_of, read_words
from jaxcourse.exercise import judge
from jaxcourse.probe import local_channel


def test_words_may_be_none_and_never_get_lost():
    assert read_words("").said == {} and read_words("\n").hints == ()
    with pytest.raises(ValueError, match="and not with 'one mean: a label has no spaces'"):
        read_words("\none mean: a label has no spaces\nhint: h\n")


@pytest.mark.parametrize(
    ("ask", "labels"),
    [
        (probe.call, ["a", "a"]),
        (probe.on_jax_arrays, ["a", "a"]),
        (probe.under_jit, ["a", "a"]),
        (lambda f, x: f(x), []),
    ],
)
def test_mistakes_are_answers_where_an_answer_is_called_and_no_more(ask, labels):
    step = Agrees(abs, mistakes={"a": abs, "a/b": [abs]}, ask=ask)
    assert [label for label, _ in mistakes_of(declare("n", see="s", steps=[step], words=""))] == labels


def no_number(x):
    raise ValueError("no number")


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        (lambda x: x + 1, "more"),
        (lambda x: x + 2, "wrong-value"),
        (lambda x: x.nothing, "AttributeError"),
        (no_number, "no-number"),
    ],
)
def test_one_call_is_shown_and_that_is_the_counterexample(answer, label):
    ways = {"mistakes": {"more": lambda x: x + 1}, "raising": {"no-number": ["ValueError"]}}
    same = Agrees(lambda x: x, lambda rng, n: (rng.normal(size=n),), [1, 3], **ways)
    verdict = judge(declare("same", see="s", steps=[same], words="no-number: No."), local_channel(answer))
    assert verdict.label == label and re.search(r"or `x = \[|^x = np.array", verdict.message, re.MULTILINE)
    assert (verdict.called, verdict.returned) == ("", "")


def test_what_is_raised_shows_a_mistake_where_a_difference_has_no_label():
    """What comes out in another way is left to the next step; so is what is raised, unless it shows a mistake."""
    step = functools.partial(Agrees, lambda x: x, extremes=[(np.ones(2),)])
    steps = [step(otherwise=None, raising={"no-number": ["ValueError"]}), step()]
    both = declare("same", see="s", steps=steps, words="no-number: No.")
    labels = [judge(both, local_channel(answer)).label for answer in (no_number, lambda x: x + 1, lambda x: x.nothing)]
    assert labels == ["no-number", "wrong-value", "AttributeError"]
