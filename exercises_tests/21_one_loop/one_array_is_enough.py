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
hint: How often does the formula need `y`, and how often if you factor it out?
hint: `np.multiply(x, 2, out=out)` writes into `out` and makes no array.
overwritten: You wrote `3 * y` over the `2 * x * y` in `out`. It has room for only one of them, so let each step need
    only the one before.
one-forgotten: Your last step is missing. Add 1.
factored-too-far: You added 1 before the product with `y`. The 1 is a term by itself, so add it last.
changed-input/read-only: You wrote into `x` or `y`, if only for a while. They are read-only here, so leave them as they
    are.
temporaries: You filled `out` from a result of JAX, which is a further array. Write directly into `out`.
wrong-value: Your `out` holds other numbers. It should hold `2 * x * y + 3 * y + 1`.
temporaries/2: Your numbers are right, but you made further arrays. `out` has no room for both `2 * x * y` and `3 * y`,
    so let each step need only the one before.
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
        Agrees(formula, two_arrays, READ_ONLY, raising={"changed-input/read-only": of_what_is_read_only}, **FILLED),
        without_another_array,
    ],
    words=(LESSON, WORDS),
)
