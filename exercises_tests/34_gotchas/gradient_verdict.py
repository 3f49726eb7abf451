"""gradient-verdict."""

import jax
import jax.numpy as jnp

from jaxcourse.prediction import Mistake, anything_else, prediction


def guarded_log(x):
    return jnp.where(x > 0, jnp.log(x), 0.0)


def true_verdicts():
    """What kind of gradient each function has there, asked of JAX."""
    three = jnp.array([3.0, 1.0, 2.0])
    cases = {
        "x - jnp.floor(x) at 1.3": (lambda x: x - jnp.floor(x), 1.3),
        "jnp.sqrt(jnp.maximum(x, 0.0)) at -1.0": (lambda x: jnp.sqrt(jnp.maximum(x, 0.0)), -1.0),
        "jnp.where(x > 0, jnp.log(x), 0.0) at -1.0": (guarded_log, -1.0),
        "jnp.where(x > 0, jnp.log(x), 0.0) at 0.0": (guarded_log, 0.0),
        "jnp.mean(jax.nn.sigmoid(energies - x)) at 1.5": (lambda x: jnp.mean(jax.nn.sigmoid(three - x)), 1.5),
        "jnp.linalg.norm(x) at [0.0, 0.0]": (jnp.linalg.norm, jnp.zeros(2)),
        "jnp.sort(x)[0] at [3.0, 1.0, 2.0]": (lambda x: jnp.sort(x)[0], three),
        "times[jnp.argmax(x)] at [3.0, 1.0, 2.0]": (lambda x: three[jnp.argmax(x)], three),
    }
    return {name: verdict(jax.grad(function)(at)) for name, (function, at) in cases.items()}


def verdict(gradient):
    """Whether a gradient has a NaN, is zero everywhere, or is of use."""
    if jnp.isnan(gradient).any():
        return "nan"
    return "useful" if jnp.any(gradient != 0) else "zero"


gradient_verdict = prediction(
    "gradient-verdict",
    see="nan-through-where",
    hint=[
        "Draw the function near that point. Is it flat, is it a step, or does its slope run to infinity?",
        "A side that isn't selected gets 0, and multiplies it by its own slope. What's that slope there?",
    ],
    choices=["zero", "nan", "useful"],
    truth=true_verdicts,
    mistakes=[
        Mistake(
            "clipping-protects",
            {"jnp.sqrt(jnp.maximum(x, 0.0)) at -1.0": anything_else()},
            "`maximum` is no protection: it moves -1 to 0, where the root's slope is infinite. 0 times that is NaN.",
        ),
        Mistake(
            "every-where-is-nan",
            {"jnp.where(x > 0, jnp.log(x), 0.0) at -1.0": "nan"},
            "You answered NaN. The logarithm is NaN there, but its slope is 1/x, which is -1: 0 times that is 0.",
        ),
        Mistake(
            "where-protects",
            {"jnp.where(x > 0, jnp.log(x), 0.0) at 0.0": anything_else()},
            "`where` doesn't protect you here. The side that isn't selected has the slope 1/0: 0 times that is NaN.",
        ),
        Mistake(
            "norm-is-smooth",
            {"jnp.linalg.norm(x) at [0.0, 0.0]": anything_else()},
            "The norm at zero is the tip of a cone. Its slope there is 0/0, which is NaN.",
        ),
        Mistake(
            "constants-have-slopes",
            {"jnp.where(x > 0, jnp.log(x), 0.0) at -1.0": "useful"},
            "You answered that it's useful. Left of 0, `where` selects the constant, which is flat.",
        ),
        Mistake(
            "smooth-has-none",
            [
                {"x - jnp.floor(x) at 1.3": anything_else()},
                {"jnp.mean(jax.nn.sigmoid(energies - x)) at 1.5": anything_else()},
            ],
            "A step has a slope of zero. A sigmoid in its place, or an `x` beside it, has one that leads somewhere.",
            see="zero-gradients",
        ),
        Mistake(
            "argmax-has-a-slope",
            {"times[jnp.argmax(x)] at [3.0, 1.0, 2.0]": anything_else()},
            "`argmax` gives an integer, and a small change of `x` doesn't move it. So the gradient is zero.",
            see="zero-gradients",
        ),
        Mistake(
            "sort-has-none",
            {"jnp.sort(x)[0] at [3.0, 1.0, 2.0]": anything_else()},
            "`sort` moves *values*, and they keep their slope. The smallest element has the gradient 1.",
            see="zero-gradients",
        ),
    ],
    otherwise="Your answer differs. Is the function flat there, or does its slope run to infinity?",
)
