"""turn-in-tiles: a transpose, of which the index map is one half."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import Rule, Walks, covers, moves, no_copy, not_whole

from ._lesson import RAISING, unwritten
from ._lesson import WORDS as LESSON


def table(rng, sizes):
    """Whole numbers that few bits do not hold."""
    rows, columns, tile = sizes
    return rng.integers(1, 9999, (rows, columns)).astype(np.float32), tile


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


def turned_before(found, x, tile):
    given = [one["shape"] for one in found.get("inputs", ())]
    return {} if given[:1] == [x.shape[::-1]] != [x.shape] else None


def in_place(found, x, tile):
    """Whether the tiles of the result are where those of the argument are."""
    (one, out) = (found.get(side, [None])[0] for side in ("inputs", "outputs"))
    same = one and one["block"] == out["block"] and np.array_equal(one["starts"], out["starts"])
    return {} if same and not one["whole"] else None


def of_another_shape(found, x, tile):
    blocks = {one["block"] for one in (*found["inputs"], *found["outputs"])}
    return {"tile": tile} if blocks != {(tile, tile)} else None


RULES = [
    Rule("turned-outside", turned_before, first=True),
    Rule("same-map", in_place, first=True),
    no_copy(lambda x, tile: x.size),
    not_whole(),
    covers(),
    Rule("other-tiles", of_another_shape),
    moves(lambda x, tile: 2 * x.nbytes),
]

WORDS = """
hint: Where does tile (0, 1) of `x` belong in the result? And what has to happen to the numbers in it?
hint: The two specs have the same shape of block, and two index maps, `(i, j)` and `(j, i)`.
hint: In the kernel, `o_ref[...] = x_ref[...].T`.
turned-outside: You transpose the whole array before the kernel gets it, so XLA does the work. Turn a tile at a time,
    inside.
same-map: Your tiles keep their places, because the result's map returns what the argument's returns. Tile (i, j)
    becomes tile (j, i).
other-tiles: Your blocks have another shape than ({tile}, {tile}).
traffic: You move {bytes} bytes, and {most} would do. Does the grid have an axis too many?
not-turned-inside: Your tiles are at their new places, and their insides are as they were. Turn each in the kernel,
    with `.T`.
wrong-value: Element (r, c) should become element (c, r).
"""

turn_in_tiles = declare(
    "turn-in-tiles",
    see="grid-and-blocks",
    steps=[
        Walks(table, [(4, 6, 2), (6, 6, 2), (5, 8, 3)], rules=RULES),
        Agrees(
            lambda x, tile: x.T,
            table,
            [(3, 4, 2), (4, 6, 2), (5, 8, 3)],
            each=1,
            ask=probe.by_blocks,
            mistakes={"never-written": seen(unwritten), "not-turned-inside": moved_only},
            raising=RAISING,
        ),
    ],
    words=(LESSON, WORDS),
)
