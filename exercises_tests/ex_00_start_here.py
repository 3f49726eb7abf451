"""Checks of lesson 00, start here: the exercises that show how the course works."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.exercise import close, exercise, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Asked, Slip, sweep
from jaxcourse.prediction import Mistake, prediction


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
    Slip("grand-mean", lambda x: x - x.mean(), "You subtracted one number, the mean of everything: pass `axis=0`."),
    Slip(
        "centred-rows",
        lambda x: x - x.mean(1, keepdims=True),
        "You centred the rows: `axis=1` averages over each row, `axis=0` over each column.",
    ),
    Slip("cut-off", cut_off, "Right for floats. A mean has a fraction, which a table of whole numbers cannot hold."),
    Slip("median", lambda x: x - np.median(x, axis=0), "You subtracted the median of each column, not its mean."),
    Slip(
        "mid-range",
        lambda x: x - (x.max(0) / 2 + x.min(0) / 2),
        "You subtracted the middle between the smallest and the largest of each column, not its mean.",
    ),
]


@exercise(
    "centre-columns",
    see="an-exercise",
    hint=["`mean` takes `axis=`. Which axis should disappear?", "One mean for each column: `x.mean(axis=0)`."],
)
def centre_columns(answer, rng):
    x = rng.normal(size=(5, 3))
    try:
        got = numbers(answer(x))
    except probe.AnswerRaised as error:
        message = (
            "The means of the rows, 5 of them, do not fit the columns, of which there are 3. Each column has a mean of "
            "its own: `axis=0` averages over the rows."
        )
        refuse("(5,3) (5,)" in error.raised.message, "means-of-rows", message)
        raise
    message = f"`x` has shape {x.shape}, your result {got.shape}: subtract the means from `x`, do not return them."
    refuse(got.shape == (3,) and close(got, x.mean(0)), "returned-the-means", message)
    shapes = [(5, 3), (3, 5), *((rows, columns) for rows in (1, 2, 8) for columns in (1, 2, 6)), (300, 2)]
    message = "Each column should have lost its own mean."
    full = [(rng.integers(100, 256, (4, columns), dtype=np.uint8),) for columns in (1, 2)]  # a sum in 8 bits wraps
    slips = CENTRING_SLIPS
    sweep(answer, centred, table, rng, shapes=shapes, extremes=full, slips=slips, message=message, rtol=1e-4)
    message = f"{message} Here the numbers are of another unit: there is no mean that is small enough to be left."
    sweep(answer, centred, of_any_unit, rng, shapes=[1e-12, 1e12], message=message, rtol=1e-4)
    message = (
        "These numbers are large, and differ by little. A mean in `float32`, with its 7 digits, is not near enough: "
        "compute in the dtype of `x`, or in `float64`."
    )
    large = [(10**8 + rng.integers(0, 100, (4, 3)),), (1e8 + rng.integers(0, 100, (4, 3)),)]
    Asked(answer, centred, rtol=1e-4).require(large, message, "digits-lost")
    already = np.array([[-1.0, 2.0], [1.0, -2.0]])
    message = "Its columns had mean zero already, and you returned `x` itself: whoever changes one changes both."
    require(close(answer.probe(after_x_is_overwritten, already), already), "not-a-copy", message)


@right("centre-columns")
def adds_a_row(x):
    return np.array([(column - np.mean(column)).tolist() for column in x.T]).T.tolist()


@right("centre-columns")
def by_a_product(x):
    return x - np.full((len(x), len(x)), 1 / len(x)) @ x


@wrong("centre-columns", "grand-mean")
def subtracts_the_mean_of_everything(x):
    return x - x.mean()


@wrong("centre-columns", "returned-the-means")
def returns_the_means(x):
    return x.mean(axis=0)


@wrong("centre-columns", "centred-rows")
def centres_the_rows(x):
    return x - x.mean(axis=1, keepdims=True)


@wrong("centre-columns", "means-of-rows")
def forgets_to_keep_the_axis(x):
    return x - x.mean(axis=1)


@wrong("centre-columns", "cut-off")
def writes_into_the_dtype_of_the_table(x):
    out = np.empty_like(x)
    for j in range(x.shape[1]):
        out[:, j] = x[:, j] - x[:, j].mean()
    return out


@wrong("centre-columns", "wrong-value")
def as_many_columns_as_rows(x):
    out = x.astype(float)
    for j in range(min(x.shape)):
        out[:, j] -= out[:, j].mean()
    return out


@wrong("centre-columns", "median")
def takes_the_median(x):
    return x - np.median(x, axis=0)


@wrong("centre-columns", "mid-range")
def takes_the_middle(x):
    return x - (x.max(axis=0) / 2 + x.min(axis=0) / 2)


@wrong("centre-columns", "wrong-value")
def adds_instead(x):
    return x + x.mean(axis=0)


@wrong("centre-columns", "not-a-copy")
def leaves_what_is_centred(x):
    return x - x.mean(axis=0) if x.mean(axis=0).any() else x


@wrong("centre-columns", "wrong-value")
def takes_a_small_mean_for_zero(x):
    mean = x.mean(axis=0)
    return x - np.where(np.isclose(mean, 0), 0, mean)


@wrong("centre-columns", "digits-lost")
def has_seven_digits_only(x):
    out = x.astype(np.float32)
    return out - out.mean(axis=0)


@wrong("centre-columns", "changed-input")
def subtracts_in_place(x):
    x -= x.mean(axis=0)
    return x


which_axis = prediction(
    "which-axis",
    see="a-prediction",
    hint="`axis=` names the axis that is averaged over. What is left of the shape?",
    mistakes=[
        Mistake(
            "kept-the-axis",
            {"x.mean(axis=0)": (5,), "x.mean(axis=1)": (3,)},
            "The other way round: the axis that you name is the one that is gone.",
        ),
        Mistake(
            "kept-dimensions",
            [{"x.mean(axis=0)": (1, 3)}, {"x.mean(axis=1)": (5, 1)}],
            "That is what `keepdims=True` would give. Without it the axis is gone.",
        ),
        Mistake(
            "averaged-over-everything",
            [{"x.mean(axis=0)": ()}, {"x.mean(axis=1)": ()}],
            "`()` is the shape of `x.mean()`, which is one number. With `axis=` only that one axis is averaged over.",
        ),
    ],
    otherwise="`x` has 5 rows and 3 columns, and one of the two axes is averaged away.",
)


def seconds(n, itemsize, bandwidth):
    """The oracle."""
    return 2 * n * itemsize / bandwidth


def machine(rng, n):
    """An array and a memory: few or many elements of any size, slow or fast."""
    return n, int(rng.choice([1, 2, 4, 8, 16])), float(rng.integers(1, 90)) * float(rng.choice([1.0, 1e6, 1e9]))


TIME_SLIPS = [
    Slip(
        "counted-once",
        lambda n, b, w: n * b / w,
        "The elements of `y` have to be written, too, and share the bandwidth.",
    ),
    Slip(
        "upside-down",
        lambda n, b, w: w / (2 * n * b),
        "That is a rate, one over a time: divide the bytes by the bandwidth.",
    ),
    Slip("itemsize-lost", lambda n, b, w: 2 * n / w, "You counted elements. Each of them has `itemsize` bytes."),
    Slip("itemsize-fixed", lambda n, b, w: 8 * n / w, "Right for 4 bytes only: use `itemsize`."),
    Slip("itemsize-fixed", lambda n, b, w: 16 * n / w, "Right for 8 bytes only: use `itemsize`."),
    Slip("cut-off", lambda n, b, w: 2 * n * b // w, "`//` drops the fraction, and seconds are often a small fraction."),
    Slip(
        "addition-counted",
        lambda n, b, w: 3 * n * b / w,
        "The addition moves no bytes, and `y` is not read: one time in, one time out.",
    ),
    Slip("bits", lambda n, b, w: 16 * n * b / w, "Those are bits. `itemsize` and `bandwidth` are in bytes."),
    Slip(
        "other-unit",
        lambda n, b, w: 2e3 * n * b / w,
        "Those are milliseconds: bytes, divided by bytes per second, are seconds already.",
    ),
    Slip(
        "other-unit",
        lambda n, b, w: 2 * n * b / (w * 1e9),
        "`bandwidth` is in bytes per second already, and not in gigabytes.",
    ),
]


@exercise(
    "least-time",
    see="ceilings",
    hint=["How many bytes are read? How many are written?", "Seconds are bytes, divided by bytes per second."],
)
def least_time(answer, rng):
    message = "All bytes that are read and written, divided by the bytes per second."
    sizes = [1, 7, int(rng.integers(1_000, 9_000)), 10_000_000, 3_000_000_000]
    sweep(answer, seconds, machine, rng, shapes=sizes, each=5, slips=TIME_SLIPS, message=message)


@right("least-time")
def in_and_out(n, itemsize, bandwidth):
    return np.sum([n * itemsize, itemsize * n]) / np.float64(bandwidth)


@wrong("least-time", "counted-once")
def counts_what_is_read(n, itemsize, bandwidth):
    return n * itemsize / bandwidth


@wrong("least-time", "upside-down")
def gives_a_rate(n, itemsize, bandwidth):
    return bandwidth / (2 * n * itemsize)


@wrong("least-time", "itemsize-lost")
def counts_elements(n, itemsize, bandwidth):
    return 2 * n / bandwidth


@wrong("least-time", "itemsize-fixed")
def thinks_of_float32(n, itemsize, bandwidth):
    return 2 * n * 4 / bandwidth


@wrong("least-time", "addition-counted")
def counts_the_addition(n, itemsize, bandwidth):
    return 3 * n * itemsize / bandwidth


@wrong("least-time", "cut-off")
def divides_whole_numbers(n, itemsize, bandwidth):
    return 2 * n * itemsize // bandwidth


@wrong("least-time", "wrong-value")
def rounds_to_milliseconds(n, itemsize, bandwidth):
    return round(2 * n * itemsize / bandwidth, 3)


@wrong("least-time", "bits")
def counts_bits(n, itemsize, bandwidth):
    return 2 * n * itemsize * 8 / bandwidth


@wrong("least-time", "other-unit")
def in_milliseconds(n, itemsize, bandwidth):
    return 1e3 * 2 * n * itemsize / bandwidth
