"""run-ensemble: what each of several models predicts for each example."""

import re

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse

from ._lesson import axes_clash, in_its_terms


def predictions_of(run_ensemble, which, models, x):
    """What an answer makes of an ensemble, and how often Python ran `predict` in a call."""
    runs = []

    def layer(model, example):
        runs.append(1)
        return example @ model["w"] + model["b"]

    def distance(model, example):
        runs.append(1)
        point, scale = model
        return jnp.sqrt(jnp.sum((example - point) ** 2)) * scale

    def table(model, example):
        runs.append(1)
        return jnp.outer(jnp.cumsum(example), model[0][0])

    def sketch(model, example):
        runs.append(1)
        return example * (model["seed"] % 7)

    def score(model, example):
        return jnp.vdot(layer(model, example), model["b"])

    def grid(model, example):
        return jnp.outer(example, layer(model, example))

    predicts = {"layer": layer, "distance": distance, "table": table, "sketch": sketch, "score": score, "grid": grid}
    predict = predicts[which]
    others = jax.tree.map(lambda leaf: np.asarray(leaf + 1), models)
    given, others, x = probe.on_device((models, others, x))
    run_ensemble(predict, others, x)  # what was asked before
    first = len(runs)
    predicted = run_ensemble(predict, given, x)
    return {"predicted": predicted, "runs": max(first, len(runs) - first)}


def ensemble(which, models, x):
    """The oracle: two loops in NumPy. The examples are the columns, and come first in the result."""

    def layer(model, example):
        return example @ model["w"] + model["b"]

    one = {
        "layer": layer,
        "score": lambda model, example: layer(model, example) @ model["b"],
        "grid": lambda model, example: np.outer(example, layer(model, example)),
        "distance": lambda model, example: np.linalg.norm(example - model[0]) * model[1],
        "table": lambda model, example: np.outer(np.cumsum(example), model[0][0]),
        "sketch": lambda model, example: example * (model["seed"] % 7),
    }[which]
    return np.stack([np.stack([one(model, example) for model in models]) for example in x.T])


def ensemble_of_floats(which, models, x):
    """The mistake: every leaf becomes `float32` on its way to `predict`."""
    return ensemble(which, jax.tree.map(np.float32, models), x)


def ensemble_of(rng, sizes):
    """The arguments of one call: models, and examples that all of them see."""
    which, m, n, d = sizes

    def model():
        numbers = rng.uniform(-2, 2, (4, d + 2)).astype(np.float32)
        if which in ("layer", "score", "grid"):
            return {"w": numbers[:2, :d].T.copy(), "b": numbers[3, :2].copy()}
        if which == "distance":
            return numbers[0, :d].copy(), np.asarray(numbers[1, 0])
        if which == "sketch":  # odd and between 2**24 and 2**25, where float32 has even numbers only
            return {"seed": np.asarray(2 * rng.integers(2**23, 2**24) + 1, np.int32)}
        return [[numbers[0, :2].copy()]]

    return which, [model() for _ in range(m)], rng.uniform(-2, 2, (d, n)).astype(np.float32)


def predicted(facts, *case):
    return facts["predicted"]


def once(answer, rng):
    """Python runs `predict` once in each call."""
    facts = answer.probe(predictions_of, *ensemble_of(rng, ("layer", 2, 3, 2)))
    refuse(facts["runs"] > 1, "predict-runs-again")


def models_in_front(oracle):
    """The mistake: the first two axes change places."""
    return lambda *case: np.swapaxes(oracle(*case), 0, 1)


def of_a_list(error):
    """Whether `vmap` went through the axes of each model in a list, which `predict` then gets: not a pair with `x`."""
    raised = error.raised
    by_axes = re.search(r"argument \w+\[\d+\]\[", raised.message) and not re.search(r"\[\d+\] of type", raised.message)
    return bool(by_axes or (raised.within and "list indices must be" in raised.message))


def of_rows(which, models, x):
    """The mistake: the rows of a square are the examples."""
    return ensemble(which, models, x.T)


MISTAKES = {
    "models-first": models_in_front(ensemble),
    "rows-taken": [of_rows, models_in_front(of_rows)],
    "axis-lost": lambda *case: ensemble(*case).squeeze(),
    "flattened": lambda *case: ensemble(*case).reshape(case[2].shape[1], len(case[1]), -1),
    "averaged": lambda *case: ensemble(*case).mean(1),
    "leaves-made-floats": ensemble_of_floats,
}
OF_ANOTHER = {
    "one-structure-only": {"TypeError", "KeyError", "IndexError", "AttributeError"},
    "axes-clash": axes_clash,
}

WORDS = """
hint: `vmap` wants one structure of stacked arrays. `jax.tree.map(lambda *leaves: jnp.stack(leaves), *models)` makes it.
hint: Two `vmap`s, one inside the other. The outer one makes the leading axis, that of the examples. They are columns of
    `x`.
not-stacked: You gave `vmap` a list as it is. It takes axes from the arrays in a list, and never one entry for each
    call. Make one structure of stacked arrays.
axes-clash: An axis that you map is missing, or two differ in length. `jnp.stack` gives each leaf a leading axis of
    models. Map models in one `vmap`, examples in the other.
one-structure-only: Your answer works for dictionaries of vectors and matrices, and not for another structure, where a
    leaf may be a number. `jax.tree.map` takes any structure, `jnp.stack` any shape.
one-prediction-only: Your answer works if a prediction is a vector, and fails if it is a number or a matrix. It may have
    any shape.
models-first [in-axes]: Your predictions are right, but the models are in front. The outer `vmap` makes the leading
    axis.
rows-taken [in-axes]: You took the rows of `x` for examples, or all of it for one. Here each example is a column.
axis-lost: You lost an axis of length 1. With one model, one example or one number in a prediction, it is still there.
flattened: Your predictions have lost their shape. A prediction may have any, and it comes last in the result.
averaged: You returned the mean over the models. The task asks for every model's own predictions.
leaves-made-floats: A leaf of whole numbers came to `predict` as `float32`, and so as another number. A model's arrays
    may have any dtype, and `jnp.stack` keeps it.
wrong-value: Your numbers are not the predictions of each model for each column.
predict-runs-again [one-example]: Your predictions are right, but Python ran `predict` more than once in a call. Do you
    loop over models or examples, or try a call? `vmap` runs it once.
"""

CALL = {
    "ask": predictions_of,
    "reads": predicted,
    "shows": "run_ensemble(predict, models, x)",
    "mistakes": MISTAKES,
    "rtol": 1e-3,
}
run_ensemble = declare(
    "run-ensemble",
    points=2,
    see="pytrees",
    steps=[
        Agrees(
            ensemble,
            ensemble_of,
            [("layer", 2, 3, 3)],
            each=2,
            extremes=lambda rng: [ensemble_of(rng, ("layer", 1, n, n)) for n in (2, 1)],
            raising={"not-stacked": of_a_list, "axes-clash": axes_clash},
            **CALL,
        ),
        Agrees(
            ensemble,
            ensemble_of,
            [("score", 3, 5, 5), ("grid", 3, 2, 4)],
            each=1,
            raising={"one-prediction-only": in_its_terms},
            **CALL,
        ),
        Agrees(
            ensemble,
            ensemble_of,
            [("distance", 3, 5, 5), ("sketch", 4, 2, 3)],
            each=2,
            extremes=lambda rng: [ensemble_of(rng, sizes) for sizes in (("table", 3, 3, 2), ("layer", 1, 2, 1))],
            raising=OF_ANOTHER,
            **CALL,
        ),
        once,
    ],
    words=WORDS,
)
