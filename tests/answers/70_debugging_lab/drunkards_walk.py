"""Answers to drunkards-walk."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("drunkards-walk", "same-key-again")
def draws_with_one_key(key, walkers, steps):
    position = jnp.zeros(walkers)
    for _ in range(steps):
        position = position + jax.random.normal(key, (walkers,))
    return position


@wrong("drunkards-walk", "same-key-again")
def splits_and_forgets(key, walkers, steps):
    position = jnp.zeros(walkers)
    for _ in range(steps):
        _, fresh = jax.random.split(key)
        position = position + jax.random.normal(fresh, (walkers,))
    return position


@wrong("drunkards-walk", "ignores-the-key")
def makes_keys_from_the_step(key, walkers, steps):
    position = jnp.zeros(walkers)
    for step in range(steps):
        position = position + jax.random.normal(jax.random.key(step), (walkers,))
    return position


@wrong("drunkards-walk", "all-walk-together")
def draws_one_number_per_step(key, walkers, steps):
    position = jnp.zeros(walkers)
    for fresh in jax.random.split(key, steps):
        position = position + jax.random.normal(fresh)
    return position


@wrong("drunkards-walk", "wrong-spread")
def draws_uniform_steps(key, walkers, steps):
    return jax.random.uniform(key, (steps, walkers), minval=-1.0).sum(axis=0)


@wrong("drunkards-walk", "too-few-numbers")
def takes_one_long_step(key, walkers, steps):
    return jnp.sqrt(steps) * jax.random.normal(key, (walkers,))


@wrong("drunkards-walk", "draws-and-derives")
def draws_and_folds(key, walkers, steps):
    position = jax.random.normal(key, (walkers,))
    for i in range(1, steps):
        position = position + jax.random.normal(jax.random.fold_in(key, i), (walkers,))
    return position


@wrong("drunkards-walk", "draws-and-derives")
def draws_and_splits(key, walkers, steps):
    position = jnp.zeros(walkers)
    for _ in range(steps):
        position = position + jax.random.normal(key, (walkers,))
        key, _ = jax.random.split(key)
    return position


@wrong("drunkards-walk", "same-key-again")
def draws_the_same_in_a_loop(key, walkers, steps):
    return jax.lax.fori_loop(0, steps, lambda _, p: p + jax.random.normal(key, (walkers,)), jnp.zeros(walkers))


@wrong("drunkards-walk", "not-normal")
def never_steps_further_than_three(key, walkers, steps):
    return jax.random.truncated_normal(key, -3, 3, (steps, walkers)).sum(axis=0)


@wrong("drunkards-walk", "drifts")
def has_the_wind_behind(key, walkers, steps):
    return jax.random.normal(key, (steps, walkers)).sum(axis=0) - 0.015 * steps


@wrong("drunkards-walk", "wrong-spread")
def is_slowed_down(key, walkers, steps):
    position = jnp.zeros(walkers)
    for fresh in jax.random.split(key, steps):
        position = 0.93 * position + jax.random.normal(fresh, (walkers,))
    return position


@wrong("drunkards-walk", "wrong-shape")
def loses_the_axis_of_one(key, walkers, steps):
    return jnp.squeeze(jax.random.normal(key, (steps, walkers)).sum(axis=0))


@wrong("drunkards-walk", "not-normal")
def tosses_a_coin(key, walkers, steps):
    return jax.random.rademacher(key, (steps, walkers), dtype=jnp.float32).sum(axis=0)


@wrong("drunkards-walk", "same-numbers-shuffled")
def shuffles_one_draw(key, walkers, steps):
    first, *others = jax.random.split(key, steps + 1)
    numbers_of_all = jax.random.normal(first, (walkers,))
    return sum(jax.random.permutation(other, numbers_of_all) for other in others)


@wrong("drunkards-walk", "wrong-spread")
def stops_a_step_early(key, walkers, steps):
    return jax.random.normal(key, (steps - 1, walkers)).sum(axis=0)


@wrong("drunkards-walk", "not-from-the-key")
def adds_numbers_of_numpy(key, walkers, steps):
    started = jax.random.normal(key, (walkers,))
    return started + np.random.default_rng().normal(size=(steps - 1, walkers)).sum(axis=0)


@right("drunkards-walk")
def folds_the_step_in(key, walkers, steps):
    def step(i, position):
        return position + jax.random.normal(jax.random.fold_in(key, i), (walkers,))

    return jax.lax.fori_loop(0, steps, step, jnp.zeros(walkers))


@right("drunkards-walk")
def adds_up_in_numpy(key, walkers, steps):
    return np.asarray(jax.random.normal(key, (steps, walkers))).sum(axis=0)


@right("drunkards-walk")
@functools.partial(jax.jit, static_argnums=(1, 2))
def moves_the_key_on(key, walkers, steps):
    def step(state, _):
        position, key = state
        key, fresh = jax.random.split(key)
        return (position + jax.random.normal(fresh, (walkers,)), key), None

    return jax.lax.scan(step, (jnp.zeros(walkers), key), length=steps)[0][0]


@wrong("drunkards-walk", "all-walk-together")
def forgets_where_they_are(key, walkers, steps):
    position = jnp.zeros(walkers)
    for each in jax.random.split(key, steps):
        position + jax.random.normal(each, (walkers,))
    return position


@wrong("drunkards-walk", "draws-and-derives")
def splits_and_folds(key, walkers, steps):
    position = jnp.zeros(walkers)
    for each in jax.random.split(key, steps - 1):
        position = position + jax.random.normal(each, (walkers,))
    return position + jax.random.normal(jax.random.fold_in(key, 99), (walkers,))


equivalents = [
    equivalent(
        "drunkards-walk",
        "`position + jax.random.normal(fresh, (walkers,))`  ->  `position - jax.random.normal(fresh, (walkers,))`",
        "a normal step is symmetrical",
    ),
]
