"""share-the-batch."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, over_meshes, refuse, require

from ._lesson import EXPLICIT_OR_AUTO, SIMULATED, in_float32, inside, lying, pieces_of, programs_of, require_only
from ._lesson import WORDS as LESSON


def step(devices, w, x, y, rate, times=lambda devices, n: 1.0):
    """The oracle: one step, in double precision; with a mistake, that step is longer or shorter."""
    return w - rate * times(devices, len(y)) * gradient(w, x, y)


def gradient(w, x, y):
    exact = np.asarray(x, np.float64)
    return 2 * exact.T @ (exact @ w - y) / len(y)


def longer(times):
    return lambda *case: step(*case, times)


def of_one_device(devices, w, x, y, rate):
    few = len(y) // devices
    return step(devices, w, x[:few], y[:few], rate)


MISTAKES = {
    "step-too-long": longer(lambda devices, n: devices),
    "sum-no-mean": longer(lambda devices, n: n),
    "half-a-step": longer(lambda devices, n: 0.5),
    "number-of-devices-fixed": longer(lambda devices, n: devices / SIMULATED),
    "one-device-decides": of_one_device,
    "uphill": longer(lambda devices, n: -1.0),
    "gradient-only": lambda devices, w, x, y, rate: gradient(w, x, y),
    "no-rate": lambda devices, w, x, y, rate: w - gradient(w, x, y),
}
SPECS = [[], [], [], None]


def some_steps(rng):
    cases = []
    for devices, n, m in ((8, 64, 32), (4, 48, 32), (2, 32, 32)):
        w, x, y = (rng.normal(size=size).astype(np.float32) for size in (m, (n, m), n))
        cases.append((devices, w, x, y, float(np.float32(rng.uniform(0.05, 0.2)))))
    return cases


def work_is_shared(answer, replies):
    """Require that each device has its part of the work, that sums alone are sent, and that all have the new `w`."""
    for devices, (w, x, y, rate), facts in programs_of(answer, replies):
        if len(w) == len(y):  # in a square the compiler may take columns for rows, and share the work otherwise
            continue
        if facts["flops"] > 1.5 * 4 * x.size / devices:  # on copies, or more work than it takes
            alone = work_alone(answer, replies.ask, w, x, y, rate)
            part = f"{100 * facts['flops'] / alone:.0f} %"
            refuse(facts["flops"] > 1.5 * alone / devices, "work-not-shared", devices=devices, part=part)
        require_only(facts["collectives"], ("all-reduce",), label="others-travel")
        count = facts["collectives"].get("all-reduce", 0)
        require(count == 1, "not-one-all-reduce", count=count)
        how, lies = lying(pieces_of(facts["pieces"]), {"x": devices}, [], w.shape)
        refuse(how == "few", "w-cut/few", **lies)
        refuse(how, "w-cut/pieces", **lies)


def work_alone(answer, ask, *args):
    """The FLOPs of the same answer on one device."""
    return answer.probe(probe.partitioned, ask.placing(1), *args)["flops"]


WORDS = """
hint: If copies come in, every device does all the work. Lay `x` and `y` out so that each device has its own rows.
hint: `jax.sharding.reshard(x, NamedSharding(mesh, P('x')))`, and the gradient of the global mean.
step-too-long: Your step is multiplied by the number of devices. Did you add their gradients, or divide a sum over all
    rows by the rows of one device?
sum-no-mean: Your step is multiplied by the number of rows. Differentiate the mean of the squares, not their sum.
half-a-step: Your step is half as long as it should be. The derivative of a square has a factor of 2.
number-of-devices-fixed: Your step is right on the eight devices of the lesson, and not on fewer. Ask `mesh` how many
    there are.
one-device-decides: Your step follows the rows of the first device only. The gradients of all devices belong to one
    mean.
uphill: Your step goes uphill. Look at the sign of the step, and at that of the gradient.
gradient-only: You returned the gradient. The task asks for the next `w`.
no-rate: Your step doesn't multiply the gradient by `rate`.
wrong-value: Return `w` after one step down the gradient of the mean over all rows.
work-not-shared: On {devices} devices, each does {part} of the work of one alone. `jax.sharding.reshard` *returns* cut
    arrays. Inside `jit`, `device_put` cuts nothing on Auto axes, nor before JAX 0.8.2.
others-travel: Your compiled program contains {others}. Each device has copies already. Let it keep its rows of `x` and
    `y` and all of `w`, and exchange only sums.
not-one-all-reduce: Your compiled program contains {count} all-reduces. One is enough, that of the gradient.
w-cut/few: Your new `w` lies on {on}, and not on those of the mesh that you were given (mesh: {mesh}).
w-cut/pieces: You cut the new `w` into {few} different pieces. Each device should hold all of it (mesh: {mesh}).
"""

share_the_batch = declare(
    "share-the-batch",
    points=3,
    see="one-global-view",
    steps=[
        Agrees(
            step,
            extremes=some_steps,
            ask=over_meshes(*SPECS, axis="x", question=inside, kinds=EXPLICIT_OR_AUTO),
            reads=in_float32,
            mistakes=MISTAKES,
            then=[work_is_shared],
            rtol=1e-3,
        )
    ],
    words=(LESSON, WORDS),
)
