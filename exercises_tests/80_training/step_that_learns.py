"""step-that-learns."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, expect, refuse, require
from jaxcourse.exercise import numbers


def line_case(rng, shape):
    """The arguments of one call."""
    n, d = shape
    params = {"w": inputs.array(rng, d, "float32"), "b": np.asarray(rng.normal(), np.float32)}
    x, y = (rng.normal(size=size).astype(np.float32) for size in ((n, d), n))
    step, rate = (7, 0.1) if n == 3 else (int(rng.integers(0, 100)), float(rng.uniform(0.01, 0.5)))
    return {"params": params, "step": step}, x, y, rate


def scaled_line(rng, scales, offset=0.0):
    """A call in other units: scales of `w`, of `x` and of `y`, and what `b` and `y` are moved by."""
    state, x, y, rate = line_case(rng, (20, 4))
    of_params, of_x, of_y = (np.float32(scale) for scale in scales)
    w, b = state["params"]["w"] * of_params, np.asarray(state["params"]["b"] * of_y + np.float32(offset))
    params = {"w": w, "b": b}
    return {"params": params, "step": state["step"]}, x * of_x, y * of_y + np.float32(offset), rate


UNITS = [((1e4, 1e-4, 1), 0.0), ((1e-6, 1, 1e-6), 0.0), ((1, 100, 1e4), 0.0), ((1, 1, 1), 3000.0)]
"""Scales, and an offset beside which the differences are small."""


def line_step(factor=2.0, *, total=False, counted=1, late=False, swapped=False):
    """A step of gradient descent on a line; or one with a mistake in it."""

    def step(state, x, y, rate):
        w, b = (np.asarray(state["params"][name], np.float64) for name in ("w", "b"))
        x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        off = x @ w + b - y
        share = factor * rate / (1 if total else len(y))
        params = {"w": w - share * (off @ x), "b": b - share * off.sum()}
        loss = np.mean((x @ params["w"] + params["b"] - y) ** 2) if late else np.mean(off**2)
        new = {"params": params, "step": state["step"] + counted}
        return (loss, new) if swapped else (new, loss)

    return step


def half_moved(state, x, y, rate):
    """`b` stays where it was."""
    (new, loss), b = line_step()(state, x, y, rate), state["params"]["b"]
    return {"params": {"w": new["params"]["w"], "b": b}, "step": new["step"]}, loss


def table_step(state, x, y, rate):
    """Each prediction against every measured value."""
    w, b = (np.asarray(state["params"][name], np.float64) for name in ("w", "b"))
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    off = (x @ w + b)[:, None] - y
    pull = 2 * off.mean(axis=1) / len(y)
    params = {"w": w - rate * pull @ x, "b": b - rate * pull.sum()}
    return {"params": params, "step": state["step"] + 1}, np.mean(off**2)


MISTAKES = {
    "one-is-left-behind": half_moved,
    "all-with-all": table_step,
    "gradient-of-nothing": line_step(0.0),
    "uphill": line_step(-2.0),
    "factor-lost": line_step(1.0),
    "summed": line_step(total=True),
    "step-not-counted": line_step(counted=0),
    "loss-after": line_step(late=True),
    "swapped": line_step(swapped=True),
}


def in_other_units(rng):
    return [scaled_line(rng, *unit) for unit in UNITS]


def counts_far(answer, rng):
    """The count is a whole number, however large."""
    state, *data = line_case(rng, (3, 3))
    late = {**state, "step": 40_000_000}
    step = numbers(answer(late, *data)[0]["step"])
    require(step.dtype.kind in "iu", "step-not-whole")
    expect(step, late["step"] + 1, "wrong-value/step")


def the_same_under_jit(answer, rng):
    """A compiled step is the same, and what it is given is still there afterwards."""
    case = line_case(rng, (3, 3))
    answer.probe(probe.on_jax_arrays, *case)  # an array of NumPy is not donated
    got, raised = answer.attempt(probe.under_jit, *case, expected=probe.NEEDS_A_VALUE)
    refuse(raised, "not-traceable")
    (state, loss), (want, want_loss) = got, line_step()(*case)
    expect(loss, want_loss, "wrong-value/2", rtol=1e-3)
    for name in ("w", "b"):
        expect(state["params"][name], want["params"][name], "wrong-value/3", name=name, rtol=1e-3)
    expect(state["step"], want["step"], "wrong-value/4")


WORDS = """
hint: Print `grads`. Which variable does the loss take its parameters from?
hint: A gradient is taken with respect to an argument. What does not come in through it is a constant.
one-is-left-behind: Your `w` moves but `b` does not. Does the loss take *both* from its argument?
all-with-all: Your column met a vector, so each prediction was compared with *every* measured value.
gradient-of-nothing: You return the parameters that came in. Does the function that you differentiate take them
    from `state`, and not from its argument? Or do you return the old ones?
uphill: You moved the parameters up the gradient, so the loss grows.
factor-lost: Your step is half as long as it should be. The derivative of a square has a factor of 2.
summed: Your gradient is that of a sum, so your steps get longer with more data.
step-not-counted: Your `step` should be 1 more than it was.
loss-after: You returned the loss *after* the step. The task asks for the one before it.
swapped: You returned the loss first. Return the state, then the loss.
step-not-whole: `step` is a whole number, so it should come back as one.
wrong-value: Your step is not one of gradient descent on the mean squared error.
wrong-value/step: `step` should be 1 more than it was, however large it is.
not-traceable: Under `jit`, your code asks for a value that is not known yet, such as that of `step`.
wrong-value/2: Under `jit`, your loss is a different one.
wrong-value/3: Under `jit`, your `{name}` is a different one.
wrong-value/4: Under `jit`, your `step` is a different one.
"""

step_that_learns = declare(
    "step-that-learns",
    see="wrong-nets",
    steps=[
        Agrees(
            line_step(),
            line_case,
            [(1, 1), (3, 3), (20, 4)],
            each=2,
            extremes=in_other_units,
            mistakes=MISTAKES,
            rtol=1e-3,
        ),
        counts_far,
        the_same_under_jit,
    ],
    words=WORDS,
)
