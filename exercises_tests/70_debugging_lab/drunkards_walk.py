"""drunkards-walk."""

from statistics import NormalDist

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import is_close, numbers
from jaxcourse.probe import NEEDS_A_VALUE


@probe.question(evidence="values")
def walked(student_function, seeds, walkers, steps):
    """The walks, and whether the last of them compiled something: a loop that is made anew in each call."""
    walks = []

    def walk(key):
        walks.append(student_function(key, walkers, steps))
        return walks[-1]

    programs = probe.compiled(walk, [(jax.random.key(seed),) for seed in seeds])
    return {"walks": walks, "compiles": bool(programs[-1])}


@probe.question(evidence="values")
def walked_under_jit(student_function, seeds, walkers, steps):
    walk = jax.jit(lambda key: student_function(key, walkers, steps))
    return {"walks": [walk(jax.random.key(seed)) for seed in seeds]}


def numbers_drawn(student_function, walkers, steps):
    """How many random numbers the program draws; a loop of unknown length counts as one step for each step."""
    program = insides.read(lambda key: student_function(key, walkers, steps), jax.random.key(0))
    return sum(place.equation.drawn * place.times(unknown=steps) for place in program.walk())


def from_normal(sample):
    """The largest distance of a sample's distribution from the normal one: Kolmogorov and Smirnov's."""
    ordered = np.sort(sample.astype(np.float64))
    want = np.array(list(map(NormalDist().cdf, ordered.tolist())))
    n = len(ordered)
    return float(max(np.max(np.arange(1, n + 1) / n - want), np.max(want - np.arange(n) / n)))


WALKERS, STEPS = 2000, 16
"""Of nearly all walks: other numbers are other programs, and compiling those takes most of a verdict's time."""


def a_walk_at_random(answer, rng):
    """Walkers who walk apart, by steps that are normal, independent, and follow the key.

    A function, since what is right is a distribution, and no number.
    """
    seed = int(rng.integers(2**20))
    facts = answer.probe(walked, [seed, seed + 1, seed], WALKERS, STEPS)
    got = follows_the_key(*map(numbers, facts["walks"]))
    draws_anew(answer, got)
    _, raised = answer.attempt(numbers_drawn, WALKERS, STEPS, expected=NEEDS_A_VALUE)
    ask = walked_under_jit if facts["compiles"] and not raised else walked  # NumPy may add up what was drawn

    def walks(count, steps):
        """Many walks of many walkers; a loop that is made anew in each call is compiled once for all."""
        made = answer.probe(ask, list(range(seed, seed + count)), WALKERS, steps)["walks"]
        return np.array([numbers(walk) for walk in made])

    takes_normal_steps(walks(10, 1).ravel(), walks(2, 3))
    draws_enough(answer)
    alone = numbers(answer.probe(walked, [seed], 1, STEPS)["walks"][0])
    walks_at_random(walks(40, STEPS), alone)


def follows_the_key(got, other, again):
    """Another key gives another walk, and the same key the same."""
    require(got.shape == (WALKERS,), "wrong-shape", walkers=WALKERS, shape=got.shape)
    require(got.std() > 1e-3, "all-walk-together")
    refuse(is_close(got, other), "ignores-the-key")
    require(is_close(got, again), "not-from-the-key")
    return got


def draws_anew(answer, got):
    """No key is used twice, by the structure of the program; or by what is drawn, where it cannot be traced."""
    uses, raised = answer.attempt(probe.key_uses, WALKERS, STEPS, expected=NEEDS_A_VALUE)
    found = answer.probe(probe.reuses_key, WALKERS, STEPS) if raised else ""
    faults = uses["faults"] if uses else []
    ratio = got.std() / np.sqrt(STEPS)
    far = f" The walkers are {ratio:.1f} times as far away as they should be." if ratio > 1.25 else ""
    refuse(found or {"drawn-twice", "same-in-every-step"} & set(faults), "same-key-again", far=far)
    refuse(faults, "draws-and-derives")


def takes_normal_steps(one_step, three_steps):
    spread = three_steps.std() / np.sqrt(3)
    require(0.9 < spread < 1.1, "wrong-spread", spread=f"{spread:.2f}")
    require(from_normal(one_step) < 0.02, "not-normal")
    require(np.abs(one_step).max() > 3.2, "not-normal/2")


def draws_enough(answer):
    drawn, raised = answer.attempt(numbers_drawn, WALKERS, STEPS, expected=NEEDS_A_VALUE)
    enough = raised or drawn >= WALKERS * STEPS
    require(enough, "too-few-numbers", drawn=drawn, walkers=WALKERS, steps=STEPS)


def walks_at_random(crowds, alone):
    """How far the walkers are apart, where they are together, and that a single one is a crowd, too."""
    spread = crowds.std() / np.sqrt(STEPS)
    require(0.96 < spread < 1.04, "wrong-spread/2", steps=STEPS, spread=f"{spread:.2f}")
    require(alone.shape == (1,), "wrong-shape/2", shape=alone.shape)
    together = np.var(crowds.sum(axis=1)) / (WALKERS * STEPS)
    require(0.2 < together < 3, "same-numbers-shuffled")
    require(abs(crowds.mean()) < 0.03 * np.sqrt(STEPS), "drifts", mean=f"{crowds.mean():.2f}", steps=STEPS)


WORDS = """
hint: The same key gives the same numbers, in every pass.
hint: `jax.random.split(key, steps)` gives a key for each.
wrong-shape: Return one position for each of {walkers} walkers, and not the shape {shape}.
all-walk-together: Your walkers are all at the same place. Each needs numbers of its own, added to where it is.
ignores-the-key [keys-are-values]: Another key gives you the same walk, because you do not use the key that you are
    given.
not-from-the-key [keys-are-values]: The same key gives you another walk. The numbers come from somewhere else as well.
same-key-again [key-reuse]: You draw from a key twice, so numbers repeat.{far}
draws-and-derives [key-reuse]: You use one key for two things, such as to draw and to split, or to split into different
    numbers of keys. Both may give the same numbers, so use each key once.
wrong-spread: After n steps of spread 1 the spread should be √n. Yours is {spread} √n after three steps.
not-normal: Your spread is right, but the steps are not normal. Half of them should be shorter than 0.67.
not-normal/2: Your steps are nearly normal, but of 20,000 none is longer than 3.2. The tails are cut off.
too-few-numbers: You draw {drawn} numbers for {walkers} walkers with {steps} steps, which is less than one for every
    step.
wrong-spread/2: Your walk is right for three steps. After {steps} the spread is {spread} √n.
wrong-shape/2: Return one position for one walker, and not the shape {shape}.
same-numbers-shuffled: Your spread is right, but the steps are not independent. The mean place of all walkers shows it.
drifts: Your spread is right, but on average the walkers are at {mean} after {steps} steps, not at 0.
"""

drunkards_walk = declare(
    "drunkards-walk",
    see="lab-silent",
    steps=[a_walk_at_random],
    words=WORDS,
)
