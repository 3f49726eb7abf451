"""Answers to run-ensemble."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import right, wrong


def stacked(models):
    """A structure of stacked arrays."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *models)


def all_predictions(predict, models, x):
    """What each model predicts for each row."""
    return jax.vmap(jax.vmap(predict, in_axes=(None, 0)), in_axes=(0, None))(stacked(models), x)


@right("run-ensemble")
def examples_outside_and_back(predict, models, x):
    over_models = jax.vmap(predict, in_axes=(0, None))
    return jax.jit(jax.vmap(over_models, in_axes=(None, 0), out_axes=1))(stacked(models), x)


@right("run-ensemble")
def all_pairs_in_one_vmap(predict, models, x):
    m, n = len(models), len(x)
    repeated = jax.tree.map(lambda leaf: jnp.repeat(leaf, n, axis=0), stacked(models))
    flat = jax.vmap(predict)(repeated, jnp.tile(x, (m, 1)))
    return flat.reshape(m, n, *flat.shape[1:])


@right("run-ensemble")
def one_model_after_the_other_in_a_map(predict, models, x):
    return jax.lax.map(lambda model: jax.vmap(lambda row: predict(model, row))(x), stacked(models))


@wrong("run-ensemble", "predict-runs-again")
def loops_over_the_models(predict, models, x):
    return jnp.stack([jax.vmap(predict, in_axes=(None, 0))(model, x) for model in models])


@wrong("run-ensemble", "examples-first")
def models_inside(predict, models, x):
    return jax.vmap(jax.vmap(predict, in_axes=(0, None)), in_axes=(None, 0))(stacked(models), x)


@wrong("run-ensemble", "not-stacked")
def maps_the_list(predict, models, x):
    return jax.vmap(jax.vmap(predict, in_axes=(None, 0)), in_axes=(0, None))(models, x)


@wrong("run-ensemble", "axes-clash")
def shares_nothing(predict, models, x):
    return jax.vmap(jax.vmap(predict))(stacked(models), x)


@wrong("run-ensemble", "axes-clash")
def one_example_for_each_model(predict, models, x):
    return jax.vmap(predict)(stacked(models), x)


@wrong("run-ensemble", "axis-lost")
def squeezes_the_predictions(predict, models, x):
    return all_predictions(predict, models, x).squeeze()


@wrong("run-ensemble", "flattened")
def flattens_each_prediction(predict, models, x):
    return all_predictions(predict, models, x).reshape(len(models), len(x), -1)


@wrong("run-ensemble", "one-structure-only")
def knows_dictionaries_only(predict, models, x):
    table = {name: jnp.stack([model[name] for model in models]) for name in ("w", "b")}
    return jax.vmap(jax.vmap(predict, in_axes=(None, 0)), in_axes=(0, None))(table, x)


@wrong("run-ensemble", "leaves-made-floats")
def makes_every_leaf_a_float(predict, models, x):
    return all_predictions(predict, jax.tree.map(jnp.float32, models), x)


@wrong("run-ensemble", "averaged")
def takes_the_mean(predict, models, x):
    return jax.vmap(lambda row: jax.vmap(lambda model: predict(model, row))(stacked(models)).mean(axis=0))(x)


@wrong("run-ensemble", "wrong-value")
def only_the_first_model(predict, models, x):
    first = jax.vmap(lambda row: predict(models[0], row))(x)
    return jnp.stack([first] * len(models))
