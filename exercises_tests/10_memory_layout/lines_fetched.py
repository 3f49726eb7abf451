"""lines-fetched."""

import numpy as np

from jaxcourse.prediction import Mistake, prediction


def lines_of_expressions():
    """On how many lines of 64 bytes the elements of each expression lie, counted address by address."""
    x, narrow = np.zeros((1024, 1024)), np.zeros((1024, 1024), np.float32)
    return {
        "x[0]": _lines(x, x[0]),
        "x[:, 0]": _lines(x, x[:, 0]),
        "x[0, ::8]": _lines(x, x[0, ::8]),
        "x.astype(np.float32)[0]": _lines(narrow, narrow[0]),
    }


def _lines(base, view):
    start = view.ctypes.data - base.ctypes.data
    return len({(start + i * view.strides[0]) // 64 for i in range(len(view))})


lines_fetched = prediction(
    "lines-fetched",
    see="cache-lines",
    hint="How many bytes apart are neighbours? More or less than a line?",
    truth=lines_of_expressions,
    mistakes=[
        Mistake(
            "one-line-per-element",
            {"x[0]": 1024},
            "You counted a line for each element. Eight neighbours of 8 bytes share a line of 64.",
        ),
        Mistake(
            "column-like-a-row",
            {"x[:, 0]": 128},
            "You counted a column like a row. Its neighbours are a row apart, 8192 bytes, so no two share a line.",
        ),
        Mistake(
            "skipping-saves-lines",
            {"x[0, ::8]": 16},
            "You left lines out. There are fewer numbers, but one on each line of the row: every line is fetched.",
        ),
        Mistake(
            "itemsize-ignored",
            {"x.astype(np.float32)[0]": 128},
            "You counted 8 bytes for an element. `float32` has 4, and sixteen share a line.",
        ),
        Mistake(
            "counted-bytes",
            [{"x[0]": 8192}, {"x.astype(np.float32)[0]": 4096}],
            "You counted the bytes of the row. How many lines are they?",
        ),
    ],
    otherwise="Count the lines that hold at least one element.",
)
