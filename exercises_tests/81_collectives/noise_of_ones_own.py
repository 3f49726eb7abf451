"""noise-of-ones-own."""

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import declare, expect, naming, refuse, require
from jaxcourse.exercise import is_close, numbers

from ._lesson import WORDS as LESSON
from ._lesson import names_another_axis, normal, require_split


def noised(student_function, placed, x, other, seeds):
    """The results for several seeds, and for another `x`, who holds what, and how many numbers a device draws."""
    function, (place_x,), _ = probe.prepared(student_function, placed, [x])
    (place_other,) = probe.prepared(student_function, placed, [other])[1]
    keys = [jax.random.key(seed) for seed in seeds]
    # With two seeds it is called twice in one program, which costs less than a second program.
    run = jax.jit(lambda key, x: [function(key, x) for _ in seeds])
    noise = run(keys[0], place_x)[0]
    if noise is None:
        return {"results": [None]}
    held = probe.pieces(noise, probe.mesh_of(placed))
    first, *others = [[np.asarray(noise) for noise in run(key, place_x)] for key in keys]
    results = [first[0], *(noises[0] for noises in others)]
    equations = insides.read(function, keys[0], place_x).everything
    drawn, mapped = sum(each.drawn for each in equations), any(each.is_mapped for each in equations)
    facts = {"results": results, "drawn": drawn, "mapped": mapped, "held": held}
    if len(seeds) == 1:
        return facts
    again = all(np.array_equal(noise, first[0]) for noise in first)
    return facts | {"again": again, "other": np.asarray(run(keys[0], place_other)[0])}


def repeats(noise):
    """How many numbers occur more than once, with either sign; chance alone makes one now and then."""
    return noise.size - len(np.unique(np.abs(noise)))


def follow_each_other(blocks):
    """Whether the numbers of two devices go up and down together, or one up where the other goes down."""
    alike = np.corrcoef(blocks) - np.eye(len(blocks))
    return bool(np.any(np.abs(alike) > 0.75))


def bent(noise):
    """Whether thousands of numbers have another mean, spread or shape than standard normal ones."""
    fourth = (noise**4).mean()
    return abs(noise.mean()) > 0.05 or abs(noise.std() - 1) > 0.035 or abs(fourth - 3) > 0.5 or abs(noise).max() < 3


def each_its_own(answer, rng):
    """Eight devices and two: are the numbers new on each device, for each key, and only for these?

    A function, since what is right is a distribution, and no number.
    """
    seed, x = int(rng.integers(10_000)), 30 * normal(rng, 512)
    for n in (8, 2):
        with naming({"no-such-axis": names_another_axis}):
            facts = answer.probe(noised, on(n), np.zeros(512, np.float32), x, [seed, seed + 1])
        for result in facts["results"]:
            shape = numbers(result).shape
            require(shape == (512,), "wrong-shape", shape=shape)
        noise, other = facts["results"]
        refuse((noise == noise[0]).all(), "no-noise", number=noise[0])
        blocks = noise.reshape(n, -1)
        refuse((blocks == blocks[0]).all(), "same-on-all-devices")
        refuse(follow_each_other(blocks), "one-draw-changed")
        refuse(repeats(noise) > 3, "repeats")
        require(facts["again"], "hidden-state")
        refuse(is_close(noise, other), "key-ignored")
        refuse(len(np.intersect1d(noise, other)) > 5, "keys-overlap")
        expect(facts["other"] - noise, x, "x-lost", rtol=1e-4)
        require(facts["mapped"], "not-mapped")
        refuse(facts["drawn"] > 512 // n, "draws-for-all", drawn=facts["drawn"], rows=512 // n)
        require_split(facts["held"][0], n)


def standard_normal(answer, rng):
    """Thousands of numbers at once: are they normal, and independent?"""
    zeros = np.zeros(2**14, np.float32)
    (many,) = answer.probe(noised, on(2), zeros, zeros, [int(rng.integers(10_000))])["results"]
    refuse(bent(many), "not-normal")
    refuse(abs(np.corrcoef(many[:-1], many[1:])[0, 1]) > 0.06, "neighbours-alike")


def on(n):
    """The placing on so many devices."""
    return probe.placing({"x": n}, ["x"], mesh="argument")


WORDS = """
hint: What is different on each device?
hint: `jax.random.fold_in(key, lax.axis_index("x"))`
wrong-shape: Your result should have the shape of `x`, (512,), not {shape}.
no-noise: Your result for `x = 0` is {number} everywhere. Add the noise to `x`.
same-on-all-devices: Your devices all have the same numbers: one key, and the same shape on each.
one-draw-changed: Your devices share one draw, turned over, stretched or shifted for each. Give each its own key.
repeats: Your noise has numbers that occur several times: one draw for several elements, or numbers of few digits.
hidden-state: Your function gave other numbers for the same key in another call. Something outside the key is
    counted or drawn.
key-ignored: Your function gave the same numbers for another key. The noise does not depend on `key`.
keys-overlap: Your noise for one key shares many numbers with that for another: the devices' keys overlap. Use
    `fold_in` or `split`.
not-normal: Your noise is not standard normal: mean 0, standard deviation 1.
neighbours-alike: Your elements follow from those beside them. Draw each by itself.
x-lost: Your result is not `x` plus noise that is the same for every `x`. Add the noise to `x`, whatever its numbers
    are.
not-mapped: Your devices have different numbers, but without a `jax.shard_map`. The task asks for one.
draws-for-all: Your program draws more than a device needs. If these are the numbers of all devices, each throws
    most away: {drawn} for {rows} elements.
"""

noise_of_ones_own = declare(
    "noise-of-ones-own",
    see="random-numbers",
    steps=[each_its_own, standard_normal],
    words=(LESSON, WORDS),
)
