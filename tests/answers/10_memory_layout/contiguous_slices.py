"""Answers to contiguous-slices."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("contiguous-slices")
def one_is_enough(x):
    return (x.ravel(order="K"),)


@right("contiguous-slices")
def columns_from_the_last(x):
    return [x[:, j] for j in reversed(range(x.shape[1]))] if x.flags.f_contiguous else [*x]


@wrong("contiguous-slices", "incomplete")
def as_many_columns_as_rows(x):
    return list(x) if x.flags.c_contiguous else [x[:, j] for j in range(min(x.shape))]


@wrong("contiguous-slices", "twice")
def overlapping_pieces(x):
    flat = x.ravel(order="K")
    return [flat[i : i + 5] for i in range(0, x.size, 4)]


@wrong("contiguous-slices", "not-a-list")
def every_number(x):
    return list(x.ravel(order="K"))


@wrong("contiguous-slices", "jumps-in-f-order")
def rows_always(x):
    return list(x)


@wrong("contiguous-slices", "jumps-in-c-order")
def columns_always(x):
    return list(x.T)


@wrong("contiguous-slices", "copied")
def makes_rows_contiguous(x):
    return [np.array(row) for row in x]


@wrong("contiguous-slices", "incomplete")
def loses_the_last(x):
    return list(x if x.flags.c_contiguous else x.T)[:-1]


@wrong("contiguous-slices", "wrong-axes")
def one_big_slice(x):
    return [x]


@wrong("contiguous-slices", "not-a-list")
def returns_the_array(x):
    return x


@wrong("contiguous-slices", "empty-list")
def puts_nothing_into_the_list(x):
    slices = []
    for row in x:
        row.copy()
    return slices


@wrong("contiguous-slices", "not-a-list")
def cuts_in_jax(x):
    return list(jnp.asarray(np.ascontiguousarray(x).view(np.int8)))
