"""least-time."""

from jaxcourse.checks import declare
from jaxcourse.inputs import Slip, compare


def seconds(n, itemsize, bandwidth):
    """The oracle."""
    return 2 * n * itemsize / bandwidth


def machine(rng, n):
    """An array and a memory: few or many elements of any size, slow or fast."""
    return n, int(rng.choice([1, 2, 4, 8, 16])), float(rng.integers(1, 90)) * float(rng.choice([1.0, 1e6, 1e9]))


TIME_SLIPS = [
    Slip(
        "counted-once",
        lambda n, b, w: n * b / w,
    ),
    Slip(
        "upside-down",
        lambda n, b, w: w / (2 * n * b),
    ),
    Slip("itemsize-lost", lambda n, b, w: 2 * n / w),
    Slip("itemsize-fixed", lambda n, b, w: 8 * n / w),
    Slip("itemsize-fixed/2", lambda n, b, w: 16 * n / w),
    Slip("cut-off", lambda n, b, w: 2 * n * b // w),
    Slip(
        "addition-counted",
        lambda n, b, w: 3 * n * b / w,
    ),
    Slip("bits", lambda n, b, w: 16 * n * b / w),
    Slip(
        "other-unit",
        lambda n, b, w: 2e3 * n * b / w,
    ),
    Slip(
        "other-unit/2",
        lambda n, b, w: 2 * n * b / (w * 1e9),
    ),
]


def check(answer, rng):
    sizes = [1, 7, int(rng.integers(1_000, 9_000)), 10_000_000, 3_000_000_000]
    compare(answer, seconds, machine, rng, shapes=sizes, each=5, slips=TIME_SLIPS, label="wrong-value")


WORDS = """
hint: How many bytes are read? How many are written?
hint: Seconds are bytes, divided by bytes per second.
counted-once: The elements of `y` have to be written, too, and share the bandwidth.
upside-down: That is a rate, one over a time: divide the bytes by the bandwidth.
itemsize-lost: You counted elements. Each of them has `itemsize` bytes.
itemsize-fixed: Right for 4 bytes only: use `itemsize`.
itemsize-fixed/2: Right for 8 bytes only: use `itemsize`.
cut-off: `//` drops the fraction, and seconds are often a small fraction.
addition-counted: The addition moves no bytes, and `y` is not read: one time in, one time out.
bits: Those are bits. `itemsize` and `bandwidth` are in bytes.
other-unit: Those are milliseconds: bytes, divided by bytes per second, are seconds already.
other-unit/2: `bandwidth` is in bytes per second already, and not in gigabytes.
wrong-value: All bytes that are read and written, divided by the bytes per second.
"""

least_time = declare(
    "least-time",
    see="ceilings",
    steps=[check],
    words=WORDS,
)
