"""A call, timed by the rules of the course's races."""

from __future__ import annotations

import functools
import re
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import bench, insides
from jaxcourse.before._hazards import Asked
from jaxcourse.probe import safe_to_jit


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
    return function if insides.is_jitted(function) else jax.jit(function)


def whole_call(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], int]:
    """A call of what can be asked, with all that it is given, and how many arguments are given by the function itself.

    A bound method of a jitted function, or a `partial` of one, calls that with the object or the values: they are
    arguments of its program like any other. In one that is not jitted, `jit` around it makes constants of them.
    """
    inner: Any = function
    first, named = tuple[Any, ...](), dict[str, Any]()
    while isinstance(inner, functools.partial | types.MethodType):
        if isinstance(inner, functools.partial):
            first, named, inner = (*inner.args, *first), {**inner.keywords, **named}, inner.func
        else:
            first, inner = (inner.__self__, *first), inner.__func__
    if insides.is_jitted(inner):
        return inner, (*first, *args), {**named, **kwargs}, len(first)
    return safe_to_jit(function), args, kwargs, 0


def _on_the_device(leaf: Any) -> Any:
    return jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf


def traced(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """A call as JAX traces it, jitted; from JAX's cache, if it was traced before.

    Raises:
        LeavesJax: the function needs a value that does not exist yet.
    """
    try:
        return jitted(function).trace(*args, **kwargs)
    except Exception as error:
        if why := _leaves(error):
            raise LeavesJax(f"{why} {str(error).splitlines()[0]}") from error
        raise


def traced_again(asked: Asked) -> tuple[tuple[str, ...], str]:
    """The warnings of a call when it is traced anew, and what JAX says there of a key that is used twice.

    What is jitted may have been traced before, and then warns no more. The check is a setting under which JAX traces.
    """
    function: Any = asked.function
    function = function.__wrapped__ if insides.is_jitted(function) else function

    def anew(values: Any) -> Any:
        args, kwargs = asked.call_with(values)
        return function(*args, **kwargs)

    found = ""
    with warnings.catch_warnings(record=True) as heard, jax.debug_key_reuse(True):
        warnings.simplefilter("always")
        try:
            jax.jit(anew).eval_shape([*asked.given.values()])
        except jax.errors.KeyReuseError as error:
            found = str(error).splitlines()[0]
        except Exception:  # noqa: S110  # it isn't the same function twice, such as one that takes its next batch
            pass
    return first_lines(heard), found


def first_lines(heard: Sequence[warnings.WarningMessage]) -> tuple[str, ...]:
    """The first line of each warning, once."""
    return tuple(dict.fromkeys(str(one.message).splitlines()[0] for one in heard))


def _leaves(error: Exception) -> str:
    """What to say of an error by which a function leaves JAX; empty if it is another."""
    if isinstance(error, (*_LEAVES, jax.errors.UnexpectedTracerError)):
        return f"{LEAVES} JAX says:"
    if isinstance(error, TypeError | ValueError | IndexError):
        if _NO_ARRAY.search(str(error)):
            return (
                "Not all that goes in and comes out is an array or a number, so there is no program to read. Bind what "
                "is none with `functools.partial`, or jit the function with it as a static argument. JAX says:"
            )
        if "Tracer" in str(error) and _WANTS_A_VALUE.search(str(error)):
            return f"{LEAVES} It stops with:"
    return ""


LEAVES = "The function leaves JAX, so there is no program to read."
_NO_ARRAY = re.compile(r"^Error interpreting argument to|not a valid JAX type")
_WANTS_A_VALUE = re.compile(r"static|concrete|hash|integer|format string")
"""What errors of other types say where a number has to be known: of a slice, a shape, a static argument, a `dict`."""
_LEAVES = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)
