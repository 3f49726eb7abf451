"""seat-belt."""

import jax
import jax.numpy as jnp

from jaxcourse.prediction import Mistake, prediction


def stopped_by_the_belt():
    """Which of the five subtractions raise under the seat belt, asked of JAX."""
    pairs = {
        "(5, 1) - (5,)": ((5, 1), (5,)),
        "(5, 1) - (1, 5)": ((5, 1), (1, 5)),
        "(4, 3) - (3,)": ((4, 3), (3,)),
        "(4, 3) - (1, 3)": ((4, 3), (1, 3)),
        "(4, 3) - ()": ((4, 3), ()),
    }
    return {name: _raises(*pair) for name, pair in pairs.items()}


def _raises(a, b):
    with jax.numpy_rank_promotion("raise"):
        try:
            jax.eval_shape(jnp.subtract, jax.ShapeDtypeStruct(a, "float32"), jax.ShapeDtypeStruct(b, "float32"))
        except ValueError:
            return True
    return False


seat_belt = prediction(
    "seat-belt",
    see="silent-loss",
    hint="How many axes has each operand? The belt compares these numbers, and does not know what you meant.",
    truth=stopped_by_the_belt,
    mistakes=[
        Mistake(
            "misses-the-accident",
            {"(5, 1) - (5,)": False},
            "In `(5, 1) - (5,)`, two axes meet one. The belt is made for this accident.",
        ),
        Mistake(
            "knows-what-you-meant",
            {"(5, 1) - (1, 5)": True},
            "Both sides of `(5, 1) - (1, 5)` have two axes, so no rank is promoted. It passes, and makes a (5, 5), "
            "because the belt knows only ranks.",
        ),
        Mistake(
            "lets-the-honest-pass",
            {"(4, 3) - (3,)": False},
            "You let `(4, 3) - (3,)` pass, and it is harmless. But it raises an error, because two axes meet one. "
            "Write `[None, :]` inside the belt.",
        ),
        Mistake(
            "stops-numbers", {"(4, 3) - ()": True}, "You stopped a number. A number may meet any array, so it passes."
        ),
    ],
    otherwise="The belt lets equal ranks pass, whatever the lengths.",
)
