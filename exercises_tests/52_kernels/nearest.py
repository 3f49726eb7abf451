"""nearest: the number of the nearest centre, from a table that exists nowhere."""

import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, declare, seen
from jaxcourse.kernels import Rule, Walks, covers, in_order, nothing_as_large

from ._lesson import NUMBERED, on_rubbish
from ._lesson import WORDS as LESSON

EVEN, ODD = [(8, 8, 8, 4), (6, 6, 2, 3)], [(9, 10, 3, 4), (8, 7, 1, 3)]


def clouds(rng, sizes):
    """Points and centres: two equally near, in two blocks, and one that is nearest in the last block."""
    n, k, d, block = sizes
    points, centres = rng.integers(0, 9, (n, d)), rng.integers(0, 9, (k, d))
    centres[block + 1] = centres[block - 1] = points[1]
    centres[-1] = points[0] = 20
    centres[0], points[2] = -20, -19
    return points.astype(np.float32), centres.astype(np.float32), block


def far_clouds(rng, sizes):
    """The same, far from the origin: their differences are whole numbers, their squares have too many digits."""
    points, centres, block = clouds(rng, sizes)
    return points + 100_000, centres + 100_000, block


def clouds_near_rubbish(rng, sizes):
    """A point that is nearest to what lies beyond the end, if that took part."""
    points, centres, block = clouds(rng, sizes)
    points[3] = 50
    return points, centres, block


def far_apart(rng):
    """Points whose nearest centre is so far away that no ordinary number is larger than the distance."""
    k, block = 7, 3
    places = 1e18 * rng.permutation(k)
    points = places[rng.permutation(k)[:7]] + 4e17
    return [(points[:, None].astype(np.float32), places[:, None].astype(np.float32), block)]


def distances(points, centres):
    return ((points[:, None].astype(np.float64) - centres) ** 2).sum(-1)


def right(points, centres, block=None):
    return distances(points, centres).argmin(1)


def in_int32(points, centres, block):
    return right(points, centres).astype(np.int32)


def winners(points, centres, block):
    """For each block of centres: the smallest distance, and whose it is."""
    far = distances(points, centres)
    parts = [far[:, at : at + block] for at in range(0, far.shape[1], block)]
    return np.array([part.min(1) for part in parts]), np.array([part.argmin(1) for part in parts])


def local_number(points, centres, block):
    least, number = winners(points, centres, block)
    return number[least.argmin(0), np.arange(len(points))]


def later_block(points, centres, block):
    least, number = winners(points, centres, block)
    last = len(least) - 1 - least[::-1].argmin(0)
    return last * block + number[last, np.arange(len(points))]


def last_of_equals(points, centres, block):
    far = distances(points, centres)
    return far.shape[1] - 1 - far[:, ::-1].argmin(1)


def last_tile(points, centres, block):
    _, number = winners(points, centres, block)
    return (len(number) - 1) * block + number[-1]


def of_full_blocks(points, centres, block):
    """No centre of a block that hangs over is chosen."""
    return right(points, centres[: len(centres) // block * block])


def beyond_the_end(reply):
    """Right where blocks fit; where the last one hangs over, a number that is no centre's."""
    _, centres, block = reply.case
    return bool((np.asarray(reply.got) >= len(centres)).any()) if len(centres) % block else reply.right


def too_long(found, points, centres, block):
    longest = max(one["block"][0] for one in (*found["inputs"], *found["outputs"]))
    return {"block": block} if longest > block else None


def pairs(points, centres, block):
    return len(points) * len(centres)


RULES = [nothing_as_large(pairs), in_order(), Rule("other-blocks", too_long), covers()]
MISTAKES = {
    "never-set": seen(lambda reply: bool((np.asarray(reply.got) == np.iinfo(np.int32).min).any())),
    "overhang": [seen(beyond_the_end), of_full_blocks],
    "local-number": local_number,
    "last-of-equals": [later_block, last_of_equals],
    "last-tile": last_tile,
}

WORDS = """
hint: Which two numbers must a step hand on, for each point, so that the next block of centres can be compared with all
    before it?
hint: Keep the smallest distance so far in scratch memory, and the number in the result's block, which stays while `j`
    runs. Where there is no centre, put infinity.
hint: `closer = least < best[...]`, and `jnp.where(closer, j * block + far.argmin(1), i_ref[...])`.
table: Somewhere you hold {largest} numbers at once, and there are {size} pairs. For a million points and a thousand
    centres, they take 4 GB. Walk over blocks of centres.
other-blocks: Your blocks have more than {block} points or centres.
never-set: Your result has numbers that no step has written. For whole numbers, the mark is the smallest one. Set what
    you compare with.
overhang: Your last block hangs over, and what is beyond the end took part. NaN wins each `argmin`, and loses each `<`.
    Put infinity where there is no centre.
marks: You are right while NaN, the interpreter's mark, lies beyond the end. Here 50 does, as it may on a device, and a
    missing centre wins. Choose by its place.
far-apart: You are right while centres are near. Here each squared distance is above 1e35. Is the number that you begin
    with, or put where no centre is, smaller? Put infinity.
cancels: Near the origin you are right, and far from it not. `c**2 - 2*p*c` is a small difference of large numbers, and
    `float32` has 7 digits. Subtract first, then square.
local-number: Your numbers count from the beginning of a block. Block `j` begins at centre `j * block`.
last-of-equals: Of equally near centres you return a later one. Closer is `<`, and not `<=`.
last-tile: You return the nearest of the last block of centres, because each step writes over the one before. Keep the
    smallest distance so far.
wrong-value: Return for each point the number of the centre with the smallest squared distance, as `int32`.
"""

nearest = declare(
    "nearest",
    see="no-table",
    points=2,
    steps=[
        Walks(clouds, [(16, 12, 3, 4), *ODD], rules=RULES),
        Agrees(right, clouds, [*EVEN, *ODD], each=1, ask=probe.by_blocks, mistakes=MISTAKES, raising=NUMBERED),
        Agrees(in_int32, clouds, [(5, 4, 1, 1)], each=1, ask=probe.by_blocks, dtype=True),
        Agrees(
            right,
            clouds_near_rubbish,
            ODD[1:],
            each=1,
            ask=on_rubbish,
            otherwise="marks",
            shows="probe.by_blocks(nearest, {}, beyond=50.0)",
        ),
        Agrees(right, far_clouds, ODD[:1], each=1, ask=probe.by_blocks, otherwise="cancels"),
        Agrees(right, extremes=far_apart, ask=probe.by_blocks, otherwise="far-apart"),
    ],
    words=(LESSON, WORDS),
)
