"""agree-on-steps: the sums of as many steps as all processes can make, the same in every process."""

import functools
import itertools

import numpy as np

from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import WORDS as LESSON
from ._lesson import rehearsed, require_no_trouble


def summed(count, batches):
    """The sum of each step that all can make, for every process."""
    return [[float(sum(step)) for step in zip(*batches, strict=False)]] * count


def kept_apart(count, batches):
    """What each process has read in these steps."""
    return [mine[: min(map(len, batches))] for mine in batches]


def until_a_zero(count, batches):
    """The sums up to the first step in which a process has read 0."""
    return [[float(sum(step)) for step in itertools.takewhile(all, zip(*batches, strict=False))]] * count


MISTAKES = {
    "zero-is-missing": until_a_zero,
    "nothing-added": [
        kept_apart,
        lambda count, batches: [np.cumsum(mine).tolist() for mine in kept_apart(count, batches)],
    ],
}


def quarters(rng, length):
    """Numbers that are added up without rounding, some of them 0."""
    return [float(n) / 4 for n in rng.integers(-30, 31, size=length)]


def ends_of_data(rng, length):
    """Numbers that people write where the data end."""
    return [float(rng.choice([-999, 999, 1e9, -1e9, 1e12])) for _ in range(length)]


def unequal(rng):
    """How many processes there are, and what each has read."""
    lengths = [(2, 2), (1,), (3, 1), (1, 3), (0, 2), (2, 0, 3), (0, 0)]
    lengths.append(tuple(int(n) for n in rng.integers(0, 6, size=int(rng.integers(2, 6)))))
    for many in lengths:
        batches = [quarters(rng, length) for length in many]
        for mine in batches[:: int(rng.integers(1, 3))]:  # zeros are batches too
            mine[:1] = [0.0] * len(mine[:1])
        batches[0][1:2] = [-1.0] * len(batches[0][1:2])  # and so is -1
        yield len(many), batches
    yield 4, [ends_of_data(rng, length) for length in (4, 2, 3, 3)]
    yield 2, [rng.normal(size=length).tolist() for length in (130, 133)]


def lists_in(facts, count, batches):
    """What each process returned; requires a list of numbers, and that nobody is left waiting."""
    require_no_trouble(facts["trouble"])
    results = facts["results"]
    require(all(isinstance(sums, list) and numbers(sums).ndim == 1 for sums in results), "not-a-list")
    most, least = max(map(len, results)), min(map(len, results))
    refuse(most > least, "not-in-all", most=most, least=least)
    return results


def as_many_as_steps(facts, count, batches):
    """What each process returned; requires a sum for each step that all can make, and no other."""
    results, steps = lists_in(facts, count, batches), min(map(len, batches))
    made = len(results[0])
    refuse(made > steps, "too-many-steps", steps=steps, most=made)
    refuse(made < steps, "too-few-steps", steps=steps, least=made)
    return results


WORDS = """
hint: How many steps can all make? No process knows that by itself.
hint: The first meeting is about the lengths. Everybody comes, even with an empty list.
not-a-list: Return a list of numbers in every process, an empty one if there is no step.
not-in-all: One process returns {most} sums, and another one {least}. All make the same steps, and each returns the sum
    of each step.
nothing-added: Each of your processes returns what comes from its own numbers alone. Nothing was added up over the
    processes.
too-many-steps: The number of steps that all can make is {steps}, but some process returns {most} sums. Leave out the
    numbers that only some have read.
too-few-steps: The number of steps that all can make is {steps}, but some process returns {least} sums.
wrong-value: Return the sums over all processes, in every process.
zero-is-missing: Your loop stops at a batch that is 0, as if it were missing. If `None` stands for a missing one, ask
    `is None`. In Python, 0 is also false.
"""

asked = functools.partial(Agrees, summed, extremes=unequal, ask=rehearsed)
SHOWS = "agree_on_steps(rank, count, exchange, batches) with this count, and with these batches of each: {}"
agree_on_steps = declare(
    "agree-on-steps",
    points=2,
    see="in-step",
    steps=[
        asked(reads=lists_in, mistakes=MISTAKES, otherwise=None, shows=SHOWS),
        asked(reads=as_many_as_steps, shows=SHOWS),
    ],
    words=(LESSON, WORDS),
)
