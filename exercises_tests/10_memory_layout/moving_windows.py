"""moving-windows: windows of a signal that hop, as a view."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import declare, refuse, require


def window_facts(windows_of, x, width, hop):
    """How the windows lie, beside how `x` does: nothing is read that may not be there."""
    result = windows_of(x, width, hop)
    if not isinstance(result, np.ndarray):
        return {"type": type(result).__name__}
    low, high = np.lib.array_utils.byte_bounds(x)
    first, last = np.lib.array_utils.byte_bounds(result)
    return {
        "type": "ndarray",
        "shape": result.shape,
        "strides": result.strides,
        "shares": bool(np.may_share_memory(x, result)),
        "dtype": str(result.dtype) if result.dtype != x.dtype else "",
        "outside": max(low - first, last - high, 0),
        "begins": result.ctypes.data - x.ctypes.data,
        "stride": x.strides[0],
    }


def views_of(rng, length):
    """One-dimensional views of one length, from plain to odd, of several dtypes, the plain ones first."""

    def fresh(dtype, size):
        return inputs.array(rng, size, dtype)

    return {
        "x": fresh("int64", length),
        "x, of float32": fresh("float32", length),
        "x, of uint8": fresh("uint8", length),
        "x[::3]": fresh("int64", 3 * length)[::3],
        "x[2:-2]": fresh("float64", length + 4)[2:-2],
        "x[::-1]": fresh("float64", length)[::-1],
        "x[::-2]": fresh("int16", 2 * length)[::-2],
        "x.real": fresh("complex128", length).real,
        "a column": fresh("float64", (length, 3))[:, 1],
        "x, read-only": inputs.layouts(fresh("float64", length))["read-only"],
    }


def _judge_windows(facts, name, length, width, hop):
    require(facts["type"] == "ndarray", "wrong-type", type=facts["type"])
    rows, stride, shape = (length - width) // hop + 1, facts["stride"], facts["shape"]
    want = {"shape": shape, "want": (rows, width), "strides": facts["strides"], "stride": stride, "name": name}
    refuse(shape == (width, rows) != (rows, width), "axes-swapped")
    require(facts["shares"], "copied")
    beyond = len(shape) == 2 and shape[0] > rows and facts["outside"]
    refuse(beyond, "reads-past-the-end", outside=facts["outside"])
    refuse(hop > 1 and rows > 1 and shape == (length - width + 1, width), "hop-ignored")
    refuse(len(shape) == 2 and shape[0] == rows - 1 and shape[1] == width, "last-window-lost", **want)
    require(shape == (rows, width), "wrong-shape", **want)
    found = _walked(facts["strides"], shape)
    right = _walked((hop * stride, stride), shape)
    refuse(rows == width and found == _walked((stride, hop * stride), shape) != right, "axes-swapped")
    refuse(hop > 1 and rows > 1 and found == _walked((stride, stride), shape), "hop-ignored")
    refuse(stride != 1 and found == _walked((hop, stride), shape) != right, "hop-in-bytes", hop=hop, **want)
    refuse(stride < 0 and found == _walked((-hop * stride, -stride), shape), "sign-lost", **want)
    per_hop = {abs(one) // each for one, each in zip(found, _walked((hop, 1), shape), strict=True)}
    refuse(name != "x" and found != right and len(per_hop) == 1, "stride-fixed", **want)
    require(found == right, "wrong-strides", hop=hop, down=hop * stride, **want)
    require(facts["begins"] == 0, "wrong-start")
    refuse(facts["dtype"], "dtype-changed", name=name, dtype=facts["dtype"])


def _walked(strides, shape):
    """The strides along which anybody walks: those of axes with two elements or more."""
    return [stride for length, stride in zip(shape, strides, strict=True) if length > 1]


def views_that_hop(answer, rng):
    """The windows are a view, whose strides are those of the array and of the hop.

    A function, since it is about memory: strides are read where a wrong value may lie beyond the array.
    """
    length, width = int(rng.integers(14, 20)), int(rng.integers(3, 6))
    cuts = [(width, 2), (width, 3), (width, 1), (width, width), (width, width + 2), (1, 3), (1, 1)]
    cuts += [(length - 1, 1), (length, 1), (length, 2), (length - 4, 4), (length - 5, 3), (2, 5 * length)]
    for wide, hop in cuts:
        for name, x in views_of(rng, length).items():
            facts = answer.probe(window_facts, x, wide, hop)
            answer.called = f"moving_windows({name}, {wide}, {hop})"
            _judge_windows(facts, name, length, wide, hop)
    answer.called = "moving_windows(x, 1, 1)"
    _judge_windows(answer.probe(window_facts, np.ones(1), 1, 1), "x", 1, 1, 1)


WORDS = """
hint: How many bytes is it from one window to the next? And from one element to the next?
hint: `x.strides` has the second, and the first is `hop` times that. Where does the last window begin?
wrong-type: You returned an object of type `{type}`. Return a NumPy array.
axes-swapped: Your windows are the columns. They should be the rows.
reads-past-the-end: Your windows reach {outside} bytes beyond `x`. The last window begins at `len(x) - width`, or
    before.
copied: Your windows are copies, which share no memory with `x`. Make a view of it.
hop-ignored: Your windows begin one element after the other. The next one should begin `hop` elements later.
hop-in-bytes: Your windows begin {hop} bytes after each other. It should be {hop} elements.
last-window-lost: Your windows have the shape {shape}, and one more window fits: it should be {want}.
wrong-shape: Your windows have the shape {shape}. It should be {want}.
sign-lost: `{name}` has the stride {stride}, your windows {strides}. Backwards, a stride is negative.
stride-fixed: Your windows are right for some `x`. But `{name}` has the stride {stride}, and they have {strides}: use
    `x.strides`.
wrong-strides: Your strides are {strides}. A step to the right should be {stride} bytes, and a step down {hop} times
    that, {down}.
wrong-start: Your first window doesn't begin where `x` does. It should, even if `x` is a part of a larger array.
dtype-changed: Your windows over `{name}` read its bytes as `{dtype}`, and so as other numbers.
"""

moving_windows = declare(
    "moving-windows",
    see="windows",
    steps=[views_that_hop],
    words=WORDS,
)
