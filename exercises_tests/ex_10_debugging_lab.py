"""Checks of lesson 10, the debugging lab: each first wrong answer is the broken program as a student finds it."""

import dataclasses
import functools
import itertools
from statistics import NormalDist

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.exercise import close, equivalent, exercise, expect, is_numeric, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Slip, sweep
from jaxcourse.probe import NEEDS_A_SHAPE, NEEDS_A_VALUE, AnswerRaised


def raised_by(answer, question, *args):
    """The result of a question and no exception; or nothing, and the exception as data."""
    try:
        return answer.probe(question, *args), None
    except AnswerRaised as error:
        return None, error.raised


# -- clip-by-length ---------------------------------------------------------------------------------------------


def shortened(gradient, limit):
    """The oracle, in `float64`."""
    length = np.sqrt(np.sum(gradient.astype(np.float64) ** 2))
    return gradient * (min(length, limit) / length)


def draw_gradient(rng, shape):
    gradient = inputs.array(rng, shape, "float32")
    gradient.flat[0] += 4  # not all zeros
    gradient *= np.float32(10.0 ** rng.choice([-12, -9, -7, -4, 0, 3, 8]))
    length = np.linalg.norm(gradient)
    return gradient, np.float32(length * rng.choice([0.3, 0.6, 1.5, 3.0]))


def by_its_rows(gradient, limit):
    return gradient * np.minimum(1, limit / np.sqrt(np.sum(gradient**2, axis=-1, keepdims=True)))


@exercise(
    "clip-by-length",
    see="lab-loud",
    hint=["Which factor shortens a long gradient, and leaves a short one alone?", "`jnp.minimum(1, limit / length)`"],
)
def clip_by_length(answer, rng):
    _, raised = answer.attempt(probe.under_jit, *draw_gradient(rng, 6), expected=NEEDS_A_VALUE)
    message = "`length` is a tracer. Python asks it whether it is larger, and it has no number to compare."
    refuse(raised, "asks-a-tracer", f"{message} It raises `{raised}`.", see="tracer-errors")
    asked = itertools.product((probe.under_jit, probe.on_jax_arrays), (6, 3))  # compiled, 0 * inf may become a choice
    zeros = [numbers(answer.probe(how, np.zeros(shape, np.float32), np.float32(2))) for how, shape in asked]
    sweep(
        lambda *args: answer.probe(probe.under_jit, *args),
        shortened,
        draw_gradient,
        rng,
        shapes=[1, 6, (3, 3), (2, 3, 2)],
        each=8,
        slips=[
            Slip(
                "turns-the-gradient",
                lambda gradient, limit: np.clip(gradient, -limit, limit),
                "Each element is clipped by itself, which turns the gradient into another direction.",
            ),
            Slip(
                "lengthens",
                lambda gradient, limit: gradient * (limit / np.linalg.norm(gradient)),
                "A gradient that is short enough should come back as it was: yours gets the length `limit` always.",
            ),
            Slip(
                "lengthens",
                lambda gradient, limit: gradient * max(1, limit / np.linalg.norm(gradient)),
                "The wrong way round: what is short is lengthened, and what is long stays. Take the smaller factor.",
            ),
            Slip(
                "unit-length",
                lambda gradient, limit: (
                    gradient / (np.linalg.norm(gradient) if np.linalg.norm(gradient) > 1.001 * limit else 1)
                ),
                "What is too long gets the length 1, and not `limit`.",
            ),
            Slip(
                "length-of-each-row",
                by_its_rows,
                "Each row has a length of its own here. One length is wanted, of all elements together.",
            ),
            Slip(
                "another-length",
                lambda gradient, limit: gradient * min(1, limit / np.sum(gradient**2)),
                "The sum of the squares is the length squared: the root is missing.",
            ),
            Slip(
                "another-length",
                lambda gradient, limit: gradient * min(1, limit / np.abs(gradient).max()),
                "That compares the largest element with the limit, and not the length.",
            ),
            Slip(
                "another-length",
                lambda gradient, limit: gradient * min(1, limit / np.abs(gradient).sum()),
                "That is the sum of the magnitudes, and not the length: the root of the sum of squares.",
            ),
        ],
        message="A gradient that is too long should get the length `limit`, and any other come back as it was.",
    )
    message = "Right under `jit`, and something else without."
    plain = functools.partial(answer.probe, probe.on_jax_arrays)
    gradient, limit = draw_gradient(rng, 6)
    sweep(
        plain,
        shortened,
        draw_gradient,
        rng,
        shapes=[6],
        extremes=[(gradient, limit), (-gradient, limit)],
        message=message,
    )
    message = "A gradient of zeros becomes NaN: 0/0. It should stay zero."
    refuse(all(np.isnan(zero).any() for zero in zeros), "zero-over-zero", message)
    for zero in zeros:
        expect(zero, np.zeros(zero.shape), "A gradient of zeros should stay zero.")


@wrong("clip-by-length", "asks-a-tracer")
def clips_with_an_if(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    if length > limit:
        return gradient * (limit / length)
    return gradient


@wrong("clip-by-length", "asks-a-tracer")
def compares_in_numpy(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return gradient * np.where(length > limit, limit / length, 1.0)


@wrong("clip-by-length", "turns-the-gradient")
def clips_each_element(gradient, limit):
    return jnp.clip(gradient, -limit, limit)


@wrong("clip-by-length", "lengthens")
def scales_always(gradient, limit):
    return gradient * (limit / jnp.sqrt(jnp.sum(gradient**2)))


@wrong("clip-by-length", "zero-over-zero")
def divides_by_the_length_first(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return gradient / length * jnp.minimum(length, limit)


@wrong("clip-by-length", "another-length")
def compares_the_square(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / jnp.sum(gradient**2))


@wrong("clip-by-length", "another-length")
def takes_the_largest_element(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / jnp.max(jnp.abs(gradient)))


@wrong("clip-by-length", "another-length")
def adds_up_the_magnitudes(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / jnp.sum(jnp.abs(gradient)))


@wrong("clip-by-length", "length-of-each-row")
def measures_each_row(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2, axis=-1, keepdims=True))
    return gradient * jnp.minimum(1.0, limit / length)


@wrong("clip-by-length", "wrong-value")
def takes_the_spectral_norm(gradient, limit):
    length = jnp.linalg.norm(gradient.reshape(len(gradient), -1), ord=2)
    return jnp.where(length > limit, gradient * (limit / length), gradient)


@wrong("clip-by-length", "wrong-value")
def adds_an_epsilon(gradient, limit):
    return gradient * jnp.minimum(1.0, limit / (jnp.linalg.norm(gradient) + 1e-8))


@wrong("clip-by-length", "wrong-value")
def takes_the_norm_of_a_matrix(gradient, limit):
    axes = (0, 1) if gradient.ndim > 1 else 0
    length = jnp.linalg.norm(gradient, axis=axes)
    return gradient * jnp.minimum(1.0, limit / length)


@wrong("clip-by-length", "lengthens")
def takes_the_larger_factor(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return jnp.where(length > 0, gradient * jnp.maximum(1.0, limit / length), gradient)


@wrong("clip-by-length", "unit-length")
def makes_a_unit_vector(gradient, limit):
    length = jnp.sqrt(jnp.sum(gradient**2))
    return jnp.where(length > limit, gradient / length, gradient)


@right("clip-by-length")
@jax.jit
def clips_by_a_cond(gradient, limit):
    length = jnp.linalg.norm(gradient)
    return jax.lax.cond(length > limit, lambda g: g * (limit / length), lambda g: 1.0 * g, gradient)


@right("clip-by-length")
def divides_by_the_larger(gradient, limit):
    return gradient * (limit / jnp.maximum(jnp.sqrt(jnp.vdot(gradient, gradient)), limit))


# -- air-mass ---------------------------------------------------------------------------------------------------


def kasten_young(zenith):
    """The oracle, in NumPy: https://doi.org/10.1364/AO.28.004735"""
    height = 90 - np.asarray(zenith, np.float64)
    return 1 / (np.sin(np.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364)


def corrected(zenith, sine):
    """The formula with another sine than the right one."""
    return 1 / (sine + 0.50572 * (96.07995 - np.asarray(zenith, np.float64)) ** -1.6364)


def draw_zenith(rng, shape):
    zenith = inputs.array(rng, shape, str(rng.choice(["float32", "float32", "int32"])), low=0, high=90)
    return (inputs.meeting(rng, zenith, 90) if rng.random() < 0.5 else zenith,)


@exercise(
    "air-mass",
    see="lab-loud",
    hint="The error names the line. Which library is asked for a function of a tracer there?",
)
def air_mass(answer, rng):
    zenith = rng.uniform(5, 80, size=6).astype(np.float32)
    _, raised = answer.attempt(probe.under_jit, zenith, expected=[*NEEDS_A_VALUE, "TypeError"])
    message = "NumPy, or Python, needs the numbers of `zenith`, and a tracer has none. Every step has to be `jnp`."
    refuse(raised, "needs-the-numbers", f"{message} It raises `{raised}`.", see="tracer-errors")
    counts = answer.probe(probe.primitives, zenith)
    message = "You call back from the compiled program into Python: no gradient, no GPU, and a wait at each call."
    refuse(any("callback" in name for name in counts), "calls-back", message)
    angles = rng.uniform(5, 80, size=20).astype(np.float32)
    got, degrees = answer.probe(probe.under_jit, angles), corrected(angles, np.sin(90 - np.asarray(angles, np.float64)))
    steady = np.abs(degrees) < 3  # elsewhere the denominator is nearly zero, and rounding decides
    mistaken = (
        is_numeric(got) and np.shape(got) == angles.shape and close(np.asarray(got)[steady], degrees[steady], rtol=1e-3)
    )
    refuse(mistaken, "degrees-for-radians", "`sin` takes radians, here and in NumPy.")
    sweep(
        lambda zenith: answer.probe(probe.under_jit, zenith),
        kasten_young,
        draw_zenith,
        rng,
        shapes=[(), 0, 1, 6, (2, 3)],
        each=6,
        extremes=[(np.array([0, 3, 8, 1, 5, 2], dtype),) for dtype in ("float32", "int32")],  # where it is less than 1
        slips=[
            Slip(
                "sine-of-the-zenith-angle",
                lambda zenith: corrected(zenith, np.sin(np.radians(np.asarray(zenith, np.float64)))),
                "The sine is that of the *height*, 90 degrees minus the zenith angle.",
            ),
        ],
        message="That is not the formula any more.",
        rtol=1e-4,
    )
    for number in (0.0, 60, float(angles[0])):
        message = f"Right for arrays, wrong for the number {number}."
        expect(answer(number), kasten_young(number), message, rtol=1e-4, label="arrays-alone")


@wrong("air-mass", "needs-the-numbers")
def mixes_numpy_in(zenith):
    height = 90 - zenith
    sine = np.sin(np.radians(height))
    return 1 / (sine + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "needs-the-numbers")
def repairs_the_outer_call(zenith):
    height = 90 - zenith
    sine = jnp.sin(np.radians(height))
    return 1 / (sine + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "needs-the-numbers")
def unwraps_the_tracer(zenith):
    return kasten_young(np.asarray(zenith))


@wrong("air-mass", "calls-back")
def hides_numpy_in_a_callback(zenith):
    result = jax.ShapeDtypeStruct(zenith.shape, jnp.float32)
    return jax.pure_callback(lambda z: kasten_young(z).astype(np.float32), result, zenith)


@wrong("air-mass", "degrees-for-radians")
def drops_the_radians(zenith):
    height = 90 - zenith
    return 1 / (jnp.sin(height) + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "wrong-value")
def takes_the_plane_atmosphere(zenith):
    return 1 / jnp.cos(jnp.radians(zenith))


@wrong("air-mass", "sine-of-the-zenith-angle")
def takes_the_other_angle(zenith):
    return 1 / (jnp.sin(jnp.radians(zenith)) + 0.50572 * (96.07995 - zenith) ** -1.6364)


@wrong("air-mass", "wrong-value")
def ends_at_ten(zenith):
    height = 90 - zenith
    return jnp.minimum(1 / (jnp.sin(jnp.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364), 10.0)


@wrong("air-mass", "wrong-value")
def is_never_less_than_one(zenith):
    height = 90 - zenith
    return jnp.maximum(1.0, 1 / (jnp.sin(jnp.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364))


@wrong("air-mass", "arrays-alone")
def takes_a_number_for_the_height(zenith):
    height = 90 - zenith if hasattr(zenith, "shape") else zenith
    return 1 / (jnp.sin(jnp.radians(height)) + 0.50572 * (height + 6.07995) ** -1.6364)


@wrong("air-mass", "needs-the-numbers")
def asks_the_math_module(zenith):
    height = 90 - zenith
    return 1 / (jnp.sin(float(height) * np.pi / 180) + 0.50572 * (height + 6.07995) ** -1.6364)


@right("air-mass")
@jax.jit
def multiplies_by_pi(zenith):
    height = 90.0 - jnp.asarray(zenith)
    return jnp.reciprocal(jnp.cos(zenith * (np.pi / 180)) + 0.50572 / (height + 6.07995) ** 1.6364)


@right("air-mass")
def takes_angles_one_by_one(zenith):
    def one(height):
        return 1 / (jnp.sin(jnp.deg2rad(height)) + 0.50572 * jnp.power(height + 6.07995, -1.6364))

    return jnp.vectorize(one)(90.0 - zenith)


# -- mean-spike-interval ----------------------------------------------------------------------------------------


def mean_interval(voltage, threshold):
    """The oracle."""
    return np.diff(np.flatnonzero(voltage > threshold)).mean()


def spikes_at(rng, places, size, threshold=0.9):
    """A voltage with spikes at some places, above a threshold."""
    voltage = np.float32(threshold) - rng.uniform(0.5, 1, size=size).astype(np.float32)
    voltage[places] += rng.choice([1.01, 2], size=len(places)).astype(np.float32)
    scale = np.float32(rng.choice([1, 1e-3, 1e3]))  # volts, or thousandths of them
    return scale * voltage, scale * np.float32(threshold)


def some_places(rng, count, size):
    """Places of spikes, no two of them neighbours."""
    return np.sort(rng.choice(size - count + 1, count, replace=False)) + np.arange(count)


def draw_voltage(rng, size):
    places = some_places(rng, int(rng.integers(2, (size + 1) // 2 + 1)), size)
    ends = rng.random(2) < 0.4
    if len(places) > 2 and ends[0]:
        places = np.unique([0, *places[places > 1]])
    if len(places) > 2 and ends[1]:
        places = np.unique([*places[places < size - 2], size - 1])
    if len(places) < 2:
        places = np.array([0, size - 1])
    voltage, threshold = spikes_at(rng, places, size, float(rng.choice([0.9, 0.0, -2.5])))
    if rng.random() < 0.5:  # a sample that is just at the threshold, not above it
        voltage[rng.choice(np.setdiff1d(np.arange(size), places))] = threshold
    return voltage, threshold


def padded_with(place):
    """The intervals, if what fills up the places were spikes."""

    def oracle(voltage, threshold):
        places = np.flatnonzero(voltage > threshold)
        return np.diff(np.concatenate([places, np.full(voltage.size - len(places), place(voltage))])).mean()

    return oracle


@exercise(
    "mean-spike-interval",
    see="lab-loud",
    hint=[
        "The sum of all intervals telescopes: only its two ends remain.",
        "The first and the last spike: `jnp.argmax` of the mask, and of the mask reversed. How many: its sum.",
    ],
)
def mean_spike_interval(answer, rng):
    seven = spikes_at(rng, some_places(rng, 7, 60) + 2, 64)
    while mean_interval(*seven) % 1 == 0:  # one that `//` does not change would say nothing of it
        seven = spikes_at(rng, some_places(rng, 7, 60) + 2, 64)
    got, raised = answer.attempt(probe.under_jit, *seven, expected=[*NEEDS_A_SHAPE, *NEEDS_A_VALUE])
    message = (
        "How many spikes there are depends on the voltages, so what the mask picks has no shape to be traced with."
    )
    refuse(raised in NEEDS_A_SHAPE, "shape-depends-on-data", f"{message} It raises `{raised}`.", see="unknown-shapes")
    message = "NumPy, or Python, needs the numbers of `voltage`, and a tracer has none."
    refuse(raised, "needs-the-numbers", f"{message} It raises `{raised}`.", see="tracer-errors")
    others = {count: spikes_at(rng, some_places(rng, count, 60) + 2, 64) for count in (4, 12, 26)}
    if close(got, mean_interval(*seven), rtol=1e-5):
        for count, case in others.items():
            message = f"Right for seven spikes, wrong for {count}: how many there may be is fixed in your function."
            got = answer.probe(probe.under_jit, *case)
            require(close(got, mean_interval(*case), rtol=1e-5), "fixed-count", message)
    sweep(
        lambda *args: answer.probe(probe.under_jit, *args),
        mean_interval,
        draw_voltage,
        rng,
        shapes=[3, 8, 64],
        each=12,
        slips=[
            Slip(
                "counts-the-spikes",
                lambda v, t: mean_interval(v, t) * (1 - 1 / np.sum(v > t)),
                "Seven spikes have six intervals between them: divide by one less than the number of spikes.",
            ),
            Slip(
                "at-the-threshold",
                lambda v, t: np.diff(np.flatnonzero(v >= t)).mean(),
                "A sample *at* the threshold is not above it: no spike.",
            ),
            *(
                Slip(
                    "padding-counted",
                    padded_with(place),
                    "Your padding is counted as if it were spikes: choose a `fill_value` that you can take out again.",
                )
                for place in (lambda v: 0, lambda v: -1, lambda v: v.size - 1, lambda v: v.size)
            ),
            Slip(
                "padding-counted",
                lambda v, t: np.diff(np.where(v > t, np.arange(v.size), 0)).mean(),
                "The samples that are no spikes are still there, as zeros, and count as if they were spikes.",
            ),
            Slip(
                "whole-samples",
                lambda v, t: mean_interval(v, t) // 1,
                "A mean has a fraction: `//` cuts it off.",
            ),
            Slip(
                "one-too-far",
                lambda v, t: mean_interval(v, t) + 1 / (np.sum(v > t) - 1),
                "The last of n samples has the number n - 1: your last spike is one too far.",
            ),
            Slip(
                "loses-the-first-sample",
                lambda v, t: np.ptp(np.flatnonzero(v[1:] > t)) / (np.sum(v > t) - 1),
                "A spike at sample 0 is lost: with zero for what is no spike, zero cannot be a place as well.",
            ),
        ],
        message="That is not the mean interval between neighbouring spikes.",
        rtol=1e-5,
    )
    some = np.array([50, 20_000, int(rng.integers(39_000, 39_900))])
    for places in (some, some_places(rng, 300, 40_000), some_places(rng, 18_000, 40_000)):
        long = spikes_at(rng, places, 40_000)
        message = f"Right for short recordings, wrong for one of 40,000 samples with {len(places)} spikes."
        got = answer.probe(probe.under_jit, *long)
        require(close(got, mean_interval(*long), rtol=1e-4), "long-recording", message)


@wrong("mean-spike-interval", "shape-depends-on-data")
def picks_with_a_mask(voltage, threshold):
    samples = jnp.arange(voltage.size)
    spikes = samples[voltage > threshold]
    return jnp.diff(spikes).mean()


@wrong("mean-spike-interval", "long-recording")
def counts_in_16_bits(voltage, threshold):
    spike, samples = voltage > threshold, jnp.arange(voltage.size).astype(jnp.int16)
    first, last = jnp.min(jnp.where(spike, samples, 32767)), jnp.max(jnp.where(spike, samples, -1))
    return (last - first) / (spike.sum() - 1)


@wrong("mean-spike-interval", "long-recording")
def has_room_for_a_thousand(voltage, threshold):
    places = jnp.nonzero(voltage > threshold, size=1000, fill_value=-1)[0]
    return jnp.mean(jnp.diff(places), where=places[1:] >= 0)


@wrong("mean-spike-interval", "shape-depends-on-data")
def asks_nonzero_without_a_size(voltage, threshold):
    return jnp.diff(jnp.nonzero(voltage > threshold)[0]).mean()


@wrong("mean-spike-interval", "padding-counted")
def pads_with_zeros(voltage, threshold):
    return jnp.diff(jnp.nonzero(voltage > threshold, size=voltage.size)[0]).mean()


@wrong("mean-spike-interval", "fixed-count")
def expects_seven(voltage, threshold):
    return jnp.diff(jnp.nonzero(voltage > threshold, size=7)[0]).mean()


@wrong("mean-spike-interval", "counts-the-spikes")
def divides_by_the_spikes(voltage, threshold):
    spikes = voltage > threshold
    return (voltage.size - 1 - jnp.argmax(spikes[::-1]) - jnp.argmax(spikes)) / spikes.sum()


@wrong("mean-spike-interval", "wrong-value")
def divides_the_whole_recording(voltage, threshold):
    return voltage.size / jnp.sum(voltage > threshold)


@wrong("mean-spike-interval", "at-the-threshold")
def takes_what_is_at_the_threshold(voltage, threshold):
    spikes = voltage >= threshold
    first, behind = jnp.argmax(spikes), jnp.argmax(spikes[::-1])
    return (voltage.size - 1 - behind - first) / (spikes.sum() - 1)


@wrong("mean-spike-interval", "fixed-count")
def has_room_for_ten(voltage, threshold):
    places = jnp.nonzero(voltage > threshold, size=10, fill_value=-1)[0]
    return jnp.mean(jnp.diff(places), where=places[1:] >= 0)


@wrong("mean-spike-interval", "loses-the-first-sample")
def takes_zero_for_none(voltage, threshold):
    at = jnp.where(voltage > threshold, jnp.arange(voltage.size), 0)
    first = jnp.min(jnp.where(at > 0, at, voltage.size))
    return (at.max() - first) / (jnp.sum(voltage > threshold) - 1)


@wrong("mean-spike-interval", "one-too-far")
def forgets_that_places_begin_with_zero(voltage, threshold):
    spikes = voltage > threshold
    return (voltage.size - jnp.argmax(spikes[::-1]) - jnp.argmax(spikes)) / (spikes.sum() - 1)


@wrong("mean-spike-interval", "whole-samples")
def divides_whole_numbers(voltage, threshold):
    spikes = voltage > threshold
    return (voltage.size - 1 - jnp.argmax(spikes[::-1]) - jnp.argmax(spikes)) // (spikes.sum() - 1)


@wrong("mean-spike-interval", "padding-counted")
def keeps_all_samples(voltage, threshold):
    return jnp.diff(jnp.where(voltage > threshold, jnp.arange(voltage.size), 0)).mean()


@wrong("mean-spike-interval", "needs-the-numbers")
def looks_with_numpy(voltage, threshold):
    return np.diff(np.flatnonzero(np.asarray(voltage) > threshold)).mean()


@right("mean-spike-interval")
def takes_the_padding_out(voltage, threshold):
    places = jnp.nonzero(voltage > threshold, size=voltage.size, fill_value=-1)[0]
    return jnp.mean(jnp.diff(places), where=places[1:] >= 0)


@right("mean-spike-interval")
@jax.jit
def looks_for_the_ends(voltage, threshold):
    places = jnp.where(voltage > threshold, jnp.arange(voltage.size), jnp.nan)
    return (jnp.nanmax(places) - jnp.nanmin(places)) / (jnp.isfinite(places).sum() - 1)


# -- continuum --------------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def traced_coefficients(student_function, wavelength, coefficients):
    """The result when the coefficients are arguments of an outer `jit`: data, as in a fit."""
    return jax.jit(lambda w, c: student_function(w, c))(wavelength, coefficients)


def polynomial(wavelength, coefficients):
    """The oracle."""
    return np.polynomial.polynomial.polyval(np.asarray(wavelength, np.float64), np.asarray(coefficients, np.float64))


def draw_spectrum(rng, how):
    shape, count, kind = how
    coefficients = inputs.array(rng, count, "float32")
    return inputs.array(rng, shape, "float32", low=-2, high=2), kind(coefficients)


def as_list(coefficients):
    return coefficients.tolist()


def as_tuple(coefficients):
    return tuple(coefficients.tolist())


def as_array(coefficients):
    return coefficients


@exercise(
    "continuum",
    see="lab-loud",
    hint=["What is static is a key in a dictionary, so it has to be hashable. Does it have to be static?"],
)
def continuum(answer, rng):
    answer(*draw_spectrum(rng, (5, 3, as_tuple)))  # a stub says that it is one before its static argument is refused
    for kind in (as_list, as_array):
        _, raised = raised_by(answer, probe.call, *draw_spectrum(rng, (5, 3, kind)))
        message = "Static arguments are keys in a dictionary of programs, and a list or an array cannot be a key."
        unhashable = raised and "hashable" in raised.message.lower()
        refuse(unhashable, "not-hashable", f"{message} It raises `{raised and raised.kind}`.", see="static-arguments")
    sweep(
        answer,
        polynomial,
        draw_spectrum,
        rng,
        shapes=[
            ((), 1, as_tuple),
            (4, 1, as_list),
            (5, 3, as_tuple),
            (5, 3, as_list),
            (5, 3, as_array),
            ((2, 3), 11, as_list),
            (4, 2, as_array),
            (4, 1, as_list),
        ],
        each=3,
        slips=[
            Slip(
                "highest-first",
                lambda wavelength, coefficients: polynomial(wavelength, coefficients[::-1]),
                "The first coefficient is that of the power 0: yours is that of the highest power.",
            ),
            Slip(
                "one-power-too-high",
                lambda wavelength, coefficients: wavelength * polynomial(wavelength, coefficients),
                "Every power is one too high: the first coefficient stands alone, without `wavelength`.",
            ),
        ],
        message="That is not the polynomial.",
        rtol=1e-4,
    )
    wavelength = np.linspace(-1, 1, 5, dtype=np.float32)
    sets = [kind(rng.normal(size=3).astype(np.float32)) for kind in (as_list, as_tuple, as_array) for _ in range(2)]
    programs = answer.probe(probe.compiles, [(wavelength, each) for each in [*sets, sets[-1]]])
    message = "The function that is jitted is made anew in every call: even the same coefficients compile again."
    refuse(programs[-1], "one-program-per-call", message, see="function-identity")
    message = (
        "The list works now. But each set of coefficients is still a program of its own: in a fit, one for every step."
    )
    refuse(programs[1] or programs[3] or programs[5], "one-program-per-value", message, see="static-arguments")
    for coefficients in (sets[-1], sets[0], sets[2]):
        got, raised = answer.attempt(traced_coefficients, wavelength, coefficients, expected=NEEDS_A_VALUE)
        message = "NumPy, or Python, needs the numbers of the coefficients. They may be traced: then there are none."
        refuse(raised, "needs-the-numbers", f"{message} It raises `{raised}`.", see="tracer-errors")
        message = "Right for plain numbers, wrong for traced ones."
        expect(got, polynomial(wavelength, coefficients), message, rtol=1e-4, label="traced-differ")


@wrong("continuum", "not-hashable")
@functools.partial(jax.jit, static_argnames="coefficients")
def takes_coefficients_as_static(wavelength, coefficients):
    total = jnp.zeros_like(wavelength)
    for coefficient in reversed(coefficients):
        total = total * wavelength + coefficient
    return total


@wrong("continuum", "one-program-per-value")
def makes_a_tuple_first(wavelength, coefficients):
    return takes_coefficients_as_static.answer(wavelength, tuple(coefficients))


@wrong("continuum", "needs-the-numbers")
def leaves_jax_for_a_while(wavelength, coefficients):
    return np.polynomial.polynomial.polyval(wavelength, np.asarray(coefficients, np.float32))


@wrong("continuum", "needs-the-numbers")
def makes_a_numpy_array_of_lists(wavelength, coefficients):
    if isinstance(coefficients, (list, tuple)):
        coefficients = np.array(coefficients, np.float32)
    return adds_up_powers.answer(wavelength, coefficients)


@wrong("continuum", "wrong-value")
@jax.jit
def has_room_for_eight(wavelength, coefficients):
    room = jnp.stack([*coefficients, *[0.0] * 8])[:8]
    return sum(room[k] * wavelength**k for k in range(8))


@wrong("continuum", "highest-first")
@jax.jit
def takes_them_from_the_highest(wavelength, coefficients):
    return jnp.polyval(jnp.asarray(coefficients), wavelength)


@wrong("continuum", "wrong-value")
def ignores_lists(wavelength, coefficients):
    coefficients = (0.0,) if isinstance(coefficients, list) else coefficients
    return sum(c * wavelength**k for k, c in enumerate(coefficients))


@wrong("continuum", "wrong-value")
@jax.jit
def begins_with_the_last(wavelength, coefficients):
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * wavelength + coefficient
    return total


@wrong("continuum", "traced-differ")
def keeps_the_first_only(wavelength, coefficients):
    traced = isinstance(coefficients, jax.core.Tracer)
    return sum(c * wavelength**k for k, c in enumerate(coefficients[:1] if traced else coefficients))


@wrong("continuum", "highest-first")
@jax.jit
def begins_with_the_highest(wavelength, coefficients):
    total = jnp.zeros_like(wavelength)
    for coefficient in coefficients:
        total = total * wavelength + coefficient
    return total


@wrong("continuum", "one-power-too-high")
@jax.jit
def counts_powers_from_one(wavelength, coefficients):
    return sum(c * wavelength ** (k + 1) for k, c in enumerate(coefficients))


@functools.cache
def _polynomial_of(coefficients):
    return jax.jit(lambda w: sum(c * w**k for k, c in enumerate(coefficients)))


@wrong("continuum", "one-program-per-value")
def keeps_a_program_for_each(wavelength, coefficients):
    return _polynomial_of(tuple(float(c) for c in coefficients))(wavelength)


@wrong("continuum", "one-program-per-call")
def jits_in_each_call(wavelength, coefficients):
    return jax.jit(lambda w: sum(c * w**k for k, c in enumerate(coefficients)))(wavelength)


@wrong("continuum", "ValueError")
@jax.jit
def expects_three(wavelength, coefficients):
    a, b, c = coefficients
    return a + b * wavelength + c * wavelength**2


@wrong("continuum", "TypeError")
@jax.jit
def takes_arrays_alone(wavelength, coefficients):
    return jnp.polyval(coefficients[::-1], wavelength)


@right("continuum")
@jax.jit
def adds_up_powers(wavelength, coefficients):
    return sum(c * wavelength**k for k, c in enumerate(coefficients))


@jax.jit
def _by_polyval(wavelength, coefficients):
    return jnp.polyval(coefficients, wavelength)


@right("continuum")
def makes_an_array_of_any(wavelength, coefficients):
    return _by_polyval(wavelength, jnp.asarray(coefficients)[::-1])


# -- photon-average ---------------------------------------------------------------------------------------------


def smooth(counts, weight, *, start=0.0, kind=float):
    """The oracle: a plain loop."""
    averages, average = [], np.full(np.shape(counts)[1:], start, kind)
    for frame in np.asarray(counts, np.float64):
        average = np.asarray((1 - weight) * average + weight * frame).astype(kind)
        averages.append(average)
    return np.array(averages, np.float32)


def as_integers(counts, weight):
    """What comes out if the carry is made an integer again in each step."""
    return smooth(counts, weight, kind=int).astype(counts.dtype)


def one_frame_late(counts, weight):
    averages = smooth(counts, weight)
    return np.concatenate([np.zeros_like(averages[:1]), averages[:-1]])


def draw_counts(rng, shape):
    dtype = str(rng.choice(["int32", "uint8", "uint16", "int16", "int8"]))
    weight = float(rng.integers(1, 8) / 8)  # each step is exact in float32, if it starts with integers
    most = min(np.iinfo(dtype).max, 2**20)
    return rng.integers(1, most, shape, endpoint=True).astype(dtype), weight


def loops_of(student_function, counts, weight):
    """The lengths of the loops that stack a result of each step, and how many equations there are in all."""
    given = probe.on_device(counts)
    jaxpr = jax.make_jaxpr(lambda: student_function(given, weight))()
    found = list(probe.equations(jaxpr))
    stacking = []
    for scan in (each for each in found if str(each.primitive) == "scan"):
        of_a_step = scan.params["jaxpr"].out_avals  # what is carried comes out of the loop as it comes out of a step
        if any(whole.aval.shape != part.shape for whole, part in zip(scan.outvars, of_a_step, strict=True)):
            stacking.append(scan.params["length"])
    return {"stacking": stacking, "equations": len(found)}


@exercise(
    "photon-average",
    see="lab-loud",
    hint=["The message shows two types. Which of them does the carry begin with?", "`jnp.zeros_like` takes a `dtype`."],
)
def photon_average(answer, rng):
    counts = rng.integers(1, 30, size=(6, 4)).astype(np.int32)
    got, raised = raised_by(answer, probe.on_jax_arrays, counts, 0.25)
    message = (
        "What comes out of a step has another type than what went in. One program for all steps needs one type for all."
    )
    refuse(raised and "carry" in raised.message, "carry-changes-type", message, see="control-flow")
    if raised is None and close(got, smooth(counts, 0.25), rtol=1e-4):
        for other in (counts[:, 0], counts[:, :, None] * np.ones(3, np.int32)):
            got, raised = raised_by(answer, probe.on_jax_arrays, other, 0.25)
            message = "Right for one shape of frames only: a carry has the shape of one frame."
            fits = raised is None and close(got, smooth(other, 0.25), rtol=1e-4)
            require(fits, "fixed-shape", message, see="control-flow")
    sweep(
        lambda *args: answer.probe(probe.on_jax_arrays, *args),
        smooth,
        draw_counts,
        rng,
        shapes=[1, (6, 4), (3, 2, 2)],
        each=2,
        extremes=[
            (counts, 1.0),
            (rng.integers(0, 2, size=(6, 4)).astype(np.int32), 0.125),
            (rng.integers(2**31, 2**32, size=(6, 4)).astype(np.uint32), 0.5),
        ],
        slips=[
            Slip(
                "rounds-each-step",
                as_integers,
                "The carry is made an integer again in each step: it keeps its type and loses the fraction.",
            ),
            Slip(
                "rounds-each-step",
                lambda counts, weight: smooth(counts, weight, kind=int),
                "The average is cut to a whole number in each step, and the fractions are lost. Begin with `float32`, "
                "and keep it.",
            ),
            Slip(
                "starts-with-the-first",
                lambda counts, weight: smooth(counts, weight, start=np.asarray(counts[0], np.float64)),
                "The average should begin with zero, before the first frame: yours begins with the first frame.",
            ),
            Slip(
                "one-frame-late",
                one_frame_late,
                "That is the average *before* each frame. Hand out the new one.",
            ),
            Slip(
                "weights-exchanged",
                lambda counts, weight: smooth(counts, 1 - weight),
                "`weight` is that of the new frame, and 1 - `weight` that of the average.",
            ),
            Slip(
                "last-alone",
                lambda counts, weight: smooth(counts, weight)[-1],
                "That is the last average. `scan` returns the carry and the stack of what the steps gave: take that.",
            ),
        ],
        message="That is not the running average.",
        rtol=1e-4,
        dtype=True,
    )
    few, many = (answer.probe(loops_of, np.tile(counts, (times, 1)), 0.25) for times in (1, 2))
    message = "There is no `scan` any more: a Python loop is copied once for each frame."
    require(many["equations"] < few["equations"] + 6, "unrolled", message, see="unrolling")
    message = "There is no `scan` over the frames: in no loop does each step give something out."
    require(6 in few["stacking"], "no-scan", message, see="control-flow")


@wrong("photon-average", "carry-changes-type")
def starts_with_integers(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    start = jnp.zeros_like(counts[0])
    return jax.lax.scan(step, start, counts)[1]


@wrong("photon-average", "rounds-each-step")
def casts_the_carry_back(counts, weight):
    def step(average, frame):
        average = ((1 - weight) * average + weight * frame).astype(counts.dtype)
        return average, average

    return jax.lax.scan(step, jnp.zeros_like(counts[0]), counts)[1]


@wrong("photon-average", "rounds-each-step")
def hands_out_whole_numbers_as_floats(counts, weight):
    def step(average, frame):
        average = ((1 - weight) * average + weight * frame).astype(counts.dtype)
        return average, average

    return jax.lax.scan(step, jnp.zeros_like(counts[0]), counts)[1].astype(jnp.float32)


@wrong("photon-average", "starts-with-the-first")
def starts_with_the_first_frame(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.asarray(counts[0], jnp.float32), counts)[1]


@wrong("photon-average", "fixed-shape")
def starts_with_four_zeros(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(4), counts)[1]


@wrong("photon-average", "unrolled")
def gives_up_the_scan(counts, weight):
    averages, average = [], jnp.zeros(counts.shape[1:])
    for frame in jnp.asarray(counts):
        average = (1 - weight) * average + weight * frame
        averages.append(average)
    return jnp.stack(averages)


@wrong("photon-average", "wrong-value")
def gives_the_frames(counts, weight):
    def step(average, frame):
        return (1 - weight) * average + weight * frame, weight * frame

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]


@wrong("photon-average", "one-frame-late")
def gives_out_the_old_one(counts, weight):
    def step(average, frame):
        return (1 - weight) * average + weight * frame, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]


@wrong("photon-average", "weights-exchanged")
def weighs_the_average(counts, weight):
    def step(average, frame):
        average = weight * average + (1 - weight) * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[1]


@wrong("photon-average", "last-alone")
def gives_the_carry(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), counts)[0]


@wrong("photon-average", "no-scan")
def fills_an_array(counts, weight):
    def step(i, state):
        average, averages = state
        average = (1 - weight) * average + weight * counts[i]
        return average, averages.at[i].set(average)

    start = jnp.zeros(counts.shape[1:]), jnp.zeros(counts.shape)
    return jax.lax.fori_loop(0, len(counts), step, start)[1]


@wrong("photon-average", "wrong-value")
def counts_with_a_sign(counts, weight):
    def step(average, frame):
        average = (1 - weight) * average + weight * frame
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:]), jnp.asarray(counts).astype(jnp.int32))[1]


@wrong("photon-average", "wrong-value")
def keeps_half_of_the_digits(counts, weight):
    def step(average, frame):
        average = ((1 - weight) * average + weight * frame).astype(jnp.float16)
        return average, average

    return jax.lax.scan(step, jnp.zeros(counts.shape[1:], jnp.float16), counts)[1]


@right("photon-average")
def makes_floats_of_the_counts(counts, weight):
    frames = np.asarray(counts).astype(np.float32)

    def step(average, frame):
        average = average + weight * (frame - average)
        return average, average

    return jax.lax.scan(step, jnp.zeros(frames.shape[1:]), frames)[1]


@right("photon-average")
@jax.jit
def keeps_the_average_in_a_dict(counts, weight):
    def step(state, frame):
        average = (1 - weight) * state["average"] + weight * frame
        return {"average": average}, average

    _, averages = jax.lax.scan(step, {"average": jnp.zeros(counts.shape[1:], jnp.float32)}, counts)
    return averages


# -- power-spectrum ---------------------------------------------------------------------------------------------


def lets_a_tracer_out(student_function, signal):
    """Whether a tracer escapes from what the function compiles itself, from empty caches."""
    try:
        with probe.checking_leaks():
            student_function(signal)
    except Exception as error:
        if "Leaked" in str(error):
            return True
        raise
    return False


def spectrum_and_mean(signal):
    """The oracle, in `float64`."""
    mean = signal.astype(np.float64).mean()
    return np.abs(np.fft.rfft(signal - mean)) ** 2, mean


@exercise(
    "power-spectrum",
    see="lab-loud",
    hint=["What leaves a traced function by any way but `return` is a tracer.", "Return both."],
)
def power_spectrum(answer, rng):
    signal = rng.normal(2, 1, size=16).astype(np.float32)
    got, raised = raised_by(answer, probe.on_jax_arrays, signal)
    kind = raised.kind if raised else ""
    message = "What is put aside is a tracer. The trace is over, and there was never a number in it."
    returned = kind in NEEDS_A_VALUE and not raised.line  # it is no line of the answer that asks for the number
    refuse(kind == "UnexpectedTracerError" or returned, "uses-the-leaked-tracer", message, see="leaks")
    message = "Inside `jit` there is no number to take out yet, not by `float`, `.item()` or NumPy."
    refuse(kind in NEEDS_A_VALUE, "asks-for-the-number", f"{message} It raises `{kind}`.", see="tracer-errors")
    if raised:
        raise AnswerRaised(raised)
    pair = isinstance(got, (tuple, list)) and len(got) == 2
    require(pair, "not-a-pair", "Return the pair `(spectrum, mean)`.")

    message = "The second is not the mean of the signal: it was taken off before."
    signals = (signal, signal + 3, 7 - 2 * signal)
    second = [numbers(answer.probe(probe.on_jax_arrays, each)[1]) for each in signals]
    gone = [each.shape == () and abs(float(each)) < 1e-4 for each in second]
    refuse(all(gone), "wrong-mean", message)
    message = (
        "The second is the same for signals with different means, as if it were kept from an *earlier* call. Compute "
        "the mean anew for each signal."
    )
    refuse(all(close(each, second[0]) for each in second), "kept-between-calls", message)
    sweep(
        lambda signal: answer.probe(probe.on_jax_arrays, signal),
        spectrum_and_mean,
        lambda rng, n: (rng.normal(2, 1, size=n).astype(np.float32),),
        rng,
        shapes=[3, 16],
        each=2,
        extremes=[(-signal,), (np.float32(1e-3) * signal,), (np.float32(100) * signal - 50,)],
        slips=[
            Slip(
                "mean-left-in",
                lambda signal: (np.abs(np.fft.rfft(signal)) ** 2, signal.mean()),
                "The mean is still in the signal: the first element of the spectrum should be zero.",
            ),
            Slip(
                "amplitude",
                lambda signal: (np.abs(np.fft.rfft(signal - signal.mean())), signal.mean()),
                "Those are the amplitudes. The power is their square.",
            ),
            Slip("exchanged", lambda signal: spectrum_and_mean(signal)[::-1], "First the spectrum, then the mean."),
        ],
        message="The pair should be the spectrum of the signal without its mean, and the mean.",
        rtol=1e-3,
    )
    wave = rng.permutation(np.arange(-3, 4, dtype=np.float32))  # of an odd length: halves would cancel at once
    high = np.float32(2.0**19) + wave  # no digit of the mean is lost, however it is computed
    message = (
        "Right for a small mean. Beside a large one the rest loses its digits in the transform: take the mean off "
        "before, and not the first element afterwards."
    )
    spectrum = numbers(answer.probe(probe.on_jax_arrays, high)[0])
    require(close(spectrum[1:], spectrum_and_mean(high)[0][1:], rtol=1e-4), "mean-taken-off-late", message)
    escapes = answer.probe(lets_a_tracer_out, signal)
    found, _ = answer.attempt(probe.leaks, signal, expected=["UnexpectedTracerError", *NEEDS_A_VALUE])
    message = "Both results are right, and a tracer still escapes: whoever reads that container next gets the error."
    said = "`jax.checking_leaks()` says who holds it."
    refuse(escapes or found, "still-leaks", f"{message} {said}", see="leaks")
    outer, raised = answer.attempt(probe.under_jit, 3 - signal, expected=NEEDS_A_VALUE)
    message = (
        "Under an outer `jit`, the results are not those of this signal: they were put aside in an earlier call. A "
        "callback runs with the program, and your function has returned before that."
    )
    if not raised:  # it may raise there, but not say something wrong
        spectrum, mean = spectrum_and_mean(3 - signal)
        good = close(numbers(outer[0]), spectrum, rtol=1e-3) and close(numbers(outer[1]), mean, rtol=1e-3)
        require(good, "kept-from-before", message, see="leaks")


@wrong("power-spectrum", "uses-the-leaked-tracer")
def keeps_the_mean_aside(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = signal.mean()
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, 1.0 * kept["mean"]


@wrong("power-spectrum", "still-leaks")
def computes_the_mean_again(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = signal.mean()
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, signal.mean()


@wrong("power-spectrum", "asks-for-the-number")
def keeps_a_float(signal):
    kept = {}

    @jax.jit
    def power(signal):
        kept["mean"] = float(signal.mean())
        return jnp.abs(jnp.fft.rfft(signal - kept["mean"])) ** 2

    spectrum = power(signal)
    return spectrum, kept["mean"]


@wrong("power-spectrum", "not-a-pair")
def returns_the_spectrum_alone(signal):
    return jax.jit(lambda s: jnp.abs(jnp.fft.rfft(s - s.mean())) ** 2)(signal)


@wrong("power-spectrum", "mean-left-in")
def keeps_the_mean_in_the_signal(signal):
    return jnp.abs(jnp.fft.rfft(signal)) ** 2, signal.mean()


@wrong("power-spectrum", "wrong-mean")
def takes_the_mean_afterwards(signal):
    signal = signal - signal.mean()
    return jnp.abs(jnp.fft.rfft(signal)) ** 2, signal.mean()


_aside = {}


@jax.jit
def _keeps_aside(signal):
    _aside["mean"] = signal.mean()
    return jnp.abs(jnp.fft.rfft(signal - _aside["mean"])) ** 2


@wrong("power-spectrum", "still-leaks")
def leaks_into_a_global(signal):
    return _keeps_aside(signal), jnp.mean(signal)


@wrong("power-spectrum", "still-leaks")
def returns_it_and_keeps_it(signal):
    kept = []

    @jax.jit
    def power(signal):
        kept.append(signal.mean())
        return jnp.abs(jnp.fft.rfft(signal - kept[0])) ** 2, kept[0]

    return power(signal)


@wrong("power-spectrum", "uses-the-leaked-tracer")
def returns_what_was_kept(signal):
    kept = []
    power = jax.jit(lambda s: kept.append(s.mean()) or jnp.abs(jnp.fft.rfft(s - kept[0])) ** 2)
    return power(signal), kept[0]


_means = []


@wrong("power-spectrum", "kept-from-before")
def calls_back_with_the_mean(signal):
    @jax.jit
    def power(signal):
        mean = signal.mean()
        jax.debug.callback(lambda mean: _means.append(jnp.asarray(mean)), mean)
        return jnp.abs(jnp.fft.rfft(signal - mean)) ** 2

    spectrum = power(signal)
    jax.effects_barrier()
    return spectrum, _means[-1]


@wrong("power-spectrum", "wrong-value")
@jax.jit
def takes_the_mean_from_the_spectrum(signal):
    amplitude = jnp.abs(jnp.fft.rfft(signal))
    return (amplitude**2).at[0].set(0), amplitude[0] / signal.size


@wrong("power-spectrum", "mean-taken-off-late")
@jax.jit
def sets_the_first_to_zero(signal):
    amplitude = jnp.fft.rfft(signal)
    return (jnp.abs(amplitude) ** 2).at[0].set(0), amplitude[0].real / signal.size


_mean_of_length = {}


@wrong("power-spectrum", "kept-between-calls")
def remembers_the_mean_of_a_length(signal):
    mean = _mean_of_length.setdefault(len(signal), float(np.mean(signal)))
    return jax.jit(lambda s, m: jnp.abs(jnp.fft.rfft(s - m)) ** 2)(signal, mean), mean


@wrong("power-spectrum", "amplitude")
@jax.jit
def forgets_the_square(signal):
    return jnp.abs(jnp.fft.rfft(signal - signal.mean())), signal.mean()


@wrong("power-spectrum", "exchanged")
def puts_the_mean_first(signal):
    mean = signal.mean()
    return mean, jnp.abs(jnp.fft.rfft(signal - mean)) ** 2


@wrong("power-spectrum", "wrong-value")
def divides_by_the_length(signal):
    mean = signal.mean()
    return jnp.abs(jnp.fft.rfft(signal - mean)) ** 2 / signal.size, mean


@right("power-spectrum")
def hands_the_mean_in(signal):
    mean = float(np.mean(signal))
    return jax.jit(lambda s, m: jnp.abs(jnp.fft.rfft(s - m)) ** 2)(signal, mean), mean


@right("power-spectrum")
def puts_aside_what_came_back(signal):
    kept = {}
    power = jax.jit(lambda s: (jnp.square(jnp.abs(jnp.fft.rfft(s - s.mean()))), s.mean()))
    spectrum, kept["mean"] = power(signal)
    return [spectrum, 1.0 * kept["mean"]]


# -- adapt-weights ----------------------------------------------------------------------------------------------


def given_away(student_function, weights, gradient):
    """Call with JAX arrays of our own: what comes back, and which of the two were given away."""
    mine, slope = jnp.array(weights), jnp.array(gradient)
    try:
        result = student_function(mine, slope)
        result = jax.tree.map(np.asarray, result)
    except (RuntimeError, ValueError) as error:
        if "delete" in str(error).lower() or "donat" in str(error).lower():
            return {"reads": True}
        raise
    facts = {"reads": False, "pair": isinstance(result, (tuple, list)) and len(result) == 2}
    facts["deleted"], facts["gradient deleted"] = bool(mine.is_deleted()), bool(slope.is_deleted())
    return facts | {"result": result}


def beside_the_donation(student_function, weights, gradient):
    """What is computed of the weights, of the same size, outside of a step that they are given to; what is given."""
    slope = jnp.asarray(gradient)  # has its numbers, since they may be looked at
    jaxpr = jax.make_jaxpr(lambda w: student_function(w, slope))(weights).jaxpr
    old, copies, donated, made = jaxpr.invars[0], [], set(), []
    for equation in jaxpr.eqns:
        takes = any(atom is old for atom in equation.invars)
        flags = equation.params.get("donated_invars") or [False] * len(equation.invars)
        gives = [atom for atom, given in zip(equation.invars, flags, strict=True) if given]
        donated |= {"weights" if atom is old else "gradient" for atom in gives if not any(atom is m for m in made)}
        if takes:
            large = [str(equation.primitive) for out in equation.outvars if out.aval.shape == old.aval.shape]
            copies += large[1 if any(atom is old for atom in gives) else 0 :]  # one may lie where the weights lay
        made += equation.outvars
    return {"copies": [name for name in copies if name != "device_put"], "donated": sorted(donated)}


@exercise(
    "adapt-weights",
    see="lab-loud",
    hint=["After the call the old weights are gone. Where do old and new exist side by side?", "Inside `step`."],
)
def adapt_weights(answer, rng):
    cases = [tuple(rng.normal(size=shape).astype(np.float32) for _ in range(2)) for shape in (5, (2, 3), 5)]
    facts = [answer.probe(given_away, *case) for case in cases]
    message = (
        "You read `weights` after giving it away: its memory holds the new weights now. A second name is not a copy."
    )
    refuse(any(each["reads"] for each in facts), "reads-what-it-gave-away", message, see="donation")
    require(all(each["pair"] for each in facts), "not-a-pair", "Return the pair `(updated, moved)`.")
    for (weights, gradient), each in zip(cases, facts, strict=True):
        message = "The weights are not those after one step."
        expect(each["result"][0], weights - 0.1 * gradient, message, label="wrong-weights")
    lengths = [np.linalg.norm(gradient) for _, gradient in cases]
    moved = [each["result"][1] for each in facts]
    message = "That is the length of the gradient. The weights move by a tenth of it."
    refuse(all(map(close, moved, lengths)), "length-of-the-gradient", message)
    changes = [np.linalg.norm(w - 0.1 * g) - np.linalg.norm(w) for w, g in cases]
    message = (
        "That is by how much the *length* of the weights changed. A move can leave the length as it is: subtract the "
        "weights first, then take the length."
    )
    for wants in (changes, np.abs(changes)):
        of_lengths = all(close(got, want, rtol=1e-3) for got, want in zip(moved, wants, strict=True))
        refuse(of_lengths, "change-of-the-length", message)
    for got, length in zip(moved, lengths, strict=True):
        expect(got, 0.1 * length, "The second is how far the weights have moved.", rtol=1e-3)
    instead = any(each["gradient deleted"] and not each["deleted"] for each in facts)
    message = (
        "Right, but you gave away the gradient in place of the weights: it is gone, and the old weights are still "
        "there. `donate_argnums` counts from 0."
    )
    refuse(instead, "gave-away-the-gradient", message, see="donation")
    message = "Right, but the caller's gradient is gone as well: give away the weights alone."
    refuse(any(each["gradient deleted"] for each in facts), "gave-away-both", message, see="donation")
    message = "Right, but the old weights are still there: you gave up the donation, so both must fit into memory."
    require(all(each["deleted"] for each in facts), "gave-up-the-donation", message, see="donation")
    program, raised = raised_by(answer, beside_the_donation, *cases[0])
    message = "The weights are deleted, and were never donated: `donate_argnums` lets the program write into them."
    by_hand = "delete()" in raised.message if raised else "weights" not in program["donated"]
    refuse(by_hand, "deletes-by-hand", message, see="donation")
    message = (
        "Right, but beside the new weights you make another array of their size, in the donating step or before it, so "
        "two are in memory after all. Measure in the step, and hand out one number."
    )
    copied = raised.kind == "TracerArrayConversionError" if raised else program["copies"]
    refuse(copied, "keeps-a-copy", message, see="donation")
    if raised and raised.kind not in NEEDS_A_VALUE:
        raise AnswerRaised(raised)
    message = "Right, but you give the gradient away as well, and the caller may still want it. Donate the weights."
    refuse(program and "gradient" in program["donated"], "gave-away-both", message, see="donation")


@wrong("adapt-weights", "reads-what-it-gave-away")
def measures_afterwards(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    moved = jnp.linalg.norm(updated - weights)
    return updated, moved


@wrong("adapt-weights", "reads-what-it-gave-away")
def gives_it_a_second_name(weights, gradient):
    before = weights
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - before)


@wrong("adapt-weights", "gave-up-the-donation")
def donates_nothing(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - weights)


@wrong("adapt-weights", "keeps-a-copy")
def copies_before_it_gives(weights, gradient):
    before = weights.copy()
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    updated = step(weights, gradient)
    return updated, jnp.linalg.norm(updated - before)


@wrong("adapt-weights", "wrong-value")
def compares_with_the_new(weights, gradient):
    step = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)
    weights = step(weights, gradient)
    return weights, jnp.linalg.norm(weights - weights)


@wrong("adapt-weights", "wrong-weights")
def steps_uphill(weights, gradient):
    step = jax.jit(lambda w, g: (w + 0.1 * g, jnp.linalg.norm(0.1 * g)), donate_argnums=0)
    return step(weights, gradient)


@wrong("adapt-weights", "not-a-pair")
def returns_the_weights_alone(weights, gradient):
    return jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)(weights, gradient)


@wrong("adapt-weights", "keeps-a-copy")
def copies_with_numpy(weights, gradient):
    before = np.array(weights)
    updated = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)(weights, gradient)
    return updated, np.linalg.norm(updated - before)


@wrong("adapt-weights", "keeps-a-copy")
def adds_zero_for_a_copy(weights, gradient):
    before = weights + 0.0
    updated = jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=0)(weights, gradient)
    return updated, jnp.linalg.norm(updated - before)


def step_and_length(weights, gradient):
    updated = weights - 0.1 * gradient
    return updated, jnp.linalg.norm(updated - weights)


@wrong("adapt-weights", "gave-away-both")
def gives_both_away(weights, gradient):
    def step(w, g):
        return step_and_length(w, g), 2 * g

    return jax.jit(step, donate_argnums=(0, 1))(weights, gradient)[0]


@wrong("adapt-weights", "gave-away-the-gradient")
def counts_the_arguments_from_one(weights, gradient):
    return jax.jit(step_and_length, donate_argnums=1)(weights, gradient)


@wrong("adapt-weights", "deletes-by-hand")
def deletes_the_old_ones(weights, gradient):
    result = step_and_length(weights, gradient)
    weights.delete()
    return result


@wrong("adapt-weights", "length-of-the-gradient")
def measures_the_gradient(weights, gradient):
    return jax.jit(lambda w, g: (w - 0.1 * g, jnp.linalg.norm(g)), donate_argnums=0)(weights, gradient)


@wrong("adapt-weights", "change-of-the-length")
def subtracts_the_lengths(weights, gradient):
    def step(w, g):
        return w - 0.1 * g, jnp.linalg.norm(w - 0.1 * g) - jnp.linalg.norm(w)

    return jax.jit(step, donate_argnums=0)(weights, gradient)


@wrong("adapt-weights", "change-of-the-length")
@functools.partial(jax.jit, donate_argnums=0)
def compares_the_two_lengths(weights, gradient):
    updated = weights - 0.1 * gradient
    return updated, jnp.abs(jnp.linalg.norm(updated) - jnp.linalg.norm(weights))


@right("adapt-weights")
@functools.partial(jax.jit, donate_argnames="weights")
def is_the_step_itself(weights, gradient):
    move = 0.1 * gradient
    return weights - move, jnp.sqrt(jnp.sum(move**2))


@right("adapt-weights")
def measures_the_move_first(weights, gradient):
    moved = float(0.1 * jnp.linalg.norm(gradient))
    return [jax.jit(lambda w, g: w - 0.1 * g, donate_argnums=(0,))(weights, gradient), moved]


# -- rest-and-count ---------------------------------------------------------------------------------------------


@functools.cache
def _force():
    return jax.jit(lambda x: -2 * x - jnp.sin(x))


def bead(x):
    """The oracle, in `float64`: where the bead stops, how often its force was computed, and how sure that is."""
    x, forces = float(x), []
    while not forces or abs(forces[-1]) > 1e-3:
        x += 0.1 * forces[-1] if forces else 0.0
        forces.append(-2 * x - np.sin(x))
    sure = abs(forces[-1]) < 0.97e-3 and all(abs(force) > 1.03e-3 for force in forces[:-1])
    return x, len(forces), sure


def programs_with_and_without_jit(student_function, x):
    """The programs that a call compiles where nothing has been compiled before, and the same without `jit`.

    Without `jit`, every sine is computed by itself, and can be counted.
    """
    with_jit = probe.compiles(student_function, [(x,)])[0]
    equations = probe.equations(jax.make_jaxpr(jnp.sin)(x))
    sine = next(each.primitive for each in equations if str(each.primitive) == "sin")
    compute, sines = sine.impl, []

    def counting(*args, **params):
        sines.append(1)
        return compute(*args, **params)

    sine.impl = counting
    try:
        with jax.disable_jit():
            without = probe.compiles(student_function, [(x,)])[0]
    finally:
        sine.impl = compute
    return {"with": with_jit, "without": without, "sines": len(sines)}


@exercise(
    "rest-and-count",
    see="lab-silent",
    hint=[
        "The line that counts is Python. How often does Python run in a jitted function?",
        "Count where you call it.",
    ],
)
def rest_and_count(answer, rng):
    drawn = rng.uniform(0.3, 2.5, size=50).astype(np.float32) * np.tile(np.float32([1, -1]), 25)
    sure = sorted([x for x in drawn if bead(x)[2]][:4], key=abs, reverse=True)
    far = next(x for x in rng.uniform(2e4, 4e4, size=50).astype(np.float32) if bead(x)[2])
    starts = [*sure, np.float32(2e-4), far, float(sure[1]), sure[0]]
    results = [numbers(answer(start)) for start in starts]
    require(all(each.shape == (2,) for each in results), "not-a-pair", "Return the pair `(x, evaluations)`.")
    counts, want = np.array([each[1] for each in results]), np.array([bead(start)[1] for start in starts])
    message = "The force was computed for every step, and counted when JAX traced it."
    refuse(len(set(counts)) == 1 and counts[0] <= 2, "counts-the-traces", message, see="lost-effects")
    message = "The same start, and another count: yours goes on from call to call."
    require(counts[0] == counts[-1], "count-goes-on", message)
    refuse(close(counts, want - 1), "first-not-counted", "The force is computed once before the loop.")
    message = "The force is computed twice at each place but the last. Keep what came out, and use it."
    refuse(close(counts, 2 * want - 1), "computed-twice", message)
    steps = want > 1
    message = "Right for a start on one side, and wrong on the other: it is the size of the force that counts."
    sides = [steps & (np.sign(starts) == side) for side in (1, -1)]
    refuse(any(side.any() and np.all(counts[side] == 1) for side in sides), "one-side-only", message)
    message = "That is not how often the force was computed."
    expect(counts, want, f"{message} The starts are {np.round(starts, 4).tolist()}.", label="wrong-count")
    places = np.array([each[0] for each in results])
    close_by = np.abs(places - np.array([bead(start)[0] for start in starts])) < 2e-5
    require(close_by.all(), "wrong-value", "The bead comes to rest somewhere else.")
    programs = answer.probe(programs_with_and_without_jit, starts[0])
    if "sin" in programs["with"] or "sin" not in programs["without"]:
        names = answer.probe(probe.written)["names"]
        message = "You switched the compiler off, for everything in there. The count is right and nothing is compiled."
        refuse("disable_jit" in names, "switches-jit-off", message, see="seeing-inside")
        message = "The force is not compiled any more. Keep the `jit` around it, and move the count."
        require(False, "gives-up-jit", message)
    message = "You count one force at each place, and compute it twice: once to ask for its size, once to move."
    refuse(programs["sines"] > 1.5 * want[0], "computed-twice", message)
    message = f"A call compiles {len(programs['with'])} programs: the force is jitted anew at each place."
    require(len(programs["with"]) < want[0], "compiled-at-each-place", message, see="function-identity")
    own = [name for name in programs["with"] if name not in programs["without"]]  # and not those of operations
    again = next((name for name in own if own.count(name) > 1), "")
    message = f"A call compiles `{again}` {own.count(again)} times: use what one `jit` has given at all places."
    refuse(again, "compiled-again", message, see="function-identity")


@wrong("rest-and-count", "counts-the-traces")
def counts_inside(x):
    evaluations = 0

    @jax.jit
    def force(x):
        nonlocal evaluations
        evaluations += 1
        return -2 * x - jnp.sin(x)

    pull = force(x)
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull = force(x)
    return x, evaluations


@wrong("rest-and-count", "switches-jit-off")
def runs_without_the_compiler(x):
    with jax.disable_jit():
        return _rest_of_the_bead(_force(), x)


@wrong("rest-and-count", "gives-up-jit")
def removes_the_decorator(x):
    evaluations = 0

    def force(x):
        nonlocal evaluations
        evaluations += 1
        return -2 * x - jnp.sin(x)

    pull = force(x)
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull = force(x)
    return x, evaluations


@wrong("rest-and-count", "first-not-counted")
def counts_the_steps(x):
    force, steps = jax.jit(lambda x: -2 * x - jnp.sin(x)), 0
    pull = force(x)
    while abs(pull) > 1e-3:
        x, steps = x + 0.1 * pull, steps + 1
        pull = force(x)
    return x, steps


@wrong("rest-and-count", "wrong-count")
def counts_twice(x):
    place, evaluations = _rest_of_the_bead(_force(), x)
    return place, 2 * evaluations


@wrong("rest-and-count", "wrong-value")
def returns_the_start(x):
    return jax.jit(lambda x: 1.0 * x)(x), bead(x)[1]


@wrong("rest-and-count", "not-a-pair")
def returns_the_place_alone(x):
    return jax.jit(lambda x: 1.0 * x)(bead(x)[0])


def _rest_of_the_bead(force, x):
    """The place and the count, with any way to compute the force."""
    pull, evaluations = force(x), 1
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull, evaluations = force(x), evaluations + 1
    return x, evaluations


@wrong("rest-and-count", "gives-up-jit")
def jits_the_step_alone(x):
    move = jax.jit(lambda x, pull: x + 0.1 * pull)
    return _rest_of_the_bead(lambda x: -2 * move(x, 0.0) - jnp.sin(x), x)


@wrong("rest-and-count", "gives-up-jit")
def stays_with_numpy(x):
    return _rest_of_the_bead(lambda x: -2 * x - np.sin(x), x)


@wrong("rest-and-count", "compiled-at-each-place")
def jits_at_each_place(x):
    return _rest_of_the_bead(lambda x: jax.jit(lambda x: -2 * x - jnp.sin(x))(x), x)


@wrong("rest-and-count", "compiled-again")
def jits_the_first_by_itself(x):
    def force(x):
        return -2 * x - jnp.sin(x)

    def compiled():
        return jax.jit(lambda x: force(x))

    first, then = compiled(), compiled()
    pull, evaluations = first(x), 1
    while abs(pull) > 1e-3:
        x = x + 0.1 * pull
        pull, evaluations = then(x), evaluations + 1
    return x, evaluations


@wrong("rest-and-count", "computed-twice")
def asks_for_the_force_again(x):
    force, evaluations = _force(), 0
    while abs(force(x)) > 1e-3:
        x, evaluations = x + 0.1 * force(x), evaluations + 2
    return x, evaluations + 1


@wrong("rest-and-count", "computed-twice")
def counts_one_of_two(x):
    force, evaluations = _force(), 1
    while abs(force(x)) > 1e-3:
        x, evaluations = x + 0.1 * force(x), evaluations + 1
    return x, evaluations


@wrong("rest-and-count", "wrong-count")
def gives_up_after_fifty(x):
    force, evaluations = _force(), 1
    pull = force(x)
    while abs(pull) > 1e-3 and evaluations < 50:
        x = x + 0.1 * pull
        pull, evaluations = force(x), evaluations + 1
    return x, evaluations


@wrong("rest-and-count", "one-side-only")
def forgets_the_other_side(x):
    force = _force()
    pull, evaluations = force(x), 1
    while pull < -1e-3:
        x = x + 0.1 * pull
        pull, evaluations = force(x), evaluations + 1
    return x, evaluations


_evaluations = [0]


@wrong("rest-and-count", "count-goes-on")
def counts_in_a_global(x):
    place, evaluations = _rest_of_the_bead(_force(), x)
    _evaluations[0] += evaluations
    return place, _evaluations[0]


@right("rest-and-count")
@jax.jit
def carries_the_count(x):
    def force(x):
        return -2 * x - jnp.sin(x)

    def step(state):
        x, pull, evaluations = state
        x = x + 0.1 * pull
        return x, force(x), evaluations + 1

    x = jnp.asarray(x, jnp.float32)
    x, _, evaluations = jax.lax.while_loop(lambda state: abs(state[1]) > 1e-3, step, (x, force(x), 1))
    return x, evaluations


class Bead:
    """A callable object that counts its own calls."""

    def __call__(self, x):
        self.evaluations = 0
        place, _ = _rest_of_the_bead(self.force, x)
        return place, self.evaluations

    def force(self, x):
        self.evaluations += 1
        return _force()(x)


counts_in_an_object = right("rest-and-count")(Bead())


# -- decay-curves -----------------------------------------------------------------------------------------------


def decays(times, rates):
    """The oracle, in `float64`."""
    return np.exp(-np.asarray(rates, np.float64)[:, None] * times)


def draw_decays(rng, lengths):
    many, few = lengths
    return inputs.array(rng, many, "float32", low=0, high=3), inputs.array(rng, few, "float32", low=-1, high=2)


def programs_for_each(answer, first, rest):
    """How many programs a call compiles for numbers it has not seen, in arrays that it has; from empty caches."""
    others = [np.asarray(rest * (1 + k), np.float32) for k in range(2)]
    return len(answer.probe(probe.compiles, [(first, each) for each in others])[1])


@exercise(
    "decay-curves",
    see="lab-silent",
    hint=["`curve` reads `rate`, and gets no `rate`. When does it read?", "Give `curve` a second argument."],
)
def decay_curves(answer, rng):
    sweep(
        lambda *args: answer.probe(probe.on_jax_arrays, *args),
        decays,
        draw_decays,
        rng,
        shapes=[(5, 4), (1, 1)],
        each=2,
        extremes=[
            (np.array([0, 1e-3, 5e-3], np.float32), np.array([150, 0.5, 200], np.float32)),
            (np.array([1, 150, 200], np.float32), np.array([0.01, 0.001, 0.02], np.float32)),
            *[(days, np.array([0.5, 1.25, 0.5], np.float32)) for days in (np.arange(3), np.array([2, 0, 1]))],
        ],
        slips=[
            Slip(
                "frozen-rate",
                lambda times, rates: np.tile(decays(times, rates)[0], (len(rates), 1)),
                "All curves are the first one: its rate was baked into the program as a constant.",
                see="frozen-globals",
            ),
            Slip(
                "last-rate",
                lambda times, rates: np.tile(decays(times, rates)[-1], (len(rates), 1)),
                "All curves are the last one: `rate` was read after the loop.",
            ),
            Slip(
                "transposed",
                lambda times, rates: decays(times, rates).T,
                "One *row* for each rate: yours are the columns.",
            ),
            Slip(
                "no-minus",
                lambda times, rates: 1 / decays(times, rates),
                "That grows: the minus sign is missing.",
            ),
            Slip(
                "whole-rates",
                lambda times, rates: decays(times, np.trunc(rates) if times.dtype.kind == "i" else rates),
                "The times are whole numbers here, and the rates became whole numbers, too: keep their dtype.",
            ),
        ],
        message="Those are not the decay curves.",
    )
    rates = rng.permutation(np.linspace(0.2, 3.0, 6)).astype(np.float32)
    again = programs_for_each(answer, np.linspace(0, 2, 5, dtype=np.float32), rates)
    message = f"The curves are right, and six new rates compile {again} programs: one for each, though all are alike."
    require(again < 6, "one-program-per-rate", message, see="frozen-globals")


@wrong("decay-curves", "frozen-rate")
def reads_the_rate_from_outside(times, rates):
    rate = 0.0

    @jax.jit
    def curve(times):
        return jnp.exp(-rate * times)

    rows = []
    for rate in rates:  # noqa: B007 - the mistake
        rows.append(curve(times))
    return jnp.stack(rows)


@wrong("decay-curves", "one-program-per-rate")
def compiles_in_the_loop(times, rates):
    rows = []
    for rate in rates:
        rows.append(jax.jit(lambda times, rate=rate: jnp.exp(-rate * times))(times))
    return jnp.stack(rows)


@wrong("decay-curves", "one-program-per-rate")
def makes_the_rate_static(times, rates):
    curve = jax.jit(lambda times, rate: jnp.exp(-rate * times), static_argnums=1)
    return jnp.stack([curve(times, float(rate)) for rate in rates])


@wrong("decay-curves", "whole-rates")
def gives_rates_the_dtype_of_times(times, rates):
    return jnp.exp(-jnp.asarray(rates).astype(jnp.asarray(times).dtype)[:, None] * times)


@wrong("decay-curves", "transposed")
def puts_rates_to_the_right(times, rates):
    return jax.jit(lambda times, rates: jnp.exp(-times[:, None] * rates))(times, rates)


@wrong("decay-curves", "no-minus")
def forgets_the_sign(times, rates):
    return jnp.exp(rates[:, None] * times)


@functools.partial(jax.jit, static_argnums=1)
def _curve_of_a_static_rate(times, rate):
    return jnp.exp(-rate * times)


@wrong("decay-curves", "one-program-per-rate")
def makes_the_rate_static_outside(times, rates):
    return jnp.stack([_curve_of_a_static_rate(times, float(rate)) for rate in rates])


@functools.cache
def _curve_of(rate):
    return jax.jit(lambda times: jnp.exp(-rate * times))


@wrong("decay-curves", "one-program-per-rate")
def keeps_a_curve_for_each(times, rates):
    return jnp.stack([_curve_of(float(rate))(times) for rate in rates])


@wrong("decay-curves", "one-program-per-rate")
def empties_the_cache(times, rates):
    rate, rows = 0.0, []
    curve = jax.jit(lambda times: jnp.exp(-rate * times))
    for rate in rates:  # noqa: B007 - the lambda reads it
        curve.clear_cache()
        rows.append(curve(times))
    return jnp.stack(rows)


@wrong("decay-curves", "last-rate")
def reads_the_last_one(times, rates):
    curve = jax.jit(lambda times: jnp.exp(-rates[-1] * times))
    return jnp.stack([curve(times) for _ in rates])


@wrong("decay-curves", "wrong-value")
def cuts_the_times(times, rates):
    return jnp.exp(-rates[:, None] * times[: len(rates)])


decays_all_at_once = right("decay-curves")(jax.jit(lambda times, rates: jnp.exp(-jnp.outer(rates, times))))


@jax.jit
def _one_curve(times, rate):
    return jnp.exp(-rate * times)


@right("decay-curves")
def calls_one_program(times, rates):
    return jnp.array([_one_curve(times, float(rate)) for rate in rates])


# -- recalibrate ------------------------------------------------------------------------------------------------


def calibrated(reading, gains):
    """The oracle, in `float64`."""
    return reading / np.asarray(gains, np.float64)[:, None]


def draw_readings(rng, lengths):
    many, few = lengths
    gains = inputs.array(rng, few, "float32", low=2, high=9) * rng.choice([1, -1, 1e-4, 1e4], few)
    return inputs.array(rng, many, str(rng.choice(["float32", "int32"]))), gains.astype(np.float32)


@exercise(
    "recalibrate",
    see="lab-silent",
    hint=[
        "A static `self` is a key: the same object is the same key, whatever has been written into it since.",
        "What changes has to come in as an argument that is traced.",
    ],
)
def recalibrate(answer, rng):
    sweep(
        lambda *args: answer.probe(probe.on_jax_arrays, *args),
        calibrated,
        draw_readings,
        rng,
        shapes=[(3, 4), (1, 1), (5, 2)],
        each=3,
        extremes=[(sign * np.arange(1, 6, dtype=np.int32), np.float32([3, 0.0025, -4, 3])) for sign in (1, -1)],
        slips=[
            Slip(
                "stale-self",
                lambda reading, gains: np.tile(reading / gains[0], (len(gains), 1)),
                "Every row was divided by the first gain: it was baked into the program when that was traced.",
                see="stale-self",
            ),
            Slip(
                "never-calibrated",
                lambda reading, gains: np.tile(reading, (len(gains), 1)),
                "No row was divided by its gain: yours are the readings as they came.",
                see="stale-self",
            ),
            Slip(
                "one-after-the-other",
                lambda reading, gains: reading / np.cumprod(np.asarray(gains, np.float64))[:, None],
                "Each row is divided by all the gains so far: begin with the reading itself every time.",
            ),
            Slip(
                "multiplied",
                lambda reading, gains: reading * gains[:, None],
                "The reading is *divided* by the gain.",
            ),
            Slip(
                "one-row-for-equals",
                lambda reading, gains: calibrated(reading, [*dict.fromkeys(gains.tolist())]),
                "A gain that comes twice gets one row. Every one of `gains` has its own.",
            ),
        ],
        message="Those are not the readings, each divided by its gain.",
    )
    gains = rng.permutation(np.linspace(1.1, 5.0, 6)).astype(np.float32)
    again = programs_for_each(answer, rng.uniform(1, 2, size=3).astype(np.float32), gains)
    message = f"The rows are right, and six new gains compile {again} programs: a new key for each."
    require(again < 6, "one-program-per-gain", message, see="stale-self")


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


# -- drunkards-walk -----------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def walked(student_function, seeds, walkers, steps):
    """The walks, and whether the last of them compiled something: a loop that is made anew in each call."""
    walks = []

    def walk(key):
        walks.append(student_function(key, walkers, steps))
        return walks[-1]

    programs = probe.compiled(walk, [(jax.random.key(seed),) for seed in seeds])
    return {"walks": walks, "compiles": bool(programs[-1])}


@probe.question(evidence="values")
def walked_under_jit(student_function, seeds, walkers, steps):
    walk = jax.jit(lambda key: student_function(key, walkers, steps))
    return {"walks": [walk(jax.random.key(seed)) for seed in seeds]}


def numbers_drawn(student_function, walkers, steps):
    """How many random numbers the program draws; a loop of unknown length counts as one step for each step."""

    def drawn(jaxpr):
        total = 0
        for equation in jaxpr.eqns:
            name, params = str(equation.primitive), equation.params
            times = params["length"] if name == "scan" else steps if name == "while" else 1
            if name in ("random_bits", "random_gamma"):
                total += int(np.prod(equation.outvars[0].aval.shape))
            for value in params.values():
                for part in value if isinstance(value, (tuple, list)) else [value]:
                    inner = getattr(part, "jaxpr", part)
                    if hasattr(inner, "eqns"):
                        total += times * drawn(inner)
        return total

    return drawn(jax.make_jaxpr(lambda key: student_function(key, walkers, steps))(jax.random.key(0)).jaxpr)


def from_normal(sample):
    """The largest distance of a sample's distribution from the normal one: Kolmogorov and Smirnov's."""
    ordered = np.sort(sample.astype(np.float64))
    want = np.array(list(map(NormalDist().cdf, ordered.tolist())))
    n = len(ordered)
    return float(max(np.max(np.arange(1, n + 1) / n - want), np.max(want - np.arange(n) / n)))


@exercise(
    "drunkards-walk",
    see="lab-silent",
    hint=[
        "The same key gives the same numbers, in every pass.",
        "`jax.random.split(key, steps)` gives a key for each.",
    ],
)
def drunkards_walk(answer, rng):
    seed, walkers, steps = int(rng.integers(2**20)), 300, 16
    facts = answer.probe(walked, [seed, seed + 1, seed], walkers, steps)
    got, other, again = map(numbers, facts["walks"])
    require(got.shape == (walkers,), "wrong-shape", f"One position for each of {walkers} walkers, not {got.shape}.")
    require(got.std() > 1e-3, "all-walk-together", "All walkers take the same steps: each needs a number of its own.")
    message = "Another key, and the same walk: you do not use the key that you are given."
    refuse(close(got, other), "ignores-the-key", message, see="keys-are-values")
    message = "The same key, and another walk: the numbers come from somewhere else as well."
    require(close(got, again), "not-from-the-key", message, see="keys-are-values")
    uses, raised = answer.attempt(probe.key_uses, walkers, steps, expected=NEEDS_A_VALUE)
    found = answer.probe(probe.reuses_key, walkers, steps) if raised else ""
    faults = uses["faults"] if uses else []
    ratio = got.std() / np.sqrt(steps)
    far = f" The walkers are {ratio:.1f} times as far away as they should be." if ratio > 1.25 else ""
    twice = found or {"drawn-twice", "same-in-every-step"} & set(faults)
    refuse(twice, "same-key-again", f"A key is drawn from twice, so numbers repeat.{far}", see="key-reuse")
    message = "A key is drawn from, and new keys are made of it as well. Use each key once, for one of the two."
    refuse(faults, "draws-and-derives", message, see="key-reuse")
    many = walked if raised else walked_under_jit  # NumPy may add up what was drawn
    one_step = numbers(answer.probe(many, [seed], 20_000, 1)["walks"][0])
    many = many if facts["compiles"] else walked  # one program of many steps costs more than forty walks step by step
    spread = numbers(answer.probe(many, [seed], 4_000, 3)["walks"][0]).std() / np.sqrt(3)
    message = f"After n steps of spread 1 the spread should be √n. Yours is {spread:.2f} √n after three steps."
    require(0.9 < spread < 1.1, "wrong-spread", message)
    message = "Their spread is right, but the steps are not normal: half of the walkers should take a step below 0.67."
    require(from_normal(one_step) < 0.02, "not-normal", message)
    message = "Nearly normal, but of 20,000 steps none is longer than 3.2: the tails are cut off."
    require(np.abs(one_step).max() > 3.2, "not-normal", message)
    drawn, raised = answer.attempt(numbers_drawn, walkers, steps, expected=NEEDS_A_VALUE)
    message = f"{drawn} numbers are drawn for {walkers} walkers with {steps} steps: not one for every step."
    refuse(not raised and drawn < walkers * steps, "too-few-numbers", message)
    crowds = answer.probe(many, list(range(seed, seed + 40)), 2000, steps)["walks"]
    crowds = np.array([numbers(walk) for walk in crowds])
    message = f"Right for three steps. After {steps} the spread is {crowds.std() / np.sqrt(steps):.2f} √n."
    require(0.96 < crowds.std() / np.sqrt(steps) < 1.04, "wrong-spread", message)
    alone = numbers(answer.probe(walked, [seed], 1, 2)["walks"][0])
    require(alone.shape == (1,), "wrong-shape", f"One position for one walker, not {alone.shape}.")
    together = np.var(crowds.sum(axis=1)) / (2000 * steps)
    message = "The spread is right, but the steps are not independent: where all walkers are together shows it."
    require(0.2 < together < 3, "same-numbers-shuffled", message)
    message = f"Their spread is right, but on average they are at {crowds.mean():.2f} after {steps} steps, not at 0."
    require(abs(crowds.mean()) < 0.03 * np.sqrt(steps), "drifts", message)


@wrong("drunkards-walk", "same-key-again")
def draws_with_one_key(key, walkers, steps):
    position = jnp.zeros(walkers)
    for _ in range(steps):
        position = position + jax.random.normal(key, (walkers,))
    return position


@wrong("drunkards-walk", "same-key-again")
def splits_and_forgets(key, walkers, steps):
    position = jnp.zeros(walkers)
    for _ in range(steps):
        _, fresh = jax.random.split(key)
        position = position + jax.random.normal(fresh, (walkers,))
    return position


@wrong("drunkards-walk", "ignores-the-key")
def makes_keys_from_the_step(key, walkers, steps):
    position = jnp.zeros(walkers)
    for step in range(steps):
        position = position + jax.random.normal(jax.random.key(step), (walkers,))
    return position


@wrong("drunkards-walk", "all-walk-together")
def draws_one_number_per_step(key, walkers, steps):
    position = jnp.zeros(walkers)
    for fresh in jax.random.split(key, steps):
        position = position + jax.random.normal(fresh)
    return position


@wrong("drunkards-walk", "wrong-spread")
def draws_uniform_steps(key, walkers, steps):
    return jax.random.uniform(key, (steps, walkers), minval=-1.0).sum(axis=0)


@wrong("drunkards-walk", "too-few-numbers")
def takes_one_long_step(key, walkers, steps):
    return jnp.sqrt(steps) * jax.random.normal(key, (walkers,))


@wrong("drunkards-walk", "draws-and-derives")
def draws_and_folds(key, walkers, steps):
    position = jax.random.normal(key, (walkers,))
    for i in range(1, steps):
        position = position + jax.random.normal(jax.random.fold_in(key, i), (walkers,))
    return position


@wrong("drunkards-walk", "draws-and-derives")
def draws_and_splits(key, walkers, steps):
    position = jnp.zeros(walkers)
    for _ in range(steps):
        position = position + jax.random.normal(key, (walkers,))
        key, _ = jax.random.split(key)
    return position


@wrong("drunkards-walk", "same-key-again")
def draws_the_same_in_a_loop(key, walkers, steps):
    return jax.lax.fori_loop(0, steps, lambda _, p: p + jax.random.normal(key, (walkers,)), jnp.zeros(walkers))


@wrong("drunkards-walk", "not-normal")
def never_steps_further_than_three(key, walkers, steps):
    return jax.random.truncated_normal(key, -3, 3, (steps, walkers)).sum(axis=0)


@wrong("drunkards-walk", "drifts")
def has_the_wind_behind(key, walkers, steps):
    return jax.random.normal(key, (steps, walkers)).sum(axis=0) - 0.015 * steps


@wrong("drunkards-walk", "wrong-spread")
def is_slowed_down(key, walkers, steps):
    position = jnp.zeros(walkers)
    for fresh in jax.random.split(key, steps):
        position = 0.93 * position + jax.random.normal(fresh, (walkers,))
    return position


@wrong("drunkards-walk", "wrong-shape")
def loses_the_axis_of_one(key, walkers, steps):
    return jnp.squeeze(jax.random.normal(key, (steps, walkers)).sum(axis=0))


@wrong("drunkards-walk", "not-normal")
def tosses_a_coin(key, walkers, steps):
    return jax.random.rademacher(key, (steps, walkers), dtype=jnp.float32).sum(axis=0)


@wrong("drunkards-walk", "same-numbers-shuffled")
def shuffles_one_draw(key, walkers, steps):
    first, *others = jax.random.split(key, steps + 1)
    numbers_of_all = jax.random.normal(first, (walkers,))
    return sum(jax.random.permutation(other, numbers_of_all) for other in others)


@wrong("drunkards-walk", "wrong-spread")
def stops_a_step_early(key, walkers, steps):
    return jax.random.normal(key, (steps - 1, walkers)).sum(axis=0)


@wrong("drunkards-walk", "not-from-the-key")
def adds_numbers_of_numpy(key, walkers, steps):
    started = jax.random.normal(key, (walkers,))
    return started + np.random.default_rng().normal(size=(steps - 1, walkers)).sum(axis=0)


@right("drunkards-walk")
def folds_the_step_in(key, walkers, steps):
    def step(i, position):
        return position + jax.random.normal(jax.random.fold_in(key, i), (walkers,))

    return jax.lax.fori_loop(0, steps, step, jnp.zeros(walkers))


@right("drunkards-walk")
def adds_up_in_numpy(key, walkers, steps):
    return np.asarray(jax.random.normal(key, (steps, walkers))).sum(axis=0)


@right("drunkards-walk")
@functools.partial(jax.jit, static_argnums=(1, 2))
def moves_the_key_on(key, walkers, steps):
    def step(state, _):
        position, key = state
        key, fresh = jax.random.split(key)
        return (position + jax.random.normal(fresh, (walkers,)), key), None

    return jax.lax.scan(step, (jnp.zeros(walkers), key), length=steps)[0][0]


# -- spring-energy ----------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def energies_and_slopes(student_function, drawn, compiled):
    """The energy and its gradient for several positions, with one program for each shape."""
    function = jax.value_and_grad(lambda p: student_function(p))
    function = jax.jit(function) if compiled else function
    return [function(positions) for positions in probe.on_device(drawn)]


def springs(positions):
    """The oracle: the energy and its gradient, by two loops."""
    energy, gradient = 0.0, np.zeros(positions.shape)
    for i in range(len(positions)):
        for j in range(i):
            apart = positions[i].astype(np.float64) - positions[j]
            r = np.sqrt(apart @ apart)
            energy += 0.5 * (r - 1) ** 2
            gradient[i] += (r - 1) * apart / r
            gradient[j] -= (r - 1) * apart / r
    return energy, gradient


def energy_of(positions):
    return springs(positions)[0]


def squared_springs(positions):
    squared = np.sum((positions[:, None] - positions.astype(np.float64)) ** 2, axis=-1)
    return 0.25 * (np.sum((squared - 1) ** 2) - len(positions))


def draw_atoms(rng, shape):
    """Atoms near the origin or far away, two of them close or very close to each other."""
    places = rng.permutation(np.arange(-8, 8))[: shape[0]]  # the first axis keeps two apart by 0.5, and not by about 1
    positions = rng.uniform(-1, 1, size=shape)
    positions[:, 0] = 0.6 * places + rng.uniform(-0.05, 0.05, size=len(places))
    positions[-1] = positions[0] + rng.choice([0.05, 0.004]) if len(positions) > 2 else positions[-1]
    return (np.float32(positions + rng.choice([0.0, 0.0, 1000.0])),)


def softened_springs(positions, added):
    """The energy with a number under each root."""
    squared = np.sum((positions[:, None] - positions.astype(np.float64)) ** 2, axis=-1)
    return 0.5 * np.sum((np.sqrt(squared[np.triu_indices(len(positions), 1)] + added) - 1) ** 2)


def cancels_far_away(energies, drawn):
    """Whether energies are good near the origin, and far from it not."""
    errors = np.array([abs(mine - energy_of(positions)) for mine, positions in zip(energies, drawn, strict=True)])
    far = np.array([np.min(np.abs(positions)) > 100 for positions in drawn])
    return bool(np.all(errors[~far] < 5e-3) and np.sum(errors[far] > 0.05) >= 2)


@exercise(
    "spring-energy",
    see="lab-silent",
    hint=[
        "Where is a distance zero, and what is the slope of the root there?",
        "Give the root something harmless *before* you take it: the inner `where` of the double `where`.",
    ],
)
def spring_energy(answer, rng):
    drawn = [draw_atoms(rng, shape)[0] for shape in ((2, 1), (4, 2), (3, 3)) for _ in range(8)]
    pairs = (rng.uniform(-1, 1), 0.001), (0.5, -0.003), (-0.4, 0.0012)
    drawn += [np.float32([[place], [place + apart]]) for place, apart in pairs]
    drawn.append(np.float32([[0.3, 1], [0.3, -0.5], [1.2, -0.5], [0, 0]]))  # some in one row, some in one column
    drawn += [positions + np.float32(1000) for positions in drawn[8:10]]
    got = numbers(answer(drawn[8]))
    require(got.shape == (), "wrong-shape", f"One number is wanted, the energy, and not the shape {got.shape}.")
    results, raised = answer.attempt(energies_and_slopes, drawn, True, expected=NEEDS_A_VALUE)
    if raised:  # under `grad` alone Python may look at numbers
        results = answer.probe(energies_and_slopes, drawn, False)
    known = {positions.tobytes(): result for positions, result in zip(drawn, results, strict=True)}
    energies = [float(numbers(energy)) for energy, _ in results]
    message = (
        "The energy is good near the origin, and its digits are lost far from it, as in `a*a - 2*a*b + b*b`, where "
        "large numbers cancel. Subtract the positions first, then square."
    )
    refuse(cancels_far_away(energies, drawn), "squares-expanded", message)
    pair = drawn[24].astype(np.float64)  # two atoms that are near: what is under their root follows from the energy
    added = max((1 - np.sqrt(2 * max(energies[24], 0))) ** 2 - np.sum((pair[1] - pair[0]) ** 2), 0)
    inputs.Asked(lambda positions: known[positions.tobytes()][0], energy_of, rtol=2e-4).require(
        [(positions,) for positions in drawn],
        "That is not the energy any more.",
        "wrong-value",
        slips=[
            Slip(
                "pairs-twice",
                lambda positions: 2 * energy_of(positions),
                "Each spring is counted twice, as (i, j) and (j, i).",
            ),
            Slip(
                "springs-to-itself",
                lambda positions: energy_of(positions) + 0.25 * len(positions),
                "An atom has no spring to itself: the diagonal of the table adds (0 - 1)² for each.",
            ),
            Slip(
                "no-root",
                squared_springs,
                "The root is gone, and with it the distance: the energy is of the distance minus 1, not of its square.",
            ),
            Slip(
                "added-under-the-root",
                lambda positions: softened_springs(positions, added),
                "A number that is added under the root gives close atoms another distance. Add nothing: replace what "
                "is under the root on the diagonal alone.",
            ),
            Slip(
                "neighbours-alone",
                lambda positions: sum(energy_of(positions[i : i + 2]) for i in range(len(positions) - 1)),
                "Those are the springs between neighbours in the list. *Every* pair has one.",
            ),
        ],
    )
    slopes = [numbers(slope) for _, slope in results]
    message = (
        "The energy is right, and its gradient is NaN: at the distance zero the root has no slope, and what comes "
        "afterwards does not repair it."
    )
    refuse(any(np.isnan(slope).any() for slope in slopes), "nan-gradient", message, see="nan-through-where")
    message = "The gradient is zero. It is finite now because it is cut off, and nothing will move."
    refuse(all(np.all(slope == 0) for slope in slopes), "gradient-cut-off", message, see="nan-through-where")
    for positions, slope in zip(drawn, slopes, strict=True):
        message = "The gradient is finite, and wrong."
        expect(slope, springs(positions)[1], message, rtol=2e-4, label="wrong-gradient")
    message = "That is not the energy of other atoms."
    expect(answer(drawn[9]), energy_of(drawn[9]), message, rtol=2e-4)


@wrong("spring-energy", "nan-gradient")
def masks_the_diagonal_afterwards(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jnp.sqrt(jnp.sum(apart**2, axis=-1))
    energy = 0.5 * (distance - 1.0) ** 2
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, energy)) / 2


@wrong("spring-energy", "nan-gradient")
def cleans_the_energy(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jnp.where(jnp.eye(len(positions), dtype=bool), 1.0, jnp.linalg.norm(apart, axis=-1))
    return jnp.nan_to_num(jnp.sum(0.5 * (distance - 1.0) ** 2) / 2)


@wrong("spring-energy", "springs-to-itself")
def shifts_the_root_only(positions):
    squared = jnp.sum((positions[:, None] - positions[None, :]) ** 2, axis=-1)
    return jnp.sum(0.5 * (jnp.sqrt(squared + 1e-12) - 1.0) ** 2) / 2


@wrong("spring-energy", "gradient-cut-off")
def stops_the_distances(positions):
    apart = positions[:, None] - positions[None, :]
    distance = jax.lax.stop_gradient(jnp.sqrt(jnp.sum(apart**2, axis=-1)))
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (distance - 1.0) ** 2)) / 2


@wrong("spring-energy", "wrong-gradient")
def stops_half_of_the_atoms(positions):
    apart = positions[:, None] - jax.lax.stop_gradient(positions)[None, :]
    itself = jnp.eye(len(positions), dtype=bool)
    squared = jnp.where(itself, 1.0, jnp.sum(apart**2, axis=-1))
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "pairs-twice")
def forgets_to_halve(positions):
    apart = positions[:, None] - positions[None, :]
    itself = jnp.eye(len(positions), dtype=bool)
    squared = jnp.where(itself, 1.0, jnp.sum(apart**2, axis=-1))
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2)


@wrong("spring-energy", "added-under-the-root")
def shifts_the_root_too_far(positions):
    squared = jnp.sum((positions[:, None] - positions[None, :]) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (jnp.sqrt(squared + 0.5) - 1.0) ** 2)) / 2


@wrong("spring-energy", "added-under-the-root")
def adds_a_thousandth(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (jnp.sqrt(squared + 1e-3) - 1.0) ** 2)) / 2


@wrong("spring-energy", "added-under-the-root")
def adds_a_millionth(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (jnp.sqrt(squared + 1e-6) - 1.0) ** 2)) / 2


@wrong("spring-energy", "wrong-gradient")
def adds_too_much_for_near_atoms(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    energy = 0.5 * (jnp.sqrt(squared + 1e-8) - 1.0) ** 2
    return (jnp.sum(energy) - jnp.trace(energy)) / 2


@wrong("spring-energy", "wrong-value")
def shifts_the_atoms_against_each_other(positions):
    apart = positions[:, None] - positions + 1e-2
    itself = jnp.eye(len(positions), dtype=bool)
    distance = jnp.sqrt(jnp.sum(apart**2, axis=-1))
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (distance - 1.0) ** 2)) / 2


@wrong("spring-energy", "squares-expanded")
def expands_the_square(positions):
    lengths = jnp.sum(positions**2, axis=-1)
    squared = lengths[:, None] + lengths - 2 * positions @ positions.T
    squared = jnp.where(jnp.eye(len(positions), dtype=bool), 1.0, jnp.abs(squared))
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "squares-expanded")
def expands_it_and_keeps_it_positive(positions):
    lengths = jnp.sum(positions**2, axis=-1)
    products = jnp.sum(positions[:, None] * positions, axis=-1)
    squared = jnp.maximum(lengths[:, None] + lengths - 2 * products, 1e-12)
    squared = jnp.where(jnp.eye(len(positions), dtype=bool), 1.0, squared)
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "wrong-value")
def leaves_out_who_is_near(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    squared = jnp.where(squared < 0.1, 1.0, squared)
    return jnp.sum(0.5 * (jnp.sqrt(squared) - 1.0) ** 2) / 2


@wrong("spring-energy", "no-root")
def forgets_the_root(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    itself = jnp.eye(len(positions), dtype=bool)
    return jnp.sum(jnp.where(itself, 0.0, 0.5 * (squared - 1.0) ** 2)) / 2


@wrong("spring-energy", "neighbours-alone")
def makes_a_chain(positions):
    distance = jnp.linalg.norm(positions[1:] - positions[:-1], axis=-1)
    return 0.5 * jnp.sum((distance - 1.0) ** 2)


@right("spring-energy")
def takes_each_pair_once(positions):
    i, j = jnp.triu_indices(len(positions), 1)
    return 0.5 * jnp.sum((jnp.linalg.norm(positions[i] - positions[j], axis=-1) - 1.0) ** 2)


@right("spring-energy")
def adds_a_hair(positions):
    squared = jnp.sum((positions[:, None] - positions) ** 2, axis=-1)
    energy = 0.5 * (jnp.sqrt(squared + 1e-12) - 1.0) ** 2
    return (jnp.sum(energy) - jnp.trace(energy)) / 2


@right("spring-energy")
def asks_for_the_distance(positions):
    energy = 0.0
    for i in range(len(positions)):
        for other in positions[:i]:
            if (apart := jnp.sum((positions[i] - other) ** 2)) > 0:
                energy += 0.5 * (jnp.sqrt(apart) - 1) ** 2
    return energy


# -- pulse-phase ------------------------------------------------------------------------------------------------


def phases(times, period):
    """The oracle."""
    return (times - times[0]) / period % 1


def draw_arrivals(rng, n):
    """Arrivals in order, whole seconds now and then. No phase but the first is near 0 or 1, which are one place."""
    period = round(10 ** rng.uniform(-1.5, 0.5), 4)
    elapsed = inputs.array(rng, 20 * n, low=0, high=59)
    inside = elapsed[np.abs(elapsed / period % 1 - 0.5) < 0.45][: n - 1]
    return 1.7e9 + np.floor(rng.uniform(0, 1e6)) + rng.choice([0.0, 0.3, 0.8]) + np.append(0.0, np.sort(inside)), period


def in_64_bits(student_function, times, period):
    """The operations that JAX does in 64 bits."""
    jaxpr = jax.make_jaxpr(lambda: student_function(times, period))()
    wide = ("float64", "int64", "complex128")
    found = {str(e.primitive) for e in probe.equations(jaxpr) for v in e.outvars if str(v.aval.dtype) in wide}
    return sorted(found | {"constant" for v in jaxpr.jaxpr.constvars if str(v.aval.dtype) in wide})


@exercise(
    "pulse-phase",
    see="lab-silent",
    hint=["Print `t` in the first line. Do the pulses still lie at different times?", "Subtract while it is NumPy."],
)
def pulse_phase(answer, rng):
    start, period = 1.7e9 + rng.uniform(0, 1e6), 0.714
    times = start + np.append(0, np.sort(rng.uniform(1, 40, size=5)))
    grid = np.asarray(times, np.float32)
    message = (
        f"In `float32` the times lie on a grid of {np.spacing(grid[0]):.0f} s: {len(set(grid.tolist()))} of 6 differ. "
        "The difference came too late."
    )

    sweep(
        answer,
        phases,
        draw_arrivals,
        rng,
        shapes=[1, 6, 30],
        each=6,
        extremes=[(times[::2], 60.0)],
        slips=[
            Slip(
                "rounded-before-subtracting",
                lambda times, period: (np.asarray(times, np.float32) - np.asarray(times, np.float32)[0]) / period % 1,
                message,
                see="float32-by-default",
            ),
            Slip(
                "whole-seconds",
                lambda times, period: np.floor(times - times[0]) / period % 1,
                "The fractions of a second are gone: you made integers of the times first.",
            ),
            Slip(
                "counts-cycles",
                lambda times, period: (times - times[0]) / period,
                "Those are cycles. The phase is their fraction.",
            ),
            Slip(
                "in-seconds",
                lambda times, period: (times - times[0]) % period,
                "Those are seconds since the last pulse. The phase is the fraction of a period, from 0 to 1.",
            ),
            Slip(
                "from-1970",
                lambda times, period: times / period % 1,
                "Those count from 1970. Count from the first arrival.",
            ),
        ],
        message="The phase counts from the first arrival, as a fraction of the period, from 0 to 1.",
        rtol=1e-3,
    )
    got = numbers(answer(times, period))
    message = "Right, but those are 64 bits, by NumPy or by a switch. The phases should be a JAX array of `float32`."
    require(got.dtype == np.float32, "more-digits", message, see="float32-by-default")
    for later in (times, times + np.arange(times.size) / 8):
        expect(answer(later, 60.0), phases(later, 60.0), "Those are not the phases of other arrivals.", rtol=1e-3)
    kind = answer.probe(probe.result_type, times, period)
    message = f"Right, but what comes back is of type `{kind}`. The phases should be a JAX array: `jnp.asarray`."
    require(kind == "jax.Array", "not-in-jax", message)
    wide, _ = answer.attempt(in_64_bits, times, period, expected=NEEDS_A_VALUE)
    message = f"Right, but JAX was switched to 64 bits meanwhile: {', '.join(wide or [])}. NumPy has them anyway."
    refuse(wide, "switches-to-64-bits", message, see="float32-by-default")


@wrong("pulse-phase", "rounded-before-subtracting")
def converts_first(times, period):
    t = jnp.asarray(times)
    elapsed = t - t[0]
    return (elapsed / period) % 1.0


@wrong("pulse-phase", "rounded-before-subtracting")
def subtracts_in_jit(times, period):
    return jax.jit(lambda t: (t - t[0]) / period % 1.0)(times)


@wrong("pulse-phase", "whole-seconds")
def keeps_whole_seconds(times, period):
    elapsed = jnp.asarray(np.floor(times - times[0]).astype(np.int32))
    return (elapsed / period) % 1.0


@wrong("pulse-phase", "counts-cycles")
def forgets_the_fraction(times, period):
    return jnp.asarray(times - times[0]) / period


@wrong("pulse-phase", "from-1970")
def counts_from_1970(times, period):
    return jnp.asarray(times / period % 1)


@wrong("pulse-phase", "wrong-value")
def counts_from_half_a_period(times, period):
    return jnp.asarray((times - times[0]) / period + 0.5) % 1.0


@wrong("pulse-phase", "more-digits")
def stays_in_numpy_to_the_end(times, period):
    return (times - times[0]) / period % 1.0


@wrong("pulse-phase", "wrong-value")
def gives_the_last_alone(times, period):
    return jnp.asarray(times[-1] - times[0]) / period % 1.0


@wrong("pulse-phase", "not-in-jax")
def stays_in_numpy_with_few_digits(times, period):
    return ((times - times[0]) / period % 1.0).astype(np.float32)


@wrong("pulse-phase", "switches-to-64-bits")
def switches_for_a_moment(times, period):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    t = jnp.asarray(times)
    phase = ((t - t[0]) / period % 1.0).astype(jnp.float32)
    jax.config.update("jax_enable_x64", before)
    return phase


@wrong("pulse-phase", "in-seconds")
def gives_seconds(times, period):
    return jnp.asarray((times - times[0]) % period)


@wrong("pulse-phase", "changed-input")
def subtracts_in_place(times, period):
    times -= times[0]
    return jnp.asarray(times) / period % 1.0


@wrong("pulse-phase", "rounded-before-subtracting")
def asks_for_float64(times, period):
    t = jnp.asarray(times, dtype=jnp.float64)
    return (t - t[0]) / period % 1.0


@right("pulse-phase")
def finishes_in_numpy(times, period):
    return jnp.asarray((times - times[0]) / period % 1.0)


@right("pulse-phase")
def takes_the_floor_off(times, period):
    cycles = jnp.float32(np.subtract(times, np.min(times))) / period
    return jax.jit(lambda c: c - jnp.floor(c))(cycles)


# -- relax-ring -------------------------------------------------------------------------------------------------


def outside_of_jit(student_function, temperature, steps):
    """Whether any program is called; and the primitives that stand in no jitted function and no loop of JAX."""
    temperature = jnp.asarray(temperature)  # it is no tracer, so that NumPy may have a look at what comes in
    jaxpr = jax.make_jaxpr(lambda: student_function(temperature, steps))().jaxpr
    names = {str(equation.primitive) for equation in jaxpr.eqns}
    programs = {"jit", "pjit", "while", "scan", "custom_jvp_call", "closed_call"}
    moves = {"convert_element_type", "broadcast_in_dim", "reshape", "copy", "squeeze", "device_put"}
    return bool(names & programs), sorted(names - programs - moves)


def step_of_heat(temperature):
    return temperature + 0.1 * (jnp.roll(temperature, 1) - 2 * temperature + jnp.roll(temperature, -1))


def relaxed(temperature, steps):
    """The oracle, in `float64`."""
    t = temperature.astype(np.float64)
    for _ in range(steps):
        t = t + 0.1 * (np.roll(t, 1) - 2 * t + np.roll(t, -1))
    return t


def with_open_ends(temperature, steps):
    t = temperature.astype(np.float64)
    for _ in range(steps):
        t = t + 0.1 * (np.append(t[:1], t[:-1]) - 2 * t + np.append(t[1:], t[-1:]))
    return t


def draw_ring(rng, n):
    return inputs.array(rng, n, "float32", low=0, high=100), int(rng.choice([0, 1, 2, 6]))


@exercise(
    "relax-ring",
    see="lab-slow",
    hint=["`jit` remembers programs by the function object. How many are made here?", "Define `step` once, outside."],
)
def relax_ring(answer, rng):
    sweep(
        lambda *args: answer.probe(probe.on_jax_arrays, *args),
        relaxed,
        draw_ring,
        rng,
        shapes=[8, 1, 3],
        each=2,
        slips=[
            Slip(
                "one-step-off",
                lambda t, steps: relaxed(t, max(steps - 1, 0)),
                "That is one step too few.",
            ),
            Slip("one-step-off", lambda t, steps: relaxed(t, steps + 1), "That is one step too many."),
            Slip(
                "open-ends",
                with_open_ends,
                "The ring is open: its last place is a neighbour of the first, as in `jnp.roll`.",
            ),
        ],
        message="Those are not the temperatures after so many steps.",
        rtol=1e-4,
    )
    hot, cold = (rng.uniform(0, 100, size=8).astype(np.float32) for _ in range(2))
    first, again, *others = answer.probe(probe.compiles, [(hot, 6), (cold, 6), (hot, 9), (cold, 3)])
    message = f"A second call with the same shape compiles again ({len(again)} times)"
    why = "each pass makes a new function, which `jit` has not seen before."
    require(len(again) < 6, "one-program-per-step", f"{message}: {why}", see="function-identity")
    why = "the function that is jitted is made anew in each call. Make it once, outside yours."
    refuse(again, "one-program-per-call", f"{message}: {why}", see="function-identity")
    message = "The same shape with another number of steps compiles again: `steps` is static, or unrolled under `jit`."
    advice = "Compile one step, or let `fori_loop` take the number as it comes."
    refuse(any(others), "one-program-per-number", f"{message} {advice}", see="static-arguments")
    ramp = np.arange(8, dtype=np.float32)  # now, as a program for each of so many steps takes seconds
    message = "After a few steps the temperatures are right, after 150 they are not: does your loop end too early?"
    expect(answer.probe(probe.on_jax_arrays, ramp, 150), relaxed(ramp, 150), message, rtol=1e-4)
    found, raised = answer.attempt(outside_of_jit, hot, 2, expected=NEEDS_A_VALUE)
    compiled, alone = (bool(first), []) if raised else found  # it raises if NumPy looks at what a program returned
    message = "Nothing is compiled twice, because nothing is compiled together:"
    require(compiled or alone, "gives-up-jit", f"{message} NumPy does the work.")
    refuse(alone, "gives-up-jit", f"{message} {', '.join(alone)} run one by one.")


@wrong("relax-ring", "one-program-per-step")
def jits_in_the_loop(temperature, steps):
    for _ in range(steps):

        @jax.jit
        def step(t):
            return t + 0.1 * (jnp.roll(t, 1) - 2 * t + jnp.roll(t, -1))

        temperature = step(temperature)
    return temperature


@wrong("relax-ring", "one-program-per-step")
def binds_in_the_loop(temperature, steps):
    for _ in range(steps):
        temperature = jax.jit(functools.partial(step_of_heat))(temperature)
    return temperature


@wrong("relax-ring", "one-program-per-call")
def jits_before_the_loop(temperature, steps):
    step = jax.jit(lambda t: t + 0.1 * (jnp.roll(t, 1) - 2 * t + jnp.roll(t, -1)))
    for _ in range(steps):
        temperature = step(temperature)
    return temperature


@wrong("relax-ring", "gives-up-jit")
def jits_nothing(temperature, steps):
    for _ in range(steps):
        temperature = step_of_heat(temperature)
    return temperature


@wrong("relax-ring", "one-step-off")
@functools.partial(jax.jit, static_argnames="steps")
def forgets_a_step(temperature, steps):
    return jax.lax.fori_loop(1, steps, lambda _, t: step_of_heat(t), temperature)


@wrong("relax-ring", "one-program-per-number")
@functools.partial(jax.jit, static_argnames="steps")
def makes_the_number_static(temperature, steps):
    return jax.lax.fori_loop(0, steps, lambda _, t: step_of_heat(t), temperature)


@wrong("relax-ring", "gives-up-jit")
def relaxes_in_numpy(temperature, steps):
    return jnp.asarray(relaxed(np.asarray(temperature), steps), jnp.float32)


@wrong("relax-ring", "wrong-value")
@jax.jit
def stops_after_a_hundred(temperature, steps):
    def step(i, t):
        return jnp.where(i < steps, step_of_heat(t), t)

    return jax.lax.fori_loop(0, 100, step, temperature)


_step_of_heat = jax.jit(step_of_heat)
_known = {}


@wrong("relax-ring", "wrong-value")
def remembers_by_shape(temperature, steps):
    if (temperature.shape, steps) not in _known:
        t = temperature
        for _ in range(steps):
            t = _step_of_heat(t)
        _known[temperature.shape, steps] = t
    return _known[temperature.shape, steps]


@wrong("relax-ring", "one-step-off")
def takes_a_step_more(temperature, steps):
    for _ in range(steps + 1):
        temperature = _step_of_heat(temperature)
    return temperature


@jax.jit
def _open_step(t):
    left, right_of = jnp.append(t[:1], t[:-1]), jnp.append(t[1:], t[-1:])
    return t + 0.1 * (left - 2 * t + right_of)


@wrong("relax-ring", "open-ends")
def opens_the_ring(temperature, steps):
    for _ in range(steps):
        temperature = _open_step(temperature)
    return temperature


@right("relax-ring")
@jax.jit
def takes_steps_as_they_come(temperature, steps):
    return jax.lax.fori_loop(0, steps, lambda _, t: step_of_heat(t), temperature)


@jax.jit
def _relaxed_while(temperature, steps):
    def step(state):
        return state[0] - 1, step_of_heat(state[1])

    return jax.lax.while_loop(lambda state: state[0] > 0, step, (steps, temperature))[1]


@right("relax-ring")
def converts_in_numpy(temperature, steps):
    return _relaxed_while(np.asarray(temperature, np.float32), np.int32(steps))


@right("relax-ring")
def jits_one_named_function(temperature, steps):
    for _ in range(steps):
        temperature = jax.jit(step_of_heat)(temperature)
    return temperature


# -- swing ------------------------------------------------------------------------------------------------------


def leapfrog(angle, velocity, steps):
    """The oracle: a plain loop in double precision."""
    angle, velocity = float(angle), float(velocity)
    for _ in range(steps):
        velocity -= 0.1 * np.sin(angle)
        angle += 0.1 * velocity
    return np.array([angle, velocity])


def moved_by(step):
    """An oracle with another step."""

    def oracle(angle, velocity, steps):
        state = float(angle), float(velocity)
        for _ in range(steps):
            state = step(*state)
        return np.array(state)

    return oracle


def angle_first(angle, velocity):
    angle = angle + 0.1 * velocity
    return angle, velocity - 0.1 * np.sin(angle)


def for_small_angles(angle, velocity):
    velocity = velocity - 0.1 * angle
    return angle + 0.1 * velocity, velocity


@probe.question(evidence="values")
def swung(student_function, angle, velocity, steps):
    """The result under `jit`, for a plain number of steps."""
    return jax.jit(student_function, static_argnums=2)(angle, velocity, steps)


def equations(student_function, angle, velocity, steps):
    """How many equations the program has for a number of steps."""
    return sum(probe.primitives(lambda a, v: student_function(a, v, steps), angle, velocity).values())


def draw_pendulum(rng, steps):
    """A pendulum that swings, or goes over the top."""
    return np.float32(rng.uniform(0.5, 1.5)), np.float32(rng.uniform(0.1, 0.5) * rng.choice([-1, 1, 40])), steps


@exercise(
    "swing",
    see="lab-slow",
    hint=[
        "`jax.lax.fori_loop(0, steps, step, start)`, with `step(i, state)`.",
        "The state is the pair (angle, velocity). In the loop, the angle moves with the *new* velocity.",
    ],
)
def swing(answer, rng):
    angle, velocity, _ = draw_pendulum(rng, 0)
    few, raised = answer.attempt(equations, angle, velocity, 40, expected=NEEDS_A_VALUE)
    message = "NumPy, or Python, needs the numbers of the state, and under `jit` there are only tracers."
    refuse(raised, "needs-the-numbers", f"{message} It raises `{raised}`.", see="tracer-errors")
    many = answer.probe(equations, angle, velocity, 80)
    message = f"40 steps are {few} equations and 80 steps are {many}: the loop is copied out."
    require(few == many, "unrolled", message, see="unrolling")
    far = answer.probe(equations, angle, velocity, 20000)
    message = f"40 steps are {few} equations and 20000 steps are {far}: there is a loop for each block of steps."
    require(few == far, "unrolled", message, see="unrolling")
    state = answer.probe(swung, angle, velocity, 7)
    every = is_numeric(state) and np.shape(state) in ((7, 2), (2, 7))
    refuse(every, "every-state", "That is every state. Only the last one is wanted.")
    pair = isinstance(state, np.ndarray)
    require(pair, "not-an-array", "Two numbers in a tuple or a list came back: make one array of them.")
    sweep(
        lambda *args: answer.probe(swung, *args),
        leapfrog,
        draw_pendulum,
        rng,
        shapes=[0, 1, 7],
        each=2,
        extremes=[
            (np.float32(3.0), np.float32(2.5), 7),
            (np.float32(-2.5), np.float32(-20.0), 7),
            (np.float32(0.5), np.float32(0.2), 1511),  # a prime: blocks of any length leave a rest
        ],
        slips=[
            Slip(
                "old-velocity",
                moved_by(lambda a, v: (a + 0.1 * v, v - 0.1 * np.sin(a))),
                "Both moved from the *old* state: the angle has to move with the new velocity, or the energy grows.",
            ),
            Slip(
                "angle-first",
                moved_by(angle_first),
                "The angle moved first, with the old velocity. The velocity takes its step first.",
            ),
            Slip(
                "small-angles",
                moved_by(for_small_angles),
                "`sin(angle)` has become `angle`: that holds for small swings alone.",
            ),
            Slip(
                "one-step-short",
                lambda angle, velocity, steps: leapfrog(angle, velocity, steps - 1),
                "That is the state one step before: one step too few.",
            ),
            Slip(
                "exchanged",
                lambda angle, velocity, steps: leapfrog(angle, velocity, steps)[::-1],
                "First the angle, then the velocity.",
            ),
        ],
        message="That is not the state after so many steps.",
        rtol=1e-3,
    )


@wrong("swing", "unrolled")
def steps_in_python(angle, velocity, steps):
    for _ in range(steps):
        velocity = velocity - 0.1 * jnp.sin(angle)
        angle = angle + 0.1 * velocity
    return jnp.stack([angle, velocity])


@wrong("swing", "unrolled")
def jits_the_step(angle, velocity, steps):
    @jax.jit
    def step(angle, velocity):
        velocity = velocity - 0.1 * jnp.sin(angle)
        return angle + 0.1 * velocity, velocity

    for _ in range(steps):
        angle, velocity = step(angle, velocity)
    return jnp.stack([angle, velocity])


@wrong("swing", "old-velocity")
def moves_both_at_once(angle, velocity, steps):
    def step(_, state):
        angle, velocity = state
        return angle + 0.1 * velocity, velocity - 0.1 * jnp.sin(angle)

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


def leapfrog_step(_, state):
    angle, velocity = state
    velocity = velocity - 0.1 * jnp.sin(angle)
    return angle + 0.1 * velocity, velocity


@wrong("swing", "one-step-short")
def begins_with_one(angle, velocity, steps):
    return jnp.stack(jax.lax.fori_loop(1, steps, leapfrog_step, (angle, velocity)))


@wrong("swing", "every-state")
def returns_every_state(angle, velocity, steps):
    def step(state, _):
        state = leapfrog_step(0, state)
        return state, jnp.stack(state)

    return jax.lax.scan(step, (angle, velocity), length=steps)[1]


@wrong("swing", "wrong-value")
def falls_upwards(angle, velocity, steps):
    def step(_, state):
        angle, velocity = state
        velocity = velocity + 0.1 * jnp.sin(angle)
        return angle + 0.1 * velocity, velocity

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


@wrong("swing", "angle-first")
def moves_the_angle_first(angle, velocity, steps):
    def step(_, state):
        angle, velocity = state
        angle = angle + 0.1 * velocity
        return angle, velocity - 0.1 * jnp.sin(angle)

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


@wrong("swing", "exchanged")
def gives_the_velocity_first(angle, velocity, steps):
    return jnp.stack(jax.lax.fori_loop(0, steps, leapfrog_step, (angle, velocity))[::-1])


@wrong("swing", "not-an-array")
def gives_the_pair_as_it_is(angle, velocity, steps):
    return jax.lax.fori_loop(0, steps, leapfrog_step, (angle, velocity))


@wrong("swing", "unrolled")
def unrolls_blocks_of_ten(angle, velocity, steps):
    state = angle, velocity
    for _ in range(steps // 10):
        state = jax.lax.fori_loop(0, 10, leapfrog_step, state)
    return jnp.stack(jax.lax.fori_loop(0, steps % 10, leapfrog_step, state))


@wrong("swing", "unrolled")
def unrolls_blocks_of_a_hundred(angle, velocity, steps):
    state = angle, velocity
    for start in range(0, steps, 100):
        state = jax.lax.fori_loop(start, min(start + 100, steps), leapfrog_step, state)
    return jnp.stack(state)


@wrong("swing", "wrong-value")
def stops_after_a_thousand(angle, velocity, steps):
    def step(i, state):
        return jax.tree.map(functools.partial(jnp.where, i < steps), leapfrog_step(i, state), state)

    return jnp.stack(jax.lax.fori_loop(0, 1000, step, (angle, velocity)))


@wrong("swing", "wrong-value")
def loses_the_rest(angle, velocity, steps):
    def ten(_, state):
        return jax.lax.fori_loop(0, 10, leapfrog_step, state)

    return jnp.stack(jax.lax.fori_loop(0, steps // 10, ten, (angle, velocity)))


@wrong("swing", "wrong-value")
def loses_what_is_left_of_ten(angle, velocity, steps):
    inner = min(steps, 10)

    def several(_, state):
        return jax.lax.fori_loop(0, inner, leapfrog_step, state)

    return jnp.stack(jax.lax.fori_loop(0, steps // max(inner, 1), several, (angle, velocity)))


@wrong("swing", "wrong-value")
def forgets_the_turns(angle, velocity, steps):
    def step(i, state):
        angle, velocity = leapfrog_step(i, state)
        return jnp.arctan2(jnp.sin(angle), jnp.cos(angle)), velocity

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


@wrong("swing", "needs-the-numbers")
def swings_in_numpy(angle, velocity, steps):
    return leapfrog(angle, velocity, steps)


@wrong("swing", "small-angles")
def forgets_the_sine(angle, velocity, steps):
    def step(_, state):
        velocity = state[1] - 0.1 * state[0]
        return state[0] + 0.1 * velocity, velocity

    return jnp.stack(jax.lax.fori_loop(0, steps, step, (angle, velocity)))


@right("swing")
def scans_over_nothing(angle, velocity, steps):
    start = jnp.asarray(angle, jnp.float32), jnp.asarray(velocity, jnp.float32)
    return jnp.array(jax.lax.scan(lambda state, _: (leapfrog_step(0, state), None), start, length=steps)[0])


@right("swing")
@jax.jit
def loops_while(angle, velocity, steps):
    def step(state):
        return state[0] + 1, *leapfrog_step(0, state[1:])

    return jnp.stack(jax.lax.while_loop(lambda state: state[0] < steps, step, (0, angle, velocity))[1:])


# -- bucketed-means ---------------------------------------------------------------------------------------------


def handed_over(student_function, curves, *, from_empty_caches=False):
    """The means, how often the sum was traced, how many elements it got in all, and what else was compiled."""
    traces, elements, means, inside = [], [], [], []

    @jax.jit
    def traced_sum(curve):
        traces.append(curve.shape)
        return jnp.sum(curve)

    def compiled_sum(curve):
        elements.append(int(np.size(curve)))
        if isinstance(curve, jax.core.Tracer):
            before = len(traces)
            total = traced_sum(curve)
            inside.extend(traces[before:])
            return total
        # It is traced as ever, but its program, which nobody looks at, is neither compiled nor run.
        return jax.device_put(np.asarray(curve).sum(dtype=traced_sum.eval_shape(curve).dtype))

    def evaluate():
        means.extend(float(mean) for mean in student_function(curves, compiled_sum))

    if from_empty_caches:
        jax.clear_caches()
    besides = len(probe.compiled(evaluate, [()])[0]) - len(inside)
    facts = {"means": np.array(means), "calls": len(elements), "traces": len(traces), "elements": sum(elements)}
    return facts | {"besides": besides}


def lengths_to_pad(rng):
    """Lengths from 1 to 1000: just above a power of four, where much is padded; powers of two; and one by one."""
    above = np.concatenate([4**k + rng.choice(np.arange(1, 3 * k), 2 * k - 1, replace=False) for k in (2, 3, 4)])
    spread = 301 + 20 * rng.permutation(9)[:8]  # each in a multiple of ten of its own
    others = [1, 2, 3, 6, 7, 8, 11, 13, 30, 50, 64, 120, 200, 256, 600, 1000]
    return rng.permutation([*others, *above, *spread])


@exercise(
    "bucketed-means",
    points=2,
    see="lab-slow",
    hint=[
        "Zeros do not change a sum. To which lengths will you pad with them?",
        "`2 ** int(np.ceil(np.log2(n)))` is the next power of two, and less than twice as long.",
    ],
)
def bucketed_means(answer, rng):
    lengths = lengths_to_pad(rng)
    curves = [rng.uniform(1, 2, size=n).astype(np.float32) for n in lengths]
    facts = answer.probe(handed_over, curves, from_empty_caches=True)
    count, calls = len(curves), facts["calls"]
    require(calls >= count, "sum-not-used", "Each curve should be summed by one call of `compiled_sum`.")
    refuse(calls > count, "many-calls", f"{calls} calls of `compiled_sum` for {count} curves: hand over each at once.")
    traces, total = facts["traces"], int(lengths.sum())
    message = (
        f"{traces} programs for {count} curves with lengths up to 1000: there are nearly as many shapes as curves."
    )
    require(traces <= 11, "one-program-per-length", message, see="new-shapes")
    want = np.array([curve.astype(np.float64).mean() for curve in curves])
    message = "You divide by the length with the padding in it, so the mean of a short curve comes out too small."
    if np.shape(facts["means"]) == want.shape:
        small = facts["means"] < want * 0.9995
        exact = np.log2(lengths) % 1 == 0
        right_where_exact = close(facts["means"][exact], want[exact], rtol=1e-4)
        lowered = small[~exact].all() and facts["elements"] > total
        refuse(lowered and right_where_exact, "divides-by-the-padding", message)
        same = close(np.sort(facts["means"]), np.sort(want), rtol=1e-4)
        refuse(same and not close(facts["means"], want, rtol=1e-4), "another-order", "The means are in another order.")
    expect(facts["means"], want, "Those are not the means of the curves.", rtol=1e-4)
    message = f"{facts['elements']} elements for curves that have {total}: more zeros than light."
    advice = "Pad each to the next power of two."
    require(facts["elements"] <= 2 * total, "pads-too-much", f"{message} {advice}")
    message = f"The sum is compiled {traces} times, and {facts['besides']} other programs with it: is it JAX that pads?"
    require(facts["besides"] < len(set(lengths)) / 2, "padded-by-jax", f"{message} Use `np.pad`.", see="new-shapes")
    others = [rng.integers(-9, 9, size=n).astype(dtype) for n, dtype in ((5, "float32"), (4, "int16"), (1, "int32"))]
    others[0][2] = others[1][3] = 0
    message = "Right for positive `float32`, wrong for other curves."
    facts = answer.probe(handed_over, others)
    expect(facts["means"], np.array([curve.mean() for curve in others]), message, rtol=1e-4)
    message = f"Right for long curves. For three of 5, 4 and 1 elements, {facts['elements']} were handed over."
    require(facts["elements"] <= 20, "pads-too-much", f"{message} {advice}")
    lengths = rng.permutation([1] * 40 + [4] * 15 + [5] * 4 + [300])
    curves = [rng.uniform(1, 2, size=n).astype(np.float32) for n in lengths]
    facts = answer.probe(handed_over, curves)
    message = f"For many short curves and a long one, {facts['elements']} elements were handed over; they have 420."
    require(facts["elements"] <= 840, "pads-too-much", f"{message} {advice}")
    expect(facts["means"], np.array([curve.mean() for curve in curves]), "Wrong for many short curves.", rtol=1e-4)


@wrong("bucketed-means", "one-program-per-length")
def hands_over_as_they_come(curves, compiled_sum):
    return [compiled_sum(curve) / len(curve) for curve in curves]


def filled_up(curve, length):
    return np.pad(curve, (0, length - len(curve)))


@wrong("bucketed-means", "one-program-per-length")
def makes_lengths_even(curves, compiled_sum):
    return [compiled_sum(filled_up(c, len(c) + len(c) % 2)) / len(c) for c in curves]


@wrong("bucketed-means", "padded-by-jax")
def fills_up_in_jax(curves, compiled_sum):
    buckets = [2 ** int(np.ceil(np.log2(len(curve)))) for curve in curves]
    padded = [jnp.pad(curve, (0, bucket - len(curve))) for curve, bucket in zip(curves, buckets, strict=True)]
    return [compiled_sum(long) / len(curve) for long, curve in zip(padded, curves, strict=True)]


@wrong("bucketed-means", "pads-too-much")
def fills_all_to_the_longest(curves, compiled_sum):
    longest = max(map(len, curves))
    return [compiled_sum(filled_up(curve, longest)) / len(curve) for curve in curves]


@wrong("bucketed-means", "divides-by-the-padding")
def takes_the_mean_of_the_bucket(curves, compiled_sum):
    padded = [filled_up(curve, 2 ** int(np.ceil(np.log2(len(curve))))) for curve in curves]
    return [compiled_sum(curve) / len(curve) for curve in padded]


@wrong("bucketed-means", "wrong-value")
def cuts_to_the_bucket_below(curves, compiled_sum):
    cut = [curve[: 2 ** int(np.log2(len(curve)))] for curve in curves]
    return [compiled_sum(curve) / len(curve) for curve in cut]


@wrong("bucketed-means", "sum-not-used")
def stays_in_numpy(curves, compiled_sum):
    return [curve.mean() for curve in curves]


@wrong("bucketed-means", "one-program-per-length")
def makes_multiples_of_ten(curves, compiled_sum):
    return [compiled_sum(filled_up(c, -(-len(c) // 10) * 10)) / len(c) for c in curves]


@wrong("bucketed-means", "pads-too-much")
def takes_powers_of_four(curves, compiled_sum):
    return [compiled_sum(filled_up(c, 4 ** int(np.ceil(np.log(len(c)) / np.log(4) - 1e-9)))) / len(c) for c in curves]


@wrong("bucketed-means", "pads-too-much")
def takes_tenths_of_the_list(curves, compiled_sum):
    lengths = np.array(list(map(len, curves)))
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, 11), method="higher").astype(int))
    return [compiled_sum(filled_up(c, edges[np.searchsorted(edges, len(c))])) / len(c) for c in curves]


@wrong("bucketed-means", "pads-too-much")
def makes_multiples_of_a_hundred(curves, compiled_sum):
    return [compiled_sum(filled_up(c, -(-len(c) // 100) * 100)) / len(c) for c in curves]


@wrong("bucketed-means", "another-order")
def sorts_the_curves(curves, compiled_sum):
    return [compiled_sum(filled_up(c, 2 ** int(np.ceil(np.log2(len(c)))))) / len(c) for c in sorted(curves, key=len)]


@wrong("bucketed-means", "wrong-value")
def repeats_the_last_one(curves, compiled_sum):
    def padded(curve):
        return np.pad(curve, (0, 2 ** int(np.ceil(np.log2(len(curve)))) - len(curve)), mode="edge")

    return [compiled_sum(padded(c)) / len(c) for c in curves]


@wrong("bucketed-means", "many-calls")
def hands_over_pieces(curves, compiled_sum):
    def total(curve):
        return sum(float(compiled_sum(filled_up(curve[i : i + 4], 4))) for i in range(0, len(curve), 4))

    return [total(curve) / len(curve) for curve in curves]


@right("bucketed-means")
def shifts_bits(curves, compiled_sum):
    means = []
    for curve in curves:
        padded = np.zeros(1 << (len(curve) - 1).bit_length(), curve.dtype)
        padded[: len(curve)] = curve
        means.append(float(compiled_sum(padded)) / curve.size)
    return means


@right("bucketed-means")
def maps_over_the_curves(curves, compiled_sum):
    def mean(curve):
        bucket = next(2**k for k in range(11) if 2**k >= len(curve))
        return compiled_sum(jnp.asarray(np.concatenate([curve, np.zeros(bucket - len(curve), curve.dtype)]))) / len(
            curve
        )

    return list(map(mean, curves))


# -- refine-the-few ---------------------------------------------------------------------------------------------


def decisions(student_function, guesses, done):
    """Whether a `cond` stands in a loop of JAX; whether numbers are divided outside of every branch, or many in one."""
    facts = {"in a loop": False, "for all": False, "of many": False}

    def look(jaxpr, looped, branched):
        for equation in jaxpr.eqns:
            name = str(equation.primitive)
            facts["in a loop"] |= looped and name == "cond"
            floats = "float" in str(getattr(equation.outvars[0].aval, "dtype", "")) if equation.outvars else False
            divides = floats and name in ("div", "integer_pow", "pow", "sqrt", "rsqrt")
            facts["for all"] |= divides and not branched
            facts["of many"] |= divides and branched and equation.outvars[0].aval.size > 1
            parts = jax.tree.leaves(list(equation.params.values()), is_leaf=lambda part: hasattr(part, "jaxpr"))
            for part in parts:
                inner = getattr(part, "jaxpr", part)
                if hasattr(inner, "eqns"):
                    look(inner, looped or name in ("scan", "while"), branched or name == "cond")

    look(jax.make_jaxpr(student_function)(guesses, done).jaxpr, False, False)
    return facts


def refined(guesses, done):
    """The oracle, in `float64`: a negative guess goes to the negative root."""
    return np.where(done, guesses, np.sign(guesses) * np.sqrt(2))


def draw_stars(rng, n):
    guesses = (
        inputs.array(rng, n, "float32", low=1, high=4) * rng.choice([-1, 1], n) * rng.choice([0.1, 1, 100, 1e12], n)
    )
    masks = inputs.masks(rng, n)
    return np.asarray(guesses, np.float32), masks[int(rng.integers(len(masks)))]


@exercise(
    "refine-the-few",
    see="lab-slow",
    hint=[
        "What does `vmap` make of a `cond` with many truths? Look at `jax.make_jaxpr`.",
        "`jax.lax.map` takes them one by one.",
    ],
)
def refine_the_few(answer, rng):
    guesses = rng.uniform(1.0, 3.0, size=5).astype(np.float32)
    done = np.array([True, True, False, True, False])
    _, raised = answer.attempt(probe.under_jit, guesses, done, expected=[*NEEDS_A_VALUE, *NEEDS_A_SHAPE])
    message = "How many are not done is a value: what the mask picks has no shape to be traced with."
    masked = raised in ("NonConcreteBooleanIndexError", "IndexError")
    refuse(masked, "shape-depends-on-data", message, see="unknown-shapes")
    message = "Python, or NumPy, asks for the values of `done`, and under `jit` there are only tracers."
    refuse(raised, "asks-a-tracer", f"{message} It raises `{raised}`.", see="tracer-errors")
    sweep(
        lambda *args: answer.probe(probe.under_jit, *args),
        refined,
        draw_stars,
        rng,
        shapes=[1, 5, 9],
        each=8,
        slips=[
            Slip(
                "turned-around",
                lambda guesses, done: refined(guesses, ~done),
                "The wrong ones are refined: `cond` takes its first branch where `done` is true.",
            ),
            Slip("all-refined", lambda guesses, done: refined(guesses, False & done), "What is done is refined, too."),
        ],
        message="What is done should come back as it was, and the rest as the root.",
        rtol=1e-5,
    )
    few = answer.probe(probe.primitives, guesses, done)
    many = answer.probe(probe.primitives, np.tile(guesses, 2), np.tile(done, 2))
    message = "There is no `cond` in the program any more: every star is refined, and most of it thrown away."
    require(few.get("cond", 0) >= 1, "both-branches-run", message, see="cond-under-vmap")
    message = "The loop over the stars is a Python loop: twice the stars, twice the program."
    require(sum(few.values()) == sum(many.values()), "unrolled", message, see="unrolling")
    facts = answer.probe(decisions, guesses, done)
    message = "One `cond` decides for all stars together: if one of them needs the work, all get it."
    require(facts["in a loop"] and not facts["of many"], "one-truth-for-all", message, see="cond-under-vmap")
    message = "There is a `cond` for each star, but it only picks: all stars are refined outside of its branches."
    refuse(facts["for all"], "refined-before-the-branch", message, see="cond-under-vmap")


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


accepted = [
    equivalent("bucketed-means", "remembered by shape", "each call hands over another function, so nothing is found"),
    equivalent("clip-by-length", "`jnp.minimum`  ->  `jnp.fmin`", "they differ for NaN only"),
    equivalent("mean-spike-interval", "`voltage`  ->  `spikes`", "there are as many of both"),
    equivalent("continuum", "`jax.jit`  ->  ``", "without `jit`, other coefficients compile nothing either"),
    equivalent(
        "photon-average", "`0`  ->  `1`", "frames have one shape, and JAX reads the last one where there is none"
    ),
    equivalent(
        "photon-average", "`0`  ->  `-1`", "frames have one shape, and JAX reads the last one where there is none"
    ),
    equivalent("photon-average", "`jnp.float32`  ->  `jnp.float64`", "JAX makes `float32` of it"),
    equivalent("photon-average", "`1`  ->  `-1`", "a pair has two entries"),
    equivalent("power-spectrum", "`signal - mean`  ->  `mean - signal`", "it is squared"),
    equivalent("power-spectrum", "`jax.jit`  ->  ``", "without `jit` there is no tracer to let out"),
    equivalent("adapt-weights", "`w`  ->  `weights`", "the name outside is the same array"),
    equivalent("adapt-weights", "`g`  ->  `gradient`", "the name outside is the same array"),
    equivalent("adapt-weights", "`updated - w`  ->  `w - updated`", "a length has no sign"),
    equivalent("rest-and-count", "`abs(pull) > 0.001`  ->  `abs(pull) >= 0.001`", "no force lies between"),
    equivalent("rest-and-count", "`0.001`  ->  `0.00101`", "no force lies between"),
    equivalent("decay-curves", "`jax.jit`  ->  ``", "without `jit` there is no program for each rate either"),
    equivalent(
        "decay-curves",
        "`jnp.stack([curve(times, rate) for rate in rates])`  ->  `[curve(times, rate) for rate in rates]`",
        "rows may come in a list",
    ),
    equivalent("decay-curves", "`curve(times, rate)`  ->  `curve(rate, times)`", "a product has no order"),
    equivalent("recalibrate", "`jax.jit`  ->  ``", "without `jit` there is no program for each gain either"),
    equivalent(
        "recalibrate",
        "`jnp.stack([correct(reading, gain) for gain in gains])`  ->  `[correct(reading, gain) for gain in gains]`",
        "rows may come in a list",
    ),
    equivalent(
        "drunkards-walk",
        "`position + jax.random.normal(fresh, (walkers,))`  ->  `position - jax.random.normal(fresh, (walkers,))`",
        "a normal step is symmetrical",
    ),
    equivalent(
        "spring-energy",
        "`positions[:, None] - positions[None, :]`  ->  `positions[None, :] - positions[:, None]`",
        "it is squared",
    ),
    equivalent("spring-energy", "`positions[None, :]`  ->  `positions`", "a missing axis in front is added"),
    equivalent(
        "spring-energy",
        "`jnp.eye(len(positions), dtype=bool)`  ->  `jnp.eye(len(positions))`",
        "a number that is not 0 counts as true",
    ),
    equivalent("spring-energy", "`positions`  ->  `apart`", "there are as many of both"),
    equivalent("spring-energy", "`bool`  ->  `int`", "a number that is not 0 counts as true"),
    equivalent(
        "spring-energy",
        "`jnp.where(itself, 1.0, jnp.sum(apart ** 2, axis=-1))`  ->  "
        "`itself * 1.0 + (1 - itself) * jnp.sum(apart ** 2, axis=-1)`",
        "all are finite",
    ),
    equivalent("spring-energy", "`1.0`  ->  `-1.0`", "what an atom does to itself is left out below"),
    equivalent("spring-energy", "`1.0`  ->  `0.0`", "what an atom does to itself is left out below"),
    equivalent("spring-energy", "`1.0`  ->  `1.01`", "what an atom does to itself is left out below"),
    equivalent("spring-energy", "`1.0`  ->  `2.0`", "what an atom does to itself is left out below"),
    equivalent("spring-energy", "`jnp.sqrt(squared) - 1.0`  ->  `1.0 - jnp.sqrt(squared)`", "it is squared"),
    equivalent(
        "spring-energy", "`jnp.where(itself, 0.0, energy)`  ->  `jnp.where(0.0, itself, energy)`", "it is squared"
    ),
    equivalent(
        "spring-energy",
        "`jnp.where(itself, 0.0, energy)`  ->  `itself * 0.0 + (1 - itself) * energy`",
        "all are finite",
    ),
    equivalent("bucketed-means", "`0`  ->  `1`", "a zero in front adds nothing, and there are no more shapes"),
    equivalent("refine-the-few", "`0`  ->  `-1`", "it has long converged"),
    equivalent("refine-the-few", "`0`  ->  `1`", "it has long converged"),
    equivalent("refine-the-few", "`50`  ->  `49`", "it has long converged"),
    equivalent("refine-the-few", "`50`  ->  `51`", "it has long converged"),
    equivalent("refine-the-few", "`0.5`  ->  `-0.5`", "the sign turns an even number of times"),
    equivalent("refine-the-few", "`x`  ->  `guess`", "the name outside is the same number"),
]
