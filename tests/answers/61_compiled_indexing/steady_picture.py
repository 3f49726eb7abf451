"""Answers to steady-picture."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@right("steady-picture")
def sends_them_to_a_row_that_is_outside(seen, drift, shape):
    places = seen - drift
    rows = jnp.where((places >= 0).all(axis=1), places[:, 0], shape[0])
    return jnp.zeros(shape, int).at[rows, places[:, 1]].add(1)


@right("steady-picture")
def adds_whether_inside(seen, drift, shape):
    places = seen - drift
    inside = ((places >= 0) & (places < jnp.array(shape))).all(axis=1)
    rows, columns = jnp.where(inside[:, None], places, 0).T
    return jnp.zeros(shape, int).at[rows, columns].add(inside)


@right("steady-picture")
def counts_addresses_with_one_more(seen, drift, shape):
    height, width = shape
    rows, columns = (seen - drift).T
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    pixels = jnp.where(inside, rows * width + columns, height * width)
    return jnp.bincount(pixels, length=height * width + 1)[:-1].reshape(shape)


@right("steady-picture")
def sums_segments(seen, drift, shape):
    height, width = shape
    rows, columns = (seen - drift).T
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    return jax.ops.segment_sum(inside * 1, rows * width + columns, height * width).reshape(shape)


@wrong("steady-picture", "counted-once")
def assigns_ones(seen, drift, shape):
    rows, columns = (seen - drift).T
    return jnp.zeros(shape).at[rows, columns].set(1, mode="drop", wrap_negative_indices=False)


@wrong("steady-picture", "nothing-written")
def asks_and_does_not_keep(seen, drift, shape):
    image = jnp.zeros(shape)
    rows, columns = (seen - drift).T
    image.at[rows, columns].add(1, mode="drop", wrap_negative_indices=False)
    return image


@wrong("steady-picture", "comes-in-again")
def trusts_drop(seen, drift, shape):
    rows, columns = (seen - drift).T
    return jnp.zeros(shape, int).at[rows, columns].add(1, mode="drop")


@wrong("steady-picture", "comes-in-again")
def takes_minus_one_for_outside(seen, drift, shape):
    places = seen - drift
    inside = ((places >= 0) & (places < jnp.array(shape))).all(axis=1)
    rows, columns = jnp.where(inside[:, None], places, -1).T
    return jnp.zeros(shape, int).at[rows, columns].add(1)


@wrong("steady-picture", "piled-up")
def clips(seen, drift, shape):
    rows, columns = jnp.clip(seen - drift, 0, jnp.array(shape) - 1).T
    return jnp.zeros(shape, int).at[rows, columns].add(1)


@wrong("steady-picture", "goes-round")
def takes_the_remainder(seen, drift, shape):
    rows, columns = ((seen - drift) % jnp.array(shape)).T
    return jnp.zeros(shape, int).at[rows, columns].add(1)


@wrong("steady-picture", "in-the-next-row")
def asks_the_address_alone(seen, drift, shape):
    height, width = shape
    rows, columns = (seen - drift).T
    image = jnp.zeros(height * width, int)
    image = image.at[rows * width + columns].add(1, mode="drop", wrap_negative_indices=False)
    return image.reshape(shape)


@wrong("steady-picture", "drift-ignored")
def forgets_the_drift(seen, drift, shape):
    return jnp.zeros(shape, int).at[seen[:, 0], seen[:, 1]].add(1)


@wrong("steady-picture", "shape-depends-on-data")
def selects_what_is_inside(seen, drift, shape):
    places = seen - drift
    rows, columns = places[((places >= 0) & (places < jnp.array(shape))).all(axis=1)].T
    return jnp.zeros(shape, int).at[rows, columns].add(1)


@wrong("steady-picture", "needs-the-numbers")
def loops_in_python(seen, drift, shape):
    image = jnp.zeros(shape, int)
    for row, column in seen - drift:
        if 0 <= row < shape[0] and 0 <= column < shape[1]:
            image = image.at[row, column].add(1)
    return image


@wrong("steady-picture", "bright-pixels")
def saves_memory(seen, drift, shape):
    rows, columns = (seen - drift).T
    return jnp.zeros(shape, jnp.int16).at[rows, columns].add(1, mode="drop", wrap_negative_indices=False)


@wrong("steady-picture", "far-away")
def takes_a_large_number_for_outside(seen, drift, shape):
    places = seen - drift
    rows = jnp.where((places >= 0).all(axis=1), places[:, 0], 9999)
    return jnp.zeros(shape, int).at[rows, places[:, 1]].add(1)


@wrong("steady-picture", "dark")
def looks_for_the_brightest_place(seen, drift, shape):
    places = seen - drift
    places = jnp.where(places < 0, places.max() + max(shape), places)
    return jnp.zeros(shape, int).at[places[:, 0], places[:, 1]].add(1)


@wrong("steady-picture", "wrong-value")
def loses_the_first_row(seen, drift, shape):
    rows, columns = (seen - drift).T
    rows = jnp.where((rows > 0) & (columns >= 0), rows, shape[0])
    return jnp.zeros(shape, int).at[rows, columns].add(1)


@wrong("steady-picture", "drift-added")
def follows_the_drift(seen, drift, shape):
    rows, columns = (seen + drift).T
    return jnp.zeros(shape, int).at[rows, columns].add(1, mode="drop", wrap_negative_indices=False)


@wrong("steady-picture", "drift-swapped")
def takes_the_drift_as_x_and_y(seen, drift, shape):
    rows, columns = (seen - drift[:, ::-1]).T
    return jnp.zeros(shape, int).at[rows, columns].add(1, mode="drop", wrap_negative_indices=False)


@wrong("steady-picture", "swapped")
def takes_places_as_x_and_y(seen, drift, shape):
    columns, rows = (seen - drift).T
    return jnp.zeros(shape, int).at[rows, columns].add(1, mode="drop", wrap_negative_indices=False)


@wrong("steady-picture", "IndexError")
def names_an_axis_too_many(seen, drift, shape):
    places = seen - drift
    return jnp.zeros(shape, int).at[places[:, 0], places[:, 1], 0].add(1, mode="drop")


@wrong("steady-picture", "comes-in-again")
def sends_only_rows_outside(seen, drift, shape):
    rows, columns = (seen - drift).T
    return jnp.zeros(shape, int).at[jnp.where(rows < 0, shape[0], rows), columns].add(1, mode="drop")


@wrong("steady-picture", "needs-the-numbers")
def asks_for_places(seen, drift, shape):
    image = jnp.zeros(shape, int)
    for row, column in (seen - drift).tolist():
        image = image.at[row, column].add(1, mode="drop", wrap_negative_indices=False)
    return image


@wrong("steady-picture", "shape-depends-on-data")
def gives_bincount_no_length(seen, drift, shape):
    rows, columns = (seen - drift).T
    return jnp.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


@right("steady-picture")
def counts_one_photon_after_another(seen, drift, shape):
    image = jnp.zeros(shape, int)
    for k in range(len(seen)):
        row, column = seen[k] - drift[k]
        image = image.at[row, column].add(1, wrap_negative_indices=False)
    return image


equivalents = [
    equivalent("steady-picture", "`jnp.asarray(seen)`  ->  `seen`", "they are arrays, whose difference is one"),
    equivalent("steady-picture", "`jnp.asarray(drift)`  ->  `drift`", "they are arrays, whose difference is one"),
    equivalent(
        "steady-picture",
        "`jnp.zeros(shape, jnp.int32)`  ->  `jnp.zeros(shape)`",
        "a count may be a floating-point number: no dtype is asked for",
    ),
    equivalent("steady-picture", "`jnp.int32`  ->  `jnp.int64`", "a count may have any dtype"),
    equivalent("steady-picture", "`jnp.int32`  ->  `jnp.uint32`", "a count may have any dtype"),
]
