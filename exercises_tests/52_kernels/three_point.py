"""three-point: a mean of neighbours, some of which are in the blocks next door."""

import math

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import Rule, Walks, covers, moves, no_copy, not_whole

from ._lesson import NUMBERED, on_rubbish, unwritten, vector
from ._lesson import WORDS as LESSON


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


def in_one_step(found, x, block):
    return {"n": len(x)} if found["steps"] == 1 else None


def too_long(found, x, block):
    longest = max(math.prod(one["block"]) for one in found["outputs"])
    return {"block": block} if longest > block else None


RULES = [
    Rule("whole-array", in_one_step),
    not_whole(),
    no_copy(lambda x, block: len(x) - 2),
    covers(),
    Rule("other-blocks", too_long),
    moves(lambda x, block: 4 * x.nbytes),
]
MISTAKES = {
    "never-written": seen(unwritten),
    "blocks-apart": [of_blocks_alone, of_blocks_that_hang_over],
    "overhang": seen(overhangs),
    "wraps-round": wrapped,
    "zeros-outside": with_zeros,
}

WORDS = """
hint: Which numbers of which other blocks does a step need?
hint: Hand `x` to the call three times, with index maps of the block before, this one, and the one after. At both ends,
    `jnp.clip` keeps the block's number inside.
hint: `jnp.concatenate([before[...][-1:], here[...][:-1]])` are the left neighbours. At place 0 and at place `n - 1`,
    select the number itself.
block-outside: At step {step}, your map gives `{ref}` block {index} of an array of shape {shape}. There is none, so the
    interpreter silently moves it inside. Clip the number with `jnp.clip`.
whole-array: One step of yours has all {n} numbers. Walk in blocks.
traffic: You move {bytes} bytes, and to read `x` three times and write the result once takes {most}.
other-blocks: A block of your result has more than {block} numbers.
blocks-apart: Your blocks do not know of each other, so each repeats its own ends. Only the ends of the whole vector
    repeat.
overhang: Your last number is NaN if the last block hangs over, because its right neighbour lies beyond the end. At
    place `n - 1`, select the number itself.
wraps-round: You let the last number be the neighbour of the first. The ends repeat.
zeros-outside: You took 0 for what lies beyond the ends. The ends repeat.
marks: You are right while NaN, the interpreter's mark, lies beyond the end. Here 50 does, as it may on a device, and is
    your last number's neighbour. At place `n - 1`, select the number itself.
wrong-value: Each number becomes the mean of its left neighbour, itself and its right neighbour.
"""

three_point = declare(
    "three-point",
    see="bytes-first",
    points=2,
    steps=[
        Walks(vector, [(12, 3), (10, 3), (7, 2)], rules=RULES),
        Agrees(
            lambda x, block: mean_of_three(x),
            vector,
            [(4, 2), (9, 3), (7, 3), (10, 4), (11, 4)],
            each=1,
            ask=probe.by_blocks,
            mistakes=MISTAKES,
            rtol=1e-5,
            raising=NUMBERED,
        ),
        Agrees(lambda x, block: mean_of_three(x), vector, [(3, 1)], each=1, ask=probe.by_blocks, rtol=1e-5),
        Agrees(
            lambda x, block: mean_of_three(x),
            vector,
            [(7, 3)],
            each=1,
            ask=on_rubbish,
            otherwise="marks",
            shows="probe.by_blocks(three_point, {}, beyond=50.0)",
            rtol=1e-5,
        ),
    ],
    words=(LESSON, WORDS),
)
