"""the-map: for each place, the largest statistic of the array, and the minute of origin that gives it."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, require
from jaxcourse.exercise import numbers

SPEED = 0.31 * 60
"""Kilometres that the wave runs in a minute."""


def minutes_late(far):
    return np.floor(far / SPEED).astype(int)


def read(trace, at, how):
    """A trace at some minutes, of which some may be beyond its end."""
    last = len(trace) - 1
    if how == "clamped":
        return trace[np.clip(at, 0, last)]
    if how == "slid":
        return trace[at - max(at[-1] - last, 0)]
    if how == "wrapped":
        return trace[at % len(trace)]
    if how == "indexed":  # a row before the first one counts from the end
        at = np.where(at < 0, at + len(trace), at)
    return np.where((at >= 0) & (at <= last), trace[np.clip(at, 0, last)], 0)


def statistics(far, score, variance, first, count, *, late=minutes_late, how="zero", weigh=None, joined=None, more=0):
    """The statistic of each place and minute of origin."""
    far, score, variance = (np.asarray(part, float) for part in (far, score, variance))
    weight = weigh(far) if weigh else np.sqrt(500 / np.maximum(far, 20))
    rows = []
    for place in range(len(far)):
        traces = []
        for station in range(far.shape[1]):
            at = first + np.arange(count + more) + late(far)[place, station]
            traces.append([read(part[:, station], at, how) for part in (score, variance)])
        u, v = np.moveaxis(np.array(traces), 1, 0)
        a = weight[place][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            rows.append(joined(a, u, v) if joined else (a * u).sum(0) / np.sqrt((a**2 * v).sum(0)))
    return np.array(rows)


def largest(table, first):
    best = table.argmax(axis=1)
    return np.stack([table.max(axis=1), first + best])


def oracle(far, score, variance, first, count):
    return largest(statistics(far, score, variance, first, count), first)


def mistaken(**changes):
    return lambda far, score, variance, first, count: largest(
        statistics(far, score, variance, first, count, **changes), first
    )


def best_by_size(far, score, variance, first, count):
    table = statistics(far, score, variance, first, count)
    best = np.abs(table).argmax(axis=1)
    return np.stack([table[np.arange(len(table)), best], first + best])


def sizes(far, score, variance, first, count):
    return largest(np.abs(statistics(far, score, variance, first, count)), first)


def sum_of_ratios(a, u, v):
    """Each station by its own spread; where nothing is read there is nothing."""
    return np.where(v > 0, a * u / np.sqrt(np.where(v > 0, v, 1)), 0).sum(0)


def mean_of_ratios(a, u, v):
    return sum_of_ratios(a, u, v) / np.sqrt((a**2 * (v > 0)).sum(0))


def plain_ratios(a, u, v):
    return sum_of_ratios(1.0, u, v)


MISTAKES = {
    "clamped-at-the-end": [mistaken(how="clamped"), mistaken(how="slid")],
    "wraps-round": mistaken(how="wrapped"),
    "seconds-for-minutes": [
        mistaken(late=lambda far: np.floor(far / 0.31).astype(int), how=how) for how in ("zero", "clamped", "slid")
    ],
    "rounded-minutes": mistaken(late=lambda far: np.round(far / SPEED).astype(int)),
    "rounded-minutes/up": mistaken(late=lambda far: np.ceil(far / SPEED).astype(int)),
    "one-minute-more": mistaken(more=1),
    "sum-of-ratios": [mistaken(joined=sum_of_ratios), mistaken(joined=mean_of_ratios), mistaken(joined=plain_ratios)],
    "root-forgotten": mistaken(joined=lambda a, u, v: (a * u).sum(0) / (a**2 * v).sum(0)),
    "weights-not-squared": mistaken(joined=lambda a, u, v: (a * u).sum(0) / np.sqrt((a * v).sum(0))),
    "weights-not-squared/2": mistaken(joined=lambda a, u, v: (a * u).sum(0) / np.sqrt(v.sum(0))),
    "weights-wrong": [
        mistaken(weigh=np.ones_like),
        mistaken(weigh=lambda far: np.sqrt(np.maximum(far, 20) / 500)),
        mistaken(weigh=lambda far: 500 / np.maximum(far, 20)),
    ],
    "near-stations-shout": mistaken(weigh=lambda far: np.sqrt(500 / far)),
    "variance-not-used": mistaken(joined=lambda a, u, v: (a * u).sum(0)),
    "earlier-for-later": [
        mistaken(late=lambda far: -minutes_late(far), how=how) for how in ("zero", "clamped", "wrapped", "indexed")
    ],
    "best-minute-of-the-array": lambda *case: oracle(*case) - np.array([[0], [case[3]]]),
    "best-minute-of-the-array/2": lambda *case: mistaken(how="clamped")(*case) - np.array([[0], [case[3]]]),
    "largest-size": [best_by_size, sizes],
}


def draw(rng, shape):
    """Traces of noise with waves at both ends, and places from which some stations are reached too late.

    Where there are more than two stations, nearly all or all that the last one would be asked for is behind the record.
    """
    places, stations, minutes = shape
    first, count = 8 + minutes % 7, minutes - 17
    whole = rng.integers(12, 30, (places, stations))
    if stations > 2:
        whole[:, -1] = minutes - first + rng.integers(-4, 40, places)
        whole[0, -1] = minutes + 5
    whole[:, 0] = rng.integers(0, 3, places)
    whole[0, 0] = 0
    far = SPEED * (whole + rng.uniform(0.15, 0.85, whole.shape))
    far[:, 0] = np.where(whole[:, 0] == 0, rng.uniform(3, 15, places), far[:, 0])
    score = 0.7 * rng.normal(size=(minutes, stations))
    score[:3], score[-2:] = 4, 2
    last = minutes - 1
    for row in whole:  # what is wrong with an absolute value: a trough deeper than every crest
        score[np.minimum(first + rng.integers(1, 4) + row, last), range(stations)] -= 12
    score[np.minimum(first + whole[rng.integers(places)], last), range(stations)] = 3
    score[np.minimum(first - 2 + whole[0], last), range(stations)] = 6  # it started before anybody asks
    score[first + count + whole[:, 0].max(), 0] = 9  # and after it
    variance = rng.uniform(0.2, 3, (minutes, stations))
    case = (*(part.astype(np.float32) for part in (far, score, variance)), first, count)
    table = np.sort(statistics(*case), axis=1)
    return case if (table[:, -1] - table[:, -2]).min() > 0.003 else draw(rng, shape)


def pair(reply, far, *_):
    """The statistics over the minutes, (2, places)."""
    require(isinstance(reply, (tuple, list, np.ndarray)) and len(reply) == 2, "not-a-pair")
    for part in map(numbers, reply):
        require(part.shape == (len(far),), "not-a-pair/2", places=len(far), shape=part.shape)
    return np.stack([np.asarray(part, float) for part in reply])


WORDS = """
hint: For one place and one station, which stretch of the trace do you need, if the wave starts in minutes `first` to
    `first + count - 1`?
hint: Which function of `jax.lax` takes a stretch of fixed length at a start that is known only at run time? What does
    it do at the end of the array?
hint: `jax.lax.map(one_place, far)` holds the sums of one place at a time.
clamped-at-the-end: You read the last minutes again where a wave would arrive after the record's end: JAX moves a read
    that is out of bounds inside. Put zeros behind the record.
clamped-at-the-end/raised: Your index is out of bounds. Is it a minute after the record's end? Put zeros there. Or do
    you count places or stations along another axis?
wraps-round: You read the minutes of the record's beginning where a wave would arrive after its end. Put zeros behind
    the record.
seconds-for-minutes: You took seconds for minutes: a distance over a speed in km / s is in seconds, and the rows are
    minutes.
rounded-minutes: You rounded the minutes. Minute 3 lasts until 4, so a wave that arrives after 3.7 minutes is in
    minute 3.
rounded-minutes/up: You read every trace a minute late. A wave that starts in minute 0 and arrives after 3.7 minutes
    is in row 3.
one-minute-more: You try one minute too many. The minutes of origin go from `first` to `first + count - 1`.
sum-of-ratios: You divided each station by its own spread first, so a gale counts as much as a lull, whose scores are
    larger. Add above, add below, and divide once.
root-forgotten: You left out the root below the line. Without it, a sum of more stations is smaller.
weights-not-squared: You did not square the weights below the line. The variance of `a U` is `a² V`.
weights-not-squared/2: You left the weights out below the line. The variance of `a U` is `a² V`.
weights-wrong: Your weights are not √(500 km / d). A wave falls with the root of its distance, so near stations tell
    more.
near-stations-shout: You give a station at the very place an endless weight. Within 20 km the distance counts as 20
    km.
variance-not-used: Your sum has no scale without the line below: noise also makes it large, near a station and in a
    lull.
earlier-for-later: You subtract the delay. A wave arrives after it starts: add the delay to the minute of origin.
best-minute-of-the-array: Your second result is the place in your array. Minutes count from the record's beginning:
    add `first`.
best-minute-of-the-array/2: Your second result is the place in your array: add `first`. And you read the last minutes
    of the record again where a wave arrives after its end.
largest-size: You took the largest *size*. The wave comes up first, so its statistic is positive.
not-a-pair: Your function should return a pair: the largest statistic of each place, and its minute.
not-a-pair/2: Your results should both have the shape ({places},), for {places} places, and one has {shape}.
wrong-value: Your map differs from the largest statistic of each place (first row), or from its minute of origin
    (second row).
"""

the_map = declare(
    "the-map",
    see="search-the-map",
    steps=[
        Agrees(
            oracle,
            draw,
            [(1, 2, 50), (4, 4, 60), (2, 50, 50)],
            each=2,
            ask=probe.on_jax_arrays,
            reads=pair,
            mistakes=MISTAKES,
            raising={"clamped-at-the-end/raised": "out of bounds"},
            rtol=1e-3,
        ),
    ],
    words=WORDS,
)
