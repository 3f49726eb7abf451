"""Answers to last-known."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ..last_known import last_before


@wrong("last-known", "not-found")
def takes_no_tolerance_for_any(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="right") - 1
    return last_before(events, clock, tolerance) if tolerance else index


@right("last-known")
def walks_along_both_streams(events, clock, tolerance):
    known, place = [], -1
    for now in clock.tolist():
        while place + 1 < len(events) and events[place + 1] <= now:
            place += 1
        known.append(place if place >= 0 and now - events[place] <= tolerance else -1)
    return known


@right("last-known")
def compares_all_with_all(events, clock, tolerance):
    ages = jnp.asarray(clock)[:, None] - jnp.asarray(events)
    return jnp.where((ages >= 0) & (ages <= tolerance), jnp.arange(len(events)), -1).max(1, initial=-1)


@wrong("last-known", "first-of-equal-times")
def keeps_the_first_of_equal_times(events, clock, tolerance):
    known = []
    for now in clock:
        best = -1
        for i, event in enumerate(events):
            if event <= now and now - event <= tolerance and (best < 0 or event > events[best]):
                best = i
        known.append(best)
    return np.array(known, int)


@wrong("last-known", "seconds-rounded")
def halves_the_digits(events, clock, tolerance):
    return last_before(events.astype(np.float32), clock.astype(np.float32), tolerance)


@wrong("last-known", "wrapped-around")
def counts_in_32_bits(events, clock, tolerance):
    return last_before(events.astype(np.int32), clock.astype(np.int32), tolerance)


@wrong("last-known", "wrapped-around")
def searches_in_jax(events, clock, tolerance):
    if not len(events):
        return jnp.full(len(clock), -1)
    events, clock = jnp.asarray(events), jnp.asarray(clock)
    place = jnp.searchsorted(events, clock, side="right") - 1
    return jnp.where((place >= 0) & (clock - events[place] <= tolerance), place, -1)


@wrong("last-known", "not-the-last")
def takes_the_first_within_the_tolerance(events, clock, tolerance):
    first, end = np.searchsorted(events, clock - tolerance), np.searchsorted(events, clock, side="right")
    return np.where(first < end, first, -1)


@wrong("last-known", "IndexError")
def looks_up_an_event_that_is_not_there(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="right") - 1
    return np.where((index >= 0) & (clock - events[index] <= tolerance), index, -1)


@wrong("last-known", "looks-ahead")
def forgets_the_minus_one(events, clock, tolerance):
    index = np.minimum(np.searchsorted(events, clock, side="right"), len(events) - 1)
    return np.where(clock < events[0], -1, index)


@wrong("last-known", "looks-ahead")
def takes_the_nearest(events, clock, tolerance):
    distance = abs(events[None] - clock[:, None])
    return np.where(clock < events[0], -1, distance.argmin(1))


@wrong("last-known", "same-time-missed")
def takes_the_left_side(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="left") - 1
    return np.where((index >= 0) & (clock - events[index] <= tolerance), index, -1)


@wrong("last-known", "before-the-first")
def clips_at_the_first(events, clock, tolerance):
    index = np.clip(np.searchsorted(events, clock, side="right") - 1, 0, None)
    return np.where(clock - events[index] <= tolerance, index, -1)


@wrong("last-known", "too-old")
def forgets_the_tolerance(events, clock, tolerance):
    return np.searchsorted(events, clock, side="right") - 1


@wrong("last-known", "tolerance-shut-out")
def shuts_the_tolerance_out(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="right") - 1
    return np.where((index >= 0) & (clock - events[index] < tolerance), index, -1)


@wrong("last-known", "not-indices")
def marks_with_nan(events, clock, tolerance):
    index = np.searchsorted(events, clock, side="right") - 1
    return np.where((index >= 0) & (clock - events[index] <= tolerance), index, np.nan)


@wrong("last-known", "outside")
def returns_the_times(events, clock, tolerance):
    return events[np.searchsorted(events, clock, side="right") - 1]


@wrong("last-known", "wrong-shape")
def index_of_the_clock(events, clock, tolerance):
    return np.searchsorted(clock, events, side="right") - 1


@wrong("last-known", "not-found")
def takes_the_end_for_outside(events, clock, tolerance):
    count = np.searchsorted(events, clock, side="right")
    too_old = np.searchsorted(events, clock - tolerance)
    return np.where((count > too_old) & (count < len(events)), count - 1, -1)


equivalents = [
    equivalent("last-known", "`known > too_old`  ->  `known != too_old`", "they differ for a negative tolerance only"),
    equivalent(
        "last-known",
        "`np.searchsorted(events, clock - tolerance, side='left')`  ->  `np.searchsorted(events, clock - tolerance)`",
        "left is the default",
    ),
    equivalent(
        "last-known",
        "`np.where(known > too_old, known - 1, -1)`  ->  "
        "`(known > too_old) * (known - 1) + (1 - (known > too_old)) * -1`",
        "indices are whole numbers",
    ),
]
