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
hint: Make a column of each argument that runs down, with `[:, None]`.
taken-for-a-row: You took something that belongs to the detectors for a row. Make columns, `gain[:, None]` and
    `offset[:, None]`.
rows-are-samples: Your result has one row for each sample. It should have one for each detector, as `noise` has.
glitch-amplified: You multiplied the glitch by the gain. The gain acts on the source alone.
offset-amplified: You multiplied the offset by the gain. The gain acts on the source alone.
all-amplified: You multiplied everything by the gain. The gain acts on the source alone.
gain-and-offset-exchanged: You exchanged gain and offset. Multiply by the gain, and add the offset.
gain-lost: Your signal lacks the gain. Everything else is there.
noise-lost: Your signal lacks the noise. Everything else is there.
offset-lost: Your signal lacks the offset. Everything else is there.
glitch-lost: Your signal lacks the glitch. Everything else is there.
sign-lost: You subtracted the offset. Add it.
one-noise-for-all: You took one noise for all detectors. Each has its own, so use all rows of `noise`.
wrong-value: Your signal is not that of the loops. Compare the two term by term.
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
