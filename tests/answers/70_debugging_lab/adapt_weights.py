"""Answers to adapt-weights."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("adapt-weights", "reads-what-it-gave-away")
def measures_afterwards(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    moved = jnp.linalg.norm(updated - weights)
    return updated, moved


@wrong("adapt-weights", "reads-what-it-gave-away")
def gives_it_a_second_name(weights, gradient):
    before = weights
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - before)


@wrong("adapt-weights", "gave-up-the-donation")
def donates_nothing(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - weights)


@wrong("adapt-weights", "keeps-a-copy")
def copies_before_it_gives(weights, gradient):
    before = weights.copy()
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - before)


@wrong("adapt-weights", "wrong-value")
def compares_with_the_new(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    weights = step(weights, gradient)
    return weights, jnp.linalg.norm(weights - weights)


@wrong("adapt-weights", "wrong-weights")
def steps_uphill(weights, gradient):
    step = jax.jit(lambda w, g: (w + 0.1 * g, jnp.linalg.norm(0.1 * g)), donate_argnums=0)
    return step(weights, gradient)


@wrong("adapt-weights", "not-a-pair")
def returns_the_weights_alone(weights, gradient):
    return jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)(weights, gradient)


@wrong("adapt-weights", "keeps-a-copy")
def copies_with_numpy(weights, gradient):
    before = np.array(weights)
    updated = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)(weights, gradient)
    return updated, np.linalg.norm(updated - before)


@wrong("adapt-weights", "keeps-a-copy")
def adds_zero_for_a_copy(weights, gradient):
    before = weights + 0.0
    updated = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)(weights, gradient)
    return updated, jnp.linalg.norm(updated - before)


def step_and_length(weights, gradient):
    updated = weights - 0.1 * gradient
    return updated, jnp.linalg.norm(updated - weights)


@wrong("adapt-weights", "gave-away-both")
def gives_both_away(weights, gradient):
    def step(w, g):
        return step_and_length(w, g), 2 * g

    return jax.jit(step, donate_argnums=(0, 1))(weights, gradient)[0]


@wrong("adapt-weights", "gave-away-the-gradient")
def counts_the_arguments_from_one(weights, gradient):
    return jax.jit(step_and_length, donate_argnums=1)(weights, gradient)


@wrong("adapt-weights", "deletes-by-hand")
def deletes_the_old_ones(weights, gradient):
    result = step_and_length(weights, gradient)
    weights.delete()
    return result


@wrong("adapt-weights", "length-of-the-gradient")
def measures_the_gradient(weights, gradient):
    return jax.jit(lambda w, g: (w - 0.1 * g, jnp.linalg.norm(g)), donate_argnums=0)(weights, gradient)


@wrong("adapt-weights", "change-of-the-length")
def subtracts_the_lengths(weights, gradient):
    def step(w, g):
        return w - 0.1 * g, jnp.linalg.norm(w - 0.1 * g) - jnp.linalg.norm(w)

    return jax.jit(step, donate_argnums=0)(weights, gradient)


@wrong("adapt-weights", "change-of-the-length")
@functools.partial(jax.jit, donate_argnums=0)
def compares_the_two_lengths(weights, gradient):
    updated = weights - 0.1 * gradient
    return updated, jnp.abs(jnp.linalg.norm(updated) - jnp.linalg.norm(weights))


@right("adapt-weights")
@functools.partial(jax.jit, donate_argnames="weights")
def is_the_step_itself(weights, gradient):
    move = 0.1 * gradient
    return weights - move, jnp.sqrt(jnp.sum(move**2))


@right("adapt-weights")
def measures_the_move_first(weights, gradient):
    moved = float(0.1 * jnp.linalg.norm(gradient))
    return [jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=(0,))(weights, gradient), moved]


@wrong("adapt-weights", "ValueError")
def names_what_the_step_does_not_have(weights, gradient):
    step = jax.jit(lambda w, g: (w - 0.1 * g, 0.1 * jnp.linalg.norm(jnp.ravel(g))), donate_argnames="weights")
    return step(weights, gradient)


@wrong("adapt-weights", "reads-what-it-gave-away")
def gives_the_gradient_away_and_reads_it(weights, gradient):
    step = jax.jit(lambda w, g: (w - 0.1 * g, g), donate_argnums=(0, 1))
    return step(weights, gradient)[0], 0.1 * jnp.linalg.norm(jnp.ravel(gradient))


@wrong("adapt-weights", "gave-up-the-donation")
def gives_a_copy_away(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(jnp.array(weights), gradient)
    return updated, jnp.linalg.norm(jnp.ravel(updated - weights))


equivalents = [
    equivalent("adapt-weights", "`updated - weights`  ->  `weights - updated`", "a length has no sign"),
]
