"""Answers to count-hits."""

import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("count-hits")
def ones_times_the_mask(where, k):
    return (where * 0 + 1) @ (where[:, None] == jnp.arange(k))


@right("count-hits")
def edges_apart(where, k):
    below = (where[:, None] < jnp.arange(k + 1)).sum(axis=0)
    return below[1:] - below[:-1]


@right("count-hits")
def rows_added_by_python(where, k):
    return sum(where[:, None] == jnp.arange(k), 0 * jnp.arange(k))


@wrong("count-hits", "misses-counted")
def with_bincount(where, k):
    return jnp.bincount(where, length=k)


@wrong("count-hits", "not-a-primitive")
def with_count_nonzero(where, k):
    return jnp.count_nonzero(where[:, None] == jnp.arange(k), axis=0)


@wrong("count-hits", "loops")
def pixel_by_pixel(where, k):
    return [(where == j).sum() for j in jnp.arange(k)]


@wrong("count-hits", "not-summed")
def returns_the_rows(where, k):
    return (where[:, None] == jnp.arange(k)) * 1


@wrong("count-hits", "one-number")
def counts_all_that_hit_something(where, k):
    return ((where >= 0) & (where < k)).sum()


@wrong("count-hits", "counterexample")
def counts_twice(where, k):
    return 2 * (where[:, None] == jnp.arange(k)).sum(axis=0)
