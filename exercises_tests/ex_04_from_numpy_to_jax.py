"""Checks of lesson 04, from NumPy to JAX: what is asked, what people get wrong, and what each mistake is told."""

import functools
import math
import time

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import probe
from jaxcourse.exercise import close, entries, exercise, expect, numbers, require, wrong


def differing(got, want):
    """The keys whose values differ, listed."""
    return ", ".join(f"`{name}`" for name in want if got[name] != want[name])


# -- what-type-comes-back ---------------------------------------------------------------------------------------


def owner(expression):
    """Whose object an expression gives."""
    try:
        result = expression()
    except TypeError:
        return "error"
    return "jax" if isinstance(result, jax.Array) else "numpy"


def owners():
    """Whose object each of the seven expressions gives, asked of both libraries."""
    n, v = np.arange(3.0), jnp.arange(3.0)
    expressions = {
        "jnp.sin(n)": lambda: jnp.sin(n),
        "np.sin(v)": lambda: np.sin(v),
        "np.std(v)": lambda: np.std(v),
        "n + v": lambda: n + v,
        "np.add(n, v)": lambda: np.add(n, v),
        "jnp.sum([1.0, 2.0])": lambda: jnp.sum([1.0, 2.0]),
        "v[0]": lambda: v[0],
    }
    return {name: owner(expression) for name, expression in expressions.items()}


@exercise(
    "what-type-comes-back",
    see="what-comes-back",
    hint=["Which of the four ways is it: `jnp`, a ufunc, another function, or an operator?", "`np.add` is a ufunc."],
)
def what_type_comes_back(answer, rng):
    want = owners()
    got = entries(answer.value(), like=want)
    words = all(isinstance(value, str) and value in ("numpy", "jax", "error") for value in got.values())
    require(words, "not-one-of-three", 'Answer each with `"numpy"`, `"jax"` or `"error"`.')
    message = "`np.sin` is a ufunc: it asks `v` for its numbers, computes on the host, and answers in NumPy's name."
    require(got["np.sin(v)"] == "numpy", "ufunc-stays-in-jax", message)
    message = "`np.std` is no ufunc. It finds the method `v.std` and leaves the work to it."
    require(got["np.std(v)"] == "jax", "method-overlooked", message)
    require(got["n + v"] == "jax", "operator-gives-numpy", "`+` asks both arrays, and NumPy's steps back for JAX's.")
    message = "`np.add` is a ufunc and no operator: it computes in NumPy, whatever `n + v` does."
    require(got["np.add(n, v)"] == "numpy", "add-like-plus", message)
    message = "Functions of JAX take arrays and numbers, no lists: they would have to look at each element in Python."
    require(got["jnp.sum([1.0, 2.0])"] == "error", "list-accepted", message)
    require(got == want, "wrong-value", f"Not right yet: {differing(got, want)}. Try `type(...)` of it.")


TRUE_OWNERS = owners()
ufuncs_know_jax = wrong("what-type-comes-back", "ufunc-stays-in-jax")(TRUE_OWNERS | {"np.sin(v)": "jax"})
functions_never_know_jax = wrong("what-type-comes-back", "method-overlooked")(TRUE_OWNERS | {"np.std(v)": "numpy"})
the_first_operand_wins = wrong("what-type-comes-back", "operator-gives-numpy")(TRUE_OWNERS | {"n + v": "numpy"})
add_is_plus = wrong("what-type-comes-back", "add-like-plus")(TRUE_OWNERS | {"np.add(n, v)": "jax"})
lists_are_arrays = wrong("what-type-comes-back", "list-accepted")(TRUE_OWNERS | {"jnp.sum([1.0, 2.0])": "jax"})
an_element_is_a_number = wrong("what-type-comes-back", "wrong-value")(TRUE_OWNERS | {"v[0]": "numpy"})
names_of_types = wrong("what-type-comes-back", "not-one-of-three")(dict.fromkeys(TRUE_OWNERS, "ndarray"))
one_owner_left = wrong("what-type-comes-back", "keys-changed")({"v[0]": "jax"})

# -- rms-contrast -----------------------------------------------------------------------------------------------


def called_and_traced(contrast, image):
    """The result for a JAX array, and what happens when the function is traced."""
    image = jnp.asarray(image)
    result = contrast(image)
    try:
        jax.make_jaxpr(contrast)(image)
    except (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError) as error:
        return {"value": result, "traced": type(error).__name__}
    return {"value": result, "traced": "yes"}


@exercise(
    "rms-contrast",
    see="what-comes-back",
    hint=["Which of `np.sqrt` and `np.mean` is a ufunc?", "`jnp.sqrt`"],
)
def rms_contrast(answer, rng):
    image = rng.uniform(1, 3, size=(int(rng.choice([4, 7])), 6)).astype(np.float32)
    facts = answer.probe(called_and_traced, image)
    message = "When it is traced, a function of NumPy asks for numbers, and a tracer has none: it has left JAX."
    require(facts["traced"] != "TracerArrayConversionError", "left-jax", message)
    message = "When it is traced, your code asks for a Python number (`float`, `math`, `.item()`, `if`): it has none."
    require(facts["traced"] == "yes", "asked-for-a-number", message)
    expect(facts["value"], image.std() / image.mean(), "It should be the standard deviation over the mean.")


@wrong("rms-contrast", "left-jax")
def keeps_the_square_root(image):
    return np.sqrt(jnp.mean((image - jnp.mean(image)) ** 2)) / jnp.mean(image)


@wrong("rms-contrast", "left-jax")
def goes_to_numpy_and_back(image):
    pixels = np.asarray(image)
    return jnp.asarray(pixels.std() / pixels.mean())


@wrong("rms-contrast", "asked-for-a-number")
def takes_the_root_of_a_python_number(image):
    return math.sqrt(image.var()) / image.mean()


@wrong("rms-contrast", "asked-for-a-number")
def unpacks_the_mean(image):
    return image.std() / image.mean().item()


@wrong("rms-contrast", "wrong-value")
def forgets_the_mean(image):
    return jnp.std(image)


@wrong("rms-contrast", "wrong-value")
def forgets_the_root(image):
    return jnp.var(image) / jnp.mean(image)


@wrong("rms-contrast", "wrong-shape")
def one_contrast_per_column(image):
    return image.std(axis=0) / image.mean(axis=0)


# -- insulated-rod ----------------------------------------------------------------------------------------------


def rod_step(u):
    """The oracle: the three lines of the task."""
    u = u.copy()
    u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    u[0] = u[1]
    u[-1] = u[-2]
    return u


def rod_facts(step, u):
    """Whose array a step gives, its values, and whether it can be compiled."""
    u = jnp.asarray(u)
    result = step(u)
    facts = {"jax": isinstance(result, jax.Array), "values": result, "compiled": False}
    try:
        jax.jit(step)(u)
    except (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError):
        return facts
    return facts | {"compiled": True}


@exercise(
    "insulated-rod",
    points=2,
    see="never-changes",
    hint=[
        "`u[1:-1] += d` becomes `u = u.at[1:-1].add(d)`.",
        "Each line of the task gives the name `u` to a new array. Mind which `u` the ends are copied from.",
    ],
)
def insulated_rod(answer, rng):
    u = rng.uniform(0, 100, size=int(rng.choice([7, 10]))).astype(np.float32)
    facts = answer.probe(rod_facts, u)
    got, want = numbers(facts["values"]), rod_step(u)
    message = "Nothing has changed. `.at[...]` gives a new array: did you bind it to a name?"
    require(not close(got, u), "result-thrown-away", message)
    from_before = want.copy()
    from_before[[0, -1]] = u[[1, -2]]
    message = "The ends got the temperatures that their neighbours had *before* the step. They have moved since."
    require(not close(got, from_before), "ends-from-before", message)
    ends_kept = want.copy()
    ends_kept[[0, -1]] = u[[0, -1]]
    require(not close(got, ends_kept), "ends-kept", "The inner points are right. The ends should follow them.")
    expect(got, want, "That is not the temperature after one step.")
    require(facts["jax"], "left-jax", "The numbers are right, but the result is no JAX array.")
    message = "Right, but `jax.jit` could not trace it: your code asks for the numbers of the array."
    require(facts["compiled"], "not-traceable", message)
    message = "Right, but with a loop: outside of `jit` each `.at[...]` copies the whole rod. Write slices."
    require(answer.probe(probe.written)["loops"] == 0, "update-in-a-loop", message)


@wrong("insulated-rod", "result-thrown-away")
def forgets_to_bind(u):
    u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    u.at[0].set(u[1])
    u.at[-1].set(u[-2])
    return u


@wrong("insulated-rod", "ends-from-before")
def takes_the_ends_from_the_old_rod(u):
    new = u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return new.at[0].set(u[1]).at[-1].set(u[-2])


@wrong("insulated-rod", "ends-kept")
def forgets_the_ends(u):
    return u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))


@wrong("insulated-rod", "left-jax")
def copies_into_numpy(u):
    u = np.array(u)
    u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    u[0] = u[1]
    u[-1] = u[-2]
    return u


@wrong("insulated-rod", "not-traceable")
def copies_into_numpy_and_back(u):
    u = np.array(u)
    u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    u[0] = u[1]
    u[-1] = u[-2]
    return jnp.asarray(u)


@wrong("insulated-rod", "update-in-a-loop")
def updates_point_by_point(u):
    new = u
    for i in range(1, len(u) - 1):
        new = new.at[i].add(0.25 * (u[i + 1] - 2 * u[i] + u[i - 1]))
    new = new.at[0].set(new[1])
    return new.at[-1].set(new[-2])


@wrong("insulated-rod", "wrong-value")
def closes_the_rod_to_a_ring(u):
    return u + 0.25 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))


@wrong("insulated-rod", "wrong-value")
def sets_in_place_of_adding(u):
    u = u.at[1:-1].set(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return u.at[0].set(u[1]).at[-1].set(u[-2])


@wrong("insulated-rod", "wrong-shape")
def loses_the_ends(u):
    return u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])


@wrong("insulated-rod", "TypeError")
def assigns_to_slices(u):
    u[0] = u[1]
    return u


# -- promotion-table --------------------------------------------------------------------------------------------

MIXTURES = {
    "u8 + 1": lambda a: a("uint8") + 1,
    "u8 + 300": lambda a: a("uint8") + 300,
    "u8 + 1.5": lambda a: a("uint8") + 1.5,
    "i8 + u8": lambda a: a("int8") + a("uint8"),
    "i64 + 1": lambda a: a("int64") + 1,
    "i32 + f32": lambda a: a("int32") + a("float32"),
    "i32 + f16": lambda a: a("int32") + a("float16"),
    "i32 / 2": lambda a: a("int32") / 2,
    "f32 * 2.0": lambda a: a("float32") * 2.0,
    "f32 * np.float64(2)": lambda a: a("float32") * np.float64(2),
    "bf16 * 2.0": lambda a: a("bfloat16") * 2.0,
    "bf16 * np.float64(2)": lambda a: a("bfloat16") * np.float64(2),
}


def dtype_of(mixture, make_ones):
    """The dtype of a mixture of arrays that `make_ones` makes from the name of a dtype."""
    try:
        return str(mixture(make_ones).dtype)
    except OverflowError:
        return "error"


def ones_in_jax(name):
    """The JAX array that is made from a NumPy array of ones of that dtype."""
    return jnp.ones(2, name) if name == "bfloat16" else jnp.asarray(np.ones(2, name))


def promotions():
    """The table, asked of both libraries."""

    def in_numpy(name, mixture):
        return "none" if name.startswith("bf16") else dtype_of(mixture, lambda dtype: np.ones(2, dtype))

    return {name: (in_numpy(name, mixture), dtype_of(mixture, ones_in_jax)) for name, mixture in MIXTURES.items()}


DTYPES = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {
    f"{kind}float{bits}" for kind, bits in (("", 16), ("", 32), ("", 64), ("b", 16))
}
ENTRIES = DTYPES | {"bool", "none", "error"}


def is_pair_of_dtypes(value):
    """Whether a value is a pair of names of dtypes."""
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    return pair and all(isinstance(name, str) and name in ENTRIES for name in value)


@exercise(
    "promotion-table",
    points=2,
    see="two-promotions",
    hint=[
        "A Python number has a kind and no width. If the array has the kind already, its dtype stays.",
        "NumPy: what is the smallest dtype that holds both? JAX: a float beats an integer, and 32 bits are the end.",
        "`np.float64(2)` is no Python number. It becomes `float32` when it comes to JAX.",
    ],
)
def promotion_table(answer, rng):
    want = promotions()
    got = entries(answer.value(), like=want)
    stray = ", ".join(f"`{name}`" for name in want if not is_pair_of_dtypes(got[name]))
    message = f'Give a pair of names of dtypes, such as `("int32", "float32")`, or `"error"`: see {stray}.'
    require(not stray, "not-a-pair-of-dtypes", message)
    got = {name: tuple(pair) for name, pair in got.items()}
    message = "A Python 1 is weak: it takes the dtype of the array, in both libraries."
    require(got["u8 + 1"] == ("uint8", "uint8"), "python-number-widens", message)
    message = "NumPy 1 looked at the value and widened. NumPy 2 looks at dtypes only: `uint8`, and 300 does not fit."
    require(got["u8 + 300"][0] == "error", "numpy-1-looked-at-values", message)
    message = "JAX looks at no values, and so it has nothing to complain of: the result wraps around in `uint8`."
    require(got["u8 + 300"][1] == "uint8", "jax-checks-values", message)
    too_wide = ", ".join(f"`{name}`" for name in want if got[name][1].endswith("64"))
    require(not too_wide, "64-bits-in-jax", f"Nothing in JAX has 64 bits unless you switch it on: see {too_wide}.")
    message = "`float32` cannot hold every `int32`, so NumPy takes the smallest dtype that holds both: `float64`."
    require(got["i32 + f32"][0] == "float64", "numpy-keeps-float32", message)
    message = "A NumPy scalar has a width, as an array has: `np.float64(2)` is not weak, unlike 2.0."
    strong = got["f32 * np.float64(2)"][0] == "float64" and got["bf16 * np.float64(2)"][1] == "float32"
    require(strong, "numpy-scalar-is-weak", message)
    message = "In JAX an integer never widens a floating-point array, however many bits the integer has."
    require(got["i32 + f16"][1] == "float16", "integer-widens-float", message)
    require(got == want, "wrong-value", f"Not right yet: {differing(got, want)}. Try it, and look at `.dtype`.")


TRUE_PROMOTIONS = promotions()
one_is_an_int64 = wrong("promotion-table", "python-number-widens")(TRUE_PROMOTIONS | {"u8 + 1": ("int64", "int32")})
three_hundred_widens = wrong("promotion-table", "numpy-1-looked-at-values")(
    TRUE_PROMOTIONS | {"u8 + 300": ("uint16", "uint8")}
)
both_refuse_300 = wrong("promotion-table", "jax-checks-values")(TRUE_PROMOTIONS | {"u8 + 300": ("error", "error")})
jax_is_numpy = wrong("promotion-table", "64-bits-in-jax")(TRUE_PROMOTIONS | {"u8 + 1.5": ("float64", "float64")})
int64_survives_in_jax = wrong("promotion-table", "64-bits-in-jax")(TRUE_PROMOTIONS | {"i64 + 1": ("int64", "int64")})
float32_holds_int32 = wrong("promotion-table", "numpy-keeps-float32")(
    TRUE_PROMOTIONS | {"i32 + f32": ("float32", "float32")}
)
all_scalars_are_weak = wrong("promotion-table", "numpy-scalar-is-weak")(
    TRUE_PROMOTIONS | {"f32 * np.float64(2)": ("float32", "float32"), "bf16 * np.float64(2)": ("none", "bfloat16")}
)
integers_have_a_say = wrong("promotion-table", "integer-widens-float")(
    TRUE_PROMOTIONS | {"i32 + f16": ("float64", "float32")}
)
halves_are_integers = wrong("promotion-table", "wrong-value")(TRUE_PROMOTIONS | {"i32 / 2": ("int32", "int32")})
dtypes_not_pairs = wrong("promotion-table", "not-a-pair-of-dtypes")(dict.fromkeys(TRUE_PROMOTIONS, "float32"))
nearly_a_dtype = wrong("promotion-table", "not-a-pair-of-dtypes")(TRUE_PROMOTIONS | {"f32 * 2.0": ("float", "float")})
no_table = wrong("promotion-table", "keys-changed")([("uint8", "uint8")])

# -- own-dtype-gelu ---------------------------------------------------------------------------------------------


def gelu(x):
    """The oracle, in `float64`."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def dtypes_in_and_out(function, x, names):
    """For each dtype of the argument the dtype of the result; the result for `float32`; whether it stays in JAX."""
    results = {name: function(jnp.asarray(x, name)) for name in names}
    in_jax = all(isinstance(result, jax.Array) for result in results.values())
    facts = {"dtypes": {name: str(getattr(results[name], "dtype", "none")) for name in names}, "in jax": in_jax}
    try:
        jax.make_jaxpr(function)(jnp.asarray(x, "float32"))
    except (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError):
        facts["in jax"] = False
    return facts | {"values": results["float32"]}


@exercise(
    "own-dtype-gelu",
    see="two-promotions",
    hint=["Which of your constants is not a Python number?", "`2 ** 0.5` is weak, `np.sqrt(2)` is not."],
)
def own_dtype_gelu(answer, rng):
    x = rng.normal(scale=2, size=9)
    facts = answer.probe(dtypes_in_and_out, x, ["bfloat16", "float16", "float32"])
    dtypes = facts["dtypes"]
    message = "Somewhere in it the numbers leave JAX: a function of NumPy works on `x`, or the result is no JAX array."
    require(facts["in jax"], "left-jax", message)
    message = f"In: `float32`, out: `{dtypes['float32']}`. You named one dtype. Take the dtype of `x`."
    require(dtypes["float32"] == "float32", "dtype-named", message)
    message = (
        f"In: `bfloat16`, out: `{dtypes['bfloat16']}`, and so is everything that follows in the network. "
        "A constant is strong: a NumPy scalar or an array, not a Python number."
    )
    require(dtypes["bfloat16"] == "bfloat16", "widened", message)
    message = f"Right for `bfloat16`. In: `float16`, out: `{dtypes['float16']}`."
    require(dtypes["float16"] == "float16", "some-dtypes-only", message)
    expect(facts["values"], gelu(x), "The dtype is right, but that is not the GELU.", rtol=1e-5)


@wrong("own-dtype-gelu", "widened")
def takes_the_root_in_numpy(x):
    return 0.5 * x * (1 + jnp.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "widened")
def makes_arrays_of_constants(x):
    scale = jnp.array(0.7978845608, dtype=jnp.float32)
    return 0.5 * x * (1 + jnp.tanh(scale * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "dtype-named")
def names_bfloat16(x):
    scale = (2 / np.pi) ** 0.5
    wide = x.astype(jnp.float32)
    return (0.5 * wide * (1 + jnp.tanh(scale * (wide + 0.044715 * wide**3)))).astype(jnp.bfloat16)


@wrong("own-dtype-gelu", "some-dtypes-only")
def knows_bfloat16_and_float32(x):
    scale = (2 / np.pi) ** 0.5
    wide = x.astype(jnp.float32)
    result = 0.5 * wide * (1 + jnp.tanh(scale * (wide + 0.044715 * wide**3)))
    return result.astype(jnp.bfloat16) if x.dtype == jnp.bfloat16 else result


@wrong("own-dtype-gelu", "left-jax")
def takes_the_tangent_in_numpy(x):
    scale = (2 / np.pi) ** 0.5
    return 0.5 * x * (1 + np.tanh(scale * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "left-jax")
def gives_back_numpy(x):
    scale = (2 / np.pi) ** 0.5
    return np.asarray(0.5 * x * (1 + jnp.tanh(scale * (x + 0.044715 * x**3))))


@wrong("own-dtype-gelu", "wrong-value")
def forgets_the_cube(x):
    return 0.5 * x * (1 + jnp.tanh((2 / np.pi) ** 0.5 * x))


# -- last-countable ---------------------------------------------------------------------------------------------


@exercise(
    "last-countable",
    see="float32-by-default",
    hint=[
        "How many binary digits does a `float32` keep?",
        "Which is the first whole number that needs one digit more?",
    ],
)
def last_countable(answer, rng):
    got = numbers(answer.value())
    require(got.shape == (), "wrong-shape", "Give one number.")
    message = "23 digits are stored, and one more is always 1: it counts too."
    require(got != 2**23, "hidden-digit", message)
    message = "That is the end of `int32`. A `float32` has the same 32 bits, but eight of them hold the exponent."
    require(got not in (2**31, 2**31 - 1, 2**32, 2**32 - 1), "thought-of-int32", message)
    message = "There a `float64` stops. A `float32` keeps 24 binary digits."
    require(got != 2**53, "float64-size", message)
    message = "One more is possible: 2²⁴ itself is a power of two, and needs a single digit."
    require(got != 2**24 - 1, "one-too-few", message)
    message = "Try `jnp.float32(...) + 1` with your number. Does it move? And does the number before it?"
    require(got == 2**24, "wrong-value", message)


forgot_the_hidden_digit = wrong("last-countable", "hidden-digit")(2**23)
counted_integers = wrong("last-countable", "thought-of-int32")(2**31 - 1)
remembered_float64 = wrong("last-countable", "float64-size")(2**53)
filled_24_digits = wrong("last-countable", "one-too-few")(2**24 - 1)
seven_decimal_digits = wrong("last-countable", "wrong-value")(10**7)
took_it_from_the_text = wrong("last-countable", "wrong-value")(1e8)

# -- stable-variance --------------------------------------------------------------------------------------------


def of_jax_array(function, x):
    """The result for a JAX array, and whether it is one."""
    result = function(jnp.asarray(x))
    return {"jax": isinstance(result, jax.Array), "values": result}


@exercise(
    "stable-variance",
    see="float32-by-default",
    hint=["What do you subtract from what, and when? Before or after squaring?", "`keepdims=True`"],
)
def stable_variance(answer, rng):
    spread = rng.normal(size=(4, int(rng.choice([10, 13]))))
    easy = (spread + np.arange(4)[:, None]).astype(np.float32)
    hard = (spread + rng.uniform(1e4, 2e4, size=(4, 1))).astype(np.float32)
    names = answer.probe(probe.written)["names"]
    require(
        not {"var", "std", "nanvar", "nanstd", "cov"} & set(names), "called-var", "Without `var` and `std`, please."
    )
    got, want = numbers(answer.probe(of_jax_array, easy)["values"]), easy.astype(float).var(axis=1)
    n = easy.shape[1]
    sample = n / (n - 1) * want
    require(not close(got, sample), "divided-by-n-minus-1", "You divided by `n - 1`. The mean divides by `n`.")
    about_the_grand_mean = ((easy - easy.mean(dtype=float)) ** 2).mean(axis=1)
    message = "You subtracted one mean from all rows. Each row has its own: `axis=1, keepdims=True`."
    require(not close(got, about_the_grand_mean), "grand-mean", message)
    expect(got, want, "That is not the variance of each row.", rtol=1e-4)
    facts = answer.probe(of_jax_array, hard)
    require(facts["jax"], "left-jax", "The numbers are right, but the result is no JAX array.")
    message = (
        "Right for rows near zero. For a mean near 10⁴ two numbers near 10⁸ are subtracted, and only rounding is left."
    )
    expect(facts["values"], hard.astype(float).var(axis=1), message, label="cancellation", rtol=1e-2)


@wrong("stable-variance", "cancellation")
def mean_of_squares_minus_square_of_mean(x):
    return (x**2).mean(axis=1) - x.mean(axis=1) ** 2


@wrong("stable-variance", "cancellation")
def cuts_off_what_is_negative(x):
    return jnp.maximum((x**2).mean(axis=1) - x.mean(axis=1) ** 2, 0)


@wrong("stable-variance", "called-var")
def lets_jax_do_it(x):
    return jnp.var(x, axis=1)


@wrong("stable-variance", "divided-by-n-minus-1")
def divides_like_a_statistician(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation**2).sum(axis=1) / (x.shape[1] - 1)


@wrong("stable-variance", "grand-mean")
def one_mean_for_all(x):
    return ((x - x.mean()) ** 2).mean(axis=1)


@wrong("stable-variance", "left-jax")
def goes_to_64_bits_in_numpy(x):
    x = np.asarray(x, np.float64)
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)


@wrong("stable-variance", "wrong-value")
def forgets_to_square(x):
    return jnp.abs(x - x.mean(axis=1, keepdims=True)).mean(axis=1)


@wrong("stable-variance", "wrong-shape")
def one_number_for_all(x):
    return ((x - x.mean()) ** 2).mean()


# -- ids-to-jax -------------------------------------------------------------------------------------------------


def handed_over(door, ids):
    """What became of the ids: the array and whose it is, or the exception's name."""
    try:
        result = door(ids)
    except (ValueError, OverflowError, TypeError, AssertionError) as error:
        return {"raised": type(error).__name__}
    return {"raised": "", "jax": isinstance(result, jax.Array), "values": result}


@exercise(
    "ids-to-jax",
    see="int32-by-default",
    hint=["How would you notice that a value has changed on its way?", "`np.array_equal(np.asarray(handed), ids)`"],
)
def ids_to_jax(answer, rng):
    good = rng.integers(-1000, 1000, size=5)
    facts = answer.probe(handed_over, good)
    require(not facts["raised"], "refuses-good-ids", f"`{good.tolist()}` fit into 32 bits, and you raised.")
    expect(facts["values"], good, "The values should come through as they are.")
    require(facts["jax"], "not-jax", "The values are right, but the result is no JAX array.")
    too_big = np.append(good, 2**40 + int(rng.integers(1000)))
    facts = answer.probe(handed_over, too_big)
    came = np.ravel(facts.get("values", 0))[-1]
    require(facts["raised"], "wrapped", f"`{too_big[-1]}` does not fit into 32 bits, and became `{came}`.")
    message = f"You raised `{facts['raised']}`. The task asks for `ValueError`, so that callers can tell."
    require(facts["raised"] == "ValueError", "wrong-exception", message)
    too_negative = np.array([-(2**31) - 1])
    facts = answer.probe(handed_over, too_negative)
    require(facts["raised"] == "ValueError", "negative-side", "`-2**31 - 1` is too small, and came through.")
    limits = np.array([2**31 - 1, -(2**31)])
    message = "`2**31 - 1` and `-2**31` are the last that fit, and you raised for one of them."
    require(not answer.probe(handed_over, limits)["raised"], "limit-off-by-one", message)
    message = "An empty array holds no value that could change, and you raised. It has no maximum, either."
    require(not answer.probe(handed_over, np.array([], np.int64))["raised"], "empty-refused", message)


@wrong("ids-to-jax", "wrapped")
def trusts_jax(ids):
    return jnp.asarray(ids)


@wrong("ids-to-jax", "wrapped")
def asks_for_64_bits(ids):
    return jnp.asarray(ids.astype(np.int64))


@wrong("ids-to-jax", "wrapped")
def compares_in_jax(ids):
    handed = jnp.asarray(ids)
    if (handed != ids).any():
        raise ValueError("a value has changed")
    return handed


@wrong("ids-to-jax", "wrapped")
def looks_at_the_dtype_of_the_result(ids):
    handed = jnp.asarray(ids)
    if not jnp.issubdtype(handed.dtype, jnp.integer):
        raise ValueError("no integers")
    return handed


@wrong("ids-to-jax", "refuses-good-ids")
def refuses_the_dtype(ids):
    if ids.dtype.itemsize > 4:
        raise ValueError("64 bits")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "wrong-exception")
def asserts(ids):
    handed = jnp.asarray(ids)
    assert np.array_equal(np.asarray(handed), ids)
    return handed


@wrong("ids-to-jax", "negative-side")
def looks_at_the_top_only(ids):
    if ids.size and ids.max() >= 2**31:
        raise ValueError("too big")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "limit-off-by-one")
def uses_the_absolute_value(ids):
    if (np.abs(ids) >= 2**31).any():
        raise ValueError("too big")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "empty-refused")
def asks_for_the_extremes(ids):
    if ids.max() > 2**31 - 1 or ids.min() < -(2**31):
        raise ValueError("does not fit")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "not-jax")
def checks_and_stays_in_numpy(ids):
    if not np.array_equal(ids.astype(np.int32), ids):
        raise ValueError("does not fit")
    return ids.astype(np.int32)


@wrong("ids-to-jax", "wrong-value")
def renumbers(ids):
    return jnp.asarray(ids - ids.min())


# -- seconds-since-start ----------------------------------------------------------------------------------------


def on_the_way(function, values):
    """The result for a NumPy array, and whether it is a JAX array."""
    result = function(values)
    return {"jax": isinstance(result, jax.Array), "values": result}


@exercise(
    "seconds-since-start",
    see="int32-by-default",
    hint=["Which of the two numbers needs 64 bits: a stamp, or a difference?", "Who has 64 bits, NumPy or JAX?"],
)
def seconds_since_start(answer, rng):
    gaps = rng.integers(10**9, 60 * 10**9, size=40)
    stamps = 1_700_000_000 * 10**9 + int(rng.integers(10**15)) + np.cumsum(gaps)
    want = (stamps - stamps[0]) / 1e9
    facts = answer.probe(on_the_way, stamps)
    got = numbers(facts["values"])
    require(got.shape == want.shape, "wrong-shape", f"The shape should be {want.shape}, not {got.shape}.")
    require(not close(got, 1e9 * want, rtol=1e-3), "still-nanoseconds", "These are nanoseconds.")
    message = (
        f"The last photon came after {want[-1]:.0f} s, and your times reach {np.abs(got).max():.3g}: "
        "an `int32` of nanoseconds wraps around every 4 s."
    )
    require(np.abs(got).max() > 5, "wrapped", message)
    left = len(np.unique(got))
    message = (
        f"{len(want)} photons, but only {left} different times are left: "
        "the stamps were rounded to `float32` before the subtraction."
    )
    require(left > len(want) - 3, "absorbed", message)
    require(not close(got, stamps / 1e9, rtol=1e-6), "not-since-the-start", "These are seconds since 1970.")
    expect(got, want, "These are not the seconds since the first photon.", rtol=1e-6)
    require(facts["jax"], "not-jax", "The times are right, but the result is no JAX array.")


@wrong("seconds-since-start", "wrapped")
def hands_over_first(stamps):
    stamps = jnp.asarray(stamps)
    return (stamps - stamps[0]) / 1e9


@wrong("seconds-since-start", "absorbed")
def makes_floats_first(stamps):
    seconds = jnp.asarray(stamps / 1e9)
    return seconds - seconds[0]


@wrong("seconds-since-start", "absorbed")
def makes_float32_in_numpy(stamps):
    stamps = stamps.astype(np.float32)
    return jnp.asarray((stamps - stamps[0]) / 1e9)


@wrong("seconds-since-start", "still-nanoseconds")
def forgets_the_unit(stamps):
    return jnp.asarray((stamps - stamps[0]).astype(np.float32))


@wrong("seconds-since-start", "not-jax")
def never_leaves_numpy(stamps):
    return (stamps - stamps[0]) / 1e9


@wrong("seconds-since-start", "not-since-the-start")
def forgets_the_start(stamps):
    return stamps / 1e9


@wrong("seconds-since-start", "wrong-value")
def gaps_between_neighbours(stamps):
    return jnp.asarray(np.diff(stamps, prepend=stamps[0]) / 1e9)


# -- independent-pair -------------------------------------------------------------------------------------------


NOT_THE_KEY = "Called twice with the same key, it gives different numbers: they come from somewhere else."


def drawn(draw, seed, *sizes):
    """A sample, if the same key gives it again; whether another key does, and whether a key was used twice."""
    sample, again = (draw(jax.random.key(seed), *sizes) for _ in range(2))
    if not np.array_equal(sample, again):
        return {"repeats": False}
    other = draw(jax.random.key(seed + 1), *sizes)
    facts = {"repeats": True, "key matters": not np.array_equal(sample, other), "sample": sample}
    # JAX 0.7.2 does not watch what it compiled without the watch: hence `disable_jit`.
    with jax.debug_key_reuse(True), jax.disable_jit():
        try:
            draw(jax.random.key(seed), *sizes)
        except jax.errors.KeyReuseError:
            return facts | {"reused": True}
    return facts | {"reused": False}


@exercise(
    "independent-pair",
    see="key-reuse",
    hint=["A key is used once, to draw or to split.", "`first, second = jax.random.split(key)`"],
)
def independent_pair(answer, rng):
    n = 2000
    seed = int(rng.integers(2**16))
    facts = answer.probe(drawn, seed, n)
    answer.called = f"independent_pair(jax.random.key({seed}), {n})"
    require(facts["repeats"], "hidden-state", NOT_THE_KEY)
    got = numbers(facts["sample"])
    require(got.shape == (2, n), "wrong-shape", f"Two arrays of {n} numbers each are expected, not {got.shape}.")
    require(facts["key matters"], "key-ignored", "Another key gives the same numbers: it is not used.")
    a, b = got
    r = float(np.corrcoef(a, b)[0, 1])
    seen = f"The correlation is {r:.2f}." if abs(r) > 0.1 else "That they look unrelated is luck: nothing promises it."
    require(not facts["reused"], "key-reused", f"A key was used twice for the two samples. {seen}")
    shared = int(np.isin(a, b).sum())
    seen = f"Their correlation is {r:.2f}" if abs(r) > 0.1 else f"They have {shared} of {n} numbers in common"
    message = f"{seen}: whoever knows one of them knows something of the other."
    require(shared < n / 10 and abs(r) < 0.2, "dependent", message)
    normal = np.abs(got.mean(axis=1)).max() < 0.15 and np.abs(got.std(axis=1) - 1).max() < 0.1
    require(normal and np.abs(got).max() > 2.5, "wrong-value", "These are not standard normal numbers.")


@wrong("independent-pair", "key-reused")
def draws_twice(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(key, (n,))


@wrong("independent-pair", "key-reused")
def draws_with_the_parent(key, n):
    child, _ = jax.random.split(key)
    return jax.random.normal(key, (n,)), jax.random.normal(child, (n,))


@wrong("independent-pair", "key-reused")
def draws_a_longer_one(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(key, (2 * n,))[n:]


@wrong("independent-pair", "dependent")
def folds_the_same_number_in(key, n):
    return tuple(jax.random.normal(jax.random.fold_in(key, n), (n,)) for _ in range(2))


@wrong("independent-pair", "dependent")
def splits_and_folds(key, n):
    by_split = jax.random.split(key)[0]
    return jax.random.normal(by_split, (n,)), jax.random.normal(jax.random.fold_in(key, 0), (n,))


@wrong("independent-pair", "dependent")
def cuts_overlapping_windows(key, n):
    sample = jax.random.normal(key, (n + 1,))
    return sample[:-1], sample[1:]


@wrong("independent-pair", "dependent")
def turns_the_sign(key, n):
    sample = jax.random.normal(key, (n,))
    return sample, -sample


@wrong("independent-pair", "dependent")
def shuffles(key, n):
    one, two = jax.random.split(key)
    sample = jax.random.normal(one, (n,))
    return sample, jax.random.permutation(two, sample)


@wrong("independent-pair", "hidden-state")
def goes_to_numpy(key, n):
    return np.random.normal(size=n), np.random.normal(size=n)


@wrong("independent-pair", "key-ignored")
def makes_keys_of_its_own(key, n):
    return jax.random.normal(jax.random.key(0), (n,)), jax.random.normal(jax.random.key(1), (n,))


@wrong("independent-pair", "wrong-value")
def draws_uniformly(key, n):
    first, second = jax.random.split(key)
    return jax.random.uniform(first, (n,)), jax.random.uniform(second, (n,))


@wrong("independent-pair", "wrong-shape")
def draws_one_only(key, n):
    return jax.random.normal(key, (n,))


# -- random-walks -----------------------------------------------------------------------------------------------


@exercise(
    "random-walks",
    points=2,
    see="wide-not-deep",
    hint=[
        "How many random numbers do you need in all? One draw can give them all.",
        "`jnp.cumsum(..., axis=0)` adds up along the steps.",
    ],
)
def random_walks(answer, rng):
    particles, steps = 400, int(rng.choice([8, 11]))
    seed = int(rng.integers(2**16))
    facts = answer.probe(drawn, seed, particles, steps)
    answer.called = f"random_walks(jax.random.key({seed}), {particles}, {steps})"
    require(facts["repeats"], "hidden-state", NOT_THE_KEY)
    walk = numbers(facts["sample"]).astype(float)
    turned = walk.shape == (particles, steps)
    require(not turned, "axes-swapped", "Each row should be a time, and each column a particle.")
    require(walk.shape == (steps, particles), "wrong-shape", f"The shape should be {(steps, particles)}.")
    require(facts["key matters"], "key-ignored", "Another key gives the same numbers: it is not used.")
    message = "Row 0 is still the start. Row `i` should be after `i + 1` steps."
    require(walk[0].any(), "starts-with-the-start", message)
    moved = np.diff(walk, axis=0)
    together = np.ptp(moved, axis=1).max() < 1e-3
    require(not together, "all-alike", "All particles take the same steps: one number was drawn for all of them.")
    message = "Each particle repeats one step over and over: straight lines. The same key was used in each step."
    require(np.ptp(moved, axis=0).max() > 1e-3, "straight-lines", message)
    spread = float(walk[-1].std() / np.sqrt(steps))
    follows = float(np.corrcoef(walk[-2], walk[-1])[0, 1])
    message = (
        f"Where a particle is says nothing about where it was before (correlation {follows:.2f}): add the steps up."
    )
    require(follows > 0.5, "not-summed", message)
    message = f"A key was used twice. The spread after {steps} steps is {spread:.2f} times what it should be."
    require(not facts["reused"], "key-reused", message)
    normal = abs(spread - 1) < 0.15 and np.abs(moved).max() > 3
    message = f"After {steps} steps the spread should be near √{steps}, from standard normal steps."
    require(
        normal,
        "wrong-value",
        f"{message} Yours is {spread:.2f} times that; your longest step {np.abs(moved).max():.2f}.",
    )


@wrong("random-walks", "straight-lines")
def one_key_for_all_steps(key, particles, steps):
    position, rows = jnp.zeros(particles), []
    for _ in range(steps):
        position = position + jax.random.normal(key, (particles,))
        rows.append(position)
    return jnp.stack(rows)


@wrong("random-walks", "straight-lines")
def splits_but_never_moves_on(key, particles, steps):
    position, rows = jnp.zeros(particles), []
    for _ in range(steps):
        used, _carried = jax.random.split(key)
        position = position + jax.random.normal(used, (particles,))
        rows.append(position)
    return jnp.stack(rows)


@wrong("random-walks", "all-alike")
def one_number_for_all_particles(key, particles, steps):
    walk = jnp.cumsum(jax.random.normal(key, (steps, 1)), axis=0)
    return jnp.broadcast_to(walk, (steps, particles))


@wrong("random-walks", "not-summed")
def gives_the_steps(key, particles, steps):
    return jax.random.normal(key, (steps, particles))


@wrong("random-walks", "axes-swapped")
def particles_in_rows(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (particles, steps)), axis=1)


@wrong("random-walks", "starts-with-the-start")
def begins_at_zero(key, particles, steps):
    walk = jnp.cumsum(jax.random.normal(key, (steps - 1, particles)), axis=0)
    return jnp.concatenate([jnp.zeros((1, particles)), walk])


@wrong("random-walks", "key-reused")
def every_second_step_again(key, particles, steps):
    keys = jax.random.split(key, steps)
    moves = [jax.random.normal(keys[i // 2], (particles,)) for i in range(steps)]
    return jnp.cumsum(jnp.stack(moves), axis=0)


@wrong("random-walks", "hidden-state")
def walks_in_numpy(key, particles, steps):
    return np.cumsum(np.random.normal(size=(steps, particles)), axis=0)


@wrong("random-walks", "key-ignored")
def the_same_walk_always(key, particles, steps):
    return jnp.cumsum(jax.random.normal(jax.random.key(1827), (steps, particles)), axis=0)


@wrong("random-walks", "wrong-value")
def uniform_steps(key, particles, steps):
    return jnp.cumsum(jax.random.uniform(key, (steps, particles)), axis=0)


@wrong("random-walks", "wrong-value")
def steps_of_one(key, particles, steps):
    return jnp.cumsum(2 * jax.random.bernoulli(key, shape=(steps, particles)) - 1, axis=0)


# -- honest-seconds ---------------------------------------------------------------------------------------------


def on_a_model_clock(stopwatch, dispatch, work, compiling):
    """Time a function of a modelled device, which computes while the caller goes on, by a clock that it moves.

    The first call takes `compiling` seconds more. Each call returns after `dispatch` seconds, and its result is
    there after the `work` of all calls so far.
    """
    clock = {"now": 0.0, "device free": 0.0, "calls": 0, "readings": 0}

    class Result:
        def __init__(self, ready):
            self.ready = ready

        def block_until_ready(self):
            clock["now"] = max(clock["now"], self.ready)
            return self

        def __array__(self, dtype=None, copy=None):
            self.block_until_ready()
            return np.zeros(3, dtype)

    def f(x):
        clock["calls"] += 1
        clock["now"] += dispatch + (compiling if clock["calls"] == 1 else 0)
        clock["device free"] = max(clock["device free"], clock["now"]) + work
        return Result(clock["device free"])

    def read():
        clock["readings"] += 1
        return clock["now"]

    seconds = stopwatch(f, jnp.zeros(3), read)
    return {"seconds": seconds, "calls": clock["calls"], "readings": clock["readings"]}


@exercise(
    "honest-seconds",
    points=2,
    see="returns-before-it-is-done",
    hint=[
        "Call `f` once before you look at the clock. What is still going on when that call returns?",
        "`.block_until_ready()`, twice.",
    ],
)
def honest_seconds(answer, rng):
    dispatch, work = float(rng.uniform(0.001, 0.002)), float(rng.uniform(1, 2))
    facts, slow_facts = (answer.probe(on_a_model_clock, dispatch, work, compiling) for compiling in (100.0, 300.0))
    got, slow = numbers(facts["seconds"]), numbers(slow_facts["seconds"])
    answer.called, answer.returned = "honest_seconds(f, x, clock)", str(facts["seconds"])
    require(got.shape == (), "wrong-shape", "Give one number.")
    require(np.isfinite(got), "nan", "A time should be a finite number.")
    require(facts["readings"], "another-clock", "You never asked `clock()`: you read another clock.")
    got = float(got)
    story = (
        f"The call returns after {dispatch:.4f} s, its result is there after {work:.2f} s more; you say {got:.4g} s."
    )
    require(got >= 0, "clock-turned-round", f"{story} Which reading is the later one?")
    message = "If compiling takes longer, you measure more: the first call is in it. Call `f` once before."
    require(close(got, slow, rtol=1e-6), "compiling-included", message)
    message = f"{story} You timed the dispatch. Wait for the result before you look at the clock."
    require(got > work / 2, "dispatch-only", message)
    times = round(got / work)
    together = times > 1 and times in (facts["calls"], facts["calls"] - 1) and facts["calls"] > 2
    require(not together, "not-divided", f"{story} That is the time of {times} calls. One call is asked for.")
    message = f"{story} When your clock started, the device was still busy with the call before: wait for that, too."
    require(got < 1.02 * (work + dispatch), "warm-up-not-awaited", message)
    expect(got, work + dispatch, "That is not the time of one call.", rtol=0.01)


@wrong("honest-seconds", "dispatch-only")
def times_the_dispatch(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    f(x)
    return clock() - start


@wrong("honest-seconds", "dispatch-only")
def waits_after_the_clock(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    result = f(x)
    seconds = clock() - start
    result.block_until_ready()
    return seconds


@wrong("honest-seconds", "dispatch-only")
def waits_for_the_argument(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    f(x)
    x.block_until_ready()
    return clock() - start


@wrong("honest-seconds", "compiling-included")
def times_the_first_call(f, x, clock):
    start = clock()
    f(x).block_until_ready()
    return clock() - start


@wrong("honest-seconds", "compiling-included")
def averages_over_the_first_call(f, x, clock):
    start = clock()
    for _ in range(10):
        f(x).block_until_ready()
    return (clock() - start) / 10


@wrong("honest-seconds", "warm-up-not-awaited")
def leaves_the_warm_up_running(f, x, clock):
    f(x)
    start = clock()
    f(x).block_until_ready()
    return clock() - start


@wrong("honest-seconds", "not-divided")
def sums_ten_calls(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    for _ in range(10):
        f(x).block_until_ready()
    return clock() - start


@wrong("honest-seconds", "clock-turned-round")
def subtracts_the_wrong_way(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    f(x).block_until_ready()
    return start - clock()


@wrong("honest-seconds", "another-clock")
def reads_the_computers_clock(f, x, clock):
    f(x).block_until_ready()
    start = time.perf_counter() * 0  # so that the check can be repeated
    f(x).block_until_ready()
    return time.perf_counter() * 0 - start


@wrong("honest-seconds", "wrong-value")
def divides_by_the_warm_up_too(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    for _ in range(4):
        f(x).block_until_ready()
    return (clock() - start) / 5


# -- refused-by-guard -------------------------------------------------------------------------------------------


@functools.cache
def refusals():
    """What the transfer guard refuses, asked of JAX."""
    f = jax.jit(lambda x: 2 * x)
    v, n = jnp.ones(3), np.ones(3, np.float32)
    expressions = {
        "f(v)": lambda: f(v),
        "f(n)": lambda: f(n),
        "f(jax.device_put(n))": lambda: f(jax.device_put(n)),
        "v + v": lambda: v + v,
        "v + 1": lambda: v + 1,
        "v + n": lambda: v + n,
    }
    return {name: is_refused(expression) for name, expression in expressions.items()}


def is_refused(expression):
    """Whether an expression that is compiled already needs a transfer that is not written as one."""
    expression()
    try:
        with jax.transfer_guard("disallow"):
            expression()
    except jax.errors.JaxRuntimeError:
        return True
    return False


@exercise(
    "refused-by-guard",
    see="where-arrays-live",
    hint=["What is not on the device yet, when the expression begins?", "A Python number is not on the device."],
)
def refused_by_guard(answer, rng):
    want = refusals()
    got = entries(answer.value(), like=want, kind=bool)
    message = "`v` is on the device, and so is the 2 inside of `f`, as a part of the program."
    require(not got["f(v)"], "constant-travels", message)
    require(got["f(n)"], "jit-is-a-transfer", "`n` is NumPy's: it has to travel, and nobody wrote `device_put`.")
    message = "`jax.device_put` is how a transfer is written on purpose, and those are allowed."
    require(not got["f(jax.device_put(n))"], "written-transfer-refused", message)
    message = "Outside of `jit` the Python number 1 is an argument of the addition, and it travels each time."
    require(got["v + 1"], "numbers-are-free", message)
    require(got == want, "wrong-value", f"Not right yet: {differing(got, want)}. Who is not on the device?")


TRUE_REFUSALS = refusals()
the_two_travels = wrong("refused-by-guard", "constant-travels")(TRUE_REFUSALS | {"f(v)": True})
jit_takes_anything = wrong("refused-by-guard", "jit-is-a-transfer")(TRUE_REFUSALS | {"f(n)": False})
all_transfers_are_refused = wrong("refused-by-guard", "written-transfer-refused")(
    TRUE_REFUSALS | {"f(jax.device_put(n))": True}
)
a_one_is_nothing = wrong("refused-by-guard", "numbers-are-free")(TRUE_REFUSALS | {"v + 1": False})
operators_are_free = wrong("refused-by-guard", "wrong-value")(TRUE_REFUSALS | {"v + n": False})
yes_and_no = wrong("refused-by-guard", "wrong-type")(dict.fromkeys(TRUE_REFUSALS, "yes"))
only_the_first = wrong("refused-by-guard", "keys-changed")({"f(v)": False})
