"""scipy-with-a-gradient: where a loss of a pytree is smallest, by SciPy, which takes vectors and wants a gradient."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import is_close


def packed(vector):
    """A vector as a pytree of arrays, whose names are not in the order in which JAX goes through them."""
    parts = {"weights": vector[:-1], "bias": vector[-1]} if len(vector) > 1 else {"rate": vector[0]}
    return {name: np.array(part) for name, part in parts.items()}


def minimised(student_function, kind, goal, scale, start):
    """Where a minimisation of a loss that is named ends, and what it returns, for a pytree that is a dictionary."""
    names, (goal, scale) = list(start), probe.on_device((goal, scale))

    def joined(tree):
        return jnp.concatenate([jnp.atleast_1d(tree[name]) for name in names])

    def loss(params):
        p = joined(params)
        if kind == "bowl":
            return jnp.sum(scale * (p - goal) ** 2)
        if kind == "softplus":
            return jnp.sum(jnp.log(jnp.exp(p - goal) + jnp.exp(goal - p)))
        return jnp.sum(scale * (p - goal) ** 2) + jnp.sum(p - goal) ** 2 + 5.0

    mine = {name: np.array(part) for name, part in start.items()}
    result = student_function(loss, mine)
    same = jax.tree.structure(result) == jax.tree.structure(start)
    same = same and all(np.shape(result[name]) == np.shape(start[name]) for name in names)
    return {
        "type": type(result).__name__,
        "same": same,
        "values": np.array(joined(result), np.float64) if same else np.zeros(0),
        "kept": all(np.array_equal(mine[name], start[name]) for name in names),
    }


def described(start):
    """The pytree of a start as a short text."""
    return {name: np.round(part, 3).tolist() for name, part in packed(start).items()}


def is_near(got, goal):
    return float(np.abs(got - goal).max() / np.abs(goal).max()) < 0.01


def comes_to_the_minimum(answer, rng):
    """A fit that comes near the minimum, whatever the units of its parameters.

    A function, since whether a fit stayed where it began is seen in several of them together, and each may end
    anywhere near.
    """
    found = []
    cases = [
        ("bowl", 3, 1),
        ("softplus", 2, 1),
        ("coupled", 3, 1),
        ("bowl", 1, 300),
        ("coupled", 3, 1000),
        ("bowl", 3, 0.02),
        ("coupled", 12, 1),  # its curvatures differ a thousandfold: it takes more than a few steps
        ("bowl", 3, 1e8, 1e-4),  # parameters that are small, or large: the last two
        ("coupled", 3, 1, 1e4),
    ]
    for kind, size, steep, *units in cases:
        unit = units[0] if units else 1.0
        goal = (unit * rng.uniform(1, 3, size) * rng.choice([-1, 1], size)).astype(np.float32)
        curvatures = np.geomspace(0.05, 50, size) if size == 12 else rng.uniform(0.5, 5, size)
        scale = (steep * curvatures).astype(np.float32)
        away = rng.uniform(1.3, 1.5, size) if kind == "softplus" else rng.uniform(0.5, 1.5, size)  # Newton runs away
        start = (goal + unit * rng.choice([-1, 1], size) * away).astype(np.float32)
        facts = answer.probe(minimised, kind, goal, scale, packed(start))
        answer.called = f"scipy_with_a_gradient({kind}, {described(start)})"
        refuse(facts["type"] == "OptimizeResult", "whole-report")
        require(facts["same"], "structure-lost", leaves=list(packed(start)), type=facts["type"])
        require(facts["kept"], "changed-input")
        found.append((answer.called, facts["values"], goal, start))
    stayed = [called for called, got, _, start in found[:-2] if is_close(got, start, rtol=1e-3)]
    answer.called = stayed[0] if stayed else answer.called
    refuse(len(stayed) >= 2, "stayed-at-the-start")
    for answer.called, got, goal, _ in found[:-2]:
        require(is_near(got, goal), "not-there-yet")
    for answer.called, got, goal, _ in found[-2:]:
        require(is_near(got, goal), "not-there-yet/2")


WORDS = """
hint: What does SciPy lack? `scipy.optimize.minimize` takes the gradient as a function, `jac=`.
hint: `jac=True` says that the function itself returns the value and the gradient: `jax.value_and_grad` of the loss
    of a vector.
whole-report: You returned SciPy's whole report. The vector of parameters is its `x`.
structure-lost: Your result, a `{type}`, does not have the structure and shapes of `start`, a pytree with the leaves
    {leaves}. `restore` turns a vector into such a pytree.
changed-input: You changed `start`, which belongs to the caller. Work on a copy.
stayed-at-the-start: Your fit ends where it began. Without a derivative, SciPy takes differences over a step that a
    `float32` does not notice. With a wrong gradient, it finds no way down.
not-there-yet: Your fit ended elsewhere: it should come within 1 % of the minimum, measured by its largest
    parameter.
not-there-yet/2: Your fit finds parameters of about 1, but not these, of about 0.0001 or 10000. Is a step or
    tolerance fixed? Or did `jax.scipy` give up? Pass SciPy the gradient.
"""

scipy_with_a_gradient = declare(
    "scipy-with-a-gradient",
    see="success",
    steps=[comes_to_the_minimum],
    words=WORDS,
)
