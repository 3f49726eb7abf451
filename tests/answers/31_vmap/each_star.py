"""Answers to each-star."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


def axes_of(params):
    """0 for each array, `None` for each number."""
    return jax.tree.map(lambda leaf: 0 if jnp.ndim(leaf) else None, params)


def with_numbers(params, change):
    """The same structure, with other numbers in the place of those that all stars share."""
    return jax.tree.map(lambda leaf: leaf if jnp.ndim(leaf) else change(leaf), params)


def stars_in(params):
    """How many stars there are."""
    return max(len(leaf) for leaf in jax.tree.leaves(params) if jnp.ndim(leaf))


def in_rows(model, params, times):
    """The light of each star in a row."""
    return jax.vmap(model, in_axes=(axes_of(params), None))(params, times)


@right("each-star")
def maps_the_arrays_alone(model, params, times):
    leaves, structure = jax.tree.flatten(params)
    arrays = [i for i, leaf in enumerate(leaves) if jnp.ndim(leaf) == 1]

    def one(*parts):
        whole = dict(zip(arrays, parts, strict=True))
        return model(structure.unflatten([whole.get(i, leaf) for i, leaf in enumerate(leaves)]), times)

    return jnp.transpose(jax.jit(jax.vmap(one))(*(leaves[i] for i in arrays)))


@right("each-star")
def repeats_the_numbers(model, params, times):
    tiled = jax.tree.map(lambda leaf: jnp.broadcast_to(jnp.asarray(leaf), (stars_in(params),)), params)
    return jax.vmap(lambda one: model(one, times), out_axes=-1)(tiled)


@right("each-star")
def asks_for_numbers_by_their_type(model, params, times):
    axes = jax.tree.map(lambda leaf: None if isinstance(leaf, (int, float)) else 0, params)
    return jax.vmap(lambda star: model(star, times), in_axes=(axes,))(params).T


@wrong("each-star", "number-mapped")
def maps_everything(model, params, times):
    return jax.vmap(model, in_axes=(0, None), out_axes=1)(params, times)


@wrong("each-star", "in-axes-structure")
def forgets_the_tuple(model, params, times):
    return jax.vmap(model, in_axes=axes_of(params), out_axes=1)(params, times)


@wrong("each-star", "in-axes-structure")
def forgets_a_leaf(model, params, times):
    return jax.vmap(model, in_axes=({"period": 0, "phase": 0, "dip": {"power": None}}, None), out_axes=1)(params, times)


@wrong("each-star", "one-structure-only")
def writes_out_the_axes_of_the_lesson(model, params, times):
    leaves = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    return jax.vmap(model, in_axes=(leaves, None), out_axes=1)(params, times)


@wrong("each-star", "one-structure-only")
def takes_the_power_out(model, params, times):
    power = params["dip"]["power"]

    def one(period, phase, depth):
        return model({"period": period, "phase": phase, "dip": {"depth": depth, "power": power}}, times)

    return jax.vmap(one, out_axes=1)(params["period"], params["phase"], params["dip"]["depth"])


@wrong("each-star", "one-structure-only")
def knows_flat_dictionaries_of_dictionaries(model, params, times):
    def axes(value):
        return {key: axes(part) for key, part in value.items()} if isinstance(value, dict) else 0

    leaves = axes(params)
    leaves["dip"]["power"] = None
    return jax.vmap(model, in_axes=(leaves, None), out_axes=1)(params, times)


@wrong("each-star", "axes-clash")
def maps_the_times_too(model, params, times):
    return jax.vmap(model, in_axes=(axes_of(params), 0), out_axes=1)(params, times)


@wrong("each-star", "number-mapped")
def shares_floats_alone(model, params, times):
    axes = jax.tree.map(lambda leaf: None if isinstance(leaf, float) else 0, params)
    return jax.vmap(model, in_axes=(axes, None), out_axes=1)(params, times)


@wrong("each-star", "wrong-value")
def makes_the_numbers_whole(model, params, times):
    return jax.vmap(model, in_axes=(axes_of(params), None), out_axes=1)(with_numbers(params, int), times)


@wrong("each-star", "a-row-for-each")
def stars_in_rows(model, params, times):
    return in_rows(model, params, times)


@wrong("each-star", "changed-the-params")
def writes_into_the_dictionary(model, params, times):
    params["dip"]["power"] = jnp.full(len(params["period"]), params["dip"]["power"])
    return jax.vmap(model, in_axes=(0, None), out_axes=1)(params, times)


@wrong("each-star", "reshaped")
def reshapes_the_rows(model, params, times):
    return in_rows(model, params, times).reshape(len(times), -1)


@wrong("each-star", "flattened")
def puts_them_in_one_row(model, params, times):
    return jnp.concatenate(list(in_rows(model, params, times)))


@wrong("each-star", "model-runs-again")
def looks_at_the_shape_before(model, params, times):
    first = jax.tree.map(lambda leaf: leaf[0] if jnp.ndim(leaf) else leaf, params)
    length = jax.eval_shape(model, first, times).shape[0]
    return jax.vmap(model, in_axes=(axes_of(params), None), out_axes=1)(params, times).reshape(length, -1)


@wrong("each-star", "model-runs-again")
def goes_through_the_stars(model, params, times):
    of_each = [
        jax.tree.map(lambda leaf, i=i: leaf[i] if jnp.ndim(leaf) else leaf, params) for i in range(stars_in(params))
    ]
    return jnp.stack([model(one, times) for one in of_each], axis=1)


@wrong("each-star", "wrong-value")
def the_first_array_for_all(model, params, times):
    leaves, structure = jax.tree.flatten(params)
    first = next(i for i, leaf in enumerate(leaves) if jnp.ndim(leaf))
    leaves[first] = jnp.full(stars_in(params), leaves[first][0])
    params = structure.unflatten(leaves)
    return jax.vmap(model, in_axes=(axes_of(params), None), out_axes=1)(params, times)


KEPT = {}
"""What the next answer has made for a model."""


@wrong("each-star", "wrong-value")
def keeps_a_function_for_each_model(model, params, times):
    if model not in KEPT:
        leaves, structure = jax.tree.flatten(params)

        def one(arrays, times):
            rest = iter(arrays)
            return model(structure.unflatten([next(rest) if jnp.ndim(leaf) else leaf for leaf in leaves]), times)

        KEPT[model] = jax.jit(jax.vmap(one, in_axes=(0, None), out_axes=1))
    return KEPT[model]([leaf for leaf in jax.tree.leaves(params) if jnp.ndim(leaf)], times)


@wrong("each-star", "power-frozen")
def forgets_the_power(model, params, times):
    return jax.vmap(model, in_axes=(axes_of(params), None), out_axes=1)(with_numbers(params, lambda _: 2.0), times)


@wrong("each-star", "axis-not-there")
def maps_the_columns_to_be(model, params, times):
    axes = jax.tree.map(lambda leaf: 1 if jnp.ndim(leaf) else None, params)
    return jax.vmap(model, in_axes=(axes, None))(params, times)


@wrong("each-star", "axis-not-there")
def maps_the_times_along_1(model, params, times):
    return jax.vmap(model, in_axes=(axes_of(params), 1), out_axes=1)(params, times)


@wrong("each-star", "ValueError")
def an_entry_of_out_axes_for_each_argument(model, params, times):
    return jax.vmap(model, in_axes=(axes_of(params), None), out_axes=(1, None))(params, times)


@wrong("each-star", "axes-clash")
def makes_the_numbers_as_long_as_the_times(model, params, times):
    full = with_numbers(params, lambda number: jnp.full(len(times), number))
    return jax.vmap(model, in_axes=(0, None), out_axes=1)(full, times)


@wrong("each-star", "axes-clash")
def passes_the_times_by_name(model, params, times):
    return jax.vmap(model, in_axes=(axes_of(params),), out_axes=1)(params, times=times)


@wrong("each-star", "one-structure-only")
def counts_the_stars_in_the_first_leaf(model, params, times):
    n = len(jax.tree.leaves(params)[0])
    full = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (n,)), params)
    return jax.vmap(model, in_axes=(0, None), out_axes=1)(full, times)


@wrong("each-star", "NameError")
def misspells_a_name_in_a_branch(model, params, times):
    def axes(value):
        if isinstance(value, dict):
            return {key: axes(part) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(axes(part) for part in values)  # noqa: F821
        return 0 if jnp.ndim(value) else None

    return jax.vmap(model, in_axes=(axes(params), None), out_axes=1)(params, times)


equivalents = [
    equivalent("each-star", "`0`  ->  `-1`", "an array of one axis: the last is axis 0"),
    equivalent("each-star", "`1`  ->  `-1`", "a result of two axes: the last is axis 1"),
]
