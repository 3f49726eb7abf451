"""Rules about right answers beside the solution, and about the fakes that look like one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from jaxcourse.exercise import Exercise, judge
from jaxcourse.prediction import Prediction
from jaxcourse.probe import Channel, Reply, local_channel
from jaxcourse_author.rules._rule import Pair, Refusal, rule


@rule(per="lesson", advice=True)
def right_answers_are_listed(pair: Pair) -> Iterator[Refusal]:
    """Every exercise that is answered by a function lists another right answer."""
    for name, exercise in pair.checks.exercises.items():
        listed = any(item.exercise == name for item in pair.checks.rights)
        if not isinstance(exercise.check, Prediction) and callable(pair.solutions.get(name)) and not listed:
            yield Refusal(
                pair.answer_file(name),
                f"{name!r} lists no right answer beside its solution",
                f'Write one or two that look different under `@right("{name}")`.',
            )


@rule(per="lesson")
def right_answers_pass(pair: Pair) -> Iterator[Refusal]:
    """Every listed right answer passes on several seeds."""
    for item in pair.checks.rights:
        if item.exercise not in pair.checks.exercises:
            yield Refusal(
                pair.answer_file(item.exercise),
                f"a right answer to the unknown exercise {item.exercise!r}",
                "Mend the name.",
            )
            continue
        for seed in pair.draws(2):
            verdict = pair.verdict(pair.checks.exercises[item.exercise], item.answer, seed)
            if verdict.status != "passed":
                yield Refusal(
                    pair.check_file(item.exercise),
                    f"a right answer to {item.exercise!r} is judged `{verdict.status}` ({verdict.label}: "
                    f"{verdict.message}) on seed {seed}",
                    "Mend the check: it refuses what the task allows.",
                )
                break


@rule(per="lesson")
def fakes_are_refused(pair: Pair) -> Iterator[Refusal]:
    """No solution passes that remembers results by shape, or numbers from the first call, or switches x64 on."""
    for name, solution in pair.solutions.items():
        exercise = pair.checks.exercises[name]
        if isinstance(exercise.check, Prediction) or not callable(solution):
            continue
        accepted = {item.change for item in pair.checks.equivalents if item.exercise == name}
        for fake, make in FAKES.items():
            if fake not in accepted and _passes(exercise, make, solution):
                yield Refusal(
                    pair.check_file(name),
                    f"the solution of {name!r} passes {fake}",
                    f'{_REPAIRS[fake]}, or accept it: `equivalent("{name}", "{fake}", "why it is right")`.',
                )


Fake = Callable[[Callable[..., Any], list[bool]], Callable[..., Any]]


def _passes(exercise: Exercise, make: Fake, solution: Callable[..., Any]) -> bool:
    """Whether a fake passes although it had something to do."""
    applied: list[bool] = []
    try:
        verdict = judge(exercise, _stop_at_change(local_channel(make(solution, applied))))
    except _SettingChanged:
        return False
    return verdict.status == "passed" and bool(applied)


class _SettingChanged(BaseException):
    """A setting was changed. `judge` refuses that in the end, whatever else comes back."""


def _stop_at_change(channel: Channel) -> Channel:
    """The channel, up to the first reply that tells of a changed setting."""

    def ask(question: Callable[..., Any], *args: Any, **kwargs: Any) -> Reply:
        reply = channel(question, *args, **kwargs)
        if reply.settings:
            raise _SettingChanged
        return reply

    return ask


def _by_shape(solution: Callable[..., Any], applied: list[bool]) -> Callable[..., Any]:
    """Gives what it gave first for arrays of these shapes and dtypes."""
    kept: dict[Any, Any] = {}

    @functools.wraps(solution)
    def fake(*args: Any, **kwargs: Any) -> Any:
        leaves, form = jax.tree.flatten((args, kwargs))
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return solution(*args, **kwargs)  # what is compiled is no value yet, and right for all
        key = str(form), tuple(map(_kind, leaves))
        if any(map(_is_array, leaves)):
            applied.append(True)
        if key not in kept:
            kept[key] = solution(*args, **kwargs)
        return kept[key]

    return fake


def _first_numbers(solution: Callable[..., Any], applied: list[bool]) -> Callable[..., Any]:
    """Takes the numbers of its first call for those of every later one."""
    kept: dict[Any, Any] = {}

    @functools.wraps(solution)
    def fake(*args: Any, **kwargs: Any) -> Any:
        def first(place: Any, value: Any) -> Any:
            if not isinstance(value, (int, float, complex, np.number)) or isinstance(value, bool):
                return value
            applied.append(True)
            return kept.setdefault(place, value)

        named = {name: first(name, value) for name, value in kwargs.items()}
        return solution(*(first(place, value) for place, value in enumerate(args)), **named)

    return fake


def _with_x64(solution: Callable[..., Any], applied: list[bool]) -> Callable[..., Any]:
    """Switches to 64 bits for the whole process."""

    @functools.wraps(solution)
    def fake(*args: Any, **kwargs: Any) -> Any:
        applied.append(True)
        jax.config.update("jax_enable_x64", True)
        return solution(*args, **kwargs)

    return fake


FAKES: dict[str, Fake] = {
    "remembered by shape": _by_shape,
    "numbers remembered from the first call": _first_numbers,
    "x64 switched on": _with_x64,
}
"""Wrong whatever is asked, and what makes each of a solution."""

_REPAIRS = {
    "remembered by shape": "Ask two different values of one shape",
    "numbers remembered from the first call": "Ask a second number for each argument that is one",
    "x64 switched on": "Ask it through the channel",
}


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, jax.Array))


def _kind(value: Any) -> Any:
    return (np.shape(value), str(value.dtype)) if _is_array(value) else repr(value)
