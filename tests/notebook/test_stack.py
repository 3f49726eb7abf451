"""What a version of JAX means for a reader."""

import jax
import pytest

import jaxcourse
from jaxcourse import insides
from jaxcourse.notebook import _stack


@pytest.mark.parametrize(
    ("here", "words"),
    [
        ((0, 4, 38), "older than 0.7.2"),
        ((0, 7, 1), "older than 0.7.2"),
        ((0, 7, 2), "that Colab has"),
        ((0, 9, 0), "lies between"),
        ((0, 10, 2), "the course's own requirements.txt"),
        ((0, 11, 2), "lies between"),
        ((0, 12, 0), "is newer than the course's own"),
        ((0, 12, 1), "is newer than 0.12.0"),
        ((1, 0, 0), "is newer than 0.12.0"),
    ],
)
def test_every_version_gets_a_verdict(here, words):
    assert words in _stack.verdict(here)
    assert ("Every lesson runs" in _stack.verdict(here)) == (here in insides.SEEN)


@pytest.mark.parametrize("text", ["0.10.2", "0.10.2.dev20260101", "0.10.2.1"])
def test_a_version_has_three_numbers(text):
    assert insides.numbers(text) == (0, 10, 2)


def test_the_stack_is_the_one_that_runs():
    here = jaxcourse.stack()
    assert here.versions["jax"] == jax.__version__
    assert repr(here).count("\n") >= len(here.versions)
    assert len(here.not_yet) == sum(insides.numbers(jax.__version__) < since for since, _ in _stack.CHANGES)


def test_it_shows_itself_without_markup_of_its_own(monkeypatch):
    monkeypatch.setattr(_stack, "_version", lambda name: "<0.1>")
    shown = jaxcourse.stack()._repr_html_()
    assert "&lt;0.1&gt;" in shown and "<0.1>" not in shown


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setattr(_stack, "PACKAGES", ("jax", "no-such-package"))
    assert jaxcourse.stack().versions["no-such-package"] == "not installed"
