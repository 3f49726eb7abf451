"""pulse-phase."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers
from jaxcourse.probe import NEEDS_A_VALUE

from ._lesson import in_64_bits


def phases(times, period):
    """The oracle."""
    return (times - times[0]) / period % 1


def draw_arrivals(rng, n):
    """Arrivals in order, whole seconds now and then. No phase but the first is near 0 or 1, which are one place."""
    period = round(10 ** rng.uniform(-1.5, 0.5), 4)
    elapsed = inputs.array(rng, 20 * n, low=0, high=59)
    inside = elapsed[np.abs(elapsed / period % 1 - 0.5) < 0.45][: n - 1]
    return 1.7e9 + np.floor(rng.uniform(0, 1e6)) + rng.choice([0.0, 0.3, 0.8]) + np.append(0.0, np.sort(inside)), period


def rounded(times, period):
    """The phases of times that became `float32` before they were subtracted."""
    grid = np.asarray(times, np.float32)
    return (grid - grid[0]) / period % 1


MISTAKES = {
    "rounded-before-subtracting": rounded,
    "whole-seconds": lambda times, period: np.floor(times - times[0]) / period % 1,
    "counts-cycles": lambda times, period: (times - times[0]) / period,
    "in-seconds": lambda times, period: (times - times[0]) % period,
    "from-1970": lambda times, period: times / period % 1,
}


def six_arrivals(rng):
    start = 1.7e9 + rng.uniform(0, 1e6)
    return start + np.append(0, np.sort(rng.uniform(1, 40, size=5)))


def slow_pulsars(rng):
    times = six_arrivals(rng)
    return [(each, 60.0) for each in (times[::2], times, times + np.arange(times.size) / 8)]


def in_jax(answer, rng):
    """It computes in JAX, in `float32`, and leaves the settings alone."""
    times = six_arrivals(rng), 0.714
    dtype = numbers(answer(*times)).dtype
    require(dtype == np.float32, "more-digits", dtype=dtype)
    kind = answer.probe(probe.result_type, *times)
    require(kind == "jax.Array", "not-in-jax", kind=kind)
    wide, _ = answer.attempt(in_64_bits, *times, expected=NEEDS_A_VALUE)
    refuse(wide, "switches-to-64-bits", wide=", ".join(wide or []))


WORDS = """
hint: Print `t` in the first line. Do the pulses still lie at different times?
hint: Subtract while it is NumPy.
rounded-before-subtracting [float32-by-default]: In `float32` the times lie on a grid of 128 s, so most of them are
    equal. The difference came too late.
whole-seconds: You lost the fractions of a second, because you made integers of the times first.
counts-cycles: You returned cycles. The phase is their fraction.
in-seconds: You returned seconds since the last pulse. The phase is the fraction of a period, from 0 to 1.
from-1970: You count from 1970. Count from the first arrival.
wrong-value: Your phases should count from the first arrival, as a fraction of the period, from 0 to 1.
more-digits [float32-by-default]: Your phases are right, but of the dtype `{dtype}`. Return a JAX array of `float32`,
    and leave JAX's settings alone.
not-in-jax: Your phases are right, but of type `{kind}`. `jnp.asarray` makes a JAX array of them.
switches-to-64-bits [float32-by-default]: Your phases are right, but JAX computed in 64 bits ({wide}). NumPy has them
    anyway, so leave JAX's settings alone.
"""

pulse_phase = declare(
    "pulse-phase",
    see="lab-silent",
    steps=[
        Agrees(phases, draw_arrivals, [1, 6, 30], each=6, extremes=slow_pulsars, mistakes=MISTAKES, rtol=1e-3),
        in_jax,
    ],
    words=WORDS,
)
