"""log-sum-exp: of rows longer than a tile, with a maximum that runs along."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import KeepsNoMore, Walks, moves, no_factors

from ._lesson import NUMBERED, OF_TILES, on_rubbish, overhangs, set_once, unwritten
from ._lesson import WORDS as LESSON

EVEN, ODD = [(4, 6, 2, 3), (3, 8, 1, 4)], [(7, 7, 2, 3), (3, 5, 2, 4)]


def table(rng, sizes):
    """Rows around -200, 0 and 200, whose numbers climb, so that each tile has another maximum."""
    height, width, rows, columns = sizes
    x = rng.normal(size=(height, width)) + 0.8 * np.arange(width) + 200 * (np.arange(height)[:, None] % 3 - 1)
    return x.astype(np.float32), rows, columns


def far_apart(rng):
    """Rows with numbers so far apart that `exp` of their differences is too large."""
    x, rows, columns = table(rng, EVEN[0])
    x[:, 1::columns] += 150
    return [(x, rows, columns)]


def far_below(rng):
    """Rows whose numbers are all far below 0."""
    x, rows, columns = table(rng, EVEN[0])
    return [(x - np.float32(1e6), rows, columns)]


def with_infinities(rng):
    """Rows that begin with a tile of nothing, and one that has nothing else."""
    x, rows, columns = table(rng, (4, 7, 2, 3))
    x[0, :3], x[1], x[2, -1] = -np.inf, -np.inf, -np.inf
    return [(x, rows, columns)]


def right(x, rows=None, columns=None):
    return np.logaddexp.reduce(x.astype(np.float64), axis=1)


def tiles(x, columns):
    return [x[:, at : at + columns].astype(np.float64) for at in range(0, x.shape[1], columns)]


def without_a_maximum(x, rows, columns):
    with np.errstate(over="ignore", divide="ignore"):
        return np.log(np.exp(x).sum(1))


def neither_maximum_nor_mask(x, rows, columns):
    found = without_a_maximum(x, rows, columns)
    return found * np.nan if x.shape[1] % columns else found


def from_zero(x, rows, columns):
    """The maximum is 0 at least."""
    top = np.maximum(x.max(1), np.float32(0))
    with np.errstate(divide="ignore"):
        return top + np.log(np.exp(x - top[:, None]).sum(1))


def not_rescaled(x, rows, columns):
    """Each tile less the maximum so far, and all of them added as if that had been one number."""
    parts = tiles(x, columns)
    tops = np.maximum.accumulate([part.max(1) for part in parts])
    total = sum(np.exp(part - top[:, None]).sum(1) for part, top in zip(parts, tops, strict=True))
    return tops[-1] + np.log(total)


RULES = [*OF_TILES, moves(lambda x, rows, columns: 4 * (x.size + len(x)))]
MISTAKES = {
    "overhang": seen(overhangs),
    "never-set": seen(unwritten),
    "set-once": seen(set_once),
    "overflow": without_a_maximum,
    "overflow-and-overhang": neither_maximum_nor_mask,
    "from-zero": from_zero,
    "not-rescaled": not_rescaled,
    "maximum-lost": lambda x, rows, columns: right(x) - x.max(1),
    "last-tile": lambda x, rows, columns: right(tiles(x, columns)[-1]),
    "logs-added": lambda x, rows, columns: sum(right(part) for part in tiles(x, columns)),
}

WORDS = """
hint: The largest number of a row is subtracted before `exp`. What does a step do if its tile has a larger one than all
    tiles before?
hint: Keep two numbers for each row in scratch memory, the maximum so far and the sum of `exp(x - maximum)`. A new
    maximum multiplies the old sum by `exp(old - new)`.
hint: `total[...] = total[...] * jnp.exp(top[...] - new) + jnp.exp(x - new[:, None]).sum(1)`, with `-jnp.inf` in `x`
    where nothing is. Begin `top` with a finite number.
whole-rows: A block of yours holds rows of {width} from end to end, so it grows with the row. Walk along the row as
    well.
other-tiles: The tiles should have {rows} rows and {columns} columns, and a block of the result {rows} numbers.
traffic: You move {bytes} bytes, and {most} would do, because each number of `x` is needed once. Find the maximum and
    the sum in the same walk.
memory-grows: Your scratch memory has {short} bytes for a short row, and {long} for a long one. Two numbers for each
    row of a tile are enough.
overhang: Your result is right if the tiles fit, and NaN if the last one hangs over. Where no number is, put `-jnp.inf`.
    Its `exp` is 0.
never-set: Your result is NaN throughout. What a step reads, an earlier step must have set. Set both numbers where a row
    begins.
set-once: Your first rows are right, and the others NaN. You set the scratch memory only once. Which axis of the grid
    begins anew for each block of rows?
overflow: You are right near 0, and infinite elsewhere. For `float32`, `exp(89)` is too large, and `exp(-200)` is 0.
    Subtract the largest number so far first.
overflow-and-overhang: Your result is infinite away from 0. Subtract the largest number so far first. It is NaN if the
    last tile hangs over. Put `-jnp.inf` where no number is.
far-apart: Your answer holds while a row's numbers lie close together. Some here are 150 larger than their neighbours,
    and `exp(150)` overflows `float32`. Subtract the largest number so far.
far-below: You are right while numbers are not far below 0. Here they are near -1,000,000. Does your maximum begin with
    a larger number? Begin with the smallest finite `float32`.
from-zero: Your maximum is never below 0. Relative to 0, `exp` of -200 is 0 in `float32`, and its logarithm is
    infinite. Begin the maximum with the smallest finite number.
not-rescaled: Your sum mixes terms that are relative to different maxima. When the maximum grows from `old` to `new`,
    multiply the old sum by `exp(old - new)`.
maximum-lost: You return the logarithm of the sum after the maximum was subtracted. Add the maximum again.
last-tile: You return the result of the last tile of each row. Keep maximum and sum from tile to tile.
logs-added: You add the logarithms of the tiles. The sums are to be added, and the logarithm comes last.
infinities: You are right for finite numbers. A tile of nothing but `-inf` has no finite maximum, and `-inf - -inf` is
    NaN. With what finite number may the maximum begin?
marks: You are right while NaN, the interpreter's mark, lies beyond the end. Here 50 does, as it may on a device. Choose
    by the place of a number.
times-zero: You multiply by the mask, and NaN times 0 is NaN. XLA hides it here, since it makes a selection of that
    product. Select with `jnp.where(inside, x, -jnp.inf)`.
wrong-value: Give each row the logarithm of the sum of `exp` of its numbers.
"""

log_sum_exp = declare(
    "log-sum-exp",
    see="a-state-in-scratch",
    points=2,
    steps=[
        Walks(table, [*EVEN, *ODD], rules=RULES),
        Agrees(
            right, table, [*EVEN, *ODD], each=1, ask=probe.by_blocks, mistakes=MISTAKES, raising=NUMBERED, rtol=1e-4
        ),
        KeepsNoMore(table, short=(2, 6, 2, 3), long=(2, 60, 2, 3)),
        Agrees(
            right,
            table,
            ODD[1:],
            each=1,
            ask=on_rubbish,
            otherwise="marks",
            shows="probe.by_blocks(log_sum_exp, {}, beyond=50.0)",
            rtol=1e-4,
        ),
        Walks(table, ODD, rules=[no_factors("times-zero")]),
        Agrees(right, extremes=far_apart, ask=probe.by_blocks, otherwise="far-apart", rtol=1e-4),
        Agrees(right, extremes=far_below, ask=probe.by_blocks, otherwise="far-below", rtol=1e-4),
        Agrees(right, extremes=with_infinities, ask=probe.by_blocks, otherwise="infinities", rtol=1e-4),
    ],
    words=(LESSON, WORDS),
)
