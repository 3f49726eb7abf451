"""Answers to air-mass."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong

from ..air_mass import kasten_young


@wrong("air-mass", "needs-the-numbers")
def mixes_numpy_in(zenith):
    height = 90 - zenith
    sine = np.sin(np.radians(height))
    return 1 / (sine + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "needs-the-numbers")
def repairs_the_outer_call(zenith):
    height = 90 - zenith
    sine = jnp.sin(np.radians(height))
    return 1 / (sine + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "needs-the-numbers")
def unwraps_the_tracer(zenith):
    return kasten_young(np.asarray(zenith))


@wrong("air-mass", "calls-back")
def hides_numpy_in_a_callback(zenith):
    result = jax.ShapeDtypeStruct(zenith.shape, jnp.float32)
    return jax.pure_callback(lambda z: kasten_young(z).astype(np.float32), result, zenith)


@wrong("air-mass", "degrees-for-radians")
def drops_the_radians(zenith):
    height = 90 - zenith
    return 1 / (jnp.sin(height) + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "wrong-value")
def takes_the_plane_atmosphere(zenith):
    return 1 / jnp.cos(jnp.radians(zenith))


@wrong("air-mass", "sine-of-the-zenith-angle")
def takes_the_other_angle(zenith):
    return 1 / (jnp.sin(jnp.radians(zenith)) + 0.50572 * (96.07995 - zenith) ** -1.6364)


@wrong("air-mass", "wrong-value")
def ends_at_ten(zenith):
    height = 90 - zenith
    return jnp.minimum(1 / (jnp.sin(jnp.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364), 10.0)


@wrong("air-mass", "wrong-value")
def is_never_less_than_one(zenith):
    height = 90 - zenith
    return jnp.maximum(1.0, 1 / (jnp.sin(jnp.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364))


@wrong("air-mass", "arrays-alone")
def takes_a_number_for_the_height(zenith):
    height = 90 - zenith if hasattr(zenith, "shape") else zenith
    return 1 / (jnp.sin(jnp.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "needs-the-numbers")
def asks_the_math_module(zenith):
    height = 90 - zenith
    return 1 / (jnp.sin(float(height) * np.pi / 180) + 0.50572 * (height + 6.07995) ** -1.6364)


@right("air-mass")
@jax.jit
def multiplies_by_pi(zenith):
    height = 90.0 - jnp.asarray(zenith)
    return jnp.reciprocal(jnp.cos(zenith * (np.pi / 180)) + 0.50572 / (height + 6.07995) ** 1.6364)


@right("air-mass")
def takes_angles_one_by_one(zenith):
    def one(height):
        return 1 / (jnp.sin(jnp.deg2rad(height)) + 0.50572 * jnp.power(height + 6.07995, -1.6364))

    return jnp.vectorize(one)(90.0 - zenith)


@wrong("air-mass", "needs-the-numbers")
def takes_sine_and_radians_of_the_math_module(zenith):
    height = 90 - zenith
    return 1 / (math.sin(math.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "TypeError")
def calls_the_module(zenith):
    height = 90 - zenith
    return 1 / (jnp.sin(jnp(height)) + 0.50572 * (height + 6.07995) ** -1.6364)
