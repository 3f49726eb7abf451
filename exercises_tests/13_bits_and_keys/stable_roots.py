"""stable-roots: both roots of quadratic equations, each to its own digits."""

import decimal

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import numbers, refuse_nothing


def exact_roots(a, b, c):
    """Both roots with 50 digits, rounded to float64; the larger first."""
    roots = []
    with decimal.localcontext(prec=50):
        for values in zip(a, b, c, strict=True):
            x, y, z = (decimal.Decimal(float(value)) for value in values)
            root = (y * y - 4 * x * z).sqrt()
            both = [(-y - root) / (2 * x), (-y + root) / (2 * x)]
            roots.append([float(value) for value in sorted(both, key=abs, reverse=True)])
    return np.array(roots).reshape(-1, 2).T


def drawn_coefficients(rng, n, dtype, ends):
    """Coefficients of either sign between limits."""
    signs = rng.choice([-1, 1], (3, n))
    return [(sign * np.exp(rng.uniform(*np.log(end), n))).astype(dtype) for sign, end in zip(signs, ends, strict=True)]


FAR = ((1e-3, 10), (30, 1e3), (1e-3, 10))
"""Magnitudes of a, b and c where the square root is nearly b."""


MODERATE = ((1, 5), (30, 60), (1, 5))
"""Magnitudes where it is not so near that rounding would not show."""


DOUBLE = [1, 1, 4, -2], [2, -4, 4, 4], [1, 4, 1, -2]
"""Coefficients of which the square root is 0."""


DOUBLE_UNLESS_DIVIDED = [49, 242, 529, 121, 441], [42, -132, 322, 110, 420], [9, 18, 49, 25, 100]
"""Coefficients of which it is not 0 if they are divided before."""


def roots_of(answer, a, b, c):
    """Both roots, in the right shape."""
    got = numbers(answer(a, b, c))
    want = (2, len(a))
    require(got.shape == want, "wrong-shape", wanted=want, shape=got.shape)
    return got


def relative(got, want):
    """The relative errors of the roots, in units of their dtype's precision; of what is not a number, infinity."""
    errors = np.abs(got.astype(float) / want - 1) / np.finfo(got.dtype).eps
    return np.nan_to_num(errors, nan=np.inf)


def precise(got, want):
    """Whether each root is right to all of its own digits, but the last few bits."""
    return bool(np.all(relative(got, want) < 40))


def swapped(got, want):
    """Whether the roots are right, as far as the larger one's digits go, and some are in the other order."""
    ordered = np.take_along_axis(got, np.argsort(-np.abs(got), axis=0), axis=0)
    return beside_the_larger(ordered, want) and not beside_the_larger(got, want)


def beside_the_larger(got, want):
    """Whether both roots are right as far as the digits of the larger one go."""
    scale = 1000 * np.finfo(got.dtype).eps * np.abs(want[0])
    return bool(np.all(np.abs(got.astype(float) - want) <= scale))


def are_roots(got, want):
    """Whether both roots are right, each to its own digits; the wrong order and a loss of digits are refused."""
    refuse(swapped(got, want), "order")
    lossy = beside_the_larger(got, want) and np.all(relative(got, want)[0] < 40) and not precise(got, want)
    refuse(lossy, "cancellation")
    return precise(got, want)


def has_more_digits(answer, coefficients):
    """Whether nearly all roots are rounded once only: in the precision of the coefficients every step rounds."""
    got = roots_of(answer, *coefficients)
    return bool(np.mean(got == exact_roots(*coefficients).astype(got.dtype)) > 0.9)


def knows_too_much(answer, coefficients):
    """Whether roots near a double one come out better than the rounded coefficients' products allow."""
    a, b, c = coefficients
    real = b.astype(float) ** 2 > 4 * a.astype(float) * c
    got = roots_of(answer, *(v[real] for v in coefficients))
    return bool(np.all(relative(got, exact_roots(*(v[real] for v in coefficients))) < 20))


def gives_roots(answer, coefficients):
    """Whether both roots come back right: see `are_roots`."""
    return are_roots(roots_of(answer, *coefficients), exact_roots(*coefficients))


def with_mixed_signs(a, b, c):
    """The coefficients, so that `a` and `c` differ in sign."""
    return a, b, -np.copysign(c, a)


def right_to_their_own_digits(answer, rng):
    """Both roots are right in either precision, whatever the signs, also where b is small or 0.

    A function, since each root is right to its own digits, and `Agrees` counts those of the largest number.
    """
    for dtype in ("float32", "float64"):
        a, b, c = drawn_coefficients(rng, 32, dtype, FAR)
        kind = answer.probe(probe.result_type, a, b, c)
        refuse_nothing(kind == "NoneType")
        require(kind == "ndarray", "not-an-array")
        got = roots_of(answer, a, abs(b), c)
        require(got.dtype.itemsize <= a.itemsize, "more-digits", dtype=dtype, given=got.dtype)
        require(got.dtype == a.dtype, "other-dtype", dtype=dtype, given=got.dtype)
        require(gives_roots(answer, (a, abs(b), c)), "wrong-value")
        negative, want = roots_of(answer, a, -abs(b), c), exact_roots(a, -abs(b), c)
        refuse(swapped(negative, want), "order")
        refuse(precise(-negative, want), "sign-of-b")
        require(precise(negative, want), "negative-b")
        got, want = roots_of(answer, abs(a), 0 * b, -abs(c)), exact_roots(abs(a), 0 * b, -abs(c))
        require(precise(np.sort(got, axis=0), np.sort(want, axis=0)), "zero-b")
        mixed = with_mixed_signs(*drawn_coefficients(rng, 32, dtype, ((1, 5), (1, 60), (1, 5))))
        require(gives_roots(answer, mixed), "wrong-value/mixed-signs")
        small_b = with_mixed_signs(*drawn_coefficients(rng, 64, dtype, ((1e-3, 1e3), (1e-3, 1), (1e-3, 1e3))))
        require(gives_roots(answer, small_b), "wrong-value/small-b")
        require(gives_roots(answer, [v[:1] for v in small_b]), "wrong-value")
        require(gives_roots(answer, [np.array(v, dtype) for v in DOUBLE]), "wrong-value/double-root")
        doubled = [np.array(v, dtype) for v in DOUBLE_UNLESS_DIVIDED]
        require(precise(roots_of(answer, *doubled), exact_roots(*doubled)), "divided-too-early")


def with_no_more_digits(answer, rng):
    """The steps are those of the coefficients' precision.

    A function, since all digits are right here, and that is what tells that there were more on the way.
    """
    moderate = drawn_coefficients(rng, 200, "float32", MODERATE)
    refuse(has_more_digits(answer, drawn_coefficients(rng, 200, "float64", MODERATE)), "more-digits/2")
    a, q = (rng.uniform(*ends, 64).astype(np.float32) for ends in ((1, 2), (1, 2)))
    near = a, 2 * a * q, (a.astype(float) * q**2 * (1 - 1e-6)).astype(np.float32)
    refuse(has_more_digits(answer, moderate) or knows_too_much(answer, near), "more-digits/2")


def of_no_equations(answer, rng):
    """Of no equations there are no roots, in two rows.

    A function, since there are no numbers to compare, and a shape only.
    """
    nothing = drawn_coefficients(rng, 0, "float32", MODERATE)
    require(roots_of(answer, *nothing).shape == (2, 0), "wrong-shape/2")


WORDS = """
hint: Which of the two roots adds two numbers of the same sign? Let the square root take the sign of `b`.
hint: `np.copysign(root, b)` is `root` with the sign of `b`, also where `b` is 0.
hint: The product of the two roots is `c / a`.
wrong-shape: Your roots should have the shape {wanted} together, not {shape}.
order: Your first root should be the one of larger magnitude, whatever its sign.
cancellation: Your smaller root has lost digits: it is a small difference of two large numbers, such as `-b` and the
    square root. Get it from the other one.
wrong-value: Your numbers are not the roots.
wrong-value/mixed-signs: Your roots are off if `a` and `c` differ in sign, and `b` is not much larger.
wrong-value/small-b: Your roots are off if `b` is small beside `a` and `c`, and not zero.
wrong-value/double-root: Your roots are off if both are the same, and the square root is 0.
not-an-array: Return one NumPy array with two rows. `np.stack` makes it from two roots.
more-digits: `{dtype}` went in and `{given}` came out. More digits only hide the loss, and cost more bytes.
other-dtype: `{dtype}` went in and `{given}` came out. Keep the dtype of the coefficients.
negative-b: Your roots are right for positive `b`. With a negative one, `b` and the square root nearly cancel if you
    add them, and `-b` and the root don't.
sign-of-b: Your roots are right for positive `b`, and have the opposite sign for a negative one.
zero-b: Your roots are off for `b = 0`, where they are ±√(-c/a). Do you divide by `b`, or ask for its sign?
    `np.sign(0)` is 0, and `np.copysign` takes a side.
divided-too-early: Your double root loses digits, or is NaN, where b² is 4ac. Do you divide by `a` or b² before the
    root? That rounds both sides first.
more-digits/2: Your roots are right, but computed with more digits than the coefficients have. The right formula
    needs no more.
wrong-shape/2: Your result for no equations should have the shape (2, 0).
"""

stable_roots = declare(
    "stable-roots",
    points=2,
    see="cancellation",
    steps=[right_to_their_own_digits, with_no_more_digits, of_no_equations],
    words=WORDS,
)
