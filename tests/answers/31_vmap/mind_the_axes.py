"""Answers to mind-the-axes."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


def centre(masses, positions):
    """The function of the set-up cell."""
    return masses @ positions / masses.sum()


@right("mind-the-axes")
def moves_the_axes_first(masses, positions):
    return jax.vmap(centre)(masses, jnp.moveaxis(positions, -1, 0)).T


@right("mind-the-axes")
def without_vmap(masses, positions):
    return jnp.einsum("np,pdn->dn", masses / masses.sum(1, keepdims=True), positions)


@wrong("mind-the-axes", "axes-clash")
def both_in_front(masses, positions):
    return jax.vmap(centre)(masses, positions).T


@wrong("mind-the-axes", "batch-in-front")
def forgets_out_axes(masses, positions):
    return jax.vmap(centre, in_axes=(0, 2))(masses, positions)


@wrong("mind-the-axes", "not-divided")
def sums_only(masses, positions):
    return jax.vmap(jnp.dot, in_axes=(0, 2), out_axes=1)(masses, positions)


@wrong("mind-the-axes", "not-weighted")
def plain_mean(masses, positions):
    return positions.mean(axis=0)


@wrong("mind-the-axes", "divided-by-all")
def divides_by_everything(masses, positions):
    return jnp.einsum("np,pdn->dn", masses, positions) / masses.sum()


@wrong("mind-the-axes", "loops")
def goes_through_the_clusters(masses, positions):
    return jnp.stack([centre(masses[i], positions[:, :, i]) for i in range(len(masses))], axis=1)


@wrong("mind-the-axes", "reshaped")
def reshapes_the_result(masses, positions):
    return jax.vmap(centre, in_axes=(0, 2))(masses, positions).reshape(positions.shape[1:])


@wrong("mind-the-axes", "wrong-value")
def guards_the_division(masses, positions):
    def one(mass, position):
        return mass @ position / (mass.sum() + 1e-6)

    return jax.vmap(one, in_axes=(0, 2), out_axes=1)(masses, positions)


@wrong("mind-the-axes", "axis-lost")
def squeezes(masses, positions):
    return jax.vmap(centre, in_axes=(0, 2), out_axes=1)(masses, positions).squeeze()


@wrong("mind-the-axes", "wrong-value")
def of_the_first_cluster(masses, positions):
    return jnp.stack([centre(masses[0], positions[:, :, 0])] * len(masses), axis=1)


@wrong("mind-the-axes", "reshaped")
def reshapes_in_place_of_moving(masses, positions):
    p, d, n = positions.shape
    return jax.vmap(centre)(masses, positions.reshape(n, p, d)).T


@wrong("mind-the-axes", "axes-clash")
def takes_the_stars_for_clusters(masses, positions):
    return jax.vmap(centre, in_axes=(1, 2), out_axes=1)(masses, positions)


@wrong("mind-the-axes", "batch-in-front")
def asks_einsum_for_rows(masses, positions):
    return jnp.einsum("np,pdn->nd", masses, positions) / masses.sum(1)[:, None]


equivalents = [
    equivalent("mind-the-axes", "`1`  ->  `-1`", "a result of two axes: the last is axis 1"),
]
