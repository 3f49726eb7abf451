"""view-or-copy: which of some expressions share memory with an array."""

import numpy as np

from jaxcourse.prediction import Mistake, prediction


def sharing_of_expressions():
    """Which of the expressions share memory with `m`, asked of NumPy."""
    m = np.arange(24.0).reshape(4, 6)
    results = {
        "m[1:3, ::2]": m[1:3, ::2],
        "m[[0, 2]]": m[[0, 2]],
        "m[m > 5]": m[m > 5],
        "m[1, 2:3]": m[1, 2:3],
        "m.reshape(8, 3)": m.reshape(8, 3),
        "m.T.reshape(24)": m.T.reshape(24),
        "m.T.reshape(24, order='F')": m.T.reshape(24, order="F"),
        "m + 0": m + 0,
    }
    return {name: bool(np.shares_memory(m, result)) for name, result in results.items()}


view_or_copy = prediction(
    "view-or-copy",
    see="views",
    hint=[
        "Of brackets, ask what stands in them. Of `reshape`, ask whether it reads the elements as they lie in memory.",
        "How do the elements of `m.T` lie, column by column?",
    ],
    truth=sharing_of_expressions,
    mistakes=[
        Mistake(
            "list-is-a-view",
            {"m[[0, 2]]": True},
            "The same rows as `m[0:3:2]`, and yet a copy: NumPy sees a list in the brackets, and does not look for a "
            "stride.",
        ),
        Mistake("mask-is-a-view", {"m[m > 5]": True}, "A mask in the brackets gives a copy, whatever it picks."),
        Mistake(
            "number-makes-a-copy",
            {"m[1, 2:3]": False},
            "A number beside a slice removes an axis, and no more: one element is left, and it lies in `m`.",
        ),
        Mistake(
            "reshape-never-copies",
            {"m.T.reshape(24)": True},
            "`reshape` of a transposed array has to read down the columns of `m`: no single step does that, so it "
            "copies.",
        ),
        Mistake(
            "order-overlooked",
            {"m.T.reshape(24, order='F')": False},
            "With `order='F'` it reads column after column of `m.T`. These are the rows of `m`, as they lie.",
        ),
        Mistake(
            "reshape-always-copies", {"m.reshape(8, 3)": False}, "What is read as it lies is cut anew by strides alone."
        ),
        Mistake(
            "slices-copy",
            {"m[1:3, ::2]": False},
            "A slice has a start and a step on each axis, and so a stride: the old bytes will do.",
        ),
        Mistake(
            "arithmetic-is-a-view",
            {"m + 0": True},
            "Arithmetic makes a new array, whatever the numbers are. Try `np.shares_memory`.",
        ),
    ],
    otherwise="Try `np.shares_memory`.",
)
