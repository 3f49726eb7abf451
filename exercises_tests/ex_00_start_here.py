"""Checks of lesson 00, start here: the two exercises that show how the course works."""

from jaxcourse.exercise import close, entries, exercise, expect, numbers, require, wrong


@exercise(
    "centre-columns",
    see="an-exercise",
    hint=["`mean` takes `axis=`. Which axis should disappear?", "One mean for each column: `x.mean(axis=0)`."],
)
def centre_columns(answer, rng):
    x = rng.normal(size=(5, 3))
    got = numbers(answer(x))
    message = f"`x` has shape {x.shape}, your result {got.shape}: subtract the means from `x`, do not return them."
    require(got.shape != (3,), "returned-the-means", message)
    require(
        not close(got, x - x.mean()), "grand-mean", "You subtracted one number, the mean of everything: pass `axis=0`."
    )
    message = "You centred the rows: `axis=1` averages over each row, `axis=0` over each column."
    require(not close(got, x - x.mean(1, keepdims=True)), "centred-rows", message)
    expect(got, x - x.mean(0), "Each column should have lost its own mean.")


@wrong("centre-columns", "grand-mean")
def subtracts_the_mean_of_everything(x):
    return x - x.mean()


@wrong("centre-columns", "returned-the-means")
def returns_the_means(x):
    return x.mean(axis=0)


@wrong("centre-columns", "centred-rows")
def centres_the_rows(x):
    return x - x.mean(axis=1, keepdims=True)


@wrong("centre-columns", "wrong-value")
def adds_instead(x):
    return x + x.mean(axis=0)


@wrong("centre-columns", "changed-input")
def subtracts_in_place(x):
    x -= x.mean(axis=0)
    return x


@exercise(
    "which-axis", see="a-prediction", hint="`axis=` names the axis that is averaged over. What is left of the shape?"
)
def which_axis(answer, rng):
    got = entries(answer.value(), like={"x.mean(axis=0)": (3,), "x.mean(axis=1)": (5,)})
    shapes = tuple(tuple(shape) if isinstance(shape, list) else shape for shape in got.values())
    require(all(isinstance(shape, (tuple, int)) for shape in shapes), "wrong-type", "Give each shape as a tuple.")
    require(
        shapes != ((5,), (3,)), "kept-the-axis", "The other way round: the axis that you name is the one that is gone."
    )
    require(shapes not in [(3, 5), (5, 3)], "not-a-shape", "A shape is a tuple, also for one axis: `(3,)`.")
    require(
        shapes != ((1, 3), (5, 1)),
        "kept-dimensions",
        "That is what `keepdims=True` would give. Without it the axis is gone.",
    )
    require(
        shapes == ((3,), (5,)), "wrong-value", "`x` has 5 rows and 3 columns, and one of the two axes is averaged away."
    )


the_other_way_round = wrong("which-axis", "kept-the-axis")({"x.mean(axis=0)": (5,), "x.mean(axis=1)": (3,)})
numbers_instead = wrong("which-axis", "not-a-shape")({"x.mean(axis=0)": 3, "x.mean(axis=1)": 5})
as_with_keepdims = wrong("which-axis", "kept-dimensions")({"x.mean(axis=0)": (1, 3), "x.mean(axis=1)": (5, 1)})
nothing_is_left = wrong("which-axis", "wrong-value")({"x.mean(axis=0)": (), "x.mean(axis=1)": ()})
a_pair_instead = wrong("which-axis", "keys-changed")(((3,), (5,)))


@exercise(
    "least-time",
    see="ceilings",
    hint=["How many bytes are read? How many are written?", "Seconds are bytes, divided by bytes per second."],
)
def least_time(answer, rng):
    n, bandwidth = int(rng.integers(1_000, 9_000)), float(rng.integers(10, 90)) * 1e9
    got, want = numbers(answer(n, 4, bandwidth)), 2 * n * 4 / bandwidth
    require(not close(got, want / 2), "counted-once", "The elements of `y` have to be written, too.")
    require(
        not close(got, 1 / want), "upside-down", "That is a rate, one over a time: divide the bytes by the bandwidth."
    )
    require(not close(got, want / 4), "itemsize-lost", "You counted elements. Each of them has `itemsize` bytes.")
    message = "Right for 4 bytes only: use `itemsize`."
    expect(got, want, "All bytes that are read and written, divided by the bytes per second.")
    expect(answer(n, 8, bandwidth), 2 * want, message, label="itemsize-fixed")


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


@wrong("least-time", "wrong-value")
def counts_the_addition(n, itemsize, bandwidth):
    return 3 * n * itemsize / bandwidth
