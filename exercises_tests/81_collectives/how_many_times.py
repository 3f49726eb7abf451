"""how-many-times."""

import jax
import numpy as np
from jax import lax
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

from jaxcourse.prediction import Mistake, prediction

from ._lesson import mapped


def measured_on_four():
    """The five ratios, measured on four devices."""
    mesh = jax.make_mesh((4,), ("x",), (AxisType.Auto,), devices=jax.devices()[:4])
    batch, w = np.arange(1, 9, dtype=np.float32), np.float32(1.5)

    def local(w, x):
        return ((w * x - 1) ** 2).mean()

    slope = jax.grad(local)
    bodies = {
        "grad(local)(w)": slope,
        'pmean(grad(local)(w), "x")': lambda w, x: lax.pmean(slope(w, x), "x"),
        'psum(grad(local)(w), "x")': lambda w, x: lax.psum(slope(w, x), "x"),
        'grad(lambda w: pmean(local(w), "x"))(w)': jax.grad(lambda w, x: lax.pmean(local(w, x), "x")),
        'grad(lambda w: psum(local(w), "x"))(w)': jax.grad(lambda w, x: lax.psum(local(w, x), "x")),
    }
    runs = {name: jax.jit(mapped(mesh, body, (P(), P("x")), P()))(w, batch) for name, body in bodies.items()}
    return {name: round(float(run / slope(w, batch)), 3) for name, run in runs.items()}


how_many_times = prediction(
    "how-many-times",
    see="eight-times",
    hint=[
        "The gradient of a replicated argument has been summed over the devices before you see it.",
        "The sum of four local gradients is four times the true one. What do `pmean` and `psum` do to equal numbers?",
    ],
    truth=measured_on_four,
    mistakes=[
        Mistake("average-mends-it", {'pmean(grad(local)(w), "x")': 1},
                "You let `pmean` mend it, as with `pmap`. Here the gradients are already summed and equal, and their "
                "mean changes nothing."),
        Mistake("local-gradient", {"grad(local)(w)": 1},
                "You took the device's own gradient. With the check on, you get one that has been summed over all."),
        Mistake("eight-devices", {"grad(local)(w)": 8},
                "You counted eight devices. The mesh has four here."),
        Mistake("psum-once", {'psum(grad(local)(w), "x")': 4},
                "You counted one sum. The gradients are already summed, and `psum` adds four such sums."),
        Mistake("sum-inside-is-right", {'grad(lambda w: psum(local(w), "x"))(w)': 1},
                "You took the sum for the mean. The sum of four local means is four times it, and so is its gradient."),
        Mistake("mean-inside-too-large", {'grad(lambda w: pmean(local(w), "x"))(w)': 4},
                "You counted a sum here. The mean of four local means *is* that of the batch, so its gradient is "
                "the true one."),
    ],
    otherwise="Count how often something is summed over the devices.",
)  # fmt: skip
