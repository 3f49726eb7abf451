"""mean-spike-interval."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import is_close

from ._lesson import missing_while_traced


def mean_interval(voltage, threshold):
    """The oracle."""
    return np.diff(np.flatnonzero(voltage > threshold)).mean()


def spikes_at(rng, places, size, threshold=0.9):
    """A voltage with spikes at some places, above a threshold."""
    voltage = np.float32(threshold) - rng.uniform(0.5, 1, size=size).astype(np.float32)
    voltage[places] += rng.choice([1.01, 2], size=len(places)).astype(np.float32)
    scale = np.float32(rng.choice([1, 1e-3, 1e3]))  # volts, or thousandths of them
    return scale * voltage, scale * np.float32(threshold)


def some_places(rng, count, size):
    """Places of spikes, no two of them neighbours."""
    return np.sort(rng.choice(size - count + 1, count, replace=False)) + np.arange(count)


def draw_voltage(rng, size):
    places = some_places(rng, int(rng.integers(2, (size + 1) // 2 + 1)), size)
    ends = rng.random(2) < 0.4
    if len(places) > 2 and ends[0]:
        places = np.unique([0, *places[places > 1]])
    if len(places) > 2 and ends[1]:
        places = np.unique([*places[places < size - 2], size - 1])
    if len(places) < 2:
        places = np.array([0, size - 1])
    voltage, threshold = spikes_at(rng, places, size, float(rng.choice([0.9, 0.0, -2.5])))
    if rng.random() < 0.5:  # a sample that is just at the threshold, not above it
        voltage[rng.choice(np.setdiff1d(np.arange(size), places))] = threshold
    return voltage, threshold


def padded_with(place):
    """The intervals, if what fills up the places were spikes."""

    def oracle(voltage, threshold):
        places = np.flatnonzero(voltage > threshold)
        return np.diff(np.concatenate([places, np.full(voltage.size - len(places), place(voltage))])).mean()

    return oracle


MISTAKES = {
    "counts-the-spikes": lambda v, t: mean_interval(v, t) * (1 - 1 / np.sum(v > t)),
    "at-the-threshold": lambda v, t: np.diff(np.flatnonzero(v >= t)).mean(),
    "padding-counted": [
        *(padded_with(place) for place in (lambda v: 0, lambda v: -1, lambda v: v.size - 1, lambda v: v.size))
    ],
    "padding-counted/2": lambda v, t: np.diff(np.where(v > t, np.arange(v.size), 0)).mean(),
    "whole-samples": lambda v, t: mean_interval(v, t) // 1,
    "one-too-far": lambda v, t: mean_interval(v, t) + 1 / (np.sum(v > t) - 1),
    "loses-the-first-sample": lambda v, t: np.ptp(np.flatnonzero(v[1:] > t)) / (np.sum(v > t) - 1),
}


def any_count_of_spikes(answer, rng):
    """It can be traced, for seven spikes and for others."""
    seven = spikes_at(rng, some_places(rng, 7, 60) + 2, 64)
    while mean_interval(*seven) % 1 == 0:  # one that `//` does not change would say nothing of it
        seven = spikes_at(rng, some_places(rng, 7, 60) + 2, 64)
    got, missing, raised = missing_while_traced(answer, probe.under_jit, *seven)
    refuse(missing == "number", "needs-the-numbers", raised=raised)
    refuse(missing, "shape-depends-on-data", raised=raised)
    others = {count: spikes_at(rng, some_places(rng, count, 60) + 2, 64) for count in (4, 12, 26)}
    if is_close(got, mean_interval(*seven), rtol=1e-5):
        for count, case in others.items():
            got = answer.probe(probe.under_jit, *case)
            require(is_close(got, mean_interval(*case), rtol=1e-5), "fixed-count", count=count)


def long_recordings(answer, rng):
    """It is right for long recordings, with few spikes and with many."""
    some = np.array([50, 20_000, int(rng.integers(39_000, 39_900))])
    for places in (some, some_places(rng, 300, 40_000), some_places(rng, 18_000, 40_000)):
        long = spikes_at(rng, places, 40_000)
        got = answer.probe(probe.under_jit, *long)
        require(is_close(got, mean_interval(*long), rtol=1e-4), "long-recording", places=len(places))


WORDS = """
hint: The sum of all intervals telescopes, so only its two ends remain.
hint: `jnp.argmax` of the mask finds the first spike, and of the mask reversed the last. The sum of the mask says how
    many there are.
shape-depends-on-data [unknown-shapes]: How many spikes there are, and where, depends on the voltages. What you pick by
    a mask, or by a slice between them, has no shape to be traced with. Your code raised `{raised}`.
needs-the-numbers [tracer-errors]: NumPy, or Python, needs the numbers of `voltage`, and a tracer has none. Your code
    raised `{raised}`.
fixed-count: Your answer is right for seven spikes, and not for {count}. Your function fixes how many there may be.
counts-the-spikes: You divided by the number of spikes. Seven spikes have six intervals between them, so divide by one
    less.
at-the-threshold: You counted a sample *at* the threshold. It is not above it, and so no spike.
padding-counted: You count your padding as if it were spikes. Choose a `fill_value` that you can take out again.
padding-counted/2: You keep the samples that are no spikes, as zeros, and count them as if they were spikes.
whole-samples: A mean has a fraction, which `//` and whole numbers cut off.
one-too-far: Your last spike is one too far. The last of n samples has the number n - 1.
loses-the-first-sample: You lose a spike at sample 0. If zero stands for what is no spike, it cannot be a place as well.
wrong-value: Your result is not the mean interval between neighbouring spikes.
long-recording: Your answer is right for short recordings, and not for one of 40,000 samples with {places} spikes.
"""

mean_spike_interval = declare(
    "mean-spike-interval",
    see="lab-loud",
    steps=[
        any_count_of_spikes,
        Agrees(mean_interval, draw_voltage, [3, 8, 64], each=12, ask=probe.under_jit, mistakes=MISTAKES, rtol=1e-5),
        long_recordings,
    ],
    words=WORDS,
)
