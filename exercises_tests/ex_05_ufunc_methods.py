"""Checks of lesson 05, ufunc methods and folds: what is asked, what people get wrong, and what they are told."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.bans import no_loops
from jaxcourse.exercise import equivalent, exercise, refuse, right, wrong
from jaxcourse.inputs import Asked, Slip, sweep
from jaxcourse.prediction import Mistake, any_of, prediction
from jaxcourse.probe import NEEDS_A_SHAPE, NEEDS_A_VALUE, AnswerRaised

# -- predict-ufunc-methods --------------------------------------------------------------------------------------


def results_of_methods():
    """What the seven expressions give."""
    x = np.array([3, 1, 4, 1, 5])
    counted = x.copy()
    np.add.at(counted, [0, 0, 1], 10)
    return {
        "np.maximum.reduce(x)": np.maximum.reduce(x),
        "np.subtract.reduce(x)": np.subtract.reduce(x),
        "np.maximum.accumulate(x)": np.maximum.accumulate(x),
        "np.multiply.accumulate(x)": np.multiply.accumulate(x),
        "np.add.reduceat(x, [0, 2, 4])": np.add.reduceat(x, [0, 2, 4]),
        "np.add.outer(x, x[:2]).shape": np.add.outer(x, x[:2]).shape,
        "x after np.add.at(x, [0, 0, 1], 10)": counted,
    }


predict_ufunc_methods = prediction(
    "predict-ufunc-methods",
    see="five-loops",
    hint=["Write the steps down: `reduce` keeps the last, `accumulate` all of them.", "`reduceat` is given starts."],
    mistakes=[
        Mistake(
            "folded-from-the-right",
            {"np.subtract.reduce(x)": 10},
            "You folded from the right. A fold goes from left to right: (((3 - 1) - 4) - 1) - 5.",
        ),
        Mistake(
            "only-the-last-step",
            [{"np.maximum.accumulate(x)": 5}, {"np.multiply.accumulate(x)": 60}],
            "`accumulate` keeps every step: as many elements as `x` has. The last one is what `reduce` gives.",
        ),
        Mistake(
            "ends-included",
            {"np.add.reduceat(x, [0, 2, 4])": (8, 10, 5)},
            "A segment ends just before the next one starts: 3 + 1, then 4 + 1, then 5.",
        ),
        Mistake(
            "not-every-pair",
            {"np.add.outer(x, x[:2]).shape": any_of((2, 5), (5,), (2,))},
            "`outer` takes every pair: the shape is that of the first followed by that of the second.",
            see="outer-loop",
        ),
        Mistake(
            "counted-once",
            {"x after np.add.at(x, [0, 0, 1], 10)": (13, 11, 4, 1, 5)},
            "`np.add.at` adds once for *each* index: element 0 is named twice.",
            see="at-loop",
        ),
    ],
    otherwise="Write down the steps.",
    truth=results_of_methods,
)

# -- log-total ---------------------------------------------------------------------------------------------------


@exercise(
    "log-total",
    see="five-loops",
    hint=["Which ufunc adds two numbers that are given by their logarithms?", "`np.logaddexp.reduce`. Mind its axis."],
)
def log_total(answer, rng):
    def ask(log_p):
        with np.errstate(all="ignore"):  # a wrong answer may overflow
            return answer(log_p)

    slips = [
        Slip(
            "axis-0",
            folds_axis_0.answer,
            "You added along axis 0, which a method folds unless you name another. The states are along the last one.",
        ),
        Slip("one-total", folds_everything.answer, "One number for everything: one for each row is wanted."),
        Slip(
            "multiplied",
            adds_the_logarithms.answer,
            "You added the logarithms, which multiplies the probabilities. Their sum is wanted.",
        ),
        Slip("no-logarithm", adds_the_probabilities.answer, "That is the sum. Its logarithm is wanted."),
        Slip(
            "every-step",
            accumulates_logarithms.answer,
            "Those are all steps of the sum. The last of them is wanted: `reduce`, not `accumulate`.",
        ),
        Slip(
            "only-the-largest",
            takes_the_largest.answer,
            "That is the largest logarithm. It is near the logarithm of the sum only if the others are much smaller.",
        ),
        Slip("axis-kept", keeps_the_folded_axis.answer, "The states are still an axis, of length 1."),
        Slip("base-2", adds_powers_of_2.answer, "`logaddexp2` adds powers of 2. These are logarithms to the base e."),
        Slip(
            "shift-not-undone",
            forgets_the_shift.answer,
            "You divided the probabilities by the largest, which is fine, and did not multiply the sum by it again.",
        ),
    ]
    half = getattr(ask(rng.normal(size=(3, 4))), "dtype", None) == np.float16
    refuse(half, "half-precision", "`float16` has three digits, and ends at 65504. `float32` is precise enough.")
    message = "The logarithm of the sum of the probabilities, along the last axis."
    shapes = (3, 3), (2, 5)
    sweep(ask, total_of_logs, near_one, rng, shapes=shapes, slips=slips, message=message)
    for offset, size in ((-100_000, "small"), (100_000, "large")):
        cases = [(rng.normal(size=(3, 4)) + offset,) for _ in range(2)]
        message = f"Probabilities as {size} as exp({offset}) are no floating-point numbers: you left the logarithms."
        Asked(ask, total_of_logs).require(cases, message, "left-the-logarithms")
    rows = np.array([[0.0], [-20_000], [20_000]])
    cases = [(rng.normal(size=(3, 4)) + rows,) for _ in range(2)]
    message = "Right for rows of one size, but not for a row of tiny probabilities beside one of huge ones."
    Asked(ask, total_of_logs).require(cases, message, "one-shift-for-all")
    cases = [(rng.permuted(rng.normal(size=(3, 4)) + [-9_000, 9_000, 0, -400], axis=1),) for _ in range(2)]
    message = "Right for probabilities of one size, but not for a row of huge and tiny ones: take out the *largest*."
    Asked(ask, total_of_logs).require(cases, message, "shift-not-the-largest")
    message = (
        "Right for some sizes only. No logarithm is the smallest, and none the largest: here they are 1e30 and more."
    )
    cases = [(size * rng.integers(1, 9, (2, 3)),) for size in (-1e30, 1e30)]
    Asked(ask, total_of_logs).require(cases, message, "bounded")
    message = "Some probabilities are 0. Where all of them are, so is their sum, and its logarithm is -inf."
    cases = [(with_zeros(rng, (3, 4)),) for _ in range(4)]
    Asked(ask, total_of_logs).require(cases, message, "zero-probability")
    message = "Right for two axes, but not for every number of axes: there may be any number before the last."
    shapes = (4,), (3, 1), (2, 3, 4)
    sweep(ask, total_of_logs, near_one, rng, shapes=shapes, each=2, message=message, label="other-axes")
    message = "Right for longer axes, but an axis of length 1 before the last is lost or misread. It stays as it is."
    shapes = (1, 3), (2, 1, 3), (1, 2, 3)
    sweep(ask, total_of_logs, near_one, rng, shapes=shapes, each=2, message=message, label="axis-of-one")


def near_one(rng, shape):
    """Logarithms whose total is near 0 and never 0, which no two ways of rounding would give."""
    return (np.log(rng.integers(1, 20, shape) / 8.5),)


def with_zeros(rng, shape):
    """Logarithms of which two in each row are -inf, and in one row all."""
    log_p = np.where(rng.permuted(np.indices(shape)[1], axis=1) < 2, -np.inf, rng.normal(size=shape))
    log_p[1] = -np.inf
    return log_p


def total_of_logs(log_p):
    return np.logaddexp.reduce(log_p, axis=-1)


@wrong("log-total", "axis-0")
def folds_axis_0(log_p):
    return np.logaddexp.reduce(log_p)


@wrong("log-total", "one-total")
def folds_everything(log_p):
    return np.logaddexp.reduce(log_p, axis=None)


@wrong("log-total", "multiplied")
def adds_the_logarithms(log_p):
    return np.add.reduce(log_p, axis=-1)


@wrong("log-total", "no-logarithm")
def adds_the_probabilities(log_p):
    return np.exp(log_p).sum(axis=-1)


@wrong("log-total", "every-step")
def accumulates_logarithms(log_p):
    return np.logaddexp.accumulate(log_p, axis=-1)


@wrong("log-total", "half-precision")
def adds_in_16_bits(log_p):
    return np.logaddexp.reduce(np.asarray(log_p, np.float16), axis=-1)


@wrong("log-total", "left-the-logarithms")
def goes_by_way_of_exp(log_p):
    return np.log(np.exp(log_p).sum(axis=-1))


@wrong("log-total", "left-the-logarithms")
def takes_longer_numbers(log_p):
    return np.log(np.exp(np.asarray(log_p, np.longdouble)).sum(axis=-1)).astype(float)


@wrong("log-total", "one-shift-for-all")
def subtracts_the_largest_of_all(log_p):
    return np.log(np.exp(log_p - log_p.max()).sum(axis=-1)) + log_p.max()


@wrong("log-total", "bounded")
def knows_a_smallest_logarithm(log_p):
    largest = np.maximum(log_p.max(axis=-1, keepdims=True), -1e9)
    return np.log(np.exp(log_p - largest).sum(axis=-1)) + largest[..., 0]


@wrong("log-total", "zero-probability")
def subtracts_the_largest(log_p):
    largest = log_p.max(axis=-1, keepdims=True)
    return np.log(np.exp(log_p - largest).sum(axis=-1)) + largest[..., 0]


@wrong("log-total", "only-the-largest")
def takes_the_largest(log_p):
    return np.maximum.reduce(log_p, axis=-1)


@wrong("log-total", "axis-kept")
def keeps_the_folded_axis(log_p):
    return np.logaddexp.reduce(log_p, axis=-1, keepdims=True)


@wrong("log-total", "base-2")
def adds_powers_of_2(log_p):
    return np.logaddexp2.reduce(log_p, axis=-1)


@wrong("log-total", "shift-not-undone")
def forgets_the_shift(log_p):
    return np.log(np.exp(log_p - log_p.max(axis=-1, keepdims=True)).sum(axis=-1))


@wrong("log-total", "other-axes")
def folds_axis_1(log_p):
    return np.logaddexp.reduce(np.atleast_2d(log_p), axis=1)


@wrong("log-total", "wrong-value")
def takes_the_mean(log_p):
    return np.logaddexp.reduce(log_p, axis=-1) - np.log(log_p.shape[-1])


@wrong("log-total", "axis-of-one")
def squeezes_every_axis_of_one(log_p):
    highest = np.max(log_p, axis=-1, keepdims=True)
    highest = np.where(np.isneginf(highest), 0.0, highest)
    with np.errstate(divide="ignore"):
        return np.log(np.sum(np.exp(log_p - highest), axis=-1)) + highest.squeeze()


@right("log-total")
def moves_the_axis_to_the_front(log_p):
    return functools.reduce(np.logaddexp, np.moveaxis(log_p, -1, 0))


in_jax = right("log-total")(jax.jit(functools.partial(jax.nn.logsumexp, axis=-1)))


# -- largest-fall ------------------------------------------------------------------------------------------------


@exercise(
    "largest-fall",
    see="five-loops",
    hint=[
        "For each moment: how high was the highest level *so far*?",
        "`np.maximum.accumulate`. Mind its axis.",
    ],
    without=[
        no_loops(
            grows=[lambda n: (np.arange(n) % 7.0,), lambda n: (np.ones((n, 5)),), lambda n: (np.ones((n, 2, 5)),)],
            of="levels",
            advice="`np.maximum.accumulate` is the loop over the moments, for all reservoirs at once.",
        )
    ],
)
def largest_fall(answer, rng):
    slips = [
        Slip(
            "order-ignored",
            highest_minus_lowest.answer,
            "You subtracted the lowest level of all from the highest of all. The lowest may have come first.",
        ),
        Slip(
            "neighbours-only",
            from_moment_to_moment.answer,
            "That is the largest fall from one moment to the next. A fall may take longer.",
        ),
        Slip(
            "neighbours-only",
            lambda level: max(0.0, from_moment_to_moment.answer(level)),
            "That is the largest fall from one moment to the next. A fall may take longer.",
        ),
        Slip(
            "unbroken-only",
            longest_decline,
            "A fall may be interrupted by a small rise: what counts is where it began and where it ended.",
        ),
        Slip(
            "from-the-first",
            below_the_first.answer,
            "That is the largest fall below the first level. A fall may begin at any moment.",
        ),
        Slip(
            "from-the-highest",
            below_the_highest.answer,
            "That is the largest fall after the highest level of all. A larger one may have come before it.",
        ),
        Slip("negative", falls_are_negative.answer, "The size is right, but the sign is not: a fall of 3 is 3."),
        Slip("a-rise", from_the_lowest_so_far.answer, "That is the largest rise."),
        Slip("not-yet-the-largest", stops_at_the_falls.answer, "Those are the falls at every moment. One is wanted."),
        Slip(
            "begins-at-zero",
            begins_at_zero.answer,
            "Your running maximum begins at 0, which is no level. Below the mark every level is less.",
        ),
        Slip("never-zero", starts_with_the_second.answer, "A level that only rises falls by 0."),
    ]
    message = "The largest fall ends where the highest level so far is furthest above the level."
    shapes = [(n,) for n in (2, 3, 4, 8)]
    sweep(answer, worst_fall, levels, rng, shapes=shapes, each=6, extremes=tides(), slips=slips, message=message)
    message = "Right for one reservoir, not for several along the axes before the last."
    slips = [
        Slip(
            "axis-0",
            accumulates_over_reservoirs.answer,
            f"{message} Methods of ufuncs fold axis 0 unless you say which.",
        ),
        Slip("one-fall", takes_the_worst_of_all.answer, "One fall for all reservoirs: each has its own."),
    ]
    shapes = (1, 4), (2, 3), (3, 3), (2, 2, 3)
    sweep(answer, worst_fall, levels, rng, shapes=shapes, slips=slips, message=message, label="several-reservoirs")
    message = "Where there is only one moment, the answer is 0."
    try:
        sweep(answer, worst_fall, levels, rng, shapes=[(1,), (3, 1)], message=message, label="one-moment")
    except AnswerRaised as error:
        refuse(True, "one-moment", f"{message} For `{error.given}` it raises `{error.raised.kind}`.")


def levels(rng, shape):
    """Levels above the mark, below it or both; some rise only."""
    offset = float(rng.choice([-10, 0, 0, 10]))
    level = np.round(4 * inputs.array(rng, shape, low=-4, high=4, offset=offset)) / 4  # exact in float32 too
    return (np.sort(level, axis=-1) if rng.random() < 0.1 else level,)


def tides():
    """Falls that tell mistakes apart: before the highest level, interrupted, in two steps, not from the first, none.

    Of any unit, too, and far below the mark or above it.
    """
    for mark, unit in ((-10, 1), (10, 1), (-10, 2.0**40), (10, 2.0**40), (10, 2.0**-40)):
        for level in ([6, -2, 9, 5], [9, 4, 5, 1], [3, 2, 0, 9, 8.5], [0, 4, 1, 6], [1, 2, 4]):
            yield ((np.array(level, float) + mark) * unit,)


def worst_fall(level):
    n = level.shape[-1]
    rows = level.reshape(-1, n).tolist()
    falls = [max(row[i] - row[j] for j in range(n) for i in range(j + 1)) for row in rows]
    return np.reshape(falls, level.shape[:-1])


def longest_decline(level):
    """The largest fall without a rise in between."""
    worst = now = 0.0
    for before, after in zip(level[:-1], level[1:], strict=True):
        now = now + before - after if after < before else 0.0
        worst = max(worst, now)
    return worst


@wrong("largest-fall", "order-ignored")
def highest_minus_lowest(level):
    return level.max(axis=-1) - level.min(axis=-1)


@wrong("largest-fall", "neighbours-only")
def from_moment_to_moment(level):
    return -np.diff(level, axis=-1).min(axis=-1)


@wrong("largest-fall", "unbroken-only")
def adds_falls_until_it_rises(level):
    falls = np.maximum(-np.diff(level, axis=-1, prepend=level[..., :1]), 0)
    total = np.cumsum(falls, axis=-1)
    return (total - np.maximum.accumulate(np.where(falls == 0, total, 0), axis=-1)).max(axis=-1)


@wrong("largest-fall", "from-the-first")
def below_the_first(level):
    return (level[..., :1] - level).max(axis=-1)


@wrong("largest-fall", "from-the-highest")
def below_the_highest(level):
    later = np.arange(level.shape[-1]) >= level.argmax(axis=-1)[..., None]
    return level.max(axis=-1) - level.min(axis=-1, where=later, initial=np.inf)


@wrong("largest-fall", "negative")
def falls_are_negative(level):
    return (level - np.maximum.accumulate(level, axis=-1)).min(axis=-1)


@wrong("largest-fall", "a-rise")
def from_the_lowest_so_far(level):
    return (level - np.minimum.accumulate(level, axis=-1)).max(axis=-1)


@wrong("largest-fall", "not-yet-the-largest")
def stops_at_the_falls(level):
    return np.maximum.accumulate(level, axis=-1) - level


@wrong("largest-fall", "axis-0")
def accumulates_over_reservoirs(level):
    return (np.maximum.accumulate(level) - level).max(axis=-1)


@wrong("largest-fall", "one-fall")
def takes_the_worst_of_all(level):
    return (np.maximum.accumulate(level, axis=-1) - level).max()


@wrong("largest-fall", "several-reservoirs")
def pairs_of_one_reservoir(level):
    return np.tril(level - level[..., None]).max(axis=(0, 1))


@wrong("largest-fall", "never-zero")
def starts_with_the_second(level):
    return (np.maximum.accumulate(level, axis=-1)[..., :-1] - level[..., 1:]).max(axis=-1)


@wrong("largest-fall", "one-moment")
def compares_all_later_ones(level):
    highest = np.maximum.accumulate(level, axis=-1)[..., :-1]
    return np.maximum((highest - level[..., 1:]).max(axis=-1), 0)


@wrong("largest-fall", "begins-at-zero")
def begins_at_zero(level):
    return (np.maximum(np.maximum.accumulate(level, axis=-1), 0) - level).max(axis=-1)


@wrong("largest-fall", "wrong-value")
def begins_far_below(level):
    highest = np.maximum.accumulate(np.maximum(level, -1e6), axis=-1)
    return (highest - level).max(axis=-1)


@wrong("largest-fall", "wrong-value")
def takes_a_small_fall_for_none(level):
    fall = (np.maximum.accumulate(level, axis=-1) - level).max(axis=-1)
    return np.where(fall < 1e-6, 0, fall)


@wrong("largest-fall", "loops")
def loops_over_all_but_two_axes(level):
    if level.ndim > 2:
        return np.array([(np.maximum.accumulate(part, axis=-1) - part).max(axis=-1) for part in level])
    return (np.maximum.accumulate(level, axis=-1) - level).max(axis=-1)


@wrong("largest-fall", "loops")
def loops_over_moments(level):
    highest, worst = level[..., 0], 0 * level[..., 0]
    for k in range(level.shape[-1]):
        highest = np.maximum(highest, level[..., k])
        worst = np.maximum(worst, highest - level[..., k])
    return worst


one_reservoir_after_another = wrong("largest-fall", "loops")(
    np.vectorize(lambda level: (np.maximum.accumulate(level) - level).max(), signature="(n)->()")
)


@wrong("largest-fall", "wrong-value")
def from_the_highest_to_the_end(level):
    return level.max(axis=-1) - level[..., -1]


@right("largest-fall")
def above_the_lowest_to_come(level):
    lowest = np.minimum.accumulate(level[..., ::-1], axis=-1)[..., ::-1]
    return (level - lowest).max(axis=-1)


@right("largest-fall")
@jax.jit
def in_jax_by_cummax(level):
    return (jax.lax.cummax(level, axis=level.ndim - 1) - level).max(axis=-1)


# -- nearest-line ------------------------------------------------------------------------------------------------


@exercise(
    "nearest-line",
    see="outer-loop",
    hint=["`np.subtract.outer` makes the table of all differences.", "Near means: small, without its sign."],
    without=[
        no_loops(
            grows=[
                lambda n: (np.arange(n) + 0.2, np.arange(8.0)[::-1]),
                lambda n: (np.arange(5.0) + 0.2, np.arange(n)[::-1] * 1.0),
            ],
            of="lines",
            advice="`np.subtract.outer` makes all pairs at once.",
        )
    ],
)
def nearest_line(answer, rng):
    slips = [
        Slip(
            "wrong-axis",
            looks_along_the_measured.answer,
            "You looked along the wrong axis: one answer for each known line.",
        ),
        Slip("gave-the-distance", gives_distances.answer, "Those are the distances. The positions are wanted."),
        Slip("gave-the-wavelength", gives_wavelengths.answer, "Those are wavelengths. The positions are wanted."),
        Slip("one-position", looks_in_the_whole_table.answer, "One position in the table of all pairs: name the axis."),
        Slip(
            "sign-kept",
            keeps_the_sign.answer,
            "The smallest difference *with* its sign belongs to the longest wavelength. Take `np.abs` first.",
        ),
        Slip(
            "sign-kept",
            lambda measured, catalogue: np.subtract.outer(catalogue, measured).argmin(axis=0),
            "The smallest difference *with* its sign belongs to the shortest wavelength. Take `np.abs` first.",
        ),
        Slip(
            "sorted-position",
            lambda measured, catalogue: positions(measured, np.sort(catalogue)),
            "Those are positions in the sorted catalogue. Positions in the catalogue as it is are wanted.",
        ),
        Slip(
            "not-sorted",
            searches_as_if_sorted.answer,
            "`np.searchsorted` needs a sorted catalogue, and finds the next line above, not the nearest.",
        ),
        Slip(
            "next-above",
            takes_the_next_above.answer,
            "That is the next known line above. The one below may be nearer.",
        ),
        Slip("rounded", rounds_distances.answer, "Your distances are whole numbers. A part of a unit decides as well."),
        Slip(
            "relative",
            divides_by_the_wavelength.answer,
            "You compared parts of the wavelength. The nearest line is the one with the least difference.",
        ),
    ]
    wide = [(np.array([290.0, measured]), np.array([1000.0, 400.0, 200.0])) for measured in (620.0, 680.0)]
    message = "The position of the nearest line."
    shapes = (1, 2), (2, 3), (3, 2), (5, 8), (8, 13)
    sweep(answer, positions, lines, rng, shapes=shapes, extremes=wide, slips=slips, message=message)
    # Nearer by less than a thousandth, and yet by far more than float32 rounds at 400.
    near = [(400 + np.array([at, -1]), 400 + np.array([0, 0.004])) for at in (0.0022, 0.0024)]
    near += [(measured, catalogue[::-1]) for measured, catalogue in near]
    near += [(400 + np.array([at]), 400 + np.array([0.004, 0])) for at in (0.0016, 0.0018)]
    message = "Your wavelengths or distances are rounded. Less than a thousandth of a unit decides as well."
    Asked(answer, positions).require(near, message, "rounded")
    message = "Right for catalogues of several lines, but not for one line."
    sweep(answer, positions, lines, rng, shapes=[(1, 1), (4, 1)], message=message)
    message = "Right for short catalogues, but not for one of 300 lines."
    sweep(answer, positions, of_many, rng, shapes=[300], each=2, message=message)
    kind = np.asarray(answer(*lines(rng, (2, 3)))).dtype
    refuse(kind.kind not in "iu", "not-whole", f"A position is a whole number, and these are `{kind}`: no index.")


def lines(rng, shape):
    """Measured lines, each clearly nearest to one of a catalogue: above it, below it, on it, or beyond both ends."""
    many, known = shape
    gaps = rng.choice([0.005, 0.25, 0.75, 2, 40], known + 1)
    catalogue = 400 + np.cumsum(gaps[:-1])
    nearest = rng.integers(0, known, many)
    parts = np.array([-0.49, -0.25, 0, 0.25, 0.49])[rng.integers(5, size=many)]
    aside = (
        np.where(np.minimum(gaps[nearest], gaps[nearest + 1]) < 0.1, 0.7, 1)
        * parts
        * np.minimum(gaps[nearest], gaps[nearest + 1])
    )
    beyond = rng.choice([0, 0, 60, 300], many)
    off = np.where(nearest == 0, -beyond, 0) + np.where(nearest == known - 1, beyond, 0)
    order = rng.permutation(known)
    return catalogue[nearest] + aside + off, catalogue[order]


def of_many(rng, known):
    """A long catalogue, and lines near to some of it, the last one too."""
    catalogue = rng.permutation(400 + np.arange(known) / 2)
    return catalogue[[0, known // 2, known - 1]] + rng.choice([-0.1, 0.1], 3), catalogue


def positions(measured, catalogue):
    known = catalogue.tolist()
    return np.array([min(range(len(known)), key=lambda k: abs(known[k] - line)) for line in measured.tolist()])


@wrong("nearest-line", "sign-kept")
def keeps_the_sign(measured, catalogue):
    return np.subtract.outer(measured, catalogue).argmin(axis=1)


@wrong("nearest-line", "wrong-axis")
def looks_along_the_measured(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=0)


@wrong("nearest-line", "gave-the-distance")
def gives_distances(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).min(axis=1)


@wrong("nearest-line", "gave-the-wavelength")
def gives_wavelengths(measured, catalogue):
    return catalogue[np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=1)]


@wrong("nearest-line", "one-position")
def looks_in_the_whole_table(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin()


@wrong("nearest-line", "sorted-position")
def sorts_first(measured, catalogue):
    return np.abs(np.subtract.outer(measured, np.sort(catalogue))).argmin(axis=1)


@wrong("nearest-line", "not-sorted")
def searches_as_if_sorted(measured, catalogue):
    return np.searchsorted(catalogue, measured)


@wrong("nearest-line", "next-above")
def takes_the_next_above(measured, catalogue):
    order = np.argsort(catalogue)
    above = np.searchsorted(catalogue, measured, sorter=order)
    return order[np.minimum(above, len(order) - 1)]


@wrong("nearest-line", "relative")
def divides_by_the_wavelength(measured, catalogue):
    return np.abs(measured[:, None] / catalogue - 1).argmin(axis=1)


@wrong("nearest-line", "not-whole")
def gives_floats(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=1) * 1.0


@wrong("nearest-line", "wrong-value")
def keeps_positions_in_a_byte(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=1).astype(np.int8)


@wrong("nearest-line", "rounded")
def rounds_distances(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).astype(int).argmin(axis=1)


@wrong("nearest-line", "loops")
def looks_line_by_line(measured, catalogue):
    return np.array([np.abs(catalogue - line).argmin() for line in measured])


@wrong("nearest-line", "loops")
def compares_known_line_by_known_line(measured, catalogue):
    best = np.zeros(len(measured), int)
    for k, line in enumerate(catalogue):
        best = np.where(np.abs(measured - line) < np.abs(measured - catalogue[best]), k, best)
    return best


@wrong("nearest-line", "wrong-value")
def finds_the_farthest(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmax(axis=1)


@wrong("nearest-line", "rounded")
def rounds_to_thousandths(measured, catalogue):
    whole = [np.rint(1000 * lines).astype(np.int64) for lines in (measured, catalogue)]
    return np.abs(np.subtract.outer(*whole)).argmin(axis=1)


@right("nearest-line")
def searches_between_midpoints(measured, catalogue):
    order = np.argsort(catalogue)
    known = catalogue[order]
    return order[np.searchsorted((known[1:] + known[:-1]) / 2, measured)]


@right("nearest-line")
@jax.jit
def broadcasts_in_jax(measured, catalogue):
    return jnp.argmin((measured[:, None] - catalogue) ** 2, axis=-1)


# -- segment-sums ------------------------------------------------------------------------------------------------


@exercise(
    "segment-sums",
    points=2,
    see="segments",
    hint=[
        "`np.repeat(np.arange(len(lengths)), lengths)` gives each element the number of its run.",
        "Then add each element at that number: `np.bincount` with `weights`, or `np.add.at`.",
    ],
)
def segment_sums(answer, rng):
    asked = Asked(answer, sums_of_runs)
    full = [runs(rng, lengths) for lengths in ([2], [1, 3, 2], [2, 1, 3], [4, 1, 2, 2])] * 2
    slips = [
        Slip(
            "last-of-each",
            adds_at_once.answer,
            "Each run has one of its elements as its sum: `+=` counts an index once.",
        ),
        Slip("whole-numbers", cuts_fractions_off.answer, "The sums are whole numbers: the fractions are cut off."),
        Slip("running-totals", stops_at_running_totals.answer, "Those are the totals up to the end of each run."),
        Slip(
            "one-too-many", splits_at_the_ends.answer, "There is one sum too many: after the last run nothing is left."
        ),
        Slip(
            "starts-from-ends",
            takes_ends_for_starts.answer,
            "A run starts where the one *before* it ends. The first starts at 0.",
        ),
        Slip("first-run-lost", forgets_the_first_start.answer, "The first run is missing: it starts at 0."),
    ]
    asked.require(full, "No run is empty, and yet the sums are not right.", "wrong-value", slips)
    gap = [runs(rng, lengths) for lengths in ([2, 0, 1], [1, 0, 2], [1, 0, 0, 2], [3, 0, 2, 0, 0, 4])]
    slips = [
        Slip(
            "empty-run",
            trusts_reduceat.answer,
            "An empty run has a number that belongs to the next run. Its sum is 0.",
        ),
        Slip("empty-left-out", leaves_empty_ones_out.answer, "The empty runs are missing. Each has a sum, which is 0."),
        Slip("empty-is-nan", multiplies_means.answer, "The sum of an empty run is NaN. It is 0."),
    ]
    asked.require(gap, "The sum of an empty run is 0.", "empty-inside", slips)
    message = "Each run keeps its own elements. The first runs are empty: they end before the first element."
    first = [runs(rng, lengths) for lengths in ([0, 2], [0, 1, 2], [0, 0, 3])]
    told(asked, first, message, "empty-at-the-start")
    message = "Each run keeps its own elements. The last runs are empty: they start beyond the last element."
    last = [runs(rng, lengths) for lengths in ([2, 0], [2, 1, 0], [3, 0, 0])]
    slip = Slip(
        "last-element-lost",
        clamps_the_starts.answer,
        "The empty runs at the end have 0, and the run before them has lost its last element. Was a start moved "
        "back to that element? `reduceat` ends a run where the next one starts.",
    )
    told(asked, last, message, "empty-at-the-end", [slip])
    told(asked, [runs(rng, lengths) for lengths in ([0], [0, 0, 0])], "All runs are empty.", "all-empty")
    large = [(np.array([big, big, 0.5, 0.25, small]), np.array([2, 3])) for big, small in ((1e17, 1.0), (-3e25, 2.0))]
    message = "A small run after a large one lost its digits: a difference of two large running sums rounds them away."
    asked_alone = Asked(lambda values, lengths: answer(values, lengths)[1], lambda values, lengths: values[2:].sum())
    asked_alone.require(large, message, "digits-lost")
    turned = [(values[::-1], lengths[::-1]) for values, lengths in large]
    asked_first = Asked(lambda values, lengths: answer(values, lengths)[0], lambda values, lengths: values[:3].sum())
    asked_first.require(turned, message.replace("after", "before"), "digits-lost")
    kept = [
        (values, np.array([0, 1, 4])) for values in (np.array([np.inf, 1.0, 2, 3, 4]), np.array([np.nan, 1, 2, 3, 4]))
    ]
    asked_first = Asked(lambda values, lengths: answer(values, lengths)[:1], lambda values, lengths: np.zeros(1))
    asked_first.require(kept, "The sum of an empty run is 0, whatever comes after it.", "spoilt-by-another-run")
    message = "The values have 64 bits, and so should the sums: digits that `values` has are lost."
    fine = [(np.array([1.0, 2.0, far, near, -far]), np.array([2, 3])) for far, near in ((1e8, 0.5), (-3e9, 0.25))]
    asked_alone.require(fine, message, "single-precision")
    refuse(np.asarray(answer(*fine[0])).dtype != np.float64, "single-precision", message)
    spoilt = [(np.array([1.5, value, 0.5, 2.0]), np.array([2, 2])) for value in (np.inf, -np.inf, np.nan)]
    asked_alone.require(spoilt, "An infinity or a NaN has reached another run.", "spoilt-by-another-run")
    message = "The sum of a run that holds an infinity or a NaN is infinite, or NaN: it should not be cleaned away."
    asked.require(spoilt, message, "cleaned-away")
    sweep(answer, sums_of_runs, any_runs, rng, shapes=(4, 9), message="Each run has its own sum.")


def told(asked, cases, message, label, slips=()):
    """Require the sums; an exception has a name as well."""
    try:
        asked.require(cases, f"{message} Their sums are 0.", label, slips)
    except AnswerRaised as error:
        refuse(True, label, f"{message} For `{error.given}` it raises `{error.raised.kind}`.")


def runs(rng, lengths):
    return rng.integers(5, 60, sum(lengths)) / 4, np.array(lengths)


def any_runs(rng, n):
    lengths = rng.multinomial(2 * n, rng.dirichlet(np.full(n, 0.5)))
    return inputs.array(rng, 2 * n, low=-9, high=9), lengths


def sums_of_runs(values, lengths):
    elements = iter(values.tolist())
    return np.array([float(sum(next(elements) for _ in range(length))) for length in lengths.tolist()])


@wrong("segment-sums", "empty-run")
def trusts_reduceat(values, lengths):
    return np.add.reduceat(values, np.cumsum(lengths) - lengths)


@wrong("segment-sums", "empty-left-out")
def leaves_empty_ones_out(values, lengths):
    lengths = lengths[lengths > 0]
    return np.add.reduceat(values, np.cumsum(lengths) - lengths)


@wrong("segment-sums", "empty-is-nan")
def multiplies_means(values, lengths):
    means = [run.mean() if len(run) else np.nan for run in np.split(values, np.cumsum(lengths)[:-1])]
    return np.array(means) * lengths


@wrong("segment-sums", "empty-inside")
def sets_empty_ones_to_one(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.where(lengths > 0, np.bincount(ids, weights=values, minlength=len(lengths)), 1.0)


@wrong("segment-sums", "empty-at-the-start")
def subtracts_the_total_before(values, lengths):
    return np.diff(np.cumsum(values)[np.cumsum(lengths) - 1], prepend=0)


@wrong("segment-sums", "empty-at-the-end")
def sets_the_empty_ones_to_zero(values, lengths):
    return np.where(lengths > 0, np.add.reduceat(values, np.cumsum(lengths) - lengths), 0)


@wrong("segment-sums", "last-element-lost")
def clamps_the_starts(values, lengths):
    starts = np.minimum(np.cumsum(lengths) - lengths, len(values) - 1)
    return np.where(lengths > 0, np.add.reduceat(values, starts), 0)


@wrong("segment-sums", "empty-at-the-end")
def forgets_minlength(values, lengths):
    return np.bincount(np.repeat(np.arange(len(lengths)), lengths), weights=values)


@wrong("segment-sums", "all-empty")
def looks_at_the_first_value(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(ids, weights=values - 0 * values[0], minlength=len(lengths))


@wrong("segment-sums", "digits-lost")
def subtracts_running_sums(values, lengths):
    running = np.concatenate([[0.0], np.add.accumulate(values)])
    ends = np.cumsum(lengths)
    return running[ends] - running[ends - lengths]


@wrong("segment-sums", "digits-lost")
def subtracts_running_sums_from_the_end(values, lengths):
    left = np.append(np.cumsum(values[::-1])[::-1], 0.0)
    ends = np.cumsum(lengths)
    return left[ends - lengths] - left[ends]


@wrong("segment-sums", "single-precision")
def keeps_half_of_the_digits(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(ids, weights=values, minlength=len(lengths)).astype(np.float32)


@wrong("segment-sums", "first-run-lost")
def forgets_the_first_start(values, lengths):
    return np.add.reduceat(values, np.cumsum(lengths)[:-1])


@wrong("segment-sums", "starts-from-ends")
def takes_ends_for_starts(values, lengths):
    return np.add.reduceat(np.append(values, 0), np.cumsum(lengths))


@wrong("segment-sums", "one-too-many")
def splits_at_the_ends(values, lengths):
    return np.array([run.sum() for run in np.split(values, np.cumsum(lengths))])


@wrong("segment-sums", "running-totals")
def stops_at_running_totals(values, lengths):
    return np.concatenate([[0.0], np.cumsum(values)])[np.cumsum(lengths)]


@wrong("segment-sums", "whole-numbers")
def cuts_fractions_off(values, lengths):
    sums = np.zeros(len(lengths), int)
    for k, run in enumerate(np.split(values, np.cumsum(lengths)[:-1])):
        sums[k] = run.sum()
    return sums


@wrong("segment-sums", "last-of-each")
def adds_at_once(values, lengths):
    sums = np.zeros(len(lengths))
    sums[np.repeat(np.arange(len(lengths)), lengths)] += values
    return sums


@wrong("segment-sums", "wrong-value")
def cuts_into_equal_runs(values, lengths):
    return np.array([run.sum() for run in np.array_split(values, len(lengths))])


@wrong("segment-sums", "spoilt-by-another-run")
def multiplies_by_a_table(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return (ids == np.arange(len(lengths))[:, None]) @ values


@right("segment-sums")
def slices_each_run(values, lengths):
    ends = np.cumsum(lengths)
    return [values[end - length : end].sum() for end, length in zip(ends, lengths, strict=True)]


@wrong("segment-sums", "single-precision")
def sums_in_jax(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return jax.ops.segment_sum(jnp.asarray(values), ids, num_segments=len(lengths))


@right("segment-sums")
def folds_what_is_not_empty(values, lengths):
    sums = np.zeros(len(lengths))
    some = lengths > 0
    sums[some] = np.add.reduceat(values, (np.cumsum(lengths) - lengths)[some])
    return sums


# -- dead-time --------------------------------------------------------------------------------------------------


@exercise(
    "dead-time",
    points=2,
    see="jax-folds",
    hint=[
        "What must be known about the past, to decide about the next particle? That is the state.",
        "The state is the time of the last *registered* particle. What is it before the first one?",
        "`jnp.where(registered, time, last)` is the new state.",
    ],
)
def dead_time(answer, rng):
    lost = "The first particle is lost, although nothing came before it. With which state do you begin?"
    slips = [
        Slip(
            "neighbours-only",
            lambda times, dead: np.diff(times, prepend=-np.inf) >= dead,
            "You compared each particle with the one before it. One that is not registered makes nothing blind.",
        ),
        Slip(
            "first-only",
            lambda times, dead: (times - times[0] >= dead) | (times == times[0]),
            "You compared each particle with the first one. Each that is registered makes the counter blind again.",
        ),
        Slip("turned-round", lambda times, dead: ~counted(times, dead), "`True` means registered: those are the lost."),
        Slip(
            "gave-the-state",
            lambda times, dead: np.maximum.accumulate(np.where(counted(times, dead), times, -np.inf)),
            "That is the state after each particle: when the last one was registered. The output is a Boolean.",
        ),
        Slip("gave-times", gives_times, "Those are times of the registered particles. Booleans are wanted."),
        Slip("first-lost", lambda times, dead: counted(times, dead, times[0]), lost),
        Slip("first-lost", lambda times, dead: counted(times, dead, 0), lost),
        Slip("first-lost", lambda times, dead: counted(times, dead, -dead), lost),
        Slip(
            "just-too-strict",
            lambda times, dead: counted(times, np.nextafter(np.float32(dead), np.inf, dtype=np.float32)),
            "A particle that arrives exactly `dead` after the last registered one is registered: `>=`, not `>`.",
        ),
        Slip(
            "fixed-bins",
            in_bins,
            "You cut time into bins of length `dead`. The counter is blind from the moment when it registers.",
        ),
    ]

    def ask(times, dead):
        result, error = answer.attempt(probe.under_jit, times, dead, expected=NEEDS_A_VALUE | NEEDS_A_SHAPE)
        message = "Inside of a scan, and under `jit`, there are no numbers yet: "
        refuse(error, "needs-the-numbers", message + "use `jnp.where`, and no `if`, mask or NumPy.")
        return result

    message = "A particle is registered if the last *registered* one came at least `dead` before it."
    wording = "`time + dead` is rounded where times are large. The difference of two times that are near is not."
    late = [(np.float32([at, at, at + 8]), 0.25) for at in (2.0**25, 2.0**26)]
    early = [(np.float32([0, 1, 2, 3, 4, 6]) * 2.0**-22, gap * 2.0**-22) for gap in (2, 3)]
    early += [(np.float32([first, first + 1, first + 3e7]), 2e7) for first in (-4e7, 0, 2)]
    shapes = (3, 3), (12, 12), (13, 6), (1, 1)
    sweep(ask, counted, arrivals, rng, shapes=shapes[:3], each=16, extremes=early, slips=slips, message=message)
    sweep(ask, counted, arrivals, rng, shapes=[(60, 4)], message=message)
    old = [(np.float32([-at, -at / 2, at]), at) for at in (1e12, 1e30)]
    Asked(ask, counted).require(old, f"{lost} However long ago a number is, `-inf` is longer.", "first-lost")
    sweep(ask, counted, arrivals, rng, shapes=shapes[3:], message="A single particle is registered.")
    Asked(ask, counted).require(late, wording, "rounded-away")
    wording = "The sum of many gaps is rounded at every particle. Take the difference from the last registered one."
    # Each of the small gaps is less than half of the spacing of floats at 2**25, and all of them are more.
    slow = [(unit * np.float32([-(2**25), 0, 1, 2, 3, 4, 8]), unit * (2.0**25 + 8)) for unit in (1, 2)]
    Asked(ask, counted).require(slow, wording, "gaps-rounded")
    outside = Asked(lambda *case: answer.probe(probe.on_jax_arrays, *case), counted)
    message = "Right under `jax.jit`, and wrong outside of it: the function should give the same in both."
    plain = [(np.float32(times), dead) for times in ([0, 1, 2, 3], [0, 2, 3, 4]) for dead in (2.0, 1.0)]
    outside.require(plain, message, "wrong-value")
    kind = np.asarray(ask(np.float32([1, 2, 4]), 2.0)).dtype
    refuse(kind.kind != "b", "not-boolean", f"The numbers are right, but of the dtype `{kind}`: Booleans are wanted.")


def arrivals(rng, shape):
    """Times in order, before 0 and after, some equal; the gaps are often exactly the dead time, or add up to it."""
    n, longest = shape
    # Eighths are exact in any floating-point dtype, so that "exactly `dead` later" means the same everywhere.
    dead = float(rng.choice([0, 2, 3, 8])) / 8
    gaps = rng.choice([0, 1, 1, 2, 3, 4, 8, longest], n)
    gaps[0] = rng.choice([-80, -16, 0, 1, 2, 40])
    return (np.cumsum(gaps) / 8).astype(np.float32), dead


def counted(times, dead, last=-np.inf):
    """Which particles are registered, one after the other."""
    found = []
    for time in times.tolist():
        found.append(time - last >= dead)
        last = time if found[-1] else last
    return np.array(found, bool)


def gives_times(times, dead):
    return np.where(counted(times, dead), times, np.nan)


def in_bins(times, dead):
    with np.errstate(all="ignore"):
        bins = np.floor((times - times[0]) / np.float32(dead))
    return np.append(True, bins[1:] != bins[:-1])


@wrong("dead-time", "neighbours-only")
def looks_at_the_neighbour(times, dead):
    return jnp.diff(times, prepend=-jnp.inf) >= dead


@wrong("dead-time", "neighbours-only")
def keeps_every_time(times, dead):
    return jax.lax.scan(lambda last, time: (time, time - last >= dead), -jnp.inf, times)[1]


@wrong("dead-time", "first-lost")
def begins_with_time_zero(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, 0.0, times)[1]


@wrong("dead-time", "first-lost")
def begins_with_the_first(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, times[0], times)[1]


@wrong("dead-time", "first-lost")
def begins_a_billion_ago(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, -1e9, times)[1]


@wrong("dead-time", "wrong-value")
def right_under_jit_only(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    if not isinstance(times, jax.core.Tracer):
        return np.diff(np.asarray(times), prepend=-np.inf) >= dead
    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "rounded-away")
def adds_to_the_time(times, dead):
    def step(ready, time):
        found = time >= ready
        return jnp.where(found, time + dead, ready), found

    return jax.lax.scan(step, jnp.full((), -jnp.inf, times.dtype), times)[1]


@wrong("dead-time", "just-too-strict")
def waits_a_moment_longer(times, dead):
    def arrive(last, time):
        found = time - last > dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "needs-the-numbers")
def decides_in_python(times, dead):
    def arrive(last, time):
        if time - last >= dead:
            return time, True
        return last, False

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "turned-round")
def gives_the_lost_ones(times, dead):
    def arrive(last, time):
        lost = time - last < dead
        return jnp.where(lost, last, time), lost

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "gave-the-state")
def collects_the_state(times, dead):
    def arrive(last, time):
        last = jnp.where(time - last >= dead, time, last)
        return last, last

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "fixed-bins")
def cuts_time_into_bins(times, dead):
    bins = jnp.floor((times - times[0]) / dead)
    return jnp.concatenate([jnp.array([True]), bins[1:] != bins[:-1]])


@wrong("dead-time", "first-only")
def compares_with_the_first(times, dead):
    return (times - times[0] >= dead) | (times == times[0])


@wrong("dead-time", "first-lost")
def begins_one_dead_time_before_zero(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, -1.0 * dead, times)[1]


@wrong("dead-time", "gave-times")
def collects_times(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), jnp.where(found, time, jnp.nan)

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "not-boolean")
def gives_zeros_and_ones(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), jnp.where(found, 1.0, 0.0)

    return jax.lax.scan(arrive, -jnp.inf, times)[1]


@wrong("dead-time", "wrong-value")
def moves_on_by_the_dead_time(times, dead):
    def arrive(ready, time):
        found = time >= ready
        return jnp.where(found, ready + dead, ready), found

    return jax.lax.scan(arrive, times[0], times)[1]


@wrong("dead-time", "wrong-value")
def gives_the_last_state(times, dead):
    def arrive(last, time):
        found = time - last >= dead
        return jnp.where(found, time, last), found

    return jax.lax.scan(arrive, -jnp.inf, times)[0]


@wrong("dead-time", "gaps-rounded")
def adds_up_the_gaps(times, dead):
    def step(elapsed, gap):
        elapsed = elapsed + gap
        found = elapsed >= dead
        return jnp.where(found, jnp.zeros_like(elapsed), elapsed), found

    later = jax.lax.scan(step, jnp.zeros((), times.dtype), jnp.diff(times))[1]
    return jnp.concatenate([jnp.array([True]), later])


@right("dead-time")
def looks_at_the_last_registered(times, dead):
    def arrive(i, found):
        last = jnp.max(jnp.where(found & (jnp.arange(len(times)) < i), times, -jnp.inf))
        return found.at[i].set(times[i] - last >= dead)

    return jax.lax.fori_loop(0, len(times), arrive, jnp.zeros(len(times), bool))


@right("dead-time")
def writes_into_an_array(times, dead):
    def arrive(k, state):
        last, found = state
        hit = times[k] - last >= dead
        return jnp.where(hit, times[k], last), found.at[k].set(hit)

    start = jnp.asarray(-jnp.inf, times.dtype), jnp.zeros(times.shape, bool)
    return jax.lax.fori_loop(0, len(times), arrive, start)[1]


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent("largest-fall", "`np.maximum`  ->  `np.fmax`", "they differ for NaN only"),
    equivalent("dead-time", "`1`  ->  `-1`", "a pair has two entries"),
]
