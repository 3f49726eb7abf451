"""relax-ring."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, expect, refuse, require
from jaxcourse.probe import NEEDS_A_VALUE

from ._lesson import outside_of_jit


def relaxed(temperature, steps):
    """The oracle, in `float64`."""
    t = temperature.astype(np.float64)
    for _ in range(steps):
        t = t + 0.1 * (np.roll(t, 1) - 2 * t + np.roll(t, -1))
    return t


def with_open_ends(temperature, steps):
    t = temperature.astype(np.float64)
    for _ in range(steps):
        t = t + 0.1 * (np.append(t[:1], t[:-1]) - 2 * t + np.append(t[1:], t[-1:]))
    return t


def draw_ring(rng, n):
    return inputs.array(rng, n, "float32", low=0, high=100), int(rng.choice([0, 1, 2, 6]))


MISTAKES = {
    "one-step-off": lambda t, steps: relaxed(t, max(steps - 1, 0)),
    "one-step-off/2": lambda t, steps: relaxed(t, steps + 1),
    "open-ends": with_open_ends,
}


def compiled_once(answer, rng):
    """One program serves other rings, other numbers of steps, and each step."""
    hot, cold = (rng.uniform(0, 100, size=8).astype(np.float32) for _ in range(2))
    _, again, *others = answer.probe(probe.compiles, [(hot, 6), (cold, 6), (hot, 9), (cold, 3)])
    require(len(again) < 6, "one-program-per-step", n=len(again))
    refuse(again, "one-program-per-call", n=len(again))
    refuse(any(others), "one-program-per-number")


def many_steps(answer, rng):
    """After the programs are counted, as a program for each of so many steps takes seconds."""
    ramp = np.arange(8, dtype=np.float32)
    expect(answer.probe(probe.on_jax_arrays, ramp, 150), relaxed(ramp, 150), "wrong-value/2", rtol=1e-4)


def compiled_together(answer, rng):
    """The steps are still compiled, and nothing runs outside of a program."""
    hot = rng.uniform(0, 100, size=8).astype(np.float32)
    found, raised = answer.attempt(outside_of_jit, hot, 2, expected=NEEDS_A_VALUE)
    if raised:  # NumPy looks at what a program returned
        found = bool(answer.probe(probe.compiles, [(hot, 6)])[0]), []
    compiled, alone = found
    require(compiled or alone, "gives-up-jit")
    refuse(alone, "gives-up-jit/2", alone=", ".join(alone))


WORDS = """
hint: `jit` remembers programs by the function object. How many are made here?
hint: Define `step` once, outside.
one-step-off: You take one step too few.
one-step-off/2: You take one step too many.
open-ends: Your ring is open. Its last place is a neighbour of the first, as in `jnp.roll`.
wrong-value: Your temperatures are not those after so many steps.
one-program-per-step [function-identity]: A second call with the same shape compiles again ({n} times), because each
    pass makes a new function, which `jit` has not seen before.
one-program-per-call [function-identity]: A second call with the same shape compiles again ({n} times). Do you make a
    function, for `jit` or a loop, anew in each call? Make it once, outside yours.
one-program-per-number [static-arguments]: The same shape with another number of steps compiles again. Is `steps`
    static, or the loop unrolled under `jit`? Compile one step, or give the number to `fori_loop` as it comes.
wrong-value/2: Your temperatures are right after a few steps, and not after 150. Does your loop end too early?
gives-up-jit: You compile nothing twice, because you compile nothing together. NumPy does the work.
gives-up-jit/2: You compile nothing twice, because you compile nothing together. {alone} run one by one.
"""

relax_ring = declare(
    "relax-ring",
    see="lab-slow",
    steps=[
        Agrees(relaxed, draw_ring, [8, 1, 3], each=2, ask=probe.on_jax_arrays, mistakes=MISTAKES, rtol=1e-4),
        compiled_once,
        many_steps,
        compiled_together,
    ],
    words=WORDS,
)
