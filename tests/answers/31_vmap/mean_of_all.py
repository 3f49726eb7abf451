"""Answers to mean-of-all."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("mean-of-all")
def sums_the_whole_table(x, lengths):
    counts = jnp.arange(x.shape[1])[None, :] < lengths[:, None]
    return jnp.mean(x, where=counts)


@right("mean-of-all")
def sums_and_counts_from_each_row(x, lengths):
    def row(values, n):
        counts = jnp.arange(values.size) < n
        return jnp.sum(values, where=counts), counts.sum()

    sums, counts = jax.vmap(row)(x, lengths)
    return jnp.sum(sums) / jnp.sum(counts)


def row_mean(row, n):
    """The mean of the elements of one row that count."""
    return jnp.where(jnp.arange(row.shape[0]) < n, row, 0).sum() / n


@wrong("mean-of-all", "mean-of-means")
def means_of_rows(x, lengths):
    return jax.vmap(row_mean)(x, lengths).mean()


@wrong("mean-of-all", "mean-of-means")
def means_of_rows_with_zeros(x, lengths):
    return jnp.nan_to_num(jax.vmap(row_mean)(x, lengths)).mean()


@wrong("mean-of-all", "mean-of-means")
def means_of_rows_that_are_not_empty(x, lengths):
    return jnp.nanmean(jax.vmap(row_mean)(x, lengths))


@wrong("mean-of-all", "empty-row")
def weighs_the_means_of_rows(x, lengths):
    return (jax.vmap(row_mean)(x, lengths) * lengths).sum() / lengths.sum()


@wrong("mean-of-all", "zeros-not-counted")
def counts_what_is_not_0(x, lengths):
    kept = jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, 0)
    return kept.sum() / jnp.count_nonzero(kept)


@wrong("mean-of-all", "from-the-right")
def takes_the_last_ones(x, lengths):
    return jnp.where(jnp.arange(x.shape[1])[::-1] < lengths[:, None], x, 0).sum() / lengths.sum()


@wrong("mean-of-all", "padding-counted")
def ignores_the_lengths(x, lengths):
    return x.mean()


@wrong("mean-of-all", "divided-by-all")
def divides_by_the_size(x, lengths):
    return jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, 0).mean()


@wrong("mean-of-all", "divided-by-rows")
def divides_by_the_rows(x, lengths):
    return jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, 0).sum() / len(x)


@wrong("mean-of-all", "one-too-many")
def one_more_of_each(x, lengths):
    return jnp.where(jnp.arange(x.shape[1]) <= lengths[:, None], x, 0).sum() / lengths.sum()


@wrong("mean-of-all", "only-the-sum")
def does_not_divide(x, lengths):
    return jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, 0).sum()


@wrong("mean-of-all", "mean-of-each-row")
def forgets_the_last_mean(x, lengths):
    return jax.vmap(row_mean)(x, lengths)


@wrong("mean-of-all", "shape-from-values")
def slices(x, lengths):
    return sum(x[i, : lengths[i]].sum() for i in range(len(x))) / lengths.sum()


@wrong("mean-of-all", "shape-from-values")
def indexes_with_a_mask(x, lengths):
    return x[jnp.arange(x.shape[1]) < lengths[:, None]].mean()


@wrong("mean-of-all", "multiplied-the-mask")
def multiplies_by_the_mask(x, lengths):
    return (x * (jnp.arange(x.shape[1]) < lengths[:, None]).astype(x.dtype)).sum() / lengths.sum()


@wrong("mean-of-all", "multiplied-the-mask")
def multiplies_by_truth(x, lengths):
    counts = jnp.arange(x.shape[1]) < lengths[:, None]
    return (x * counts).sum() / counts.sum()


@wrong("mean-of-all", "wrong-value")
def counts_in_16_bits(x, lengths):
    counts = jnp.arange(x.shape[1]) < lengths[:, None]
    return jnp.where(counts, x, 0).sum() / counts.sum(dtype=jnp.int16)


@wrong("mean-of-all", "wrong-value")
def goes_up_to_one_less(x, lengths):
    last = lengths - lengths.dtype.type(1)  # of no sign, 0 has a large number before it
    return jnp.where(jnp.arange(x.shape[1]) <= last[:, None], x, 0).sum() / lengths.sum()


@wrong("mean-of-all", "cleaned-away")
def leaves_nan_out(x, lengths):
    return jnp.nanmean(jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, jnp.nan))


@wrong("mean-of-all", "wrong-value")
def median_of_what_counts(x, lengths):
    return jnp.nanmedian(jnp.where(jnp.arange(x.shape[1]) < lengths[:, None], x, jnp.nan))


@wrong("mean-of-all", "value-asked-for")
def asks_for_an_empty_row(x, lengths):
    def row(values, n):
        return jnp.where(jnp.arange(values.size) < n, values, 0).sum() if n > 0 else 0.0

    return jax.vmap(row)(x, lengths).sum() / lengths.sum()


@wrong("mean-of-all", "value-asked-for")
def goes_through_the_places(x, lengths):
    return sum(x[i, j] for i in range(len(x)) for j in range(lengths[i])) / lengths.sum()


@wrong("mean-of-all", "value-asked-for")
def chooses_with_numpy(x, lengths):
    return np.where(np.arange(x.shape[1]) < lengths[:, None], x, 0).sum() / lengths.sum()


@wrong("mean-of-all", "multiplied-the-mask")
def takes_the_padding_off_the_sum(x, lengths):
    beyond = jnp.arange(x.shape[1]) >= lengths[:, None]
    return (x.sum() - jnp.where(beyond, x, 0).sum()) / lengths.sum()


@wrong("mean-of-all", "shape-from-values")
def finds_the_places(x, lengths):
    rows, columns = jnp.nonzero(jnp.arange(x.shape[1]) < lengths[:, None])
    return x[rows, columns].mean()


@wrong("mean-of-all", "shape-from-values")
def counts_up_to_a_length(x, lengths):
    return sum(row[jnp.arange(n)].sum() for row, n in zip(x, lengths, strict=True)) / lengths.sum()


@wrong("mean-of-all", "value-asked-for")
def makes_a_list_of_the_lengths(x, lengths):
    return sum(row[:n].sum() for row, n in zip(x, lengths.tolist(), strict=True)) / lengths.sum()


equivalents = [
    equivalent("mean-of-all", "`0`  ->  `-1`", "a row has one axis"),
]
