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
hint: How many positions do you need? `jnp.nonzero(mask, size=k, fill_value=...)` gives `k`, whatever the mask.
hint: Which position is neither the first element nor the last, nor any other?
hint: `len(signal)` is out of bounds: read with `mode="fill"`.
k-traced: Your function stops only under its own `jit`. Does that trace `k`, which should be static, ask for a
    number, as `int` does, or make a shape from a count?
shape-depends-on-data: Your code makes a shape from the number of events, which JAX does not know. Use no mask as an
    index, no slice up to a count, no bare `nonzero`.
needs-the-numbers: Your code asked for numbers. Under `jit` there are none yet: use `jnp`, and no `if`, `int` or
    `float`.
padded-with-first: Your places left over hold the first element. The default of `nonzero`, 0, is an index too.
padded-with-first/event: Your places left over repeat the first element if that is an event. Its index, 0, is an
    index like any other.
padded-with-last: Your places left over hold the last element. That is -1, and without a mode also an index beyond
    the end.
padded-with-zeros: Your places left over hold 0, which could be a measurement. Use NaN.
threshold-included: Your events include elements that equal the threshold. They are not greater: use `>`, not `>=`.
largest-not-first: You returned the largest events. Return the first, in their order.
order-lost: Your events come sorted by size. Return the first, in the order in which they came.
last-not-first: You returned the last events, backwards. Return the first.
cut-too-early: You looked for events only among the first `k` samples. Select first, then cut.
gave-positions: You returned the positions of the events. Return their values.
others-follow: Your events are followed by elements that are none. Put NaN there.
wrong-value: Your result is not the first `k` events in their order, with NaN if there are fewer.
k-beyond-the-end: Your answer is right if `signal` has at least `k` elements. It may have fewer, and the result
    still has `k`.
many-wanted: Your answer is right for a small `k`, and not for 12000 of a shorter signal. Does a fixed number stand
    for out of bounds, or give the room?
event-is-nothing: You took an event for a sign of nothing. Ask the position whether it is an event.
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
