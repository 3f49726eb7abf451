"""repair-the-rule."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, Also, declare, seen

from ._lesson import float32


@probe.question(evidence="values")
def response_found(student_function, x, weights):
    """The response, the gradient of it weighted, and that of its squares."""
    x = probe.on_device(np.asarray(x))
    return {
        "value": student_function(x),
        "weighted": jax.grad(lambda x: jnp.sum(weights * student_function(x)))(x),
        "squares": jax.grad(lambda x: jnp.sum(student_function(x) ** 2))(x),
    }


def response(x, weights):
    """The oracle: the response, in double precision."""
    x = np.asarray(x, np.float64)
    return x / (1 + abs(x))


def on_the_way_back(gradient):
    """What comes back, from a cotangent `w`, an argument `x` and a response `y`."""
    return lambda x, weights: gradient(np.asarray(weights, np.float64), np.asarray(x, np.float64), response(x, weights))


def weighted(x, weights):
    """The gradient of the weighted response."""
    return on_the_way_back(lambda w, x, y: w * (1 - abs(y)) ** 2)(x, weights)


def of_squares(x, weights):
    """The gradient of the sum of its squares."""
    return on_the_way_back(lambda w, x, y: 2 * y * (1 - abs(y)) ** 2)(x, weights)


MISTAKES = {
    "cotangent-forgotten": on_the_way_back(lambda w, x, y: (1 - abs(y)) ** 2),
    "cotangent-alone": on_the_way_back(lambda w, x, y: w),
    "cotangent-added": on_the_way_back(lambda w, x, y: w + (1 - abs(y)) ** 2),
    "square-lost": on_the_way_back(lambda w, x, y: w * (1 - abs(y))),
    "argument-for-result": on_the_way_back(lambda w, x, y: w * (1 - abs(x)) ** 2),
    "absolute-value-lost": on_the_way_back(lambda w, x, y: w * (1 - y) ** 2),
    "arguments-swapped": on_the_way_back(lambda w, x, y: y * (1 - abs(w)) ** 2),
    "result-for-cotangent": on_the_way_back(lambda w, x, y: y * (1 - abs(y)) ** 2),
    "sign-of-the-cotangent-lost": on_the_way_back(lambda w, x, y: abs(w) * (1 - abs(y)) ** 2),
    "cotangent-clipped": on_the_way_back(lambda w, x, y: np.clip(w, -1, 1) * (1 - abs(y)) ** 2),
    "right-for-numbers-only": seen(lambda reply: reply.right == (reply.want.ndim == 0)),
}


def some_signals(rng):
    xs = [float32(rng, shape, -9, 9) for shape in [(), (), (4,), (4,), (2, 3)]]
    xs[2][0], xs[2][1], xs[3][0], xs[3][1] = 0.0, 9.0, -1.0, 1.0
    units = (1, 1e-6, 1, 1e6, 1)
    return [(x, float32(rng, x.shape, -3, 3) * np.float32(unit)) for x, unit in zip(xs, units, strict=True)]


def part(name):
    """One of the replies to the question."""
    return lambda facts, x, weights: facts[name]


WORDS = """
hint: Ask for the gradient of ten times the response. What should it be, and what is it?
hint: The backward function gets a `cotangent`. Where is it used?
cotangent-forgotten: Your rule gives ten times the response the same gradient as the response. Use the cotangent
    that comes in.
cotangent-alone: Your rule hands the cotangent on unchanged. Multiply it by the derivative of the response.
cotangent-added: Your rule adds the cotangent. The chain rule multiplies it by the derivative.
square-lost: Your rule has `1 - |y|`, and the derivative of the response is its *square*.
argument-for-result: Your formula `(1 - |y|) ** 2` is for the result, but it gets the argument.
absolute-value-lost: Your gradient is right for positive `x`, and not for negative `x`. Take the absolute value of
    the result.
arguments-swapped: Your backward function has its arguments in the other order. First comes what was kept, and last
    the cotangent.
result-for-cotangent: Your rule multiplies what was kept by the derivative. Multiply the cotangent instead.
sign-of-the-cotangent-lost: Your rule uses the size of the cotangent, but not its sign.
cotangent-clipped: Your rule clips the cotangent, as the one above does. This one should give the true gradient.
right-for-numbers-only: Your gradient is right for a number, but not for arrays: the backward pass mixes the
    elements.
other-response: Your response is not `x / (1 + |x|)` any more. Change only its rule.
wrong-value: Your gradient of the weighted response is off. What does the chain rule do with the cotangent?
wrong-value/2: Your gradient of the squares of the response is off. What does the chain rule do with the cotangent?
"""

repair_the_rule = declare(
    "repair-the-rule",
    see="own-rules",
    steps=[
        Agrees(
            response,
            extremes=some_signals,
            ask=response_found,
            reads=part("value"),
            shows="jax.grad(lambda x: jnp.sum(weights * repair_the_rule(x)))(x)",
            otherwise="other-response",
            then=[
                Also(weighted, reads=part("weighted"), mistakes=MISTAKES, rtol=1e-3),
                Also(of_squares, reads=part("squares"), otherwise="wrong-value/2", rtol=1e-3),
            ],
        )
    ],
    words=WORDS,
)
