"""standardise-rows."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse
from jaxcourse.exercise import is_close

from ._lesson import WORDS as LESSON
from ._lesson import inside, pieces_of, require_float32, require_layout, require_only

FAR = np.float32(4096)
SMALL = np.float32(2.0**-40)
RTOL = 1e-3


def standardised(x, axis=0):
    """Mean 0 and standard deviation 1 along an axis; what does not vary is not divided."""
    spread = x.std(axis, keepdims=True)
    return (x - x.mean(axis, keepdims=True)) / np.where(spread, spread, 1)


def by_pieces(x, devices):
    return np.concatenate([standardised(block) for block in np.split(x, devices)])


def by_mean_deviation(x, devices):
    spread = np.mean([block.std(0) for block in np.split(x, devices)], axis=0)
    return (x - x.mean(0)) / np.where(spread, spread, 1)


MISTAKES = {
    "mean-of-a-piece": by_pieces,
    "other-axis": lambda x, devices: standardised(x, axis=1) if x.shape[1] > 1 else None,
    "one-row-less": lambda x, devices: (x - x.mean(0)) / x.std(0, ddof=1),
    "divided-by-the-variance": lambda x, devices: (x - x.mean(0)) / x.var(0),
    "not-divided": lambda x, devices: x - x.mean(0),
    "mean-of-deviations": by_mean_deviation,
}


def drawn(rng, devices, shape):
    """Rows that differ; on four devices small ones, and on two whole numbers far from 0.

    Small numbers have the digits of the large ones, since a power of 2 costs none. The sums of whole numbers are exact,
    and those of their squares are not.
    """
    x = (rng.normal(size=shape) * 3 + np.arange(shape[0])[:, None]).astype(np.float32)
    return {4: x * SMALL, 2: np.round(x) + FAR}.get(devices, x)


def check(answer, rng):
    for devices, shape in ((8, (16, 8)), (4, (8, 1)), (2, (8, 8))):
        axes, x = {"x": devices}, drawn(rng, devices, shape)
        placed = probe.placing(axes, ["x"], mesh="argument")
        facts = answer.probe(probe.partitioned, placed, x)
        answer.called = f"jit(standardise_rows)(mesh, float32{list(shape)})"
        require_only(facts["collectives"], ("all-reduce",), label="still-gathers")
        got, exact = answer.probe(inside, placed, x), np.asarray(x, np.float64)
        for label, mistake in MISTAKES.items():
            refuse(is_close(got, mistake(exact, devices), rtol=RTOL), label)
        want = standardised(exact)
        if devices == 2 and not is_close(got, want, rtol=RTOL):
            near = answer.probe(inside, placed, x - FAR)
            refuse(is_close(near, want, rtol=RTOL), "digits-cancel")
        refuse(devices == 4 and np.all(np.abs(got) <= np.abs(want) * 0.999), "kept-from-zero")
        expect(got, want, "wrong-value", rtol=RTOL)
        require_float32(got)
        require_layout(pieces_of(facts["pieces"]), axes, ["x"], shape)


WORDS = """
hint: Which line asks that every device has everything?
hint: Under `jit`, `x.mean(axis=0)` is the mean over all rows, wherever they lie.
still-gathers: The compiled program contains {others}. Sums over the rows are all that the devices need of each other,
    and all-reduces give them: neither `x` nor the result need be whole, or cut otherwise, anywhere.
mean-of-a-piece: Each device took the mean of its own rows. It should be the mean over all rows.
other-axis: Each row is standardised by its own numbers now. The task asks for columns, over all rows: `axis=0`.
one-row-less: The standard deviation divides by the number of rows, as `jnp.std` does, and not by one less.
divided-by-the-variance: The columns are divided by their variance. The standard deviation is its root.
not-divided: The mean is subtracted, and the division by the standard deviation is missing.
mean-of-deviations: The mean of the devices' standard deviations is not the standard deviation of all rows. Subtract
    the mean of all rows, average the squares over all devices, and take the root.
digits-cancel: Right for small numbers, and wrong for the same numbers with 4096 added. The mean of the squares minus
    the square of the mean loses its digits there: subtract the mean first, then square.
kept-from-zero: Right for columns that vary much. Something small was added to the standard deviation, or kept it from
    being small: no column is constant, so nothing is needed against a division by 0.
wrong-value: Mean 0 and standard deviation 1 in each column, over all rows.
"""

standardise_rows = declare(
    "standardise-rows",
    see="one-global-view",
    steps=[check],
    words=(LESSON, WORDS),
)
