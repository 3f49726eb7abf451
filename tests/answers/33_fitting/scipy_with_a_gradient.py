"""Answers to scipy-with-a-gradient."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize
from jax.flatten_util import ravel_pytree

from jaxcourse.exercise import equivalent, right, wrong


def as_vector(loss, start):
    """A loss of a vector, its start in double precision, and what makes a pytree of a vector."""
    flat, restore = ravel_pytree(start)
    return lambda vector: loss(restore(vector)), np.asarray(flat, np.float64), restore


def guided(loss, start, **how):
    """SciPy's report with a gradient, and what makes a pytree of a vector."""
    of_vector, begin, restore = as_vector(loss, start)
    return scipy.optimize.minimize(jax.jit(jax.value_and_grad(of_vector)), begin, jac=True, **how), restore


@wrong("scipy-with-a-gradient", "stayed-at-the-start")
def as_the_colleague_did(loss, start):
    flat, restore = ravel_pytree(start)
    begin = np.asarray(flat, np.float64)
    flat_loss = jax.jit(lambda vector: loss(restore(vector)))
    return restore(scipy.optimize.minimize(flat_loss, begin).x)


@right("scipy-with-a-gradient")
def with_a_function_of_its_own(loss, start):
    of_vector, begin, restore = as_vector(loss, start)
    slope = jax.jit(jax.grad(of_vector))

    def gradient(p):
        return np.asarray(slope(p), np.float64)

    return restore(scipy.optimize.minimize(jax.jit(of_vector), begin, jac=gradient, method="L-BFGS-B").x)


@right("scipy-with-a-gradient")
def flattens_by_hand(loss, start):
    leaves, tree = jax.tree.flatten(start)
    ends = np.cumsum([leaf.size for leaf in leaves])[:-1]

    def restore(vector):
        parts = [part.reshape(leaf.shape) for part, leaf in zip(jnp.split(vector, ends), leaves, strict=True)]
        return jax.tree.unflatten(tree, parts)

    def both(vector):
        value, slopes = jax.value_and_grad(loss)(restore(jnp.asarray(vector, jnp.float32)))
        return float(value), np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(slopes)]).astype(np.float64)

    begin = np.concatenate([np.ravel(leaf) for leaf in leaves]).astype(np.float64)
    return restore(jnp.asarray(scipy.optimize.minimize(both, begin, jac=True).x, jnp.float32))


@right("scipy-with-a-gradient")
def in_double_precision(loss, start):
    with (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(True):
        wide = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float64), start)
        of_vector, begin, restore = as_vector(loss, wide)
        found = restore(jnp.asarray(scipy.optimize.minimize(jax.jit(of_vector), begin).x))
        return jax.tree.map(lambda leaf: np.asarray(leaf, np.float32), found)


@wrong("scipy-with-a-gradient", "stayed-at-the-start")
def gradient_turned_round(loss, start):
    of_vector, begin, restore = as_vector(loss, start)
    return restore(scipy.optimize.minimize(of_vector, begin, jac=lambda p: -jax.grad(of_vector)(p)).x)


@wrong("scipy-with-a-gradient", "stayed-at-the-start")
def only_a_smaller_tolerance(loss, start):
    of_vector, begin, restore = as_vector(loss, start)
    return restore(scipy.optimize.minimize(jax.jit(of_vector), begin, tol=1e-12).x)


@wrong("scipy-with-a-gradient", "changed-input")
def writes_into_the_start(loss, start):
    found, restore = guided(loss, start)
    for name, part in restore(found.x).items():
        start[name] = np.asarray(part)
    return start


@wrong("scipy-with-a-gradient", "whole-report")
def returns_the_report(loss, start):
    return guided(loss, start)[0]


@wrong("scipy-with-a-gradient", "structure-lost")
def returns_the_vector(loss, start):
    return guided(loss, start)[0].x


@wrong("scipy-with-a-gradient", "structure-lost")
def returns_the_leaves(loss, start):
    found, restore = guided(loss, start)
    return jax.tree.leaves(restore(found.x))


@wrong("scipy-with-a-gradient", "structure-lost")
def makes_vectors_of_all_leaves(loss, start):
    found, restore = guided(loss, start)
    return jax.tree.map(jnp.atleast_1d, restore(found.x))


@wrong("scipy-with-a-gradient", "not-there-yet")
def gives_up_early(loss, start):
    found, restore = guided(loss, start, options={"maxiter": 1})
    return restore(found.x)


@wrong("scipy-with-a-gradient", "not-there-yet")
def takes_a_longer_step(loss, start):
    of_vector, begin, restore = as_vector(loss, start)
    return restore(scipy.optimize.minimize(jax.jit(of_vector), begin, options={"eps": 1e-3}).x)


@right("scipy-with-a-gradient")
def twice_the_gradient(loss, start):
    """What is asked for are the parameters: a quasi-Newton method learns the scale of the gradients that it gets."""
    of_vector, begin, restore = as_vector(loss, start)
    slope = jax.jit(jax.grad(of_vector))
    found = scipy.optimize.minimize(jax.jit(of_vector), begin, jac=lambda p: 2 * np.asarray(slope(p), np.float64))
    return restore(found.x)


equivalents = [
    equivalent(
        "scipy-with-a-gradient",
        "`np.asarray(flat, np.float64)`  ->  `flat`",
        "SciPy makes 64-bit numbers of what it begins with",
    ),
    equivalent(
        "scipy-with-a-gradient",
        "`np.asarray(flat, np.float64)`  ->  `np.asarray(flat)`",
        "SciPy makes 64-bit numbers of what it begins with",
    ),
    equivalent(
        "scipy-with-a-gradient", "`np.float64`  ->  `np.float32`", "SciPy makes 64-bit numbers of what it begins with"
    ),
    equivalent("scipy-with-a-gradient", "`begin`  ->  `flat`", "SciPy makes 64-bit numbers of what it begins with"),
    equivalent(
        "scipy-with-a-gradient",
        "`jax.jit(jax.value_and_grad(lambda vector: loss(restore(vector))))`"
        "  ->  `jax.value_and_grad(lambda vector: loss(restore(vector)))`",
        "slower, and the text asks for no program",
    ),
]


@wrong("scipy-with-a-gradient", "stayed-at-the-start")
def leaves_the_curvature_to_differences(loss, start):
    report, restore = guided(loss, start, method="Newton-CG", tol=1e-9)
    return restore(jnp.asarray(report.x))
