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
        "One of the five does not broadcast, but writes everything out.",
    ],
    truth=strides_of_stretched,
    mistakes=[
        Mistake(
            "rows-written-out",
            {"np.broadcast_to(a, (4, 3))": (12, 4)},
            "You went on to a next row, by 12 bytes. There is only one row, so the stride is 0.",
        ),
        Mistake(
            "counted-elements",
            {"np.broadcast_to(a, (4, 3))": (0, 1)},
            "You counted elements. Strides are bytes, and an element of `float32` has 4 of them.",
        ),
        Mistake(
            "float64-size",
            {"np.broadcast_to(a, (4, 3))": (0, 8)},
            "Your strides are right for `float64`. An element of `float32` has 4 bytes.",
        ),
        Mistake(
            "wrong-axis",
            {"np.broadcast_to(a[:, None], (3, 5))": (0, 4)},
            "You exchanged the axes. A column stretches to the right, so the stride is 0 there, and down it is a "
            "step of 4 bytes.",
        ),
        Mistake(
            "sign-lost",
            {"np.broadcast_to(a[::-1], (4, 3))": (0, 4)},
            "You lost the sign. Stretching changes one stride, and the other still walks backwards.",
        ),
        Mistake(
            "tile-is-a-view",
            {"np.tile(a, (4, 1))": (0, 4)},
            "You took `np.tile` for a broadcast. It writes four rows into new memory, one after the other.",
        ),
    ],
    otherwise="Along which axis does one element serve for all?",
)
