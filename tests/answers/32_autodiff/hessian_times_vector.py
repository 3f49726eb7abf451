"""Answers to hessian-times-vector."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from jaxcourse.exercise import equivalent, right, wrong


@right("hessian-times-vector")
def gradient_of_the_slope_along_it(loss, params, direction):
    def along(params):
        products = jax.tree.map(lambda g, d: jnp.sum(g * d), jax.grad(loss)(params), direction)
        return sum(jax.tree.leaves(products))

    return jax.grad(along)(params)


@right("hessian-times-vector")
def pulled_back(loss, params, direction):
    (product,) = jax.vjp(jax.grad(loss), params)[1](direction)
    return product


@wrong("hessian-times-vector", "other-unit")
def adds_a_little_of_the_direction(loss, params, direction):
    product = jax.jvp(jax.grad(loss), (params,), (direction,))[1]
    return jax.tree.map(lambda h, d: h + 1e-6 * d, product, direction)


@wrong("hessian-times-vector", "zero-direction")
def divides_by_the_length(loss, params, direction):
    length = jnp.linalg.norm(ravel_pytree(direction)[0])
    unit = jax.tree.map(lambda leaf: leaf / length, direction)
    product = jax.jvp(jax.grad(loss), (params,), (unit,))[1]
    return jax.tree.map(lambda leaf: length * leaf, product)


@wrong("hessian-times-vector", "matrix-made")
def makes_the_matrix(loss, params, direction):
    flat, restore = ravel_pytree(params)
    return restore(jax.hessian(lambda v: loss(restore(v)))(flat) @ ravel_pytree(direction)[0])


@wrong("hessian-times-vector", "both-returned")
def forgets_the_one(loss, params, direction):
    return jax.jvp(jax.grad(loss), (params,), (direction,))


@wrong("hessian-times-vector", "still-in-a-tuple")
def forgets_the_tuple(loss, params, direction):
    return jax.vjp(jax.grad(loss), params)[1](direction)


@wrong("hessian-times-vector", "one-number")
def slope_along_it(loss, params, direction):
    return jax.jvp(loss, (params,), (direction,))[1]


@wrong("hessian-times-vector", "gradient-only")
def takes_the_value(loss, params, direction):
    return jax.jvp(jax.grad(loss), (params,), (direction,))[0]


@wrong("hessian-times-vector", "gradient-times-direction")
def multiplies_the_gradient(loss, params, direction):
    return jax.tree.map(jnp.multiply, jax.grad(loss)(params), direction)


@wrong("hessian-times-vector", "diagonal-only")
def uses_the_diagonal(loss, params, direction):
    flat, restore = ravel_pytree(params)
    matrix = jax.hessian(lambda v: loss(restore(v)))(flat)
    return restore(jnp.diag(matrix) * ravel_pytree(direction)[0])


@wrong("hessian-times-vector", "gradient-squared")
def multiplies_the_gradient_by_its_slope(loss, params, direction):
    slope = jax.jvp(loss, (params,), (direction,))[1]
    return jax.tree.map(lambda g: g * slope, jax.grad(loss)(params))


@wrong("hessian-times-vector", "gradient-at-the-direction")
def takes_the_direction_for_the_place(loss, params, direction):
    return jax.grad(loss)(direction)


@wrong("hessian-times-vector", "whole-step")
def goes_all_the_way(loss, params, direction):
    gradient = jax.grad(loss)
    return jax.tree.map(jnp.subtract, gradient(jax.tree.map(jnp.add, params, direction)), gradient(params))


@wrong("hessian-times-vector", "leaf-by-leaf")
def one_leaf_at_a_time(loss, params, direction):
    leaves, form = jax.tree.flatten(params)
    products = []
    for place, along in enumerate(jax.tree.leaves(direction)):

        def of_one(leaf, place=place):
            return loss(jax.tree.unflatten(form, [*leaves[:place], leaf, *leaves[place + 1 :]]))

        products.append(jax.jvp(jax.grad(of_one), (leaves[place],), (along,))[1])
    return jax.tree.unflatten(form, products)


@wrong("hessian-times-vector", "rows-added-up")
def adds_up_the_rows(loss, params, direction):
    ones = jax.tree.map(jnp.ones_like, params)
    return jax.tree.map(jnp.multiply, jax.jvp(jax.grad(loss), (params,), (ones,))[1], direction)


@wrong("hessian-times-vector", "calls-python")
def makes_the_matrix_where_nobody_looks(loss, params, direction):
    flat, restore = ravel_pytree(params)
    along = ravel_pytree(direction)[0]

    def product(v, d):
        return np.asarray(jax.hessian(lambda v: loss(restore(v)))(v)) @ d

    return restore(jax.pure_callback(product, along, flat, along))


@wrong("hessian-times-vector", "other-structure")
def returns_one_vector(loss, params, direction):
    product = jax.jvp(jax.grad(loss), (params,), (direction,))[1]
    return [ravel_pytree(product)[0]]


@wrong("hessian-times-vector", "wrong-value")
def difference_of_gradients(loss, params, direction):
    moved = jax.tree.map(lambda p, d: p + 1e-4 * d, params, direction)
    return jax.tree.map(lambda a, b: (a - b) / 1e-4, jax.grad(loss)(moved), jax.grad(loss)(params))


@wrong("hessian-times-vector", "both-returned")
def pushes_through_value_and_gradient(loss, params, direction):
    return jax.jvp(jax.value_and_grad(loss), (params,), (direction,))[1]


equivalents = [
    equivalent("hessian-times-vector", "`1`  ->  `-1`", "the second of two results is the last"),
]
