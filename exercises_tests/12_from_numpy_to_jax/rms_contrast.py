"""rms-contrast: the standard deviation of all pixels over their mean, by a function that stays in JAX."""

import functools

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, at_once, declare, refuse, require
from jaxcourse.exercise import numbers


def contrast_and_slope(image):
    """The oracle: the contrast, and its gradient, in `float64`."""
    image = image.astype(float)
    mean, deviation = image.mean(), image.std()
    slope = ((image - mean) / (deviation * mean) - deviation / mean**2) / image.size
    return {"contrast": deviation / mean, "gradient": slope}


@at_once
@probe.question(evidence="values")
def with_their_gradients(function, cases):
    """For each of some images of one shape the result under `jit`, and the gradient: one program for all of them."""
    both = jax.jit(jax.value_and_grad(function))
    return [dict(zip(("contrast", "gradient"), both(image), strict=True)) for (image,) in cases]


def pixels(rng, shape):
    """An image whose pixels are positive and not all alike."""
    return (rng.uniform(1, 3, shape).astype(np.float32),)


def in_other_units(rng):
    return [(pixels(rng, (4, 6))[0] * np.float32(2.0**power),) for power in (-40, 40)]


def far_from_zero(rng):
    return [(rng.normal(1000, 1, (4, 6)).astype(np.float32),)]  # squares would leave their rounding


def contrast(image):
    return contrast_and_slope(image)["contrast"]


MISTAKES = {
    "mean-forgotten": lambda image: image.std(),
    "root-forgotten": lambda image: image.var() / image.mean(),
    "bracket": lambda image: np.sqrt(image.var() / image.mean()),
    "divided-by-n-minus-1": lambda image: image.std(ddof=1) / image.mean(),
    "absolute-deviation": lambda image: np.abs(image - image.mean()).mean() / image.mean(),
    "not-divided": lambda image: np.sqrt(((image - image.mean()) ** 2).sum()) / image.mean(),
}


def stays_in_jax(answer, rng):
    """No number leaves JAX, and one number comes back."""
    (image,) = pixels(rng, (4, 6))
    found = answer.probe(probe.on_jax_arrays, image)
    names, raised = answer.attempt(probe.primitives, image, expected=probe.NEEDS_A_NUMBER)
    refuse(raised == "TracerArrayConversionError", "left-jax")
    refuse(raised, "asked-for-a-number")
    refuse(any("callback" in name for name in names), "left-jax/2")
    require(numbers(found).shape == (), "wrong-shape")


agrees = functools.partial(Agrees, contrast, pixels, mistakes=MISTAKES)

WORDS = """
hint: Which of `np.sqrt` and `np.mean` is a ufunc?
hint: `jnp.sqrt`
mean-forgotten: You returned the standard deviation. The contrast divides it by the mean.
root-forgotten: You returned the variance over the mean. Take the root of the variance.
bracket: Your root also covers the mean. Divide the root by it.
divided-by-n-minus-1: You divided by n - 1 (`ddof=1`). The mean of the squares divides by n.
absolute-deviation: You took the mean of the deviations without their signs. Square them, and take the root of the
    mean.
not-divided: You added up the squares. Take their mean.
left-jax: Your code calls a NumPy function that asks for numbers while JAX traces, and a tracer has none. So it has
    left JAX: write `jnp`.
asked-for-a-number: Your code asks for a Python number while JAX traces, by `float`, `math`, `.item()` or `if`.
    There is none: stay with arrays.
left-jax/2: Your callback hands the numbers to NumPy while the program runs. It has left JAX, and has no gradient:
    write `jnp`.
wrong-shape: Return one number, for all pixels together.
wrong-value: Your number is not the standard deviation over the mean.
far-from-zero: Your contrast is right if mean and spread are of one size, but not if the mean is a thousand times as
    large. Subtract it before you square.
one-unit-only: Your contrast is right for numbers near 1, not for an image in another unit. It has no unit: add
    nothing to variance or mean, and set no limit.
no-gradient: Your contrast is right, but the gradient that JAX gets from it is not. Does a part of it stop the
    gradient?
"""

rms_contrast = declare(
    "rms-contrast",
    see="what-comes-back",
    steps=[
        stays_in_jax,
        agrees([(4, 6)], ask=probe.on_jax_arrays),
        agrees([(2, 2), (4, 6)], ask=probe.under_jit),
        Agrees(contrast, extremes=far_from_zero, ask=probe.under_jit, otherwise="far-from-zero"),
        Agrees(contrast, extremes=in_other_units, ask=probe.under_jit, otherwise="one-unit-only"),
        Agrees(
            contrast_and_slope,
            pixels,
            [(4, 6)],
            each=2,
            extremes=in_other_units,
            ask=with_their_gradients,
            otherwise="no-gradient",
            rtol=1e-3,
        ),
    ],
    words=WORDS,
)
