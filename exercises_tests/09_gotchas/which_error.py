"""which-error."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, anything_else, prediction

from ._lesson import raised_by


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
        "if x.sum() > 0: ...": jitted(lambda x: 1.0 if x.sum() > 0 else 0.0, x),
        "if x.shape[0] > 3: ...": jitted(lambda x: x if x.shape[0] > 3 else 2 * x, x),
        "np.cos(x)": jitted(lambda x: np.cos(x), x),
        "float(x[0])": jitted(lambda x: float(x[0]), x),
        '["g", "r", "i"][n]': jitted(lambda n: len(["g", "r", "i"][n]), 1),
        "x[x > 1]": jitted(lambda x: x[x > 1], x),
        "jnp.where(x > 1, x, 0)": jitted(lambda x: jnp.where(x > 1, x, 0), x),
        "kept.append(2 * x); later, outside: kept[0] + 1": raised_by(lambda: kept[0] + 1),
    }


which_error = prediction(
    "which-error",
    see="tracer-errors",
    hint=[
        "Ask of each line: what does Python want from the tracer? A truth, an array, an index, a number, a shape?",
        "A tracer knows its shape and its dtype. What needs no more than those is no error.",
    ],
    choices=[
        "no error",
        "TracerBoolConversionError",
        "TracerArrayConversionError",
        "TracerIntegerConversionError",
        "ConcretizationTypeError",
        "NonConcreteBooleanIndexError",
        "UnexpectedTracerError",
    ],
    truth=true_errors,
    mistakes=[
        Mistake(
            "shape-is-unknown",
            {"if x.shape[0] > 3: ...": anything_else()},
            "A shape is known while Python traces: `x.shape[0]` is a plain integer, and `if` may use it.",
        ),
        Mistake(
            "where-needs-a-truth",
            {"jnp.where(x > 1, x, 0)": anything_else()},
            "`where` computes both and selects: nobody asks for a truth, and the shape is known.",
        ),
        Mistake(
            "not-the-array-conversion",
            {"np.cos(x)": anything_else()},
            "NumPy wants the numbers in memory, and calls `__array__` for them. That is the array conversion.",
        ),
        Mistake(
            "not-the-integer-conversion",
            {'["g", "r", "i"][n]': anything_else()},
            "A list wants an integer from `__index__`. JAX could trace a *JAX array* of three, not a Python list.",
        ),
        Mistake(
            "not-the-mask",
            {"x[x > 1]": anything_else()},
            "How many elements pass the mask depends on values, so the result has no shape to be traced with.",
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
