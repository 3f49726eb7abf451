"""Answers to sine-by-columns."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.exercise import right, wrong


@right("sine-by-columns")
def constrains_the_argument(mesh, x):
    return jnp.sin(jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "x"))))


@right("sine-by-columns")
def an_inner_program(mesh, x):
    return jax.jit(jnp.sin, out_shardings=NamedSharding(mesh, P(None, "x")))(x)


@wrong("sine-by-columns", "still-rows")
def puts_the_result(mesh, x):
    return jax.device_put(jnp.sin(x), NamedSharding(mesh, P(None, "x")))


@wrong("sine-by-columns", "still-rows")
def drops_what_is_constrained(mesh, x):
    y = jnp.sin(x)
    jax.lax.with_sharding_constraint(y, NamedSharding(mesh, P(None, "x")))
    return y


@wrong("sine-by-columns", "still-rows")
def says_nothing_of_a_layout(mesh, x):
    return jnp.sin(x)


@wrong("sine-by-columns", "still-rows")
def constrains_by_rows(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh, P("x", None)))


@wrong("sine-by-columns", "other-layout")
def gathers_it(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh, P(None, None)))


@wrong("sine-by-columns", "wrong-shape")
def transposes_it(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.sin(x).T, NamedSharding(mesh, P(None, "x")))


@wrong("sine-by-columns", "returned-what-came-in")
def forgets_the_sine(mesh, x):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, "x")))


@wrong("sine-by-columns", "other-dtype")
def the_sine_in_half_the_digits(mesh, x):
    return constrains_the_argument.answer(mesh, x).astype(jnp.float16)


@wrong("sine-by-columns", "wrong-value")
def takes_the_numbers_for_degrees(mesh, x):
    return jax.lax.with_sharding_constraint(jnp.sin(jnp.deg2rad(x)), NamedSharding(mesh, P(None, "x")))


@wrong("sine-by-columns", "for-explicit-axes")
def reshards_the_result(mesh, x):
    return jax.sharding.reshard(jnp.sin(x), NamedSharding(mesh, P(None, "x")))


@right("sine-by-columns")
def constrains_twice(mesh, x):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P()))
    return jax.lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh, P(None, "x")))


@wrong("sine-by-columns", "still-rows")
def reshards_to_copies(mesh, x):
    return jax.sharding.reshard(jnp.sin(x), NamedSharding(mesh, P()))  # names no axis, so JAX does not refuse it


@wrong("sine-by-columns", "for-explicit-axes")
def reshards_the_argument(mesh, x):
    return jnp.sin(jax.sharding.reshard(x, NamedSharding(mesh, P(None, "x"))))
