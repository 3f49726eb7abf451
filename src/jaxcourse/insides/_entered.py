"""The programs inside an equation, with their values beside those of the equation."""

from __future__ import annotations

from collections.abc import Sequence

from jaxcourse.insides._program import Equation, Program, Value

Pairs = list[tuple[Value, Value]]
"""Each input of a program, and the value that it is given."""


def entered(equation: Equation) -> list[tuple[Program, Pairs]]:
    """Each program inside an equation, with what it is given; none where that is not known.

    A loop's test comes before its body.

    Example:
        >>> import jax
        >>> from jaxcourse.insides._program import read
        >>> (call,) = read(lambda x: jax.jit(lambda y: -y)(x), 1.0).equations
        >>> [(inner, pairs)] = entered(call)
        >>> pairs == [(inner.inputs[0], call.inputs[0])]
        True
    """
    loop = equation.loop
    if loop and loop.test:
        tested, stepped = (*loop.tested, *loop.carried), (*loop.fixed, *loop.carried)
        return [(loop.test, _paired(loop.test.inputs, tested)), (loop.body, _paired(loop.body.inputs, stepped))]
    given = equation.inputs[1:] if equation.branches else equation.inputs
    found = []
    for inner in equation.inside:
        # `pl.run_scoped` hands on what it is given as constants: its arguments are memory of its own
        own = inner.inputs if len(inner.inputs) == len(given) else inner.constants
        if len(own) != len(given):
            return []
        found.append((inner, _paired(own, given)))
    return found


def _paired(own: Sequence[Value], given: Sequence[Value]) -> Pairs:
    return list(zip(own, given, strict=True))
