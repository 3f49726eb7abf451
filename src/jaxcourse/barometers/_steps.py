"""The steps of the capstone as functions: from tables to the place of the explosion, and how sure it is.

`begin` computes with these what a reader has not; checks may compare answers with them. Arrays are (minutes, stations)
unless it says otherwise, and a minute is one of true time since `START`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import optax
import pandas as pd
from jax import lax

from jaxcourse.barometers._quiet import LOOKBACK, Params, expected, initial, innovations, predict
from jaxcourse.barometers._simulate import DAY, START
from jaxcourse.barometers._sphere import DEGREE, Floats, kilometres, wave_shape

QUIET = 2 * 1440
"""Minutes of the first two days, of which nobody has reported anything: the network is trained on them."""
WIDTH = 4.0
"""Minutes from the highest point of a large explosion's wave to its middle."""
SPEED = 0.31
"""km / s, with which the search is made."""
REACH = 16
"""Minutes before and after its middle in which the wave is looked for."""
LIMIT = 100.0
"""How long the gradient of one example may be."""
STARTS = 1290
"""Minutes of the third day in which it may have exploded, so that all stations would have met the wave on that day."""

Array = npt.NDArray[Any]


# -- 1 to 3: the clocks, one grid, what was known then ------------------------------------------------------------


def seconds_since_start(column: pd.Series) -> Floats:
    """Dates as seconds since `START`, exact in `float64`: nanoseconds would not fit into 32 bits.

    Example:
        >>> seconds_since_start(pd.Series([START + pd.Timedelta(90, "s")])).tolist()
        [90.0]
    """
    return np.asarray((column - START).dt.total_seconds(), np.float64)


def padded(uploads: pd.DataFrame, names: Any) -> tuple[Array, Array, Array]:
    """The uploads of each station as a row, with zeros behind the last one.

    Args:
        uploads: `station`, `stamp` by its own clock, `server` by one that is right.
        names: of the stations, in the order of the rows.

    Returns:
        The day on which the server got it, the seconds by which the station's clock was ahead of the server's, and 1
        where there is an upload: three arrays (stations, uploads) in `float32`.

    Example:
        >>> when = START + pd.to_timedelta([0, 43200], unit="s")
        >>> uploads = pd.DataFrame({"station": ["b", "b"], "stamp": when + pd.Timedelta(5, "s"), "server": when})
        >>> [rows.tolist() for rows in padded(uploads, ["a", "b"])]
        [[[0.0, 0.0], [0.0, 0.5]], [[0.0, 0.0], [5.0, 5.0]], [[0.0, 0.0], [1.0, 1.0]]]
    """
    code = pd.Categorical(uploads["station"], categories=list(names)).codes
    server = seconds_since_start(uploads["server"])
    ahead = seconds_since_start(uploads["stamp"]) - server
    rows = np.zeros((3, len(names), np.bincount(code, minlength=len(names)).max()), np.float32)
    for i in range(len(names)):
        of = code == i
        rows[:, i, : of.sum()] = np.stack([server[of] / DAY, ahead[of], np.ones(of.sum())])
    day, ahead_of, there = rows
    return day, ahead_of, there


@jax.jit
@jax.vmap
def clock_fits(day: jax.Array, ahead: jax.Array, there: jax.Array) -> jax.Array:
    """Offset (s at `START`) and drift (s / day) of each clock, though some uploads are late.

    A line by least squares whose weights are set anew thirty times: an upload that is 3 s off weighs half as much.

    Args:
        day: on which the server got each upload, as `padded` gives it: (stations, uploads).
        ahead: seconds by which the clock was ahead, likewise.
        there: 1 for an upload, else 0, likewise.

    Returns:
        (stations, 2), `float32`. Offsets include the delay of a usual upload, which no upload can tell.

    Source:
        Iteratively reweighted least squares with Cauchy's weights:
        https://en.wikipedia.org/wiki/Iteratively_reweighted_least_squares

    Example:
        >>> day = jnp.arange(24.0) / 8
        >>> ahead = (100 + 20 * day).at[5].add(-1800)
        >>> clock_fits(day[None], ahead[None], jnp.ones((1, 24))).round(1).tolist()
        [[100.0, 20.0]]
    """
    design = jnp.stack([jnp.ones_like(day), day], axis=1)
    middle = jnp.nanmedian(jnp.where(there > 0, ahead, jnp.nan))

    def again(line: jax.Array, _: None) -> tuple[jax.Array, None]:
        residual = ahead - design @ line
        root = jnp.sqrt(there / (1 + (residual / 3) ** 2))
        return jnp.linalg.lstsq(design * root[:, None], ahead * root)[0], None

    return lax.scan(again, jnp.stack([middle, 0.0]), length=30)[0]


def minute_means(readings: pd.DataFrame, stations: pd.DataFrame, clocks: Any, minutes: int) -> Floats:
    """The mean of each station's readings in each minute of true time; NaN where there is none.

    Args:
        readings: `station`, `stamp` by its own clock, `pressure` in hPa.
        stations: `station`, in the order of the columns.
        clocks: offset (s at `START`) and drift (s / day): (stations, 2).
        minutes: how many, from `START` on. Earlier and later readings are left out.

    Returns:
        (minutes, stations) in hPa, `float64`.

    Example:
        >>> when = START + pd.to_timedelta([70, 80, 190], unit="s")
        >>> readings = pd.DataFrame({"station": "a", "stamp": when, "pressure": [1000.0, 1001.0, 1002.0]})
        >>> minute_means(readings, pd.DataFrame({"station": ["a"]}), np.array([[10.0, 0.0]]), 4).ravel().tolist()
        [nan, 1000.5, nan, 1002.0]
    """
    clocks, count = np.asarray(clocks, np.float64), len(stations)
    code = np.asarray(pd.Categorical(readings["station"], categories=list(stations["station"])).codes, np.int64)
    pressure = np.asarray(readings["pressure"], np.float64)
    true = (seconds_since_start(readings["stamp"]) - clocks[code, 0]) / (1 + clocks[code, 1] / DAY)
    minute = np.floor(true / 60).astype(np.int64)
    good = (minute >= 0) & (minute < minutes) & np.isfinite(pressure)
    flat = minute[good] * count + code[good]
    number = np.bincount(flat, minlength=minutes * count)
    total = np.bincount(flat, pressure[good], minlength=minutes * count)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan).reshape(minutes, count)


def known_then(x: Array) -> tuple[Array, Array, Array]:
    """Where each value comes from, the filled levels, and who was heard.

    A value comes from the last row, up to its own, in which the station was heard; before the first one, from that.
    Each station's mean is taken off before `float32`, which keeps seven digits. A station that was never heard is 0.

    Args:
        x: (minutes, stations) in hPa, NaN where there is none.

    Returns:
        The rows (`int32`), the levels (`float32`), and 1 where a station was heard (`float32`).

    Example:
        >>> source, filled, heard = known_then(np.array([[np.nan], [4.0], [np.nan], [2.0]]))
        >>> source.ravel().tolist(), filled.ravel().tolist(), heard.ravel().tolist()
        ([1, 1, 1, 3], [1.0, 1.0, 1.0, -1.0], [0.0, 1.0, 0.0, 1.0])
    """
    heard = ~np.isnan(x)
    rows = np.where(heard, np.arange(len(x))[:, None], -1)
    source = np.maximum(np.maximum.accumulate(rows, axis=0), np.argmax(heard, axis=0))
    level = np.where(heard, x, 0).sum(axis=0) / np.maximum(heard.sum(axis=0), 1)
    filled = np.nan_to_num(np.take_along_axis(x, source, axis=0) - level)
    return source.astype(np.int32), filled.astype(np.float32), heard.astype(np.float32)


# -- 4 to 7: what quiet weather is --------------------------------------------------------------------------------


def every_window(filled: Array) -> Array:
    """All windows that a reading follows, as a view: (minutes - 24, stations, 24).

    Args:
        filled: (minutes, stations).

    Example:
        >>> x = np.zeros((30, 2), np.float32)
        >>> every_window(x).shape, np.shares_memory(every_window(x), x)
        ((6, 2, 24), True)
    """
    return np.lib.stride_tricks.sliding_window_view(filled[:-1], LOOKBACK, axis=0)


def quiet_loss(params: Params, window: jax.Array, heard: jax.Array, reading: jax.Array, there: jax.Array) -> jax.Array:
    """Minus the logarithm of a reading's density after its window, up to a constant; 0 where there is no reading.

    Args:
        params: the network's parameters.
        window: its last 24 levels, in hPa: (24,).
        heard: 1 where a reading came, else 0: (24,).
        reading: the level that followed, in hPa, which may be NaN where there is none: ().
        there: 1 if there is one, else 0: ().

    Example:
        >>> abs(quiet_loss(initial(), jnp.zeros(24), jnp.ones(24), jnp.nan, 0.0)).item()
        0.0
    """
    mean, log_spread = predict(params, window, heard)
    # Guard the argument, not the result: 0 * NaN is NaN, in the gradient too.
    safe = jnp.where(there > 0, reading, mean)
    return there * (0.5 * ((safe - mean) / jnp.exp(log_spread)) ** 2 + log_spread)


def gathered(record: Any, batch: Any) -> tuple[jax.Array, ...]:
    """The windows of a batch, gathered from the whole record, and the readings that follow them.

    Args:
        record: filled and heard: (minutes, stations) each.
        batch: minute and station of each reading: (batch,) each, integers, minutes from 24 on.

    Returns:
        window and heard (batch, 24), reading and there (batch,).

    Example:
        >>> record = jnp.zeros((30, 3)), jnp.ones((30, 3))
        >>> [row.shape for row in gathered(record, (jnp.array([24, 29]), jnp.array([0, 2])))]
        [(2, 24), (2, 24), (2,), (2,)]
    """
    (filled, heard), (minute, station) = map(jnp.asarray, record), batch
    back, column = minute[:, None] + jnp.arange(-LOOKBACK, 0)[None], station[:, None]
    return filled[back, column], heard[back, column], filled[minute, station], heard[minute, station]


def clipped_gradient(
    mesh: Any, loss: Callable[..., jax.Array], params: Any, record: Any, batch: Any, limit: Any
) -> tuple[Any, jax.Array]:
    """The mean of the gradients of the examples, each shortened to at most `limit`, and how long each was.

    It is the program for the whole batch: if that lies in pieces over a mesh, the compiler adds one all-reduce, and
    nothing else of the mesh need be known.

    Args:
        mesh: of the devices, if there are several.
        loss: a function of the parameters and of an example: ().
        params: the network's parameters.
        record: filled and heard: (minutes, stations) each.
        batch: minute and station of each reading: (batch,) each.
        limit: how long the gradient of one example may be.

    Returns:
        A tree like `params`, and the lengths before they were clipped: (batch,).

    Source:
        Abadi et al., Deep Learning with Differential Privacy (2016), algorithm 1, without its noise.

    Example:
        >>> record = jnp.sin(jnp.arange(60.0)).reshape(30, 2), jnp.ones((30, 2))
        >>> batch = jnp.array([24, 29]), jnp.array([0, 1])
        >>> mean, lengths = clipped_gradient(None, quiet_loss, initial(), record, batch, 0.1)
        >>> bool(optax.tree.norm(mean) <= 0.1), lengths.shape
        (True, (2,))
    """

    def one(*example: jax.Array) -> tuple[Any, jax.Array]:
        gradient = jax.grad(loss)(params, *example)
        length = optax.tree.norm(gradient)
        factor = limit / jnp.maximum(limit, length)
        return jax.tree.map(lambda leaf: factor * leaf, gradient), length

    each, lengths = jax.vmap(one)(*gathered(record, batch))
    return jax.tree.map(lambda leaf: leaf.mean(0), each), lengths


def rows_of(step: int, count: int, batch: int, rank: int = 0, processes: int = 1, seed: int = 0) -> Array:
    """Which of `count` examples one process reads in a step: all follows from the arguments.

    Each epoch has a shuffle of its own, of which what does not fill a batch is left out. The processes' parts differ in
    size by at most one, and are those of one process, one after the other.

    Args:
        step: its number, from 0.
        count: how many examples there are.
        batch: how many a step takes, in all processes together.
        rank: which process, from 0.
        processes: how many there are.
        seed: of the shuffles.

    Example:
        >>> parts = [rows_of(3, 1000, 64, rank, 3) for rank in range(3)]
        >>> [len(part) for part in parts], np.array_equal(np.concatenate(parts), rows_of(3, 1000, 64))
        ([22, 21, 21], True)
    """
    epoch, within = divmod(step, count // batch)
    shuffled = np.random.default_rng([seed, epoch]).permutation(count)
    return np.array_split(shuffled[within * batch : (within + 1) * batch], processes)[rank]


def train(
    filled: Any, heard: Any, *, until: int = QUIET, steps: int = 250, limit: float = LIMIT, seed: int = 0
) -> dict[str, jax.Array]:
    """A network that knows quiet weather, in one program.

    AdamW with clipped gradients, batches of 512, and a rate that falls from 0.005 to 0 along a cosine.

    Args:
        filled: the record's levels, in `float32`: (minutes, stations).
        heard: 1 where a reading came, else 0, likewise.
        until: the minute at which what it may see ends.
        steps: how many.
        limit: how long the gradient of one example may be.
        seed: of the order in which it sees the examples.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> filled = rng.normal(size=(200, 6)).astype(np.float32)
        >>> params = train(filled, np.ones_like(filled), steps=2)
        >>> params["last"].shape
        (24, 2)
    """
    minute, station = (index.astype(np.int32) for index in np.nonzero(np.asarray(heard)[LOOKBACK:until]))
    chosen = np.stack([rows_of(step, len(minute), 512, seed=seed) for step in range(steps)])
    record = jnp.asarray(filled), jnp.asarray(heard)
    batches = minute[chosen] + np.int32(LOOKBACK), station[chosen]
    params: dict[str, jax.Array] = _trained(initial(), record, batches, limit)
    return params


@jax.jit
def _trained(params: Any, record: Any, batches: Any, limit: Any) -> Any:
    """The parameters after all steps, whose examples stand in the rows of `batches`."""
    rule = optax.adamw(optax.cosine_decay_schedule(5e-3, len(batches[0])))

    def one(carry: Any, batch: Any) -> tuple[Any, None]:
        params, state = carry
        slopes, _ = clipped_gradient(None, quiet_loss, params, record, batch, limit)
        updates, state = rule.update(slopes, state, params)
        return (optax.apply_updates(params, updates), state), None

    return lax.scan(one, (params, rule.init(params)), batches)[0][0]


def loss_of(params: Params, filled: Any, heard: Any, first: int = QUIET) -> tuple[float, float]:
    """How well a network knows the weather from some minute on.

    Args:
        params: the network's parameters.
        filled: the record's levels: (minutes, stations).
        heard: 1 where a reading came, else 0, likewise.
        first: the minute.

    Returns:
        The mean of the loss, of which no reading pays more than 8, so that slams do not decide; and the middle spread
        of the innovations, which should be 1: 1.4826 times the median of their sizes.

    Example:
        >>> record = np.zeros((60, 2), np.float32), np.ones((60, 2), np.float32)
        >>> len(loss_of(initial(), *record, first=30))
        2
    """
    mean, log_spread = (np.asarray(part)[first - LOOKBACK :] for part in jax.jit(expected)(params, filled, heard))
    there = np.asarray(heard[first:]) > 0
    r = (np.asarray(filled[first:]) - mean)[there] / np.exp(log_spread[there])
    return float(np.mean(np.minimum(0.5 * r**2, 8) + log_spread[there])), float(1.4826 * np.median(np.abs(r)))


def without_slams(params: Params, x: Array, limit: float = 5.0) -> Array:
    """The record without the readings that quiet weather does not explain.

    Args:
        params: the network's parameters.
        x: (minutes, stations) in hPa, NaN where there is none.
        limit: in spreads: what is farther from its prediction becomes NaN.

    Example:
        >>> bool(np.isnan(without_slams(initial(), np.zeros((30, 2)))).any())
        False
    """
    _, filled, heard = known_then(x)
    slam = np.zeros(x.shape, bool)
    slam[LOOKBACK:] = np.abs(np.asarray(jax.jit(innovations)(params, filled, heard))) > limit
    return np.where(slam, np.nan, x)


# -- 8 to 10: where and when --------------------------------------------------------------------------------------


def travel_times(lat: Any, lon: Any, station_lat: Any, station_lon: Any) -> jax.Array:
    """Kilometres from each node to each station: (nodes, stations), `float32`.

    Args:
        lat: latitudes of the nodes, in degrees: (nodes,).
        lon: their longitudes: (nodes,).
        station_lat: latitudes of the stations: (stations,).
        station_lon: their longitudes: (stations,).

    Example:
        >>> travel_times(jnp.zeros(2), jnp.ones(2), jnp.zeros(3), jnp.zeros(3)).shape
        (2, 3)
    """
    return kilometres(lat[:, None], lon[:, None], station_lat[None], station_lon[None])


def huber(r: jax.Array, bend: float) -> jax.Array:
    """Half a square up to `bend`, and a line from there on.

    Source:
        https://en.wikipedia.org/wiki/Huber_loss

    Example:
        >>> huber(jnp.array([-1.0, 4.0]), 2.0).tolist()
        [0.5, 6.0]
    """
    size = jnp.abs(r)
    return jnp.where(size < bend, 0.5 * size**2, bend * size - 0.5 * bend**2)


def wave_in_minutes() -> jax.Array:
    """The wave from 16 minutes before its middle to 16 minutes after it, in whole minutes: (33,).

    Example:
        >>> wave_in_minutes()[12].item()
        1.0
    """
    return jnp.asarray(wave_shape(jnp.arange(-float(REACH), REACH + 1) / WIDTH))


def scores(
    expected: Callable[..., Any], wave: jax.Array, readings: jax.Array, source: jax.Array, heard: jax.Array
) -> jax.Array:
    """How much quieter the record gets when a small wave that passes a station at a minute is taken off it.

    Quiet is what costs little: `huber` of the innovations, whose spreads are held as they are. One backward pass gives
    the slope of the cost at every reading, at which all copies of it in a gap meet, and a correlation with the wave
    adds these up.

    Args:
        expected: a function of filled and heard, which gives means and logarithms of spreads from minute 24 on.
        wave: its heights, its middle in the middle: (33,).
        readings: levels in hPa, of which those in rows that `source` names are read: (minutes, stations).
        source: the row from which each value comes: (minutes, stations).
        heard: 1 where a station was heard, else 0: (minutes, stations).

    Returns:
        The slope for each minute and station, in 1 / hPa: (minutes, stations).

    Example:
        >>> rows, ones = jnp.arange(60)[:, None], jnp.ones((60, 1))
        >>> level = lambda filled, heard: (filled[23:-1], jnp.zeros((36, 1)))
        >>> scores(level, wave_in_minutes(), ones, rows, ones).shape
        (60, 1)
    """

    def cost(readings: jax.Array) -> jax.Array:
        filled = jnp.take_along_axis(readings, source, axis=0)
        mean, log_spread = expected(filled, heard)
        r = heard[LOOKBACK:] * (filled[LOOKBACK:] - mean) / jnp.exp(lax.stop_gradient(log_spread))
        return huber(r, 2.5).sum()

    slope = jax.grad(cost)(readings)
    half = len(wave) // 2
    rows = jnp.pad(slope, ((half, half), (0, 0)))
    return jnp.sum(jnp.stack([wave[j] * rows[j : j + len(slope)] for j in range(len(wave))]), axis=0)


def usual(score: jax.Array, half: int = 180) -> jax.Array:
    """What scores are in quiet weather: the mean of their squares over three hours before and after.

    Example:
        >>> usual(jnp.full((500, 2), 3.0))[250].tolist()
        [9.0, 9.0]
    """
    squares = jnp.cumsum(jnp.pad(score**2, ((half + 1, half), (0, 0)), mode="reflect"), axis=0)
    return (squares[2 * half + 1 :] - squares[: -2 * half - 1]) / (2 * half + 1)


@functools.partial(jax.jit, static_argnames=["count"])
def the_map(
    far: jax.Array, score: jax.Array, variance: jax.Array, first: Any = QUIET, count: int = STARTS
) -> tuple[jax.Array, jax.Array]:
    """For each place, the largest statistic of the array over all minutes of origin, and that minute.

    The statistic is sum(a U) / sqrt(sum(a^2 V)) along the travel times, with a = sqrt(500 km / d).

    Args:
        far: km from each place to each station: (nodes, stations).
        score: U: (minutes, stations).
        variance: V: (minutes, stations).
        first: the first minute of origin.
        count: how many minutes of origin there are.

    Returns:
        The statistic (`float32`) and the minute since `START` (`int32`): (nodes,) each.

    Example:
        >>> traces = jnp.zeros((400, 2)).at[200].set(1.0), jnp.ones((400, 2))
        >>> value, when = the_map(jnp.zeros((1, 2)), *traces, 100, 200)
        >>> f"{value[0]:.2f}", when.tolist()
        ('1.41', [200])
    """

    def node(far: jax.Array) -> tuple[jax.Array, jax.Array]:
        weight = jnp.sqrt(500 / jnp.maximum(far, 20))
        late = jnp.floor(far / SPEED / 60).astype(jnp.int32)

        def add(sums: tuple[jax.Array, jax.Array], station: Any) -> tuple[tuple[jax.Array, jax.Array], None]:
            a, begin, u, v = station
            above, below = sums
            cut = functools.partial(lax.dynamic_slice, start_indices=(begin,), slice_sizes=(count,))
            return (above + a * cut(u), below + a**2 * cut(v)), None

        zero = jnp.zeros(count)
        (above, below), _ = lax.scan(add, (zero, zero), (weight, first + late, score.T, variance.T))
        value = above / jnp.sqrt(below + 1e-9)
        best = jnp.argmax(value)
        return value[best], first + best

    value, when = lax.map(node, far, batch_size=32)
    return value, when.astype(jnp.int32)


# -- 11: how sure -------------------------------------------------------------------------------------------------

UNIT = np.array([10.0, 10.0, 1.0, 0.01, 0.02], np.float32)
"""Of what is fitted: km east and north, minutes, km / s, hPa. Each is about an error bar."""
STRETCH = 170
"""Minutes of the record to which the wave is fitted, from an hour before the explosion."""


def wave_at(theta: jax.Array, centre: Any, place_of: Any, minutes: int) -> jax.Array:
    """The wave in each minute at each station: (minutes, stations), in hPa.

    Args:
        theta: km east and north of the centre, minutes after the first one, km / s, and hPa at 500 km: (5,).
        centre: latitude and longitude in degrees: (2,).
        place_of: those of the stations: (2, stations).
        minutes: how many. A minute is met in its middle.

    Example:
        >>> wave_at(jnp.array([0.0, 0.0, 5.0, 0.3, 0.1]), (50.0, 10.0), jnp.array([[51.0], [10.0]]), 30).shape
        (30, 1)
    """
    east, north, begin, speed, amplitude = theta
    lat = centre[0] + north / DEGREE
    lon = centre[1] + east / (DEGREE * jnp.cos(centre[0] * jnp.pi / 180))
    far = kilometres(lat, lon, place_of[0], place_of[1])
    late = jnp.arange(0.5, minutes)[:, None] - (begin + far / speed / 60)[None]
    return jnp.asarray(amplitude * jnp.sqrt(500 / far)[None] * wave_shape(late / WIDTH))


def residuals(
    expected: Callable[..., Any],
    wave: Callable[[jax.Array], jax.Array],
    readings: jax.Array,
    source: jax.Array,
    heard: jax.Array,
    held: bool = True,
) -> Callable[[jax.Array], jax.Array]:
    """A function of theta: the innovations of what is left when a wave is taken off, in one row.

    Args:
        expected: a function of filled and heard, which gives means and logarithms of spreads from minute 24 on.
        wave: a function of theta: (minutes, stations), in hPa.
        readings: levels in hPa: (minutes, stations).
        source: the row from which each value comes. What stands for a gap is what is left of the reading that it
            repeats.
        heard: 1 where a station was heard, else 0.
        held: each spread is that of the record as it is; else the fit may widen its own yardstick, and bars come out
            half as long as they should be.

    Example:
        >>> level = lambda filled, heard: (filled[23:-1], jnp.zeros((6, 2)))
        >>> record = jnp.zeros((30, 2)), jnp.arange(30)[:, None] * jnp.ones((1, 2), int), jnp.ones((30, 2))
        >>> residuals(level, lambda theta: theta[0] * jnp.ones((30, 2)), *record)(jnp.ones(5)).shape
        (12,)
    """

    def filled(readings: jax.Array) -> jax.Array:
        return jnp.take_along_axis(readings, source, axis=0)

    _, yardstick = expected(filled(readings), heard)

    def left(theta: jax.Array) -> jax.Array:
        calm = filled(readings - wave(theta))
        mean, log_spread = expected(calm, heard)
        r = heard[LOOKBACK:] * (calm[LOOKBACK:] - mean) / jnp.exp(yardstick if held else log_spread)
        return jnp.ravel(r)

    return left


def fit(
    expected: Callable[..., Any],
    wave: Callable[[jax.Array], jax.Array],
    start: jax.Array,
    unit: Any,
    readings: jax.Array,
    source: jax.Array,
    heard: jax.Array,
    *,
    rounds: int = 12,
    held: bool = True,
) -> tuple[jax.Array, jax.Array]:
    """Where, when, how fast and how high, and how sure: damped Gauss-Newton through the network.

    A residual beyond 3 pulls no harder than one of 3. The covariance is the inverse of J^T J at the end.

    Args:
        expected: as in `residuals`.
        wave: as in `residuals`.
        start: where to begin: (5,).
        unit: of each parameter, about an error bar: (5,).
        readings: as in `residuals`.
        source: as in `residuals`.
        heard: as in `residuals`.
        rounds: how many steps are tried.
        held: as in `residuals`.

    Returns:
        theta (5,) and its covariance (5, 5).

    Source:
        Levenberg-Marquardt, https://en.wikipedia.org/wiki/Levenberg-Marquardt_algorithm, with Huber's weights.

    Example:
        >>> level = lambda filled, heard: (filled[23:-1], jnp.zeros((36, 5)))
        >>> shape = jnp.sin(jnp.arange(300.0)).reshape(60, 5)
        >>> record = 2 * shape, jnp.arange(60)[:, None] * jnp.ones((1, 5), int), jnp.ones((60, 5))
        >>> theta, covariance = fit(level, lambda theta: theta * shape, jnp.ones(5), jnp.ones(5), *record)
        >>> theta.round(3).tolist(), covariance.shape
        ([2.0, 2.0, 2.0, 2.0, 2.0], (5, 5))
    """
    left = residuals(expected, wave, readings, source, heard, held)

    def surprise(p: jax.Array) -> jax.Array:
        return left(p * unit)

    def one(carry: tuple[jax.Array, jax.Array, jax.Array], _: None) -> tuple[Any, None]:
        p, damping, before = carry
        trial = p - _step_of(surprise(p), jax.jacfwd(surprise)(p), damping)
        after = huber(surprise(trial), 3.0).sum()
        better = after < before
        damping = jnp.where(better, damping / 4, damping * 4)
        return (jnp.where(better, trial, p), damping, jnp.where(better, after, before)), None

    begin = start / unit
    p = lax.scan(one, (begin, jnp.float32(0.1), huber(surprise(begin), 3.0).sum()), length=rounds)[0][0]
    J = jax.jacfwd(surprise)(p)
    return p * unit, jnp.linalg.inv(J.T @ J) * unit[:, None] * unit[None]


def _step_of(r: jax.Array, J: jax.Array, damping: jax.Array) -> jax.Array:
    """A damped step of Gauss-Newton, for residuals of which none weighs more than 3."""
    root = jnp.sqrt(jnp.minimum(1, 3 / jnp.maximum(jnp.abs(r), 1e-6)))
    J, r = J * root[:, None], r * root
    squares = J.T @ J
    return jnp.asarray(jnp.linalg.solve(squares + damping * jnp.diag(jnp.diag(squares)), J.T @ r))
