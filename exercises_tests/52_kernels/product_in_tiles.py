"""product-in-tiles: a product of matrices, whose bytes are counted before anything runs."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, require, seen

from ._lesson import WORDS as LESSON
from ._lesson import interpreted, one_kernel, results_stay, unwritten

SIZES = [(4, 6, 4, 2), (6, 9, 3, 3), (8, 24, 16, 4)]


def factors(rng, sizes):
    m, k, n, tile = sizes
    a, b = (rng.integers(1, 100, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    return a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), tile


def product(a, b, tile):
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def of_last_tiles(a, b, tile):
    return product(a[:, -tile:], b[-tile:], tile)


def tiles_of_all_three(answer, rng):
    """Tiles along all three axes, the inner one last.

    A function, since it asks which block each step has.
    """
    for m, k, n, tile in SIZES:
        kernel = one_kernel(answer, *factors(rng, (m, k, n, tile)))
        blocks = [tuple(each.block) for each in kernel.walks]
        refuse(len(kernel.ins) == 2 and k in (blocks[0][-1], blocks[1][0]), "whole-inner", k=k)
        results_stay(kernel)
        require(set(blocks) == {(tile, tile)}, "other-tiles", tile=tile)


def in_32_bits(answer, rng):
    """Each product of tiles is made in 32 bits, and no tile is moved more often than needed.

    A function, since the interpreter on a CPU does not round, and values do not show what is moved.
    """
    for m, k, n, tile in SIZES:
        kernel = one_kernel(answer, *factors(rng, (m, k, n, tile)))
        refuse(set(kernel.products) - {"float32"}, "rounded")
        bound = 2 * (m * k * (n // tile) + k * n * (m // tile)) + 4 * m * n
        refuse(kernel.moved > bound, "traffic", bytes=kernel.moved, bound=bound)


@probe.question(evidence="process", like_a_call=True)
def dtype_of_product(student_function, a, b, tile):
    """The dtype of what the answer gives."""
    return str(jax.eval_shape(lambda a, b: student_function(a, b, tile), a, b).dtype)


def of_32_bits(answer, rng):
    """The result is float32.

    A function, since a dtype is asked for.
    """
    got = answer.probe(dtype_of_product, *factors(rng, SIZES[0]))
    require(got == "float32", "wrong-dtype", got=got)


WORDS = """
hint: The grid has three axes, `i`, `j` and `l`. Which tile of `a`, of `b` and of the result belongs to a step?
hint: The letters say it: `i l, l j -> i j`. The axis over which you add is the last of the grid.
hint: `o_ref[...] += jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)`, and 0 where `l` is 0.
whole-inner: A block of yours has all {k} of the inner side, so it grows with it. Give that side an axis of the grid,
    and add up.
other-tiles: Each block should be a tile of ({tile}, {tile}).
never-set: Your result is NaN throughout. You add to what no step has set: begin each tile of the result with 0.
last-tile: You return the product of the last tiles alone: each step writes over the one before. Add.
wrong-dtype: Your result is `{got}`, and `float32` was asked.
rounded: You multiply two tiles of `bfloat16`, and the product is rounded to 8 bits before it is added. On a CPU the
    interpreter does not show it. Ask for `preferred_element_type=jnp.float32`.
traffic: You move {bytes} bytes, and {bound} would do. Does an index map use an axis that it does not need?
wrong-value: Compare your index maps with the letters of `i l, l j -> i j`.
"""

product_in_tiles = declare(
    "product-in-tiles",
    see="bytes-first",
    points=2,
    steps=[
        tiles_of_all_three,
        of_32_bits,
        Agrees(
            product,
            factors,
            SIZES,
            each=1,
            ask=interpreted,
            mistakes={"never-set": seen(unwritten), "last-tile": of_last_tiles},
        ),
        in_32_bits,
    ],
    words=(LESSON, WORDS),
)
