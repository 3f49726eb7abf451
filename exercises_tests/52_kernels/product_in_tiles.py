"""product-in-tiles: a product of matrices, whose bytes are counted before anything runs."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import Rule, Walks, in_order, moves, no_copy, products_in

from ._lesson import NUMBERED, unwritten
from ._lesson import WORDS as LESSON

SIZES = [(6, 6, 4, 2), (6, 9, 9, 3), (8, 24, 16, 4)]


def factors(rng, sizes):
    """Whole numbers that `bfloat16` holds."""
    m, k, n, tile = sizes
    return *(rng.integers(1, 100, shape).astype(np.float32) for shape in ((m, k), (k, n))), tile


@probe.question(evidence="values", like_a_call=True)
def in_bfloat16(student_function, *args):
    """What the answer gives for matrices of `bfloat16`."""
    return probe.by_blocks(student_function, *args, floats="bfloat16")


def product(a, b, tile):
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def of_last_tiles(a, b, tile):
    return product(a[:, -tile:], b[-tile:], tile)


def whole_inner(found, a, b, tile):
    k = len(b)
    (one, *_), (*_, other) = found["inputs"], found["inputs"]
    return {"k": k} if k in (one["block"][-1], other["block"][0]) else None


def of_another_shape(found, a, b, tile):
    blocks = {one["block"] for one in (*found["inputs"], *found["outputs"])}
    return {"tile": tile} if blocks != {(tile, tile)} else None


def of_few_bits(found, a, b, tile):
    dtype = found["outputs"][0]["dtype"]
    return {"got": dtype} if dtype != "float32" else None


def fewest_bytes(a, b, tile):
    (m, k), n = a.shape, b.shape[1]
    return 2 * (m * k * (n // tile) + k * n * (m // tile)) + 4 * m * n


RULES = [
    Rule("whole-inner", whole_inner),
    in_order(),
    Rule("other-tiles", of_another_shape),
    Rule("wrong-dtype", of_few_bits),
]
COUNTED = [
    products_in("float32", "rounded"),
    moves(fewest_bytes),
    no_copy(lambda a, b, tile: min(a.size, b.size, len(a) * b.shape[1]), "outside"),
]
MISTAKES = {"never-set": seen(unwritten), "last-tile": of_last_tiles}

WORDS = """
hint: The grid has three axes, `i`, `j` and `c`. Which tile of `a`, of `b` and of the result belongs to a step?
hint: The letters `i c, c j -> i j` say it. The axis over which you add is the last of the grid.
hint: `o_ref[...] += jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)`, and 0 where `c` is 0.
whole-inner: A block of yours has all {k} of the inner side, so it grows with it. Give that side an axis of the grid,
    and add up.
other-tiles: Each block should be a tile of ({tile}, {tile}).
never-set: Your result is NaN throughout. You add to what no step has set. Begin each tile of the result with 0.
last-tile: You return the product of the last tiles alone, because each step writes over the one before. Add.
wrong-dtype: Your result is `{got}`, and `float32` was asked.
rounded: You multiply two tiles of `bfloat16`, and the product is rounded to 8 bits before it is added. On a CPU the
    interpreter does not show it. Ask for `preferred_element_type=jnp.float32`.
traffic: You move {bytes} bytes, and {most} would do. Does an index map use an axis that it does not need?
outside: Outside the kernel you compute an array of {largest} numbers, about as many as a matrix has. Hand over both
    matrices as they are, and multiply them inside.
wrong-value: Compare your index maps with the letters of `i c, c j -> i j`.
"""

product_in_tiles = declare(
    "product-in-tiles",
    see="bytes-first",
    points=2,
    steps=[
        Walks(factors, SIZES, rules=RULES, floats="bfloat16"),
        Agrees(product, factors, SIZES, each=1, ask=in_bfloat16, mistakes=MISTAKES, raising=NUMBERED),
        Walks(factors, SIZES, rules=COUNTED, floats="bfloat16"),
    ],
    words=(LESSON, WORDS),
)
