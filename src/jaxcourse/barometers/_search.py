"""The search of all places on several devices: what every route to it needs, and the course's own program."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from jaxcourse.barometers._sphere import kilometres
from jaxcourse.barometers._steps import SPEED, STARTS

Sums = tuple[jax.Array, jax.Array]
"""The two sums of the statistic, over stations: of a U, and of a^2 V, where a = sqrt(500 km / d): (STARTS,) each."""
TURN = 16
"""How many places the course's program takes at a time: one at a time, the loop costs more than what is in it."""


def sums_at(
    lat: Any, lon: Any, score: jax.Array, variance: jax.Array, place_of: jax.Array, first: Any, sums: Sums | None = None
) -> Sums:
    """Both sums of one place over the stations that are given, added to those that are given.

    Args:
        lat: the place's latitude, in degrees: ().
        lon: its longitude, in degrees: ().
        score: U of some stations: (minutes, stations).
        variance: V of these stations: (minutes, stations).
        place_of: latitudes and longitudes of these stations, in degrees: (2, stations).
        first: the first minute in which it may have exploded.
        sums: those over other stations.

    Returns:
        The sums for each of the `STARTS` minutes from `first` on: (STARTS,) each, `float32`.

    Example:
        >>> traces = jnp.ones((1500, 3)), jnp.ones((1500, 3))
        >>> above, below = sums_at(50.0, 10.0, *traces, jnp.array([[50.0] * 3, [11.0] * 3]), 0)
        >>> above.shape, bool(above[0] > 0)
        ((1290,), True)
    """
    far = kilometres(lat, lon, place_of[0], place_of[1])
    weight = jnp.sqrt(500 / jnp.maximum(far, 20))
    begin = first + jnp.round(far / SPEED / 60 - 0.5).astype(jnp.int32)

    def add(sums: Sums, station: Any) -> tuple[Sums, None]:
        a, begin, u, v = station
        cut = functools.partial(lax.dynamic_slice, start_indices=(begin,), slice_sizes=(STARTS,))
        return (sums[0] + a * cut(u), sums[1] + a**2 * cut(v)), None

    # Inside of shard_map the sums must be known to differ between devices before the first turn.
    zero = jnp.zeros(STARTS) + 0 * (lat + far[0] + score[0, 0])
    return lax.scan(add, sums or (zero, zero), (weight, begin, score.T, variance.T))[0]


def best_of(sums: Sums, first: Any) -> tuple[jax.Array, jax.Array]:
    """The largest statistic of some places, and its minute.

    Args:
        sums: over all stations: (..., STARTS) each.
        first: the minute of the first of them.

    Example:
        >>> value, when = best_of((jnp.array([1.0, 6.0, 2.0]), jnp.full(3, 4.0)), 100)
        >>> value.item(), when.item()
        (3.0, 101)
    """
    value = sums[0] / jnp.sqrt(sums[1] + 1e-9)
    return value.max(axis=-1), first + value.argmax(axis=-1).astype(jnp.int32)


@functools.cache
def course_search(mesh: Mesh) -> Callable[..., tuple[jax.Array, jax.Array]]:
    """The course's own program: each device gathers the traces once, and searches its own places.

    Args:
        mesh: with one axis, over which the stations and the places are split.

    Returns:
        `search(score, variance, place_of, lat, lon, first) -> (value, when)`, jitted.

    Example:
        >>> mesh = jax.make_mesh((1,), ("d",), (jax.sharding.AxisType.Auto,), devices=jax.devices()[:1])
        >>> traces = jnp.ones((1500, 3)), jnp.ones((1500, 3)), jnp.array([[50.0] * 3, [11.0] * 3])
        >>> value, when = course_search(mesh)(*traces, jnp.full(16, 50.0), jnp.full(16, 9.0), 0)
        >>> value.shape, when.dtype
        ((16,), dtype('int32'))
    """
    (axis,) = mesh.axis_names

    def body(score: Any, variance: Any, place_of: Any, lat: Any, lon: Any, first: Any) -> tuple[jax.Array, jax.Array]:
        u, v, where = (lax.all_gather(a, axis, axis=1, tiled=True) for a in (score, variance, place_of))

        def one(at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            return best_of(sums_at(*at, u, v, where, first), first)

        value, when = lax.map(one, (lat, lon), batch_size=TURN)
        return value, when

    stations, places = P(None, axis), P(axis)
    in_specs = (stations, stations, stations, places, places, P())
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=(places, places)))
