"""sine-by-columns."""

import numpy as np

from jaxcourse.checks import Agrees, declare, over_meshes, refuse

from ._lesson import WORDS as LESSON
from ._lesson import held, in_float32, inside, pieces_of, programs_of, require_layout


def tables(rng):
    cases = ((8, (16, 8)), (4, (8, 8)), (2, (8, 24)))
    return [(devices, rng.normal(size=shape).astype(np.float32)) for devices, shape in cases]


def cut_by_columns(answer, replies):
    """Require that the result lies by columns, and not as the rows did."""
    for devices, (x,), facts in programs_of(answer, replies):
        pieces = pieces_of(facts["pieces"])
        refuse(pieces == held({"x": devices}, ["x"], x.shape), "still-rows")
        require_layout(pieces, {"x": devices}, [None, "x"], x.shape)


WORDS = """
hint: What did `device_put` do inside `jit`?
hint: `jax.lax.with_sharding_constraint(value, sharding)`
still-rows: Your result is cut by rows, as `x` was. Either your spec says so, or nothing took effect.
    `jax.lax.with_sharding_constraint` *returns* the cut value, and `device_put` cuts nothing here.
for-explicit-axes: You used `reshard` or `out_sharding`, which are for Explicit axes. This mesh has an Auto one. Which
    function lays out a value inside a program there?
wrong-value: Each of your numbers should be the sine of the one in its place in `x`.
"""

sine_by_columns = declare(
    "sine-by-columns",
    see="layouts-in-programs",
    steps=[
        Agrees(
            lambda devices, x: np.sin(x),
            extremes=tables,
            ask=over_meshes(["x"], axis="x", question=inside),
            reads=in_float32,
            then=[cut_by_columns],
            raising={"for-explicit-axes": "that are of type Auto or Manual"},
        )
    ],
    words=(LESSON, WORDS),
)
