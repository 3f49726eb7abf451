"""sum-what-is-spread: two layers whose hidden units are split, and a bias that is not."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare

from ._lesson import WORDS as LESSON
from ._lesson import exact, normal, on_meshes, require_copies, require_only

SPECS = [[], [None, "x"], ["x"], ["x"], []]


def some_calls(rng, n):
    return [one(rng, n) for _ in range(2)]


def one(rng, n, rows=5):
    sizes = (rows, 4), (4, 2 * n), (2 * n,), (2 * n, 3), (3,)
    *others, bias = (normal(rng, *size) for size in sizes)
    return *others, bias + 1


def layers(devices, x, w1, b1, w2, b2, bias=1.0, inner=1.0):
    x, w1, b1, w2, b2 = exact(x, w1, b1, w2, b2)
    return np.tanh(x @ w1 + inner * b1) @ w2 + bias * b2


MISTAKES = {
    "bias-summed": lambda n, *a: layers(n, *a, bias=n),
    "bias-lost": lambda n, *a: layers(n, *a, bias=0),
    "averaged": [
        lambda n, *a: layers(n, *a, bias=0) / n + exact(a[-1])[0],
        lambda n, *a: layers(n, *a, bias=n) / n,
    ],
    "inner-bias-lost": lambda n, *a: layers(n, *a, inner=0),
    "both-biases-lost": lambda n, *a: layers(n, *a, bias=0, inner=0),
    "no-tanh": lambda n, x, w1, b1, w2, b2: (x @ w1 + b1) @ w2 + b2,
}


def adds_once(answer, rng):
    """The compiled program adds, and each device has the result."""
    found = answer.probe(probe.partitioned, probe.placing({"x": 8}, *SPECS, mesh="argument"), *one(rng, 8, 8))
    require_only(found["collectives"], "all-reduce")
    require_copies(found["pieces"], 8)


WORDS = """
hint: Which of the terms does every device have in full?
hint: Add `b2` after the `psum`. Where does `b1` belong?
bias-summed: Your result has `b2` once for each device: each adds all of it, and then the devices are summed.
bias-lost: Your result lacks the second bias.
averaged: You averaged the terms of an output. They belong together: `psum`.
inner-bias-lost: Your result lacks the first bias.
both-biases-lost: Your layers have no biases, as in the cell above. Which device should add which?
no-tanh: Your layers have no `tanh` between them.
wrong-value: Your result is not the one that one device gives.
"""

sum_what_is_spread = declare(
    "sum-what-is-spread",
    see="tensor-parallel",
    steps=[on_meshes(layers, some_calls, *SPECS, mistakes=MISTAKES, copies=True), adds_once],
    words=(LESSON, WORDS),
)
