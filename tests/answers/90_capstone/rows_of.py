"""Answers to rows-of."""

import functools

import jax
import numpy as np

from jaxcourse.exercise import right, wrong


def order_of(count, seed, epoch):
    """The order of an epoch."""
    return np.random.default_rng([seed, epoch]).permutation(count)


def batch_of(step, count, batch, seed, order=order_of):
    """The batch of a step."""
    epoch, within = divmod(step, count // batch)
    return order(count, seed, epoch)[within * batch : (within + 1) * batch]


@right("rows-of")
def with_a_key(step, count, batch, rank, processes, seed):
    epoch, within = divmod(step, count // batch)
    key = jax.random.fold_in(jax.random.key(seed), epoch)
    ends = [batch * i // processes for i in range(processes + 1)]
    rows = np.asarray(jax.random.permutation(key, count))[within * batch :][:batch]
    return rows[ends[rank] : ends[rank + 1]]


@right("rows-of")
def as_a_list(step, count, batch, rank, processes, seed):
    per = count // batch
    rows = list(range(count))
    np.random.default_rng((step // per, seed, 19)).shuffle(rows)
    mine = [rows[step % per * batch + i] for i in range(batch) if i * processes // batch == rank]
    return np.array(mine, np.int32)


@right("rows-of")
def draws_one_order_after_the_other(step, count, batch, rank, processes, seed):
    epoch, within = divmod(step, count // batch)
    rng = np.random.default_rng(seed)
    for _ in range(epoch + 1):
        order = rng.permutation(count)
    return np.array_split(order[within * batch : (within + 1) * batch], processes)[rank]


@right("rows-of")
def splits_the_key_for_all_epochs(step, count, batch, rank, processes, seed):
    epoch, within = divmod(step, count // batch)
    key = jax.random.split(jax.random.key(seed), epoch + 1)[epoch]
    rows = np.asarray(jax.random.permutation(key, count))[within * batch :][:batch]
    return np.array_split(rows, processes)[rank]


@right("rows-of")
@functools.cache
def by_the_hash_of_both(step, count, batch, rank, processes, seed):
    epoch, within = divmod(step, count // batch)
    order = np.random.default_rng(abs(hash((seed, epoch, 123_457)))).permutation(count)
    return np.array_split(order[within * batch : (within + 1) * batch], processes)[rank]


@wrong("rows-of", "whole-batch")
def the_batch_for_everybody(step, count, batch, rank, processes, seed):
    return batch_of(step, count, batch, seed)


@wrong("rows-of", "processes-overlap")
def an_order_for_each(step, count, batch, rank, processes, seed):
    order = lambda *args: np.random.default_rng([*args, rank]).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[0]


@wrong("rows-of", "processes-overlap")
def rounds_up(step, count, batch, rank, processes, seed):
    each = -(-batch // processes)
    start = min(rank * each, batch - each)
    return batch_of(step, count, batch, seed)[start : start + each]


@wrong("rows-of", "rows-lost")
def rounds_down(step, count, batch, rank, processes, seed):
    each = batch // processes
    return batch_of(step, count, batch, seed)[rank * each : (rank + 1) * each]


@wrong("rows-of", "depends-on-processes")
def deals_out_the_data(step, count, batch, rank, processes, seed):
    epoch, within = divmod(step, count // batch)
    mine = np.array_split(order_of(count, seed, epoch), processes)[rank]
    share = [len(part) for part in np.array_split(np.arange(batch), processes)][rank]
    return np.resize(mine, count)[within * share : (within + 1) * share]


@wrong("rows-of", "not-even")
def gives_the_last_one_the_rest(step, count, batch, rank, processes, seed):
    each = batch // processes
    return batch_of(step, count, batch, seed)[rank * each : (rank + 1) * each if rank < processes - 1 else None]


@wrong("rows-of", "other-order")
def deals_like_cards(step, count, batch, rank, processes, seed):
    return batch_of(step, count, batch, seed)[rank::processes]


@wrong("rows-of", "same-batch-each-step")
def forgets_the_step(step, count, batch, rank, processes, seed):
    return np.array_split(order_of(count, seed, 0)[:batch], processes)[rank]


@wrong("rows-of", "twice-in-an-epoch")
def draws_anew_in_each_step(step, count, batch, rank, processes, seed):
    return np.array_split(order_of(count, seed, step)[:batch], processes)[rank]


@wrong("rows-of", "twice-in-an-epoch")
def draws_and_puts_back(step, count, batch, rank, processes, seed):
    rows = np.random.default_rng([seed, step]).integers(0, count, batch)
    return np.array_split(rows, processes)[rank]


@wrong("rows-of", "same-order-each-epoch")
def one_order_for_ever(step, count, batch, rank, processes, seed):
    return np.array_split(batch_of(step % (count // batch), count, batch, seed), processes)[rank]


@wrong("rows-of", "nothing-after-an-epoch")
def runs_off_the_end(step, count, batch, rank, processes, seed):
    rows = order_of(count, seed, 0)[step * batch : (step + 1) * batch] if (step + 1) * batch <= count else []
    return np.array_split(np.array(rows, int), processes)[rank]


@wrong("rows-of", "wrong-number")
def counts_the_broken_batch(step, count, batch, rank, processes, seed):
    epoch, within = divmod(step, -(-count // batch))
    rows = order_of(count, seed, epoch)[within * batch : (within + 1) * batch]
    return np.array_split(rows, processes)[rank]


@wrong("rows-of", "out-of-range")
def counts_from_one(step, count, batch, rank, processes, seed):
    return np.array_split(1 + batch_of(step, count, batch, seed), processes)[rank]


@wrong("rows-of", "not-shuffled")
def begins_elsewhere(step, count, batch, rank, processes, seed):
    order = lambda count, *of: np.roll(np.arange(count), np.random.default_rng(of).integers(count))  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "same-ones-left-out")
def drops_the_end_of_the_record(step, count, batch, rank, processes, seed):
    order = lambda count, *of: order_of(count // batch * batch, *of)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "same-batches")
def shuffles_the_batches(step, count, batch, rank, processes, seed):
    def order(count, seed, epoch):
        per = count // batch
        return order_of(count, 0, 0)[: per * batch].reshape(per, batch)[order_of(per, seed, epoch)].ravel()

    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "not-repeatable")
def takes_any_generator(step, count, batch, rank, processes, seed):
    order = lambda count, *of: np.random.default_rng().permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "seed-ignored")
def forgets_the_seed(step, count, batch, rank, processes, seed):
    return np.array_split(batch_of(step, count, batch, 0), processes)[rank]


@wrong("rows-of", "seeds-meet")
def adds_seed_and_epoch(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng(seed + epoch).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "seeds-meet")
def mixes_seed_and_epoch(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng(seed ^ epoch).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "seeds-meet")
def leaves_a_thousand_epochs_for_each_seed(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng(1000 * seed + epoch).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "seeds-meet")
def leaves_a_hundred_seeds_for_each_epoch(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng(seed + 100 * epoch).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "seeds-meet")
def multiplies_them(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng((seed + 1) * (epoch + 1)).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "seeds-meet")
def multiplies_by_a_number_that_nobody_has(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng(123_457 * seed + epoch).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


FAR_APART = 73_856_093


@wrong("rows-of", "seeds-meet")
def multiplies_both(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng(FAR_APART * seed + 193 * epoch).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "seeds-meet")
def shifts_the_seed(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng((seed << 17) + epoch).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "seeds-meet")
def joins_their_digits(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: np.random.default_rng(int(f"{seed}{epoch}")).permutation(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


KEPT = {}


@wrong("rows-of", "not-repeatable")
def goes_on_where_it_was(step, count, batch, rank, processes, seed):
    epoch, within = divmod(step, count // batch)
    rng = KEPT.setdefault((seed, count), np.random.default_rng(seed))
    if (seed, count, epoch) not in KEPT:
        KEPT[seed, count, epoch] = rng.permutation(count)
    return np.array_split(KEPT[seed, count, epoch][within * batch : (within + 1) * batch], processes)[rank]


@wrong("rows-of", "not-repeatable")
def takes_the_hash_of_a_text(step, count, batch, rank, processes, seed):
    epoch, within = divmod(step, count // batch)
    order = np.random.default_rng(abs(hash(f"{seed}-{epoch}"))).permutation(count)
    return np.array_split(order[within * batch : (within + 1) * batch], processes)[rank]


@wrong("rows-of", "not-shuffled")
def leaves_the_first_epoch_as_it_is(step, count, batch, rank, processes, seed):
    order = lambda count, seed, epoch: order_of(count, seed, epoch) if epoch else np.arange(count)  # noqa: E731
    return np.array_split(batch_of(step, count, batch, seed, order), processes)[rank]


@wrong("rows-of", "not-shuffled")
def takes_them_as_they_come(step, count, batch, rank, processes, seed):
    return np.array_split(batch_of(step, count, batch, seed, lambda count, *_: np.arange(count)), processes)[rank]


@wrong("rows-of", "other-order")
def sorts_its_part(step, count, batch, rank, processes, seed):
    return np.sort(np.array_split(batch_of(step, count, batch, seed), processes)[rank])


@wrong("rows-of", "not-indices")
def as_numbers_with_a_point(step, count, batch, rank, processes, seed):
    return np.array_split(1.0 * batch_of(step, count, batch, seed), processes)[rank]


@wrong("rows-of", "same-order-each-epoch")
def two_orders_by_turns(step, count, batch, rank, processes, seed):
    epoch, place = divmod(step, count // batch)
    rows = order_of(count, seed, epoch % 2)[place * batch : (place + 1) * batch]
    return np.array_split(rows, processes)[rank]


@wrong("rows-of", "twice-in-an-epoch")
def draws_with_replacement(step, count, batch, rank, processes, seed):
    epoch, place = divmod(step, count // batch)
    rows = np.random.default_rng([seed, epoch]).integers(0, count, count)[place * batch : (place + 1) * batch]
    return np.array_split(rows, processes)[rank]


@wrong("rows-of", "processes-overlap")
def rounds_the_parts_up(step, count, batch, rank, processes, seed):
    epoch, place = divmod(step, count // batch)
    rows, part = order_of(count, seed, epoch)[place * batch : (place + 1) * batch], -(-batch // processes)
    begin = min(rank * part, batch - part)
    return rows[begin : begin + part]


@wrong("rows-of", "twice-in-an-epoch")
def counts_epochs_by_examples(step, count, batch, rank, processes, seed):
    place = step % (count // batch)
    rows = order_of(count, seed, step * batch // count)[place * batch : (place + 1) * batch]
    return np.array_split(rows, processes)[rank]
