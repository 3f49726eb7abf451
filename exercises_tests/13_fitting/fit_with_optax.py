"""fit-with-optax."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close

from ._lesson import FLOAT32, joined, slipped


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


def fitted(kind, starts, *setting, **how):
    return told(descended(kind, starts, *setting, **how), *setting)


def end_for_each(kind, starts, centres, weights, steps):
    path = descended(kind, starts, centres, weights, steps)
    return [*path[steps], np.full(steps, course_of(path, centres, weights)[steps - 1])]


MISTAKES = {
    "updates-subtracted": lambda *case: fitted(*case, sign=-1.0),
    "state-thrown-away": lambda *case: fitted(*case, forget=True),
    "one-step-short": lambda *case: told(descended(*case), *case[2:], last=1),
    "losses-after": lambda *case: told(descended(*case), *case[2:], shift=1),
    "losses-last-only": end_for_each,
    "decay-forgotten": lambda kind, *case: fitted("adam" if kind == "adamw" else kind, *case),
}


def slips_of_the_fit(*case):
    """What is right, and what each mistake would give: parameters, and losses behind them."""
    return fitted(*case), {label: mistaken(*case) for label, mistaken in MISTAKES.items()}


def judge_fit(facts, steps):
    """Require a pair: parameters in their structure, and one loss for each step."""
    require(facts["pair"], "not-a-pair")
    refuse(facts["turned"], "pair-turned-round")
    require(facts["same"], "structure-lost")
    require(facts["losses"] is not None, "losses-not-an-array", steps=steps, kind=facts["kind"])
    shape = np.shape(facts["losses"])
    require(shape == (steps,), "losses-of-wrong-shape", steps=steps, shape=shape)


def judge_arrays_apart(answer, rng):
    """Require that the optimiser is given the pytree: some look at each of its arrays."""
    starts, centres = ([rng.normal(at, 1, shape).astype(np.float32) for shape in ((3,), ())] for at in (0, 9))
    weights = [np.full((3,), 0.3, np.float32), np.float32(5)]
    setting = "clip_by_block_rms", starts, centres, weights, 7
    (facts,) = answer.probe(fitted_by, setting[0], [starts], *setting[2:])
    answer.called = "fit_with_optax(clip_by_block_rms, loss, params, 7)"
    judge_fit(facts, 7)
    require(is_close(joined(facts["params"]), joined(descended(*setting)[-1]), rtol=FLOAT32), "arrays-joined")


def check(answer, rng):
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
        found, raised = answer.attempt(fitted_by, kind, drawn, *setting, expected={"ValueError: not passing `params`"})
        answer.called = f"fit_with_optax({kind}, loss, params, {steps})"
        refuse(raised, "params-not-passed")
        for facts, starts in zip(found, drawn, strict=True):
            judge_fit(facts, steps)
            want, slips = slips_of_the_fit(kind, starts, *setting)
            cases.append((answer.called, [*facts["params"], facts["losses"]], want, slips))
    slipped(answer, cases, MISTAKES)
    for answer.called, got, want, _ in cases:
        expect(joined(got[:-1]), joined(want[:-1]), "wrong-value", rtol=FLOAT32)
        expect(got[-1], want[-1], "wrong-losses", rtol=FLOAT32)
    judge_arrays_apart(answer, rng)
    counts, raised = answer.attempt(equations_of_fits, [3, 10], expected=probe.NEEDS_A_VALUE)
    refuse(raised or -1 in counts, "not-traceable")
    require(counts[0] == counts[1], "unrolled", three=counts[0], ten=counts[1])
    ten, thousand = answer.probe(equations_of_fits, [10, 1000])
    require(ten == thousand, "unrolled/2", ten=ten, thousand=thousand)


WORDS = """
hint: What must go from one step to the next? Two things, so the carry of the `scan` is a pair.
hint: `optimiser.update(gradient, state, params)` returns updates and a new state; `optax.apply_updates` adds.
updates-subtracted: The loss grows: updates are added, as they contain the minus. `optax.apply_updates` adds.
state-thrown-away: Every step was a first step: `update` returns a new state, which must go to the next step.
one-step-short: The losses are right, but the parameters are those before the last step.
losses-after: Your losses are those after each step: the first one should be that of the start.
losses-last-only: The losses do not change: there should be one for each step.
decay-forgotten: Right without weight decay, but wrong with it: the optimiser was given other parameters.
not-a-pair: Return a pair: the parameters after the last step, and the losses.
pair-turned-round: The losses came first. Return the parameters, then the losses.
structure-lost: The parameters should come back in the structure in which they came.
losses-not-an-array: The losses came back as a `{kind}`. Return one array, of the shape ({steps},), which a `scan`
    stacks by itself.
losses-of-wrong-shape: {steps} steps were asked for, and the losses have the shape {shape}. Return the loss before
    each step.
arrays-joined: Right for optimisers that treat all numbers alike. This one looks at each array by itself, so it must
    be given the gradient and the parameters as the pytree that they are, not as one long vector.
params-not-passed: `adamw` raised a ValueError, where others did not: it shrinks the parameters, so `update` must be
    given them, as its third argument.
wrong-value: The parameters after the last step.
wrong-losses: The loss before each step.
not-traceable: While JAX traces the fit, a number is asked for that is not there yet, or Python is called back. Is there
    a `float`, an `.item()`, an `if`, a function of NumPy or a callback?
unrolled: {three} equations for 3 steps, {ten} for 10: Python unrolls the loop. `jax.lax.scan` does not.
unrolled/2: {ten} equations for 10 steps, {thousand} for 1000: a part of the loop is unrolled.
"""

fit_with_optax = declare(
    "fit-with-optax",
    points=2,
    see="optax",
    steps=[check],
    words=WORDS,
)
