"""Answers to sort-by-counting."""

import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


@right("sort-by-counting")
def by_a_key_without_ties(a):
    i = jnp.arange(len(a))
    key = a * len(a) + i
    place = (key < key[:, None]).sum(axis=1)
    return jnp.where(place[:, None] == i, a[:, None], 0).sum(axis=0)


@right("sort-by-counting")
def fetches_from_where_it_comes(a):
    j = jnp.arange(a.size)
    i = j[:, None]
    place = jnp.where(j < i, a <= a[:, None], a < a[:, None]).sum(axis=1)
    return a[((place[:, None] == j) * i).sum(axis=0)]


@wrong("sort-by-counting", "not-a-primitive")
def with_sort(a):
    return jnp.sort(a)


@wrong("sort-by-counting", "not-a-primitive")
def writes_to_the_places(a):
    i = jnp.arange(len(a))
    before = (a < a[:, None]) | ((a == a[:, None]) & (i < i[:, None]))
    return a.at[before.sum(axis=1)].set(a)


@wrong("sort-by-counting", "loops")
def writes_each_to_its_place(a):
    result = 0 * a
    for i in range(len(a)):
        place = (a < a[i]).sum() + (a[:i] == a[i]).sum()
        result = result.at[place].set(a[i])
    return result


@wrong("sort-by-counting", "counterexample")
def makes_a_key_with_too_little_room(a):
    i = jnp.arange(len(a))
    key = a * (len(a) - 1) + i
    place = (key < key[:, None]).sum(1)
    return (place == i[:, None]) @ a


@wrong("sort-by-counting", "counterexample")
def makes_a_key_for_a_thousand(a):
    i = jnp.arange(len(a))
    key = a * 1000 + i
    return ((key < key[:, None]).sum(1) == i[:, None]) @ a


@wrong("sort-by-counting", "counterexample")
def counts_the_numbers_of_one_digit(a):
    number, i = jnp.arange(-9, 10), jnp.arange(len(a))
    return ((a[:, None] <= number).sum(0) <= i[:, None]).sum(1) - 9


@wrong("sort-by-counting", "truth-value")
def forgets_brackets(a):
    i = jnp.arange(len(a))
    before = (a < a[:, None]) | (a == a[:, None] & i < i[:, None])
    return (before.sum(1) == i[:, None]) @ a


@wrong("sort-by-counting", "counts-itself")
def gives_the_smallest_place_one(a):
    i = jnp.arange(len(a))
    before = (a < a[:, None]) | ((a == a[:, None]) & (i < i[:, None]))
    return (1 + before.sum(1) == i[:, None]) @ a


@wrong("sort-by-counting", "counterexample")
def sorts_without_signs(a):
    i = jnp.arange(len(a))
    size = jnp.where(a < 0, -a, a)
    before = (size < size[:, None]) | ((size == size[:, None]) & (i < i[:, None]))
    return (before.sum(1) == i[:, None]) @ a


@wrong("sort-by-counting", "places-read-backwards")
def turns_the_last_mask_round(a):
    i = jnp.arange(len(a))
    before = (a < a[:, None]) | ((a == a[:, None]) & (i < i[:, None]))
    return a @ (before.sum(axis=1) == i[:, None])
