"""attention: a weighted mean of values, of which no table of weights is ever made."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare
from jaxcourse.kernels import Rule, Walks, covers, in_order, no_factors, nothing_as_large

from ._lesson import NUMBERED, on_rubbish
from ._lesson import WORDS as LESSON

EVEN, ODD = [(8, 8, 8, 4), (6, 9, 2, 3)], [(9, 10, 3, 4), (7, 8, 2, 3)]


def vectors(rng, sizes):
    """Queries, keys and values: a score whose `exp` is too large, and one that is the largest in the last block."""
    n, m, d, block = sizes
    q, k, v = (rng.normal(size=(rows, d)) for rows in (n, m, m))
    q[0], k[1] = 16, 16
    q[1], k[-1] = -0.4, -3
    return *(each.astype(np.float32) for each in (q, k, v)), block


def with_low_scores(rng):
    """A query whose scores are all so low that `exp` of each is 0."""
    q, k, v, block = vectors(rng, (7, 8, 2, 3))
    q[0] = -200
    return [(q, np.abs(k) + 1, v, block)]


def weighted(scores, v):
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True) @ v


def scores(q, k):
    return q.astype(np.float64) @ k.T / np.sqrt(q.shape[1])


def right(q, k, v, block=None):
    return weighted(scores(q, k), v)


def unscaled(q, k, v, block):
    return weighted(q.astype(np.float64) @ k.T, v)


def without_a_maximum(q, k, v, block):
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(scores(q, k).astype(np.float32))
        return weights @ v / weights.sum(1, keepdims=True)


def of_last_block(q, k, v, block):
    last = (len(k) - 1) // block * block
    return right(q, k[last:], v[last:])


def step_by_step(q, k, v, block, rescales="both", divides=False):
    """What comes out block by block, with something left out."""
    top, total, made = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    for at in range(0, len(k), block):
        some = scores(q, k[at : at + block])
        new = np.maximum(top, some.max(1))
        keep, weights = np.exp(top - new), np.exp(some - new[:, None])
        total = total * (keep if rescales in ("both", "total") else 1) + weights.sum(1)
        made = made * (keep[:, None] if rescales in ("both", "made") else 1) + weights @ v[at : at + block]
        made, top = made / total[:, None] if divides else made, new
    return made if divides else made / total[:, None]


def with_what_is_beyond(q, k, v, block, number=50.0):
    """What comes out if a number lies beyond the end of keys and values, and takes part."""
    more = [(0, -len(k) % block), (0, 0)]
    return right(q, np.pad(k, more, constant_values=number), np.pad(v, more, constant_values=number))


def too_long(found, q, k, v, block):
    longest = max(one["block"][0] for one in (*found["inputs"], *found["outputs"]))
    return {"block": block} if longest > block else None


RULES = [
    nothing_as_large(lambda q, k, v, block: len(q) * len(k)),
    in_order(),
    Rule("other-blocks", too_long),
    covers(),
]
MISTAKES = {
    "overflow": without_a_maximum,
    "unscaled": unscaled,
    "not-rescaled": [functools.partial(step_by_step, rescales=which) for which in ("total", "neither", "made")],
    "divided-each-time": functools.partial(step_by_step, divides=True),
    "last-block": of_last_block,
    "weights-alone": lambda q, k, v, block: right(q, k, np.ones_like(v)),
}
AT_THE_EDGE = {
    "overhang": with_what_is_beyond,
    "keys-lost": lambda q, k, v, block: right(q, k[: len(k) // block * block], v[: len(k) // block * block]),
    "zero-scores": functools.partial(with_what_is_beyond, number=0.0),
}

WORDS = """
hint: The weights are `exp(score - maximum)`, divided by their sum. Which sums run over the keys, and which must shrink
    if a block has a larger score than all before?
hint: In scratch memory, keep each query's largest score so far, sum of weights, and sum of weights times values. A new
    maximum multiplies both sums by `exp(old - new)`.
hint: `acc[...] = acc[...] * keep[:, None] + weights @ values`, with `keep = jnp.exp(top[...] - new)`. Divide by the sum
    once, at the last block of keys. Beyond the end, scores are `-jnp.inf`, and values 0.
table: Somewhere you hold {largest} numbers at once, and {size} are a weight for each pair of a query and a key. Walk
    over blocks of keys.
other-blocks: Your blocks have more than {block} queries or keys.
overflow: Your result is NaN where a score is large, because `exp(89)` is too large for `float32`. Subtract the largest
    score so far first.
unscaled: Your scores are not divided by the square root of `d`, so large ones win too often.
not-rescaled: Your sums mix weights that are relative to different maxima. When the maximum grows from `old` to `new`,
    multiply both sums so far by `exp(old - new)`.
divided-each-time: You divide by the sum of weights at each block, so early values are divided several times. Divide
    once, at the last block.
last-block: You return the mean over the last block of keys. Keep both sums from block to block.
weights-alone: Each of your results is 1, the sum of the weights. Multiply them by the values.
overhang: Your last block hangs over, and keys that do not exist got a weight. Here 50 lies beyond the end, as it may on
    a device. Make their scores `-jnp.inf`.
keys-lost: You leave out the keys of the block that hangs over. Round the number of steps up, with `pl.cdiv`.
zero-scores: You give keys beyond the end the score 0, and `exp` of a score of 0 is a weight. Make their scores
    `-jnp.inf`.
zero-times-nan: You are right if a number lies beyond the end, and not if NaN does. A weight of 0 times NaN is NaN.
    Select values by their place as well.
from-zero: You are right unless a query's scores are all far below 0. Relative to 0, each weight is 0, and 0 / 0 is NaN.
    Begin the maximum with `-jnp.inf`.
times-zero: You multiply by a mask, and NaN times 0 is NaN. XLA hides it here, since it makes a selection of that
    product. Select with `jnp.where`.
wrong-value: Each query gets the mean of all values, weighted by the softmax of its scores.
"""

attention = declare(
    "attention",
    see="no-table",
    points=2,
    steps=[
        Walks(vectors, [(16, 20, 3, 4), *ODD], rules=RULES),
        Agrees(right, vectors, EVEN, each=1, ask=probe.by_blocks, mistakes=MISTAKES, raising=NUMBERED, rtol=1e-4),
        Agrees(
            right,
            vectors,
            ODD,
            each=1,
            ask=on_rubbish,
            mistakes=AT_THE_EDGE,
            shows="probe.by_blocks(attention, {}, beyond=50.0)",
            rtol=1e-4,
        ),
        Agrees(right, vectors, ODD[:1], each=1, ask=probe.by_blocks, otherwise="zero-times-nan", rtol=1e-4),
        Walks(vectors, ODD, rules=[no_factors("times-zero")]),
        Agrees(right, extremes=with_low_scores, ask=probe.by_blocks, otherwise="from-zero", rtol=1e-4),
    ],
    words=(LESSON, WORDS),
)
