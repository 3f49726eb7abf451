"""element-address."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import numbers
from jaxcourse.inputs import Asked, Slip, compare


def address(start, strides, index):
    """The oracle: axis by axis."""
    for axis in range(len(strides)):
        start += strides[axis] * index[axis]
    return start


def element(rng, axes):
    """An address of a process, strides of any sign and order, and an index."""
    strides = rng.integers(-40, 41, axes) * int(rng.choice([1, 8]))
    index = rng.integers(0, 9, axes)
    return int(rng.integers(2**30, 2**46)), tuple(map(int, strides)), tuple(map(int, index))


ADDRESS_SLIPS = [
    Slip("start-lost", lambda a, s, i: address(0, s, i)),
    Slip("axes-reversed", lambda a, s, i: address(a, s, i[::-1])),
    Slip("itemsize-twice", lambda a, s, i: address(a, s, i) * 8 - 7 * a),
    Slip(
        "sign-lost",
        lambda a, s, i: address(a, list(map(abs, s)), i),
    ),
    Slip(
        "sign-lost/2",
        lambda a, s, i: address(a, [max(stride, 0) for stride in s], i),
    ),
    Slip("axis-lost", lambda a, s, i: address(a, s[:-1], i)),
    Slip("axis-lost/2", lambda a, s, i: address(a, s[:1], i)),
    Slip(
        "counted-from-one",
        lambda a, s, i: address(a, s, [place - 1 for place in i]),
    ),
]


def check(answer, rng):
    compare(answer, address, element, rng, shapes=[2], each=12, slips=ADDRESS_SLIPS, label="wrong-value")
    alike = [(1000, (8, 8), (1, 2)), (0, (-8, 8), (5, 5))]
    Asked(answer, address).require(alike, "wrong-value/2")
    compare(answer, address, element, rng, shapes=[3], label="two-axes-only")
    far = [(2**60 + 1, (2**33 + 8, -(2**21) - 8), (2**20 + 1, 2**25 + 1)), (2**46 + 3, (2**25 + 1,), (3,))]
    Asked(answer, address).require(far, "digits-lost")
    start = 2 * int(rng.integers(2**53, 2**60)) + 1  # no float holds it
    try:
        alone = answer(start, (), ())
    except probe.AnswerRaised as error:
        require(False, "no-axes", kind=error.raised.kind, raised=error.raised.message)
    refuse(numbers(alone).shape == () and alone != start and float(alone) == float(start), "digits-lost/2")
    expect(alone, start, "no-axes/2")
    require(int(np.asarray(alone)) == start, "digits-lost/2")
    compare(answer, address, element, rng, shapes=[1, 4, 5, 40], label="wrong-value/3")


WORDS = """
hint: Each axis adds its own `stride * i`. `zip` pairs them.
start-lost: That is the distance from the start. Add the start.
axes-reversed: You paired the first index with the last stride.
itemsize-twice: Strides are bytes already: no itemsize on top.
sign-lost: A negative stride walks backwards: keep its sign.
sign-lost/2: You left out the axes whose stride is negative: they walk backwards.
axis-lost: The last axis is missing: every axis adds its own walk.
axis-lost/2: Only the first axis is there: every axis adds its own walk.
counted-from-one: The first element of an axis has the index 0: no need to subtract 1.
wrong-value: The address is the start plus, for each axis, stride times index.
wrong-value/2: Not right where axes have the same stride, or the same index.
two-axes-only: Right for two axes, wrong for three.
digits-lost: Wrong for large numbers. Is one of them a float, which loses the last digits, or a whole number of 32 bits?
    Stay with Python's whole numbers, or with 64 bits.
no-axes: An array without any axis has one element, at the start. Your code raised {kind}:
    {raised}
no-axes/2: Without any axis there is one element, at the start.
digits-lost/2: Without any axis the address has been a float on its way, which does not hold its last digits.
wrong-value/3: Not right for every number of axes.
"""

element_address = declare(
    "element-address",
    see="strides",
    steps=[check],
    words=WORDS,
)
