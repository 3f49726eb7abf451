"""Answers to place-network."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong


@right("place-network")
def from_jax_arrays(mesh, x, w1, w2):
    def put(array, *spec):
        return jax.device_put(jnp.asarray(array), NamedSharding(mesh, P(*spec)))

    return [put(x, "data"), put(w1, None, "model"), put(w2, "model")]


def placed_by(*specs):
    """An answer that places its arrays by these specs."""

    def place(mesh, *arrays):
        return tuple(
            jax.device_put(array, NamedSharding(mesh, P(*spec))) for array, spec in zip(arrays, specs, strict=True)
        )

    return place


columns_twice = wrong("place-network", "layers-do-not-match")(placed_by(["data"], [None, "model"], [None, "model"]))


rows_twice = wrong("place-network", "layers-do-not-match")(placed_by(["data"], ["model"], ["model"]))


rows_then_columns = wrong("place-network", "layers-do-not-match")(placed_by(["data"], ["model"], [None, "model"]))


weights_are_copies = wrong("place-network", "weights-copied")(placed_by(["data"], [], []))


last_weights_are_copies = wrong("place-network", "weights-copied")(placed_by(["data"], [None, "model"], []))


batch_over_both = wrong("place-network", "batch-not-over-data")(
    placed_by([["data", "model"]], [None, "model"], ["model"])
)


batch_is_a_copy = wrong("place-network", "batch-not-over-data")(placed_by([], [None, "model"], ["model"]))


weights_over_both = wrong("place-network", "weights-over-data")(
    placed_by(["data"], ["data", "model"], ["model", "data"])
)


weights_over_the_batch = wrong("place-network", "weights-over-data")(placed_by(["data"], [None, "data"], ["data"]))


@wrong("place-network", "not-on-mesh")
def places_the_weights_only(mesh, x, w1, w2):
    w1 = jax.device_put(w1, NamedSharding(mesh, P(None, "model")))
    return x, w1, jax.device_put(w2, NamedSharding(mesh, P("model")))


@wrong("place-network", "not-a-tuple")
def runs_it_already(mesh, x, w1, w2):
    return jax.device_put(np.maximum(x @ w1, 0) @ w2, NamedSharding(mesh, P("data")))


@wrong("place-network", "other-numbers")
def transposes_the_weights(mesh, x, w1, w2):
    x = jax.device_put(x, NamedSharding(mesh, P("data")))
    return x, jax.device_put(w1.T, NamedSharding(mesh, P("model"))), jax.device_put(w2, NamedSharding(mesh, P("model")))


axes_are_misnamed = wrong("place-network", "layout-refused")(placed_by(["x"], [None, "y"], ["y"]))


@wrong("place-network", "ValueError")
def gives_specs_without_their_mesh(mesh, x, w1, w2):
    return jax.device_put(x, P("data")), jax.device_put(w1, P(None, "model")), jax.device_put(w2, P("model"))


@right("place-network")
def reshards_on_explicit_axes(mesh, x, w1, w2):
    copies = jax.device_put((x, w1, w2), NamedSharding(mesh, P()))
    specs = P("data"), P(None, "model"), P("model")
    return tuple(
        jax.sharding.reshard(array, NamedSharding(mesh, spec)) for array, spec in zip(copies, specs, strict=True)
    )


@wrong("place-network", "weights-copied")
def reshards_the_batch_only(mesh, x, w1, w2):
    x, w1, w2 = jax.device_put((x, w1, w2), NamedSharding(mesh, P()))
    return jax.sharding.reshard(x, NamedSharding(mesh, P("data"))), w1, w2


equivalents = [
    equivalent("place-network", "`P('data', None)`  ->  `P('data')`", "an axis that a spec leaves out is whole"),
    equivalent("place-network", "`P('model', None)`  ->  `P('model')`", "an axis that a spec leaves out is whole"),
]
