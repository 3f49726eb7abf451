"""Answers to rolling-mean-pair."""

import collections

import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong

from ._lesson import LAST_PARAMETER


@wrong("rolling-mean-pair", "one-window-for-all")
def keeps_the_window_in_one_place(window):
    LAST_PARAMETER[:] = [window]
    apply = window_pair(window)[1]
    return lambda x0: window_pair(LAST_PARAMETER[0])[0](x0), apply


@wrong("rolling-mean-pair", "value-changed")
def cuts_large_values_off(window):
    init, apply = window_pair(window)
    return init, lambda kept, x: apply(kept, jnp.clip(x, -1e6, 1e6))


@wrong("rolling-mean-pair", "wrong-value")
def counts_in_a_byte(window):
    def apply(state, x):
        kept, count = state
        kept, count = jnp.concatenate([kept[1:], x[None]]), count + jnp.int8(1)
        return (kept, count), jnp.where(count < window, jnp.nan, kept.mean(0))

    return lambda x0: (jnp.zeros((window, *x0.shape)), jnp.int8(0)), apply


def window_pair(window, *, fill=jnp.nan, average=lambda kept: kept.mean(0)):
    """The last rows as the state, with its parts to be broken."""

    def init(x0):
        return jnp.full((window, *x0.shape), fill, x0.dtype)

    def apply(kept, x):
        kept = jnp.concatenate([kept[1:], x[None]])
        return kept, average(kept)

    return init, apply


@right("rolling-mean-pair")
def changes_a_list_in_place(window):
    init, apply = window_pair(window)

    def in_place(state, x):
        state[0], mean = apply(state[0], x)
        return state, mean

    return lambda x0: [init(x0)], in_place


@wrong("rolling-mean-pair", "TracerBoolConversionError")
def branches_on_a_counter(window):
    init, apply = window_pair(window, fill=0)

    def counted(state, x):
        kept, mean = apply(state[0], x)
        return (kept, state[1] + 1), mean if state[1] + 1 >= window else jnp.nan * mean

    return lambda x0: (init(x0), jnp.int32(0)), counted


@wrong("rolling-mean-pair", "state-changes")
def counts_in_another_dtype(window):
    init, apply = window_pair(window)
    return lambda x0: (init(x0), jnp.int32(0)), lambda state, x: ((apply(state[0], x)[0], state[1] + 0.5), 0 * x)


def running_sum_pair(window):
    """A sum to which the newest row is added and from which the oldest is taken."""

    def init(x0):
        return jnp.zeros((window, *x0.shape), x0.dtype), jnp.zeros_like(x0), jnp.zeros((), jnp.int32)

    def apply(state, x):
        kept, total, count = state
        total = total - kept[0] + x
        kept, count = jnp.concatenate([kept[1:], x[None]]), count + 1
        return (kept, total, count), jnp.where(count < window, jnp.nan, total / window)

    return init, apply


@right("rolling-mean-pair")
def a_ring_and_a_count(window):
    def init(x0):
        return jnp.zeros((window, *x0.shape), x0.dtype), 0

    def apply(state, x):
        ring, seen = state
        ring, seen = ring.at[seen % window].set(x), seen + 1
        return (ring, seen), jnp.where(seen < window, jnp.nan, ring.sum(0) / window)

    return init, apply


@right("rolling-mean-pair")
def a_list_of_older_rows(window):
    def apply(older, x):
        return [*older, x][1:], sum([*older, x]) / window

    return lambda x0: [jnp.full_like(x0, jnp.nan)] * (window - 1), apply


@wrong("rolling-mean-pair", "starts-from-values")
def starts_full_of_the_first_row(window):
    _, apply = window_pair(window)
    return lambda x0: jnp.stack([x0] * window), apply


@wrong("rolling-mean-pair", "nan-left-out")
def averages_what_is_no_nan(window):
    def apply(state, x):
        kept, count = state
        kept, count = jnp.concatenate([kept[1:], x[None]]), count + 1
        return (kept, count), jnp.where(count < window, jnp.nan, jnp.nanmean(kept, axis=0))

    return lambda x0: (jnp.full((window, *x0.shape), jnp.nan), 0), apply


@wrong("rolling-mean-pair", "wrong-value")
def keeps_an_old_row_for_a_nan(window):
    def apply(state, x):
        ring, t = state
        ring = ring.at[t % window].set(jnp.where(jnp.isnan(x), ring[t % window], x))
        return (ring, t + 1), ring.mean(0)

    return lambda x0: (jnp.full((window, *x0.shape), jnp.nan), 0), apply


@wrong("rolling-mean-pair", "nan-stays")
def subtracts_the_oldest(window):
    return running_sum_pair(window)


@wrong("rolling-mean-pair", "digits-lost")
def subtracts_the_oldest_unless_it_is_nan(window):
    def init(x0):
        return jnp.full((window, *x0.shape), jnp.nan, x0.dtype), jnp.zeros_like(x0)

    def apply(state, x):
        kept, total = state
        total = total - jnp.nan_to_num(kept[0]) + jnp.nan_to_num(x)
        kept = jnp.concatenate([kept[1:], x[None]])
        return (kept, total), jnp.where(jnp.isnan(kept).any(0), jnp.nan, total / window)

    return init, apply


@wrong("rolling-mean-pair", "window-not-full")
def averages_what_is_there(window):
    return window_pair(window, average=lambda kept: jnp.nanmean(kept, axis=0))


@wrong("rolling-mean-pair", "zeros-in-the-window")
def starts_with_zeros(window):
    return window_pair(window, fill=0)


@wrong("rolling-mean-pair", "newest-row-missing")
def averages_before_the_row_comes(window):
    init, apply = window_pair(window)
    return init, lambda kept, x: (apply(kept, x)[0], kept.mean(0))


@wrong("rolling-mean-pair", "one-row-off")
def keeps_one_row_more(window):
    return window_pair(window + 1)


@wrong("rolling-mean-pair", "state-changes")
def grows_a_list(window):
    def init(x0):
        return jnp.zeros((0, *x0.shape), x0.dtype)

    def apply(kept, x):
        kept = jnp.concatenate([kept, x[None]])[-window:]
        return kept, jnp.where(len(kept) < window, jnp.nan, kept.mean(0))

    return init, apply


@wrong("rolling-mean-pair", "remembers")
def keeps_a_deque(window):
    kept = []

    def apply(state, x):
        kept.append(x)
        return state, sum(kept[-window:]) / window

    return jnp.zeros_like, apply


@wrong("rolling-mean-pair", "no-state-returned")
def returns_the_rolling_mean_alone(window):
    init, apply = window_pair(window)
    return init, lambda state, x: apply(state, x)[1]


@wrong("rolling-mean-pair", "swapped")
def rolling_mean_before_state(window):
    init, apply = window_pair(window)
    return init, lambda state, x: apply(state, x)[::-1]


@wrong("rolling-mean-pair", "not-two-functions")
def rolls_at_once(window):
    return jnp.zeros(window)


@wrong("rolling-mean-pair", "wrong-row-shape")
def averages_all_columns(window):
    return window_pair(window, average=lambda kept: kept.mean())


@wrong("rolling-mean-pair", "columns-mixed")
def averages_all_columns_into_each(window):
    return window_pair(window, average=lambda kept: jnp.full_like(kept[0], kept.mean()))


@wrong("rolling-mean-pair", "wrong-value")
def moves_the_mean_a_little(window):
    return jnp.zeros_like, lambda mean, x: (mean + (x - mean) / window,) * 2


equivalents = [
    equivalent(
        "rolling-mean-pair",
        "`jnp.full((window, *x0.shape), jnp.nan, x0.dtype)`  ->  `jnp.full((window, *x0.shape), jnp.nan)`",
        "rows are `float32`, the default",
    ),
]


@wrong("rolling-mean-pair", "TypeError")
def starts_with_an_empty_deque(window):
    def apply(kept, x):
        kept.append(x)
        return kept, sum(kept) / window if len(kept) == window else x * jnp.nan

    return lambda x0: collections.deque(maxlen=window), apply


@wrong("rolling-mean-pair", "TypeError")
def writes_into_a_window_of_numpy(window):
    def apply(kept, x):
        kept[:-1] = kept[1:]
        kept[-1] = x
        return kept, kept.mean(0)

    return lambda x0: np.full((window, *x0.shape), np.nan, np.float32), apply
