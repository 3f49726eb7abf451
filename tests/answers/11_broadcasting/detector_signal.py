"""Answers to detector-signal."""

import jax
import numpy as np

from jaxcourse.exercise import right, wrong


@right("detector-signal")
def as_one_matrix_product(gain, offset, source, glitch, noise):
    columns = np.stack([gain, np.ones_like(gain), offset], axis=1)
    return columns @ np.stack([source, glitch, np.ones_like(source)]) + noise


turned_and_back = right("detector-signal")(
    jax.jit(lambda gain, offset, source, glitch, noise: (source[:, None] * gain + glitch[:, None] + offset + noise.T).T)
)


@wrong("detector-signal", "loops")
def maps_over_the_rows(gain, offset, source, glitch, noise):
    return np.array(list(map(lambda g, o, n: g * source + glitch + o + n, gain, offset, noise)))


@wrong("detector-signal", "loops")
def row_by_row(gain, offset, source, glitch, noise):
    return np.array([g * source + glitch + o + n for g, o, n in zip(gain, offset, noise, strict=True)])


@wrong("detector-signal", "taken-for-a-row")
def turns_whatever_does_not_fit(gain, offset, source, glitch, noise):
    columns = [v if len(v) == noise.shape[1] else v[:, None] for v in (gain, offset)]
    return columns[0] * source + glitch + columns[1] + noise


@wrong("detector-signal", "wrong-value")
def halves_the_source(gain, offset, source, glitch, noise):
    return gain[:, None] * source / 2 + glitch + offset[:, None] + noise
