"""Answers to stop-gathering."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import right, wrong

from .._lesson import mapped
from ._lesson import ring_sum

ROWS = P("x")


def by_rows(mesh, x, body, out_specs=ROWS):
    """A softmax by a body."""
    return mapped(mesh, body, ROWS, out_specs)(x)


def split_softmax(x, largest=lambda x: lax.pmax(x.max(axis=0), "x"), total=lambda sums: lax.psum(sums, "x")):
    """The softmax on one device, with its own way to the largest number and to the sum."""
    terms = jnp.exp(x - largest(x))
    return terms / total(terms.sum(axis=0))


@right("stop-gathering")
def shifts_the_logarithm(mesh, x):
    def body(x):
        own = jax.nn.logsumexp(x, axis=0)
        top = lax.pmax(own, "x")
        return jnp.exp(x - top - jnp.log(lax.psum(jnp.exp(own - top), "x")))

    return by_rows(mesh, x, body)


@right("stop-gathering")
def leaves_it_to_the_compiler(mesh, x):
    return lax.with_sharding_constraint(jax.nn.softmax(x, axis=0), jax.sharding.NamedSharding(mesh, P("x")))


@right("stop-gathering")
def rescales_its_own_softmax(mesh, x):
    def body(x):
        own, top = x.max(axis=0, keepdims=True), lax.pmax(x.max(axis=0), "x")
        scale = jnp.exp(own - top)
        terms = jnp.exp(x - own)
        return terms * (scale / lax.psum((terms * scale).sum(axis=0), "x"))

    return by_rows(mesh, x, body)


@wrong("stop-gathering", "gathers")
def gathers_as_before(mesh, x):
    def body(x):
        whole = lax.all_gather(x, "x", tiled=True)
        top = whole.max(axis=0)
        return jnp.exp(x - top) / jnp.exp(whole - top).sum(axis=0)

    specs = {"in_specs": P("x"), "out_specs": P("x")}
    return jax.shard_map(body, mesh=mesh, **specs)(x)


@wrong("stop-gathering", "gathers")
def gathers_the_largest(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, lambda x: lax.all_gather(x.max(axis=0), "x").max(axis=0)))


@wrong("stop-gathering", "own-block-only")
def leaves_the_collectives_out(mesh, x):
    return by_rows(mesh, x, lambda x: jax.nn.softmax(x, axis=0))


@wrong("stop-gathering", "own-largest")
def adds_what_does_not_fit(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, lambda x: x.max(axis=0)))


@wrong("stop-gathering", "own-largest")
def averages_what_does_not_fit(mesh, x):
    mean = lambda sums: lax.pmean(sums, "x")  # noqa: E731
    return by_rows(mesh, x, lambda x: split_softmax(x, lambda x: x.max(axis=0), mean))


@wrong("stop-gathering", "mean-of-sums")
def averages_the_sums(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, total=lambda sums: lax.pmean(sums, "x")))


@wrong("stop-gathering", "only-on-eight")
def counts_on_eight_blocks(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, total=lambda sums: 8 * lax.pmean(sums, "x")))


@wrong("stop-gathering", "over-everything")
def forgets_the_axis(mesh, x):
    def body(x):
        terms = jnp.exp(x - lax.pmax(x.max(), "x"))
        return terms / lax.psum(terms.sum(), "x")

    return by_rows(mesh, x, body)


@wrong("stop-gathering", "along-rows")
def takes_the_last_axis(mesh, x):
    return by_rows(mesh, x, lambda x: jax.nn.softmax(x, axis=1))


@wrong("stop-gathering", "overflows")
def forgets_the_largest(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, lambda x: 0))


@wrong("stop-gathering", "overflows")
def subtracts_the_sum_of_the_largest(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, lambda x: lax.psum(x.max(axis=0), "x")))


@wrong("stop-gathering", "overflows")
def subtracts_the_mean_of_the_largest(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, lambda x: lax.pmean(x.max(axis=0), "x")))


@wrong("stop-gathering", "overflows")
def subtracts_one_largest_of_all(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, lambda x: lax.pmax(x.max(), "x")))


@wrong("stop-gathering", "other-collective")
def sends_sums_around(mesh, x):
    n = mesh.shape["x"]
    return by_rows(mesh, x, lambda x: split_softmax(x, total=lambda sums: ring_sum(sums, n)))


@wrong("stop-gathering", "wrong-value")
def returns_the_terms(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, total=lambda sums: 1))


@wrong("stop-gathering", "not-split")
def collects_at_the_end(mesh, x):
    def body(x):
        here, rows = lax.axis_index("x"), x.shape[0]
        whole = jnp.zeros((mesh.shape["x"] * rows, x.shape[1])) + 0 * x[:1]
        return lax.psum(lax.dynamic_update_slice_in_dim(whole, split_softmax(x), here * rows, axis=0), "x")

    return by_rows(mesh, x, body, P())


@wrong("stop-gathering", "dtype")
def softmax_into_complex_numbers(mesh, x):
    return leaves_it_to_the_compiler.answer(mesh, x).astype(jnp.complex64)


@wrong("stop-gathering", "no-such-axis")
def names_the_axis_after_its_rows(mesh, x):
    return by_rows(mesh, x, lambda x: split_softmax(x, lambda x: lax.pmax(x.max(axis=0), "rows")))
