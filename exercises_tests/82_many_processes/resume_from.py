"""resume-from: the last step of which all parts are there."""

import itertools
import re

from jaxcourse.checks import Agrees, declare, require

from ._lesson import WORDS as LESSON

PART = re.compile(r"(\d+)/part-(\d+)-of-(\d+)")


def parts_of(names):
    """The step, the number and the count of each part; other names are left out."""
    found = (PART.fullmatch(name) for name in names)
    return [tuple(map(int, match.groups())) for match in found if match]


def whole_steps(names):
    """The steps of which all parts are there, as one number of processes has written them."""
    parts = parts_of(names)
    return [step for step, _, count in parts if all((step, part, count) in parts for part in range(count))]


def oracle(names):
    return max(whole_steps(names), default=-1)


def with_enough_parts(names):
    """The last step with as many different parts as one of its names says, whoever has written them."""
    parts = parts_of(names)
    there = {step: {part for other, part, _ in parts if other == step} for step, _, _ in parts}
    return max((step for step, _, count in parts if len(there[step]) >= count), default=-1)


MISTAKES = {
    "newest-of-all": [
        lambda names: max((step for step, _, _ in parts_of(names)), default=-1),
        lambda names: max((int(name.split("/")[0]) for name in names if "/" in name), default=-1),
    ],
    "one-part-for-all": [
        lambda names: max((step for step, part, count in parts_of(names) if part == count - 1), default=-1),
        lambda names: max((step for step, part, _ in parts_of(names) if part == 0), default=-1),
    ],
    "unfinished-parts": lambda names: oracle([name.removesuffix(".tmp") for name in names]),
    "two-runs-mixed": with_enough_parts,
    "as-text": lambda names: int(max(map(str, whole_steps(names)), default=-1)),
    "first-whole": lambda names: min(whole_steps(names), default=-1),
    "step-0-forgotten": lambda names: oracle(names) or -1,
    "zero-for-none": lambda names: max(whole_steps(names), default=0),
}


def written(step, count, without=()):
    """The names of a step's parts; those that are still being written have another ending."""
    return [f"{step}/part-{part}-of-{count}" + ".tmp" * (part in without) for part in range(count)]


def crashes(rng):
    """What is found in a store after different crashes, the plainest first."""
    found = [
        [written(90, 1), written(120, 4)[:1], written(120, 4)[3:]],
        [written(90, 2), written(120, 2)],
        [written(50, 3), written(100, 3, without=[1])],
        [written(0, 2), written(10, 2)[:1]],
        [written(0, 2), written(10, 2)[1:]],
        [written(10, 3)],
        [written(10, 2)[:1], ["log.txt"]],
        [],
        [written(50, 2), written(100, 4)[:2], written(100, 2)[:1]],
        [written(50, 2), written(100, 4)[:2], written(100, 2)],
        [written(7, 1), written(1000, 12), written(200, 12), written(3000, 12)[:11]],
    ]
    for _ in range(3):
        last, few, more = (int(n) for n in rng.integers((100, 2, 6), (1500, 5, 12)))
        kept = written(last - 60, few)
        found += [
            [kept, written(last, more)[int(rng.integers(1, more)) :]],
            [kept, written(last, more)[:-1]],
            [kept, written(last, more, without=[int(rng.integers(0, more))])],
            [kept, written(last, more)[1:], written(last, few)[:1]],
            [written(last - 99, 1), kept, written(last, more)],
            [written(0, more), written(last, few)[1:]],
            [written(last, few)[1:]],
        ]
    return [([str(name) for name in rng.permutation(list(itertools.chain(*groups)))],) for groups in found]


def step_in(got, names):
    """The step that came back; requires a whole number."""
    require(isinstance(got, int) and not isinstance(got, bool), "not-a-step", type=type(got).__name__)
    return got


WORDS = """
hint: The name of a part says how many there must be, and so how all of them are called.
hint: A step is whole if the set of these names is a part of the set of all names.
not-a-step: Return the step as an `int`, and not an object of type `{type}`.
newest-of-all: You returned the newest step of which something is there. A run that dies while it saves leaves only some
    parts, and the others are lost.
one-part-for-all: One part is there, and you took the others for granted. Processes do not write in their order, so
    look for each part.
unfinished-parts: You counted a name that ends in `.tmp`. That part was still being written, so its step is not whole.
two-runs-mixed: Parts of two runs were counted together. Part 0 of 2 and part 1 of 4 hold other pieces, and do not
    make up a whole.
as-text: Steps were compared as text, in which `"90"` comes after `"120"`. Make numbers of them first.
first-whole: That is the first whole step. From the last one there is less to repeat.
step-0-forgotten: You returned -1, but step 0 is whole. Ask whether a step was found at all. 0 is one, though it is
    false in Python.
zero-for-none: You returned 0, which says that step 0 can be read. If no step is whole, return -1.
wrong-value: Return the last step for which every part of one run is there under its final name.
"""

resume_from = declare(
    "resume-from",
    points=2,
    see="save-and-read",
    steps=[Agrees(oracle, extremes=crashes, reads=step_in, mistakes=MISTAKES)],
    words=(LESSON, WORDS),
)
