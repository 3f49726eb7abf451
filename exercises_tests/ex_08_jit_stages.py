"""Checks of lesson 08, the stages of JIT: what is asked, what people get wrong, and what each mistake is told."""

import functools
import warnings

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Asked, Slip, sweep
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction


def programs(student_function, calls, handed_over=()):
    """Which programs are compiled during each call, from empty caches on; the arrays are on the device before.

    What is compiled when arrays like those in `handed_over` come to the device does not count.
    """
    on_device = probe.on_device(calls)
    jax.clear_caches()
    for array in handed_over:
        jnp.asarray(array)
    return probe.compiled(student_function, on_device)


def require_one_program(names, advice):
    """Require that one call has compiled one program."""
    message = f"The first call compiled {len(names)} programs: something is computed outside of the one `jit`."
    require(len(names) == 1, "not-jitted", message if names else f"Nothing was compiled. {advice}")


def hashed(ask, *args, **more):
    """What `ask(*args, **more)` gives, and whether it failed because a static argument has no hash."""
    try:
        return ask(*args, **more), False
    except probe.AnswerRaised as error:
        if "hashable" not in error.raised.message:
            raise
        return None, True


# -- read-the-jaxpr ---------------------------------------------------------------------------------------------


def signal(x):
    """The function of the exercise."""
    y = jnp.sin(x)
    for _ in range(3):
        y = y * 2.0
    if x.shape[0] > 100:
        y = jnp.cos(y)
    unused = jnp.exp(x)  # noqa: F841
    return jnp.sum(y)


def counted_in_signal():
    """The six numbers, asked of JAX."""
    x = np.ones(10, np.float32)
    found = probe.primitives(signal, x)
    counts = {name: found.get(name, 0) for name in ("sin", "mul", "cos", "exp", "reduce_sum")}
    optimised = probe.program(signal, x)["operations"]
    return counts | {"exponential in the optimised HLO": optimised.get("exponential", 0)}


read_the_jaxpr = prediction(
    "read-the-jaxpr",
    see="the-stages",
    hint=[
        "The jaxpr is what Python did when it ran with `x.shape == (10,)`. Run it in your head.",
        "The optimised program keeps only what the result needs.",
    ],
    truth=counted_in_signal,
    mistakes=[
        Mistake(
            "loop-kept",
            {"mul": 1},
            "A Python loop is over when the jaxpr is there: its body stands in it once for each round.",
        ),
        Mistake(
            "branch-kept",
            {"cos": 1},
            "The shape is known while tracing, so Python decided the branch then, and took the other way.",
        ),
        Mistake(
            "unused-not-traced",
            {"exp": 0},
            "Tracing writes down whatever is computed, used or not. Whether it is used is asked only later.",
        ),
        Mistake(
            "unused-not-removed",
            {"exponential in the optimised HLO": anything_else(1)},
            "Nothing depends on `unused`, so it is left out on the way to the optimised program.",
        ),
        Mistake(
            "sum-written-out",
            {"reduce_sum": any_of(9, 10)},
            "The sum of an array is one operation on the array, however many elements it has.",
        ),
    ],
    otherwise="Count what Python did, round by round.",
)

# -- count-the-flops --------------------------------------------------------------------------------------------


def true_flops():
    """The five counts, by the rule: two operations for each product that goes into a sum."""
    n, k, m = 200, 300, 400
    y_v, x_y = 2 * k * m, 2 * n * k * m
    return {
        "y @ v": y_v,
        "x @ y": x_y,
        "x @ y @ v": x_y + 2 * n * m,
        "x @ (y @ v)": y_v + 2 * n * k,
        "x @ y + x @ y": x_y + n * m,
    }


count_the_flops = prediction(
    "count-the-flops",
    see="the-stages",
    hint=[
        "How many numbers does the result have? How many products are summed up for each?",
        "Python reads `x @ y @ v` from the left. The compiler keeps the brackets, and computes once what is repeated.",
    ],
    truth=true_flops,
    mistakes=[
        Mistake(
            "one-addition-less",
            [{"y @ v": 239_700}, {"x @ y": 47_920_000}],
            "A sum of n products takes n - 1 additions, if it starts with the first. The count here takes n: two "
            "operations for each product.",
        ),
        Mistake(
            "multiplications-only",
            [{"y @ v": 120_000}, {"x @ y": 24_000_000}],
            "Each product is also added to a sum: two operations for each.",
        ),
        Mistake(
            "brackets-moved",
            {"x @ y @ v": 360_000},
            "`x @ y @ v` is `(x @ y) @ v`: XLA does not move your brackets, since the rounding would change.",
        ),
        Mistake(
            "repeats-paid-twice",
            {"x @ y + x @ y": any_of(96_080_000, 96_000_000)},
            "The same product twice is computed once: the compiler sees that it is the same.",
        ),
        Mistake(
            "second-product-lost",
            {"x @ y @ v": 48_000_000},
            "`x @ y @ v` is two products, one after the other: count both.",
        ),
        Mistake(
            "sum-lost",
            {"x @ y + x @ y": 48_000_000},
            "The product is computed once, as you say. Then the two matrices are added: count that, too.",
        ),
        Mistake(
            "counted-the-result",
            {"x @ y": 80_000},
            "That is how many numbers the result has. Each of them is a sum of 300 products.",
        ),
    ],
    otherwise="For each product of matrices: 2 · n · k · m.",
)

# -- pad-to-bucket ----------------------------------------------------------------------------------------------


def padded_facts(pad, arrays):
    """What comes back for some arrays, the traces that it costs, and the programs that the padding itself compiles."""
    traces = 0

    def masked_sum(padded, length):
        nonlocal traces
        traces += 1
        return jnp.where(jnp.arange(padded.shape[0]) < length, padded, 0).sum()

    jitted = jax.jit(masked_sum)
    facts = []
    compiled = sum(map(len, probe.compiles(pad, [(x,) for x in arrays])))
    results = [pad(x) for x in arrays]  # all are kept: a later call must not write into an earlier result
    for x, result in zip(arrays, results, strict=True):
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            return {"pair": False}
        padded, length = result
        if np.ndim(padded) != 1 or np.ndim(length) != 0:
            return {"pair": False}
        dtype = str(padded.dtype) if hasattr(padded, "dtype") else type(padded).__name__
        names = {np.ndarray: "ndarray", jax.Array: "jax.Array"}
        kind = next((name for kind, name in names.items() if isinstance(padded, kind)), type(padded).__name__)
        facts.append({"padded": np.array(padded), "kind": kind, "dtype": dtype, "length": float(length)})
        if x.dtype == np.float32:
            jitted.trace(padded, length)
    return {"pair": True, "results": facts, "traces": traces, "compiled": compiled}


def lengths_and_dtypes(rng):
    """Arrays to be padded: `float32` for every bucket up to 64, other dtypes, zeros at their ends."""
    drawn = rng.choice(np.arange(9, 31), size=4, replace=False)
    lengths = [5, 8, 1, 2, 16, 64, *(int(n) for n in drawn if n != 16)]
    plain = [np.arange(1, n + 1, dtype=np.float32) for n in lengths]
    plain += [np.array([3, 0, 2, 0, 0], np.float32), np.zeros(3, np.float32)]
    plain += [np.ones(n, np.int8) for n in (int(rng.integers(1025, 9000)), 2**17 + 1)]
    large = [np.array([2**62 + 1, -(2**53) - 1, 5]), np.array([2**64 - 1] * 5, np.uint64)]  # no float holds these
    odd = np.array([np.nan, -np.inf, 1e300, 1 / 3, 5e-324], np.float64)
    long = rng.integers(-99, 99, 24)
    plain += [*large, odd, odd[:3] * 1j, long[::2], long[::-1], long[3:14]]
    return plain + [
        inputs.array(rng, n, dtype)
        for dtype in ("float64", "int32", "uint8", "int64", "bool", "complex64", "float16")
        for n in (1, 3, 4, int(rng.integers(5, 40)))
    ]


@exercise(
    "pad-to-bucket",
    points=2,
    see="new-shapes",
    hint=[
        "The smallest power of two that is not below `n`: try `n` = 7, 8 and 9 by hand.",
        "`(n - 1).bit_length()`, and `np.pad(x, (0, how_many))`.",
    ],
)
def pad_to_bucket(answer, rng):
    arrays = lengths_and_dtypes(rng)
    facts = answer.probe(padded_facts, arrays)
    require(facts["pair"], "not-a-pair", "Return a pair: first the padded array, with one axis, then the true length.")
    kind = next((result["kind"] for result in facts["results"] if result["kind"] != "ndarray"), "")
    message = (
        f"A `{kind}` came back. Stay in NumPy: what JAX does with an array, it compiles for every length that comes."
    )
    refuse(kind, "padded-by-jax", message)
    message = f"Padding itself compiled {facts['compiled']} programs, for every length another one. Use `np.pad`."
    refuse(facts["compiled"], "padded-by-jax", message)
    for x, result in zip(arrays, facts["results"], strict=True):
        n, padded, length = len(x), result["padded"], result["length"]
        answer.called = f"pad_to_bucket({x.dtype}[{n}])"
        bucket = 1 << (n - 1).bit_length()
        require(len(padded) >= n, "cut-off", f"Of {n} elements only {len(padded)} came back. Round up, not down.")
        message = f"An array of {n} came back with {len(padded)}: it was a power of two already."
        refuse(n == bucket and len(padded) == 2 * n, "bucket-too-large", message)
        refuse(n != bucket and len(padded) == n, "not-padded", f"An array of {n} elements came back as it was.")
        message = f"An array of {n} came back with {len(padded)} elements; the next power of two is {bucket}."
        require(len(padded) == bucket, "wrong-bucket", message)
        message = "Count the elements that came in, and not those that are not 0: the recording itself may have zeros."
        refuse(length == np.count_nonzero(x) < n, "counted-what-is-not-0", message)
        message = "The second number should be the true length, before padding."
        require(length == n, "wrong-length", f"{message} For {n} elements you said {length:g}.")
        kept = close(padded[:n], x) and not padded[n:].any()
        require(kept, "wrong-value", "The elements should come first, as they were, and zeros behind them.")
        message = (
            f"`{x.dtype}` went in and `{result['dtype']}` came out. `np.zeros` makes `float64` unless told otherwise."
        )
        require(result["dtype"] == str(x.dtype), "dtype-lost", message)
    buckets = len({1 << (len(x) - 1).bit_length() for x in arrays if x.dtype == np.float32})
    message = f"{buckets} buckets cost {facts['traces']} traces: does the type of the length change?"
    require(facts["traces"] == buckets, "types-change", message)


@right("pad-to-bucket")
def doubles_until_it_fits(x):
    size = 1
    while size < len(x):
        size *= 2
    if size == len(x):
        return x, np.int64(size)
    return [np.concatenate([x, np.zeros(size - len(x), x.dtype)]), np.int64(len(x))]


@wrong("pad-to-bucket", "padded-by-jax")
def pads_in_jax_and_comes_back(x):
    n = len(x)
    return np.asarray(jnp.pad(x, (0, (1 << (n - 1).bit_length()) - n))).astype(x.dtype), n


@wrong("pad-to-bucket", "padded-by-jax")
def hands_it_over_to_jax(x):
    return jnp.asarray(np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))), len(x)


@wrong("pad-to-bucket", "counted-what-is-not-0")
def counts_what_is_not_0(x):
    padded = np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))
    return padded, int(np.count_nonzero(padded))


@wrong("pad-to-bucket", "not-a-pair")
def length_first(x):
    return len(x), np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))


@wrong("pad-to-bucket", "not-padded")
def leaves_it(x):
    return x, len(x)


@wrong("pad-to-bucket", "bucket-too-large")
def always_the_next_one(x):
    n = len(x)
    return np.pad(x, (0, (1 << n.bit_length()) - n)), n


@wrong("pad-to-bucket", "cut-off")
def rounds_down(x):
    n = len(x)
    return x[: 1 << (n.bit_length() - 1)], n


@wrong("pad-to-bucket", "wrong-bucket")
def multiples_of_eight(x):
    return np.pad(x, (0, -len(x) % 8)), len(x)


@wrong("pad-to-bucket", "wrong-length")
def says_the_padded_length(x):
    padded = np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))
    return padded, len(padded)


@wrong("pad-to-bucket", "wrong-value")
def zeros_in_front(x):
    return np.pad(x, ((1 << (len(x) - 1).bit_length()) - len(x), 0)), len(x)


@wrong("pad-to-bucket", "wrong-value")
def goes_through_floats(x):
    n = len(x)
    padded = np.zeros(1 << (n - 1).bit_length(), np.result_type(x.dtype, np.float32))
    padded[:n] = x
    return padded.astype(x.dtype), n


ROOM = {}


@wrong("pad-to-bucket", "wrong-value")
def writes_into_the_same_room(x):
    n = len(x)
    size = 1 << (n - 1).bit_length()
    padded = ROOM.setdefault((size, x.dtype), np.zeros(size, x.dtype))
    padded[:n], padded[n:] = x, 0
    return padded, n


@wrong("pad-to-bucket", "types-change")
def length_is_sometimes_an_array(x):
    n = len(x)
    return np.pad(x, (0, (1 << (n - 1).bit_length()) - n)), n if n & (n - 1) else np.float32(n)


@wrong("pad-to-bucket", "dtype-lost")
def fills_plain_zeros(x):
    padded = np.zeros(1 << (len(x) - 1).bit_length())
    padded[: len(x)] = x
    return padded, len(x)


@wrong("pad-to-bucket", "padded-by-jax")
def pads_in_jax(x):
    n = len(x)
    return jnp.pad(x, (0, (1 << (n - 1).bit_length()) - n)), n


@wrong("pad-to-bucket", "not-a-pair")
def forgets_the_length(x):
    return np.pad(x, (0, (1 << (len(x) - 1).bit_length()) - len(x)))


# -- make-it-static ---------------------------------------------------------------------------------------------


def normalise(x, running, training):
    """The function of the set-up cell."""
    if training:
        mean, variance = x.mean(axis=0), x.var(axis=0)
    else:
        mean, variance = running
    return (x - mean) / jnp.sqrt(variance + 1e-5)


def normalised(x, running, training):
    """The oracle."""
    mean, variance = (x.mean(0), x.var(0)) if training else running
    return (x - mean) / np.sqrt(variance + 1e-5)


def reductions(student_function, x, running):
    """How many axes are folded where the running statistics are used: for statistics of its own, each column is."""
    jaxpr = jax.make_jaxpr(lambda x, running: student_function(x, running, False))(x, running)
    return sum("reduce" in str(each.primitive) for each in probe.equations(jaxpr))


@exercise(
    "make-it-static",
    see="static-arguments",
    hint=["Which of the three arguments does Python branch on?", "`jax.jit(function, static_argnames=...)`"],
)
def make_it_static(answer, rng):
    def draw(rng, shape):
        scale = rng.choice([1, 1e-3])  # columns that vary so little that what is added to the variance counts
        x = (scale * rng.normal(1, 2, size=shape)).astype(np.float32)
        mean, variance = scale * rng.normal(size=shape[1:]), scale**2 * rng.uniform(1, 2, size=shape[1:])
        return x, (mean.astype(np.float32), variance.astype(np.float32)), bool(rng.random() < 0.5)

    x, running, _ = draw(rng, (6, 6))
    other, later, _ = draw(rng, (6, 6))
    calls = [(x, running, True), (x, running, False), (other, running, True), (other, later, False), (x, later, True)]
    tried, unhashable = hashed(answer.attempt, programs, calls, expected=probe.NEEDS_A_VALUE)
    message = "A static argument needs a hash, and an array has none. Which argument is the flag?"
    refuse(unhashable, "array-made-static", message)
    compiled, raised = tried
    message = "`training` has no value while `jit` traces, and Python wants to branch on it. Make it static."
    refuse(raised, "still-traced", message)
    expect(answer(x, running, True), normalised(x, running, True), "With `training=True`, by its own statistics.")
    message = "With `training=False`, by the running statistics."
    expect(answer(x, running, False), normalised(x, running, False), message, label="flag-frozen")
    require_one_program(compiled[0], "Put `jax.jit` around `normalise`.")
    message = (
        "New numbers, the same flag, and still it compiled again: `jit` met something that it did not know. That is a "
        "function made anew at each call, or a static object made anew. `jit` one function, outside the calls, and "
        "let the bool itself be static."
    )
    refuse(any(compiled[2:]), "compiled-again", message, see="function-identity")
    message = (
        "One program serves both: it computes both ways at every call, and chooses. The task wants two programs, of "
        "which each computes one way only."
    )
    alone = len(compiled[1]) == 1 and not answer.probe(reductions, x, running)
    require(alone, "one-program", message)
    answer.probe(probe.on_jax_arrays, x, running, True)  # which must still be there afterwards
    message = "`normalise` of other numbers should come back."
    sweep(answer, normalised, draw, rng, shapes=[(1, 4), (6, 6)], each=6, message=message, rtol=1e-3)


@right("make-it-static")
def jits_the_same_function_each_time(x, running, training):
    return jax.jit(normalise, static_argnums=2)(x, running, training)


@wrong("make-it-static", "one-program")
@functools.partial(jax.jit, static_argnames="training")
def computes_both_in_each_program(x, running, training):
    both = jnp.stack([normalise(x, running, False), normalise(x, running, True)])
    return both[int(training)]


@right("make-it-static")
def keeps_two_programs(x, running, training):
    return (normalise_in_training if training else normalise_afterwards)(x, running)


@jax.jit
def normalise_afterwards(x, running):
    return normalise(x, running, False)


@wrong("make-it-static", "one-program")
@jax.jit
def chooses_in_one_program(x, running, training):
    return jax.lax.cond(training, lambda: normalise(x, running, True), lambda: normalise(x, running, False))


@wrong("make-it-static", "not-jitted")
def plain_normalise(x, running, training):
    return normalise(x, running, training)


@wrong("make-it-static", "compiled-again")
def binds_the_flag_at_each_call(x, running, training):
    return jax.jit(functools.partial(normalise, training=training))(x, running)


@wrong("make-it-static", "compiled-again")
def wraps_the_flag_at_each_call(x, running, training):
    return normalise_as_wrapped(x, running, Wrapped(training))


class Wrapped:
    """An object whose hash is its own, whatever it holds."""

    def __init__(self, flag):
        self.flag = flag


@functools.partial(jax.jit, static_argnums=2)
def normalise_as_wrapped(x, running, wrapped):
    return normalise(x, running, wrapped.flag)


@wrong("make-it-static", "flag-frozen")
def compiled_for_training_only(x, running, training):
    return normalise_in_training(x, running)


@jax.jit
def normalise_in_training(x, running):
    return normalise(x, running, True)


@wrong("make-it-static", "wrong-value")
@functools.partial(jax.jit, static_argnames="training")
def adds_less_to_the_variance(x, running, training):
    mean, variance = (x.mean(axis=0), x.var(axis=0)) if training else running
    return (x - mean) / jnp.sqrt(variance + 1e-8)


@wrong("make-it-static", "wrong-value")
def flag_turned_around(x, running, training):
    return normalise_by_flag(x, running, not training)


normalise_by_flag = jax.jit(normalise, static_argnames="training")

nothing_is_static = wrong("make-it-static", "still-traced")(jax.jit(normalise))
data_is_static = wrong("make-it-static", "array-made-static")(jax.jit(normalise, static_argnums=0))
gives_the_data_away = wrong("make-it-static", "changed-input")(jax.jit(normalise, static_argnums=2, donate_argnums=0))
counted_from_one = wrong("make-it-static", "array-made-static")(jax.jit(normalise, static_argnums=(1, 2)))

# -- hashable-static --------------------------------------------------------------------------------------------


@functools.partial(jax.jit, static_argnames="factors")
def block_mean(image, factors):
    """The function of the set-up cell."""
    (rows, columns), (a, b) = image.shape, factors
    return image.reshape(rows // a, a, columns // b, b).mean(axis=(1, 3))


def block_means(image, a, b):
    """The oracle: block by block."""
    rows, columns = image.shape
    return np.array([[image[i : i + a, j : j + b].mean() for j in range(0, columns, b)] for i in range(0, rows, a)])


@exercise(
    "hashable-static",
    see="static-arguments",
    hint=["Which container of numbers has a hash?", "Turn whatever comes into that container, then call `block_mean`."],
)
def hashable_static(answer, rng):
    image = rng.normal(size=(12, 12)).astype(np.float32)
    for factors in ([3, 2], (2, 3), (4, 4), [12, 1]):
        got, unhashable = hashed(answer, image, factors)
        message = f"`factors` was `{factors}`, and what you passed on has no hash: a list and an array can change."
        refuse(unhashable, "still-unhashable", message)
        got = numbers(got)
        want = block_means(image, *factors)
        turned = factors[0] != factors[1] and close(got, block_means(image, *factors[::-1]))
        message = (
            f"For `factors={factors}` your blocks have {factors[1]} rows and {factors[0]} columns. Keep the order."
        )
        refuse(turned, "order-lost", message)
        expect(got, want, f"The means of blocks of {factors[0]} by {factors[1]}.")
    other = rng.normal(size=(12, 12)).astype(np.float32)
    expect(answer(other, [3, 2]), block_means(other, 3, 2), "The means of blocks of 3 by 2, of another image.")
    oblong = rng.normal(size=(4, 18)).astype(np.float32)
    got, message = (
        numbers(answer(oblong, [2, 3])),
        "The means of blocks of 2 by 3, of an image of 4 rows and 18 columns.",
    )
    expect(got, block_means(oblong, 2, 3), message)
    calls = [(image, [4, 2]), (image, (4, 2)), (other, [4, 2]), (other, (2, 4)), (image, [2, 4]), (image, (4, 2))]
    compiled = answer.probe(programs, calls)
    message = f"The first call compiled {len(compiled[0])} programs: call the compiled `block_mean`."
    require(len(compiled[0]) == 1, "not-compiled", message)
    message = (
        "`[4, 2]` and `(4, 2)` compiled more than one program. Either what you pass as static is not equal to what it "
        "was before, or it is passed to a new function each time, or once by position and once by name."
    )
    refuse(compiled[1] or compiled[2] or compiled[4] or compiled[5], "compiled-again", message)


@right("hashable-static")
def unpacks_and_names_it(image, factors):
    rows, columns = factors
    return block_mean(image, factors=(rows, columns))


@right("hashable-static")
def in_a_jit_of_its_own(image, factors):
    return block_mean_of_pair(image, *factors)


@functools.partial(jax.jit, static_argnums=(1, 2))
def block_mean_of_pair(image, rows, columns):
    return block_mean(image, (rows, columns))


@wrong("hashable-static", "compiled-again")
def a_tuple_by_position_and_a_list_by_name(image, factors):
    return block_mean(image, factors) if isinstance(factors, tuple) else block_mean(image, factors=tuple(factors))


@wrong("hashable-static", "still-unhashable")
def passes_it_on(image, factors):
    return block_mean(image, factors)


@wrong("hashable-static", "still-unhashable")
def makes_an_array(image, factors):
    return block_mean(image, jnp.asarray(factors))


@wrong("hashable-static", "order-lost")
def sorts_them(image, factors):
    return block_mean(image, tuple(sorted(factors)))


@wrong("hashable-static", "compiled-again")
def a_new_function_each_time(image, factors):
    return jax.jit(functools.partial(block_mean.__wrapped__, factors=factors))(image)


@wrong("hashable-static", "not-compiled")
def without_jit(image, factors):
    return block_mean.__wrapped__(image, factors)


@functools.partial(jax.jit, static_argnums=(1, 2))
def _of_a_square(image, rows, columns):
    n = len(image)
    return image.reshape(n // rows, rows, n // columns, columns).mean(axis=(1, 3))


@wrong("hashable-static", "TypeError")
def knows_square_images_only(image, factors):
    return _of_a_square(image, *factors)


@wrong("hashable-static", "wrong-value")
def multiplies_too_much(image, factors):
    return 2 * block_mean(image, tuple(factors))


# -- predict-retrace --------------------------------------------------------------------------------------------


def retraced():
    """Whether each of the calls is traced, in this order, asked of JAX."""
    traces = []

    @functools.partial(jax.jit, static_argnames="mode")
    def f(x, mode=None):
        traces.append(mode)
        return jax.tree.map(lambda leaf: 2 * leaf, x)

    calls = [
        "f(1.0)",
        "f(2.0)",
        "f(np.float32(1))",
        "f(jnp.float32(2))",
        "f(jnp.ones(3))",
        "f(np.ones(3))",
        "f(1)",
        "f(True)",
        "f((1.0, 2.0))",
        "f([1.0, 2.0])",
        "f({'a': 1.0, 'b': 2.0})",
        "f({'b': 1.0, 'a': 2.0})",
        "f({'a': 1.0, 'c': 2.0})",
        "f(1.0, mode=2)",
        "f(3.0, mode=2)",
        "f(1.0, mode=3)",
    ]
    found = {}
    for call in calls:
        before = len(traces)
        eval(call, {"f": f, "np": np, "jnp": jnp})
        found[call] = len(traces) > before
    return found


predict_retrace = prediction(
    "predict-retrace",
    points=2,
    see="cache-key",
    hint=[
        "Write the type beside each call: shape, dtype, weak or not, structure, static values. Then look above it.",
        "`jax.typeof(...)` shows a type; a `~` stands for weak.",
    ],
    truth=retraced,
    mistakes=[
        Mistake(
            "asked-for-values",
            [{"f(2.0)": True}, {"f(3.0, mode=2)": True}],
            "A new number of the same type is found in the cache: it is never asked for the values of arrays.",
        ),
        Mistake(
            "weak-type-ignored",
            {"f(np.float32(1))": False},
            "A Python number has a weak type and `np.float32(1)` has not: another key.",
        ),
        Mistake(
            "numpy-is-another-type",
            [{"f(jnp.float32(2))": True}, {"f(np.ones(3))": True}],
            "A `float32` scalar of NumPy and one of JAX have the same type, and `float64` becomes `float32` first.",
        ),
        Mistake(
            "order-of-keys",
            {"f({'b': 1.0, 'a': 2.0})": True},
            "The order of the keys does not count: JAX sorts them.",
        ),
        Mistake(
            "structure-ignored",
            [{"f([1.0, 2.0])": False}, {"f({'a': 1.0, 'c': 2.0})": False}],
            "The structure is part of the key: tuple or list, and the names of keys.",
        ),
        Mistake(
            "static-ignored",
            {"f(1.0, mode=3)": False},
            "The value of a static argument is part of the key: each new one is another program.",
            see="static-arguments",
        ),
        Mistake(
            "dtype-ignored",
            [{"f(1)": False}, {"f(True)": False}],
            "`1.0`, `1` and `True` have three dtypes, and the dtype is part of the key.",
        ),
    ],
    otherwise="Has there been a call with the same type above?",
)

# -- pass-dont-capture ------------------------------------------------------------------------------------------


def observers(student_function, responses, lights):
    """What observers of several detectors return, and which programs are compiled for each, from empty caches on."""
    matrices, lights = probe.on_device(responses), [(probe.on_device(light),) for light in lights]
    jax.clear_caches()
    for dtype in ("float32", "float64"):
        jnp.asarray(np.ones(len(responses[0]), dtype))  # this alone compiles, and is not the observer's program
    alone = [student_function(response) for response in matrices]  # all are there before one of them observes
    if not all(map(callable, alone)):
        return {"callable": False}
    names = [probe.compiled(observe, lights) for observe in alone]
    results = [[np.asarray(observe(*light)) for light in lights] for observe in alone]
    names += [probe.compiled(student_function(matrices[0]), lights)]
    return {"callable": True, "results": results, "programs": names}


@exercise(
    "pass-dont-capture",
    points=2,
    see="captured",
    hint=[
        "What must the compiled function take, so that it need not find anything?",
        "Compile outside. Bind the matrix afterwards: a `lambda`, or `functools.partial`.",
    ],
)
def pass_dont_capture(answer, rng):
    for shape, scale in (((4, 4), 1), ((3, 1), 1e-9)):
        responses = [(scale * rng.uniform(size=shape)).astype(np.float32) for _ in range(3)]
        lights = [rng.uniform(1, 9, size=shape[1]).astype(np.float32) for _ in range(2)]
        facts, unhashable = hashed(answer.probe, observers, responses, lights)
        message = "A static argument needs a hash, and an array has none. Pass the matrix like any other array."
        refuse(unhashable, "array-made-static", message, see="static-arguments")
        message = "Return a function of `photons`, not the result for some photons."
        require(facts["callable"], "not-an-observer", message)
        _judge_observers(facts["results"], responses, lights)
        first, *others = facts["programs"]
        message = f"One observer compiled {len(first[0])} programs: something is computed outside of the one `jit`."
        message = message if first[0] else "Nothing was compiled: put `jax.jit` around what all detectors share."
        require(len(first[0]) == 1, "not-jitted", message)
        refuse(first[1], "jit-at-each-call", "New photons compiled again: a new function is jitted at each call.")
        message = (
            "The second detector compiled again: the program was made for the first one's matrix, or for its function."
        )
        refuse(any(name for names in others for name in names), "captured", message)


def _judge_observers(results, responses, lights):
    same = all(close(got, one) for row in results for got, one in zip(row, results[0], strict=True))
    last = all(close(got, np.sqrt(responses[-1] @ light)) for got, light in zip(results[0], lights, strict=True))
    message = (
        "All observers give what the last detector gives: they share one place for the matrix. Each needs its own."
    )
    refuse(same and last, "last-matrix-for-all", message)
    message = (
        "Observers of different detectors give the same: the program has found a matrix at its trace, and keeps it."
    )
    refuse(same, "first-matrix-kept", message)
    for response, row in zip(responses, results, strict=True):
        for light, got in zip(lights, row, strict=True):
            refuse(close(got, response @ light), "root-lost", "Those are the counts. Their deviation is the root.")
            expect(got, np.sqrt(response @ light), "The square root of `response @ photons`.")


@right("pass-dont-capture")
class Detector:
    """An object that can be called."""

    def __init__(self, response):
        self.response = response

    def __call__(self, photons):
        return jax.jit(roots)(photons, response=self.response)


def roots(photons, response):
    return jnp.sqrt(response @ photons)


@right("pass-dont-capture")
def binds_it_by_a_lambda(response):
    return lambda photons: deviation(response, photons)


@wrong("pass-dont-capture", "first-matrix-kept")
def keeps_programs_by_shape(response):
    return by_shape.setdefault(response.shape, jax.jit(lambda photons: jnp.sqrt(response @ photons)))


by_shape = {}


@wrong("pass-dont-capture", "last-matrix-for-all")
def keeps_one_matrix(response):
    shared["response"] = response
    return lambda photons: deviation(shared["response"], photons)


shared = {}


@wrong("pass-dont-capture", "jit-at-each-call")
def jits_in_the_observer(response):
    return lambda photons: jax.jit(lambda matrix, light: jnp.sqrt(matrix @ light))(response, photons)


@jax.jit
def deviation(response, photons):
    return jnp.sqrt(response @ photons)


@wrong("pass-dont-capture", "captured")
def as_the_colleague_did(response):
    return jax.jit(lambda photons: jnp.sqrt(response @ photons))


@wrong("pass-dont-capture", "captured")
def jits_a_partial(response):
    return jax.jit(functools.partial(deviation, response))


@wrong("pass-dont-capture", "not-jitted")
def observes_op_by_op(response):
    return lambda photons: jnp.sqrt(response @ photons)


@wrong("pass-dont-capture", "not-jitted")
def observes_in_numpy(response):
    matrix = np.asarray(response)
    return lambda photons: jnp.asarray(np.sqrt(matrix @ np.asarray(photons)))


@wrong("pass-dont-capture", "array-made-static")
def makes_the_matrix_static(response):
    return functools.partial(jax.jit(deviation.__wrapped__, static_argnums=0), response)


@wrong("pass-dont-capture", "root-lost")
def returns_the_counts(response):
    return functools.partial(expected_counts, response)


@jax.jit
def expected_counts(response, photons):
    return response @ photons


@wrong("pass-dont-capture", "wrong-value")
def takes_the_matrix_the_wrong_way(response):
    return functools.partial(deviation, response[::-1])


@wrong("pass-dont-capture", "wrong-value")
def keeps_away_from_zero(response):
    return functools.partial(_root_of_some, response)


@jax.jit
def _root_of_some(response, photons):
    return jnp.sqrt(response @ photons + 1e-8)


@wrong("pass-dont-capture", "not-an-observer")
def returns_a_matrix(response):
    return jnp.sqrt(response)


# -- hoist-the-jit ----------------------------------------------------------------------------------------------


@exercise(
    "hoist-the-jit",
    see="function-identity",
    hint=[
        "Which function is handed to `jax.jit`, and how often is it made?",
        "With `gain` as an argument, nothing has to be captured.",
    ],
)
def hoist_the_jit(answer, rng):
    x = rng.normal(size=20).astype(np.float32)
    gain = float(rng.uniform(2, 3))
    first, second = answer(x, gain), answer(x, gain + 1)
    message = "Another `gain` gives the same. A gain that is found, and not given, is read at the trace and kept."
    refuse(close(first, second), "gain-frozen", message, see="captured")
    slips = [
        Slip("not-cut-off", lambda x, gain: np.float32(gain) * x, "The signal should be cut off at -1 and 1."),
        Slip(
            "cut-off-first",
            lambda x, gain: np.float32(gain) * np.clip(x, -1, 1),
            "You cut off first and amplified then: the result goes beyond -1 and 1.",
        ),
        Slip("one-side-only", lambda x, gain: np.minimum(np.float32(gain) * x, 1), "Cut off at -1, too."),
        Slip("one-side-only", lambda x, gain: np.maximum(np.float32(gain) * x, -1), "Cut off at 1, too."),
    ]
    message = "`gain` times `x`, cut off at -1 and 1."
    sweep(answer, amplify, signal_and_gain, rng, shapes=[20, 1], each=10, slips=slips, message=message)
    in_jax = lambda x, gain: answer.probe(probe.on_jax_arrays, x, gain)  # noqa: E731
    sweep(in_jax, amplify, signal_and_gain, rng, shapes=[20], each=2, message=f"{message} `x` is an array of JAX.")
    calls = [(x, gain), (-x, gain), (x, gain + 1), (x / 2, -gain), (x, 1.0)]
    compiled = answer.probe(programs, calls, [x, x.astype(float)])
    require_one_program(compiled[0], "NumPy is not compiled: put `jax.jit` around `jnp.clip(gain * x, ...)`.")
    message = "The second call, with the same types, compiled again: a new function is made and jitted at each call."
    refuse(compiled[1], "jit-at-each-call", message)
    message = "Another `gain` compiled again: its value is part of the key, or of the program."
    refuse(any(compiled[2:]), "gain-in-the-key", message, see="static-arguments")


def amplify(x, gain):
    """The oracle."""
    return np.clip(np.float32(gain) * x, -1, 1)


def signal_and_gain(rng, n):
    """A signal with both signs, and an amplifier that may weaken, amplify or turn it round."""
    return inputs.array(rng, n, "float32"), float(rng.choice([-2.5, 0.0, 0.25, 1.0, 2.0, 7.5]))


@right("hoist-the-jit")
def names_the_same_function(x, gain):
    return jax.jit(amplified)(x, gain)


@right("hoist-the-jit")
def bounds_by_minimum_and_maximum(x, gain):
    return bounded(gain, x)


@jax.jit
def bounded(gain, x):
    return jnp.minimum(1.0, jnp.maximum(-1.0, x * gain))


@wrong("hoist-the-jit", "gain-frozen")
def keeps_the_first_program(x, gain):
    return by_shape.setdefault(("gain", x.shape), jax.jit(functools.partial(amplified, gain=gain)))(x)


@wrong("hoist-the-jit", "not-jitted")
def leaves_jax(x, gain):
    return np.clip(np.float32(gain) * np.asarray(x), -1, 1)


@wrong("hoist-the-jit", "not-jitted")
def leaves_jax_and_comes_back(x, gain):
    return jnp.asarray(np.clip(gain * np.asarray(x), -1.0, 1.0))


@wrong("hoist-the-jit", "changed-input")
@functools.partial(jax.jit, donate_argnums=0)
def gives_the_signal_away(x, gain):
    return jnp.clip(gain * x, -1.0, 1.0)


@wrong("hoist-the-jit", "wrong-value")
@jax.jit
def bends_instead(x, gain):
    return jnp.tanh(gain * x)


@wrong("hoist-the-jit", "one-side-only")
@jax.jit
def cuts_off_above(x, gain):
    return jnp.minimum(gain * x, 1.0)


@wrong("hoist-the-jit", "jit-at-each-call")
def jits_a_lambda(x, gain):
    return jax.jit(lambda v: jnp.clip(gain * v, -1.0, 1.0))(x)


@wrong("hoist-the-jit", "jit-at-each-call")
def jits_a_new_partial(x, gain):
    return jax.jit(functools.partial(amplified, gain=gain))(x)


def amplified(x, gain):
    return jnp.clip(gain * x, -1.0, 1.0)


@wrong("hoist-the-jit", "jit-at-each-call")
def passes_the_gain_to_a_new_function(x, gain):
    @jax.jit
    def step(v, g):
        return jnp.clip(g * v, -1.0, 1.0)

    return step(x, gain)


gain_is_static = wrong("hoist-the-jit", "gain-in-the-key")(jax.jit(amplified, static_argnames="gain"))
jit_is_gone = wrong("hoist-the-jit", "not-jitted")(amplified)


@wrong("hoist-the-jit", "not-cut-off")
@jax.jit
def forgets_the_clip(x, gain):
    return gain * x


@wrong("hoist-the-jit", "cut-off-first")
@jax.jit
def clips_before(x, gain):
    return gain * jnp.clip(x, -1.0, 1.0)


# -- loop-to-scan -----------------------------------------------------------------------------------------------


def sir_step(state):
    """The function of the set-up cell."""
    susceptible, infected, recovered = state
    new, healed = 0.3 * susceptible * infected, 0.1 * infected
    return state + jnp.stack([-new, new - healed, healed])


def sir_history(state, days):
    """The oracle: a plain loop in NumPy, with the first state in front."""
    history = [np.asarray(state, np.float64)]
    for _ in range(days):
        susceptible, infected, _ = history[-1]
        new, healed = 0.3 * susceptible * infected, 0.1 * infected
        history.append(history[-1] + np.array([-new, new - healed, healed]))
    return np.array(history)


def patients(rng):
    """The shares of susceptible, infected and recovered at the beginning."""
    infected, recovered = rng.uniform(0.01, 0.2, 2)
    return np.array([1 - infected - recovered, infected, recovered], np.float32)


def equations_of_days(simulate, state, all_days):
    """How many equations each simulation has, with loops counted once; -1 if it calls back to Python."""

    def equations(days):
        found = probe.primitives(lambda state: simulate(state, days), state)
        return -1 if any("callback" in name for name in found) else sum(found.values())

    return [equations(days) for days in all_days]


@exercise(
    "loop-to-scan",
    points=2,
    see="compile-time",
    hint=[
        "`jax.lax.scan(body, start, length=days)` returns the last state and all that was collected.",
        "The body takes a state and an unused element, and returns a pair: what goes on, and what is collected.",
    ],
)
def loop_to_scan(answer, rng):
    def draw(rng, days):
        return patients(rng), days

    state, days = patients(rng), int(rng.integers(5, 9))
    got, want = answer(state, days), sir_history(state, days).astype(np.float32)
    message = "A pair came back: `scan` returns the last state and what was collected. Return the second."
    refuse(isinstance(got, tuple), "returned-both", message)
    got = numbers(got)
    refuse(close(got, want[-1]), "last-day-only", "That is the state after the last day. Collect every day's.")
    message = "Your first row is the state that you were given. It should be the state after day 1."
    refuse(close(got, want[:-1]) or close(got, want), "starts-with-day-0", message)
    refuse(close(got, want[1:].T), "axes-swapped", "The days should be the rows; yours are the columns.")
    refuse(close(got, want[:0:-1]), "last-day-first", "The last day comes first: row 0 is the state after day 1.")
    same_day = np.tile(want[1], (days, 1))
    message = (
        "Every row is the state after day 1: the new state must go on to the next round, as the first of the pair."
    )
    refuse(days > 1 and close(got, same_day), "not-handed-on", message)
    expect(got, want[1:], "The state after each day.", rtol=1e-4)
    few, raised = answer.attempt(equations_of_days, state, [10, 30], expected=probe.NEEDS_A_VALUE)
    message = "Your loop is outside of JAX: it asks for numbers, which are not there while JAX traces."
    refuse(raised, "not-traceable", message)
    message = "Python is called back while the program runs: the loop is still one of Python, and JAX does not see it."
    refuse(-1 in few, "host-callback", message)
    message = f"{few[0]} equations for 10 days, {few[1]} for 30: Python unrolled the loop."
    require(few[0] == few[1], "unrolled", message)
    ten, thousand = answer.probe(equations_of_days, state, [10, 1000])
    message = f"{ten} equations for 10 days, {thousand} for 1000: a part of the loop is unrolled."
    refuse(ten < thousand, "unrolled", message)
    after = lambda state, days: sir_history(state, days)[1:]  # noqa: E731
    sweep(answer, after, draw, rng, shapes=[days, 1], each=2, rtol=1e-4)
    message = "Right for few days, and not for so many: there are as many states as days, whatever their number."
    Asked(answer, after, rtol=1e-4).require([draw(rng, 1511)], message, "some-days-only")  # a prime: no blocks of days


@right("loop-to-scan")
def fills_the_rows_of_an_array(state, days):
    def day(i, carry):
        state, rows = carry
        state = sir_step(state)
        return state, rows.at[i].set(state)

    state = jnp.asarray(state)
    return jax.lax.fori_loop(0, days, day, (state, jnp.zeros((days, 3), state.dtype)))[1]


@right("loop-to-scan")
@functools.partial(jax.jit, static_argnames="days")
def compiled_by_itself(state, days):
    return scan_and_collect(state, days)[1]


def roll_out(state, days):
    """A Python loop that collects the states."""
    history = []
    for _ in range(days):
        state = sir_step(state)
        history.append(state)
    return jnp.stack(history)


def scan_and_collect(state, days, before=False):
    """A scan that collects the new states, or the old ones."""

    def day(state, _):
        after = sir_step(state)
        return after, state if before else after

    return jax.lax.scan(day, jnp.asarray(state), length=days)


@wrong("loop-to-scan", "some-days-only")
def always_walks_a_thousand(state, days):
    def day(state, _):
        state = sir_step(state)
        return state, state

    return jax.lax.scan(day, state, length=1000)[1][:days]


@wrong("loop-to-scan", "some-days-only")
def loses_what_is_left_of_ten(state, days):
    block = min(days, 10)
    _, rows = jax.lax.scan(lambda s, _: scan_and_collect(s, block), jnp.asarray(state), length=days // block)
    return rows.reshape(-1, 3)


@wrong("loop-to-scan", "unrolled")
def stacks_a_python_loop(state, days):
    return roll_out(state, days)


@wrong("loop-to-scan", "unrolled")
def jits_the_python_loop(state, days):
    return jax.jit(roll_out, static_argnums=1)(state, days)


@wrong("loop-to-scan", "last-day-only")
def returns_the_carry(state, days):
    return scan_and_collect(state, days)[0]


@wrong("loop-to-scan", "returned-both")
def returns_the_pair(state, days):
    return scan_and_collect(state, days)


@wrong("loop-to-scan", "starts-with-day-0")
def collects_before_the_step(state, days):
    return scan_and_collect(state, days, before=True)[1]


@wrong("loop-to-scan", "axes-swapped")
def days_in_columns(state, days):
    return scan_and_collect(state, days)[1].T


@wrong("loop-to-scan", "unrolled")
def unrolls_weeks(state, days):
    return roll_out(state, days) if days > 100 else scan_and_collect(state, days)[1]


@wrong("loop-to-scan", "not-traceable")
def loops_in_numpy(state, days):
    rows = []
    for _ in range(days):
        state = np.asarray(sir_step(state))
        rows.append(state)
    return np.stack(rows)


@wrong("loop-to-scan", "host-callback")
def calls_python_back(state, days):
    described = jax.ShapeDtypeStruct((days, 3), jnp.float32)
    return jax.pure_callback(lambda state: sir_history(state, days)[1:].astype(np.float32), described, state)


@wrong("loop-to-scan", "last-day-first")
def turns_the_days_round(state, days):
    return scan_and_collect(state, days)[1][::-1]


@wrong("loop-to-scan", "wrong-value")
def steps_twice_in_a_day(state, days):
    return jax.vmap(sir_step)(scan_and_collect(state, days)[1])


@wrong("loop-to-scan", "not-handed-on")
def repeats_the_first_day(state, days):
    return jnp.tile(sir_step(jnp.asarray(state)), (days, 1))


# -- donate -----------------------------------------------------------------------------------------------------


def heat_step(temperature, source):
    """The function of the set-up cell."""
    left, right = jnp.roll(temperature, 1), jnp.roll(temperature, -1)
    return temperature + 0.2 * (left - 2 * temperature + right) + 0.1 * source


def donation_facts(student_function, states, source):
    """What comes back, what is gone afterwards, where the results lie, and which programs each call compiled."""
    shared = jnp.array(source)
    facts = {"results": [], "in_place": True, "gone": True, "source_gone": False}
    names, results = [], []
    jax.clear_caches()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for state in states:
            given = jnp.array(state)
            address = given.unsafe_buffer_pointer()
            names += probe.compiled(lambda *args: results.append(student_function(*args)), [(given, shared)])
            facts["gone"] &= given.is_deleted()
            facts["source_gone"] |= shared.is_deleted()
            if not isinstance(results[-1], jax.Array):
                return facts | {"type": type(results[-1]).__name__}
            facts["in_place"] &= results[-1].unsafe_buffer_pointer() == address
            facts["results"].append(np.array(results[-1]))
            if facts["source_gone"]:
                break
    unused = any("not usable" in str(warning.message) for warning in caught)
    try:
        jaxpr = jax.make_jaxpr(student_function)(states[0], source)
        jits = [equation for equation in jaxpr.eqns if "donated_invars" in equation.params]
        inside = [equation for each in jits for equation in probe.equations(each.params["jaxpr"])]
    except Exception:  # it deletes, or looks at the numbers: that is no donation
        jits = inside = []
    donates, donates_inside = (
        any(any(equation.params.get("donated_invars", ())) for equation in some) for some in (jits, inside)
    )
    facts |= {"donates": donates, "donates_inside": donates_inside}
    return facts | {"type": "jax.Array", "unused": unused, "programs": names}


def warmer(temperature, source):
    """The oracle."""
    return temperature + 0.2 * (np.roll(temperature, 1) - 2 * temperature + np.roll(temperature, -1)) + 0.1 * source


@exercise(
    "donate",
    see="donation",
    hint=["Which of the two arguments is of no use after the step?", "`donate_argnames`, with one name."],
)
def donate(answer, rng):
    for n in (int(rng.integers(5, 9)) * 8, 1000):
        source, *states = (rng.uniform(size=n).astype(np.float32) for _ in range(4))
        facts, unhashable = hashed(answer.probe, donation_facts, states, source)
        answer.called = f"donate(float32[{n}], float32[{n}])"
        message = "A static argument is part of the key, and is not donated. Both arguments are arrays."
        refuse(unhashable, "static-not-donated", message)
        message = f"One step of `heat_step` gives a `jax.Array`, not an object of type `{facts['type']}`."
        require(facts["type"] == "jax.Array", "wrong-type", message)
        for state, got in zip(states, facts["results"], strict=False):
            expect(got, warmer(state, source), "One step of `heat_step`.")
        _judge_donation(facts)


def _judge_donation(facts):
    first, *later = facts["programs"]
    message = (
        "JAX warns that not all that you donated could be used: there is one result, so one argument can become it."
    )
    refuse(facts["unused"], "donated-too-much", message)
    message = "The source is deleted after the first step, and all steps need it."
    refuse(facts["source_gone"], "source-donated", message)
    message = "Something is donated, but not the temperature that comes in: it is still there after the step."
    refuse(facts["donates"] and not facts["gone"], "donated-a-copy", message)
    message = (
        "Nothing is donated: the `jit` that should donate is inside another one, and only the outermost can. Give "
        "`donate_argnums` to that outer one."
    )
    refuse(facts["donates_inside"] and not facts["gone"], "inner-donation", message)
    require_one_program(first, "Put `jax.jit` around `heat_step`.")
    message = "The second step compiled again: `jit` once, outside the steps."
    refuse(any(later), "jit-at-each-call", message, see="function-identity")
    message = "The old temperature is still there after the step: the program needed memory for both."
    require(facts["gone"], "nothing-donated", message)
    message = "The old temperature is gone, but the new one does not lie in its memory: both were held during the step."
    require(facts["in_place"], "deleted-by-hand", message)


@right("donate")
@functools.partial(jax.jit, donate_argnums=0)
def decorated(temperature, source):
    return heat_step(temperature, source)


@right("donate")
def names_the_same_function_at_each_step(temperature, source):
    return jax.jit(heat_step, donate_argnums=(0,))(temperature, source)


@wrong("donate", "deleted-by-hand")
def deletes_it_by_hand(temperature, source):
    result = jax.jit(heat_step)(temperature, source)
    temperature.delete()
    return result


@wrong("donate", "jit-at-each-call")
def jits_at_each_step(temperature, source):
    return jax.jit(lambda t, s: heat_step(t, s), donate_argnums=0)(temperature, source)


@wrong("donate", "donated-a-copy")
def donates_a_copy(temperature, source):
    return jax.jit(heat_step, donate_argnums=0)(jnp.array(temperature), source)


@wrong("donate", "inner-donation")
@jax.jit
def donates_inside_another_jit(temperature, source):
    return jax.jit(heat_step, donate_argnums=0)(temperature, source)


static_is_no_donation = wrong("donate", "static-not-donated")(jax.jit(heat_step, static_argnums=0))
nothing_is_donated = wrong("donate", "nothing-donated")(jax.jit(heat_step))
static_is_not_donated = wrong("donate", "nothing-donated")(jax.jit(heat_step, keep_unused=True))
source_is_donated = wrong("donate", "source-donated")(jax.jit(heat_step, donate_argnums=1))
both_are_donated = wrong("donate", "donated-too-much")(jax.jit(heat_step, donate_argnums=(0, 1)))
not_even_jitted = wrong("donate", "not-jitted")(heat_step)
source_is_forgotten = wrong("donate", "wrong-value")(
    jax.jit(lambda temperature, source: heat_step(temperature, 0 * source), donate_argnums=0)
)

# -- aot-compile ------------------------------------------------------------------------------------------------


def ahead_of_time(student_function, shape, dtype, others):
    """How often a function is traced, and with what, when it is compiled and when the result is called."""
    seen = []

    def doubled(x):
        seen.append("tracer" if isinstance(x, jax.core.Tracer) else "numbers")
        return x + x

    x = probe.on_device(np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype))
    strangers = probe.on_device([np.ones(other, kind) for other, kind in others])
    jax.clear_caches()
    ready = student_function(doubled, tuple(shape), jnp.dtype(dtype))
    facts = {"callable": callable(ready), "before": list(seen), "accepts": "", "result": "", "values": 0.0, "late": []}
    if not callable(ready):
        return facts | {"type": type(ready).__name__}
    results = []
    try:
        facts["late"] = probe.compiled(lambda x: results.append(ready(x)), [(x,)])[0]
        facts |= {"result": f"{results[0].dtype}{results[0].shape}", "values": np.asarray(results[0])}
    except (TypeError, ValueError) as error:
        facts["result"] = f"{type(error).__name__}: {str(error).splitlines()[0]}"[:200]
    for stranger in strangers:
        try:
            ready(stranger)
            facts["accepts"] = facts["accepts"] or f"{stranger.dtype}{stranger.shape}"
        except (TypeError, ValueError):
            pass
    return facts | {"during": len(seen) - len(facts["before"])}


def runs_while_made(student_function, shape, dtype):
    """How often a function runs, compiled or not, while it is compiled: each run calls back."""
    runs = []

    def doubled(x):
        jax.debug.callback(lambda: runs.append(1))
        return x + x

    student_function(doubled, tuple(shape), jnp.dtype(dtype))
    jax.effects_barrier()
    return len(runs)


@probe.question(evidence="values")
def sums_and_thirds(student_function, shape, dtype):
    """What another function, which returns two arrays of other shapes, gives when it is compiled in the same way."""
    ready = student_function(lambda x: (x.sum(), x[:, 0] / 3), shape, jnp.dtype(dtype))
    return ready(probe.on_device(np.arange(np.prod(shape)).reshape(shape).astype(dtype)))


@exercise(
    "aot-compile",
    see="ahead-of-time",
    hint=[
        "`jax.ShapeDtypeStruct(shape, dtype)` stands in for the array.",
        "Three stages: `jax.jit(...)`, `.lower(...)`, and one more before it can be called.",
    ],
)
def aot_compile(answer, rng):
    rows, columns = int(rng.integers(2, 5)), int(rng.integers(5, 8))
    drawn = [((rows, columns), "float32"), ((rows, columns), "int32"), ((), "float32"), ((columns,), "bfloat16")]
    for shape, dtype in drawn:
        others = [
            ((*shape, 2), dtype),
            ((*shape, 1), dtype),
            *((shape, kind) for kind in ("uint8", "float16", "int16")),
            (shape[::-1] + (1,) * (len(shape) < 2), dtype),
        ]
        facts = answer.probe(ahead_of_time, shape, dtype, others)
        answer.called = f"aot_compile(doubled, {shape}, {dtype})"
        message = f"What you returned, a `{facts.get('type')}`, cannot be called: one stage is missing."
        require(facts["callable"], "not-compiled", message)
        message = "The function was run with real numbers. A description is enough for `lower`."
        refuse("numbers" in facts["before"], "run-with-numbers", message)
        message = "Nothing was traced before the first call: `jax.jit` alone waits for it."
        require(facts["before"], "just-in-time", message)
        message = f"Compiled for `{dtype}{shape}`, it should take such an array. It said: {facts['result']}."
        require(facts["result"] == f"{dtype}{shape}", "wrong-type", message)
        message = f"It was made for `{dtype}{shape}`, and took a `{facts['accepts']}`: return the program alone."
        refuse(facts["accepts"], "accepts-everything", message)
        message = "The first call compiled: what you returned was traced and lowered, and no more."
        refuse(facts["late"], "compiled-late", message)
        want = 2 * np.arange(np.prod(shape, dtype=int)).reshape(shape)
        expect(np.asarray(facts["values"], np.float64), want, "The compiled program should do what the function does.")
    table = np.arange(rows * columns).reshape(rows, columns)
    want = [float(table.sum()), table[:, 0] / 3]
    got = answer.probe(sums_and_thirds, (rows, columns), "float32")
    fits = isinstance(got, (tuple, list)) and len(got) == 2 and all(map(close, got, want))
    message = "Right for one function. Another, which returns a number and an array, should give its own results."
    require(fits, "one-function-only", message)
    try:
        ran = answer.probe(runs_while_made, (rows, columns), "float32")
    except probe.AnswerRaised:  # an answer may go through what takes no function that calls back, such as an export
        return
    message = "The function was run with numbers to have it compiled. A description is enough for `lower`."
    refuse(ran, "run-with-numbers", message)


@right("aot-compile")
def stage_by_stage(function, shape, dtype):
    lowered = jax.jit(lambda x: function(x)).trace(np.zeros(shape, dtype)).lower()
    program = lowered.compile()
    return lambda x: program(x)


@wrong("aot-compile", "compiled-late")
def only_exports(function, shape, dtype):
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, dtype)).call


@wrong("aot-compile", "accepts-everything")
def converts_what_comes(function, shape, dtype):
    program = jax.jit(function).lower(jax.ShapeDtypeStruct(shape, dtype)).compile()
    return lambda x: program(jnp.asarray(x, dtype).reshape(shape) if x.size == np.prod(shape) else x)


@wrong("aot-compile", "one-function-only")
def expects_one_result(function, shape, dtype):
    first = jax.jit(lambda x: jax.tree.leaves(function(x))[0])
    return first.lower(jax.ShapeDtypeStruct(shape, dtype)).compile()


@wrong("aot-compile", "accepts-everything")
def converts_what_is_alike(function, shape, dtype):
    program = jax.jit(function).lower(jax.ShapeDtypeStruct(shape, dtype)).compile()
    alike = jnp.floating if jnp.issubdtype(dtype, jnp.floating) else jnp.signedinteger

    def ready(x):
        if x.shape != shape or not jnp.issubdtype(x.dtype, alike):
            raise TypeError(f"made for {shape} of {dtype}")
        return program(x.astype(dtype))

    return ready


@wrong("aot-compile", "just-in-time")
def only_jits(function, shape, dtype):
    return jax.jit(function)


@wrong("aot-compile", "not-compiled")
def stops_at_lowering(function, shape, dtype):
    return jax.jit(function).lower(jax.ShapeDtypeStruct(shape, dtype))


@wrong("aot-compile", "run-with-numbers")
def warms_up_op_by_op(function, shape, dtype):
    function(jnp.zeros(shape, dtype))
    return jax.jit(function).lower(jax.ShapeDtypeStruct(shape, dtype)).compile()


@wrong("aot-compile", "run-with-numbers")
def warms_up_and_watches_the_door(function, shape, dtype):
    jitted = jax.jit(function)
    jitted(jnp.zeros(shape, dtype))

    def ready(x):
        if x.shape != tuple(shape) or x.dtype != dtype:
            raise TypeError(f"made for {shape} of {dtype}")
        return jitted(x)

    return ready


@wrong("aot-compile", "accepts-everything")
def warms_up(function, shape, dtype):
    jitted = jax.jit(function)
    jitted(jnp.zeros(shape, dtype))
    return jitted


@wrong("aot-compile", "wrong-type")
def float32_always(function, shape, dtype):
    return jax.jit(function).lower(jax.ShapeDtypeStruct(shape, jnp.float32)).compile()


@wrong("aot-compile", "wrong-value")
def compiles_twice_the_function(function, shape, dtype):
    twice = jax.jit(lambda x: 2 * function(x))
    return twice.lower(jax.ShapeDtypeStruct(shape, dtype)).compile()


# -- export-round-trip ------------------------------------------------------------------------------------------


def exported_facts(student_function, columns, tables):
    """What an export says that it takes, and what it returns for arrays of several lengths."""

    def centred_sums(x):  # all rows count for each
        return jnp.sin(x - x.mean(axis=0)).sum(axis=1)

    def away_from_the_first(x):
        return x * x - x[:1]

    exported = student_function(centred_sums, columns)
    if not isinstance(exported, jax.export.Exported):
        return {"type": type(exported).__name__}
    facts = {"type": "Exported", "dtype": "", "takes": ", ".join(map(str, exported.in_avals))}
    if len(exported.in_avals) != 1 or len(exported.in_avals[0].shape) != 2:
        return facts
    (taken,) = exported.in_avals
    facts |= {"dtype": str(taken.dtype), "columns": str(taken.shape[1])}
    arrays = probe.on_device([np.asarray(table, taken.dtype) for table in tables])
    for x in arrays:
        try:
            jax.eval_shape(exported.call, x)
        except ValueError:
            return facts | {"refused": len(x)}
    again = student_function(away_from_the_first, columns)
    # All lengths are called in one program: each program of its own would have its open axis closed, and be compiled.
    both = jax.jit(lambda arrays: ([exported.call(x) for x in arrays], again.call(arrays[2])))
    results, facts["again"] = jax.tree.map(np.asarray, both(arrays))
    return facts | {"results": list(results)}


def some_rows(length, columns):
    """Small numbers, which are exact in `float32`."""
    return np.arange(length * columns).reshape(length, columns) ** 2 % 11 / 4


@exercise(
    "export-round-trip",
    points=2,
    see="export-a-program",
    hint=[
        '`jax.export.symbolic_shape("n, 3")` is a shape with an open axis.',
        "Only compiled functions can be exported: `jax.jit` first.",
    ],
)
def export_round_trip(answer, rng):
    for columns in (int(rng.integers(11, 15)), 1):
        lengths = [1, 2, max(columns, 3), int(rng.integers(10, 20)) * 2 + 1, 70_001][: 5 if columns > 1 else 3]
        try:
            tables = [some_rows(length, columns) for length in lengths]
            facts = answer.probe(exported_facts, columns, tables)
        except probe.AnswerRaised as error:
            message = "`jax.export` takes functions that are compiled by `jax.jit`, and `function` is a plain one."
            refuse("result of" in error.raised.message and "jit" in error.raised.message, "not-jitted", message)
            message = "A text among the numbers of a shape is no axis: `jax.export.symbolic_shape` makes one of it."
            refuse("abstract array" in error.raised.message, "axis-not-symbolic", message)
            raise
        answer.called = f"export_round_trip(function, {columns})"
        message = f"Return what `jax.export.export(...)(...)` gives, not an object of type `{facts['type']}`."
        require(facts["type"] == "Exported", "not-exported", message)
        message = f"Your program takes `{facts['takes']}`: it should take one array, with rows and columns."
        require(facts["dtype"], "wrong-arguments", message)
        message = f"Your program takes `{facts['takes']}`: the dtype should be `float32`."
        require(facts["dtype"] == "float32", "other-dtype", message)
        rows = f"{facts.get('refused')} row{'s' * (facts.get('refused') != 1)}"
        message = f"Your program takes `{facts['takes']}`, and refused {rows}. Leave the first axis open."
        refuse("refused" in facts, "axis-closed", message)
        for x, got in zip(tables, facts["results"], strict=True):
            want = np.sin(x - x.mean(axis=0)).sum(axis=1)
            expect(got, want, "What comes back should be what the function gives.", rtol=1e-4)
        message = (
            f"Your program takes `{facts['takes']}`: any number of columns. There are {columns}, so write that number "
            "into the shape, for instance with an f-string."
        )
        require(facts["columns"] == str(columns), "columns-open", message)
        message = "Right for one function. Another, exported afterwards for as many columns, gives something else."
        require(close(facts["again"], tables[2] ** 2 - tables[2][:1]), "one-function-only", message)


@right("export-round-trip")
def by_an_example(function, columns):
    specs = jax.export.symbolic_args_specs(np.zeros((1, columns), np.float32), f"many, {columns}")
    return jax.export.export(jax.jit(lambda x: function(x)))(specs)


@wrong("export-round-trip", "axis-not-symbolic")
def names_the_axis_by_a_text(function, columns):
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(("rows", columns), jnp.float32))


@wrong("export-round-trip", "not-jitted")
def exports_a_plain_function(function, columns):
    (rows,) = jax.export.symbolic_shape("rows")
    return jax.export.export(function)(jax.ShapeDtypeStruct((rows, columns), jnp.float32))


@wrong("export-round-trip", "axis-closed")
def only_even_numbers_of_rows(function, columns):
    shape = jax.export.symbolic_shape(f"2*n, {columns}")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "axis-closed")
def eight_rows_at_least(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}", constraints=["n >= 8"])
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "axis-closed")
def a_thousand_rows_at_most(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}", constraints=["n <= 1000"])
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "wrong-value")
def maps_over_single_rows(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}")
    each = jax.vmap(lambda row: function(row[None])[0])
    return jax.export.export(jax.jit(each))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "wrong-arguments")
def exports_for_one_axis(function, columns):
    shape = jax.export.symbolic_shape("n")
    return jax.export.export(jax.jit(lambda x: function(x[:, None])))(jax.ShapeDtypeStruct(shape, jnp.float32))


@wrong("export-round-trip", "columns-open")
def forgets_the_f_of_the_string(function, columns):
    shape = jax.export.symbolic_shape("rows, columns")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


_exports = {}


@wrong("export-round-trip", "one-function-only")
def keeps_one_for_the_columns(function, columns):
    if columns not in _exports:
        shape = jax.export.symbolic_shape(f"n, {columns}")
        _exports[columns] = jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))
    return _exports[columns]


@wrong("export-round-trip", "axis-closed")
def exports_one_row(function, columns):
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct((1, columns), jnp.float32))


@wrong("export-round-trip", "not-exported")
def returns_the_text(function, columns):
    return jax.jit(function).lower(jax.ShapeDtypeStruct((1, columns), jnp.float32)).as_text()


@wrong("export-round-trip", "not-exported")
def forgets_the_description(function, columns):
    return jax.export.export(jax.jit(function))


@wrong("export-round-trip", "other-dtype")
def exports_for_whole_numbers(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.int32))


@wrong("export-round-trip", "wrong-value")
def exports_another_function(function, columns):
    shape = jax.export.symbolic_shape(f"n, {columns}")
    return jax.export.export(jax.jit(lambda x: -function(x)))(jax.ShapeDtypeStruct(shape, jnp.float32))


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent("pad-to-bucket", "`n - 1`  ->  `1 - n`", "`bit_length` leaves the sign out"),
    equivalent(
        "hoist-the-jit",
        "`jnp.clip(gain * x, -1.0, 1.0)`  ->  `jnp.clip(-1.0, gain * x, 1.0)`",
        "the larger of the two, then the smaller: the same limits",
    ),
    equivalent("loop-to-scan", "`1`  ->  `-1`", "a pair has two entries"),
    equivalent("export-round-trip", "`jnp.float32`  ->  `jnp.float64`", "JAX makes `float32` of it"),
]
