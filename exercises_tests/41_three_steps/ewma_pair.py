"""ewma-pair."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import Agrees, at_once, declare, refuse
from jaxcourse.exercise import is_close

from ._lesson import WORDS as LESSON
from ._lesson import (
    pair_facts,
    plain_recursion,
    rows_of_results,
    scanned_pairs,
    weighted_means,
)


def sums_of_weights(rows, alpha):
    """The denominator of the formula, for each row."""
    return np.cumsum((1 - alpha) ** np.arange(len(rows)))[:, None]


MISTAKES = {
    "one-alpha-for-all": lambda alpha, rows: weighted_means(rows, alpha / 2),
    "plain-recursion": lambda alpha, rows: plain_recursion(rows, alpha),
    "past-of-zeros": lambda alpha, rows: alpha * weighted_means(rows, alpha) * sums_of_weights(rows, alpha),
    "alpha-turned-around": lambda alpha, rows: weighted_means(rows, 1 - alpha),
    "not-divided": lambda alpha, rows: weighted_means(rows, alpha) * sums_of_weights(rows, alpha),
    "first-row-twice": lambda alpha, rows: weighted_means(np.concatenate([rows[:1], rows]), alpha)[1:],
    "weight-before-the-first-row": lambda alpha, rows: weighted_means(np.concatenate([0 * rows[:1], rows]), alpha)[1:],
    "one-row-late": lambda alpha, rows: np.concatenate([np.nan * rows[:1], weighted_means(rows, alpha)[:-1]]),
    "columns-mixed": lambda alpha, rows: weighted_means(rows, alpha).mean(1, keepdims=True) + 0 * rows,
}


def drawn_rows(rng, shape):
    return float(rng.uniform(0.05, 0.95)), inputs.array(rng, shape, "float32", low=-9, high=9)


def many_rows(rng):
    return [(size, rng.normal(size=(200, 1)).astype(np.float32)) for size in (0.02, 0.9)]


def by_definition(alpha, rows):
    """The oracle."""
    return weighted_means(rows, alpha)


def some_rows(rng):
    return float(rng.uniform(0.15, 0.4)), rng.normal(5, 2, size=(8, 3)).astype(np.float32)


def a_pair_for_a_scan(answer, rng):
    """Two functions, of which a scan can be made."""
    alpha, rows = some_rows(rng)
    facts = answer.probe(pair_facts, alpha, rows)
    by_hand = is_close(rows_of_results(facts, rows), weighted_means(rows, alpha)) * "By hand it is right, but "
    refuse(facts["carry"], "state-changes", by_hand=by_hand, carry=facts["carry"])


def starts_from_nothing(answer, rng):
    """The state before the first row depends on no numbers."""
    refuse(answer.probe(pair_facts, *some_rows(rng))["from_values"], "starts-from-values")


WORDS = """
hint: Which two arrays of the shape of a row do you need to go on? The weighted sum so far, and the sum of the
    weights.
hint: Both start at zero, before any row has come. `apply` lets both fade by `1 - alpha`, and then adds.
one-alpha-for-all: Your first pair uses the `alpha` of a pair made later: you keep `alpha` in one place for all. Let
    each `apply` find it where its pair was made.
state-changes: {by_hand}`lax.scan` refuses your state: {carry}. Let `init` make the shapes and dtypes that `apply`
    returns.
plain-recursion: Your means are those of `adjust=False`: your first row keeps a weight as if it stood for all rows
    before it. Divide by the sum of the weights.
past-of-zeros: Your mean has a past of zeros, so the first rows come out too small. Divide by the weights that were
    there, not by those of an endless past.
alpha-turned-around: You let `alpha` and `1 - alpha` change places. A large alpha forgets fast, so old rows fade by `1
    - alpha`.
not-divided: You returned the weighted sum. Divide it by the sum of the weights, which belongs in the state too.
first-row-twice: You count the first row twice. `init` takes it for its shape and dtype only, and `apply` gets it
    again.
weight-before-the-first-row: Your sum of the weights starts at 1, as if a row of zeros had come before the first.
    Before any row, both sums are 0.
one-row-late: Each of your results is the mean of the rows *before* this one. Add the row first, then divide.
columns-mixed: All your columns have the same mean. Each column has its own.
wrong-value: Your means differ. Each should have the weights (1 - alpha)**age, for each row.
starts-from-values: Your state before the first row depends on the *numbers* that `init` is given, and a NaN among
    them spoils it. Take shape and dtype only: `jnp.zeros_like(x0)`.
"""

ewma_pair = declare(
    "ewma-pair",
    points=2,
    see="a-step-with-a-state",
    steps=[
        a_pair_for_a_scan,
        Agrees(
            by_definition,
            drawn_rows,
            [(1, 2), (3, 1), (6, 6), (8, 3)],
            each=2,
            extremes=many_rows,
            ask=at_once(scanned_pairs),
            mistakes=MISTAKES,
            rtol=1e-4,
        ),
        starts_from_nothing,
    ],
    words=(LESSON, WORDS),
)
