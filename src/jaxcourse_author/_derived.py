"""Inputs derived from those that a check has asked: another length, another sign, a tie, an odd value, another layout.

They need no author, and may leave what a task allows. They are good for showing where a mutant differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from jaxcourse.counterexample import value_text
from jaxcourse.exercise import Exercise, judge
from jaxcourse.inputs import Asked, extent
from jaxcourse.probe import call, declared, local_channel
from jaxcourse_author._transcript import Transcript

Arguments = tuple[Any, ...]


def calls_of(exercise: Exercise, answer: Any) -> list[Arguments]:
    """The arguments with which a check calls an answer, as far as its questions are calls.

    Example:
        >>> calls_of(Exercise("f", lambda answer, rng: answer(3)), lambda x: x)
        [(3,)]
    """
    transcript = Transcript(local_channel(answer))
    judge(replace(exercise, without=()), transcript)
    calls = ((declared(question), args, named) for question, args, named in transcript.questions())
    return [args for asked, args, named in calls if asked.like_a_call and named.keys() <= asked.options]


def difference(exercise: Exercise, right: Any, other: Any) -> str:
    """The smallest derived input on which two answers differ, in words; nothing if none is found.

    Args:
        exercise: whose check gives the inputs to derive from.
        right: an answer that passes.
        other: another one.

    Example:
        >>> task = Exercise("f", lambda answer, rng: answer(np.array([2.0, 1.0])))
        >>> difference(task, np.sum, lambda x: x[0] + x[1])
        'For `[]` the solution gives `0.0`, this raises IndexError.'
    """
    calls = calls_of(exercise, right)
    cases = [*calls[:1], *(case for one in calls[:2] for case in variations(one))]
    same = Asked(lambda: None, lambda: None).same
    for case in sorted(cases, key=extent):
        want, got = (local_channel(answer)(call, *case) for answer in (right, other))
        if want.raised or want.foreign:
            continue  # outside of what the solution takes
        if got.raised or got.foreign or not same(got.value, want.value):
            came = f"this raises {got.raised.kind}" if got.raised else f"this `{value_text(got.value, digits=17)}`"
            given = ", ".join(map(value_text, case))
            return f"For `{given}` the solution gives `{value_text(want.value, digits=17)}`, {came}."
    return ""


def variations(args: Arguments) -> Iterator[Arguments]:
    """Arguments like some others, each changed in one way.

    Args:
        args: of a call.

    Example:
        >>> [one[0].tolist() for one in variations((np.array([3.0, 1.0]),))][:4]
        [[], [3.0], [3.0, 1.0, 3.0], [-3.0, -1.0]]
    """
    arrays = [i for i, value in enumerate(args) if isinstance(value, (np.ndarray, jax.Array)) and np.ndim(value)]
    for i in arrays:
        for new in _arrays(np.asarray(args[i])):
            yield _with(args, {i: new})
    lengths = {np.shape(args[i])[0] for i in arrays}
    if len(arrays) > 1 and len(lengths) == 1:
        for length in (0, 1, 2, lengths.pop() + 1):
            yield _with(args, {i: _of_length(np.asarray(args[i]), length) for i in arrays})
    for i, value in enumerate(args):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            for number in (0, 1, 2, -1, value + 1, -value):
                yield _with(args, {i: type(value)(number)})


def _with(args: Arguments, new: dict[int, Any]) -> Arguments:
    def like(old: Any, value: Any) -> Any:
        return jax.numpy.asarray(value) if isinstance(old, jax.Array) else value

    return tuple(like(value, new[i]) if i in new else value for i, value in enumerate(args))


def _arrays(x: np.ndarray) -> Iterator[np.ndarray]:
    for length in (0, 1, len(x) + 1):
        if length != len(x):
            yield _of_length(x, length)
    if x.dtype.kind in "if":
        yield -x
        yield np.where(np.arange(x.size).reshape(x.shape) % 2, x, -x)
        yield np.round(x)
        yield np.zeros_like(x)
    if x.size:
        yield np.full_like(x, x.flat[0])
        yield x[::-1]
        yield np.repeat(x, 2, axis=-1)[..., ::2]
    if x.ndim == 2:
        yield x.T
        yield x[:, :1]
    if x.dtype.kind == "f" and x.size:
        for odd in (np.nan, np.inf, 0.0):
            new = x.copy()
            new.flat[0] = odd
            yield new


def _of_length(x: np.ndarray, length: int) -> np.ndarray:
    return np.take(x, np.arange(length) % max(len(x), 1), axis=0) if len(x) else x
