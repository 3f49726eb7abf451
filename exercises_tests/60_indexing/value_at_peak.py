"""value-at-peak: the wavelength of the most intense channel of each spectrum; the first of several equal ones."""

import numpy as np

from jaxcourse.checks import Agrees, declare


def at_peak(intensity, wavelength):
    n = intensity.shape[-1]
    pairs = zip(intensity.reshape(-1, n).tolist(), wavelength.reshape(-1, n).tolist(), strict=True)
    return np.reshape([waves[heights.index(max(heights))] for heights, waves in pairs], intensity.shape[:-1])


def spectra(rng, shape):
    """Intensities without ties, the largest of each spectrum above 0, others below, and a wavelength for each."""
    levels = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    intensity = rng.choice([1, 3]) * (levels + 1 - (rng.integers(shape[-1]) if rng.random() < 0.7 else 0))
    small = 0 <= intensity.min() <= intensity.max() < 256
    dtype = "uint8" if small else str(rng.choice(["float64", "float32", "int64"]))
    unit = rng.choice([1, 1e-9])  # nanometres or metres
    wavelength = unit * rng.choice([0.5, 1 / 3]) * rng.integers(800, 1400, shape)
    return (intensity / 4 if dtype.startswith("float") else intensity).astype(dtype), wavelength


def nearly_alike(rng, shape):
    """Intensities of any scale, all below 0 in some draws, that differ little from each other."""
    k = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    scales = k * 1e-12, (k - 10) * 1e-12, k + 1e9, k - 1e9, k * 1e-7, k + 2**60
    return scales[int(rng.integers(6))], rng.integers(800, 1400, shape) / 2


def all_below_zero(rng):
    """Intensities below the numbers at which people let a search begin, and well apart from each other."""
    k = rng.permuted(np.broadcast_to(np.arange(5.0), (3, 5)), axis=-1)
    return [((k - 10) * scale, rng.integers(800, 1400, (3, 5)) / 2) for scale in (1, 1e3, 1e9, 1e30)]


def ties(rng, shape):
    intensity = rng.integers(-1, 2, shape).astype(float)
    intensity[..., -1] = intensity.max(axis=-1)
    return intensity, rng.integers(800, 1400, shape) / 2


def taken(wavelength, peak):
    return np.take_along_axis(wavelength, peak[..., None], axis=-1)


MISTAKES = {
    "gave-the-position": lambda intensity, wavelength: intensity.argmax(-1),
    "gave-the-peak": lambda intensity, wavelength: intensity.max(-1),
    "all-against-all": lambda intensity, wavelength: wavelength[..., intensity.argmax(-1)],
    "axis-kept": lambda intensity, wavelength: taken(wavelength, intensity.argmax(-1)),
    "squeezed": lambda intensity, wavelength: taken(wavelength, intensity.argmax(-1)).squeeze(),
    "one-peak": lambda intensity, wavelength: wavelength.ravel()[intensity.argmax()],
    "first-wavelengths": lambda intensity, wavelength: wavelength[0][intensity.argmax(-1)],
    "largest-without-sign": lambda intensity, wavelength: taken(wavelength, np.abs(intensity).argmax(-1))[..., 0],
}

WORDS = """
hint: Where is the peak of each spectrum? `argmax` along the last axis gives one position for each.
hint: `np.take_along_axis` wants the axis to be there still: `keepdims=True`. Then remove it.
gave-the-position: You returned the positions of peaks. Look up the wavelengths.
gave-the-peak: You returned the intensities of the peaks. Look up the wavelengths.
all-against-all: You asked every row for the columns of all rows. Each row has its own column.
axis-kept: Your result has an axis of length 1 left over. Remove it with `[..., 0]`.
squeezed: Your wavelengths are right, but *every* axis of length 1 is gone. A single spectrum is still a row of one.
one-peak: You found one peak of all. Each spectrum has its own.
first-wavelengths: You looked up all peaks in the wavelengths of the first spectrum. Each spectrum has its own.
largest-without-sign: You took the largest intensity without its sign. Most intense is the largest, and -5 is less
    than 1.
wrong-value: Your wavelengths are not those of the peaks. Each spectrum has its own peak.
all-below-zero: Your answer is right for a peak above 0, and not for one below, or far below. Does a search begin at 0
    or -999, or a division change the order?
near-is-not-equal: Your peak is another one if intensities are near each other, or all small. They are not equal:
    compare them as they are, with all digits.
few-channels-only: Your answer is right for few channels, but not for 300. Are positions kept in 8 bits?
ties: Your answer is not right if several channels are equally intense. The first of them counts.
two-axes-only: Your answer is right for two axes, but there may be any number. Shape (2, 3, 5) should give (2, 3),
    and (5,) a number.
"""

RANKS = [(5,), (2, 3, 5), (2, 1, 3, 4)]
value_at_peak = declare(
    "value-at-peak",
    see="index-arrays",
    steps=[
        Agrees(at_peak, spectra, [(1, 5), (3, 1), (3, 3), (4, 6)], each=4, mistakes=MISTAKES),
        Agrees(at_peak, extremes=all_below_zero, otherwise="all-below-zero"),
        Agrees(at_peak, nearly_alike, [(2, 3), (3, 5)], each=6, otherwise="near-is-not-equal"),
        Agrees(at_peak, spectra, [(40, 300)], each=2, otherwise="few-channels-only"),
        Agrees(at_peak, ties, [(2, 3), (3, 5)], otherwise="ties", raising={"ties": ""}),
        Agrees(at_peak, spectra, RANKS, each=2, otherwise="two-axes-only", raising={"two-axes-only": ""}),
    ],
    words=WORDS,
)
