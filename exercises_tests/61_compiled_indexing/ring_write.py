"""ring-write: sample `t` in slot `t % n` of a ring, those that never arrived in none; under `jit`."""

import functools
import operator

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse
from jaxcourse.exercise import is_close
from jaxcourse.probe import NEEDS_A_NUMBER, NEEDS_A_SHAPE, AnswerRaised

from . import _lesson
from ._lesson import MANY, NOTHING


def one_by_one(ring, times, values, lost=False):
    """The ring after one sample and another, those that were lost too if they are asked for."""
    new = ring.copy()
    for time, value in zip(times.tolist(), values, strict=True):
        if lost or time != -1:
            new[time % len(ring)] = value
    return new


def samples(rng, shape):
    """A ring of n slots, and m samples: to distinct slots in any round, in any order, or missing."""
    n, m = shape
    ring = np.where(rng.random(n) < rng.choice([0, 0.3]), np.nan, rng.integers(1, 9, n)).astype(np.float32)
    arrived = rng.permutation(n)[: rng.integers(0, min(n, m) + 1)]
    rounds = rng.choice([0, 0, 1, 5, 1000], len(arrived))
    times = rng.permutation([*(arrived + rounds * n), *[-1] * (m - len(arrived))]).astype(np.int32)
    values = rng.integers(10, 99, m).astype(np.float32)
    lost = rng.choice(np.float32([np.nan, np.inf, 0, 7]))
    return ring, times, np.where(times == -1, lost, values)


def at_the_end(ring, times):
    """Which samples arrived in the last slot, where -1, too, would land."""
    return (times >= 0) & (times % len(ring) == len(ring) - 1)


def with_nothing_at_the_end(rng, shape):
    """Samples of which none arrived in the last slot, where lost ones would land: no two writes meet there."""
    while True:
        ring, times, values = samples(rng, shape)
        if not at_the_end(ring, times).any():
            return ring, times, values


def with_one_in_a_slot(rng, shape):
    """Samples that all arrived, at most one of them late, and to distinct slots in a ring of their number, too.

    Where two writes meet in one slot, a GPU may let either win. Here none do, not even in the wrong slots.
    """
    n, m = shape
    while True:
        times = (rng.permutation(n)[:m] + n * rng.choice([0, 0, 1, 5, 1000], m)).astype(np.int32)
        if np.sum(times >= n - 1) <= 1 and len(set((times % m).tolist())) == m:
            return rng.integers(1, 9, n).astype(np.float32), times, rng.integers(10, 99, m).astype(np.float32)


def drops_late_samples(ring, times, values):
    return one_by_one(ring, np.where(times < len(ring), times, -1), values)


def blends(ring, times, values, overwritten):
    """What a product with a matrix of zeros and ones gives, and what it leaves of the old samples."""
    hit = (times % len(ring) == np.arange(len(ring))[:, None]) & (times >= 0)
    with np.errstate(invalid="ignore"):
        return np.where(hit.any(axis=1), overwritten, ring) + (hit * values).sum(axis=1)


def long_ring(rng):
    times = np.array([-1, 3, 2 * MANY - 1], np.int32)
    return [(np.ones(MANY, np.float32), times, np.array([5, 6, 7], np.float32))]


def written_back(ring, times, values):
    """What slot `n - 1` held is written back for each lost sample, after all others."""
    new = one_by_one(ring, times, values)
    new[-1] = ring[-1] if np.any(times < 0) else new[-1]
    return new


def none_is_hidden(answer, rng):
    """A sample that arrived in the last slot stays there, whichever of two writes to one slot wins."""
    cases = [case for case in (samples(rng, (5, 12)) for _ in range(24)) if at_the_end(*case[:2]).any()]
    try:
        replies = [answer.probe(probe.under_jit, *case) for case in cases]
    except AnswerRaised:  # the next step comes to that
        return
    right = [is_close(got, one_by_one(*case)) for got, case in zip(replies, cases, strict=True)]
    back = [is_close(got, written_back(*case)) for got, case in zip(replies, cases, strict=True)]
    refuse(not all(right) and all(map(operator.or_, right, back)), "hides-a-sample")


GHOSTS = {"ghost-written": lambda ring, times, values: one_by_one(ring, times, values, lost=True)}
PLACES = {
    "not-wrapped": [
        drops_late_samples,
        lambda ring, times, values: one_by_one(ring, np.minimum(times, len(ring) - 1), values, lost=True),
    ],
    "wrong-length": lambda ring, times, values: drops_late_samples(ring, times % len(times), values),
}
MISTAKES = {
    "thrown-away": lambda ring, times, values: ring,
    "time-0-lost": lambda ring, times, values: one_by_one(ring, np.where(times == 0, -1, times), values),
    "added": lambda ring, times, values: one_by_one(ring, times, ring[times % len(ring)] + values),
    "ring-emptied": lambda ring, times, values: one_by_one(0 * np.nan_to_num(ring), times, values),
    "nan-spreads": [
        lambda ring, times, values: blends(ring, times, values, 0 * ring),
        lambda ring, times, values: blends(ring, times, values, np.zeros(len(ring))),
    ],
}

TIMES = np.arange(len(NOTHING), dtype=np.int32)
BEFORE = np.full(len(NOTHING), 1e8, np.float32)
MEASURED = [(BEFORE, times, NOTHING) for times in (TIMES, TIMES[::-1].copy())]
FIRST = [(np.ones(3, np.float32), np.array([0, -1], np.int32), np.array([first, 7], np.float32)) for first in (8, 9)]
LATE = np.ones(7, np.float32), np.array([2**31 - 1, 2**24 + 1, -1, 2**30 + 4], np.int32), np.float32([4, 5, 6, 7])
RING, ROUND_ONE = np.array([1, np.nan, 3], np.float32), np.array([-1, 5], np.int32)
NOT_FINITE = [(RING, ROUND_ONE, np.array(values, np.float32)) for values in ((np.nan, 7), (np.inf, 8))]

WORDS = """
hint: What is -1 % n? And where would that sample land?
hint: Which index is certainly dropped? Choose it with `jnp.where`, for the samples that never arrived.
thrown-away: Your ring came back as it was. `.at[...]` gives a new one: keep it.
ghost-written: Your last slot was overwritten by a sample that never arrived. Index -1 is that slot, even with
    `mode="drop"`, and so is -1 % n. Send it to `n`.
not-wrapped: Your samples with a time of `n` or more do not reach their slots. They wrap around, into slot `t % n`.
hides-a-sample: Your missing samples write back what slot `n - 1` held, over a sample that has just arrived there.
time-0-lost: Your answer loses the sample of time 0. That is a time.
added: You added the samples to the old ones in the slots. They take their place.
ring-emptied: You emptied slots to which nothing is written. They should keep what they held.
wrong-length: You took `n` for the number of samples. It is the length of the ring.
nan-spreads: Your ring is off if a sample is not finite. Does it reach other slots? In a product, of matrices too, 0
    times NaN is NaN: write instead.
shape-depends-on-data [fixed-shapes]: Your code makes a shape or a slice from numbers that JAX does not know yet.
    Give the missing samples an index out of bounds, and they are dropped.
needs-the-numbers: Your code asked for the times, which JAX does not know while it traces: use no `if`, no `int`, no
    NumPy.
wrong-value: Your slots should hold the samples that arrived, and all others what they held.
value-is-nothing: Your ring is off for some values. A sample that arrived counts, whatever it holds: 0, a negative
    number, infinity or NaN.
late-times: Your answer is right for early times, and not for late ones. An `int32` ends at 2**31 - 1, and a
    `float32` counts to 2**24.
"""

RAISING = {"needs-the-numbers": NEEDS_A_NUMBER, "shape-depends-on-data": NEEDS_A_SHAPE}
under_jit = functools.partial(Agrees, one_by_one, ask=probe.under_jit, raising=RAISING)
ring_write = declare(
    "ring-write",
    points=2,
    see="out-of-bounds",
    steps=[
        under_jit(with_nothing_at_the_end, [(3, 2), (5, 12), (8, 6)], each=6, mistakes=GHOSTS, otherwise=None),
        under_jit(with_one_in_a_slot, [(3, 2), (8, 3)], each=12, mistakes=PLACES, otherwise=None),
        none_is_hidden,
        under_jit(samples, [(3, 2), (5, 12), (8, 6)], each=12, mistakes=MISTAKES, extremes=FIRST),
        under_jit(samples, [(1, 1)], each=6),
        under_jit(extremes=MEASURED, otherwise="value-is-nothing"),
        under_jit(extremes=[LATE], otherwise="late-times"),
        under_jit(extremes=long_ring, otherwise="short-arrays-only"),
        # Compiled, a product with a mask may become a choice.
        Agrees(one_by_one, extremes=NOT_FINITE, ask=probe.on_jax_arrays, otherwise="nan-spreads"),
    ],
    words=(_lesson.WORDS, WORDS),
)
