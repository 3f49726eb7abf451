"""outside-the-array."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, anything_else, prediction


def values_outside():
    """What the eight expressions give, asked of both libraries."""
    x = 10.0 * np.arange(5)
    v = jnp.asarray(x)
    asked = {
        "NumPy: x[7]": lambda: x[7],
        "NumPy: x[3:9]": lambda: x[3:9],
        "JAX: x[3:9]": lambda: v[3:9],
        "JAX: x[7]": lambda: v[7],
        "JAX: x[-7]": lambda: v[-7],
        "JAX: x.at[7].set(-1.0)": lambda: v.at[7].set(-1.0),
        "JAX: x.at[7].get(mode='fill')": lambda: v.at[7].get(mode="fill"),
        "JAX: jnp.take(x, 7)": lambda: jnp.take(v, 7),
    }
    return {name: _value_or_error(expression) for name, expression in asked.items()}


def _value_or_error(expression):
    try:
        return np.asarray(expression()).tolist()
    except IndexError:
        return "error"


outside_the_array = prediction(
    "outside-the-array",
    see="out-of-bounds",
    hint=[
        "Compiled code does not stop for an index out of bounds. What could it read instead? Where could it write?",
        "Slices are cut off, in both libraries.",
    ],
    choices=["error"],
    mistakes=[
        Mistake(
            "numpy-does-not-raise",
            {"NumPy: x[7]": anything_else(40.0, float("nan"))},
            "You let NumPy go on. It checks every index, and raises `IndexError`.",
        ),
        Mistake(
            "slices-raise",
            [{"NumPy: x[3:9]": "error"}, {"JAX: x[3:9]": "error"}],
            "You expected an error. A slice that reaches too far is none in Python, NumPy or JAX: it is cut off.",
            see="basic-indexing",
        ),
        Mistake(
            "jax-raises",
            {"JAX: x[7]": "error"},
            "You expected an error. `x[7]` in JAX raises none, unless you ask for checks: compiled code goes on, and "
            "reads something.",
        ),
        Mistake(
            "reads-nan",
            {"JAX: x[7]": float("nan")},
            "You expected NaN. Without a mode, `x[7]` gives none: it reads the nearest element there is.",
        ),
        Mistake(
            "goes-round",
            {"JAX: x[-7]": 30.0},
            "You let the index wrap around. `x[-7]` is clamped to the nearest element, which is the first.",
        ),
        Mistake(
            "writes-clamped",
            {"JAX: x.at[7].set(-1.0)": (0, 10, 20, 30, -1)},
            "You clamped the write. Reads are clamped, writes are not: `x.at[7].set(-1.0)` writes nowhere.",
        ),
        Mistake(
            "take-clamps",
            {"JAX: jnp.take(x, 7)": 40.0},
            "You let `jnp.take` clamp. It is not like the brackets here: its default mode is `fill`.",
        ),
    ],
    otherwise="Try it, then read on.",
    truth=values_outside,
)
