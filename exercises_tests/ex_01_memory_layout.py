"""Checks of lesson 01, memory layout: what is asked, what people get wrong, and what each mistake is told."""

import functools
import math
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.bans import no_loops
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Asked, Slip, sweep
from jaxcourse.prediction import Mistake, prediction

as_strided = np.lib.stride_tricks.as_strided

# -- bytes-per-element ------------------------------------------------------------------------------------------


def measured_bytes():
    """The slot and the object of a float in a list, and the itemsize of a `float32`."""
    return 8 + sys.getsizeof(1.5), np.dtype(np.float32).itemsize


bytes_per_element = prediction(
    "bytes-per-element",
    see="list-and-array",
    hint=["Count two things for the list: the slot, and the object that the slot points at.", "`sys.getsizeof(1.5)`"],
    truth=measured_bytes,
    mistakes=[
        Mistake("forgot-the-objects", {0: 8}, "8 bytes are the slot alone. Where is the float itself?"),
        Mistake("forgot-the-slots", {0: 24}, "24 bytes are the float alone. How does the list find it?"),
        Mistake(
            "counted-the-portion",
            {0: 40},
            "32 bytes is the portion that the allocator hands out. Count the object alone, as `sys.getsizeof` does.",
        ),
        Mistake("float64-size", {1: 8}, "A `float64` takes 8 bytes. The question is about `float32`."),
        Mistake("turned-around", (4, 32), "The other way round: the list comes first."),
    ],
    otherwise="In a list: the slot and the object. In an array: the itemsize of its dtype.",
)

# -- madhava-pi -------------------------------------------------------------------------------------------------


def madhava(n):
    """The oracle: a plain loop in exact integer arithmetic up to the last division."""
    return summed(lambda k: (-1) ** k / (3**k * (2 * k + 1)), range(n))


def summed(term, places):
    """√12 times the exact sum of some terms."""
    return 12**0.5 * math.fsum(term(k) for k in places)


MADHAVA_SLIPS = [
    Slip("one-too-many", lambda n: madhava(n + 1), "You summed a term too many. `np.arange(n)` ends at `n - 1`."),
    Slip(
        "one-too-few", lambda n: madhava(n - 1), "The last term is missing. `np.arange(n)` ends at `n - 1` by itself."
    ),
    Slip("first-term-lost", lambda n: madhava(n) - 12**0.5, "The series begins with `k = 0`."),
    Slip(
        "first-term-lost", lambda n: madhava(n + 1) - 12**0.5, "The series begins with `k = 0`, and not with `k = 1`."
    ),
    Slip("square-root-lost", lambda n: madhava(n) / 12**0.5, "The sum is right. Now multiply it by √12."),
    Slip(
        "power-before-sign",
        lambda n: -summed(lambda k: 1 / (3**k * (2 * k + 1)), range(n)),
        "Every term is negative. `-1 / 3**k` is `-(1 / 3**k)`: put brackets around the number that is raised.",
    ),
    Slip(
        "sign-lost",
        lambda n: summed(lambda k: 1 / (3**k * (2 * k + 1)), range(n)),
        "Every term is positive. The number that is raised is -1/3, so every second term is negative.",
    ),
    Slip("n-ignored", lambda n: np.pi, "That is π whatever `n` is. The question is about the first `n` terms."),
]


@exercise(
    "madhava-pi",
    see="vectors",
    hint=["`k = np.arange(n)` are all the indices at once.", "Mind the brackets: what is raised to the power `k`?"],
    without=[
        no_loops(
            grows=lambda n: (n,), of="terms", advice="`np.arange(n)` makes all indices, and `np.sum` adds all terms."
        )
    ],
)
def madhava_pi(answer, rng):
    n = int(rng.integers(4, 12))
    got = numbers(answer(n))
    message = "That is a `float32`, with some 7 digits. NumPy computes in `float64`."
    refuse(got.dtype == np.float32, "single-precision", message)
    require(got.shape == (n,) or got.shape == (), "wrong-shape", f"One number was expected, not the shape {got.shape}.")
    refuse(got.shape == (n,), "not-summed", f"{n} numbers came back. Sum up the terms, to one number.")
    some = [1, 2, 3, n, 60]
    sums = [(answer(k), madhava(k)) for k in some]
    rough = sum(not close(*each, rtol=1e-9) for each in sums) >= 2 and all(close(*each, rtol=1e-6) for each in sums)
    message = (
        "Right to some seven digits, and no further: that is what a `float32` holds. Stay in `float64`, NumPy's own, "
        "from the first step on, and let NumPy compute √12."
    )
    refuse(rough, "seven-digits", message)
    message = "That is not the sum of the first `n` terms."
    sweep(answer, madhava, lambda rng, n: (n,), rng, shapes=some, each=2, slips=MADHAVA_SLIPS, message=message)
    require(abs(float(answer(30)) - np.pi) < 2e-15, "rounding", "With 30 terms the error should be below 2e-15.")
    message = (
        "Right for some dozens of terms. In 100000 of them `3**k`, in whole numbers, no longer fits into 64 bits: it "
        "wraps around, and some terms come back large. Raise a float, whose power ends at 0 or at infinity."
    )
    require(abs(float(answer(100_000)) - np.pi) < 5e-15, "wrapped", message)


@right("madhava-pi")
def as_a_product_of_vectors(n):
    k = np.arange(n)
    return float(12**0.5 * (-3.0) ** -k @ (1 / (2 * k + 1)))


@right("madhava-pi")
def signs_by_parity(n):
    k = np.arange(n)
    return np.sum(np.where(k % 2, -1.0, 1.0) * np.sqrt(12) / (3.0**k * (2 * k + 1)))


@wrong("madhava-pi", "loops")
def sums_in_a_loop(n):
    total = 0.0
    for k in range(n):
        total += (-1 / 3) ** k / (2 * k + 1)
    return np.sqrt(12) * total


@wrong("madhava-pi", "loops")
def sums_a_list(n):
    return np.sqrt(12) * np.sum([(-1 / 3) ** k / (2 * k + 1) for k in range(n)])


@wrong("madhava-pi", "n-ignored")
def knows_the_limit(n):
    return np.pi


@wrong("madhava-pi", "not-summed")
def all_partial_sums(n):
    k = np.arange(n)
    return np.sqrt(12) * np.cumsum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "one-too-few")
def leaves_the_last_out(n):
    k = np.arange(n - 1)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "sign-lost")
def loses_the_sign(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum((1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "one-too-many")
def sums_up_to_n_inclusive(n):
    k = np.arange(n + 1)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "first-term-lost")
def starts_at_one(n):
    k = np.arange(1, n)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "square-root-lost")
def forgets_the_factor(n):
    k = np.arange(n)
    return np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "power-before-sign")
def forgets_the_brackets(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum(-1 / 3.0**k / (2 * k + 1))


@wrong("madhava-pi", "single-precision")
def computes_in_jax_without_x64(n):
    k = jnp.arange(n)
    return jnp.sqrt(12.0) * jnp.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "seven-digits")
def counts_in_float32(n):
    k = np.arange(n, dtype=np.float32)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "wrapped")
def raises_whole_numbers(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum((-1) ** k / (3**k * (2 * k + 1)))


@wrong("madhava-pi", "rounding")
def sums_by_a_rougher_constant(n):
    k = np.arange(n)
    return 3.4641016151377 * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "wrong-value")
def divides_by_the_wrong_number(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 2))


# -- predict-strides --------------------------------------------------------------------------------------------


def strides_of_expressions():
    """The strides of the five expressions, asked of NumPy."""
    a = np.zeros((4, 6), np.float32)
    views = {"a": a, "a.T": a.T, "a[:, ::2]": a[:, ::2], "a[::-1]": a[::-1], "a[1]": a[1]}
    return {name: view.strides for name, view in views.items()}


predict_strides = prediction(
    "predict-strides",
    see="strides",
    hint=["Start with the last axis of `a`: how many bytes to the next element?", "Then: how many bytes is a row?"],
    truth=strides_of_expressions,
    mistakes=[
        Mistake(
            "counted-elements",
            [{"a": (6, 1)}, {"a.T": (1, 6)}, {"a[:, ::2]": (6, 2)}, {"a[::-1]": (-6, 1)}, {"a[1]": (1,)}],
            "Those are steps in elements. Strides are bytes: times the itemsize.",
        ),
        Mistake(
            "float64-size",
            [{"a": (48, 8)}, {"a.T": (8, 48)}, {"a[:, ::2]": (48, 16)}, {"a[::-1]": (-48, 8)}, {"a[1]": (8,)}],
            "Right for `float64`. An element of `float32` has 4 bytes.",
        ),
        Mistake(
            "fortran-order",
            [{"a": (4, 16)}, {"a.T": (16, 4)}],
            "You made the first index run fastest. In C order the last one does.",
        ),
        Mistake("sign-lost", {"a[::-1]": (24, 4)}, "Rows in reverse: a step down walks *backwards* in memory."),
        Mistake(
            "step-lost",
            {"a[:, ::2]": (24, 4)},
            "`::2` leaves out every second column: the next element is two elements away.",
        ),
        Mistake(
            "rows-shortened",
            {"a[:, ::2]": (12, 8)},
            "Half of the columns are left, but nothing has moved: the rows are as far apart as before.",
        ),
    ],
    otherwise="What does the expression change: start, order or step?",
)

# -- element-address --------------------------------------------------------------------------------------------


def address(start, strides, index):
    """The oracle: axis by axis."""
    for axis in range(len(strides)):
        start += strides[axis] * index[axis]
    return start


def element(rng, axes):
    """An address of a process, strides of any sign and order, and an index."""
    strides = rng.integers(-40, 41, axes) * int(rng.choice([1, 8]))
    index = rng.integers(0, 9, axes)
    return int(rng.integers(2**30, 2**46)), tuple(map(int, strides)), tuple(map(int, index))


ADDRESS_SLIPS = [
    Slip("start-lost", lambda a, s, i: address(0, s, i), "That is the distance from the start. Add the start."),
    Slip("axes-reversed", lambda a, s, i: address(a, s, i[::-1]), "You paired the first index with the last stride."),
    Slip(
        "itemsize-twice", lambda a, s, i: address(a, s, i) * 8 - 7 * a, "Strides are bytes already: no itemsize on top."
    ),
    Slip(
        "sign-lost",
        lambda a, s, i: address(a, list(map(abs, s)), i),
        "A negative stride walks backwards: keep its sign.",
    ),
    Slip(
        "sign-lost",
        lambda a, s, i: address(a, [max(stride, 0) for stride in s], i),
        "You left out the axes whose stride is negative: they walk backwards.",
    ),
    Slip("axis-lost", lambda a, s, i: address(a, s[:-1], i), "The last axis is missing: every axis adds its own walk."),
    Slip(
        "axis-lost", lambda a, s, i: address(a, s[:1], i), "Only the first axis is there: every axis adds its own walk."
    ),
    Slip(
        "counted-from-one",
        lambda a, s, i: address(a, s, [place - 1 for place in i]),
        "The first element of an axis has the index 0: no need to subtract 1.",
    ),
]


@exercise("element-address", see="strides", hint="Each axis adds its own `stride * i`. `zip` pairs them.")
def element_address(answer, rng):
    message = "The address is the start plus, for each axis, stride times index."
    sweep(answer, address, element, rng, shapes=[2], each=12, slips=ADDRESS_SLIPS, message=message)
    alike = [(1000, (8, 8), (1, 2)), (0, (-8, 8), (5, 5))]
    message = "Not right where axes have the same stride, or the same index."
    Asked(answer, address).require(alike, message, "wrong-value")
    message = "Right for two axes, wrong for three."
    sweep(answer, address, element, rng, shapes=[3], message=message, label="two-axes-only")
    far = [(2**60 + 1, (2**33 + 8, -(2**21) - 8), (2**20 + 1, 2**25 + 1)), (2**46 + 3, (2**25 + 1,), (3,))]
    Asked(answer, address).require(far, "Large numbers lose their last digits: stay with whole numbers.", "digits-lost")
    start = 2 * int(rng.integers(2**53, 2**60)) + 1  # no float holds it
    try:
        alone = answer(start, (), ())
    except probe.AnswerRaised as error:
        message = f"An array without any axis has one element, at the start. Your code raised {error.raised.kind}."
        require(False, "no-axes", message)
    expect(alone, start, "Without any axis there is one element, at the start.", label="no-axes")
    message = "Without any axis the address came out as a float, which does not hold its last digits."
    require(int(np.asarray(alone)) == start, "digits-lost", message)
    sweep(answer, address, element, rng, shapes=[1, 4, 5, 40], message="Not right for every number of axes.")


@right("element-address")
def a_product_of_arrays(start, strides, index):
    return start + np.dot(np.array(strides, np.int64), np.array(index, np.int64))


@right("element-address")
def from_the_last_axis(start, strides, index):
    return functools.reduce(lambda at, axis: at + axis[0] * axis[1], [*zip(strides, index, strict=True)][::-1], start)


@wrong("element-address", "no-axes")
def begins_with_the_first(start, strides, index):
    walks = [s * i for s, i in zip(strides, index, strict=True)]
    return start + sum(walks[1:], walks[0])


@wrong("element-address", "digits-lost")
def adds_in_floating_point(start, strides, index):
    return int(np.float64(start) + np.dot(np.float64(strides), np.float64(index)))


@wrong("element-address", "two-axes-only")
def unpacks_two_axes(start, strides, index):
    return start + strides[0] * index[0] + strides[1] * index[1]


@wrong("element-address", "axis-lost")
def stops_before_the_last(start, strides, index):
    return start + sum(strides[axis] * index[axis] for axis in range(len(index) - 1))


@wrong("element-address", "counted-from-one")
def counts_from_one(start, strides, index):
    return start + sum(s * (i - 1) for s, i in zip(strides, index, strict=True))


@wrong("element-address", "sign-lost")
def leaves_negative_strides_out(start, strides, index):
    return start + sum(s * i for s, i in zip(strides, index, strict=True) if s > 0)


@wrong("element-address", "start-lost")
def offset_only(start, strides, index):
    return sum(s * i for s, i in zip(strides, index, strict=True))


@wrong("element-address", "axes-reversed")
def pairs_from_both_ends(start, strides, index):
    return start + sum(s * i for s, i in zip(strides, reversed(index), strict=True))


@wrong("element-address", "itemsize-twice")
def multiplies_by_the_itemsize(start, strides, index):
    return start + 8 * sum(s * i for s, i in zip(strides, index, strict=True))


@wrong("element-address", "sign-lost")
def takes_absolute_strides(start, strides, index):
    return start + sum(abs(s) * i for s, i in zip(strides, index, strict=True))


@wrong("element-address", "no-axes")
def needs_an_axis(start, strides, index):
    return start + sum(s * i for s, i in zip(strides, index, strict=True)) if strides else 0


@wrong("element-address", "wrong-value")
def pairs_by_a_dictionary(start, strides, index):
    return start + sum(s * i for s, i in dict(zip(strides, index, strict=True)).items())


@wrong("element-address", "wrong-value")
def eight_axes_at_most(start, strides, index):
    return start + sum(s * i for s, i in list(zip(strides, index, strict=True))[:8])


@wrong("element-address", "two-axes-only")
def knows_two_axes(start, strides, index):
    return start + sum(s * i for s, i in list(zip(strides, index, strict=True))[:2])


@wrong("element-address", "wrong-value")
def counts_elements(start, strides, index):
    return start + sum(index)


# -- view-or-copy -----------------------------------------------------------------------------------------------


def sharing_of_expressions():
    """Which of the seven expressions share memory with `m`, asked of NumPy."""
    m = np.arange(24.0).reshape(4, 6)
    results = {
        "m[1:3, ::2]": m[1:3, ::2],
        "m[[1, 2]]": m[[1, 2]],
        "m[m > 5]": m[m > 5],
        "m.T": m.T,
        "m.reshape(8, 3)": m.reshape(8, 3),
        "m.T.reshape(24)": m.T.reshape(24),
        "m + 0": m + 0,
    }
    return {name: bool(np.shares_memory(m, result)) for name, result in results.items()}


view_or_copy = prediction(
    "view-or-copy",
    see="views",
    hint="Ask of each: could one start and one stride per axis describe the result?",
    truth=sharing_of_expressions,
    mistakes=[
        Mistake(
            "fancy-is-a-view",
            {"m[[1, 2]]": True},
            "A list of indices may name any rows in any order: no stride says that.",
        ),
        Mistake(
            "mask-is-a-view", {"m[m > 5]": True}, "A mask picks elements at irregular distances: no stride says that."
        ),
        Mistake("transpose-copies", {"m.T": False}, "A transpose swaps two strides. Not a byte is moved."),
        Mistake(
            "reshape-never-copies",
            {"m.T.reshape(24)": True},
            "`reshape` of a transposed array has to read down the columns of `m`: no single step does that, so it "
            "copies.",
        ),
        Mistake(
            "reshape-always-copies", {"m.reshape(8, 3)": False}, "A contiguous block can be cut anew by strides alone."
        ),
        Mistake(
            "slices-copy",
            {"m[1:3, ::2]": False},
            "A slice has a start and a step on each axis, and so a stride: the old bytes will do.",
        ),
        Mistake(
            "arithmetic-is-a-view",
            {"m + 0": True},
            "Arithmetic makes a new array, whatever the numbers are. Try `np.shares_memory`.",
        ),
    ],
    otherwise="Try `np.shares_memory`.",
)

# -- find-the-slice ---------------------------------------------------------------------------------------------


def cut_again(find, cuts):
    """Cut views out of bases, ask for each slice, and cut with it: is it the same view?

    Each cut is the base's length and dtype, how its values repeat, how many elements lie before it, and the slice.
    """

    def lies(view, base):
        step = view.strides[0] if len(view) > 1 else 0
        return (view.ctypes.data - base.ctypes.data, len(view), step)

    found = []
    for length, dtype, period, before, start, stop, step in cuts:
        base = (np.arange(length + 2 * before) % period).astype(dtype)[before : before + length]
        view = base[start:stop:step]
        result = find(base, view)
        facts = {"type": type(result).__name__, "want": list(range(length))[start:stop:step], "itemsize": base.itemsize}
        if isinstance(result, slice):
            facts["parts"] = (result.start, result.stop, result.step)
            try:
                facts["same"] = lies(base[result], base) == lies(view, base)
                facts["got"] = np.arange(length)[result].tolist()
            except (TypeError, ValueError) as error:
                facts |= {"same": False, "got": f"nothing: {error}"}
        found.append(facts)
    return found


def every_cut(length):
    """The parts of every slice that cuts two elements or more out of a base of some length, once for each view."""
    ends = range(length)
    steps = [step for step in range(-length, length + 1) if step]
    cuts = {
        tuple(range(length)[start:stop:step]): (start, stop, step)
        for start in ends
        for step in steps
        for stop in [None, *ends]
    }
    return [parts for places, parts in cuts.items() if len(places) > 1]


@exercise(
    "find-the-slice",
    points=2,
    see="strides",
    hint=[
        "`view.ctypes.data - base.ctypes.data` is the distance of the starts, in bytes.",
        "The step is the stride, in elements. The stop is one step behind the last element.",
        "Walking backwards, the stop can fall below 0. What does a slice make of a stop of -1?",
    ],
)
def find_the_slice(answer, rng):
    first, high = int(rng.integers(1, 4)), 100
    forwards = [
        (20, dtype, high, 0, *cut)
        for dtype in ("int32", "float64", "int16", "S3")
        for cut in ((first, 15, 3), (2, 15, 4))
    ]
    length = int(rng.integers(6, 8))
    groups = [
        ("", forwards),
        ("middle", [(20, "float64", high, 0, 15, 4, -3), (20, "int32", high, 0, 17, 2, -2)]),
        ("to-one", [(20, "float64", high, 0, 9, 0, -1), (20, "int32", high, 0, 12, 0, -3)]),
        ("to-zero", [(20, "float64", high, 0, 12, None, -4), (20, "int32", high, 0, 3, None, -1)]),
        ("repeated", [(20, "int32", 3, 0, first + 1, 18, 3), (20, "float64", 2, 0, 7, 18, 2)]),
        ("inside", [(20, "int32", high, 5, first, 18, 3), (20, "float64", high, 8, 12, None, -4)]),
        ("any", [(300, dtype, high, 3, 290, 2, -2) for dtype in ("int8", "uint8")]),  # more elements than numbers
        ("any", [(length, dtype, high, 3, *cut) for cut in every_cut(length) for dtype in ("int8", "complex128")]),
        ("any", [(20, "S3", high, 3, *cut) for cut in ((15, 4, -3), (12, None, -4))]),
    ]
    cuts = [cut for _, group in groups for cut in group]
    found = answer.probe(cut_again, cuts)
    facts = dict(zip(cuts, found, strict=True))
    answer.called = f"find_the_slice(base, base[{first}:15:3])"
    kind = next((fact["type"] for fact in found if "parts" not in fact), "")
    refuse(kind, "not-a-slice", f"Return a `slice`, not an object of type `{kind}`.")
    right_for = {facts[cut]["itemsize"] for cut in forwards if facts[cut]["same"]}
    wrong_for = {facts[cut]["itemsize"] for cut in forwards if not facts[cut]["same"]}
    message = "Right for elements of some sizes only, and wrong for others: use `base.itemsize`."
    refuse(wrong_for and right_for - wrong_for, "itemsize-fixed", message)
    _name_what_fails_forwards([(cut, facts[cut]) for cut in forwards])
    for name, group in groups:
        for cut in group:
            if not facts[cut]["same"]:
                _name_what_fails(answer, name, cut, facts[cut])


def _name_what_fails_forwards(asked):
    """A mistake that is in the start, the step or the stop of every slice, if all of them are wrong."""
    if any(fact["same"] for _, fact in asked):
        return
    parts = asked[0][1]["parts"]

    def every(index, *expected):
        return all(fact["parts"][index] in [want(cut, fact["itemsize"]) for want in expected] for cut, fact in asked)

    in_bytes = every(2, lambda cut, size: cut[6] * size)
    refuse(in_bytes, "bytes-not-elements", f"Your `slice{parts}` counts bytes. A slice counts elements.")
    message = f"Your `slice{parts}` takes every element; the view takes every third."
    refuse(every(2, lambda cut, size: 1, lambda cut, size: None), "step-lost", message)
    message = "The view does not begin where `base` does: compare the addresses."
    refuse(every(0, lambda cut, size: 0, lambda cut, size: None), "start-lost", message)
    message = f"Your `slice{parts}` runs on to the end of `base`; the view stops before."
    refuse(every(1, lambda cut, size: None), "stop-lost", message)


def _name_what_fails(answer, group, cut, fact):
    """The diagnosis of a slice that cuts out something else, by the kind of the view."""
    length, dtype, period, before, *parts = cut
    text = ":".join("" if part is None else str(part) for part in parts)
    answer.called = f"find_the_slice(base, base[{text}])"
    base = f"`base` has {length} elements of `{dtype}`"
    counted = (
        f"{base}. `base[{text}]` holds elements {fact['want']}, your `slice{fact['parts']}` cuts out {fact['got']}."
    )
    label, message = {
        "": ("wrong-value", "That is another view."),
        "middle": (
            "backwards",
            "Right forwards. Walking backwards, the step is negative, and the stop is below the last element.",
        ),
        "to-one": ("ends-at-one", "Right until the stop is 0: a stop of 0 leaves out element 0, and `None` does not."),
        "to-zero": (
            "end-below-zero",
            "Right until a view walks down to element 0. A stop of -1 or less counts from the end.",
        ),
        "repeated": (
            "found-by-value",
            "Right where all values are different. Here values repeat: go by addresses, not by values.",
        ),
        "inside": (
            "owner-not-base",
            "Right where `base` owns its memory. Here it is part of a larger array: measure from `base`.",
        ),
        "any": ("wrong-value", "That is another view."),
    }[group]
    require(False, label, f"{message} {counted}")


@right("find-the-slice")
def stops_far_below(base, view):
    step = np.int64(view.strides[0] // base.strides[0])
    start = np.int64(view.ctypes.data - base.ctypes.data) // base.itemsize
    stop = start + step * len(view)
    return slice(start, -len(base) - 1 if stop < 0 else stop, step)


@right("find-the-slice")
def by_its_ends(base, view):
    first, last = ((part.ctypes.data - base.ctypes.data) // base.itemsize for part in (view, view[-1:]))
    step = (last - first) // (len(view) - 1)
    return slice(first, last + 1 if step > 0 else last - 1 if last else None, step)


@wrong("find-the-slice", "found-by-value")
def looks_for_the_first_value(base, view):
    start = int(np.flatnonzero(base == view[0])[0])
    step = view.strides[0] // base.itemsize
    stop = start + step * len(view)
    return slice(start, None if stop < 0 else stop, step)


@wrong("find-the-slice", "owner-not-base")
def measures_from_the_owner(base, view):
    start = (view.ctypes.data - view.base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    stop = start + step * len(view)
    return slice(start, None if stop < 0 else stop, step)


@wrong("find-the-slice", "backwards")
def runs_on_to_the_beginning(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    return slice(start, start + step * len(view) if step > 0 else None, step)


@wrong("find-the-slice", "ends-at-one")
def takes_zero_for_none(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    stop = start + step * (len(view) - 1) + (1 if step > 0 else -1)
    return slice(start, stop if stop > 0 else None, step)


@wrong("find-the-slice", "stop-lost")
def runs_on_to_the_end(base, view):
    step = view.strides[0] // base.itemsize
    return slice((view.ctypes.data - base.ctypes.data) // base.itemsize, None, step)


@wrong("find-the-slice", "bytes-not-elements")
def leaves_bytes(base, view):
    start = view.ctypes.data - base.ctypes.data
    return slice(start, start + view.strides[0] * len(view), view.strides[0])


@wrong("find-the-slice", "step-lost")
def ignores_the_step(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    return slice(start, start + len(view))


@wrong("find-the-slice", "start-lost")
def ignores_the_start(base, view):
    step = view.strides[0] // base.itemsize
    return slice(0, step * len(view), step)


@wrong("find-the-slice", "end-below-zero")
def stops_below_zero(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    return slice(start, start + step * len(view), step)


@wrong("find-the-slice", "itemsize-fixed")
def looks_at_some_dtypes(base, view):
    start = (view.ctypes.data - base.ctypes.data) // 8
    step = view.strides[0] // 8
    stop = start + step * len(view)
    return slice(start, stop if stop >= 0 else None, step or 1)


@wrong("find-the-slice", "wrong-value")
def stops_at_the_last_element(base, view):
    start = (view.ctypes.data - base.ctypes.data) // base.itemsize
    step = view.strides[0] // base.itemsize
    return slice(start, start + step * (len(view) - 1), step)


@wrong("find-the-slice", "not-a-slice")
def returns_the_three_numbers(base, view):
    return (view.ctypes.data - base.ctypes.data) // base.itemsize, None, view.strides[0] // base.itemsize


# -- moving-windows ---------------------------------------------------------------------------------------------


def window_facts(windows_of, x, width):
    """How the windows lie, beside how `x` does: nothing is read that may not be there."""
    result = windows_of(x, width)
    if not isinstance(result, np.ndarray):
        return {"type": type(result).__name__}
    low, high = np.lib.array_utils.byte_bounds(x)
    first, last = np.lib.array_utils.byte_bounds(result)
    steps = [stride for length, stride in zip(result.shape, result.strides, strict=True) if length > 1]
    return {
        "type": "ndarray",
        "shape": result.shape,
        "strides": result.strides,
        "steps": steps,
        "shares": bool(np.may_share_memory(x, result)),
        "dtype": str(result.dtype) if result.dtype != x.dtype else "",
        "outside": (low - first, last - high),
        "begins": result.ctypes.data - x.ctypes.data,
        "stride": x.strides[0],
        "bytes": high - low,
    }


def views_of(rng, length):
    """One-dimensional views of one length, from plain to odd, of several dtypes, the plain ones first."""

    def fresh(dtype, size):
        return inputs.array(rng, size, dtype)

    return {
        "x": fresh("int64", length),
        "x, of float32": fresh("float32", length),
        "x, of uint8": fresh("uint8", length),
        "x[::3]": fresh("int64", 3 * length)[::3],
        "x[2:-2]": fresh("float64", length + 4)[2:-2],
        "x[::-1]": fresh("float64", length)[::-1],
        "x[::-2]": fresh("int16", 2 * length)[::-2],
        "x.real": fresh("complex128", length).real,
        "a column": fresh("float64", (length, 3))[:, 1],
        "x, read-only": inputs.layouts(fresh("float64", length))["read-only"],
    }


@exercise(
    "moving-windows",
    see="windows",
    hint=["How many bytes is it from one window to the next? And from one element to the next?", "`x.strides`"],
)
def moving_windows(answer, rng):
    length, width = int(rng.integers(12, 20)), int(rng.integers(3, 6))
    for wide in (width, width + 2, 1, length):
        for name, x in views_of(rng, length).items():
            facts = answer.probe(window_facts, x, wide)
            answer.called = f"moving_windows({name}, {wide})"
            _judge_windows(facts, name, length, wide)
    answer.called = "moving_windows(x, 1)"
    _judge_windows(answer.probe(window_facts, np.ones(1), 1), "x", 1, 1)


def _judge_windows(facts, name, length, width):
    require(facts["type"] == "ndarray", "wrong-type", f"Return an array, not an object of type `{facts['type']}`.")
    rows, stride, shape = length - width + 1, facts["stride"], facts["shape"]
    before, behind = facts["outside"]
    overlap = len(shape) == 2 and shape[1] == width and facts["steps"][:1] == [stride]
    swapped = shape == (width, rows) != (rows, width)
    refuse(swapped, "axes-swapped", "The windows should be the rows; yours are the columns.")
    message = f"Your windows reach {behind} bytes beyond the end of `x`. The last window starts at `len(x) - width`."
    refuse(overlap and shape[0] > rows and behind > 0, "reads-past-the-end", message)
    require(facts["shares"], "copied", "The numbers may be right, but they are copies: no memory is shared with `x`.")
    message = "Your windows do not overlap: from one to the next it should be one element, not a whole window."
    refuse(width > 1 and rows > 1 and facts["steps"] == [width * stride, stride], "no-overlap", message)
    require(shape == (rows, width), "wrong-shape", f"The shape should be {(rows, width)}, not {shape}.")
    steps = facts["steps"]
    message = f"`{name}` has the stride {stride}, your windows {facts['strides']}. Walking backwards, it is negative."
    refuse(stride < 0 and steps and set(steps) == {-stride}, "sign-lost", message)
    message = f"Right for some `x`. `{name}` has the stride {stride}, your windows {facts['strides']}. Use `x.strides`."
    refuse(name != "x" and steps and len(set(steps)) == 1 and steps[0] != stride, "stride-fixed", message)
    message = f"Strides {facts['strides']}: both axes should move by one element of `x`, {stride} bytes."
    require(set(steps) <= {stride}, "wrong-strides", message)
    message = "Your first window does not begin where `x` does: the array that owns the memory may begin before."
    require(facts["begins"] == 0, "wrong-start", message)
    message = f"Your windows over `{name}` read its bytes as `{facts['dtype']}`, and so other numbers."
    refuse(facts["dtype"], "dtype-changed", message)


@right("moving-windows")
def by_numpy_itself(x, width):
    return np.lib.stride_tricks.sliding_window_view(x, (width,))


@right("moving-windows")
def windows_in_columns_turned(x, width):
    return as_strided(x, (width, x.size - width + 1), 2 * x.strides).T


@wrong("moving-windows", "sign-lost")
def takes_the_size_of_the_stride(x, width):
    return as_strided(x, (len(x) - width + 1, width), 2 * (abs(x.strides[0]),))


@wrong("moving-windows", "copied")
def makes_it_contiguous(x, width):
    return np.lib.stride_tricks.sliding_window_view(np.ascontiguousarray(x), width)


@wrong("moving-windows", "wrong-start")
def starts_at_the_owner(x, width):
    owner = x if x.base is None else x.base
    return as_strided(owner, (len(x) - width + 1, width), 2 * x.strides)


@wrong("moving-windows", "copied")
def stacks_slices(x, width):
    return np.stack([x[i : i + width] for i in range(len(x) - width + 1)])


@wrong("moving-windows", "reads-past-the-end")
def as_many_windows_as_elements(x, width):
    return as_strided(x, (len(x), width), 2 * x.strides)


@wrong("moving-windows", "no-overlap")
def steps_a_whole_window(x, width):
    return as_strided(x, (len(x) - width + 1, width), (width * x.strides[0], x.strides[0]))


@wrong("moving-windows", "axes-swapped")
def windows_in_columns(x, width):
    return np.lib.stride_tricks.sliding_window_view(x, width).T


@wrong("moving-windows", "stride-fixed")
def eight_bytes_always(x, width):
    return as_strided(x, (len(x) - width + 1, width), (x.itemsize, x.itemsize))


@wrong("moving-windows", "wrong-strides")
def repeats_the_first_window(x, width):
    return np.broadcast_to(x[:width], (len(x) - width + 1, width))


@wrong("moving-windows", "dtype-changed")
def takes_unsigned_numbers_for_signed(x, width):
    windows = np.lib.stride_tricks.sliding_window_view(x, width)
    return windows.view(np.int8) if x.itemsize == 1 else windows


@wrong("moving-windows", "wrong-shape")
def one_window_short(x, width):
    return np.lib.stride_tricks.sliding_window_view(x, width)[:-1]


@wrong("moving-windows", "wrong-type")
def a_list_of_windows(x, width):
    return [x[i : i + width] for i in range(len(x) - width + 1)]


# -- flat-view --------------------------------------------------------------------------------------------------


def flat_facts(flatten, arrays, of_objects=False):
    """How the flat results lie, beside how the arrays do; the values only of results that have memory of their own."""
    found = []
    for x in arrays:
        x = x.astype(object) if of_objects else x  # which would not pass through a channel
        shape = x.shape
        result = flatten(x)
        if x.shape != shape:
            x.shape = shape
            found.append({"type": "reshaped"})
            continue
        if not isinstance(result, np.ndarray):
            found.append({"type": type(result).__name__})
            continue
        memory = x
        while isinstance(memory.base, np.ndarray):
            memory = memory.base
        shares = bool(np.may_share_memory(result, memory))
        found.append(
            {
                "type": "ndarray",
                "shape": result.shape,
                "stride": result.strides[0] if result.ndim == 1 and result.size > 1 else x.itemsize,
                "itemsize": x.itemsize,
                "shares": shares,
                "dtype": str(result.dtype) if result.dtype != x.dtype else "",
                "begins": result.ctypes.data - x.ctypes.data,
                "values": None if shares or of_objects else result.copy(),
            }
        )
    return found


def contiguous(rng, dtype, rows, columns, order):
    """A contiguous array; in the middle of a larger one, or read-only, if chance will have it."""
    if order == "F":
        return contiguous(rng, dtype, columns, rows, "C").T
    seconds = dtype == "datetime64[s]"
    block = inputs.array(rng, (rows + 2, columns), "int64" if seconds else dtype)
    block = block.view(dtype) if seconds else block
    x = block[1:-1] if rng.random() < 0.5 else block[1:-1].copy()
    x.flags.writeable = bool(rng.random() < 0.7)
    return x


def in_both_orders(rng, shapes):
    """Pairs of arrays, in C order and in F order, of every shape and several dtypes."""
    dtypes = ["float64", "float32", "int16", "complex128", "uint8", "datetime64[s]"]
    drawn = [
        [contiguous(rng, dtypes[k % 6], *shape, order) for order in "CF"]
        for k, shape in enumerate([*shapes, *shapes[1:]])
    ]
    # `None` makes an axis of length 1 with a stride of 0: contiguous in both orders, since nobody walks along it.
    alone = contiguous(rng, "float64", 1, 5, "C")[0]
    return [*drawn, [alone[:, None], alone[None, :]]]


@exercise(
    "flat-view",
    see="orders",
    hint=["`ravel` takes `order=`. Which order needs no reordering, whatever `x` is?", "Or look at `x.flags`."],
)
def flat_view(answer, rng):
    shape = int(rng.integers(3, 6)), int(rng.integers(6, 9))
    pairs = in_both_orders(rng, [shape, shape[::-1], (4, 4), (1, 5), (5, 1), (1, 1)])
    found = answer.probe(flat_facts, [x for pair in pairs for x in pair])
    for (in_c, in_f), (c, f) in zip(zip(found[::2], found[1::2], strict=True), pairs, strict=True):
        for facts, x in ((in_c, c), (in_f, f)):
            answer.called = f"flat_view({x.dtype}{list(x.shape)}, in {'C' if x is c else 'F'} order)"
            message = (
                "You set the shape of the array that came in, and the caller's own array has another shape now. Make a "
                "view, which has a shape of its own, and leave `x` as it is."
            )
            refuse(facts["type"] == "reshaped", "reshaped-the-input", message)
            message = f"Return an array, not an object of type `{facts['type']}`."
            require(facts["type"] == "ndarray", "wrong-type", message)
            message = f"The shape should be ({x.size},), not {facts['shape']}: one axis with all elements."
            require(facts["shape"] == (x.size,), "wrong-shape", message)
        _judge_copies(in_c, in_f, c, f)
        for facts, x in ((in_c, c), (in_f, f)):
            answer.called = f"flat_view({x.dtype}{list(x.shape)}, in {'C' if x is c else 'F'} order)"
            message = f"Elements of `{x.dtype}` have {x.itemsize} bytes, and your view steps by {facts['stride']}."
            refuse(facts["stride"] == 8 != x.itemsize, "itemsize-fixed", f"{message} Use `x.itemsize`.")
            lone = (
                f"{message} An axis of length 1 may have any stride, even 0: nobody walks along it. Use `x.itemsize`."
            )
            refuse(facts["stride"] == 0, "stride-of-a-lone-axis", lone)
            message = f"{message} In the order of memory, each element follows the one before."
            require(facts["stride"] == x.itemsize, "other-order", message)
            message = "Your view does not begin where `x` does: the array that owns the memory may be larger than `x`."
            require(facts["begins"] == 0, "wrong-start", message)
            message = f"Your view reads the bytes of `{x.dtype}` as `{facts['dtype']}`, and so other numbers."
            refuse(facts["dtype"], "dtype-changed", message)
    _judge_objects(answer, pairs[0])


def _judge_objects(answer, pair):
    """Of Python objects an array holds the addresses: elements as others are, but no buffer for all to see."""
    message = "Right for numbers, and not for an array of Python objects: `x` has any dtype."
    try:
        found = answer.probe(flat_facts, pair, of_objects=True)
    except probe.AnswerRaised as error:
        message = f"{message} It raises {error.raised.kind}: {error.raised.message}"
        require(False, "numbers-only", message)
    want = {"type": "ndarray", "shape": (pair[0].size,), "stride": 8, "shares": True, "dtype": "", "begins": 0}
    same = all(facts.get(name) == value for facts in found for name, value in want.items())
    require(same, "numbers-only", message)


def _judge_copies(in_c, in_f, c, f):
    copies = not in_c["shares"], not in_f["shares"]
    turned = copies == (True, True) and close(in_c["values"], c.T.ravel()) and close(in_f["values"], f.ravel())
    message = (
        "Each of the two orders is read in the way of the other one, and so copied: you have exchanged the two cases."
    )
    refuse(turned and c.shape[0] > 1 < c.shape[1], "cases-exchanged", message)
    refuse(all(copies), "always-copies", "That is a copy whatever the order of `x` is. The order of memory needs none.")
    message = "A view for C order, a copy for F order: the default of `ravel` and `reshape` is to read row by row."
    refuse(copies == (False, True), "copies-f-order", message)
    message = "A view for F order, a copy for C order: right for one of the two orders only."
    refuse(copies == (True, False), "copies-c-order", message)


@right("flat-view")
def asks_the_flags(x):
    return x.reshape(x.size) if x.flags.c_contiguous else x.T.reshape(x.size)


@right("flat-view")
def strides_by_hand(x):
    return as_strided(x, (x.size,), (x.itemsize,))


@wrong("flat-view", "itemsize-fixed")
def steps_by_eight_bytes(x):
    return as_strided(x, (x.size,), (8,))


@wrong("flat-view", "stride-of-a-lone-axis")
def steps_by_the_smaller_stride(x):
    return as_strided(x, (x.size,), (min(x.strides),))


@wrong("flat-view", "numbers-only")
def reads_the_buffer(x):
    return np.frombuffer(x if x.flags.c_contiguous else x.T, x.dtype)


@wrong("flat-view", "dtype-changed")
def takes_eight_bytes_for_a_float(x):
    flat = x.ravel(order="K")
    return flat.view(np.float64) if x.itemsize == 8 else flat


@wrong("flat-view", "cases-exchanged")
def exchanges_the_cases(x):
    return x.T.reshape(-1) if x.flags.c_contiguous else x.reshape(-1)


@wrong("flat-view", "wrong-start")
def goes_by_the_owner(x):
    owner = x if x.base is None else x.base
    return owner.ravel(order="K")[: x.size]


@wrong("flat-view", "always-copies")
def flattens(x):
    return x.flatten()


@wrong("flat-view", "copies-f-order")
def ravels_by_default(x):
    return x.ravel()


@wrong("flat-view", "copies-c-order")
def transposes_first(x):
    return x.T.reshape(-1)


@wrong("flat-view", "reshaped-the-input")
def sets_the_shape(x):
    result = x if x.flags.c_contiguous else x.T
    result.shape = (-1,)
    return result


@wrong("flat-view", "wrong-shape")
def first_row_only(x):
    return x[0]


@wrong("flat-view", "other-order")
def reversed_view(x):
    return x.ravel(order="K")[::-1]


@wrong("flat-view", "wrong-type")
def a_list(x):
    return x.ravel().tolist()


# -- lines-fetched ----------------------------------------------------------------------------------------------


def lines_of_expressions():
    """On how many lines of 64 bytes the elements of each expression lie, counted address by address."""
    x, narrow = np.zeros((1024, 1024)), np.zeros((1024, 1024), np.float32)
    return {
        "x[0]": _lines(x, x[0]),
        "x[:, 0]": _lines(x, x[:, 0]),
        "x[0, ::8]": _lines(x, x[0, ::8]),
        "x.astype(np.float32)[0]": _lines(narrow, narrow[0]),
    }


def _lines(base, view):
    start = view.ctypes.data - base.ctypes.data
    return len({(start + i * view.strides[0]) // 64 for i in range(len(view))})


lines_fetched = prediction(
    "lines-fetched",
    see="cache-lines",
    hint="How many bytes apart are neighbours? More or less than a line?",
    truth=lines_of_expressions,
    mistakes=[
        Mistake(
            "one-line-per-element",
            {"x[0]": 1024},
            "A row of 1024 elements is not 1024 lines: eight neighbours of 8 bytes share a line of 64.",
        ),
        Mistake(
            "column-like-a-row",
            {"x[:, 0]": 128},
            "Neighbours in a column are a whole row apart, 8192 bytes: no two of them share a line.",
        ),
        Mistake(
            "skipping-saves-lines",
            {"x[0, ::8]": 16},
            "Every eighth element: fewer numbers, but one on each line of the row. Every line is still fetched.",
        ),
        Mistake(
            "itemsize-ignored",
            {"x.astype(np.float32)[0]": 128},
            "`float32` elements take 4 bytes: sixteen share a line.",
        ),
        Mistake(
            "counted-bytes",
            [{"x[0]": 8192}, {"x.astype(np.float32)[0]": 4096}],
            "That is the number of bytes in the row. How many lines are they?",
        ),
    ],
    otherwise="Count the lines that hold at least one element.",
)

# -- contiguous-slices ------------------------------------------------------------------------------------------


def slice_facts(cut, arrays):
    """Of lists of slices: whether each is a contiguous one-dimensional view, and on which bytes they lie together."""
    found = []
    for x in arrays:
        slices = cut(x)
        if not isinstance(slices, (list, tuple)) or not all(isinstance(part, np.ndarray) for part in slices):
            found.append({"type": type(slices).__name__})
            continue
        parts = [part for part in slices if part.size]
        places = sorted((part.ctypes.data - x.ctypes.data, part.nbytes) for part in parts)
        covered = [(0, 0), *((start, start + size) for start, size in places)]
        gaps = [after[0] - before[1] for before, after in zip(covered, covered[1:], strict=False)]
        found.append(
            {
                "type": "list",
                "axes": sorted({part.ndim for part in slices}),
                "shares": all(np.may_share_memory(part, x) for part in parts),
                "steps": sorted({part.strides[-1] // x.itemsize for part in parts if part.ndim and part.size > 1}),
                "twice": any(gap < 0 for gap in gaps),
                "all": not any(gaps) and max(end for _, end in covered) == x.nbytes,
                "dtype": all(part.dtype == x.dtype for part in slices),
            }
        )
    return found


@exercise(
    "contiguous-slices",
    see="cache-lines",
    hint=[
        "A loop over an array runs over its first axis.",
        "What is the order of the transpose of an F-ordered array?",
    ],
)
def contiguous_slices(answer, rng):
    shape = int(rng.integers(3, 6)), int(rng.integers(6, 9))
    pairs = in_both_orders(rng, [shape, shape[::-1], (4, 4), (1, 5), (5, 1), (1, 1)])
    found = answer.probe(slice_facts, [x for pair in pairs for x in pair])
    arrays = [(x, order) for pair in pairs for x, order in zip(pair, "CF", strict=True)]
    for facts, (x, order) in zip(found, arrays, strict=True):
        answer.called = f"contiguous_slices({x.dtype}{list(x.shape)}, in {order} order)"
        message = f"Return a list of arrays, one for each slice, and not an object of type `{facts['type']}`."
        message = (
            "A list came back, but not all that is in it are arrays." if facts["type"] in ("list", "tuple") else message
        )
        require("axes" in facts, "not-a-list", message)
        require(facts["axes"] == [1], "wrong-axes", "Each slice should have one axis.")
        message = "Some slices are copies: making them has already meant walking over everything."
        require(facts["shares"], "copied", message)
        way = "rows are" if order == "C" else "columns are"
        message = f"In {order} order your slices walk in steps of {facts['steps']} elements: {way} contiguous there."
        require(set(facts["steps"]) <= {1}, f"jumps-in-{order.lower()}-order", message)
        refuse(facts["twice"], "twice", "Some elements of `x` are in two slices.")
        complete = facts["all"] and facts["dtype"]
        require(complete, "incomplete", "Together the slices should hold every element of `x` exactly once.")


@right("contiguous-slices")
def one_is_enough(x):
    return (x.ravel(order="K"),)


@right("contiguous-slices")
def columns_from_the_last(x):
    return [x[:, j] for j in reversed(range(x.shape[1]))] if x.flags.f_contiguous else [*x]


@wrong("contiguous-slices", "incomplete")
def as_many_columns_as_rows(x):
    return list(x) if x.flags.c_contiguous else [x[:, j] for j in range(min(x.shape))]


@wrong("contiguous-slices", "twice")
def overlapping_pieces(x):
    flat = x.ravel(order="K")
    return [flat[i : i + 5] for i in range(0, x.size, 4)]


@wrong("contiguous-slices", "not-a-list")
def every_number(x):
    return list(x.ravel(order="K"))


@wrong("contiguous-slices", "jumps-in-f-order")
def rows_always(x):
    return list(x)


@wrong("contiguous-slices", "jumps-in-c-order")
def columns_always(x):
    return list(x.T)


@wrong("contiguous-slices", "copied")
def makes_rows_contiguous(x):
    return [np.array(row) for row in x]


@wrong("contiguous-slices", "incomplete")
def loses_the_last(x):
    return list(x if x.flags.c_contiguous else x.T)[:-1]


@wrong("contiguous-slices", "wrong-axes")
def one_big_slice(x):
    return [x]


@wrong("contiguous-slices", "not-a-list")
def returns_the_array(x):
    return x


# -- what-jax-keeps ---------------------------------------------------------------------------------------------


def truths_about_jax():
    """The six statements, asked of JAX."""
    v = jnp.arange(12.0)
    where = v.unsafe_buffer_pointer()
    v.at[0].set(9.0)
    return {
        "v has strides": hasattr(v, "strides"),
        "v[2:8] shares memory with v": where <= v[2:8].unsafe_buffer_pointer() < where + v.nbytes,
        "v.reshape(3, 4) shares memory with v": v.reshape(3, 4).unsafe_buffer_pointer() == where,
        "jnp.asarray(v) is v": jnp.asarray(v) is v,
        "v.at[0].set(9.0) leaves v as it was": float(v[0]) == 0.0,
        "np.asarray(v) can be written to": bool(np.asarray(v).flags.writeable),
    }


what_jax_keeps = prediction(
    "what-jax-keeps",
    see="in-jax",
    hint="A JAX array never changes. What would a view be good for?",
    truth=truths_about_jax,
    mistakes=[
        Mistake(
            "has-strides",
            {"v has strides": True},
            "Where the elements lie is the compiler's business: `v.strides` fails.",
        ),
        Mistake(
            "has-views",
            [{"v[2:8] shares memory with v": True}, {"v.reshape(3, 4) shares memory with v": True}],
            "Compare `unsafe_buffer_pointer()`: a slice and a reshape get buffers of their own.",
        ),
        Mistake(
            "at-set-in-place",
            {"v.at[0].set(9.0) leaves v as it was": False},
            "`.at[...].set(...)` returns a new array. The old one never changes.",
        ),
        Mistake(
            "numpy-can-write",
            {"np.asarray(v) can be written to": True},
            "`np.asarray(v)` may be the very memory of `v`, so NumPy marks it read-only.",
            see="sharing",
        ),
        Mistake(
            "asarray-copies",
            {"jnp.asarray(v) is v": False},
            "`v` is a JAX array already: `jnp.asarray` has nothing to do, and does nothing.",
        ),
    ],
    otherwise="Ask JAX: every statement can be tried.",
)

# -- safe-handover ----------------------------------------------------------------------------------------------


def handed_over(hand_over, pictures, behind, own):
    """Hand pictures over in one buffer, one after the other, and watch what JAX is given and whether it is waited for.

    A race is not lost each time that it is run. So it is not run: it is there if a function of JAX has been given the
    buffer, and nothing has waited since. The buffer begins some bytes behind a multiple of 64,
    and has the order of the pictures. With `own` it is no view, and begins anywhere.
    """
    first = pictures[0]
    block = np.zeros(first.nbytes + 128, np.uint8)
    start = -block.ctypes.data % 64 + behind
    order = "C" if first.flags.c_contiguous else "F"
    buffer = block[start : start + first.nbytes].view(first.dtype).reshape(first.shape, order=order)
    if own:  # JAX borrows what begins at a multiple of 64
        buffer = min([np.empty_like(first) for _ in range(64)], key=lambda array: array.ctypes.data % 64)
    state = {"pending": False}
    given, on_device = [], type(jnp.zeros(1))
    waits = on_device.block_until_ready

    def block_until_ready(array):  # as a function of Python, so that the call is seen
        return waits(array)

    def is_array(value, kind=np.ndarray):
        return issubclass(type(value), kind)  # `isinstance` asks the object, which may be half made

    def is_buffer(value):
        return lies_in(value, buffer) if is_array(value, on_device) else is_numpys_buffer(value)

    def is_numpys_buffer(value):
        return is_array(value) and np.may_share_memory(value, buffer)

    def lies_in(array, memory):
        try:
            inside = array.unsafe_buffer_pointer() - memory.ctypes.data
        except Exception:  # an array that is spread over devices, or deleted, has no address
            return False
        return 0 <= inside < memory.nbytes

    def watch(frame, event, function):
        name = frame.f_code.co_name if event == "call" else getattr(function, "__name__", "")
        if "call" in event and ("block_until_ready" in name or name in ("__array__", "_value", "device_get")):
            state["pending"] = False
        elif event == "call" and f"{os.sep}jax{os.sep}" in frame.f_code.co_filename:
            arguments = list(frame.f_locals.values())
            arguments += [item for value in arguments if type(value) in (tuple, list) for item in value]
            given.extend(value for value in arguments if is_array(value) and value.nbytes == buffer.nbytes)
            state["pending"] |= any(map(is_buffer, arguments))

    facts = {"type": "jax.Array", "borrowed": False, "pending": False, "reused": False, "kept": True, "locked": False}
    results, values, before = [], [], []
    for picture in pictures:
        buffer[...] = picture
        given.clear()
        state["pending"] = False
        others, on_device.block_until_ready = sys.getprofile(), block_until_ready
        sys.setprofile(watch)
        try:
            result = hand_over(buffer)
        finally:
            sys.setprofile(others)
            on_device.block_until_ready = waits
        if not isinstance(result, jax.Array):
            return facts | {"type": type(result).__name__}
        facts["borrowed"] |= lies_in(result, buffer)
        facts["pending"] |= state["pending"]
        values.append(np.array(result))  # waits: what came back before anything is written
        facts["kept"] &= bool(np.array_equal(buffer, picture))
        if not buffer.flags.writeable:
            return facts | {"locked": True}
        memory = [array for array in given if not is_buffer(array)]
        facts["reused"] |= any(np.may_share_memory(new, old) for new in memory for old in before)
        before += memory
        results.append(result)
    buffer[...] = 0
    return facts | {"values": values, "later": [np.array(result) for result in results]}


@exercise(
    "safe-handover",
    see="sharing",
    hint=[
        "Who could still write into the memory that JAX sees?",
        "A copy that nobody else holds is safe from everybody.",
    ],
)
def safe_handover(answer, rng):
    for dtype, shape, behind, order, own in (
        ("float32", (1000,), 0, "C", False),
        ("float32", (1000,), 0, "C", True),
        ("uint8", (20, 30, 3), 0, "C", False),
        ("int32", (7, 5), 4, "C", False),
        ("bool", (30, 7), 0, "C", False),
        ("float16", (3, 7, 7), 2, "F", False),
    ):
        pictures = [np.array(inputs.array(rng, shape, dtype, low=1, high=200), order=order) for _ in range(3)]
        facts = answer.probe(handed_over, pictures, behind, own)
        answer.called = "safe_handover(buffer)"
        message = f"Return a `jax.Array`, not an object of type `{facts['type']}`."
        require(facts["type"] == "jax.Array", "not-jax", message)
        refuse(facts["locked"], "buffer-locked", "You made the buffer read-only: the camera cannot fill it again.")
        message = (
            "Your JAX array lies in the buffer: JAX has borrowed its memory, and has not copied it. To wait is no help."
        )
        refuse(facts["borrowed"], "borrowed-buffer", message)
        for number, (got, want) in enumerate(zip(facts["values"], pictures, strict=True)):
            expect(
                got, want, f"Picture {number + 1} of {len(pictures)}: the JAX array should hold what the buffer held."
            )
            message = f"`{want.dtype}` went in and `{got.dtype}` came out."
            require(got.dtype == want.dtype, "dtype-changed", message)
        require(facts["kept"], "buffer-overwritten", "You changed the buffer: it belongs to whoever fills it.")
        message = (
            "JAX was given the buffer itself, and nothing waited until it had read it. It may still be reading when "
            "the next picture comes. This race is not lost each time."
        )
        refuse(facts["pending"], "not-waited", message)
        message = (
            "All pictures go to JAX through one array of yours: the next one is written into the memory of the last."
        )
        refuse(facts["reused"], "one-array-for-all", message)
        for got, want in zip(facts["later"], pictures, strict=True):
            expect(got, want, "The JAX array changed when the buffer was filled again.", label="borrowed-buffer")


@right("safe-handover")
def copies_in_jax_and_waits(buffer):
    return jax.block_until_ready(jnp.array(buffer))


@right("safe-handover")
def puts_a_copy_on_the_device(buffer):
    return jax.device_put(np.array(buffer))


@right("safe-handover")
def goes_through_bytes(buffer):
    return jnp.asarray(np.frombuffer(buffer.tobytes(), buffer.dtype).reshape(buffer.shape))


@wrong("safe-handover", "not-waited")
def copies_in_jax(buffer):
    return jnp.array(buffer)


@wrong("safe-handover", "borrowed-buffer")
def forbids_an_alias(buffer):
    return jax.device_put(buffer, may_alias=False).block_until_ready()


@wrong("safe-handover", "not-waited")
def copies_what_is_borrowed(buffer):
    return jax.device_put(buffer).copy()


@wrong("safe-handover", "one-array-for-all")
def keeps_an_array_for_all(buffer):
    kept = staged.setdefault((buffer.shape, buffer.dtype), np.empty_like(buffer))
    kept[...] = buffer
    return jax.device_put(kept)


staged = {}


@wrong("safe-handover", "borrowed-buffer")
def copies_views_alone(buffer):
    return jax.device_put(buffer if buffer.flags.owndata else buffer.copy())


@wrong("safe-handover", "buffer-locked")
def locks_the_buffer(buffer):
    buffer.flags.writeable = False
    return jax.device_put(buffer)


@wrong("safe-handover", "dtype-changed")
def makes_floats_of_it(buffer):
    return jnp.asarray(buffer.astype(np.float32))


@wrong("safe-handover", "dtype-changed")
def adds_nothing(buffer):
    return jnp.asarray(buffer + 0)


@wrong("safe-handover", "wrong-value")
def copies_in_the_order_of_memory(buffer):
    return jnp.asarray(buffer.ravel(order="K").copy().reshape(buffer.shape))


@wrong("safe-handover", "borrowed-buffer")
def puts_it_on_the_device(buffer):
    return jax.device_put(buffer)


@wrong("safe-handover", "borrowed-buffer")
def goes_through_dlpack(buffer):
    return jnp.from_dlpack(buffer)


@wrong("safe-handover", "not-jax")
def copies_in_numpy_only(buffer):
    return buffer.copy()


@wrong("safe-handover", "wrong-value")
def makes_room_but_fills_nothing(buffer):
    return jnp.zeros_like(buffer)


@wrong("safe-handover", "buffer-overwritten")
def empties_the_buffer(buffer):
    handed = jnp.asarray(buffer.copy())
    buffer[:] = 0
    return handed


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent("find-the-slice", "`base`  ->  `view`", "a view has the dtype of its base"),
    equivalent("find-the-slice", "`0`  ->  `-1`", "a view has one axis"),
    equivalent(
        "moving-windows",
        "`np.lib.stride_tricks.as_strided(x, shape, strides=2 * x.strides, writeable=False)`  ->  "
        "`np.lib.stride_tricks.as_strided(x, shape, strides=2 * x.strides)`",
        "whether windows can be written to is up to the student",
    ),
    equivalent("moving-windows", "`False`  ->  `True`", "whether windows can be written to is up to the student"),
]
