"""The roofline: two ceilings of a machine, one kernel, and the most that it can reach."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context

from jaxcourse.play._play import Field, Play, start

FIELDS = (
    Field("bandwidth", "bandwidth, GB/s", "What memory delivers"),
    Field("peak", "peak, TFLOP/s", "What the processor computes"),
    Field("flop", "FLOP of the kernel", "Operations in all"),
    Field("moved", "bytes it moves", "Read and written"),
)
STATE = {"bandwidth": "20", "peak": "0.1", "flop": "1e7", "moved": "8e7"}
EXAMPLES = {
    "a long formula": {"flop": "4e8", "moved": "8e7"},
    "matrix and vector": {"flop": "2e8", "moved": "4e8"},
    "matrix product": {"flop": "2e12", "moved": "1.2e9"},
    "an accelerator": {"bandwidth": "3350", "peak": "67", "flop": "1e7", "moved": "8e7"},
}

_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)  # as browsers round


def roofline(
    bandwidth: str | None = None, *, peak: str | None = None, flop: str | None = None, moved: str | None = None
) -> Play:
    """Let the reader choose the ceilings of a machine and a kernel, and see which ceiling it meets.

    Args:
        bandwidth: of the memory, at the start: billions of bytes in a second.
        peak: of the arithmetic, at the start: trillions of floating-point operations in a second.
        flop: how many operations the kernel does, at the start.
        moved: how many bytes it moves, at the start.

    Returns:
        The picture, to be shown by a notebook.

    Raises:
        ValueError: if one of them is not a positive number.

    Example:
        >>> print(roofline("20", peak="0.1", flop="1e7", moved="8e7").says)
        The kernel does 0.125 FLOP for each byte; the ridge of this machine is at 5. Memory is the ceiling: it waits
        for bytes. It reaches at most 2.5 GFLOP/s, 2.5 % of the peak, and takes at least 0.004 s.
    """
    state = start("roofline", STATE, {"bandwidth": bandwidth, "peak": peak, "flop": flop, "moved": moved})
    question = "Choose two ceilings and a kernel, and see which ceiling it meets."
    return Play("roofline", question, FIELDS, state, roofline_says(**state), EXAMPLES)


@dataclass(frozen=True)
class Bound:
    """What a roofline says about a kernel: its rate in GFLOP/s and its least time in seconds."""

    intensity: float
    ridge: float
    rate: float
    seconds: float
    share: float


def positive(text: str) -> float:
    """A positive number in a text.

    Example:
        >>> positive(" 2e9 ")
        2000000000.0
    """
    if not re.fullmatch(r"\s*[+]?[\d.]+(e[+-]?\d+)?\s*", text, re.IGNORECASE):
        raise ValueError(f"{text!r} is not a positive number")
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError(f"{text!r} must be larger than 0, and finite")
    return value


def bound(bandwidth: float, peak: float, flop: float, moved: float) -> Bound:
    """The bound of a kernel under a roofline."""
    peak *= 1000
    rate = min(flop / moved * bandwidth, peak)
    seconds = max(flop / (peak * 1e9), moved / (bandwidth * 1e9))
    return Bound(flop / moved, peak / bandwidth, rate, seconds, 100 * rate / peak)


def roofline_says(bandwidth: str, peak: str, flop: str, moved: str) -> str:
    """What the picture says."""
    it = bound(*map(positive, (bandwidth, peak, flop, moved)))
    words = {
        -1: "Memory is the ceiling: it waits for bytes.",
        1: "Arithmetic is the ceiling: bytes come faster than they are used.",
        0: "It stands at the ridge: both ceilings bind.",
    }
    side = (it.intensity > it.ridge) - (it.intensity < it.ridge)
    return (
        f"The kernel does {short(it.intensity)} FLOP for each byte; the ridge of this machine is at {short(it.ridge)}. "
        f"{words[side]} It reaches at most {short(it.rate)} GFLOP/s, {short(it.share)} % of the peak, "
        f"and takes at least {short(it.seconds)} s."
    )


def short(value: float) -> str:
    """Three significant digits, with a power of ten where the number is far from 1.

    Example:
        >>> short(0.125), short(1234567.0), short(250.0)
        ('0.125', '1.23e6', '250')
    """
    digits, power = f"{_DIGITS.create_decimal_from_float(value):.2e}".split("e")
    exponent = int(power)
    return f"{digits}e{exponent}" if not -4 < exponent < 6 else f"{float(f'{digits}e{exponent}'):.12g}"
