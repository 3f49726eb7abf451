"""fit-with-optax."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jaxcourse import probe
from jaxcourse.checks import Agrees, Also, at_once, declare, refuse, require

from ._lesson import FLOAT32, joined


@probe.question(evidence="values")
def fitted_by(student_function, cases):
    """What fits of known course return, described."""
    optimisers = {
        "momentum": optax.sgd(0.1, momentum=0.9),
        "adam": optax.adam(0.1),
        "adamw": optax.adamw(0.1, weight_decay=0.5),
        "warm-up": optax.sgd(optax.linear_schedule(0.0, 0.2, 4)),
        "clip_by_block_rms": optax.chain(optax.clip_by_block_rms(0.5), optax.sgd(0.1)),
    }

    def pack(parts, steps):
        parts = probe.on_device([np.asarray(part) for part in parts])
        if len(parts) == 1:
            return parts[0]
        return [parts[0], (parts[1],)] if steps == 1 else {"w": [parts[0]], "b": (parts[1],)}

    def fit_of(kind, starts, centres, weights, steps):
        params, goals, scales = (pack(parts, steps) for parts in (starts, centres, weights))

        def loss(params):
            parts = jax.tree.map(lambda p, c, w: jnp.sum(w * (p - c) ** 2) / 2, params, goals, scales)
            return sum(jax.tree.leaves(parts))

        return student_function(optimisers[kind], loss, params, steps), jax.tree.structure(params)

    facts = []
    for kind, starts, centres, weights, steps in cases:
        result, known = fit_of(kind, starts, centres, weights, steps)
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
                "losses": np.array(losses) if one else None,
                "kind": type(losses).__name__,
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


def told(path, centres, weights, steps, *, shift=0, last=0):
    """The parameters at the end of a path, and the losses behind them."""
    return [*path[steps - last], course_of(path, centres, weights)[shift : shift + steps]]


def mistaken(how, kind, starts, *setting):
    return told(descended(kind, starts, *setting, **how), *setting)


def fitted(optimiser, starts, centres, weights, steps):
    """The oracle: parameters, and losses behind them."""
    return mistaken({}, optimiser, starts, centres, weights, steps)


def end_for_each(kind, starts, centres, weights, steps):
    path = descended(kind, starts, centres, weights, steps)
    return [*path[steps], np.full(steps, course_of(path, centres, weights)[steps - 1])]


MISTAKES = {
    "updates-subtracted": functools.partial(mistaken, {"sign": -1.0}),
    "state-thrown-away": functools.partial(mistaken, {"forget": True}),
    "one-step-short": lambda *case: told(descended(*case), *case[2:], last=1),
    "losses-after": lambda *case: told(descended(*case), *case[2:], shift=1),
    "losses-last-only": end_for_each,
    "decay-forgotten": lambda kind, *case: fitted("adam" if kind == "adamw" else kind, *case),
}


def some_fits(rng):
    """Fits by several optimisers, of numbers in several units."""
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
        cases += [(kind, starts, centres, weights, steps) for starts in drawn]
    return cases


def by_a_block(rng):
    """A fit by an optimiser that looks at each array by itself."""
    starts, centres = ([rng.normal(at, 1, shape).astype(np.float32) for shape in ((3,), ())] for at in (0, 9))
    return [("clip_by_block_rms", starts, centres, [np.full((3,), 0.3, np.float32), np.float32(5)], 7)]


def parts_of(facts, optimiser, starts, centres, weights, steps):
    """Parameters in their structure, and one loss for each step."""
    require(facts["pair"], "not-a-pair")
    refuse(facts["turned"], "pair-turned-round")
    require(facts["same"], "structure-lost")
    require(facts["losses"] is not None, "losses-not-an-array", steps=steps, kind=facts["kind"])
    shape = np.shape(facts["losses"])
    require(shape == (steps,), "losses-of-wrong-shape", steps=steps, shape=shape)
    return [*facts["params"], facts["losses"]]


def params_alone(facts, *case):
    """The parameters as one vector."""
    return joined(parts_of(facts, *case)[:-1])


def params_after(optimiser, starts, centres, weights, steps):
    return joined(fitted(optimiser, starts, centres, weights, steps)[:-1])


def losses_before(optimiser, starts, centres, weights, steps):
    return fitted(optimiser, starts, centres, weights, steps)[-1]


def one_program_for_any_steps(answer, rng):
    """Require that a fit can be traced, and that its program is as long for many steps as for few."""
    counts, raised = answer.attempt(equations_of_fits, [3, 10], expected=probe.NEEDS_A_VALUE)
    refuse(raised or -1 in counts, "not-traceable")
    require(counts[0] == counts[1], "unrolled", three=counts[0], ten=counts[1])
    ten, thousand = answer.probe(equations_of_fits, [10, 1000])
    require(ten == thousand, "unrolled/2", ten=ten, thousand=thousand)


ASKED = {
    "ask": at_once(fitted_by),
    "shows": "fit_with_optax(optimiser, loss, params, steps)",
    "rtol": FLOAT32,
}


WORDS = """
hint: What must go from one step to the next? Two things, so the carry of the `scan` is a pair.
hint: `optimiser.update(gradient, state, params)` returns updates and a new state, and `optax.apply_updates` adds.
updates-subtracted: Your loss grows. Add the updates, which contain the minus, with `optax.apply_updates`.
state-thrown-away: Your steps are all first steps. `update` returns a new state: pass it to the next step.
one-step-short: Your losses are right, but your parameters are those before the last step. Return those after it.
losses-after: Your losses are those after each step. The first one belongs to the start.
losses-last-only: Your losses are all the same. Return one for each step.
decay-forgotten: Your fit is right without weight decay, but not with it. Pass the optimiser the parameters of each
    step.
not-a-pair: Return a pair: the parameters after the last step, and the losses.
pair-turned-round: Your pair has the losses first. Return the parameters, then the losses.
structure-lost: Your parameters came back in another structure. Return them in the one in which they came.
losses-not-an-array: Your losses came back as a `{kind}`. Return one array, as a `scan` stacks them by itself, of
    the shape ({steps},).
losses-of-wrong-shape: Your losses have the shape {shape}. Return the loss before each step, here {steps}.
arrays-joined: Your fit is off for an optimiser that looks at each array by itself. Pass it gradient and
    parameters as the pytree that they are, not as one long vector.
params-not-passed: Your fit raised a ValueError with `adamw`, which shrinks the parameters. Pass them to `update`,
    as its third argument.
wrong-value: Your parameters after the last step are off. Which loss, gradient and state does each step use?
wrong-losses: Your losses are not those before each step. `jax.value_and_grad` gives loss and gradient at the same
    place.
not-traceable: Your fit asks for a number that does not exist yet while JAX traces, or calls Python back. Is it a
    `float`, `.item()`, `if`, NumPy function or callback?
unrolled: Your fit has {three} equations for 3 steps, and {ten} for 10: Python unrolls the loop. `jax.lax.scan` does
    not.
unrolled/2: Your fit has {ten} equations for 10 steps, and {thousand} for 1000: a part of the loop is unrolled. Put
    all of it into the `scan`.
"""

fit_with_optax = declare(
    "fit-with-optax",
    points=2,
    see="optax",
    steps=[
        Agrees(
            fitted,
            extremes=some_fits,
            reads=parts_of,
            mistakes=MISTAKES,
            raising={"params-not-passed": {"ValueError: not passing `params`"}},
            otherwise=None,
            then=[
                Also(params_after, reads=params_alone, rtol=FLOAT32),
                Also(losses_before, reads=lambda facts, *case: facts["losses"], otherwise="wrong-losses", rtol=FLOAT32),
            ],
            **ASKED,
        ),
        Agrees(params_after, extremes=by_a_block, reads=params_alone, otherwise="arrays-joined", **ASKED),
        one_program_for_any_steps,
    ],
    words=WORDS,
)
