"""gradient-step."""

import collections
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, at_once, declare, refuse, require
from jaxcourse.exercise import refuse_nothing

from ._lesson import FLOAT32


def stepped_down(student_function, cases):
    """The leaves after a step on a loss of known gradient, for several pytrees, and what became of each."""
    pair = collections.namedtuple("Line", "slope offset")

    @jax.jit  # one program for each structure, and not one for each operation and shape
    def loss_of(weight, params):
        parts = jax.tree.leaves(params)
        total = sum(jnp.sum(part) for part in parts)
        terms = sum(jnp.sum((i + 1) * part**2 / 2 + jnp.cos(part)) for i, part in enumerate(parts))
        return weight * (terms + total**2 / 8)

    facts, losses = [], {}
    for structure, leaves, weight, rate in cases:
        loss = losses.setdefault(weight, functools.partial(loss_of, weight))
        a, b, c, backwards = probe.on_device([*leaves, leaves[0][::-1]])
        p, q = map(np.array, leaves[:2])  # arrays of NumPy, which could be written into
        trees = {
            "an array": a,
            "a named tuple": pair(a, b),
            "a tuple of NumPy arrays": (p, q),
            "a nested dictionary": {"layers": [(a, b), (c,)], "scale": {"y": a, "x": backwards}},  # JAX sorts names
            "a list": [c, a],
        }
        params = trees[structure]
        given, known = [np.array(leaf) for leaf in jax.tree.leaves(params)], jax.tree.structure(params)
        result = student_function(loss, params, rate)
        found = jax.tree.leaves(result)
        mine = jax.tree.leaves(params)
        facts.append(
            {
                "nothing": result is None,
                "same": jax.tree.structure(result) == known,
                "kept": all(np.array_equal(*pair) for pair in zip(mine, given, strict=True)),
                "leaves": [np.array(leaf) for leaf in found],
                "dtypes": [str(getattr(leaf, "dtype", type(leaf).__name__)) for leaf in found],
            }
        )
    return facts


def flat(structure, leaves):
    """The leaves of a pytree in the order in which JAX goes through them, which is that of sorted names."""
    a, b, c = (leaf.astype(np.float64) for leaf in leaves)
    return {
        "an array": [a],
        "a named tuple": [a, b],
        "a tuple of NumPy arrays": [a, b],
        "a nested dictionary": [a, b, c, a[::-1], a],
        "a list": [c, a],
    }[structure]


def slopes_at(leaves, weight):
    """The gradient of the loss, by hand: each leaf depends on the sum of all."""
    total = sum(float(p.sum()) for p in leaves)
    return [weight * ((i + 1) * p - np.sin(p) + total / 4) for i, p in enumerate(leaves)]


def of_flat(move):
    """What comes of a move of flat leaves, for a pytree of some structure."""
    return lambda structure, leaves, weight, rate: move(flat(structure, leaves), weight, rate)


def down(leaves, weight, rate):
    """A step from each leaf, in double precision."""
    return [p - rate * g for p, g in zip(leaves, slopes_at(leaves, weight), strict=True)]


def stepped(params, leaves, weight, rate):
    """The oracle."""
    return of_flat(down)(params, leaves, weight, rate)


def one_by_one(leaves, weight, rate):
    """Steps of one leaf after the other, with a new gradient for each."""
    leaves = list(leaves)
    for i in range(len(leaves)):
        leaves[i] = leaves[i] - rate * slopes_at(leaves, weight)[i]
    return leaves


def with_slopes(change):
    """A mistake of each leaf alone, of which the leaf, its slope and the rate are known."""

    def mistaken(leaves, weight, rate):
        return [change(p, g, rate) for p, g in zip(leaves, slopes_at(leaves, weight), strict=True)]

    return of_flat(mistaken)


def normalised(leaves, weight, rate):
    length = math.sqrt(sum(float((g**2).sum()) for g in slopes_at(leaves, weight))) or 1.0
    return down(leaves, weight, rate / length)


MISTAKES = {
    "uphill": with_slopes(lambda p, g, rate: p + rate * g),
    "rate-forgotten": with_slopes(lambda p, g, rate: p - g),
    "gradient-only": with_slopes(lambda p, g, rate: g),
    "step-only": with_slopes(lambda p, g, rate: -rate * g),
    "normalised": of_flat(normalised),
    "two-steps": of_flat(lambda leaves, weight, rate: down(down(leaves, weight, rate), weight, rate)),
    "one-leaf-after-another": of_flat(one_by_one),
}


def some_steps(rng):
    """Steps in pytrees of several structures, on losses in several units."""
    cases, units = [], ((1, 1.0, 1), (1, 1.0, 1), (1, 1e4, 1), (1, 1e-6, 1e5), (1e4, 1.0, 1))
    for structure in ("an array", "a named tuple", "a tuple of NumPy arrays", "a nested dictionary", "a list"):
        calls = []
        for unit, weight, more in units:
            leaves = [rng.normal(0, 2 * unit, shape).astype(np.float32) for shape in [(3,), (), (2, 4)]]
            calls.append((leaves, weight, float(more * rng.uniform(0.05, 0.4))))
        calls[1] = (*calls[1][:2], calls[0][2])  # the same loss and rate, at another place
        calls[-1] = (*calls[-1][:2], 2)
        cases += [(structure, *call) for call in calls]
    return cases


def leaves_of(facts, params, leaves, weight, rate):
    """The leaves that came back, in their pytree."""
    refuse_nothing(facts["nothing"])
    require(facts["same"], "structure-lost", structure=params)
    odd = next((dtype for dtype in facts["dtypes"] if dtype != "float32"), "")
    refuse(odd, "dtype-lost", odd=odd)
    require(facts["kept"], "changed-input", structure=params)
    return facts["leaves"]


def fails_for_its_tree(error):
    """Whether an answer failed for a pytree; what fails for one array fails for another reason."""
    return error.case[0] != "an array" and error.among({"TypeError", "AttributeError"})


WORDS = """
hint: Which structure does `jax.grad(loss)(params)` have?
hint: `jax.tree.map(lambda p, g: ..., params, gradient)`
uphill: You went up. The gradient points to where the loss grows: subtract it.
rate-forgotten: You subtracted the whole gradient. Multiply it by the rate.
gradient-only: You returned the gradient. Subtract it, times the rate, from the parameters.
step-only: You returned the step alone. Add it to the parameters.
normalised: You divided the gradient by its length. A step of gradient descent is the rate times the gradient.
two-steps: You took two steps, one after the other. Take one.
one-leaf-after-another: Your step is right for one array. With several, you moved one and took a new gradient for
    the next: take one gradient for all.
not-any-tree: Your step ran for one array, and not for these parameters. Do you use `jax.tree.map`, and
    nothing that a NumPy array lacks, such as `.at`?
structure-lost: Your parameters came back in another structure, and the loss needs the old one: {structure}.
dtype-lost: Your step turned `float32` into `{odd}`. Keep the dtype.
changed-input: Your step wrote into the parameters that came in, or donated them, and the caller has lost the old
    ones. Return new arrays. They came in {structure}.
wrong-value: Your result is off. Each leaf becomes the leaf minus the rate times its gradient.
"""

gradient_step = declare(
    "gradient-step",
    see="a-loss",
    steps=[
        Agrees(
            stepped,
            extremes=some_steps,
            ask=at_once(stepped_down),
            reads=leaves_of,
            shows="gradient_step(loss, params, rate)",
            mistakes=MISTAKES,
            raising={"not-any-tree": fails_for_its_tree},
            rtol=FLOAT32,
        )
    ],
    words=WORDS,
)
