"""ids-to-jax: whole numbers at the door of JAX, which come through as they are or not at all."""

import jax
import jax.experimental
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, expect, refuse, require


def handed_over(channel, ids):
    """What became of the ids, or the exception: `ValueError`, also if it is of a kind of its own, and its message."""
    try:
        result = channel(ids)
    except ValueError as error:
        return {"raised": "ValueError", "said": str(error)}
    except (OverflowError, TypeError, AssertionError) as error:
        return {"raised": type(error).__name__, "said": str(error)}
    return {"raised": "", "jax": isinstance(result, jax.Array), "values": result}


@probe.question(evidence="values")
def handed_over_in_64_bits(channel, ids):
    """What becomes of the ids where 64 bits are switched on: a NumPy array, or nothing if they are refused."""
    with (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(True):
        try:
            return np.asarray(channel(ids))
        except ValueError:
            return np.zeros(0)


def at_the_door(ids):
    """The same numbers in the dtype that JAX has for theirs, or the exception's name."""
    dtype = np.dtype(jax.dtypes.canonicalize_dtype(ids.dtype))
    limits = np.iinfo(dtype)
    fits = all(limits.min <= number <= limits.max for number in ids.ravel().tolist())
    return ids.astype(dtype) if fits else "ValueError"


EDGES = (2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32 - 1, 2**32, 2**40 + 5, 2**63 - 1, -(2**63), 2**64 - 1)


def whole_numbers(rng, shape):
    """Integers of any dtype, mostly small; one of them may be where 32 bits end."""
    dtype = str(rng.choice(["int8", "uint8", "int16", "int32", "uint32", "int64", "int64", "uint64"]))
    ids = inputs.array(rng, shape, dtype, low=-100, high=100)
    limits = np.iinfo(dtype)
    edges = [number for number in EDGES if limits.min <= number <= limits.max]
    if ids.size and edges and rng.random() < 0.6:
        ids.flat[int(rng.integers(ids.size))] = edges[int(rng.integers(len(edges)))]
    return (ids,)


def one_too_big(rng, _=None):
    return (np.append(rng.integers(-1000, 1000, size=5), 2**40 + int(rng.integers(1000))),)


def good_ids_come_through(answer, rng):
    """Ids that fit come through, as an array of JAX.

    A function, since the exception that comes instead stands in its words.
    """
    good = rng.integers(-1000, 1000, size=5)
    facts = answer.probe(handed_over, good)
    refuse(facts["raised"], "refuses-good-ids", ids=good.tolist(), raised=facts["raised"], said=in_its_words(facts))
    expect(facts["values"], good, "wrong-value")
    require(facts["jax"], "not-jax")


def what_does_not_fit_is_refused(answer, rng):
    """An id that does not fit raises `ValueError`.

    A function, since what came through, or was raised, stands in its words.
    """
    (too_big,) = one_too_big(rng)
    facts = answer.probe(handed_over, too_big)
    came = np.ravel(facts.get("values", 0))[-1]
    refuse(not facts["raised"] and came == too_big[-1], "another-dtype", number=came)
    require(facts["raised"], "wrapped", number=too_big[-1], came=came)
    require_value_error(facts, too_big[-1])
    facts = answer.probe(handed_over, np.array([-(2**31) - 1]))
    require(facts["raised"], "negative-side")
    require_value_error(facts, -(2**31) - 1)


def the_limits_are_those_of_each_dtype(answer, rng):
    """The last numbers that fit come through, and the first that do not are refused.

    A function, since each limit is named in its words.
    """
    for number in (2**31 - 1, -(2**31)):
        refuse(answer.probe(handed_over, np.array([number]))["raised"], "limit-off-by-one", number=number)
    for number in (2**31, 2**32 - 1):
        facts = answer.probe(handed_over, np.array([number]))
        require(facts["raised"], "limit-off-by-one/2", number=number)
        require_value_error(facts, number)
    refuse(answer.probe(handed_over, np.array([], np.int64))["raised"], "empty-refused")
    refuse(answer.probe(handed_over, np.array([2**32 - 1, 7], np.uint32))["raised"], "unsigned-refused")


def in_its_words(facts):
    """How a sentence about an exception ends: with its message, if it has one."""
    return f": {facts['said']}" if facts.get("said") else "."


def require_value_error(facts, number):
    """For a number that does not fit the task asks for one kind of exception."""
    raised = facts["raised"]
    require(raised == "ValueError", "wrong-exception", number=number, raised=raised, said=in_its_words(facts))


SHAPES = [(0,), (1,), (3,), (13,), (0, 3), (1, 4), (3, 1), (4, 13)]  # each costs a compilation for each dtype
WRAPPING_TOGETHER = [
    (np.array(ids),) for ids in ([2**31, 5, -(2**31) - 1], [-(2**32), 2**32 + 3], [[2**40, 1], [2, -(2**40)]])
]
"""Ids that change on the way, although their sum does not."""
DEEP_INSIDE = [(np.where(np.arange(20_000) == place, 2**40, 5),) for place in (3_000, 15_000)]
"""Many ids, of which one does not fit."""
OF_EACH_DTYPE = [(np.array([3, np.iinfo(name).max], name),) for name in ("int8", "uint8", "int32", "uint32", "uint64")]

WORDS = """
hint: How would you notice that a value has changed on its way?
hint: `np.array_equal(np.asarray(handed), ids)`
refuses-good-ids: The values `{ids}` fit into 32 bits, and `{raised}` came{said}
wrong-value: Your values should come through as they are.
not-jax: Your values are right, but the result is not a JAX array.
another-dtype: `{number}` came through whole, in a dtype that `jnp.asarray` does not give while 64 bits are off. In
    the one that it gives the number would change: refuse it.
wrapped: `{number}` does not fit into 32 bits, and became `{came}`. Compare before you return.
wrong-exception: For `{number}` the task asks for `ValueError`, so that callers can tell, and `{raised}` came{said}
negative-side: `-2**31 - 1` is too small, and came through. Look at both sides.
limit-off-by-one: `{number}` is the last that fits into an `int32`, and you refused it. Move your limit.
limit-off-by-one/2: `{number}` does not fit into an `int32`, and it came through. Move your limit.
empty-refused: An empty array holds no value that could change, and an exception came. Does your code ask for its
    maximum? It has none.
unsigned-refused: You refused `2**32 - 1` in a `uint32`, which comes through `jnp.asarray` as it is. JAX has that
    dtype as well.
wrong-value/2: Your result should have the same values, in the dtype that `jnp.asarray` gives, or you raise
    `ValueError`.
32-bits-named: Your limit is that of 32 bits, also with 64 bits switched on, where JAX keeps an `int64` as it is.
    Ask JAX instead.
64-bits-named: Your function changes or refuses integers with 64 bits switched on, where `jnp.asarray` keeps each
    dtype with all that it holds. Ask JAX instead.
"""

IN_64_BITS = {"ask": handed_over_in_64_bits, "dtype": True}
ids_to_jax = declare(
    "ids-to-jax",
    see="int32-by-default",
    steps=[
        good_ids_come_through,
        what_does_not_fit_is_refused,
        the_limits_are_those_of_each_dtype,
        Agrees(
            at_the_door,
            whole_numbers,
            SHAPES,
            each=10,
            extremes=[*WRAPPING_TOGETHER, *DEEP_INSIDE, (np.array(7),), (np.array(2**40),)],
            ask=handed_over,
            reads=lambda facts, ids: facts["raised"] or facts["values"],
            otherwise="wrong-value/2",
            shows="ids_to_jax({})",
            dtype=True,
        ),
        Agrees(lambda ids: ids, one_too_big, [()], each=1, otherwise="32-bits-named", **IN_64_BITS),
        Agrees(lambda ids: ids, extremes=OF_EACH_DTYPE, otherwise="64-bits-named", **IN_64_BITS),
    ],
    words=WORDS,
)
