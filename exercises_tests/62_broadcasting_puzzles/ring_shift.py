"""ring-shift: the elements of `a`, moved by `k` places on a ring."""

import numpy as np

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules, growing

from ._lesson import as_jax_reads, digits


def turned(a, k):
    return [a[(i - k) % len(a)] for i in range(len(a))]


def cases(rng):
    drawn = growing(lambda n: (digits(rng, n), int(rng.integers(-2 * n, 2 * n + 1))), tries=4)
    return [*drawn, *((np.array([3, 1, 4, 1, 5], np.int32), k) for k in (0, 1, 2, -1, -4, 5, 7, -13, 104))]


def many(rng):
    return [(digits(rng, 130), k) for k in (70, 10**6 + 3, -(10**6) - 3)]


def read(places):
    return lambda a, k: as_jax_reads(a, places(np.arange(len(a)), k, len(a)))


def cut_off(a, k):
    i = np.arange(len(a)) - k
    return np.where((i >= 0) & (i < len(a)), a[i % len(a)], 0)


MISTAKES = {
    "other-way-round": lambda a, k: np.roll(a, -k),
    "no-ring": [read(lambda i, k, n: i - k), read(lambda i, k, n: np.where(i < k, i - k + n, i - k))],
    "remainder-misplaced": read(lambda i, k, n: i - k // n),
    "sign-lost": lambda a, k: np.roll(a, abs(k)),
    "cut-off": cut_off,
    "off-by-one": [lambda a, k: np.roll(a, k + 1), lambda a, k: np.roll(a, k - 1)],
    "places-returned": lambda a, k: (np.arange(len(a)) - k) % len(a),
}

WORDS = """
hint: Turn the rule round. From which index did the element that is now at `i` come?
hint: `%` works on a whole array of indices.
other-way-round: You turned it the other way. What is at `i` now was at `i - k` before, not at `i + k`.
no-ring: Your index leaves the ring, because `k` may be negative, or larger than the ring. Take the remainder of the
    whole index.
remainder-misplaced: `k // len(a)` is how many whole turns `k` makes. Take the remainder of the whole index with `%`.
sign-lost: Your answer is right for `k >= 0`. A negative `k` turns to the left, and is not the same as its absolute
    value.
cut-off: What passes the end is lost, and zeros come in. On a ring it comes in again at the beginning.
off-by-one: Your elements are off by one place.
places-returned: Those are the places that the elements come from. Put them into the brackets of `a`.
"""

ring_shift = declare(
    "ring-shift",
    see="comes-from",
    steps=[Solves(turned, cases, many=many, mistakes=MISTAKES)],
    without=[Rules()],
    words=WORDS,
)
