"""Answers to mean-spike-interval."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


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


@wrong("mean-spike-interval", "needs-the-numbers")
def takes_the_ends_as_numbers(voltage, threshold):
    spikes = voltage > threshold
    first, after = int(jnp.argmax(spikes)), int(jnp.argmax(spikes[::-1]))
    return (voltage.size - 1 - after - first) / (spikes.sum() - 1)


@wrong("mean-spike-interval", "shape-depends-on-data")
def asks_where_they_are(voltage, threshold):
    return jnp.diff(jnp.flatnonzero(voltage > threshold)).mean()


@wrong("mean-spike-interval", "shape-depends-on-data")
def cuts_off_what_fills_it_up(voltage, threshold):
    spikes = voltage > threshold
    places = jnp.flatnonzero(spikes, size=voltage.size)
    return jnp.diff(places[: spikes.sum()]).mean()


equivalents = [
    equivalent("mean-spike-interval", "`voltage`  ->  `spikes`", "there are as many of both"),
]


@wrong("mean-spike-interval", "whole-samples")
def makes_the_mean_an_integer(voltage, threshold):
    spikes = voltage > threshold
    sum_of_all = voltage.size - 1 - jnp.argmax(spikes[::-1]) - jnp.argmax(spikes)
    return (sum_of_all / (spikes.sum() - 1)).astype(int)
