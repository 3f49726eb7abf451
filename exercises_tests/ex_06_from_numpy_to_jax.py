"""Checks of lesson 06, from NumPy to JAX: what is asked, what people get wrong, and what each mistake is told."""

import functools
import math
import time
from statistics import NormalDist

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.bans import no_calls, no_loops
from jaxcourse.exercise import close, equivalent, exercise, expect, numbers, refuse, require, right, wrong
from jaxcourse.inputs import Asked, Slip, sweep
from jaxcourse.prediction import Mistake, any_of, anything_else, prediction


def is_jax(function, x):
    """Whether a JAX array gives a JAX array."""
    return isinstance(function(probe.on_device(x)), jax.Array)


def traced(function, x):
    """The names of the primitives in the program of a function; what it raises is what the check wants to know."""
    jaxpr = jax.make_jaxpr(function)(x)
    return sorted({str(equation.primitive) for equation in probe.equations(jaxpr)})


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


what_type_comes_back = prediction(
    "what-type-comes-back",
    see="what-comes-back",
    hint=["Which of the four ways is it: `jnp`, a ufunc, another function, or an operator?", "`np.add` is a ufunc."],
    choices=["numpy", "jax", "error"],
    mistakes=[
        Mistake(
            "nothing-mixes",
            {"jnp.sin(n)": "error", "n + v": "error"},
            "Arrays of NumPy and of JAX may meet: each takes the other's.",
        ),
        Mistake(
            "ufunc-stays-in-jax",
            {"np.sin(v)": anything_else()},
            "`np.sin` is a ufunc: it asks `v` for its numbers, computes on the host, and answers in NumPy's name.",
        ),
        Mistake(
            "method-overlooked",
            {"np.std(v)": anything_else()},
            "`np.std` is not a ufunc. It finds the method `v.std` and leaves the work to it.",
        ),
        Mistake(
            "operator-gives-numpy",
            {"n + v": anything_else()},
            "`+` asks both arrays, and NumPy's steps back for JAX's.",
        ),
        Mistake(
            "add-like-plus",
            {"np.add(n, v)": anything_else()},
            "`np.add` is a ufunc and not an operator: it computes in NumPy, whatever `n + v` does.",
        ),
        Mistake(
            "list-accepted",
            {"jnp.sum([1.0, 2.0])": anything_else()},
            "Functions of JAX take arrays and numbers, not lists: they would have to look at each element in Python.",
        ),
        Mistake(
            "element-of-numpy",
            {"v[0]": anything_else()},
            "An element of a JAX array is a JAX array too, one without an axis. Nothing is fetched from the device.",
        ),
    ],
    otherwise="Try `type(...)` of it.",
    truth=owners,
)

# -- rms-contrast -----------------------------------------------------------------------------------------------

CONTRAST_SLIPS = [
    Slip(
        "mean-forgotten",
        lambda image: image.std(),
        "That is the standard deviation. The contrast divides it by the mean.",
    ),
    Slip(
        "root-forgotten", lambda image: image.var() / image.mean(), "That is the variance over the mean: take the root."
    ),
    Slip(
        "bracket",
        lambda image: np.sqrt(image.var() / image.mean()),
        "The mean is under the root, too. Divide the root by it.",
    ),
    Slip(
        "divided-by-n-minus-1",
        lambda image: image.std(ddof=1) / image.mean(),
        "You divided by n - 1 (`ddof=1`). The mean of the squares divides by n.",
    ),
    Slip(
        "absolute-deviation",
        lambda image: np.abs(image - image.mean()).mean() / image.mean(),
        "That is the mean of the deviations without their signs. Square them, and take the root of the mean.",
    ),
    Slip(
        "not-divided",
        lambda image: np.sqrt(((image - image.mean()) ** 2).sum()) / image.mean(),
        "Those squares are added up. Their mean is asked for.",
    ),
]


def contrast_and_slope(image):
    """The oracle: the contrast, and its gradient, in `float64`."""
    image = image.astype(float)
    mean, deviation = image.mean(), image.std()
    slope = ((image - mean) / (deviation * mean) - deviation / mean**2) / image.size
    return {"contrast": deviation / mean, "gradient": slope}


@probe.question(evidence="values")
def with_their_gradients(function, images):
    """For each of some images of one shape the result under `jit`, and the gradient: one program for all of them."""
    both = jax.jit(jax.value_and_grad(function))
    return [dict(zip(("contrast", "gradient"), both(image), strict=True)) for image in images]


def pixels(rng, shape):
    """An image whose pixels are positive and not all alike."""
    return (rng.uniform(1, 3, shape).astype(np.float32),)


@exercise(
    "rms-contrast",
    see="what-comes-back",
    hint=["Which of `np.sqrt` and `np.mean` is a ufunc?", "`jnp.sqrt`"],
)
def rms_contrast(answer, rng):
    image = rng.uniform(1, 3, size=(int(rng.choice([4, 7])), 6)).astype(np.float32)
    contrast = answer.probe(probe.on_jax_arrays, image)
    names, raised = answer.attempt(traced, image, expected=probe.NEEDS_A_VALUE)
    message = "When it is traced, a function of NumPy asks for numbers, and a tracer has none: it has left JAX."
    refuse(raised == "TracerArrayConversionError", "left-jax", message)
    message = "When it is traced, your code asks for a Python number (`float`, `math`, `.item()`, `if`): there is none."
    refuse(raised, "asked-for-a-number", message)
    message = "A callback hands the numbers to NumPy while the program runs: it has left JAX, and has no gradient."
    refuse(any("callback" in name for name in names), "left-jax", message)
    require(numbers(contrast).shape == (), "wrong-shape", "One number is asked for, for all pixels together.")
    for ask, shapes in ((probe.on_jax_arrays, [image.shape]), (probe.under_jit, [(2, 2), image.shape])):
        sweep(
            lambda image, ask=ask: answer.probe(ask, image),
            lambda image: image.astype(float).std() / image.mean(dtype=float),
            pixels,
            rng,
            shapes=shapes,
            extremes=[(rng.normal(1000, 1, image.shape).astype(np.float32),)],  # squares would leave their rounding
            slips=CONTRAST_SLIPS,
            message="It should be the standard deviation over the mean.",
        )
    scaled = [(pixels(rng, image.shape)[0] * np.float32(2.0**power),) for power in (-40, 40)]
    message = "Right for numbers near 1, not for an image in another unit. Add nothing to the variance or the mean."
    Asked(
        lambda image: answer.probe(probe.under_jit, image), lambda image: contrast_and_slope(image)["contrast"]
    ).require(scaled, message, "one-unit-only")
    message = "The contrast is right, but its gradient is not: JAX does not see all that you compute."
    cases = [*(pixels(rng, image.shape) for _ in range(2)), *scaled]
    found = iter(answer.probe(with_their_gradients, [image for (image,) in cases]))
    Asked(lambda image: next(found), contrast_and_slope, rtol=1e-3).require(cases, message, "no-gradient")


@right("rms-contrast")
def lets_numpy_find_the_methods(image):
    return np.std(image) / np.mean(image)


@right("rms-contrast")
@jax.jit
def of_relative_deviations(image):
    return jnp.linalg.norm(image.ravel() / image.mean() - 1) / image.size**0.5


@wrong("rms-contrast", "left-jax")
def keeps_the_square_root(image):
    return np.sqrt(jnp.mean((image - jnp.mean(image)) ** 2)) / jnp.mean(image)


@wrong("rms-contrast", "left-jax")
def goes_to_numpy_and_back(image):
    pixels = np.asarray(image)
    return jnp.asarray(pixels.std() / pixels.mean())


@wrong("rms-contrast", "left-jax")
def calls_numpy_back(image):
    given = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.pure_callback(lambda pixels: np.float32(np.std(pixels) / np.mean(pixels)), given, image)


@wrong("rms-contrast", "no-gradient")
def stops_the_gradient(image):
    mean = jax.lax.stop_gradient(jnp.mean(image))
    return jnp.sqrt(jnp.mean((image - mean) ** 2)) / mean


@wrong("rms-contrast", "asked-for-a-number")
def takes_the_root_of_a_python_number(image):
    return math.sqrt(image.var()) / image.mean()


@wrong("rms-contrast", "asked-for-a-number")
def unpacks_the_mean(image):
    return image.std() / image.mean().item()


@wrong("rms-contrast", "mean-forgotten")
def forgets_the_mean(image):
    return jnp.std(image)


@wrong("rms-contrast", "root-forgotten")
def forgets_the_root(image):
    return jnp.var(image) / jnp.mean(image)


@wrong("rms-contrast", "bracket")
def divides_under_the_root(image):
    return jnp.sqrt(jnp.mean((image - jnp.mean(image)) ** 2) / jnp.mean(image))


@wrong("rms-contrast", "divided-by-n-minus-1")
def of_a_sample(image):
    return jnp.std(image, ddof=1) / jnp.mean(image)


@wrong("rms-contrast", "absolute-deviation")
def mean_of_the_absolute_deviations(image):
    return jnp.mean(jnp.abs(image - jnp.mean(image))) / jnp.mean(image)


@wrong("rms-contrast", "not-divided")
def takes_the_norm(image):
    return jnp.linalg.norm(image - jnp.mean(image)) / jnp.mean(image)


@wrong("rms-contrast", "wrong-value")
def the_number_of_pixels_in_the_example(image):
    return jnp.linalg.norm(image - jnp.mean(image)) / jnp.sqrt(24) / jnp.mean(image)


@wrong("rms-contrast", "one-unit-only")
def adds_a_little_below(image):
    return jnp.std(image) / (jnp.mean(image) + 1e-6)


@wrong("rms-contrast", "one-unit-only")
def adds_a_little_under_the_root(image):
    return jnp.sqrt(jnp.var(image) + 1e-12) / jnp.mean(image)


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


def with_ends(u, first, last):
    """One step, after which the ends get other temperatures than they should."""
    u = rod_step(u)
    u[[0, -1]] = first, last
    return u


def point_after_point(u):
    """One step that meets new neighbours on the left."""
    u = u.copy()
    for i in range(1, len(u) - 1):
        u[i] += 0.25 * (u[i + 1] - 2 * u[i] + u[i - 1])
    u[[0, -1]] = u[[1, -2]]
    return u


def ends_first(u):
    """The ends copy their neighbours, and then there is a step without them."""
    u = np.concatenate([u[1:2], u[1:-1], u[-2:-1]])
    return with_ends(u, u[0], u[-1])


ROD_SLIPS = [
    Slip(
        "result-thrown-away",
        lambda u: u,
        "Nothing has changed. `.at[...]` gives a new array: did you bind it to a name?",
    ),
    Slip(
        "ends-from-before",
        lambda u: with_ends(u, u[1], u[-2]),
        "The ends got the temperatures that their neighbours had *before* the step. They have moved since.",
    ),
    Slip(
        "ends-kept",
        lambda u: with_ends(u, u[0], u[-1]),
        "The inner points are right, and the ends are what they were: each should follow its neighbour. If you set "
        "them with `.at[...]`, did you bind what it gives to a name?",
    ),
    Slip(
        "ends-before-the-step",
        ends_first,
        "The ends copied their neighbours before the step. The task sets them after it.",
    ),
    Slip(
        "ends-take-part",
        lambda u: u + 0.25 * np.diff(np.pad(u, 1, mode="edge"), 2),
        "The inner points are right. The ends made a step of their own; they should copy their neighbours.",
    ),
    Slip(
        "a-ring",
        lambda u: u + 0.25 * (np.roll(u, 1) - 2 * u + np.roll(u, -1)),
        "Heat flows from one end of your rod to the other: that is a ring.",
    ),
    Slip(
        "set-not-add",
        lambda u: np.pad(0.25 * np.diff(u, 2), 1, mode="edge"),
        "The inner points hold only the change. `+=` becomes `.add`, not `.set`.",
    ),
    Slip(
        "new-neighbours",
        point_after_point,
        "Point by point, each meets a left neighbour that has moved already. In the task all move at once.",
    ),
]


@exercise(
    "insulated-rod",
    points=2,
    see="never-changes",
    hint=[
        "`u[1:-1] += d` becomes `u = u.at[1:-1].add(d)`.",
        "Each line of the task gives the name `u` to a new array. Mind which `u` the ends are copied from.",
    ],
    without=[
        no_loops(
            grows=lambda n: (probe.on_device(np.arange(n, dtype=np.float32) ** 2),),
            of="points",
            advice="Outside `jit` each `.at[...]` copies the whole rod. Write slices.",
        )
    ],
)
def insulated_rod(answer, rng):
    n = int(rng.choice([7, 10]))
    sweep(
        lambda u: answer.probe(probe.on_jax_arrays, u),
        rod_step,
        lambda rng, n: (inputs.array(rng, n, "float32", low=-9, high=99),),
        rng,
        shapes=[3, n],
        slips=ROD_SLIPS,
        message="That is not the temperature after one step.",
    )
    u = rng.uniform(0, 100, size=n).astype(np.float32)
    require(answer.probe(is_jax, u), "left-jax", "The numbers are right, but the result is not a JAX array.")
    message = "Right, but `jax.jit` could not trace it: your code asks for the numbers in the array."
    names, raised = answer.attempt(traced, u, expected=probe.NEEDS_A_VALUE)
    refuse(raised, "not-traceable", message)
    message = "Right, but a function that you give to JAX runs point after point: a loop all the same. Write slices."
    refuse({"scan", "while"} & set(names), "compiled-loop", message)
    refuse(any("callback" in name for name in names), "left-jax", "Right, but a callback computes it in NumPy.")
    message = "Right for JAX arrays, but something else under `jit`."
    expect(answer.probe(probe.under_jit, u), rod_step(u), message, label="not-under-jit")


@right("insulated-rod")
def pads_the_new_inside(u):
    return jnp.pad(u[1:-1] + 0.25 * jnp.diff(u, 2), 1, mode="edge")


@right("insulated-rod")
@jax.jit
def gathers(u):
    new = u + 0.25 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))
    return new[jnp.clip(jnp.arange(u.size), 1, u.size - 2)]


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


@wrong("insulated-rod", "ends-before-the-step")
def sets_the_ends_first(u):
    u = u.at[0].set(u[1]).at[-1].set(u[-2])
    return u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))


@wrong("insulated-rod", "ends-take-part")
def pads_the_old_rod(u):
    wide = jnp.pad(u, 1, mode="edge")
    return u + 0.25 * (wide[2:] - 2 * u + wide[:-2])


@wrong("insulated-rod", "left-jax")
def copies_into_numpy(u):
    return rod_step(np.array(u))


@wrong("insulated-rod", "left-jax")
def calls_a_step_in_numpy(u):
    return jax.pure_callback(lambda u: rod_step(np.array(u)), jax.ShapeDtypeStruct(u.shape, u.dtype), u)


@wrong("insulated-rod", "not-traceable")
def copies_into_numpy_and_back(u):
    return jnp.asarray(rod_step(np.array(u)))


@wrong("insulated-rod", "loops")
def updates_point_by_point(u):
    new = u
    for i in range(1, len(u) - 1):
        new = new.at[i].add(0.25 * (u[i + 1] - 2 * u[i] + u[i - 1]))
    new = new.at[0].set(new[1])
    return new.at[-1].set(new[-2])


@wrong("insulated-rod", "new-neighbours")
def updates_the_rod_that_it_reads(u):
    for i in range(1, len(u) - 1):
        u = u.at[i].add(0.25 * (u[i + 1] - 2 * u[i] + u[i - 1]))
    return u.at[0].set(u[1]).at[-1].set(u[-2])


@wrong("insulated-rod", "compiled-loop")
def loops_in_the_program(u):
    def step(i, new):
        return new.at[i].add(0.25 * (u[i + 1] - 2 * u[i] + u[i - 1]))

    new = jax.lax.fori_loop(1, len(u) - 1, step, u)
    new = new.at[0].set(new[1])
    return new.at[-1].set(new[-2])


@wrong("insulated-rod", "changed-input")
@functools.partial(jax.jit, donate_argnums=0)
def gives_the_old_rod_away(u):
    u = u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return u.at[jnp.array([0, -1])].set(u[jnp.array([1, -2])])


@wrong("insulated-rod", "not-under-jit")
def is_something_else_when_traced(u):
    u = u.at[1:-1].add(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return u if isinstance(u, jax.core.Tracer) else u.at[0].set(u[1]).at[-1].set(u[-2])


@wrong("insulated-rod", "a-ring")
def closes_the_rod_to_a_ring(u):
    return u + 0.25 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))


@wrong("insulated-rod", "set-not-add")
def sets_in_place_of_adding(u):
    u = u.at[1:-1].set(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    u = u.at[0].set(u[1])
    return u.at[-1].set(u[-2])


@wrong("insulated-rod", "wrong-value")
def sets_both_in_one_chain(u):
    u = u.at[1:-1].set(0.25 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return u.at[0].set(u[1]).at[-1].set(0)


@wrong("insulated-rod", "wrong-value")
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


SIXTY_FOUR_BITS = {
    "u8 + 1.5": "float64",
    "i64 + 1": "int64",
    "i32 + f32": "float64",
    "i32 + f16": "float64",
    "i32 / 2": "float64",
    "f32 * np.float64(2)": "float64",
}
"""Where NumPy has 64 bits, and which."""

promotion_table = prediction(
    "promotion-table",
    points=2,
    see="two-promotions",
    hint=[
        "A Python number has a kind and no width. If the array has the kind already, its dtype stays.",
        "NumPy: what is the smallest dtype that holds both? JAX: a float beats an integer, and 32 bits are the limit.",
        "`np.float64(2)` is not a Python number. It becomes `float32` when it enters JAX.",
    ],
    mistakes=[
        Mistake(
            "not-a-dtype",
            [
                {"f32 * 2.0": any_of(("float", "float"), ("f32", "f32"))},
                {"u8 + 1": any_of(("int", "int"), ("u8", "u8"))},
            ],
            'Give the full names of dtypes, such as `("int32", "float32")`, or `"error"`.',
        ),
        Mistake(
            "python-number-widens",
            {"u8 + 1": anything_else(("int64", "int32"))},
            "A Python 1 is weak: it takes the dtype of the array, in both libraries.",
        ),
        Mistake(
            "jax-checks-values",
            {"u8 + 300": any_of(*(("error", dtype) for dtype in ("error", "uint16", "int16", "int32")))},
            "JAX does not look at values, so it has nothing to complain about: the result wraps around in `uint8`.",
        ),
        Mistake(
            "numpy-1-looked-at-values",
            {"u8 + 300": anything_else(("uint16", "uint8"))},
            "NumPy 1 looked at the value and widened. NumPy 2 looks at dtypes only: `uint8`, and 300 does not fit.",
        ),
        *(
            Mistake(
                "64-bits-in-jax",
                {name: (wide, wide)},
                f"Nothing in JAX has 64 bits unless you switch it on: see `{name}`.",
            )
            for name, wide in SIXTY_FOUR_BITS.items()
        ),
        Mistake(
            "64-bits-in-jax",
            {"bf16 * np.float64(2)": ("none", "float64")},
            "Nothing in JAX has 64 bits unless you switch it on: see `bf16 * np.float64(2)`.",
        ),
        Mistake(
            "numpy-keeps-float32",
            {"i32 + f32": ("float32", "float32")},
            "`float32` cannot hold every `int32`, so NumPy takes the smallest dtype that holds both: `float64`.",
        ),
        Mistake(
            "numpy-scalar-is-weak",
            [
                {"f32 * np.float64(2)": ("float32", "float32")},
                {"bf16 * np.float64(2)": ("none", "bfloat16")},
            ],
            "A NumPy scalar has a width, as an array has: `np.float64(2)` is not weak, unlike 2.0.",
        ),
        Mistake(
            "integer-widens-float",
            {"i32 + f16": any_of(*(("float64", dtype) for dtype in ("float32", "int32")))},
            "In JAX an integer never widens a floating-point array, however many bits the integer has.",
        ),
    ],
    otherwise="Try it, and look at `.dtype`.",
    truth=promotions,
)

# -- own-dtype-gelu ---------------------------------------------------------------------------------------------


def gelu(x, scale=(2 / math.pi) ** 0.5, cubic=0.044715):
    """The oracle, in `float64`."""
    x = np.asarray(x, float)
    return 0.5 * x * (1 + np.tanh(scale * (x + cubic * x**3)))


GELU_SLIPS = [
    Slip(
        "cube-forgotten", lambda x: gelu(x, cubic=0), "The cube is missing: 0.044715 x³ belongs to what is in brackets."
    ),
    Slip("root-of-the-product", lambda x: gelu(x, math.sqrt(2 * math.pi)), "The root is that of 2/π, not of 2π."),
    Slip(
        "bracket",
        lambda x: gelu(x, cubic=0.044715 / math.sqrt(2 / math.pi)),
        "The root multiplies `x` only. In the formula it stands before the bracket, so the cube has it too.",
    ),
    Slip("half-forgotten", lambda x: 2 * gelu(x), "That is twice the GELU: x/2 stands before the bracket."),
    Slip(
        "another-approximation",
        lambda x: x / (1 + np.exp(-1.702 * np.asarray(x, float))),
        "That is another approximation of the GELU, by a sigmoid. Take the formula of the task.",
    ),
    Slip(
        "exact-gelu",
        lambda x: 0.5 * np.asarray(x, float) * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))),
        "That is the GELU with the error function. Take the formula of the task, which is near it.",
    ),
]


def under_jit_in(function, x, names):
    """For each dtype of the argument the dtype of the result under `jit`, and the result in double precision."""
    found = {}
    for name in names:
        with (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(name == "float64"):
            result = jax.jit(function)(x.astype(name))
            found[name] = {"dtype": str(result.dtype), "values": np.asarray(result).astype(float)}
    return found


@exercise(
    "own-dtype-gelu",
    see="two-promotions",
    hint=["Which of your constants is not a Python number?", "`2 ** 0.5` is weak, `np.sqrt(2)` is not."],
)
def own_dtype_gelu(answer, rng):
    x = rng.normal(scale=2, size=50).astype(np.float32)
    message = (
        "Somewhere in it the numbers leave JAX: a function of NumPy works on `x`, or the result is not a JAX array."
    )
    names, raised = answer.attempt(traced, x, expected=probe.NEEDS_A_VALUE)
    refuse(raised or any("callback" in name for name in names), "left-jax", message)
    found = answer.probe(under_jit_in, x, ["bfloat16", "float16", "float32", "float64"])
    dtypes = {name: facts["dtype"] for name, facts in found.items()}
    message = f"In: `float32`, out: `{dtypes['float32']}`. You named one dtype. Take the dtype of `x`."
    require(dtypes["float32"] == "float32", "dtype-named", message)
    message = (
        f"In: `bfloat16`, out: `{dtypes['bfloat16']}`, and so is everything that follows in the network. Something in "
        "it is strong: a NumPy scalar, an array, a dtype that is named. A Python number is not."
    )
    require(dtypes["bfloat16"] == "bfloat16", "widened", message)
    other = next((name for name, dtype in dtypes.items() if name != dtype), "")
    message = f"Right for `bfloat16` and `float32`. In: `{other}`, out: `{dtypes.get(other)}`."
    refuse(other, "some-dtypes-only", message)
    for name, narrower in (("float32", "bfloat16"), ("float32", "float16"), ("float64", "float32")):
        values = found[name]["values"]
        message = f"In: `{name}`, out: `{name}`, but all results have no more digits than `{narrower}`."
        refuse(np.array_equal(values, values.astype(jnp.dtype(narrower))), "digits-lost", message)
    sweep(
        lambda x: answer.probe(probe.under_jit, x),
        gelu,
        lambda rng, shape: (inputs.array(rng, shape, "float32", low=-3 if shape else 0, high=5),),
        rng,
        shapes=[(), (4,), (2, 3)],
        extremes=[(np.array([-80, -20, 20, 80], np.float32),)],  # their exponentials are no numbers
        slips=GELU_SLIPS,
        message="The dtype is right, but that is not the GELU.",
        rtol=1e-5,
    )
    ends = np.array([-1e4, -300, 300, 1e4], np.float32), np.array([-1e-6, 2e-6, 1e-7, -3e-9], np.float32)
    message = "Right for numbers near 1, not for very large or very small ones. The formula has no limits."
    require_gelu = Asked(lambda x: answer.probe(probe.under_jit, x), gelu, rtol=1e-5)
    require_gelu.require([(end,) for end in ends], message, "some-sizes-only")
    large = np.array([-7e4, 7e4], np.float32)  # more than a float16 holds
    came = answer.probe(under_jit_in, large, ["bfloat16"])["bfloat16"]["values"]
    require(close(came, gelu(large), rtol=0.03), "some-sizes-only", f"{message} Of {large.tolist()} you make {came}.")
    values, want = found["float64"]["values"], gelu(x)
    message = "In: `float64`, out: `float64`, but it is right to fewer than nine digits: a constant has no more."
    refuse(close(values, want, rtol=1e-6) and not close(values, want, rtol=1e-9), "digits-lost", message)
    for name, rtol in {"bfloat16": 0.03, "float16": 0.03, "float64": 1e-9}.items():
        want = gelu(x.astype(name).astype(float))
        message = f"Right for `float32`, and not for `{name}`."
        expect(found[name]["values"], want, message, rtol=rtol)


@right("own-dtype-gelu")
@jax.jit
def casts_its_constants(x):
    scale, cubic = (jnp.asarray(number, x.dtype) for number in (math.sqrt(2 / math.pi), 0.044715))
    return x / 2 * (1 + jnp.tanh(scale * (x + cubic * x * x * x)))


@right("own-dtype-gelu")
def widens_and_casts_back(x):
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    return (wide * jax.nn.sigmoid((8 / np.pi) ** 0.5 * (wide + 0.044715 * wide**3))).astype(x.dtype)


right("own-dtype-gelu")(jax.nn.gelu)


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


@wrong("own-dtype-gelu", "digits-lost")
def computes_in_float32(x):
    return jax.nn.gelu(x.astype(jnp.float32)).astype(x.dtype)


@wrong("own-dtype-gelu", "digits-lost")
def computes_in_bfloat16(x):
    return jax.nn.gelu(x.astype(jnp.bfloat16)).astype(x.dtype)


@wrong("own-dtype-gelu", "digits-lost")
def types_few_digits(x):
    return 0.5 * x * (1 + jnp.tanh(0.7978846 * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "wrong-value")
def replaces_large_ones(x):
    return jnp.where(jnp.abs(x) > 2, jnp.maximum(x, 0), jax.nn.gelu(x))


@wrong("own-dtype-gelu", "some-sizes-only")
def cuts_large_ones_off(x):
    return jax.nn.gelu(jnp.clip(x, -100, 100))


@wrong("own-dtype-gelu", "some-sizes-only")
def takes_one_half_precision_for_the_other(x):
    half = x.dtype == jnp.bfloat16
    return jax.nn.gelu(x.astype(jnp.float16) if half else x).astype(x.dtype)


@wrong("own-dtype-gelu", "some-sizes-only")
def takes_small_ones_for_zero(x):
    return jnp.where(jnp.abs(x) < 1e-5, 0, jax.nn.gelu(x))


@wrong("own-dtype-gelu", "left-jax")
def takes_the_tangent_in_numpy(x):
    scale = (2 / np.pi) ** 0.5
    return 0.5 * x * (1 + np.tanh(scale * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "left-jax")
def gives_back_numpy(x):
    scale = (2 / np.pi) ** 0.5
    return np.asarray(0.5 * x * (1 + jnp.tanh(scale * (x + 0.044715 * x**3))))


@wrong("own-dtype-gelu", "cube-forgotten")
def forgets_the_cube(x):
    return 0.5 * x * (1 + jnp.tanh((2 / np.pi) ** 0.5 * x))


@wrong("own-dtype-gelu", "root-of-the-product")
def multiplies_by_pi(x):
    return 0.5 * x * (1 + jnp.tanh((2 * np.pi) ** 0.5 * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "bracket")
def closes_the_bracket_too_soon(x):
    return 0.5 * x * (1 + jnp.tanh((2 / np.pi) ** 0.5 * x + 0.044715 * x**3))


@wrong("own-dtype-gelu", "half-forgotten")
def forgets_the_half(x):
    return x * (1 + jnp.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))


@wrong("own-dtype-gelu", "another-approximation")
def takes_a_sigmoid(x):
    return x * jax.nn.sigmoid(1.702 * x)


@wrong("own-dtype-gelu", "exact-gelu")
def takes_the_error_function(x):
    return jax.nn.gelu(x, approximate=False)


# -- last-countable ---------------------------------------------------------------------------------------------


last_countable = prediction(
    "last-countable",
    see="float32-by-default",
    hint=[
        "How many binary digits does a `float32` keep?",
        "Which is the first whole number that needs one more digit?",
    ],
    mistakes=[
        Mistake("hidden-digit", 2**23, "23 digits are stored, and one more is always 1: it counts too."),
        Mistake(
            "thought-of-int32",
            any_of(2**31, 2**31 - 1, 2**32, 2**32 - 1),
            "That is the end of an integer of 32 bits. A `float32` has as many, but eight of them hold the exponent.",
        ),
        Mistake("float64-size", 2**53, "There a `float64` stops. A `float32` keeps 24 binary digits."),
        Mistake(
            "one-too-few",
            2**24 - 1,
            "One more is possible: 2²⁴ itself is a power of two, and needs a single digit.",
        ),
    ],
    otherwise="Try `jnp.float32(...) + 1` with your number. Does it move? And does the number before it?",
)

# -- stable-variance --------------------------------------------------------------------------------------------


def variances(x):
    """The oracle, in `float64`."""
    return x.astype(float).var(axis=1)


def near_zero(rng, shape):
    """Rows with means of their own, about as far from zero as their numbers are from each other."""
    spread = 10.0 ** rng.integers(-1, 2)
    return ((spread * (rng.normal(size=shape) + rng.uniform(-2, 2, (shape[0], 1)))).astype(np.float32),)


def far_from_zero(rng, shape):
    """Rows whose means are up to ten thousand times their spread, of either sign."""
    spread = 10.0 ** rng.integers(-2, 3)
    means = rng.choice([-1, 1], (shape[0], 1)) * rng.uniform(0.5e4, 1e4, (shape[0], 1))
    return ((spread * (rng.normal(size=shape) + means)).astype(np.float32),)


def means_meet_columns(x):
    """The variances of a square table if the mean of each row is subtracted from a column; right for any other."""
    mean = x.mean(axis=1)
    return ((x - (mean if len(mean) == x.shape[1] else mean[:, None])) ** 2).mean(axis=1)


VARIANCE_SLIPS = [
    Slip(
        "divided-by-n-minus-1",
        lambda x: x.var(axis=1, ddof=1),
        "You divided by `n - 1`. The mean divides by `n`.",
    ),
    Slip(
        "grand-mean",
        lambda x: ((x - x.mean()) ** 2).mean(axis=1),
        "You subtracted one mean from all rows. Each row has its own: `axis=1, keepdims=True`.",
    ),
    Slip(
        "wrong-axis",
        means_meet_columns,
        "Right until a table has as many rows as columns: then the mean of each row met a column. `keepdims=True`.",
    ),
    Slip("columns", lambda x: x.var(axis=0), "Those are the variances of the columns: the mean of a row is `axis=1`."),
    Slip(
        "axis-kept",
        lambda x: x.var(axis=1, keepdims=True),
        "An axis of length 1 is left over: one number for each row.",
    ),
    Slip("took-the-root", lambda x: x.std(axis=1), "Those are the standard deviations. Leave the root out."),
    Slip(
        "not-squared",
        lambda x: np.abs(x - x.mean(axis=1, keepdims=True)).mean(axis=1),
        "Those are the means of the deviations without their signs. Square them.",
    ),
]


@exercise(
    "stable-variance",
    see="float32-by-default",
    hint=["What do you subtract from what, and when? Before or after squaring?", "`keepdims=True`"],
    without=[
        no_calls(
            *(
                f"{owner}.{name}"
                for name in ("var", "std", "nanvar", "nanstd")
                for owner in ("np", "jnp", "np.ndarray", "jnp.ndarray")
                if owner.endswith("np") or not name.startswith("nan")
            ),
            given=lambda: [(probe.on_device(np.arange(6.0).reshape(2, 3)),)],
            advice="Write the mean of the squared deviations out.",
        )
    ],
)
def stable_variance(answer, rng):
    width = int(rng.choice([10, 13]))
    message = (
        "It fails under `jit`, where the array has no numbers yet: a function of NumPy, or of Python, asks for them."
    )
    _, raised = answer.attempt(probe.under_jit, *near_zero(rng, (4, width)), expected=probe.NEEDS_A_VALUE)
    refuse(raised, "left-jax", message)
    sweep(
        lambda x: answer.probe(probe.under_jit, x),
        variances,
        near_zero,
        rng,
        shapes=[(3, 3), (4, width), (1, 5)],
        each=6,
        slips=VARIANCE_SLIPS,
        message="That is not the variance of each row.",
        rtol=1e-3,
    )
    message = "Right for short rows, not for rows of 3000: each has its own length, `x.shape[1]`."
    in_long_rows = Asked(lambda x: answer.probe(probe.under_jit, x), variances, rtol=1e-3)
    in_long_rows.require([near_zero(rng, (2, 3000))], message, "short-rows-only")
    message = "Right for numbers near 1, not in another unit: add nothing to a variance, which may be of any size."
    units = [(near_zero(rng, (4, width))[0] * np.float32(2.0**power),) for power in (-40, 40)]
    in_units = Asked(lambda x: answer.probe(probe.under_jit, x), variances, rtol=1e-3)
    in_units.require(units, message, "one-unit-only")
    message = (
        "Right for rows near zero. Where the mean is ten thousand times the spread, large squares are subtracted from "
        "each other, and only their rounding is left."
    )
    cases = [far_from_zero(rng, (4, width)) for _ in range(8)]
    ask = Asked(lambda x: answer.probe(probe.under_jit, x), variances, rtol=1e-2)
    ask.require(cases, message, "cancellation")
    units = [[0.01], [1], [100], [0.1]]  # of each row: what is lost of a small variance would not show beside a large
    cases += [((far_from_zero(rng, (4, width))[0] * units).astype(np.float32),) for _ in range(3)]
    of_one = Asked(lambda x: answer.probe(probe.under_jit, x) / variances(x), lambda x: np.ones(len(x)), rtol=1e-2)
    of_one.require(cases, f"{message} Each row by itself, over what it should be:", "cancellation")
    message = "Right under `jit`, and something else without."
    Asked(lambda x: answer.probe(probe.on_jax_arrays, x), variances, rtol=1e-2).require(
        cases[:2], message, "not-without-jit"
    )
    message = "The numbers are right, but the result is not a JAX array."
    require(answer.probe(is_jax, cases[0][0]), "left-jax", message)


@right("stable-variance")
@jax.vmap
def row_by_row(row):
    deviation = row - jnp.mean(row)
    return jnp.dot(deviation, deviation) / row.size


@right("stable-variance")
@jax.jit
def moves_each_row_first(x):
    moved = x - x[:, :1]
    return (moved**2).mean(axis=1) - moved.mean(axis=1) ** 2


@wrong("stable-variance", "cancellation")
def mean_of_squares_minus_square_of_mean(x):
    return (x**2).mean(axis=1) - x.mean(axis=1) ** 2


@wrong("stable-variance", "cancellation")
def cuts_off_what_is_negative(x):
    return jnp.maximum((x**2).mean(axis=1) - x.mean(axis=1) ** 2, 0)


@wrong("stable-variance", "cancellation")
def subtracts_one_number_first(x):
    moved = x - x.mean()
    return (moved**2).mean(axis=1) - moved.mean(axis=1) ** 2


@wrong("stable-variance", "short-rows-only")
def adds_a_hundred_columns(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation[:, :100] ** 2).sum(axis=1) / x.shape[1]


@wrong("stable-variance", "one-unit-only")
def adds_a_little(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation**2).mean(axis=1) + 1e-12


@wrong("stable-variance", "forbidden-call")
def lets_jax_do_it(x):
    return jnp.var(x, axis=1)


@wrong("stable-variance", "forbidden-call")
@jax.jit
def squares_the_deviation_of_jax(x):
    return x.std(axis=1) ** 2


@wrong("stable-variance", "divided-by-n-minus-1")
def divides_like_a_statistician(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation**2).sum(axis=1) / (x.shape[1] - 1)


@wrong("stable-variance", "grand-mean")
def one_mean_for_all(x):
    return ((x - x.mean()) ** 2).mean(axis=1)


@wrong("stable-variance", "columns")
def of_the_columns(x):
    return ((x - x.mean(axis=0)) ** 2).mean(axis=0)


@wrong("stable-variance", "axis-kept")
def keeps_the_axis(x):
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=1, keepdims=True)


@wrong("stable-variance", "wrong-axis")
def goes_by_the_lengths(x):
    mean = x.mean(axis=1)
    deviation = x - mean if len(mean) == x.shape[1] else x - mean[:, None]
    return (deviation**2).mean(axis=1)


@wrong("stable-variance", "took-the-root")
def takes_the_root(x):
    return jnp.sqrt(((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=1))


@wrong("stable-variance", "left-jax")
def goes_to_64_bits_in_numpy(x):
    x = np.asarray(x, np.float64)
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)


@wrong("stable-variance", "left-jax")
def goes_to_numpy_if_it_can(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    result = (deviation**2).mean(axis=1)
    return result if isinstance(x, jax.core.Tracer) else np.asarray(result)


@wrong("stable-variance", "not-without-jit")
def is_another_function_without_jit(x):
    deviation = x - x.mean(axis=1, keepdims=True)
    return (deviation**2).mean(axis=1) if isinstance(x, jax.core.Tracer) else deviation[:, 0]


@wrong("stable-variance", "not-squared")
def forgets_to_square(x):
    return jnp.abs(x - x.mean(axis=1, keepdims=True)).mean(axis=1)


@wrong("stable-variance", "wrong-value")
def one_number_for_all(x):
    return ((x - x.mean()) ** 2).mean()


@wrong("stable-variance", "wrong-value")
def the_width_of_the_example(x):
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / 10


# -- ids-to-jax -------------------------------------------------------------------------------------------------


def handed_over(channel, ids):
    """What became of the ids, or the exception: `ValueError`, also if it is of a kind of its own, and its message."""
    try:
        result = channel(ids)
    except ValueError as error:
        return {"raised": "ValueError", "said": str(error)}
    except (OverflowError, TypeError, AssertionError) as error:
        return {"raised": type(error).__name__, "said": str(error)}
    return {"raised": "", "jax": isinstance(result, jax.Array), "values": result}


def at_the_door(ids):
    """The oracle: the same numbers in the dtype that JAX has for theirs, or the exception's name."""
    dtype = np.dtype(jax.dtypes.canonicalize_dtype(ids.dtype))
    limits = np.iinfo(dtype)
    fits = all(limits.min <= number <= limits.max for number in ids.ravel().tolist())
    return ids.astype(dtype) if fits else "ValueError"


WRAPPING_TOGETHER = [
    (np.array(ids),) for ids in ([2**31, 5, -(2**31) - 1], [-(2**32), 2**32 + 3], [[2**40, 1], [2, -(2**40)]])
]
"""Ids that change on the way, although their sum does not."""
DEEP_INSIDE = [(np.where(np.arange(20_000) == place, 2**40, 5),) for place in (3_000, 15_000)]
"""Many ids, of which one does not fit."""


@probe.question(evidence="values")
def handed_over_in_64_bits(channel, ids):
    """What becomes of the ids where 64 bits are switched on: a NumPy array, or nothing if they are refused."""
    with (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(True):
        try:
            return np.asarray(channel(ids))
        except ValueError:
            return np.zeros(0)


EDGES = (2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32 - 1, 2**32, 2**40 + 5, 2**63 - 1, -(2**63), 2**64 - 1)


def whole_numbers(rng, shape):
    """Integers of any dtype, mostly small; one of them may be where 32 bits end."""
    dtype = str(rng.choice(["int8", "uint8", "int16", "int32", "uint32", "int64", "int64", "uint64"]))
    ids = inputs.array(rng, shape, dtype, low=-100, high=100)
    limits = np.iinfo(dtype)
    edges = [number for number in EDGES if limits.min <= number <= limits.max]
    if ids.size and edges and rng.random() < 0.6:
        ids.flat[int(rng.integers(ids.size))] = edges[int(rng.integers(len(edges)))]
    return (ids,)


@exercise(
    "ids-to-jax",
    see="int32-by-default",
    hint=["How would you notice that a value has changed on its way?", "`np.array_equal(np.asarray(handed), ids)`"],
)
def ids_to_jax(answer, rng):
    good = rng.integers(-1000, 1000, size=5)
    facts = answer.probe(handed_over, good)
    message = f"The values `{good.tolist()}` fit into 32 bits, and `{facts['raised']}` came: {facts.get('said')}"
    refuse(facts["raised"], "refuses-good-ids", message)
    expect(facts["values"], good, "The values should come through as they are.")
    require(facts["jax"], "not-jax", "The values are right, but the result is not a JAX array.")
    too_big = np.append(good, 2**40 + int(rng.integers(1000)))
    facts = answer.probe(handed_over, too_big)
    came = np.ravel(facts.get("values", 0))[-1]
    require(facts["raised"], "wrapped", f"`{too_big[-1]}` does not fit into 32 bits, and became `{came}`.")
    message = f"You raised `{facts['raised']}`. The task asks for `ValueError`, so that callers can tell."
    require(facts["raised"] == "ValueError", "wrong-exception", message)
    too_negative = np.array([-(2**31) - 1])
    facts = answer.probe(handed_over, too_negative)
    require(facts["raised"] == "ValueError", "negative-side", "`-2**31 - 1` is too small, and came through.")
    for number in (2**31 - 1, -(2**31)):
        message = f"`{number}` is the last that fits into an `int32`, and you raised for it."
        refuse(answer.probe(handed_over, np.array([number]))["raised"], "limit-off-by-one", message)
    for number in (2**31, 2**32 - 1):
        facts = answer.probe(handed_over, np.array([number]))
        message = f"`{number}` is one of those that do not fit into an `int32`, and it came through."
        require(facts["raised"], "limit-off-by-one", message)
    message = "An empty array holds no value that could change, and you raised. It has no maximum, either."
    refuse(answer.probe(handed_over, np.array([], np.int64))["raised"], "empty-refused", message)
    unsigned = np.array([2**32 - 1, 7], np.uint32)
    message = "`2**32 - 1` in a `uint32` comes through `jnp.asarray` as it is, and you raised: JAX has that dtype, too."
    refuse(answer.probe(handed_over, unsigned)["raised"], "unsigned-refused", message)
    sweep(
        lambda ids: (facts := answer.probe(handed_over, ids))["raised"] or facts["values"],
        at_the_door,
        whole_numbers,
        rng,
        shapes=[(0,), (1,), (3,), (13,), (0, 3), (1, 4), (3, 1), (4, 13)],  # each costs a compilation for each dtype
        each=10,
        extremes=[*WRAPPING_TOGETHER, *DEEP_INSIDE, (np.array(7),), (np.array(2**40),)],
        message="The same values should come, in the dtype that `jnp.asarray` gives, or a `ValueError`.",
        dtype=True,
    )
    wide = answer.probe(handed_over_in_64_bits, too_big)
    message = "With 64 bits switched on, JAX keeps an `int64` as it is. You speak of 32 bits all the same: ask JAX."
    require(wide.dtype == np.int64 and np.array_equal(wide, too_big), "32-bits-named", message)
    message = "With 64 bits switched on, `jnp.asarray` keeps each dtype of integers, with all that it holds."
    all_kept = [np.array([3, np.iinfo(name).max], name) for name in ("int8", "uint8", "int32", "uint32", "uint64")]
    Asked(lambda ids: answer.probe(handed_over_in_64_bits, ids), lambda ids: ids, dtype=True).require(
        [(ids,) for ids in all_kept], message, "64-bits-named"
    )


@right("ids-to-jax")
def asks_for_the_limits(ids):
    limits = jnp.iinfo(jnp.asarray(ids).dtype)
    if any(not limits.min <= number <= limits.max for number in ids.ravel().tolist()):
        raise ValueError("does not fit")
    return jnp.array(ids)


@right("ids-to-jax")
def raises_an_error_of_its_own(ids):
    class Lost(ValueError):
        pass

    handed = jax.device_put(ids)
    if (np.asarray(handed) != ids).any():
        raise Lost
    return handed


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


@wrong("ids-to-jax", "refuses-good-ids")
def asks_an_array_whether_it_is_true(ids):
    if ids > 2**31 - 1 or ids < -(2**31):
        raise ValueError("does not fit")
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


@wrong("ids-to-jax", "limit-off-by-one")
def lets_one_too_many_through(ids):
    if ids.size and (ids.max() > 2**31 or ids.min() < -(2**31)):
        raise ValueError("too big")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "limit-off-by-one")
def counts_bits_without_a_sign(ids):
    if ids.size and (ids.max() >= 2**32 or ids.min() < -(2**31)):
        raise ValueError("more than 32 bits")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "empty-refused")
def asks_for_the_extremes(ids):
    if ids.max() > 2**31 - 1 or ids.min() < -(2**31):
        raise ValueError("does not fit")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "unsigned-refused")
def knows_int32_only(ids):
    if ids.size and (ids.max() > 2**31 - 1 or ids.min() < -(2**31)):
        raise ValueError("does not fit")
    return jnp.asarray(ids)


@wrong("ids-to-jax", "wrong-value")
def makes_everything_int32(ids):
    handed = jnp.asarray(ids, jnp.uint32 if ids.dtype == np.uint32 else jnp.int32)
    if not np.array_equal(np.asarray(handed), ids):
        raise ValueError("does not fit")
    return handed


@wrong("ids-to-jax", "wrong-value")
def looks_at_the_last_only(ids):
    handed = jnp.asarray(ids)
    if ids.size and np.asarray(handed).ravel()[-1] != ids.ravel()[-1]:
        raise ValueError("does not fit")
    return handed


@wrong("ids-to-jax", "wrong-value")
def looks_at_the_first_thousand(ids):
    refuses_what_changes(ids.ravel()[:1000])
    return jnp.asarray(ids)


@wrong("ids-to-jax", "wrong-value")
def compares_the_sums(ids):
    handed = jnp.asarray(ids)
    if np.asarray(handed).sum(dtype=np.int64) != ids.sum(dtype=np.int64):
        raise ValueError("does not fit")
    return handed


@wrong("ids-to-jax", "32-bits-named")
def names_32_bits(ids):
    dtype = np.dtype(f"{ids.dtype.kind}{min(4, ids.dtype.itemsize)}")
    if not np.array_equal(ids.astype(dtype), ids):
        raise ValueError("does not fit")
    return jnp.asarray(ids.astype(dtype))


@wrong("ids-to-jax", "64-bits-named")
def takes_int64_where_it_may(ids):
    return jnp.asarray(ids, np.int64) if jax.config.jax_enable_x64 else refuses_what_changes(ids)


def refuses_what_changes(ids):
    """What some answers call."""
    handed = jnp.asarray(ids)
    if not np.array_equal(np.asarray(handed), ids):
        raise ValueError("does not fit")
    return handed


@wrong("ids-to-jax", "not-jax")
def checks_and_stays_in_numpy(ids):
    if not np.array_equal(ids.astype(np.int32), ids):
        raise ValueError("does not fit")
    return ids.astype(np.int32)


@wrong("ids-to-jax", "wrong-value")
def renumbers(ids):
    return jnp.asarray(ids - ids.min())


# -- seconds-since-start ----------------------------------------------------------------------------------------


def whose(function, values):
    """Whether the result for a NumPy array is JAX's."""
    return isinstance(function(values), jax.Array)


def nanoseconds(rng, n):
    """Stamps in order, some of them equal; from one to the next it may be a nanosecond or years."""
    longest = 17 if n == 2 else 10
    gaps = (10.0 ** rng.uniform(0, longest) * rng.uniform(0.5, 1, n)).astype(np.int64)
    gaps[rng.random(n) < 0.1] = 0
    return (1_600_000_000 * 10**9 + int(rng.integers(10**17)) + np.cumsum(gaps),)


def since_start(stamps):
    """The oracle: Python's integers, and one division."""
    first, *_ = numbers = stamps.tolist()
    return np.array([(number - first) / 10**9 for number in numbers])


def over(seconds, want):
    """Seconds over what they should be; where that is 0, one more than they are."""
    return np.where(want == 0, 1 + seconds, seconds / np.where(want == 0, 1, want))


def ones(stamps):
    """What `over` gives of the right seconds."""
    return np.ones(len(stamps))


SECONDS_SLIPS = [
    Slip("still-nanoseconds", lambda stamps: 1e9 * since_start(stamps), "These are nanoseconds."),
    Slip(
        "milliseconds",
        lambda stamps: 1e3 * since_start(stamps),
        "These are milliseconds. A second has 10⁹ nanoseconds.",
    ),
    Slip(
        "milliseconds",
        lambda stamps: 1e6 * since_start(stamps),
        "These are microseconds. A second has 10⁹ nanoseconds.",
    ),
    Slip(
        "wrapped",
        lambda stamps: (stamps - stamps[0]).astype(np.int32) / np.float32(1e9),
        "Nanoseconds entered JAX, and became an `int32`, which wraps around every 4 s.",
    ),
    Slip(
        "divided-first",
        lambda stamps: stamps / 1e9 - stamps[0] / 1e9,
        "A `float64` of 1.7e9 s keeps some 200 ns: too few digits for short times. Subtract while they are integers.",
    ),
    Slip("not-since-the-start", lambda stamps: stamps / 1e9, "These are seconds since 1970."),
    Slip("gaps", lambda stamps: np.diff(stamps, prepend=stamps[0]) / 1e9, "These are seconds since the photon before."),
    Slip(
        "whole-seconds",
        lambda stamps: (stamps - stamps[0]) // 10**9 * 1.0,
        "These are whole seconds: what comes after the point is lost.",
    ),
]


@exercise(
    "seconds-since-start",
    see="int32-by-default",
    hint=["Which of the two numbers needs 64 bits: a stamp, or a difference?", "Who has 64 bits, NumPy or JAX?"],
)
def seconds_since_start(answer, rng):
    (stamps,) = nanoseconds(rng, 1)
    stamps = stamps + np.cumsum(rng.integers(10**9, 60 * 10**9, size=40))
    got = numbers(answer(stamps))
    require(got.shape == stamps.shape, "wrong-shape", f"The shape should be {stamps.shape}, not {got.shape}.")
    left = len(np.unique(got))
    message = (
        f"{stamps.size} photons within half an hour, but only {left} different times are left: the stamps were rounded "
        "to `float32` before the subtraction, where neighbours are minutes apart."
    )
    refuse(got[0] == 0 and left < stamps.size - 3, "absorbed", message)
    sweep(
        answer,
        since_start,
        nanoseconds,
        rng,
        shapes=[1, 2, 3, 40],
        each=8,
        slips=SECONDS_SLIPS,
        message="These are not the seconds since the first photon, to seven digits.",
        rtol=3e-7,
    )
    each = Asked(lambda stamps: over(numbers(answer(stamps)), since_start(stamps)), ones, rtol=3e-7)
    second = int(stamps[0]) // 10**9 * 10**9
    gaps = [10**unit * np.array([0, 9, 40, 50]) for unit in (0, 1, 2)]
    lost = "Right to seven digits of the longest time, not of each: the short ones have lost theirs."
    each.require([(second + gap,) for gap in gaps], lost, "short-times-lost")
    message = (
        "Right within one second, but not where a new one begins between two photons. Seconds and nanoseconds apart "
        "lose their digits when they are put together: subtract whole stamps, while they are integers."
    )
    each.require([(second - int(rng.integers(1, 9)) + gap,) for gap in gaps], message, "cut-at-the-second")
    cases = [(start + np.cumsum(np.sort(10 ** rng.uniform(0, 12, 40)).astype(np.int64)),) for start in stamps[:4]]
    each.require(cases, lost, "short-times-lost")
    stamps = stamps[0] + np.cumsum(rng.integers(10**8, 10**9, size=20_000))
    message = (
        "Right for few photons, and not to seven digits for 20000 of them. Where gaps are added up in `float32`, their "
        "roundings add up too: subtract the first stamp from each, while they are integers."
    )
    precise = np.allclose(numbers(answer(stamps)), since_start(stamps), rtol=3e-7, atol=0)
    require(precise, "roundings-added-up", message)
    require(answer.probe(whose, stamps), "not-jax", "The times are right, but the result is not a JAX array.")


@right("seconds-since-start")
def counts_in_pythons_integers(stamps):
    first, *_ = stamps.tolist()
    return jnp.array([(number - first) / 10**9 for number in stamps.tolist()])


@right("seconds-since-start")
def lets_numpy_know_the_unit(stamps):
    since = stamps.astype("datetime64[ns]") - np.datetime64(int(stamps[0]), "ns")
    return jnp.float32(since / np.timedelta64(1, "s"))


@wrong("seconds-since-start", "wrapped")
def hands_over_first(stamps):
    stamps = jnp.asarray(stamps)
    return (stamps - stamps[0]) / 1e9


@wrong("seconds-since-start", "wrapped")
def divides_in_jax(stamps):
    return jnp.asarray(stamps - stamps[0]) / 1e9


@wrong("seconds-since-start", "absorbed")
def makes_floats_first(stamps):
    seconds = jnp.asarray(stamps / 1e9)
    return seconds - seconds[0]


@wrong("seconds-since-start", "absorbed")
def makes_float32_in_numpy(stamps):
    stamps = stamps.astype(np.float32)
    return jnp.asarray((stamps - stamps[0]) / 1e9)


@wrong("seconds-since-start", "divided-first")
def divides_before_it_subtracts(stamps):
    seconds = stamps / 1e9
    return jnp.asarray(seconds - seconds[0])


@wrong("seconds-since-start", "cut-at-the-second")
def subtracts_seconds_and_the_rest(stamps):
    whole, rest = (jnp.asarray(part.astype(np.int32)) for part in np.divmod(stamps, 10**9))
    return (whole - whole[0]) + (rest - rest[0]) * 1e-9


@wrong("seconds-since-start", "roundings-added-up")
def adds_up_the_gaps(stamps):
    gaps = jnp.asarray(np.diff(stamps, prepend=stamps[0]) / 1e9)
    return jax.lax.scan(lambda now, gap: (now + gap, now + gap), jnp.float32(0), gaps)[1]


@wrong("seconds-since-start", "still-nanoseconds")
def forgets_the_unit(stamps):
    return jnp.asarray((stamps - stamps[0]).astype(np.float32))


@wrong("seconds-since-start", "milliseconds")
def takes_them_for_microseconds(stamps):
    return jnp.asarray((stamps - stamps[0]) / 1e6)


@wrong("seconds-since-start", "wrong-value")
def keeps_microseconds(stamps):
    return jnp.asarray(np.round((stamps - stamps[0]) / 1e9, 6))


@wrong("seconds-since-start", "short-times-lost")
def counts_back_from_the_last(stamps):
    before_the_last = jnp.asarray((stamps[-1] - stamps) / 1e9)
    return before_the_last[0] - before_the_last


@wrong("seconds-since-start", "not-jax")
def never_leaves_numpy(stamps):
    return (stamps - stamps[0]) / 1e9


@wrong("seconds-since-start", "not-since-the-start")
def forgets_the_start(stamps):
    return stamps / 1e9


@wrong("seconds-since-start", "gaps")
def gaps_between_neighbours(stamps):
    return jnp.asarray(np.diff(stamps, prepend=stamps[0]) / 1e9)


@wrong("seconds-since-start", "wrong-shape")
def one_gap_too_few(stamps):
    return jnp.asarray(np.diff(stamps) / 1e9)


@wrong("seconds-since-start", "whole-seconds")
def divides_integers(stamps):
    return jnp.asarray((stamps - stamps[0]) // 10**9, jnp.float32)


@wrong("seconds-since-start", "wrong-value")
def keeps_milliseconds(stamps):
    return jnp.asarray(np.round((stamps - stamps[0]) / 1e9, 3))


# -- independent-pair -------------------------------------------------------------------------------------------

NOT_THE_KEY = "Called twice with the same key, it gives different numbers: they come from somewhere else."

FAULTS = {
    "drawn-twice": "one key is drawn from twice",
    "drawn-and-split": "a key is drawn from, and split as well",
    "drawn-and-folded": "a key is drawn from, and a number is folded into it as well",
    "split-and-folded": "a key is split, and a number is folded into it as well",
    "split-in-two-ways": "a key is split twice, into different numbers of keys, of which some are the same",
    "same-in-every-step": "every step of a loop draws from the same key",
}
"""What a key is used for, in words."""


def drawn(draw, seeds, *sizes):
    """The sample of each seed, if the same key gives it again."""
    samples = [draw(jax.random.key(seed), *sizes) for seed in seeds]
    again = draw(jax.random.key(seeds[0]), *sizes)
    return {"repeats": np.array_equal(samples[0], again, equal_nan=True), "samples": samples}


def asked_with(answer, seed, *sizes):
    """The samples of a seed and of the next one: of one shape, if each key has numbers of its own."""
    facts = answer.probe(drawn, [seed, seed + 1], *sizes)
    answer.called = f"{answer.name}(jax.random.key({seed}), {', '.join(map(str, sizes))})"
    require(facts["repeats"], "hidden-state", NOT_THE_KEY)
    return [numbers(sample).astype(float) for sample in facts["samples"]]


def require_of_the_key(sample, other):
    """Another key should give other numbers, all of them."""
    shared = np.isin(sample, other).mean()
    require(
        shared < 0.1, "key-ignored", f"Another key gives {shared:.0%} of the same numbers: it is not used for them."
    )


def fault_of(answer, *sizes):
    """What is wrong with how an answer uses its key, in words; nothing if it is all right."""
    facts, raised = answer.attempt(probe.key_uses, *sizes, expected=probe.NEEDS_A_VALUE)
    if raised:
        return FAULTS["drawn-twice"] if answer.probe(probe.reuses_key, *sizes) else ""
    return ", ".join(FAULTS[fault] for fault in facts["faults"])


def is_normal(sample):
    """Whether numbers look standard normal: of a thousand million samples that are, four would not."""
    x = np.sort(sample.ravel())
    below = np.array(list(map(NormalDist().cdf, x.tolist())))
    distance = np.abs(below - np.arange(0.5, x.size) / x.size).max()
    return distance < math.sqrt(10 / x.size) and np.abs(x).max() > 2.5


def correlation(x, y):
    """The correlation of two arrays of one shape, element by element."""
    return float(np.corrcoef(np.ravel(x), np.ravel(y))[0, 1])


def without_correlation(x, y):
    """Whether two samples are orthogonal, to the last digits, as they are or without their means."""
    pairs = (x, y), (x - x.mean(), y - y.mean())
    return any(abs(a @ b) <= 1e-6 * math.sqrt((a @ a) * (b @ b)) for a, b in pairs)


@exercise(
    "independent-pair",
    see="key-reuse",
    hint=["A key is used once, to draw or to split.", "`first, second = jax.random.split(key)`"],
)
def independent_pair(answer, rng):
    n, seed = 4000, int(rng.integers(2**16))
    got, other = asked_with(answer, seed, n)
    require(got.shape == (2, n), "wrong-shape", f"Two arrays of {n} numbers each are expected, not {got.shape}.")
    require_of_the_key(got, other)
    a, b = got
    r, squares = correlation(a, b), correlation(a**2, b**2)
    seen = f"The correlation is {r:.2f}." if abs(r) > 0.1 else "That they look unrelated is luck: nothing promises it."
    fault = fault_of(answer, n)
    refuse(fault, "key-reused", f"A key is used once, and here {fault}. {seen}")
    _, raised = answer.attempt(probe.key_uses, n, expected=probe.NEEDS_A_VALUE)
    message = "The key became a number for another generator, which promises nothing about it: draw with `jax.random`."
    refuse(raised, "leaves-jax", message)
    shared = int(np.isin(np.abs(a), np.abs(b)).sum())
    seen = f"Their correlation is {r:.2f}" if abs(r) > 0.1 else f"They have {shared} of {n} numbers in common"
    seen = f"The correlation of their squares is {squares:.2f}" if abs(r) < 0.1 and shared < n / 10 else seen
    message = f"{seen}: whoever knows one of them knows something of the other."
    require(shared < n / 10 and max(abs(r), abs(squares)) < 0.2, "dependent", message)
    require(is_normal(a) and is_normal(b), "wrong-value", "These are not standard normal numbers.")
    follows = max(abs(correlation(sample[1:], sample[:-1])) for sample in got)
    message = f"Within a sample each number knows of the one before it (correlation {follows:.2f}): leave their order."
    require(follows < 0.2, "dependent", message)
    for few in (int(rng.integers(4, 9)), 1):
        got, _ = asked_with(answer, seed, few)
        require(got.shape == (2, few), "wrong-shape", f"For `n = {few}` came the shape {got.shape}.")
        message = (
            f"For `n = {few}` the two have no correlation at all. A few random numbers have one: do not remove it."
        )
        refuse(few > 1 and without_correlation(*got), "dependent", message)
        message = (
            f"For `n = {few}` came the means {got.mean(axis=1).round(6).tolist()}. The mean of a sample is a random "
            "number as well, near 0 and not 0: do not subtract it."
        )
        require((np.abs(got.mean(axis=1)) > 1e-5).all() and np.isfinite(got).all(), "standardised", message)


@right("independent-pair")
def cuts_one_draw_in_two(key, n):
    return list(jax.random.normal(key, (2, n)))


@right("independent-pair")
@functools.partial(jax.jit, static_argnums=1)
def folds_two_numbers_in(key, n):
    return tuple(jax.random.normal(jax.random.fold_in(key, i), n) for i in (3, 4))


@wrong("independent-pair", "key-reused")
def draws_twice(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(key, (n,))


@wrong("independent-pair", "key-reused")
def draws_with_the_parent(key, n):
    child, _ = jax.random.split(key)
    return jax.random.normal(key, (n,)), jax.random.normal(child, (n,))


@wrong("independent-pair", "key-reused")
def draws_and_folds(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(jax.random.fold_in(key, 1), (n,))


@wrong("independent-pair", "key-reused")
def draws_a_longer_one(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(key, (2 * n,))[n:]


@wrong("independent-pair", "key-reused")
def goes_through_numpy_twice(key, n):
    return np.asarray(jax.random.normal(key, (n,))), np.asarray(jax.random.uniform(key, (n,)))


@wrong("independent-pair", "key-reused")
def folds_the_same_number_in(key, n):
    return tuple(jax.random.normal(jax.random.fold_in(key, n), (n,)) for _ in range(2))


@wrong("independent-pair", "key-reused")
def splits_and_folds(key, n):
    by_split = jax.random.split(key)[0]
    return jax.random.normal(by_split, (n,)), jax.random.normal(jax.random.fold_in(key, 0), (n,))


@wrong("independent-pair", "key-reused")
def splits_in_two_ways(key, n):
    return jax.random.normal(jax.random.split(key)[1], (n,)), jax.random.normal(jax.random.split(key, 3)[2], (n,))


@wrong("independent-pair", "dependent")
def cuts_overlapping_windows(key, n):
    sample = jax.random.normal(key, (n + 1,))
    return sample[:-1], sample[1:]


@wrong("independent-pair", "dependent")
def turns_the_sign(key, n):
    sample = jax.random.normal(key, (n,))
    return sample, -sample


@wrong("independent-pair", "dependent")
def turns_some_signs(key, n):
    one, two = jax.random.split(key)
    sample = jax.random.normal(one, (n,))
    return sample, sample * jax.random.rademacher(two, (n,), sample.dtype)


@wrong("independent-pair", "dependent")
def shuffles(key, n):
    one, two = jax.random.split(key)
    sample = jax.random.normal(one, (n,))
    return sample, jax.random.permutation(two, sample)


@wrong("independent-pair", "dependent")
def sorts_one_of_them(key, n):
    first, second = jax.random.normal(key, (2, n))
    return first, jnp.sort(second)


@wrong("independent-pair", "leaves-jax")
def seeds_numpy_with_the_key(key, n):
    generator = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    return generator.normal(size=n), generator.normal(size=n)


@wrong("independent-pair", "hidden-state")
def goes_to_numpy(key, n):
    return np.random.normal(size=n), np.random.normal(size=n)


@wrong("independent-pair", "key-ignored")
def makes_keys_of_its_own(key, n):
    return jax.random.normal(jax.random.key(0), (n,)), jax.random.normal(jax.random.key(1), (n,))


@wrong("independent-pair", "key-ignored")
def makes_one_key_of_its_own(key, n):
    return jax.random.normal(key, (n,)), jax.random.normal(jax.random.key(1), (n,))


@wrong("independent-pair", "wrong-value")
def draws_uniformly(key, n):
    first, second = jax.random.split(key)
    return jax.random.uniform(first, (n,)), jax.random.uniform(second, (n,))


@wrong("independent-pair", "wrong-value")
def draws_with_other_tails(key, n):
    first, second = jax.random.split(key)
    return jax.random.normal(first, (n,)), jax.random.laplace(second, (n,)) / 2**0.5


@wrong("independent-pair", "dependent")
def removes_the_correlation(key, n):
    x, y = jax.random.normal(key, (2, n))
    return x, y - (x @ y) / (x @ x) * x


@wrong("independent-pair", "standardised")
def makes_the_mean_zero(key, n):
    sample = jax.random.normal(key, (2, n))
    return tuple((sample - sample.mean(axis=1, keepdims=True)) / sample.std(axis=1, keepdims=True))


@wrong("independent-pair", "wrong-shape")
def draws_one_only(key, n):
    return jax.random.normal(key, (n,))


@wrong("independent-pair", "wrong-shape")
def loses_the_axis_of_one(key, n):
    return jnp.squeeze(jax.random.normal(key, (2, n)))


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
    walk, other = asked_with(answer, seed, particles, steps)
    turned = walk.shape == (particles, steps)
    refuse(turned, "axes-swapped", "Each row should be a time, and each column a particle.")
    require(walk.shape == (steps, particles), "wrong-shape", f"The shape should be {(steps, particles)}.")
    message = "Row 0 is still the start. Row `i` should be after `i + 1` steps."
    require(walk[0].any(), "starts-with-the-start", message)
    moved = np.diff(walk, axis=0, prepend=0)
    together = np.ptp(moved, axis=1).max() < 1e-3
    refuse(together, "all-alike", "All particles take the same steps: one number was drawn for all of them.")
    message = "Each particle repeats one step over and over: straight lines. The same key was used in each step."
    require(np.ptp(moved, axis=0).max() > 1e-3, "straight-lines", message)
    values = len(np.unique(moved.round(3)))
    message = f"All of your steps have one of {values} lengths. A normal number may be any."
    require(values > 30, "few-values", message)
    require_of_the_key(walk, other)
    fault = fault_of(answer, particles, steps)
    refuse(fault, "key-reused", f"A key is used once, and here {fault}.")
    again = int(np.sum(np.diff(np.sort(np.abs(moved), axis=None)) < 1e-5))
    message = (
        f"{again} of {moved.size} steps are the same as another one: some keys are equal, or numbers are used again."
    )
    require(again < moved.size / 4, "steps-again", message)
    require_summed_along_the_steps(walk)
    spread = float(walk[-1].std() / np.sqrt(steps))
    message = (
        f"After {steps} steps the spread should be near √{steps}, from standard normal steps. Yours is {spread:.2f} "
        f"times that; your longest step {np.abs(moved).max():.2f}."
    )
    r = correlation(moved[1:], moved[:-1]), correlation(moved[:, 1:], moved[:, :-1])
    related = (
        "The steps know of each other: those of one particle have a correlation of {:.2f}, neighbours one of {:.2f}."
    )
    require(np.abs(r).max() < 0.15, "dependent-steps", related.format(*r))
    require(abs(spread - 1) < 0.25 and is_normal(moved), "wrong-value", message)
    for sizes in ((1, int(rng.integers(3, 6))), (int(rng.integers(3, 6)), 1), (2, 600)):
        walk, _ = asked_with(answer, seed, *sizes)
        require(walk.shape == sizes[::-1], "wrong-shape", f"The shape should be {sizes[::-1]}, not {walk.shape}.")
    again = len(walk) - len(np.unique(np.diff(walk, axis=0, prepend=0).round(3), axis=0))
    message = f"{again} of 600 steps are the same as another one: some keys are equal."
    require(again < 60, "steps-again", message)


def require_summed_along_the_steps(walk):
    """Each row should go on from the row before, and not each number from the one beside it."""
    rows = walk - walk.mean(axis=1, keepdims=True)
    beside, follows = correlation(rows[:, 1:], rows[:, :-1]), correlation(walk[-2], walk[-1])
    message = (
        f"Within a row, each number goes on from the one beside it (correlation {beside:.2f}), so the particles know "
        "of each other. Add up along the steps, `axis=0`; to exchange axes, transpose, and do not reshape."
    )
    refuse(beside > 0.5, "summed-over-particles", message)
    message = (
        f"Where a particle is says nothing about where it was before (correlation {follows:.2f}): add the steps up."
    )
    require(follows > 0.5, "not-summed", message)


@right("random-walks")
def each_particle_by_its_number(key, particles, steps):
    def walk(i):
        return jnp.cumsum(jax.random.normal(jax.random.fold_in(key, i), (steps,)))

    return jax.vmap(walk, out_axes=1)(jnp.arange(particles))


@right("random-walks")
def carries_a_key_along(key, particles, steps):
    def step(state, _):
        position, key = state
        key, used = jax.random.split(key)
        position = position + jax.random.normal(used, (particles,))
        return (position, key), position

    return jax.lax.scan(step, (jnp.zeros(particles), key), length=steps)[1]


@right("random-walks")
def in_rows_of_numpy(key, particles, steps):
    keys = jax.random.split(key, steps)
    return np.cumsum([np.asarray(jax.random.normal(key, (particles,))) for key in keys], axis=0)


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


@wrong("random-walks", "summed-over-particles")
def sums_along_the_other_axis(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (steps, particles)), axis=1)


@wrong("random-walks", "summed-over-particles")
def one_long_walk(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (steps, particles))).reshape(steps, particles)


@wrong("random-walks", "axes-swapped")
def particles_in_rows(key, particles, steps):
    return jnp.cumsum(jax.random.normal(key, (particles, steps)), axis=1)


@wrong("random-walks", "starts-with-the-start")
def begins_at_zero(key, particles, steps):
    walk = jnp.cumsum(jax.random.normal(key, (steps - 1, particles)), axis=0)
    return jnp.concatenate([jnp.zeros((1, particles)), walk])


@wrong("random-walks", "wrong-shape")
def one_row_too_many(key, particles, steps):
    walk = jnp.cumsum(jax.random.normal(key, (steps, particles)), axis=0)
    return jnp.concatenate([jnp.zeros((1, particles)), walk])


@wrong("random-walks", "key-reused")
def every_second_step_again(key, particles, steps):
    keys = jax.random.split(key, steps)
    moves = [jax.random.normal(keys[i // 2], (particles,)) for i in range(steps)]
    return jnp.cumsum(jnp.stack(moves), axis=0)


@wrong("random-walks", "steps-again")
def names_keys_by_a_sum(key, particles, steps):
    def move(i, j):
        return jax.random.normal(jax.random.fold_in(key, i + j))

    moves = jax.vmap(lambda i: jax.vmap(lambda j: move(i, j))(jnp.arange(particles)))(jnp.arange(steps))
    return jnp.cumsum(moves, axis=0)


@wrong("random-walks", "steps-again")
def half_of_them_mirrored(key, particles, steps):
    half = jax.random.normal(key, (steps, (particles + 1) // 2))
    return jnp.cumsum(jnp.concatenate([half, -half], axis=1)[:, :particles], axis=0)


@wrong("random-walks", "dependent-steps")
def steps_that_remember(key, particles, steps):
    noise = jax.random.normal(key, (steps + 1, particles))
    return jnp.cumsum((noise[1:] + 0.3 * noise[:-1]) / 1.09**0.5, axis=0)


@wrong("random-walks", "hidden-state")
def walks_in_numpy(key, particles, steps):
    return np.cumsum(np.random.normal(size=(steps, particles)), axis=0)


@wrong("random-walks", "key-ignored")
def the_same_walk_always(key, particles, steps):
    return jnp.cumsum(jax.random.normal(jax.random.key(1827), (steps, particles)), axis=0)


@wrong("random-walks", "wrong-value")
def uniform_steps(key, particles, steps):
    return jnp.cumsum(jax.random.uniform(key, (steps, particles)), axis=0)


@wrong("random-walks", "dependent-steps")
def adds_up_twice(key, particles, steps):
    return jnp.cumsum(jnp.cumsum(jax.random.normal(key, (steps, particles)), axis=0), axis=0)


@wrong("random-walks", "dependent-steps")
def jumps_to_where_it_should_be(key, particles, steps):
    return jnp.sqrt(jnp.arange(1, steps + 1))[:, None] * jax.random.normal(key, (1, particles))


@wrong("random-walks", "few-values")
def steps_of_one(key, particles, steps):
    return jnp.cumsum(2 * jax.random.bernoulli(key, shape=(steps, particles)) - 1, axis=0)


# -- honest-seconds ---------------------------------------------------------------------------------------------


def on_a_model_clock(stopwatch, dispatch, works, compiling):
    """Time a function of a modelled device, which computes while the caller goes on, by a clock that it moves.

    Each call returns after `dispatch` seconds, and its result is there after the `work` of all calls so far. The first
    call for a shape compiles, as `lower(x).compile()` does. The same function is timed once for each of the works.
    """
    clock = {"now": 0.0, "device free": 0.0, "work": 0.0, "calls": 0, "readings": 0, "traced": 0}

    @jax.jit
    def program(x):  # JAX knows whether it has to be compiled, also after its caches were emptied
        clock["now"] += compiling
        return x

    class Result:
        shape, dtype, ndim, size = (3,), np.dtype(np.float32), 1, 3

        def __init__(self, ready):
            self.ready = ready

        def block_until_ready(self):
            clock["now"] = max(clock["now"], self.ready)
            return self

        def __array__(self, dtype=None, copy=None):
            self.block_until_ready()
            return np.zeros(3, dtype)

        def __getitem__(self, index):
            return Result(self.ready)

        def __float__(self):
            return float(self.block_until_ready().__array__()[0])

    class Jitted:
        def run(self, x):
            clock["calls"] += 1
            clock["now"] += dispatch
            clock["device free"] = max(clock["device free"], clock["now"]) + clock["work"]
            return Result(clock["device free"])

        def __call__(self, x):
            if isinstance(x, jax.core.Tracer):
                clock["traced"] += 1
                return x
            program(x)
            return self.run(x)

        def eval_shape(self, x):
            return jax.ShapeDtypeStruct(np.shape(x), x.dtype)

        def trace(self, x):
            return self

        lower = trace

        def compile(self):
            program(argument)
            return self.run

    def read():
        clock["readings"] += 1
        return clock["now"]

    f, argument, found = Jitted(), probe.on_device(np.zeros(3)), []
    for work in works:
        clock.update(work=work, calls=0, readings=0)
        seconds = stopwatch(f, argument, read)
        found.append({"seconds": seconds, "calls": clock["calls"], "readings": clock["readings"]})
    return {"timings": found, "traced": clock["traced"]}


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
    dispatch, work, other = (float(rng.uniform(*ends)) for ends in ((0.1, 0.2), (1, 2), (5, 9)))
    asked, slowly = (answer.probe(on_a_model_clock, dispatch, [work, other], compiling) for compiling in (100.0, 300.0))
    facts, again = asked["timings"]
    got, slow = numbers(facts["seconds"]), numbers(slowly["timings"][0]["seconds"])
    answer.called, answer.returned = "honest_seconds(f, x, clock)", str(facts["seconds"])
    require(got.shape == (), "wrong-shape", "Give one number.")
    require(np.isfinite(got), "nan", "A time should be a finite number.")
    require(facts["readings"], "another-clock", "You never asked `clock()`: you read another clock.")
    got = float(got)
    story = (
        f"The call returns after {dispatch:.4f} s, its result is there after {work:.2f} s more; you say {got:.4g} s."
    )
    require(got >= 0, "clock-turned-round", f"{story} Which reading is the later one?")
    message = (
        "If compiling takes longer, you measure more: some of it is in your time. Call `f` with the same `x` once, "
        "before you look at the clock."
    )
    require(close(got, slow, rtol=1e-6), "compiling-included", message)
    message = "Between your readings `f` was traced, as a part of another function, and not run. Call `f` itself."
    refuse(asked["traced"] and got < dispatch / 2, "another-function", message)
    message = f"{story} You timed the dispatch. Wait for the result before you look at the clock."
    require(got > work / 2, "dispatch-only", message)
    times = round(got / work)
    together = times > 1 and times in (facts["calls"], facts["calls"] - 1) and facts["calls"] > 2
    refuse(together, "not-divided", f"{story} That is the time of {times} calls. One call is asked for.")
    message = f"{story} You looked at the clock when the call had returned already: handing it over takes time, too."
    refuse(close(got, work, rtol=1e-6), "dispatch-left-out", message)
    message = f"{story} When your clock started, the device was still busy with the call before: wait for that, too."
    require(got < 1.02 * (work + dispatch), "warm-up-not-awaited", message)
    expect(got, work + dispatch, "That is not the time of one call.", rtol=0.01)
    message = f"Right at first. Asked again about the same `f`, which now works for {other:.2f} s:"
    expect(again["seconds"], other + dispatch, message, label="remembered", rtol=0.01)
    short = 1e-5 * dispatch, [1e-5 * work]
    facts = answer.probe(on_a_model_clock, *short, 100.0)["timings"][0]
    message = "Right for seconds, not where a call takes some microseconds: most do. Do not round."
    expect(facts["seconds"], 1e-5 * (work + dispatch), message, label="rounded", rtol=0.01)


@right("honest-seconds")
def compiles_ahead_of_time(f, x, clock):
    program = f.lower(x).compile()
    jax.block_until_ready(program(x))
    start = clock()
    jax.block_until_ready(program(x))
    return np.float64(clock() - start)


@right("honest-seconds")
def the_best_of_some(f, x, clock):
    times = []
    for _ in range(4):
        start = clock()
        np.asarray(f(x))
        times.append(clock() - start)
    return min(times)


@right("honest-seconds")
def the_mean_of_ten(f, x, clock):
    float(f(x)[0])
    start = clock()
    for _ in range(10):
        f(x).block_until_ready()
    return (clock() - start) / 10


@wrong("honest-seconds", "dispatch-left-out")
def looks_when_the_call_has_returned(f, x, clock):
    f(x).block_until_ready()
    y = f(x)
    start = clock()
    y.block_until_ready()
    return clock() - start


@wrong("honest-seconds", "dispatch-only")
def times_the_dispatch(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    f(x)
    return clock() - start


@wrong("honest-seconds", "dispatch-only")
def asks_for_the_shape(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    _ = f(x).shape
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


@wrong("honest-seconds", "compiling-included")
def warms_up_with_less(f, x, clock):
    f(x[:1]).block_until_ready()
    start = clock()
    f(x).block_until_ready()
    return clock() - start


@wrong("honest-seconds", "compiling-included")
def traces_only(f, x, clock):
    jax.eval_shape(f, x)
    start = clock()
    f(x).block_until_ready()
    return clock() - start


@wrong("honest-seconds", "compiling-included")
def empties_the_caches(f, x, clock):
    f(x).block_until_ready()
    jax.clear_caches()
    start = clock()
    f(x).block_until_ready()
    return clock() - start


@wrong("honest-seconds", "another-function")
def compiles_another_function(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    jax.jit(lambda x: f(x))(x).block_until_ready()
    return clock() - start


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


@wrong("honest-seconds", "rounded")
def rounds_to_milliseconds(f, x, clock):
    f(x).block_until_ready()
    start = clock()
    f(x).block_until_ready()
    return round(clock() - start, 3)


@wrong("honest-seconds", "remembered")
def keeps_what_it_has_found(f, x, clock, found={}):  # noqa: B006
    if f not in found:
        f(x).block_until_ready()
        start = clock()
        f(x).block_until_ready()
        found[f] = clock() - start
    return found[f]


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


refused_by_guard = prediction(
    "refused-by-guard",
    see="where-arrays-live",
    hint=["What is not on the device yet, when the expression begins?", "A Python number is not on the device."],
    mistakes=[
        Mistake(
            "constant-travels",
            {"f(v)": True},
            "`v` is on the device, and so is the 2 inside `f`, as a part of the program.",
        ),
        Mistake(
            "jit-is-a-transfer",
            {"f(n)": False},
            "`n` is NumPy's: it has to travel, and nobody wrote `device_put`.",
        ),
        Mistake(
            "written-transfer-refused",
            {"f(jax.device_put(n))": True},
            "`jax.device_put` is how a transfer is written on purpose, and those are allowed.",
        ),
        Mistake(
            "numbers-are-free",
            {"v + 1": False},
            "Outside `jit` the Python number 1 is an argument of the addition, and it travels each time.",
        ),
    ],
    otherwise="What is not on the device?",
    truth=refusals,
)


# -- changes of solutions that are right ------------------------------------------------------------------------

accepted = [
    equivalent("rms-contrast", "`image - jnp.mean(image)`  ->  `jnp.mean(image) - image`", "it is squared"),
    equivalent(
        "stable-variance",
        "`x - x.mean(axis=1, keepdims=True)`  ->  `x.mean(axis=1, keepdims=True) - x`",
        "it is squared",
    ),
    equivalent("ids-to-jax", "`np.array_equal`  ->  `np.allclose`", "what wraps around is far from what it was"),
    equivalent("ids-to-jax", "`np.asarray(handed)`  ->  `handed`", "NumPy makes an array of it"),
    equivalent(
        "seconds-since-start",
        "`1000000000.0`  ->  `1000000001.0`",
        "a part in a thousand million, which `float32` cannot show",
    ),
]
