"""stop-gathering: the softmax of each column over rows that are split."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare

from ._lesson import WORDS as LESSON
from ._lesson import exact, normal, on_meshes, require_only, require_split


def some_calls(rng, n):
    """Columns of usual numbers, of large ones, with one large one in the first, and with one row on each device."""
    columns = int(rng.integers(2, 5)) if n == 8 else 3
    usual, other, large, lone = (2 * normal(rng, 3 * n, columns) + 1 for _ in range(4))
    lone[int(rng.integers(3 * n)), 0] += 900
    return [(usual,), (other,), (large + 200,), (lone,), (normal(rng, n, 1),)]


def divided(terms, axis=0):
    """Terms over their sum."""
    return terms / terms.sum(axis, keepdims=True)


def softmax(devices, x, axis=0):
    (x,) = exact(x)
    return divided(np.exp(x - x.max(axis, keepdims=True)), axis)


def in_blocks(n, x):
    return exact(x)[0].reshape(n, -1, x.shape[1])


def of_its_own_block(n, x):
    blocks = in_blocks(n, x)
    return divided(np.exp(blocks - blocks.max(1, keepdims=True)), 1).reshape(x.shape)


def each_its_own_largest(n, x, sums=np.sum):
    blocks = in_blocks(n, x)
    terms = np.exp(blocks - blocks.max(1, keepdims=True))
    return (terms / sums(terms.sum(1), axis=0)).reshape(x.shape)


def beside(largest):
    """A softmax in `float32` from which another number than the largest of a column is subtracted."""

    def unsafe(n, x):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return divided(np.exp(x - np.float32(largest(in_blocks(n, x).max(1)))))

    return unsafe


MISTAKES = {
    "own-block-only": of_its_own_block,
    "own-largest": [each_its_own_largest, lambda n, x: each_its_own_largest(n, x, np.mean)],
    "mean-of-sums": lambda n, x: n * softmax(n, x),
    "over-everything": lambda n, x: softmax(n, x, (0, 1)),
    "along-rows": lambda n, x: softmax(n, x, 1),
    "overflows": [
        beside(lambda tops: 0 * tops[0]),
        beside(lambda tops: tops.sum(0)),
        beside(lambda tops: tops.mean(0)),
        beside(lambda tops: tops.max()),
    ],
}


def sends_little(answer, rng):
    """The compiled program adds and compares, and each device keeps its rows."""
    found = answer.probe(probe.partitioned, probe.placing({"x": 8}, ["x"], mesh="argument"), normal(rng, 16, 3))
    require_only(found["collectives"], "all-reduce")
    require_split(found["pieces"][0], 8)


WORDS = """
hint: Which few numbers of each block are enough, to know the largest of a column and then the sum?
hint: `lax.pmax` of `x.max(axis=0)`, and later `lax.psum`.
own-block-only: Your devices each divide by the sum of their own block. The columns of the whole have other sums.
own-largest: Your devices each subtract the largest number of their own block, so you cannot add their terms. All
    need the largest of the whole column: `pmax`.
mean-of-sums: You averaged the sums of the blocks, so a column adds up to the number of devices. Use `psum`.
over-everything: You used one largest number or one sum for all columns. Each has its own: `axis=0`.
along-rows: Your rows add up to 1. Your *columns* should.
overflows: Your result for large numbers divides infinity by infinity, or 0 by 0. Subtract the largest of each
    column, over all devices: `pmax`.
wrong-value: Your columns are not `exp(x)` over its sum over all rows.
"""

stop_gathering = declare(
    "stop-gathering",
    see="send-little",
    steps=[on_meshes(softmax, some_calls, ["x"], mistakes=MISTAKES), sends_little],
    words=(LESSON, WORDS),
)
