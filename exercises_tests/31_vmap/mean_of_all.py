"""mean-of-all: the mean of all valid elements of padded rows, compiled or not."""

from functools import partial

import jax
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, require
from jaxcourse.exercise import is_close


def counting(x, lengths):
    """Which elements count."""
    return np.arange(x.shape[1]) < np.asarray(lengths)[:, None]


def filled(x, lengths, beyond):
    """The arguments of one call, with `beyond` in every place that does not count."""
    return np.where(counting(x, lengths), x, np.float32(beyond)), np.asarray(lengths, np.int32)


def counted(x, lengths):
    """All elements that count, one after the other, in float64."""
    return np.asarray(x, np.float64)[counting(x, lengths)]


def mean_of_counted(x, lengths):
    """The oracle."""
    return counted(x, lengths).mean()


def mean_of_row_means(x, lengths, empty):
    """The mean of the rows' means; an empty row gives NaN, 0, or nothing."""
    means = [row[:n].mean() if n else np.nan for row, n in zip(np.asarray(x, np.float64), lengths, strict=True)]
    means = {"nan": means, "0": np.nan_to_num(means), "none": [mean for mean in means if mean == mean]}[empty]
    return np.mean(means)


def padded(rng, shape):
    """Rows of different lengths, with something else beyond."""
    lengths = rng.integers(0, shape[1] + 1, shape[0]).astype(np.int32)
    lengths[rng.integers(shape[0])] = rng.integers(1, shape[1] + 1)
    return filled(inputs.array(rng, shape, "float32", low=-1, high=3), lengths, float(rng.choice([0, 7])))


def edges(rng):
    """Rows that are empty, full or of zeros; a sum of lengths beyond 16 bits, and lengths of 8."""
    x = rng.uniform(1, 3, (2, 4)).astype(np.float32)
    zeros = (x * [[1, 0, 1, 1], [1, 1, 0, 0]]).astype(np.float32)
    cases = [filled(x, lengths, 5) for lengths in ([0, 4], [3, 0], [4, 4])]
    long = rng.uniform(1, 3, (80, 1000)).astype(np.float32)
    cases.append(filled(long, rng.integers(850, 1001, 80), 5))
    narrow, lengths = filled(rng.uniform(1, 3, (3, 200)).astype(np.float32), [0, 120, 127], 5)
    cases += [(narrow, lengths.astype(kind)) for kind in ("int8", "uint8")]
    return cases + [filled(zeros, lengths, 5) for lengths in ([3, 4], [2, 1], [4, 4])]


MISTAKES = {
    "mean-of-means": [partial(mean_of_row_means, empty=empty) for empty in ("nan", "0", "none")],
    "empty-row": lambda x, n: mean_of_counted(x, n) if np.all(n) else np.nan,
    "zeros-not-counted": lambda x, n: counted(x, n).sum() / np.count_nonzero(counted(x, n)),
    "from-the-right": lambda x, n: counted(x[:, ::-1], n).mean(),
    "padding-counted": lambda x, n: np.mean(x, dtype=np.float64),
    "divided-by-all": lambda x, n: counted(x, n).sum() / x.size,
    "divided-by-rows": lambda x, n: counted(x, n).sum() / len(x),
    "one-too-many": lambda x, n: np.float64(x)[np.arange(x.shape[1]) <= n[:, None]].sum() / n.sum(),
    "only-the-sum": lambda x, n: counted(x, n).sum(),
    "mean-of-each-row": lambda x, n: np.array([row[:k].sum() / k for row, k in zip(x, n, strict=True)]),
}


@probe.question(evidence="values")
def operation_by_operation(mean_of_all, x, lengths):
    """The answer's result where nothing is compiled: XLA may make a choice of a product with a mask."""
    with jax.disable_jit():
        return mean_of_all(*probe.on_device((x, lengths)))


def unspoilt(answer, rng):
    """What is no number beyond the lengths does not reach the result, in any of three ways to call."""
    x = rng.uniform(1, 3, (2, 4)).astype(np.float32)
    ways = {
        "": probe.under_jit,
        " without `jit`": probe.on_jax_arrays,
        " in `with jax.disable_jit():`": operation_by_operation,
    }
    for lengths, beyond in (([1, 3], np.nan), ([2, 0], np.inf)):
        args = filled(x, lengths, beyond)
        for where, way in ways.items():
            got = answer.probe(way, *args)
            require(is_close(got, mean_of_counted(*args), rtol=1e-4), "multiplied-the-mask", where=where)


def not_cleaned(answer, rng):
    """An element that counts and is no number makes the mean none, too."""
    x = rng.uniform(1, 3, (2, 4)).astype(np.float32)
    for bad in (np.nan, np.inf):
        spoilt = np.where(np.arange(4) == 1, np.float32(bad), x), np.array([2, 4], np.int32)
        require(is_close(answer.probe(probe.under_jit, *spoilt), bad), "cleaned-away", bad=bad)


WORDS = """
hint: Each row returns a sum. Divide once, by how many elements count in all.
hint: `jnp.where(jnp.arange(row.shape[0]) < length, row, 0)`
mean-of-means: You returned the mean of the rows' means, in which a short row weighs as much as a long one. Return a sum
    from each row, and divide once.
empty-row: A row in which nothing counts turns your result into NaN, because the mean of that row is 0 / 0. Return sums,
    and divide once.
zeros-not-counted: You did not count elements that are 0. `lengths` says what counts, not the values.
from-the-right: You counted the elements from the right. The first `length` of each row count.
padding-counted: You also counted what is beyond the lengths.
divided-by-all: Your sum is right, but you divided it by the number of all places. Divide by the number of those that
    count.
divided-by-rows: You divided the sum by the number of rows. Divide by the number of elements that count.
one-too-many: You took one element too many from each row. `arange` starts at 0, so `<` counts `length` of them.
only-the-sum: You returned the sum. The task asks for the mean.
mean-of-each-row: You returned one mean for each row. The task asks for one number, for all rows together.
wrong-value: Your result is not the mean of all elements that count.
shape-from-values: A shape depends on numbers that `jit` doesn't know while it traces, as in a slice, `arange` or
    `x[mask]`. Keep all places, and choose with `jnp.where(mask, x, 0)`.
value-asked-for: Your code asks for a number that is not there while `jit` traces, as `if`, `range`, `float` and
    functions of NumPy do. Keep all places, and choose with `jnp.where`.
multiplied-the-mask: NaN or infinity beyond the lengths reached your result{where}. NaN times 0 and NaN minus NaN are
    NaN. `jnp.where` chooses, and what it leaves out is gone.
cleaned-away: Your mean is not {bad}, although an element that counts is. Let it come through.
"""

mean_of_all = declare(
    "mean-of-all",
    see="mean-of-means",
    steps=[
        Agrees(
            mean_of_counted,
            padded,
            [(3, 3), (4, 2), (1, 3), (2, 1)],
            each=3,
            extremes=edges,
            ask=probe.under_jit,
            mistakes=MISTAKES,
            raising={"value-asked-for": probe.NEEDS_A_NUMBER, "shape-from-values": probe.NEEDS_A_SHAPE},
            rtol=1e-4,
        ),
        unspoilt,
        not_cleaned,
    ],
    words=WORDS,
)
