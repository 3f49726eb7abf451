"""Answers to ring-shift."""

import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("ring-shift")
def by_a_permutation(a, k):
    i = jnp.arange(len(a))
    return (i[:, None] == (i + k) % len(a)) @ a


@right("ring-shift")
def brackets_that_count_from_the_end(a, k):
    return a[jnp.arange(len(a)) - k % len(a)]


@wrong("ring-shift", "not-a-primitive")
def with_roll(a, k):
    return jnp.roll(a, k)


@wrong("ring-shift", "loops")
def place_by_place(a, k):
    result = 0 * a
    for i in range(len(a)):
        result = result.at[(i + k) % len(a)].set(a[i])
    return result


@wrong("ring-shift", "no-ring")
def forgets_the_ring(a, k):
    return a[jnp.arange(len(a)) - k]


@wrong("ring-shift", "no-ring")
def goes_round_once(a, k):
    i = jnp.arange(len(a)) - k
    return a[jnp.where(i < 0, i + len(a), i)]


@wrong("ring-shift", "remainder-misplaced")
def divides_the_shift(a, k):
    return a[jnp.arange(len(a)) - k // len(a)]


@wrong("ring-shift", "counterexample")
def turns_twice(a, k):
    return a[(jnp.arange(len(a)) - 2 * k) % len(a)]
