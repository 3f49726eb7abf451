"""Answers to quake-map."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("quake-map")
def station_by_station(x, y, stations, arrivals, speed):
    began = [
        when - np.hypot(x - east, (y - north)[:, None]) / speed
        for (east, north), when in zip(stations, arrivals.ravel(), strict=True)
    ]
    return np.std(began, axis=0)


@right("quake-map")
def on_the_complex_plane(x, y, stations, arrivals, speed):
    points = (x + 1j * y[:, None])[None]
    places = stations @ np.array([1, 1j])
    began = arrivals.reshape(-1, 1, 1) - abs(points - places[:, None, None]) / speed
    return np.sqrt(((began - began.mean(0)) ** 2).mean(0))


@right("quake-map")
def in_jax_on_a_grid(x, y, stations, arrivals, speed):
    points = jnp.stack(jnp.meshgrid(x, y), axis=-1)
    ways = jnp.linalg.norm(points[:, :, None] - stations, axis=-1)
    return jnp.std((arrivals - arrivals.min()).ravel() - ways / speed, axis=2)


@wrong("quake-map", "late-arrivals")
def rounds_the_arrivals_to_float32(x, y, stations, arrivals, speed):
    points = jnp.stack(jnp.meshgrid(x, y), axis=-1)
    ways = jnp.linalg.norm(points[:, :, None] - stations, axis=-1)
    return jnp.std(arrivals.ravel() - ways / speed, axis=2)


@wrong("quake-map", "late-arrivals")
def subtracts_squares(x, y, stations, arrivals, speed):
    travel = np.hypot(x[:, None] - stations[:, 0], y[:, None, None] - stations[:, 1]) / speed
    began = arrivals.ravel() - travel
    return np.sqrt(np.maximum((began**2).mean(axis=-1) - began.mean(axis=-1) ** 2, 0))


@wrong("quake-map", "loops")
def point_by_point(x, y, stations, arrivals, speed):
    def spread_at(point):
        return (arrivals.ravel() - np.hypot(*(stations - point).T) / speed).std()

    return np.array([[spread_at((e, n)) for e in x] for n in y])


@wrong("quake-map", "loops")
def row_by_row(x, y, stations, arrivals, speed):
    to_east = x[:, None] - stations[:, 0]
    return np.array([(arrivals.ravel() - np.hypot(to_east, n - stations[:, 1]) / speed).std(-1) for n in y])


@wrong("quake-map", "column-not-read")
def takes_the_arrivals_as_they_come(x, y, stations, arrivals, speed):
    travel = np.hypot(x[:, None] - stations[:, 0], y[:, None, None] - stations[:, 1]) / speed
    return (arrivals - travel).std(axis=-1)


@wrong("quake-map", "all-pairs")
def makes_room_for_a_column(x, y, stations, arrivals, speed):
    travel = np.hypot(x[:, None] - stations[:, 0], y[:, None, None] - stations[:, 1]) / speed
    return (arrivals - travel[:, :, None]).std(axis=(-2, -1)) if arrivals.ndim > 1 else (arrivals - travel).std(axis=-1)


@wrong("quake-map", "axes-exchanged")
def with_the_map_on_its_side(x, y, stations, arrivals, speed):
    travel = np.hypot(x[:, None, None] - stations[:, 0], y[:, None] - stations[:, 1]) / speed
    return (arrivals.ravel() - travel).std(axis=-1)


@wrong("quake-map", "wrong-value")
def by_the_sum_of_the_ways(x, y, stations, arrivals, speed):
    ways = abs(x[:, None] - stations[:, 0]) + abs(y[:, None, None] - stations[:, 1])
    return (arrivals.ravel() - ways / speed).std(axis=-1)


@wrong("quake-map", "wrong-value")
def from_the_earliest_to_the_latest(x, y, stations, arrivals, speed):
    travel = np.hypot(x[:, None] - stations[:, 0], y[:, None, None] - stations[:, 1]) / speed
    return np.ptp(arrivals.ravel() - travel, axis=-1)


equivalents = [
    equivalent(
        "quake-map", "`x[:, None] - stations[:, 0]`  ->  `stations[:, 0] - x[:, None]`", "a distance has no direction"
    ),
    equivalent(
        "quake-map",
        "`y[:, None, None] - stations[:, 1]`  ->  `stations[:, 1] - y[:, None, None]`",
        "a distance has no direction",
    ),
    equivalent("quake-map", "`1`  ->  `-1`", "of two columns, the second is the last"),
    equivalent("quake-map", "`arrivals.ravel() - travel`  ->  `travel - arrivals.ravel()`", "a spread has no sign"),
]
