"""Questions about an answer: what it is, what it returns, how the result lies in memory, what its code is made of.

Each takes the student's object first. They are named, self-contained functions, because a grader sends them to another
process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from jaxcourse.probe._channel import GaveAway, is_really
from jaxcourse.probe._code import code_of, inner, loops
from jaxcourse.probe._question import question


@question(evidence="values")
def kind(student_object: Any) -> str:
    """`"unfinished"` if a `...` is left anywhere, else `"function"` or `"value"`."""
    try:
        unfinished = _has_ellipsis(student_object)
    except RecursionError:  # a list that contains itself: whoever opens the value says so
        unfinished = False
    if unfinished:
        return "unfinished"
    return "function" if callable(student_object) else "value"


def _has_ellipsis(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(map(_has_ellipsis, value))
    return value is Ellipsis


@question(evidence="values", like_a_call=True)
def call(student_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The answer's result."""
    return student_function(*args, **kwargs)


@question(evidence="values", like_a_call=True)
def on_jax_arrays(student_function: Callable[..., Any], *args: Any) -> Any:
    """The answer's result, with every NumPy array among its arguments made into a JAX array.

    Example:
        >>> on_jax_arrays(lambda x: x.at[0].set(7), np.zeros(2))
        Array([7., 0.], dtype=float32)
    """
    given = on_device(args)
    result = student_function(*given)
    if any(value.is_deleted() for value in jax.tree.leaves(given) if isinstance(value, jax.Array)):
        raise GaveAway
    return result


@question(evidence="values", like_a_call=True)
def under_jit(student_function: Callable[..., Any], *args: Any) -> Any:
    """The answer's result under `jax.jit`: asked again with other values of the same shapes, it costs next to nothing.

    Example:
        >>> float(under_jit(lambda x: x.sum(), np.ones(3)))
        3.0
    """
    return jax.jit(student_function)(*args)


def on_device(values: Any) -> Any:
    """The same tree with JAX arrays for its NumPy arrays, as `jnp.asarray` makes them, but nothing is compiled for it.

    `jnp.asarray` compiles a program for each new shape and dtype, which costs more than most questions.

    Args:
        values: a tree; what is no NumPy array stays as it is.

    Example:
        >>> on_device({"a": np.arange(3.0), "b": 2})
        {'a': Array([0., 1., 2.], dtype=float32), 'b': 2}
    """
    # JAX may use the memory that it is given, so that it gets a copy which nobody else can change.
    return jax.tree.map(lambda leaf: jax.device_put(leaf.copy()) if isinstance(leaf, np.ndarray) else leaf, values)


@question(evidence="values")
def itself(student_value: Any) -> Any:
    """The answer, where the answer is a value."""
    return student_value


@question(evidence="process", like_a_call=True)
def gives_jax(student_function: Callable[..., Any], *args: Any) -> bool:
    """Whether JAX arrays, made of every NumPy array among the arguments, give a JAX array.

    Example:
        >>> gives_jax(lambda x: -x, np.zeros(2)), gives_jax(np.negative, np.zeros(2))
        (True, False)
    """
    return is_really(student_function(*on_device(args)), jax.Array)


@question(evidence="process", like_a_call=True)
def result_type(student_function: Callable[..., Any], *args: Any) -> str:
    """The name of the result's type, such as `"ndarray"`, `"list"` or `"jax.Array"`: what it was before the channel."""
    if is_really(result := student_function(*args), jax.Array):
        return "jax.Array"
    return type(result).__name__


@question(evidence="process", like_a_call=True)
def layout(student_function: Callable[..., Any], array: np.ndarray, *args: Any) -> dict[str, Any]:
    """How the result, a NumPy array, lies in memory, and whether it shares memory with its first argument.

    Args:
        student_function: the answer.
        array: its first argument.
        *args: its other arguments.

    Returns:
        `type`, the type's name; for an array also `values`, `shape`, `strides` (bytes), `dtype`, `order` ("C",
        "F", "both" or "neither"), `shares` (a bool) and `writeable`.

    Example:
        >>> facts = layout(lambda x: x.T, np.zeros((2, 3)))
        >>> facts["strides"], facts["order"], facts["shares"]
        ((8, 24), 'F', True)
    """
    result = student_function(array, *args)
    if not is_really(result, np.ndarray):
        return {"type": "jax.Array" if is_really(result, jax.Array) else type(result).__name__}
    c, f = result.flags.c_contiguous, result.flags.f_contiguous
    return {
        "type": "ndarray",
        "values": result.copy(),
        "shape": result.shape,
        "strides": result.strides,
        "dtype": str(result.dtype),
        "order": {(True, True): "both", (True, False): "C", (False, True): "F"}.get((c, f), "neither"),
        "shares": bool(np.shares_memory(result, array)),
        "writeable": bool(result.flags.writeable),
    }


@question(
    evidence="process",
    says_nothing=("not-written-out", "Write it out with `def` and `return`, as a function: its code is read."),
)
def code_facts(student_function: Callable[..., Any]) -> dict[str, Any]:
    """What a function's code is made of: the names that it uses, and whether it loops.

    Args:
        student_function: the answer.

    Returns:
        `names`, the global names and attributes in the code, sorted; `loops`, how many places in it are jumped back to:
        0 if and only if there is no loop and no comprehension. An empty dictionary if the answer has no Python code of
        its own: a class, or a function written in C.

    Example:
        >>> def doubled(x):
        ...     return np.array([2 * v for v in x])
        >>> code_facts(doubled)
        {'names': ['array', 'np'], 'loops': 1}
    """
    code = code_of(student_function)
    if code is None:
        return {}
    parts = [code, *inner(code)]
    return {"names": sorted({name for part in parts for name in part.co_names}), "loops": sum(map(loops, parts))}
