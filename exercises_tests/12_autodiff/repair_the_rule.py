"""repair-the-rule."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse
from jaxcourse.exercise import is_close, numbers

from ._lesson import always, float32


@probe.question(evidence="values")
def response_found(student_function, x, weights):
    """The response, the gradient of it weighted, and that of its squares; `None` if there is no number to weight."""
    x = probe.on_device(np.asarray(x))
    return {
        "value": student_function(x),
        "weighted": jax.grad(lambda x: jnp.sum(weights * student_function(x)))(x),
        "squares": jax.grad(lambda x: jnp.sum(student_function(x) ** 2))(x),
    }


MISTAKES = {
    "cotangent-forgotten": lambda w, x, y: (1 - abs(y)) ** 2,
    "cotangent-alone": lambda w, x, y: w,
    "cotangent-added": lambda w, x, y: w + (1 - abs(y)) ** 2,
    "square-lost": lambda w, x, y: w * (1 - abs(y)),
    "argument-for-result": lambda w, x, y: w * (1 - abs(x)) ** 2,
    "absolute-value-lost": lambda w, x, y: w * (1 - y) ** 2,
    "arguments-swapped": lambda w, x, y: y * (1 - abs(w)) ** 2,
    "result-for-cotangent": lambda w, x, y: y * (1 - abs(y)) ** 2,
    "sign-of-the-cotangent-lost": lambda w, x, y: abs(w) * (1 - abs(y)) ** 2,
    "cotangent-clipped": lambda w, x, y: np.clip(w, -1, 1) * (1 - abs(y)) ** 2,
}
"""What comes back for a cotangent `w`, an argument `x` and a response `y`."""


def _judge_rule(got, x, w):
    cases = [(factor, each, each / (1 + abs(each))) for factor, each in zip(w, x, strict=True)]
    right_ones = [w * (1 - abs(y)) ** 2 for w, _, y in cases]
    for label, mistake in MISTAKES.items():
        refuse(always(got, [mistake(*case) for case in cases], right_ones, rtol=1e-3), label)
    fits = [is_close(mine, want, rtol=1e-3) for mine, want in zip(got, right_ones, strict=True)]
    refuse(fits == [want.ndim == 0 for want in right_ones], "right-for-numbers-only")


def check(answer, rng):
    xs = [float32(rng, shape, -9, 9) for shape in [(), (), (4,), (4,), (2, 3)]]
    xs[2][0], xs[2][1], xs[3][0], xs[3][1] = 0.0, 9.0, -1.0, 1.0
    weights = [
        float32(rng, x.shape, -3, 3) * np.float32(unit) for x, unit in zip(xs, (1, 1e-6, 1, 1e6, 1), strict=True)
    ]
    found = [answer.probe(response_found, x, w) for x, w in zip(xs, weights, strict=True)]
    answer.called = "jax.grad(lambda x: jnp.sum(weights * repair_the_rule(x)))(x)"
    wide = [np.asarray(x, np.float64) for x in xs]
    for x, facts in zip(wide, found, strict=True):
        expect(facts["value"], x / (1 + abs(x)), "other-response")
    w = [np.asarray(weight, np.float64) for weight in weights]
    y = [x / (1 + abs(x)) for x in wide]
    weighted = [numbers(facts["weighted"]) for facts in found]
    _judge_rule(weighted, wide, w)
    for facts, mine, factor in zip(found, y, w, strict=True):
        derivative = (1 - abs(mine)) ** 2
        expect(facts["weighted"], factor * derivative, "wrong-value", rtol=1e-3)
        expect(facts["squares"], 2 * mine * derivative, "wrong-value/2", rtol=1e-3)


WORDS = """
hint: Ask for the gradient of ten times the response. What should it be, and what is it?
hint: The backward function gets a `cotangent`. Where is it used?
cotangent-forgotten: Ten times the response has the same gradient as the response: the cotangent that comes in is not
    used.
cotangent-alone: The cotangent is handed on unchanged: it should be multiplied by the derivative of the response.
cotangent-added: The cotangent is added. By the chain rule, it is multiplied by the derivative.
square-lost: The derivative of the response is the *square* of `1 - |y|`.
argument-for-result: The formula `(1 - |y|) ** 2` is for the result, but it was given the argument.
absolute-value-lost: For positive `x` it is right, for negative `x` it is not: the absolute value of the result is
    missing.
arguments-swapped: The backward function takes what was kept first, and the cotangent last: here they have changed
    places.
result-for-cotangent: What was kept is multiplied by the derivative, and the cotangent that comes in is not used.
sign-of-the-cotangent-lost: The size of the cotangent is used, but its sign is not.
cotangent-clipped: The cotangent is clipped. That was the task of another rule: this one should give the true
    gradient.
right-for-numbers-only: For a number it is right, but for arrays it is not: the elements are mixed on the way back.
other-response: The response itself should stay what it is.
wrong-value: The gradient of the weighted response.
wrong-value/2: The gradient of its squares.
"""

repair_the_rule = declare(
    "repair-the-rule",
    see="own-rules",
    steps=[check],
    words=WORDS,
)
