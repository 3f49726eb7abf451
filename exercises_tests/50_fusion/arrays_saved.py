"""arrays-saved."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import traffic
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction


def arrays_saved_by_fusion():
    """How many arrays fewer each expression moves when it is fused, counted in the traced program."""
    expressions = {
        "x + y": lambda x, y: x + y,
        "x + y + x": lambda x, y: x + y + x,
        "jnp.exp(-x * x)": lambda x, y: jnp.exp(-x * x),
        "x.sum()": lambda x, y: x.sum(),
        "((x - y) ** 2).sum()": lambda x, y: ((x - y) ** 2).sum(),
        "x / x.max()": lambda x, y: x / x.max(),
    }
    x = np.ones(1000, np.float32)
    counted = {key: traffic.count(expression, x, x) for key, expression in expressions.items()}
    return {key: (found.bytes_one_by_one - found.bytes_fused) // x.nbytes for key, found in counted.items()}


arrays_saved = prediction(
    "arrays-saved",
    see="nothing-to-fuse",
    hint=[
        "Count the arrays that travel one by one, then those that travel fused, and subtract.",
        "When can the division in `x / x.max()` begin?",
    ],
    mistakes=[
        Mistake(
            "one-loop-saves",
            [{"x + y": anything_else(1)}, {"x.sum()": anything_else(1)}],
            "You fused one operation, but it is one loop already: there is nothing to fuse it with.",
        ),
        Mistake(
            "reduction-fuses-ahead",
            {"x / x.max()": anything_else(1)},
            "You fused the division with the maximum. It cannot begin before the maximum is known, after a whole pass "
            "over `x`: two loops before, two loops after.",
        ),
        Mistake(
            "reduction-apart",
            {"((x - y) ** 2).sum()": 2, "jnp.exp(-x * x)": any_of(5, 4)},
            "You left the sum apart. It can fuse with what comes before it, and then neither temporary reaches "
            "memory: each would be written once and read once.",
        ),
        Mistake(
            "temporaries-count-once",
            {"((x - y) ** 2).sum()": 2, "jnp.exp(-x * x)": any_of(3, 2)},
            "You counted each temporary once. One loop writes it and the next reads it: without it, two arrays fewer "
            "travel.",
        ),
        Mistake(
            "read-again",
            {"x + y + x": 2},
            "You missed a repeated read. Both additions read `x`, and the fused loop only once: that saves one more "
            "array than the temporary's two.",
        ),
    ],
    otherwise="Your count is another. `traffic.count` counts for you.",
    truth=arrays_saved_by_fusion,
)
