"""frame-at: `width` samples from `start` on, and NaN where the signal has ended; under `jit`, with `width` static."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, refuse
from jaxcourse.probe import NEEDS_A_SHAPE, NEEDS_A_VALUE

from . import _lesson
from ._lesson import MANY, NOTHING, QUITE_MANY


def in_frame(signal, start, width):
    return np.array([signal[k] if k < len(signal) else np.nan for k in range(start, start + width)], signal.dtype)


def frames(rng, shape):
    """A signal, where a frame starts (inside, at the end or beyond it), and how wide it is."""
    n, width = shape
    ends = [0, max(n - width, 0), max(n - width, 0) + 1, n - 1, n, n + width, 1000]
    start = rng.choice(ends) if rng.random() < 0.7 else rng.integers(n)
    return rng.permutation(np.arange(1, n + 1, dtype=np.float32)), int(start), width


def long_signal(rng):
    return [(np.ones(MANY, np.float32), MANY - 1, 3)]


def width_is_known(answer, rng):
    """The width of the frame is no tracer."""
    refuse(_lesson.traces_the_size(answer, *PLAIN[0]), "width-traced")


def shifted(signal, start, width):
    """What `dynamic_slice` gives."""
    start = min(start, len(signal) - width)
    return signal[start : start + width]


def shifted_then_masked(signal, start, width):
    return np.where(start + np.arange(width) < len(signal), shifted(signal, start, width), np.nan)


def padded_by_too_few(signal, start, width):
    return shifted(np.pad(signal, (0, width - 1), constant_values=np.nan), start, width)


def all_or_nothing(signal, start, width):
    return in_frame(signal, start if start + width <= len(signal) else 10**6, width)


MISTAKES = {
    "shifted": shifted,
    "shifted-then-masked": shifted_then_masked,
    "last-repeated": lambda signal, start, width: signal[np.minimum(start + np.arange(width), len(signal) - 1)],
    "goes-round": lambda signal, start, width: signal[(start + np.arange(width)) % len(signal)],
    "too-little-room": padded_by_too_few,
    "one-too-late": lambda signal, start, width: in_frame(np.append(signal, signal[-1]), start, width),
    "not-nan": lambda signal, start, width: np.nan_to_num(in_frame(signal, start, width)),
    "all-or-nothing": all_or_nothing,
    "starts-late": lambda signal, start, width: in_frame(signal, start + 1, width),
}

WORDS = """
hint: Can you name each sample by itself? `start + jnp.arange(width)`.
hint: Then say what an index out of bounds gives: `.at[...].get(mode=..., fill_value=...)`.
width-traced: Your function stops only under its own `jit`. Does that trace `width`, which should be static, or ask
    for another number?
start-static: JAX refuses a static argument, and only `width` can be static: `signal` and `start` are traced. Which
    ones did you declare? Places are counted from 0.
start-not-known: Your code asks for the value of `signal` or `start`, which are traced, or of something computed
    from them. No Python slice, `if`, `jnp.arange` or NumPy can use those values.
shifted: Your frame was shifted back until it fitted: right numbers in the wrong places. Name each sample by itself.
shifted-then-masked: Your frame has NaN after the end of the signal, but before that the numbers of a frame that was
    shifted back.
last-repeated [out-of-bounds]: Your frame repeats the last sample: reads beyond the end are clamped. Say a mode.
goes-round: Your frame goes on with the first samples. Beyond the end, it should be NaN.
too-little-room: Your frame was shifted back to the last sample. If it starts beyond the end, it should be all NaN.
one-too-late: Your frame has the last sample twice. Position `len(signal)` is already beyond the end.
not-nan: Your frame has 0 after the end of the signal, which could be a sample. Use NaN.
all-or-nothing: Your frame is all NaN if it runs over the end. It should still hold the samples before the end.
starts-late: Your frame starts one sample late. Its first sample is the one at `start`.
wrong-value: Your frame has other samples. Sample `j` is `signal[start + j]`, and NaN after the end.
nan-spreads: Your frame is off if a sample is not finite. Does it reach its neighbour, as 0 times NaN is NaN, or is
    it cleaned away? Look up, or choose.
sample-is-nothing: You took a sample for a sign of the end. Ask the position whether it is beyond the end.
wider-than-signal: Your answer is right if the frame is no longer than the signal. It may be longer.
wrong-value/without-jit: Your answer is right under `jit`, and not without.
"""

RAISING = {"start-static": "static arguments", "start-not-known": NEEDS_A_VALUE | NEEDS_A_SHAPE}
BEYOND = RAISING | {"wider-than-signal": ""}
NOT_FINITE = [(np.array([1, value, 4], np.float32), 2, 2) for value in (np.nan, np.inf)]
MEASURED = [(NOTHING, start, len(NOTHING)) for start in (0, 3)]
PLAIN = [(np.float32(signal), 2, 3) for signal in ([5, 6, 7, 8], [8, 7, 6, 5])]
under_jit = functools.partial(Agrees, in_frame, ask=_lesson.compiled_for)
WIDTHS = [(np.ones(40, np.float32), 2, width) for width in (8, 32)]
very_wide = functools.partial(_lesson.AgreesOnMany, in_frame, ask=_lesson.compiled_for, sizes=WIDTHS)
without_jit = functools.partial(Agrees, in_frame, ask=probe.on_jax_arrays, raising=RAISING)
frame_at = declare(
    "frame-at",
    see="dynamic-slice",
    steps=[
        width_is_known,
        without_jit(extremes=PLAIN, otherwise=None),
        under_jit(frames, [(3, 2), (10, 4), (10, 3), (6, 6)], each=12, mistakes=MISTAKES, raising=RAISING),
        under_jit(extremes=long_signal, otherwise="short-arrays-only", raising=RAISING),
        under_jit(extremes=NOT_FINITE, otherwise="nan-spreads", raising=RAISING),
        under_jit(extremes=MEASURED, otherwise="sample-is-nothing", raising=RAISING),
        under_jit(frames, [(1, 4), (5, 8)], each=3, otherwise="wider-than-signal", raising=BEYOND),
        very_wide(frames, [(3, QUITE_MANY)], each=3, otherwise="wider-than-signal", raising=BEYOND),
        without_jit(extremes=PLAIN, otherwise="wrong-value/without-jit"),
    ],
    words=(_lesson.WORDS, WORDS),
)
