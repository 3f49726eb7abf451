"""add-one: a grid that walks over a vector."""

import math

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import Rule, Walks, covers, no_copy, not_whole, steps

from ._lesson import RAISING, unwritten, vector
from ._lesson import WORDS as LESSON


def in_one_step(found, x, block):
    return {"n": len(x), "block": block} if found["steps"] == 1 else None


def of_another_size(found, x, block):
    lengths = {math.prod(one["block"]) for one in (*found["inputs"], *found["outputs"])}
    return {"block": block} if lengths != {block} else None


RULES = [
    Rule("whole-array", in_one_step),
    covers(),
    not_whole(),
    no_copy(lambda x, block: len(x)),
    *steps(lambda x, block: -(-len(x) // block)),
    Rule("other-blocks", of_another_size),
]

WORDS = """
hint: How many steps does it take, if the last block may hang over?
hint: `pl.cdiv(n, block)` is the number of steps. One `BlockSpec` with the block's shape and `lambda i: (i,)` serves
    both the argument and the result.
hint: In the kernel, `x_ref[...]` reads the whole block, and `o_ref[...] = ` writes one.
whole-array: One step of yours has all {n} elements. Give the grid an axis, and each step a block of {block}.
too-few-steps: You take {steps} steps, and blocks of the length that was asked need {wanted}.
too-many-steps: You take {steps} steps, and {wanted} blocks cover the vector. Some blocks are done more than once.
other-blocks: Your blocks have another length than {block}.
wrong-value: Each element should be one larger.
"""

add_one = declare(
    "add-one",
    see="grid-and-blocks",
    steps=[
        Walks(vector, [(12, 4), (10, 4), (7, 3), (3, 1)], rules=RULES),
        Agrees(
            lambda x, block: x + 1,
            vector,
            [(3, 1), (4, 2), (5, 2), (12, 4)],
            each=1,
            ask=probe.by_blocks,
            mistakes={"never-written": seen(unwritten)},
            raising=RAISING,
        ),
    ],
    words=(LESSON, WORDS),
)
