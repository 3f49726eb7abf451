"""Answers to ewma-with-gaps."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from jaxcourse import frames
from jaxcourse.exercise import equivalent, right, wrong


@right("ewma-with-gaps")
@jax.jit
def column_by_column_in_a_loop(xs, alpha):
    def one(column):
        def body(t, carry):
            means, mean, weight = carry
            weight = weight * (1 - alpha)
            joined = jnp.where(weight > 0, weight * mean, 0) + column[t]
            known = (mean, weight), (joined / (weight + 1), weight + 1)
            mean, weight = (jnp.where(jnp.isnan(column[t]), *pair) for pair in zip(*known, strict=True))
            return means.at[t].set(mean), mean, weight

        nan, zero = jnp.array(jnp.nan, xs.dtype), jnp.zeros((), xs.dtype)
        return jax.lax.fori_loop(0, len(column), body, (column, nan, zero))[0]

    return jax.vmap(one, in_axes=1, out_axes=1)(xs)


def sums_begun_anew(xs, alpha):
    def apply(state, x):
        total, weight, age = state  # the sums as they were at the last value, and how long ago that is
        seen, age = ~jnp.isnan(x), age + 1
        fade = (1 - alpha) ** age
        total = jnp.where(seen, fade * total + x, total)
        weight = jnp.where(seen, fade * weight + 1, weight)
        return (total, weight, jnp.where(seen, 0, age)), total / weight

    zeros = jnp.zeros_like(xs[0])
    return jax.lax.scan(apply, (zeros,) * 3, jnp.asarray(xs))[1]


sums_that_begin_anew_at_each_value = right("ewma-with-gaps")(sums_begun_anew)


@wrong("ewma-with-gaps", "forbidden-call")
def asks_the_course(xs, alpha):
    return frames.unroll(frames.ewma(alpha=alpha))(jnp.asarray(xs))[1]


@wrong("ewma-with-gaps", "forbidden-call")
def asks_the_course_in_long_tables_only(xs, alpha):
    run = frames.unroll(frames.ewma(alpha=alpha)) if len(xs) > 12 else None
    return run(jnp.asarray(xs))[1] if run else sums_begun_anew(xs, alpha)


@wrong("ewma-with-gaps", "forbidden-call")
def asks_the_course_for_wide_tables_only(xs, alpha):
    run = frames.unroll(frames.ewma(alpha=alpha)) if xs.shape[1] > 3 else None
    return run(jnp.asarray(xs))[1] if run else sums_begun_anew(xs, alpha)


@wrong("ewma-with-gaps", "not-in-jax")
def asks_pandas_from_inside(xs, alpha):
    def host(xs):
        return pd.DataFrame(np.asarray(xs)).ewm(alpha=alpha).mean().to_numpy().astype(np.float32)

    return jax.pure_callback(host, jax.ShapeDtypeStruct(xs.shape, jnp.float32), xs)


@wrong("ewma-with-gaps", "one-gap-for-the-row")
def leaves_out_rows_with_any_gap(xs, alpha):
    def apply(state, x, alpha):
        total, weight, mean = state
        counts = ~jnp.isnan(x).any()
        total = (1 - alpha) * total + jnp.where(counts, x, 0)
        weight = (1 - alpha) * weight + counts
        mean = jnp.where(counts, total / weight, mean)
        return (total, weight, mean), mean

    return scanned_means(xs, alpha, apply, *(like_a_row(xs, value) for value in (0, 0, jnp.nan)))


def scanned_means(xs, alpha, apply, *state):
    """A scan over the rows, from a state that is made of arrays like a row."""
    return jax.lax.scan(lambda state, x: apply(state, x, alpha), state, jnp.asarray(xs))[1]


def like_a_row(xs, value):
    return jnp.full(xs.shape[1:], value, xs.dtype)


def two_sums(state, x, alpha):
    """Weighted sum and sum of weights, with gaps left out."""
    total, weight = state
    counts = ~jnp.isnan(x)
    total = (1 - alpha) * total + jnp.where(counts, x, 0)
    weight = (1 - alpha) * weight + counts
    return (total, weight), total / weight


def two_sum_means(xs, alpha):
    return scanned_means(xs, alpha, two_sums, like_a_row(xs, 0), like_a_row(xs, 0))


keeps_two_sums = wrong("ewma-with-gaps", "forgets-in-a-long-gap")(two_sum_means)


@wrong("ewma-with-gaps", "forgets-in-a-long-gap")
def hides_a_mean_whose_weight_is_gone(xs, alpha):
    def apply(state, x, alpha):
        mean, weight = state
        there = ~jnp.isnan(x)
        weight = (1 - alpha) * weight + there
        mean = jnp.where(there, mean + (x - mean) / weight, mean)
        return (mean, weight), jnp.where(weight > 0, mean, jnp.nan)

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "nan-spreads")
def forgets_the_gaps(xs, alpha):
    def apply(state, x, alpha):
        total, weight = (1 - alpha) * state[0] + x, (1 - alpha) * state[1] + 1
        return (total, weight), total / weight

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "gap-is-zero")
def fills_with_zero(xs, alpha):
    return two_sum_means(jnp.nan_to_num(jnp.asarray(xs)), alpha)


@wrong("ewma-with-gaps", "gap-in-the-result")
def leaves_gaps_in_the_result(xs, alpha):
    return jnp.where(jnp.isnan(xs), jnp.nan, two_sum_means(xs, alpha))


@wrong("ewma-with-gaps", "mean-of-nothing")
def guards_the_division(xs, alpha):
    def apply(state, x, alpha):
        (total, weight), _ = two_sums(state, x, alpha)
        return (total, weight), total / jnp.maximum(weight, 1e-6)

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "gap-stops-the-clock")
def keeps_the_whole_state_at_a_gap(xs, alpha):
    def apply(state, x, alpha):
        after, _ = two_sums(state, x, alpha)
        total, weight = (jnp.where(jnp.isnan(x), old, new) for old, new in zip(state, after, strict=True))
        return (total, weight), total / weight

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "not-in-jax")
def asks_pandas(xs, alpha):
    return pd.DataFrame(np.asarray(xs)).ewm(alpha=alpha).mean().to_numpy()


@wrong("ewma-with-gaps", "plain-recursion")
def stands_still_at_a_gap(xs, alpha):
    def apply(state, x, alpha):
        (mean,) = state
        moved = jnp.where(jnp.isnan(mean), x, alpha * x + (1 - alpha) * mean)
        mean = jnp.where(jnp.isnan(x), mean, moved)
        return (mean,), mean

    return scanned_means(xs, alpha, apply, like_a_row(xs, jnp.nan))


@wrong("ewma-with-gaps", "branches-in-python")
def asks_with_an_if(xs, alpha):
    def apply(state, x, alpha):
        if jnp.isnan(x).any():
            return state, state[0] / state[1]
        return two_sums(state, x, alpha)

    return scanned_means(xs, alpha, apply, like_a_row(xs, 0), like_a_row(xs, 0))


@wrong("ewma-with-gaps", "unrolled")
def loops_over_the_rows(xs, alpha):
    state, means = (like_a_row(xs, 0), like_a_row(xs, 0)), []
    for x in jnp.asarray(xs):
        state, mean = two_sums(state, x, alpha)
        means.append(mean)
    return jnp.stack(means)


@wrong("ewma-with-gaps", "unrolled")
def unrolls_the_scan(xs, alpha):
    def apply(state, x):
        mean, weight = state
        seen, weight = ~jnp.isnan(x), (1 - alpha) * weight
        joined = jnp.where(weight > 0, weight * mean, 0) + x
        mean = jnp.where(seen, joined / (weight + 1), mean)
        return (mean, weight + seen), mean

    return jax.lax.scan(apply, (like_a_row(xs, jnp.nan), like_a_row(xs, 0)), jnp.asarray(xs), unroll=len(xs))[1]


@wrong("ewma-with-gaps", "last-value-again")
def fills_with_the_last_value(xs, alpha):
    def apply(state, x, alpha):
        total, weight, last = state
        last = jnp.where(jnp.isnan(x), last, x)
        (total, weight), mean = two_sums((total, weight), last, alpha)
        return (total, weight, last), mean

    return scanned_means(xs, alpha, apply, *(like_a_row(xs, value) for value in (0, 0, jnp.nan)))


@wrong("ewma-with-gaps", "wrong-value")
def takes_zero_for_a_gap(xs, alpha):
    return two_sum_means(jnp.where(xs == 0, jnp.nan, xs), alpha)


@wrong("ewma-with-gaps", "wrong-value")
def knows_one_alpha(xs, alpha):
    return two_sum_means(xs, 0.5)


@wrong("ewma-with-gaps", "wrong-shape")
def returns_the_last_mean(xs, alpha):
    return two_sum_means(xs, alpha)[-1]


equivalents = [
    equivalent("ewma-with-gaps", "`mean`  ->  `joined`", "both are NaN until there is a value"),
    equivalent("ewma-with-gaps", "`x`  ->  `joined`", "both are NaN in a gap"),
    equivalent("ewma-with-gaps", "`jnp.full_like(xs[0], jnp.nan)`  ->  `xs[0]`", "it has no weight yet"),
    equivalent("ewma-with-gaps", "`xs = jnp.asarray(xs)`  ->  ``", "`scan` makes an array of it"),
    equivalent("ewma-with-gaps", "`jnp.asarray(xs)`  ->  `xs`", "`scan` makes an array of it"),
    equivalent("ewma-with-gaps", "`0`  ->  `-1`", "all rows have one shape"),
    equivalent("ewma-with-gaps", "`0`  ->  `1`", "a pair has two entries"),
    equivalent("ewma-with-gaps", "`1`  ->  `-1`", "a pair has two entries"),
]


def undivided(xs, alpha, share):
    def body(carry, x):
        total, known = carry
        seen = ~jnp.isnan(x)
        total, known = (1 - alpha) * total + share * jnp.where(seen, x, 0), known | seen
        return (total, known), jnp.where(known, total, jnp.nan)

    return jax.lax.scan(body, (jnp.zeros_like(xs[0]), jnp.zeros(xs.shape[1], bool)), xs)[1]


wrong("ewma-with-gaps", "not-divided")(lambda xs, alpha: undivided(xs, alpha, 1))
wrong("ewma-with-gaps", "not-divided")(lambda xs, alpha: undivided(xs, alpha, alpha))


@wrong("ewma-with-gaps", "not-divided")
def weights_of_the_page(xs, alpha):
    def body(carry, x):
        mean, age = carry
        seen, age = ~jnp.isnan(x), age + 1
        moved = jnp.where(jnp.isnan(mean), x, alpha * x + (1 - alpha) ** age * mean)
        mean = jnp.where(seen, moved, mean)
        return (mean, jnp.where(seen, 0, age)), mean

    return jax.lax.scan(body, (jnp.full(xs.shape[1], jnp.nan, xs.dtype), jnp.zeros(xs.shape[1], jnp.int32)), xs)[1]
