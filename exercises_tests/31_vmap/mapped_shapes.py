"""mapped-shapes."""

import jax
import jax.numpy as jnp

from jaxcourse.prediction import Mistake, any_of, prediction


def true_shapes():
    """The seven shapes, asked of JAX."""
    vmap, a, b = jax.vmap, jnp.ones((2, 3)), jnp.ones((4, 3))
    results = {
        "vmap(jnp.sum)(b)": vmap(jnp.sum)(b),
        "vmap(jnp.cumsum, in_axes=1)(a)": vmap(jnp.cumsum, in_axes=1)(a),
        "vmap(jnp.cumsum, in_axes=1, out_axes=1)(a)": vmap(jnp.cumsum, in_axes=1, out_axes=1)(a),
        "vmap(jnp.subtract, in_axes=(None, 0))(a, b)": vmap(jnp.subtract, in_axes=(None, 0))(a, b),
        "vmap(jnp.subtract, in_axes=(None, 0), out_axes=-1)(a, b)": vmap(jnp.subtract, in_axes=(None, 0), out_axes=-1)(
            a, b
        ),
        "vmap(vmap(jnp.dot, (None, 0)), (0, None))(a, b)": vmap(vmap(jnp.dot, (None, 0)), (0, None))(a, b),
        "vmap(vmap(jnp.dot, (0, None)), (None, 0))(a, b)": vmap(vmap(jnp.dot, (0, None)), (None, 0))(a, b),
    }
    return {name: result.shape for name, result in results.items()}


mapped_shapes = prediction(
    "mapped-shapes",
    see="in-axes",
    hint=[
        "Strike out the mapped axis to get what one call sees. Then put its length back at `out_axes`, by default 0.",
        "The axis of the outer `vmap` is struck out first. Its length comes back last, in front.",
    ],
    truth=true_shapes,
    mistakes=[
        Mistake(
            "batch-stays",
            {"vmap(jnp.cumsum, in_axes=1)(a)": (2, 3)},
            "You left the calls at axis 1. `in_axes=1` takes that axis away, and `out_axes`, which is 0, puts it "
            "back in front.",
        ),
        Mistake(
            "out-axes-ignored",
            [
                {"vmap(jnp.cumsum, in_axes=1, out_axes=1)(a)": (3, 2)},
                {"vmap(jnp.subtract, in_axes=(None, 0), out_axes=-1)(a, b)": (4, 2, 3)},
            ],
            "You put the calls in front. `out_axes` says where they come in the result, and here it is not 0.",
        ),
        Mistake(
            "before-the-last",
            {"vmap(jnp.subtract, in_axes=(None, 0), out_axes=-1)(a, b)": (2, 4, 3)},
            "You put the calls in front of the last axis. `-1` is the last axis of the whole result itself.",
        ),
        Mistake(
            "shared-was-mapped",
            {"vmap(jnp.subtract, in_axes=(None, 0))(a, b)": any_of((4, 3), (2, 3), (2, 4, 3), (4, 2))},
            "`None` shares all of `a`, so one call sees its two rows and one row of `b`. There are four calls.",
        ),
        Mistake(
            "batch-lost",
            {"vmap(jnp.sum)(b)": any_of((), (3,), (1,), (4, 1))},
            "One call sees a row of three and returns a number. There is one call for each of the four rows.",
        ),
        Mistake(
            "nested-the-other-way",
            [
                {"vmap(vmap(jnp.dot, (None, 0)), (0, None))(a, b)": (4, 2)},
                {"vmap(vmap(jnp.dot, (0, None)), (None, 0))(a, b)": (2, 4)},
            ],
            "The outer `vmap` makes the leading axis. With `(0, None)` it goes over the rows of `a`, and with "
            "`(None, 0)` over those of `b`.",
        ),
    ],
    otherwise="Strike out what is mapped, work out one call, and put the length back at `out_axes`.",
)
