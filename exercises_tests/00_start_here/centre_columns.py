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
hint: `mean` takes `axis=`. Which axis should disappear?
hint: One mean for each column: `x.mean(axis=0)`.
means-of-rows: The means of the rows, 5 of them, do not fit the columns, of which there are 3. Each column has a
    mean of its own: `axis=0` averages over the rows.
returned-the-means: Those are the means: subtract them from `x`, do not return them.
grand-mean: You subtracted one number, the mean of everything: pass `axis=0`.
centred-rows: You centred the rows: `axis=1` averages over each row, `axis=0` over each column.
cut-off: Right for floats. A mean has a fraction, which a table of whole numbers cannot hold.
median: You subtracted the median of each column, not its mean.
mid-range: You subtracted the middle between the smallest and the largest of each column, not its mean.
wrong-value: Each column should have lost its own mean.
wrong-value/unit: Each column should have lost its own mean, and nothing else. Here the numbers are of another unit:
    none of them is small enough to be left out, or to be rounded away.
digits-lost: These numbers are large, and differ by little. A mean in `float32`, with its 7 digits, is not near
    enough: compute in the dtype of `x`, or in `float64`.
not-a-copy: These columns had mean zero already. What you returned changed with `x`, all of which was set to 7
    afterwards: is it `x` itself, or a view of it? Return a new array.
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
