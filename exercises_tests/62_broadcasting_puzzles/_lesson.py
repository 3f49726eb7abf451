"""What the exercises of lesson 62 share."""

import numpy as np

from jaxcourse.puzzle import growing

WORDS = """
no-table: Your result has one axis. Two loops are two axes, so one of the vectors has to be a column, `[:, None]`.
"""


def digits(rng, size):
    """A vector of `size` small whole numbers; half of the time so small that they are often equal, or 0."""
    most = int(rng.choice([2, 9]))
    return rng.integers(-most, most + 1, size=size).astype(np.int32)


def vectors(rng):
    """Vectors of few lengths, many of each: a new length costs compilations, and other numbers nothing."""
    return [(digits(rng, n),) for n in (1, 3, 5) for _ in range(8)]


def many_digits(rng):
    return [(digits(rng, 130),)]


def labelled(rng):
    """Labels and a number of classes, which differ: some labels are negative, some are no class, some occur twice."""
    drawn = growing(lambda n: (rng.integers(-2, n + 2, size=n + 1).astype(np.int32), n), largest=4, tries=5)
    seldom = (np.array([1, -1, 5, 1, 3, 7, 0], np.int32), 4), (np.array([0, -3, 2, 2], np.int32), 6)
    return [*drawn, *seldom]


def far_labels(rng):
    """Many labels and classes: labels on both sides so far that they would wrap around, and one of them 200 times."""
    labels = np.concatenate([np.arange(-500, 501), np.full(200, 2)])
    return [(rng.permutation(labels).astype(np.int32), 130)]


def as_jax_reads(a, i):
    """What JAX reads at some places: from the end where they are negative, the nearest element where there is none."""
    return a[np.clip(np.where(i < 0, i + len(a), i), 0, len(a) - 1)]


def column_and_row(n):
    return np.arange(n)[:, None], np.arange(n)


def hot(labels, k):
    return labels[:, None] == np.arange(k)
