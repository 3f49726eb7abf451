"""row-totals: a result that stays while the grid walks on, and a last tile that hangs over."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import Walks, no_factors

from ._lesson import NUMBERED, OF_TILES, on_rubbish, overhangs, set_once, unwritten
from ._lesson import WORDS as LESSON

EVEN, ODD = [(4, 6, 2, 3)], [(7, 7, 2, 3), (3, 5, 2, 4)]


def table(rng, sizes):
    """Whole numbers that few bits do not hold, and that add up without rounding."""
    height, width, rows, columns = sizes
    return rng.integers(1, 9999, (height, width)).astype(np.float32), rows, columns


def with_a_gap(rng):
    """A reading that is missing, where nothing hangs over."""
    x, *tile = table(rng, EVEN[0])
    x[1, 2] = np.nan
    return [(x, *tile)]


def totals(x, rows, columns):
    return x.sum(1)


MISTAKES = {
    "overhang": seen(overhangs),
    "never-set": seen(unwritten),
    "set-once": seen(set_once),
    "last-tile": lambda x, rows, columns: x[:, (x.shape[1] - 1) // columns * columns :].sum(1),
}

WORDS = """
hint: Which step of a row's tiles comes first, and what does the total hold before it?
hint: `@pl.when(pl.program_id(1) == 0)` runs a function at the first tile of each row. Set the total to 0 there.
hint: A tile's column numbers are `j * columns + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)`. Take `x_ref[...]`
    where they are below the width, else 0.
whole-rows: A block of yours holds rows of {width} from end to end, so it grows with the row. Walk along the row as
    well.
other-tiles: The tiles should have {rows} rows and {columns} columns.
overhang: Your totals are right if the tiles fit, and NaN if the last one hangs over. Nothing beyond the end is yours.
    Select what is inside, with `jnp.where`.
never-set: Your totals are NaN throughout. You add to what no step has set. Begin each row with 0.
set-once: Your first totals are right, and the others NaN. You set the total only once. Which axis of the grid begins
    anew for each block of rows?
last-tile: You return the totals of the last tile of each row, because every step writes over the one before. Add.
times-zero: You multiply by the mask, and NaN times 0 is NaN. XLA hides it here, since it makes a selection of that
    product. Select with `jnp.where(inside, x, 0)`.
nan-hidden: A reading of yours that is NaN vanished from its total. Choose by the place of a number, and not by its
    value.
marks: Your totals are right while NaN, the interpreter's mark, lies beyond the end. Here 50 does, as it may on a
    device, and is added. Choose by a number's place.
wrong-value: Give each row its total, the sum of its numbers.
"""

row_totals = declare(
    "row-totals",
    see="results-that-stay",
    points=2,
    steps=[
        Walks(table, [*EVEN, *ODD], rules=OF_TILES),
        Agrees(totals, table, [*EVEN, *ODD], each=1, ask=probe.by_blocks, mistakes=MISTAKES, raising=NUMBERED),
        Walks(table, ODD, rules=[no_factors("times-zero")]),
        Agrees(totals, extremes=with_a_gap, ask=probe.by_blocks, otherwise="nan-hidden"),
        Agrees(
            totals,
            table,
            ODD[1:],
            each=1,
            ask=on_rubbish,
            otherwise="marks",
            shows="probe.by_blocks(row_totals, {}, beyond=50.0)",
        ),
    ],
    words=(LESSON, WORDS),
)
