"""Answers to hoist-the-jit."""

import functools

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ._lesson import by_shape


@right("hoist-the-jit")
def names_the_same_function(x, gain):
    return jax.jit(amplified)(x, gain)


@right("hoist-the-jit")
def bounds_by_minimum_and_maximum(x, gain):
    return bounded(gain, x)


@jax.jit
def bounded(gain, x):
    return jnp.minimum(1.0, jnp.maximum(-1.0, x * gain))


@wrong("hoist-the-jit", "gain-frozen")
def keeps_the_first_program(x, gain):
    return by_shape.setdefault(("gain", x.shape), jax.jit(functools.partial(amplified, gain=gain)))(x)


@wrong("hoist-the-jit", "not-jitted")
def leaves_jax(x, gain):
    return np.clip(np.float32(gain) * np.asarray(x), -1, 1)


@wrong("hoist-the-jit", "not-jitted")
def leaves_jax_and_comes_back(x, gain):
    return jnp.asarray(np.clip(gain * np.asarray(x), -1.0, 1.0))


@jax.jit
def nothing(x, gain):
    return x


@wrong("hoist-the-jit", "beside-the-jit")
def compiles_nothing_beside_numpy(x, gain):
    return np.clip(np.float32(gain) * np.asarray(nothing(x, gain)), -1, 1)


@wrong("hoist-the-jit", "changed-input")
@functools.partial(jax.jit, donate_argnums=0)
def gives_the_signal_away(x, gain):
    return jnp.clip(gain * x, -1.0, 1.0)


@wrong("hoist-the-jit", "wrong-value")
@jax.jit
def bends_instead(x, gain):
    return jnp.tanh(gain * x)


@wrong("hoist-the-jit", "one-side-only")
@jax.jit
def cuts_off_above(x, gain):
    return jnp.minimum(gain * x, 1.0)


@wrong("hoist-the-jit", "jit-at-each-call")
def jits_a_lambda(x, gain):
    return jax.jit(lambda v: jnp.clip(gain * v, -1.0, 1.0))(x)


@wrong("hoist-the-jit", "jit-at-each-call")
def jits_a_new_partial(x, gain):
    return jax.jit(functools.partial(amplified, gain=gain))(x)


def amplified(x, gain):
    return jnp.clip(gain * x, -1.0, 1.0)


@wrong("hoist-the-jit", "jit-at-each-call")
def passes_the_gain_to_a_new_function(x, gain):
    @jax.jit
    def step(v, g):
        return jnp.clip(g * v, -1.0, 1.0)

    return step(x, gain)


class Amplifier:
    def __init__(self, gain):
        self.gain = gain

    def step(self, v):
        return jnp.clip(self.gain * v, -1.0, 1.0)


@wrong("hoist-the-jit", "jit-at-each-call")
def jits_a_bound_method(x, gain):
    return jax.jit(Amplifier(gain).step)(x)


gain_is_static = wrong("hoist-the-jit", "gain-in-the-key")(jax.jit(amplified, static_argnames="gain"))


jit_is_gone = wrong("hoist-the-jit", "not-jitted")(amplified)


@wrong("hoist-the-jit", "not-cut-off")
@jax.jit
def forgets_the_clip(x, gain):
    return gain * x


@wrong("hoist-the-jit", "cut-off-first")
@jax.jit
def clips_before(x, gain):
    return gain * jnp.clip(x, -1.0, 1.0)


@right("hoist-the-jit")
def makes_an_array_of_the_gain(x, gain):
    return bounded(jnp.float32(gain), jnp.asarray(x))


@right("hoist-the-jit")
def makes_an_array_without_a_dtype(x, gain):
    return bounded(jnp.asarray(gain), x)


@wrong("hoist-the-jit", "wrong-value")
@jax.jit
def takes_the_sign(x, gain):
    return jnp.sign(gain * x)


@wrong("hoist-the-jit", "wrong-value")
@jax.jit
def forgets_the_gain(x, gain):
    return jnp.clip(x, -1.0, 1.0)


equivalents = [
    equivalent(
        "hoist-the-jit",
        "`jnp.clip(gain * x, -1.0, 1.0)`  ->  `jnp.clip(-1.0, gain * x, 1.0)`",
        "the larger of the two, then the smaller: the same limits",
    ),
]
