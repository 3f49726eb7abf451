"""Checks of lesson 02, broadcasting: what is asked, what people get wrong, and what each mistake is told."""

import jax
import jax.numpy as jnp
import numba
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.bans import no_calls, no_loops
from jaxcourse.exercise import Diagnosis, close, equivalent, exercise, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Slip, sweep
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction
from jaxcourse.probe import AnswerRaised

ONE_EXPRESSION = "Give each index an axis: one expression holds for all of them."
NOT_TOLD = "no slip fits"


def told(answer, oracle, draw, rng, shapes, slips):
    """Tell a slip that an answer makes on inputs of some shapes; everything else is left to the next question.

    Asked of equal lengths, a program that takes a column for a row runs, and shows what it does.
    """
    try:
        sweep(answer, oracle, draw, rng, shapes=shapes, slips=slips, label=NOT_TOLD)
    except Diagnosis as found:
        if found.label != NOT_TOLD:
            raise
    except AnswerRaised:
        pass


def raised(answer, *args):
    """What one call raises, and in which line; an empty text where nothing is raised."""
    try:
        answer(*args)
    except AnswerRaised as error:
        return f"{error.raised.message} It is in `{error.raised.line}`."
    return ""


def told_of_truth_values(complaint):
    """Say what it means if Python wanted one truth value of an array."""
    message = (
        "Python asked for one truth value of a whole array: `if`, `and`, `or`, `not` and `a <= b < c` do that. Use "
        f"`np.where` and `&`, `|`, `~`, with brackets around each comparison. {complaint.rpartition('. ')[2]}"
    )
    refuse("truth value" in complaint, "truth-value", message)


def tenths(rng, shape):
    """Numbers of one decimal, which a message shows in few characters, and of which none is 0."""
    return (rng.integers(0, 30, shape) + 0.5) / 10 * rng.choice([-1, 1], shape)


# -- predict-broadcast ------------------------------------------------------------------------------------------

FIVE_PAIRS = {
    "(7, 1) and (7, 4)": ((7, 1), (7, 4)),
    "(7,) and (4, 7)": ((7,), (4, 7)),
    "(3, 3) and (2, 3)": ((3, 3), (2, 3)),
    "(1, 1, 1, 8) and (1, 9, 1)": ((1, 1, 1, 8), (1, 9, 1)),
    "(4, 1, 9) and (3, 1)": ((4, 1, 9), (3, 1)),
}


def shape_or_error(*shapes):
    """What NumPy makes of some shapes."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return "error"


def five_shapes():
    """The true answer."""
    return {name: shape_or_error(*pair) for name, pair in FIVE_PAIRS.items()}


predict_broadcast = prediction(
    "predict-broadcast",
    see="rule",
    hint=[
        "Write the two shapes one below the other, aligned on the right.",
        "Then look at one axis after the other.",
    ],
    choices=["error"],
    truth=five_shapes,
    mistakes=[
        Mistake(
            "clash-overlooked",
            {"(3, 3) and (2, 3)": anything_else((3, 3), (6, 3))},
            "3 and 2 meet, and neither is 1: a longer axis is never cut, and a shorter one is never repeated in part.",
        ),
        Mistake(
            "aligned-on-the-left",
            {"(7,) and (4, 7)": "error"},
            "`(7,)` is aligned on the right: it becomes `(1, 7)`, a row, and fits `(4, 7)`.",
        ),
        Mistake(
            "only-one-stretches",
            [{"(1, 1, 1, 8) and (1, 9, 1)": "error"}, {"(4, 1, 9) and (3, 1)": "error"}],
            "Both operands may stretch, each along a different axis. The result is then larger than either.",
        ),
        Mistake(
            "axes-lost",
            [
                {"(1, 1, 1, 8) and (1, 9, 1)": any_of((9, 8), (1, 9, 8))},
                {"(4, 1, 9) and (3, 1)": any_of((4, 3), (3, 9), (4, 9))},
            ],
            "The result has as many axes as the operand with the most: missing ones are added on the left.",
        ),
    ],
    otherwise="Equal lengths stay, and 1 becomes the other length.",
)
transposes = wrong("predict-broadcast", "wrong-value")(five_shapes() | {"(7,) and (4, 7)": (7, 4)})

# -- broadcast-rule ---------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def broadcast_or_refuse(rule, *shapes):
    """The shape that the answer returns, or the name of what it raises: "ValueError" for every kind of it."""
    try:
        return rule(*shapes)
    except ValueError:
        return "ValueError"
    except (AssertionError, LookupError, MemoryError, OverflowError, TypeError) as error:
        return type(error).__name__


def common_shape(shapes):
    """The oracle: axis by axis from the right, without any limit to the lengths."""
    result = []
    for k in range(1, max(len(shape) for shape in shapes) + 1):
        left = {shape[-k] for shape in shapes if len(shape) >= k} - {1}
        if len(left) > 1:
            return "ValueError"
        result.insert(0, left.pop() if left else 1)
    return tuple(result)


def aligned(shapes):
    rank = max(len(shape) for shape in shapes)
    return [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]


def some_shapes(rng, count):
    """Shapes that fit, but for one length in half of the draws: of any rank, with ones and zeros in any place."""
    common = [int(length) for length in rng.choice([0, 1, 2, 3, 4, 6, 9], size=int(rng.integers(0, 8)))]
    made = []
    for _ in range(count):
        shape = [1 if rng.random() < 0.4 else length for length in common]
        made.append(shape[int(rng.integers(len(common) + 1)) :] if rng.random() < 0.5 else shape)
    unlucky = made[int(rng.integers(count))]
    if unlucky and rng.random() < 0.5:
        unlucky[int(rng.integers(len(unlucky)))] = int(rng.choice([0, 2, 3, 6, 12]))
    return (tuple(map(tuple, made)),)


NO_BROADCASTING = no_calls(
    *("np.broadcast_shapes", "np.broadcast_arrays", "np.broadcast_to", "np.broadcast", "np.nditer"),
    *("jnp.broadcast_shapes", "jnp.broadcast_arrays", "jnp.broadcast_to", "jax.lax.broadcast_shapes"),
    *("jax.eval_shape", "jax.make_jaxpr", "jax.ShapeDtypeStruct.__init__"),
    given=lambda: [((3, 1), (4,)), ((2,), (2,)), ((2, 1, 1), (3, 1), (4,)), ((5,),)],
    advice="Compare the lengths.",
)


@exercise(
    "broadcast-rule",
    points=2,
    see="rule",
    hint=[
        "Make all shapes equally long first: how many ones does each need on the left?",
        "`zip(*aligned)` gives the lengths on one axis after the other.",
        "Remove the ones from them. How many different lengths may be left?",
    ],
    without=[NO_BROADCASTING],
)
def broadcast_rule(answer, rng):
    def asked(*shapes):
        got = answer.probe(broadcast_or_refuse, *shapes)
        whole = not isinstance(got, tuple) or all(isinstance(length, (int, np.integer)) for length in got)
        require(whole, "not-a-shape", f"Lengths are whole numbers, and `{got}` has others.")
        return got

    answer((7, 1), (7, 4))  # where nothing is wrong, what it raises is the student's to see
    got = asked((7, 1), (7, 4))
    require(isinstance(got, tuple), "not-a-shape", "Return a tuple of lengths, as `.shape` is one.")
    got = asked((4, 6), (4, 3))
    message = "6 and 3 meet on one axis, and neither is 1. That 3 divides 6 does not help: raise `ValueError`."
    require(isinstance(got, str) and got.endswith("Error"), "clash-accepted", message)
    message = f"Where lengths clash, it raises `{got}`. The task wants a `ValueError`, as NumPy raises one."
    require(got == "ValueError", "another-exception", message)
    message = "(3, 5) and (5,) broadcast to (3, 5): shapes are aligned on the right."
    both = asked((3, 5), (5,)), asked((5,), (3, 5))
    require(both == ((3, 5), (3, 5)), "aligned-on-the-left", message)
    message = "(2, 1, 1), (3, 1) and (4,) broadcast to (2, 3, 4). The rule holds for any number of shapes."
    require(asked((2, 1, 1), (3, 1), (4,)) == (2, 3, 4), "two-shapes-only", message)
    require(asked((5, 2)) == (5, 2), "one-shape-refused", "One shape alone is its own common shape.")
    got = asked((3, 0), (1,))
    message = "(3, 0) and (1,) broadcast to (3, 0): a 1 stretches to any length, 0 included. Do not take the largest."
    require(got == (3, 0), "largest-taken", message)
    message = "0 and 3 meet on one axis: only 1 stretches, so raise `ValueError`."
    require(asked((0,), (3,)) == asked((2, 3), (0,)) == "ValueError", "zero-stretches", message)
    message = (
        "2 and 3 clash, whatever else meets on the axis, and in whatever order: compare all lengths with each other."
    )
    orders = asked((1,), (2,), (3,)), asked((2,), (1,), (3,)), asked((2,), (3,), (1,))
    require(orders == ("ValueError",) * 3, "not-all-compared", message)
    require(asked((5,), ()) == (5,), "number-refused", "() is the shape of a number: it fits everything.")
    message = "Not what the rule gives."
    counts = (1, 2, 2, 3, 4)
    sweep(lambda shapes: asked(*shapes), common_shape, some_shapes, rng, shapes=counts, each=24, message=message)
    fits = asked((1000, 1), (int("1000"), 5)) == (1000, 5)
    require(fits, "wrong-value", "1000 and 1000 are equal, though Python may keep them as two objects: `==`, not `is`.")
    NO_BROADCASTING.enforce(answer)
    huge = 10**18
    message = (
        "Right for short axes. An axis of 10¹⁸ elements is too long for an array, and not for the rule: only compare."
    )
    require(asked((huge, 1), (1, huge)) == (huge, huge), "makes-arrays", message)
    message = "10¹⁸ and 10¹⁸ + 1 clash. As floats they are equal: lengths are whole numbers, so keep them as such."
    require(asked((huge,), (huge + 1,)) == "ValueError", "wrong-value", message)
    told_of_many(asked, rng)


def told_of_many(asked, rng):
    """Ask with more shapes, and more axes, than anybody would think of, and NumPy would take."""
    lengths = tuple(map(int, rng.integers(2, 9, 70)))
    thinned = [tuple(int(rng.choice([1, length])) for length in lengths) for _ in range(100)]
    message = "Right for a few axes, and here are 70: the rule holds for any number of them."
    require(asked(lengths, thinned[0]) == lengths, "wrong-value", message)
    message = "Right for a few shapes, and here are 100: the rule holds for any number of them."
    require(asked(*thinned, lengths) == lengths, "wrong-value", message)
    clash = (*lengths[:-1], lengths[-1] + 1)
    require(asked(*thinned, lengths, clash) == "ValueError", "wrong-value", message)


@right("broadcast-rule")
def from_the_right(*shapes):
    common = [1] * max(map(len, shapes))
    for shape in shapes:
        for k in range(-len(shape), 0):
            if common[k] == 1:
                common[k] = shape[k]
            elif shape[k] not in (1, common[k]):
                raise ValueError(f"{shape[k]} meets {common[k]}")
    return tuple(common)


class PairByPair:
    """A callable object that raises a `ValueError` of its own."""

    class Clash(ValueError):
        pass

    def __call__(self, *shapes):
        first, *others = shapes
        for other in others:
            first = self.joined(first, other)
        return first

    def joined(self, a, b):
        if not a or not b:
            return a + b
        if a[-1] != b[-1] and 1 not in (a[-1], b[-1]):
            raise self.Clash
        return (*self.joined(a[:-1], b[:-1]), b[-1] if a[-1] == 1 else a[-1])


pair_by_pair = right("broadcast-rule")(PairByPair())


@wrong("broadcast-rule", "forbidden-call")
def asks_numpy(*shapes):
    return np.broadcast_shapes(*shapes)


@right("broadcast-rule")
def a_table_of_lengths(*shapes):
    table = np.ones((len(shapes), max(map(len, shapes))), object)
    for row, shape in zip(table, shapes, strict=True):
        row[len(row) - len(shape) :] = shape
    left = [set(axis) - {1} for axis in table.T.tolist()]
    if any(len(axis) > 1 for axis in left):
        raise ValueError("clash")
    return tuple(axis.pop() if axis else 1 for axis in left)


@wrong("broadcast-rule", "forbidden-call")
def asks_jax_without_arrays(*shapes):
    given = [jax.ShapeDtypeStruct(shape, "int8") for shape in shapes]
    try:
        return jax.jit(lambda *arrays: sum(arrays)).eval_shape(*given).shape
    except TypeError as error:
        raise ValueError("clash") from error


@wrong("broadcast-rule", "makes-arrays")
def adds_arrays(*shapes):
    return sum(np.zeros(shape) for shape in shapes).shape


@wrong("broadcast-rule", "makes-arrays")
def adds_what_is_nearly_nothing(*shapes):
    return sum(np.ndarray(shape, np.int8) for shape in shapes).shape


@wrong("broadcast-rule", "another-exception")
def asserts_that_lengths_fit(*shapes):
    for lengths in zip(*aligned(shapes), strict=True):
        assert len(set(lengths) - {1}) < 2
    return common_shape(shapes)


@wrong("broadcast-rule", "clash-accepted")
def returns_a_word(*shapes):
    common = common_shape(shapes)
    return "error" if common == "ValueError" else common


@wrong("broadcast-rule", "zero-stretches")
def lets_zero_stretch(*shapes):
    result = []
    for lengths in zip(*aligned(shapes), strict=True):
        if len({length for length in lengths if length > 1}) > 1:
            raise ValueError("clash")
        result.append(0 if 0 in lengths else max(lengths))
    return tuple(result)


@wrong("broadcast-rule", "not-all-compared")
def compares_with_the_first(*shapes):
    first, *others = aligned(shapes)
    if any(1 not in pair and len(set(pair)) > 1 for other in others for pair in zip(first, other, strict=True)):
        raise ValueError("clash")
    return tuple(next((length for length in axis if length != 1), 1) for axis in zip(first, *others, strict=True))


@wrong("broadcast-rule", "not-all-compared")
def compares_neighbours(*shapes):
    padded = aligned(shapes)
    for a, b in zip(padded[:-1], padded[1:], strict=True):
        if any(1 not in pair and len(set(pair)) > 1 for pair in zip(a, b, strict=True)):
            raise ValueError("clash")
    return tuple(next((length for length in axis if length != 1), 1) for axis in zip(*padded, strict=True))


@wrong("broadcast-rule", "one-shape-refused")
def wants_two(first, second, *others):
    return or_raise(first, second, *others)


def or_raise(*shapes):
    common = common_shape(shapes)
    if common == "ValueError":
        raise ValueError("clash")
    return common


@wrong("broadcast-rule", "clash-accepted")
def takes_the_largest_everywhere(*shapes):
    return tuple(max(lengths) for lengths in zip(*aligned(shapes), strict=True))


@wrong("broadcast-rule", "largest-taken")
def takes_the_largest_after_a_test(*shapes):
    for lengths in zip(*aligned(shapes), strict=True):
        if len(set(lengths) - {1}) > 1:
            raise ValueError("clash")
    return tuple(max(lengths) for lengths in zip(*aligned(shapes), strict=True))


@wrong("broadcast-rule", "aligned-on-the-left")
def pads_with_ones_on_the_right(*shapes):
    rank = max(len(shape) for shape in shapes)
    return or_raise(*[tuple(shape) + (1,) * (rank - len(shape)) for shape in shapes])


@wrong("broadcast-rule", "aligned-on-the-left")
def cuts_to_the_shorter(*shapes):
    axes = list(zip(*shapes, strict=False))
    if any(len(set(lengths) - {1}) > 1 for lengths in axes):
        raise ValueError("clash")
    return tuple(max(lengths) for lengths in axes)


@wrong("broadcast-rule", "aligned-on-the-left")
def takes_the_first_for_the_longest(*shapes):
    result = list(shapes[0])
    for shape in shapes[1:]:
        for k in range(-min(len(shape), len(result)), 0):
            if 1 not in (shape[k], result[k]) and shape[k] != result[k]:
                raise ValueError("clash")
            result[k] = shape[k] if result[k] == 1 else result[k]
    return tuple(result)


@wrong("broadcast-rule", "two-shapes-only")
def takes_the_first_two(*shapes):
    return or_raise(*shapes[:2])


@wrong("broadcast-rule", "two-shapes-only")
def has_two_parameters(a, b):
    return or_raise(a, b)


@wrong("broadcast-rule", "ValueError")
def wants_equal_lengths(*shapes):
    for lengths in zip(*aligned(shapes), strict=True):
        if len(set(lengths)) > 1:
            raise ValueError("clash")
    return aligned(shapes)[0]


@wrong("broadcast-rule", "number-refused")
def needs_an_axis_in_each(*shapes):
    return or_raise(*shapes) if all(shapes) else ()


@wrong("broadcast-rule", "wrong-value")
def eight_axes_at_most(*shapes):
    return or_raise(*shapes)[-8:]


@wrong("broadcast-rule", "wrong-value")
def lengths_as_floats(*shapes):
    common = or_raise(*[tuple(map(float, shape)) for shape in shapes])
    return tuple(map(int, common))


@wrong("broadcast-rule", "wrong-value")
def as_many_shapes_as_numpy_takes(*shapes):
    return or_raise(*shapes[:64])


@wrong("broadcast-rule", "not-a-shape")
def counts_the_elements(*shapes):
    return int(np.prod(or_raise(*shapes)))


@wrong("broadcast-rule", "not-a-shape")
def returns_floats(*shapes):
    return tuple(map(float, or_raise(*shapes)))


@wrong("broadcast-rule", "not-a-shape")
def returns_a_list(*shapes):
    return list(or_raise(*shapes))


# -- unit-vectors -----------------------------------------------------------------------------------------------


def normalised(v):
    """The oracle: one vector after the other."""
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


def at_the_limits():
    """The smallest and the largest vectors that the task allows, beside zero."""
    for dtype in ("float64", "float32"):
        yield (np.array([[1e-15, 0], [0, -1e-15], [0, 0], [1e15, 1e15], [1e15, 1e-15]], dtype),)
        yield (np.array([[1e-15], [-1e15], [0]], dtype),)


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


def told_of_used_memory(answer, v):
    """An array that is filled in part only holds what its memory held before: by chance often 0."""
    left = -12345.0
    try:
        got = numbers(answer.probe(on_used_memory, v, left))
    except AnswerRaised:  # not every function takes such an array, and those that were asked before are judged by them
        return
    message = (
        "A zero vector became what was in that memory before, which is 0 by chance only: `where=` without `out=`, and "
        "`np.empty`, leave places as they are. Begin with `np.zeros`."
    )
    refuse((got == left).any(), "left-as-found", message)


def of_length(power):
    """A slip: vectors of another norm with length 1."""
    return lambda v: v / (np.abs(v) ** power).sum(-1, keepdims=True)


@exercise(
    "unit-vectors",
    points=2,
    see="columns",
    hint=[
        "Which axis do the components of one vector lie along? Count from the end.",
        "The lengths must stretch back over `v`: what does `keepdims=True` leave?",
        "For zero vectors: where the length is 0, divide by something else.",
    ],
    without=[
        no_loops(
            grows=[lambda n: (np.ones((n, 3)),), lambda n: (np.ones((2, n, 3)),), lambda n: (np.ones((n, 2, 1, 3)),)],
            of="vectors",
            advice=ONE_EXPRESSION,
        )
    ],
)
def unit_vectors(answer, rng):
    told_of_truth_values(raised(answer, tenths(rng, (4, 4))))
    row = "The lengths met the *columns* of `v`: without an axis of length 1, a vector of them counts as a row. "
    columns = "Those columns have length 1, not the rows. The components of a vector lie along the last axis."
    one = "You divided by one number, the length of everything together. Each vector has its own: `axis=-1`."
    absolute = "The absolute values now add up to 1. Square, sum, root."
    turned = (
        "All have length 1, and some point the other way: they were divided by something negative. If you scale by a "
        "component, take its absolute value."
    )
    slips = [
        Slip("lengths-as-a-row", lambda v: v / np.linalg.norm(v, axis=1), f"{row}Here it even fits."),
        Slip("wrong-axis", lambda v: v / np.linalg.norm(v, axis=0), columns),
        Slip("wrong-axis", lambda v: v / np.linalg.norm(v, axis=0)[:, None], columns),
        Slip("one-length-for-all", lambda v: v / np.linalg.norm(v), one),
        Slip("root-lost", of_length(2), "The length is the *root* of that sum."),
        Slip("sum-of-absolutes", of_length(1), absolute),
        Slip("sign-lost", lambda v: np.abs(normalised(v)), "The signs are lost: divide `v` itself."),
        Slip("turned-round", lambda v: np.where(v.max(-1, keepdims=True) < 0, -1, 1) * normalised(v), turned),
        Slip("turned-round", lambda v: np.where(v[..., :1] < 0, -1, 1) * normalised(v), turned),
    ]
    told_of_padding(answer, rng)
    squares = [(3, 3), (4, 4)]
    told(answer, normalised, without_zeros, rng, squares, slips)
    message = "Each vector should have length 1, and point where it did."
    sweep(answer, normalised, without_zeros, rng, shapes=squares, message=message)
    for shape in ((2, 3, 5), (3,), (2, 1, 3, 2)):
        other = rng.normal(size=shape)
        message = f"Right for two axes, not for the shape {shape}. `axis=-1` is the last one of any rank."
        try:
            same = close(numbers(answer(other)), normalised(other))
        except AnswerRaised as error:
            same, message = False, f"{message} It raises {error.raised.kind} in `{error.raised.line}`."
        require(same, "two-axes-only", message)
    v = rng.normal(size=(4, 4))
    v[1] = 0.0
    told_of_used_memory(answer, v)
    got = numbers(answer(v))
    refuse(np.isnan(got).any(), "zero-over-zero", "A zero vector became NaN. Here it should stay zero.")
    message = "A zero vector should stay zero, and the others should not change with it."
    require(close(got, normalised(v)), "zero-changed", message)
    message = (
        "Small and large vectors should have length 1, too: add nothing to a length, scale each vector by its own, and "
        "treat only 0 specially."
    )
    some = [(shape, dtype) for shape in ((3, 2), (1, 3), (2, 2, 4)) for dtype in ("float64", "float32")]
    asked = inputs.Asked(answer, normalised, rtol=1e-5)
    cases = [small_and_large(rng, case) for case in some for _ in range(4)]
    asked.require([*sorted(cases, key=inputs.extent), *at_the_limits()], message, "small-vectors")
    shapes = [
        *inputs.shapes(rng, 1, 2, 3, 4, sizes=(1, 2, 5)),
        (0, 3),
        (4, 0, 2),
        (1, 1),
        (2, 40),
        (1, 2, 1, 2, 1, 1, 3),
    ]
    message = "Each vector has a length of its own."
    sweep(answer, normalised, some_vectors, rng, shapes=shapes, message=message, rtol=1e-5)


def told_of_padding(answer, rng):
    """A small number that is added to the lengths leaves them right in nearly all digits."""
    v = tenths(rng, (4, 4))
    got, want = numbers(answer(v)), normalised(v)
    too_short = (
        got.dtype == np.float64 and close(got, want, rtol=1e-5) and np.all(np.abs(got) < np.abs(want) * (1 - 1e-14))
    )
    message = "Not quite length 1: something small was added to the lengths. Treat only 0 specially."
    refuse(too_short, "lengths-padded", message)


@right("unit-vectors")
def by_division_where_there_is_a_length(v):
    length = np.sqrt((v * v).sum(axis=-1, keepdims=True))
    return np.divide(v, length, out=np.zeros(v.shape), where=length != 0)


@right("unit-vectors")
@jax.jit
def compiled_by_einsum(v):
    length = jnp.sqrt(jnp.einsum("...i,...i->...", v, v))
    return v / jnp.where(length == 0, 1, length)[..., None]


@right("unit-vectors")
def repairs_afterwards(v):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(v / np.linalg.norm(v, axis=-1, keepdims=True))


@wrong("unit-vectors", "left-as-found")
def divides_without_an_out(v):
    length = np.sqrt((v**2).sum(axis=-1, keepdims=True))
    return np.divide(v, length, where=length > 0)


@wrong("unit-vectors", "left-as-found")
def divides_into_empty(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.divide(v, length, out=np.empty(v.shape), where=length > 0)


@wrong("unit-vectors", "truth-value")
def asks_whether_the_length_is_zero(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v if length == 0 else v / length


@wrong("unit-vectors", "two-axes-only")
def puts_the_axis_at_one(v):
    length = np.linalg.norm(v, axis=-1)
    return v / np.where(length == 0, 1, length)[:, None]


@wrong("unit-vectors", "small-vectors")
def takes_small_for_zero(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(np.isclose(length, 0), 1, length)


@wrong("unit-vectors", "sign-lost")
def loses_the_signs(v):
    return np.sqrt(v**2 / (v**2).sum(axis=-1, keepdims=True))


@wrong("unit-vectors", "small-vectors")
def takes_the_smallest_for_zero(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > 1e-15, length, 1)


@wrong("unit-vectors", "loops")
def matrix_by_matrix(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.stack([unit(part) for part in v]) if v.ndim > 2 and v.size else v / np.where(length == 0, 1, length)


def unit(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length == 0, 1, length)


@wrong("unit-vectors", "small-vectors")
def takes_the_eps_for_the_smallest_number(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return v / np.where(length > np.finfo(v.dtype).eps, length, 1)


@wrong("unit-vectors", "lengths-as-a-row")
def without_keepdims(v):
    return v / np.linalg.norm(v, axis=-1)


@wrong("unit-vectors", "wrong-axis")
def along_the_first_axis(v):
    return v / np.linalg.norm(v, axis=0)


@wrong("unit-vectors", "one-length-for-all")
def without_an_axis(v):
    return v / np.linalg.norm(v)


@wrong("unit-vectors", "root-lost")
def forgets_the_root(v):
    return v / (v**2).sum(axis=-1, keepdims=True)


@wrong("unit-vectors", "sum-of-absolutes")
def takes_absolute_values(v):
    return v / np.abs(v).sum(axis=-1, keepdims=True)


@wrong("unit-vectors", "two-axes-only")
def counts_the_axis_from_the_left(v):
    return v / np.linalg.norm(v, axis=min(1, v.ndim - 1), keepdims=True)


@wrong("unit-vectors", "zero-over-zero")
def divides_zero_by_zero(v):
    with np.errstate(invalid="ignore"):
        return v / np.linalg.norm(v, axis=-1, keepdims=True)


@wrong("unit-vectors", "zero-over-zero")
def in_jax_nobody_warns(v):
    return v / jnp.linalg.norm(v, axis=-1, keepdims=True)


@wrong("unit-vectors", "lengths-padded")
def adds_the_usual_epsilon(v):
    return v / (np.linalg.norm(v, axis=-1, keepdims=True) + 1e-8)


@wrong("unit-vectors", "ValueError")
def calls_python_for_each(v):
    return np.apply_along_axis(lambda vector: vector / (np.linalg.norm(vector) or 1.0), -1, v)


@wrong("unit-vectors", "small-vectors")
def adds_a_small_number(v):
    return v / (np.linalg.norm(v, axis=-1, keepdims=True) + 1e-15)


@wrong("unit-vectors", "zero-changed")
def makes_ones_of_zeros(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(length == 0, 1.0, v / np.where(length == 0, 1.0, length))


@wrong("unit-vectors", "loops")
def vector_by_vector(v):
    result = np.zeros(v.shape)
    for index in np.ndindex(v.shape[:-1]):
        length = np.linalg.norm(v[index])
        result[index] = v[index] / (length or 1.0)
    return result


@wrong("unit-vectors", "changed-input")
def divides_in_place(v):
    v /= np.linalg.norm(v, axis=-1, keepdims=True)
    return v


@wrong("unit-vectors", "turned-round")
def scales_by_the_largest_component(v):
    largest = v.max(axis=-1, keepdims=True)
    return unit(v / np.where(largest == 0, 1, largest))


@wrong("unit-vectors", "turned-round")
def scales_by_the_first_component(v):
    first = v[..., :1]
    return unit(v / np.where(first == 0, 1, first))


@wrong("unit-vectors", "wrong-value")
def returns_the_vectors(v):
    return v


# -- detector-signal --------------------------------------------------------------------------------------------


def signal_by_loops(gain, offset, source, glitch, noise):
    """The oracle: sample by sample."""
    signal = np.empty(noise.shape)
    for i in range(noise.shape[0]):
        for j in range(noise.shape[1]):
            signal[i, j] = gain[i] * source[j] + glitch[j] + offset[i] + noise[i, j]
    return signal


def instrument(rng, lengths):
    """Random arguments of the exercise: gain, offset, source, glitch, noise."""
    detectors, samples = lengths
    return *tenths(rng, (2, detectors)), *tenths(rng, (2, samples)), tenths(rng, lengths)


def mixed(make):
    """A slip: what a formula gives in which gain and offset are columns."""
    return lambda gain, offset, source, glitch, noise: make(gain[:, None], offset[:, None], source, glitch, noise)


def flat_instrument(detectors, samples):
    """Arguments of the exercise without any draw."""
    return np.ones(detectors), np.ones(detectors), np.ones(samples), np.ones(samples), np.ones((detectors, samples))


@exercise(
    "detector-signal",
    see="more-operands",
    hint=[
        "Which arguments run down, with the detectors, and which to the right, with the samples?",
        "What runs down must be a column: `[:, None]`.",
    ],
    without=[
        no_loops(
            grows=[lambda n: flat_instrument(n, 3), lambda n: flat_instrument(3, n)],
            of="detectors or samples",
            advice="Make columns of gain and offset.",
        )
    ],
)
def detector_signal(answer, rng):
    rows = (
        "Something that belongs to the detectors was taken for a row. A column is `gain[:, None]`, `offset[:, None]`."
    )
    turned = "There should be one row for each detector; yours has one for each sample. `noise` shows the shape."
    swapped = "Gain and offset are in each other's place: the gain multiplies, the offset is added."
    slips = [
        Slip("taken-for-a-row", lambda g, o, s, gl, n: g * s + gl + o + n, rows),
        Slip("taken-for-a-row", lambda g, o, s, gl, n: g[:, None] * s + gl + o + n, rows),
        Slip("taken-for-a-row", lambda g, o, s, gl, n: g * s + gl + o[:, None] + n, rows),
        Slip("rows-are-samples", lambda *arguments: signal_by_loops(*arguments).T, turned),
        Slip("glitch-amplified", mixed(lambda g, o, s, gl, n: g * (s + gl) + o + n), AMPLIFIED.format("the glitch")),
        Slip("offset-amplified", mixed(lambda g, o, s, gl, n: g * (s + o) + gl + n), AMPLIFIED.format("the offset")),
        Slip("all-amplified", mixed(lambda g, o, s, gl, n: g * (s + gl + o + n)), AMPLIFIED.format("the rest")),
        Slip("gain-and-offset-exchanged", mixed(lambda g, o, s, gl, n: o * s + gl + g + n), swapped),
        Slip("gain-lost", mixed(lambda g, o, s, gl, n: s + gl + o + n), "Everything is there but the gain."),
        Slip("noise-lost", mixed(lambda g, o, s, gl, n: g * s + gl + o), "Everything is there but the noise."),
        Slip("offset-lost", mixed(lambda g, o, s, gl, n: g * s + gl + n), "Everything is there but the offset."),
        Slip("glitch-lost", mixed(lambda g, o, s, gl, n: g * s + o + n), "Everything is there but the glitch."),
        Slip("sign-lost", mixed(lambda g, o, s, gl, n: g * s + gl - o + n), "The offset is added, not subtracted."),
        Slip("one-noise-for-all", mixed(lambda g, o, s, gl, n: g * s + gl + o + n[0]), ONE_NOISE),
        Slip("one-noise-for-all", mixed(lambda g, o, s, gl, n: g * s + gl + o + n.mean(0)), ONE_NOISE),
    ]
    told(answer, signal_by_loops, instrument, rng, [(2, 2), (4, 4)], slips)
    lengths = [(3, 8), (5, 2), (1, 4), (4, 1), (1, 1), (13, 7), (3, 3)]
    message = "Not the signal of the loops."
    sweep(answer, signal_by_loops, instrument, rng, shapes=lengths, slips=slips[3:], message=message, rtol=1e-5)


AMPLIFIED = "The gain acts on the source alone, not on {}."
ONE_NOISE = "Each detector has noise of its own: all rows of `noise` count, not one for all."


@right("detector-signal")
def as_one_matrix_product(gain, offset, source, glitch, noise):
    columns = np.stack([gain, np.ones_like(gain), offset], axis=1)
    return columns @ np.stack([source, glitch, np.ones_like(source)]) + noise


turned_and_back = right("detector-signal")(
    jax.jit(lambda gain, offset, source, glitch, noise: (source[:, None] * gain + glitch[:, None] + offset + noise.T).T)
)


@wrong("detector-signal", "offset-amplified")
def amplifies_the_offset(gain, offset, source, glitch, noise):
    return gain[:, None] * (source + offset[:, None]) + glitch + noise


@wrong("detector-signal", "all-amplified")
def amplifies_everything(gain, offset, source, glitch, noise):
    return gain[:, None] * (source + glitch + offset[:, None] + noise)


@wrong("detector-signal", "gain-lost")
def forgets_the_gain(gain, offset, source, glitch, noise):
    return source + glitch + offset[:, None] + noise


@wrong("detector-signal", "gain-and-offset-exchanged")
def exchanges_gain_and_offset(gain, offset, source, glitch, noise):
    return offset[:, None] * source + glitch + gain[:, None] + noise


@wrong("detector-signal", "one-noise-for-all")
def takes_the_first_noise(gain, offset, source, glitch, noise):
    return gain[:, None] * source + glitch + offset[:, None] + noise[0]


@wrong("detector-signal", "loops")
def maps_over_the_rows(gain, offset, source, glitch, noise):
    return np.array(list(map(lambda g, o, n: g * source + glitch + o + n, gain, offset, noise)))


@wrong("detector-signal", "taken-for-a-row")
def writes_the_formula_as_it_is(gain, offset, source, glitch, noise):
    return gain * source + glitch + offset + noise


@wrong("detector-signal", "taken-for-a-row")
def forgets_that_offset_is_a_column(gain, offset, source, glitch, noise):
    return gain[:, None] * source + glitch + offset + noise


@wrong("detector-signal", "rows-are-samples")
def turns_the_samples(gain, offset, source, glitch, noise):
    return gain * source[:, None] + glitch[:, None] + offset + noise.T


@wrong("detector-signal", "glitch-amplified")
def sets_a_bracket_too_many(gain, offset, source, glitch, noise):
    return gain[:, None] * (source + glitch) + offset[:, None] + noise


@wrong("detector-signal", "noise-lost")
def forgets_the_noise(gain, offset, source, glitch, noise):
    return gain[:, None] * source + glitch + offset[:, None]


@wrong("detector-signal", "offset-lost")
def forgets_the_offset(gain, offset, source, glitch, noise):
    return gain[:, None] * source + glitch + noise


@wrong("detector-signal", "glitch-lost")
def forgets_the_glitch(gain, offset, source, glitch, noise):
    return np.outer(gain, source) + offset[:, None] + noise


@wrong("detector-signal", "loops")
def row_by_row(gain, offset, source, glitch, noise):
    return np.array([g * source + glitch + o + n for g, o, n in zip(gain, offset, noise, strict=True)])


@wrong("detector-signal", "taken-for-a-row")
def turns_whatever_does_not_fit(gain, offset, source, glitch, noise):
    columns = [v if len(v) == noise.shape[1] else v[:, None] for v in (gain, offset)]
    return columns[0] * source + glitch + columns[1] + noise


@wrong("detector-signal", "sign-lost")
def subtracts_the_offset(gain, offset, source, glitch, noise):
    return gain[:, None] * source + glitch - offset[:, None] + noise


@wrong("detector-signal", "wrong-value")
def halves_the_source(gain, offset, source, glitch, noise):
    return gain[:, None] * source / 2 + glitch + offset[:, None] + noise


# -- blank-the-glitch -------------------------------------------------------------------------------------------


def blanked(signal, times, start, stop, fill):
    """The oracle: sample by sample."""
    result = signal.copy()
    for i in range(signal.shape[0]):
        for j in range(signal.shape[1]):
            if start[i] <= times[j] < stop[i]:
                result[i, j] = fill[i]
    return result


def observed(rng, lengths):
    """Samples and windows of which some begin or end at a sample, some hit nothing, some everything."""
    detectors, samples = lengths
    times = np.cumsum(rng.integers(1, 3, size=samples)) * 0.5 - samples // 2
    times = times * 2.0 ** rng.choice([-40, 0, 20])  # of seconds or of picoseconds: no slack is small enough
    edges = np.concatenate([[times[0] - 1], times, [times[-1] + 1, times[-1] + 2]])
    start, stop = rng.choice(edges, size=detectors), rng.choice(edges, size=detectors)
    turned = rng.random(detectors) < 0.8
    start, stop = np.where(turned, np.minimum(start, stop), start), np.where(turned, np.maximum(start, stop), stop)
    return tenths(rng, lengths), times, start, stop, rng.integers(0, 9, size=detectors) + 10.0


def in_any_order(rng, lengths):
    """The same, with the samples in another order than that of their times, and several at one time."""
    signal, times, *others = observed(rng, lengths)
    times[-1] = times[0]
    return inputs.layouts(signal)[str(rng.choice(["C order", "Fortran order"]))], rng.permutation(times), *others


def clear(rng, lengths):
    """Samples of which each detector has a window of its own in their midst, so that every slip shows."""
    detectors, samples = lengths
    times = np.arange(samples) * 0.5 + float(rng.integers(1, 4))
    first = rng.permutation(samples - 3)[:detectors] + 1 if detectors <= samples - 3 else np.arange(detectors) % 2 + 1
    start, stop = times[first], times[np.minimum(first + 1 + (rng.random(detectors) < 0.5), samples - 1)]
    return tenths(rng, lengths), times, start, stop, rng.permutation(detectors) + 10.0


def picked(choose):
    """A slip: what comes of columns of start, stop and fill."""
    return lambda signal, times, start, stop, fill: choose(signal, times, start[:, None], stop[:, None], fill[:, None])


def hits(times, start, stop):
    return (start <= times) & (times < stop)


def as_rows(signal, times, start, stop, fill):
    return np.where(hits(times, start, stop), fill, signal)


def in_one_window(signal, times, start, stop, fill):
    return np.where(hits(times, start.min(), stop.max()), fill, signal)


def by_numbers(signal, times, start, stop, fill):
    return np.where(hits(np.arange(len(times)), start, stop), fill, signal)


@exercise(
    "blank-the-glitch",
    points=2,
    see="more-operands",
    hint=[
        "First the mask: for which detector and which sample does it hold? Two comparisons, joined by `&`.",
        "`np.where(mask, a, b)` takes `a` where the mask holds. All three broadcast.",
    ],
)
def blank_the_glitch(answer, rng):
    complaint = raised(answer, *clear(rng, (3, 8)))
    told_of_truth_values(complaint)
    message = "`&` was applied to numbers: it binds more tightly than `<`. Put brackets around each comparison."
    refuse("bitwise_and" in complaint, "brackets-missing", message)
    zeros = "Those samples became 0, which is all that multiplying by a mask can do; they should be `fill`."
    end = "The sample at `stop` itself should stay: the condition is `t < stop`, without equality."
    begin = "The sample at `start` itself should go: the condition is `start <= t`, with equality."
    one = "You blanked one window in all detectors. Each has a `start` and a `stop` of its own: they are columns."
    rows = (
        "Something that belongs to the detectors was taken for a row: with as many samples as detectors that even "
        "fits. A column is `start[:, None]`."
    )
    first = "Each detector has a `fill` of its own. You took one for all."
    either = "Joined by *or*: every time is after `start` or before `stop`. Both must hold: `&`."
    kept = "You kept the glitch and blanked the rest: exchange the two."
    slips = [
        Slip("zeros-not-fill", picked(lambda s, t, a, b, f: s * ~hits(t, a, b)), zeros),
        Slip("inside-out", picked(lambda s, t, a, b, f: np.where(hits(t, a, b), s, f)), kept),
        Slip("end-blanked", picked(lambda s, t, a, b, f: np.where((a <= t) & (t <= b), f, s)), end),
        Slip("start-kept", picked(lambda s, t, a, b, f: np.where((a < t) & (t < b), f, s)), begin),
        Slip("one-window", picked(in_one_window), one),
        Slip("joined-by-or", picked(lambda s, t, a, b, f: np.where((a <= t) | (t < b), f, s)), either),
        Slip("one-fill", picked(lambda s, t, a, b, f: np.where(hits(t, a, b), f[0], s)), first),
        Slip("one-fill", picked(lambda s, t, a, b, f: np.where(hits(t, a, b), f.mean(), s)), first),
        Slip("fill-added", picked(lambda s, t, a, b, f: s + hits(t, a, b) * f), "`fill` was added. It should replace."),
        Slip("nan-not-fill", picked(lambda s, t, a, b, f: np.where(hits(t, a, b), np.nan, s)), NAN_FILL),
        Slip("counted-samples", picked(by_numbers), "You compared the numbers of the samples. Compare `times`."),
    ]
    in_rows = [
        Slip("taken-for-a-row", as_rows, rows),
        Slip("taken-for-a-row", lambda s, t, a, b, f: np.where(hits(t, a[:, None], b[:, None]), f, s), rows),
    ]
    told(answer, blanked, clear, rng, [(4, 4), (5, 5)], in_rows)
    lengths = [(3, 9), (4, 12), (2, 7)]
    sweep(answer, blanked, clear, rng, shapes=lengths, slips=slips, message="Not what the text says.", rtol=1e-5)
    lengths = [(1, 1), (1, 4), (3, 1), (2, 5), (5, 2), (3, 13), (4, 4)]
    message = "Not what the text says. A window may begin or end at a sample, hit nothing, or end before it begins."
    sweep(answer, blanked, observed, rng, shapes=lengths, message=message, rtol=1e-5)
    message = (
        "Right for rising times. Here the samples come in another order, some at the same time: compare every time "
        "with the window."
    )
    lengths = [(2, 5), (3, 13)]
    sweep(answer, blanked, in_any_order, rng, shapes=lengths, message=message, label="rising-times-only")
    message = (
        "Right for finite numbers, and wrong where a sample or a `fill` is NaN or infinite: 0 times NaN is NaN, and so "
        "is infinity minus infinity, and a measured NaN is no sign of a hit. Pick with `np.where`, by the mask alone."
    )
    signal, *others, fill = clear(rng, (3, 8))
    odd = [(x, *others, fill) for x in [*inputs.planted(signal), np.full((3, 8), np.nan)]]
    odd += [(signal, *others, f) for f in inputs.planted(fill, np.nan, np.inf)]
    inputs.Asked(answer, blanked).require(odd, message, "spoilt-by-nan")


NAN_FILL = "Those samples became NaN. Each detector has a `fill` of its own."


@right("blank-the-glitch")
def turned_on_its_side(signal, times, start, stop, fill):
    t = times[:, None]
    return np.where((t < start) | (t >= stop), signal.T, fill).T


@right("blank-the-glitch")
def row_by_row_on_a_copy(signal, times, start, stop, fill):
    result = signal.copy()
    for row, a, b, value in zip(result, start, stop, fill, strict=True):
        row[(a <= times) & (times < b)] = value
    return result


@right("blank-the-glitch")
def fills_repeated(signal, times, start, stop, fill):
    hit = np.less_equal.outer(start, times) & np.greater.outer(stop, times)
    result = np.array(signal)
    result[hit] = np.repeat(fill, hit.sum(axis=1))
    return result


@wrong("blank-the-glitch", "spoilt-by-nan")
def calculates_with_the_mask(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    with np.errstate(invalid="ignore"):
        return hit * fill[:, None] + ~hit * signal


@wrong("blank-the-glitch", "spoilt-by-nan")
def adds_the_difference(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    with np.errstate(invalid="ignore"):
        return signal + hit * (fill[:, None] - signal)


@wrong("blank-the-glitch", "spoilt-by-nan")
def repairs_all_nan(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    return np.nan_to_num(np.where(hit, fill[:, None], signal), posinf=np.inf, neginf=-np.inf)


@wrong("blank-the-glitch", "taken-for-a-row")
def fills_a_row(signal, times, start, stop, fill):
    return np.where((start[:, None] <= times) & (times < stop[:, None]), fill, signal)


@wrong("blank-the-glitch", "taken-for-a-row")
def compares_as_they_are(signal, times, start, stop, fill):
    return np.where((start <= times) & (times < stop), fill, signal)


@wrong("blank-the-glitch", "brackets-missing")
def forgets_brackets(signal, times, start, stop, fill):
    return np.where(start[:, None] <= times & times < stop[:, None], fill[:, None], signal)


@wrong("blank-the-glitch", "one-fill")
def fills_with_the_first(signal, times, start, stop, fill):
    return np.where((start[:, None] <= times) & (times < stop[:, None]), fill[0], signal)


@wrong("blank-the-glitch", "fill-added")
def adds_the_fill(signal, times, start, stop, fill):
    return signal + ((start[:, None] <= times) & (times < stop[:, None])) * fill[:, None]


@wrong("blank-the-glitch", "counted-samples")
def takes_numbers_for_times(signal, times, start, stop, fill):
    t = np.arange(signal.shape[1])
    return np.where((start[:, None] <= t) & (t < stop[:, None]), fill[:, None], signal)


@wrong("blank-the-glitch", "nan-not-fill")
def blanks_with_nan(signal, times, start, stop, fill):
    return np.where((start[:, None] <= times) & (times < stop[:, None]), np.nan, signal)


@wrong("blank-the-glitch", "wrong-value")
def by_positions(signal, times, start, stop, fill):
    first, last = np.searchsorted(times, start), np.searchsorted(times, stop) - 1
    j = np.arange(len(times))
    hit = (np.minimum(first, len(times) - 1)[:, None] <= j) & (j <= last[:, None])
    return np.where(hit | (first == last + 1)[:, None] & (j == first[:, None]), fill[:, None], signal)


@wrong("blank-the-glitch", "rising-times-only")
def one_sample_for_each_time(signal, times, start, stop, fill):
    place = {time: j for j, time in enumerate(times)}
    result = signal.copy()
    for row, a, b, value in zip(result, start, stop, fill, strict=True):
        row[[j for time, j in place.items() if a <= time < b]] = value
    return result


@wrong("blank-the-glitch", "wrong-value")
def with_some_slack(signal, times, start, stop, fill):
    hit = (start[:, None] - 1e-9 <= times) & (times < stop[:, None] - 1e-9)
    return np.where(hit, fill[:, None], signal)


@wrong("blank-the-glitch", "rising-times-only")
def searches_for_the_ends(signal, times, start, stop, fill):
    result = signal.copy()
    first, last = np.searchsorted(times, start), np.searchsorted(times, stop)
    for row, a, b, value in zip(result, first, last, fill, strict=True):
        row[a:b] = value
    return result


@wrong("blank-the-glitch", "zeros-not-fill")
def multiplies_by_the_mask(signal, times, start, stop, fill):
    return signal * ~((start[:, None] <= times) & (times < stop[:, None]))


@wrong("blank-the-glitch", "inside-out")
def exchanges_the_branches(signal, times, start, stop, fill):
    return np.where((start[:, None] <= times) & (times < stop[:, None]), signal, fill[:, None])


@wrong("blank-the-glitch", "end-blanked")
def includes_the_end(signal, times, start, stop, fill):
    return np.where((start[:, None] <= times) & (times <= stop[:, None]), fill[:, None], signal)


@wrong("blank-the-glitch", "start-kept")
def excludes_the_start(signal, times, start, stop, fill):
    return np.where((start[:, None] < times) & (times < stop[:, None]), fill[:, None], signal)


@wrong("blank-the-glitch", "one-window")
def takes_the_widest_window(signal, times, start, stop, fill):
    return np.where((start.min() <= times) & (times < stop.max()), fill[:, None], signal)


@wrong("blank-the-glitch", "truth-value")
def joins_with_and(signal, times, start, stop, fill):
    return np.where(start[:, None] <= times and times < stop[:, None], fill[:, None], signal)


@wrong("blank-the-glitch", "changed-input")
def writes_into_the_signal(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    signal[hit] = np.broadcast_to(fill[:, None], signal.shape)[hit]
    return signal


@wrong("blank-the-glitch", "taken-for-a-row")
def turns_what_does_not_fit(signal, times, start, stop, fill):
    start, stop, fill = (v if len(v) == len(times) else v[:, None] for v in (start, stop, fill))
    return np.where((start <= times) & (times < stop), fill, signal)


@wrong("blank-the-glitch", "joined-by-or")
def joins_with_or(signal, times, start, stop, fill):
    return np.where((start[:, None] <= times) | (times < stop[:, None]), fill[:, None], signal)


# -- distance-grid ----------------------------------------------------------------------------------------------


def distances_from_origin(x, y, z):
    """The oracle: point by point."""
    return np.array([[[(a * a + b * b + c * c) ** 0.5 for c in z] for b in y] for a in x])


def three_vectors(rng, lengths):
    """Coordinates; with a fraction, of both signs, not in order."""
    return tuple(tenths(rng, length) for length in lengths)


def near_and_far(rng, size):
    """Coordinates of one size, small or large, and in half of the draws the origin among the points."""
    vectors, origin = [axis * size for axis in three_vectors(rng, (2, 3, 4))], rng.random() < 0.5
    for axis in vectors:
        axis[rng.integers(len(axis))] *= not origin
    return tuple(vectors)


def on_axes(norm):
    """A slip: what comes of the coordinates where each has an axis of its own."""
    return lambda x, y, z: norm(x[:, None, None], y[:, None], z)


def squared_distance(x, y, z):
    return x**2 + y**2 + z**2


@exercise(
    "distance-grid",
    see="more-operands",
    hint=["`x` should vary along axis 0 and be 1 long on axes 1 and 2. And `y`?", "`x[:, None, None]`"],
    without=[
        no_loops(
            grows=[lambda n: (np.ones(n), np.ones(2), np.ones(3)), lambda n: (np.ones(2), np.ones(n), np.ones(3))],
            of="points on an axis",
            advice=ONE_EXPRESSION,
        ),
        no_loops(grows=lambda n: (np.ones(2), np.ones(3), np.ones(n)), of="points on an axis", advice=ONE_EXPRESSION),
    ],
)
def distance_grid(answer, rng):
    meshgrid = "The first two axes are exchanged: `np.meshgrid` does that unless you say `indexing='ij'`."
    backwards = "The axes are reversed: `x` runs along the last one. It should run along the first: `x[:, None, None]`."
    absolute = "That is the sum of the absolute values. Square, add, take the root."
    places = "Those are distances between places in the grid. The coordinates are the elements of `x`, `y`, `z`."
    flat = "Two of the coordinates share an axis. Each needs its own: three axes."
    slips = [
        Slip("meshgrid-order", lambda x, y, z: distances_from_origin(x, y, z).swapaxes(0, 1), meshgrid),
        Slip("axes-reversed", lambda x, y, z: distances_from_origin(x, y, z).T, backwards),
        Slip("squared", on_axes(squared_distance), "Those are the squares of the distances."),
        Slip("squared-too-late", on_axes(lambda x, y, z: np.abs(x + y + z)), "Square each coordinate, then add."),
        Slip("sum-of-absolutes", on_axes(lambda x, y, z: np.abs(x) + np.abs(y) + np.abs(z)), absolute),
        Slip("coordinate-lost", on_axes(lambda x, y, z: np.hypot(x, y) + 0 * z), "`z` is not in it."),
        Slip("coordinate-lost", on_axes(lambda x, y, z: np.hypot(x, z) + 0 * y), "`y` is not in it."),
        Slip("coordinate-lost", on_axes(lambda x, y, z: np.hypot(y, z) + 0 * x), "`x` is not in it."),
        Slip("another-origin", lambda x, y, z: distances_from_origin(x - x[0], y - y[0], z - z[0]), ORIGIN),
        Slip("another-origin", lambda x, y, z: distances_from_origin(x - x.mean(), y - y.mean(), z - z.mean()), ORIGIN),
        Slip(
            "places-not-coordinates",
            lambda x, y, z: distances_from_origin(*map(np.arange, map(len, (x, y, z)))),
            places,
        ),
        Slip("laid-out-flat", lambda x, y, z: distances_from_origin(x, y, z).reshape(len(x), -1), flat),
        Slip("laid-out-flat", lambda x, y, z: distances_from_origin(x, y, z).ravel(), flat),
    ]
    together = "The vectors were paired element by element. Every `x` belongs with every `y` and every `z`."
    shared = [
        Slip("axes-shared", lambda x, y, z: np.sqrt(squared_distance(x, y, z)), together),
        Slip("axes-shared", lambda x, y, z: np.sqrt(squared_distance(x[:, None], y, z)), flat),
        Slip("axes-shared", lambda x, y, z: np.sqrt(squared_distance(x[:, None], y[:, None], z)), flat),
        Slip("axes-shared", lambda x, y, z: np.sqrt(squared_distance(x[:, None, None], y[:, None], z[:, None])), flat),
        Slip("axes-shared", lambda x, y, z: np.sqrt(squared_distance(x[:, None, None], y, z)), flat),
    ]
    told(answer, distances_from_origin, three_vectors, rng, [(3, 3, 3), (4, 4, 4)], shared)
    lengths = [(2, 3, 4), (4, 2, 3), (3, 4, 2), (1, 2, 5), (2, 1, 3), (5, 2, 1), (1, 1, 1), (3, 3, 3)]
    message = "Not the distance from the origin."
    sweep(answer, distances_from_origin, three_vectors, rng, shapes=lengths, slips=slips, message=message)
    message = "The sum of the squares is right, and not its root: points may be at the origin, near it, or far away."
    sweep(answer, distances_from_origin, near_and_far, rng, shapes=[1e-9, 1.0, 1e9], message=message)
    message = "Right to some 7 digits: that is `float32`, in which JAX computes. The vectors are `float64`."
    vectors = three_vectors(rng, (2, 3, 4))
    close_enough = close(numbers(answer(*vectors)), distances_from_origin(*vectors), rtol=1e-12)
    require(close_enough, "single-precision", message)
    got = answer(*vectors)
    made = getattr(got, "dtype", type(got).__name__)
    message = f"An array of `float64` should come out, and not one of `{made}`, or a list."
    require(isinstance(got, np.ndarray) and got.dtype == np.float64, "not-float64", message)


ORIGIN = "Distances from a point of the grid, or from its middle. The origin is where `x`, `y` and `z` are 0."


@right("distance-grid")
def a_sum_over_three_axes(x, y, z):
    return np.sqrt(sum(axis**2 for axis in np.ix_(x, y, z)))


by_hypot = right("distance-grid")(lambda x, y, z: np.hypot(np.hypot.outer(x, y)[..., None], z))


@wrong("distance-grid", "single-precision")
@jax.jit
def in_jax_on_three_axes(x, y, z):
    return jnp.sqrt(x[:, None, None] ** 2 + y[:, None] ** 2 + z**2)


@wrong("distance-grid", "sum-of-absolutes")
def taxicab(x, y, z):
    return np.abs(x)[:, None, None] + np.abs(y)[:, None] + np.abs(z)


@wrong("distance-grid", "wrong-value")
def divides_by_the_root(x, y, z):
    squares = x[:, None, None] ** 2 + y[:, None] ** 2 + z**2
    with np.errstate(invalid="ignore"):
        return squares / np.sqrt(squares)


@wrong("distance-grid", "wrong-value")
def never_quite_zero(x, y, z):
    return np.maximum(np.sqrt(x[:, None, None] ** 2 + y[:, None] ** 2 + z**2), 1e-6)


@wrong("distance-grid", "not-float64")
def as_nested_lists(x, y, z):
    return np.sqrt(x[:, None, None] ** 2 + y[:, None] ** 2 + z**2).tolist()


@wrong("distance-grid", "coordinate-lost")
def stays_in_the_plane(x, y, z):
    return np.hypot(x[:, None, None], y[:, None]) + np.zeros(len(z))


@wrong("distance-grid", "another-origin")
def from_the_first_point(x, y, z):
    return np.sqrt((x - x[0])[:, None, None] ** 2 + (y - y[0])[:, None] ** 2 + (z - z[0]) ** 2)


@wrong("distance-grid", "places-not-coordinates")
def takes_indices(x, y, z):
    i, j, k = np.indices((len(x), len(y), len(z)))
    return np.sqrt(i**2 + j**2 + k**2)


@wrong("distance-grid", "loops")
def three_loops(x, y, z):
    return np.array([[[(a * a + b * b + c * c) ** 0.5 for c in z] for b in y] for a in x])


@wrong("distance-grid", "axes-shared")
def two_on_one_axis(x, y, z):
    return np.sqrt(x[:, None, None] ** 2 + y[:, None] ** 2 + z[:, None] ** 2)


@wrong("distance-grid", "laid-out-flat")
def as_a_table(x, y, z):
    in_plane = np.hypot(y[:, None], z).ravel()
    return np.hypot(x[:, None], in_plane)


@wrong("distance-grid", "wrong-value")
def roots_twice(x, y, z):
    return np.sqrt(np.hypot(x[:, None, None], y[:, None]) + z**2)


@wrong("distance-grid", "axes-shared")
def adds_the_vectors(x, y, z):
    return np.sqrt(x**2 + y**2 + z**2)


@wrong("distance-grid", "meshgrid-order")
def uses_meshgrid(x, y, z):
    x, y, z = np.meshgrid(x, y, z)
    return np.sqrt(x**2 + y**2 + z**2)


@wrong("distance-grid", "axes-reversed")
def puts_x_last(x, y, z):
    return np.sqrt(x**2 + y[:, None] ** 2 + z[:, None, None] ** 2)


@wrong("distance-grid", "squared")
def leaves_the_square(x, y, z):
    return x[:, None, None] ** 2 + y[:, None] ** 2 + z**2


@wrong("distance-grid", "squared-too-late")
def adds_before_squaring(x, y, z):
    return np.sqrt((x[:, None, None] + y[:, None] + z) ** 2)


@wrong("distance-grid", "loops")
def a_slab_at_a_time(x, y, z):
    return np.array([np.sqrt(a**2 + y[:, None] ** 2 + z**2) for a in x])


# -- stretched-strides ------------------------------------------------------------------------------------------


def strides_of_stretched():
    """The true strides of the five results."""
    a = np.arange(3, dtype=np.float32)
    results = {
        "np.broadcast_to(a, (4, 3))": np.broadcast_to(a, (4, 3)),
        "np.broadcast_to(a[:, None], (3, 5))": np.broadcast_to(a[:, None], (3, 5)),
        "np.broadcast_to(a[::-1], (4, 3))": np.broadcast_to(a[::-1], (4, 3)),
        "np.broadcast_to(np.float32(7), (2, 3))": np.broadcast_to(np.float32(7), (2, 3)),
        "np.tile(a, (4, 1))": np.tile(a, (4, 1)),
    }
    return {name: result.strides for name, result in results.items()}


stretched_strides = prediction(
    "stretched-strides",
    see="stride-zero",
    hint=[
        "How many bytes is it from one element of `a` to the next?",
        "One of the five does not broadcast: it writes everything out.",
    ],
    truth=strides_of_stretched,
    mistakes=[
        Mistake(
            "rows-written-out",
            {"np.broadcast_to(a, (4, 3))": (12, 4)},
            "12 bytes would lead to a next row. There is only one row: stay, 0.",
        ),
        Mistake(
            "counted-elements",
            {"np.broadcast_to(a, (4, 3))": (0, 1)},
            "Strides are bytes: an element of `float32` has 4 of them.",
        ),
        Mistake(
            "float64-size",
            {"np.broadcast_to(a, (4, 3))": (0, 8)},
            "Right for `float64`. An element of `float32` has 4 bytes.",
        ),
        Mistake(
            "wrong-axis",
            {"np.broadcast_to(a[:, None], (3, 5))": (0, 4)},
            "A column stretches to the right: there the stride is 0, and down it is a step of 4 bytes.",
        ),
        Mistake(
            "sign-lost",
            {"np.broadcast_to(a[::-1], (4, 3))": (0, 4)},
            "Stretching changes one stride. The other still walks backwards.",
        ),
        Mistake(
            "tile-is-a-view",
            {"np.tile(a, (4, 1))": (0, 4)},
            "`np.tile` does not broadcast: it writes four rows into new memory, one after the other.",
        ),
    ],
    otherwise="Along which axis does one element serve for all?",
)
a_number_has_a_step = wrong("stretched-strides", "wrong-value")(
    strides_of_stretched() | {"np.broadcast_to(np.float32(7), (2, 3))": (0, 4)}
)

# -- pair-bytes -------------------------------------------------------------------------------------------------


def new_bytes():
    """The bytes of new memory behind the result of each expression, asked of NumPy."""
    x, y = np.zeros((1000, 3), np.float32), np.zeros((2000, 3), np.float32)
    difference = x[:, None] - y
    results = {
        "x[:, None]": x[:, None],
        "x[:, None] - y": difference,
        "np.abs(x[:, None] - y).max(axis=-1)": np.abs(difference).max(axis=-1),
        "np.broadcast_to(x[:, None], (1000, 2000, 3))": np.broadcast_to(x[:, None], (1000, 2000, 3)),
        "x @ y.T": x @ y.T,
    }
    return {name: 0 if np.shares_memory(result, x) else result.nbytes for name, result in results.items()}


pair_bytes = prediction(
    "pair-bytes",
    see="pairs",
    hint=["Which of the five are views?", "For the others: the product of the lengths, times the itemsize."],
    truth=new_bytes,
    mistakes=[
        Mistake(
            "none-copies",
            {"x[:, None]": anything_else(12_000)},
            "`[:, None]` is a view: not one new byte, whatever `x` is.",
        ),
        Mistake(
            "stretch-copies",
            {"np.broadcast_to(x[:, None], (1000, 2000, 3))": anything_else(24_000_000)},
            "`np.broadcast_to` is a view with a stride of 0. Its `nbytes` counts elements that are not there.",
            see="stride-zero",
        ),
        Mistake(
            "result-is-virtual",
            {"x[:, None] - y": 0},
            "The difference is an array like any other: all pairs, all coordinates, times 4 bytes. It is real.",
            see="cost",
        ),
        Mistake(
            "counted-elements",
            [{"x[:, None] - y": 6_000_000}, {"np.abs(x[:, None] - y).max(axis=-1)": 2_000_000}],
            "Those are elements. Each `float32` has 4 bytes.",
        ),
        Mistake(
            "float64-size",
            [{"x[:, None] - y": 48_000_000}, {"np.abs(x[:, None] - y).max(axis=-1)": 16_000_000}],
            "Right for `float64`. A `float32` has 4 bytes.",
        ),
        Mistake(
            "coordinates-lost",
            {"x[:, None] - y": 8_000_000},
            "The difference still has its coordinates, 3 for each pair: `(1000, 2000, 3)`.",
        ),
        Mistake(
            "max-keeps-its-axis",
            {"np.abs(x[:, None] - y).max(axis=-1)": 24_000_000},
            "`max(axis=-1)` takes the last axis away: one number is left for each pair.",
        ),
    ],
    otherwise="Shape first, then elements, then bytes.",
)
product_like_the_factors = wrong("pair-bytes", "wrong-value")(new_bytes() | {"x @ y.T": 36_000})

# -- pairwise-distances -----------------------------------------------------------------------------------------


def distances_by_loops(x, y):
    """The oracle: pair by pair, in double precision."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    return np.array([[sum((p - q) ** 2) ** 0.5 for q in y] for p in x])


def two_sets(rng, sizes):
    """Points: `sizes` are n, m, d and the dtype."""
    n, m, d, dtype = sizes
    return tenths(rng, (n, d)).astype(dtype), tenths(rng, (m, d)).astype(dtype)


def with_shared(rng, sizes):
    """Points of which some are in both sets."""
    x, y = two_sets(rng, sizes)
    y[: len(y) // 2 + 1] = x[0]
    return x, y


def far_away(rng, sizes):
    """Clusters of points, so far from the origin and from each other that only differences keep the distances."""
    n, m, d, dtype = sizes
    off = 1e4 if dtype == "float32" else 1e9
    places = off * rng.choice([-1, 1], size=d) * np.array([[1.0], [-1.0]])
    x = places[np.arange(n) % 2] + 8 * rng.normal(size=(n, d))
    y = places[np.arange(m) % 2] + 8 * rng.normal(size=(m, d))
    return x.astype(dtype), y.astype(dtype)


def require_digits(answer, rng):
    """Ask for every distance by itself, and not beside the largest: of near points, of far ones, and of the same."""
    message = (
        "A distance, taken by itself, lost digits that the points have: something was added or cut, or `float64` "
        "passed through `float32`."
    )
    for dtype, size in [(dtype, size) for dtype in ("float32", "float64") for size in (1e-9, 1.0, 1e9)]:
        x, y = with_shared(rng, (4, 5, int(rng.integers(2, 40)), dtype))
        x, y = x * x.dtype.type(size), y * y.dtype.type(size)
        got, want = numbers(answer(x, y)), distances_by_loops(x, y)
        digits = 1e-5 if dtype == "float32" else 1e-12
        right = got.shape == want.shape and bool(np.all(np.abs(got - want) <= digits * want))
        require(right, "digits-lost", f"{message} Points of size {size:g} in `{dtype}`.")


def by_product(x, y):
    return np.sqrt(np.maximum((x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T, 0))


def relative_error(got, want):
    """The largest of all distances that are not 0."""
    return np.max(np.abs(got - want) / np.where(want > 0, want, 1))


def of_pairs(norm):
    """A slip: what comes of all differences."""
    return lambda x, y: norm(x[:, None] - y)


@exercise(
    "pairwise-distances",
    points=2,
    see="pairs",
    hint=[
        "`x[:, None]` has the shape `(n, 1, d)`. What comes out if `y` is subtracted?",
        "Square, sum over the last axis, root.",
    ],
)
def pairwise_distances(answer, rng):
    turned = "Rows should belong to `x` and columns to `y`: yours are the other way round."
    absolute = "Those are sums of absolute differences. Square first, then sum, then take the root."
    left = "Each pair still has its coordinates: sum over the last axis."
    added = "You added the differences before you squared them. Square first."
    lengths = "Those are differences of lengths. Subtract the points, and take the length of what is left."
    wrong_axis = "You summed over the points of `y`. The coordinates are the last axis."
    slips = [
        Slip("pairs-transposed", lambda x, y: distances_by_loops(y, x), turned),
        Slip("coordinates-left", of_pairs(np.abs), left),
        Slip("squared", of_pairs(lambda gap: (gap**2).sum(-1)), "Those are the squares of the distances."),
        Slip("sum-of-absolutes", of_pairs(lambda gap: np.abs(gap).sum(-1)), absolute),
        Slip("summed-before-squaring", of_pairs(lambda gap: np.abs(gap.sum(-1))), added),
        Slip(
            "mean-not-sum", of_pairs(lambda gap: (gap**2).mean(-1) ** 0.5), "That is a mean. Sum over the coordinates."
        ),
        Slip("wrong-axis", of_pairs(lambda gap: (gap**2).sum(1) ** 0.5), wrong_axis),
        Slip("wrong-axis", of_pairs(lambda gap: (gap**2).sum((1, 2)) ** 0.5), wrong_axis),
        Slip(
            "lengths-subtracted",
            lambda x, y: np.abs(np.linalg.norm(x, axis=1)[:, None] - np.linalg.norm(y, axis=1)),
            lengths,
        ),
        Slip(
            "two-coordinates-only",
            of_pairs(lambda gap: np.hypot(gap[..., 0], gap[..., 1])),
            "Only two coordinates count.",
        ),
    ]
    together = (
        "Point by point: the first of `x` with the first of `y`. *Every* point of `x` belongs with every one of `y`."
    )
    paired = [Slip("no-table", lambda x, y: np.linalg.norm(x - y, axis=-1), together)]
    oracle = distances_by_loops
    told(answer, oracle, two_sets, rng, [(3, 3, 3, "float64"), (4, 4, 3, "float64")], paired)
    sizes = [(5, 7, 3, "float64"), (4, 2, 3, "float64"), (3, 4, 3, "float32")]
    message = "Not the Euclidean distances."
    sweep(answer, oracle, two_sets, rng, shapes=sizes, slips=slips, message=message, rtol=1e-5)
    for d in (2, 5):
        message = f"Right for 3 coordinates, not for {d}: sum over the last axis, however long it is."
        try:
            x, y = two_sets(rng, (4, 3, d, "float64"))
            same = close(numbers(answer(x, y)), oracle(x, y), rtol=1e-5)
        except AnswerRaised as error:
            same, message = False, f"{message} It raises {error.raised.kind} in `{error.raised.line}`."
        require(same, "three-coordinates-only", message)
    told_of_rounding(answer, rng)
    sizes = [(1, 1, 1), (1, 6, 2), (6, 1, 4), (3, 3, 3), (2, 2, 2)]
    of_both = [(*size, dtype) for size in sizes for dtype in ("float32", "float64")]
    message = "Not the Euclidean distances."
    for draw in (two_sets, with_shared):
        sweep(answer, oracle, draw, rng, shapes=of_both, each=2, message=message, rtol=1e-5)
    require_digits(answer, rng)


def told_of_rounding(answer, rng):
    """Ask far from the origin, where only who subtracts first, in the points' own dtype, finds the distances."""
    for dtype, bound in (("float32", 1e-3), ("float64", 1e-6)):
        asked = [far_away(rng, (*sizes, dtype)) for sizes in ((12, 12, 3), (6, 9, 2))]
        results = [(x, y, numbers(answer(x, y))) for x, y in asked]
        if all(relative_error(got, distances_by_loops(x, y)) < bound for x, y, got in results):
            continue
        rounded = [distances_by_loops(x.astype(np.float32), y.astype(np.float32)) for x, y in asked]
        as_rounded = all(relative_error(got, want) < 1e-3 for (*_, got), want in zip(results, rounded, strict=True))
        message = (
            "The points are `float64`, and were rounded to `float32` before they were subtracted. JAX does that unless "
            "you switch on 64 bits; here NumPy is enough."
        )
        refuse(as_rounded, "single-precision", message)
        message = (
            f"Far from the origin, in `{dtype}`, rounding eats the distance between points that lie close together. "
            "Subtract the points first, before anything is squared, and do not mix them with points far away."
        )
        require(False, "cancellation", message)


@right("pairwise-distances")
def coordinate_by_coordinate(x, y):
    total = np.zeros((len(x), len(y)))
    for a, b in zip(x.T, y.T, strict=True):
        total += np.subtract.outer(a, b) ** 2
    return np.sqrt(total)


@right("pairwise-distances")
def point_by_point(x, y):
    return [np.linalg.norm(point - y, axis=1) for point in x]


@right("pairwise-distances")
@numba.njit
def compiled_by_numba(x, y):
    result = np.zeros((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            for k in range(x.shape[1]):
                result[i, j] += (x[i, k] - y[j, k]) ** 2
    return np.sqrt(result)


@wrong("pairwise-distances", "cancellation")
def by_the_trick_after_an_upcast(x, y):
    return by_product(x.astype(np.longdouble), y.astype(np.longdouble)).astype(np.float64)


@wrong("pairwise-distances", "cancellation")
def centred_first(x, y):
    middle = x.mean(axis=0)
    return by_product(x - middle, y - middle)


@wrong("pairwise-distances", "single-precision")
def in_half_the_digits(x, y):
    return np.linalg.norm(x.astype(np.float32)[:, None] - y.astype(np.float32), axis=-1)


@wrong("pairwise-distances", "single-precision")
def in_jax(x, y):
    return jnp.sqrt(((jnp.asarray(x)[:, None] - jnp.asarray(y)) ** 2).sum(axis=-1))


@wrong("pairwise-distances", "lengths-subtracted")
def subtracts_lengths(x, y):
    return np.abs(np.linalg.norm(x, axis=1)[:, None] - np.linalg.norm(y, axis=1))


@wrong("pairwise-distances", "two-coordinates-only")
def in_the_plane(x, y):
    return np.linalg.norm(x[:, None, :2] - y[:, :2], axis=-1)


@wrong("pairwise-distances", "mean-not-sum")
def takes_the_mean(x, y):
    return np.sqrt(((x[:, None] - y) ** 2).mean(axis=-1))


@wrong("pairwise-distances", "wrong-axis")
def sums_over_y(x, y):
    return np.sqrt(((x[:, None] - y) ** 2).sum(axis=1))


@wrong("pairwise-distances", "wrong-value")
def a_little_under_the_root(x, y):
    return np.sqrt(((x[:, None] - y) ** 2).sum(axis=-1) + 1e-6)


@wrong("pairwise-distances", "digits-lost")
def into_a_table_of_half_the_digits(x, y):
    table = np.zeros((len(x), len(y)), np.float32)
    for row, point in zip(table, x, strict=True):
        row[:] = np.linalg.norm(point - y, axis=1)
    return table


@wrong("pairwise-distances", "digits-lost")
def takes_near_points_for_equal(x, y):
    distance = np.linalg.norm(x[:, None] - y, axis=-1)
    return np.where(distance < 1e-3, 0, distance)


@wrong("pairwise-distances", "pairs-transposed")
def y_down_x_across(x, y):
    return np.linalg.norm(y[:, None] - x, axis=-1)


@wrong("pairwise-distances", "coordinates-left")
def distance_of_each_coordinate(x, y):
    return np.sqrt((x[:, None] - y) ** 2)


@wrong("pairwise-distances", "squared")
def without_the_root(x, y):
    return ((x[:, None] - y) ** 2).sum(axis=-1)


@wrong("pairwise-distances", "sum-of-absolutes")
def roots_too_early(x, y):
    return np.sqrt((x[:, None] - y) ** 2).sum(axis=-1)


@wrong("pairwise-distances", "three-coordinates-only")
def names_the_coordinates(x, y):
    return sum((x[:, None, k % x.shape[1]] - y[:, k % x.shape[1]]) ** 2 for k in range(3)) ** 0.5


@wrong("pairwise-distances", "cancellation")
def by_the_trick(x, y):
    return by_product(x, y)


@wrong("pairwise-distances", "no-table")
def subtracts_as_they_are(x, y):
    return np.linalg.norm(x - y, axis=-1)


@wrong("pairwise-distances", "summed-before-squaring")
def sums_before_squaring(x, y):
    return np.abs((x[:, None] - y).sum(axis=-1))


# -- seat-belt --------------------------------------------------------------------------------------------------


def stopped_by_the_belt():
    """Which of the five subtractions raise under the seat belt, asked of JAX."""
    pairs = {
        "(5, 1) - (5,)": ((5, 1), (5,)),
        "(5, 1) - (1, 5)": ((5, 1), (1, 5)),
        "(4, 3) - (3,)": ((4, 3), (3,)),
        "(4, 3) - (1, 3)": ((4, 3), (1, 3)),
        "(4, 3) - ()": ((4, 3), ()),
    }
    return {name: _raises(*pair) for name, pair in pairs.items()}


def _raises(a, b):
    with jax.numpy_rank_promotion("raise"):
        try:
            jax.eval_shape(jnp.subtract, jax.ShapeDtypeStruct(a, "float32"), jax.ShapeDtypeStruct(b, "float32"))
        except ValueError:
            return True
    return False


seat_belt = prediction(
    "seat-belt",
    see="silent-loss",
    hint="It compares the numbers of axes. It does not know what you meant.",
    truth=stopped_by_the_belt,
    mistakes=[
        Mistake(
            "misses-the-accident",
            {"(5, 1) - (5,)": False},
            "Two axes meet one: this is the accident that it is made for.",
        ),
        Mistake(
            "knows-what-you-meant",
            {"(5, 1) - (1, 5)": True},
            "Both have two axes, so no rank is promoted: it passes, and makes a (5, 5). The belt knows only ranks.",
        ),
        Mistake(
            "lets-the-honest-pass",
            {"(4, 3) - (3,)": False},
            "It is harmless, and it raises all the same: two axes meet one. Write `[None, :]` inside the belt.",
        ),
        Mistake("stops-numbers", {"(4, 3) - ()": True}, "A number may meet any array: it passes."),
    ],
    otherwise="Equal ranks pass, whatever the lengths.",
)
stops_every_stretch = wrong("seat-belt", "wrong-value")(stopped_by_the_belt() | {"(4, 3) - (1, 3)": True})

# -- paired-loss ------------------------------------------------------------------------------------------------


@probe.question(evidence="values")
def refusal(loss, prediction, target, in_jax=False):
    """What the answer raises, "ValueError" for every kind of it, or an empty text."""
    if in_jax:
        prediction, target = jnp.asarray(prediction), jnp.asarray(target)
    try:
        loss(prediction, target)
    except ValueError:
        return "ValueError"
    except Exception as error:
        return type(error).__name__
    return ""


def mean_squared(prediction, target):
    """The oracle: pair by pair."""
    return sum((float(p) - float(t)) ** 2 for p, t in zip(prediction.ravel(), target, strict=True)) / len(target)


def of_pairs_alone(summary):
    """A slip: what comes of the differences of pairs."""
    return lambda prediction, target: summary(prediction.ravel() - target)


def vector_and_target(rng, n):
    return tenths(rng, n).astype(np.float32), tenths(rng, n).astype(np.float32)


def column_and_target(rng, n):
    prediction, target = vector_and_target(rng, n)
    return prediction[:, None], target


def of_any_size(rng, n):
    """Small or large differences, or none at all."""
    prediction, target = column_and_target(rng, n)
    size = np.float32(rng.choice([0, 1e-4, 1e4]))
    return size * prediction, size * target


@exercise(
    "paired-loss",
    points=2,
    see="silent-loss",
    hint=[
        "Which shape should the residual have? Bring both to it before you subtract.",
        "`ravel` makes a vector of a column, and leaves a vector as it is. Then compare the shapes.",
    ],
)
def paired_loss(answer, rng):
    column = "That is the mean over all pairs: `(n, 1) - (n,)` is a table. Its best fit is the mean of `target`."
    vector = "Right for a column. For `prediction` of shape `(n,)` it is now the mean over all pairs."
    absolute = "Those are absolute differences. Square them."
    slips = [
        Slip("all-pairs", lambda prediction, target: np.mean((prediction.ravel()[:, None] - target) ** 2), column),
        Slip(
            "sum-not-mean",
            of_pairs_alone(lambda r: np.sum(r**2)),
            "That is the sum. Divide by the number of predictions.",
        ),
        Slip(
            "root-taken", of_pairs_alone(lambda r: np.mean(r**2) ** 0.5), "That is the root of the mean of the squares."
        ),
        Slip("mean-of-absolutes", of_pairs_alone(lambda r: np.mean(np.abs(r))), absolute),
        Slip(
            "squared-too-late",
            of_pairs_alone(lambda r: np.mean(r) ** 2),
            "That is the square of the mean. Square first.",
        ),
        Slip("halved", of_pairs_alone(lambda r: np.mean(r**2) / 2), "That is half of the mean."),
        Slip(
            "one-too-few",
            of_pairs_alone(lambda r: np.sum(r**2) / (len(r) - 1)),
            "Divide by n, not by n - 1: it is a mean.",
        ),
        Slip("not-a-number", of_pairs_alone(lambda r: r**2), "A loss is one number: take the mean of the squares."),
    ]
    for draw, shape in ((column_and_target, "(n, 1)"), (vector_and_target, "(n,)")):
        refused = answer.probe(refusal, *draw(rng, 5)) == "ValueError"
        message = (
            f"A prediction of shape `{shape}` for targets of shape `(n,)` was refused: that is one for each target."
        )
        refuse(refused, "pairs-refused", message)
    message = "Not the mean of the squared differences."
    sweep(answer, mean_squared, column_and_target, rng, shapes=[5, 8], each=3, slips=slips, message=message, rtol=1e-4)
    pairs = Slip("all-pairs-of-vectors", slips[0].oracle, vector)
    message = "Right for a column, wrong for a vector."
    label = "columns-only"
    sweep(
        answer,
        mean_squared,
        vector_and_target,
        rng,
        shapes=[5, 8],
        each=3,
        slips=[pairs],
        message=message,
        label=label,
        rtol=1e-4,
    )
    lone = "One prediction for one target: (1, 1) or (1,), and (1,). It should pass as any other number does."
    message = f"{lone} It raises."
    refuse(
        any(answer.probe(refusal, *draw(rng, 1)) for draw in (column_and_target, vector_and_target)),
        "lone-pair-refused",
        message,
    )
    message = "Not the mean of the squared differences."
    for draw in (column_and_target, vector_and_target):
        sweep(answer, mean_squared, draw, rng, shapes=[1, 2], message=message, rtol=1e-4)
        on_device = lambda *pair: answer.probe(probe.on_jax_arrays, *pair)  # noqa: E731
        sweep(
            on_device,
            mean_squared,
            draw,
            rng,
            shapes=[5],
            each=2,
            message=f"{message} The arrays are JAX's.",
            rtol=1e-4,
        )
    sweep(answer, mean_squared, of_any_size, rng, shapes=[4], each=9, message=message, rtol=1e-4)
    told_of_what_does_not_match(answer, rng)


def told_of_what_does_not_match(answer, rng):
    """Ask with more or fewer predictions than targets, as columns and as vectors."""
    n = int(rng.integers(5, 9))
    prediction, target = vector_and_target(rng, n)
    lengths = [(1, n), (n, 1), (n - 1, n), (n, n - 1), (2, 4), (4, 2), (0, 1), (1, 0), (0, n), (n, 0)]
    pairs = [(np.resize(prediction, p), np.resize(target, t)) for p, t in lengths]
    pairs = [(p, t) for flat, t in pairs for p in (flat[:, None], flat)]
    pairs += [(np.stack([prediction] * outputs, axis=1), target) for outputs in (2, n)]
    told = {(p.shape, t.shape): answer.probe(refusal, p, t) for p, t in pairs}
    accepted = next((shapes for shapes, name in told.items() if not name), None)
    message = (
        "What does not match stretches, or is cut, and nobody notices: compare the shapes, and raise `ValueError`."
    )
    message = f"`prediction` and `target` of the shapes {accepted} were accepted. {message}"
    require(accepted is None, "lengths-not-compared", message)
    other = next((name for name in told.values() if name != "ValueError"), "")
    message = (
        f"It raises `{other}`. Compare the shapes yourself, and raise a `ValueError` that says what does not match."
    )
    refuse(other, "another-exception", message)
    message = (
        "With NumPy's arrays it raises a `ValueError`, with JAX's something else or nothing. Do not leave it to the "
        "library: compare the shapes, and raise."
    )
    same = all(answer.probe(refusal, p, t, True) == "ValueError" for p, t in pairs)
    require(same, "not-refused-in-jax", message)


@right("paired-loss")
@jax.jit
def compiled(prediction, target):
    if prediction.shape[1:] == (1,):
        prediction = prediction[:, 0]
    if prediction.shape != target.shape:
        raise ValueError("one prediction for each target, please")
    return jnp.mean(jnp.square(prediction - target))


class NotPaired(ValueError):
    """An exception of one's own is a `ValueError` too."""


@right("paired-loss")
def targets_as_a_column(prediction, target):
    if prediction.size != target.size:
        raise NotPaired(prediction.shape)
    residual = prediction.reshape(-1, 1) - target.reshape(-1, 1)
    return float((residual**2).mean())


@wrong("paired-loss", "lone-pair-refused")
def squeezes_away_the_only_axis(prediction, target):
    flat = prediction.squeeze()
    if flat.shape != target.shape:
        raise ValueError("not paired")
    return jnp.mean((flat - target) ** 2)


@wrong("paired-loss", "pairs-refused")
def wants_equal_shapes(prediction, target):
    if prediction.shape != target.shape:
        raise ValueError("not paired")
    return jnp.mean((prediction - target) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def only_one_is_refused(prediction, target):
    if len(prediction) == 1 < len(target):
        raise ValueError("one for many")
    n = min(len(prediction), len(target))
    return jnp.mean((prediction.ravel()[:n] - target[:n]) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def many_predictions_for_one_target(prediction, target):
    flat = prediction.ravel()
    if len(flat) < len(target):
        raise ValueError("too few")
    return jnp.mean((flat - target) ** 2)


@wrong("paired-loss", "one-too-few")
def divides_as_a_variance(prediction, target):
    if prediction.size != target.size:
        raise ValueError("not paired")
    return jnp.sum((prediction.ravel() - target) ** 2) / (target.size - 1)


@wrong("paired-loss", "halved")
def halves_it(prediction, target):
    return jnp.mean((prediction.ravel() - target) ** 2) / 2


@wrong("paired-loss", "squared-too-late")
def squares_the_mean(prediction, target):
    return jnp.mean(prediction.ravel() - target) ** 2


@wrong("paired-loss", "mean-of-absolutes")
def mean_absolute(prediction, target):
    return jnp.mean(jnp.abs(prediction.ravel() - target))


@wrong("paired-loss", "wrong-value")
def median_of_squares(prediction, target):
    return jnp.median((prediction.ravel() - target) ** 2)


@wrong("paired-loss", "all-pairs")
def as_it_was(prediction, target):
    return jnp.mean((prediction - target) ** 2)


@wrong("paired-loss", "all-pairs-of-vectors")
def turns_the_target(prediction, target):
    return jnp.mean((prediction - target[:, None]) ** 2)


@wrong("paired-loss", "IndexError")
def takes_the_column(prediction, target):
    return jnp.mean((prediction[:, 0] - target) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def ravels_and_trusts(prediction, target):
    return jnp.mean((prediction.ravel() - target.ravel()) ** 2)


@wrong("paired-loss", "another-exception")
def reshapes_and_hopes(prediction, target):
    return jnp.mean((jnp.asarray(prediction).reshape(target.shape) - target) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def looks_at_the_lengths_alone(prediction, target):
    if len(prediction) != len(target) or prediction.shape[-1] not in (1, len(target)):
        raise ValueError("not paired")
    return jnp.mean((prediction.ravel() - target if prediction.shape[-1] == 1 else prediction - target) ** 2)


@wrong("paired-loss", "lengths-not-compared")
def nothing_costs_nothing(prediction, target):
    if prediction.size and prediction.size != target.size:
        raise ValueError("not paired")
    return jnp.mean((prediction.ravel() - target) ** 2) if prediction.size else 0.0


@wrong("paired-loss", "wrong-value")
def never_quite_zero_loss(prediction, target):
    if prediction.size != target.size:
        raise ValueError("not paired")
    return jnp.mean((prediction.ravel() - target) ** 2) + 1e-8


@wrong("paired-loss", "lengths-not-compared")
def takes_the_first_output(prediction, target):
    if len(prediction) != len(target):
        raise ValueError("not paired")
    return jnp.mean((prediction.reshape(len(target), -1)[:, 0] - target) ** 2)


@wrong("paired-loss", "not-refused-in-jax")
def leaves_it_to_reshape(prediction, target):
    return ((prediction.reshape(target.shape) - target) ** 2).mean()


@wrong("paired-loss", "another-exception")
def asserts(prediction, target):
    assert prediction.ravel().shape == target.shape
    return jnp.mean((prediction.ravel() - target) ** 2)


@wrong("paired-loss", "sum-not-mean")
def adds_up(prediction, target):
    return jnp.sum((prediction.ravel() - target) ** 2)


@wrong("paired-loss", "root-taken")
def root_mean_square(prediction, target):
    return jnp.sqrt(jnp.mean((prediction.ravel() - target) ** 2))


@wrong("paired-loss", "not-a-number")
def one_for_each(prediction, target):
    return (prediction.ravel() - target) ** 2


@wrong("paired-loss", "columns-only")
def halves_what_has_one_axis(prediction, target):
    return jnp.mean((prediction.ravel() - target) ** 2) * prediction.ndim / 2


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent("broadcast-rule", "`tuple(shape)`  ->  `shape`", "a shape is a tuple"),
    equivalent(
        "unit-vectors",
        "`np.where(length == 0, 1.0, length)`  ->  `(length == 0) * 1.0 + (1 - (length == 0)) * length`",
        "lengths are finite",
    ),
    equivalent("unit-vectors", "`length`  ->  `v`", "a component that is 0 stays 0, whatever it is divided by"),
    *(equivalent("unit-vectors", f"`1.0`  ->  `{other}`", "0 divided by it is 0") for other in ("-1.0", "1.01", "2.0")),
    equivalent("pairwise-distances", "`x[:, None] - y`  ->  `y - x[:, None]`", "it is squared"),
    equivalent("paired-loss", "`flat - target`  ->  `target - flat`", "it is squared"),
]
