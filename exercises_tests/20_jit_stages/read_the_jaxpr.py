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
        "What does Python do when it runs with `x.shape == (10,)`? The jaxpr is that list: run it in your head.",
        "The optimised program drops operations on which no result depends.",
    ],
    truth=counted_in_signal,
    mistakes=[
        Mistake(
            "loop-kept",
            {"mul": 1},
            "You counted the body once. The Python loop is over when the jaxpr is there, and has left its body in it "
            "once for each iteration.",
        ),
        Mistake(
            "branch-kept",
            {"cos": 1},
            "You kept the cosine. Python knows the shape while JAX traces, so it decided the branch then, and took the "
            "other way.",
        ),
        Mistake(
            "unused-not-traced",
            {"exp": 0},
            "You left out `unused`. JAX writes down all that Python computes, used or not. The compiler looks only "
            "later at what is used.",
        ),
        Mistake(
            "unused-not-removed",
            {"exponential in the optimised HLO": anything_else(1)},
            "You kept `unused`. No result depends on it, so the compiler leaves it out of the optimised program.",
        ),
        Mistake(
            "sum-written-out",
            {"reduce_sum": any_of(9, 10)},
            "You counted the additions. The sum of an array is one operation on the array, however many elements it "
            "has.",
        ),
    ],
    otherwise="Count what Python did, iteration by iteration.",
)
