"""Answers to segment-sums."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("segment-sums", "empty-inside")
def sets_empty_ones_to_one(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.where(lengths > 0, np.bincount(ids, weights=values, minlength=len(lengths)), 1.0)


@wrong("segment-sums", "empty-at-the-start")
def subtracts_the_total_before(values, lengths):
    return np.diff(np.cumsum(values)[np.cumsum(lengths) - 1], prepend=0)


@wrong("segment-sums", "empty-at-the-end")
def sets_the_empty_ones_to_zero(values, lengths):
    return np.where(lengths > 0, np.add.reduceat(values, np.cumsum(lengths) - lengths), 0)


@wrong("segment-sums", "empty-at-the-end")
def forgets_minlength(values, lengths):
    return np.bincount(np.repeat(np.arange(len(lengths)), lengths), weights=values)


@wrong("segment-sums", "all-empty")
def looks_at_the_first_value(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(ids, weights=values - 0 * values[0], minlength=len(lengths))


@wrong("segment-sums", "digits-lost")
def subtracts_running_sums(values, lengths):
    running = np.concatenate([[0.0], np.add.accumulate(values)])
    ends = np.cumsum(lengths)
    return running[ends] - running[ends - lengths]


@wrong("segment-sums", "digits-lost")
def subtracts_running_sums_from_the_end(values, lengths):
    left = np.append(np.cumsum(values[::-1])[::-1], 0.0)
    ends = np.cumsum(lengths)
    return left[ends - lengths] - left[ends]


@wrong("segment-sums", "single-precision")
def keeps_half_of_the_digits(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(ids, weights=values, minlength=len(lengths)).astype(np.float32)


@wrong("segment-sums", "wrong-value")
def cuts_into_equal_runs(values, lengths):
    return np.array([run.sum() for run in np.array_split(values, len(lengths))])


@wrong("segment-sums", "spoilt-by-another-run")
def multiplies_by_a_table(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return (ids == np.arange(len(lengths))[:, None]) @ values


@right("segment-sums")
def slices_each_run(values, lengths):
    ends = np.cumsum(lengths)
    return [values[end - length : end].sum() for end, length in zip(ends, lengths, strict=True)]


@wrong("segment-sums", "single-precision")
def sums_in_jax(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return jax.ops.segment_sum(jnp.asarray(values), ids, num_segments=len(lengths))


@right("segment-sums")
def numbers_each_element(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(ids, weights=values, minlength=len(lengths)).astype(float)


@wrong("segment-sums", "other-dtype")
def counts_where_nothing_is_weighed(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(ids, weights=values, minlength=len(lengths))


@wrong("segment-sums", "other-dtype")
def takes_whole_numbers_for_nothing(values, lengths):
    ends = np.cumsum(lengths)
    return np.array([values[end - n : end].sum() if n else 0 for end, n in zip(ends, lengths, strict=True)])


@wrong("segment-sums", "cleaned-away")
def takes_no_notice_of_what_is_not_finite(values, lengths):
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(ids, weights=np.where(np.isfinite(values), values, 0), minlength=len(lengths))


@wrong("segment-sums", "whole-numbers")
def adds_into_whole_numbers(values, lengths):
    sums = np.zeros_like(lengths)
    np.add.at(sums, np.repeat(np.arange(len(lengths)), lengths), values)
    return sums


@wrong("segment-sums", "last-of-each")
def assigns_where_it_should_add(values, lengths):
    sums = np.zeros(len(lengths))
    sums[np.repeat(np.arange(len(lengths)), lengths)] = values
    return sums


@wrong("segment-sums", "empty-inside")
def numbers_the_runs_by_their_starts(values, lengths):
    begins = np.zeros(len(values), int)
    starts = np.cumsum(lengths) - lengths
    begins[starts[starts < len(values)]] = 1
    return np.bincount(np.cumsum(begins) - 1, weights=values, minlength=len(lengths))


equivalents = [
    equivalent("segment-sums", "`lengths > 0`  ->  `lengths != 0`", "no length is below 0"),
]
