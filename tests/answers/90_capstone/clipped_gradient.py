"""Answers to clipped-gradient."""

import functools

import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong

H = 24


def varying(tree, axis="d"):
    """A tree, marked as one that may differ between the devices."""
    if hasattr(lax, "pcast"):
        return jax.tree.map(lambda leaf: lax.pcast(leaf, axis, to="varying"), tree)
    return jax.tree.map(lambda leaf: lax.pvary(leaf, axis), tree)


def gathered(record, batch, late=0):
    """The examples of a batch: windows, who was heard in them, readings, and whether they are there."""
    filled, heard = record
    minute, station = batch
    back, column = minute[:, None] + jnp.arange(-H, 0) + late, station[:, None]
    return filled[back, column], heard[back, column], filled[minute, station], heard[minute, station]


def shorter(length, limit):
    """The factor that brings a length down to a limit."""
    return limit / jnp.maximum(limit, length)


def each_clipped(loss, params, examples, limit, factor=shorter):
    """The clipped gradients of some examples, stacked, and their lengths."""
    slopes = jax.vmap(jax.grad(loss), (None, 0, 0, 0, 0))(params, *examples)
    lengths = jax.vmap(optax.tree.norm)(slopes)
    by = factor(lengths, limit)
    return jax.tree.map(lambda leaf: jax.vmap(jnp.multiply)(by, leaf), slopes), lengths


def total(tree):
    """The sum over the examples."""
    return jax.tree.map(lambda leaf: leaf.sum(0), tree)


def divided(tree, by):
    """All leaves, divided."""
    return jax.tree.map(lambda leaf: leaf / by, tree)


def on_each(body, mesh, params, record, batch, limit, **more):
    """A body that runs on each device."""
    specs = {"in_specs": (P(), P(), P("d"), P()), "out_specs": (P(), P("d"))}
    return jax.shard_map(body, mesh=mesh, **specs, **more)(params, record, batch, limit)


@right("clipped-gradient")
def the_program_of_one_device(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, varying(params), gathered(record, batch), limit)
        return divided(lax.psum(total(each), "d"), mesh.size * len(lengths)), lengths

    return on_each(body, mesh, params, record, batch, limit)


@right("clipped-gradient")
def without_the_check(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, params, gathered(record, batch), limit)
        return lax.pmean(jax.tree.map(lambda leaf: leaf.mean(0), each), "d"), lengths

    return on_each(body, mesh, params, record, batch, limit, check_vma=False)


@right("clipped-gradient")
@functools.partial(jax.jit, static_argnums=(0, 1))
def constrained(mesh, loss, params, record, batch, limit):
    def one(minute, station):
        window, heard = (lax.dynamic_slice(part, (minute - H, station), (H, 1))[:, 0] for part in record)
        slope = jax.grad(loss)(params, window, heard, *(part[minute, station] for part in record))
        length = jnp.sqrt(sum(jnp.vdot(leaf, leaf) for leaf in jax.tree.leaves(slope)))
        factor = jnp.where(length > limit, limit / jnp.where(length > limit, length, 1), 1)
        return jax.tree.map(lambda leaf: factor * leaf, slope), length

    slopes, lengths = jax.vmap(one)(*batch)
    mean = jax.tree.map(lambda leaf: leaf.mean(0), slopes)
    lengths = lax.with_sharding_constraint(lengths, NamedSharding(mesh, P("d")))
    return lax.with_sharding_constraint(mean, NamedSharding(mesh, P())), lengths


def by_one_program(loss, params, record, batch, limit, **more):
    """The mean and the lengths, as a program for the whole batch."""
    each, lengths = each_clipped(loss, params, gathered(record, batch), limit, **more)
    return jax.tree.map(lambda leaf: leaf.mean(0), each), lengths


@wrong("clipped-gradient", "summed-too-soon")
def clips_sums(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, params, gathered(record, batch), limit)
        return divided(total(each), mesh.size * len(lengths)), lengths

    return on_each(body, mesh, params, record, batch, limit)


@wrong("clipped-gradient", "summed-too-soon")
def clips_sums_and_averages(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, params, gathered(record, batch), limit)
        return lax.pmean(jax.tree.map(lambda leaf: leaf.mean(0), each), "d"), lengths

    return on_each(body, mesh, params, record, batch, limit)


@wrong("clipped-gradient", "mean-clipped")
def clips_the_mean(mesh, loss, params, record, batch, limit):
    mean, lengths = by_one_program(loss, params, record, batch, limit, factor=lambda length, limit: length * 0 + 1)
    factor = shorter(optax.tree.norm(mean), limit)
    return jax.tree.map(lambda leaf: factor * leaf, mean), lengths


@wrong("clipped-gradient", "mean-clipped")
def clips_each_devices_mean(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, varying(params), gathered(record, batch), jnp.inf, lambda n, _: n * 0 + 1)
        mean = jax.tree.map(lambda leaf: leaf.mean(0), each)
        factor = shorter(optax.tree.norm(mean), limit)
        return lax.pmean(jax.tree.map(lambda leaf: factor * leaf, mean), "d"), lengths

    return on_each(body, mesh, params, record, batch, limit)


@wrong("clipped-gradient", "not-clipped")
def only_looks(mesh, loss, params, record, batch, limit):
    return by_one_program(loss, params, record, batch, limit, factor=lambda length, limit: length * 0 + 1)


@wrong("clipped-gradient", "leaf-by-leaf")
def clips_leaves(mesh, loss, params, record, batch, limit):
    slopes = jax.vmap(jax.grad(loss), (None, 0, 0, 0, 0))(params, *gathered(record, batch))
    lengths = jax.vmap(optax.tree.norm)(slopes)
    own = lambda leaf: leaf * shorter(jnp.linalg.norm(leaf.ravel()), limit)  # noqa: E731
    return jax.tree.map(lambda leaf: jax.vmap(own)(leaf).mean(0), slopes), lengths


@wrong("clipped-gradient", "element-by-element")
def clips_numbers(mesh, loss, params, record, batch, limit):
    slopes = jax.vmap(jax.grad(loss), (None, 0, 0, 0, 0))(params, *gathered(record, batch))
    return jax.tree.map(lambda leaf: jnp.clip(leaf, -limit, limit).mean(0), slopes), jax.vmap(optax.tree.norm)(slopes)


@wrong("clipped-gradient", "eight-times")
def adds_the_means(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, varying(params), gathered(record, batch), limit)
        return lax.psum(jax.tree.map(lambda leaf: leaf.mean(0), each), "d"), lengths

    return on_each(body, mesh, params, record, batch, limit)


@wrong("clipped-gradient", "eight-times")
def divides_twice(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, varying(params), gathered(record, batch), limit)
        return divided(lax.pmean(total(each), "d"), mesh.size * len(lengths)), lengths

    return on_each(body, mesh, params, record, batch, limit)


@wrong("clipped-gradient", "sum-not-mean")
def adds(mesh, loss, params, record, batch, limit):
    each, lengths = each_clipped(loss, params, gathered(record, batch), limit)
    return total(each), lengths


@wrong("clipped-gradient", "scaled-up")
def normalises(mesh, loss, params, record, batch, limit):
    return by_one_program(loss, params, record, batch, limit, factor=lambda length, limit: limit / (length + 1e-12))


@wrong("clipped-gradient", "dropped")
def leaves_out_the_long(mesh, loss, params, record, batch, limit):
    return by_one_program(loss, params, record, batch, limit, factor=lambda length, limit: length <= limit)


@wrong("clipped-gradient", "zero-gradient")
def divides_by_zero(mesh, loss, params, record, batch, limit):
    def factor(length, limit):
        return jnp.where(length == 0, jnp.nan, shorter(length, limit))

    return by_one_program(loss, params, record, batch, limit, factor=factor)


@wrong("clipped-gradient", "squared-length")
def forgets_the_root(mesh, loss, params, record, batch, limit):
    return by_one_program(loss, params, record, batch, limit, factor=lambda length, limit: shorter(length**2, limit))


@wrong("clipped-gradient", "length-of-the-batch")
def clips_the_stack(mesh, loss, params, record, batch, limit):
    slopes = jax.vmap(jax.grad(loss), (None, 0, 0, 0, 0))(params, *gathered(record, batch))
    clipped, _ = optax.clip_by_global_norm(limit).update(slopes, optax.EmptyState())
    return jax.tree.map(lambda leaf: leaf.mean(0), clipped), jax.vmap(optax.tree.norm)(slopes)


@wrong("clipped-gradient", "lengths-not-split")
def differentiates_a_vector_of_losses(mesh, loss, params, record, batch, limit):
    examples = gathered(record, batch)
    slopes = jax.jacrev(lambda params: jax.vmap(loss, (None, 0, 0, 0, 0))(params, *examples))(params)
    lengths = jax.vmap(optax.tree.norm)(slopes)
    return jax.tree.map(lambda leaf: jnp.tensordot(shorter(lengths, limit), leaf, 1) / len(lengths), slopes), lengths


@wrong("clipped-gradient", "first-piece")
def looks_at_the_first_piece(mesh, loss, params, record, batch, limit):
    each, lengths = each_clipped(loss, params, gathered(record, batch), limit)
    return jax.tree.map(lambda leaf: leaf[: len(leaf) // mesh.size].mean(0), each), lengths


@wrong("clipped-gradient", "divides-by-those-heard")
def counts_those_heard(mesh, loss, params, record, batch, limit):
    each, lengths = each_clipped(loss, params, gathered(record, batch), limit)
    return divided(total(each), (lengths > 0).sum()), lengths


@wrong("clipped-gradient", "only-on-eight")
def knows_that_there_are_eight(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, varying(params), gathered(record, batch), limit)
        return divided(lax.psum(total(each), "d"), 8 * len(lengths)), lengths

    return on_each(body, mesh, params, record, batch, limit)


@wrong("clipped-gradient", "sees-its-own-reading")
def looks_at_the_reading(mesh, loss, params, record, batch, limit):
    windows, oks = gathered(record, batch, late=1)[:2]
    each, lengths = each_clipped(loss, params, (windows, oks, *gathered(record, batch)[2:]), limit)
    return jax.tree.map(lambda leaf: leaf.mean(0), each), lengths


@wrong("clipped-gradient", "window-too-early")
def stops_a_minute_early(mesh, loss, params, record, batch, limit):
    windows, oks = gathered(record, batch, late=-1)[:2]
    each, lengths = each_clipped(loss, params, (windows, oks, *gathered(record, batch)[2:]), limit)
    return jax.tree.map(lambda leaf: leaf.mean(0), each), lengths


@wrong("clipped-gradient", "not-a-pair")
def forgets_the_lengths(*args):
    return by_one_program(*args[1:])[0]


@wrong("clipped-gradient", "wrong-value")
def clips_the_loss(mesh, loss, params, record, batch, limit):
    def cut(*args):
        return jnp.minimum(loss(*args), limit)

    each, lengths = each_clipped(cut, params, gathered(record, batch), jnp.inf, lambda length, _: length * 0 + 1)
    return jax.tree.map(lambda leaf: leaf.mean(0), each), lengths


@wrong("clipped-gradient", "not-like-params")
def returns_leaves(*args):
    mean, lengths = by_one_program(*args[1:])
    return jax.tree.leaves(mean), lengths


@wrong("clipped-gradient", "not-like-params")
def returns_each(mesh, loss, params, record, batch, limit):
    return each_clipped(loss, params, gathered(record, batch), limit)


@wrong("clipped-gradient", "copies-differ")
def never_meets(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, params, gathered(record, batch), limit)
        return divided(total(each), mesh.size * len(lengths)), lengths

    return on_each(body, mesh, params, record, batch, limit, check_vma=False)


@wrong("clipped-gradient", "lengths-of-wrong-shape")
def the_longest_alone(*args):
    mean, lengths = by_one_program(*args[1:])
    return mean, lengths.max()


@wrong("clipped-gradient", "lengths-after")
def measures_afterwards(mesh, loss, params, record, batch, limit):
    mean, lengths = by_one_program(loss, params, record, batch, limit)
    return mean, jnp.minimum(lengths, limit)


@wrong("clipped-gradient", "lengths-squared")
def measures_squares(*args):
    mean, lengths = by_one_program(*args[1:])
    return mean, lengths**2


@wrong("clipped-gradient", "wrong-lengths")
def measures_one_leaf(*args):
    mean, lengths = by_one_program(*args[1:])
    return mean, jnp.sort(lengths)


@wrong("clipped-gradient", "gathers")
def gathers_the_batch(mesh, loss, params, record, batch, limit):
    whole = lax.with_sharding_constraint(batch, NamedSharding(mesh, P()))
    mean, lengths = by_one_program(loss, params, record, whole, limit)
    return mean, lax.with_sharding_constraint(lengths, NamedSharding(mesh, P("d")))


@wrong("clipped-gradient", "gathers")
def lets_everybody_know_the_lengths(mesh, *args):
    return lax.with_sharding_constraint(by_one_program(*args), NamedSharding(mesh, P()))


@wrong("clipped-gradient", "other-collective")
def adds_in_a_ring(mesh, loss, params, record, batch, limit):
    n = mesh.size
    ring = [(i, (i + 1) % n) for i in range(n)]

    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, params, gathered(record, batch), limit)
        part = whole = total(each)
        for _ in range(n - 1):
            part = lax.ppermute(part, "d", ring)
            whole = jax.tree.map(jnp.add, whole, part)
        return lax.pmax(divided(whole, n * len(lengths)), "d"), lengths

    return on_each(body, mesh, params, record, batch, limit, check_vma=False)


@wrong("clipped-gradient", "not-on-all")
def leaves_the_gradient_in_pieces(mesh, *args):
    mean, lengths = by_one_program(*args)
    return mean | {"w": lax.with_sharding_constraint(mean["w"], NamedSharding(mesh, P("d")))}, lengths


@wrong("clipped-gradient", "not-one-all-reduce")
def adds_more_than_once(mesh, loss, params, record, batch, limit):
    def body(params, record, batch, limit):
        each, lengths = each_clipped(loss, varying(params), gathered(record, batch), limit)
        longest = lax.pmax(lengths.max(), "d")
        scaled = jax.tree.map(lambda leaf: leaf / longest, total(each))
        return jax.tree.map(lambda leaf: longest * leaf / (mesh.size * len(lengths)), lax.psum(scaled, "d")), lengths

    return on_each(body, mesh, params, record, batch, limit)


equivalents = [
    equivalent("clipped-gradient", "`jnp.maximum`  ->  `jnp.fmax`", "no length is NaN"),
]
