"""clip-by-length."""

import itertools

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, expect, refuse
from jaxcourse.exercise import numbers
from jaxcourse.probe import NEEDS_A_VALUE


def shortened(gradient, limit):
    """The oracle, in `float64`."""
    length = np.sqrt(np.sum(gradient.astype(np.float64) ** 2))
    return gradient * (min(length, limit) / length)


def draw_gradient(rng, shape):
    gradient = inputs.array(rng, shape, "float32")
    gradient.flat[0] += 4  # not all zeros
    gradient *= np.float32(10.0 ** rng.choice([-12, -9, -7, -4, 0, 3, 8]))
    length = np.linalg.norm(gradient)
    return gradient, np.float32(length * rng.choice([0.3, 0.6, 1.5, 3.0]))


def by_its_rows(gradient, limit):
    return gradient * np.minimum(1, limit / np.sqrt(np.sum(gradient**2, axis=-1, keepdims=True)))


def length(gradient):
    return np.linalg.norm(gradient)


MISTAKES = {
    "turns-the-gradient": lambda gradient, limit: np.clip(gradient, -limit, limit),
    "lengthens": lambda gradient, limit: gradient * (limit / length(gradient)),
    "lengthens/2": lambda gradient, limit: gradient * max(1, limit / length(gradient)),
    "unit-length": lambda gradient, limit: gradient / (length(gradient) if length(gradient) > 1.001 * limit else 1),
    "length-of-each-row": by_its_rows,
    "another-length": lambda gradient, limit: gradient * min(1, limit / np.sum(gradient**2)),
    "another-length/2": lambda gradient, limit: gradient * min(1, limit / np.abs(gradient).max()),
    "another-length/3": lambda gradient, limit: gradient * min(1, limit / np.abs(gradient).sum()),
}


def loud(answer, rng):
    """It can be traced."""
    _, raised = answer.attempt(probe.under_jit, *draw_gradient(rng, 6), expected=NEEDS_A_VALUE)
    refuse(raised, "asks-a-tracer", raised=raised)


def both_ways(rng):
    gradient, limit = draw_gradient(rng, 6)
    return [(gradient, limit), (-gradient, limit)]


def zeros_stay(answer, rng):
    """Compiled and not, as 0 * inf may become a choice when it is compiled."""
    asked = itertools.product((probe.under_jit, probe.on_jax_arrays), (6, 3))
    zeros = [numbers(answer.probe(how, np.zeros(shape, np.float32), np.float32(2))) for how, shape in asked]
    refuse(all(np.isnan(zero).any() for zero in zeros), "zero-over-zero")
    for zero in zeros:
        expect(zero, np.zeros(zero.shape), "wrong-value/3")


JITTED = {"ask": probe.under_jit, "mistakes": MISTAKES}
PLAIN = {"ask": probe.on_jax_arrays, "extremes": both_ways, "otherwise": "wrong-value/2"}


WORDS = """
hint: Which factor shortens a long gradient, and leaves a short one alone?
hint: `jnp.minimum(1, limit / length)`
asks-a-tracer [tracer-errors]: Under `jit` there are tracers, which have no numbers for Python's `if`, `min` or `float`,
    nor for a function of NumPy. Your code raised `{raised}`.
turns-the-gradient: You clip each element by itself, which turns the gradient into another direction.
lengthens: You give every gradient the length `limit`. One that is short enough should come back as it was.
lengthens/2: You lengthen what is short, and leave what is long. Take the smaller factor.
unit-length: You give what is too long the length 1, and not `limit`.
length-of-each-row: You clip each row by its own length. Take one length, of all elements together.
another-length: You took the sum of the squares, which is the length squared. Take its root.
another-length/2: You compare the largest element with the limit, and not the length.
another-length/3: You took the sum of the magnitudes. The length is the root of the sum of squares.
wrong-value: A gradient that is too long should get the length `limit`, and any other come back as it was.
wrong-value/2: Your result is right under `jit`, and a different one without.
zero-over-zero: You make NaN of a gradient of zeros, as 0/0 and 0 times infinity do. It should stay zero.
wrong-value/3: You change a gradient of zeros. It should stay zero.
"""

clip_by_length = declare(
    "clip-by-length",
    see="lab-loud",
    steps=[
        loud,
        Agrees(shortened, draw_gradient, [1, 6, (3, 3), (2, 3, 2)], each=8, **JITTED),
        Agrees(shortened, draw_gradient, [6], **PLAIN),
        zeros_stay,
    ],
    words=WORDS,
)
