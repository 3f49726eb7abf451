"""Answers to the-map."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@right("the-map")
def by_index_arrays(far, score, variance, first, count):
    late = jnp.floor(far / 18.6).astype(jnp.int32)
    weight = jnp.sqrt(500 / jnp.maximum(far, 20))

    def one(place):
        a, late = place
        at = first + jnp.arange(count)[:, None] + late, jnp.arange(len(late))
        u, v = (trace.at[at].get(mode="fill", fill_value=0.0) for trace in (score, variance))
        statistic = u @ a / jnp.sqrt(v @ a**2)
        return statistic.max(), first + statistic.argmax()

    return jax.lax.map(one, (weight, late), batch_size=2)


@right("the-map")
def in_numpy_station_by_station(far, score, variance, first, count):
    far, score, variance = map(np.asarray, (far, score, variance))
    late = (far // 18.6).astype(int)
    weight = np.sqrt(500 / np.maximum(far, 20))
    above, below = np.zeros((2, len(far), count))
    for place in range(len(far)):
        for station in range(far.shape[1]):
            begin = first + late[place, station]
            u, v = score[begin : begin + count, station], variance[begin : begin + count, station]
            above[place, : len(u)] += weight[place, station] * u
            below[place, : len(v)] += weight[place, station] ** 2 * v
    statistic = above / np.sqrt(below)
    return statistic.max(axis=1), first + statistic.argmax(axis=1)


@right("the-map")
def with_zeros_before_and_behind(far, score, variance, first, count):
    late = (far / 0.31 / 60).astype(jnp.int32)
    a = jnp.sqrt(500 / jnp.clip(far, 20))
    u, v = (jnp.pad(x, ((0, 2000), (0, 0))) for x in (score, variance))

    def place(late, a):
        cut = jax.vmap(lambda x, begin: jax.lax.dynamic_slice_in_dim(x, begin, count), in_axes=(1, 0))
        begin = first + late
        return (a[:, None] * cut(u, begin)).sum(0) / jnp.sqrt(((a**2)[:, None] * cut(v, begin)).sum(0))

    statistic = jax.vmap(place)(late, a)
    return statistic.max(axis=1), first + statistic.argmax(axis=1)


def searched(far, score, variance, first, count, *, late=None, join=None, mode="fill", weight=None):
    late = jnp.floor(far / 18.6).astype(jnp.int32) if late is None else late
    weight = jnp.sqrt(500 / jnp.maximum(far, 20)) if weight is None else weight
    at = first + jnp.arange(count)[:, None, None] + late
    station = jnp.arange(far.shape[1])
    more = {"fill_value": 0.0} if mode == "fill" else {}
    u, v = (trace.at[at, station].get(mode=mode, **more) for trace in (score, variance))
    join = join or (lambda a, u, v: (a * u).sum(-1) / jnp.sqrt((a**2 * v).sum(-1)))
    statistic = join(weight, u, v)
    return statistic.max(axis=0), first + statistic.argmax(axis=0)


@wrong("the-map", "clamped-at-the-end")
def by_plain_indices(far, score, variance, first, count):
    return searched(far, score, variance, first, count, mode="clip")


@wrong("the-map", "clamped-at-the-end")
def by_slices_of_the_record(far, score, variance, first, count):
    late = jnp.floor(far / 18.6).astype(jnp.int32)
    weight = jnp.sqrt(500 / jnp.maximum(far, 20))

    def place(late, a):
        cut = jax.vmap(lambda x, begin: jax.lax.dynamic_slice_in_dim(x, begin, count), in_axes=(1, 0))
        u, v = (cut(x, first + late) for x in (score, variance))
        return (a[:, None] * u).sum(0) / jnp.sqrt(((a**2)[:, None] * v).sum(0))

    statistic = jax.vmap(place)(late, weight)
    return statistic.max(axis=1), first + statistic.argmax(axis=1)


@wrong("the-map", "wrong-value")
def with_too_few_zeros(far, score, variance, first, count):
    """Forty zeros: a slice that begins behind them is moved back into the record."""
    zeros = ((0, 40), (0, 0))
    return by_slices_of_the_record.answer(far, jnp.pad(score, zeros), jnp.pad(variance, zeros), first, count)


@wrong("the-map", "clamped-at-the-end")
def by_plain_indices_in_numpy(far, score, variance, first, count):
    far, score, variance = map(np.asarray, (far, score, variance))
    at = first + np.arange(count)[:, None, None] + (far // 18.6).astype(int)
    u, v = (trace[at, np.arange(far.shape[1])] for trace in (score, variance))
    a = np.sqrt(500 / np.maximum(far, 20))
    statistic = (a * u).sum(-1) / np.sqrt((a**2 * v).sum(-1))
    return statistic.max(axis=0), first + statistic.argmax(axis=0)


@wrong("the-map", "wraps-round")
def by_rolling(far, score, variance, first, count):
    late = jnp.floor(far / 18.6).astype(jnp.int32)
    weight = jnp.sqrt(500 / jnp.maximum(far, 20))

    def place(late, a):
        cut = jax.vmap(lambda x, late: jnp.roll(x, -late - first)[:count], in_axes=(1, 0))
        return (a[:, None] * cut(score, late)).sum(0) / jnp.sqrt(((a**2)[:, None] * cut(variance, late)).sum(0))

    statistic = jax.vmap(place)(late, weight)
    return statistic.max(axis=1), first + statistic.argmax(axis=1)


@wrong("the-map", "best-minute-of-the-array")
def without_first(far, score, variance, first, count):
    value, when = searched(far, score, variance, first, count)
    return value, when - first


@wrong("the-map", "seconds-for-minutes")
def in_seconds(far, score, variance, first, count):
    return searched(far, score, variance, first, count, late=(far / 0.31).astype(jnp.int32), mode="clip")


@wrong("the-map", "rounded-minutes")
def rounds(far, score, variance, first, count):
    return searched(far, score, variance, first, count, late=jnp.round(far / 18.6).astype(jnp.int32))


@wrong("the-map", "rounded-minutes")
def begins_a_minute_late(far, score, variance, first, count):
    value, when = searched(far, score, variance, first + 1, count)
    return value, when - 1


@wrong("the-map", "one-minute-more")
def tries_the_minute_after_the_last(far, score, variance, first, count):
    return searched(far, score, variance, first, count + 1)


@wrong("the-map", "sum-of-ratios")
def adds_up_sigmas(far, score, variance, first, count):
    def join(a, u, v):
        z = jnp.where(v > 0, u / jnp.sqrt(jnp.where(v > 0, v, 1.0)), 0.0)
        return (a * z).sum(-1) / jnp.sqrt((a**2 * (v > 0)).sum(-1))

    return searched(far, score, variance, first, count, join=join)


@wrong("the-map", "root-forgotten")
def divides_by_the_variance(far, score, variance, first, count):
    return searched(far, score, variance, first, count, join=lambda a, u, v: (a * u).sum(-1) / (a**2 * v).sum(-1))


@wrong("the-map", "weights-not-squared")
def weighs_the_variance_once(far, score, variance, first, count):
    return searched(
        far, score, variance, first, count, join=lambda a, u, v: (a * u).sum(-1) / jnp.sqrt((a * v).sum(-1))
    )


@wrong("the-map", "weights-wrong")
def without_weights(far, score, variance, first, count):
    return searched(far, score, variance, first, count, weight=jnp.ones_like(far))


@wrong("the-map", "near-stations-shout")
def without_a_least_distance(far, score, variance, first, count):
    return searched(far, score, variance, first, count, weight=jnp.sqrt(500 / far))


@wrong("the-map", "earlier-for-later")
def subtracts_the_delay(far, score, variance, first, count):
    late = jnp.floor(far / 18.6).astype(jnp.int32)
    return searched(far, score, variance, first, count, late=-late)


@wrong("the-map", "largest-size")
def takes_the_size(far, score, variance, first, count):
    return searched(
        far, score, variance, first, count, join=lambda a, u, v: jnp.abs((a * u).sum(-1) / jnp.sqrt((a**2 * v).sum(-1)))
    )


@wrong("the-map", "not-a-pair")
def the_values_alone(far, score, variance, first, count):
    return searched(far, score, variance, first, count)[0]


@wrong("the-map", "not-a-pair")
def of_all_places_together(far, score, variance, first, count):
    value, when = searched(far, score, variance, first, count)
    best = jnp.argmax(value)
    return value[best], when[best]


@wrong("the-map", "wrong-value")
def one_minute_too_few(far, score, variance, first, count):
    return searched(far, score, variance, first + 1, count - 1)


@wrong("the-map", "IndexError")
def takes_the_distances_for_a_cube(far, score, variance, first, count):
    return searched(far[:, :, 0], score, variance, first, count)


equivalents = [
    equivalent("the-map", change, why)
    for why, changes in {
        "a cast to whole numbers cuts off what stands behind the point, and distances are positive": [
            "`jnp.floor(far / 18.6)`  ->  `far / 18.6`",
            "`jnp.floor`  ->  `jnp.trunc`",
            "`far / 18.6`  ->  `far // 18.6`",
        ],
        "there are at most some thousands of minutes": [
            "`jnp.int32`  ->  `jnp.int64`",
            "`jnp.int32`  ->  `jnp.int16`",
            "`jnp.int32`  ->  `jnp.uint32`",
        ],
        "a factor of all weights cancels": ["`500`  ->  `499`", "`500`  ->  `501`"],
        "no distance is NaN": ["`jnp.maximum`  ->  `jnp.fmax`"],
        "the second of two is the last one": ["`1`  ->  `-1`"],
    }.items()
    for change in changes
]
