"""independent-pair."""

import math

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require

from ._lesson import WORDS as LESSON
from ._lesson import asked_with, correlation, fault_of, is_normal, require_of_the_key


def without_correlation(x, y):
    """Whether two samples are orthogonal, to the last digits, as they are or without their means."""
    pairs = (x, y), (x - x.mean(), y - y.mean())
    return any(abs(a @ b) <= 1e-6 * math.sqrt((a @ a) * (b @ b)) for a, b in pairs)


def check(answer, rng):
    n, seed = 4000, int(rng.integers(2**16))
    got, other = asked_with(answer, seed, n)
    require(got.shape == (2, n), "wrong-shape", n=n, came=got.shape)
    require_of_the_key(got, other)
    a, b = got
    r, squares = correlation(a, b), correlation(a**2, b**2)
    seen = f"The correlation is {r:.2f}." if abs(r) > 0.1 else "That they look unrelated is luck: nothing promises it."
    fault = fault_of(answer, n)
    refuse(fault, "key-reused", fault=fault, seen=seen)
    _, raised = answer.attempt(probe.key_uses, n, expected=probe.NEEDS_A_VALUE)
    refuse(raised, "leaves-jax")
    shared = int(np.isin(np.abs(a), np.abs(b)).sum())
    seen = f"Their correlation is {r:.2f}" if abs(r) > 0.1 else f"They have {shared} of {n} numbers in common"
    seen = f"The correlation of their squares is {squares:.2f}" if abs(r) < 0.1 and shared < n / 10 else seen
    require(shared < n / 10 and max(abs(r), abs(squares)) < 0.2, "dependent", seen=seen)
    require(is_normal(a) and is_normal(b), "wrong-value")
    follows = max(abs(correlation(sample[1:], sample[:-1])) for sample in got)
    require(follows < 0.2, "dependent/2", follows=f"{follows:.2f}")
    for few in (int(rng.integers(4, 9)), 1):
        got, _ = asked_with(answer, seed, few)
        require(got.shape == (2, few), "wrong-shape/2", few=few, came=got.shape)
        refuse(few > 1 and without_correlation(*got), "dependent/3", few=few)
        require(
            (np.abs(got.mean(axis=1)) > 1e-5).all() and np.isfinite(got).all(),
            "standardised",
            few=few,
            means=got.mean(axis=1).round(6).tolist(),
        )


WORDS = """
hint: A key is used once, to draw or to split.
hint: `first, second = jax.random.split(key)`
wrong-shape: Two arrays of {n} numbers each are expected, not {came}.
key-reused: A key is used once, and here {fault}. {seen}
leaves-jax: The key became a number for another generator, which promises nothing about it: draw with `jax.random`.
dependent: {seen}: whoever knows one of them knows something of the other.
wrong-value: These are not standard normal numbers.
dependent/2: Within a sample each number knows of the one before it (correlation {follows}): leave their order.
wrong-shape/2: For `n = {few}` came the shape {came}.
dependent/3: For `n = {few}` the two have no correlation at all. A few random numbers have one: do not remove it.
standardised: For `n = {few}` came the means {means}. The mean of a sample is a random number as well, near 0 and
    not 0: do not subtract it.
"""

independent_pair = declare(
    "independent-pair",
    see="key-reuse",
    steps=[check],
    words=(LESSON, WORDS),
)
