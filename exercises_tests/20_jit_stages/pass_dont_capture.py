"""pass-dont-capture: observers of several detectors, from one program."""

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, seen
from jaxcourse.exercise import is_close

from ._lesson import NO_HASH, require_one_program
from ._lesson import WORDS as LESSON


def observers(student_function, responses, lights):
    """What observers of several detectors return, and which programs are compiled for each, from empty caches on."""
    matrices, lights = probe.on_device(responses), [(probe.on_device(light),) for light in lights]
    jax.clear_caches()
    for dtype in ("float32", "float64"):
        jnp.asarray(np.ones(len(responses[0]), dtype))  # this alone compiles, and is not the observer's program
    alone = [student_function(response) for response in matrices]  # all are there before one of them observes
    stray = [type(each).__name__ for each in alone if not callable(each)]
    if stray:
        return {"stray": stray[0]}
    names = [probe.compiled(observe, lights) for observe in alone]
    results = [[observe(*light) for light in lights] for observe in alone]
    if any(each is None for row in results for each in row):
        return {"stray": "", "results": None}
    results = [list(map(np.asarray, row)) for row in results]
    names += [probe.compiled(student_function(matrices[0]), lights)]
    beside = probe.leaves_jax(alone[0], *lights[0])
    return {"stray": "", "results": results, "programs": names, "beside": beside}


def detectors(rng, case):
    """Matrices of detectors, and the photons that all of them get."""
    shape, scale = case
    responses = [(scale * rng.uniform(size=shape)).astype(np.float32) for _ in range(3)]
    return responses, [rng.uniform(1, 9, size=shape[1]).astype(np.float32) for _ in range(2)]


def deviations(responses, lights):
    return [[np.sqrt(response @ light) for light in lights] for response in responses]


def seen_by_observers(facts, responses, lights):
    """What the observers return, if they are functions that return something."""
    refuse(facts["stray"], "not-an-observer", stray=facts["stray"])
    refuse(facts["results"] is None, "observer-returned-nothing")
    return facts["results"]


def one_program_for_all(answer, replies):
    """The first observer's first call should have compiled one program, which serves all of them."""
    for reply in replies:
        first, *others = reply.whole["programs"]
        require_one_program(first[0])
        refuse(reply.whole["beside"], "beside-the-jit")
        refuse(first[1], "jit-at-each-call")
        refuse(any(name for names in others for name in names), "captured")


def are_all_alike(reply):
    """Whether all observers return the same: the matrix that they share may be any."""
    return all(is_close(row, reply.got[0]) for row in reply.got)


MISTAKES = {
    "last-matrix-for-all": lambda responses, lights: deviations([responses[-1]] * len(responses), lights),
    "first-matrix-kept": seen(are_all_alike),
    "root-lost": lambda responses, lights: [[response @ light for light in lights] for response in responses],
}

WORDS = """
hint: What must the compiled function take, so that it has nothing to find?
hint: Compile outside. Bind the matrix afterwards, with a `lambda` or with `functools.partial`.
last-matrix-for-all: Your observers all give what the last detector gives, since they share one place for the
    matrix. Let each have its own.
first-matrix-kept: Your observers of different detectors give the same. Each should use its own matrix, and a
    program keeps one that it finds at its trace.
root-lost: You returned the counts. Their deviation is the square root.
wrong-value: Your numbers are not the square root of `response @ photons`.
array-made-static [static-arguments]: Your static argument needs a hash, and an array has none. Pass the matrix like
    any other array.
not-an-observer: Return a function of `photons`. You returned an object of type `{stray}`.
observer-returned-nothing: Your observer returned `None`. It should return the square root of `response @ photons`.
not-jitted: Your observer compiled {count} programs: some of the work is outside the `jit`. Put all of it inside
    one.
not-jitted/none: Your observer's first call compiled nothing. Put `jax.jit` around the function that all detectors
    share.
jit-at-each-call: New photons compiled again, because you jit a new function at each call. Make it once, outside.
captured: Your second detector compiled again: the program was made for the first one's matrix, or for its function.
    Pass the matrix to one function, compiled outside.
"""

OBSERVED = {
    "ask": observers,
    "reads": seen_by_observers,
    "then": [one_program_for_all],
    "raising": {"array-made-static": NO_HASH},
    "shows": "[[pass_dont_capture(response)(photons) for photons in lights] for response in responses]",
}
pass_dont_capture = declare(
    "pass-dont-capture",
    points=2,
    see="captured",
    steps=[
        Agrees(deviations, detectors, [((2, 2), 1)], each=2, mistakes=MISTAKES, **OBSERVED),
        Agrees(deviations, detectors, [((3, 1), 1e-9)], each=1, **OBSERVED),
    ],
    words=(LESSON, WORDS),
)
