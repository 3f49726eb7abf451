"""gradient-in-pieces: the gradient of a deep network whose weights no device holds together."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require

from ._lesson import WORDS as LESSON
from ._lesson import exact, normal, on_meshes

SPECS = [[None, "x"], ["x"], ["x"]]


def some_calls(rng, n):
    return [one(rng, 3, 2 * n, 2 * n) for _ in range(2)]


def one(rng, layers, d, rows):
    return normal(rng, layers, d, d) / np.float32(d**0.5), normal(rng, rows, d), normal(rng, rows, d)


def gradient(devices, ws, x, y, bent=True):
    """The gradient by hand, in `float64`, with or without the `tanh`."""
    ws, x, y = exact(ws, x, y)
    states = [x]
    for w in ws:
        states.append(np.tanh(states[-1] @ w) if bent else states[-1] @ w)
    back, slopes = 2 * (states[-1] - y) / y.size, []
    for w, before, after in zip(ws[::-1], states[-2::-1], states[:0:-1], strict=True):
        back = back * (1 - bent * after**2)
        slopes.append(before.T @ back)
        back = back @ w.T
    return np.stack(slopes[::-1])


MISTAKES = {
    "too-large": lambda n, *a: n * gradient(n, *a),
    "too-small": lambda n, *a: gradient(n, *a) / n,
    "half": lambda n, *a: gradient(n, *a) / 2,
    "mean-over-rows": lambda n, ws, x, y: y.shape[1] * gradient(n, ws, x, y),
    "no-tanh": lambda n, *a: gradient(n, *a, bent=False),
}


def holds_little(answer, rng):
    """The compiled program scatters what it sums, and never holds the whole model."""
    placed = probe.placing({"x": 8}, *SPECS, mesh="argument")
    args = one(rng, 16, 128, 64)
    found = answer.probe(probe.partitioned, placed, *args)
    scatters = "reduce-scatter" in found["collectives"]
    refuse("all-reduce" in found["collectives"] and scatters, "sums-for-everybody/beside")
    refuse("all-reduce" in found["collectives"], "sums-for-everybody")
    require(scatters, "no-scatter")
    ranges = [[[0, 16], [16 * k, 16 * k + 16], [0, 128]] for k in range(8)]
    require(found["pieces"][0]["pieces"] == [list(each) for each in enumerate(ranges)], "not-split-as-ws")
    held, whole = found["temporaries"], args[0].nbytes
    refuse(held > whole / 2, "holds-the-model", held=f"{held:,}", whole=f"{whole:,}")


WORDS = """
hint: When does a layer need its weights, and what keeps them until the backward pass?
hint: Gather `w` inside the layer, and put a `jax.checkpoint` around the layer.
too-large: Your gradient adds up those of all devices, and the mean over the batch needs their average. Divide by
    the number of devices, or put `pmean` on the loss.
too-small: Your gradient is divided by the number of devices once too often.
half: Your gradient is half of the true one. The derivative of a square has a factor of 2.
mean-over-rows: Your mean is over the rows of `y` alone. Take it over all elements, in its columns as well.
no-tanh: Your layers have no `tanh`.
sums-for-everybody: Your compiled program has an all-reduce: every device gets all of a gradient, and its own rows
    are enough. Gather `w` inside what you differentiate, or use `psum_scatter`.
sums-for-everybody/beside: Your compiled program has an all-reduce, beside its reduce-scatter. Every device knows
    the number of rows from shapes, and no piece of the gradient needs other sums.
no-scatter: Your compiled program has no reduce-scatter.
not-split-as-ws [one-body]: Your numbers are right, but they are not split as `ws` is. Look at `out_specs`.
holds-the-model: Your numbers are right, but a device needs {held} temporary bytes, over half of the model's
    {whole}. Let each layer gather its weights, inside a `jax.checkpoint` in the `scan`.
wrong-value: Your numbers are not the gradient of the mean squared error.
"""

gradient_in_pieces = declare(
    "gradient-in-pieces",
    points=2,
    see="split-parameters",
    steps=[on_meshes(gradient, some_calls, *SPECS, mistakes=MISTAKES), holds_little],
    words=(LESSON, WORDS),
)
