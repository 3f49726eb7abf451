"""turn-in-tiles: a transpose, of which the index map is one half."""

import numpy as np

from jaxcourse.checks import Agrees, declare, refuse, require, seen

from ._lesson import WORDS as LESSON
from ._lesson import interpreted, one_kernel, unwritten


def table(rng, sizes):
    rows, columns, tile = sizes
    return rng.integers(1, 99, (rows, columns)).astype(np.float32), tile


def moved_only(x, tile):
    """Each tile at its new place, and not turned inside."""
    high, wide = (-(-n // tile) * tile for n in x.shape)
    full = np.full((high, wide), np.nan, x.dtype)
    full[: x.shape[0], : x.shape[1]] = x
    out = np.empty((wide, high), x.dtype)
    for i in range(0, high, tile):
        for j in range(0, wide, tile):
            out[j : j + tile, i : i + tile] = full[i : i + tile, j : j + tile]
    return out[: x.shape[1], : x.shape[0]]


def tiles_change_places(answer, rng):
    """Tile (i, j) of the argument becomes tile (j, i) of the result, in the kernel, and once.

    A function, since it compares the walks of argument and result.
    """
    for rows, columns, tile in [(6, 6, 2), (4, 6, 2), (5, 8, 3)]:
        kernel = one_kernel(answer, *table(rng, (rows, columns, tile)))
        refuse("transpose" in kernel.outside, "turned-outside")
        (x, *_), (out, *_) = kernel.ins, kernel.outs
        refuse(x.whole or out.whole, "whole-array", rows=rows, columns=columns)
        refuse(out.uncovered, "rest-missing", left=out.uncovered, rows=rows, columns=columns, tile=tile)
        refuse(x.block == out.block and (x.starts == out.starts).all(), "same-map")
        require({tuple(x.block), tuple(out.block)} == {(tile, tile)}, "other-tiles", tile=tile)
        bound = 2 * rows * columns * x.itemsize
        refuse(kernel.moved > bound, "moved-again", bytes=kernel.moved, bound=bound)


WORDS = """
hint: Where does tile (0, 1) of `x` belong in the result? And what has to happen to the numbers in it?
hint: The two specs have the same shape of block, and two index maps: `(i, j)` and `(j, i)`.
hint: In the kernel, `o_ref[...] = x_ref[...].T`.
turned-outside: You transpose the whole array outside of the kernel, so XLA does the work. Turn a tile at a time, inside.
whole-array: A block of yours is a whole array of {rows} by {columns}. Give each step a tile.
rest-missing: Your grid leaves {left} of the elements of {rows} by {columns} without a tile of {tile}. Does it count the
    tiles along each axis, and round up?
same-map: Your tiles keep their places: the result's map returns what the argument's returns. Tile (i, j) becomes
    tile (j, i).
other-tiles: Your blocks have another shape than ({tile}, {tile}).
moved-again: You move {bytes} bytes, and {bound} would do. Does the grid have an axis too many?
not-turned-inside: Your tiles are at their new places, and their insides are as they were. Turn each in the kernel: `.T`.
never-written: Your result is NaN throughout: the mark of what no step has written.
wrong-value: Element (r, c) should become element (c, r).
"""

turn_in_tiles = declare(
    "turn-in-tiles",
    see="grid-and-blocks",
    steps=[
        tiles_change_places,
        Agrees(
            lambda x, tile: x.T,
            table,
            [(2, 4, 2), (4, 6, 2), (5, 8, 3)],
            each=1,
            ask=interpreted,
            mistakes={"never-written": seen(unwritten), "not-turned-inside": moved_only},
        ),
    ],
    words=(LESSON, WORDS),
)
