"""madhava-pi."""

import math

import numpy as np

from jaxcourse.bans import no_loops
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import is_close, numbers
from jaxcourse.inputs import Slip, compare


def madhava(n):
    """The oracle: a plain loop in exact integer arithmetic up to the last division."""
    return summed(lambda k: (-1) ** k / (3**k * (2 * k + 1)), range(n))


def summed(term, places):
    """√12 times the exact sum of some terms."""
    return 12**0.5 * math.fsum(term(k) for k in places)


MADHAVA_SLIPS = [
    Slip("one-too-many", lambda n: madhava(n + 1)),
    Slip("one-too-few", lambda n: madhava(n - 1)),
    Slip("first-term-lost", lambda n: madhava(n) - 12**0.5),
    Slip("first-term-lost/2", lambda n: madhava(n + 1) - 12**0.5),
    Slip("square-root-lost", lambda n: madhava(n) / 12**0.5),
    Slip(
        "power-before-sign",
        lambda n: -summed(lambda k: 1 / (3**k * (2 * k + 1)), range(n)),
    ),
    Slip(
        "sign-lost",
        lambda n: summed(lambda k: 1 / (3**k * (2 * k + 1)), range(n)),
    ),
    Slip("n-ignored", lambda n: np.pi),
]


def check(answer, rng):
    n = int(rng.integers(4, 12))
    got = numbers(answer(n))
    refuse(got.dtype == np.float32, "single-precision")
    require(got.shape == (n,) or got.shape == (), "wrong-shape", shape=got.shape)
    refuse(got.shape == (n,), "not-summed", n=n)
    some = [1, 2, 3, n, 60]
    sums = [(answer(k), madhava(k)) for k in some]
    rough = sum(not is_close(*each, rtol=1e-9) for each in sums) >= 2 and all(
        is_close(*each, rtol=1e-6) for each in sums
    )
    refuse(rough, "seven-digits")
    compare(answer, madhava, lambda rng, n: (n,), rng, shapes=some, each=2, slips=MADHAVA_SLIPS, label="wrong-value")
    require(abs(float(answer(30)) - np.pi) < 2e-15, "rounding")
    require(abs(float(answer(100_000)) - np.pi) < 5e-15, "wrapped")


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

madhava_pi = declare(
    "madhava-pi",
    see="vectors",
    without=[
        no_loops(
            grows=lambda n: (n,), of="terms", advice="`np.arange(n)` makes all indices, and `np.sum` adds all terms."
        )
    ],
    steps=[check],
    words=WORDS,
)
