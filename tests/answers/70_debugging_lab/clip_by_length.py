"""Answers to clip-by-length."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("clip-by-length", "asks-a-tracer")
def clips_with_an_if(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    if length > limit:
        return gradient * (limit / length)
    return gradient


@wrong("clip-by-length", "asks-a-tracer")
def compares_in_numpy(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return gradient * np.where(length > limit, limit / length, 1.0)


@wrong("clip-by-length", "turns-the-gradient")
def clips_each_element(gradient, limit):
    return jnp.clip(gradient, -limit, limit)


@wrong("clip-by-length", "lengthens")
def scales_always(gradient, limit):
    return gradient * (limit / jnp.sqrt(jnp.sum(gradient**2)))


@wrong("clip-by-length", "zero-over-zero")
def divides_by_the_length_first(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return gradient / length * jnp.minimum(length, limit)


@wrong("clip-by-length", "another-length")
def compares_the_square(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / jnp.sum(gradient**2))


@wrong("clip-by-length", "another-length")
def takes_the_largest_element(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / jnp.max(jnp.abs(gradient)))


@wrong("clip-by-length", "another-length")
def adds_up_the_magnitudes(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / jnp.sum(jnp.abs(gradient)))


@wrong("clip-by-length", "length-of-each-row")
def measures_each_row(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2, axis=-1, keepdims=True))
    return gradient * jnp.minimum(1.0, limit / length)


@wrong("clip-by-length", "wrong-value")
def takes_the_spectral_norm(gradient, limit):
    length = jnp.linalg.norm(gradient.reshape(len(gradient), -1), ord=2)
    return jnp.where(length > limit, gradient * (limit / length), gradient)


@wrong("clip-by-length", "wrong-value")
def adds_an_epsilon(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / (jnp.linalg.norm(gradient) + 1e-8))


@wrong("clip-by-length", "wrong-value")
def takes_the_norm_of_a_matrix(gradient, limit):
    axes = (0, 1) if gradient.ndim > 1 else 0
    length = jnp.linalg.norm(gradient, axis=axes)
    return gradient * jnp.minimum(1.0, limit / length)


@wrong("clip-by-length", "lengthens")
def takes_the_larger_factor(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return jnp.where(length > 0, gradient * jnp.maximum(1.0, limit / length), gradient)


@wrong("clip-by-length", "unit-length")
def makes_a_unit_vector(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return jnp.where(length > limit, gradient / length, gradient)


@right("clip-by-length")
@jax.jit
def clips_by_a_cond(gradient, limit):
    length = jnp.linalg.norm(gradient)
    return jax.lax.cond(length > limit, lambda g: g * (limit / length), lambda g: 1.0 * g, gradient)


@right("clip-by-length")
def divides_by_the_larger(gradient, limit):
    return gradient * (limit / jnp.maximum(jnp.sqrt(jnp.vdot(gradient, gradient)), limit))


@wrong("clip-by-length", "asks-a-tracer")
def measures_in_numpy(gradient, limit):
    return gradient * jnp.minimum(1, limit / np.linalg.norm(gradient))


@wrong("clip-by-length", "zero-over-zero")
def multiplies_zero_by_infinity(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return gradient * (1 / length) * jnp.minimum(length, limit)


equivalents = [
    equivalent("clip-by-length", "`jnp.minimum`  ->  `jnp.fmin`", "they differ for NaN only"),
]
