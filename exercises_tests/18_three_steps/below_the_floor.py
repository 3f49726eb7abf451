"""below-the-floor."""

import math

import numpy as np

from jaxcourse.checks import declare, require
from jaxcourse.exercise import numbers
from jaxcourse.inputs import Slip, compare

from ._lesson import WORDS as LESSON


def times_below(seconds, alphas, rows, columns, bandwidth, *, passes=None, each=4):
    """Which times are too short to move the table so often: by default it is read once, and written for each alpha."""
    return seconds < (1 + alphas if passes is None else passes) * each * rows * columns / bandwidth


def times_below_wrapped(seconds, alphas, rows, columns, bandwidth):
    """The same with the bytes in an `int32`, in which they may not fit."""
    return seconds < ((4 * (1 + alphas) * rows * columns + 2**31) % 2**32 - 2**31) / bandwidth


def drawn_times_and_table(rng, count):
    """Times about the floor, and exactly at it: with powers of two nothing is rounded."""
    alphas = int(rng.choice([1, 2, 3, 7, 20]))
    rows, columns = int(rng.integers(1, 100)) << int(rng.integers(14, 18)), int(rng.integers(1, 9)) << 8
    exact = rng.random() < 0.5
    bandwidth = 2.0 ** int(rng.integers(32, 38)) if exact else float(rng.uniform(5, 400)) * 1e9
    factors = [0.001, 0.1, 0.3, 0.6, 0.97, 0.999, 1.001, 1.03, 1.8, 3, 7, 30, *([1, 1, 1] if exact else [])]
    return (
        rng.choice(factors, count) * (4 * (1 + alphas) * rows * columns / bandwidth),
        alphas,
        rows,
        columns,
        bandwidth,
    )


SLIPS = [
    *(
        Slip("turned-around", possible)
        for possible in (
            lambda *table: ~times_below(*table),
            lambda seconds, alphas, rows, columns, bandwidth: seconds > 4 * (1 + alphas) * rows * columns / bandwidth,
        )
    ),
    Slip("one-alpha", lambda *table: times_below(*table, passes=2)),
    Slip("reads-only", lambda *table: times_below(*table, passes=1)),
    Slip("writes-only", lambda seconds, alphas, *table: times_below(seconds, alphas, *table, passes=alphas)),
    Slip("reads-each-time", lambda seconds, alphas, *table: times_below(seconds, alphas, *table, passes=2 * alphas)),
    Slip("other-itemsize/eight", lambda *table: times_below(*table, each=8)),
    Slip("other-itemsize/bits", lambda *table: times_below(*table, each=32)),
    Slip("other-itemsize/elements", lambda *table: times_below(*table, each=1)),
    Slip(
        "the-floor-itself",
        lambda seconds, alphas, rows, columns, bandwidth: seconds <= 4 * (1 + alphas) * rows * columns / bandwidth,
    ),
    Slip("wrapped-around", times_below_wrapped),
]


def check(answer, rng):
    def impossible(seconds, *table):
        got = numbers(answer(seconds, *table))
        require(got.shape == seconds.shape, "wrong-shape", seconds=len(seconds), shape=got.shape)
        require(got.dtype == bool or not got.size, "not-bools", dtype=got.dtype)
        return got

    seconds, *table = drawn_times_and_table(rng, 9)
    impossible(seconds, *table)
    floors = []
    for alphas in (1, 4):  # all mistakes are apart with four alphas; with one, some are none
        rows, columns, bandwidth = table[1:]
        floor = 4 * (1 + alphas) * math.prod((rows, columns)) / bandwidth
        around = np.array([0.2, 0.3, 0.7, 0.9, 0.999, 1.001, 1.3, 1.5, 1.9, 30])
        floors += [(factors * floor, alphas, rows, columns, bandwidth) for factors in (around, around[::-1])]
    floors.append((np.array([0.001, 0.003]), 1, 250, 1000, 1e9))  # few bytes: whatever counts them in 32 bits is right
    compare(
        impossible,
        times_below,
        drawn_times_and_table,
        rng,
        shapes=(0, 1, 2, 7, 20),
        extremes=floors,
        slips=SLIPS,
        label="wrong-value",
    )


WORDS = """
hint: How many bytes does the table have? And how many are written, for all alphas together?
hint: How often must the table be read, if a program takes all alphas along?
hint: No program can be faster than those bytes over the bandwidth.
wrong-shape: One answer for each of the {seconds} times, not {shape}.
not-bools: Each answer should be `True` or `False`, but yours are `{dtype}`.
turned-around: `True` is for the times that are impossible.
one-alpha: You count one result, but there is one for each alpha.
other-itemsize/eight: A `float32` takes 4 bytes: you counted 8.
other-itemsize/bits: A `float32` takes 4 bytes: you counted its bits.
other-itemsize/elements: A `float32` takes 4 bytes: you counted elements.
reads-only: The results have to be written, too: one for each alpha.
writes-only: The table has to be read, too: once.
reads-each-time: A clever program reads the table once and takes all alphas along: count that reading once, and a
    result for each alpha.
the-floor-itself: A time of exactly the floor is possible, for a program that does nothing but move bytes: `<`.
wrapped-around: Some tables have more bytes than an `int32` can count: the product wrapped around. Multiply in
    Python, whose whole numbers have no end.
wrong-value: A time is impossible if it is below the bytes that must be moved, over the bandwidth.
"""

below_the_floor = declare(
    "below-the-floor",
    see="phantom",
    steps=[check],
    words=(LESSON, WORDS),
)
