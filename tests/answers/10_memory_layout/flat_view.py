"""Answers to flat-view."""

import numpy as np

from jaxcourse.exercise import right, wrong

from ._lesson import as_strided


@right("flat-view")
def asks_the_flags(x):
    return x.reshape(x.size) if x.flags.c_contiguous else x.T.reshape(x.size)


@right("flat-view")
def strides_by_hand(x):
    return as_strided(x, (x.size,), (x.itemsize,))


@wrong("flat-view", "itemsize-fixed")
def steps_by_eight_bytes(x):
    return as_strided(x, (x.size,), (8,))


@wrong("flat-view", "stride-of-a-lone-axis")
def steps_by_the_smaller_stride(x):
    return as_strided(x, (x.size,), (min(x.strides),))


@wrong("flat-view", "numbers-only")
def reads_the_buffer(x):
    return np.frombuffer(x if x.flags.c_contiguous else x.T, x.dtype)


@wrong("flat-view", "dtype-changed")
def takes_eight_bytes_for_a_float(x):
    flat = x.ravel(order="K")
    return flat.view(np.float64) if x.itemsize == 8 else flat


@wrong("flat-view", "cases-exchanged")
def exchanges_the_cases(x):
    return x.T.reshape(-1) if x.flags.c_contiguous else x.reshape(-1)


@wrong("flat-view", "wrong-start")
def goes_by_the_owner(x):
    owner = x if x.base is None else x.base
    return owner.ravel(order="K")[: x.size]


@wrong("flat-view", "always-copies")
def flattens(x):
    return x.flatten()


@wrong("flat-view", "copies-f-order")
def ravels_by_default(x):
    return x.ravel()


@wrong("flat-view", "copies-c-order")
def transposes_first(x):
    return x.T.reshape(-1)


@wrong("flat-view", "reshaped-the-input")
def sets_the_shape(x):
    result = x if x.flags.c_contiguous else x.T
    result.shape = (-1,)
    return result


@wrong("flat-view", "wrong-shape")
def first_row_only(x):
    return x[0]


@wrong("flat-view", "other-order")
def reversed_view(x):
    return x.ravel(order="K")[::-1]


@wrong("flat-view", "wrong-type")
def a_list(x):
    return x.ravel().tolist()
