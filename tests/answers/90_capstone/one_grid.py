"""Answers to one-grid."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxcourse.barometers import DAY, START
from jaxcourse.exercise import equivalent, right, wrong


def places(readings, stations, clocks):
    """Of each reading, its station's place and its minute."""
    station = stations.station.tolist()
    code = readings.station.map({name: i for i, name in enumerate(station)}).to_numpy().astype(int)
    stamp = (readings.stamp - START).dt.total_seconds().to_numpy()
    time = (stamp - clocks[code, 0]) / (1 + clocks[code, 1] / DAY)
    return code, np.floor(time / 60).astype(int), readings.pressure.to_numpy()


def inside(readings, stations, clocks, minutes):
    """The same of the readings that are there and on the grid."""
    code, minute, pressure = places(readings, stations, clocks)
    good = (minute >= 0) & (minute < minutes) & ~np.isnan(pressure)
    return code[good], minute[good], pressure[good]


def mean_of(total, count):
    """The mean where something was counted, else NaN."""
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def grouped(readings, stations, clocks, minutes):
    """Means by the groups of pandas, in the stations' order."""
    code, minute, pressure = places(readings, stations, clocks)
    table = pd.DataFrame({"minute": minute, "code": code, "pressure": pressure})
    means = table.groupby(["minute", "code"])["pressure"].mean().unstack()
    return means.reindex(index=range(minutes), columns=range(len(stations))).to_numpy(float)


groups_of_pandas = right("one-grid")(grouped)


@right("one-grid")
def masks_and_products(readings, stations, clocks, minutes):
    code, minute, pressure = places(readings, stations, clocks)
    columns = []
    for i in range(len(stations)):
        of = (code == i) & ~np.isnan(pressure)
        mask = minute[of] == np.arange(minutes)[:, None]
        columns.append(mean_of(mask @ pressure[of], mask.sum(1)))
    return np.stack(columns, axis=1)


@right("one-grid")
def adds_at_an_index(readings, stations, clocks, minutes):
    code, minute, pressure = inside(readings, stations, clocks, minutes)
    total, count = np.zeros((2, minutes, len(stations)))
    np.add.at(total, (minute, code), pressure)
    np.add.at(count, (minute, code), 1)
    return mean_of(total, count)


@right("one-grid")
def segments_of_jax(readings, stations, clocks, minutes):
    code, minute, pressure = inside(readings, stations, clocks, minutes)
    flat = jnp.asarray(minute * len(stations) + code, int)
    boxes = minutes * len(stations)
    total = jax.ops.segment_sum(jnp.asarray(pressure - 1000, float), flat, boxes)
    count = jax.ops.segment_sum(jnp.ones(len(pressure)), flat, boxes)
    means = 1000 + mean_of(np.asarray(total, np.float64), np.asarray(count))
    return means.reshape(minutes, len(stations))


@right("one-grid")
def one_reading_after_the_other(readings, stations, clocks, minutes):
    column = {name: i for i, name in enumerate(stations["station"])}
    boxes = {}
    for reading in readings.itertuples():
        i = column[reading.station]
        stamp = (reading.stamp - START).total_seconds()
        time = stamp - clocks[i, 0] - clocks[i, 1] * (stamp - clocks[i, 0]) / DAY
        minute = int(time // 60)
        if 0 <= minute < minutes and reading.pressure == reading.pressure:
            boxes.setdefault((minute, i), []).append(reading.pressure)
    grid = np.full((minutes, len(stations)), np.nan)
    for place, values in boxes.items():
        grid[place] = sum(values) / len(values)
    return grid


def added(code, minute, pressure, minutes, count):
    """Means by `np.add.at`, for indices that may be odd."""
    total, number = np.zeros((2, minutes, count))
    np.add.at(total, (minute, code), pressure)
    np.add.at(number, (minute, code), 1)
    return mean_of(total, number)


@wrong("one-grid", "counted-once")
def adds_by_an_index(readings, stations, clocks, minutes):
    code, minute, pressure = inside(readings, stations, clocks, minutes)
    total, count = np.zeros((2, minutes, len(stations)))
    total[minute, code] += pressure
    count[minute, code] += 1
    return mean_of(total, count)


@wrong("one-grid", "counted-once")
def keeps_the_last_of_a_minute(readings, stations, clocks, minutes):
    code, minute, pressure = places(readings, stations, clocks)
    table = pd.DataFrame({"minute": minute, "code": code, "pressure": pressure})
    last = table.groupby(["minute", "code"])["pressure"].last().unstack()
    return last.reindex(index=range(minutes), columns=range(len(stations))).to_numpy(float)


@wrong("one-grid", "nearest-minute")
def counts_minutes_from_one(readings, stations, clocks, minutes):
    code, minute, pressure = places(readings, stations, clocks)
    good = (minute >= -1) & (minute < minutes - 1) & ~np.isnan(pressure)
    total, count = np.zeros((2, minutes, len(stations)))
    np.add.at(total, (minute[good] + 1, code[good]), pressure[good])
    np.add.at(count, (minute[good] + 1, code[good]), 1)
    return mean_of(total, count)


@wrong("one-grid", "counted-once")
def counts_all_and_adds_one(readings, stations, clocks, minutes):
    code, minute, pressure = inside(readings, stations, clocks, minutes)
    total, count = np.zeros((2, minutes, len(stations)))
    total[minute, code] += pressure
    np.add.at(count, (minute, code), 1)
    return mean_of(total, count)


@wrong("one-grid", "one-of-several")
def drops_what_comes_twice(readings, stations, clocks, minutes):
    code, minute, pressure = inside(readings, stations, clocks, minutes)
    grid = np.full((minutes, len(stations)), np.nan)
    _, first = np.unique(minute * len(stations) + code, return_index=True)
    grid[minute[first], code[first]] = pressure[first]
    return grid


@wrong("one-grid", "sum-for-mean")
def forgets_to_divide(readings, stations, clocks, minutes):
    code, minute, pressure = inside(readings, stations, clocks, minutes)
    total, count = np.zeros((2, minutes, len(stations)))
    np.add.at(total, (minute, code), pressure)
    np.add.at(count, (minute, code), 1)
    return np.where(count > 0, total, np.nan)


@wrong("one-grid", "wraps-to-the-end")
def leaves_out_only_what_is_too_late(readings, stations, clocks, minutes):
    code, minute, pressure = places(readings, stations, clocks)
    good = (minute < minutes) & (minute >= -minutes) & ~np.isnan(pressure)
    return added(code[good], minute[good], pressure[good], minutes, len(stations))


@wrong("one-grid", "truncated")
def cuts_towards_zero(readings, stations, clocks, minutes):
    code, _, pressure = places(readings, stations, clocks)
    stamp = (readings.stamp - START).dt.total_seconds().to_numpy()
    minute = ((stamp - clocks[code, 0]) / (1 + clocks[code, 1] / DAY) / 60).astype(int)
    good = (minute >= 0) & (minute < minutes) & ~np.isnan(pressure)
    return added(code[good], minute[good], pressure[good], minutes, len(stations))


@wrong("one-grid", "clipped-into-the-grid")
def clips_the_minute(readings, stations, clocks, minutes):
    code, minute, pressure = places(readings, stations, clocks)
    good = ~np.isnan(pressure)
    return added(code[good], np.clip(minute, 0, minutes - 1)[good], pressure[good], minutes, len(stations))


@wrong("one-grid", "nearest-minute")
def rounds_to_the_minute(readings, stations, clocks, minutes):
    readings = readings.assign(stamp=readings.stamp + pd.Timedelta(seconds=30))
    return grouped(readings, stations, clocks, minutes)


@wrong("one-grid", "nearest-minute")
def rounds_up(readings, stations, clocks, minutes):
    readings = readings.assign(stamp=readings.stamp + pd.Timedelta(seconds=60))
    return grouped(readings, stations, clocks, minutes)


@wrong("one-grid", "clock-not-used")
def resamples_the_stamps(readings, stations, clocks, minutes):
    return grouped(readings, stations, 0 * clocks, minutes)


@wrong("one-grid", "clock-turned-round")
def adds_the_clock(readings, stations, clocks, minutes):
    return grouped(readings, stations, -clocks, minutes)


@wrong("one-grid", "drift-not-used")
def takes_off_the_offset(readings, stations, clocks, minutes):
    return grouped(readings, stations, clocks * [1, 0], minutes)


@wrong("one-grid", "drift-not-per-day")
def drifts_by_the_second(readings, stations, clocks, minutes):
    return grouped(readings, stations, clocks * [1, DAY], minutes)


@wrong("one-grid", "gap-spreads")
def counts_what_is_missing(readings, stations, clocks, minutes):
    code, minute, pressure = places(readings, stations, clocks)
    good = (minute >= 0) & (minute < minutes)
    return added(code[good], minute[good], pressure[good], minutes, len(stations))


@wrong("one-grid", "gap-is-zero")
def fills_with_zero(readings, stations, clocks, minutes):
    return grouped(readings.fillna({"pressure": 0.0}), stations, clocks, minutes)


@wrong("one-grid", "zero-for-nothing")
def leaves_zeros(readings, stations, clocks, minutes):
    return np.nan_to_num(grouped(readings, stations, clocks, minutes))


@wrong("one-grid", "stations-sorted")
def pivots(readings, stations, clocks, minutes):
    grid = grouped(readings, stations, clocks, minutes)
    return grid[:, stations.station.argsort()]


@wrong("one-grid", "table-turned")
def stations_in_rows(readings, stations, clocks, minutes):
    return grouped(readings, stations, clocks, minutes).T


@wrong("one-grid", "wrong-shape")
def only_minutes_that_came(readings, stations, clocks, minutes):
    code, minute, pressure = inside(readings, stations, clocks, minutes)
    table = pd.DataFrame({"minute": minute, "code": code, "pressure": pressure})
    return table.pivot_table(values="pressure", index="minute", columns="code").to_numpy()


@wrong("one-grid", "seconds-since-1970")
def in_float32_since_1970(readings, stations, clocks, minutes):
    code, _, pressure = places(readings, stations, clocks)
    epoch = pd.Timestamp("1970-01-01")
    stamp = (readings.stamp - epoch).dt.total_seconds().to_numpy(np.float32)
    time = stamp - clocks[code, 0].astype(np.float32) - np.float32((START - epoch).total_seconds())
    minute = np.floor(time / 60).astype(int)
    good = (minute >= 0) & (minute < minutes) & ~np.isnan(pressure)
    return added(code[good], minute[good], pressure[good], minutes, len(stations))


@wrong("one-grid", "nanoseconds-wrapped")
def nanoseconds_in_jax(readings, stations, clocks, minutes):
    code, _, pressure = places(readings, stations, clocks)
    wrapped = ((readings.stamp - START) / pd.Timedelta(1, "ns")).to_numpy().astype(np.int64).astype(np.int32)
    minute = np.floor((wrapped / 1e9 - clocks[code, 0]) / (1 + clocks[code, 1] / DAY) / 60).astype(int)
    good = (minute >= 0) & (minute < minutes) & ~np.isnan(pressure)
    return added(code[good], minute[good], pressure[good], minutes, len(stations))


@wrong("one-grid", "not-float64")
def in_single_precision(readings, stations, clocks, minutes):
    return grouped(readings, stations, clocks, minutes).astype(np.float32)


@wrong("one-grid", "tables-changed")
def writes_a_column_into_the_table(readings, stations, clocks, minutes):
    readings["code"], readings["minute"], _ = places(readings, stations, clocks)
    means = readings.groupby(["minute", "code"])["pressure"].mean().unstack()
    return means.reindex(index=range(minutes), columns=range(len(stations))).to_numpy(float)


@wrong("one-grid", "wrong-value")
def one_minute_late(readings, stations, clocks, minutes):
    grid = grouped(readings, stations, clocks, minutes)
    return np.roll(grid, 2, axis=0) if minutes > 2 else grid + 1


equivalents = [
    equivalent("one-grid", change, why)
    for why, changes in {
        "a column of pandas is as good as its array here": [
            "`(readings.stamp - START).dt.total_seconds().to_numpy()`"
            "  ->  `(readings.stamp - START).dt.total_seconds()`",
            "`readings.pressure.to_numpy()`  ->  `readings.pressure`",
        ],
        "readings keep away from the edges of minutes": [
            "`(stamp - offset) / (1 + drift / DAY)`  ->  `(stamp - offset) // (1 + drift / DAY)`"
        ],
        "floored once more": [
            "`(stamp - offset) / (1 + drift / DAY) / 60`  ->  `(stamp - offset) / (1 + drift / DAY) // 60`"
        ],
        "16 bits hold the minutes of three weeks": ["`int`  ->  `np.int16`"],
        "both have a row for each station": ["`stations`  ->  `clocks`"],
        "a warning of NumPy is no result": ["`np.errstate(invalid='ignore')`  ->  `np.errstate()`"],
    }.items()
    for change in changes
]
