"""share-the-batch."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close

from ._lesson import SIMULATED, inside, lying, pieces_of, require_float32, require_only
from ._lesson import WORDS as LESSON


def _judge_step(got, w, x, y, rate, devices):
    exact = np.asarray(x, np.float64)
    gradient = 2 * exact.T @ (exact @ w - y) / len(y)
    same = functools.partial(is_close, got, rtol=1e-3)
    refuse(same(w - rate * devices * gradient), "step-too-long", devices=devices)
    refuse(same(w - rate * len(y) * gradient), "sum-no-mean")
    refuse(devices == SIMULATED and same(w - rate * gradient / 2), "half-a-step")
    fixed = devices != SIMULATED and same(w - rate * gradient * devices / SIMULATED)
    refuse(fixed, "number-of-devices-fixed", simulated=SIMULATED, devices=devices)
    few = len(y) // devices
    first = 2 * exact[:few].T @ (exact[:few] @ w - y[:few]) / few
    refuse(same(w - rate * first), "one-device-decides")
    refuse(same(w + rate * gradient), "uphill")
    refuse(same(gradient), "gradient-only")
    refuse(same(w - gradient), "no-rate")
    expect(got, w - rate * gradient, "wrong-value", rtol=1e-3)
    require_float32(got)


def _judge_sharing(facts, axes, flops, m, work_alone):
    if facts["flops"] > 1.5 * flops / axes["x"]:  # on copies, or more work than it takes
        alone = work_alone()
        part = f"{100 * facts['flops'] / alone:.0f} %"
        refuse(facts["flops"] > 1.5 * alone / axes["x"], "work-not-shared", devices=axes["x"], part=part)
    require_only(facts["collectives"], ("all-reduce",), label="others-travel")
    count = facts["collectives"].get("all-reduce", 0)
    require(count == 1, "not-one-all-reduce", count=count)
    how, lies = lying(pieces_of(facts["pieces"]), axes, [], (m,))
    refuse(how == "few", "w-cut/few", **lies)
    refuse(how, "w-cut/pieces", **lies)


def _work_alone(answer, *args):
    """The FLOPs of the same answer on one device."""
    placed = probe.placing({"x": 1}, [], [], [], None, mesh="argument")
    return answer.probe(probe.partitioned, placed, *args)["flops"]


def check(answer, rng):
    for devices, n, m in ((8, 64, 32), (4, 48, 32), (2, 32, 32)):
        axes = {"x": devices}
        w, x, y = (rng.normal(size=size).astype(np.float32) for size in (m, (n, m), n))
        rate = float(np.float32(rng.uniform(0.05, 0.2)))
        placed = probe.placing(axes, [], [], [], None, mesh="argument")
        facts = answer.probe(probe.partitioned, placed, w, x, y, rate)
        answer.called = f"jit(share_the_batch)(mesh, float32[{m}], float32[{n}, {m}], float32[{n}], {rate:.2g})"
        _judge_step(answer.probe(inside, placed, w, x, y, rate), w, x, y, rate, devices)
        if n != m:  # in a square the compiler may take columns for rows, and share the work otherwise
            _judge_sharing(facts, axes, 4 * n * m, m, functools.partial(_work_alone, answer, w, x, y, rate))


WORDS = """
hint: Copies that come in are work for everybody. Constrain `x` and `y` so that each device has its own rows.
hint: `jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P('x')))`, and the gradient of the global mean.
step-too-long: The step is {devices} times too long: the gradients of the devices were added and not averaged, or a
    sum over all rows was divided by the rows of one device.
sum-no-mean: The step is multiplied by the number of rows: differentiate the mean of the squares, not their sum.
half-a-step: The derivative of a square has a factor of 2, and the step is half as long as it should be.
number-of-devices-fixed: Right on the {simulated} devices of the lesson, and not on {devices}: ask `mesh` how many
    there are.
one-device-decides: The step follows the rows of the first device only. The gradients of all devices belong to one
    mean.
uphill: The step goes uphill: the sign of the step is turned, or that of the gradient.
gradient-only: That is the gradient. The next `w` is asked for.
no-rate: The gradient is not multiplied by `rate`.
wrong-value: One step down the gradient of the mean over all rows.
work-not-shared: On {devices} devices, each does {part} of the work that one device does alone: what comes in as copies
    stays copies. Inside `jit`, `device_put` does not change that; `jax.lax.with_sharding_constraint` *returns* what is
    cut.
others-travel: The compiled program contains {others}. The copies are there already: each device needs to keep its rows
    of `x` and `y` and all of `w`, and to exchange only sums.
not-one-all-reduce: The compiled program contains {count} all-reduces. One is enough: that of the gradient.
w-cut/few: The new `w` does not lie on the devices of the mesh that is given, but on {on} devices (mesh: {mesh}).
w-cut/pieces: The new `w` is cut into {few} different pieces, and each device should hold all of it (mesh: {mesh}).
"""

share_the_batch = declare(
    "share-the-batch",
    points=3,
    see="one-global-view",
    steps=[check],
    words=(LESSON, WORDS),
)
