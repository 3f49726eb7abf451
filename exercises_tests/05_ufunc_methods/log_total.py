"""log-total."""

import numpy as np

from jaxcourse.checks import declare, refuse
from jaxcourse.inputs import Asked, Slip, compare


def folds_axis_0(log_p):
    return np.logaddexp.reduce(log_p)


def folds_everything(log_p):
    return np.logaddexp.reduce(log_p, axis=None)


def adds_the_logarithms(log_p):
    return np.add.reduce(log_p, axis=-1)


def adds_the_probabilities(log_p):
    return np.exp(log_p).sum(axis=-1)


def accumulates_logarithms(log_p):
    return np.logaddexp.accumulate(log_p, axis=-1)


def takes_the_largest(log_p):
    return np.maximum.reduce(log_p, axis=-1)


def keeps_the_folded_axis(log_p):
    return np.logaddexp.reduce(log_p, axis=-1, keepdims=True)


def adds_powers_of_2(log_p):
    return np.logaddexp2.reduce(log_p, axis=-1)


def forgets_the_shift(log_p):
    return np.log(np.exp(log_p - log_p.max(axis=-1, keepdims=True)).sum(axis=-1))


def near_one(rng, shape):
    """Logarithms whose total is near 0 and never 0, which no two ways of rounding would give."""
    return (np.log(rng.integers(1, 20, shape) / 8.5),)


def with_zeros(rng, shape):
    """Logarithms of which two in each row are -inf, and in one row all."""
    log_p = np.where(rng.permuted(np.indices(shape)[1], axis=1) < 2, -np.inf, rng.normal(size=shape))
    log_p[1] = -np.inf
    return log_p


def total_of_logs(log_p):
    return np.logaddexp.reduce(log_p, axis=-1)


MISTAKES = [
    Slip("axis-0", folds_axis_0),
    Slip("one-total", folds_everything),
    Slip("multiplied", adds_the_logarithms),
    Slip("no-logarithm", adds_the_probabilities),
    Slip("every-step", accumulates_logarithms),
    Slip("only-the-largest", takes_the_largest),
    Slip("axis-kept", keeps_the_folded_axis),
    Slip("base-2", adds_powers_of_2),
    Slip("shift-not-undone", forgets_the_shift),
]


def quietly(answer):
    """The answer, of which a wrong one may overflow."""

    def ask(log_p):
        with np.errstate(all="ignore"):
            return answer(log_p)

    return ask


def check_totals(answer, rng):
    ask = quietly(answer)
    half = getattr(ask(rng.normal(size=(3, 4))), "dtype", None) == np.float16
    refuse(half, "half-precision")
    compare(ask, total_of_logs, near_one, rng, shapes=((3, 3), (2, 5)), slips=MISTAKES, label="wrong-value")


def check_sizes(answer, rng):
    """Probabilities of any size, beside each other, and none at all."""
    asked = Asked(quietly(answer), total_of_logs)
    asked.require([(rng.normal(size=(3, 4)) - 100_000,) for _ in range(2)], "", "left-the-logarithms")
    asked.require([(rng.normal(size=(3, 4)) + 100_000,) for _ in range(2)], "", "left-the-logarithms/2")
    rows = np.array([[0.0], [-20_000], [20_000]])
    asked.require([(rng.normal(size=(3, 4)) + rows,) for _ in range(2)], "", "one-shift-for-all")
    columns = [-9_000, 9_000, 0, -400]
    mixed = [(rng.permuted(rng.normal(size=(3, 4)) + columns, axis=1),) for _ in range(2)]
    asked.require(mixed, "", "shift-not-the-largest")
    asked.require([(size * rng.integers(1, 9, (2, 3)),) for size in (-1e30, 1e30)], "", "bounded")
    asked.require([(with_zeros(rng, (3, 4)),) for _ in range(4)], "", "zero-probability")


def check_axes(answer, rng):
    ask = quietly(answer)
    compare(ask, total_of_logs, near_one, rng, shapes=((4,), (3, 1), (2, 3, 4)), each=2, label="other-axes")
    compare(ask, total_of_logs, near_one, rng, shapes=((1, 3), (2, 1, 3), (1, 2, 3)), each=2, label="axis-of-one")


WORDS = """
hint: Which ufunc adds two numbers that are given by their logarithms?
hint: `np.logaddexp.reduce`. Mind its axis.
axis-0: You added along axis 0, which a method folds unless you name another. The states are along the last one.
one-total: One number for everything: one for each row is wanted.
multiplied: You added the logarithms, which multiplies the probabilities. Their sum is wanted.
no-logarithm: That is the sum. Its logarithm is wanted.
every-step: Those are all steps of the sum. The last of them is wanted: `reduce`, not `accumulate`.
only-the-largest: That is the largest logarithm. It is near the logarithm of the sum only if the others are much
    smaller.
axis-kept: The states are still an axis, of length 1.
base-2: `logaddexp2` adds powers of 2. These are logarithms to the base e.
shift-not-undone: You divided the probabilities by the largest, which is fine, and did not multiply the sum by it
    again.
half-precision: `float16` has three digits, and ends at 65504. `float32` is precise enough.
wrong-value: The logarithm of the sum of the probabilities, along the last axis.
left-the-logarithms: Probabilities as small as exp(-100000) are no floating-point numbers: you left the logarithms.
left-the-logarithms/2: Probabilities as large as exp(100000) are no floating-point numbers: you left the logarithms.
one-shift-for-all: Right for rows of one size, but not for a row of tiny probabilities beside one of huge ones.
shift-not-the-largest: Right for probabilities of one size, but not for a row of huge and tiny ones: take out the
    *largest*.
bounded: Right for some sizes only. No logarithm is the smallest, and none the largest: here they are 1e30 and more.
zero-probability: Some probabilities are 0. Where all of them are, so is their sum, and its logarithm is -inf.
other-axes: Right for two axes, but not for every number of axes: there may be any number before the last.
axis-of-one: Right for longer axes, but an axis of length 1 before the last is lost or misread. It stays as it is.
"""

log_total = declare(
    "log-total",
    see="five-loops",
    steps=[check_totals, check_sizes, check_axes],
    words=WORDS,
)
