"""must-be-copied."""

import numpy as np

from jaxcourse.prediction import Mistake, prediction


def true_copies():
    """Whether NumPy copies, asked of NumPy."""
    c = np.zeros((6, 4), np.float32)
    f = np.asfortranarray(c)
    expressions = {
        "c": c,
        "f": f,
        "f.T": f.T,
        "c[2:]": c[2:],
        "c[:, :2]": c[:, :2],
        "c[:, 1]": c[:, 1],
        "f[:, 1]": f[:, 1],
        "c.astype(np.float64)": c.astype(np.float64),
    }
    return {name: not np.shares_memory(x, np.ascontiguousarray(x, dtype=np.float32)) for name, x in expressions.items()}


must_be_copied = prediction(
    "must-be-copied",
    see="copies-on-the-way-in",
    hint=[
        "Ask two questions of each. Is it already `float32`, and are its elements side by side in C order?",
        "In C order the elements of a row are side by side. In F order those of a column are.",
    ],
    truth=true_copies,
    mistakes=[
        Mistake(
            "dtype-for-free",
            {"c.astype(np.float64)": False},
            "`float64` and `float32` are different bytes, so every number must be written anew.",
        ),
        Mistake(
            "order-for-free",
            {"f": False},
            "`f` has the same numbers at the same indices, but column by column: row by row, the bytes differ.",
        ),
        Mistake(
            "transpose-copied",
            {"f.T": True},
            "The rows of `f.T` are the columns of `f`, and the elements of a column are already side by side.",
        ),
    ],
    otherwise="Draw the block, and mark the elements that you take. Is there a gap?",
)
