"""The rule about paths: each is closed under what its sections use."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse_author.paths import PATHS, problems
from jaxcourse_author.rules._rule import Contract, Refusal, rule


@rule(per="course")
def paths_are_closed(contract: Contract) -> Iterator[Refusal]:
    """On each path, every concept is known or explained before a section uses it."""
    for problem, repair in problems(contract.course, contract.road):
        yield Refusal(PATHS, problem, repair)
