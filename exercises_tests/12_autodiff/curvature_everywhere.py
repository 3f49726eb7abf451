"""curvature-everywhere."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse
from jaxcourse.exercise import is_close, numbers, refuse_nothing

from ._lesson import always, float32


def curvatures(student_function, f, unit, xs):
    """What comes back for a function with a name, and whether that function was given a whole array."""
    whole = []

    def cubic(t):
        whole.extend([True] * (jnp.ndim(t) > 0))
        return ((0.75 * t - 1.5) * t + 0.5) * t

    def ripple(t):
        whole.extend([True] * (jnp.ndim(t) > 0))
        return jnp.sin(2.0 * t) * jnp.exp(-0.5 * t)

    def swing(t):
        whole.extend([True] * (jnp.ndim(t) > 0))
        return jnp.sin((2.0 / unit) * t) + 3.0 * jnp.cos((1.0 / unit) * t)  # a unit is a power of 2

    def level(t):  # is 2 everywhere, and has three derivatives that no difference of its values shows
        still = jax.lax.stop_gradient(t)
        return 2.0 + (t - still) * still**2 + (t - still) ** 2 * still + (t - still) ** 3 * still

    function = {"cubic": cubic, "ripple": ripple, "swing": swing, "level": level}[f]
    try:
        results = [student_function(function, x) for x in probe.on_device(xs)]
    except Exception:
        if not whole:
            raise
        results = [None]
    stray = [type(result).__name__ for result in results if not probe.is_really(result, jax.Array, np.ndarray)]
    return {"whole": bool(whole), "stray": "".join(stray[:1]), "results": results}


def curvature(f, unit, x):
    """The oracle: the second derivatives, by hand."""
    x = np.asarray(x, np.float64) / unit
    if f == "cubic":
        return 2 * -1.5 + 6 * 0.75 * x
    if f == "swing":
        return -(4 * np.sin(2 * x) + 3 * np.cos(x)) / unit**2
    return np.exp(-0.5 * x) * (-3.75 * np.sin(2 * x) - 2 * np.cos(2 * x))


def slope(f, unit, x):
    x = np.asarray(x, np.float64) / unit
    if f == "cubic":
        return 0.5 - 3 * x + 2.25 * x**2
    if f == "swing":
        return (2 * np.cos(2 * x) - 3 * np.sin(x)) / unit
    return np.exp(-0.5 * x) * (2 * np.cos(2 * x) - 0.5 * np.sin(2 * x))


MISTAKES = {
    "first-derivative": lambda right, slope: slope,
    "squared": lambda right, slope: slope**2,
    "added-up": lambda right, slope: right.sum(),
    "square-matrix": lambda right, slope: np.diag(right),
}
"""What people find in place of the second derivatives."""


def refuse_differences(answer, rng, got, want):
    """Refuse differences of values, which are 0 where a function is nearly level, and differences of slopes."""
    if not all(is_close(g, w, rtol=1e-4) for g, w in zip(got, want, strict=True)):
        level = answer.probe(curvatures, "level", 1.0, [float32(rng, 5, 0.5, 2.0) for _ in range(2)])["results"]
        silent = all(np.shape(each) == (5,) and not np.any(each) for each in level)
        refuse(silent and all(np.any(g) for g in got[:4]), "differences-of-values")
    finite = all(g.shape == w.shape and np.isfinite(g).all() for g, w in zip(got, want, strict=True))
    near = finite and all(is_close(g, w, rtol=1e-2) for g, w in zip(got[:2], want[:2], strict=True))
    far = all(is_close(g, w, rtol=1e-4) for g, w in zip(got[-6:], want[-6:], strict=True))
    refuse(near and not far, "differences-of-slopes")


def check(answer, rng):
    drawn = [("ripple", 1.0, 5), ("cubic", 1.0, 5), ("cubic", 1.0, 1)]
    drawn += [("swing", unit, 5) for unit in (2.0**-10, 1.0, 2.0**10)]  # no step of a difference serves all three
    widths = {"ripple": 1, "cubic": 30, "swing": 1}
    cases = [
        (f, unit, [unit * (1000 * (f == "swing") + float32(rng, n) * np.float32(widths[f])) for _ in range(2)])
        for f, unit, n in drawn
    ]
    found = [answer.probe(curvatures, *case) for case in cases]
    answer.called = "curvature_everywhere(f, x)"
    refuse(any(facts["whole"] for facts in found), "given-a-whole-array")
    stray = next((facts["stray"] for facts in found if facts["stray"]), "")
    refuse_nothing(stray == "NoneType")
    refuse(stray, "not-an-array", stray=stray)
    got = [numbers(result) for facts in found for result in facts["results"]]
    want = [curvature(f, unit, x) for f, unit, xs in cases for x in xs]
    slopes = [slope(f, unit, x) for f, unit, xs in cases for x in xs]
    for label, mistake in MISTAKES.items():
        refuse(always(got, list(map(mistake, want, slopes)), want, rtol=1e-4), label)
    refuse_differences(answer, rng, got, want)
    for (f, _, n), mine, true in zip(np.repeat(np.array(drawn, object), 2, axis=0), got, want, strict=True):
        answer.called = f"curvature_everywhere({f}, float32[{n}])"
        expect(mine, true, "wrong-value", rtol=1e-4)


WORDS = """
hint: Forget the array at first: what is the second derivative at one number?
hint: `jax.grad` twice makes a function of one number. `jax.vmap` maps a function over an array.
given-a-whole-array: `f` was given a whole array. It takes one number: differentiate it first, and map the result.
not-an-array: An array was asked for, but an object of type `{stray}` came back.
first-derivative: That is the first derivative: differentiate once more.
squared: The second derivative is not a square: take `grad` of `grad`.
added-up: One number came back: there is a second derivative for each element.
square-matrix: A square matrix came back: the second derivatives are its diagonal, and the rest is wasted.
differences-of-values: You never differentiate `f`, you compare its values. In `float32`, few digits are left in their
    differences: use `jax.grad` twice, which needs no step.
differences-of-slopes: The first digits are right near 0; where `f` changes faster, or `x` is large, the result is
    wrong, as with a difference of two slopes, or in half precision. Differentiate twice, in the dtype of `x`.
wrong-value: The second derivative of `f`, at each element.
"""

curvature_everywhere = declare(
    "curvature-everywhere",
    see="what-grad-returns",
    steps=[check],
    words=WORDS,
)
