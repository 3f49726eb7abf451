"""Answers to gradient-in-pieces."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong

from .._lesson import mapped

PIECES = (P(None, "x"), P("x"), P("x"))


def in_pieces(mesh, body, ws, x, y, out_specs=PIECES[0], **more):
    """A gradient by a body."""
    return mapped(mesh, body, PIECES, out_specs, **more)(ws, x, y)


def layer(h, w):
    """A layer that gathers its weights."""
    return jnp.tanh(h @ lax.all_gather(w, "x", tiled=True)), None


thrifty_layer = jax.checkpoint(layer)


def own_loss(ws, x, y, layer=thrifty_layer):
    """The loss of one device's part of the batch."""
    return ((lax.scan(layer, x, ws)[0] - y) ** 2).mean()


def mean_loss(ws, x, y):
    """The loss of the whole batch."""
    return lax.pmean(own_loss(ws, x, y), "x")


@right("gradient-in-pieces")
def divides_afterwards(mesh, ws, x, y):
    n = mesh.shape["x"]
    return in_pieces(mesh, lambda *a: jax.grad(own_loss)(*a) / n, ws, x, y)


@right("gradient-in-pieces")
def goes_back_by_hand(mesh, ws, x, y):
    size = y.size

    def body(ws, x, y):
        def forth(h, w):
            return layer(h, w)[0], h

        def back(slope, kept):
            w, before = kept
            whole = lax.all_gather(w, "x", tiled=True)
            slope = slope * (1 - jnp.tanh(before @ whole) ** 2)
            return slope @ whole.T, lax.psum_scatter(before.T @ slope, "x", tiled=True)

        output, before = lax.scan(forth, x, ws)
        return lax.scan(back, 2 * (output - y) / size, (ws, before), reverse=True)[1]

    return in_pieces(mesh, body, ws, x, y)


@right("gradient-in-pieces")
def gradient_around_the_map(mesh, ws, x, y):
    return jax.grad(mapped(mesh, mean_loss, PIECES, P()))(ws, x, y)


@right("gradient-in-pieces")
def keeps_products_but_no_weights(mesh, ws, x, y):
    thrifty = jax.checkpoint(layer, policy=jax.checkpoint_policies.dots_saveable)
    return in_pieces(mesh, jax.grad(lambda *a: lax.pmean(own_loss(*a, thrifty), "x")), ws, x, y)


@wrong("gradient-in-pieces", "holds-the-model")
def gathers_all_layers_at_once(mesh, ws, x, y):
    def layer(h, w):
        return jnp.tanh(h @ w), None

    def mean_loss(ws, x, y):
        whole = lax.all_gather(ws, "x", axis=1, tiled=True)
        output, _ = lax.scan(layer, x, whole)
        return lax.pmean(((output - y) ** 2).mean(), "x")

    specs = (P(None, "x"), P("x"), P("x"))
    mapped = jax.shard_map(jax.grad(mean_loss), mesh=mesh, in_specs=specs, out_specs=specs[0])
    return mapped(ws, x, y)


@wrong("gradient-in-pieces", "holds-the-model")
def forgets_the_checkpoint(mesh, ws, x, y):
    return in_pieces(mesh, jax.grad(lambda *a: lax.pmean(own_loss(*a, layer), "x")), ws, x, y)


@wrong("gradient-in-pieces", "holds-the-model")
def one_checkpoint_around_it_all(mesh, ws, x, y):
    around = jax.checkpoint(lambda *a: lax.pmean(own_loss(*a, layer), "x"))
    return in_pieces(mesh, jax.grad(around), ws, x, y)


@wrong("gradient-in-pieces", "holds-the-model")
def gathers_outside_of_the_checkpoint(mesh, ws, x, y):
    product = jax.checkpoint(lambda h, w: jnp.tanh(h @ w))

    def layer(h, w):
        return product(h, lax.all_gather(w, "x", tiled=True)), None

    return in_pieces(mesh, jax.grad(lambda *a: lax.pmean(own_loss(*a, layer), "x")), ws, x, y)


@wrong("gradient-in-pieces", "too-large")
def no_average(mesh, ws, x, y):
    return in_pieces(mesh, jax.grad(own_loss), ws, x, y)


@wrong("gradient-in-pieces", "only-on-eight")
def divides_by_eight(mesh, ws, x, y):
    return in_pieces(mesh, lambda *a: jax.grad(own_loss)(*a) / 8, ws, x, y)


@wrong("gradient-in-pieces", "too-small")
def averages_twice(mesh, ws, x, y):
    n = mesh.shape["x"]
    return in_pieces(mesh, lambda *a: jax.grad(mean_loss)(*a) / n, ws, x, y)


@wrong("gradient-in-pieces", "half")
def forgets_the_factor(mesh, ws, x, y):
    return in_pieces(mesh, lambda *a: jax.grad(mean_loss)(*a) / 2, ws, x, y)


@wrong("gradient-in-pieces", "mean-over-rows")
def sums_over_columns(mesh, ws, x, y):
    columns = y.shape[1]
    return in_pieces(mesh, lambda *a: jax.grad(mean_loss)(*a) * columns, ws, x, y)


@wrong("gradient-in-pieces", "no-tanh")
def forgets_to_bend(mesh, ws, x, y):
    straight = jax.checkpoint(lambda h, w: (h @ lax.all_gather(w, "x", tiled=True), None))
    return in_pieces(mesh, jax.grad(lambda *a: lax.pmean(own_loss(*a, straight), "x")), ws, x, y)


@wrong("gradient-in-pieces", "sums-for-everybody")
def asks_the_compiler(mesh, ws, x, y):
    def loss(ws):
        return ((lax.scan(lambda h, w: (jnp.tanh(h @ w), None), x, ws)[0] - y) ** 2).mean()

    return lax.with_sharding_constraint(jax.grad(loss)(ws), jax.sharding.NamedSharding(mesh, PIECES[0]))


@wrong("gradient-in-pieces", "no-scatter")
def gathers_all_gradients(mesh, ws, x, y):
    size = y.size

    def body(ws, x, y):
        whole, rows = lax.all_gather(ws, "x", axis=1, tiled=True), ws.shape[1]

        def loss(whole):
            return ((lax.scan(lambda h, w: (jnp.tanh(h @ w), None), x, whole)[0] - y) ** 2).sum() / size

        slopes = lax.all_gather(jax.grad(loss)(whole), "x").sum(0)
        return lax.dynamic_slice_in_dim(slopes, lax.axis_index("x") * rows, rows, axis=1)

    return in_pieces(mesh, body, ws, x, y)


@wrong("gradient-in-pieces", "not-split-as-ws")
def puts_it_together(mesh, ws, x, y):
    result = divides_afterwards.answer(mesh, ws, x, y)
    return lax.with_sharding_constraint(result, jax.sharding.NamedSharding(mesh, P()))


@wrong("gradient-in-pieces", "wrong-value")
def another_sign(mesh, ws, x, y):
    return -divides_afterwards.answer(mesh, ws, x, y)


@wrong("gradient-in-pieces", "dtype")
def a_complex_gradient(mesh, ws, x, y):
    return divides_afterwards.answer(mesh, ws, x, y).astype(jnp.complex64)


@wrong("gradient-in-pieces", "sums-for-everybody")
def counts_by_a_message(mesh, ws, x, y):
    def body(ws, x, y):
        count = lax.psum(jnp.ones_like(y).sum(), "x")
        return jax.grad(lambda ws: ((lax.scan(thrifty_layer, x, ws)[0] - y) ** 2).sum() / count)(ws)

    return in_pieces(mesh, body, ws, x, y)


equivalents = [
    equivalent("gradient-in-pieces", "`output - y`  ->  `y - output`", "the square is the same from both ends"),
]


@wrong("gradient-in-pieces", "no-such-axis")
def averages_over_a_batch_of_another_name(mesh, ws, x, y):
    return in_pieces(mesh, jax.grad(lambda *args: lax.pmean(own_loss(*args), "batch")), ws, x, y)
