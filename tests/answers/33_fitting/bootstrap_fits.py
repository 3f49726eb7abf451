"""Answers to bootstrap-fits."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def resampled(fit, x, y, key, draws, choose):
    """Bootstrap fits, by a rule that chooses the points of one sample."""

    def one(key):
        chosen = choose(key, x.size)
        return fit(x[chosen], y[chosen])

    return jax.vmap(one)(jax.random.split(key, draws))


def with_replacement(key, n):
    """The rule as it should be."""
    return jax.random.randint(key, (n,), 0, n)


@right("bootstrap-fits")
def draws_a_table_of_indices(fit, x, y, key, draws):
    chosen = jax.random.choice(key, len(x), (draws, len(x)))
    return jax.vmap(fit)(x[chosen], y[chosen])


@right("bootstrap-fits")
def folds_a_number_into_the_key(fit, x, y, key, draws):
    def one(i):
        chosen = jax.random.choice(jax.random.fold_in(key, i), x.size, x.shape)
        return fit(jnp.take(x, chosen), jnp.take(y, chosen))

    return jax.vmap(one)(jnp.arange(draws))


@right("bootstrap-fits")
def by_even_chances(fit, x, y, key, draws):
    chosen = jax.random.categorical(key, jnp.zeros(x.size), shape=(draws, x.size))
    return jax.vmap(fit)(x[chosen], y[chosen])


@right("bootstrap-fits")
def rounds_down(fit, x, y, key, draws):
    points = jnp.stack([x, y], axis=1)

    def one(key):
        chosen = jnp.floor(x.size * jax.random.uniform(key, x.shape)).astype(int)
        return fit(*points[jnp.minimum(chosen, x.size - 1)].T)

    return jax.lax.map(one, jax.random.split(key, draws))


@wrong("bootstrap-fits", "loops")
def loops_over_keys(fit, x, y, key, draws):
    fits = []
    for own in jax.random.split(key, draws):
        chosen = with_replacement(own, x.size)
        fits.append(fit(x[chosen], y[chosen]))
    return jnp.stack(fits)


@wrong("bootstrap-fits", "same-sample-each-time")
def one_key_for_all(fit, x, y, key, draws):
    return jax.vmap(lambda _: resampled(fit, x, y, key, 1, with_replacement)[0])(jnp.arange(draws))


@wrong("bootstrap-fits", "same-sample-each-time")
def shuffles_one_sample(fit, x, y, key, draws):
    once, again = jax.random.split(key)
    chosen = with_replacement(once, x.size)
    return resampled(fit, x[chosen], y[chosen], again, draws, jax.random.permutation)


@wrong("bootstrap-fits", "pairs-torn")
def draws_x_and_y_apart(fit, x, y, key, draws):
    def one(key):
        first, second = jax.random.split(key)
        return fit(jax.random.choice(first, x, x.shape), jax.random.choice(second, y, y.shape))

    return jax.vmap(one)(jax.random.split(key, draws))


@wrong("bootstrap-fits", "pairs-torn")
def draws_y_only(fit, x, y, key, draws):
    return jax.vmap(lambda key: fit(x, y[with_replacement(key, y.size)]))(jax.random.split(key, draws))


@wrong("bootstrap-fits", "without-replacement")
def shuffles(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, jax.random.permutation)


@wrong("bootstrap-fits", "far-points-never-drawn")
def draws_small_numbers(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jax.random.bits(key, (n,), "uint8") % n)


@wrong("bootstrap-fits", "key-ignored")
def uses_half_of_the_key(fit, x, y, key, draws):
    return resampled(fit, x, y, jax.random.key(jax.random.key_data(key)[-1]), draws, with_replacement)


@wrong("bootstrap-fits", "point-never-drawn")
def end_not_included(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jax.random.randint(key, (n,), 0, max(n - 1, 1)))


@wrong("bootstrap-fits", "point-never-drawn")
def begins_at_one(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jax.random.randint(key, (n,), min(1, n - 1), n))


@wrong("bootstrap-fits", "uneven")
def end_included(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jax.random.randint(key, (n,), 0, n + 1))


@wrong("bootstrap-fits", "draws-depend")
def pairs_of_neighbours(fit, x, y, key, draws):
    def choose(key, n):
        first = jax.random.randint(key, ((n + 1) // 2, 1), 0, n)
        return ((first + jnp.arange(2)) % n).ravel()[:n]

    return resampled(fit, x, y, key, draws, choose)


@wrong("bootstrap-fits", "without-replacement")
def turns_the_data(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: (jax.random.randint(key, (), 0, n) + jnp.arange(n)) % n)


@wrong("bootstrap-fits", "key-ignored")
def keys_of_its_own(fit, x, y, key, draws):
    return resampled(fit, x, y, jax.random.key(0), draws, with_replacement)


@wrong("bootstrap-fits", "key-ignored")
def counts_on_from_the_key(fit, x, y, key, draws):
    def one(number):
        chosen = with_replacement(jax.random.wrap_key_data(jax.random.key_data(key).at[1].add(number)), x.size)
        return fit(x[chosen], y[chosen])

    return jax.vmap(one)(jnp.arange(draws, dtype="uint32"))


@wrong("bootstrap-fits", "data-as-a-sample")
def begins_with_the_data(fit, x, y, key, draws):
    chosen = jax.random.randint(key, (draws, x.size), 0, x.size).at[0].set(jnp.arange(x.size))
    return jax.vmap(fit)(x[chosen], y[chosen])


@wrong("bootstrap-fits", "draws-depend")
def blocks_of_neighbours(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: (jax.random.randint(key, (), 0, n) + jnp.arange(n) // 2) % n)


@wrong("bootstrap-fits", "draws-depend")
def mirrors_every_other_sample(fit, x, y, key, draws):
    chosen = jax.random.randint(key, (draws, x.size), 0, x.size)
    half = chosen[: (draws + 1) // 2]
    chosen = jnp.stack([half, x.size - 1 - half], 1).reshape(-1, x.size)[:draws]
    return jax.vmap(fit)(x[chosen], y[chosen])


@wrong("bootstrap-fits", "draws-depend")
def often_follows_an_earlier_draw(fit, x, y, key, draws):
    def choose(key, n):
        first, again = jax.random.split(key)
        drawn = jax.random.randint(first, (n,), 0, n)
        follows = (jnp.arange(n) >= n - n // 2) & jax.random.bernoulli(again, 0.45, (n,))
        return jnp.where(follows, (3 * jnp.roll(drawn, n // 2) + 1) % n, drawn)

    return resampled(fit, x, y, key, draws, choose)


@wrong("bootstrap-fits", "one-deck")
def deals_a_shuffled_deck(fit, x, y, key, draws):
    deck = jax.random.permutation(key, jnp.tile(jnp.arange(x.size), draws))
    chosen = deck.reshape(draws, x.size)
    return jax.vmap(fit)(x[chosen], y[chosen])


@wrong("bootstrap-fits", "hidden-state")
def draws_with_numpy(fit, x, y, key, draws):
    chosen = np.random.default_rng().integers(0, x.size, (draws, x.size))
    return jax.vmap(fit)(x[chosen], y[chosen])


@wrong("bootstrap-fits", "sample-of-other-size")
def half_as_many(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jax.random.randint(key, (max(n // 2, 1),), 0, n))


@wrong("bootstrap-fits", "not-a-table")
def spread_of_the_fits(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, with_replacement).std(axis=0)


@wrong("bootstrap-fits", "transposed")
def one_column_each(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, with_replacement).T


@wrong("bootstrap-fits", "uneven")
def rounds_to_the_nearest(fit, x, y, key, draws):
    def choose(key, n):
        return jnp.round(jax.random.uniform(key, (n,)) * (n - 1)).astype(int)

    return resampled(fit, x, y, key, draws, choose)


@wrong("bootstrap-fits", "one-point-repeated")
def one_index_for_all_points(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jnp.full(n, jax.random.randint(key, (), 0, n)))


@wrong("bootstrap-fits", "samples-repeat")
def few_keys(fit, x, y, key, draws):
    few = resampled(fit, x, y, key, 20, with_replacement)
    return few[jnp.arange(draws) % 20]


@wrong("bootstrap-fits", "draws-depend")
def leaves_one_out(fit, x, y, key, draws):
    def choose(key, n):
        order = jax.random.permutation(key, n)
        return order.at[0].set(order[-1])

    return resampled(fit, x, y, key, draws, choose)


@wrong("bootstrap-fits", "other-points")
def adds_noise(fit, x, y, key, draws):
    return resampled(fit, x + 0.25, y, key, draws, with_replacement)


@wrong("bootstrap-fits", "other-points")
def new_noise_on_each_y(fit, x, y, key, draws):
    return jax.vmap(lambda key: fit(x, y + jax.random.normal(key, y.shape)))(jax.random.split(key, draws))


@wrong("bootstrap-fits", "same-sample-each-time")
def nothing_drawn(fit, x, y, key, draws):
    return jax.vmap(lambda key: fit(x, y))(jax.random.split(key, draws))


equivalents = [
    equivalent("bootstrap-fits", "`x`  ->  `y`", "both have as many points"),
]
