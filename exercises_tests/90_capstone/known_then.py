"""known-then: for each minute and station, the row of the last known value, and the levels filled with it."""

import functools
import itertools

import numpy as np

from jaxcourse.checks import Agrees, Also, declare, refuse, require
from jaxcourse.exercise import numbers

NAMES = ("source", "filled", "heard")


def rows_of(x):
    """The row of each value, one station after the other: the last one heard, and before the first the first."""
    source = np.zeros(x.shape, int)
    for i, column in enumerate(x.T):
        known = [t for t, value in enumerate(column) if not np.isnan(value)]
        for t in range(len(x)) if known else []:
            source[t, i] = max([k for k in known if k <= t], default=known[0])
    return source


def levels(x):
    """Each station's mean over its readings; 0 where there are none."""
    return np.array([0.0 if np.isnan(column).all() else np.nanmean(column) for column in x.T])


def filled_from(x, rows, level=None):
    """The levels from some rows, less the means or something else; 0 where a station was never heard."""
    filled = np.take_along_axis(x, rows, axis=0) - (levels(x) if level is None else level)
    return np.where(np.isnan(x).all(axis=0), 0, filled)


def filled_of(x):
    """The levels, as the task defines them."""
    return filled_from(x, rows_of(x))


def heard_of(x):
    """1 where a reading came in this very minute."""
    return (~np.isnan(x)).astype(float)


def unknown(x):
    """Where a station has not been heard yet, and will be."""
    return (np.cumsum(heard_of(x), axis=0) == 0) & ~np.isnan(x).all(axis=0)


def _rows_ahead(x):
    """The next reading instead of the last one; behind the last, the last."""
    return np.where(np.isnan(x).all(axis=0), 0, len(x) - 1 - rows_of(x[::-1])[::-1])


def _rows_nearest(x, gaps_shared):
    back, ahead, now = rows_of(x), _rows_ahead(x), np.arange(len(x))[:, None]
    nearer = np.abs(ahead - now) < np.abs(now - back) + gaps_shared
    return np.where(nearer, ahead, back)


def _rows_before(x):
    """The last reading that came before this minute."""
    source = rows_of(x)
    return np.concatenate([source[:1], source[:-1]])


def _between(x):
    """Levels on straight lines between the readings."""
    there, rows = ~np.isnan(x), np.arange(len(x))
    lines = [np.interp(rows, rows[t], c[t]) if t.any() else 0.0 * rows for c, t in zip(x.T, there.T, strict=True)]
    return np.stack(lines, axis=1) - levels(x)


def _for_missing(x, value):
    """Wherever nothing came a fixed level; 0 where a station was never heard."""
    return np.where(np.isnan(x), np.where(np.isnan(x).all(axis=0), 0, value), filled_of(x))


def _for_unknown(x, value, *, silent=0.0):
    """Before the first reading other levels, and perhaps also where no reading ever came."""
    return np.where(np.isnan(x).all(axis=0), silent, np.where(unknown(x), value, filled_of(x)))


HEARD = {
    "heard-turned-round": lambda x: 1 - heard_of(x),
    "heard-for-ever": lambda x: np.minimum(np.cumsum(heard_of(x), axis=0), 1),
}

SOURCE = {
    "looks-ahead": [_rows_ahead, *(functools.partial(_rows_nearest, gaps_shared=shared) for shared in (0, 1))],
    "last-row-for-unknown": [
        lambda x: np.where(unknown(x), -1, rows_of(x)),
        lambda x: np.where(unknown(x), len(x) - 1, rows_of(x)),
    ],
    "unknown-left": lambda x: np.where(unknown(x), 0, rows_of(x)),
    "ages-for-rows": lambda x: np.where(np.isnan(x).all(axis=0), 0, np.arange(len(x))[:, None] - rows_of(x)),
    "one-minute-late": _rows_before,
}

FILLED = {
    "zero-for-missing": [lambda x: _for_missing(x, 0.0), lambda x: _for_missing(x, -levels(x))],
    "looks-ahead/filled": [
        _between,
        lambda x: filled_from(x, _rows_ahead(x)),
        lambda x: filled_from(x, _rows_nearest(x, 0)),
    ],
    "last-row-for-unknown/filled": [
        lambda x: _for_unknown(x, x[-1] - levels(x)),
        lambda x: _for_unknown(x, np.nan_to_num(x[-1] - levels(x))),
    ],
    "unknown-left/filled": [lambda x: _for_unknown(x, 0.0), lambda x: _for_unknown(x, -levels(x))],
    "unknown-is-nan": [lambda x: _for_unknown(x, np.nan), lambda x: _for_unknown(x, np.nan, silent=np.nan)],
    "silent-station-nan": lambda x: np.where(np.isnan(x).all(axis=0), np.nan, filled_of(x)),
    "mean-of-copies": lambda x: filled_of(x) - filled_of(x).mean(axis=0),
    "mean-over-all-minutes": lambda x: filled_from(x, rows_of(x), np.nan_to_num(x).mean(axis=0)),
    "one-mean-for-all": lambda x: filled_from(x, rows_of(x), 0.0 if np.isnan(x).all() else np.nanmean(x)),
    "level-kept": lambda x: filled_from(x, rows_of(x), 0.0),
    "first-for-mean": lambda x: filled_of(x) - filled_of(x)[0],
    "one-minute-late/filled": lambda x: filled_from(x, _rows_before(x)),
}


def record(rng, shape):
    """Levels near 1000 hPa with gaps, stations that begin late, and now and then one that is never heard."""
    minutes, stations = shape
    x = np.round(rng.uniform(970, 1030, stations) + np.cumsum(rng.normal(0, 1, shape), axis=0), 2)
    x[rng.random(shape) < rng.choice([0.2, 0.5])] = np.nan
    x[: int(rng.integers(0, minutes + 1) / 2), int(rng.integers(stations))] = np.nan
    if stations > 2 or rng.random() < 0.3:
        x[:, int(rng.integers(stations))] = np.nan
    return (x,)


def three(got, x):
    """The three results by their names, once each has the shape of the task."""
    require(isinstance(got, (tuple, list)) and len(got) == 3, "not-three")
    made = dict(zip(NAMES, map(numbers, got), strict=True))
    for name, part in made.items():
        require(part.shape == x.shape, "wrong-shape", name=name, want=x.shape, shape=part.shape)
    return made


def source_in(got, x):
    """The rows, where those of a station that was never heard are its own affair."""
    source, silent = three(got, x)["source"], np.isnan(x).all(axis=0)
    row = source[:, silent]
    outside = row[~((row >= 0) & (row < len(x)))]
    refuse(outside.size, "row-outside", row=outside[:1])
    return np.where(silent, 0, source)


def filled_in(got, x):
    """The levels, where rounding is no mistake yet: what is within a thousandth of a hPa is right."""
    filled, want = three(got, x)["filled"], filled_of(x)
    return np.where(np.abs(filled - want) < 1e-3, want, filled)


def heard_in(got, x):
    """Who was heard, whatever its dtype."""
    return three(got, x)["heard"].astype(float)


def judge_form(answer, rng):
    """Require three results in their order, of which the rows are whole numbers."""
    for shape in ((40, 5), (5, 5)):
        (x,) = record(rng, shape)
        made = list(three(answer(x), x).values())
        want = [rows_of(x), filled_of(x), heard_of(x)]
        for order in itertools.permutations(range(3)):
            turned = order != (0, 1, 2) and all(
                np.allclose(made[k], want[place], rtol=0, atol=1e-3) for k, place in enumerate(order)
            )
            refuse(turned, "other-order", names=", ".join(f"`{NAMES[place]}`" for place in order))
        require(made[0].dtype.kind in "iu", "rows-not-whole", dtype=made[0].dtype)


def judge_digits(answer, rng):
    """Require all digits of `float32` for what is left when the level is off, and the dtypes of the task."""
    (x,) = record(rng, (40, 5))
    made = three(answer(x), x)
    error = float(np.abs(made["filled"] - filled_of(x)).max())
    require(error < 1e-3, "wrong-value/filled")
    steps = {"step": f"{np.spacing(np.float32(1013)):.1g}", "fine": f"{np.spacing(np.float32(5)):.1g}"}
    require(error < 3e-6, "rounded-first", error=f"{error:.1g}", **steps)
    kinds = ", ".join(str(part.dtype) for part in made.values())
    require(kinds == "int32, float32, float32", "other-dtypes", kinds=kinds)


WORDS = """
hint: `np.where(np.isnan(x), ..., np.arange(len(x))[:, None])` gives each reading its row. What do you put in a gap,
    so that `np.maximum.accumulate` carries the last row forward?
hint: Before the first reading a station has no last one. `np.argmax(~np.isnan(x), axis=0)` is the row of its first.
hint: `np.take_along_axis(x, source, axis=0)` fetches. Subtract the mean in `float64`, and only then take `float32`.
not-three: Your function should return three arrays: `source`, `filled` and `heard`.
other-order: Your three arrays come in the order {names}. It should be `source`, `filled`, `heard`.
wrong-shape: Your `{name}` has the shape {shape}. It should be {want}.
rows-not-whole: Your `source` is `{dtype}`, which cannot be used as an index. Rows are integers.
row-outside: Your `source` has the row {row} for a station that was never heard, which is no row of the record. Take
    any row: every entry will be an index.
heard-turned-round: Your `heard` is 1 where no reading came. It should be 1 where one came.
heard-for-ever: Your `heard` stays 1 once a station has been heard. It should be 1 in the minutes in which a reading
    came.
looks-ahead: You fill a minute without a reading from a later row, which was not known yet. The training goes *better*
    with it, and you would see nothing else.
looks-ahead/filled: You fill a minute without a reading from the future, which was not known yet. The training goes
    *better* with it, and you would see nothing else.
zero-for-missing: You put 0 where nothing came, before the mean was taken off or after it, and that was never
    measured. Carry the last reading forward.
last-row-for-unknown: Your station comes from its *last* row before its first reading. As an index, -1 counts from the
    end.
last-row-for-unknown/filled: Your station that begins late has the value of its *last* row before its first reading.
    As an index, -1 counts from the end.
unknown-left: Your row before a station's first reading is 0, where nothing came. Put the row of its first reading
    there.
unknown-left/filled: Your `filled` before a station's first reading is another value. Nothing is known then: put its
    first reading there.
unknown-is-nan: Your `filled` is NaN before a station's first reading, and one NaN in a window spreads to all that is
    computed from it. Put its first reading there.
silent-station-nan: You have NaN for a station that was never heard: its mean is 0 divided by 0. Fill it with 0, and
    call it not heard.
mean-over-all-minutes: You divide the sum of the readings by all minutes, also by those without a reading. Divide by
    the number of readings.
mean-of-copies: Your mean counts each reading as often as you carried it forward. Take the mean of the readings.
one-mean-for-all: You subtract one mean from all stations. They are at different heights, and each has its own level.
level-kept: Your levels are as they were. Subtract each station's mean first.
first-for-mean: You subtract each station's first value. Subtract its mean.
ages-for-rows: Your `source` says how many minutes ago the value came. Return its row.
one-minute-late: Your `source` has the last reading before this minute. A reading is known in its own minute.
one-minute-late/filled: Your `filled` has the last reading before this minute. A reading is known in its own minute.
wrong-value/heard: Your `heard` differs. It should say whether a reading came in this very minute.
wrong-value/source: Your `source` differs. It should have the row of the last reading so far, and before the first one
    its row.
wrong-value/filled: Your `filled` differs. It should have the last reading so far, minus the mean of the station's
    readings.
rounded-first: Your levels are off by {error} hPa, because you rounded before you subtracted the mean. A `float32`
    counts in steps of {step} near 1013, and of {fine} near 5.
other-dtypes: Your numbers are right, and their dtypes are {kinds}. They should be int32, float32, float32.
"""

known_then = declare(
    "known-then",
    points=2,
    see="what-was-known",
    steps=[
        judge_form,
        # What is wrong with the rows is wrong with the levels, too.
        Agrees(
            heard_of,
            record,
            [(1, 1), (2, 2), (4, 2), (5, 5), (9, 4), (30, 3)],
            each=3,
            reads=heard_in,
            mistakes=HEARD,
            otherwise="wrong-value/heard",
            then=[
                Also(rows_of, reads=source_in, mistakes=SOURCE, otherwise="wrong-value/source"),
                Also(filled_of, reads=filled_in, mistakes=FILLED, otherwise="wrong-value/filled", rtol=1e-3),
            ],
        ),
        judge_digits,
    ],
    words=WORDS,
)
