"""refused-by-guard."""

import functools

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, prediction


@functools.cache
def refusals():
    """What the transfer guard refuses, asked of JAX."""
    f = jax.jit(lambda x: 2 * x)
    v, n = jnp.ones(3), np.ones(3, np.float32)
    expressions = {
        "f(v)": lambda: f(v),
        "f(n)": lambda: f(n),
        "f(jax.device_put(n))": lambda: f(jax.device_put(n)),
        "v + v": lambda: v + v,
        "v + 1": lambda: v + 1,
        "v + n": lambda: v + n,
    }
    return {name: is_refused(expression) for name, expression in expressions.items()}


def is_refused(expression):
    """Whether an expression that is compiled already needs a transfer that is not written as one."""
    expression()
    try:
        with jax.transfer_guard("disallow"):
            expression()
    except jax.errors.JaxRuntimeError:
        return True
    return False


refused_by_guard = prediction(
    "refused-by-guard",
    see="where-arrays-live",
    hint=["What is not on the device yet, when the expression begins?", "A Python number is not on the device."],
    mistakes=[
        Mistake(
            "constant-travels",
            {"f(v)": True},
            "`v` is on the device, and so is the 2 inside `f`, as a part of the program.",
        ),
        Mistake(
            "jit-is-a-transfer",
            {"f(n)": False},
            "`n` is NumPy's: it has to travel, and nobody wrote `device_put`.",
        ),
        Mistake(
            "written-transfer-refused",
            {"f(jax.device_put(n))": True},
            "`jax.device_put` is how a transfer is written on purpose, and those are allowed.",
        ),
        Mistake(
            "numbers-are-free",
            {"v + 1": False},
            "Outside `jit` the Python number 1 is an argument of the addition, and it travels each time.",
        ),
    ],
    otherwise="What is not on the device?",
    truth=refusals,
)
