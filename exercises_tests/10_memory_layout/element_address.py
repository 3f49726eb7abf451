"""element-address: where an element lies, from its index and the strides."""

import numpy as np

from jaxcourse.checks import Agrees, declare, expect, naming, refuse, require
from jaxcourse.exercise import numbers


def address(start, strides, index):
    """Axis by axis."""
    for axis in range(len(strides)):
        start += strides[axis] * index[axis]
    return start


def element(rng, axes):
    """An address of a process, strides of any sign and order, and an index."""
    strides = rng.integers(-40, 41, axes) * int(rng.choice([1, 8]))
    index = rng.integers(0, 9, axes)
    return int(rng.integers(2**30, 2**46)), tuple(map(int, strides)), tuple(map(int, index))


def the_start_of_no_axes(answer, rng):
    """Without any axis the one element is at the start, to the last digit.

    A function, since a float may be the right number here, and its type tells that digits were lost on the way.
    """
    start = 2 * int(rng.integers(2**53, 2**60)) + 1  # no float holds it
    with naming({"no-axes": ""}):
        alone = answer(start, (), ())
    refuse(numbers(alone).shape == () and alone != start and float(alone) == float(start), "digits-lost/2")
    expect(alone, start, "no-axes/2")
    require(int(np.asarray(alone)) == start, "digits-lost/2")


MISTAKES = {
    "start-lost": lambda a, s, i: address(0, s, i),
    "axes-reversed": lambda a, s, i: address(a, s, i[::-1]),
    "itemsize-twice": lambda a, s, i: address(a, s, i) * 8 - 7 * a,
    "sign-lost": lambda a, s, i: address(a, list(map(abs, s)), i),
    "sign-lost/2": lambda a, s, i: address(a, [max(stride, 0) for stride in s], i),
    "axis-lost": lambda a, s, i: address(a, s[:-1], i),
    "axis-lost/2": lambda a, s, i: address(a, s[:1], i),
    "counted-from-one": lambda a, s, i: address(a, s, [place - 1 for place in i]),
}
ALIKE = [(1000, (8, 8), (1, 2)), (0, (-8, 8), (5, 5))]
FAR = [(2**60 + 1, (2**33 + 8, -(2**21) - 8), (2**20 + 1, 2**25 + 1)), (2**46 + 3, (2**25 + 1,), (3,))]

WORDS = """
hint: Each axis adds its own `stride * i`. `zip` pairs them.
start-lost: You returned the distance from the start. Add the start.
axes-reversed: You paired the first index with the last stride. Pair first with first.
itemsize-twice: You multiplied by the itemsize. Strides are bytes already.
sign-lost: You lost the sign of a negative stride, which walks backwards. Keep it.
sign-lost/2: You left out the axes whose stride is negative. They walk backwards: add them as well.
axis-lost: You left out the last axis. Every axis adds its own walk.
axis-lost/2: You counted only the first axis. Every axis adds its own walk.
counted-from-one: You subtracted 1 from an index. The first element of an axis has the index 0 already.
wrong-value: Your address is off. It's the start plus, for each axis, stride times index.
wrong-value/2: Your address is off if axes have the same stride, or the same index. Pair them by position.
two-axes-only: Your address is right for two axes, and off for three. Does every axis add its walk?
digits-lost: Your address is off for large numbers. Is one of them a float, or an integer of 32 bits? Stay with Python
    integers, or with 64 bits.
no-axes: Your function doesn't know arrays without any axis. Such an array has one element, at the start.
no-axes/2: Your address is off if there is no axis. There is one element then, at the start.
digits-lost/2: Your address lost its last digits if there is no axis. Was it a float on its way?
wrong-value/3: Your address is off for some numbers of axes. Does every axis add its walk?
"""

element_address = declare(
    "element-address",
    see="strides",
    steps=[
        Agrees(address, element, [2], each=12, mistakes=MISTAKES),
        Agrees(address, extremes=ALIKE, otherwise="wrong-value/2"),
        Agrees(address, element, [3], otherwise="two-axes-only"),
        Agrees(address, extremes=FAR, otherwise="digits-lost"),
        the_start_of_no_axes,
        Agrees(address, element, [1, 4, 5, 40], otherwise="wrong-value/3"),
    ],
    words=WORDS,
)
