"""Answers to born-split."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import right, wrong


@right("born-split")
def constrains_inside(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(lambda key: jax.lax.with_sharding_constraint(init(key), rows))


@right("born-split")
def leaf_by_leaf(init, mesh):
    like = jax.eval_shape(init, jax.random.key(0))
    rows = jax.tree.map(lambda leaf: NamedSharding(mesh, P("x", *[None] * (leaf.ndim - 1))), like)
    return jax.jit(init, out_shardings=rows)


@right("born-split")
def ahead_of_time(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(init, out_shardings=rows).lower(jax.random.key(0)).compile()


@wrong("born-split", "born-whole")
def only_compiles(init, mesh):
    return jax.jit(init)


@wrong("born-split", "cut-afterwards")
def puts_it_afterwards(init, mesh):
    made = jax.jit(init)
    return lambda key: jax.device_put(made(key), NamedSharding(mesh, P("x")))


@wrong("born-split", "copies")
def puts_it_inside(init, mesh):
    return jax.jit(lambda key: jax.device_put(init(key), NamedSharding(mesh, P("x"))))


@wrong("born-split", "copies")
def asks_for_copies(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P()))


@wrong("born-split", "layout-refused")
def thinks_of_matrices_only(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P("x", None)))


@wrong("born-split", "other-layout")
def cuts_the_columns(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P(None, "x")))


@wrong("born-split", "not-a-function")
def calls_it_already(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P("x")))(jax.random.key(0))


@wrong("born-split", "not-jitted")
def constrains_without_a_program(init, mesh):
    return lambda key: jax.lax.with_sharding_constraint(init(key), NamedSharding(mesh, P("x")))


@wrong("born-split", "not-jitted")
def cuts_in_a_second_program(init, mesh):
    whole, cut = jax.jit(init), jax.jit(lambda made: made, out_shardings=NamedSharding(mesh, P("x")))
    return lambda key: cut(whole(key))


@wrong("born-split", "wrong-value")
def scales_it(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(lambda key: jax.tree.map(lambda leaf: 2 * leaf, init(key)), out_shardings=rows)


@wrong("born-split", "other-structure")
def gives_the_leaves(init, mesh):
    return jax.jit(lambda key: dict(enumerate(jax.tree.leaves(init(key)))), out_shardings=NamedSharding(mesh, P("x")))


@wrong("born-split", "other-dtype")
def born_with_half_the_digits(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(lambda key: jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), init(key)), out_shardings=rows)


@wrong("born-split", "tried-out")
def looks_at_an_example(init, mesh):
    rows = jax.tree.map(lambda leaf: NamedSharding(mesh, P("x")), init(jax.random.key(0)))
    return jax.jit(init, out_shardings=rows)


@wrong("born-split", "layout-refused")
def names_an_axis_that_is_not_there(init, mesh):
    return jax.jit(init, out_shardings=NamedSharding(mesh, P("rows")))


@wrong("born-split", "layout-refused")
def cuts_the_key_too(init, mesh):
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(init, in_shardings=rows, out_shardings=rows)


@wrong("born-split", "layout-refused")
def lists_the_shardings(init, mesh):
    like = jax.tree.leaves(jax.eval_shape(init, jax.random.key(0)))
    rows = NamedSharding(mesh, P("x"))
    return jax.jit(init, out_shardings=[rows for _ in like] if len(like) > 1 else rows)


@wrong("born-split", "ValueError")
def unpacks_the_shape_of_a_matrix(init, mesh):
    rows, columns = jax.eval_shape(init, jax.random.key(0)).shape
    return jax.jit(init, out_shardings=NamedSharding(mesh, P("x", *[None] * (columns > rows))))


@wrong("born-split", "born-whole")
def throws_the_constraint_away(init, mesh):
    def run(key):
        arrays = init(key)
        jax.lax.with_sharding_constraint(arrays, NamedSharding(mesh, P("x")))
        return arrays

    return jax.jit(run)


@wrong("born-split", "other-structure")
def returns_nothing_inside(init, mesh):
    @jax.jit
    def run(key):
        jax.lax.with_sharding_constraint(init(key), NamedSharding(mesh, P("x")))

    return run


@wrong("born-split", "other-layout")
def on_eight_devices_of_its_own(init, mesh):
    own = jax.make_mesh((8,), ("x",), (jax.sharding.AxisType.Auto,))
    return jax.jit(init, out_shardings=NamedSharding(own, P("x")))


@right("born-split")
def reshards_on_explicit_axes(init, mesh):
    def run(key):
        with jax.sharding.use_abstract_mesh(mesh.abstract_mesh):
            return jax.tree.map(lambda leaf: jax.sharding.reshard(leaf, P("x", *[None] * (leaf.ndim - 1))), init(key))

    rows = NamedSharding(mesh, P("x"))
    return jax.jit(run, out_shardings=rows)
