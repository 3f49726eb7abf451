"""Answers to product-in-blocks."""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import equivalent, right, wrong


@right("product-in-blocks")
def the_other_way_round(mesh, a, b):
    return [
        jax.device_put(jnp.asarray(a), NamedSharding(mesh, P("y"))),
        jax.device_put(jnp.asarray(b), NamedSharding(mesh, P(None, "x"))),
    ]


@wrong("product-in-blocks", "cut-the-sum")
def cuts_the_inner_axis(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P(None, "x"))), jax.device_put(b, NamedSharding(mesh, P("x", None)))


@wrong("product-in-blocks", "cut-the-sum")
def cuts_both_axes_of_both(mesh, a, b):
    return tuple(jax.device_put(array, NamedSharding(mesh, P("y", "x"))) for array in (a, b))


@wrong("product-in-blocks", "must-fetch")
def rows_and_columns_over_the_same_axis(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x", None))), jax.device_put(b, NamedSharding(mesh, P(None, "x")))


@wrong("product-in-blocks", "cut-the-sum")
def rows_of_both(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x"))), jax.device_put(b, NamedSharding(mesh, P("y")))


@wrong("product-in-blocks", "holds-a-whole")
def copies_the_second(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P(("x", "y")))), jax.device_put(b, NamedSharding(mesh, P()))


@wrong("product-in-blocks", "holds-a-whole")
def copies_both(mesh, a, b):
    return tuple(jax.device_put(array, NamedSharding(mesh, P())) for array in (a, b))


@wrong("product-in-blocks", "not-on-mesh")
def leaves_the_second_in_numpy(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x"))), b


@wrong("product-in-blocks", "not-a-tuple")
def multiplies_already(mesh, a, b):
    return jax.device_put(a @ b, NamedSharding(mesh, P("x", "y")))


@wrong("product-in-blocks", "work-repeated")
def leaves_some_devices_to_repeat(mesh, a, b):
    devices = list(mesh.devices.flat)
    cube = jax.make_mesh((2, 2, mesh.size // 4), ("x", "y", "z"), (AxisType.Auto,) * 3, devices=devices)
    return jax.device_put(a, NamedSharding(cube, P("x"))), jax.device_put(b, NamedSharding(cube, P(None, "y")))


@wrong("product-in-blocks", "layout-refused")
def names_axes_that_are_not_there(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("rows"))), jax.device_put(b, NamedSharding(mesh, P(None, "columns")))


@wrong("product-in-blocks", "other-numbers")
def transposes_the_second(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x"))), jax.device_put(b.T, NamedSharding(mesh, P("y")))


@wrong("product-in-blocks", "ValueError")
def takes_three_sides_from_one_matrix(mesh, a, b):
    n, k, m = a.shape
    return jax.device_put(a, NamedSharding(mesh, P("x"))), jax.device_put(b, NamedSharding(mesh, P(None, "y")))


@right("product-in-blocks")
def constrains_on_auto_axes(mesh, a, b):
    return (
        jax.lax.with_sharding_constraint(jnp.asarray(a), NamedSharding(mesh, P("x"))),
        jax.lax.with_sharding_constraint(jnp.asarray(b), NamedSharding(mesh, P(None, "y"))),
    )


@right("product-in-blocks")
def transposes_and_turns_back(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x"))), jax.device_put(b.T, NamedSharding(mesh, P("y"))).T


@wrong("product-in-blocks", "must-fetch")
def cuts_rows_and_columns_over_y(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("y"))), jax.device_put(b, NamedSharding(mesh, P(None, "y")))


@wrong("product-in-blocks", "cut-the-sum")
def multiplies_rows_by_rows(mesh, a, b):
    return tuple(jax.device_put(array, NamedSharding(mesh, P("x"))) for array in (a, b))


@wrong("product-in-blocks", "holds-a-whole")
def reshards_the_first_to_copies(mesh, a, b):
    a = jax.sharding.reshard(jax.device_put(a, NamedSharding(mesh, P("x"))), NamedSharding(mesh, P()))
    return a, jax.device_put(b, NamedSharding(mesh, P(None, ("x", "y"))))


@wrong("product-in-blocks", "cut-the-sum")
def cuts_the_second_by_both(mesh, a, b):
    return jax.device_put(a, NamedSharding(mesh, P("x"))), jax.device_put(b, NamedSharding(mesh, P("y", "x")))


equivalents = [
    equivalent("product-in-blocks", "`P('x', None)`  ->  `P('x')`", "an axis that a spec leaves out is whole"),
]
