"""least-time: the seconds in which a memory can move what is read and what is written."""

from jaxcourse.checks import Agrees, declare


def seconds(n, itemsize, bandwidth):
    """The oracle."""
    return 2 * n * itemsize / bandwidth


def machine(rng, n):
    """An array and a memory: few or many elements of any size, slow or fast."""
    return n, int(rng.choice([1, 2, 4, 8, 16])), float(rng.integers(1, 90)) * float(rng.choice([1.0, 1e6, 1e9]))


def sizes(rng):
    return [1, 7, int(rng.integers(1_000, 9_000)), 10_000_000, 3_000_000_000]


MISTAKES = {
    "counted-once": lambda n, itemsize, bandwidth: n * itemsize / bandwidth,
    "upside-down": lambda n, itemsize, bandwidth: bandwidth / (2 * n * itemsize),
    "itemsize-lost": lambda n, itemsize, bandwidth: 2 * n / bandwidth,
    "itemsize-fixed": lambda n, itemsize, bandwidth: 2 * n * 4 / bandwidth,
    "itemsize-fixed/2": lambda n, itemsize, bandwidth: 2 * n * 8 / bandwidth,
    "cut-off": lambda n, itemsize, bandwidth: 2 * n * itemsize // bandwidth,
    "addition-counted": lambda n, itemsize, bandwidth: 3 * n * itemsize / bandwidth,
    "bits": lambda n, itemsize, bandwidth: 2 * n * 8 * itemsize / bandwidth,
    "other-unit": lambda n, itemsize, bandwidth: 1e3 * 2 * n * itemsize / bandwidth,
    "other-unit/2": lambda n, itemsize, bandwidth: 2 * n * itemsize / (bandwidth * 1e9),
}

WORDS = """
hint: How many bytes are read? How many are written?
hint: Seconds are bytes, divided by bytes per second.
counted-once: The elements of `y` have to be written, too, and share the bandwidth.
upside-down: That is a rate, one over a time: divide the bytes by the bandwidth.
itemsize-lost: You counted elements. Each of them has `itemsize` bytes.
itemsize-fixed: Right for 4 bytes only: use `itemsize`.
itemsize-fixed/2: Right for 8 bytes only: use `itemsize`.
cut-off: The fraction is dropped, as `//` and `int` do, and seconds are often a small fraction.
addition-counted: At the very least it is one time in and one time out: the addition moves no bytes, and `y` need not be
    fetched before it is written.
bits: Those are bits. `itemsize` and `bandwidth` are in bytes.
other-unit: Those are milliseconds: bytes, divided by bytes per second, are seconds already.
other-unit/2: `bandwidth` is in bytes per second already, and not in gigabytes.
wrong-value: All bytes that are read and written, divided by the bytes per second.
"""

least_time = declare(
    "least-time",
    see="ceilings",
    steps=[Agrees(seconds, machine, sizes, each=5, mistakes=MISTAKES)],
    words=WORDS,
)
