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
wrong-type: Your function returned an object of type `{type}`. Return a NumPy array.
copied: Your windows are not in the memory of `{name}`: somewhere you copied it. A view walks over the bytes that are
    there.
reads-past-the-end: Your windows reach {outside} bytes beyond the record, into memory that belongs to something else.
one-too-many: Your last window has no reading behind it, so there is nothing to predict. The shape should be {want},
    not {shape}.
time-before-stations: Your shape is {shape}, and it should be {want}: the minutes of a window are the last axis.
time-before-stations/axes: Your shape is right, but the last axis walks over stations. Your steps are {strides}.
stations-first: Your shape is {shape}, and it should be {want}: windows first, then stations.
stations-first/axes: Your shape is right, but the first axis walks over stations. Your steps are {strides}.
side-by-side: Your windows don't overlap. The next one begins a single minute later.
wrong-shape: Your shape is {shape}. With {minutes} minutes it should be {want}.
steps-fixed: Your steps are {strides}, right for a record whose rows are side by side, but `{name}` has the steps
    {record}. Ask the record for its `strides`.
backwards: Your last axis leads backward in time. It should lead forward, as the record does.
wrong-steps: Your windows have the steps {strides}. For `{name}` they should be {wanted}.
sees-its-own-reading: Your window `t` ends with reading `t + 24`, which it should predict. If a network has seen the
    answer, it predicts without error.
wrong-start: Your first window begins {begins} bytes behind the first minute. It should begin with it.
dtype-changed: Your windows read the bytes of the record as `{dtype}`. Keep its dtype.
"""

every_window = declare(
    "every-window",
    see="windows-of-a-record",
    steps=[windows_that_copy_nothing],
    words=WORDS,
)
