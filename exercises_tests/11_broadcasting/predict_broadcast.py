"""predict-broadcast."""

import numpy as np

from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

FIVE_PAIRS = {
    "(7, 1) and (7, 4)": ((7, 1), (7, 4)),
    "(7,) and (4, 7)": ((7,), (4, 7)),
    "(3, 3) and (2, 3)": ((3, 3), (2, 3)),
    "(1, 1, 1, 8) and (1, 9, 1)": ((1, 1, 1, 8), (1, 9, 1)),
    "(4, 1, 9) and (3, 1)": ((4, 1, 9), (3, 1)),
}


def shape_or_error(*shapes):
    """What NumPy makes of some shapes."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return "error"


def five_shapes():
    """The true answer."""
    return {name: shape_or_error(*pair) for name, pair in FIVE_PAIRS.items()}


predict_broadcast = prediction(
    "predict-broadcast",
    see="rule",
    hint=[
        "Write the two shapes one below the other, aligned on the right.",
        "Then look at one axis after the other.",
    ],
    choices=["error"],
    truth=five_shapes,
    mistakes=[
        Mistake(
            "clash-overlooked",
            {"(3, 3) and (2, 3)": anything_else((3, 3), (6, 3))},
            "You let 3 and 2 meet, and neither is 1. A longer axis is never cut, and a shorter one is never "
            "repeated in part.",
        ),
        Mistake(
            "aligned-on-the-left",
            [{"(7,) and (4, 7)": "error"}, {"(1, 1, 1, 8) and (1, 9, 1)": (1, 9, 1, 8)}],
            "Shapes are aligned on the right, so `(7,)` becomes `(1, 7)`, and `(1, 9, 1)` becomes `(1, 1, 9, 1)`.",
        ),
        Mistake(
            "only-one-stretches",
            [{"(1, 1, 1, 8) and (1, 9, 1)": "error"}, {"(4, 1, 9) and (3, 1)": "error"}],
            "You found a clash, but aligned on the right, no two lengths clash. Both operands may stretch, each "
            "along a different axis.",
        ),
        Mistake(
            "axes-lost",
            [
                {"(1, 1, 1, 8) and (1, 9, 1)": any_of((9, 8), (1, 9, 8))},
                {"(4, 1, 9) and (3, 1)": any_of((4, 3), (3, 9), (4, 9))},
            ],
            "You lost an axis. The result has as many axes as the operand with the most, and missing ones are "
            "added on the left.",
        ),
    ],
    otherwise="Equal lengths stay, and 1 becomes the other length.",
)
