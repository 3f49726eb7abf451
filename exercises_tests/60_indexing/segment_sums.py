"""segment-sums: the sums of runs that lie end to end, some of which are empty."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import Agrees, declare, require
from jaxcourse.exercise import numbers


def sums_of_runs(values, lengths):
    elements = iter(values.tolist())
    return np.array([float(sum(next(elements) for _ in range(length))) for length in lengths.tolist()])


def runs(rng, lengths):
    return rng.integers(5, 60, sum(lengths)) / 4, np.array(lengths)


def any_runs(rng, n):
    lengths = rng.multinomial(2 * n, rng.dirichlet(np.full(n, 0.5)))
    return inputs.array(rng, 2 * n, low=-9, high=9), lengths


def starts_of(lengths):
    return np.cumsum(lengths) - lengths


def clamps_the_starts(values, lengths):
    starts = np.minimum(starts_of(lengths), len(values) - 1)
    return np.where(lengths > 0, np.add.reduceat(values, starts), 0)


def adds_at_once(values, lengths):
    sums = np.zeros(len(lengths))
    sums[np.repeat(np.arange(len(lengths)), lengths)] += values
    return sums


def multiplies_means(values, lengths):
    means = [run.mean() if len(run) else np.nan for run in np.split(values, np.cumsum(lengths)[:-1])]
    return np.array(means) * lengths


OF_FULL_RUNS = {
    "last-of-each": adds_at_once,
    "whole-numbers": [
        lambda values, lengths: sums_of_runs(values, lengths).astype(int),
        lambda values, lengths: sums_of_runs(values.astype(int), lengths),
    ],
    "running-totals": lambda values, lengths: np.append(0.0, np.cumsum(values))[np.cumsum(lengths)],
    "one-too-many": lambda values, lengths: np.append(sums_of_runs(values, lengths), 0.0),
    "starts-from-ends": lambda values, lengths: np.add.reduceat(np.append(values, 0), np.cumsum(lengths)),
    "first-run-lost": lambda values, lengths: np.add.reduceat(values, np.cumsum(lengths)[:-1]),
}
OF_EMPTY_RUNS = {
    "empty-run": lambda values, lengths: np.add.reduceat(values, starts_of(lengths)),
    "empty-left-out": lambda values, lengths: sums_of_runs(values, lengths)[lengths > 0],
    "empty-is-nan": multiplies_means,
}


def with_runs(lengths, label, **how):
    return Agrees(sums_of_runs, runs, lengths, otherwise=label, **how)


def ends_empty(lengths, label, mistakes=None):
    """A step with runs of some lengths; what raises makes the same mistake."""
    return with_runs(lengths, label, each=1, mistakes=mistakes or {}, raising={label: ""})


def sum_of_one(k, cases, label):
    """A step that looks at the sum of run `k` alone: beside a large one, what is lost of a small one would not show."""
    return Agrees(
        lambda values, lengths: sums_of_runs(values, lengths)[k],
        extremes=cases,
        reads=lambda got, values, lengths: np.resize(numbers(got), k + 1)[k],  # of any shape
        otherwise=label,
    )


def have_64_bits(answer, rng):
    """The sums are `float64`."""
    dtype = np.asarray(answer(*FAR[0])).dtype
    require(dtype == np.float64, "single-precision/2", dtype=dtype)


def are_always_float64(answer, rng):
    """They are so where all runs are empty, too."""
    dtype = np.asarray(answer(*runs(rng, [0, 0]))).dtype
    require(dtype == np.float64, "other-dtype", dtype=dtype)


LARGE = [(np.array([big, big, 0.5, 0.25, small]), np.array([2, 3])) for big, small in ((1e17, 1.0), (-3e25, 2.0))]
LARGE_LAST = [(values[::-1], lengths[::-1]) for values, lengths in LARGE]
FAR = [(np.array([1.0, 2.0, far, near, -far]), np.array([2, 3])) for far, near in ((1e8, 0.5), (-3e9, 0.25))]
AFTER_AN_EMPTY_RUN = [(np.array([odd, 1.0, 2, 3, 4]), np.array([0, 1, 4])) for odd in (np.inf, np.nan)]
NOT_FINITE = [(np.array([1.5, odd, 0.5, 2.0]), np.array([2, 2])) for odd in (np.inf, -np.inf, np.nan)]

WORDS = """
hint: Where does each run start? `reduceat` is right for the runs that are not empty. What are the others?
hint: Or give each element the number of its run: `np.repeat(np.arange(len(lengths)), lengths)`. Then `np.bincount`,
    which counts in integers if there is nothing to add.
last-of-each: Your sum of each run is its last element. At a repeated index, `+=` counts once, and `=` keeps what
    was written last.
whole-numbers: Your sums are whole numbers. The fractions of the values, or of the sums, are cut off.
running-totals: You returned the totals up to the end of each run. Return the sum of each run alone.
one-too-many: You returned one sum too many. After the last run, nothing is left.
starts-from-ends: You let a run start where it ends. It starts where the one *before* it ends, and the first at 0.
first-run-lost: Your first run is missing. It starts at 0.
wrong-value: Your sums are not those of the runs, although no run is empty.
empty-run: Your empty run has a number that belongs to the next run. Its sum is 0.
empty-left-out: You left the empty runs out. Each has a sum, which is 0.
empty-is-nan: Your sum of an empty run is NaN, and should be 0.
empty-inside: Your sums are right if no run is empty. An empty run has the sum 0, and each other one the sum of its
    elements.
last-element-lost: Your last run that is not empty lost its last element. Did you move the starts of empty runs behind
    it to that element? `reduceat` ends a run where the next starts.
empty-at-the-start: Your answer goes wrong if the first runs are empty. They end before the first element, so their
    sums are 0. Each other run keeps its elements.
empty-at-the-end: Your answer goes wrong if the last runs are empty. They start beyond the last element, so their
    sums are 0. Each other run keeps its elements.
all-empty: Your answer goes wrong if all runs are empty. Each sum is 0.
digits-lost/2: Your small run before a large one lost its digits: a difference of two large running sums rounds them
    away. Add each run by itself.
digits-lost: Your small run after a large one lost its digits: a difference of two large running sums rounds them
    away. Add each run by itself.
spoilt-by-another-run: Your sum of an empty run is not 0 if an infinity or a NaN comes after it. It should be 0,
    whatever comes.
single-precision: Your sums lose digits that `values` has. The values have 64 bits, and so should the sums.
single-precision/2: Your sums are `{dtype}`. The values are `float64`, and so should the sums be.
spoilt-by-another-run/2: Your sums let an infinity or a NaN reach another run.
cleaned-away: Your sum of a run that holds an infinity or a NaN should be infinite, or NaN: do not clean it away.
wrong-value/2: Your sums are not those of the runs. Each run has its own.
other-dtype: Your sums are right. But if all runs are empty, they are `{dtype}`, and should be `float64`. Is it from
    `np.bincount`, which gives integers if there is nothing to weigh?
"""

FULL = [[2], [1, 3, 2], [2, 1, 3], [4, 1, 2, 2]]
EMPTY = [[2, 0, 1], [1, 0, 2], [1, 0, 0, 2], [3, 0, 2, 0, 0, 4]]
FIRST, LAST, ALL = ([0, 2], [0, 1, 2], [0, 0, 3]), ([2, 0], [2, 1, 0], [3, 0, 0]), ([0], [0, 0, 0])
segment_sums = declare(
    "segment-sums",
    points=2,
    see="segments",
    steps=[
        with_runs(FULL, "wrong-value", each=2, mistakes=OF_FULL_RUNS),
        with_runs(EMPTY, "empty-inside", each=1, mistakes=OF_EMPTY_RUNS),
        ends_empty(FIRST, "empty-at-the-start"),
        ends_empty(LAST, "empty-at-the-end", {"last-element-lost": clamps_the_starts}),
        ends_empty(ALL, "all-empty"),
        sum_of_one(1, LARGE, "digits-lost"),
        sum_of_one(0, LARGE_LAST, "digits-lost/2"),
        sum_of_one(0, AFTER_AN_EMPTY_RUN, "spoilt-by-another-run"),
        sum_of_one(1, FAR, "single-precision"),
        have_64_bits,
        sum_of_one(1, NOT_FINITE, "spoilt-by-another-run/2"),
        Agrees(sums_of_runs, extremes=NOT_FINITE, otherwise="cleaned-away"),
        Agrees(sums_of_runs, any_runs, [4, 9], otherwise="wrong-value/2"),
        are_always_float64,
    ],
    words=WORDS,
)
