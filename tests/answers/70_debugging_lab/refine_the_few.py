"""Answers to refine-the-few."""

import jax
import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


def refine_one(x):
    return jax.lax.fori_loop(0, 50, lambda _, x: 0.5 * (x + 2 / x), x)


@wrong("refine-the-few", "both-branches-run")
def maps_the_cond(guesses, done):
    def refine(x):
        return jax.lax.fori_loop(0, 50, lambda _, x: 0.5 * (x + 2 / x), x)

    def one(guess, done):
        return jax.lax.cond(done, lambda x: x, refine, guess)

    return jax.vmap(one)(guesses, done)


@wrong("refine-the-few", "both-branches-run")
def selects_afterwards(guesses, done):
    return jnp.where(done, guesses, refine_one(guesses))


@wrong("refine-the-few", "one-truth-for-all")
def asks_whether_all_are_done(guesses, done):
    return jax.lax.cond(done.all(), lambda x: x, lambda x: jnp.where(done, x, refine_one(x)), guesses)


@wrong("refine-the-few", "one-truth-for-all")
def asks_in_every_step(guesses, done):
    def step(_, x):
        return jax.lax.cond(done.all(), lambda x: x, lambda x: jnp.where(done, x, 0.5 * (x + 2 / x)), x)

    return jax.lax.fori_loop(0, 50, step, guesses)


@wrong("refine-the-few", "unrolled")
def loops_over_the_stars(guesses, done):
    pairs = zip(jnp.asarray(guesses), jnp.asarray(done), strict=True)
    return jnp.stack([jax.lax.cond(d, lambda x: x, refine_one, g) for g, d in pairs])


@wrong("refine-the-few", "turned-around")
def turns_the_truth_around(guesses, done):
    return jax.lax.map(lambda pair: jax.lax.cond(pair[1], refine_one, lambda x: x, pair[0]), (guesses, done))


@wrong("refine-the-few", "all-refined")
def refines_them_all(guesses, done):
    return refine_one(guesses)


@wrong("refine-the-few", "refined-before-the-branch")
def picks_with_a_cond(guesses, done):
    stars = done, guesses, refine_one(guesses)
    return jax.lax.map(lambda star: jax.lax.cond(star[0], lambda: star[1], lambda: star[2]), stars)


@wrong("refine-the-few", "both-branches-run")
def takes_them_in_batches(guesses, done):
    def one(pair):
        return jax.lax.cond(pair[1], lambda x: x, refine_one, pair[0])

    return jax.lax.map(one, (guesses, done), batch_size=2)


@wrong("refine-the-few", "wrong-value")
def takes_five_steps(guesses, done):
    def refine(x):
        return jax.lax.fori_loop(0, 5, lambda _, x: 0.5 * (x + 2 / x), x)

    return jax.lax.map(lambda pair: jax.lax.cond(pair[1], lambda x: x, refine, pair[0]), (guesses, done))


@wrong("refine-the-few", "wrong-value")
def takes_thirty_steps(guesses, done):
    def refine(x):
        return jax.lax.fori_loop(0, 30, lambda _, x: 0.5 * (x + 2 / x), x)

    return jax.lax.map(lambda pair: jax.lax.cond(pair[1], lambda x: x, refine, pair[0]), (guesses, done))


@wrong("refine-the-few", "wrong-value")
def knows_the_root(guesses, done):
    def root(_):
        return jnp.sqrt(2.0)

    return jax.lax.map(lambda pair: jax.lax.cond(pair[1], lambda x: x, root, pair[0]), (guesses, done))


@wrong("refine-the-few", "asks-a-tracer")
def asks_each_star(guesses, done):
    return jnp.stack([guess if d else refine_one(guess) for guess, d in zip(guesses, done, strict=True)])


@wrong("refine-the-few", "shape-depends-on-data")
def picks_with_the_mask(guesses, done):
    return jnp.asarray(guesses).at[~done].set(refine_one(guesses[~done]))


@right("refine-the-few")
def scans_the_stars(guesses, done):
    def step(_, star):
        return None, jax.lax.cond(star[1], lambda x: x, refine_one, star[0])

    return jax.lax.scan(step, None, (guesses, done))[1]


@right("refine-the-few")
@jax.jit
def switches_in_a_loop(guesses, done):
    def star(i, refined):
        return refined.at[i].set(jax.lax.switch(done[i].astype(int), [refine_one, lambda x: x], refined[i]))

    return jax.lax.fori_loop(0, guesses.size, star, jnp.asarray(guesses))


@wrong("refine-the-few", "shape-depends-on-data")
def asks_where_the_rest_is(guesses, done):
    rest = jnp.where(~done)[0]
    return guesses.at[rest].set(jax.lax.fori_loop(0, 50, lambda _, x: 0.5 * (x + 2 / x), guesses[rest]))


@wrong("refine-the-few", "both-branches-run")
def takes_no_steps_where_done(guesses, done):
    def one(star):
        guess, is_done = star
        return jax.lax.fori_loop(0, jnp.where(is_done, 0, 50), lambda _, x: 0.5 * (x + 2 / x), guess)

    return jax.lax.map(one, (guesses, done))


equivalents = [
    equivalent("refine-the-few", "`0`  ->  `-1`", "it has long converged"),
    equivalent("refine-the-few", "`0`  ->  `1`", "it has long converged"),
    equivalent("refine-the-few", "`50`  ->  `49`", "it has long converged"),
    equivalent("refine-the-few", "`50`  ->  `51`", "it has long converged"),
    equivalent("refine-the-few", "`0.5`  ->  `-0.5`", "the sign turns an even number of times"),
    equivalent("refine-the-few", "`x`  ->  `guess`", "the name outside is the same number"),
]
