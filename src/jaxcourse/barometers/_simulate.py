"""Barometers of forty volunteers, and a wave that crosses all of them and is seen by none.

A model of what a network of cheap weather stations sends in, with everything that is wrong with it, and the truth
beside it. All of it comes from a seed, and is as large as you ask for. Times are seconds since `START`, in `float64`.

The pressure at station i at true time t, in hPa, is the sum of

    level     constant: the weight of the air above a station, which depends on its height
    tide      0.8 cos(2 pi (t / 12 h + lon / 180)) + 0.4 cos(2 pi t / 24 h): the same for all, in step with the sun
    weather   slow and smooth: waves with periods of 14 to 80 h, 3 hPa in all, two thirds of it common to all stations
    gusts     fast: a process with a memory of 6 min and 0.08 hPa times a gustiness that itself comes and goes
              (log-normal, memory of 3 h, half of it common); wind raises noise, and lulls are worth more
    sensor    0.02 hPa, white, rounded to 0.01
    slams     1 reading in 300 is off by some tenths of a hPa, up to 2: a door, a hand, a truck
    the wave  amplitude * sqrt(500 km / d) * w((t - origin - d / speed) / width),  w(u) = -u exp((1 - u^2) / 2)

with d the distance on the sphere. What is sent is that pressure with the stamp of the station's own clock,

    stamp = t + offset_i + drift_i * t / 1 day,     whole seconds,

of which a fifth of the stations are far off. Readings are missing one by one (2 in 100) and for hours (power cuts).
Once an hour or so a station uploads, and the server notes when that arrived by a clock that is right: some seconds
later, and now and then half an hour, when the line was down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from jaxcourse.barometers._sphere import Floats, distance, wave_shape

START = pd.Timestamp("2026-03-14 00:00:00")
"""When the records begin, in UTC."""
DAY = 86400.0
"""Seconds."""
_TICK = 30.0
"""The finest step of the simulation, in seconds."""


@dataclass(frozen=True)
class Truth:
    """What was planted.

    Args:
        lat, lon: where it exploded, in degrees.
        origin: when, in seconds since `START`.
        speed: of the wave, in km / s.
        amplitude: of the wave 500 km away, in hPa.
        width: from the wave's highest point to its middle, in seconds.
    """

    lat: float = 44.7
    lon: float = 15.9
    origin: float = 2.58 * DAY
    speed: float = 0.312
    amplitude: float = 0.12
    width: float = 240.0


@dataclass(frozen=True)
class Network:
    """What comes in, and the truth, which a check may look at and a solution may not.

    Args:
        readings: a table with `station` (text), `stamp` (datetime of the station's own clock) and `pressure` (hPa, NaN
            where the sensor said nothing), in order of arrival.
        uploads: a table with `station`, `stamp` by its own clock, and `server`, when the server got it.
        stations: a table with `station`, `lat`, `lon` (degrees) and `period` (seconds between readings).
        clocks: the true offset (s, at `START`) and drift (s / day) of each station: (stations, 2), `float64`.
        truth: what was planted.
    """

    readings: pd.DataFrame
    uploads: pd.DataFrame
    stations: pd.DataFrame
    clocks: Floats
    truth: Truth


@dataclass(frozen=True)
class _Layout:
    """The stations: what stays as it is from season to season. `cuts` is the number of power cuts in a day."""

    names: list[str]
    spots: Floats
    period: Floats
    clocks: Floats
    cuts: Floats


def simulate(
    seed: int = 0,
    stations: int = 40,
    days: float = 3.0,
    truth: Truth | None = None,
    quiet: bool = False,
    layout: int = 7,
) -> Network:
    """Everything that comes in, from a seed.

    Args:
        seed: of the season: weather, gusts, gaps, slams and uploads.
        stations: how many.
        days: how long.
        truth: what is planted; by default `Truth()`.
        quiet: leaves the wave out.
        layout: places the stations, and sets their clocks.

    Example:
        >>> network = simulate(stations=5, days=0.1)
        >>> network.clocks.shape, list(network.readings.columns)
        ((5, 2), ['station', 'stamp', 'pressure'])
    """
    truth = truth or Truth()
    where = _random_layout(stations, layout)
    rng = np.random.default_rng([seed, stations, 1])
    ticks = np.arange(int(days * DAY / _TICK), dtype=np.float64) * _TICK
    weather = _weather(rng, ticks, stations)
    parts, uploads = [], []
    for i in range(stations):
        air = np.stack([ticks, weather[:, i]])
        parts.append(_readings(rng, where, i, days, air, None if quiet else truth))
        uploads.append(_uploads(rng, where, i, days))
    readings = _in_order(parts, "arrived").drop(columns="arrived")
    places = {"station": where.names, "lat": where.spots[:, 0], "lon": where.spots[:, 1], "period": where.period}
    return Network(
        _with_dates(readings, "stamp"),
        _with_dates(_in_order(uploads, "server"), "stamp", "server"),
        pd.DataFrame(places),
        where.clocks,
        truth,
    )


def _random_layout(stations: int, layout: int) -> _Layout:
    """The stations with their names and clocks."""
    rng = np.random.default_rng([layout, stations])
    spots = _spots(rng, stations)
    letters = [("KLMNPRST"[i % 8], "AEIOU"[i % 5]) for i in range(stations)]
    names = [f"{first}{second}{i:02d}" for i, (first, second) in enumerate(letters)]
    period = rng.choice([30.0, 60.0, 60.0, 120.0], size=stations)
    far_off = rng.random(stations) < 0.2
    offset = np.where(far_off, rng.uniform(-1500, 1500, stations), rng.uniform(-240, 240, stations))
    drift = rng.uniform(-60, 60, stations)
    return _Layout(names, spots, period, np.stack([offset, drift], axis=1), rng.uniform(0.5, 3, stations))


def _spots(rng: np.random.Generator, count: int) -> Floats:
    """Latitudes and longitudes in central Europe, no two within 40 km: (count, 2)."""
    spots = np.empty((0, 2))
    while len(spots) < count:
        spot = rng.uniform([45.0, 3.0], [53.0, 17.0])
        if not len(spots) or distance(*spot, *spots.T).min() > 40:
            spots = np.vstack([spots, spot])
    return spots


def _weather(rng: np.random.Generator, ticks: Floats, stations: int) -> Floats:
    """Weather and gusts at every tick: (ticks, stations), in hPa."""
    steps = len(ticks)
    slow = 3 * (np.sqrt(2 / 3) * _slow(rng, ticks, 1) + np.sqrt(1 / 3) * _slow(rng, ticks, stations))
    windy = np.sqrt(0.5) * (_memory(rng, steps, 1, 10800) + _memory(rng, steps, stations, 10800))
    gusts = 0.08 * np.exp(0.7 * windy - 0.25) * _memory(rng, steps, stations, 360)
    return np.asarray(slow + gusts)


def _memory(rng: np.random.Generator, steps: int, width: int, seconds: float) -> Floats:
    """A stationary process of variance 1 with a memory of so many seconds: (steps, width)."""
    keep = np.exp(-_TICK / seconds)
    values: Floats = rng.normal(size=(steps, width)) * np.sqrt(1 - keep**2)
    values[0] /= np.sqrt(1 - keep**2)
    for i in range(1, steps):
        values[i] += keep * values[i - 1]
    return values


def _slow(rng: np.random.Generator, ticks: Floats, width: int) -> Floats:
    """A smooth process of variance 1: eight waves each, with periods of 14 to 80 h: (ticks, width)."""
    rate = 2 * np.pi / rng.uniform(14 * 3600, 80 * 3600, size=(8, 1, width))
    phase = rng.uniform(0, 2 * np.pi, size=(8, 1, width))
    return np.asarray(0.5 * np.cos(rate * ticks[:, None] + phase).sum(axis=0))


def _readings(
    rng: np.random.Generator, where: _Layout, i: int, days: float, air: Floats, truth: Truth | None
) -> pd.DataFrame:
    """What a station sends in, by its own clock, and when it arrived."""
    t = np.arange(rng.uniform(0, where.period[i]), days * DAY - 5, where.period[i])
    t = t + rng.uniform(-2, 2, len(t))
    t = t[(t >= 0) & (t < days * DAY)]
    p = _pressure(where, i, t, air, truth)
    p = np.round(_with_slams(rng, p + rng.normal(0, 0.02, len(t))), 2)
    p[rng.random(len(t)) < 0.02] = np.nan
    there = _has_power(rng, t, days, where.cuts[i])
    t, p = t[there], p[there]
    return pd.DataFrame({"station": where.names[i], "stamp": _stamps(where, i, t), "pressure": p, "arrived": t})


def _pressure(where: _Layout, i: int, t: Floats, air: Floats, truth: Truth | None) -> Floats:
    """The pressure at a station, without what its sensor adds: in hPa, at true times."""
    lat, lon = where.spots[i]
    tide = 0.8 * np.cos(2 * np.pi * (t / 43200 + lon / 180)) + 0.4 * np.cos(2 * np.pi * t / DAY)
    p = 1013 - 40 * ((i * 7) % 11) / 11 + tide + np.interp(t, *air)
    if truth:
        far = float(distance(truth.lat, truth.lon, lat, lon))
        wave = wave_shape((t - truth.origin - far / truth.speed) / truth.width)
        p = p + truth.amplitude * np.sqrt(500 / far) * wave
    return np.asarray(p)


def _with_slams(rng: np.random.Generator, p: Floats) -> Floats:
    """The same pressures, of which 1 in 300 is far off."""
    slam = rng.random(len(p)) < 1 / 300
    size = rng.choice([-1, 1], len(p)) * np.minimum(rng.exponential(0.5, len(p)) + 0.15, 2)
    return np.asarray(np.where(slam, p + size, p))


def _has_power(rng: np.random.Generator, t: Floats, days: float, cuts: float) -> npt.NDArray[np.bool_]:
    """Which times lie in no power cut."""
    there = np.ones(len(t), bool)
    for _ in range(rng.poisson(cuts * days)):
        begin, long = rng.uniform(0, days * DAY), rng.exponential(2400) + 600
        there &= (t < begin) | (t > begin + long)
    return there


def _uploads(rng: np.random.Generator, where: _Layout, i: int, days: float) -> pd.DataFrame:
    """When a station uploaded, by its own clock and by the server's."""
    sent = np.arange(rng.uniform(0, 3600), days * DAY, 3600.0) + rng.uniform(-60, 60)
    late = rng.exponential(3.0, len(sent)) + 0.5
    late = np.where(rng.random(len(sent)) < 0.06, late + rng.uniform(300, 2400, len(sent)), late)
    server = np.round(sent + late, 1)
    return pd.DataFrame({"station": where.names[i], "stamp": _stamps(where, i, sent), "server": server})


def _stamps(where: _Layout, i: int, t: Floats) -> npt.NDArray[np.int64]:
    """What a station's clock shows at true times, in whole seconds."""
    offset, drift = where.clocks[i]
    return np.asarray(np.round(t + offset + drift * t / DAY).astype(np.int64))


def _in_order(parts: list[pd.DataFrame], column: str) -> pd.DataFrame:
    """One table of all stations' rows, sorted by a column."""
    return pd.concat(parts).sort_values(column, kind="stable").reset_index(drop=True)


def _with_dates(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """The table with dates for seconds."""
    return table.assign(**{column: START + pd.to_timedelta(table[column], unit="s") for column in columns})
