"""one-program: NumPy's line for the dew point, in JAX, as one compiled program."""

import jax
import numpy as np

from jaxcourse import insides, probe
from jaxcourse.checks import Agrees, declare, naming, refuse, require
from jaxcourse.exercise import refuse_nothing

from ._lesson import WORDS as LESSON


def dew_point(temperature, humidity):
    """In double precision."""
    return without_a_limit(temperature, np.minimum(humidity, 100))


def without_a_limit(temperature, humidity):
    """What comes if air holds whatever it is said to hold, in double precision."""
    t, h = temperature.astype(np.float64), humidity.astype(np.float64)
    g = np.log(h / 100) + 17.625 * t / (243.04 + t)
    return 243.04 * g / (17.625 - g)


def of_another_g(another):
    """What an answer gives that computes another `g`."""

    def dew(temperature, humidity):
        g = another(temperature, np.minimum(humidity, 100))
        return 243.04 * g / (17.625 - g)

    return dew


def air(rng, shape):
    """Air of which some is too wet, and some not near a dew point of 0."""
    temperature, humidity = rng.uniform(-30, 45, size=shape), rng.uniform(5, 105, size=shape)
    temperature.flat[-1], humidity.flat[-1] = rng.uniform(20, 30), rng.uniform(105, 120)
    temperature.flat[0], humidity.flat[0] = rng.uniform(20, 30), rng.uniform(60, 100)
    return temperature.astype(np.float32), humidity.astype(np.float32)


def any_air(rng, shape):
    humidity = 10 ** rng.uniform(-6, 3, size=shape)
    humidity.flat[:2] = 150, 1e-6
    return rng.uniform(-100, 100, size=shape).astype(np.float32), humidity.astype(np.float32)


def with_gaps(rng, shape):
    temperature, humidity = air(rng, shape)
    temperature.flat[1], humidity.flat[2] = np.nan, np.nan
    return temperature, humidity


def what_comes_back(function, *args):
    """Whether JAX owns the result for NumPy arrays; if so, whether a callback is in the program.

    And whether an element of a JAX array was assigned: that error is a `TypeError` among many.
    """
    facts = {"is_jax": False, "callback": False, "assigns": False, "nothing": False}
    try:
        result = function(*args)
        facts["nothing"] = result is None
        if isinstance(result, jax.Array):
            calls_back = any(each.calls_back for each in insides.read(function, *args).everything)
            facts |= {"is_jax": True, "callback": calls_back}
    except TypeError as error:
        if "item assignment" not in str(error):
            raise
        facts["assigns"] = True
    return facts


def stays_in_jax(answer, rng):
    """JAX computes the result, and can trace how.

    A function, since no value is compared: what is raised, or comes back, tells who computes.
    """
    with naming(
        {
            "leaves-jax": ["TracerArrayConversionError"],
            "asks-for-a-number": probe.NEEDS_A_NUMBER,
            "mask-as-an-index": probe.NEEDS_A_SHAPE,
        }
    ):
        facts = answer.probe(what_comes_back, *air(rng, (3, 4)))
    refuse(facts["assigns"], "element-assigned")
    refuse_nothing(facts["nothing"])
    require(facts["is_jax"], "leaves-jax/2")


def lengths(function, calls):
    """How many operations are written down for each call."""
    return [len(insides.read(function, *args).everything) for args in calls]


def has_compiled_parts(function, *args):
    """Whether a part with several operations is compiled, but not all of it."""
    equations = insides.read(function, *args).equations
    return any(each.called and len(each.called.equations) > 1 for each in equations)


def programs(function, calls):
    """How many programs each call compiles, from empty caches on; the arrays are on the device before."""
    on_device = [tuple(jax.numpy.asarray(value) for value in args) for args in calls]
    return [len(names) for names in probe.compiles(function, on_device)]


def one_program_of_whole_arrays(answer, rng):
    """All is one program, compiled once, whose length does not grow with the arrays.

    A function, since it looks at programs, and counts them.
    """
    calls = [air(rng, (3, 4)) for _ in range(2)]
    refuse(answer.probe(what_comes_back, *calls[0])["callback"], "leaves-jax/3")
    few, many = answer.probe(lengths, [calls[0], air(rng, (6, 6))])
    refuse(many > few, "unrolled", few=few, many=many)
    first, second = answer.probe(programs, calls)
    split = first > 1 and answer.probe(has_compiled_parts, *calls[0])
    refuse(split, "several-programs")
    require(first == 1, "not-compiled")
    refuse(second, "compiles-in-every-call")


MISTAKES = {
    "above-a-hundred": without_a_limit,
    "limit-turned-round": lambda t, h: without_a_limit(t, np.maximum(h, 100)),
    "percent-forgotten": of_another_g(lambda t, h: np.log(h) + 17.625 * t / (243.04 + t)),
    "other-logarithm": of_another_g(lambda t, h: np.log10(h / 100) + 17.625 * t / (243.04 + t)),
    "brackets": of_another_g(lambda t, h: np.log(h / 100) + 17.625 * t / 243.04 + t),
}

WORDS = """
hint: A JAX array never changes. Which function gives the smaller of two numbers, element by element?
hint: `@jax.jit` above the definition makes all of the body one program. Use `jnp.log`, not `np.log`.
above-a-hundred: You took humidities above 100 as they are. Dew forms there as at 100, so count them as 100.
limit-turned-round: You kept the larger of the humidity and 100, so no air is drier than 100 percent. Keep the smaller,
    with `minimum`.
percent-forgotten: You took the logarithm of percent. Divide the humidity by 100 first.
other-logarithm: You took the logarithm to base 10. The formula has the natural one, `jnp.log`.
brackets: You divided by 243.04 alone. Put the sum below the line in brackets,
    `17.625 * temperature / (243.04 + temperature)`.
leaves-jax: You gave a tracer to NumPy, which asks for its numbers. While JAX traces your function there are none, so
    write `jnp`, not `np`.
mask-as-an-index [fixed-shapes]: Your code makes a shape from numbers that JAX does not know yet. A mask in the index
    does that, and so does `jnp.where(mask)`. Choose with `jnp.minimum` or `jnp.where(mask, a, b)`.
element-assigned: You assigned to elements of a JAX array, which never changes. Under `jit`, `.at[mask].set` fails as
    well. Make a new array, with `jnp.where` or `jnp.minimum`.
asks-for-a-number: Your code asks for a number, as `float`, `math` and `if` do. While JAX traces your function there are
    none. Stay with functions of `jnp`.
leaves-jax/2: Your result is not a JAX array. Let JAX compute it, with `jnp`, and return that.
wrong-value: Your numbers are not the dew point. Compare your lines with the formula.
some-air-only: Your answer is right for most air, but not if it is very dry, cold or hot, or far above 100 percent.
    Limit only the humidity, only at 100, and add nothing.
gap-filled: Your answer is off if a reading is NaN, which says that it is missing. Keep the NaN, as `jnp.minimum` and
    NumPy's line do.
unrolled: Your numbers are right, with {few} operations for 12 numbers and {many} for 36. JAX wrote down all turns of
    Python's loop. Write the formula for whole arrays.
leaves-jax/3: Your numbers are right, but your program calls Python back, as `jax.pure_callback` and `jax.debug.print`
    do. Compute all of it with `jnp`.
several-programs: Your numbers are right, but beside your compiled part others run, and arrays between them are written
    and read again. Compile the whole, not a piece of it.
not-compiled: Your numbers are right, but JAX runs a program for each operation. Put `@jax.jit` above the definition.
compiles-in-every-call: Your numbers are right, in one program, but JAX compiles it in every call. Does `jit` get a new
    function each time? Decorate the whole, outside the calls.
"""

one_program = declare(
    "one-program",
    see="one-program-for-all",
    steps=[
        stays_in_jax,
        Agrees(dew_point, air, [(1,), (3, 4)], mistakes=MISTAKES, rtol=1e-4),
        Agrees(dew_point, air, [(1,), (3, 4)], ask=probe.on_jax_arrays, mistakes=MISTAKES, rtol=1e-4),
        Agrees(dew_point, any_air, [(3, 4)], rtol=1e-3, otherwise="some-air-only"),
        Agrees(dew_point, with_gaps, [(1, 3)], rtol=1e-4, otherwise="gap-filled"),
        one_program_of_whole_arrays,
    ],
    words=(LESSON, WORDS),
)
