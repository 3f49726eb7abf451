"""largest-fall: by how much each reservoir fell at most from an earlier level to a later one; 0 if it only rose."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare


def worst_fall(level):
    n = level.shape[-1]
    rows = level.reshape(-1, n).tolist()
    falls = [max(row[i] - row[j] for j in range(n) for i in range(j + 1)) for row in rows]
    return np.reshape(falls, level.shape[:-1])


def levels(rng, shape):
    """Levels above the mark, below it or both; some rise only."""
    offset = float(rng.choice([-10, 0, 0, 10]))
    level = np.round(4 * inputs.array(rng, shape, low=-4, high=4, offset=offset)) / 4  # exact in float32 too
    return (np.sort(level, axis=-1) if rng.random() < 0.1 else level,)


def tides(rng):
    """Falls that tell mistakes apart: before the highest level, interrupted, in two steps, not from the first, none.

    Of any unit, too, and far below the mark or above it.
    """
    for mark, unit in ((-10, 1), (10, 1), (-10, 2.0**40), (10, 2.0**40), (10, 2.0**-40)):
        for level in ([6, -2, 9, 5], [9, 4, 5, 1], [3, 2, 0, 9, 8.5], [0, 4, 1, 6], [1, 2, 4]):
            yield ((np.array(level, float) + mark) * unit,)


def highest_so_far(level):
    return np.maximum.accumulate(level, axis=-1)


def from_moment_to_moment(level):
    return -np.diff(level, axis=-1).min(axis=-1)


def longest_decline(level):
    """The largest fall without a rise in between."""
    worst = now = 0.0
    for before, after in zip(level[:-1], level[1:], strict=True):
        now = now + before - after if after < before else 0.0
        worst = max(worst, now)
    return worst


def below_the_highest(level):
    later = np.arange(level.shape[-1]) >= level.argmax(axis=-1)[..., None]
    return level.max(axis=-1) - level.min(axis=-1, where=later, initial=np.inf)


MISTAKES = {
    "order-ignored": lambda level: level.max(axis=-1) - level.min(axis=-1),
    "neighbours-only": [from_moment_to_moment, lambda level: max(0.0, from_moment_to_moment(level))],
    "unbroken-only": longest_decline,
    "from-the-first": lambda level: (level[..., :1] - level).max(axis=-1),
    "from-the-highest": below_the_highest,
    "negative": lambda level: (level - highest_so_far(level)).min(axis=-1),
    "a-rise": lambda level: (level - np.minimum.accumulate(level, axis=-1)).max(axis=-1),
    "not-yet-the-largest": lambda level: highest_so_far(level) - level,
    "begins-at-zero": lambda level: (np.maximum(highest_so_far(level), 0) - level).max(axis=-1),
    "never-zero": lambda level: (highest_so_far(level)[..., :-1] - level[..., 1:]).max(axis=-1),
}
OF_SEVERAL = {
    "axis-0": lambda level: (np.maximum.accumulate(level) - level).max(axis=-1),
    "one-fall": lambda level: (highest_so_far(level) - level).max(),
}

WORDS = """
hint: For each moment: how high was the highest level *so far*?
hint: `np.maximum.accumulate`. Mind its axis.
order-ignored: You took the highest level of all minus the lowest of all. The lowest may have come first: compare
    each level with the highest one before it.
neighbours-only: You found the largest fall from one moment to the next. A fall may take longer.
unbroken-only: Your fall ends at every small rise. It may be interrupted: compare where it began with where it
    ended.
from-the-first: You measured the largest fall below the first level. A fall may begin at any moment.
from-the-highest: You measured the largest fall after the highest level of all. A larger one may have come before
    it.
negative: Your size is right, but the sign is not: a fall of 3 is 3.
a-rise: You found the largest rise. Which level comes first in a fall?
not-yet-the-largest: You returned the falls at every moment. Return the largest one.
begins-at-zero: Your running maximum begins at 0, which is no level. Below the mark, every level is less: begin at
    the first one.
never-zero: Your answer is not 0 for a level that only rises. Such a level falls by 0.
wrong-value: Your number is not the largest fall. That one ends where the highest level so far is furthest above the
    level.
axis-0: Your answer is right for one reservoir, but not with axes before the last. Methods of ufuncs fold axis 0
    unless you name another.
one-fall: You returned one fall for all reservoirs. Each has its own.
several-reservoirs: Your answer is right for one reservoir, but not for several along the axes before the last. Does
    each step go along the last axis?
one-moment: Your answer goes wrong for a single moment. Nothing falls there, so it is 0.
"""

SEVERAL = [(1, 4), (2, 3), (3, 3), (2, 2, 3)]
ONE_MOMENT = [(1,), (3, 1)]
largest_fall = declare(
    "largest-fall",
    see="five-loops",
    without=[
        no_loops(
            grows=[lambda n: (np.arange(n) % 7.0,), lambda n: (np.ones((n, 5)),), lambda n: (np.ones((n, 2, 5)),)],
            of="levels",
            advice="`np.maximum.accumulate` is the loop over the moments, for all reservoirs at once.",
        )
    ],
    steps=[
        Agrees(worst_fall, levels, [(n,) for n in (2, 3, 4, 8)], each=6, extremes=tides, mistakes=MISTAKES),
        Agrees(worst_fall, levels, SEVERAL, mistakes=OF_SEVERAL, otherwise="several-reservoirs"),
        Agrees(worst_fall, levels, ONE_MOMENT, otherwise="one-moment", raising={"one-moment": ""}),
    ],
    words=WORDS,
)
