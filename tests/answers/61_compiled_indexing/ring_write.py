"""Answers to ring-write."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@wrong("ring-write", "thrown-away")
def asks_and_does_not_keep(ring, times, values):
    ring.at[jnp.where(times == -1, len(ring), times % len(ring))].set(values)
    return ring


@wrong("ring-write", "not-wrapped")
def lets_late_samples_fall(ring, times, values):
    return ring.at[jnp.where(times == -1, len(ring), times)].set(values, mode="drop")


@wrong("ring-write", "not-wrapped")
def clips_late_samples(ring, times, values):
    return ring.at[times].set(values, mode="clip", wrap_negative_indices=True)


@wrong("ring-write", "short-arrays-only")
def drops_at_a_large_number(ring, times, values):
    slots = jnp.where(times < 0, 9999, times % len(ring))
    return ring.at[slots].set(values, mode="drop")


@wrong("ring-write", "value-is-nothing")
def takes_zero_for_nothing_written(ring, times, values):
    slots = jnp.where(times == -1, len(ring), times % len(ring))
    new = jnp.zeros_like(ring).at[slots].set(values, mode="drop")
    return jnp.where(new != 0, new, ring)


@wrong("ring-write", "value-is-nothing")
def takes_nan_for_nothing_written(ring, times, values):
    slots = jnp.where(times == -1, len(ring), times % len(ring))
    new = jnp.full_like(ring, jnp.nan).at[slots].set(values, mode="drop")
    return jnp.where(jnp.isnan(new), ring, new)


@wrong("ring-write", "late-times")
def adds_a_round_for_safety(ring, times, values):
    n = len(ring)
    return ring.at[jnp.where(times == -1, n, (times + n) % n)].set(values, mode="drop")


@wrong("ring-write", "ghost-written")
def takes_the_remainder_of_all(ring, times, values):
    return ring.at[times % len(ring)].set(values)


@wrong("ring-write", "ghost-written")
def takes_minus_one_for_outside(ring, times, values):
    return ring.at[jnp.where(times == -1, -1, times % len(ring))].set(values, mode="drop")


@wrong("ring-write", "hides-a-sample")
def writes_the_old_value_back(ring, times, values):
    slots = times % len(ring)
    return ring.at[slots].set(jnp.where(times < 0, ring[slots], values))


@wrong("ring-write", "shape-depends-on-data")
def selects_the_ones_that_arrived(ring, times, values):
    arrived = times >= 0
    return ring.at[times[arrived] % len(ring)].set(values[arrived])


@wrong("ring-write", "needs-the-numbers")
def loops_in_python(ring, times, values):
    for time, value in zip(times, values, strict=True):
        if time >= 0:
            ring = ring.at[time % len(ring)].set(value)
    return ring


@wrong("ring-write", "time-0-lost")
def forgets_the_first_moment(ring, times, values):
    return ring.at[jnp.where(times > 0, times % len(ring), len(ring))].set(values, mode="drop")


@wrong("ring-write", "added")
def adds_to_what_is_there(ring, times, values):
    return ring.at[jnp.where(times == -1, len(ring), times % len(ring))].add(values)


@wrong("ring-write", "ring-emptied")
def begins_with_zeros(ring, times, values):
    return jnp.zeros_like(ring).at[jnp.where(times == -1, len(ring), times % len(ring))].set(values)


@wrong("ring-write", "wrong-length")
def counts_the_samples(ring, times, values):
    return ring.at[jnp.where(times == -1, len(ring), times % len(times))].set(values)


@wrong("ring-write", "nan-spreads")
def multiplies_by_hits(ring, times, values):
    hit = (times % len(ring) == jnp.arange(len(ring))[:, None]) & (times >= 0)
    return ring * (1.0 - hit.any(axis=1)) + hit.astype(float) @ values


@wrong("ring-write", "wrong-value")
def fills_from_the_front(ring, times, values):
    return ring.at[jnp.cumsum(times >= 0) - 1].set(values)


@right("ring-write")
@jax.jit
def writes_one_after_the_other(ring, times, values):
    def write(ring, sample):
        time, value = sample
        slot = time % len(ring)
        return ring.at[slot].set(jnp.where(time == -1, ring[slot], value)), None

    return jax.lax.scan(write, ring, (times, values))[0]


@right("ring-write")
def chooses_for_each_slot(ring, times, values):
    hit = (times % len(ring) == jnp.arange(len(ring))[:, None]) & (times != -1)
    return jnp.where(hit.any(axis=1), values[hit.argmax(axis=1)], ring)


@wrong("ring-write", "needs-the-numbers")
def writes_to_slots_of_python(ring, times, values):
    for k in range(len(times)):
        ring = ring.at[int(times[k]) % len(ring)].set(values[k])
    return ring


equivalents = [
    equivalent(
        "ring-write",
        "`jnp.where(times == -1, n, times % n)`  ->  `(times == -1) * n + (1 - (times == -1)) * (times % n)`",
        "slots are whole numbers",
    ),
]
