"""Answers to warm-then-cool."""

import jax.numpy as jnp
import numpy as np
import optax

from jaxcourse.exercise import right, wrong

from ..warm_then_cool import cosine


@right("warm-then-cool")
def joins_two_schedules(peak, n, size, epochs, warm):
    per = n // size
    up = optax.linear_schedule(0.0, peak, warm * per)
    down = optax.cosine_decay_schedule(peak, (epochs - warm) * per)
    return optax.join_schedules([up, down], [warm * per])


@right("warm-then-cool")
def writes_the_formula(peak, n, size, epochs, warm):
    rise, total = warm * (n // size), epochs * (n // size)

    def rate(count):
        share = jnp.clip((count - rise) / (total - rise), 0, 1)
        return jnp.where(count < rise, peak * count / rise, peak * jnp.cos(jnp.pi / 2 * share) ** 2)

    return rate


def schedule_of(peak, rise, total):
    """What optax makes of a rise and a whole length."""
    return optax.warmup_cosine_decay_schedule(0.0, peak, rise, total)


@wrong("warm-then-cool", "epochs-for-updates")
def counts_epochs(peak, n, size, epochs, warm):
    return schedule_of(peak, warm, epochs)


@wrong("warm-then-cool", "warm-up-on-top")
def subtracts_the_warm_up(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * (n // size), max(epochs - warm, warm + 1) * (n // size))


@wrong("warm-then-cool", "length-below-warm-up")
def adds_the_parts_only_at_the_end(peak, n, size, epochs, warm):
    per = n // size
    return schedule_of(peak, warm * per, (epochs if 2 * warm < epochs else epochs - warm) * per)


@wrong("warm-then-cool", "length-below-warm-up")
def divides_the_other_way_round(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * (size // n), epochs * (size // n))


@wrong("warm-then-cool", "TypeError")
def forgets_where_it_starts(peak, n, size, epochs, warm):
    return optax.warmup_cosine_decay_schedule(peak, warm * (n // size), epochs * (n // size))


@wrong("warm-then-cool", "too-long")
def adds_the_warm_up(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * (n // size), (epochs + warm) * (n // size))


@wrong("warm-then-cool", "part-of-a-batch")
def rounds_up(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * -(-n // size), epochs * -(-n // size))


@wrong("warm-then-cool", "examples-for-updates")
def counts_examples(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * n, epochs * n)


@wrong("warm-then-cool", "warm-in-updates")
def leaves_the_warm_up_as_it_is(peak, n, size, epochs, warm):
    return schedule_of(peak, warm, epochs * (n // size))


@wrong("warm-then-cool", "one-update-short")
def counts_from_nought(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * (n // size), epochs * (n // size) - 1)


@wrong("warm-then-cool", "straight-line")
def falls_along_a_line(peak, n, size, epochs, warm):
    per = n // size
    up = optax.linear_schedule(0.0, peak, warm * per)
    return optax.join_schedules([up, optax.linear_schedule(peak, 0.0, (epochs - warm) * per)], [warm * per])


@wrong("warm-then-cool", "no-warm-up")
def never_warms_up(peak, n, size, epochs, warm):
    return optax.cosine_decay_schedule(peak, epochs * (n // size))


@wrong("warm-then-cool", "counts-from-one")
def counts_from_one(peak, n, size, epochs, warm):
    schedule = schedule_of(peak, warm * (n // size), epochs * (n // size))
    return lambda count: schedule(count + 1)


@wrong("warm-then-cool", "fallen-already")
def falls_from_the_start(peak, n, size, epochs, warm):
    rise, total = warm * (n // size), epochs * (n // size)
    down = optax.cosine_decay_schedule(peak, total)
    return lambda count: jnp.where(count < rise, peak * count / rise, down(count))


@wrong("warm-then-cool", "quarter-period")
def takes_a_quarter(peak, n, size, epochs, warm):
    rise, total = warm * (n // size), epochs * (n // size)

    def rate(count):
        fall = jnp.cos(jnp.pi / 2 * (count - rise) / (total - rise))
        return peak * jnp.where(count < rise, count / rise, fall)

    return rate


@wrong("warm-then-cool", "part-of-a-batch")
def counts_parts_of_updates(peak, n, size, epochs, warm):
    return schedule_of(peak, warm * n / size, epochs * n / size)


@wrong("warm-then-cool", "wrong-value")
def starts_in_the_middle(peak, n, size, epochs, warm):
    return optax.warmup_cosine_decay_schedule(peak / 10, peak, warm * (n // size), epochs * (n // size))


@wrong("warm-then-cool", "wrong-value")
def never_falls_to_nought(peak, n, size, epochs, warm):
    updates = n // size
    return optax.warmup_cosine_decay_schedule(0.0, peak, warm * updates, epochs * updates, end_value=1e-6)


@wrong("warm-then-cool", "branches-on-the-count")
def branches_in_python(peak, n, size, epochs, warm):
    rise, total = warm * (n // size), epochs * (n // size)

    def rate(count):
        if count < rise:
            return peak * count / rise
        return peak * (1 + np.cos(np.pi * (count - rise) / (total - rise))) / 2

    return rate


@wrong("warm-then-cool", "not-a-schedule")
def returns_a_table(peak, n, size, epochs, warm):
    return cosine(peak, n, size, epochs, warm)


@wrong("warm-then-cool", "not-a-number")
def returns_an_array(peak, n, size, epochs, warm):
    schedule = schedule_of(peak, warm * (n // size), epochs * (n // size))
    return lambda count: jnp.atleast_1d(schedule(count))
