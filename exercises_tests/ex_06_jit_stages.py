"""Checks of lesson 06, the stages of JIT: what is asked, what people get wrong, and what each mistake is told."""

import functools
import warnings

import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.exercise import close, entries, exercise, expect, is_numeric, numbers, require, wrong


def programs(student_function, calls):
    """Which programs are compiled during each call, from empty caches on; the arrays are on the device before."""
    on_device = [
        tuple(jax.tree.map(lambda leaf: jnp.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf, args))
        for args in calls
    ]
    jax.clear_caches()
    return probe.compiled(student_function, on_device)


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


TRUE_COUNTS = counted_in_signal()


@exercise(
    "read-the-jaxpr",
    see="the-stages",
    hint=[
        "The jaxpr is what Python did when it ran with `x.shape == (10,)`. Run it in your head.",
        "The compiler keeps only what the result needs.",
    ],
)
def read_the_jaxpr(answer, rng):
    want = TRUE_COUNTS
    got = entries(answer.value(), like=want)
    message = "A Python loop is over when the jaxpr is there: its body stands in it once for each round."
    require(not close(got["mul"], 1), "loop-kept", message)
    message = "The shape is known while tracing, so Python decided the branch then, and took the other way."
    require(not close(got["cos"], 1), "branch-kept", message)
    message = "Tracing writes down whatever is computed, used or not. Who uses it is the compiler's question."
    require(not close(got["exp"], 0), "unused-not-traced", message)
    message = "Nothing depends on `unused`, so the compiler leaves it out."
    require(close(got["exponential in the optimised HLO"], 0), "unused-not-removed", message)
    differ = ", ".join(f"`{name}`" for name in want if not close(got[name], want[name]))
    require(not differ, "wrong-value", f"Not right yet: {differ}. Count what Python did, round by round.")


keeps_the_loop = wrong("read-the-jaxpr", "loop-kept")(TRUE_COUNTS | {"mul": 1})
keeps_the_branch = wrong("read-the-jaxpr", "branch-kept")(TRUE_COUNTS | {"cos": 1})
tracing_skips_the_unused = wrong("read-the-jaxpr", "unused-not-traced")(TRUE_COUNTS | {"exp": 0})
compiler_keeps_the_unused = wrong("read-the-jaxpr", "unused-not-removed")(
    TRUE_COUNTS | {"exponential in the optimised HLO": 1}
)
a_sum_is_many = wrong("read-the-jaxpr", "wrong-value")(TRUE_COUNTS | {"reduce_sum": 9})
all_in_a_list = wrong("read-the-jaxpr", "keys-changed")([1, 3, 0, 1, 1, 0])

# -- count-the-flops --------------------------------------------------------------------------------------------


def true_flops(n=200, k=300, m=400):
    """The five counts, by the rule: two operations for each product that goes into a sum."""
    y_v, x_y = 2 * k * m, 2 * n * k * m
    return {
        "y @ v": y_v,
        "x @ y": x_y,
        "x @ y @ v": x_y + 2 * n * m,
        "x @ (y @ v)": y_v + 2 * n * k,
        "x @ y + x @ y": x_y + n * m,
    }


TRUE_FLOPS = true_flops()


@exercise(
    "count-the-flops",
    see="the-stages",
    hint=[
        "How many numbers has the result? How many products are summed up for each?",
        "Python reads `x @ y @ v` from the left. The compiler keeps the brackets, and removes what is repeated.",
    ],
)
def count_the_flops(answer, rng):
    want = TRUE_FLOPS
    got = entries(answer.value(), like=want)

    def near(name, number):
        return is_numeric(got[name]) and np.shape(got[name]) == () and close(float(got[name]), number)

    half = near("y @ v", want["y @ v"] / 2) or near("x @ y", want["x @ y"] / 2)
    require(not half, "multiplications-only", "Each product is also added to a sum: two operations for each.")
    message = "`x @ y @ v` is `(x @ y) @ v`: XLA does not move your brackets, as rounding would change."
    require(not near("x @ y @ v", want["x @ (y @ v)"]), "brackets-moved", message)
    message = "The same product twice is computed once: the compiler sees that it is the same."
    require(not near("x @ y + x @ y", 2 * want["x @ y"] + 80_000), "repeats-paid-twice", message)
    message = "`x @ y @ v` is two products, one after the other: count both."
    require(not near("x @ y @ v", want["x @ y"]), "second-product-lost", message)
    differ = ", ".join(f"`{name}`" for name in want if not near(name, want[name]))
    require(not differ, "wrong-value", f"Not right yet: {differ}. For each product of matrices: 2 · n · k · m.")


multiplications_only = wrong("count-the-flops", "multiplications-only")(
    {name: flops / 2 for name, flops in TRUE_FLOPS.items()}
)
compiler_finds_the_best_order = wrong("count-the-flops", "brackets-moved")(
    TRUE_FLOPS | {"x @ y @ v": TRUE_FLOPS["x @ (y @ v)"]}
)
both_products_are_paid = wrong("count-the-flops", "repeats-paid-twice")(
    TRUE_FLOPS | {"x @ y + x @ y": 2 * TRUE_FLOPS["x @ y"] + 80_000}
)
first_product_only = wrong("count-the-flops", "second-product-lost")(TRUE_FLOPS | {"x @ y @ v": TRUE_FLOPS["x @ y"]})
size_of_the_result = wrong("count-the-flops", "wrong-value")(TRUE_FLOPS | {"x @ y": 80_000})
only_one_number = wrong("count-the-flops", "keys-changed")(240_000)

# -- pad-to-bucket ----------------------------------------------------------------------------------------------


def padded_facts(pad, lengths):
    """Shape, contents and length that come back for arrays 1, 2, 3, ... of some lengths, and the traces they cost."""
    traces = 0

    def masked_sum(padded, length):
        nonlocal traces
        traces += 1
        return jnp.where(jnp.arange(padded.shape[0]) < length, padded, 0).sum()

    jitted = jax.jit(masked_sum)
    facts = []
    for n in lengths:
        result = pad(np.arange(1, n + 1, dtype=np.float32))
        if not isinstance(result, (tuple, list)) or len(result) != 2 or np.ndim(result[0]) != 1:
            return {"pair": False}
        padded, length = result
        in_numpy = isinstance(padded, np.ndarray)
        dtype = str(padded.dtype) if hasattr(padded, "dtype") else type(padded).__name__
        padded_facts = {"padded": np.asarray(padded), "in_numpy": in_numpy, "dtype": dtype}
        facts.append({"n": n, "length": int(length)} | padded_facts)
        jax.block_until_ready(jitted(padded, length))
    return {"pair": True, "results": facts, "traces": traces}


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
    drawn = rng.choice(np.arange(9, 31), size=4, replace=False)
    lengths = [5, 8, 1, 16, *(int(n) for n in drawn if n != 16)]
    facts = answer.probe(padded_facts, lengths)
    require(facts["pair"], "not-a-pair", "Return a pair: the padded array, with one axis, and the true length.")
    for result in facts["results"]:
        n, padded, length = result["n"], result["padded"], result["length"]
        bucket = 1 << (n - 1).bit_length()
        require(len(padded) >= n, "cut-off", f"Of {n} elements only {len(padded)} came back. Round up, not down.")
        message = f"An array of {n} came back with {len(padded)}: it was a power of two already."
        require(not (n == bucket and len(padded) == 2 * n), "bucket-too-large", message)
        require(len(padded) != n or n == bucket, "not-padded", f"An array of {n} elements came back as it was.")
        message = f"An array of {n} came back with {len(padded)} elements; the next power of two is {bucket}."
        require(len(padded) == bucket, "wrong-bucket", message)
        message = "The second number should be the true length, before padding."
        require(length == n, "wrong-length", f"{message} For {n} elements you said {length}.")
        kept = close(padded[:n], np.arange(1.0, n + 1)) and not padded[n:].any()
        require(kept, "wrong-value", "The elements should come first, as they were, and zeros behind them.")
        message = "You padded in JAX, which compiles the padding itself for every length that comes. Use `np.pad`."
        require(result["in_numpy"], "padded-by-jax", message)
        message = (
            f"`float32` went in and `{result['dtype']}` came out. `np.zeros` makes `float64` unless told otherwise."
        )
        require(result["dtype"] == "float32", "dtype-lost", message)
    buckets = len({1 << (n - 1).bit_length() for n in lengths})
    message = f"{buckets} buckets cost {facts['traces']} traces: does the dtype or the type of the length change?"
    require(facts["traces"] == buckets, "types-change", message)


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


@exercise(
    "make-it-static",
    see="static-arguments",
    hint=["Which of the three arguments does Python branch on?", "`jax.jit(function, static_argnames=...)`"],
)
def make_it_static(answer, rng):
    x = rng.normal(1, 2, size=(20, 3)).astype(np.float32)
    running = rng.normal(size=3).astype(np.float32), rng.uniform(1, 2, size=3).astype(np.float32)
    other = rng.normal(size=(20, 3)).astype(np.float32)
    try:
        calls = [(x, running, True), (x, running, False), (other, running, True), (other, running, False)]
        compiled = answer.probe(programs, calls)
    except probe.AnswerRaised as error:
        message = "`training` has no value while `jit` traces, and Python wants to branch on it. Make it static."
        require(error.raised.kind != "TracerBoolConversionError", "still-traced", message)
        message = "A static argument needs a hash, and an array has none. Which argument is the flag?"
        require("hashable" not in error.raised.message, "array-made-static", message)
        raise
    expect(answer(x, running, True), normalised(x, running, True), "With `training=True`, by its own statistics.")
    message = "With `training=False`, by the running statistics."
    expect(answer(x, running, False), normalised(x, running, False), message, label="flag-frozen")
    message = f"The first call compiled {len(compiled[0])} programs: op by op, without `jit` around it all."
    require(len(compiled[0]) <= 1, "not-jitted", message)
    again = compiled[2] + compiled[3]
    message = "New numbers, the same flag, and still it compiled again: `jit` once, outside of the calls."
    require(not again, "jit-at-each-call", message, see="function-identity")


@wrong("make-it-static", "not-jitted")
def plain_normalise(x, running, training):
    return normalise(x, running, training)


@wrong("make-it-static", "jit-at-each-call")
def binds_the_flag_at_each_call(x, running, training):
    return jax.jit(functools.partial(normalise, training=training))(x, running)


@wrong("make-it-static", "flag-frozen")
def compiled_for_training_only(x, running, training):
    return normalise_in_training(x, running)


@jax.jit
def normalise_in_training(x, running):
    return normalise(x, running, True)


@wrong("make-it-static", "wrong-value")
def flag_turned_around(x, running, training):
    return normalise_by_flag(x, running, not training)


normalise_by_flag = jax.jit(normalise, static_argnames="training")

nothing_is_static = wrong("make-it-static", "still-traced")(jax.jit(normalise))
data_is_static = wrong("make-it-static", "array-made-static")(jax.jit(normalise, static_argnums=0))
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
    for factors in ([3, 2], (2, 3)):
        try:
            got = numbers(answer(image, factors))
        except probe.AnswerRaised as error:
            message = f"`factors` was `{factors}`, and what you passed on has no hash: a list and an array can change."
            require("hashable" not in error.raised.message, "still-unhashable", message)
            raise
        turned = np.shape(got) == (12 // factors[1], 12 // factors[0])
        message = (
            f"The blocks have {factors[1]} rows and {factors[0]} columns, for `factors={factors}`. Keep the order."
        )
        require(not turned, "order-lost", message)
        expect(got, block_means(image, *factors), f"The means of blocks of {factors[0]} by {factors[1]}.")
    compiled = answer.probe(programs, [(image, [4, 2]), (image, (4, 2)), (image, [4, 2]), (image, (2, 4))])
    message = f"The first call compiled {len(compiled[0])} programs: call the compiled `block_mean`."
    require(len(compiled[0]) == 1, "not-compiled", message)
    message = "`[4, 2]` and then `(4, 2)` compiled twice: what you pass as static is not equal to what it was before."
    require(not compiled[1] and not compiled[2], "compiled-again", message)


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


TRUE_RETRACES = retraced()


@exercise(
    "predict-retrace",
    points=2,
    see="cache-key",
    hint=[
        "Write the type beside each call: shape, dtype, weak or not, structure, static values. Then look above it.",
        "`jax.typeof(...)` shows a type; a `~` stands for weak.",
    ],
)
def predict_retrace(answer, rng):
    want = TRUE_RETRACES
    got = entries(answer.value(), like=want, kind=bool)
    by_value = got["f(2.0)"] or got["f(3.0, mode=2)"]
    message = "A new number of the same type is found in the cache: it is never asked for the values of arrays."
    require(not by_value, "asked-for-values", message)
    message = "A Python number has a weak type and `np.float32(1)` has not: another key."
    require(got["f(np.float32(1))"], "weak-type-ignored", message)
    message = "A `float32` scalar of NumPy and one of JAX have the same type, and `float64` becomes `float32` first."
    require(not got["f(jnp.float32(2))"] and not got["f(np.ones(3))"], "numpy-is-another-type", message)
    message = "The order of the keys does not count: JAX sorts them."
    require(not got["f({'b': 1.0, 'a': 2.0})"], "order-of-keys", message)
    structure = got["f([1.0, 2.0])"] and got["f({'a': 1.0, 'c': 2.0})"]
    require(structure, "structure-ignored", "The structure is part of the key: tuple or list, and the names of keys.")
    message = "The value of a static argument is part of the key: each new one is another program."
    require(got["f(1.0, mode=3)"], "static-ignored", message, see="static-arguments")
    differ = ", ".join(f"`{call}`" for call in want if got[call] != want[call])
    require(not differ, "wrong-value", f"Not right yet: {differ}. Has there been a call with the same type above?")


every_value_anew = wrong("predict-retrace", "asked-for-values")(TRUE_RETRACES | {"f(2.0)": True})
a_float_is_a_float = wrong("predict-retrace", "weak-type-ignored")(TRUE_RETRACES | {"f(np.float32(1))": False})
numpy_is_foreign = wrong("predict-retrace", "numpy-is-another-type")(TRUE_RETRACES | {"f(jnp.float32(2))": True})
float64_stays = wrong("predict-retrace", "numpy-is-another-type")(TRUE_RETRACES | {"f(np.ones(3))": True})
keys_in_order = wrong("predict-retrace", "order-of-keys")(TRUE_RETRACES | {"f({'b': 1.0, 'a': 2.0})": True})
a_list_is_a_tuple = wrong("predict-retrace", "structure-ignored")(TRUE_RETRACES | {"f([1.0, 2.0])": False})
static_like_data = wrong("predict-retrace", "static-ignored")(TRUE_RETRACES | {"f(1.0, mode=3)": False})
truth_is_a_number = wrong("predict-retrace", "wrong-value")(TRUE_RETRACES | {"f(True)": False})
yes_and_no = wrong("predict-retrace", "wrong-type")(dict.fromkeys(TRUE_RETRACES, "yes"))
only_the_first = wrong("predict-retrace", "keys-changed")({"f(1.0)": True})

# -- pass-dont-capture ------------------------------------------------------------------------------------------


def observers(student_function, responses, photons):
    """What observers of several detectors return, and which programs are compiled for each, from empty caches on."""
    on_device = [jnp.asarray(response) for response in responses]
    light = jnp.asarray(photons)
    jax.clear_caches()
    results, names = [], []
    for response in on_device:
        observe = student_function(response)
        if not callable(observe):
            return {"callable": False}
        names += probe.compiled(observe, [(light,)])
        results.append(np.asarray(observe(light)))
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
    responses = [rng.uniform(size=(4, 6)).astype(np.float32) for _ in range(2)]
    photons = rng.uniform(1, 9, size=6).astype(np.float32)
    try:
        facts = answer.probe(observers, responses, photons)
    except probe.AnswerRaised as error:
        message = "A static argument needs a hash, and an array has none. An array is an argument like others."
        require("hashable" not in error.raised.message, "array-made-static", message, see="static-arguments")
        raise
    message = "Return a function of `photons`, not the result for some photons."
    require(facts["callable"], "not-an-observer", message)
    for response, got in zip(responses, facts["results"], strict=True):
        require(not close(got, response @ photons), "root-lost", "Those are the counts. Their deviation is the root.")
        expect(got, np.sqrt(response @ photons), "The square root of `response @ photons`.")
    first, second = facts["programs"]
    message = f"One observer compiled {len(first)} programs: op by op, without `jit` around it all."
    require(len(first) == 1, "not-jitted", message)
    message = (
        "The second detector compiled again: the program was made for the first one's matrix, or for its function."
    )
    require(not second, "captured", message)


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
    got = answer(x, gain)
    message = "The signal should be cut off at -1 and 1."
    require(not close(got, np.float32(gain) * x), "not-cut-off", message)
    expect(got, np.clip(np.float32(gain) * x, -1, 1), "`gain` times `x`, cut off at -1 and 1.")
    compiled = answer.probe(programs, [(x, gain), (-x, gain), (x, gain + 1)])
    message = f"The first call compiled {len(compiled[0])} programs: op by op, without `jit` around it all."
    require(len(compiled[0]) == 1, "not-jitted", message)
    message = "The second call, with the same types, compiled again: a new function is made and jitted at each call."
    require(not compiled[1], "jit-at-each-call", message)
    message = "Another `gain` compiled again: its value is part of the key, or of the program."
    require(not compiled[2], "gain-in-the-key", message, see="static-arguments")


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


@wrong("hoist-the-jit", "wrong-value")
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


def equations_of_days(simulate, state, days):
    """How many equations the simulation has, with loops counted once."""
    return sum(probe.primitives(lambda state: simulate(state, days), state).values())


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
    infected = float(rng.uniform(0.01, 0.1))
    state = np.array([1 - infected, infected, 0], np.float32)
    days = int(rng.integers(5, 9))
    got, want = answer(state, days), sir_history(state, days).astype(np.float32)
    message = "A pair came back: `scan` returns the last state and what was collected. Return the second."
    require(not isinstance(got, tuple), "returned-both", message)
    got = numbers(got)
    require(not close(got, want[-1]), "last-day-only", "That is the state after the last day. Collect every day's.")
    message = "The first row is the state that you were given. The first row should be the state after day 1."
    require(not close(got, want[:-1]) and not close(got, want), "starts-with-day-0", message)
    require(not close(got, want[1:].T), "axes-swapped", "The days should be the rows, yours are the columns.")
    expect(got, want[1:], "The state after each day.", rtol=1e-4)
    few, many = (answer.probe(equations_of_days, state, n) for n in (10, 30))
    message = f"{few} equations for 10 days, {many} for 30: the loop is rolled out in Python."
    require(few == many, "unrolled", message)


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


@wrong("loop-to-scan", "wrong-value")
def repeats_the_first_day(state, days):
    return jnp.tile(sir_step(jnp.asarray(state)), (days, 1))


# -- donate -----------------------------------------------------------------------------------------------------


def heat_step(temperature, source):
    """The function of the set-up cell."""
    left, right = jnp.roll(temperature, 1), jnp.roll(temperature, -1)
    return temperature + 0.2 * (left - 2 * temperature + right) + 0.1 * source


def donation_facts(student_function, temperature, source):
    """What comes back, which arguments are gone afterwards, and how many programs the call compiled."""
    given = jnp.array(temperature), jnp.array(source)
    jax.clear_caches()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = probe.compiled(student_function, [given])[0]
        gone = [argument.is_deleted() for argument in given]
        result = np.asarray(student_function(jnp.array(temperature), jnp.array(source)))
    unused = any("not usable" in str(warning.message) for warning in caught)
    return {"gone": gone, "unused": unused, "programs": len(names), "result": result}


@exercise(
    "donate",
    see="donation",
    hint=["Which of the two arguments is of no use after the step?", "`donate_argnames`, with one name."],
)
def donate(answer, rng):
    n = int(rng.integers(5, 9)) * 8
    temperature, source = (rng.uniform(size=n).astype(np.float32) for _ in range(2))
    facts = answer.probe(donation_facts, temperature, source)
    want = temperature + 0.2 * (np.roll(temperature, 1) - 2 * temperature + np.roll(temperature, -1)) + 0.1 * source
    expect(facts["result"], want, "One step of `heat_step`.")
    message = f"The call compiled {facts['programs']} programs: op by op, without `jit` around it all."
    require(facts["programs"] <= 1, "not-jitted", message)
    message = (
        "JAX warns that not all that you donated could be used: there is one result, so one argument can become it."
    )
    require(not facts["unused"], "donated-too-much", message)
    message = "The source is deleted after the first step, and all steps need it."
    require(not facts["gone"][1], "source-donated", message)
    message = "The old temperature is still there after the step: the program needed memory for both."
    require(facts["gone"][0], "nothing-donated", message)


nothing_is_donated = wrong("donate", "nothing-donated")(jax.jit(heat_step))
static_is_not_donated = wrong("donate", "nothing-donated")(jax.jit(heat_step, keep_unused=True))
source_is_donated = wrong("donate", "source-donated")(jax.jit(heat_step, donate_argnums=1))
both_are_donated = wrong("donate", "donated-too-much")(jax.jit(heat_step, donate_argnums=(0, 1)))
not_even_jitted = wrong("donate", "not-jitted")(heat_step)
source_is_forgotten = wrong("donate", "wrong-value")(
    jax.jit(lambda temperature, source: heat_step(temperature, 0 * source), donate_argnums=0)
)

# -- aot-compile ------------------------------------------------------------------------------------------------


def ahead_of_time(student_function, shape, dtype):
    """How often a function is traced, and with what, when it is compiled and when the result is called."""
    seen = []

    def doubled(x):
        seen.append("tracer" if isinstance(x, jax.core.Tracer) else "numbers")
        return x + x

    ready = student_function(doubled, tuple(shape), dtype)
    facts = {"callable": callable(ready), "before": list(seen), "refuses": True, "result": "", "values": 0.0}
    if not callable(ready):
        return facts | {"type": type(ready).__name__}
    try:
        result = ready(jnp.ones(shape, dtype))
        facts |= {"result": f"{result.dtype}{result.shape}", "values": np.asarray(result)}
    except (TypeError, ValueError) as error:
        facts["result"] = f"{type(error).__name__}: {str(error).splitlines()[0]}"[:200]
    facts["during"] = len(seen) - len(facts["before"])
    try:
        ready(jnp.ones((*shape, 2), dtype))
        facts["refuses"] = False
    except (TypeError, ValueError):
        pass
    return facts


@exercise(
    "aot-compile",
    see="ahead-of-time",
    hint=[
        "`jax.ShapeDtypeStruct(shape, dtype)` stands in for the array.",
        "Three stages: `jax.jit(...)`, `.lower(...)`, and one more before it can be called.",
    ],
)
def aot_compile(answer, rng):
    shape = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    for dtype in ("float32", "int32"):
        facts = answer.probe(ahead_of_time, shape, dtype)
        message = f"What you returned, a `{facts.get('type')}`, cannot be called: one stage is missing."
        require(facts["callable"], "not-compiled", message)
        message = "The function was run with real numbers. A description is enough for `lower`."
        require("numbers" not in facts["before"], "run-with-numbers", message)
        message = "Nothing was traced before the first call: `jax.jit` alone waits for it."
        require(facts["before"], "just-in-time", message)
        message = f"Compiled for `{dtype}{shape}`, it should take such an array. It said: {facts['result']}."
        require(facts["result"] == f"{dtype}{shape}", "wrong-type", message)
        message = "An array of another shape was accepted, and traced anew: return the compiled program itself."
        require(facts["refuses"], "accepts-everything", message)
        expect(facts["values"], np.full(shape, 2), "The compiled program should do what the function does.")


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


def exported_facts(student_function, columns, lengths):
    """What an export says that it takes, and what it returns for arrays of several lengths."""

    def row_sums(x):
        return jnp.sin(x).sum(axis=1)

    exported = student_function(jax.jit(row_sums), columns)
    if not isinstance(exported, jax.export.Exported):
        return {"type": type(exported).__name__}
    (taken,) = exported.in_avals
    facts = {"type": "Exported", "dtype": str(taken.dtype), "takes": str(taken), "results": []}
    facts["columns"] = str(taken.shape[1]) if len(taken.shape) == 2 else ""
    for length in lengths:
        x = jnp.arange(length * columns, dtype=taken.dtype).reshape(length, columns)
        try:
            facts["results"].append(np.asarray(exported.call(x)))
        except ValueError as error:
            facts["results"].append(str(error).splitlines()[0][:150])
    return facts


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
    columns = int(rng.integers(2, 6))
    lengths = [int(n) for n in rng.choice(np.arange(1, 9), size=2, replace=False)]
    facts = answer.probe(exported_facts, columns, lengths)
    message = f"Return what `jax.export.export(...)(...)` gives, not an object of type `{facts['type']}`."
    require(facts["type"] == "Exported", "not-exported", message)
    message = f"Your program takes `{facts['takes']}`: the dtype should be `float32`."
    require(facts["dtype"] == "float32", "other-dtype", message)
    for length, got in zip(lengths, facts["results"], strict=True):
        message = f"Your program takes `{facts['takes']}`, and refused {length} rows. Leave the first axis open."
        require(not isinstance(got, str), "axis-closed", message)
        want = np.sin(np.arange(length * columns, dtype=np.float32).reshape(length, columns)).sum(1)
        expect(got, want, "What comes back should be what the function gives.", rtol=1e-4)
    message = (
        f"Your program takes `{facts['takes']}`: any number of columns. There are {columns}, so write that number into "
        "the shape, for instance with an f-string."
    )
    require(facts["columns"] == str(columns), "columns-open", message)


@wrong("export-round-trip", "columns-open")
def forgets_the_f_of_the_string(function, columns):
    shape = jax.export.symbolic_shape("rows, columns")
    return jax.export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))


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
