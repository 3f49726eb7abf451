"""Answers to augment."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def whole_batch(key, images, sigma, draw=jax.random.normal):
    """Two draws for all images at once."""
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * draw(for_noise, images.shape)


@right("augment")
def draws_for_the_whole_batch(key, images, sigma):
    return whole_batch(key, images, sigma)


@right("augment")
def folds_the_number_of_the_image_in(key, images, sigma):
    def one(i, image):
        coin, noise = jax.random.split(jax.random.fold_in(key, i))
        noisy = image + sigma * jax.random.normal(noise, image.shape)
        return jax.lax.cond(jax.random.randint(coin, (), 0, 2) == 1, lambda x: x[:, ::-1], lambda x: x, noisy) * 1.0

    return jax.vmap(one)(jnp.arange(len(images)), images)


def one_image(key, image, sigma):
    """What should happen to one image."""
    coin, noise = jax.random.split(key)
    image = jnp.where(jax.random.bernoulli(coin), image[:, ::-1], image)
    return image + sigma * jax.random.normal(noise, image.shape)


@wrong("augment", "one-coin")
def one_key_for_all(key, images, sigma):
    return jax.vmap(one_image, in_axes=(None, 0, None))(key, images, sigma)


@wrong("augment", "not-tossed")
def a_coin_with_one_side(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.randint(for_coins, (len(images), 1, 1), 0, 1) == 1
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "key-reused")
def one_key_for_coin_and_noise(key, images, sigma):
    def one(key, image):
        image = jnp.where(jax.random.bernoulli(key), image[:, ::-1], image)
        return image + sigma * jax.random.normal(key, image.shape)

    return jax.vmap(one)(jax.random.split(key, len(images)), images)


@wrong("augment", "key-reused")
def draws_the_noise_from_the_parent(key, images, sigma):
    coins = jax.vmap(jax.random.bernoulli)(jax.random.split(key, len(images)))
    flipped = jnp.where(coins[:, None, None], images[:, :, ::-1], images)
    return flipped + sigma * jax.random.normal(key, images.shape)


@wrong("augment", "one-noise")
def one_noise_for_all(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)

    def one(key, image):
        image = jnp.where(jax.random.bernoulli(key), image[:, ::-1], image)
        return image + sigma * jax.random.normal(for_noise, image.shape)

    return jax.vmap(one)(jax.random.split(for_coins, len(images)), images)


@wrong("augment", "noise-repeated")
def one_number_for_each_image(key, images, sigma):
    def one(key, image):
        coin, noise = jax.random.split(key)
        return jnp.where(jax.random.bernoulli(coin), image[:, ::-1], image) + sigma * jax.random.normal(noise)

    return jax.vmap(one)(jax.random.split(key, len(images)), images)


@wrong("augment", "upside-down")
def flips_the_rows(key, images, sigma):
    def one(key, image):
        coin, noise = jax.random.split(key)
        image = jnp.where(jax.random.bernoulli(coin), image[::-1], image)
        return image + sigma * jax.random.normal(noise, image.shape)

    return jax.vmap(one)(jax.random.split(key, len(images)), images)


@wrong("augment", "branches-on-a-coin")
def asks_the_coin(key, images, sigma):
    def one(key, image):
        coin, noise = jax.random.split(key)
        image = image[:, ::-1] if jax.random.bernoulli(coin) else image
        return image + sigma * jax.random.normal(noise, image.shape)

    return jax.vmap(one)(jax.random.split(key, len(images)), images)


@wrong("augment", "key-ignored")
def a_key_of_its_own(key, images, sigma):
    return whole_batch(jax.random.key(0), images, sigma)


@wrong("augment", "unfair-coin")
def reverses_one_in_three(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.randint(for_coins, (len(images), 1, 1), 0, 3) == 1
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "unfair-coin")
def reverses_four_in_ten(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.42, (len(images), 1, 1))
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "one-noise")
def begins_again_after_256(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    keys = jax.vmap(functools.partial(jax.random.fold_in, for_noise))(jnp.arange(len(images)) % 256)
    noise = jax.vmap(lambda key: jax.random.normal(key, images.shape[1:]))(keys)
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * noise


@wrong("augment", "noise-repeated")
def adds_a_row_and_a_column(key, images, sigma):
    n, h, w = images.shape

    def draw(key, shape):
        rows, columns = jax.random.split(key)
        return (jax.random.normal(rows, (n, h, 1)) + jax.random.normal(columns, (n, 1, w))) / math.sqrt(2)

    return whole_batch(key, images, sigma, draw)


@wrong("augment", "wrong-noise")
def noise_with_long_tails(key, images, sigma):
    return whole_batch(key, images, sigma / math.sqrt(2), jax.random.laplace)


@wrong("augment", "wrong-noise")
def uniform_noise(key, images, sigma):
    return whole_batch(key, images, sigma, functools.partial(jax.random.uniform, minval=-1.0))


@wrong("augment", "wrong-noise")
def right_deviation_but_uniform(key, images, sigma):
    draw = functools.partial(jax.random.uniform, minval=-math.sqrt(3), maxval=math.sqrt(3))
    return whole_batch(key, images, sigma, draw)


@wrong("augment", "coins-not-independent")
def exactly_half_of_them(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.permutation(for_coins, len(images))[:, None, None] < len(images) // 2
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "coin-and-noise")
def reads_the_coin_from_the_noise(key, images, sigma):
    noise = jax.random.normal(key, images.shape)
    return jnp.where(noise[:, :1, :1] > 0, images[:, :, ::-1], images) + sigma * noise


@wrong("augment", "a-coin-for-each-row")
def a_coin_for_each_row(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (*images.shape[:2], 1))
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "lost-in-a-difference")
def adds_the_difference(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.randint(for_coins, (len(images), 1, 1), 0, 2)
    turned = images + coins * (images[:, :, ::-1] - images)
    return turned + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "wrong-value")
def rolls_the_columns(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    return jnp.where(coins, jnp.roll(images, 1, axis=2), images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "turned")
def reverses_both_ways(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    return jnp.where(coins, images[:, ::-1, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "sigma-ignored")
def forgets_sigma(key, images, sigma):
    return whole_batch(key, images, 1.0)


@wrong("augment", "hidden-state")
def numpys_own_noise(key, images, sigma):
    noise = jax.pure_callback(
        lambda: np.random.default_rng().normal(size=images.shape).astype(np.float32),
        jax.ShapeDtypeStruct(images.shape, jnp.float32),
    )
    return images + sigma * noise + 0 * noise * (noise > 0) + jnp.where(noise > 0, 1e-3, 0)


@wrong("augment", "wrong-shape")
def only_one_image(key, images, sigma):
    return one_image(key, images[0], sigma)


@wrong("augment", "wrong-dtype")
def whole_numbers(key, images, sigma):
    return whole_batch(key, images, sigma).astype(int)


@wrong("augment", "upside-down")
def reverses_axis_1_of_the_batch(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    return jnp.where(coins, images[:, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "one-coin")
def tosses_once(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    turned = jnp.where(jax.random.bernoulli(for_coins), images[:, :, ::-1], images)
    return turned + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "branches-on-a-coin")
def seeds_numpy_with_the_key(key, images, sigma):
    numpys = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    return images + sigma * numpys.normal(size=images.shape)


@wrong("augment", "shape-from-coins")
def picks_the_images_by_their_places(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    places = jnp.where(jax.random.bernoulli(for_coins, shape=(len(images),)))[0]
    flipped = images.at[places].set(images[places][:, :, ::-1])
    return flipped + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "shape-from-coins")
def picks_the_images_with_a_mask(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, shape=(len(images),))
    flipped = images.at[coins].set(images[coins][:, :, ::-1])
    return flipped + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "unrolled")
def one_image_after_the_other(key, images, sigma):
    keys = jax.random.split(key, len(images))
    return jnp.stack([one_image(key, image, sigma) for key, image in zip(keys, images, strict=True)])


equivalents = [
    equivalent(
        "augment",
        "`jnp.where(reverse, image[:, ::-1], image)`  ->  `jnp.where(reverse, image, image[:, ::-1])`",
        "the coin is fair: heads and tails are the same",
    ),
    equivalent(
        "augment",
        "`jnp.where(reverse, image[:, ::-1], image)`  ->  `reverse * image[:, ::-1] + (1 - reverse) * image`",
        "the same for pixels that are finite, as those of images are",
    ),
    equivalent(
        "augment",
        "`image + sigma * jax.random.normal(noise, image.shape)`  ->  "
        "`image - sigma * jax.random.normal(noise, image.shape)`",
        "the noise is symmetric",
    ),
]
