"""steady-picture: the photons at each place, less the drift; those that belong outside count nowhere; under `jit`."""

import functools

import numpy as np

from jaxcourse.checks import Agrees, declare
from jaxcourse.probe import NEEDS_A_NUMBER, NEEDS_A_SHAPE

from ._lesson import AgreesOnMany, compiled_for


def steady(seen, drift, shape):
    """The picture, photon by photon."""
    image = np.zeros(shape, int)
    for row, column in (seen - drift).tolist():
        if 0 <= row < shape[0] and 0 <= column < shape[1]:
            image[row, column] += 1
    return image


def night(rng, case):
    """Photons on a detector, some pixels hit again and again, and drifts that carry some over every edge."""
    height, width, photons = case
    seen = rng.integers(0, (height, width), (photons, 2))
    drift = rng.integers(-2, 3, (photons, 2))
    again = rng.permutation(photons)[: photons // 2]
    seen[: photons // 2], drift[: photons // 2] = seen[again], drift[again]
    return seen.astype(np.int32), drift.astype(np.int32), (height, width)


def bright(rng):
    photons = 70_000
    seen = np.zeros((photons, 2), np.int32)
    seen[:, 1] = rng.random(photons) < 0.01
    return [(seen, np.zeros_like(seen), (1, 3))]


def far_away(rng):
    """A tall picture and a wide one, and drifts of thousands of pixels."""
    far = np.int32([[0, 0], [5000, 0], [0, 5000], [-5000, 0], [0, -5000], [-12_000, 3], [9999, -1], [-9998, 0]])
    return [(np.zeros_like(far), far, shape) for shape in ((12_000, 2), (2, 12_000))]


def placed(place):
    """The picture if the places were others."""
    return lambda seen, drift, shape: steady(place(seen - drift, np.array(shape)), 0 * drift, shape)


def clipped(places, shape):
    return np.clip(places, 0, shape - 1)


def from_the_end(places, shape):
    return np.where((places < 0) & (places >= -shape), places + shape, places)


def guarded(axis):
    """The places if only those before the first along one axis were sent outside."""

    def place(places, shape):
        return np.where((places < 0) & (np.arange(2) == axis), -(10**6), from_the_end(places, shape))

    return placed(place)


def outside(places, shape):
    return ((places < 0) | (places >= shape)).any(axis=1, keepdims=True)


def in_one_row(seen, drift, shape):
    """What one index for each pixel gives, if only that index is asked whether it is outside."""
    rows, columns = (seen - drift).T
    pixels = rows * shape[1] + columns
    inside = pixels[(pixels >= 0) & (pixels < shape[0] * shape[1])]
    return np.bincount(inside, minlength=shape[0] * shape[1]).reshape(shape)


MISTAKES = {
    "counted-once": lambda seen, drift, shape: np.minimum(steady(seen, drift, shape), 1),
    "nothing-written": lambda seen, drift, shape: np.zeros(shape),
    "comes-in-again": [
        placed(from_the_end),
        *map(guarded, range(2)),
        placed(lambda places, shape: np.where(outside(places, shape), shape - 1, places)),
        placed(lambda places, shape: clipped(from_the_end(places, shape), shape)),
    ],
    "goes-round": placed(lambda places, shape: places % shape),
    "piled-up": [placed(clipped), placed(lambda places, shape: np.maximum(places, 0))],
    "in-the-next-row": in_one_row,
    "drift-ignored": lambda seen, drift, shape: steady(seen, 0 * drift, shape),
    "drift-added": lambda seen, drift, shape: steady(seen, -drift, shape),
    "drift-swapped": lambda seen, drift, shape: steady(seen, drift[:, ::-1], shape),
    "swapped": lambda seen, drift, shape: steady(seen[:, ::-1], drift[:, ::-1], shape),
}

WORDS = """
hint: `.at[rows, columns].add(1)` counts every photon. What does it do with row -1?
hint: Send what belongs outside to a row that is certainly out of bounds, such as `shape[0]`; or look at
    `wrap_negative_indices`.
counted-once: You count each pixel at most once, however often it was hit. `.set` does not count, and `.add` does.
nothing-written: Your picture is empty. If you wrote by `.at[...]`, that gave a new array: keep it.
comes-in-again: Your photons that left on one side come in on the other. A negative index counts from the end, and
    `mode="drop"` does not change that.
goes-round: Your photons that left on one side come in on the other. A remainder goes round.
piled-up: Your photons from outside pile up along an edge, because those places were clamped.
in-the-next-row: Your photons beside the picture come in one row higher or lower. An index for the flattened picture
    cannot say that the column is outside: ask the column.
drift-ignored: Your picture still has the drift. Subtract it.
drift-added: You moved the photons along with the drift. Subtract it.
drift-swapped: You took the drift of the columns from the rows. In both arrays, the row comes first.
swapped: You exchanged rows and columns.
shape-depends-on-data [fixed-shapes]: Your code makes a shape from numbers that JAX does not know yet. Use no mask
    as an index, give `bincount` its `length`, and drop the photons outside.
needs-the-numbers: Your code asked for the places, which JAX does not know while it traces: use no `if`, no `int`,
    no NumPy.
wrong-value: Your pixels should each hold the number of photons that belong there, and of no others.
bright-pixels: Your bright pixels are off. They hold many thousand photons: do your counts, or their dtype, reach so
    far?
far-away: Your picture is right if it is small. Is the place that you take for outside inside a picture of thousands
    of rows or columns?
dark: Your answer is off for a night without photons. It gives a picture of zeros.
"""

RAISING = {"needs-the-numbers": NEEDS_A_NUMBER, "shape-depends-on-data": NEEDS_A_SHAPE}
SIZES = [(np.zeros((n, 2), np.int32), np.zeros((n, 2), np.int32), (3, 3)) for n in (8, 32)]
of_many = functools.partial(AgreesOnMany, steady, ask=compiled_for, sizes=SIZES)
under_jit = functools.partial(Agrees, steady, ask=compiled_for, raising=RAISING)
steady_picture = declare(
    "steady-picture",
    points=2,
    see="the-night",
    steps=[
        under_jit(night, [(3, 3, 2), (4, 4, 40), (3, 6, 40), (6, 3, 40)], each=6, mistakes=MISTAKES),
        of_many(extremes=bright, otherwise="bright-pixels"),
        under_jit(extremes=far_away, otherwise="far-away"),
        under_jit(night, [(3, 3, 0)], otherwise="dark", raising=RAISING | {"dark": ""}),
    ],
    words=WORDS,
)
