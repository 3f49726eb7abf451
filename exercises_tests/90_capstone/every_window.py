"""every-window: every window of 24 minutes of every station, as a view."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import declare, refuse, require

WIDTH = 24
"""How many minutes a window has."""


def window_facts(windows_of, filled):
    """How the windows lie, beside how the record does: nothing is read that may not be there."""
    result = windows_of(filled)
    if not isinstance(result, np.ndarray):
        return {"type": type(result).__name__}
    low, high = np.lib.array_utils.byte_bounds(filled)
    first, last = np.lib.array_utils.byte_bounds(result)
    return {
        "type": "ndarray",
        "shape": result.shape,
        "strides": result.strides,
        "shares": bool(np.may_share_memory(filled, result)),
        "dtype": str(result.dtype),
        "outside": max(low - first, last - high, 0),
        "begins": result.ctypes.data - filled.ctypes.data,
        "record": filled.strides,
    }


def walked(strides, shape):
    """The strides along which anybody walks: those of axes with two elements or more."""
    return [stride for length, stride in zip(shape, strides, strict=True) if length > 1]


def judge_windows(facts, name, minutes, stations):
    """Require the shape, the steps and the start of the windows."""
    require(facts["type"] == "ndarray", "wrong-type", type=facts["type"])
    down, right = facts["record"]
    rows, shape, strides, begins = minutes - WIDTH, facts["shape"], facts["strides"], facts["begins"]
    want = {"shape": shape, "want": (rows, stations, WIDTH), "strides": strides, "name": name, "minutes": minutes}
    require(facts["shares"], "copied", **want)
    refuse(len(shape) == 3 and facts["outside"], "reads-past-the-end", outside=facts["outside"])
    refuse(shape == (rows, WIDTH, stations) != want["want"], "time-before-stations", **want)
    refuse(shape == (stations, rows, WIDTH) != want["want"], "stations-first", **want)
    refuse(shape == (rows + 1, stations, WIDTH), "one-too-many", **want)
    refuse(shape == (minutes // WIDTH, stations, WIDTH) != want["want"], "side-by-side", **want)
    require(shape == want["want"], "wrong-shape", **want)
    found, wanted = walked(strides, shape), walked((down, right, down), shape)
    refuse(found == walked((right, down, down), shape) != wanted, "stations-first/axes", **want)
    refuse(found == walked((down, down, right), shape) != wanted, "time-before-stations/axes", **want)
    plain = walked((4 * stations, 4, 4 * stations), shape)
    refuse(name != "filled" and found == plain != wanted, "steps-fixed", record=facts["record"], **want)
    refuse(found == walked((down, right, -down), shape) != wanted, "backwards", **want)
    require(found == wanted, "wrong-steps", wanted=(down, right, down), **want)
    refuse(begins == down, "sees-its-own-reading")
    require(begins == 0, "wrong-start", begins=begins)
    require(facts["dtype"] == "float32", "dtype-changed", dtype=facts["dtype"])


def records(rng, minutes, stations):
    """Records of one shape, from plain to odd, the plain one first."""

    def fresh(*shape):
        return inputs.array(rng, shape, "float32")

    return {
        "filled": fresh(minutes, stations),
        "filled, in Fortran order": np.asfortranarray(fresh(minutes, stations)),
        "x[1:-1]": fresh(minutes + 2, stations)[1:-1],
        "x[:, ::2]": fresh(minutes, 2 * stations)[:, ::2],
        "filled, read-only": inputs.layouts(fresh(minutes, stations))["read-only"],
    }


def windows_that_copy_nothing(answer, rng):
    """Windows that are views, with strides that the record's own give.

    A function, since what is compared is where a view begins and how it strides, in the memory of the record.
    """
    long, few = int(rng.integers(50, 90)), int(rng.integers(3, 9))
    for minutes, stations in [(long, few), (long + 7, 25), (30, 30), (25, 3), (26, 1), (2 * WIDTH, WIDTH)]:
        for name, filled in records(rng, minutes, stations).items():
            facts = answer.probe(window_facts, filled)
            answer.called = f"every_window({name}), where {name.partition(',')[0]} is float32[{minutes},{stations}]"
            judge_windows(facts, name, minutes, stations)


WORDS = """
hint: Window `t` begins with minute `t` and ends with minute `t + 23`. Which windows have a reading after them?
hint: `np.lib.stride_tricks.sliding_window_view` puts the axis of a window last.
hint: How many bytes is it to the next window, to the next station, and to the next minute of the same window? Two of
    the three are the same.
wrong-type: Return an array of NumPy, not an object of type `{type}`.
copied: Your windows do not lie in the memory of `{name}`: somewhere on the way to them it was copied. A view walks over
    the bytes that are there.
reads-past-the-end: Your windows reach {outside} bytes beyond the record: what lies there belongs to something else.
one-too-many: The last of your windows has no reading behind it: nothing can be predicted that never came. The shape
    should be {want}, not {shape}.
time-before-stations: The minutes of a window should be the last axis: {want}, not {shape}.
time-before-stations/axes: The shape is right, and the last axis walks over stations. Your steps are {strides}.
stations-first: Windows first, then stations: {want}, not {shape}.
stations-first/axes: The shape is right, and the first axis walks over stations. Your steps are {strides}.
side-by-side: Your windows stand side by side. The next one begins a single minute later.
wrong-shape: With {minutes} minutes the shape should be {want}, not {shape}.
steps-fixed: Right for a record whose rows lie side by side. `{name}` has the steps {record}, your windows {strides}.
    Ask the record for its `strides`.
backwards: The last axis should lead forward in time, as the record does.
wrong-steps: The steps of your windows are {strides}, and for `{name}` they should be {wanted}.
sees-its-own-reading: Window `t` ends with reading `t + 24`, which it is to predict. Whoever has seen the answer
    predicts it without error.
wrong-start: The first window begins {begins} bytes behind the first minute.
dtype-changed: Your windows read the bytes of the record as `{dtype}`.
"""

every_window = declare(
    "every-window",
    see="windows-of-a-record",
    steps=[windows_that_copy_nothing],
    words=WORDS,
)
