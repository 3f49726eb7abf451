"""centre-columns: a table whose columns have lost their means."""

from functools import partial

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, Shaped, declare


def centred(x):
    """The oracle: column by column."""
    return np.array([[value - sum(column) / len(column) for value in column] for column in x.T.tolist()]).T.reshape(
        x.shape
    )


def table(rng, shape):
    """A table of floats or of whole numbers, in any layout."""
    x = inputs.array(
        rng, shape, str(rng.choice(["float64", "float32", "int64", "uint8"])), offset=int(rng.choice([3, 40]))
    )
    if x.dtype.kind == "f":
        x = np.round(64 * x) / 64  # two numbers that are nearly equal would differ by what `float32` rounds away
    return (list(inputs.layouts(x).values())[int(rng.integers(7))],)


def full(rng):
    """Tables of bytes, whose sums do not fit into a byte."""
    return [(rng.integers(100, 256, (4, columns), dtype=np.uint8),) for columns in (1, 2)]


def of_any_unit(rng, unit):
    """A table of small or of large numbers, of which some columns have nearly the mean zero already."""
    x = inputs.array(rng, (5, 3), str(rng.choice(["float64", "float32"])), low=-9, high=9)
    return ((x * unit).astype(x.dtype),)


def large(rng):
    return [(10**8 + rng.integers(0, 100, (4, 3)),), (1e8 + rng.integers(0, 100, (4, 3)),)]


@probe.question(evidence="values")
def after_x_is_overwritten(student_function, x):
    """The result for `x`, which gets other numbers before the result is looked at."""
    mine = x.copy()
    result = student_function(mine)
    mine[...] = 7
    return result


def cut_off(x):
    """The right numbers, written into an array of the dtype of `x`."""
    with np.errstate(invalid="ignore"):  # a negative number does not fit into an unsigned one
        return (x - x.mean(0)).astype(x.dtype)


OF_SHAPE = {"returned-the-means": lambda x: x.mean(0)}
MISTAKES = {
    "grand-mean": lambda x: x - x.mean(),
    "centred-rows": lambda x: x - x.mean(1, keepdims=True),
    "cut-off": cut_off,
    "median": lambda x: x - np.median(x, axis=0),
    "mid-range": lambda x: x - (x.max(0) / 2 + x.min(0) / 2),
}

WORDS = """
hint: `mean` takes an `axis`. Which axis of the table should disappear?
hint: One mean for each column is `x.mean(axis=0)`.
means-of-rows: You took the means of the 5 rows, and they don't fit 3 columns. Each column needs its own mean:
    `axis=0` averages over the rows.
returned-the-means: You returned the means. Subtract them from `x`, and return what's left.
grand-mean: You subtracted one number from everything, the mean of the whole table. With `axis=0` you get one mean for
    each column.
centred-rows: Your rows have mean zero now, and your columns don't. `axis=1` averages over each row, `axis=0` over each
    column.
cut-off: Your answer is right for floats. For integers it has lost the fractions: a mean has one, and an array of
    integers can't hold it.
median: You subtracted the median of each column. The task asks for the mean.
mid-range: You subtracted the middle between the smallest and the largest number of each column. The task asks for the
    mean.
wrong-value: Your columns should come back minus their own means. What's the mean of the first one?
wrong-value/unit: Your result is off for very small or very large numbers. Don't round them, and leave none of them out:
    subtract each column's mean, and nothing else.
digits-lost: Your result is off for large numbers that differ by little. `float32` has 7 digits, too few for such a
    mean: compute in the dtype of `x`, or in `float64`.
not-a-copy: Your result changed when the check overwrote `x` with 7. Is it `x` itself, or a view of it? Return a new
    array, even if all means are zero already.
"""

SHAPES = [(5, 3), (3, 5), *((rows, columns) for rows in (1, 2, 8) for columns in (1, 2, 6)), (300, 2)]
CENTRED = [(np.array([[-1.0, 2.0], [1.0, -2.0]]),)]
agrees = partial(Agrees, centred, rtol=1e-4)
centre_columns = declare(
    "centre-columns",
    see="an-exercise",
    steps=[
        agrees(
            Shaped("rows columns"),
            [(5, 3)],
            mistakes=OF_SHAPE,
            otherwise=None,
            raising={"means-of-rows": "(5,3) (5,)"},
        ),
        agrees(table, SHAPES, extremes=full, mistakes=MISTAKES),
        agrees(of_any_unit, [1e-12, 1e12], otherwise="wrong-value/unit"),
        agrees(extremes=large, otherwise="digits-lost"),
        Agrees(centred, extremes=CENTRED, ask=after_x_is_overwritten, otherwise="not-a-copy"),
    ],
    words=WORDS,
)
