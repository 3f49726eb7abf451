"""predict-segments: what folds of runs give, by starts and by the number of each element's run."""

import jax
import numpy as np

from jaxcourse.prediction import Mistake, prediction


def folded():
    """What the five expressions give."""
    x, run = np.array([3, 1, 4, 1, 5, 9]), np.array([0, 0, 2, 2, 2, 3])
    return {
        "np.add.reduceat(x, [0, 2, 5])": np.add.reduceat(x, [0, 2, 5]),
        "np.add.reduceat(x, [0, 2, 2, 5])": np.add.reduceat(x, [0, 2, 2, 5]),
        "np.bincount(run)": np.bincount(run),
        "np.bincount(run, weights=x)": np.bincount(run, weights=x),
        "jax.ops.segment_prod(x, run, num_segments=4)": np.asarray(jax.ops.segment_prod(x, run, num_segments=4)),
    }


predict_segments = prediction(
    "predict-segments",
    see="segments",
    hint=[
        "`reduceat` takes the place at which each segment starts.",
        "`bincount` makes one place for each number up to the largest of `run`.",
    ],
    truth=folded,
    mistakes=[
        Mistake(
            "ends-included",
            [{"np.add.reduceat(x, [0, 2, 5])": (8, 19, 9)}, {"np.add.reduceat(x, [0, 2, 2, 5])": (8, 4, 19, 9)}],
            "You let each segment take the start of the next one as well. It ends just before.",
        ),
        Mistake(
            "starts-alone",
            {"np.add.reduceat(x, [0, 2, 5])": (3, 4, 9)},
            "You took the elements at the starts. Each start begins a segment, and all of the segment is added.",
        ),
        Mistake(
            "empty-is-zero",
            {"np.add.reduceat(x, [0, 2, 2, 5])": (4, 0, 10, 9)},
            "Your empty segment has the sum 0. `reduceat` gives the element at its start instead.",
        ),
        Mistake(
            "no-place-for-nothing",
            [
                {"np.bincount(run)": (2, 3, 1)},
                {"np.bincount(run, weights=x)": (4, 10, 9)},
                {"jax.ops.segment_prod(x, run, num_segments=4)": (3, 20, 9)},
            ],
            "Your result has three places. Run 1 has no elements, but its place is there.",
        ),
        Mistake(
            "counted-not-added",
            {"np.bincount(run, weights=x)": (2, 0, 3, 1)},
            "You counted the elements of each run. With `weights`, `bincount` adds up their weights.",
        ),
        Mistake(
            "empty-product-zero",
            {"jax.ops.segment_prod(x, run, num_segments=4)": (3, 0, 20, 9)},
            "Your empty product is 0. A product of nothing is 1, which changes no product.",
        ),
    ],
    otherwise="Write the elements of each run side by side, and fold them.",
)
