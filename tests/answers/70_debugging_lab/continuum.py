"""Answers to continuum."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("continuum", "not-hashable")
@functools.partial(jax.jit, static_argnames="coefficients")
def takes_coefficients_as_static(wavelength, coefficients):
    total = jnp.zeros_like(wavelength)
    for coefficient in reversed(coefficients):
        total = total * wavelength + coefficient
    return total


@wrong("continuum", "one-program-per-value")
def makes_a_tuple_first(wavelength, coefficients):
    return takes_coefficients_as_static.answer(wavelength, tuple(coefficients))


@wrong("continuum", "needs-the-numbers")
def leaves_jax_for_a_while(wavelength, coefficients):
    return np.polynomial.polynomial.polyval(wavelength, np.asarray(coefficients, np.float32))


@wrong("continuum", "needs-the-numbers")
def makes_a_numpy_array_of_lists(wavelength, coefficients):
    if isinstance(coefficients, (list, tuple)):
        coefficients = np.array(coefficients, np.float32)
    return adds_up_powers.answer(wavelength, coefficients)


@wrong("continuum", "wrong-value")
@jax.jit
def has_room_for_eight(wavelength, coefficients):
    room = jnp.stack([*coefficients, *[0.0] * 8])[:8]
    return sum(room[k] * wavelength**k for k in range(8))


@wrong("continuum", "highest-first")
@jax.jit
def takes_them_from_the_highest(wavelength, coefficients):
    return jnp.polyval(jnp.asarray(coefficients), wavelength)


@wrong("continuum", "wrong-value")
def ignores_lists(wavelength, coefficients):
    coefficients = (0.0,) if isinstance(coefficients, list) else coefficients
    return sum(c * wavelength**k for k, c in enumerate(coefficients))


@wrong("continuum", "wrong-value")
@jax.jit
def begins_with_the_last(wavelength, coefficients):
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * wavelength + coefficient
    return total


@wrong("continuum", "traced-differ")
def keeps_the_first_only(wavelength, coefficients):
    traced = isinstance(coefficients, jax.core.Tracer)
    return sum(c * wavelength**k for k, c in enumerate(coefficients[:1] if traced else coefficients))


@wrong("continuum", "highest-first")
@jax.jit
def begins_with_the_highest(wavelength, coefficients):
    total = jnp.zeros_like(wavelength)
    for coefficient in coefficients:
        total = total * wavelength + coefficient
    return total


@wrong("continuum", "one-power-too-high")
@jax.jit
def counts_powers_from_one(wavelength, coefficients):
    return sum(c * wavelength ** (k + 1) for k, c in enumerate(coefficients))


@functools.cache
def _polynomial_of(coefficients):
    return jax.jit(lambda w: sum(c * w**k for k, c in enumerate(coefficients)))


@wrong("continuum", "one-program-per-value")
def keeps_a_program_for_each(wavelength, coefficients):
    return _polynomial_of(tuple(float(c) for c in coefficients))(wavelength)


@wrong("continuum", "one-program-per-call")
def jits_in_each_call(wavelength, coefficients):
    return jax.jit(lambda w: sum(c * w**k for k, c in enumerate(coefficients)))(wavelength)


@wrong("continuum", "ValueError")
@jax.jit
def expects_three(wavelength, coefficients):
    a, b, c = coefficients
    return a + b * wavelength + c * wavelength**2


@wrong("continuum", "TypeError")
@jax.jit
def takes_arrays_alone(wavelength, coefficients):
    return jnp.polyval(coefficients[::-1], wavelength)


@right("continuum")
@jax.jit
def adds_up_powers(wavelength, coefficients):
    return sum(c * wavelength**k for k, c in enumerate(coefficients))


@jax.jit
def _by_polyval(wavelength, coefficients):
    return jnp.polyval(coefficients, wavelength)


@right("continuum")
def makes_an_array_of_any(wavelength, coefficients):
    return _by_polyval(wavelength, jnp.asarray(coefficients)[::-1])


@wrong("continuum", "one-program-per-call")
def scans_without_jit(wavelength, coefficients):
    highest_first = jnp.asarray(coefficients)[::-1]
    return jax.lax.scan(lambda sum_, c: (sum_ * wavelength + c, None), jnp.zeros_like(wavelength), highest_first)[0]


equivalents = [
    equivalent("continuum", "`jax.jit`  ->  ``", "without `jit`, other coefficients compile nothing either"),
]
