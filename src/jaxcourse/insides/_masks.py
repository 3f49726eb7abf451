"""Masks that are factors: where a program makes numbers of a mask, and multiplies by them.

NaN times 0 is NaN, and what lies beyond the end of an array may be NaN. What comes out need not tell: XLA makes a
selection of some of these products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum

import jax.numpy as jnp

from jaxcourse.insides._entered import Pairs, entered
from jaxcourse.insides._program import Equation, Program, Value

_PRODUCTS = frozenset({"mul", "dot_general"})
_MIXES = ("reduce", "cum", "arg", "dot_general")
_TOUCHES = frozenset({"get", "swap", "addupdate"})


class Level(IntEnum):
    """What is known of a value. Where two ways lead to it, it has the higher level of both."""

    CONSTANT = 0
    """The same numbers in each step."""
    MASK = 1
    """A mask as numbers."""
    OTHER = 2
    """Anything."""


Known = dict[Value, "Level | Value"]
"""What values of a program are: their level; of a reference, the memory that it names."""


def masks_as_factors(program: Program) -> int:
    """How many products of floats a program makes in which one factor is a mask, as numbers, and the other is none.

    A mask becomes numbers by a conversion, or by a selection of two constants: `mask * 1.0`, `jnp.where(mask, 1, 0)`.
    It is followed through calls, loops and memory. What counts, by adding a mask to what was there, is a mask no more.

    Example:
        >>> from jaxcourse.insides._program import read
        >>> masked = lambda x: x * jnp.where(x > 0, 1.0, 0.0)
        >>> selected = lambda x: jnp.where(x > 0, x, 0.0)
        >>> [masks_as_factors(read(function, jnp.ones(3))) for function in (masked, selected)]
        [1, 0]
    """
    found = _Masks()
    with found.quietly():
        found.run(program, {})
        memory = list(found.written)  # what is never written holds an argument's numbers

        def step(levels: Sequence[Level]) -> list[Level]:
            found.holds, found.written = dict(zip(memory, levels, strict=True)), {}
            found.run(program, {})
            return [found.written[place] for place in memory]

        found.holds = dict(zip(memory, _settled([Level.CONSTANT] * len(memory), step), strict=True))
    found.run(program, {})
    return len(found.factors)


def _settled(levels: Sequence[Level], step: Callable[[Sequence[Level]], Sequence[Level]]) -> list[Level]:
    """The levels of what each turn hands on to the next, from those of what the first turn is given.

    What is a mask only because of what it was a turn before counts or adds up: that is `OTHER`.
    """
    levels = list(levels)
    while True:
        rises = [new > old for new, old in zip(step(levels), levels, strict=True)]
        if not any(rises):
            return levels
        apart = step([Level.OTHER if up else level for up, level in zip(rises, levels, strict=True)])
        levels = [max(new, level) if up else level for up, new, level in zip(rises, apart, levels, strict=True)]


class _Masks:
    """A walk through a program that knows which values are constants, and which are masks as numbers.

    Attributes:
        factors: the products that had a mask as one factor, each by the equations around it.
        holds: the level of what a memory holds, whenever it is read.
        written: the level of all that this walk has written into a memory.
    """

    def __init__(self) -> None:
        self.factors = set[tuple[Equation, ...]]()
        self.holds, self.written = dict[Value, Level](), dict[Value, Level]()
        self._around, self._counts = tuple[Equation, ...](), True

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """While it lasts, products are not counted: levels may still rise."""
        before, self._counts = self._counts, False
        try:
            yield
        finally:
            self._counts = before

    def run(self, program: Program, known: Known) -> list[Level]:
        """Walk through the equations, in order, from what is known of the inputs; the levels of the outputs."""
        known = dict(known)
        for equation in program.equations:
            around, self._around = self._around, (*self._around, equation)
            known.update(zip(equation.outputs, self._made(equation, known), strict=True))
            self._around = around
        return [_level(value, known) for value in program.outputs]

    def _made(self, equation: Equation, known: Known) -> list[Level]:
        if equation.loop:
            return self._looped(equation, known)
        if inside := entered(equation):
            return self._called(equation, inside, known)
        if equation.primitive in _TOUCHES:
            return self._touched(equation, known)
        return [self._computed(equation, [_level(value, known) for value in equation.inputs])] * len(equation.outputs)

    def _looped(self, equation: Equation, known: Known) -> list[Level]:
        loop, (body, pairs) = equation.loop, entered(equation)[-1]
        assert loop is not None
        given, n = _handed(pairs, known), len(loop.carried)
        carried = body.inputs[len(loop.fixed) :][:n]

        def turn(levels: Sequence[Level]) -> list[Level]:
            return self.run(body, given | dict(zip(carried, levels, strict=True)))

        with self.quietly():
            levels = _settled([_level(value, known) for value in loop.carried], lambda levels: turn(levels)[:n])
        return [*levels, *turn(levels)[n:]]

    def _called(self, equation: Equation, inside: Sequence[tuple[Program, Pairs]], known: Known) -> list[Level]:
        """The results of a call, or of a decision: one among constants makes numbers of what decides."""
        found = [self.run(inner, _handed(pairs, known)) for inner, pairs in inside]
        if any(len(levels) != len(equation.outputs) for levels in found):
            return [Level.OTHER] * len(equation.outputs)
        least = Level.MASK if equation.branches else Level.CONSTANT
        return [max(least, *levels) for levels in zip(*found, strict=True)]

    def _touched(self, equation: Equation, known: Known) -> list[Level]:
        """What is read from memory; what is written there is noted."""
        place, *values = equation.inputs
        memory = known.get(place, place)
        assert isinstance(memory, Value)
        held = self.holds.get(memory, Level.OTHER)
        if equation.primitive != "get":
            level = _level(values[0], known)
            level = max(level, held) if equation.primitive == "addupdate" else level
            self.written[memory] = max(level, self.written.get(memory, Level.CONSTANT))
        return [held] * len(equation.outputs)

    def _computed(self, equation: Equation, levels: Sequence[Level]) -> Level:
        """The level of what one primitive makes; a product with a mask is counted."""
        highest = max(levels, default=Level.OTHER)
        masked = equation.primitive in _PRODUCTS and highest is Level.OTHER and Level.MASK in levels
        if masked and self._counts and any(_is_float(value) for value in equation.outputs):
            self.factors.add(self._around)
        if _makes_numbers(equation, levels):
            return Level.MASK
        return Level.OTHER if equation.primitive.startswith(_MIXES) else highest


def _level(value: Value, known: Known) -> Level:
    found = Level.CONSTANT if value.written else known.get(value)
    return found if isinstance(found, Level) else Level.OTHER


def _is_float(value: Value) -> bool:
    return bool(value.dtype) and bool(jnp.issubdtype(value.dtype, jnp.floating))


def _handed(pairs: Pairs, known: Known) -> Known:
    """What is known of the inputs of a program that is given some values; what is not known may be a memory."""
    return {to: Level.CONSTANT if value.written else known.get(value, value) for to, value in pairs}


def _makes_numbers(equation: Equation, levels: Sequence[Level]) -> bool:
    """Whether an equation makes numbers of a mask: it converts one, or selects among constants and such numbers."""
    if not equation.outputs or equation.outputs[0].dtype == "bool":
        return False
    if equation.primitive == "select_n":
        return max(levels[1:]) < Level.OTHER
    return equation.primitive == "convert_element_type" and equation.inputs[0].dtype == "bool"
