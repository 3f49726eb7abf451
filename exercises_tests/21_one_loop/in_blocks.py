"""in-blocks: a function of whole arrays, evaluated in blocks that fit a cache."""

import math

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, require

from ._lesson import WORDS as LESSON


def whole(function, block, *arrays):
    """What the function that is handed over gives of whole arrays."""
    functions = {
        "length": lambda x, y: np.sqrt(x * x + y * y),
        "difference": lambda x, y: x - 2 * y,
        "double": lambda x: x + x,
        "itself": lambda x: x.copy(),
        "chosen": lambda x, y, z: np.where(x == 0, y, z),
    }
    return functions[function](*arrays)


def blocks_seen(evaluate, kind, block, *arrays):
    """Evaluate a function in blocks that notes how long its arguments are."""
    lengths, axes = [], set()
    functions = {
        "length": lambda x, y: np.sqrt(x * x + y * y),
        "difference": lambda x, y: x - 2 * y,
        "double": lambda x: x + x,
        "itself": lambda x: x.copy(),
        "chosen": lambda x, y, z: np.where(x == 0, y, z),
    }

    def noting(*slices):
        lengths.append(max(np.size(part) for part in slices))
        axes.update(np.ndim(part) for part in slices)
        return functions[kind](*slices)

    used = [np.full_like(arrays[0], 99) for _ in range(4)]
    used.clear()  # what `np.empty` finds in memory is now no result of before
    result = evaluate(noting, block, *arrays)
    is_array = isinstance(result, np.ndarray)
    return {"values": result, "is_array": is_array, "lengths": lengths, "slices": axes <= {1}}


def room_in_blocks(evaluate, block, x, y):
    """Measure the memory that Python sees asked for while a function is evaluated in blocks, in arrays."""
    evaluate(np.hypot, block, x[:9], y[:9])  # what is imported or cached at the first call does not count
    return probe.most_asked_for(lambda: evaluate(np.hypot, block, x, y)) / x.nbytes


UNWRITTEN = 99
"""Stands for whatever an array held before, and is no result of ours."""


def by_slices(facts, function, block, *arrays):
    """The result, if the function saw slices of a block at most."""
    require(facts["slices"], "not-slices")
    require(max(facts["lengths"], default=0) <= block, "too-long")
    if facts["values"] is not None:
        require(facts["is_array"], "not-an-array")
    n = len(arrays[0])
    full = n // block * block
    if np.shape(facts["values"]) == (n,) and sum(facts["lengths"]) == full:  # the rest is by chance what it is
        return np.where(np.arange(n) < full, facts["values"], np.array(UNWRITTEN, facts["values"].dtype))
    return facts["values"]


def in_few_calls(answer, replies):
    """There should be at most twice as many calls as there are blocks."""
    for reply in replies:
        _, block, first, *_ = reply.case
        calls = sum(length > 0 for length in reply.whole["lengths"])
        require(calls <= 2 * math.ceil(len(first) / block), "too-many-calls")


def some_arrays(rng, case):
    n, block, (kind, many) = case
    dtypes = ["float32", "float64"] if kind == "length" else ["float32", "int64", "complex64", "uint8"]
    dtype = str(rng.choice(dtypes))
    arrays = [inputs.array(rng, n, dtype) for _ in range(many)]
    views = [inputs.layouts(x)[str(rng.choice(["C order", "stepped", "backwards"]))] for x in arrays]
    return kind, block, *views


def long(rng):
    """Blocks that no cache of ours would choose."""
    return [("itself", 200_001, rng.integers(0, 9, 800_003).astype(np.uint8))]


def room_for_one_result(answer, rng):
    """The result is the only array of full length.

    A function, since it measures memory.
    """
    block = int(rng.integers(900, 1100))
    x, y = (rng.normal(size=40 * block + block // 2).astype(np.float32) for _ in range(2))
    stepped = [inputs.layouts(array)["stepped"] for array in (x, y)]  # whoever copies an argument copies these
    require(answer.probe(room_in_blocks, block, x, y) < 1.5, "joined-at-the-end")
    require(answer.probe(room_in_blocks, block, *stepped) < 1.5, "copies-an-argument")


def in_full_blocks(function, block, *arrays):
    n = len(arrays[0]) // block * block
    return whole(function, block, *(array[:n] for array in arrays))


def with_the_rest_unwritten(function, block, *arrays):
    result = whole(function, block, *arrays)
    result[len(result) // block * block :] = UNWRITTEN
    return result


MISTAKES = {
    "rest-lost": in_full_blocks,
    "rest-lost/unwritten": with_the_rest_unwritten,
    "other-dtype": lambda function, block, *arrays: np.real(whole(function, block, *arrays)).astype(float),
}
KINDS = [("length", 2), ("difference", 2), ("double", 1), ("itself", 1), ("chosen", 3)]
LENGTHS = [(1, 1), (2, 5), (3, 4), (4, 2), (5, 2), (7, 7), (9, 4), (10, 1), (23, 5), (24, 6), (1000, 200)]
EMPTY = [(0, 3, ("double", 1)), (0, 3, ("chosen", 3))]
SHAPES = [*EMPTY, *((n, block, KINDS[i % len(KINDS)]) for i, (n, block) in enumerate(LENGTHS))]

WORDS = """
hint: Where does each block start? `range(0, n, block)` gives the starts, and a slice that reaches beyond the end is cut
    off.
hint: Make the result once, with `np.empty_like`, and write each block into its place.
rest-lost: Your result ends with the last full block. The block after it may be shorter, and it also counts.
rest-lost/unwritten: Your last block was never computed. It may be shorter than the others, and 99 stands for what was
    left there.
other-dtype: Your result has a dtype that differs from that of the arrays. `np.empty` makes `float64` unless you name
    theirs.
too-many-calls: Your result is right, but it took more than twice the calls that are needed. Give each call a whole
    block.
not-slices: You gave `function` single numbers, or something else that is no slice. A slice is `a[start:stop]`.
too-long: You gave `function` more elements at once than a block has, so its temporaries are as long. Give it one block
    at a time.
not-an-array: You did not return a NumPy array. Return the result in one piece, as `function(*arrays)` does.
wrong-value: Your result is not that of `function(*arrays)`. Is each block computed, and in its place?
wrong-value/2: Your result is right for short arrays, but not for long ones.
joined-at-the-end: Your result is right, but you held a second array of full length. Make the result first, and write
    each block into its place.
copies-an-argument: Your result is right, but you copied a whole array that is not contiguous. Take slices of it as it
    is.
"""

IN_BLOCKS = {"ask": blocks_seen, "reads": by_slices, "then": [in_few_calls], "dtype": True}
in_blocks = declare(
    "in-blocks",
    points=2,
    see="one-loop-by-hand",
    steps=[
        Agrees(whole, some_arrays, SHAPES, each=3, mistakes=MISTAKES, **IN_BLOCKS),
        Agrees(whole, extremes=long, otherwise="wrong-value/2", **IN_BLOCKS),
        room_for_one_result,
    ],
    words=(LESSON, WORDS),
)
