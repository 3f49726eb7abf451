"""clip-each: the mean of the gradients of all examples, each scaled down to a length where it is longer."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, require

from ._lesson import axes_clash


@probe.question(evidence="values")
def clipped_mean(clip_each, which, params, xs, ys, limit):
    """What an answer makes of one of several losses."""

    def squares(params, x, y):
        return jnp.sum((x @ params["w"] + params["b"] - y) ** 2)

    def linear(params, x, y):
        return y * (jnp.vdot(params[0], x) + params[1])

    def bare(params, x, y):
        return y * jnp.vdot(params, x)

    def picked(params, x, y):
        return jnp.vdot(jnp.take(params, y, axis=0), x)

    loss = {"squares": squares, "linear": linear, "bare": bare, "picked": picked}[which]
    given = jax.tree.map(np.asarray, (params, xs, ys))
    if which == "linear":
        others = jax.tree.map(lambda leaf: np.asarray(leaf + 1), given)
        clip_each(loss, *probe.on_device(others), limit)  # what was asked before
    return jax.tree.map(np.asarray, clip_each(loss, *probe.on_device(given), limit))


def gradients(which, params, xs, ys):
    """The gradient of each example, by hand, in a list of leaves for each."""
    if which == "squares":
        errors = xs @ params["w"] + params["b"] - ys
        return [[2 * e, 2 * np.outer(x, e)] for x, e in zip(xs, errors, strict=True)]
    if which == "linear":
        return [[y * x, np.asarray(y)] for x, y in zip(xs, ys, strict=True)]
    if which == "picked":
        return [[np.outer(np.arange(len(params)) == y, x)] for x, y in zip(xs, ys, strict=True)]
    return [[y * x] for x, y in zip(xs, ys, strict=True)]


def like(which, leaves):
    """Leaves in the structure of the parameters."""
    return {"squares": lambda b, w: {"b": b, "w": w}, "linear": lambda w, b: (w, b)}.get(which, lambda w: w)(*leaves)


def mean_with(scale):
    """An oracle: the mean of gradients, each multiplied by what `scale(gradient, limit)` gives for each leaf."""

    def mean(which, params, xs, ys, limit):
        params = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
        found = gradients(which, params, np.asarray(xs, np.float64), np.asarray(ys, np.float64))
        scaled = [[f * leaf for f, leaf in zip(scale(each, limit), each, strict=True)] for each in found]
        return like(which, [np.mean(leaves, axis=0) for leaves in zip(*scaled, strict=True)])

    return mean


def length(leaves):
    """The Euclidean length of all leaves together."""
    return math.sqrt(sum(float(np.sum(leaf**2)) for leaf in leaves))


def shorter(size, limit):
    """The factor that clips a length to a limit."""
    return limit / max(size, limit)


def divided(limit, size):
    """A quotient that is not a number where both are 0, as in NumPy and JAX."""
    return limit / size if size else math.nan


clip = mean_with(lambda each, limit: [shorter(length(each), limit)] * len(each))


def clip_of_the_mean(which, params, xs, ys, limit):
    """The mistake: the mean is clipped, not the gradients."""
    mean = mean_with(lambda each, _: [1.0] * len(each))(which, params, xs, ys, limit)
    factor = shorter(length(jax.tree.leaves(mean)), limit)
    return jax.tree.map(lambda leaf: factor * leaf, mean)


def sum_of_clipped(which, params, xs, ys, limit):
    """The mistake: a sum in place of the mean."""
    return jax.tree.map(lambda leaf: len(xs) * leaf, clip(which, params, xs, ys, limit))


def clip_by_the_batch(which, params, xs, ys, limit):
    """The mistake: one length, of the gradients of all examples together."""
    params64 = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), params)
    found = gradients(which, params64, np.asarray(xs, np.float64), np.asarray(ys, np.float64))
    factor = shorter(length([leaf for each in found for leaf in each]), limit)
    return mean_with(lambda each, _: [factor] * len(each))(which, params, xs, ys, limit)


def losses(rng, sizes):
    """The arguments of one call, with gradients above and below the limit."""
    which, n = sizes
    xs = inputs.array(rng, (n, 2), "float32")
    if which == "squares":
        params = {"w": inputs.array(rng, (2, 2), "float32"), "b": inputs.array(rng, 2, "float32")}
        ys = inputs.array(rng, (n, 2), "float32")
    else:
        params = inputs.array(rng, 2, "float32"), np.asarray(rng.uniform(-1, 1), np.float32)
        ys = inputs.array(rng, n, "float32") + np.float32(0.125)  # their sum is not 0
    lengths = [length(each) for each in gradients(which, params, xs, ys)]
    limit = float(rng.uniform(0.6, 1.6) * np.median([size for size in lengths if size] or [1.0]))
    return which, params, xs, ys, limit


def edges(rng):
    """One example; lengths that are exactly the limit, 0, all shorter, or wild; and targets that are whole numbers."""
    xs, w, b = np.array([[3, 4], [6, 8], [0.3, 0.4]], np.float32), np.ones(2, np.float32), np.float32(2)
    ones, zero = np.ones(3, np.float32), np.array([1, 0, 2], np.float32)
    for ys, limit in ((ones, 5.0), (ones, 100.0), (ones, 7.0), (zero, 0.1)):
        yield "bare", w, xs, ys, limit
    yield "linear", (w, b), xs, zero, 2.0
    yield "linear", (w, b), xs, 1000 * zero, 1.0
    yield "bare", w, xs, zero * np.float32(2.0**-40), 2.0**-41
    yield "picked", np.ones((2, 2), np.float32), xs[:2], np.array([1, 0], np.int32), 2.0
    yield losses(rng, ("squares", 1))


def of_the_structure(result, which, params, xs, ys, limit):
    """The result, where it has the structure and the shapes of the parameters."""
    require(jax.tree.map(np.shape, params) == jax.tree.map(np.shape, result), "wrong-structure")
    return result


MISTAKES = {
    "clipped-the-mean": clip_of_the_mean,
    "not-clipped": mean_with(lambda each, limit: [1.0] * len(each)),
    "each-leaf": mean_with(lambda each, limit: [shorter(length([leaf]), limit) for leaf in each]),
    "each-element": mean_with(
        lambda each, limit: [np.clip(leaf, -limit, limit) / np.where(leaf == 0, 1, leaf) for leaf in each]
    ),
    "scaled-up": [
        mean_with(lambda each, limit: [divided(limit, length(each))] * len(each)),
        mean_with(lambda each, limit: [limit / length(each) if length(each) else 1.0] * len(each)),
    ],
    "dropped": mean_with(lambda each, limit: [float(length(each) <= limit)] * len(each)),
    "zero-gradient": mean_with(
        lambda each, limit: [shorter(length(each), limit) if length(each) else math.nan] * len(each)
    ),
    "sum-not-mean": sum_of_clipped,
    "length-of-the-batch": clip_by_the_batch,
    "squared-length": [
        mean_with(lambda each, limit: [shorter(length(each) ** 2, limit)] * len(each)),
        mean_with(lambda each, limit: [limit / length(each) if length(each) ** 2 > limit else 1.0] * len(each)),
    ],
    "length-of-one-norm": mean_with(
        lambda each, limit: [shorter(sum(length([leaf]) for leaf in each), limit)] * len(each)
    ),
}

WORDS = """
hint: Write it for one example. You need its gradient, the length over all leaves, and a factor that is 1 for short
    ones.
hint: `jax.tree.leaves(gradient)` for the length, and `jax.tree.map` for the factor. Then `vmap`, then the mean.
hint: `limit / jnp.maximum(limit, length)` never divides by 0.
axes-clash: `vmap` goes through all mapped axes in step. Yours differ in length, or one is missing. `params` and `limit`
    have no axis for the examples, so share them.
clipped-the-mean: You clipped the mean. By then a wild example has done its work. Clip each gradient before you take the
    mean.
not-clipped: You returned the plain mean of the gradients. None of them was clipped.
each-leaf: You clipped each leaf by its own length. The length is that of all leaves of one gradient together.
each-element: You cut off each element at the limit, which changes the gradient's direction. Scale the whole gradient by
    one factor.
scaled-up: You brought all gradients to the length `limit`. Leave those that are shorter as they are.
dropped: You left out the gradients above the limit. Scale them down to it.
zero-gradient: You turned a gradient that is 0 everywhere into NaN. Its length is 0, and you divide by it.
sum-not-mean: You clipped the gradients as you should, and then added them. Take their mean.
length-of-the-batch: You took one length, over all examples together. Each example has its own.
squared-length: You compared the square of the length with the limit. Take the root.
length-of-one-norm: You added the lengths of the leaves. The length of all together is the root of the sum of their
    squares.
wrong-structure: Your result should have the structure of `params`, leaf by leaf with the same shapes.
wrong-value: Your result is not the mean of the clipped gradients.
"""

clip_each = declare(
    "clip-each",
    points=3,
    see="a-gradient-each",
    steps=[
        Agrees(
            clip,
            losses,
            [("squares", 2), ("linear", 3)],
            each=2,
            extremes=edges,
            ask=clipped_mean,
            reads=of_the_structure,
            mistakes=MISTAKES,
            raising={"axes-clash": axes_clash},
            shows="clip_each(loss, params, xs, ys, limit)",
            rtol=1e-4,
        )
    ],
    words=WORDS,
)
