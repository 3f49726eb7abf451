"""Checks of lesson 07, fusion: what is asked, what people get wrong, and what each mistake is told."""

import decimal
import functools
import math
import tracemalloc

import jax
import jax.numpy as jnp
import numba as nb
import numpy as np

from jaxcourse import inputs, probe, traffic
from jaxcourse.bans import no_loops
from jaxcourse.exercise import close, equivalent, exercise, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Asked, Slip, sweep
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction
from jaxcourse.probe import AnswerRaised

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

FILL_SLIPS = [
    Slip(
        "overwritten",
        lambda x, y: 3 * y + 1,
        "`out` held `2 * x * y`, until `3 * y` was written over it. There is room for one of them only.",
    ),
    Slip("one-forgotten", lambda x, y: (2 * x + 3) * y, "The last step is missing: add 1."),
    Slip(
        "factored-too-far",
        lambda x, y: (2 * x + 4) * y,
        "You added 1 before the product with `y`: it stands alone in the formula, so it comes last.",
    ),
]


def filled(fill, x, y, step=1):
    """Let a function fill an array whose elements lie `step` apart."""
    out = np.full(abs(step) * x.size, np.nan, x.dtype)[::step]
    before = x.copy(), y.copy()
    result = fill(x, y, out)
    kept = [np.array_equal(now, then) for now, then in zip((x, y), before, strict=True)]
    return {"returned": result is not None, "is_out": result is out, "values": out.copy(), "kept": kept}


def require_filled(facts, first, second):
    """Require that `out` came back, and that the arguments are what they were."""
    require(facts["returned"], "forgot-to-return", "Nothing came back. Return `out` at the end.")
    message = "Return `out` itself, filled: whoever calls you owns the memory. What came back is another array."
    require(facts["is_out"], "not-out", message)
    changed = [name for name, kept in zip((first, second), facts["kept"], strict=True) if not kept]
    message = f"`{''.join(changed[:1])}` is not what it was: whoever called the function has lost the original."
    refuse(changed, "changed-input", message)


def numba_in(function):
    """Whether Numba compiles a function, or one that it calls by its name; and the LLVM code for `float32`."""
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    reached = [getattr(function, "__globals__", {}).get(name) for name in names]
    kernels = [value for value in (function, *cells, *reached) if type(value).__module__.startswith("numba.")]
    versions = [item for kernel in kernels if hasattr(kernel, "inspect_llvm") for item in kernel.inspect_llvm().items()]
    return {"compiled": bool(kernels), "code": [code for key, code in versions if "Array(float32" in str(key)]}


def room_needed(fill, x, y):
    """Let a function fill an array, and measure the most memory that it asked for meanwhile, in arrays."""
    out = np.full_like(x, np.nan)
    fill(x[:9], y[:9], out[:9].copy())  # what is imported or cached at the first call does not count
    was_on = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        fill(x, y, out)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_on:
            tracemalloc.stop()
    return {"arrays": peak / x.nbytes, "jax": any(probe.compiles(fill, [(x, y, out)]))}


def allocates(codes):
    """Whether code of Numba's makes an array."""
    return any("MemInfo_alloc" in line for code in codes for line in code.splitlines() if " call " in line)


def three_arrays(n):
    """Arguments for counting Python's steps."""
    return np.ones(n, np.float32), np.full(n, 2, np.float32), np.empty(n, np.float32)


@exercise(
    "one-array-is-enough",
    see="nine-loops",
    may_change_input=True,  # `out`; that `x` and `y` stay is asked by the check
    hint=[
        "`np.multiply(x, 2, out=out)` writes into `out` and makes no array.",
        "Factor `y` out first: how often does the formula then need `y`?",
    ],
    without=[
        no_loops(grows=three_arrays, advice="Give NumPy the whole arrays, or compile the loop.", see="one-loop-by-hand")
    ],
)
def one_array_is_enough(answer, rng):
    def fill(x, y):
        try:
            facts = answer.probe(filled, x, y, 1 if x.flags.c_contiguous else -2)
        except AnswerRaised as error:
            message = "`x` and `y` are read-only here, and you wrote into one of them, if only for a while."
            said = error.raised.message.lower().replace("-", "")
            refuse(not x.flags.writeable and "readonly" in said, "changed-input", message)
            raise
        answer.called = "one_array_is_enough(x, y, out)"
        require_filled(facts, "x", "y")
        return facts["values"]

    def draw(rng, shape):
        n, dtype, layout = shape
        return tuple(inputs.layouts(inputs.array(rng, n, dtype))[layout] for _ in range(2))

    room = answer.probe(room_needed, *(rng.normal(size=300_000).astype(np.float32) for _ in range(2)))
    message = "JAX gives its result in an array of its own, from which you filled `out`. Write into `out` at once."
    refuse(room["jax"], "temporaries", message)
    kinds = [(0, "float32"), (1, "float64"), (3, "float32"), (20, "float64")]
    sweep(
        fill,
        lambda x, y: (2 * x.astype(float) * y + 3 * y + 1).astype(x.dtype),
        draw,
        rng,
        shapes=[*((n, dtype, "C order") for n, dtype in kinds), (7, "float32", "stepped"), (8, "float64", "read-only")],
        slips=FILL_SLIPS,
        message="`out` should hold `2 * x * y + 3 * y + 1`.",
    )
    message = (
        "Right, but further arrays were made on the way. Each result must go into `out`, and `2 * x * y` and `3 * y` "
        "cannot both be there: write the formula so that each step needs only the one before."
    )
    refuse(room["arrays"] > 0.1 or allocates(answer.probe(numba_in)["code"]), "temporaries", message)


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


@wrong("one-array-is-enough", "temporaries")
@nb.njit
def compiles_an_expression(x, y, out):
    out[:] = 2 * x * y + 3 * y + 1
    return out


@wrong("one-array-is-enough", "temporaries")
def copies_what_jax_gives(x, y, out):
    out[:] = jax.jit(lambda x, y: 2 * x * y + 3 * y + 1)(x, y)
    return out


@wrong("one-array-is-enough", "temporaries")
def in_two_halves(x, y, out):
    for half in (slice(0, x.size // 2), slice(x.size // 2, None)):
        out[half] = 2 * x[half] * y[half] + 3 * y[half] + 1
    return out


@wrong("one-array-is-enough", "changed-input")
def uses_an_argument_as_scratch(x, y, out):
    np.multiply(x, 2, out=x)
    np.add(x, 3, out=x)
    np.multiply(x, y, out=out)
    return np.add(out, 1, out=out)


@wrong("one-array-is-enough", "changed-input")
def puts_the_argument_back(x, y, out):
    x *= 2
    np.multiply(x, y, out=out)
    x /= 2
    for _ in range(3):
        out += y
    out += 1
    return out


@wrong("one-array-is-enough", "one-forgotten")
def forgets_the_last_step(x, y, out):
    np.multiply(x, 2, out=out)
    np.add(out, 3, out=out)
    return np.multiply(out, y, out=out)


@wrong("one-array-is-enough", "factored-too-far")
def adds_one_too_early(x, y, out):
    np.multiply(x, 2, out=out)
    np.add(out, 4, out=out)
    return np.multiply(out, y, out=out)


@wrong("one-array-is-enough", "wrong-value")
def adds_where_it_should_multiply(x, y, out):
    np.multiply(x, 2, out=out)
    np.add(out, y, out=out)
    np.multiply(out, 3, out=out)
    return np.add(out, 1, out=out)


@wrong("one-array-is-enough", "overwritten")
def overwrites_what_it_needs(x, y, out):
    np.multiply(x, 2, out=out)
    np.multiply(out, y, out=out)
    np.multiply(y, 3, out=out)
    return np.add(out, 1, out=out)


@wrong("one-array-is-enough", "loops")
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
@nb.njit
def in_a_compiled_loop(x, y, out):
    for i in range(x.size):
        out[i] = 2 * x[i] * y[i] + 3 * y[i] + 1
    return out


@right("one-array-is-enough")
def in_short_blocks(x, y, out):
    for start in range(0, x.size, 1000):
        part = slice(start, start + 1000)
        out[part] = 2 * x[part] * y[part] + 3 * y[part] + 1
    return out


@right("one-array-is-enough")
def factored_in_place(x, y, out):
    out[...] = x
    out *= 2
    out += 3
    out *= y
    out += 1
    return out


# -- in-blocks --------------------------------------------------------------------------------------------------


def element_wise(kind, *arrays):
    """The oracle, and what the function that is handed over computes."""
    functions = {
        "length": lambda x, y: np.sqrt(x * x + y * y),
        "difference": lambda x, y: x - 2 * y,
        "double": lambda x: x + x,
        "itself": lambda x: x.copy(),
        "chosen": lambda x, y, z: np.where(x == 0, y, z),
    }
    return functions[kind](*arrays)


def blocks_seen(evaluate, kind, block, *arrays):
    """Evaluate a function in blocks that notes how long its arguments are."""
    lengths, axes = [], set()
    functions = {
        "length": lambda x, y: np.sqrt(x * x + y * y),
        "difference": lambda x, y: x - 2 * y,
        "double": lambda x: x + x,
        "itself": lambda x: x.copy(),
        "chosen": lambda x, y, z: np.where(x == 0, y, z),
    }

    def noting(*slices):
        lengths.append(max(np.size(part) for part in slices))
        axes.update(np.ndim(part) for part in slices)
        return functions[kind](*slices)

    used = [np.full_like(arrays[0], 99) for _ in range(4)]
    used.clear()  # what `np.empty` finds in memory is now no result of before
    result = evaluate(noting, block, *arrays)
    is_array = isinstance(result, np.ndarray)
    return {"values": result, "is_array": is_array, "lengths": lengths, "slices": axes <= {1}}


def room_in_blocks(evaluate, block, x, y):
    """Measure the memory that it takes to evaluate a function in blocks, in arrays."""

    def length(x, y):
        return np.sqrt(x * x + y * y)

    evaluate(length, block, x[:9], y[:9])  # what is imported or cached at the first call does not count
    was_on = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        evaluate(length, block, x, y)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_on:
            tracemalloc.stop()
    return peak / x.nbytes


def in_full_blocks(kind, block, *arrays):
    """What comes if the last block is left out where it is shorter."""
    n = len(arrays[0]) // block * block
    return element_wise(kind, *(array[:n] for array in arrays))


UNWRITTEN = 99
"""Stands for whatever an array held before, and is no result of ours."""


def with_the_rest_unwritten(kind, block, *arrays):
    """What comes if the last block is left as it was."""
    result = element_wise(kind, *arrays)
    result[len(result) // block * block :] = UNWRITTEN
    return result


BLOCK_SLIPS = [
    Slip("rest-lost", in_full_blocks, "The last block may be shorter than the others, and it counts too."),
    Slip(
        "rest-lost",
        with_the_rest_unwritten,
        f"The last block may be shorter than the others, and yours was never computed: {UNWRITTEN} stands for what was "
        "left there.",
    ),
    Slip(
        "other-dtype",
        lambda kind, block, *arrays: np.real(element_wise(kind, *arrays)).astype(float),
        "The result should have the dtype of the arrays. `np.empty` makes `float64` unless told otherwise.",
    ),
]
BLOCK_KINDS = (("length", 2), ("difference", 2), ("double", 1), ("itself", 1), ("chosen", 3))


def require_few_calls(seen):
    """Require at most twice as many calls as there are blocks: `seen` has lengths, blocks, and each call's."""
    message = "Right, but in more than twice the calls that it takes: let each call have a whole block."
    require(all(len(lengths) <= 2 * math.ceil(n / block) for n, block, lengths in seen), "too-many-calls", message)


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
    seen = []

    def evaluate(kind, block, *arrays):
        facts = answer.probe(blocks_seen, kind, block, *arrays)
        answer.called = f"in_blocks(function, {block}, {', '.join('xyz'[: len(arrays)])})"
        seen.append((len(arrays[0]), block, [length for length in facts["lengths"] if length]))
        message = "`function` got single numbers, or something else that is no slice: `a[start:stop]` is one."
        require(facts["slices"], "not-slices", message)
        message = "`function` got more elements at once than a block has. Then its temporaries are as long."
        require(max(facts["lengths"], default=0) <= block, "too-long", message)
        if facts["values"] is not None:
            message = "Return one NumPy array: the result in one piece, as `function(*arrays)` gives it."
            require(facts["is_array"], "not-an-array", message)
        n = len(arrays[0])
        full = n // block * block
        if np.shape(facts["values"]) == (n,) and sum(facts["lengths"]) == full:  # the rest is by chance what it is
            return np.where(np.arange(n) < full, facts["values"], np.array(UNWRITTEN, facts["values"].dtype))
        return facts["values"]

    def draw(rng, shape):
        n, block, (kind, many) = shape
        dtypes = ["float32", "float64"] if kind == "length" else ["float32", "int64", "complex64", "uint8"]
        dtype = str(rng.choice(dtypes))
        arrays = [inputs.array(rng, n, dtype) for _ in range(many)]
        views = [inputs.layouts(x)[str(rng.choice(["C order", "stepped", "backwards"]))] for x in arrays]
        return kind, block, *views

    lengths = [(1, 1), (2, 5), (3, 4), (4, 2), (5, 2), (7, 7), (9, 4), (10, 1), (23, 5), (24, 6), (1000, 200)]
    shapes = [(n, block, BLOCK_KINDS[i % len(BLOCK_KINDS)]) for i, (n, block) in enumerate(lengths)]
    sweep(
        evaluate,
        lambda kind, block, *arrays: element_wise(kind, *arrays),
        draw,
        rng,
        shapes=[(0, 3, ("double", 1)), (0, 3, ("chosen", 3)), *shapes],
        each=3,
        slips=BLOCK_SLIPS,
        message="`function(*arrays)` gives something else.",
        dtype=True,
    )
    require_few_calls(seen)  # whoever calls for each element is told now, and not after 800,000 calls
    long = "itself", 200_001, rng.integers(0, 9, 800_003).astype(np.uint8)  # blocks that no cache of ours would choose
    message = "`function(*arrays)` gives something else for long arrays."
    Asked(evaluate, lambda kind, block, x: x, dtype=True).require([long], message, "wrong-value")
    require_few_calls(seen)
    block = int(rng.integers(900, 1100))
    x, y = (rng.normal(size=40 * block + block // 2).astype(np.float32) for _ in range(2))
    stepped = [inputs.layouts(array)["stepped"] for array in (x, y)]  # whoever copies an argument copies these
    message = (
        "Right, but it held a second array of full length where one is needed, the result: make that first, and write "
        "each block into its place."
    )
    require(answer.probe(room_in_blocks, block, x, y) < 1.5, "joined-at-the-end", message)
    message = "Right, but an array that is not contiguous is copied as a whole. Take slices of it as it is."
    require(answer.probe(room_in_blocks, block, *stepped) < 1.5, "copies-an-argument", message)


@wrong("in-blocks", "too-long")
def all_at_once(function, block, *arrays):
    return function(*arrays)


@wrong("in-blocks", "rest-lost")
def full_blocks_only(function, block, *arrays):
    n = len(arrays[0]) // block * block
    parts = [function(*(a[i : i + block] for a in arrays)) for i in range(0, n, block)]
    return np.concatenate(parts or [arrays[0][:0]])


@wrong("in-blocks", "not-an-array")
def a_list_of_numbers(function, block, *arrays):
    result = []
    for start in range(0, len(arrays[0]), block):
        result += list(function(*(a[start : start + block] for a in arrays)))
    return result


@wrong("in-blocks", "not-slices")
def one_number_each(function, block, *arrays):
    result = np.empty_like(arrays[0])
    for i in range(len(result)):
        result[i] = function(*(a[i] for a in arrays))
    return result


@wrong("in-blocks", "rest-lost")
def leaves_the_rest_as_it_was(function, block, *arrays):
    result = np.zeros_like(arrays[0])
    for start in range(0, len(result) - block + 1, block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@wrong("in-blocks", "rest-lost")
def leaves_the_rest_as_memory_was(function, block, *arrays):
    result = np.empty_like(arrays[0])
    for k in range(len(result) // block):
        part = slice(k * block, (k + 1) * block)
        result[part] = function(*(a[part] for a in arrays))
    return result


@wrong("in-blocks", "too-long")
def splits_into_that_many(function, block, *arrays):
    result = np.empty_like(arrays[0])
    for part in np.array_split(np.arange(len(result)), block):
        result[part] = function(*(a[part] for a in arrays))
    return result


@wrong("in-blocks", "wrong-value")
def leaves_the_end_as_it_was(function, block, *arrays):
    result = np.zeros_like(arrays[0])
    for start in range(0, len(result) - block, block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@wrong("in-blocks", "joined-at-the-end")
def concatenates(function, block, *arrays):
    starts = range(0, len(arrays[0]), block)
    parts = [function(*(a[start : start + block] for a in arrays)) for start in starts]
    return np.concatenate(parts or [arrays[0]])


@wrong("in-blocks", "copies-an-argument")
def makes_them_contiguous(function, block, *arrays):
    arrays = [np.ascontiguousarray(array) for array in arrays]
    result = np.empty_like(arrays[0])
    for start in range(0, len(result), block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


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


@wrong("in-blocks", "too-many-calls")
def never_more_than_fit_the_cache(function, block, *arrays):
    result, block = np.empty_like(arrays[0]), min(block, 1024)
    for start in range(0, len(result), block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
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
def asks_for_the_dtype_first(function, block, *arrays):
    result = np.empty(len(arrays[0]), function(*(a[:1] for a in arrays)).dtype)
    for start in range(0, len(result), block):
        result[start : start + block] = function(*(a[start : start + block] for a in arrays))
    return result


@right("in-blocks")
def by_halves(function, block, *arrays):
    result = np.empty_like(arrays[0])

    def fill(out, parts):
        if len(out) <= block:
            out[:] = function(*parts)
        else:
            half = len(out) // 2
            fill(out[:half], [part[:half] for part in parts])
            fill(out[half:], [part[half:] for part in parts])

    fill(result, arrays)
    return result


@right("in-blocks")
def in_parts_of_nearly_one_length(function, block, *arrays):
    out = np.empty_like(arrays[0])
    many = -(-len(out) // block)
    for i in range(many):
        part = slice(len(out) * i // many, len(out) * (i + 1) // many)
        out[part] = function(*(v[part] for v in arrays))
    return out


@right("in-blocks")
def over_the_starts(function, block, *arrays):
    out = np.empty_like(arrays[0])
    for i in range(0, len(out), block):
        out[i : i + block] = function(*(v[i : i + block] for v in arrays))
    return out


# -- fused-loop -------------------------------------------------------------------------------------------------

RESIDUAL_SLIPS = [
    Slip(
        "divided-by-the-observed",
        lambda observed, expected: (observed - expected) / np.sqrt(observed + 0.375),
        "You divided by a root of what was observed. The formula has the expected count there.",
    ),
    Slip(
        "outside-the-root",
        lambda observed, expected: (observed - expected) / (np.sqrt(expected) + 0.375),
        "3/8 is added to the count, under the root.",
    ),
    Slip(
        "no-small-count",
        lambda observed, expected: (observed - expected) / np.sqrt(expected),
        "The 3/8 is missing: it is added to the count, under the root.",
    ),
    Slip("sign", lambda observed, expected: (expected - observed) / np.sqrt(expected + 0.375), "The sign is wrong."),
    Slip("root-forgotten", lambda observed, expected: (observed - expected) / (expected + 0.375), "Take the root."),
]


def residuals(observed, expected):
    """The oracle."""
    return (observed - expected) / np.sqrt(expected + 0.375)


def compiled_twice(kernel, observed, expected):
    """Whether Numba compiles something in the second call of the same kind."""
    kernel(observed, expected, np.empty_like(observed))
    with nb.core.event.install_recorder("numba:compile") as recorder:
        kernel(observed, expected, np.empty_like(observed))
    return bool(recorder.buffer)


@probe.question(evidence="values")
def behind_itself(kernel, lag, observed, memory):
    """What a memory holds after a kernel has written `lag` elements behind where it reads what is expected."""
    # The threads of a parallel kernel would meet each other's results: let there be one.
    parallel = getattr(kernel, "targetoptions", {}).get("parallel")
    threads = nb.get_num_threads() if parallel else 0
    memory = memory.copy()
    try:
        if parallel:
            nb.set_num_threads(1)
        kernel(observed, memory[: observed.size], memory[lag:])
    finally:
        if parallel:
            nb.set_num_threads(threads)
    return memory[lag:]


def one_pass_leaves(lag, observed, memory):
    """What a single pass leaves there: one that goes forward meets its own results, one from the end does not."""
    backward, memory = residuals(observed, memory[: observed.size].astype(float)), memory.astype(float)
    for start in range(0, observed.size, lag):
        part = slice(start, min(start + lag, observed.size))
        memory[lag:][part] = residuals(observed[part], memory[part])
    return [memory[lag:], backward]


@probe.question(evidence="values")
def at_a_zero(kernel, observed):
    """Let a kernel divide by zero."""
    out = np.empty_like(observed)
    kernel(observed, np.full_like(observed, -0.375), out)
    return out


@exercise(
    "fused-loop",
    points=2,
    see="one-loop-by-hand",
    may_change_input=True,  # as above
    hint=[
        'The decorator is `@nb.njit(error_model="numpy")`; inside, a plain loop over `range(out.size)`.',
        "The literal `0.375` is a `float64` for Numba. `np.float32(0.375)` is not.",
    ],
    without=[
        no_loops(grows=three_arrays, advice="Compile the function that has the loop: put `@nb.njit(...)` above it.")
    ],
)
def fused_loop(answer, rng):
    def fill(observed, expected):
        facts = answer.probe(filled, observed, expected)
        answer.called = "fused_loop(observed, expected, out)"
        require_filled(facts, "observed", "expected")
        return facts["values"]

    def draw(rng, n):
        expected = rng.uniform(0, rng.choice([2, 20, 20, 1e6]), size=n).astype(np.float32)
        return rng.poisson(expected).astype(np.float32), expected

    message = "`out` should hold `(observed - expected) / sqrt(expected + 3/8)`."
    sweep(fill, residuals, draw, rng, shapes=[0, 1, 3, 70], slips=RESIDUAL_SLIPS, message=message, rtol=1e-5)
    observed, expected = draw(rng, 150_000)
    room = answer.probe(room_needed, observed, expected)
    compiled, code = answer.probe(numba_in).values()
    message = "Right, but Numba compiles it anew in every call: decorate the whole function, or a helper outside of it."
    refuse(answer.probe(compiled_twice, observed[:9], expected[:9]), "compiles-in-every-call", message)
    makes = room["jax"] or room["arrays"] > 0.5 or allocates(code)
    lag, many, memory = 256, np.full(1000, 100, np.float32), rng.uniform(1, 20, size=1256).astype(np.float32)
    left = answer.probe(behind_itself, lag, many, memory)
    in_one_pass = any(close(left, want, rtol=1e-3) for want in one_pass_leaves(lag, many, memory))
    message = (
        "Right, but Numba compiles nothing of it: one operation after the other goes over the arrays. Write a loop, "
        "and put `@nb.njit(...)` above the definition."
    )
    require(compiled or (in_one_pass and not makes), "not-compiled", message)
    message = (
        "Right, but the loop works in `float64`: a literal such as `0.375` is one for Numba, and `float32` with "
        "`float64` makes `float64`. Write the number as `np.float32(...)`."
    )
    eighths = (rng.integers(0, size, 500).astype(np.float32) / 8 for size in (800, 160))
    refuse(any("fpext" in part for part in code) or rounded_once(fill, *eighths), "float64-inside", message)
    message = "Right, but it makes an array of its own on the way, and so more than one pass. Fill `out` in one loop."
    refuse(makes, "makes-an-array", message)
    message = (
        "Right, but it goes over the arrays more than once: a later loop reads again what memory has already brought. "
        "Do all that an element needs before the next."
    )
    require(in_one_pass, "several-passes", message)
    message = (
        "With a zero below the line it raised `ZeroDivisionError`, as Python does and NumPy does not. So it looks at "
        'every divisor before it divides, and no vector instruction can do that: say `error_model="numpy"`.'
    )
    found, raised = answer.attempt(at_a_zero, np.array([1, -1, -0.375], np.float32), expected=["ZeroDivisionError"])
    refuse(raised, "raises-at-zero", message)
    message = "Where `expected` is -3/8 the divisor is 0, and NumPy gives `inf`, `-inf` or `nan`: let it divide."
    require(close(found, [np.inf, -np.inf, np.nan]), "not-as-numpy", message)


def rounded_once(fill, observed, expected):
    """Whether no result shows that root and quotient were rounded: with eighths, sum and difference are exact."""
    want = residuals(observed.astype(float), expected.astype(float))
    return np.array_equal(fill(observed, expected), want.astype(np.float32))


@wrong("fused-loop", "loops")
def python_runs_it(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(expected[i] + np.float32(0.375))
    return out


@nb.njit(error_model="numpy")
def one_residual(observed, expected):
    return (observed - expected) / np.sqrt(expected + np.float32(0.375))


@wrong("fused-loop", "loops")
def compiles_the_inside(observed, expected, out):
    for i in range(out.size):
        out[i] = one_residual(observed[i], expected[i])
    return out


@wrong("fused-loop", "compiles-in-every-call")
def compiles_inside(observed, expected, out):
    @nb.njit(error_model="numpy")
    def kernel(observed, expected, out):
        for i in range(out.size):
            out[i] = (observed[i] - expected[i]) / np.sqrt(expected[i] + np.float32(0.375))

    kernel(observed, expected, out)
    return out


@wrong("fused-loop", "several-passes")
@nb.njit(error_model="numpy")
def in_two_loops(observed, expected, out):
    for i in range(out.size):
        out[i] = np.sqrt(expected[i] + np.float32(0.375))
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / out[i]
    return out


@wrong("fused-loop", "several-passes")
@nb.njit(error_model="numpy")
def difference_first(observed, expected, out):
    for i in range(out.size):
        out[i] = observed[i] - expected[i]
    for i in range(out.size):
        out[i] /= np.sqrt(expected[i] + np.float32(0.375))
    return out


@wrong("fused-loop", "float64-inside")
@nb.vectorize
def a_ufunc_with_a_literal(observed, expected):
    return (observed - expected) / np.sqrt(expected + 0.375)


@wrong("fused-loop", "not-as-numpy")
@nb.njit(error_model="numpy")
def guards_against_zero(observed, expected, out):
    for i in range(out.size):
        below = np.sqrt(expected[i] + np.float32(0.375))
        out[i] = (observed[i] - expected[i]) / below if below > 0 else np.float32(0)
    return out


@wrong("fused-loop", "outside-the-root")
@nb.njit(error_model="numpy")
def adds_outside_the_root(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / (np.sqrt(expected[i]) + np.float32(0.375))
    return out


@wrong("fused-loop", "no-small-count")
@nb.njit(error_model="numpy")
def leaves_the_small_number_out(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(expected[i])
    return out


@wrong("fused-loop", "sign")
@nb.njit(error_model="numpy")
def the_other_way_round(observed, expected, out):
    for i in range(out.size):
        out[i] = (expected[i] - observed[i]) / np.sqrt(expected[i] + np.float32(0.375))
    return out


@wrong("fused-loop", "root-forgotten")
@nb.njit(error_model="numpy")
def divides_by_the_variance(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / (expected[i] + np.float32(0.375))
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


@wrong("fused-loop", "forgot-to-return")
@nb.njit(error_model="numpy")
def writes_and_falls_silent(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(expected[i] + np.float32(0.375))


@wrong("fused-loop", "not-out")
@nb.njit(error_model="numpy")
def makes_its_own_array(observed, expected, out):
    result = np.empty_like(observed)
    for i in range(result.size):
        result[i] = (observed[i] - expected[i]) / np.sqrt(expected[i] + np.float32(0.375))
    return result


@wrong("fused-loop", "wrong-value")
@nb.njit(error_model="numpy")
def subtracts_the_small_number(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(abs(expected[i] - np.float32(0.375)))
    return out


@wrong("fused-loop", "divided-by-the-observed")
@nb.njit(error_model="numpy")
def divides_by_the_observed(observed, expected, out):
    for i in range(out.size):
        out[i] = (observed[i] - expected[i]) / np.sqrt(observed[i] + np.float32(0.375))
    return out


@right("fused-loop")
@nb.vectorize
def a_ufunc(observed, expected):
    return (observed - expected) / np.sqrt(expected + np.float32(0.375))


@right("fused-loop")
@nb.njit(error_model="numpy")
def in_place_from_the_end(observed, expected, out):
    for i in range(out.size - 1, -1, -1):
        out[i] = observed[i] - expected[i]
        out[i] /= np.sqrt(expected[i] + np.float32(0.375))
    return out


@nb.njit(error_model="numpy")
def residuals_into(observed, expected, out):
    for i, value in enumerate(expected):
        out[i] = np.float32(1) / np.sqrt(value + np.float32(0.375)) * (observed[i] - value)


@right("fused-loop")
def by_a_compiled_helper(observed, expected, out):
    residuals_into(observed, expected, out)
    return out


@right("fused-loop")
@nb.njit(error_model="numpy")
def with_the_root_apart(observed, expected, out):
    for i in range(out.size):
        below = np.sqrt(expected[i] + np.float32(3 / 8))
        out[i] = (observed[i] - expected[i]) / below
    return out


# -- one-program ------------------------------------------------------------------------------------------------


def dew_point(temperature, humidity):
    """The oracle, in float64."""
    t, h = temperature.astype(np.float64), humidity.astype(np.float64)
    g = np.log(h / 100) + 17.625 * t / (243.04 + t)
    return 243.04 * g / (17.625 - g)


def of_another_g(g):
    """What an answer gives that computes another `g`."""
    return lambda temperature, humidity: 243.04 * g(temperature, humidity) / (17.625 - g(temperature, humidity))


DEW_SLIPS = [
    Slip(
        "percent-forgotten",
        of_another_g(lambda t, h: np.log(h) + 17.625 * t / (243.04 + t)),
        "The humidity comes in percent: divide it by 100 before you take the logarithm.",
    ),
    Slip(
        "other-logarithm",
        of_another_g(lambda t, h: np.log10(h / 100) + 17.625 * t / (243.04 + t)),
        "That is the logarithm to base 10. The formula has the natural one, `jnp.log`.",
    ),
    Slip(
        "brackets",
        of_another_g(lambda t, h: np.log(h / 100) + 17.625 * t / 243.04 + t),
        "The sum below the line needs brackets: `17.625 * temperature / (243.04 + temperature)`.",
    ),
]


def what_comes_back(function, *args):
    """Whether JAX owns the result for NumPy arrays; if so, whether a callback is in the program."""
    if not isinstance(function(*args), jax.Array):
        return {"is_jax": False, "callback": False}
    names = [str(equation.primitive) for equation in probe.equations(jax.make_jaxpr(function)(*args))]
    return {"is_jax": True, "callback": any("callback" in name for name in names)}


def has_compiled_parts(function, *args):
    """Whether a part with several operations is compiled, but not all of it."""
    bodies = [equation.params.get("jaxpr") for equation in jax.make_jaxpr(function)(*args).eqns]
    return any(len(body.eqns) > 1 for body in bodies if body is not None)


def programs(function, calls):
    """How many programs each call compiles, from empty caches on; the arrays are on the device before."""
    on_device = [tuple(jax.numpy.asarray(value) for value in args) for args in calls]
    return [len(names) for names in probe.compiles(function, on_device)]


@exercise(
    "one-program",
    see="one-program-for-all",
    hint=[
        "Compute `g` first, on a line of its own: inside a compiled function it costs no array.",
        "`@jax.jit` above the definition makes all of the body one program. Use `jnp.log`, not `np.log`.",
    ],
)
def one_program(answer, rng):
    def draw(rng, shape):
        temperature, humidity = rng.uniform(-30, 45, size=shape), rng.uniform(5, 105, size=shape)
        temperature.flat[0], humidity.flat[0] = rng.uniform(20, 30), rng.uniform(60, 100)  # not near a dew point of 0
        return temperature.astype(np.float32), humidity.astype(np.float32)

    calls = [draw(rng, (3, 4)) for _ in range(2)]
    facts, raised = answer.attempt(what_comes_back, *calls[0], expected=probe.NEEDS_A_VALUE)
    message = "NumPy asks for numbers, and while JAX traces your function there are none. Write `jnp`, not `np`."
    refuse(raised == "TracerArrayConversionError", "leaves-jax", message)
    message = "While JAX traces your function there are no numbers, and your code asks for one: `float`, `math`, `if`."
    refuse(raised, "asks-for-a-number", message)
    message = "What came back is no JAX array. Let JAX compute it, with `jnp`, and return what it gives."
    require(facts["is_jax"], "leaves-jax", message)
    for ask in (answer, lambda *args: answer.probe(probe.on_jax_arrays, *args)):
        sweep(
            ask,
            dew_point,
            draw,
            rng,
            shapes=[(1,), (3, 4)],
            slips=DEW_SLIPS,
            message="That is not the dew point.",
            rtol=1e-4,
        )

    def wide(rng, shape):
        humidity = 10 ** rng.uniform(-6, 3, size=shape)
        humidity.flat[:2] = 150, 1e-6
        return rng.uniform(-100, 100, size=shape).astype(np.float32), humidity.astype(np.float32)

    message = (
        "Right for humid air, not for very dry or supersaturated air: the formula has no limits, and adds nothing."
    )
    shape = [(3, 4)]
    sweep(answer, dew_point, wide, rng, shapes=shape, message=message, label="some-air-only", rtol=1e-3)
    refuse(facts["callback"], "leaves-jax", "Right, but a callback leaves it to NumPy: that is no part of the program.")
    first, second = answer.probe(programs, calls)
    message = "Right, but beside a compiled part others run, and what lies between is written and read again."
    split = first > 1 and answer.probe(has_compiled_parts, *calls[0])
    refuse(split, "several-programs", f"{message} Compile the whole, not a piece of it.")
    message = "Right, but JAX runs a program for each operation. Put `@jax.jit` above the definition."
    require(first == 1, "not-compiled", message)
    message = "Right, and one program, but compiled anew in every call: `jit` gets a new function each time, or none "
    refuse(second, "compiles-in-every-call", f"{message}that it keeps. Decorate the whole, outside of the calls.")


@jax.jit
def dew_point_in_jax(t, h):
    """What some answers call."""
    g = jnp.log(h) - math.log(100) + 17.625 * t / (243.04 + t)
    return 243.04 / (17.625 / g - 1)


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


@wrong("one-program", "leaves-jax")
def all_in_numpy(temperature, humidity):
    temperature, humidity = np.asarray(temperature), np.asarray(humidity)
    g = np.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return jnp.asarray(243.04 * g / (17.625 - g))


@wrong("one-program", "leaves-jax")
def back_to_numpy(temperature, humidity):
    return np.asarray(dew_point_in_jax(temperature, humidity))


@wrong("one-program", "leaves-jax")
@jax.jit
def calls_numpy_back(temperature, humidity):
    lift = jax.ShapeDtypeStruct(temperature.shape, temperature.dtype)
    g = jax.pure_callback(lambda h: np.log(h / 100), lift, humidity) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "asks-for-a-number")
@jax.jit
def looks_at_the_numbers(temperature, humidity):
    if humidity.min() <= 0:
        return jnp.full(humidity.shape, -jnp.inf)
    g = jnp.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "several-programs")
def compiles_the_first_half(temperature, humidity):
    g = jax.jit(lambda t, h: jnp.log(h / 100) + 17.625 * t / (243.04 + t))(temperature, humidity)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "other-logarithm")
@jax.jit
def to_base_ten(temperature, humidity):
    g = jnp.log10(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "brackets")
@jax.jit
def leaves_the_brackets_out(temperature, humidity):
    g = jnp.log(humidity / 100) + 17.625 * temperature / 243.04 + temperature
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "wrong-value")
@jax.jit
def stops_at_g(temperature, humidity):
    return jnp.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)


@wrong("one-program", "some-air-only")
@jax.jit
def keeps_away_from_zero(temperature, humidity):
    return dew_point_in_jax(temperature, jnp.maximum(humidity, 1))


@wrong("one-program", "some-air-only")
@jax.jit
def adds_a_little(temperature, humidity):
    g = jnp.log(humidity / 100 + 1e-8) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@wrong("one-program", "percent-forgotten")
@jax.jit
def forgets_the_percent(temperature, humidity):
    g = jnp.log(humidity) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@right("one-program")
@jax.jit
def with_two_names(temperature, humidity):
    g = jnp.log(humidity / 100) + 17.625 * temperature / (243.04 + temperature)
    return 243.04 * g / (17.625 - g)


@right("one-program")
def by_a_compiled_helper_in_jax(temperature, humidity):
    return dew_point_in_jax(jnp.asarray(temperature), jnp.asarray(humidity))


# -- attainable-rate --------------------------------------------------------------------------------------------

RATE_SLIPS = [
    Slip(
        "always-the-peak",
        lambda intensity, bandwidth, peak: np.maximum(intensity * bandwidth, peak),
        "You took the larger of the two. What is smaller limits the rate.",
    ),
    Slip(
        "no-roof",
        lambda intensity, bandwidth, peak: intensity * bandwidth,
        "Right below the ridge, but the processor ends at its peak, however fast the bytes come.",
    ),
    Slip(
        "no-slope",
        lambda intensity, bandwidth, peak: np.full_like(intensity, peak),
        "Where the intensity is low, memory cannot deliver fast enough for the peak.",
    ),
    Slip(
        "divided",
        lambda intensity, bandwidth, peak: np.minimum(bandwidth / intensity, peak),
        "FLOP per byte times bytes per second is FLOP per second. You divided.",
    ),
    Slip(
        "divided",
        lambda intensity, bandwidth, peak: np.minimum(intensity / bandwidth, peak),
        "FLOP per byte times bytes per second is FLOP per second. You divided.",
    ),
]


def highest_rate(intensity, bandwidth, peak):
    """The oracle."""
    ridge = peak / bandwidth
    return np.where(np.asarray(intensity) < ridge, np.multiply(intensity, bandwidth), peak)


@exercise(
    "attainable-rate",
    see="roofline-model",
    hint="Two things limit the rate: what memory delivers, and what the processor does. Which of them wins?",
)
def attainable_rate(answer, rng):
    def number(rng, _):
        bandwidth, ridge = float(rng.uniform(20, 60)) * 1e9, float(rng.uniform(2, 30))
        return ridge * float(rng.choice([0.01, 0.5, 1, 3, 9]) * rng.uniform(0.9, 1.1)), bandwidth, ridge * bandwidth

    _, *machine = number(rng, 0)

    def array(rng, shape):
        ridge = machine[1] / machine[0]
        intensity = ridge * rng.choice([0.01, 0.3, 1, 4], shape) * rng.uniform(0.8, 1.25, shape)
        return inputs.meeting(rng, intensity, ridge), *machine

    limits = [(0.5, 4e10, 6e11), (100.0, 4e10, 6e11), (0.25, 3e10, 9e11), (60.0, 3e10, 9e11)]
    message = "What memory delivers is intensity times bandwidth; what the processor does ends at the peak."
    sweep(answer, highest_rate, number, rng, shapes=range(5), extremes=limits, slips=RATE_SLIPS, message=message)
    kind, raised = answer.attempt(probe.result_type, *array(rng, (5,)), expected=["ValueError"])
    message = "Right for one intensity. Python's `min` and `if` ask an array whether it is true: take `np.minimum`."
    refuse(raised, "python-decides", message)
    message = "Right for one intensity. For an array of them return an array, with which one can go on computing."
    require(kind not in ("list", "tuple"), "a-list", message)
    message = "Right for one intensity. For an array of them, each should get its own rate."
    sweep(
        answer,
        highest_rate,
        array,
        rng,
        shapes=[(0,), (1,), (4,), (2, 3), (20,)],
        message=message,
        label="one-at-a-time",
    )


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


@wrong("attainable-rate", "no-slope")
def returns_the_peak(intensity, bandwidth, peak):
    return peak + 0 * intensity


@wrong("attainable-rate", "divided")
def divides_by_the_bandwidth(intensity, bandwidth, peak):
    return np.minimum(intensity / bandwidth, peak)


@wrong("attainable-rate", "a-list")
def one_after_the_other(intensity, bandwidth, peak):
    if np.ndim(intensity) == 0:
        return min(intensity * bandwidth, peak)
    if np.ndim(intensity) == 1:
        return [min(each * bandwidth, peak) for each in intensity]
    return [[min(each * bandwidth, peak) for each in row] for row in intensity]


@wrong("attainable-rate", "one-at-a-time")
def with_one_axis_only(intensity, bandwidth, peak):
    if np.ndim(intensity) == 0:
        return min(intensity * bandwidth, peak)
    return np.array([min(each * bandwidth, peak) for each in np.ravel(intensity)])


@wrong("attainable-rate", "wrong-value")
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
        Mistake(
            "product-not-written",
            {"a @ b": 750},
            "You counted the bytes of `a` and `b` only. The product is a third matrix, and it is written.",
        ),
        Mistake(
            "three-arrays-each",
            {"quadratic, one by one": 9 / 108},
            "Not each of the nine loops moves three arrays: `-b` reads one and writes one. The first picture shows it.",
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
    otherwise="Operations above the line, bytes below; write the division, such as `3 / 8`.",
    also={"a @ b": 5999 / 12},  # a sum of n products has n - 1 additions
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
            "reduction-apart",
            {"((x - y) ** 2).sum()": 2, "jnp.exp(-x * x)": any_of(5, 4)},
            "A sum fuses with what comes before it: the squares are added up as they are made. Neither temporary "
            "reaches memory, and each would be written once and read once.",
        ),
        Mistake(
            "temporaries-count-once",
            {"((x - y) ** 2).sum()": 2, "jnp.exp(-x * x)": any_of(3, 2)},
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


def first_faster(fixed_a, each_a, fixed_b, each_b):
    """The oracle: by doubling and halving, without the formula."""

    def faster(n):
        return fixed_b + n * each_b < fixed_a + n * each_a

    if faster(1) or each_b >= each_a:
        return 1 if faster(1) else math.inf
    low, high = 1, 2
    while not faster(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if faster(middle) else (middle, high)
    return high


def not_slower(fixed_a, each_a, fixed_b, each_b):
    """What comes if equal times count as faster."""
    return first_faster(fixed_a, each_a, fixed_b - 1, each_b)


CROSSOVER_SLIPS = [
    Slip("equal-is-not-faster", not_slower, "At equal times `b` is not faster yet. The next number is the first."),
    Slip(
        "equal-is-not-faster",
        lambda *costs: first_faster(*costs) - (first_faster(*costs) > 1),
        "There `b` is no faster yet: one more element is needed.",
    ),
    Slip(
        "equal-is-not-faster",
        lambda *costs: 1 if costs[2] + costs[3] <= costs[0] + costs[1] else first_faster(*costs),
        "Where both take equally long for one element, `b` is not faster yet.",
    ),
    Slip(
        "where-they-cross",
        lambda *costs: max(1, (costs[2] - costs[0]) / (costs[1] - costs[3])),
        "That is where the two lines cross. `b` is faster from the next whole number on.",
    ),
    Slip(
        "one-too-many",
        lambda *costs: not_slower(*costs) + 1,
        "Right where the times are equal at a whole number; between two of them, the upper one counts.",
    ),
]


@exercise(
    "crossover-size",
    see="small-arrays",
    hint=[
        "`fixed_b + n * each_b < fixed_a + n * each_a`: solve for `n`.",
        "At equal times `b` is not faster yet: the next whole number is. And if each element costs `b` as much?",
    ],
)
def crossover_size(answer, rng):
    def catches_up(rng, most):
        each_b, gain = int(rng.integers(0, 6)), int(rng.integers(1, 8))
        fixed_a, n = int(rng.integers(0, 200)), int(rng.integers(1, most + 1))
        return fixed_a, each_b + gain, fixed_a + gain * n + int(rng.choice([0, 0, gain // 2, gain - 1])), each_b

    def never(rng, _):
        fixed_a, each_a, each_b = (int(value) for value in rng.integers(0, 9, 3))
        each_b += each_a
        return fixed_a, each_a, max(0, fixed_a - (each_b - each_a)) + int(rng.integers(0, 9)), each_b

    def at_once(rng, _):
        fixed_b, each_a, each_b = (int(value) for value in rng.integers(0, 9, 3))
        return fixed_b + max(0, each_b - each_a) + int(rng.integers(1, 9)), each_a, fixed_b, each_b

    message = "Solve `fixed_b + n * each_b < fixed_a + n * each_a` for the smallest whole `n`."
    equal_at_one = [(a, b + gain, a + gain, b) for a, b, gain in rng.integers(1, 9, (3, 3)).tolist()]
    asked = {"shapes": [2, 9, 500], "each": 8, "extremes": equal_at_one, "slips": CROSSOVER_SLIPS}
    sweep(answer, first_faster, catches_up, rng, message=message, **asked)
    message = "`b` is not faster for one element, and gains nothing with further ones: it never wins."
    sweep(answer, first_faster, never, rng, shapes=[0], each=20, message=message, label="never")
    message = "`b` is faster for one element already, and that is the smallest array."
    sweep(answer, first_faster, at_once, rng, shapes=[0], each=20, message=message, label="from-the-start")

    def anything(rng, most):
        return tuple(int(value) for value in rng.integers(0, most, 4, endpoint=True))

    fixed_a, n = int(rng.integers(0, 10**6)), int(rng.integers(2_000_000, 3_000_000))
    far = [(fixed_a, 8, fixed_a + n, 7), (fixed_a, 9, fixed_a + 3 * n + 1, 6), (0, 1, 10**7, 0)]
    far += [
        (0, gain, behind, 0) for gain, behind in ((9_999_998, 9_999_999), (5_000_000, 9_999_999), (4_999_999, 10**7))
    ]
    message = "Solve `fixed_b + n * each_b < fixed_a + n * each_a` for the smallest whole `n`."
    sweep(answer, first_faster, anything, rng, shapes=[1, 2, 4, 10**7], each=25, extremes=far, message=message)


@wrong("crossover-size", "equal-is-not-faster")
def rounds_up(fixed_a, each_a, fixed_b, each_b):
    return math.ceil((fixed_b - fixed_a) / (each_a - each_b)) if each_a > each_b else math.inf


@wrong("crossover-size", "wrong-value")
def adds_one_to_a_fraction(fixed_a, each_a, fixed_b, each_b):
    if each_a <= each_b:
        return math.inf
    return max(1, (fixed_b - fixed_a) / (each_a - each_b) + 1)


@wrong("crossover-size", "where-they-cross")
def where_the_lines_meet(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    return (fixed_b - fixed_a) / (each_a - each_b) if each_a > each_b else math.inf


@wrong("crossover-size", "equal-is-not-faster")
def takes_equal_for_faster(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b <= fixed_a + each_a:
        return 1
    return (fixed_b - fixed_a) // (each_a - each_b) + 1 if each_a > each_b else math.inf


@wrong("crossover-size", "one-too-many")
def rounds_up_and_adds_one(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    return math.ceil((fixed_b - fixed_a) / (each_a - each_b)) + 1 if each_a > each_b else math.inf


@wrong("crossover-size", "equal-is-not-faster")
def rounds_down(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    return max(1, (fixed_b - fixed_a) // (each_a - each_b)) if each_a > each_b else math.inf


@wrong("crossover-size", "wrong-value")
def gives_up_at_a_million(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    n = (fixed_b - fixed_a) // (each_a - each_b) + 1 if each_a > each_b else math.inf
    return n if n < 10**6 else math.inf


@wrong("crossover-size", "wrong-value")
def takes_near_for_whole(fixed_a, each_a, fixed_b, each_b):
    if fixed_b + each_b < fixed_a + each_a:
        return 1
    n = (fixed_b - fixed_a) / (each_a - each_b) if each_a > each_b else math.inf
    return math.floor(n + 1e-6) + 1 if each_a > each_b else n


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
def by_whole_division(fixed_a, each_a, fixed_b, each_b):
    behind, gain = fixed_b - fixed_a, each_a - each_b
    if gain > behind:
        return 1
    return float("inf") if gain <= 0 else max(1, -(-(behind + 1) // gain))


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
    """The power, how many products it took, and what comes if each product is marked by a factor of 2."""
    products = 0

    def multiply(a, b):
        nonlocal products
        products += 1
        return np.asarray(a) @ np.asarray(b)

    def doubling(a, b):
        return 2 * (np.asarray(a) @ np.asarray(b))

    result = power(x, multiply)
    return {"values": result, "products": products, "marked": power(x, doubling)}


POWER_SLIPS = [
    Slip(
        "element-wise",
        lambda x: x**11,
        "That is each element to the power of 11. The eleventh power of a matrix is a chain of products.",
    ),
    *(
        Slip(
            "element-wise-square",
            power,
            "`x**2` and `x * x` square each element. The square of a matrix is `multiply(x, x)`.",
        )
        for power in (
            lambda x: x**2 @ x**2 @ x @ x**2 @ x**2 @ x @ x,
            lambda x: np.linalg.matrix_power(x**2, 5) @ x,
            lambda x: x @ np.linalg.matrix_power(x**2, 5),
        )
    ),
    *(
        Slip("another-power", lambda x, k=k: np.linalg.matrix_power(x, k), f"That is x to the power of {k}.")
        for k in (1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16)
    ),
]


@exercise(
    "eleventh-power",
    see="repeated-work",
    hint=[
        "Keep what you have: x², then x⁴, …",
        "11 = 8 + 2 + 1. Three squarings, and two products that put the parts together.",
    ],
)
def eleventh_power(answer, rng):
    def draw(rng, n):
        return (inputs.array(rng, (n, n), low=-1, high=1),)

    counted = []

    def power(x):
        facts = answer.probe(products_counted, x)
        counted.append((x, facts))
        return facts["values"]

    def chain(x):
        return functools.reduce(np.matmul, [x] * 11)

    sweep(power, chain, draw, rng, shapes=[1, 2, 3, 6], slips=POWER_SLIPS, message="That is not the eleventh power.")
    most = max(facts["products"] for _, facts in counted)
    require(most <= 5, "too-many-products", f"Right, in {most} products. Five are enough: use squares again.")
    # An eleventh power is ten products deep, however they are shared: each leaves its mark.
    message = "Right, but not every product went through `multiply`, which counts them for us."
    marked = all(close(facts["marked"], 2**10 * chain(x)) for x, facts in counted)
    require(marked, "not-counted", message)


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


@wrong("eleventh-power", "not-counted")
def hides_a_product(x, multiply):
    plain = np.array(x.tolist())
    square = plain @ plain
    fourth = multiply(square, square)
    return multiply(multiply(fourth, fourth), multiply(square, x))


@wrong("eleventh-power", "too-many-products")
def begins_with_the_identity(x, multiply):
    result = np.eye(len(x))
    for bit in "1011":
        result = multiply(result, result)
        result = multiply(result, x) if bit == "1" else result
    return result


@wrong("eleventh-power", "element-wise")
def powers_of_elements(x, multiply):
    return x**11


@wrong("eleventh-power", "element-wise-square")
def squares_each_element(x, multiply):
    square = x**2
    fifth = multiply(multiply(square, square), x)
    return multiply(multiply(fifth, fifth), x)


@wrong("eleventh-power", "element-wise-square")
def squares_each_element_and_goes_on(x, multiply):
    square = x**2
    fourth = multiply(square, square)
    return multiply(multiply(multiply(fourth, fourth), square), x)


@wrong("eleventh-power", "another-power")
def one_factor_too_many(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    return multiply(multiply(fourth, fourth), fourth)


@wrong("eleventh-power", "changed-input")
def leaves_the_power_in_x(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    x[:] = multiply(multiply(multiply(fourth, fourth), square), x)
    return x


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


def exact_roots(a, b, c):
    """The oracle: both roots with 50 digits, rounded to float64; the larger first."""
    roots = []
    with decimal.localcontext(prec=50):
        for values in zip(a, b, c, strict=True):
            x, y, z = (decimal.Decimal(float(value)) for value in values)
            root = (y * y - 4 * x * z).sqrt()
            both = [(-y - root) / (2 * x), (-y + root) / (2 * x)]
            roots.append([float(value) for value in sorted(both, key=abs, reverse=True)])
    return np.array(roots).reshape(-1, 2).T


def drawn_coefficients(rng, n, dtype, ends):
    """Coefficients of either sign between limits."""
    signs = rng.choice([-1, 1], (3, n))
    return [(sign * np.exp(rng.uniform(*np.log(end), n))).astype(dtype) for sign, end in zip(signs, ends, strict=True)]


FAR = ((1e-3, 10), (30, 1e3), (1e-3, 10))
"""Magnitudes of a, b and c where the square root is nearly b."""
MODERATE = ((1, 5), (30, 60), (1, 5))
"""Magnitudes where it is not so near that rounding would not show."""


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
    for dtype in ("float32", "float64"):
        a, b, c = drawn_coefficients(rng, 32, dtype, FAR)
        kind = answer.probe(probe.result_type, a, b, c)
        message = "Return one NumPy array with two rows: `np.stack` makes it of two roots."
        require(kind == "ndarray", "not-an-array", message)
        got = roots_of(answer, a, abs(b), c)
        message = f"`{dtype}` went in and `{got.dtype}` came out. More digits only hide the loss, and cost more bytes."
        require(got.dtype.itemsize <= a.itemsize, "more-digits", message)
        message = f"`{dtype}` went in and `{got.dtype}` came out. Keep the dtype of the coefficients."
        require(got.dtype == a.dtype, "other-dtype", message)
        require_roots(got, exact_roots(a, abs(b), c))
        negative = roots_of(answer, a, -abs(b), c)
        refuse(swapped(negative, exact_roots(a, -abs(b), c)), "order", ORDER)
        message = "Right for positive `b`. With a negative one it is the *other* root that loses digits."
        require(precise(negative, exact_roots(a, -abs(b), c)), "negative-b", message)
        got, want = roots_of(answer, abs(a), 0 * b, -abs(c)), exact_roots(abs(a), 0 * b, -abs(c))
        message = "With `b = 0` the roots are ±√(-c/a). `np.sign(0)` is 0, which is no sign: take `np.copysign`."
        require(precise(np.sort(got, axis=0), np.sort(want, axis=0)), "zero-b", message)
        a, b, c = drawn_coefficients(rng, 32, dtype, ((1, 5), (1, 60), (1, 5)))
        message = "That is wrong where `a` and `c` differ in sign, and `b` is small."
        require_roots(roots_of(answer, a, b, -np.copysign(c, a)), exact_roots(a, b, -np.copysign(c, a)), message)
        a, b, c = drawn_coefficients(rng, 64, dtype, ((1e-3, 1e3), (1e-3, 1), (1e-3, 1e3)))
        message = "That is wrong where `b` is small beside `a` and `c`, and not zero."
        require_roots(roots_of(answer, a, b, -np.copysign(c, a)), exact_roots(a, b, -np.copysign(c, a)), message)
        a, b, c = (v[:1] for v in (a, b, c))
        require_roots(roots_of(answer, a, b, -np.copysign(c, a)), exact_roots(a, b, -np.copysign(c, a)))
        doubled = [np.array(v, dtype) for v in ([1, 1, 4, -2], [2, -4, 4, 4], [1, 4, 1, -2])]
        message = "That is wrong where both roots are the same, and the square root is 0."
        require_roots(roots_of(answer, *doubled), exact_roots(*doubled), message)
        doubled = [
            np.array(v, dtype) for v in ([49, 242, 529, 121, 441], [42, -132, 322, 110, 420], [9, 18, 49, 25, 100])
        ]
        message = (
            "The roots are real, and the same: b² is 4ac. Divided by `a` first, both sides are rounded, and the square "
            "root is not 0: it may even be NaN."
        )
        require(precise(roots_of(answer, *doubled), exact_roots(*doubled)), "divided-too-early", message)
    message = "Right, but computed with more digits than the coefficients have. The right formula needs no more."
    moderate = drawn_coefficients(rng, 200, "float32", MODERATE)
    refuse(has_more_digits(answer, drawn_coefficients(rng, 200, "float64", MODERATE)), "more-digits", message)
    a, q = (rng.uniform(*ends, 64).astype(np.float32) for ends in ((1, 2), (1, 2)))
    near = a, 2 * a * q, (a.astype(float) * q**2 * (1 - 1e-6)).astype(np.float32)
    refuse(has_more_digits(answer, moderate) or knows_too_much(answer, near), "more-digits", message)
    nothing = [v[:0] for v in moderate]
    require(roots_of(answer, *nothing).shape == (2, 0), "wrong-shape", "Of no equations the roots have shape (2, 0).")


ORDER = "The root of larger magnitude should come first, whatever its sign."


def roots_of(answer, a, b, c):
    """Both roots, in the right shape."""
    got = numbers(answer(a, b, c))
    want = (2, len(a))
    require(got.shape == want, "wrong-shape", f"Both roots together have the shape {want}, not {got.shape}.")
    return got


def relative(got, want):
    """The relative errors of the roots, in units of their dtype's precision; of what is not a number, infinity."""
    errors = np.abs(got.astype(float) / want - 1) / np.finfo(got.dtype).eps
    return np.nan_to_num(errors, nan=np.inf)


def precise(got, want):
    """Whether each root is right to all of its own digits, but the last few bits."""
    return bool(np.all(relative(got, want) < 40))


def swapped(got, want):
    """Whether the roots are right, as far as the larger one's digits go, and some are in the other order."""
    ordered = np.take_along_axis(got, np.argsort(-np.abs(got), axis=0), axis=0)
    return beside_the_larger(ordered, want) and not beside_the_larger(got, want)


def beside_the_larger(got, want):
    """Whether both roots are right as far as the digits of the larger one go."""
    scale = 1000 * np.finfo(got.dtype).eps * np.abs(want[0])
    return bool(np.all(np.abs(got.astype(float) - want) <= scale))


def require_roots(got, want, message="Those are not the roots."):
    """Require both roots, each to its own digits, the larger one first."""
    refuse(swapped(got, want), "order", ORDER)
    lossy = beside_the_larger(got, want) and np.all(relative(got, want)[0] < 40) and not precise(got, want)
    said = "The smaller root has lost digits. `-b` and the square root nearly cancel: do not subtract them."
    refuse(lossy, "cancellation", said)
    require(precise(got, want), "wrong-value", message)


def has_more_digits(answer, coefficients):
    """Whether nearly all roots are rounded once only: in the precision of the coefficients every step rounds."""
    got = roots_of(answer, *coefficients)
    return bool(np.mean(got == exact_roots(*coefficients).astype(got.dtype)) > 0.9)


def knows_too_much(answer, coefficients):
    """Whether roots near a double one come out better than the rounded coefficients' products allow."""
    a, b, c = coefficients
    real = b.astype(float) ** 2 > 4 * a.astype(float) * c
    got = roots_of(answer, *(v[real] for v in coefficients))
    return bool(np.all(relative(got, exact_roots(*(v[real] for v in coefficients))) < 20))


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
    return exact_roots(a, b, c)


def stable(a, b, c):
    """What some answers call."""
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.stack([q / a, c / q])


def sorted_by_magnitude(one, other):
    """The same."""
    larger = np.abs(one) > np.abs(other)
    return np.stack([np.where(larger, one, other), np.where(larger, other, one)])


@wrong("stable-roots", "cancellation")
def the_textbook_in_double(a, b, c):
    dtype = a.dtype
    a, b, c = (v.astype(float) for v in (a, b, c))
    root = np.sqrt(b**2 - 4 * a * c)
    return sorted_by_magnitude((-b - root) / (2 * a), (-b + root) / (2 * a)).astype(dtype)


@wrong("stable-roots", "more-digits")
def stable_in_double(a, b, c):
    wide = (v.astype(float) for v in (a, b, c))
    return stable(*wide).astype(a.dtype)


@wrong("stable-roots", "more-digits")
def the_difference_in_double(a, b, c):
    root = np.sqrt(b.astype(float) ** 2 - 4 * a.astype(float) * c).astype(a.dtype)
    q = -(b + np.copysign(root, b)) / 2
    return np.stack([q / a, c / q])


@wrong("stable-roots", "more-digits")
def single_by_itself_and_double_wider(a, b, c):
    wide = np.longdouble if a.dtype == np.float64 else a.dtype
    return stable(*(v.astype(wide) for v in (a, b, c))).astype(a.dtype)


@wrong("stable-roots", "other-dtype")
def always_in_single(a, b, c):
    return stable(*(v.astype(np.float32) for v in (a, b, c)))


@wrong("stable-roots", "not-an-array")
def as_a_pair(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return q / a, c / q


@wrong("stable-roots", "wrong-shape")
def one_row_for_each_equation(a, b, c):
    return stable(a, b, c).T


@wrong("stable-roots", "order")
def minus_first(a, b, c):
    one, other = stable(a, b, c)
    return np.stack([np.where(b > 0, one, other), np.where(b > 0, other, one)])


@wrong("stable-roots", "order")
def smaller_first(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.stack([c / q, q / a])


@wrong("stable-roots", "order")
def sorts_by_value(a, b, c):
    q = -(b + np.copysign(np.sqrt(b**2 - 4 * a * c), b)) / 2
    return np.sort(np.stack([q / a, c / q]), axis=0)


@wrong("stable-roots", "divided-too-early")
def divides_by_a_first(a, b, c):
    half, product = b / (2 * a), c / a
    with np.errstate(all="ignore"):
        large = -(half + np.copysign(np.sqrt(half * half - product), half))
    return np.stack([large, product / large])


@wrong("stable-roots", "wrong-value")
def takes_a_small_b_for_zero(a, b, c):
    return stable(a, np.where(np.abs(b) < 0.01, 0, b).astype(b.dtype), c)


@wrong("stable-roots", "wrong-shape")
def loses_the_axis_of_one(a, b, c):
    return stable(a, b, c).squeeze()


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


# -- changes of solutions that are right ------------------------------------------------------------------------

CHANGES = [
    equivalent("attainable-rate", "`np.minimum`  ->  `np.fmin`", "they differ for NaN only, and no intensity is one"),
    equivalent("fused-loop", "`out`  ->  `observed`", "all three have one length"),
    equivalent("fused-loop", "`out`  ->  `expected`", "all three have one length"),
]


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent("in-blocks", "`0`  ->  `-1`", "arrays have one axis"),
]
