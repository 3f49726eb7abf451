"""Checks of lesson 17, more than one process: what is asked, what people get wrong, and what each mistake is told.

No check starts a process: an answer is asked for every number of processes, or rehearsed in threads.
"""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse import launch, probe
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.inputs import array
from jaxcourse.prediction import Mistake, anything_else, prediction

# -- deal-out-rows ----------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def ends_for_all(student_function, cases):
    """For each number of rows and of processes, what every process gets."""
    return [[student_function(rows, rank, count) for rank in range(count)] for rows, count in cases]


def dealt(rows, count):
    """The oracle: rows counted as if they were handed out one by one."""
    held = [len(range(rank, rows, count)) for rank in range(count)]
    ends = list(itertools.accumulate(held, initial=0))
    return list(zip(ends[:-1], ends[1:], strict=True))


def is_pair(value):
    """Whether a value is a pair of whole numbers."""
    try:
        found = np.asarray(value)
    except ValueError:
        return False
    return found.shape == (2,) and found.dtype.kind in "iu"


@exercise(
    "deal-out-rows",
    see="whose-rows",
    hint=[
        "`divmod(rows, count)` says how many each gets at least, and how many are left over.",
        "How many of the processes before `rank` have one row more?",
    ],
)
def deal_out_rows(answer, rng):
    drawn = [(int(rng.integers(20, 100)), int(rng.integers(2, 12))) for _ in range(3)]
    cases = [(8, 2), (8, 1), (7, 2), (0, 3), (2, 5), (10, 4), (11, 4), (12, 4), (5, 5), (100, 33), *drawn]
    found = answer.probe(ends_for_all, cases)
    for require_of_one in (_require_pairs, _require_a_tiling, _require_the_order):
        for (rows, count), got in zip(cases, found, strict=True):
            answer.called = f"deal_out_rows({rows}, rank, {count}) for each rank"
            answer.returned = str(got)
            require_of_one(got, rows, count)
    rows = 20_000_003
    (got,) = answer.probe(ends_for_all, [(rows, 3)])
    answer.called, answer.returned = f"deal_out_rows({rows}, rank, 3) for each rank", str(got)
    _require_pairs(got, rows, 3)
    message = f"Right for few rows, and not for {rows:,}: a float32 has whole numbers up to 16,777,216 only. "
    require(_as_numbers(got) == dealt(rows, 3), "many-rows-rounded", message + "Stay with Python's whole numbers.")


def _require_pairs(got, rows, count):
    message = "Return a pair of whole numbers for each process: where it begins, and where it ends."
    require(all(map(is_pair, got)), "not-a-pair", message)


def _as_numbers(got):
    return [tuple(int(end) for end in part) for part in got]


def _require_a_tiling(got, rows, count):
    got, want = _as_numbers(got), dealt(rows, count)
    held, places = [row for start, stop in got for row in range(start, stop)], list(range(rows))
    message = f"All {count} processes get the same rows, so everything is there {count} times. Use `rank`."
    refuse(count > 1 and rows and len(set(got)) == 1, "same-for-all", message)
    each = rows // count
    divided = [(rank * each, rank * each + each) for rank in range(count)]
    message = f"Of {rows} rows, {len(held)} are dealt out: those left over by the division belong to nobody."
    refuse(held != places and got == divided, "left-over-lost", message)
    message = f"The parts of {count} processes reach beyond the {rows} rows: rounded up, the last ones have too many."
    refuse(any(stop > rows for _, stop in got), "beyond-the-end", message)
    inclusive = [(start, stop - 1) for start, stop in want]
    refuse(got == inclusive and rows >= count, "end-included", "`stop` is the first row that is no longer yours.")
    lengths = [(start, stop - start) for start, stop in want]
    message = "The second number is how many rows there are. It should be where they end."
    refuse(got == lengths != want and count > 1, "length-for-end", message)
    refuse(len(held) > len(set(held)), "rows-twice", f"Some of the {rows} rows go to several processes.")
    message = f"Of {rows} rows, {len(set(held))} are dealt out to {count} processes."
    require(sorted(held) == places, "rows-lost", message)
    sizes = [max(stop - start, 0) for start, stop in got]
    message = f"The {count} processes have {', '.join(map(str, sizes))} rows: all others wait for one that has more."
    refuse(max(sizes) - min(sizes) > 1, "not-even", message)


def _require_the_order(got, rows, count):
    got, want = _as_numbers(got), dealt(rows, count)
    same = [stop - start for start, stop in want] == [max(stop - start, 0) for start, stop in got]
    turned = want[::-1] != want and sorted(got) == got[::-1] and count > 1 and rows >= count
    refuse(turned, "other-order", "The parts are dealt out from the last process to the first: process 0 comes first.")
    message = f"The first {rows % count} of {count} processes should have one row more, but here others have it."
    require(same, "wrong-ones-have-more", message)
    filled = [(mine, right) for mine, right in zip(got, want, strict=True) if right[1] > right[0]]
    message = "The rows are not dealt out in the order of the processes: process 0 has the first ones."
    require(all(mine == right for mine, right in filled), "other-order", message)
    message = f"A process without rows should get `({rows}, {rows})`, so that it begins where the rows end."
    require(got == want, "wrong-ends", message)


def _before(rows, rank, count):
    held = [rows // count + (r < rows % count) for r in range(count)]
    return [sum(held[:rank]), sum(held[: rank + 1])]


@right("deal-out-rows")
def counts_the_rows_before(rows, rank, count):
    return _before(rows, rank, count)


@right("deal-out-rows")
def splits_an_array(rows, rank, count):
    part = np.array_split(np.arange(rows), count)[rank]
    return (int(part[0]), int(part[-1]) + 1) if len(part) else (rows, rows)


@wrong("deal-out-rows", "left-over-lost")
def divides_and_forgets(rows, rank, count):
    return rank * (rows // count), (rank + 1) * (rows // count)


@wrong("deal-out-rows", "not-even")
def the_last_takes_the_rest(rows, rank, count):
    each = rows // count
    return rank * each, rows if rank == count - 1 else (rank + 1) * each


@wrong("deal-out-rows", "beyond-the-end")
def rounds_up(rows, rank, count):
    each = -(-rows // count)
    return rank * each, (rank + 1) * each


@wrong("deal-out-rows", "not-even")
def rounds_up_and_stops_at_the_end(rows, rank, count):
    each = -(-rows // count)
    return min(rank * each, rows), min((rank + 1) * each, rows)


@wrong("deal-out-rows", "wrong-ones-have-more")
def rounds_the_ends(rows, rank, count):
    return rank * rows // count, (rank + 1) * rows // count


@wrong("deal-out-rows", "same-for-all")
def everything_for_everybody(rows, rank, count):
    return 0, rows


@wrong("deal-out-rows", "end-included")
def names_the_last_row(rows, rank, count):
    least, more = divmod(rows, count)
    return rank * least + min(rank, more), (rank + 1) * least + min(rank + 1, more) - 1


@wrong("deal-out-rows", "length-for-end")
def says_how_many(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return start, stop - start


@wrong("deal-out-rows", "rows-twice")
def begins_without_the_others_extra_rows(rows, rank, count):
    least, more = divmod(rows, count)
    return rank * least, rank * least + least + (rank < more)


@wrong("deal-out-rows", "rows-lost")
def leaves_the_first_row_out(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return max(start, 1), max(stop, 1) if rows else rows


@wrong("deal-out-rows", "other-order")
def the_last_process_first(rows, rank, count):
    held = [rows // count + (r < rows % count) for r in range(count)]
    return rows - sum(held[: rank + 1]), rows - sum(held[:rank])


@wrong("deal-out-rows", "wrong-ends")
def nothing_is_from_zero_to_zero(rows, rank, count):
    start, stop = _before(rows, rank, count)
    return (start, stop) if stop > start else (0, 0)


@wrong("deal-out-rows", "many-rows-rounded")
def counts_in_float32(rows, rank, count):
    least, more = rows // count, rows % count
    return [int(np.float32(r) * np.float32(least) + np.float32(min(r, more))) for r in (rank, rank + 1)]


@wrong("deal-out-rows", "not-a-pair")
def how_many_rows(rows, rank, count):
    return rows // count + (rank < rows % count)


# -- one-shuffle ------------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def examples_for_all(student_function, cases):
    """For each size, epoch, step, batch and number of processes, the examples of every process."""
    return [
        [np.asarray(student_function(size, epoch, step, batch, rank, count)) for rank in range(count)]
        for size, epoch, step, batch, count in cases
    ]


def shuffled(size, epoch, step, batch, count):
    """The oracle: a whole batch, cut into rows."""
    order = np.random.default_rng(epoch).permutation(size)
    return order[: (step + 1) * batch][-batch:].reshape(count, -1)


def _batch(order, step, batch, count):
    """A step's batch of an order, a row for each process."""
    return order[step * batch :][:batch].reshape(count, -1)


def shuffled_by_rank(size, epoch, step, batch, count):
    """What comes of a seed that depends on the rank."""
    orders = [np.random.default_rng(epoch + rank).permutation(size) for rank in range(count)]
    each = batch // count
    return [order[step * batch + rank * each :][:each] for rank, order in enumerate(orders)]


@exercise(
    "one-shuffle",
    see="whose-rows",
    hint=["The order comes from the epoch alone. Where in it does the batch of this step begin?", "`batch // count`"],
)
def one_shuffle(answer, rng):
    cases = [(24, 0, 0, 8, 2), (24, 0, 1, 8, 2), (24, 3, 2, 8, 4), (10, 1, 1, 4, 1), (30, 2, 0, 30, 5), (7, 5, 0, 6, 3)]
    cases.append((1000, 4, 5, 150, 3))  # more examples than a byte can number
    for _ in range(3):
        count, each, step = (int(n) for n in (rng.integers(1, 6), rng.integers(1, 6), rng.integers(1, 4)))
        size = count * each * (step + 1) + int(rng.integers(0, 5))
        cases.append((size, int(rng.integers(1, 100)), step, count * each, count))
    slips = {name: 0 for name in SHUFFLE_SLIPS}
    wrongs, found = [], answer.probe(examples_for_all, cases)
    kinds = {str(part.dtype) for got in found for part in got if part.size and part.dtype.kind not in "iu"}
    message = f"The numbers of examples are `{''.join(sorted(kinds)[:1])}`: they could not be used as indices."
    refuse(kinds, "not-indices", message)
    for case, got in zip(cases, found, strict=True):
        want = shuffled(*case)
        if [part.tolist() for part in got] != want.tolist():
            wrongs.append((case, got, want))
            for name, (slip, _) in SHUFFLE_SLIPS.items():
                slips[name] += [part.tolist() for part in got] == [np.asarray(part).tolist() for part in slip(*case)]
    if not wrongs:
        return
    (size, epoch, step, batch, count), got, want = wrongs[0]
    answer.called = f"one_shuffle({size}, {epoch}, {step}, {batch}, rank, {count}) for each rank"
    answer.returned = str([part.tolist() for part in got])
    for name, hits in slips.items():
        refuse(hits >= 2 and hits == len(wrongs), name, SHUFFLE_SLIPS[name][1])
    sizes = {part.shape for part in got}
    message = f"Each process should get {batch // count} of the batch's {batch} examples, in one row of numbers."
    require(sizes == {(batch // count,)}, "wrong-number", message)
    message = "Together the processes have some examples twice, and others never: is the order the same in all?"
    together = [np.concatenate([part.ravel() for part in parts]).tolist() for _, parts, _ in wrongs]
    refuse(any(len(set(examples)) < len(examples) for examples in together), "some-twice", message)
    found = np.concatenate(got)
    message = f"Together the processes should have the examples at {step * batch} to {(step + 1) * batch - 1} of the "
    message += f"epoch's order: {want.ravel().tolist()}."
    require(set(found.tolist()) == set(want.ravel().tolist()), "other-batch", message)
    expect(np.stack(got), want, "The right batch, dealt out in another way: row r belongs to process r.")


SHUFFLE_SLIPS = {
    "seed-by-rank": (
        shuffled_by_rank,
        "Each process has an order of its own, so some examples are read twice and others never: keep `rank` out of "
        "the seed.",
    ),
    "whole-batch": (
        lambda *case: [shuffled(*case).ravel()] * case[-1],
        "Each process reads the whole batch, so every example counts several times. Take the part of `rank`.",
    ),
    "not-shuffled": (
        lambda size, epoch, step, batch, count: np.arange(size)[step * batch :][:batch].reshape(count, -1),
        "These are places in the order, and not the examples that stand there: look them up in the permutation.",
    ),
    "dealt-like-cards": (
        lambda *case: shuffled(*case).reshape(-1, case[-1]).T,
        "Examples are dealt out one by one, as by `[rank::count]`. Consecutive parts were asked for.",
    ),
    "same-step-always": (
        lambda size, epoch, step, batch, count: shuffled(size, epoch, 0, batch, count),
        "Every step reads the same batch: `step` says where in the order it begins.",
    ),
    "shard-first": (
        lambda size, epoch, step, batch, count: [
            np.random.default_rng(epoch).permutation(size)[rank * (size // count) :][
                step * (batch // count) : (step + 1) * (batch // count)
            ]
            for rank in range(count)
        ],
        "The data set is cut into parts first, and each process walks through its own. First take the batch, then "
        "cut it: otherwise the batch depends on the number of processes.",
    ),
    "cut-first": (
        lambda size, epoch, step, batch, count: [
            part[step * (batch // count) :][: batch // count]
            for part in np.array_split(np.random.default_rng(epoch).permutation(size), count)
        ],
        "The data set is dealt out first, and each process walks through its own part. First take the batch, then cut "
        "it: otherwise the batch depends on the number of processes.",
    ),
    "another-generator": (
        lambda size, epoch, step, batch, count: _batch(
            np.random.RandomState(epoch).permutation(size), step, batch, count
        ),
        "NumPy's old generator was asked, which gives another order: the task names `np.random.default_rng`.",
    ),
    "shuffled-places": (
        lambda size, epoch, step, batch, count: (
            np.random.default_rng(epoch).permutation(np.arange(step * batch, (step + 1) * batch)).reshape(count, -1)
        ),
        "Only the places of this batch are shuffled, so each batch has the same examples in every epoch. Shuffle all "
        "of them, then take the batch.",
    ),
    "seed-by-step": (
        lambda size, epoch, step, batch, count: _batch(
            np.random.default_rng(epoch + step).permutation(size), step, batch, count
        ),
        "Every step has an order of its own, so within an epoch examples come twice or never: the seed is the epoch.",
    ),
    "batch-for-each": (
        lambda size, epoch, step, batch, count: [
            np.random.default_rng(epoch).permutation(size)[(step * count + rank) * batch :][:batch]
            for rank in range(count)
        ],
        "Each process takes a whole batch of its own. `batch` is what all take together.",
    ),
    "sorted": (
        lambda *case: np.sort(shuffled(*case), axis=1),
        "These are the right examples, but sorted: they should come in the order of the epoch.",
    ),
    "steps-by-part": (
        lambda size, epoch, step, batch, count: [
            np.random.default_rng(epoch).permutation(size)[(step + rank) * (batch // count) :][: batch // count]
            for rank in range(count)
        ],
        "A step moves on by the part of one process. It should move on by a whole batch, or steps overlap.",
    ),
}


@right("one-shuffle")
def cuts_the_batch_into_rows(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(epoch).permutation(size).tolist()
    mine = order[step * batch : (step + 1) * batch]
    return [mine[i] for i in range(batch) if i * count // batch == rank]


@wrong("one-shuffle", "seed-by-rank")
def an_order_for_each(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(epoch + rank).permutation(size)
    return order[step * batch + rank * (batch // count) :][: batch // count]


@wrong("one-shuffle", "some-twice")
def another_order_for_each(size, epoch, step, batch, rank, count):
    order = np.random.default_rng([epoch, rank]).permutation(size)
    return order[step * batch : step * batch + batch // count]


@wrong("one-shuffle", "whole-batch")
def the_batch_for_everybody(size, epoch, step, batch, rank, count):
    return np.random.default_rng(epoch).permutation(size)[step * batch : (step + 1) * batch]


@wrong("one-shuffle", "not-shuffled")
def forgets_the_order(size, epoch, step, batch, rank, count):
    start = step * batch + rank * (batch // count)
    return np.arange(start, start + batch // count)


@wrong("one-shuffle", "dealt-like-cards")
def every_so_many(size, epoch, step, batch, rank, count):
    return np.random.default_rng(epoch).permutation(size)[step * batch : (step + 1) * batch][rank::count]


@wrong("one-shuffle", "same-step-always")
def forgets_the_step(size, epoch, step, batch, rank, count):
    return np.random.default_rng(epoch).permutation(size)[rank * (batch // count) :][: batch // count]


@wrong("one-shuffle", "shard-first")
def cuts_the_data_first(size, epoch, step, batch, rank, count):
    mine = np.random.default_rng(epoch).permutation(size)[rank * (size // count) : (rank + 1) * (size // count)]
    return mine[step * (batch // count) : (step + 1) * (batch // count)]


@wrong("one-shuffle", "cut-first")
def deals_out_the_data(size, epoch, step, batch, rank, count):
    mine = np.array_split(np.random.default_rng(epoch).permutation(size), count)[rank]
    return mine[step * (batch // count) : (step + 1) * (batch // count)]


@wrong("one-shuffle", "another-generator")
def the_old_generator(size, epoch, step, batch, rank, count):
    order = np.random.RandomState(epoch).permutation(size)
    return order[step * batch + rank * (batch // count) :][: batch // count]


@wrong("one-shuffle", "shuffled-places")
def shuffles_one_batch(size, epoch, step, batch, rank, count):
    places = np.random.default_rng(epoch).permutation(np.arange(step * batch, (step + 1) * batch))
    return np.split(places, count)[rank]


@wrong("one-shuffle", "seed-by-step")
def an_order_for_each_step(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(epoch + step).permutation(size)
    return order[step * batch + rank * (batch // count) :][: batch // count]


@wrong("one-shuffle", "batch-for-each")
def as_many_as_all_together(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(epoch).permutation(size)
    return order[(step * count + rank) * batch : (step * count + rank + 1) * batch]


@wrong("one-shuffle", "sorted")
def sorts_its_part(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(epoch).permutation(size)
    return np.sort(order[step * batch + rank * (batch // count) :][: batch // count])


@wrong("one-shuffle", "steps-by-part")
def moves_on_too_slowly(size, epoch, step, batch, rank, count):
    each = batch // count
    return np.random.default_rng(epoch).permutation(size)[(step + rank) * each : (step + rank + 1) * each]


@wrong("one-shuffle", "not-indices")
def fills_an_array_of_floats(size, epoch, step, batch, rank, count):
    mine = np.zeros(batch // count)
    mine[:] = np.random.default_rng(epoch).permutation(size)[step * batch + rank * (batch // count) :][: batch // count]
    return mine


@wrong("one-shuffle", "wrong-number")
def the_end_of_the_batch_is_missing(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(epoch).permutation(size)
    return order[step * batch + rank * (batch // count) :][: batch // count - 1]


@wrong("one-shuffle", "other-batch")
def the_same_order_in_every_epoch(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(0).permutation(size)
    return order[step * batch + rank * (batch // count) :][: batch // count]


@wrong("one-shuffle", "wrong-value")
def from_the_last_to_the_first(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(epoch).permutation(size)
    return order[step * batch + (count - 1 - rank) * (batch // count) :][: batch // count]


# -- keys-by-rank -----------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def keys_for_all(student_function, seed, places):
    """The bits of both keys for some steps and processes, or nothing if a pair of keys did not come back."""
    found = []
    for step, rank in places:
        pair = student_function(seed, step, rank)
        if isinstance(pair, jax.Array) and pair.shape == (2,):
            pair = [pair[0], pair[1]]
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            return []
        if not all(
            isinstance(key, jax.Array) and jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and key.shape == ()
            for key in pair
        ):
            return []
        found.append([np.asarray(jax.random.key_data(key)).tolist() for key in pair])
    return found


@probe.question(evidence="values")
def keys_of_many(student_function, seed, count):
    """The bits of both keys for `count` steps of process 0, and of the own keys of as many processes in step 0.

    An answer that needs Python's numbers cannot be mapped: then there are none.
    """
    numbers = jnp.arange(count)

    def bits(step, rank):
        shared, own = student_function(seed, step, rank)
        return jax.random.key_data(shared), jax.random.key_data(own)

    try:
        shared, own = jax.vmap(lambda step: bits(step, 0))(numbers)
        return [np.asarray(shared), np.asarray(own), np.asarray(jax.vmap(lambda rank: bits(0, rank)[1])(numbers))]
    except Exception:
        return []


MANY = 2**17
"""So many steps and processes show a number that one of them is multiplied by, whichever it is."""


def number_of(keys):
    """Each key as one number."""
    bits = np.asarray(keys, np.uint64).reshape(-1, 2)
    return bits[:, 0] * np.uint64(2**32) + bits[:, 1]


def all_differ(keys):
    """Whether no key comes twice. Since NumPy 2.3, `np.unique` looks up one by one: of so many, sorting is faster."""
    ordered = np.sort(keys)
    return (ordered[1:] != ordered[:-1]).all()


def met(some, others):
    """The places of the first pair of equal keys; nothing if there is none."""
    common = np.intersect1d(some, others)
    return [int(np.flatnonzero(part == common[0])[0]) for part in (some, others)] if common.size else []


NOT_KEYS = "Return a pair of keys, as `jax.random.key`, `fold_in` and `split` make them."

NEAR = [(step, rank) for step in range(6) for rank in range(4)]
FAR = [10, 16, 64, 100, 128, 256, 1000, 1024, 4096, 10_000, 65_536, 100_000, 1_000_000]
PLACES = [*NEAR, *((step, far) for far in FAR for step in (0, 1)), *((far, rank) for far in FAR for rank in (0, 1))]
"""Steps and processes; the far ones show where a number made of both is the same for two pairs."""


@exercise(
    "keys-by-rank",
    points=2,
    see="whose-rows",
    hint=[
        "`jax.random.fold_in(key, number)` makes a new key from a key and a number.",
        "Fold in the step, split into two, and fold the rank into the second.",
    ],
)
def keys_by_rank(answer, rng):
    seed = int(rng.integers(1, 1000))
    _judge_pairs(answer.probe(keys_for_all, seed, NEAR), NEAR)  # first: a loop over the ranks takes long for the others
    one, other = (answer.probe(keys_for_all, number, PLACES) for number in (seed, seed + 1))
    answer.called = f"keys_by_rank({seed}, step, rank) for {len(PLACES)} pairs of a step and a process"
    require(other, "not-keys", NOT_KEYS)
    shared, own = _judge_pairs(one, PLACES)
    many = [number_of(keys) for keys in answer.probe(keys_of_many, seed, MANY)]
    if many:
        _judge_many(*many)
    elsewhere = {tuple(key) for pair in other for key in pair}
    message = "With another seed some keys are the same: a second run would repeat what the first one drew."
    refuse(elsewhere & {*shared.values(), *own.values()}, "seed-ignored", message)
    far = number_of([key for pair in other[: len(NEAR)] for key in pair])
    refuse(many and np.isin(np.concatenate(many), far).any(), "seed-ignored", message)


def _judge_pairs(found, places):
    """Look at the keys of some places; return the shared ones and the own ones, by place."""
    require(found, "not-keys", NOT_KEYS)
    shared, own = ({place: tuple(pair[k]) for place, pair in zip(places, found, strict=True)} for k in (0, 1))
    _judge_shared(shared)
    _judge_own(own)
    message = "An own key of some process is the shared key of some step: both would draw the same numbers."
    refuse(set(shared.values()) & set(own.values()), "own-meets-shared", message)
    return shared, own


def _judge_shared(shared):
    by_step = {step: {key for (s, _), key in shared.items() if s == step} for step, _ in shared}
    message = "The first key differs between processes: their parameters would differ, and nobody would say so."
    refuse(any(len(keys) > 1 for keys in by_step.values()), "shared-by-rank", message)
    count = len(set().union(*by_step.values()))
    message = "The first key is the same in every step: what is drawn from it repeats. Fold in the step."
    refuse(count == 1, "shared-never-changes", message)
    require(count == len(by_step), "shared-repeats", "Some steps have the same first key.")


def _judge_own(own):
    message = "The second key is the same in all processes: all add the same noise to different data."
    refuse(all(own[step, rank] == own[step, 0] for step, rank in NEAR), "own-is-shared", message)
    message = "A process's own key is the same in every step, so its noise repeats. Fold in the step as well."
    refuse(all(own[step, rank] == own[0, rank] for step, rank in NEAR), "own-never-changes", message)
    first = {}
    for place, key in own.items():
        step, rank = first.setdefault(key, place)
        message = (
            f"The own key of process {rank} in step {step} is also that of process {place[1]} in step {place[0]}: "
        )
        message += "one number made of both does not tell all pairs apart. Fold in one after the other."
        require((step, rank) == place, "pairs-collide", message)


def _judge_many(shared, steps, ranks):
    """Look at the keys of very many steps and processes. The pair 0, 0 is among both."""
    if ranks[0] == steps[0] and all_differ(np.concatenate([shared, steps, ranks[1:]])):
        return
    require(all_differ(shared), "shared-repeats", "Some steps have the same first key.")
    message = "An own key of some process is the shared key of some step: both would draw the same numbers."
    refuse(met(shared, np.concatenate([steps, ranks])), "own-meets-shared", message)
    message = "The own key of process {} in step 0 is also that of process 0 in step {}: one number made of both does "
    message += "not tell all pairs apart. Fold in one after the other."
    place = met(ranks[1:], steps[1:])
    refuse(place, "pairs-collide", message.format(*(n + 1 for n in place or (0, 0))))
    message = "Some steps or some processes far apart have the same own key."
    require(all_differ(steps) and all_differ(ranks), "pairs-collide", message)


@right("keys-by-rank")
def folds_three_numbers(seed, step, rank):
    key = jax.random.fold_in(jax.random.key(seed), 2)
    shared = jax.random.fold_in(jax.random.fold_in(key, 0), step)
    own = jax.random.fold_in(jax.random.fold_in(jax.random.fold_in(key, 1), rank), step)
    return [shared, own]


@right("keys-by-rank")
def folds_the_rank_into_the_shared_key(seed, step, rank):
    shared = jax.random.fold_in(jax.random.key(seed), step)
    return shared, jax.random.fold_in(shared, rank)


@wrong("keys-by-rank", "shared-by-rank")
def a_seed_for_each_process(seed, step, rank):
    key = jax.random.fold_in(jax.random.key(seed + 1000 * rank), step)
    return tuple(jax.random.split(key))


@wrong("keys-by-rank", "shared-never-changes")
def one_key_for_all_steps(seed, step, rank):
    key = jax.random.key(seed)
    return key, jax.random.fold_in(jax.random.fold_in(key, step), rank)


@wrong("keys-by-rank", "own-is-shared")
def the_same_noise_everywhere(seed, step, rank):
    return tuple(jax.random.split(jax.random.fold_in(jax.random.key(seed), step)))


@wrong("keys-by-rank", "own-never-changes")
def the_same_noise_in_every_step(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, rank)


@wrong("keys-by-rank", "pairs-collide")
def adds_step_and_rank(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, step + rank)


@wrong("keys-by-rank", "pairs-collide")
def multiplies_step_and_rank(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, (step + 1) * (rank + 1))


@wrong("keys-by-rank", "pairs-collide")
def leaves_room_for_a_thousand(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, 1000 * step + rank)


@wrong("keys-by-rank", "pairs-collide")
def leaves_room_for_a_prime(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, 2003 * step + rank)


@wrong("keys-by-rank", "own-meets-shared")
def own_keys_begin_far_away(seed, step, rank):
    key = jax.random.key(seed)
    return jax.random.fold_in(key, step), jax.random.fold_in(key, 77_777 + 2003 * step + rank)


@wrong("keys-by-rank", "seed-ignored")
def adds_the_step_to_the_seed(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed + step))
    return shared, jax.random.fold_in(own, rank)


@wrong("keys-by-rank", "own-meets-shared")
def process_0_keeps_the_shared_key(seed, step, rank):
    shared = jax.random.fold_in(jax.random.key(seed), step)
    return shared, jax.random.fold_in(shared, rank) if rank else shared


@wrong("keys-by-rank", "shared-repeats")
def forgets_every_other_step(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step // 2), jax.random.fold_in(jax.random.fold_in(own, step), rank)


@wrong("keys-by-rank", "seed-ignored")
def forgets_the_seed(seed, step, rank):
    shared, own = jax.random.split(jax.random.fold_in(jax.random.key(0), step))
    return shared, jax.random.fold_in(own, rank)


@wrong("keys-by-rank", "not-keys")
def numbers_in_place_of_keys(seed, step, rank):
    return seed + step, seed + step + rank


# -- count-the-pieces -------------------------------------------------------------------------------------------


def counted_pieces():
    """The six numbers, for four processes with two devices each and 16 rows."""
    processes, devices, rows = 4, 2, 16
    return {
        "jax.device_count()": processes * devices,
        "jax.local_device_count()": devices,
        "rows that a process passes": rows // processes,
        "rows on each device": rows // processes // devices,
        "rows, if each passes all 16": rows * processes,
        "rows, if each passes 16 // device_count": rows // (processes * devices) * processes,
    }


count_the_pieces = prediction(
    "count-the-pieces",
    see="global-from-local",
    hint=[
        "A process passes the rows of all of its devices together.",
        "Without a global shape, the parts of all four processes are put one after the other.",
    ],
    truth=counted_pieces,
    mistakes=[
        Mistake(
            "only-the-local-devices",
            {"jax.device_count()": 2},
            "`jax.device_count()` counts the devices of all processes; those of this one are the local devices.",
        ),
        Mistake(
            "all-are-local",
            {"jax.local_device_count()": 8},
            "The local devices are those of one process. The others can be seen from here, but not reached.",
        ),
        Mistake(
            "one-device-each",
            {"jax.device_count()": 4},
            "Four processes with two devices each: count devices, not processes.",
        ),
        Mistake(
            "part-of-a-device",
            {"rows that a process passes": 2},
            "That is the part of one device. A process passes what all of its devices need.",
        ),
        Mistake(
            "passes-everything",
            {"rows that a process passes": 16},
            "The argument is this process's part of the batch, and not the batch.",
        ),
        Mistake(
            "rows-of-a-process",
            {"rows on each device": 4},
            "Those are the rows of a process. It has two devices, and each gets half.",
        ),
        Mistake(
            "seen-as-the-whole",
            {"rows, if each passes all 16": 16},
            "Nobody tells JAX that these are the same rows: it puts the four parts one after the other.",
        ),
        Mistake(
            "once-for-each-device",
            {"rows, if each passes all 16": 128},
            "Each process passes its array once, however many devices it has: four times 16.",
        ),
        Mistake(
            "divided-twice",
            {"rows, if each passes 16 // device_count": 2},
            "Two rows are what each process passes. There are four processes, and the parts are put together.",
        ),
        Mistake(
            "as-if-devices-passed",
            {"rows, if each passes 16 // device_count": 16},
            "It would be 16 if each of the eight devices brought two rows. Four processes bring them: half a batch.",
        ),
    ],
    otherwise="Count what one process passes, then how many processes there are.",
)

# -- read-only-rows ---------------------------------------------------------------------------------------------


def rows_read(student_function, axes, table):
    """Which rows an answer reads for a mesh, what it makes of them, and which device holds what."""
    count = math.prod(axes.values())
    mesh = jax.make_mesh(
        tuple(axes.values()), tuple(axes), (jax.sharding.AxisType.Auto,) * len(axes), devices=jax.devices()[:count]
    )
    asked = []

    def read(start, stop):
        asked.append([int(start), int(stop)])
        return table[start:stop].copy()

    result = student_function(mesh, table.shape, read)
    facts = {"asked": asked, "type": type(result).__name__, "array": isinstance(result, jax.Array)}
    if not facts["array"]:
        return facts
    want = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("data"))
    same_shape = result.shape == table.shape
    return facts | {
        "shape": list(result.shape),
        "dtype": str(result.dtype),
        "values": np.asarray(result),
        "devices": len(result.sharding.device_set),
        "rows": [list(shard.data.shape)[0] if shard.data.shape else 0 for shard in result.addressable_shards],
        "placed": bool(same_shape and result.sharding.is_equivalent_to(want, result.ndim)),
    }


MESHES = ({"data": 8}, {"data": 4, "model": 2}, {"model": 2, "data": 2}, {"data": 1, "model": 4}, {"data": 2})


@exercise(
    "read-only-rows",
    points=2,
    see="global-from-local",
    hint=[
        "`jax.make_array_from_callback(shape, sharding, read_a_piece)`",
        "The callback gets a tuple of slices; `index[0].indices(rows)` turns the first into numbers.",
    ],
)
def read_only_rows(answer, rng):
    for axes in MESHES:
        rows, columns = 8 * int(rng.integers(1, 4)), int(rng.integers(1, 6))
        if len(axes) > 1:  # the other axes might cut the columns
            columns = rows
        table = rng.normal(size=(rows, columns)).astype(np.float32)
        each = rows // axes["data"]
        try:
            facts = answer.probe(rows_read, axes, table)
        except probe.AnswerRaised as error:
            message = "A slice of a whole axis is `slice(None)`: its `start` is `None`. Ask `.indices(rows)` instead."
            refuse(axes["data"] == 1 and "NoneType" in error.raised.message, "whole-axis", message)
            raise
        answer.called = f"read_only_rows(mesh, {table.shape}, read) on a mesh of {axes}"
        _judge_reading(facts, axes, table, each)


def _judge_reading(facts, axes, table, each):
    rows = len(table)
    require(facts["array"], "not-an-array", f"A `jax.Array` was asked for, not an object of type `{facts['type']}`.")
    require(facts["asked"], "never-read", "`read` was never called.")
    lengths = [stop - start for start, stop in facts["asked"]]
    message = f"`read` was asked for all {rows} rows at once: a process that can do that needs no others."
    refuse(each < rows and max(lengths) >= rows, "read-everything", message)
    message = f"`read` was asked for {max(lengths)} rows at once. One device has {each} of the {rows} rows."
    refuse(max(lengths) > each, "read-too-much", message)
    most = max(facts["rows"])
    message = (
        f"A device holds {most} of {rows} rows, and should hold {each}. Cut the rows over `data` alone: along the "
        "other axes of the mesh the devices have copies."
    )
    refuse(facts["shape"] == list(table.shape) and most < each, "cut-over-all-axes", message)
    message = f"`read` was asked for {min(lengths)} rows at a time, {len(lengths)} times. One device has {each}."
    refuse(min(lengths) < each, "read-in-crumbs", message)
    odd = [(start, stop) for start, stop in facts["asked"] if start % each or stop > rows]
    message = f"`read` was asked for the rows from {odd[:1]}, which are those of no device: pieces begin at a "
    message += f"multiple of {each}."
    refuse(odd, "rows-of-no-device", message)
    message = "The table lies on one device. Its rows should be split over the axis `data`."
    refuse(facts["devices"] == 1 < math.prod(axes.values()), "on-one-device", message)
    message = f"The dtype should be `float32`, not `{facts['dtype']}`."
    require(facts["dtype"] == "float32", "other-dtype", message)
    expect(facts["values"], table, "The array should be the table.")
    message = f"A device holds {facts['rows'][0]} of {rows} rows on a mesh of {axes}. Split the rows over `data`, and "
    message += "nothing over other axes."
    require(facts["placed"], "other-layout", message)


@right("read-only-rows")
def piece_by_piece(mesh, shape, read):
    sharding = NamedSharding(mesh, P("data", None))
    where = sharding.addressable_devices_indices_map(shape)
    ends = {device: index[0].indices(shape[0])[:2] for device, index in where.items()}
    pieces = [jax.device_put(read(*ends[device]), device) for device in where]
    return jax.make_array_from_single_device_arrays(shape, sharding, pieces)


@right("read-only-rows")
def start_or_zero(mesh, shape, read):
    def piece(index):
        rows = index[0]
        return read(rows.start or 0, shape[0] if rows.stop is None else rows.stop)

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "read-everything")
def reads_it_all_and_puts_it(mesh, shape, read):
    return jax.device_put(read(0, shape[0]), NamedSharding(mesh, P("data")))


@wrong("read-only-rows", "read-everything")
def reads_it_all_in_the_callback(mesh, shape, read):
    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), lambda index: read(0, shape[0])[index])


@wrong("read-only-rows", "read-everything")
def passes_the_whole_as_its_part(mesh, shape, read):
    return jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), read(0, shape[0]))


@wrong("read-only-rows", "whole-axis")
def takes_the_ends_of_the_slice(mesh, shape, read):
    def piece(index):
        return read(index[0].start, index[0].stop) if index[0].stop - index[0].start else None

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "cut-over-all-axes")
def splits_over_all_axes(mesh, shape, read):
    sharding = NamedSharding(mesh, P(tuple(mesh.axis_names)))
    return jax.make_array_from_callback(shape, sharding, lambda index: read(*index[0].indices(shape[0])[:2]))


@wrong("read-only-rows", "read-in-crumbs")
def reads_row_by_row(mesh, shape, read):
    def piece(index):
        return np.concatenate([read(row, row + 1) for row in range(*index[0].indices(shape[0]))])

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "read-everything")
def copies_it_everywhere(mesh, shape, read):
    sharding = NamedSharding(mesh, P())
    return jax.make_array_from_callback(shape, sharding, lambda index: read(*index[0].indices(shape[0])[:2]))


@wrong("read-only-rows", "rows-of-no-device")
def counts_rows_from_one(mesh, shape, read):
    def piece(index):
        start, stop, _ = index[0].indices(shape[0])
        part = read(start + 1, stop + 1)
        return np.concatenate([part, np.zeros((stop - start - len(part), shape[1]), part.dtype)])

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "read-too-much")
def splits_over_the_first_axis_of_the_mesh(mesh, shape, read):
    first = mesh.shape["data"] // 2 or 1
    parts = [read(k * shape[0] // first, (k + 1) * shape[0] // first) for k in range(first)]
    return jax.device_put(np.concatenate(parts), NamedSharding(mesh, P("data")))


@wrong("read-only-rows", "other-layout")
def splits_columns_as_well(mesh, shape, read):
    others = tuple(name for name in mesh.axis_names if name != "data")
    sharding = NamedSharding(mesh, P("data", others or None))
    return jax.make_array_from_callback(
        shape, sharding, lambda index: read(*index[0].indices(shape[0])[:2])[:, index[1]]
    )


@wrong("read-only-rows", "on-one-device")
def puts_the_pieces_together_here(mesh, shape, read):
    each = shape[0] // mesh.shape["data"]
    return jnp.concatenate([read(start, start + each) for start in range(0, shape[0], each)])


@wrong("read-only-rows", "wrong-value")
def reads_the_first_piece_for_all(mesh, shape, read):
    each = shape[0] // mesh.shape["data"]
    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), lambda index: read(0, each))


@wrong("read-only-rows", "not-an-array")
def a_list_of_pieces(mesh, shape, read):
    each = shape[0] // mesh.shape["data"]
    return [read(start, start + each) for start in range(0, shape[0], each)]


@wrong("read-only-rows", "other-dtype")
def halves_the_precision(mesh, shape, read):
    def piece(index):
        return read(*index[0].indices(shape[0])[:2]).astype(np.float16)

    return jax.make_array_from_callback(shape, NamedSharding(mesh, P("data")), piece)


@wrong("read-only-rows", "never-read")
def zeros_of_the_right_shape(mesh, shape, read):
    return jax.device_put(np.zeros(shape, np.float32), NamedSharding(mesh, P("data")))


# -- agree-on-steps ---------------------------------------------------------------------------------------------


def rehearsed(student_function, count, *arguments):
    """What a program returns in each of some processes that threads play, and who waits for whom."""
    run = launch.rehearse(student_function, count, *arguments)
    if run.error:
        raise run.error
    results = [list(result) if isinstance(result, (list, tuple)) else result for result in run.results]
    return {"results": results, "trouble": run.trouble}


def require_no_trouble(trouble):
    """Require that nobody is left waiting, and that all met for the same things."""
    message = "The processes meet for different things: all must do the same, in order."
    refuse("different things" in trouble, "different-things", message)
    message = "A process waits in `exchange` for another one that has ended: with real processes it would wait forever."
    refuse(trouble, "left-waiting", message)


@exercise(
    "agree-on-steps",
    points=2,
    see="in-step",
    hint=[
        "How many steps can all make? No process knows that by itself.",
        "The first meeting is about the lengths; everybody comes, even with an empty list.",
    ],
)
def agree_on_steps(answer, rng):
    lengths = [(2, 2), (1,), (3, 1), (1, 3), (0, 2), (2, 0, 3), (0, 0), (4, 2, 3, 3), (130, 133)]
    lengths.append(tuple(int(n) for n in rng.integers(0, 6, size=int(rng.integers(2, 6)))))
    for many in lengths:
        batches = [[float(n) / 4 for n in rng.integers(-30, 31, size=length)] for length in many]
        for mine in batches[:: int(rng.integers(1, 3))]:  # zeros are batches too
            mine[:1] = [0.0] * len(mine[:1])
        batches[0][1:2] = [-1.0] * len(batches[0][1:2])  # and so is -1
        if len(many) == 4:  # and what people take for the end of the data
            batches = [[float(rng.choice([-999, 999, 1e9, -1e9, 1e12])) for _ in mine] for mine in batches]
        if max(many) > 9:
            batches = [rng.normal(size=length).tolist() for length in many]
        facts = answer.probe(rehearsed, len(many), batches)
        answer.called = f"agree_on_steps(rank, {len(many)}, exchange, batches) with {many} batches"
        answer.returned = str(facts["results"])
        require_no_trouble(facts["trouble"])
        want = summed(batches)
        if any(len(sums) < len(want) for sums in facts["results"] if isinstance(sums, list)):
            without = [[number or 0.5 for number in mine] for mine in batches]
            again = answer.probe(rehearsed, len(many), without)["results"]
            message = "It stops where a batch is 0, and with other numbers it does not: 0 is a batch too, but it is "
            message += "false in Python. If `None` stands for a missing batch, ask `is None`."
            refuse(all(close(sums, summed(without)) for sums in again), "zero-is-missing", message)
        _judge_sums(facts["results"], want, batches)


def summed(batches):
    """The oracle: the sum of each step that all can make."""
    return [float(sum(step)) for step in zip(*batches, strict=False)]


def _judge_sums(results, want, batches):
    message = "Return a list of numbers in every process, an empty one if there is no step."
    listed = all(isinstance(sums, list) and numbers(sums).ndim == 1 for sums in results)
    require(listed, "not-a-list", message)
    message = "Each process returns its own numbers: nothing was added up over the processes."
    for own in ([mine[: len(want)] for mine in batches], [list(np.cumsum(mine[: len(want)])) for mine in batches]):
        refuse(len(batches) > 1 and want and results == own != [want] * len(own), "nothing-added", message)
    longest = max(map(len, batches))
    message = f"{len(want)} steps can be made by all, but some process returns {max(map(len, results))}: the numbers "
    message += "that only some have read are left out."
    refuse(longest > len(want) and any(len(sums) > len(want) for sums in results), "too-many-steps", message)
    message = f"All can make {len(want)} steps, but some process returns {min(map(len, results))} sums."
    require(all(len(sums) == len(want) for sums in results), "too-few-steps", message)
    for rank, sums in enumerate(results):
        expect(np.array(sums, float), np.array(want), f"The sums over all processes, as process {rank} has them.")


@right("agree-on-steps")
def sends_all_at_once(rank, count, exchange, batches):
    return [sum(step) for step in zip(*exchange("batches", batches), strict=False)]


@right("agree-on-steps")
def asks_before_each_step(rank, count, exchange, batches):
    sums, left = [], list(batches)
    while all(exchange("more", bool(left))):
        sums.append(sum(exchange("sum", left.pop(0))))
    return tuple(sums)


@wrong("agree-on-steps", "left-waiting")
def goes_through_its_own(rank, count, exchange, batches):
    return [sum(exchange("sum", batch)) for batch in batches]


@wrong("agree-on-steps", "left-waiting")
def the_length_of_process_0(rank, count, exchange, batches):
    steps = exchange("length", len(batches))[0]
    return [sum(exchange("sum", batch)) for batch in batches[:steps]]


@wrong("agree-on-steps", "different-things")
def only_process_0_asks(rank, count, exchange, batches):
    if rank == 0:
        exchange("length", len(batches))
    return [sum(exchange("sum", batch)) for batch in batches]


@wrong("agree-on-steps", "left-waiting")
def goes_home_without_batches(rank, count, exchange, batches):
    if not batches:
        return []
    steps = min(exchange("length", len(batches)))
    return [sum(exchange("sum", batch)) for batch in batches[:steps]]


@wrong("agree-on-steps", "too-many-steps")
def fills_up_with_zeros(rank, count, exchange, batches):
    steps = max(exchange("length", len(batches)))
    filled = batches + [0.0] * (steps - len(batches))
    return [sum(exchange("sum", batch)) for batch in filled]


@wrong("agree-on-steps", "too-few-steps")
def takes_a_large_number_for_the_end(rank, count, exchange, batches):
    sums = []
    while max(numbers := exchange("batch", batches[len(sums)] if len(sums) < len(batches) else 1e9)) < 1e9:
        sums.append(sum(numbers))
    return sums


@wrong("agree-on-steps", "zero-is-missing")
def asks_whether_all_numbers_are_true(rank, count, exchange, batches):
    sums, left = [], iter(batches)
    while all(numbers := exchange("next", next(left, None))):
        sums.append(sum(numbers))
    return sums


@wrong("agree-on-steps", "nothing-added")
def adds_nothing(rank, count, exchange, batches):
    return batches[: min(exchange("length", len(batches)))]


@wrong("agree-on-steps", "too-few-steps")
def one_step_less(rank, count, exchange, batches):
    steps = min(exchange("length", len(batches))) - 1
    return [sum(exchange("sum", batch)) for batch in batches[: max(steps, 0)]]


@wrong("agree-on-steps", "wrong-value")
def takes_the_mean(rank, count, exchange, batches):
    steps = min(exchange("length", len(batches)))
    return [sum(exchange("sum", batch)) / count for batch in batches[:steps]]


@wrong("agree-on-steps", "not-a-list")
def adds_everything_up(rank, count, exchange, batches):
    steps = min(exchange("length", len(batches)))
    return sum(sum(exchange("sum", batch)) for batch in batches[:steps])


# -- log-the-loss -----------------------------------------------------------------------------------------------


@exercise(
    "log-the-loss",
    see="in-step",
    hint=["Who must come to a meeting?", "Take the rank out of the condition around `exchange`."],
)
def log_the_loss(answer, rng):
    cases = [(2, 4, 2), (3, 5, 1), (1, 3, 2), (2, 0, 1), (2, 3, 5), (4, 7, 3)]
    cases.append((int(rng.integers(2, 6)), int(rng.integers(4, 12)), int(rng.integers(2, 4))))
    for count, steps, every in cases:
        losses = [[float(n) / 4 for n in rng.integers(0, 80, size=steps)] for _ in range(count)]
        for mine in losses[:: int(rng.integers(1, 3))]:  # a loss of zero counts
            mine[:1] = [0.0] * len(mine[:1])
        facts = answer.probe(rehearsed, count, losses, [every] * count)
        answer.called = f"log_the_loss(rank, {count}, exchange, losses, {every}) with {steps} losses each"
        answer.returned = str(facts["results"])
        require_no_trouble(facts["trouble"])
        _judge_logs(facts["results"], losses, every)


def _judge_logs(logs, losses, every):
    columns = np.array(losses, float).reshape(len(losses), -1)
    want = [(step, float(columns[:, step].mean())) for step in range(columns.shape[1]) if step % every == 0]
    require(all(isinstance(log, list) for log in logs), "not-a-list", "Return a list in every process.")
    message = "Processes other than 0 have a log too: each line would be written once by every process."
    require(not any(logs[1:]), "all-write", message)
    pairs = all(isinstance(line, (tuple, list)) and len(line) == 2 for line in logs[0])
    require(pairs, "not-pairs", "Each line of the log is a pair: the step, and the mean.")
    steps = [numbers(line[0]).tolist() for line in logs[0]]
    message = f"Process 0 logs the steps {steps}, and should log {[step for step, _ in want]}."
    require(steps == [step for step, _ in want], "wrong-steps", message)
    means, right_means = (np.array([line[1] for line in log], float) for log in (logs[0], want))
    mine, totals = columns[0, ::every], columns[:, ::every].sum(0)
    many = len(losses) > 1 and len(want) > 1
    message = "These are process 0's own losses, and not the mean over all processes."
    refuse(many and np.array_equal(means, mine) and not np.allclose(mine, right_means), "own-loss", message)
    message = "These are sums over the processes. Divide by their number."
    refuse(many and np.allclose(means, totals) and not np.allclose(totals, right_means), "sums", message)
    expect(means, right_means, "The means over all processes.")


@right("log-the-loss")
def all_keep_a_log_and_one_returns_it(rank, count, exchange, losses, every):
    everybody = exchange("losses", losses)
    log = [(step, float(np.mean([mine[step] for mine in everybody]))) for step in range(0, len(losses), every)]
    return log if rank == 0 else []


@wrong("log-the-loss", "left-waiting")
def as_it_was(rank, count, exchange, losses, every):
    log = []
    for step, loss in enumerate(losses):
        if rank == 0 and step % every == 0:
            mean = sum(exchange("mean", loss)) / count
            log.append((step, mean))
    return log


@wrong("log-the-loss", "left-waiting")
def others_meet_in_every_step(rank, count, exchange, losses, every):
    log = []
    for step, loss in enumerate(losses):
        if rank != 0:
            exchange("mean", loss)
        elif step % every == 0:
            log.append((step, sum(exchange("mean", loss)) / count))
    return log


@wrong("log-the-loss", "own-loss")
def meets_nobody(rank, count, exchange, losses, every):
    return [(step, losses[step]) for step in range(0, len(losses), every)] if rank == 0 else []


@wrong("log-the-loss", "all-write")
def everybody_logs(rank, count, exchange, losses, every):
    return [(step, sum(exchange("mean", losses[step])) / count) for step in range(0, len(losses), every)]


@wrong("log-the-loss", "sums")
def forgets_to_divide(rank, count, exchange, losses, every):
    log = [(step, sum(exchange("mean", losses[step]))) for step in range(0, len(losses), every)]
    return log if rank == 0 else []


@wrong("log-the-loss", "wrong-steps")
def logs_every_step(rank, count, exchange, losses, every):
    log = [(step, sum(exchange("mean", loss)) / count) for step, loss in enumerate(losses)]
    return log if rank == 0 else []


@wrong("log-the-loss", "wrong-value")
def takes_the_median(rank, count, exchange, losses, every):
    log = [(step, float(np.median(exchange("mean", losses[step])))) for step in range(0, len(losses), every)]
    return log if rank == 0 else []


@wrong("log-the-loss", "not-pairs")
def without_the_step(rank, count, exchange, losses, every):
    log = [sum(exchange("mean", losses[step])) / count for step in range(0, len(losses), every)]
    return log if rank == 0 else []


@wrong("log-the-loss", "not-a-list")
def nothing_elsewhere(rank, count, exchange, losses, every):
    log = [(step, sum(exchange("mean", losses[step])) / count) for step in range(0, len(losses), every)]
    return log if rank == 0 else None


@wrong("log-the-loss", "different-things")
def another_meeting_elsewhere(rank, count, exchange, losses, every):
    log = [(s, sum(exchange("mean" if rank == 0 else "loss", losses[s])) / count) for s in range(0, len(losses), every)]
    return log if rank == 0 else []


# -- read-any-part ----------------------------------------------------------------------------------------------


def cuts(rng, length):
    """Where an axis is cut, at both ends and sometimes between them."""
    inner = rng.choice(np.arange(1, length), size=int(rng.integers(0, min(4, length))), replace=False)
    return [0, *sorted(int(n) for n in inner), length]


def in_pieces(table, rows, columns):
    """A table in pieces, each named after its place."""
    return {
        f"{top}:{bottom},{left}:{right}": table[top:bottom, left:right].copy()
        for top, bottom in itertools.pairwise(rows)
        for left, right in itertools.pairwise(columns)
    }


@probe.question(evidence="values")
def read_on_used_memory(student_function, pieces, box):
    """The answer's result, where `np.empty` is filled with something else than what is right."""
    shape, dtype = [stop - start for start, stop in box], next(iter(pieces.values())).dtype
    used = [np.full(shape, 1, dtype) for _ in range(20)]
    del used
    return student_function(pieces, box)


def tables_in_pieces(rng):
    """Pieces, the table that they were cut from, and a box of it."""
    table = np.arange(1, 49).reshape(8, 6).astype(np.float32)
    even, odd = in_pieces(table, [0, 2, 4, 6, 8], [0, 6]), in_pieces(table, [0, 4, 8], [0, 3, 6])
    boxes = [((0, 8), (0, 6)), ((0, 2), (0, 6)), ((1, 5), (2, 4)), ((3, 4), (5, 6)), ((6, 8), (0, 1))]
    cases = [(pieces, table, box) for box in boxes for pieces in (even, odd)]
    negative = {name: -piece for name, piece in even.items()}
    cases += [(negative, -table, box) for box in boxes]
    long = array(rng, (40_000, 1), "int8", low=-100, high=100)  # places beyond what a small integer holds
    cases.append((in_pieces(long, [0, 39_990, 40_000], [0, 1]), long, ((39_985, 39_998), (0, 1))))
    wheel = {
        name: table[tuple(slice(*map(int, end.split(":"))) for end in name.split(","))]
        for name in ("0:2,0:4", "0:6,4:6", "6:8,2:6", "2:8,0:2", "2:6,2:4")
    }
    cases += [(wheel, table, box) for box in boxes]
    for box in boxes[1:]:  # nothing outside of the box is finite, and a number of the box is not
        odd = np.resize(np.float32([np.nan, np.inf, -np.inf]), table.shape)
        here = tuple(slice(*ends) for ends in box)
        odd[here] = table[here]
        odd[box[0][0], box[1][0]] = np.nan
        cases += [(in_pieces(odd, [0, 2, 4, 6, 8], [0, 6]), odd, box), (in_pieces(odd, [0, 4, 8], [0, 3, 6]), odd, box)]
    wide = array(rng, (12, 21), "float64")  # places of two digits
    cases += [
        (in_pieces(wide, [0, 10, 12], [0, 3, 10, 21]), wide, box) for box in (((8, 12), (2, 13)), ((0, 12), (9, 21)))
    ]
    for dtype in ("float64", "int32", "bool", "complex64", "float16"):
        shape = tuple(int(n) for n in rng.integers(1, 13, size=2))
        whole = array(rng, shape, dtype, high=9)
        pieces = in_pieces(whole, cuts(rng, shape[0]), cuts(rng, shape[1]))
        names = list(pieces)
        pieces = {names[i]: pieces[names[i]] for i in rng.permutation(len(names))}
        box = []
        for length in shape:
            start = int(rng.integers(0, length))
            box.append((start, int(rng.integers(start + 1, length + 1))))
        cases += [(pieces, whole, tuple(box)), (pieces, whole, tuple((0, n) for n in shape))]
    return cases


@exercise(
    "read-any-part",
    points=2,
    see="save-and-read",
    hint=[
        "Two ranges overlap from the later beginning to the earlier end, if that is not before it.",
        "Count the overlap once from where the piece begins, and once from where the box begins.",
    ],
)
def read_any_part(answer, rng):
    for pieces, table, box in tables_in_pieces(rng):
        (top, bottom), (left, right_end) = box
        want = table[top:bottom, left:right_end]
        try:
            got = answer.probe(read_on_used_memory, pieces, box)
        except probe.AnswerRaised as error:
            missing = error.raised.kind == "KeyError" and len(pieces) > 1
            message = f"No piece has just the place {box}: a box may lie across pieces, or inside one."
            refuse(missing, "only-whole-pieces", message)
            raise
        answer.called = f"read_any_part(pieces, {box}) with the pieces {', '.join(pieces)}"
        got = numbers(got)
        message = f"The whole array came back, but only the part {box} of it was asked for."
        refuse(got.shape == table.shape != want.shape, "whole-array", message)
        inner = next((piece for piece in pieces.values() if got.shape == piece.shape != want.shape), None)
        refuse(inner is not None, "one-piece", f"One piece came back. The box {box} lies across several, or inside.")
        _judge_part(got, want, table, box)


def _judge_part(got, want, table, box):
    message = f"The box {box} has the shape {want.shape}; {got.shape} came back."
    require(got.shape == want.shape, "wrong-shape", message)
    differs = ~np.isclose(np.asarray(got, complex), np.asarray(want, complex), equal_nan=True)
    message = "Elements of the box are NaN although theirs are not: they were calculated with what lies outside of it, "
    message += "and 0 times NaN or infinity is NaN. Copy the elements."
    refuse((np.isnan(got) & ~np.isnan(want)).any(), "spoilt-from-outside", message)
    empty = differs & (np.asarray(got) == 0)
    message = f"{int(empty.sum())} of {want.size} elements were never filled in: they lie in pieces that the box only "
    message += "partly covers, or that were left out."
    refuse(differs.any() and np.array_equal(empty, differs), "left-empty", message)
    expect(got, want, f"The elements of the box {box}, each at its place.")
    message = f"The pieces are `{table.dtype}`, but `{got.dtype}` came back."
    require(got.dtype == table.dtype, "other-dtype", message)


def _part_of_the_whole(pieces, box):
    ends = {name: [[int(n) for n in end.split(":")] for end in name.split(",")] for name in pieces}
    shape = [max(end[axis][1] for end in ends.values()) for axis in (0, 1)]
    whole = np.empty(shape, next(iter(pieces.values())).dtype)
    for name, ((top, bottom), (left, right_end)) in ends.items():
        whole[top:bottom, left:right_end] = pieces[name]
    return whole[slice(*box[0]), slice(*box[1])]


@right("read-any-part")
def puts_the_whole_together(pieces, box):
    return _part_of_the_whole(pieces, box)


@right("read-any-part")
def element_by_element(pieces, box):
    found = {}
    for name, piece in pieces.items():
        (top, _), (left, _) = (map(int, end.split(":")) for end in name.split(","))
        found |= {(top + i, left + j): value for (i, j), value in np.ndenumerate(piece)}
    rows = [[found[i, j] for j in range(*box[1])] for i in range(*box[0])]
    return np.array(rows, next(iter(pieces.values())).dtype)


def _overlaps(pieces, box):
    for name, piece in pieces.items():
        ends = [[int(n) for n in end.split(":")] for end in name.split(",")]
        overlap = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(box, ends, strict=True)]
        if all(start < stop for start, stop in overlap):
            there = tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(overlap, ends, strict=True))
            here = tuple(slice(a - c, b - c) for (a, b), (c, _) in zip(overlap, box, strict=True))
            yield piece, there, here, ends


def _empty(pieces, box):
    return np.zeros([stop - start for start, stop in box], next(iter(pieces.values())).dtype)


@wrong("read-any-part", "only-whole-pieces")
def looks_the_box_up(pieces, box):
    return pieces[",".join(f"{start}:{stop}" for start, stop in box)]


@wrong("read-any-part", "whole-array")
def forgets_the_box(pieces, box):
    ends = [[[int(n) for n in end.split(":")] for end in name.split(",")] for name in pieces]
    shape = [max(end[axis][1] for end in ends) for axis in (0, 1)]
    return _part_of_the_whole(pieces, [(0, n) for n in shape])


@wrong("read-any-part", "one-piece")
def the_piece_with_the_corner(pieces, box):
    return next(piece for piece, _, _, _ in _overlaps(pieces, box))


@wrong("read-any-part", "left-empty")
def only_pieces_inside_the_box(pieces, box):
    part = _empty(pieces, box)
    for piece, _, here, ends in _overlaps(pieces, box):
        if all(a <= c and d <= b for (a, b), (c, d) in zip(box, ends, strict=True)):
            part[here] = piece
    return part


@wrong("read-any-part", "left-empty")
def only_the_first_piece(pieces, box):
    part = _empty(pieces, box)
    piece, there, here, _ = next(_overlaps(pieces, box))
    part[here] = piece[there]
    return part


@wrong("read-any-part", "spoilt-from-outside")
def picks_by_products(pieces, box):
    (top, bottom), (left, right_end) = box
    part = _empty(pieces, box)
    for name, piece in pieces.items():
        (r0, r1), (c0, c1) = (map(int, end.split(":")) for end in name.split(","))
        rows = np.arange(top, bottom)[:, None] == np.arange(r0, r1)
        columns = np.arange(c0, c1)[:, None] == np.arange(left, right_end)
        part += rows.astype(part.dtype) @ piece @ columns.astype(part.dtype)
    return part


@wrong("read-any-part", "other-dtype")
def into_plain_zeros(pieces, box):
    part = np.zeros([stop - start for start, stop in box], complex)
    for piece, there, here, _ in _overlaps(pieces, box):
        part[here] = piece[there]
    return part if any(np.iscomplexobj(piece) for piece in pieces.values()) else part.real


@wrong("read-any-part", "wrong-shape")
def pieces_one_below_the_other(pieces, box):
    return np.concatenate([piece[there].ravel() for piece, there, _, _ in _overlaps(pieces, box)])


@wrong("read-any-part", "wrong-value")
def always_from_the_corner_of_the_piece(pieces, box):
    part = _empty(pieces, box)
    for piece, _, here, _ in _overlaps(pieces, box):
        target = part[here]
        target[...] = piece[: target.shape[0], : target.shape[1]]
    return part


# -- what-is-noticed --------------------------------------------------------------------------------------------

what_is_noticed = prediction(
    "what-is-noticed",
    see="when-one-fails",
    hint=[
        "A process that has died closes its connections. One that is late, busy or elsewhere does not.",
        "A collective has no name: it meets whatever comes first, if the sizes fit.",
    ],
    choices=["an error", "it waits", "wrong numbers", "nothing"],
    mistakes=[
        Mistake(
            "death-not-noticed",
            {"it is killed while process 0 waits for a sum": anything_else()},
            "A killed process closes its connections, and process 0 has one open to it at that moment: it is told at "
            "once.",
        ),
        Mistake(
            "absence-is-an-error",
            [
                {"it was never started": "an error"},
                {"it makes one batch less and comes to its end": "an error"},
            ],
            "A process that is not there yet, or has nothing more to send, looks like a slow one: the other waits, "
            "until a time limit.",
        ),
        Mistake(
            "goes-on-alone",
            [
                {"it was never started": "nothing"},
                {"it was never started": "wrong numbers"},
                {"it makes one batch less and comes to its end": "nothing"},
                {"it makes one batch less and comes to its end": "wrong numbers"},
            ],
            "Nobody goes on alone: `initialize` waits for all processes, and a sum over all of them does, too.",
        ),
        Mistake(
            "difference-is-noticed",
            [
                {"it computes a sum where process 0 computes a maximum": "an error"},
                {"its rate is another constant in the compiled program": "an error"},
            ],
            "Nobody compares programs: a collective meets whatever comes, and if the sizes fit the numbers are mixed.",
            "in-step",
        ),
        Mistake(
            "difference-makes-wait",
            [
                {"it computes a sum where process 0 computes a maximum": "it waits"},
                {"its rate is another constant in the compiled program": "it waits"},
            ],
            "Both come to the meeting, so nobody waits: what they bring does not fit together, and nobody looks.",
            "in-step",
        ),
        Mistake(
            "difference-does-not-matter",
            [
                {"it computes a sum where process 0 computes a maximum": "nothing"},
                {"its rate is another constant in the compiled program": "nothing"},
            ],
            "Process 0 gets numbers that another program has made: its own results are wrong as well.",
            "in-step",
        ),
        Mistake(
            "local-things-matter",
            {"it prints its local devices, process 0 does not": anything_else()},
            "Printing what is local is not a meeting: each process may do as much of it as it likes.",
        ),
    ],
    otherwise="Ask for each: does process 1 come to the next meeting, and does it bring the same thing?",
)


KEYS_DIFFER = "every key that it gives is another one"

accepted = [
    equivalent("keys-by-rank", "`jax.random.split(now)`  ->  `[now] * 2`", KEYS_DIFFER),
    equivalent("keys-by-rank", "`shared`  ->  `now`", KEYS_DIFFER),
    equivalent("keys-by-rank", "`shared`  ->  `own`", KEYS_DIFFER),
    equivalent("keys-by-rank", "`own`  ->  `shared`", KEYS_DIFFER),
    equivalent("agree-on-steps", "numbers remembered from the first call", "neither of the two numbers is needed"),
    equivalent("read-any-part", "`np.empty`  ->  `np.zeros`", "all of it is written over"),
]
