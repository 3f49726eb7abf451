"""Answers to rms-contrast."""

import math

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("rms-contrast")
def lets_numpy_find_the_methods(image):
    return np.std(image) / np.mean(image)


@right("rms-contrast")
@jax.jit
def of_relative_deviations(image):
    return jnp.linalg.norm(image.ravel() / image.mean() - 1) / image.size**0.5


@wrong("rms-contrast", "left-jax")
def keeps_the_square_root(image):
    return np.sqrt(jnp.mean((image - jnp.mean(image)) ** 2)) / jnp.mean(image)


@wrong("rms-contrast", "left-jax")
def goes_to_numpy_and_back(image):
    pixels = np.asarray(image)
    return jnp.asarray(pixels.std() / pixels.mean())


@wrong("rms-contrast", "left-jax")
def calls_numpy_back(image):
    given = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.pure_callback(lambda pixels: np.float32(np.std(pixels) / np.mean(pixels)), given, image)


@wrong("rms-contrast", "no-gradient")
def stops_the_gradient(image):
    mean = jax.lax.stop_gradient(jnp.mean(image))
    return jnp.sqrt(jnp.mean((image - mean) ** 2)) / mean


@wrong("rms-contrast", "asked-for-a-number")
def takes_the_root_of_a_python_number(image):
    return math.sqrt(image.var()) / image.mean()


@wrong("rms-contrast", "asked-for-a-number")
def unpacks_the_mean(image):
    return image.std() / image.mean().item()


@wrong("rms-contrast", "mean-forgotten")
def forgets_the_mean(image):
    return jnp.std(image)


@wrong("rms-contrast", "root-forgotten")
def forgets_the_root(image):
    return jnp.var(image) / jnp.mean(image)


@wrong("rms-contrast", "bracket")
def divides_under_the_root(image):
    return jnp.sqrt(jnp.mean((image - jnp.mean(image)) ** 2) / jnp.mean(image))


@wrong("rms-contrast", "divided-by-n-minus-1")
def of_a_sample(image):
    return jnp.std(image, ddof=1) / jnp.mean(image)


@wrong("rms-contrast", "absolute-deviation")
def mean_of_the_absolute_deviations(image):
    return jnp.mean(jnp.abs(image - jnp.mean(image))) / jnp.mean(image)


@wrong("rms-contrast", "not-divided")
def takes_the_norm(image):
    return jnp.linalg.norm(image - jnp.mean(image)) / jnp.mean(image)


@wrong("rms-contrast", "wrong-value")
def the_number_of_pixels_in_the_example(image):
    return jnp.linalg.norm(image - jnp.mean(image)) / jnp.sqrt(24) / jnp.mean(image)


@wrong("rms-contrast", "one-unit-only")
def adds_a_little_below(image):
    return jnp.std(image) / (jnp.mean(image) + 1e-6)


@wrong("rms-contrast", "one-unit-only")
def adds_a_little_under_the_root(image):
    return jnp.sqrt(jnp.var(image) + 1e-12) / jnp.mean(image)


@wrong("rms-contrast", "wrong-shape")
def one_contrast_per_column(image):
    return image.std(axis=0) / image.mean(axis=0)


equivalents = [
    equivalent("rms-contrast", "`image - jnp.mean(image)`  ->  `jnp.mean(image) - image`", "it is squared"),
]


@wrong("rms-contrast", "far-from-zero")
def in_one_pass(image):
    return jnp.sqrt(jnp.mean(image**2) - jnp.mean(image) ** 2) / jnp.mean(image)


@wrong("rms-contrast", "ConcretizationTypeError")
def takes_each_number_once(image):
    image = jnp.unique(image)
    return jnp.std(image) / jnp.mean(image)


@wrong("rms-contrast", "one-unit-only")
def keeps_the_variance_off_zero(image):
    return jnp.sqrt(jnp.maximum(jnp.var(image), 1e-12)) / jnp.mean(image)
