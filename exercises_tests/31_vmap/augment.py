"""augment: images that are reversed or not, by a coin each, with noise for every pixel."""

import math

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, naming, refuse, require
from jaxcourse.exercise import is_close, numbers

FAULTS = {
    "drawn-twice": "one key is drawn from twice",
    "drawn-and-split": "a key is drawn from and also split",
    "drawn-and-folded": "a key is drawn from and a number is also folded into it",
    "split-and-folded": "a key is split and a number is also folded into it",
    "split-in-two-ways": "a key is split twice, into different numbers of keys, of which some are the same",
    "same-in-every-step": "every step of a loop draws from the same key",
}
"""What a key is used for, in words."""


PICKED = probe.NEEDS_A_SHAPE - {"IndexError: static"}
"""What a mask or the places of its heads raise: a slice with a traced step tells by itself what it may not be."""


def equations(augment, sizes):
    """How many equations the program has for several numbers of images."""
    images = [np.ones((n, 2, 3), np.float32) for n in sizes]
    return [sum(probe.primitives(augment, jax.random.key(0), each, 0.5).values()) for each in images]


def augmented(augment, images, sigmas, seed):
    """The new images for each sigma and two keys, compiled; the first once more, and quiet ones for further keys."""
    compiled = jax.jit(augment)
    keys = [jax.random.key(seed + i) for i in range(14)]
    steep = np.where(np.arange(images.shape[2]) == 1, np.float32(1e9), images)
    images, steep = probe.on_device((images, steep))
    first, other = ([compiled(key, images, sigma) for sigma in sigmas] for key in keys[:2])
    again = compiled(keys[0], images, sigmas[0])
    more = [compiled(key, images, sigmas[0]) for key in keys[2:]]
    facts = {"first": first, "other": other, "more": more, "steep": (steep, compiled(keys[0], steep, sigmas[0]))}
    return facts | {"repeats": np.array_equal(first[0], again)}


@probe.question(evidence="values")
def plainly(augment, images, asked):
    """The new images for each of several seeds and sigmas, not compiled."""
    return [augment(jax.random.key(seed), probe.on_device(images), sigma) for seed, sigma in asked]


def coins_of(images, quiet):
    """Which images came back reversed: for each True or False, or None if it is something else."""
    if np.shape(quiet) != images.shape:
        return [None] * len(images)
    reverse, same = ((quiet == old).all(axis=(1, 2)) for old in (images[:, :, ::-1], images))
    return np.where(reverse, True, np.where(same, False, None)).tolist()


def reversed_or_not(new, old):
    """Whether a row came back as it was, or reversed."""
    return np.array_equal(new, old) or np.array_equal(new, old[::-1])


def knows_of_the_coin(noise, coins):
    """How strongly the noise of any pixel, before or after the reversal, or its mean goes with the coin."""
    heads = np.asarray(coins, np.float64)
    before = np.where(heads[:, None, None] > 0, noise[:, :, ::-1], noise)
    features = np.concatenate([part.reshape(len(noise), -1) for part in (noise, before)], axis=1)
    features = np.column_stack([features, features.mean(axis=1)])
    return float(max(abs(np.corrcoef(feature, heads)[0, 1]) for feature in features.T))


def require_coins(images, quiet, other, more):
    """Require that without noise each image is reversed or not, by a fair coin of its own."""
    coins, others = coins_of(images, quiet), coins_of(images, other)
    pairs = list(zip(quiet, images, strict=True))
    upside_down = all(np.array_equal(new, old[::-1]) or np.array_equal(new, old) for new, old in pairs)
    refuse(upside_down and None in coins, "upside-down")
    by_row = all(all(map(reversed_or_not, new, old)) for new, old in pairs)
    refuse(by_row and None in coins, "a-coin-for-each-row")
    turned = all(np.array_equal(new, old[::-1, ::-1]) or np.array_equal(new, old) for new, old in pairs)
    refuse(turned and None in coins, "turned")
    refuse(None in coins, "wrong-value")
    everywhere = {coin for some in more for coin in coins_of(images, some)} | set(coins) | set(others)
    refuse(len(everywhere) == 1, "not-tossed", more=len(more) + 2, no="every" if True in everywhere else "no")
    one = len(set(coins)) == 1 and len(set(others)) == 1
    refuse(one, "one-coin")
    refuse(coins == others, "key-ignored")
    share = np.mean(coins)
    require(abs(share - 0.5) < 3 / math.sqrt(len(coins)), "unfair-coin", share=f"{share:.0%}", coins=len(coins))


def alike(rows):
    """The strongest correlation of two of several rows, with either sign."""
    found = np.abs(np.nan_to_num(np.corrcoef(rows)))
    return float(np.max(found - np.eye(len(found))))


def normal_share(values):
    """How many of standard normal numbers are below each value."""
    return np.array([0.5 * (1 + math.erf(value / math.sqrt(2))) for value in values])


def require_noise(noise, other):
    """Require standard normal noise, other for each pixel of each image."""
    whole = noise.std()
    same = [bool(noise.std(axis=axis).max() < 1e-3 * whole) for axis in range(3)]
    refuse(same[0], "one-noise")
    refuse(same[1] or same[2], "noise-repeated")
    images = noise.reshape(len(noise), -1)
    refuse(alike(images) > 0.9999, "one-noise/2")
    refuse(alike(images.T) > 0.4, "noise-repeated/2")
    refuse(is_close(noise, other, rtol=1e-3), "key-ignored/2")
    require(
        abs(noise.mean()) < 0.08 and abs(whole - 1) < 0.05,
        "wrong-noise",
        mean=f"{noise.mean():.1f}",
        whole=f"{whole:.1f}",
    )
    require(np.abs(noise).max() > 3, "wrong-noise/2", size=noise.size, max=f"{np.abs(noise).max():.1f}")
    off = np.abs(normal_share(np.sort(noise.ravel())) - (np.arange(noise.size) + 0.5) / noise.size).max()
    require(off < 0.04, "wrong-noise/3")


def without_a_loop(answer, rng):
    """The program is traced, and does not grow with the images: one for 400, written out, would compile for minutes."""
    answer.called = "augment(jax.random.key(0), float32[4,2,3], 0.5)"
    with naming({"branches-on-a-coin": probe.NEEDS_A_NUMBER, "shape-from-coins": PICKED}):
        few, many = answer.probe(equations, [4, 8])
    refuse(many > 1.5 * few, "unrolled", few=few, many=many)


def flipped_and_noisy(answer, rng):
    """Fair coins and normal noise, for each image its own, from the key alone.

    A function, since what is right is a distribution, and no number.
    """
    n, seed, sigma = 400, int(rng.integers(2**16)), float(rng.uniform(0.2, 0.8))
    images = np.arange(n * 12, dtype=np.float32).reshape(n, 3, 4) % 97 - 40
    facts = answer.probe(augmented, images, [0.0, sigma], seed)
    answer.called = f"augment(jax.random.key({seed}), float32[{n},3,4], {sigma:.2f})"
    require(facts["repeats"], "hidden-state")
    for got in [*facts["first"], *facts["other"]]:
        require(np.shape(got) == images.shape, "wrong-shape", want=images.shape, got=numbers(got).shape)
        require(np.asarray(got).dtype == np.float32, "wrong-dtype")
    quiet, loud = facts["first"]
    ignored = np.array_equal(quiet, loud) and not np.array_equal(quiet, facts["other"][0])
    refuse(ignored, "sigma-ignored")
    require_coins(images, quiet, facts["other"][0], facts["more"])
    refuse(None in coins_of(*facts["steep"]), "lost-in-a-difference")
    heads = {coins_of(images, some).count(True) for some in (quiet, facts["other"][0], *facts["more"])}
    share = np.mean([coins_of(images, some).count(True) / n for some in facts["more"]])
    require(abs(share - 0.5) < 0.045, "unfair-coin/2", more=len(facts["more"]), share=f"{share:.0%}")
    refuse(len(heads) == 1, "coins-not-independent", heads=max(heads), n=n)
    noise = (loud.astype(np.float64) - quiet) / sigma
    require_noise(noise, (facts["other"][1].astype(np.float64) - facts["other"][0]) / sigma)
    uses = answer.probe(probe.key_uses, probe.on_device(images[:5]), sigma)
    fault = ", ".join(FAULTS[fault] for fault in uses["faults"])
    refuse(fault, "key-reused", fault=fault)
    refuse(knows_of_the_coin(noise, coins_of(images, quiet)) > 0.3, "coin-and-noise")
    square = rng.uniform(1, 5, (1, 3, 3)).astype(np.float32)
    quiet, some, more, other = answer.probe(plainly, square, [(seed, 0.0), (seed, 1.0), (seed, 3.0), (seed + 1, 1.0)])
    require(np.shape(some) == square.shape, "wrong-shape/2", shape=square.shape, some=np.shape(some))
    refuse(None in coins_of(square, quiet), "wrong-value/2")
    require(is_close(more - quiet, 3 * (some - quiet), rtol=1e-3), "wrong-noise/4")
    refuse(is_close(some, other), "key-ignored/3")


WORDS = """
hint: Write it for one image and one key. It draws twice, so it splits its key.
hint: `jax.random.split(key, len(images))` gives a key for each image. Map over the keys and the images.
hint: `jnp.where(coin, image[:, ::-1], image)`. Under `vmap`, `if` cannot ask a coin.
upside-down: You turn images upside down. From left to right is along the last axis, that of the columns.
a-coin-for-each-row: You reverse some rows of an image and leave others. Toss one coin for each image, not one for each
    row.
turned: You reverse both axes of an image. From left to right is along its last axis alone.
wrong-value: With `sigma = 0`, one of your images came back neither as it was nor reversed from left to right. Without
    noise, do nothing else to an image.
not-tossed: With {more} keys, you reversed {no} image. A fair coin falls both ways.
one-coin: All images got the same coin. One draw, or one key that all images share, is the same for all. Draw a coin for
    each image.
key-ignored: Another key gave the same coins. Does your draw use `key`?
unfair-coin: You reversed {share} of {coins} images. A fair coin reverses about half.
one-noise: All images got the same noise. One draw, or one key that all images share, is the same for all. Draw noise
    for each image.
noise-repeated: Your noise is the same along a row or a column of an image. Draw a number for every pixel.
one-noise/2: Some images got the same noise. Each needs a key of its own, however many images there are.
noise-repeated/2: Your noise at one pixel tells something about the noise at another. Draw a number for every pixel.
key-ignored/2: Another key gave the same noise. Does your draw use `key`?
wrong-noise: Your noise has the mean {mean} and the standard deviation {whole}, in units of `sigma`. They should be 0
    and 1.
wrong-noise/2: The largest of your {size} noise values is {max}, in units of `sigma`. Normal noise goes further out.
    Draw it with `jax.random.normal`.
wrong-noise/3: Your noise has the mean 0 and the standard deviation 1, but it is not normal. Count how much of it is
    below 0.5.
branches-on-a-coin: Your code asks for a number while JAX traces. Neither key nor coin nor `sigma` has one then. Draw
    with `jax.random`, and choose with `jnp.where`.
shape-from-coins: While JAX traces, it doesn't know how many coins show heads, so no array can have that length. Keep
    all images, and choose with `jnp.where(coin, reverse, image)`.
unrolled [one-example]: Your jaxpr has {few} equations for 4 images and {many} for 8, because a Python loop writes its
    body out each time. `vmap` writes it once.
hidden-state: The same key gave you other images. Something other than the key is random here.
wrong-shape: Your result has the shape {got}. It should be {want}.
wrong-dtype: Your result should have the dtype of the images, `float32`.
sigma-ignored: Your result is the same with `sigma = 0` as with another `sigma`. Add `sigma` times a standard normal
    number to every pixel.
lost-in-a-difference: You lose a dark pixel whose mirror image is much brighter. Does it go through a difference of the
    two? `jnp.where` chooses, and computes nothing.
unfair-coin/2: With {more} keys, you reversed {share} of the images. A fair coin reverses about half.
coins-not-independent: With every key, you reversed exactly {heads} of {n} images. Coins that are tossed one by one
    don't do that.
key-reused [a-key-each]: A key may be used once, but here {fault}. So your coins and your noise may depend on each
    other.
coin-and-noise: Your coins tell something about your noise. It should not depend on whether an image is reversed.
wrong-shape/2: You were given images of shape {shape}, and returned {some}.
wrong-value/2: With `sigma = 0` and without `jit`, a square image came back neither as it was nor reversed.
wrong-noise/4: With the same key, three times the `sigma` should give you three times the noise.
key-ignored/3: Without `jit`, another key gave the same noise. Does your draw use `key`?
"""

augment = declare(
    "augment",
    points=2,
    see="a-key-each",
    steps=[without_a_loop, flipped_and_noisy],
    words=WORDS,
)
