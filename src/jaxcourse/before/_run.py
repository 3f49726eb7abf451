"""A call, timed by the rules of the course's races."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import bench
from jaxcourse.before._hazards import Asked


class LeavesJax(TypeError):
    """A function that JAX cannot trace, so that there is no program to read."""


@dataclass(frozen=True)
class Taken:
    """What a call took.

    Attributes:
        seconds: by the clock, in the middle round.
        middle_half: the same of the rounds between which the middle half lies.
        processor: processor seconds over all threads.
        doubts: what makes the numbers doubtful; where there is one, nothing is judged by them.
    """

    seconds: float
    middle_half: tuple[float, float]
    processor: float
    doubts: tuple[str, ...]


def taken(asked: Asked, seconds: float = 1.0) -> Taken:
    """Time a call, jitted, on JAX arrays.

    Raises:
        UnfairRace: the call cannot be repeated or waited for.
        ValueError: its arguments are shapes without values.
    """
    args, kwargs = arrays_of(asked)
    race = bench.race(
        {"the call": bench.entry(functools.partial(jitted(asked.function), **kwargs), *args)}, seconds=seconds
    )
    timing = race["the call"]
    return Taken(timing.median, timing.quartiles, timing.median * timing.cores_busy, race.warnings)


def arrays_of(asked: Asked) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, those with names apart, with JAX arrays in place of NumPy's.

    Raises:
        ValueError: they are shapes without values.
    """
    if any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in asked.leaves):
        raise ValueError("the arguments are shapes without values: pass arrays to run it")
    args, kwargs = jax.tree.map(_on_the_device, (asked.args, asked.kwargs))
    return args, kwargs


def jitted(function: Any) -> Any:
    """A function as it is run: jitted, if it was not."""
    return function if hasattr(function, "trace") else jax.jit(function)


def _on_the_device(leaf: Any) -> Any:
    return jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf


def traced(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """A call as JAX traces it, jitted; from JAX's cache, if it was traced before.

    Raises:
        LeavesJax: the function needs a value that does not exist yet.
    """
    try:
        return jitted(function).trace(*args, **kwargs)
    except (*_LEAVES, jax.errors.UnexpectedTracerError) as error:
        raise LeavesJax(
            f"The function leaves JAX, so there is no program to read. JAX says: {str(error).splitlines()[0]}"
        ) from error


_LEAVES = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)
