"""Questions about an answer: what it is, what it returns, how that lies in memory, what its code is made of.

Each takes the student's object first. They are named, self-contained functions, because a grader sends them to another
process.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from jaxcourse.probe._code import inner, loops


def kind(student_object: Any) -> str:
    """`"unfinished"` if a `...` is left anywhere, else `"function"` or `"value"`."""
    if _has_ellipsis(student_object):
        return "unfinished"
    return "function" if callable(student_object) else "value"


def _has_ellipsis(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(map(_has_ellipsis, value))
    return value is Ellipsis


def call(student_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The answer's result."""
    return student_function(*args, **kwargs)


def itself(student_value: Any) -> Any:
    """The answer, where the answer is a value."""
    return student_value


def result_type(student_function: Callable[..., Any], *args: Any) -> str:
    """The name of the result's type, such as `"ndarray"`, `"list"` or `"Array"`: what came back before the door."""
    if isinstance(result := student_function(*args), jax.Array):
        return "jax.Array"
    return type(result).__name__


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
    if not isinstance(result, np.ndarray):
        return {"type": "jax.Array" if isinstance(result, jax.Array) else type(result).__name__}
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


def written(student_function: Callable[..., Any]) -> dict[str, Any]:
    """What a function's code is made of: the names that it uses, and whether it loops.

    Args:
        student_function: the answer.

    Returns:
        `names`, the global names and attributes in the code, sorted; `loops`, how many places in it are jumped back to:
        0 if and only if there is no loop and no comprehension. Nothing, if the answer has no Python code of its own: a
        class, a `functools.partial`, a function written in C.

    Example:
        >>> def doubled(x):
        ...     return np.array([2 * v for v in x])
        >>> written(doubled)
        {'names': ['array', 'np'], 'loops': 1}
    """
    code = getattr(inspect.unwrap(student_function), "__code__", None)
    if code is None:
        return {}
    parts = [code, *inner(code)]
    return {"names": sorted({name for part in parts for name in part.co_names}), "loops": sum(map(loops, parts))}
