"""predict-ufunc-methods: what five methods of ufuncs give for five numbers."""

import numpy as np

from jaxcourse.prediction import Mistake, any_of, prediction


def results_of_methods():
    """What the seven expressions give."""
    x = np.array([3, 1, 4, 1, 5])
    counted = x.copy()
    np.add.at(counted, [0, 0, 1], 10)
    return {
        "np.maximum.reduce(x)": np.maximum.reduce(x),
        "np.subtract.reduce(x)": np.subtract.reduce(x),
        "np.maximum.accumulate(x)": np.maximum.accumulate(x),
        "np.multiply.accumulate(x)": np.multiply.accumulate(x),
        "np.add.reduceat(x, [0, 2, 4])": np.add.reduceat(x, [0, 2, 4]),
        "np.add.outer(x, x[:2]).shape": np.add.outer(x, x[:2]).shape,
        "x after np.add.at(x, [0, 0, 1], 10)": counted,
    }


predict_ufunc_methods = prediction(
    "predict-ufunc-methods",
    see="five-loops",
    hint=[
        "What are the steps? `reduce` keeps the last, and `accumulate` all of them.",
        "`reduceat` gets starts. Where does each segment end?",
    ],
    mistakes=[
        Mistake(
            "folded-from-the-right",
            {"np.subtract.reduce(x)": 10},
            "You folded from the right. A fold goes from left to right: (((3 - 1) - 4) - 1) - 5.",
        ),
        Mistake(
            "only-the-last-step",
            [{"np.maximum.accumulate(x)": 5}, {"np.multiply.accumulate(x)": 60}],
            "You gave the last step alone, as `reduce` does. `accumulate` keeps every step: as many elements as `x` "
            "has.",
        ),
        Mistake(
            "ends-included",
            {"np.add.reduceat(x, [0, 2, 4])": (8, 10, 5)},
            "You let each segment take the next start as well. It ends just before: 3 + 1, then 4 + 1, then 5.",
        ),
        Mistake(
            "not-every-pair",
            {"np.add.outer(x, x[:2]).shape": any_of((2, 5), (5,), (2,))},
            "You gave another shape. `outer` takes every pair: the shape of the first, followed by that of the second.",
            see="outer-loop",
        ),
        Mistake(
            "counted-once",
            {"x after np.add.at(x, [0, 0, 1], 10)": (13, 11, 4, 1, 5)},
            "You added to element 0 once. `np.add.at` adds once for *each* index, and element 0 is named twice.",
            see="at-loop",
        ),
    ],
    otherwise="Write down the steps.",
    truth=results_of_methods,
)
