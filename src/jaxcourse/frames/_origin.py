"""Columns of large numbers with small differences, which 32 bits would round away.

They are handed over without what their numbers have in common.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import numpy as np

from jaxcourse.frames._groups import is_floating, target_dtype
from jaxcourse.frames._step import Step
from jaxcourse.frames._table import Block

SAMPLE = 64
"""Rows that tell where the numbers of a column lie."""


def origin_of(host: np.ndarray) -> np.ndarray | None:
    """For each column the middle of its numbers, where they lie closer together than they are large; else 0.

    A few rows show it. What lies elsewhere is handed over as a difference all the same, and no worse than it was beside
    numbers of that size.

    Args:
        host: (T, ...) of numbers.

    Returns:
        The middles, one for each column, or None if no column has one.

    Example:
        >>> origin_of(np.array([[1e9, 1.0, np.nan], [1e9 + 2, -1.0, np.nan]]))
        array([1.e+09, 0.e+00, 0.e+00])
    """
    if not host.size:
        return None
    rows = host[:: -(-len(host) // SAMPLE)]
    low, high = np.fmin.reduce(rows, axis=0), np.fmax.reduce(rows, axis=0)
    with np.errstate(invalid="ignore", over="ignore"):
        middle, spread = low / 2 + high / 2, high / 2 - low / 2
        close = np.isfinite(middle) & (np.abs(middle) > 2 * spread)
    return np.where(close, np.trunc(middle), 0) if close.any() else None


def from_origin(block: Block, step: Step, dtype: Any) -> Block:
    """A block that is handed over as differences from its origin, if the step allows it and 32 bits need it.

    Integers, whose means are numbers of 32 bits, are so for a change alone.

    Args:
        block: of the table.
        step: what will happen to it.
        dtype: as for `encode`.
    """
    kind = block.host.dtype.kind
    if block.kind != "numbers" or kind not in "fiu" or step.moves_along is None:
        return block
    exact = kind == "f" and block.computed is None
    rounded = floating_bits(target_dtype(block, dtype)) < 8 * block.host.dtype.itemsize
    if not rounded or (step.moves_along and not exact):
        return block
    # The least of all where nothing lies below 0: a negative difference would be a huge one there.
    origin = block.host.min(axis=0) if kind == "u" and len(block.host) else origin_of(block.host)
    if origin is None:
        return block
    return replace(block, origin=origin.astype(block.host.dtype), moves_along=step.moves_along)


def floating_bits(dtype: np.dtype) -> int:
    """The bits of the numbers in which a step computes with what it is given.

    Example:
        >>> floating_bits(np.dtype("float16")), floating_bits(np.dtype("int32"))
        (16, 32)
    """
    return 8 * int((dtype if is_floating(dtype) else jax.dtypes.canonicalize_dtype(np.float64)).itemsize)
