"""Answers to stable-roots."""

import numpy as np

from jaxcourse.exercise import right, wrong

from ..stable_roots import exact_roots


@wrong("stable-roots", "cancellation")
def from_the_textbook(a, b, c):
    root = np.sqrt(b**2 - 4 * a * c)
    minus, plus = (-b - root) / (2 * a), (-b + root) / (2 * a)
    larger = np.abs(minus) > np.abs(plus)
    return np.stack([np.where(larger, minus, plus), np.where(larger, plus, minus)])


@wrong("stable-roots", "negative-b")
def knows_one_sign(a, b, c):
    q = -(b + np.sqrt(b**2 - 4 * a * c)) / 2
    return np.stack([q / a, c / q])


@wrong("stable-roots", "cancellation")
def by_the_sum_of_the_roots(a, b, c):
    large = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / (2 * a)
    return np.stack([large, -b / a - large])


@wrong("stable-roots", "sign-of-b")
def takes_the_size_of_b(a, b, c):
    q = -(np.abs(b) + np.sqrt(b**2 - 4 * a * c)) / 2
    return np.stack([q / a, c / q])


@wrong("stable-roots", "zero-b")
def asks_whether_above_or_below(a, b, c):
    root = np.sqrt(b**2 - 4 * a * c)
    q = -(b + np.where(b > 0, root, np.where(b < 0, -root, 0))) / 2
    with np.errstate(all="ignore"):
        return np.stack([q / a, c / q]).astype(a.dtype)


@wrong("stable-roots", "zero-b")
def asks_for_the_sign(a, b, c):
    q = -(b + np.sign(b) * np.sqrt(b**2 - 4 * a * c)) / 2
    with np.errstate(all="ignore"):
        return np.stack([q / a, c / q])


@wrong("stable-roots", "more-digits")
def computes_in_double(a, b, c):
    return exact_roots(a, b, c)


def stable(a, b, c):
    """What some answers call."""
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.stack([q / a, c / q])


def sorted_by_magnitude(one, other):
    """The same."""
    larger = np.abs(one) > np.abs(other)
    return np.stack([np.where(larger, one, other), np.where(larger, other, one)])


@wrong("stable-roots", "cancellation")
def the_textbook_in_double(a, b, c):
    dtype = a.dtype
    a, b, c = (v.astype(float) for v in (a, b, c))
    root = np.sqrt(b**2 - 4 * a * c)
    return sorted_by_magnitude((-b - root) / (2 * a), (-b + root) / (2 * a)).astype(dtype)


@wrong("stable-roots", "more-digits")
def stable_in_double(a, b, c):
    wide = (v.astype(float) for v in (a, b, c))
    return stable(*wide).astype(a.dtype)


@wrong("stable-roots", "more-digits")
def the_difference_in_double(a, b, c):
    root = np.sqrt(b.astype(float) ** 2 - 4 * a.astype(float) * c).astype(a.dtype)
    q = -(b + np.copysign(root, b)) / 2
    return np.stack([q / a, c / q])


@wrong("stable-roots", "more-digits")
def single_by_itself_and_double_wider(a, b, c):
    wide = np.longdouble if a.dtype == np.float64 else a.dtype
    return stable(*(v.astype(wide) for v in (a, b, c))).astype(a.dtype)


@wrong("stable-roots", "other-dtype")
def always_in_single(a, b, c):
    return stable(*(v.astype(np.float32) for v in (a, b, c)))


@wrong("stable-roots", "not-an-array")
def as_a_pair(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return q / a, c / q


@wrong("stable-roots", "wrong-shape")
def one_row_for_each_equation(a, b, c):
    return stable(a, b, c).T


@wrong("stable-roots", "order")
def minus_first(a, b, c):
    one, other = stable(a, b, c)
    return np.stack([np.where(b > 0, one, other), np.where(b > 0, other, one)])


@wrong("stable-roots", "order")
def smaller_first(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.stack([c / q, q / a])


@wrong("stable-roots", "order")
def sorts_by_value(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.sort(np.stack([q / a, c / q]), axis=0)


@wrong("stable-roots", "divided-too-early")
def divides_by_a_first(a, b, c):
    half, product = b / (2 * a), c / a
    with np.errstate(all="ignore"):
        large = -(half + np.copysign(np.sqrt(half * half - product), half))
    return np.stack([large, product / large])


@wrong("stable-roots", "wrong-value")
def takes_a_small_b_for_zero(a, b, c):
    return stable(a, np.where(np.abs(b) < 0.01, 0, b).astype(b.dtype), c)


@wrong("stable-roots", "wrong-shape")
def loses_the_axis_of_one(a, b, c):
    return stable(a, b, c).squeeze()


@wrong("stable-roots", "wrong-value")
def forgets_the_half(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b))
    return np.stack([q / a, c / q])


@right("stable-roots")
def by_copysign(a, b, c):
    root = np.sqrt(b * b - 4 * a * c)
    q = -(b + np.copysign(root, b)) / 2
    return np.stack([q / a, c / q])


@right("stable-roots")
def by_the_product_of_the_roots(a, b, c):
    root = np.sqrt(b**2 - 4 * a * c)
    large = np.where(b < 0, root - b, -root - b) / (2 * a)
    return np.array([large, c / (a * large)])


@wrong("stable-roots", "returned-nothing")
def forgets_to_return(a, b, c):
    half = -(b + np.copysign(np.sqrt(b * b - 4 * a * c), b)) / 2
    np.stack([half / a, c / half])


@wrong("stable-roots", "zero-b")
def divides_by_the_square_of_b(a, b, c):
    with np.errstate(divide="ignore", invalid="ignore"):
        half = -b * (1 + np.sqrt(1 - 4 * a * c / b**2)) / 2
        return np.stack([half / a, c / half])
