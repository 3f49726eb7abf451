"""Checks of lesson 02, broadcasting: what is asked, what people get wrong, and what each mistake is told."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.exercise import close, entries, exercise, expect, is_numeric, numbers, require, wrong
from jaxcourse.puzzle import agrees, expect_spec, growing, require_primitives


def require_no_loop(answer):
    """Require that the code has no loop. It is asked last: then the numbers are right already."""
    found = answer.probe(probe.written)
    disguised = {"apply_along_axis", "apply_over_axes", "fromfunction", "frompyfunc", "vectorize"} & set(found["names"])
    message = (
        f"The numbers are right, but `{min(disguised, default='')}` calls Python for each piece: a loop in disguise."
    )
    require(not disguised, "still-a-loop", message)
    message = "The numbers are right, but Python still loops. Give each index an axis."
    require(not found["loops"], "still-a-loop", message)


def differing(got, want):
    """The keys of two dictionaries under which the values differ, as a list for a message."""
    return ", ".join(f"`{name}`" for name in want if got[name] != want[name])


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


@exercise(
    "predict-broadcast",
    see="rule",
    hint=["Write the two shapes below each other, aligned on the right.", "Then look at one axis after the other."],
)
def predict_broadcast(answer, rng):
    want = {name: shape_or_error(*pair) for name, pair in FIVE_PAIRS.items()}
    got = entries(answer.value(), like=want)
    got = {
        name: tuple(value) if isinstance(value, (tuple, list)) else str(value).lower() for name, value in got.items()
    }
    readable = all(value == "error" or isinstance(value, tuple) for value in got.values())
    require(readable, "not-a-shape", 'Give a tuple of lengths, such as `(7, 4)`, or the text `"error"`.')
    message = "3 and 2 meet, and neither is 1: a longer axis is never cut, and a shorter one never repeated in part."
    require(got["(3, 3) and (2, 3)"] == "error", "clash-overlooked", message)
    message = "`(7,)` is aligned on the right: it becomes `(1, 7)`, a row, and fits into `(4, 7)`."
    require(got["(7,) and (4, 7)"] != "error", "aligned-on-the-left", message)
    both = "(1, 1, 1, 8) and (1, 9, 1)", "(4, 1, 9) and (3, 1)"
    message = "Both operands may stretch, each along another axis. The result is then larger than either."
    require("error" not in [got[name] for name in both], "only-one-stretches", message)
    message = "The result has as many axes as the operand with the most: missing ones are added on the left."
    require(len(got[both[0]]) == 4 and len(got[both[1]]) == 3, "axes-lost", message)
    differ = differing(got, want)
    require(not differ, "wrong-value", f"Not right yet: {differ}. Equal lengths stay, and 1 becomes the other length.")


TRUE_SHAPES = {name: shape_or_error(*pair) for name, pair in FIVE_PAIRS.items()}
repeats_in_part = wrong("predict-broadcast", "clash-overlooked")(TRUE_SHAPES | {"(3, 3) and (2, 3)": (3, 3)})
pads_on_the_right = wrong("predict-broadcast", "aligned-on-the-left")(TRUE_SHAPES | {"(7,) and (4, 7)": "error"})
one_operand_leads = wrong("predict-broadcast", "only-one-stretches")(TRUE_SHAPES | {"(4, 1, 9) and (3, 1)": "error"})
drops_ones = wrong("predict-broadcast", "axes-lost")(TRUE_SHAPES | {"(1, 1, 1, 8) and (1, 9, 1)": (9, 8)})
transposes = wrong("predict-broadcast", "wrong-value")(TRUE_SHAPES | {"(7,) and (4, 7)": (7, 4)})
shapes_in_words = wrong("predict-broadcast", "not-a-shape")({name: str(shape) for name, shape in TRUE_SHAPES.items()})
list_of_shapes = wrong("predict-broadcast", "keys-changed")(list(TRUE_SHAPES.values()))

# -- broadcast-rule ---------------------------------------------------------------------------------------------


def broadcast_or_refuse(rule, *shapes):
    """The shape that the answer returns, or the word "ValueError" where it refuses."""
    try:
        shape = rule(*shapes)
    except ValueError:
        return "ValueError"
    return shape


def stretching_pair(rng):
    """Two shapes of which each stretches along an axis that the other has, and the second lacks the first axis."""
    a, b, c, d = map(int, rng.integers(2, 7, size=4))
    return (a, b, 1, d), (1, c, d)


@exercise(
    "broadcast-rule",
    points=2,
    see="rule",
    hint=[
        "Make all shapes equally long first: how many ones does each need on its left?",
        "`zip(*aligned)` gives the lengths on one axis after the other.",
        "Remove the ones from them. How many different lengths may be left?",
    ],
)
def broadcast_rule(answer, rng):
    got = answer.probe(broadcast_or_refuse, (7, 1), (7, 4))
    require(isinstance(got, (tuple, list, str)), "not-a-shape", "Return a tuple of lengths.")
    require(got != "ValueError", "ones-refused", "(7, 1) and (7, 4) broadcast: a length of 1 stretches.")
    expect(got, (7, 4), "The 1 stretches to 4.")
    got = answer.probe(broadcast_or_refuse, (3, 5), (5,))
    message = "(3, 5) and (5,) broadcast to (3, 5): shapes are aligned on the right."
    require(got != "ValueError" and len(got) == 2, "aligned-on-the-left", message)
    got = answer.probe(broadcast_or_refuse, (4, 6), (4, 3))
    message = "6 and 3 meet on one axis, and none of them is 1. That 3 divides 6 does not help: raise `ValueError`."
    require(got == "ValueError", "clash-accepted", message)
    pair = stretching_pair(rng)
    expect(answer.probe(broadcast_or_refuse, *pair), np.broadcast_shapes(*pair), "That is not the common shape.")
    three = (2, 1, 1), (3, 1), (4,)
    got = answer.probe(broadcast_or_refuse, *three)
    message = "(2, 1, 1), (3, 1) and (4,) broadcast to (2, 3, 4). The rule holds for any number of shapes."
    require(got != "ValueError" and close(got, (2, 3, 4)), "two-shapes-only", message)
    got = answer.probe(broadcast_or_refuse, (3, 0), (1,))
    message = (
        "(3, 0) and (1,) broadcast to (3, 0): a 1 stretches to any length, and 0 is one. The largest is not the rule."
    )
    require(got != "ValueError" and close(got, (3, 0)), "largest-taken", message)
    require(close(answer.probe(broadcast_or_refuse, (5,), ()), (5,)), "number-refused", "() is the shape of a number.")


def aligned(shapes):
    rank = max(len(shape) for shape in shapes)
    return [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]


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
    return np.broadcast_shapes(*[tuple(shape) + (1,) * (rank - len(shape)) for shape in shapes])


@wrong("broadcast-rule", "aligned-on-the-left")
def cuts_to_the_shorter(*shapes):
    return tuple(max(lengths) for lengths in zip(*shapes, strict=False))


@wrong("broadcast-rule", "two-shapes-only")
def takes_the_first_two(*shapes):
    return np.broadcast_shapes(*shapes[:2])


@wrong("broadcast-rule", "ones-refused")
def wants_equal_lengths(*shapes):
    for lengths in zip(*aligned(shapes), strict=True):
        if len(set(lengths)) > 1:
            raise ValueError("clash")
    return aligned(shapes)[0]


@wrong("broadcast-rule", "number-refused")
def needs_an_axis_in_each(*shapes):
    return np.broadcast_shapes(*shapes) if all(shapes) else ()


@wrong("broadcast-rule", "wrong-value")
def returns_the_last(*shapes):
    np.broadcast_shapes(*shapes)
    return aligned(shapes)[-1]


@wrong("broadcast-rule", "wrong-shape")
def forgets_what_sticks_out(*shapes):
    np.broadcast_shapes(*shapes)
    return np.broadcast_shapes(*shapes)[-2:]


@wrong("broadcast-rule", "not-a-shape")
def counts_the_elements(*shapes):
    return int(np.prod(np.broadcast_shapes(*shapes)))


# -- unit-vectors -----------------------------------------------------------------------------------------------


def normalised(v):
    """The oracle: one vector after the other."""
    result = np.zeros(v.shape)
    for index in np.ndindex(v.shape[:-1]):
        length = sum(float(component) ** 2 for component in v[index]) ** 0.5
        result[index] = [component / length if length else 0.0 for component in v[index]]
    return result


@exercise(
    "unit-vectors",
    points=2,
    see="columns",
    hint=[
        "Which axis do the components of one vector lie along? Count from the end.",
        "The lengths must stretch back over `v`: what does `keepdims=True` leave?",
        "For zero vectors: divide by something else than 0, where the length is 0.",
    ],
)
def unit_vectors(answer, rng):
    v = rng.normal(size=(4, 4))
    got, want = numbers(answer(v)), normalised(v)
    message = "The lengths met the *columns* of `v`: without an axis of length 1, a vector of them counts as a row."
    require(not close(got, v / np.linalg.norm(v, axis=1)), "lengths-as-a-row", f"{message} Here it even fits.")
    message = "Those columns have length 1, not the rows. The components of a vector lie along the last axis."
    require(not close(got, v / np.linalg.norm(v, axis=0)), "wrong-axis", message)
    message = "You divided by one number, the length of everything together. Each vector has its own: `axis=-1`."
    require(not close(got, v / np.linalg.norm(v)), "one-length-for-all", message)
    require(not close(got, v / (v**2).sum(-1, keepdims=True)), "root-lost", "The length is the *root* of that sum.")
    absolute = np.abs(v).sum(-1, keepdims=True)
    require(not close(got, v / absolute), "sum-of-absolutes", "Absolute values add up to 1 now. Square, sum, root.")
    too_short = close(got, want, rtol=1e-5) and not close(got, want)
    message = "Not quite length 1: something small was added to the lengths. Exclude 0 alone, and leave the others."
    require(not too_short, "lengths-padded", message)
    expect(got, want, "Each vector should have length 1.")
    for shape in ((2, 3, 5), (3,), (2, 1, 3, 2)):
        other = rng.normal(size=shape)
        message = f"Right for two axes, not for the shape {shape}."
        got = numbers(answer(other))
        require(close(got, normalised(other)), "two-axes-only", f"{message} `axis=-1` is the last one of any rank.")
    v[1] = 0.0
    got = numbers(answer(v))
    require(not np.isnan(got).any(), "zero-over-zero", "A zero vector became NaN. Here it should stay zero.")
    expect(
        got, normalised(v), "A zero vector should stay zero, and the others should not notice.", label="zero-changed"
    )
    tiny = 1e-12 * rng.normal(size=(3, 2))
    message = "Vectors of size 1e-12 come out too short: do not add a small number to the length, exclude 0 alone."
    require(close(answer(tiny), normalised(tiny)), "tiny-vectors", message)
    require_no_loop(answer)


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


@wrong("unit-vectors", "still-a-loop")
def calls_python_for_each(v):
    return np.apply_along_axis(lambda vector: vector / (np.linalg.norm(vector) or 1.0), -1, v)


@wrong("unit-vectors", "tiny-vectors")
def adds_a_small_number(v):
    return v / (np.linalg.norm(v, axis=-1, keepdims=True) + 1e-15)


@wrong("unit-vectors", "zero-changed")
def makes_ones_of_zeros(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(length == 0, 1.0, v / np.where(length == 0, 1.0, length))


@wrong("unit-vectors", "still-a-loop")
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


def instrument(rng, detectors, samples):
    """Random arguments of the exercise: gain, offset, source, glitch, noise."""
    per_detector, per_sample = rng.normal(size=(2, detectors)), rng.normal(size=(2, samples))
    return *per_detector, *per_sample, rng.normal(size=(detectors, samples))


@exercise(
    "detector-signal",
    see="more-operands",
    hint=[
        "Which arguments run down, with the detectors, and which to the right, with the samples?",
        "What runs down must be a column: `[:, None]`.",
    ],
)
def detector_signal(answer, rng):
    detectors, samples = int(rng.integers(3, 6)), int(rng.integers(7, 12))
    gain, offset, source, glitch, noise = inputs = instrument(rng, detectors, samples)
    got, want = numbers(answer(*inputs)), signal_by_loops(*inputs)
    turned = got.shape == (samples, detectors)
    message = "One row for each detector, please: yours has one for each sample. `noise` shows the shape."
    require(not turned, "rows-are-samples", message)
    amplified = gain[:, None] * (source + glitch) + offset[:, None] + noise
    require(not close(got, amplified), "glitch-amplified", "The gain acts on the source alone, not on the glitch.")
    require(not close(got, want - noise), "noise-lost", "Everything but the noise is there.")
    require(
        not close(got, want - offset[:, None]), "offset-lost", "Everything but the offset of each detector is there."
    )
    require(not close(got, want - glitch), "glitch-lost", "Everything but the glitch is there.")
    expect(got, want, "Not the signal of the loops.")
    square = instrument(rng, 4, 4)
    message = "With as many samples as detectors it is wrong: something that runs down was taken for a row, or guessed."
    expect(answer(*square), signal_by_loops(*square), message, label="guessed-from-lengths")
    require_no_loop(answer)


@wrong("detector-signal", "ValueError")
def writes_the_formula_as_it_is(gain, offset, source, glitch, noise):
    return gain * source + glitch + offset + noise


@wrong("detector-signal", "ValueError")
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


@wrong("detector-signal", "still-a-loop")
def row_by_row(gain, offset, source, glitch, noise):
    return np.array([g * source + glitch + o + n for g, o, n in zip(gain, offset, noise, strict=True)])


@wrong("detector-signal", "guessed-from-lengths")
def turns_whatever_does_not_fit(gain, offset, source, glitch, noise):
    columns = [v if len(v) == noise.shape[1] else v[:, None] for v in (gain, offset)]
    return columns[0] * source + glitch + columns[1] + noise


@wrong("detector-signal", "wrong-value")
def subtracts_the_offset(gain, offset, source, glitch, noise):
    return gain[:, None] * source + glitch - offset[:, None] + noise


# -- blank-the-glitch -------------------------------------------------------------------------------------------


def blanked(signal, times, start, stop, fill):
    """The oracle: sample by sample."""
    result = signal.copy()
    for i in range(signal.shape[0]):
        for j in range(signal.shape[1]):
            if start[i] <= times[j] < stop[i]:
                result[i, j] = fill[i]
    return result


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
    detectors, samples = int(rng.integers(3, 6)), int(rng.integers(9, 13))
    times = np.arange(samples) * 0.5
    first = rng.integers(1, samples - 5, size=detectors)
    first[:2] = 1, samples - 6  # two windows that differ, whatever was drawn
    start, stop = times[first], times[first + 3]
    fill, signal = rng.uniform(10, 20, size=detectors), rng.normal(size=(detectors, samples))
    inputs = signal, times, start, stop, fill
    got, want = numbers(answer(*inputs)), blanked(*inputs)
    hit = (start[:, None] <= times) & (times < stop[:, None])
    message = "Those samples became 0. Multiplying by a mask can do that only; they should be `fill`."
    require(not close(got, signal * ~hit), "zeros-not-fill", message)
    inside_out = np.where(hit, signal, fill[:, None])
    require(not close(got, inside_out), "inside-out", "You kept the glitch and blanked the rest: exchange the two.")
    with_the_end = np.where(hit | (times == stop[:, None]), fill[:, None], signal)
    message = "The sample at `stop` itself should stay: it is `t < stop`, without equality."
    require(not close(got, with_the_end), "end-blanked", message)
    without_the_start = np.where(hit & (times != start[:, None]), fill[:, None], signal)
    message = "The sample at `start` itself should go: it is `start <= t`, with equality."
    require(not close(got, without_the_start), "start-kept", message)
    anywhere = (times >= start.min()) & (times < stop.max())
    message = "You blanked one window in all detectors. Each has its own `start` and `stop`: they are columns."
    require(not close(got, np.where(anywhere, fill[:, None], signal)), "one-window", message)
    expect(got, want, "Not what the loops would give.")
    square = rng.normal(size=(4, 4)), np.arange(4.0), np.array([0.0, 1, 2, 1]), np.array([2.0, 3, 3, 2]), np.arange(4.0)
    message = "With as many samples as detectors it is wrong: something that runs down was taken for a row, or guessed."
    expect(answer(*square), blanked(*square), message, label="guessed-from-lengths")
    require_no_loop(answer)


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


@wrong("blank-the-glitch", "ValueError")
def joins_with_and(signal, times, start, stop, fill):
    return np.where(start[:, None] <= times and times < stop[:, None], fill[:, None], signal)


@wrong("blank-the-glitch", "changed-input")
def writes_into_the_signal(signal, times, start, stop, fill):
    hit = (start[:, None] <= times) & (times < stop[:, None])
    signal[hit] = np.broadcast_to(fill[:, None], signal.shape)[hit]
    return signal


@wrong("blank-the-glitch", "still-a-loop")
def detector_by_detector(signal, times, start, stop, fill):
    result = signal.copy()
    for i in range(len(signal)):
        result[i, (start[i] <= times) & (times < stop[i])] = fill[i]
    return result


@wrong("blank-the-glitch", "guessed-from-lengths")
def turns_what_does_not_fit(signal, times, start, stop, fill):
    start, stop, fill = (v if len(v) == len(times) else v[:, None] for v in (start, stop, fill))
    return np.where((start <= times) & (times < stop), fill, signal)


@wrong("blank-the-glitch", "wrong-value")
def joins_with_or(signal, times, start, stop, fill):
    return np.where((start[:, None] <= times) | (times < stop[:, None]), fill[:, None], signal)


# -- distance-grid ----------------------------------------------------------------------------------------------


def distances_from_origin(x, y, z):
    """The oracle: point by point."""
    return np.array([[[(a * a + b * b + c * c) ** 0.5 for c in z] for b in y] for a in x])


@exercise(
    "distance-grid",
    see="more-operands",
    hint=["`x` should vary along axis 0 and be 1 long on axes 1 and 2. And `y`?", "`x[:, None, None]`"],
)
def distance_grid(answer, rng):
    lengths = rng.permutation([2, 3, 4])
    x, y, z = vectors = [rng.normal(size=length) for length in lengths]
    got, want = numbers(answer(*vectors)), distances_from_origin(*vectors)
    message = "The first two axes are exchanged: `np.meshgrid` does that unless you say `indexing='ij'`."
    require(got.shape != (len(y), len(x), len(z)), "meshgrid-order", message)
    message = "The axes are in reverse: `x` runs along the last one. It should run along the first: `x[:, None, None]`."
    require(got.shape != want.shape[::-1], "axes-reversed", message)
    require(not close(got, want**2), "squared", "Those are the squares of the distances.")
    summed = np.abs(x[:, None, None] + y[:, None] + z)
    require(not close(got, summed), "squared-too-late", "Square each coordinate first, then add. You added first.")
    expect(got, want, "Not the distance from the origin.")
    require_no_loop(answer)


@wrong("distance-grid", "ValueError")
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


@wrong("distance-grid", "still-a-loop")
def a_slab_at_a_time(x, y, z):
    return np.array([np.sqrt(a**2 + y[:, None] ** 2 + z**2) for a in x])


@wrong("distance-grid", "wrong-value")
def taxicab(x, y, z):
    return np.abs(x)[:, None, None] + np.abs(y)[:, None] + np.abs(z)


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


@exercise(
    "stretched-strides",
    see="stride-zero",
    hint=["How many bytes is it from `a` to `a`?", "One of the five is no broadcast: it writes everything out."],
)
def stretched_strides(answer, rng):
    want = strides_of_stretched()
    got = entries(answer.value(), like=want)
    got = {name: tuple(value) if isinstance(value, (tuple, list)) else value for name, value in got.items()}
    pairs = all(isinstance(value, tuple) and len(value) == 2 for value in got.values())
    require(pairs, "not-a-pair", "All five results have two axes: give a pair of strides for each.")
    row, column, reverse, number, tiled = want
    require(got[row] != (12, 4), "rows-written-out", "12 bytes would be a next row. There is one row only: stay, 0.")
    require(got[row] != (0, 1), "counted-elements", "Strides are bytes: an element of `float32` has 4 of them.")
    require(got[row] != (0, 8), "float64-size", "Right for `float64`. An element of `float32` has 4 bytes.")
    message = "A column stretches to the right: there the stride is 0, and down it is a step of 4 bytes."
    require(got[column] != (0, 4), "wrong-axis", message)
    require(got[reverse] != (0, 4), "sign-lost", "Stretching changes one stride. The other still walks backwards.")
    message = "`np.tile` is no broadcast: it writes four rows into new memory, one behind the other."
    require(got[tiled] != (0, 4), "tile-is-a-view", message)
    differ = differing(got, want)
    require(not differ, "wrong-value", f"Not right yet: {differ}. Along which axis does one element serve for all?")


TRUE_STRETCHED = strides_of_stretched()
as_if_written_out = wrong("stretched-strides", "rows-written-out")(
    TRUE_STRETCHED | {"np.broadcast_to(a, (4, 3))": (12, 4)}
)
steps_in_elements = wrong("stretched-strides", "counted-elements")(
    {name: tuple(stride // 4 for stride in strides) for name, strides in TRUE_STRETCHED.items()}
)
elements_of_eight_bytes = wrong("stretched-strides", "float64-size")(
    {name: tuple(stride * 2 for stride in strides) for name, strides in TRUE_STRETCHED.items()}
)
columns_like_rows = wrong("stretched-strides", "wrong-axis")(
    TRUE_STRETCHED | {"np.broadcast_to(a[:, None], (3, 5))": (0, 4)}
)
reversal_forgotten = wrong("stretched-strides", "sign-lost")(
    TRUE_STRETCHED | {"np.broadcast_to(a[::-1], (4, 3))": (0, 4)}
)
tile_like_broadcast = wrong("stretched-strides", "tile-is-a-view")(TRUE_STRETCHED | {"np.tile(a, (4, 1))": (0, 4)})
a_number_has_a_step = wrong("stretched-strides", "wrong-value")(
    TRUE_STRETCHED | {"np.broadcast_to(np.float32(7), (2, 3))": (0, 4)}
)
one_stride_each = wrong("stretched-strides", "not-a-pair")(dict.fromkeys(TRUE_STRETCHED, 4))
strides_in_a_list = wrong("stretched-strides", "keys-changed")(list(TRUE_STRETCHED.values()))

# -- pair-bytes -------------------------------------------------------------------------------------------------


def new_bytes():
    """The bytes of new memory behind the result of each expression, asked of NumPy."""
    x, y = np.zeros((1000, 3), np.float32), np.zeros((2000, 3), np.float32)
    difference = x[:, None] - y
    results = {
        "x[:, None]": x[:, None],
        "x[:, None] - y": difference,
        "((x[:, None] - y) ** 2).sum(axis=-1)": (difference**2).sum(axis=-1),
        "np.broadcast_to(x[:, None], (1000, 2000, 3))": np.broadcast_to(x[:, None], (1000, 2000, 3)),
        "x @ y.T": x @ y.T,
    }
    return {name: 0 if np.shares_memory(result, x) else result.nbytes for name, result in results.items()}


@exercise(
    "pair-bytes",
    see="pairs",
    hint=["Which of the five are views?", "For the others: the product of the lengths, times the itemsize."],
)
def pair_bytes(answer, rng):
    want = new_bytes()
    got = entries(answer.value(), like=want)
    require(all(is_numeric(value) for value in got.values()), "not-numbers", "Give numbers of bytes.")
    none, difference, summed, stretched, product = want
    require(close(got[none], 0), "none-copies", "`[:, None]` is a view: no new byte, whatever `x` is.")
    message = "`np.broadcast_to` is a view with a stride of 0. Its `nbytes` counts elements that are not there."
    require(close(got[stretched], 0), "stretch-copies", message, see="stride-zero")
    message = "The difference is an array like any other: all pairs, all coordinates, times 4 bytes. It is real."
    require(not close(got[difference], 0), "result-is-virtual", message, see="cost")
    in_elements = close(got[difference], want[difference] // 4) or close(got[summed], want[summed] // 4)
    require(not in_elements, "counted-elements", "Those are elements. Each `float32` has 4 bytes.")
    in_doubles = close(got[difference], 2 * want[difference]) or close(got[summed], 2 * want[summed])
    require(not in_doubles, "float64-size", "Right for `float64`. A `float32` has 4 bytes.")
    message = "The difference still has its coordinates, 3 for each pair: `(1000, 2000, 3)`."
    require(not close(got[difference], want[summed]), "coordinates-lost", message)
    message = "`sum(axis=-1)` takes the last axis away: one number is left for each pair."
    require(not close(got[summed], want[difference]), "sum-keeps-its-axis", message)
    differ = ", ".join(f"`{name}`" for name in want if not close(got[name], want[name]))
    require(not differ, "wrong-value", f"Not right yet: {differ}. Shape first, then elements, then bytes.")


TRUE_BYTES = new_bytes()
a_new_axis_is_a_copy = wrong("pair-bytes", "none-copies")(TRUE_BYTES | {"x[:, None]": 12_000})
believes_nbytes = wrong("pair-bytes", "stretch-copies")(
    TRUE_BYTES | {"np.broadcast_to(x[:, None], (1000, 2000, 3))": 24_000_000}
)
all_is_virtual = wrong("pair-bytes", "result-is-virtual")(dict.fromkeys(TRUE_BYTES, 0))
counts_elements = wrong("pair-bytes", "counted-elements")({name: value // 4 for name, value in TRUE_BYTES.items()})
thinks_of_doubles = wrong("pair-bytes", "float64-size")({name: value * 2 for name, value in TRUE_BYTES.items()})
forgets_the_coordinates = wrong("pair-bytes", "coordinates-lost")(TRUE_BYTES | {"x[:, None] - y": 8_000_000})
keeps_the_summed_axis = wrong("pair-bytes", "sum-keeps-its-axis")(
    TRUE_BYTES | {"((x[:, None] - y) ** 2).sum(axis=-1)": 24_000_000}
)
product_like_the_factors = wrong("pair-bytes", "wrong-value")(TRUE_BYTES | {"x @ y.T": 36_000})
words_for_numbers = wrong("pair-bytes", "not-numbers")(dict.fromkeys(TRUE_BYTES, "8 MB"))
bytes_without_names = wrong("pair-bytes", "keys-changed")(list(TRUE_BYTES.values()))

# -- pairwise-distances -----------------------------------------------------------------------------------------


def distances_by_loops(x, y):
    """The oracle: pair by pair, in double precision."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    return np.array([[sum((p - q) ** 2) ** 0.5 for q in y] for p in x])


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
    n, m = int(rng.integers(3, 6)), int(rng.integers(6, 9))
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    got, want = numbers(answer(x, y)), distances_by_loops(x, y)
    require(
        got.shape != (m, n), "pairs-transposed", "Rows should belong to `x` and columns to `y`: it is the other way."
    )
    require(got.shape != (n, m, 3), "coordinates-left", "Each pair still has 3 numbers: sum over the last axis.")
    require(not close(got, want**2), "squared", "Those are the squares of the distances.")
    taxicab = np.abs(x[:, None] - y).sum(-1)
    message = "Those are sums of absolute differences. Square first, then sum, then take the root."
    require(not close(got, taxicab), "sum-of-absolutes", message)
    expect(got, want, "Not the Euclidean distances.")
    flat, five = rng.normal(size=(2, 4, 2)), rng.normal(size=(2, 4, 5))
    planes = [numbers(answer(*points)) for points in (flat, five)]
    right = all(close(got, distances_by_loops(*points)) for got, points in zip(planes, (flat, five), strict=True))
    require(
        right, "three-coordinates-only", "Right for 3 coordinates, not for 2 or 5: sum over the axis, whatever it is."
    )
    far = (1e4 + rng.normal(size=(2, 20, 3))).astype(np.float32)
    got, want = numbers(answer(*far)), distances_by_loops(*far)
    message = (
        "Far from the origin, in `float32`, rounding eats the distance: you subtract large squares. Subtract first."
    )
    require(close(got, want, rtol=1e-3), "cancellation", message)
    require_no_loop(answer)


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
    squares = (x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T
    return np.sqrt(np.maximum(squares, 0))


@wrong("pairwise-distances", "still-a-loop")
def a_row_at_a_time(x, y):
    return np.array([np.linalg.norm(point - y, axis=1) for point in x])


@wrong("pairwise-distances", "ValueError")
def subtracts_as_they_are(x, y):
    return np.linalg.norm(x - y, axis=-1)


@wrong("pairwise-distances", "wrong-value")
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


@exercise("seat-belt", see="silent-loss", hint="It compares the numbers of axes. It does not know what you meant.")
def seat_belt(answer, rng):
    want = stopped_by_the_belt()
    got = entries(answer.value(), like=want, kind=bool)
    require(got["(5, 1) - (5,)"], "misses-the-accident", "Two axes meet one: this is the accident it is made for.")
    message = "Both have two axes, so no rank is promoted: it passes, and makes a (5, 5). The belt knows ranks alone."
    require(not got["(5, 1) - (1, 5)"], "knows-what-you-meant", message)
    message = "It is harmless, and it raises all the same: two axes meet one. Write `[None, :]` inside of the belt."
    require(got["(4, 3) - (3,)"], "lets-the-honest-pass", message)
    require(not got["(4, 3) - ()"], "stops-numbers", "A number may meet any array: it passes.")
    require(got == want, "wrong-value", "Equal ranks pass, whatever the lengths.")


TRUE_OF_THE_BELT = stopped_by_the_belt()
stops_what_is_wrong = wrong("seat-belt", "knows-what-you-meant")(TRUE_OF_THE_BELT | {"(5, 1) - (1, 5)": True})
passes_what_is_right = wrong("seat-belt", "lets-the-honest-pass")(TRUE_OF_THE_BELT | {"(4, 3) - (3,)": False})
stops_nothing = wrong("seat-belt", "misses-the-accident")(dict.fromkeys(TRUE_OF_THE_BELT, False))
stops_every_number = wrong("seat-belt", "stops-numbers")(TRUE_OF_THE_BELT | {"(4, 3) - ()": True})
stops_every_stretch = wrong("seat-belt", "wrong-value")(TRUE_OF_THE_BELT | {"(4, 3) - (1, 3)": True})
says_raises = wrong("seat-belt", "wrong-type")(dict.fromkeys(TRUE_OF_THE_BELT, "raises"))
just_the_dangerous_one = wrong("seat-belt", "keys-changed")({"(5, 1) - (5,)": True})

# -- paired-loss ------------------------------------------------------------------------------------------------


def refusal(loss, prediction, target):
    """The name of the exception that the answer raises, or an empty text."""
    try:
        loss(prediction, target)
    except Exception as error:
        return type(error).__name__
    return ""


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
    n = int(rng.integers(5, 9))
    prediction, target = rng.normal(size=n).astype(np.float32), rng.normal(size=n).astype(np.float32)
    want = np.mean((prediction - target) ** 2)
    pairs = np.mean((prediction[:, None] - target) ** 2)
    from_column, from_vector = numbers(answer(prediction[:, None], target)), numbers(answer(prediction, target))
    message = "That is the mean over all pairs: `(n, 1) - (n,)` is a table. Its best fit is the mean of `target`."
    require(not close(from_column, pairs), "all-pairs", message)
    message = "Right for a column. For `prediction` of shape `(n,)` it is now the mean over all pairs."
    require(not close(from_vector, pairs), "all-pairs-of-vectors", message)
    require(not close(from_column, want * n), "sum-not-mean", "That is the sum. Divide by the number of predictions.")
    require(not close(from_column, want**0.5), "root-taken", "That is its root. The mean of the squares was asked for.")
    require(
        from_column.shape == (), "not-a-number", f"A loss is one number, not an array of shape {from_column.shape}."
    )
    expect(from_column, want, "Not the mean of the squared differences.")
    expect(from_vector, want, "Right for a column, wrong for a vector.", label="columns-only")
    single = answer.probe(refusal, prediction[:1, None], target), answer.probe(refusal, prediction[:1], target)
    message = "One prediction for many targets was accepted: it stretched. Compare the shapes, and raise `ValueError`."
    require("" not in single, "lengths-not-compared", message)
    other = next((name for name in single if name != "ValueError"), "")
    message = f"It raises `{other}`. Compare the shapes yourself, and raise `ValueError` with words that help."
    require(single == ("ValueError", "ValueError"), "another-exception", message)


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


@wrong("paired-loss", "wrong-value")
def mean_absolute(prediction, target):
    return jnp.mean(jnp.abs(prediction.ravel() - target))


# -- the puzzles ------------------------------------------------------------------------------------------------


def digits(rng, most):
    """A vector of between 1 and `most` small whole numbers."""
    return rng.integers(-9, 10, size=int(rng.integers(1, most + 1))).astype(np.int32)


def places(rng, size):
    """A vector of `size` whole numbers, of which some are not below `size`, and the number `size`."""
    return rng.integers(-1, size + 2, size=size).astype(np.int32), size


def products(a, b):
    return [[p * q for q in b] for p in a]


def lower_triangle(n):
    return [[j <= i for j in range(n)] for i in range(n)]


def totals(a):
    return [sum(a[: i + 1]) for i in range(len(a))]


def steps(a):
    return [a[i] - a[i - 1] if i else a[0] for i in range(len(a))]


def turned(a, k):
    return [a[(i - k) % len(a)] for i in range(len(a))]


def indicator_rows(labels, k):
    return [[int(label == j) for j in range(k)] for label in labels]


def occurrences(where, k):
    return [sum(place == j for place in where) for j in range(k)]


def rising_powers(x, k):
    return [[value**j for j in range(k)] for value in x]


@exercise("all-products", see="puzzles", hint="`a` runs down: it is a column. `b` runs to the right: it is a row.")
def all_products(answer, rng):
    require_primitives(answer)
    cases = growing(lambda n: (digits(rng, n), digits(rng, n + 1)))
    turned_table = agrees(answer, lambda a, b: products(b, a), cases)
    require(not turned_table, "table-transposed", "Rows should belong to `a`, columns to `b`: it is the other way.")
    expect_spec(answer, products, cases)


@wrong("all-products", "not-a-primitive")
def with_outer(a, b):
    return jnp.outer(a, b)


@wrong("all-products", "table-transposed")
def b_down(a, b):
    return a * b[:, None]


@wrong("all-products", "loops")
def row_after_row(a, b):
    return [a[i] * b for i in jnp.arange(len(a))]


@wrong("all-products", "counterexample")
def product_of_vectors(a, b):
    return a * b


@wrong("all-products", "counterexample")
def adds_instead(a, b):
    return a[:, None] + b


@exercise("not-later", see="puzzles", hint="Compare the row's index with the column's: one of the two is a column.")
def not_later(answer, rng):
    require_primitives(answer)
    cases = [(n,) for n in range(1, 6)]
    message = "Your mask is true where the column is *greater*, or equal: exchange the two sides."
    upper = agrees(answer, lambda n: [[j >= i for j in range(n)] for i in range(n)], cases)
    require(not upper, "upper-triangle", message)
    strict = agrees(answer, lambda n: [[j < i for j in range(n)] for i in range(n)], cases)
    require(not strict, "diagonal-lost", "An event may be its own cause here: the diagonal belongs to the mask.")
    expect_spec(answer, lower_triangle, cases)


@wrong("not-later", "not-a-primitive")
def with_tril(n):
    return jnp.tril(jnp.ones((n, n)))


@wrong("not-later", "upper-triangle")
def compares_the_other_way(n):
    return jnp.arange(n)[:, None] <= jnp.arange(n)


@wrong("not-later", "diagonal-lost")
def strictly_before(n):
    return jnp.arange(n) < jnp.arange(n)[:, None]


@wrong("not-later", "counterexample")
def identity_again(n):
    return jnp.arange(n) == jnp.arange(n)[:, None]


@wrong("not-later", "counterexample")
def compares_a_vector_with_itself(n):
    return jnp.arange(n) <= jnp.arange(n)


@exercise(
    "running-total",
    see="puzzles",
    hint=["Which elements does the sum at `i` take? The mask of the puzzle before says it.", "A mask `@` a vector."],
)
def running_total(answer, rng):
    require_primitives(answer)
    cases = growing(lambda n: (digits(rng, n),))
    behind = agrees(answer, lambda a: [sum(a[:i]) for i in range(len(a))], cases)
    require(not behind, "own-element-lost", "Each total should include its own element: yours are one behind.")
    from_the_end = agrees(answer, lambda a: [sum(a[i:]) for i in range(len(a))], cases)
    require(not from_the_end, "from-the-end", "You sum from each element to the end: the mask is transposed.")
    expect_spec(answer, totals, cases)


@wrong("running-total", "not-a-primitive")
def with_cumsum(a):
    return jnp.cumsum(a)


@wrong("running-total", "own-element-lost")
def sums_what_was_before(a):
    i = jnp.arange(len(a))
    return (i < i[:, None]) @ a


@wrong("running-total", "from-the-end")
def sums_over_the_rows(a):
    i = jnp.arange(len(a))
    return jnp.where(i[:, None] <= i, a, 0).sum(1)


@wrong("running-total", "loops")
def sums_of_slices(a):
    return [a[: i + 1].sum() for i in jnp.arange(len(a))]


@wrong("running-total", "counterexample")
def total_alone(a):
    return a.sum()


@exercise(
    "undo-total",
    see="puzzles",
    hint=["What is `a[i - 1]` for all `i` at once? And at `i == 0`?", "`jnp.where` makes the exception."],
)
def undo_total(answer, rng):
    require_primitives(answer)
    cases = growing(lambda n: (digits(rng, n),))
    wrapped = agrees(answer, lambda a: [a[i] - a[i - 1] for i in range(len(a))], cases)
    message = "At the first element you subtracted the last: index -1 is no error. The first should stay as it is."
    require(not wrapped, "wraps-around", message)
    short = agrees(answer, lambda a: [a[i] - a[i - 1] for i in range(1, len(a))], cases)
    require(not short, "one-too-few", "The first element is lost: the result should have as many elements as `a`.")
    expect_spec(answer, steps, cases)


@wrong("undo-total", "not-a-primitive")
def with_diff(a):
    return jnp.diff(a, prepend=0)


@wrong("undo-total", "wraps-around")
def subtracts_the_last_from_the_first(a):
    return a - a[jnp.arange(len(a)) - 1]


@wrong("undo-total", "one-too-few")
def subtracts_slices(a):
    return a[1:] - a[:-1]


@wrong("undo-total", "counterexample")
def subtracts_the_next(a):
    i = jnp.arange(len(a))
    return jnp.where(i == 0, a, a[i - 1] - a)


@exercise(
    "ring-shift",
    see="puzzles",
    hint=["Turn the rule round: which index did the element come from that is now at `i`?", "Indices take `%`."],
)
def ring_shift(answer, rng):
    require_primitives(answer)
    drawn = growing(lambda n: (digits(rng, n), int(rng.integers(-7, 8))), tries=3)
    cases = [*drawn, (np.array([3, 1, 4, 1, 5], np.int32), 1)]  # the last always differs in every direction
    backwards = agrees(answer, lambda a, k: turned(a, -k), cases)
    message = "You turned it the other way: what is at `i` now was at `i - k` before, not at `i + k`."
    require(not backwards, "other-way-round", message)
    expect_spec(answer, turned, cases)


@wrong("ring-shift", "not-a-primitive")
def with_roll(a, k):
    return jnp.roll(a, k)


@wrong("ring-shift", "other-way-round")
def reads_from_ahead(a, k):
    return a[(jnp.arange(len(a)) + k) % len(a)]


@wrong("ring-shift", "counterexample")
def forgets_the_ring(a, k):
    return a[jnp.arange(len(a)) - k]


@wrong("ring-shift", "counterexample")
def fills_with_zeros(a, k):
    i = jnp.arange(len(a)) - k
    return jnp.where((i >= 0) & (i < len(a)), a[i % len(a)], 0)


@exercise("one-hot-rows", see="puzzles", hint="Compare every label, a column, with every class, a row.")
def one_hot_rows(answer, rng):
    require_primitives(answer)
    cases = growing(lambda n: (places(rng, n)[0], int(rng.integers(1, n + 1))))
    in_columns = agrees(answer, lambda labels, k: np.array(indicator_rows(labels, k)).T.tolist(), cases)
    require(not in_columns, "hot-columns", "Each label has a column; it should have a row. Turn the other vector.")
    expect_spec(answer, indicator_rows, cases)


@wrong("one-hot-rows", "not-a-primitive")
def with_nn(labels, k):
    return jax.nn.one_hot(labels, k)


@wrong("one-hot-rows", "hot-columns")
def classes_down(labels, k):
    return labels == jnp.arange(k)[:, None]


@wrong("one-hot-rows", "counterexample")
def rows_of_an_identity(labels, k):
    i = jnp.arange(k)
    return (i[:, None] == i)[labels]


@wrong("one-hot-rows", "counterexample")
def counts_from_one(labels, k):
    return labels[:, None] == jnp.arange(k) + 1


@exercise("count-hits", see="puzzles", hint="One row for each photon, as in the puzzle before. Which axis disappears?")
def count_hits(answer, rng):
    require_primitives(answer)
    cases = growing(lambda n: (places(rng, n)[0], int(rng.integers(1, n + 1))), tries=3)
    per_photon = agrees(answer, lambda where, k: [int(0 <= place < k) for place in where], cases)
    message = "You summed over the pixels, so one number is left for each photon. Sum over the photons: the other axis."
    require(not per_photon, "sum-over-pixels", message)
    expect_spec(answer, occurrences, cases)


@wrong("count-hits", "not-a-primitive")
def with_bincount(where, k):
    return jnp.bincount(where, length=k)


@wrong("count-hits", "sum-over-pixels")
def sums_the_other_axis(where, k):
    return (where[:, None] == jnp.arange(k)).sum(1)


@wrong("count-hits", "loops")
def pixel_by_pixel(where, k):
    return [(where == j).sum() for j in jnp.arange(k)]


@wrong("count-hits", "counterexample")
def counts_everything(where, k):
    return (where[:, None] == jnp.arange(k)).sum()


@wrong("count-hits", "counterexample")
def puts_misses_into_the_last(where, k):
    return (jnp.where(where >= k, k - 1, where)[:, None] == jnp.arange(k)).sum(0)


@exercise("power-table", see="puzzles", hint="A column of points, and a row of exponents: `jnp.arange(k)`.")
def power_table(answer, rng):
    require_primitives(answer)
    cases = growing(lambda n: (digits(rng, n), int(rng.integers(1, 5))))
    falling = agrees(answer, lambda x, k: [[value ** (k - 1 - j) for j in range(k)] for value in x], cases)
    require(not falling, "powers-fall", "The powers fall from left to right. They should rise, beginning with power 0.")
    from_one = agrees(answer, lambda x, k: [[value ** (j + 1) for j in range(k)] for value in x], cases)
    require(not from_one, "starts-at-one", "You begin with the first power. The zeroth is first: a column of ones.")
    expect_spec(answer, rising_powers, cases)


@wrong("power-table", "not-a-primitive")
def with_vander(x, k):
    return jnp.vander(x, k, increasing=True)


@wrong("power-table", "powers-fall")
def in_falling_order(x, k):
    return x[:, None] ** (k - 1 - jnp.arange(k))


@wrong("power-table", "starts-at-one")
def begins_with_the_first_power(x, k):
    return x[:, None] ** (jnp.arange(k) + 1)


@wrong("power-table", "counterexample")
def bases_and_exponents_exchanged(x, k):
    return jnp.arange(k) ** (x * x)[:, None]
