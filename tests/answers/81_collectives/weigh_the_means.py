"""Answers to weigh-the-means."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import right, wrong

from .._lesson import mapped


@right("weigh-the-means")
def ratio_of_averages(mesh, values, valid):
    def body(values, valid):
        return lax.pmean(jnp.where(valid, values, 0).sum(), "x") / lax.pmean(valid.astype(jnp.float32).sum(), "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@right("weigh-the-means")
def leaves_the_mean_to_the_compiler(mesh, values, valid):
    return jnp.mean(values, where=valid)


@wrong("weigh-the-means", "mean-of-means")
def averages_the_averages(mesh, values, valid):
    def body(values, valid):
        mean = (values * valid).sum() / valid.sum()
        return lax.pmean(mean, "x")

    specs = {"in_specs": (P("x"), P("x")), "out_specs": P()}
    return jax.shard_map(body, mesh=mesh, **specs)(values, valid)


@wrong("weigh-the-means", "mean-of-means")
def avoids_nan_only(mesh, values, valid):
    return mapped(mesh, lambda v, m: lax.pmean((v * m).sum() / jnp.maximum(m.sum(), 1), "x"), (P("x"), P("x")), P())(
        values, valid
    )


@wrong("weigh-the-means", "mean-of-means")
def averages_over_devices_with_any(mesh, values, valid):
    def body(v, m):
        some = m.any()
        mean = (v * m).sum() / jnp.maximum(m.sum(), 1)
        return lax.psum(mean, "x") / lax.psum(some.astype(jnp.int32), "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "nothing-by-nothing")
def multiplies_the_mean_again(mesh, values, valid):
    def body(v, m):
        mean, count = (v * m).sum() / m.sum(), m.sum()
        return lax.psum(count * mean, "x") / lax.psum(count, "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "only-on-eight")
def divides_by_eight_mean_counts(mesh, values, valid):
    def body(v, m):
        return lax.psum(jnp.where(m, v, 0).sum(), "x") / (8 * lax.pmean(m.sum().astype(jnp.float32), "x"))

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "counts-the-invalid")
def divides_by_the_length(mesh, values, valid):
    return mapped(mesh, lambda v, m: lax.pmean((v * m).mean(), "x"), (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "ignores-valid")
def forgets_what_is_valid(mesh, values, valid):
    return mapped(mesh, lambda v, m: lax.pmean(v.mean(), "x"), (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "divides-by-mean-count")
def sums_one_and_averages_the_other(mesh, values, valid):
    def body(v, m):
        return lax.psum((v * m).sum(), "x") / lax.pmean(m.sum().astype(jnp.float32), "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "wrong-value")
def returns_the_sum(mesh, values, valid):
    return mapped(mesh, lambda v, m: lax.psum((v * m).sum(), "x"), (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "dtype")
def counts_in_half_precision(mesh, values, valid):
    return jnp.stack([jnp.mean(values, where=valid)]).astype(jnp.complex64)[0]


@wrong("weigh-the-means", "copies-differ")
def switches_the_check_off(mesh, values, valid):
    def body(v, m):
        mean = lax.psum((v * m).sum(), "x") / lax.psum(m.sum(), "x")
        return mean + 100 * lax.axis_index("x")

    return mapped(mesh, body, (P("x"), P("x")), P(), check_vma=False)(values, valid)


@wrong("weigh-the-means", "divides-by-mean-count")
def sums_the_mean_of_all_once_more(mesh, values, valid):
    def body(v, m):
        return lax.psum(lax.psum((v * m).sum(), "x") / lax.psum(m.sum(), "x"), "x")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)


@wrong("weigh-the-means", "no-such-axis")
def names_the_axis_after_what_it_holds(mesh, values, valid):
    def body(v, m):
        return lax.psum((v * m).sum(), "readings") / lax.psum(m.sum(), "readings")

    return mapped(mesh, body, (P("x"), P("x")), P())(values, valid)
