"""The contract, which proves that lessons and checks hold together.

It is made of rules, whose refusals name the file, the problem and the repair.
"""

from collections.abc import Iterator

from jaxcourse_author.lesson import SITTING, Minutes
from jaxcourse_author.rules import (
    _bans,
    _concepts,
    _exercises,
    _files,
    _insides,
    _notebooks,
    _paths,
    _placement,
    _proofs,
    _ready,
    _rights,
    _sheets,
    _teach,
    _text,
    _verdicts,
    _withheld,
)
from jaxcourse_author.rules._exercises import WRONG_ANSWERS as WRONG_ANSWERS
from jaxcourse_author.rules._insides import readings as readings
from jaxcourse_author.rules._notebooks import run_nbval as run_nbval
from jaxcourse_author.rules._rights import FAKES as FAKES
from jaxcourse_author.rules._rule import RULES as RULES
from jaxcourse_author.rules._rule import SEEDS as SEEDS
from jaxcourse_author.rules._rule import Contract as Contract
from jaxcourse_author.rules._rule import Pair as Pair
from jaxcourse_author.rules._rule import Refusal as Refusal
from jaxcourse_author.rules._rule import Rule as Rule
from jaxcourse_author.rules._rule import rule as rule
from jaxcourse_author.rules._text import lessons_come_after_what_they_need as lessons_come_after_what_they_need

__all__ = [
    "FAKES",
    "RULES",
    "SEEDS",
    "WRONG_ANSWERS",
    "Contract",
    "Pair",
    "Refusal",
    "Rule",
    "readings",
    "rule",
    "run_nbval",
    "summary",
    "warnings",
]

_ORDER = [
    room.__name__
    for room in (
        *(_ready, _files, _text, _concepts, _paths, _placement, _sheets, _teach, _withheld, _proofs, _exercises),
        *(_insides, _bans, _verdicts, _rights, _notebooks),
    )
]
RULES.sort(key=lambda one: _ORDER.index(one.check.__module__))  # what stops the rest first, then what is cheap


def warnings(contract: Contract) -> Iterator[str]:
    """What an author should know about a lesson, and may leave as it is."""
    for pair in contract.pairs:
        several = pair.source.minutes.sittings
        for i, sitting in enumerate(pair.source.minutes.each, 1):
            core, _ = sitting.figures
            if core > SITTING:
                yield (
                    f"{pair.md}: the core path{f' of sitting {i}' if several else ''} takes {core} minutes, and a "
                    f"sitting has {SITTING}. Mark exercises with `:class: practice`, or cut what no exercise, "
                    "prediction or later lesson needs."
                )


def summary(contract: Contract) -> str:
    """What was proved, counted, in one line."""
    exercises = sum(len(pair.checks.exercises) for pair in contract.pairs)
    practice = sum(len(pair.checks.exercises.keys() & pair.source.practice) for pair in contract.pairs)
    wrongs = sum(len(pair.wrong_answers(name)) for pair in contract.pairs for name in pair.checks.exercises)
    rights = sum(len(pair.checks.rights) for pair in contract.pairs)
    proofs = sum(cell.role == "proof" for pair in contract.pairs for cell in pair.source.cells)
    minutes = sum((pair.source.minutes for pair in contract.pairs), Minutes(0, 0))
    lessons = "1 lesson" if len(contract.pairs) == 1 else f"{len(contract.pairs)} lessons"
    others = len(contract.course.lessons_here) - len(contract.course.lesson_paths)
    untaught = f", {others} more that _toc.yml does not name" if others else ""
    return (
        f"{lessons} ({minutes}){untaught}, {proofs} proofs, {exercises} exercises, {practice} of them for practice, "
        f"{rights} more right and {wrongs} wrong answers"
    )
