"""hoist-the-jit."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import declare, refuse
from jaxcourse.exercise import is_close
from jaxcourse.inputs import Slip, compare

from ._lesson import WORDS as LESSON
from ._lesson import programs, require_one_program, require_work_inside


def amplify(x, gain):
    """The oracle."""
    return np.clip(np.float32(gain) * x, -1, 1)


def signal_and_gain(rng, n):
    """A signal with both signs, and an amplifier that may weaken, amplify or turn it round."""
    return inputs.array(rng, n, "float32"), float(rng.choice([-2.5, 0.0, 0.25, 1.0, 2.0, 7.5]))


def check(answer, rng):
    x = rng.normal(size=20).astype(np.float32)
    gain = float(rng.uniform(2, 3))
    first, second = answer(x, gain), answer(x, gain + 1)
    refuse(is_close(first, second) and is_close(first, amplify(x, gain)), "gain-frozen")
    slips = [
        Slip("not-cut-off", lambda x, gain: np.float32(gain) * x),
        Slip(
            "cut-off-first",
            lambda x, gain: np.float32(gain) * np.clip(x, -1, 1),
        ),
        Slip("one-side-only", lambda x, gain: np.minimum(np.float32(gain) * x, 1)),
        Slip("one-side-only/2", lambda x, gain: np.maximum(np.float32(gain) * x, -1)),
    ]
    compare(answer, amplify, signal_and_gain, rng, shapes=[20, 1], each=10, slips=slips, label="wrong-value")
    in_jax = lambda x, gain: answer.probe(probe.on_jax_arrays, x, gain)  # noqa: E731
    compare(in_jax, amplify, signal_and_gain, rng, shapes=[20], each=2, label="wrong-value/2")
    calls = [(x, gain), (-x, gain), (x, gain + 1), (x / 2, -gain), (x, 1.0)]
    compiled = answer.probe(programs, calls, [x, x.astype(float), gain])
    require_one_program(compiled[0])
    require_work_inside(answer, x, gain)
    refuse(compiled[1], "jit-at-each-call")
    refuse(any(compiled[2:]), "gain-in-the-key")


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
    steps=[check],
    words=(LESSON, WORDS),
)
