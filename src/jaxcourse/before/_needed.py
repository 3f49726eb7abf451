"""What any compiler must do for a program: which arrays it reads and writes whole, turns of loops, matrix products.

All is read from what JAX traces, and nothing from what a compiler made of it: another compiler fuses in another way.
What is not known to be needed is not counted.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from jaxcourse.insides import Equation, Loop, Program, Value

_WHOLE = frozenset(
    [
        *("abs", "add", "add_any", "and", "argmax", "argmin", "broadcast_in_dim", "cbrt", "ceil", "concatenate"),
        *("convert_element_type", "copy", "cos", "cosh", "cummax", "cummin", "cumsum", "div", "dot_general"),
        *("eq", "erf", "exp", "exp2", "expm1", "fft", "floor", "ge", "gt", "integer_pow", "is_finite", "le"),
        *("lgamma", "log", "log1p", "logistic", "lt", "max", "min", "mul", "ne", "neg", "not", "or", "pow"),
        *("reduce_max", "reduce_min", "reduce_prod", "reduce_sum", "rem", "reshape", "rev", "round", "rsqrt"),
        *("sign", "sin", "sinh", "sort", "sqrt", "square", "squeeze", "sub", "tan", "tanh", "transpose", "xor"),
    ]
)
"""Primitives that need every element of each input for every element of their output to exist. Others, such as those
that slice or select, may leave some of it unread."""


TURNS = 20
"""Turns of a loop after which it is given up to find what all turns need."""


@dataclass(frozen=True)
class Needed:
    """What a call needs at least.

    Attributes:
        read: bytes of the arguments of which every element is read.
        written: bytes of the results that are no arguments.
        turns: of loops of known length, those within others multiplied; at least 1.
        products: operations of matrix products, two for each pair, by the dtype of their factors.
        open: whether a loop has an unknown length; it counts for no turn.
    """

    read: int
    written: int
    turns: int
    products: dict[str, float]
    open: bool


def needed(program: Program) -> Needed:
    """What a program needs at least, whoever compiles it.

    Example:
        >>> import jax, jax.numpy as jnp, numpy as np
        >>> from jaxcourse import insides
        >>> def steps(x, table):
        ...     return jax.lax.fori_loop(0, 5, lambda i, x: x @ x, x) + table[0]
        >>> found = needed(insides.read(steps, *[jax.ShapeDtypeStruct((10, 10), "float32")] * 2))
        >>> found.read, found.written, found.turns, found.products
        (400, 400, 5, {'float32': 10000.0})
    """
    made = {id(value): value for value in program.outputs if not value.written and not value.is_key}
    given = {id(value) for value in program.inputs}
    whole = _whole(program, set(made))
    read = [value for value in program.inputs if id(value) in whole and not value.is_key]
    products = defaultdict[str, float](float)
    for dtype, operations in _products(program):
        products[dtype] += operations
    return Needed(
        sum(value.nbytes for value in read),
        sum(value.nbytes for key, value in made.items() if key not in given),
        max(1, _turns(program)),
        dict(products),
        any(one.loop is not None and one.loop.trips is None for one in program.everything),
    )


def _whole(program: Program, wanted: set[int]) -> set[int]:
    """Of the values of a program those that are wanted whole, if some of its outputs are."""
    whole = set(wanted)
    for one in reversed(program.equations):
        asked = [id(value) in whole for value in one.outputs]
        if any(asked):
            whole |= {id(value) for value in _inputs(one, asked)}
    return whole


def _inputs(one: Equation, asked: list[bool]) -> Iterator[Value]:
    """The inputs that an equation needs whole, if some of its outputs are asked for whole."""
    if one.primitive in _WHOLE:
        yield from one.inputs
    elif one.called and len(one.called.inputs) == len(one.inputs) and len(one.called.outputs) == len(one.outputs):
        yield from _chosen(one.inputs, _asked_of(one.called, asked))
    elif one.loop and one.loop.trips:
        yield from _chosen(one.inputs, _asked_by_loop(one.loop, asked))


def _chosen(inputs: tuple[Value, ...], asked: list[bool]) -> Iterator[Value]:
    yield from (value for value, wanted in zip(inputs, asked, strict=True) if wanted)


def _asked_of(inner: Program, asked: list[bool]) -> list[bool]:
    """For each input of a program, whether it is needed whole if some of its outputs are."""
    whole = _whole(inner, {id(value) for value, wanted in zip(inner.outputs, asked, strict=True) if wanted})
    return [id(value) in whole for value in inner.inputs]


def _asked_by_loop(loop: Loop, asked: list[bool]) -> list[bool]:
    """The same of a scan, from its last turn to its first: a turn is asked for what the next one needs."""
    fixed, carried = len(loop.fixed), len(loop.carried)
    wanted, needs = asked, [False] * (fixed + carried + len(loop.rows))
    for _ in range(min(loop.trips or 0, TURNS)):
        needs = _asked_of(loop.body, wanted)
        before = [*needs[fixed : fixed + carried], *asked[carried:]]
        if before == wanted:
            return needs
        wanted = before
    return needs if (loop.trips or 0) <= 1 else [False] * len(needs)


def _turns(program: Program) -> int:
    """Turns of loops of known length; a decision may take the way without one."""
    found = 0
    for one in program.equations:
        if one.loop and one.loop.trips is not None:
            found += math.ceil(one.loop.trips / max(one.loop.unroll, 1)) * max(1, _turns(one.loop.body))
        elif one.called:
            found += _turns(one.called)
    return found


def _products(program: Program, times: int = 1) -> Iterator[tuple[str, float]]:
    """Of each matrix product that certainly runs, the dtype of its factors and its operations."""
    for one in program.equations:
        if one.product:
            yield one.inputs[0].dtype, float(times * one.product)
        elif one.loop and one.loop.trips is not None:
            yield from _products(one.loop.body, times * one.loop.trips)
        elif one.called:
            yield from _products(one.called, times)
