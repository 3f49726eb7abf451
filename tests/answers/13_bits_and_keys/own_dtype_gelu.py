"""Answers to own-dtype-gelu."""

import math

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("own-dtype-gelu")
@jax.jit
def casts_its_constants(x):
    scale, cubic = (jnp.asarray(number, x.dtype) for number in (math.sqrt(2 / math.pi), 0.044715))
    return x / 2 * (1 + jnp.tanh(scale * (x + cubic * x * x * x)))


@right("own-dtype-gelu")
def widens_and_casts_back(x):
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    return (wide * jax.nn.sigmoid((8 / np.pi) ** 0.5 * (wide + 0.044715 * wide**3))).astype(x.dtype)


@wrong("own-dtype-gelu", "widened")
def takes_the_root_in_numpy(x):
    return 0.5 * x * (1 + jnp.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "widened")
def makes_arrays_of_constants(x):
    scale = jnp.array(0.7978845608, dtype=jnp.float32)
    return 0.5 * x * (1 + jnp.tanh(scale * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "dtype-named")
def names_bfloat16(x):
    scale = (2 / np.pi) ** 0.5
    wide = x.astype(jnp.float32)
    return (0.5 * wide * (1 + jnp.tanh(scale * (wide + 0.044715 * wide**3)))).astype(jnp.bfloat16)


@wrong("own-dtype-gelu", "some-dtypes-only")
def knows_bfloat16_and_float32(x):
    scale = (2 / np.pi) ** 0.5
    wide = x.astype(jnp.float32)
    result = 0.5 * wide * (1 + jnp.tanh(scale * (wide + 0.044715 * wide**3)))
    return result.astype(jnp.bfloat16) if x.dtype == jnp.bfloat16 else result


@wrong("own-dtype-gelu", "digits-lost")
def computes_in_float32(x):
    return jax.nn.gelu(x.astype(jnp.float32)).astype(x.dtype)


@wrong("own-dtype-gelu", "digits-lost")
def computes_in_bfloat16(x):
    return jax.nn.gelu(x.astype(jnp.bfloat16)).astype(x.dtype)


@wrong("own-dtype-gelu", "digits-lost")
def types_few_digits(x):
    return 0.5 * x * (1 + jnp.tanh(0.7978846 * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "wrong-value")
def replaces_large_ones(x):
    return jnp.where(jnp.abs(x) > 2, jnp.maximum(x, 0), jax.nn.gelu(x))


@wrong("own-dtype-gelu", "some-sizes-only")
def cuts_large_ones_off(x):
    return jax.nn.gelu(jnp.clip(x, -100, 100))


@wrong("own-dtype-gelu", "some-sizes-only")
def takes_one_half_precision_for_the_other(x):
    half = x.dtype == jnp.bfloat16
    return jax.nn.gelu(x.astype(jnp.float16) if half else x).astype(x.dtype)


@wrong("own-dtype-gelu", "some-sizes-only")
def takes_small_ones_for_zero(x):
    return jnp.where(jnp.abs(x) < 1e-5, 0, jax.nn.gelu(x))


@wrong("own-dtype-gelu", "left-jax")
def takes_the_tangent_in_numpy(x):
    scale = (2 / np.pi) ** 0.5
    return 0.5 * x * (1 + np.tanh(scale * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "left-jax")
def gives_back_numpy(x):
    scale = (2 / np.pi) ** 0.5
    return np.asarray(0.5 * x * (1 + jnp.tanh(scale * (x + 0.044715 * x**3))))


@wrong("own-dtype-gelu", "cube-forgotten")
def forgets_the_cube(x):
    return 0.5 * x * (1 + jnp.tanh((2 / np.pi) ** 0.5 * x))


@wrong("own-dtype-gelu", "root-of-the-product")
def multiplies_by_pi(x):
    return 0.5 * x * (1 + jnp.tanh((2 * np.pi) ** 0.5 * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "bracket")
def closes_the_bracket_too_soon(x):
    return 0.5 * x * (1 + jnp.tanh((2 / np.pi) ** 0.5 * x + 0.044715 * x**3))


@wrong("own-dtype-gelu", "half-forgotten")
def forgets_the_half(x):
    return x * (1 + jnp.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "another-approximation")
def takes_a_sigmoid(x):
    return x * jax.nn.sigmoid(1.702 * x)


@wrong("own-dtype-gelu", "exact-gelu")
def takes_the_error_function(x):
    return jax.nn.gelu(x, approximate=False)


@wrong("own-dtype-gelu", "asked-for-a-number")
def looks_at_the_largest(x):
    if jnp.abs(x).max() > 1e5:
        return jnp.maximum(x, 0)
    return jax.nn.gelu(x)


@wrong("own-dtype-gelu", "digits-lost")
def takes_the_tangent_in_float32(x):
    inner = (2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + jnp.tanh(inner.astype(jnp.float32)).astype(x.dtype))


@wrong("own-dtype-gelu", "digits-lost")
def types_six_digits(x):
    return 0.5 * x * (1 + jnp.tanh(0.797885 * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "dtype-named")
def gives_truth_values(x):
    return jax.nn.gelu(x) > 0


@wrong("own-dtype-gelu", "not-an-array")
def gives_a_list(x):
    return [jax.nn.gelu(x)]
