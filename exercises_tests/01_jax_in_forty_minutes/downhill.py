"""downhill: the place after some steps against the gradient of a loss, with the loop in the program."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, at_once, declare, refuse, require
from jaxcourse.exercise import refuse_nothing


def ended(student_function, cases):
    """Where an answer ends on losses of known gradient, and in what form it says so."""

    def loss_of(weights, goal):
        wide, centre = probe.on_device([weights, goal])

        def loss(p):
            return jnp.sum(wide * (p - centre) ** 2) / 2 + jnp.sum(p) ** 2 / 8 + 5

        return loss

    facts, losses = [], {}
    for weights, goal, start, rate, steps in cases:
        numbers = (*weights.tolist(), *goal.tolist())
        if numbers not in losses:  # the same function for the same numbers
            losses[numbers] = loss_of(weights, goal)
        result = student_function(losses[numbers], probe.on_device([start])[0], rate, steps)
        one = result is not None and not isinstance(result, (tuple, list, dict))
        facts.append({"nothing": result is None, "one": one, "place": np.array(result) if one else None})
    return facts


def equations(student_function, all_steps):
    """How many equations descents of several lengths have, with the body of a loop counted once."""

    def loss(p):
        return jnp.sum((p - 3.0) ** 2)

    counts, start = [], probe.on_device(np.zeros(2, np.float32))
    for steps in all_steps:
        found = probe.primitives(lambda p: student_function(loss, p, 0.1, steps), start)  # noqa: B023
        counts.append(-1 if any("callback" in name for name in found) else sum(found.values()))
    return counts


def loss_at(p, weights, goal):
    return (weights * (p - goal) ** 2).sum() / 2 + p.sum() ** 2 / 8 + 5


def slope_at(p, weights, goal):
    """The gradient by hand: each number depends on the sum of all."""
    return weights * (p - goal) + p.sum() / 4


def walked(move, weights, goal, start, rate, steps):
    """All places of a walk in double precision, the start among them."""
    path = [start.astype(np.float64)]
    for _ in range(steps):
        path.append(move(path[-1], slope_at(path[-1], weights, goal), rate))
    return path


def down(p, slope, rate):
    return p - rate * slope


def end(weights, goal, start, rate, steps):
    """The oracle."""
    return walked(down, weights, goal, start, rate, steps)[-1]


def moving(move):
    """A mistake in each step, of which the place, its slope and the rate are known."""
    return lambda *case: walked(move, *case)[-1]


def of_start(weights, goal, start, rate, steps):
    return start - steps * rate * slope_at(start.astype(np.float64), weights, goal)


def by_the_loss(weights, goal, start, rate, steps):
    place = start.astype(np.float64)
    for _ in range(steps):
        place = place - rate * loss_at(place, weights, goal)
    return place


def descents(rng):
    """Descents of several lengths, in several units; none has arrived."""
    cases = []
    for size, steps, unit in ((2, 2, 1), (2, 1, 1), (1, 5, 1), (3, 3, 1e3), (2, 4, 1e-3), (4, 12, 1)):
        goal, start = (rng.normal(0, 2 * unit, size).astype(np.float32) for _ in range(2))
        weights = rng.uniform(0.3, 2, size).astype(np.float32)
        cases.append((weights, goal, start, float(rng.uniform(0.05, 0.3)), steps))
    weights, goal, start, rate, steps = cases[0]
    return [*cases, (weights, goal, start[::-1] + 1, rate, steps)]  # the same loss, from elsewhere


def place_of(facts, weights, goal, start, rate, steps):
    """One array of the shape of the start."""
    refuse_nothing(facts["nothing"])
    require(facts["one"], "not-one-array")
    shape = facts["place"].shape
    for count in (steps, steps + 1):
        refuse(shape == (count, *start.shape), "whole-path", steps=steps, shape=shape)
    return facts["place"]


def one_program_for_any_steps(answer, rng):
    """Require that a descent can be traced, and that its program is as long for many steps as for few."""
    counts, raised = answer.attempt(equations, [3, 10], expected=probe.NEEDS_A_VALUE)
    refuse(raised or -1 in counts, "not-traceable")
    require(counts[0] == counts[1], "unrolled", three=counts[0], ten=counts[1])
    ten, thousand = answer.probe(equations, [10, 1000])
    require(ten == thousand, "unrolled/2", ten=ten, thousand=thousand)


SHOWN = """\
def loss(p):
    return jnp.sum(weights * (p - goal) ** 2) / 2 + jnp.sum(p) ** 2 / 8 + 5

downhill(loss, start, rate, steps)"""

MISTAKES = {
    "uphill": moving(lambda p, slope, rate: p + rate * slope),
    "rate-forgotten": moving(lambda p, slope, rate: p - slope),
    "one-step": lambda *case: walked(down, *case)[1],
    "one-step-short": lambda *case: walked(down, *case)[-2],
    "one-step-more": lambda *case: end(*case[:-1], case[-1] + 1),
    "slope-of-the-start": of_start,
    "loss-for-slope": by_the_loss,
    "place-lost": moving(lambda p, slope, rate: -rate * slope),
}

RAISING = {
    "loss-is-an-argument": {"TypeError: <class 'function'>", "TypeError: as an abstract array"},
    "steps-not-static": "length",
    "arguments-of-step": "positional argument",
    "step-returns-a-pair": "scan body output must be a pair",
}

WORDS = """
hint: What does a step need from the one before it? And what does it hand to the next?
hint: `jax.grad(loss)` is a function: call it inside `step`, at the place where you are.
hint: `jax.lax.fori_loop(0, steps, step, start)`, where `step(turn, place)` returns the next place.
uphill: You went uphill, as the gradient points to where the loss grows. Subtract it.
rate-forgotten: You subtracted the whole gradient. Multiply it by `rate` first.
one-step: You took only one of `steps` steps. Does each step begin where the last one ended?
one-step-short: You took one step too few. `fori_loop(0, n, ...)` takes n steps: it counts 0, and not n.
one-step-more: You took one step too many. `fori_loop(0, n, ...)` takes n steps: it counts 0, and not n.
slope-of-the-start: You used the gradient at the start for all steps. Take it inside `step`, at the place where you are.
loss-for-slope: You subtracted the loss, which is a number. Subtract its gradient: `jax.grad(loss)` says how the loss
    changes with each number of the place.
place-lost: Your step returns its own length and direction. Add it to the place.
not-one-array: Your function returned a tuple, a list or a dictionary, and not one array. Is it the pair of a `scan`?
    Return its first part, the place at the end.
whole-path: Your result has the shape {shape}, as a path of {steps} steps has. Return only its end.
loss-is-an-argument: You compiled a function that takes `loss`, and a function is no array. Compile one that takes
    only arrays, or name `loss` in `static_argnames`.
steps-not-static: Your `scan` needs its length while JAX traces. Is `steps` an argument of a function that you
    compiled? Then name it in `static_argnames`.
arguments-of-step: Your code called a function with the wrong number of arguments. A step of `fori_loop` gets two, turn
    and place. A step of `scan` gets place and element.
step-returns-a-pair: Your step of `scan` returned no pair. It needs one: a value for the next step, and a value to
    keep. Only a step of `fori_loop` returns the place alone.
wrong-value: Your steps end elsewhere. Each of them goes from the place to `place - rate * jax.grad(loss)(place)`.
not-traceable: Your function asks for a number that doesn't exist yet while JAX traces, or calls Python back. Is there
    a `float`, an `if`, or a function of NumPy?
unrolled: Your program has {three} equations for 3 steps, and {ten} for 10. Python runs the loop while JAX traces: put
    it into the program, with `jax.lax.fori_loop`.
unrolled/2: Your program has {ten} equations for 10 steps, and {thousand} for 1000. Python still runs a part of the
    loop: move that part into `step`.
"""

downhill = declare(
    "downhill",
    see="tour-loop",
    steps=[
        Agrees(
            end,
            extremes=descents,
            ask=at_once(ended),
            reads=place_of,
            shows=SHOWN,
            mistakes=MISTAKES,
            raising=RAISING,
            rtol=1e-4,
        ),
        one_program_for_any_steps,
    ],
    words=WORDS,
)
