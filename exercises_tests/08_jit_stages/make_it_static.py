"""make-it-static."""

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.inputs import compare

from ._lesson import WORDS as LESSON
from ._lesson import hashed, programs, require_one_program


def normalised(x, running, training):
    """The oracle."""
    mean, variance = (x.mean(0), x.var(0)) if training else running
    return (x - mean) / np.sqrt(variance + 1e-5)


def reductions(student_function, x, running):
    """How many axes are folded where the running statistics are used: for statistics of its own, each column is."""
    program = insides.read(lambda x, running: student_function(x, running, False), x, running)
    return sum("reduce" in each.primitive for each in program.everything)


def programs_by_truths(student_function, x, running):
    """Which programs are compiled by calls with truths of Python and of NumPy, in turn, from empty caches on."""
    truths = [True, np.bool_(True), False, np.bool_(False), True]
    x, running = probe.on_device((x, running))
    jax.clear_caches()
    return probe.compiled(lambda truth: student_function(x, running, truth), [(truth,) for truth in truths])


def check(answer, rng):
    def draw(rng, shape):
        scale = rng.choice([1, 1e-3])  # columns that vary so little that what is added to the variance counts
        x = (scale * rng.normal(1, 2, size=shape)).astype(np.float32)
        mean, variance = scale * rng.normal(size=shape[1:]), scale**2 * rng.uniform(1, 2, size=shape[1:])
        return x, (mean.astype(np.float32), variance.astype(np.float32)), bool(rng.random() < 0.5)

    x, running, _ = draw(rng, (6, 6))
    other, later, _ = draw(rng, (6, 6))
    calls = [(x, running, True), (x, running, False), (other, running, True), (other, later, False), (x, later, True)]
    tried, unhashable = hashed(answer.attempt, programs, calls, expected=["TracerBoolConversionError"])
    refuse(unhashable, "array-made-static")
    compiled, raised = tried
    refuse(raised, "still-traced")
    expect(answer(x, running, True), normalised(x, running, True), "wrong-value")
    expect(answer(x, running, False), normalised(x, running, False), "flag-frozen")
    require_one_program(compiled[0])
    refuse(any(compiled[2:]), "compiled-again")
    require(compiled[1], "one-program")
    require_one_program(compiled[1])
    refuse(answer.probe(reductions, x, running), "computes-both")
    answer.probe(probe.on_jax_arrays, x, running, True)  # which must still be there afterwards
    compare(answer, normalised, draw, rng, shapes=[(1, 4), (6, 6)], each=6, label="wrong-value/2", rtol=1e-3)
    expect(answer(x, running, np.bool_(True)), normalised(x, running, True), "numpys-true-lost")
    _, anew, _, anew_too, _ = answer.probe(programs_by_truths, x, running)
    refuse(anew or anew_too, "type-in-the-key")


WORDS = """
hint: Which of the three arguments does Python branch on?
hint: `jax.jit(function, static_argnames=...)`
hint: What does `bool(...)` make of a Boolean of NumPy? Do it before the value becomes a part of the key.
array-made-static: A static argument needs a hash, and an array has none. Let the flag alone be static, as a truth
    of Python.
still-traced: Python wants to branch on what has no value while `jit` traces. If that is `training`, make it static.
wrong-value: With `training=True`, by its own statistics.
flag-frozen: With `training=False`, by the running statistics.
compiled-again [function-identity]: New numbers, the same flag, and still it compiled again: `jit` met something
    that it did not know. That is a function made anew at each call, or a static object made anew. `jit` one function,
    outside the calls, and let the bool itself be static.
type-in-the-key: A Boolean of NumPy compiled again, after an equal one of Python. The key holds the type of a static
    value, and whether it is passed by name: convert it, and then make one and the same call.
one-program: One program serves both, and chooses at every call. The task wants two programs, of which each computes
    one way only.
computes-both: Each program computes both ways, and uses one. The task wants each to compute one way only.
numpys-true-lost: `training=np.bool_(True)` was taken for false. It is true, though `is True` does not hold of it: it
    is not Python's own.
wrong-value/2: `normalise` of other numbers should come back.
not-jitted/none: Nothing was compiled. Put `jax.jit` around `normalise`.
"""

make_it_static = declare(
    "make-it-static",
    see="static-arguments",
    steps=[check],
    words=(LESSON, WORDS),
)
