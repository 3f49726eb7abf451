"""standardise: each element less its mean over the batch, in its standard deviations, from inside of `vmap`."""

import math
from functools import partial

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare

from ._lesson import in_its_terms


@probe.question(evidence="values")
def standardised(standardise, batch):
    """What an answer makes of a batch, mapped with a name."""
    return jax.vmap(standardise, axis_name="batch")(probe.on_device(batch))


def standard(batch):
    """The oracle."""
    centred = batch - np.mean(batch, axis=0, dtype=np.float64)
    return centred / np.sqrt(np.mean(centred**2, axis=0))


def varied(rng, shape):
    """A batch in which every element varies."""
    scale = 10 ** rng.uniform(-9, 3, shape[1:])
    order = rng.permuted(np.broadcast_to(np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)), shape), axis=0)
    batch = scale * (order + rng.uniform(-0.2, 0.2, shape) + rng.uniform(-5, 5, shape[1:]))
    return (batch.astype(np.float32),)


def far(rng, shape):
    """A batch a few thousand standard deviations away from 0."""
    (batch,) = varied(rng, shape)
    return (batch + np.float32(4000) * batch.std(0),)


def own(batch, axis=None):
    """The statistics of each example itself."""
    axes = tuple(range(1, batch.ndim)) if axis is None else axis
    return (batch - batch.mean(axes, keepdims=True)) / batch.std(axes, keepdims=True)


def with_added(batch, added):
    """A small number is added to the variance."""
    centred = batch - batch.mean(0, dtype=np.float64)
    return centred / np.sqrt(np.mean(centred**2, axis=0) + added)


def with_sums(batch):
    off = batch - batch.sum(0)
    return off / np.sqrt(np.sum(off**2, axis=0))


MISTAKES = {
    "own-statistics": [own, partial(own, axis=1)],
    "n-minus-one": lambda batch: standard(batch) * math.sqrt((len(batch) - 1) / len(batch)),
    "something-added": [partial(with_added, added=added) for added in (1e-3, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12)],
    "over-everything": lambda batch: (batch - batch.mean()) / batch.std(),
    "absolute-deviation": lambda batch: (batch - batch.mean(0)) / np.abs(batch - batch.mean(0)).mean(0),
    "only-centred": lambda batch: batch - batch.mean(0),
    "not-centred": lambda batch: batch / batch.std(0),
    "divided-by-variance": lambda batch: standard(batch) / batch.std(0),
    "sum-for-mean": [with_sums, lambda batch: standard(batch) / math.sqrt(len(batch))],
    "square-not-centred": lambda batch: (batch - batch.mean(0)) / np.sqrt(np.mean(batch**2, axis=0)),
}
UNBOUND = {"unbound-axis": "unbound axis name"}

WORDS = """
hint: `jax.lax.pmean(x, "batch")` is the mean over the batch, element by element.
hint: Subtract before you square.
own-statistics: You took each example's own mean and deviation. Inside `vmap` your function sees one example, so axis 0
    is that example's. `jax.lax.pmean` takes the mean over the named axis.
n-minus-one: You divided the sum of squares by one less than their number. The task asks for their mean.
something-added: You added a small number before you divided, so elements that vary little come out too small. Every
    element varies, so there is nothing to guard against.
over-everything: You took one mean and one deviation over all elements of all examples. Each element has its own.
absolute-deviation: You divided by the mean absolute deviation. The standard deviation is the root of the mean
    square.
only-centred: Your mean is 0, but the deviation is not yet 1. Divide by it.
not-centred: Your deviation is 1, but the mean is not 0. Subtract it.
divided-by-variance: You divided by the mean square. The standard deviation is its root.
sum-for-mean: You used a sum over the batch, of numbers or of squares. `psum` gives the sum, and `pmean` gives the mean.
square-not-centred: You squared the numbers themselves. The deviation is from the mean, so subtract before you square.
wrong-value: Over the batch, each of your elements should have the mean 0 and the deviation 1.
unbound-axis: JAX finds no axis of the name that you gave. The batch is called `batch`. `pmean` and the other
    collectives know it, and functions of `jnp` don't.
one-shape-only: Your answer works for examples of shape `(d,)`, and fails for those of another. `pmean` works element by
    element, whatever the shape.
digits-lost: Far from 0 you lose the deviation. Do you subtract the squared mean from the mean of squares? Both are
    large, and `float32` has seven digits. Subtract the mean, then square.
"""

ASKED = {"ask": standardised, "shows": 'jax.vmap(standardise, axis_name="batch")({})'}
standardise = declare(
    "standardise",
    points=2,
    see="seen-from-inside",
    steps=[
        Agrees(standard, varied, [(5, 3), (4, 4)], each=3, mistakes=MISTAKES, raising=UNBOUND, rtol=1e-4, **ASKED),
        Agrees(
            standard,
            varied,
            [(6,), (3, 2, 4)],
            each=2,
            mistakes=MISTAKES,
            raising={"one-shape-only": in_its_terms},
            rtol=1e-4,
            **ASKED,
        ),
        Agrees(standard, far, [(5, 3)], each=1, otherwise="digits-lost", rtol=2e-2, **ASKED),
    ],
    words=WORDS,
)
