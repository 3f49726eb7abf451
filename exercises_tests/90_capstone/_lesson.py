"""A little weather for bars-that-hold, in which every bar is known: what a network would be after a perfect training.

Levels are in hPa, arrays are (minutes, stations), and the first axis of a stack of them is the season.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BACK = 24
"""How many minutes a window has."""
MINUTES = 90
"""How long a season is."""
UNIT = np.array([10, 10, 1, 0.01, 0.02], np.float32)
"""Km east, km north, minutes, km / s and hPa: each about one bar."""
LEVEL = 4.0
"""In hPa: to this every station comes back, so that readings with their signs turned round are another weather."""


class Seasons(NamedTuple):
    """Many records of the same stations, with the same wave.

    Attributes:
        spots: km east and north of the stations: (2, stations).
        windy: how large moves are at each station, beside the usual ones: (stations,).
        truth: of the wave: (5,).
        starts: where each fit begins: (seasons, 5).
        readings, source, heard: the records: (seasons, minutes, stations).
    """

    spots: np.ndarray
    windy: np.ndarray
    truth: np.ndarray
    starts: np.ndarray
    readings: np.ndarray
    source: np.ndarray
    heard: np.ndarray

    @property
    def records(self):
        """What an answer is given of each season."""
        return self.starts, self.readings, self.source, self.heard


def expected(window, there, windy):
    """Mean and logarithm of the spread after windows whose minutes run along the second axis from the end.

    It comes back to the window's mean, and a little to `LEVEL`; the spread is that of the last twelve moves, as of the
    network, and a spread that a station has even when nothing moves.
    """
    moves = np.abs(np.diff(window, axis=-2))[..., -12:, :] * there[..., -12:, :]
    scale = moves.sum(-2) / (there[..., -12:, :].sum(-2) + 1)
    last = window[..., -1, :]
    mean = last + 0.15 * (window.mean(-2) - last) + 0.01 * (LEVEL - last)
    return mean, np.log(0.006 * windy + scale)


def wave(theta, spots, minutes=MINUTES):
    """The wave at all stations, as of the lesson, on a flat map: (minutes, stations)."""
    east, north, begin, speed, height = theta
    far = np.hypot(spots[0] - east, spots[1] - north)
    u = (np.arange(minutes)[:, None] + 0.5 - begin - far / speed / 60) / 4
    return height * np.sqrt(500 / far) * -u * np.exp((1 - u * u) / 2)


def draw(rng, count, stations=20):
    """Seasons that this weather made itself, with gaps, and one wave in all of them.

    One station is never heard: it is filled with 0, and its source is any row, as step 3 allows; here each is its own.
    """
    angle, far = rng.uniform(0, 2 * np.pi, stations), rng.uniform(150, 700, stations)
    spots = (far * np.stack([np.cos(angle), np.sin(angle)])).astype(np.float32)
    truth = np.array([*rng.uniform(-30, 30, 2), rng.uniform(28, 32), rng.uniform(0.30, 0.32), 0.12])
    windy = np.exp(rng.permutation(np.linspace(-1, 1, stations))).astype(np.float32)
    heard = _heard(rng, (count, MINUTES, stations))
    silent = int(rng.integers(stations))
    heard[..., silent] = False
    rows = np.where(heard, np.arange(MINUTES)[:, None], 0)
    source = np.maximum.accumulate(rows, axis=1)
    calm = _calm(rng, heard, windy)
    readings = calm + np.take_along_axis(np.broadcast_to(wave(truth, spots), calm.shape), source, axis=1)
    readings[..., silent], source[..., silent] = 0, np.arange(MINUTES)
    starts = truth + np.array([20, -20, 1, 0, -0.03]) * rng.choice([-1, 1], (count, 1))
    return Seasons(
        spots,
        windy,
        truth,
        starts.astype(np.float32),
        readings.astype(np.float32),
        source.astype(np.int32),
        heard.astype(np.float32),
    )


def _heard(rng, shape):
    """Two gaps of some minutes for each station, after the first minute."""
    minute = np.arange(shape[1])[:, None]
    heard = np.ones(shape, bool)
    for _ in range(2):
        begin = rng.integers(1, shape[1], (shape[0], 1, shape[2]))
        heard &= (minute < begin) | (minute >= begin + rng.integers(2, 12, begin.shape))
    return heard


def _calm(rng, heard, windy):
    """Weather without a wave: each level is drawn after its window, and kept where nobody is heard."""
    seasons, minutes, stations = heard.shape
    level = np.zeros((seasons, BACK + minutes, stations))
    level[:, :BACK] = LEVEL + np.cumsum(0.02 * windy * rng.normal(size=(seasons, BACK, stations)), axis=1)
    there = np.concatenate([np.ones((seasons, BACK, stations)), heard], axis=1)
    for t in range(BACK, BACK + minutes):
        mean, spread = expected(level[:, t - BACK : t], there[:, t - BACK : t], windy)
        fresh = mean + np.exp(spread) * rng.normal(size=mean.shape)
        level[:, t] = np.where(there[:, t] > 0, fresh, level[:, t - 1])
    return level[:, BACK:]


def covariances(seasons, theta, mistake=""):
    """The covariance of each season at its fit: what is right, or what a mistake would give."""
    J = _jacobians(seasons, theta, mistake)
    return np.linalg.inv(np.swapaxes(J, 1, 2) @ J * np.outer(UNIT, UNIT)) * np.outer(UNIT, UNIT)


def good_fits(seasons):
    """Where a fit ends that holds the spreads: one step of Gauss-Newton from the truth, which is nearly there."""
    theta = np.broadcast_to(seasons.truth, seasons.starts.shape)
    J, r = _jacobians(seasons, theta), _residuals(seasons, theta)
    slope = (np.swapaxes(J, 1, 2) @ r[..., None])[..., 0]
    return theta - (covariances(seasons, theta) @ slope[..., None])[..., 0]


def _jacobians(seasons, theta, mistake=""):
    """The slopes of the residuals of each season by each parameter, by differences: (seasons, terms, 5)."""
    steps = 0.01 * UNIT.astype(float)
    columns = []
    for which in range(5):
        move = np.eye(5)[which] * steps
        up, down = (_residuals(seasons, theta + sign * move, mistake, theta) for sign in (1, -1))
        columns.append((up - down) / (2 * steps[which]))
    return np.stack(columns, axis=-1)


def _residuals(seasons, theta, mistake="", around=None):
    """The residuals of each season if its row of `theta` is the wave; what is stopped is that of `around`."""
    readings, source, heard = (np.asarray(part, float) for part in seasons[4:])
    source = source.astype(int)

    def left(theta):
        along = np.stack([wave(one, seasons.spots) for one in theta])
        taken = along if mistake == "gap-keeps-the-wave" else np.take_along_axis(along, source, axis=1)
        return filled - taken

    filled = np.take_along_axis(readings, source, axis=1)
    calm = left(theta)
    mean, moving = _expected(calm, heard, seasons.windy)
    spread = _expected(filled, heard, seasons.windy)[1]
    if mistake == "one-spread":
        spread = np.zeros_like(mean)
    elif mistake in ("yardstick-moves", "mean-held/instead"):
        spread = moving
    if mistake == "mean-held":
        mean = _expected(filled, heard, seasons.windy)[0]
    elif mistake in ("mean-held/stopped", "mean-held/instead"):
        mean, stopped = _expected(left(theta if around is None else around), heard, seasons.windy)
        spread = stopped if mistake == "mean-held/stopped" else moving
    counted = np.ones_like(heard) if mistake == "copies-count" else heard
    r = counted[:, BACK:] * (calm[:, BACK:] - mean) / np.exp(spread)
    return r.reshape(len(r), -1)


def _expected(filled, heard, windy):
    """Mean and logarithm of the spread of each reading after its window."""
    view = np.lib.stride_tricks.sliding_window_view
    windows, there = (np.swapaxes(view(part[:, :-1], BACK, axis=1), -1, -2) for part in (filled, heard))
    return expected(windows, there, windy)
