"""Answers to value-at-peak."""

import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


@wrong("value-at-peak", "axis-kept")
def as_the_cell_above(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmax(axis=1)[:, None], axis=1)


@wrong("value-at-peak", "wrong-value")
def rounds_the_wavelength(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmax(axis=-1, keepdims=True), axis=-1)[..., 0].round(1)


@wrong("value-at-peak", "two-axes-only")
def counts_the_rows_itself(intensity, wavelength):
    return wavelength[np.arange(len(intensity)), intensity.argmax(axis=-1)]


@wrong("value-at-peak", "wrong-value")
def finds_the_faintest(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmin(axis=-1, keepdims=True), axis=-1)[..., 0]


@wrong("value-at-peak", "ties")
def selects_with_a_mask(intensity, wavelength):
    return wavelength[intensity == intensity.max(axis=-1, keepdims=True)].reshape(intensity.shape[:-1])


@wrong("value-at-peak", "ties")
def adds_what_a_mask_keeps(intensity, wavelength):
    return np.sum(wavelength, axis=-1, where=intensity == intensity.max(axis=-1, keepdims=True))


@wrong("value-at-peak", "ties")
def sorts_the_channels(intensity, wavelength):
    peak = intensity.argsort(axis=-1, kind="stable")[..., -1:]
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@wrong("value-at-peak", "near-is-not-equal")
def takes_near_for_equal(intensity, wavelength):
    peak = np.isclose(intensity, intensity.max(axis=-1, keepdims=True)).argmax(axis=-1, keepdims=True)
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@wrong("value-at-peak", "near-is-not-equal")
def prefers_the_first_by_a_little(intensity, wavelength):
    later = 1e-9 * np.arange(intensity.shape[-1])
    peak = (intensity - later).argmax(axis=-1, keepdims=True)
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@right("value-at-peak")
def begins_at_the_first_channel(intensity, wavelength):
    return searched(intensity, wavelength, intensity[..., 0])


@wrong("value-at-peak", "all-below-zero")
def measures_by_the_largest(intensity, wavelength):
    with np.errstate(invalid="ignore"):
        share = intensity / intensity.max(axis=-1, keepdims=True)
    return np.take_along_axis(wavelength, share.argmax(axis=-1, keepdims=True), axis=-1)[..., 0]


@wrong("value-at-peak", "few-channels-only")
def saves_bits_of_channels(intensity, wavelength):
    peak = intensity.argmax(axis=-1, keepdims=True).astype(np.uint8)
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@right("value-at-peak")
def makes_a_list_of_spectra(intensity, wavelength):
    n = intensity.shape[-1]
    peaks = intensity.reshape(-1, n).argmax(axis=1)
    return wavelength.reshape(-1, n)[np.arange(len(peaks)), peaks].reshape(intensity.shape[:-1])


one_spectrum_after_the_other = right("value-at-peak")(
    np.vectorize(lambda heights, waves: waves[heights.argmax()], signature="(n),(n)->()")
)


def searched(intensity, wavelength, best):
    """The wavelengths that a search finds, channel by channel, which begins at some intensity."""
    found = wavelength[..., 0]
    for heights, waves in zip(np.moveaxis(intensity, -1, 0), np.moveaxis(wavelength, -1, 0), strict=True):
        found, best = np.where(heights > best, waves, found), np.maximum(heights, best)
    return found


@wrong("value-at-peak", "all-below-zero")
def begins_far_below(intensity, wavelength):
    return searched(intensity, wavelength, -1e4)


@wrong("value-at-peak", "all-below-zero")
def takes_0_for_the_least(intensity, wavelength):
    highest = intensity.max(axis=-1, keepdims=True, initial=0)
    return np.take_along_axis(wavelength, (intensity == highest).argmax(axis=-1, keepdims=True), axis=-1)[..., 0]


equivalents = [
    equivalent(
        "value-at-peak",
        "`np.take_along_axis(wavelength, peak, axis=-1)`  ->  `np.take_along_axis(wavelength, peak)`",
        "the last axis is the default",
    ),
    equivalent("value-at-peak", "`0`  ->  `-1`", "the axis has length 1"),
]
