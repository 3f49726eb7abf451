"""Answers to pairwise-distances."""

import jax.numpy as jnp
import numba
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def by_product(x, y):
    return np.sqrt(np.maximum((x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T, 0))


@right("pairwise-distances")
def coordinate_by_coordinate(x, y):
    total = np.zeros((len(x), len(y)))
    for a, b in zip(x.T, y.T, strict=True):
        total += np.subtract.outer(a, b) ** 2
    return np.sqrt(total)


@wrong("pairwise-distances", "loops")
def point_by_point(x, y):
    return [np.linalg.norm(point - y, axis=1) for point in x]


@wrong("pairwise-distances", "loops")
def chunk_by_chunk(x, y):
    return np.concatenate([np.sqrt(((x[i : i + 4, None] - y) ** 2).sum(-1)) for i in range(0, len(x), 4)])


@right("pairwise-distances")
def by_einsum_of_the_differences(x, y):
    gap = np.subtract(x[:, np.newaxis, :], y[np.newaxis, :, :])
    return np.sqrt(np.einsum("nmd,nmd->nm", gap, gap))


@right("pairwise-distances")
@numba.njit
def compiled_by_numba(x, y):
    result = np.zeros((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            for k in range(x.shape[1]):
                result[i, j] += (x[i, k] - y[j, k]) ** 2
    return np.sqrt(result)


@wrong("pairwise-distances", "cancellation")
def by_the_trick_after_an_upcast(x, y):
    return by_product(x.astype(np.longdouble), y.astype(np.longdouble)).astype(np.float64)


@wrong("pairwise-distances", "cancellation")
def centred_first(x, y):
    middle = x.mean(axis=0)
    return by_product(x - middle, y - middle)


@wrong("pairwise-distances", "single-precision")
def in_half_the_digits(x, y):
    return np.linalg.norm(x.astype(np.float32)[:, None] - y.astype(np.float32), axis=-1)


@wrong("pairwise-distances", "wrong-value")
def a_little_under_the_root(x, y):
    return np.sqrt(((x[:, None] - y) ** 2).sum(axis=-1) + 1e-6)


@wrong("pairwise-distances", "digits-lost")
def into_a_table_of_half_the_digits(x, y):
    table = np.zeros((len(x), len(y)), np.float32)
    for row, point in zip(table, x, strict=True):
        row[:] = np.linalg.norm(point - y, axis=1)
    return table


@wrong("pairwise-distances", "digits-lost")
def takes_near_points_for_equal(x, y):
    distance = np.linalg.norm(x[:, None] - y, axis=-1)
    return np.where(distance < 1e-3, 0, distance)


@wrong("pairwise-distances", "three-coordinates-only")
def names_the_coordinates(x, y):
    return sum((x[:, None, k % x.shape[1]] - y[:, k % x.shape[1]]) ** 2 for k in range(3)) ** 0.5


@wrong("pairwise-distances", "cancellation")
def by_the_trick(x, y):
    return by_product(x, y)


@wrong("pairwise-distances", "single-precision")
def in_jax(x, y):
    return jnp.sqrt(((jnp.asarray(x)[:, None] - jnp.asarray(y)) ** 2).sum(axis=-1))


equivalents = [
    equivalent("pairwise-distances", "`x[:, None] - y`  ->  `y - x[:, None]`", "it is squared"),
]
