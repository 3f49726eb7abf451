"""Checks of lesson 01, memory layout: what is asked, what people get wrong, and what each mistake is told."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.exercise import (
    agree,
    close,
    entries,
    exercise,
    expect,
    expect_entries,
    is_numeric,
    numbers,
    require,
    wrong,
)

as_strided = np.lib.stride_tricks.as_strided

# -- bytes-per-element ------------------------------------------------------------------------------------------


@exercise(
    "bytes-per-element",
    see="list-and-array",
    hint=["Count two things for the list: the slot, and the object that the slot points at.", "`sys.getsizeof(1.5)`"],
)
def bytes_per_element(answer, rng):
    got = answer.value()
    pair = is_numeric(got) and np.shape(got) == (2,)
    require(pair, "not-a-pair", "Give two whole numbers: `(list, float32 array)`.")
    in_list, in_array = got
    require(not close(in_list, 8), "forgot-the-objects", "8 bytes are the slot alone. Where is the float itself?")
    require(not close(in_list, 24), "forgot-the-slots", "24 bytes are the float alone. How does the list find it?")
    require(not close(in_array, 8), "float64-size", "A `float64` takes 8 bytes. The question is about `float32`.")
    right = close(in_list, 32) and close(in_array, 4)
    require(right, "wrong-value", "In a list: the slot and the object. In an array: the itemsize of its dtype.")


only_the_slots = wrong("bytes-per-element", "forgot-the-objects")((8, 4))
only_the_objects = wrong("bytes-per-element", "forgot-the-slots")((24, 4))
thought_of_float64 = wrong("bytes-per-element", "float64-size")((32, 8))
turned_around = wrong("bytes-per-element", "wrong-value")((4, 32))
just_one_number = wrong("bytes-per-element", "not-a-pair")(32)

# -- madhava-pi -------------------------------------------------------------------------------------------------


def madhava(n):
    """The oracle: a plain loop in exact integer arithmetic up to the last division."""
    return 12**0.5 * sum((-1) ** k / (3**k * (2 * k + 1)) for k in range(n))


@exercise(
    "madhava-pi",
    see="vectors",
    hint=["`k = np.arange(n)` are all the indices at once.", "Mind the brackets: what is raised to the power `k`?"],
)
def madhava_pi(answer, rng):
    n = int(rng.integers(4, 12))
    got, want = numbers(answer(n)), madhava(n)
    require(
        got.dtype != np.float32, "single-precision", "That is a `float32`: some 7 digits. NumPy computes in `float64`."
    )
    require(
        not close(got, madhava(n + 1)), "one-too-many", f"You summed {n + 1} terms. `np.arange(n)` ends at `n - 1`."
    )
    require(not close(got, madhava(n) - 12**0.5), "first-term-lost", "The series begins with `k = 0`.")
    require(not close(got, want / 12**0.5), "square-root-lost", "The sum is right. It is to be multiplied by √12.")
    all_minus = 12**0.5 * -sum(1 / (3**k * (2 * k + 1)) for k in range(n))
    message = "`-1 / 3**k` is `-(1 / 3**k)`: the sign never changes. Set brackets."
    require(not close(got, all_minus), "power-before-sign", message)
    expect(got, want, f"That is not the sum of the first {n} terms.")
    require(abs(float(answer(30)) - np.pi) < 1e-15, "rounding", "With 30 terms the error should be below 1e-15.")


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


@wrong("madhava-pi", "rounding")
def sums_by_a_rougher_constant(n):
    k = np.arange(n)
    return 3.4641016151377 * np.sum((-1 / 3) ** k / (2 * k + 1))


@wrong("madhava-pi", "wrong-value")
def divides_by_the_wrong_number(n):
    k = np.arange(n)
    return np.sqrt(12) * np.sum((-1 / 3) ** k / (2 * k + 2))


# -- predict-strides --------------------------------------------------------------------------------------------


def strides_of(dtype):
    """The true strides of the five expressions."""
    a = np.zeros((4, 6), dtype)
    views = {"a": a, "a.T": a.T, "a[:, ::2]": a[:, ::2], "a[::-1]": a[::-1], "a[1]": a[1]}
    return {name: view.strides for name, view in views.items()}


@exercise(
    "predict-strides",
    see="strides",
    hint=["Start with the last axis of `a`: how many bytes to the next element?", "Then: how many bytes is a row?"],
)
def predict_strides(answer, rng):
    want = strides_of(np.float32)
    got = entries(answer.value(), like=want)
    counted = {name: tuple(s // 4 for s in strides) for name, strides in want.items()}
    require(
        not agree(got, counted),
        "counted-elements",
        "Those are steps in elements. Strides are bytes: times the itemsize.",
    )
    require(
        not agree(got, strides_of(np.float64)),
        "float64-size",
        "Right for `float64`. An element of `float32` has 4 bytes.",
    )
    require(
        not agree(got["a"], (4, 16)),
        "fortran-order",
        "You made the first index run fastest. In C order the last one does.",
    )
    require(
        not agree(got["a[::-1]"], want["a"]), "sign-lost", "Rows in reverse: a step down walks *backwards* in memory."
    )
    require(not agree(got["a[1]"], 4), "not-a-tuple", "One axis has one stride, but strides are a tuple: `(4,)`.")
    expect_entries(got, want, "What does the expression change: start, order or step?")


steps_in_elements = wrong("predict-strides", "counted-elements")(
    {"a": (6, 1), "a.T": (1, 6), "a[:, ::2]": (6, 2), "a[::-1]": (-6, 1), "a[1]": (1,)}
)
elements_of_eight_bytes = wrong("predict-strides", "float64-size")(
    {"a": (48, 8), "a.T": (8, 48), "a[:, ::2]": (48, 16), "a[::-1]": (-48, 8), "a[1]": (8,)}
)
first_index_fastest = wrong("predict-strides", "fortran-order")(
    {"a": (4, 16), "a.T": (16, 4), "a[:, ::2]": (4, 32), "a[::-1]": (-4, 16), "a[1]": (16,)}
)
reversal_without_a_sign = wrong("predict-strides", "sign-lost")(
    {"a": (24, 4), "a.T": (4, 24), "a[:, ::2]": (24, 8), "a[::-1]": (24, 4), "a[1]": (4,)}
)
step_makes_the_row_shorter = wrong("predict-strides", "wrong-value")(
    {"a": (24, 4), "a.T": (4, 24), "a[:, ::2]": (12, 8), "a[::-1]": (-24, 4), "a[1]": (4,)}
)
a_number_for_one_axis = wrong("predict-strides", "not-a-tuple")(strides_of(np.float32) | {"a[1]": 4})
a_list_instead = wrong("predict-strides", "keys-changed")([(24, 4), (4, 24), (24, 8), (-24, 4), (4,)])

# -- element-address --------------------------------------------------------------------------------------------


@exercise("element-address", see="strides", hint="Each axis adds its own `stride * i`. `zip` pairs them.")
def element_address(answer, rng):
    start = int(rng.integers(2**20, 2**30)) * 8
    strides, index = (48, 8), (int(rng.integers(1, 5)), 5 + int(rng.integers(1, 5)))
    want = start + 48 * index[0] + 8 * index[1]
    got = answer(start, strides, index)
    require(not close(got, want - start), "start-lost", "That is the distance from the start. Add the start.")
    turned = start + 48 * index[1] + 8 * index[0]
    require(not close(got, turned), "axes-reversed", "You paired the first index with the last stride.")
    times_itemsize = start + 8 * (want - start)
    require(not close(got, times_itemsize), "itemsize-twice", "Strides are bytes already: no itemsize on top.")
    expect(got, want, "The address is the start plus, for each axis, stride times index.")
    backwards = answer(start, (-48, 8), (2, 3))
    require(close(backwards, start - 96 + 24), "sign-lost", "A negative stride walks backwards: keep its sign.")
    expect(answer(start, (), ()), start, "Without any axis there is one element, at the start.", label="no-axes")
    message = "Right for two axes, wrong for three."
    expect(answer(start, (96, 24, 8), (1, 2, 3)), start + 96 + 48 + 24, message, label="two-axes-only")


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


@exercise("view-or-copy", see="views", hint="Ask of each: could one start and one stride per axis describe the result?")
def view_or_copy(answer, rng):
    want = sharing_of_expressions()
    got = entries(answer.value(), like=want, kind=bool)
    require(
        not got["m[[1, 2]]"],
        "fancy-is-a-view",
        "A list of indices may name any rows in any order: no stride says that.",
    )
    require(not got["m[m > 5]"], "mask-is-a-view", "A mask picks elements at irregular distances: no stride says that.")
    require(got["m.T"], "transpose-copies", "A transpose swaps two strides. Not a byte is moved.")
    message = (
        "`reshape` of a transposed array has to read down the columns of `m`: no single step does that, so it copies."
    )
    require(not got["m.T.reshape(24)"], "reshape-never-copies", message)
    require(got["m.reshape(8, 3)"], "reshape-always-copies", "A contiguous block can be cut anew by strides alone.")
    expect_entries(got, want, "Try `np.shares_memory`.")


TRUE_SHARING = sharing_of_expressions()
fancy_like_a_slice = wrong("view-or-copy", "fancy-is-a-view")(TRUE_SHARING | {"m[[1, 2]]": True})
mask_like_a_slice = wrong("view-or-copy", "mask-is-a-view")(TRUE_SHARING | {"m[m > 5]": True})
transpose_moves_data = wrong("view-or-copy", "transpose-copies")(TRUE_SHARING | {"m.T": False})
reshape_is_free = wrong("view-or-copy", "reshape-never-copies")(TRUE_SHARING | {"m.T.reshape(24)": True})
reshape_moves_data = wrong("view-or-copy", "reshape-always-copies")(TRUE_SHARING | {"m.reshape(8, 3)": False})
adding_zero_does_nothing = wrong("view-or-copy", "wrong-value")(TRUE_SHARING | {"m + 0": True})
words_not_truths = wrong("view-or-copy", "wrong-type")(dict.fromkeys(TRUE_SHARING, "view"))
lost_a_key = wrong("view-or-copy", "keys-changed")({"m.T": True})

# -- find-the-slice ---------------------------------------------------------------------------------------------


def cut_again(find, length, dtype, start, stop, step):
    """Cut a view out of a base, ask for the slice, and cut with it: which elements of the base does each hold?"""
    base = np.arange(length, dtype=dtype)
    view = base[start:stop:step]
    found = find(base, view)
    facts = {"type": type(found).__name__, "want": view.tolist()}
    if isinstance(found, slice):
        facts |= {"parts": (found.start, found.stop, found.step), "got": base[found].tolist()}
    return facts


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
    first = int(rng.integers(1, 4))
    facts = answer.probe(cut_again, 20, "int32", first, 18, 3)
    answer.called = f"find_the_slice(base, base[{first}:18:3])"
    require(facts["type"] == "slice", "not-a-slice", f"Return a `slice`, not an object of type `{facts['type']}`.")
    parts, positions = facts["parts"], [first, (18 - first + 2) // 3 * 3 + first, 3]
    in_bytes = parts[0] == 4 * first or parts[2] == 12
    require(not in_bytes, "bytes-not-elements", f"Your `slice{parts}` counts bytes. A slice counts elements.")
    step_lost = parts[2] in (None, 1)
    require(not step_lost, "step-lost", f"Your `slice{parts}` takes every element; the view takes every third.")
    require(
        parts[0] not in (None, 0), "start-lost", "The view does not begin where `base` does: compare the addresses."
    )
    message = f"The view holds elements {facts['want']} of the base, your `slice{parts}` cuts out {facts['got']}."
    require(facts["got"] == facts["want"], "wrong-value", f"{message} (One answer: `slice{tuple(positions)}`.)")
    back = answer.probe(cut_again, 20, "float64", 12, None, -4)
    answer.called = "find_the_slice(base, base[12::-4])"
    message = f"Right forwards. But `base[12::-4]` holds {back['want']}, and your slice cuts out {back.get('got')}."
    require(back.get("got") == back["want"], "end-below-zero", f"{message} A stop of -1 or less counts from the end.")
    wide = answer.probe(cut_again, 9, "int16", 0, None, 1)
    require(wide.get("got") == wide["want"], "itemsize-fixed", "Right for some dtypes only: use `base.itemsize`.")


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
    itemsize = {"int32": 4}.get(base.dtype.name, 8)
    start = (view.ctypes.data - base.ctypes.data) // itemsize
    step = view.strides[0] // itemsize
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


def window_facts(windows_of, length, step, width):
    """Shape, strides and extent of the windows over a view with a step: nothing is read that may not be there."""
    x = np.arange(length)[::step]
    result = windows_of(x, width)
    if not isinstance(result, np.ndarray):
        return {"type": type(result).__name__}
    low, high = np.lib.array_utils.byte_bounds(x)
    first, last = np.lib.array_utils.byte_bounds(result)
    return {
        "type": "ndarray",
        "shape": result.shape,
        "strides": result.strides,
        "shares": bool(np.may_share_memory(x, result)),
        "reach": (first - low, last - low),
        "there": (0, high - low),
        "stride": x.strides[0],
    }


@exercise(
    "moving-windows",
    see="windows",
    hint=["How many bytes is it from one window to the next? And from one element to the next?", "`x.strides`"],
)
def moving_windows(answer, rng):
    length, width = int(rng.integers(12, 20)), int(rng.integers(3, 6))
    facts = answer.probe(window_facts, length, 1, width)
    answer.called = f"moving_windows(np.arange({length}), {width})"
    require(facts["type"] == "ndarray", "wrong-type", f"Return an array, not an object of type `{facts['type']}`.")
    rows = length - width + 1
    require(facts["shape"] != (width, rows), "axes-swapped", "The windows should be the rows, yours are the columns.")
    too_long = facts["shape"] == (length, width) or facts["reach"][1] > facts["there"][1]
    message = f"Your windows reach to byte {facts['reach'][1]} of `x`, which has {facts['there'][1]}."
    overlap = facts["strides"][:1] == (facts["stride"],)
    require(not too_long or not overlap, "reads-past-the-end", f"{message} The last window starts at `len(x) - width`.")
    require(facts["shares"], "copied", "The numbers may be right, but they are copies: no memory is shared with `x`.")
    message = "Your windows do not overlap: from one to the next it should be one element, not a whole window."
    require(facts["strides"] != (width * facts["stride"], facts["stride"]), "no-overlap", message)
    require(
        facts["shape"] == (rows, width), "wrong-shape", f"The shape should be {(rows, width)}, not {facts['shape']}."
    )
    message = f"Strides {facts['strides']}: both axes should move by one element of `x`, {facts['stride']} bytes."
    require(facts["strides"] == 2 * (facts["stride"],), "wrong-strides", message)
    stepped = answer.probe(window_facts, 3 * length, 3, width)
    answer.called = f"moving_windows(np.arange({3 * length})[::3], {width})"
    message = (
        f"Right for a contiguous `x`. `x[::3]` has the stride {stepped['stride']}, your windows {stepped['strides']}."
    )
    require(stepped["strides"] == 2 * (stepped["stride"],), "stride-fixed", f"{message} Use `x.strides`.")


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


@wrong("moving-windows", "wrong-shape")
def one_window_short(x, width):
    return np.lib.stride_tricks.sliding_window_view(x, width)[:-1]


@wrong("moving-windows", "wrong-type")
def a_list_of_windows(x, width):
    return [x[i : i + width] for i in range(len(x) - width + 1)]


# -- flat-view --------------------------------------------------------------------------------------------------


@exercise(
    "flat-view",
    see="orders",
    hint=["`ravel` takes `order=`. Which order needs no reordering, whatever `x` is?", "Or look at `x.flags`."],
)
def flat_view(answer, rng):
    shape = int(rng.integers(3, 6)), int(rng.integers(6, 9))
    c = rng.normal(size=shape)
    in_c, in_f = answer.probe(probe.layout, c), answer.probe(probe.layout, np.asfortranarray(c))
    for facts in (in_c, in_f):
        require(facts["type"] == "ndarray", "wrong-type", f"Return an array, not an object of type `{facts['type']}`.")
        message = f"The shape should be ({c.size},), not {facts['shape']}: one axis with all elements."
        require(facts["shape"] == (c.size,), "wrong-shape", message)
    copies = not in_c["shares"], not in_f["shares"]
    require(
        copies != (True, True), "always-copies", "That is a copy whatever the order of `x` is: `flatten` always copies."
    )
    message = "A view for C order, a copy for F order: the default of `ravel` and `reshape` is to read row by row."
    require(copies != (False, True), "copies-f-order", message)
    require(
        copies != (True, False), "copies-c-order", "A view for F order, a copy for C order: you fixed one of the two."
    )
    expect(in_c["values"], c.ravel(), "For C order, memory holds row after row.")
    expect(in_f["values"], c.T.ravel(), "For F order, memory holds column after column.")


@wrong("flat-view", "always-copies")
def flattens(x):
    return x.flatten()


@wrong("flat-view", "copies-f-order")
def ravels_by_default(x):
    return x.ravel()


@wrong("flat-view", "copies-c-order")
def transposes_first(x):
    return x.T.reshape(-1)


@wrong("flat-view", "wrong-shape")
def first_row_only(x):
    return x[0]


@wrong("flat-view", "wrong-value")
def reversed_view(x):
    return x.ravel(order="K")[::-1]


@wrong("flat-view", "wrong-type")
def a_list(x):
    return x.ravel().tolist()


# -- lines-fetched ----------------------------------------------------------------------------------------------


def lines_of_expressions(line=64):
    """On how many lines the elements of each expression lie, counted address by address."""
    x = np.zeros((1024, 1024))
    views = {"x[0]": (x, x[0]), "x[:, 0]": (x, x[:, 0]), "x[0, ::8]": (x, x[0, ::8])}
    narrow = np.zeros((1024, 1024), np.float32)
    views["x.astype(np.float32)[0]"] = (narrow, narrow[0])
    return {name: _lines(base, view, line) for name, (base, view) in views.items()}


def _lines(base, view, line):
    start = view.ctypes.data - base.ctypes.data
    return len({(start + i * view.strides[0]) // line for i in range(len(view))})


@exercise("lines-fetched", see="cache-lines", hint="How many bytes apart are neighbours? More or less than a line?")
def lines_fetched(answer, rng):
    want = lines_of_expressions()
    got = entries(answer.value(), like=want)
    message = "A row of 1024 elements is not 1024 lines: eight neighbours of 8 bytes share a line of 64."
    require(not close(got["x[0]"], 1024), "one-line-per-element", message)
    message = "Neighbours in a column are a whole row apart, 8192 bytes: no two of them share a line."
    require(not close(got["x[:, 0]"], 128), "column-like-a-row", message)
    message = "Every eighth element: fewer numbers, but one on each line of the row. Every line is still fetched."
    require(not close(got["x[0, ::8]"], 16), "skipping-saves-lines", message)
    message = "`float32` elements take 4 bytes: sixteen share a line."
    require(not close(got["x.astype(np.float32)[0]"], 128), "itemsize-ignored", message)
    expect_entries(got, want, "Count the lines that hold at least one element.")


TRUE_LINES = lines_of_expressions()
every_element_a_line = wrong("lines-fetched", "one-line-per-element")(TRUE_LINES | {"x[0]": 1024})
columns_like_rows = wrong("lines-fetched", "column-like-a-row")(TRUE_LINES | {"x[:, 0]": 128})
an_eighth_of_the_lines = wrong("lines-fetched", "skipping-saves-lines")(TRUE_LINES | {"x[0, ::8]": 16})
all_dtypes_alike = wrong("lines-fetched", "itemsize-ignored")(TRUE_LINES | {"x.astype(np.float32)[0]": 128})
counted_bytes = wrong("lines-fetched", "wrong-value")(TRUE_LINES | {"x[0]": 8192})
just_four_numbers = wrong("lines-fetched", "keys-changed")([128, 1024, 128, 64])

# -- contiguous-slices ------------------------------------------------------------------------------------------


def slice_facts(cut, x):
    """Of a list of slices of `x`: whether each is a contiguous one-dimensional view, and what they hold together."""
    slices = cut(x)
    if not isinstance(slices, (list, tuple)) or not all(isinstance(part, np.ndarray) for part in slices):
        return {"type": "other"}
    return {
        "type": "list",
        "axes": max((part.ndim for part in slices), default=0),
        "shares": all(np.shares_memory(part, x) for part in slices),
        "steps": sorted({part.strides[-1] // part.itemsize for part in slices if part.ndim and part.size > 1}),
        "holds": sorted(float(value) for part in slices for value in part.flat),
    }


@exercise(
    "contiguous-slices",
    see="cache-lines",
    hint=[
        "A loop over an array runs over its first axis.",
        "What is the order of the transpose of an F-ordered array?",
    ],
)
def contiguous_slices(answer, rng):
    c = rng.normal(size=(int(rng.integers(3, 6)), int(rng.integers(6, 9))))
    in_c, in_f = answer.probe(slice_facts, c), answer.probe(slice_facts, np.asfortranarray(c))
    for facts in (in_c, in_f):
        require(facts["type"] == "list", "not-a-list", "Return a list of arrays, one for each slice.")
        require(facts["axes"] == 1, "wrong-axes", "Each slice should have one axis.")
        require(facts["shares"], "copied", "Some slices are copies: making them has already walked over everything.")
    message = "your slices take one element in every"
    require(
        in_c["steps"] == [1],
        "jumps-in-c-order",
        f"In C order {message} {in_c['steps'][-1:]}: rows are contiguous there.",
    )
    require(
        in_f["steps"] == [1],
        "jumps-in-f-order",
        f"In F order {message} {in_f['steps'][-1:]}: columns are contiguous there.",
    )
    complete = in_c["holds"] == in_f["holds"] == sorted(c.ravel().tolist())
    require(complete, "incomplete", "Together the slices should hold every element of `x` exactly once.")


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


@exercise("what-jax-keeps", see="in-jax", hint="A JAX array never changes. What would a view be good for?")
def what_jax_keeps(answer, rng):
    want = truths_about_jax()
    got = entries(answer.value(), like=want, kind=bool)
    require(
        not got["v has strides"], "has-strides", "Where the elements lie is the compiler's business: `v.strides` fails."
    )
    views = got["v[2:8] shares memory with v"] or got["v.reshape(3, 4) shares memory with v"]
    require(
        not views, "has-views", "Compare `unsafe_buffer_pointer()`: a slice and a reshape get buffers of their own."
    )
    message = "`.at[...].set(...)` returns a new array. The old one never changes."
    require(got["v.at[0].set(9.0) leaves v as it was"], "at-set-in-place", message)
    message = "`np.asarray(v)` may be the very memory of `v`, so NumPy marks it read-only."
    require(not got["np.asarray(v) can be written to"], "numpy-can-write", message, see="sharing")
    require(got == want, "wrong-value", "`jnp.asarray` has nothing to do here, and does nothing.")


TRUE_OF_JAX = truths_about_jax()
strides_survive = wrong("what-jax-keeps", "has-strides")(TRUE_OF_JAX | {"v has strides": True})
slices_are_views = wrong("what-jax-keeps", "has-views")(TRUE_OF_JAX | {"v[2:8] shares memory with v": True})
at_writes_in_place = wrong("what-jax-keeps", "at-set-in-place")(
    TRUE_OF_JAX | {"v.at[0].set(9.0) leaves v as it was": False}
)
writes_through_numpy = wrong("what-jax-keeps", "numpy-can-write")(
    TRUE_OF_JAX | {"np.asarray(v) can be written to": True}
)
asarray_makes_another = wrong("what-jax-keeps", "wrong-value")(TRUE_OF_JAX | {"jnp.asarray(v) is v": False})
only_one_statement = wrong("what-jax-keeps", "keys-changed")({"v has strides": False})
a_word_for_each = wrong("what-jax-keeps", "wrong-type")(dict.fromkeys(TRUE_OF_JAX, "no"))

# -- safe-handover ----------------------------------------------------------------------------------------------


def write_after_handover(hand_over, values):
    """Hand a buffer over that begins at a multiple of 64 bytes, then write -1 everywhere into it."""
    block = np.zeros(values.nbytes + 64, np.uint8)
    start = -block.ctypes.data % 64
    buffer = block[start : start + values.nbytes].view(values.dtype)
    buffer[:] = values
    result = hand_over(buffer)
    kept = bool(np.array_equal(buffer, values))
    buffer[:] = -1
    is_jax = isinstance(result, jax.Array)
    return {"type": "jax.Array" if is_jax else type(result).__name__, "values": np.array(result), "kept": kept}


@exercise(
    "safe-handover",
    see="sharing",
    hint=[
        "Who could still write into the memory that JAX sees?",
        "A copy that nobody else holds is safe from everybody.",
    ],
)
def safe_handover(answer, rng):
    values = rng.uniform(1, 2, size=1000).astype(np.float32)
    facts = answer.probe(write_after_handover, values)
    answer.called = "safe_handover(buffer)"
    require(facts["type"] == "jax.Array", "not-jax", f"Return a `jax.Array`, not an object of type `{facts['type']}`.")
    message = "Your JAX array changed when we wrote into the buffer: JAX had borrowed the memory instead of copying it."
    require(not np.any(np.asarray(facts["values"]) == -1), "borrowed-buffer", message)
    require(facts["kept"], "buffer-overwritten", "You changed the buffer: it belongs to whoever fills it.")
    expect(facts["values"], values, "The JAX array should hold what the buffer held.")


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
