"""weigh-the-means: the mean of valid values, of which the devices have unequal numbers."""

import numpy as np

from jaxcourse.checks import declare

from ._lesson import WORDS as LESSON
from ._lesson import exact, normal, on_meshes


def some_calls(rng, n):
    few = [one(rng, n, 3), one(rng, n, 3), one(rng, n, 3, empty=True), one(rng, n, 3, empty=True)]
    few.append(one(rng, n, 3, lone=True))
    return [*few, one(rng, n, 1), one(rng, n, 90)]  # in the last one, more values are valid than a byte counts


def one(rng, n, block, empty=False, lone=False):
    """Values and which are valid: on the last device none, or nowhere but on the last one."""
    values, valid = 5 + 3 * normal(rng, n * block), rng.random(n * block) < 0.6
    valid[:block] = True, *[False] * (block - 1)
    if empty and n > 1:
        valid[-block:] = False
        values[~valid] *= np.float32(1e6)
    if lone:
        valid[:], valid[-1] = False, True
    values[0] = 0
    return values, valid


def mean(devices, values, valid):
    return exact(values)[0][valid].mean()


def blocks(n, values, valid):
    return exact(values)[0].reshape(n, -1), valid.reshape(n, -1)


def mean_of_means(n, values, valid, least=0):
    v, m = blocks(n, values, valid)
    with np.errstate(divide="ignore", invalid="ignore"):
        return ((v * m).sum(1) / np.maximum(m.sum(1), least)).mean()


def of_those_with_any(n, values, valid):
    v, m = blocks(n, values, valid)
    some = m.any(axis=1)
    return ((v * m).sum(1)[some] / m.sum(1)[some]).mean()


def nothing_by_nothing(n, values, valid):
    return mean(n, values, valid) if blocks(n, values, valid)[1].any(1).all() else np.nan


MISTAKES = {
    "mean-of-means": [mean_of_means, lambda n, v, m: mean_of_means(n, v, m, 1), of_those_with_any],
    "counts-the-invalid": lambda n, v, m: (exact(v)[0] * m).mean(),
    "ignores-valid": lambda n, v, m: exact(v)[0].mean(),
    "divides-by-mean-count": lambda n, v, m: n * mean(n, v, m),
    "nothing-by-nothing": nothing_by_nothing,
}


WORDS = """
hint: Which two numbers of each device can you add?
hint: `psum` of the sums, divided by `psum` of the counts.
mean-of-means: Your result counts each device's mean the same, however many values it has. Add the sums, add the
    counts, and divide once.
counts-the-invalid: You divided the sum by the number of all values. Count only those that are valid.
ignores-valid: Your mean counts all values, valid or not.
divides-by-mean-count: Your mean is too large by the number of devices. Do you divide by the mean count of a device,
    or sum a mean that all have already?
nothing-by-nothing: Your result is NaN if a device has no valid value. 0 by 0 is NaN, and so is NaN times 0. Add all
    sums and counts, and divide once.
wrong-value: Your number is not the mean of the valid values.
"""

weigh_the_means = declare(
    "weigh-the-means",
    see="unequal-means",
    steps=[on_meshes(mean, some_calls, ["x"], ["x"], mistakes=MISTAKES, copies=True)],
    words=(LESSON, WORDS),
)
