"""Rules about concepts: nothing is used before it is explained, and what is declared of concepts is so."""

from __future__ import annotations

from collections.abc import Iterator

from jaxcourse_author.concepts import CONCEPTS, problems
from jaxcourse_author.rules._rule import Contract, Refusal, rule


@rule(per="course")
def concepts_are_declared_as_they_are(contract: Contract) -> Iterator[Refusal]:
    """Every concept is explained by a section that exists, and recognised by what lessons say."""
    for problem, repair in problems(contract.course, contract.road):
        yield Refusal(CONCEPTS, problem, repair)


@rule(per="course")
def concepts_are_explained_before_they_are_used(contract: Contract) -> Iterator[Refusal]:
    """No section uses a concept that neither it, nor one before it, nor a link right there explains."""
    for label in sorted(contract.road.awaited_here):
        yield Refusal(CONCEPTS, f"the section {label!r} is awaited, and is here", "Remove it from `awaited`.")
    for row in contract.road.rows(contract.course):
        if not contract.only or row.stop.stem in contract.only:
            yield Refusal(row.place, row.problem, row.repair)
