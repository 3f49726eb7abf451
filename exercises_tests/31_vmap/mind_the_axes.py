"""mind-the-axes: centres of mass of clusters that lie along different axes of two arrays."""

import numpy as np

from jaxcourse import bans, inputs, probe
from jaxcourse.checks import Agrees, declare

from ._lesson import axes_clash


def centres(masses, positions):
    """The oracle: one column for each cluster."""
    weights = masses / masses.sum(1, keepdims=True)
    return np.einsum("np,pdn->dn", weights, positions)


def clusters(rng, sizes):
    n, p, d = sizes
    masses = (rng.uniform(0.5, 4, (n, p)) * 10.0 ** rng.choice([-9, 0, 9])).astype(np.float32)
    return masses, inputs.array(rng, (p, d, n), "float32")


def reshaped_before(masses, positions):
    p, d, n = positions.shape
    return centres(masses, np.moveaxis(positions.reshape(n, p, d), 0, -1))


MISTAKES = {
    "batch-in-front": lambda m, x: centres(m, x).T,
    "reshaped": [reshaped_before, lambda m, x: centres(m, x).T.reshape(x.shape[1:])],
    "axis-lost": lambda m, x: centres(m, x).squeeze(),
    "not-divided": lambda m, x: np.einsum("np,pdn->dn", m, x),
    "not-weighted": lambda m, x: x.mean(0),
    "divided-by-all": lambda m, x: np.einsum("np,pdn->dn", m, x) / m.sum(),
}

WORDS = """
hint: `in_axes` has one entry for each argument: where are the clusters in `masses`, and where in `positions`?
hint: `out_axes=1` makes a column for each cluster.
axes-clash: `vmap` goes through all mapped axes in step, and here one is missing, or they differ in length. The
    clusters are the first axis of `masses`, the last of `positions`.
batch-in-front: The centres are right, but each stands in a row. `vmap` puts them there, unless `out_axes` says
    otherwise.
reshaped: `reshape` moves no axis: it reads the same numbers in the same order into another shape.
axis-lost: An axis of length 1 is lost. With one cluster or one dimension, the axis is still there.
not-divided: The sums are not divided by the mass of their cluster.
not-weighted: That is the mean position of the stars: the masses do not count in it.
divided-by-all: Each sum is divided by the mass of all clusters together, not by that of its own.
wrong-value: These are not the centres of mass, one in each column.
"""

SIZES = [(3, 5, 2), (4, 2, 3), (1, 3, 2), (2, 1, 1), (3, 3, 3)]
mind_the_axes = declare(
    "mind-the-axes",
    see="in-axes",
    without=[
        bans.no_loops(
            grows=lambda n: (np.ones((n, 2), np.float32), np.ones((2, 3, n), np.float32)),
            of="clusters",
            n=16,
            advice="`vmap` has an `in_axes` for that.",
        )
    ],
    steps=[
        Agrees(
            centres,
            clusters,
            SIZES,
            each=2,
            ask=probe.on_jax_arrays,
            mistakes=MISTAKES,
            raising={"axes-clash": axes_clash},
            rtol=1e-4,
        )
    ],
    words=WORDS,
)
