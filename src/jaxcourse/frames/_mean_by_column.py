"""Exponentially weighted means of columns as they lie in the host's memory, in a loop that Numba compiles.

Imported where Numba is installed, when the first large table arrives. It is the arithmetic of `_mean`, written once
more, and the tests hold the two together.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from jaxcourse.frames._decay import LONG
from jaxcourse.frames._tiles import LANES

STREAMS = 8
"""Columns that are read, or written, at once. Where their addresses differ by a power of two, more of them throw each
other out of the cache."""
TILE_ROW_BYTES = 128
"""Of each column so much is turned at a time: two lines of the cache, and a tile stays in the innermost one."""
BLOCK = 256
"""Rows after which it is looked whether a number was missing: few enough to be in the cache if it is done again."""

_compiled = numba.njit(nogil=True, error_model="numpy", fastmath={"contract"})


def means(
    xs: np.ndarray, ys: np.ndarray, dtype: np.dtype, *, alpha: float, fewest: int, adjust: bool, ignore_na: bool
) -> None:
    """Write the means of columns.

    Args:
        xs: (columns, rows) of float32 or float64.
        ys: (columns, rows), for the results.
        dtype: what the scan would compute in, float32 or float64; numbers of 64 bits are not rounded to fewer here.
        alpha: as for `ewma`, like the others.
        fewest: values that a column must have had before its mean is shown.
        adjust: whether to divide by the sum of the weights.
        ignore_na: whether a missing value lets no time pass.

    Raises:
        FloatingPointError: if `dtype` cannot hold a number.
    """
    largest = np.finfo(dtype).max if dtype.itemsize < xs.itemsize else np.inf
    # Where the scan keeps two numbers of 32 bits, one of 64 does the same here, at less cost.
    within = np.dtype(np.float64) if alpha < LONG else np.result_type(xs.dtype, dtype)
    number = within.type
    rule = number(1 - alpha), number(1 if adjust else alpha), number(1), adjust, ignore_na
    tile, shares = np.empty((TILE_ROW_BYTES // within.itemsize, LANES), within), np.empty(BLOCK, within)
    for first in range(0, len(xs), LANES):
        group = slice(first, first + LANES)
        if _group(xs[group], ys[group], tile, shares, rule, float(largest)):
            raise FloatingPointError(f"{dtype} cannot hold a number")
        _hide(xs[group], ys[group], fewest)


@_compiled
def _group(xs: Any, ys: Any, tile: Any, shares: Any, rule: Any, largest: float) -> bool:
    """The means of up to `LANES` columns, from their first value on: whether a number is too large.

    While nothing is missing, the columns have one weight. They have it again some time after a gap, when what was
    before it weighs nothing any more.
    """
    mean, weight, moved = np.zeros(LANES, tile.dtype), np.zeros(LANES, tile.dtype), np.zeros(LANES, tile.dtype)
    before, after, missing = -rule[2], rule[2], False
    for start in range(0, xs.shape[1], BLOCK):
        stop = min(start + BLOCK, xs.shape[1])
        together = not missing and _alike(weight)
        if together and before != weight[0]:
            before, after = weight[0], _fill(shares, weight[0], rule)
        if together and _together(xs, ys, start, stop, mean, moved, shares):
            for c in range(LANES):
                mean[c], weight[c] = moved[c], after
        else:
            missing = _apart(xs, ys, start, stop, mean, weight, tile, rule)
        if largest < np.inf and _any_above(xs, start, stop, largest):
            return True
    return False


@_compiled
def _alike(weight: Any) -> bool:
    alike = True
    for w in weight:
        alike &= w == weight[0]
    return alike


@_compiled
def _fill(shares: Any, weight: Any, rule: Any) -> Any:
    """The shares of new values in the means of a block, where none is missing, and the weight after it."""
    retained, new, one, adjust, _ = rule
    for t in range(len(shares)):
        total = weight * retained + new
        shares[t] = new / total
        weight = total if adjust else one
    return weight


@_compiled
def _together(xs: Any, ys: Any, start: int, stop: int, mean: Any, moved: Any, shares: Any) -> bool:
    """A block by one weight, and where its means end in `moved`: whether it held, since nothing was missing."""
    finite = True
    for first in range(0, LANES, STREAMS):
        ends = _eight(xs, ys, first, start, stop, mean, shares)
        for c in range(STREAMS):
            moved[first + c] = ends[c]
            finite &= np.isfinite(ends[c])
    return finite


@_compiled
def _eight(xs: Any, ys: Any, first: int, start: int, stop: int, mean: Any, shares: Any) -> Any:
    """Some rows of `STREAMS` columns. No step waits for another column's, and each number is read and written once."""
    last = len(xs) - 1
    i, j, k, m = min(first, last), min(first + 1, last), min(first + 2, last), min(first + 3, last)
    n, o, p, q = min(first + 4, last), min(first + 5, last), min(first + 6, last), min(first + 7, last)
    a, b, c, d = mean[first], mean[first + 1], mean[first + 2], mean[first + 3]
    e, f, g, h = mean[first + 4], mean[first + 5], mean[first + 6], mean[first + 7]
    for t in range(start, stop):
        share = shares[t - start]
        # A difference of zero keeps a constant series constant.
        a, b = a + (xs[i, t] - a) * share, b + (xs[j, t] - b) * share
        c, d = c + (xs[k, t] - c) * share, d + (xs[m, t] - d) * share
        e, f = e + (xs[n, t] - e) * share, f + (xs[o, t] - f) * share
        g, h = g + (xs[p, t] - g) * share, h + (xs[q, t] - h) * share
        ys[i, t], ys[j, t], ys[k, t], ys[m, t] = a, b, c, d
        ys[n, t], ys[o, t], ys[p, t], ys[q, t] = e, f, g, h
    return a, b, c, d, e, f, g, h


@_compiled
def _apart(xs: Any, ys: Any, start: int, stop: int, mean: Any, weight: Any, tile: Any, rule: Any) -> bool:
    """A block in which each column has a weight of its own: whether something is missing there."""
    missing = False
    for row in range(start, stop, len(tile)):
        rows = min(len(tile), stop - row)
        _fetch(xs, row, rows, tile)
        missing |= _update(tile, rows, mean, weight, rule)
        _store(tile, ys, row, rows)
    return missing


@_compiled
def _fetch(xs: Any, start: int, rows: int, tile: Any) -> None:
    """Turn some rows. Lanes that are left over take the last column again."""
    for first in range(0, LANES, STREAMS):
        for t in range(rows):
            for c in range(first, first + STREAMS):
                tile[t, c] = xs[min(c, len(xs) - 1), start + t]


@_compiled
def _store(tile: Any, ys: Any, start: int, rows: int) -> None:
    for first in range(0, LANES, STREAMS):
        for t in range(rows):
            for c in range(first, first + STREAMS):
                ys[min(c, len(ys) - 1), start + t] = tile[t, c]


@_compiled
def _update(tile: Any, rows: int, mean: Any, weight: Any, rule: Any) -> bool:
    """Means take the place of the numbers of a tile: whether one was missing."""
    retained, new, one, adjust, ignore_na = rule
    missing = False
    for t in range(rows):
        for c in range(LANES):
            x, m, w = tile[t, c], mean[c], weight[c]
            here = np.isfinite(x)
            faded = w if ignore_na and not here else w * retained
            total = faded + new
            share = one / total
            moved = m * (faded * share) + x * (new * share)
            # The first mean is the value itself, and a constant series stays constant, which rounding would not.
            mean[c] = (x if w == 0 or x == m else moved) if here else m
            weight[c] = (total if adjust else one) if here else faded
            tile[t, c] = mean[c]
            missing |= not here
    return missing


@_compiled
def _any_above(xs: Any, start: int, stop: int, largest: float) -> bool:
    found = 0
    for c in range(len(xs)):
        for t in range(start, stop):
            found += (abs(xs[c, t]) > largest) & (abs(xs[c, t]) < np.inf)
    return found > 0


@_compiled
def _hide(xs: Any, ys: Any, fewest: int) -> None:
    """No mean is shown before a column has had enough values."""
    for c in range(len(xs)):
        seen = 0
        for t in range(xs.shape[1]):
            seen += np.isfinite(xs[c, t])
            if seen >= fewest:
                break
            ys[c, t] = np.nan
