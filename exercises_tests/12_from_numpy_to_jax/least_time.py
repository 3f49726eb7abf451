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
counted-once: You counted the bytes of one array. The elements of `y` are written as well, and share the bandwidth.
upside-down: Your answer is one over a time: a rate. Divide the bytes by the bandwidth.
itemsize-lost: You counted elements. Each of them has `itemsize` bytes.
itemsize-fixed: Your answer is right for elements of 4 bytes only. Count with `itemsize`.
itemsize-fixed/2: Your answer is right for elements of 8 bytes only. Count with `itemsize`.
cut-off: Your answer has lost its fraction, as with `//` or `int`. Seconds are often a small fraction: divide with `/`.
addition-counted: You counted three moves. At the very least there are two, one in and one out: the addition moves no
    bytes, and `y` need not be fetched before it's written.
bits: Your answer counts bits. `itemsize` and `bandwidth` are in bytes.
other-unit: Your answer is in milliseconds. Bytes, divided by bytes per second, are seconds already.
other-unit/2: Your answer takes `bandwidth` for gigabytes per second. It's in bytes per second already.
wrong-value: Your answer should be all bytes that are read and written, divided by the bytes per second.
"""

least_time = declare(
    "least-time",
    see="ceilings",
    steps=[Agrees(seconds, machine, sizes, each=5, mistakes=MISTAKES)],
    words=WORDS,
)
