"""one-grid: the mean of each station's readings in each minute of true time."""

import functools
import math

import numpy as np
import pandas as pd

from jaxcourse import barometers, probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers

_NAMES = ("TUR", "KAL", "BEX", "OST", "AMM", "ZUG", "EGG")


@probe.question(evidence="values")
def gridded(student_function, stations, station, stamp, pressure, clocks, minutes):
    """What comes back for tables made of arrays."""
    readings = pd.DataFrame(
        {
            "station": np.array(stations)[station],
            "stamp": barometers.START + pd.to_timedelta(stamp, unit="s"),
            "pressure": pressure,
        }
    )
    places = {"lat": np.linspace(46, 52, len(stations)), "lon": np.linspace(4, 16, len(stations))}
    table = pd.DataFrame({"station": stations, **places, "period": 60.0})
    return student_function(readings, table, clocks, minutes)


@probe.question(evidence="process")
def changed_tables(student_function, stations, station, stamp, pressure, clocks, minutes):
    """Which of the tables are not what they were before the call."""
    start = barometers.START + pd.to_timedelta(stamp, unit="s")
    readings = pd.DataFrame({"station": np.array(stations)[station], "stamp": start, "pressure": pressure})
    table = pd.DataFrame({"station": stations, "lat": 50.0, "lon": 10.0, "period": 60.0})
    kept = {"readings": (readings, readings.copy()), "stations": (table, table.copy())}
    student_function(readings, table, clocks, minutes)
    return [name for name, (now, before) in kept.items() if not now.equals(before)]


def true_time(stamp, offset, drift):
    """Seconds since START at which a clock shows a stamp."""
    return (stamp - offset) / (1 + drift / barometers.DAY)


def in_single(stamp, offset, drift):
    """The same, from seconds since 1970 in `float32`, which counts them in steps of 128."""
    since = np.float32(barometers.START.timestamp() + stamp) - np.float32(offset)
    return float(since - np.float32(barometers.START.timestamp()))


def in_nanoseconds(stamp, offset, drift):
    """The same, from nanoseconds since START in `int32`, which wraps around after two seconds."""
    wrapped = (round(stamp * 1e9) + 2**31) % 2**32 - 2**31
    return true_time(wrapped / 1e9, offset, drift)


def means(
    stations, station, stamp, pressure, clocks, minutes, *, time=true_time, floor=math.floor, mean=np.mean, **how
):
    """The mean of each station's readings in each minute, one reading after the other; with a mistake, if one is named.

    Args:
        stations: their names.
        station: by reading, the station's place among them.
        stamp: by reading, seconds since START by the station's own clock.
        pressure: by reading.
        clocks: offset and drift of each station.
        minutes: how many there are.
        time: from a stamp, an offset and a drift, the true time.
        floor: from true time in minutes, the minute.
        mean: of the readings of a minute.
        **how: `outside`, where a minute that is not on the grid goes; `gap`, what a missing reading counts as;
            `nothing`, what stands where no reading came; `order`, that of the columns.
    """
    boxes = {}
    for i, seconds, value in zip(station.tolist(), stamp.tolist(), pressure.tolist(), strict=True):
        minute = how.get("outside", lambda minute, minutes: minute)(floor(time(seconds, *clocks[i]) / 60), minutes)
        value = how.get("gap", value) if math.isnan(value) else value
        if 0 <= minute < minutes and (not math.isnan(value) or how.get("spreads")):
            boxes.setdefault((minute, i), []).append(value)
    grid = np.full((minutes, len(stations)), how.get("nothing", np.nan))
    for place, values in boxes.items():
        grid[place] = mean(values)
    return grid[:, how["order"](stations)] if "order" in how else grid


def oracle(stations, station, stamp, pressure, clocks, minutes):
    return means(stations, station, stamp, pressure, clocks, minutes)


def _mistaken(**how):
    return functools.partial(means, **how)


def _first(values):
    return values[0]


def _last(values):
    return values[-1]


def _last_over_all(values):
    return values[-1] / len(values)


def _first_over_all(values):
    return values[0] / len(values)


MISTAKES = {
    "seconds-since-1970": _mistaken(time=in_single),
    "nanoseconds-wrapped": _mistaken(time=in_nanoseconds),
    "clock-not-used": _mistaken(time=lambda stamp, offset, drift: stamp),
    "clock-turned-round": [
        _mistaken(time=lambda stamp, offset, drift: true_time(stamp, -offset, -drift)),
        _mistaken(time=lambda stamp, offset, drift: stamp + offset + drift * stamp / barometers.DAY),
    ],
    "drift-not-used": _mistaken(time=lambda stamp, offset, drift: stamp - offset),
    "drift-not-per-day": [
        _mistaken(time=lambda stamp, offset, drift: stamp - offset - drift * stamp),
        _mistaken(time=lambda stamp, offset, drift: (stamp - offset) / (1 + drift)),
    ],
    "counted-once": [_mistaken(mean=_last_over_all), _mistaken(mean=_last), _mistaken(mean=_first_over_all)],
    "one-of-several": [_mistaken(mean=_first), _mistaken(mean=np.median), _mistaken(mean=max)],
    "sum-for-mean": _mistaken(mean=sum),
    "wraps-to-the-end": _mistaken(
        outside=lambda minute, minutes: minute + minutes if -minutes <= minute < 0 else minute
    ),
    "truncated": _mistaken(floor=math.trunc),
    "clipped-into-the-grid": [
        _mistaken(outside=lambda minute, minutes: min(max(minute, 0), minutes - 1)),
        _mistaken(outside=lambda minute, minutes: max(minute, 0)),
        _mistaken(outside=lambda minute, minutes: min(minute, minutes - 1)),
    ],
    "nearest-minute": _mistaken(floor=round),
    "nearest-minute/up": _mistaken(floor=math.ceil),
    "gap-spreads": _mistaken(spreads=True),
    "gap-is-zero": _mistaken(gap=0.0),
    "zero-for-nothing": _mistaken(nothing=0.0),
    "stations-sorted": _mistaken(order=np.argsort),
}


def table(rng, size):
    """Readings of some stations in a few minutes, before and after them, never near the edge or the middle of a minute.

    A clock is wrong by up to half an hour, so that other routes to the same minute may differ by a second.
    """
    minutes, count, rows, late = size
    stations = [str(name) for name in rng.permutation(_NAMES)[:count]]
    clocks = np.round(np.stack([rng.uniform(-1500, 1500, count), rng.uniform(-60, 60, count)], axis=1)) + 0.5
    of = rng.integers(0, max(1, count - (count > 2)), rows)  # of three or more, the last one sends nothing
    minute = rng.integers(minutes - 9 if late else -2, minutes + 2, rows)
    true = 60 * minute + rng.uniform(5, 26, rows) + 28 * rng.integers(0, 2, rows)
    stamp = np.round(true + clocks[of, 0] + clocks[of, 1] * true / barometers.DAY).astype(np.int64)
    pressure = np.round(rng.uniform(960, 1040, rows) * 4) / 4  # so that means can be read
    pressure[rng.random(rows) < 0.2] = np.nan
    return stations, of, stamp, pressure, clocks, minutes


def set_anew(rng):
    """The same tables with clocks that are all three minutes further on."""
    case = table(rng, (5, 4, 30, False))
    return [case, (*case[:4], case[4] + [180.0, 0.0], case[5])]


def read(got, stations, station, stamp, pressure, clocks, minutes):
    """What came back, once it has a row for each minute and a column for each station."""
    want, got = (minutes, len(stations)), numbers(got)
    refuse(got.shape == want[::-1] != want, "table-turned", shape=got.shape)
    require(got.shape == want, "wrong-shape", want=want, shape=got.shape)
    return got


SMALL = [(3, 2, 1, False), (1, 1, 3, False), (2, 2, 9, False), (4, 3, 24, False), (6, 5, 40, False)]
THREE_DAYS = [(4320, 3, 40, True)]


def judge_kind(answer, rng):
    """Require `float64`, and tables that are as they were."""
    case = table(rng, (5, 3, 30, False))
    got = numbers(answer.probe(gridded, *case))
    answer.called = "one_grid(readings, stations, clocks, 5)"
    require(got.dtype == np.float64, "not-float64", dtype=got.dtype, step=f"{np.spacing(np.float32(1013)):.5f}")
    changed = answer.probe(changed_tables, *case)
    answer.called = "one_grid(readings, stations, clocks, 5)"
    refuse(changed, "tables-changed", names=" and ".join(f"`{name}`" for name in changed))


WORDS = """
hint: A reading has a station, which is a column, and a true minute, which is a row. Which number is both together,
    `row * columns + column`?
hint: `np.bincount` counts how often each number occurs. With `weights` it adds what belongs to it.
hint: Which minute is 30 s before `START`? `int` says 0.
table-turned: Your table is turned, with the shape {shape}. A minute should be a row, and a station a column.
wrong-shape: Your table has the shape {shape}. It should have {want}: a row for each minute and a column for each
    station, whether anything came or not.
seconds-since-1970: Your neighbouring minutes fall together: seconds since 1970 went through a `float32`, which counts
    in steps of 128. Subtract `START` first, and keep the times in NumPy.
nanoseconds-wrapped: Your nanoseconds went through an `int32`, which wraps around after two seconds. Count in seconds,
    and keep the times in NumPy.
clock-not-used: You take the stamps as they are. They are those of each station's own clock: correct them.
clock-turned-round: You correct the clocks in the opposite direction. A clock that is `offset` seconds ahead shows a
    stamp that is too large.
drift-not-used: You take the offsets off, and not the drifts. By the third day a clock has gone wrong by minutes.
drift-not-per-day: You took the drift for seconds per second. It is in seconds per *day*: divide by `DAY`.
counted-once: You count only one of two readings in a minute. In `total[i] += p` and `grid[i] = p` an index that
    occurs twice keeps one: `np.add.at` and `np.bincount` add both.
one-of-several: You return one of several readings in a minute. Return their mean.
sum-for-mean: You return the sum of several readings in a minute. Return their mean.
wraps-to-the-end: Your last row has a reading of the minute before the first one: index -1 counts from the end. Leave
    it out.
truncated: Your row 0 has a reading of the minute before the first one: it was cut towards zero on the way to an
    integer. Take the floor first.
clipped-into-the-grid: You put readings from outside the minutes into the first row, or into the last one. Leave them
    out.
nearest-minute: You put a reading at 40 s into minute 1, and it belongs to minute 0. A minute begins with its first
    second: take the floor.
nearest-minute/up: Your readings are each in the row after their own. A reading belongs to the minute that has begun,
    and the first minute is row 0.
gap-spreads: You let a reading that is NaN make the mean of its whole minute NaN. It is no reading: leave it out.
gap-is-zero: You count a reading that is NaN as 0 hPa. It is no reading: leave it out.
zero-for-nothing: You put 0 hPa where nothing came, and that is a vacuum. Put NaN there.
stations-sorted: Your columns are in the order of the alphabet. They should be in that of the table `stations`, like
    the rows of `clocks`.
wrong-value: Your means differ. Each minute and station should have the mean of the readings whose true time is in
    that minute.
not-float64: Your numbers are right, but `{dtype}`. Near 1013 hPa a `float32` counts in steps of {step} hPa: return
    `float64`, and round after the level is taken off.
tables-changed: Your numbers are right, but the call has changed {names}, which others also use. `assign` makes a new
    table.
"""

one_grid = declare(
    "one-grid",
    points=2,
    see="one-clock-one-grid",
    steps=[
        Agrees(
            oracle,
            table,
            [*SMALL, *THREE_DAYS],
            each=2,
            extremes=set_anew,
            ask=gridded,
            reads=read,
            mistakes=MISTAKES,
            shows="one_grid(readings, stations, clocks, minutes)",
            rtol=1e-6,
        ),
        judge_kind,
    ],
    words=WORDS,
)
