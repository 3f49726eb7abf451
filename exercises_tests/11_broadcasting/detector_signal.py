"""detector-signal: the loops over detectors and samples as one expression."""

import numpy as np

from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, Shaped, declare

from ._lesson import tenths


def signal_by_loops(gain, offset, source, glitch, noise):
    signal = np.empty(noise.shape)
    for i, j in np.ndindex(noise.shape):
        signal[i, j] = gain[i] * source[j] + glitch[j] + offset[i] + noise[i, j]
    return signal


draw = Shaped("d, d, s, s, d s", tenths)


def mixed(formula):
    return lambda gain, offset, source, glitch, noise: formula(gain[:, None], offset[:, None], source, glitch, noise)


OF_SQUARES = {
    "taken-for-a-row": [
        lambda g, o, s, gl, n: g * s + gl + o + n,
        lambda g, o, s, gl, n: g[:, None] * s + gl + o + n,
        lambda g, o, s, gl, n: g * s + gl + o[:, None] + n,
    ],
}
MISTAKES = {
    "rows-are-samples": lambda *arguments: signal_by_loops(*arguments).T,
    "glitch-amplified": mixed(lambda g, o, s, gl, n: g * (s + gl) + o + n),
    "offset-amplified": mixed(lambda g, o, s, gl, n: g * (s + o) + gl + n),
    "all-amplified": mixed(lambda g, o, s, gl, n: g * (s + gl + o + n)),
    "gain-and-offset-exchanged": mixed(lambda g, o, s, gl, n: o * s + gl + g + n),
    "gain-lost": mixed(lambda g, o, s, gl, n: s + gl + o + n),
    "noise-lost": mixed(lambda g, o, s, gl, n: g * s + gl + o),
    "offset-lost": mixed(lambda g, o, s, gl, n: g * s + gl + n),
    "glitch-lost": mixed(lambda g, o, s, gl, n: g * s + o + n),
    "sign-lost": mixed(lambda g, o, s, gl, n: g * s + gl - o + n),
    "one-noise-for-all": [
        mixed(lambda g, o, s, gl, n: g * s + gl + o + n[0]),
        mixed(lambda g, o, s, gl, n: g * s + gl + o + n.mean(0)),
    ],
}

WORDS = """
hint: Which arguments run down, with the detectors, and which to the right, with the samples?
hint: What runs down must be a column: `[:, None]`.
taken-for-a-row: Something that belongs to the detectors was taken for a row. A column is `gain[:, None]`,
    `offset[:, None]`.
rows-are-samples: There should be one row for each detector; yours has one for each sample. `noise` shows the shape.
glitch-amplified: The gain acts on the source alone, not on the glitch.
offset-amplified: The gain acts on the source alone, not on the offset.
all-amplified: The gain acts on the source alone, not on the rest.
gain-and-offset-exchanged: Gain and offset are in each other's place: the gain multiplies, the offset is added.
gain-lost: Everything is there but the gain.
noise-lost: Everything is there but the noise.
offset-lost: Everything is there but the offset.
glitch-lost: Everything is there but the glitch.
sign-lost: The offset is added, not subtracted.
one-noise-for-all: Each detector has noise of its own: all rows of `noise` count, not one for all.
wrong-value: Not the signal of the loops.
"""

LENGTHS = [(3, 8), (5, 2), (1, 4), (4, 1), (1, 1), (13, 7), (3, 3)]
detector_signal = declare(
    "detector-signal",
    see="more-operands",
    steps=[
        Agrees(signal_by_loops, draw, [(2, 2), (4, 4)], mistakes=OF_SQUARES | MISTAKES, otherwise=None),
        Agrees(signal_by_loops, draw, LENGTHS, mistakes=MISTAKES, rtol=1e-5),
    ],
    without=[no_loops(grows=draw.growing, of="detectors or samples", advice="Make columns of gain and offset.")],
    words=WORDS,
)
