"""read-the-jaxpr."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction


def signal(x):
    """The function of the exercise."""
    y = jnp.sin(x)
    for _ in range(3):
        y = y * 2.0
    if x.shape[0] > 100:
        y = jnp.cos(y)
    unused = jnp.exp(x)  # noqa: F841
    return jnp.sum(y)


def counted_in_signal():
    """The six numbers, asked of JAX."""
    x = np.ones(10, np.float32)
    found = probe.primitives(signal, x)
    counts = {name: found.get(name, 0) for name in ("sin", "mul", "cos", "exp", "reduce_sum")}
    optimised = probe.program(signal, x)["operations"]
    return counts | {"exponential in the optimised HLO": optimised.get("exponential", 0)}


read_the_jaxpr = prediction(
    "read-the-jaxpr",
    see="the-stages",
    hint=[
        "The jaxpr is what Python did when it ran with `x.shape == (10,)`. Run it in your head.",
        "The optimised program drops what no result depends on.",
    ],
    truth=counted_in_signal,
    mistakes=[
        Mistake(
            "loop-kept",
            {"mul": 1},
            "A Python loop is over when the jaxpr is there: its body stands in it once for each round.",
        ),
        Mistake(
            "branch-kept",
            {"cos": 1},
            "The shape is known while tracing, so Python decided the branch then, and took the other way.",
        ),
        Mistake(
            "unused-not-traced",
            {"exp": 0},
            "Tracing writes down whatever is computed, used or not. Whether it is used is asked only later.",
        ),
        Mistake(
            "unused-not-removed",
            {"exponential in the optimised HLO": anything_else(1)},
            "Nothing depends on `unused`, so it is left out on the way to the optimised program.",
        ),
        Mistake(
            "sum-written-out",
            {"reduce_sum": any_of(9, 10)},
            "The sum of an array is one operation on the array, however many elements it has.",
        ),
    ],
    otherwise="Count what Python did, round by round.",
)
