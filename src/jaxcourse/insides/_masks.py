"""Masks that are factors: where a program makes numbers of a mask, and multiplies by them.

NaN times 0 is NaN, and what lies beyond the end of an array may be NaN. What comes out need not tell: XLA makes a
selection of some of these products.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp

from jaxcourse.insides._program import Equation, Program, Value

_PRODUCTS = frozenset({"mul", "dot_general"})
_MIXES = ("reduce", "cum", "arg", "dot_general")


def masks_as_factors(program: Program) -> int:
    """How many products of floats a program makes in which one factor is a mask, as numbers, and the other is none.

    A mask becomes numbers by a conversion, or by a selection of two constants: `mask * 1.0`, `jnp.where(mask, 1, 0)`.

    Example:
        >>> from jaxcourse.insides._program import read
        >>> masked = lambda x: x * jnp.where(x > 0, 1.0, 0.0)
        >>> selected = lambda x: jnp.where(x > 0, x, 0.0)
        >>> [masks_as_factors(read(function, jnp.ones(3))) for function in (masked, selected)]
        [1, 0]
    """
    found = _Masks()
    found.look(program)
    return found.factors


class _Masks:
    """A walk through a program that knows which values are constants, and which are masks as numbers.

    What a loop carries is not followed from one turn to the next.

    Attributes:
        factors: how many products had a mask as one factor.
    """

    def __init__(self) -> None:
        self.factors = 0
        self._constant, self._mask = set[Value](), set[Value]()

    def look(self, program: Program) -> None:
        """Walk through the equations, in order."""
        for equation in program.equations:
            for each in equation.inside:
                self._hand_on(equation.inputs[-len(each.inputs) :] if each.inputs else (), each.inputs)
                self.look(each)
                self._hand_on(each.outputs, equation.outputs)
            if not equation.inside:
                self._note(equation)

    def _hand_on(self, known: Sequence[Value], to: Sequence[Value]) -> None:
        """Say of values what is known of others, if there is one for each."""
        if len(known) != len(to):
            return
        for of, value in zip(known, to, strict=True):
            if self._is_constant(of):
                self._constant.add(value)
            elif of in self._mask:
                self._mask.add(value)

    def _is_constant(self, value: Value) -> bool:
        return value.written or value in self._constant

    def _note(self, equation: Equation) -> None:
        """Say what the results of one primitive are, and whether it is a product with a mask."""
        masks = [value in self._mask for value in equation.inputs]
        constants = [self._is_constant(value) for value in equation.inputs]
        other = not all(mask or constant for mask, constant in zip(masks, constants, strict=True))
        if equation.primitive in _PRODUCTS:
            floats = any(jnp.issubdtype(value.dtype, jnp.floating) for value in equation.outputs if value.dtype)
            self.factors += any(masks) and other and floats
        if self._makes_numbers(equation, constants):
            self._mask.update(equation.outputs)
        elif equation.inputs and not other and not equation.primitive.startswith(_MIXES):
            (self._mask if any(masks) else self._constant).update(equation.outputs)

    def _makes_numbers(self, equation: Equation, constants: Sequence[bool]) -> bool:
        """Whether an equation makes numbers of a mask: it converts one, or selects among constants."""
        if equation.primitive == "select_n":
            return all(constants[1:]) and equation.outputs[0].dtype != "bool"
        converts = equation.primitive == "convert_element_type" and equation.inputs[0].dtype == "bool"
        return converts and equation.outputs[0].dtype != "bool"
