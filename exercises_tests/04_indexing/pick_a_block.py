"""pick-a-block: the rows and the columns of a table that `keep` names, in its order."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, refuse


def block(table, keep):
    return np.array([[table[r, c] for c in keep] for r in keep], table.dtype)


def stations(rng, n):
    """A table, and some of its stations in any order."""
    dtype = str(rng.choice(["float64", "float32", "int64"]))
    return inputs.array(rng, (n, n), dtype), rng.permutation(n)[: rng.integers(1, n + 1)].tolist()


def partly_broken(rng, n):
    """A table of which one station, which is left out, has no finite times."""
    table, broken = inputs.array(rng, (n, n)), int(rng.integers(n))
    table[broken], table[:, broken] = rng.choice([np.nan, np.inf, -np.inf], (2, n))
    kept = [station for station in rng.permutation(n).tolist() if station != broken]
    return table, kept[: rng.integers(1, n)]


def named_twice(rng):
    twice = [(inputs.array(rng, (n, n)), [n - 1, 0, n - 1]) for n in (3, 3, 6)]
    every = [(inputs.array(rng, (n, n)), [*range(n)] + rng.permutation(n).tolist()) for n in (2, 5)]
    return [*twice, *every, *((inputs.array(rng, (1, 1)), keep) for keep in ([0], [0, 0]))]


def many_stations(rng):
    return [(inputs.array(rng, (300, 300)), [299, *rng.integers(256, 300, 5).tolist(), 3])]


NANOSECONDS = np.array([[2**60 + 1, 2**60 + 3], [2**60 + 5, 2**60 + 9]])  # more digits than a float64 has


def an_array(answer, rng):
    refuse(answer.probe(probe.result_type, *stations(rng, 3)) in ("list", "tuple"), "no-array")


def as_a_mask(table, keep):
    mask = np.isin(np.arange(len(table)), keep)
    return table[mask][:, mask]


def from_end_to_end(table, keep):
    inside = slice(min(keep), max(keep) + 1)
    return table[inside, inside]


def others_cleared(table, keep):
    kept = np.isin(np.arange(len(table)), keep)
    return np.where(kept[:, None] & kept, table, 0)


MISTAKES = {
    "pairs-not-block": lambda table, keep: table[keep, keep],
    "one-axis-only": [lambda table, keep: table[keep], lambda table, keep: table[:, keep]],
    "order-lost": [as_a_mask, lambda table, keep: block(table, sorted(keep))],
    "one-order-lost/rows": lambda table, keep: table[sorted(keep)][:, keep],
    "one-order-lost/columns": lambda table, keep: table[keep][:, sorted(keep)],
    "transposed": lambda table, keep: block(table, keep).T,
    "all-in-between": from_end_to_end,
    "not-left-out": others_cleared,
    "first-ones": lambda table, keep: table[: len(keep), : len(keep)],
}

WORDS = """
hint: To which shape do the two index arrays have to broadcast?
hint: `np.ix_`
pairs-not-block: Two lists of one shape are paired: you took elements of the diagonal, and not a block.
one-axis-only: You selected along one axis only. Select rows *and* columns.
order-lost: The right rows and columns, but not in the order in which `keep` names them.
one-order-lost/rows: The columns are in the order of `keep`, and the rows in that of the table.
one-order-lost/columns: The rows are in the order of `keep`, and the columns in that of the table.
transposed: Rows and columns are exchanged: this is the block, transposed.
all-in-between: A slice takes all stations from the first to the last that you keep, those in between too.
not-left-out: The others are still there, as zeros: leave them out.
first-ones: You took as many stations as `keep` names, but always the first ones of the table.
wrong-value: Element [r, c] of the block should be `table[keep[r], keep[c]]`.
few-stations-only: Right for some stations, not for 300: positions do not fit into 8 bits.
no-array: You return a list of lists. What comes next will want to index, to add and to multiply: an array.
spoilt-by-the-others: Elements that you leave out are not finite here, and they spread: 0 times NaN is NaN. Choose
    elements.
another-dtype: The right elements, but not the dtype of the table: indexing keeps it.
"""

pick_a_block = declare(
    "pick-a-block",
    see="index-arrays",
    steps=[
        Agrees(block, stations, [2, 3, 8], extremes=named_twice, mistakes=MISTAKES),
        Agrees(block, extremes=many_stations, otherwise="few-stations-only"),
        an_array,
        Agrees(block, partly_broken, [3, 8], otherwise="spoilt-by-the-others"),
        Agrees(block, stations, [2, 3, 8], extremes=[(NANOSECONDS, [1, 0])], dtype=True, otherwise="another-dtype"),
    ],
    words=WORDS,
)
