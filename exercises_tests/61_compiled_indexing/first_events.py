"""first-events: the first `k` elements above a threshold, in their order, then NaN; under `jit`, with `k` static."""

import functools

import jax
import numpy as np

from jaxcourse import inputs, insides, probe
from jaxcourse.checks import Agrees, declare, refuse
from jaxcourse.probe import NEEDS_A_NUMBER, NEEDS_A_SHAPE

from . import _lesson
from ._lesson import MANY, NOTHING, QUITE_MANY, compiled_for


@probe.question(evidence="values")
def shorter_for_all_pairs(function, signal, threshold, k):
    """The answer's result for a long array, under `jit`; for its beginning, if it compares all pairs."""
    short = signal[:12_000]
    equations = insides.read(function, short, threshold, k, static=2).everything
    largest = max(made.size for equation in equations for made in equation.outputs)
    if largest > 30 * len(short) or any(equation.loop for equation in equations):
        signal = short
    return jax.jit(function, static_argnums=2)(signal, threshold, k)


def k_is_known(answer, rng):
    """`k` is no tracer."""
    refuse(_lesson.traces_the_size(answer, *signals(rng, (9, 4))), "k-traced")


def first_above(signal, threshold, k, padding=np.nan, chosen=None):
    found = signal[signal > threshold if chosen is None else chosen][:k]
    return np.array([*found, *[padding] * (k - len(found))], np.float32)


def signals(rng, shape):
    """A signal with few or many events, some elements exactly at the threshold, and how many are wanted."""
    n, k = shape
    threshold = float(rng.integers(-2, 3)) / 4
    low, high = rng.choice([[-3, 3], [-3, threshold + 0.5], [threshold, 3]])
    signal = inputs.array(rng, n, "float32", low=low, high=high)
    signal = inputs.meeting(rng, signal, threshold)
    signal = np.where(rng.random(n) < 0.1, np.float32(threshold + 2.0**-22), signal)  # an event all the same
    if rng.random() < 0.3:  # one event, and it is the first element
        signal = np.minimum(signal, np.float32(threshold))
        signal[0] = threshold + 2
    unit = 2.0 ** rng.choice([0, 0, -40])
    return np.float32(unit) * signal, unit * threshold, k


def long(rng):
    """Signals whose first events lie at their beginning."""
    few = np.where(np.arange(MANY) == 5, 2, 0).astype(np.float32)
    return [(few, 1.0, 3), (np.arange(MANY, dtype=np.float32), 10.5, 3)]


def many_wanted(rng):
    return [(np.arange(1500, dtype=np.float32), 1.0, QUITE_MANY)]


def padded_with(padding):
    return lambda signal, threshold, k: first_above(signal, threshold, k, padding(signal, threshold))


MISTAKES = {
    "padded-with-first": padded_with(lambda signal, threshold: signal[0]),
    "padded-with-first/event": padded_with(lambda signal, threshold: signal[0] if signal[0] > threshold else np.nan),
    "padded-with-last": padded_with(lambda signal, threshold: signal[-1]),
    "padded-with-zeros": padded_with(lambda signal, threshold: 0),
    "threshold-included": lambda signal, threshold, k: first_above(
        signal, np.nextafter(np.float32(threshold), -np.inf), k
    ),
    "largest-not-first": lambda signal, threshold, k: first_above(np.sort(signal)[::-1], threshold, k),
    "order-lost": lambda signal, threshold, k: first_above(np.sort(signal), threshold, k),
    "last-not-first": lambda signal, threshold, k: first_above(signal[::-1], threshold, k),
    "cut-too-early": lambda signal, threshold, k: np.where(signal > threshold, signal, np.nan)[:k],
    "gave-positions": lambda signal, threshold, k: first_above(
        np.arange(len(signal)), threshold, k, chosen=signal > threshold
    ),
    "others-follow": lambda signal, threshold, k: signal[np.argsort(~(signal > threshold), stable=True)][:k],
}

WORDS = """
hint: `jnp.nonzero(mask, size=k, fill_value=...)` gives `k` positions, whatever the mask.
hint: Which position is neither the first element nor the last, nor any other?
hint: `len(signal)` is outside: read with `mode="fill"`.
k-traced: It fails under a `jit` of your own, and not without one. Does that trace `k`, which should be static, does it
    ask for a number, as `int` does, or does a shape in it depend on how many events there are?
shape-depends-on-data: How many events there are is not known while your function is compiled, and a shape in it
    depends on that: no mask as an index, to read or to write, no slice up to a count, and `nonzero` needs its `size`.
needs-the-numbers: Under `jit` there are no numbers yet: use `jnp`, and no `if`, `int` or `float`.
padded-with-first: The places left over hold the first element: 0, the default of `nonzero`, is an index too.
padded-with-first/event: Where the first element is an event, the places left over repeat it: 0 is an index too.
padded-with-last: The places left over hold the last element: -1 is the last, and so is, without a mode, an index
    beyond the end.
padded-with-zeros: The places left over hold 0, which could be a measurement: use NaN.
threshold-included: An element that equals the threshold is not greater: `>`, not `>=`.
largest-not-first: Those are the largest events. The first are wanted, in their order.
order-lost: The events come sorted by size. The first are wanted, in the order in which they came.
last-not-first: Those are the last events, backwards. The first are wanted.
cut-too-early: You looked for events among the first `k` samples only: select first, then cut.
gave-positions: Those are the positions of the events. Their values are wanted.
others-follow: After the events come elements that are none. NaN is wanted there.
wrong-value: The first `k` events in their order, and NaN where there are fewer.
k-beyond-the-end: Right as long as `k` is not more than `signal` has. It may be more, and the result has `k`
    elements.
many-wanted: Right for few, and not where 12000 are wanted of a shorter signal. `k` has no limit: does a fixed number
    stand for outside, or give the room?
event-is-nothing: An event that you took for a sign of nothing is an event. Ask the position whether it is one.
"""

RAISING = {"needs-the-numbers": NEEDS_A_NUMBER, "shape-depends-on-data": NEEDS_A_SHAPE}
BEYOND = RAISING | {"k-beyond-the-end": ""}
FINITE = NOTHING[np.isfinite(NOTHING)]
SIZES = [(np.ones(n, np.float32), 0.5, n) for n in (8, 32)]
agrees = functools.partial(Agrees, first_above, ask=compiled_for, raising=RAISING)
of_many = functools.partial(_lesson.AgreesOnMany, first_above, ask=compiled_for, raising=RAISING, sizes=SIZES)
first_events = declare(
    "first-events",
    points=2,
    see="fixed-shapes",
    steps=[
        k_is_known,
        agrees(signals, [(3, 2), (9, 4), (9, 1)], each=12, mistakes=MISTAKES),
        of_many(extremes=long, ask=shorter_for_all_pairs, otherwise="short-arrays-only"),
        agrees(signals, [(1, 3)], each=6, raising=BEYOND, otherwise="k-beyond-the-end"),
        of_many(extremes=many_wanted, otherwise="many-wanted"),
        agrees(extremes=[(np.roll(FINITE, n), -1e10, 4) for n in (0, 3, 6)], otherwise="event-is-nothing"),
    ],
    words=(_lesson.WORDS, WORDS),
)
