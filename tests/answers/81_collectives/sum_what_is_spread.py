"""Answers to sum-what-is-spread."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import right, wrong

from .._lesson import mapped
from ._lesson import ring_sum


def two_layers(mesh, body, args, **more):
    """Two layers by a body."""
    return mapped(mesh, body, (P(), P(None, "x"), P("x"), P("x"), P()), P(), **more)(*args)


@right("sum-what-is-spread")
def shares_the_bias(mesh, *args):
    n = mesh.shape["x"]
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v + c / n, "x"), args)


@right("sum-what-is-spread")
def adds_it_outside(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v, "x"), args) + args[-1]


@wrong("sum-what-is-spread", "bias-summed")
def sums_everything(mesh, x, w1, b1, w2, b2):
    def body(x, w1, b1, w2, b2):
        return lax.psum(jnp.tanh(x @ w1 + b1) @ w2 + b2, "x")

    mapped = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "x"), P("x"), P("x"), P()),
        out_specs=P(),
    )
    return mapped(x, w1, b1, w2, b2)


@wrong("sum-what-is-spread", "averaged")
def averages_everything(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.pmean(jnp.tanh(x @ w + b) @ v + c, "x"), args)


@wrong("sum-what-is-spread", "averaged")
def averages_the_terms(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.pmean(jnp.tanh(x @ w + b) @ v, "x") + c, args)


@wrong("sum-what-is-spread", "only-on-eight")
def adds_an_eighth_of_the_bias(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v + c / 8, "x"), args)


@wrong("sum-what-is-spread", "bias-lost")
def drops_the_bias(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v, "x"), args)


@wrong("sum-what-is-spread", "inner-bias-lost")
def drops_the_first_bias(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w) @ v, "x") + c, args)


@wrong("sum-what-is-spread", "both-biases-lost")
def copies_the_cell_above(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w) @ v, "x"), args)


@wrong("sum-what-is-spread", "no-tanh")
def forgets_the_bend(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum((x @ w + b) @ v, "x") + c, args)


@wrong("sum-what-is-spread", "copies-differ")
def switches_off_the_check(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: jnp.tanh(x @ w + b) @ v + c, args, check_vma=False)


@wrong("sum-what-is-spread", "gathers")
def gathers_the_units(mesh, *args):
    def body(x, w, b, v, c):
        hidden = lax.all_gather(jnp.tanh(x @ w + b), "x", axis=1, tiled=True)
        return hidden @ lax.all_gather(v, "x", tiled=True) + c

    return two_layers(mesh, body, args, check_vma=False)


@wrong("sum-what-is-spread", "other-collective")
def sends_terms_around(mesh, *args):
    n = mesh.shape["x"]

    def body(x, w, b, v, c):
        # The sum is in another order on each device, so the copies are made equal again.
        return lax.pmax(ring_sum(jnp.tanh(x @ w + b) @ v, n), "x") + c

    return two_layers(mesh, body, args, check_vma=False)


@wrong("sum-what-is-spread", "not-replicated")
def leaves_rows_on_devices(mesh, x, *weights):
    result = adds_it_outside.answer(mesh, x, *weights)
    return lax.with_sharding_constraint(result, jax.sharding.NamedSharding(mesh, P("x")))


@wrong("sum-what-is-spread", "wrong-value")
def adds_one(mesh, *args):
    return adds_it_outside.answer(mesh, *args) + 1


@wrong("sum-what-is-spread", "dtype")
def complex_outputs(mesh, *args):
    return adds_it_outside.answer(mesh, *args).astype(jnp.complex64)


@wrong("sum-what-is-spread", "no-such-axis")
def names_another_axis(mesh, *args):
    return two_layers(mesh, lambda x, w, b, v, c: lax.psum(jnp.tanh(x @ w + b) @ v, "model") + c, args)
