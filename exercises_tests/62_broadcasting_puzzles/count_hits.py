"""count-hits: how many photons hit each of `k` pixels; one whose number is no pixel counts nowhere."""

import numpy as np

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules

from ._lesson import far_labels, hot, labelled


def occurrences(where, k):
    return [sum(place == j for place in where) for j in range(k)]


MISTAKES = {
    "sum-over-pixels": lambda where, k: hot(where, k).sum(1),
    "misses-counted": [
        lambda where, k: hot(where % k, k).sum(0),
        lambda where, k: hot(np.clip(where, 0, k - 1), k).sum(0),
        lambda where, k: hot(np.minimum(where, k - 1), k).sum(0),
        lambda where, k: hot(np.maximum(where, 0), k).sum(0),
        lambda where, k: hot(where % np.where(where < 0, k, k + 99), k).sum(0),
    ],
    "one-too-many": lambda where, k: hot(where, k + 1).sum(0),
    "pixels-from-one": lambda where, k: hot(where - 1, k).sum(0),
    "hit-or-not": lambda where, k: hot(where, k).any(0),
    "one-number": lambda where, k: hot(where, k).sum(),
    "not-summed": hot,
    "hits-below": [
        lambda where, k: ((where[:, None] >= 0) & (where[:, None] <= np.arange(k))).sum(0),
        lambda where, k: (where[:, None] <= np.arange(k)).sum(0),
    ],
    "numbers-added": lambda where, k: (hot(where, k) * where[:, None]).sum(0),
}

WORDS = """
hint: Compare every photon, a column, with every pixel, a row.
hint: That is a row for each photon. Which axis disappears?
sum-over-pixels: You summed over the pixels, so one number is left for each photon. Sum over the photons, the other
    axis.
misses-counted: A photon that missed was counted in some pixel. One whose number is no pixel counts nowhere.
one-too-many: You counted one pixel too many. There are `k`, from 0 to `k - 1`.
pixels-from-one: The pixels are 0 to `k - 1`, not 1 to `k`.
hit-or-not: That says whether a pixel was hit, not how often.
one-number: One number came out, for all pixels together. Compare each photon with each pixel, and sum over the photons
    alone.
not-summed: That is a row for each photon still. Sum over the photons.
hits-below: You counted a photon in its pixel and in all behind it. Compare with `==`.
numbers-added: You added up the numbers of the pixels. Each hit counts 1.
"""

count_hits = declare(
    "count-hits",
    see="one-hot",
    steps=[Solves(occurrences, labelled, many=far_labels, mistakes=MISTAKES)],
    without=[Rules()],
    words=WORDS,
)
