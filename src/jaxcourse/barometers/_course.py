"""The course's own results of the steps: what is shipped, and what is computed from it once in a process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from jaxcourse.barometers import _quiet, _steps
from jaxcourse.barometers._simulate import Network, Truth, simulate
from jaxcourse.barometers._sphere import Floats, nodes

MINUTES = 3 * 1440
"""How many minutes the record has."""
FILE = Path(__file__).with_name("course.npz")
"""What is shipped: packed clocks, minute means and parameters."""
_PARTS = 600
"""A mean of one, two or three readings, which come in hundredths of a hPa, is a whole number of these parts."""

Array = npt.NDArray[Any]


class ShippedData(NamedTuple):
    """What is shipped.

    Args:
        clocks: offset (s at `START`) and drift (s / day): (stations, 2), `float64`.
        x: the minute means in hPa, NaN where there is none: (minutes, stations), `float64`.
        weights: the parameters of the trained network, in `float32`.
    """

    clocks: Floats
    x: Floats
    weights: dict[str, Array]


def pack(kept: ShippedData) -> dict[str, Array]:
    """Arrays that take little room in a file: where the gaps are, and what changes from one mean to the next.

    Raises:
        ValueError: a mean is no whole number of parts, so that the file would not give it back.

    Example:
        >>> packed = pack(ShippedData(np.zeros((2, 2)), np.array([[1000.0, np.nan], [1000.5, 999.0]]), {}))
        >>> packed["moves"].tolist()
        [600000, 300, 599400]
    """
    there = ~np.isnan(kept.x.T)
    parts = np.round(kept.x.T * _PARTS)
    if np.abs(kept.x.T * _PARTS - parts)[there].max() > 1e-6:
        raise ValueError("a minute has more than three readings")
    moves = [np.diff(row[heard].astype(np.int32), prepend=0) for row, heard in zip(parts, there, strict=True)]
    packed = {"clocks": kept.clocks, "shape": np.array(kept.x.shape), "heard": np.packbits(there)}
    return {**packed, "moves": np.concatenate(moves).astype(np.int32), **kept.weights}


def unpack(packed: dict[str, Array]) -> ShippedData:
    """What was packed.

    Example:
        >>> x = np.array([[1000.0, np.nan], [1000.5, 999.0]])
        >>> np.array_equal(unpack(pack(ShippedData(np.zeros((2, 2)), x, {}))).x, x, equal_nan=True)
        True
    """
    params = dict(packed)
    minutes, stations = params.pop("shape")
    there = np.unpackbits(params.pop("heard"), count=minutes * stations).astype(bool).reshape(stations, minutes)
    rows = np.split(params.pop("moves"), there.sum(axis=1).cumsum()[:-1])
    x = np.full(there.shape, np.nan)
    x[there] = np.concatenate([row.cumsum() for row in rows]) / _PARTS
    return ShippedData(params.pop("clocks"), x.T.copy(), params)


def make_shipped() -> ShippedData:
    """What is shipped, worked out anew from the seed; it takes some seconds."""
    network = simulate()
    clocks = np.asarray(_steps.clock_fits(*_steps.padded(network.uploads, network.stations["station"])), np.float64)
    x = _steps.minute_means(network.readings, network.stations, clocks, MINUTES)
    _, filled, heard = _steps.known_then(x)
    return ShippedData(clocks, x, jax.device_get(_steps.train(filled, heard)))


@functools.cache
def kept() -> ShippedData:
    """What is shipped."""
    with np.load(FILE) as file:
        return unpack(dict(file))


@functools.cache
def network() -> Network:
    """What came in."""
    return simulate()


def place_of() -> npt.NDArray[np.float32]:
    """Latitudes and longitudes of the stations, in degrees: (2, stations)."""
    return _places(network())


def _places(its: Network) -> npt.NDArray[np.float32]:
    return np.asarray(its.stations[["lat", "lon"]], np.float32).T


@functools.cache
def record() -> tuple[Array, Array, Array]:
    """The whole record: source, filled, heard."""
    return _steps.known_then(kept().x)


def calm(params: Any, x: Floats) -> tuple[Array, Array, Array]:
    """A record without slams, as some network sees them: filled, heard, source."""
    source, filled, heard = _steps.known_then(_steps.without_slams(params, x))
    return filled, heard, source


@functools.cache
def clean_record() -> tuple[Array, Array, Array]:
    """The record without slams: filled, heard, source."""
    return calm(kept().weights, kept().x)


def expected(filled: Any, heard: Any) -> tuple[jax.Array, jax.Array]:
    """What the course's network expects of a record."""
    return _quiet.expected(kept().weights, filled, heard)


@functools.cache
def far() -> jax.Array:
    """Kilometres from nodes to stations: (nodes, stations), `float32`."""
    return _steps.travel_times(*nodes(), *place_of())


def course_scores(filled: Any, heard: Any, source: Any) -> tuple[jax.Array, jax.Array]:
    """Scores and their variances, by the course's network: (minutes, stations) each."""
    score = _scores(_steps.wave_in_minutes(), filled, source, heard)
    return score, _steps.usual(score)


@jax.jit
def _scores(wave: jax.Array, readings: jax.Array, source: jax.Array, heard: jax.Array) -> jax.Array:
    return _steps.scores(expected, wave, readings, source, heard)


@functools.cache
def traces() -> tuple[jax.Array, jax.Array]:
    """Those of the record."""
    return course_scores(*clean_record())


@functools.cache
def course_map() -> tuple[jax.Array, jax.Array]:
    """The map: the statistic of each node, and its minute."""
    value, when = _steps.the_map(far(), *traces())
    return value, when


class Stretch(NamedTuple):
    """The stretch of the record in which the wave is, and what a fit is given of it.

    Args:
        first: its first minute: an hour before the explosion, as the map has it.
        wave: the wave of a theta: km east and north of the map's best node, minutes from the first one, km / s, hPa.
        start: where the fit begins: (5,).
        record: readings, source and heard.
    """

    first: int
    wave: Callable[[jax.Array], jax.Array]
    start: jax.Array
    record: tuple[Array, Array, Array]


@functools.cache
def stretch() -> Stretch:
    """That of the record."""
    value, when = course_map()
    best = int(value.argmax())
    first, centre = int(when[best]) - 60, [float(angles[best]) for angles in nodes()]
    filled, heard, source = (each[first : first + _steps.STRETCH] for each in clean_record())

    def wave(theta: jax.Array) -> jax.Array:
        return _steps.wave_at(theta, centre, place_of(), _steps.STRETCH)

    start = jnp.array([0.0, 0.0, 60.0, _steps.SPEED, 0.1])
    return Stretch(first, wave, start, (filled, np.maximum(source - first, 0), heard))


def course_fit(fit: Callable[..., Any] = _steps.fit) -> tuple[Floats, Floats]:
    """Where, when, how fast and how high, and the covariance of these.

    Args:
        fit: the course's, or what a reader made.

    Returns:
        km east and north of the map's best node, minutes since `START`, km / s and hPa: (5,); and (5, 5).
    """
    its = stretch()
    given = jax.jit(functools.partial(fit, expected, its.wave))
    theta, covariance = given(its.start, _steps.UNIT, *its.record)
    return np.asarray(theta, np.float64) + [0, 0, its.first, 0, 0], np.asarray(covariance, np.float64)


@functools.cache
def found_source() -> tuple[Floats, Floats]:
    """The course's own."""
    return course_fit()


class Sighting(NamedTuple):
    """What a whole search of a season sees best.

    Args:
        z: scores in standard deviations: (minutes, stations).
        lat, lon: of the best node, in degrees.
        minute: of origin, since `START`.
        statistic: of all stations together.
    """

    z: jax.Array
    lat: float
    lon: float
    minute: int
    statistic: float


def sighted(its: Network, clocks: Any = None, traces: Callable[[Array, Array], Any] | None = None) -> Sighting:
    """All steps from the tables of a season of three days to the map, by the course's own functions.

    Args:
        its: the season.
        clocks: by which the stamps are mended: (stations, 2); by default what the uploads tell.
        traces: a function of filled and heard, which gives scores and variances; by default the network takes the slams
            out and gives them.

    Example:
        >>> flat = lambda filled, heard: (jnp.zeros_like(filled), jnp.ones_like(filled))
        >>> sighted(simulate(stations=5), np.zeros((5, 2)), flat).statistic
        0.0
    """
    names, (lat, lon) = its.stations["station"], nodes()
    clocks = _steps.clock_fits(*_steps.padded(its.uploads, names)) if clocks is None else clocks
    x = _steps.minute_means(its.readings, its.stations, clocks, MINUTES)
    if traces:
        score, variance = traces(*_steps.known_then(x)[1:])
    else:
        score, variance = course_scores(*calm(kept().weights, x))
    value, when = _steps.the_map(_steps.travel_times(lat, lon, *_places(its)), score, variance)
    best = int(value.argmax())
    z = score / jnp.sqrt(variance)
    return Sighting(z, float(lat[best]), float(lon[best]), int(when[best]), float(value[best]))


def season(seed: int, truth: Truth, days: float = 0.27) -> tuple[Array, Array, Array]:
    """Another season at the same stations, as the steps before leave it: 170 minutes from an hour before the explosion.

    Its weather, gaps and slams are its own. The clocks and the network are the course's.

    Args:
        seed: of the season.
        truth: what is planted.
        days: how much is simulated.

    Returns:
        filled, source and heard: (170, stations) each.

    Example:
        >>> [part.shape for part in season(1, Truth(origin=0.15 * 86400))]
        [(170, 40), (170, 40), (170, 40)]
    """
    other = simulate(seed, days=days, truth=truth)
    x = _steps.minute_means(other.readings, other.stations, kept().clocks, int(days * 1440))
    first = int(truth.origin / 60) - 60
    stretch = _steps.without_slams(kept().weights, x)[first : first + _steps.STRETCH]
    source, filled, heard = _steps.known_then(stretch)
    return filled, source, heard
