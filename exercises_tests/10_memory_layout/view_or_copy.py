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
        "Ask what is in the brackets. For `reshape`, ask whether it reads the elements in the order of memory.",
        "Where in memory are the elements of `m.T`, column by column?",
    ],
    truth=sharing_of_expressions,
    mistakes=[
        Mistake(
            "list-is-a-view",
            {"m[[0, 2]]": True},
            "You saw the same rows as in `m[0:3:2]`. But NumPy sees a list in the brackets, and copies without looking "
            "for a stride.",
        ),
        Mistake(
            "mask-is-a-view",
            {"m[m > 5]": True},
            "You expected a view. A mask in the brackets gives a copy, whatever it picks.",
        ),
        Mistake(
            "number-makes-a-copy",
            {"m[1, 2:3]": False},
            "You expected a copy. A number beside a slice only removes an axis: the element that is left is in `m`.",
        ),
        Mistake(
            "reshape-never-copies",
            {"m.T.reshape(24)": True},
            "You expected a view. This `reshape` has to read down the columns of `m`: no single step does that, so it "
            "copies.",
        ),
        Mistake(
            "order-overlooked",
            {"m.T.reshape(24, order='F')": False},
            "You expected a copy. With `order='F'` it reads the columns of `m.T`, which are the rows of `m` in memory.",
        ),
        Mistake(
            "reshape-always-copies",
            {"m.reshape(8, 3)": False},
            "You expected a copy. In the order of memory, new strides are enough for a new shape.",
        ),
        Mistake(
            "slices-copy",
            {"m[1:3, ::2]": False},
            "You expected a copy. A slice has a start and a step on each axis, and so a stride: the old bytes will do.",
        ),
        Mistake(
            "arithmetic-is-a-view",
            {"m + 0": True},
            "You expected a view. Arithmetic makes a new array, whatever the numbers are.",
        ),
    ],
    otherwise="Your answer differs. Try `np.shares_memory`.",
)
