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
clamped: Beyond the end you give the last entry: the read was clamped.
minus-one-is-last: For hour -1 you give the last entry: a negative index counts from the end unless you say
    otherwise.
minus-one-is-last/all: Every hour before 0 gives the last entry: -1 is not outside.
hour-0-lost: Hour 0 has an entry, the first one, and you give NaN.
one-too-late: The last hour with an entry is `len(table) - 1`; you give one for `len(table)` too.
one-too-early: The last hour with an entry is `len(table) - 1`, and you give NaN for it.
not-nan: Outside you give 0, which could be an entry. NaN is wanted.
far-negative: Right for hour -1, and not for hours before it: they are negative indices still, and count from the
    end.
zero-is-missing: An entry that is 0 is an entry, and you give NaN for it.
flattened: The result should have the shape of `i`.
needs-the-numbers: Under `jit` the numbers in `table` and `i` are not known while your function is traced: no `if`, no
    NumPy, and no mask as an index.
wrong-value: Inside: the entry. Outside: NaN.
nan-spreads: Not right where an entry is NaN or infinite. Does it reach other hours, as 0 times NaN is NaN? Or is it
    cleaned away, or taken for a sign of nothing? Look up, or choose.
entry-is-nothing: An entry that you took for a sign of nothing is an entry. Ask the hour whether it is outside.
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
