"""What the exercises of lesson 13 share."""

import math
from statistics import NormalDist

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import require
from jaxcourse.exercise import numbers

WORDS = """
hidden-state: Your function gives different numbers for the same key, so they come from somewhere else. Draw them
    with the key.
key-ignored: Your function gives {shared} of the same numbers in the same places for another key. It does not use
    the key for them.
"""


FAULTS = {
    "drawn-twice": "one key is drawn from twice",
    "drawn-and-split": "a key is drawn from, and split as well",
    "drawn-and-folded": "a key is drawn from, and a number is folded into it as well",
    "split-and-folded": "a key is split, and a number is folded into it as well",
    "split-in-two-ways": "a key is split twice, into different numbers of keys, of which some are the same",
    "same-in-every-step": "every step of a loop draws from the same key",
}
"""What a key is used for, in words."""


def drawn(draw, seeds, *sizes):
    """The sample of each seed, if the same key gives it again."""
    samples = [draw(jax.random.key(seed), *sizes) for seed in seeds]
    again = draw(jax.random.key(seeds[0]), *sizes)
    are_numbers = np.asarray(again).dtype.kind not in "OUS"  # None or a text is no NaN, and cannot be asked for one
    return {"repeats": np.array_equal(samples[0], again, equal_nan=are_numbers), "samples": samples}


def asked_with(answer, seed, *sizes):
    """The samples of a seed and of the next one: of one shape, if each key has numbers of its own."""
    facts = answer.probe(drawn, [seed, seed + 1], *sizes)
    answer.called = f"{answer.name}(jax.random.key({seed}), {', '.join(map(str, sizes))})"
    require(facts["repeats"], "hidden-state")
    return [numbers(sample).astype(float) for sample in facts["samples"]]


def require_of_the_key(sample, other):
    """Another key should give other numbers, in each place: rounded ones meet in others by chance."""
    shared = np.mean(sample == other)
    require(shared < 0.1, "key-ignored", shared=f"{shared:.0%}")


def fault_of(answer, *sizes):
    """What is wrong with how an answer uses its key, in words; nothing if it is all right."""
    facts, raised = answer.attempt(probe.key_uses, *sizes, expected=probe.NEEDS_A_VALUE)
    if raised:
        return FAULTS["drawn-twice"] if answer.probe(probe.reuses_key, *sizes) else ""
    return ", ".join(FAULTS[fault] for fault in facts["faults"])


def is_normal(sample):
    """Whether numbers look standard normal: of a thousand million samples that are, four would not."""
    x = np.sort(sample.ravel())
    below = np.array(list(map(NormalDist().cdf, x.tolist())))
    distance = np.abs(below - np.arange(0.5, x.size) / x.size).max()
    return distance < math.sqrt(10 / x.size) and np.abs(x).max() > 2.5


def correlation(x, y):
    """The correlation of two arrays of one shape, element by element."""
    return float(np.corrcoef(np.ravel(x), np.ravel(y))[0, 1])
