"""Answers to trend-and-season."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("trend-and-season")
def by_complex_turns(t, harmonics):
    turns = jnp.exp(2j * jnp.pi * t[:, None] * jnp.arange(1, harmonics + 1))
    season = jnp.stack([turns.imag, turns.real], axis=-1).reshape(t.size, -1)
    return jnp.concatenate([jnp.stack([t**0, t, t * t / 2], 1), season], axis=1)


@right("trend-and-season")
def row_by_row(t, harmonics):
    def row(when):
        trend = jnp.array([1.0, when, 0.5 * when * when])
        angles = 2 * jnp.pi * when * jnp.arange(1, harmonics + 1)
        return jnp.concatenate([trend, jnp.vstack([jnp.sin(angles), jnp.cos(angles)]).T.ravel()])

    return jax.vmap(row)(t)


@right("trend-and-season")
def written_into_place(t, harmonics):
    matrix = jnp.zeros((t.shape[0], 3 + 2 * harmonics)).at[:, 0].set(1).at[:, 1].set(t).at[:, 2].set(t * t / 2)
    for k in range(harmonics):
        matrix = matrix.at[:, 3 + 2 * k].set(jnp.sin(2 * np.pi * (k + 1) * t))
        matrix = matrix.at[:, 4 + 2 * k].set(jnp.cos(2 * np.pi * (k + 1) * t))
    return matrix


@wrong("trend-and-season", "wrong-value")
def level_is_the_time_of_the_first(t, harmonics):
    columns = [t[0] + 0 * t, t, t**2 / 2]
    for k in range(1, harmonics + 1):
        columns += [jnp.sin(2 * jnp.pi * k * t), jnp.cos(2 * jnp.pi * k * t)]
    return jnp.stack(columns, axis=1)
