"""Answers to travel-times."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.barometers import EARTH
from jaxcourse.exercise import equivalent, right, wrong


@right("travel-times")
def by_unit_vectors(lat, lon, station_lat, station_lon):
    def unit(lat, lon):
        lat, lon = jnp.radians(lat), jnp.radians(lon)
        return jnp.stack([jnp.cos(lat) * jnp.cos(lon), jnp.cos(lat) * jnp.sin(lon), jnp.sin(lat)], axis=-1)

    apart = ((unit(lat, lon)[:, None] - unit(station_lat, station_lon)) ** 2).sum(axis=-1)
    same = apart == 0
    chord = jnp.where(same, 0.0, jnp.sqrt(jnp.where(same, 1.0, apart)))
    return 2 * EARTH * jnp.arcsin(chord / 2)


@right("travel-times")
def one_pair_twice_mapped(lat, lon, station_lat, station_lon):
    def one(lat, lon, lat2, lon2):
        north, east = jnp.radians(lat2 - lat), jnp.radians(lon2 - lon)
        h = jnp.sin(north / 2) ** 2 + jnp.cos(jnp.radians(lat)) * jnp.cos(jnp.radians(lat2)) * jnp.sin(east / 2) ** 2
        return 2 * EARTH * jnp.arcsin(jnp.sqrt(jnp.clip(h, 1e-12, 1)))

    many = jax.vmap(one, in_axes=(None, None, 0, 0))
    return jax.vmap(many, in_axes=(0, 0, None, None))(lat, lon, station_lat, station_lon)


@right("travel-times")
def by_the_arctangent(lat, lon, station_lat, station_lon):
    a, b = jnp.radians(lat)[:, None], jnp.radians(station_lat)
    c = jnp.radians(station_lon - lon[:, None])
    across = jnp.cos(b) * jnp.sin(c)
    down = jnp.sin(b - a) + 2 * jnp.sin(a) * jnp.cos(b) * jnp.sin(c / 2) ** 2
    square = across**2 + down**2
    there = square > 0
    sine = jnp.where(there, jnp.sqrt(jnp.where(there, square, 1.0)), 0.0)
    cosine = jnp.sin(a) * jnp.sin(b) + jnp.cos(a) * jnp.cos(b) * jnp.cos(c)
    return EARTH * jnp.arctan2(sine, cosine)


@right("travel-times")
def a_little_under_the_root(lat, lon, station_lat, station_lon):
    north, east = jnp.deg2rad(lat[:, None] - station_lat), jnp.deg2rad(lon[:, None] - station_lon)
    h = jnp.sin(north / 2) ** 2
    h += jnp.cos(jnp.deg2rad(lat))[:, None] * jnp.cos(jnp.deg2rad(station_lat)) * jnp.sin(east / 2) ** 2
    root = jnp.sqrt(h + 1e-15)
    return 2 * EARTH * jnp.arctan2(root, jnp.sqrt(1 - h))


def haversine(lat, lon, station_lat, station_lon):
    north, east = jnp.radians(station_lat - lat[:, None]), jnp.radians(station_lon - lon[:, None])
    cosines = jnp.cos(jnp.radians(lat))[:, None] * jnp.cos(jnp.radians(station_lat))
    return jnp.sin(north / 2) ** 2 + cosines * jnp.sin(east / 2) ** 2


def cosine(lat, lon, station_lat, station_lon):
    a, b = jnp.radians(lat)[:, None], jnp.radians(station_lat)
    c = jnp.radians(station_lon - lon[:, None])
    return jnp.sin(a) * jnp.sin(b) + jnp.cos(a) * jnp.cos(b) * jnp.cos(c)


@wrong("travel-times", "cosine-formula")
def by_the_cosine(lat, lon, station_lat, station_lon):
    return EARTH * jnp.arccos(jnp.clip(cosine(lat, lon, station_lat, station_lon), -1, 1))


@wrong("travel-times", "cosine-formula")
def by_the_cosine_unclipped(lat, lon, station_lat, station_lon):
    return EARTH * jnp.arccos(cosine(lat, lon, station_lat, station_lon))


@wrong("travel-times", "cosine-formula")
def by_the_product_of_unit_vectors(lat, lon, station_lat, station_lon):
    def unit(lat, lon):
        lat, lon = jnp.radians(lat), jnp.radians(lon)
        return jnp.stack([jnp.cos(lat) * jnp.cos(lon), jnp.cos(lat) * jnp.sin(lon), jnp.sin(lat)])

    dot = unit(lat, lon).T @ unit(station_lat, station_lon)
    return EARTH * jnp.arccos(jnp.clip(dot, -1 + 1e-7, 1 - 1e-7))


@wrong("travel-times", "nan-at-zero")
def with_a_bare_root(lat, lon, station_lat, station_lon):
    return 2 * EARTH * jnp.arcsin(jnp.sqrt(haversine(lat, lon, station_lat, station_lon)))


@wrong("travel-times", "nan-at-zero")
def guards_the_result(lat, lon, station_lat, station_lon):
    h = haversine(lat, lon, station_lat, station_lon)
    return jnp.where(h > 0, 2 * EARTH * jnp.arcsin(jnp.sqrt(h)), 0.0)


@wrong("travel-times", "nan-at-zero")
def clips_to_nothing(lat, lon, station_lat, station_lon):
    return 2 * EARTH * jnp.arcsin(jnp.sqrt(jnp.clip(haversine(lat, lon, station_lat, station_lon), 0, 1)))


@wrong("travel-times", "near-lost")
def adds_too_much(lat, lon, station_lat, station_lon):
    return 2 * EARTH * jnp.arcsin(jnp.sqrt(haversine(lat, lon, station_lat, station_lon) + 1e-9))


@wrong("travel-times", "near-lost")
def guards_too_early(lat, lon, station_lat, station_lon):
    return 2 * EARTH * jnp.arcsin(jnp.sqrt(jnp.maximum(haversine(lat, lon, station_lat, station_lon), 1e-9)))


@wrong("travel-times", "leaves-jax")
def by_numpy(lat, lon, station_lat, station_lon):
    lat, lon, lat2, lon2 = (np.radians(np.asarray(x, np.float64)) for x in (lat, lon, station_lat, station_lon))
    lat, lon = lat[:, None], lon[:, None]
    h = np.sin((lat2 - lat) / 2) ** 2 + np.cos(lat) * np.cos(lat2) * np.sin((lon2 - lon) / 2) ** 2
    return (2 * EARTH * np.arcsin(np.sqrt(h))).astype(np.float32)


@wrong("travel-times", "no-slope")
def rounds_to_metres(lat, lon, station_lat, station_lon):
    h = jnp.maximum(haversine(lat, lon, station_lat, station_lon), 1e-14)
    return jnp.round(2 * EARTH * jnp.arcsin(jnp.sqrt(h)), 3)


@wrong("travel-times", "axes-not-apart")
def without_a_new_axis(lat, lon, station_lat, station_lon):
    north, east = jnp.radians(station_lat - lat), jnp.radians(station_lon - lon)
    h = jnp.sin(north / 2) ** 2 + jnp.cos(jnp.radians(lat)) * jnp.cos(jnp.radians(station_lat)) * jnp.sin(east / 2) ** 2
    return 2 * EARTH * jnp.arcsin(jnp.sqrt(jnp.maximum(h, 1e-14)))


@wrong("travel-times", "wrong-value")
def with_another_earth(lat, lon, station_lat, station_lon):
    return 2 * 6378.0 * jnp.arcsin(jnp.sqrt(jnp.maximum(haversine(lat, lon, station_lat, station_lon), 1e-14)))


@wrong("travel-times", "wrong-slope")
def stops_one_end(lat, lon, station_lat, station_lon):
    station_lat, station_lon = jax.lax.stop_gradient((station_lat, station_lon))
    return 2 * EARTH * jnp.arcsin(jnp.sqrt(jnp.maximum(haversine(lat, lon, station_lat, station_lon), 1e-14)))


def arc(h):
    return 2 * EARTH * jnp.arcsin(jnp.sqrt(jnp.clip(h, 1e-14, 1)))


@wrong("travel-times", "table-turned")
def stations_down(lat, lon, station_lat, station_lon):
    return arc(haversine(station_lat, station_lon, lat, lon))


@wrong("travel-times", "degrees")
def sines_of_degrees(lat, lon, station_lat, station_lon):
    north, east = station_lat - lat[:, None], station_lon - lon[:, None]
    return arc(jnp.sin(north / 2) ** 2 + jnp.cos(lat)[:, None] * jnp.cos(station_lat) * jnp.sin(east / 2) ** 2)


@wrong("travel-times", "lat-for-lon")
def longitude_first(lat, lon, station_lat, station_lon):
    return arc(haversine(lon, lat, station_lon, station_lat))


@wrong("travel-times", "lat-for-lon")
def one_latitude_twice(lat, lon, station_lat, station_lon):
    north, east = jnp.radians(station_lat - lat[:, None]), jnp.radians(station_lon - lon[:, None])
    return arc(jnp.sin(north / 2) ** 2 + jnp.cos(jnp.radians(lat[:, None])) ** 2 * jnp.sin(east / 2) ** 2)


@wrong("travel-times", "half-the-arc")
def without_the_two(lat, lon, station_lat, station_lon):
    return arc(haversine(lat, lon, station_lat, station_lon)) / 2


@wrong("travel-times", "no-radius")
def angles_only(lat, lon, station_lat, station_lon):
    return arc(haversine(lat, lon, station_lat, station_lon)) / EARTH


@wrong("travel-times", "chord")
def through_the_earth(lat, lon, station_lat, station_lon):
    return 2 * EARTH * jnp.sqrt(jnp.maximum(haversine(lat, lon, station_lat, station_lon), 1e-14))


@wrong("travel-times", "flat")
def on_a_flat_map(lat, lon, station_lat, station_lon):
    north, east = jnp.radians(station_lat - lat[:, None]), jnp.radians(station_lon - lon[:, None])
    middle = jnp.radians((station_lat + lat[:, None]) / 2)
    return EARTH * jnp.hypot(north, jnp.cos(middle) * east)


@wrong("travel-times", "TypeError")
def takes_a_module_for_a_function(lat, lon, station_lat, station_lon):
    return EARTH * jnp.linalg(lat[:, None] - station_lat, lon[:, None] - station_lon)


@wrong("travel-times", "axes-not-apart")
def an_axis_for_the_latitude_alone(lat, lon, station_lat, station_lon):
    return EARTH * jnp.radians(jnp.hypot(lat[:, None] - station_lat, lon - station_lon))


equivalents = [
    equivalent("travel-times", change, why)
    for why, changes in {
        "its sine is squared": [
            "`station_lat - lat[:, None]`  ->  `lat[:, None] - station_lat`",
            "`station_lon - lon[:, None]`  ->  `lon[:, None] - station_lon`",
            "`2`  ->  `-2`",
        ],
        "no place is NaN": ["`jnp.maximum`  ->  `jnp.fmax`"],
        "a guard of nearly the same size": ["`1e-14`  ->  `1.0100000000000001e-14`"],
    }.items()
    for change in changes
]
