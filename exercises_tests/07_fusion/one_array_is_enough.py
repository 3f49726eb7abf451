"""one-array-is-enough."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.bans import no_loops
from jaxcourse.checks import declare, refuse
from jaxcourse.inputs import Slip, compare
from jaxcourse.probe import AnswerRaised

from ._lesson import WORDS as LESSON
from ._lesson import allocates, filled, numba_in, require_filled, room_needed, three_arrays

FILL_SLIPS = [
    Slip(
        "overwritten",
        lambda x, y: 3 * y + 1,
    ),
    Slip("one-forgotten", lambda x, y: (2 * x + 3) * y),
    Slip(
        "factored-too-far",
        lambda x, y: (2 * x + 4) * y,
    ),
]

LOOPS = no_loops(grows=three_arrays, advice="Give NumPy the whole arrays, or compile the loop.", see="one-loop-by-hand")


def check(answer, rng):
    def fill(x, y):
        try:
            facts = answer.probe(filled, x, y, 1 if x.flags.c_contiguous else -2)
        except AnswerRaised as error:
            said = error.raised.message.lower().replace("-", "")
            refuse(not x.flags.writeable and "readonly" in said, "changed-input")
            raise
        answer.called = "one_array_is_enough(x, y, out)"
        require_filled(facts, "x", "y")
        return facts["values"]

    def draw(rng, shape):
        n, dtype, layout = shape
        return tuple(inputs.layouts(inputs.array(rng, n, dtype))[layout] for _ in range(2))

    x, y = (rng.normal(size=300_000).astype(np.float32) for _ in range(2))
    room = answer.probe(room_needed, x, y)
    refuse(room["jax"], "temporaries")
    kinds = [(0, "float32"), (1, "float64"), (3, "float32"), (20, "float64")]
    compare(
        fill,
        lambda x, y: (2 * x.astype(float) * y + 3 * y + 1).astype(x.dtype),
        draw,
        rng,
        shapes=[*((n, dtype, "C order") for n, dtype in kinds), (7, "float32", "stepped"), (8, "float64", "read-only")],
        slips=FILL_SLIPS,
        label="wrong-value",
    )
    refuse(room["arrays"] > 0.1 or allocates(answer.probe(numba_in)["code"]), "temporaries/2")


WORDS = """
hint: `np.multiply(x, 2, out=out)` writes into `out` and makes no array.
hint: Factor `y` out first: how often does the formula then need `y`?
overwritten: `out` held `2 * x * y`, until `3 * y` was written over it. There is room for one of them only.
one-forgotten: The last step is missing: add 1.
factored-too-far: You added 1 before the product with `y`: it stands alone in the formula, so it comes last.
changed-input: `x` and `y` are read-only here, and you wrote into one of them, if only for a while.
temporaries: JAX gives its result in an array of its own, from which you filled `out`. Write into `out` at once.
wrong-value: `out` should hold `2 * x * y + 3 * y + 1`.
temporaries/2: Right, but further arrays were made on the way. Each result must go into `out`, and `2 * x * y` and
    `3 * y` cannot both be there: write the formula so that each step needs only the one before.
"""

one_array_is_enough = declare(
    "one-array-is-enough",
    see="nine-loops",
    may_change_input=True,
    without=[LOOPS],
    steps=[check],
    words=(LESSON, WORDS),
)
