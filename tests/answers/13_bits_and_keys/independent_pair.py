"""Answers to independent-pair."""

import functools

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("independent-pair")
def cuts_one_draw_in_two(key, n):
    now, later = jax.random.split(key)
    return [*jax.random.normal(now, (2, n)), later]


@right("independent-pair")
@functools.partial(jax.jit, static_argnums=1)
def folds_three_numbers_in(key, n):
    first, second, later = (jax.random.fold_in(key, i) for i in (3, 4, 5))
    return jax.random.normal(first, n), jax.random.normal(second, n), later


@right("independent-pair")
def splits_whenever_it_draws(key, n):
    key, own = jax.random.split(key)
    x = jax.random.normal(own, (n,))
    key, own = jax.random.split(key)
    return x, jax.random.normal(own, (n,)), key


@right("independent-pair")
def folds_numbers_in_that_never_meet(key, n):
    first, second, later = (jax.random.fold_in(key, i) for i in (n, n + 1, 2 * n + 2))
    return jax.random.normal(first, n), jax.random.normal(second, n), later


@wrong("independent-pair", "key-reused")
def folds_in_a_length_that_may_be_one(key, n):
    first, second, later = (jax.random.fold_in(key, i) for i in (n, 1, 0))
    return jax.random.normal(first, n), jax.random.normal(second, n), later


@wrong("independent-pair", "wrong-form")
def as_the_cell_above(key, n):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (n,)), jax.random.normal(second, (n,))


@wrong("independent-pair", "handed-on-used")
def hands_on_the_key_that_came(key, n):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (n,)), jax.random.normal(second, (n,)), key


@wrong("independent-pair", "handed-on-used")
def hands_on_a_key_that_was_drawn_from(key, n):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (n,)), jax.random.normal(second, (n,)), second


@wrong("independent-pair", "handed-on-used")
def hands_on_what_it_folds_in_again(key, n):
    first, second = (jax.random.fold_in(key, i) for i in (1, 2))
    return jax.random.normal(first, (n,)), jax.random.normal(second, (n,)), jax.random.fold_in(key, 2)


@wrong("independent-pair", "later-ignores-the-key")
def hands_on_a_key_of_its_own(key, n):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (n,)), jax.random.normal(second, (n,)), jax.random.key(1)


@wrong("independent-pair", "wrong-form")
def hands_on_two_keys(key, n):
    now, *later = jax.random.split(key, 3)
    return *jax.random.normal(now, (2, n)), jnp.stack(later)


@wrong("independent-pair", "wrong-form")
def hands_on_the_words_of_a_key(key, n):
    now, later = jax.random.split(key)
    return *jax.random.normal(now, (2, n)), jax.random.key_data(later)


def with_a_key(pair):
    """An answer that draws in its own way, and hands on a key that nobody has used."""

    @functools.wraps(pair)
    def drawn(key, n):
        key, later = jax.random.split(key)
        x, y = pair(key, n)
        return x, y, later

    return drawn


@wrong("independent-pair", "key-reused")
@with_a_key
def draws_twice(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(key, (n,))


@wrong("independent-pair", "key-reused")
@with_a_key
def draws_with_the_parent(key, n):
    child, _ = jax.random.split(key)
    return jax.random.normal(key, (n,)), jax.random.normal(child, (n,))


@wrong("independent-pair", "key-reused")
@with_a_key
def draws_and_folds(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(jax.random.fold_in(key, 1), (n,))


@wrong("independent-pair", "key-reused")
@with_a_key
def draws_a_longer_one(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(key, (2 * n,))[n:]


@wrong("independent-pair", "key-reused")
@with_a_key
def goes_through_numpy_twice(key, n):
    return np.asarray(jax.random.normal(key, (n,))), np.asarray(jax.random.uniform(key, (n,)))


@wrong("independent-pair", "key-reused")
@with_a_key
def folds_the_same_number_in(key, n):
    return tuple(jax.random.normal(jax.random.fold_in(key, n), (n,)) for _ in range(2))


@wrong("independent-pair", "key-reused")
@with_a_key
def splits_and_folds(key, n):
    by_split = jax.random.split(key)[0]
    return jax.random.normal(by_split, (n,)), jax.random.normal(jax.random.fold_in(key, 0), (n,))


@wrong("independent-pair", "key-reused")
@with_a_key
def splits_in_two_ways(key, n):
    return jax.random.normal(jax.random.split(key)[1], (n,)), jax.random.normal(jax.random.split(key, 3)[2], (n,))


@wrong("independent-pair", "dependent")
@with_a_key
def cuts_overlapping_windows(key, n):
    sample = jax.random.normal(key, (n + 1,))
    return sample[:-1], sample[1:]


@wrong("independent-pair", "dependent")
@with_a_key
def turns_the_sign(key, n):
    sample = jax.random.normal(key, (n,))
    return sample, -sample


@wrong("independent-pair", "dependent")
@with_a_key
def turns_some_signs(key, n):
    one, two = jax.random.split(key)
    sample = jax.random.normal(one, (n,))
    return sample, sample * jax.random.rademacher(two, (n,), sample.dtype)


@wrong("independent-pair", "dependent")
@with_a_key
def shuffles(key, n):
    one, two = jax.random.split(key)
    sample = jax.random.normal(one, (n,))
    return sample, jax.random.permutation(two, sample)


@wrong("independent-pair", "dependent")
@with_a_key
def sorts_one_of_them(key, n):
    first, second = jax.random.normal(key, (2, n))
    return first, jnp.sort(second)


@wrong("independent-pair", "leaves-jax")
@with_a_key
def seeds_numpy_with_the_key(key, n):
    generator = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    return generator.normal(size=n), generator.normal(size=n)


@wrong("independent-pair", "hidden-state")
@with_a_key
def goes_to_numpy(key, n):
    return np.random.normal(size=n), np.random.normal(size=n)


@wrong("independent-pair", "key-ignored")
@with_a_key
def makes_keys_of_its_own(key, n):
    return jax.random.normal(jax.random.key(0), (n,)), jax.random.normal(jax.random.key(1), (n,))


@wrong("independent-pair", "key-ignored")
@with_a_key
def makes_one_key_of_its_own(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(jax.random.key(1), (n,))


@wrong("independent-pair", "few-values")
@with_a_key
def tosses_coins(key, n):
    first, second = jax.random.split(key)
    return jax.random.rademacher(first, (n,)), jax.random.rademacher(second, (n,))


@wrong("independent-pair", "few-values")
@with_a_key
def draws_in_half_precision(key, n):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (n,), jnp.bfloat16), jax.random.normal(second, (n,), jnp.bfloat16)


@wrong("independent-pair", "wrong-value")
@with_a_key
def draws_uniformly(key, n):
    first, second = jax.random.split(key)
    return jax.random.uniform(first, (n,)), jax.random.uniform(second, (n,))


@wrong("independent-pair", "wrong-value")
@with_a_key
def draws_with_other_tails(key, n):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (n,)), jax.random.laplace(second, (n,)) / 2**0.5


@wrong("independent-pair", "dependent")
@with_a_key
def removes_the_correlation(key, n):
    x, y = jax.random.normal(key, (2, n))
    return x, y - (x @ y) / (x @ x) * x


@wrong("independent-pair", "standardised")
@with_a_key
def makes_the_mean_zero(key, n):
    sample = jax.random.normal(key, (2, n))
    return tuple((sample - sample.mean(axis=1, keepdims=True)) / sample.std(axis=1, keepdims=True))


@wrong("independent-pair", "wrong-form")
def draws_one_only(key, n):
    return jax.random.normal(key, (n,))


@wrong("independent-pair", "wrong-shape")
@with_a_key
def loses_the_axis_of_one(key, n):
    return jnp.squeeze(jax.random.normal(key, (2, n)))


@wrong("independent-pair", "leaves-jax")
def gives_samples_of_numpy(key, n):
    first, second, later = jax.random.split(key, 3)
    return np.asarray(jax.random.normal(first, (n,))), np.asarray(jax.random.normal(second, (n,))), later
