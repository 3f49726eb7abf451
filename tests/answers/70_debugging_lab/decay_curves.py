"""Answers to decay-curves."""

import functools

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@wrong("decay-curves", "frozen-rate")
def reads_the_rate_from_outside(times, rates):
    rate = 0.0

    @jax.jit
    def curve(times):
        return jnp.exp(-rate * times)

    rows = []
    for rate in rates:  # noqa: B007 - the mistake
        rows.append(curve(times))
    return jnp.stack(rows)


@wrong("decay-curves", "one-program-per-rate")
def compiles_in_the_loop(times, rates):
    rows = []
    for rate in rates:
        rows.append(jax.jit(lambda times, rate=rate: jnp.exp(-rate * times))(times))
    return jnp.stack(rows)


@wrong("decay-curves", "one-program-per-rate")
def makes_the_rate_static(times, rates):
    curve = jax.jit(lambda times, rate: jnp.exp(-rate * times), static_argnums=1)
    return jnp.stack([curve(times, float(rate)) for rate in rates])


@wrong("decay-curves", "whole-rates")
def gives_rates_the_dtype_of_times(times, rates):
    return jnp.exp(-jnp.asarray(rates).astype(jnp.asarray(times).dtype)[:, None] * times)


@wrong("decay-curves", "transposed")
def puts_rates_to_the_right(times, rates):
    return jax.jit(lambda times, rates: jnp.exp(-times[:, None] * rates))(times, rates)


@wrong("decay-curves", "no-minus")
def forgets_the_sign(times, rates):
    return jnp.exp(rates[:, None] * times)


@functools.partial(jax.jit, static_argnums=1)
def _curve_of_a_static_rate(times, rate):
    return jnp.exp(-rate * times)


@wrong("decay-curves", "one-program-per-rate")
def makes_the_rate_static_outside(times, rates):
    return jnp.stack([_curve_of_a_static_rate(times, float(rate)) for rate in rates])


@functools.cache
def _curve_of(rate):
    return jax.jit(lambda times: jnp.exp(-rate * times))


@wrong("decay-curves", "one-program-per-rate")
def keeps_a_curve_for_each(times, rates):
    return jnp.stack([_curve_of(float(rate))(times) for rate in rates])


@wrong("decay-curves", "one-program-per-rate")
def empties_the_cache(times, rates):
    rate, rows = 0.0, []
    curve = jax.jit(lambda times: jnp.exp(-rate * times))
    for rate in rates:  # noqa: B007 - the lambda reads it
        curve.clear_cache()
        rows.append(curve(times))
    return jnp.stack(rows)


@wrong("decay-curves", "last-rate")
def reads_the_last_one(times, rates):
    curve = jax.jit(lambda times: jnp.exp(-rates[-1] * times))
    return jnp.stack([curve(times) for _ in rates])


@wrong("decay-curves", "wrong-value")
def cuts_the_times(times, rates):
    return jnp.exp(-rates[:, None] * times[: len(rates)])


decays_all_at_once = right("decay-curves")(jax.jit(lambda times, rates: jnp.exp(-jnp.outer(rates, times))))


@jax.jit
def _one_curve(times, rate):
    return jnp.exp(-rate * times)


@right("decay-curves")
def calls_one_program(times, rates):
    return jnp.array([_one_curve(times, float(rate)) for rate in rates])


equivalents = [
    equivalent("decay-curves", "`jax.jit`  ->  ``", "without `jit` there is no program for each rate either"),
    equivalent(
        "decay-curves",
        "`jnp.stack([curve(times, rate) for rate in rates])`  ->  `[curve(times, rate) for rate in rates]`",
        "rows may come in a list",
    ),
    equivalent("decay-curves", "`curve(times, rate)`  ->  `curve(rate, times)`", "a product has no order"),
]
