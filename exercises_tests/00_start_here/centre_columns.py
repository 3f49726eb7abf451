"""centre-columns."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import is_close, numbers
from jaxcourse.inputs import Asked, Slip, compare


def cut_off(x):
    """The right numbers, written into an array of the dtype of `x`."""
    with np.errstate(invalid="ignore"):  # a negative number does not fit into an unsigned one
        return (x - x.mean(0)).astype(x.dtype)


def table(rng, shape):
    """A table of floats or of whole numbers, in any layout."""
    x = inputs.array(
        rng, shape, str(rng.choice(["float64", "float32", "int64", "uint8"])), offset=int(rng.choice([3, 40]))
    )
    return (list(inputs.layouts(x).values())[int(rng.integers(7))],)


def of_any_unit(rng, unit):
    """A table of small or of large numbers, of which some columns have nearly the mean zero already."""
    x = inputs.array(rng, (5, 3), str(rng.choice(["float64", "float32"])), low=-9, high=9)
    return ((x * unit).astype(x.dtype),)


def centred(x):
    """The oracle: column by column."""
    return np.array([[value - sum(column) / len(column) for value in column] for column in x.T.tolist()]).T.reshape(
        x.shape
    )


@probe.question(evidence="values")
def after_x_is_overwritten(student_function, x):
    """The result for `x`, which gets other numbers before the result is looked at."""
    mine = x.copy()
    result = student_function(mine)
    mine[...] = 7
    return result


CENTRING_SLIPS = [
    Slip("grand-mean", lambda x: x - x.mean()),
    Slip(
        "centred-rows",
        lambda x: x - x.mean(1, keepdims=True),
    ),
    Slip("cut-off", cut_off),
    Slip("median", lambda x: x - np.median(x, axis=0)),
    Slip(
        "mid-range",
        lambda x: x - (x.max(0) / 2 + x.min(0) / 2),
    ),
]


def check(answer, rng):
    x = rng.normal(size=(5, 3))
    try:
        got = numbers(answer(x))
    except probe.AnswerRaised as error:
        message = (
            "The means of the rows, 5 of them, do not fit the columns, of which there are 3. Each column has a mean of "
            "its own: `axis=0` averages over the rows."
        )
        refuse("(5,3) (5,)" in error.raised.message, "means-of-rows")
        raise
    message = f"`x` has shape {x.shape}, your result {got.shape}: subtract the means from `x`, do not return them."
    refuse(got.shape == (3,) and is_close(got, x.mean(0)), "returned-the-means", shape=x.shape, shape_=got.shape)
    shapes = [(5, 3), (3, 5), *((rows, columns) for rows in (1, 2, 8) for columns in (1, 2, 6)), (300, 2)]
    message = "Each column should have lost its own mean."
    full = [(rng.integers(100, 256, (4, columns), dtype=np.uint8),) for columns in (1, 2)]  # a sum in 8 bits wraps
    slips = CENTRING_SLIPS
    compare(answer, centred, table, rng, shapes=shapes, extremes=full, slips=slips, label="wrong-value", rtol=1e-4)
    message = f"{message} Here the numbers are of another unit: there is no mean that is small enough to be left."
    compare(
        answer, centred, of_any_unit, rng, shapes=[1e-12, 1e12], message=message, label="wrong-value/here", rtol=1e-4
    )
    message = (
        "These numbers are large, and differ by little. A mean in `float32`, with its 7 digits, is not near enough: "
        "compute in the dtype of `x`, or in `float64`."
    )
    large = [(10**8 + rng.integers(0, 100, (4, 3)),), (1e8 + rng.integers(0, 100, (4, 3)),)]
    Asked(answer, centred, rtol=1e-4).require(large, "", "digits-lost")
    already = np.array([[-1.0, 2.0], [1.0, -2.0]])
    message = "Its columns had mean zero already, and you returned `x` itself: whoever changes one changes both."
    require(is_close(answer.probe(after_x_is_overwritten, already), already), "not-a-copy")


WORDS = """
hint: `mean` takes `axis=`. Which axis should disappear?
hint: One mean for each column: `x.mean(axis=0)`.
grand-mean: You subtracted one number, the mean of everything: pass `axis=0`.
centred-rows: You centred the rows: `axis=1` averages over each row, `axis=0` over each column.
cut-off: Right for floats. A mean has a fraction, which a table of whole numbers cannot hold.
median: You subtracted the median of each column, not its mean.
mid-range: You subtracted the middle between the smallest and the largest of each column, not its mean.
means-of-rows: The means of the rows, 5 of them, do not fit the columns, of which there are 3. Each column has a
    mean of its own: `axis=0` averages over the rows.
returned-the-means: `x` has shape {shape}, your result {shape_}: subtract the means from `x`, do not return them.
wrong-value: Each column should have lost its own mean.
digits-lost: These numbers are large, and differ by little. A mean in `float32`, with its 7 digits, is not near
    enough: compute in the dtype of `x`, or in `float64`.
not-a-copy: Its columns had mean zero already, and you returned `x` itself: whoever changes one changes both.
"""

centre_columns = declare(
    "centre-columns",
    see="an-exercise",
    steps=[check],
    words=WORDS,
)
