"""make-it-static: a flag that Python branches on, as a part of the key."""

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import Agrees, declare, refuse, require

from ._lesson import NO_HASH, programs, require_one_program
from ._lesson import WORDS as LESSON


def normalised(x, running, training):
    mean, variance = (x.mean(0), x.var(0)) if training else running
    return (x - mean) / np.sqrt(variance + 1e-5)


def batch(rng, shape):
    """A batch, and running statistics: of columns that vary so little that what is added to the variance counts."""
    scale = rng.choice([1, 1e-3])
    x = (scale * rng.normal(1, 2, size=shape)).astype(np.float32)
    mean, variance = scale * rng.normal(size=shape[1:]), scale**2 * rng.uniform(1, 2, size=shape[1:])
    return x, (mean.astype(np.float32), variance.astype(np.float32))


def with_a_flag(rng, shape):
    return *batch(rng, shape), bool(rng.random() < 0.5)


def where_it_is(training):
    return lambda rng, shape: (*batch(rng, shape), training)


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


def two_programs_of_one_way_each(answer, rng):
    """Each truth has a program of its own, which computes one way.

    A function, since it counts programs, and what is in them.
    """
    (x, running), (other, later) = batch(rng, (6, 6)), batch(rng, (6, 6))
    calls = [(x, running, True), (x, running, False), (other, running, True), (other, later, False), (x, later, True)]
    first, without, *others = answer.probe(programs, calls)
    require_one_program(first)
    refuse(any(others), "compiled-again")
    require(without, "one-program")
    require_one_program(without)
    refuse(answer.probe(reductions, x, running), "computes-both")


def no_argument_donated(answer, rng):
    """Arrays of JAX are taken, and are still there afterwards.

    A function, since nothing is compared: arrays of JAX, of which the answer may delete none, go in.
    """
    answer.probe(probe.on_jax_arrays, *batch(rng, (6, 6)), True)


def one_key_for_each_truth(answer, rng):
    """A truth of NumPy is the same key as one of Python.

    A function, since it counts programs.
    """
    _, anew, _, anew_too, _ = answer.probe(programs_by_truths, *batch(rng, (6, 6)))
    refuse(anew or anew_too, "type-in-the-key")


RAISING = {"array-made-static": NO_HASH, "still-traced": ["TracerBoolConversionError"]}

WORDS = """
hint: Which of the three arguments does Python branch on?
hint: `jax.jit(function, static_argnames=...)`
hint: A caller may pass NumPy's `True` instead of Python's. What does `bool(...)` turn it into? Do that before the
    value becomes part of the key.
array-made-static: Your static argument needs a hash, and an array has none. Let only the flag be static, as a
    Python bool.
still-traced: Python tried to branch on a value that does not exist yet while `jit` traces. If that is `training`,
    make it static.
wrong-value: Your numbers are not those of `normalise`. With `training=True`, normalise `x` by its own mean and
    variance.
flag-frozen: Your numbers are not those of the running mean and variance, though `training=False`. Does your
    function look at the flag in each call?
compiled-again [function-identity]: New numbers, the same flag, and JAX compiled again. Is a function or a static
    object made anew in each call? Call `jit` once, outside, with a static bool.
type-in-the-key: NumPy's bool compiled again, after Python's. The key holds a static value's type, and whether you
    pass it by name: convert it, then make the same call.
one-program: Your one program serves both flags, and chooses at every call. The task asks for two, each of which
    computes one way only.
computes-both: Your programs each compute both ways, and use one. The task asks each to compute one way only.
numpys-true-lost: `training=np.bool_(True)` was taken for false. It is true, but it is not Python's own `True`, so
    `training is True` does not hold.
wrong-value/2: For other numbers, your result is not that of `normalise`. Is something kept from an earlier call?
not-jitted/none: Nothing was compiled. Put `jax.jit` around `normalise`.
"""

make_it_static = declare(
    "make-it-static",
    see="static-arguments",
    steps=[
        Agrees(normalised, where_it_is(True), [(2, 1)], each=2, raising=RAISING, rtol=1e-3),
        Agrees(normalised, where_it_is(False), [(2, 1)], each=2, raising=RAISING, rtol=1e-3, otherwise="flag-frozen"),
        two_programs_of_one_way_each,
        no_argument_donated,
        Agrees(normalised, with_a_flag, [(1, 4), (6, 6)], each=6, rtol=1e-3, otherwise="wrong-value/2"),
        Agrees(normalised, where_it_is(np.True_), [(2, 1)], each=1, rtol=1e-3, otherwise="numpys-true-lost"),
        one_key_for_each_truth,
    ],
    words=(LESSON, WORDS),
)
