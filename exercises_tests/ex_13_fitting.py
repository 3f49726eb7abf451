"""Checks of lesson 13, fitting: what is asked, what people get wrong, and what each mistake is told."""

import collections
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
import scipy.optimize
from jax.flatten_util import ravel_pytree

from jaxcourse import probe
from jaxcourse.bans import NoLoops
from jaxcourse.exercise import (
    close,
    equivalent,
    exercise,
    expect,
    first_difference,
    numbers,
    refuse,
    require,
    right,
    wrong,
)
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

FLOAT32 = 1e-4
"""Relative tolerance of a result in `float32` that has lost some digits on the way."""


def all_close(got, want, rtol=FLOAT32):
    """Whether lists of arrays agree, one by one, up to a part of the largest number of all."""
    if [np.shape(part) for part in got] != [np.shape(part) for part in want]:
        return False
    return close(joined(got), joined(want), rtol=rtol)


def joined(parts):
    """Arrays as one vector."""
    return np.concatenate([np.ravel(np.asarray(part, np.float64)) for part in parts])


def unit_of(matrix, *, larger):
    """The unit of the second parameter that makes a matrix's smallest eigenvalue a millionth of its largest.

    It is a power of two, so nothing is rounded. A millionth is small, but not the rounding of `float32`.
    """
    for power in range(20):
        unit = 2.0 ** (power if larger else -power)
        values = np.linalg.eigvalsh(matrix * np.outer([1, unit], [1, unit]))
        if values[0] < 1.6e-6 * values[-1]:
            break
    return unit


def slipped(cases, slips, rtol=FLOAT32):
    """Diagnose the first slip that explains every case, and differs from what is right in two of them.

    Args:
        cases: what came back, what is right, and what each slip would give, by its label: lists of arrays.
        slips: the message of each label.
        rtol: see `close`.
    """
    for label, message in slips.items():
        telling = sum(label in by and not all_close(by[label], want, rtol) for _, want, by in cases)
        fits = all(all_close(got, by.get(label, want), rtol) for got, want, by in cases)
        refuse(telling >= 2 and fits, label, message)


# -- gradient-step ----------------------------------------------------------------------------------------------


def stepped_down(student_function, structure, calls):
    """The leaves after a step on losses of known gradient, for several sets of leaves, and what became of the tree."""
    pair = collections.namedtuple("Line", "slope offset")

    @jax.jit  # one program for each structure, and not one for each operation and shape
    def loss_of(weight, params):
        parts = jax.tree.leaves(params)
        total = sum(jnp.sum(part) for part in parts)
        terms = sum(jnp.sum((i + 1) * part**2 / 2 + jnp.cos(part)) for i, part in enumerate(parts))
        return weight * (terms + total**2 / 8)

    facts, losses = [], {}
    for leaves, weight, rate in calls:
        loss = losses.setdefault(weight, functools.partial(loss_of, weight))
        a, b, c, backwards = probe.on_device([*leaves, leaves[0][::-1]])
        p, q = map(np.array, leaves[:2])  # arrays of NumPy, which could be written into
        trees = {
            "an array": a,
            "a named tuple": pair(a, b),
            "a tuple of NumPy arrays": (p, q),
            "a nested dictionary": {"layers": [(a, b), (c,)], "scale": {"y": a, "x": backwards}},  # JAX sorts names
            "a list": [c, a],
        }
        params = trees[structure]
        given, known = [np.array(leaf) for leaf in jax.tree.leaves(params)], jax.tree.structure(params)
        result = student_function(loss, params, rate)
        found = jax.tree.leaves(result)
        mine = jax.tree.leaves(params)
        facts.append(
            {
                "same": jax.tree.structure(result) == known,
                "kept": all(np.array_equal(*pair) for pair in zip(mine, given, strict=True)),
                "given": given,
                "leaves": [np.array(leaf) for leaf in found],
                "dtypes": [str(getattr(leaf, "dtype", type(leaf).__name__)) for leaf in found],
            }
        )
    return facts


STEP_SLIPS = {
    "uphill": "You went up: the gradient points to where the loss grows, so it is subtracted.",
    "rate-forgotten": "The whole gradient was subtracted: multiply it by the rate.",
    "gradient-only": "That is the gradient. Subtract it, times the rate, from the parameters.",
    "step-only": "That is the step alone: add it to the parameters.",
    "normalised": "You divided the gradient by its length. A step of gradient descent is the rate times the gradient.",
    "two-steps": "Those are two steps, one after the other. One was asked for.",
    "one-leaf-after-another": (
        "Right for one array. With several, you moved one and took a new gradient for the next: take one for all."
    ),
}


def slopes_at(leaves, weight):
    """The gradient of the loss, by hand: each leaf depends on the sum of all."""
    total = sum(float(p.sum()) for p in leaves)
    return [weight * ((i + 1) * p - np.sin(p) + total / 4) for i, p in enumerate(leaves)]


def down(leaves, weight, rate):
    """The oracle: a step from each leaf, in double precision."""
    return [p - rate * g for p, g in zip(leaves, slopes_at(leaves, weight), strict=True)]


def one_by_one(leaves, weight, rate):
    """Steps of one leaf after the other, with a new gradient for each."""
    leaves = list(leaves)
    for i in range(len(leaves)):
        leaves[i] = leaves[i] - rate * slopes_at(leaves, weight)[i]
    return leaves


def slips_down(leaves, weight, rate):
    """What each mistake would give."""
    slopes = slopes_at(leaves, weight)
    length = math.sqrt(sum(float((g**2).sum()) for g in slopes)) or 1.0
    both = list(zip(leaves, slopes, strict=True))
    return {
        "uphill": [p + rate * g for p, g in both],
        "rate-forgotten": [p - g for p, g in both],
        "gradient-only": slopes,
        "step-only": [-rate * g for g in slopes],
        "normalised": [p - rate * g / length for p, g in both],
        "two-steps": down(down(leaves, weight, rate), weight, rate),
        "one-leaf-after-another": one_by_one(leaves, weight, rate),
    }


@exercise(
    "gradient-step",
    see="a-loss",
    hint=[
        "`jax.grad(loss)(params)` has the structure of `params`.",
        "`jax.tree.map(lambda p, g: ..., params, gradient)`",
    ],
)
def gradient_step(answer, rng):
    cases = []
    for structure in ("an array", "a named tuple", "a tuple of NumPy arrays", "a nested dictionary", "a list"):
        calls = []
        for unit, weight, more in (
            (1, 1.0, 1),
            (1, 1.0, 1),
            (1, 1e4, 1),
            (1, 1e-6, 1e5),
            (1e4, 1.0, 1),
        ):  # losses in several units
            leaves = [rng.normal(0, 2 * unit, shape).astype(np.float32) for shape in [(3,), (), (2, 4)]]
            calls.append((leaves, weight, float(more * rng.uniform(0.05, 0.4))))
        calls[1] = (*calls[1][:2], calls[0][2])  # the same loss and rate, at another place
        calls[-1] = (*calls[-1][:2], 2)
        found, raised = answer.attempt(stepped_down, structure, calls, expected={"TypeError", "AttributeError"})
        answer.called = f"gradient_step(loss, {structure}, {calls[0][2]:.3g})"
        message = (
            f"For parameters in {structure} it failed: it takes them for something else. `jax.tree.map` reaches the "
            "arrays of any tree."
        )
        refuse(raised, "not-any-tree", message)
        for facts, (_, weight, rate) in zip(found, calls, strict=True):
            message = f"The parameters came in {structure}, and came back in another structure: the loss needs its own."
            require(facts["same"], "structure-lost", message)
            odd = next((dtype for dtype in facts["dtypes"] if dtype != "float32"), "")
            refuse(odd, "dtype-lost", f"`float32` went in, and `{odd}` came out.")
            message = (
                f"The parameters came in {structure} that is no longer what it was: something was written into it, or "
                "it was donated. Whoever has it lost the old ones."
            )
            require(facts["kept"], "changed-input", message)
            given = [leaf.astype(np.float64) for leaf in facts["given"]]
            cases.append((facts["leaves"], down(given, weight, rate), slips_down(given, weight, rate)))
    slipped(cases, STEP_SLIPS)
    for got, want, _ in cases:
        for leaf, goal in zip(got, want, strict=True):
            expect(leaf, goal, "Each leaf minus the rate times its gradient.", rtol=FLOAT32)


@right("gradient-step")
def flattens_and_unflattens(loss, params, rate):
    value, gradient = jax.value_and_grad(loss)(params)
    leaves, structure = jax.tree.flatten(params)
    return structure.unflatten([p - rate * g for p, g in zip(leaves, jax.tree.leaves(gradient), strict=True)])


@right("gradient-step")
def by_optax(loss, params, rate):
    plain = optax.sgd(rate)
    updates, _ = plain.update(jax.grad(loss)(params), plain.init(params))
    return optax.apply_updates(params, updates)


@wrong("gradient-step", "uphill")
def climbs(loss, params, rate):
    return jax.tree.map(lambda p, g: p + rate * g, params, jax.grad(loss)(params))


@wrong("gradient-step", "wrong-value")
def walks_in_the_order_of_insertion(loss, params, rate):
    slopes = iter(jax.tree.leaves(jax.grad(loss)(params)))

    def walk(node):
        if isinstance(node, dict):
            return {name: walk(child) for name, child in node.items()}
        if hasattr(node, "_fields"):
            return type(node)(*map(walk, node))
        return type(node)(map(walk, node)) if isinstance(node, (list, tuple)) else node - rate * next(slopes)

    return walk(params)


@wrong("gradient-step", "rate-forgotten")
def whole_gradient(loss, params, rate):
    return jax.tree.map(jnp.subtract, params, jax.grad(loss)(params))


@wrong("gradient-step", "gradient-only")
def only_the_gradient(loss, params, rate):
    return jax.grad(loss)(params)


@wrong("gradient-step", "step-only")
def only_the_step(loss, params, rate):
    return jax.tree.map(lambda g: -rate * g, jax.grad(loss)(params))


@wrong("gradient-step", "not-any-tree")
def for_arrays(loss, params, rate):
    return params - rate * jax.grad(loss)(params)


@wrong("gradient-step", "structure-lost")
def leaves_in_a_list(loss, params, rate):
    pairs = zip(jax.tree.leaves(params), jax.tree.leaves(jax.grad(loss)(params)), strict=True)
    return [p - rate * g for p, g in pairs]


@wrong("gradient-step", "normalised")
def unit_length(loss, params, rate):
    gradient = jax.grad(loss)(params)
    return jax.tree.map(lambda p, g: p - rate * g / optax.tree.norm(gradient), params, gradient)


@wrong("gradient-step", "two-steps")
def twice(loss, params, rate):
    for _ in range(2):
        params = jax.tree.map(lambda p, g: p - rate * g, params, jax.grad(loss)(params))
    return params


@wrong("gradient-step", "one-leaf-after-another")
def a_new_gradient_for_each(loss, params, rate):
    leaves, structure = jax.tree.flatten(params)
    for i in range(len(leaves)):
        slopes = jax.tree.leaves(jax.grad(loss)(structure.unflatten(leaves)))
        leaves[i] = leaves[i] - rate * slopes[i]
    return structure.unflatten(leaves)


@wrong("gradient-step", "changed-input")
def writes_into_the_tree(loss, params, rate):
    def walk(p, g):
        if isinstance(p, (dict, list)):
            for k in p if isinstance(p, dict) else range(len(p)):
                p[k] = walk(p[k], g[k])
            return p
        if isinstance(p, tuple):
            moved = [walk(a, b) for a, b in zip(p, g, strict=True)]
            return type(p)(*moved) if hasattr(p, "_fields") else tuple(moved)
        return p - rate * g

    return walk(params, jax.grad(loss)(params))


@wrong("gradient-step", "changed-input")
def steps_in_place(loss, params, rate):
    def moved(p, g):
        p -= rate * np.asarray(g)
        return p

    return jax.tree.map(moved, params, jax.grad(loss)(params))


@wrong("gradient-step", "dtype-lost")
def in_half_precision(loss, params, rate):
    step = lambda p, g: (p - rate * g).astype(jnp.bfloat16)  # noqa: E731
    return jax.tree.map(step, params, jax.grad(loss)(params))


@wrong("gradient-step", "wrong-value")
def clips_the_gradient(loss, params, rate):
    return jax.tree.map(lambda p, g: p - rate * jnp.clip(g, -100, 100), params, jax.grad(loss)(params))


@wrong("gradient-step", "wrong-value")
def keeps_the_first_program(loss, params, rate):
    gradient = _KEPT.setdefault(str(jax.tree.structure(params)), jax.jit(jax.grad(loss)))
    return jax.tree.map(lambda p, g: p - rate * g, params, gradient(params))


_KEPT: dict = {}


@wrong("gradient-step", "wrong-value")
def half_the_rate(loss, params, rate):
    return jax.tree.map(lambda p, g: p - rate / 2 * g, params, jax.grad(loss)(params))


# -- predict-the-rate -------------------------------------------------------------------------------------------


def walked():
    """The six entries, by walking."""

    def named(rate):
        path = [1.0]
        for _ in range(50):
            path.append(path[-1] - rate * 100 * path[-1])
        sizes, falls = np.abs(path), abs(path[-1]) < 0.9
        if sizes[1] < 1e-9:
            return "arrives"
        if path[1] > 0:
            return "glides"
        return "zigzags" if falls else "stays" if np.isclose(sizes[-1], 1) else "grows"

    u, steps = 1.0, 0
    while u >= 0.5:
        u, steps = u - 0.015 * u, steps + 1
    names = {f"v at {rate}": named(rate) for rate in (0.001, 0.01, 0.015, 0.02, 0.021)}
    return names | {"steps until u < 0.5 at 0.015": steps}


predict_the_rate = prediction(
    "predict-the-rate",
    see="step-size",
    hint=[
        "Along `v` the curvature is 100: what is 1 - 100 r at each rate?",
        "The factor of `u` is 1 - 0.015. How often must it be applied until one half is left?",
    ],
    truth=walked,
    choices=["glides", "arrives", "zigzags", "stays", "grows"],
    mistakes=[
        Mistake(
            "curvature-forgotten",
            {"v at 0.015": "glides", "v at 0.021": "glides"},
            "The step is the rate times the slope, and the slope of `v` is 100 v: the factor is 1 - 100 r.",
        ),
        Mistake(
            "half-forgotten",
            {"v at 0.01": "stays", "v at 0.015": "grows"},
            "At 0.01 the factor is 0 and at 0.015 it is -0.5. The half in front of the loss takes off the 2 of the "
            "square: the curvature along `v` is 100, not 200.",
        ),
        Mistake(
            "limit-is-one",
            [{"v at 0.015": "grows"}, {"v at 0.015": "stays"}],
            "At 0.015 the factor is -0.5. It changes the sign, but it halves the size: the limit is 2/λ, not 1/λ.",
        ),
        Mistake(
            "beyond-the-limit",
            {"v at 0.021": any_of("zigzags", "stays")},
            "At 0.021 the factor is -1.1: each step leads further away than the one before.",
        ),
        Mistake(
            "at-the-limit",
            {"v at 0.02": any_of("zigzags", "grows")},
            "At 0.02 the factor is exactly -1: `v` jumps from wall to wall, always at the same height.",
        ),
        Mistake(
            "newton-step",
            {"v at 0.01": any_of("glides", "zigzags")},
            "At 0.01 the factor is 0: a rate of 1/λ leads to the bottom in one step.",
        ),
        Mistake(
            "steps-of-v",
            {"steps until u < 0.5 at 0.015": any_of(1, 2)},
            "That is how fast `v` falls. The curvature of `u` is 1, so its factor is 1 - 0.015.",
        ),
        Mistake(
            "off-by-one-step",
            {"steps until u < 0.5 at 0.015": any_of(45, 47)},
            "Nearly: 0.985 to the power of 45 is just above one half. After how many steps is `u` below it?",
        ),
        Mistake(
            "linear-decay",
            {"steps until u < 0.5 at 0.015": any_of(33, 34)},
            "Each step takes off 1.5 % of what is left, not of the start.",
        ),
    ],
    otherwise="Compute the factor 1 - rλ first.",
)

# -- fit-with-optax ---------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def fitted_by(student_function, kind, all_starts, centres, weights, steps):
    """What a fit of known course returns, described, from several starts."""
    optimisers = {
        "momentum": optax.sgd(0.1, momentum=0.9),
        "adam": optax.adam(0.1),
        "adamw": optax.adamw(0.1, weight_decay=0.5),
        "warm-up": optax.sgd(optax.linear_schedule(0.0, 0.2, 4)),
        "clip_by_block_rms": optax.chain(optax.clip_by_block_rms(0.5), optax.sgd(0.1)),
    }

    def pack(parts):
        parts = probe.on_device([np.asarray(part) for part in parts])
        if len(parts) == 1:
            return parts[0]
        return [parts[0], (parts[1],)] if steps == 1 else {"w": [parts[0]], "b": (parts[1],)}

    goals, scales = pack(centres), pack(weights)

    def loss(params):
        parts = jax.tree.map(lambda p, c, w: jnp.sum(w * (p - c) ** 2) / 2, params, goals, scales)
        return sum(jax.tree.leaves(parts))

    facts = []
    for starts in all_starts:
        params = pack(starts)
        known = jax.tree.structure(params)
        result = student_function(optimisers[kind], loss, params, steps)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            facts.append({"pair": False})
            continue
        after, losses = result
        same = jax.tree.structure(after) == known
        parts = jax.tree.leaves(after)[:: 1 if steps == 1 else -1] if same else []  # JAX sorts the names
        one = jax.tree.structure(losses) == jax.tree.structure(0)
        facts.append(
            {
                "pair": True,
                "turned": len(starts) > 1 and jax.tree.structure(losses) == known,
                "same": same,
                "params": [np.array(part) for part in parts],
                "losses": np.array(losses) if one else np.zeros((0, 0)),
            }
        )
    return facts


def equations_of_fits(student_function, all_steps):
    """How many equations fits of several lengths have, with the body of a loop counted once."""

    def loss(p):
        return jnp.sum((p - 3.0) ** 2)

    optimiser, counts = optax.adam(0.1), []
    for steps in all_steps:
        found = probe.primitives(lambda p: student_function(optimiser, loss, p, steps), probe.on_device(np.zeros(2)))  # noqa: B023
        counts.append(-1 if any("callback" in name for name in found) else sum(found.values()))
    return counts


def descended(kind, starts, centres, weights, steps, *, sign=1.0, forget=False):
    """The oracle: parameters after each number of steps, in double precision; with a mistake, if asked for."""
    p = [np.asarray(part, np.float64) for part in starts]
    first, second = [0 * part for part in p], [0 * part for part in p]
    path = [p]
    for step in range(1, steps + 1):
        if forget:
            first, second, step = [0 * part for part in p], [0 * part for part in p], 1
        slopes = [w * (part - c) for part, c, w in zip(p, centres, weights, strict=True)]
        moves = []
        for i, g in enumerate(slopes):
            if kind == "momentum":
                first[i] = 0.9 * first[i] + g
                moves.append(-0.1 * first[i])
            elif kind == "clip_by_block_rms":
                moves.append(-0.1 * g / max(1, np.sqrt((g**2).mean()) / 0.5))
            elif kind == "warm-up":
                moves.append(-0.2 * min(step - 1, 4) / 4 * g)
            else:
                first[i] = 0.9 * first[i] + 0.1 * g
                second[i] = 0.999 * second[i] + 0.001 * g**2
                mean, square = first[i] / (1 - 0.9**step), second[i] / (1 - 0.999**step)
                decay = 0.5 * p[i] if kind == "adamw" else 0
                moves.append(-0.1 * (mean / (np.sqrt(square) + 1e-8) + decay))
        p = [part + sign * move for part, move in zip(p, moves, strict=True)]
        path.append(p)
    return path


def course_of(path, centres, weights):
    """The loss at each place of a path."""
    return np.array(
        [sum(float((w * (p - c) ** 2).sum()) / 2 for p, c, w in zip(ps, centres, weights, strict=True)) for ps in path]
    )


FIT_SLIPS = {
    "updates-subtracted": "The loss grows: updates are added, as they contain the minus. `optax.apply_updates` adds.",
    "state-thrown-away": "Every step was a first step: `update` returns a new state, which must go to the next step.",
    "one-step-short": "The losses are right, but the parameters are those before the last step.",
    "losses-after": "Your losses are those after each step: the first one should be that of the start.",
    "losses-last-only": "The losses do not change: there should be one for each step.",
    "decay-forgotten": "Right without weight decay, but wrong with it: the optimiser was given other parameters.",
}


def slips_of_the_fit(kind, starts, centres, weights, steps):
    """What each mistake would give: parameters, and losses behind them."""
    setting = starts, centres, weights

    def told(path, shift=0, last=0):
        losses = course_of(path, centres, weights)
        return [*path[steps - last], losses[shift : shift + steps]]

    path = descended(kind, *setting, steps)
    slips = {
        "updates-subtracted": told(descended(kind, *setting, steps, sign=-1.0)),
        "state-thrown-away": told(descended(kind, *setting, steps, forget=True)),
        "one-step-short": told(path, last=1),
        "losses-after": told(path, shift=1),
        "losses-last-only": [*path[steps], np.full(steps, course_of(path, centres, weights)[steps - 1])],
    }
    if kind == "adamw":
        slips["decay-forgotten"] = told(descended("adam", *setting, steps))
    return told(path), slips


def judge_fit(facts, steps):
    """Require a pair: parameters in their structure, and one loss for each step."""
    require(facts["pair"], "not-a-pair", "Return a pair: the parameters after the last step, and the losses.")
    refuse(facts["turned"], "pair-turned-round", "The losses came first. Return the parameters, then the losses.")
    require(facts["same"], "structure-lost", "The parameters should come back in the structure in which they came.")
    shape = np.shape(facts["losses"])
    message = f"{steps} steps were made, but the losses have the shape {shape}. Return the loss before each step."
    require(shape == (steps,), "losses-of-wrong-shape", message)


@exercise(
    "fit-with-optax",
    points=2,
    see="optax",
    hint=[
        "What must go from one step to the next? Two things, so the carry of the `scan` is a pair.",
        "`optimiser.update(gradient, state, params)` returns updates and a new state; `optax.apply_updates` adds.",
    ],
)
def fit_with_optax(answer, rng):
    cases = []
    for kind, shapes, steps, count, unit in (
        ("momentum", [(3,), ()], 7, 1, 1e5),
        ("warm-up", [(4,)], 7, 1, 1e-5),
        ("adamw", [(3,), ()], 7, 2, 1),
        ("momentum", [(3,), ()], 1, 1, 1),
    ):
        drawn = [[rng.normal(0, 2 * unit, shape).astype(np.float32) for shape in shapes] for _ in range(count)]
        centres = [np.asarray(rng.normal(3 * unit, unit, shape), np.float32) for shape in shapes]
        weights = [np.asarray(rng.uniform(0.5, 2, shape), np.float32) for shape in shapes]
        setting = centres, weights, steps
        expected = {"ValueError"} if kind == "adamw" else set()
        found, raised = answer.attempt(fitted_by, kind, drawn, *setting, expected=expected)
        answer.called = f"fit_with_optax({kind}, loss, params, {steps})"
        message = "`adamw` failed: it shrinks the parameters, so `update` must be given them, as its third argument."
        refuse(raised, "params-not-passed", message)
        for facts, starts in zip(found, drawn, strict=True):
            judge_fit(facts, steps)
            want, slips = slips_of_the_fit(kind, starts, *setting)
            cases.append(([*facts["params"], facts["losses"]], want, slips))
    slipped(cases, FIT_SLIPS)
    for got, want, _ in cases:
        message = "The parameters after the last step."
        expect(joined(got[:-1]), joined(want[:-1]), message, rtol=FLOAT32)
        expect(got[-1], want[-1], "The loss before each step.", rtol=FLOAT32, label="wrong-losses")
    judge_arrays_apart(answer, rng)
    counts, raised = answer.attempt(equations_of_fits, [3, 10], expected=probe.NEEDS_A_VALUE)
    message = "The steps are made outside JAX: they ask for numbers, which are not there while JAX traces."
    refuse(raised or -1 in counts, "not-traceable", message)
    message = (
        f"{counts[0]} equations for 3 steps, {counts[1]} for 10: Python unrolls the loop. `jax.lax.scan` does not."
    )
    require(counts[0] == counts[1], "unrolled", message)
    ten, thousand = answer.probe(equations_of_fits, [10, 1000])
    message = f"{ten} equations for 10 steps, {thousand} for 1000: a part of the loop is unrolled."
    require(ten == thousand, "unrolled", message)


def judge_arrays_apart(answer, rng):
    """Require that the optimiser is given the pytree: some look at each of its arrays."""
    starts, centres = ([rng.normal(at, 1, shape).astype(np.float32) for shape in ((3,), ())] for at in (0, 9))
    weights = [np.full((3,), 0.3, np.float32), np.float32(5)]
    setting = "clip_by_block_rms", starts, centres, weights, 7
    (facts,) = answer.probe(fitted_by, setting[0], [starts], *setting[2:])
    answer.called = "fit_with_optax(clip_by_block_rms, loss, params, 7)"
    judge_fit(facts, 7)
    message = (
        "Right for optimisers that treat all numbers alike. This one looks at each array by itself, so it must be "
        "given the gradient and the parameters as the pytree that they are, not as one long vector."
    )
    require(close(joined(facts["params"]), joined(descended(*setting)[-1]), rtol=FLOAT32), "arrays-joined", message)


def scanned_fit(
    optimiser, loss, params, steps, *, sign=1, keep=True, given=True, before=True, turned=False, known=None
):
    """A fit with one of several mistakes."""

    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, new = optimiser.update(gradient, state, *([params] if given else []))
        after = jax.tree.map(lambda p, u: p + sign * u, params, updates)
        return (after, new if keep else state), value if before else loss(after)

    (params, _), losses = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return (losses, params) if turned else (params, losses)


@right("fit-with-optax")
def by_a_fori_loop(optimiser, loss, params, steps):
    def step(i, carry):
        params, state, losses = carry
        losses = losses.at[i].set(loss(params))
        updates, state = optimiser.update(jax.grad(loss)(params), state, params)
        return optax.apply_updates(params, updates), state, losses

    carry = params, optimiser.init(params), jnp.zeros(steps)
    params, _, losses = jax.lax.fori_loop(0, steps, step, carry)
    return params, losses


@right("fit-with-optax")
@functools.partial(jax.jit, static_argnums=(0, 1, 3))
def compiled_as_a_list(optimiser, loss, params, steps):
    return list(scanned_fit(optimiser, loss, params, steps))


@wrong("fit-with-optax", "arrays-joined")
def as_one_long_vector(optimiser, loss, params, steps):
    flat, back = ravel_pytree(params)
    (fitted, losses) = scanned_fit(optimiser, lambda vector: loss(back(vector)), flat, steps)
    return back(fitted), losses


@wrong("fit-with-optax", "updates-subtracted")
def subtracts_the_updates(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, sign=-1)


@wrong("fit-with-optax", "state-thrown-away")
def keeps_the_first_state(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, keep=False)


@wrong("fit-with-optax", "state-thrown-away")
def makes_a_state_at_each_step(optimiser, loss, params, steps):
    def step(params, _):
        value, gradient = jax.value_and_grad(loss)(params)
        updates, _ = optimiser.update(gradient, optimiser.init(params), params)
        return optax.apply_updates(params, updates), value

    return jax.lax.scan(step, params, length=steps)


@wrong("fit-with-optax", "params-not-passed")
def hides_the_parameters(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, given=False)


@wrong("fit-with-optax", "losses-after")
def losses_after_the_step(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, before=False)


@wrong("fit-with-optax", "pair-turned-round")
def losses_first(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, turned=True)


@wrong("fit-with-optax", "not-a-pair")
def only_the_parameters(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps)[0]


@wrong("fit-with-optax", "structure-lost")
def returns_the_carry_whole(optimiser, loss, params, steps):
    fitted, losses = scanned_fit(optimiser, loss, params, steps)
    return (fitted, optimiser.init(params)), losses


@wrong("fit-with-optax", "losses-of-wrong-shape")
def only_the_last_loss(optimiser, loss, params, steps):
    params, losses = scanned_fit(optimiser, loss, params, steps)
    return params, losses[-1]


@wrong("fit-with-optax", "losses-last-only")
def last_loss_everywhere(optimiser, loss, params, steps):
    params, losses = scanned_fit(optimiser, loss, params, steps)
    return params, jnp.full(steps, losses[-1])


@wrong("fit-with-optax", "one-step-short")
def stacks_the_places(optimiser, loss, params, steps):
    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, params)
        return (optax.apply_updates(params, updates), state), (params, value)

    _, (places, losses) = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return jax.tree.map(lambda path: path[-1], places), losses


@wrong("fit-with-optax", "decay-forgotten")
def hands_over_zeros(optimiser, loss, params, steps):
    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, jax.tree.map(jnp.zeros_like, params))
        return (optax.apply_updates(params, updates), state), value

    (params, _), losses = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return params, losses


@wrong("fit-with-optax", "wrong-value")
def stops_when_the_loss_is_small(optimiser, loss, params, steps):
    def step(carry, _):
        value, gradient = jax.value_and_grad(loss)(carry[0])
        updates, state = optimiser.update(gradient, carry[1], carry[0])
        after = optax.apply_updates(carry[0], updates), state
        return jax.tree.map(lambda new, old: jnp.where(value > 1e-6, new, old), after, carry), value

    (params, _), losses = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return params, losses


@wrong("fit-with-optax", "unrolled")
def loops_in_python(optimiser, loss, params, steps):
    state, losses = optimiser.init(params), []
    for _ in range(steps):
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, params)
        params = optax.apply_updates(params, updates)
        losses.append(value)
    return params, jnp.stack(losses)


@wrong("fit-with-optax", "not-traceable")
def collects_numbers(optimiser, loss, params, steps):
    state, losses = optimiser.init(params), []
    for _ in range(steps):
        losses.append(float(loss(params)))
        updates, state = optimiser.update(jax.grad(loss)(params), state, params)
        params = optax.apply_updates(params, updates)
    return params, np.array(losses)


@wrong("fit-with-optax", "wrong-losses")
def halves_the_losses(optimiser, loss, params, steps):
    params, losses = scanned_fit(optimiser, loss, params, steps)
    return params, losses / 2


@wrong("fit-with-optax", "wrong-value")
def a_step_too_many(optimiser, loss, params, steps):
    params, losses = scanned_fit(optimiser, loss, params, steps + 1)
    return params, losses[:-1]


# -- damped-step ------------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def damped_steps(student_function, kind, cases, compiled):
    """What one step returns from each start of several cases, for residuals that are named."""

    def step(params, damping, x, y):
        def residuals(p):
            if "line" in kind:
                return {"line": 1, "small line": 1e-6, "large line": 1e6}[kind] * (p[0] + p[1] * x - y)
            if kind == "decay":
                return p[0] * jnp.exp(-p[1] * x) - y
            return jnp.sqrt(p[0]) * x - y

        return student_function(residuals, params, damping)

    called, facts = jax.jit(step) if compiled else step, []
    for start, damping, x, y in [(start, damping, x, y) for x, y, starts, damping in cases for start in starts]:
        result = called(probe.on_device(start), damping, *probe.on_device((x, y)))
        pair = isinstance(result, (tuple, list)) and len(result) == 2
        facts.append([np.array(part) for part in result] if pair else None)
    return facts


def residuals_of(kind, x, y, p):
    """The residuals and their Jacobian, by hand, in double precision."""
    x, y, p = (np.asarray(part, np.float64) for part in (x, y, p))
    if kind == "line":
        return p[0] + p[1] * x - y, np.stack([np.ones_like(x), x], 1)
    if kind == "decay":
        fall = np.exp(-p[1] * x)
        return p[0] * fall - y, np.stack([fall, -p[0] * x * fall], 1)
    return np.sqrt(p[0]) * x - y, (x / (2 * np.sqrt(p[0])))[:, None]


def damped_by_hand(kind, x, y, params, damping, how=""):
    """The oracle: one step; with a mistake, if one is named. And by which factor the sum of squares changes."""
    p = np.asarray(params, np.float64)
    r, jacobian = residuals_of(kind, x, y, p)
    square, slope = jacobian.T @ jacobian, jacobian.T @ r
    added = {
        "identity-damping": np.eye(p.size),
        "whole-matrix-damped": square,
        "undamped": 0 * square,
        "root-of-the-diagonal": np.diag(np.sqrt(np.diag(square))),
    }.get(how, np.diag(np.diag(square)))
    weight = damping**2 if how == "damping-squared" else damping
    move = np.linalg.solve(square + weight * added, -slope)
    trial = p + {"uphill": -1, "slope-doubled": 2}.get(how, 1) * move
    with np.errstate(all="ignore"):
        now, then = float((r**2).sum()), float((residuals_of(kind, x, y, trial)[0] ** 2).sum())
    largest = np.abs(residuals_of(kind, x, y, trial)[0]).max() if how == "largest-compared" else 0.0
    better = {
        "always-accepted": True,
        "equal-accepted": then <= now,
        "largest-compared": largest < np.abs(r).max(),
        "sizes-compared": np.abs(residuals_of(kind, x, y, trial)[0]).sum() < np.abs(r).sum(),
        "nan-accepted": not then >= now,
        "turned-round": not then < now,
    }.get(how, then < now)
    up = {"damping-turned-round": 1 / 3, "damping-kept": 1, "factor-ten": 10}.get(how, 3)
    place = trial if better or how == "refused-step-kept" else p
    return [place, np.array(damping / up if better else damping * up)], then / now if now else 1.0


DAMPED_SLIPS = {
    "uphill": "Your steps go the wrong way, so nearly all are refused. Check the sign of δ, and that it is added.",
    "nan-accepted": (
        "A step to a sum of squares of NaN was taken. Every comparison with NaN is false: ask whether the new one is "
        "smaller, and stay if it is not."
    ),
    "always-accepted": "Every step is taken, even one that makes the fit worse. Compare the sums of squares first.",
    "turned-round": "You take the steps that make the fit worse, and refuse the others.",
    "refused-step-kept": "The damping is right, but a step that makes the fit worse is taken as well: stay there.",
    "damping-turned-round": "A good step lowers the damping, and a bad one raises it. Yours goes the other way.",
    "damping-kept": "The damping should change: a third after a good step, three times as much after a bad one.",
    "factor-ten": "The damping should change by a factor of 3.",
    "equal-accepted": "A sum of squares that stays the same is not smaller: stay, and raise the damping.",
    "largest-compared": "You compared the largest residuals. Compare the sums of squares.",
    "sizes-compared": "You compared the sums of the sizes. Compare the sums of squares: those the step makes smaller.",
    "damping-squared": "You added λ² times the diagonal. Rows added below the Jacobian carry the root of λ.",
    "undamped": "That is the step of Gauss–Newton: the damping is not in it.",
    "identity-damping": "You added λ to the diagonal. λ times the diagonal of JᵀJ belongs there: it has the units.",
    "whole-matrix-damped": "You added λ times all of JᵀJ, which only shortens the step. Add its diagonal alone.",
    "root-of-the-diagonal": "D is the diagonal of JᵀJ itself, not its square root.",
    "slope-doubled": "Your step is twice as long: the equation has JᵀJ and Jᵀr, both without the factor 2.",
}


def damped_cases(rng):
    """Steps from two starts, all taken or all refused, none of which is a close decision.

    One pair is refused although the mean, the largest, the sum and the cubes at the new place are less than the sum of
    squares at the old one: what is compared must be the same on both sides.
    """
    x = np.linspace(0.1, 2, 12).astype(np.float32)
    for kind, taken in [("line", True), ("decay", True), ("decay", False), ("root", False)]:
        size, smallest, truth = (1, 1.0, np.array([0.01])) if kind == "root" else (2, 0.3, rng.uniform(1, 3, 2))
        clean = {
            "line": lambda p: p[0] + p[1] * x,
            "decay": lambda p: p[0] * np.exp(-p[1] * x),
            "root": lambda p: np.sqrt(p[0]) * x,
        }[kind](truth)
        outlier = np.where(np.arange(x.size) == 6, 2.0, 0.0) if kind == "line" else 0.0
        y = (clean + outlier + rng.normal(0, 0.1, x.size)).astype(np.float32)
        damping = 0.01 if kind == "root" else float(rng.choice([0.1, 0.4, 2.0])) if taken else 0.0
        starts = []
        while len(starts) < 2:
            start = rng.uniform(smallest, 5, size).astype(np.float32)
            wanted, ratio = damped_by_hand(kind, x, y, start, damping)
            clear = math.isnan(ratio) if kind == "root" else not 0.9 < ratio < 1.1 and ratio < 1e6
            by_the_largest, _ = damped_by_hand(kind, x, y, start, damping, "largest-compared")
            telling = kind != "line" or not close(by_the_largest[1], wanted[1])
            if clear and telling and (ratio < 1) == taken:
                starts.append(start)
        yield kind, x, y, starts, damping
    truth = rng.uniform(1, 3, 2)  # near it, a step towards an outlier lowers the squares, and not the sizes
    y = truth[0] + truth[1] * x + np.where(np.arange(x.size) == 11, 4.0, 0.0) + rng.normal(0, 0.05, x.size)
    starts = [(truth + rng.uniform(-0.02, 0.02, 2)).astype(np.float32) for _ in range(2)]
    yield "line", x, y.astype(np.float32), starts, 0.1
    starts = [np.array(start, np.float32) for start in ([5.5, 5.5], [5, 5.25])]
    yield "decay", x, (2 * np.exp(-x)).astype(np.float32), starts, 0.01
    x, exact = np.arange(12, dtype=np.float32), rng.integers(1, 9, (1, 2)).astype(np.float32)
    for minimum in (exact, exact + 1):  # already there: nothing gets smaller
        yield "line", x, minimum[0, 0] + minimum[0, 1] * x, list(minimum), 0.5


@exercise(
    "damped-step",
    points=2,
    see="damping",
    hint=[
        "`J = jax.jacfwd(residuals)(params)`; `jnp.diag(jnp.diag(A))` keeps the diagonal of a matrix.",
        "Under `jit` there is no `if` on a number of JAX: `jnp.where(better, trial, params)`.",
    ],
)
def damped_step(answer, rng):
    cases, drawn = [], list(damped_cases(rng))
    for case in drawn:
        for got, start in zip(answer.probe(damped_steps, case[0], [case[1:]], False), case[3], strict=True):
            answer.called = f"damped_step(residuals of a {case[0]}, {start.tolist()}, {case[4]:g})"
            require(got is not None, "not-a-pair", "Return a pair: the parameters, and the damping for the next step.")

            require(np.shape(got[1]) == (), "damping-no-number", "The damping should be one number.")
            one = *case[:3], start, case[4]
            want, _ = damped_by_hand(*one)
            cases.append((got, want, {how: damped_by_hand(*one, how)[0] for how in DAMPED_SLIPS}))
    slipped(cases, DAMPED_SLIPS, rtol=2e-3)
    for got, want, _ in cases:
        expect(got[0], want[0], "The parameters after the step.", rtol=2e-3)
        expect(got[1], want[1], "The damping after the step.", rtol=1e-4, label="wrong-damping")
    decays = drawn[1:3]  # one program for both
    found, raised = answer.attempt(
        damped_steps, "decay", [case[1:] for case in decays], True, expected=probe.NEEDS_A_VALUE
    )
    message = "Under `jit` Python asks for a number that is not there yet: choose with `jnp.where`, not with `if`."
    refuse(raised, "not-traceable", message)
    wanted = [damped_by_hand(*case[:3], start, case[4])[0] for case in decays for start in case[3]]
    same = all(all_close(got, want, 2e-3) for got, want in zip(found, wanted, strict=True))
    require(same, "other-under-jit", "Under `jit` the step gives something else than without it.")
    judge_damped_units(answer, drawn[0])
    judge_residual_units(answer, drawn[0])


def judge_residual_units(answer, case):
    """Require that the unit of the residuals is of no account."""
    for kind in ("small line", "large line"):
        for got, start in zip(answer.probe(damped_steps, kind, [case[1:]], False), case[3], strict=True):
            answer.called = f"damped_step(residuals of a {kind}, {start.tolist()}, {case[4]:g})"
            want, _ = damped_by_hand(*case[:3], start, case[4])
            message = (
                "The same line with residuals in another unit, a millionth or a million: the step should be the same. "
                "Something of a fixed size is added or compared with."
            )
            require(all_close(got, want, 2e-3), "fixed-size", message)


def judge_damped_units(answer, case):
    """Require that a step has the units of the parameters, each of its own."""
    kind, x, y, starts, damping = case
    _, jacobian = residuals_of(kind, x, y, starts[0])
    square = jacobian.T @ jacobian
    damped = square + damping * np.diag(np.diag(square))
    for larger in (False, True):
        per = np.array([1, unit_of(damped, larger=larger)], np.float32)
        asked = kind, x * per[1], y, [start / per for start in starts], damping
        for got, start in zip(answer.probe(damped_steps, kind, [asked[1:]], False), asked[3], strict=True):
            answer.called = f"damped_step(residuals of a {kind}, {start.tolist()}, {damping:g})"
            (want, _), _ = damped_by_hand(*asked[:3], start, damping)
            message = (
                f"The same line with `x` in another unit: the step should end at {want.tolist()}, and ends at "
                f"{numbers(got[0]).tolist()}. A small eigenvalue is taken for rounding, as `pinv` does, or something "
                "is added to it. It belongs to a parameter in other units: solve the equation itself."
            )
            off = np.abs(numbers(got[0]) - want) / np.abs(want - start)  # of the way that each should go
            require((off < 0.3).all(), "small-eigenvalue-lost", message)


def damped(residuals, params, damping, *, diagonal=True, sign=-1, factor=3.0, accept=None, always=False):
    """A step with one of several mistakes."""
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    square = jacobian.T @ jacobian
    added = jnp.diag(jnp.diag(square)) if diagonal is True else diagonal(square)
    trial = params + sign * jnp.linalg.solve(square + damping * added, jacobian.T @ r)
    now, then = jnp.sum(r**2), jnp.sum(residuals(trial) ** 2)
    better = accept(then, now) if accept else then < now
    place = trial if always else jnp.where(better, trial, params)
    return place, jnp.where(better, damping / factor, damping * factor)


@right("damped-step")
def by_more_rows(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacrev(residuals)(params)
    rows = jnp.diag(jnp.sqrt(damping) * jnp.linalg.norm(jacobian, axis=0))
    stacked = jnp.concatenate([jacobian, rows]), jnp.concatenate([-r, jnp.zeros(params.size)])
    trial = params + jnp.linalg.lstsq(*stacked)[0]
    better = residuals(trial) @ residuals(trial) < r @ r
    return jax.lax.cond(better, lambda: (trial, damping / 3.0), lambda: (params, damping * 3.0))


@right("damped-step")
@functools.partial(jax.jit, static_argnums=0)
def from_the_gradient(residuals, params, damping):
    half = jax.grad(lambda p: jnp.sum(residuals(p) ** 2) / 2)
    jacobian = jax.jacfwd(residuals)(params)
    square = jnp.einsum("ni,nj->ij", jacobian, jacobian)
    square = square + damping * square * jnp.eye(params.size)
    trial = params - jnp.linalg.solve(square, half(params))
    better = jnp.linalg.norm(residuals(trial)) < jnp.linalg.norm(residuals(params))
    return [jnp.where(better, trial, params), damping * jnp.where(better, 1 / 3, 3)]


@wrong("damped-step", "identity-damping")
def adds_the_identity(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=lambda square: jnp.eye(len(square)))


@wrong("damped-step", "whole-matrix-damped")
def adds_the_matrix(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=lambda square: square)


@wrong("damped-step", "root-of-the-diagonal")
def adds_the_root(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=lambda square: jnp.diag(jnp.sqrt(jnp.diag(square))))


@wrong("damped-step", "undamped")
def pure_gauss_newton(residuals, params, damping):
    return damped(residuals, params, damping, diagonal=jnp.zeros_like)


@wrong("damped-step", "uphill")
def forgets_the_minus(residuals, params, damping):
    return damped(residuals, params, damping, sign=1)


@wrong("damped-step", "slope-doubled")
def gradient_of_the_whole_sum(residuals, params, damping):
    return damped(residuals, params, damping, sign=-2)


@wrong("damped-step", "factor-ten")
def factor_of_ten(residuals, params, damping):
    return damped(residuals, params, damping, factor=10.0)


@wrong("damped-step", "damping-turned-round")
def raises_after_success(residuals, params, damping):
    return damped(residuals, params, damping, factor=1 / 3)


@wrong("damped-step", "damping-kept")
def keeps_the_damping(residuals, params, damping):
    return damped(residuals, params, damping)[0], damping


@wrong("damped-step", "nan-accepted")
def accepts_unless_worse(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: ~(then >= now))


@wrong("damped-step", "equal-accepted")
def accepts_the_same(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: then <= now)


@wrong("damped-step", "damping-squared")
def squares_the_damping(residuals, params, damping):
    place, _ = damped(residuals, params, damping**2)
    better = jnp.sum(residuals(place) ** 2) < jnp.sum(residuals(params) ** 2)
    return place, jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "fixed-size")
def adds_a_little(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: then < now - 1e-6)


@wrong("damped-step", "sizes-compared")
def compares_the_sizes(residuals, params, damping):
    place, _ = damped(residuals, params, damping, always=True)
    better = jnp.sum(jnp.abs(residuals(place))) < jnp.sum(jnp.abs(residuals(params)))
    return jnp.where(better, place, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "largest-compared")
def compares_the_largest(residuals, params, damping):
    trial, _ = damped(residuals, params, damping, always=True)
    better = jnp.abs(residuals(trial)).max() < jnp.abs(residuals(params)).max()
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "turned-round")
def accepts_what_is_worse(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: ~(then < now))


@wrong("damped-step", "always-accepted")
def accepts_everything(residuals, params, damping):
    return damped(residuals, params, damping, accept=lambda then, now: True)


@wrong("damped-step", "refused-step-kept")
def moves_in_any_case(residuals, params, damping):
    return damped(residuals, params, damping, always=True)


@wrong("damped-step", "not-traceable")
def asks_in_python(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return (place, damping / 3) if after < damping or bool((place != params).any()) else (params, damping * 3)


@wrong("damped-step", "not-a-pair")
def only_the_place(residuals, params, damping):
    return damped(residuals, params, damping)[0]


@wrong("damped-step", "damping-no-number")
def a_damping_for_each(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return place, jnp.full(params.shape, after)


@wrong("damped-step", "wrong-damping")
def keeps_the_damping_in_bounds(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return place, jnp.clip(after, 1e-7, 1e7)


@wrong("damped-step", "small-eigenvalue-lost")
def by_the_pseudo_inverse_of_the_matrix(residuals, params, damping):
    r, jacobian = residuals(params), jax.jacfwd(residuals)(params)
    square = jacobian.T @ jacobian
    trial = params - jnp.linalg.pinv(square + damping * jnp.diag(jnp.diag(square))) @ (jacobian.T @ r)
    better = jnp.sum(residuals(trial) ** 2) < jnp.sum(r**2)
    return jnp.where(better, trial, params), jnp.where(better, damping / 3, damping * 3)


@wrong("damped-step", "wrong-value")
def half_a_step(residuals, params, damping):
    return damped(residuals, params, damping, sign=-0.5)


@wrong("damped-step", "wrong-damping")
def adds_to_the_damping(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return place, after + 1.0


@wrong("damped-step", "other-under-jit")
def differs_when_traced(residuals, params, damping):
    place, after = damped(residuals, params, damping)
    return (params if isinstance(params, jax.core.Tracer) else place), after


# -- bars-off-by ------------------------------------------------------------------------------------------------


def factors_of_bars():
    """The five factors, from Hessians of a straight line in double precision."""
    design = np.stack([np.linspace(0, 1, 200), np.ones(200)], 1)
    curvature = design.T @ design  # of half the sum of squares
    scales = {
        "sum((r / 0.5)**2) / 2": 1 / 0.5**2,
        "sum((r / 0.5)**2)": 2 / 0.5**2,
        "sum(r**2) / 2": 1,
        "mean((r / 0.5)**2) / 2": 1 / 0.5**2 / 200,
        "mean(r**2)": 2 / 200,
    }
    bars = {text: np.sqrt(np.diag(np.linalg.inv(c * curvature))) for text, c in scales.items()}
    right_ones = bars["sum((r / 0.5)**2) / 2"]
    return {text: float((found / right_ones)[0]) for text, found in bars.items()}


bars_off_by = prediction(
    "bars-off-by",
    see="error-bars",
    hint=[
        "Write each function as a number times the right one, ½χ². What is that number?",
        "The covariance is the inverse, and a bar is its root: a function 4 times as large gives bars half as long.",
    ],
    truth=factors_of_bars,
    mistakes=[
        Mistake(
            "other-way-round",
            [{"sum((r / 0.5)**2)": 2**0.5}, {"sum(r**2) / 2": 0.5}, {"mean((r / 0.5)**2) / 2": 200**-0.5}],
            "A larger function has a larger curvature, and the covariance is its inverse: the bars get shorter.",
        ),
        Mistake(
            "root-forgotten",
            [{"sum((r / 0.5)**2)": 0.5}, {"sum(r**2) / 2": 4}, {"mean((r / 0.5)**2) / 2": 200}, {"mean(r**2)": 400}],
            "That is the factor of the variance. A bar is its square root.",
        ),
        Mistake(
            "scale-makes-no-difference",
            [{"sum((r / 0.5)**2)": 1}, {"sum(r**2) / 2": 1}, {"mean((r / 0.5)**2) / 2": 1}, {"mean(r**2)": 1}],
            "The minimum stays where it is, but the Hessian is multiplied by the same factor as the function.",
        ),
        Mistake(
            "half-forgotten-in-the-mean",
            {"mean(r**2)": any_of(200**0.5 / 0.5, 200**0.5, 28.28, 14.14)},
            "`mean(r**2)` lacks three things: the sum, σ², and the half.",
        ),
        Mistake(
            "right-one-not-seen",
            {"sum((r / 0.5)**2) / 2": anything_else(2, 0.5)},
            "`sum((r / 0.5)**2) / 2` is ½χ², the recipe itself.",
        ),
    ],
    otherwise="If a function is c times ½χ², the bars are 1/√c times the right ones.",
)

# -- error-bars-of-a-fit ----------------------------------------------------------------------------------------


@probe.question(evidence="values")
def bars_of(student_function, kind, calls):
    """The bars that come back, for a curve that is named and several data."""

    def curve(p, x):
        if kind == "line":
            return p[0] + p[1] * x
        if kind == "decay":
            return p[0] * jnp.exp(-p[1] * x)
        return p[0] * jnp.exp(-(((x - p[1]) / p[2]) ** 2) / 2)

    return [student_function(curve, *probe.on_device(args)) for args in calls]


def tangent_of(kind, p, x):
    """A curve and its derivatives by each parameter, by hand."""
    if kind == "line":
        return p[0] + p[1] * x, np.stack([np.ones_like(x), x], 1)
    if kind == "decay":
        fall = np.exp(-p[1] * x)
        return p[0] * fall, np.stack([fall, -p[0] * x * fall], 1)
    z = (x - p[1]) / p[2]
    bell = np.exp(-(z**2) / 2)
    return p[0] * bell, np.stack([bell, p[0] * bell * z / p[2], p[0] * bell * z**2 / p[2]], 1)


def hessian_by_hand(kind, p, x, y, sigma):
    """The Hessian of ½χ²: the differences of a gradient that was derived by hand, in double precision."""

    def slope(p):
        f, tangent = tangent_of(kind, p, x)
        return tangent.T @ ((f - y) / sigma**2)

    step = 1e-6
    columns = [(slope(p + step * e) - slope(p - step * e)) / (2 * step) for e in np.eye(p.size)]
    return (np.stack(columns) + np.stack(columns).T) / 2


def bars_by_hand(kind, p, x, y, sigma):
    """What is right, and what each mistake would give."""
    hessian = hessian_by_hand(kind, p, x, y, sigma)
    f, tangent = tangent_of(kind, p, x)
    once = hessian_by_hand(kind, p, x, y, np.sqrt(sigma))
    flat = hessian_by_hand(kind, p, x, y, np.ones_like(sigma))
    newton = (tangent / sigma[:, None]).T @ (tangent / sigma[:, None])
    n, variance = len(x), np.diag(np.linalg.inv(hessian))

    def bars(matrix):
        return [np.sqrt(np.diag(np.linalg.inv(matrix)))]

    bars_wanted = [np.sqrt(variance)]
    chi = float((((y - f) / sigma) ** 2).sum())
    slips = {
        "mean-for-sum": bars(hessian / n),
        "mean-and-no-half": bars(2 * hessian / n),
        "half-forgotten": bars(2 * hessian),
        "sigma-once": bars(once),
        "sigma-forgotten": bars(flat),
        "root-forgotten": [variance],
        "diagonal-first": [1 / np.sqrt(np.diag(hessian))],
        "gauss-newton": bars(newton),
        "rescaled": [np.sqrt(variance * chi / (n - p.size))],
        "not-inverted": [np.sqrt(np.abs(np.diag(hessian)))],
    }
    return bars_wanted, slips, hessian


BAR_SLIPS = {
    "mean-for-sum": "Too long by the root of the number of points: χ² is a sum, but you took a mean.",
    "mean-and-no-half": "You took the mean of the squares: ½χ² is a sum, with its half.",
    "half-forgotten": "Too short by √2: take the Hessian of half of χ².",
    "sigma-once": "Divide the residual by σ, and then square: each point counts with 1/σ², not with 1/σ.",
    "sigma-forgotten": "`sigma` makes no difference: divide each residual by its own.",
    "root-forgotten": "Those are variances. The error bars are their square roots.",
    "diagonal-first": "Each of these bars is right if all other parameters are known. Invert first, then the diagonal.",
    "gauss-newton": "That is JᵀJ in place of the Hessian: the second derivatives of the curve are missing.",
    "rescaled": "You scaled the bars until the residuals fit. Here σ is known, so there is nothing to scale.",
    "not-inverted": "The Hessian says how narrow the bowl is. The covariance is its inverse.",
}


def bar_cases(rng):
    """Points around a curve, with an uneven noise, such that the Hessian can be inverted."""
    for kind, n in (("line", 30), ("decay", 30), ("bell", 12)):
        found = 0
        while found < 2:
            p = rng.uniform([1, 0.5, 0.7][: 3 if kind == "bell" else 2], [3, 1.5, 1.2][: 3 if kind == "bell" else 2])
            x = np.sort(rng.uniform(-1, 3, n))
            sigma = rng.uniform(0.1, 0.5, n)
            y = tangent_of(kind, p, x)[0] + sigma * rng.normal(size=n)
            case = tuple(np.asarray(part, np.float32) for part in (p, x, y, sigma))
            double = tuple(np.asarray(part, np.float64) for part in case)
            (bars,), slips, hessian = bars_by_hand(kind, *double)
            values = np.linalg.eigvalsh(hessian)
            bent = not close(slips["gauss-newton"][0], bars, rtol=0.02) or kind == "line"
            if values[0] > 1e-3 * values[-1] and bent:
                found += 1
                yield kind, case, [bars], slips


def other_units(kind, case, bars, *, larger):
    """The same points with `x` in another unit, and the bars there."""
    hessian = hessian_by_hand(kind, *(np.asarray(part, np.float64) for part in case))
    p, x, y, sigma = case
    per = np.array([1, unit_of(hessian, larger=larger)], np.float32)
    return (p / per, x * per[1], y, sigma), bars / per


def judge_units(answer, drawn):
    """Require that the unit of a parameter is of no account: its bar has the same unit."""
    for kind, case, (bars,), _ in drawn:
        asked = [other_units(kind, case, bars, larger=larger) for larger in (False, True)]
        both = answer.probe(bars_of, kind, [case for case, _ in asked])
        for got, (case, want) in zip(both, asked, strict=True):
            answer.called = f"error_bars_of_a_fit({kind}, {case[0].tolist()}, x, y, sigma)"
            message = (
                f"The same points with `x` in another unit: expected about {want.tolist()}, got "
                f"{numbers(got).tolist()}. Something takes a small eigenvalue for rounding, as `pinv` does, or adds "
                "to it. It belongs to a parameter in other units: invert the matrix itself."
            )
            off = np.abs(numbers(got) / want - 1)  # each bar by itself: they differ a thousandfold
            require((off < 0.3).all(), "small-eigenvalue-lost", message)


@exercise(
    "error-bars-of-a-fit",
    points=2,
    see="error-bars",
    hint=[
        "Write ½χ² as a function of the parameters alone, and take `jax.hessian` of it.",
        "Invert the matrix, take its diagonal, take the root: in this order.",
    ],
)
def error_bars_of_a_fit(answer, rng):
    cases = []
    drawn = list(bar_cases(rng))
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        kind, size = one[0], one[1][0].size
        both = answer.probe(bars_of, kind, [one[1], other[1]])
        answer.called = f"error_bars_of_a_fit({kind}, {np.round(other[1][0], 3).tolist()}, x, y, sigma)"
        for got, (_, _, want, slips) in zip(both, (one, other), strict=True):
            message = f"A matrix came back. The bars are the roots of its diagonal: {size} numbers."
            refuse(numbers(got).shape == (size, size), "whole-matrix", message)
            cases.append(([got], want, slips))
    slipped(cases, BAR_SLIPS, rtol=5e-3)
    for (got,), (want,), _ in cases:
        expect(got, want, "The roots of the diagonal of the inverse Hessian of ½χ².", rtol=3e-3)
        dtype = getattr(got, "dtype", type(got).__name__)
        require(str(dtype) == "float32", "other-dtype", f"The bars are right, and `{dtype}`: return `float32`.")
    judge_units(answer, [drawn[0], drawn[2]])
    judge_small_noise(answer, drawn[0])


def judge_small_noise(answer, drawn):
    """Require that the unit of `y` is of no account: all bars of a line have it."""
    kind, (p, x, y, sigma), (bars,), _ = drawn
    units = [np.float32(2.0**power) for power in (-24, 20)]
    found = answer.probe(bars_of, kind, [(p * unit, x, y * unit, sigma * unit) for unit in units])
    for got, unit in zip(found, units, strict=True):
        answer.called = f"error_bars_of_a_fit({kind}, {(p * unit).tolist()}, x, y, sigma)"
        message = (
            "The same points with `y` in another unit: the bars should have that unit too. Something of a fixed size "
            "is added to `sigma` or to the matrix, or is the least that counts. "
            f"{first_difference(numbers(got), bars * unit, 5e-3)}"
        )
        require(close(got, bars * unit, rtol=5e-3), "fixed-size", message)


def half_chi(curve, x, y, sigma):
    """Half of χ² as a function of the parameters."""
    return lambda params: 0.5 * jnp.sum(((y - curve(params, x)) / sigma) ** 2)


def bars_from(loss, params):
    """The recipe."""
    return jnp.sqrt(jnp.diag(jnp.linalg.inv(jax.hessian(loss)(params))))


@wrong("error-bars-of-a-fit", "fixed-size")
def guards_against_no_noise(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, y, sigma + 1e-8), params)


@right("error-bars-of-a-fit")
def by_the_likelihood(curve, params, x, y, sigma):
    def loss(params):
        return -jnp.sum(jax.scipy.stats.norm.logpdf(y, curve(params, x), sigma))

    return bars_from(loss, params)


@right("error-bars-of-a-fit")
def solves_for_the_identity(curve, params, x, y, sigma):
    hessian = jax.jacfwd(jax.grad(half_chi(curve, x, y, sigma)))(params)
    covariance = jnp.linalg.solve(hessian, jnp.eye(params.size))
    return jnp.array([covariance[i, i] ** 0.5 for i in range(params.size)])


@wrong("error-bars-of-a-fit", "other-dtype")
def inverts_in_numpy(curve, params, x, y, sigma):
    hessian = np.asarray(jax.hessian(half_chi(curve, x, y, sigma))(params), np.float64)
    return np.sqrt(np.diag(np.linalg.inv(hessian)))


@wrong("error-bars-of-a-fit", "mean-for-sum")
def half_of_the_mean(curve, params, x, y, sigma):
    return bars_from(lambda p: half_chi(curve, x, y, sigma)(p) / x.size, params)


@wrong("error-bars-of-a-fit", "mean-and-no-half")
def mean_of_squares(curve, params, x, y, sigma):
    return bars_from(lambda p: jnp.mean(((y - curve(p, x)) / sigma) ** 2), params)


@wrong("error-bars-of-a-fit", "half-forgotten")
def whole_chi_square(curve, params, x, y, sigma):
    return bars_from(lambda p: jnp.sum(((y - curve(p, x)) / sigma) ** 2), params)


@wrong("error-bars-of-a-fit", "sigma-once")
def weights_of_one_over_sigma(curve, params, x, y, sigma):
    return bars_from(lambda p: 0.5 * jnp.sum((y - curve(p, x)) ** 2 / sigma), params)


@wrong("error-bars-of-a-fit", "sigma-forgotten")
def even_weights(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, y, 1.0), params)


@wrong("error-bars-of-a-fit", "root-forgotten")
def variances(curve, params, x, y, sigma):
    return bars_from(half_chi(curve, x, y, sigma), params) ** 2


@wrong("error-bars-of-a-fit", "diagonal-first")
def inverts_the_diagonal(curve, params, x, y, sigma):
    return 1 / jnp.sqrt(jnp.diag(jax.hessian(half_chi(curve, x, y, sigma))(params)))


@wrong("error-bars-of-a-fit", "gauss-newton")
def jacobian_only(curve, params, x, y, sigma):
    jacobian = jax.jacfwd(lambda p: curve(p, x) / sigma)(params)
    return jnp.sqrt(jnp.diag(jnp.linalg.inv(jacobian.T @ jacobian)))


@wrong("error-bars-of-a-fit", "rescaled")
def scales_by_the_residuals(curve, params, x, y, sigma):
    chi = half_chi(curve, x, y, sigma)
    return bars_from(chi, params) * jnp.sqrt(2 * chi(params) / (x.size - params.size))


@wrong("error-bars-of-a-fit", "not-inverted")
def never_inverts(curve, params, x, y, sigma):
    return jnp.sqrt(jnp.abs(jnp.diag(jax.hessian(half_chi(curve, x, y, sigma))(params))))


@wrong("error-bars-of-a-fit", "whole-matrix")
def root_of_the_matrix(curve, params, x, y, sigma):
    return jnp.sqrt(jnp.abs(jnp.linalg.inv(jax.hessian(half_chi(curve, x, y, sigma))(params))))


@wrong("error-bars-of-a-fit", "small-eigenvalue-lost")
def by_the_pseudo_inverse(curve, params, x, y, sigma):
    return jnp.sqrt(jnp.diag(jnp.linalg.pinv(jax.hessian(half_chi(curve, x, y, sigma))(params))))


@wrong("error-bars-of-a-fit", "small-eigenvalue-lost")
def with_something_on_the_diagonal(curve, params, x, y, sigma):
    hessian = jax.hessian(half_chi(curve, x, y, sigma))(params)
    return jnp.sqrt(jnp.diag(jnp.linalg.inv(hessian + 1e-5 * jnp.trace(hessian) * jnp.eye(params.size))))


@wrong("error-bars-of-a-fit", "wrong-value")
def two_sigma(curve, params, x, y, sigma):
    return 2 * bars_from(half_chi(curve, x, y, sigma), params)


# -- derived-error-bar ------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def derived_bar(student_function, kind, calls):
    """The bar of a quantity that is named, for several parameters."""
    quantities = {
        "product": lambda p: p[0] * p[1],
        "ratio": lambda p: p[0] / p[2],
        "exponential": lambda p: jnp.exp(p[0]),
        "length": lambda p: jnp.sqrt(jnp.sum(p**2)),
    }
    return [student_function(quantities[kind], *probe.on_device(call)) for call in calls]


def slope_of_quantity(kind, p):
    """The gradient of a quantity, by hand."""
    if kind == "product":
        return np.array([p[1], p[0]])
    if kind == "ratio":
        return np.array([1 / p[2], 0.0, -p[0] / p[2] ** 2, 0.0])
    return np.exp(p) if kind == "exponential" else p / np.linalg.norm(p)


DERIVED_SLIPS = {
    "variance": "That is the variance. The error bar is its square root.",
    "correlations-ignored": "You used the diagonal alone: the other entries say whether errors cancel or add up.",
    "counted-once": "Each correlation counts twice, as (i, j) and as (j, i): sum over all of C, not over one triangle.",
    "bars-added": "You added the bars one by one, as if all errors pointed the same way.",
    "signs-lost": "You took the sizes of the slopes: with their signs, errors can cancel.",
    "gradient-forgotten": "The derived quantity makes no difference: multiply by its gradient on both sides.",
    "inverse-covariance": "`covariance` is the inverse of the Hessian already: do not invert it again.",
    "relative": "You divided by the quantity: the bar should be absolute, in the unit of the quantity.",
}


def derived_slips(kind, p, covariance):
    """What is right, and what each mistake would give."""
    g, bars = slope_of_quantity(kind, p), np.sqrt(np.diag(covariance))
    value = {
        "product": lambda: p[0] * p[1],
        "ratio": lambda: p[0] / p[2],
        "exponential": lambda: np.exp(p[0]),
        "length": lambda: np.linalg.norm(p),
    }[kind]()
    want = np.sqrt(g @ covariance @ g)
    slips = {
        "variance": want**2,
        "correlations-ignored": np.sqrt(np.sum((g * bars) ** 2)),
        "counted-once": np.sqrt(np.sum(np.triu(np.outer(g, g) * covariance))),
        "bars-added": np.sum(np.abs(g) * bars),
        "gradient-forgotten": np.sqrt(np.abs(covariance.sum())),
        "signs-lost": np.sqrt(np.abs(np.abs(g) @ covariance @ np.abs(g))),
        "inverse-covariance": np.sqrt(np.abs(g @ np.linalg.inv(covariance) @ g)),
        "relative": want / np.abs(value),
    }
    return [want], {label: [slip] for label, slip in slips.items()}


def fitted_parameters(rng, size, units=1.0):
    """Parameters of either sign, in some units, and a covariance with correlations."""
    units = units * np.ones(size)
    p = units * rng.uniform(0.5, 2, size) * rng.choice([-1, 1], size)
    root = units[:, None] * rng.normal(size=(size, size))
    return p.astype(np.float32), (0.01 * (root @ root.T + 0.3 * np.diag(units**2))).astype(np.float32)


@exercise(
    "derived-error-bar",
    see="derived",
    hint=["`jax.grad(derived)(params)` is a vector g.", "The variance is `g @ covariance @ g`."],
)
def derived_error_bar(answer, rng):
    cases = []
    for kind, size in (("product", 2), ("ratio", 4), ("exponential", 1), ("length", 4)):
        calls = [fitted_parameters(rng, size) for _ in range(2)]
        found = answer.probe(derived_bar, kind, calls)
        answer.called = f"derived_error_bar({kind}, {np.round(calls[1][0], 3).tolist()}, covariance)"
        for got, (p, covariance) in zip(found, calls, strict=True):
            message = f"One number is expected, but an array of shape {numbers(got).shape} came back."
            require(np.shape(got) == (), "not-one-number", message)
            want, slips = derived_slips(kind, p.astype(np.float64), covariance.astype(np.float64))
            cases.append(([got], want, slips))
    slipped(cases, DERIVED_SLIPS, rtol=1e-3)
    for (got,), (want,), _ in cases:
        expect(got, want, "The root of ∇gᵀ C ∇g.", rtol=1e-3)
    judge_sizes(answer, rng)


def judge_sizes(answer, rng):
    """Require that it does not matter how large the parameters are, nor whether one is 0."""
    units = (1e-6, 1e4)
    for kind, size in (("product", 2), ("ratio", 4), ("length", 4)):
        calls = [fitted_parameters(rng, size, unit) for unit in (*units, np.resize(units, size), 1.0)]
        calls[-1][0][0] = 0.0
        for got, (p, covariance) in zip(answer.probe(derived_bar, kind, calls), calls, strict=True):
            answer.called = f"derived_error_bar({kind}, {p.tolist()}, covariance)"
            (want,), _ = derived_slips(kind, p.astype(np.float64), covariance.astype(np.float64))
            message = (
                "The bars were right for parameters of about 1, and are not for these. A difference over a step needs "
                f"a step that suits the parameter; `jax.grad` needs none. {first_difference(numbers(got), want, 1e-3)}"
            )
            require(close(got, want, rtol=1e-3), "differences", message)


@right("derived-error-bar")
def by_a_factor_of_the_covariance(derived, params, covariance):
    root = jnp.linalg.cholesky(covariance)
    return jnp.linalg.norm(jax.jacrev(derived)(params) @ root)


@right("derived-error-bar")
def direction_by_direction(derived, params, covariance):
    slopes = [jax.jvp(derived, (params,), (e,))[1] for e in jnp.eye(params.size)]
    return sum(a * b * c for a, row in zip(slopes, covariance) for b, c in zip(slopes, row)) ** 0.5  # noqa: B905


@wrong("derived-error-bar", "variance")
def forgets_the_root(derived, params, covariance):
    g = jax.grad(derived)(params)
    return g @ covariance @ g


@wrong("derived-error-bar", "correlations-ignored")
def diagonal_only(derived, params, covariance):
    return jnp.sqrt(jnp.sum(jax.grad(derived)(params) ** 2 * jnp.diag(covariance)))


@wrong("derived-error-bar", "counted-once")
def sums_one_triangle(derived, params, covariance):
    g = jax.grad(derived)(params)
    return jnp.sqrt(jnp.sum(jnp.triu(covariance * g * g[:, None])))


@wrong("derived-error-bar", "bars-added")
def adds_the_bars(derived, params, covariance):
    return jnp.sum(jnp.abs(jax.grad(derived)(params)) * jnp.sqrt(jnp.diag(covariance)))


@wrong("derived-error-bar", "gradient-forgotten")
def sums_the_covariance(derived, params, covariance):
    return jnp.sqrt(jnp.abs(covariance.sum()))


@wrong("derived-error-bar", "signs-lost")
def sizes_of_slopes(derived, params, covariance):
    g = jnp.abs(jax.grad(derived)(params))
    return jnp.sqrt(jnp.abs(g @ covariance @ g))


@wrong("derived-error-bar", "inverse-covariance")
def inverts_again(derived, params, covariance):
    g = jax.grad(derived)(params)
    return jnp.sqrt(g @ jnp.linalg.inv(covariance) @ g)


@wrong("derived-error-bar", "relative")
def divides_by_the_quantity(derived, params, covariance):
    g = jax.grad(derived)(params)
    return jnp.sqrt(g @ covariance @ g) / jnp.abs(derived(params))


@wrong("derived-error-bar", "not-one-number")
def one_for_each_parameter(derived, params, covariance):
    return jnp.abs(jax.grad(derived)(params)) * jnp.sqrt(jnp.diag(covariance))


def by_differences(derived, params, covariance, steps):
    """The bar, with slopes from differences over some steps."""
    slopes = [(derived(params + e) - derived(params - e)) / (2 * e.sum()) for e in jnp.diag(steps)]
    return jnp.sqrt(jnp.array(slopes) @ covariance @ jnp.array(slopes))


@wrong("derived-error-bar", "differences")
def over_a_fixed_step(derived, params, covariance):
    return by_differences(derived, params, covariance, jnp.full(params.size, 2e-3))


@wrong("derived-error-bar", "differences")
def over_a_part_of_the_parameter(derived, params, covariance):
    return by_differences(derived, params, covariance, 2e-3 * params)


@wrong("derived-error-bar", "wrong-value")
def by_a_hessian(derived, params, covariance):
    return 1.5 * forgets_the_root.answer(derived, params, covariance) ** 0.5


# -- bootstrap-fits ---------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def samples_of(student_function, x, y, seeds, draws):
    """What comes back if a fit returns the very points that it is given: for each seed, and for the first again."""

    def fit(x, y):
        return jnp.concatenate([x, y])

    x, y = probe.on_device((x, y))
    words = [probe.on_device(np.array(seed, np.uint32)) for seed in [*seeds, seeds[0]]]
    keys = [jax.random.wrap_key_data(two) for two in words]
    return [np.array(student_function(fit, x, y, key, draws)) for key in keys]


@probe.question(evidence="values")
def threes_of(student_function, x, y, seed, draws):
    """What comes back if a fit has three numbers, fewer than there are points."""

    def fit(x, y):
        return (x * y)[:3]

    return student_function(fit, *probe.on_device((x, y)), jax.random.key(seed), draws)


def steps_for_samples(student_function, all_draws):
    """How much Python runs for several numbers of samples."""

    def fit(x, y):
        return x + y

    x, key = probe.on_device(np.arange(4.0)), jax.random.key(0)
    return probe.python_steps(lambda draws: student_function(fit, x, x, key, draws), [(n,) for n in all_draws])


class NoLoopOverSamples(NoLoops):
    """No loop over the samples: the answer takes a function, which the ban must bring along."""

    def enforce(self, answer):
        """Count Python's steps for n, 2n and 4n samples."""
        counted = answer.probe(steps_for_samples, [self.n, 2 * self.n, 4 * self.n])
        found = self._found(counted)
        refuse(found, self.label, f"{found} {self.advice}")


def chosen_of(rows, x, y):
    """Which points each sample has, or nothing if an `x` has not its `y`."""
    n = len(x)
    places, partners = rows[:, :n], rows[:, n:]
    index = np.abs(places[:, :, None] - x).argmin(axis=2)
    return index, bool(np.array_equal(x[index], places)), bool(np.array_equal(y[index], partners))


def judge_shape(rows, draws, n):
    """Require one row for each sample, and as many points in it as there are."""
    shape = np.shape(rows)
    message = f"{draws} samples should give {draws} rows, but the result has the shape {shape}."
    require(len(shape) == 2, "not-a-table", message)
    refuse(
        shape == (2 * n, draws) != (draws, 2 * n), "transposed", "The table has one column for each sample: turn it."
    )
    require(shape[0] == draws, "not-a-table", message)
    message = f"A sample should have {n} points, as many as there are; yours has {shape[1] / 2:g}."
    require(shape[1] == 2 * n, "sample-of-other-size", message)


@exercise(
    "bootstrap-fits",
    points=2,
    see="bootstrap",
    hint=[
        "Draw indices: `jax.random.randint(key, x.shape, 0, x.size)`. Then `x[chosen]` keeps its `y[chosen]`.",
        "One key for each sample: `jax.random.split(key, draws)`, and `jax.vmap` over the keys.",
    ],
    without=[NoLoopOverSamples((), of="samples", n=24, advice="`jax.vmap` fits them all at once.")],
)
def bootstrap_fits(answer, rng):
    n, draws, (first, last) = 8, 250, rng.integers(2**16, size=2).tolist()
    seed = [first, last]  # the two words of a key
    x = rng.permutation(np.arange(1, n + 1)).astype(np.float32)
    y = (100 + rng.permutation(n)).astype(np.float32)
    tables = answer.probe(samples_of, x, y, [seed, [first + 1, last], [first, last + 1]], draws)
    answer.called = f"bootstrap_fits(fit, x, y, key, {draws})"
    judge_shape(tables[0], draws, n)
    message = "The same key gave other samples: something other than the key decides."
    require(np.array_equal(tables[0], tables[-1]), "hidden-state", message)
    index, known, paired = chosen_of(tables[0], x, y)
    refuse(known and not paired, "pairs-torn", "An `x` came with the `y` of another point: draw whole points.")
    require(known and paired, "other-points", "The samples have points that are not among the data.")
    other, _, _ = chosen_of(tables[1], x, y)
    judge_draws(index, other, n)
    message = "Another key gives the same samples: the key is not used, or not all of it."
    refuse(np.array_equal(tables[0], tables[2]), "key-ignored", message)
    judge_many_points(answer, seed)
    for few, m in ((1, n), (3, 1)):
        x = rng.normal(size=m).astype(np.float32)
        (rows, _) = answer.probe(samples_of, x, 3 + x, [seed], few)
        answer.called = f"bootstrap_fits(fit, float32[{m}], float32[{m}], key, {few})"
        judge_shape(rows, few, m)
        _, known, paired = chosen_of(rows, x, 3 + x)
        require(known and paired, "other-points", "The samples have points that are not among the data.")
    x = rng.normal(size=n).astype(np.float32)
    got = numbers(answer.probe(threes_of, x, 3 + x, last, draws))  # a size that is compiled already
    require(got.shape == (draws, 3), "not-a-table", f"{draws} fits of three numbers came in the shape {got.shape}.")


def judge_many_points(answer, seed):
    """Require that each of many points can be drawn: 18,000 draws of 6000 points reach about 5700 of them."""
    n, samples = 6000, 3
    x = np.arange(n, dtype=np.float32)
    rows, _ = answer.probe(samples_of, x, 10_000 + x, [seed], samples)
    answer.called = f"bootstrap_fits(fit, float32[{n}], float32[{n}], key, {samples})"
    judge_shape(rows, samples, n)
    reached = len(set(rows[:, :n].ravel().tolist()))
    message = f"{samples * n} draws of {n} points reached {reached} of them. Do the numbers that you draw reach so far?"
    require(reached > 5400, "far-points-never-drawn", message)


def judge_draws(index, other, n):
    """Require that samples are drawn with replacement, evenly, independently, and by the key."""
    message = "All samples are the same: each needs a key of its own."
    refuse((index == index[0]).all(), "same-sample-each-time", message)
    refuse((index == index[:, :1]).all(), "one-point-repeated", "Each sample is one point, n times: draw n of them.")
    message = "Another key gives the same samples: the key is not used, or not all of it."
    refuse((index == other).all(axis=1).mean() > 0.5, "key-ignored", message)
    message = "The first sample is the data as they are: every sample should be drawn."
    refuse((index[0] == np.arange(n)).all() and (other[0] == np.arange(n)).all(), "data-as-a-sample", message)
    repeated = len(index) - len(np.unique(words(index)))
    distinct = np.array([len(set(row)) for row in index])
    message = "No point occurs twice in any sample: draw *with* replacement, or each sample is the data reordered."
    refuse((distinct == n).all(), "without-replacement", message)
    expected, message = n * (1 - (1 - 1 / n) ** n), "The draws of one sample depend on each other."
    depend = f"{message} Too many or too few points occur twice."
    require(abs(distinct.mean() - expected) < 0.8, "draws-depend", depend)
    require(repeated <= 2, "samples-repeat", "Many samples occur more than once: each needs a key of its own.")
    refuse(
        np.isin(words(index), words(other)).mean() > 0.1, "key-ignored", "Another key gives many of the same samples."
    )
    counts = np.bincount(index.ravel(), minlength=n)
    message = "One point is never drawn: the upper end of `randint` is not included."
    refuse(counts.min() == 0, "point-never-drawn", message)
    even = abs(counts - index.size / n).max() < 6 * math.sqrt(index.size / n)
    require(even, "uneven", f"Each point should be as likely as any other. They occur {counts.tolist()} times.")
    message = (
        f"In all samples together the points occur {counts.tolist()} times, and with another key it is as even: cards "
        "of one deck. If each point is drawn independently of all others, chance makes these numbers differ."
    )
    scatter = [np.bincount(part.ravel(), minlength=n).var() / (part.size / n) for part in (index, other)]
    refuse(max(scatter) < 0.02, "one-deck", message)
    require(abs(distinct.mean() - expected) < 0.35, "draws-depend", depend)
    shared = [(row[:-1] == row[1:]).mean() for row in index.T.reshape(n, -1)]
    require(max(shared) < 0.4, "draws-depend", "The samples depend on each other: one repeats part of another.")
    half = len(index) // 2
    pairs = [(index[:-1], index[1:]), (index[::2], index[1::2]), (index[:half], index[-half:])]
    mirrored = max(foretold(one, other, n) for one, other in pairs)
    require(mirrored < 3, "draws-depend", "The samples depend on each other: one tells the points of another.")
    pairs = [(index[:, :-1], index[:, 1:]), (index[:, : n // 2], index[:, -(n // 2) :])]
    require(max(foretold(one, other, n) for one, other in pairs) < 3, "draws-depend", depend)


def foretold(one, other, n):
    """How much points say about their partners: chi-square per degree of freedom, about 1 if they say nothing."""
    table = np.bincount(n * one.ravel() + other.ravel(), minlength=n * n).reshape(n, n)
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum()) / (n - 1) ** 2


def words(index):
    """Each sample as one number."""
    return index @ (index.shape[1] ** np.arange(index.shape[1]))


def resampled(fit, x, y, key, draws, choose):
    """Bootstrap fits, by a rule that chooses the points of one sample."""

    def one(key):
        chosen = choose(key, x.size)
        return fit(x[chosen], y[chosen])

    return jax.vmap(one)(jax.random.split(key, draws))


def with_replacement(key, n):
    """The rule as it should be."""
    return jax.random.randint(key, (n,), 0, n)


@right("bootstrap-fits")
def draws_a_table_of_indices(fit, x, y, key, draws):
    chosen = jax.random.choice(key, len(x), (draws, len(x)))
    return jax.vmap(fit)(x[chosen], y[chosen])


@right("bootstrap-fits")
def folds_a_number_into_the_key(fit, x, y, key, draws):
    def one(i):
        chosen = jax.random.choice(jax.random.fold_in(key, i), x.size, x.shape)
        return fit(jnp.take(x, chosen), jnp.take(y, chosen))

    return jax.vmap(one)(jnp.arange(draws))


@wrong("bootstrap-fits", "loops")
def loops_over_keys(fit, x, y, key, draws):
    fits = []
    for own in jax.random.split(key, draws):
        chosen = with_replacement(own, x.size)
        fits.append(fit(x[chosen], y[chosen]))
    return jnp.stack(fits)


@wrong("bootstrap-fits", "same-sample-each-time")
def one_key_for_all(fit, x, y, key, draws):
    return jax.vmap(lambda _: resampled(fit, x, y, key, 1, with_replacement)[0])(jnp.arange(draws))


@wrong("bootstrap-fits", "pairs-torn")
def draws_x_and_y_apart(fit, x, y, key, draws):
    def one(key):
        first, second = jax.random.split(key)
        return fit(jax.random.choice(first, x, x.shape), jax.random.choice(second, y, y.shape))

    return jax.vmap(one)(jax.random.split(key, draws))


@wrong("bootstrap-fits", "pairs-torn")
def draws_y_only(fit, x, y, key, draws):
    return jax.vmap(lambda key: fit(x, y[with_replacement(key, y.size)]))(jax.random.split(key, draws))


@wrong("bootstrap-fits", "without-replacement")
def shuffles(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, jax.random.permutation)


@wrong("bootstrap-fits", "far-points-never-drawn")
def draws_small_numbers(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jax.random.bits(key, (n,), "uint8") % n)


@wrong("bootstrap-fits", "key-ignored")
def uses_half_of_the_key(fit, x, y, key, draws):
    return resampled(fit, x, y, jax.random.key(jax.random.key_data(key)[-1]), draws, with_replacement)


@wrong("bootstrap-fits", "point-never-drawn")
def end_not_included(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jax.random.randint(key, (n,), 0, max(n - 1, 1)))


@wrong("bootstrap-fits", "key-ignored")
def keys_of_its_own(fit, x, y, key, draws):
    return resampled(fit, x, y, jax.random.key(0), draws, with_replacement)


@wrong("bootstrap-fits", "data-as-a-sample")
def begins_with_the_data(fit, x, y, key, draws):
    chosen = jax.random.randint(key, (draws, x.size), 0, x.size).at[0].set(jnp.arange(x.size))
    return jax.vmap(fit)(x[chosen], y[chosen])


@wrong("bootstrap-fits", "draws-depend")
def blocks_of_neighbours(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: (jax.random.randint(key, (), 0, n) + jnp.arange(n) // 2) % n)


@wrong("bootstrap-fits", "draws-depend")
def mirrors_every_other_sample(fit, x, y, key, draws):
    chosen = jax.random.randint(key, (draws, x.size), 0, x.size)
    half = chosen[: (draws + 1) // 2]
    chosen = jnp.stack([half, x.size - 1 - half], 1).reshape(-1, x.size)[:draws]
    return jax.vmap(fit)(x[chosen], y[chosen])


@wrong("bootstrap-fits", "one-deck")
def deals_a_shuffled_deck(fit, x, y, key, draws):
    deck = jax.random.permutation(key, jnp.tile(jnp.arange(x.size), draws))
    chosen = deck.reshape(draws, x.size)
    return jax.vmap(fit)(x[chosen], y[chosen])


@wrong("bootstrap-fits", "hidden-state")
def draws_with_numpy(fit, x, y, key, draws):
    chosen = np.random.default_rng().integers(0, x.size, (draws, x.size))
    return jax.vmap(fit)(x[chosen], y[chosen])


@wrong("bootstrap-fits", "sample-of-other-size")
def half_as_many(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jax.random.randint(key, (max(n // 2, 1),), 0, n))


@wrong("bootstrap-fits", "not-a-table")
def spread_of_the_fits(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, with_replacement).std(axis=0)


@wrong("bootstrap-fits", "transposed")
def one_column_each(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, with_replacement).T


@wrong("bootstrap-fits", "uneven")
def rounds_to_the_nearest(fit, x, y, key, draws):
    def choose(key, n):
        return jnp.round(jax.random.uniform(key, (n,)) * (n - 1)).astype(int)

    return resampled(fit, x, y, key, draws, choose)


@wrong("bootstrap-fits", "one-point-repeated")
def one_index_for_all_points(fit, x, y, key, draws):
    return resampled(fit, x, y, key, draws, lambda key, n: jnp.full(n, jax.random.randint(key, (), 0, n)))


@wrong("bootstrap-fits", "samples-repeat")
def few_keys(fit, x, y, key, draws):
    few = resampled(fit, x, y, key, 20, with_replacement)
    return few[jnp.arange(draws) % 20]


@wrong("bootstrap-fits", "draws-depend")
def leaves_one_out(fit, x, y, key, draws):
    def choose(key, n):
        order = jax.random.permutation(key, n)
        return order.at[0].set(order[-1])

    return resampled(fit, x, y, key, draws, choose)


@wrong("bootstrap-fits", "other-points")
def adds_noise(fit, x, y, key, draws):
    return resampled(fit, x + 0.25, y, key, draws, with_replacement)


# -- effective-sigma --------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def noise_of(student_function, kind, places, sigma_x, sigma_y):
    """The noise at several vectors of places, for a curve that is named."""
    curves = {
        "sine": lambda x: 2 * jnp.sin(x),
        "cubic": lambda x: x**3 - x,
        "rise": lambda x: jnp.exp(x / 2),
        "line": lambda x: 1 - 3 * x,
        "inverse": lambda x: 1 / x,
    }
    return [student_function(curves[kind], x, sigma_x, sigma_y) for x in probe.on_device(places)]


def curve_by_hand(kind, x):
    """A curve and its slope."""
    curves = {
        "sine": (2 * np.sin(x), 2 * np.cos(x)),
        "cubic": (x**3 - x, 3 * x**2 - 1),
        "rise": (np.exp(x / 2), np.exp(x / 2) / 2),
        "line": (1 - 3 * x, -3 + 0 * x),
        "inverse": (1 / x, -1 / x**2),
    }
    return curves[kind]


SIGMA_SLIPS = {
    "root-forgotten": "Those are variances: take the square root.",
    "slope-forgotten": "The curve makes no difference: noise in x counts with the slope of the curve there.",
    "curve-for-slope": "You multiplied by the curve itself, and not by its slope.",
    "added-plainly": "You added the two sizes. Independent errors add as squares.",
    "sigma-y-forgotten": "The noise in y is missing.",
    "sigma-x-not-squared": "σ_x belongs inside the square, with the slope.",
    "chord-for-slope": "You took the curve at both ends of σ_x. Where it bends, the slope at x itself is another.",
    "sign-of-the-slope": "A size of noise cannot be negative: the size of the slope counts, not its sign.",
}


def sigma_slips(kind, x, sx, sy):
    """What is right, and what each mistake would give."""
    f, slope = curve_by_hand(kind, x)
    chord = (curve_by_hand(kind, x + sx)[0] - curve_by_hand(kind, x - sx)[0]) / 2
    want = np.sqrt(sy**2 + (slope * sx) ** 2)
    slips = {
        "root-forgotten": want**2,
        "slope-forgotten": np.sqrt(sy**2 + sx**2) + 0 * x,
        "curve-for-slope": np.sqrt(sy**2 + (f * sx) ** 2),
        "added-plainly": sy + np.abs(slope) * sx,
        "sigma-y-forgotten": np.abs(slope) * sx,
        "sigma-x-not-squared": np.sqrt(sy**2 + slope**2 * sx),
        "chord-for-slope": np.hypot(sy, chord),
        "sign-of-the-slope": sy + slope * sx,
    }
    return [want], {label: [slip] for label, slip in slips.items()}


@exercise(
    "effective-sigma",
    see="noise-in-x",
    hint=[
        "`jax.grad` takes a function that gives one number. Which transformation applies it to each x?",
        "`jax.vmap(jax.grad(curve))(x)`",
    ],
)
def effective_sigma(answer, rng):
    cases = []
    drawn = [("sine", 20), ("cubic", 20), ("rise", 1), ("line", 20), ("cubic", 1), ("sine", 1), ("rise", 20)]
    zeros = [("cubic", 20, 0.0, 0.3), ("sine", 20, 0.4, 0.0), ("line", 1, 0.0, 0.0)]
    drawn = [(*case, float(rng.uniform(0.05, 0.8)), float(rng.uniform(0.05, 0.8))) for case in drawn]
    for kind, n, sx, sy in [*drawn, *zeros]:
        # Not near 0, where a difference over a part of x fails: that has a diagnosis of its own.
        places = [(rng.uniform(0.1, 2, n) * rng.choice([-1, 1], n)).astype(np.float32) for _ in range(2)]
        found, raised = answer.attempt(noise_of, kind, places, sx, sy, expected={"TypeError"})
        answer.called = f"effective_sigma({kind}, float32[{n}], {sx:.3g}, {sy:.3g})"
        message = "It failed: `jax.grad` is for functions that give one number, but `curve(x)` gives one for each x."
        refuse(raised, "gradient-of-a-vector", message)
        for got, x in zip(found, places, strict=True):
            shape = numbers(got).shape
            message = f"A matrix came back, of shape {shape}: each y depends on its own x only. Map over them."
            refuse(shape == (n, n) and n > 1, "whole-jacobian", message)
            want, slips = sigma_slips(kind, x.astype(np.float64), sx, sy)
            cases.append(([got], want, slips))
    slipped(cases, SIGMA_SLIPS)
    for (got,), (want,), _ in cases:
        expect(got, want, "The root of σ_y² + (f'(x) σ_x)².", rtol=FLOAT32)
    x = rng.uniform(-2, 2, 20).astype(np.float32)
    for sx, sy in ((1e-9, 2e-9), (1e9, 2e9)):
        (got,) = answer.probe(noise_of, "line", [x], sx, sy)
        answer.called = f"effective_sigma(line, float32[20], {sx:g}, {sy:g})"
        (want,), _ = sigma_slips("line", x.astype(np.float64), sx, sy)
        expect(got, want, "However small or large the noise is, nothing is added or cut off.", rtol=FLOAT32)
    judge_places(answer, rng)


def judge_places(answer, rng):
    """Require that it does not matter how large `x` is, nor whether it is 0."""
    for kind, unit, signs in (("inverse", 1e-4, [1]), ("cubic", 1e4, [-1, 1]), ("sine", 1.0, [0, 1])):
        places = [(unit * rng.uniform(1, 2, 20) * rng.choice(signs, 20)).astype(np.float32) for _ in range(2)]
        sx, sy = (float(rng.uniform(0.05, 0.8)) for _ in range(2))
        found = answer.probe(noise_of, kind, places, sx, sy)
        answer.called = f"effective_sigma({kind}, {places[1][:3].tolist()} and more, {sx:.3g}, {sy:.3g})"
        for got, x in zip(found, places, strict=True):
            (want,), _ = sigma_slips(kind, x.astype(np.float64), sx, sy)
            message = (
                "The noise was right at places of about 1, and is not at these. A difference over a step needs a step "
                f"that suits x and the curve; `jax.grad` needs none. {first_difference(numbers(got), want, 1e-3)}"
            )
            require(close(got, want, rtol=1e-3), "differences", message)


@right("effective-sigma")
def by_a_sum(curve, x, sigma_x, sigma_y):
    return jnp.hypot(sigma_y, sigma_x * jax.grad(lambda x: curve(x).sum())(x))


@right("effective-sigma")
def by_a_tangent(curve, x, sigma_x, sigma_y):
    _, moved = jax.jvp(curve, (x,), (jnp.full(x.shape, sigma_x),))
    return jnp.array([(sigma_y**2 + m**2) ** 0.5 for m in moved])


@wrong("effective-sigma", "gradient-of-a-vector")
def forgets_vmap(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + (jax.grad(curve)(x) * sigma_x) ** 2)


@wrong("effective-sigma", "whole-jacobian")
def takes_the_jacobian(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + (jax.jacfwd(curve)(x) * sigma_x) ** 2)


def slopes_of(curve, x):
    """The slope at each place."""
    return jax.vmap(jax.grad(curve))(x)


@wrong("effective-sigma", "root-forgotten")
def effective_variance(curve, x, sigma_x, sigma_y):
    return sigma_y**2 + (slopes_of(curve, x) * sigma_x) ** 2


@wrong("effective-sigma", "slope-forgotten")
def adds_the_squares(curve, x, sigma_x, sigma_y):
    return jnp.full(x.shape, (sigma_y**2 + sigma_x**2) ** 0.5)


@wrong("effective-sigma", "curve-for-slope")
def multiplies_by_the_curve(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + (curve(x) * sigma_x) ** 2)


@wrong("effective-sigma", "added-plainly")
def adds_the_sizes(curve, x, sigma_x, sigma_y):
    return sigma_y + jnp.abs(slopes_of(curve, x)) * sigma_x


@wrong("effective-sigma", "sign-of-the-slope")
def adds_with_the_sign(curve, x, sigma_x, sigma_y):
    return sigma_y + slopes_of(curve, x) * sigma_x


@wrong("effective-sigma", "sigma-y-forgotten")
def noise_in_x_only(curve, x, sigma_x, sigma_y):
    return jnp.abs(slopes_of(curve, x)) * sigma_x


@wrong("effective-sigma", "sigma-x-not-squared")
def squares_the_slope_only(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + slopes_of(curve, x) ** 2 * sigma_x)


@wrong("effective-sigma", "chord-for-slope")
def looks_at_both_ends(curve, x, sigma_x, sigma_y):
    return jnp.hypot(sigma_y, (curve(x + sigma_x) - curve(x - sigma_x)) / 2)


@wrong("effective-sigma", "differences")
def over_a_part_of_x(curve, x, sigma_x, sigma_y):
    slopes = (curve(1.01 * x) - curve(0.99 * x)) / (0.02 * x)
    return jnp.hypot(sigma_y, slopes * sigma_x)


@wrong("effective-sigma", "wrong-value")
def bends_instead(curve, x, sigma_x, sigma_y):
    return jnp.sqrt(sigma_y**2 + (jax.vmap(jax.grad(jax.grad(curve)))(x) * sigma_x) ** 2)


# -- scipy-with-a-gradient --------------------------------------------------------------------------------------


def minimised(student_function, kind, goal, scale, start):
    """Where a minimisation of a loss that is named ends, and what it returns."""
    goal, scale = probe.on_device((goal, scale))

    def loss(p):
        if kind == "bowl":
            return jnp.sum(scale * (p - goal) ** 2)
        if kind == "softplus":
            return jnp.sum(jnp.log(jnp.exp(p - goal) + jnp.exp(goal - p)))
        return jnp.sum(scale * (p - goal) ** 2) + jnp.sum(p - goal) ** 2 + 5.0

    mine = np.array(start, np.float64)
    result = student_function(loss, mine)
    kind = "ndarray" if isinstance(result, np.ndarray) else type(result).__name__
    kind = "jax.Array" if isinstance(result, jax.Array) else kind
    values = np.array(result, np.float64) if kind in ("ndarray", "jax.Array", "list", "tuple") else np.zeros(0)
    return {"type": kind, "values": values, "kept": np.array_equal(mine, start)}


@exercise(
    "scipy-with-a-gradient",
    see="success",
    hint=[
        "`scipy.optimize.minimize` takes the gradient as a function, `jac=`.",
        "`jac=True` says that the function itself returns the value and the gradient: `jax.value_and_grad`.",
    ],
)
def scipy_with_a_gradient(answer, rng):
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
        start = goal + unit * rng.choice([-1, 1], size) * away
        facts = answer.probe(minimised, kind, goal, scale, start)
        answer.called = f"scipy_with_a_gradient({kind}, {np.round(start, 3).tolist()})"
        message = "SciPy's whole report came back. The parameters are its `x`."
        refuse(facts["type"] == "OptimizeResult", "whole-report", message)
        message = f"A `{facts['type']}` came back, but a NumPy vector is expected."
        require(facts["type"] == "ndarray", "not-numpy", message)
        message = f"{size} parameters went in, but the shape {facts['values'].shape} came out."
        require(facts["values"].shape == (size,), "other-shape", message)
        require(facts["kept"], "changed-input", "`start` was changed, and belongs to whoever has called.")
        found.append((facts["values"], goal, start))
    same = sum(close(got, start, rtol=1e-3) for got, _, start in found[:-2])
    message = (
        "The fit ends where it began. Without a gradient, SciPy takes differences over a step that a `float32` does "
        "not notice; with a wrong one, it finds no way down."
    )
    refuse(same >= 2, "stayed-at-the-start", message)
    near = [float(np.abs(got - goal).max() / np.abs(goal).max()) for got, goal, _ in found]
    message = "The fit moved, but stopped on its way: it should come within 1 % of the minimum."
    require(max(near[:-2]) < 0.01, "not-there-yet", message)
    message = (
        "Parameters of about 1 are found, but parameters of about 0.0001 or 10000 are not. A step of a fixed size for "
        "differences suits one size only, and `jax.scipy` may give up: hand SciPy the gradient."
    )
    require(max(near[-2:]) < 0.01, "not-there-yet", message)


@wrong("scipy-with-a-gradient", "stayed-at-the-start")
def as_the_colleague_did(loss, start):
    return scipy.optimize.minimize(jax.jit(loss), start).x


@right("scipy-with-a-gradient")
def with_a_function_of_its_own(loss, start):
    slope = jax.jit(jax.grad(loss))

    def gradient(p):
        return np.asarray(slope(p), np.float64)

    return scipy.optimize.minimize(jax.jit(loss), start, jac=gradient, method="L-BFGS-B").x


@right("scipy-with-a-gradient")
def in_double_precision(loss, start):
    with (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(True):
        return scipy.optimize.minimize(jax.jit(loss), start).x


@wrong("scipy-with-a-gradient", "stayed-at-the-start")
def gradient_turned_round(loss, start):
    return scipy.optimize.minimize(loss, start, jac=lambda p: -jax.grad(loss)(p)).x


@wrong("scipy-with-a-gradient", "stayed-at-the-start")
def only_a_smaller_tolerance(loss, start):
    return scipy.optimize.minimize(jax.jit(loss), start, tol=1e-12).x


@wrong("scipy-with-a-gradient", "changed-input")
def writes_into_the_start(loss, start):
    start[:] = scipy.optimize.minimize(jax.jit(jax.value_and_grad(loss)), start, jac=True).x
    return start


@wrong("scipy-with-a-gradient", "whole-report")
def returns_the_report(loss, start):
    return scipy.optimize.minimize(jax.jit(jax.value_and_grad(loss)), start, jac=True)


@wrong("scipy-with-a-gradient", "not-numpy")
def makes_it_an_array_of_jax(loss, start):
    return jnp.asarray(scipy.optimize.minimize(jax.jit(jax.value_and_grad(loss)), start, jac=True).x)


@wrong("scipy-with-a-gradient", "other-shape")
def returns_the_loss(loss, start):
    result = scipy.optimize.minimize(jax.jit(jax.value_and_grad(loss)), start, jac=True)
    return np.array([result.fun, *result.x])


@wrong("scipy-with-a-gradient", "not-there-yet")
def gives_up_early(loss, start):
    both = jax.jit(jax.value_and_grad(loss))
    return scipy.optimize.minimize(both, start, jac=True, options={"maxiter": 1}).x


@wrong("scipy-with-a-gradient", "not-there-yet")
def takes_a_longer_step(loss, start):
    return scipy.optimize.minimize(jax.jit(loss), start, options={"eps": 1e-3}).x


# -- changes of solutions that leave them right -----------------------------------------------------------------

_FINITE = "all numbers are finite, so 0 times one is 0"

accepted = [
    equivalent(
        "fit-with-optax",
        "`optax.apply_updates(params, updates)`  ->  `optax.apply_updates(updates, params)`",
        "the same sum",
    ),
    equivalent(
        "damped-step",
        "`jnp.where(better, damping / 3, damping * 3)`  ->  `better * (damping / 3) + (1 - better) * (damping * 3)`",
        _FINITE,
    ),
    equivalent(
        "damped-step", "`jnp.where(better, trial, params)`  ->  `better * trial + (1 - better) * params`", _FINITE
    ),
    equivalent(
        "error-bars-of-a-fit", "`0.5`  ->  `0.505`", "half a percent, as the inverse of a `float32` matrix may be off"
    ),
    equivalent("error-bars-of-a-fit", "`y - curve(params, x)`  ->  `curve(params, x) - y`", "the square is the same"),
    equivalent("bootstrap-fits", "`x`  ->  `y`", "both have as many points"),
    equivalent(
        "scipy-with-a-gradient",
        "`jax.jit(jax.value_and_grad(loss))`  ->  `jax.value_and_grad(loss)`",
        "slower, and the text asks for no program",
    ),
]
