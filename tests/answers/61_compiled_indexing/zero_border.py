"""Answers to zero-border."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("zero-border", "thrown-away")
def throws_all_updates_away(x):
    x.at[0].set(0)
    x.at[-1].set(0)
    x.at[:, 0].set(0)
    x.at[:, -1].set(0)
    return x


@wrong("zero-border", "some-sides")
def keeps_the_last_update(x):
    x.at[0].set(0)
    x.at[-1].set(0)
    x.at[:, 0].set(0)
    return x.at[:, -1].set(0)


@wrong("zero-border", "some-sides")
def writes_beyond_the_end(x):
    return x.at[0].set(0).at[x.shape[0]].set(0).at[:, 0].set(0).at[:, x.shape[1]].set(0)


@wrong("zero-border", "corners-only")
def pairs_both_ends(x):
    ends = jnp.array([0, -1])
    return x.at[ends, ends].set(0)


@wrong("zero-border", "inside-out")
def empties_the_inside(x):
    return x.at[1:-1, 1:-1].set(0)


@wrong("zero-border", "not-jax")
def goes_back_to_numpy(x):
    y = np.array(x)
    y[[0, -1]] = 0
    y[:, [0, -1]] = 0
    return y


@wrong("zero-border", "returned-nothing")
def returns_nothing(x):
    x = x.at[0].set(0)


@wrong("zero-border", "TypeError")
def assigns_as_in_numpy(x):
    x[0] = 0
    return x


@wrong("zero-border", "border-added")
def adds_a_border(x):
    return jnp.pad(x, 1)


@wrong("zero-border", "nan-kept")
def multiplies_by_a_mask(x):
    return x * jnp.zeros_like(x).at[1:-1, 1:-1].set(1)


@wrong("zero-border", "wrong-value")
def forgets_that_slices_end_early(x):
    return x.at[0:1].set(0).at[-2:].set(0).at[:, 0].set(0).at[:, -1].set(0)


@wrong("zero-border", "another-dtype")
def fills_a_new_plate(x):
    return jnp.zeros(x.shape).at[1:-1, 1:-1].set(x[1:-1, 1:-1])


@right("zero-border")
def pads_the_inside(x):
    return jnp.pad(x[1:-1, 1:-1], 1)


@right("zero-border")
@jax.jit
def chooses_by_position(x):
    row, column = jnp.indices(x.shape)
    inside = (row > 0) & (row < x.shape[0] - 1) & (column > 0) & (column < x.shape[1] - 1)
    return jnp.where(inside, x, 0)


@wrong("zero-border", "corners-only")
def names_four_corners(x):
    return x.at[0, 0].set(0).at[0, -1].set(0).at[-1, 0].set(0).at[-1, -1].set(0)


equivalents = [
    equivalent("zero-border", "`:`  ->  `1:`", "the first row is 0 already"),
]
