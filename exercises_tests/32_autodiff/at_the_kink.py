"""at-the-kink."""

import jax
import jax.numpy as jnp

from jaxcourse.prediction import Mistake, any_of, prediction


def true_kinks():
    """The derivatives, asked of JAX."""
    functions = {
        "jnp.abs(x) at 0.0": jnp.abs,
        "jnp.maximum(x, 0.0) at 0.0": lambda x: jnp.maximum(x, 0.0),
        "jax.nn.relu(x) at 0.0": jax.nn.relu,
        "jnp.clip(x, 0.0, 1.0) at 2.0": lambda x: jnp.clip(x, 0.0, 1.0),
        "jnp.floor(x) + x at 1.3": lambda x: jnp.floor(x) + x,
        "jnp.stack([x, x]).max() at 3.0": lambda x: jnp.stack([x, x]).max(),
        "jnp.sort(jnp.stack([x, 2.0]))[0] at 3.0": lambda x: jnp.sort(jnp.stack([x, 2.0]))[0],
        "jax.lax.stop_gradient(x) * x at 3.0": lambda x: jax.lax.stop_gradient(x) * x,
    }
    return {name: float(jax.grad(f)(float(name.rpartition(" ")[2]))) for name, f in functions.items()}


at_the_kink = prediction(
    "at-the-kink",
    see="where-derivatives-end",
    hint=[
        "At a tie, the derivative may be that of one side, or the mean of both: each function has its rule.",
        "`jax.grad(lambda x: ...)(0.0)` tells you.",
    ],
    truth=true_kinks,
    mistakes=[
        Mistake(
            "nan-expected",
            [
                {"jnp.abs(x) at 0.0": float("nan")},
                {"jnp.maximum(x, 0.0) at 0.0": float("nan")},
                {"jax.nn.relu(x) at 0.0": float("nan")},
            ],
            "There is no derivative at a kink, but JAX does not say so: each operation has a convention for this case.",
        ),
        Mistake(
            "values-given",
            [
                {"jnp.stack([x, x]).max() at 3.0": 3.0},
                {"jnp.sort(jnp.stack([x, 2.0]))[0] at 3.0": 2.0},
                {"jax.lax.stop_gradient(x) * x at 3.0": 9.0},
            ],
            "That is the value of the function. How does it change when `x` does?",
        ),
        Mistake(
            "nothing-at-a-kink",
            {"jnp.abs(x) at 0.0": any_of(0.0, -1.0)},
            "At 0, `abs` takes the derivative of its right side.",
        ),
        Mistake(
            "one-side-of-maximum",
            {"jnp.maximum(x, 0.0) at 0.0": any_of(0.0, 1.0)},
            "Where both arguments of `maximum` are equal, each gets one half.",
        ),
        Mistake(
            "relu-like-maximum",
            {"jax.nn.relu(x) at 0.0": any_of(0.5, 1.0)},
            "`relu` has a rule of its own, and it is not that of `maximum`: at 0 it takes the left side.",
        ),
        Mistake(
            "clip-goes-on",
            {"jnp.clip(x, 0.0, 1.0) at 2.0": any_of(1.0, 0.5)},
            "Beyond its bound, `clip` returns the bound, which does not move with `x`.",
        ),
        Mistake(
            "step-counted",
            {"jnp.floor(x) + x at 1.3": any_of(0.0, 2.0)},
            "`floor` is flat at 1.3 and adds nothing; the `x` after it is not flat.",
        ),
        Mistake(
            "shares-lost",
            {"jnp.stack([x, x]).max() at 3.0": any_of(0.5, 2.0)},
            "The two equal maxima share a derivative of 1, and both halves come back to the same `x`.",
        ),
        Mistake(
            "sorting-not-followed",
            {"jnp.sort(jnp.stack([x, 2.0]))[0] at 3.0": any_of(1.0, 0.5)},
            "At 3 the smaller of the two is the constant 2: `x` has been moved to the other place.",
        ),
        Mistake(
            "stopped-part-counted",
            {"jax.lax.stop_gradient(x) * x at 3.0": 6.0},
            "Only one of the two factors moves: what is stopped counts as the constant 3.",
        ),
        Mistake(
            "all-stopped",
            {"jax.lax.stop_gradient(x) * x at 3.0": any_of(0.0, 1.0)},
            "One factor is stopped, and stays in the product as the number 3. The other one moves.",
        ),
    ],
    otherwise="Try them one by one with `jax.grad`.",
)
