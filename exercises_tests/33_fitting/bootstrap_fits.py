"""bootstrap-fits."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.bans import NoLoops
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import numbers
from jaxcourse.probe import Refused


@probe.question(evidence="values")
def samples_of(student_function, x, y, seeds, draws, plainly):
    """What comes back if a fit returns the very points that it is given: for each seed, and for the first again.

    Under `jit` the answer's own state would be frozen, so that it is also asked plainly.
    """

    def fit(x, y):
        return jnp.concatenate([x, y])

    x, y = probe.on_device((x, y))
    words = [probe.on_device(np.array(seed, np.uint32)) for seed in [*seeds, seeds[0]]]
    keys = [jax.random.wrap_key_data(two) for two in words]

    def samples(x, y, key):
        return student_function(fit, x, y, key, draws)

    samples = samples if plainly else probe.in_one_program(samples)
    return [np.array(samples(x, y, key)) for key in keys]


@probe.question(evidence="values")
def threes_of(student_function, x, y, seed, draws):
    """What comes back if a fit has three numbers, fewer than there are points."""

    def fit(x, y):
        return (x * y)[:3]

    return student_function(fit, *probe.on_device((x, y)), jax.random.key(seed), draws)


def steps_for_samples(student_function, all_draws):
    """How much Python runs for several numbers of samples."""

    def fit(x, y):
        return x + y

    x, key = probe.on_device(np.arange(4.0)), jax.random.key(0)
    return probe.python_steps(lambda draws: student_function(fit, x, x, key, draws), [(n,) for n in all_draws])


class NoLoopOverSamples(NoLoops):
    """No loop over the samples: the answer takes a function, which the ban must bring along."""

    def enforce(self, answer):
        """Count Python's steps for n, 2n and 4n samples."""
        counted = answer.probe(steps_for_samples, [self.n, 2 * self.n, 4 * self.n])
        found = self._found(counted)
        if found:
            raise Refused(self.label, f"{found} {self.advice}")


def chosen_of(rows, x, y):
    """Which points each sample has, whether each `x` is one, and has its own `y`, or that of another."""
    n = len(x)
    places, partners = rows[:, :n], rows[:, n:]
    index = np.abs(places[:, :, None] - x).argmin(axis=2)
    known, paired = np.array_equal(x[index], places), np.array_equal(y[index], partners)
    return index, bool(known and np.isin(partners, y).all()), bool(known and paired)


def judge_shape(rows, draws, n):
    """Require one row for each sample, and as many points in it as there are."""
    shape = np.shape(rows)
    require(len(shape) == 2, "not-a-table", draws=draws, shape=shape)
    refuse(shape == (2 * n, draws) != (draws, 2 * n), "transposed")
    require(shape[0] == draws, "not-a-table", draws=draws, shape=shape)
    require(shape[1] == 2 * n, "sample-of-other-size", n=n, size=f"{shape[1] / 2:g}")


def judge_many_points(answer, seed):
    """Require that each of many points can be drawn: 4000 draws of 4000 points reach about 2530 of them.

    2048 different numbers would reach 1760. `jax.random.categorical` needs `n` numbers for each draw, so that more
    points would keep a right answer busy for minutes.
    """
    n, samples = 4000, 1
    x = np.arange(n, dtype=np.float32)
    rows, _ = answer.probe(samples_of, x, 10_000 + x, [seed], samples, False)
    answer.called = f"bootstrap_fits(fit, float32[{n}], float32[{n}], key, {samples})"
    judge_shape(rows, samples, n)
    reached = len(set(rows[:, :n].ravel().tolist()))
    require(reached > 2300, "far-points-never-drawn", samples=samples * n, n=n, reached=reached)


def judge_draws(index, other, n):
    """Require that samples are drawn with replacement, evenly, independently, and by the key."""
    distinct = np.array([len(set(row)) for row in index])
    refuse((distinct == n).all() and not (index == index[0]).all(), "without-replacement")
    refuse((np.sort(index) == np.sort(index[0])).all(), "same-sample-each-time")
    refuse((index == index[:, :1]).all(), "one-point-repeated")
    refuse((index == other).all(axis=1).mean() > 0.5, "key-ignored")
    refuse((index[0] == np.arange(n)).all() and (other[0] == np.arange(n)).all(), "data-as-a-sample")
    expected = n * (1 - (1 - 1 / n) ** n)
    require(abs(distinct.mean() - expected) < 0.8, "draws-depend")
    several = np.unique(index, axis=0)  # a sample that comes twice says nothing new about its points
    refuse(len(several) > 15 and foretold_within(several, n) > 3, "draws-depend/4")
    require(len(index) - len(several) <= 2, "samples-repeat")
    refuse(np.isin(words(index), words(other)).mean() > 0.1, "key-ignored/2")
    judge_evenness(index, other, n)
    counts = np.bincount(index.ravel(), minlength=n)
    scatter = [np.bincount(part.ravel(), minlength=n).var() / (part.size / n) for part in (index, other)]
    refuse(max(scatter) < 0.02, "one-deck", counts=counts.tolist())
    require(abs(distinct.mean() - expected) < 0.35, "draws-depend")
    shared = [(row[:-1] == row[1:]).mean() for row in index.T.reshape(n, -1)]
    require(max(shared) < 0.4, "draws-depend/2")
    half = len(index) // 2
    pairs = [(index[:-1], index[1:]), (index[::2], index[1::2]), (index[:half], index[-half:])]
    mirrored = max(foretold(one, other, n) for one, other in pairs)
    require(mirrored < 3, "draws-depend/3")


def judge_evenness(index, other, n):
    """Require that each point is drawn as often as others, but for chance: with two keys, so that halves show."""
    both = np.concatenate([index, other])
    counts = np.bincount(both.ravel(), minlength=n)
    refuse(counts[-1] == 0, "point-never-drawn")
    refuse(counts.min() == 0, "point-never-drawn/other", number=int(counts.argmin()))
    even = abs(counts - both.size / n).max() < 6 * math.sqrt(both.size / n)
    require(even, "uneven", counts=counts.tolist())


def foretold_within(index, n):
    """How much the points of a sample say about others of the same one."""
    pairs = [(index[:, :-1], index[:, 1:]), (index[:, : n // 2], index[:, -(n // 2) :])]
    return max(foretold(one, other, n) for one, other in pairs)


def foretold(one, other, n):
    """How much points say about their partners: chi-square per degree of freedom, about 1 if they say nothing."""
    table = np.bincount(n * one.ravel() + other.ravel(), minlength=n * n).reshape(n, n)
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    return float(((table - expected) ** 2 / np.where(expected, expected, 1)).sum()) / (n - 1) ** 2


def words(index):
    """Each sample as one number."""
    return index @ (index.shape[1] ** np.arange(index.shape[1]))


def samples_with_replacement(answer, rng):
    """Samples of whole points, drawn with replacement, from the key alone.

    A function, since what is right is a distribution, and no number.
    """
    n, draws, (first, last) = 8, 250, rng.integers(2**16, size=2).tolist()
    seed = [first, last]  # the two words of a key
    x = rng.permutation(np.arange(1, n + 1)).astype(np.float32)
    y = (100 + rng.permutation(n)).astype(np.float32)
    tables = answer.probe(samples_of, x, y, [seed, [first + 1, last], [first, last + 1]], draws, True)
    answer.called = f"bootstrap_fits(fit, x, y, key, {draws})"
    judge_shape(tables[0], draws, n)
    require(np.array_equal(tables[0], tables[-1]), "hidden-state")
    index, known, paired = chosen_of(tables[0], x, y)
    refuse(known and not paired, "pairs-torn")
    require(known and paired, "other-points")
    other, _, _ = chosen_of(tables[1], x, y)
    judge_draws(index, other, n)
    refuse(np.array_equal(tables[0], tables[2]), "key-ignored")
    refuse(np.isin(words(index), words(chosen_of(tables[2], x, y)[0])).mean() > 0.1, "key-ignored/2")
    judge_many_points(answer, seed)
    for few, m in ((1, n), (3, 1)):
        x = rng.normal(size=m).astype(np.float32)
        (rows, _) = answer.probe(samples_of, x, 3 + x, [seed], few, False)
        answer.called = f"bootstrap_fits(fit, float32[{m}], float32[{m}], key, {few})"
        judge_shape(rows, few, m)
        _, known, paired = chosen_of(rows, x, 3 + x)
        require(known and paired, "other-points")
    x = rng.normal(size=n).astype(np.float32)
    got = numbers(answer.probe(threes_of, x, 3 + x, last, draws))  # a size that is compiled already
    require(got.shape == (draws, 3), "not-a-table/2", draws=draws, shape=got.shape)


WORDS = """
hint: Which numbers must you draw, so that an `x` keeps its `y`? Try indices, from `jax.random.randint(key, x.shape,
    0, x.size)`.
hint: You need one key for each sample. `jax.random.split(key, draws)` makes them, and `jax.vmap` maps over them.
not-a-table: Your result has the shape {shape}. Return one row for each of the samples, here {draws}.
transposed: Your table has one column for each sample. Return its transpose.
sample-of-other-size: Your samples have {size} points each. Draw as many as there are, here {n}.
far-points-never-drawn: Your {samples} draws of {n} points reached {reached} of them. Do the numbers that you draw
    reach so far?
same-sample-each-time: Your samples all have the same points. Draw each anew, with its own key.
one-point-repeated: Your samples are one point each, n times. Draw n points.
key-ignored: Your samples are the same with another key. Use the key, and all of it.
data-as-a-sample: Your first sample is the data as they are. Draw every sample.
without-replacement: Your samples never have a point twice, so each is the data reordered. Draw *with* replacement.
draws-depend: Your draws of one sample depend on each other: too many or too few points occur twice. Draw each point
    by itself.
samples-repeat: Many of your samples occur more than once. Give each its own key.
key-ignored/2: Your next key gives many of the same samples, as when you add numbers to a key. `jax.random.split`
    makes keys that no other key makes.
point-never-drawn: Your samples never have the last point. The upper end of `randint` is not included.
point-never-drawn/other: Your samples never have point {number}, counted from 0, with either of two keys. Indices
    begin at 0.
uneven: Your samples prefer some points. Draw each with the same probability. They occur {counts} times.
one-deck: Your points come out as evenly as cards from one deck, with either of two keys. Draw each by itself: then
    chance makes the counts differ. They occur {counts} times.
draws-depend/2: Your samples depend on each other: one repeats part of another. Draw each with its own key.
draws-depend/3: Your samples depend on each other: one tells the points of another. Draw each with its own key.
draws-depend/4: Your draws of one sample depend on each other: one tells another. Draw each by itself.
hidden-state: Your samples were others with the same key. What else decides? Only the key may.
pairs-torn: Your samples have an `x` with the `y` of another point. Draw whole points.
other-points: Your samples have points that are not among the data. Draw indices of the data.
not-a-table/2: Your {draws} fits of three numbers came in the shape {shape}. Return one row for each fit.
"""

bootstrap_fits = declare(
    "bootstrap-fits",
    points=2,
    see="bootstrap",
    without=[NoLoopOverSamples((), of="samples", n=24, advice="`jax.vmap` fits them all at once.")],
    steps=[samples_with_replacement],
    words=WORDS,
)
