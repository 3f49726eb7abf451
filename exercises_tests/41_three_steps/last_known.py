"""last-known."""

import numpy as np

from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import WORDS as LESSON


def last_before(events, clock, tolerance):
    """The definition, one time after the other: the last event that is not later and not too old."""
    found = []
    for time in clock:
        known = [i for i, event in enumerate(events) if event <= time and time - event <= tolerance]
        found.append(known[-1] if known else -1)
    return np.array(found, int)


def drawn_streams(rng):
    """Times of events and of a clock, where every case comes up: before all, at the same time, just fresh, stale."""
    gaps = rng.integers(3, 7, size=8)
    events = 20 + np.cumsum(np.concatenate([gaps[:4], [30], gaps[4:]]))
    between = rng.choice(np.arange(21, events[-1]), size=6, replace=False)
    clock = np.sort(
        np.concatenate([[5, 15], events[[1, 3]], events[3] + [6, 10, 11, 25], between, events[-1] + [5, 40]])
    )
    return events, np.unique(clock), 10


def drawn_times(rng, shape):
    """Few times in many places: events at one time, events at times of the clock, ages of exactly the tolerance."""
    latest = int(rng.integers(1, 25))
    start = int(rng.choice([0, -12, 1_714_521_600]))
    events, clock = (start + np.sort(rng.integers(0, latest, size)) for size in shape)
    return events, clock, int(rng.integers(0, 7))


def first_of_equal_times(events, clock, tolerance):
    last = last_before(events, clock, tolerance)
    first = np.searchsorted(events, events)
    return np.array([first[i] if i >= 0 else -1 for i in last], int)


def known_indices(got, *streams):
    """The answer's indices, once they can be used as such."""
    got = numbers(got)
    require(got.dtype.kind in "iu" or not got.size, "not-indices", dtype=got.dtype)
    return got


def every_case_by_its_name(answer, rng):
    """In a stream with every case, the first time with a wrong event is named."""
    events, clock, tolerance = drawn_streams(rng)
    want = last_before(events, clock, tolerance)
    got = known_indices(answer(events, clock, tolerance))
    require(got.shape == clock.shape, "wrong-shape", clock=len(clock), shape=got.shape)
    outside = (got < -1) | (got >= len(events))
    refuse(outside.any(), "outside", events=len(events), argmax=got[outside.argmax()])
    early = (clock < events[0]) & (got != -1)
    at = int(early.argmax())
    refuse(early.any(), "before-the-first", at=clock[at], taken=got[at])
    later = (got >= 0) & (events[got] > clock)
    at = int(later.argmax())
    refuse(later.any(), "looks-ahead", at=clock[at], taken=events[got[at]])
    stale = (got >= 0) & (clock - events[got] > tolerance)
    at = int(stale.argmax())
    refuse(stale.any(), "too-old", at=clock[at], taken=events[got[at]], tolerance=tolerance)
    earlier = (got >= 0) & (got < want) & ~np.isin(clock, events)
    at = int(earlier.argmax())
    refuse(earlier.any(), "not-the-last", at=clock[at], taken=events[got[at]], known=events[want[at]])
    same = np.isin(clock, events) & (got != want)
    at = int(same.argmax())
    refuse(same.any(), "same-time-missed", at=clock[at])
    edge = (want >= 0) & (clock - events[want] == tolerance) & (got == -1)
    refuse(edge.any() and np.array_equal(edge, got != want), "tolerance-shut-out", tolerance=tolerance)


MISTAKES = {
    "first-of-equal-times": first_of_equal_times,
    "seconds-rounded": lambda events, clock, tolerance: last_before(np.float32(events), np.float32(clock), tolerance),
    "wrapped-around": lambda events, clock, tolerance: last_before(
        events.astype(np.int32), clock.astype(np.int32), tolerance
    ),
}
FAR = [(np.array([0, 2]) + offset, np.arange(8) + offset, age) for offset in (1_714_521_600, -4) for age in (3, 0)] + [
    (np.array([2**31 - 2]), np.arange(2**31 - 3, 2**31 + 4), age) for age in (4, 2)
]


WORDS = """
hint: How many events have come by each time of the clock? `np.searchsorted(events, clock, side=...)` counts them.
hint: Which `side` counts an event at that very moment? And the last of `n` events has which index?
hint: Count the events that are too old in the same way. If the last known one is among them, the answer is -1.
not-indices: Your indices are `{dtype}`, which cannot be used as an index. Return integers.
wrong-shape: Your answer has the shape {shape}. Give one index for each of the {clock} times.
outside: You return {argmax}, which is no index of {events} events.
before-the-first: You took event {taken} at time {at}, when nothing has happened yet. Nothing is known then: -1.
looks-ahead: You took the event of time {taken} at time {at}: that is the future. Take one that was known by then.
too-old: You took the event of time {taken} at time {at}. It is older than the tolerance {tolerance}.
not-the-last: You took the event of time {taken} at time {at}, but that of time {known} is known by then. Take the
    last one.
same-time-missed: You missed the event of time {at} at time {at}. `side=` decides whether it counts.
tolerance-shut-out: You left out an event that is exactly {tolerance} old. It is still within the tolerance of
    {tolerance}.
first-of-equal-times: You took the first of two events with the same time. The later of them in the array is the last
    one known.
seconds-rounded: Your seconds since 1970 don't fit into a float32, which counts in steps of 64 or 128 from a billion
    on. Compare them as integers.
wrapped-around: Your times from 2**31 on don't fit into an `int32`, which JAX makes of integers unless told otherwise:
    they become negative. Compare the times in NumPy.
not-found: Your index differs from that of the last event that is not later, and not older than the tolerance.
"""

last_known = declare(
    "last-known",
    points=2,
    see="one-clock",
    steps=[
        every_case_by_its_name,
        Agrees(
            last_before,
            drawn_times,
            [(0, 0), (0, 2), (1, 1), (2, 3), (5, 0), (5, 4), (4, 9), (300, 40)],
            extremes=FAR,
            reads=known_indices,
            mistakes=MISTAKES,
            otherwise="not-found",
        ),
    ],
    words=(LESSON, WORDS),
)
