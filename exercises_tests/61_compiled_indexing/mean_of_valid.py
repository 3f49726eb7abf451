"""mean-of-valid: the mean of the valid elements along the last axis, NaN where there are none; under `jit` too."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare
from jaxcourse.probe import NEEDS_A_NUMBER, NEEDS_A_SHAPE

from ._lesson import NOTHING


@probe.question(evidence="values")
def operation_by_operation(function, x, valid):
    """The answer's result where nothing is compiled: XLA may make a choice of a product with a mask."""
    with jax.disable_jit():
        return function(jnp.asarray(x), jnp.asarray(valid))


def means(x, valid):
    rows = zip(x.reshape(-1, x.shape[-1]).astype(float), valid.reshape(-1, x.shape[-1]), strict=True)
    with np.errstate(invalid="ignore"):
        each = [row[good].mean() if good.any() else np.nan for row, good in rows]
    return np.reshape(each, x.shape[:-1]).astype(np.float32)


def measurements(rng, shape):
    """Measurements and their mask: some are 0, and what is not valid is anything; some rows have nothing valid."""
    x = inputs.array(rng, shape, "float32", offset=float(rng.choice([0, 0, 20])))
    valid = rng.random(shape) < rng.choice([0, 0.5, 0.5, 0.5, 0.8, 1], (*shape[:-1], 1))
    x = x * np.float32(2.0 ** rng.choice([0, 0, 0, -40, 40]))
    anything = rng.choice(np.float32([np.nan, np.inf, -np.inf, 999, 0]), shape)
    return np.where(valid, x, anything if rng.random() < 0.9 else np.float32(999)), valid


def marks_that_are_valid(rng):
    mask = np.array([True, True, False, False])
    return [(np.array([mark, 2, np.nan, 5], np.float32), mask) for mark in NOTHING[np.isfinite(NOTHING)]]


def long_rows(rng):
    x = rng.integers(1, 4, (2, 70_000)).astype(np.float32)  # all sums are exact
    return [(x, np.stack([np.ones(70_000, bool), rng.random(70_000) < 0.6]))]


def products(x, valid):
    with np.errstate(invalid="ignore", divide="ignore"):
        return (x * valid.astype(x.dtype)).sum(axis=-1) / valid.sum(axis=-1)


def divides_by_too_many(x, valid):
    with np.errstate(invalid="ignore"):
        return np.where(valid, x, 0).sum(axis=-1) / valid.sum()


MISTAKES = {
    "mask-ignored": lambda x, valid: means(x, ~np.isnan(x)),
    "mask-ignored/all": lambda x, valid: means(x, np.ones(x.shape, bool)),
    "mask-reversed": lambda x, valid: means(x, ~valid),
    "nan-times-zero": products,
    "divided-by-all": [
        lambda x, valid: np.where(valid, x, 0).mean(axis=-1),
        lambda x, valid: np.where(valid.any(axis=-1), np.where(valid, x, 0).mean(axis=-1), np.nan),
    ],
    "divided-by-too-many": divides_by_too_many,
    "empty-row": lambda x, valid: np.nan_to_num(means(x, valid)),
    "zero-is-missing": lambda x, valid: means(x, valid & (x != 0)),
    "one-mean": lambda x, valid: means(x.ravel(), valid.ravel()),
    "first-axis": lambda x, valid: means(np.moveaxis(x, 0, -1), np.moveaxis(valid, 0, -1)),
    "axis-kept": lambda x, valid: means(x, valid)[..., None],
}
WITHOUT_JIT = {"nan-without-jit": products}
WITHOUT_A_COMPILER = {"saved-by-the-compiler": products}

WORDS = """
hint: How can the mask come along, if the shape must stay?
hint: `jnp.sum` and `jnp.mean` take `where=`.
mask-ignored: You left out the elements that are NaN, and no others. The mask says what is valid.
mask-ignored/all: Your mean counts elements that are not valid, such as 999 or NaN. The mask says what is valid.
mask-reversed: You took the elements that are not valid. `True` means valid.
nan-times-zero: Your mean is NaN because of an element that is not valid. A product with the mask does this, as NaN
    and infinity times 0 are NaN: choose with `where`.
divided-by-all: You divided by the number of all elements. Divide by that of the valid ones.
divided-by-too-many: You divided by the number of valid elements in all rows. Each row has its own.
empty-row: Your mean is 0 for a row without valid elements, and 0 could be a real mean. Use NaN.
zero-is-missing: You left out a valid 0, which is a measurement like any other.
one-mean: You returned one mean of everything. Return one for each row, with `axis=-1`.
first-axis: You took the mean along the first axis. Time is the last.
axis-kept: Your result has an axis of length 1 left over.
shape-depends-on-data: Your code makes a shape from the number of valid elements, which JAX does not know yet. Use
    no mask as an index, and no `jnp.where` of a mask alone.
needs-the-numbers: Your code asked for numbers. Under `jit` there are none yet: use `jnp`, and no `if`, `int` or
    `float`.
wrong-value: Your numbers are not the means of the valid elements along the last axis, with NaN if there are none.
mark-is-valid: You took a measurement for the mark of a gap. Only the mask says what is valid.
count-overflows: Your answer is right for short rows. In long ones there are more valid elements than a small
    integer or half precision can count: an `int8` ends at 127.
nan-without-jit: Your mean is right under `jit`, and otherwise NaN if an element is not valid. In a product with the
    mask, 0 times NaN or infinity is NaN. Choose with `where`.
without-jit: Your answer is right under `jit`, and not without it, or not in `with jax.disable_jit():`.
saved-by-the-compiler: Your mean is right if XLA compiles operations together, and NaN if each runs by itself and an
    element is not valid. Don't multiply by the mask. Choose with `where`.
"""

RAISING = {"needs-the-numbers": NEEDS_A_NUMBER, "shape-depends-on-data": NEEDS_A_SHAPE}
agrees = functools.partial(Agrees, means, measurements)
under_jit = functools.partial(Agrees, means, ask=probe.under_jit, raising=RAISING)
mean_of_valid = declare(
    "mean-of-valid",
    see="fixed-shapes",
    steps=[
        under_jit(measurements, [(3, 3), (4,), (2, 3, 5)], each=12, mistakes=MISTAKES),
        under_jit(extremes=marks_that_are_valid, otherwise="mark-is-valid"),
        under_jit(extremes=long_rows, rtol=1e-3, otherwise="count-overflows"),
        agrees([(3, 4)], each=12, ask=probe.on_jax_arrays, mistakes=WITHOUT_JIT, otherwise="without-jit"),
        agrees([(3, 4)], each=6, ask=operation_by_operation, mistakes=WITHOUT_A_COMPILER, otherwise="without-jit"),
    ],
    words=WORDS,
)
