"""one-array-is-enough: a formula that NumPy evaluates without another array than `out`."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare, refuse

from ._lesson import WORDS as LESSON
from ._lesson import allocates, as_filled, filled, numba_in, room_needed, three_arrays


def formula(x, y):
    return (2 * x.astype(float) * y + 3 * y + 1).astype(x.dtype)


def two_arrays(rng, case):
    n, dtype, layout = case
    return tuple(inputs.layouts(inputs.array(rng, n, dtype))[layout] for _ in range(2))


def room_for_many(answer, rng):
    return answer.probe(room_needed, *(rng.normal(size=300_000).astype(np.float32) for _ in range(2)))


def without_jax(answer, rng):
    """Nothing of JAX's fills `out`.

    A function, since it looks for what is compiled.
    """
    refuse(room_for_many(answer, rng)["jax"], "temporaries")


def without_another_array(answer, rng):
    """No array is made on the way.

    A function, since it measures memory.
    """
    room = room_for_many(answer, rng)["arrays"]
    refuse(room > 0.1 or allocates(answer.probe(numba_in)["code"]), "temporaries/2")


def of_what_is_read_only(error):
    return "readonly" in error.raised.message.lower().replace("-", "")


MISTAKES = {
    "overwritten": lambda x, y: 3 * y + 1,
    "one-forgotten": lambda x, y: (2 * x + 3) * y,
    "factored-too-far": lambda x, y: (2 * x + 4) * y,
}
FILLED = {"ask": filled, "reads": as_filled("x", "y"), "shows": "one_array_is_enough({}, out)"}
KINDS = [(0, "float32"), (1, "float64"), (3, "float32"), (20, "float64")]
WRITEABLE = [*((n, dtype, "C order") for n, dtype in KINDS), (7, "float32", "stepped")]
READ_ONLY = [(8, "float64", "read-only")]

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

LOOPS = no_loops(grows=three_arrays, advice="Give NumPy the whole arrays, or compile the loop.", see="one-loop-by-hand")
one_array_is_enough = declare(
    "one-array-is-enough",
    see="nine-loops",
    may_change_input=True,
    without=[LOOPS],
    steps=[
        without_jax,
        Agrees(formula, two_arrays, WRITEABLE, mistakes=MISTAKES, **FILLED),
        Agrees(formula, two_arrays, READ_ONLY, raising={"changed-input": of_what_is_read_only}, **FILLED),
        without_another_array,
    ],
    words=(LESSON, WORDS),
)
