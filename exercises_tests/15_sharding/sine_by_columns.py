"""sine-by-columns."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse

from ._lesson import WORDS as LESSON
from ._lesson import held, inside, pieces_of, require_float32, require_layout


def check(answer, rng):
    for axes, shape in (({"x": 8}, (16, 8)), ({"x": 4}, (8, 8)), ({"x": 2}, (8, 24))):
        x = rng.normal(size=shape).astype(np.float32)
        placed = probe.placing(axes, ["x"], mesh="argument")
        facts = answer.probe(probe.partitioned, placed, x)
        answer.called = f"jit(sine_by_columns)(mesh, float32{list(shape)})"
        pieces = pieces_of(facts["pieces"])
        refuse(pieces == held(axes, ["x"], shape), "still-rows")
        got = answer.probe(inside, placed, x)
        require_float32(got)
        expect(got, np.sin(x), "wrong-value")
        require_layout(pieces, axes, [None, "x"], shape)


WORDS = """
hint: What did `device_put` do inside `jit`?
hint: `jax.lax.with_sharding_constraint(value, sharding)`
still-rows: The result is cut by rows, as `x` came: its spec says so, or nothing took effect. Inside `jit`, `device_put`
    cuts nothing on an Auto mesh, and `jax.lax.with_sharding_constraint` *returns* the value that is cut as you say.
wrong-value: Each number should be the sine of that of `x`.
"""

sine_by_columns = declare(
    "sine-by-columns",
    see="layouts-in-programs",
    steps=[check],
    words=(LESSON, WORDS),
)
