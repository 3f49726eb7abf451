"""independent-pair: two samples, and a key for later."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import numbers

from ._lesson import FAULTS, correlation, is_normal, require_of_the_key
from ._lesson import WORDS as LESSON


def two_calls(function, seed, n):
    """The four samples of two calls, the second with the key that the first handed on, and the same once more."""

    def form_of(result):
        if not isinstance(result, (tuple, list)) or len(result) != 3:
            return "no three things: two samples and a key"
        if not isinstance(result[2], jax.Array) or not jnp.issubdtype(result[2].dtype, jax.dtypes.prng_key):
            return "no key in the third place"
        return f"in the third place an array of keys, {result[2].shape}, and not one" if result[2].shape else ""

    later, samples = None, []
    for call in range(4):
        result = function(later if call % 2 else jax.random.key(seed), n)
        if form := form_of(result):
            return {"form": form}
        *both, later = result
        samples += map(np.asarray, both)
    return {"form": "", "samples": samples[:4], "again": samples[4:]}


def uses_in_two_calls(function, n):
    """What two calls do with the key of the first and with the one that it hands on."""

    def called_twice(key, n):
        *both, later = function(key, n)
        return both, function(later, n)[:2]

    return probe.key_uses(called_twice, n)


def four_samples(answer, seed, n):
    """What two calls in a row draw, as one array, if their form is right and they do the same each time."""
    facts = answer.probe(two_calls, seed, n)
    answer.called = f"independent_pair(jax.random.key({seed}), {n})"
    refuse(facts["form"], "wrong-form", form=facts["form"])
    shapes = [np.shape(sample) for sample in facts["samples"]]
    require(shapes == [(n,)] * 4, "wrong-shape", n=n, came=" and ".join(map(str, shapes[:2])))
    samples = numbers(facts["samples"]).astype(float)
    require(np.array_equal(samples, numbers(facts["again"]).astype(float), equal_nan=True), "hidden-state")
    return samples


def require_keys_used_once(answer, n, seen):
    """In two calls in a row no key is used twice."""
    facts, raised = answer.attempt(uses_in_two_calls, n, expected=probe.NEEDS_A_VALUE)
    if raised:
        fault = FAULTS["drawn-twice"] if answer.probe(probe.reuses_key, n) else ""
    else:
        fault = ", ".join(FAULTS[fault] for fault in facts["faults"])
    once = not raised and not answer.probe(probe.key_uses, n)["faults"]
    refuse(fault and once, "handed-on-used", fault=fault)
    refuse(fault, "key-reused", fault=fault, seen=seen)
    refuse(raised, "leaves-jax")


def keys_used_once_for_any_length(answer, rng):
    """No key is used twice, however many numbers are drawn.

    A function, since it is about keys: `n` may be a number that is folded in, or split into.
    """
    for few in range(1, 6):
        answer.called = f"independent_pair(key, {few})"
        faults = answer.probe(uses_in_two_calls, few)["faults"]
        refuse(faults, "key-reused/2", few=few, fault=", ".join(FAULTS[fault] for fault in faults))


def without_correlation(x, y):
    """Whether two samples are orthogonal, to the last digits, as they are or without their means."""
    pairs = (x, y), (x - x.mean(), y - y.mean())
    return any(abs(a @ b) <= 1e-6 * math.sqrt((a @ a) * (b @ b)) for a, b in pairs)


def two_samples_and_a_fresh_key(answer, rng):
    """Two calls in a row give four independent samples of normal numbers.

    A function, since samples are random: they have properties, and no one result is right.
    """
    n, seed = 4000, int(rng.integers(2**16))
    got, other = (four_samples(answer, seed + more, n) for more in (0, 1))
    values = min(len(np.unique(sample)) for sample in got)
    require(values > 0.95 * n, "few-values", n=n, values=values)
    require_of_the_key(got[:2], other[:2])
    refuse(np.isin(got[2:], other[2:]).mean() > 0.1, "later-ignores-the-key")
    r, squares = (max((correlation(*pair) for pair in pairs_of(x)), key=abs) for x in (got, got**2))
    seen = f"The correlation is {r:.2f}." if abs(r) > 0.1 else "That they look unrelated is luck: nothing promises it."
    require_keys_used_once(answer, n, seen)
    shared = max(int(np.isin(*pair).sum()) for pair in pairs_of(np.abs(got)))
    seen = f"Their correlation is {r:.2f}" if abs(r) > 0.1 else f"They have {shared} of {n} numbers in common"
    seen = f"The correlation of their squares is {squares:.2f}" if abs(r) < 0.1 and shared < n / 10 else seen
    require(shared < n / 10 and max(abs(r), abs(squares)) < 0.2, "dependent", seen=seen)
    require(all(map(is_normal, got)), "wrong-value")
    follows = max(abs(correlation(sample[1:], sample[:-1])) for sample in got)
    require(follows < 0.2, "dependent/2", follows=f"{follows:.2f}")


def of_few_numbers(answer, rng):
    """Nothing is taken out of a small sample, neither its mean nor a correlation.

    A function, since samples are random: of a few numbers it shows whether something was taken out of them.
    """
    seed = int(rng.integers(2**16))
    for few in (int(rng.integers(4, 9)), 1):
        x, y, *_ = got = four_samples(answer, seed, few)
        refuse(few > 1 and without_correlation(x, y), "dependent/3", few=few)
        apart = (np.abs(got.mean(axis=1)) > 1e-5).all() and np.isfinite(got).all()
        require(apart, "standardised", few=few, means=got.mean(axis=1).round(6).tolist())


def pairs_of(samples):
    return itertools.combinations(samples, 2)


WORDS = """
hint: A key is used once: to draw, to split, or to be handed on. How many keys do you need?
hint: `jax.random.split(key, ...)` makes as many from one.
wrong-form: What comes back is {form}.
wrong-shape: Return two arrays of {n} numbers each. You returned {came}.
few-values: Of {n} numbers in a sample, only {values} are different. Normal `float32` numbers hardly ever meet: are
    some rounded, or used again?
handed-on-used: Your `later` is not fresh. If the next call gets it, {fault}: a key that was drawn from, split or
    folded is used up, and so is `key` itself.
later-ignores-the-key: Your next call draws the same numbers, whichever `key` you get. Make `later` from `key`, as
    you make the others.
key-reused: A key is used once, and here {fault}. {seen}
key-reused/2: For `n = {few}` {fault}, while for most numbers each key is used once. Give the keys numbers that do
    not depend on `n`.
leaves-jax: Your numbers leave JAX on the way, those of the key or those that you draw, so JAX cannot trace it. Draw
    with `jax.random` alone.
dependent: {seen}: if you know one of them, you know something of the other. Give each sample its own key.
wrong-value: Your numbers are not standard normal ones.
dependent/2: Within your sample, each number depends on the one before it (correlation {follows}). Leave their
    order.
dependent/3: Your two samples have no correlation at all, for `n = {few}`. A few random numbers have one: do not
    remove it.
standardised: Your means are {means}, for `n = {few}`. The mean of a sample is also random, near 0 and not 0: do not
    subtract it.
"""

independent_pair = declare(
    "independent-pair",
    see="key-reuse",
    steps=[two_samples_and_a_fresh_key, of_few_numbers, keys_used_once_for_any_length],
    words=(LESSON, WORDS),
)
