"""Answers to below-the-floor."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


@right("below-the-floor")
def compares_speeds(seconds, alphas, rows, columns, bandwidth):
    size = rows * columns * np.dtype(np.float32).itemsize
    return [bool((size + alphas * size) / time > bandwidth) for time in seconds]


@right("below-the-floor")
def compares_on_the_device(seconds, alphas, rows, columns, bandwidth):
    return jnp.less(seconds, jnp.float32((1 + alphas) * 4 * rows * columns / bandwidth))


@wrong("below-the-floor", "one-alpha")
def repeats_the_cell_above(seconds, alphas, rows, columns, bandwidth):
    return seconds < 2 * rows * columns * 4 / bandwidth


@wrong("below-the-floor", "reads-each-time")
def runs_anew_for_each_alpha(seconds, alphas, rows, columns, bandwidth):
    return seconds < 2 * alphas * rows * columns * 4 / bandwidth


@wrong("below-the-floor", "reads-only")
def forgets_the_results(seconds, alphas, rows, columns, bandwidth):
    return seconds < rows * columns * 4 / bandwidth


@wrong("below-the-floor", "writes-only")
def forgets_to_read(seconds, alphas, rows, columns, bandwidth):
    return seconds < alphas * rows * columns * 4 / bandwidth


@wrong("below-the-floor", "the-floor-itself")
def shuts_the_floor_out(seconds, alphas, rows, columns, bandwidth):
    return seconds <= (1 + alphas) * rows * columns * 4 / bandwidth


@wrong("below-the-floor", "wrapped-around")
def counts_in_int32(seconds, alphas, rows, columns, bandwidth):
    with np.errstate(over="ignore"):
        return seconds < np.int32(4 + 4 * alphas) * np.int32(rows) * np.int32(columns) / bandwidth


@wrong("below-the-floor", "wrapped-around")
def multiplies_in_jax(seconds, alphas, rows, columns, bandwidth):
    return jnp.asarray(seconds) < jnp.prod(jnp.array([rows, columns, 4 + 4 * alphas])) / bandwidth


@wrong("below-the-floor", "wrong-value")
def takes_the_table_for_a_square(seconds, alphas, rows, columns, bandwidth):
    return seconds < 4 * (1 + alphas) * rows**2 / bandwidth


@wrong("below-the-floor", "other-itemsize")
def thinks_of_float64(seconds, alphas, rows, columns, bandwidth):
    return seconds < (1 + alphas) * rows * columns * 8 / bandwidth


@wrong("below-the-floor", "other-itemsize")
def counts_bits(seconds, alphas, rows, columns, bandwidth):
    return seconds < (1 + alphas) * rows * columns * 32 / bandwidth


@wrong("below-the-floor", "other-itemsize")
def counts_elements(seconds, alphas, rows, columns, bandwidth):
    return seconds < (1 + alphas) * rows * columns / bandwidth


@wrong("below-the-floor", "turned-around")
def says_which_are_possible(seconds, alphas, rows, columns, bandwidth):
    return seconds >= (1 + alphas) * rows * columns * 4 / bandwidth


@wrong("below-the-floor", "not-bools")
def returns_the_share(seconds, alphas, rows, columns, bandwidth):
    return (1 + alphas) * rows * columns * 4 / bandwidth / seconds


@wrong("below-the-floor", "wrong-shape")
def one_answer_for_all(seconds, alphas, rows, columns, bandwidth):
    return (seconds < (1 + alphas) * rows * columns * 4 / bandwidth).any()


@wrong("below-the-floor", "wrong-value")
def forgets_the_columns(seconds, alphas, rows, columns, bandwidth):
    return seconds < 4 * (1 + alphas) * rows / bandwidth
