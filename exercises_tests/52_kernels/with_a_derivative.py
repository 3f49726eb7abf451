"""with-a-derivative: a kernel with a backward pass, which no transformation finds by itself."""

import math

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, Also, declare, refuse, seen
from jaxcourse.kernels import Rule, Walks, covers, no_copy

from ._lesson import RAISING, unwritten
from ._lesson import WORDS as LESSON

SIZES = [(6, 2), (8, 4), (7, 3), (13, 4)]
BACKWARD = "jax.vjp(lambda x, s: with_a_derivative(x, s, block), x, s)[1](g)"
COSTLY = "tanh", "cosh", "sinh", "exp", "exp2", "expm1", "logistic"


def scaled(rng, sizes):
    """Numbers, one factor for all of them, and the length of a block."""
    n, block = sizes
    return rng.normal(size=n).astype(np.float32), np.array(rng.uniform(0.4, 0.8), np.float32), block


def with_a_cotangent(rng, sizes):
    return *scaled(rng, sizes), rng.normal(size=sizes[0]).astype(np.float32)


def on_rubbish(rng, sizes):
    """The same, and the number that lies beyond the end."""
    return *with_a_cotangent(rng, sizes), 50.0


@probe.question(evidence="values")
def pulled_back(student_function, x, s, block, g, beyond=None):
    """The value, and the gradients for both arguments, for a gradient of what comes after."""

    def backward(x, s, g):
        value, pull = jax.vjp(lambda x, s: student_function(x, s, block), x, s)
        return {"value": value} | dict(zip("xs", pull(g), strict=True))

    return probe.by_blocks(backward, x, s, g, beyond=beyond)


@probe.question(evidence="programs")
def work(student_function, x, s, block):
    """How often each primitive occurs in the forward pass, and in forward and backward pass together."""
    jax.clear_caches()

    def forward(x, s):
        return student_function(x, s, block)

    both = jax.grad(lambda x, s: forward(x, s).sum(), (0, 1))
    return {"forward": probe.primitives(forward, x, s), "both": probe.primitives(both, x, s)}


def where_nothing_can_be_undone(rng):
    """A factor of 0, and numbers whose `tanh` is 1."""
    x, _, block, g = with_a_cotangent(rng, SIZES[1])
    return [(x, np.array(0, np.float32), block, g), (100 * np.sign(x), np.array(1, np.float32), block, g)]


def curve(x, s, block=None):
    return np.tanh(x.astype(np.float64) * float(s))


def the_value(x, s, *_):
    return curve(x, s)


def of_gradients(got, *case):
    return {name: got[name] for name in "xs"}


def gradients(x, s, block, g, beyond=None):
    slope = g * (1 - curve(x, s) ** 2)
    return {"x": slope * float(s), "s": (slope * x).sum()}


def from_the_argument(x, s, block, g):
    slope = g * (1 - (x.astype(np.float64) * float(s)) ** 2)
    return {"x": slope * float(s), "s": (slope * x).sum()}


def other_blocks(found, x, s, block):
    longest = max(math.prod(one["block"]) for one in (*found["inputs"], *found["outputs"]))
    return {"block": block, "longest": longest} if longest != block else None


def keeps_the_result(answer, rng):
    """The forward pass is the kernel's here, too; the backward pass computes no tanh again, and calls one at most."""
    done = answer.probe(work, *scaled(rng, (10, 4)))
    forward, both = (sum(done[which].get(name, 0) for name in COSTLY) for which in ("forward", "both"))
    refuse(both > forward, "recomputes")
    calls = done["both"].get("pallas_call", 0)
    refuse(calls < 1, "kernel-left-out")
    refuse(calls > 2, "more-kernels", calls=calls - 1)


RULES = [Rule("other-blocks", other_blocks), no_copy(lambda x, s, block: len(x)), covers()]
MISTAKES = {
    "g-forgotten": lambda x, s, block, g: gradients(x, s, block, np.ones_like(g)),
    "s-missing": lambda x, s, block, g: gradients(x, s, block, g) | {"s": 0.0},
    "x-missing": lambda x, s, block, g: gradients(x, s, block, g) | {"x": np.zeros(len(x))},
    "no-chain": [
        lambda x, s, block, g: gradients(x, s, block, g) | {"x": gradients(x, s, block, g)["x"] / float(s)},
        lambda x, s, block, g: {"s": (g * (1 - curve(x, s) ** 2)).sum()},
    ],
    "from-the-argument": from_the_argument,
    "square-lost": lambda x, s, block, g: {"x": g * (1 - curve(x, s)) * float(s)},
}


def refuses_to_be_differentiated(error):
    return "Linearization failed" in error.raised.message or error.among({"AssertionError"})


WORDS = """
hint: What does the backward pass need to know of the forward pass, if the derivative of `tanh(u)` is `1 - tanh(u)**2`?
hint: `jax.custom_vjp` takes two functions. One returns the result and what to keep. The other gets what was kept and
    the result's gradient `g`, and returns each argument's gradient.
hint: With `d = g * (1 - y**2)`, the gradients are `d * s` and `jnp.sum(d * x)`. The length of the block is no number to
    differentiate by. Name it in `nondiff_argnums`.
other-blocks: Your longest block has {longest} numbers. Take {block} at a time. Give each array a spec, with the shape
    of a block.
never-written: Your result is NaN throughout, which marks what no step has written.
no-gradient: Your kernel has no backward pass. `jax.grad` does not go through a call of `pl.pallas_call`, so give it
    one, with `jax.custom_vjp`.
not-summed: Your gradient for an argument has another shape than it. All numbers of `x` share one `s`, so add up their
    contributions to its gradient.
g-forgotten: Your gradients are those of the sum of the result. Multiply by `g`, the gradient of what comes after.
s-missing: Your gradient for `s` is 0. `s` moves each result by `x` times the slope there.
x-missing: Your gradient for `x` is 0. `x` moves each result by `s` times the slope there.
no-chain: You return the slope of `tanh` alone. Inside it, a step of `x` becomes `s` times as large, and a step of `s`
    becomes `x` times as large.
from-the-argument: You square the argument of `tanh`. The derivative needs its result, as in `1 - tanh(u)**2`.
square-lost: Your slope is `1 - y`, and the derivative of `tanh` is `1 - y**2`.
recomputes: Your gradients are right, and the backward pass computes the curve a second time. Keep the forward pass's
    result, because the slope is `1 - y**2`.
kernel-left-out: Where JAX differentiates, your result comes from no kernel. Does the first function that `defvjp` gets
    compute it by itself? Call the kernel there as well.
more-kernels: Beside the first, you call {calls} kernels for the gradients, and each reads its arrays once more. One is
    enough, and `jax.numpy` does as well.
x-lost: Your gradients are right for ordinary numbers. If `s` is 0, or `tanh` is 1, `x` cannot be found from the result.
    Keep it.
marks: Your gradients are right while NaN, the interpreter's mark, lies beyond the end. Here 50 does, as it may on a
    device, and is added. Select by a number's place.
wrong-value: The result is `tanh` of `s` times each number of `x`.
value-lost: Where JAX differentiates, your function has another result. The first thing that the forward pass returns is
    the result, and the second is what is kept.
wrong-gradient: Compare your gradients with those of `jnp.tanh(s * x)`, by `jax.vjp`.
"""

PULLED = {"ask": pulled_back, "reads": of_gradients, "shows": BACKWARD, "rtol": 1e-4}

with_a_derivative = declare(
    "with-a-derivative",
    see="what-an-interpreter-hides",
    points=2,
    steps=[
        Walks(scaled, SIZES[2:], rules=RULES),
        Agrees(
            curve,
            scaled,
            SIZES,
            each=1,
            ask=probe.by_blocks,
            mistakes={"never-written": seen(unwritten)},
            raising=RAISING,
            rtol=1e-5,
        ),
        Agrees(
            gradients,
            with_a_cotangent,
            SIZES[1:],
            each=1,
            ask=pulled_back,
            reads=of_gradients,
            mistakes=MISTAKES,
            otherwise="wrong-gradient",
            raising={"not-summed": "shape", "no-gradient": refuses_to_be_differentiated},
            shows=BACKWARD,
            then=[Also(the_value, reads=lambda got, *case: got["value"], otherwise="value-lost", rtol=1e-5)],
            rtol=1e-4,
        ),
        keeps_the_result,
        Agrees(gradients, extremes=where_nothing_can_be_undone, otherwise="x-lost", **PULLED),
        Agrees(gradients, on_rubbish, SIZES[3:], each=1, otherwise="marks", **PULLED),
    ],
    words=(LESSON, WORDS),
)
