"""count-the-dots."""

import numpy as np

from jaxcourse import probe
from jaxcourse.prediction import Mistake, prediction


def products_left():
    """How many matrix products are left of each expression, counted in the compiled program."""
    expressions = {
        "x @ y + x @ y": lambda x, y: x @ y + x @ y,
        "x @ y + y @ x": lambda x, y: x @ y + y @ x,
        "x @ x @ x + x @ x": lambda x, y: x @ x @ x + x @ x,
        "x @ x @ x @ x": lambda x, y: x @ x @ x @ x,
        "(x @ x) @ (x @ x)": lambda x, y: (x @ x) @ (x @ x),
    }
    x, y = np.ones((50, 50), np.float32), np.full((50, 50), 2, np.float32)
    return {key: probe.program(expression, x, y)["operations"]["dot"] for key, expression in expressions.items()}


count_the_dots = prediction(
    "count-the-dots",
    see="repeated-work",
    hint=[
        "Write down each product as a pair of operands. Which pairs are equal?",
        "`x @ x @ x` is `(x @ x) @ x`, and XLA keeps that order.",
    ],
    mistakes=[
        Mistake(
            "nothing-removed",
            {"x @ y + x @ y": 2},
            "You counted two products. Both have the same operands, so the compiler does it once.",
        ),
        Mistake(
            "matrices-commute",
            {"x @ y + y @ x": 1},
            "You counted one product for two. `y @ x` is not the same matrix as `x @ y`: both have to be computed.",
        ),
        Mistake(
            "brackets-moved",
            {"x @ x @ x @ x": 2},
            "You moved the brackets. Two squarings would do, but the expression is `((x @ x) @ x) @ x`, and XLA keeps "
            "that order.",
        ),
        Mistake(
            "part-not-shared",
            {"x @ x @ x + x @ x": 3},
            "You counted `x @ x` in both terms. It is computed once and used twice.",
        ),
    ],
    otherwise="Write down each product, and strike out repetitions.",
    truth=products_left,
)
