"""Answers to fresh-masks."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("fresh-masks")
def splits_the_key(key, x, steps):
    keys = jax.random.split(key, steps)
    kept = jax.vmap(lambda own: jax.random.bernoulli(own, 0.8, jnp.shape(x)))(keys)
    return jnp.where(kept, x / 0.8, 0)


@right("fresh-masks")
def draws_all_at_once(key, x, steps):
    return x * (jax.random.uniform(key, (steps, *x.shape)) >= 0.2) / 0.8


@wrong("fresh-masks", "same-in-every-step")
def the_same_noise_every_day(key, x, steps):
    def show(carry, step):
        kept = jax.random.bernoulli(key, 0.8, x.shape)
        return carry, jnp.where(kept, x / 0.8, 0)

    return jax.lax.scan(show, None, jnp.arange(steps))[1]


@wrong("fresh-masks", "turned")
def drops_four_fifths(key, x, steps):
    kept = jax.random.bernoulli(key, 0.2, (steps, *x.shape))
    return jnp.where(kept, x / 0.8, 0)


@wrong("fresh-masks", "not-scaled")
def does_not_scale(key, x, steps):
    return jnp.where(jax.random.bernoulli(key, 0.8, (steps, *x.shape)), x, 0)


@wrong("fresh-masks", "wrong-value")
def scales_by_the_dropped(key, x, steps):
    return jnp.where(jax.random.bernoulli(key, 0.8, (steps, *x.shape)), x / 0.2, 0)


@wrong("fresh-masks", "other-share")
def drops_half(key, x, steps):
    return jnp.where(jax.random.bernoulli(key, 0.5, (steps, *x.shape)), x / 0.8, 0)


@wrong("fresh-masks", "all-or-nothing")
def one_draw_for_each_step(key, x, steps):
    kept = jax.random.bernoulli(key, 0.5, (steps,)).at[0].set(True).at[-1].set(False)
    return jnp.where(kept.reshape(steps, *[1] * x.ndim), x / 0.8, 0)


@wrong("fresh-masks", "exact-share")
def shuffles_for_all_steps(key, x, steps):
    shape = (steps, *x.shape)
    size = math.prod(shape)
    kept = jax.random.permutation(key, jnp.arange(size) >= size // 5).reshape(shape)
    return jnp.where(kept, x / 0.8, 0.0)


@wrong("fresh-masks", "exact-share")
def drops_exactly_a_fifth(key, x, steps):
    keys = jax.random.split(key, steps)
    order = jax.vmap(lambda own: jax.random.permutation(own, x.size))(keys)
    return jnp.where((order >= x.size // 5).reshape(steps, *x.shape), x / 0.8, 0)


@wrong("fresh-masks", "related-masks")
def moves_one_mask_along(key, x, steps):
    kept = jax.random.bernoulli(key, 0.8, x.shape)
    return jnp.where(jnp.stack([jnp.roll(kept, 7 * i) for i in range(steps)]), x / 0.8, 0)


@wrong("fresh-masks", "key-reused")
def draws_and_folds(key, x, steps):
    def show(carry, step):
        kept = jax.random.bernoulli(jax.random.fold_in(key, step), 0.8, x.shape)
        return carry, jnp.where(kept, x / 0.8, 0)

    rest = jax.lax.scan(show, None, jnp.arange(steps - 1))[1]
    first = jnp.where(jax.random.bernoulli(key, 0.8, x.shape), x / 0.8, 0)
    return jnp.concatenate([first[None], rest]) if steps > 1 else first[None]


@wrong("fresh-masks", "key-reused")
def puts_the_same_key_together_anew(key, x, steps):
    first, second = jax.random.key_data(key)
    again = jax.random.wrap_key_data(jnp.stack([first, second]))
    kept = jnp.stack([jax.random.bernoulli(jax.random.fold_in(again, i), 0.8, jnp.shape(x)) for i in range(1, steps)])
    kept = jnp.concatenate([jax.random.bernoulli(key, 0.8, jnp.shape(x))[None], kept])
    return jnp.where(kept, x / 0.8, 0)


@wrong("fresh-masks", "key-ignored")
def brings_a_key_of_its_own(key, x, steps):
    return draws_all_at_once.answer(jax.random.key(0), x, steps)


@wrong("fresh-masks", "not-repeatable")
def counts_its_calls(key, x, steps):
    _CALLS.append(steps)
    return draws_all_at_once.answer(jax.random.fold_in(key, len(_CALLS)), x, steps)


_CALLS: list[int] = []


@wrong("fresh-masks", "keys-overlap")
def adds_the_step_to_the_key(key, x, steps):
    words = jax.random.key_data(key)
    keys = jnp.stack([jax.random.wrap_key_data(words.at[1].add(i)) for i in range(steps)])
    kept = jax.vmap(lambda own: jax.random.bernoulli(own, 0.8, x.shape))(keys)
    return jnp.where(kept, x / 0.8, 0)


@wrong("fresh-masks", "related-masks")
def has_six_keys_only(key, x, steps):
    keys = jax.random.split(key, 6)
    kept = jax.vmap(lambda own: jax.random.bernoulli(own, 0.8, x.shape))(keys)
    return jnp.where(kept[jnp.arange(steps) % 6], x / 0.8, 0)


@wrong("fresh-masks", "no-key")
def draws_in_numpy(key, x, steps):
    kept = np.random.default_rng().random((steps, *x.shape)) < 0.8
    return jnp.where(kept, x / 0.8, 0)


@wrong("fresh-masks", "dropped-together")
def drops_whole_rows(key, x, steps):
    shape = (steps, *x.shape[:1], *[1] * max(x.ndim - 1, 0))
    return jnp.where(jax.random.bernoulli(key, 0.8, shape), x / 0.8, 0)


equivalents = [
    equivalent("fresh-masks", "`0.8`  ->  `0.808`", "in the mask: of 20,000 numbers, chance alone moves as many"),
    equivalent(
        "fresh-masks", "`jnp.where(kept, x / 0.8, 0)`  ->  `kept * (x / 0.8) + (1 - kept) * 0`", "finite numbers"
    ),
    equivalent("fresh-masks", "`1`  ->  `-1`", "the second of two results is the last"),
]
