"""running-total: for each element of `a`, the sum of all up to it."""

import numpy as np

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules

from ._lesson import column_and_row, many_digits, vectors


def totals(a):
    return [sum(a[: i + 1]) for i in range(len(a))]


def masked(mask):
    return lambda a: mask(*column_and_row(len(a))) @ a


def taken_often(a):
    """Each element as often as it stands in a total."""
    return a * (len(a) - np.arange(len(a)))


MISTAKES = {
    "own-element-lost": masked(lambda i, j: j < i),
    "from-the-end": masked(lambda i, j: j >= i),
    "summed-over-i": taken_often,
    "one-number": [lambda a: a.sum(), lambda a: taken_often(a).sum()],
    "values-compared": lambda a: (a <= a[:, None]) @ a,
    "neighbour-alone": masked(lambda i, j: (j == i) | (j == i - 1)),
}

WORDS = """
hint: Which elements does the sum at `i` take? The mask of an earlier puzzle says which.
hint: A mask `@` a vector.
own-element-lost: Your totals are one behind. Each should include its own element.
from-the-end: You sum from each element to the end, so your mask is transposed.
summed-over-i: You summed over `i`, so each `a[j]` was taken as often as it occurs. Sum over `j`, the columns.
one-number: You returned one number, but there is a total for each element. Make a table, and sum over one of its two
    axes.
values-compared: You compared elements of `a`. The condition compares their places, `j <= i`.
neighbour-alone: Only one neighbour was added. Each total takes *all* elements before.
"""

running_total = declare(
    "running-total",
    see="sum-over-an-axis",
    steps=[Solves(totals, vectors, many=many_digits, mistakes=MISTAKES)],
    without=[Rules()],
    words=WORDS,
)
