"""hessian-as-matrix."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse
from jaxcourse.exercise import is_close, numbers

from ._lesson import float32

ASKED = ((1.0, 1), (1.0, -40), (1e-6, 1))
"""Units of the loss and signs of its parameters, asked in this order."""


@probe.question(evidence="values")
def matrix_found(student_function, params, mixing, pitch, asked):
    """The Hessians that an answer gives for a loss of which all is known, or the type of what came back."""

    @jax.jit
    def total(params, half, height):  # one program for all units, so that a verdict compiles little
        v = jnp.concatenate([jnp.ravel(params[key]) for key in sorted(params)])
        return v @ (half @ v) + height @ jnp.cos(pitch * v)

    results = []
    for unit, sign in asked:
        half, height = np.float32(unit / 2) * mixing, np.full(len(pitch), unit, np.float32)
        at = {key: probe.on_device(np.asarray(sign * value)) for key, value in params.items()}  # a tree would sort
        results.append(student_function(lambda params, half=half, height=height: total(params, half, height), at))
    if isinstance(results[0], dict):
        return {"type": "dict"}
    return {"type": type(results[0]).__name__, "matrices": results}


def second_derivatives(params, mixing, pitch):
    """The oracle: of half of v M v, and of the sum of cos(pitch v)."""
    v = np.concatenate([np.ravel(params[key]) for key in sorted(params)]).astype(np.float64)
    mixing, pitch = np.asarray(mixing, np.float64), np.asarray(pitch, np.float64)
    return (mixing + mixing.T) / 2 - np.diag(pitch**2 * np.cos(pitch * v))


def places(params):
    """For each number, in the order of the keys as written, its place in the sorted order; and its key."""
    keys = np.concatenate([[key] * np.size(params[key]) for key in sorted(params)])
    return np.concatenate([np.flatnonzero(keys == key) for key in params]), keys


def drawn_losses(rng):
    """Dictionaries whose keys are not sorted, with arrays of every rank, and one with a single number."""
    all_shapes = [
        {"width": (2, 2), "height": (), "centre": (2, 3)},
        {"t": (1,)},
    ]
    for shapes in all_shapes:
        params = {key: float32(rng, shape) for key, shape in shapes.items()}
        n = sum(np.size(value) for value in params.values())
        yield params, float32(rng, (n, n)), float32(rng, n, 0.5, 1.5)


def _judge_order(got, want, params):
    if got.shape != want.shape or len(want) == 1:
        return
    order, keys = places(params)
    refuse(not is_close(got, want) and is_close(got, want[np.ix_(order, order)], rtol=1e-3), "not-sorted")
    own = np.where(keys[:, None] == keys, want, 0)
    refuse(is_close(got, own, rtol=1e-3), "own-blocks-only")
    refuse(is_close(got, np.diag(np.diag(want)), rtol=1e-3), "diagonal-only")
    refuse(is_close(got @ want, np.eye(len(want)), rtol=1e-2), "inverted")


def _judge_other_matrices(got, want, params, mixing, pitch):
    if got.shape != want.shape or len(want) == 1:
        return
    v = np.concatenate([np.ravel(params[key]) for key in sorted(params)]).astype(np.float64)
    mixing, pitch = np.asarray(mixing, np.float64), np.asarray(pitch, np.float64)
    gradient = (mixing + mixing.T) @ v / 2 - pitch * np.sin(pitch * v)
    refuse(is_close(got, np.outer(gradient, gradient), rtol=1e-3), "gradient-squared")
    _, keys = places(params)
    ends = [np.flatnonzero(keys == key) for key in sorted(params)]
    piled = np.concatenate([want[np.ix_(a, b)].ravel() for a in ends for b in ends]).reshape(want.shape)
    refuse(not is_close(got, want, rtol=1e-4) and is_close(got, piled, rtol=1e-3), "blocks-piled-up")
    by_column = [places_by_column(np.shape(params[key])) + a[0] for key, a in zip(sorted(params), ends, strict=True)]
    by_column = np.concatenate(by_column)
    turned = want[np.ix_(by_column, by_column)]
    refuse(not is_close(got, want, rtol=1e-4) and is_close(got, turned, rtol=1e-3), "column-by-column")


def places_by_column(shape):
    """Where the elements of an array, taken column by column, stand when it is taken row by row."""
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).ravel(order="F")


def one_matrix(answer, rng):
    """The Hessian in one matrix, in the order of the sorted keys.

    A function, since one call answers for several losses, and each mistake is known by a single matrix of several
    entries.
    """
    cases = list(drawn_losses(rng))
    found = []
    for params, *rest in cases:
        facts = answer.probe(matrix_found, params, *rest, ASKED[: 2 + (not found)])
        found.append(facts)
        wants = [second_derivatives({key: sign * v for key, v in params.items()}, *rest) for sign in (1, -40)]
        answer.called = "hessian_as_matrix(loss, {" + ", ".join(f"'{k}': float32{v.shape}" for k, v in params.items())
        answer.called += "})"
        refuse(facts["type"] == "dict", "blocks")
        for got, want, sign in zip(map(numbers, facts["matrices"]), wants, (1, -40), strict=False):
            refuse(got.ndim == 1 and got.size == len(want), "one-row")
            _judge_order(got, want, params)
            _judge_other_matrices(got, want, {key: sign * v for key, v in params.items()}, *rest)
            expect(got, want, "wrong-value", rtol=1e-4)
    answer.called = "hessian_as_matrix(lambda params: 1e-6 * loss(params), params)"
    expect(found[0]["matrices"][2], 1e-6 * second_derivatives(*cases[0]), "other-unit", rtol=1e-4)


WORDS = """
hint: `jax.hessian` of a function of one vector is one matrix. How do you turn `loss` into such a function?
hint: `flat, restore = ravel_pytree(params)`: `restore(flat)` is the dictionary again.
not-sorted: Your blocks are right, but in the order in which the keys were written. `ravel_pytree` sorts them.
own-blocks-only: Your matrix has only zeros between different entries. Their second derivatives are in the other
    blocks.
diagonal-only: Your matrix has only its diagonal. Each number has a second derivative with every other one.
inverted: You returned the inverse of the Hessian. Return the Hessian itself.
gradient-squared: You multiplied the gradient by itself, for each pair. The Hessian takes the derivative of the
    gradient.
blocks-piled-up: Your blocks were flattened, and the rows cut up again. A block spans several rows of the matrix.
column-by-column: You took the arrays column by column. `ravel_pytree` takes them row by row.
blocks: A dictionary came back. Return one matrix, so that you can invert it as a whole.
one-row: One row came back. There is a second derivative for each *pair* of numbers: return a square matrix of them.
wrong-value: Your numbers are not the second derivatives with respect to each pair of numbers.
other-unit: Your Hessian should be a millionth for a millionth of the loss. Do you add something of a fixed size, or
    keep the program of the other loss?
"""

hessian_as_matrix = declare(
    "hessian-as-matrix",
    points=2,
    see="which-way",
    steps=[one_matrix],
    words=WORDS,
)
