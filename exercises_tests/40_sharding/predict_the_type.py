"""predict-the-type."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.prediction import Mistake, any_of, prediction


def types_of_the_results():
    """The brackets of each type, asked of JAX."""
    placed = probe.placing({"x": 4, "y": 2}, ["x", None], [None, "y"], explicit=True)
    operations = {
        "jnp.sin(a)": lambda a, b: jnp.sin(a),
        "a.T": lambda a, b: a.T,
        "a @ b": lambda a, b: a @ b,
        "(a @ b).sum(axis=0)": lambda a, b: (a @ b).sum(axis=0),
        "(a @ b).T": lambda a, b: (a @ b).T,
        "a.T @ a": lambda a, b: a.T @ a,
        "b.sum(axis=0)": lambda a, b: b.sum(axis=0),
    }
    a, b = np.ones((8, 16), np.float32), np.ones((16, 8), np.float32)
    found = {}
    for name, operation in operations.items():
        try:
            result = probe.on_mesh(operation, placed, a, b)
        except Exception as error:
            if "Sharding" not in type(error).__name__:
                raise
            found[name] = "refused"
        else:
            found[name] = str(jax.typeof(result)).removeprefix("float32[").removesuffix("]")
    return found


predict_the_type = prediction(
    "predict-the-type",
    see="explicit-axes",
    hint=[
        "Follow each axis of the array. What becomes of it, and does its cut go along?",
        "An axis that is summed over disappears with its cut. Two sides cut along the sum leave a question open.",
    ],
    also={"a.T @ a": "Refused"},
    truth=types_of_the_results,
    mistakes=[
        Mistake(
            "transpose-keeps-its-place",
            [{"a.T": any_of("8@x,16", "16@x,8")}, {"(a @ b).T": "8@x,8@y"}],
            "You left the cut in its place. It belongs to an axis of the array, so it goes along if `.T` moves that "
            "axis.",
        ),
        Mistake(
            "cut-lost",
            [
                {"jnp.sin(a)": "8,16"},
                {"a @ b": any_of("8,8", "8@x,8", "8,8@y")},
                {"b.sum(axis=0)": "8"},
                {"(a @ b).sum(axis=0)": "8"},
            ],
            "You lost the cut of an axis that stays. JAX gathers nothing that you didn't ask for.",
        ),
        Mistake(
            "wrong-axis-summed",
            [{"(a @ b).sum(axis=0)": "8@x"}, {"b.sum(axis=0)": "16"}],
            "You kept axis 0. It is summed over and disappears, with its cut if it has one. The other axis stays.",
        ),
        Mistake(
            "ambiguous-product",
            {"a.T @ a": any_of("16,16", "8,8", "16@x,16", "16,16@x", "16@x,16@x")},
            "Both sides are cut along the axis that is summed over. Copies or pieces? Explicit axes make you say it.",
        ),
        Mistake(
            "refused-for-nothing",
            [{"a @ b": "refused"}, {"b.sum(axis=0)": "refused"}, {"(a @ b).sum(axis=0)": "refused"}],
            "You expected a refusal. This result can have only one layout, so nothing is ambiguous.",
        ),
    ],
    otherwise="Follow each axis through the operation.",
)
