"""over-the-map: a function of one place, at all places of a map."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.checks import Agrees, at_once, declare, require


@probe.question(evidence="values")
def mapped(student_function, cases):
    """What an answer gives for functions that are written for one place, and refuse everything else."""

    def height(slope):
        def f(place):
            if not isinstance(place, jax.Array):
                raise TypeError(f"a place is a vector of JAX, and not a {type(place).__name__}")
            if place.shape != (2,):
                raise ValueError(f"one place has the shape (2,), and not {place.shape}")
            return jnp.abs(place[0] - 1) * (slope + place[1])  # no sum of a part for each axis

        return f

    of_slope = {slope: height(slope) for slope, _, _ in cases}  # the same function for the same number
    return [np.array(student_function(of_slope[slope], *probe.on_device(axes))) for slope, *axes in cases]


def calls(student_function, sizes):
    """How often Python calls the function, for maps of several sizes."""
    counts = []
    for rows, columns in sizes:
        seen = []

        def f(place):
            seen.append(1)  # noqa: B023
            return place[0] - 2 * place[1]

        east, north = np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32)
        student_function(f, *probe.on_device((east, north)))
        counts.append(len(seen))
    return counts


def one_by_one(slope, east, north):
    """The oracle: a loop over the places."""
    return np.array([[at(slope, x, y) for x in east] for y in north])


def at(slope, x, y):
    return abs(float(x) - 1) * (slope + float(y))


def maps(rng):
    """Maps of several sizes, whose axes are neither even nor in order."""
    cases = []
    for rows, columns in ((2, 3), (3, 2), (3, 3), (1, 4), (4, 1), (1, 1), (5, 4)):
        east, north = (rng.uniform(-4, 4, count).astype(np.float32) for count in (columns, rows))
        cases.append((float(rng.choice([2.5, -3.0, 0.25])), east, north))
    slope, east, north = cases[0]
    return [*cases, (slope, east + 2, north[::-1])]  # the same function, elsewhere


def of_map(change):
    return lambda slope, east, north: change(one_by_one(slope, east, north))


def swapped(slope, east, north):
    """The places (north, east) in the right arrangement."""
    return one_by_one(slope, north, east).T


SHOWN = """\
def f(place):
    return jnp.abs(place[0] - 1) * (slope + place[1])

over_the_map(f, east, north)"""

MISTAKES = {
    "transposed": of_map(np.transpose),
    "swapped": swapped,
    "both": lambda *case: swapped(*case).T,
    "in-one-row": [of_map(np.ravel), of_map(lambda values: values.T.ravel())],
    "reshaped": of_map(lambda values: values.T.reshape(values.shape)),
    "upside-down": of_map(np.flipud),
}

RAISING = {
    "not-a-vector": "a place is a vector of JAX",
    "not-one-place": "one place has the shape (2,)",
    "two-arguments": "positional argument",
    "side-by-side": {"ValueError: inconsistent sizes", "ValueError: same size"},
    "loop-in-a-trace": probe.NEEDS_A_VALUE,
}


def as_often_for_many(answer, rng):
    """Require that Python calls the function as often for a large map as for a small one."""
    few, wide, high = answer.probe(calls, [(2, 3), (2, 30), (20, 3)])
    require(few == wide == high, "loops", few=few, wide=wide, high=high)


WORDS = """
hint: Begin with a function of two numbers, `at(x, y)`, that calls `f` at one place.
hint: Map it over `x` alone, with `in_axes=(0, None)`: that's a row. Then map the row over `y`.
hint: `jax.vmap(jax.vmap(at, in_axes=(0, None)), in_axes=(None, 0))(east, north)`
transposed: Your rows are the columns. The outer `vmap` makes the leading axis: let it go over `north`.
swapped: You called `f` at (north, east). A place begins with its east.
both: You called `f` at (north, east), and your rows are the columns as well. Turn both round: one alone won't do.
in-one-row: Your values are all there, in one row. Reshape them into rows, one for each `north`, or map twice.
reshaped: Your values are all there, but the reshape took them in another order. Is it `indexing="ij"`?
upside-down: Your map is upside down. Row 0 belongs to `north[0]`, even if a picture would show it at the bottom.
not-a-vector: Your code called `f` with something other than a JAX vector. Make one vector of the two numbers, with
    `jnp.stack([x, y])`.
not-one-place: Your code called `f` with many places at once, and `f` takes only one. Hand `f` to `jax.vmap`.
two-arguments: Your code called a function with the wrong number of arguments. Is it `f`? It takes one, a vector:
    `jnp.stack([x, y])`.
side-by-side: Your `vmap` went through both vectors at once, and their lengths differ. Map over one after the other:
    `None` in `in_axes` shares the one that waits.
loop-in-a-trace: Your code asked for a number that doesn't exist yet. Inside `vmap` there are stand-ins: stack them
    with `jnp`.
loops: Python called `f` {few}, {wide} and {high} times for 2 by 3, 2 by 30 and 20 by 3 places. That's a loop in
    Python: let `vmap` replace it.
wrong-value: Your entries differ. The entry `[i, j]` is `f` at the place `[east[j], north[i]]`.
"""

over_the_map = declare(
    "over-the-map",
    see="tour-many",
    steps=[
        Agrees(
            one_by_one,
            extremes=maps,
            ask=at_once(mapped),
            shows=SHOWN,
            mistakes=MISTAKES,
            raising=RAISING,
            rtol=1e-4,
        ),
        as_often_for_many,
    ],
    words=WORDS,
)
