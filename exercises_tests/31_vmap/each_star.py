"""each-star: the light of all stars, from a model of one star whose `params` have any structure."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse

from ._lesson import MISSING, OF_A_NUMBER, STRUCTURE, UNEQUAL, in_its_terms


def lights(each_star, which, period, phase, depth, power, times):
    """What an answer makes of a model, how often Python ran that model, and whether `params` are others now."""
    runs = []

    def dips(params, times):
        runs.append(1)
        angle = times / params["period"] + params["phase"]
        return params["dip"]["depth"] * jnp.cos(angle) ** params["dip"]["power"]

    def decays(params, times):
        runs.append(1)
        period, (phase, depth, power) = params
        return jnp.cumsum(jnp.where(times > period, depth, phase)) * power

    def bends(params, times):
        runs.append(1)
        (period, phase), depth = params["knots"], params["top"]
        knots = jnp.stack([jnp.zeros_like(period), period])
        return jnp.interp(times, knots, jnp.stack([phase, depth])) + params["base"]

    def ticks(params, times):
        runs.append(1)
        power, star, depth = params
        period, phase = star["star"]
        return depth * jnp.cos(times * power + phase) / period

    def packed(model, *parts, power):
        period, phase, depth = probe.on_device(parts)
        return {
            dips: {"period": period, "phase": phase, "dip": {"depth": depth, "power": power}},
            decays: (period, [phase, depth, power]),
            bends: {"knots": [period, phase], "top": depth, "base": power},
            ticks: [power, {"star": (period, phase)}, depth],
        }[model]

    model = {"dips": dips, "decays": decays, "bends": bends, "ticks": ticks}[which]
    each_star(  # another model was asked before
        lambda params, times: model(params, times) + 1,
        packed(model, period, phase, depth, power=power),
        probe.on_device(times),
    )
    runs.clear()
    counts = []
    for before in (power + 1, power):  # what was asked before, with another power and with this one
        each_star(model, packed(model, depth, period, phase, power=before), probe.on_device(times + 1))
        counts.append(len(runs))
        runs.clear()
    given = packed(model, period, phase, depth, power=power)
    leaves, structure = jax.tree.flatten(given)
    light = each_star(model, given, probe.on_device(times))
    now, built = jax.tree.flatten(given)
    same = built == structure and all(one is two for one, two in zip(leaves, now, strict=True))
    return {"light": light, "runs": max(*counts, len(runs)), "changed": not same}


def light_of_stars(which, period, phase, depth, power, times):
    """The oracle: a loop in NumPy over the stars."""
    one = {
        "dips": lambda P, p, d: d * np.cos(times / P + p) ** power,
        "decays": lambda P, p, d: np.cumsum(np.where(times > P, d, p)) * power,
        "bends": lambda P, p, d: np.interp(times, [0.0, P], [p, d]) + power,
        "ticks": lambda P, p, d: d * np.cos(times * power + p) / P,
    }[which]
    return np.stack([one(*star) for star in zip(period, phase, depth, strict=True)], axis=1)


def stars(rng, sizes):
    which, n, t = sizes
    period, phase, depth = rng.uniform(1, 3, (3, n)).astype(np.float32)
    power = int(rng.choice([1, 3, 4]))  # not the one of the lesson's cell, which may have been written out
    power = power if which == "decays" else power - 0.5 if which == "bends" else float(power)
    return which, period, phase, depth, power, np.linspace(0, 4, t, dtype=np.float32)


def untouched(facts, *case):
    """The light, where the caller's `params` are what they were."""
    refuse(facts["changed"], "changed-the-params")
    return facts["light"]


def once(answer, rng):
    """Python runs the model once in each call."""
    facts = answer.probe(lights, *stars(rng, ("dips", 4, 3)))
    refuse(facts["runs"] > 1, "model-runs-again")


MISTAKES = {
    "a-row-for-each": lambda *case: light_of_stars(*case).T,
    "reshaped": lambda *case: light_of_stars(*case).T.reshape(len(case[-1]), -1),
    "flattened": lambda *case: light_of_stars(*case).T.ravel(),
    "power-frozen": lambda *case: light_of_stars(*case[:4], 2.0, case[5]),
}
RAISING = {
    "number-mapped": OF_A_NUMBER,
    "axis-not-there": MISSING,
    "in-axes-structure": STRUCTURE,
    "axes-clash": UNEQUAL,
}
OF_ANOTHER = {
    "number-mapped": OF_A_NUMBER,
    "one-structure-only": lambda error: STRUCTURE(error) or (in_its_terms(error) and error.raised.kind != "ValueError"),
}

WORDS = """
hint: Write down `params` with an axis in the place of each array. It is 0, or `None` for what is shared.
hint: `jnp.ndim(leaf)` is 0 for a number. `jax.tree.map` makes a structure like `params` from a function of one leaf.
hint: `in_axes=(that structure, None)` has one entry for each argument of `model`.
number-mapped: You asked `vmap` to map a number, which has no axis. It can only be shared, with `None`.
axis-not-there: You asked `vmap` to map an axis that an array does not have. Map axis 0 of each array in `params`, and
    share `times`.
in-axes-structure: Your `in_axes` doesn't have the structure of the arguments. It is a tuple with one entry for each,
    and an entry may go down into its argument, key by key.
axes-clash: `vmap` goes through all mapped axes in step, and yours differ in length. Only the arrays in `params` have an
    axis for the stars. Share `times`, by position.
one-structure-only: Your answer works for a dictionary like the lesson's, and not for `params` of another structure. Any
    leaf may be the number, so look at each leaf itself.
changed-the-params: You changed the caller's own `params`. Make new ones.
a-row-for-each [in-axes]: Your light is right, but each star is in a row. `out_axes=1` puts the stars into columns.
reshaped: You used `reshape` to transpose. It reads the same numbers in the same order into another shape. `out_axes=1`
    puts the stars into columns.
flattened: Your stars follow each other in one long row. `out_axes` gives them an axis of their own.
power-frozen: Your light is that for a `power` of 2, whatever `power` you are given. Take it from `params`.
wrong-value: Your result is not the light of each star, one in each column.
model-runs-again [one-example]: Your light is right, but Python ran `model` more than once in a call. `vmap` runs it
    once, for all stars.
"""

CALL = {"ask": lights, "reads": untouched, "shows": "each_star(model, params, times)", "rtol": 1e-3}
each_star = declare(
    "each-star",
    points=2,
    see="pytrees",
    steps=[
        Agrees(light_of_stars, stars, [("dips", 4, 3)], each=2, mistakes=MISTAKES, raising=RAISING, **CALL),
        Agrees(
            light_of_stars,
            stars,
            [("decays", 2, 5), ("ticks", 2, 5)],
            each=2,
            extremes=lambda rng: [stars(rng, sizes) for sizes in (("bends", 3, 3), ("dips", 1, 1))],
            raising=OF_ANOTHER,
            **CALL,
        ),
        once,
    ],
    words=WORDS,
)
