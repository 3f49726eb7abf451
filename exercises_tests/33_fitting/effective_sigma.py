"""effective-sigma."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, at_once, declare, refuse
from jaxcourse.exercise import numbers

from ._lesson import FLOAT32


@probe.question(evidence="values")
def noises_of(student_function, cases):
    """The noise at several vectors of places, for curves that are named."""
    curves = {
        "sine": lambda x: 2 * jnp.sin(x),
        "cubic": lambda x: x**3 - x,
        "rise": lambda x: jnp.exp(x / 2),
        "line": lambda x: 1 - 3 * x,
        "inverse": lambda x: 1 / x,
    }
    return [student_function(curves[kind], probe.on_device(x), *sigmas) for kind, x, *sigmas in cases]


def curve_by_hand(kind, x):
    """A curve and its slope."""
    curves = {
        "sine": (2 * np.sin(x), 2 * np.cos(x)),
        "cubic": (x**3 - x, 3 * x**2 - 1),
        "rise": (np.exp(x / 2), np.exp(x / 2) / 2),
        "line": (1 - 3 * x, -3 + 0 * x),
        "inverse": (1 / x, -1 / x**2),
    }
    return curves[kind]


def noisy(size):
    """A noise that follows from a curve, its slope, what it changes by over twice `sigma_x`, and both noises."""

    def of_case(curve, x, sigma_x, sigma_y):
        x = x.astype(np.float64)
        f, slope = curve_by_hand(curve, x)
        chord = (curve_by_hand(curve, x + sigma_x)[0] - curve_by_hand(curve, x - sigma_x)[0]) / 2
        return size(f, slope, chord, sigma_x, sigma_y)

    return of_case


def effective(curve, x, sigma_x, sigma_y):
    """The oracle."""
    return noisy(lambda f, slope, chord, sx, sy: np.sqrt(sy**2 + (slope * sx) ** 2))(curve, x, sigma_x, sigma_y)


MISTAKES = {
    "root-forgotten": noisy(lambda f, slope, chord, sx, sy: sy**2 + (slope * sx) ** 2),
    "slope-forgotten": noisy(lambda f, slope, chord, sx, sy: np.sqrt(sy**2 + sx**2) + 0 * f),
    "curve-for-slope": noisy(lambda f, slope, chord, sx, sy: np.sqrt(sy**2 + (f * sx) ** 2)),
    "added-plainly": noisy(lambda f, slope, chord, sx, sy: sy + np.abs(slope) * sx),
    "sigma-y-forgotten": noisy(lambda f, slope, chord, sx, sy: np.abs(slope) * sx),
    "sigma-x-not-squared": noisy(lambda f, slope, chord, sx, sy: np.sqrt(sy**2 + slope**2 * sx)),
    "chord-for-slope": noisy(lambda f, slope, chord, sx, sy: np.hypot(sy, chord)),
    "sign-of-the-slope": noisy(lambda f, slope, chord, sx, sy: sy + slope * sx),
}


def of_about_one(rng):
    """Two vectors of places for each curve and noise, not near 0, where a difference over a part of x fails."""
    drawn = [("sine", 20), ("cubic", 20), ("rise", 1), ("line", 20), ("cubic", 1), ("sine", 1), ("rise", 20)]
    zeros = [("cubic", 20, 0.0, 0.3), ("sine", 20, 0.4, 0.0), ("line", 1, 0.0, 0.0)]
    drawn = [(*case, float(rng.uniform(0.05, 0.8)), float(rng.uniform(0.05, 0.8))) for case in drawn]
    return [
        (kind, (rng.uniform(0.1, 2, n) * rng.choice([-1, 1], n)).astype(np.float32), *sigmas)
        for kind, n, *sigmas in [*drawn, *zeros]
        for _ in range(2)
    ]


def of_any_noise(rng):
    """Noise that is very small, and very large."""
    x = rng.uniform(-2, 2, 20).astype(np.float32)
    return [("line", x, 1e-9, 2e-9), ("line", x, 1e9, 2e9)]


def of_any_place(rng):
    """Places that are small, large, and 0."""
    cases = []
    for kind, unit, signs in (("inverse", 1e-4, [1]), ("cubic", 1e4, [-1, 1]), ("sine", 1.0, [0, 1])):
        places = [(unit * rng.uniform(1, 2, 20) * rng.choice(signs, 20)).astype(np.float32) for _ in range(2)]
        sigmas = [float(rng.uniform(0.05, 0.8)) for _ in range(2)]
        cases += [(kind, x, *sigmas) for x in places]
    return cases


def a_noise_for_each(noise, curve, x, *sigmas):
    """The noise, if there is one for each place."""
    shape = numbers(noise).shape
    refuse(shape == (len(x), len(x)) and len(x) > 1, "whole-jacobian", shape=shape)
    return noise


ASKED = {"ask": at_once(noises_of), "shows": "effective_sigma(curve, x, sigma_x, sigma_y)"}


WORDS = """
hint: `jax.grad` takes a function that gives one number. Which transformation applies it to each x?
hint: `jax.vmap(jax.grad(curve))(x)`
root-forgotten: You returned variances. Take the square root.
slope-forgotten: Your noise does not depend on the curve. Noise in x counts with the slope of the curve there.
curve-for-slope: You multiplied by the curve itself. Take its slope.
added-plainly: You added the two sizes. Independent errors add as squares.
sigma-y-forgotten: Your noise lacks the noise in y. Add its square.
sigma-x-not-squared: Your σ_x is not squared. It belongs inside the square, with the slope.
chord-for-slope: You took the curve at both ends of σ_x. If it bends, the slope at x itself is another.
sign-of-the-slope: You added the slope with its sign, and a size of noise cannot be negative. Independent errors add
    as squares.
differences: Your noise is right at places of about 1, but not at these. Finite differences need a step that suits x
    and the curve. `jax.grad` needs none.
gradient-of-a-vector: Your call of `jax.grad` raised an error. It is for functions that give one number, but
    `curve(x)` gives one for each x.
whole-jacobian: Your result is a matrix, of shape {shape}. Each y depends on its own x only: map over them.
wrong-value: Your noise is not the root of σ_y² + (f'(x) σ_x)². Check both squares.
wrong-value/2: Your noise is off for very small or very large σ. Do you add something, or cut something off?
"""

effective_sigma = declare(
    "effective-sigma",
    see="noise-in-x",
    steps=[
        Agrees(
            effective,
            extremes=of_about_one,
            reads=a_noise_for_each,
            mistakes=MISTAKES,
            raising={"gradient-of-a-vector": {"TypeError: scalar-output"}},
            rtol=FLOAT32,
            **ASKED,
        ),
        Agrees(effective, extremes=of_any_noise, otherwise="wrong-value/2", rtol=FLOAT32, **ASKED),
        Agrees(effective, extremes=of_any_place, otherwise="differences", rtol=1e-3, **ASKED),
    ],
    words=WORDS,
)
