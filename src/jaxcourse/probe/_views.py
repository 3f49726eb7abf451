"""Views through the channel: an array's memory and the way through it, as plain data, put together on the other side.

An array that is sent to another process arrives as a fresh one. What a check asks with `x[::-2]` would be asked there
with a copy, so a view is taken apart here and made again beside the student's code, in a notebook as in a grader.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

_MARK = "a view of"


def taken_apart(value: Any) -> Any:
    """A value in which each array that is a view is the recipe of that view; everything else is unchanged.

    A view is an array with gaps or steps, one that lies inside a larger one, or one that cannot be written to.

    Args:
        value: plain data.

    Example:
        >>> recipe = taken_apart(np.arange(6)[::-2])
        >>> recipe["a view of"], recipe["offset"], recipe["strides"]
        (array([0, 1, 2, 3, 4, 5]), 40, (-16,))
    """
    if isinstance(value, np.ndarray):
        return _recipe(value) if _is_view(value) else value
    if type(value) in (list, tuple):
        return type(value)(taken_apart(item) for item in value)
    if isinstance(value, dict):
        return {key: taken_apart(item) for key, item in value.items()}
    return value


def put_together(value: Any) -> Any:
    """A value in which each recipe is the view again: it shares the memory that came with it.

    A container without recipes is handed over as it is, so that a change to it is seen.

    Args:
        value: what `taken_apart` gave.

    Example:
        >>> view = put_together(taken_apart(np.arange(6)[::-2]))
        >>> view, view.base, view.strides
        (array([5, 3, 1]), array([0, 1, 2, 3, 4, 5]), (-16,))
    """
    if isinstance(value, dict):
        if _MARK in value:
            return _view(value)
        parts = {key: put_together(item) for key, item in value.items()}
        return value if all(parts[key] is item for key, item in value.items()) else parts
    if type(value) in (list, tuple):
        items = [put_together(item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else type(value)(items)
    return value


def _is_view(array: np.ndarray) -> bool:
    contiguous = array.flags.c_contiguous or array.flags.f_contiguous
    inside = array.size > 0 and _owner(array).nbytes != array.nbytes
    return not array.dtype.hasobject and (not contiguous or inside or not array.flags.writeable)


def _owner(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _recipe(array: np.ndarray) -> dict[str, Any]:
    memory, begins = _memory(array)
    return {
        _MARK: memory,
        "like": np.empty(0, array.dtype),  # a dtype as plain data
        "offset": array.ctypes.data - begins,
        "shape": array.shape,
        "strides": array.strides,
        "writeable": bool(array.flags.writeable),
    }


def _memory(array: np.ndarray) -> tuple[np.ndarray, int]:
    """A copy of the memory that an array lies in, and the address at which the original begins."""
    owner = _owner(array)
    low, high = np.lib.array_utils.byte_bounds(array)
    begins = owner.ctypes.data
    ordered = owner.flags.c_contiguous or owner.flags.f_contiguous
    if ordered and begins <= low and high <= begins + owner.nbytes:
        return owner.copy(order="K"), begins
    bytes_of = (ctypes.c_char * (high - low)).from_address(low)  # memory that no array of NumPy's owns
    return np.ndarray(high - low, np.uint8, memoryview(bytes_of)).copy(), low


def _view(recipe: dict[str, Any]) -> np.ndarray:
    memory = recipe[_MARK].ravel(order="K").view(np.uint8)  # bytes: not every dtype has a buffer
    view = np.ndarray(recipe["shape"], recipe["like"].dtype, memory, recipe["offset"], recipe["strides"])
    view.flags.writeable = recipe["writeable"]
    return view
