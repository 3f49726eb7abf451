"""hashable-static."""

import numpy as np

from jaxcourse.checks import declare, expect, naming, refuse, require
from jaxcourse.exercise import is_close, numbers

from ._lesson import WORDS as LESSON
from ._lesson import hashed, programs, require_work_inside


def block_means(image, a, b):
    """The oracle: block by block."""
    rows, columns = image.shape
    return np.array([[image[i : i + a, j : j + b].mean() for j in range(0, columns, b)] for i in range(0, rows, a)])


def check(answer, rng):
    image = rng.normal(size=(12, 12)).astype(np.float32)
    for factors in ([3, 2], (2, 3), (4, 4), [12, 1]):
        got, unhashable = hashed(answer, image, factors)
        refuse(unhashable, "still-unhashable", factors=factors)
        got = numbers(got)
        want = block_means(image, *factors)
        turned = factors[0] != factors[1] and is_close(got, block_means(image, *factors[::-1]))
        refuse(turned, "order-lost", factors=factors, a=factors[0], b=factors[1])
        expect(got, want, "wrong-value", a=factors[0], b=factors[1])
    for factor in (3, 4, 1):
        with naming({"one-number": "not iterable"}):
            got = answer(image, factor)
        expect(numbers(got), block_means(image, factor, factor), "wrong-value/one-number", factor=factor)
    other = rng.normal(size=(12, 12)).astype(np.float32)
    expect(answer(other, [3, 2]), block_means(other, 3, 2), "wrong-value/another")
    oblong = rng.normal(size=(4, 18)).astype(np.float32)
    expect(numbers(answer(oblong, [2, 3])), block_means(oblong, 2, 3), "wrong-value/oblong")
    calls = [(image, [4, 2]), (image, (4, 2)), (other, [4, 2]), (other, (2, 4)), (image, [2, 4]), (image, (4, 2))]
    calls += [(image, 2), (image, [2, 2]), (other, (2, 2)), (other, 2)]
    compiled = answer.probe(programs, calls)
    require(len(compiled[0]) == 1, "not-compiled", compiled=len(compiled[0]))
    require_work_inside(answer, image, [4, 2])
    refuse(compiled[1] or compiled[2] or compiled[4] or compiled[5], "compiled-again")
    refuse(any(compiled[7:]), "one-number-again")


WORDS = """
hint: Which container of numbers has a hash?
hint: Turn whatever comes into that container, one number too, then call `block_mean`.
still-unhashable: `factors` was `{factors}`, and what you passed on as static has no hash: a list has none, nor has
    an array or a tracer, nor a tuple of these.
order-lost: For `factors={factors}` your blocks have {b} rows and {a} columns. Keep the order.
one-number: `factors` may be one number for both axes, and a number is no list that could be unpacked.
wrong-value/one-number: The means of blocks of {factor} by {factor}, since one number stands for both axes.
wrong-value: The means of blocks of {a} by {b}.
wrong-value/another: The means of blocks of 3 by 2, of another image.
wrong-value/oblong: The means of blocks of 2 by 3, of an image of 4 rows and 18 columns.
one-number-again: `2`, `[2, 2]` and `(2, 2)` mean the same, and compiled more than one program: bring them into one
    form, and hand that to `block_mean` in one way, either by position or by name.
not-compiled: The first call compiled {compiled} programs: the compiled `block_mean` can do all of the work.
compiled-again: `[4, 2]` and `(4, 2)` compiled more than one program. Either what you pass as static is not equal to
    what it was before, or it is passed to a new function each time, or once by position and once by name.
"""

hashable_static = declare(
    "hashable-static",
    see="static-arguments",
    steps=[check],
    words=(LESSON, WORDS),
)
