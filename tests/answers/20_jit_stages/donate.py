"""Answers to donate."""

import functools

import jax
import jax.export
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


def wave_step(before, now, speed):
    """The function of the set-up cell."""
    around = sum(jnp.roll(now, shift, axis) for shift in (1, -1) for axis in (0, 1))
    after = 2 * now - before + speed**2 * (around - 4 * now)
    return jnp.where(speed > 0, after, 0.0)


@right("donate")
@functools.partial(jax.jit, donate_argnums=0)
def decorated(before, now, speed):
    return wave_step(before, now, speed)


@right("donate")
def names_the_same_function_at_each_step(before, now, speed):
    return jax.jit(wave_step, donate_argnums=(0,))(before, now, speed)


@right("donate")
def keeps_what_it_needs_in_a_pair(before, now, speed):
    return by_pairs({"gone": before}, (now, speed))


by_pairs = jax.jit(lambda mine, yours: wave_step(mine["gone"], *yours), donate_argnames="mine")


@wrong("donate", "deleted-by-hand")
def deletes_it_by_hand(before, now, speed):
    result = jax.jit(wave_step)(before, now, speed)
    before.delete()
    return result


@wrong("donate", "jit-at-each-call")
def jits_at_each_step(before, now, speed):
    return jax.jit(lambda b, n, s: wave_step(b, n, s), donate_argnums=0)(before, now, speed)


@wrong("donate", "donated-a-copy")
def donates_a_copy(before, now, speed):
    return jax.jit(wave_step, donate_argnums=0)(jnp.array(before), now, speed)


@wrong("donate", "inner-donation")
@jax.jit
def donates_inside_another_jit(before, now, speed):
    return jax.jit(wave_step, donate_argnums=0)(before, now, speed)


@wrong("donate", "wrong-value")
@functools.partial(jax.jit, donate_argnums=0)
def lets_the_wall_move(before, now, speed):
    around = sum(jnp.roll(now, shift, axis) for shift in (1, -1) for axis in (0, 1))
    return 2 * now - before + speed**2 * (around - 4 * now)


static_is_no_donation = wrong("donate", "static-not-donated")(jax.jit(wave_step, static_argnums=0))


nothing_is_donated = wrong("donate", "nothing-donated")(jax.jit(wave_step))


static_is_not_donated = wrong("donate", "nothing-donated")(jax.jit(wave_step, keep_unused=True))


as_the_cell_above = wrong("donate", "now-donated")(jax.jit(wave_step, donate_argnames="now"))


speed_is_donated = wrong("donate", "speed-donated")(jax.jit(wave_step, donate_argnums=2))


both_states_are_donated = wrong("donate", "donated-too-much")(jax.jit(wave_step, donate_argnums=(0, 1)))


not_even_jitted = wrong("donate", "not-jitted")(wave_step)


the_past_is_forgotten = wrong("donate", "wrong-value")(
    jax.jit(lambda before, now, speed: wave_step(now + 0 * before, now, speed), donate_argnums=0)
)
