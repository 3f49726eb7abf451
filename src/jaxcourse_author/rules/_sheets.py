"""The rule about sheets: what they are made of is there."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse_author.rules._rule import Contract, Refusal, rule
from jaxcourse_author.sheets import SHEETS, problems


@rule(per="course")
def sheets_hold(contract: Contract) -> Iterator[Refusal]:
    """Each sheet is made of tables, cells and recaps that its sections have."""
    for problem, repair in problems(contract.course):
        yield Refusal(SHEETS, problem, repair)
