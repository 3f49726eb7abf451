"""nearest-line."""

import numpy as np

from jaxcourse.bans import no_loops
from jaxcourse.checks import declare, refuse
from jaxcourse.inputs import Asked, Slip, compare


def keeps_the_sign(measured, catalogue):
    return np.subtract.outer(measured, catalogue).argmin(axis=1)


def looks_along_the_measured(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=0)


def gives_distances(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).min(axis=1)


def gives_wavelengths(measured, catalogue):
    return catalogue[np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=1)]


def looks_in_the_whole_table(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin()


def searches_as_if_sorted(measured, catalogue):
    return np.searchsorted(catalogue, measured)


def takes_the_next_above(measured, catalogue):
    order = np.argsort(catalogue)
    above = np.searchsorted(catalogue, measured, sorter=order)
    return order[np.minimum(above, len(order) - 1)]


def divides_by_the_wavelength(measured, catalogue):
    return np.abs(measured[:, None] / catalogue - 1).argmin(axis=1)


def rounds_distances(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).astype(int).argmin(axis=1)


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


def positions(measured, catalogue):
    known = catalogue.tolist()
    return np.array([min(range(len(known)), key=lambda k: abs(known[k] - line)) for line in measured.tolist()])


def check(answer, rng):
    slips = [
        Slip(
            "wrong-axis",
            looks_along_the_measured,
        ),
        Slip("gave-the-distance", gives_distances),
        Slip("gave-the-wavelength", gives_wavelengths),
        Slip("one-position", looks_in_the_whole_table),
        Slip(
            "sign-kept",
            keeps_the_sign,
        ),
        Slip(
            "sign-kept/2",
            lambda measured, catalogue: np.subtract.outer(catalogue, measured).argmin(axis=0),
        ),
        Slip(
            "sorted-position",
            lambda measured, catalogue: positions(measured, np.sort(catalogue)),
        ),
        Slip(
            "not-sorted",
            searches_as_if_sorted,
        ),
        Slip(
            "next-above",
            takes_the_next_above,
        ),
        Slip("rounded", rounds_distances),
        Slip(
            "relative",
            divides_by_the_wavelength,
        ),
    ]
    wide = [(np.array([290.0, measured]), np.array([1000.0, 400.0, 200.0])) for measured in (620.0, 680.0)]
    shapes = (1, 2), (2, 3), (3, 2), (5, 8), (8, 13)
    compare(answer, positions, lines, rng, shapes=shapes, extremes=wide, slips=slips, label="wrong-value")
    # Nearer by less than a thousandth, and yet by far more than float32 rounds at 400.
    near = [(400 + np.array([at, -1]), 400 + np.array([0, 0.004])) for at in (0.0022, 0.0024)]
    near += [(measured, catalogue[::-1]) for measured, catalogue in near]
    near += [(400 + np.array([at]), 400 + np.array([0.004, 0])) for at in (0.0016, 0.0018)]
    Asked(answer, positions).require(near, "", "rounded/2")
    compare(answer, positions, lines, rng, shapes=[(1, 1), (4, 1)], label="wrong-value/2")
    compare(answer, positions, of_many, rng, shapes=[300], each=2, label="wrong-value/3")
    kind = np.asarray(answer(*lines(rng, (2, 3)))).dtype
    refuse(kind.kind not in "iu", "not-whole", kind=kind)


WORDS = """
hint: `np.subtract.outer` makes the table of all differences.
hint: Near means: small, without its sign.
wrong-axis: You looked along the wrong axis: one answer for each known line.
gave-the-distance: Those are the distances. The positions are wanted.
gave-the-wavelength: Those are wavelengths. The positions are wanted.
one-position: One position in the table of all pairs: name the axis.
sign-kept: The smallest difference *with* its sign belongs to the longest wavelength. Take `np.abs` first.
sign-kept/2: The smallest difference *with* its sign belongs to the shortest wavelength. Take `np.abs` first.
sorted-position: Those are positions in the sorted catalogue. Positions in the catalogue as it is are wanted.
not-sorted: `np.searchsorted` needs a sorted catalogue, and finds the next line above, not the nearest.
next-above: That is the next known line above. The one below may be nearer.
rounded: Your distances are whole numbers. A part of a unit decides as well.
relative: You compared parts of the wavelength. The nearest line is the one with the least difference.
wrong-value: The position of the nearest line.
rounded/2: Your wavelengths or distances are rounded. Less than a thousandth of a unit decides as well.
wrong-value/2: Right for catalogues of several lines, but not for one line.
wrong-value/3: Right for short catalogues, but not for one of 300 lines.
not-whole: A position is a whole number, and these are `{kind}`: no index.
"""

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
    steps=[check],
    words=WORDS,
)
