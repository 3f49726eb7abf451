"""hashable-static: factors of any form, as a static argument."""

import numpy as np

from jaxcourse.checks import declare, expect, naming, refuse, require
from jaxcourse.exercise import is_close, numbers

from ._lesson import NO_HASH, programs, require_work_inside
from ._lesson import WORDS as LESSON


def block_means(image, a, b):
    """Block by block."""
    rows, columns = image.shape
    return np.array([[image[i : i + a, j : j + b].mean() for j in range(0, columns, b)] for i in range(0, rows, a)])


def image_of(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def means_for_factors_of_any_form(answer, rng):
    """A list, a tuple and a number give the means of their blocks.

    A function, since the factors, and what they make of rows and columns, stand in its words.
    """
    image = image_of(rng, 12, 12)
    for factors in ([3, 2], (2, 3), (4, 4), [12, 1]):
        with naming({"still-unhashable": NO_HASH}):
            got = numbers(answer(image, factors))
        want = block_means(image, *factors)
        turned = factors[0] != factors[1] and is_close(got, block_means(image, *factors[::-1]))
        refuse(turned, "order-lost", factors=factors, a=factors[0], b=factors[1])
        expect(got, want, "wrong-value", a=factors[0], b=factors[1])
    for factor in (3, 4, 1):
        with naming({"one-number": "not iterable"}):
            got = answer(image, factor)
        expect(numbers(got), block_means(image, factor, factor), "wrong-value/one-number", factor=factor)
    other = image_of(rng, 12, 12)
    expect(answer(other, [3, 2]), block_means(other, 3, 2), "wrong-value/another")
    oblong = image_of(rng, 4, 18)
    expect(numbers(answer(oblong, [2, 3])), block_means(oblong, 2, 3), "wrong-value/oblong")


def one_program_for_each_pair(answer, rng):
    """Equal factors share a program, in whatever form they come.

    A function, since it counts programs.
    """
    image, other = image_of(rng, 12, 12), image_of(rng, 12, 12)
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
still-unhashable: What you passed on as static has no hash: a list has none, nor has an array or a tracer, nor a tuple
    of these.
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
    steps=[means_for_factors_of_any_form, one_program_for_each_pair],
    words=(LESSON, WORDS),
)
