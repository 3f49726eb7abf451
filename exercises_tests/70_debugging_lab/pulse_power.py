"""pulse-power: how well photons keep time with each period, from a program with three faults."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.probe import NEEDS_A_VALUE

from ._lesson import in_64_bits, outside_of_jit


def arrows(times, periods, turn=2 * np.pi):
    """The sum of the arrows, one for each photon, as a complex number for each period."""
    return np.exp(1j * turn * (times - times[0])[:, None] / periods).sum(axis=0)


def powers(times, periods):
    """The oracle: Rayleigh's power."""
    return abs(arrows(times, periods)) ** 2 / times.size


TOO_LATE = {"added-too-late": lambda times, periods: np.full(periods.shape, float(times.size))}
MISTAKES = {
    "all-at-once": TOO_LATE["added-too-late"],
    "no-circle": lambda times, periods: abs(arrows(times, periods, turn=1)) ** 2 / times.size,
    "not-squared": lambda times, periods: abs(arrows(times, periods)) / times.size,
    "not-divided": lambda times, periods: abs(arrows(times, periods)) ** 2,
    "one-side": lambda times, periods: arrows(times, periods).real ** 2 / times.size,
    "multiplied": lambda times, periods: powers(times, 1 / periods),
}


def draw_search(rng, lengths):
    """Photons of a pulsar, and periods of which one is right; rounded to `float32`, all times are one."""
    count, tries = lengths
    periods = rng.uniform(0.03, 2, size=tries)
    period = rng.choice(periods)
    turns = rng.integers(int(55 / period), size=count) + rng.normal(0, 0.06, count)
    start = 1.6e9 + 128 * rng.integers(10**6) - 60 + rng.uniform(0, 4)
    return np.sort(start + rng.uniform(0, period) + turns * period), periods


def loud(answer, rng):
    """It asks for no number while JAX traces."""
    _, raised = answer.attempt(probe.call, *draw_search(rng, (6, 2)), expected=NEEDS_A_VALUE)
    refuse(raised, "needs-the-numbers", raised=raised)


def draw_early(rng, lengths):
    """Photons that arrive in the first minute, at times that `float32` keeps apart."""
    times, periods = draw_search(rng, lengths)
    return np.floor(64 * (times - times[0])) / 64, periods


def in_jax(answer, rng):
    """It computes in JAX."""
    kind = answer.probe(probe.result_type, *draw_search(rng, (6, 2)))
    require(kind == "jax.Array", "not-in-jax", kind=kind)


def compiled_once(answer, rng):
    """The program of one search serves for the next, if there are as many photons and periods."""
    _, again = answer.probe(probe.compiles, [draw_search(rng, (6, 5)) for _ in range(2)])
    refuse(len(again) >= 5, "one-program-per-period", n=len(again))
    refuse(again, "one-program-per-call")


def compiled_together(answer, rng):
    """All is still compiled in one program."""
    found, raised = answer.attempt(outside_of_jit, *draw_search(rng, (6, 5)), expected=NEEDS_A_VALUE)
    require(raised or found[0], "gives-up-jit")
    alone = [] if raised else sorted({"sin", "cos", "exp"} & {*found[1]})
    refuse(alone, "gives-up-jit/alone", alone=" and ".join(f"`{name}`" for name in alone))


def in_32_bits(answer, rng):
    """It leaves the settings alone."""
    wide, _ = answer.attempt(in_64_bits, *draw_search(rng, (6, 5)), expected=NEEDS_A_VALUE)
    refuse(wide, "switches-to-64-bits", wide=", ".join(wide or []))


WORDS = """
hint: The first fault raises. Which library is asked for the cosine of a tracer?
hint: The second gives every period the same power. Print `times` inside `power`. How many different ones are there?
hint: The third is that `power` is a new function in each pass. What would it need as an argument, to be made only once?
needs-the-numbers [tracer-errors]: NumPy, as for its cosine, or Python needs numbers, and a tracer has none. Your code
    raised `{raised}`.
added-too-late: Your powers are all the number of photons, also for times that `float32` can tell apart. Add up the
    arrows before you square, because each arrow has the length 1.
all-at-once [float32-by-default]: Your powers are all the number of photons, because `float32` knows one time in 128 s
    here, and all photons arrive at once. Subtract while NumPy has all digits.
no-circle: Your photons turn by one radian in each period. A whole turn is 2π.
not-squared: You returned the length of the sum, divided by the number of photons. Square the length before you divide.
not-divided: Your powers grow with the square of the number of photons. Divide by that number.
one-side: You returned one of the two parts, cosines or sines. What lies along the other is lost.
multiplied: You multiply by the period. How many periods fit into the time is a quotient.
wrong-value: Your numbers are not the powers of these periods.
not-in-jax: Your powers are right, but of type `{kind}`. They should be a JAX array.
one-program-per-period [function-identity]: Your powers are right, but a second search compiles {n} programs, one for
    each period. Make one function, outside, with the period as an argument that is not static.
one-program-per-call [function-identity]: Your powers are right, but a second search of this size compiles again. Do you
    make a function, for `jit` or a loop, anew in each call? Make it outside.
gives-up-jit: Your powers are right, but no compiled function of JAX does the work.
gives-up-jit/alone: Your powers are right, but {alone} run by themselves, outside of `jit`. Compile them together.
switches-to-64-bits [float32-by-default]: Your powers are right, but JAX computed in 64 bits ({wide}). NumPy has them
    anyway, so leave JAX's settings alone.
"""

pulse_power = declare(
    "pulse-power",
    points=2,
    see="lab-together",
    steps=[
        loud,
        Agrees(powers, draw_early, [(5, 2)], each=2, mistakes=TOO_LATE, otherwise=None),
        Agrees(powers, draw_search, [(1, 1), (3, 2), (12, 4)], each=3, mistakes=MISTAKES, rtol=0.02),
        in_jax,
        compiled_once,
        compiled_together,
        in_32_bits,
    ],
    words=WORDS,
)
