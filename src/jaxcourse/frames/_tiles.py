"""Copies of large tables, tile by tile on all cores, into memory that JAX can use."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np

from jaxcourse.runtime import cores

SMALLEST = 2**20
"""From so many numbers on, a table is worth the threads."""
TURNED = 128
"""Columns that NumPy turns at a time from one layout to the other: few enough to stay in the cache."""
TILE_BYTES = 2**19
"""About the size of a tile: what a core's cache can hold."""
ALIGNMENT = 64
"""In bytes: XLA's CPU client uses another owner's buffer as it is only if its address is a multiple of this."""
LANES = 16
"""Columns that a loop on the host takes at a time: the mean of a row waits for the one before it, and so many of them
fill a core's vector units."""


def aligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array, not initialised, that JAX can use without a copy."""
    nbytes = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    array: np.ndarray = memory[start : start + nbytes].view(dtype).reshape(shape)
    return array


def copy_into(target: np.ndarray, source: np.ndarray) -> None:
    """Copy and convert, some columns at a time if one array lies row by row and the other column by column.

    Raises:
        FloatingPointError: if the target's dtype cannot hold a number.
    """
    width = max(1, target.shape[-1]) if by_rows(target) == by_rows(source) else TURNED
    with np.errstate(over="raise"):
        for first in range(0, target.shape[-1], width):
            columns = ..., slice(first, first + width)
            np.copyto(target[columns], source[columns], casting="unsafe")


def by_rows(array: np.ndarray) -> bool:
    """Whether a row lies together in memory."""
    return array.ndim < 2 or abs(array.strides[0]) >= abs(array.strides[-1])


def spread_into(target: np.ndarray, source: np.ndarray, pool: ThreadPoolExecutor | None) -> None:
    """`copy_into`, tile by tile on all cores; at once if there is no pool."""
    if pool is None:
        copy_into(target, source)
        return
    length = max(1, len(target) if target.size < SMALLEST // 4 else TILE_BYTES // target[0].nbytes)

    def copy(first: int) -> None:
        copy_into(target[first : first + length], source[first : first + length])

    list(pool.map(copy, range(0, len(target), length)))


def converted(host: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A table as rows of another dtype, where JAX can use it.

    Raises:
        FloatingPointError: if `dtype` cannot hold a number.
    """
    out = aligned(host.shape, dtype)
    small = host.size < SMALLEST // 4  # sooner copied than threads are started
    with nullcontext() if small else ThreadPoolExecutor(cores()) as pool:
        spread_into(out, host, pool)
    return out
