"""Answers to least-time."""

import numpy as np

from jaxcourse.exercise import right, wrong


@right("least-time")
def in_and_out(n, itemsize, bandwidth):
    return np.sum([n * itemsize, itemsize * n]) / np.float64(bandwidth)


@wrong("least-time", "counted-once")
def counts_what_is_read(n, itemsize, bandwidth):
    return n * itemsize / bandwidth


@wrong("least-time", "upside-down")
def gives_a_rate(n, itemsize, bandwidth):
    return bandwidth / (2 * n * itemsize)


@wrong("least-time", "itemsize-lost")
def counts_elements(n, itemsize, bandwidth):
    return 2 * n / bandwidth


@wrong("least-time", "itemsize-fixed")
def thinks_of_float32(n, itemsize, bandwidth):
    return 2 * n * 4 / bandwidth


@wrong("least-time", "addition-counted")
def counts_the_addition(n, itemsize, bandwidth):
    return 3 * n * itemsize / bandwidth


@wrong("least-time", "cut-off")
def divides_whole_numbers(n, itemsize, bandwidth):
    return 2 * n * itemsize // bandwidth


@wrong("least-time", "wrong-value")
def rounds_to_milliseconds(n, itemsize, bandwidth):
    return round(2 * n * itemsize / bandwidth, 3)


@wrong("least-time", "bits")
def counts_bits(n, itemsize, bandwidth):
    return 2 * n * itemsize * 8 / bandwidth


@wrong("least-time", "other-unit")
def in_milliseconds(n, itemsize, bandwidth):
    return 1e3 * 2 * n * itemsize / bandwidth
