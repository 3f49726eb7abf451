"""pass-dont-capture."""

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse
from jaxcourse.exercise import is_close

from ._lesson import WORDS as LESSON
from ._lesson import hashed, require_one_program


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


def _judge_observers(results, responses, lights):
    same = all(is_close(got, one) for row in results for got, one in zip(row, results[0], strict=True))
    last = all(is_close(got, np.sqrt(responses[-1] @ light)) for got, light in zip(results[0], lights, strict=True))
    refuse(same and last, "last-matrix-for-all")
    refuse(same, "first-matrix-kept")
    for response, row in zip(responses, results, strict=True):
        for light, got in zip(lights, row, strict=True):
            refuse(is_close(got, response @ light), "root-lost")
            expect(got, np.sqrt(response @ light), "wrong-value")


def check(answer, rng):
    for shape, scale in (((4, 4), 1), ((3, 1), 1e-9)):
        responses = [(scale * rng.uniform(size=shape)).astype(np.float32) for _ in range(3)]
        lights = [rng.uniform(1, 9, size=shape[1]).astype(np.float32) for _ in range(2)]
        facts, unhashable = hashed(answer.probe, observers, responses, lights)
        refuse(unhashable, "array-made-static")
        refuse(facts["stray"], "not-an-observer", stray=facts["stray"])
        refuse(facts["results"] is None, "observer-returned-nothing")
        _judge_observers(facts["results"], responses, lights)
        first, *others = facts["programs"]
        require_one_program(first[0])
        refuse(facts["beside"], "beside-the-jit")
        refuse(first[1], "jit-at-each-call")
        refuse(any(name for names in others for name in names), "captured")


WORDS = """
hint: What must the compiled function take, so that it need not find anything?
hint: Compile outside. Bind the matrix afterwards: a `lambda`, or `functools.partial`.
last-matrix-for-all: All observers give what the last detector gives: they share one place for the matrix. Each
    needs its own.
first-matrix-kept: Observers of different detectors give the same. Each should use its own matrix, and a program
    keeps one that it finds at its trace.
root-lost: Those are the counts. Their deviation is the root.
wrong-value: The square root of `response @ photons`.
array-made-static [static-arguments]: A static argument needs a hash, and an array has none. Pass the matrix like
    any other array.
not-an-observer: Return a function of `photons`, not an object of type `{stray}`.
observer-returned-nothing: The observer returned `None`: it should return the square root of `response @ photons`.
not-jitted: One observer compiled {count} programs: not all of the work is inside one `jit`.
not-jitted/none: An observer's first call compiled nothing: put `jax.jit` around what all detectors share.
jit-at-each-call: New photons compiled again: a new function is jitted at each call.
captured: The second detector compiled again: the program was made for the first one's matrix, or for its function.
"""

pass_dont_capture = declare(
    "pass-dont-capture",
    points=2,
    see="captured",
    steps=[check],
    words=(LESSON, WORDS),
)
