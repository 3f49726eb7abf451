"""The rule about plans: what they show and ask is there."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse_author.rules._rule import Contract, Refusal, rule
from jaxcourse_author.teach import TEACH, problems


@rule(per="course")
def plans_hold(contract: Contract) -> Iterator[Refusal]:
    """A lesson's plan shows cells that the lesson has, and asks a question whose wrong answers are known."""
    for problem, repair in problems(contract.course):
        yield Refusal(TEACH, problem, repair)
