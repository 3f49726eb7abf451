"""Checks of lesson 11, vmap: what is asked, what people get wrong, and what each mistake is told."""

import functools
import math
import re

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import bans, inputs, probe
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Slip, sweep
from jaxcourse.prediction import Mistake, any_of, prediction


def complaint(error):
    """What `vmap` complains of: "unequal" axes, one that is "missing", the "structure" of `in_axes`; or of nothing."""
    said = error.raised.message
    words = {
        "unequal": ("inconsistent sizes", "all mapped array"),
        "missing": ("rank should be at least", "axis specification must"),
        "structure": ("in_axes must be", "must be a tree prefix", "must match"),
    }
    return next((kind for kind, parts in words.items() if any(part in said for part in parts)), "")


def axes_explained(ask, advice):
    """A question that is asked, where what `vmap` says of missing or unequal axes is a diagnosis and not an error."""

    def asked(*args):
        try:
            return ask(*args)
        except probe.AnswerRaised as error:
            message = (
                f"`vmap` goes through all mapped axes in step. Here one is missing, or they differ in length. {advice}"
            )
            refuse(complaint(error) in ("unequal", "missing"), "axes-clash", message)
            raise

    return asked


# -- mapped-shapes ----------------------------------------------------------------------------------------------


def true_shapes():
    """The seven shapes, asked of JAX."""
    vmap, a, b = jax.vmap, jnp.ones((2, 3)), jnp.ones((4, 3))
    results = {
        "vmap(jnp.sum)(b)": vmap(jnp.sum)(b),
        "vmap(jnp.cumsum, in_axes=1)(a)": vmap(jnp.cumsum, in_axes=1)(a),
        "vmap(jnp.cumsum, in_axes=1, out_axes=1)(a)": vmap(jnp.cumsum, in_axes=1, out_axes=1)(a),
        "vmap(jnp.subtract, in_axes=(None, 0))(a, b)": vmap(jnp.subtract, in_axes=(None, 0))(a, b),
        "vmap(jnp.subtract, in_axes=(None, 0), out_axes=-1)(a, b)": vmap(jnp.subtract, in_axes=(None, 0), out_axes=-1)(
            a, b
        ),
        "vmap(vmap(jnp.dot, (None, 0)), (0, None))(a, b)": vmap(vmap(jnp.dot, (None, 0)), (0, None))(a, b),
        "vmap(vmap(jnp.dot, (0, None)), (None, 0))(a, b)": vmap(vmap(jnp.dot, (0, None)), (None, 0))(a, b),
    }
    return {name: result.shape for name, result in results.items()}


mapped_shapes = prediction(
    "mapped-shapes",
    see="in-axes",
    hint=[
        "Strike out the mapped axis: that is what one call sees. Put its length back at `out_axes`, which is 0.",
        "The outer `vmap` is struck out first, and its length comes back last: in front.",
    ],
    truth=true_shapes,
    mistakes=[
        Mistake(
            "batch-stays",
            {"vmap(jnp.cumsum, in_axes=1)(a)": (2, 3)},
            "`in_axes=1` takes the axis 1 away, and `out_axes`, which is 0, puts it back in front.",
        ),
        Mistake(
            "out-axes-ignored",
            [
                {"vmap(jnp.cumsum, in_axes=1, out_axes=1)(a)": (3, 2)},
                {"vmap(jnp.subtract, in_axes=(None, 0), out_axes=-1)(a, b)": (4, 2, 3)},
            ],
            "`out_axes` says where the calls stand in the result: not in front, if it is not 0.",
        ),
        Mistake(
            "before-the-last",
            {"vmap(jnp.subtract, in_axes=(None, 0), out_axes=-1)(a, b)": (2, 4, 3)},
            "`-1` is the last axis of the whole result, and not a place in front of it.",
        ),
        Mistake(
            "shared-was-mapped",
            {"vmap(jnp.subtract, in_axes=(None, 0))(a, b)": any_of((4, 3), (2, 3), (2, 4, 3), (4, 2))},
            "`None` shares all of `a`: one call sees its two rows and one row of `b`, and there are four calls.",
        ),
        Mistake(
            "batch-lost",
            {"vmap(jnp.sum)(b)": any_of((), (3,), (1,), (4, 1))},
            "One call sees a row of three and returns a number. There is one call for each of the four rows.",
        ),
        Mistake(
            "nested-the-other-way",
            [
                {"vmap(vmap(jnp.dot, (None, 0)), (0, None))(a, b)": (4, 2)},
                {"vmap(vmap(jnp.dot, (0, None)), (None, 0))(a, b)": (2, 4)},
            ],
            "The outer `vmap` makes the leading axis: `(0, None)` is outer over the rows of `a`, and `(None, 0)` over "
            "those of `b`.",
        ),
    ],
    otherwise="Strike out what is mapped, work out one call, and put the length back at `out_axes`.",
)

# -- mind-the-axes ----------------------------------------------------------------------------------------------


def centres(masses, positions):
    """The oracle: one column for each cluster."""
    weights = masses / masses.sum(1, keepdims=True)
    return np.einsum("np,pdn->dn", weights, positions)


@exercise(
    "mind-the-axes",
    see="in-axes",
    hint=[
        "`in_axes` has one entry for each argument: where are the clusters in `masses`, and where in `positions`?",
        "`out_axes=1` makes a column for each cluster.",
    ],
    without=[
        bans.no_loops(
            grows=lambda n: (np.ones((n, 2), np.float32), np.ones((2, 3, n), np.float32)),
            of="clusters",
            n=16,
            advice="`vmap` has an `in_axes` for that.",
        )
    ],
)
def mind_the_axes(answer, rng):
    def draw(rng, sizes):
        n, p, d = sizes
        masses = (rng.uniform(0.5, 4, (n, p)) * 10.0 ** rng.choice([-9, 0, 9])).astype(np.float32)
        return masses, inputs.array(rng, (p, d, n), "float32")

    ask = axes_explained(
        lambda *args: answer.probe(probe.on_jax_arrays, *args), "In `positions` the clusters are in the last axis."
    )
    sweep(
        ask,
        centres,
        draw,
        rng,
        shapes=[(3, 5, 2), (4, 2, 3), (1, 3, 2), (2, 1, 1), (3, 3, 3)],
        each=2,
        slips=[
            Slip(
                "batch-in-front",
                lambda masses, positions: centres(masses, positions).T,
                "The centres are right, but stand in rows: `out_axes` is 0 unless you say otherwise.",
            ),
            Slip(
                "reshaped",
                lambda masses, positions: centres(
                    masses, np.moveaxis(positions.reshape(len(masses), -1, positions.shape[1]), 0, -1)
                ),
                "`reshape` moves no axis: it reads the same numbers in the same order into another shape.",
            ),
            Slip(
                "reshaped",
                lambda masses, positions: centres(masses, positions).T.reshape(positions.shape[1:]),
                "`reshape` does not transpose: it reads the same numbers in the same order into another shape.",
            ),
            Slip(
                "axis-lost",
                lambda masses, positions: centres(masses, positions).squeeze(),
                "An axis of length 1 is lost. With one cluster or one dimension, the axis is still there.",
            ),
            Slip(
                "not-divided",
                lambda masses, positions: np.einsum("np,pdn->dn", masses, positions),
                "The sums are not divided by the mass of their cluster.",
            ),
            Slip(
                "not-weighted",
                lambda masses, positions: positions.mean(0),
                "That is the mean position of the stars: the masses do not count in it.",
            ),
            Slip(
                "divided-by-all",
                lambda masses, positions: np.einsum("np,pdn->dn", masses, positions) / masses.sum(),
                "Each sum is divided by the mass of all clusters together, not by that of its own.",
            ),
        ],
        message="These are not the centres of mass, one in each column.",
        rtol=1e-4,
    )


def centre(masses, positions):
    """The function of the set-up cell."""
    return masses @ positions / masses.sum()


@right("mind-the-axes")
def moves_the_axes_first(masses, positions):
    return jax.vmap(centre)(masses, jnp.moveaxis(positions, -1, 0)).T


@right("mind-the-axes")
def without_vmap(masses, positions):
    return jnp.einsum("np,pdn->dn", masses / masses.sum(1, keepdims=True), positions)


@wrong("mind-the-axes", "axes-clash")
def both_in_front(masses, positions):
    return jax.vmap(centre)(masses, positions).T


@wrong("mind-the-axes", "batch-in-front")
def forgets_out_axes(masses, positions):
    return jax.vmap(centre, in_axes=(0, 2))(masses, positions)


@wrong("mind-the-axes", "not-divided")
def sums_only(masses, positions):
    return jax.vmap(jnp.dot, in_axes=(0, 2), out_axes=1)(masses, positions)


@wrong("mind-the-axes", "not-weighted")
def plain_mean(masses, positions):
    return positions.mean(axis=0)


@wrong("mind-the-axes", "divided-by-all")
def divides_by_everything(masses, positions):
    return jnp.einsum("np,pdn->dn", masses, positions) / masses.sum()


@wrong("mind-the-axes", "loops")
def goes_through_the_clusters(masses, positions):
    return jnp.stack([centre(masses[i], positions[:, :, i]) for i in range(len(masses))], axis=1)


@wrong("mind-the-axes", "reshaped")
def reshapes_the_result(masses, positions):
    return jax.vmap(centre, in_axes=(0, 2))(masses, positions).reshape(positions.shape[1:])


@wrong("mind-the-axes", "wrong-value")
def guards_the_division(masses, positions):
    def one(mass, position):
        return mass @ position / (mass.sum() + 1e-6)

    return jax.vmap(one, in_axes=(0, 2), out_axes=1)(masses, positions)


@wrong("mind-the-axes", "axis-lost")
def squeezes(masses, positions):
    return jax.vmap(centre, in_axes=(0, 2), out_axes=1)(masses, positions).squeeze()


@wrong("mind-the-axes", "wrong-value")
def of_the_first_cluster(masses, positions):
    return jnp.stack([centre(masses[0], positions[:, :, 0])] * len(masses), axis=1)


@wrong("mind-the-axes", "reshaped")
def reshapes_in_place_of_moving(masses, positions):
    p, d, n = positions.shape
    return jax.vmap(centre)(masses, positions.reshape(n, p, d)).T


# -- each-star --------------------------------------------------------------------------------------------------


def lights(each_star, which, period, phase, depth, power, times):
    """What an answer makes of one of several models, and how often Python ran that model."""
    runs = []

    def dips(params, times):
        runs.append(1)
        angle = times / params["period"] + params["phase"]
        return params["dip"]["depth"] * jnp.cos(angle) ** params["dip"]["power"]

    def decays(params, times):
        runs.append(1)
        kept = jnp.cumsum(jnp.where(times > params["period"], params["dip"]["depth"], params["phase"]))
        return kept * params["dip"]["power"]

    def bends(params, times):
        runs.append(1)
        knots = jnp.stack([jnp.zeros_like(params["period"]), params["period"]])
        light = jnp.interp(times, knots, jnp.stack([params["phase"], params["dip"]["depth"]]))
        return light + params["dip"]["power"]

    def params(*parts, power):
        period, phase, depth = probe.on_device(parts)
        return {"period": period, "phase": phase, "dip": {"depth": depth, "power": power}}

    model, other = {"dips": (dips, decays), "decays": (decays, dips), "bends": (bends, decays)}[which]
    each_star(other, params(period, phase, depth, power=power), probe.on_device(times))
    runs.clear()
    counts = []
    for before in (power + 1, power):  # what was asked before, with another power and with this one
        each_star(model, params(depth, period, phase, power=before), probe.on_device(times + 1))
        counts.append(len(runs))
        runs.clear()
    given = params(period, phase, depth, power=power)
    light = each_star(model, given, probe.on_device(times))
    changed = given["dip"].get("power") is not power or given["period"].shape != period.shape
    return {"light": light, "runs": max(*counts, len(runs)), "changed": changed}


def light_of_stars(which, period, phase, depth, power, times):
    """The oracle: a loop in NumPy over the stars."""

    def one(period, phase, depth):
        if which == "dips":
            return depth * np.cos(times / period + phase) ** power
        if which == "decays":
            return np.cumsum(np.where(times > period, depth, phase)) * power
        return np.interp(times, [0.0, period], [phase, depth]) + power

    return np.stack([one(*star) for star in zip(period, phase, depth, strict=True)], axis=1)


@exercise(
    "each-star",
    points=2,
    see="pytrees",
    hint=[
        "Write down the dictionary with an axis in the place of each array: 0, or `None` for what is shared.",
        "`in_axes=(that dictionary, None)`: a tuple with one entry for each argument of `model`.",
    ],
)
def each_star(answer, rng):
    runs = []

    def draw(rng, sizes):
        which, n, t = sizes
        period, phase, depth = rng.uniform(1, 3, (3, n)).astype(np.float32)
        power = int(rng.choice([1, 3, 4]))  # not the one of the lesson's cell, which may have been written out
        power = power if which == "decays" else power - 0.5 if which == "bends" else float(power)
        return which, period, phase, depth, power, np.linspace(0, 4, t, dtype=np.float32)

    def ask(*args):
        try:
            facts = answer.probe(lights, *args)
        except probe.AnswerRaised as error:
            message = "`power` is a number, which has no axis to be mapped: it can only be shared (`None`)."
            refuse(complaint(error) == "missing", "number-mapped", message)
            message = (
                "`in_axes` does not have the structure of the arguments: it is a tuple with one entry for each "
                "argument, and an entry may go down into that argument, key by key."
            )
            refuse(complaint(error) == "structure", "in-axes-structure", message)
            message = (
                "Axes of different lengths were to be mapped in step. `times` has none for the stars: it is shared."
            )
            refuse(complaint(error) == "unequal", "axes-clash", message)
            raise
        answer.called = "each_star(model, params, times)"
        message = "The caller's own dictionary was changed. Make a new one: `{**params, ...}`."
        refuse(facts["changed"], "changed-the-params", message)
        runs.append((facts["runs"], len(args[1])))
        return facts["light"]

    sweep(
        ask,
        light_of_stars,
        draw,
        rng,
        shapes=[("dips", 4, 3), ("decays", 2, 5)],
        each=2,
        extremes=[draw(rng, sizes) for sizes in (("bends", 3, 3), ("dips", 1, 1))],
        slips=[
            Slip(
                "a-row-for-each",
                lambda *args: light_of_stars(*args).T,
                "The light is right, but each star is in a row: `out_axes=1` puts the stars into columns.",
                "in-axes",
            ),
            Slip(
                "reshaped",
                lambda *args: light_of_stars(*args).T.reshape(len(args[-1]), -1),
                "`reshape` does not transpose: it reads the same numbers in the same order into another shape.",
            ),
            Slip(
                "flattened",
                lambda *args: light_of_stars(*args).T.ravel(),
                "The stars follow each other in one long row. They should have an axis of their own: `out_axes`.",
            ),
            Slip(
                "power-frozen",
                lambda *args: light_of_stars(*args[:4], 2.0, args[5]),
                "The light is that for a `power` of 2, whatever `power` is given.",
            ),
        ],
        message="This is not the light of each star, one in each column.",
        rtol=1e-3,
    )
    again = max((count for count, stars in runs if stars > 1), default=1)
    message = "The light is right, but Python ran `model` more than once in a call. `vmap` runs it once, for all stars."
    refuse(again > 1, "model-runs-again", message, see="one-example")


@right("each-star")
def gives_the_shared_power_to_a_helper(model, params, times):
    power = params["dip"]["power"]

    def one(period, phase, depth):
        return model({"period": period, "phase": phase, "dip": {"depth": depth, "power": power}}, times)

    return jnp.transpose(jax.jit(jax.vmap(one))(params["period"], params["phase"], params["dip"]["depth"]))


@right("each-star")
def repeats_the_power(model, params, times):
    n = len(params["period"])
    tiled = {**params, "dip": {**params["dip"], "power": jnp.full(n, params["dip"]["power"])}}
    return jax.vmap(lambda one: model(one, times), out_axes=-1)(tiled)


@wrong("each-star", "number-mapped")
def maps_everything(model, params, times):
    return jax.vmap(model, in_axes=(0, None), out_axes=1)(params, times)


@wrong("each-star", "in-axes-structure")
def forgets_the_tuple(model, params, times):
    leaves = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    return jax.vmap(model, in_axes=leaves, out_axes=1)(params, times)


@wrong("each-star", "in-axes-structure")
def forgets_a_leaf(model, params, times):
    return jax.vmap(model, in_axes=({"period": 0, "phase": 0, "dip": {"power": None}}, None), out_axes=1)(params, times)


@wrong("each-star", "axes-clash")
def maps_the_times_too(model, params, times):
    leaves = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    return jax.vmap(model, in_axes=(leaves, 0), out_axes=1)(params, times)


@wrong("each-star", "number-mapped")
def shares_floats_alone(model, params, times):
    axes = jax.tree.map(lambda leaf: None if isinstance(leaf, float) else 0, params)
    return jax.vmap(model, in_axes=(axes, None), out_axes=1)(params, times)


@wrong("each-star", "wrong-value")
def makes_the_power_whole(model, params, times):
    axes = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    plain = {**params, "dip": {**params["dip"], "power": int(params["dip"]["power"])}}
    return jax.vmap(model, in_axes=(axes, None), out_axes=1)(plain, times)


@wrong("each-star", "a-row-for-each")
def stars_in_rows(model, params, times):
    leaves = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    return jax.vmap(model, in_axes=(leaves, None))(params, times)


@wrong("each-star", "changed-the-params")
def writes_into_the_dictionary(model, params, times):
    params["dip"]["power"] = jnp.full(len(params["period"]), params["dip"]["power"])
    return jax.vmap(model, in_axes=(0, None), out_axes=1)(params, times)


@wrong("each-star", "reshaped")
def reshapes_the_rows(model, params, times):
    leaves = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    return jax.vmap(model, in_axes=(leaves, None))(params, times).reshape(len(times), -1)


@wrong("each-star", "flattened")
def puts_them_in_one_row(model, params, times):
    leaves = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    return jnp.concatenate(list(jax.vmap(model, in_axes=(leaves, None))(params, times)))


@wrong("each-star", "model-runs-again")
def looks_at_the_shape_before(model, params, times):
    first = jax.tree.map(lambda leaf: leaf[0] if jnp.ndim(leaf) else leaf, params)
    length = jax.eval_shape(model, first, times).shape[0]
    leaves = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    return jax.vmap(model, in_axes=(leaves, None), out_axes=1)(params, times).reshape(length, -1)


@wrong("each-star", "model-runs-again")
def goes_through_the_stars(model, params, times):
    stars = zip(params["period"], params["phase"], params["dip"]["depth"], strict=True)
    power = params["dip"]["power"]
    light = [model({"period": p, "phase": f, "dip": {"depth": d, "power": power}}, times) for p, f, d in stars]
    return jnp.stack(light, axis=1)


@wrong("each-star", "wrong-value")
def one_depth_for_all(model, params, times):
    leaves = {"period": 0, "phase": 0, "dip": {"depth": None, "power": None}}
    plain = {**params, "dip": {**params["dip"], "depth": params["dip"]["depth"][0]}}
    return jax.vmap(model, in_axes=(leaves, None), out_axes=1)(plain, times)


KEPT = {}
"""What the next answer has made for a model."""


@wrong("each-star", "wrong-value")
def keeps_a_function_for_each_model(model, params, times):
    power = params["dip"]["power"]
    if model not in KEPT:

        def one(period, phase, depth, times):
            return model({"period": period, "phase": phase, "dip": {"depth": depth, "power": power}}, times)

        KEPT[model] = jax.jit(jax.vmap(one, in_axes=(0, 0, 0, None), out_axes=1))
    return KEPT[model](params["period"], params["phase"], params["dip"]["depth"], times)


@wrong("each-star", "power-frozen")
def forgets_the_power(model, params, times):
    leaves = {"period": 0, "phase": 0, "dip": {"depth": 0, "power": None}}
    plain = {**params, "dip": {**params["dip"], "power": 2.0}}
    return jax.vmap(model, in_axes=(leaves, None), out_axes=1)(plain, times)


# -- run-ensemble -----------------------------------------------------------------------------------------------


def predictions_of(run_ensemble, which, models, x):
    """What an answer makes of an ensemble, and how often Python ran `predict`."""
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

    predict = {"layer": layer, "distance": distance, "table": table, "sketch": sketch}[which]
    others = jax.tree.map(lambda leaf: np.asarray(leaf + 1), models)
    given, others, x = probe.on_device((models, others, x))
    run_ensemble(predict, others, x)  # what was asked before
    first = len(runs)
    predicted = run_ensemble(predict, given, x)
    return {"predicted": predicted, "runs": max(first, len(runs) - first)}


def ensemble(which, models, x):
    """The oracle: two loops in NumPy."""
    one = {
        "layer": lambda model, example: example @ model["w"] + model["b"],
        "distance": lambda model, example: np.linalg.norm(example - model[0]) * model[1],
        "table": lambda model, example: np.outer(np.cumsum(example), model[0][0]),
        "sketch": lambda model, example: example * (model["seed"] % 7),
    }[which]
    return np.stack([np.stack([one(model, example) for example in x]) for model in models])


def ensemble_of_floats(which, models, x):
    """The mistake: every leaf becomes `float32` on its way to `predict`."""
    return ensemble(which, jax.tree.map(np.float32, models), x)


def ensemble_of(rng, sizes):
    """The arguments of one call: models, and examples that all of them see."""
    which, m, n, d = sizes

    def model():
        numbers = rng.uniform(-2, 2, (4, d + 2)).astype(np.float32)
        if which == "layer":
            return {"w": numbers[:2, :d].T.copy(), "b": numbers[3, :2].copy()}
        if which == "distance":
            return numbers[0, :d].copy(), np.asarray(numbers[1, 0])
        if which == "sketch":  # odd and between 2**24 and 2**25, where float32 has even numbers only
            return {"seed": np.asarray(2 * rng.integers(2**23, 2**24) + 1, np.int32)}
        return [[numbers[0, :2].copy()]]

    return which, [model() for _ in range(m)], rng.uniform(-2, 2, (n, d)).astype(np.float32)


@exercise(
    "run-ensemble",
    points=2,
    see="pytrees",
    hint=[
        "`vmap` wants one structure of stacked arrays: `jax.tree.map(lambda *leaves: jnp.stack(leaves), *models)`.",
        "Two `vmap`s, one inside the other. The outer one makes the leading axis: the models.",
    ],
)
def run_ensemble(answer, rng):
    runs = []

    def ask(which, models, x):
        try:
            facts = answer.probe(predictions_of, which, models, x)
        except probe.AnswerRaised as error:
            of_a_list = which == "layer" and re.search(r"argument \w+\[\d+\]", error.raised.message)
            message = (
                "A list of models was mapped as it is, so that `vmap` went through the axes of each model. Stack them."
            )
            refuse(of_a_list or "list indices must be" in error.raised.message, "not-stacked", message)
            other = which != "layer" and error.raised.kind in ("TypeError", "KeyError", "IndexError", "AttributeError")
            message = (
                "It works for models that are dictionaries, and fails for models of another structure. "
                "`jax.tree.map` takes any."
            )
            refuse(other, "one-structure-only", message)
            raise
        answer.called = "run_ensemble(predict, models, x)"
        runs.append((facts["runs"], len(models) * len(x)))
        return facts["predicted"]

    sweep(
        axes_explained(ask, "Each model sees all examples: in one `vmap` they are shared."),
        ensemble,
        ensemble_of,
        rng,
        shapes=[("layer", 2, 3, 2), ("distance", 3, 5, 5)],
        each=2,
        extremes=[
            *(ensemble_of(rng, sizes) for sizes in (("table", 3, 3, 2), ("layer", 1, 2, 1), ("layer", 1, 1, 1))),
            *(ensemble_of(rng, ("sketch", 4, 2, 3)) for _ in range(2)),
        ],
        slips=[
            Slip(
                "examples-first",
                lambda *args: np.swapaxes(ensemble(*args), 0, 1),
                "The predictions are right, but the examples are in front: the outer `vmap` makes the leading axis.",
                "in-axes",
            ),
            Slip(
                "axis-lost",
                lambda *args: ensemble(*args).squeeze(),
                "An axis of length 1 is lost. With one model, example or number in a prediction, it is still there.",
            ),
            Slip(
                "flattened",
                lambda *args: ensemble(*args).reshape(len(args[1]), len(args[2]), -1),
                "One prediction has lost its shape: it may have any, and it comes last in the result.",
            ),
            Slip(
                "averaged",
                lambda *args: ensemble(*args).mean(0),
                "That is the mean over the models. Every model's own predictions are wanted.",
            ),
            Slip(
                "leaves-made-floats",
                ensemble_of_floats,
                "A leaf of whole numbers came to `predict` as `float32`, and so as another number. A model is a pytree "
                "of arrays of any dtype: `jnp.stack` keeps it.",
            ),
        ],
        message="These are not the predictions of each model for each row.",
        rtol=1e-3,
    )
    again = max(count for count, pairs in runs if pairs > 1)
    message = (
        "The predictions are right, but Python ran `predict` more than once: a loop over models or examples does that. "
        "`vmap` runs it once."
    )
    refuse(again > 1, "predict-runs-again", message, see="one-example")


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


# -- augment ----------------------------------------------------------------------------------------------------

FAULTS = {
    "drawn-twice": "one key is drawn from twice",
    "drawn-and-split": "a key is drawn from and also split",
    "drawn-and-folded": "a key is drawn from and a number is also folded into it",
    "split-and-folded": "a key is split and a number is also folded into it",
    "split-in-two-ways": "a key is split twice, into different numbers of keys, of which some are the same",
    "same-in-every-step": "every step of a loop draws from the same key",
}
"""What a key is used for, in words."""


def augmented(augment, images, sigmas, seed):
    """The new images for each sigma and two keys, compiled; the first once more, and quiet ones for further keys."""
    compiled = jax.jit(augment, compiler_options={"xla_backend_optimization_level": 0})  # a third of the time
    keys = [jax.random.key(seed + i) for i in range(14)]
    steep = np.where(np.arange(images.shape[2]) == 1, np.float32(1e9), images)
    images, steep = probe.on_device((images, steep))
    first, other = ([compiled(key, images, sigma) for sigma in sigmas] for key in keys[:2])
    again = compiled(keys[0], images, sigmas[0])
    more = [compiled(key, images, sigmas[0]) for key in keys[2:]]
    facts = {"first": first, "other": other, "more": more, "steep": (steep, compiled(keys[0], steep, sigmas[0]))}
    return facts | {"repeats": np.array_equal(first[0], again)}


@probe.question(evidence="values")
def plainly(augment, images, asked):
    """The new images for each of several seeds and sigmas, not compiled."""
    return [augment(jax.random.key(seed), probe.on_device(images), sigma) for seed, sigma in asked]


def coins_of(images, quiet):
    """Which images came back reversed: for each True or False, or None if it is something else."""
    if np.shape(quiet) != images.shape:
        return [None] * len(images)
    reverse, same = ((quiet == old).all(axis=(1, 2)) for old in (images[:, :, ::-1], images))
    return np.where(reverse, True, np.where(same, False, None)).tolist()


def reversed_or_not(new, old):
    """Whether a row came back as it was, or reversed."""
    return np.array_equal(new, old) or np.array_equal(new, old[::-1])


def knows_of_the_coin(noise, coins):
    """How strongly the noise of any pixel, before or after the reversal, or its mean goes with the coin."""
    heads = np.asarray(coins, np.float64)
    before = np.where(heads[:, None, None] > 0, noise[:, :, ::-1], noise)
    features = np.concatenate([part.reshape(len(noise), -1) for part in (noise, before)], axis=1)
    features = np.column_stack([features, features.mean(axis=1)])
    return float(max(abs(np.corrcoef(feature, heads)[0, 1]) for feature in features.T))


def require_coins(images, quiet, other, more):
    """Require that without noise each image is reversed or not, by a fair coin of its own."""
    coins, others = coins_of(images, quiet), coins_of(images, other)
    pairs = list(zip(quiet, images, strict=True))
    upside_down = all(np.array_equal(new, old[::-1]) or np.array_equal(new, old) for new, old in pairs)
    message = (
        "Images are turned upside down. Inside the function, an image has two axes: 0 for its rows, 1 for its columns."
    )
    refuse(upside_down and None in coins, "upside-down", message)
    by_row = all(all(map(reversed_or_not, new, old)) for new, old in pairs)
    message = "Some rows of an image are reversed and others are not: there should be one coin for each image."
    refuse(by_row and None in coins, "a-coin-for-each-row", message)
    turned = all(np.array_equal(new, old[::-1, ::-1]) or np.array_equal(new, old) for new, old in pairs)
    message = "Both axes of an image are reversed: from left to right is along its axis 1 alone."
    refuse(turned and None in coins, "turned", message)
    message = "With `sigma = 0` an image should come back as it was, or reversed from left to right. One did neither."
    refuse(None in coins, "wrong-value", message)
    everywhere = {coin for some in more for coin in coins_of(images, some)} | set(coins) | set(others)
    message = (
        f"With {len(more) + 2} keys {'every' if True in everywhere else 'no'} image came back reversed: a fair coin "
        "falls both ways."
    )
    refuse(len(everywhere) == 1, "not-tossed", message)
    one = len(set(coins)) == 1 and len(set(others)) == 1
    message = (
        "All images got the same coin: a key that is shared is the same for all. Split it into one for each image."
    )
    refuse(one, "one-coin", message)
    message = "Another key gives the same coins: they do not come from the key."
    refuse(coins == others, "key-ignored", message)
    share = np.mean(coins)
    message = f"{share:.0%} of {len(coins)} images came back reversed: the coin should be fair."
    require(abs(share - 0.5) < 3 / math.sqrt(len(coins)), "unfair-coin", message)


def alike(rows):
    """The strongest correlation of two of several rows, with either sign."""
    found = np.abs(np.nan_to_num(np.corrcoef(rows)))
    return float(np.max(found - np.eye(len(found))))


def normal_share(values):
    """How many of standard normal numbers are below each value."""
    return np.array([0.5 * (1 + math.erf(value / math.sqrt(2))) for value in values])


def require_noise(noise, other):
    """Require standard normal noise, other for each pixel of each image."""
    whole = noise.std()
    same = [bool(noise.std(axis=axis).max() < 1e-3 * whole) for axis in range(3)]
    message = "All images got the same noise: each needs a key of its own."
    refuse(same[0], "one-noise", message)
    message = "The noise is the same along a row or a column of an image: every pixel has its own."
    refuse(same[1] or same[2], "noise-repeated", message)
    images = noise.reshape(len(noise), -1)
    message = "Some images got the same noise: each needs a key of its own, however many there are."
    refuse(alike(images) > 0.9999, "one-noise", message)
    message = "The noise of one pixel tells something about that of another: every pixel has its own."
    refuse(alike(images.T) > 0.4, "noise-repeated", message)
    message = "Another key gives the same noise: it does not come from the key."
    refuse(close(noise, other, rtol=1e-3), "key-ignored", message)
    message = (
        f"The noise has the mean {noise.mean():.1f} and the deviation {whole:.1f}, in units of `sigma`, not 0 and 1."
    )
    require(abs(noise.mean()) < 0.08 and abs(whole - 1) < 0.05, "wrong-noise", message)
    message = f"The largest of {noise.size} noise values is {np.abs(noise).max():.1f}: this noise is not normal."
    require(np.abs(noise).max() > 3, "wrong-noise", message)
    off = np.abs(normal_share(np.sort(noise.ravel())) - (np.arange(noise.size) + 0.5) / noise.size).max()
    message = "The noise has the mean 0 and the deviation 1, and is not normal: count how much of it is below 0.5."
    require(off < 0.04, "wrong-noise", message)


@exercise(
    "augment",
    points=2,
    see="a-key-each",
    hint=[
        "Write it for one image and one key. It draws twice, so it splits its key.",
        "`jax.random.split(key, len(images))` gives a key for each image; map over both.",
        "`jnp.where(coin, image[:, ::-1], image)`: under `vmap`, `if` cannot ask a coin.",
    ],
)
def augment(answer, rng):
    n, seed, sigma = 400, int(rng.integers(2**16)), float(rng.uniform(0.2, 0.8))
    images = np.arange(n * 12, dtype=np.float32).reshape(n, 3, 4) % 97 - 40
    facts, raised = answer.attempt(augmented, images, [0.0, sigma], seed, expected=probe.NEEDS_A_VALUE)
    answer.called = f"augment(jax.random.key({seed}), float32[{n},3,4], {sigma:.2f})"
    message = "While JAX traces, neither a coin nor `sigma` has a value that Python could ask: choose with `jnp.where`."
    refuse(raised, "branches-on-a-coin", message)
    message = "The same key gave other images: something other than the key is random here."
    require(facts["repeats"], "hidden-state", message)
    for got in [*facts["first"], *facts["other"]]:
        message = f"The shape should be {images.shape}, not {numbers(got).shape}."
        require(np.shape(got) == images.shape, "wrong-shape", message)
        require(
            np.asarray(got).dtype == np.float32, "wrong-dtype", "The dtype should be that of the images, `float32`."
        )
    quiet, loud = facts["first"]
    ignored = np.array_equal(quiet, loud) and not np.array_equal(quiet, facts["other"][0])
    refuse(ignored, "sigma-ignored", "With `sigma = 0` the result is the same as with another `sigma`: it is not used.")
    require_coins(images, quiet, facts["other"][0], facts["more"])
    message = (
        "Where one pixel is much brighter than its mirror image, the dark one is lost: it went through a difference of "
        "the two. `jnp.where` chooses, and computes nothing."
    )
    refuse(None in coins_of(*facts["steep"]), "lost-in-a-difference", message)
    heads = {coins_of(images, some).count(True) for some in (quiet, facts["other"][0], *facts["more"])}
    share = np.mean([coins_of(images, some).count(True) / n for some in facts["more"]])
    message = f"With {len(facts['more'])} keys {share:.0%} of the images came back reversed: the coin should be fair."
    require(abs(share - 0.5) < 0.045, "unfair-coin", message)
    message = f"With every key exactly {max(heads)} of {n} images are reversed, so the coins are not tossed one by one."
    refuse(len(heads) == 1, "coins-not-independent", message)
    noise = (loud.astype(np.float64) - quiet) / sigma
    require_noise(noise, (facts["other"][1].astype(np.float64) - facts["other"][0]) / sigma)
    uses = answer.probe(probe.key_uses, probe.on_device(images[:5]), sigma)
    fault = ", ".join(FAULTS[fault] for fault in uses["faults"])
    message = f"A key is used once, but here {fault}. The coins and the noise may depend on each other."
    refuse(fault, "key-reused", message, see="a-key-each")
    message = "The coins tell something about the noise: it depends on whether the image is reversed."
    refuse(knows_of_the_coin(noise, coins_of(images, quiet)) > 0.3, "coin-and-noise", message)
    square = rng.uniform(1, 5, (1, 3, 3)).astype(np.float32)
    quiet, some, more, other = answer.probe(plainly, square, [(seed, 0.0), (seed, 1.0), (seed, 3.0), (seed + 1, 1.0)])
    message = f"Images of shape {square.shape} came back as {np.shape(some)}."
    require(np.shape(some) == square.shape, "wrong-shape", message)
    message = "Not compiled, with `sigma = 0` a square image came back neither as it was nor reversed."
    refuse(None in coins_of(square, quiet), "wrong-value", message)
    message = "Three times the `sigma` should give three times the noise, with the same key."
    require(close(more - quiet, 3 * (some - quiet), rtol=1e-3), "wrong-noise", message)
    refuse(close(some, other), "key-ignored", "Not compiled, another key gives the same noise.")


def whole_batch(key, images, sigma, draw=jax.random.normal):
    """Two draws for all images at once."""
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * draw(for_noise, images.shape)


@right("augment")
def draws_for_the_whole_batch(key, images, sigma):
    return whole_batch(key, images, sigma)


@right("augment")
def folds_the_number_of_the_image_in(key, images, sigma):
    def one(i, image):
        coin, noise = jax.random.split(jax.random.fold_in(key, i))
        noisy = image + sigma * jax.random.normal(noise, image.shape)
        return jax.lax.cond(jax.random.randint(coin, (), 0, 2) == 1, lambda x: x[:, ::-1], lambda x: x, noisy) * 1.0

    return jax.vmap(one)(jnp.arange(len(images)), images)


def one_image(key, image, sigma):
    """What should happen to one image."""
    coin, noise = jax.random.split(key)
    image = jnp.where(jax.random.bernoulli(coin), image[:, ::-1], image)
    return image + sigma * jax.random.normal(noise, image.shape)


@wrong("augment", "one-coin")
def one_key_for_all(key, images, sigma):
    return jax.vmap(one_image, in_axes=(None, 0, None))(key, images, sigma)


@wrong("augment", "not-tossed")
def a_coin_with_one_side(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.randint(for_coins, (len(images), 1, 1), 0, 1) == 1
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "key-reused")
def one_key_for_coin_and_noise(key, images, sigma):
    def one(key, image):
        image = jnp.where(jax.random.bernoulli(key), image[:, ::-1], image)
        return image + sigma * jax.random.normal(key, image.shape)

    return jax.vmap(one)(jax.random.split(key, len(images)), images)


@wrong("augment", "key-reused")
def draws_the_noise_from_the_parent(key, images, sigma):
    coins = jax.vmap(jax.random.bernoulli)(jax.random.split(key, len(images)))
    flipped = jnp.where(coins[:, None, None], images[:, :, ::-1], images)
    return flipped + sigma * jax.random.normal(key, images.shape)


@wrong("augment", "one-noise")
def one_noise_for_all(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)

    def one(key, image):
        image = jnp.where(jax.random.bernoulli(key), image[:, ::-1], image)
        return image + sigma * jax.random.normal(for_noise, image.shape)

    return jax.vmap(one)(jax.random.split(for_coins, len(images)), images)


@wrong("augment", "noise-repeated")
def one_number_for_each_image(key, images, sigma):
    def one(key, image):
        coin, noise = jax.random.split(key)
        return jnp.where(jax.random.bernoulli(coin), image[:, ::-1], image) + sigma * jax.random.normal(noise)

    return jax.vmap(one)(jax.random.split(key, len(images)), images)


@wrong("augment", "upside-down")
def flips_the_rows(key, images, sigma):
    def one(key, image):
        coin, noise = jax.random.split(key)
        image = jnp.where(jax.random.bernoulli(coin), image[::-1], image)
        return image + sigma * jax.random.normal(noise, image.shape)

    return jax.vmap(one)(jax.random.split(key, len(images)), images)


@wrong("augment", "branches-on-a-coin")
def asks_the_coin(key, images, sigma):
    def one(key, image):
        coin, noise = jax.random.split(key)
        image = image[:, ::-1] if jax.random.bernoulli(coin) else image
        return image + sigma * jax.random.normal(noise, image.shape)

    return jax.vmap(one)(jax.random.split(key, len(images)), images)


@wrong("augment", "key-ignored")
def a_key_of_its_own(key, images, sigma):
    return whole_batch(jax.random.key(0), images, sigma)


@wrong("augment", "unfair-coin")
def reverses_one_in_three(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.randint(for_coins, (len(images), 1, 1), 0, 3) == 1
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "unfair-coin")
def reverses_four_in_ten(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.42, (len(images), 1, 1))
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "one-noise")
def begins_again_after_256(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    keys = jax.vmap(functools.partial(jax.random.fold_in, for_noise))(jnp.arange(len(images)) % 256)
    noise = jax.vmap(lambda key: jax.random.normal(key, images.shape[1:]))(keys)
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * noise


@wrong("augment", "noise-repeated")
def adds_a_row_and_a_column(key, images, sigma):
    n, h, w = images.shape

    def draw(key, shape):
        rows, columns = jax.random.split(key)
        return (jax.random.normal(rows, (n, h, 1)) + jax.random.normal(columns, (n, 1, w))) / math.sqrt(2)

    return whole_batch(key, images, sigma, draw)


@wrong("augment", "wrong-noise")
def noise_with_long_tails(key, images, sigma):
    return whole_batch(key, images, sigma / math.sqrt(2), jax.random.laplace)


@wrong("augment", "wrong-noise")
def uniform_noise(key, images, sigma):
    return whole_batch(key, images, sigma, functools.partial(jax.random.uniform, minval=-1.0))


@wrong("augment", "wrong-noise")
def right_deviation_but_uniform(key, images, sigma):
    draw = functools.partial(jax.random.uniform, minval=-math.sqrt(3), maxval=math.sqrt(3))
    return whole_batch(key, images, sigma, draw)


@wrong("augment", "coins-not-independent")
def exactly_half_of_them(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.permutation(for_coins, len(images))[:, None, None] < len(images) // 2
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "coin-and-noise")
def reads_the_coin_from_the_noise(key, images, sigma):
    noise = jax.random.normal(key, images.shape)
    return jnp.where(noise[:, :1, :1] > 0, images[:, :, ::-1], images) + sigma * noise


@wrong("augment", "a-coin-for-each-row")
def a_coin_for_each_row(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (*images.shape[:2], 1))
    return jnp.where(coins, images[:, :, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "lost-in-a-difference")
def adds_the_difference(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.randint(for_coins, (len(images), 1, 1), 0, 2)
    turned = images + coins * (images[:, :, ::-1] - images)
    return turned + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "wrong-value")
def rolls_the_columns(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    return jnp.where(coins, jnp.roll(images, 1, axis=2), images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "turned")
def reverses_both_ways(key, images, sigma):
    for_coins, for_noise = jax.random.split(key)
    coins = jax.random.bernoulli(for_coins, 0.5, (len(images), 1, 1))
    return jnp.where(coins, images[:, ::-1, ::-1], images) + sigma * jax.random.normal(for_noise, images.shape)


@wrong("augment", "sigma-ignored")
def forgets_sigma(key, images, sigma):
    return whole_batch(key, images, 1.0)


@wrong("augment", "hidden-state")
def numpys_own_noise(key, images, sigma):
    noise = jax.pure_callback(
        lambda: np.random.default_rng().normal(size=images.shape).astype(np.float32),
        jax.ShapeDtypeStruct(images.shape, jnp.float32),
    )
    return images + sigma * noise + 0 * noise * (noise > 0) + jnp.where(noise > 0, 1e-3, 0)


@wrong("augment", "wrong-shape")
def only_one_image(key, images, sigma):
    return one_image(key, images[0], sigma)


@wrong("augment", "wrong-dtype")
def whole_numbers(key, images, sigma):
    return whole_batch(key, images, sigma).astype(int)


# -- clip-each --------------------------------------------------------------------------------------------------


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


CLIPPING = [
    Slip(
        "clipped-the-mean",
        clip_of_the_mean,
        "The mean was clipped. By then a wild example has done its work: clip each gradient before the mean.",
    ),
    Slip(
        "not-clipped",
        mean_with(lambda each, limit: [1.0] * len(each)),
        "That is the plain mean of the gradients: none of them was clipped.",
    ),
    Slip(
        "each-leaf",
        mean_with(lambda each, limit: [shorter(length([leaf]), limit) for leaf in each]),
        "Each leaf was clipped by its own length. The length is that of all leaves of one gradient together.",
    ),
    Slip(
        "each-element",
        mean_with(lambda each, limit: [np.clip(leaf, -limit, limit) / np.where(leaf == 0, 1, leaf) for leaf in each]),
        "Each element was cut off at the limit, which changes the gradient's direction. Scale it all by one factor.",
    ),
    Slip(
        "scaled-up",
        mean_with(lambda each, limit: [divided(limit, length(each))] * len(each)),
        "All gradients were brought to the length `limit`. Those that are shorter should stay as they are.",
    ),
    Slip(
        "scaled-up",
        mean_with(lambda each, limit: [limit / length(each) if length(each) else 1.0] * len(each)),
        "All gradients were brought to the length `limit`. Those that are shorter should stay as they are.",
    ),
    Slip(
        "dropped",
        mean_with(lambda each, limit: [float(length(each) <= limit)] * len(each)),
        "Gradients above the limit were left out. They should be scaled down to it.",
    ),
    Slip(
        "zero-gradient",
        mean_with(lambda each, limit: [shorter(length(each), limit) if length(each) else math.nan] * len(each)),
        "A gradient that is 0 everywhere became NaN: its length is 0, and you divide by it.",
    ),
    Slip("sum-not-mean", sum_of_clipped, "The gradients are clipped as they should be, and then added: take the mean."),
    Slip(
        "length-of-the-batch",
        clip_by_the_batch,
        "One length was taken, over all examples together. Each example has its own.",
    ),
    Slip(
        "squared-length",
        mean_with(lambda each, limit: [shorter(length(each) ** 2, limit)] * len(each)),
        "The square of the length was compared with the limit: take the root.",
    ),
    Slip(
        "squared-length",
        mean_with(lambda each, limit: [limit / length(each) if length(each) ** 2 > limit else 1.0] * len(each)),
        "The square of the length was compared with the limit: take the root.",
    ),
    Slip(
        "length-of-one-norm",
        mean_with(lambda each, limit: [shorter(sum(length([leaf]) for leaf in each), limit)] * len(each)),
        "The lengths of the leaves were added. The length of all together is the root of the sum of their squares.",
    ),
]
"""What people do in place of clipping each gradient to its length."""


def losses(rng, sizes):
    """The arguments of one call, with gradients above and below the limit."""
    which, n = sizes
    xs = inputs.array(rng, (n, 2), "float32")
    if which == "squares":
        params = {"w": inputs.array(rng, (2, 2), "float32"), "b": inputs.array(rng, 2, "float32")}
        ys = inputs.array(rng, (n, 2), "float32")
    else:
        params = inputs.array(rng, 2, "float32"), np.asarray(rng.uniform(-1, 1), np.float32)
        ys = inputs.array(rng, n, "float32")
    lengths = [length(each) for each in gradients(which, params, xs, ys)]
    limit = float(rng.uniform(0.6, 1.6) * np.median([size for size in lengths if size] or [1.0]))
    return which, params, xs, ys, limit


def edges():
    """Calls where a length is exactly the limit, where a gradient is 0, and where all are short or one is wild."""
    xs, w, b = np.array([[3, 4], [6, 8], [0, 0], [0.3, 0.4]], np.float32), np.ones(2, np.float32), np.float32(2)
    ys = np.ones(4, np.float32)
    zero = np.array([1, 0, 1, 2], np.float32)
    return [
        ("bare", w, xs, ys, 5.0),
        ("bare", w, xs, ys, 100.0),
        ("bare", w, xs, ys, 7.0),
        ("bare", w, xs, zero, 0.1),
        ("linear", (w, b), xs, zero, 2.0),
        ("linear", (w, b), xs, 1000 * zero, 1.0),
        ("bare", w, xs, zero * np.float32(2.0**-40), 2.0**-41),
        ("picked", np.ones((3, 2), np.float32), xs, np.array([2, 0, 1, 2], np.int32), 2.0),
    ]


@exercise(
    "clip-each",
    points=3,
    see="a-gradient-each",
    hint=[
        "Write it for one example: its gradient, the length over all leaves, and a factor that is 1 for short ones.",
        "`jax.tree.leaves(gradient)` for the length, `jax.tree.map` for the factor; then `vmap`, then the mean.",
        "`limit / jnp.maximum(limit, length)` never divides by 0.",
    ],
)
def clip_each(answer, rng):
    def ask(*args):
        result = answer.probe(clipped_mean, *args)
        answer.called = "clip_each(loss, params, xs, ys, limit)"
        message = "The result should have the structure of `params`, leaf by leaf with the same shapes."
        shapes = [jax.tree.map(np.shape, tree) for tree in (args[1], result)]
        require(shapes[0] == shapes[1], "wrong-structure", message)
        return result

    cases = [("squares", 2), ("linear", 3)]
    sweep(
        axes_explained(ask, "`params` has no axis for the examples: it is shared."),
        clip,
        losses,
        rng,
        shapes=cases,
        each=2,
        extremes=[losses(rng, ("squares", 1)), losses(rng, ("squares", 2)), *edges()],
        slips=CLIPPING,
        message="This is not the mean of the clipped gradients.",
        rtol=1e-4,
    )


@right("clip-each")
def a_loop_and_a_list(loss, params, xs, ys, limit):
    clipped = []
    for x, y in zip(xs, ys, strict=True):
        leaves, structure = jax.tree.flatten(jax.grad(loss)(params, x, y))
        size = float(np.sqrt(sum(float(jnp.vdot(leaf, leaf)) for leaf in leaves)))
        clipped.append(structure.unflatten([leaf * (limit / size) if size > limit else leaf for leaf in leaves]))
    return jax.tree.map(lambda *leaves: sum(leaves) / len(leaves), *clipped)


@right("clip-each")
def weighs_the_stacked_gradients(loss, params, xs, ys, limit):
    each = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, xs, ys)
    sizes = jnp.sqrt(sum(jnp.sum(leaf.reshape(len(xs), -1) ** 2, axis=1) for leaf in jax.tree.leaves(each)))
    factors = jnp.where(sizes > limit, limit / jnp.where(sizes > limit, sizes, 1.0), 1.0)
    return jax.tree.map(lambda leaf: jnp.tensordot(factors, leaf, 1) / len(xs), each)


def per_example(loss, params, xs, ys):
    """The gradient of each example, stacked."""
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, xs, ys)


def mean_of(tree):
    """The mean over the examples."""
    return jax.tree.map(lambda leaf: leaf.mean(axis=0), tree)


def lengths_of(tree):
    """The length of each example's gradient."""
    return jax.vmap(lambda one: jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(one))))(tree)


def scaled_by(tree, factors):
    """Each example's gradient times its factor."""
    return jax.vmap(lambda one, factor: jax.tree.map(lambda leaf: factor * leaf, one))(tree, factors)


@wrong("clip-each", "clipped-the-mean")
def clips_the_mean(loss, params, xs, ys, limit):
    mean = mean_of(per_example(loss, params, xs, ys))
    size = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(mean)))
    return jax.tree.map(lambda leaf: leaf * limit / jnp.maximum(size, limit), mean)


@wrong("clip-each", "not-clipped")
def does_not_clip(loss, params, xs, ys, limit):
    return mean_of(per_example(loss, params, xs, ys))


@wrong("clip-each", "each-leaf")
def clips_leaf_by_leaf(loss, params, xs, ys, limit):
    def clipped(leaf):
        return leaf * limit / jnp.maximum(jnp.sqrt(jnp.sum(leaf**2)), limit)

    return mean_of(jax.vmap(lambda one: jax.tree.map(clipped, one))(per_example(loss, params, xs, ys)))


@wrong("clip-each", "each-element")
def clips_elements(loss, params, xs, ys, limit):
    return mean_of(jax.tree.map(lambda leaf: jnp.clip(leaf, -limit, limit), per_example(loss, params, xs, ys)))


@wrong("clip-each", "scaled-up")
def normalises(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, limit / lengths_of(each)))


@wrong("clip-each", "zero-gradient")
def divides_by_zero(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    sizes = lengths_of(each)
    return mean_of(scaled_by(each, jnp.minimum(sizes, limit) / sizes))


@wrong("clip-each", "sum-not-mean")
def adds_them(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    clipped = scaled_by(each, limit / jnp.maximum(limit, lengths_of(each)))
    return jax.tree.map(lambda leaf: leaf.sum(axis=0), clipped)


@wrong("clip-each", "length-of-the-batch")
def one_length_for_all(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    size = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(each)))
    return mean_of(jax.tree.map(lambda leaf: leaf * limit / jnp.maximum(size, limit), each))


@wrong("clip-each", "squared-length")
def forgets_the_root(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, limit / jnp.maximum(limit, lengths_of(each) ** 2)))


@wrong("clip-each", "squared-length")
def asks_the_square(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    sizes = lengths_of(each)
    return mean_of(scaled_by(each, jnp.where(sizes**2 > limit, limit / sizes, 1.0)))


@wrong("clip-each", "length-of-one-norm")
def adds_the_lengths_of_the_leaves(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    sizes = jax.vmap(lambda one: sum(jnp.sqrt(jnp.sum(leaf**2)) for leaf in jax.tree.leaves(one)))(each)
    return mean_of(scaled_by(each, limit / jnp.maximum(limit, sizes)))


@wrong("clip-each", "wrong-structure")
def keeps_the_examples(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return scaled_by(each, limit / jnp.maximum(limit, lengths_of(each)))


@wrong("clip-each", "axes-clash")
def maps_the_parameters(loss, params, xs, ys, limit):
    return mean_of(jax.vmap(jax.grad(loss))(params, xs, ys))


@wrong("clip-each", "scaled-up")
def normalises_all_but_0(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    sizes = lengths_of(each)
    return mean_of(scaled_by(each, limit / jnp.where(sizes == 0, 1.0, sizes)))


@wrong("clip-each", "wrong-value")
def takes_half_the_limit(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, 0.5 * limit / jnp.maximum(0.5 * limit, lengths_of(each))))


@wrong("clip-each", "wrong-value")
def adds_an_epsilon(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, jnp.minimum(1.0, limit / (lengths_of(each) + 1e-8))))


@wrong("clip-each", "dropped")
def drops_the_long_ones(loss, params, xs, ys, limit):
    each = per_example(loss, params, xs, ys)
    return mean_of(scaled_by(each, jnp.where(lengths_of(each) > limit, 0.0, 1.0)))


# -- read-the-batch ---------------------------------------------------------------------------------------------


def counted_in_the_batch():
    """The six numbers, asked of JAX."""
    runs = []

    def f(w, x):
        runs.append(1)
        y = x
        for _ in range(2):
            y = jnp.sin(w.T @ (w @ y))
        return jnp.sum(y)

    mapped = jax.vmap(f, in_axes=(None, 0))
    w, xs = np.ones((3, 4), np.float32), np.ones((100, 4), np.float32)
    ran = {}
    for name, function in (("mapped", mapped), ("jax.jit(mapped)", jax.jit(mapped))):
        runs.clear()
        for _ in range(5):
            function(w, xs)
        ran[f"runs in five calls of {name}"] = len(runs)
    found = probe.primitives(mapped, w, xs)  # last: what is traced here, `jit` would not trace again
    facts = {name: found.get(name, 0) for name in ("dot_general", "sin", "reduce_sum")}
    return facts | {"scan and while": found.get("scan", 0) + found.get("while", 0)} | ran


read_the_batch = prediction(
    "read-the-batch",
    see="a-rewrite",
    hint=[
        "Write down the operations of one example first. `vmap` adds an axis to each of them.",
        "`vmap` alone keeps nothing from one call to the next; `jit` keeps the program.",
    ],
    truth=counted_in_the_batch,
    mistakes=[
        Mistake(
            "one-for-each-example",
            [{"dot_general": any_of(400, 200, 100)}, {"sin": any_of(200, 100)}, {"reduce_sum": 100}],
            "The program of the batch has the operations of one example, each with one more axis: not one for each.",
        ),
        Mistake(
            "loop-over-the-examples",
            {"scan and while": any_of(1, 100, 2)},
            "There is no loop over the examples: each operation works on all of them. Python's loop of two rounds ran "
            "while the function was traced.",
        ),
        Mistake(
            "rounds-not-counted",
            [{"dot_general": any_of(1, 2)}, {"sin": 1}],
            "The Python loop ran twice, with two products and a sine in each round.",
        ),
        Mistake(
            "vmap-does-not-compile",
            {"runs in five calls of mapped": 1},
            "`vmap` alone keeps nothing: at every call Python runs the function again, to rewrite it.",
        ),
        Mistake(
            "python-runs-for-each",
            [
                {"runs in five calls of mapped": any_of(500, 100)},
                {"runs in five calls of jax.jit(mapped)": any_of(500, 100)},
            ],
            "Python runs the function once for all examples of a call: with one tracer, which stands for the batch.",
        ),
        Mistake(
            "jit-keeps-it",
            {"runs in five calls of jax.jit(mapped)": any_of(5, 0)},
            "`jit` runs the function in the first call, and not again for the same shapes.",
        ),
    ],
    otherwise="Trace it for one example, and add an axis to every operation.",
)

# -- standardise ------------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def standardised(standardise, batch):
    """What an answer makes of a batch, mapped with a name."""
    return jax.vmap(standardise, axis_name="batch")(probe.on_device(batch))


def standard(batch):
    """The oracle."""
    centred = batch - np.mean(batch, axis=0, dtype=np.float64)
    return centred / np.sqrt(np.mean(centred**2, axis=0))


def own(batch, axis):
    """The mistake: the statistics of each example itself."""
    axes = tuple(range(1, batch.ndim)) if axis is None else axis
    return (batch - batch.mean(axes, keepdims=True)) / batch.std(axes, keepdims=True)


def varied(rng, shape):
    """A batch in which every element varies."""
    scale = 10 ** rng.uniform(-9, 3, shape[1:])
    order = rng.permuted(np.broadcast_to(np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)), shape), axis=0)
    batch = scale * (order + rng.uniform(-0.2, 0.2, shape) + rng.uniform(-5, 5, shape[1:]))
    return (batch.astype(np.float32),)


def with_added(batch, *, added):
    """The mistake: a small number is added to the variance."""
    centred = batch - batch.mean(0, dtype=np.float64)
    return centred / np.sqrt(np.mean(centred**2, axis=0) + added)


INSIDE = [
    Slip(
        "own-statistics",
        lambda batch: own(batch, None),
        "These are the mean and the deviation of each example by itself. Inside there is no batch: `jax.lax.pmean` "
        "takes the mean over the axis with a name.",
    ),
    Slip(
        "own-statistics",
        lambda batch: own(batch, 1),
        "Axis 0 of one example is its own first axis, not the batch. `jax.lax.pmean` takes the mean over the batch.",
    ),
    Slip(
        "n-minus-one",
        lambda batch: standard(batch) * math.sqrt((len(batch) - 1) / len(batch)),
        "The squares were divided by one less than their number. The task wants their mean.",
    ),
    *(
        Slip(
            "something-added",
            functools.partial(with_added, added=added),
            f"{added:g} was added before the division, so elements that vary little come out too small. Every element "
            "varies: there is nothing to guard against.",
        )
        for added in (1e-3, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12)
    ),
    Slip(
        "over-everything",
        lambda batch: (batch - batch.mean()) / batch.std(),
        "One mean and one deviation were taken over all elements of all examples. Each element has its own.",
    ),
    Slip(
        "absolute-deviation",
        lambda batch: (batch - batch.mean(0)) / np.abs(batch - batch.mean(0)).mean(0),
        "You divided by the mean absolute deviation. The standard deviation is the root of the mean square.",
    ),
    Slip("only-centred", lambda batch: batch - batch.mean(0), "The mean is 0, but the deviation is not yet 1: divide."),
    Slip("not-centred", lambda batch: batch / batch.std(0), "The deviation is 1, but the mean is not 0: subtract it."),
    Slip(
        "divided-by-variance",
        lambda batch: standard(batch) / batch.std(0),
        "You divided by the mean square. The standard deviation is its root.",
    ),
    Slip(
        "sum-for-mean",
        lambda batch: (batch - batch.sum(0)) / np.sqrt(np.sum((batch - batch.sum(0)) ** 2, axis=0)),
        "`psum` gives the sum over the batch. `pmean` gives the mean.",
    ),
    Slip(
        "sum-for-mean",
        lambda batch: standard(batch) / math.sqrt(len(batch)),
        "The squares were added up: the deviation is the root of their mean.",
    ),
    Slip(
        "square-not-centred",
        lambda batch: (batch - batch.mean(0)) / np.sqrt(np.mean(batch**2, axis=0)),
        "The squares are those of the numbers themselves. The deviation is from the mean: subtract before you square.",
    ),
]
"""What people compute in place of the batch's statistics."""


@exercise(
    "standardise",
    points=2,
    see="seen-from-inside",
    hint=['`jax.lax.pmean(x, "batch")` is the mean over the batch, element by element.', "Subtract before you square."],
)
def standardise(answer, rng):
    def ask(batch):
        try:
            result = answer.probe(standardised, batch)
        except probe.AnswerRaised as error:
            unknown = "unbound axis name" in error.raised.message
            message = "There is no axis of that name here: the batch is called `batch`."
            refuse(unknown, "unbound-axis", message)
            message = (
                f"It works for examples of shape `(d,)`, and fails for those of shape `{batch.shape[1:]}`. `pmean` "
                "works element by element, whatever the shape."
            )
            refuse(batch.ndim != 2, "one-shape-only", message)
            raise
        answer.called = f'jax.vmap(standardise, axis_name="batch")(float32{list(batch.shape)})'
        return result

    message = "Over the batch, every element should have the mean 0 and the deviation 1."
    both = {"slips": INSIDE, "message": message, "rtol": 2e-3}
    sweep(ask, standard, varied, rng, shapes=[(5, 3), (4, 4)], each=3, **both)
    sweep(ask, standard, varied, rng, shapes=[(6,), (3, 2, 4)], each=2, **both)
    (far,) = varied(rng, (5, 3))
    far = far + np.float32(4000) * far.std(0)
    message = (
        "Far from 0 the deviation is lost: the mean of the squares and the square of the mean are large and nearly "
        "equal, and float32 has seven digits. Subtract the mean before you square."
    )
    require(close(ask(far), standard(far), rtol=2e-2), "digits-lost", message)


@right("standardise")
def gathers_the_batch(x):
    batch = jax.lax.all_gather(x, "batch")
    return (x - batch.mean(axis=0)) / batch.std(axis=0)


@right("standardise")
def sums_and_sizes(x):
    n = jax.lax.psum(1, "batch")
    centred = x - jax.lax.psum(x, "batch") / n
    return centred * jax.lax.rsqrt(jax.lax.psum(centred * centred, "batch") / n)


@wrong("standardise", "own-statistics")
def of_one_example(x):
    return (x - x.mean()) / x.std()


@wrong("standardise", "own-statistics")
def along_axis_0(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


@wrong("standardise", "n-minus-one")
def divides_by_n_minus_one(x):
    n = jax.lax.psum(1, "batch")
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.psum(centred**2, "batch") / (n - 1))


@wrong("standardise", "something-added")
def as_batch_norm_does(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.pmean(centred**2, "batch") + 1e-5)


@wrong("standardise", "something-added")
def adds_next_to_nothing(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.pmean(centred**2, "batch") + 1e-12)


@wrong("standardise", "wrong-value")
def adds_to_the_deviation(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / (jnp.sqrt(jax.lax.pmean(centred**2, "batch")) + 1e-6)


@wrong("standardise", "over-everything")
def gathers_everything(x):
    batch = jax.lax.all_gather(x, "batch")
    return (x - batch.mean()) / batch.std()


@wrong("standardise", "absolute-deviation")
def by_the_absolute_deviation(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jax.lax.pmean(jnp.abs(centred), "batch")


@wrong("standardise", "one-shape-only")
def column_by_column(x):
    batch = jax.lax.all_gather(x, "batch")
    return jnp.stack([(x[k] - batch[:, k].mean()) / batch[:, k].std() for k in range(len(x))])


@wrong("standardise", "only-centred")
def subtracts_only(x):
    return x - jax.lax.pmean(x, "batch")


@wrong("standardise", "not-centred")
def divides_only(x):
    return x / jnp.sqrt(jax.lax.pmean((x - jax.lax.pmean(x, "batch")) ** 2, "batch"))


@wrong("standardise", "divided-by-variance")
def forgets_the_square_root(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jax.lax.pmean(centred**2, "batch")


@wrong("standardise", "sum-for-mean")
def psum_everywhere(x):
    centred = x - jax.lax.psum(x, "batch")
    return centred / jnp.sqrt(jax.lax.psum(centred**2, "batch"))


@wrong("standardise", "sum-for-mean")
def psum_of_the_squares(x):
    centred = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.psum(centred**2, "batch"))


@wrong("standardise", "square-not-centred")
def squares_the_numbers(x):
    return (x - jax.lax.pmean(x, "batch")) / jnp.sqrt(jax.lax.pmean(x**2, "batch"))


@wrong("standardise", "digits-lost")
def squares_first(x):
    mean = jax.lax.pmean(x, "batch")
    return (x - mean) / jnp.sqrt(jax.lax.pmean(x**2, "batch") - mean**2)


@wrong("standardise", "unbound-axis")
def another_name(x):
    return x - jax.lax.pmean(x, "i")


@wrong("standardise", "wrong-value")
def by_the_largest(x):
    return (x - jax.lax.pmean(x, "batch")) / jax.lax.pmax(jnp.abs(x), "batch")


# -- mean-of-all ------------------------------------------------------------------------------------------------


def counting(x, lengths):
    """Which elements count."""
    return np.arange(x.shape[1]) < np.asarray(lengths)[:, None]


def mean_of_counted(x, lengths):
    """The oracle."""
    return np.asarray(x, np.float64)[counting(x, lengths)].mean()


def mean_of_row_means(x, lengths, *, empty):
    """The mistake: the mean of the rows' means; an empty row gives NaN, 0, or nothing."""
    means = [row[:n].mean() if n else np.nan for row, n in zip(np.asarray(x, np.float64), lengths, strict=True)]
    means = {"nan": means, "0": np.nan_to_num(means), "none": [mean for mean in means if mean == mean]}[empty]
    return np.mean(means)


def padded(rng, shape):
    """Rows of different lengths, with something else beyond."""
    lengths = rng.integers(0, shape[1] + 1, shape[0]).astype(np.int32)
    lengths[rng.integers(shape[0])] = rng.integers(1, shape[1] + 1)
    return filled(rng, inputs.array(rng, shape, "float32", low=-1, high=3), lengths, float(rng.choice([0, 7])))


def filled(rng, x, lengths, beyond):
    """The arguments of one call, with `beyond` in every place that does not count."""
    return np.where(counting(x, lengths), x, np.float32(beyond)), np.asarray(lengths, np.int32)


ROWS = [
    *(
        Slip(
            "mean-of-means",
            functools.partial(mean_of_row_means, empty=empty),
            "That is the mean of the rows' means: a short row weighs as much as a long one. Return a sum from each "
            "row, and divide once.",
        )
        for empty in ("nan", "0", "none")
    ),
    Slip(
        "empty-row",
        lambda x, lengths: mean_of_counted(x, lengths) if np.all(lengths) else np.nan,
        "A row in which nothing counts makes everything NaN: its own mean is 0 / 0. Return sums, and divide once.",
    ),
    Slip(
        "zeros-not-counted",
        lambda x, lengths: (
            np.asarray(x, np.float64)[counting(x, lengths)].sum() / np.count_nonzero(x[counting(x, lengths)])
        ),
        "Elements that are 0 were not counted. `lengths` says what counts, not the values.",
    ),
    Slip(
        "from-the-right",
        lambda x, lengths: np.asarray(x, np.float64)[:, ::-1][counting(x, lengths)].mean(),
        "The elements were counted from the right.",
    ),
    Slip(
        "padding-counted",
        lambda x, lengths: np.mean(x, dtype=np.float64),
        "What lies beyond the lengths was counted as well.",
    ),
    Slip(
        "divided-by-all",
        lambda x, lengths: np.asarray(x, np.float64)[counting(x, lengths)].sum() / x.size,
        "The sum is right, but it was divided by the number of all places. Divide by the number of those that count.",
    ),
    Slip(
        "divided-by-rows",
        lambda x, lengths: np.asarray(x, np.float64)[counting(x, lengths)].sum() / len(x),
        "The sum was divided by the number of rows. Divide by the number of elements that count.",
    ),
    Slip(
        "one-too-many",
        lambda x, lengths: np.asarray(x, np.float64)[np.arange(x.shape[1]) <= lengths[:, None]].sum() / lengths.sum(),
        "One element too many was taken from each row: `arange` starts at 0, so `<` is what counts `length` of them.",
    ),
    Slip("only-the-sum", lambda x, lengths: np.asarray(x, np.float64)[counting(x, lengths)].sum(), "That is the sum."),
    Slip(
        "mean-of-each-row",
        lambda x, lengths: np.array([row[:n].sum() / n for row, n in zip(x, lengths, strict=True)]),
        "One mean came back for each row. One number is wanted, for all rows together.",
    ),
]
"""What people take for the mean of all."""


@probe.question(evidence="values")
def operation_by_operation(mean_of_all, x, lengths):
    """The answer's result where nothing is compiled: XLA may make a choice of a product with a mask."""
    with jax.disable_jit():
        return mean_of_all(*probe.on_device((x, lengths)))


@exercise(
    "mean-of-all",
    see="mean-of-means",
    hint=[
        "Each row returns a sum. Divide once, by how many elements count in all.",
        "`jnp.where(jnp.arange(row.shape[0]) < length, row, 0)`",
    ],
)
def mean_of_all(answer, rng):
    def ask(x, lengths):
        late = probe.NEEDS_A_VALUE | probe.NEEDS_A_SHAPE
        result, raised = answer.attempt(probe.under_jit, x, lengths, expected=late)
        message = (
            "A shape depends on `lengths` here, which have no value while `jit` traces: neither a slice nor a mask as "
            "an index can be compiled. Keep all places, and choose with `jnp.where`."
        )
        refuse(raised, "shape-from-values", message)
        return result

    more = {"slips": ROWS, "message": "This is not the mean of all elements that count.", "rtol": 1e-4}
    x = rng.uniform(1, 3, (2, 4)).astype(np.float32)
    zeros = x * [[1, 0, 1, 1], [1, 1, 0, 0]]
    edges = [filled(rng, x, lengths, 5) for lengths in ([0, 4], [3, 0], [4, 4])]
    long = rng.uniform(1, 3, (80, 1000)).astype(np.float32)  # the lengths in all need more than 16 bits
    edges.append(filled(rng, long, rng.integers(850, 1001, 80), 5))
    narrow = filled(rng, rng.uniform(1, 3, (3, 200)).astype(np.float32), [0, 120, 127], 5)
    edges += [(narrow[0], narrow[1].astype(kind)) for kind in ("int8", "uint8")]
    edges += [filled(rng, zeros.astype(np.float32), lengths, 5) for lengths in ([3, 4], [2, 1], [4, 4])]
    sweep(ask, mean_of_counted, padded, rng, shapes=[(3, 3), (4, 2), (1, 3), (2, 1)], each=3, extremes=edges, **more)
    product = "0 times NaN is NaN. `jnp.where` chooses, and what it leaves out is gone."
    for lengths, beyond in (([1, 3], np.nan), ([2, 0], np.inf)):
        args = filled(rng, x, lengths, beyond)
        ways = {
            "": ask(*args),
            " without `jit`": answer.probe(probe.on_jax_arrays, *args),
            " in `with jax.disable_jit():`": answer.probe(operation_by_operation, *args),
        }
        for where, got in ways.items():
            message = f"NaN or infinity beyond the lengths reached the result{where}: {product}"
            require(close(got, mean_of_counted(*args), rtol=1e-4), "multiplied-the-mask", message)
    for bad in (np.nan, np.inf):
        counted, lengths = np.where(np.arange(4) == 1, np.float32(bad), x), np.array([2, 4], np.int32)
        message = f"An element that counts is {bad}, so the mean is {bad} too: it should not be cleaned away."
        require(close(ask(counted, lengths), bad), "cleaned-away", message)


@right("mean-of-all")
def sums_the_whole_table(x, lengths):
    counts = jnp.arange(x.shape[1])[None, :] < lengths[:, None]
    return jnp.mean(x, where=counts)


@right("mean-of-all")
def sums_and_counts_from_each_row(x, lengths):
    def row(values, n):
        counts = jnp.arange(values.size) < n
        return jnp.sum(values, where=counts), counts.sum()

    sums, counts = jax.vmap(row)(x, lengths)
    return jnp.sum(sums) / jnp.sum(counts)


def row_mean(row, n):
    """The mean of the elements of one row that count."""
    return jnp.where(jnp.arange(row.shape[0]) < n, row, 0).sum() / n


@wrong("mean-of-all", "mean-of-means")
def means_of_rows(x, lengths):
    return jax.vmap(row_mean)(x, lengths).mean()


@wrong("mean-of-all", "mean-of-means")
def means_of_rows_with_zeros(x, lengths):
    return jnp.nan_to_num(jax.vmap(row_mean)(x, lengths)).mean()


@wrong("mean-of-all", "mean-of-means")
def means_of_rows_that_are_not_empty(x, lengths):
    return jnp.nanmean(jax.vmap(row_mean)(x, lengths))


@wrong("mean-of-all", "empty-row")
def weighs_the_means_of_rows(x, lengths):
    return (jax.vmap(row_mean)(x, lengths) * lengths).sum() / lengths.sum()


@wrong("mean-of-all", "zeros-not-counted")
def counts_what_is_not_0(x, lengths):
    kept = jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, 0)
    return kept.sum() / jnp.count_nonzero(kept)


@wrong("mean-of-all", "from-the-right")
def takes_the_last_ones(x, lengths):
    return jnp.where(jnp.arange(x.shape[1])[::-1] < lengths[:, None], x, 0).sum() / lengths.sum()


@wrong("mean-of-all", "padding-counted")
def ignores_the_lengths(x, lengths):
    return x.mean()


@wrong("mean-of-all", "divided-by-all")
def divides_by_the_size(x, lengths):
    return jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, 0).mean()


@wrong("mean-of-all", "divided-by-rows")
def divides_by_the_rows(x, lengths):
    return jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, 0).sum() / len(x)


@wrong("mean-of-all", "one-too-many")
def one_more_of_each(x, lengths):
    return jnp.where(jnp.arange(x.shape[1]) <= lengths[:, None], x, 0).sum() / lengths.sum()


@wrong("mean-of-all", "only-the-sum")
def does_not_divide(x, lengths):
    return jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, 0).sum()


@wrong("mean-of-all", "mean-of-each-row")
def forgets_the_last_mean(x, lengths):
    return jax.vmap(row_mean)(x, lengths)


@wrong("mean-of-all", "shape-from-values")
def slices(x, lengths):
    return sum(x[i, : lengths[i]].sum() for i in range(len(x))) / lengths.sum()


@wrong("mean-of-all", "shape-from-values")
def indexes_with_a_mask(x, lengths):
    return x[jnp.arange(x.shape[1]) < lengths[:, None]].mean()


@wrong("mean-of-all", "multiplied-the-mask")
def multiplies_by_the_mask(x, lengths):
    return (x * (jnp.arange(x.shape[1]) < lengths[:, None]).astype(x.dtype)).sum() / lengths.sum()


@wrong("mean-of-all", "multiplied-the-mask")
def multiplies_by_truth(x, lengths):
    counts = jnp.arange(x.shape[1]) < lengths[:, None]
    return (x * counts).sum() / counts.sum()


@wrong("mean-of-all", "wrong-value")
def counts_in_16_bits(x, lengths):
    counts = jnp.arange(x.shape[1]) < lengths[:, None]
    return jnp.where(counts, x, 0).sum() / counts.sum(dtype=jnp.int16)


@wrong("mean-of-all", "wrong-value")
def goes_up_to_one_less(x, lengths):
    last = lengths - lengths.dtype.type(1)  # of no sign, 0 has a large number before it
    return jnp.where(jnp.arange(x.shape[1]) <= last[:, None], x, 0).sum() / lengths.sum()


@wrong("mean-of-all", "cleaned-away")
def leaves_nan_out(x, lengths):
    return jnp.nanmean(jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, jnp.nan))


@wrong("mean-of-all", "wrong-value")
def median_of_what_counts(x, lengths):
    return jnp.nanmedian(jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, jnp.nan))


# -- median-distances -------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def medians(median_distances, x, batch_size):
    """What an answer gives, compiled for one batch size."""
    quickly = {"xla_backend_optimization_level": 0}
    return jax.jit(median_distances, static_argnums=1, compiler_options=quickly)(probe.on_device(x), batch_size)


def growth(median_distances, sizes, columns, batch_size):
    """For several numbers of rows, the bytes of temporaries and the number of equations."""
    given = [jax.ShapeDtypeStruct((n, columns), jnp.float32) for n in sizes]

    def of(x):
        return median_distances(x, batch_size)

    found = [[str(equation.primitive) for equation in probe.equations(jax.make_jaxpr(of)(x))] for x in given]
    facts = {"equations": list(map(len, found)), "temporaries": [], "outside": any("callback" in n for n in found[0])}
    if len(set(facts["equations"])) > 1 or facts["outside"]:
        return facts
    return facts | {"temporaries": [probe.program(of, x)["temporaries"] for x in given]}


def table_of_distances(x):
    """All distances, in float64."""
    x = np.asarray(x, np.float64)
    return np.sqrt(((x[:, None] - x) ** 2).sum(-1))


def median_of_distances(x, batch_size):
    """The oracle."""
    return np.median(table_of_distances(x), axis=1)


def without_itself(x, batch_size):
    """The mistake: a row's distance to itself is left out."""
    table = table_of_distances(x)
    return np.array([np.median(np.delete(row, i)) for i, row in enumerate(table)])


def by_batches(x, batch_size):
    """The mistake: distances only within a batch."""
    parts = [x[i : i + batch_size] for i in range(0, len(x), batch_size)]
    return np.concatenate([median_of_distances(part, batch_size) for part in parts])


PAIRS = [
    Slip(
        "without-itself",
        without_itself,
        "The distance of a row to itself was left out. The task counts it.",
    ),
    Slip(
        "within-the-batch",
        by_batches,
        "Each row was compared with the rows of its own batch only. The batch says how many are worked on at a time; "
        "each of them looks at all rows.",
    ),
    Slip(
        "root-of-the-median",
        lambda x, batch_size: np.sqrt(np.median(table_of_distances(x) ** 2, axis=1)),
        "The median of the squares was taken, and then the root. For an even number of rows that is the root of a mean "
        "of two squares, and not the mean of two distances.",
    ),
    Slip(
        "zeros-counted",
        lambda x, batch_size: np.median(
            table_of_distances(np.pad(x, ((0, -len(x) % batch_size), (0, 0))))[: len(x)], axis=1
        ),
        "The rows of zeros that fill the last batch were counted as points.",
    ),
    Slip(
        "squared",
        lambda x, batch_size: np.median(table_of_distances(x) ** 2, axis=1),
        "These are medians of squared distances: take the root.",
    ),
    Slip(
        "mean-distance",
        lambda x, batch_size: table_of_distances(x).mean(1),
        "That is the mean distance. The median was asked for.",
    ),
    Slip(
        "upper-median",
        lambda x, batch_size: np.sort(table_of_distances(x), axis=1)[:, len(x) // 2],
        "For an even number of rows the median lies halfway between the two in the middle.",
    ),
]
"""What people take for the medians."""


def points(rng, sizes):
    """The arguments of one call."""
    n, d, batch_size = sizes
    scale = 1e-7 if d == 1 else rng.choice([1e-7, 1, 1e7])
    return (scale * inputs.array(rng, (n, d), "float32")).astype(np.float32), batch_size


@exercise(
    "median-distances",
    points=2,
    see="memory",
    hint=[
        "Write it for one row: its distances to all rows of `x`, and their median.",
        "`jax.lax.map(function, x, batch_size=batch_size)` takes so many rows at a time.",
    ],
)
def median_distances(answer, rng):
    def ask(x, batch_size):
        try:
            result = answer.probe(medians, x, batch_size)
        except probe.AnswerRaised as error:
            rest = any(words in error.raised.message for words in ("cannot reshape", "reshape total size"))
            message = f"{len(x)} rows in batches of {batch_size} leave a remainder, and it counts too."
            refuse(rest, "no-rest", message)
            raise
        answer.called = f"median_distances(float32{list(x.shape)}, {batch_size})"
        numbers(result)
        filled = np.shape(result) == (-(-len(x) // batch_size) * batch_size,) != (len(x),)
        message = f"{len(x)} rows gave {np.size(result)} medians: the padding of the last batch came back as well."
        refuse(filled, "filling-returned", message)
        lost = np.shape(result) == (len(x) // batch_size * batch_size,) != (len(x),)
        message = f"Of {len(x)} rows in batches of {batch_size}, the remainder that fills no batch is missing."
        refuse(lost, "no-rest", message)
        return result

    sweep(
        ask,
        median_of_distances,
        points,
        rng,
        shapes=[(5, 3, 2), (6, 6, 4)],
        each=2,
        extremes=[points(rng, (4, 1, 9))],
        slips=PAIRS,
        message="These are not the medians of the distances.",
        rtol=1e-3,
    )
    alone = rng.uniform(-1, 1, (1, 2)).astype(np.float32)
    expect(ask(alone, 1), [0.0], "One row alone is at the distance 0 from itself.", label="one-row")
    far = (np.array([1, 1, 1, -1, -1])[:, None] * 1000 + rng.uniform(-1, 1, (5, 3))).astype(np.float32)
    message = "Far from 0, digits are lost: a square is expanded into large terms that nearly cancel. Subtract first."
    near = slice(3)  # their medians are small, and the squares of their coordinates are not
    require(close(ask(far, 2)[near], median_of_distances(far, 2)[near], rtol=1e-2), "digits-lost", message)
    facts = answer.probe(growth, [128, 256], 3, 8)
    few, many = facts["equations"]
    message = (
        f"The jaxpr has {few} equations for 128 rows and {many} for 256: a Python loop writes its body out each time."
    )
    require(few == many, "unrolled", message, see="memory")
    message = "The work is handed back to Python, so its memory is not that of the compiled program. Stay in JAX."
    refuse(facts["outside"], "called-back", message)
    few, many = facts["temporaries"]
    message = (
        "The medians are right. But for twice as many rows the temporary memory is nearly four times as large: the "
        "table of all pairs is there at once."
    )
    require(many < 3 * few + 4096, "all-at-once", message)
    (alone,) = answer.probe(growth, [256], 3, 1)["temporaries"]
    message = (
        f"With `batch_size=1`, there are {alone:,} bytes of temporary arrays for 256 rows, as if many rows were worked "
        "on at a time. `batch_size` says how many may be."
    )
    require(alone < 16 * 4 * 256, "larger-batches", message)


@right("median-distances")
def one_row_at_a_time(x, batch_size):
    return jax.lax.map(lambda row: jnp.median(jnp.linalg.norm(x - row, axis=1)), x)


@right("median-distances")
def pads_and_scans(x, batch_size):
    n = len(x)
    rows = jnp.pad(x, ((0, -n % batch_size), (0, 0)), mode="edge").reshape(-1, batch_size, x.shape[1])

    def step(_, some):
        return None, jnp.median(jnp.sqrt(jnp.sum((some[:, None] - x) ** 2, axis=-1)), axis=1)

    return jax.lax.scan(step, None, rows)[1].reshape(-1)[:n]


def from_row(x):
    """The median distance of one row to all rows."""
    return lambda row: jnp.median(jnp.sqrt(((x - row) ** 2).sum(axis=1)))


@wrong("median-distances", "all-at-once")
def vmaps_all(x, batch_size):
    return jax.vmap(from_row(x))(x)


@wrong("median-distances", "all-at-once")
def maps_with_a_batch_of_all(x, batch_size):
    return jax.lax.map(from_row(x), x, batch_size=len(x))


@wrong("median-distances", "larger-batches")
def always_takes_sixteen(x, batch_size):
    return jax.lax.map(from_row(x), x, batch_size=16)


@wrong("median-distances", "unrolled")
def loops_over_the_batches(x, batch_size):
    parts = [x[i : i + batch_size] for i in range(0, len(x), batch_size)]
    return jnp.concatenate([jax.vmap(from_row(x))(part) for part in parts])


@wrong("median-distances", "no-rest")
def reshapes_into_batches(x, batch_size):
    rows = x.reshape(-1, batch_size, x.shape[1])
    return jax.lax.map(jax.vmap(from_row(x)), rows).reshape(-1)


@wrong("median-distances", "no-rest")
def drops_the_rest(x, batch_size):
    whole = len(x) // batch_size * batch_size
    rows = x[:whole].reshape(-1, batch_size, x.shape[1])
    return jax.lax.map(jax.vmap(from_row(x)), rows).reshape(-1)


def filled_batches(x, batch_size):
    """The rows in whole batches, with zeros behind them."""
    return jnp.pad(x, ((0, -len(x) % batch_size), (0, 0))).reshape(-1, batch_size, x.shape[1])


@wrong("median-distances", "filling-returned")
def returns_what_fills_the_batch(x, batch_size):
    return jax.lax.map(jax.vmap(from_row(x)), filled_batches(x, batch_size)).ravel()


@wrong("median-distances", "zeros-counted")
def counts_what_fills_the_batch(x, batch_size):
    rows = filled_batches(x, batch_size)
    return jax.lax.map(jax.vmap(from_row(rows.reshape(-1, x.shape[1]))), rows).ravel()[: len(x)]


@wrong("median-distances", "root-of-the-median")
def the_root_at_the_end(x, batch_size):
    return jax.lax.map(lambda row: jnp.sqrt(jnp.median(((x - row) ** 2).sum(axis=1))), x, batch_size=batch_size)


@wrong("median-distances", "called-back")
def asks_numpy(x, batch_size):
    def on_the_host(x):
        table = np.sqrt(((np.asarray(x)[:, None] - np.asarray(x)) ** 2).sum(-1))
        return np.median(table, axis=1).astype(np.float32)

    return jax.pure_callback(on_the_host, jax.ShapeDtypeStruct(x.shape[:1], jnp.float32), x)


@wrong("median-distances", "one-row")
def nothing_for_one_row(x, batch_size):
    return jnp.ones(1) if len(x) == 1 else jax.lax.map(from_row(x), x, batch_size=batch_size)


@wrong("median-distances", "without-itself")
def leaves_itself_out(x, batch_size):
    def one(i):
        distances = jnp.sqrt(((x - x[i]) ** 2).sum(axis=1))
        return jnp.nanmedian(jnp.where(jnp.arange(len(x)) == i, jnp.nan, distances))

    return jax.lax.map(one, jnp.arange(len(x)), batch_size=batch_size)


@wrong("median-distances", "within-the-batch")
def looks_at_its_batch_only(x, batch_size):
    parts = [x[i : i + batch_size] for i in range(0, len(x), batch_size)]
    return jnp.concatenate([jax.vmap(from_row(part))(part) for part in parts])


@wrong("median-distances", "wrong-value")
def adds_under_the_root(x, batch_size):
    def one(row):
        return jnp.median(jnp.sqrt(((x - row) ** 2).sum(axis=1) + 1e-12))

    return jax.lax.map(one, x, batch_size=batch_size)


@wrong("median-distances", "squared")
def forgets_the_root_of_the_squares(x, batch_size):
    return jax.lax.map(lambda row: jnp.median(((x - row) ** 2).sum(axis=1)), x, batch_size=batch_size)


@wrong("median-distances", "mean-distance")
def takes_the_mean_distance(x, batch_size):
    return jax.lax.map(lambda row: jnp.linalg.norm(x - row, axis=1).mean(), x, batch_size=batch_size)


@wrong("median-distances", "upper-median")
def the_one_in_the_middle(x, batch_size):
    def one(row):
        return jnp.sort(jnp.linalg.norm(x - row, axis=1))[len(x) // 2]

    return jax.lax.map(one, x, batch_size=batch_size)


@wrong("median-distances", "digits-lost")
def expands_the_square(x, batch_size):
    def one(row):
        squares = (x**2).sum(1) + (row**2).sum() - 2 * x @ row
        own = (x == row).all(axis=1)
        return jnp.median(jnp.sqrt(jnp.where(own, 0.0, jnp.maximum(squares, 0.0))))

    return jax.lax.map(one, x, batch_size=batch_size)


@wrong("median-distances", "wrong-value")
def the_largest_distance(x, batch_size):
    return jax.lax.map(lambda row: jnp.linalg.norm(x - row, axis=1).max(), x, batch_size=batch_size)


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent("mind-the-axes", "`1`  ->  `-1`", "a result of two axes: the last is axis 1"),
    equivalent("each-star", "`0`  ->  `-1`", "an array of one axis: the last is axis 0"),
    equivalent("each-star", "`1`  ->  `-1`", "a result of two axes: the last is axis 1"),
    equivalent(
        "augment",
        "`jnp.where(reverse, image[:, ::-1], image)`  ->  `jnp.where(reverse, image, image[:, ::-1])`",
        "the coin is fair: heads and tails are the same",
    ),
    equivalent(
        "augment",
        "`jnp.where(reverse, image[:, ::-1], image)`  ->  `reverse * image[:, ::-1] + (1 - reverse) * image`",
        "the same for pixels that are finite, as those of images are",
    ),
    equivalent(
        "augment",
        "`image + sigma * jax.random.normal(noise, image.shape)`  ->  "
        "`image - sigma * jax.random.normal(noise, image.shape)`",
        "the noise is symmetric",
    ),
    equivalent("clip-each", "`jnp.maximum`  ->  `jnp.fmax`", "they differ for a gradient that is NaN only"),
    equivalent("mean-of-all", "`0`  ->  `-1`", "a row has one axis"),
    equivalent(
        "median-distances",
        "`jax.lax.map(from_one, x, batch_size=batch_size)`  ->  `jax.lax.map(from_one, x)`",
        "one row at a time is allowed, and takes less memory still",
    ),
    equivalent(
        "median-distances",
        "numbers remembered from the first call",
        "the batch size decides how much memory is used, and not what the medians are",
    ),
]
