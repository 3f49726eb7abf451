"""Answers to ring-of-neighbours."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong

from .._lesson import mapped


def neighbours(mesh, x, up, down, sign=1, turned=(0, -1)):
    """The exercise's solution with other pairs, and other devices at the seam."""
    n = mesh.shape["x"]

    def body(x):
        here = lax.axis_index("x")
        signs = [1 if device is None else jnp.where(here == device % n, -1, 1) for device in turned]
        before, after = lax.ppermute(x[-1:], "x", up), lax.ppermute(x[:1], "x", down)
        wide = jnp.concatenate([signs[0] * before, x, signs[1] * after])
        return sign * (wide[2:] - wide[:-2])

    return mapped(mesh, body, P("x"), P("x"))(x)


def ring_of(mesh):
    """The pairs of a ring, upwards."""
    n = mesh.shape["x"]
    return [(i, (i + 1) % n) for i in range(n)]


@right("ring-of-neighbours")
def sends_whole_blocks(mesh, x):
    up, n = ring_of(mesh), mesh.shape["x"]

    def body(x):
        here = lax.axis_index("x")
        before, after = lax.ppermute(x, "x", up), lax.ppermute(x, "x", [(j, i) for i, j in up])
        left = jnp.roll(x, 1).at[0].set(jnp.where(here == 0, -before[-1], before[-1]))
        return jnp.roll(x, -1).at[-1].set(jnp.where(here == n - 1, -after[0], after[0])) - left

    return mapped(mesh, body, P("x"), P("x"))(x)


@right("ring-of-neighbours")
def turns_what_the_ends_send(mesh, x):
    up, n = ring_of(mesh), mesh.shape["x"]

    def body(x):
        here = lax.axis_index("x")
        low, high = jnp.where(here == 0, -x[:1], x[:1]), jnp.where(here == n - 1, -x[-1:], x[-1:])
        before, after = lax.ppermute(high, "x", up), lax.ppermute(low, "x", [(j, i) for i, j in up])
        return jnp.append(x[1:], after) - jnp.append(before, x[:-1])

    return mapped(mesh, body, P("x"), P("x"))(x)


@right("ring-of-neighbours")
def rolls_and_turns_the_ends(mesh, x):
    place = jnp.arange(len(x))
    before, after = jnp.roll(x, 1), jnp.roll(x, -1)
    return jnp.where(place == len(x) - 1, -after, after) - jnp.where(place == 0, -before, before)


@wrong("ring-of-neighbours", "not-twisted")
def rolls_both_ways(mesh, x):
    return jnp.roll(x, -1) - jnp.roll(x, 1)


@wrong("ring-of-neighbours", "one-end-twisted")
def turns_what_comes_from_below(mesh, x):
    up = ring_of(mesh)
    return neighbours(mesh, x, up, [(j, i) for i, j in up], turned=(0, None))


@wrong("ring-of-neighbours", "twisted-everywhere")
def turns_all_that_comes(mesh, x):
    up = ring_of(mesh)

    def body(x):
        before, after = lax.ppermute(-x[-1:], "x", up), lax.ppermute(-x[:1], "x", [(j, i) for i, j in up])
        return jnp.append(x[1:], after) - jnp.append(before, x[:-1])

    return mapped(mesh, body, P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "twisted-too-early")
def turns_what_goes_inside(mesh, x):
    up = ring_of(mesh)
    return neighbours(mesh, x, up, [(j, i) for i, j in up], turned=(1, -2))


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
        wide = jnp.concatenate([-whole[-1:], whole, -whole[:1]])
        return lax.dynamic_slice_in_dim(wide[2:] - wide[:-2], here, x.shape[0])

    return mapped(mesh, body, P("x"), P("x"))(x)


@wrong("ring-of-neighbours", "other-collective")
def sums_all_edges(mesh, x):
    n = mesh.shape["x"]

    def body(x):
        here = lax.axis_index("x")
        edges = jnp.zeros((n, 2)) + 0 * x[0]
        edges = lax.psum(edges.at[here].set(jnp.stack([x[0], x[-1]])), "x")
        before = jnp.where(here == 0, -1, 1) * edges[(here - 1) % n, 1:]
        after = jnp.where(here == n - 1, -1, 1) * edges[(here + 1) % n, :1]
        return jnp.append(x[1:], after) - jnp.append(before, x[:-1])

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


@wrong("ring-of-neighbours", "only-on-eight")
def calls_the_last_device_seven(mesh, x):
    n = mesh.size

    def body(x):
        before = lax.ppermute(x[-1:], "x", [(i, (i + 1) % n) for i in range(n)])
        after = lax.ppermute(x[:1], "x", [((i + 1) % n, i) for i in range(n)])
        here = lax.axis_index("x")
        wide = jnp.concatenate([jnp.where(here == 0, -before, before), x, jnp.where(here == 7, -after, after)])
        return wide[2:] - wide[:-2]

    return mapped(mesh, body, P("x"), P("x"))(x)


def twisted(mesh, x, of_before, of_after, axis="x"):
    """The ring with the sign turned where two functions of the device and of their number say so."""
    up, n = ring_of(mesh), mesh.shape["x"]

    def body(x):
        here = lax.axis_index("x")
        before = lax.ppermute(x[-1:], axis, up)
        after = lax.ppermute(x[:1], axis, [(j, i) for i, j in up])
        before = jnp.where(of_before(here, n), -before, before)
        after = jnp.where(of_after(here, n), -after, after)
        wide = jnp.concatenate([before, x, after])
        return wide[2:] - wide[:-2]

    return mapped(mesh, body, P("x"), P("x"))(x)


def at_the_first(here, n):
    return here == 0


def at_the_last(here, n):
    return here == n - 1


def at_both_ends(here, n):
    return (here == 0) | (here == n - 1)


@wrong("ring-of-neighbours", "twisted-inside")
def takes_the_ends_for_each_other(mesh, x):
    return twisted(mesh, x, at_the_last, at_the_first)


@wrong("ring-of-neighbours", "twisted-inside")
def turns_all_that_the_ends_get(mesh, x):
    return twisted(mesh, x, at_both_ends, at_both_ends)


@wrong("ring-of-neighbours", "result-turned")
def turns_the_result_at_the_ends(mesh, x):
    n = mesh.shape["x"]

    def turn(y):
        here = lax.axis_index("x")
        y = jnp.where(here == 0, y.at[0].multiply(-1), y)
        return jnp.where(here == n - 1, y.at[-1].multiply(-1), y)

    y = twisted(mesh, x, lambda here, n: False, lambda here, n: False)
    return mapped(mesh, turn, P("x"), P("x"))(y)


@wrong("ring-of-neighbours", "no-such-axis")
def sends_along_an_axis_that_is_not_there(mesh, x):
    return twisted(mesh, x, at_the_first, at_the_last, axis="ring")


@wrong("ring-of-neighbours", "no-such-axis")
def asks_the_mesh_for_another_axis(mesh, x):
    n = mesh.shape["ring"]
    return n * x


@wrong("ring-of-neighbours", "AssertionError")
def asserts_what_is_not_so(mesh, x):
    assert lax.axis_size is None
    return x


@wrong("ring-of-neighbours", "KeyError")
def looks_for_an_edge_that_it_has_not_kept(mesh, x):
    edges = {"low": x[:1]}
    return lax.neg(edges["high"])


equivalents = [
    equivalent(
        "ring-of-neighbours",
        "`jnp.where(here == 0, -before, before)`  ->  `(here == 0) * -before + (1 - (here == 0)) * before`",
        "rows are finite, so products choose as well",
    ),
    equivalent(
        "ring-of-neighbours",
        "`jnp.where(here == n - 1, -after, after)`  ->  `(here == n - 1) * -after + (1 - (here == n - 1)) * after`",
        "rows are finite, so products choose as well",
    ),
]
