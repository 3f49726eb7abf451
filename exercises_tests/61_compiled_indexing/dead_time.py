"""dead-time: which particles a counter registers that is blind for a while after each of those."""

from functools import partial

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare
from jaxcourse.probe import NEEDS_A_SHAPE, NEEDS_A_VALUE

from ._lesson import counted


def arrivals(rng, shape):
    """Times in order, before 0 and after, some equal; the gaps are often exactly the dead time, or add up to it."""
    n, longest = shape
    # Eighths are exact in any floating-point dtype, so that "exactly `dead` later" means the same everywhere.
    dead = float(rng.choice([0, 2, 3, 8])) / 8
    gaps = rng.choice([0, 1, 1, 2, 3, 4, 8, longest], n)
    gaps[0] = rng.choice([-80, -16, 0, 1, 2, 40])
    return (np.cumsum(gaps) / 8).astype(np.float32), dead


def in_bins(times, dead):
    with np.errstate(all="ignore"):
        bins = np.floor((times - times[0]) / np.float32(dead))
    return np.append(True, bins[1:] != bins[:-1])


def last_registered(times, dead):
    return np.maximum.accumulate(np.where(counted(times, dead), times, -np.inf))


MISTAKES = {
    "neighbours-only": lambda times, dead: np.diff(times, prepend=-np.inf) >= dead,
    "first-only": lambda times, dead: (times - times[0] >= dead) | (times == times[0]),
    "turned-round": lambda times, dead: ~counted(times, dead),
    "gave-the-state": last_registered,
    "gave-times": lambda times, dead: np.where(counted(times, dead), times, np.nan),
    "first-lost": [
        lambda times, dead: counted(times, dead, times[0]),
        lambda times, dead: counted(times, dead, 0),
        lambda times, dead: counted(times, dead, -dead),
    ],
    "just-too-strict": lambda times, dead: counted(times, np.nextafter(np.float32(dead), np.float32(np.inf))),
    "fixed-bins": in_bins,
}

EARLY = [(np.float32([0, 1, 2, 3, 4, 6]) * 2.0**-22, gap * 2.0**-22) for gap in (2, 3)]
EARLY += [(np.float32([first, first + 1, first + 3e7]), 2e7) for first in (-4e7, 0, 2)]
OLD = [(np.float32([-at, -at / 2, at]), at) for at in (1e12, 1e30)]
LATE = [(np.float32([at, at, at + 8]), 0.25) for at in (2.0**25, 2.0**26)]
# Each of the small gaps is less than half of the spacing of floats at 2**25, and all of them are more.
SLOW = [(unit * np.float32([-(2**25), 0, 1, 2, 3, 4, 8]), unit * (2.0**25 + 8)) for unit in (1, 2)]
PLAIN = [(np.float32(times), dead) for times in ([0, 1, 2, 3], [0, 2, 3, 4]) for dead in (2.0, 1.0)]

WORDS = """
hint: What must be known about the past, to decide about the next particle? That is the state.
hint: The state is the time of the last *registered* particle. What is it before the first one?
hint: `jnp.where(registered, time, last)` is the new state.
neighbours-only: You compared each particle with the one before it. One that is not registered makes nothing blind.
first-only: You compared each particle with the first one. Each that is registered makes the counter blind again.
turned-round: `True` means registered: those are the lost.
gave-the-state: That is the state after each particle: when the last one was registered. The output is a Boolean.
gave-times: Those are times of the registered particles. Booleans are wanted.
first-lost: The first particle is lost, although nothing came before it. With which state do you begin?
just-too-strict: A particle that arrives exactly `dead` after the last registered one is registered: `>=`, not `>`.
fixed-bins: You cut time into bins of length `dead`. The counter is blind from the moment when it registers.
needs-the-numbers: Inside of a scan, and under `jit`, there are no numbers yet: use `jnp.where`, and no `if`, mask or
    NumPy.
wrong-value: A particle is registered if the last *registered* one came at least `dead` before it.
first-lost/2: The first particle is lost, although nothing came before it. With which state do you begin? However
    long ago a number is, `-inf` is longer.
wrong-value/2: A single particle is registered.
rounded-away: A time plus or minus `dead` is rounded where times are large. The difference of two times that are near is
    not.
gaps-rounded: The sum of many gaps is rounded at every particle. Take the difference from the last registered one.
wrong-value/3: Right under `jax.jit`, and wrong outside of it: the function should give the same in both.
not-boolean: The numbers are right, but not their dtype: Booleans are wanted.
"""

in_jit = partial(Agrees, counted, ask=probe.under_jit, raising={"needs-the-numbers": NEEDS_A_VALUE | NEEDS_A_SHAPE})
dead_time = declare(
    "dead-time",
    points=2,
    see="jax-folds",
    steps=[
        in_jit(arrivals, [(3, 3), (12, 12), (13, 6)], each=16, extremes=EARLY, mistakes=MISTAKES),
        in_jit(arrivals, [(60, 4)]),
        in_jit(extremes=OLD, otherwise="first-lost/2"),
        in_jit(arrivals, [(1, 1)], otherwise="wrong-value/2"),
        in_jit(extremes=LATE, otherwise="rounded-away"),
        in_jit(extremes=SLOW, otherwise="gaps-rounded"),
        Agrees(counted, extremes=PLAIN, ask=probe.on_jax_arrays, otherwise="wrong-value/3"),
        in_jit(extremes=PLAIN[:1], dtype=True, otherwise="not-boolean"),
    ],
    words=WORDS,
)
