"""below-the-floor."""

import math

import numpy as np

from jaxcourse.checks import Agrees, declare, require
from jaxcourse.exercise import numbers

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


MISTAKES = {
    "turned-around": [
        lambda *table: ~times_below(*table),
        lambda seconds, alphas, rows, columns, bandwidth: seconds > 4 * (1 + alphas) * rows * columns / bandwidth,
    ],
    "one-alpha": lambda *table: times_below(*table, passes=2),
    "reads-only": lambda *table: times_below(*table, passes=1),
    "writes-only": lambda seconds, alphas, *table: times_below(seconds, alphas, *table, passes=alphas),
    "reads-each-time": lambda seconds, alphas, *table: times_below(seconds, alphas, *table, passes=2 * alphas),
    "other-itemsize/eight": lambda *table: times_below(*table, each=8),
    "other-itemsize/bits": lambda *table: times_below(*table, each=32),
    "other-itemsize/elements": lambda *table: times_below(*table, each=1),
    "the-floor-itself": lambda seconds, alphas, rows, columns, bandwidth: (
        seconds <= 4 * (1 + alphas) * rows * columns / bandwidth
    ),
    "wrapped-around": times_below_wrapped,
}


def around_the_floor(rng):
    """Times around the floor: with four alphas all mistakes are apart, and with one some are none."""
    _, _, rows, columns, bandwidth = drawn_times_and_table(rng, 9)
    around, floors = np.array([0.2, 0.3, 0.7, 0.9, 0.999, 1.001, 1.3, 1.5, 1.9, 30]), []
    for alphas in (1, 4):
        floor = 4 * (1 + alphas) * math.prod((rows, columns)) / bandwidth
        floors += [(factors * floor, alphas, rows, columns, bandwidth) for factors in (around, around[::-1])]
    return [*floors, (np.array([0.001, 0.003]), 1, 250, 1000, 1e9)]  # few bytes: 32 bits count them


def one_bool_for_each(got, seconds, *table):
    """The answer for each time."""
    got = numbers(got)
    require(got.shape == seconds.shape, "wrong-shape", seconds=len(seconds), shape=got.shape)
    require(got.dtype == bool or not got.size, "not-bools", dtype=got.dtype)
    return got


def possible_or_not(seconds, alphas, rows, columns, bandwidth):
    """The oracle."""
    return times_below(seconds, alphas, rows, columns, bandwidth)


WORDS = """
hint: How many bytes does the table have? And how many are written, for all alphas together?
hint: How often must a program read the table, if it takes all alphas along?
hint: No program can be faster than `bytes / bandwidth`.
wrong-shape: Your answer has the shape {shape}. Give one boolean for each of the {seconds} times.
not-bools: Your answers are `{dtype}`. Each should be `True` or `False`.
turned-around: Your answer is turned around: `True` is for the times that are impossible.
one-alpha: You count one result, but there is one for each alpha.
other-itemsize/eight: You counted 8 bytes for each number. A `float32` takes 4.
other-itemsize/bits: You counted the bits of each number. A `float32` takes 4 bytes.
other-itemsize/elements: You counted elements. A `float32` takes 4 bytes.
reads-only: You counted only what is read. The results must also be written, one for each alpha.
writes-only: You counted only what is written. The table must also be read, once.
reads-each-time: You read the table once for each alpha. A clever program reads it once for all alphas: count one
    reading, and a result for each alpha.
the-floor-itself: You call a time of exactly the floor impossible. A program that does nothing but move bytes can take
    it: use `<`.
wrapped-around: Your product wrapped around, because some tables have more bytes than an `int32` can count. Multiply
    in Python, whose integers have no end.
wrong-value: Your answer differs for some of the times. A time is impossible if it is below the bytes that must be
    moved, over the bandwidth.
"""

below_the_floor = declare(
    "below-the-floor",
    see="phantom",
    steps=[
        Agrees(
            possible_or_not,
            drawn_times_and_table,
            (0, 1, 2, 7, 20),
            extremes=around_the_floor,
            reads=one_bool_for_each,
            mistakes=MISTAKES,
        )
    ],
    words=(LESSON, WORDS),
)
