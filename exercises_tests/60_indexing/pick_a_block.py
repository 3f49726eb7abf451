"""pick-a-block: for each group of stations, their rows and columns of a table, in the group's order."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, refuse


def block(table, group):
    return np.array([[table[r, c] for c in group] for r in group], table.dtype)


def blocks(table, keep):
    return np.array([block(table, group) for group in keep.tolist()])


def groups(rng, stations):
    """Some groups of as many stations, each in an order of its own."""
    many, each = rng.integers(1, 4), rng.integers(1, len(stations) + 1)
    return np.array([rng.permutation(stations)[:each] for _ in range(many)])


def stations(rng, n):
    """A table, and some groups of its stations."""
    dtype = str(rng.choice(["float64", "float32", "int64"]))
    return inputs.array(rng, (n, n), dtype), groups(rng, np.arange(n))


def partly_broken(rng, n):
    """A table of which one station, which is left out, has no finite times."""
    table, broken = inputs.array(rng, (n, n)), int(rng.integers(n))
    table[broken], table[:, broken] = rng.choice([np.nan, np.inf, -np.inf], (2, n))
    return table, groups(rng, np.delete(np.arange(n), broken))


def named_twice(rng):
    twice = [(inputs.array(rng, (n, n)), np.array([[n - 1, 0, n - 1], [0, 1, 2]])) for n in (3, 3, 6)]
    every = [(inputs.array(rng, (n, n)), rng.permuted([[*range(n)] * 2] * 3, axis=1)) for n in (2, 5)]
    return [*twice, *every, *((inputs.array(rng, (1, 1)), np.zeros((k, k), int)) for k in (1, 2))]


def many_stations(rng):
    return [(inputs.array(rng, (300, 300)), np.array([[299, 3, 256], rng.integers(256, 300, 3)]))]


NANOSECONDS = np.array([[2**60 + 1, 2**60 + 3], [2**60 + 5, 2**60 + 9]])  # more digits than a float64 has


def an_array(answer, rng):
    """An array comes back, and not a list."""
    refuse(answer.probe(probe.result_type, *stations(rng, 3)) in ("list", "tuple"), "no-array")


def in_order(keep):
    return np.sort(keep, axis=1)


def others_cleared(table, keep):
    kept = np.array([np.isin(np.arange(len(table)), group) for group in keep])
    return np.where(kept[:, :, None] & kept[:, None, :], table, 0)


MISTAKES = {
    "pairs-not-block": lambda table, keep: table[keep, keep],
    "groups-against-groups": lambda table, keep: table[keep[:, None], keep],
    "one-block": lambda table, keep: block(table, keep.ravel()),
    "one-group": [lambda table, keep: block(table, keep[0]), lambda table, keep: block(table, keep[-1])],
    "one-axis-only": [lambda table, keep: table[keep], lambda table, keep: table[:, keep]],
    "order-lost": lambda table, keep: blocks(table, in_order(keep)),
    "one-order-lost/rows": lambda table, keep: table[in_order(keep)[:, :, None], keep[:, None]],
    "one-order-lost/columns": lambda table, keep: table[keep[:, :, None], in_order(keep)[:, None]],
    "transposed": lambda table, keep: blocks(table.T, keep),
    "not-left-out": others_cleared,
}

WORDS = """
hint: To which shape do the two index arrays have to broadcast? It has three axes.
hint: The rows of `table` vary along the second axis of the result, and the columns along the third. `None` gives
    each index array the axis that it lacks.
pairs-not-block: You took elements of the diagonal, and not blocks: two index arrays of one shape are paired. Give
    them different axes.
groups-against-groups: You paired each group with every other, place by place: `keep[:, None]` against `keep` makes
    a block only of one flat list. Let both index arrays share the first axis.
one-block: You made one block of all groups together. Each group has its own block.
one-group: You returned the block of one group. There is one for each.
flat-lists-only: You called `np.ix_`, which takes flat lists, and makes one block. Give the two index arrays their
    axes yourself, or take one group after the other.
one-axis-only: You selected along one axis only. Select rows *and* columns.
order-lost: Your rows and columns are the right ones, but not in the order in which the group names them.
one-order-lost/rows: Your columns are in the order of the group, but your rows are in that of the table.
one-order-lost/columns: Your rows are in the order of the group, but your columns are in that of the table.
transposed: You exchanged rows and columns, so each block is transposed.
not-left-out: Your blocks still hold the other stations, as zeros. Leave them out.
wrong-value: Your blocks hold other elements. Element [g, r, c] should be `table[keep[g, r], keep[g, c]]`.
few-stations-only: Your answer is right for some stations, but not for 300. Are positions kept in 8 bits?
no-array: You return a list. Return an array, which the next step can index, add and multiply.
spoilt-by-the-others: Your blocks are not right if elements that you leave out are not finite: they spread, as 0
    times NaN is NaN. Choose elements instead.
another-dtype: Your elements went through another dtype, as the dtype of the result shows, or its digits. Indexing
    keeps both.
"""

pick_a_block = declare(
    "pick-a-block",
    see="index-arrays",
    steps=[
        Agrees(
            blocks,
            stations,
            [2, 3, 8],
            extremes=named_twice,
            mistakes=MISTAKES,
            raising={"flat-lists-only": "Cross index must be 1 dimensional"},
        ),
        Agrees(blocks, extremes=many_stations, otherwise="few-stations-only"),
        an_array,
        Agrees(blocks, partly_broken, [3, 8], otherwise="spoilt-by-the-others"),
        Agrees(
            blocks,
            stations,
            [2, 3, 8],
            extremes=[(NANOSECONDS, np.array([[1, 0]]))],
            dtype=True,
            otherwise="another-dtype",
        ),
    ],
    words=WORDS,
)
