"""Answers to power-table."""

import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("power-table")
def zeroth_by_itself(x, k):
    j = jnp.arange(k)[None]
    return jnp.where(j == 0, 1, x[:, None] ** j)


@wrong("power-table", "not-a-primitive")
def with_vander(x, k):
    return jnp.vander(x, k, increasing=True)


@wrong("power-table", "loops")
def multiplies_from_power_to_power(x, k):
    columns = [x * 0 + 1]
    while len(columns) < k:
        columns.append(columns[-1] * x)
    return jnp.stack(columns, axis=1)


@wrong("power-table", "counterexample")
def ten_powers_at_most(x, k):
    return x[:, None] ** jnp.arange(10)[:k]


@wrong("power-table", "counterexample")
def four_powers(x, k):
    return x[:, None] ** jnp.arange(4)
