"""fresh-masks."""

import jax
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare, refuse, require
from jaxcourse.exercise import is_close, numbers


@probe.question(evidence="values")
def mask_facts(student_function, words, x, steps):
    """The array, for the key of two words."""
    return student_function(jax.random.wrap_key_data(probe.on_device(np.array(words, np.uint32))), x, steps)


@probe.question(evidence="values")
def masks_in_one_program(student_function, calls, steps):
    """The arrays for several keys and inputs of one shape; a scan would be compiled at each call."""
    calls = [(jax.random.wrap_key_data(probe.on_device(np.array(words, np.uint32))), x) for words, x in calls]
    masks = probe.in_one_program(lambda key, x: student_function(key, x, steps))
    return [masks(key, x) for key, x in calls]


def _judge_values(got, x):
    kept = got != 0
    wide = np.broadcast_to(np.asarray(x, np.float64), got.shape)
    whole = wide != 0
    refuse((kept & whole).any() and is_close(got[kept], wide[kept], rtol=1e-5), "not-scaled")
    require(is_close(np.where(kept, got * 0.8, 0), np.where(kept, wide, 0), rtol=1e-5), "wrong-value")
    return kept


def _judge_masks(grids):
    masks, share = grids.reshape(len(grids), -1), grids.mean()
    refuse(share < 1 and (masks == masks[:1]).all(), "same-in-every-step")
    refuse(set(masks.mean(axis=1)) <= {0.0, 1.0}, "all-or-nothing")
    require(max(grids.mean(axis=axis).std() for axis in (1, 2)) < 0.25, "dropped-together")
    require(max(map(alike, *_pairs(masks))) < 0.5, "related-masks")
    refuse(share < 0.35, "turned")
    require(0.75 < share < 0.85, "other-share", share=f"{1 - share:.0%}")
    refuse(len(set(masks.sum(axis=1).tolist())) == 1, "exact-share")


def _pairs(masks):
    places = [(i, j) for i in range(len(masks)) for j in range(i)]
    return [masks[i] for i, _ in places], [masks[j] for _, j in places]


def alike(one, other):
    """The largest correlation of two masks, however one is moved along the other."""
    a, b = (np.fft.rfft(mask - mask.mean()) for mask in (one, other))
    return np.abs(np.fft.irfft(a * b.conj(), len(one))).max() / (len(one) * one.std() * other.std())


def masks_by_chance(answer, rng):
    """Masks that differ in each step and follow the key alone.

    A function, since what is right is a distribution, and no number.
    """

    def shaped(got, x, steps):
        answer.called = f"fresh_masks(key, float32{list(x.shape)}, {steps})"
        got, want = numbers(got), (steps, *x.shape)
        require(got.shape == want, "wrong-shape", want=want, shape=got.shape)
        return got.astype(np.float64)

    words = rng.integers(10_000, size=2)
    steps, shape = 12, (20, 20)  # a third axis would take three times as long to compile
    x = (rng.choice([-1, 1], shape) * rng.uniform(0.5, 2, shape)).astype(np.float32)
    calls = [(words + more, x) for more in ([0, 0], [1, 0], [0, 1], [0, 2], [3, 0])]
    calls += [(words, x * np.float32(scale)) for scale in (5e29, 1e-30)]
    together = answer.probe(masks_in_one_program, calls, steps)
    masks, *others = (_judge_values(shaped(got, x, steps), x) for got, (_, x) in zip(together, calls, strict=True))
    _judge_masks(masks)
    uses = answer.probe(probe.key_uses, x, steps)
    answer.called = f"fresh_masks(key, float32{list(shape)}, {steps})"
    require(uses["draws"], "no-key")
    refuse(uses["faults"], "key-reused")
    seen = []
    for count in (1, 30, 30):  # twice the same key, with other numbers: what is remembered by shape would pass
        one = np.asarray(rng.uniform(0.5, 1), np.float32)
        seen.append(_judge_values(shaped(answer.probe(mask_facts, words, one, count), one, count), one))
    require(np.array_equal(*seen[1:]), "not-repeatable")
    _judge_keys(masks, others[:4])


def _judge_keys(masks, others):
    refuse(any(np.array_equal(other, masks) for other in others), "key-ignored")
    drawn = [mask.tobytes() for grid in (masks, *others) for mask in grid]
    require(len(set(drawn)) == len(drawn), "keys-overlap")
    refuse({int(other.sum()) for other in others} == {int(masks.sum())}, "exact-share/2")
    share = np.mean([masks, *others])
    require(abs(share - 0.8) < 0.025, "other-share", share=f"{1 - share:.1%}")


WORDS = """
hint: Which key does the second step draw from?
hint: `jax.random.fold_in(key, step)` is another key for each step.
not-scaled: You left what is kept unchanged. Divide it by 0.8, so that the mean stays the same.
wrong-value: What is kept should be divided by 0.8, what is dropped should be 0.
same-in-every-step: You drop the same numbers in every step, because one key, or one draw, serves them all.
all-or-nothing: All numbers of a step are dropped, or none.
dropped-together: You dropped whole rows or columns together. Each number should have a draw of its own.
related-masks: The masks of two of your steps are the same, or one is the other, shifted. Draw each independently.
turned: You dropped about four fifths. `bernoulli(key, p)` is true with probability `p`.
other-share: {share} of the numbers were dropped, not a fifth.
exact-share: You drop exactly the same number of elements in each step. Draw for each element independently.
wrong-shape: The shape should be {want}, not {shape}.
no-key: You draw nothing with a JAX key, so the same key would not give the same masks again.
key-reused: You use one key twice, so what comes from it is not independent. Split it, or fold the step in.
not-repeatable: The same key gave you other masks the second time. Your result may depend on nothing but the arguments.
key-ignored: Another key gave you the same masks. You don't use the key, or only a part of it.
keys-overlap: Another key gave you some of the same masks. Its steps are those of this key, moved along.
exact-share/2: You drop exactly the same number of elements in all steps together, whatever the key. Draw for each
    element independently.
"""

fresh_masks = declare(
    "fresh-masks",
    see="wrong-nets",
    steps=[masks_by_chance],
    words=WORDS,
)
