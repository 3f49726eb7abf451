"""hoist-the-jit: a gain that is an argument, and one `jit` outside the calls."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, refuse
from jaxcourse.exercise import is_close

from ._lesson import WORDS as LESSON
from ._lesson import programs, require_one_program, require_work_inside


def amplify(x, gain):
    return np.clip(np.float32(gain) * x, -1, 1)


def signal_and_gain(rng, n):
    """A signal with both signs, and an amplifier that may weaken, amplify or turn it round."""
    return inputs.array(rng, n, "float32"), float(rng.choice([-2.5, 0.0, 0.25, 1.0, 2.0, 7.5]))


def the_gain_of_each_call(answer, rng):
    """A second call with another gain uses that one.

    A function, since it is about two calls: the second gives what the first one's gain does.
    """
    x, gain = rng.normal(size=20).astype(np.float32), float(rng.uniform(2, 3))
    first, second = answer(x, gain), answer(x, gain + 1)
    refuse(is_close(first, second) and is_close(first, amplify(x, gain)), "gain-frozen")


def one_program_for_all_gains(answer, rng):
    """One program serves all signals and gains.

    A function, since it counts programs.
    """
    x, gain = rng.normal(size=20).astype(np.float32), float(rng.uniform(2, 3))
    calls = [(x, gain), (-x, gain), (x, gain + 1), (x / 2, -gain), (x, 1.0)]
    first, again, *others = answer.probe(programs, calls, [x, x.astype(float), gain])
    require_one_program(first)
    require_work_inside(answer, x, gain)
    refuse(again, "jit-at-each-call")
    refuse(any(others), "gain-in-the-key")


MISTAKES = {
    "not-cut-off": lambda x, gain: np.float32(gain) * x,
    "cut-off-first": lambda x, gain: np.float32(gain) * np.clip(x, -1, 1),
    "one-side-only": lambda x, gain: np.minimum(np.float32(gain) * x, 1),
    "one-side-only/2": lambda x, gain: np.maximum(np.float32(gain) * x, -1),
}

WORDS = """
hint: Which function is handed to `jax.jit`, and how often is it made?
hint: With `gain` as an argument, nothing has to be captured.
gain-frozen [captured]: Another `gain` gives the same. A gain that is found, and not given, is read at the trace and
    kept.
not-cut-off: The signal should be cut off at -1 and 1.
cut-off-first: You cut off first and amplified then: the result goes beyond -1 and 1.
one-side-only: Cut off at -1, too.
one-side-only/2: Cut off at 1, too.
wrong-value: `gain` times `x`, cut off at -1 and 1.
wrong-value/2: `gain` times `x`, cut off at -1 and 1. `x` is an array of JAX.
jit-at-each-call: The second call, with the same types, compiled again: a new function is made and jitted at each
    call.
gain-in-the-key [static-arguments]: Another `gain` compiled again: its value is part of the key, or of the program.
not-jitted/none: Nothing was compiled. NumPy is not compiled: put `jax.jit` around `jnp.clip(gain * x, ...)`.
"""

hoist_the_jit = declare(
    "hoist-the-jit",
    see="function-identity",
    steps=[
        the_gain_of_each_call,
        Agrees(amplify, signal_and_gain, [20, 1], each=10, mistakes=MISTAKES),
        Agrees(amplify, signal_and_gain, [20], each=2, ask=probe.on_jax_arrays, otherwise="wrong-value/2"),
        one_program_for_all_gains,
    ],
    words=(LESSON, WORDS),
)
