"""distance-grid: the distance of every point of a grid from the origin, from the coordinates along its three axes."""

import numpy as np

from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, Shaped, declare, require

from ._lesson import ONE_EXPRESSION, tenths


def distances_from_origin(x, y, z):
    return np.array([[[(a * a + b * b + c * c) ** 0.5 for c in z] for b in y] for a in x])


three_vectors = Shaped("x, y, z", tenths)


def near_and_far(rng, size):
    """Coordinates of one size, small or large, and in half of the draws the origin among the points."""
    vectors, origin = [axis * size for axis in three_vectors(rng, (2, 3, 4))], rng.random() < 0.5
    for axis in vectors:
        axis[rng.integers(len(axis))] *= not origin
    return tuple(vectors)


def double_precision(answer, rng):
    """An array of NumPy of `float64` comes back."""
    got = answer(*three_vectors(rng, (2, 3, 4)))
    made = getattr(got, "dtype", type(got).__name__)
    require(isinstance(got, np.ndarray) and got.dtype == np.float64, "not-float64", made=made)


def on_axes(norm):
    """What comes of the coordinates where each has an axis of its own."""
    return lambda x, y, z: norm(x[:, None, None], y[:, None], z)


def root_of_squares(x, y, z):
    return np.sqrt(x**2 + y**2 + z**2)


OF_EQUAL_LENGTHS = {
    "axes-shared/all": root_of_squares,
    "axes-shared/two": [
        lambda x, y, z: root_of_squares(x[:, None], y, z),
        lambda x, y, z: root_of_squares(x[:, None], y[:, None], z),
        lambda x, y, z: root_of_squares(x[:, None, None], y[:, None], z[:, None]),
        lambda x, y, z: root_of_squares(x[:, None, None], y, z),
    ],
}
MISTAKES = {
    "meshgrid-order": lambda x, y, z: distances_from_origin(x, y, z).swapaxes(0, 1),
    "axes-reversed": lambda x, y, z: distances_from_origin(x, y, z).T,
    "squared": on_axes(lambda x, y, z: x**2 + y**2 + z**2),
    "squared-too-late": on_axes(lambda x, y, z: np.abs(x + y + z)),
    "sum-of-absolutes": on_axes(lambda x, y, z: np.abs(x) + np.abs(y) + np.abs(z)),
    "coordinate-lost/z": on_axes(lambda x, y, z: np.hypot(x, y) + 0 * z),
    "coordinate-lost/y": on_axes(lambda x, y, z: np.hypot(x, z) + 0 * y),
    "coordinate-lost/x": on_axes(lambda x, y, z: np.hypot(y, z) + 0 * x),
    "another-origin": [
        lambda x, y, z: distances_from_origin(x - x[0], y - y[0], z - z[0]),
        lambda x, y, z: distances_from_origin(x - x.mean(), y - y.mean(), z - z.mean()),
    ],
    "places-not-coordinates": lambda x, y, z: distances_from_origin(*map(np.arange, map(len, (x, y, z)))),
    "laid-out-flat": [
        lambda x, y, z: distances_from_origin(x, y, z).reshape(len(x), -1),
        lambda x, y, z: distances_from_origin(x, y, z).ravel(),
    ],
}

WORDS = """
hint: Along which axis should each vector vary? `x` varies along axis 0, and needs length 1 along axes 1 and 2.
hint: `x[:, None, None]`
meshgrid-order: You exchanged the first two axes. `np.meshgrid` does that unless you say `indexing='ij'`.
axes-reversed: You reversed the axes, so `x` runs along the last one. It should run along the first, with `x[:, None,
    None]`.
squared: You returned the squares of the distances. Take the root.
squared-too-late: You added before you squared. Square each coordinate, then add.
sum-of-absolutes: You added the absolute values. Square, add, take the root.
coordinate-lost/z: Your distances leave out `z`.
coordinate-lost/y: Your distances leave out `y`.
coordinate-lost/x: Your distances leave out `x`.
another-origin: You measured from a point of the grid, or from its middle. The origin is where `x`, `y` and `z` are 0.
places-not-coordinates: You took positions in the grid for coordinates. The coordinates are the elements of `x`, `y` and
    `z`.
laid-out-flat: Your result has fewer than three axes, so coordinates share one. Give each its own.
axes-shared/all: You paired the vectors element by element. Every `x` belongs with every `y` and every `z`.
axes-shared/two: Your result has two coordinates on one axis. Each needs its own, three in all.
wrong-value: Your numbers are not the distances from the origin.
wrong-value/root: Your answer is right for distances of about 1, but not for all. Points may be at the origin, near it,
    or far away.
single-precision: Your answer is right to some 7 digits. Is it in `float32`, in which JAX computes? The vectors are
    `float64`.
not-float64: Return a NumPy array of `float64`. Your result comes as `{made}`.
"""

LENGTHS = [(2, 3, 4), (4, 2, 3), (3, 4, 2), (1, 2, 5), (2, 1, 3), (5, 2, 1), (1, 1, 1), (3, 3, 3)]
distance_grid = declare(
    "distance-grid",
    see="more-operands",
    without=[no_loops(grows=three_vectors.growing, of="points on an axis", advice=ONE_EXPRESSION)],
    steps=[
        Agrees(distances_from_origin, three_vectors, [(3, 3, 3), (4, 4, 4)], mistakes=OF_EQUAL_LENGTHS, otherwise=None),
        Agrees(distances_from_origin, three_vectors, LENGTHS, mistakes=MISTAKES),
        Agrees(distances_from_origin, near_and_far, [1e-9, 1.0, 1e9], otherwise="wrong-value/root"),
        Agrees(distances_from_origin, three_vectors, [(2, 3, 4)], each=1, rtol=1e-12, otherwise="single-precision"),
        double_precision,
    ],
    words=WORDS,
)
