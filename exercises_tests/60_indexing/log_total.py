"""log-total: the logarithm of the sum of probabilities that are given by their logarithms."""

from functools import partial

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse


def total_of_logs(log_p):
    return np.logaddexp.reduce(log_p, axis=-1)


def near_one(rng, shape):
    """Logarithms whose total is near 0 and never 0, which no two ways of rounding would give."""
    return (np.log(rng.integers(1, 20, shape) / 8.5),)


def beside(rng, levels):
    """Logarithms near a level, or near one of each row."""
    return (rng.normal(size=(3, 4)) + levels,)


def mixed(rng, levels):
    """Logarithms near several levels in each row, in any order."""
    return (rng.permuted(rng.normal(size=(3, 4)) + levels, axis=1),)


def multiples(rng, size):
    return (size * rng.integers(1, 9, (2, 3)),)


def with_zeros(rng, shape):
    """Logarithms of which two in each row are -inf, and in one row all."""
    log_p = np.where(rng.permuted(np.indices(shape)[1], axis=1) < 2, -np.inf, rng.normal(size=shape))
    log_p[1] = -np.inf
    return (log_p,)


@probe.question(evidence="values", like_a_call=True)
def quietly(student_function, log_p):
    """The result, on the way to which a wrong answer may overflow."""
    with np.errstate(all="ignore"):
        return student_function(log_p)


def not_in_16_bits(answer, rng):
    """The total is no `float16`."""
    refuse(getattr(answer(rng.normal(size=(3, 4))), "dtype", None) == np.float16, "half-precision")


MISTAKES = {
    "axis-0": lambda log_p: np.logaddexp.reduce(log_p),
    "one-total": lambda log_p: np.logaddexp.reduce(log_p, axis=None),
    "multiplied": lambda log_p: np.add.reduce(log_p, axis=-1),
    "no-logarithm": lambda log_p: np.exp(log_p).sum(axis=-1),
    "every-step": lambda log_p: np.logaddexp.accumulate(log_p, axis=-1),
    "only-the-largest": lambda log_p: np.maximum.reduce(log_p, axis=-1),
    "axis-kept": lambda log_p: np.logaddexp.reduce(log_p, axis=-1, keepdims=True),
    "one-more": lambda log_p: np.logaddexp.reduce(log_p, axis=-1, initial=0),
    "base-2": lambda log_p: np.logaddexp2.reduce(log_p, axis=-1),
    "shift-not-undone": lambda log_p: np.log(np.exp(log_p - log_p.max(axis=-1, keepdims=True)).sum(axis=-1)),
}

WORDS = """
hint: Which ufunc adds two numbers that are given by their logarithms?
hint: `np.logaddexp.reduce`. Mind its axis.
axis-0: You added along axis 0, which a method folds unless you name another. Add along the last one.
one-total: You returned one number for everything. Return one for each row.
multiplied: You added the logarithms, which multiplies the probabilities. Take the logarithm of their sum.
no-logarithm: You returned the sum. Take its logarithm.
every-step: You returned all steps of the sum. Keep only the last: `reduce`, not `accumulate`.
only-the-largest: You returned the largest logarithm. It is near the logarithm of the sum only if the others are
    much smaller.
axis-kept: Your result still has the last axis, with length 1. Remove it.
one-more: Your sum has one probability of 1 too many. Is it the 0 at which the fold begins, or `log1p`?
base-2: Your numbers are those of `logaddexp2`, which adds powers of 2. These are logarithms to the base e.
shift-not-undone: You divided the probabilities by the largest, which is fine. Multiply the sum by it again.
half-precision: Your numbers have the three digits of `float16`, which ends at 65504. `float32` is precise enough.
wrong-value: Your number is not the logarithm of the sum of the probabilities along the last axis.
left-the-logarithms: Your answer is off for tiny probabilities. Those as small as exp(-100000) are no floating-point
    numbers, but their logarithms are: stay with those, and set them no limit.
left-the-logarithms/2: Your answer is off for huge probabilities. Those as large as exp(100000) are no
    floating-point numbers, but their logarithms are: stay with those, and set them no limit.
one-shift-for-all: Your answer is right for rows of one size, but not for a row of tiny probabilities beside one of
    huge ones. Shift each row by itself.
shift-not-the-largest: Your answer is right for probabilities of one size, but not for a row of huge and tiny ones.
    Take out the *largest*.
bounded: Your answer is right for some sizes only. No logarithm is the smallest, and none the largest: here they are
    1e30 and more.
zero-probability: Your answer is off if some probabilities are 0. If all of them are, so is their sum, and its
    logarithm is -inf.
other-axes: Your answer is right for two axes, but there may be any number before the last.
axis-of-one: Your answer is right for longer axes, but not if one has length 1. Remove the last axis, and no other,
    of any length.
"""

LEVELS_OF_ROWS = np.array([[0.0], [-20_000], [20_000]])
LEVELS_IN_A_ROW = [-9_000, 9_000, 0, -400]
agrees = partial(Agrees, total_of_logs, each=2, ask=quietly)
log_total = declare(
    "log-total",
    see="five-loops",
    steps=[
        not_in_16_bits,
        Agrees(total_of_logs, near_one, [(3, 3), (2, 5)], mistakes=MISTAKES),
        agrees(beside, [-100_000], otherwise="left-the-logarithms"),
        agrees(beside, [100_000], otherwise="left-the-logarithms/2"),
        agrees(beside, [LEVELS_OF_ROWS], otherwise="one-shift-for-all"),
        agrees(mixed, [LEVELS_IN_A_ROW], otherwise="shift-not-the-largest"),
        agrees(multiples, [-1e30, 1e30], otherwise="bounded"),
        agrees(with_zeros, [(3, 4)], each=4, otherwise="zero-probability"),
        agrees(near_one, [(4,), (2, 3, 4)], otherwise="other-axes"),
        agrees(near_one, [(3, 1), (1, 3), (2, 1, 3), (1, 2, 3)], otherwise="axis-of-one"),
    ],
    words=WORDS,
)
