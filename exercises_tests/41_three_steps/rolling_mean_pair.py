"""rolling-mean-pair."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import Agrees, at_once, declare, expect, refuse

from ._lesson import WORDS as LESSON
from ._lesson import pair_facts, rows_of_results, scanned_pairs


def rolling_means(rows, window):
    """The definition: the mean of the last rows, NaN before there are enough."""
    means = np.full(rows.shape, np.nan)
    for t in range(window - 1, len(rows)):
        means[t] = np.asarray(rows[t - window + 1 : t + 1], np.float64).mean(0)
    return means


def partial_means(rows, window):
    """What comes out if fewer rows than the window are averaged too."""
    return np.array([rows[max(0, t - window + 1) : t + 1].mean(0) for t in range(len(rows))])


def means_of_what_is_seen(rows, window):
    """The mean of what is no NaN among the last rows, full window or not."""
    return np.array(
        [np.ma.masked_invalid(rows[max(0, t - window + 1) : t + 1]).mean(0).filled(np.nan) for t in range(len(rows))]
    )


def rolled_behind(before, rows, window):
    """The rolling means with rows that nobody measured before the first."""
    return rolling_means(np.concatenate([np.repeat(before, window - 1, axis=0), rows]), window)[window - 1 :]


def drawn_window(rng, shape):
    rows = inputs.array(rng, shape, "float32", low=-9, high=9)
    rows[rng.random(shape) < rng.choice([0, 0, 0.1])] = np.nan
    return inputs.count(rng, len(rows), least=1), rows


MISTAKES = {
    "one-window-for-all": lambda window, rows: rolling_means(rows, window + 2),
    "window-not-full": [
        lambda window, rows, means=means: means(rows, window) for means in (partial_means, means_of_what_is_seen)
    ],
    "zeros-in-the-window": lambda window, rows: rolled_behind(0 * np.nan_to_num(rows[:1]), rows, window),
    "starts-from-values": lambda window, rows: rolled_behind(rows[:1], rows, window),
    "one-row-off/more": lambda window, rows: rolling_means(rows, window + 1),
    "one-row-off/fewer": lambda window, rows: rolling_means(rows, max(1, window - 1)),
    "newest-row-missing": lambda window, rows: np.concatenate([np.nan * rows[:1], rolling_means(rows, window)[:-1]]),
    "nan-stays": lambda window, rows: rolling_means(rows, window) + 0 * np.cumsum(rows, axis=0),
    "nan-left-out": lambda window, rows: np.where(
        np.arange(len(rows))[:, None] < window - 1, np.nan, means_of_what_is_seen(rows, window)
    ),
    "columns-mixed": lambda window, rows: rolling_means(rows, window).mean(1, keepdims=True) + 0 * rows,
}


def by_definition(window, rows):
    """The oracle."""
    return rolling_means(rows, window)


def some_rows(rng):
    return int(rng.integers(3, 6)), rng.normal(5, 2, size=(14, 2)).astype(np.float32)


def rows_with_a_gap(rng):
    """Rows without a gap and with one, and more rows than a byte counts."""
    (window, rows), (_, gap) = some_rows(rng), some_rows(rng)
    gap[3, 0] = np.nan
    many = rng.normal(5, 2, size=(300, 2)).astype(np.float32)
    return [(window, rows), (window, gap), (window, gap[::-1].copy()), (1, gap), (window - 1, many)]


def a_pair_for_a_scan(answer, rng):
    """Two functions, of which a scan can be made."""
    window, rows = some_rows(rng)
    facts = answer.probe(pair_facts, window, rows)
    refuse(facts.get("carry") and "same" in facts, "state-changes", carry=facts.get("carry"))
    rows_of_results(facts, rows)


def starts_from_nothing(answer, rng):
    """The state before the first row depends on no numbers."""
    refuse(answer.probe(pair_facts, *some_rows(rng))["from_values"], "starts-from-values/2")


def nothing_is_left_behind(answer, rng):
    """A huge value counts as others do while it is in the window, and leaves nothing behind."""
    window, rows = some_rows(rng)
    spoilt = [np.where(np.arange(14)[:, None] == 3, np.float32(spike), rows) for spike in (1e9, -1e9)]
    for got, table in zip(answer.probe(scanned_pairs, [(window, x) for x in spoilt]), spoilt, strict=True):
        want = rolling_means(table, window)
        expect(got[3 + window :], want[3 + window :], "digits-lost", rtol=1e-3)
        expect(got[window - 1 : 3 + window], want[window - 1 : 3 + window], "value-changed", rtol=1e-3)


WORDS = """
hint: What must you remember? The last `window` rows, an array of shape `(window, *x0.shape)`.
hint: If it starts full of NaN, its mean is NaN until the window is full, without any counting.
hint: The next state is all rows but the first, and the new one behind them, with `jnp.concatenate`.
state-changes: `lax.scan` refuses your state: {carry}. It must keep its shapes and dtypes, so it can neither grow with
    the rows nor change a dtype.
one-window-for-all: Your first pair uses the `window` of a pair made later: you keep `window` in one place for all.
    Let each `apply` find it where its pair was made.
one-row-off/more: You average one row more than `window`. Is the newest row in it, and the oldest out?
one-row-off/fewer: You average one row fewer than `window`. Is the newest row in it, and the oldest out?
window-not-full: You give a mean for fewer than `window` rows. It should be NaN until there are that many.
zeros-in-the-window: You average zeros that were never measured, before the window is full. Start with NaN.
starts-from-values: Your window begins full of the first row, as if it had been measured again and again. Start with
    NaN.
newest-row-missing: Your result is that of the row before, without the newest row. Take the mean after it has come in.
nan-stays: Your mean is still NaN after one NaN has left the window. A sum from which you subtract the oldest row
    keeps the NaN: average the rows in the window.
nan-left-out: You leave a NaN in the window out, which hides a bad reading. While it is in the window, the mean should
    be NaN.
columns-mixed: All your columns have the same mean. Each column has its own.
wrong-value: Your means differ. Take the mean of the last `window` rows: NaN until there are that many, and while one
    of them is NaN.
starts-from-values/2: Your state before the first row depends on the *numbers* that `init` is given, and a NaN among
    them spoils it. Take shape and dtype only: `jnp.zeros_like(x0)`.
digits-lost: Your means differ after a value of a billion has left the window: so large a sum loses the others'
    digits. Average the rows in the window.
value-changed: Your mean differs while a value of a billion is in the window. There it counts like any other.
"""

rolling_mean_pair = declare(
    "rolling-mean-pair",
    points=2,
    see="the-next-step",
    steps=[
        a_pair_for_a_scan,
        Agrees(
            by_definition,
            drawn_window,
            [(1, 2), (4, 4), (9, 3)],
            each=2,
            extremes=rows_with_a_gap,
            ask=at_once(scanned_pairs),
            mistakes=MISTAKES,
            rtol=1e-4,
        ),
        starts_from_nothing,
        nothing_is_left_behind,
    ],
    words=(LESSON, WORDS),
)
