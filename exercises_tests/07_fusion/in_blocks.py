"""in-blocks."""

import math

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import declare, require
from jaxcourse.inputs import Asked, Slip, compare

from ._lesson import WORDS as LESSON


def element_wise(kind, *arrays):
    """The oracle, and what the function that is handed over computes."""
    functions = {
        "length": lambda x, y: np.sqrt(x * x + y * y),
        "difference": lambda x, y: x - 2 * y,
        "double": lambda x: x + x,
        "itself": lambda x: x.copy(),
        "chosen": lambda x, y, z: np.where(x == 0, y, z),
    }
    return functions[kind](*arrays)


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


def in_full_blocks(kind, block, *arrays):
    """What comes if the last block is left out where it is shorter."""
    n = len(arrays[0]) // block * block
    return element_wise(kind, *(array[:n] for array in arrays))


UNWRITTEN = 99
"""Stands for whatever an array held before, and is no result of ours."""


def with_the_rest_unwritten(kind, block, *arrays):
    """What comes if the last block is left as it was."""
    result = element_wise(kind, *arrays)
    result[len(result) // block * block :] = UNWRITTEN
    return result


BLOCK_SLIPS = [
    Slip("rest-lost", in_full_blocks),
    Slip("rest-lost/unwritten", with_the_rest_unwritten),
    Slip("other-dtype", lambda kind, block, *arrays: np.real(element_wise(kind, *arrays)).astype(float)),
]


BLOCK_KINDS = (("length", 2), ("difference", 2), ("double", 1), ("itself", 1), ("chosen", 3))


def require_few_calls(seen):
    """Require at most twice as many calls as there are blocks: `seen` has lengths, blocks, and each call's."""
    require(all(len(lengths) <= 2 * math.ceil(n / block) for n, block, lengths in seen), "too-many-calls")


def check(answer, rng):
    seen = []

    def evaluate(kind, block, *arrays):
        facts = answer.probe(blocks_seen, kind, block, *arrays)
        answer.called = f"in_blocks(function, {block}, {', '.join('xyz'[: len(arrays)])})"
        seen.append((len(arrays[0]), block, [length for length in facts["lengths"] if length]))
        require(facts["slices"], "not-slices")
        require(max(facts["lengths"], default=0) <= block, "too-long")
        if facts["values"] is not None:
            require(facts["is_array"], "not-an-array")
        n = len(arrays[0])
        full = n // block * block
        if np.shape(facts["values"]) == (n,) and sum(facts["lengths"]) == full:  # the rest is by chance what it is
            return np.where(np.arange(n) < full, facts["values"], np.array(UNWRITTEN, facts["values"].dtype))
        return facts["values"]

    def draw(rng, shape):
        n, block, (kind, many) = shape
        dtypes = ["float32", "float64"] if kind == "length" else ["float32", "int64", "complex64", "uint8"]
        dtype = str(rng.choice(dtypes))
        arrays = [inputs.array(rng, n, dtype) for _ in range(many)]
        views = [inputs.layouts(x)[str(rng.choice(["C order", "stepped", "backwards"]))] for x in arrays]
        return kind, block, *views

    lengths = [(1, 1), (2, 5), (3, 4), (4, 2), (5, 2), (7, 7), (9, 4), (10, 1), (23, 5), (24, 6), (1000, 200)]
    shapes = [(n, block, BLOCK_KINDS[i % len(BLOCK_KINDS)]) for i, (n, block) in enumerate(lengths)]
    compare(
        evaluate,
        lambda kind, block, *arrays: element_wise(kind, *arrays),
        draw,
        rng,
        shapes=[(0, 3, ("double", 1)), (0, 3, ("chosen", 3)), *shapes],
        each=3,
        slips=BLOCK_SLIPS,
        label="wrong-value",
        dtype=True,
    )
    require_few_calls(seen)  # whoever calls for each element is told now, and not after 800,000 calls
    long = "itself", 200_001, rng.integers(0, 9, 800_003).astype(np.uint8)  # blocks that no cache of ours would choose
    Asked(evaluate, lambda kind, block, x: x, dtype=True).require([long], "wrong-value/2")
    require_few_calls(seen)
    block = int(rng.integers(900, 1100))
    x, y = (rng.normal(size=40 * block + block // 2).astype(np.float32) for _ in range(2))
    stepped = [inputs.layouts(array)["stepped"] for array in (x, y)]  # whoever copies an argument copies these
    require(answer.probe(room_in_blocks, block, x, y) < 1.5, "joined-at-the-end")
    require(answer.probe(room_in_blocks, block, *stepped) < 1.5, "copies-an-argument")


WORDS = """
hint: `range(0, n, block)` are the starts of the blocks; a slice that reaches beyond the end is cut off.
hint: Make the result once, with `np.empty_like`, and write each block into its place.
rest-lost: The last block may be shorter than the others, and it counts too.
rest-lost/unwritten: The last block may be shorter than the others, and yours was never computed: 99 stands for what was
    left there.
other-dtype: The result should have the dtype of the arrays. `np.empty` makes `float64` unless told otherwise.
too-many-calls: Right, but in more than twice the calls that it takes: let each call have a whole block.
not-slices: `function` got single numbers, or something else that is no slice: `a[start:stop]` is one.
too-long: `function` got more elements at once than a block has. Then its temporaries are as long.
not-an-array: Return one NumPy array: the result in one piece, as `function(*arrays)` gives it.
wrong-value: `function(*arrays)` gives something else.
wrong-value/2: `function(*arrays)` gives something else for long arrays.
joined-at-the-end: Right, but it held a second array of full length where one is needed, the result: make that
    first, and write each block into its place.
copies-an-argument: Right, but an array that is not contiguous is copied as a whole. Take slices of it as it is.
"""

in_blocks = declare(
    "in-blocks",
    points=2,
    see="one-loop-by-hand",
    steps=[check],
    words=(LESSON, WORDS),
)
