"""travel-times: kilometres from many places to many stations, in float32, with a gradient everywhere."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.barometers import EARTH, distance
from jaxcourse.checks import Agrees, declare, expect, refuse, require
from jaxcourse.exercise import numbers

NEAR = 0.02
"""How far off a distance between near places may be, in km."""


@probe.question(evidence="values")
def slopes(student_function, places, weights):
    """The gradient of a weighted sum of the table by all four kinds of angles."""
    places = probe.on_device(places)
    gradient = jax.grad(lambda places: jnp.sum(weights * student_function(*places)))
    return jax.jit(gradient)(places)


def table_of(lat, lon, station_lat, station_lon):
    """The oracle, in `float64`."""
    return distance(lat[:, None], lon[:, None], station_lat, station_lon)


def around(rng, spread, counts):
    """So many places and so many stations within some degrees of a place that is anywhere, in `float32`."""
    lat, lon = rng.uniform(-60, 60), rng.uniform(-180, 180)
    for count in counts:
        yield (lat + rng.uniform(-spread, spread, count)).astype(np.float32)
        yield ((lon + rng.uniform(-spread, spread, count) + 180) % 360 - 180).astype(np.float32)


def draw(rng, counts):
    return tuple(around(rng, 18.0, counts))


def haversine(lat, lon, lat2, lon2, *, second_cosine=True):
    """With angles in radians."""
    cosines = np.cos(lat) * np.cos(lat2 if second_cosine else lat)
    return np.sin((lat2 - lat) / 2) ** 2 + cosines * np.sin((lon2 - lon) / 2) ** 2


def in_radians(places):
    lat, lon, lat2, lon2 = (np.radians(np.asarray(angle, float)) for angle in places)
    return lat[:, None], lon[:, None], lat2, lon2


def flat(*places):
    """Pythagoras, with the length of a degree at the latitude between."""
    lat, lon, lat2, lon2 = in_radians(places)
    return EARTH * np.hypot(lat2 - lat, np.cos((lat + lat2) / 2) * (lon2 - lon))


def along(h):
    """The arc of a haversine, in km."""
    return 2 * EARTH * np.arcsin(np.sqrt(np.clip(h, 0, 1)))


def degrees(lat, lon, lat2, lon2):
    return along(haversine(*(np.asarray(angle, float) for angle in (lat[:, None], lon[:, None], lat2, lon2))))


MISTAKES = {
    "table-turned": lambda *places: table_of(*places).T,
    "degrees": degrees,
    "lat-for-lon": lambda lat, lon, lat2, lon2: table_of(lon, lat, lon2, lat2),
    "lat-for-lon/2": lambda *places: along(haversine(*in_radians(places), second_cosine=False)),
    "half-the-arc": lambda *places: table_of(*places) / 2,
    "no-radius": lambda *places: table_of(*places) / EARTH,
    "chord": lambda *places: 2 * EARTH * np.sqrt(haversine(*in_radians(places))),
    "flat": flat,
}


def near(answer, rng):
    """Some metres to some kilometres apart, and at the same place."""
    lat, lon, lat2, lon2 = around(rng, 0.08, (60, 3))
    lat[:20] = lat2[0] + rng.uniform(-1e-3, 1e-3, 20).astype(np.float32)
    lon[:20] = lon2[0]
    lat[0] = lat2[0]
    want = table_of(lat, lon, lat2, lon2)
    got = numbers(answer.probe(probe.under_jit, lat, lon, lat2, lon2))
    expect(got.shape, want.shape, "wrong-value")
    off = got - want
    at = int(np.argmax(np.abs(np.nan_to_num(off[:, 0], nan=1e9))))
    facts = {"apart": f"{1000 * want[at, 0]:.0f}", "got": f"{1000 * got[at, 0]:.0f}"}
    noisy = np.isnan(off).any() or (off.max() > NEAR and off.min() < -NEAR)
    refuse(noisy, "cosine-formula", **facts)
    require((np.abs(off) <= NEAR).all(), "near-lost", **facts)


def by_hand(places, weights):
    """The gradient of the weighted sum, by differences in `float64`; whose angle of which place is moved."""
    step, found = 1e-3, []
    for which in range(4):
        moved = []
        for sign in (1, -1):
            angles = [np.asarray(angle, float) for angle in places]
            angles[which] = angles[which] + sign * step
            moved.append((weights * table_of(*angles)).sum(axis=1 - which // 2))
        found.append((moved[0] - moved[1]) / (2 * step))
    return found


def has_slopes(answer, rng):
    """The gradient is right, and finite where a place and a station are one."""
    weights = rng.uniform(0.5, 2, (5, 4)).astype(np.float32)
    for same in (0, 2):
        places = [*around(rng, 12.0, (5, 4))]
        for axis in (0, 1):
            places[axis][:same] = places[2 + axis][:same]
        got = [numbers(part) for part in answer.probe(slopes, places, weights)]
        answer.called = f"travel_times({same} of 5 places are those of stations)"
        strange = any(np.isnan(part).any() for part in got)
        refuse(strange and not same, "cosine-formula/2")
        refuse(strange, "nan-at-zero")
        require(all(np.isfinite(part).all() for part in got), "nan-at-zero/2")
        refuse(not any(part.any() for part in got), "no-slope")
        for part, want in zip(got, by_hand(places, weights.astype(float)), strict=True):
            expect(part[same:], want[same:], "wrong-slope", rtol=3e-3)


WORDS = """
hint: Which of the four arguments needs a new axis, so that places run down and stations across?
hint: Two near places differ in the last digits of their cosines. Where could you subtract *before* you take a cosine
    or a sine?
hint: At distance 0 the root has no finite slope. What can you put into the root instead, by `jnp.maximum`?
axes-not-apart: Your arrays meet with axes that don't fit. Give places their own axis, in latitude and in longitude:
    `lat[:, None]`.
table-turned: Your table has the stations down and the places across. Turn it.
degrees: You took sines and cosines of degrees. JAX, like NumPy, counts in radians.
lat-for-lon: Your latitude and longitude have changed places. A degree of longitude is shorter the farther from the
    equator.
lat-for-lon/2: You have the cosine of one latitude twice. The formula has that of each of the two ends.
half-the-arc: Your distances are all half of what they should be. The formula gives half the angle.
no-radius: You returned angles. A distance is the angle times the radius of the Earth.
chord: You took the straight line through the Earth. Take the way along its surface.
flat: You took Pythagoras on a flat map, which is right for some tens of kilometres and for no more.
cosine-formula: Your distance is {got} m between places {apart} m apart: `float32` has no digits left for 1 minus
    almost nothing. Subtract the angles, then take sines.
near-lost: Your distance is {got} m between places {apart} m apart. Is a guard or a threshold larger than the
    distance?
cosine-formula/2: Your slopes are NaN, although no place is a station. Where does a root, `arcsin` or `arccos` get an
    end of its range?
nan-at-zero: Your table is right, but its slope is NaN if a place is a station: 0 times the root's infinite slope.
    Guard the number that goes into the root.
nan-at-zero/2: Your table is right, but its slope is infinite if a place is a station. Guard the number that goes into
    the root.
no-slope: Your table is right, and all its slopes are 0. Is something on the way stopped or rounded?
leaves-jax: Your function passes a tracer to something that wants numbers, and JAX cannot follow. Use `jnp`, and no
    `float`.
wrong-value: Your distances differ. Return kilometres on the sphere, places down and stations across.
wrong-slope: Your table is right, but its slopes are not.
"""


travel_times = declare(
    "travel-times",
    see="kilometres-in-float32",
    steps=[
        Agrees(
            table_of,
            draw,
            [(3, 2), (5, 4)],
            each=3,
            extremes=lambda rng: [draw(rng, (1, 4)), draw(rng, (4, 4))],
            ask=probe.under_jit,
            mistakes=MISTAKES,
            raising={"leaves-jax": probe.NEEDS_A_VALUE, "axes-not-apart": "ncompatible shapes for broadcasting"},
            rtol=3e-5,
        ),
        near,
        has_slopes,
    ],
    words=WORDS,
)
