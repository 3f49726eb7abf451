"""median-distances: for each row the median of its distances to the other rows, in little memory."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, insides, probe
from jaxcourse.checks import Agrees, declare, refuse, require
from jaxcourse.exercise import numbers


@probe.question(evidence="values")
def medians(median_distances, x, batch_size):
    """What an answer gives, compiled for one batch size."""
    return jax.jit(median_distances, static_argnums=1)(probe.on_device(x), batch_size)


def growth(median_distances, sizes, columns, batch_size):
    """For several numbers of rows, the bytes of temporaries and the number of equations."""
    given = [jax.ShapeDtypeStruct((n, columns), jnp.float32) for n in sizes]

    def of(x):
        return median_distances(x, batch_size)

    found = [insides.read(of, x).everything for x in given]
    outside = any(each.calls_back for each in found[0])
    facts = {"equations": list(map(len, found)), "temporaries": [], "outside": outside}
    if len(set(facts["equations"])) > 1 or facts["outside"]:
        return facts
    return facts | {"temporaries": [probe.program(of, x)["temporaries"] for x in given]}


def table_of_distances(x):
    """All distances, in float64."""
    x = np.asarray(x, np.float64)
    return np.sqrt(((x[:, None] - x) ** 2).sum(-1))


def of_others(table):
    """Each row of a table without what is on its diagonal."""
    return [np.delete(row, i) for i, row in enumerate(table)]


def median_of_distances(x, batch_size):
    """The oracle."""
    return np.array([np.median(row) if len(row) else np.nan for row in of_others(table_of_distances(x))])


def by_batches(x, batch_size):
    """Distances only within a batch."""
    parts = [x[i : i + batch_size] for i in range(0, len(x), batch_size)]
    return np.concatenate([median_of_distances(part, batch_size) for part in parts])


def with_filling(x, batch_size):
    """The zeros that fill the last batch are points as well."""
    return median_of_distances(np.pad(x, ((0, -len(x) % batch_size), (0, 0))), batch_size)[: len(x)]


def of_different(x, batch_size):
    """All distances that are 0 are left out."""
    return np.array([np.median(row[row > 0]) if row.any() else np.nan for row in table_of_distances(x)])


MISTAKES = {
    "itself-counted": lambda x, _: np.median(table_of_distances(x), axis=1),
    "within-the-batch": by_batches,
    "root-of-the-median": lambda x, _: np.sqrt([np.median(row**2) for row in of_others(table_of_distances(x))]),
    "zeros-counted": with_filling,
    "squared": lambda x, _: np.array([np.median(row**2) for row in of_others(table_of_distances(x))]),
    "mean-distance": lambda x, _: np.array([row.mean() for row in of_others(table_of_distances(x))]),
    "upper-median": lambda x, _: np.array([np.sort(row)[len(row) // 2] for row in of_others(table_of_distances(x))]),
}


def points(rng, sizes):
    """The arguments of one call."""
    n, d, batch_size = sizes
    scale = 1e-7 if d == 1 else rng.choice([1e-7, 1, 1e7])
    return (scale * inputs.array(rng, (n, d), "float32")).astype(np.float32), batch_size


def twins(rng, sizes):
    """Points of which each is there two or three times."""
    x, batch_size = points(rng, sizes)
    return x[rng.permutation(np.arange(len(x)) % (len(x) // 2))], batch_size


def far(rng, sizes):
    """Points near each other, and two on the other side of 0."""
    n, d, batch_size = sizes
    side = np.where(np.arange(n) < n - 2, 1000, -1000)
    return (side[:, None] + rng.uniform(-1, 1, (n, d))).astype(np.float32), batch_size


def of_all_rows(result, x, batch_size):
    """The medians, where there is one for each row."""
    numbers(result)
    whole = len(x) // batch_size * batch_size
    filled = np.shape(result) == (-(-len(x) // batch_size) * batch_size,) != (len(x),)
    refuse(filled, "filling-returned", len=len(x), result=np.size(result))
    refuse(np.shape(result) == (whole,) != (len(x),), "no-rest/2", len=len(x), batch_size=batch_size)
    return result


def of_the_near(result, x, batch_size):
    """The medians of the points that have most others near them."""
    return np.asarray(of_all_rows(result, x, batch_size))[:-2]


def whole_batches(answer, rng):
    """What is raised where there is no rest has another reason."""
    answer.called = "median_distances(float32[6,2], 3)"
    answer.probe(medians, *points(rng, (6, 2, 3)))


def in_little_memory(answer, rng):
    """Neither equations nor temporaries grow as a table of all pairs does."""
    found = answer.probe(growth, [128, 256], 3, 8)
    few, many = found["equations"]
    require(few == many, "unrolled", few=few, many=many)
    refuse(found["outside"], "called-back")
    few, many = found["temporaries"]
    require(many < 3 * few + 4096 or many < 256**2, "all-at-once")  # not a byte for each pair is no table
    (alone,) = answer.probe(growth, [256], 3, 1)["temporaries"]
    require(alone < 16 * 4 * 256, "larger-batches", alone=f"{alone:,}")


NO_REST = {"no-rest": lambda error: any(w in error.raised.message for w in ("cannot reshape", "reshape total size"))}

WORDS = """
hint: Write it for one row. Take its distances to all rows of `x`, without its own, and their median.
hint: `jax.lax.map(function, x, batch_size=batch_size)` takes `batch_size` rows at a time.
hint: A row's distance to itself is 0, so it is the first if you sort.
itself-counted: You counted each row's distance to itself. The task asks for the other rows.
twins-dropped: You left out every distance that is 0. Two equal points have that distance as well, and it counts. Leave
    out only the row itself.
within-the-batch: You compared each row only with the rows of its own batch. `batch_size` says how many you work on at a
    time. Compare each of them with all others.
root-of-the-median: You took the root of the median of squares. For an even number of distances that is the root
    of a mean of squares, not the mean of two distances.
zeros-counted: You counted the rows of zeros that fill the last batch as points.
squared: You returned medians of squared distances. Take the root.
mean-distance: You returned the mean distance. The task asks for the median.
upper-median: For an even number of distances, your median is the upper of the two in the middle. The median lies
    halfway between them.
no-rest: Your `reshape` fails if `batch_size` does not divide the number of rows. Fill the last batch, and cut its
    filling off again.
filling-returned: You returned {result} medians for {len} rows. The padding of the last batch came back as well.
no-rest/2: Of {len} rows in batches of {batch_size}, you left out the remainder that fills no batch.
wrong-value: Your numbers are not the medians of the distances.
digits-lost: Far from 0, you lose digits. Do you expand a square into large terms, which nearly cancel? Subtract first.
unrolled [memory]: Your jaxpr has {few} equations for 128 rows and {many} for 256, because a Python loop writes its body
    out each time. `jax.lax.map` writes it once.
called-back: You hand the work back to Python, so its memory is not that of the compiled program. Stay in JAX.
all-at-once: Your medians are right. But twice as many rows take more than three times the temporary memory, because the
    table of all pairs is there at once.
larger-batches: With `batch_size=1`, you need {alone} bytes of temporary arrays for 256 rows, as if you worked on many
    rows at a time. `batch_size` says how many may be.
"""

ASKED = {"ask": medians, "raising": NO_REST, "shows": "median_distances({})"}
ROWS = {"reads": of_all_rows, "each": 2, "rtol": 1e-3}
TWINS = {"twins-dropped": of_different}
median_distances = declare(
    "median-distances",
    points=2,
    see="memory",
    steps=[
        whole_batches,
        Agrees(median_of_distances, twins, [(7, 2, 1)], mistakes=TWINS, otherwise=None, **ROWS, **ASKED),
        Agrees(
            median_of_distances,
            points,
            [(5, 3, 3), (7, 7, 4)],
            extremes=lambda rng: [points(rng, (4, 1, 9)), points(rng, (2, 2, 2))],
            mistakes=MISTAKES,
            **ROWS,
            **ASKED,
        ),
        Agrees(
            lambda x, batch_size: median_of_distances(x, batch_size)[:-2],
            far,
            [(7, 3, 2)],
            each=1,
            reads=of_the_near,
            otherwise="digits-lost",
            rtol=1e-2,
            **ASKED,
        ),
        in_little_memory,
    ],
    words=WORDS,
)
