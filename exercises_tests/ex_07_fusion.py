"""Checks of lesson 07, fusion: what is asked, what people get wrong, and what each mistake is told."""

import math
import tracemalloc

import jax
import jax.numpy as jnp
import numba as nb
import numpy as np

from jaxcourse import probe, traffic
from jaxcourse.exercise import close, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction

# -- count-the-passes -------------------------------------------------------------------------------------------

count_the_passes = prediction(
    "count-the-passes",
    see="nine-loops",
    hint=[
        "Write one line for each operation: what it reads, what it writes.",
        "Numbers such as 2 cost nothing. An array of a million `float32` is 4 MB, each time it is read or written.",
    ],
    mistakes=[
        Mistake(
            "megabytes",
            [{"bytes one by one": 48}, {"bytes fused": 12}],
            "Those are megabytes. Give bytes: a million elements of 4 bytes are 4,000,000.",
        ),
        Mistake(
            "float64-size",
            [{"bytes one by one": 96_000_000}, {"bytes fused": 24_000_000}],
            "That is right for `float64`. An element of `float32` takes 4 bytes.",
        ),
        Mistake(
            "writes-only",
            {"bytes one by one": 20_000_000},
            "Each operation writes its result, and first it reads its operands. Count both.",
        ),
        Mistake(
            "fused-reads-twice",
            {"bytes fused": 16_000_000},
            "`y` appears twice, but a fused loop has it at hand after the first time: each array is read once.",
        ),
        Mistake(
            "fused-writes-nothing",
            {"bytes fused": 8_000_000},
            "A fused loop also writes: the result has to get to memory.",
        ),
        Mistake(
            "result-is-temporary",
            {"loops": 5, "temporaries": 5},
            "The last operation writes the result, which is not a temporary.",
        ),
    ],
    otherwise="Write one line for each operation.",
)

# -- one-array-is-enough ----------------------------------------------------------------------------------------


def room_needed(fill, x, y):
    """Let a function fill an array, and measure the most memory that it asked for meanwhile, in arrays."""
    out = np.full_like(x, np.nan)
    fill(x[:9], y[:9], out[:9].copy())  # what is imported or cached at the first call does not count
    was_on = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        result = fill(x, y, out)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_on:
            tracemalloc.stop()
    return {"returned": result is not None, "is_out": result is out, "values": out, "arrays": peak / x.nbytes}


@exercise(
    "one-array-is-enough",
    see="nine-loops",
    hint=[
        "`np.multiply(x, 2, out=out)` writes into `out` and makes no array.",
        "Factor `y` out first: how often does the formula then need `y`?",
    ],
)
def one_array_is_enough(answer, rng):
    x, y = (rng.normal(size=50_000).astype(np.float32) for _ in range(2))
    facts = answer.probe(room_needed, x, y)
    require(facts["returned"], "forgot-to-return", "Nothing came back. Return `out` at the end.")
    message = "Return `out` itself, filled: a new array of your own is what this exercise does without."
    require(facts["is_out"], "not-out", message)
    expect(facts["values"], 2 * x * y + 3 * y + 1, "`out` should hold `2 * x * y + 3 * y + 1`.")
    again = answer.probe(room_needed, -y, x)["values"]
    expect(again, -2 * x * y + 3 * x + 1, "For other numbers `out` should hold their result.")
    message = (
        f"Right, but your code held up to {facts['arrays']:.1f} further arrays of this size. Each operation needs "
        "`out=`, also the one that multiplies `y` by 3. Is there a form of the formula that needs no second array?"
    )
    require(facts["arrays"] < 0.5, "temporaries", message)
    message = "No temporaries, but a loop in Python pays for each element: give NumPy the whole arrays."
    refuse(answer.probe(probe.written)["loops"], "python-loop", message, see="one-loop-by-hand")


@wrong("one-array-is-enough", "temporaries")
def assigns_an_expression(x, y, out):
    out[:] = 2 * x * y + 3 * y + 1
    return out


@wrong("one-array-is-enough", "temporaries")
def needs_a_second_array(x, y, out):
    np.multiply(x, 2, out=out)
    np.multiply(out, y, out=out)
    np.add(out, 3 * y, out=out)
    return np.add(out, 1, out=out)


@wrong("one-array-is-enough", "not-out")
def makes_a_new_array(x, y, out):
    return 2 * x * y + 3 * y + 1


@wrong("one-array-is-enough", "not-out")
def binds_the_name_anew(x, y, out):
    out = (2 * x + 3) * y + 1
    return out


@wrong("one-array-is-enough", "forgot-to-return")
def fills_and_falls_silent(x, y, out):
    np.multiply(2 * x + 3, y, out=out)
    np.add(out, 1, out=out)


@wrong("one-array-is-enough", "wrong-value")
def overwrites_what_it_needs(x, y, out):
    np.multiply(x, 2, out=out)
    np.multiply(out, y, out=out)
    np.multiply(y, 3, out=out)
    return np.add(out, 1, out=out)


@wrong("one-array-is-enough", "python-loop")
def element_by_element(x, y, out):
    for i in range(len(x)):
        out[i] = 2 * x[i] * y[i] + 3 * y[i] + 1
    return out


@right("one-array-is-enough")
def factored_by_ufuncs(x, y, out):
    np.multiply(x, 2, out=out)
    np.add(out, 3, out=out)
    np.multiply(out, y, out=out)
    return np.add(out, 1, out=out)


@right("one-array-is-enough")
def factored_in_place(x, y, out):
    out[...] = x
    out *= 2
    out += 3
    out *= y
    out += 1
    return out


# -- in-blocks --------------------------------------------------------------------------------------------------


def blocks_seen(evaluate, block, x, y):
    """Evaluate a function in blocks that notes how long its arguments are, and measure the memory, in arrays."""
    lengths = []

    def noting(x, y):
        lengths.append(len(x))
        return np.sqrt(x * x + y * y)

    evaluate(noting, block, x[:9], y[:9])  # what is imported or cached at the first call does not count
    lengths.clear()
    was_on = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        result = evaluate(noting, block, x, y)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_on:
            tracemalloc.stop()
    return {"values": result, "lengths": lengths, "arrays": peak / x.nbytes}


@exercise(
    "in-blocks",
    points=2,
    see="one-loop-by-hand",
    hint=[
        "`range(0, n, block)` are the starts of the blocks; a slice that reaches beyond the end is cut off.",
        "Make the result once, with `np.empty_like`, and write each block into its place.",
    ],
)
def in_blocks(answer, rng):
    block = int(rng.integers(900, 1100))
    n = 40 * block + int(rng.integers(1, block))
    x, y = (rng.normal(size=n).astype(np.float32) for _ in range(2))
    facts = answer.probe(blocks_seen, block, x, y)
    lengths, want = facts["lengths"], np.sqrt(x * x + y * y)
    message = f"`function` got {max(lengths, default=0)} elements at once, where a block is {block}."
    require(max(lengths, default=0) <= block, "too-long", f"{message} Then its temporaries are as long.")
    got = numbers(facts["values"])
    message = f"{n} elements went in and {got.size} came out. The last block may be shorter than the others."
    require(got.shape == want.shape, "rest-lost", message)
    expect(got, want, f"`function(*arrays)` gives something else. It was given blocks of {sorted(set(lengths))}.")
    message = f"The result should have the dtype of the arrays, `float32`, and not `{got.dtype}`."
    require(got.dtype == np.float32, "other-dtype", message)
    message = f"In {len(lengths)} calls, where {math.ceil(n / block)} would do: let each call have a whole block."
    require(len(lengths) <= math.ceil(n / block) + 1, "too-many-calls", message)
    message = (
        "Right, but it held a second array of full length where one is needed, the result: make that first, and write "
        "each block into its place."
    )
    require(facts["arrays"] < 1.5, "joined-at-the-end", message)
    other = answer.probe(blocks_seen, block, y, y)["values"]
    expect(other, np.sqrt(2 * y * y), "`function(*arrays)` gives something else for other arrays.")
    shorter = answer.probe(blocks_seen, block // 2, -y, x)
    message = f"`function` got {max(shorter['lengths'], default=0)} elements at once, where a block is {block // 2}."
    require(max(shorter["lengths"], default=0) <= block // 2, "too-long", message)
    expect(shorter["values"], want, "`function(*arrays)` gives something else in shorter blocks.")


@wrong("in-blocks", "too-long")
def all_at_once(function, block, *arrays):
    return function(*arrays)


@wrong("in-blocks", "rest-lost")
def full_blocks_only(function, block, *arrays):
    n = len(arrays[0]) // block * block
    parts = [function(*(a[i : i + block] for a in arrays)) for i in range(0, n, block)]
    return np.concatenate(parts or [np.empty(0, np.float32)])


@wrong("in-blocks", "wrong-value")
def leaves_the_end_as_it_was(function, block, *arrays):
    result = np.zeros_like(arrays[0])
    for start in range(0, len(result) - block, block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@wrong("in-blocks", "joined-at-the-end")
def concatenates(function, block, *arrays):
    starts = range(0, len(arrays[0]), block)
    return np.concatenate([function(*(a[start : start + block] for a in arrays)) for start in starts])


@wrong("in-blocks", "other-dtype")
def makes_a_float64_result(function, block, *arrays):
    result = np.empty(len(arrays[0]))
    for start in range(0, len(result), block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@wrong("in-blocks", "too-many-calls")
def one_element_each(function, block, *arrays):
    result = np.empty_like(arrays[0])
    for i in range(len(result)):
        result[i : i + 1] = function(*(a[i : i + 1] for a in arrays))
    return result


@right("in-blocks")
def while_something_is_left(function, block, *arrays):
    result = np.zeros(arrays[0].shape, dtype=arrays[0].dtype)
    start = 0
    while start < result.size:
        part = slice(start, min(start + block, result.size))
        result[part] = function(*(array[part] for array in arrays))
        start = part.stop
    return result


@right("in-blocks")
def over_the_starts(function, block, *arrays):
    out = np.empty_like(arrays[0])
    for i in range(0, len(out), block):
        out[i : i + block] = function(*(v[i : i + block] for v in arrays))
    return out


# -- fused-loop -------------------------------------------------------------------------------------------------


def kernel_facts(kernel, observed, expected):
    """What a kernel writes, whether Numba compiled it, in which precision, and whether it makes an array."""
    out = np.full_like(observed, np.nan)
    result = kernel(observed, expected, out)
    facts = {"is_out": result is out, "values": out, "compiled": type(kernel).__module__.startswith("numba.")}
    # `fpext` makes a double of a float. What `vectorize` and `guvectorize` compile does not show its code.
    code = list(kernel.inspect_llvm().values()) if hasattr(kernel, "inspect_llvm") else []
    facts["double"] = any("fpext" in part for part in code)
    facts["arrays"] = any("MemInfo_alloc" in line for part in code for line in part.splitlines() if " call " in line)
    return facts


def at_a_zero(kernel, observed):
    """Let a kernel divide by zero."""
    kernel(observed[:1], np.full_like(observed[:1], -0.375), np.empty_like(observed[:1]))
    return True


@exercise(
    "fused-loop",
    points=2,
    see="one-loop-by-hand",
    hint=[
        'The decorator is `@nb.njit(error_model="numpy")`; inside, a plain loop over `range(out.size)`.',
        "The literal `0.375` is a `float64` for Numba. `np.float32(0.375)` is not.",
    ],
)
def fused_loop(answer, rng):
    n = int(rng.integers(50, 100))
    expected = rng.uniform(1, 20, size=n).astype(np.float32)
    observed = rng.poisson(expected).astype(np.float32)
    facts = answer.probe(kernel_facts, observed, expected)
    require(facts["is_out"], "not-out", "Return `out` itself, filled: whoever calls you owns the memory.")
    want = (observed - expected) / np.sqrt(expected + np.float32(0.375))
    expect(facts["values"], want, "`out` should hold `(observed - expected) / sqrt(expected + 0.375)`.", rtol=1e-5)
    message = "Right, but `fused_loop` itself is run by Python. Put `@nb.njit(...)` above its definition."
    require(facts["compiled"], "not-compiled", message)
    message = (
        "Right, but the loop works in `float64`: a literal such as `0.375` is one for Numba, and `float32` with "
        "`float64` makes `float64`. Write the number as `np.float32(...)`."
    )
    refuse(facts["double"], "float64-inside", message)
    message = "Right, but it makes an array of its own on the way, and so more than one pass. Fill `out` in one loop."
    refuse(facts["arrays"], "makes-an-array", message)
    message = (
        "With a zero below the line it raised `ZeroDivisionError`, as Python does and NumPy does not. So it looks at "
        'every divisor before it divides, and no vector instruction can do that: say `error_model="numpy"`.'
    )
    _, raised = answer.attempt(at_a_zero, observed, expected=["ZeroDivisionError"])
    refuse(raised, "raises-at-zero", message)


@wrong("fused-loop", "not-compiled")
def python_runs_it(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(expected[i] + np.float32(0.375))
    return out


@wrong("fused-loop", "not-compiled")
def numpy_with_out(observed, expected, out):
    np.subtract(observed, expected, out=out)
    return np.divide(out, np.sqrt(expected + np.float32(0.375)), out=out)


@wrong("fused-loop", "float64-inside")
@nb.njit(error_model="numpy")
def literal_is_a_double(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(expected[i] + 0.375)
    return out


@wrong("fused-loop", "makes-an-array")
@nb.njit(error_model="numpy")
def copies_an_expression(observed, expected, out):
    out[:] = (observed - expected) / np.sqrt(expected + np.float32(0.375))
    return out


@wrong("fused-loop", "raises-at-zero")
@nb.njit
def default_error_model(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(expected[i] + np.float32(0.375))
    return out


@wrong("fused-loop", "not-out")
@nb.njit(error_model="numpy")
def makes_its_own_array(observed, expected, out):
    result = np.empty_like(observed)
    for i in range(result.size):
        result[i] = (observed[i] - expected[i]) / np.sqrt(expected[i] + np.float32(0.375))
    return result


@wrong("fused-loop", "wrong-value")
@nb.njit(error_model="numpy")
def divides_by_the_observed(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(observed[i] + np.float32(0.375))
    return out


@right("fused-loop")
@nb.njit(error_model="numpy")
def with_the_root_apart(observed, expected, out):
    for i in range(out.size):
        below = np.sqrt(expected[i] + np.float32(3 / 8))
        out[i] = (observed[i] - expected[i]) / below
    return out


# -- one-program ------------------------------------------------------------------------------------------------


def equations(function, *args):
    """The names of the equations that JAX sees from outside a function: a jitted one is a single equation."""
    return [str(equation.primitive) for equation in jax.make_jaxpr(function)(*args).eqns]


def magnus(temperature, humidity):
    """The oracle, in float64."""
    t, h = temperature.astype(np.float64), humidity.astype(np.float64)
    g = np.log(h / 100) + 17.625 * t / (243.04 + t)
    return 243.04 * g / (17.625 - g)


@exercise(
    "one-program",
    see="one-program-for-all",
    hint=[
        "Compute `g` first, on a line of its own: inside a compiled function it costs no array.",
        "`@jax.jit` above the definition makes all of the body one program. Use `jnp.log`, not `np.log`.",
    ],
)
def one_program(answer, rng):
    n = int(rng.integers(20, 40))
    temperature = rng.uniform(-10, 35, size=n).astype(np.float32)
    humidity = rng.uniform(20, 100, size=n).astype(np.float32)
    expected = ["TracerArrayConversionError"]
    seen, raised = answer.attempt(equations, temperature, humidity, expected=expected)
    refuse(raised, "leaves-jax", f"{raised}: JAX cannot follow you into NumPy. In compiled code write `jnp`.")
    got, want = numbers(answer(temperature, humidity)), magnus(temperature, humidity)
    expect(got, want, "That is not the dew point.", rtol=1e-4)
    programs = sum(name in ("jit", "pjit") for name in seen)
    warmer = answer(temperature + 5, humidity)
    expect(warmer, magnus(temperature + 5, humidity), "That is not the dew point of warmer air.", rtol=1e-4)
    message = f"Right, but in {programs} compiled parts: what lies between them is written and read again."
    refuse(len(seen) > 1 < programs, "several-programs", f"{message} Compile the whole, not the pieces.")
    message = f"Right, but JAX runs {len(seen)} programs, one for each operation. Put `@jax.jit` above the definition."
    require(len(seen) == programs == 1, "not-compiled", message)
    _, second = answer.probe(probe.compiled, [(temperature, humidity)] * 2)
    message = (
        "Right, and one program, but compiled anew in every call: `jax.jit` stands inside the function and gets a "
        "new function each time. Decorate the whole instead."
    )
    refuse(second, "compiles-in-every-call", message)


@wrong("one-program", "not-compiled")
def operation_by_operation(temperature, humidity):
    g = jnp.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "several-programs")
def compiles_the_pieces(temperature, humidity):
    g = jax.jit(lambda t, h: jnp.log(h / 100) + 17.625 * t / (243.04 + t))(temperature, humidity)
    return jax.jit(lambda g: 243.04 * g / (17.625 - g))(g)


@wrong("one-program", "compiles-in-every-call")
def jits_inside(temperature, humidity):
    def formula(t, h):
        g = jnp.log(h / 100) + 17.625 * t / (243.04 + t)
        return 243.04 * g / (17.625 - g)

    return jax.jit(formula)(temperature, humidity)


@wrong("one-program", "leaves-jax")
@jax.jit
def goes_through_numpy(temperature, humidity):
    g = np.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "wrong-value")
@jax.jit
def forgets_the_percent(temperature, humidity):
    g = jnp.log(humidity) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@right("one-program")
@jax.jit
def with_a_sum_of_logarithms(temperature, humidity):
    g = jnp.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


# -- attainable-rate --------------------------------------------------------------------------------------------


@exercise(
    "attainable-rate",
    see="roofline-model",
    hint="Two things limit the rate: what memory delivers, and what the processor does. Which of them wins?",
)
def attainable_rate(answer, rng):
    bandwidth, peak = float(rng.uniform(20, 60)) * 1e9, float(rng.uniform(500, 900)) * 1e9
    ridge = peak / bandwidth
    low, high = ridge * float(rng.uniform(0.01, 0.5)), ridge * float(rng.uniform(3, 9))
    below, above = numbers(answer(low, bandwidth, peak)), numbers(answer(high, bandwidth, peak))
    message = "At this intensity memory cannot deliver fast enough for the peak."
    refuse(close(below, peak), "always-the-peak", message)
    message = "FLOP per byte times bytes per second is FLOP per second. You divided."
    refuse(close(below, low / bandwidth) or close(below, bandwidth / low), "divided", message)
    message = "Right below the ridge, but here the processor ends at its peak, however fast the bytes come."
    refuse(close(above, high * bandwidth), "no-roof", message)
    expect(below, low * bandwidth, "Below the ridge, memory decides: its bytes per second, times FLOP per byte.")
    expect(above, peak, "Above the ridge, the processor decides.", label="wrong-above")
    many = np.array([low, high])
    rates, raised = answer.attempt(probe.call, many, bandwidth, peak, expected=["ValueError"])
    message = "Right for one intensity. Python's `min` and `if` ask an array whether it is true: take `np.minimum`."
    refuse(raised, "python-decides", message)
    message = "Right for one intensity. For an array of them, each should get its own rate."
    expect(rates, [low * bandwidth, peak], message, label="one-at-a-time")
    others = np.array([high, low / 2])
    expect(answer(others, bandwidth, peak), [peak, low * bandwidth / 2], message, label="one-at-a-time")


@wrong("attainable-rate", "always-the-peak")
def takes_the_larger(intensity, bandwidth, peak):
    return np.maximum(intensity * bandwidth, peak)


@wrong("attainable-rate", "no-roof")
def only_the_bandwidth(intensity, bandwidth, peak):
    return intensity * bandwidth


@wrong("attainable-rate", "divided")
def divides_by_the_intensity(intensity, bandwidth, peak):
    return np.minimum(bandwidth / intensity, peak)


@wrong("attainable-rate", "wrong-value")
def takes_the_mean(intensity, bandwidth, peak):
    return (intensity * bandwidth + peak) / 2


@wrong("attainable-rate", "wrong-above")
def halves_the_peak(intensity, bandwidth, peak):
    return np.minimum(intensity * bandwidth, peak / 2)


@wrong("attainable-rate", "python-decides")
def takes_pythons_minimum(intensity, bandwidth, peak):
    return min(intensity * bandwidth, peak)


@wrong("attainable-rate", "one-at-a-time")
def decides_once(intensity, bandwidth, peak):
    rate = np.minimum(np.mean(intensity) * bandwidth, peak)
    return rate * np.ones_like(intensity)


@right("attainable-rate")
def clipped_from_above(intensity, bandwidth, peak):
    return np.clip(np.multiply(intensity, bandwidth), None, peak)


@right("attainable-rate")
def left_or_right_of_the_ridge(intensity, bandwidth, peak):
    intensity = np.asarray(intensity)
    return np.where(intensity < peak / bandwidth, intensity * bandwidth, peak)


# -- intensities ------------------------------------------------------------------------------------------------

intensities = prediction(
    "intensities",
    see="roofline-model",
    hint=[
        "For each element: operations above the line, bytes read and written below it.",
        "A product of matrices: each of its n² numbers takes n multiplications and n additions.",
    ],
    mistakes=[
        Mistake(
            "float64-size",
            {
                "x + y": 1 / 24,
                "2 * x": 1 / 16,
                "x.sum()": 1 / 8,
                "quadratic, one by one": 9 / 176,
                "quadratic, fused": 9 / 32,
                "a @ b": 250,
            },
            "Right for `float64`. An element of `float32` has 4 bytes.",
        ),
        Mistake(
            "upside-down",
            {
                "x + y": 12,
                "2 * x": 8,
                "x.sum()": 4,
                "quadratic, one by one": 88 / 9,
                "quadratic, fused": 16 / 9,
                "a @ b": 1 / 500,
            },
            "Those are bytes for each operation. Intensity is the other way round.",
        ),
        Mistake(
            "forgot-the-write",
            {"x + y": 1 / 8},
            "`x + y` reads two arrays and also writes one: 12 bytes for an addition.",
        ),
        Mistake(
            "sum-writes-an-array",
            {"x.sum()": 1 / 8},
            "A sum writes one number in all: 4 bytes are read for an addition, and none written.",
        ),
        Mistake(
            "temporaries-for-free",
            {"quadratic, one by one": 9 / 16},
            "The operations stay, the bytes do not: one by one, the temporaries travel too.",
        ),
        Mistake("matmul-half", {"a @ b": 250}, "You counted n³ operations. Each is a multiplication and an addition."),
        Mistake(
            "rounded",
            [
                {"x + y": any_of(0.083, 0.0833, 0.08333, 0.08)},
                {"quadratic, one by one": any_of(0.102, 0.1023, 0.10227, 0.1)},
                {"quadratic, fused": any_of(0.56, 0.563)},
            ],
            "Right, but rounded. Write the fraction, such as `3 / 8`, and let Python compute it.",
        ),
    ],
    otherwise="Operations above the line, bytes below; write the fraction, such as `3 / 8`.",
)

# -- arrays-saved -----------------------------------------------------------------------------------------------


def arrays_saved_by_fusion():
    """How many arrays fewer each expression moves when it is fused, counted in the traced program."""
    expressions = {
        "x + y": lambda x, y: x + y,
        "x + y + x": lambda x, y: x + y + x,
        "jnp.exp(-x * x)": lambda x, y: jnp.exp(-x * x),
        "x.sum()": lambda x, y: x.sum(),
        "((x - y) ** 2).sum()": lambda x, y: ((x - y) ** 2).sum(),
        "x / x.max()": lambda x, y: x / x.max(),
    }
    x = np.ones(1000, np.float32)
    counted = {key: traffic.count(expression, x, x) for key, expression in expressions.items()}
    return {key: (found.bytes_one_by_one - found.bytes_fused) // x.nbytes for key, found in counted.items()}


arrays_saved = prediction(
    "arrays-saved",
    see="nothing-to-fuse",
    hint=[
        "Count the arrays that travel one by one, then those that travel fused, and subtract.",
        "When can the division in `x / x.max()` begin?",
    ],
    mistakes=[
        Mistake(
            "one-loop-saves",
            [{"x + y": anything_else(1)}, {"x.sum()": anything_else(1)}],
            "One operation is one loop already: there is nothing to fuse it with.",
        ),
        Mistake(
            "reduction-fuses-ahead",
            {"x / x.max()": anything_else(1)},
            "The division cannot begin before the maximum is known, and that takes a whole pass over `x`. Two loops "
            "before, two loops after.",
        ),
        Mistake(
            "temporaries-count-once",
            {"((x - y) ** 2).sum()": 2},
            "A temporary is written by one loop and read by the next: without it, two arrays fewer travel.",
        ),
        Mistake(
            "read-again",
            {"x + y + x": 2},
            "`x` is read by both additions, and only once when fused: that saves one more array than the temporary's "
            "two.",
        ),
    ],
    otherwise="`traffic.count` counts for you.",
    truth=arrays_saved_by_fusion,
)

# -- crossover-size ---------------------------------------------------------------------------------------------


@exercise(
    "crossover-size",
    see="small-arrays",
    hint=[
        "`fixed_b + n * each_b < fixed_a + n * each_a`: solve for `n`.",
        "At equal times `b` is not faster yet: the next whole number is. And if each element costs `b` as much?",
    ],
)
def crossover_size(answer, rng):
    each_b, gain, n = int(rng.integers(1, 5)), int(rng.integers(2, 6)), int(rng.integers(50, 500))
    exact = (100, each_b + gain, 100 + gain * n, each_b)
    got = numbers(answer(*exact))
    message = f"At n = {n} both take equally long. `b` is faster from the next number on."
    refuse(close(got, n), "equal-is-not-faster", message)
    expect(got, n + 1, "Solve `fixed_b + n * each_b < fixed_a + n * each_a` for the smallest whole `n`.")
    between = (100, each_b + gain, 100 + gain * n + 1, each_b)
    message = "Right where the lines cross at a whole number; between two of them, the upper one counts."
    expect(answer(*between), n + 1, message, label="not-whole")
    message = "`b` costs more at the start and no less for each element: it never wins, so return `math.inf`."
    for each_a in (each_b, each_b - 1):
        expect(answer(100, each_a, 200, each_b), math.inf, message, label="never")
    message = "`b` has the lower price for a call, but for one element its call and that element already cost more."
    expect(answer(101, each_b, 100, each_b + 2), math.inf, message, label="never")
    message = "`b` is faster from the start, and the smallest array has 1 element."
    expect(answer(200, each_b + 1, 100, each_b), 1, message, label="from-the-start")
    message = "`b` costs more for each element, and still less for the first: it is faster at n = 1."
    expect(answer(200, each_b, 100, each_b + 2), 1, message, label="from-the-start")


@wrong("crossover-size", "equal-is-not-faster")
def rounds_up(fixed_a, each_a, fixed_b, each_b):
    return math.ceil((fixed_b - fixed_a) / (each_a - each_b)) if each_a > each_b else math.inf


@wrong("crossover-size", "not-whole")
def adds_one_to_a_fraction(fixed_a, each_a, fixed_b, each_b):
    if each_a <= each_b:
        return math.inf
    return max(1, (fixed_b - fixed_a) / (each_a - each_b) + 1)


@wrong("crossover-size", "never")
def divides_by_the_difference(fixed_a, each_a, fixed_b, each_b):
    difference = each_a - each_b or 1e-9
    return max(1, (fixed_b - fixed_a) // difference + 1)


@wrong("crossover-size", "never")
def looks_at_the_call_only(fixed_a, each_a, fixed_b, each_b):
    if fixed_b < fixed_a:
        return 1
    return (fixed_b - fixed_a) // (each_a - each_b) + 1 if each_a > each_b else math.inf


@wrong("crossover-size", "from-the-start")
def looks_at_the_element_only(fixed_a, each_a, fixed_b, each_b):
    return max(1, (fixed_b - fixed_a) // (each_a - each_b) + 1) if each_a > each_b else math.inf


@wrong("crossover-size", "from-the-start")
def forgets_that_arrays_have_elements(fixed_a, each_a, fixed_b, each_b):
    return (fixed_b - fixed_a) // (each_a - each_b) + 1 if each_a > each_b else math.inf


@wrong("crossover-size", "wrong-value")
def ignores_the_fixed_cost_of_a(fixed_a, each_a, fixed_b, each_b):
    return fixed_b // (each_a - each_b) + 1 if each_a > each_b else math.inf


@right("crossover-size")
def by_bisection(fixed_a, each_a, fixed_b, each_b):
    def faster(n):
        return fixed_b + n * each_b < fixed_a + n * each_a

    if faster(1):
        return 1
    if each_b >= each_a:
        return float("inf")
    low, high = 1, 2
    while not faster(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if faster(middle) else (middle, high)
    return high


# -- count-the-dots ---------------------------------------------------------------------------------------------


def products_left():
    """How many matrix products are left of each expression, counted in the compiled program."""
    expressions = {
        "x @ y + x @ y": lambda x, y: x @ y + x @ y,
        "x @ y + y @ x": lambda x, y: x @ y + y @ x,
        "x @ x @ x + x @ x": lambda x, y: x @ x @ x + x @ x,
        "x @ x @ x @ x": lambda x, y: x @ x @ x @ x,
        "(x @ x) @ (x @ x)": lambda x, y: (x @ x) @ (x @ x),
    }
    x, y = np.ones((50, 50), np.float32), np.full((50, 50), 2, np.float32)
    return {key: probe.program(expression, x, y)["operations"]["dot"] for key, expression in expressions.items()}


count_the_dots = prediction(
    "count-the-dots",
    see="repeated-work",
    hint=[
        "Write down each product as a pair of operands. Which pairs are equal?",
        "`x @ x @ x` is `(x @ x) @ x`: the compiler takes your brackets as they are.",
    ],
    mistakes=[
        Mistake(
            "nothing-removed",
            {"x @ y + x @ y": 2},
            "Both products have the same operands, so the second is the first one again: it is done once.",
        ),
        Mistake(
            "matrices-commute",
            {"x @ y + y @ x": 1},
            "`y @ x` is not the same matrix as `x @ y`: both have to be computed.",
        ),
        Mistake(
            "brackets-moved",
            {"x @ x @ x @ x": 2},
            "Two squarings would do, but that is not what you wrote: it is `((x @ x) @ x) @ x`. Other brackets round "
            "differently, so the compiler leaves them to you.",
        ),
        Mistake(
            "part-not-shared",
            {"x @ x @ x + x @ x": 3},
            "`x @ x` is in both terms: it is computed once and used twice.",
        ),
    ],
    otherwise="Write down each product, and strike out repetitions.",
    truth=products_left,
)

# -- eleventh-power ---------------------------------------------------------------------------------------------


def products_counted(power, x):
    """The power, how many products it took, and how many of NumPy's products and functions it used besides."""
    products = besides = 0

    class Watched(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            nonlocal besides
            besides += ufunc is np.matmul
            plain = [np.asarray(value) for value in inputs]
            return np.asarray(getattr(ufunc, method)(*plain, **options)).view(Watched)

        def __array_function__(self, function, types, args, options):
            nonlocal besides
            besides += 1
            return super().__array_function__(function, types, args, options)

    def multiply(a, b):
        nonlocal products
        products += 1
        return (np.asarray(a) @ np.asarray(b)).view(Watched)

    result = power(x.view(Watched), multiply)
    return {"values": np.asarray(result), "products": products, "besides": besides}


@exercise(
    "eleventh-power",
    see="repeated-work",
    hint=[
        "Keep what you have: x², then x⁴, …",
        "11 = 8 + 2 + 1. Three squarings, and two products that put the parts together.",
    ],
)
def eleventh_power(answer, rng):
    x = rng.uniform(size=(6, 6))
    x /= x.sum(axis=1, keepdims=True)
    facts = answer.probe(products_counted, x)
    got, power = numbers(facts["values"]), np.linalg.matrix_power
    message = "That is each element to the power of 11. The eleventh power of a matrix is a chain of products."
    refuse(close(got, x**11), "element-wise", message)
    message = "Right, but not by `multiply`, which counts for us: use it for every product."
    refuse(facts["besides"] and close(got, power(x, 11)), "not-counted", message)
    near = next((k for k in range(17) if k != 11 and close(got, power(x, k))), None)
    require(near is None, "another-power", f"That is x to the power of {near}.")
    expect(got, power(x, 11), "That is not the eleventh power.")
    message = f"Right, in {facts['products']} products. Five are enough: use squares again."
    require(facts["products"] <= 5, "too-many-products", message)


@wrong("eleventh-power", "too-many-products")
def ten_products(x, multiply):
    result = x
    for _ in range(10):
        result = multiply(result, x)
    return result


@wrong("eleventh-power", "not-counted")
def asks_numpy(x, multiply):
    return np.linalg.matrix_power(x, 11)


@wrong("eleventh-power", "not-counted")
def forgets_to_count_the_last(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    return multiply(fourth, fourth) @ square @ x


@wrong("eleventh-power", "element-wise")
def powers_of_elements(x, multiply):
    return x**11


@wrong("eleventh-power", "another-power")
def one_factor_too_many(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    return multiply(multiply(fourth, fourth), fourth)


@wrong("eleventh-power", "wrong-value")
def adds_the_parts(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    return multiply(fourth, fourth) + square + x


@right("eleventh-power")
def five_and_five_and_one(x, multiply):
    square = multiply(x, x)
    fifth = multiply(multiply(square, square), x)
    return multiply(x, multiply(fifth, fifth))


# -- what-the-compiler-removes ----------------------------------------------------------------------------------


def removed():
    """Whether each operation is gone, read from the compiled program."""
    v, x = np.ones(100, np.float32), np.ones((50, 50), np.float32)
    cases = {
        "a result that is not returned": ("tan", 0, lambda v: (jnp.tan(v), 2 + v)[1], v),
        "the second jnp.sin(v)": ("sine", 1, lambda v: jnp.sin(v) + jnp.sin(v), v),
        "v * 1": ("multiply", 0, lambda v: v * 1, v),
        "x.T.T": ("transpose", 0, lambda x: x.T.T, x),
        "the division in v * w / w": ("divide", 0, lambda v, w: v * w / w, v, v),
        "the third product in x @ x @ x @ x": ("dot", 2, lambda x: x @ x @ x @ x, x),
    }
    return {
        key: probe.program(function, *args)["operations"].get(operation, 0) == left
        for key, (operation, left, function, *args) in cases.items()
    }


what_the_compiler_removes = prediction(
    "what-the-compiler-removes",
    see="unused-work",
    hint=[
        "What cannot change any result, not even its last digit, may go.",
        "What is `v * w / w` where `w` is zero?",
    ],
    mistakes=[
        Mistake(
            "unused-is-computed",
            {"a result that is not returned": False},
            "Nobody can see it, and a pure function has no other effect: it is not computed.",
        ),
        Mistake(
            "repetition-is-computed",
            {"the second jnp.sin(v)": False},
            "A pure function of the same argument gives the same result again, so it is computed once.",
        ),
        Mistake(
            "algebra-of-reals",
            {"the division in v * w / w": True},
            "`v * w / w` is not `v`: rounding may change the last digit, and where `w` is 0 it is NaN.",
        ),
        Mistake(
            "brackets-moved",
            {"the third product in x @ x @ x @ x": True},
            "`((x @ x) @ x) @ x` has no repeated product. Other brackets would round differently.",
            see="repeated-work",
        ),
    ],
    otherwise="Could anybody see a difference?",
    truth=removed,
)

# -- stable-roots -----------------------------------------------------------------------------------------------


def true_roots(a, b, c):
    """The oracle: both roots in float64, where float32 coefficients leave digits to spare; the larger first."""
    a, b, c = (np.asarray(v, np.float64) for v in (a, b, c))
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.stack([q / a, c / q])


@exercise(
    "stable-roots",
    points=2,
    see="cancellation",
    hint=[
        "Add two numbers of the same sign: `b` and the square root, which takes the sign of `b`.",
        "`np.copysign(root, b)` is `root` with the sign of `b`, also where `b` is 0.",
        "The product of the two roots is `c / a`.",
    ],
)
def stable_roots(answer, rng):
    a, b, c = (rng.uniform(low, high, 64).astype(np.float32) for low, high in ((5, 10), (50, 99), (0.01, 0.1)))
    got, want = numbers(answer(a, b, c)), true_roots(a, b, c)
    require(
        got.shape == want.shape, "wrong-shape", f"Both roots together have the shape {want.shape}, not {got.shape}."
    )
    message = "More digits only hide the loss, and they cost twice the bytes. Stay in the dtype of the coefficients."
    require(got.dtype == np.float32, "more-digits", message)
    refuse(close(got[::-1], want, rtol=1e-2), "order", "Right, but the root of larger magnitude comes first.")
    message = "The smaller root has lost digits. `-b` and the square root nearly cancel: do not subtract them."
    refuse(lossy(got, want), "cancellation", message)
    expect(got, want, "Those are not the roots.")
    got, want = numbers(answer(a, -b, c)), true_roots(a, -b, c)
    message = "With a negative `b` too, the root of larger magnitude comes first, not the smaller number."
    swapped = got.shape == want.shape and np.all(np.abs(got[::-1] / want - 1) < 1e-5)
    refuse(swapped, "order", message)
    message = "Right for positive `b`. With a negative one it is the *other* root that loses digits."
    require(not lossy(got, want) and close(got, want), "negative-b", message)
    got = numbers(answer(a, 0 * b, -c))
    want = np.sqrt(c / a) * np.array([[-1], [1]], np.float32)
    message = "With `b = 0` the roots are ±√(-c/a). `np.sign(0)` is 0, which is no sign: take `np.copysign`."
    require(close(np.sort(got, axis=0), want), "zero-b", message)


def lossy(got, want):
    """Whether the roots are right to three digits of the largest, and the smaller ones not to five of their own."""
    rough = close(got, want, rtol=1e-3)
    return bool(rough and np.max(np.abs(got[1] / want[1] - 1)) > 1e-5)


@wrong("stable-roots", "cancellation")
def from_the_textbook(a, b, c):
    root = np.sqrt(b**2 - 4 * a * c)
    minus, plus = (-b - root) / (2 * a), (-b + root) / (2 * a)
    larger = np.abs(minus) > np.abs(plus)
    return np.stack([np.where(larger, minus, plus), np.where(larger, plus, minus)])


@wrong("stable-roots", "negative-b")
def knows_one_sign(a, b, c):
    q = -(b + np.sqrt(b**2 - 4 * a * c)) / 2
    return np.stack([q / a, c / q])


@wrong("stable-roots", "zero-b")
def asks_for_the_sign(a, b, c):
    q = -(b + np.sign(b) * np.sqrt(b**2 - 4 * a * c)) / 2
    with np.errstate(all="ignore"):
        return np.stack([q / a, c / q])


@wrong("stable-roots", "more-digits")
def computes_in_double(a, b, c):
    return true_roots(a, b, c)


@wrong("stable-roots", "order")
def smaller_first(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.stack([c / q, q / a])


@wrong("stable-roots", "order")
def sorts_by_value(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.sort(np.stack([q / a, c / q]), axis=0)


@wrong("stable-roots", "wrong-value")
def forgets_the_half(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b))
    return np.stack([q / a, c / q])


@right("stable-roots")
def by_copysign(a, b, c):
    root = np.sqrt(b * b - 4 * a * c)
    q = -(b + np.copysign(root, b)) / 2
    return np.stack([q / a, c / q])


@right("stable-roots")
def by_the_product_of_the_roots(a, b, c):
    root = np.sqrt(b**2 - 4 * a * c)
    large = np.where(b < 0, root - b, -root - b) / (2 * a)
    return np.array([large, c / (a * large)])
