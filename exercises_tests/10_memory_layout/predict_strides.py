"""predict-strides."""

import numpy as np

from jaxcourse.prediction import Mistake, prediction


def strides_of_expressions():
    """The strides of the five expressions, asked of NumPy."""
    a = np.zeros((4, 6), np.float32)
    views = {"a": a, "a.T": a.T, "a[:, ::2]": a[:, ::2], "a[::-1]": a[::-1], "a[1]": a[1]}
    return {name: view.strides for name, view in views.items()}


predict_strides = prediction(
    "predict-strides",
    see="strides",
    hint=["Start with the last axis of `a`: how many bytes to the next element?", "Then: how many bytes is a row?"],
    truth=strides_of_expressions,
    mistakes=[
        Mistake(
            "counted-elements",
            [{"a": (6, 1)}, {"a.T": (1, 6)}, {"a[:, ::2]": (6, 2)}, {"a[::-1]": (-6, 1)}, {"a[1]": (1,)}],
            "You counted steps in elements. Strides are bytes: multiply by the itemsize.",
        ),
        Mistake(
            "float64-size",
            [{"a": (48, 8)}, {"a.T": (8, 48)}, {"a[:, ::2]": (48, 16)}, {"a[::-1]": (-48, 8)}, {"a[1]": (8,)}],
            "Your strides are those of `float64`. An element of `float32` has 4 bytes.",
        ),
        Mistake(
            "fortran-order",
            {"a": (4, 16)},
            "You made the first index run fastest. In C order the last one does.",
        ),
        Mistake(
            "transpose-moves",
            {"a.T": (16, 4)},
            "Your strides belong to a new array of shape (6, 4). The transpose moves nothing. It swaps those of `a`.",
        ),
        Mistake(
            "sign-lost",
            {"a[::-1]": (24, 4)},
            "You lost the sign. In reversed rows, a step down walks *backwards* in memory.",
        ),
        Mistake(
            "step-lost",
            {"a[:, ::2]": (24, 4)},
            "You kept the step of `a`. With `::2`, the next element is two elements away.",
        ),
        Mistake(
            "rows-shortened",
            [{"a[:, ::2]": (12, 8)}, {"a[:, ::2]": (12, 4)}],
            "You moved the rows together. Half of the columns are left, but the rows are as far apart as before.",
        ),
    ],
    otherwise="Your strides differ. What does the expression change: start, order or step?",
)
