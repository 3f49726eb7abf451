"""Answers to dead-time."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("dead-time", "neighbours-only")
def looks_at_the_neighbour(times, dead):
    return jnp.diff(times, prepend=-jnp.inf) >= dead


@wrong("dead-time", "neighbours-only")
def keeps_every_time(times, dead):
    return jax.lax.scan(lambda last, time: (time, time - last >= dead), -jnp.inf, times)[1]


@wrong("dead-time", "first-lost")
def begins_with_time_zero(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, 0.0, times)[1]


@wrong("dead-time", "first-lost")
def begins_with_the_first(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, times[0], times)[1]


@wrong("dead-time", "first-lost")
def begins_a_billion_ago(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, -1e9, times)[1]


@wrong("dead-time", "wrong-value")
def right_under_jit_only(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    if not isinstance(times, jax.core.Tracer):
        return np.diff(np.asarray(times), prepend=-np.inf) >= dead
    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "rounded-away")
def adds_to_the_time(times, dead):
    def step(ready, time):
        found = time >= ready
        return jnp.where(found, time + dead, ready), found

    return jax.lax.scan(step, jnp.full((), -jnp.inf, times.dtype), times)[1]


@wrong("dead-time", "just-too-strict")
def waits_a_moment_longer(times, dead):
    def arrive(last, time):
        found = time - last > dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "needs-the-numbers")
def decides_in_python(times, dead):
    def arrive(last, time):
        if time - last >= dead:
            return time, True
        return last, False

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "turned-round")
def gives_the_lost_ones(times, dead):
    def arrive(last, time):
        lost = time - last < dead
        return jnp.where(lost, last, time), lost

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "gave-the-state")
def collects_the_state(times, dead):
    def arrive(last, time):
        last = jnp.where(time - last >= dead, time, last)
        return last, last

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "fixed-bins")
def cuts_time_into_bins(times, dead):
    bins = jnp.floor((times - times[0]) / dead)
    return jnp.concatenate([jnp.array([True]), bins[1:] != bins[:-1]])


@wrong("dead-time", "first-only")
def compares_with_the_first(times, dead):
    return (times - times[0] >= dead) | (times == times[0])


@wrong("dead-time", "first-lost")
def begins_one_dead_time_before_zero(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, -1.0 * dead, times)[1]


@wrong("dead-time", "gave-times")
def collects_times(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), jnp.where(found, time, jnp.nan)

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "not-boolean")
def gives_zeros_and_ones(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), jnp.where(found, 1.0, 0.0)

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "wrong-value")
def moves_on_by_the_dead_time(times, dead):
    def arrive(ready, time):
        found = time >= ready
        return jnp.where(found, ready + dead, ready), found

    return jax.lax.scan(arrive, times[0], times)[1]


@wrong("dead-time", "wrong-value")
def gives_the_last_state(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, -jnp.inf, times)[0]


@wrong("dead-time", "gaps-rounded")
def adds_up_the_gaps(times, dead):
    def step(elapsed, gap):
        elapsed = elapsed + gap
        found = elapsed >= dead
        return jnp.where(found, jnp.zeros_like(elapsed), elapsed), found

    later = jax.lax.scan(step, jnp.zeros((), times.dtype), jnp.diff(times))[1]
    return jnp.concatenate([jnp.array([True]), later])


@right("dead-time")
def looks_at_the_last_registered(times, dead):
    def arrive(i, found):
        last = jnp.max(jnp.where(found & (jnp.arange(len(times)) < i), times, -jnp.inf))
        return found.at[i].set(times[i] - last >= dead)

    return jax.lax.fori_loop(0, len(times), arrive, jnp.zeros(len(times), bool))


@right("dead-time")
def writes_into_an_array(times, dead):
    def arrive(k, state):
        last, found = state
        hit = times[k] - last >= dead
        return jnp.where(hit, times[k], last), found.at[k].set(hit)

    start = jnp.asarray(-jnp.inf, times.dtype), jnp.zeros(times.shape, bool)
    return jax.lax.fori_loop(0, len(times), arrive, start)[1]


equivalents = [
    equivalent("dead-time", "`1`  ->  `-1`", "a pair has two entries"),
]


@wrong("dead-time", "rounded-away")
def begins_just_long_enough_ago(times, dead):
    def step(last, time):
        registered = time - last >= dead
        return jnp.where(registered, time, last), registered

    return jax.lax.scan(step, times[0] - dead, times)[1]
