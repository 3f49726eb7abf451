"""ring-of-neighbours: the next element minus the previous one, where the ends are joined."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare

from ._lesson import WORDS as LESSON
from ._lesson import answered, exact, normal, require_only, require_right, require_split


def draw(rng, n):
    return [(3 * normal(rng, 4 * n),) for _ in range(2)] + [(normal(rng, n),) for _ in range(2)]


def difference(n, x):
    (x,) = exact(x)
    return np.roll(x, -1) - np.roll(x, 1)


def each_by_itself(n, x):
    blocks = exact(x)[0].reshape(n, -1)
    return (np.roll(blocks, -1, 1) - np.roll(blocks, 1, 1)).ravel()


def on_a_line(n, x):
    (x,) = exact(x)
    return np.append(x[1:], 0) - np.append(0, x[:-1])


def swapped(n, x):
    blocks = exact(x)[0].reshape(n, -1)
    before, after = np.roll(blocks[:, -1:], -1, 0), np.roll(blocks[:, :1], 1, 0)
    wide = np.hstack([before, blocks, after])
    return (wide[:, 2:] - wide[:, :-2]).ravel()


MISTAKES = {
    "wrong-sign": lambda n, x: -difference(n, x),
    "each-by-itself": each_by_itself,
    "ends-open": on_a_line,
    "sent-the-other-way": swapped,
}


def check(answer, rng):
    cases = answered(answer, lambda n: draw(rng, n), [["x"]])
    require_right(answer, cases, difference, MISTAKES)


def compiled(answer, rng):
    for block in (4, 1):
        placed = probe.placing({"x": 8}, ["x"], mesh="argument")
        found = answer.probe(probe.partitioned, placed, normal(rng, 8 * block))
        require_split(found["pieces"][0], 8)
        require_only(found["collectives"], "collective-permute")


WORDS = """
hint: A block needs one element from each neighbour: the last of the block before it, the first of the next.
hint: `lax.ppermute(x[-1:], "x", [(i, (i + 1) % n) for i in range(n)])`, then the other way, and concatenate.
wrong-sign: The next element minus the previous one, not the reverse.
each-by-itself: Each block has been made into a ring of its own: nothing is sent.
ends-open: The ends are not joined: a device to which nobody sends gets zeros, and they look like numbers.
sent-the-other-way: The pairs are read the wrong way round: (source, destination). The last element must go *up*.
wrong-value: On {devices}. The next element minus the previous one.
"""

ring_of_neighbours = declare(
    "ring-of-neighbours",
    see="neighbours",
    steps=[check, compiled],
    words=(LESSON, WORDS),
)
