"""Answers to one-shuffle."""

import numpy as np

from jaxcourse.exercise import right, wrong


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


@wrong("one-shuffle", "some-twice")
def parts_that_overlap(size, epoch, step, batch, rank, count):
    return np.random.default_rng(epoch).permutation(size)[step * batch + rank :][: batch // count]


@wrong("one-shuffle", "wrong-number")
def a_batch_from_its_own_place(size, epoch, step, batch, rank, count):
    return np.random.default_rng(epoch).permutation(size)[step * batch + rank * (batch // count) :][:batch]


@wrong("one-shuffle", "ends-of-the-part")
def where_it_begins_and_ends(size, epoch, step, batch, rank, count):
    start = step * batch + rank * (batch // count)
    return start, start + batch // count


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


@wrong("one-shuffle", "wrong-number")
def counts_the_steps_from_one(size, epoch, step, batch, rank, count):
    begin, each = (step - 1) * batch + rank * (batch // count), batch // count
    return np.random.default_rng(epoch).permutation(size)[begin : begin + each]


@wrong("one-shuffle", "returned-nothing")
def prints_them(size, epoch, step, batch, rank, count):
    order = np.random.default_rng(epoch).permutation(size)
    print(order[step * batch :][:batch].reshape(count, -1)[rank])
