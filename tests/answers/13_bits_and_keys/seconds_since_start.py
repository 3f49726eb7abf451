"""Answers to seconds-since-start."""

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("seconds-since-start")
def counts_in_pythons_integers(stamps):
    earliest = min(stamps.tolist())
    return jnp.array([(number - earliest) / 10**9 for number in stamps.tolist()])


@right("seconds-since-start")
def lets_numpy_know_the_unit(stamps):
    since = stamps.astype("datetime64[ns]") - np.datetime64(int(stamps.min()), "ns")
    return jnp.float32(since / np.timedelta64(1, "s"))


@wrong("seconds-since-start", "wrapped")
def hands_over_first(stamps):
    stamps = jnp.asarray(stamps)
    return (stamps - stamps.min()) / 1e9


@wrong("seconds-since-start", "wrapped")
def divides_in_jax(stamps):
    return jnp.asarray(stamps - stamps.min()) / 1e9


@wrong("seconds-since-start", "absorbed")
def makes_floats_first(stamps):
    seconds = jnp.asarray(stamps / 1e9)
    return seconds - seconds.min()


@wrong("seconds-since-start", "absorbed")
def makes_float32_in_numpy(stamps):
    stamps = stamps.astype(np.float32)
    return jnp.asarray((stamps - stamps.min()) / 1e9)


@wrong("seconds-since-start", "divided-first")
def divides_before_it_subtracts(stamps):
    seconds = stamps / 1e9
    return jnp.asarray(seconds - seconds.min())


@wrong("seconds-since-start", "cut-at-the-second")
def subtracts_seconds_and_the_rest(stamps):
    whole, rest = (jnp.asarray(part.astype(np.int32)) for part in np.divmod(stamps, 10**9))
    k = stamps.argmin()
    return (whole - whole[k]) + (rest - rest[k]) * 1e-9


@wrong("seconds-since-start", "roundings-added-up")
def adds_up_the_gaps(stamps):
    order = stamps.argsort()
    gaps = jnp.asarray(np.diff(stamps[order], prepend=stamps.min()) / 1e9)
    times = jax.lax.scan(lambda now, gap: (now + gap, now + gap), jnp.float32(0), gaps)[1]
    return times[order.argsort()]


@wrong("seconds-since-start", "still-nanoseconds")
def forgets_the_unit(stamps):
    return jnp.asarray((stamps - stamps.min()).astype(np.float32))


@wrong("seconds-since-start", "milliseconds")
def takes_them_for_microseconds(stamps):
    return jnp.asarray((stamps - stamps.min()) / 1e6)


@wrong("seconds-since-start", "wrong-value")
def keeps_microseconds(stamps):
    return jnp.asarray(np.round((stamps - stamps.min()) / 1e9, 6))


@wrong("seconds-since-start", "short-times-lost")
def counts_back_from_the_last(stamps):
    before_the_last = jnp.asarray((stamps.max() - stamps) / 1e9)
    return before_the_last.max() - before_the_last


@wrong("seconds-since-start", "not-jax")
def never_leaves_numpy(stamps):
    return (stamps - stamps.min()) / 1e9


@wrong("seconds-since-start", "not-since-the-start")
def forgets_the_start(stamps):
    return stamps / 1e9


@wrong("seconds-since-start", "since-the-first-noted")
def as_the_pulsar_below(stamps):
    return jnp.asarray(np.float32((stamps - stamps[0]) / 1e9))


@wrong("seconds-since-start", "sorted")
def sorts_them_first(stamps):
    stamps = np.sort(stamps)
    return jnp.asarray((stamps - stamps[0]) / 1e9)


@wrong("seconds-since-start", "gaps")
def gaps_between_neighbours(stamps):
    return jnp.asarray(np.diff(stamps, prepend=stamps[0]) / 1e9)


@wrong("seconds-since-start", "wrong-shape")
def one_gap_too_few(stamps):
    return jnp.asarray(np.diff(stamps) / 1e9)


@wrong("seconds-since-start", "whole-seconds")
def divides_integers(stamps):
    return jnp.asarray((stamps - stamps.min()) // 10**9, jnp.float32)


@wrong("seconds-since-start", "wrong-value")
def keeps_milliseconds(stamps):
    return jnp.asarray(np.round((stamps - stamps.min()) / 1e9, 3))


equivalents = [
    equivalent(
        "seconds-since-start",
        "`1000000000.0`  ->  `1000000001.0`",
        "a part in a thousand million, which `float32` cannot show",
    ),
]


@wrong("seconds-since-start", "wrong-value")
def forgets_to_bind(stamps):
    seconds = jnp.zeros(len(stamps))
    seconds.at[:].set((stamps - stamps.min()) / 1e9)
    return seconds


@wrong("seconds-since-start", "wrong-value")
def gives_whole_minutes(stamps):
    return jnp.asarray((stamps - stamps.min()) // (60 * 10**9) * 60.0)


@wrong("seconds-since-start", "whole-seconds")
def divides_whole_numbers(stamps):
    return jnp.asarray((stamps - stamps.min()) // 10**9)


@wrong("seconds-since-start", "divided-first")
def multiplies_before_it_subtracts(stamps):
    return jnp.asarray(stamps * 1e-9 - stamps.min() * 1e-9)
