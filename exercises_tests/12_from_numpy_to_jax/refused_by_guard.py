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
    g = jax.jit(lambda x: x + n)
    expressions = {
        "f(2.0)": lambda: f(2.0),
        "f(jax.device_put(2.0))": lambda: f(jax.device_put(2.0)),
        "g(v)": lambda: g(v),
        "v * v.sum()": lambda: v * v.sum(),
        "v[0]": lambda: v[0],
        "jnp.zeros(3)": lambda: jnp.zeros(3),
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
            {"g(v)": True},
            "You let `n` travel. It is part of the compiled program, so it is on the device, as `v` is.",
        ),
        Mistake(
            "jit-is-a-transfer",
            {"f(2.0)": False},
            "You let a Python number pass. It has to travel to the program, and no `device_put` says so.",
        ),
        Mistake(
            "written-transfer-refused",
            {"f(jax.device_put(2.0))": True},
            "You had the guard refuse `jax.device_put`. That is a transfer on purpose, and those are allowed.",
        ),
        Mistake(
            "results-travel",
            {"v * v.sum()": True},
            "You let `v.sum()` travel. It is a JAX array of one number, and stays on the device: Python never sees it.",
        ),
        Mistake(
            "places-are-free",
            {"v[0]": False},
            "You let the index 0 pass. Outside `jit` it is an argument of the program that reads, and it travels each "
            "time.",
        ),
        Mistake(
            "made-on-the-device",
            {"jnp.zeros(3)": False},
            "You let the 0 pass. JAX makes the array on the device, but the 0 that fills it is a Python number, and "
            "that travels.",
        ),
    ],
    otherwise="Which number of it is not on the device yet?",
    truth=refusals,
)
