"""Answers to one-hot-rows."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@right("one-hot-rows")
def neither_smaller_nor_larger(labels, k):
    label, j = labels[:, None], jnp.arange(k)[None]
    return ~((label < j) | (label > j))


@wrong("one-hot-rows", "not-a-primitive")
def with_nn(labels, k):
    return jax.nn.one_hot(labels, k)


@wrong("one-hot-rows", "loops")
def class_by_class(labels, k):
    return jnp.stack([labels == j for j in range(k)], axis=1)


@wrong("one-hot-rows", "rows-picked")
def rows_of_an_identity(labels, k):
    i = jnp.arange(k)
    return (i[:, None] == i)[labels]


@wrong("one-hot-rows", "counterexample")
def wraps_far_away(labels, k):
    return labels[:, None] % (3 * k) == jnp.arange(k)


@wrong("one-hot-rows", "counterexample")
def only_the_first_class(labels, k):
    return (labels[:, None] == jnp.arange(k)) & (jnp.arange(k) == 0)


equivalents = [
    equivalent(
        "one-hot-rows",
        "`(labels[:, None] == jnp.arange(k)) * 1`  ->  `(labels[:, None] == jnp.arange(k)) / 1`",
        "the dtype is free",
    ),
    equivalent(
        "one-hot-rows",
        "`(labels[:, None] == jnp.arange(k)) * 1`  ->  `labels[:, None] == jnp.arange(k)`",
        "`True` counts as 1",
    ),
]
