"""arrays-alive: how many arrays one call holds at once."""

import jax
import jax.numpy as jnp

from jaxcourse import insides
from jaxcourse.prediction import Mistake, any_of, prediction

ONE, GIVEN = "jit(lambda x: x + 1)(x)", "jit(lambda x: x + 1, donate_argnums=0)(x)"
FUSED, EAGER = "jit(lambda x: jnp.sin(x) + jnp.cos(x))(x)", "jnp.sin(x) + jnp.cos(x), without jit"
PRODUCTS = "jit(lambda x: (x @ x) @ x)(x)"


def held(function, count=1, **options):
    """How many arrays like its arguments a compiled call holds, as the compiler counts their bytes."""
    x = jax.ShapeDtypeStruct((256, 256), jnp.float32)
    with insides.as_ever():
        compiled = jax.jit(function, **options).lower(*[x] * count).compile()
    costs = insides.costs(compiled)
    results = 0 if insides.donates(compiled) else costs.results
    return round((costs.arguments + results + costs.temporaries) / (4 * 256**2))


def counted():
    """Each call by itself; without `jit`, the last of three calls, beside `x`, which is no argument of it."""
    return {
        ONE: held(lambda x: x + 1),
        GIVEN: held(lambda x: x + 1, donate_argnums=0),
        FUSED: held(lambda x: jnp.sin(x) + jnp.cos(x)),
        EAGER: 1 + held(lambda sine, cosine: sine + cosine, count=2),
        PRODUCTS: held(lambda x: (x @ x) @ x),
    }


arrays_alive = prediction(
    "arrays-alive",
    see="out-of-memory",
    hint=[
        "The argument, the result, and what is needed in between: which of these share their memory?",
        "Without `jit`, each operation is a program, and its result an array that lives until nobody needs it.",
    ],
    mistakes=[
        Mistake("argument-forgotten", {ONE: 1}, "`x` is still there while the result is written."),
        Mistake("donation-forgotten", {GIVEN: 2}, "`x` is given away, so the result is written into its memory."),
        Mistake(
            "fused-are-arrays",
            {FUSED: any_of(3, 4)},
            "In one fused loop, a sine and a cosine exist for an element at a time, and never as arrays.",
        ),
        Mistake(
            "fused-without-jit",
            {EAGER: 2},
            "Without `jit` nothing is fused: sine and cosine are arrays, and so is the sum.",
        ),
        Mistake(
            "result-forgotten",
            [{EAGER: 3}, {PRODUCTS: 2}],
            "Count `x`, what is made in between, and the result, all at the moment when the last is written.",
        ),
        Mistake(
            "temporaries-kept",
            {PRODUCTS: 4},
            "There is one product in between. With `x` and the result, that makes three.",
        ),
    ],
    otherwise="Count the argument, the result and what is needed in between.",
    truth=counted,
)
