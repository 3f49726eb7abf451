"""stable-variance: the variance of each row, also where its mean is ten thousand times its spread."""

import numpy as np

from jaxcourse import probe
from jaxcourse.bans import no_calls
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers


def variances(x):
    """The oracle, in `float64`."""
    return x.astype(float).var(axis=1)


def near_zero(rng, shape):
    """Rows with means of their own, about as far from zero as their numbers are from each other."""
    spread = 10.0 ** rng.integers(-1, 2)
    return ((spread * (rng.normal(size=shape) + rng.uniform(-2, 2, (shape[0], 1)))).astype(np.float32),)


def far_from_zero(rng, shape):
    """Rows whose means are up to ten thousand times their spread, of either sign."""
    spread = 10.0 ** rng.integers(-2, 3)
    means = rng.choice([-1, 1], (shape[0], 1)) * rng.uniform(0.5e4, 1e4, (shape[0], 1))
    return ((spread * (rng.normal(size=shape) + means)).astype(np.float32),)


def means_meet_columns(x):
    """The variances of a square table if the mean of each row is subtracted from a column; right for any other."""
    mean = x.mean(axis=1)
    return ((x - (mean if len(mean) == x.shape[1] else mean[:, None])) ** 2).mean(axis=1)


MISTAKES = {
    "divided-by-n-minus-1": lambda x: x.var(axis=1, ddof=1),
    "grand-mean": lambda x: ((x - x.mean()) ** 2).mean(axis=1),
    "wrong-axis": means_meet_columns,
    "columns": lambda x: x.var(axis=0),
    "axis-kept": lambda x: x.var(axis=1, keepdims=True),
    "took-the-root": lambda x: x.std(axis=1),
    "not-squared": lambda x: np.abs(x - x.mean(axis=1, keepdims=True)).mean(axis=1),
}


def small(rng):
    return near_zero(rng, (4, 13))


def in_other_units(rng):
    return [(small(rng)[0] * np.float32(2.0**power),) for power in (-40, 40)]


def far(rng):
    return [far_from_zero(rng, (4, 13)) for _ in range(8)]


def far_in_many_units(rng):
    """Each row has a unit of its own: what is lost of a small variance would not show beside a large one."""
    units = [[0.01], [1], [100], [0.1]]
    return [*far(rng), *(((far_from_zero(rng, (4, 13))[0] * units).astype(np.float32),) for _ in range(3))]


def can_be_traced(answer, rng):
    """JAX can trace it."""
    _, raised = answer.attempt(probe.under_jit, *small(rng), expected=probe.NEEDS_A_VALUE)
    refuse(raised, "left-jax")


def stays_in_jax(answer, rng):
    """An array of JAX comes back."""
    require(answer.probe(probe.gives_jax, *small(rng)), "left-jax/2")


def agrees(extremes, label, **how):
    return Agrees(variances, extremes=extremes, otherwise=label, **{"ask": probe.under_jit, "rtol": 1e-2, **how})


WORDS = """
hint: What do you subtract from what, and when? Before or after squaring?
hint: `keepdims=True`
divided-by-n-minus-1: You divided by `n - 1`. The mean divides by `n`.
grand-mean: You subtracted one mean from all rows. Each row has its own: `axis=1, keepdims=True`.
wrong-axis: Your answer is right until a table has as many rows as columns. Then the mean of each row meets a
    column: `keepdims=True`.
columns: You returned the variances of the columns. The mean of a row is `axis=1`.
axis-kept: Your result has an axis of length 1 too many. Return one number for each row.
took-the-root: You returned the standard deviations. Leave the root out.
not-squared: You took the means of the deviations without their signs. Square them.
left-jax: Your code asks for numbers under `jit`, where the array has none yet. Is there a NumPy function, `float`,
    or an `if`?
wrong-value: Your numbers are not the variances of the rows.
short-rows-only: Your answer is right for short rows, and not for rows of 300. They may have any length.
one-unit-only: Your answer is right for numbers near 1, and not in another unit. A variance may be of any size: add
    nothing to it, and set no limit.
cancellation: Your answer is right for rows near zero. If the mean is ten thousand times the spread, you subtract
    large squares, and only rounding is left. Subtract the mean first.
cancellation/2: Your answer is right for rows near zero. If the mean is far above the spread, you subtract large
    squares: only rounding is left. Yours, over what it should be:
not-without-jit: Your answer is right under `jit`, and another one without.
left-jax/2: Your numbers are right, but the result is not a JAX array.
"""

stable_variance = declare(
    "stable-variance",
    see="float32-by-default",
    without=[
        no_calls(
            *(
                f"{owner}.{name}"
                for name in ("var", "std", "nanvar", "nanstd")
                for owner in ("np", "jnp", "np.ndarray", "jnp.ndarray")
                if owner.endswith("np") or not name.startswith("nan")
            ),
            traced=True,
            advice="Write the mean of the squared deviations out.",
        )
    ],
    steps=[
        can_be_traced,
        Agrees(
            variances,
            near_zero,
            [(3, 3), (4, 13), (1, 5)],
            each=6,
            ask=probe.under_jit,
            mistakes=MISTAKES,
            rtol=1e-3,
        ),
        agrees(lambda rng: [near_zero(rng, (2, 300))], "short-rows-only", rtol=1e-3),
        agrees(in_other_units, "one-unit-only", rtol=1e-3),
        agrees(far, "cancellation"),
        Agrees(
            lambda x: np.ones(len(x)),
            extremes=far_in_many_units,
            ask=probe.under_jit,
            reads=lambda got, x: numbers(got) / variances(x),
            otherwise="cancellation/2",
            rtol=1e-2,
        ),
        agrees(lambda rng: far(rng)[:2], "not-without-jit", ask=probe.on_jax_arrays),
        stays_in_jax,
    ],
    words=WORDS,
)
