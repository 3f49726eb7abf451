"""flat-view: an array in the order of its memory, as a view."""

import numpy as np

from jaxcourse.checks import declare, naming, refuse, require
from jaxcourse.exercise import is_close

from ._lesson import in_both_orders


def flat_facts(flatten, arrays, of_objects=False):
    """How the flat results lie, beside how the arrays do; the values only of results that have memory of their own."""
    found = []
    for x in arrays:
        x = x.astype(object) if of_objects else x  # which would not pass through a channel
        shape = x.shape
        result = flatten(x)
        if x.shape != shape:
            x.shape = shape
            found.append({"type": "reshaped"})
            continue
        if not isinstance(result, np.ndarray):
            found.append({"type": type(result).__name__})
            continue
        memory = x
        while isinstance(memory.base, np.ndarray):
            memory = memory.base
        shares = bool(np.may_share_memory(result, memory))
        found.append(
            {
                "type": "ndarray",
                "shape": result.shape,
                "stride": result.strides[0] if result.ndim == 1 and result.size > 1 else x.itemsize,
                "itemsize": x.itemsize,
                "shares": shares,
                "dtype": str(result.dtype) if result.dtype != x.dtype else "",
                "begins": result.ctypes.data - x.ctypes.data,
                "values": None if shares or of_objects else result.copy(),
            }
        )
    return found


def of_objects_too(answer, rng):
    """An array of Python objects is flattened as others are.

    A function, since it is about memory: an array of Python objects holds addresses, and is no buffer for all.
    """
    (pair, _) = in_both_orders(rng, [(4, 7)])
    with naming({"numbers-only": ""}):
        found = answer.probe(flat_facts, pair, of_objects=True)
    want = {"type": "ndarray", "shape": (pair[0].size,), "stride": 8, "shares": True, "dtype": "", "begins": 0}
    same = all(facts.get(name) == value for facts in found for name, value in want.items())
    require(same, "numbers-only")


def _judge_copies(in_c, in_f, c, f):
    copies = not in_c["shares"], not in_f["shares"]
    turned = copies == (True, True) and is_close(in_c["values"], c.T.ravel()) and is_close(in_f["values"], f.ravel())
    refuse(turned and c.shape[0] > 1 < c.shape[1], "cases-exchanged")
    refuse(all(copies), "always-copies")
    refuse(copies == (False, True), "copies-f-order")
    refuse(copies == (True, False), "copies-c-order")


def a_view_in_either_order(answer, rng):
    """The result is a view along the memory, whatever its order.

    A function, since it is about memory: copies in C order and in F order tell together what was done.
    """
    shape = int(rng.integers(3, 6)), int(rng.integers(6, 9))
    pairs = in_both_orders(rng, [shape, shape[::-1], (4, 4), (1, 5), (5, 1), (1, 1)])
    found = answer.probe(flat_facts, [x for pair in pairs for x in pair])
    for (in_c, in_f), (c, f) in zip(zip(found[::2], found[1::2], strict=True), pairs, strict=True):
        for facts, x in ((in_c, c), (in_f, f)):
            answer.called = f"flat_view({x.dtype}{list(x.shape)}, in {'C' if x is c else 'F'} order)"
            refuse(facts["type"] == "reshaped", "reshaped-the-input")
            require(facts["type"] == "ndarray", "wrong-type", type=facts["type"])
            require(facts["shape"] == (x.size,), "wrong-shape", size=x.size, shape=facts["shape"])
        _judge_copies(in_c, in_f, c, f)
        for facts, x in ((in_c, c), (in_f, f)):
            answer.called = f"flat_view({x.dtype}{list(x.shape)}, in {'C' if x is c else 'F'} order)"
            steps = {"dtype": x.dtype, "itemsize": x.itemsize, "stride": facts["stride"]}
            refuse(facts["stride"] == 8 != x.itemsize, "itemsize-fixed", **steps)
            refuse(facts["stride"] == 0, "stride-of-a-lone-axis", **steps)
            require(facts["stride"] == x.itemsize, "other-order", **steps)
            require(facts["begins"] == 0, "wrong-start")
            refuse(facts["dtype"], "dtype-changed", dtype=x.dtype, read_as=facts["dtype"])


WORDS = """
hint: `ravel` takes `order=`. Which order needs no reordering, for any `x`?
hint: Or look at `x.flags`.
numbers-only: Your function is right for numbers, and not for an array of Python objects. `x` has any dtype.
cases-exchanged: You have exchanged the two cases. Each order is read in the way of the other, and so copied.
always-copies: You returned a copy, for C order and for F order. The order of memory needs none.
copies-f-order: You returned a view for C order, and a copy for F order. By default, `ravel` and `reshape` read row by
    row.
copies-c-order: You returned a view for F order, and a copy for C order. Which order does your call ask for?
reshaped-the-input: You changed the shape of `x` itself, so the caller's array has another shape now. Make a view, and
    leave `x` as it is.
wrong-type: You returned an object of type `{type}`. Return a NumPy array.
wrong-shape: Your view has the shape {shape}. It should be ({size},): one axis with all elements.
itemsize-fixed: Your view steps by {stride} bytes, and elements of `{dtype}` have {itemsize}. Use `x.itemsize`.
stride-of-a-lone-axis: Your view steps by {stride} bytes, and elements of `{dtype}` have {itemsize}. An axis of length 1
    may have any stride, even 0: use `x.itemsize`.
other-order: Your view steps by {stride} bytes, and elements of `{dtype}` have {itemsize}. In the order of memory, each
    element follows the one before.
wrong-start: Your view doesn't begin where `x` does. The array that owns the memory may be larger than `x`.
dtype-changed: Your view reads the bytes of `{dtype}` as `{read_as}`, and so as other numbers. Leave the dtype as it is.
"""

flat_view = declare(
    "flat-view",
    see="orders",
    steps=[a_view_in_either_order, of_objects_too],
    words=WORDS,
)
