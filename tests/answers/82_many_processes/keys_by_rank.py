"""Answers to keys-by-rank."""

import jax

from jaxcourse.exercise import equivalent, right, wrong


@right("keys-by-rank")
def folds_three_numbers(seed, step, rank):
    key = jax.random.fold_in(jax.random.key(seed), 2)
    shared = jax.random.fold_in(jax.random.fold_in(key, 0), step)
    own = jax.random.fold_in(jax.random.fold_in(jax.random.fold_in(key, 1), rank), step)
    return [shared, own]


@right("keys-by-rank")
def folds_the_rank_into_the_shared_key(seed, step, rank):
    shared = jax.random.fold_in(jax.random.key(seed), step)
    return shared, jax.random.fold_in(shared, rank)


@wrong("keys-by-rank", "shared-by-rank")
def a_seed_for_each_process(seed, step, rank):
    key = jax.random.fold_in(jax.random.key(seed + 1000 * rank), step)
    return tuple(jax.random.split(key))


@wrong("keys-by-rank", "shared-never-changes")
def one_key_for_all_steps(seed, step, rank):
    key = jax.random.key(seed)
    return key, jax.random.fold_in(jax.random.fold_in(key, step), rank)


@wrong("keys-by-rank", "own-is-shared")
def the_same_noise_everywhere(seed, step, rank):
    return tuple(jax.random.split(jax.random.fold_in(jax.random.key(seed), step)))


@wrong("keys-by-rank", "own-never-changes")
def the_same_noise_in_every_step(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, rank)


@wrong("keys-by-rank", "pairs-collide")
def adds_step_and_rank(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, step + rank)


@wrong("keys-by-rank", "pairs-collide")
def multiplies_step_and_rank(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, (step + 1) * (rank + 1))


@wrong("keys-by-rank", "pairs-collide")
def leaves_room_for_a_thousand(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, 1000 * step + rank)


@wrong("keys-by-rank", "pairs-collide")
def leaves_room_for_a_prime(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step), jax.random.fold_in(own, 2003 * step + rank)


@wrong("keys-by-rank", "pairs-collide")
def writes_the_numbers_beside_each_other(seed, step, rank):
    return jax.random.fold_in(jax.random.key(seed), step), jax.random.key(int(f"{seed}{step}{rank}"))


@wrong("keys-by-rank", "own-repeats")
def has_keys_for_64_processes(seed, step, rank):
    shared, own = jax.random.split(jax.random.fold_in(jax.random.key(seed), step))
    return shared, jax.random.split(own, 64)[rank]


@wrong("keys-by-rank", "own-meets-shared")
def own_keys_begin_far_away(seed, step, rank):
    key = jax.random.key(seed)
    return jax.random.fold_in(key, step), jax.random.fold_in(key, 77_777 + 2003 * step + rank)


@wrong("keys-by-rank", "seed-ignored")
def adds_the_step_to_the_seed(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed + step))
    return shared, jax.random.fold_in(own, rank)


@wrong("keys-by-rank", "own-meets-shared")
def process_0_keeps_the_shared_key(seed, step, rank):
    shared = jax.random.fold_in(jax.random.key(seed), step)
    return shared, jax.random.fold_in(shared, rank) if rank else shared


@wrong("keys-by-rank", "shared-repeats")
def forgets_every_other_step(seed, step, rank):
    shared, own = jax.random.split(jax.random.key(seed))
    return jax.random.fold_in(shared, step // 2), jax.random.fold_in(jax.random.fold_in(own, step), rank)


@wrong("keys-by-rank", "seed-ignored")
def forgets_the_seed(seed, step, rank):
    shared, own = jax.random.split(jax.random.fold_in(jax.random.key(0), step))
    return shared, jax.random.fold_in(own, rank)


@wrong("keys-by-rank", "not-keys")
def numbers_in_place_of_keys(seed, step, rank):
    return seed + step, seed + step + rank


@wrong("keys-by-rank", "not-keys")
def begins_with_bare_numbers(seed, step, rank):
    shared, own = jax.random.split(jax.random.fold_in(jax.random.PRNGKey(seed), step))
    return shared, jax.random.fold_in(own, rank)


equivalents = [
    equivalent("keys-by-rank", "`jax.random.split(now)`  ->  `[now] * 2`", "every key that it gives is another one"),
    equivalent("keys-by-rank", "`shared`  ->  `now`", "every key that it gives is another one"),
    equivalent("keys-by-rank", "`shared`  ->  `own`", "every key that it gives is another one"),
    equivalent("keys-by-rank", "`own`  ->  `shared`", "every key that it gives is another one"),
]
