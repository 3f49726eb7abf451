"""bucketed-means."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close


def handed_over(student_function, curves, *, from_empty_caches=False):
    """The means, how often the sum was traced, how many elements it got in all, and what else was compiled."""
    traces, elements, means, inside = [], [], [], []

    @jax.jit
    def traced_sum(curve):
        traces.append(curve.shape)
        return jnp.sum(curve)

    def compiled_sum(curve):
        elements.append(int(np.size(curve)))
        if isinstance(curve, jax.core.Tracer):
            before = len(traces)
            total = traced_sum(curve)
            inside.extend(traces[before:])
            return total
        # It is traced as ever, but its program, which nobody looks at, is neither compiled nor run.
        return jax.device_put(np.asarray(curve).sum(dtype=traced_sum.eval_shape(curve).dtype))

    def evaluate():
        means.extend(float(mean) for mean in student_function(curves, compiled_sum))

    if from_empty_caches:
        jax.clear_caches()
    besides = len(probe.compiled(evaluate, [()])[0]) - len(inside)
    facts = {"means": np.array(means), "calls": len(elements), "traces": len(traces), "elements": sum(elements)}
    return facts | {"besides": besides}


def lengths_to_pad(rng):
    """Lengths from 1 to 1000: just above a power of four, where much is padded; powers of two; and one by one."""
    above = np.concatenate([4**k + rng.choice(np.arange(1, 3 * k), 2 * k - 1, replace=False) for k in (2, 3, 4)])
    spread = 301 + 20 * rng.permutation(9)[:8]  # each in a multiple of ten of its own
    others = [1, 2, 3, 6, 7, 8, 11, 13, 30, 50, 64, 120, 200, 256, 600, 1000]
    return rng.permutation([*others, *above, *spread])


def means_of(curves):
    """The oracle, in `float64`."""
    return np.array([curve.astype(np.float64).mean() for curve in curves])


def many_lengths(answer, rng):
    """Means of curves of many lengths, by few programs and without much padding.

    A function, since what was handed over to be added up is one reply for all curves.
    """
    lengths = lengths_to_pad(rng)
    curves = [rng.uniform(1, 2, size=n).astype(np.float32) for n in lengths]
    facts = answer.probe(handed_over, curves, from_empty_caches=True)
    count, calls, traces = len(curves), facts["calls"], facts["traces"]
    require(calls >= count, "sum-not-used")
    refuse(calls > count, "many-calls", calls=calls, count=count)
    require(traces <= 11, "one-program-per-length", traces=traces, count=count)
    right_means(facts, means_of(curves), lengths)
    elements, total = facts["elements"], int(lengths.sum())
    require(elements <= 2 * total, "pads-too-much", elements=elements, total=total)
    by_jax = facts["besides"] >= len(set(lengths)) / 2
    refuse(by_jax, "padded-by-jax", traces=traces, besides=facts["besides"])


def right_means(facts, want, lengths):
    """Whether the means are right, and which mistake it is if they are not."""
    got, exact = facts["means"], np.log2(lengths) % 1 == 0
    if np.shape(got) == want.shape:
        lowered = np.all(got[~exact] < want[~exact] * 0.9995) and facts["elements"] > lengths.sum()
        refuse(lowered and is_close(got[exact], want[exact], rtol=1e-4), "divides-by-the-padding")
        same = is_close(np.sort(got), np.sort(want), rtol=1e-4)
        refuse(same and not is_close(got, want, rtol=1e-4), "another-order")
    expect(got, want, "wrong-value", rtol=1e-4)


def other_curves(answer, rng):
    """Three short ones, with zeros and negative numbers, of other dtypes."""
    curves = [rng.integers(-9, 9, size=n).astype(dtype) for n, dtype in ((5, "float32"), (4, "int16"), (1, "int32"))]
    curves[0][2] = curves[1][3] = 0
    facts = answer.probe(handed_over, curves)
    expect(facts["means"], means_of(curves), "wrong-value/2", rtol=1e-4)
    require(facts["elements"] <= 20, "pads-too-much/few", elements=facts["elements"])


def many_short_ones(answer, rng):
    """Many short curves are not padded to the length of a long one."""
    lengths = rng.permutation([1] * 40 + [4] * 15 + [5] * 4 + [300])
    curves = [rng.uniform(1, 2, size=n).astype(np.float32) for n in lengths]
    facts = answer.probe(handed_over, curves)
    require(facts["elements"] <= 840, "pads-too-much/many", elements=facts["elements"])
    expect(facts["means"], means_of(curves), "wrong-value/3", rtol=1e-4)


WORDS = """
hint: Zeros do not change a sum. To which lengths will you pad with them?
hint: `2 ** int(np.ceil(np.log2(n)))` is the next power of two, and less than twice as long.
sum-not-used: Each curve should be summed by one call of `compiled_sum`.
many-calls: You call `compiled_sum` {calls} times for {count} curves. Hand over each at once.
one-program-per-length [new-shapes]: You compile {traces} programs for {count} curves with lengths up to 1000, where 11
    are enough. Pad to fewer lengths, all in one dtype.
divides-by-the-padding: You divide by the length with the padding in it, so the mean of a short curve comes out too
    small.
another-order: Your means are in another order.
wrong-value: Your numbers are not the means of the curves.
pads-too-much: You hand over {elements} elements for curves that have {total}, so more zeros than light. Pad each to the
    next power of two.
pads-too-much/few: Your means are right for long curves. For three of 5, 4 and 1 elements, you hand over {elements}. Pad
    each to the next power of two.
pads-too-much/many: For many short curves and a long one, you hand over {elements} elements, and the curves have 420.
    Pad each to the next power of two.
padded-by-jax [new-shapes]: You compile the sum {traces} times, and {besides} other programs with it. Is it JAX that
    pads? Use `np.pad`.
wrong-value/2: Your means are right for positive `float32`, and not for other curves.
wrong-value/3: Your means are not right for many short curves.
"""

bucketed_means = declare(
    "bucketed-means",
    points=2,
    see="lab-slow",
    steps=[many_lengths, other_curves, many_short_ones],
    words=WORDS,
)
