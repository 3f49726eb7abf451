"""Answers to relax-ring."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong

from ..relax_ring import relaxed


def step_of_heat(temperature):
    return temperature + 0.1 * (jnp.roll(temperature, 1) - 2 * temperature + jnp.roll(temperature, -1))


@wrong("relax-ring", "one-program-per-step")
def jits_in_the_loop(temperature, steps):
    for _ in range(steps):

        @jax.jit
        def step(t):
            return t + 0.1 * (jnp.roll(t, 1) - 2 * t + jnp.roll(t, -1))

        temperature = step(temperature)
    return temperature


@wrong("relax-ring", "one-program-per-step")
def binds_in_the_loop(temperature, steps):
    for _ in range(steps):
        temperature = jax.jit(functools.partial(step_of_heat))(temperature)
    return temperature


@wrong("relax-ring", "one-program-per-call")
def jits_before_the_loop(temperature, steps):
    step = jax.jit(lambda t: t + 0.1 * (jnp.roll(t, 1) - 2 * t + jnp.roll(t, -1)))
    for _ in range(steps):
        temperature = step(temperature)
    return temperature


@wrong("relax-ring", "gives-up-jit")
def jits_nothing(temperature, steps):
    for _ in range(steps):
        temperature = step_of_heat(temperature)
    return temperature


@wrong("relax-ring", "one-step-off")
@functools.partial(jax.jit, static_argnames="steps")
def forgets_a_step(temperature, steps):
    return jax.lax.fori_loop(1, steps, lambda _, t: step_of_heat(t), temperature)


@wrong("relax-ring", "one-program-per-number")
@functools.partial(jax.jit, static_argnames="steps")
def makes_the_number_static(temperature, steps):
    return jax.lax.fori_loop(0, steps, lambda _, t: step_of_heat(t), temperature)


@wrong("relax-ring", "gives-up-jit")
def relaxes_in_numpy(temperature, steps):
    return jnp.asarray(relaxed(np.asarray(temperature), steps), jnp.float32)


@wrong("relax-ring", "wrong-value")
@jax.jit
def stops_after_a_hundred(temperature, steps):
    def step(i, t):
        return jnp.where(i < steps, step_of_heat(t), t)

    return jax.lax.fori_loop(0, 100, step, temperature)


_step_of_heat = jax.jit(step_of_heat)


_known = {}


@wrong("relax-ring", "wrong-value")
def remembers_by_shape(temperature, steps):
    if (temperature.shape, steps) not in _known:
        t = temperature
        for _ in range(steps):
            t = _step_of_heat(t)
        _known[temperature.shape, steps] = t
    return _known[temperature.shape, steps]


@wrong("relax-ring", "one-step-off")
def takes_a_step_more(temperature, steps):
    for _ in range(steps + 1):
        temperature = _step_of_heat(temperature)
    return temperature


@jax.jit
def _open_step(t):
    left, right_of = jnp.append(t[:1], t[:-1]), jnp.append(t[1:], t[-1:])
    return t + 0.1 * (left - 2 * t + right_of)


@wrong("relax-ring", "open-ends")
def opens_the_ring(temperature, steps):
    for _ in range(steps):
        temperature = _open_step(temperature)
    return temperature


@right("relax-ring")
@jax.jit
def takes_steps_as_they_come(temperature, steps):
    return jax.lax.fori_loop(0, steps, lambda _, t: step_of_heat(t), temperature)


@jax.jit
def _relaxed_while(temperature, steps):
    def step(state):
        return state[0] - 1, step_of_heat(state[1])

    return jax.lax.while_loop(lambda state: state[0] > 0, step, (steps, temperature))[1]


@right("relax-ring")
def converts_in_numpy(temperature, steps):
    return _relaxed_while(np.asarray(temperature, np.float32), np.int32(steps))


@right("relax-ring")
def jits_one_named_function(temperature, steps):
    for _ in range(steps):
        temperature = jax.jit(step_of_heat)(temperature)
    return temperature


@wrong("relax-ring", "one-program-per-call")
def makes_the_body_of_a_loop_anew(temperature, steps):
    def body(_, t):
        return t + 0.1 * (jnp.roll(t, 1) - 2 * t + jnp.roll(t, -1))

    return jax.lax.fori_loop(0, steps, body, temperature)
