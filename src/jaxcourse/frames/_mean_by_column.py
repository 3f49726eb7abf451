"""Exponentially weighted means of columns as they lie in the host's memory, in a loop that Numba compiles.

Imported where Numba is installed, when the first large table arrives. It is the arithmetic of `_mean`, written once
more, and the tests hold the two together.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from jaxcourse.frames._decay import LONG
from jaxcourse.frames._origin import origin_of
from jaxcourse.frames._tiles import LANES

STREAMS = 8
"""Columns that are read, or written, at once. Where their addresses differ by a power of two, more of them throw each
other out of the cache."""
ROWS = 32
"""Rows of a tile, in which the numbers of a row lie side by side: few enough for the innermost cache."""

_compiled = numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})


def means(
    xs: np.ndarray, ys: np.ndarray, dtype: np.dtype, *, alpha: float, fewest: int, adjust: bool, ignore_na: bool
) -> None:
    """Write the means of columns.

    Args:
        xs: (columns, rows) of float32 or float64.
        ys: (columns, rows), for the results.
        dtype: in which they are computed, float32 or float64.
        alpha: as for `ewma`, like the others.
        fewest: values that a column must have had before its mean is shown.
        adjust: whether to divide by the sum of the weights.
        ignore_na: whether a missing value lets no time pass.

    Raises:
        FloatingPointError: if `dtype` cannot hold a number.
    """
    largest = np.finfo(dtype).max if dtype.itemsize < xs.itemsize else np.inf
    # Where the scan keeps two numbers of 32 bits, one of 64 does the same here, at less cost.
    within = np.dtype(np.float64) if alpha < LONG else dtype
    number, origin = within.type, origin_of(xs.T) if within.itemsize < xs.itemsize else None
    rule = number(1 - alpha), number(1 if adjust else alpha), number(1), number(np.nan), fewest, adjust, ignore_na
    for first in range(0, len(xs), LANES):
        group = slice(first, first + LANES)
        memory, common = np.zeros((ROWS + 2, LANES), within), None if origin is None else origin[group]
        if _group(xs[group], ys[group], memory, rule, float(largest), common):
            raise FloatingPointError(f"{dtype} cannot hold a number")


@_compiled
def _group(xs: Any, ys: Any, memory: Any, rule: Any, largest: float, origin: Any) -> bool:
    """The means of up to `LANES` columns, less their origins if they have some: whether a number is too large."""
    tile, mean, weight, seen = memory[:ROWS], memory[ROWS], memory[ROWS + 1], np.zeros(LANES, np.int32)
    too_large = False
    for start in range(0, xs.shape[1], ROWS):
        rows = min(ROWS, xs.shape[1] - start)
        _fetch(xs, start, rows, tile, origin)
        if _update(tile, rows, mean, weight, seen, rule) and largest < np.inf:
            too_large |= _any_above(xs, start, rows, largest)
        _store(tile, ys, start, rows, origin)
    return too_large


@_compiled
def _fetch(xs: Any, start: int, rows: int, tile: Any, origin: Any) -> None:
    """Turn some rows. Lanes that are left over take the last column again."""
    for first in range(0, LANES, STREAMS):
        for t in range(rows):
            for c in range(first, first + STREAMS):
                last = min(c, len(xs) - 1)
                tile[t, c] = xs[last, start + t] if origin is None else xs[last, start + t] - origin[last]


@_compiled
def _store(tile: Any, ys: Any, start: int, rows: int, origin: Any) -> None:
    for first in range(0, LANES, STREAMS):
        for t in range(rows):
            for c in range(first, first + STREAMS):
                last = min(c, len(ys) - 1)
                ys[last, start + t] = tile[t, c] if origin is None else tile[t, c] + origin[last]


@_compiled
def _update(tile: Any, rows: int, mean: Any, weight: Any, seen: Any, rule: Any) -> bool:
    """Means take the place of the numbers of a tile: whether one was missing."""
    retained, new, one, nan, fewest, adjust, ignore_na = rule
    missing = False
    for t in range(rows):
        for c in range(LANES):
            x, m, w = tile[t, c], mean[c], weight[c]
            here = np.isfinite(x)
            faded = w if ignore_na and not here else w * retained
            total = faded + new
            share = one / total
            moved = m if x == m else m * (faded * share) + x * (new * share)
            mean[c] = moved if here else m
            weight[c] = (total if adjust else one) if here else faded
            seen[c] += np.int32(here)
            tile[t, c] = mean[c] if seen[c] >= fewest else nan
            missing |= not here
    return missing


@_compiled
def _any_above(xs: Any, start: int, rows: int, largest: float) -> bool:
    found = False
    for c in range(len(xs)):
        for t in range(start, start + rows):
            found |= np.isfinite(xs[c, t]) & (abs(xs[c, t]) > largest)
    return found
