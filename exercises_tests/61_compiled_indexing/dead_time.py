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
hint: What must you know about the past, to decide about the next particle? That is the state.
hint: The state is the time of the last *registered* particle. What is it before the first one?
hint: `jnp.where(registered, time, last)` is the new state.
neighbours-only: You compared each particle with the one before it. One that is not registered makes nothing blind:
    compare with the last registered one.
first-only: You compared each particle with the first one. Each that is registered makes the counter blind again.
turned-round: You returned the lost ones. `True` means registered.
gave-the-state: You returned the state after each particle: when the last one was registered. Return a Boolean.
gave-times: You returned the times of the registered particles. Return Booleans.
first-lost: Your answer loses the first particle, although nothing came before it. With which state do you begin?
just-too-strict: Your answer loses a particle that arrives exactly `dead` after the last registered one: use `>=`,
    not `>`.
fixed-bins: You split time into bins of length `dead`. The counter is blind from the moment when it registers.
needs-the-numbers: Your code asked for numbers. Inside a scan, and under `jit`, there are none yet: use `jnp.where`,
    and no `if`, mask or NumPy.
wrong-value: Your Booleans are not those of the registered particles. One is registered if the last *registered* one
    came at least `dead` before it.
first-lost/2: Your answer loses the first particle, although nothing came before it. With which state do you begin?
    However long ago a number is, `-inf` is longer.
wrong-value/2: Your answer for a single particle is not `True`. A single particle is registered.
rounded-away: Your answer is off for large times. A time plus or minus `dead` is rounded there, and the difference
    of two near times is not.
gaps-rounded: Your answer is off if many small gaps add up. Their sum is rounded at every particle: take the
    difference from the last registered one.
wrong-value/3: Your answer is right under `jax.jit`, and not outside it. Give the same in both.
not-boolean: Your numbers are right, but not their dtype. Return Booleans.
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
