"""Answers to remember-less."""

import functools

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong

from ..remember_less import deep, layer


@right("remember-less")
def groups_by_a_loop_inside(state, weights):
    root = round(len(weights) ** 0.5)
    once = jax.checkpoint(lambda h, w: jnp.sin(jnp.sin(h @ w)), prevent_cse=False)

    @functools.partial(jax.checkpoint, prevent_cse=False)
    def group(h, first):
        own = jax.lax.dynamic_slice_in_dim(weights, first, root)
        return jax.lax.fori_loop(0, root, lambda k, h: once(h, own[k]), h), None

    return jax.lax.scan(group, state, root * jnp.arange(root))[0]


@right("remember-less")
def halves_of_halves(state, weights):
    """Each half under a checkpoint of its own, and so on down to one layer; in a loop of one round each."""

    def run(h, ws):
        if len(ws) == 1:
            return layer(h, ws[0])
        few = 2 if len(ws) % 2 == 0 else len(ws)
        parts = ws.reshape(few, len(ws) // few, *ws.shape[1:])
        return jax.lax.scan(jax.remat(lambda h, part: (run(h, part), None)), h, parts)[0]

    return run(state, weights)


@wrong("remember-less", "around-it-all")
def around_the_whole(state, weights):
    return jax.checkpoint(deep)(state, weights)


@wrong("remember-less", "no-checkpoint")
def as_before(state, weights):
    return deep(state, weights)


@wrong("remember-less", "each-layer")
def around_each_layer(state, weights):
    once = jax.checkpoint(lambda h, w: (layer(h, w), None))
    return jax.lax.scan(once, state, weights)[0]


@wrong("remember-less", "each-layer")
def around_each_layer_of_a_python_loop(state, weights):
    for w in weights:
        state = jax.checkpoint(layer)(state, w)
    return state


@wrong("remember-less", "groups-only")
def around_the_groups(state, weights):
    root = round(len(weights) ** 0.5)
    group = jax.checkpoint(lambda h, ws: (deep(h, ws), None))
    return jax.lax.scan(group, state, weights.reshape(root, root, *weights.shape[1:]))[0]


@wrong("remember-less", "not-half")
def pairs_of_layers(state, weights):
    once = jax.checkpoint(lambda h, w: (layer(h, w), None))
    pair = jax.checkpoint(lambda h, ws: jax.lax.scan(once, h, ws))
    few = 2 if len(weights) % 2 == 0 else 1
    return jax.lax.scan(pair, state, weights.reshape(-1, few, *weights.shape[1:]))[0]


@wrong("remember-less", "other-network")
def forgets_the_last_group(state, weights):
    root = round(len(weights) ** 0.5)
    groups = weights.reshape(root, root, *weights.shape[1:])
    once = jax.checkpoint(lambda h, w: (layer(h, w), None))
    group = jax.checkpoint(lambda h, ws: jax.lax.scan(once, h, ws))
    return jax.lax.scan(group, state, groups[: max(root - 1, 1)])[0]


@wrong("remember-less", "around-it-all")
def saves_everything(state, weights):
    body = jax.checkpoint(lambda h, w: (layer(h, w), None), policy=jax.checkpoint_policies.everything_saveable)
    return jax.lax.scan(body, state, weights)[0]


@wrong("remember-less", "wrong-gradient")
def stops_everything(state, weights):
    return jax.lax.stop_gradient(deep(state, weights))


@wrong("remember-less", "only-the-last-layer")
def stops_the_states(state, weights):
    return jax.lax.scan(lambda h, w: (layer(jax.lax.stop_gradient(h), w), None), state, weights)[0]


@wrong("remember-less", "other-network")
def one_sine_a_layer(state, weights):
    return jax.lax.scan(jax.checkpoint(lambda h, w: (jnp.sin(h @ w), None)), state, weights)[0]


@wrong("remember-less", "groups-only")
def keeps_the_products_of_each_layer(state, weights):
    body = jax.checkpoint(lambda h, w: (layer(h, w), None), policy=jax.checkpoint_policies.dots_saveable)
    return jax.lax.scan(body, state, weights)[0]


@wrong("remember-less", "around-it-all")
def groups_that_save_everything(state, weights):
    root = round(len(weights) ** 0.5)
    once = jax.checkpoint(lambda h, w: (layer(h, w), None), policy=jax.checkpoint_policies.dots_saveable)
    everything = jax.checkpoint_policies.everything_saveable
    group = jax.checkpoint(lambda h, ws: jax.lax.scan(once, h, ws), policy=everything)
    return jax.lax.scan(group, state, weights.reshape(root, root, *weights.shape[1:]))[0]


@wrong("remember-less", "no-scan")
def goes_over_the_groups_in_python(state, weights):
    root = int(len(weights) ** 0.5)
    for first in range(0, len(weights), root):
        state = jax.checkpoint(deep)(state, weights[first : first + root])
    return state


equivalents = [
    equivalent(
        "remember-less",
        "`0.5`  ->  `0.505`",
        "it rounds to the root of every number of layers that is asked; a longer run would only take longer",
    ),
]
