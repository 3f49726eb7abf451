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
one-too-many: You summed one term too many. `np.arange(n)` ends at `n - 1`.
one-too-few: You left out the last term. `np.arange(n)` ends at `n - 1` by itself.
first-term-lost: You left out the first term. The series begins with `k = 0`.
first-term-lost/2: You began with `k = 1`. The series begins with `k = 0`.
square-root-lost: Your sum is right. Now multiply it by √12.
power-before-sign: Your terms are all negative, as `-1 / 3**k` is `-(1 / 3**k)`. Put brackets around the number that is
    raised.
sign-lost: Your terms are all positive. The number that is raised is -1/3, so every second term is negative.
n-ignored: You returned π for every `n`. The question is about the first `n` terms.
single-precision: You returned a `float32`, with some 7 digits. Stay in `float64`, NumPy's default.
wrong-shape: You returned the shape {shape}. Return one number.
not-summed: {n} numbers came back. Sum up the terms, to one number.
seven-digits: Your sum is right to some seven digits, as many as a `float32` holds. Stay in `float64` from the first
    step on, and let NumPy compute √12.
wrong-value: Your sum isn't that of the first `n` terms. Print the first three terms, and compare.
rounding: Your error is too large with 30 terms: it should be below 2e-15.
wrapped: Your sum is off for 100000 terms: `3**k`, in integers, no longer fits into 64 bits, and wraps around. Raise a
    float, whose power ends at 0 or at infinity.
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
