"""Rules about what must be there before anything else can be asked: an exercise is written, and its check runs."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse_author.rules._rule import Pair, Refusal, rule


@rule(per="lesson", ready=True)
def nothing_is_unfinished(pair: Pair) -> Iterator[Refusal]:
    """Nothing that `jaxcourse new` left to be written is still there."""
    yield from pair.unfinished


@rule(per="lesson", ready=True)
def checks_run(pair: Pair) -> Iterator[Refusal]:
    """No check stumbles over the solution."""
    for name, answer in pair.solutions.items():
        pair.verdict(pair.checks.exercises[name], answer)  # raises `Stumbled`
    yield from ()
