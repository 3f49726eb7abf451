"""Answers to not-later."""

import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("not-later")
def numbers_not_truths(n):
    i = jnp.arange(n)
    return jnp.where(i[:, None] - i < 0, 0, 1)


@wrong("not-later", "not-a-primitive")
def with_tril(n):
    return jnp.tril(jnp.ones((n, n)))


@wrong("not-later", "loops")
def a_comparison_for_each_row(n):
    return [jnp.arange(n) <= i for i in range(n)]


@wrong("not-later", "truth-value")
def negates_a_whole_array(n):
    return not (jnp.arange(n) > jnp.arange(n)[:, None])


@wrong("not-later", "other-diagonal")
def turns_the_rows_round(n):
    i = jnp.arange(n)
    return i <= i[::-1, None]


@wrong("not-later", "counterexample")
def identity_again(n):
    return jnp.arange(n) == jnp.arange(n)[:, None]
