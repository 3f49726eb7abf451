"""predict-index-shapes."""

import numpy as np

from jaxcourse.prediction import Mistake, any_of, prediction


def shapes_of_expressions():
    """The true shapes of the seven expressions."""
    b, i, m = np.zeros((4, 5, 6, 7)), np.array([0, 1, 2]), np.array([True, False, True, False, False])
    taken = {
        "b[i, i]": b[i, i],
        "b[i[:, None], i]": b[i[:, None], i],
        "b[:, i[:, None], i]": b[:, i[:, None], i],
        "b[:, i, None, i]": b[:, i, None, i],
        "b[0, :, i]": b[0, :, i],
        "b[:, m, 0]": b[:, m, 0],
        "b[..., 0:1, i]": b[..., 0:1, i],
    }
    return {name: result.shape for name, result in taken.items()}


predict_index_shapes = prediction(
    "predict-index-shapes",
    points=2,
    see="mixed-indexing",
    hint=[
        "To which shape do the index arrays broadcast? That is the block.",
        "Are all index arrays side by side? Then the block stays there. If not, it goes to the front.",
        "A number counts as one of them. A mask is an index array with one entry for each `True`.",
    ],
    mistakes=[
        Mistake(
            "axes-forgotten",
            [{"b[i, i]": any_of((3,), (3, 3))}, {"b[0, :, i]": (5, 6, 3)}],
            "You lost axes at the end. `b` has four, and those that an index does not name stay whole, at the end of "
            "the shape.",
            see="basic-indexing",
        ),
        Mistake(
            "block-not-pairs",
            {"b[i, i]": (3, 3, 6, 7)},
            "You made a block. `b[i, i]` pairs the two arrays: three addresses, so one axis. A block needs a column "
            "and a row.",
            see="index-arrays",
        ),
        Mistake(
            "moved-without-need",
            {"b[:, i[:, None], i]": (3, 3, 4, 7)},
            "You moved the block of `b[:, i[:, None], i]`. Its index arrays are side by side, so the block takes "
            "their place.",
        ),
        Mistake(
            "stays-when-separated",
            {"b[:, i, None, i]": any_of((4, 3, 1, 7), (4, 1, 3, 7))},
            "You left the block of `b[:, i, None, i]` in place. The `None` separates the index arrays: it goes to the "
            "front.",
        ),
        Mistake(
            "number-is-an-index",
            {"b[0, :, i]": (5, 3, 7)},
            "You left the axis of `b[0, :, i]` in place. The number counts as an index array, and a slice separates "
            "the two.",
        ),
        Mistake(
            "mask-keeps-all",
            {"b[:, m, 0]": (4, 5, 7)},
            "You kept every place. `b[:, m, 0]` keeps only those where `m` is `True`, of which there are two.",
            see="masks",
        ),
        Mistake(
            "slice-drops-axis",
            {"b[..., 0:1, i]": (4, 5, 3)},
            "Your shape lacks the axis of `0:1`. That is a slice, and keeps its axis, with length 1.",
            see="basic-indexing",
        ),
    ],
    otherwise="Which entries are index arrays, and are they side by side?",
    truth=shapes_of_expressions,
)
