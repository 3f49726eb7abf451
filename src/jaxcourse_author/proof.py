"""`jaxcourse check`: the rules, one after the other, with what they refuse, how far it is, and what came of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from jaxcourse.prediction import Prediction
from jaxcourse_author.rules import RULES, Contract, Rule, summary, warnings

SHOWN = 10
"""How many refusals of one rule, or pieces of its advice, are printed."""
SILENT = 15.0
"""Seconds without a word after which it is said how far it is."""
FEW = 10
"""Steps from which nothing can be foretold: the first ones wait for JAX to start."""


@dataclass
class Progress:
    """Says how far a long run is, and about how much longer it takes.

    Attributes:
        due: how many steps there are, about.
        what: they are, in the plural.
        say: writes a line.
        clock: tells seconds.
    """

    due: int
    what: str
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True)
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    _began: float = field(init=False)
    _said: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self._said = self.clock()

    def __call__(self) -> None:
        """One step more."""
        self.done += 1
        now = self.clock()
        if now - self._said >= SILENT and self.done >= FEW:
            self._said = now
            left = (now - self._began) * max(self.due - self.done, 0) / self.done
            self.say(f"... {self.done} of about {self.due} {self.what}, {duration(left)} left")


def duration(seconds: float) -> str:
    """How long something takes, as it is said.

    Example:
        >>> duration(40), duration(100), duration(9000)
        ('about 40 s', 'about 2 minutes', 'about 2.5 hours')
    """
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} minutes" if seconds < 5400 else f"about {seconds / 3600:.1f} hours"


def verdicts_due(contract: Contract) -> int:
    """How many verdicts the rules ask for, about: those that cannot be known before are left out."""
    due = 0
    for pair in contract.pairs:
        asked = [exercise.check for exercise in pair.checks.exercises.values()]
        due += sum(1 if isinstance(check, Prediction) else contract.seeds for check in asked)
        due += len(pair.draws()) * (len(pair.checks.wrongs) + len(pair.checks.rights))
    return due


def prove(contract: Contract, *, quick: bool, verbose: bool = False, stop: bool = False) -> int:
    """Ask every rule, and print what is refused, what would be better, and a last line that counts.

    Args:
        contract: the lessons.
        quick: whether rules that run whole notebooks are left out.
        verbose: whether each rule that holds is named, and not only counted.
        stop: whether what a rule of `_ready` refuses ends it: nothing that follows says more before that is mended.

    Returns:
        0 if nothing is refused, else 1.
    """
    broken, held, advice = 0, 0, list[str]()
    asked = [rule for rule in RULES if not (quick and rule.slow)]
    for rule in asked:
        found = list(map(str, rule.refusals(contract)))
        if rule.advice:
            advice += _few(found)
        elif found:
            broken += len(found)
            _refuse(rule, found)
        held += rule.advice or not found
        if verbose and (rule.advice or not found):
            print("!" if found else "✓", rule.proves, flush=True)
        if found and stop and rule.ready:
            break
    advice += warnings(contract)
    if advice:
        print("What would make it better, and refuses nothing:", *(f"! {one}" for one in advice), sep="\n")
    print(_last_line(contract, broken, held, of=len(asked), quick=quick))
    return 1 if broken else 0


def _refuse(rule: Rule, found: list[str]) -> None:
    print("✗", rule.proves, flush=True)
    for refusal in _few(found):
        print(f"  {refusal}", flush=True)


def _few(found: list[str]) -> list[str]:
    """The first ones of what a rule has found, and how many more there are."""
    return [*found[:SHOWN], *([f"... and {len(found) - SHOWN} more"] if len(found) > SHOWN else [])]


def _last_line(contract: Contract, broken: int, held: int, of: int, *, quick: bool) -> str:
    outcome = f"{broken} refused" if broken else "Everything holds"
    left_out = " Whole notebooks were not run." if quick else ""
    return f"{outcome}: {summary(contract)}, by {held} of {of} rules.{left_out}"
