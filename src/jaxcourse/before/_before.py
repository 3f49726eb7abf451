"""The question and its answer: what JAX will do with a function, before it runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax

from jaxcourse import insides
from jaxcourse.before import _show
from jaxcourse.before._devices import device
from jaxcourse.before._explain import Explained, explained
from jaxcourse.before._guess import checked
from jaxcourse.before._hazards import Asked, hazards
from jaxcourse.before._on import OnDevice, on_device
from jaxcourse.before._programs import Programs, programs
from jaxcourse.before._run import LeavesJax as LeavesJax
from jaxcourse.before._run import first_lines, jitted, taken, traced, traced_again, whole_call
from jaxcourse.before._said import Said
from jaxcourse.insides import Sent
from jaxcourse.table import Table


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

    def programs(self, calls: Sequence[tuple[Any, ...]]) -> Programs:
        """Say how many programs this call and some more compile, and what was new where a further one is compiled.

        JAX itself is asked for each trace; nothing is compiled and nothing is run. A function that is not jitted is
        looked at as if it were, unless it jits a function that it makes anew: then it compiles in every call.

        Args:
            calls: the arguments of each further call, one tuple for each. Arguments with names stay as they are.

        Returns:
            What each call compiles, and why; this call is the first.

        Raises:
            TypeError: a call is no tuple.
            LeavesJax: one of the calls cannot be traced.

        Example:
            >>> import jax.numpy as jnp
            >>> said = before(jnp.sin, jnp.ones(3)).programs([(jnp.zeros(3),), (jnp.ones(4),)])
            >>> said.count, [call.why for call in said.calls]
            (2, [('the first call',), (), ('`x`: shape (4,), not (3,)',)])
        """
        return programs(self.asked, calls)

    def on(self, name: str) -> OnDevice:
        """Say how long the call takes at least on another device, by its data sheet, and whether it has room.

        It is a lower bound and no estimate, and nothing in it comes from the kernels that were compiled here, but that
        what this compiler leaves out is not counted. For a launch on a GPU, 1 µs is assumed.

        Args:
            name: `H200`, `A100`, `T4` or `v5e`.

        Raises:
            ValueError: no data sheet is known of it.

        Example:
            >>> import jax, jax.numpy as jnp
            >>> square = jax.ShapeDtypeStruct((8192, 8192), "bfloat16")
            >>> said = before(jnp.matmul, square, square).on("H200")
            >>> f"at least {1e3 * said.at_least:.2f} ms, mostly {said.mostly}", said.fits
            ('at least 1.11 ms, mostly products', True)
        """
        return on_device(self, device(name))

    def _parts(self) -> list[Table | str]:
        return _show.parts(self)

    def __repr__(self) -> str:
        return _show.text(self)

    def _repr_html_(self) -> str:
        return _show.html(self)


def before(
    function: Callable[..., Any], /, *args: Any, guess: Mapping[str, Any] | None = None, **kwargs: Any
) -> Before:
    """Say what JAX will do with a call, before it runs: the function is traced and compiled, and nothing is computed.

    Its Python code runs twice, on tracers: once for the program, and once for JAX's check of random keys; twice more if
    it is not jitted itself and calls what is, to see whether it makes that anew. The time of a call is found when it is
    first asked for or shown; once a day, it takes some ten seconds to measure this machine.

    Args:
        function: of arrays, jitted or not. One that is not jitted is looked at as if it were. Of a bound method or a
            `partial` of a jitted function, that function is looked at, with the object or the values as arguments.
        *args: its arguments, or a `jax.ShapeDtypeStruct` in the place of each: only shapes and dtypes count.
        guess: what you expect, any of `dtype`, `shape`, `kernels`, `bytes` and `ms`. An argument of your own function
            that has this name is bound before, by `functools.partial`.
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
    if isinstance(function, jax.stages.Compiled):
        raise TypeError("before() traces a function, and a compiled program has no trace: give it what was compiled")
    guessed = checked({} if guess is None else guess)
    function, args, kwargs, bound = whole_call(function, args, kwargs)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = traced(function, args, kwargs)
        with insides.as_ever():
            lowered = found.lower()
            compiled = lowered.compile()
    program, result = insides.of_traced(found), jitted(function).eval_shape(*args, **kwargs)
    donated, donates = insides.donated(lowered), insides.donates(compiled)
    kernels = insides.kernels(compiled, program)
    asked = Asked(function, args, kwargs, program, kernels, first_lines(heard), result, donates, donated, bound)
    more, reused = traced_again(asked)
    asked = replace(asked, heard=tuple(dict.fromkeys((*asked.heard, *more))), reused=reused)
    return Before(asked, insides.costs(compiled), _sent(compiled), hazards(asked), guessed)


def _sent(compiled: Any) -> tuple[Sent, ...] | None:
    try:
        return tuple(insides.sent(compiled))
    except insides.CannotRead:  # devices communicate in a way that the course cannot count
        return None
