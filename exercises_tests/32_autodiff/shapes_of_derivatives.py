"""shapes-of-derivatives."""

import jax
import jax.numpy as jnp

from jaxcourse.prediction import Mistake, any_of, prediction


def true_shapes():
    """The shapes, asked of JAX."""
    w, p = jnp.ones(3), {"a": jnp.ones(2), "b": jnp.ones(4)}

    def f(w):
        return jnp.sin(w).prod()

    def g(w):
        return jnp.sin(jnp.ones((5, 3)) @ w)

    def loss(p):
        return p["a"].prod() * p["b"].prod()

    return {
        "jax.grad(f)(w)": jax.grad(f)(w).shape,
        "jax.hessian(f)(w)": jax.hessian(f)(w).shape,
        "jax.jacrev(g)(w)": jax.jacrev(g)(w).shape,
        "jax.jvp(g, (w,), (w,))[1]": jax.jvp(g, (w,), (w,))[1].shape,
        "jax.vjp(g, w)[1](g(w))[0]": jax.vjp(g, w)[1](g(w))[0].shape,
        'jax.grad(loss)(p)["a"]': jax.grad(loss)(p)["a"].shape,
        'jax.hessian(loss)(p)["a"]["b"]': jax.hessian(loss)(p)["a"]["b"].shape,
        "jax.hessian(g)(w)": jax.hessian(g)(w).shape,
    }


shapes_of_derivatives = prediction(
    "shapes-of-derivatives",
    see="push-and-pull",
    hint=[
        "Which axes does a derivative have? First those of the function's result, then those of its argument.",
        "`jvp` and `vjp` do not return a Jacobian. They return its product with a vector.",
    ],
    truth=true_shapes,
    mistakes=[
        Mistake(
            "jacobian-transposed",
            {"jax.jacrev(g)(w)": (3, 5)},
            "You swapped rows and columns. Rows are results and columns are arguments, in whichever direction JAX "
            "computes the Jacobian.",
        ),
        Mistake(
            "jacobian-for-a-product",
            [
                {"jax.jvp(g, (w,), (w,))[1]": any_of((5, 3), (3, 5))},
                {"jax.vjp(g, w)[1](g(w))[0]": any_of((5, 3), (3, 5))},
            ],
            "You gave the Jacobian's shape. `jvp` and `vjp` multiply by it and never make it: a vector goes in, and a "
            "vector comes out.",
        ),
        Mistake(
            "tuple-counted",
            [{"jax.vjp(g, w)[1](g(w))[0]": any_of((1, 3), ())}],
            "You gave another shape than the entry's. `vjp` gives a tuple with an entry for each argument, and `[0]` "
            "takes one out.",
        ),
        Mistake(
            "directions-swapped",
            [{"jax.jvp(g, (w,), (w,))[1]": (3,)}, {"jax.vjp(g, w)[1](g(w))[0]": (5,)}],
            "You swapped the directions. `jvp` takes a tangent from argument to result, `vjp` a cotangent from result "
            "to argument.",
        ),
        Mistake(
            "gradient-of-everything",
            {'jax.grad(loss)(p)["a"]': any_of((6,), (2, 4), ())},
            "You gave another shape than that of `a`. A gradient has the structure of the argument: its entry `a` has "
            "the shape of `a`.",
        ),
        Mistake(
            "blocks-swapped",
            {'jax.hessian(loss)(p)["a"]["b"]': (4, 2)},
            "You put the axes of `b` first. The first key says whose gradient it is, so its axes come first.",
        ),
        Mistake(
            "one-block-for-all",
            {'jax.hessian(loss)(p)["a"]["b"]': any_of((6, 6), (2, 2), (4, 4))},
            "You gave another block, or all. The Hessian of a dictionary is split into blocks, and this one belongs "
            "to `a` and `b`.",
        ),
        Mistake(
            "second-derivative-lost",
            {"jax.hessian(f)(w)": (3,)},
            "You counted each number once. There is a second derivative for each *pair* of numbers in the argument.",
        ),
        Mistake(
            "results-lost",
            {"jax.hessian(g)(w)": any_of((3, 3), (5, 3))},
            "You left out some axes. `g` has five results, and each of them has a matrix of second derivatives.",
        ),
        Mistake(
            "results-last",
            {"jax.hessian(g)(w)": any_of((3, 3, 5), (3, 5, 3))},
            "You put the axes of the result too far back. They come first, and each derivative adds those of the "
            "argument behind them.",
        ),
    ],
    otherwise="First the shape of the result, then that of the argument, once for each derivative.",
)
