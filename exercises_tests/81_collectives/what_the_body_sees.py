"""what-the-body-sees."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from jaxcourse.prediction import Mistake, prediction

from ._lesson import mapped


def shapes_in_and_out():
    """The six shapes, from JAX."""
    mesh = jax.make_mesh((4, 2), ("a", "b"), (AxisType.Auto,) * 2, devices=jax.devices()[:8])
    seen = []

    def look(x):
        seen.append(x.shape)
        return x

    for spec in (P("a"), P(None, "b"), P("a", "b"), P(("a", "b"))):
        jax.eval_shape(mapped(mesh, look, spec, spec), np.zeros((16, 12), np.float32))
    for spec in (P("a", "b"), P(None, "a")):
        like = mapped(mesh, lambda x: jnp.zeros((2, 3)) + 0 * x[0, 0], P("a"), spec, check_vma=False)
        seen.append(jax.eval_shape(like, np.zeros((16, 12), np.float32)).shape)
    keys = ['in P("a")', 'in P(None, "b")', 'in P("a", "b")', 'in P(("a", "b"))', 'out P("a", "b")', 'out P(None, "a")']
    return dict(zip(keys, seen, strict=True))


what_the_body_sees = prediction(
    "what-the-body-sees",
    see="one-body",
    hint=[
        "The first entry of a spec is for the rows, the second for the columns.",
        "On the way in, divide by the number of devices with that name. On the way out, multiply.",
    ],
    truth=shapes_in_and_out,
    mistakes=[
        Mistake("sees-the-whole", {'in P("a")': (16, 12)},
                "The body sees its block, not the whole array: the 16 rows are dealt out to the 4 devices of `a`."),
        Mistake("all-devices-divide", {'in P("a")': (2, 12)},
                "`P(\"a\")` names one axis of the mesh. Along the other one, the two devices have copies."),
        Mistake("axes-swapped", [{'in P("a")': (16, 3)}, {'in P(None, "b")': (8, 12)}],
                "The first entry of a spec is for the first axis of the array, and `None` leaves that one whole."),
        Mistake("tuple-is-two-entries", {'in P(("a", "b"))': (4, 6)},
                "The inner brackets matter: both names are in *one* entry, so both divide the rows."),
        Mistake("out-divides", [{'out P("a", "b")': (2, 3)}, {'out P(None, "a")': (2, 3)}],
                "`out_specs` puts blocks together: the result is larger than a block."),
        Mistake("every-device-adds", {'out P(None, "a")': (2, 24)},
                "Only the 4 devices of `a` lie beside each other; along `b` the blocks are taken to be copies."),
    ],
    otherwise="Go through the spec entry by entry.",
)  # fmt: skip
