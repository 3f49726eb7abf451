"""Answers to swing."""

import functools

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong

from ..swing import leapfrog


@wrong("swing", "unrolled")
def steps_in_python(angle, velocity, steps):
    for _ in range(steps):
        velocity = velocity - 0.1 * jnp.sin(angle)
        angle = angle + 0.1 * velocity
    return jnp.stack([angle, velocity])


@wrong("swing", "unrolled")
def jits_the_step(angle, velocity, steps):
    @jax.jit
    def step(angle, velocity):
        velocity = velocity - 0.1 * jnp.sin(angle)
        return angle + 0.1 * velocity, velocity

    for _ in range(steps):
        angle, velocity = step(angle, velocity)
    return jnp.stack([angle, velocity])


@wrong("swing", "old-velocity")
def moves_both_at_once(angle, velocity, steps):
    def step(_, state):
        angle, velocity = state
        return angle + 0.1 * velocity, velocity - 0.1 * jnp.sin(angle)

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


def leapfrog_step(_, state):
    angle, velocity = state
    velocity = velocity - 0.1 * jnp.sin(angle)
    return angle + 0.1 * velocity, velocity


@wrong("swing", "one-step-short")
def begins_with_one(angle, velocity, steps):
    return jnp.stack(jax.lax.fori_loop(1, steps, leapfrog_step, (angle, velocity)))


@wrong("swing", "every-state")
def returns_every_state(angle, velocity, steps):
    def step(state, _):
        state = leapfrog_step(0, state)
        return state, jnp.stack(state)

    return jax.lax.scan(step, (angle, velocity), length=steps)[1]


@wrong("swing", "wrong-value")
def falls_upwards(angle, velocity, steps):
    def step(_, state):
        angle, velocity = state
        velocity = velocity + 0.1 * jnp.sin(angle)
        return angle + 0.1 * velocity, velocity

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


@wrong("swing", "angle-first")
def moves_the_angle_first(angle, velocity, steps):
    def step(_, state):
        angle, velocity = state
        angle = angle + 0.1 * velocity
        return angle, velocity - 0.1 * jnp.sin(angle)

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


@wrong("swing", "exchanged")
def gives_the_velocity_first(angle, velocity, steps):
    return jnp.stack(jax.lax.fori_loop(0, steps, leapfrog_step, (angle, velocity))[::-1])


@wrong("swing", "not-an-array")
def gives_the_pair_as_it_is(angle, velocity, steps):
    return jax.lax.fori_loop(0, steps, leapfrog_step, (angle, velocity))


@wrong("swing", "unrolled")
def unrolls_blocks_of_ten(angle, velocity, steps):
    state = angle, velocity
    for _ in range(steps // 10):
        state = jax.lax.fori_loop(0, 10, leapfrog_step, state)
    return jnp.stack(jax.lax.fori_loop(0, steps % 10, leapfrog_step, state))


@wrong("swing", "unrolled")
def unrolls_blocks_of_a_hundred(angle, velocity, steps):
    state = angle, velocity
    for start in range(0, steps, 100):
        state = jax.lax.fori_loop(start, min(start + 100, steps), leapfrog_step, state)
    return jnp.stack(state)


@wrong("swing", "wrong-value")
def stops_after_a_thousand(angle, velocity, steps):
    def step(i, state):
        return jax.tree.map(functools.partial(jnp.where, i < steps), leapfrog_step(i, state), state)

    return jnp.stack(jax.lax.fori_loop(0, 1000, step, (angle, velocity)))


@wrong("swing", "wrong-value")
def loses_the_rest(angle, velocity, steps):
    def ten(_, state):
        return jax.lax.fori_loop(0, 10, leapfrog_step, state)

    return jnp.stack(jax.lax.fori_loop(0, steps // 10, ten, (angle, velocity)))


@wrong("swing", "wrong-value")
def loses_what_is_left_of_ten(angle, velocity, steps):
    inner = min(steps, 10)

    def several(_, state):
        return jax.lax.fori_loop(0, inner, leapfrog_step, state)

    return jnp.stack(jax.lax.fori_loop(0, steps // max(inner, 1), several, (angle, velocity)))


@wrong("swing", "wrong-value")
def forgets_the_turns(angle, velocity, steps):
    def step(i, state):
        angle, velocity = leapfrog_step(i, state)
        return jnp.arctan2(jnp.sin(angle), jnp.cos(angle)), velocity

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


@wrong("swing", "needs-the-numbers")
def swings_in_numpy(angle, velocity, steps):
    return leapfrog(angle, velocity, steps)


@wrong("swing", "small-angles")
def forgets_the_sine(angle, velocity, steps):
    def step(_, state):
        velocity = state[1] - 0.1 * state[0]
        return state[0] + 0.1 * velocity, velocity

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


@right("swing")
def scans_over_nothing(angle, velocity, steps):
    start = jnp.asarray(angle, jnp.float32), jnp.asarray(velocity, jnp.float32)
    return jnp.array(jax.lax.scan(lambda state, _: (leapfrog_step(0, state), None), start, length=steps)[0])


@right("swing")
@jax.jit
def loops_while(angle, velocity, steps):
    def step(state):
        return state[0] + 1, *leapfrog_step(0, state[1:])

    return jnp.stack(jax.lax.while_loop(lambda state: state[0] < steps, step, (0, angle, velocity))[1:])


@wrong("swing", "needs-the-numbers")
@jax.jit
def traces_the_number_of_steps(angle, velocity, steps):
    def step(state, _):
        angle, velocity = state
        velocity = velocity - 0.1 * jnp.sin(angle)
        return (angle + 0.1 * velocity, velocity), None

    return jnp.stack(jax.lax.scan(step, (angle, velocity), None, length=steps)[0])


@wrong("swing", "unrolled")
def lets_the_compiler_write_it_out(angle, velocity, steps):
    start = jnp.asarray(angle, jnp.float32), jnp.asarray(velocity, jnp.float32)
    return jnp.stack(
        jax.lax.scan(lambda state, _: (leapfrog_step(0, state), None), start, length=steps, unroll=True)[0]
    )


@right("swing")
def writes_eight_out_at_a_time(angle, velocity, steps):
    return jnp.stack(jax.lax.fori_loop(0, steps, leapfrog_step, (angle, velocity), unroll=8))


@right("swing")
def writes_few_steps_out_whole(angle, velocity, steps):
    unroll = max(1, min(steps, 50))
    return jnp.stack(jax.lax.fori_loop(0, steps, leapfrog_step, (angle, velocity), unroll=unroll))
