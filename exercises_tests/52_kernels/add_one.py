"""add-one: a grid that walks over a vector."""

import numpy as np

from jaxcourse.checks import Agrees, declare, refuse, seen

from ._lesson import WORDS as LESSON
from ._lesson import interpreted, one_kernel, unwritten


def vector(rng, sizes):
    n, block = sizes
    return rng.normal(size=n).astype(np.float32), block


def walked_in_blocks(answer, rng):
    """Each step has one block, and the steps cover the vector, once.

    A function, since it asks which block each step has.
    """
    for n, block in [(12, 4), (10, 4), (7, 3)]:
        kernel = one_kernel(answer, *vector(rng, (n, block)))
        refuse(kernel.steps == 1, "whole-array", n=n, block=block)
        result, needed = kernel.outs[0], -(-n // block)
        refuse(result.uncovered, "rest-missing", steps=kernel.steps, block=block, n=n, left=result.uncovered)
        refuse(any(each.whole for each in kernel.ins), "handed-whole", steps=kernel.steps, n=n)
        refuse(kernel.steps > needed, "too-many-steps", steps=kernel.steps, needed=needed)
        refuse(any(tuple(each.block) != (block,) for each in kernel.walks), "other-blocks", block=block)


WORDS = """
hint: How many steps does it take, if the last block may hang over?
hint: `pl.cdiv(n, block)` is the number of steps. One `BlockSpec` with the block's shape and `lambda i: (i,)` serves
    both the argument and the result.
hint: In the kernel, `x_ref[...]` reads the whole block, and `o_ref[...] = ` writes one.
whole-array: One step of yours has all {n} elements. Give the grid an axis, and each step a block of {block}.
rest-missing: Your {steps} steps of {block} elements leave {left} of {n} without one. Round the number of steps up, with
    `pl.cdiv`.
handed-whole: Each of your {steps} steps gets all {n} elements of the argument. Without a spec in `in_specs`, a block is
    the whole array.
too-many-steps: You take {steps} steps, and {needed} blocks cover the vector. Some blocks are done more than once.
other-blocks: Your blocks have another size than {block}. Fast memory was made for that many.
never-written: Your result is NaN throughout: the mark of what no step has written. `o_ref[...] = ` writes into the
    block, `o_ref = ` only gives another name.
wrong-value: Each element should be one larger.
"""

add_one = declare(
    "add-one",
    see="grid-and-blocks",
    steps=[
        walked_in_blocks,
        Agrees(
            lambda x, block: x + 1,
            vector,
            [(4, 2), (5, 2), (12, 4)],
            each=1,
            ask=interpreted,
            mistakes={"never-written": seen(unwritten)},
        ),
    ],
    words=(LESSON, WORDS),
)
