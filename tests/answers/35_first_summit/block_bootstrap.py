"""Answers to block-bootstrap."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import right, wrong


def refits(fit, curve, residuals, key, draws, choose):
    """Fits of records whose residuals' places are chosen by a rule, from a key."""

    def one(key):
        return fit(curve + residuals[choose(key)])

    return jax.vmap(one)(jax.random.split(key, draws))


def blocks_at(starts, length, n):
    """The places of blocks, laid end to end."""
    return (starts[:, None] + jnp.arange(length)).ravel()[:n]


@right("block-bootstrap")
def by_slices(fit, curve, residuals, length, key, draws):
    n = residuals.size
    blocks = (n + length - 1) // length

    def block(start):
        return jax.lax.dynamic_slice(residuals, (start,), (length,))

    def one(key):
        starts = jax.random.randint(key, (blocks,), 0, n - length + 1)
        return fit(curve + jax.vmap(block)(starts).reshape(-1)[:n])

    return jax.lax.map(one, jax.random.split(key, draws))


@right("block-bootstrap")
def all_starts_at_once(fit, curve, residuals, length, key, draws):
    n = curve.shape[0]
    windows = jnp.stack([residuals[i : i + length] for i in range(n - length + 1)])
    chosen = jax.random.choice(key, len(windows), (draws, int(np.ceil(n / length))))
    records = windows[chosen].reshape(draws, -1)[:, :n]
    return jax.vmap(lambda r: fit(curve + r))(records)


@right("block-bootstrap")
def in_a_loop(fit, curve, residuals, length, key, draws):
    n, fits = len(residuals), []
    for i in range(draws):
        starts = jax.random.randint(jax.random.fold_in(key, i), (n // length + 1,), 0, n - length + 1)
        fits.append(fit(curve + residuals[blocks_at(starts, length, n)]))
    return jnp.stack(fits)


@wrong("block-bootstrap", "single-weeks")
def one_by_one(fit, curve, residuals, length, key, draws):
    n = residuals.size
    return refits(fit, curve, residuals, key, draws, lambda key: jax.random.randint(key, (n,), 0, n))


@wrong("block-bootstrap", "wraps")
def goes_on_at_the_beginning(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        return blocks_at(jax.random.randint(key, (-(-n // length),), 0, n), length, n) % n

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "stuck-at-the-end")
def index_beyond_the_end(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        return blocks_at(jax.random.randint(key, (-(-n // length),), 0, n), length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "last-block-too-often")
def slices_that_are_moved(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def one(key):
        starts = jax.random.randint(key, (-(-n // length),), 0, n)
        blocks = jax.vmap(lambda s: jax.lax.dynamic_slice(residuals, (s,), (length,)))(starts)
        return fit(curve + blocks.ravel()[:n])

    return jax.vmap(one)(jax.random.split(key, draws))


@wrong("block-bootstrap", "last-block-never-drawn")
def upper_end_left_out(fit, curve, residuals, length, key, draws):
    n = residuals.size
    last = max(n - length, 1)

    def choose(key):
        return blocks_at(jax.random.randint(key, (-(-n // length),), 0, last), length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "block-never-drawn")
def first_block_left_out(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        return blocks_at(jax.random.randint(key, (-(-n // length),), 1, n - length + 1), length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "fixed-blocks")
def cut_beforehand(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        return blocks_at(length * jax.random.randint(key, (-(-n // length),), 0, n // length), length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "record-of-other-length")
def not_cut(fit, curve, residuals, length, key, draws):
    n = residuals.size
    blocks = -(-n // length)
    longer = jnp.resize(curve, blocks * length)

    def one(key):
        starts = jax.random.randint(key, (blocks,), 0, n - length + 1)
        return fit(longer + residuals[(starts[:, None] + jnp.arange(length)).ravel()])

    return jax.vmap(one)(jax.random.split(key, draws))


@wrong("block-bootstrap", "record-of-other-length")
def rounded_down(fit, curve, residuals, length, key, draws):
    n = residuals.size // length * length

    def choose(key):
        return blocks_at(jax.random.randint(key, (n // length,), 0, residuals.size - length + 1), length, n)

    return refits(fit, curve[:n], residuals, key, draws, choose)


@wrong("block-bootstrap", "other-length")
def one_week_too_long(fit, curve, residuals, length, key, draws):
    n = residuals.size
    length = min(length + 1, n)

    def choose(key):
        return blocks_at(jax.random.randint(key, (-(-n // length),), 0, n - length + 1), length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "wraps")
def the_record_is_turned(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        return (jax.random.randint(key, (), 0, n) + jnp.arange(n)) % n

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "blocks-backwards")
def from_its_end(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        ends = jax.random.randint(key, (-(-n // length),), length - 1, n)
        return (ends[:, None] - jnp.arange(length)).ravel()[:n]

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "curve-left-out")
def residuals_alone(fit, curve, residuals, length, key, draws):
    return by_slices.answer(fit, 0 * curve, residuals, length, key, draws)


@wrong("block-bootstrap", "curve-moved")
def values_in_blocks(fit, curve, residuals, length, key, draws):
    return by_slices.answer(fit, 0 * curve, curve + residuals, length, key, draws)


@wrong("block-bootstrap", "residuals-subtracted")
def curve_less_residuals(fit, curve, residuals, length, key, draws):
    return by_slices.answer(lambda y: fit(2 * curve - y), curve, residuals, length, key, draws)


@wrong("block-bootstrap", "residuals-centred")
def less_their_mean(fit, curve, residuals, length, key, draws):
    return by_slices.answer(fit, curve, residuals - jnp.nanmean(residuals), length, key, draws)


@wrong("block-bootstrap", "gap-filled")
def zeros_for_gaps(fit, curve, residuals, length, key, draws):
    return by_slices.answer(fit, curve, jnp.nan_to_num(residuals), length, key, draws)


@wrong("block-bootstrap", "gap-stays")
def gaps_where_they_were(fit, curve, residuals, length, key, draws):
    def with_gaps(y):
        return fit(jnp.where(jnp.isnan(residuals), jnp.nan, y))

    return by_slices.answer(with_gaps, curve, jnp.nan_to_num(residuals), length, key, draws)


@wrong("block-bootstrap", "other-values")
def scaled_up(fit, curve, residuals, length, key, draws):
    return by_slices.answer(fit, curve, 1.1 * residuals, length, key, draws)


@wrong("block-bootstrap", "key-ignored")
def a_key_of_its_own(fit, curve, residuals, length, key, draws):
    return by_slices.answer(fit, curve, residuals, length, jax.random.key(0), draws)


@wrong("block-bootstrap", "same-record-each-time")
def one_key_for_all(fit, curve, residuals, length, key, draws):
    row = by_slices.answer(fit, curve, residuals, length, key, 1)
    return jnp.repeat(row, draws, axis=0)


@wrong("block-bootstrap", "one-block-repeated")
def the_same_block_again(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        start = jax.random.randint(key, (1,), 0, n - length + 1)
        return blocks_at(jnp.repeat(start, -(-n // length)), length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "without-replacement")
def each_block_once(fit, curve, residuals, length, key, draws):
    n = residuals.size
    blocks = -(-n // length)

    def choose(key):
        starts = jnp.resize(jax.random.permutation(key, n - length + 1), (blocks,))
        return blocks_at(starts, length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "uneven")
def early_blocks_more_often(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        places = jax.random.uniform(key, (-(-n // length),)) ** 2 * (n - length + 1)
        return blocks_at(places.astype(int), length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "blocks-depend")
def each_block_twice(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        starts = jax.random.randint(key, (-(-n // length),), 0, n - length + 1)
        return blocks_at(jnp.repeat(starts, 2)[: starts.size], length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "hidden-state")
def by_numpys_own_state(fit, curve, residuals, length, key, draws):
    n, rng = residuals.size, np.random.default_rng()
    starts = rng.integers(0, n - length + 1, (draws, -(-n // length), 1))
    chosen = (starts + np.arange(length)).reshape(draws, -1)[:, :n]
    return jax.vmap(fit)(curve + residuals[chosen])


@wrong("block-bootstrap", "transposed")
def records_as_columns(fit, curve, residuals, length, key, draws):
    return by_slices.answer(fit, curve, residuals, length, key, draws).T


@wrong("block-bootstrap", "not-a-table")
def their_scatter(fit, curve, residuals, length, key, draws):
    return by_slices.answer(fit, curve, residuals, length, key, draws).std(axis=0)


@wrong("block-bootstrap", "not-a-table")
def never_fitted(fit, curve, residuals, length, key, draws):
    return by_slices.answer(lambda y: y, curve, residuals, length, key, draws)


@wrong("block-bootstrap", "blocks-depend")
def in_order(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        return blocks_at(jnp.sort(jax.random.randint(key, (-(-n // length),), 0, n - length + 1)), length, n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "blocks-depend")
def filled_up_with_the_first(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        return jnp.resize(blocks_at(jax.random.randint(key, (n // length,), 0, n - length + 1), length, n), n)

    return refits(fit, curve, residuals, key, draws, choose)


@wrong("block-bootstrap", "uneven")
def rounded(fit, curve, residuals, length, key, draws):
    n = residuals.size

    def choose(key):
        return blocks_at(jnp.round(jax.random.uniform(key, (-(-n // length),)) * (n - length)).astype(int), length, n)

    return refits(fit, curve, residuals, key, draws, choose)
