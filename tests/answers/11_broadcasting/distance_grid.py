"""Answers to distance-grid."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("distance-grid")
def a_sum_over_three_axes(x, y, z):
    return np.sqrt(sum(axis**2 for axis in np.ix_(x, y, z)))


by_hypot = right("distance-grid")(lambda x, y, z: np.hypot(np.hypot.outer(x, y)[..., None], z))


@wrong("distance-grid", "single-precision")
@jax.jit
def in_jax_on_three_axes(x, y, z):
    return jnp.sqrt(x[:, None, None] ** 2 + y[:, None] ** 2 + z**2)


@wrong("distance-grid", "wrong-value")
def divides_by_the_root(x, y, z):
    squares = x[:, None, None] ** 2 + y[:, None] ** 2 + z**2
    with np.errstate(invalid="ignore"):
        return squares / np.sqrt(squares)


@wrong("distance-grid", "wrong-value")
def never_quite_zero(x, y, z):
    return np.maximum(np.sqrt(x[:, None, None] ** 2 + y[:, None] ** 2 + z**2), 1e-6)


@wrong("distance-grid", "not-float64")
def as_nested_lists(x, y, z):
    return np.sqrt(x[:, None, None] ** 2 + y[:, None] ** 2 + z**2).tolist()


@wrong("distance-grid", "loops")
def three_loops(x, y, z):
    return np.array([[[(a * a + b * b + c * c) ** 0.5 for c in z] for b in y] for a in x])


@wrong("distance-grid", "wrong-value")
def roots_twice(x, y, z):
    return np.sqrt(np.hypot(x[:, None, None], y[:, None]) + z**2)


@wrong("distance-grid", "loops")
def a_slab_at_a_time(x, y, z):
    return np.array([np.sqrt(a**2 + y[:, None] ** 2 + z**2) for a in x])
