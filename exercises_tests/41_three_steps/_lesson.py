"""What the exercises of lesson 41 share."""

import copy

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import refuse, require
from jaxcourse.exercise import numbers

WORDS = """
not-two-functions: Your function should return two functions: `init`, which makes a state, and `apply`, which takes a
    state and a row.
no-state-returned: Your `apply` should return two things: the next state, and the result of this row.
swapped: Your `apply` returned the result first and the state second. A scan wants the state first.
remembers: Your `apply` gave two different results for the same state and row, so it remembers something outside the
    state. Under `jit` Python runs once, and that memory is lost.
wrong-row-shape: Your result of a row has the shape {got}. Give it the shape of the row, {shape}.
"""


def pair_facts(student_function, parameter, rows):
    """What a pair (init, apply) does with some rows: by hand, one after the other, and in a scan."""
    pair = student_function(parameter)
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and all(map(callable, pair))):
        return {"pair": False}
    init, apply = pair
    table, rows = probe.on_device((rows, [*rows]))

    def kinds(tree):
        return jax.tree.structure(tree), [jnp.shape(leaf) for leaf in jax.tree.leaves(tree)]

    def identical(tree, other):
        leaves = zip(jax.tree.leaves(tree), jax.tree.leaves(other), strict=True)
        return all(np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True) for a, b in leaves)

    def stepped(state, row):  # a scan minds no container that is changed in place
        return apply(copy.deepcopy(state), row)

    start = init(rows[0])
    first = stepped(start, rows[0])
    if not (isinstance(first, (tuple, list)) and len(first) == 2):
        return {"pair": True, "two": False}
    if kinds(first[0]) != kinds(start) and kinds(first[1]) == kinds(start):
        return {"pair": True, "two": True, "swapped": True}
    stepped(start, rows[1])
    again = stepped(start, rows[0])
    facts = {"pair": True, "two": True, "swapped": False, "carry": "", "ys": []}
    gap = probe.on_device(np.full_like(rows[0], np.nan))
    facts |= {"same": identical(first, again), "from_values": not identical(start, init(gap))}
    state = start
    for row in rows:
        state, y = stepped(state, row)
        facts["ys"].append(y)
    try:
        jax.lax.scan(apply, start, table)
    except TypeError as error:
        carry = [line.strip(" *.;") for line in str(error).splitlines() if "the input carry" in line.lower()]
        if not carry:  # it says nothing of the state's shapes and dtypes
            raise
        facts["carry"] = carry[0][:200]
    except jax.errors.UnexpectedTracerError:
        facts["same"] = False
    return facts


def rows_of_results(facts, rows):
    """The results by hand as one array, once the pair is one and each result has a row's shape."""
    require(facts["pair"], "not-two-functions")
    require(facts["two"], "no-state-returned")
    refuse(facts["swapped"], "swapped")
    require(facts["same"], "remembers")
    shapes = {np.shape(y) for y in facts["ys"]}
    require(shapes == {rows[0].shape}, "wrong-row-shape", shape=rows[0].shape, got=sorted(shapes, key=str)[0])
    return np.stack([numbers(y) for y in facts["ys"]])


@probe.question(evidence="values")
def scanned_pairs(student_function, cases):
    """The results of a pair for all rows of each case, in a scan, while there is a pair with another parameter.

    Compiling a scan costs far more than running it, and a program of ten scans little more than a program of one.
    """

    def scanned(parameter, first, rows, other):
        init, apply = student_function(parameter)
        student_function(other)
        return jax.lax.scan(apply, init(first), rows)[1]

    # A window is a whole number, and a share of the newest row a fraction.
    others = [parameter + 2 if isinstance(parameter, int) else parameter / 2 for parameter, _ in cases]
    given = probe.on_device(
        [(parameter, rows[0], rows, other) for (parameter, rows), other in zip(cases, others, strict=True)]
    )

    def every():
        return [scanned(*case) for case in given]

    return (jax.jit(every) if len(cases) > 1 else every)()


def weighted_means(rows, alpha, *, gaps_count=True):
    """The definition: a mean with weights (1 - alpha)**age, where a gap has no weight, and ages or not."""
    rows = np.asarray(rows, np.float64)
    seen = ~np.isnan(rows)
    clock = np.cumsum(np.ones_like(seen) if gaps_count else seen, axis=0)
    # The newest weight is 1, so that none is rounded to zero; a common factor makes no difference.
    newest = np.maximum.accumulate(np.where(seen, clock, 0))
    past = np.tri(len(rows), dtype=bool)[:, :, None] & seen
    weights = np.where(past, ((1 - alpha) ** np.arange(len(rows)))[(newest[:, None] - clock).clip(0)], 0)
    sums = np.einsum("tsc,sc->tc", weights, np.nan_to_num(rows))
    with np.errstate(invalid="ignore"):
        return sums / weights.sum(1)


def plain_recursion(rows, alpha):
    """What pandas gives with `adjust=False`."""
    means = [np.asarray(rows[0], np.float64)]
    for row in rows[1:]:
        means.append(alpha * row + (1 - alpha) * means[-1])
    return np.array(means)
