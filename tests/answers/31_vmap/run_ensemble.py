"""Answers to run-ensemble."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


def stacked(models):
    """A structure of stacked arrays."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *models)


def all_predictions(predict, models, x):
    """What each model predicts for each column."""
    return jax.vmap(jax.vmap(predict, in_axes=(0, None)), in_axes=(None, 1))(stacked(models), x)


@right("run-ensemble")
def models_outside_and_back(predict, models, x):
    over_examples = jax.vmap(predict, in_axes=(None, 1))
    return jax.jit(jax.vmap(over_examples, in_axes=(0, None), out_axes=1))(stacked(models), x)


@right("run-ensemble")
def all_pairs_in_one_vmap(predict, models, x):
    m, n = len(models), x.shape[1]
    tiled = jax.tree.map(lambda leaf: jnp.concatenate([leaf] * n), stacked(models))
    flat = jax.vmap(predict)(tiled, jnp.repeat(x.T, m, axis=0))
    return flat.reshape(n, m, *flat.shape[1:])


@right("run-ensemble")
def one_example_after_the_other_in_a_map(predict, models, x):
    every_model = jax.vmap(predict, in_axes=(0, None))
    return jax.lax.map(lambda example: every_model(stacked(models), example), x.T)


@wrong("run-ensemble", "predict-runs-again")
def loops_over_the_models(predict, models, x):
    return jnp.stack([jax.vmap(predict, in_axes=(None, 1))(model, x) for model in models], axis=1)


@wrong("run-ensemble", "models-first")
def models_outside(predict, models, x):
    return jax.vmap(jax.vmap(predict, in_axes=(None, 1)), in_axes=(0, None))(stacked(models), x)


@wrong("run-ensemble", "rows-taken")
def copies_the_cell_above(predict, models, x):
    return jax.vmap(predict, in_axes=(0, None))(stacked(models), x)


@wrong("run-ensemble", "rows-taken")
def maps_the_rows(predict, models, x):
    return jax.vmap(jax.vmap(predict, in_axes=(0, None)), in_axes=(None, 0))(stacked(models), x)


@wrong("run-ensemble", "not-stacked")
def maps_the_list(predict, models, x):
    return jax.vmap(jax.vmap(predict, in_axes=(0, None)), in_axes=(None, 1))(models, x)


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
    return all_predictions(predict, models, x).reshape(x.shape[1], len(models), -1)


@wrong("run-ensemble", "one-structure-only")
def knows_dictionaries_only(predict, models, x):
    table = {name: jnp.stack([model[name] for model in models]) for name in ("w", "b")}
    return jax.vmap(jax.vmap(predict, in_axes=(0, None)), in_axes=(None, 1))(table, x)


@wrong("run-ensemble", "leaves-made-floats")
def makes_every_leaf_a_float(predict, models, x):
    return all_predictions(predict, jax.tree.map(jnp.float32, models), x)


@wrong("run-ensemble", "averaged")
def takes_the_mean(predict, models, x):
    return all_predictions(predict, models, x).mean(axis=1)


@wrong("run-ensemble", "wrong-value")
def only_the_first_model(predict, models, x):
    first = jax.vmap(lambda example: predict(models[0], example))(x.T)
    return jnp.stack([first] * len(models), axis=1)


@wrong("run-ensemble", "not-stacked")
def shares_the_list(predict, models, x):
    return jax.vmap(predict, in_axes=(None, 1))(models, x)


@wrong("run-ensemble", "one-prediction-only")
def turns_three_axes(predict, models, x):
    by_model = jax.vmap(jax.vmap(predict, in_axes=(None, 1)), in_axes=(0, None))
    return by_model(stacked(models), x).transpose(1, 0, 2)


@wrong("run-ensemble", "one-prediction-only")
def takes_the_columns_of_a_vector(predict, models, x):
    of_models = jax.vmap(jax.vmap(predict, in_axes=(None, 1)), in_axes=(0, None))(stacked(models), x)
    return jnp.stack([of_models[:, i, :] for i in range(x.shape[1])])


@wrong("run-ensemble", "one-structure-only")
def stacks_vectors_and_matrices_only(predict, models, x):
    table = jax.tree.map(lambda *leaves: jnp.array([leaf[:] for leaf in leaves]), *models)
    return jax.vmap(jax.vmap(predict, in_axes=(0, None)), in_axes=(None, 1))(table, x)


@wrong("run-ensemble", "predict-runs-again")
def asks_for_the_shape_first(predict, models, x):
    shape = jax.eval_shape(predict, models[0], x[:, 0]).shape
    return all_predictions(predict, models, x).reshape(x.shape[1], len(models), *shape)


@wrong("run-ensemble", "TypeError")
def takes_a_key_of_the_list(predict, models, x):
    layers = {"w": jnp.stack(models["w"]), "b": jnp.stack(models["b"])}
    return all_predictions(predict, layers, x)


@wrong("run-ensemble", "axes-clash")
def pairs_of_a_model_and_an_example(predict, models, x):
    return jax.vmap(lambda pair: predict(*pair))((stacked(models), x.T))


@wrong("run-ensemble", "axes-clash")
def puts_the_models_end_to_end(predict, models, x):
    joined = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *models)
    return jax.vmap(jax.vmap(predict, in_axes=(0, None)), in_axes=(None, 1))(joined, x)


equivalents = [
    equivalent("run-ensemble", "`1`  ->  `-1`", "`x` has two axes: the second is the last"),
]
