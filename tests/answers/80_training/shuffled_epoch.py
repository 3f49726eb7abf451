"""Answers to shuffled-epoch."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("shuffled-epoch")
def folds_the_epoch_into_a_key(x, y, size, seed, epoch):
    key = jax.random.fold_in(jax.random.key(seed), epoch)
    order = np.asarray(jax.random.permutation(key, len(x)))
    return [(x[order[i : i + size]], y[order[i : i + size]]) for i in range(0, len(x) - size + 1, size)]


@right("shuffled-epoch")
def counts_through_a_thousand(x, y, size, seed, epoch):
    order = np.arange(len(x))
    np.random.default_rng(1000 * seed + epoch).shuffle(order)
    batches = []
    while len(order) >= size:
        batches.append([np.take(x, order[:size], axis=0), np.take(y, order[:size], axis=0)])
        order = order[size:]
    return batches


def rows_of(order, size):
    """The row numbers of each whole batch."""
    return order[: len(order) // size * size].reshape(-1, size)


@wrong("shuffled-epoch", "two-orders")
def shuffles_the_rows_alone(x, y, size, seed, epoch):
    rows = rows_of(np.random.default_rng([seed, epoch]).permutation(len(x)), size)
    return list(zip(x[rows], y[: rows.size].reshape(rows.shape), strict=True))


@wrong("shuffled-epoch", "two-orders")
def shuffles_them_apart(x, y, size, seed, epoch):
    generator = np.random.default_rng([seed, epoch])
    x, y = generator.permutation(x), generator.permutation(y)
    return [(x[rows], y[rows]) for rows in rows_of(np.arange(len(x)), size)]


@wrong("shuffled-epoch", "a-generator")
def yields_them(x, y, size, seed, epoch):
    for rows in rows_of(np.random.default_rng([seed, epoch]).permutation(len(x)), size):
        yield x[rows], y[rows]


@wrong("shuffled-epoch", "short-batch")
def keeps_the_rest(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[order[i : i + size]], y[order[i : i + size]]) for i in range(0, len(x), size)]


@wrong("shuffled-epoch", "not-shuffled")
def forgets_to_shuffle(x, y, size, seed, epoch):
    return [(x[rows], y[rows]) for rows in rows_of(np.arange(len(x)), size)]


@wrong("shuffled-epoch", "epoch-ignored")
def shuffles_by_the_seed_alone(x, y, size, seed, epoch):
    order = np.random.default_rng(seed).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "seed-ignored")
def shuffles_by_the_epoch_alone(x, y, size, seed, epoch):
    order = np.random.default_rng(epoch).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "orders-collide")
def adds_the_two(x, y, size, seed, epoch):
    order = np.random.default_rng(seed + epoch).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "orders-collide")
def leaves_room_for_256_epochs(x, y, size, seed, epoch):
    order = np.random.default_rng(256 * seed + epoch).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "related-orders")
def turns_the_order_of_the_seed(x, y, size, seed, epoch):
    order = np.roll(np.random.default_rng(seed).permutation(len(x)), epoch)
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-all-orders")
def sorts_whole_numbers(x, y, size, seed, epoch):
    order = np.argsort(np.random.default_rng([seed, epoch]).integers(len(x), size=len(x)), kind="stable")
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-repeatable")
def draws_anew(x, y, size, seed, epoch):
    order = np.random.default_rng().permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "changed-settings")
def seeds_the_shared_state(x, y, size, seed, epoch):
    np.random.seed(1000 * seed + epoch)
    return [(x[rows], y[rows]) for rows in rows_of(np.random.permutation(len(x)), size)]


@wrong("shuffled-epoch", "drawn-twice")
def moves_on_by_one_row(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[order[i : i + size]], y[order[i : i + size]]) for i in range(len(x) // size)]


@wrong("shuffled-epoch", "drawn-twice")
def draws_with_replacement(x, y, size, seed, epoch):
    generator = np.random.default_rng([seed, epoch])
    rows = [generator.integers(len(x), size=size) for _ in range(len(x) // size)]
    return [(x[some], y[some]) for some in rows]


@wrong("shuffled-epoch", "never-seen")
def cuts_before_the_shuffle(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x) // size * size)
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "neighbours-stay")
def shuffles_whole_batches(x, y, size, seed, epoch):
    rows = rows_of(np.arange(len(x)), size)
    return [(x[some], y[some]) for some in np.random.default_rng([seed, epoch]).permutation(rows)]


@wrong("shuffled-epoch", "neighbours-stay")
def only_turns_the_order(x, y, size, seed, epoch):
    order = np.roll(np.arange(len(x)), int(np.random.default_rng([seed, epoch]).integers(10**6)))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-all-orders")
def shuffles_each_half(x, y, size, seed, epoch):
    generator, half = np.random.default_rng([seed, epoch]), len(x) // 2
    order = np.concatenate([generator.permutation(half), half + generator.permutation(len(x) - half)])
    return [(x[rows], y[rows]) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-numpy")
def hands_out_jax_arrays(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(jnp.asarray(x[rows]), jnp.asarray(y[rows])) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "no-pairs")
def hands_out_rows_alone(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [x[rows] for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "not-a-list")
def hands_out_a_dictionary(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return {"x": x[rows_of(order, size)], "y": y[rows_of(order, size)]}


@wrong("shuffled-epoch", "wrong-size")
def cuts_into_as_many_as_size(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[rows], y[rows]) for rows in np.array_split(order, size)]


@wrong("shuffled-epoch", "wrong-count")
def forgets_the_last_batch(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[rows], y[rows]) for rows in rows_of(order, size)[:-1]]


@wrong("shuffled-epoch", "strange-labels")
def counts_the_labels_from_nought(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[rows], (rows - 10_000).astype(y.dtype)) for rows in rows_of(order, size)]


@wrong("shuffled-epoch", "dtype-lost")
def makes_floats_of_all(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return [(x[rows].astype(np.float32), y[rows].astype(np.int32)) for rows in rows_of(order, size)]


def rows_in_batches(x, size, seed, epoch):
    """Shuffled row numbers, one batch in each row."""
    order = np.random.default_rng([seed, epoch]).permutation(len(x))
    return order[: len(x) // size * size].reshape(-1, size)


@wrong("shuffled-epoch", "not-all-orders")
def sorts_each_batch(x, y, size, seed, epoch):
    batches = np.sort(rows_in_batches(x, size, seed, epoch), axis=1)
    return [(x[rows], y[rows]) for rows in batches]


@wrong("shuffled-epoch", "row-shapes")
def makes_each_row_a_vector(x, y, size, seed, epoch):
    return [(x[rows].reshape(size, -1), y[rows]) for rows in rows_in_batches(x, size, seed, epoch)]


@wrong("shuffled-epoch", "never-seen")
def counts_rows_from_one(x, y, size, seed, epoch):
    order = np.random.default_rng([seed, epoch]).permutation(np.arange(len(x) % size, len(x)))
    return [(x[rows], y[rows]) for rows in order.reshape(-1, size)]


equivalents = [
    equivalent("shuffled-epoch", "`x`  ->  `y`", "both have as many rows"),
    equivalent("shuffled-epoch", "`x`  ->  `order`", "both have as many rows"),
    equivalent("shuffled-epoch", "`1`  ->  `2`", "NumPy takes any negative length for the one to find out"),
]
