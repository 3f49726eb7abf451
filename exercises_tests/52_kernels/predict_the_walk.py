"""predict-the-walk."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jaxcourse import insides
from jaxcourse.prediction import Mistake, any_of, prediction


def walks():
    """What JAX says of the call of the task."""

    def call(x, w):
        def kernel(x_ref, w_ref, y_ref, t_ref):
            y_ref[...] = x_ref[...] * w_ref[...][:, None]
            t_ref[...] += x_ref[...].sum(1)

        tile = pl.BlockSpec((3, 4), lambda i, j: (i, j))
        rows = pl.BlockSpec((3,), lambda i, j: (i,))
        shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct(w.shape, w.dtype)]
        return pl.pallas_call(
            kernel, shapes, grid=(2, 3), in_specs=[tile, rows], out_specs=[tile, rows], interpret=True
        )(x, w)

    x, w = jnp.zeros((6, 10)), jnp.zeros(6)
    found = insides.blocks(call, x, w)
    (tiles, rows), (moved, totals) = found.inputs, found.outputs
    step = 4
    return {
        "(i, j) at step 4": (step // found.grid[1], step % found.grid[1]),
        "first element of x at step 4": tuple(tiles.starts[step].tolist()),
        "bytes of x fetched": tiles.moved_bytes,
        "blocks of w fetched": int(rows.moves.sum()),
        "y, steps in any order": not moved.shared,
        "totals, steps in any order": not totals.shared,
    }


predict_the_walk = prediction(
    "predict-the-walk",
    see="results-that-stay",
    hint=[
        "Write down `(i, j)` for all six steps. Which one changes at each step?",
        "An index map returns numbers of blocks. How many elements is a block along each axis?",
        "Along the second axis of `x`, three blocks of 4 begin at 0, 4 and 8. How many elements of the last one exist?",
    ],
    mistakes=[
        Mistake(
            "first-axis-fastest",
            {"(i, j) at step 4": (0, 2)},
            "You let `i` change at each step. As in nested loops, the last axis of the grid is the inner one.",
        ),
        Mistake(
            "blocks-for-elements",
            {"first element of x at step 4": (1, 1)},
            "You gave the block's number. Its first element is that number times the block's size, along each axis.",
        ),
        Mistake(
            "overhang-moved",
            {"bytes of x fetched": 6 * 3 * 4 * 4},
            "You counted six whole blocks. Two of them hang over, and what lies beyond the end isn't moved.",
        ),
        Mistake(
            "elements-counted",
            {"bytes of x fetched": any_of(60, 72)},
            "You counted elements. A `float32` has 4 bytes.",
        ),
        Mistake(
            "stays-counted",
            {"blocks of w fetched": 6},
            "You counted a block of `w` at each step. While `j` runs, the block is the same, and stays where it is.",
        ),
        Mistake(
            "race-unseen",
            {"totals, steps in any order": True},
            "Three steps share a block of totals. If they run at once, each reads it before the others have written.",
        ),
        Mistake(
            "race-imagined",
            {"y, steps in any order": False},
            "Each block of `y` belongs to one step, so no step depends on another one.",
        ),
    ],
    otherwise="Write down for each step what the maps return.",
    truth=walks,
)
