"""Answers to undo-total."""

import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@right("undo-total")
def by_two_diagonals(a):
    i = jnp.arange(len(a))
    return ((i[:, None] == i) * 1 - (i[:, None] == i + 1) * 1) @ a


@wrong("undo-total", "not-a-primitive")
def with_diff(a):
    return jnp.diff(a, prepend=0)


@wrong("undo-total", "not-a-primitive")
def with_at_and_set(a):
    return a.at[1:].set(a[1:] - a[:-1])


@wrong("undo-total", "loops")
def steps_one_by_one(a):
    return [a[0], *(a[i] - a[i - 1] for i in range(1, len(a)))]


@wrong("undo-total", "next-not-last")
def looks_ahead(a):
    i = jnp.arange(len(a))
    return jnp.where(i == 0, a, a[i + 1] - a)


@wrong("undo-total", "counterexample")
def adds_the_one_before_instead(a):
    i = jnp.arange(len(a))
    return jnp.where(i == 0, a, a + a[i - 1])


equivalents = [
    equivalent(
        "undo-total",
        "`jnp.where(i == 0, a, a - a[i - 1])`  ->  `(i == 0) * a + (1 - (i == 0)) * (a - a[i - 1])`",
        "whole numbers are finite",
    ),
]
