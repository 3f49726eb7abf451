"""Answers to fit-with-optax."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.flatten_util import ravel_pytree

from jaxcourse.exercise import equivalent, right, wrong


def scanned_fit(
    optimiser, loss, params, steps, *, sign=1, keep=True, given=True, before=True, turned=False, known=None
):
    """A fit with one of several mistakes."""

    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, new = optimiser.update(gradient, state, *([params] if given else []))
        after = jax.tree.map(lambda p, u: p + sign * u, params, updates)
        return (after, new if keep else state), value if before else loss(after)

    (params, _), losses = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return (losses, params) if turned else (params, losses)


@right("fit-with-optax")
def by_a_fori_loop(optimiser, loss, params, steps):
    def step(i, carry):
        params, state, losses = carry
        losses = losses.at[i].set(loss(params))
        updates, state = optimiser.update(jax.grad(loss)(params), state, params)
        return optax.apply_updates(params, updates), state, losses

    carry = params, optimiser.init(params), jnp.zeros(steps)
    params, _, losses = jax.lax.fori_loop(0, steps, step, carry)
    return params, losses


@right("fit-with-optax")
@functools.partial(jax.jit, static_argnums=(0, 1, 3))
def compiled_as_a_list(optimiser, loss, params, steps):
    return list(scanned_fit(optimiser, loss, params, steps))


@wrong("fit-with-optax", "arrays-joined")
def as_one_long_vector(optimiser, loss, params, steps):
    flat, back = ravel_pytree(params)
    (fitted, losses) = scanned_fit(optimiser, lambda vector: loss(back(vector)), flat, steps)
    return back(fitted), losses


@wrong("fit-with-optax", "updates-subtracted")
def subtracts_the_updates(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, sign=-1)


@wrong("fit-with-optax", "state-thrown-away")
def keeps_the_first_state(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, keep=False)


@wrong("fit-with-optax", "state-thrown-away")
def makes_a_state_at_each_step(optimiser, loss, params, steps):
    def step(params, _):
        value, gradient = jax.value_and_grad(loss)(params)
        updates, _ = optimiser.update(gradient, optimiser.init(params), params)
        return optax.apply_updates(params, updates), value

    return jax.lax.scan(step, params, length=steps)


@wrong("fit-with-optax", "params-not-passed")
def hides_the_parameters(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, given=False)


@wrong("fit-with-optax", "losses-after")
def losses_after_the_step(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, before=False)


@wrong("fit-with-optax", "pair-turned-round")
def losses_first(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps, turned=True)


@wrong("fit-with-optax", "not-a-pair")
def only_the_parameters(optimiser, loss, params, steps):
    return scanned_fit(optimiser, loss, params, steps)[0]


@wrong("fit-with-optax", "structure-lost")
def returns_the_carry_whole(optimiser, loss, params, steps):
    fitted, losses = scanned_fit(optimiser, loss, params, steps)
    return (fitted, optimiser.init(params)), losses


@wrong("fit-with-optax", "losses-of-wrong-shape")
def only_the_last_loss(optimiser, loss, params, steps):
    params, losses = scanned_fit(optimiser, loss, params, steps)
    return params, losses[-1]


@wrong("fit-with-optax", "losses-last-only")
def last_loss_everywhere(optimiser, loss, params, steps):
    params, losses = scanned_fit(optimiser, loss, params, steps)
    return params, jnp.full(steps, losses[-1])


@wrong("fit-with-optax", "one-step-short")
def stacks_the_places(optimiser, loss, params, steps):
    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, params)
        return (optax.apply_updates(params, updates), state), (params, value)

    _, (places, losses) = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return jax.tree.map(lambda path: path[-1], places), losses


@wrong("fit-with-optax", "decay-forgotten")
def hands_over_zeros(optimiser, loss, params, steps):
    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, jax.tree.map(jnp.zeros_like, params))
        return (optax.apply_updates(params, updates), state), value

    (params, _), losses = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return params, losses


@wrong("fit-with-optax", "wrong-value")
def stops_when_the_loss_is_small(optimiser, loss, params, steps):
    def step(carry, _):
        value, gradient = jax.value_and_grad(loss)(carry[0])
        updates, state = optimiser.update(gradient, carry[1], carry[0])
        after = optax.apply_updates(carry[0], updates), state
        return jax.tree.map(lambda new, old: jnp.where(value > 1e-6, new, old), after, carry), value

    (params, _), losses = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return params, losses


@wrong("fit-with-optax", "unrolled")
def loops_in_python(optimiser, loss, params, steps):
    state, losses = optimiser.init(params), []
    for _ in range(steps):
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, params)
        params = optax.apply_updates(params, updates)
        losses.append(value)
    return params, jnp.stack(losses)


@wrong("fit-with-optax", "not-traceable")
def collects_numbers(optimiser, loss, params, steps):
    state, losses = optimiser.init(params), []
    for _ in range(steps):
        losses.append(float(loss(params)))
        updates, state = optimiser.update(jax.grad(loss)(params), state, params)
        params = optax.apply_updates(params, updates)
    return params, np.array(losses)


@wrong("fit-with-optax", "wrong-losses")
def halves_the_losses(optimiser, loss, params, steps):
    params, losses = scanned_fit(optimiser, loss, params, steps)
    return params, losses / 2


@wrong("fit-with-optax", "wrong-value")
def a_step_too_many(optimiser, loss, params, steps):
    params, losses = scanned_fit(optimiser, loss, params, steps + 1)
    return params, losses[:-1]


@wrong("fit-with-optax", "losses-not-an-array")
def losses_in_a_list(optimiser, loss, params, steps):
    state, losses = optimiser.init(params), []
    for _ in range(steps):
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, params)
        params = optax.apply_updates(params, updates)
        losses.append(value)
    return params, losses


equivalents = [
    equivalent(
        "fit-with-optax",
        "`optax.apply_updates(params, updates)`  ->  `optax.apply_updates(updates, params)`",
        "the same sum",
    ),
]


@wrong("fit-with-optax", "ValueError")
def unpacks_the_state_of_momentum(optimiser, loss, params, steps):
    first, second = optimiser.init(params)  # that of `adamw` has three parts

    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, params)
        return (optax.apply_updates(params, updates), state), value

    (params, _), losses = jax.lax.scan(step, (params, (first, second)), length=steps)
    return params, losses


@wrong("fit-with-optax", "ValueError")
def gives_the_parameters_as_a_list(optimiser, loss, params, steps):
    def step(carry, _):
        params, state = carry
        value, gradient = jax.value_and_grad(loss)(params)
        updates, state = optimiser.update(gradient, state, jax.tree.leaves(params))
        return (optax.apply_updates(params, updates), state), value

    (params, _), losses = jax.lax.scan(step, (params, optimiser.init(params)), length=steps)
    return params, losses
