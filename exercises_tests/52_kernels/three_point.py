"""three-point: a mean of neighbours, some of which are in the blocks next door."""

import numpy as np

from jaxcourse.checks import Agrees, declare, refuse, seen

from ._lesson import WORDS as LESSON
from ._lesson import interpreted, one_kernel, unwritten


def vector(rng, sizes):
    n, block = sizes
    return rng.normal(size=n).astype(np.float32), block


def mean_of_three(x, block=None):
    at = np.pad(x, 1, mode="edge").astype(np.float64)
    return (at[:-2] + at[1:-1] + at[2:]) / 3


def of_blocks_alone(x, block):
    """Each block repeats its own ends; the last one may hang over."""
    parts = [mean_of_three(x[at : at + block]) for at in range(0, len(x), block)]
    return np.concatenate(parts)


def of_blocks_that_hang_over(x, block):
    """The same, where what hangs over takes part."""
    full = np.pad(x, (0, -len(x) % block), constant_values=np.nan)
    return of_blocks_alone(full, block)[: len(x)]


def wrapped(x, block):
    at = np.pad(x, 1, mode="wrap").astype(np.float64)
    return (at[:-2] + at[1:-1] + at[2:]) / 3


def with_zeros(x, block):
    at = np.pad(x, 1).astype(np.float64)
    return (at[:-2] + at[1:-1] + at[2:]) / 3


def overhangs(reply):
    """Right but for the last number where the last block hangs over."""
    x, block = reply.case
    got, want = np.asarray(reply.got), np.asarray(reply.want)
    inside = got.shape == want.shape and np.allclose(got[:-1], want[:-1], rtol=1e-5, atol=1e-6)
    return reply.right if len(x) % block == 0 else bool(inside and np.isnan(got[-1]))


def each_step_sees_its_neighbours(answer, rng):
    """Blocks alone, and no more of them than a step and its two neighbours.

    A function, since it asks which blocks each step has.
    """
    for n, block in [(12, 3), (10, 3), (7, 2)]:
        kernel = one_kernel(answer, *vector(rng, (n, block)))
        refuse(kernel.steps == 1, "whole-array", n=n)
        refuse(any(each.whole for each in kernel.walks), "handed-whole", n=n)
        left = kernel.outs[0].uncovered
        refuse(left, "rest-missing", left=left)
        bound = 4 * 4 * n
        refuse(kernel.moved > bound, "traffic", bytes=kernel.moved, bound=bound)


MISTAKES = {
    "never-written": seen(unwritten),
    "blocks-apart": [of_blocks_alone, of_blocks_that_hang_over],
    "overhang": seen(overhangs),
    "wraps-round": wrapped,
    "zeros-outside": with_zeros,
}

WORDS = """
hint: Which numbers of which other blocks does a step need?
hint: Hand `x` to the call three times, with three index maps: the block before, this one, the one after. At both ends
    of the vector, `jnp.clip` keeps the number of the block inside.
hint: `jnp.concatenate([before[...][-1:], here[...][:-1]])` are the left neighbours. At place 0 and at place `n - 1`, select
    the number itself.
block-outside: At step {step} your spec asks for block {index}, which begins at element {at} of {shape}. The interpreter
    moves it back inside and says nothing. Keep the number inside yourself, with `jnp.clip`.
whole-array: One step of yours has all {n} numbers. Walk in blocks.
handed-whole: Each of your steps gets all {n} numbers. Neighbours are in the blocks next to this one.
rest-missing: Your grid leaves {left} numbers without a block. Round up.
traffic: You move {bytes} bytes, and three readings and a writing are {bound}.
never-written: Your result is NaN throughout: the mark of what no step has written.
blocks-apart: Your blocks do not know of each other: each repeats its own ends. Only the ends of the whole vector repeat.
overhang: Your last number is NaN if the last block hangs over: its right neighbour lies beyond the end. At place
    `n - 1`, select the number itself.
wraps-round: You let the last number be the neighbour of the first. The ends repeat.
zeros-outside: You took 0 for what lies beyond the ends. The ends repeat.
wrong-value: Each number becomes the mean of its left neighbour, itself and its right neighbour.
"""

three_point = declare(
    "three-point",
    see="bytes-first",
    points=2,
    steps=[
        each_step_sees_its_neighbours,
        Agrees(
            lambda x, block: mean_of_three(x),
            vector,
            [(4, 2), (9, 3), (7, 3), (10, 4), (11, 4)],
            each=1,
            ask=interpreted,
            mistakes=MISTAKES,
            rtol=1e-5,
        ),
    ],
    words=(LESSON, WORDS),
)
