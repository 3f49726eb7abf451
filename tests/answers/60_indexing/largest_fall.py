"""Answers to largest-fall."""

import jax
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("largest-fall", "unbroken-only")
def adds_falls_until_it_rises(level):
    falls = np.maximum(-np.diff(level, axis=-1, prepend=level[..., :1]), 0)
    total = np.cumsum(falls, axis=-1)
    return (total - np.maximum.accumulate(np.where(falls == 0, total, 0), axis=-1)).max(axis=-1)


@wrong("largest-fall", "several-reservoirs")
def pairs_of_one_reservoir(level):
    return np.tril(level - level[..., None]).max(axis=(0, 1))


@wrong("largest-fall", "one-moment")
def compares_all_later_ones(level):
    highest = np.maximum.accumulate(level, axis=-1)[..., :-1]
    return np.maximum((highest - level[..., 1:]).max(axis=-1), 0)


@wrong("largest-fall", "wrong-value")
def begins_far_below(level):
    highest = np.maximum.accumulate(np.maximum(level, -1e6), axis=-1)
    return (highest - level).max(axis=-1)


@wrong("largest-fall", "wrong-value")
def takes_a_small_fall_for_none(level):
    fall = (np.maximum.accumulate(level, axis=-1) - level).max(axis=-1)
    return np.where(fall < 1e-6, 0, fall)


@wrong("largest-fall", "loops")
def loops_over_all_but_two_axes(level):
    if level.ndim > 2:
        return np.array([(np.maximum.accumulate(part, axis=-1) - part).max(axis=-1) for part in level])
    return (np.maximum.accumulate(level, axis=-1) - level).max(axis=-1)


@wrong("largest-fall", "loops")
def loops_over_moments(level):
    highest, worst = level[..., 0], 0 * level[..., 0]
    for k in range(level.shape[-1]):
        highest = np.maximum(highest, level[..., k])
        worst = np.maximum(worst, highest - level[..., k])
    return worst


one_reservoir_after_another = wrong("largest-fall", "loops")(
    np.vectorize(lambda level: (np.maximum.accumulate(level) - level).max(), signature="(n)->()")
)


@wrong("largest-fall", "wrong-value")
def from_the_highest_to_the_end(level):
    return level.max(axis=-1) - level[..., -1]


@right("largest-fall")
def above_the_lowest_to_come(level):
    lowest = np.minimum.accumulate(level[..., ::-1], axis=-1)[..., ::-1]
    return (level - lowest).max(axis=-1)


@right("largest-fall")
@jax.jit
def in_jax_by_cummax(level):
    return (jax.lax.cummax(level, axis=level.ndim - 1) - level).max(axis=-1)


equivalents = [
    equivalent("largest-fall", "`np.maximum`  ->  `np.fmax`", "they differ for NaN only"),
]


@wrong("largest-fall", "order-ignored")
def takes_the_lowest_so_far(level):
    return (np.maximum.accumulate(level, axis=-1) - np.minimum.accumulate(level, axis=-1)).max(axis=-1)
