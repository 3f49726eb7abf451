"""seconds-since-start: what stamps of 64 bits, in any order, are since the earliest, each to seven digits."""

import functools

import jax
import numpy as np

from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers


def whose(function, values):
    """Whether the result for a NumPy array is JAX's."""
    return isinstance(function(values), jax.Array)


def nanoseconds(rng, n):
    """Stamps in any order, some of them equal; from one to the next it may be a nanosecond or years."""
    longest = 17 if n == 2 else 10
    gaps = (10.0 ** rng.uniform(0, longest) * rng.uniform(0.5, 1, n)).astype(np.int64)
    gaps[rng.random(n) < 0.1] = 0
    return (in_any_order(rng, 1_600_000_000 * 10**9 + int(rng.integers(10**17)) + np.cumsum(gaps)),)


def in_any_order(rng, stamps):
    """The stamps as they come in: the earliest is not the first of them."""
    order = rng.permutation(len(stamps))
    return stamps[np.roll(order, 1) if order[0] == 0 else order]


def since_start(stamps):
    """The oracle: Python's integers, and one division."""
    earliest = min(stamps.tolist())
    return np.array([(number - earliest) / 10**9 for number in stamps.tolist()])


def to_seven_digits_each(seconds, stamps):
    """Seconds over what they should be; where that is 0, one more than they are."""
    want = since_start(stamps)
    return np.where(want == 0, 1 + numbers(seconds), numbers(seconds) / np.where(want == 0, 1, want))


def ones(stamps):
    return np.ones(len(stamps))


def within_a_second(rng):
    second = (1_600_000_000 + int(rng.integers(10**8))) * 10**9
    return [(second + 10**unit * np.array([9, 0, 50, 40]),) for unit in (0, 1, 2)]


def across_a_second(rng):
    return [(stamps - int(rng.integers(1, 9)),) for (stamps,) in within_a_second(rng)]


def of_all_sizes(rng):
    """From nanoseconds to a quarter of an hour, in one array."""
    starts = [nanoseconds(rng, 1)[0][0] for _ in range(4)]
    later = [np.cumsum(np.sort(10 ** rng.uniform(0, 12, 40)).astype(np.int64)) for _ in starts]
    return [(in_any_order(rng, start + each),) for start, each in zip(starts, later, strict=True)]


def half_an_hour(rng):
    return in_any_order(rng, nanoseconds(rng, 1)[0] + np.cumsum(rng.integers(10**9, 60 * 10**9, size=40)))


def many(rng):
    return in_any_order(rng, nanoseconds(rng, 1)[0] + np.cumsum(rng.integers(10**8, 10**9, size=20_000)))


def wrapped(stamps):
    """What 32 bits keep of stamps, less the smallest of what they keep."""
    low = stamps.astype(np.int32)
    return (low - low.min()) / np.float32(1e9)


MISTAKES = {
    "still-nanoseconds": lambda stamps: 1e9 * since_start(stamps),
    "milliseconds": lambda stamps: 1e3 * since_start(stamps),
    "milliseconds/2": lambda stamps: 1e6 * since_start(stamps),
    "since-the-first-noted": lambda stamps: (stamps - stamps[0]) / 1e9,
    "sorted": lambda stamps: since_start(np.sort(stamps)),
    "wrapped": [wrapped, lambda stamps: (stamps - stamps.min()).astype(np.int32) / np.float32(1e9)],
    "divided-first": [
        lambda stamps: stamps / 1e9 - stamps.min() / 1e9,
        lambda stamps: stamps * 1e-9 - stamps.min() * 1e-9,
    ],
    "not-since-the-start": lambda stamps: stamps / 1e9,
    "gaps": [
        lambda stamps: np.diff(stamps, prepend=stamps[0]) / 1e9,
        lambda stamps: np.diff(np.sort(stamps), prepend=stamps.min()) / 1e9,
    ],
    "whole-seconds": lambda stamps: (stamps - stamps.min()) // 10**9 * 1.0,
}


def keeps_times_apart(answer, rng):
    """Photons that came at different times keep different times."""
    stamps = half_an_hour(rng)
    got = numbers(answer(stamps))
    require(got.shape == stamps.shape, "wrong-shape", wanted=stamps.shape, came=got.shape)
    left = np.unique(got.astype(float))
    apart = np.diff(left).min(initial=np.inf)  # of `float32` stamps, two minutes or more
    merged = 1 < left.size < stamps.size - 3 and apart > 100
    refuse(got.min() == 0 and merged, "absorbed", photons=stamps.size, left=left.size)


def adds_no_roundings_up(answer, rng):
    """Many times are right to the digits of a `float32`, and in an array of JAX."""
    stamps = many(rng)
    precise = np.allclose(numbers(answer(stamps)), since_start(stamps), rtol=3e-7, atol=0)
    require(precise, "roundings-added-up")
    require(answer.probe(whose, stamps), "not-jax")


each = functools.partial(Agrees, ones, reads=to_seven_digits_each, rtol=3e-7)

WORDS = """
hint: Which of the two numbers needs 64 bits: a stamp, or a difference?
hint: Which has 64 bits, NumPy or JAX? Subtract there.
still-nanoseconds: You returned nanoseconds. A second has 10⁹ of them.
milliseconds: You returned milliseconds. A second has 10⁹ nanoseconds.
milliseconds/2: You returned microseconds. A second has 10⁹ nanoseconds.
wrapped: Your nanoseconds became an `int32`, which wraps around every 4 s: by your hand, or on the way into JAX.
    Subtract before.
divided-first: Your `float64` of 1.7e9 s keeps some 200 ns, too few digits for short times. Subtract while they are
    integers.
not-since-the-start: You returned seconds since 1970. Subtract the earliest stamp.
since-the-first-noted: You returned seconds since `stamps[0]`, and the photons are in no order. Another one is
    earlier.
sorted: Your seconds are right, but sorted. Leave the photons in the order in which they came.
gaps: You returned seconds since the photon before. Subtract the earliest from each.
whole-seconds: You returned whole seconds. Keep the digits after the point.
wrong-shape: Your result should have the shape {wanted}, not {came}.
absorbed: Your {photons} photons within half an hour have only {left} different times: you round to `float32` before
    you subtract, where neighbours are minutes apart. Subtract first.
wrong-value: Your numbers are not the seconds since the earliest photon, to seven digits.
short-times-lost: Your times are right to seven digits of the longest one, and the short ones have lost theirs. Keep
    seven digits of each.
cut-at-the-second: Your times are right within one second, and not if a new one begins between two photons. Subtract
    whole stamps, while they are integers.
roundings-added-up: Your times are right for few photons, and not to seven digits for 20000. If you add gaps up in
    `float32`, their roundings add up: subtract the earliest stamp.
not-jax: Your times are right, but the result is not a JAX array.
"""

seconds_since_start = declare(
    "seconds-since-start",
    see="int32-by-default",
    steps=[
        keeps_times_apart,
        Agrees(since_start, nanoseconds, [1, 2, 3, 40], each=8, mistakes=MISTAKES, rtol=3e-7),
        each(extremes=within_a_second, otherwise="short-times-lost"),
        each(extremes=across_a_second, otherwise="cut-at-the-second"),
        each(extremes=of_all_sizes, otherwise="short-times-lost"),
        adds_no_roundings_up,
    ],
    words=WORDS,
)
