"""Answers to noise-of-ones-own."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy.special import ndtri
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong

from .._lesson import mapped


def noisy(mesh, body, *args):
    """Noise by a body."""
    return mapped(mesh, body, (P(), P("x")), P("x"))(*args)


@right("noise-of-ones-own")
def one_key_for_each(mesh, key, x):
    keys = jax.random.split(key, mesh.shape["x"])
    return mapped(mesh, lambda k, x: x + jax.random.normal(k[0], x.shape), (P("x"), P("x")), P("x"))(keys, x)


@right("noise-of-ones-own")
def splits_inside(mesh, key, x):
    n = mesh.shape["x"]
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.split(k, n)[lax.axis_index("x")], x.shape), key, x)


@wrong("noise-of-ones-own", "same-on-all-devices")
def one_key_for_all(mesh, key, x):
    def body(key, x):
        return x + jax.random.normal(key, x.shape)

    specs = {"in_specs": (P(), P("x")), "out_specs": P("x")}
    return jax.shard_map(body, mesh=mesh, **specs)(key, x)


@wrong("noise-of-ones-own", "same-on-all-devices")
def splits_the_same_on_all(mesh, key, x):
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.split(k)[1], x.shape), key, x)


@wrong("noise-of-ones-own", "key-ignored")
def seeds_by_number(mesh, key, x):
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.key(lax.axis_index("x")), x.shape), key, x)


@wrong("noise-of-ones-own", "keys-overlap")
def counts_on_from_the_seed(mesh, key, x):
    def body(k, x):
        seed = jax.random.key_data(k)[1] + lax.axis_index("x").astype(jnp.uint32)
        return x + jax.random.normal(jax.random.key(seed), x.shape)

    return noisy(mesh, body, key, x)


@wrong("noise-of-ones-own", "hidden-state")
def counts_its_calls(mesh, key, x):
    CALLS.append(key)
    key = jax.random.fold_in(key, len(CALLS))
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.fold_in(k, lax.axis_index("x")), x.shape), key, x)


CALLS = []


@wrong("noise-of-ones-own", "repeats")
def one_number_for_each_device(mesh, key, x):
    return noisy(mesh, lambda k, x: x + jax.random.normal(jax.random.fold_in(k, lax.axis_index("x"))), key, x)


@wrong("noise-of-ones-own", "not-normal")
def uniform_noise(mesh, key, x):
    return noisy(mesh, lambda k, x: x + jax.random.uniform(jax.random.fold_in(k, lax.axis_index("x")), x.shape), key, x)


@wrong("noise-of-ones-own", "not-normal")
def noise_that_is_too_strong(mesh, key, x):
    return x + 1.1 * (one_key_for_each.answer(mesh, key, x) - x)


@wrong("noise-of-ones-own", "neighbours-alike")
def averages_neighbours(mesh, key, x):
    noise = one_key_for_each.answer(mesh, key, x) - x
    return x + (noise + jnp.roll(noise, 1)) / jnp.sqrt(2.0)


@wrong("noise-of-ones-own", "one-draw-changed")
def turns_the_sign_over(mesh, key, x):
    def body(k, x):
        here = lax.axis_index("x")
        return x + jax.random.normal(jax.random.fold_in(k, here // 2), x.shape) * (1 - 2 * (here % 2))

    return noisy(mesh, body, key, x)


@wrong("noise-of-ones-own", "not-split")
def collects_the_noise(mesh, key, x):
    whole = jax.sharding.NamedSharding(mesh, P())
    return lax.with_sharding_constraint(one_key_for_each.answer(mesh, key, x), whole)


@wrong("noise-of-ones-own", "not-mapped")
def whole_under_jit(mesh, key, x):
    return x + jax.random.normal(key, x.shape)


@wrong("noise-of-ones-own", "draws-for-all")
def draws_all_and_cuts(mesh, key, x):
    length = x.shape[0]

    def body(k, x):
        here = lax.axis_index("x") * x.shape[0]
        return x + lax.dynamic_slice_in_dim(jax.random.normal(k, (length,)), here, x.shape[0])

    return noisy(mesh, body, key, x)


@wrong("noise-of-ones-own", "draws-for-all")
def draws_all_by_another_generator(mesh, key, x):
    length = x.shape[0]

    def body(k, x):
        words = jnp.tile(jax.random.key_data(k), 2)
        bits = lax.rng_bit_generator(words, (length,), dtype=jnp.uint32)[1]
        noise = ndtri((bits.astype(jnp.float32) + 0.5) / 2.0**32)
        return x + lax.dynamic_slice_in_dim(noise, lax.axis_index("x") * x.shape[0], x.shape[0])

    return noisy(mesh, body, key, x)


@wrong("noise-of-ones-own", "x-lost")
def returns_the_noise(mesh, key, x):
    return noisy(mesh, lambda k, x: jax.random.normal(jax.random.fold_in(k, lax.axis_index("x")), x.shape), key, x)


@wrong("noise-of-ones-own", "no-noise")
def multiplies_by_the_noise(mesh, key, x):
    def body(k, x):
        return x * jax.random.normal(jax.random.fold_in(k, lax.axis_index("x")), x.shape)

    return mapped(mesh, body, (P(), P("x")), P("x"))(key, x)


@wrong("noise-of-ones-own", "repeats")
def noise_of_few_digits(mesh, key, x):
    def body(k, x):
        return x + jax.random.normal(jax.random.fold_in(k, lax.axis_index("x")), x.shape, jnp.bfloat16)

    return mapped(mesh, body, (P(), P("x")), P("x"))(key, x)


@wrong("noise-of-ones-own", "draws-for-all")
def draws_two_numbers_for_one(mesh, key, x):
    def body(k, x):
        first, second = jax.random.uniform(jax.random.fold_in(k, lax.axis_index("x")), (2, *x.shape), minval=1e-7)
        return x + jnp.sqrt(-2 * jnp.log(first)) * jnp.cos(2 * jnp.pi * second)

    return mapped(mesh, body, (P(), P("x")), P("x"))(key, x)


equivalents = [
    equivalent(
        "noise-of-ones-own",
        "`x + jax.random.normal(own, x.shape)`  ->  `x - jax.random.normal(own, x.shape)`",
        "minus a standard normal number is one too",
    ),
]


@wrong("noise-of-ones-own", "returned-nothing")
def forgets_to_return(mesh, key, x):
    own_noise = mapped(mesh, lambda key, x: x + normal_on_each(key, x), (P(), P("x")), P("x"))
    own_noise(key, x)


@wrong("noise-of-ones-own", "returned-nothing")
def forgets_to_return_in_the_body(mesh, key, x):
    def body(key, x):
        x + normal_on_each(key, x)  # noqa: B018

    return mapped(mesh, body, (P(), P("x")), P("x"))(key, x)


@wrong("noise-of-ones-own", "no-such-axis")
def asks_for_an_axis_that_is_not_there(mesh, key, x):
    return mapped(mesh, lambda key, x: x + normal_on_each(key, x, "rows"), (P(), P("x")), P("x"))(key, x)


@wrong("noise-of-ones-own", "no-such-axis")
def splits_along_an_axis_that_is_not_there(mesh, key, x):
    return mapped(mesh, lambda key, x: x + normal_on_each(key, x), (P(), P("rows")), P("rows"))(key, x)


def normal_on_each(key, x, axis="x"):
    """Noise of each device's own."""
    return jax.random.normal(jax.random.fold_in(key, lax.axis_index(axis)), x.shape)
