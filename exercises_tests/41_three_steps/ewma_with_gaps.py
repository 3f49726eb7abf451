"""ewma-with-gaps."""

import jax
import numpy as np
import pandas as pd

from jaxcourse import inputs, insides, probe
from jaxcourse.bans import no_calls
from jaxcourse.checks import Agrees, at_once, declare, expect, refuse, require
from jaxcourse.exercise import numbers
from jaxcourse.probe import NEEDS_A_VALUE

from ._lesson import WORDS as LESSON
from ._lesson import weighted_means


def primitives_of(student_function, xs, alpha):
    """What the traced function is made of: a loop counts once, or as often as it is unrolled."""
    found = {}
    for equation in insides.read(lambda xs: student_function(xs, alpha), xs).everything:
        times = equation.loop.unroll if equation.loop else 1
        found[equation.primitive] = found.get(equation.primitive, 0) + times
    return found


def with_holes(rng, rows, columns):
    """Readings with gaps: one column begins with a gap, and every column has a gap inside."""
    xs = rng.normal(5, 2, size=(rows, columns)).astype(np.float32)
    xs[0, 0] = np.nan
    for column in range(columns):
        first = int(rng.integers(2, rows - 4))
        xs[first : first + 2, column] = np.nan
    return xs


def plain_recursion_with_gaps(xs, alpha):
    """The recursion of `adjust=False` that stands still at a gap."""
    means = [xs[0]]
    for x in xs[1:]:
        moved = np.where(np.isnan(means[-1]), x, alpha * x + (1 - alpha) * means[-1])
        means.append(np.where(np.isnan(x), means[-1], moved))
    return np.array(means)


def without_a_plan_for_gaps(xs, alpha):
    """The two sums of the formula: a NaN gets into them, and stays."""
    total, weight, means = 0.0, 0.0, []
    for x in np.asarray(xs, np.float64):
        total, weight = (1 - alpha) * total + x, (1 - alpha) * weight + 1
        means.append(total / weight)
    return np.array(means)


def sums_alone(xs, alpha):
    """The weighted sum, by nothing divided."""
    total, means = 0.0, []
    for x in np.asarray(xs, np.float64):
        total = (1 - alpha) * total + np.nan_to_num(x)
        means.append(total)
    return np.where(np.isnan(weighted_means(xs, alpha)), np.nan, means)


def recursion_in_which_time_passes(xs, alpha):
    """The weights of pandas' page for `adjust=False`, (1 - alpha)**age and alpha, which a gap leaves below 1."""
    means = [np.asarray(xs[0], np.float64)]
    shown, age = means[0], np.zeros(means[0].shape)
    for x in np.asarray(xs[1:], np.float64):
        age = age + 1
        moved = np.where(np.isnan(shown), x, alpha * x + (1 - alpha) ** age * shown)
        shown, age = np.where(np.isnan(x), shown, moved), np.where(np.isnan(x), age, 0)
        means.append(shown)
    return np.array(means)


def filled_forward(xs):
    return pd.DataFrame(xs).ffill().to_numpy()


def rows_with_any_gap_left_out(xs):
    return np.where(np.isnan(xs).any(1, keepdims=True), np.nan, xs)


def drawn_with_gaps(rng, shape):
    """Gaps nowhere, here and there, nearly everywhere; at the ends too, and whole columns."""
    xs = inputs.array(rng, shape, "float32", low=-9, high=9)
    xs[rng.random(shape) < rng.choice([0, 0.3, 0.6])] = np.nan
    return xs, float(rng.uniform(0.05, 0.95))


@probe.question(evidence="values", like_calls=True)
def means_of_tables(student_function, cases):
    """The results of an answer for many tables, each with its alpha."""
    given = probe.on_device(cases)

    def every():
        return [student_function(*case) for case in given]

    return (jax.jit(every) if len(cases) > 1 else every)()


MISTAKES = {
    "nan-spreads": without_a_plan_for_gaps,
    "gap-is-zero": lambda xs, alpha: weighted_means(np.nan_to_num(xs), alpha),
    "gap-in-the-result": lambda xs, alpha: np.where(np.isnan(xs), np.nan, weighted_means(xs, alpha)),
    "mean-of-nothing": lambda xs, alpha: np.nan_to_num(weighted_means(xs, alpha)),
    "gap-stops-the-clock": lambda xs, alpha: weighted_means(xs, alpha, gaps_count=False),
    "plain-recursion": plain_recursion_with_gaps,
    "not-divided": [sums_alone, lambda xs, alpha: alpha * sums_alone(xs, alpha)],
    "not-divided/2": recursion_in_which_time_passes,
    "last-value-again": lambda xs, alpha: weighted_means(filled_forward(xs), alpha),
    "one-gap-for-the-row": lambda xs, alpha: weighted_means(rows_with_any_gap_left_out(xs), alpha),
}


def holes_and_zeros(rng):
    """Gaps at the beginning and inside, and zeros, which are none."""
    alpha, other = float(rng.uniform(0.3, 0.5)), float(rng.uniform(0.5, 0.7))
    xs = with_holes(rng, 12, 3)
    return [(xs, alpha), (with_holes(rng, 12, 3), alpha), (np.where(xs > 5, np.float32(0), xs), other)]


def a_mean_for_each_reading(answer, rng):
    """It runs without asking Python for a value, and gives a table like the one that came."""
    xs = with_holes(rng, 12, 3)
    got, error = answer.attempt(probe.on_jax_arrays, xs, 0.4, expected=["TracerBoolConversionError"])
    refuse(error, "branches-in-python")
    got = numbers(got)
    require(got.shape == xs.shape, "wrong-shape", shape=xs.shape, got=got.shape)


def one_loop_of_jax(answer, rng):
    """The program does not grow with the rows."""
    counts = []
    for rows in (24, 48, 96):
        found, error = answer.attempt(primitives_of, with_holes(rng, rows, 2), 0.4, expected=NEEDS_A_VALUE)
        refuse(error, "not-in-jax")
        back = [name for name in found if "callback" in name]
        refuse(back, "not-in-jax/2", back="".join(back[:1]))
        counts.append(sum(found.values()))
    few, more, most = counts
    linear = most - more >= 48 and most - more >= 1.6 * (more - few)  # an associative scan grows with the logarithm
    refuse(linear, "unrolled", few=few, most=most)


def outlives_long_gaps(answer, rng):
    """A mean outlives a gap in which its weight falls to zero in float32."""
    cases = []
    for alpha in (float(rng.uniform(0.3, 0.5)), float(rng.uniform(0.5, 0.7))):
        long = np.full((460, 2), np.nan, np.float32)
        long[:5], long[455:] = rng.normal(5, 2, size=(2, 5, 2))
        cases.append((long, alpha))
    for got, case in zip(answer.probe(means_of_tables, cases), cases, strict=True):
        refuse(np.isnan(numbers(got)[454]).any(), "forgets-in-a-long-gap")
        expect(got, weighted_means(*case), "wrong-value/2", rtol=1e-4)


WORDS = """
hint: Which columns have a value in this row? `seen = ~jnp.isnan(x)` says it, and `jnp.where(seen, ..., ...)` replaces
    an `if`.
hint: Keep the mean itself and its weight in the state. The mean starts as NaN, the weight at zero.
hint: At a gap the weight fades and the mean stays. At a value, take `(weight * mean + x) / (weight + 1)`, or `x` if
    there is no mean yet.
branches-in-python: Your function branches in Python on a number that has no value while `jit` or a scan traces. One
    row may also need both branches: `jnp.where` chooses for each column.
wrong-shape: Your result has the shape {got}. It should be {shape}.
nan-spreads: Your means below a NaN are all NaN: it went into the sum, and never fades. Leave gaps out with `where`.
gap-is-zero: You count a gap as the value 0. It should have no weight: add to the sum of the weights only for values
    that were seen.
gap-in-the-result: Your result is NaN at a gap. Like pandas, show the mean of what was seen so far.
mean-of-nothing: Your result before the first value is a number, but there is no mean yet. Show NaN there, as pandas
    does.
gap-stops-the-clock: You let no time pass in a gap, which pandas calls `ignore_na=True`. By default the weights fade
    in every row, whether a value came or not.
plain-recursion: Your means are those of `adjust=False`. Divide by the sum of the weights that were there.
not-divided: You returned the weighted sum. A missing value has no weight, so the weights add up to less than 1 (or
    less than 1 / alpha): divide by their sum.
not-divided/2: Your weights are (1 - alpha)**age and alpha, which add up to less than 1 behind a gap, since the older
    one has faded further. Divide by their sum.
last-value-again: You count the last value again at a gap, as if it had been measured again. A gap has no weight.
one-gap-for-the-row: You make the whole row a gap if one column has one. Each column has its own: no `any`, no `all`.
wrong-value: Your means differ. Each should have the weights (1 - alpha)**age, over all values seen so far.
not-in-jax: Your function needs the numbers themselves, so it cannot be traced and compiled. Stay with `jax.numpy`.
not-in-jax/2: Your function leaves the compiled program for Python, with `{back}`. Stay with `jax.numpy`.
unrolled: Your loop over time is unrolled, with {few} equations for 24 rows and {most} for 96. Use `jax.lax.scan`.
forgets-in-a-long-gap: Your mean is NaN late in a long gap: in float32 its weight fades to 0. Keep the mean in the
    state, and show it from the first value on.
wrong-value/2: Your means differ in a long gap, or after it.
"""

ewma_with_gaps = declare(
    "ewma-with-gaps",
    points=3,
    see="gaps",
    without=[
        no_calls(
            "jaxcourse.frames.ewma",
            traced=True,
            advice="Write the scan yourself: that is the exercise.",
        )
    ],
    steps=[
        a_mean_for_each_reading,
        Agrees(
            weighted_means,
            drawn_with_gaps,
            [(1, 1), (3, 2), (8, 8)],
            each=2,
            extremes=holes_and_zeros,
            ask=at_once(means_of_tables),
            mistakes=MISTAKES,
            rtol=1e-4,
        ),
        one_loop_of_jax,
        outlives_long_gaps,
    ],
    words=(LESSON, WORDS),
)
