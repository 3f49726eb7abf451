"""Where the elements of an array lie in memory, and which arrays can be drawn."""

import itertools
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Index = tuple[int, ...]
LINE_BYTES = 64
"""Bytes in a cache line, as on every x86-64 processor and most ARM ones (Apple's have 128)."""
MAX_ELEMENTS, MAX_ROWS, MAX_COLUMNS, _MAX_LINES = 128, 16, 12, 20
"""What fits the page."""


def require_numpy(array: object) -> None:
    """Refuse what is not a NumPy array, and say what to draw instead."""
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(array, jax.Array):
        raise ValueError(
            "a JAX array has no strides and no address to draw: its layout belongs to the compiler. "
            "Draw a NumPy copy or view of its values, np.asarray(x)."
        )
    if isinstance(array, list | tuple):
        raise ValueError(
            f"a {type(array).__name__} is not an array. Draw the objects of a list with draw.objects(x), "
            "or the array made from it with np.asarray(x)."
        )
    if not isinstance(array, np.ndarray):
        raise ValueError(f"expected a NumPy array, got {type(array).__name__}. Draw np.asarray(x) instead.")


def require_numbers(array: Array) -> None:
    """Refuse arrays whose elements are not plain numbers."""
    require_numpy(array)
    if isinstance(array, np.ma.MaskedArray):
        raise ValueError("a masked array is two arrays: draw x.data, or x.mask.")
    if array.dtype.hasobject:
        raise ValueError(
            f"an array of dtype {array.dtype} holds pointers; its values lie elsewhere. "
            "Draw them with draw.objects(x.tolist())."
        )
    if array.dtype.names:
        raise ValueError(f"an array of records is drawn one field at a time, for example x[{array.dtype.names[0]!r}]")
    if array.dtype.type is np.void or array.dtype.kind in "SUMmT":
        raise ValueError(f"only numbers are drawn, not dtype {array.dtype}. Draw its bytes: x.view(np.uint8).")


def require_drawable(array: Array) -> None:
    """Refuse arrays that do not fit the page, or whose elements overlap only partly."""
    require_numbers(array)
    if array.size == 0:
        raise ValueError(f"an array of shape {array.shape} has no elements to draw")
    if array.ndim > 3:
        raise ValueError(f"at most 3 axes can be drawn, this array has {array.ndim}. Draw a part, for example x[0].")
    rows, columns = array.shape[-2:] if array.ndim > 1 else (1, 1)
    part = {0: "x", 1: "x[:16]", 2: "x[:4, :8]", 3: "x[:2, :3, :3]"}[array.ndim]
    _require_at_most(MAX_ELEMENTS, array.size, "elements", part)
    _require_at_most(MAX_COLUMNS, columns, "columns", part)
    _require_at_most(MAX_ROWS, rows, "rows", part)
    _require_at_most(_MAX_LINES, len(lines_of(array)), "cache lines", part)
    stored = list(stored_elements(array))
    if any(after - before < array.itemsize for before, after in itertools.pairwise(stored)):
        raise ValueError(
            f"elements of {array.itemsize} bytes partly overlap (strides {array.strides}), which cannot be drawn"
        )


def _require_at_most(limit: int, count: int, what: str, part: str) -> None:
    if count > limit:
        raise ValueError(f"too large to draw: {count} {what}, the limit is {limit}. Draw a part, for example {part}.")


def addresses_of(array: Array) -> NDArray[np.int64]:
    """Address of each element, as an array of the same shape."""
    start = array.__array_interface__["data"][0]
    steps = np.asarray(array.strides, dtype=np.int64)
    addresses: NDArray[np.int64] = start + np.tensordot(steps, np.indices(array.shape), axes=1)
    return addresses


def owner_of(array: Array) -> Array:
    """The last array on the way to the memory's owner, which may be something else, such as bytes."""
    owner = array
    link: Any = array.base
    while link is not None:
        if isinstance(link, np.ndarray):
            owner = link
        link = getattr(link, "base", None)
    return owner


def buffer_of(*arrays: Array) -> tuple[int, int]:
    """First address of the arrays' buffer and the address after its last byte."""
    bounds = [np.lib.array_utils.byte_bounds(a) for array in arrays for a in (array, owner_of(array))]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def stored_elements(array: Array) -> dict[int, Index]:
    """The addresses that hold an element, ascending, each with the first index that leads there."""
    first: dict[int, Index] = {}
    for index, address in zip(np.ndindex(array.shape), addresses_of(array).ravel().tolist(), strict=True):
        first.setdefault(address, index)
    return dict(sorted(first.items()))


def lines_at(address: int, nbytes: int) -> range:
    """The cache lines that hold some bytes."""
    return range(address // LINE_BYTES, (address + nbytes - 1) // LINE_BYTES + 1)


def lines_of(array: Array) -> list[int]:
    """The cache lines (address // 64) that hold a byte of the array, ascending."""
    return sorted({line for address in stored_elements(array) for line in lines_at(address, array.itemsize)})


def repeated_axes(array: Array) -> list[int]:
    """The axes along which the same elements appear again, because the stride is 0."""
    return [axis for axis, (n, step) in enumerate(zip(array.shape, array.strides, strict=True)) if n > 1 and step == 0]
