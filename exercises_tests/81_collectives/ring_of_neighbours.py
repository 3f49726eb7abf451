"""ring-of-neighbours: the next element minus the previous one, where the ends are joined with the other sign."""

import functools

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import declare

from ._lesson import WORDS as LESSON
from ._lesson import exact, normal, on_meshes, require_only, require_split


def some_calls(rng, n):
    return [(3 * normal(rng, 4 * n),) for _ in range(2)] + [(normal(rng, n),) for _ in range(2)]


def difference(devices, x, twist=-1.0):
    (x,) = exact(x)
    wide = np.concatenate([twist * x[-1:], x, twist * x[:1]])
    return wide[2:] - wide[:-2]


def of_each(n, x, twist=1.0):
    """Each block as a ring of its own."""
    return np.concatenate([difference(1, block, twist) for block in x.reshape(n, -1)])


def sent(n, x, low=(0,), high=(-1,), back=False):
    """What came from both sides; the sign is turned in some blocks, of what came from below and from above."""
    blocks, way = exact(x)[0].reshape(n, -1), -1 if back else 1
    before, after = np.roll(blocks[:, -1:], way, 0), np.roll(blocks[:, :1], -way, 0)
    for edge, turned in ((before, low), (after, high)):
        edge[[k % n for k in turned]] *= -1
    wide = np.hstack([before, blocks, after])
    return (wide[:, 2:] - wide[:, :-2]).ravel()


def turned_in(low, high, **more):
    """A mistake: what came is turned in other blocks."""
    return functools.partial(sent, low=low, high=high, **more)


def ends_turned(n, x):
    """A closed ring, in whose result the first and the last number have the other sign."""
    result = difference(n, x, twist=1.0)
    result[[0, -1]] *= -1
    return result


MISTAKES = {
    "wrong-sign": lambda n, x: -difference(n, x),
    "each-by-itself": [of_each, functools.partial(of_each, twist=-1.0)],
    "not-twisted": functools.partial(difference, twist=1.0),
    "one-end-twisted": [turned_in([0], []), turned_in([], [-1])],
    "twisted-everywhere": lambda n, x: sent(n, x, range(n), range(n)),
    "twisted-too-early": turned_in([1], [-2]),
    "twisted-inside": [turned_in([-1], [0]), turned_in([0, -1], [0, -1])],
    "result-turned": ends_turned,
    "ends-open": functools.partial(difference, twist=0.0),
    "sent-the-other-way": [turned_in([], [], back=True), turned_in([0], [-1], back=True)],
}


def sends_to_neighbours(answer, rng):
    """The compiled program sends to neighbours alone, and each device keeps its piece."""
    for block in (4, 1):
        placed = probe.placing({"x": 8}, ["x"], mesh="argument")
        found = answer.probe(probe.partitioned, placed, normal(rng, 8 * block))
        require_split(found["pieces"][0], 8)
        require_only(found["collectives"], "collective-permute")


WORDS = """
hint: Which elements of its neighbours does a block need? The last of the block before it, and the first of the
    next.
hint: `lax.ppermute(x[-1:], "x", [(i, (i + 1) % n) for i in range(n)])`, then the other way, and concatenate.
hint: Only two of all the numbers that are sent change their sign: ask `lax.axis_index("x")` who received them.
wrong-sign: You took the previous element minus the next one. Take the reverse.
each-by-itself: Your blocks are each a ring of their own, because nothing is sent.
not-twisted: Your ring is closed, but not twisted. Numbers that go over the seam should have the other sign, which
    `jnp.roll` does not know.
one-end-twisted: You twisted only one side of the seam. The last has the first behind it, and the first the last
    before it, both with the other sign.
twisted-everywhere: Your blocks all turn the sign of what they get. There is one seam, between the last device and
    the first.
twisted-too-early: Your first and last device turn the sign of what they *send* to the inside. Turn that of the
    numbers that come over the seam.
twisted-inside: Your first and last device turn the sign of what comes from the *inside*. Let the first turn only what
    is before it, the last only what is behind it.
result-turned: Your whole result has the other sign at both ends. Turn only the number that comes over the seam,
    before you subtract.
ends-open: Your ends are not joined. A device to which no other sends gets zeros, and they look like numbers.
sent-the-other-way: You read the pairs the other way round. They are (source, destination), so the last element must
    go *up*.
wrong-value: Your result is not the next element minus the previous one, on a ring that turns the sign.
"""

ring_of_neighbours = declare(
    "ring-of-neighbours",
    see="neighbours",
    steps=[on_meshes(difference, some_calls, ["x"], mistakes=MISTAKES), sends_to_neighbours],
    words=(LESSON, WORDS),
)
