"""which-error."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, any_of, anything_else, prediction, raised_by

ERRORS = [
    "TracerBoolConversionError",
    "TracerArrayConversionError",
    "TracerIntegerConversionError",
    "ConcretizationTypeError",
    "NonConcreteBooleanIndexError",
    "UnexpectedTracerError",
]


def another_than(right):
    """Another error than the one that is raised."""
    return any_of(*(error for error in ERRORS if error != right))


def true_errors():
    """What each of the eight lines raises in a jitted function, tried here."""
    x, kept = jnp.arange(4.0), []

    def jitted(function, *args):
        return raised_by(lambda: jax.jit(function)(*args))

    def keep(x):
        kept.append(2 * x)
        return x

    jax.jit(keep)(x)
    return {
        "n in [1, 2]": jitted(lambda n: n in [1, 2], 1),
        "if len(x) > 3: ...": jitted(lambda x: x if len(x) > 3 else 2 * x, x),
        "np.ones(4) + x": jitted(lambda x: np.ones(4) + x, x),
        "np.maximum(x, 0)": jitted(lambda x: np.maximum(x, 0), x),
        "math.factorial(n)": jitted(lambda n: math.factorial(n), 1),
        "x[x > 1].sum()": jitted(lambda x: x[x > 1].sum(), x),
        "jnp.where(x > 1)": jitted(lambda x: jnp.where(x > 1), x),
        "kept.append(2 * x); later, outside: kept[0] + 1": raised_by(lambda: kept[0] + 1),
    }


which_error = prediction(
    "which-error",
    see="tracer-errors",
    hint=[
        "What does Python want from the tracer in each line? A truth, an array, an index, a number, a shape?",
        "A tracer knows its shape and its dtype. A line that needs no more than those raises no error.",
    ],
    choices=["no error", *ERRORS],
    truth=true_errors,
    mistakes=[
        Mistake(
            "shape-is-unknown",
            {"if len(x) > 3: ...": anything_else()},
            "The shape is known while Python traces, so `len(x)` is a plain integer, and `if` may use it.",
        ),
        Mistake(
            "in-needs-no-truth",
            {"n in [1, 2]": anything_else()},
            "`in` compares `n` with each element, and asks each comparison whether it is true.",
        ),
        Mistake(
            "every-line-of-numpy",
            {"np.ones(4) + x": anything_else()},
            "The operator `+` leaves the sum to the tracer, which adds. No function of NumPy gets it.",
        ),
        Mistake(
            "not-the-array-conversion",
            {"np.maximum(x, 0)": anything_else()},
            "A ufunc wants the numbers in memory, and calls `__array__` for them. That is the array conversion.",
        ),
        Mistake(
            "not-the-integer-conversion",
            {"math.factorial(n)": anything_else()},
            "A function of Python that needs a whole number asks for it by `__index__`, as a list and `range` do.",
        ),
        Mistake(
            "selects-or-finds",
            {"jnp.where(x > 1)": "no error"},
            "With one argument, `jnp.where` selects nothing. It returns positions, and how many depends on values.",
        ),
        Mistake(
            "not-the-length",
            {"jnp.where(x > 1)": another_than("ConcretizationTypeError")},
            "This is `jnp.nonzero` under another name, and the length of its result depends on values.",
        ),
        Mistake(
            "a-sum-has-a-shape",
            {"x[x > 1].sum()": "no error"},
            "The sum has a shape, but the array that is summed has none. How many elements pass the mask depends on "
            "values.",
        ),
        Mistake(
            "not-the-mask",
            {"x[x > 1].sum()": another_than("NonConcreteBooleanIndexError")},
            "How many elements pass the mask depends on values, so the array that is summed has no shape to be "
            "traced with.",
        ),
        Mistake(
            "not-the-leak",
            {"kept.append(2 * x); later, outside: kept[0] + 1": anything_else()},
            "Inside, appending is legal Python. Outside, the list holds a tracer whose trace is over.",
            see="leaks",
        ),
    ],
    otherwise="Read the table of errors again.",
)
