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
hint: Which function do you hand to `jax.jit`, and how often is it made?
hint: With `gain` as an argument, the function has nothing to capture.
gain-frozen [captured]: Another `gain` gives the same. A function that finds `gain` reads it at its trace, and keeps
    it: pass it as an argument.
not-cut-off: Your signal goes beyond -1 and 1. Cut it off there.
cut-off-first: You cut off first and amplified then, so the result goes beyond -1 and 1. Amplify first.
one-side-only: You cut off at 1 only. Cut off at -1 as well.
one-side-only/2: You cut off at -1 only. Cut off at 1 as well.
wrong-value: Your numbers are not `gain` times `x`, cut off at -1 and 1.
wrong-value/2: For a JAX array `x`, your numbers are not `gain` times `x`, cut off at -1 and 1.
jit-at-each-call: Your second call, with the same types, compiled again, because you jit a new function at each
    call. Make it once, outside.
gain-in-the-key [static-arguments]: Another `gain` compiled again: its value is part of your key, or of your
    program. Pass it like any other argument.
not-jitted/none: Nothing was compiled, and NumPy never is. Put `jax.jit` around `jnp.clip(gain * x, ...)`.
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
