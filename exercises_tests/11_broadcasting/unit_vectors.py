"""unit-vectors: the vectors along the last axis of `v` with length 1, and zero vectors left as they are."""

import numpy as np

from jaxcourse import inputs
from jaxcourse.bans import no_loops
from jaxcourse.checks import Agrees, declare, refuse
from jaxcourse.exercise import is_close, numbers
from jaxcourse.probe import AnswerRaised

from . import _lesson
from ._lesson import ONE_EXPRESSION, tenths


def normalised(v):
    """One vector after the other."""
    result = np.zeros(v.shape)
    for index in np.ndindex(v.shape[:-1]):
        length = sum(float(component) ** 2 for component in v[index]) ** 0.5
        result[index] = [component / length if length else 0.0 for component in v[index]]
    return result


def some_vectors(rng, shape):
    """Vectors of one shape, with zero ones among them, in both dtypes and in any layout."""
    v = inputs.array(rng, shape, str(rng.choice(["float64", "float32"])))
    v[rng.random(shape[:-1]) < 0.2] = 0.0
    views = list(inputs.layouts(v).values())
    return (views[int(rng.integers(len(views)))],)


def without_zeros(rng, shape):
    """Vectors of which none is zero, and some have negative components only."""
    v = tenths(rng, shape)
    return (np.where(rng.random((*shape[:-1], 1)) < 0.3, -np.abs(v), v),)


def small_and_large(rng, case):
    """Vectors that are not zero, as small and as large as the task allows."""
    shape, dtype = case
    sizes = 10.0 ** rng.choice([-15, -12, -9, 0, 9, 14], (*shape[:-1], 1))
    return ((inputs.array(rng, shape, low=1, high=9) * sizes).astype(dtype),)


def at_the_limits(rng):
    """The smallest and the largest vectors that the task allows, beside zero."""
    for dtype in ("float64", "float32"):
        yield (np.array([[1e-15, 0], [0, -1e-15], [0, 0], [1e15, 1e15], [1e15, 1e-15]], dtype),)
        yield (np.array([[1e-15], [-1e15], [0]], dtype),)


def one_zero(rng, shape):
    v = tenths(rng, shape)
    v[1] = 0.0
    return (v,)


def nothing_added(answer, rng):
    """A small number that is added to the lengths leaves them right in nearly all digits."""
    v = tenths(rng, (4, 4))
    got, want = numbers(answer(v)), normalised(v)
    too_short = (
        got.dtype == np.float64 and is_close(got, want, rtol=1e-5) and np.all(np.abs(got) < np.abs(want) * (1 - 1e-14))
    )
    refuse(too_short, "lengths-padded")


def on_used_memory(function, v, left):
    """The answer's result where memory that NumPy hands out as it finds it holds one number, and not by chance 0."""

    class Watched(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *operands, out=None, where=True, **others):
            operands = [np.asarray(x) if isinstance(x, Watched) else x for x in operands]
            if method == "__call__" and where is not True:
                out = out or (np.full(np.broadcast_shapes(np.shape(where), *map(np.shape, operands)), left),)
                others["where"] = np.asarray(where)
            elif where is not True:
                others["where"] = where
            others |= {} if out is None else {"out": tuple(map(np.asarray, out))}
            result = getattr(ufunc, method)(*operands, **others)
            return result.view(Watched) if isinstance(result, np.ndarray) else result

    def used(make):
        def made(*args, **kwargs):
            array = make(*args, **kwargs)
            array.fill(left)
            return array

        return made

    kept = np.empty, np.empty_like
    np.empty, np.empty_like = map(used, kept)
    try:
        return np.asarray(function(v.view(Watched)))
    finally:
        np.empty, np.empty_like = kept


def every_place_written(answer, rng):
    """An array that is filled in part only holds what its memory held before: by chance often 0."""
    left = -12345.0
    try:
        got = numbers(answer.probe(on_used_memory, *one_zero(rng, (4, 4)), left))
    except AnswerRaised:  # not every function takes such an array, and those that were asked before are judged by them
        return
    refuse((got == left).any(), "left-as-found")


def no_nan(answer, rng):
    """No zero vector is divided by its length."""
    refuse(np.isnan(numbers(answer(*one_zero(rng, (4, 4))))).any(), "zero-over-zero")


def of_length(power):
    return lambda v: v / (np.abs(v) ** power).sum(-1, keepdims=True)


MISTAKES = {
    "lengths-as-a-row": lambda v: v / np.linalg.norm(v, axis=1),
    "wrong-axis": [
        lambda v: v / np.linalg.norm(v, axis=0),
        lambda v: v / np.linalg.norm(v, axis=0)[:, None],
    ],
    "one-length-for-all": lambda v: v / np.linalg.norm(v),
    "root-lost": of_length(2),
    "sum-of-absolutes": of_length(1),
    "sign-lost": lambda v: np.abs(normalised(v)),
    "turned-round": [
        lambda v: np.where(v.max(-1, keepdims=True) < 0, -1, 1) * normalised(v),
        lambda v: np.where(v[..., :1] < 0, -1, 1) * normalised(v),
    ],
}

WORDS = """
hint: Which axis do the components of one vector lie along? Count from the end.
hint: The lengths must stretch back over `v`. What does `keepdims=True` leave?
hint: If the length of a vector is 0, divide by something else.
left-as-found: Your zero vector holds what was in that memory before, which is 0 only by chance. `where=` without
    `out=`, and `np.empty`, leave places as they are. Begin with `np.zeros`.
lengths-padded: Your lengths are not quite 1. Was something small added to those by which you divide? Treat only 0
    specially.
lengths-as-a-row: You divided the *columns* of `v` by the lengths. Without an axis of length 1, a vector of them counts
    as a row, and here that even fits.
wrong-axis: You divided by the lengths of the columns. The components of a vector are along the last axis.
one-length-for-all: You divided by one number, the length of everything together. Each vector has its own, along
    `axis=-1`.
root-lost: You divided by the sum of the squares. The length is its *root*.
sum-of-absolutes: Your absolute values now add up to 1. Square, sum, take the root.
sign-lost: You lost the signs. Divide `v` itself.
turned-round: Your vectors have length 1, but some point the other way. Did you divide by something negative? If you
    scale by a component, take its absolute value.
wrong-value: Your result is not right. Each vector should have length 1, and point where it did.
two-axes-only: Your answer is right for two axes, but not for every number of them. `axis=-1` is the last of any rank,
    and the result keeps the shape of `v`, axes of length 1 included.
zero-over-zero: Your result has NaN in it, and one vector is zero here. A zero vector should stay zero, and no other
    should change.
zero-changed: Your answer is off if one vector is zero. It should stay zero, and the others should not change with it.
small-vectors: Your small or large vectors do not have length 1. Add nothing to a length, scale each vector by its own,
    and treat only 0 specially.
wrong-value/each: Your answer is right for some arrays, but not for every shape, dtype and layout. The result has the
    shape of `v`, and each vector its own place.
"""


def of_any_shape(rng):
    drawn = inputs.shapes(rng, 1, 2, 3, 4, sizes=(1, 2, 5))
    return [*drawn, (0, 3), (4, 0, 2), (1, 1), (2, 40), (1, 2, 1, 2, 1, 1, 3)]


SQUARES = [(3, 3), (4, 4)]
RANKS = [(2, 3, 5), (3,), (2, 1, 3, 2)]
OF_BOTH = [(shape, dtype) for shape in ((3, 2), (1, 3), (2, 2, 4)) for dtype in ("float64", "float32")]
unit_vectors = declare(
    "unit-vectors",
    points=2,
    see="columns",
    without=[
        no_loops(
            grows=[lambda n: (np.ones((n, 3)),), lambda n: (np.ones((2, n, 3)),), lambda n: (np.ones((n, 2, 1, 3)),)],
            of="vectors",
            advice=ONE_EXPRESSION,
        )
    ],
    steps=[
        Agrees(normalised, without_zeros, SQUARES, raising={"truth-value": "truth value"}, otherwise=None),
        nothing_added,
        Agrees(normalised, without_zeros, SQUARES, mistakes=MISTAKES),
        Agrees(normalised, without_zeros, [(2, 5), (5, 2)], each=1),
        Agrees(normalised, without_zeros, RANKS, each=1, otherwise="two-axes-only", raising={"two-axes-only": ""}),
        every_place_written,
        no_nan,
        Agrees(normalised, one_zero, [(4, 4)], each=1, otherwise="zero-changed"),
        Agrees(normalised, small_and_large, OF_BOTH, extremes=at_the_limits, rtol=1e-5, otherwise="small-vectors"),
        Agrees(normalised, some_vectors, of_any_shape, rtol=1e-5, otherwise="wrong-value/each"),
    ],
    words=(_lesson.WORDS, WORDS),
)
