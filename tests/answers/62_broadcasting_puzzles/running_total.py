"""Answers to running-total."""

import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("running-total")
def the_total_less_what_is_later(a):
    i = jnp.arange(a.size)
    return a.sum() - (i > i[:, None]) @ a


@wrong("running-total", "not-a-primitive")
def with_cumsum(a):
    return jnp.cumsum(a)


@wrong("running-total", "not-a-primitive")
def calls_itself(a):
    def from_place(i):
        here = jnp.where(jnp.arange(len(a)) == i, a[: i + 1].sum(), 0)
        return here + from_place(i + 1) if i + 1 < len(a) else here

    return from_place(0)


@wrong("running-total", "loops")
def sums_of_slices(a):
    return [a[: i + 1].sum() for i in jnp.arange(len(a))]


@wrong("running-total", "truth-value")
def cuts_at_every_place_at_once(a):
    return a[: jnp.arange(len(a)) + 1].sum()


@wrong("running-total", "one-number")
def forgets_the_column(a):
    i = jnp.arange(len(a))
    return (i <= i) @ a


@wrong("running-total", "counterexample")
def multiplies_by_the_mask(a):
    i = jnp.arange(len(a))
    return (i <= i[:, None]) * a
