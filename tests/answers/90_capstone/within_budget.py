"""Answers to within-budget: programs that search all places on eight devices, within their budget or not."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxcourse.barometers import best_of, sums_at
from jaxcourse.exercise import equivalent, right, wrong

TRACES, PLACES = P(None, "d"), P("d")
SPECS = {"in_specs": (TRACES, TRACES, TRACES, PLACES, PLACES, P()), "out_specs": (PLACES, PLACES)}
COUNT = 1290


@functools.cache
def mesh():
    """The lesson's mesh: where the answers are listed, JAX has not started yet."""
    return jax.make_mesh((8,), ("d",), (AxisType.Auto,), devices=jax.devices()[:8])


def laid(array, *spec):
    """An array within a program, laid over the mesh."""
    return lax.with_sharding_constraint(array, NamedSharding(mesh(), P(*spec)))


def late(build):
    """A function that is built when it is called first."""
    built = functools.cache(build)

    @functools.wraps(build)
    def search(*record):
        return built()(*record)

    return search


def on_each(body):
    """A search whose `body` runs on each device."""
    return late(functools.wraps(body)(lambda: jax.jit(jax.shard_map(body, mesh=mesh(), **SPECS))))


def varying(tree):
    """A tree whose arrays may differ between devices."""
    if hasattr(lax, "pcast"):
        return jax.tree.map(lambda leaf: lax.pcast(leaf, "d", to="varying"), tree)
    return jax.tree.map(lambda leaf: lax.pvary(leaf, "d"), tree)


def gathered(*traces):
    """Traces of all stations, on each device."""
    return [lax.all_gather(trace, "d", axis=1, tiled=True) for trace in traces]


def mapped(traces, lat, lon, first, at_a_time=16):
    """The search of some places with all traces."""
    one = lambda at: best_of(sums_at(*at, *traces, first), first)  # noqa: E731
    return lax.map(one, (lat, lon), batch_size=at_a_time)


def by_hand(score, variance, place_of, lat, lon, first):
    """The body of the solution."""
    return mapped(gathered(score, variance, place_of), lat, lon, first)


# -- right ------------------------------------------------------------------------------------------------------


@right("within-budget")
@late
def whole_array():
    def search(score, variance, place_of, lat, lon, first):
        traces = [laid(trace) for trace in (score, variance, place_of)]
        # A turn takes 16 places of each device.
        blocks = [laid(angles.reshape(8, -1, 16), "d").transpose(1, 0, 2) for angles in (lat, lon)]
        one = lambda lat, lon: best_of(sums_at(lat, lon, *traces, first), first)  # noqa: E731
        found = lax.map(lambda at: jax.vmap(jax.vmap(one))(*at), tuple(blocks))
        return tuple(laid(part.transpose(1, 0, 2).reshape(-1), "d") for part in found)

    return jax.jit(search)


@right("within-budget")
@on_each
def ring(score, variance, place_of, lat, lon, first):
    pairs = [(i, (i + 1) % 8) for i in range(8)]

    def turn(carry, _):
        sums, here = carry
        sums = jax.vmap(lambda lat, lon, *sums: sums_at(lat, lon, *here, first, sums))(lat, lon, *sums)
        return (sums, [lax.ppermute(part, "d", pairs) for part in here]), None

    none = varying((jnp.zeros((lat.size, COUNT)),) * 2)
    (sums, _), _ = lax.scan(turn, (none, [score, variance, place_of]), length=8)
    return best_of(sums, first)


@right("within-budget")
@on_each
def gathers_in_the_loop(score, variance, place_of, lat, lon, first):
    one = lambda lat, lon: best_of(sums_at(lat, lon, *gathered(score, variance, place_of), first), first)  # noqa: E731
    found = lax.map(lambda at: jax.vmap(one)(*at), (lat.reshape(-1, 16), lon.reshape(-1, 16)))
    return tuple(part.reshape(-1) for part in found)


@right("within-budget")
@on_each
def adds_up_what_is_elsewhere_zero(score, variance, place_of, lat, lon, first):
    def whole(trace):
        empty = varying(jnp.zeros((len(trace), 8 * trace.shape[1])))
        own = lax.dynamic_update_slice(empty, trace, (0, lax.axis_index("d") * trace.shape[1]))
        return lax.psum(own, "d")

    return mapped(varying([whole(trace) for trace in (score, variance, place_of)]), lat, lon, first)


@right("within-budget")
@on_each
def one_place_at_a_time(score, variance, place_of, lat, lon, first):
    return mapped(gathered(score, variance, place_of), lat, lon, first, None)


@right("within-budget")
@on_each
def all_places_in_each_turn(score, variance, place_of, lat, lon, first):
    traces = gathered(score, variance, place_of)
    return best_of(jax.vmap(lambda lat, lon: sums_at(lat, lon, *traces, first))(lat, lon), first)


@right("within-budget")
@on_each
def by_index(score, variance, place_of, lat, lon, first):
    score, variance, place_of = gathered(score, variance, place_of)

    def one(at):
        rows, weight = arrival_rows(*at, place_of, first)
        station = jnp.arange(score.shape[1])[:, None]
        sums = (weight * score[rows, station]).sum(0), (weight**2 * variance[rows, station]).sum(0)
        return best_of(sums, first)

    return lax.map(one, (lat, lon))


def arrival_rows(lat, lon, place_of, first):
    """The rows at which the traces are read, and the weights: (..., stations, minutes)."""
    far = kilometres(lat, lon, place_of)
    begin = first + jnp.floor(far / 0.31 / 60).astype(jnp.int32)
    return begin[..., None] + jnp.arange(COUNT), jnp.sqrt(500 / jnp.maximum(far, 20))[..., None]


def kilometres(lat, lon, place_of):
    """On the sphere, by haversine."""
    lat, lon, lat2, lon2 = (jnp.radians(angle) for angle in (lat, lon, *place_of))
    h = jnp.sin((lat2 - lat) / 2) ** 2 + jnp.cos(lat) * jnp.cos(lat2) * jnp.sin((lon2 - lon) / 2) ** 2
    return 2 * 6371 * jnp.arcsin(jnp.sqrt(h))


# -- over the budget --------------------------------------------------------------------------------------------


@wrong("within-budget", "bytes")
@on_each
def all_at_once(score, variance, place_of, lat, lon, first):
    score, variance, place_of = gathered(score, variance, place_of)
    rows, weight = arrival_rows(lat[:, None], lon[:, None], place_of, first)
    station = jnp.arange(score.shape[1])[:, None]
    sums = (weight * score[rows, station]).sum(axis=1), (weight**2 * variance[rows, station]).sum(axis=1)
    return best_of(sums, first)


@wrong("within-budget", "bytes")
@on_each
def cuts_all_slices_first(score, variance, place_of, lat, lon, first):
    score, variance, place_of = gathered(score, variance, place_of)
    rows, weight = arrival_rows(lat[:, None], lon[:, None], place_of, first)
    cut = lambda begin, trace: lax.dynamic_slice(trace, (begin,), (COUNT,))  # noqa: E731
    slices = jax.vmap(jax.vmap(cut), (0, None))
    above, below = (slices(rows[..., 0], trace.T) for trace in (score, variance))
    return best_of(((weight * above).sum(axis=1), (weight**2 * below).sum(axis=1)), first)


@wrong("within-budget", "collective")
@on_each
def sums_travel(score, variance, place_of, lat, lon, first):
    everywhere = [lax.all_gather(angles, "d", tiled=True) for angles in (lat, lon)]
    sums = lax.map(lambda at: sums_at(*at, score, variance, place_of, first), tuple(everywhere), batch_size=16)
    return best_of([lax.psum_scatter(part, "d", tiled=True) for part in sums], first)


@wrong("within-budget", "collective")
@on_each
def sums_in_the_loop(score, variance, place_of, lat, lon, first):
    everywhere = [lax.all_gather(angles, "d", tiled=True).reshape(-1, 16) for angles in (lat, lon)]

    def one(at):
        sums = jax.vmap(lambda lat, lon: sums_at(lat, lon, score, variance, place_of, first))(*at)
        return best_of(lax.psum(sums, "d"), first)

    found = [part.reshape(-1) for part in lax.map(one, tuple(everywhere))]
    return tuple(lax.dynamic_slice(part, (lax.axis_index("d") * lat.size,), (lat.size,)) for part in varying(found))


@wrong("within-budget", "collective")
@on_each
def gathers_hour_by_hour(score, variance, place_of, lat, lon, first):
    def whole(trace):
        return lax.map(lambda hour: gathered(hour)[0], trace.reshape(-1, 60, 5)).reshape(-1, 40)

    return mapped([whole(score), whole(variance), *gathered(place_of)], lat, lon, first)


@wrong("within-budget", "work")
@on_each
def interpolates(score, variance, place_of, lat, lon, first):
    score, variance, place_of = gathered(score, variance, place_of)
    clock = varying(jnp.arange(len(score), dtype=jnp.float32))

    def one(at):
        rows, weight = arrival_rows(*at, place_of, first)

        def add(sums, station):
            rows, weight, score, variance = station
            at = rows.astype(jnp.float32)
            top, below = (jnp.interp(at, clock, trace) for trace in (score, variance))
            return (sums[0] + weight * top, sums[1] + weight**2 * below), None

        none = varying((jnp.zeros(COUNT),) * 2)
        return best_of(lax.scan(add, none, (rows, weight, score.T, variance.T))[0], first)

    return lax.map(one, (lat, lon))


@wrong("within-budget", "work")
@on_each
def searches_all_places_and_keeps_its_own(score, variance, place_of, lat, lon, first):
    everywhere = [lax.all_gather(angles, "d", tiled=True) for angles in (lat, lon)]
    found = mapped(gathered(score, variance, place_of), *everywhere, first, at_a_time=8)
    return tuple(lax.dynamic_slice_in_dim(part, lax.axis_index("d") * len(lat), len(lat)) for part in found)


@wrong("within-budget", "turns-unknown")
@on_each
def walks_until_it_is_through(score, variance, place_of, lat, lon, first):
    traces, found = gathered(score, variance, place_of), varying((jnp.zeros(lat.size), jnp.zeros(lat.size, jnp.int32)))
    known = jnp.concatenate([lat, jnp.full(1, jnp.nan)])  # the walk ends at a place that is none

    def step(carry):
        i, value, when = carry
        best, minute = best_of(sums_at(lat[i], lon[i], *traces, first), first)
        return i + 1, value.at[i].set(best), when.at[i].set(minute)

    start = (varying(jnp.int32(0)), *found)
    return lax.while_loop(lambda carry: ~jnp.isnan(known[carry[0]]), step, start)[1:]


# -- compiled otherwise -----------------------------------------------------------------------------------------


@wrong("within-budget", "compiles-again")
@late
def static_first():
    inner = jax.shard_map(by_hand, mesh=mesh(), **SPECS)

    @functools.partial(jax.jit, static_argnums=5)
    def search(score, variance, place_of, lat, lon, first):
        return inner(score, variance, place_of, lat, lon, jnp.int32(first))

    return lambda *record: search(*record[:5], int(record[5]))


@wrong("within-budget", "compiles-again")
def compiles_in_each_call(*record):
    body = lambda *here: by_hand(*here)  # noqa: E731
    return jax.jit(jax.shard_map(body, mesh=mesh(), **SPECS))(*record)


@wrong("within-budget", "leaves-jax")
def asks_for_values(*record):
    value, when = by_hand_everywhere(*record)
    return (value, when) if float(value.max()) > 1 else (value * 0, when)


by_hand_everywhere = on_each(by_hand)


@wrong("within-budget", "leaves-jax")
def counts_in_numpy(*record):
    value, when = by_hand_everywhere(*record)
    return value, jax.device_put(np.asarray(when), value.sharding)


@wrong("within-budget", "several-programs")
def in_two_steps(score, variance, place_of, lat, lon, first):
    value, when = by_hand_everywhere(score, variance, place_of, lat, lon, first)
    return value + 0, when


@wrong("within-budget", "not-split")
@late
def ends_whole():
    return jax.jit(lambda *record: tuple(laid(part) for part in by_hand_everywhere(*record)))


# -- another map ------------------------------------------------------------------------------------------------


@wrong("within-budget", "stale")
@late
def finds_its_record():
    rng = np.random.default_rng(0)
    found = [rng.uniform(1, 2, size=(4320, 40)).astype(np.float32) for _ in "ab"]
    return jax.jit(lambda *record: by_hand_everywhere(*found, *record[2:]))


@wrong("within-budget", "stale")
def finds_its_minute(*record):
    return by_hand_everywhere(*record[:5], np.int32(2880))


@wrong("within-budget", "stale")
def returns_what_it_began_with(score, variance, place_of, lat, lon, first):
    return jnp.zeros_like(lat), jnp.full(lat.shape, first)


@wrong("within-budget", "own-stations")
@on_each
def sends_nothing(score, variance, place_of, lat, lon, first):
    return mapped([score, variance, place_of], lat, lon, first)


@wrong("within-budget", "minute-from-first")
@on_each
def counts_from_first(score, variance, place_of, lat, lon, first):
    value, when = by_hand(score, variance, place_of, lat, lon, first)
    return value, when - first


@wrong("within-budget", "wrong-map")
@on_each
def weighs_both_sums_alike(score, variance, place_of, lat, lon, first):
    score, variance, place_of = gathered(score, variance, place_of)

    def one(at):
        rows, weight = arrival_rows(*at, place_of, first)
        station = jnp.arange(score.shape[1])[:, None]
        return best_of(((weight * score[rows, station]).sum(0), (weight * variance[rows, station]).sum(0)), first)

    return lax.map(one, (lat, lon))


@wrong("within-budget", "wrong-map")
@on_each
def one_turn_too_few(score, variance, place_of, lat, lon, first):
    pairs = [(i, (i + 1) % 8) for i in range(8)]

    def turn(carry, _):
        sums, here = carry
        sums = jax.vmap(lambda lat, lon, *sums: sums_at(lat, lon, *here, first, sums))(lat, lon, *sums)
        return (sums, [lax.ppermute(part, "d", pairs) for part in here]), None

    none = varying((jnp.zeros((lat.size, COUNT)),) * 2)
    (sums, _), _ = lax.scan(turn, (none, [score, variance, place_of]), length=7)
    return best_of(sums, first)


@wrong("within-budget", "ratios-added")
@on_each
def adds_ratios(score, variance, place_of, lat, lon, first):
    pairs = [(i, (i + 1) % 8) for i in range(8)]

    def turn(carry, _):
        total, here = carry
        above, below = jax.vmap(lambda lat, lon: sums_at(lat, lon, *here, first))(lat, lon)
        total = total + above / jnp.sqrt(below + 1e-9)
        return (total, [lax.ppermute(part, "d", pairs) for part in here]), None

    none = varying(jnp.zeros((lat.size, COUNT)))
    (total, _), _ = lax.scan(turn, (none, [score, variance, place_of]), length=8)
    return best_of((total, jnp.ones_like(total)), first)


@wrong("within-budget", "not-two-arrays")
@late
def one_table():
    return jax.jit(lambda *record: jnp.stack([part.astype(jnp.float32) for part in by_hand_everywhere(*record)]))


@wrong("within-budget", "wrong-map")
@on_each
def blocks_in_another_order(score, variance, place_of, lat, lon, first):
    """Sixteen places in each turn, put together as if the turns ran fastest."""
    traces = *gathered(score, variance, place_of), first

    def some(at):
        return best_of(jax.vmap(lambda here, there: sums_at(here, there, *traces))(*at), first)

    value, when = lax.map(some, (lat.reshape(-1, 16), lon.reshape(-1, 16)))
    return value.T.ravel(), when.T.ravel()


@wrong("within-budget", "wrong-map")
@on_each
def sends_half_of_the_digits(score, variance, place_of, lat, lon, first):
    halves = (trace.astype(jnp.bfloat16) for trace in (score, variance))
    whole = [half.astype(jnp.float32) for half in gathered(*halves)]
    return mapped((*whole, *gathered(place_of)), lat, lon, first)


equivalents = [
    equivalent("within-budget", change, "any number of places in a turn gives the same map within the budget")
    for change in (
        "`lax.map(one, (lat, lon), batch_size=16)`  ->  `lax.map(one, (lat, lon))`",
        "`16`  ->  `15`",
        "`16`  ->  `17`",
    )
]
