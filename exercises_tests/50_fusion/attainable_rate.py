"""attainable-rate: the roofline: what memory delivers, and what the processor does at its peak."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, refuse, require

from ._lesson import WORDS as LESSON


def highest_rate(intensity, bandwidth, peak):
    """On the left of the ridge memory limits, on its right the processor."""
    ridge = peak / bandwidth
    return np.where(np.asarray(intensity) < ridge, np.multiply(intensity, bandwidth), peak)


def machine(rng):
    """The bandwidth of a memory, and the intensity at the ridge."""
    return float(rng.uniform(20, 60)) * 1e9, float(rng.uniform(2, 30))


def one_intensity(rng, _):
    bandwidth, ridge = machine(rng)
    return ridge * float(rng.choice([0.01, 0.5, 1, 3, 9]) * rng.uniform(0.9, 1.1)), bandwidth, ridge * bandwidth


def arrays_for_one_machine(rng):
    """Shapes, each with the same machine: of an answer that remembers, only the intensities are new."""
    bandwidth, ridge = machine(rng)
    return [(shape, bandwidth, ridge) for shape in SHAPES]


def many_intensities(rng, case):
    shape, bandwidth, ridge = case
    intensity = ridge * rng.choice([0.01, 0.3, 1, 4], shape) * rng.uniform(0.8, 1.25, shape)
    return inputs.meeting(rng, intensity, ridge), bandwidth, ridge * bandwidth


def an_array_of_an_array(answer, rng):
    """For an array of intensities an array comes back.

    A function, since of a list the numbers are right: its type alone is asked for.
    """
    kind, raised = answer.attempt(
        probe.result_type, *many_intensities(rng, (5, *machine(rng))), expected=["ValueError: truth value"]
    )
    refuse(raised, "python-decides")
    require(kind not in ("list", "tuple"), "a-list")


SHAPES = [(0,), (1,), (4,), (2, 3), (20,)]
LIMITS = [(0.5, 4e10, 6e11), (100.0, 4e10, 6e11), (0.25, 3e10, 9e11), (60.0, 3e10, 9e11)]
MISTAKES = {
    "always-the-peak": lambda intensity, bandwidth, peak: np.maximum(intensity * bandwidth, peak),
    "no-roof": lambda intensity, bandwidth, peak: intensity * bandwidth,
    "no-slope": lambda intensity, bandwidth, peak: np.full_like(intensity, peak),
    "divided": [
        lambda intensity, bandwidth, peak: np.minimum(bandwidth / intensity, peak),
        lambda intensity, bandwidth, peak: np.minimum(intensity / bandwidth, peak),
    ],
}

WORDS = """
hint: Two things limit the rate: what memory delivers, and what the processor does. Which of them wins?
always-the-peak: You took the larger of the two. The smaller one limits the rate.
no-roof: Your rate is right below the ridge. Beyond it, the processor ends at its peak, however fast the bytes come.
no-slope: Your rate is the peak at any intensity. If it is low, memory cannot deliver fast enough for the peak.
divided: You divided. FLOP per byte times bytes per second is FLOP per second.
wrong-value: Your rate is not the smaller of two: memory allows intensity times bandwidth, and the processor ends at
    its peak.
python-decides: Your rate is right for one intensity. Python's `min` and `if` ask an array whether it is true: take
    `np.minimum`.
a-list: Your rate is right for one intensity. For an array of them return an array, with which you can go on
    computing.
one-at-a-time: Your rate is right for one intensity. For an array of them, each should get its own rate.
"""

attainable_rate = declare(
    "attainable-rate",
    see="roofline-model",
    steps=[
        Agrees(highest_rate, one_intensity, range(5), extremes=LIMITS, mistakes=MISTAKES),
        an_array_of_an_array,
        Agrees(highest_rate, many_intensities, arrays_for_one_machine, otherwise="one-at-a-time"),
    ],
    words=(LESSON, WORDS),
)
