"""Answers to independent-pair."""

import functools

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("independent-pair")
def cuts_one_draw_in_two(key, n):
    return list(jax.random.normal(key, (2, n)))


@right("independent-pair")
@functools.partial(jax.jit, static_argnums=1)
def folds_two_numbers_in(key, n):
    return tuple(jax.random.normal(jax.random.fold_in(key, i), n) for i in (3, 4))


@wrong("independent-pair", "key-reused")
def draws_twice(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(key, (n,))


@wrong("independent-pair", "key-reused")
def draws_with_the_parent(key, n):
    child, _ = jax.random.split(key)
    return jax.random.normal(key, (n,)), jax.random.normal(child, (n,))


@wrong("independent-pair", "key-reused")
def draws_and_folds(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(jax.random.fold_in(key, 1), (n,))


@wrong("independent-pair", "key-reused")
def draws_a_longer_one(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(key, (2 * n,))[n:]


@wrong("independent-pair", "key-reused")
def goes_through_numpy_twice(key, n):
    return np.asarray(jax.random.normal(key, (n,))), np.asarray(jax.random.uniform(key, (n,)))


@wrong("independent-pair", "key-reused")
def folds_the_same_number_in(key, n):
    return tuple(jax.random.normal(jax.random.fold_in(key, n), (n,)) for _ in range(2))


@wrong("independent-pair", "key-reused")
def splits_and_folds(key, n):
    by_split = jax.random.split(key)[0]
    return jax.random.normal(by_split, (n,)), jax.random.normal(jax.random.fold_in(key, 0), (n,))


@wrong("independent-pair", "key-reused")
def splits_in_two_ways(key, n):
    return jax.random.normal(jax.random.split(key)[1], (n,)), jax.random.normal(jax.random.split(key, 3)[2], (n,))


@wrong("independent-pair", "dependent")
def cuts_overlapping_windows(key, n):
    sample = jax.random.normal(key, (n + 1,))
    return sample[:-1], sample[1:]


@wrong("independent-pair", "dependent")
def turns_the_sign(key, n):
    sample = jax.random.normal(key, (n,))
    return sample, -sample


@wrong("independent-pair", "dependent")
def turns_some_signs(key, n):
    one, two = jax.random.split(key)
    sample = jax.random.normal(one, (n,))
    return sample, sample * jax.random.rademacher(two, (n,), sample.dtype)


@wrong("independent-pair", "dependent")
def shuffles(key, n):
    one, two = jax.random.split(key)
    sample = jax.random.normal(one, (n,))
    return sample, jax.random.permutation(two, sample)


@wrong("independent-pair", "dependent")
def sorts_one_of_them(key, n):
    first, second = jax.random.normal(key, (2, n))
    return first, jnp.sort(second)


@wrong("independent-pair", "leaves-jax")
def seeds_numpy_with_the_key(key, n):
    generator = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    return generator.normal(size=n), generator.normal(size=n)


@wrong("independent-pair", "hidden-state")
def goes_to_numpy(key, n):
    return np.random.normal(size=n), np.random.normal(size=n)


@wrong("independent-pair", "key-ignored")
def makes_keys_of_its_own(key, n):
    return jax.random.normal(jax.random.key(0), (n,)), jax.random.normal(jax.random.key(1), (n,))


@wrong("independent-pair", "key-ignored")
def makes_one_key_of_its_own(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(jax.random.key(1), (n,))


@wrong("independent-pair", "wrong-value")
def draws_uniformly(key, n):
    first, second = jax.random.split(key)
    return jax.random.uniform(first, (n,)), jax.random.uniform(second, (n,))


@wrong("independent-pair", "wrong-value")
def draws_with_other_tails(key, n):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (n,)), jax.random.laplace(second, (n,)) / 2**0.5


@wrong("independent-pair", "dependent")
def removes_the_correlation(key, n):
    x, y = jax.random.normal(key, (2, n))
    return x, y - (x @ y) / (x @ x) * x


@wrong("independent-pair", "standardised")
def makes_the_mean_zero(key, n):
    sample = jax.random.normal(key, (2, n))
    return tuple((sample - sample.mean(axis=1, keepdims=True)) / sample.std(axis=1, keepdims=True))


@wrong("independent-pair", "wrong-shape")
def draws_one_only(key, n):
    return jax.random.normal(key, (n,))


@wrong("independent-pair", "wrong-shape")
def loses_the_axis_of_one(key, n):
    return jnp.squeeze(jax.random.normal(key, (2, n)))
