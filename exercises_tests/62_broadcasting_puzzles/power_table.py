"""power-table: a row for each element of `x`, with its powers from the zeroth to the one before `k`."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules, growing

from . import _lesson
from ._lesson import digits


def rising_powers(x, k):
    return [[value**j for j in range(k)] for value in x]


def cases(rng):
    drawn = growing(lambda n: (digits(rng, n), 7 % n + 2), largest=4, tries=4)
    return [*drawn, *((np.array([-2, 0, 1, 3], np.int32), k) for k in (1, 6))]


def many(rng):
    return [(rng.integers(-1, 3, 130).astype(np.int32), 30)]


MISTAKES = {
    "powers-fall": lambda x, k: x[:, None] ** (k - 1 - np.arange(k)),
    "starts-at-one": lambda x, k: x[:, None] ** (1 + np.arange(k)),
    "one-too-many": lambda x, k: x[:, None] ** np.arange(k + 1),
    "table-transposed": lambda x, k: x ** np.arange(k)[:, None],
    "as-many-as-points": lambda x, k: x[:, None] ** np.arange(len(x), dtype=x.dtype),
    "no-table": lambda x, k: x ** np.arange(k),
    "exchanged": lambda x, k: jnp.arange(k) ** x[:, None],
    "multiples": lambda x, k: x[:, None] * np.arange(k),
    "zeroth-of-zero": lambda x, k: np.where(x[:, None] == 0, 0, x[:, None] ** np.arange(k)),
}

WORDS = """
hint: A column of points meets a row of exponents, `jnp.arange(k)`.
powers-fall: The powers fall from left to right. They should rise, beginning with the zeroth.
starts-at-one: Your powers begin with the first. The zeroth comes before it, all ones.
one-too-many: Your powers end at `k`, and should end at `k - 1`. The zeroth is one of the `k`.
table-transposed: You gave each point a column, and it should have a row. `x` runs down.
as-many-as-points: There should be `k` powers.
exchanged: You exchanged base and exponent. `x` is raised to the power `j`.
multiples: You returned multiples, not powers. `x ** j` is a power.
zeroth-of-zero: The zeroth power of 0 is 1 here, as `0 ** 0` is in Python.
"""

power_table = declare(
    "power-table",
    see="loop-is-an-axis",
    steps=[Solves(rising_powers, cases, many=many, mistakes=MISTAKES)],
    without=[Rules()],
    words=(_lesson.WORDS, WORDS),
)
