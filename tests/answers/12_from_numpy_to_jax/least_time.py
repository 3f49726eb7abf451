"""Answers to least-time."""

import numpy as np

from jaxcourse.exercise import right, wrong


@right("least-time")
def in_and_out(n, itemsize, bandwidth):
    return np.sum([n * itemsize, itemsize * n]) / np.float64(bandwidth)


@wrong("least-time", "addition-counted")
def fetches_what_it_overwrites(n, itemsize, bandwidth):
    read, fetched, written = [n * itemsize] * 3
    return (read + fetched + written) / bandwidth


@wrong("least-time", "wrong-value")
def rounds_to_milliseconds(n, itemsize, bandwidth):
    return round(2 * n * itemsize / bandwidth, 3)


@wrong("least-time", "cut-off")
def makes_a_whole_number(n, itemsize, bandwidth):
    return int(2 * n * itemsize / bandwidth)
