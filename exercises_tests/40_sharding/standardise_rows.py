"""standardise-rows."""

import numpy as np

from jaxcourse.checks import Agrees, declare, over_meshes, seen

from ._lesson import EXPLICIT_OR_AUTO, in_float32, inside, pieces_of, programs_of, require_layout, require_only
from ._lesson import WORDS as LESSON

FAR = np.float32(4096)
SMALL = np.float32(2.0**-40)
RTOL = 1e-3


def standardised(x, axis=0, constant=1.0):
    """Mean 0 and standard deviation 1 along an axis; what does not vary is not divided, or not known."""
    spread = x.std(axis, keepdims=True)
    return (x - x.mean(axis, keepdims=True)) / np.where(spread, spread, constant)


def by_columns(devices, x):
    """The oracle."""
    return standardised(np.asarray(x, np.float64))


def exactly(made):
    """What comes of numbers in double precision."""
    return lambda devices, x: made(np.asarray(x, np.float64), devices)


def by_mean_deviation(x, devices):
    spread = np.mean([block.std(0) for block in np.split(x, devices)], axis=0)
    return (x - x.mean(0)) / np.where(spread, spread, 1)


MISTAKES = {
    "mean-of-a-piece": exactly(lambda x, n: np.concatenate([standardised(block) for block in np.split(x, n)])),
    "other-axis": [exactly(lambda x, n, by=by: standardised(x, 1, by)) for by in (1.0, np.nan)],
    "one-row-less": exactly(lambda x, n: (x - x.mean(0)) / x.std(0, ddof=1)),
    "divided-by-the-variance": exactly(lambda x, n: (x - x.mean(0)) / x.var(0)),
    "not-divided": exactly(lambda x, n: x - x.mean(0)),
    "mean-of-deviations": exactly(by_mean_deviation),
    "digits-cancel": seen(lambda reply: reply.right or reply.case[1].mean() > FAR / 2),
    "kept-from-zero": seen(lambda reply: reply.right or (is_small(reply) and shrunk(reply))),
}


def is_small(reply):
    return np.abs(reply.case[1]).max() < 1e-6


def shrunk(reply):
    return np.all(np.abs(reply.got) <= np.abs(reply.want) * 0.999)


def tables(rng):
    """Rows that differ: usual ones, small ones, and whole numbers far from 0, and near.

    Small numbers have the digits of the large ones, since a power of 2 costs none. The sums of whole numbers are exact,
    and those of their squares are not.
    """

    def drawn(*shape):
        return (rng.normal(size=shape) * 3 + np.arange(shape[0])[:, None]).astype(np.float32)

    usual, small, whole = drawn(16, 8), [drawn(8, 1) * SMALL for _ in range(2)], [np.round(drawn(8, 8)) for _ in "ab"]
    return [(8, usual), *((4, x) for x in small), (2, whole[0]), *((2, x + FAR) for x in whole)]


def sums_alone_are_sent(answer, replies):
    """Require that the compiled program sends sums alone, and that the result lies by rows."""
    for devices, (x,), facts in programs_of(answer, replies):
        require_only(facts["collectives"], ("all-reduce",), label="still-gathers")
        require_layout(pieces_of(facts["pieces"]), {"x": devices}, ["x"], x.shape)


WORDS = """
hint: Which line asks that every device has everything?
hint: Under `jit`, `x.mean(axis=0)` is the mean over all rows, wherever they lie.
still-gathers: Your compiled program contains {others}. The devices need only sums of each other, by all-reduces.
    Neither `x` nor the result need be whole, or cut otherwise, anywhere.
mean-of-a-piece: You standardised the rows of each device by themselves. Take mean and standard deviation over all rows.
other-axis: You standardised each row by its own numbers. The task asks for columns, over all rows, so use `axis=0`.
one-row-less: Your standard deviation divides by one less than the number of rows. Divide by their number, as `jnp.std`
    does.
divided-by-the-variance: You divided the columns by their variance. The standard deviation is its root.
not-divided: You subtracted the mean. The division by the standard deviation is missing.
mean-of-deviations: You averaged the devices' standard deviations, which isn't the standard deviation of all rows.
    Subtract the mean of all rows, average the squares over all devices, and take the root.
digits-cancel: Your answer is right for small numbers, and not with 4096 added. A mean of squares minus a squared mean
    loses its digits there. Subtract the mean first, then square.
kept-from-zero: Your columns are right if they vary much, and otherwise too small. Do you add something to the standard
    deviation, or limit it? No column is constant.
wrong-value: Each of your columns should have mean 0 and standard deviation 1, over all rows.
"""

standardise_rows = declare(
    "standardise-rows",
    see="one-global-view",
    steps=[
        Agrees(
            by_columns,
            extremes=tables,
            ask=over_meshes(["x"], axis="x", question=inside, kinds=EXPLICIT_OR_AUTO),
            reads=in_float32,
            mistakes=MISTAKES,
            then=[sums_alone_are_sent],
            rtol=RTOL,
        )
    ],
    words=(LESSON, WORDS),
)
