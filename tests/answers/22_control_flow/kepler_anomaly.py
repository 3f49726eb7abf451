"""Answers to kepler-anomaly."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def newton_for_kepler(mean, eccentricity, anomaly):
    slope = 1 - eccentricity * jnp.cos(anomaly)
    return anomaly - (anomaly - eccentricity * jnp.sin(anomaly) - mean) / slope


@wrong("kepler-anomaly", "asks-a-tracer")
def loops_while_in_python(mean, eccentricity):
    anomaly = jnp.pi
    while abs(anomaly - eccentricity * jnp.sin(anomaly) - mean) > 1e-5:
        anomaly = newton_for_kepler(mean, eccentricity, anomaly)
    return anomaly


@wrong("kepler-anomaly", "no-while-loop")
def always_five_steps(mean, eccentricity):
    anomaly = jnp.pi
    for _ in range(5):
        anomaly = newton_for_kepler(mean, eccentricity, anomaly)
    return anomaly


@wrong("kepler-anomaly", "stops-early")
def gives_up_after_seven(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def step(state):
        return state[0] + 1, newton_for_kepler(mean, eccentricity, state[1])

    def go_on(state):
        return (jnp.abs(residual(state[1])) > 1e-5) & (state[0] < 7)

    return jax.lax.while_loop(go_on, step, (0, jnp.float32(jnp.pi)))[1]


@wrong("kepler-anomaly", "other-steps")
def stops_by_the_length_of_a_step(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def move(anomaly):
        return residual(anomaly) / (1 - eccentricity * jnp.cos(anomaly))

    return jax.lax.while_loop(lambda a: jnp.abs(move(a)) > 1e-5, lambda a: a - move(a), jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "condition-reversed")
def goes_on_until(mean, eccentricity):
    def done(anomaly):
        return jnp.abs(anomaly - eccentricity * jnp.sin(anomaly) - mean) < 1e-5

    return jax.lax.while_loop(done, lambda a: newton_for_kepler(mean, eccentricity, a), jnp.pi)


@wrong("kepler-anomaly", "stops-early")
def is_content_with_a_tenth(mean, eccentricity):
    def rough(anomaly):
        return jnp.abs(anomaly - eccentricity * jnp.sin(anomaly) - mean) > 1e-1

    return jax.lax.while_loop(rough, lambda a: newton_for_kepler(mean, eccentricity, a), jnp.pi)


@wrong("kepler-anomaly", "wrong-shape")
def gives_anomaly_and_residual(mean, eccentricity):
    anomaly = jax.lax.fori_loop(0, 30, lambda _, a: newton_for_kepler(mean, eccentricity, a), jnp.float32(jnp.pi))
    return anomaly, anomaly - eccentricity * jnp.sin(anomaly) - mean


def kepler_residual(mean, eccentricity):
    return lambda anomaly: anomaly - eccentricity * jnp.sin(anomaly) - mean


@wrong("kepler-anomaly", "stops-early")
def is_content_with_ten_times_as_much(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-4, step, jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "stops-early")
def forgets_the_absolute_value(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: -residual(a) < -1e-3, step, jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "other-steps")
def begins_with_the_mean_anomaly(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, mean)


@wrong("kepler-anomaly", "no-while-loop")
def always_takes_twenty(mean, eccentricity):
    return jax.lax.fori_loop(0, 20, lambda _, a: newton_for_kepler(mean, eccentricity, a), jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "begins-as-an-integer")
def begins_like_the_mean_anomaly(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, jnp.full_like(mean, jnp.pi))


@wrong("kepler-anomaly", "never-ends")
def turns_the_slope_around(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def step(anomaly):
        return anomaly + residual(anomaly) / (1 - eccentricity * jnp.cos(anomaly))

    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "in-degrees")
def answers_in_degrees(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jnp.degrees(jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, jnp.float32(jnp.pi)))


@right("kepler-anomaly")
@jax.jit
def carries_the_residual(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def step(state):
        anomaly = state["E"] - state["residual"] / jax.grad(residual)(state["E"])
        return {"E": anomaly, "residual": residual(anomaly)}

    start = {"E": jnp.float32(jnp.pi), "residual": residual(jnp.float32(jnp.pi))}
    return jax.lax.while_loop(lambda state: abs(state["residual"]) > 1e-5, step, start)["E"]


@right("kepler-anomaly")
def counts_its_steps(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)

    def go_on(state):
        return (residual(state[1]) ** 2 > 1e-10) & (state[0] < 1000)

    def step(state):
        return state[0] + 1, newton_for_kepler(mean, eccentricity, state[1])

    return jax.lax.while_loop(go_on, step, (0, jnp.float32(np.pi)))[1]


equivalents = [
    equivalent(
        "kepler-anomaly",
        "`jnp.abs(residual(anomaly)) > 1e-05`  ->  `jnp.abs(residual(anomaly)) >= 1e-05`",
        "from π the steps come down, and the residual is never negative",
    ),
    equivalent(
        "kepler-anomaly",
        "`jnp.abs(residual(anomaly))`  ->  `residual(anomaly)`",
        "from π the steps come down, and the residual is never negative",
    ),
    equivalent("kepler-anomaly", "`1e-05`  ->  `1.0100000000000002e-05`", "no residual lies between"),
]


@wrong("kepler-anomaly", "never-ends")
def asks_for_more_than_float32_has(mean, eccentricity):
    def too_large(anomaly):
        return abs(anomaly - eccentricity * jnp.sin(anomaly) - mean) > 1e-12

    return jax.lax.while_loop(too_large, functools.partial(newton_for_kepler, mean, eccentricity), jnp.pi)


@wrong("kepler-anomaly", "another-equation")
def turns_the_sign_of_the_sine(mean, eccentricity):
    def residual(anomaly):
        return anomaly + eccentricity * jnp.sin(anomaly) - mean

    def step(anomaly):
        return anomaly - residual(anomaly) / (1 + eccentricity * jnp.cos(anomaly))

    return jax.lax.while_loop(lambda anomaly: abs(residual(anomaly)) > 1e-5, step, 0.5 * jnp.pi)


@wrong("kepler-anomaly", "begins-as-an-integer")
def carries_a_residual_of_whole_numbers(mean, eccentricity):
    def step(carried):
        anomaly = newton_for_kepler(mean, eccentricity, carried[0])
        return anomaly, anomaly - eccentricity * jnp.sin(anomaly) - mean

    start = jnp.float32(jnp.pi), jnp.full_like(mean, 3)
    return jax.lax.while_loop(lambda carried: abs(carried[1]) > 1e-5, step, start)[0]


@right("kepler-anomaly")
def loops_within_a_branch(mean, eccentricity):
    def too_large(anomaly):
        return abs(anomaly - eccentricity * jnp.sin(anomaly) - mean) > 1e-5

    def loop():
        start = jnp.float32(jnp.pi)
        return jax.lax.while_loop(too_large, functools.partial(newton_for_kepler, mean, eccentricity), start)

    return jax.lax.cond(eccentricity > 0, loop, lambda: jnp.float32(mean))


@wrong("kepler-anomaly", "condition-reversed")
def begins_with_a_residual_of_0(mean, eccentricity):
    def step(carried):
        anomaly = newton_for_kepler(mean, eccentricity, carried[0])
        return anomaly, anomaly - eccentricity * jnp.sin(anomaly) - mean

    return jax.lax.while_loop(lambda carried: abs(carried[1]) > 1e-5, step, (jnp.pi, 0.0))[0]


@wrong("kepler-anomaly", "other-steps")
def begins_with_three(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, 3)


@wrong("kepler-anomaly", "begins-as-an-integer")
def subtracts_without_promotion(mean, eccentricity):
    def residual(anomaly):
        return jax.lax.sub(anomaly - eccentricity * jnp.sin(anomaly), mean)

    def step(anomaly):
        return anomaly - residual(anomaly) / (1 - eccentricity * jnp.cos(anomaly))

    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, jnp.float32(jnp.pi))


@wrong("kepler-anomaly", "begins-as-an-integer")
def keeps_the_dtype_of_the_mean_anomaly(mean, eccentricity):
    residual = kepler_residual(mean, eccentricity)
    step = functools.partial(newton_for_kepler, mean, eccentricity)
    return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, jnp.pi).astype(mean.dtype)


@right("kepler-anomaly")
def asks_for_a_root(mean, eccentricity):
    def solve(residual, start):
        step = functools.partial(newton_for_kepler, mean, eccentricity)
        return jax.lax.while_loop(lambda a: jnp.abs(residual(a)) > 1e-5, step, start)

    start = jnp.float32(jnp.pi)
    return jax.lax.custom_root(kepler_residual(mean, eccentricity), start, solve, lambda g, y: y / g(1.0))
