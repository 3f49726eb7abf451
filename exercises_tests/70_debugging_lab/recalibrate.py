"""recalibrate."""

import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, require

from ._lesson import programs_for_each


def calibrated(reading, gains):
    """The oracle, in `float64`."""
    return reading / np.asarray(gains, np.float64)[:, None]


def draw_readings(rng, lengths):
    many, few = lengths
    gains = inputs.array(rng, few, "float32", low=2, high=9) * rng.choice([1, -1, 1e-4, 1e4], few)
    return inputs.array(rng, many, str(rng.choice(["float32", "int32"]))), gains.astype(np.float32)


MISTAKES = {
    "stale-self": lambda reading, gains: np.tile(reading / gains[0], (len(gains), 1)),
    "never-calibrated": lambda reading, gains: np.tile(reading, (len(gains), 1)),
    "one-after-the-other": lambda reading, gains: reading / np.cumprod(np.asarray(gains, np.float64))[:, None],
    "multiplied": lambda reading, gains: reading * gains[:, None],
    "one-row-for-equals": lambda reading, gains: calibrated(reading, [*dict.fromkeys(gains.tolist())]),
}


EQUAL_GAINS = [(sign * np.arange(1, 6, dtype=np.int32), np.float32([3, 0.0025, -4, 3])) for sign in (1, -1)]


def one_program_for_all(answer, rng):
    """New gains compile fewer programs than there are gains."""
    gains = rng.permutation(np.linspace(1.1, 5.0, 6)).astype(np.float32)
    again = programs_for_each(answer, rng.uniform(1, 2, size=3).astype(np.float32), gains)
    require(again < 6, "one-program-per-gain", again=again)


WORDS = """
hint: A static `self` is a key. The same object is the same key, whatever has been written into it since.
hint: What changes has to come in as an argument that is traced.
stale-self [stale-self]: You divided every row by the first gain, because it was baked into the program when that was
    traced.
never-calibrated [stale-self]: Your rows are the readings as they came, not divided by any gain.
one-after-the-other: You divided each row by all the gains so far. Begin with the reading itself every time.
multiplied: The reading is *divided* by the gain.
one-row-for-equals: You gave one row to a gain that comes twice. Give each of `gains` a row.
wrong-value: Your rows are not the readings, each divided by its gain.
one-program-per-gain [stale-self]: Your rows are right, and six new gains compile {again} programs, though all are
    alike.
"""

recalibrate = declare(
    "recalibrate",
    see="lab-silent",
    steps=[
        Agrees(
            calibrated,
            draw_readings,
            [(3, 4), (1, 1), (5, 2)],
            each=3,
            extremes=EQUAL_GAINS,
            ask=probe.on_jax_arrays,
            mistakes=MISTAKES,
        ),
        one_program_for_all,
    ],
    words=WORDS,
)
