"""Answers to soft-peak."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@wrong("soft-peak", "gradient-zero")
def looks_for_the_largest(x, y, sharpness):
    return x[jnp.argmax(y)]


@wrong("soft-peak", "plain-centroid")
def weights_with_y_itself(x, y, sharpness):
    return jnp.sum(x * y) / jnp.sum(y)


@wrong("soft-peak", "overflow")
def exponentiates_as_it_stands(x, y, sharpness):
    weights = jnp.exp(sharpness * y)
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "sharpness-too-late")
def raises_the_softmax_to_a_power(x, y, sharpness):
    weights = jax.nn.softmax(y) ** sharpness
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "gradient-lost")
def stops_the_gradient(x, y, sharpness):
    return jnp.sum(jax.lax.stop_gradient(jax.nn.softmax(sharpness * y)) * x)


@wrong("soft-peak", "no-sharpness")
def forgets_the_sharpness(x, y, sharpness):
    return jnp.sum(jax.nn.softmax(y) * x)


@wrong("soft-peak", "overflow")
def limits_the_exponent(x, y, sharpness):
    weights = jnp.exp(jnp.clip(sharpness * y, -80, 80))
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "overflow")
def replaces_what_overflowed(x, y, sharpness):
    weights = jnp.exp(sharpness * y)
    weights = jnp.where(jnp.isfinite(weights), weights, 0.0)
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "leaves-jax")
def takes_the_mean_in_numpy(x, y, sharpness):
    weights = np.exp(sharpness * (np.asarray(y) - np.max(y)))
    return np.sum(weights * x) / np.sum(weights)


@wrong("soft-peak", "sharpness-misplaced")
def multiplies_the_weights(x, y, sharpness):
    return jnp.sum(x * sharpness * jax.nn.softmax(y))


@wrong("soft-peak", "not-a-mean")
def divides_once_more(x, y, sharpness):
    return jnp.mean(x * jax.nn.softmax(sharpness * y))


@wrong("soft-peak", "wrong-value")
def takes_the_mean_square(x, y, sharpness):
    return jnp.sum(x**2 * jax.nn.softmax(sharpness * y))


@wrong("soft-peak", "wrong-value")
def takes_weights_of_the_type_of_x(x, y, sharpness):
    return jnp.sum(jax.nn.softmax(sharpness * y).astype(x.dtype) * x)


@wrong("soft-peak", "wrong-value")
def limits_the_sharpness(x, y, sharpness):
    return jnp.sum(jax.nn.softmax(jnp.minimum(sharpness, 10.0) * y) * x)


@wrong("soft-peak", "exchanged")
def weighs_the_spectrum(x, y, sharpness):
    return jnp.sum(y * jax.nn.softmax(sharpness * x))


@wrong("soft-peak", "gradient-lost")
def hides_the_argmax(x, y, sharpness):
    soft = jnp.sum(jax.nn.softmax(sharpness * jax.lax.stop_gradient(y)) * x)
    return soft + 0.0 * jnp.sum(y)


@right("soft-peak")
def works_with_logarithms(x, y, sharpness):
    exponents = sharpness * y
    return jnp.dot(x, jnp.exp(exponents - jax.scipy.special.logsumexp(exponents)))


@right("soft-peak")
@jax.jit
def subtracts_the_largest(x, y, sharpness):
    weights = jnp.exp(sharpness * (y - jax.lax.stop_gradient(jnp.max(y))))
    return jnp.average(x, weights=weights)


@wrong("soft-peak", "sharpness-too-late")
def limits_what_the_sharpness_is_to_make_small(x, y, sharpness):
    below = jnp.clip(y - jnp.max(y), -50.0, 0.0)
    return jnp.sum(x * jax.nn.softmax(sharpness * below))


@wrong("soft-peak", "no-sharpness")
def multiplies_weights_that_are_divided_by_their_sum(x, y, sharpness):
    weights = sharpness * jax.nn.softmax(y)
    return jnp.sum(weights * x) / jnp.sum(weights)


@wrong("soft-peak", "TypeError")
def prints_the_digits_of_a_tracer(x, y, sharpness):
    peak = jnp.sum(x * jax.nn.softmax(sharpness * y))
    print(f"{peak:.3f}")
    return peak
