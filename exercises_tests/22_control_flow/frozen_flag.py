"""frozen-flag."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.prediction import Mistake, anything_else, prediction


def true_flags():
    """What the calls give after the flag has changed: JAX is asked, Numba (too slow to import here) is known."""
    do_sum = False

    @jax.jit
    def accumulate(x):
        return jnp.sum(x) if do_sum else jnp.prod(x)

    five = np.arange(1.0, 6.0)
    accumulate(five)
    do_sum = True
    return {
        "JAX, the same five": float(accumulate(five)),
        "JAX, five others: 2, 2, 2, 2, 2": float(accumulate(np.full(5, 2.0))),  # that of `jnp` is weakly typed
        "JAX, six elements: 1, 2, 3, 4, 5, 6": float(accumulate(np.arange(1.0, 7.0))),
        "Numba, the same five": 120.0,
        "Numba, six elements: 1, 2, 3, 4, 5, 6": 720.0,
        "Numba, five integers: 1, 2, 3, 4, 5": 15.0,
    }


frozen_flag = prediction(
    "frozen-flag",
    see="two-compilers",
    hint=[
        "When does each compiler look at the flag again? When it compiles again.",
        "JAX compiles for a shape and a dtype. Numba compiles for a dtype and a number of axes.",
    ],
    truth=true_flags,
    mistakes=[
        Mistake(
            "flag-is-read-each-time",
            [{"JAX, the same five": anything_else(15)}, {"Numba, the same five": anything_else(15)}],
            "Both compilers already have a program for these arrays, and read the flag when they made it. So you still "
            "get the product.",
        ),
        Mistake(
            "new-values-compile",
            {"JAX, five others: 2, 2, 2, 2, 2": anything_else(10)},
            "The numbers are new, but not their shape and dtype. So it is the same program, which multiplies.",
        ),
        Mistake(
            "stale-for-ever",
            {"JAX, six elements: 1, 2, 3, 4, 5, 6": anything_else(720)},
            "JAX traces again for a new shape, and then Python finds the flag changed. JAX is *inconsistently* stale.",
        ),
        Mistake(
            "numba-compiles-for-shapes",
            {"Numba, six elements: 1, 2, 3, 4, 5, 6": anything_else(21)},
            "Numba's loops work for any length. So Numba does not compile again, and does not read the flag again.",
        ),
        Mistake(
            "numba-never-compiles-again",
            {"Numba, five integers: 1, 2, 3, 4, 5": anything_else(120)},
            "A new dtype makes Numba compile again, and then it reads the flag.",
        ),
    ],
    otherwise="Which of these calls compile, and so read the flag?",
)
