"""What is read of random keys in a program."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse.probe import key_uses

normal, split, fold_in = jax.random.normal, jax.random.split, jax.random.fold_in


def right(key):
    a, b = split(key)
    return normal(a) + normal(b)


def in_a_loop(key, advance):
    def step(key, _):
        key, sub = advance(key)
        return key, normal(sub)

    return jax.lax.scan(step, key, length=4)[1]


def counted(key, use):
    return jax.lax.fori_loop(0, 5, lambda i, total: total + use(key, i), 0.0)


def half(key):
    return normal(split(key)[0])


def words_of(key):
    return jax.random.key_data(key) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key


def again(key, change=lambda words: words):
    """A key put together anew, from its own words or from changed ones."""
    words = words_of(key)
    made = change(jnp.stack([words[0], words[1]]))
    return made if key.dtype == jnp.uint32 else jax.random.wrap_key_data(made)


def bits(key, count=4):
    """Numbers of XLA's own generator, whose key has four words."""
    return jax.lax.rng_bit_generator(jnp.tile(words_of(key), 2), (count,), dtype=jnp.uint32)[1]


def taken_by_number(key, beyond=0):
    keys = split(key, 6)
    return counted(keys, lambda keys, i: normal(keys[2 * i + beyond - 4]) + normal(keys[2 * i + beyond - 3]))


RIGHT = {
    "one draw": normal,
    "split": right,
    "split, taken twice": lambda key: normal(split(key)[0]) + normal(split(key)[1]),
    "many": lambda key: jax.vmap(normal)(split(key, 5)),
    "one after the other": lambda key: jnp.stack([normal(k) for k in split(key, 3)]),
    "folded with other numbers": lambda key: normal(fold_in(key, 0)) + normal(fold_in(key, 1)),
    "folded under vmap": lambda key: jax.vmap(lambda i: normal(fold_in(key, i)))(jnp.arange(3)),
    "scan": lambda key: in_a_loop(key, lambda key: split(key)),
    "scan over keys": lambda key: jax.lax.map(normal, split(key, 4)),
    "scan of one step": lambda key: jax.lax.scan(lambda c, _: (c, normal(key)), 0.0, length=1)[1],
    "counted": lambda key: counted(key, lambda key, i: normal(fold_in(key, i))),
    "one of two": lambda key: jax.lax.cond(True, lambda k: normal(k), lambda k: jax.random.uniform(k), key),
    "permutation": lambda key: jax.random.permutation(key, 5),
    "gamma": lambda key: jax.random.gamma(key, 2.0, (3,)),
    "poisson": lambda key: jax.random.poisson(key, 2.0, (3,)),
    "choice": lambda key: jax.random.choice(key, 9, (3,), replace=False),
    "compiled": jax.jit(right),
    "not used": lambda key: 1.0,
    "put together of other words": lambda key: normal(split(key)[0]) + normal(again(split(key)[1])),
    "words that are counted": lambda key: normal(again(key, lambda w: w.at[1].add(1))) + normal(again(key)),
    "taken by number in a loop": taken_by_number,
    "one beside those that a loop takes": lambda key: normal(split(key, 6)[5]) + taken_by_number(split(key, 6)[0]),
    "split in a loop, by its words": lambda key: in_a_loop(key, lambda key: split(again(key))),
    "another generator": bits,
    "where it is needed": lambda key: jax.random.truncated_normal(key, -1, 1, (4,)),
}

WRONG = {
    "drawn twice": (lambda key: normal(key) + jax.random.uniform(key), ["drawn-twice"]),
    "drawn and split": (lambda key: normal(key) + half(key), ["drawn-and-split"]),
    "drawn and folded": (lambda key: normal(key) + normal(fold_in(key, 3)), ["drawn-and-folded"]),
    "split and folded": (lambda key: half(key) + normal(fold_in(key, 1)), ["split-and-folded"]),
    "two ways": (lambda key: half(key) + normal(split(key, 3)[1]), ["split-in-two-ways"]),
    "the same half twice": (lambda key: half(key) * half(key), ["drawn-twice"]),
    "folded with the same number": (lambda key: normal(fold_in(key, 3)) + normal(fold_in(key, 3)), ["drawn-twice"]),
    "in a helper": (jax.jit(lambda key: jax.jit(half)(key) + normal(split(key)[0])), ["drawn-twice"]),
    "not advanced": (lambda key: in_a_loop(key, lambda key: (key, key)), ["same-in-every-step"]),
    "half of it, always": (lambda key: in_a_loop(key, lambda key: (key, split(key)[1])), ["same-in-every-step"]),
    "not counted": (lambda key: counted(key, lambda key, i: normal(key)), ["same-in-every-step"]),
    "counted wrongly": (lambda key: counted(key, lambda key, i: normal(fold_in(key, 7))), ["same-in-every-step"]),
    "old one used": (lambda key: in_a_loop(key, lambda key: (split(key)[0], key)), ["drawn-and-split"]),
    "its own words": (lambda key: normal(key) + normal(again(key)), ["drawn-twice"]),
    "its own words, and nothing": (lambda key: normal(key) + normal(again(key, lambda w: w ^ 0)), ["drawn-twice"]),
    "its own words, in a helper": (
        lambda key: jax.jit(lambda k: half(again(k)))(key) + normal(key),
        ["drawn-and-split"],
    ),
    "its own words, in a loop": (lambda key: in_a_loop(key, lambda key: (again(key), key)), ["same-in-every-step"]),
    "one of many": (lambda key: jax.vmap(normal)(split(key, 3)).sum() + normal(split(key, 3)[1]), ["drawn-twice"]),
    "many that are one": (lambda key: jax.vmap(normal)(jnp.stack([again(key), again(key)])), ["drawn-twice"]),
    "another generator": (lambda key: bits(key) + bits(key), ["drawn-twice"]),
    "a gamma": (lambda key: jax.random.gamma(key, 2.0) + normal(key), ["drawn-twice"]),
    "a permutation": (lambda key: jax.random.permutation(key, 4.0 * jnp.ones(4)) + normal(key), ["drawn-and-split"]),
}


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("name", RIGHT)
def test_right_uses(name, raw):
    assert key_uses(RIGHT[name], raw=raw)["faults"] == []


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses(name, raw):
    function, faults = WRONG[name]
    assert key_uses(function, raw=raw)["faults"] == faults


def test_draws_and_keys_are_counted():
    assert key_uses(right) == {"draws": 2, "keys": 2, "faults": []}
    assert key_uses(RIGHT["not used"])["draws"] == 0
    assert key_uses(RIGHT["many"]) == {"draws": 5, "keys": 5, "faults": []}
    assert key_uses(bits) == {"draws": 1, "keys": 1, "faults": []}


def test_other_arguments_are_given_as_they_are():
    def walk(steps, key, start):
        return start + sum(normal(k) for k in split(key, steps))

    assert key_uses(walk, 3, np.ones(2), place=1)["draws"] == 3
