"""air-mass."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, expect, refuse
from jaxcourse.exercise import is_close, is_numeric
from jaxcourse.probe import NEEDS_A_VALUE


def kasten_young(zenith):
    """The oracle, in NumPy: https://doi.org/10.1364/AO.28.004735"""
    height = 90 - np.asarray(zenith, np.float64)
    return 1 / (np.sin(np.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364)


def corrected(zenith, sine):
    """The formula with another sine than the right one."""
    return 1 / (sine + 0.50572 * (96.07995 - np.asarray(zenith, np.float64)) ** -1.6364)


def draw_zenith(rng, shape):
    zenith = inputs.array(rng, shape, str(rng.choice(["float32", "float32", "int32"])), low=0, high=90)
    return (inputs.meeting(rng, zenith, 90) if rng.random() < 0.5 else zenith,)


MISTAKES = {
    "sine-of-the-zenith-angle": lambda zenith: corrected(zenith, np.sin(np.radians(np.asarray(zenith, np.float64)))),
}


FEW_DEGREES = [(np.array([0, 3, 8, 1, 5, 2], dtype),) for dtype in ("float32", "int32")]
"""Where the air mass is less than 1."""


def some_angles(rng, size):
    return rng.uniform(5, 80, size=size).astype(np.float32)


def stays_in_jax(answer, rng):
    """It can be traced, and calls nothing of Python."""
    zenith = some_angles(rng, 6)
    _, raised = answer.attempt(
        probe.under_jit, zenith, expected=[*NEEDS_A_VALUE, "TypeError: Only scalar arrays can be"]
    )
    refuse(raised, "needs-the-numbers", raised=raised)
    counts = answer.probe(probe.primitives, zenith)
    refuse(any("callback" in name for name in counts), "calls-back")


def takes_radians(answer, rng):
    """The sine is not that of degrees; where its denominator is nearly zero, rounding decides."""
    angles = some_angles(rng, 20)
    got, degrees = answer.probe(probe.under_jit, angles), corrected(angles, np.sin(90 - np.asarray(angles, np.float64)))
    steady = np.abs(degrees) < 3
    alike = is_numeric(got) and np.shape(got) == angles.shape
    refuse(alike and is_close(np.asarray(got)[steady], degrees[steady], rtol=1e-3), "degrees-for-radians")


def takes_numbers(answer, rng):
    """It is right for plain numbers."""
    for number in (0.0, 60, float(some_angles(rng, 1)[0])):
        expect(answer(number), kasten_young(number), "arrays-alone", number=number, rtol=1e-4)


WORDS = """
hint: The error names the line. Which library is asked for a function of a tracer there?
needs-the-numbers [tracer-errors]: NumPy, or Python, needs the numbers of `zenith`, and a tracer has none. Every
    step has to be `jnp`. Your code raised `{raised}`.
calls-back: You call back from the compiled program into Python. What Python does has no gradient, runs on no GPU, and
    makes the program wait at each call.
degrees-for-radians: `sin` takes radians, here and in NumPy.
sine-of-the-zenith-angle: The sine is that of the *height*, 90 degrees minus the zenith angle.
wrong-value: Your result is not that of the formula any more.
arrays-alone: Your answer is right for arrays, and not for the number {number}.
"""

air_mass = declare(
    "air-mass",
    see="lab-loud",
    steps=[
        stays_in_jax,
        takes_radians,
        Agrees(
            kasten_young,
            draw_zenith,
            [(), 0, 1, 6, (2, 3)],
            each=6,
            extremes=FEW_DEGREES,
            ask=probe.under_jit,
            mistakes=MISTAKES,
            rtol=1e-4,
        ),
        takes_numbers,
    ],
    words=WORDS,
)
