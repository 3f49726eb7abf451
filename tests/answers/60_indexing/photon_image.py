"""Answers to photon-image."""

import functools

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@wrong("photon-image", "minlength-missing")
def stops_at_the_last_hit(rows, columns, shape):
    return np.bincount(rows * shape[1] + columns).reshape(shape)


@wrong("photon-image", "kept-photons")
def adds_to_a_picture_that_is_kept(rows, columns, shape):
    image = kept_picture(*shape)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "array-used-again")
def empties_a_picture_that_is_kept(rows, columns, shape):
    image = kept_picture(*shape)
    image[...] = 0
    np.add.at(image, (rows, columns), 1)
    return image


@functools.cache
def kept_picture(height, width):
    return np.zeros((height, width), int)


@wrong("photon-image", "wrong-value")
def counts_from_one(rows, columns, shape):
    image = np.ones(shape, int)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "as-large-as-photons")
def ends_at_the_last_photon(rows, columns, shape):
    image = np.zeros((rows.max() + 1, columns.max() + 1), int)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "dark-pixels")
def fills_up_with_the_last(rows, columns, shape):
    counts = np.bincount(rows * shape[1] + columns)
    return np.pad(counts, (0, shape[0] * shape[1] - len(counts)), mode="edge").reshape(shape)


@wrong("photon-image", "overflows")
def saves_memory(rows, columns, shape):
    image = np.zeros(shape, np.uint8)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "overflows")
def saves_less_memory(rows, columns, shape):
    image = np.zeros(shape, np.uint16)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "addresses-overflow")
def saves_memory_in_the_addresses(rows, columns, shape):
    size = shape[0] * shape[1]
    flat = rows.astype(np.uint16) * np.uint16(shape[1]) + columns.astype(np.uint16)
    return np.bincount(flat, minlength=size)[:size].reshape(shape)


@wrong("photon-image", "bright-pixels")
def saturates(rows, columns, shape):
    return np.minimum(np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]), 255).reshape(shape)


@right("photon-image")
def adds_one_by_one(rows, columns, shape):
    image = np.zeros(shape, int)
    np.add.at(image, (rows, columns), 1)
    return image


@right("photon-image")
def places_and_counts(rows, columns, shape):
    image = np.zeros(shape)
    places, counts = np.unique(rows * shape[1] + columns, return_counts=True)
    image.ravel()[places] = counts
    return image


@right("photon-image")
def scatters_in_jax(rows, columns, shape):
    return jnp.zeros(shape, int).at[rows, columns].add(1)


@right("photon-image")
def loops_over_photons(rows, columns, shape):
    image = [[0] * shape[1] for _ in range(shape[0])]
    for row, column in zip(rows, columns, strict=True):
        image[row][column] += 1
    return np.array(image)


@wrong("photon-image", "no-array")
def counts_in_lists(rows, columns, shape):
    return loops_over_photons.answer(rows, columns, shape).tolist()


@wrong("photon-image", "addresses-overflow")
def takes_a_thousand_for_the_width(rows, columns, shape):
    size = 1000 * shape[0]
    counts = np.bincount(1000 * rows + columns, minlength=size)[:size]
    return counts.reshape(shape[0], 1000)[:, : shape[1]]


@wrong("photon-image", "counted-once")
def marks_what_was_hit(rows, columns, shape):
    image = np.zeros(shape, int)
    image[rows, columns] = 1
    return image


@wrong("photon-image", "minlength-missing")
def ends_at_the_last_address(rows, columns, shape):
    addresses = rows * shape[1] + columns
    return np.bincount(addresses, minlength=addresses.max()).reshape(shape)
