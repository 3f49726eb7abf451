"""soft-peak: the mean of a spectrum's wavelengths, weighted with the softmax of its heights, and its gradient."""

import functools

import jax
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.probe import NEEDS_A_VALUE

from ._lesson import near, weighted_position, weights_of

LENGTH = 5
"""Of all spectra but the shortest: each length that an answer meets costs compilations."""


@probe.question(evidence="values")
def gradients(student_function, spectra):
    """How the peak of each spectrum moves with each of its elements."""

    def slope(x, y, sharpness):
        return jax.grad(lambda y: student_function(x, y, sharpness))(y)

    return [slope(*spectrum) for spectrum in probe.on_device(spectra)]


def draw_spectrum(rng, n, offset=0.0):
    x = inputs.array(rng, n, "float32", low=-2, high=2)
    return (
        x,
        inputs.array(rng, n, "float32", low=-1, high=2, offset=offset),
        float(rng.choice([0.05, 0.5, 2.0, 8.0])),
    )


def far_from_zero(rng):
    """Spectra whose exponentials leave `float32`: as a whole, or at one line."""
    x, y, sharpness = draw_spectrum(rng, LENGTH)
    line = np.where(np.arange(LENGTH) == 2, np.float32(500), y)
    offsets = 2 * [300.0, -300.0, 2000.0]
    return [*(draw_spectrum(rng, LENGTH, offset) for offset in offsets), (x, line, sharpness)]


def wide(rng):
    """Spectra that span hundreds, and so small a sharpness that all elements count."""
    x = draw_spectrum(rng, LENGTH)[0]
    return [(x, inputs.array(rng, LENGTH, "float32", low=-200, high=200), 0.01) for _ in range(2)]


def extremes_are_near(answer, rng):
    """Require the peak where numbers, or the sharpness, are large."""
    right = functools.partial(near, functools.partial(answer.probe, probe.on_jax_arrays))
    for spectrum in far_from_zero(rng):
        require(right(spectrum), "overflow")
    for spectrum in wide(rng):
        require(right(spectrum), "sharpness-too-late")
    for sharpness in (30.0, 40.0, 60.0):
        y = np.linspace(-1, 1, LENGTH)
        y[-2] = y[-1] - 2 / sharpness  # two peaks that only this sharpness weighs so
        x = rng.permutation(np.linspace(-1, 1, LENGTH))
        require(right((*np.float32([x, y]), sharpness)), "wrong-value/2", sharpness=sharpness)


def gradients_are_right(answer, rng):
    """Require that the peak moves with `y` as it should."""
    spectra = [*(draw_spectrum(rng, LENGTH) for _ in range(4)), *far_from_zero(rng)[1:3], *wide(rng)]
    slopes, raised = answer.attempt(gradients, spectra, expected=NEEDS_A_VALUE)
    refuse(raised, "leaves-jax", raised=raised)
    for (x, y, sharpness), slope in zip(spectra, slopes, strict=True):
        weights = weights_of(y, sharpness)
        want = sharpness * weights * (x - weights @ x)
        off = np.abs(slope - want).max() if np.shape(slope) == want.shape else np.inf
        require(off < 5e-3 * np.abs(want).max() + 1e-5 * sharpness, "gradient-lost")


WHOLE_NUMBERS = [
    (np.array([3, -1, 7, 0, 2], np.int32), np.array([2, 1, 3, 0, 1], np.int32), 0.5),  # channels, photons in them
    (np.array([9, 4, 2, 5, 1], np.int32), np.array([0, 6, 5, 2, 4], np.int32), 1.5),
]

MISTAKES = {
    "gradient-zero": lambda x, y, sharpness: x[y.argmax()],
    "plain-centroid": lambda x, y, sharpness: np.sum(x * y) / np.sum(y),
    "no-sharpness": lambda x, y, sharpness: weighted_position(x, y, 1.0),
    "sharpness-misplaced": lambda x, y, sharpness: sharpness * weighted_position(x, y, 1.0),
    "sharpness-misplaced/2": lambda x, y, sharpness: weighted_position(x, y, 1 / sharpness),
    "not-a-mean": lambda x, y, sharpness: weighted_position(x, y, sharpness) / len(x),
    "exchanged": lambda x, y, sharpness: weighted_position(y, x, sharpness),
}

WORDS = """
hint: The weights are `jax.nn.softmax(sharpness * y)`, and they add up to 1.
hint: Then take the mean of `x` with these weights.
gradient-zero: Your answer is the position of the largest element. Its gradient is zero, so no fit can move it: take
    the weighted mean.
plain-centroid: Your answer is the centre of all of `y`, and the background pulls at it. Weight with the exponential.
no-sharpness: Your answer doesn't change with the sharpness. It belongs in the exponent, where it multiplies `y`.
sharpness-misplaced: Your sharpness multiplies the weights, so they don't add up to 1. Multiply `y` by it, in the
    exponent.
sharpness-misplaced/2: You divided by the sharpness, as by a temperature. Multiply `y` by it.
not-a-mean: You divided by the number of elements. The weights add up to 1 already, so add up the products alone.
exchanged: You have `x` and `y` the other way round. The weights are those of `y`, and the mean is that of `x`.
wrong-value: Your answer isn't the mean of `x` with the weights of a softmax. Do your weights add up to 1?
overflow: Your answer is off when `y` is large, or far below zero: `float32` can't hold the exponentials. Subtract the
    maximum of the exponents first, as `softmax` does.
sharpness-too-late: Your answer is off when `y` spans hundreds and the sharpness is small. Multiply `y` by the sharpness
    before an exponential or a limit sees it.
wrong-value/2: Your answer is right for small numbers, and off for a sharpness of {sharpness}.
leaves-jax [tracer-errors]: Your numbers are right, but `jax.grad` finds no way through. Does NumPy or Python take them
    out of JAX? Your code raised `{raised}`.
gradient-lost: Your position is right, and its gradient isn't. A larger `y` on the right should pull the peak there.
"""

soft_peak = declare(
    "soft-peak",
    see="zero-gradients",
    steps=[
        Agrees(
            weighted_position,
            draw_spectrum,
            [LENGTH, 1],
            each=10,
            extremes=WHOLE_NUMBERS,
            ask=probe.on_jax_arrays,
            mistakes=MISTAKES,
            rtol=2e-4,
        ),
        extremes_are_near,
        gradients_are_right,
    ],
    words=WORDS,
)
