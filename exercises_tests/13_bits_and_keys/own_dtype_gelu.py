"""own-dtype-gelu: a GELU whose result has the dtype of its argument."""

import math

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import Agrees, declare, expect, refuse, require
from jaxcourse.exercise import is_close


def gelu(x, scale=(2 / math.pi) ** 0.5, cubic=0.044715):
    """In double precision."""
    x = np.asarray(x, float)
    return 0.5 * x * (1 + np.tanh(scale * (x + cubic * x**3)))


def exact_gelu(x):
    return 0.5 * np.asarray(x, float) * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))


def of_either_sign(rng, shape):
    """Numbers of which one is positive: of far negative ones rounding leaves nothing to compare."""
    x = inputs.array(rng, shape, "float32", low=-3, high=5)
    x.flat[0] = 1 + abs(x.flat[0])
    return (x,)


def normal_numbers(rng):
    return rng.normal(scale=2, size=50).astype(np.float32)


def under_jit_in(function, x, names):
    """For each dtype of the argument the dtype of the result under `jit`, and the result in double precision.

    If the result is no array, its type instead.
    """
    found = {}
    for name in names:
        with (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(name == "float64"):
            result = jax.jit(function)(x.astype(name))
            if not isinstance(result, jax.Array):
                return {"instead": type(result).__name__}
            found[name] = {"dtype": str(result.dtype), "values": np.asarray(result).astype(float)}
    return found


def stays_in_jax(answer, rng):
    """No number leaves JAX.

    A function, since it looks at the program, and at what is raised while it is traced.
    """
    names, raised = answer.attempt(probe.primitives, normal_numbers(rng), expected=probe.NEEDS_A_NUMBER)
    refuse(raised and raised != "TracerArrayConversionError", "asked-for-a-number")
    refuse(raised or any("callback" in name for name in names), "left-jax")


def keeps_the_dtype(answer, rng):
    """The result has the dtype of the argument, and its digits.

    A function, since several dtypes tell together which of them is lost; their digits tell of one on the way.
    """
    found = answer.probe(under_jit_in, normal_numbers(rng), DTYPES)
    refuse("instead" in found, "not-an-array", came=found.get("instead"))
    dtypes = {name: facts["dtype"] for name, facts in found.items()}
    require(dtypes["float32"] == "float32", "dtype-named", came=dtypes["float32"])
    require(dtypes["bfloat16"] == "bfloat16", "widened", came=dtypes["bfloat16"])
    other = next((name for name, dtype in dtypes.items() if name != dtype), "")
    refuse(other, "some-dtypes-only", given=other, came=dtypes.get(other))
    for name, narrower in (("float32", "bfloat16"), ("float32", "float16"), ("float64", "float32")):
        values = found[name]["values"]
        refuse(np.array_equal(values, values.astype(jnp.dtype(narrower))), "digits-lost", name=name, narrower=narrower)


def of_numbers_beyond_a_float16(answer, rng):
    """Numbers that a `float16` does not hold are right in `bfloat16`.

    A function, since a `bfloat16` is no dtype of NumPy, and has few digits.
    """
    large = np.array([-7e4, 7e4], np.float32)
    came = answer.probe(under_jit_in, large, ["bfloat16"])["bfloat16"]["values"]
    require(is_close(came, gelu(large), rtol=0.03), "some-sizes-only/2", given=large.tolist(), came=came)


def to_the_digits_of_each_dtype(answer, rng):
    """The result is right to the digits of its dtype.

    A function, since each dtype has a tolerance of its own.
    """
    x = normal_numbers(rng)
    found = {name: facts["values"] for name, facts in answer.probe(under_jit_in, x, DTYPES).items()}
    few = is_close(found["float64"], gelu(x), rtol=1e-4) and not is_close(found["float64"], gelu(x), rtol=1e-9)
    refuse(few, "digits-lost/2")
    for name, rtol in {"bfloat16": 0.03, "float16": 0.03, "float64": 1e-9}.items():
        expect(found[name], gelu(x.astype(name).astype(float)), "wrong-value/2", name=name, rtol=rtol)


DTYPES = ["bfloat16", "float16", "float32", "float64"]
BEYOND_EXP = [(np.array([-80, -20, 20, 80], np.float32),)]  # their exponentials are no numbers
FAR_AND_NEAR = [(np.array([-1e4, -300, 300, 1e4], np.float32),), (np.array([-1e-6, 2e-6, 1e-7, -3e-9], np.float32),)]
MISTAKES = {
    "cube-forgotten": lambda x: gelu(x, cubic=0),
    "root-of-the-product": lambda x: gelu(x, math.sqrt(2 * math.pi)),
    "bracket": lambda x: gelu(x, cubic=0.044715 / math.sqrt(2 / math.pi)),
    "half-forgotten": lambda x: 2 * gelu(x),
    "another-approximation": lambda x: x / (1 + np.exp(-1.702 * np.asarray(x, float))),
    "exact-gelu": exact_gelu,
}

WORDS = """
hint: Which of your constants is not a Python number?
hint: `2 ** 0.5` is weak, `np.sqrt(2)` is not.
cube-forgotten: Your bracket has no cube. 0.044715 x³ belongs in it.
root-of-the-product: Your root is that of 2π. Take that of 2/π.
bracket: Your root multiplies `x` only. In the formula it is before the bracket, so it also multiplies the cube.
half-forgotten: You returned twice the GELU. There is x/2 before the bracket.
another-approximation: You took another approximation of the GELU, by a sigmoid. Take the formula of the task.
exact-gelu: You took the GELU with the error function. Take the formula of the task, which is near it.
asked-for-a-number: Your code asks for the numbers in `x`, by `if`, `float` or `.item()`. A tracer has none: stay
    with arrays.
left-jax: Your numbers leave JAX somewhere: a NumPy function works on `x`, or the result is not a JAX array. Write
    `jnp`.
not-an-array: Return the GELU of each element. An object of type `{came}` came back, and not an array.
dtype-named: Your result should have the dtype of `x`, whichever that is. In: `float32`, out: `{came}`.
widened: In: `bfloat16`, out: `{came}`, and so is everything that follows in the network. Which part is strong: a
    NumPy scalar, an array, a named dtype? A Python number is not.
some-dtypes-only: Your dtype is right for `bfloat16` and `float32`. In: `{given}`, out: `{came}`.
digits-lost: In: `{name}`, out: `{name}`, but your results have no more digits than `{narrower}`. Does one step go
    through that dtype?
wrong-value: Your dtype is right, but your numbers are not those of the GELU.
some-sizes-only: Your answer is right for numbers near 1, and not for very large or very small ones. The formula has
    no limits.
some-sizes-only/2: Your answer is right near 1, and not for very large or very small numbers. The formula has no
    limits. In: {given}, out: {came}.
digits-lost/2: In: `float64`, out: `float64`, but your result has fewer than nine right digits. Does a constant have
    fewer, or is one step in a narrower dtype?
wrong-value/2: Your answer is right for `float32`, and not for `{name}`.
"""

COMPILED = {"ask": probe.under_jit, "rtol": 1e-5}
own_dtype_gelu = declare(
    "own-dtype-gelu",
    see="two-promotions",
    steps=[
        stays_in_jax,
        keeps_the_dtype,
        Agrees(gelu, of_either_sign, [(), (4,), (2, 3)], extremes=BEYOND_EXP, mistakes=MISTAKES, **COMPILED),
        Agrees(gelu, extremes=FAR_AND_NEAR, otherwise="some-sizes-only", **COMPILED),
        of_numbers_beyond_a_float16,
        to_the_digits_of_each_dtype,
    ],
    words=WORDS,
)
