"""nearest-line: for each measured line, the position of the nearest one in a catalogue."""

from functools import partial

import numpy as np

from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare, require


def positions(measured, catalogue):
    known = catalogue.tolist()
    return np.array([min(range(len(known)), key=lambda k: abs(known[k] - line)) for line in measured.tolist()])


def lines(rng, shape):
    """Measured lines, each clearly nearest to one of a catalogue: above it, below it, on it, or beyond both ends."""
    many, known = shape
    gaps = rng.choice([0.005, 0.25, 0.75, 2, 40], known + 1)
    catalogue = 400 + np.cumsum(gaps[:-1])
    nearest = rng.integers(0, known, many)
    parts = np.array([-0.49, -0.25, 0, 0.25, 0.49])[rng.integers(5, size=many)]
    aside = (
        np.where(np.minimum(gaps[nearest], gaps[nearest + 1]) < 0.1, 0.7, 1)
        * parts
        * np.minimum(gaps[nearest], gaps[nearest + 1])
    )
    beyond = rng.choice([0, 0, 60, 300], many)
    off = np.where(nearest == 0, -beyond, 0) + np.where(nearest == known - 1, beyond, 0)
    order = rng.permutation(known)
    return catalogue[nearest] + aside + off, catalogue[order]


def of_many(rng, known):
    """A long catalogue, and lines near to some of it, the last one too."""
    catalogue = rng.permutation(400 + np.arange(known) / 2)
    return catalogue[[0, known // 2, known - 1]] + rng.choice([-0.1, 0.1], 3), catalogue


def next_above(measured, catalogue):
    order = np.argsort(catalogue)
    above = np.searchsorted(catalogue, measured, sorter=order)
    return order[np.minimum(above, len(order) - 1)]


def of_distances(summary):
    """What comes of the table of distances, with a row for each measured line."""
    return lambda measured, catalogue: summary(np.abs(np.subtract.outer(measured, catalogue)))


def are_whole(answer, rng):
    """The indices are whole numbers."""
    dtype = np.asarray(answer(*lines(rng, (2, 3)))).dtype
    require(dtype.kind in "iu", "not-whole", dtype=dtype)


MISTAKES = {
    "wrong-axis": of_distances(lambda distances: distances.argmin(axis=0)),
    "gave-the-distance": of_distances(lambda distances: distances.min(axis=1)),
    "gave-the-wavelength": lambda measured, catalogue: catalogue[positions(measured, catalogue)],
    "one-position": of_distances(lambda distances: distances.argmin()),
    "sign-kept": lambda measured, catalogue: np.subtract.outer(measured, catalogue).argmin(axis=1),
    "sign-kept/2": lambda measured, catalogue: np.subtract.outer(catalogue, measured).argmin(axis=0),
    "sorted-position": lambda measured, catalogue: positions(measured, np.sort(catalogue)),
    "not-sorted": lambda measured, catalogue: np.searchsorted(catalogue, measured),
    "next-above": next_above,
    "rounded": of_distances(lambda distances: distances.astype(int).argmin(axis=1)),
    "relative": lambda measured, catalogue: np.abs(measured[:, None] / catalogue - 1).argmin(axis=1),
}

WIDE = [(np.array([290.0, measured]), np.array([1000.0, 400.0, 200.0])) for measured in (620.0, 680.0)]
# Nearer by less than a thousandth, and yet by far more than float32 rounds at 400.
NEAR = [(400 + np.array([at, -1]), 400 + np.array([0, 0.004])) for at in (0.0022, 0.0024)]
NEAR += [(measured, catalogue[::-1]) for measured, catalogue in NEAR]
NEAR += [(400 + np.array([at]), 400 + np.array([0.004, 0])) for at in (0.0016, 0.0018)]

WORDS = """
hint: How far is each measured line from each known one? `np.subtract.outer` makes the table.
hint: Near means small, without its sign.
wrong-axis: You looked along the other axis, and gave one answer for each known line. Give one for each measured
    line.
gave-the-distance: You returned the distances. Return the positions.
gave-the-wavelength: You returned wavelengths. Return their positions.
one-position: You returned one position in the table of all pairs. Name the axis.
sign-kept: Your answer is always the longest wavelength of the catalogue, which has the smallest difference *with*
    its sign. Take `np.abs` of the difference.
sign-kept/2: Your answer is always the shortest wavelength, which has the smallest difference *with* its sign, and
    the smallest sum or product. Take `np.abs` of the difference.
sorted-position: Your positions are those in the sorted catalogue. Return positions in the catalogue as it is.
not-sorted: Your positions are those of `np.searchsorted`, which needs a sorted catalogue, and finds the next line
    above, not the nearest.
next-above: You found the next known line above. The one below may be nearer.
rounded: Your distances are whole numbers. A part of a unit also decides.
relative: You compared parts of the wavelength. The nearest line is the one with the least difference.
wrong-value: Your position is not that of the nearest line.
rounded/2: Your wavelengths or distances are rounded. Less than a thousandth of a unit also decides.
wrong-value/2: Your answer is right for catalogues of several lines, but not for one line.
wrong-value/3: Your answer is right for short catalogues, but not for one of 300 lines.
not-whole: Your positions are `{dtype}`, which is no index. A position is a whole number.
"""

agrees = partial(Agrees, positions)
nearest_line = declare(
    "nearest-line",
    see="outer-loop",
    without=[
        no_loops(
            grows=[
                lambda n: (np.arange(n) + 0.2, np.arange(8.0)[::-1]),
                lambda n: (np.arange(5.0) + 0.2, np.arange(n)[::-1] * 1.0),
            ],
            of="lines",
            advice="`np.subtract.outer` makes all pairs at once.",
        )
    ],
    steps=[
        agrees(lines, [(1, 2), (2, 3), (3, 2), (5, 8), (8, 13)], extremes=WIDE, mistakes=MISTAKES),
        agrees(extremes=NEAR, otherwise="rounded/2"),
        agrees(lines, [(1, 1), (4, 1)], otherwise="wrong-value/2"),
        agrees(of_many, [300], each=2, otherwise="wrong-value/3"),
        are_whole,
    ],
    words=WORDS,
)
