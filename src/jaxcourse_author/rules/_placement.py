"""The rule about where readers begin: what the questions name is there, and what they unlock is what they ask."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse_author.placement import PLACEMENT, problems
from jaxcourse_author.rules._rule import Contract, Refusal, rule


@rule(per="course")
def placement_unlocks_what_it_asks(contract: Contract) -> Iterator[Refusal]:
    """Each question of the placement is an entry of an exercise, and unlocks sections that train its idea."""
    for problem, repair in problems(contract.course, contract.road):
        yield Refusal(PLACEMENT, problem, repair)
