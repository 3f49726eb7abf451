"""attainable-rate."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.inputs import Slip, compare

from ._lesson import WORDS as LESSON

RATE_SLIPS = [
    Slip(
        "always-the-peak",
        lambda intensity, bandwidth, peak: np.maximum(intensity * bandwidth, peak),
    ),
    Slip(
        "no-roof",
        lambda intensity, bandwidth, peak: intensity * bandwidth,
    ),
    Slip(
        "no-slope",
        lambda intensity, bandwidth, peak: np.full_like(intensity, peak),
    ),
    Slip(
        "divided",
        lambda intensity, bandwidth, peak: np.minimum(bandwidth / intensity, peak),
    ),
    Slip(
        "divided",
        lambda intensity, bandwidth, peak: np.minimum(intensity / bandwidth, peak),
    ),
]


def highest_rate(intensity, bandwidth, peak):
    """The oracle."""
    ridge = peak / bandwidth
    return np.where(np.asarray(intensity) < ridge, np.multiply(intensity, bandwidth), peak)


def check(answer, rng):
    def number(rng, _):
        bandwidth, ridge = float(rng.uniform(20, 60)) * 1e9, float(rng.uniform(2, 30))
        return ridge * float(rng.choice([0.01, 0.5, 1, 3, 9]) * rng.uniform(0.9, 1.1)), bandwidth, ridge * bandwidth

    _, *machine = number(rng, 0)

    def array(rng, shape):
        ridge = machine[1] / machine[0]
        intensity = ridge * rng.choice([0.01, 0.3, 1, 4], shape) * rng.uniform(0.8, 1.25, shape)
        return inputs.meeting(rng, intensity, ridge), *machine

    limits = [(0.5, 4e10, 6e11), (100.0, 4e10, 6e11), (0.25, 3e10, 9e11), (60.0, 3e10, 9e11)]
    compare(answer, highest_rate, number, rng, shapes=range(5), extremes=limits, slips=RATE_SLIPS, label="wrong-value")
    kind, raised = answer.attempt(probe.result_type, *array(rng, (5,)), expected=["ValueError: truth value"])
    refuse(raised, "python-decides")
    require(kind not in ("list", "tuple"), "a-list")
    compare(
        answer,
        highest_rate,
        array,
        rng,
        shapes=[(0,), (1,), (4,), (2, 3), (20,)],
        label="one-at-a-time",
    )


WORDS = """
hint: Two things limit the rate: what memory delivers, and what the processor does. Which of them wins?
always-the-peak: You took the larger of the two. What is smaller limits the rate.
no-roof: Right below the ridge, but the processor ends at its peak, however fast the bytes come.
no-slope: Where the intensity is low, memory cannot deliver fast enough for the peak.
divided: FLOP per byte times bytes per second is FLOP per second. You divided.
wrong-value: What memory delivers is intensity times bandwidth; what the processor does ends at the peak.
python-decides: Right for one intensity. Python's `min` and `if` ask an array whether it is true: take `np.minimum`.
a-list: Right for one intensity. For an array of them return an array, with which one can go on computing.
one-at-a-time: Right for one intensity. For an array of them, each should get its own rate.
"""

attainable_rate = declare(
    "attainable-rate",
    see="roofline-model",
    steps=[check],
    words=(LESSON, WORDS),
)
