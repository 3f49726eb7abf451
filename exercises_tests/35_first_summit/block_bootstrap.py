"""block-bootstrap."""

import itertools

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import numbers

STEP = 1000
"""How far the curve rises from one place to the next: more than any residual."""


@probe.question(evidence="values")
def records_of(student_function, curve, residuals, length, seeds, draws):
    """The records themselves, for each seed: the fit returns what it is given."""
    curve, residuals = probe.on_device((curve, residuals))
    keys = [jax.random.wrap_key_data(probe.on_device(np.array(seed, np.uint32))) for seed in seeds]
    return [np.array(student_function(lambda y: y, curve, residuals, length, key, draws)) for key in keys]


@probe.question(evidence="values")
def threes_of(student_function, curve, residuals, length, seed, draws):
    """What comes back if a fit has three numbers."""
    curve, residuals = probe.on_device((curve, residuals))
    return student_function(lambda y: y[:3] * 2, curve, residuals, length, jax.random.key(seed), draws)


def judge_shape(rows, draws, n):
    """Require one row for each record, with as many values as there are."""
    shape = np.shape(rows)
    require(len(shape) == 2, "not-a-table", draws=draws, shape=shape)
    refuse(shape == (n, draws) != (draws, n), "transposed")
    require(shape[0] == draws, "not-a-table", draws=draws, shape=shape)
    require(shape[1] == n, "record-of-other-length", n=n, size=shape[1])


def places_in(rows, curve, residuals):
    """At which place each residual of each record was, -1 where it is none of them."""
    off = rows - curve
    same = (off[..., None] == residuals) | (np.isnan(off)[..., None] & np.isnan(residuals))
    return np.where(same.any(-1), same.argmax(-1), -1)


def judge_values(rows, curve, residuals):
    """Require that each value is the curve's at its place, plus a residual; and return the residuals' places."""
    places = places_in(rows, curve, residuals)
    if (places < 0).any():
        refuse((places_in(rows, 0 * curve, residuals) >= 0).all(), "curve-left-out")
        refuse(np.isin(rows, curve + residuals).all(), "curve-moved")
        less = places_in(2 * curve - rows, curve, residuals)
        refuse((less >= 0).all(), "residuals-subtracted")
        raise_other_values(rows, curve, residuals)
    return places


def raise_other_values(rows, curve, residuals):
    """Say which stranger is among the values."""
    off = rows - curve
    strange = off[~np.isin(off, residuals) & ~np.isnan(off)]
    refuse(np.isnan(residuals).any() and (strange == 0).all(), "gap-filled")
    centred = (off[..., None] == np.float32(residuals - np.nanmean(residuals))).any(-1)
    refuse(centred.all(), "residuals-centred")
    require(False, "other-values")


def judge_blocks(places, length, n):
    """Require whole blocks of neighbours, laid end to end, none of which runs over an end."""
    step = np.diff(places, axis=1)
    within = np.arange(1, n) % length != 0  # steps that are within a block
    if (step[:, within] == 1).all():
        met = (step[:, ~within] == 1).mean()
        refuse(met > 0.6, "other-length", length=length)
        return
    turned = (step[:, within] + n) % n == 1
    refuse(turned.all(), "wraps", n=n)
    stopped = (step[:, within] == 1) | ((step[:, within] == 0) & (places[:, 1:][:, within] == n - 1))
    refuse(stopped.all(), "stuck-at-the-end")
    refuse((step[:, within] == -1).all(), "blocks-backwards")
    share = (step == 1).mean()
    refuse(share < 0.3, "single-weeks", length=length)
    require(False, "other-length", length=length)


def judge_starts(places, other, length, n):
    """Require that each block is equally likely, drawn with replacement, and independently."""
    one, two = (part[:, ::length] for part in (places, other))  # the last block of a record may be cut
    count = one.shape[1]
    refuse((one == one[0]).all() and (one == two).all(), "key-ignored")
    refuse((one == one[0]).all(), "same-record-each-time")
    refuse((one == one[:, :1]).all(), "one-block-repeated")
    starts = np.concatenate([one.ravel(), two.ravel()])
    refuse((starts % length == 0).all(), "fixed-blocks", length=length)
    times = np.bincount(starts, minlength=n - length + 1)
    expected = starts.size / (n - length + 1)
    refuse(times[-1] == 0, "last-block-never-drawn", start=n - length)
    refuse(times.min() == 0, "block-never-drawn", start=int(times.argmin()))
    refuse(times[-1] > 2 * expected, "last-block-too-often", times=times.tolist())
    require(abs(times - expected).max() < 5 * np.sqrt(expected), "uneven", times=times.tolist())
    refuse(all(len(set(row)) == count for row in np.concatenate([one, two])), "without-replacement")
    for i, j in itertools.combinations(range(count), 2):
        require((one[:, i] == one[:, j]).mean() < 0.4, "blocks-depend")
    ordered = [(way * np.diff(one) >= 0).all(axis=1).mean() for way in (1, -1)]
    require(max(ordered) < 0.5, "blocks-depend")
    refuse((one == two).all(axis=1).mean() > 0.3, "key-ignored")
    alike = max((one[1:] == one[:-1]).mean(), (one[1:, 1:] == one[:-1, :-1]).mean())
    require(alike < 0.4, "blocks-depend")


def judge_ends(answer, rng, seed):
    """Require that gaps move, and that blocks as short as a week and as long as the record are drawn."""
    n, draws = 11, 40
    curve = STEP * np.arange(1, n + 1, dtype=np.float32)
    for length in (1, n):
        residuals = rng.permutation(np.arange(1, n + 1)).astype(np.float32)
        (rows,) = answer.probe(records_of, curve, residuals, length, [seed], draws)
        answer.called = f"block_bootstrap(fit, curve, residuals, {length}, key, {draws}), with {n} residuals"
        judge_shape(rows, draws, n)
        places = judge_values(rows, curve, residuals)
        require(length == 1 or (places == np.arange(n)).all(), "other-length", length=length)
        refuse(length == 1 and (np.diff(places, axis=1) == 1).mean() > 0.5, "other-length", length=length)
    residuals[4] = np.nan
    (rows,) = answer.probe(records_of, curve, residuals, 3, [seed], draws)
    answer.called = "block_bootstrap(fit, curve, residuals with one gap, 3, key, 40)"
    judge_shape(rows, draws, n)
    refuse((np.isnan(rows) == np.isnan(residuals)).all(), "gap-stays")
    places = judge_values(rows, curve, residuals)
    judge_blocks(places, 3, n)
    got = numbers(answer.probe(threes_of, curve, residuals, 3, 1, 5))
    answer.called = "block_bootstrap(a fit of three numbers, curve, residuals, 3, key, 5)"
    require(got.shape == (5, 3), "not-a-table/fit", shape=got.shape)


def records_of_blocks(answer, rng):
    """Records made of whole blocks, drawn evenly and from the key alone, on the curve as it is.

    A function, since what is right is a distribution, and no number.
    """
    n, length, draws = 11, 3, 400
    first, last = rng.integers(2**16, size=2).tolist()
    curve = STEP * rng.permutation(np.arange(1, n + 1)).astype(np.float32)
    residuals = rng.permutation(np.arange(1, n + 1)).astype(np.float32)
    seeds = [[first, last], [first + 1, last], [first, last]]
    tables = answer.probe(records_of, curve, residuals, length, seeds, draws)
    answer.called = f"block_bootstrap(fit, curve, residuals, {length}, key, {draws}), with {n} residuals"
    judge_shape(tables[0], draws, n)
    require(np.array_equal(tables[0], tables[2]), "hidden-state")
    places, other = (judge_values(rows, curve, residuals) for rows in tables[:2])
    judge_blocks(places, length, n)
    judge_starts(places, other, length, n)
    judge_ends(answer, rng, seeds[0])


WORDS = """
hint: A block is known by where it begins. Where may the last one begin, if it may not run over the end?
hint: How many blocks fill `n` places? Round up: `-(-n // length)`. Then cut what is too much with `[:n]`.
hint: `chosen = (starts[:, None] + jnp.arange(length)).ravel()[:n]`, with a key of its own for each record.
not-a-table: {draws} records should give {draws} rows, but your result has the shape {shape}.
not-a-table/fit: Five fits of three numbers should have the shape (5, 3), and yours has {shape}. Is `fit` called for
    each record?
transposed: Your table has one column for each record. Give each record a row.
record-of-other-length: Your records have {size} values, and the curve has {n}. Draw enough blocks to fill it, and cut
    off what is too much.
curve-left-out: You fitted the residuals alone. Add them to the curve.
curve-moved: Your blocks carry their piece of the curve along, so the trend is shuffled. Only residuals move, and the
    curve stays.
residuals-subtracted: You subtracted the residuals from the curve. A residual is value less curve, so add it.
gap-filled: You filled a gap with 0. A gap stays NaN, and `fit` knows what to do.
residuals-centred: You subtracted the mean of the residuals. Draw them as they are.
gap-stays: Your gaps stay where they were. Draw the residuals with their gaps, so that each gap moves with its block.
other-values: Your records have values that aren't the curve plus one of the residuals.
single-weeks: You draw single weeks, which forget their neighbours. Draw starts, and take {length} neighbours from each.
wraps: Your blocks run over the end and go on at the beginning, but the last of {n} places isn't the neighbour of the
    first. No block may begin later than n - length.
stuck-at-the-end: Your blocks that run over the end repeat the last residual, because JAX clamps an index that is too
    large. No block may begin later than n - length.
blocks-backwards: Your blocks run backwards in time.
other-length: Your blocks don't have {length} neighbours each, laid end to end from the first place on.
key-ignored: Another key gives you the same records. Draw with the key that you're given.
same-record-each-time: All of your records have the same blocks. Give each a key of its own.
one-block-repeated: Each of your records repeats one block. Draw a start for each block.
fixed-blocks: Your blocks begin at multiples of {length} alone. Each block that lies within the residuals should be
    possible.
last-block-never-drawn: The last block begins at place {start}, and you never draw it. `randint` leaves its upper end
    out.
block-never-drawn: You never draw the block that begins at place {start}.
last-block-too-often: Your last block comes too often, and the starts occur {times} times. Does `dynamic_slice` move
    starts that are too large? Draw none of them.
uneven: Each block should be as likely as any other. The starts occur {times} times.
without-replacement: No block occurs twice in any of your records. Draw each block independently, with replacement.
blocks-depend: Your blocks depend on each other. One tells the next, or one record the next.
hidden-state: The same key gave you other records. Something other than the key decides.
"""

block_bootstrap = declare(
    "block-bootstrap",
    points=2,
    see="residuals-remember",
    steps=[records_of_blocks],
    words=WORDS,
)
