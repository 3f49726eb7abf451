"""curvature-everywhere."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, Also, at_once, declare, refuse
from jaxcourse.exercise import is_close, numbers, refuse_nothing

from ._lesson import float32


def curvatures(student_function, cases):
    """What comes back for functions with a name, and whether such a function was given a whole array."""
    whole = []

    def cubic(t):
        whole.extend([True] * (jnp.ndim(t) > 0))
        return ((0.75 * t - 1.5) * t + 0.5) * t

    def ripple(t):
        whole.extend([True] * (jnp.ndim(t) > 0))
        return jnp.sin(2.0 * t) * jnp.exp(-0.5 * t)

    def swing_of(unit):
        def swing(t):
            whole.extend([True] * (jnp.ndim(t) > 0))
            return jnp.sin((2.0 / unit) * t) + 3.0 * jnp.cos((1.0 / unit) * t)  # a unit is a power of 2

        return swing

    def level(t):  # is 2 everywhere, and has three derivatives that no difference of its values shows
        still = jax.lax.stop_gradient(t)
        return 2.0 + (t - still) * still**2 + (t - still) ** 2 * still + (t - still) ** 3 * still

    functions, facts = {"cubic": cubic, "ripple": ripple, "level": level}, []
    for f, unit, x in cases:
        function = functions.setdefault((f, unit), functions.get(f) or swing_of(unit))
        try:
            result = student_function(function, probe.on_device(x))
        except Exception:
            if not whole:
                raise
            result = None
        stray = "" if probe.is_really(result, jax.Array, np.ndarray) else type(result).__name__
        facts.append({"whole": bool(whole), "stray": stray, "result": None if stray else result})
    return facts


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
    "first-derivative": slope,
    "squared": lambda *case: slope(*case) ** 2,
    "added-up": lambda *case: curvature(*case).sum(),
    "square-matrix": lambda *case: np.diag(curvature(*case)),
}
"""What people find in place of the second derivatives."""


def some_places(rng):
    drawn = [("ripple", 1.0, 5), ("cubic", 1.0, 5), ("cubic", 1.0, 1)]
    drawn += [("swing", unit, 5) for unit in (2.0**-10, 1.0, 2.0**10)]  # no step of a difference serves all three
    widths = {"ripple": 1, "cubic": 30, "swing": 1}
    return [
        (f, unit, unit * (1000 * (f == "swing") + float32(rng, n) * np.float32(widths[f])))
        for f, unit, n in drawn
        for _ in range(2)
    ]


def an_array(facts, f, unit, x):
    """The numbers of one array, from a function that was given one number."""
    refuse(facts["whole"], "given-a-whole-array")
    refuse_nothing(facts["stray"] == "NoneType")
    refuse(facts["stray"], "not-an-array", stray=facts["stray"])
    return numbers(facts["result"])


def refuse_differences(answer, replies):
    """Refuse differences of values, which are 0 where a function is nearly level, and differences of slopes."""
    got, want = [reply.got for reply in replies], [reply.want for reply in replies]
    if not all(reply.right for reply in replies):
        places = [np.linspace(low, 2, 5).astype(np.float32) for low in (0.5, 0.7)]
        level = [facts["result"] for facts in answer.probe(curvatures, [("level", 1.0, x) for x in places])]
        silent = all(np.shape(each) == (5,) and not np.any(each) for each in level)
        refuse(silent and all(np.any(g) for g in got[:4]), "differences-of-values")
    finite = all(g.shape == w.shape and np.isfinite(g).all() for g, w in zip(got, want, strict=True))
    near = finite and all(is_close(g, w, rtol=1e-2) for g, w in zip(got[:2], want[:2], strict=True))
    refuse(near and not all(reply.right for reply in replies[-6:]), "differences-of-slopes")


WORDS = """
hint: Forget the array at first: what is the second derivative at one number?
hint: `jax.grad` twice makes a function of one number. `jax.vmap` maps a function over an array.
given-a-whole-array: You gave `f` a whole array, and it takes one number. Differentiate it first, and map the
    result.
not-an-array: Return an array. An object of type `{stray}` came back.
first-derivative: You returned the first derivative. Differentiate once more.
squared: You squared the first derivative. The second one is `grad` of `grad`.
added-up: One number came back. There is a second derivative for each element.
square-matrix: A square matrix came back. The second derivatives are its diagonal, and the rest is wasted: map over
    the elements instead.
differences-of-values: You compare values of `f`, and never differentiate it. In `float32`, few digits are left in
    their differences: use `jax.grad` twice, which needs no step.
differences-of-slopes: Your first digits are right near 0, and elsewhere wrong, as with a difference of two slopes,
    or in half precision. Differentiate twice, in the dtype of `x`.
wrong-value: Your numbers are not the second derivatives of `f` at the elements of `x`.
"""

curvature_everywhere = declare(
    "curvature-everywhere",
    see="what-grad-returns",
    steps=[
        Agrees(
            curvature,
            extremes=some_places,
            ask=at_once(curvatures),
            reads=an_array,
            shows="curvature_everywhere(f, x)",
            mistakes=MISTAKES,
            otherwise=None,
            then=[refuse_differences, Also(curvature, reads=an_array, rtol=1e-4)],
            rtol=1e-4,
        )
    ],
    words=WORDS,
)
