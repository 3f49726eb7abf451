"""random-walks: many particles, whose steps are all drawn from one key."""

import numpy as np

from jaxcourse.checks import declare, refuse, require

from ._lesson import WORDS as LESSON
from ._lesson import asked_with, correlation, fault_of, is_normal, require_of_the_key


def require_summed_along_the_steps(walk):
    """Each row should go on from the row before, and not each number from the one beside it."""
    rows = walk - walk.mean(axis=1, keepdims=True)
    beside, follows = correlation(rows[:, 1:], rows[:, :-1]), correlation(walk[-2], walk[-1])
    refuse(beside > 0.5, "summed-over-particles", beside=f"{beside:.2f}")
    require(follows > 0.5, "not-summed", follows=f"{follows:.2f}")


def walks_of_independent_steps(answer, rng):
    """The walks are sums of independent normal steps, drawn from the key.

    A function, since a sample is random: it has properties, and no one result is right.
    """
    particles, steps = 400, int(rng.choice([8, 10]))  # whose keys are no more than `probe.key_uses` tells apart
    seed = int(rng.integers(2**16))
    walk, other = asked_with(answer, seed, particles, steps)
    turned = walk.shape == (particles, steps)
    refuse(turned, "axes-swapped")
    require(walk.shape == (steps, particles), "wrong-shape", wanted=(steps, particles))
    require(walk.any(), "nobody-moves")
    require(walk[0].any(), "starts-with-the-start")
    moved = np.diff(walk, axis=0, prepend=0)
    together = np.ptp(moved, axis=1).max() < 1e-3
    refuse(together, "all-alike")
    require(np.ptp(moved, axis=0).max() > 1e-3, "straight-lines")
    values = len(np.unique(moved.round(3)))
    require(values > 30, "few-values", values=values)
    require_of_the_key(walk, other)
    fault = fault_of(answer, particles, steps)
    refuse(fault, "key-reused", fault=fault)
    again = int(np.sum(np.diff(np.sort(np.abs(moved), axis=None)) < 1e-5))
    require(again < moved.size / 4, "steps-again", again=again, steps=moved.size)
    require_summed_along_the_steps(walk)
    spread = float(walk[-1].std() / np.sqrt(steps))
    r = correlation(moved[1:], moved[:-1]), correlation(moved[:, 1:], moved[:, :-1])
    require(np.abs(r).max() < 0.15, "dependent-steps", own=f"{r[0]:.2f}", beside=f"{r[1]:.2f}")
    require(
        abs(spread - 1) < 0.25 and is_normal(moved),
        "wrong-value",
        steps=steps,
        spread=f"{spread:.2f}",
        mean=f"{moved.mean():.2f}",
        deviation=f"{moved.std():.2f}",
    )


def of_any_size(answer, rng):
    """One particle, one step and many particles are walks as well.

    A function, since a sample is random: its shape is asked for, and that hardly any step comes twice.
    """
    seed = int(rng.integers(2**16))
    for sizes in ((1, int(rng.integers(3, 6))), (int(rng.integers(3, 6)), 1), (2, 600)):
        walk, _ = asked_with(answer, seed, *sizes)
        require(walk.shape == sizes[::-1], "wrong-shape/2", wanted=sizes[::-1], came=walk.shape)
    again = len(walk) - len(np.unique(np.diff(walk, axis=0, prepend=0).round(3), axis=0))
    require(again < 60, "steps-again/2", again=again)


WORDS = """
hint: How many random numbers do you need in all? One draw can give them all.
hint: `jnp.cumsum(..., axis=0)` adds up along the steps.
summed-over-particles: Your rows go on from one particle to the next (correlation {beside}). Add up along the steps,
    `axis=0`. To exchange axes, transpose, and do not reshape.
not-summed: Your positions say nothing about where a particle was before (correlation {follows}). Add the steps up.
axes-swapped: Your rows are particles. Each row should be a time, and each column a particle.
wrong-shape: Your result should have the shape {wanted}.
nobody-moves: Your positions are all 0. `.at[...]` returns a new array: if you wrote with it, did you bind that to a
    name?
starts-with-the-start: Your row 0 is still the start. Row `i` should be after `i + 1` steps.
all-alike: Your particles all take the same steps: one number, or one key, serves all of them. Draw for each
    particle.
straight-lines: Your particles each repeat one step, in straight lines: one number, or one key, serves all steps.
    Draw for each step.
few-values: Your steps have one of {values} lengths. A normal number may be any.
key-reused: A key is used once, and here {fault}.
steps-again: {again} of {steps} steps are the same as another one. Are some keys equal, or do you round numbers, or
    use them again?
dependent-steps: Your steps depend on each other: those of one particle have a correlation of {own}, neighbours one
    of {beside}.
wrong-value: Your spread after {steps} steps should be near √{steps}, and is {spread} times that. Your steps have
    the mean {mean} and standard deviation {deviation}. Each should be standard normal.
wrong-shape/2: Your result should have the shape {wanted}, not {came}.
steps-again/2: {again} of 600 steps are the same as another one: some of your keys are equal.
"""

random_walks = declare(
    "random-walks",
    points=2,
    see="wide-not-deep",
    steps=[walks_of_independent_steps, of_any_size],
    words=(LESSON, WORDS),
)
