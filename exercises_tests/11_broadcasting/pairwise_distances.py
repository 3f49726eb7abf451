"""pairwise-distances: the Euclidean distance of every point of `x` from every point of `y`, wherever they lie."""

import numpy as np

from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import ONE_EXPRESSION, tenths


def distances_by_loops(x, y):
    """Pair by pair, in double precision."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    return np.array([[sum((p - q) ** 2) ** 0.5 for q in y] for p in x])


def two_sets(rng, sizes):
    """Points: `sizes` are n, m, d and the dtype."""
    n, m, d, dtype = sizes
    return tenths(rng, (n, d)).astype(dtype), tenths(rng, (m, d)).astype(dtype)


def with_shared(rng, sizes):
    """Points of which some are in both sets."""
    x, y = two_sets(rng, sizes)
    y[: len(y) // 2 + 1] = x[0]
    return x, y


def far_away(rng, sizes):
    """Clusters of points, so far from the origin and from each other that only differences keep the distances."""
    n, m, d, dtype = sizes
    off = 1e4 if dtype == "float32" else 1e9
    places = off * rng.choice([-1, 1], size=d) * np.array([[1.0], [-1.0]])
    x = places[np.arange(n) % 2] + 8 * rng.normal(size=(n, d))
    y = places[np.arange(m) % 2] + 8 * rng.normal(size=(m, d))
    return x.astype(dtype), y.astype(dtype)


def relative_error(got, want):
    """The largest of all distances that are not 0."""
    return np.max(np.abs(got - want) / np.where(want > 0, want, 1))


def right_far_away(answer, rng):
    """Far from the origin only who subtracts first, in the points' own dtype, finds the distances."""
    for dtype, bound in (("float32", 1e-3), ("float64", 1e-6)):
        asked = [far_away(rng, (*sizes, dtype)) for sizes in ((12, 12, 3), (6, 9, 2))]
        results = [(x, y, numbers(answer(x, y))) for x, y in asked]
        if all(relative_error(got, distances_by_loops(x, y)) < bound for x, y, got in results):
            continue
        rounded = [distances_by_loops(x.astype(np.float32), y.astype(np.float32)) for x, y in asked]
        as_rounded = all(relative_error(got, want) < 1e-3 for (*_, got), want in zip(results, rounded, strict=True))
        refuse(as_rounded, "single-precision")
        require(False, "cancellation", dtype=dtype)


def right_in_all_digits(answer, rng):
    """Every distance by itself, and not beside the largest: of near points, of far ones, and of the same."""
    for dtype, size in [(dtype, size) for dtype in ("float32", "float64") for size in (1e-9, 1.0, 1e9)]:
        x, y = with_shared(rng, (4, 5, int(rng.integers(2, 40)), dtype))
        x, y = x * x.dtype.type(size), y * y.dtype.type(size)
        got, want = numbers(answer(x, y)), distances_by_loops(x, y)
        digits = 1e-5 if dtype == "float32" else 1e-12
        right = got.shape == want.shape and bool(np.all(np.abs(got - want) <= digits * want))
        require(right, "digits-lost", size=f"{size:g}", dtype=dtype)


def of_pairs(norm):
    return lambda x, y: norm(x[:, None] - y)


PAIRED = {"no-table": lambda x, y: np.linalg.norm(x - y, axis=-1)}
MISTAKES = {
    "pairs-transposed": lambda x, y: distances_by_loops(y, x),
    "coordinates-left": of_pairs(np.abs),
    "squared": of_pairs(lambda gap: (gap**2).sum(-1)),
    "sum-of-absolutes": of_pairs(lambda gap: np.abs(gap).sum(-1)),
    "summed-before-squaring": of_pairs(lambda gap: np.abs(gap.sum(-1))),
    "mean-not-sum": of_pairs(lambda gap: (gap**2).mean(-1) ** 0.5),
    "wrong-axis": [
        of_pairs(lambda gap: (gap**2).sum(1) ** 0.5),
        of_pairs(lambda gap: (gap**2).sum((1, 2)) ** 0.5),
    ],
    "lengths-subtracted": lambda x, y: np.abs(np.linalg.norm(x, axis=1)[:, None] - np.linalg.norm(y, axis=1)),
    "two-coordinates-only": of_pairs(lambda gap: np.hypot(gap[..., 0], gap[..., 1])),
}

WORDS = """
hint: Which shape comes out if you subtract `y` from `x[:, None]`, which has the shape `(n, 1, d)`?
hint: Square, sum over the last axis, take the root.
digits-lost: One of your distances lost digits that its points have. Was something added or cut off, or did `float64`
    pass through `float32`? The points have size {size}, in `{dtype}`.
single-precision: You rounded `float64` points to `float32` before you subtracted them. JAX does that unless you switch
    on 64 bits, and NumPy is enough here.
cancellation: You lose distances of near points to rounding, far from the origin, in `{dtype}`. Subtract the points
    before you square, and don't mix them with points far away.
pairs-transposed: You exchanged rows and columns. Rows belong to `x`, and columns to `y`.
coordinates-left: Your pairs still have their coordinates. Sum over the last axis.
squared: You returned the squares of the distances. Take the root.
sum-of-absolutes: You summed absolute differences. Square first, then sum, then take the root.
summed-before-squaring: You added the differences before you squared them. Square first.
mean-not-sum: You took a mean. Sum over the coordinates.
wrong-axis: You summed over the points of `y`. The coordinates are the last axis.
lengths-subtracted: You subtracted lengths. Subtract the points, and take the length of their difference.
two-coordinates-only: You used only two of the coordinates. All of them count.
no-table: You went point by point, the first of `x` with the first of `y`. *Every* point of `x` belongs with every one
    of `y`.
wrong-value: Your numbers are not the Euclidean distances.
three-coordinates-only: Your answer is right for 3 coordinates, but not for every number of them. Sum over the last
    axis, however long it is.
"""


def agrees(draw, sizes, **more):
    return Agrees(distances_by_loops, draw, sizes, rtol=1e-5, **more)


SQUARES = [(3, 3, 3, "float64"), (4, 4, 3, "float64")]
TABLES = [(5, 7, 3, "float64"), (4, 2, 3, "float64"), (3, 4, 3, "float32")]
OTHER_SPACES = [(4, 3, 2, "float64"), (4, 3, 5, "float64")]
FEW = [(1, 1, 1), (1, 6, 2), (6, 1, 4), (3, 3, 3), (2, 2, 2)]
FEW_OF_BOTH = [(*size, dtype) for size in FEW for dtype in ("float32", "float64")]
pairwise_distances = declare(
    "pairwise-distances",
    points=2,
    see="pairs",
    without=[
        no_loops(
            grows=[lambda n: (np.ones((n, 2)), np.ones((3, 2))), lambda n: (np.ones((3, 2)), np.ones((n, 2)))],
            of="points",
            advice=ONE_EXPRESSION,
        )
    ],
    steps=[
        Agrees(distances_by_loops, two_sets, SQUARES, mistakes=PAIRED, otherwise=None),
        agrees(two_sets, TABLES, mistakes=MISTAKES),
        agrees(
            two_sets, OTHER_SPACES, each=1, otherwise="three-coordinates-only", raising={"three-coordinates-only": ""}
        ),
        right_far_away,
        agrees(two_sets, FEW_OF_BOTH, each=2),
        agrees(with_shared, FEW_OF_BOTH, each=2),
        right_in_all_digits,
    ],
    words=WORDS,
)
