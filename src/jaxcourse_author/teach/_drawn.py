"""Which exercises draw their inputs anew for each seed, so that no answer can hold the numbers of another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxcourse.checks import Agrees, Solves, Step, Stepwise
from jaxcourse.exercise import Exercise
from jaxcourse.insides import our_settings
from jaxcourse.probe import Answer, Reply, identical
from jaxcourse_author._transcript import without_numbers

SEEDS = 0, 1
"""The two draws that are compared."""


class _FirstQuestion(BaseException):
    """Ends a step with its first question; no step of a check takes it for the answer's fault."""

    def __init__(self, asked: Any) -> None:
        super().__init__()
        self.asked = asked


def drawn_anew(exercise: Exercise) -> bool:
    """Whether the inputs of an exercise differ between two seeds: those of a step, or what it first asks.

    No answer is needed for it, so that it costs no compiling. A prediction draws nothing.

    Args:
        exercise: which.

    Example:
        >>> from jaxcourse.checks import Agrees, Shaped, declare
        >>> drawn = declare("sum", see="s", steps=[Agrees(sum, Shaped("n"), [(3,)])], words="")
        >>> fixed = declare("sum", see="s", steps=[Agrees(sum, extremes=[((1, 2),)])], words="")
        >>> drawn_anew(drawn), drawn_anew(fixed)
        (True, False)
    """
    check = exercise.check
    steps = check.steps if isinstance(check, Stepwise) else ()
    with our_settings(), np.errstate(all="ignore"):  # what is drawn may be odd on purpose
        return any(not identical(*(_inputs(step, exercise.name, seed) for seed in SEEDS)) for step in steps)


def _inputs(step: Step, name: str, seed: int) -> Any:
    """The inputs that a step draws, as plain data."""
    rng = np.random.default_rng(seed)
    if isinstance(step, (Agrees, Solves)):
        return without_numbers([*step.cases(rng)])
    try:
        step(Answer(name, _ear), rng)
    except _FirstQuestion as heard:
        return without_numbers(heard.asked)
    except Exception:  # a step that first asks for something else, and cannot go on with what it got: nothing is heard
        return None
    return None


def _ear(question: Callable[..., Any], *args: Any, **named: Any) -> Reply:
    """A channel that says of an answer that it is a function, and hears the first question that has inputs."""
    if args or named:
        raise _FirstQuestion([*args, dict(named)])
    return Reply("function")
