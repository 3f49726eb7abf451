"""Answers to broadcast-rule."""

import jax
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ..broadcast_rule import common_shape


def aligned(shapes):
    rank = max(len(shape) for shape in shapes)
    return [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]


@right("broadcast-rule")
def from_the_right(*shapes):
    common = [1] * max(map(len, shapes))
    for shape in shapes:
        for k in range(-len(shape), 0):
            if common[k] == 1:
                common[k] = shape[k]
            elif shape[k] not in (1, common[k]):
                raise ValueError(f"{shape[k]} meets {common[k]}")
    return tuple(common)


class PairByPair:
    """A callable object that raises a `ValueError` of its own."""

    class Clash(ValueError):
        pass

    def __call__(self, *shapes):
        first, *others = shapes
        for other in others:
            first = self.joined(first, other)
        return first

    def joined(self, a, b):
        if not a or not b:
            return a + b
        if a[-1] != b[-1] and 1 not in (a[-1], b[-1]):
            raise self.Clash
        return (*self.joined(a[:-1], b[:-1]), b[-1] if a[-1] == 1 else a[-1])


pair_by_pair = right("broadcast-rule")(PairByPair())


@wrong("broadcast-rule", "forbidden-call")
def asks_numpy(*shapes):
    return np.broadcast_shapes(*shapes)


@right("broadcast-rule")
def a_table_of_lengths(*shapes):
    table = np.ones((len(shapes), max(map(len, shapes))), object)
    for row, shape in zip(table, shapes, strict=True):
        row[len(row) - len(shape) :] = shape
    left = [set(axis) - {1} for axis in table.T.tolist()]
    if any(len(axis) > 1 for axis in left):
        raise ValueError("clash")
    return tuple(axis.pop() if axis else 1 for axis in left)


@wrong("broadcast-rule", "forbidden-call")
def asks_jax_without_arrays(*shapes):
    given = [jax.ShapeDtypeStruct(shape, "int8") for shape in shapes]
    try:
        return jax.jit(lambda *arrays: sum(arrays)).eval_shape(*given).shape
    except TypeError as error:
        raise ValueError("clash") from error


@wrong("broadcast-rule", "makes-arrays")
def adds_arrays(*shapes):
    return sum(np.zeros(shape) for shape in shapes).shape


@wrong("broadcast-rule", "makes-arrays")
def adds_what_is_nearly_nothing(*shapes):
    return sum(np.ndarray(shape, np.int8) for shape in shapes).shape


@wrong("broadcast-rule", "another-exception")
def asserts_that_lengths_fit(*shapes):
    for lengths in zip(*aligned(shapes), strict=True):
        assert len(set(lengths) - {1}) < 2
    return common_shape(shapes)


@wrong("broadcast-rule", "clash-accepted")
def returns_a_word(*shapes):
    common = common_shape(shapes)
    return "error" if common == "ValueError" else common


@wrong("broadcast-rule", "clash-accepted")
def returns_the_name_of_an_error(*shapes):
    return common_shape(shapes)


@wrong("broadcast-rule", "another-exception")
def stumbles_over_the_message(*shapes):
    if common_shape(shapes) == "ValueError":
        raise ValueError("clash: " + shapes)
    return common_shape(shapes)


@wrong("broadcast-rule", "zero-stretches")
def lets_zero_stretch(*shapes):
    result = []
    for lengths in zip(*aligned(shapes), strict=True):
        if len({length for length in lengths if length > 1}) > 1:
            raise ValueError("clash")
        result.append(0 if 0 in lengths else max(lengths))
    return tuple(result)


@wrong("broadcast-rule", "not-all-compared")
def compares_with_the_first(*shapes):
    first, *others = aligned(shapes)
    if any(1 not in pair and len(set(pair)) > 1 for other in others for pair in zip(first, other, strict=True)):
        raise ValueError("clash")
    return tuple(next((length for length in axis if length != 1), 1) for axis in zip(first, *others, strict=True))


@wrong("broadcast-rule", "not-all-compared")
def compares_neighbours(*shapes):
    padded = aligned(shapes)
    for a, b in zip(padded[:-1], padded[1:], strict=True):
        if any(1 not in pair and len(set(pair)) > 1 for pair in zip(a, b, strict=True)):
            raise ValueError("clash")
    return tuple(next((length for length in axis if length != 1), 1) for axis in zip(*padded, strict=True))


@wrong("broadcast-rule", "one-shape-refused")
def wants_two(first, second, *others):
    return or_raise(first, second, *others)


def or_raise(*shapes):
    common = common_shape(shapes)
    if common == "ValueError":
        raise ValueError("clash")
    return common


@wrong("broadcast-rule", "clash-accepted")
def takes_the_largest_everywhere(*shapes):
    return tuple(max(lengths) for lengths in zip(*aligned(shapes), strict=True))


@wrong("broadcast-rule", "largest-taken")
def takes_the_largest_after_a_test(*shapes):
    for lengths in zip(*aligned(shapes), strict=True):
        if len(set(lengths) - {1}) > 1:
            raise ValueError("clash")
    return tuple(max(lengths) for lengths in zip(*aligned(shapes), strict=True))


@wrong("broadcast-rule", "aligned-on-the-left")
def pads_with_ones_on_the_right(*shapes):
    rank = max(len(shape) for shape in shapes)
    return or_raise(*[tuple(shape) + (1,) * (rank - len(shape)) for shape in shapes])


@wrong("broadcast-rule", "aligned-on-the-left")
def cuts_to_the_shorter(*shapes):
    axes = list(zip(*shapes, strict=False))
    if any(len(set(lengths) - {1}) > 1 for lengths in axes):
        raise ValueError("clash")
    return tuple(max(lengths) for lengths in axes)


@wrong("broadcast-rule", "aligned-on-the-left")
def takes_the_first_for_the_longest(*shapes):
    result = list(shapes[0])
    for shape in shapes[1:]:
        for k in range(-min(len(shape), len(result)), 0):
            if 1 not in (shape[k], result[k]) and shape[k] != result[k]:
                raise ValueError("clash")
            result[k] = shape[k] if result[k] == 1 else result[k]
    return tuple(result)


@wrong("broadcast-rule", "two-shapes-only")
def takes_the_first_two(*shapes):
    return or_raise(*shapes[:2])


@wrong("broadcast-rule", "two-shapes-only")
def has_two_parameters(a, b):
    return or_raise(a, b)


@wrong("broadcast-rule", "ValueError")
def wants_equal_lengths(*shapes):
    for lengths in zip(*aligned(shapes), strict=True):
        if len(set(lengths)) > 1:
            raise ValueError("clash")
    return aligned(shapes)[0]


@wrong("broadcast-rule", "number-refused")
def needs_an_axis_in_each(*shapes):
    return or_raise(*shapes) if all(shapes) else ()


@wrong("broadcast-rule", "wrong-value")
def eight_axes_at_most(*shapes):
    return or_raise(*shapes)[-8:]


@wrong("broadcast-rule", "wrong-value")
def lengths_as_floats(*shapes):
    common = or_raise(*[tuple(map(float, shape)) for shape in shapes])
    return tuple(map(int, common))


@wrong("broadcast-rule", "wrong-value")
def as_many_shapes_as_numpy_takes(*shapes):
    return or_raise(*shapes[:64])


@wrong("broadcast-rule", "not-a-shape")
def counts_the_elements(*shapes):
    return int(np.prod(or_raise(*shapes)))


@wrong("broadcast-rule", "not-a-shape")
def returns_floats(*shapes):
    return tuple(map(float, or_raise(*shapes)))


@wrong("broadcast-rule", "not-a-shape")
def returns_a_list(*shapes):
    return list(or_raise(*shapes))


@wrong("broadcast-rule", "aligned-on-the-left")
def ends_with_the_shortest(*shapes):
    result = []
    for lengths in zip(*(shape[::-1] for shape in shapes), strict=False):
        left = set(lengths) - {1}
        if len(left) > 1:
            raise ValueError("lengths clash")
        result.append(left.pop() if left else 1)
    return tuple(result[::-1])


equivalents = [
    equivalent("broadcast-rule", "`tuple(shape)`  ->  `shape`", "a shape is a tuple"),
]
