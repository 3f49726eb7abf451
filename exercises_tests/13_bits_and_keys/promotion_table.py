"""promotion-table."""

import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

MIXTURES = {
    "u8 + 1": lambda a: a("uint8") + 1,
    "u8 + 300": lambda a: a("uint8") + 300,
    "u8 + 1.5": lambda a: a("uint8") + 1.5,
    "i8 + u8": lambda a: a("int8") + a("uint8"),
    "i64 + 1": lambda a: a("int64") + 1,
    "i32 + f32": lambda a: a("int32") + a("float32"),
    "i32 + f16": lambda a: a("int32") + a("float16"),
    "i32 / 2": lambda a: a("int32") / 2,
    "f32 * 2.0": lambda a: a("float32") * 2.0,
    "f32 * np.float64(2)": lambda a: a("float32") * np.float64(2),
    "bf16 * 2.0": lambda a: a("bfloat16") * 2.0,
    "bf16 * np.float64(2)": lambda a: a("bfloat16") * np.float64(2),
}


def dtype_of(mixture, make_ones):
    """The dtype of a mixture of arrays that `make_ones` makes from the name of a dtype."""
    try:
        return str(mixture(make_ones).dtype)
    except OverflowError:
        return "error"


def ones_in_jax(name):
    """The JAX array that is made from a NumPy array of ones of that dtype."""
    return jnp.ones(2, name) if name == "bfloat16" else jnp.asarray(np.ones(2, name))


def promotions():
    """The table, asked of both libraries."""

    def in_numpy(name, mixture):
        return "none" if name.startswith("bf16") else dtype_of(mixture, lambda dtype: np.ones(2, dtype))

    return {name: (in_numpy(name, mixture), dtype_of(mixture, ones_in_jax)) for name, mixture in MIXTURES.items()}


SIXTY_FOUR_BITS = {
    "u8 + 1.5": "float64",
    "i64 + 1": "int64",
    "i32 + f32": "float64",
    "i32 + f16": "float64",
    "i32 / 2": "float64",
    "f32 * np.float64(2)": "float64",
}
"""Where NumPy has 64 bits, and which."""


promotion_table = prediction(
    "promotion-table",
    points=2,
    see="two-promotions",
    hint=[
        "A Python number has a kind and no width. If the array has the kind already, its dtype stays.",
        "NumPy: what is the smallest dtype that holds both? JAX: a float beats an integer, and 32 bits are the limit.",
        "`np.float64(2)` is not a Python number. It becomes `float32` when it enters JAX.",
    ],
    mistakes=[
        Mistake(
            "not-a-dtype",
            [
                {"f32 * 2.0": any_of(("float", "float"), ("f32", "f32"))},
                {"u8 + 1": any_of(("int", "int"), ("u8", "u8"))},
            ],
            'Give the full names of dtypes, such as `("int32", "float32")`, or `"error"`.',
        ),
        Mistake(
            "python-number-widens",
            {"u8 + 1": anything_else(("int64", "int32"))},
            "You gave `u8 + 1` another dtype. A Python 1 is weak, and takes the dtype of the array, in both libraries.",
        ),
        Mistake(
            "jax-checks-values",
            {"u8 + 300": any_of(*(("error", dtype) for dtype in ("error", "uint16", "int16", "int32")))},
            "You expected JAX to look at 300. It does not ask whether that fits into `uint8`, and the result wraps "
            "around.",
        ),
        Mistake(
            "numpy-1-looked-at-values",
            {"u8 + 300": anything_else(("uint16", "uint8"))},
            "Your pair is off for 300. NumPy 1 looked at the value and widened. NumPy 2 looks only at dtypes: `uint8`, "
            "and 300 does not fit.",
        ),
        *(
            Mistake(
                "64-bits-in-jax",
                {name: (wide, wide)},
                f"Nothing in JAX has 64 bits unless you switch it on: see `{name}`.",
            )
            for name, wide in SIXTY_FOUR_BITS.items()
        ),
        Mistake(
            "64-bits-in-jax",
            {"bf16 * np.float64(2)": ("none", "float64")},
            "Nothing in JAX has 64 bits unless you switch it on: see `bf16 * np.float64(2)`.",
        ),
        Mistake(
            "numpy-keeps-float32",
            {"i32 + f32": ("float32", "float32")},
            "You kept `float32` in NumPy. It cannot hold every `int32`, so NumPy takes the smallest dtype that holds "
            "both: `float64`.",
        ),
        Mistake(
            "numpy-scalar-is-weak",
            [
                {"f32 * np.float64(2)": ("float32", "float32")},
                {"bf16 * np.float64(2)": ("none", "bfloat16")},
            ],
            "You took `np.float64(2)` for weak. A NumPy scalar has a width, as an array has, unlike 2.0.",
        ),
        Mistake(
            "integer-widens-float",
            {"i32 + f16": any_of(*(("float64", dtype) for dtype in ("float32", "int32")))},
            "You let the integer decide. In JAX an integer never widens a floating-point array, however many bits it "
            "has.",
        ),
    ],
    otherwise="Try the expression, and look at `.dtype` of the result.",
    truth=promotions,
)
