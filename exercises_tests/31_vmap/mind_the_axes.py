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
hint: `in_axes` has one entry for each argument. On which axis are the clusters in `masses`, and on which in
    `positions`?
hint: `out_axes=1` makes a column for each cluster.
axes-clash: `vmap` goes through all mapped axes in step. Yours differ in length, or one is missing. The clusters are the
    first axis of `masses`, the last of `positions`.
batch-in-front: Your centres are right, but each is in a row. `vmap` puts them there, unless `out_axes` says otherwise.
reshaped: You used `reshape` to move an axis. It reads the same numbers in the same order into another shape.
axis-lost: You lost an axis of length 1. With one cluster or one dimension, the axis is still there.
not-divided: You did not divide each sum by the mass of its cluster.
not-weighted: You returned the mean position of the stars, in which the masses do not count. Weight each star by its
    mass.
divided-by-all: You divided each sum by the mass of all clusters together. Divide it by the mass of its own cluster.
wrong-value: Your result is not the centres of mass, one in each column.
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
