"""remember-less."""

import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import insides
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import float32


def layer(state, weights):
    """The layer of the set-up cell."""
    return jnp.sin(jnp.sin(state @ weights))


def deep(state, weights):
    """The network of the set-up cell."""
    return jax.lax.scan(lambda h, w: (layer(h, w), None), state, weights)[0]


def gradient_found(student_function, draws, held):
    """For draws of one shape the last states, the gradients of their sums, and perhaps what that holds."""

    def total(weights, state):
        last = student_function(state, weights)
        return jnp.sum(last), last

    state, weights = draws[0]
    with insides.as_ever() if held else contextlib.nullcontext():
        compiled = jax.jit(jax.grad(total, has_aux=True)).lower(weights, state).compile()
    results = [compiled(weights, state) for state, weights in draws]
    places = list(insides.read(student_function, state, weights).walk())
    checkpoints = [place for place in places if place.equation.is_checkpoint]
    return {
        "states": [state for _, state in results],
        "gradients": [gradient for gradient, _ in results],
        "held": insides.costs(compiled).temporaries if held else None,
        "checkpoints": len(checkpoints),
        "in python": sum(not place.in_loop for place in checkpoints) > 1,
        "nested": any(each.is_checkpoint for place in checkpoints for each in place.around),
    }


def with_a_checkpoint_each(state, weights):
    """`deep` with a checkpoint around each layer."""
    once = jax.checkpoint(layer)
    return jax.lax.scan(lambda h, w: (once(h, w), None), state, weights)[0]


@functools.cache
def held_by(function, batch, d, layers):
    """The temporary bytes of the gradient of a function that is called as `deep` is."""
    state, weights = jax.ShapeDtypeStruct((batch, d), np.float32), jax.ShapeDtypeStruct((layers, d, d), np.float32)

    def total(weights, state):
        last = function(state, weights)
        return jnp.sum(last), last

    with insides.as_ever():
        compiled = jax.jit(jax.grad(total, has_aux=True)).lower(weights, state).compile()
    return insides.costs(compiled).temporaries


def backpropagated(state, weights):
    """The oracle: the last state and the gradient of its sum, by hand."""
    h, w = np.asarray(state, np.float64), np.asarray(weights, np.float64)
    tape = []
    for matrix in w:
        z = h @ matrix
        tape.append((h, z))
        h = np.sin(np.sin(z))
    back, gradient = np.ones_like(h), np.zeros_like(w)
    for k in reversed(range(len(w))):
        before, z = tape[k]
        dz = back * np.cos(np.sin(z)) * np.cos(z)
        gradient[k], back = before.T @ dz, dz @ w[k].T
    return h, gradient


def _judge_memory(facts, layers, plain, each):
    enough = 2 * facts["held"] <= each
    one_by_one = facts["checkpoints"] >= layers and not facts["nested"]  # a loop in Python is unrolled
    refuse(not enough and not facts["checkpoints"], "no-checkpoint")
    refuse(not enough and one_by_one, "each-layer/2")
    refuse(not enough and facts["in python"] and not facts["nested"], "no-scan", n=facts["checkpoints"])
    refuse(not enough and 1.1 * facts["held"] > plain, "around-it-all")
    refuse(not enough and abs(facts["held"] - each) < 0.1 * each, "each-layer")
    refuse(not enough and not facts["nested"], "groups-only")
    require(enough, "not-half")


def a_gradient_in_little_memory(answer, rng):
    """The gradient of the same network, in less memory than the plain one holds.

    A function, since the memory is that of the program whose gradient was compared before.
    """
    for layers, batch, d in ((1, 3, 2), (4, 2, 3), (64, 257, 6)):
        draws = [(float32(rng, (batch, d)), float32(rng, (layers, d, d), -0.7, 0.7)) for _ in range(2)]
        facts = answer.probe(gradient_found, draws, layers == 64)
        answer.called = f"remember_less(float32[{batch},{d}], float32[{layers},{d},{d}])"
        for last, gradient, draw in zip(facts["states"], facts["gradients"], draws, strict=True):
            true_last, true_gradient = backpropagated(*draw)
            expect(last, true_last, "other-network", rtol=1e-3)
            early = numbers(gradient)[:-1]
            stopped = layers > 1 and early.shape == true_gradient[:-1].shape and not early.any()
            stopped = stopped and gradient[-1].any()
            refuse(stopped, "only-the-last-layer")
            expect(gradient, true_gradient, "wrong-gradient", rtol=1e-3)
    _judge_memory(facts, layers, *(held_by(function, batch, d, layers) for function in (deep, with_a_checkpoint_each)))


WORDS = """
hint: A checkpoint around a group of layers keeps the state before the group. What runs again inside it, and what
    does that keep?
hint: `weights.reshape(root, root, ...)` makes the groups. One `scan` goes over them, with a checkpoint around its
    body. In it, a second one goes over the layers, with a checkpoint around each.
no-checkpoint: Your program has no checkpoint, so it keeps everything that the layers computed. Put `jax.checkpoint`
    around groups of layers.
around-it-all: Your gradient holds as much as that of `deep`: either all of it runs again at once, or a policy keeps
    it all. Put checkpoints around groups, without a policy.
each-layer: Your gradient holds a state for each of the 64 layers, or about as much. Split them into groups, with a
    checkpoint around each group and around each layer.
each-layer/2: Your checkpoints are around each layer, one after the other in a Python loop. Also put one around each
    group of layers, and let `scan` go over both.
no-scan: Your {n} checkpoints are in no `scan`: the compiler sees all layers at once, and may undo them. Let a
    `scan` go over the groups, another over their layers.
groups-only: You have checkpoints, but none within another. Put one around each group of layers, and one around each
    layer in it, without a policy.
not-half: Your gradient holds more than half of what a checkpoint around each layer holds. Are there about as many
    groups as layers in each, and is each in a `scan`?
other-network: Your result is not the state after all layers.
only-the-last-layer: Your gradient is 0 for all layers but the last: the state was stopped on its way. Let it pass.
wrong-gradient: Your state is right, but the gradient of its sum with respect to the weights is not. Do all layers
    get their own weights?
"""

remember_less = declare(
    "remember-less",
    points=2,
    see="checkpointing",
    steps=[a_gradient_in_little_memory],
    words=WORDS,
)
