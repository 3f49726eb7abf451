"""hessian-times-vector."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import always, float32


@probe.question(evidence="values")
def product_found(student_function, params, direction, weights, unit):
    """The products at two places as vectors, or what they are instead."""

    height, root = np.float32(unit) * weights, np.float32((unit / 2) ** 0.5) * weights

    def loss(params):
        v = jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(params)])
        return height @ jnp.cos(v) + (root @ v) ** 2

    facts = {"same": True, "pair": False, "tuple": False, "number": False, "vectors": []}
    for sign in (1, -40):
        at = probe.on_device(jax.tree.map(lambda x, sign=sign: np.asarray(sign * x), params))
        along = probe.on_device(jax.tree.map(np.asarray, direction))
        result = student_function(loss, at, along)
        form, shapes = jax.tree.structure(result), jax.tree.map(jnp.shape, result)
        facts["same"] &= form == jax.tree.structure(at) and shapes == jax.tree.map(jnp.shape, at)
        facts["pair"] |= form == jax.tree.structure((at, at))
        facts["tuple"] |= form == jax.tree.structure((at,))
        facts["number"] |= form == jax.tree.structure(0) and jnp.shape(result) == ()
        if facts["same"]:
            facts["vectors"].append(np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(result)]))
    return facts


def largest_made(student_function, params, direction):
    """The number of elements of the largest array in the answer's jaxpr."""

    def loss(params):
        v = jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(params)])
        return jnp.sum(jnp.cos(v)) + 0.5 * jnp.sum(v) ** 2

    program = insides.read(lambda p, d: student_function(loss, p, d), params, direction)
    made = [value for equation in program.everything for value in equation.outputs]
    return max((value.size for value in (*made, *program.constants)), default=0)


def in_a_row(tree):
    """A pytree as one vector in float64."""
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(tree)]).astype(np.float64)


def multiplied(v, d, w):
    """The oracle: the Hessian is w w' minus the diagonal of w cos(v)."""
    return w * (w @ d) - w * np.cos(v) * d


def leaf_by_leaf(params, v, d, w):
    """The product with the blocks of each leaf with itself."""
    leaf = np.concatenate([[place] * np.size(x) for place, x in enumerate(jax.tree.leaves(params))])
    matrix = np.where(leaf[:, None] == leaf, np.outer(w, w), 0)
    return matrix @ d - w * np.cos(v) * d


def trees(rng, shapes):
    """A place and a direction of one structure."""
    return [
        jax.tree.map(lambda shape: float32(rng, shape), shapes, is_leaf=lambda node: type(node) is tuple)
        for _ in range(2)
    ]


def drawn_directions(rng):
    """Places, directions and weights: a dictionary, a list with a dictionary in it, and a bare array."""
    for shapes in ({"b": (2, 2), "a": ()}, [(3,), {"c": (1, 2)}], (5,)):
        yield *trees(rng, shapes), float32(rng, 5, 0.2, 1.0)


def _judge_products(got, want, cases):
    gradients = [w * (w @ v) - w * np.sin(v) for v, _, w in cases]
    refuse(always(got, gradients, want, rtol=1e-4), "gradient-only")
    products = [gradient * d for gradient, (_, d, _) in zip(gradients, cases, strict=True)]
    refuse(always(got, products, want, rtol=1e-4), "gradient-times-direction")
    squared = [gradient * (gradient @ d) for gradient, (_, d, _) in zip(gradients, cases, strict=True)]
    refuse(always(got, squared, want, rtol=1e-4), "gradient-squared")
    steps = [w * (w @ d) - w * (np.sin(v + d) - np.sin(v)) for v, d, w in cases]
    refuse(always(got, steps, want, rtol=1e-4), "whole-step")
    elsewhere = [w * (w @ d) - w * np.sin(d) for _, d, w in cases]
    refuse(always(got, elsewhere, want, rtol=1e-4), "gradient-at-the-direction")
    sums = [multiplied(v, np.ones_like(d), w) * d for v, d, w in cases]
    refuse(always(got, sums, want, rtol=1e-4), "rows-added-up")
    diagonal = [(w**2 - w * np.cos(v)) * d for v, d, w in cases]
    refuse(always(got, diagonal, want, rtol=1e-4), "diagonal-only")


def products_without_a_matrix(answer, rng):
    """The products, in the structure of the parameters, and no matrix on the way.

    A function, since one call answers for several directions, whose trees are compared as vectors.
    """
    drawn = list(drawn_directions(rng))
    found = [answer.probe(product_found, *case, 1.0) for case in drawn]
    answer.called = "hessian_times_vector(loss, params, direction)"
    refuse(any(facts["pair"] for facts in found), "both-returned")
    refuse(any(facts["tuple"] for facts in found), "still-in-a-tuple")
    refuse(any(facts["number"] for facts in found), "one-number")
    require(all(facts["same"] for facts in found), "other-structure")
    got = [numbers(vector) for facts in found for vector in facts["vectors"]]
    cases = [(sign * in_a_row(p), in_a_row(d), np.asarray(w, float)) for p, d, w in drawn for sign in (1, -40)]
    want = [multiplied(*case) for case in cases]
    _judge_products(got, want, cases)
    twice = [params for params, _, _ in drawn for _ in range(2)]
    own = [leaf_by_leaf(params, *case) for params, case in zip(twice, cases, strict=True)]
    refuse(always(got, own, want, rtol=1e-4), "leaf-by-leaf")
    for mine, true in zip(got, want, strict=True):
        expect(mine, true, "wrong-value", rtol=1e-4)
    (at, along, weights), unit = drawn[0], 1e-6
    along = jax.tree.map(lambda leaf: np.asarray(leaf * np.float32(unit)), along)
    facts = answer.probe(product_found, at, along, weights, unit)
    answer.called = "hessian_times_vector(lambda params: 1e-6 * loss(params), params, a short direction)"
    expect(facts["vectors"][0], unit * unit * want[0], "other-unit", rtol=1e-4)
    nowhere = jax.tree.map(np.zeros_like, along)
    facts = answer.probe(product_found, at, nowhere, weights, 1.0)
    answer.called = "hessian_times_vector(loss, params, a direction of zeros)"
    refuse(np.isnan(facts["vectors"][0]).any(), "zero-direction")
    expect(facts["vectors"][0], 0 * want[0], "zero-direction")
    for shapes, n in (({"w": (10, 9), "b": (10,)}, 100), ((130,), 130)):
        largest = answer.probe(largest_made, *trees(rng, shapes))
        answer.called = "hessian_times_vector(loss, params, direction)"
        refuse(largest >= n * n, "matrix-made", n=n, largest=largest, entries=n * n)


WORDS = """
hint: The Hessian is the Jacobian of the gradient. What multiplies by a Jacobian without making it?
hint: `jax.jvp(jax.grad(loss), ...)`: with tuples, and it returns a pair.
gradient-only: You returned the gradient. Take its derivative along `direction`.
gradient-times-direction: You multiplied the gradient by the direction, element by element. A product with the
    Hessian mixes the elements.
gradient-squared: You multiplied the gradient by its slope along `direction`. The Hessian is the derivative of the
    gradient.
whole-step: You returned the change of the gradient over the whole of `direction`. Take its derivative instead.
gradient-at-the-direction: You returned the gradient at `direction`. The direction is a tangent, and `params` is the
    place.
rows-added-up: Your rows of the Hessian were added up before they met the direction. In each row, every entry has
    its own factor.
diagonal-only: You used only the diagonal of the Hessian. Each number has a second derivative with every other one.
both-returned: A pair came back. `jvp` returns a value and its tangent, and `value_and_grad` also makes pairs:
    return only the product.
still-in-a-tuple: A tuple with one entry came back. `vjp` gives one entry for each argument: take it out of the
    tuple.
one-number: One number came back. The product of a matrix and a vector is a vector, here in the form of `params`.
other-structure: Your result should have the structure of `params`, and the same shapes.
leaf-by-leaf: You multiplied each leaf by its own block. The Hessian also has blocks between the leaves.
wrong-value: Your leaves are not those of the Hessian times the direction.
other-unit: Your result is off if the direction and the loss are a millionth. Do you add something of a fixed size,
    or keep the program of the other loss?
zero-direction: Your result is not zeros, but the Hessian times zeros is. Do you divide by the length of the
    direction?
matrix-made: Your product is right, but for {n} parameters there is an array of {largest} elements on the way. The
    Hessian, with its {entries}, was made, or something as large.
"""

hessian_times_vector = declare(
    "hessian-times-vector",
    points=2,
    see="which-way",
    steps=[products_without_a_matrix],
    words=WORDS,
)
