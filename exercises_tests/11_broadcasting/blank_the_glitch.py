"""blank-the-glitch: where a detector's window `start <= t < stop` is, its `fill` in place of the signal."""

import numpy as np

from jaxcourse.checks import Agrees, declare
from jaxcourse.inputs import layouts, planted

from . import _lesson
from ._lesson import tenths


def blanked(signal, times, start, stop, fill):
    result = signal.copy()
    for i, j in np.ndindex(signal.shape):
        if start[i] <= times[j] < stop[i]:
            result[i, j] = fill[i]
    return result


def clear(rng, lengths):
    """Each detector has a window of its own in the midst of the samples, so that every mistake shows."""
    detectors, samples = lengths
    times = np.arange(samples) * 0.5 + float(rng.integers(1, 4))
    first = rng.permutation(samples - 3)[:detectors] + 1 if detectors <= samples - 3 else np.arange(detectors) % 2 + 1
    start, stop = times[first], times[np.minimum(first + 1 + (rng.random(detectors) < 0.5), samples - 1)]
    return tenths(rng, lengths), times, start, stop, rng.permutation(detectors) + 10.0


def observed(rng, lengths):
    """Some windows begin or end at a sample, some hit nothing, some everything."""
    detectors, samples = lengths
    times = np.cumsum(rng.integers(1, 3, size=samples)) * 0.5 - samples // 2
    times = times * 2.0 ** rng.choice([-40, 0, 20])  # of seconds or of picoseconds: no slack is small enough
    edges = np.concatenate([[times[0] - 1], times, [times[-1] + 1, times[-1] + 2]])
    start, stop = rng.choice(edges, size=detectors), rng.choice(edges, size=detectors)
    turned = rng.random(detectors) < 0.8
    start, stop = np.where(turned, np.minimum(start, stop), start), np.where(turned, np.maximum(start, stop), stop)
    return tenths(rng, lengths), times, start, stop, rng.integers(0, 9, size=detectors) + 10.0


def in_any_order(rng, lengths):
    """The samples are in another order than that of their times, and several are at one time."""
    signal, times, *others = observed(rng, lengths)
    times[-1] = times[0]
    return signal, rng.permutation(times), *others


def in_fortran_order(rng, lengths):
    signal, *others = observed(rng, lengths)
    return layouts(signal)["Fortran order"], *others


def not_finite(rng):
    signal, *others, fill = clear(rng, (3, 8))
    odd = [(x, *others, fill) for x in [*planted(signal), np.full((3, 8), np.nan)]]
    return odd + [(signal, *others, f) for f in planted(fill, np.nan, np.inf)]


def hits(times, start, stop):
    return (start <= times) & (times < stop)


def picked(choose):
    return lambda signal, times, start, stop, fill: choose(signal, times, start[:, None], stop[:, None], fill[:, None])


AS_ROWS = [
    lambda s, t, a, b, f: np.where(hits(t, a, b), f, s),
    lambda s, t, a, b, f: np.where(hits(t, a[:, None], b[:, None]), f, s),
]
MISTAKES = {
    "zeros-not-fill": picked(lambda s, t, a, b, f: s * ~hits(t, a, b)),
    "inside-out": picked(lambda s, t, a, b, f: np.where(hits(t, a, b), s, f)),
    "end-blanked": picked(lambda s, t, a, b, f: np.where((a <= t) & (t <= b), f, s)),
    "start-kept": picked(lambda s, t, a, b, f: np.where((a < t) & (t < b), f, s)),
    "one-window": picked(lambda s, t, a, b, f: np.where(hits(t, a.min(), b.max()), f, s)),
    "joined-by-or": picked(lambda s, t, a, b, f: np.where((a <= t) | (t < b), f, s)),
    "one-fill": [
        picked(lambda s, t, a, b, f: np.where(hits(t, a, b), f[0], s)),
        picked(lambda s, t, a, b, f: np.where(hits(t, a, b), f.mean(), s)),
    ],
    "fill-added": picked(lambda s, t, a, b, f: s + hits(t, a, b) * f),
    "nan-not-fill": picked(lambda s, t, a, b, f: np.where(hits(t, a, b), np.nan, s)),
    "counted-samples": picked(lambda s, t, a, b, f: np.where(hits(np.arange(len(t)), a, b), f, s)),
}
RAISING = {"truth-value": "truth value", "brackets-missing": "bitwise_and"}

WORDS = """
hint: For which detector and which sample does the mask hold? Write it first, as two comparisons joined by `&`.
hint: `np.where(mask, a, b)` takes `a` where the mask holds. All three broadcast.
brackets-missing: You applied `&` to numbers, and it should join two comparisons. It binds more tightly than `<`, so put
    brackets around each.
taken-for-a-row: You took something that belongs to the detectors for a row. With as many samples as detectors, that
    even fits. Make a column, such as `start[:, None]`.
zeros-not-fill: You set those samples to 0. Put `fill` there with `np.where`, because multiplying by a mask can make
    nothing but zeros.
inside-out: You kept the glitch and blanked the rest. Exchange the two.
end-blanked: You also blanked the sample at `stop` itself. It should stay, so use `t < stop`, without equality.
start-kept: You kept the sample at `start` itself. It should go, so use `start <= t`, with equality.
one-window: You blanked one window in all detectors. Each has its own `start` and `stop`, so make columns of them.
joined-by-or: You blanked every sample. Were the comparisons joined by *or*? Both must hold, for each sample by itself,
    so join them by `&`.
one-fill: You took one `fill` for all detectors. Each has its own.
fill-added: You added `fill`. It should replace the samples.
nan-not-fill: You set those samples to NaN. Each detector has its own `fill`.
counted-samples: You compared the positions of the samples. Compare their `times`.
wrong-value: Your result does not follow the text. A window may begin or end at a sample, hit nothing, or end before it
    begins.
rising-times-only: Your answer is right for rising times. Here the samples come in another order, some at the same time.
    Compare every time with the window.
c-order-only: Your answer is right if the rows of `signal` follow each other in memory. Here its columns do. Do you
    write into a copy that `ravel` or `reshape` makes?
spoilt-by-nan: Your answer is off if a sample or a `fill` is NaN or infinite. 0 times NaN is NaN, and a measured NaN is
    no sign of a hit. Pick with `np.where`, by the mask alone.
"""

LENGTHS = [(1, 1), (1, 4), (3, 1), (2, 5), (5, 2), (3, 13), (4, 4)]
blank_the_glitch = declare(
    "blank-the-glitch",
    points=2,
    see="more-operands",
    steps=[
        Agrees(blanked, clear, [(3, 8)], each=1, raising=RAISING, otherwise=None),
        Agrees(blanked, clear, [(4, 4), (5, 5)], mistakes={"taken-for-a-row": AS_ROWS}, otherwise=None),
        Agrees(blanked, clear, [(3, 9), (4, 12), (2, 7)], mistakes=MISTAKES, rtol=1e-5),
        Agrees(blanked, observed, LENGTHS, rtol=1e-5),
        Agrees(blanked, in_any_order, [(2, 5), (3, 13)], otherwise="rising-times-only"),
        Agrees(blanked, in_fortran_order, [(2, 5), (3, 13)], otherwise="c-order-only"),
        Agrees(blanked, extremes=not_finite, otherwise="spoilt-by-nan"),
    ],
    words=(_lesson.WORDS, WORDS),
)
