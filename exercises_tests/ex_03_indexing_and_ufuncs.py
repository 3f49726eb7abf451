"""Checks of lesson 03, indexing and ufunc methods: what is asked, what people get wrong, and what they are told."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.exercise import close, entries, exercise, expect, is_numeric, numbers, require, wrong
from jaxcourse.probe import AnswerRaised


def not_yet(got, want, same):
    """The keys whose values are not right, as a message names them."""
    return ", ".join(f"`{name}`" for name in want if not same(got[name], want[name]))


def compiled(function, *arrays):
    """The answer's result under `jit`, for arrays that arrive as arguments."""
    return jax.jit(function)(*[jnp.asarray(array) for array in arrays])


def compiled_for(function, array, argument, size):
    """The answer's result under `jit`, where the third argument is a plain number."""
    return jax.jit(function, static_argnums=2)(jnp.asarray(array), jnp.asarray(argument), size)


def not_compiled(function, *arrays):
    """The answer's result for JAX arrays, without `jit`."""
    return function(*[jnp.asarray(array) for array in arrays])


UNKNOWN_SHAPE = ("NonConcreteBooleanIndexError", "ConcretizationTypeError")
"""What JAX raises when a shape would depend on numbers that are not known while it compiles."""

UNKNOWN_VALUE = (
    "ConcretizationTypeError",
    "TracerArrayConversionError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
)
"""What JAX raises when Python or NumPy asks for a number that is not known while it compiles."""

# -- pick-a-block -----------------------------------------------------------------------------------------------


@exercise(
    "pick-a-block",
    see="index-arrays",
    hint=["To which shape do the two index arrays have to broadcast?", "`np.ix_`"],
)
def pick_a_block(answer, rng):
    n = int(rng.integers(6, 9))
    table = rng.normal(size=(n, n))
    keep = [int(k) for k in np.sort(rng.choice(n, size=3, replace=False))[::-1]]
    got, want = numbers(answer(table, keep)), np.array([[table[r, c] for c in keep] for r in keep])
    message = "Two lists of one shape are paired: you took three elements of the diagonal. A block has nine."
    require(got.shape != (3,), "pairs-not-block", message)
    message = f"The shape is {got.shape}: you chose along one axis only. Rows *and* columns are those of the list."
    require(got.shape not in ((3, n), (n, 3)), "one-axis-only", message)
    message = f"The right rows and columns, but in the order of the table. The list says {keep}."
    require(not close(got, want[::-1, ::-1]), "order-lost", message)
    expect(got, want, "Element [r, c] of the block should be `table[keep[r], keep[c]]`.")


@wrong("pick-a-block", "pairs-not-block")
def pairs_the_lists(table, keep):
    return table[keep, keep]


@wrong("pick-a-block", "one-axis-only")
def keeps_all_columns(table, keep):
    return table[keep]


@wrong("pick-a-block", "order-lost")
def turns_the_list_into_a_mask(table, keep):
    mask = np.isin(np.arange(len(table)), keep)
    return table[mask][:, mask]


@wrong("pick-a-block", "wrong-value")
def swaps_rows_and_columns(table, keep):
    return table[np.ix_(keep, keep)].T


# -- value-at-peak ----------------------------------------------------------------------------------------------


@exercise(
    "value-at-peak",
    see="index-arrays",
    hint=[
        "`argmax` along the last axis gives one position for each spectrum.",
        "`np.take_along_axis` wants the axis still there: `keepdims=True`. Then remove it.",
    ],
)
def value_at_peak(answer, rng):
    intensity, wavelength = rng.normal(size=(4, 6)), rng.uniform(400, 700, size=(4, 6))
    got, peak = numbers(answer(intensity, wavelength)), intensity.argmax(axis=-1)
    require(not close(got, peak), "gave-the-position", "Those are the positions of the peaks. Look the wavelengths up.")
    require(not close(got, intensity.max(axis=-1)), "gave-the-peak", "Those are the intensities of the peaks.")
    message = "Shape (4, 4): every row was asked for the columns of all rows. Each row has a column of its own."
    require(got.shape != (4, 4), "all-against-all", message)
    message = "The numbers may be right, but an axis of length 1 is left over: remove it with `[..., 0]`."
    require(got.shape != (4, 1), "axis-kept", message)
    expect(got, [row[k] for row, k in zip(wavelength, peak, strict=True)], "Each spectrum has its own peak.")
    cube, waves = rng.normal(size=(2, 3, 5)), rng.uniform(400, 700, size=(2, 3, 5))
    rows = zip(cube.reshape(6, 5), waves.reshape(6, 5), strict=True)
    want = np.reshape([wave[row.argmax()] for row, wave in rows], (2, 3))
    message = "Right for two axes, not for three: shape (2, 3, 5) should give (2, 3)."
    try:
        of_cube = answer(cube, waves)
    except AnswerRaised as error:
        require(False, "two-axes-only", f"{message} It raises `{error.raised.kind}`.")
    require(close(of_cube, want), "two-axes-only", message)


@wrong("value-at-peak", "gave-the-position")
def stops_at_argmax(intensity, wavelength):
    return intensity.argmax(axis=-1)


@wrong("value-at-peak", "gave-the-peak")
def takes_the_maximum(intensity, wavelength):
    return intensity.max(axis=-1)


@wrong("value-at-peak", "all-against-all")
def asks_every_row_for_every_column(intensity, wavelength):
    return wavelength[..., intensity.argmax(axis=-1)]


@wrong("value-at-peak", "axis-kept")
def leaves_the_axis(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmax(axis=-1, keepdims=True), axis=-1)


@wrong("value-at-peak", "two-axes-only")
def counts_the_rows_itself(intensity, wavelength):
    return wavelength[np.arange(len(intensity)), intensity.argmax(axis=-1)]


@wrong("value-at-peak", "wrong-value")
def finds_the_faintest(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmin(axis=-1, keepdims=True), axis=-1)[..., 0]


@wrong("value-at-peak", "wrong-shape")
def finds_the_peak_of_everything(intensity, wavelength):
    return wavelength.ravel()[intensity.argmax()]


# -- predict-index-shapes ---------------------------------------------------------------------------------------


def shapes_of_expressions():
    """The true shapes of the eight expressions."""
    b, i, m = np.zeros((4, 5, 6, 7)), np.array([0, 1, 2]), np.array([True, False, True, False, False])
    taken = {
        "b[:, i]": b[:, i],
        "b[i, i]": b[i, i],
        "b[i[:, None], i]": b[i[:, None], i],
        "b[:, i, i]": b[:, i, i],
        "b[:, i, :, i]": b[:, i, :, i],
        "b[0, :, i]": b[0, :, i],
        "b[:, m]": b[:, m],
        "b[..., 0:1, i]": b[..., 0:1, i],
    }
    return {name: result.shape for name, result in taken.items()}


@exercise(
    "predict-index-shapes",
    points=2,
    see="mixed-indexing",
    hint=[
        "To which shape do the index arrays broadcast? That is the block.",
        "Do all index arrays stand side by side? Then the block stays there. Else it goes to the front.",
        "A number beside an index array is one of them. A mask counts as long as it has `True`.",
    ],
)
def predict_index_shapes(answer, rng):
    want = shapes_of_expressions()
    got = entries(answer.value(), like=want)
    tuples = all(isinstance(shape, (tuple, list)) for shape in got.values())
    require(tuples, "not-a-shape", "A shape is a tuple of lengths, such as `(4, 3, 6, 7)`.")
    got = {name: tuple(shape) for name, shape in got.items()}
    message = "`b` has four axes. Those that an index does not name stay whole, at the end of the shape."
    require(len(got["b[:, i]"]) > 2, "axes-forgotten", message, see="basic-indexing")
    message = "`b[i, i]` pairs the two arrays: three addresses, so one axis. A block needs a column and a row."
    require(got["b[i, i]"] != (3, 3, 6, 7), "block-not-pairs", message, see="index-arrays")
    message = "The index arrays of `b[:, i, i]` stand side by side: their block stays where they stood."
    require(got["b[:, i, i]"] != (3, 4, 7), "moved-without-need", message)
    message = "In `b[:, i, :, i]` a slice separates the index arrays, so their block goes to the front."
    require(got["b[:, i, :, i]"] not in ((4, 3, 6), (4, 6, 3)), "stays-when-separated", message)
    message = "In `b[0, :, i]` the number counts as an index array, so the two are separated by a slice."
    require(got["b[0, :, i]"] != (5, 6, 3) and got["b[0, :, i]"] != (5, 3, 7), "number-is-an-index", message)
    message = "`b[:, m]` keeps only the places where `m` is `True`, of which there are two."
    require(got["b[:, m]"] != (4, 5, 6, 7), "mask-keeps-all", message, see="masks")
    message = "`0:1` is a slice: it keeps its axis, with length 1."
    require(got["b[..., 0:1, i]"] != (4, 5, 3), "slice-drops-axis", message, see="basic-indexing")
    differ = not_yet(got, want, lambda a, b: a == b)
    require(not differ, "wrong-value", f"Not right yet: {differ}. Which entries are index arrays, and where are they?")


TRUE_SHAPES = shapes_of_expressions()
forgets_the_other_axes = wrong("predict-index-shapes", "axes-forgotten")(
    {name: shape[:2] for name, shape in TRUE_SHAPES.items()}
)
takes_a_block_for_pairs = wrong("predict-index-shapes", "block-not-pairs")(TRUE_SHAPES | {"b[i, i]": (3, 3, 6, 7)})
always_moves_to_the_front = wrong("predict-index-shapes", "moved-without-need")(TRUE_SHAPES | {"b[:, i, i]": (3, 4, 7)})
never_moves = wrong("predict-index-shapes", "stays-when-separated")(
    TRUE_SHAPES | {"b[:, i, :, i]": (4, 3, 6), "b[0, :, i]": (5, 3, 7)}
)
forgets_that_a_number_counts = wrong("predict-index-shapes", "number-is-an-index")(
    TRUE_SHAPES | {"b[0, :, i]": (5, 3, 7)}
)
a_mask_keeps_the_length = wrong("predict-index-shapes", "mask-keeps-all")(TRUE_SHAPES | {"b[:, m]": (4, 5, 6, 7)})
a_slice_of_one_drops_its_axis = wrong("predict-index-shapes", "slice-drops-axis")(
    TRUE_SHAPES | {"b[..., 0:1, i]": (4, 5, 3)}
)
column_and_row_are_pairs = wrong("predict-index-shapes", "wrong-value")(
    TRUE_SHAPES | {"b[i[:, None], i]": (3, 1, 6, 7)}
)
counts_of_elements = wrong("predict-index-shapes", "not-a-shape")(
    {name: int(np.prod(shape)) for name, shape in TRUE_SHAPES.items()}
)
lost_its_keys = wrong("predict-index-shapes", "keys-changed")(list(TRUE_SHAPES.values()))

# -- photon-image -----------------------------------------------------------------------------------------------


@exercise(
    "photon-image",
    see="duplicates",
    hint=[
        "`image[rows, columns] += 1` reads everything before it writes anything. What of a pixel that is hit twice?",
        "`np.add.at`, or `np.bincount` of `row * width + column`.",
    ],
)
def photon_image(answer, rng):
    shape = 5, 8
    # Nothing hits the last rows, so that `bincount` without `minlength` is too short.
    rows, columns = rng.integers(0, 3, 60), rng.integers(0, 7, 60)
    want = np.array([[np.sum((rows == r) & (columns == c)) for c in range(8)] for r in range(5)])
    try:
        got = numbers(answer(rows, columns, shape))
    except AnswerRaised as error:
        short = error.raised.kind == "ValueError" and "reshape" in error.raised.message
        message = "`bincount` stops at the last pixel that was hit: give it `minlength`."
        require(not short, "minlength-missing", f"{message} ({error.raised.message})")
        raise
    require(got.shape != shape[::-1], "axes-swapped", "The first index of a picture is the row: yours has it last.")
    message = "Each pixel is counted at most once, however often it was hit: all reads came before all writes."
    require(not close(got, want > 0), "counted-once", message)
    require(not np.array_equal(got, np.zeros(shape)), "nothing-written", "Your picture is empty.")
    message = "All photons are there, but in wrong pixels. In the flattened picture, a row is `shape[1]` pixels long."
    in_place = is_numeric(got) and got.shape == shape and got.sum() == 60 and np.any((got > 0) != (want > 0))
    require(not in_place, "wrong-address", message)
    expect(got, want, "Each pixel should hold the number of its photons.")


@wrong("photon-image", "counted-once")
def adds_through_the_index(rows, columns, shape):
    image = np.zeros(shape, int)
    image[rows, columns] += 1
    return image


@wrong("photon-image", "counted-once")
def marks_the_pixels(rows, columns, shape):
    image = np.zeros(shape)
    image[rows, columns] = 1
    return image


@wrong("photon-image", "minlength-missing")
def stops_at_the_last_hit(rows, columns, shape):
    return np.bincount(rows * shape[1] + columns).reshape(shape)


@wrong("photon-image", "wrong-address")
def takes_the_height_for_the_width(rows, columns, shape):
    return np.bincount(rows * shape[0] + columns, minlength=shape[0] * shape[1]).reshape(shape)


@wrong("photon-image", "axes-swapped")
def puts_columns_first(rows, columns, shape):
    image = np.zeros(shape[::-1], int)
    np.add.at(image, (columns, rows), 1)
    return image


@wrong("photon-image", "nothing-written")
def adds_to_a_copy(rows, columns, shape):
    image = np.zeros(shape, int)
    np.add.at(image[rows, columns], np.arange(len(rows)), 1)
    return image


@wrong("photon-image", "wrong-value")
def counts_from_one(rows, columns, shape):
    image = np.ones(shape, int)
    np.add.at(image, (rows, columns), 1)
    return image


# -- zero-border ------------------------------------------------------------------------------------------------


def type_for_jax(function, values):
    """The type of what the answer makes of a JAX array."""
    result = function(jnp.asarray(values))
    return "jax.Array" if isinstance(result, jax.Array) else type(result).__name__


@exercise(
    "zero-border",
    see="at-property",
    hint=[
        "`x.at[0].set(0)` gives a new array. Where does it go?",
        "Begin the second update where the first one ended.",
    ],
)
def zero_border(answer, rng):
    x = rng.uniform(1, 2, size=(5, 7)).astype(np.float32)
    kind = answer.probe(type_for_jax, x)
    require(kind != "NoneType", "returned-nothing", "Your function returned `None`. Is there a `return` at its end?")
    require(kind == "jax.Array", "not-jax", f"Return a `jax.Array`, not an object of type `{kind}`.")
    got, want = numbers(answer.probe(not_compiled, x)), np.pad(x[1:-1, 1:-1], 1)
    require(not close(got, x), "thrown-away", "`x` came back as it was: `.at[...]` gives a new array. Keep it.")
    zero = got == 0
    if zero.shape == want.shape:
        sides = sum(bool(side.all()) for side in (zero[0], zero[-1], zero[:, 0], zero[:, -1]))
        corners = zero[[0, 0, -1, -1], [0, -1, 0, -1]]
        message = "Only corners are 0: two index arrays between the same brackets are paired."
        require(not 1 < zero.sum() <= corners.sum(), "corners-only", message, see="index-arrays")
        message = f"Only {sides} of 4 sides are 0: the other updates made arrays that were thrown away, or are missing."
        require(not 1 <= sides <= 3, "some-sides", message)
        require(not zero[1:-1, 1:-1].all(), "inside-out", "You set the inside to 0, and kept the border.")
    expect(got, want, "The border should be 0, and the inside as it was.")


@wrong("zero-border", "thrown-away")
def throws_all_updates_away(x):
    x.at[0].set(0)
    x.at[-1].set(0)
    x.at[:, 0].set(0)
    x.at[:, -1].set(0)
    return x


@wrong("zero-border", "some-sides")
def keeps_the_last_update(x):
    x.at[0].set(0)
    x.at[-1].set(0)
    x.at[:, 0].set(0)
    return x.at[:, -1].set(0)


@wrong("zero-border", "corners-only")
def pairs_both_ends(x):
    ends = jnp.array([0, -1])
    return x.at[ends, ends].set(0)


@wrong("zero-border", "inside-out")
def empties_the_inside(x):
    return x.at[1:-1, 1:-1].set(0)


@wrong("zero-border", "not-jax")
def goes_back_to_numpy(x):
    y = np.array(x)
    y[[0, -1]] = 0
    y[:, [0, -1]] = 0
    return y


@wrong("zero-border", "TypeError")
def assigns_as_in_numpy(x):
    x[0] = 0
    return x


@wrong("zero-border", "wrong-shape")
def cuts_the_border_off(x):
    return x[1:-1, 1:-1]


@wrong("zero-border", "wrong-value")
def forgets_that_slices_end_early(x):
    return x.at[0:1].set(0).at[-2:].set(0).at[:, 0].set(0).at[:, -1].set(0)


# -- outside-the-array ------------------------------------------------------------------------------------------


def values_outside():
    """What the eight expressions give, asked of both libraries."""
    x = 10.0 * np.arange(5)
    v = jnp.asarray(x)
    asked = {
        "NumPy: x[7]": lambda: x[7],
        "NumPy: x[3:9]": lambda: x[3:9],
        "JAX: x[3:9]": lambda: v[3:9],
        "JAX: x[7]": lambda: v[7],
        "JAX: x[-7]": lambda: v[-7],
        "JAX: x.at[7].set(-1.0)": lambda: v.at[7].set(-1.0),
        "JAX: x.at[7].get(mode='fill')": lambda: v.at[7].get(mode="fill"),
        "JAX: jnp.take(x, 7)": lambda: jnp.take(v, 7),
    }
    return {name: _value_or_error(expression) for name, expression in asked.items()}


def _value_or_error(expression):
    try:
        return np.asarray(expression()).tolist()
    except IndexError:
        return "error"


def is_error(value):
    """Whether an answer says that something raises, in whatever words."""
    return isinstance(value, str) and "error" in value.lower()


def same_outcome(got, want):
    """Whether an outcome is the expected one: both are errors, or both are the same numbers."""
    return is_error(got) if is_error(want) else close(got, want)


@exercise(
    "outside-the-array",
    see="out-of-bounds",
    hint=[
        "A compiled program cannot stop in the middle of its work. What could it read instead? What could it write?",
        "Slices are cut off, in both libraries.",
    ],
)
def outside_the_array(answer, rng):
    want = values_outside()
    got = entries(answer.value(), like=want)
    require(is_error(got["NumPy: x[7]"]), "numpy-does-not-raise", "NumPy checks every number: it raises `IndexError`.")
    message = "A slice that reaches too far is no error in Python, NumPy or JAX: it is cut off."
    slices = got["NumPy: x[3:9]"], got["JAX: x[3:9]"]
    require(not any(map(is_error, slices)), "slices-raise", message, see="basic-indexing")
    message = "`x[7]` in JAX raises nothing: a compiled program has no way to. It reads something."
    require(not is_error(got["JAX: x[7]"]), "jax-raises", message)
    nan = is_numeric(got["JAX: x[7]"]) and bool(np.all(np.isnan(got["JAX: x[7]"])))
    require(not nan, "reads-nan", "Without a mode, `x[7]` gives no NaN: it reads the nearest element there is.")
    message = "The index is not taken round: `x[-7]` is clamped to the nearest element, which is the first."
    require(not close(got["JAX: x[-7]"], 30.0), "goes-round", message)
    message = "Reads are clamped, writes are not: `x.at[7].set(-1.0)` writes nowhere."
    clamped = close(got["JAX: x.at[7].set(-1.0)"], [0, 10, 20, 30, -1])
    require(not clamped, "writes-clamped", message)
    message = "`jnp.take` is not like the brackets here: its default mode is `fill`."
    require(not close(got["JAX: jnp.take(x, 7)"], 40.0), "take-clamps", message)
    differ = not_yet(got, want, same_outcome)
    require(not differ, "wrong-value", f"Not right yet: {differ}. Try it, then read on.")


TRUE_OUTSIDE = values_outside()
all_is_forgiven = wrong("outside-the-array", "numpy-does-not-raise")(TRUE_OUTSIDE | {"NumPy: x[7]": 40.0})
slices_are_checked = wrong("outside-the-array", "slices-raise")(
    TRUE_OUTSIDE | {"NumPy: x[3:9]": "error", "JAX: x[3:9]": "error"}
)
jax_is_numpy = wrong("outside-the-array", "jax-raises")(
    TRUE_OUTSIDE | {"JAX: x[7]": "error", "JAX: x[-7]": "error", "JAX: x.at[7].set(-1.0)": "error"}
)
missing_is_nan = wrong("outside-the-array", "reads-nan")(TRUE_OUTSIDE | {"JAX: x[7]": np.nan, "JAX: x[-7]": np.nan})
wraps_round = wrong("outside-the-array", "goes-round")(TRUE_OUTSIDE | {"JAX: x[-7]": 30.0})
write_goes_to_the_last = wrong("outside-the-array", "writes-clamped")(
    TRUE_OUTSIDE | {"JAX: x.at[7].set(-1.0)": [0.0, 10.0, 20.0, 30.0, -1.0]}
)
take_is_like_the_brackets = wrong("outside-the-array", "take-clamps")(TRUE_OUTSIDE | {"JAX: jnp.take(x, 7)": 40.0})
clamps_at_the_wrong_end = wrong("outside-the-array", "wrong-value")(TRUE_OUTSIDE | {"JAX: x[-7]": 40.0})
just_one_answer = wrong("outside-the-array", "keys-changed")({"JAX: x[7]": 40.0})

# -- lookup-or-nan ----------------------------------------------------------------------------------------------


@exercise(
    "lookup-or-nan",
    see="out-of-bounds",
    hint=[
        '`table.at[i].get(mode="fill")` is nearly it. What does it do with -1?',
        "`wrap_negative_indices=False`; or choose with `jnp.where` between the element and NaN.",
    ],
)
def lookup_or_nan(answer, rng):
    n = int(rng.integers(5, 9))
    table = rng.uniform(1, 2, size=n).astype(np.float32)
    i = np.array([[0, n - 1, 2], [n, n + 3, 1], [-1, -n, -n - 2]], np.int32)
    want = np.where((i >= 0) & (i < n), table[np.clip(i, 0, n - 1)], np.nan).astype(np.float32)
    try:
        got = numbers(answer.probe(compiled, table, i))
    except AnswerRaised as error:
        message = (
            "Under `jit` the numbers in `i` are not known while your function is traced: no `if`, no mask as index."
        )
        require(error.raised.kind not in UNKNOWN_VALUE + UNKNOWN_SHAPE, "needs-the-numbers", message)
        raise
    if got.shape == want.shape:
        require(not close(got[1, :2], table[[-1, -1]]), "clamped", "Behind the end you give the last entry: clamped.")
        message = "For hour -1 you give the last entry: a negative index counts from the end unless you say otherwise."
        require(not close(got[2, 0], table[-1]), "minus-one-is-last", message)
    expect(got, want, "Inside: the entry. Outside: NaN.")


@wrong("lookup-or-nan", "clamped")
def trusts_the_brackets(table, i):
    return table[i]


@wrong("lookup-or-nan", "clamped")
def checks_only_below(table, i):
    return jnp.where(i >= 0, table[i], jnp.nan)


@wrong("lookup-or-nan", "minus-one-is-last")
def fills_but_counts_from_the_end(table, i):
    return table.at[i].get(mode="fill")


@wrong("lookup-or-nan", "minus-one-is-last")
def takes_with_the_default_mode(table, i):
    return jnp.take(table, i)


@wrong("lookup-or-nan", "needs-the-numbers")
def asks_in_python(table, i):
    return jnp.where(i >= 0, table[i], jnp.nan) if (i < len(table)).all() else jnp.full(i.shape, jnp.nan)


@wrong("lookup-or-nan", "nan")
def loses_the_last_entry(table, i):
    return jnp.where((i >= 0) & (i < len(table) - 1), table[i], jnp.nan)


@wrong("lookup-or-nan", "wrong-value")
def fills_with_zeros(table, i):
    return table.at[i].get(mode="fill", fill_value=0, wrap_negative_indices=False)


# -- ring-write -------------------------------------------------------------------------------------------------


@exercise(
    "ring-write",
    points=2,
    see="out-of-bounds",
    hint=[
        "What is -1 % n? And where would that sample land?",
        "Which index is certainly dropped? Choose it with `jnp.where`, for the samples that never arrived.",
    ],
)
def ring_write(answer, rng):
    n = 8
    ring, values = rng.uniform(1, 2, size=n).astype(np.float32), rng.uniform(3, 4, size=6).astype(np.float32)
    slots = rng.permutation(n - 1)[:4]
    times = np.array([slots[0], -1, slots[1] + n, slots[2] + 5 * n, -1, slots[3]], np.int32)
    want = ring.copy()
    for time, value in zip(times, values, strict=True):
        if time != -1:
            want[time % n] = value
    try:
        got = numbers(answer.probe(compiled, ring, times, values))
    except AnswerRaised as error:
        message = "How many samples arrived is not known while your function is compiled: no mask as index. "
        dropped = "Give the missing ones an index that is outside, and they are dropped."
        require(error.raised.kind not in UNKNOWN_SHAPE, "shape-depends-on-data", message + dropped, see="fixed-shapes")
        message = "Under `jit` the times are not known while your function is traced: no `if`, no NumPy."
        require(error.raised.kind not in UNKNOWN_VALUE, "needs-the-numbers", message)
        raise
    require(not close(got, ring), "thrown-away", "The ring came back as it was. `.at[...]` gives a new one: keep it.")
    if got.shape == want.shape:
        late = slots[1:3]
        message = "Samples with a time of `n` or more are missing: they go round, into slot `t % n`."
        require(not close(got[late], ring[late]), "not-wrapped", message)
        message = f"Slot {n - 1} was overwritten by a sample that never arrived: -1 % n is n - 1."
        require(close(got[-1], ring[-1]), "ghost-written", message)
    expect(got, want, "Slots of samples that arrived should hold them, and all others what they held.")


@wrong("ring-write", "thrown-away")
def asks_and_does_not_keep(ring, times, values):
    ring.at[jnp.where(times == -1, len(ring), times % len(ring))].set(values)
    return ring


@wrong("ring-write", "not-wrapped")
def lets_late_samples_fall(ring, times, values):
    return ring.at[times].set(values, mode="drop")


@wrong("ring-write", "not-wrapped")
def clips_late_samples(ring, times, values):
    return ring.at[times].set(values, mode="clip")


@wrong("ring-write", "ghost-written")
def takes_the_remainder_of_all(ring, times, values):
    return ring.at[times % len(ring)].set(values)


@wrong("ring-write", "shape-depends-on-data")
def selects_with_a_mask(ring, times, values):
    arrived = times >= 0
    return ring.at[times[arrived] % len(ring)].set(values[arrived])


@wrong("ring-write", "needs-the-numbers")
def loops_in_python(ring, times, values):
    for time, value in zip(times, values, strict=True):
        if time >= 0:
            ring = ring.at[time % len(ring)].set(value)
    return ring


@wrong("ring-write", "wrong-value")
def adds_to_what_is_there(ring, times, values):
    return ring.at[jnp.where(times == -1, len(ring), times % len(ring))].add(values)


# -- frame-at ---------------------------------------------------------------------------------------------------


@exercise(
    "frame-at",
    see="dynamic-slice",
    hint=[
        "Name each sample on its own: `start + jnp.arange(width)`.",
        "Then say what an index outside gives: `.at[...].get(mode=..., fill_value=...)`.",
    ],
)
def frame_at(answer, rng):
    n, width = int(rng.integers(9, 13)), 4
    signal = rng.uniform(1, 2, size=n).astype(np.float32)
    inside = frame(answer, signal, 2, width)
    expect(inside, signal[2:6], "Even a frame that lies inside is not right.", label="wrong-inside")
    leaving = frame(answer, signal, n - 2, width)
    message = "The frame was shifted back until it fitted: right numbers in wrong places."
    require(not close(leaving, signal[-width:]), "shifted", message)
    message = "NaN where the signal has ended, but before it the numbers of a frame that was shifted back."
    shifted = [*signal[-width : 2 - width], np.nan, np.nan]
    require(not close(leaving, shifted), "shifted-then-masked", message)
    message = "The last sample is repeated: reads behind the end are clamped."
    require(not close(leaving, signal[[-2, -1, -1, -1]]), "last-repeated", message, see="out-of-bounds")
    around = signal[[n - 2, n - 1, 0, 1]]
    require(not close(leaving, around), "goes-round", "Behind the end your frame goes on with the first samples.")
    expect(leaving, [*signal[-2:], np.nan, np.nan], "Where the signal has ended there should be NaN.")
    behind = frame(answer, signal, n + 5, width)
    message = "A frame that starts behind the end should be all NaN."
    require(close(behind, np.full(width, np.nan)), "too-little-room", message)


def frame(answer, signal, start, width):
    """The answer's frame under `jit`, where `start` is not known while it is traced."""
    try:
        return numbers(answer.probe(compiled_for, signal, start, width))
    except AnswerRaised as error:
        message = (
            "Under `jit`, `start` has no number while your function is traced: a Python slice or `if` cannot use it."
        )
        unknown = (*UNKNOWN_VALUE, *UNKNOWN_SHAPE, "IndexError")
        require(error.raised.kind not in unknown, "start-not-known", message)
        raise


@wrong("frame-at", "shifted")
def slices_dynamically(signal, start, width):
    return jax.lax.dynamic_slice(signal, (start,), (width,))


@wrong("frame-at", "shifted-then-masked")
def masks_the_shifted_frame(signal, start, width):
    frame = jax.lax.dynamic_slice(signal, (start,), (width,))
    return jnp.where(start + jnp.arange(width) < len(signal), frame, jnp.nan)


@wrong("frame-at", "last-repeated")
def indexes_without_a_mode(signal, start, width):
    return signal[start + jnp.arange(width)]


@wrong("frame-at", "goes-round")
def rolls_the_signal(signal, start, width):
    return jnp.roll(signal, -start)[:width]


@wrong("frame-at", "start-not-known")
def slices_as_in_python(signal, start, width):
    return signal[start : start + width]


@wrong("frame-at", "wrong-value")
def pads_with_zeros(signal, start, width):
    return jax.lax.dynamic_slice(jnp.pad(signal, (0, width)), (start,), (width,))


@wrong("frame-at", "too-little-room")
def pads_by_one_width(signal, start, width):
    padded = jnp.pad(signal, (0, width - 1), constant_values=jnp.nan)
    return jax.lax.dynamic_slice(padded, (start,), (width,))


@wrong("frame-at", "wrong-inside")
def starts_one_late(signal, start, width):
    return signal.at[start + 1 + jnp.arange(width)].get(mode="fill", fill_value=jnp.nan)


# -- mean-of-valid ----------------------------------------------------------------------------------------------


@exercise(
    "mean-of-valid",
    see="fixed-shapes",
    hint=["Keep the shape, and carry the mask along.", "`jnp.sum` and `jnp.mean` take `where=`."],
)
def mean_of_valid(answer, rng):
    x = rng.uniform(1, 2, size=(4, 6)).astype(np.float32)
    valid = np.ones((4, 6), bool)
    valid[1, :2] = valid[2, 3] = valid[3] = False
    x[1, :2], x[2, 3], x[3, 1:] = 999, np.nan, np.nan
    want = np.array([row[good].mean() if good.any() else np.nan for row, good in zip(x, valid, strict=True)])
    try:
        eager = numbers(answer.probe(not_compiled, x, valid))
        got = numbers(answer.probe(compiled, x, valid))
    except AnswerRaised as error:
        message = (
            "How many elements are valid is not known while your function is compiled, so `x[valid]` has no shape."
        )
        require(error.raised.kind not in UNKNOWN_SHAPE, "shape-depends-on-data", message)
        message = "Under `jit` there are no numbers yet: use `jnp`, and no `if`."
        require(error.raised.kind not in UNKNOWN_VALUE, "needs-the-numbers", message)
        raise
    require(got.shape != (), "one-mean", "That is one mean of everything: one for each row is wanted, `axis=-1`.")
    if got.shape == want.shape:
        message = "The 999 in row 1 is not valid, and yet it is in your mean."
        require(not close(got[1], x[1].mean()), "mask-ignored", message)
        message = "Row 2 gives NaN: its one broken element is NaN, and 0 times NaN is NaN. Choose, do not multiply."
        require(not np.isnan(got[2]), "nan-times-zero", message)
        message = (
            "Under `jit` your result is right, without it there is a NaN in row 2: 0 times NaN. Choose with `where`."
        )
        require(eager.shape != got.shape or not np.isnan(eager[2]), "nan-without-jit", message)
        by_all = np.where(valid, x, 0).sum(axis=-1) / 6
        require(not close(got[:3], by_all[:3]), "divided-by-all", "Divide by the number of valid elements, not of all.")
        require(np.isnan(got[3]), "empty-row", f"Nothing in row 3 is valid: expected NaN, got {got[3]:g}.")
    expect(got, want.astype(np.float32), "The mean of the valid elements, for each row.")


@wrong("mean-of-valid", "shape-depends-on-data")
def selects_the_valid_ones(x, valid):
    return x[valid].mean()


@wrong("mean-of-valid", "nan-times-zero")
def multiplies_by_weights(x, valid):
    weights = jnp.where(valid, 1.0, 0.0)
    return (x * weights).sum(axis=-1) / weights.sum(axis=-1)


@wrong("mean-of-valid", "nan-without-jit")
def multiplies_by_the_mask_as_floats(x, valid):
    return (x * valid.astype(x.dtype)).sum(axis=-1) / valid.sum(axis=-1)


@wrong("mean-of-valid", "mask-ignored")
def leaves_only_nan_out(x, valid):
    return jnp.nanmean(x, axis=-1)


@wrong("mean-of-valid", "divided-by-all")
def counts_them_all(x, valid):
    return jnp.where(valid, x, 0).mean(axis=-1)


@wrong("mean-of-valid", "empty-row")
def never_divides_by_zero(x, valid):
    return jnp.sum(x, axis=-1, where=valid) / jnp.maximum(valid.sum(axis=-1), 1)


@wrong("mean-of-valid", "one-mean")
def forgets_the_axis(x, valid):
    return jnp.mean(x, where=valid)


@wrong("mean-of-valid", "needs-the-numbers")
def masks_in_numpy(x, valid):
    return np.ma.masked_array(x, ~valid).mean(axis=-1).filled(np.nan)


@wrong("mean-of-valid", "wrong-value")
def takes_the_median(x, valid):
    return jnp.nanmedian(jnp.where(valid, x, jnp.nan), axis=-1)


# -- first-events -----------------------------------------------------------------------------------------------


@exercise(
    "first-events",
    points=2,
    see="fixed-shapes",
    hint=[
        "`jnp.nonzero(mask, size=k, fill_value=...)` gives `k` positions, whatever the mask.",
        "Which position is neither the first element nor the last, nor any other?",
        '`len(signal)` is outside: read with `mode="fill"`.',
    ],
)
def first_events(answer, rng):
    n, k = int(rng.integers(12, 16)), 4
    few = rng.uniform(0, 1, size=n).astype(np.float32)
    many = few.copy()
    few[[5, 8]] = 7, 6
    many[[1, 2, 4, 7, 8, 10]] = 4, 9, 3, 8, 6, 5
    got = events(answer, many, k)
    require(not close(got, [9, 8, 6, 5]), "largest-not-first", "Those are the largest events. The first are wanted.")
    message = f"You looked for events among the first {k} samples only: choose first, cut then."
    require(not close(got, [np.nan, 4, 9, np.nan]), "cut-too-early", message)
    expect(got, [4, 9, 3, 8], "There are six events: the first four of them are wanted, in their order.")
    got = events(answer, few, k)
    if got.shape == (k,):
        message = (
            "There are two events, and the places left over hold the first element: 0, the default, is an index too."
        )
        require(not close(got[2:], few[[0, 0]]), "padded-with-first", message)
        message = "There are two events, and the places left over hold the last element: -1 is the last, and so is, "
        message += "without a mode, an index behind the end."
        require(not close(got[2:], few[[-1, -1]]), "padded-with-last", message)
        message = "The places left over hold 0, which could be a measurement: use NaN."
        require(not close(got[2:], [0, 0]), "padded-with-zeros", message)
    expect(got, [7, 6, np.nan, np.nan], "There are two events, fewer than `k`: both, then NaN.")


def events(answer, signal, k):
    """The answer's events above 2 under `jit`, where nothing but `k` is known while it is traced."""
    try:
        return numbers(answer.probe(compiled_for, signal, 2.0, k))
    except AnswerRaised as error:
        message = "How many events there are is not known while your function is compiled: give `nonzero` a `size`."
        require(error.raised.kind not in UNKNOWN_SHAPE, "shape-depends-on-data", message)
        message = "Under `jit` there are no numbers yet: use `jnp`, and no `if`."
        require(error.raised.kind not in UNKNOWN_VALUE, "needs-the-numbers", message)
        raise


@wrong("first-events", "shape-depends-on-data")
def selects_then_cuts(signal, threshold, k):
    return signal[signal > threshold][:k]


@wrong("first-events", "padded-with-first")
def leaves_the_default(signal, threshold, k):
    return signal[jnp.nonzero(signal > threshold, size=k)[0]]


@wrong("first-events", "padded-with-last")
def fills_with_minus_one(signal, threshold, k):
    return signal.at[jnp.nonzero(signal > threshold, size=k, fill_value=-1)[0]].get(mode="fill")


@wrong("first-events", "padded-with-last")
def reads_without_a_mode(signal, threshold, k):
    return signal[jnp.nonzero(signal > threshold, size=k, fill_value=len(signal))[0]]


@wrong("first-events", "padded-with-zeros")
def extracts_with_zeros(signal, threshold, k):
    return jnp.extract(signal > threshold, signal, size=k, fill_value=0)


@wrong("first-events", "largest-not-first")
def takes_the_top(signal, threshold, k):
    top = jax.lax.top_k(signal, k)[0]
    return jnp.where(top > threshold, top, jnp.nan)


@wrong("first-events", "cut-too-early")
def looks_at_the_first_samples(signal, threshold, k):
    return jnp.where(signal > threshold, signal, jnp.nan)[:k]


@wrong("first-events", "wrong-value")
def takes_the_last_events(signal, threshold, k):
    backwards = signal[::-1]
    return jnp.extract(backwards > threshold, backwards, size=k, fill_value=jnp.nan)


@wrong("first-events", "needs-the-numbers")
def looks_in_numpy(signal, threshold, k):
    events = np.asarray(signal)[np.asarray(signal) > threshold][:k]
    return np.pad(events, (0, k - len(events)), constant_values=np.nan)


# -- predict-ufunc-methods --------------------------------------------------------------------------------------


def results_of_methods():
    """What the seven expressions give."""
    x = np.array([3, 1, 4, 1, 5])
    counted = x.copy()
    np.add.at(counted, [0, 0, 1], 10)
    return {
        "np.maximum.reduce(x)": np.maximum.reduce(x),
        "np.subtract.reduce(x)": np.subtract.reduce(x),
        "np.maximum.accumulate(x)": np.maximum.accumulate(x),
        "np.multiply.accumulate(x)": np.multiply.accumulate(x),
        "np.add.reduceat(x, [0, 2, 4])": np.add.reduceat(x, [0, 2, 4]),
        "np.add.outer(x, x[:2]).shape": np.add.outer(x, x[:2]).shape,
        "x after np.add.at(x, [0, 0, 1], 10)": counted,
    }


@exercise(
    "predict-ufunc-methods",
    see="five-loops",
    hint=["Write the steps down: `reduce` keeps the last, `accumulate` all of them.", "`reduceat` is given starts."],
)
def predict_ufunc_methods(answer, rng):
    want = results_of_methods()
    got = entries(answer.value(), like=want)
    message = "You folded from the right. A fold goes from left to right: (((3 - 1) - 4) - 1) - 5."
    require(not close(got["np.subtract.reduce(x)"], 10), "folded-from-the-right", message)
    message = "`accumulate` keeps every step: as many elements as `x` has. The last one is what `reduce` gives."
    steps = np.shape(got["np.maximum.accumulate(x)"]) if is_numeric(got["np.maximum.accumulate(x)"]) else None
    require(steps != (), "only-the-last-step", message)
    message = "A segment ends where the next one starts, without it: 3 + 1, then 4 + 1, then 5."
    require(not close(got["np.add.reduceat(x, [0, 2, 4])"], [8, 10, 5]), "ends-included", message)
    message = "`outer` takes every pair: the shape is that of the first followed by that of the second."
    pairs = got["np.add.outer(x, x[:2]).shape"]
    require(not any(close(pairs, shape) for shape in ((5,), (2,), (2, 5))), "not-every-pair", message)
    message = "`np.add.at` adds once for *each* index: element 0 is named twice."
    once = close(got["x after np.add.at(x, [0, 0, 1], 10)"], [13, 11, 4, 1, 5])
    require(not once, "counted-once", message, see="duplicates")
    differ = not_yet(got, want, close)
    require(not differ, "wrong-value", f"Not right yet: {differ}. Write down the steps.")


TRUE_RESULTS = {name: np.asarray(result).tolist() for name, result in results_of_methods().items()} | {
    "np.add.outer(x, x[:2]).shape": (5, 2)
}
folds_like_haskell = wrong("predict-ufunc-methods", "folded-from-the-right")(
    TRUE_RESULTS | {"np.subtract.reduce(x)": 10}
)
accumulates_to_one_number = wrong("predict-ufunc-methods", "only-the-last-step")(
    TRUE_RESULTS | {"np.maximum.accumulate(x)": 5, "np.multiply.accumulate(x)": 60}
)
includes_the_ends = wrong("predict-ufunc-methods", "ends-included")(
    TRUE_RESULTS | {"np.add.reduceat(x, [0, 2, 4])": [8, 10, 5]}
)
outer_like_plain_addition = wrong("predict-ufunc-methods", "not-every-pair")(
    TRUE_RESULTS | {"np.add.outer(x, x[:2]).shape": (2, 5)}
)
at_like_plain_indexing = wrong("predict-ufunc-methods", "counted-once")(
    TRUE_RESULTS | {"x after np.add.at(x, [0, 0, 1], 10)": [13, 11, 4, 1, 5]}
)
maximum_without_memory = wrong("predict-ufunc-methods", "wrong-value")(
    TRUE_RESULTS | {"np.maximum.accumulate(x)": [3, 3, 4, 4, 4]}
)
only_the_numbers = wrong("predict-ufunc-methods", "keys-changed")(list(TRUE_RESULTS.values()))

# -- largest-fall -----------------------------------------------------------------------------------------------


@exercise(
    "largest-fall",
    see="five-loops",
    hint=[
        "For each moment: how high was the highest level *so far*?",
        "`np.maximum.accumulate`. Mind its axis.",
    ],
)
def largest_fall(answer, rng):
    level = np.array([6, 2, 10, 7, 9, 4.5, 8]) + rng.uniform(-0.2, 0.2, size=7)
    got, want = numbers(answer(level)), max(level[i] - level[j] for j in range(7) for i in range(j + 1))
    message = "You subtracted the lowest level of all from the highest of all, and the lowest came first."
    require(not close(got, level.max() - level.min()), "order-ignored", message)
    message = "That is the largest fall from one moment to the next. A fall may take longer."
    require(not close(got, -np.diff(level).min()), "neighbours-only", message)
    message = "That is the largest fall below the first level. A fall may begin at any moment."
    require(not close(got, level[0] - level.min()), "from-the-first", message)
    require(not close(got, -want), "negative", "The size is right, the sign is not: a fall of 3 is 3.")
    message = "That is the fall at every moment. The largest of them is wanted."
    require(got.shape != (7,), "not-yet-the-largest", message)
    expect(got, want, "The largest fall ends where the highest level so far is furthest above the level.")
    rising = numbers(answer(np.arange(5.0)))
    expect(rising, 0, "A level that only rises falls by 0.", label="rising")
    several = np.stack([level, level[::-1], np.sort(level)])
    wanted = [max(row[i] - row[j] for j in range(7) for i in range(j + 1)) for row in several]
    message = (
        "Right for one reservoir, not for three along axis 0. Methods of ufuncs fold axis 0 unless you name another."
    )
    require(close(answer(several), wanted), "axis-0", message)
    loops = answer.probe(probe.written)["loops"]
    require(loops == 0, "loops", "Right, but with a loop in Python. `np.maximum.accumulate` is that loop.")


@wrong("largest-fall", "order-ignored")
def highest_minus_lowest(level):
    return level.max(axis=-1) - level.min(axis=-1)


@wrong("largest-fall", "neighbours-only")
def from_moment_to_moment(level):
    return -np.diff(level, axis=-1).min(axis=-1)


@wrong("largest-fall", "from-the-first")
def below_the_first(level):
    return (level[..., :1] - level).max(axis=-1)


@wrong("largest-fall", "negative")
def falls_are_negative(level):
    return (level - np.maximum.accumulate(level, axis=-1)).min(axis=-1)


@wrong("largest-fall", "not-yet-the-largest")
def stops_at_the_falls(level):
    return np.maximum.accumulate(level, axis=-1) - level


@wrong("largest-fall", "axis-0")
def accumulates_over_reservoirs(level):
    return (np.maximum.accumulate(level) - level).max(axis=-1)


@wrong("largest-fall", "rising")
def starts_with_the_second(level):
    return (np.maximum.accumulate(level, axis=-1)[..., :-1] - level[..., 1:]).max(axis=-1)


@wrong("largest-fall", "loops")
def loops_over_moments(level):
    highest, worst = level[..., 0], 0 * level[..., 0]
    for k in range(level.shape[-1]):
        highest = np.maximum(highest, level[..., k])
        worst = np.maximum(worst, highest - level[..., k])
    return worst


@wrong("largest-fall", "wrong-value")
def from_the_highest_to_the_end(level):
    return level.max(axis=-1) - level[..., -1]


# -- nearest-line -----------------------------------------------------------------------------------------------


@exercise(
    "nearest-line",
    see="five-loops",
    hint=["`np.subtract.outer` makes the table of all differences.", "Near is small without its sign."],
)
def nearest_line(answer, rng):
    catalogue = rng.permutation(np.arange(400.0, 700.0, 40.0))
    where = rng.permutation(len(catalogue))[:5]
    measured = catalogue[where] + rng.uniform(3, 15, size=5) * np.array([1, -1, 1, -1, 1])
    got = numbers(answer(measured, catalogue))
    message = f"{len(catalogue)} answers for 5 measured lines: you looked for the smallest along the wrong axis."
    require(got.shape != catalogue.shape, "wrong-axis", message)
    distance = np.abs(measured - catalogue[where])
    require(not close(got, distance), "gave-the-distance", "Those are the distances. The positions are wanted.")
    require(not close(got, catalogue[where]), "gave-the-wavelength", "Those are wavelengths. The positions are wanted.")
    signed = np.array([[m - c for c in catalogue] for m in measured]).argmin(axis=1)
    message = "The smallest difference *with* its sign belongs to the longest wavelength. Take `np.abs` first."
    require(not close(got, signed), "sign-kept", message)
    require(not close(got, np.searchsorted(catalogue, measured)), "not-sorted", "The catalogue is in no order.")
    expect(got, where, "The position of the nearest line.")
    loops = answer.probe(probe.written)["loops"]
    require(loops == 0, "loops", "Right, but with a loop in Python. `np.subtract.outer` makes all pairs at once.")


@wrong("nearest-line", "sign-kept")
def keeps_the_sign(measured, catalogue):
    return np.subtract.outer(measured, catalogue).argmin(axis=1)


@wrong("nearest-line", "wrong-axis")
def looks_along_the_measured(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=0)


@wrong("nearest-line", "gave-the-distance")
def gives_distances(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).min(axis=1)


@wrong("nearest-line", "gave-the-wavelength")
def gives_wavelengths(measured, catalogue):
    return catalogue[np.abs(np.subtract.outer(measured, catalogue)).argmin(axis=1)]


@wrong("nearest-line", "not-sorted")
def searches_as_if_sorted(measured, catalogue):
    return np.searchsorted(catalogue, measured)


@wrong("nearest-line", "loops")
def looks_line_by_line(measured, catalogue):
    return np.array([np.abs(catalogue - line).argmin() for line in measured])


@wrong("nearest-line", "wrong-value")
def finds_the_farthest(measured, catalogue):
    return np.abs(np.subtract.outer(measured, catalogue)).argmax(axis=1)


# -- segment-sums -----------------------------------------------------------------------------------------------


@exercise(
    "segment-sums",
    points=2,
    see="segments",
    hint=[
        "`np.repeat(np.arange(len(lengths)), lengths)` gives each element the number of its run.",
        "Then add each element at that number: `np.bincount` with `weights`, or `np.add.at`.",
    ],
)
def segment_sums(answer, rng):
    def ask(lengths, values=None):
        values = rng.uniform(1, 2, size=sum(lengths)) if values is None else values
        ends = np.cumsum(lengths)
        want = [sum(values[end - length : end]) for end, length in zip(ends, lengths, strict=True)]
        return answer(values, np.array(lengths)), np.array(want, float)

    full = [int(length) for length in rng.integers(2, 5, size=4)]
    got, want = ask(full)
    expect(got, want, f"No run of lengths {full} is empty, and yet the sums are not right.")
    middle = [full[0], 0, full[1], 0, 0, full[2]]
    got, want = ask(middle)
    same = numbers(got).shape == want.shape
    message = f"Run 1 of lengths {middle} is empty, and you give it a number that belongs to the next run."
    require(not same or got[1] == 0, "empty-run", f"{message} Its sum is 0.")
    expect(got, want, "Runs that are empty have the sum 0.", label="empty-run")
    trailing = [full[0], 0, full[1], 0]
    message = f"The last run of lengths {trailing} is empty: it starts behind the last element."
    try:
        got, want = ask(trailing)
    except AnswerRaised as error:
        require(False, "empty-at-the-end", f"{message} It raises `{error.raised.kind}`.")
    require(close(got, want), "empty-at-the-end", f"{message} Its sum is 0.")
    got, want = ask([2, 3], np.array([1e17, 3e16, 0.5, 0.25, 1.0]))
    message = "A small run after a large one lost its digits: a difference of two large running sums rounds them away."
    require(close(got[1], 1.75), "digits-lost", f"{message} The second sum should be 1.75.")


@wrong("segment-sums", "empty-run")
def trusts_reduceat(values, lengths):
    return np.add.reduceat(values, np.cumsum(lengths) - lengths)


@wrong("segment-sums", "empty-at-the-end")
def sets_the_empty_ones_to_zero(values, lengths):
    return np.where(lengths > 0, np.add.reduceat(values, np.cumsum(lengths) - lengths), 0)


@wrong("segment-sums", "empty-at-the-end")
def forgets_minlength(values, lengths):
    return np.bincount(np.repeat(np.arange(len(lengths)), lengths), weights=values)


@wrong("segment-sums", "digits-lost")
def subtracts_running_sums(values, lengths):
    running = np.concatenate([[0.0], np.add.accumulate(values)])
    ends = np.cumsum(lengths)
    return running[ends] - running[ends - lengths]


@wrong("segment-sums", "wrong-shape")
def forgets_the_first_start(values, lengths):
    return np.add.reduceat(values, np.cumsum(lengths)[:-1])


@wrong("segment-sums", "wrong-value")
def adds_at_once(values, lengths):
    sums = np.zeros(len(lengths))
    sums[np.repeat(np.arange(len(lengths)), lengths)] += values
    return sums
