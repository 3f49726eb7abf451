"""Answers to in-blocks."""

import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("in-blocks", "too-long")
def all_at_once(function, block, *arrays):
    return function(*arrays)


@wrong("in-blocks", "rest-lost")
def full_blocks_only(function, block, *arrays):
    n = len(arrays[0]) // block * block
    parts = [function(*(a[i : i + block] for a in arrays)) for i in range(0, n, block)]
    return np.concatenate(parts or [arrays[0][:0]])


@wrong("in-blocks", "not-an-array")
def a_list_of_numbers(function, block, *arrays):
    result = []
    for start in range(0, len(arrays[0]), block):
        result += list(function(*(a[start : start + block] for a in arrays)))
    return result


@wrong("in-blocks", "not-slices")
def one_number_each(function, block, *arrays):
    result = np.empty_like(arrays[0])
    for i in range(len(result)):
        result[i] = function(*(a[i] for a in arrays))
    return result


@wrong("in-blocks", "rest-lost")
def leaves_the_rest_as_it_was(function, block, *arrays):
    result = np.zeros_like(arrays[0])
    for start in range(0, len(result) - block + 1, block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@wrong("in-blocks", "rest-lost")
def leaves_the_rest_as_memory_was(function, block, *arrays):
    result = np.empty_like(arrays[0])
    for k in range(len(result) // block):
        part = slice(k * block, (k + 1) * block)
        result[part] = function(*(a[part] for a in arrays))
    return result


@wrong("in-blocks", "too-long")
def splits_into_that_many(function, block, *arrays):
    result = np.empty_like(arrays[0])
    for part in np.array_split(np.arange(len(result)), block):
        result[part] = function(*(a[part] for a in arrays))
    return result


@wrong("in-blocks", "wrong-value")
def leaves_the_end_as_it_was(function, block, *arrays):
    result = np.zeros_like(arrays[0])
    for start in range(0, len(result) - block, block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@wrong("in-blocks", "joined-at-the-end")
def concatenates(function, block, *arrays):
    starts = range(0, len(arrays[0]), block)
    parts = [function(*(a[start : start + block] for a in arrays)) for start in starts]
    return np.concatenate(parts or [arrays[0]])


@wrong("in-blocks", "copies-an-argument")
def makes_them_contiguous(function, block, *arrays):
    arrays = [np.ascontiguousarray(array) for array in arrays]
    result = np.empty_like(arrays[0])
    for start in range(0, len(result), block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@wrong("in-blocks", "other-dtype")
def makes_a_float64_result(function, block, *arrays):
    result = np.empty(len(arrays[0]))
    for start in range(0, len(result), block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@wrong("in-blocks", "too-many-calls")
def one_element_each(function, block, *arrays):
    result = np.empty_like(arrays[0])
    for i in range(len(result)):
        result[i : i + 1] = function(*(a[i : i + 1] for a in arrays))
    return result


@wrong("in-blocks", "too-many-calls")
def never_more_than_fit_the_cache(function, block, *arrays):
    result, block = np.empty_like(arrays[0]), min(block, 1024)
    for start in range(0, len(result), block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@right("in-blocks")
def while_something_is_left(function, block, *arrays):
    result = np.zeros(arrays[0].shape, dtype=arrays[0].dtype)
    start = 0
    while start < result.size:
        part = slice(start, min(start + block, result.size))
        result[part] = function(*(array[part] for array in arrays))
        start = part.stop
    return result


@right("in-blocks")
def asks_for_the_dtype_first(function, block, *arrays):
    result = np.empty(len(arrays[0]), function(*(a[:1] for a in arrays)).dtype)
    for start in range(0, len(result), block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@right("in-blocks")
def by_halves(function, block, *arrays):
    result = np.empty_like(arrays[0])

    def fill(out, parts):
        if len(out) <= block:
            out[:] = function(*parts)
        else:
            half = len(out) // 2
            fill(out[:half], [part[:half] for part in parts])
            fill(out[half:], [part[half:] for part in parts])

    fill(result, arrays)
    return result


@right("in-blocks")
def in_parts_of_nearly_one_length(function, block, *arrays):
    out = np.empty_like(arrays[0])
    many = -(-len(out) // block)
    for i in range(many):
        part = slice(len(out) * i // many, len(out) * (i + 1) // many)
        out[part] = function(*(v[part] for v in arrays))
    return out


@right("in-blocks")
def over_the_starts(function, block, *arrays):
    out = np.empty_like(arrays[0])
    for i in range(0, len(out), block):
        out[i : i + block] = function(*(v[i : i + block] for v in arrays))
    return out


equivalents = [
    equivalent("in-blocks", "`0`  ->  `-1`", "arrays have one axis"),
]
