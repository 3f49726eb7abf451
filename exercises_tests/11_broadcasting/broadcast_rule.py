"""broadcast-rule: the common shape of any number of shapes, or a `ValueError`, without making an array."""

import numpy as np

from jaxcourse import probe
from jaxcourse.bans import no_calls
from jaxcourse.checks import Agrees, declare, naming, require


@probe.question(evidence="values")
def broadcast_or_refuse(rule, shapes):
    """The shape that the answer returns, or the name of what it raises: "ValueError" for every kind of it."""
    try:
        made = rule(*shapes)
        return f"the text {made!r}" if isinstance(made, str) else made  # a text that is returned raises nothing
    except ValueError:
        return "ValueError"
    except (AssertionError, LookupError, MemoryError, OverflowError, TypeError) as error:
        return type(error).__name__


def common_shape(shapes):
    """Axis by axis from the right, without any limit to the lengths."""
    result = []
    for k in range(1, max(len(shape) for shape in shapes) + 1):
        left = {shape[-k] for shape in shapes if len(shape) >= k} - {1}
        if len(left) > 1:
            return "ValueError"
        result.insert(0, left.pop() if left else 1)
    return tuple(result)


def shape_as_text(shapes):
    return str(common_shape(shapes))


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


def many_axes(rng):
    """More axes than anybody would think of, and NumPy would take."""
    lengths = tuple(map(int, rng.integers(2, 9, 70)))
    return [((lengths, thinned(rng, lengths)),)]


def many_shapes(rng):
    lengths = tuple(map(int, rng.integers(2, 9, 70)))
    shapes = [*(thinned(rng, lengths) for _ in range(100)), lengths]
    return [(tuple(shapes),), ((*shapes, (*lengths[:-1], lengths[-1] + 1)),)]


def thinned(rng, lengths):
    return tuple(int(rng.choice([1, length])) for length in lengths)


def read(got, shapes):
    """A shape as a text, as an exception is one."""
    require(isinstance(got, (tuple, str)), "not-a-shape/tuple")
    if isinstance(got, str):
        return got
    require(all(isinstance(length, (int, np.integer)) for length in got), "not-a-shape/whole", got=got)
    return str(tuple(map(int, got)))


def first_calls(answer, rng):
    """A shape comes back for what fits, and a `ValueError` for what does not."""
    answer((7, 1), (7, 4))  # where nothing is wrong, what it raises is the student's to see
    require(isinstance(answer.probe(broadcast_or_refuse, ((7, 1), (7, 4))), tuple), "not-a-shape/tuple")
    got = answer.probe(broadcast_or_refuse, ((4, 6), (4, 3)))
    require(isinstance(got, str) and got.endswith("Error"), "clash-accepted")
    if got != "ValueError":
        with naming({"another-exception": ""}):
            answer((4, 6), (4, 3))


def asked(otherwise, *calls, **more):
    """A step: some calls, each given by its shapes."""
    how = {"ask": broadcast_or_refuse, "reads": read, "shows": "broadcast_rule(*{})"}
    how |= {"extremes": [(shapes,) for shapes in calls], "otherwise": otherwise}
    return Agrees(shape_as_text, **how | more)


NO_BROADCASTING = no_calls(
    *("np.broadcast_shapes", "np.broadcast_arrays", "np.broadcast_to", "np.broadcast", "np.nditer"),
    *("jnp.broadcast_shapes", "jnp.broadcast_arrays", "jnp.broadcast_to", "jax.lax.broadcast_shapes"),
    *("jax.eval_shape", "jax.make_jaxpr", "jax.ShapeDtypeStruct.__init__"),
    given=lambda: [((3, 1), (4,)), ((2,), (2,)), ((2, 1, 1), (3, 1), (4,)), ((5,),)],
    advice="Compare the lengths.",
)


def by_comparing(answer, rng):
    """What makes arrays would run out of memory in what follows."""
    NO_BROADCASTING.enforce(answer)


WORDS = """
hint: How many ones does each shape need on the left, to be as long as the longest?
hint: `zip(*aligned)` gives the lengths on one axis after the other.
hint: Remove the ones from them. How many different lengths may be left?
not-a-shape/whole: Your shape is `{got}`, and lengths are whole numbers.
not-a-shape/tuple: You did not return a tuple. Return a tuple of lengths, as `.shape` is one.
clash-accepted: You raised no error, although 6 and 3 meet on one axis, and neither is 1. That 3 divides 6 does not
    help. Raise a `ValueError`.
another-exception: If lengths clash, raise a `ValueError`, as NumPy does.
aligned-on-the-left: Your answer is not right if one shape has more axes than the other. Align shapes on the right, and
    fill with 1 what is missing on the left.
two-shapes-only: Your answer is not right for three shapes, (2, 1, 1), (3, 1) and (4,). The rule holds for any number of
    them.
one-shape-refused: Your answer is not right for a single shape, which is its own common shape.
largest-taken: Your common length of 0 and 1 is not 0. A 1 stretches to any length, 0 included. Take the length that is
    not 1, and not the largest.
zero-stretches: You raised no `ValueError`, although 0 and 3 meet on one axis. Only 1 stretches.
not-all-compared: You raised no `ValueError` for 1, 2 and 3 on one axis. 2 and 3 clash, in whatever order, so compare
    all lengths with each other.
number-refused: Your answer is not right if a shape is (), that of a number. A number fits everything.
wrong-value: Your result is not what the rule gives. Go from axis to axis, beginning on the right.
wrong-value/identity: You do not get (1000, 5) from (1000, 1) and (1000, 5). Do you compare by `is`? Python may keep
    equal numbers as two objects.
makes-arrays: Your answer is right for short axes, but not for 10¹⁸. Memory holds no such array, and 32 bits no such
    number. Compare only Python integers.
wrong-value/floats: You raised no `ValueError` for 10¹⁸ and 10¹⁸ + 1. As floats they are equal, so keep lengths as whole
    numbers.
wrong-value/axes: Your answer is right for a few axes, but not for 70. The rule holds for any number of them.
wrong-value/shapes: Your answer is right for a few shapes, but not for 100. The rule holds for any number of them.
"""

HUGE = 10**18
broadcast_rule = declare(
    "broadcast-rule",
    points=2,
    see="rule",
    without=[NO_BROADCASTING],
    steps=[
        first_calls,
        asked("aligned-on-the-left", ((3, 5), (5,)), ((5,), (3, 5))),
        asked("two-shapes-only", ((2, 1, 1), (3, 1), (4,))),
        asked("one-shape-refused", ((5, 2),)),
        asked("largest-taken", ((3, 0), (1,))),
        asked("zero-stretches", ((0,), (3,)), ((2, 3), (0,))),
        asked("not-all-compared", ((1,), (2,), (3,)), ((2,), (1,), (3,)), ((2,), (3,), (1,))),
        asked("number-refused", ((5,), ())),
        asked("wrong-value", draw=some_shapes, shapes=[1, 2, 2, 3, 4], each=24),
        asked("wrong-value/identity", ((1000, 1), (int("1000"), 5))),
        by_comparing,
        asked("makes-arrays", ((HUGE, 1), (1, HUGE))),
        asked("wrong-value/floats", ((HUGE,), (HUGE + 1,))),
        asked("wrong-value/axes", extremes=many_axes),
        asked("wrong-value/shapes", extremes=many_shapes),
    ],
    words=WORDS,
)
