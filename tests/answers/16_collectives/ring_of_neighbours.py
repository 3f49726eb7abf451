"""Answers to ring-of-neighbours."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import right, wrong

from .._lesson import mapped


def neighbours(mesh, x, up, down, sign=1):
    """The exercise's solution with other pairs."""

    def body(x):
        wide = jnp.concatenate([lax.ppermute(x[-1:], "x", up), x, lax.ppermute(x[:1], "x", down)])
        return sign * (wide[2:] - wide[:-2])

    return mapped(mesh, body, P("x"), P("x"))(x)


def ring_of(mesh):
    """The pairs of a ring, upwards."""
    n = mesh.shape["x"]
    return [(i, (i + 1) % n) for i in range(n)]


@right("ring-of-neighbours")
def sends_whole_blocks(mesh, x):
    up = ring_of(mesh)

    def body(x):
        before, after = lax.ppermute(x, "x", up), lax.ppermute(x, "x", [(j, i) for i, j in up])
        left = jnp.roll(x, 1).at[0].set(before[-1])
        return jnp.roll(x, -1).at[-1].set(after[0]) - left

    return mapped(mesh, body, P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "wrong-sign")
def previous_minus_next(mesh, x):
    up = ring_of(mesh)
    return neighbours(mesh, x, up, [(j, i) for i, j in up], -1)


@wrong("ring-of-neighbours", "sent-the-other-way")
def reads_pairs_as_to_and_from(mesh, x):
    up = ring_of(mesh)
    return neighbours(mesh, x, [(j, i) for i, j in up], up)


@wrong("ring-of-neighbours", "ends-open")
def a_line_of_devices(mesh, x):
    up = ring_of(mesh)[:-1]
    return neighbours(mesh, x, up, [(j, i) for i, j in up])


@wrong("ring-of-neighbours", "only-on-eight")
def a_ring_of_eight(mesh, x):
    up = [(i, (i + 1) % 8) for i in range(8)]
    return neighbours(mesh, x, up, [(j, i) for i, j in up])


@wrong("ring-of-neighbours", "each-by-itself")
def rolls_each_block(mesh, x):
    return mapped(mesh, lambda x: jnp.roll(x, -1) - jnp.roll(x, 1), P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "gathers")
def gathers_the_ring(mesh, x):
    def body(x):
        whole, here = lax.all_gather(x, "x", tiled=True), lax.axis_index("x") * x.shape[0]
        return lax.dynamic_slice_in_dim(jnp.roll(whole, -1) - jnp.roll(whole, 1), here, x.shape[0])

    return mapped(mesh, body, P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "other-collective")
def sums_all_edges(mesh, x):
    n = mesh.shape["x"]

    def body(x):
        here = lax.axis_index("x")
        edges = jnp.zeros((n, 2)) + 0 * x[0]
        edges = lax.psum(edges.at[here].set(jnp.stack([x[0], x[-1]])), "x")
        wide = jnp.concatenate([edges[(here - 1) % n, 1:], x, edges[(here + 1) % n, :1]])
        return wide[2:] - wide[:-2]

    return mapped(mesh, body, P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "not-split")
def collects_the_ring(mesh, x):
    up = ring_of(mesh)
    result = neighbours(mesh, x, up, [(j, i) for i, j in up])
    return lax.with_sharding_constraint(result, jax.sharding.NamedSharding(mesh, P()))


@wrong("ring-of-neighbours", "wrong-value")
def halves_it(mesh, x):
    up = ring_of(mesh)
    return neighbours(mesh, x, up, [(j, i) for i, j in up], 0.5)


@wrong("ring-of-neighbours", "dtype")
def neighbours_as_complex_numbers(mesh, x):
    return sends_whole_blocks.answer(mesh, x).astype(jnp.complex64)
