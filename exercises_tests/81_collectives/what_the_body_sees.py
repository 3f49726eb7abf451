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
        "Which axis does each entry split? The first entry of a spec is for the rows, the second for the columns.",
        "On the way in, divide by the number of devices with that name. On the way out, multiply.",
    ],
    truth=shapes_in_and_out,
    mistakes=[
        Mistake("sees-the-whole", {'in P("a")': (16, 12)},
                "You gave the whole array. The body sees its block: the 16 rows are split over the 4 devices of `a`."),
        Mistake("all-devices-divide", {'in P("a")': (2, 12)},
                "You divided by all devices. `P(\"a\")` names one axis of the mesh, and along the other the devices "
                "have copies."),
        Mistake("axes-swapped", [{'in P("a")': (16, 3)}, {'in P(None, "b")': (8, 12)}],
                "You swapped the axes. The first entry of a spec is for the first axis of the array, and `None` "
                "leaves it whole."),
        Mistake("tuple-is-two-entries", {'in P(("a", "b"))': (4, 6)},
                "You took the names for two entries. The inner brackets make them *one*, so both divide the rows."),
        Mistake("out-divides", [{'out P("a", "b")': (2, 3)}, {'out P(None, "a")': (2, 3)}],
                "You gave the block. `out_specs` puts blocks together, so the result is larger."),
        Mistake("every-device-adds", {'out P(None, "a")': (2, 24)},
                "You counted 8 blocks. Only those of the 4 devices of `a` are joined, and along `b` they are taken "
                "to be copies."),
    ],
    otherwise="Go through the spec entry by entry.",
)  # fmt: skip
