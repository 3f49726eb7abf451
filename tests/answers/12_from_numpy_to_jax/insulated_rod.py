"""Answers to insulated-rod."""

import functools

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong

from ..insulated_rod import rod_step


@right("insulated-rod")
def pads_the_new_inside(u):
    return jnp.pad(u[1:-1] + 0.25 * jnp.diff(u, 2), 1, mode="edge")


@right("insulated-rod")
@jax.jit
def gathers(u):
    new = u + 0.25 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))
    return new[jnp.clip(jnp.arange(u.size), 1, u.size - 2)]


@wrong("insulated-rod", "result-thrown-away")
def forgets_to_bind(u):
    u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    u.at[0].set(u[1])
    u.at[-1].set(u[-2])
    return u


@wrong("insulated-rod", "ends-from-before")
def takes_the_ends_from_the_old_rod(u):
    new = u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return new.at[0].set(u[1]).at[-1].set(u[-2])


@wrong("insulated-rod", "ends-kept")
def forgets_the_ends(u):
    return u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))


@wrong("insulated-rod", "ends-before-the-step")
def sets_the_ends_first(u):
    u = u.at[0].set(u[1]).at[-1].set(u[-2])
    return u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))


@wrong("insulated-rod", "ends-take-part")
def pads_the_old_rod(u):
    wide = jnp.pad(u, 1, mode="edge")
    return u + 0.25 * (wide[2:] - 2 * u + wide[:-2])


@wrong("insulated-rod", "left-jax")
def copies_into_numpy(u):
    return rod_step(np.array(u))


@wrong("insulated-rod", "left-jax")
def calls_a_step_in_numpy(u):
    return jax.pure_callback(lambda u: rod_step(np.array(u)), jax.ShapeDtypeStruct(u.shape, u.dtype), u)


@wrong("insulated-rod", "not-traceable")
def copies_into_numpy_and_back(u):
    return jnp.asarray(rod_step(np.array(u)))


@wrong("insulated-rod", "loops")
def updates_point_by_point(u):
    new = u
    for i in range(1, len(u) - 1):
        new = new.at[i].add(0.25 * (u[i + 1] - 2 * u[i] + u[i - 1]))
    new = new.at[0].set(new[1])
    return new.at[-1].set(new[-2])


@wrong("insulated-rod", "new-neighbours")
def updates_the_rod_that_it_reads(u):
    for i in range(1, len(u) - 1):
        u = u.at[i].add(0.25 * (u[i + 1] - 2 * u[i] + u[i - 1]))
    return u.at[0].set(u[1]).at[-1].set(u[-2])


@wrong("insulated-rod", "compiled-loop")
def loops_in_the_program(u):
    def step(i, new):
        return new.at[i].add(0.25 * (u[i + 1] - 2 * u[i] + u[i - 1]))

    new = jax.lax.fori_loop(1, len(u) - 1, step, u)
    new = new.at[0].set(new[1])
    return new.at[-1].set(new[-2])


@wrong("insulated-rod", "changed-input")
@functools.partial(jax.jit, donate_argnums=0)
def gives_the_old_rod_away(u):
    u = u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return u.at[jnp.array([0, -1])].set(u[jnp.array([1, -2])])


@wrong("insulated-rod", "not-under-jit")
def is_something_else_when_traced(u):
    u = u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return u if isinstance(u, jax.core.Tracer) else u.at[0].set(u[1]).at[-1].set(u[-2])


@wrong("insulated-rod", "a-ring")
def closes_the_rod_to_a_ring(u):
    return u + 0.25 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))


@wrong("insulated-rod", "set-not-add")
def sets_in_place_of_adding(u):
    u = u.at[1:-1].set(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    u = u.at[0].set(u[1])
    return u.at[-1].set(u[-2])


@wrong("insulated-rod", "wrong-value")
def sets_both_in_one_chain(u):
    u = u.at[1:-1].set(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return u.at[0].set(u[1]).at[-1].set(0)


@wrong("insulated-rod", "wrong-value")
def loses_the_ends(u):
    return u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])


@wrong("insulated-rod", "TypeError")
def assigns_to_slices(u):
    u[0] = u[1]
    return u


@wrong("insulated-rod", "result-thrown-away")
def returns_the_old_name(u):
    new = u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    new = new.at[0].set(new[1]).at[-1].set(new[-2])
    return u


@wrong("insulated-rod", "set-not-add")
def joins_the_change_alone(u):
    change = 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return jnp.concatenate([change[:1], change, change[-1:]])
