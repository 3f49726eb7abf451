"""data-parallel-step: one step of gradient descent on rows that are split, some of which are padding."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, require

from ._lesson import WORDS as LESSON
from ._lesson import exact, normal, on_meshes, require_copies, require_only

TREES = (dict, list, tuple)
SPECS = [{"w": [], "b": []}, ["x"], ["x"], ["x"], None]


def some_calls(rng, n):
    inputs = 4 if n == 2 else 3
    return [one(rng, n, inputs), one(rng, n, inputs), one(rng, n, inputs, empty=True)]


def one(rng, n, inputs, empty=False):
    """A step's arguments: the first device has valid rows only, and the last one a single one, or none."""
    x, y, valid = normal(rng, 3 * n, inputs) + 1, 3 * normal(rng, 3 * n), rng.random(3 * n) < 0.6
    valid[::3], valid[:3], valid[-2:] = True, True, False
    valid[-3:] &= not (empty and n > 1)
    y[~valid] += 20
    params = {"w": normal(rng, inputs), "b": np.float32(rng.normal())}
    return params, x, y, valid, np.float32(rng.uniform(0.05, 0.2))


def parts_of(result):
    """The weights, the bias and the loss of a step, as a list."""
    require(is_a_step(result), "not-a-pair")
    params, loss = result
    return [params["w"], params["b"], loss]


def is_a_step(result):
    """Whether something is a pair of parameters and a loss."""
    pair = isinstance(result, (tuple, list)) and len(result) == 2
    return pair and isinstance(result[0], dict) and result[0].keys() == {"w", "b"} and not isinstance(result[1], TREES)


# What each row counts in the loss, for a number of devices.


def alike(n, valid):
    return valid / valid.sum()


def by_device(n, valid, least=0):
    """Each device's mean counts the same; one without any row divides 0 by 0, unless it counts at least 1."""
    counts = np.maximum(valid.reshape(n, -1).sum(1), least)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (valid.reshape(n, -1) / (n * counts)[:, None]).ravel()


def by_device_or_none(n, valid):
    return by_device(n, valid, 1)


def all_rows(n, valid):
    return np.ones(len(valid)) / len(valid)


def over_all_rows(n, valid):
    return valid / len(valid)


def first_alone(n, valid):
    here = np.arange(len(valid)) < len(valid) // n
    return valid * here / valid[here].sum()


def stepping(weighed, times=lambda n: 1, loss_times=lambda n: 1, in_loss=None):
    """A step on one device, in float64, where rows are weighed; the gradient and the loss can be made too large.

    In the loss, rows may have other weights.
    """

    def a_step(devices, params, x, y, valid, rate):
        w, b, x, y = exact(params["w"], params["b"], x, y)
        error = x @ w + b - y
        slope = 2 * rate * times(devices) * weighed(devices, valid) * error
        loss = loss_times(devices) * ((in_loss or weighed)(devices, valid) * error**2).sum()
        return [w - slope @ x, b - slope.sum(), loss]

    return a_step


step = stepping(alike)


def by_devices(times=lambda n: 1, loss_times=lambda n: 1):
    """Steps in which each device's mean counts the same.

    Where a device has no valid row, the compiler may leave the NaN out of the gradient, and not out of the loss.
    """
    steps = [stepping(weighed, times, loss_times) for weighed in (by_device, by_device_or_none)]
    return [*steps, stepping(by_device_or_none, times, loss_times, by_device)]


def every(times, loss_times=lambda n: 1):
    """Steps that are too large, whatever the rows count."""
    steps = [stepping(weighed, times, loss_times) for weighed in (alike, all_rows)]
    return [*steps, *by_devices(times, loss_times)]


def own_gradient(n, *args):
    return [*stepping(first_alone)(n, *args)[:2], step(n, *args)[2]]


def loss_afterwards(n, params, *args):
    w, b, _ = step(n, params, *args)
    return [w, b, step(n, {"w": w, "b": b}, *args)[2]]


MISTAKES = {
    "mean-of-means": by_devices(),
    "ignores-valid": stepping(all_rows),
    "counts-the-invalid": stepping(over_all_rows),
    "step-too-large": every(lambda n: n),
    "summed-loss": every(lambda n: n, lambda n: n),
    "summed-twice": every(lambda n: n**2),
    "own-gradient": [own_gradient, stepping(first_alone)],
    "uphill": stepping(alike, lambda n: -1),
    "loss-after": loss_afterwards,
    "half-gradient": stepping(alike, lambda n: 0.5),
}


def adds_once(answer, rng):
    """The compiled program adds, and each device has the new parameters and the loss."""
    found = answer.probe(probe.partitioned, probe.placing({"x": 8}, *SPECS, mesh="argument"), *one(rng, 8, 8))
    require_only(found["collectives"], "all-reduce")
    require_copies(found["pieces"], 8)


WORDS = """
hint: Which two numbers of each device can you add, and where must the sum be for the gradient to be right?
hint: `jax.value_and_grad` of a function that returns a `lax.psum` of squares, divided by a `lax.psum` of counts.
not-a-pair: Return a pair: a dictionary with the new `w` and `b`, and the loss.
mean-of-means [unequal-means]: Your loss counts each device's mean the same, however many valid rows it has. Add the
    squares of all devices, add their counts, and divide once.
ignores-valid: Your loss counts all rows, also the padding.
counts-the-invalid: Your loss divides the squares of the valid rows by the number of all rows. Count only valid
    ones.
step-too-large [eight-times]: Your step is too large by the number of devices. With the check on, JAX already sums a
    replicated argument's gradient. Put the collective on the loss, inside what you differentiate.
summed-loss: Your loss and your step are too large by the number of devices. Divide what all devices add up by the
    count of all devices.
summed-twice [eight-times]: Your gradients are sums of sums. They were already summed over the devices, and then
    `psum` adds them once more.
own-gradient: Your step is that of the first device's rows alone. The rows of all devices belong to one gradient.
uphill: Your step goes uphill. Look at its sign, and at that of the gradient.
loss-after: Your parameters are right. Return the loss *before* the step.
half-gradient: Your gradient is half of the true one. The derivative of a square has a factor of 2.
copies-differ [variables]: Your result claims to be the same on all devices, but they hold different numbers, and
    will train different models. With `check_vma=False`, JAX does not compare them.
wrong-value: Your step is not the one that one device makes with all valid rows.
"""

data_parallel_step = declare(
    "data-parallel-step",
    points=2,
    see="data-parallel",
    steps=[on_meshes(step, some_calls, *SPECS, mistakes=MISTAKES, part=parts_of, copies=True), adds_once],
    words=(LESSON, WORDS),
)
