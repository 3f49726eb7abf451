"""safe-distances."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close, numbers

from ._lesson import float32


@probe.question(evidence="values")
def distances_found(student_function, points, weights):
    """The distances, and the gradient of their weighted sum."""
    points = probe.on_device(points)
    gradient = jax.grad(lambda x: jnp.sum(weights * student_function(x)))
    return {"distances": student_function(points), "gradient": gradient(points)}


def distances_and_pulls(points, weights):
    """The oracle: distances, and the gradient of their weighted sum, by hand."""
    x, w = np.asarray(points, np.float64), np.asarray(weights, np.float64)
    n, d = x.shape
    table, gradient = np.zeros((n, n)), np.zeros((n, d))
    for i in range(n):
        for j in range(n):
            table[i, j] = np.sqrt(sum((x[i] - x[j]) ** 2))
            if table[i, j] > 0:
                gradient[i] += w[i, j] * (x[i] - x[j]) / table[i, j]
                gradient[j] += w[i, j] * (x[j] - x[i]) / table[i, j]
    return table, gradient


def drawn_points(rng):
    """Points apart from each other, then very near, then some that are equal; one point, and one axis."""
    grid = np.array([[0, 0, 0], [0, 0, 1], [0, 2, 0], [3, 0, 1]], np.float32) * float32(rng, (), 0.5, 2)
    apart = [float32(rng, (4, 4)), float32(rng, (1, 1)), grid, float32(rng, (4, 3)) + 500]
    apart.append(np.float32(1e6) * grid)
    apart.append(float32(rng, (4, 3)) + np.float32([[1000], [1000], [-1000], [-1000]]))  # no centre is near to all
    near = [np.float32(1e-5) * float32(rng, (4, 3)), np.float32(1e-17) * grid]
    equal = [float32(rng, (4, 3)) for _ in range(2)]
    equal[0][2], equal[1][:] = equal[0][0], equal[1][0]
    return apart, near, equal


def _judge_pulls(mine, gradient, points, weights):
    refuse(np.count_nonzero(gradient) > 1 and not mine.any(), "no-derivatives")
    x, w = points.astype(float), weights.astype(float)
    away = x[:, None] - x
    length = np.sqrt((away**2).sum(-1))
    pulls = np.divide(away, length[..., None], out=np.zeros_like(away), where=length[..., None] > 0)
    halves = (w[..., None] * pulls).sum(1), -(w[..., None] * pulls).sum(0)
    half = len(x) > 2 and any(is_close(mine, one, rtol=1e-4) for one in halves)
    refuse(half and not is_close(mine, gradient, rtol=1e-4), "one-end-only")


def _judge_values(answer, got, table, points):
    refuse(np.count_nonzero(table) > 2 and is_close(got, table**2, rtol=1e-3), "squares")
    if (got[table == 0] != 0).any() and is_close(np.nan_to_num(got), table, rtol=0.1):  # the others are right
        facts = answer.probe(distances_found, np.zeros_like(points), np.ones(table.shape))
        at_zero = numbers(facts["distances"])
        refuse(not at_zero.any(), "squares-expanded")
        refuse(not np.isnan(got).any(), "not-exactly-zero")
    refuse(table.any() and any(is_close(got, half(table), rtol=1e-3) for half in (np.triu, np.tril)), "one-half")
    small = table.any() and np.max(table) < 1e-3
    refuse(small and not is_close(got, table, rtol=1e-4), "small-distances-lost", table=f"{np.max(table):.0e}")
    far = np.min(np.abs(points)) > 100
    refuse(far and not is_close(got, table, rtol=1e-4), "squares-expanded/2")
    beside = (table > 0) & (table < 0.01 * np.max(table))
    refuse(beside.any() and not is_close(got[beside], table[beside], rtol=1e-3), "squares-expanded/2")
    t, g = table[table > 0], got[table > 0].astype(float)
    shifts = (g**2 - t**2, (t**2 - g**2) / (2 * np.where(g == 0, np.nan, g)))  # what was added; or its root
    steady = any(t.size > 4 and np.min(s) > 0 and np.ptp(s) < 0.05 * np.max(s) for s in shifts)
    refuse(steady and not is_close(got, table, rtol=1e-4), "added-under-the-root")
    expect(got, table, "wrong-distance", rtol=1e-4)


def distances_with_gradients(answer, rng):
    """The distances, and a gradient that is finite where points meet.

    A function, since the kind of points says which mistake a NaN or a wrong pull is.
    """
    apart, near, equal = drawn_points(rng)
    for points in apart + near + equal:
        n = len(points)
        weights = float32(rng, (n, n), 0.5, 2.0)
        facts = answer.probe(distances_found, points, weights)
        answer.called = f"safe_distances(float32[{n},{points.shape[1]}])"
        table, gradient = distances_and_pulls(points, weights)
        got, mine = numbers(facts["distances"]), numbers(facts["gradient"])
        require(got.shape == table.shape, "wrong-shape", want=table.shape, got=got.shape)
        _judge_values(answer, got, table, points)
        distinct = np.count_nonzero(table) == n * (n - 1)
        refuse(np.isnan(mine).any() and not distinct, "guards-the-diagonal-only")
        refuse(np.isnan(mine).any(), "nan-gradient")
        _judge_pulls(mine, gradient, points, weights)
        expect(mine, gradient, "wrong-gradient", rtol=1e-4)


WORDS = """
hint: The values are easy. Where is the derivative of the root infinite, and what is it multiplied by?
hint: The double where: `where` around the argument of the root, and `where` around its result.
no-derivatives: Your distances are right, but all their derivatives are 0: something stops them on the way.
one-end-only: Your derivatives move only one of the two points. A distance has derivatives with respect to both of
    its ends.
squares: You returned the squares of the distances. Take the root.
squares-expanded: Your distance between equal points is 0 at the origin only. Digits are lost, as in `a*a - 2*a*b +
    b*b`, where large numbers cancel: subtract the points first.
not-exactly-zero: Your distance between equal points is not exactly 0. The number that you put under the root stays
    in the result: put the 0 back.
one-half: Your table has each distance once. It should have it twice, for either order of the two points.
small-distances-lost: Distances near {table} come back wrong, though those near 1 are right: a threshold, or an
    added number, is larger than they are. Only *equal* points have the distance 0.
squares-expanded/2: Your distances lose digits far from 0 or from each other, as in `a*a - 2*a*b + b*b`, where large
    numbers cancel. Subtract the points first.
added-under-the-root: Your distances are all off, as if you had added a number under the root, which cannot be taken
    off again. Replace what is under it where points are equal.
wrong-distance: Your numbers are not the distances between the points.
wrong-shape: Your result should have the shape {want}, not {got}.
guards-the-diagonal-only: Your gradient is NaN for points that are equal, though all distances are right. Guard
    these as you guard the diagonal.
nan-gradient: Your distances are right, and their gradient is NaN: on the diagonal, an infinite derivative of the
    root meets a 0. Guard what goes into the root.
wrong-gradient: Your distances are right, but the gradient of a weighted sum of them is not.
"""

safe_distances = declare(
    "safe-distances",
    points=2,
    see="safe-derivatives",
    steps=[distances_with_gradients],
    words=WORDS,
)
