"""Answers to median-distances."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


def median_without_the_first(distances):
    """The median of all distances but the smallest."""
    return jnp.median(jnp.sort(distances)[1:])


def from_row(x, reduce=median_without_the_first):
    """The median distance of one row to the other rows."""
    return lambda row: reduce(jnp.sqrt(((x - row) ** 2).sum(axis=1)))


def from_number(x, batch_size, of_one):
    """What `of_one` makes of the number of each row and its distances to all rows."""

    def one(i):
        return of_one(i, jnp.sqrt(((x - x[i]) ** 2).sum(axis=1)))

    return jax.lax.map(one, jnp.arange(len(x)), batch_size=batch_size)


@right("median-distances")
def one_row_at_a_time(x, batch_size):
    return jax.lax.map(lambda row: median_without_the_first(jnp.linalg.norm(x - row, axis=1)), x)


@right("median-distances")
def marks_itself_by_its_number(x, batch_size):
    def one(i, distances):
        return jnp.nanmedian(jnp.where(jnp.arange(len(x)) == i, jnp.nan, distances))

    return from_number(x, batch_size, one)


@right("median-distances")
def takes_the_number_along(x, batch_size):
    def one(pair):
        row, i = pair
        return jnp.median(jnp.delete(jnp.linalg.norm(x - row, axis=1), i, assume_unique_indices=True))

    return jax.lax.map(one, (x, jnp.arange(len(x))), batch_size=batch_size)


@right("median-distances")
def pads_and_scans(x, batch_size):
    n = len(x)
    rows = jnp.pad(x, ((0, -n % batch_size), (0, 0)), mode="edge").reshape(-1, batch_size, x.shape[1])

    def step(_, some):
        distances = jnp.sort(jnp.sqrt(jnp.sum((some[:, None] - x) ** 2, axis=-1)), axis=1)
        return None, jnp.median(distances[:, 1:], axis=1)

    return jax.lax.scan(step, None, rows)[1].reshape(-1)[:n]


@wrong("median-distances", "all-at-once")
def vmaps_all(x, batch_size):
    return jax.vmap(from_row(x))(x)


@wrong("median-distances", "all-at-once")
def maps_with_a_batch_of_all(x, batch_size):
    return jax.lax.map(from_row(x), x, batch_size=len(x))


@wrong("median-distances", "larger-batches")
def always_takes_sixteen(x, batch_size):
    return jax.lax.map(from_row(x), x, batch_size=16)


@wrong("median-distances", "unrolled")
def loops_over_the_batches(x, batch_size):
    parts = [x[i : i + batch_size] for i in range(0, len(x), batch_size)]
    return jnp.concatenate([jax.vmap(from_row(x))(part) for part in parts])


@wrong("median-distances", "no-rest")
def reshapes_into_batches(x, batch_size):
    rows = x.reshape(-1, batch_size, x.shape[1])
    return jax.lax.map(jax.vmap(from_row(x)), rows).reshape(-1)


@wrong("median-distances", "no-rest")
def drops_the_rest(x, batch_size):
    whole = len(x) // batch_size * batch_size
    rows = x[:whole].reshape(-1, batch_size, x.shape[1])
    return jax.lax.map(jax.vmap(from_row(x)), rows).reshape(-1)


def filled_batches(x, batch_size):
    """The rows in whole batches, with zeros behind them."""
    return jnp.pad(x, ((0, -len(x) % batch_size), (0, 0))).reshape(-1, batch_size, x.shape[1])


@wrong("median-distances", "filling-returned")
def returns_what_fills_the_batch(x, batch_size):
    return jax.lax.map(jax.vmap(from_row(x)), filled_batches(x, batch_size)).ravel()


@wrong("median-distances", "zeros-counted")
def counts_what_fills_the_batch(x, batch_size):
    rows = filled_batches(x, batch_size)
    return jax.lax.map(jax.vmap(from_row(rows.reshape(-1, x.shape[1]))), rows).ravel()[: len(x)]


@wrong("median-distances", "root-of-the-median")
def the_root_at_the_end(x, batch_size):
    return jnp.sqrt(jax.lax.map(lambda row: median_without_the_first(((x - row) ** 2).sum(axis=1)), x))


@wrong("median-distances", "called-back")
def asks_numpy(x, batch_size):
    def on_the_host(x):
        table = np.sort(np.sqrt(((np.asarray(x)[:, None] - np.asarray(x)) ** 2).sum(-1)), axis=1)
        return np.median(table[:, 1:], axis=1).astype(np.float32)

    return jax.pure_callback(on_the_host, jax.ShapeDtypeStruct(x.shape[:1], jnp.float32), x)


@wrong("median-distances", "itself-counted")
def does_as_the_lesson(x, batch_size):
    return jax.lax.map(from_row(x, jnp.median), x, batch_size=batch_size)


@wrong("median-distances", "itself-counted")
def sorts_and_keeps_all(x, batch_size):
    return jax.lax.map(from_row(x, lambda distances: jnp.median(jnp.sort(distances))), x, batch_size=batch_size)


@wrong("median-distances", "twins-dropped")
def leaves_all_zeros_out(x, batch_size):
    return jax.lax.map(from_row(x, lambda d: jnp.nanmedian(jnp.where(d == 0, jnp.nan, d))), x, batch_size=batch_size)


@wrong("median-distances", "twins-dropped")
def leaves_equal_rows_out(x, batch_size):
    def one(row):
        same = (x == row).all(axis=1)
        return jnp.nanmedian(jnp.where(same, jnp.nan, jnp.linalg.norm(x - row, axis=1)))

    return jax.lax.map(one, x, batch_size=batch_size)


@wrong("median-distances", "wrong-value")
def leaves_the_first_row_out(x, batch_size):
    return jax.lax.map(from_row(x, lambda distances: jnp.median(distances[1:])), x, batch_size=batch_size)


@wrong("median-distances", "within-the-batch")
def looks_at_its_batch_only(x, batch_size):
    parts = [x[i : i + batch_size] for i in range(0, len(x), batch_size)]
    return jnp.concatenate([jax.vmap(from_row(part))(part) for part in parts])


@wrong("median-distances", "wrong-value")
def adds_under_the_root(x, batch_size):
    def one(row):
        return median_without_the_first(jnp.sqrt(((x - row) ** 2).sum(axis=1) + 1e-12))

    return jax.lax.map(one, x, batch_size=batch_size)


@wrong("median-distances", "squared")
def forgets_the_root_of_the_squares(x, batch_size):
    return jax.lax.map(lambda row: median_without_the_first(((x - row) ** 2).sum(axis=1)), x, batch_size=batch_size)


@wrong("median-distances", "mean-distance")
def takes_the_mean_distance(x, batch_size):
    return jax.lax.map(from_row(x, lambda distances: distances.sum() / (len(x) - 1)), x, batch_size=batch_size)


@wrong("median-distances", "upper-median")
def the_one_in_the_middle(x, batch_size):
    return jax.lax.map(
        from_row(x, lambda distances: jnp.sort(distances)[1 + (len(x) - 1) // 2]), x, batch_size=batch_size
    )


@wrong("median-distances", "digits-lost")
def expands_the_square(x, batch_size):
    def one(row):
        squares = (x**2).sum(1) + (row**2).sum() - 2 * x @ row
        own = (x == row).all(axis=1)
        return median_without_the_first(jnp.sqrt(jnp.where(own, 0.0, jnp.maximum(squares, 0.0))))

    return jax.lax.map(one, x, batch_size=batch_size)


@wrong("median-distances", "wrong-value")
def the_largest_distance(x, batch_size):
    return jax.lax.map(lambda row: jnp.linalg.norm(x - row, axis=1).max(), x, batch_size=batch_size)


@right("median-distances")
def turns_the_rows_until_its_own_is_first(x, batch_size):
    def one(i):
        return jnp.median(jnp.linalg.norm(jnp.roll(x, -i, axis=0)[1:] - x[i], axis=1))

    return jax.lax.map(one, jnp.arange(len(x)), batch_size=batch_size)


@wrong("median-distances", "no-rest")
def puts_the_filled_batches_into_n(x, batch_size):
    return jax.lax.map(jax.vmap(from_row(x)), filled_batches(x, batch_size)).reshape(len(x))


@wrong("median-distances", "TypeError")
def cuts_the_diagonal_out_wrongly(x, batch_size):
    table = jnp.linalg.norm(x[:, None] - x, axis=-1)
    return jnp.median(table.ravel()[1:].reshape(len(x), -1), axis=1)


equivalents = [
    equivalent("median-distances", "`x - row`  ->  `row - x`", "it is squared"),
    equivalent(
        "median-distances",
        "`jax.lax.map(from_one, x, batch_size=batch_size)`  ->  `jax.lax.map(from_one, x)`",
        "one row at a time is allowed, and takes less memory still",
    ),
    equivalent(
        "median-distances",
        "numbers remembered from the first call",
        "the batch size decides how much memory is used, and not what the medians are",
    ),
]
