"""The question and its answer: what JAX will do with a function, before it runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax

from jaxcourse import insides
from jaxcourse.before import _show
from jaxcourse.before._explain import Explained, explained
from jaxcourse.before._guess import checked
from jaxcourse.before._hazards import Asked, hazards
from jaxcourse.before._run import jitted, taken
from jaxcourse.before._said import Said
from jaxcourse.insides import Sent
from jaxcourse.table import Table


class LeavesJax(TypeError):
    """A function that JAX cannot trace, so that there is no program to read."""


@dataclass(frozen=True, repr=False)
class Before(Said):
    """What is known of a call before it runs; it shows as tables and sentences. Its attributes are those of `Said`."""

    def run(self) -> Before:
        """Run it here, by the rules of `bench.race`, and show what it took beside what was said.

        Returns:
            The same with `took`; if the call cannot be timed fairly, with the reason instead.
        """
        try:
            return replace(self, took=taken(self.asked), why_not_run="")
        except ValueError as error:  # an unfair race, such as with an argument that is given away
            return replace(self, took=None, why_not_run=str(error))

    def explain(self) -> Explained:
        """Trace some calls, and show what each kernel took beside what was said of it.

        Raises:
            ValueError: the arguments are shapes without values.
            CannotRead: this version of JAX writes its traces in another way.
        """
        return explained(self.asked, self._rates)

    def _parts(self) -> list[Table | str]:
        return _show.parts(self)

    def __repr__(self) -> str:
        return _show.text(self)

    def _repr_html_(self) -> str:
        return _show.html(self)


def before(function: Callable[..., Any], *args: Any, guess: Mapping[str, Any] | None = None, **kwargs: Any) -> Before:
    """Say what JAX will do with a call, before it runs: the function is traced and compiled, and nothing is computed.

    Its Python code runs twice, on tracers: once for the program, and once for JAX's check of random keys. The time of a
    call is found when it is first asked for or shown; once a day, it takes some ten seconds to measure this machine.

    Args:
        function: of arrays, jitted or not. One that is not jitted is looked at as if it were.
        *args: its arguments, or a `jax.ShapeDtypeStruct` in the place of each: only shapes and dtypes count.
        guess: what you expect, any of `dtype`, `shape`, `kernels`, `bytes` and `ms`.
        **kwargs: its arguments with names.

    Returns:
        What comes back, kernels, bytes, operations, the time on this machine at least and at most, the largest kernels,
        and hazards. It shows as tables and sentences.

    Raises:
        LeavesJax: the function needs a value that does not exist yet, with the first line of JAX's own message.
        TypeError: `function` cannot be called, or something is guessed that is not asked.
        CannotRead: this version of JAX writes its programs in another way.

    Example:
        >>> import jax.numpy as jnp
        >>> def scaled(x):
        ...     return 2 * x + 1
        >>> said = before(scaled, jnp.ones(1000))
        >>> said.result.shape, said.kernels, said.bytes, said.operations
        ((1000,), 1, 8000, 2000)
    """
    if not callable(function):
        raise TypeError(
            f"before() takes a function and its arguments, got {type(function).__name__}: write before(f, x)"
        )
    guessed = checked(guess or {})
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        program, compiled, result = _compiled(function, args, kwargs)
    said = tuple(dict.fromkeys(str(one.message).splitlines()[0] for one in heard))
    asked = Asked(
        function, args, kwargs, program, insides.kernels(compiled, program), said, result, insides.donates(compiled)
    )
    return Before(asked, insides.costs(compiled), _sent(compiled), hazards(asked), guessed)


def _compiled(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """The traced program, the compiled one, and what comes back."""
    run = jitted(function)
    try:
        traced = run.trace(*args, **kwargs)
    except (*_LEAVES, jax.errors.UnexpectedTracerError) as error:
        raise LeavesJax(
            f"The function leaves JAX, so there is no program to read. JAX says: {_first_line(error)}"
        ) from error
    with insides.as_ever():
        compiled = traced.lower().compile()
    return insides.of_traced(traced), compiled, run.eval_shape(*args, **kwargs)


_LEAVES = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _sent(compiled: Any) -> tuple[Sent, ...] | None:
    try:
        return tuple(insides.sent(compiled))
    except insides.CannotRead:  # devices communicate in a way that the course cannot count
        return None
