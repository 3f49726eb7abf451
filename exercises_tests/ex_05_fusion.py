"""Checks of lesson 05, fusion: what is asked, what people get wrong, and what each mistake is told."""

import math
import tracemalloc

import jax
import jax.numpy as jnp
import numba as nb
import numpy as np

from jaxcourse import probe, traffic
from jaxcourse.exercise import close, entries, exercise, expect, is_numeric, numbers, require, wrong


def differences(got, want, rtol=None):
    """The keys whose values are not right, as a text."""
    return ", ".join(f"`{key}`" for key in want if not close(got[key], want[key], rtol=rtol))


# -- count-the-passes -------------------------------------------------------------------------------------------

PASSES = {"loops": 5, "temporaries": 4, "bytes one by one": 48_000_000, "bytes fused": 12_000_000}


@exercise(
    "count-the-passes",
    see="nine-loops",
    hint=[
        "Write one line for each operation: what it reads, what it writes.",
        "Numbers such as 2 cost nothing. An array of a million `float32` is 4 MB, each time it is read or written.",
    ],
)
def count_the_passes(answer, rng):
    want = PASSES
    got = entries(answer.value(), like=want)
    one_by_one, fused = got["bytes one by one"], got["bytes fused"]
    message = "Those are megabytes. Give bytes: a million elements of 4 bytes are 4,000,000."
    require(not (close(one_by_one, 48) or close(fused, 12)), "megabytes", message)
    message = "That is right for `float64`. An element of `float32` takes 4 bytes."
    require(not (close(one_by_one, 96_000_000) or close(fused, 24_000_000)), "float64-size", message)
    message = "Each operation writes its result, and first it reads its operands. Count both."
    require(not close(one_by_one, 20_000_000), "writes-only", message)
    message = "`y` appears twice, but a fused loop has it at hand after the first time: each array is read once."
    require(not close(fused, 16_000_000), "fused-reads-twice", message)
    message = "A fused loop also writes: the result has to get to memory."
    require(not close(fused, 8_000_000), "fused-writes-nothing", message)
    message = "The last operation writes the result, which is no temporary."
    require(not close(got["temporaries"], got["loops"]), "result-is-temporary", message)
    differ = differences(got, want)
    require(not differ, "wrong-value", f"Not right yet: {differ}. Write one line for each operation.")


eight_bytes_each = wrong("count-the-passes", "float64-size")(
    PASSES | {"bytes one by one": 96_000_000, "bytes fused": 24_000_000}
)
counts_in_megabytes = wrong("count-the-passes", "megabytes")(PASSES | {"bytes one by one": 48, "bytes fused": 12})
counts_results_only = wrong("count-the-passes", "writes-only")(PASSES | {"bytes one by one": 20_000_000})
reads_y_twice = wrong("count-the-passes", "fused-reads-twice")(PASSES | {"bytes fused": 16_000_000})
keeps_the_result_inside = wrong("count-the-passes", "fused-writes-nothing")(PASSES | {"bytes fused": 8_000_000})
calls_the_result_temporary = wrong("count-the-passes", "result-is-temporary")(PASSES | {"temporaries": 5})
reads_the_literals_too = wrong("count-the-passes", "wrong-value")(PASSES | {"bytes one by one": 60_000_000})
four_numbers = wrong("count-the-passes", "keys-changed")((5, 4, 48_000_000, 12_000_000))

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
    message = (
        f"Right, but your code held up to {facts['arrays']:.1f} further arrays of this size. Each operation needs "
        "`out=`, also the one that multiplies `y` by 3. Is there a form of the formula that needs no second array?"
    )
    require(facts["arrays"] < 0.5, "temporaries", message)
    message = "No temporaries, but a loop in Python pays for each element: give NumPy the whole arrays."
    require(not answer.probe(probe.written)["loops"], "python-loop", message, see="one-loop-by-hand")


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
        f"Right, but it held {facts['arrays']:.1f} arrays of full length where one is needed, the result: make that "
        "first, and write each block into its place."
    )
    require(facts["arrays"] < 1.5, "joined-at-the-end", message)


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


# -- fused-loop -------------------------------------------------------------------------------------------------


def kernel_facts(kernel, observed, expected):
    """What a kernel writes, whether Numba compiled it, in which precision, and what it does at a division by zero."""
    out = np.full_like(observed, np.nan)
    result = kernel(observed, expected, out)
    facts = {"is_out": result is out, "values": out, "compiled": type(kernel).__module__.startswith("numba.")}
    # `fpext` makes a double of a float. What `vectorize` and `guvectorize` compile does not show its code.
    code = list(kernel.inspect_llvm().values()) if hasattr(kernel, "inspect_llvm") else []
    facts["double"] = any("fpext" in part for part in code)
    facts["arrays"] = any("MemInfo_alloc" in line for part in code for line in part.splitlines() if " call " in line)
    facts["raises"] = False
    if facts["compiled"]:
        try:
            kernel(observed[:1], np.full_like(observed[:1], -0.375), out[:1].copy())
        except ZeroDivisionError:
            facts["raises"] = True
    return facts


@exercise(
    "fused-loop",
    points=2,
    see="one-loop-by-hand",
    hint=[
        'The decorator is `@nb.njit(error_model="numpy")`; inside, a plain loop over `range(out.size)`.',
        "The literal `0.375` is a `float64` for Numba. `np.float32(0.375)` is none.",
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
    require(not facts["double"], "float64-inside", message)
    message = "Right, but it makes an array of its own on the way, and so more than one pass. Fill `out` in one loop."
    require(not facts["arrays"], "makes-an-array", message)
    message = (
        "With a zero below the line it raised `ZeroDivisionError`, as Python does and NumPy does not. So it looks at "
        'every divisor before it divides, and no vector instruction can do that: say `error_model="numpy"`.'
    )
    require(not facts["raises"], "raises-at-zero", message)


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


# -- one-program ------------------------------------------------------------------------------------------------


def equations(function, *args):
    """The names of the equations that JAX sees from outside of a function: a jitted one is a single equation."""
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
        "Compute `g` first, on a line of its own: inside of one compiled function it costs no array.",
        "`@jax.jit` above the definition makes all of the body one program. Use `jnp.log`, not `np.log`.",
    ],
)
def one_program(answer, rng):
    n = int(rng.integers(20, 40))
    temperature = rng.uniform(-10, 35, size=n).astype(np.float32)
    humidity = rng.uniform(20, 100, size=n).astype(np.float32)
    try:
        seen = answer.probe(equations, temperature, humidity)
    except probe.AnswerRaised as error:
        message = f"{error.raised.kind}: JAX cannot follow you into NumPy. Inside of compiled code write `jnp`."
        require(error.raised.kind != "TracerArrayConversionError", "leaves-jax", message)
        raise
    got, want = numbers(answer(temperature, humidity)), magnus(temperature, humidity)
    expect(got, want, "That is not the dew point.", rtol=1e-4)
    programs = sum(name in ("jit", "pjit") for name in seen)
    if len(seen) != 1:
        message = f"Right, but in {programs} compiled parts: what lies between them is written and read again."
        require(programs < 2, "several-programs", f"{message} Compile the whole, not the pieces.")
    message = f"Right, but JAX runs {len(seen)} programs, one for each operation. Put `@jax.jit` above the definition."
    require(len(seen) == programs == 1, "not-compiled", message)
    _, second = answer.probe(probe.compiled, [(temperature, humidity)] * 2)
    message = (
        "Right, and one program, but compiled anew in every call: `jax.jit` stands inside of the function and gets a "
        "new function each time. Decorate the whole instead."
    )
    require(not second, "compiles-in-every-call", message)


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
    require(not close(below, peak), "always-the-peak", message)
    message = "FLOP per byte times bytes per second are FLOP per second. You divided."
    require(not (close(below, low / bandwidth) or close(below, bandwidth / low)), "divided", message)
    message = "Right below the ridge, but here the processor ends at its peak, however fast the bytes come."
    require(not close(above, high * bandwidth), "no-roof", message)
    expect(below, low * bandwidth, "Below the ridge, memory decides: its bytes per second, times FLOP per byte.")
    expect(above, peak, "Above the ridge, the processor decides.", label="wrong-above")
    many = np.array([low, high])
    try:
        rates = answer(many, bandwidth, peak)
    except probe.AnswerRaised as error:
        message = "Right for one intensity. Python's `min` and `if` ask an array whether it is true: take `np.minimum`."
        require(error.raised.kind != "ValueError", "python-decides", message)
        raise
    message = "Right for one intensity. For an array of them, each should get its own rate."
    expect(rates, [low * bandwidth, peak], message, label="one-at-a-time")


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


# -- intensities ------------------------------------------------------------------------------------------------

INTENSITIES = {
    "x + y": 1 / 12,
    "2 * x": 1 / 8,
    "x.sum()": 1 / 4,
    "quadratic, one by one": 9 / 88,
    "quadratic, fused": 9 / 16,
    "a @ b": 2 * 3000**3 / (3 * 4 * 3000**2),
}


@exercise(
    "intensities",
    see="roofline-model",
    hint=[
        "For each element: operations above the line, bytes read and written below it.",
        "A product of matrices: each of its n² numbers takes n multiplications and n additions.",
    ],
)
def intensities(answer, rng):
    want = INTENSITIES
    got = entries(answer.value(), like=want)
    values = [got[key] for key in want]
    require(all(is_numeric(v) and np.ndim(v) == 0 for v in values), "not-a-number", "Give one number for each.")
    doubled = all(close(got[key], want[key] / 2) for key in want)
    require(not doubled, "float64-size", "Right for `float64`. An element of `float32` has 4 bytes.")
    upside_down = all(close(got[key], 1 / want[key]) for key in want)
    require(not upside_down, "upside-down", "Those are bytes for each operation. Intensity is the other way round.")
    message = "`x + y` reads two arrays and also writes one: 12 bytes for an addition."
    require(not close(got["x + y"], 1 / 8), "forgot-the-write", message)
    message = "A sum writes one number in all: 4 bytes are read for an addition, and none written."
    require(not close(got["x.sum()"], 1 / 8), "sum-writes-an-array", message)
    message = "The operations stay, the bytes do not: one by one, the temporaries travel too."
    require(not close(got["quadratic, one by one"], 9 / 16), "temporaries-for-free", message)
    message = "You counted n³ operations. Each is a multiplication and an addition."
    require(not close(got["a @ b"], 250), "matmul-half", message)
    differ = differences(got, want, rtol=1e-2)
    require(not differ, "wrong-value", f"Not right yet: {differ}. Operations above the line, bytes below.")


eight_byte_elements = wrong("intensities", "float64-size")({key: value / 2 for key, value in INTENSITIES.items()})
bytes_per_operation = wrong("intensities", "upside-down")({key: 1 / value for key, value in INTENSITIES.items()})
adds_without_writing = wrong("intensities", "forgot-the-write")(INTENSITIES | {"x + y": 1 / 8})
sums_into_an_array = wrong("intensities", "sum-writes-an-array")(INTENSITIES | {"x.sum()": 1 / 8})
no_temporaries_counted = wrong("intensities", "temporaries-for-free")(INTENSITIES | {"quadratic, one by one": 9 / 16})
counts_products_only = wrong("intensities", "matmul-half")(INTENSITIES | {"a @ b": 250})
reads_a_row_for_each_number = wrong("intensities", "wrong-value")(INTENSITIES | {"a @ b": 1 / 4})
names_the_roof = wrong("intensities", "not-a-number")(dict.fromkeys(INTENSITIES, "bandwidth"))
six_numbers_in_a_list = wrong("intensities", "keys-changed")(list(INTENSITIES.values()))

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


@exercise(
    "arrays-saved",
    see="nothing-to-fuse",
    hint=[
        "Count the arrays that travel one by one, then those that travel fused, and subtract.",
        "When can the division in `x / x.max()` begin?",
    ],
)
def arrays_saved(answer, rng):
    want = arrays_saved_by_fusion()
    got = entries(answer.value(), like=want)
    message = "One operation is one loop already: there is nothing to fuse it with."
    require(close(got["x + y"], 0) and close(got["x.sum()"], 0), "one-loop-saves", message)
    message = (
        "The division cannot begin before the maximum is known, and that takes a whole pass over `x`. Two loops "
        "before, two loops after."
    )
    require(close(got["x / x.max()"], 0), "reduction-fuses-ahead", message)
    message = "A temporary is written by one loop and read by the next: without it, two arrays less travel."
    require(not close(got["((x - y) ** 2).sum()"], 2), "temporaries-count-once", message)
    message = "`x` is read by both additions, and fused only once: one array more is saved than the temporary's two."
    require(not close(got["x + y + x"], 2), "read-again", message)
    differ = differences(got, want)
    require(not differ, "wrong-value", f"Not right yet: {differ}. `traffic.count` counts for you.")


TRUE_SAVINGS = arrays_saved_by_fusion()
fuses_one_addition = wrong("arrays-saved", "one-loop-saves")(TRUE_SAVINGS | {"x + y": 1})
fuses_a_sum = wrong("arrays-saved", "one-loop-saves")(TRUE_SAVINGS | {"x.sum()": 1})
divides_before_it_knows = wrong("arrays-saved", "reduction-fuses-ahead")(TRUE_SAVINGS | {"x / x.max()": 1})
counts_temporaries_once = wrong("arrays-saved", "temporaries-count-once")(TRUE_SAVINGS | {"((x - y) ** 2).sum()": 2})
forgets_the_second_reading = wrong("arrays-saved", "read-again")(TRUE_SAVINGS | {"x + y + x": 2})
loses_one_in_exp = wrong("arrays-saved", "wrong-value")(TRUE_SAVINGS | {"jnp.exp(-x * x)": 4})
no_dictionary = wrong("arrays-saved", "keys-changed")(3)

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
    require(not close(got, n), "equal-is-not-faster", message)
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


# -- count-the-dots ---------------------------------------------------------------------------------------------


DOTS = {"x @ y + x @ y": 1, "x @ y + y @ x": 2, "x @ x @ x + x @ x": 2, "x @ x @ x @ x": 3, "(x @ x) @ (x @ x)": 2}


@exercise(
    "count-the-dots",
    see="repeated-work",
    hint=[
        "Write down each product as a pair of operands. Which pairs are equal?",
        "`x @ x @ x` is `(x @ x) @ x`: the compiler takes your brackets as they are.",
    ],
)
def count_the_dots(answer, rng):
    want = DOTS
    got = entries(answer.value(), like=want)
    message = "Both products have the same operands, so the second is the first one again: it is done once."
    require(not close(got["x @ y + x @ y"], 2), "nothing-removed", message)
    message = "`y @ x` is another matrix than `x @ y`: both have to be computed."
    require(not close(got["x @ y + y @ x"], 1), "matrices-commute", message)
    message = (
        "Two squarings would do, but that is not what you wrote: it is `((x @ x) @ x) @ x`. Other brackets round "
        "differently, so the compiler leaves them to you."
    )
    require(not close(got["x @ x @ x @ x"], 2), "brackets-moved", message)
    message = "`x @ x` is in both terms: it is computed once and used twice."
    require(not close(got["x @ x @ x + x @ x"], 3), "part-not-shared", message)
    differ = differences(got, want)
    require(not differ, "wrong-value", f"Not right yet: {differ}. Write down each product, and strike out repetitions.")


counts_what_is_written = wrong("count-the-dots", "nothing-removed")(DOTS | {"x @ y + x @ y": 2})
commutes_matrices = wrong("count-the-dots", "matrices-commute")(DOTS | {"x @ y + y @ x": 1})
squares_twice_by_itself = wrong("count-the-dots", "brackets-moved")(DOTS | {"x @ x @ x @ x": 2})
shares_whole_terms_only = wrong("count-the-dots", "part-not-shared")(DOTS | {"x @ x @ x + x @ x": 3})
counts_operands = wrong("count-the-dots", "wrong-value")(DOTS | {"(x @ x) @ (x @ x)": 4})
a_list_of_counts = wrong("count-the-dots", "keys-changed")([1, 2, 2, 3, 2])

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
    require(not close(got, x**11), "element-wise", message)
    message = "Right, but not by `multiply`, which counts for us: use it for every product."
    require(not facts["besides"] or not close(got, power(x, 11)), "not-counted", message)
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


# -- what-the-compiler-removes ----------------------------------------------------------------------------------


REMOVED = {
    "a result that is not returned": True,
    "the second jnp.sin(v)": True,
    "v * 1": True,
    "x.T.T": True,
    "the division in v * w / w": False,
    "the third product in x @ x @ x @ x": False,
}


@exercise(
    "what-the-compiler-removes",
    see="unused-work",
    hint=[
        "What cannot change any result, not even its last digit, may go.",
        "What is `v * w / w` where `w` is zero?",
    ],
)
def what_the_compiler_removes(answer, rng):
    want = REMOVED
    got = entries(answer.value(), like=want, kind=bool)
    message = "Nobody can see it, and a pure function has no other effect: it is not computed."
    require(got["a result that is not returned"], "unused-is-computed", message)
    message = "A pure function of the same argument gives the same again, so it is computed once."
    require(got["the second jnp.sin(v)"], "repetition-is-computed", message)
    message = "`v * w / w` is not `v`: rounding may change the last digit, and where `w` is 0 it is NaN."
    require(not got["the division in v * w / w"], "algebra-of-reals", message)
    message = "`((x @ x) @ x) @ x` has no repeated product. Other brackets would round differently."
    require(not got["the third product in x @ x @ x @ x"], "brackets-moved", message, see="repeated-work")
    differ = ", ".join(f"`{key}`" for key in want if got[key] != want[key])
    require(not differ, "wrong-value", f"Not right yet: {differ}. Could anybody see a difference?")


computes_what_nobody_sees = wrong("what-the-compiler-removes", "unused-is-computed")(
    REMOVED | {"a result that is not returned": False}
)
computes_it_again = wrong("what-the-compiler-removes", "repetition-is-computed")(
    REMOVED | {"the second jnp.sin(v)": False}
)
cancels_like_a_mathematician = wrong("what-the-compiler-removes", "algebra-of-reals")(
    REMOVED | {"the division in v * w / w": True}
)
moves_brackets = wrong("what-the-compiler-removes", "brackets-moved")(
    REMOVED | {"the third product in x @ x @ x @ x": True}
)
multiplies_by_one = wrong("what-the-compiler-removes", "wrong-value")(REMOVED | {"v * 1": False})
yes_and_no = wrong("what-the-compiler-removes", "wrong-type")(dict.fromkeys(REMOVED, "yes"))
a_set_of_them = wrong("what-the-compiler-removes", "keys-changed")(list(REMOVED))

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
    require(not close(got[::-1], want, rtol=1e-2), "order", "Right, but the root of larger magnitude comes first.")
    message = "The smaller root has lost digits. `-b` and the square root nearly cancel: do not subtract them."
    require(not lossy(got, want), "cancellation", message)
    expect(got, want, "Those are not the roots.")
    got, want = numbers(answer(a, -b, c)), true_roots(a, -b, c)
    message = "With a negative `b` too, the root of larger magnitude comes first, not the smaller number."
    swapped = got.shape == want.shape and np.all(np.abs(got[::-1] / want - 1) < 1e-5)
    require(not swapped, "order", message)
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
