"""Answers to moving-windows."""

import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ._lesson import as_strided

sliding_window_view = np.lib.stride_tricks.sliding_window_view


@right("moving-windows")
def by_numpy_itself(x, width, hop):
    return sliding_window_view(x, (width,))[::hop]


@right("moving-windows")
def windows_in_columns_turned(x, width, hop):
    return as_strided(x, (width, 1 + (x.size - width) // hop), (x.strides[0], x.strides[0] * hop)).T


@right("moving-windows")
def from_the_strides_of_a_slice(x, width, hop):
    return as_strided(x, (len(range(0, len(x) - width + 1, hop)), width), (x[::hop].strides[0], *x.strides))


@wrong("moving-windows", "hop-ignored")
def copies_the_cell_above(x, width, hop):
    step = x.strides[0]
    return as_strided(x, (len(x) - width + 1, width), (step, step))


@wrong("moving-windows", "hop-ignored")
def counts_hops_and_walks_by_one(x, width, hop):
    return sliding_window_view(x, width)[: (len(x) - width) // hop + 1]


@wrong("moving-windows", "hop-in-bytes")
def hops_by_bytes(x, width, hop):
    return as_strided(x, ((len(x) - width) // hop + 1, width), (hop, x.strides[0]))


@wrong("moving-windows", "last-window-lost")
def counts_the_gaps(x, width, hop):
    return sliding_window_view(x, width)[::hop][: max((len(x) - width) // hop, 1)]


@wrong("moving-windows", "reads-past-the-end")
def begins_wherever_it_can(x, width, hop):
    return as_strided(x, (-(-len(x) // hop), width), (hop * x.strides[0], x.strides[0]))


@wrong("moving-windows", "sign-lost")
def takes_the_size_of_the_stride(x, width, hop):
    step = abs(x.strides[0])
    inside = x if x.strides[0] > 0 else x[::-1]
    return as_strided(inside, ((len(x) - width) // hop + 1, width), (hop * step, step))


@wrong("moving-windows", "copied")
def makes_it_contiguous(x, width, hop):
    return sliding_window_view(np.ascontiguousarray(x), width)[::hop]


@wrong("moving-windows", "copied")
def stacks_slices(x, width, hop):
    return np.stack([x[i : i + width] for i in range(0, len(x) - width + 1, hop)])


@wrong("moving-windows", "wrong-start")
def starts_at_the_owner(x, width, hop):
    owner = x if x.base is None or x.strides[0] < 0 else x.base
    return as_strided(owner, ((len(x) - width) // hop + 1, width), (hop * x.strides[0], x.strides[0]))


@wrong("moving-windows", "wrong-start")
def hops_from_the_last_window(x, width, hop):
    return sliding_window_view(x, width)[::-hop][::-1]


@wrong("moving-windows", "axes-swapped")
def windows_in_columns(x, width, hop):
    return sliding_window_view(x, width)[::hop].T


@wrong("moving-windows", "stride-fixed")
def packed_always(x, width, hop):
    return as_strided(x, ((len(x) - width) // hop + 1, width), (hop * x.itemsize, x.itemsize))


@wrong("moving-windows", "wrong-strides")
def repeats_the_first_window(x, width, hop):
    return np.broadcast_to(x[:width], ((len(x) - width) // hop + 1, width))


@wrong("moving-windows", "wrong-strides")
def hops_by_whole_windows(x, width, hop):
    step = min(hop, width) if hop < 3 else 2
    return as_strided(x, ((len(x) - width) // hop + 1, width), (step * x.strides[0], x.strides[0]))


@wrong("moving-windows", "dtype-changed")
def takes_unsigned_numbers_for_signed(x, width, hop):
    windows = sliding_window_view(x, width)[::hop]
    return windows.view(np.int8) if x.itemsize == 1 else windows


@wrong("moving-windows", "wrong-shape")
def one_element_short(x, width, hop):
    return sliding_window_view(x, width)[::hop, :-1]


@wrong("moving-windows", "wrong-type")
def a_list_of_windows(x, width, hop):
    return [x[i : i + width] for i in range(0, len(x) - width + 1, hop)]


equivalents = [
    equivalent(
        "moving-windows",
        "`np.lib.stride_tricks.as_strided(x, shape, (hop * step, step), writeable=False)`  ->  "
        "`np.lib.stride_tricks.as_strided(x, shape, (hop * step, step))`",
        "whether windows can be written to is up to the student",
    ),
    equivalent("moving-windows", "`0`  ->  `-1`", "`x` has one axis, which is its first and its last"),
    equivalent("moving-windows", "`False`  ->  `True`", "whether windows can be written to is up to the student"),
]
