"""Answers to find-the-slice."""

import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("find-the-slice")
def stops_far_below(base, view):
    step = np.int64(view.strides[0] // base.strides[0])
    start = np.int64(view.ctypes.data - base.ctypes.data) // base.itemsize
    stop = start + step * len(view)
    return slice(start, -len(base) - 1 if stop < 0 else stop, step)


@right("find-the-slice")
def by_its_ends(base, view):
    first, last = ((part.ctypes.data - base.ctypes.data) // base.itemsize for part in (view, view[-1:]))
    step = (last - first) // (len(view) - 1)
    return slice(first, last + 1 if step > 0 else last - 1 if last else None, step)


@wrong("find-the-slice", "found-by-value")
def looks_for_the_first_value(base, view):
    start = int(np.flatnonzero(base == view[0])[0])
    step = view.strides[0] // base.itemsize
    stop = start + step * len(view)
    return slice(start, None if stop < 0 else stop, step)


@wrong("find-the-slice", "owner-not-base")
def measures_from_the_owner(base, view):
    start = (view.ctypes.data - view.base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    stop = start + step * len(view)
    return slice(start, None if stop < 0 else stop, step)


@wrong("find-the-slice", "backwards")
def runs_on_to_the_beginning(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    return slice(start, start + step * len(view) if step > 0 else None, step)


@wrong("find-the-slice", "ends-at-one")
def takes_zero_for_none(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    stop = start + step * (len(view) - 1) + (1 if step > 0 else -1)
    return slice(start, stop if stop > 0 else None, step)


@wrong("find-the-slice", "stop-lost")
def runs_on_to_the_end(base, view):
    step = view.strides[0] // base.itemsize
    return slice((view.ctypes.data - base.ctypes.data) // base.itemsize, None, step)


@wrong("find-the-slice", "bytes-not-elements")
def leaves_bytes(base, view):
    start = view.ctypes.data - base.ctypes.data
    return slice(start, start + view.strides[0] * len(view), view.strides[0])


@wrong("find-the-slice", "step-lost")
def ignores_the_step(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    return slice(start, start + len(view))


@wrong("find-the-slice", "start-lost")
def ignores_the_start(base, view):
    step = view.strides[0] // base.itemsize
    return slice(0, step * len(view), step)


@wrong("find-the-slice", "end-below-zero")
def stops_below_zero(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    return slice(start, start + step * len(view), step)


@wrong("find-the-slice", "itemsize-fixed")
def looks_at_some_dtypes(base, view):
    start = (view.ctypes.data - base.ctypes.data) // 8
    step = view.strides[0] // 8
    stop = start + step * len(view)
    return slice(start, stop if stop >= 0 else None, step or 1)


@wrong("find-the-slice", "wrong-value")
def stops_at_the_last_element(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    return slice(start, start + step * (len(view) - 1), step)


@wrong("find-the-slice", "not-a-slice")
def returns_the_three_numbers(base, view):
    return (view.ctypes.data - base.ctypes.data) // base.itemsize, None, view.strides[0] // base.itemsize


@wrong("find-the-slice", "wrong-value")
def searches_what_is_in_no_order(base, view):
    start = int(np.searchsorted(base, view[0]))
    step = view.strides[0] // base.itemsize
    stop = start + step * len(view)
    return slice(start, stop if stop >= 0 else None, step)


@wrong("find-the-slice", "not-a-slice")
def returns_nothing_where_the_stop_is_left(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    stop = start + step * len(view)
    if step > 0:
        return slice(start, stop, step)
    if stop < 0:
        return slice(start, None, step)


equivalents = [
    equivalent("find-the-slice", "`base`  ->  `view`", "a view has the dtype of its base"),
    equivalent("find-the-slice", "`0`  ->  `-1`", "a view has one axis"),
]
