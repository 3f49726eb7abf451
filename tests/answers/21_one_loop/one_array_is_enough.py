"""Answers to one-array-is-enough."""

import jax
import numba as nb
import numpy as np

from jaxcourse.exercise import right, wrong


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
