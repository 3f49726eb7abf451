"""which-axis: the shapes of the means along either axis of a table."""

from jaxcourse.prediction import Mistake, prediction

which_axis = prediction(
    "which-axis",
    see="a-prediction",
    hint="`axis=` names the axis that `mean` averages over. What's left of the shape?",
    mistakes=[
        Mistake(
            "kept-the-axis",
            {"x.mean(axis=0)": (5,), "x.mean(axis=1)": (3,)},
            "You kept the axis that you named. It's the other way round: the axis that you name is gone.",
        ),
        Mistake(
            "kept-dimensions",
            [{"x.mean(axis=0)": (1, 3)}, {"x.mean(axis=1)": (5, 1)}],
            "Your shape is that of `keepdims=True`, which keeps the axis with length 1. Without it, the axis is gone.",
        ),
        Mistake(
            "averaged-over-everything",
            [{"x.mean(axis=0)": ()}, {"x.mean(axis=1)": ()}],
            "Your `()` is the shape of `x.mean()`, which is one number. With `axis=`, only that axis is averaged over.",
        ),
    ],
    otherwise="`x` has 5 rows and 3 columns, and `mean` averages one of these two axes away. Which length is left?",
)
