"""quake-map: by how much stations disagree on when a quake began, for each point of a map."""

from functools import partial

import numpy as np

from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare

from ._lesson import ONE_EXPRESSION, tenths


def travel_times(x, y, stations, speed):
    """From each point of the map to each station, one after the other."""
    ways = [[[((e - a) ** 2 + (n - b) ** 2) ** 0.5 for a, b in stations] for e in x] for n in y]
    return np.array(ways) / speed


def spread_by_loops(x, y, stations, arrivals, speed):
    return (arrivals.ravel() - travel_times(x, y, stations, speed)).std(axis=-1)


def network(rng, sizes):
    """A map and stations: `sizes` are points to the right, points down, and stations."""
    width, height, n = sizes
    speed = float(rng.integers(3, 9)) / 2
    return tenths(rng, width), tenths(rng, height), tenths(rng, (n, 2)), tenths(rng, n), speed


def from_a_file(rng, sizes):
    x, y, stations, arrivals, speed = network(rng, sizes)
    return x, y, stations, arrivals[:, None], speed


def since_1970(rng, sizes):
    x, y, stations, arrivals, speed = network(rng, sizes)
    return x, y, stations, arrivals + rng.integers(1_600_000_000, 1_800_000_000), speed


def growing(place, n):
    return network(np.random.default_rng(0), [n if i == place else 3 for i in range(3)])


def of_times(summary):
    """What comes of the times at which the quake began, had it been at each point."""
    return lambda x, y, stations, arrivals, speed: summary(arrivals.ravel() - travel_times(x, y, stations, speed))


def of_both(summary):
    """What comes of the arrivals, the times of travel and the speed."""
    return lambda x, y, stations, arrivals, speed: summary(arrivals.ravel(), travel_times(x, y, stations, speed), speed)


def every_pair(x, y, stations, arrivals, speed):
    travel = travel_times(x, y, stations, speed)
    return (arrivals.ravel()[:, None] - travel[..., None, :]).std(axis=(-2, -1))


def your_map(draw_maps, quake_map, east, north, plain, clocks, SPEED):  # noqa: N803, the notebook calls it so
    """The lesson's own map, drawn by an answer."""
    spread = quake_map(east, north, plain, clocks, SPEED)
    i, j = np.unravel_index(spread.argmin(), spread.shape)
    where = f"{east[j]:.0f} km to the east and {north[i]:.0f} km to the north of the middle"
    return draw_maps({"your map": spread}, f"Your map, with {len(plain)} stations. Its darkest point is {where}.")


MISTAKES = {
    "axes-exchanged": lambda *arguments: spread_by_loops(*arguments).T,
    "all-pairs": every_pair,
    "variance": of_times(lambda began: began.var(-1)),
    "one-too-few": of_times(lambda began: began.std(-1, ddof=1)),
    "mean-not-spread": of_times(lambda began: began.mean(-1)),
    "no-summary": of_times(lambda began: began),
    "one-spread-for-all": of_times(lambda began: began.std()),
    "ways-added": of_both(lambda arrivals, travel, speed: (arrivals + travel).std(-1)),
    "speed-multiplied": of_both(lambda arrivals, travel, speed: (arrivals - travel * speed**2).std(-1)),
    "speed-lost": of_both(lambda arrivals, travel, speed: (arrivals - travel * speed).std(-1)),
    "arrivals-lost": of_both(lambda arrivals, travel, speed: travel.std(-1)),
    "root-lost": of_both(lambda arrivals, travel, speed: (arrivals - travel**2 * speed).std(-1)),
    "coordinates-exchanged": lambda x, y, stations, *more: spread_by_loops(x, y, stations[:, ::-1], *more),
}

WORDS = """
hint: Which axis does each of the three indices get? `y` goes down, `x` to the right, and the stations along the last
    one.
hint: `x[:, None] - stations[:, 0]` has the shape (points to the right, stations). What must `y` look like?
axes-exchanged: Your map is on its side. `y` belongs to axis 0, and `x` to axis 1.
all-pairs: You compared each arrival with the way to every station. Were the arrivals a column, or did they get a
    separate axis? Arrival `k` belongs with station `k` alone.
column-not-read: Your map is right for arrivals of shape `(n,)`. From a file they come as `(n, 1)`, so make a vector of
    them first.
variance: You returned variances. The standard deviation is their root.
one-too-few: You divided by `n - 1`. Divide by `n`, as `np.std` does unless you say otherwise.
mean-not-spread: You found when the quake began, on average. By how much do the stations disagree?
no-summary: Your map still has a time for each station at each point. Take the standard deviation along the last axis.
one-spread-for-all: You returned one number for the whole map. Take the standard deviation along the axis of the
    stations.
ways-added: You added the time that the wave needs. The quake began *before* the wave arrived, so subtract it.
speed-multiplied: You multiplied by the speed. The travel time is the distance *divided* by the speed.
speed-lost: You subtracted kilometres from seconds. Divide the distance by the speed.
arrivals-lost: Your map uses only the travel times. Subtract them from the arrivals.
root-lost: You took squares of distances. Take their root.
coordinates-exchanged: You exchanged the coordinates. `stations[:, 0]` is east and belongs with `x`, and
    `stations[:, 1]` is north and belongs with `y`.
late-arrivals: Your map is right only for arrivals near 0. In seconds since 1970, squares or `float32` leave too few
    digits. Subtract the mean, or the first arrival, before anything else.
wrong-value: Your numbers are not the standard deviation of the times at which the quake would have begun.
"""

MAPS = [(3, 5, 4), (5, 2, 3), (4, 4, 4), (3, 3, 5)]
FEW = [(1, 1, 1), (1, 4, 2), (4, 1, 3), (3, 2, 1), (2, 3, 6)]
agrees = partial(Agrees, spread_by_loops, rtol=1e-4)
quake_map = declare(
    "quake-map",
    points=2,
    see="pairs",
    without=[
        no_loops(
            grows=[lambda n: growing(0, n), lambda n: growing(1, n)], of="points on an axis", advice=ONE_EXPRESSION
        )
    ],
    steps=[
        agrees(network, MAPS, mistakes=MISTAKES),
        agrees(
            from_a_file,
            [(3, 5, 4), (4, 4, 4)],
            mistakes={"all-pairs": every_pair},
            otherwise="column-not-read",
            raising={"column-not-read": ""},
        ),
        agrees(network, FEW),
        agrees(since_1970, [(1, 1, 3), (2, 3, 4)], otherwise="late-arrivals"),
    ],
    words=WORDS,
    picture=your_map,
)
