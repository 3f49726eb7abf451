"""Answers to fused-loop."""

import jax
import jax.numpy as jnp
import numba as nb
import numpy as np

from jaxcourse.exercise import equivalent, right, wrong


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


residuals_by_jax = jax.jit(lambda observed, expected: (observed - expected) / jnp.sqrt(expected + 0.375))


@wrong("fused-loop", "makes-an-array")
def fills_it_from_jax(observed, expected, out):
    out[:] = residuals_by_jax(observed, expected)
    return out


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


@nb.vectorize(["float64(float64, float64)"])
def declared_for_float64(o, e):
    """What an answer calls."""
    return (o - e) / np.sqrt(e + np.float32(0.375))


@wrong("fused-loop", "float64-inside")
def by_a_signature_of_float64(observed, expected, out):
    return declared_for_float64(observed, expected, out)


equivalents = [
    equivalent("fused-loop", "`out`  ->  `observed`", "all three have one length"),
    equivalent("fused-loop", "`out`  ->  `expected`", "all three have one length"),
]
