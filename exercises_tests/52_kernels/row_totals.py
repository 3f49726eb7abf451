"""row-totals: a result that stays while the grid walks on, and a last tile that hangs over."""

import numpy as np

from jaxcourse.checks import Agrees, declare, refuse, require, seen

from ._lesson import WORDS as LESSON
from ._lesson import interpreted, one_kernel, results_stay, unwritten

EVEN, ODD = [(4, 6, 2, 3)], [(5, 7, 2, 3), (3, 5, 2, 4)]


def table(rng, sizes):
    height, width, rows, columns = sizes
    return rng.integers(1, 9, (height, width)).astype(np.float32), rows, columns


def with_a_gap(rng):
    """A reading that is missing, where nothing hangs over."""
    x, *tile = table(rng, EVEN[0])
    x[1, 2] = np.nan
    return [(x, *tile)]


def a_row_in_several_tiles(answer, rng):
    """No block has whole rows, and a total stays until it is complete.

    A function, since it asks which block each step has.
    """
    for sizes in (*EVEN, *ODD):
        kernel = one_kernel(answer, *table(rng, sizes))
        _, width, rows, columns = sizes
        refuse(any(each.block[-1] >= width for each in kernel.ins), "whole-rows", width=width)
        results_stay(kernel)
        refuse(kernel.uncovered, "rest-missing", left=kernel.uncovered)
        require(tuple(kernel.ins[0].block) == (rows, columns), "other-tiles", rows=rows, columns=columns)


def selected_by_place(answer, rng):
    """Where a tile hangs over, something is selected.

    A function, since values cannot tell: XLA makes a selection of a product with a mask.
    """
    kernel = one_kernel(answer, *table(rng, ODD[0]))
    require("select_n" in kernel.inside, "times-zero")


def overhangs(reply):
    """Right where the tiles fit, and NaN where they hang over."""
    x, _, columns = reply.case
    return bool(np.isnan(reply.got).all()) if x.shape[1] % columns else reply.right


def set_once(reply):
    """Right in the first block of rows alone, the others NaN."""
    _, rows, _ = reply.case
    got = np.asarray(reply.got)
    return bool(not np.isnan(got[:rows]).any() and np.isnan(got[rows:]).all())


MISTAKES = {
    "overhang": seen(overhangs),
    "never-set": seen(unwritten),
    "set-once": seen(set_once),
    "last-tile": lambda x, rows, columns: x[:, (x.shape[1] - 1) // columns * columns :].sum(1),
    "of-columns": lambda x, rows, columns: x.sum(0),
}

WORDS = """
hint: Which step of a row's tiles comes first, and what does the total hold before it?
hint: `@pl.when(pl.program_id(1) == 0)` runs a function at the first tile of each row: set the total to 0 there.
hint: A tile's column numbers are `j * columns + jax.lax.broadcasted_iota(jnp.int32, x_ref.shape, 1)`. Take `x_ref[...]`
    where they are below the width, else 0.
whole-rows: A block of yours holds rows of {width} from end to end, so it grows with the row. Walk along the row, too.
rest-missing: Your grid leaves {left} elements without a tile. Does it round up along both axes?
other-tiles: The tiles should have {rows} rows and {columns} columns.
overhang: Your totals are right if the tiles fit, and NaN if the last one hangs over: beyond the end there is no number
    of yours. Select what is inside, with `jnp.where`.
never-set: Your totals are NaN throughout. You add to what no step has set: begin each row with 0.
set-once: Your first totals are right, and the others NaN: you set the total at one step of all. Which
    axis of the grid begins anew for each block of rows?
last-tile: You return the totals of the last tile of each row: every step writes over the one before. Add.
of-columns: You return a total for each column. A row is summed along axis 1.
times-zero: You multiply by the mask, and NaN times 0 is NaN. XLA hides it here, since it makes a selection of that
    product. Select: `jnp.where(inside, x, 0)`.
nan-hidden: A reading of yours that is NaN vanished from its total. Choose by the place of a number, and not by its
    value.
wrong-value: Each row has a total: the sum of its numbers.
"""

row_totals = declare(
    "row-totals",
    see="results-that-stay",
    points=2,
    steps=[
        a_row_in_several_tiles,
        Agrees(
            lambda x, rows, columns: x.sum(1), table, [*EVEN, *ODD], each=1, ask=interpreted, mistakes=MISTAKES
        ),
        selected_by_place,
        Agrees(lambda x, rows, columns: x.sum(1), extremes=with_a_gap, ask=interpreted, otherwise="nan-hidden"),
    ],
    words=(LESSON, WORDS),
)
