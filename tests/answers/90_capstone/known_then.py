"""Answers to known-then."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxcourse.exercise import equivalent, right, wrong


def without_level(x):
    """Each station's readings less their mean, which is 0 where there are none."""
    heard = ~np.isnan(x)
    mean = np.where(heard, x, 0).sum(0) / np.maximum(heard.sum(0), 1)
    return x - mean, heard


def last_rows(x):
    """The right rows."""
    rows = np.where(np.isnan(x), -1, np.arange(len(x))[:, None])
    return np.maximum(np.maximum.accumulate(rows, axis=0), np.argmax(~np.isnan(x), axis=0))


def fetched(x, source):
    """The three results for some rows."""
    y, heard = without_level(x)
    filled = np.nan_to_num(np.take_along_axis(y, source, axis=0))
    return source.astype(np.int32), filled.astype(np.float32), heard.astype(np.float32)


@right("known-then")
def fills_a_table_of_rows(x):
    rows = pd.DataFrame(np.where(np.isnan(x), np.nan, np.arange(len(x))[:, None]))
    source = rows.ffill().bfill().fillna(0).to_numpy().astype(np.int32)
    filled = pd.DataFrame(x - np.where(np.isnan(x).all(0), 0, np.nan_to_num(x).sum(0) / np.maximum((x == x).sum(0), 1)))
    return source, filled.ffill().bfill().fillna(0).to_numpy(np.float32), (x == x).astype(np.float32)


@right("known-then")
def a_scan_over_minutes(x):
    y, heard = without_level(x)

    def apply(row, now):
        t, there = now
        row = jnp.where(there, t, row)
        return row, row

    start = jnp.asarray(np.argmax(heard, axis=0), jnp.int32)
    _, source = jax.lax.scan(apply, start, (jnp.arange(len(x), dtype=jnp.int32), heard))
    values = jnp.nan_to_num(jnp.asarray(y, jnp.float32))
    return source, jnp.take_along_axis(values, source, axis=0), jnp.asarray(heard, jnp.float32)


@right("known-then")
def searches_the_rows_that_are_known(x):
    source = np.zeros(x.shape, np.int32)
    filled = np.zeros(x.shape, np.float32)
    for i in range(x.shape[1]):
        known = np.flatnonzero(~np.isnan(x[:, i]))
        if len(known):
            place = np.searchsorted(known, np.arange(len(x)), side="right") - 1
            source[:, i] = known[np.maximum(place, 0)]
            filled[:, i] = x[source[:, i], i] - x[known, i].mean()
    return [source, filled, np.isfinite(x).astype("f4")]


@right("known-then")
def by_an_associative_maximum(x):
    y, heard = without_level(x)
    rows = jnp.where(heard, jnp.arange(len(x))[:, None], -1)
    source = jnp.maximum(jax.lax.cummax(rows, axis=0), jnp.argmax(heard, axis=0)).astype(jnp.int32)
    filled = jnp.where(heard.any(0), jnp.take_along_axis(jnp.asarray(y, jnp.float32), source, axis=0), 0)
    return source, filled, heard.astype(np.float32)


@wrong("known-then", "looks-ahead")
def draws_lines_between(x):
    source, filled, heard = fetched(x, last_rows(x))
    rows = np.arange(len(x))
    for i in np.flatnonzero(heard.any(0)):
        known = heard[:, i] > 0
        filled[:, i] = np.interp(rows, rows[known], filled[known, i])
    return source, filled, heard


@wrong("known-then", "looks-ahead")
def fills_backward(x):
    rows = pd.DataFrame(np.where(np.isnan(x), np.nan, np.arange(len(x))[:, None]))
    return fetched(x, rows.bfill().ffill().fillna(0).to_numpy().astype(int))


@wrong("known-then", "looks-ahead")
def takes_the_nearest(x):
    rows = np.arange(len(x))
    far = np.abs(rows[:, None] - rows)[:, :, None] + np.where(np.isnan(x), 10_000, 0)
    source = far.argmin(axis=1)
    return fetched(x, np.where(np.isnan(x).all(0), 0, source))


@wrong("known-then", "zero-for-missing")
def puts_zero_where_nothing_came(x):
    y, heard = without_level(x)
    return last_rows(x).astype(np.int32), np.nan_to_num(y).astype(np.float32), heard.astype(np.float32)


@wrong("known-then", "zero-for-missing")
def fills_before_the_mean_is_off(x):
    heard = ~np.isnan(x)
    mean = np.where(heard, x, 0).sum(0) / np.maximum(heard.sum(0), 1)
    filled = np.nan_to_num(x) - mean
    return last_rows(x).astype(np.int32), filled.astype(np.float32), heard.astype(np.float32)


@wrong("known-then", "last-row-for-unknown")
def leaves_minus_one(x):
    rows = np.where(np.isnan(x), -1, np.arange(len(x))[:, None])
    source = np.maximum.accumulate(rows, axis=0)
    y, heard = without_level(x)
    filled = np.nan_to_num(y[source, np.arange(x.shape[1])])
    silent = ~heard.any(0)
    return np.where(silent, 0, source).astype(np.int32), filled.astype(np.float32), heard.astype(np.float32)


@wrong("known-then", "last-row-for-unknown")
def clips_the_rows_afterwards(x):
    rows = np.where(np.isnan(x), -1, np.arange(len(x))[:, None])
    y, heard = without_level(x)
    filled = np.nan_to_num(y[np.maximum.accumulate(rows, axis=0), np.arange(x.shape[1])])
    return last_rows(x).astype(np.int32), filled.astype(np.float32), heard.astype(np.float32)


@wrong("known-then", "row-outside")
def leaves_minus_one_where_nothing_ever_came(x):
    rows = np.where(np.isnan(x), -1, np.arange(len(x))[:, None])
    silent = np.isnan(x).all(0)
    source, filled, heard = fetched(x, last_rows(x))
    return np.where(silent, np.maximum.accumulate(rows, axis=0), source).astype(np.int32), filled, heard


@wrong("known-then", "unknown-left")
def begins_in_row_zero(x):
    rows = np.where(np.isnan(x), 0, np.arange(len(x))[:, None])
    return fetched(x, np.maximum.accumulate(rows, axis=0))


@wrong("known-then", "unknown-left")
def zero_before_the_first(x):
    source, filled, heard = fetched(x, last_rows(x))
    known = np.maximum.accumulate(heard, axis=0)
    return source, filled * known, heard


@wrong("known-then", "unknown-is-nan")
def only_fills_forward(x):
    source, _, heard = fetched(x, last_rows(x))
    y, there = without_level(x)
    filled = pd.DataFrame(y).ffill().to_numpy()
    return source, np.where(there.any(0), filled, 0).astype(np.float32), heard


@wrong("known-then", "unknown-is-nan")
def lets_pandas_fill_forward(x):
    filled = pd.DataFrame(x).ffill() - np.nanmean(x, axis=0)
    return last_rows(x).astype(np.int32), filled.to_numpy(np.float32), (~np.isnan(x)).astype(np.float32)


@wrong("known-then", "silent-station-nan")
def divides_by_nothing(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source, np.where(heard.any(0), filled, np.nan).astype(np.float32), heard


@wrong("known-then", "mean-of-copies")
def takes_the_mean_afterwards(x):
    source = last_rows(x)
    filled = np.nan_to_num(np.take_along_axis(x, source, axis=0))
    return source.astype(np.int32), (filled - filled.mean(0)).astype(np.float32), (~np.isnan(x)).astype(np.float32)


@wrong("known-then", "one-mean-for-all")
def forgets_the_axis(x):
    source = last_rows(x)
    filled = np.nan_to_num(np.take_along_axis(x, source, axis=0) - np.nanmean(x) if (x == x).any() else 0 * x)
    return source.astype(np.int32), filled.astype(np.float32), (~np.isnan(x)).astype(np.float32)


@wrong("known-then", "level-kept")
def forgets_the_mean(x):
    source = last_rows(x)
    filled = np.nan_to_num(np.take_along_axis(x, source, axis=0))
    return source.astype(np.int32), filled.astype(np.float32), (~np.isnan(x)).astype(np.float32)


@wrong("known-then", "first-for-mean")
def takes_off_the_first_value(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source, filled - filled[0], heard


@wrong("known-then", "ages-for-rows")
def counts_minutes_since(x):
    source, filled, heard = fetched(x, last_rows(x))
    return np.where(heard.any(0), np.arange(len(x))[:, None] - source, 0).astype(np.int32), filled, heard


@wrong("known-then", "rounded-first")
def hands_it_to_jax_at_once(x):
    y = jnp.asarray(x)
    heard = ~jnp.isnan(y)
    mean = jnp.where(heard, y, 0).sum(0) / jnp.maximum(heard.sum(0), 1)
    source = jnp.maximum(jax.lax.cummax(jnp.where(heard, jnp.arange(len(y))[:, None], -1)), jnp.argmax(heard, axis=0))
    filled = jnp.nan_to_num(jnp.take_along_axis(y, source, axis=0) - mean)
    return source.astype(jnp.int32), filled, heard.astype(jnp.float32)


@wrong("known-then", "rounded-first")
def rounds_the_levels(x):
    source, _, heard = fetched(x, last_rows(x))
    y, _ = without_level(x)
    level = np.nan_to_num(np.nanmean(x - y, axis=0))
    filled = np.take_along_axis(x.astype(np.float32), source, axis=0) - level
    return source, np.nan_to_num(filled).astype(np.float32), heard


@wrong("known-then", "heard-turned-round")
def marks_the_gaps(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source, filled, 1 - heard


@wrong("known-then", "heard-for-ever")
def heard_since_the_first(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source, filled, np.maximum.accumulate(heard, axis=0)


@wrong("known-then", "one-minute-late")
def knows_what_came_before_this_minute(x):
    rows = last_rows(x)
    source, filled, heard = fetched(x, np.concatenate([rows[:1], rows[:-1]]))
    return source, filled, heard


@wrong("known-then", "one-minute-late")
def shifts_the_levels_only(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source, np.concatenate([filled[:1], filled[:-1]]), heard


@wrong("known-then", "mean-over-all-minutes")
def divides_by_all_minutes(x):
    source, _, heard = fetched(x, last_rows(x))
    filled = np.nan_to_num(np.take_along_axis(x, source, axis=0)) - np.nan_to_num(x).mean(0)
    return source, filled.astype(np.float32), heard


@wrong("known-then", "last-row-for-unknown")
def fetches_from_the_last_row(x):
    source = np.where(np.cumsum(~np.isnan(x), axis=0) == 0, len(x) - 1, last_rows(x))
    return fetched(x, source)


@wrong("known-then", "wrong-value")
def heard_in_this_minute_or_the_last(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source, filled, np.maximum(heard, np.concatenate([heard[:1], heard[:-1]]))


@wrong("known-then", "wrong-value")
def the_first_row_of_each_run(x):
    source, filled, heard = fetched(x, last_rows(x))
    return np.where(heard > 0, source, np.maximum(source - 1, 0)), filled, heard


@wrong("known-then", "other-order")
def the_levels_first(x):
    source, filled, heard = fetched(x, last_rows(x))
    return filled, heard, source


@wrong("known-then", "other-order")
def the_mask_before_the_levels(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source, heard, filled


@wrong("known-then", "not-three")
def the_levels_only(x):
    return fetched(x, last_rows(x))[1]


@wrong("known-then", "rows-not-whole")
def rows_as_floats(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source.astype(np.float32), filled, heard


@wrong("known-then", "other-dtypes")
def a_mask_of_bools(x):
    source, filled, heard = fetched(x, last_rows(x))
    return source, filled, heard > 0


@wrong("known-then", "other-dtypes")
def in_double_precision(x):
    y, heard = without_level(x)
    source = last_rows(x)
    return source, np.nan_to_num(np.take_along_axis(y, source, axis=0)), heard.astype(float)


@wrong("known-then", "wrong-shape")
def stations_in_rows(x):
    return tuple(part.T for part in fetched(x, last_rows(x)))


@wrong("known-then", "wrong-value")
def forgets_what_is_older_than_a_minute(x):
    source, filled, heard = fetched(x, last_rows(x))
    age = np.arange(len(x))[:, None] - source
    return source, np.where(age > 1, 0, filled).astype(np.float32), heard


equivalents = [
    equivalent("known-then", change, why)
    for why, changes in {
        "rows are whole numbers": [
            "`np.where(heard, np.arange(len(x))[:, None], -1)`  ->  "
            "`heard * np.arange(len(x))[:, None] + (1 - heard) * -1`"
        ],
        "both have a row for each minute": ["`x`  ->  `heard`"],
        "whatever is no later than the first reading gives way to it; and 0 readings make NaN, which becomes 0": [
            "`1`  ->  `0`",
            "`1`  ->  `2`",
            "`1`  ->  `-1`",
            "`np.maximum(heard.sum(axis=0), 1)`  ->  `heard.sum(axis=0)`",
        ],
        "there is no NaN among rows and counts": ["`np.maximum`  ->  `np.fmax`"],
        "axis 0 is the default": ["`np.maximum.accumulate(rows, axis=0)`  ->  `np.maximum.accumulate(rows)`"],
    }.items()
    for change in changes
]
