"""aot-compile: programs for some lengths, compiled before there is any number."""

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, expect, refuse, require


def ahead_of_time(student_function, lengths, dtype, others):
    """How often a function is traced, and with what, when it is compiled for some lengths and when the result runs."""
    seen = []

    def doubled(x):
        seen.append("tracer" if isinstance(x, jax.core.Tracer) else "numbers")
        return x + x

    arrays = probe.on_device([np.arange(n).astype(dtype) for n in lengths])
    strangers = probe.on_device([np.ones(shape, kind) for shape, kind in others])
    jax.clear_caches()
    ready = student_function(doubled, list(lengths), jnp.dtype(dtype))
    facts = {"callable": callable(ready), "before": list(seen), "accepts": "", "results": [], "values": [], "late": ""}
    if not callable(ready):
        return facts | {"type": type(ready).__name__}
    for x in arrays:
        results = []
        try:
            if any(probe.compiled(lambda x: results.append(ready(x)), [(x,)])[0]):  # noqa: B023
                facts["late"] = f"{x.dtype}{x.shape}"
            facts["results"].append(f"{results[0].dtype}{results[0].shape}")
            facts["values"].append(np.asarray(results[0], np.float64))
        except Exception as error:
            facts["results"].append(f"{type(error).__name__}: {[*str(error).splitlines(), ''][0]}"[:200])
            facts["values"].append(0.0)
    for stranger in strangers:
        try:
            ready(stranger)
            facts["accepts"] = facts["accepts"] or f"{stranger.dtype}{stranger.shape}"
        except Exception:
            pass
    return facts | {"during": len(seen) - len(facts["before"])}


def runs_while_made(student_function, lengths, dtype):
    """How often a function runs, compiled or not, while it is compiled: each run calls back."""
    runs = []

    def doubled(x):
        jax.debug.callback(lambda: runs.append(1))
        return x + x

    student_function(doubled, list(lengths), jnp.dtype(dtype))
    jax.effects_barrier()
    return len(runs)


@probe.question(evidence="values")
def sums_and_thirds(student_function, lengths, dtype):
    """What another function, which returns two arrays of other shapes, gives when it is compiled in the same way."""
    ready = student_function(lambda x: (x.sum(), x[:1] / 3), list(lengths), jnp.dtype(dtype))
    return [ready(probe.on_device(np.arange(1, n + 1).astype(dtype))) for n in lengths]


def judge_types(facts, lengths, dtype):
    """What a program takes, what it refuses, and when it was made."""
    require(facts["callable"], "not-compiled", type=facts.get("type"))
    refuse("numbers" in facts["before"], "run-with-numbers")
    require(facts["before"], "just-in-time")
    for n, result in zip(lengths, facts["results"], strict=True):
        require(result == f"{dtype}({n},)", "wrong-type", dtype=dtype, length=n, result=result)
    refuse(facts["accepts"], "accepts-everything", accepts=facts["accepts"])
    refuse(facts["late"], "compiled-late", late=facts["late"])


def some_lengths(rng):
    return sorted(int(n) for n in rng.choice(np.arange(3, 20), size=3, replace=False))


def programs_of_their_types_alone(answer, rng):
    """Each program is made before the first call, and takes no other type.

    A function, since what came back is a program: what it takes and refuses, and when it was made, is asked.
    """
    few = some_lengths(rng)
    for lengths, dtype in ((few, "float32"), (few[::-1], "int32"), ([1], "bfloat16")):
        longest = max(lengths)
        free = next(n for n in range(2, 30) if n not in lengths)
        others = [((n,), dtype) for n in (free, longest + 1, 2 * longest + 1)]
        others += [((n,), kind) for n in (lengths[0], longest) for kind in ("uint8", "float16", "int16")]
        others += [((longest, 1), dtype), ((longest, 2), dtype)]
        facts = answer.probe(ahead_of_time, lengths, dtype, others)
        answer.called = f"aot_compile(doubled, {lengths}, {dtype})"
        judge_types(facts, lengths, dtype)
        for n, got in zip(lengths, facts["values"], strict=True):
            expect(np.asarray(got), 2 * np.arange(n), "wrong-value")


def a_sum_and_a_third(lengths, dtype):
    return [(n * (n + 1) / 2, [1 / 3]) for n in lengths]


def made_without_a_run(answer, rng):
    """The function is traced, and not run, while it is compiled.

    A function, since it counts runs.
    """
    try:
        ran = answer.probe(runs_while_made, some_lengths(rng), "float32")
    except probe.AnswerRaised:  # an answer may go through what takes no function that calls back, such as an export
        return
    refuse(ran, "run-with-numbers/2")


WORDS = """
hint: `jax.ShapeDtypeStruct((n,), dtype)` stands in for an array of `n` numbers.
hint: Each length takes three stages, which are `jax.jit(...)`, `.lower(...)`, and one more. Keep the programs in a
    dictionary.
not-compiled: What you returned, a `{type}`, cannot be called. Return a function that picks the program by the length
    of what it is given.
run-with-numbers: The function was run with real numbers. A description is enough for `lower`.
just-in-time: Nothing was traced before the first call. Go through the stages at once, for each of the lengths.
wrong-type: For a `{dtype}` of {length} numbers, the function that you returned should give one like it. It answered
    {result}.
accepts-everything: The function that you returned took a `{accepts}`, for which it was not made. Only the compiled
    programs should answer.
compiled-late: The call with `{late}` still compiled something. Keep what `.compile()` gives, and let nothing of JAX
    run beside it.
wrong-value: The compiled program should do what the function does.
one-function-only: Your answer is right for one function. Another one, which returns a number and an array, should give
    its own results.
run-with-numbers/2: The function was run with numbers to have it compiled. A description is enough for `lower`.
"""

aot_compile = declare(
    "aot-compile",
    points=2,
    see="ahead-of-time",
    steps=[
        programs_of_their_types_alone,
        Agrees(
            a_sum_and_a_third,
            extremes=lambda rng: [(some_lengths(rng), "float32")],
            ask=sums_and_thirds,
            otherwise="one-function-only",
        ),
        made_without_a_run,
    ],
    words=WORDS,
)
