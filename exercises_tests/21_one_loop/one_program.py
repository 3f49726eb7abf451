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
above-a-hundred: Where the humidity is above 100, count it as 100: there dew forms as at 100.
limit-turned-round: `maximum` keeps the larger of two numbers, so all air became as wet as can be. The limit is
    a hundred from above: `minimum`.
percent-forgotten: The humidity comes in percent: divide it by 100 before you take the logarithm.
other-logarithm: That is the logarithm to base 10. The formula has the natural one, `jnp.log`.
brackets: The sum below the line needs brackets: `17.625 * temperature / (243.04 + temperature)`.
leaves-jax: NumPy asks for numbers, and while JAX traces your function there are none. Write `jnp`, not `np`.
mask-as-an-index [fixed-shapes]: A shape depends on the numbers, and while JAX traces your function nobody knows them:
    a mask between the brackets asks for the places where it is true, and so does `jnp.where` of a mask alone. Keep the
    shape: choose with `jnp.where` of three arguments, or `jnp.minimum`.
element-assigned: A JAX array never changes, so nothing can be assigned to its elements; and a mask as an index fails
    under `jit` in `.at[mask].set` as well. Make a new array: choose with `jnp.where` or `jnp.minimum`.
asks-for-a-number: While JAX traces your function there are no numbers, and your code asks for one: `float`, `math`,
    `if`.
leaves-jax/2: What came back is no JAX array. Let JAX compute it, with `jnp`, and return what it gives.
wrong-value: That is not the dew point.
some-air-only: Right for most air, not for very dry air or far above 100 percent: nothing but the humidity is
    limited, at 100 and nowhere else, and nothing is added.
gap-filled: NaN says that a reading is missing, and a dew point was made of it. What is not above 100 stays as it is,
    NaN too: `jnp.minimum` and NumPy's line keep it.
unrolled: Right, but the program has {few} operations for 12 numbers and {many} for 36: Python's loop ran while JAX
    traced, and all its turns were written down. Write the formula for whole arrays.
leaves-jax/3: Right, but a callback leaves it to NumPy: that is no part of the program.
several-programs: Right, but beside a compiled part others run, and what lies between is written and read again.
    Compile the whole, not a piece of it.
not-compiled: Right, but JAX runs a program for each operation. Put `@jax.jit` above the definition.
compiles-in-every-call: Right, and one program, but compiled anew in every call: `jit` gets a new function each
    time, or none that it keeps. Decorate the whole, outside of the calls.
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
