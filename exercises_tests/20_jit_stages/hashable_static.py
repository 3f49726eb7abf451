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
hint: Turn a list, a tuple and a single number all into that container, then call `block_mean`.
still-unhashable: You passed on a static value without a hash. A list has none, nor has an array, a tracer, or a
    tuple of these. Pass a tuple of Python numbers.
order-lost: Your blocks have {b} rows and {a} columns, for `factors={factors}`. Keep the order.
one-number: Your code takes `factors` apart, but it may be one number for both axes. Turn a number into a pair
    first.
wrong-value/one-number: Your numbers are not the means of blocks of {factor} by {factor}. One number stands for both
    axes.
wrong-value: Your numbers are not the means of blocks of {a} by {b}. Does `block_mean` get the image as it is?
wrong-value/another: For another image, your numbers are not the means of its blocks of 3 by 2. Is a result kept
    from an earlier call?
wrong-value/oblong: For an image of 4 rows and 18 columns, your numbers are not the means of blocks of 2 by 3. Does
    `block_mean` get the image as it is?
one-number-again: `2`, `[2, 2]` and `(2, 2)` mean the same, but compiled more than one program. Turn them into one
    form, and always pass it by position, or always by name.
not-compiled: Your first call compiled {compiled} programs. The compiled `block_mean` can do all of the work.
compiled-again: `[4, 2]` and `(4, 2)` compiled more than one program. Is the static value equal both times, passed
    to the same function, and always by position or always by name?
"""

hashable_static = declare(
    "hashable-static",
    see="static-arguments",
    steps=[means_for_factors_of_any_form, one_program_for_each_pair],
    words=(LESSON, WORDS),
)
