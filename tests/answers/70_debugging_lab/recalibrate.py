"""Answers to recalibrate."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("recalibrate", "stale-self")
def mutates_a_static_self(reading, gains):
    class Detector:
        @functools.partial(jax.jit, static_argnums=0)
        def correct(self, reading):
            return reading / self.gain

    detector, rows = Detector(), []
    for gain in gains:
        detector.gain = gain
        rows.append(detector.correct(reading))
    return jnp.stack(rows)


class Correcting:
    gain = 1.0

    def correct(self, reading):
        return reading / self.gain


@wrong("recalibrate", "stale-self")
def keeps_a_bound_method(reading, gains):
    detector, rows = Correcting(), []
    correct = jax.jit(detector.correct)
    for gain in gains:
        detector.gain = gain
        rows.append(correct(reading))
    return jnp.stack(rows)


@wrong("recalibrate", "one-program-per-gain")
def jits_a_bound_method_for_each(reading, gains):
    detector, rows = Correcting(), []
    for gain in gains:
        detector.gain = gain
        rows.append(jax.jit(detector.correct)(reading))
    return jnp.stack(rows)


@wrong("recalibrate", "one-program-per-gain")
def makes_a_detector_for_each(reading, gains):
    class Detector:
        @functools.partial(jax.jit, static_argnums=0)
        def correct(self, reading):
            return reading / self.gain

    rows = []
    for gain in gains:
        detector = Detector()
        detector.gain = gain
        rows.append(detector.correct(reading))
    return jnp.stack(rows)


@wrong("recalibrate", "one-program-per-gain")
def makes_the_gain_the_key(reading, gains):
    correct = jax.jit(lambda reading, gain: reading / gain, static_argnums=1)
    return jnp.stack([correct(reading, float(gain)) for gain in gains])


@wrong("recalibrate", "never-calibrated")
def calibrates_a_copy(reading, gains):
    correct = jax.jit(lambda reading, gain=1.0: reading / gain)
    return jnp.stack([correct(reading) for _ in gains])


@wrong("recalibrate", "wrong-value")
def keeps_the_type_of_the_reading(reading, gains):
    rows = np.zeros((len(gains), len(reading)), reading.dtype)
    for row, gain in enumerate(gains):
        rows[row] = reading / gain
    return jnp.asarray(rows)


@wrong("recalibrate", "wrong-value")
def guards_the_division(reading, gains):
    return reading / jnp.maximum(jnp.asarray(gains), 1e-2)[:, None]


@wrong("recalibrate", "one-row-for-equals")
def keeps_a_row_for_each_gain(reading, gains):
    correct = jax.jit(lambda reading, gain: reading / gain)
    rows = {float(gain): correct(reading, gain) for gain in gains}
    return jnp.stack(list(rows.values()))


@wrong("recalibrate", "multiplied")
def multiplies_by_the_gain(reading, gains):
    return reading * gains[:, None]


@dataclasses.dataclass(frozen=True)
class KeyedByItsGain:
    """A detector that is hashed by its gain."""

    gain: float

    @functools.partial(jax.jit, static_argnums=0)
    def correct(self, reading):
        return reading / self.gain


@wrong("recalibrate", "one-program-per-gain")
def hashes_by_the_gain(reading, gains):
    return jnp.stack([KeyedByItsGain(float(gain)).correct(reading) for gain in gains])


_corrected_by = jax.jit(lambda reading, gain: reading / gain, static_argnums=1)


@wrong("recalibrate", "one-program-per-gain")
def makes_the_gain_a_key_outside(reading, gains):
    return jnp.stack([_corrected_by(reading, float(gain)) for gain in gains])


@wrong("recalibrate", "one-program-per-gain")
def empties_all_caches(reading, gains):
    rows, gain = [], 1.0
    correct = jax.jit(lambda reading: reading / gain)
    for gain in gains:  # noqa: B007 - the lambda reads it
        jax.clear_caches()
        rows.append(correct(reading))
    return jnp.stack(rows)


@wrong("recalibrate", "one-after-the-other")
def divides_the_divided(reading, gains):
    rows = []
    for gain in gains:
        reading = reading / gain
        rows.append(reading)
    return jnp.stack(rows)


@wrong("recalibrate", "multiplied")
def takes_the_factor(reading, gains):
    return jax.vmap(lambda gain: reading * gain)(jnp.asarray(gains))


@wrong("recalibrate", "wrong-value")
def subtracts_the_gain(reading, gains):
    return reading[None] - jnp.asarray(gains)[:, None]


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Tree:
    """A detector whose gain is a leaf."""

    gain: float

    @jax.jit
    def correct(self, reading):
        return reading / self.gain


@right("recalibrate")
def makes_the_detector_a_tree(reading, gains):
    return jnp.stack([Tree(gain).correct(reading) for gain in gains])


divides_all_at_once = right("recalibrate")(
    lambda reading, gains: jnp.divide(reading[None], jnp.asarray(gains)[:, None])
)


equivalents = [
    equivalent("recalibrate", "`jax.jit`  ->  ``", "without `jit` there is no program for each gain either"),
    equivalent(
        "recalibrate",
        "`jnp.stack([correct(reading, gain) for gain in gains])`  ->  `[correct(reading, gain) for gain in gains]`",
        "rows may come in a list",
    ),
]


@wrong("recalibrate", "one-program-per-gain")
def forgets_all_programs(reading, gains):
    class Detector:
        @functools.partial(jax.jit, static_argnums=0)
        def correct(self, reading):
            return reading / self.gain

    detector, rows = Detector(), []
    for detector.gain in gains:
        jax.clear_caches()
        rows.append(detector.correct(reading))
    return jnp.stack(rows)
