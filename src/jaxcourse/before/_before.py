"""The question and its answer: what JAX will do with a function, before it runs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import jax

from jaxcourse import insides
from jaxcourse.before import _model, _show
from jaxcourse.before._explain import Explained, explained
from jaxcourse.before._guess import checked
from jaxcourse.before._hazards import Asked, Hazard, hazards
from jaxcourse.before._rates import Rates, on_this_backend, rates
from jaxcourse.before._run import Taken, taken
from jaxcourse.before._span import Span
from jaxcourse.insides import Kernel, Sent
from jaxcourse.table import Table


class LeavesJax(TypeError):
    """A function that JAX cannot trace, so that there is no program to read."""


@dataclass(frozen=True, repr=False)
class Before:
    """What is known of a call before it runs; it shows as tables and sentences.

    Args:
        asked: the function, its arguments, and what JAX made of them.
        costs: what the compiler says of memory.
        sent: the collectives; None if they cannot be read.
        hazards: what may surprise, each with the label of the section that explains it.
        guess: what the reader expected, by name.
        took: what a run took, once `run` was called.
        why_not_run: why nothing was measured.
    """

    asked: Asked
    costs: insides.Costs
    sent: tuple[Sent, ...] | None
    hazards: tuple[Hazard, ...]
    guess: Mapping[str, Any] = field(default_factory=dict)
    took: Taken | None = None
    why_not_run: str = ""

    @property
    def result(self) -> Any:
        """What comes back, in its structure: each leaf has `shape` and `dtype`."""
        return self.asked.result

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernels themselves, in the order of the program."""
        return tuple(self.asked.kernels)

    @property
    def kernels(self) -> int:
        """How many kernels the program has."""
        return len(self.parts)

    @property
    def launches(self) -> int | None:
        """How often a kernel is launched in one call at most; None if a loop has an unknown length."""
        return _total(self.parts, lambda one: 1)

    @property
    def bytes(self) -> int | None:
        """Bytes that all kernels read and write in one call; None if a loop has an unknown length."""
        return _total(self.parts, lambda one: one.bytes)

    @property
    def operations(self) -> int | None:
        """Arithmetic operations of one call; None if a loop has an unknown length."""
        return _total(self.parts, lambda one: one.operations)

    @property
    def temporaries(self) -> int:
        """Bytes that the program needs besides arguments and results, as the compiler says."""
        return self.costs.temporaries

    @property
    def collectives(self) -> dict[str, int]:
        """How often one call runs each collective, for loops of unknown length as if they took one turn."""
        found: dict[str, int] = {}
        for one in self.sent or ():
            found[one.operation] = found.get(one.operation, 0) + (one.runs or 1)
        return found

    @property
    def unread(self) -> tuple[Kernel, ...]:
        """The kernels of which the text does not say what they do."""
        return tuple(one for one in self.parts if not one.is_read)

    @cached_property
    def _rates(self) -> Rates | None:
        return rates() if on_this_backend() else None

    @cached_property
    def span(self) -> Span | None:
        """Processor seconds of a call on this machine; None if these cannot be said."""
        if not self._rates or self.launches is None or self.unread or self.collectives:
            return None
        made = [value.nbytes for value in self.asked.program.outputs if not value.is_key]
        arrays = len(self.asked.program.inputs) + len(self.asked.program.outputs)
        return _model.of_call(self.parts, self._rates, [*made, self.temporaries], arrays)

    @property
    def at_least(self) -> float | None:
        """Processor seconds of a call on this machine, at least; None if these cannot be said."""
        return self.span.least if self.span else None

    @property
    def at_most(self) -> float | None:
        """The same, at most."""
        return self.span.most if self.span else None

    @cached_property
    def in_the_way(self) -> tuple[_model.Share, ...]:
        """The kernels that take most of the time, the largest first, each with its share; none if no time is said."""
        return tuple(_model.largest(self.parts, self._rates)) if self._rates and self.span else ()

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


def _total(kernels: Sequence[Kernel], of: Callable[[Kernel], float]) -> int | None:
    if any(one.runs is None for one in kernels):
        return None
    return round(math.fsum((one.runs or 0) * of(one) for one in kernels))


def before(function: Callable[..., Any], *args: Any, guess: Mapping[str, Any] | None = None, **kwargs: Any) -> Before:
    """Say what JAX will do with a call, before it runs: the function is traced and compiled, and nothing is computed.

    Its Python code runs twice, on tracers: once for the program, and once for JAX's check of random keys. The time of a
    call is found when it is first asked for or shown; once a day, it takes some ten seconds to measure this machine.

    Args:
        function: of arrays, jitted or not. One that is not jitted is looked at as if it were.
        *args: its arguments, or `jax.ShapeDtypeStruct`s in their place: only shapes and dtypes count.
        guess: what you expect, any of `dtype`, `shape`, `programs`, `kernels`, `bytes` and `ms`.
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
    jitted: Any = function if hasattr(function, "trace") else jax.jit(function)
    try:
        traced = jitted.trace(*args, **kwargs)
    except (*_LEAVES, jax.errors.UnexpectedTracerError) as error:
        raise LeavesJax(
            f"The function leaves JAX, so there is no program to read. JAX says: {_first_line(error)}"
        ) from error
    with insides.as_ever():
        compiled = traced.lower().compile()
    return insides.of_traced(traced), compiled, jitted.eval_shape(*args, **kwargs)


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
