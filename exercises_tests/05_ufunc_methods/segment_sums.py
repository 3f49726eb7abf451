"""segment-sums."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import Agrees, declare, refuse
from jaxcourse.inputs import Asked, Slip, compare


def trusts_reduceat(values, lengths):
    return np.add.reduceat(values, np.cumsum(lengths) - lengths)


def leaves_empty_ones_out(values, lengths):
    lengths = lengths[lengths > 0]
    return np.add.reduceat(values, np.cumsum(lengths) - lengths)


def multiplies_means(values, lengths):
    means = [run.mean() if len(run) else np.nan for run in np.split(values, np.cumsum(lengths)[:-1])]
    return np.array(means) * lengths


def clamps_the_starts(values, lengths):
    starts = np.minimum(np.cumsum(lengths) - lengths, len(values) - 1)
    return np.where(lengths > 0, np.add.reduceat(values, starts), 0)


def forgets_the_first_start(values, lengths):
    return np.add.reduceat(values, np.cumsum(lengths)[:-1])


def takes_ends_for_starts(values, lengths):
    return np.add.reduceat(np.append(values, 0), np.cumsum(lengths))


def splits_at_the_ends(values, lengths):
    return np.array([run.sum() for run in np.split(values, np.cumsum(lengths))])


def stops_at_running_totals(values, lengths):
    return np.concatenate([[0.0], np.cumsum(values)])[np.cumsum(lengths)]


def cuts_fractions_off(values, lengths):
    sums = np.zeros(len(lengths), int)
    for k, run in enumerate(np.split(values, np.cumsum(lengths)[:-1])):
        sums[k] = run.sum()
    return sums


def adds_at_once(values, lengths):
    sums = np.zeros(len(lengths))
    sums[np.repeat(np.arange(len(lengths)), lengths)] += values
    return sums


def runs(rng, lengths):
    return rng.integers(5, 60, sum(lengths)) / 4, np.array(lengths)


def any_runs(rng, n):
    lengths = rng.multinomial(2 * n, rng.dirichlet(np.full(n, 0.5)))
    return inputs.array(rng, 2 * n, low=-9, high=9), lengths


def sums_of_runs(values, lengths):
    elements = iter(values.tolist())
    return np.array([float(sum(next(elements) for _ in range(length))) for length in lengths.tolist()])


FULL_MISTAKES = [
    Slip("last-of-each", adds_at_once),
    Slip("whole-numbers", cuts_fractions_off),
    Slip("running-totals", stops_at_running_totals),
    Slip("one-too-many", splits_at_the_ends),
    Slip("starts-from-ends", takes_ends_for_starts),
    Slip("first-run-lost", forgets_the_first_start),
]
EMPTY_MISTAKES = [
    Slip("empty-run", trusts_reduceat),
    Slip("empty-left-out", leaves_empty_ones_out),
    Slip("empty-is-nan", multiplies_means),
]


def check_full_runs(answer, rng):
    full = [runs(rng, lengths) for lengths in ([2], [1, 3, 2], [2, 1, 3], [4, 1, 2, 2])] * 2
    Asked(answer, sums_of_runs).require(full, "", "wrong-value", FULL_MISTAKES)


def check_empty_runs(answer, rng):
    gap = [runs(rng, lengths) for lengths in ([2, 0, 1], [1, 0, 2], [1, 0, 0, 2], [3, 0, 2, 0, 0, 4])]
    Asked(answer, sums_of_runs).require(gap, "", "empty-inside", EMPTY_MISTAKES)


def ends_empty(lengths, label, mistakes=None):
    """A step with runs of some lengths; what raises makes the same mistake."""
    return Agrees(sums_of_runs, runs, lengths, each=1, mistakes=mistakes or {}, otherwise=label, raising={label: ""})


def check_runs_apart(answer, rng):
    """What is in one run is of no consequence for another: large numbers, infinities and NaN."""
    second = Asked(lambda values, lengths: answer(values, lengths)[1], lambda values, lengths: values[2:].sum())
    first = Asked(lambda values, lengths: answer(values, lengths)[0], lambda values, lengths: values[:3].sum())
    empty = Asked(lambda values, lengths: answer(values, lengths)[:1], lambda values, lengths: np.zeros(1))
    large = [(np.array([big, big, 0.5, 0.25, small]), np.array([2, 3])) for big, small in ((1e17, 1.0), (-3e25, 2.0))]
    second.require(large, "", "digits-lost")
    first.require([(values[::-1], lengths[::-1]) for values, lengths in large], "", "digits-lost/2")
    odd = [(np.array([value, 1.0, 2, 3, 4]), np.array([0, 1, 4])) for value in (np.inf, np.nan)]
    empty.require(odd, "", "spoilt-by-another-run")
    fine = [(np.array([1.0, 2.0, far, near, -far]), np.array([2, 3])) for far, near in ((1e8, 0.5), (-3e9, 0.25))]
    second.require(fine, "", "single-precision")
    refuse(np.asarray(answer(*fine[0])).dtype != np.float64, "single-precision")
    spoilt = [(np.array([1.5, value, 0.5, 2.0]), np.array([2, 2])) for value in (np.inf, -np.inf, np.nan)]
    second.require(spoilt, "", "spoilt-by-another-run/2")
    Asked(answer, sums_of_runs).require(spoilt, "", "cleaned-away")


def check_any_runs(answer, rng):
    compare(answer, sums_of_runs, any_runs, rng, shapes=(4, 9), label="wrong-value/2")


WORDS = """
hint: Where does each run start? `reduceat` is right for the runs that are not empty. What are the others?
hint: Or give each element the number of its run: `np.repeat(np.arange(len(lengths)), lengths)`. Then `np.bincount`.
last-of-each: Each run has one of its elements as its sum: `+=` counts an index once.
whole-numbers: The sums are whole numbers: the fractions are cut off.
running-totals: Those are the totals up to the end of each run.
one-too-many: There is one sum too many: after the last run nothing is left.
starts-from-ends: A run starts where the one *before* it ends. The first starts at 0.
first-run-lost: The first run is missing: it starts at 0.
wrong-value: No run is empty, and yet the sums are not right.
empty-run: An empty run has a number that belongs to the next run. Its sum is 0.
empty-left-out: The empty runs are missing. Each has a sum, which is 0.
empty-is-nan: The sum of an empty run is NaN. It is 0.
empty-inside: The sum of an empty run is 0.
last-element-lost: The empty runs at the end have 0, and the run before them has lost its last element. Was a start
    moved back to that element? `reduceat` ends a run where the next one starts.
empty-at-the-start: Each run keeps its own elements. The first runs are empty: they end before the first element. Their
    sums are 0.
empty-at-the-end: Each run keeps its own elements. The last runs are empty: they start beyond the last element. Their
    sums are 0.
all-empty: All runs are empty. Their sums are 0.
digits-lost/2: A small run before a large one lost its digits: a difference of two large running sums rounds them
    away.
digits-lost: A small run after a large one lost its digits: a difference of two large running sums rounds them away.
spoilt-by-another-run: The sum of an empty run is 0, whatever comes after it.
single-precision: The values have 64 bits, and so should the sums: digits that `values` has are lost.
spoilt-by-another-run/2: An infinity or a NaN has reached another run.
cleaned-away: The sum of a run that holds an infinity or a NaN is infinite, or NaN: it should not be cleaned away.
wrong-value/2: Each run has its own sum.
"""

FIRST, LAST, ALL = ([0, 2], [0, 1, 2], [0, 0, 3]), ([2, 0], [2, 1, 0], [3, 0, 0]), ([0], [0, 0, 0])
segment_sums = declare(
    "segment-sums",
    points=2,
    see="segments",
    steps=[
        check_full_runs,
        check_empty_runs,
        ends_empty(FIRST, "empty-at-the-start"),
        ends_empty(LAST, "empty-at-the-end", {"last-element-lost": clamps_the_starts}),
        ends_empty(ALL, "all-empty"),
        check_runs_apart,
        check_any_runs,
    ],
    words=WORDS,
)
