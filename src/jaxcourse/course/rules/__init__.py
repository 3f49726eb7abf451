"""The contract, which proves that lessons and checks hold together: rules whose refusals name the file, the problem and
the repair."""

from jaxcourse.course.rules import _bans, _exercises, _files, _notebooks, _rights, _text, _verdicts
from jaxcourse.course.rules._exercises import WRONG_ANSWERS as WRONG_ANSWERS
from jaxcourse.course.rules._notebooks import run_nbval as run_nbval
from jaxcourse.course.rules._rights import FAKES as FAKES
from jaxcourse.course.rules._rule import RULES as RULES
from jaxcourse.course.rules._rule import SEEDS as SEEDS
from jaxcourse.course.rules._rule import Contract as Contract
from jaxcourse.course.rules._rule import Pair as Pair
from jaxcourse.course.rules._rule import Refusal as Refusal
from jaxcourse.course.rules._rule import Rule as Rule
from jaxcourse.course.rules._rule import rule as rule
from jaxcourse.course.rules._text import PLACEHOLDER as PLACEHOLDER

__all__ = [
    "FAKES",
    "PLACEHOLDER",
    "RULES",
    "SEEDS",
    "WRONG_ANSWERS",
    "Contract",
    "Pair",
    "Refusal",
    "Rule",
    "rule",
    "run_nbval",
    "summary",
]

_ORDER = [room.__name__ for room in (_files, _text, _exercises, _bans, _verdicts, _rights, _notebooks)]
RULES.sort(key=lambda one: _ORDER.index(one.check.__module__))  # what is cheap comes first


def summary(contract: Contract) -> str:
    """What was proved, counted, in one line."""
    exercises = sum(len(pair.checks.exercises) for pair in contract.pairs)
    wrongs = sum(len(pair.checks.wrongs) for pair in contract.pairs)
    rights = sum(len(pair.checks.rights) for pair in contract.pairs)
    minutes = sum(pair.source.minutes for pair in contract.pairs)
    lessons = "1 lesson" if len(contract.pairs) == 1 else f"{len(contract.pairs)} lessons"
    return f"{lessons} ({minutes} minutes), {exercises} exercises, {rights} more right and {wrongs} wrong answers"
