"""Answers to hessian-as-matrix."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from jaxcourse.exercise import right, wrong


@right("hessian-as-matrix")
def blocks_put_together(loss, params):
    blocks, keys = jax.hessian(loss)(params), sorted(params)
    rows = [jnp.concatenate([blocks[i][j].reshape(params[i].size, params[j].size) for j in keys], axis=1) for i in keys]
    return jnp.concatenate(rows)


@right("hessian-as-matrix")
def column_by_column(loss, params):
    flat, restore = ravel_pytree(params)
    gradient = jax.grad(lambda v: loss(restore(v)))
    columns = [jax.jvp(gradient, (flat,), (unit,))[1] for unit in jnp.eye(flat.size)]
    return np.stack(columns, axis=1)


@wrong("hessian-as-matrix", "other-unit")
def adds_a_little_to_the_diagonal(loss, params):
    flat, restore = ravel_pytree(params)
    return jax.hessian(lambda vector: loss(restore(vector)))(flat) + 1e-6 * jnp.eye(flat.size)


@wrong("hessian-as-matrix", "blocks")
def returns_the_blocks(loss, params):
    return jax.hessian(loss)(params)


@wrong("hessian-as-matrix", "not-sorted")
def in_the_order_of_writing(loss, params):
    blocks = jax.hessian(loss)(params)
    rows = [
        jnp.concatenate([blocks[i][j].reshape(params[i].size, params[j].size) for j in params], axis=1) for i in params
    ]
    return jnp.concatenate(rows)


@wrong("hessian-as-matrix", "own-blocks-only")
def keeps_the_own_blocks(loss, params):
    blocks = jax.hessian(loss)(params)
    own = [blocks[key][key].reshape(params[key].size, params[key].size) for key in sorted(params)]
    return jax.scipy.linalg.block_diag(*own)


@wrong("hessian-as-matrix", "diagonal-only")
def keeps_the_diagonal(loss, params):
    flat, restore = ravel_pytree(params)
    matrix = jax.hessian(lambda v: loss(restore(v)))(flat)
    return jnp.diag(jnp.diag(matrix))


@wrong("hessian-as-matrix", "one-row")
def returns_the_gradient(loss, params):
    flat, restore = ravel_pytree(params)
    return jax.grad(lambda v: loss(restore(v)))(flat)


@wrong("hessian-as-matrix", "inverted")
def inverts_it(loss, params):
    flat, restore = ravel_pytree(params)
    return jnp.linalg.inv(jax.hessian(lambda v: loss(restore(v)))(flat))


@wrong("hessian-as-matrix", "blocks-piled-up")
def piles_the_blocks(loss, params):
    n = ravel_pytree(params)[0].size
    return ravel_pytree(jax.hessian(loss)(params))[0].reshape(n, n)


@wrong("hessian-as-matrix", "column-by-column")
def takes_columns(loss, params):
    keys = sorted(params)
    sizes = [params[key].size for key in keys]

    def of_one(v):
        parts = jnp.split(v, np.cumsum(sizes)[:-1])
        return loss({key: part.reshape(params[key].shape, order="F") for key, part in zip(keys, parts, strict=True)})

    return jax.hessian(of_one)(jnp.concatenate([params[key].ravel(order="F") for key in keys]))


@wrong("hessian-as-matrix", "wrong-value")
def differences_of_the_gradient(loss, params):
    flat, restore = ravel_pytree(params)
    gradient = jax.grad(lambda v: loss(restore(v)))
    return jnp.stack([(gradient(flat + u) - gradient(flat - u)) / 2e-3 for u in jnp.eye(flat.size) * 1e-3])


@wrong("hessian-as-matrix", "gradient-squared")
def squares_the_gradient(loss, params):
    flat, restore = ravel_pytree(params)
    gradient = jax.grad(lambda v: loss(restore(v)))(flat)
    return jnp.outer(gradient, gradient)


@wrong("hessian-as-matrix", "one-row")
def adds_up_each_row(loss, params):
    flat, restore = ravel_pytree(params)
    gradient = jax.grad(lambda v: loss(restore(v)))
    return jax.jvp(gradient, (flat,), (jnp.ones_like(flat),))[1]


@wrong("hessian-as-matrix", "blocks")
def flattens_one_side_only(loss, params):
    flat, restore = ravel_pytree(params)
    return jax.jacfwd(lambda v: jax.grad(loss)(restore(v)))(flat)
