"""Answers to nearest-line."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong

from ..nearest_line import (
    divides_by_the_wavelength,
    gives_distances,
    gives_wavelengths,
    keeps_the_sign,
    looks_along_the_measured,
    looks_in_the_whole_table,
    rounds_distances,
    searches_as_if_sorted,
    takes_the_next_above,
)


@wrong("nearest-line", "sorted-position")
def sorts_first(measured, catalogue):
    return np.abs(np.subtract.outer(measured, np.sort(catalogue))).argmin(axis=1)


@wrong("nearest-line", "not-whole")
def gives_floats(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=1) * 1.0


@wrong("nearest-line", "wrong-value")
def keeps_positions_in_a_byte(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=1).astype(np.int8)


@wrong("nearest-line", "loops")
def looks_line_by_line(measured, catalogue):
    return np.array([np.abs(catalogue - line).argmin() for line in measured])


@wrong("nearest-line", "loops")
def compares_known_line_by_known_line(measured, catalogue):
    best = np.zeros(len(measured), int)
    for k, line in enumerate(catalogue):
        best = np.where(np.abs(measured - line) < np.abs(measured - catalogue[best]), k, best)
    return best


@wrong("nearest-line", "wrong-value")
def finds_the_farthest(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmax(axis=1)


@wrong("nearest-line", "rounded")
def rounds_to_thousandths(measured, catalogue):
    whole = [np.rint(1000 * lines).astype(np.int64) for lines in (measured, catalogue)]
    return np.abs(np.subtract.outer(*whole)).argmin(axis=1)


@right("nearest-line")
def searches_between_midpoints(measured, catalogue):
    order = np.argsort(catalogue)
    known = catalogue[order]
    return order[np.searchsorted((known[1:] + known[:-1]) / 2, measured)]


@right("nearest-line")
@jax.jit
def broadcasts_in_jax(measured, catalogue):
    return jnp.argmin((measured[:, None] - catalogue) ** 2, axis=-1)


mistakes = [
    wrong("nearest-line", "sign-kept")(keeps_the_sign),
    wrong("nearest-line", "wrong-axis")(looks_along_the_measured),
    wrong("nearest-line", "gave-the-distance")(gives_distances),
    wrong("nearest-line", "gave-the-wavelength")(gives_wavelengths),
    wrong("nearest-line", "one-position")(looks_in_the_whole_table),
    wrong("nearest-line", "not-sorted")(searches_as_if_sorted),
    wrong("nearest-line", "next-above")(takes_the_next_above),
    wrong("nearest-line", "relative")(divides_by_the_wavelength),
    wrong("nearest-line", "rounded")(rounds_distances),
]
