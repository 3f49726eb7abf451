"""Answers to data-parallel-step."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong

from .._lesson import mapped
from ._lesson import ring_sum

SPLIT = (P(), P("x"), P("x"), P("x"))


def step_of(mesh, body, *args, **more):
    """A step by a body."""
    return mapped(mesh, body, SPLIT, (P(), P()), **more)(*args)


def squares(params, x, y, valid):
    """The sum of the squares of the valid rows of one device."""
    return jnp.where(valid, (x @ params["w"] + params["b"] - y) ** 2, 0).sum()


def own_mean(params, x, y, valid):
    """The mean of the squares of the valid rows of one device."""
    return squares(params, x, y, valid) / jnp.maximum(valid.sum(), 1)


def whole_mean(params, x, y, valid):
    """The mean of the squares of the valid rows of all devices, by collectives."""
    return lax.psum(squares(params, x, y, valid), "x") / lax.psum(valid.sum(), "x")


def moved(params, slopes, rate):
    """Parameters after a step."""
    return jax.tree.map(lambda p, g: p - rate * g, params, slopes)


@right("data-parallel-step")
def adds_gradients_without_the_check(mesh, params, x, y, valid, rate):
    def body(params, x, y, valid):
        value, slopes = lax.psum(jax.value_and_grad(squares)(params, x, y, valid), "x")
        count = lax.psum(valid.sum(), "x")
        return jax.tree.map(lambda p, g: p - rate * g / count, params, slopes), value / count

    return step_of(mesh, body, params, x, y, valid, check_vma=False)


@right("data-parallel-step")
def gradient_around_the_map(mesh, params, x, y, valid, rate):
    whole = mapped(mesh, whole_mean, SPLIT, P())
    value, slopes = jax.value_and_grad(whole)(params, x, y, valid)
    return [moved(params, slopes, rate), value]


@right("data-parallel-step")
def the_compilers_way(mesh, params, x, y, valid, rate):
    def mean(params):
        return squares(params, x, y, valid) / valid.sum()

    value, slopes = jax.value_and_grad(mean)(params)
    whole = jax.sharding.NamedSharding(mesh, P())
    return jax.tree.map(lambda a: lax.with_sharding_constraint(a, whole), (moved(params, slopes, rate), value))


@right("data-parallel-step")
def knows_that_gradients_are_summed(mesh, params, x, y, valid, rate):
    def body(params, x, y, valid):
        count = lax.psum(valid.sum(), "x")
        value, slopes = jax.value_and_grad(lambda p: squares(p, x, y, valid) / count)(params)
        return moved(params, slopes, rate), lax.psum(value, "x")

    return step_of(mesh, body, params, x, y, valid)


def step_by(mesh, params, x, y, valid, rate, loss):
    """A step along the gradient of a loss that is shared."""

    def body(params, x, y, valid):
        value, slopes = jax.value_and_grad(loss)(params, x, y, valid)
        return moved(params, slopes, rate), value

    return step_of(mesh, body, params, x, y, valid)


@wrong("data-parallel-step", "only-on-eight")
def takes_an_eighth_of_the_count(mesh, *args):
    count = lambda valid: 8 * lax.pmean(valid.sum(), "x")  # noqa: E731
    return step_by(mesh, *args, lambda p, x, y, v: lax.psum(squares(p, x, y, v), "x") / count(v))


@wrong("data-parallel-step", "mean-of-means")
def puts_the_mean_on_the_loss(mesh, params, x, y, valid, rate):
    def body(params, x, y, valid):
        def mean_loss(params):
            error = x @ params["w"] + params["b"] - y
            return lax.pmean((valid * error**2).sum() / valid.sum(), "x")

        value, slopes = jax.value_and_grad(mean_loss)(params)
        return moved(params, slopes, rate), value

    return step_of(mesh, body, params, x, y, valid)


@wrong("data-parallel-step", "mean-of-means")
def guards_against_nothing(mesh, *args):
    return step_by(mesh, *args, lambda *a: lax.pmean(own_mean(*a), "x"))


@wrong("data-parallel-step", "ignores-valid")
def takes_padding_for_data(mesh, params, x, y, valid, rate):
    return gradient_around_the_map.answer(mesh, params, x, y, valid | True, rate)


@wrong("data-parallel-step", "counts-the-invalid")
def the_mean_of_masked_squares(mesh, *args):
    return step_by(mesh, *args, lambda p, x, y, v: lax.pmean(squares(p, x, y, v) / len(y), "x"))


def step_beside(mesh, params, x, y, valid, rate, mend, share, loss=own_mean):
    """A step along gradients that are mended, and a loss that is shared, after the gradient was taken."""

    def body(params, x, y, valid):
        value, slopes = jax.value_and_grad(loss)(params, x, y, valid)
        return moved(params, mend(slopes), rate), share(value)

    return step_of(mesh, body, params, x, y, valid)


@wrong("data-parallel-step", "step-too-large")
def averages_the_gradient(mesh, *args):
    return step_beside(mesh, *args, lambda g: lax.pmean(g, "x"), lambda value: lax.pmean(value, "x"))


@wrong("data-parallel-step", "step-too-large")
def averages_the_loss_only(mesh, *args):
    return step_beside(mesh, *args, lambda g: g, lambda value: lax.pmean(value, "x"))


@wrong("data-parallel-step", "summed-loss")
def sums_the_means(mesh, *args):
    return step_by(mesh, *args, lambda *a: lax.psum(own_mean(*a), "x"))


@wrong("data-parallel-step", "summed-loss")
def divides_by_the_mean_count(mesh, *args):
    return step_by(mesh, *args, lambda p, x, y, v: lax.psum(squares(p, x, y, v), "x") / lax.pmean(v.sum(), "x"))


@wrong("data-parallel-step", "summed-twice")
def sums_the_gradients(mesh, *args):
    return step_beside(mesh, *args, lambda g: lax.psum(g, "x"), lambda value: lax.pmean(value, "x"))


@wrong("data-parallel-step", "copies-differ")
def never_meets(mesh, params, x, y, valid, rate):
    def body(params, x, y, valid):
        value, slopes = jax.value_and_grad(own_mean)(params, x, y, valid)
        return moved(params, slopes, rate), lax.pmean(value, "x")

    return step_of(mesh, body, params, x, y, valid, check_vma=False)


@wrong("data-parallel-step", "own-gradient")
def looks_at_its_first_part(mesh, params, x, y, valid, rate):
    part = len(y) // mesh.shape["x"]
    slopes = jax.grad(own_mean)(params, x[:part], y[:part], valid[:part])
    return moved(params, slopes, rate), own_mean(params, x, y, valid)


@wrong("data-parallel-step", "uphill")
def climbs(mesh, params, x, y, valid, rate):
    return gradient_around_the_map.answer(mesh, params, x, y, valid, -rate)


@wrong("data-parallel-step", "loss-after")
def looks_afterwards(mesh, params, x, y, valid, rate):
    params, _ = gradient_around_the_map.answer(mesh, params, x, y, valid, rate)
    return params, gradient_around_the_map.answer(mesh, params, x, y, valid, rate)[1]


@wrong("data-parallel-step", "not-a-pair")
def forgets_the_loss(mesh, *args):
    return gradient_around_the_map.answer(mesh, *args)[0]


@wrong("data-parallel-step", "wrong-value")
def a_rate_of_its_own(mesh, params, x, y, valid, rate):
    return gradient_around_the_map.answer(mesh, params, x, y, valid, 0.3)


@wrong("data-parallel-step", "gathers")
def gathers_the_batch(mesh, params, x, y, valid, rate):
    def body(params, *parts):
        whole = [lax.all_gather(part, "x", tiled=True) for part in parts]
        value, slopes = jax.value_and_grad(own_mean)(params, *whole)
        return moved(params, slopes, rate), value

    return step_of(mesh, body, params, x, y, valid, check_vma=False)


@wrong("data-parallel-step", "other-collective")
def sends_gradients_around(mesh, params, x, y, valid, rate):
    n = mesh.shape["x"]

    def body(params, x, y, valid):
        found = jax.value_and_grad(squares)(params, x, y, valid)
        count = lax.psum(valid.sum(), "x")
        # The sum is in another order on each device, so the copies are made equal again.
        value, slopes = jax.tree.map(lambda v: lax.pmax(ring_sum(v, n) / count, "x"), found)
        return moved(params, slopes, rate), value

    return step_of(mesh, body, params, x, y, valid, check_vma=False)


@wrong("data-parallel-step", "not-replicated")
def leaves_weights_in_pieces(mesh, *args):
    params, value = gradient_around_the_map.answer(mesh, *args)
    pieces = jax.sharding.NamedSharding(mesh, P("x"))
    return params | {"w": lax.with_sharding_constraint(params["w"], pieces)}, value


@wrong("data-parallel-step", "half-gradient")
def forgets_the_two(mesh, params, x, y, valid, rate):
    return gradient_around_the_map.answer(mesh, params, x, y, valid, rate / 2)


@wrong("data-parallel-step", "dtype")
def a_complex_loss(mesh, *args):
    params, value = gradient_around_the_map.answer(mesh, *args)
    return params, value.astype(jnp.complex64)


@wrong("data-parallel-step", "step-too-large")
def sums_both_without_the_check(mesh, params, x, y, valid, rate):
    def body(params, x, y, valid):
        value, slopes = jax.value_and_grad(whole_mean)(params, x, y, valid)
        return moved(params, lax.psum(slopes, "x"), rate), value

    return step_of(mesh, body, params, x, y, valid, check_vma=False)


@wrong("data-parallel-step", "own-gradient")
def takes_what_the_first_device_has(mesh, params, x, y, valid, rate):
    def body(params, x, y, valid):
        value, slopes = jax.value_and_grad(own_mean)(params, x, y, valid)
        return jax.tree.map(lambda leaf: leaf[None], (moved(params, slopes, rate), value))

    stacked = mapped(mesh, body, SPLIT, P("x"), check_vma=False)(params, x, y, valid)
    return jax.tree.map(lambda leaf: leaf[0], stacked)


@wrong("data-parallel-step", "uphill")
def turns_the_sign_of_the_errors(mesh, params, x, y, valid, rate):
    def body(params, x, y, valid):
        error = jnp.where(valid, y - x @ params["w"] - params["b"], 0)
        count = lax.psum(valid.sum(), "x")
        slopes = {"w": 2 * error @ x / count, "b": 2 * error.sum() / count}
        slopes, value = lax.psum((slopes, (error**2).sum() / count), "x")
        return moved(params, slopes, rate), value

    return step_of(mesh, body, params, x, y, valid)


equivalents = [
    equivalent(
        "data-parallel-step",
        "`x @ params['w'] + params['b'] - y`  ->  `y - (x @ params['w'] + params['b'])`",
        "the square is the same from both ends",
    ),
]


@wrong("data-parallel-step", "no-such-axis")
def averages_over_a_batch_of_another_name(mesh, params, x, y, valid, rate):
    def body(params, x, y, valid):
        value, slopes = lax.pmean(jax.value_and_grad(own_mean)(params, x, y, valid), "batch")
        return moved(params, slopes, rate), value

    return step_of(mesh, body, params, x, y, valid)
