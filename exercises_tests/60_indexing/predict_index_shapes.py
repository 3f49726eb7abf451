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
        "Do all index arrays stand side by side? Then the block stays there. If not, it goes to the front.",
        "A number counts as one of them. A mask is an index array with one entry for each `True`.",
    ],
    mistakes=[
        Mistake(
            "axes-forgotten",
            [{"b[i, i]": any_of((3,), (3, 3))}, {"b[0, :, i]": (5, 6, 3)}],
            "`b` has four axes. Those that an index does not name stay whole, at the end of the shape.",
            see="basic-indexing",
        ),
        Mistake(
            "block-not-pairs",
            {"b[i, i]": (3, 3, 6, 7)},
            "`b[i, i]` pairs the two arrays: three addresses, so one axis. A block needs a column and a row.",
            see="index-arrays",
        ),
        Mistake(
            "moved-without-need",
            {"b[:, i[:, None], i]": (3, 3, 4, 7)},
            "The index arrays of `b[:, i[:, None], i]` stand side by side: their block stays where they stood.",
        ),
        Mistake(
            "stays-when-separated",
            {"b[:, i, None, i]": any_of((4, 3, 1, 7), (4, 1, 3, 7))},
            "In `b[:, i, None, i]` the `None` separates the index arrays, so their block goes to the front.",
        ),
        Mistake(
            "number-is-an-index",
            {"b[0, :, i]": (5, 3, 7)},
            "In `b[0, :, i]` the number counts as an index array, so the two are separated by a slice.",
        ),
        Mistake(
            "mask-keeps-all",
            {"b[:, m, 0]": (4, 5, 7)},
            "`b[:, m, 0]` keeps only the places where `m` is `True`, of which there are two.",
            see="masks",
        ),
        Mistake(
            "slice-drops-axis",
            {"b[..., 0:1, i]": (4, 5, 3)},
            "`0:1` is a slice: it keeps its axis, with length 1.",
            see="basic-indexing",
        ),
    ],
    otherwise="Which entries are index arrays, and where do they stand?",
    truth=shapes_of_expressions,
)
