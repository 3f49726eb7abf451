"""madhava-pi: the first `n` terms of Madhava's series for π, summed."""

import math

import numpy as np

from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare, refuse, require, seen
from jaxcourse.exercise import is_close, numbers


def madhava(n):
    """A plain loop in exact integer arithmetic up to the last division."""
    return summed(lambda k: (-1) ** k / (3**k * (2 * k + 1)), range(n))


def summed(term, places):
    """√12 times the exact sum of some terms."""
    return 12**0.5 * math.fsum(term(k) for k in places)


def numbers_of_terms(rng):
    return [1, 2, 3, int(rng.integers(4, 12)), 60]


def of_terms(rng, n):
    return (n,)


def one_number(answer, rng):
    """One number of 64 bits comes back.

    A function, since only a form is asked for: what came back is a number, and one of 64 bits.
    """
    n = int(rng.integers(4, 12))
    got = numbers(answer(n))
    refuse(got.dtype == np.float32, "single-precision")
    require(got.shape == (n,) or got.shape == (), "wrong-shape", shape=got.shape)
    refuse(got.shape == (n,), "not-summed", n=n)


def as_near_as_can_be(answer, rng):
    """The sum is π to the last digit, for dozens of terms and for many thousands.

    A function, since the distance from π is measured in units of the last place, below any tolerance.
    """
    require(abs(float(answer(30)) - np.pi) < 2e-15, "rounding")
    require(abs(float(answer(100_000)) - np.pi) < 5e-15, "wrapped")


def is_right_to_six_digits(reply):
    return is_close(reply.got, reply.want, rtol=1e-6)


MISTAKES = {
    "seven-digits": seen(is_right_to_six_digits),
    "one-too-many": lambda n: madhava(n + 1),
    "one-too-few": lambda n: madhava(n - 1),
    "first-term-lost": lambda n: madhava(n) - 12**0.5,
    "first-term-lost/2": lambda n: madhava(n + 1) - 12**0.5,
    "square-root-lost": lambda n: madhava(n) / 12**0.5,
    "power-before-sign": lambda n: -summed(lambda k: 1 / (3**k * (2 * k + 1)), range(n)),
    "sign-lost": lambda n: summed(lambda k: 1 / (3**k * (2 * k + 1)), range(n)),
    "n-ignored": lambda n: np.pi,
}

WORDS = """
hint: `k = np.arange(n)` are all the indices at once.
hint: Mind the brackets: what is raised to the power `k`?
one-too-many: You summed a term too many. `np.arange(n)` ends at `n - 1`.
one-too-few: The last term is missing. `np.arange(n)` ends at `n - 1` by itself.
first-term-lost: The series begins with `k = 0`.
first-term-lost/2: The series begins with `k = 0`, and not with `k = 1`.
square-root-lost: The sum is right. Now multiply it by √12.
power-before-sign: Every term is negative. `-1 / 3**k` is `-(1 / 3**k)`: put brackets around the number that is
    raised.
sign-lost: Every term is positive. The number that is raised is -1/3, so every second term is negative.
n-ignored: That is π whatever `n` is. The question is about the first `n` terms.
single-precision: That is a `float32`, with some 7 digits. NumPy computes in `float64`.
wrong-shape: One number was expected, not the shape {shape}.
not-summed: {n} numbers came back. Sum up the terms, to one number.
seven-digits: Right to some seven digits, and no further: that is what a `float32` holds. Stay in `float64`, NumPy's
    own, from the first step on, and let NumPy compute √12.
wrong-value: That is not the sum of the first `n` terms.
rounding: With 30 terms the error should be below 2e-15.
wrapped: Right for some dozens of terms. In 100000 of them `3**k`, in whole numbers, no longer fits into 64 bits: it
    wraps around, and some terms come back large. Raise a float, whose power ends at 0 or at infinity.
"""

ADVICE = "`np.arange(n)` makes all indices, and `np.sum` adds all terms."
madhava_pi = declare(
    "madhava-pi",
    see="vectors",
    without=[no_loops(grows=lambda n: (n,), of="terms", advice=ADVICE)],
    steps=[
        one_number,
        Agrees(madhava, of_terms, numbers_of_terms, each=2, mistakes=MISTAKES, rtol=1e-9),
        Agrees(madhava, of_terms, numbers_of_terms, each=2),
        as_near_as_can_be,
    ],
    words=WORDS,
)
