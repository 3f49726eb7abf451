"""clocks: the line by which each station's clock is wrong, although some of its uploads come late."""

import numpy as np

from jaxcourse import barometers
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import numbers

SECONDS, PER_DAY = 10.0, 3.0
"""How far an offset (s) and a drift (s per day) may be off."""


SHORT, LONG = (300, 360), (300, 2400)
"""How late an upload may be, in s: 5 to 6 minutes, or 5 to 40."""
LEAST = (300, 303)
"""Hardly more than 5 minutes: at the right end of a record, a fast clock hides that from whoever looks at its level."""


def drawn_uploads(rng, stations, uploads, *, late=0.0, padded=True, drift=(0, 60), by=LONG, hidden=False):
    """Uploads of three days as the task hands them over, and the true offset and drift of each clock.

    Args:
        rng: the generator of the check.
        stations: how many there are.
        uploads: how many a station has, at most.
        late: the share of them that comes late.
        padded: whether most stations have fewer.
        drift: how fast clocks gain or lose, in s per day: the least and the most.
        by: how late the late ones are, in s: the least and the most.
        hidden: whether uploads come hour by hour, and the late ones in a row at that end of the record where they lie
            nearest to the middle of all: the last ones of a clock that gains, the first ones of one that loses.
    """
    wide = np.where(rng.random(stations) < 0.3, 1500.0, 240.0)
    truth = np.stack([rng.uniform(-wide, wide), rng.uniform(*drift, stations) * rng.choice([-1, 1], stations)], axis=1)
    day, ahead, there = np.zeros((3, stations, uploads), np.float32)
    for i, (offset, drift) in enumerate(truth):
        n = uploads - (int(rng.integers(8, 16)) if padded and i else 0)
        sent = 3 * (np.arange(n) + rng.random(n)) / n if hidden else np.sort(rng.uniform(0, 3, n))
        delay = 0.5 + np.minimum(rng.exponential(2.0 if hidden else 3.0, n), 25)
        order = np.arange(n)[:: -1 if drift > 0 else 1] if hidden else rng.permutation(n)
        delay[order[: int(late * n)]] += rng.uniform(*by, int(late * n))
        server = np.round(sent * barometers.DAY + delay, 1)
        stamp = np.round(sent * barometers.DAY + offset + drift * sent)
        day[i, :n], ahead[i, :n], there[i, :n] = server / barometers.DAY, stamp - server, 1
    return (day, ahead, there), truth


def filled_in(rng, day, ahead, there, truth):
    """The same uploads with other numbers where there are none: wild ones, and some that lie near the clock's line."""
    wild = rng.random(day.shape) < 0.3
    days = np.where(wild, rng.uniform(-5, 50, day.shape), rng.uniform(0, 3, day.shape))
    line = truth[:, :1] + truth[:, 1:] * days + rng.uniform(4, 10, day.shape)
    other = days, np.where(wild, rng.uniform(-5000, 5000, day.shape), line)
    return *(np.where(there > 0, x, y).astype(np.float32) for x, y in zip((day, ahead), other, strict=True)), there


def off(got, truth):
    """By how many times of what is allowed an offset or a drift is off, for each station."""
    return (np.abs(got - truth) / [SECONDS, PER_DAY]).max(axis=1)


def lines(answer, uploads, truth):
    """What came back, once it is a line for each station."""
    got = numbers(answer(*uploads))
    refuse(got.shape == truth.T.shape != truth.shape, "table-turned", shape=got.shape)
    require(got.shape == truth.shape, "wrong-shape", want=truth.shape, shape=got.shape)
    refuse(np.isnan(got).any(), "no-number", stations=int(np.isnan(got).any(axis=1).sum()))
    return got.astype(np.float64)


def worst(got, truth):
    """The station that is farthest off, in words."""
    at = int(off(got, truth).argmax())
    return {
        "station": at,
        "got": f"{got[at, 0]:.0f} s and {got[at, 1]:.1f} s per day",
        "want": f"{truth[at, 0]:.0f} s and {truth[at, 1]:.1f} s per day",
    }


def judge_lines(answer, uploads, truth):
    """Require the clocks where every upload is there and none is late: plain lines."""
    got = lines(answer, uploads, truth)

    def as_if(other):
        return bool((off(got, other) <= 1).all())

    refuse(as_if(-truth), "sign-turned")
    refuse((off(got[:, ::-1], truth) <= 1).all(), "columns-swapped")
    refuse(as_if(truth / [1, barometers.DAY]) or as_if(truth / [1, 24]), "other-unit")
    refuse((np.abs(got[:, 1]) < 1e-3).all(), "no-drift")
    middle = truth + truth[:, 1:] * [1, 0] * uploads[0].mean(axis=1, keepdims=True)
    refuse((off(got, middle) <= 2).all() and (off(got, truth) > 1).any(), "offset-in-the-middle")
    refuse(len(got) > 1 and (np.ptp(got, axis=0) < 1e-3).all(), "one-clock-for-all")
    require((off(got, truth) <= 1).all(), "wrong-value", **worst(got, truth))


def judge_padding(answer, rng, stations, uploads):
    """Require that nothing depends on what stands where no upload is."""
    zeros, truth = drawn_uploads(rng, stations, uploads)
    plain = lines(answer, zeros, truth)
    require((off(plain, truth) <= 1).all(), "padding-counts", **worst(plain, truth))
    other = lines(answer, filled_in(rng, *zeros, truth), truth)
    at = int(off(other, plain).argmax())
    moved = np.abs(other - plain)[at]
    require(off(other, plain)[at] < 0.01, "padding-counts/2", station=at, moved=f"{moved[0]:.3g} s")


def judge_late(answer, rng, stations, uploads, late):
    """Require the clocks where some uploads come late."""
    drawn, truth = drawn_uploads(rng, stations, uploads, late=late)
    got = lines(answer, drawn, truth)
    wrong = off(got, truth) > 1
    below = ((got - truth) @ [1, 1.5])[wrong] < -2  # in the middle of the three days
    facts = worst(got, truth) | {"late": f"{100 * late:.0f} %"}
    refuse(wrong.any() and below.mean() > 0.6, "follows-late-uploads", **facts)
    refuse(wrong.any(), "wrong-value/late", **facts)


def judge_hard(answer, rng, stations, uploads, drift=(50, 60), **how):
    """Require the clocks where they drift as fast as they may, and late uploads are near the line or at its end."""
    drawn, truth = drawn_uploads(rng, stations, uploads, drift=drift, **how)
    got = lines(answer, drawn, truth)
    wrong = off(got, truth) > 1
    refuse(wrong.any(), "keeps-some-late", stations=stations, wrong=int(wrong.sum()), **worst(got, truth))


def clocks_from_late_uploads(answer, rng):
    """The rate and the offset of each clock, although some uploads are late.

    A function, since a fit among outliers is right within a distance, and which are the outliers decides what is said.
    """
    stations, uploads = 24, 76
    for _ in range(2):
        judge_lines(answer, *drawn_uploads(rng, stations, uploads, padded=False))
    judge_padding(answer, rng, stations, uploads)
    for late in (0.06, 0.14, 0.03, 0.06):
        judge_late(answer, rng, stations, uploads, late)
    for late in (0.14, 0.06, 0.14):
        judge_hard(answer, rng, stations, uploads, late=late, by=SHORT)
    judge_hard(answer, rng, stations, uploads, late=0.12, by=LEAST, drift=(59.5, 60), hidden=True)
    judge_hard(answer, rng, stations, uploads, late=0.09, by=LONG, hidden=True)


WORDS = """
hint: Least squares wants a line that pleases every upload, and a very late one shouts loudest. What grows more slowly
    than the square of a residual?
hint: Fit a line, give each upload the weight `there / (1 + (residual / 3) ** 2)`, fit again, thirty times. Or take
    the median of the slopes of all pairs that are there.
hint: Write it for one station, for `day`, `ahead` and `there` of shape `(uploads,)`, and let `jax.vmap` do the rest.
table-turned: Your table is turned, with the shape {shape}. Return one row for each station, with its offset and its
    drift.
wrong-shape: Your result has the shape {shape}. It should have {want}: one row for each station, with an offset and a
    drift.
no-number: Your result has NaN instead of a number, for {stations} stations.
sign-turned: Your signs are all turned, which makes a corrected clock twice as wrong. `ahead` is how far the clock is
    in front: you subtract it later, from the stamps.
columns-swapped: Your columns are swapped: the offset comes first, then the drift. `np.polyfit` gives the slope first.
other-unit: Your offset is right, and your drift is in another unit. Return seconds per *day*.
offset-in-the-middle: Your drift is right, and your offset is that of the middle of the record. Return that of day 0,
    where the line begins.
no-drift: Your clocks don't drift: one number for each says how far it is off on average. Over three days a clock goes
    wrong by minutes.
one-clock-for-all: You have one line for all stations. Each has its own clock.
wrong-value: Your line of station {station} is off, though no upload was late: {got}, where the clock has {want}.
padding-counts: Your lines are off for stations that are padded since they have fewer uploads: station {station} has
    {got}, where its clock has {want}. Give what is not `there` no weight.
padding-counts/2: Your offset of station {station} moved by {moved} when other numbers were put where no uploads are.
    Give what is not `there` no weight.
follows-late-uploads: Your lines are right if no upload is late, and mostly too low with {late} late: station
    {station} has {got}, not {want}. What grows more slowly than a square?
keeps-some-late: Your lines are off for {wrong} of {stations} fast-drifting clocks. Station {station} has {got}, not
    {want}. Measure lateness from a line that late uploads can't turn, not from a level.
wrong-value/late: Your line of station {station} is off with {late} of the uploads late: {got}, where its clock has
    {want}.
"""

clocks = declare(
    "clocks",
    points=2,
    see="wrong-clocks",
    steps=[clocks_from_late_uploads],
    words=WORDS,
)
