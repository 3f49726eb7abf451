"""Answers to attainable-rate."""

import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("attainable-rate", "always-the-peak")
def takes_the_larger(intensity, bandwidth, peak):
    return np.maximum(intensity * bandwidth, peak)


@wrong("attainable-rate", "no-roof")
def only_the_bandwidth(intensity, bandwidth, peak):
    return intensity * bandwidth


@wrong("attainable-rate", "divided")
def divides_by_the_intensity(intensity, bandwidth, peak):
    return np.minimum(bandwidth / intensity, peak)


@wrong("attainable-rate", "wrong-value")
def takes_the_mean(intensity, bandwidth, peak):
    return (intensity * bandwidth + peak) / 2


@wrong("attainable-rate", "no-slope")
def returns_the_peak(intensity, bandwidth, peak):
    return peak + 0 * intensity


@wrong("attainable-rate", "divided")
def divides_by_the_bandwidth(intensity, bandwidth, peak):
    return np.minimum(intensity / bandwidth, peak)


@wrong("attainable-rate", "a-list")
def one_after_the_other(intensity, bandwidth, peak):
    if np.ndim(intensity) == 0:
        return min(intensity * bandwidth, peak)
    if np.ndim(intensity) == 1:
        return [min(each * bandwidth, peak) for each in intensity]
    return [[min(each * bandwidth, peak) for each in row] for row in intensity]


@wrong("attainable-rate", "one-at-a-time")
def with_one_axis_only(intensity, bandwidth, peak):
    if np.ndim(intensity) == 0:
        return min(intensity * bandwidth, peak)
    return np.array([min(each * bandwidth, peak) for each in np.ravel(intensity)])


@wrong("attainable-rate", "wrong-value")
def halves_the_peak(intensity, bandwidth, peak):
    return np.minimum(intensity * bandwidth, peak / 2)


@wrong("attainable-rate", "python-decides")
def takes_pythons_minimum(intensity, bandwidth, peak):
    return min(intensity * bandwidth, peak)


@wrong("attainable-rate", "ValueError")
def smallest_of_a_list(intensity, bandwidth, peak):
    return np.min([intensity * bandwidth, peak])


@wrong("attainable-rate", "one-at-a-time")
def decides_once(intensity, bandwidth, peak):
    rate = np.minimum(np.mean(intensity) * bandwidth, peak)
    return rate * np.ones_like(intensity)


@right("attainable-rate")
def clipped_from_above(intensity, bandwidth, peak):
    return np.clip(np.multiply(intensity, bandwidth), None, peak)


@right("attainable-rate")
def left_or_right_of_the_ridge(intensity, bandwidth, peak):
    intensity = np.asarray(intensity)
    return np.where(intensity < peak / bandwidth, intensity * bandwidth, peak)


equivalents = [
    equivalent("attainable-rate", "`np.minimum`  ->  `np.fmin`", "they differ for NaN only, and no intensity is one"),
]
