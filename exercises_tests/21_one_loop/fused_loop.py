"""fused-loop: residuals of counts, in one compiled pass over the arrays."""

import numba as nb
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import is_close

from ._lesson import WORDS as LESSON
from ._lesson import allocates, as_filled, filled, numba_in, room_needed, three_arrays


def residuals(observed, expected):
    return (observed - expected) / np.sqrt(expected + 0.375)


def counts(rng, n):
    expected = rng.uniform(0, rng.choice([2, 20, 20, 1e6]), size=n).astype(np.float32)
    return rng.poisson(expected).astype(np.float32), expected


def compiled_twice(kernel, observed, expected):
    """Whether Numba compiles something in the second call of the same kind."""
    kernel(observed, expected, np.empty_like(observed))
    with insides.numba_compiling() as events:
        kernel(observed, expected, np.empty_like(observed))
    return bool(events)


@probe.question(evidence="values")
def behind_itself(kernel, lag, observed, memory):
    """What a memory holds after a kernel has written `lag` elements behind where it reads what is expected."""
    # The threads of a parallel kernel would meet each other's results: let there be one.
    parallel = getattr(kernel, "targetoptions", {}).get("parallel")
    threads = nb.get_num_threads() if parallel else 0
    memory = memory.copy()
    try:
        if parallel:
            nb.set_num_threads(1)
        kernel(observed, memory[: observed.size], memory[lag:])
    finally:
        if parallel:
            nb.set_num_threads(threads)
    return memory[lag:]


def one_pass_leaves(lag, observed, memory):
    """What a single pass leaves there: one that goes forward meets its own results, one from the end does not."""
    backward, memory = residuals(observed, memory[: observed.size].astype(float)), memory.astype(float)
    for start in range(0, observed.size, lag):
        part = slice(start, min(start + lag, observed.size))
        memory[lag:][part] = residuals(observed[part], memory[part])
    return [memory[lag:], backward]


def goes_over_them_once(answer, rng):
    """Whether the arrays are read once."""
    lag, many, memory = 256, np.full(1000, 100, np.float32), rng.uniform(1, 20, size=1256).astype(np.float32)
    left = answer.probe(behind_itself, lag, many, memory)
    return any(is_close(left, want, rtol=1e-3) for want in one_pass_leaves(lag, many, memory))


def rounded_once(answer, rng):
    """Whether no result shows that root and quotient were rounded: with eighths, sum and difference are exact."""
    observed, expected = (rng.integers(0, size, 500).astype(np.float32) / 8 for size in (800, 160))
    want = residuals(observed.astype(float), expected.astype(float)).astype(np.float32)
    return np.array_equal(answer.probe(filled, observed, expected)["values"], want)


def in_one_compiled_pass(answer, rng):
    """One compiled loop goes over the arrays once, in single precision, and makes none.

    A function, since which fault is named depends on the others: memory, passes and compiled code tell together.
    """
    observed, expected = counts(rng, 150_000)
    room = answer.probe(room_needed, observed, expected)
    compiled, code = answer.probe(numba_in).values()
    refuse(answer.probe(compiled_twice, observed[:9], expected[:9]), "compiles-in-every-call")
    refuse(room["jax"], "makes-an-array")
    makes, once = room["arrays"] > 0.5 or allocates(code), goes_over_them_once(answer, rng)
    require(compiled or (once and not makes), "not-compiled")
    refuse(any("fpext" in part for part in code) or rounded_once(answer, rng), "float64-inside")
    refuse(makes, "makes-an-array")
    require(once, "several-passes")


@probe.question(evidence="values")
def at_a_zero(kernel, observed):
    """Let a kernel divide by zero."""
    out = np.empty_like(observed)
    kernel(observed, np.full_like(observed, -0.375), out)
    return out


MISTAKES = {
    "divided-by-the-observed": lambda observed, expected: (observed - expected) / np.sqrt(observed + 0.375),
    "outside-the-root": lambda observed, expected: (observed - expected) / (np.sqrt(expected) + 0.375),
    "no-small-count": lambda observed, expected: (observed - expected) / np.sqrt(expected),
    "sign": lambda observed, expected: (expected - observed) / np.sqrt(expected + 0.375),
    "root-forgotten": lambda observed, expected: (observed - expected) / (expected + 0.375),
}

WORDS = """
hint: Which function should Numba compile? Put `@nb.njit(error_model="numpy")` above one with a plain loop over
    `range(out.size)`.
hint: The literal `0.375` is a `float64` for Numba. `np.float32(0.375)` is not.
divided-by-the-observed: You divided by a root of the observed count. The formula has the expected count there.
outside-the-root: You added the 3/8 outside the root. Add it to the count, under the root.
no-small-count: Your formula lacks the 3/8. Add it to the count, under the root.
sign: Your sign is turned. Subtract the expected count from the observed one.
root-forgotten: You divided by the expected count plus 3/8. Divide by its root.
wrong-value: Your `out` holds other numbers. It should hold `(observed - expected) / sqrt(expected + 3/8)`.
compiles-in-every-call: Your numbers are right, but Numba compiles anew in every call. Decorate the whole function, or a
    helper outside it.
not-compiled: Your numbers are right, but Numba compiles none of it, and one operation after the other goes over the
    arrays. Write a loop, and put `@nb.njit(...)` above the definition.
float64-inside: Your numbers are right, but your loop works in `float64`. One literal such as `0.375` is enough for
    that, unless you write `np.float32(0.375)`. Or does a signature ask for it?
makes-an-array: Your numbers are right, but you made a further array on the way, and so a further pass. Fill `out` in
    one loop.
several-passes: Your numbers are right, but you go over the arrays more than once, and read again what memory has
    already brought. Finish each element before the next.
raises-at-zero: Your loop stops at a zero below the line, as Python does and NumPy does not. So it looks at each
    divisor, one at a time. Set `error_model="numpy"`.
not-as-numpy: Your numbers are not NumPy's if `expected` is -3/8. The divisor is 0 then, and NumPy gives `inf`, `-inf`
    or `nan`. Divide by it, without `fastmath`.
"""

ADVICE = "Put `@nb.njit(...)` above the function that has the loop."
fused_loop = declare(
    "fused-loop",
    points=2,
    see="one-loop-by-hand",
    may_change_input=True,
    without=[no_loops(grows=three_arrays, advice=ADVICE)],
    steps=[
        Agrees(
            residuals,
            counts,
            [0, 1, 3, 70],
            ask=filled,
            reads=as_filled("observed", "expected"),
            mistakes=MISTAKES,
            shows="fused_loop({}, out)",
            rtol=1e-5,
        ),
        in_one_compiled_pass,
        Agrees(
            lambda observed: np.array([np.inf, -np.inf, np.nan]),
            extremes=[(np.array([1, -1, -0.375], np.float32),)],
            ask=at_a_zero,
            raising={"raises-at-zero": ["ZeroDivisionError"]},
            otherwise="not-as-numpy",
            shows="fused_loop({}, expected, out)",
        ),
    ],
    words=(LESSON, WORDS),
)
