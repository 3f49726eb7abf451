"""What the exercises of lesson 61 share."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import Agrees
from jaxcourse.probe import NEEDS_A_SHAPE, NEEDS_A_VALUE

WORDS = """
short-arrays-only: You are right for short arrays only. Does a number such as 10000 stand for out of bounds, not the
    length? Or is a count kept in few bits (`int8`)?
"""


@probe.question(evidence="values")
def compiled_for(function, array, argument, size):
    """The answer's result under `jit`, where the third argument is static and the others are traced."""
    return jax.jit(function, static_argnums=2)(array, argument, size)


@probe.question(evidence="values")
def not_compiled(function, array, argument, size):
    """The answer's result without any `jit`, its own included."""
    with jax.disable_jit():
        return function(jnp.asarray(array), argument, size)


@probe.question(evidence="values")
def not_hashable(function, array, argument, size):
    """The answer's result for a size that no `jit` takes for static."""
    return function(jnp.asarray(array), argument, np.array(size))


def traces_the_size(answer, *case):
    """Whether a `jit` of the answer's own traces the third argument, and fails for it."""

    def raised(question, *others):
        return answer.attempt(question, *case, expected=NEEDS_A_VALUE | NEEDS_A_SHAPE | {"IndexError", *others})[1]

    if not raised(compiled_for, "ValueError") or not raised(probe.on_jax_arrays) or raised(not_compiled):
        return False
    return raised(not_hashable, "ValueError") != "ValueError"


@probe.question(evidence="values")
def unrolled(function, few, many):
    """Whether the program of a case four times as large is more than twice as long: it has each turn of a loop."""
    short, long = (len(insides.read(function, *case, static=2).everything) for case in (few, many))
    return long > 2 * short


@dataclass(frozen=True, kw_only=True)
class AgreesOnMany(Agrees):
    """As `Agrees`, for cases of many thousands: left out where a program is unrolled, which would compile for hours.

    Attributes:
        sizes: two cases, the second four times as large, that tell whether a program is unrolled.
    """

    sizes: tuple[Any, Any]

    def __call__(self, answer, rng):
        """Require it, unless a Python loop is written down turn by turn."""
        if not answer.probe(unrolled, *self.sizes):
            super().__call__(answer, rng)


NOTHING = np.float32([-1, 0, 1, -999, 999, -9999, 9999, 1e9, -1e9, np.inf, -np.inf, np.nan])
"""Numbers that people take for "nothing here", although each could be a measurement."""


MANY = 1_100_000
"""Elements of a long array: more than the numbers that people take for "certainly outside"."""


QUITE_MANY = 12_000
"""The same where what comes back is as long, or a right answer may compare all pairs."""


def as_jax_reads(a, i):
    """What JAX reads at some places: from the end where they are negative, the nearest element where there is none."""
    return a[np.clip(np.where(i < 0, i + len(a), i), 0, len(a) - 1)]


def counted(times, dead, last=-np.inf):
    """Which particles are registered, one after the other."""
    found = []
    for time in times.tolist():
        found.append(time - last >= dead)
        last = time if found[-1] else last
    return np.array(found, bool)
