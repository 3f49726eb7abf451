"""histogram: many numbers into few counts, by steps that may run in any order."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import Rule, Walks, covers, in_any_order, no_copy, not_whole, nothing_as_large

from ._lesson import NUMBERED
from ._lesson import WORDS as LESSON

EVEN, ODD = [(12, 4, 4), (6, 3, 2)], [(10, 5, 4), (7, 3, 3)]


def numbers(rng, sizes):
    """Whole numbers below `bins`: each block has two that are equal, and no two blocks are alike."""
    n, bins, block = sizes
    v = rng.integers(0, bins, n)
    v[::block] = v[1::block][: len(v[::block])] if n % block != 1 else np.append(v[1::block], 0)
    return v.astype(np.int32), bins, block


def all_equal(rng):
    """More equal numbers in one block than 16 bits can count."""
    return [(np.ones(34_000, np.int32), 2, 33_000)]


@probe.question(evidence="values", like_a_call=True)
def on_rubbish(student_function, *args):
    """What the answer gives where a number that has a bin lies beyond the end."""
    return probe.by_blocks(student_function, *args, beyond=1.0)


@probe.question(evidence="values", like_a_call=True)
def step_by_step(student_function, *args):
    """What the answer gives where no step finds in scratch memory what another one has left there."""
    return probe.by_blocks(student_function, *args, beyond=1.0, scratch=1.0)


def counts(v, bins, block=None):
    return np.bincount(v, minlength=bins).astype(np.int32)


def parts(v, bins, block):
    return np.stack([counts(v[at : at + block], bins) for at in range(0, len(v), block)])


def more_in(v, bins, block, bin_):
    """What hangs over is counted in a bin."""
    extra = np.zeros(bins, np.int32)
    extra[bin_] = -len(v) % block
    return counts(v, bins) + extra


def unset(reply):
    """Numbers that are no counts: what no step has written is the smallest integer of all."""
    got = np.asarray(reply.got)
    return bool((got < 0).any() or (got > len(reply.case[0])).any())


def unread(found, v, bins, block):
    missing = min((one["uncovered"] for one in found["inputs"]), default=0)
    return {"missing": missing, "steps": found["steps"]} if missing else None


def in_another_dtype(found, v, bins, block):
    dtype = found["outputs"][0]["dtype"]
    return None if dtype in ("int32", "uint32") else {"dtype": dtype}


def too_long(found, v, bins, block):
    return {"block": block} if any(one["block"][0] > block for one in found["inputs"]) else None


RULES = [
    nothing_as_large(lambda v, bins, block: len(v) * bins),
    no_copy(lambda v, bins, block: len(v)),
    not_whole(),
    in_any_order(),
    Rule("rest-unread", unread),
    covers(),
    Rule("other-blocks", too_long),
    Rule("other-counts", in_another_dtype),
]
MISTAKES = {
    "never-set": seen(unset),
    "not-added": parts,
    "seen-once": lambda v, bins, block: (parts(v, bins, block) > 0).sum(0).astype(np.int32),
    "overhang": [
        lambda v, bins, block: more_in(v, bins, block, 0),
        lambda v, bins, block: more_in(v, bins, block, bins - 1),
    ],
    "last-block": lambda v, bins, block: parts(v, bins, block)[-1],
}

WORDS = """
hint: Which block of which result belongs to one step alone, so that it doesn't matter when the step runs?
hint: Let the kernel's result have a row of counts for each step. The rows are added after the call, with `.sum(0)`.
hint: `hit = v_ref[...][:, None] == iota` has a row for each number and a column for each bin. Select the numbers that
    are inside, and add. That gives the counts of a step.
table: Somewhere you hold {largest} numbers at once, and {size} are a flag for each pair of a number and a bin. Compare
    one block at a time.
copied: Outside the kernel you make an array of {largest} numbers, about as many as `v` has. It is written and read once
    more. Hand over `v` itself. The last block may hang over.
shared: Your {steps} steps add to one block of `{ref}`. In order that is right, on a GPU it is a race. Give each step a
    row, and add the rows afterwards.
rest-unread: Your {steps} steps leave {missing} numbers of `v` without a block. Round the number of steps up, with
    `pl.cdiv`.
other-blocks: Your blocks have more than {block} numbers of `v`.
other-counts: Your kernel counts in `{dtype}`, and large counts do not fit. 16,777,217 is no `float32`, and 128 no
    `int8`. Count in `int32`.
never-set: Your result has numbers that are no counts. Each step must set all bins of its row before it adds to them.
not-added: You return the counts of each step. Add the rows after the call.
seen-once: A number that occurs twice in a block counts once in yours. Count how many are equal, and not whether one is.
overhang: Where the last block hangs over, you count numbers that do not exist. Count by the place of a number.
last-block: You return the counts of the last block. Add those of all steps.
handed-on: Your counts are right if steps come in order. In another order, a step doesn't find in scratch memory what
    the one before has left. Here it finds 1. Set what you read at each step.
small-integers: Your counts are right while they are small. Here one block has 33,000 equal numbers. Count in `int32`,
    and return it.
marks: You are right while the smallest integer, the interpreter's mark, lies beyond the end. Here 1 does, as it may on
    a device, and is counted. Choose by a number's place.
wrong-value: Bin `b` has how many numbers of `v` are equal to `b`.
"""

histogram = declare(
    "histogram",
    see="results-that-stay",
    points=2,
    steps=[
        Walks(numbers, [(40, 3, 8), (41, 3, 8)], rules=RULES),
        Agrees(counts, numbers, [*EVEN, *ODD], each=1, ask=probe.by_blocks, mistakes=MISTAKES, raising=NUMBERED),
        Agrees(
            counts,
            numbers,
            ODD,
            each=1,
            ask=on_rubbish,
            otherwise="marks",
            shows="probe.by_blocks(histogram, {}, beyond=1.0)",
        ),
        Agrees(
            counts,
            numbers,
            ODD[:1],
            each=1,
            ask=step_by_step,
            otherwise="handed-on",
            shows="probe.by_blocks(histogram, {}, beyond=1.0, scratch=1.0)",
        ),
        Agrees(counts, extremes=all_equal, ask=probe.by_blocks, otherwise="small-integers", dtype=True),
    ],
    words=(LESSON, WORDS),
)
