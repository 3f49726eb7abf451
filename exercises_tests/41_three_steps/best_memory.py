"""best-memory."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import WORDS as LESSON
from ._lesson import plain_recursion, weighted_means

MOST_PROGRAMS = 8
"""That a first call may compile: one is the search, and some stand before and behind it. A right answer with several
operations around its `jit` compiled 5, and the listed one that is compiled operation by operation 13."""


def prediction_errors(values, alphas):
    """The oracle: the mean squared difference of each row and the mean of all rows before it."""
    return np.array([((weighted_means(values, alpha)[:-1] - values[1:]) ** 2).mean() for alpha in alphas])


def squares(values, alphas, differences, *, means=weighted_means):
    """The mean square of some differences of the rows and the means, for each alpha."""
    rows = np.asarray(values, np.float64)
    found = [differences(rows, means(rows, alpha)) ** 2 for alpha in alphas]
    return np.array([square.mean() if square.size else np.nan for square in found])


def drawn_table_and_alphas(rng, shape):
    rows, count = shape
    return inputs.array(rng, rows, "float32", low=-9, high=9), rng.uniform(0.05, 0.95, count).astype(np.float32)


def compiled_by_each(student_function, values, grids):
    """How many programs each of several calls compiles, from empty caches on: one table, several lists of alphas.

    The table is NumPy's: where an answer leaves JAX, taking a part of the table must not look like its program.
    """
    jax.clear_caches()
    jnp.asarray(values)  # handing over compiles, too, and is no program of the answer's
    for dtype in ("float32", "float64"):
        errors = np.ones(len(grids[0]), dtype)
        for handed_over in (errors, [*errors], errors.tolist()):
            jnp.asarray(handed_over)
    calls = [(values, np.asarray(grid, np.float32)) for grid in grids]
    return [len(names) for names in probe.compiled(student_function, calls)]


MISTAKES = {
    "peeks": [
        lambda values, alphas, first=first: squares(values, alphas, lambda x, m: (x - m)[first:]) for first in (0, 1)
    ],
    "predicts-the-past": lambda values, alphas: squares(values, alphas, lambda x, m: x[:-1] - m[1:]),
    "not-a-mean": lambda values, alphas: prediction_errors(values, alphas) * values[1:].size,
    "not-a-mean/2": lambda values, alphas: prediction_errors(values, alphas) * (len(values) - 1),
    "first-row-counted": lambda values, alphas: prediction_errors(values, alphas) * (1 - 1 / len(values)),
    "root-taken": lambda values, alphas: np.sqrt(prediction_errors(values, alphas)),
    "not-squared": lambda values, alphas: squares(values, alphas, lambda x, m: np.sqrt(abs(x[1:] - m[:-1]))),
    "plain-recursion": lambda values, alphas: squares(
        values, alphas, lambda x, m: x[1:] - m[:-1], means=lambda x, a: plain_recursion(x, a)
    ),
    "two-rows-ahead": lambda values, alphas: squares(values, alphas, lambda x, m: x[2:] - m[:-2]),
}


def some_table(rng):
    values = np.cumsum(rng.normal(size=(160, 3)), axis=0) + rng.normal(size=(160, 3))
    alphas = np.sort([*rng.uniform(0.1, 0.6, size=3), rng.uniform(0.7, 0.9)])
    return values.astype(np.float32), alphas.astype(np.float32)


def long_tables(rng):
    """A long table, backwards, and with an alpha that comes twice."""
    values, alphas = some_table(rng)
    return [(values, alphas), (values[::-1].copy(), alphas[::-1].copy()), (values, alphas[[0, 2, 0, 1]])]


def far_from_zero(rng):
    values, alphas = some_table(rng)
    return [((values + offset).astype(np.float32), alphas) for offset in (4000, -4000)]


def one_error_for_each(got, values, alphas):
    """The errors, one for each alpha."""
    got = numbers(got)
    require(got.shape == alphas.shape, "wrong-shape", alphas=len(alphas), shape=got.shape)
    return got


def compiled_once(answer, rng):
    """One program serves all alphas, and the next call too."""
    values, alphas = some_table(rng)
    first, same, other = answer.probe(compiled_by_each, values, [alphas, alphas, rng.uniform(0.1, 0.9, size=4)])
    require(first, "not-in-jax")
    refuse(same, "compiled-in-each-call")
    refuse(other, "compiled-for-each-alpha")
    refuse(first > MOST_PROGRAMS, "not-one-program", first=first)


ASKED = {"ask": probe.on_jax_arrays, "reads": one_error_for_each}


WORDS = """
hint: Can you write it for one alpha? A scan gives the mean after each row, and you compare the mean after row `t`
    with row `t + 1`.
hint: `jax.vmap(..., in_axes=(None, 0))` does it for all alphas at once, and `jax.jit` compiles that once.
hint: `alpha` must be an argument of the compiled function: no `static_argnames`, no closure.
digits-lost: Your errors are right near 0, but not 4000 away from it: a difference of large sums, such as a square
    multiplied out, loses the digits. Subtract first, then square.
wrong-shape: Your answer has the shape {shape}. Give one error for each of the {alphas} alphas.
peeks: You compare the mean after row `t` with row `t`, which it has seen, so the shortest memory always wins. Compare
    it with row `t + 1`.
predicts-the-past: You compare each mean with the row *before* it. Compare a prediction with the row that comes after.
not-a-mean: You returned the sum of the squares. Divide by their count, or longer tables are worse.
not-a-mean/2: You averaged the squares over the columns only, and added them over the rows. Take the mean over both.
first-row-counted: You counted the first row, though nothing predicts it. Divide by the number of predictions.
root-taken: You took the root of the mean square. Return the mean square itself.
not-squared: You averaged the absolute errors. Average their squares.
plain-recursion: Your means are those of `adjust=False`. The weights should be `(1 - alpha) ** age`, also for the
    first row.
two-rows-ahead: You compare the mean after row `t` with row `t + 2`. The next row is `t + 1`.
wrong-value: Your errors differ. Each should be the mean of (row t + 1 minus the mean after row t)², for one alpha.
not-in-jax: Your errors are right, but nothing was compiled. Write it with `jax.numpy` and a `scan`, under `jax.jit`.
compiled-in-each-call: Your function compiled again when the same call came again. It makes its compiled function in
    the call: make the function and its `jax.jit` once, outside `best_memory`.
compiled-for-each-alpha: Your function compiled anew for new values of `alphas`, though the table and all shapes are
    the same. Make `alpha` an argument of one compiled function.
not-one-program: Your errors are right, but the first call compiled {first} programs, so not all of the work is inside
    one `jax.jit`. Put it there.
"""

best_memory = declare(
    "best-memory",
    points=3,
    see="stay-on-the-device",
    steps=[
        Agrees(
            prediction_errors,
            drawn_table_and_alphas,
            [((2, 1), 2), ((8, 8), 1)],
            each=2,
            extremes=long_tables,
            mistakes=MISTAKES,
            rtol=1e-3,
            **ASKED,
        ),
        Agrees(prediction_errors, extremes=far_from_zero, otherwise="digits-lost", rtol=1e-2, **ASKED),
        compiled_once,
    ],
    words=(LESSON, WORDS),
)
