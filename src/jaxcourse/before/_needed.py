"""What any compiler must do for a program: which arrays it reads and writes whole, turns of loops, matrix products.

All is read from what JAX traces, and nothing from what a compiler made of it: another compiler fuses in another way.
What is not known to be needed is not counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

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


_MOVES = frozenset(["copy", "reshape", "squeeze", "transpose"])
"""Primitives after which the same numbers may lie in the same memory."""


TURNS = 20
"""Turns of a loop after which it is given up to find what all turns need."""


@dataclass(frozen=True)
class Needed:
    """What a call needs at least.

    Attributes:
        read: bytes of the arguments of which every element is read.
        written: bytes of the results that are no arguments.
        turns: of loops of known length, those within others multiplied; at least 1.
        products: operations of matrix products, two for each pair, by the dtype of their factors, or by the name of
            the algorithm that was asked for.
        open: whether a loop has an unknown length; it counts for no turn.
    """

    read: int
    written: int
    turns: int
    products: dict[str, float]
    open: bool


def needed(program: Program, donates: bool = False) -> Needed:
    """What a program needs at least, whoever compiles it.

    Args:
        program: of the whole call.
        donates: whether arguments are given away. A result that only has another shape than one is not moved then.

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
    whole = _whole(program, set(made) - given - (_moved(program) if donates else set()))
    read = [value for value in program.inputs if id(value) in whole and not value.is_key]
    products = defaultdict[str, float](float)
    call = _Inside(program, [True] * len(program.outputs), [1] * len(program.inputs))
    for dtype, operations in _products(call):
        products[dtype] += operations
    return Needed(
        sum(value.nbytes for value in read),
        sum(value.nbytes for key, value in made.items() if key not in given),
        max(1, _turns(call)),
        dict(products),
        any(one.loop is not None and one.loop.trips is None for one in program.everything),
    )


def _moved(program: Program) -> set[int]:
    """The values of a program that are arguments in another shape."""
    found = {id(value) for value in program.inputs}
    for one in program.equations:
        if one.primitive in _MOVES and id(one.inputs[0]) in found:
            found.add(id(one.outputs[0]))
    return found


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
    if one.primitive in _WHOLE and one.exponent != 0:  # a power of 0 is 1, whatever it is of
        yield from one.inputs
    elif one.called and _is_whole_call(one, one.called):
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


# -- what certainly runs, and how often ---------------------------------------------------------------------------


def _live(program: Program, asked: Sequence[bool]) -> list[tuple[Equation, list[bool]]]:
    """The equations on which some outputs of a program rest, in order, each with those of its outputs that are used."""
    used = {id(value) for value, wanted in zip(program.outputs, asked, strict=True) if wanted}
    found = list[tuple[Equation, list[bool]]]()
    for one in reversed(program.equations):
        wanted = [id(value) in used for value in one.outputs]
        if any(wanted):
            found.append((one, wanted))
            used |= {id(value) for value, needs in zip(one.inputs, _uses(one, wanted), strict=True) if needs}
    return found[::-1]


@lru_cache(maxsize=1024)  # else loops within loops would be walked again for each loop around them
def _used_of(program: Program, asked: tuple[bool, ...]) -> list[bool]:
    """For each input of a program, whether some of its outputs rest on it."""
    used = {id(value) for value, wanted in zip(program.outputs, asked, strict=True) if wanted}
    for one, wanted in _live(program, asked):
        used |= {id(value) for value, needs in zip(one.inputs, _uses(one, wanted), strict=True) if needs}
    return [id(value) in used for value in program.inputs]


def _uses(one: Equation, wanted: list[bool]) -> list[bool]:
    """For each input of an equation, whether those of its outputs that are wanted rest on it."""
    if one.called and _is_whole_call(one, one.called):
        return _used_of(one.called, tuple(wanted))
    if one.loop and one.loop.kind == "scan":
        return _used_of(one.loop.body, tuple(_wanted_of_body(one.loop, wanted)))
    return [True] * len(one.inputs)


def _wanted_of_body(loop: Loop, wanted: list[bool]) -> list[bool]:
    """Which results of a turn are used: after the loop, or by another turn."""
    fixed, carried = len(loop.fixed), len(loop.carried)
    while True:
        uses = _used_of(loop.body, tuple(wanted))
        more = [a or b for a, b in zip(wanted, uses[fixed : fixed + carried], strict=False)] + wanted[carried:]
        if more == wanted:
            return wanted
        wanted = more


def _is_whole_call(one: Equation, called: Program) -> bool:
    """Whether a program gets all inputs and makes all outputs: no kernel of Pallas does, which is launched once."""
    return len(called.inputs) == len(one.inputs) and len(called.outputs) == len(one.outputs)


@dataclass(frozen=True)
class _Inside:
    """A program inside an equation: which of its outputs are used, and how often each of its inputs changes."""

    program: Program
    asked: list[bool]
    often: list[int]


def _inside(one: Equation, wanted: list[bool], often: list[int], times: int) -> _Inside | None:
    """The program that an equation certainly runs; None for a decision, and for a loop of unknown length."""
    if one.loop and (trips := one.loop.trips) is not None:
        loop, body, fixed = one.loop, one.loop.body, len(one.loop.fixed)
        kept = [body.inputs[fixed + i] is body.outputs[i] for i in range(len(loop.carried))]
        same = [True] * fixed + kept + [False] * len(loop.rows)
        turns = [each if stays else times * trips for each, stays in zip(often, same, strict=True)]
        return _Inside(body, _wanted_of_body(loop, wanted), turns)
    if one.called and _is_whole_call(one, one.called):
        return _Inside(one.called, wanted, often)
    return None


def _runs(inside: _Inside) -> Iterator[tuple[Equation, int, _Inside | None]]:
    """Each equation that is of use, how often it must run, and what is inside it.

    What rests only on values that a loop doesn't change must run once: a compiler moves it out of the loop.
    """
    changes = dict(zip(map(id, inside.program.inputs), inside.often, strict=True))
    for one, wanted in _live(inside.program, inside.asked):
        often = [changes.get(id(value), 1) for value in one.inputs]
        times = max(often, default=1)
        changes |= {id(value): times for value in one.outputs}
        yield one, times, _inside(one, wanted, often, times)


def _turns(inside: _Inside) -> int:
    """Turns of loops of known length. A loop of one turn is none: a compiler writes it out."""
    found = 0
    for one, times, within in _runs(inside):
        own = (one.loop.trips or 0) // max(one.loop.unroll, 1) if one.loop else 0
        found += max(times * own if own > 1 else 0, _turns(within) if within else 0)
    return found


def _products(inside: _Inside) -> Iterator[tuple[str, float]]:
    """Of each matrix product that certainly runs, the dtype in which its factors meet, and its operations."""
    for one, times, within in _runs(inside):
        if one.product:
            yield one.factors, float(times * one.product)
        elif within:
            yield from _products(within)
