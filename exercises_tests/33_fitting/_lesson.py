"""What the exercises of lesson 33 share."""

import numpy as np

from jaxcourse.exercise import is_close

FLOAT32 = 1e-4
"""Relative tolerance of a result in `float32` that has lost some digits on the way."""


def all_close(got, want, rtol=FLOAT32):
    """Whether lists of arrays agree, one by one, up to a part of the largest number of all."""
    if [np.shape(part) for part in got] != [np.shape(part) for part in want]:
        return False
    return is_close(joined(got), joined(want), rtol=rtol)


def joined(parts):
    """Arrays as one vector."""
    return np.concatenate([np.ravel(np.asarray(part, np.float64)) for part in parts])


def unit_of(matrix, *, larger):
    """The unit of the second parameter that makes a matrix's smallest eigenvalue a millionth of its largest.

    It is a power of two, so nothing is rounded. A millionth is small, but not the rounding of `float32`.
    """
    for power in range(20):
        unit = 2.0 ** (power if larger else -power)
        values = np.linalg.eigvalsh(matrix * np.outer([1, unit], [1, unit]))
        if values[0] < 1.6e-6 * values[-1]:
            break
    return unit
