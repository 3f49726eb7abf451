"""effective-sigma."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import first_difference, is_close, numbers

from ._lesson import FLOAT32, slipped


@probe.question(evidence="values")
def noise_of(student_function, kind, places, sigma_x, sigma_y):
    """The noise at several vectors of places, for a curve that is named."""
    curves = {
        "sine": lambda x: 2 * jnp.sin(x),
        "cubic": lambda x: x**3 - x,
        "rise": lambda x: jnp.exp(x / 2),
        "line": lambda x: 1 - 3 * x,
        "inverse": lambda x: 1 / x,
    }
    return [student_function(curves[kind], x, sigma_x, sigma_y) for x in probe.on_device(places)]


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


MISTAKES = {
    "root-forgotten": lambda f, slope, chord, sx, sy: sy**2 + (slope * sx) ** 2,
    "slope-forgotten": lambda f, slope, chord, sx, sy: np.sqrt(sy**2 + sx**2) + 0 * f,
    "curve-for-slope": lambda f, slope, chord, sx, sy: np.sqrt(sy**2 + (f * sx) ** 2),
    "added-plainly": lambda f, slope, chord, sx, sy: sy + np.abs(slope) * sx,
    "sigma-y-forgotten": lambda f, slope, chord, sx, sy: np.abs(slope) * sx,
    "sigma-x-not-squared": lambda f, slope, chord, sx, sy: np.sqrt(sy**2 + slope**2 * sx),
    "chord-for-slope": lambda f, slope, chord, sx, sy: np.hypot(sy, chord),
    "sign-of-the-slope": lambda f, slope, chord, sx, sy: sy + slope * sx,
}


def sigma_slips(kind, x, sx, sy):
    """What is right, and what each mistake would give."""
    f, slope = curve_by_hand(kind, x)
    chord = (curve_by_hand(kind, x + sx)[0] - curve_by_hand(kind, x - sx)[0]) / 2
    by = {label: [mistaken(f, slope, chord, sx, sy)] for label, mistaken in MISTAKES.items()}
    return [np.sqrt(sy**2 + (slope * sx) ** 2)], by


def judge_places(answer, rng):
    """Require that it does not matter how large `x` is, nor whether it is 0."""
    for kind, unit, signs in (("inverse", 1e-4, [1]), ("cubic", 1e4, [-1, 1]), ("sine", 1.0, [0, 1])):
        places = [(unit * rng.uniform(1, 2, 20) * rng.choice(signs, 20)).astype(np.float32) for _ in range(2)]
        sx, sy = (float(rng.uniform(0.05, 0.8)) for _ in range(2))
        found = answer.probe(noise_of, kind, places, sx, sy)
        answer.called = f"effective_sigma({kind}, {places[1][:3].tolist()} and more, {sx:.3g}, {sy:.3g})"
        for got, x in zip(found, places, strict=True):
            (want,), _ = sigma_slips(kind, x.astype(np.float64), sx, sy)
            require(
                is_close(got, want, rtol=1e-3), "differences", difference=first_difference(numbers(got), want, 0.001)
            )


def check(answer, rng):
    cases = []
    drawn = [("sine", 20), ("cubic", 20), ("rise", 1), ("line", 20), ("cubic", 1), ("sine", 1), ("rise", 20)]
    zeros = [("cubic", 20, 0.0, 0.3), ("sine", 20, 0.4, 0.0), ("line", 1, 0.0, 0.0)]
    drawn = [(*case, float(rng.uniform(0.05, 0.8)), float(rng.uniform(0.05, 0.8))) for case in drawn]
    for kind, n, sx, sy in [*drawn, *zeros]:
        # Not near 0, where a difference over a part of x fails: that has a diagnosis of its own.
        places = [(rng.uniform(0.1, 2, n) * rng.choice([-1, 1], n)).astype(np.float32) for _ in range(2)]
        found, raised = answer.attempt(noise_of, kind, places, sx, sy, expected={"TypeError: scalar-output"})
        answer.called = f"effective_sigma({kind}, float32[{n}], {sx:.3g}, {sy:.3g})"
        refuse(raised, "gradient-of-a-vector")
        for got, x in zip(found, places, strict=True):
            shape = numbers(got).shape
            refuse(shape == (n, n) and n > 1, "whole-jacobian", shape=shape)
            want, slips = sigma_slips(kind, x.astype(np.float64), sx, sy)
            cases.append((answer.called, [got], want, slips))
    slipped(answer, cases, MISTAKES)
    for answer.called, (got,), (want,), _ in cases:
        expect(got, want, "wrong-value", rtol=FLOAT32)
    x = rng.uniform(-2, 2, 20).astype(np.float32)
    for sx, sy in ((1e-9, 2e-9), (1e9, 2e9)):
        (got,) = answer.probe(noise_of, "line", [x], sx, sy)
        answer.called = f"effective_sigma(line, float32[20], {sx:g}, {sy:g})"
        (want,), _ = sigma_slips("line", x.astype(np.float64), sx, sy)
        expect(got, want, "wrong-value/2", rtol=FLOAT32)
    judge_places(answer, rng)


WORDS = """
hint: `jax.grad` takes a function that gives one number. Which transformation applies it to each x?
hint: `jax.vmap(jax.grad(curve))(x)`
root-forgotten: Those are variances: take the square root.
slope-forgotten: The curve makes no difference: noise in x counts with the slope of the curve there.
curve-for-slope: You multiplied by the curve itself, and not by its slope.
added-plainly: You added the two sizes. Independent errors add as squares.
sigma-y-forgotten: The noise in y is missing.
sigma-x-not-squared: σ_x belongs inside the square, with the slope.
chord-for-slope: You took the curve at both ends of σ_x. Where it bends, the slope at x itself is another.
sign-of-the-slope: A size of noise cannot be negative: the size of the slope counts, not its sign.
differences: The noise was right at places of about 1, and is not at these. Finite differences need a step
    that suits x and the curve; `jax.grad` needs none. {difference}
gradient-of-a-vector: It failed: `jax.grad` is for functions that give one number, but `curve(x)` gives one for each
    x.
whole-jacobian: A matrix came back, of shape {shape}: each y depends on its own x only. Map over them.
wrong-value: The root of σ_y² + (f'(x) σ_x)².
wrong-value/2: However small or large the noise is, nothing is added or cut off.
"""

effective_sigma = declare(
    "effective-sigma",
    see="noise-in-x",
    steps=[check],
    words=WORDS,
)
