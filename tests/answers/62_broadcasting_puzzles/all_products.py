"""Answers to all-products."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("all-products")
def as_a_matrix_product(a, b):
    return a[:, None] @ b[None]


all_products_compiled = right("all-products")(jax.jit(lambda a, b: b * a[..., None]))


@right("all-products")
def by_the_name_of_none(a, b):
    return a[:, jnp.newaxis] * b


@wrong("all-products", "not-a-primitive")
def with_outer(a, b):
    return jnp.outer(a, b)


with_vmap = wrong("all-products", "not-a-primitive")(jax.vmap(lambda p, b: p * b, in_axes=(0, None)))


@wrong("all-products", "loops")
def row_after_row(a, b):
    return [a[i] * b for i in jnp.arange(len(a))]


@wrong("all-products", "counterexample")
def differences_instead(a, b):
    return a[:, None] - b
