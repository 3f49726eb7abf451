"""Which calls of a jitted function share a trace, which arguments are static, and what is jitted anew: JAX is asked.

JAX keeps each trace under a key, and hands the same program out again for the same key. So two calls have one key if
and only if what they are handed is one thing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from jaxcourse.insides._belief import belief
from jaxcourse.insides._program import _part, read


def same_trace(one: Any, other: Any) -> bool:
    """Whether two results of `jax.jit(function).trace(...)` are one trace of JAX's cache.

    Raises:
        CannotRead: this JAX hands out its traces in another way.

    Example:
        >>> jitted = jax.jit(lambda x: x + 1)
        >>> three, zeros, four = (jitted.trace(x) for x in (np.ones(3), np.zeros(3), np.ones(4)))
        >>> same_trace(three, zeros), same_trace(three, four)
        (True, False)
    """
    sharing.require()
    return _same(one, other)


def _same(one: Any, other: Any) -> bool:
    return _part(one, "jaxpr") is _part(other, "jaxpr")


class _WithoutHash:
    """What can be neither a static argument nor a traced one: JAX refuses each with an error of its own."""

    __hash__ = None  # type: ignore[assignment]


def is_jitted(function: Any) -> bool:
    """Whether a function is what `jax.jit` makes, and nothing that is only like it or has one inside.

    A method that is bound hands out the attributes of its function, which take the object as their first argument.

    Example:
        >>> class Model:
        ...     step = jax.jit(lambda self, x: x)
        >>> [is_jitted(each) for each in (jax.jit(len), len, Model.step, Model().step)]
        [True, False, True, False]
    """
    return type(function) is type(jax.jit(len))


def is_static(jitted: Any, args: Sequence[Any], kwargs: Mapping[str, Any], which: int | str) -> bool:
    """Whether an argument of a jitted function is static; the function itself is not called.

    Args:
        jitted: the function.
        args: the arguments of a call.
        kwargs: those with names.
        which: the argument's position, or its name.

    Raises:
        CannotRead: this JAX refuses what has no hash in another way.

    Example:
        >>> repeat = jax.jit(lambda x, n: [x] * n, static_argnums=1)
        >>> is_static(repeat, (1.0, 3), {}, 1), is_static(repeat, (1.0, 3), {}, 0)
        (True, False)
    """
    refusing.require()
    return _is_static(jitted, args, kwargs, which)


def _is_static(jitted: Any, args: Sequence[Any], kwargs: Mapping[str, Any], which: int | str) -> bool:
    refused = _WithoutHash()
    given = [refused if i == which else value for i, value in enumerate(args)]
    try:
        jitted.trace(*given, **{name: refused if name == which else value for name, value in kwargs.items()})
    except ValueError:
        return True
    except TypeError:
        return False
    raise refusing.broken("it took what has no hash")


def made_anew(function: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """How many programs a function compiles in every call, for it makes the function anew that it jits.

    The function is traced twice. It is looked at as it runs without `jit` around it.

    Args:
        function: not jitted.
        *args: its arguments, or `jax.ShapeDtypeStruct`s in their place.
        **kwargs: those with names.

    Raises:
        CannotRead: this JAX hands out its traces in another way.

    Example:
        >>> double = jax.jit(lambda x: 2 * x)
        >>> made_anew(lambda x: jax.jit(lambda y: 2 * y)(x), 1.0), made_anew(lambda x: double(x), 1.0)
        (1, 0)
    """
    renewing.require()
    return _made_anew(function, *args, **kwargs)


def _made_anew(function: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    first, second = (_jits(function, args, kwargs) for _ in range(2))
    return sum(one is not other for one, other in zip(first, second, strict=False))


def _jits(function: Callable[..., Any], args: Any, kwargs: Any) -> list[Any]:
    """The programs of the jitted functions that a function calls, as JAX hands them out."""

    def traced_anew(leaves: Any) -> Any:
        args, kwargs = leaves
        return function(*args, **kwargs)

    return [one.jitted for one in read(traced_anew, (args, kwargs)).equations if one.is_jit]


@belief()
def sharing() -> bool:
    """Calls with the same key are handed one trace, and calls with another shape, weak type or static value another."""
    jitted = jax.jit(lambda x, n: x * n, static_argnums=1)
    ones = np.ones(3, np.float32)
    first, *others = (jitted.trace(x, n) for x, n in ((ones, 2), (ones + 1, 2), (ones[:2], 2), (ones, 3), (1.0, 2)))
    weak = _same(others[-1], jitted.trace(np.float32(1), 2))
    return [_same(first, one) for one in others] == [True, False, False, False] and not weak


@belief()
def refusing() -> bool:
    """A static argument without a hash is a `ValueError`, a traced one a `TypeError`, and no function is called."""
    called = list[int]()

    def function(x: Any, n: Any) -> Any:
        called.append(1)
        return x

    found = [_is_static(jax.jit(function, static_argnums=i), (1.0, 2), {}, j) for i in (0, 1) for j in (0, 1)]
    named = [_is_static(jax.jit(function, static_argnames=i), (1.0,), {"n": 2}, j) for i in "xn" for j in (0, "n")]
    return found == named == [True, False, False, True] and not called


@belief()
def renewing() -> bool:
    """A jitted function that is one has one trace within two functions, and one that is made anew has two."""
    kept = jax.jit(lambda x: x + 1)
    return (_made_anew(lambda x: kept(x), 1.0), _made_anew(lambda x: jax.jit(lambda y: y + 1)(x), 1.0)) == (0, 1)
