"""mean-miss."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require, where_it_runs
from jaxcourse.exercise import is_close, numbers

from ._lesson import EXPLICIT_OR_AUTO, SIMULATED
from ._lesson import WORDS as LESSON

LAYOUTS = (
    ({"x": 8}, [], ["x"], ["x"]),
    ({"x": 2}, [], ["x"], ["x"]),
    ({"x": 4, "y": 2}, [], ["x", "y"], ["x"]),
    ({"x": 8}, [], [], []),
    ({"x": 1}, None, None, None),
)
"""Meshes, and how `w`, `x` and `y` lie on them, so that there is one product only: the last is a single device."""


def _judge_kind_of_miss(got, guesses, y, m):
    n, misses = len(y), guesses - y
    refuse(n > 1 and is_close(got, np.abs(guesses - y[:, None]).mean(), rtol=1e-4), "table-of-misses")
    refuse(n > 1 and is_close(got, (misses**2).mean(), rtol=1e-4), "squared")
    refuse(n > 1 and is_close(got, abs(misses.mean()), rtol=1e-4), "magnitude-of-the-mean")
    refuse(n > 1 and is_close(got, np.abs(misses).sum() / n / m, rtol=1e-4), "divided-by-elements")
    refuse(n > 1 and is_close(got, np.abs(misses).sum() / m, rtol=1e-4), "divided-by-columns")


def _judge_miss(got, misses):
    n, shape = len(misses), numbers(got).shape
    require(shape == (), "not-a-scalar", shape=shape)
    refuse(is_close(got, misses.sum() / n / SIMULATED, rtol=1e-4), "divided-twice")
    refuse(n > 1 and is_close(got, misses.sum(), rtol=1e-4), "sum-no-mean")
    refuse(is_close(got, misses.mean() * SIMULATED, rtol=1e-4), "rows-of-one-device", devices=SIMULATED)
    expect(got, misses.mean(), "wrong-value", rtol=1e-4)
    dtype = str(getattr(got, "dtype", type(got).__name__))
    require(dtype == "float32", "other-dtype", dtype=dtype)


def one_mean_over_all(answer, rng):
    """The mean over all rows, wherever they lie.

    A function, since the arrays lie in another way in each case, on meshes with other axes and on one device.
    """
    where_it_runs(functools.partial(_mean_on, answer, rng), EXPLICIT_OR_AUTO)


def _mean_on(answer, rng, kind):
    for layout, (n, m) in [*((layout, (16, 6)) for layout in LAYOUTS), (LAYOUTS[-1], (1, 1)), (LAYOUTS[-1], (5, 5))]:
        w, x, y = (rng.normal(size=size).astype(np.float32) for size in (m, (n, m), n))
        placed = probe.placing(*layout, explicit=kind == "Explicit")
        got, unknown = answer.attempt(probe.on_mesh, placed, w, x, y, expected=["NameError: unbound axis name"])
        answer.called = f"mean_miss(float32[{m}], float32[{n}, {m}], float32[{n}])"
        refuse(unknown, "unknown-name")
        misses = np.abs(np.asarray(x, np.float64) @ w - y)
        if not is_close(got, misses.mean(), rtol=1e-4):  # with few rows, a slip may give what is right
            _judge_kind_of_miss(got, np.asarray(x, np.float64) @ w, y, m)
        _judge_miss(got, misses)


WORDS = """
hint: What is `x.shape` when `x` is cut over eight devices?
hint: Write it for one device. `jit` does the rest.
table-of-misses: You compared every row with every `y`, because a column and a row broadcast to a table. Make both of
    one shape.
squared: You returned the mean of the squares. The task asks for absolute misses.
magnitude-of-the-mean: Your misses above and below cancel. Take the absolute value of each before the mean.
divided-by-elements: You divided the sum by the number of all elements of `x`. There are as many misses as rows.
divided-by-columns: You divided the sum by the number of columns. There are as many misses as rows.
not-a-scalar: Your result has the shape {shape}. The task asks for one number.
divided-twice: You divided the mean by the number of devices once more. `x.shape[0]` already counts all rows.
sum-no-mean: You returned the sum of the misses. The task asks for their mean.
rows-of-one-device: Your result is {devices} times the mean. Did you divide by the rows of one device, or multiply by
    the number of devices? `x` is the whole.
wrong-value: Return the mean of the absolute misses over all rows.
other-dtype: Your result should be `float32`, not `{dtype}`.
unknown-name: Your code names an axis, as `pmean` does, and here no axis has a name. Such names exist only inside
    `pmap`, `shard_map` or `vmap`.
"""

mean_miss = declare(
    "mean-miss",
    see="one-global-view",
    steps=[one_mean_over_all],
    words=(LESSON, WORDS),
)
