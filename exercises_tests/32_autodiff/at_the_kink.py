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
        "At a tie, is the derivative that of one side, or the mean of both? Each function has its own rule.",
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
            "You expected NaN. There is no derivative at a kink, but JAX does not say so: each operation has a "
            "convention.",
        ),
        Mistake(
            "values-given",
            [
                {"jnp.stack([x, x]).max() at 3.0": 3.0},
                {"jnp.sort(jnp.stack([x, 2.0]))[0] at 3.0": 2.0},
                {"jax.lax.stop_gradient(x) * x at 3.0": 9.0},
            ],
            "You gave the value of the function. How does it change when `x` does?",
        ),
        Mistake(
            "nothing-at-a-kink",
            {"jnp.abs(x) at 0.0": any_of(0.0, -1.0)},
            "Your value is not that of `abs`, which takes the derivative of its right side at 0.",
        ),
        Mistake(
            "one-side-of-maximum",
            {"jnp.maximum(x, 0.0) at 0.0": any_of(0.0, 1.0)},
            "You took one side of `maximum`. If both arguments are equal, each gets one half.",
        ),
        Mistake(
            "relu-like-maximum",
            {"jax.nn.relu(x) at 0.0": any_of(0.5, 1.0)},
            "You gave `relu` another rule. It has its own, and not that of `maximum`: at 0 it takes the left side.",
        ),
        Mistake(
            "clip-goes-on",
            {"jnp.clip(x, 0.0, 1.0) at 2.0": any_of(1.0, 0.5)},
            "Your `clip` goes on beyond its bound. It returns the bound there, which does not move with `x`.",
        ),
        Mistake(
            "step-counted",
            {"jnp.floor(x) + x at 1.3": any_of(0.0, 2.0)},
            "Your sum has another slope. `floor` is flat at 1.3 and adds nothing, but the `x` after it is not flat.",
        ),
        Mistake(
            "shares-lost",
            {"jnp.stack([x, x]).max() at 3.0": any_of(0.5, 2.0)},
            "You followed one share, or gave both a whole 1. The equal maxima share a derivative of 1, and both "
            "halves reach the same `x`.",
        ),
        Mistake(
            "sorting-not-followed",
            {"jnp.sort(jnp.stack([x, 2.0]))[0] at 3.0": any_of(1.0, 0.5)},
            "You followed the place, not the value. At 3 the smaller one is the constant 2, and `x` has moved to the "
            "other place.",
        ),
        Mistake(
            "stopped-part-counted",
            {"jax.lax.stop_gradient(x) * x at 3.0": 6.0},
            "You moved both factors. Only one moves: the stopped one counts as the constant 3.",
        ),
        Mistake(
            "all-stopped",
            {"jax.lax.stop_gradient(x) * x at 3.0": any_of(0.0, 1.0)},
            "You stopped both factors, or dropped one. The stopped one stays as the number 3, and the other one moves.",
        ),
    ],
    otherwise="Try them one by one with `jax.grad`.",
)
