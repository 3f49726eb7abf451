"""lookup-or-nan: the entry of `table` for each hour `i`, and NaN for an hour outside, before 0 too; under `jit`."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare
from jaxcourse.probe import NEEDS_A_SHAPE, NEEDS_A_VALUE

from . import _lesson
from ._lesson import MANY, NOTHING


def entry_or_nan(table, i):
    return np.where((i >= 0) & (i < len(table)), table[np.clip(i, 0, len(table) - 1)], np.float32("nan"))


def hours(rng, shape):
    """A table, and hours inside, at both ends, just outside and far away."""
    n, form = shape
    often = [0, n - 1, n, n + 3, -1, -n, -n - 1, -n - 2, 2 * n, -2 * n, 2**31 - 1, -(2**31)]
    i = np.where(rng.random(form) < 0.7, rng.choice(often, form), rng.integers(0, n, form))
    table = rng.integers(-32, 33, n).astype(np.float32) / 4
    table[rng.random(n) < 0.2] = 0
    return table, i.astype(np.int32)


def long_table(rng):
    return [(np.ones(MANY, np.float32), np.array([-1, 0, -7, MANY - 1, MANY, -MANY, -MANY - 1], np.int32))]


TABLE, HOURS = np.array([1, np.inf, np.nan, 4], np.float32), np.array([[0, 3], [-1, 9]], np.int32)
NOT_FINITE = [(TABLE, HOURS), (TABLE[::-1], HOURS), (TABLE, HOURS[:, 0])]
EVERY = np.arange(-1, len(NOTHING) + 1, dtype=np.int32)


def padded(table, i):
    around = np.pad(table, 1, constant_values=np.nan)
    return _lesson.as_jax_reads(around, i.astype(int) + 1)


MISTAKES = {
    "clamped": [
        lambda table, i: _lesson.as_jax_reads(table, i),
        lambda table, i: np.where(i < 0, np.nan, table[np.clip(i, 0, len(table) - 1)]),
    ],
    "minus-one-is-last": lambda table, i: entry_or_nan(table, np.where(i < 0, i + len(table), i)),
    "minus-one-is-last/all": lambda table, i: entry_or_nan(table, np.where(i < 0, len(table) - 1, i)),
    "hour-0-lost": lambda table, i: np.where(i > 0, entry_or_nan(table, i), np.nan),
    "one-too-late": lambda table, i: np.where(i == len(table), table[-1], entry_or_nan(table, i)),
    "one-too-early": lambda table, i: np.where(i == len(table) - 1, np.nan, entry_or_nan(table, i)),
    "not-nan": lambda table, i: np.nan_to_num(entry_or_nan(table, i)),
    "far-negative": padded,
    "zero-is-missing": lambda table, i: np.where(entry_or_nan(table, i) == 0, np.nan, entry_or_nan(table, i)),
    "flattened": lambda table, i: entry_or_nan(table, i).ravel(),
}

WORDS = """
hint: `table.at[i].get(mode="fill")` is almost right. What does it do with -1?
hint: `wrap_negative_indices=False`; or choose with `jnp.where` between the element and NaN.
clamped: You give the last entry beyond the end, because the read was clamped. Say a mode.
minus-one-is-last: You give the last entry for hour -1. A negative index counts from the end unless you say
    otherwise.
minus-one-is-last/all: You give the last entry for every hour before 0. Index -1 is not out of bounds.
hour-0-lost: You give NaN for hour 0. It has an entry, the first one.
one-too-late: You give an entry for `len(table)`. The last hour with an entry is `len(table) - 1`.
one-too-early: You give NaN for `len(table) - 1`, which is the last hour with an entry.
not-nan: You give 0 out of bounds, which could be an entry. Give NaN.
far-negative: Your answer is right for hour -1, and not for those before it. They are still negative indices, and
    count from the end.
zero-is-missing: You give NaN for an entry that is 0. It is an entry like any other.
flattened: Your result has another shape. It should have that of `i`.
needs-the-numbers: Your code asked for the numbers in `table` or `i`, which JAX does not know while it traces: use
    no `if`, no NumPy, and no mask as an index.
wrong-value: Your result should hold the entry if there is one, and NaN if not.
nan-spreads: Your result is off if an entry is not finite. Does it reach other hours, as 0 times NaN is NaN, or is
    it cleaned away? Look up, or choose.
entry-is-nothing: You took an entry for a sign of nothing. Ask the hour whether it is out of bounds.
"""

under_jit = functools.partial(
    Agrees, entry_or_nan, ask=probe.under_jit, raising={"needs-the-numbers": NEEDS_A_VALUE | NEEDS_A_SHAPE}
)
lookup_or_nan = declare(
    "lookup-or-nan",
    see="out-of-bounds",
    steps=[
        under_jit(hours, [(1, (5,)), (5, (2, 4)), (9, ()), (24, (3, 1, 2))], each=12, mistakes=MISTAKES),
        under_jit(extremes=long_table, otherwise="short-arrays-only"),
        under_jit(extremes=NOT_FINITE, otherwise="nan-spreads"),
        # Compiled, a product with a mask may become a choice.
        Agrees(entry_or_nan, extremes=NOT_FINITE, ask=probe.on_jax_arrays, otherwise="nan-spreads"),
        under_jit(extremes=[(NOTHING, EVERY)], otherwise="entry-is-nothing"),
    ],
    words=(_lesson.WORDS, WORDS),
)
