"""Answers to random-walks."""

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("random-walks")
def each_particle_by_its_number(key, particles, steps):
    def walk(i):
        return jnp.cumsum(jax.random.normal(jax.random.fold_in(key, i), (steps,)))

    return jax.vmap(walk, out_axes=1)(jnp.arange(particles))


@right("random-walks")
def carries_a_key_along(key, particles, steps):
    def step(state, _):
        position, key = state
        key, used = jax.random.split(key)
        position = position + jax.random.normal(used, (particles,))
        return (position, key), position

    return jax.lax.scan(step, (jnp.zeros(particles), key), length=steps)[1]


@right("random-walks")
def in_rows_of_numpy(key, particles, steps):
    keys = jax.random.split(key, steps)
    return np.cumsum([np.asarray(jax.random.normal(key, (particles,))) for key in keys], axis=0)


@wrong("random-walks", "straight-lines")
def one_key_for_all_steps(key, particles, steps):
    position, rows = jnp.zeros(particles), []
    for _ in range(steps):
        position = position + jax.random.normal(key, (particles,))
        rows.append(position)
    return jnp.stack(rows)


@wrong("random-walks", "straight-lines")
def splits_but_never_moves_on(key, particles, steps):
    position, rows = jnp.zeros(particles), []
    for _ in range(steps):
        used, _carried = jax.random.split(key)
        position = position + jax.random.normal(used, (particles,))
        rows.append(position)
    return jnp.stack(rows)


@wrong("random-walks", "all-alike")
def one_number_for_all_particles(key, particles, steps):
    walk = jnp.cumsum(jax.random.normal(key, (steps, 1)), axis=0)
    return jnp.broadcast_to(walk, (steps, particles))


@wrong("random-walks", "not-summed")
def gives_the_steps(key, particles, steps):
    return jax.random.normal(key, (steps, particles))


@wrong("random-walks", "summed-over-particles")
def sums_along_the_other_axis(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (steps, particles)), axis=1)


@wrong("random-walks", "summed-over-particles")
def one_long_walk(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (steps, particles))).reshape(steps, particles)


@wrong("random-walks", "axes-swapped")
def particles_in_rows(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (particles, steps)), axis=1)


@wrong("random-walks", "starts-with-the-start")
def begins_at_zero(key, particles, steps):
    walk = jnp.cumsum(jax.random.normal(key, (steps - 1, particles)), axis=0)
    return jnp.concatenate([jnp.zeros((1, particles)), walk])


@wrong("random-walks", "wrong-shape")
def one_row_too_many(key, particles, steps):
    walk = jnp.cumsum(jax.random.normal(key, (steps, particles)), axis=0)
    return jnp.concatenate([jnp.zeros((1, particles)), walk])


@wrong("random-walks", "key-reused")
def every_second_step_again(key, particles, steps):
    keys = jax.random.split(key, steps)
    moves = [jax.random.normal(keys[i // 2], (particles,)) for i in range(steps)]
    return jnp.cumsum(jnp.stack(moves), axis=0)


@wrong("random-walks", "key-reused")
def names_keys_by_a_sum(key, particles, steps):
    def move(i, j):
        return jax.random.normal(jax.random.fold_in(key, i + j))

    moves = jax.vmap(lambda i: jax.vmap(lambda j: move(i, j))(jnp.arange(particles)))(jnp.arange(steps))
    return jnp.cumsum(moves, axis=0)


@wrong("random-walks", "steps-again")
def half_of_them_mirrored(key, particles, steps):
    half = jax.random.normal(key, (steps, (particles + 1) // 2))
    return jnp.cumsum(jnp.concatenate([half, -half], axis=1)[:, :particles], axis=0)


@wrong("random-walks", "dependent-steps")
def steps_that_remember(key, particles, steps):
    noise = jax.random.normal(key, (steps + 1, particles))
    return jnp.cumsum((noise[1:] + 0.3 * noise[:-1]) / 1.09**0.5, axis=0)


@wrong("random-walks", "hidden-state")
def walks_in_numpy(key, particles, steps):
    return np.cumsum(np.random.normal(size=(steps, particles)), axis=0)


@wrong("random-walks", "key-ignored")
def the_same_walk_always(key, particles, steps):
    return jnp.cumsum(jax.random.normal(jax.random.key(1827), (steps, particles)), axis=0)


@wrong("random-walks", "returned-nothing")
def returns_nothing(key, particles, steps):
    jnp.cumsum(jax.random.normal(key, (steps, particles)), axis=0)


@wrong("random-walks", "steps-again")
def in_half_precision(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (steps, particles), jnp.bfloat16), axis=0)


@wrong("random-walks", "wrong-value")
def uniform_steps(key, particles, steps):
    return jnp.cumsum(jax.random.uniform(key, (steps, particles)), axis=0)


@wrong("random-walks", "dependent-steps")
def adds_up_twice(key, particles, steps):
    return jnp.cumsum(jnp.cumsum(jax.random.normal(key, (steps, particles)), axis=0), axis=0)


@wrong("random-walks", "dependent-steps")
def jumps_to_where_it_should_be(key, particles, steps):
    return jnp.sqrt(jnp.arange(1, steps + 1))[:, None] * jax.random.normal(key, (1, particles))


@wrong("random-walks", "few-values")
def steps_of_one(key, particles, steps):
    return jnp.cumsum(2 * jax.random.bernoulli(key, shape=(steps, particles)) - 1, axis=0)


@wrong("random-walks", "nobody-moves")
def forgets_to_bind(key, particles, steps):
    positions, walk = jnp.cumsum(jax.random.normal(key, (steps, particles)), axis=0), jnp.zeros((steps, particles))
    for i in range(steps):
        walk.at[i].set(positions[i])
    return walk


@wrong("random-walks", "straight-lines")
def one_draw_times_the_time(key, particles, steps):
    return jax.random.normal(key, (particles,)) * jnp.arange(1, steps + 1)[:, None]


@wrong("random-walks", "all-alike")
def one_key_for_all_particles(key, particles, steps):
    walk = jax.vmap(lambda _: jnp.cumsum(jax.random.normal(key, (steps,))))(jnp.arange(particles))
    return walk.T


@wrong("random-walks", "wrong-value")
def drifts_to_one_side(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (steps, particles)) + 1, axis=0)
