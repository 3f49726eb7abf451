"""bars-off-by."""

import numpy as np

from jaxcourse.prediction import Mistake, any_of, anything_else, prediction


def factors_of_bars():
    """The five factors, from Hessians of a straight line in double precision."""
    design = np.stack([np.linspace(0, 1, 200), np.ones(200)], 1)
    curvature = design.T @ design  # of half the sum of squares
    scales = {
        "sum((r / 0.5)**2) / 2": 1 / 0.5**2,
        "sum((r / 0.5)**2)": 2 / 0.5**2,
        "sum(r**2) / 2": 1,
        "mean((r / 0.5)**2) / 2": 1 / 0.5**2 / 200,
        "mean(r**2)": 2 / 200,
    }
    bars = {text: np.sqrt(np.diag(np.linalg.inv(c * curvature))) for text, c in scales.items()}
    right_ones = bars["sum((r / 0.5)**2) / 2"]
    return {text: float((found / right_ones)[0]) for text, found in bars.items()}


bars_off_by = prediction(
    "bars-off-by",
    see="error-bars",
    hint=[
        "Write each function as a number times the right one, ½χ². What is that number?",
        "A covariance is the inverse of the Hessian, and a bar is its root. How long are the bars of a function 4 "
        "times as large?",
    ],
    truth=factors_of_bars,
    mistakes=[
        Mistake(
            "other-way-round",
            [{"sum((r / 0.5)**2)": 2**0.5}, {"sum(r**2) / 2": 0.5}, {"mean((r / 0.5)**2) / 2": 200**-0.5}],
            "Your factor is upside down. A larger function has a larger curvature, and the covariance is its "
            "inverse: the bars get shorter.",
        ),
        Mistake(
            "root-forgotten",
            [{"sum((r / 0.5)**2)": 0.5}, {"sum(r**2) / 2": 4}, {"mean((r / 0.5)**2) / 2": 200}, {"mean(r**2)": 400}],
            "You gave the factor of the variance. A bar is its square root.",
        ),
        Mistake(
            "scale-makes-no-difference",
            [{"sum((r / 0.5)**2)": 1}, {"sum(r**2) / 2": 1}, {"mean((r / 0.5)**2) / 2": 1}, {"mean(r**2)": 1}],
            "You left the bars as they are. The minimum stays where it is, but the Hessian is multiplied by the same "
            "factor as the function.",
        ),
        Mistake(
            "half-forgotten-in-the-mean",
            {"mean(r**2)": any_of(200**0.5 / 0.5, 200**0.5, 28.28, 14.14)},
            "You missed something in `mean(r**2)`. It lacks three things: the sum, σ², and the half.",
        ),
        Mistake(
            "right-one-not-seen",
            {"sum((r / 0.5)**2) / 2": anything_else(2, 0.5)},
            "You changed the right one: `sum((r / 0.5)**2) / 2` is ½χ², the recipe itself.",
        ),
    ],
    otherwise="If a function is c times ½χ², the bars are 1/√c times the right ones.",
)
