"""Puzzles: rebuild an array function from few primitives, against a specification in plain Python loops.

The specification is slow, and nobody can misread it. An answer is tried on random inputs, the smallest first, so that
the first one on which the two differ is a counterexample that fits into a line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.exercise import close, numbers, require
from jaxcourse.probe import Answer

PRIMITIVES = frozenset({"arange", "where", "sum", "len", "shape", "size"})
"""What a puzzle may be made of, beside operators and brackets."""

Case = tuple[Any, ...]
Spec = Callable[..., Any]


def growing(draw: Callable[[int], Case], *, largest: int = 5, tries: int = 2) -> list[Case]:
    """Draw inputs of growing size: the fewest elements first, and of these the smallest numbers first.

    Args:
        draw: Makes the arguments of one call from a size: whole numbers, and NumPy arrays of whole numbers.
        largest: The largest size; the smallest is 1.
        tries: How many inputs there are of each size.

    Returns:
        The arguments of each call.

    Example:
        >>> growing(lambda n: (np.arange(n), n), largest=2, tries=1)
        [(array([0]), 1), (array([0, 1]), 2)]
    """
    drawn = [draw(size) for size in range(1, largest + 1) for _ in range(tries)]
    return sorted(drawn, key=_extent)


def _extent(case: Case) -> tuple[int, int]:
    return sum(np.size(value) for value in case), sum(int(np.sum(np.abs(value))) for value in case)


def require_primitives(answer: Answer, primitives: Collection[str] = PRIMITIVES) -> None:
    """Require that a function is written without loops and with nothing but some primitives of `jax.numpy`.

    Operators, brackets and `None` are always allowed. What counts is what is written: nothing is run.

    Args:
        answer: The answer.
        primitives: Names of functions and attributes.

    Raises:
        Diagnosis: `loops` or `not-a-primitive`.
        Refused: it has no Python code of its own.

    Example:
        >>> from jaxcourse.probe import local_door
        >>> require_primitives(Answer("total", local_door(lambda a: jnp.cumsum(a))))
        Traceback (most recent call last):
        jaxcourse.exercise.Diagnosis: `cumsum` is against the rules. Allowed are operators, brackets, and `arange`, ...
    """
    found = answer.probe(probe.written)
    message = "There is a loop in it, or a comprehension. Let an axis do the work: one more axis for each loop."
    require(not found["loops"], "loops", message)
    # `newaxis` is `None`. An untouched stub breaks no rule: once it is called it says itself that it is not attempted.
    stray = [name for name in found["names"] if name not in {*primitives, "jnp", "newaxis", "NotImplementedError"}]
    verb = "is" if len(stray) == 1 else "are"
    message = f"{_code(stray[:3])} {verb} against the rules. Allowed are operators, brackets, and {_code(primitives)}."
    require(not stray, "not-a-primitive", message)


def on_jax_arrays(student_function: Callable[..., Any], *args: Any) -> Any:
    """A question: the answer's result, with every NumPy array among its arguments made into a JAX array."""
    return student_function(*(jnp.asarray(value) if isinstance(value, np.ndarray) else value for value in args))


def agrees(answer: Answer, spec: Spec, cases: Iterable[Case]) -> bool:
    """Whether an answer does what a specification says on every input: it recognises a well-known mistake.

    Args:
        answer: The answer.
        spec: Takes lists of numbers where the answer takes arrays, and returns a number or nested lists.
        cases: The arguments of each call.

    Example:
        >>> from jaxcourse.probe import local_door
        >>> backwards = Answer("steps", local_door(lambda a: a[:-1] - a[1:]))
        >>> agrees(backwards, lambda a: [p - q for p, q in zip(a, a[1:])], [(np.array([3, 5, 4]),)])
        True
    """
    return all(close(_result(answer, case), _wanted(spec, case)) for case in cases)


def expect_spec(answer: Answer, spec: Spec, cases: Iterable[Case]) -> None:
    """Require that an answer does what a specification says, or show the first input on which it does not.

    Args:
        answer: The answer; it is called with JAX arrays.
        spec: As in `agrees`. The names of its parameters stand in the message.
        cases: The arguments of each call, the smallest first: see `growing`.

    Raises:
        Diagnosis: `counterexample`, or one of the engine's own.

    Example:
        >>> from jaxcourse.probe import local_door
        >>> def largest(a):
        ...     return max(a)
        >>> expect_spec(Answer("largest", local_door(lambda a: a[-1])), largest, [(np.array([2, 1]),)])
        Traceback (most recent call last):
        jaxcourse.exercise.Diagnosis: The smallest counterexample: for `a = [2, 1]` wanted `2`, got `1`.
    """
    names = list(inspect.signature(spec).parameters)
    for case in cases:
        got, want = numbers(_result(answer, case)), _wanted(spec, case)
        require(close(got, want), "counterexample", _counterexample(names, case, want, got))


def _result(answer: Answer, case: Case) -> Any:
    result = answer.probe(on_jax_arrays, *case)
    require(result is not None, "returned-nothing", f"`{answer.name}` returned `None`. Is there a `return` at its end?")
    return result


def _wanted(spec: Spec, case: Case) -> np.ndarray:
    return np.asarray(spec(*(value.tolist() if isinstance(value, np.ndarray) else value for value in case)))


def _counterexample(names: Sequence[str], case: Case, want: np.ndarray, got: np.ndarray) -> str:
    given = ", ".join(f"{name} = {_written_out(value)}" for name, value in zip(names, case, strict=True))
    text = f"The smallest counterexample: for `{given}` wanted `{_written_out(want)}`, got `{_written_out(got)}`."
    return text if got.shape == want.shape else f"{text} The shape should be {want.shape}, not {got.shape}."


def _written_out(value: Any, limit: int = 120) -> str:
    text = str(np.asarray(value).tolist())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))
