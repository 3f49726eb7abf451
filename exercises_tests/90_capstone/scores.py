"""scores: for each minute and station, how fast the record gets quieter as a small wave is taken off it."""

import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare
from jaxcourse.exercise import Diagnosis, numbers

BACK = 24
"""How many minutes a window has."""
OFTEN = 20
"""How often `expected` may be called."""


@probe.question(evidence="values")
def scores_found(student_function, weather, wave, readings, source, heard):
    """The scores where weather is linear in its window, and how often that was asked for."""
    calls = []
    pull, sway = probe.on_device(weather)

    def expected(filled, heard):
        calls.append(len(filled))
        back = jnp.arange(24, len(filled))[:, None] + jnp.arange(-24, 0)
        window = (filled * (0.5 + heard / 2))[back]
        return jnp.einsum("tks,k->ts", window, pull), jnp.einsum("tks,k->ts", window, sway) - 2

    given = probe.on_device((wave, readings, source, heard))
    return student_function(expected, *given), len(calls)


def passed_on(reply, *_):
    """The scores of a reply, if the weather was asked for often enough to be slow."""
    found, calls = reply
    if calls > OFTEN:
        raise Diagnosis("one-pass-each", calls=calls)
    return numbers(found)


def slope_of_cost(weather, readings, source, heard, *, moves=False, bend=2.5, tail=True, unheard=False):
    """The slope of the cost by the filled record, by hand: through a reading itself, and through windows it is in."""
    pull, sway = (np.asarray(part, float) for part in weather)
    there = 0.5 + heard.astype(float) / 2
    filled = np.take_along_axis(readings.astype(float), source, axis=0)
    n = len(filled) - BACK
    means, spreads = (sum(w[k] * (there * filled)[k : k + n] for k in range(BACK)) for w in (pull, sway))
    spreads = np.exp(spreads - 2)
    known = 1.0 if unheard else heard[BACK:]
    r = known * (filled[BACK:] - means) / spreads
    clipped = np.clip(r, -bend, bend) * known
    slope = np.zeros(filled.shape)
    slope[BACK:] += clipped / spreads
    for k in range(BACK * tail):
        slope[k : k + n] -= there[k : k + n] * clipped * (pull[k] / spreads + moves * r * sway[k])
    return slope


def gathered(slope, source):
    """The slope by the readings: copies of a reading add up."""
    total = np.zeros(slope.shape)
    np.add.at(total, (source, np.arange(slope.shape[1])), slope)
    return total


def along(wave, slope, shift=0):
    """The correlation: the wave's middle lies on each minute in turn, and outside of the record there is nothing."""
    half = len(wave) // 2
    rows = np.pad(slope, ((half + shift, half - shift), (0, 0)))
    return sum(wave[k] * rows[k : k + len(slope)] for k in range(len(wave)))


def scored(weather, wave, readings, source, heard, *, copies="add", back=False, shift=0, **changes):
    """The oracle, or what a mistake would give."""
    slope = slope_of_cost(weather, readings, source, heard, **changes)
    if copies == "add":
        slope = gathered(slope, source)
    elif copies == "drop":
        slope = slope * heard
    return along((wave[::-1] if back else wave).astype(float), slope, shift)


def mistaken(sign=1, **changes):
    return lambda *case: sign * scored(*case, **changes)


def scores_of(weather, wave, readings, source, heard):
    return scored(weather, wave, readings, source, heard)


MISTAKES = {
    "sign-turned": mistaken(-1),
    "wave-reversed": [mistaken(back=True), mistaken(-1, back=True)],
    "yardstick-moves": mistaken(moves=True),
    "copies-dropped": [mistaken(copies="stay"), mistaken(copies="drop")],
    "slams-count": mistaken(bend=np.inf),
    "gaps-count": [mistaken(unheard=True), mistaken(unheard=True, copies="stay")],
    "windows-forgotten": [mistaken(tail=False), mistaken(tail=False, copies="stay")],
    "a-minute-off": [mistaken(shift=1), mistaken(shift=-1)],
    "yardstick-moves/2": [mistaken(-1, moves=True), mistaken(moves=True, bend=np.inf)],
    "copies-dropped/2": [mistaken(-1, copies="stay"), mistaken(copies="stay", moves=True)],
}


def draw(rng, sizes):
    """Weather, a wave that is not odd, and a record with gaps, slams and a station that nobody ever heard."""
    minutes, stations, length = sizes
    pull = rng.normal(0, 0.15, BACK)
    pull[-1] += 0.8
    sway = rng.normal(0, 0.25, BACK)
    walk = np.cumsum(rng.normal(0, 0.1, (minutes, stations)), axis=0)
    walk += rng.standard_t(2, (minutes, stations)) / 20
    heard = rng.random((minutes, stations)) < 0.75
    heard[:4, 0] = False
    heard[:, 1:2] = False
    rows = np.where(heard, np.arange(minutes)[:, None], -1)
    source = np.maximum(np.maximum.accumulate(rows, axis=0), heard.argmax(axis=0)).astype(np.int32)
    filled = np.take_along_axis(walk * heard, source, axis=0).astype(np.float32)
    weather = pull.astype(np.float32), sway.astype(np.float32)
    wave = rng.normal(size=length).astype(np.float32)
    return weather, wave, filled, source, heard.astype(np.float32)


WORDS = """
hint: Can you write the cost of the whole record as one function of `readings`? Which transformation gives its slope
    at every reading at once?
hint: `filled = jnp.take_along_axis(readings, source, axis=0)` belongs *into* that function, so each reading answers
    for its copies.
hint: The spread has its own slope. Which function of `jax.lax` lets a value through, and stops its slope?
sign-turned: Your signs are all turned: you return how fast the record gets *louder* as the wave is taken off.
wave-reversed: Your wave runs backwards: a convolution turns one of the two round. Lay the wave on the slopes as it
    is.
yardstick-moves: You also differentiated the spread, so a wave gains if the network expects more noise. Hold the
    spread.
yardstick-moves/2: You also differentiated the spread, and this is not all.
copies-dropped: You leave each slope at its own minute. A reading that fills a gap stands for all of it: differentiate
    by `readings`, before they are copied.
copies-dropped/2: Your slopes of a reading's copies don't come back to it, and this is not all.
slams-count: You count a slammed door by how loud it is. Beyond 2.5 spreads the cost rises along a straight line.
gaps-count: You count minutes in which a station was not heard, as if the copy were a reading. Multiply by `heard`.
windows-forgotten: Your slopes know the reading itself only. It is also in the 24 windows after it, and moves the
    network's expectation there.
a-minute-off: Your scores are right, but a minute late or early. The wave's middle is on the minute itself.
one-pass-each: You called `expected` {calls} times, and for three days a call takes a good part of a second. One
    backward pass gives the slopes of all minutes and stations.
wrong-value: Your scores differ. Return the slope of the cost along the wave, for each minute and station.
"""

scores = declare(
    "scores",
    see="less-quiet",
    steps=[
        Agrees(
            scores_of,
            draw,
            [(44, 3, 7)],
            each=5,
            ask=scores_found,
            reads=passed_on,
            mistakes=MISTAKES,
            shows="scores(expected, wave, readings, source, heard)",
            rtol=2e-3,
        ),
    ],
    words=WORDS,
)
