"""keys-by-rank: a key that all processes share in a step, and one of each process alone."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require

from ._lesson import WORDS as LESSON


@probe.question(evidence="values")
def keys_for_all(student_function, seed, places):
    """The bits of both keys for some steps and processes, or nothing if a pair of keys did not come back."""
    found = []
    for step, rank in places:
        pair = student_function(seed, step, rank)
        if probe.is_really(pair, jax.Array) and pair.shape == (2,):
            pair = [pair[0], pair[1]]
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            return []
        if not all(
            probe.is_really(key, jax.Array) and jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and key.shape == ()
            for key in pair
        ):
            return []
        found.append([np.asarray(jax.random.key_data(key)).tolist() for key in pair])
    return found


@probe.question(evidence="values")
def keys_of_many(student_function, seed, count):
    """The bits of both keys for `count` steps of process 0, and of the own keys of as many processes in step 0.

    An answer that needs Python's numbers cannot be mapped: then there are none.
    """
    numbers, zeros = jnp.arange(count), jnp.zeros(count, int)

    def bits(step, rank):
        return tuple(map(jax.random.key_data, student_function(seed, step, rank)))

    try:
        # One program for both: compiling it costs more than running it.
        shared, own = jax.vmap(bits)(jnp.concatenate([numbers, zeros]), jnp.concatenate([zeros, numbers]))
        return [np.asarray(shared[:count]), np.asarray(own[:count]), np.asarray(own[count:])]
    except Exception:
        return []


MANY = 2**17
"""So many steps and processes show a number that one of them is multiplied by, whichever it is."""


def number_of(keys):
    """Each key as one number."""
    bits = np.asarray(keys, np.uint64).reshape(-1, 2)
    return bits[:, 0] * np.uint64(2**32) + bits[:, 1]


def all_differ(keys):
    """Whether no key comes twice. Since NumPy 2.3, `np.unique` looks up one by one: of so many, sorting is faster."""
    ordered = np.sort(keys)
    return (ordered[1:] != ordered[:-1]).all()


def met(some, others):
    """The places of the first pair of equal keys; nothing if there is none."""
    common = np.intersect1d(some, others)
    return [int(np.flatnonzero(part == common[0])[0]) for part in (some, others)] if common.size else []


NEAR = [(step, rank) for step in range(6) for rank in range(4)]


FAR = [10, 11, 16, 64, 100, 128, 256, 1000, 1024, 4096, 10_000, 65_536, 100_000, 1_000_000]


PLACES = [*NEAR, *((step, far) for far in FAR for step in (0, 1)), *((far, rank) for far in FAR for rank in (0, 1))]
"""Steps and processes; the far ones show where a number made of both is the same for two pairs."""


def _judge_pairs(found, places):
    """Look at the keys of some places; return the shared ones and the own ones, by place."""
    require(found, "not-keys")
    shared, own = ({place: tuple(pair[k]) for place, pair in zip(places, found, strict=True)} for k in (0, 1))
    _judge_shared(shared)
    _judge_own(own)
    refuse(set(shared.values()) & set(own.values()), "own-meets-shared")
    return shared, own


def _judge_shared(shared):
    by_step = {step: {key for (s, _), key in shared.items() if s == step} for step, _ in shared}
    refuse(any(len(keys) > 1 for keys in by_step.values()), "shared-by-rank")
    count = len(set().union(*by_step.values()))
    refuse(count == 1, "shared-never-changes")
    require(count == len(by_step), "shared-repeats")


def _judge_own(own):
    refuse(all(own[step, rank] == own[step, 0] for step, rank in NEAR), "own-is-shared")
    refuse(all(own[step, rank] == own[0, rank] for step, rank in NEAR), "own-never-changes")
    first = {}
    for place, key in own.items():
        step, rank = first.setdefault(key, place)
        refuse(step != place[0] and rank != place[1], "pairs-collide", pair=(step, rank), other=place)
        require((step, rank) == place, "own-repeats", pair=(step, rank), other=place)


def _judge_many(shared, steps, ranks):
    """Look at the keys of very many steps and processes. The pair 0, 0 is among both."""
    if ranks[0] == steps[0] and all_differ(np.concatenate([shared, steps, ranks[1:]])):
        return
    require(all_differ(shared), "shared-repeats")
    refuse(met(shared, np.concatenate([steps, ranks])), "own-meets-shared")
    rank, step = (n + 1 for n in met(ranks[1:], steps[1:]) or (-1, -1))
    refuse(rank, "pairs-collide", pair=(0, rank), other=(step, 0))
    require(all_differ(steps) and all_differ(ranks), "pairs-collide/far")


def keys_shared_and_own(answer, rng):
    """For each step a key that all share, and one for each process, no two of them alike.

    A function, since any keys are right, as long as those of other steps, ranks and seeds are others.
    """
    seed = int(rng.integers(1, 1000))
    _judge_pairs(answer.probe(keys_for_all, seed, NEAR), NEAR)  # first: a loop over the ranks takes long for the others
    one, other = (answer.probe(keys_for_all, number, PLACES) for number in (seed, seed + 1))
    answer.called = f"keys_by_rank({seed}, step, rank) for {len(PLACES)} pairs of a step and a process"
    require(other, "not-keys")
    shared, own = _judge_pairs(one, PLACES)
    many = [number_of(keys) for keys in answer.probe(keys_of_many, seed, MANY)]
    if many:
        _judge_many(*many)
    elsewhere = {tuple(key) for pair in other for key in pair}
    refuse(elsewhere & {*shared.values(), *own.values()}, "seed-ignored")
    far = number_of([key for pair in other[: len(NEAR)] for key in pair])
    refuse(many and np.isin(np.concatenate(many), far).any(), "seed-ignored")


WORDS = """
hint: `jax.random.fold_in(key, number)` makes a new key from a key and a number.
hint: Fold in the step, split into two, and fold the rank into the second.
not-keys: Return a pair of keys, as `fold_in` and `split` make them of a `jax.random.key`. What they make of a `PRNGKey`
    are bare numbers.
own-meets-shared: Some process's own key is the shared key of some step, so both would draw the same numbers.
shared-by-rank: Your first key differs between processes. Their parameters would differ, and you would see no error.
shared-never-changes: Your first key is the same in every step, so what is drawn from it repeats. Fold in the step.
shared-repeats: Some steps have the same first key.
own-is-shared: Your second key is the same in all processes, so all add the same noise to different data.
own-never-changes: A process's own key is the same in every step, so its noise repeats. Fold in the step as well.
pairs-collide: For (step, rank) = {pair} your own key is also that for {other}. One number made of both doesn't tell all
    pairs apart. Fold in one after the other.
own-repeats: For (step, rank) = {pair} your own key is also that for {other}, so both would draw the same numbers.
pairs-collide/far: Some steps or some processes far apart have the same own key.
seed-ignored: With another seed some of your keys are the same, so a second run would repeat what the first one drew.
"""

keys_by_rank = declare(
    "keys-by-rank",
    points=2,
    see="whose-rows",
    steps=[keys_shared_and_own],
    words=(LESSON, WORDS),
)
