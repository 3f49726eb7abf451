"""own-dtype-gelu."""

import math

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from jaxcourse import inputs, probe
from jaxcourse.checks import declare, expect, refuse, require
from jaxcourse.exercise import is_close
from jaxcourse.inputs import Asked, Slip, compare

from ._lesson import WORDS as LESSON
from ._lesson import traced


def gelu(x, scale=(2 / math.pi) ** 0.5, cubic=0.044715):
    """The oracle, in `float64`."""
    x = np.asarray(x, float)
    return 0.5 * x * (1 + np.tanh(scale * (x + cubic * x**3)))


GELU_SLIPS = [
    Slip("cube-forgotten", lambda x: gelu(x, cubic=0)),
    Slip("root-of-the-product", lambda x: gelu(x, math.sqrt(2 * math.pi))),
    Slip(
        "bracket",
        lambda x: gelu(x, cubic=0.044715 / math.sqrt(2 / math.pi)),
    ),
    Slip("half-forgotten", lambda x: 2 * gelu(x)),
    Slip(
        "another-approximation",
        lambda x: x / (1 + np.exp(-1.702 * np.asarray(x, float))),
    ),
    Slip(
        "exact-gelu",
        lambda x: 0.5 * np.asarray(x, float) * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))),
    ),
]


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


def check(answer, rng):
    x = rng.normal(scale=2, size=50).astype(np.float32)
    names, raised = answer.attempt(traced, x, expected=probe.NEEDS_A_NUMBER)
    refuse(raised and raised != "TracerArrayConversionError", "asked-for-a-number")
    refuse(raised or any("callback" in name for name in names), "left-jax")
    found = answer.probe(under_jit_in, x, ["bfloat16", "float16", "float32", "float64"])
    refuse("instead" in found, "not-an-array", came=found.get("instead"))
    dtypes = {name: facts["dtype"] for name, facts in found.items()}
    require(dtypes["float32"] == "float32", "dtype-named", came=dtypes["float32"])
    require(dtypes["bfloat16"] == "bfloat16", "widened", came=dtypes["bfloat16"])
    other = next((name for name, dtype in dtypes.items() if name != dtype), "")
    refuse(other, "some-dtypes-only", given=other, came=dtypes.get(other))
    for name, narrower in (("float32", "bfloat16"), ("float32", "float16"), ("float64", "float32")):
        values = found[name]["values"]
        refuse(np.array_equal(values, values.astype(jnp.dtype(narrower))), "digits-lost", name=name, narrower=narrower)
    compare(
        lambda x: answer.probe(probe.under_jit, x),
        gelu,
        lambda rng, shape: (inputs.array(rng, shape, "float32", low=-3 if shape else 0, high=5),),
        rng,
        shapes=[(), (4,), (2, 3)],
        extremes=[(np.array([-80, -20, 20, 80], np.float32),)],  # their exponentials are no numbers
        slips=GELU_SLIPS,
        label="wrong-value",
        rtol=1e-5,
    )
    ends = np.array([-1e4, -300, 300, 1e4], np.float32), np.array([-1e-6, 2e-6, 1e-7, -3e-9], np.float32)
    require_gelu = Asked(lambda x: answer.probe(probe.under_jit, x), gelu, rtol=1e-5)
    require_gelu.require([(end,) for end in ends], "some-sizes-only")
    large = np.array([-7e4, 7e4], np.float32)  # more than a float16 holds
    came = answer.probe(under_jit_in, large, ["bfloat16"])["bfloat16"]["values"]
    require(is_close(came, gelu(large), rtol=0.03), "some-sizes-only/2", given=large.tolist(), came=came)
    values, want = found["float64"]["values"], gelu(x)
    refuse(is_close(values, want, rtol=1e-4) and not is_close(values, want, rtol=1e-9), "digits-lost/2")
    for name, rtol in {"bfloat16": 0.03, "float16": 0.03, "float64": 1e-9}.items():
        want = gelu(x.astype(name).astype(float))
        expect(found[name]["values"], want, "wrong-value/2", name=name, rtol=rtol)


WORDS = """
hint: Which of your constants is not a Python number?
hint: `2 ** 0.5` is weak, `np.sqrt(2)` is not.
cube-forgotten: The cube is missing: 0.044715 x³ belongs to what is in brackets.
root-of-the-product: The root is that of 2/π, not of 2π.
bracket: The root multiplies `x` only. In the formula it stands before the bracket, so the cube has it too.
half-forgotten: That is twice the GELU: x/2 stands before the bracket.
another-approximation: That is another approximation of the GELU, by a sigmoid. Take the formula of the task.
exact-gelu: That is the GELU with the error function. Take the formula of the task, which is near it.
asked-for-a-number: When it is traced, your code asks for the numbers in `x` (`if`, `float`, `.item()`): a tracer has
    none.
left-jax: Somewhere in it the numbers leave JAX: a function of NumPy works on `x`, or the result is not a JAX array.
not-an-array: An object of type `{came}` came back, and not an array: `return` the GELU of each element.
dtype-named: In: `float32`, out: `{came}`. The result should have the dtype of `x`, whichever that is.
widened: In: `bfloat16`, out: `{came}`, and so is everything that follows in the network. Something in it is
    strong: a NumPy scalar, an array, a dtype that is named. A Python number is not.
some-dtypes-only: Right for `bfloat16` and `float32`. In: `{given}`, out: `{came}`.
digits-lost: In: `{name}`, out: `{name}`, but all results have no more digits than `{narrower}`.
wrong-value: The dtype is right, but that is not the GELU.
some-sizes-only: Right for numbers near 1, not for very large or very small ones. The formula has no limits.
some-sizes-only/2: Right for numbers near 1, not for very large or very small ones. The formula has no limits. Of
    {given} you make {came}.
digits-lost/2: In: `float64`, out: `float64`, but it is right to fewer than nine digits: a constant has no more, or a
    part is computed in a narrower dtype.
wrong-value/2: Right for `float32`, and not for `{name}`.
"""

own_dtype_gelu = declare(
    "own-dtype-gelu",
    see="two-promotions",
    steps=[check],
    words=(LESSON, WORDS),
)
