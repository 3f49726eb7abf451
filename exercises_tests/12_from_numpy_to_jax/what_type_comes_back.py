"""what-type-comes-back."""

import operator

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, anything_else, prediction


def owner(expression):
    """Whose object an expression gives."""
    try:
        result = expression()
    except TypeError:
        return "error"
    return "jax" if isinstance(result, jax.Array) else "numpy"


def owners():
    """Whose object each of the expressions gives, asked of both libraries."""
    n, v = np.arange(3.0), jnp.arange(3.0)
    expressions = {
        "jnp.exp(n)": lambda: jnp.exp(n),
        "np.exp(v)": lambda: np.exp(v),
        "np.cumsum(v)": lambda: np.cumsum(v),
        "n @ v": lambda: n @ v,
        "np.maximum(n, v)": lambda: np.maximum(n, v),
        "n.max() * v": lambda: n.max() * v,
        "v[0]": lambda: v[0],
        "n += v": lambda: operator.iadd(n.copy(), v),
    }
    return {name: owner(expression) for name, expression in expressions.items()}


what_type_comes_back = prediction(
    "what-type-comes-back",
    see="what-comes-back",
    hint=[
        "Which of the four ways is it: `jnp`, a ufunc, another function, or an operator?",
        "`np.maximum` is a ufunc, `np.cumsum` is not.",
    ],
    choices=["numpy", "jax", "error"],
    mistakes=[
        Mistake(
            "nothing-mixes",
            {"jnp.exp(n)": "error", "n @ v": "error"},
            "You expected an error. NumPy and JAX arrays may meet: each library takes the other's.",
        ),
        Mistake(
            "ufunc-stays-in-jax",
            {"np.exp(v)": anything_else()},
            "You didn't expect a NumPy array. `np.exp` is a ufunc: it asks `v` for its numbers, computes on the host, "
            "and returns its own array.",
        ),
        Mistake(
            "method-overlooked",
            {"np.cumsum(v)": anything_else()},
            "You didn't expect a JAX array. `np.cumsum` is no ufunc: it finds the method `v.cumsum`, and leaves the "
            "work to it.",
        ),
        Mistake(
            "operator-gives-numpy",
            {"n @ v": anything_else()},
            "You didn't expect a JAX array. `@` is an operator, as `+` is: Python asks both arrays, and NumPy's gives "
            "way.",
        ),
        Mistake(
            "ufunc-like-operator",
            {"np.maximum(n, v)": anything_else()},
            "You didn't expect a NumPy array. `np.maximum` is a ufunc and no operator: it computes in NumPy, whatever "
            "it meets.",
        ),
        Mistake(
            "scalar-of-numpy",
            {"n.max() * v": anything_else()},
            "You didn't expect a JAX array. `*` is an operator, and the NumPy scalar `n.max()` gives way to JAX, as "
            "an array does.",
        ),
        Mistake(
            "element-of-numpy",
            {"v[0]": anything_else()},
            "You didn't expect a JAX array. An element of one is also one, without an axis, and nothing leaves the "
            "device.",
        ),
        Mistake(
            "written-in-place",
            {"n += v": anything_else()},
            "You didn't expect a JAX array. NumPy gives way here as well: it writes nothing, and `n` becomes the name "
            "of a JAX array.",
        ),
    ],
    otherwise="Try `type(...)` of the result.",
    truth=owners,
)
