"""Answers to nearest-line."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


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


@wrong("nearest-line", "sign-kept")
def multiplies_every_pair(measured, catalogue):
    return np.abs(np.outer(measured, catalogue)).argmin(axis=1)


@wrong("nearest-line", "sign-kept")
def takes_no_sign_of_what_has_none(measured, catalogue):
    return (np.abs(measured)[:, None] - catalogue).argmin(axis=1)


@right("nearest-line")
def makes_a_list_of_them(measured, catalogue):
    return list(np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=1))
