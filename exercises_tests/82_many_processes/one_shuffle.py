"""one-shuffle: the examples that each process reads in a step, from one order for all."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, at_once, declare, expect, refuse, require
from jaxcourse.exercise import refuse_nothing

from ._lesson import WORDS as LESSON


@probe.question(evidence="values")
def examples_for_all(student_function, cases):
    """For each size, epoch, step, batch and number of processes, the examples of every process."""
    found = [
        [student_function(size, epoch, step, batch, rank, count) for rank in range(count)]
        for size, epoch, step, batch, count in cases
    ]
    return [[part if part is None else np.asarray(part) for part in parts] for parts in found]


def permuted(size, epoch):
    return np.random.default_rng(epoch).permutation(size)


def batch_of(order, step, batch, count):
    """A step's batch of an order, a row for each process."""
    return order[step * batch :][:batch].reshape(count, -1)


def shuffled(size, epoch, step, batch, count):
    """A row for each process, of the batch as it is handed out by counting through the order."""
    return permuted(size, epoch)[: (step + 1) * batch][-batch:].reshape(count, -1).tolist()


def seeded_by_rank(size, epoch, step, batch, count):
    orders = [permuted(size, epoch + rank) for rank in range(count)]
    return [batch_of(order, step, batch, count)[rank].tolist() for rank, order in enumerate(orders)]


def dealt_out_first(parts, step, batch, count):
    """What each process reads if it walks through its own part of the data."""
    return [part[step * (batch // count) :][: batch // count].tolist() for part in parts]


def from_places(begins, size, epoch, length):
    """So many examples from each of some places of the order."""
    return [permuted(size, epoch)[begin:][:length].tolist() for begin in begins]


def batches_of(order):
    """What comes of another order, a function of a case."""
    return lambda size, epoch, step, batch, count: batch_of(order(size, epoch, step), step, batch, count).tolist()


MISTAKES = {
    "seed-by-rank": seeded_by_rank,
    "whole-batch": lambda *case: [np.ravel(shuffled(*case)).tolist()] * case[-1],
    "not-shuffled": batches_of(lambda size, epoch, step: np.arange(size)),
    "dealt-like-cards": lambda *case: np.reshape(shuffled(*case), (-1, case[-1])).T.tolist(),
    "same-step-always": lambda size, epoch, step, batch, count: shuffled(size, epoch, 0, batch, count),
    "shard-first": lambda size, epoch, step, batch, count: dealt_out_first(
        [permuted(size, epoch)[rank * (size // count) :] for rank in range(count)], step, batch, count
    ),
    "cut-first": lambda size, epoch, step, batch, count: dealt_out_first(
        np.array_split(permuted(size, epoch), count), step, batch, count
    ),
    "another-generator": batches_of(lambda size, epoch, step: np.random.RandomState(epoch).permutation(size)),
    "shuffled-places": lambda size, epoch, step, batch, count: (
        np.random.default_rng(epoch).permutation(np.arange(batch) + step * batch).reshape(count, -1).tolist()
    ),
    "seed-by-step": batches_of(lambda size, epoch, step: permuted(size, epoch + step)),
    "batch-for-each": lambda size, epoch, step, batch, count: from_places(
        [(step * count + rank) * batch for rank in range(count)], size, epoch, batch
    ),
    "sorted": lambda *case: np.sort(shuffled(*case), axis=1).tolist(),
    "ends-of-the-part": lambda size, epoch, step, batch, count: [
        [step * batch + rank * (batch // count), step * batch + (rank + 1) * (batch // count)] for rank in range(count)
    ],
    "steps-by-part": lambda size, epoch, step, batch, count: from_places(
        [(step + rank) * (batch // count) for rank in range(count)], size, epoch, batch // count
    ),
}


def steps_of_trainings(rng):
    """A size, an epoch, a step, a batch and a number of processes."""
    cases = [(24, 0, 0, 8, 2), (24, 0, 1, 8, 2), (24, 3, 2, 8, 4), (10, 1, 1, 4, 1), (30, 2, 0, 30, 5), (7, 5, 0, 6, 3)]
    cases.append((1000, 4, 5, 150, 3))  # more examples than a byte can number
    for _ in range(3):
        count, each, step = (int(n) for n in (rng.integers(1, 6), rng.integers(1, 6), rng.integers(1, 4)))
        size = count * each * (step + 1) + int(rng.integers(0, 5))
        cases.append((size, int(rng.integers(1, 100)), step, count * each, count))
    return cases


def indices_in(got, *case):
    """What each process reads, as lists; requires whole numbers, and equally many of them, unless it is known why."""
    refuse_nothing(any(part is None for part in got))
    kinds = sorted({str(part.dtype) for part in got if part.size and part.dtype.kind not in "iu"})
    refuse(kinds, "not-indices", dtype=kinds[:1] and kinds[0])
    parts = [part.tolist() for part in got]
    equal = len({part.shape for part in got}) == 1
    *_, batch, count = case
    require(equal or parts == MISTAKES["batch-for-each"](*case), "wrong-number", each=batch // count, batch=batch)
    return parts


def each_once(answer, rng):
    """A step: where each process has as many examples as it should, none of them is read twice in a training step."""
    cases = steps_of_trainings(rng)
    for (*_, batch, count), got in zip(cases, answer.probe(examples_for_all, cases), strict=True):
        together = [example for part in got for example in part.ravel().tolist()]
        in_parts = {part.shape for part in got} == {(batch // count,)}
        refuse(in_parts and len(set(together)) < batch, "some-twice")


def equal_parts_in(got, size, epoch, step, batch, count):
    """What each process reads, as `indices_in`; requires that together they have the batch."""
    parts, want = indices_in(got, size, epoch, step, batch, count), shuffled(size, epoch, step, batch, count)
    if parts == want:
        return parts
    require({part.shape for part in got} == {(batch // count,)}, "wrong-number", each=batch // count, batch=batch)
    right, first, last = np.ravel(want).tolist(), step * batch, (step + 1) * batch - 1
    require(set(np.ravel(parts).tolist()) == set(right), "other-batch", first=first, last=last, right=right)
    expect(np.array(parts), np.array(want), "wrong-value")


WORDS = """
hint: The order comes from the epoch alone. Where in it does the batch of this step begin?
hint: `batch // count`
not-indices: Your numbers of examples are `{dtype}`, so they could not be used as indices.
seed-by-rank: Each of your processes has its own order, so some examples are read twice and others never. Keep `rank`
    out of the seed.
whole-batch: Each process reads the whole batch, so every example counts several times. Take the part of `rank`.
not-shuffled: You returned places in the order, and not the examples that stand there. Look them up in the permutation.
dealt-like-cards: Examples are dealt out one by one, as by `[rank::count]`. Consecutive parts were asked for.
same-step-always: You read the same batch in every step. `step` says where in the order it begins.
shard-first: You split the data set first, and each process walks through its own part, so the batch depends on the
    number of processes. Take the batch first, then split it.
cut-first: You deal out the data set first, and each process walks through its own part, so batches depend on the number
    of processes. Take the batch first, then split it.
another-generator: You asked NumPy's old generator, which gives another order. The task names `np.random.default_rng`.
shuffled-places: Only the places of this batch are shuffled, so each batch has the same examples in every epoch.
    Shuffle all of them, then take the batch.
seed-by-step: Each of your steps has its own order, so within an epoch examples come twice or never. The seed is the
    epoch.
batch-for-each: Each process takes a whole batch of its own. `batch` is what all take together.
sorted: Your examples are right, but sorted. They should come in the order of the epoch.
ends-of-the-part: You returned the two ends of the part. Look up the examples between them in the order.
steps-by-part: A step moves on by the part of one process. It should move on by a whole batch, or steps overlap.
wrong-number: Each process should get {each} of the batch's {batch} examples, in one row of numbers.
some-twice: In one step the processes read an example twice, and so another one never. Is their order the same, each
    example once? Does each part begin where the last ends?
other-batch: Together your processes should have the examples at {first} to {last} of the epoch's order, which are
    {right}.
wrong-value: Your batch is right, but dealt out in another way. Row r belongs to process r.
"""

SHOWS = (
    "one_shuffle(size, epoch, step, batch, rank, count) for each rank, with (size, epoch, step, batch, count) = ({})"
)
asked = functools.partial(Agrees, shuffled, extremes=steps_of_trainings, ask=at_once(examples_for_all), shows=SHOWS)
one_shuffle = declare(
    "one-shuffle",
    see="whose-rows",
    steps=[asked(reads=indices_in, mistakes=MISTAKES, otherwise=None), each_once, asked(reads=equal_parts_in)],
    words=(LESSON, WORDS),
)
