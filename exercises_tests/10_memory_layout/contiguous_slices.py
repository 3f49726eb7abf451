"""contiguous-slices: an array as slices that are contiguous, whatever its order."""

import numpy as np

from jaxcourse.checks import declare, refuse, require

from ._lesson import in_both_orders


def slice_facts(cut, arrays):
    """Of lists of slices: whether each is a contiguous one-dimensional view, and on which bytes they lie together."""
    found = []
    for x in arrays:
        slices = cut(x)
        if not isinstance(slices, (list, tuple)) or not all(isinstance(part, np.ndarray) for part in slices):
            found.append({"type": type(slices).__name__})
            continue
        parts = [part for part in slices if part.size]
        places = sorted((part.ctypes.data - x.ctypes.data, part.nbytes) for part in parts)
        covered = [(0, 0), *((start, start + size) for start, size in places)]
        gaps = [after[0] - before[1] for before, after in zip(covered, covered[1:], strict=False)]
        found.append(
            {
                "type": "list",
                "axes": sorted({part.ndim for part in slices}),
                "shares": all(np.may_share_memory(part, x) for part in parts),
                "steps": sorted({part.strides[-1] // x.itemsize for part in parts if part.ndim and part.size > 1}),
                "twice": any(gap < 0 for gap in gaps),
                "all": not any(gaps) and max(end for _, end in covered) == x.nbytes,
                "dtype": all(part.dtype == x.dtype for part in slices),
            }
        )
    return found


def slices_as_memory_lies(answer, rng):
    """Each slice is a contiguous view, and together they hold every element once.

    A function, since it is about memory: where the slices lie in that of the array.
    """
    shape = int(rng.integers(3, 6)), int(rng.integers(6, 9))
    pairs = in_both_orders(rng, [shape, shape[::-1], (4, 4), (1, 5), (5, 1), (1, 1)])
    found = answer.probe(slice_facts, [x for pair in pairs for x in pair])
    arrays = [(x, order) for pair in pairs for x, order in zip(pair, "CF", strict=True)]
    for facts, (x, order) in zip(found, arrays, strict=True):
        answer.called = f"contiguous_slices({x.dtype}{list(x.shape)}, in {order} order)"
        refuse("axes" not in facts and facts["type"] in ("list", "tuple"), "not-a-list/of-arrays")
        require("axes" in facts, "not-a-list", type=facts["type"])
        refuse(facts["axes"] == [], "empty-list")
        require(facts["axes"] == [1], "wrong-axes")
        require(facts["shares"], "copied")
        jumps = not set(facts["steps"]) <= {1}
        refuse(jumps and order == "C", "jumps-in-c-order", steps=facts["steps"])
        refuse(jumps, "jumps-in-f-order", steps=facts["steps"])
        refuse(facts["twice"], "twice")
        require(facts["all"] and facts["dtype"], "incomplete")


WORDS = """
hint: A loop over an array runs over its first axis.
hint: What is the order of the transpose of an F-ordered array?
not-a-list: You returned an object of type `{type}`. Return a list of arrays, one for each slice.
not-a-list/of-arrays: Your list holds something that's no NumPy array. Put only views of `x` into it.
empty-list: Your list is empty. Does each slice get into it?
wrong-axes: Your slices should have one axis each.
copied: Some of your slices are copies, and to make them you have walked over everything already. Return views.
jumps-in-c-order: Your slices walk in steps of {steps} elements when `x` is in C order. There, rows are contiguous.
jumps-in-f-order: Your slices walk in steps of {steps} elements when `x` is in F order. There, columns are contiguous.
twice: Some elements of `x` are in two of your slices. Each should be in one.
incomplete: Your slices don't hold every element of `x`. Together they should hold each of them exactly once.
"""

contiguous_slices = declare(
    "contiguous-slices",
    see="cache-lines",
    steps=[slices_as_memory_lies],
    words=WORDS,
)
