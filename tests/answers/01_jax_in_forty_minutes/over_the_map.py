"""Answers to over-the-map."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("over-the-map")
def from_a_list_of_places(f, east, north):
    x, y = jnp.meshgrid(east, north)
    places = jnp.stack([x.ravel(), y.ravel()], axis=1)
    return jax.vmap(f)(places).reshape(len(north), len(east))


@right("over-the-map")
def mapped_twice_over_a_grid(f, east, north):
    return jax.jit(jax.vmap(jax.vmap(f)))(jnp.stack(jnp.meshgrid(east, north), axis=-1))


@right("over-the-map")
def inner_over_the_north(f, east, north):
    column = jax.vmap(lambda x, y: f(jnp.array([x, y])), in_axes=(None, 0))
    return jax.vmap(column, in_axes=(0, None), out_axes=1)(east, north)


@right("over-the-map")
def one_after_the_other(f, east, north):
    return jax.lax.map(lambda y: jax.lax.map(lambda x: f(jnp.stack([x, y])), east), north)


@right("over-the-map")
def by_vectorize(f, east, north):
    return jnp.vectorize(f, signature="(n)->()")(jnp.stack(jnp.meshgrid(east, north), axis=-1))


@right("over-the-map")
def in_closures(f, east, north):
    return jax.vmap(lambda y: jax.vmap(lambda x: f(jnp.zeros(2).at[0].set(x).at[1].set(y)))(east))(north)


@wrong("over-the-map", "transposed")
def outer_over_the_east(f, east, north):
    return jax.vmap(lambda x: jax.vmap(lambda y: f(jnp.stack([x, y])))(north))(east)


@wrong("over-the-map", "transposed")
def by_matrix_indexing(f, east, north):
    x, y = jnp.meshgrid(east, north, indexing="ij")
    return jax.vmap(jax.vmap(f))(jnp.stack([x, y], axis=-1))


@wrong("over-the-map", "swapped")
def north_first(f, east, north):
    return jax.vmap(lambda y: jax.vmap(lambda x: f(jnp.stack([y, x])))(east))(north)


@wrong("over-the-map", "both")
def everything_turned(f, east, north):
    return jax.vmap(lambda x: jax.vmap(lambda y: f(jnp.stack([y, x])))(north))(east)


@wrong("over-the-map", "in-one-row")
def never_reshaped(f, east, north):
    return jax.vmap(f)(jnp.stack(jnp.meshgrid(east, north), axis=-1).reshape(-1, 2))


@wrong("over-the-map", "reshaped")
def reshaped_in_another_order(f, east, north):
    places = jnp.stack(jnp.meshgrid(east, north, indexing="ij"), axis=-1).reshape(-1, 2)
    return jax.vmap(f)(places).reshape(len(north), len(east))


@wrong("over-the-map", "upside-down")
def as_an_image(f, east, north):
    return jax.vmap(lambda y: jax.vmap(lambda x: f(jnp.stack([x, y])))(east))(north[::-1])


@wrong("over-the-map", "not-a-vector")
def a_pair_of_numbers(f, east, north):
    return jax.vmap(lambda y: jax.vmap(lambda x: f([x, y]))(east))(north)


@wrong("over-the-map", "not-one-place")
def the_whole_map(f, east, north):
    return f(jnp.stack(jnp.meshgrid(east, north), axis=-1))


@wrong("over-the-map", "not-one-place")
def one_map_too_few(f, east, north):
    return jax.vmap(f)(jnp.stack(jnp.meshgrid(east, north), axis=-1))


@wrong("over-the-map", "not-one-place")
def coordinates_in_front(f, east, north):
    return jax.vmap(jax.vmap(f))(jnp.stack(jnp.meshgrid(east, north)))


@wrong("over-the-map", "two-arguments")
def two_numbers(f, east, north):
    return jax.vmap(jax.vmap(f, in_axes=(0, None)), in_axes=(None, 0))(east, north)


@wrong("over-the-map", "side-by-side")
def both_at_once(f, east, north):
    return jax.vmap(lambda x, y: f(jnp.stack([x, y])))(east, north)


@wrong("over-the-map", "loop-in-a-trace")
def by_numpy(f, east, north):
    return jax.vmap(lambda y: jax.vmap(lambda x: f(jnp.asarray(np.array([x, y]))))(east))(north)


@wrong("over-the-map", "loops")
def two_loops(f, east, north):
    return jnp.array([[f(jnp.stack([x, y])) for x in east] for y in north])


@wrong("over-the-map", "loops")
def a_loop_over_rows(f, east, north):
    return jnp.stack([jax.vmap(lambda x: f(jnp.stack([x, y])))(east) for y in north])  # noqa: B023


@wrong("over-the-map", "wrong-value")
def from_zero(f, east, north):
    return jax.vmap(lambda y: jax.vmap(lambda x: f(jnp.stack([x, y])))(east - east[0]))(north - north[0])


@wrong("over-the-map", "wrong-value")
def a_part_for_each_axis(f, east, north):
    of_east = jax.vmap(f)(jnp.stack([east, jnp.zeros_like(east)], axis=1))
    of_north = jax.vmap(f)(jnp.stack([jnp.zeros_like(north), north], axis=1))
    return of_east[None] + of_north[:, None] - f(jnp.zeros(2))


equivalents = [equivalent("over-the-map", "`0`  ->  `-1`", "a vector has one axis")]
