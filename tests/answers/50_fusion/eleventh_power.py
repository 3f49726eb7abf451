"""Answers to eleventh-power."""

import numpy as np

from jaxcourse.exercise import right, wrong


@wrong("eleventh-power", "too-many-products")
def ten_products(x, multiply):
    result = x
    for _ in range(10):
        result = multiply(result, x)
    return result


@wrong("eleventh-power", "not-counted")
def asks_numpy(x, multiply):
    return np.linalg.matrix_power(x, 11)


@wrong("eleventh-power", "not-counted")
def forgets_to_count_the_last(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    return multiply(fourth, fourth) @ square @ x


@wrong("eleventh-power", "not-counted")
def hides_a_product(x, multiply):
    plain = np.array(x.tolist())
    square = plain @ plain
    fourth = multiply(square, square)
    return multiply(multiply(fourth, fourth), multiply(square, x))


@wrong("eleventh-power", "too-many-products")
def begins_with_the_identity(x, multiply):
    result = np.eye(len(x))
    for bit in "1011":
        result = multiply(result, result)
        result = multiply(result, x) if bit == "1" else result
    return result


@wrong("eleventh-power", "element-wise")
def powers_of_elements(x, multiply):
    return x**11


@wrong("eleventh-power", "element-wise-square")
def squares_each_element(x, multiply):
    square = x**2
    fifth = multiply(multiply(square, square), x)
    return multiply(multiply(fifth, fifth), x)


@wrong("eleventh-power", "element-wise-square")
def squares_each_element_and_goes_on(x, multiply):
    square = x**2
    fourth = multiply(square, square)
    return multiply(multiply(multiply(fourth, fourth), square), x)


@wrong("eleventh-power", "another-power")
def one_factor_too_many(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    return multiply(multiply(fourth, fourth), fourth)


@wrong("eleventh-power", "changed-input")
def leaves_the_power_in_x(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    x[:] = multiply(multiply(multiply(fourth, fourth), square), x)
    return x


@wrong("eleventh-power", "wrong-value")
def adds_the_parts(x, multiply):
    square = multiply(x, x)
    fourth = multiply(square, square)
    return multiply(fourth, fourth) + square + x


@right("eleventh-power")
def five_and_five_and_one(x, multiply):
    square = multiply(x, x)
    fifth = multiply(multiply(square, square), x)
    return multiply(x, multiply(fifth, fifth))


@wrong("eleventh-power", "too-many-products")
def from_the_identity_and_by_bits(x, multiply):
    result, exponent = np.eye(len(x)), 11
    while exponent:
        if exponent % 2:
            result = multiply(result, x)
        x, exponent = multiply(x, x), exponent // 2
    return result
