"""pair-bytes."""

import numpy as np

from jaxcourse.prediction import Mistake, anything_else, prediction


def new_bytes():
    """The bytes of new memory behind the result of each expression, asked of NumPy."""
    x, y = np.zeros((1000, 3), np.float32), np.zeros((2000, 3), np.float32)
    difference = x[:, None] - y
    results = {
        "x[:, None]": x[:, None],
        "x[:, None] - y": difference,
        "np.abs(x[:, None] - y).max(axis=-1)": np.abs(difference).max(axis=-1),
        "np.broadcast_to(x[:, None], (1000, 2000, 3))": np.broadcast_to(x[:, None], (1000, 2000, 3)),
        "x @ y.T": x @ y.T,
    }
    return {name: 0 if np.shares_memory(result, x) else result.nbytes for name, result in results.items()}


pair_bytes = prediction(
    "pair-bytes",
    see="pairs",
    hint=["Which of the five are views?", "For the others, take the product of the lengths, times the itemsize."],
    truth=new_bytes,
    mistakes=[
        Mistake(
            "none-copies",
            {"x[:, None]": anything_else(12_000)},
            "`[:, None]` gives a view, which takes no new byte, whatever `x` is.",
        ),
        Mistake(
            "stretch-copies",
            {"np.broadcast_to(x[:, None], (1000, 2000, 3))": anything_else(24_000_000)},
            "`np.broadcast_to` gives a view with a stride of 0. Its `nbytes` counts elements that are not there.",
            see="stride-zero",
        ),
        Mistake(
            "result-is-virtual",
            {"x[:, None] - y": 0},
            "You gave the difference no bytes. It is an array like any other, with all pairs and all "
            "coordinates, times 4 bytes.",
            see="cost",
        ),
        Mistake(
            "counted-elements",
            [{"x[:, None] - y": 6_000_000}, {"np.abs(x[:, None] - y).max(axis=-1)": 2_000_000}],
            "You counted elements. Each `float32` has 4 bytes.",
        ),
        Mistake(
            "float64-size",
            [{"x[:, None] - y": 48_000_000}, {"np.abs(x[:, None] - y).max(axis=-1)": 16_000_000}],
            "Your number is right for `float64`. A `float32` has 4 bytes.",
        ),
        Mistake(
            "coordinates-lost",
            {"x[:, None] - y": 8_000_000},
            "You left the coordinates out. The difference still has 3 for each pair, and the shape `(1000, 2000, 3)`.",
        ),
        Mistake(
            "max-keeps-its-axis",
            {"np.abs(x[:, None] - y).max(axis=-1)": 24_000_000},
            "You kept the last axis. `max(axis=-1)` takes it away, and leaves one number for each pair.",
        ),
    ],
    otherwise="Find the shape first, then the elements, then the bytes.",
)
