"""which-axis: the shapes of the means along either axis of a table."""

from jaxcourse.prediction import Mistake, prediction

which_axis = prediction(
    "which-axis",
    see="a-prediction",
    hint="`axis=` names the axis that is averaged over. What is left of the shape?",
    mistakes=[
        Mistake(
            "kept-the-axis",
            {"x.mean(axis=0)": (5,), "x.mean(axis=1)": (3,)},
            "The other way round: the axis that you name is the one that is gone.",
        ),
        Mistake(
            "kept-dimensions",
            [{"x.mean(axis=0)": (1, 3)}, {"x.mean(axis=1)": (5, 1)}],
            "That is what `keepdims=True` would give. Without it the axis is gone.",
        ),
        Mistake(
            "averaged-over-everything",
            [{"x.mean(axis=0)": ()}, {"x.mean(axis=1)": ()}],
            "`()` is the shape of `x.mean()`, which is one number. With `axis=` only that one axis is averaged over.",
        ),
    ],
    otherwise="`x` has 5 rows and 3 columns, and one of the two axes is averaged away.",
)
