"""Answers to rows-over-all."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import right, wrong


@right("rows-over-all")
def through_a_flat_mesh(mesh, x):
    flat = jax.sharding.Mesh(mesh.devices.flatten(), ("all",))
    return jax.device_put(jnp.asarray(x), NamedSharding(flat, P("all")))


@right("rows-over-all")
def compiled_and_placed(mesh, x):
    sharding = NamedSharding(mesh, P(tuple(mesh.shape), *[None] * (x.ndim - 1)))
    return jax.jit(lambda x: x, out_shardings=sharding)(x)


@wrong("rows-over-all", "other-dtype")
def makes_float32_of_all(mesh, x):
    return jax.device_put(np.asarray(x, np.float32), NamedSharding(mesh, P(mesh.axis_names)))


@wrong("rows-over-all", "name-for-each-axis")
def spreads_the_names_over_the_axes(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P(*mesh.axis_names)))


@wrong("rows-over-all", "other-cut")
def takes_the_first_name(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P(mesh.axis_names[0])))


@wrong("rows-over-all", "other-order")
def reverses_the_names(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P(mesh.axis_names[::-1])))


@wrong("rows-over-all", "layout-refused")
def always_says_x(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P("x")))


@wrong("rows-over-all", "copies")
def makes_copies(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P()))


@wrong("rows-over-all", "not-on-mesh")
def leaves_it_on_one_device(mesh, x):
    return jnp.asarray(x)


@wrong("rows-over-all", "order-of-numbers")
def sorts_the_devices(mesh, x):
    devices = sorted(mesh.devices.flat, key=lambda device: device.id)
    ordered = jax.sharding.Mesh(np.reshape(devices, mesh.devices.shape), mesh.axis_names)
    return jax.device_put(x, NamedSharding(ordered, P(mesh.axis_names)))


@wrong("rows-over-all", "not-on-mesh")
def takes_all_devices_there_are(mesh, x):
    flat = jax.sharding.Mesh(np.array(jax.devices()), ("all",))
    return jax.device_put(x, NamedSharding(flat, P("all")))


@wrong("rows-over-all", "other-axis")
def cuts_the_last_axis(mesh, x):
    last = NamedSharding(mesh, P(*[None] * (x.ndim - 1), mesh.axis_names))
    return jax.device_put(x, last if x.shape[-1] % mesh.size == 0 else NamedSharding(mesh, P(mesh.axis_names)))


@wrong("rows-over-all", "wrong-value")
def deals_rows_in_turn(mesh, x):
    x = np.concatenate([x[start :: mesh.size] for start in range(mesh.size)])
    return jax.device_put(x, NamedSharding(mesh, P(mesh.axis_names)))


@wrong("rows-over-all", "ValueError")
def knows_how_many_names_there_are(mesh, x):
    first, second = mesh.axis_names
    return jax.device_put(x, NamedSharding(mesh, P((first, second))))


@wrong("rows-over-all", "ValueError")
def gives_a_spec_without_its_mesh(mesh, x):
    return jax.device_put(x, P(mesh.axis_names))


@wrong("rows-over-all", "layout-refused")
def thinks_of_matrices(mesh, x):
    return jax.device_put(x, NamedSharding(mesh, P(mesh.axis_names, None)))


@wrong("rows-over-all", "other-shape")
def adds_an_axis_of_devices(mesh, x):
    return jax.device_put(x.reshape(mesh.size, -1, *x.shape[1:]), NamedSharding(mesh, P(mesh.axis_names)))


@wrong("rows-over-all", "not-on-mesh")
def returns_nothing(mesh, x):
    jax.device_put(x, NamedSharding(mesh, P(mesh.axis_names)))


@right("rows-over-all")
def constrains_on_auto_axes(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.asarray(x), NamedSharding(mesh, P(mesh.axis_names)))


@right("rows-over-all")
def reshards_what_is_placed(mesh, x):
    copies = jax.device_put(x, NamedSharding(mesh, P()))
    return jax.sharding.reshard(copies, NamedSharding(mesh, P(mesh.axis_names)))


@wrong("rows-over-all", "other-order")
def reshards_in_the_other_order(mesh, x):
    copies = jax.device_put(x, NamedSharding(mesh, P()))
    return jax.sharding.reshard(copies, NamedSharding(mesh, P(mesh.axis_names[::-1])))


@wrong("rows-over-all", "copies")
def constrains_to_copies(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.asarray(x), NamedSharding(mesh, P()))


@wrong("rows-over-all", "other-cut")
def reshards_by_the_last_name(mesh, x):
    copies = jax.device_put(x, NamedSharding(mesh, P()))
    return jax.sharding.reshard(copies, NamedSharding(mesh, P(mesh.axis_names[-1])))


@wrong("rows-over-all", "copies")
def reshards_and_drops_it(mesh, x):
    copies = jax.device_put(x, NamedSharding(mesh, P()))
    jax.sharding.reshard(copies, NamedSharding(mesh, P(mesh.axis_names)))
    return copies
