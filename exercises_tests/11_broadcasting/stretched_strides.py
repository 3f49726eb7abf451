"""stretched-strides."""

import numpy as np

from jaxcourse.prediction import Mistake, prediction


def strides_of_stretched():
    """The true strides of the five results."""
    a = np.arange(3, dtype=np.float32)
    results = {
        "np.broadcast_to(a, (4, 3))": np.broadcast_to(a, (4, 3)),
        "np.broadcast_to(a[:, None], (3, 5))": np.broadcast_to(a[:, None], (3, 5)),
        "np.broadcast_to(a[::-1], (4, 3))": np.broadcast_to(a[::-1], (4, 3)),
        "np.broadcast_to(np.float32(7), (2, 3))": np.broadcast_to(np.float32(7), (2, 3)),
        "np.tile(a, (4, 1))": np.tile(a, (4, 1)),
    }
    return {name: result.strides for name, result in results.items()}


stretched_strides = prediction(
    "stretched-strides",
    see="stride-zero",
    hint=[
        "How many bytes is it from one element of `a` to the next?",
        "One of the five does not broadcast: it writes everything out.",
    ],
    truth=strides_of_stretched,
    mistakes=[
        Mistake(
            "rows-written-out",
            {"np.broadcast_to(a, (4, 3))": (12, 4)},
            "12 bytes would lead to a next row. There is only one row: stay, 0.",
        ),
        Mistake(
            "counted-elements",
            {"np.broadcast_to(a, (4, 3))": (0, 1)},
            "Strides are bytes: an element of `float32` has 4 of them.",
        ),
        Mistake(
            "float64-size",
            {"np.broadcast_to(a, (4, 3))": (0, 8)},
            "Right for `float64`. An element of `float32` has 4 bytes.",
        ),
        Mistake(
            "wrong-axis",
            {"np.broadcast_to(a[:, None], (3, 5))": (0, 4)},
            "A column stretches to the right: there the stride is 0, and down it is a step of 4 bytes.",
        ),
        Mistake(
            "sign-lost",
            {"np.broadcast_to(a[::-1], (4, 3))": (0, 4)},
            "Stretching changes one stride. The other still walks backwards.",
        ),
        Mistake(
            "tile-is-a-view",
            {"np.tile(a, (4, 1))": (0, 4)},
            "`np.tile` does not broadcast: it writes four rows into new memory, one after the other.",
        ),
    ],
    otherwise="Along which axis does one element serve for all?",
)
