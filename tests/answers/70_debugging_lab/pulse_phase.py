"""Answers to pulse-phase."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@wrong("pulse-phase", "rounded-before-subtracting")
def converts_first(times, period):
    t = jnp.asarray(times)
    elapsed = t - t[0]
    return (elapsed / period) % 1.0


@wrong("pulse-phase", "rounded-before-subtracting")
def subtracts_in_jit(times, period):
    return jax.jit(lambda t: (t - t[0]) / period % 1.0)(times)


@wrong("pulse-phase", "whole-seconds")
def keeps_whole_seconds(times, period):
    elapsed = jnp.asarray(np.floor(times - times[0]).astype(np.int32))
    return (elapsed / period) % 1.0


@wrong("pulse-phase", "counts-cycles")
def forgets_the_fraction(times, period):
    return jnp.asarray(times - times[0]) / period


@wrong("pulse-phase", "from-1970")
def counts_from_1970(times, period):
    return jnp.asarray(times / period % 1)


@wrong("pulse-phase", "wrong-value")
def counts_from_half_a_period(times, period):
    return jnp.asarray((times - times[0]) / period + 0.5) % 1.0


@wrong("pulse-phase", "more-digits")
def stays_in_numpy_to_the_end(times, period):
    return (times - times[0]) / period % 1.0


@wrong("pulse-phase", "wrong-value")
def gives_the_last_alone(times, period):
    return jnp.asarray(times[-1] - times[0]) / period % 1.0


@wrong("pulse-phase", "not-in-jax")
def stays_in_numpy_with_few_digits(times, period):
    return ((times - times[0]) / period % 1.0).astype(np.float32)


@wrong("pulse-phase", "switches-to-64-bits")
def switches_for_a_moment(times, period):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    t = jnp.asarray(times)
    phase = ((t - t[0]) / period % 1.0).astype(jnp.float32)
    jax.config.update("jax_enable_x64", before)
    return phase


@wrong("pulse-phase", "in-seconds")
def gives_seconds(times, period):
    return jnp.asarray((times - times[0]) % period)


@wrong("pulse-phase", "changed-input")
def subtracts_in_place(times, period):
    times -= times[0]
    return jnp.asarray(times) / period % 1.0


@wrong("pulse-phase", "rounded-before-subtracting")
def asks_for_float64(times, period):
    t = jnp.asarray(times, dtype=jnp.float64)
    return (t - t[0]) / period % 1.0


@right("pulse-phase")
def finishes_in_numpy(times, period):
    return jnp.asarray((times - times[0]) / period % 1.0)


@right("pulse-phase")
def takes_the_floor_off(times, period):
    cycles = jnp.float32(np.subtract(times, np.min(times))) / period
    return jax.jit(lambda c: c - jnp.floor(c))(cycles)
