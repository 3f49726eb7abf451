"""Answers to element-address."""

import functools

import numpy as np

from jaxcourse.exercise import right, wrong


@right("element-address")
def a_product_of_arrays(start, strides, index):
    return start + np.dot(np.array(strides, np.int64), np.array(index, np.int64))


@right("element-address")
def from_the_last_axis(start, strides, index):
    return functools.reduce(lambda at, axis: at + axis[0] * axis[1], [*zip(strides, index, strict=True)][::-1], start)


@wrong("element-address", "no-axes")
def begins_with_the_first(start, strides, index):
    walks = [s * i for s, i in zip(strides, index, strict=True)]
    return start + sum(walks[1:], walks[0])


@wrong("element-address", "digits-lost")
def adds_in_floating_point(start, strides, index):
    return int(np.float64(start) + np.dot(np.float64(strides), np.float64(index)))


@wrong("element-address", "two-axes-only")
def unpacks_two_axes(start, strides, index):
    return start + strides[0] * index[0] + strides[1] * index[1]


@wrong("element-address", "axis-lost")
def stops_before_the_last(start, strides, index):
    return start + sum(strides[axis] * index[axis] for axis in range(len(index) - 1))


@wrong("element-address", "counted-from-one")
def counts_from_one(start, strides, index):
    return start + sum(s * (i - 1) for s, i in zip(strides, index, strict=True))


@wrong("element-address", "sign-lost")
def leaves_negative_strides_out(start, strides, index):
    return start + sum(s * i for s, i in zip(strides, index, strict=True) if s > 0)


@wrong("element-address", "start-lost")
def offset_only(start, strides, index):
    return sum(s * i for s, i in zip(strides, index, strict=True))


@wrong("element-address", "axes-reversed")
def pairs_from_both_ends(start, strides, index):
    return start + sum(s * i for s, i in zip(strides, reversed(index), strict=True))


@wrong("element-address", "itemsize-twice")
def multiplies_by_the_itemsize(start, strides, index):
    return start + 8 * sum(s * i for s, i in zip(strides, index, strict=True))


@wrong("element-address", "sign-lost")
def takes_absolute_strides(start, strides, index):
    return start + sum(abs(s) * i for s, i in zip(strides, index, strict=True))


@wrong("element-address", "no-axes")
def needs_an_axis(start, strides, index):
    return start + sum(s * i for s, i in zip(strides, index, strict=True)) if strides else 0


@wrong("element-address", "wrong-value")
def pairs_by_a_dictionary(start, strides, index):
    return start + sum(s * i for s, i in dict(zip(strides, index, strict=True)).items())


@wrong("element-address", "wrong-value")
def eight_axes_at_most(start, strides, index):
    return start + sum(s * i for s, i in list(zip(strides, index, strict=True))[:8])


@wrong("element-address", "two-axes-only")
def knows_two_axes(start, strides, index):
    return start + sum(s * i for s, i in list(zip(strides, index, strict=True))[:2])


@wrong("element-address", "wrong-value")
def counts_elements(start, strides, index):
    return start + sum(index)


@wrong("element-address", "digits-lost")
def makes_a_whole_number_of_a_float(start, strides, index):
    return int(start + np.dot(strides, index))
