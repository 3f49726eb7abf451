"""The stopwatch: a first call, calls in a loop, and contestants in turn."""

from __future__ import annotations

import functools
import gc
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import jax

from jaxcourse.bench._arrays import leaves
from jaxcourse.insides import compilations, numba_versions

SAMPLE_SECONDS = 2e-3
"""A shorter sample would measure the clock and the loop more than the call."""
ROUNDS = (5, 31)
"""The fewest and the most rounds of a race."""
MOST_SECONDS = "JAXCOURSE_RACE_SECONDS"
"""The variable of the environment by which whoever runs a notebook, and not for its times, ends its races sooner."""
FEWEST_UNREAD = 2
"""The fewest rounds then: of two, every table and picture can be made."""

wait: Callable[[Any], Any] = jax.block_until_ready


@dataclass(frozen=True)
class Entry:
    """A contestant: a function and the arguments of every call to it."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()


def entry(function: Callable[..., Any], *args: Any) -> Entry:
    """Enter a function into a race, with the arguments it is called with.

    Args:
        function: what is timed. It must return its result, so that the race can wait for it and compare it.
        *args: NumPy arrays, lists of numbers or numbers for a NumPy, Numba or Python function; JAX arrays or numbers
            for a JAX function.

    Raises:
        TypeError: if `function` cannot be called.

    Example:
        >>> import numpy as np
        >>> entry(np.sum, np.ones(3)).function.__name__
        'sum'
    """
    if not callable(function):
        kind = type(function).__name__
        raise TypeError(f"entry() takes a function and its arguments, got {kind}: write entry(f, x), not entry(f(x))")
    return Entry(function, args)


@dataclass(frozen=True)
class Trial:
    """A contestant after its first call.

    Args:
        name: the contestant.
        entry: what is called.
        inputs: the leaves of the arguments.
        outputs: the leaves of the first call's result.
        first_call: seconds that the first call took.
        compiled: whether JAX or Numba compiled something during it.
    """

    name: str
    entry: Entry
    inputs: list[Any]
    outputs: list[Any]
    first_call: float
    compiled: bool

    @property
    def is_jax(self) -> bool:
        """Whether the result is JAX's, and therefore perhaps not there yet when the call returns."""
        return any(isinstance(leaf, jax.Array) for leaf in self.outputs)


@dataclass(frozen=True)
class Sample:
    """Seconds per call, by the clock on the wall and by the processor over all threads; and whether it compiled."""

    wall: float
    processor: float
    compiled: bool


def first_call(name: str, contestant: Entry) -> Trial:
    """Call a contestant once and look at what it takes and returns."""
    compiles = _compiles(contestant.function)
    start = perf_counter()
    result = wait(contestant.function(*contestant.args))
    seconds = perf_counter() - start
    compiled = _compiles(contestant.function) > compiles
    return Trial(name, contestant, leaves(contestant.args), leaves(result), seconds, compiled)


def calibrate(trial: Trial) -> int:
    """How many calls last as long as a sample should."""
    loops = 1
    while _sample(trial, loops).wall * loops < SAMPLE_SECONDS:
        loops *= 2
    return loops


def measure(trials: Sequence[Trial], loops: Sequence[int], seconds: float) -> list[list[Sample]]:
    """Samples of each contestant, taken in turn, each round with another one first."""
    samples: list[list[Sample]] = [[] for _ in trials]
    fewest, most = ROUNDS
    if MOST_SECONDS in os.environ:
        fewest, seconds = FEWEST_UNREAD, min(seconds, float(os.environ[MOST_SECONDS]))
    start = perf_counter()
    with _no_garbage_collection():
        for turn in range(most):
            if turn >= fewest and perf_counter() - start > seconds:
                break
            for step in range(len(trials)):
                index = (turn + step) % len(trials)
                samples[index].append(_sample(trials[index], loops[index]))
    return samples


def _sample(trial: Trial, loops: int) -> Sample:
    function, args = trial.entry.function, trial.entry.args
    compiles = _compiles(function)
    processor, start = process_time(), perf_counter()
    if trial.is_jax:
        for _ in itertools.repeat(None, loops):
            wait(function(*args))
    else:
        # What is not JAX's is there when the call returns. Waiting for it would add a microsecond to it.
        for _ in itertools.repeat(None, loops):
            function(*args)
    wall = perf_counter() - start
    return Sample(wall / loops, (process_time() - processor) / loops, _compiles(function) > compiles)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Keep Python from cleaning up one contestant's objects during another's turn."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _compiles(function: Callable[..., Any]) -> int:
    """How often JAX has compiled in this process, and Numba this function: only differences matter."""
    while isinstance(function, functools.partial):
        function = function.func
    return len(compilations()) + (numba_versions(function) or 0)
