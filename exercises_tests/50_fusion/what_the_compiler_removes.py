"""what-the-compiler-removes."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.prediction import Mistake, prediction


def removed():
    """Whether each operation is gone, read from the compiled program."""
    v, x = np.ones(100, np.float32), np.ones((50, 50), np.float32)
    cases = {
        "a result that is not returned": ("tan", 0, lambda v: (jnp.tan(v), 2 + v)[1], v),
        "the second sine in jnp.sin(v) + jnp.sin(1 * v)": ("sine", 1, lambda v: jnp.sin(v) + jnp.sin(1 * v), v),
        "x.T.T": ("transpose", 0, lambda x: x.T.T, x),
        "the division in v * w / w": ("divide", 0, lambda v, w: v * w / w, v, v),
        "one of the divisions in v / w / w": ("divide", 1, lambda v, w: v / w / w, v, v),
        "the third product in x @ x @ x @ x": ("dot", 2, lambda x: x @ x @ x @ x, x),
    }
    return {
        key: probe.program(function, *args)["operations"].get(operation, 0) == left
        for key, (operation, left, function, *args) in cases.items()
    }


what_the_compiler_removes = prediction(
    "what-the-compiler-removes",
    see="unused-work",
    hint=[
        "Look at the table above: what went, and what stayed although real numbers would not need it?",
        "What is `v * w / w` where `w` is zero?",
    ],
    mistakes=[
        Mistake(
            "unused-is-computed",
            {"a result that is not returned": False},
            "You kept a result that nothing can see. A pure function has no other effect, so the compiler leaves it "
            "out.",
        ),
        Mistake(
            "repetition-is-computed",
            {"the second sine in jnp.sin(v) + jnp.sin(1 * v)": False},
            "You kept both sines. `1 * v` is `v` to the last bit, so they have the same argument, and one is computed.",
        ),
        Mistake(
            "algebra-of-reals",
            {"the division in v * w / w": True},
            "You reduced `v * w / w` to `v`. If `w` is 0 it is NaN, and that is kept.",
        ),
        Mistake(
            "digits-are-sacred",
            {"one of the divisions in v / w / w": False},
            "You kept both divisions. A division costs more than a product, so XLA makes it `v / (w * w)`, although "
            "the last digits may differ.",
        ),
        Mistake(
            "brackets-moved",
            {"the third product in x @ x @ x @ x": True},
            "You moved the brackets. `((x @ x) @ x) @ x` has no repeated product, and XLA keeps that order.",
            see="repeated-work",
        ),
    ],
    otherwise="Could you see a difference?",
    truth=removed,
)
