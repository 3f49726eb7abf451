"""fewest-bytes: a product of matrices whose tiles are chosen, for few bytes and little fast memory."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import Rule, Walks, covers, fits, in_order, no_copy, no_factors

from ._lesson import NUMBERED, on_rubbish, unwritten
from ._lesson import WORDS as LESSON

EVEN, ROW = [(4, 6, 4, 192), (16, 16, 16, 640)], (1, 6, 5, 96)
ODD = [(5, 7, 4, 400), (3, 11, 5, 300), (14, 11, 19, 500), (23, 13, 17, 1000)]
THIN, LEAST = [(9, 1, 9, 128), (40, 30, 9, 64)], (2, 3, 2, 24)
"""One inner slice, one matrix that is much larger than the other; and the least memory of all."""
SPARE = 1.25
"""How many times the fewest bytes may be moved."""


def factors(rng, sizes):
    """Whole numbers with more digits than `bfloat16` has, which add up without rounding."""
    m, k, n, fast = sizes
    return *(rng.integers(1, 900, shape).astype(np.float32) for shape in ((m, k), (k, n))), fast


def product(a, b, fast=None):
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def of_last_tile(a, b, fast, inner):
    last = (len(b) - 1) // inner * inner
    return product(a[:, last:], b[last:])


def needs(found):
    """How many bytes two blocks of each array take, with the scratch memory."""
    return 2 * found["fast_bytes"] - found["scratch_bytes"]


def fewest(a, b, fast):
    """How many bytes the best tiles move: every shape is tried, with the shortest inner side."""
    (m, k), n, room = a.shape, b.shape[1], fast // 8
    moved = [
        m * k * -(-n // columns) + k * n * -(-m // rows)
        for rows in range(1, m + 1)
        for columns in range(1, n + 1)
        if rows * columns + rows + columns <= room
    ]
    return 4 * (min(moved) + m * n)


def too_many(found, a, b, fast):
    best = fewest(a, b, fast)
    return {"bytes": found["moved_bytes"], "best": best} if found["moved_bytes"] > SPARE * best else None


def with_room_left(found, a, b, fast):
    facts = too_many(found, a, b, fast)
    return facts and needs(found) <= fast / 2 and {**facts, "fast": fast, "needs": needs(found)} or None


def with_a_long_inner_side(found, a, b, fast):
    facts, tile = too_many(found, a, b, fast), found["outputs"][0]["block"]
    inner = [one["block"][-1] for one in found["inputs"] if one["shape"] == a.shape]
    return facts and inner and inner[0] >= max(2, min(tile)) and {**facts, "inner": inner[0], "tile": tile} or None


TWO_BLOCKS = fits(lambda a, b, fast: fast)


def once_only(found, a, b, fast):
    facts = TWO_BLOCKS.breaks(found, a, b, fast)
    return facts if facts and facts["once"] <= fast else None


RULES = [
    no_copy(lambda a, b, fast: min(a.size, b.size)),
    in_order(),
    Rule("single-blocks", once_only),
    TWO_BLOCKS,
    covers(),
    no_factors("times-zero"),
]
GOLF = [
    Rule("long-inner", with_a_long_inner_side),
    Rule("room-left", with_room_left),
    Rule("traffic", too_many),
]
MISTAKES = {
    "never-set": seen(unwritten),
    "overhang": seen(lambda reply: reply.right or unwritten(reply)),
    "last-tile": [functools.partial(of_last_tile, inner=inner) for inner in range(1, 9)],
}

WORDS = """
hint: Look at the formula of this section, with tiles of the result of `r` rows and `c` columns. Which sides of the
    tiles are in it, and which is not?
hint: The inner side of a tile saves no bytes. If it is 1, the three tiles have `r * c + r + c` numbers
    together, nearly all of them in the tile of the result.
hint: Try each number of rows, with `columns = (room - rows) // (rows + 1)`. Count the bytes of each pair before
    anything runs.
copied: Outside the kernel you make an array of {largest} numbers, about as many as a matrix has. It is written and read
    once more. Hand over the matrices themselves.
single-blocks: One block of each array takes {once} bytes. But while you compute with one, the next is on its way. Two
    of each take {bytes}, and there are {most}.
too-much-at-once: Two blocks of each array take {bytes} bytes with the scratch memory, and there are {most}. Choose
    smaller tiles.
never-set: Your result is NaN throughout. You add to what no step has set. Begin each tile of the result with 0.
overhang: Your product is NaN only if the last inner tile hangs over, because you add what lies beyond the end. Select,
    or choose a side that always fits.
times-zero: You multiply by a mask, and NaN times 0 is NaN. XLA hides it here, since it makes a selection of that
    product. Select with `jnp.where`, in both factors.
last-tile: You return the product of the last slices alone, because each step writes over the one before. Add.
room-left: You move {bytes} bytes, and {best} are possible. Two blocks of each array take {needs} bytes, and you have
    {fast}. Make the tiles larger.
long-inner: You move {bytes} bytes, and {best} are possible. Your tile of the result is {tile}. The inner side is
    {inner}, and saves no bytes. Give its memory to the result.
traffic: You move {bytes} bytes, and {best} are possible. Count the bytes of several shapes of tiles, and take the best.
marks: You are right while NaN, the interpreter's mark, lies beyond the end. Here 50 does, as it may on a device, and is
    added. Choose by a number's place.
wrong-value: Compare your index maps with the letters of `i c, c j -> i j`.
"""

fewest_bytes = declare(
    "fewest-bytes",
    see="bytes-first",
    points=2,
    steps=[
        Walks(factors, [*EVEN, *ODD, *THIN], rules=RULES),
        Agrees(
            product,
            factors,
            [*EVEN, *ODD, ROW],
            each=1,
            ask=probe.by_blocks,
            mistakes=MISTAKES,
            raising=NUMBERED,
            rtol=1e-7,  # whole numbers below 2**24 add up exactly, in any order
        ),
        Walks(factors, [*EVEN, *ODD, *THIN, LEAST], rules=GOLF),
        Agrees(
            product,
            factors,
            ODD[:2],
            each=1,
            ask=on_rubbish,
            otherwise="marks",
            shows="probe.by_blocks(fewest_bytes, {}, beyond=50.0)",
            rtol=1e-7,
        ),
    ],
    words=(LESSON, WORDS),
)
