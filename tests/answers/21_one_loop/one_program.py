"""Answers to one-program."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@jax.jit
def dew_point_in_jax(t, h):
    """What some answers call."""
    g = jnp.log(jnp.minimum(h, 100)) - math.log(100) + 17.625 * t / (243.04 + t)
    return 243.04 / (17.625 / g - 1)


@wrong("one-program", "leaves-jax")
def as_it_stands(temperature, humidity):
    humidity = humidity.copy()
    humidity[humidity > 100] = 100
    lift = 17.625 * temperature / (243.04 + temperature)
    g = np.log(humidity / 100) + lift
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "above-a-hundred")
@jax.jit
def leaves_the_limit_out(temperature, humidity):
    g = jnp.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "several-programs")
def limits_outside(temperature, humidity):
    return dew_point_in_jax(temperature, jnp.minimum(jnp.asarray(humidity), 100))


@wrong("one-program", "leaves-jax")
def limits_in_numpy(temperature, humidity):
    return dew_point_in_jax(temperature, np.minimum(humidity, 100))


@wrong("one-program", "not-compiled")
def operation_by_operation(temperature, humidity):
    g = jnp.log(jnp.minimum(humidity, 100) / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "several-programs")
def compiles_the_pieces(temperature, humidity):
    g = jax.jit(lambda t, h: jnp.log(jnp.minimum(h, 100) / 100) + 17.625 * t / (243.04 + t))(temperature, humidity)
    return jax.jit(lambda g: 243.04 * g / (17.625 - g))(g)


@wrong("one-program", "compiles-in-every-call")
def jits_inside(temperature, humidity):
    def formula(t, h):
        g = jnp.log(jnp.minimum(h, 100) / 100) + 17.625 * t / (243.04 + t)
        return 243.04 * g / (17.625 - g)

    return jax.jit(formula)(temperature, humidity)


@wrong("one-program", "leaves-jax")
@jax.jit
def goes_through_numpy(temperature, humidity):
    g = np.log(np.minimum(humidity, 100) / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "leaves-jax")
def all_in_numpy(temperature, humidity):
    temperature, humidity = np.asarray(temperature), np.asarray(humidity)
    g = np.log(np.minimum(humidity, 100) / 100) + 17.625 * temperature / (243.04 + temperature)
    return jnp.asarray(243.04 * g / (17.625 - g))


@wrong("one-program", "leaves-jax")
def back_to_numpy(temperature, humidity):
    return np.asarray(dew_point_in_jax(temperature, humidity))


@wrong("one-program", "leaves-jax")
@jax.jit
def calls_numpy_back(temperature, humidity):
    lift = jax.ShapeDtypeStruct(temperature.shape, temperature.dtype)
    g = jax.pure_callback(lambda h: np.log(np.minimum(h, 100) / 100), lift, humidity) + 17.625 * temperature / (
        243.04 + temperature
    )
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "asks-for-a-number")
@jax.jit
def looks_at_the_numbers(temperature, humidity):
    if humidity.min() <= 0:
        return jnp.full(humidity.shape, -jnp.inf)
    g = jnp.log(jnp.minimum(humidity, 100) / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "mask-as-an-index")
@jax.jit
def sets_where_the_mask_is_true(temperature, humidity):
    return dew_point_in_jax(temperature, humidity.at[humidity > 100].set(100))


@wrong("one-program", "several-programs")
def compiles_the_first_half(temperature, humidity):
    g = jax.jit(lambda t, h: jnp.log(jnp.minimum(h, 100) / 100) + 17.625 * t / (243.04 + t))(temperature, humidity)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "other-logarithm")
@jax.jit
def to_base_ten(temperature, humidity):
    g = jnp.log10(jnp.minimum(humidity, 100) / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "brackets")
@jax.jit
def leaves_the_brackets_out(temperature, humidity):
    g = jnp.log(jnp.minimum(humidity, 100) / 100) + 17.625 * temperature / 243.04 + temperature
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "wrong-value")
@jax.jit
def stops_at_g(temperature, humidity):
    return jnp.log(jnp.minimum(humidity, 100) / 100) + 17.625 * temperature / (243.04 + temperature)


@wrong("one-program", "some-air-only")
@jax.jit
def keeps_away_from_zero(temperature, humidity):
    return dew_point_in_jax(temperature, jnp.maximum(humidity, 1))


@wrong("one-program", "some-air-only")
@jax.jit
def adds_a_little(temperature, humidity):
    g = jnp.log(jnp.minimum(humidity, 100) / 100 + 1e-8) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "percent-forgotten")
@jax.jit
def forgets_the_percent(temperature, humidity):
    g = jnp.log(jnp.minimum(humidity, 100)) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@right("one-program")
@jax.jit
def with_two_names(temperature, humidity):
    g = jnp.log(jnp.minimum(humidity, 100) / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@right("one-program")
def by_a_compiled_helper_in_jax(temperature, humidity):
    return dew_point_in_jax(jnp.asarray(temperature), jnp.asarray(humidity))


@right("one-program")
@jax.jit
def by_where(temperature, humidity):
    g = jnp.log(jnp.where(humidity > 100, 1, humidity / 100)) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@right("one-program")
@jax.jit
def limits_the_logarithm(temperature, humidity):
    g = jnp.minimum(jnp.log(humidity / 100), 0) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@right("one-program")
@jax.jit
def element_by_element(temperature, humidity):
    return jax.vmap(dew_point_in_jax)(temperature.ravel(), humidity.ravel()).reshape(temperature.shape)


@wrong("one-program", "unrolled")
@jax.jit
def loops_over_elements(temperature, humidity):
    pairs = zip(temperature.ravel(), humidity.ravel(), strict=True)
    return jnp.stack([dew_point_in_jax(t, h) for t, h in pairs]).reshape(temperature.shape)


@wrong("one-program", "unrolled")
@jax.jit
def loops_over_rows(temperature, humidity):
    return jnp.stack([dew_point_in_jax(t, h) for t, h in zip(temperature, humidity, strict=True)])


@wrong("one-program", "element-assigned")
@jax.jit
def assigns_under_jit(temperature, humidity):
    humidity = humidity.copy()
    humidity[humidity > 100] = 100
    return dew_point_in_jax(temperature, humidity)


@wrong("one-program", "element-assigned")
def computes_in_numpy_and_converts(temperature, humidity):
    humidity = humidity.copy()
    humidity[humidity > 100] = 100
    g = np.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return jnp.asarray(243.04 * g / (17.625 - g))


@wrong("one-program", "limit-turned-round")
@jax.jit
def keeps_the_larger(temperature, humidity):
    g = jnp.log(jnp.maximum(humidity, 100) / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "gap-filled")
@jax.jit
def fills_gaps_with_numbers(temperature, humidity):
    return jnp.nan_to_num(dew_point_in_jax(temperature, humidity))


@wrong("one-program", "gap-filled")
@jax.jit
def keeps_what_is_below(temperature, humidity):
    return dew_point_in_jax(temperature, jnp.where(humidity <= 100, humidity, 100))


@wrong("one-program", "gap-filled")
@jax.jit
def takes_fmin(temperature, humidity):
    return dew_point_in_jax(temperature, jnp.fmin(humidity, 100))


@wrong("one-program", "mask-as-an-index")
@jax.jit
def asks_where_it_is_too_wet(temperature, humidity):
    wet = jnp.where(humidity > 100)
    return dew_point_in_jax(temperature, humidity.at[wet].set(100))


@wrong("one-program", "returned-nothing")
def forgets_to_return(temperature, humidity):
    dew_point_in_jax(temperature, humidity)
