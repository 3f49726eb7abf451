"""predict-retrace."""

import functools

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, prediction


def retraced():
    """Whether each of the calls is traced, in this order, asked of JAX."""
    traces = []

    @functools.partial(jax.jit, static_argnames="mode")
    def f(x, mode=None):
        traces.append(mode)
        return jax.tree.map(lambda leaf: 2 * leaf, x)

    calls = [
        "f(1.0)",
        "f(2.0)",
        "f(np.float32(1))",
        "f(jnp.float32(2))",
        "f(jnp.ones(3))",
        "f(np.ones(3))",
        "f(1)",
        "f(True)",
        "f((1.0, 2.0))",
        "f([1.0, 2.0])",
        "f({'a': 1.0, 'b': 2.0})",
        "f({'b': 1.0, 'a': 2.0})",
        "f({'a': 1.0, 'c': 2.0})",
        "f(1.0, mode=2)",
        "f(3.0, mode=2)",
        "f(1.0, mode=3)",
    ]
    found = {}
    for call in calls:
        before = len(traces)
        eval(call, {"f": f, "np": np, "jnp": jnp})
        found[call] = len(traces) > before
    return found


predict_retrace = prediction(
    "predict-retrace",
    points=2,
    see="cache-key",
    hint=[
        "Which calls share a key? Write it beside each: shape, dtype, weak or not, structure, static values.",
        "`jax.typeof(...)` shows a type; a `~` stands for weak.",
    ],
    truth=retraced,
    mistakes=[
        Mistake(
            "asked-for-values",
            [{"f(2.0)": True}, {"f(3.0, mode=2)": True}],
            "You expect a trace for a new number of a known type. The cache is never asked for the values of arrays.",
        ),
        Mistake(
            "weak-type-ignored",
            {"f(np.float32(1))": False},
            "You gave both numbers one key. A Python number has a weak type, and `np.float32(1)` has not.",
        ),
        Mistake(
            "numpy-is-another-type",
            [{"f(jnp.float32(2))": True}, {"f(np.ones(3))": True}],
            "You gave NumPy and JAX two keys. Their `float32` scalars have the same type, and `float64` becomes "
            "`float32` first.",
        ),
        Mistake(
            "order-of-keys",
            {"f({'b': 1.0, 'a': 2.0})": True},
            "You counted the order of the keys. JAX sorts them first.",
        ),
        Mistake(
            "structure-ignored",
            [{"f([1.0, 2.0])": False}, {"f({'a': 1.0, 'c': 2.0})": False}],
            "You left out the structure, which is part of the key: tuple or list, and the names of keys.",
        ),
        Mistake(
            "static-ignored",
            [{"f(1.0, mode=2)": False}, {"f(1.0, mode=3)": False}],
            "You left out `mode`. The value of a static argument is part of the key: each new one is another program.",
            see="static-arguments",
        ),
        Mistake(
            "dtype-ignored",
            [{"f(1)": False}, {"f(True)": False}],
            "You left out the dtype, which is part of the key: `1.0`, `1` and `True` have three.",
        ),
    ],
    otherwise="Has there been a call with the same key above: types, structure and static value?",
)
