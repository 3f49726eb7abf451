"""Checks of lesson 04, indexing: what is asked, what people get wrong, and what they are told."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.exercise import Diagnosis, close, equivalent, exercise, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Asked, Slip, sweep
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction
from jaxcourse.probe import NEEDS_A_SHAPE, NEEDS_A_VALUE, AnswerRaised, Refused


@probe.question(evidence="values")
def compiled_for(function, array, argument, size):
    """The answer's result under `jit`, where the third argument is static and the others are traced."""
    return jax.jit(function, static_argnums=2)(array, argument, size)


NOTHING = np.float32([-1, 0, 1, -999, 999, -9999, 9999, 1e9, -1e9, np.inf, -np.inf, np.nan])
"""Numbers that people take for "nothing here", although each could be a measurement."""

MANY = 1_100_000
"""Elements of a long array: more than the numbers that people take for "certainly outside"."""
QUITE_MANY = 12_000
"""The same where what comes back is as long, or a right answer may compare all pairs."""


def require_for_long(ask, oracle, *case):
    """Require that an answer is right for a long array as well."""
    message = (
        "Right for short arrays, not for a long one. Does a fixed number, such as 10000, stand for outside? A longer "
        "array has that place: only the length is certainly outside. Or is a count kept in few bits, such as `int8`?"
    )
    Asked(ask, oracle).require([case], message, "short-arrays-only")


# -- pick-a-block ------------------------------------------------------------------------------------------------


@exercise(
    "pick-a-block",
    see="index-arrays",
    hint=["To which shape do the two index arrays have to broadcast?", "`np.ix_`"],
)
def pick_a_block(answer, rng):
    order = "The right rows and columns, but not in the order in which `keep` names them."
    one_axis = "You selected along one axis only. Select rows *and* columns."
    slips = [
        Slip(
            "pairs-not-block",
            pairs_the_lists.answer,
            "Two lists of one shape are paired: you took elements of the diagonal, and not a block.",
        ),
        Slip("one-axis-only", keeps_all_columns.answer, one_axis),
        Slip("one-axis-only", lambda table, keep: table[:, keep], one_axis),
        Slip("order-lost", turns_the_list_into_a_mask.answer, order),
        Slip("order-lost", sorts_the_list.answer, order),
        Slip(
            "one-order-lost",
            sorts_the_rows.answer,
            "The columns are in the order of `keep`, and the rows in that of the table.",
        ),
        Slip(
            "one-order-lost",
            lambda table, keep: table[keep][:, sorted(keep)],
            "The rows are in the order of `keep`, and the columns in that of the table.",
        ),
        Slip(
            "transposed",
            swaps_rows_and_columns.answer,
            "Rows and columns are exchanged: this is the block, transposed.",
        ),
        Slip(
            "all-in-between",
            slices_from_end_to_end.answer,
            "A slice takes all stations from the first to the last that you keep, those in between too.",
        ),
        Slip("not-left-out", clears_the_others.answer, "The others are still there, as zeros: leave them out."),
        Slip(
            "first-ones",
            takes_the_first.answer,
            "You took as many stations as `keep` names, but always the first ones of the table.",
        ),
    ]
    message = "Element [r, c] of the block should be `table[keep[r], keep[c]]`."
    twice = [(inputs.array(rng, (n, n)), [n - 1, 0, n - 1]) for n in (3, 3, 6)]
    alone = [(inputs.array(rng, (1, 1)), keep) for keep in ([0], [0, 0])]
    twice += [(inputs.array(rng, (n, n)), [*range(n)] + rng.permutation(n).tolist()) for n in (2, 5)]  # all of them
    sweep(answer, block, stations, rng, shapes=(2, 3, 8), extremes=twice + alone, slips=slips, message=message)
    message = "Right for some stations, not for 300: positions do not fit into 8 bits."
    many = inputs.array(rng, (300, 300)), [299, *rng.integers(256, 300, 5).tolist(), 3]
    Asked(answer, block).require([many], message, "few-stations-only")
    message = "You return a list of lists. What comes next will want to index, to add and to multiply: an array."
    listed = answer.probe(probe.result_type, *stations(rng, 3)) in ("list", "tuple")
    refuse(listed, "no-array", message)
    message = "Elements that you leave out are not finite here, and they spread: 0 times NaN is NaN. Choose elements."
    sweep(answer, block, partly_broken, rng, shapes=(3, 8), message=message, label="spoilt-by-the-others")
    message = "The right elements, but not the dtype of the table: indexing keeps it."
    nanoseconds = np.array([[2**60 + 1, 2**60 + 3], [2**60 + 5, 2**60 + 9]]), [1, 0]  # more digits than a float64 has
    sweep(
        answer,
        block,
        stations,
        rng,
        shapes=(2, 3, 8),
        extremes=[nanoseconds],
        message=message,
        label="another-dtype",
        dtype=True,
    )


def stations(rng, n):
    """A table, and some of its stations in any order."""
    dtype = str(rng.choice(["float64", "float32", "int64"]))
    return inputs.array(rng, (n, n), dtype), rng.permutation(n)[: rng.integers(1, n + 1)].tolist()


def partly_broken(rng, n):
    """A table of which one station, which is left out, has no finite times."""
    table, broken = inputs.array(rng, (n, n)), int(rng.integers(n))
    table[broken], table[:, broken] = rng.choice([np.nan, np.inf, -np.inf], (2, n))
    kept = [station for station in rng.permutation(n).tolist() if station != broken]
    return table, kept[: rng.integers(1, n)]


def block(table, keep):
    return np.array([[table[r, c] for c in keep] for r in keep], table.dtype)


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


@wrong("pick-a-block", "order-lost")
def sorts_the_list(table, keep):
    return table[np.ix_(sorted(keep), sorted(keep))]


@wrong("pick-a-block", "one-order-lost")
def sorts_the_rows(table, keep):
    return table[sorted(keep)][:, keep]


@wrong("pick-a-block", "transposed")
def swaps_rows_and_columns(table, keep):
    return table[np.ix_(keep, keep)].T


@wrong("pick-a-block", "all-in-between")
def slices_from_end_to_end(table, keep):
    inside = slice(min(keep), max(keep) + 1)
    return table[inside, inside]


@wrong("pick-a-block", "not-left-out")
def clears_the_others(table, keep):
    cleared = np.zeros_like(table)
    cleared[np.ix_(keep, keep)] = table[np.ix_(keep, keep)]
    return cleared


@wrong("pick-a-block", "first-ones")
def takes_the_first(table, keep):
    return table[: len(keep), : len(keep)]


@wrong("pick-a-block", "wrong-value")
def drops_what_comes_twice(table, keep):
    keep = list(dict.fromkeys(keep))
    return table[np.ix_(keep, keep)]


@right("pick-a-block")
def takes_along_each_axis(table, keep):
    return table.take(keep, axis=0).take(keep, axis=1)


@right("pick-a-block")
def asks_for_each_element(table, keep):
    return np.array([[table[r, c] for c in keep] for r in keep])


@wrong("pick-a-block", "no-array")
def lists_each_element(table, keep):
    return [[table[r, c] for c in keep] for r in keep]


@wrong("pick-a-block", "another-dtype")
def fills_an_array_of_floats(table, keep):
    result = np.zeros((len(keep), len(keep)))
    result[:] = table[np.ix_(keep, keep)]
    return result


@wrong("pick-a-block", "another-dtype")
def fills_floats_and_casts_back(table, keep):
    return fills_an_array_of_floats.answer(table, keep).astype(table.dtype)


@wrong("pick-a-block", "few-stations-only")
def saves_bits_of_positions(table, keep):
    keep = np.array(keep).astype(np.uint8)
    return table[np.ix_(keep, keep)]


@wrong("pick-a-block", "wrong-value")
def has_room_for_the_table_only(table, keep):
    result = np.empty_like(table)
    short = keep[: len(table)]
    result[: len(short), : len(short)] = table[np.ix_(short, short)]
    return result[: len(keep), : len(keep)]


@wrong("pick-a-block", "spoilt-by-the-others")
def multiplies_by_ones_and_zeros(table, keep):
    chosen = np.eye(len(table), dtype=table.dtype)[keep]
    with np.errstate(invalid="ignore"):
        return chosen @ table @ chosen.T


# -- value-at-peak -----------------------------------------------------------------------------------------------


@exercise(
    "value-at-peak",
    see="index-arrays",
    hint=[
        "`argmax` along the last axis gives one position for each spectrum.",
        "`np.take_along_axis` wants the axis to be there still: `keepdims=True`. Then remove it.",
    ],
)
def value_at_peak(answer, rng):
    slips = [
        Slip("gave-the-position", stops_at_argmax.answer, "Those are positions of peaks. Look up the wavelengths."),
        Slip("gave-the-peak", takes_the_maximum.answer, "Those are the intensities of the peaks."),
        Slip(
            "all-against-all",
            asks_every_row_for_every_column.answer,
            "Every row was asked for the columns of all rows. Each row has a column of its own.",
        ),
        Slip("axis-kept", leaves_the_axis.answer, "An axis of length 1 is left over: remove it with `[..., 0]`."),
        Slip(
            "squeezed",
            squeezes.answer,
            "The wavelengths are right, but *every* axis of length 1 is gone: a single spectrum is still a row of one.",
        ),
        Slip("one-peak", finds_the_peak_of_everything.answer, "That is one peak of all. Each spectrum has its own."),
        Slip(
            "first-wavelengths",
            takes_the_first_scale.answer,
            "You looked up all peaks in the wavelengths of the first spectrum. Each spectrum has its own.",
        ),
        Slip(
            "largest-without-sign",
            ignores_the_sign.answer,
            "You took the largest intensity without its sign. Most intense is the largest, and -5 is less than 1.",
        ),
    ]
    shapes = (1, 5), (3, 1), (3, 3), (4, 6)
    message = "Each spectrum has its own peak."
    sweep(answer, at_peak, spectra, rng, shapes=shapes, each=3, slips=slips, message=message)
    message = "Intensities that are near each other, or all small, are not equal: compare them as they are, all digits."
    shapes = (2, 3), (3, 5)
    sweep(answer, at_peak, nearly_alike, rng, shapes=shapes, each=6, message=message, label="near-is-not-equal")
    message = "Right for few channels, not for 300: positions do not fit into 8 bits."
    sweep(answer, at_peak, spectra, rng, shapes=[(40, 300)], each=2, message=message, label="few-channels-only")
    message = "Where several channels are equally intense, the first of them counts."
    try:
        sweep(answer, at_peak, ties, rng, shapes=[(2, 3), (3, 5)], message=message, label="ties")
    except AnswerRaised as error:
        refuse(True, "ties", f"{message} For `{error.given}` it raises `{error.raised.kind}`.")
    message = (
        "Right for two axes, and not for every number of axes: shape (2, 3, 5) should give (2, 3), and (5,) a number."
    )
    shapes = (5,), (2, 3, 5), (2, 1, 3, 4)
    try:
        sweep(answer, at_peak, spectra, rng, shapes=shapes, each=2, message=message, label="two-axes-only")
    except AnswerRaised as error:
        refuse(True, "two-axes-only", f"{message} For `{error.given}` it raises `{error.raised.kind}`.")


def spectra(rng, shape):
    """Intensities without ties, negative ones too, and a wavelength for each."""
    levels = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    intensity = rng.choice([1, 3]) * levels - (rng.integers(0, 2 * shape[-1]) if rng.random() < 0.7 else 0)
    dtype = "uint8" if 0 <= intensity.min() <= intensity.max() < 256 else str(rng.choice(FLOATS_AND_INT))
    if dtype.startswith("float"):
        intensity = intensity / 4
    unit = rng.choice([1, 1e-9])  # nanometres or metres
    return intensity.astype(dtype), unit * rng.choice([0.5, 1 / 3]) * rng.integers(800, 1400, shape)


FLOATS_AND_INT = ["float64", "float32", "int64"]


def nearly_alike(rng, shape):
    """Intensities of any scale, all below 0 in some draws, that differ little from each other."""
    levels = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    intensity = (
        levels * 1e-12,
        (levels - 10) * 1e-12,
        levels + 1e9,
        levels - 1e9,
        levels * 1e-7,
        levels + 2**60,
    )[int(rng.integers(6))]
    return intensity, rng.integers(800, 1400, shape) / 2


def ties(rng, shape):
    intensity = rng.integers(-1, 2, shape).astype(float)
    intensity[..., -1] = intensity.max(axis=-1)
    return intensity, rng.integers(800, 1400, shape) / 2


def at_peak(intensity, wavelength):
    n = intensity.shape[-1]
    pairs = zip(intensity.reshape(-1, n).tolist(), wavelength.reshape(-1, n).tolist(), strict=True)
    return np.reshape([waves[heights.index(max(heights))] for heights, waves in pairs], intensity.shape[:-1])


@wrong("value-at-peak", "gave-the-position")
def stops_at_argmax(intensity, wavelength):
    return intensity.argmax(axis=-1)


@wrong("value-at-peak", "wrong-value")
def rounds_the_wavelength(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmax(axis=-1, keepdims=True), axis=-1)[..., 0].round(1)


@wrong("value-at-peak", "gave-the-peak")
def takes_the_maximum(intensity, wavelength):
    return intensity.max(axis=-1)


@wrong("value-at-peak", "all-against-all")
def asks_every_row_for_every_column(intensity, wavelength):
    return wavelength[..., intensity.argmax(axis=-1)]


@wrong("value-at-peak", "axis-kept")
def leaves_the_axis(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmax(axis=-1, keepdims=True), axis=-1)


@wrong("value-at-peak", "squeezed")
def squeezes(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmax(axis=-1, keepdims=True), axis=-1).squeeze()


@wrong("value-at-peak", "two-axes-only")
def counts_the_rows_itself(intensity, wavelength):
    return wavelength[np.arange(len(intensity)), intensity.argmax(axis=-1)]


@wrong("value-at-peak", "wrong-value")
def finds_the_faintest(intensity, wavelength):
    return np.take_along_axis(wavelength, intensity.argmin(axis=-1, keepdims=True), axis=-1)[..., 0]


@wrong("value-at-peak", "one-peak")
def finds_the_peak_of_everything(intensity, wavelength):
    return wavelength.ravel()[intensity.argmax()]


@wrong("value-at-peak", "first-wavelengths")
def takes_the_first_scale(intensity, wavelength):
    return wavelength[0][intensity.argmax(axis=-1)]


@wrong("value-at-peak", "largest-without-sign")
def ignores_the_sign(intensity, wavelength):
    peak = np.abs(intensity).argmax(axis=-1, keepdims=True)
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@wrong("value-at-peak", "ties")
def selects_with_a_mask(intensity, wavelength):
    return wavelength[intensity == intensity.max(axis=-1, keepdims=True)].reshape(intensity.shape[:-1])


@wrong("value-at-peak", "ties")
def adds_what_a_mask_keeps(intensity, wavelength):
    return np.sum(wavelength, axis=-1, where=intensity == intensity.max(axis=-1, keepdims=True))


@wrong("value-at-peak", "ties")
def sorts_the_channels(intensity, wavelength):
    peak = intensity.argsort(axis=-1, kind="stable")[..., -1:]
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@wrong("value-at-peak", "near-is-not-equal")
def takes_near_for_equal(intensity, wavelength):
    peak = np.isclose(intensity, intensity.max(axis=-1, keepdims=True)).argmax(axis=-1, keepdims=True)
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@wrong("value-at-peak", "near-is-not-equal")
def prefers_the_first_by_a_little(intensity, wavelength):
    later = 1e-9 * np.arange(intensity.shape[-1])
    peak = (intensity - later).argmax(axis=-1, keepdims=True)
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@wrong("value-at-peak", "few-channels-only")
def saves_bits_of_channels(intensity, wavelength):
    peak = intensity.argmax(axis=-1, keepdims=True).astype(np.uint8)
    return np.take_along_axis(wavelength, peak, axis=-1)[..., 0]


@right("value-at-peak")
def makes_a_list_of_spectra(intensity, wavelength):
    n = intensity.shape[-1]
    peaks = intensity.reshape(-1, n).argmax(axis=1)
    return wavelength.reshape(-1, n)[np.arange(len(peaks)), peaks].reshape(intensity.shape[:-1])


one_spectrum_after_the_other = right("value-at-peak")(
    np.vectorize(lambda heights, waves: waves[heights.argmax()], signature="(n),(n)->()")
)


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


predict_index_shapes = prediction(
    "predict-index-shapes",
    points=2,
    see="mixed-indexing",
    hint=[
        "To which shape do the index arrays broadcast? That is the block.",
        "Do all index arrays stand side by side? Then the block stays there. If not, it goes to the front.",
        "A number beside an index array is one of them. A mask is an index array with one entry for each `True`.",
    ],
    mistakes=[
        Mistake(
            "axes-forgotten",
            {"b[:, i]": any_of((4, 3), (3,), (4,))},
            "`b` has four axes. Those that an index does not name stay whole, at the end of the shape.",
            see="basic-indexing",
        ),
        Mistake(
            "block-not-pairs",
            {"b[i, i]": (3, 3, 6, 7)},
            "`b[i, i]` pairs the two arrays: three addresses, so one axis. A block needs a column and a row.",
            see="index-arrays",
        ),
        Mistake(
            "moved-without-need",
            {"b[:, i, i]": (3, 4, 7)},
            "The index arrays of `b[:, i, i]` stand side by side: their block stays where they stood.",
        ),
        Mistake(
            "stays-when-separated",
            {"b[:, i, :, i]": any_of((4, 3, 6), (4, 6, 3))},
            "In `b[:, i, :, i]` a slice separates the index arrays, so their block goes to the front.",
        ),
        Mistake(
            "number-is-an-index",
            {"b[0, :, i]": any_of((5, 3, 7), (5, 6, 3))},
            "In `b[0, :, i]` the number counts as an index array, so the two are separated by a slice.",
        ),
        Mistake(
            "mask-keeps-all",
            {"b[:, m]": (4, 5, 6, 7)},
            "`b[:, m]` keeps only the places where `m` is `True`, of which there are two.",
            see="masks",
        ),
        Mistake(
            "slice-drops-axis",
            {"b[..., 0:1, i]": (4, 5, 3)},
            "`0:1` is a slice: it keeps its axis, with length 1.",
            see="basic-indexing",
        ),
    ],
    otherwise="Which entries are index arrays, and where do they stand?",
    truth=shapes_of_expressions,
)

# -- photon-image ------------------------------------------------------------------------------------------------


@exercise(
    "photon-image",
    see="duplicates",
    hint=[
        "`image[rows, columns] += 1` reads all pixels before it writes any. What happens to one that is hit twice?",
        "`np.add.at`, or `np.bincount` of `row * width + column`.",
    ],
)
def photon_image(answer, rng):
    message = "Each pixel should hold the number of its photons."
    once = "Each pixel is counted at most once, however often it was hit: all reads came before all writes."
    swapped = "The first index of a picture is the row: yours has it last."
    slips = [
        Slip("counted-once", marks_the_pixels.answer, once),
        Slip("nothing-written", adds_to_a_copy.answer, "Your picture is empty."),
        Slip("axes-swapped", puts_columns_first.answer, swapped),
        Slip(
            "every-pair", adds_whole_blocks.answer, "You counted every row with every column. A photon has one of each."
        ),
        Slip(
            "edges-from-photons",
            lets_the_photons_choose.answer,
            "The edges of your bins come from the photons: they must be those of the pixels, whatever was hit.",
        ),
    ]
    told_of_earlier_photons(answer, rng)
    sweep(answer, picture, to_the_last, rng, shapes=[(3, 3, 9)], each=16, slips=slips, message=message)
    address = "In the flattened picture a row is `shape[1]` pixels long: photons are in the wrong pixels."
    slips = [Slip("wrong-address", takes_the_height_for_the_width.answer, address)]
    sweep(answer, picture, to_the_last, rng, shapes=[(2, 5, 12)], slips=slips, message=message)
    for shape in ((4, 4, 9), (5, 8, 60)):
        dark_at_the_end(answer, *dark(rng, shape))
    message = "Bright pixels are hit many thousand times."
    photons = 70_000
    rows, columns = np.zeros(photons, int), (rng.random(photons) < 0.01).astype(int)
    got, want = numbers(answer(rows, columns, (1, 3))), np.array([[*np.bincount(columns, minlength=2), 0]])
    short = [kind for kind in ("uint8", "int8", "uint16", "int16") if close(got, want.astype(kind))]
    refuse(short and not close(got, want), "overflows", f"{message} `{''.join(short[:1])}` counts no further.")
    require(
        close(got, want),
        "bright-pixels",
        f"{message} Yours count {got.ravel().tolist()} in place of {want[0].tolist()}.",
    )
    last = (1, 7, 5), (7, 3, 20), (4, 4, 0)
    sweep(
        answer, picture, anywhere, rng, shapes=last, each=2, message="Each pixel should hold the number of its photons."
    )
    message = (
        "Right for small pictures, not for large ones. An address, row times width plus column, may need more than 16 "
        "bits, and the width is `shape[1]`."
    )
    large = [(300, 280, 60), (2, 70_000, 60)]
    sweep(answer, picture, anywhere, rng, shapes=large, each=2, message=message, label="addresses-overflow")
    message = "You return a list of lists. What comes next will want to add and to slice: an array."
    refuse(answer.probe(probe.result_type, *anywhere(rng, (2, 3, 4))) in ("list", "tuple"), "no-array", message)


def told_of_earlier_photons(answer, rng):
    """A picture that is kept between calls holds more photons each time, by just those of one call."""
    cases = [to_the_last(rng, (3, 3, 9)) for _ in range(2)]
    try:
        pairs = [[np.array(numbers(answer(*case)), float) for _ in range(2)] for case in cases]
    except (AnswerRaised, Diagnosis, Refused):  # the sweep comes to that
        return
    kept = all(
        first.shape == second.shape and close(second - first, picture(*case))
        for case, (first, second) in zip(cases, pairs, strict=True)
    )
    message = (
        "The same call gave more photons the second time: those of earlier calls are still in your picture. Begin each "
        "call with a new array of zeros."
    )
    refuse(kept, "kept-photons", message)


def dark_at_the_end(answer, rows, columns, shape):
    """Require the picture of a detector whose last rows and columns are dark."""
    try:
        got, want = numbers(answer(rows, columns, shape)), picture(rows, columns, shape)
    except AnswerRaised as error:
        ends = f"size {(rows * shape[1] + columns).max() + 1} into shape"
        short = error.raised.kind == "ValueError" and ends in error.raised.message
        message = "`bincount` stops at the last pixel that was hit: give it `minlength`."
        refuse(short, "minlength-missing", f"{message} ({error.raised.message})")
        raise
    reach = int(rows.max()) + 1, int(columns.max()) + 1
    message = f"The picture is as large as the photons reach, {reach}, and not {shape}: dark pixels are missing."
    refuse(got.shape == reach, "as-large-as-photons", message)
    require(close(got, want), "dark-pixels", "The last rows and columns are dark, and then your picture is not right.")


def to_the_last(rng, shape):
    """Photons on a detector, one of them in the last pixel, and some pixels hit again and again."""
    height, width, photons = shape
    first = int(rng.integers(2))  # the first row and column may be dark
    rows, columns = rng.integers(first, height, photons), rng.integers(first, width, photons)
    again = rng.integers(0, photons, photons // 2)
    rows[: photons // 2], columns[: photons // 2] = rows[again], columns[again]
    rows[-1], columns[-1] = height - 1, width - 1
    return rows, columns, (height, width)


def dark(rng, shape):
    height, width, photons = shape
    return rng.integers(0, height - 1, photons), rng.integers(0, width - 1, photons), (height, width)


def anywhere(rng, shape):
    height, width, photons = shape
    return rng.integers(0, height, photons), rng.integers(0, width, photons), (height, width)


def picture(rows, columns, shape):
    image = np.zeros(shape, int)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        image[row, column] += 1
    return image


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


@wrong("photon-image", "axes-swapped")
def exchanges_rows_and_columns(rows, columns, shape):
    image = np.zeros(shape, int)
    np.add.at(image, (columns, rows), 1)
    return image


@wrong("photon-image", "kept-photons")
def adds_to_a_picture_that_is_kept(rows, columns, shape):
    image = kept_picture(*shape)
    np.add.at(image, (rows, columns), 1)
    return image


@functools.cache
def kept_picture(height, width):
    return np.zeros((height, width), int)


@wrong("photon-image", "nothing-written")
def adds_to_a_copy(rows, columns, shape):
    image = np.zeros(shape, int)
    np.add.at(image.flatten(), rows * shape[1] + columns, 1)
    return image


@wrong("photon-image", "wrong-value")
def counts_from_one(rows, columns, shape):
    image = np.ones(shape, int)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "every-pair")
def adds_whole_blocks(rows, columns, shape):
    image = np.zeros(shape, int)
    np.add.at(image, np.ix_(rows, columns), 1)
    return image


@wrong("photon-image", "edges-from-photons")
def lets_the_photons_choose(rows, columns, shape):
    return np.histogram2d(rows, columns, bins=shape)[0]


@wrong("photon-image", "as-large-as-photons")
def ends_at_the_last_photon(rows, columns, shape):
    image = np.zeros((rows.max() + 1, columns.max() + 1), int)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "dark-pixels")
def fills_up_with_the_last(rows, columns, shape):
    counts = np.bincount(rows * shape[1] + columns)
    return np.pad(counts, (0, shape[0] * shape[1] - len(counts)), mode="edge").reshape(shape)


@wrong("photon-image", "overflows")
def saves_memory(rows, columns, shape):
    image = np.zeros(shape, np.uint8)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "overflows")
def saves_less_memory(rows, columns, shape):
    image = np.zeros(shape, np.uint16)
    np.add.at(image, (rows, columns), 1)
    return image


@wrong("photon-image", "addresses-overflow")
def saves_memory_in_the_addresses(rows, columns, shape):
    size = shape[0] * shape[1]
    flat = rows.astype(np.uint16) * np.uint16(shape[1]) + columns.astype(np.uint16)
    return np.bincount(flat, minlength=size)[:size].reshape(shape)


@wrong("photon-image", "bright-pixels")
def saturates(rows, columns, shape):
    return np.minimum(np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]), 255).reshape(shape)


@right("photon-image")
def places_and_counts(rows, columns, shape):
    image = np.zeros(shape)
    places, counts = np.unique(rows * shape[1] + columns, return_counts=True)
    image.ravel()[places] = counts
    return image


@right("photon-image")
def scatters_in_jax(rows, columns, shape):
    return jnp.zeros(shape, int).at[rows, columns].add(1)


@right("photon-image")
def loops_over_photons(rows, columns, shape):
    image = [[0] * shape[1] for _ in range(shape[0])]
    for row, column in zip(rows, columns, strict=True):
        image[row][column] += 1
    return np.array(image)


@wrong("photon-image", "no-array")
def counts_in_lists(rows, columns, shape):
    return loops_over_photons.answer(rows, columns, shape).tolist()


@wrong("photon-image", "addresses-overflow")
def takes_a_thousand_for_the_width(rows, columns, shape):
    size = 1000 * shape[0]
    counts = np.bincount(1000 * rows + columns, minlength=size)[:size]
    return counts.reshape(shape[0], 1000)[:, : shape[1]]


# -- zero-border -------------------------------------------------------------------------------------------------


def type_for_jax(function, values):
    """The type of what the answer makes of a JAX array."""
    result = function(jnp.asarray(values))
    return "jax.Array" if isinstance(result, jax.Array) else type(result).__name__


SIDES = "first row", "last row", "first column", "last column"


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
    refuse(kind == "NoneType", "returned-nothing", "Your function returned `None`. Is there a `return` at its end?")
    require(kind == "jax.Array", "not-jax", f"Return a `jax.Array`, not an object of type `{kind}`.")
    got = numbers(answer.probe(probe.on_jax_arrays, x))
    refuse(close(got, x), "thrown-away", "`x` came back as it was: `.at[...]` gives a new array. Keep it.")
    if got.shape == x.shape:
        zero = got == 0
        sides = [bool(side.all()) for side in (zero[0], zero[-1], zero[:, 0], zero[:, -1])]
        corners = zero[[0, 0, -1, -1], [0, -1, 0, -1]]
        message = "Only corners are 0: index arrays between the same brackets are paired, or broadcast."
        refuse(1 < zero.sum() <= corners.sum(), "corners-only", message, see="index-arrays")
        kept = " and the ".join(side for side, is_zero in zip(SIDES, sides, strict=True) if not is_zero)
        message = (
            f"Not 0: the {kept}. An update counts only if the next one starts from what it gave, and a write outside "
            "the array is dropped without a word."
        )
        refuse(1 <= sum(sides) <= 3, "some-sides", message)
        refuse(zero[1:-1, 1:-1].all() and not any(sides), "inside-out", "You set the inside to 0, and kept the border.")
    nan = "The border still holds NaN where it held one. A product with 0 does this, since 0 times NaN is NaN: set it."
    slips = [
        Slip("cut-off", cuts_the_border_off.answer, "The border is gone. It should be there, and 0."),
        Slip("border-added", lambda x: np.pad(x, 1), "You put a new border around the plate. Its own should be 0."),
        Slip("nan-kept", times_zero, nan),
    ]
    message = "The border should be 0, and the inside as it was."
    sweep(
        lambda x: answer.probe(probe.on_jax_arrays, x),
        with_border,
        plate,
        rng,
        shapes=[(2, 2), (3, 2), (5, 7)],
        each=5,
        slips=slips,
        message=message,
    )
    message = "The plate was `float16`, and the result is not: give the plate back in its own dtype."
    ask = Asked(lambda x: answer.probe(probe.on_jax_arrays, x), with_border, dtype=True)
    ask.require([plate(rng, (4, 3), "float16")], message, "another-dtype")


def plate(rng, shape, dtype="float32"):
    x = inputs.array(rng, shape, dtype)
    return (np.where(rng.random(shape) < 0.2, x.dtype.type(rng.choice([np.nan, np.inf, 0])), x),)


def times_zero(x):
    with np.errstate(invalid="ignore"):
        return x * with_border(np.ones_like(x))


def with_border(x):
    y = x.copy()
    y[0] = y[-1] = y[:, 0] = y[:, -1] = 0
    return y


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


@wrong("zero-border", "some-sides")
def writes_beyond_the_end(x):
    return x.at[0].set(0).at[x.shape[0]].set(0).at[:, 0].set(0).at[:, x.shape[1]].set(0)


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


@wrong("zero-border", "returned-nothing")
def returns_nothing(x):
    x = x.at[0].set(0)


@wrong("zero-border", "TypeError")
def assigns_as_in_numpy(x):
    x[0] = 0
    return x


@wrong("zero-border", "cut-off")
def cuts_the_border_off(x):
    return x[1:-1, 1:-1]


@wrong("zero-border", "border-added")
def adds_a_border(x):
    return jnp.pad(x, 1)


@wrong("zero-border", "nan-kept")
def multiplies_by_a_mask(x):
    return x * jnp.zeros_like(x).at[1:-1, 1:-1].set(1)


@wrong("zero-border", "wrong-value")
def forgets_that_slices_end_early(x):
    return x.at[0:1].set(0).at[-2:].set(0).at[:, 0].set(0).at[:, -1].set(0)


@wrong("zero-border", "another-dtype")
def fills_a_new_plate(x):
    return jnp.zeros(x.shape).at[1:-1, 1:-1].set(x[1:-1, 1:-1])


@right("zero-border")
def pads_the_inside(x):
    return jnp.pad(x[1:-1, 1:-1], 1)


@right("zero-border")
@jax.jit
def chooses_by_position(x):
    row, column = jnp.indices(x.shape)
    inside = (row > 0) & (row < x.shape[0] - 1) & (column > 0) & (column < x.shape[1] - 1)
    return jnp.where(inside, x, 0)


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


outside_the_array = prediction(
    "outside-the-array",
    see="out-of-bounds",
    hint=[
        "A compiled program cannot stop in the middle of its work. What could it read instead? What could it write?",
        "Slices are cut off, in both libraries.",
    ],
    choices=["error"],
    mistakes=[
        Mistake(
            "numpy-does-not-raise",
            {"NumPy: x[7]": anything_else(40.0, float("nan"))},
            "NumPy checks every index: it raises `IndexError`.",
        ),
        Mistake(
            "slices-raise",
            [{"NumPy: x[3:9]": "error"}, {"JAX: x[3:9]": "error"}],
            "A slice that reaches too far is no error in Python, NumPy or JAX: it is cut off.",
            see="basic-indexing",
        ),
        Mistake(
            "jax-raises",
            {"JAX: x[7]": "error"},
            "`x[7]` in JAX raises nothing: a compiled program has no way to. It reads something.",
        ),
        Mistake(
            "reads-nan",
            {"JAX: x[7]": float("nan")},
            "Without a mode, `x[7]` gives no NaN: it reads the nearest element there is.",
        ),
        Mistake(
            "goes-round",
            {"JAX: x[-7]": 30.0},
            "The index does not wrap around: `x[-7]` is clamped to the nearest element, which is the first.",
        ),
        Mistake(
            "writes-clamped",
            {"JAX: x.at[7].set(-1.0)": (0, 10, 20, 30, -1)},
            "Reads are clamped, writes are not: `x.at[7].set(-1.0)` writes nowhere.",
        ),
        Mistake(
            "take-clamps",
            {"JAX: jnp.take(x, 7)": 40.0},
            "`jnp.take` is not like the brackets here: its default mode is `fill`.",
        ),
    ],
    otherwise="Try it, then read on.",
    truth=values_outside,
)

# -- lookup-or-nan -----------------------------------------------------------------------------------------------


@exercise(
    "lookup-or-nan",
    see="out-of-bounds",
    hint=[
        '`table.at[i].get(mode="fill")` is almost right. What does it do with -1?',
        "`wrap_negative_indices=False`; or choose with `jnp.where` between the element and NaN.",
    ],
)
def lookup_or_nan(answer, rng):
    clamped = "Beyond the end you give the last entry: the read was clamped."
    minus_one = "For hour -1 you give the last entry: a negative index counts from the end unless you say otherwise."
    slips = [
        Slip(
            "clamped", lambda table, i: table[np.clip(np.where(i < 0, i + len(table), i), 0, len(table) - 1)], clamped
        ),
        Slip("clamped", lambda table, i: np.where(i < 0, np.nan, table[np.clip(i, 0, len(table) - 1)]), clamped),
        Slip(
            "minus-one-is-last",
            lambda table, i: entry_or_nan(table, np.where(i < 0, i + len(table), i)),
            minus_one,
        ),
        Slip(
            "minus-one-is-last",
            lambda table, i: entry_or_nan(table, np.where(i < 0, len(table) - 1, i)),
            "Every hour before 0 gives the last entry: -1 is not outside.",
        ),
        Slip(
            "hour-0-lost",
            lambda table, i: np.where(i > 0, entry_or_nan(table, i), np.nan),
            "Hour 0 has an entry, the first one, and you give NaN.",
        ),
        Slip(
            "one-too-late",
            lambda table, i: np.where(i == len(table), table[-1], entry_or_nan(table, i)),
            "The last hour with an entry is `len(table) - 1`; you give one for `len(table)` too.",
        ),
        Slip(
            "one-too-early",
            lambda table, i: np.where(i == len(table) - 1, np.nan, entry_or_nan(table, i)),
            "The last hour with an entry is `len(table) - 1`, and you give NaN for it.",
        ),
        Slip(
            "not-nan",
            lambda table, i: np.nan_to_num(entry_or_nan(table, i)),
            "Outside you give 0, which could be an entry. NaN is wanted.",
        ),
        Slip(
            "far-negative",
            lambda table, i: pads_in_numpy(table, i.astype(int)),
            "Right for hour -1, and not for hours before it: they are negative indices still, and count from the end.",
        ),
        Slip(
            "zero-is-missing",
            lambda table, i: np.where(entry_or_nan(table, i) == 0, np.nan, entry_or_nan(table, i)),
            "An entry that is 0 is an entry, and you give NaN for it.",
        ),
        Slip("flattened", lambda table, i: entry_or_nan(table, i).ravel(), "The result should have the shape of `i`."),
    ]

    def ask(table, i):
        result, error = answer.attempt(probe.under_jit, table, i, expected=NEEDS_A_VALUE | NEEDS_A_SHAPE)
        message = "Under `jit` the numbers in `i` are not known while your function is traced: "
        refuse(error, "needs-the-numbers", message + "no `if`, no NumPy, and no mask as an index.")
        return result

    shapes = (1, (5,)), (5, (2, 4)), (9, ()), (24, (3, 1, 2))
    message = "Inside: the entry. Outside: NaN."
    sweep(ask, entry_or_nan, hours, rng, shapes=shapes, each=12, slips=slips, message=message)
    i = np.array([-1, 0, -7, MANY - 1, MANY, -MANY, -MANY - 1], np.int32)
    require_for_long(ask, entry_or_nan, np.ones(MANY, np.float32), i)
    table, i = np.array([1, np.inf, np.nan, 4], np.float32), np.array([[0, 3], [-1, 9]], np.int32)
    for how in (ask, lambda *args: answer.probe(probe.on_jax_arrays, *args)):  # compiled, 0 * inf may become a choice
        message = "An entry that is NaN or infinite has reached other hours: 0 times it is NaN. Look up, or choose."
        Asked(how, entry_or_nan).require([(table, i), (table[::-1], i), (table, i[:, 0])], message, "nan-spreads")
    message = "An entry that you took for a sign of nothing is an entry. Ask the hour whether it is outside."
    every = np.arange(-1, len(NOTHING) + 1, dtype=np.int32)
    Asked(ask, entry_or_nan).require([(NOTHING, every)], message, "entry-is-nothing")


def hours(rng, shape):
    """A table, and hours inside, at both ends, just outside and far away."""
    n, form = shape
    often = [0, n - 1, n, n + 3, -1, -n, -n - 1, -n - 2, 2 * n, -2 * n, 2**31 - 1, -(2**31)]
    i = np.where(rng.random(form) < 0.7, rng.choice(often, form), rng.integers(0, n, form))
    table = rng.integers(-32, 33, n).astype(np.float32) / 4
    table[rng.random(n) < 0.2] = 0
    return table, i.astype(np.int32)


@wrong("lookup-or-nan", "zero-is-missing")
def takes_zero_for_nothing(table, i):
    hit = i[..., None] == jnp.arange(len(table))
    found = jnp.sum(jnp.where(hit, table, 0), axis=-1)
    return jnp.where(found == 0, jnp.nan, found)


def entry_or_nan(table, i):
    return np.where((i >= 0) & (i < len(table)), table[np.clip(i, 0, len(table) - 1)], np.float32("nan"))


def pads_in_numpy(table, i):
    padded = np.pad(table, 1, constant_values=np.nan)
    return padded[np.clip(np.where(i < -1, i + 1 + len(padded), i + 1), 0, len(padded) - 1)]


@wrong("lookup-or-nan", "short-arrays-only")
def takes_a_large_number_for_outside(table, i):
    return table.at[jnp.where(i < 0, 10**6, i)].get(mode="fill", fill_value=jnp.nan)


@wrong("lookup-or-nan", "nan-spreads")
def interpolates_between_hours(table, i):
    return jnp.interp(i, jnp.arange(len(table)), table, left=jnp.nan, right=jnp.nan)


@wrong("lookup-or-nan", "entry-is-nothing")
def takes_a_number_for_nothing(table, i):
    found = table.at[i].get(mode="fill", fill_value=-999, wrap_negative_indices=False)
    return jnp.where(found == -999, jnp.nan, found)


@wrong("lookup-or-nan", "entry-is-nothing")
def takes_infinity_for_nothing(table, i):
    found = table.at[i].get(mode="fill", fill_value=-jnp.inf, wrap_negative_indices=False)
    return jnp.where(jnp.isneginf(found), jnp.nan, found)


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


@wrong("lookup-or-nan", "minus-one-is-last")
def clips_below(table, i):
    return table.at[jnp.maximum(i, -1)].get(mode="fill", fill_value=jnp.nan)


@wrong("lookup-or-nan", "needs-the-numbers")
def asks_in_python(table, i):
    return jnp.where(i >= 0, table[i], jnp.nan) if (i < len(table)).all() else jnp.full(i.shape, jnp.nan)


@wrong("lookup-or-nan", "one-too-early")
def loses_the_last_entry(table, i):
    return jnp.where((i >= 0) & (i < len(table) - 1), table[i], jnp.nan)


@wrong("lookup-or-nan", "one-too-late")
def reads_one_too_many(table, i):
    return jnp.where((i >= 0) & (i <= len(table)), table[i], jnp.nan)


@wrong("lookup-or-nan", "hour-0-lost")
def begins_at_one(table, i):
    return jnp.where((i > 0) & (i < len(table)), table[i], jnp.nan)


@wrong("lookup-or-nan", "not-nan")
def fills_with_zeros(table, i):
    return table.at[i].get(mode="fill", fill_value=0, wrap_negative_indices=False)


@wrong("lookup-or-nan", "flattened")
def makes_a_list_of_hours(table, i):
    return table.at[i.ravel()].get(mode="fill", fill_value=jnp.nan, wrap_negative_indices=False)


@wrong("lookup-or-nan", "far-negative")
def pads_both_ends(table, i):
    return jnp.pad(table, 1, constant_values=jnp.nan)[i + 1]


@wrong("lookup-or-nan", "wrong-value")
def counts_hours_from_one(table, i):
    return table.at[i - 1].get(mode="fill", fill_value=jnp.nan, wrap_negative_indices=False)


@right("lookup-or-nan")
@jax.jit
def sends_negative_ones_beyond(table, i):
    return jnp.take(table, jnp.where(i < 0, len(table), i), mode="fill", fill_value=jnp.nan)


@right("lookup-or-nan")
def chooses_after_a_clamped_read(table, i):
    return jnp.where((i >= 0) & (i < len(table)), table[i], jnp.nan)


# -- ring-write --------------------------------------------------------------------------------------------------


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
    ghost = (
        'The last slot was overwritten by a sample that never arrived: index -1 is the last slot, which `mode="drop"` '
        "does not drop, and -1 % n is that slot as well. Send such a sample to `n`, which is outside."
    )
    spreads = (
        "One sample that is NaN makes NaN of other slots: 0 times NaN is NaN, in a product of matrices too. Write."
    )
    wrapped = "Samples with a time of `n` or more do not reach their slots: they wrap around, into slot `t % n`."
    slips = [
        Slip(
            "thrown-away",
            lambda ring, times, values: ring,
            "The ring came back as it was. `.at[...]` gives a new one: keep it.",
        ),
        Slip("ghost-written", lambda ring, times, values: one_by_one(ring, times, values, lost=True), ghost),
        Slip("not-wrapped", drops_late_samples, wrapped),
        Slip("not-wrapped", clips_late, wrapped),
        Slip(
            "hides-a-sample",
            puts_back,
            "A missing sample writes back what slot `n - 1` held, over a sample that has just arrived there.",
        ),
        Slip(
            "time-0-lost",
            lambda ring, times, values: one_by_one(ring, np.where(times == 0, -1, times), values),
            "0 is a time.",
        ),
        Slip("added", adds, "The samples were added to what the slots held. They take its place."),
        Slip(
            "ring-emptied",
            lambda ring, times, values: one_by_one(0 * np.nan_to_num(ring), times, values),
            "Slots to which nothing is written should hold what they held.",
        ),
        Slip(
            "wrong-length",
            lambda ring, times, values: drops_late_samples(ring, np.where(times < 0, -1, times % len(times)), values),
            "`n` is the length of the ring, not the number of samples.",
        ),
        Slip("nan-spreads", lambda ring, times, values: blends(ring, times, values, 0 * ring), spreads),
        Slip("nan-spreads", lambda ring, times, values: blends(ring, times, values, np.zeros(len(ring))), spreads),
    ]

    def ask(ring, times, values):
        result, error = answer.attempt(probe.under_jit, ring, times, values, expected=NEEDS_A_SHAPE | NEEDS_A_VALUE)
        message = "How many samples arrived is not known while your function is compiled: no mask as an index. "
        dropped = "Give the missing ones an index that is outside, and they are dropped."
        refuse(error in NEEDS_A_SHAPE, "shape-depends-on-data", message + dropped, see="fixed-shapes")
        message = "Under `jit` the times are not known while your function is traced: no `if`, no NumPy."
        refuse(error, "needs-the-numbers", message)
        return result

    message = "Slots of samples that arrived should hold them, and all others what they held."
    shapes = (3, 2), (5, 12), (8, 6)
    sweep(ask, one_by_one, samples, rng, shapes=shapes, each=12, slips=slips, message=message)
    sweep(ask, one_by_one, samples, rng, shapes=[(1, 1)], each=6, message=message)
    message = "A sample that arrived counts, whatever it holds: 0, a negative number, infinity or NaN."
    times = np.arange(len(NOTHING), dtype=np.int32)
    before = np.full(len(NOTHING), 1e8, np.float32)
    anything = [(before, now, NOTHING) for now in (times, times[::-1].copy())]
    Asked(ask, one_by_one).require(anything, message, "value-is-nothing")
    message = "Right for early times, not for late ones: an `int32` ends at 2**31 - 1, a `float32` counts to 2**24."
    late = np.array([2**31 - 1, 2**24 + 1, -1, 2**30 + 4], np.int32)
    full = np.ones(7, np.float32), late, np.array([4, 5, 6, 7], np.float32)
    Asked(ask, one_by_one).require([full], message, "late-times")
    ring, times = np.ones(MANY, np.float32), np.array([-1, 3, 2 * MANY - 1], np.int32)
    require_for_long(ask, one_by_one, ring, times, np.array([5, 6, 7], np.float32))
    ring, times = np.array([1, np.nan, 3], np.float32), np.array([-1, 5], np.int32)
    cases = [(ring, times, np.array([lost, kept], np.float32)) for lost, kept in ((np.nan, 7), (np.inf, 8))]
    # Compiled, a product with a mask may become a choice.
    Asked(lambda *args: answer.probe(probe.on_jax_arrays, *args), one_by_one).require(cases, spreads, "nan-spreads")


def samples(rng, shape):
    """A ring of n slots, and m samples: to distinct slots in any round, in any order, or missing."""
    n, m = shape
    ring = np.where(rng.random(n) < rng.choice([0, 0.3]), np.nan, rng.integers(1, 9, n)).astype(np.float32)
    arrived = rng.permutation(n)[: rng.integers(0, min(n, m) + 1)]
    rounds = rng.choice([0, 0, 1, 5, 1000], len(arrived))
    times = rng.permutation([*(arrived + rounds * n), *[-1] * (m - len(arrived))]).astype(np.int32)
    values = rng.integers(10, 99, m).astype(np.float32)
    lost = rng.choice(np.float32([np.nan, np.inf, 0, 7]))
    return ring, times, np.where(times == -1, lost, values)


def one_by_one(ring, times, values, lost=False):
    """The ring after one sample and another, those that were lost too if they are asked for."""
    new = ring.copy()
    for time, value in zip(times.tolist(), values, strict=True):
        if lost or time != -1:
            new[time % len(ring)] = value
    return new


def drops_late_samples(ring, times, values):
    return one_by_one(ring, np.where(times < len(ring), times, -1), values)


def clips_late(ring, times, values):
    return one_by_one(ring, np.minimum(times, len(ring) - 1), values, lost=True)


def puts_back(ring, times, values):
    return one_by_one(ring, times, np.where(times < 0, ring[-1], values), lost=True)


def adds(ring, times, values):
    return one_by_one(ring, times, ring[times % len(ring)] + values)


def blends(ring, times, values, overwritten):
    """What a product with a matrix of zeros and ones gives, and what it leaves of the old samples."""
    hit = (times % len(ring) == np.arange(len(ring))[:, None]) & (times >= 0)
    with np.errstate(invalid="ignore"):
        return np.where(hit.any(axis=1), overwritten, ring) + (hit * values).sum(axis=1)


@wrong("ring-write", "thrown-away")
def asks_and_does_not_keep(ring, times, values):
    ring.at[jnp.where(times == -1, len(ring), times % len(ring))].set(values)
    return ring


@wrong("ring-write", "not-wrapped")
def lets_late_samples_fall(ring, times, values):
    return ring.at[jnp.where(times == -1, len(ring), times)].set(values, mode="drop")


@wrong("ring-write", "not-wrapped")
def clips_late_samples(ring, times, values):
    return ring.at[times].set(values, mode="clip", wrap_negative_indices=True)


@wrong("ring-write", "short-arrays-only")
def drops_at_a_large_number(ring, times, values):
    slots = jnp.where(times < 0, 9999, times % len(ring))
    return ring.at[slots].set(values, mode="drop")


@wrong("ring-write", "value-is-nothing")
def takes_zero_for_nothing_written(ring, times, values):
    slots = jnp.where(times == -1, len(ring), times % len(ring))
    new = jnp.zeros_like(ring).at[slots].set(values, mode="drop")
    return jnp.where(new != 0, new, ring)


@wrong("ring-write", "value-is-nothing")
def takes_nan_for_nothing_written(ring, times, values):
    slots = jnp.where(times == -1, len(ring), times % len(ring))
    new = jnp.full_like(ring, jnp.nan).at[slots].set(values, mode="drop")
    return jnp.where(jnp.isnan(new), ring, new)


@wrong("ring-write", "late-times")
def adds_a_round_for_safety(ring, times, values):
    n = len(ring)
    return ring.at[jnp.where(times == -1, n, (times + n) % n)].set(values, mode="drop")


@wrong("ring-write", "ghost-written")
def takes_the_remainder_of_all(ring, times, values):
    return ring.at[times % len(ring)].set(values)


@wrong("ring-write", "ghost-written")
def takes_minus_one_for_outside(ring, times, values):
    return ring.at[jnp.where(times == -1, -1, times % len(ring))].set(values, mode="drop")


@wrong("ring-write", "hides-a-sample")
def writes_the_old_value_back(ring, times, values):
    slots = times % len(ring)
    return ring.at[slots].set(jnp.where(times < 0, ring[slots], values))


@wrong("ring-write", "shape-depends-on-data")
def selects_the_ones_that_arrived(ring, times, values):
    arrived = times >= 0
    return ring.at[times[arrived] % len(ring)].set(values[arrived])


@wrong("ring-write", "needs-the-numbers")
def loops_in_python(ring, times, values):
    for time, value in zip(times, values, strict=True):
        if time >= 0:
            ring = ring.at[time % len(ring)].set(value)
    return ring


@wrong("ring-write", "time-0-lost")
def forgets_the_first_moment(ring, times, values):
    return ring.at[jnp.where(times > 0, times % len(ring), len(ring))].set(values, mode="drop")


@wrong("ring-write", "added")
def adds_to_what_is_there(ring, times, values):
    return ring.at[jnp.where(times == -1, len(ring), times % len(ring))].add(values)


@wrong("ring-write", "ring-emptied")
def begins_with_zeros(ring, times, values):
    return jnp.zeros_like(ring).at[jnp.where(times == -1, len(ring), times % len(ring))].set(values)


@wrong("ring-write", "wrong-length")
def counts_the_samples(ring, times, values):
    return ring.at[jnp.where(times == -1, len(ring), times % len(times))].set(values)


@wrong("ring-write", "nan-spreads")
def multiplies_by_hits(ring, times, values):
    hit = (times % len(ring) == jnp.arange(len(ring))[:, None]) & (times >= 0)
    return ring * (1.0 - hit.any(axis=1)) + hit.astype(float) @ values


@wrong("ring-write", "wrong-value")
def fills_from_the_front(ring, times, values):
    return ring.at[jnp.cumsum(times >= 0) - 1].set(values)


@right("ring-write")
@jax.jit
def writes_one_after_the_other(ring, times, values):
    def write(ring, sample):
        time, value = sample
        slot = time % len(ring)
        return ring.at[slot].set(jnp.where(time == -1, ring[slot], value)), None

    return jax.lax.scan(write, ring, (times, values))[0]


@right("ring-write")
def chooses_for_each_slot(ring, times, values):
    hit = (times % len(ring) == jnp.arange(len(ring))[:, None]) & (times != -1)
    return jnp.where(hit.any(axis=1), values[hit.argmax(axis=1)], ring)


# -- frame-at ----------------------------------------------------------------------------------------------------


@exercise(
    "frame-at",
    see="dynamic-slice",
    hint=[
        "Name each sample on its own: `start + jnp.arange(width)`.",
        "Then say what an index outside gives: `.at[...].get(mode=..., fill_value=...)`.",
    ],
)
def frame_at(answer, rng):
    slips = [
        Slip("shifted", shifted, "The frame was shifted back until it fitted: right numbers in the wrong places."),
        Slip(
            "shifted-then-masked",
            lambda signal, start, width: np.where(
                start + np.arange(width) < len(signal), shifted(signal, start, width), np.nan
            ),
            "NaN where the signal has ended, but before that the numbers of a frame that was shifted back.",
        ),
        Slip(
            "last-repeated",
            lambda signal, start, width: signal[np.minimum(start + np.arange(width), len(signal) - 1)],
            "The last sample is repeated: reads beyond the end are clamped.",
            see="out-of-bounds",
        ),
        Slip(
            "goes-round",
            lambda signal, start, width: signal[(start + np.arange(width)) % len(signal)],
            "Beyond the end your frame goes on with the first samples.",
        ),
        Slip(
            "too-little-room",
            lambda signal, start, width: shifted(np.pad(signal, (0, width - 1), constant_values=np.nan), start, width),
            "A frame that starts beyond the end should be all NaN. Yours was shifted back to the last sample.",
        ),
        Slip(
            "one-too-late",
            lambda signal, start, width: in_frame(np.append(signal, signal[-1]), start, width),
            "The last sample comes twice: position `len(signal)` is beyond the end already.",
        ),
        Slip(
            "not-nan",
            lambda signal, start, width: np.nan_to_num(in_frame(signal, start, width)),
            "Where the signal has ended you give 0, which could be a sample. NaN is wanted.",
        ),
        Slip(
            "all-or-nothing",
            lambda signal, start, width: in_frame(signal, start if start + width <= len(signal) else 10**6, width),
            "A frame that runs over the end still holds the samples before the end.",
        ),
        Slip(
            "starts-late",
            lambda signal, start, width: in_frame(signal, start + 1, width),
            "The first sample of the frame is the one at `start`. Yours is the one after it.",
        ),
    ]
    message = "Sample `j` of the frame is `signal[start + j]`, and NaN where the signal has ended."
    without_jit = functools.partial(frame_without_jit, answer)
    without_jit(np.ones(7, np.float32), 2, 3)
    ask = functools.partial(frame, answer)
    shapes = (3, 2), (10, 4), (10, 3), (6, 6)
    sweep(ask, in_frame, frames, rng, shapes=shapes, each=12, slips=slips, message=message)
    require_for_long(ask, in_frame, np.ones(MANY, np.float32), MANY - 1, 3)
    beside = "A sample that is NaN or infinite has reached the one beside it: 0 times it is NaN. Look up, or choose."
    cases = [(np.array([1, value, 4], np.float32), 2, 2) for value in (np.nan, np.inf)]
    Asked(ask, in_frame).require(cases, beside, "nan-spreads")
    every = "A sample that you took for a sign of the end is a sample. Ask the position whether it is beyond the end."
    Asked(ask, in_frame).require([(NOTHING, start, len(NOTHING)) for start in (0, 3)], every, "sample-is-nothing")
    message = "Right as long as the frame is no longer than the signal. It may be longer."
    try:
        shapes = (1, 4), (5, 8), (3, QUITE_MANY)
        sweep(ask, in_frame, frames, rng, shapes=shapes, each=3, message=message, label="wider-than-signal")
    except AnswerRaised as error:
        refuse(True, "wider-than-signal", f"{message} For `{error.given}` it raises `{error.raised.kind}`.")
    cases = [(np.float32(signal), 2, 3) for signal in ([5, 6, 7, 8], [8, 7, 6, 5])]
    inputs.Asked(without_jit, in_frame).require(cases, "Right under `jit`, and not without.", "wrong-value")


def frame_without_jit(answer, signal, start, width):
    """The answer's frame where everything is known, unless its own `jit` forgets it."""
    unknown = NEEDS_A_VALUE | NEEDS_A_SHAPE
    result, error = answer.attempt(probe.on_jax_arrays, signal, start, width, expected=unknown)
    message = "Your own `jit` traces `width` too, which then has no value: declare it static."
    refuse(error, "width-traced", message)
    return result


def frame(answer, signal, start, width):
    """The answer's frame under `jit`, where `start` is not known while it is traced."""
    try:
        result, error = answer.attempt(compiled_for, signal, start, width, expected=NEEDS_A_VALUE | NEEDS_A_SHAPE)
    except AnswerRaised as raised:
        message = "You declared `start` static, and under `jit` it is traced: declare only `width`."
        refuse("static arguments" in raised.raised.message, "start-static", message)
        raise
    message = "Under `jit`, `start` has no value while your function is traced: a Python slice or `if` cannot use it, "
    refuse(error, "start-not-known", message + "and neither can `jnp.arange`.")
    return result


def frames(rng, shape):
    """A signal, where a frame starts (inside, at the end or beyond it), and how wide it is."""
    n, width = shape
    ends = [0, max(n - width, 0), max(n - width, 0) + 1, n - 1, n, n + width, 1000]
    start = rng.choice(ends) if rng.random() < 0.7 else rng.integers(n)
    return rng.permutation(np.arange(1, n + 1, dtype=np.float32)), int(start), width


def in_frame(signal, start, width):
    return np.array([signal[k] if k < len(signal) else np.nan for k in range(start, start + width)], signal.dtype)


def shifted(signal, start, width):
    """What `dynamic_slice` gives."""
    start = min(start, len(signal) - width)
    return signal[start : start + width]


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


@wrong("frame-at", "start-not-known")
def counts_from_the_start(signal, start, width):
    return jnp.take(signal, jnp.arange(start, start + width))


@wrong("frame-at", "width-traced")
@jax.jit
def compiles_with_every_argument(signal, start, width):
    return signal.at[start + jnp.arange(width)].get(mode="fill", fill_value=jnp.nan)


@wrong("frame-at", "start-static")
@functools.partial(jax.jit, static_argnums=(1, 2))
def declares_both_static(signal, start, width):
    return signal.at[jnp.arange(start, start + width)].get(mode="fill", fill_value=jnp.nan)


@wrong("frame-at", "not-nan")
def pads_with_zeros(signal, start, width):
    return jax.lax.dynamic_slice(jnp.pad(signal, (0, width)), (start,), (width,))


@wrong("frame-at", "too-little-room")
def pads_by_one_less(signal, start, width):
    padded = jnp.pad(signal, (0, width - 1), constant_values=jnp.nan)
    return jax.lax.dynamic_slice(padded, (start,), (width,))


@wrong("frame-at", "one-too-late")
def counts_the_end_in(signal, start, width):
    k = start + jnp.arange(width)
    return jnp.where(k <= len(signal), signal[k], jnp.nan)


@wrong("frame-at", "short-arrays-only")
def reads_at_a_large_number(signal, start, width):
    place = start + jnp.arange(width)
    return signal.at[jnp.where(place < len(signal), place, 10**6)].get(mode="fill", fill_value=jnp.nan)


@wrong("frame-at", "nan-spreads")
def interpolates(signal, start, width):
    return jnp.interp(start + jnp.arange(width), jnp.arange(len(signal)), signal, right=jnp.nan)


@wrong("frame-at", "sample-is-nothing")
def takes_zero_for_the_end(signal, start, width):
    frame = jax.lax.dynamic_slice(jnp.pad(signal, (0, width)), (start,), (width,))
    return jnp.where(frame == 0, jnp.nan, frame)


@wrong("frame-at", "wider-than-signal")
def pads_by_a_thousand(signal, start, width):
    padded = jnp.pad(signal, (0, 1000), constant_values=jnp.nan)
    return jax.lax.dynamic_slice(padded, (start,), (width,))


@wrong("frame-at", "all-or-nothing")
def gives_the_frame_up(signal, start, width):
    frame = jax.lax.dynamic_slice(signal, (start,), (width,))
    return jnp.where(start + width <= len(signal), frame, jnp.nan)


@wrong("frame-at", "starts-late")
def starts_one_late(signal, start, width):
    return signal.at[start + 1 + jnp.arange(width)].get(mode="fill", fill_value=jnp.nan)


@wrong("frame-at", "wider-than-signal")
def rolls_and_masks(signal, start, width):
    rolled = jnp.roll(signal, -start)
    return jnp.where(start + jnp.arange(len(signal)) < len(signal), rolled, jnp.nan)[:width]


@wrong("frame-at", "wrong-value")
def turns_the_frame_round(signal, start, width):
    return signal.at[start + jnp.arange(width)].get(mode="fill", fill_value=jnp.nan)[::-1]


@right("frame-at")
def pads_by_the_width(signal, start, width):
    padded = jnp.pad(signal, (0, width), constant_values=jnp.nan)
    return jax.lax.dynamic_slice(padded, (start,), (width,))


@right("frame-at")
@functools.partial(jax.jit, static_argnames="width")
def clamps_to_one_more(signal, start, width):
    return jnp.append(signal, jnp.nan)[start + jnp.arange(width)]


# -- mean-of-valid -----------------------------------------------------------------------------------------------


@exercise(
    "mean-of-valid",
    see="fixed-shapes",
    hint=["Keep the shape, and carry the mask along.", "`jnp.sum` and `jnp.mean` take `where=`."],
)
def mean_of_valid(answer, rng):
    ignored = "What is not valid is in your mean, be it 999 or NaN."
    product = (
        "An element that is not valid makes the mean NaN. A product with the mask does this, because NaN and infinity "
        "times 0 are NaN: choose with `where`."
    )
    slips = [
        Slip(
            "mask-ignored",
            lambda x, valid: means(x, ~np.isnan(x)),
            "You leave out what is NaN, and nothing else. The mask says what is valid.",
        ),
        Slip("mask-ignored", lambda x, valid: means(x, np.ones(x.shape, bool)), ignored),
        Slip("mask-reversed", lambda x, valid: means(x, ~valid), "`True` means valid: you took the others."),
        Slip("nan-times-zero", products, product),
        Slip(
            "divided-by-all",
            lambda x, valid: np.where(valid, x, 0).mean(axis=-1),
            "Divide by the number of valid elements, not of all.",
        ),
        Slip(
            "divided-by-all",
            lambda x, valid: np.where(valid.any(axis=-1), np.where(valid, x, 0).mean(axis=-1), np.nan),
            "Divide by the number of valid elements, not of all.",
        ),
        Slip(
            "divided-by-too-many",
            divides_by_too_many,
            "You divide by the number of valid elements in all rows. Each row has its own.",
        ),
        Slip(
            "empty-row",
            lambda x, valid: np.nan_to_num(means(x, valid)),
            "Where nothing is valid you give 0, which could be a mean. NaN is wanted.",
        ),
        Slip(
            "zero-is-missing",
            lambda x, valid: means(x, valid & (x != 0)),
            "A valid 0 is a measurement like any other, and you leave it out.",
        ),
        Slip(
            "one-mean",
            lambda x, valid: means(x.ravel(), valid.ravel()),
            "That is one mean of everything: one for each row is wanted, `axis=-1`.",
        ),
        Slip(
            "first-axis",
            lambda x, valid: means(np.moveaxis(x, 0, -1), np.moveaxis(valid, 0, -1)),
            "That is the mean along the first axis. Time is the last.",
        ),
        Slip("axis-kept", lambda x, valid: means(x, valid)[..., None], "An axis of length 1 is left over."),
    ]

    def under_jit(x, valid):
        result, error = answer.attempt(probe.under_jit, x, valid, expected=NEEDS_A_SHAPE | NEEDS_A_VALUE)
        message = "How many elements are valid is not known while your function is compiled: `x[valid]` has no shape."
        refuse(error in NEEDS_A_SHAPE, "shape-depends-on-data", message)
        refuse(error, "needs-the-numbers", "Under `jit` there are no numbers yet: use `jnp`, and no `if`.")
        return result

    shapes = (3, 3), (4,), (2, 3, 5)
    message = "The mean of the valid elements along the last axis, and NaN where there are none."
    sweep(under_jit, means, measurements, rng, shapes=shapes, each=12, slips=slips, message=message)
    message = "A measurement that you took for the mark of a gap is a measurement: only the mask says what is valid."
    marks, mask = NOTHING[np.isfinite(NOTHING)], np.array([True, True, False, False])
    Asked(under_jit, means).require(
        [(np.array([mark, 2, np.nan, 5], np.float32), mask) for mark in marks], message, "mark-is-valid"
    )
    message = (
        "Right for short rows. In long ones the count of valid elements is more than a small integer or half precision "
        "holds: an `int8` ends at 127."
    )
    x = rng.integers(1, 4, (2, 70_000)).astype(np.float32)  # all sums are exact
    valid = np.stack([np.ones(70_000, bool), rng.random(70_000) < 0.6])
    Asked(under_jit, means, rtol=1e-3).require([(x, valid)], message, "count-overflows")

    def without_jit(x, valid):
        return answer.probe(probe.on_jax_arrays, x, valid)

    message = f"Right under `jit`, and not without. {product}"
    slips = [Slip("nan-without-jit", products, message)]
    message = "Right under `jit`, and not without."
    sweep(
        without_jit,
        means,
        measurements,
        rng,
        shapes=[(3, 4)],
        each=12,
        slips=slips,
        message=message,
        label="without-jit",
    )
    message = f"Right while XLA compiles your operations together, and not where each runs by itself. {product}"

    def by_itself(x, valid):
        return answer.probe(operation_by_operation, x, valid)

    sweep(by_itself, means, measurements, rng, shapes=[(3, 4)], each=6, message=message, label="saved-by-the-compiler")


@probe.question(evidence="values")
def operation_by_operation(function, x, valid):
    """The answer's result where nothing is compiled: XLA may make a choice of a product with a mask."""
    with jax.disable_jit():
        return function(jnp.asarray(x), jnp.asarray(valid))


def measurements(rng, shape):
    """Measurements and their mask: some are 0, and what is not valid is anything; some rows have nothing valid."""
    x = inputs.array(rng, shape, "float32", offset=float(rng.choice([0, 0, 20])))
    valid = rng.random(shape) < rng.choice([0, 0.5, 0.5, 0.5, 0.8, 1], (*shape[:-1], 1))
    x = x * np.float32(2.0 ** rng.choice([0, 0, 0, -40, 40]))
    anything = rng.choice(np.float32([np.nan, np.inf, -np.inf, 999, 0]), shape)
    return np.where(valid, x, anything if rng.random() < 0.9 else np.float32(999)), valid


def means(x, valid):
    rows = zip(x.reshape(-1, x.shape[-1]).astype(float), valid.reshape(-1, x.shape[-1]), strict=True)
    with np.errstate(invalid="ignore"):
        each = [row[good].mean() if good.any() else np.nan for row, good in rows]
    return np.reshape(each, x.shape[:-1]).astype(np.float32)


def divides_by_too_many(x, valid):
    with np.errstate(invalid="ignore"):
        return np.where(valid, x, 0).sum(axis=-1) / valid.sum()


def products(x, valid):
    with np.errstate(invalid="ignore", divide="ignore"):
        return (x * valid.astype(x.dtype)).sum(axis=-1) / valid.sum(axis=-1)


@wrong("mean-of-valid", "count-overflows")
def counts_in_a_small_integer(x, valid):
    return jnp.sum(x, axis=-1, where=valid) / valid.sum(axis=-1, dtype=jnp.int8)


@wrong("mean-of-valid", "shape-depends-on-data")
def selects_the_valid_ones(x, valid):
    return x[valid].mean()


@wrong("mean-of-valid", "nan-times-zero")
def multiplies_by_weights(x, valid):
    weights = jnp.where(valid, 1.0, 0.0)
    return (jax.lax.optimization_barrier(weights) * x).sum(axis=-1) / weights.sum(axis=-1)


@wrong("mean-of-valid", "nan-without-jit")
def multiplies_by_the_mask_as_floats(x, valid):
    return (x * valid.astype(x.dtype)).sum(axis=-1) / valid.sum(axis=-1)


@wrong("mean-of-valid", "saved-by-the-compiler")
def multiplies_by_the_mask(x, valid):
    return (x * valid).sum(axis=-1) / valid.sum(axis=-1)


@wrong("mean-of-valid", "without-jit")
def is_careful_only_when_traced(x, valid):
    return jnp.mean(x, axis=-1, where=valid) if isinstance(x, jax.core.Tracer) else jnp.nanmean(x, axis=-1)


@wrong("mean-of-valid", "mask-ignored")
def leaves_only_nan_out(x, valid):
    return jnp.nanmean(x, axis=-1)


@wrong("mean-of-valid", "mask-reversed")
def takes_the_others(x, valid):
    return jnp.mean(x, axis=-1, where=~valid)


@wrong("mean-of-valid", "divided-by-all")
def counts_them_all(x, valid):
    return jnp.where(valid, x, 0).mean(axis=-1)


@wrong("mean-of-valid", "divided-by-all")
def counts_them_all_where_there_are_some(x, valid):
    return jnp.where(valid.any(axis=-1), jnp.where(valid, x, 0).mean(axis=-1), jnp.nan)


@wrong("mean-of-valid", "divided-by-too-many")
def counts_in_all_rows(x, valid):
    return jnp.sum(x, axis=-1, where=valid) / valid.sum()


@wrong("mean-of-valid", "empty-row")
def never_divides_by_zero(x, valid):
    return jnp.sum(x, axis=-1, where=valid) / jnp.maximum(valid.sum(axis=-1), 1)


@wrong("mean-of-valid", "zero-is-missing")
def counts_what_is_not_zero(x, valid):
    kept = jnp.where(valid, x, 0)
    return kept.sum(axis=-1) / (kept != 0).sum(axis=-1)


@wrong("mean-of-valid", "mark-is-valid")
def takes_a_number_for_a_gap(x, valid):
    marked = jnp.where(valid, x, -999)
    return jnp.mean(marked, axis=-1, where=marked != -999)


@wrong("mean-of-valid", "wrong-value")
def takes_large_ones_for_gaps(x, valid):
    return jnp.mean(x, axis=-1, where=valid & (jnp.abs(x) < 1e6))


@wrong("mean-of-valid", "one-mean")
def forgets_the_axis(x, valid):
    return jnp.mean(x, where=valid)


@wrong("mean-of-valid", "first-axis")
def takes_the_first_axis(x, valid):
    return jnp.mean(x, axis=0, where=valid)


@wrong("mean-of-valid", "axis-kept")
def leaves_an_axis(x, valid):
    return jnp.mean(x, axis=-1, where=valid, keepdims=True)


@wrong("mean-of-valid", "needs-the-numbers")
def masks_in_numpy(x, valid):
    return np.ma.masked_array(x, ~valid).mean(axis=-1).filled(np.nan)


@wrong("mean-of-valid", "wrong-value")
def takes_the_median(x, valid):
    return jnp.nanmedian(jnp.where(valid, x, jnp.nan), axis=-1)


@right("mean-of-valid")
def divides_by_the_count(x, valid):
    return jnp.where(valid, x, 0).sum(axis=-1) / valid.sum(axis=-1)


@right("mean-of-valid")
@jax.jit
def makes_the_others_nan(x, valid):
    return jnp.nanmean(jnp.where(valid, x, jnp.nan), axis=-1)


# -- first-events ------------------------------------------------------------------------------------------------


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
    padded = "The places left over hold the first element: 0, the default of `nonzero`, is an index too."
    slips = [
        Slip("padded-with-first", lambda signal, threshold, k: first_above(signal, threshold, k, signal[0]), padded),
        Slip(
            "padded-with-first",
            lambda signal, threshold, k: first_above(
                signal, threshold, k, signal[0] if signal[0] > threshold else np.nan
            ),
            "Where the first element is an event, the places left over repeat it: 0 is an index too.",
        ),
        Slip(
            "padded-with-last",
            lambda signal, threshold, k: first_above(signal, threshold, k, signal[-1]),
            "The places left over hold the last element: -1 is the last, and so is, without a mode, an index beyond "
            "the end.",
        ),
        Slip(
            "padded-with-zeros",
            lambda signal, threshold, k: first_above(signal, threshold, k, 0),
            "The places left over hold 0, which could be a measurement: use NaN.",
        ),
        Slip(
            "threshold-included",
            lambda signal, threshold, k: first_above(signal, np.nextafter(np.float32(threshold), -np.inf), k),
            "An element that equals the threshold is not greater: `>`, not `>=`.",
        ),
        Slip(
            "largest-not-first",
            lambda signal, threshold, k: first_above(np.sort(signal)[::-1], threshold, k),
            "Those are the largest events. The first are wanted, in their order.",
        ),
        Slip(
            "order-lost",
            lambda signal, threshold, k: first_above(np.sort(signal), threshold, k),
            "The events come sorted by size. The first are wanted, in the order in which they came.",
        ),
        Slip(
            "last-not-first",
            lambda signal, threshold, k: first_above(signal[::-1], threshold, k),
            "Those are the last events, backwards. The first are wanted.",
        ),
        Slip(
            "cut-too-early",
            lambda signal, threshold, k: np.where(signal > threshold, signal, np.nan)[:k],
            "You looked for events among the first `k` samples only: select first, then cut.",
        ),
        Slip(
            "gave-positions",
            lambda signal, threshold, k: first_above(np.arange(len(signal)), threshold, k, chosen=signal > threshold),
            "Those are the positions of the events. Their values are wanted.",
        ),
        Slip(
            "others-follow",
            lambda signal, threshold, k: signal[np.argsort(~(signal > threshold), stable=True)][:k],
            "After the events come elements that are none. NaN is wanted there.",
        ),
    ]
    ask = functools.partial(events, answer)
    message = "The first `k` events in their order, and NaN where there are fewer."
    shapes = (3, 2), (13, 4), (13, 1)
    sweep(ask, first_above, signals, rng, shapes=shapes, each=12, slips=slips, message=message)
    long = np.where(np.arange(QUITE_MANY) == 5, 2, 0).astype(np.float32)
    require_for_long(ask, first_above, long, 1.0, 3)

    def ask_more(signal, threshold, k):
        got = answer.probe(unless_all_pairs, long, signal, threshold, k)
        return first_above(signal, threshold, k) if got is None else got

    require_for_long(ask_more, first_above, np.where(np.arange(MANY) == 5, 2, 0).astype(np.float32), 1.0, 3)
    require_for_long(ask_more, first_above, np.arange(MANY, dtype=np.float32), 10.5, 3)
    message = "Right as long as `k` is not more than `signal` has. It may be more, and the result has `k` elements."
    try:
        shapes = (1, 3), (4, 7)
        sweep(ask, first_above, signals, rng, shapes=shapes, each=3, message=message, label="k-beyond-the-end")
    except AnswerRaised as error:
        refuse(True, "k-beyond-the-end", f"{message} For `{error.given}` it raises `{error.raised.kind}`.")
    require_for_long(ask, first_above, np.arange(1500, dtype=np.float32), 1.0, QUITE_MANY)
    message = "An event that you took for a sign of nothing is an event. Ask the position whether it is one."
    finite = NOTHING[np.isfinite(NOTHING)]
    Asked(ask, first_above).require([(finite, -1e10, 13), (finite[::-1], -1e10, 13)], message, "event-is-nothing")


@probe.question(evidence="values")
def unless_all_pairs(function, short, array, threshold, k):
    """The answer's result for a long array, under `jit`; nothing if it compares all pairs, which takes too long."""
    program = list(probe.equations(jax.make_jaxpr(function, static_argnums=2)(short, threshold, k)))
    largest = max(math.prod(getattr(out.aval, "shape", ())) for equation in program for out in equation.outvars)
    loops = {"scan", "while"} & {str(equation.primitive) for equation in program}
    if loops or largest > 30 * len(short):
        return None
    return jax.jit(function, static_argnums=2)(array, threshold, k)


def events(answer, signal, threshold, k):
    """The answer's events under `jit`, where nothing but `k` is known while it is traced."""
    result, error = answer.attempt(compiled_for, signal, threshold, k, expected=NEEDS_A_SHAPE | NEEDS_A_VALUE)
    if error:
        _, alone = answer.attempt(probe.on_jax_arrays, signal, threshold, k, expected=NEEDS_A_SHAPE | NEEDS_A_VALUE)
        _, around = answer.attempt(size_only, signal, threshold, k, expected=NEEDS_A_SHAPE | NEEDS_A_VALUE)
        message = "Your own `jit` traces `k` too, which then has no value: declare it static."
        refuse(alone and not around, "k-traced", message)
    message = "How many events there are is not known while your function is compiled: give `nonzero` a `size`."
    refuse(error in NEEDS_A_SHAPE, "shape-depends-on-data", message)
    refuse(error, "needs-the-numbers", "Under `jit` there are no numbers yet: use `jnp`, and no `if`.")
    return result


def size_only(function, array, argument, size):
    """The answer's result without any `jit`, its own included."""
    with jax.disable_jit():
        return function(jnp.asarray(array), argument, size)


def signals(rng, shape):
    """A signal with few or many events, some elements exactly at the threshold, and how many are wanted."""
    n, k = shape
    threshold = float(rng.integers(-2, 3)) / 4
    low, high = rng.choice([[-3, 3], [-3, threshold + 0.5], [threshold, 3]])
    signal = inputs.array(rng, n, "float32", low=low, high=high)
    signal = inputs.meeting(rng, signal, threshold)
    signal = np.where(rng.random(n) < 0.1, np.float32(threshold + 2.0**-22), signal)  # an event all the same
    if rng.random() < 0.3:  # one event, and it is the first element
        signal = np.minimum(signal, np.float32(threshold))
        signal[0] = threshold + 2
    unit = 2.0 ** rng.choice([0, 0, -40])
    return np.float32(unit) * signal, unit * threshold, k


def first_above(signal, threshold, k, padding=np.nan, chosen=None):
    found = signal[signal > threshold if chosen is None else chosen][:k]
    return np.array([*found, *[padding] * (k - len(found))], np.float32)


@wrong("first-events", "shape-depends-on-data")
def selects_then_cuts(signal, threshold, k):
    return signal[signal > threshold][:k]


@wrong("first-events", "k-traced")
@jax.jit
def compiles_for_every_k(signal, threshold, k):
    positions = jnp.flatnonzero(signal > threshold, size=k, fill_value=len(signal))
    return signal.at[positions].get(mode="fill", fill_value=jnp.nan)


@wrong("first-events", "padded-with-first")
def leaves_the_default(signal, threshold, k):
    return signal[jnp.nonzero(signal > threshold, size=k)[0]]


@wrong("first-events", "padded-with-first")
def trusts_the_threshold(signal, threshold, k):
    found = signal[jnp.nonzero(signal > threshold, size=k)[0]]
    return jnp.where(found > threshold, found, jnp.nan)


@wrong("first-events", "short-arrays-only")
def fills_with_a_large_number(signal, threshold, k):
    (where,) = jnp.nonzero(signal > threshold, size=k, fill_value=10_000)
    return signal.at[where].get(mode="fill", fill_value=jnp.nan)


@wrong("first-events", "short-arrays-only")
def writes_at_a_large_number(signal, threshold, k):
    event = signal > threshold
    place = jnp.where(event, jnp.cumsum(event) - 1, 10_000)
    return jnp.full(k, jnp.nan, signal.dtype).at[place].set(signal, mode="drop")


@wrong("first-events", "short-arrays-only")
def fills_with_a_million(signal, threshold, k):
    (where,) = jnp.nonzero(signal > threshold, size=k, fill_value=10**6)
    return signal.at[where].get(mode="fill", fill_value=jnp.nan)


@wrong("first-events", "event-is-nothing")
def takes_a_number_for_nothing_left(signal, threshold, k):
    (where,) = jnp.nonzero(signal > threshold, size=k, fill_value=len(signal))
    found = signal.at[where].get(mode="fill", fill_value=-999)
    return jnp.where(found == -999, jnp.nan, found)


@wrong("first-events", "wrong-value")
def wants_a_little_more(signal, threshold, k):
    (where,) = jnp.nonzero(signal - threshold > 1e-6, size=k, fill_value=len(signal))
    return signal.at[where].get(mode="fill", fill_value=jnp.nan)


@wrong("first-events", "wrong-value")
def loses_the_axis(signal, threshold, k):
    (where,) = jnp.nonzero(signal > threshold, size=k, fill_value=len(signal))
    return signal.at[where].get(mode="fill", fill_value=jnp.nan).squeeze()


@wrong("first-events", "padded-with-last")
def fills_with_minus_one(signal, threshold, k):
    return signal.at[jnp.nonzero(signal > threshold, size=k, fill_value=-1)[0]].get(mode="fill")


@wrong("first-events", "padded-with-last")
def reads_without_a_mode(signal, threshold, k):
    return signal[jnp.nonzero(signal > threshold, size=k, fill_value=len(signal))[0]]


@wrong("first-events", "padded-with-zeros")
def extracts_with_zeros(signal, threshold, k):
    return jnp.extract(signal > threshold, signal, size=k, fill_value=0)


@wrong("first-events", "threshold-included")
def begins_at_the_threshold(signal, threshold, k):
    return jnp.extract(signal >= threshold, signal, size=k, fill_value=jnp.nan)


@wrong("first-events", "largest-not-first")
def takes_the_top(signal, threshold, k):
    top = jax.lax.top_k(signal, k)[0]
    return jnp.where(top > threshold, top, jnp.nan)


@wrong("first-events", "order-lost")
def sorts_the_events(signal, threshold, k):
    found = jnp.sort(jnp.where(signal > threshold, signal, jnp.nan))
    return jnp.pad(found, (0, k), constant_values=jnp.nan)[:k]


@wrong("first-events", "cut-too-early")
def looks_at_the_first_samples(signal, threshold, k):
    return jnp.where(signal > threshold, signal, jnp.nan)[:k]


@wrong("first-events", "gave-positions")
def stops_at_the_positions(signal, threshold, k):
    positions = jnp.flatnonzero(signal > threshold, size=k, fill_value=len(signal))
    return jnp.where(positions < len(signal), positions, jnp.nan)


@wrong("first-events", "others-follow")
def moves_events_to_the_front(signal, threshold, k):
    return signal[jnp.argsort(~(signal > threshold), stable=True)][:k]


@wrong("first-events", "last-not-first")
def takes_the_last_events(signal, threshold, k):
    backwards = signal[::-1]
    return jnp.extract(backwards > threshold, backwards, size=k, fill_value=jnp.nan)


@wrong("first-events", "k-beyond-the-end")
def has_no_more_than_the_signal(signal, threshold, k):
    order = jnp.argsort(~(signal > threshold), stable=True)[:k]
    return jnp.where(signal[order] > threshold, signal[order], jnp.nan)


@wrong("first-events", "k-beyond-the-end")
def extracts_with_nan(signal, threshold, k):
    return jnp.extract(signal > threshold, signal, size=k, fill_value=jnp.nan)


@wrong("first-events", "wrong-value")
def looks_at_the_size(signal, threshold, k):
    return jnp.extract(jnp.abs(signal) > threshold, signal, size=k, fill_value=jnp.nan)


@wrong("first-events", "needs-the-numbers")
def looks_in_numpy(signal, threshold, k):
    events = np.asarray(signal)[np.asarray(signal) > threshold][:k]
    return np.pad(events, (0, k - len(events)), constant_values=np.nan)


@right("first-events")
def sorts_by_what_is_above(signal, threshold, k):
    longer = jnp.pad(jnp.where(signal > threshold, signal, jnp.nan), (0, k), constant_values=jnp.nan)
    return longer[jnp.argsort(jnp.isnan(longer), stable=True)][:k]


@right("first-events")
@functools.partial(jax.jit, static_argnums=2)
def writes_to_the_rank(signal, threshold, k):
    above = signal > threshold
    rank = jnp.where(above, jnp.cumsum(above) - 1, k)
    return jnp.full(k, jnp.nan).at[rank].set(signal, mode="drop")


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent(
        "value-at-peak",
        "`np.take_along_axis(wavelength, peak, axis=-1)`  ->  `np.take_along_axis(wavelength, peak)`",
        "the last axis is the default",
    ),
    equivalent("value-at-peak", "`0`  ->  `-1`", "the axis has length 1"),
    equivalent("photon-image", "`np.zeros(shape, int)`  ->  `np.zeros(shape)`", "no dtype is asked for"),
    equivalent("zero-border", "`:`  ->  `1:`", "the first row is 0 already"),
    equivalent(
        "ring-write",
        "`jnp.where(times == -1, n, times % n)`  ->  `(times == -1) * n + (1 - (times == -1)) * (times % n)`",
        "slots are whole numbers",
    ),
]
