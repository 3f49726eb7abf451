"""eleventh-power: the eleventh power of a matrix, in five products."""

import functools

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import Agrees, declare, require
from jaxcourse.exercise import is_close

from ._lesson import WORDS as LESSON


def chain(x):
    """Ten products, one after the other."""
    return functools.reduce(np.matmul, [x] * 11)


def square_matrix(rng, n):
    return (inputs.array(rng, (n, n), low=-1, high=1),)


def products_counted(power, x):
    """The power, how many products it took, and what comes if each product is marked by a factor of 2."""
    products = 0

    def multiply(a, b):
        nonlocal products
        products += 1
        return np.asarray(a) @ np.asarray(b)

    def doubling(a, b):
        return 2 * (np.asarray(a) @ np.asarray(b))

    result = power(x, multiply)
    return {"values": result, "products": products, "marked": power(x, doubling)}


def in_five_products(answer, replies):
    """No power should have taken more products, and all of them should have gone through `multiply`."""
    most = max(reply.whole["products"] for reply in replies)
    require(most <= 5, "too-many-products", most=most)
    # An eleventh power is ten products deep, however they are shared: each leaves its mark.
    require(all(is_close(reply.whole["marked"], 2**10 * reply.want) for reply in replies), "not-counted")


def raised_to(k):
    return lambda x: np.linalg.matrix_power(x, k)


OTHERS = (1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16)
MISTAKES = {
    "element-wise": lambda x: x**11,
    "element-wise-square": [
        lambda x: x**2 @ x**2 @ x @ x**2 @ x**2 @ x @ x,
        lambda x: np.linalg.matrix_power(x**2, 5) @ x,
        lambda x: x @ np.linalg.matrix_power(x**2, 5),
    ],
    **{f"another-power/{k}": raised_to(k) for k in OTHERS},
}

WORDS = """
hint: Which power do you get if you square a square? Keep what you have: x², then x⁴, …
hint: 11 = 8 + 2 + 1. Three squarings, and two products that put the parts together.
element-wise: You took each element to the power of 11. The eleventh power of a matrix is a chain of products.
element-wise-square: You squared each element, as `x**2` and `x * x` do. The square of a matrix is `multiply(x, x)`.
wrong-value: Your result is not the eleventh power. Add up the exponents: which one do you get?
too-many-products: Your power is right, and five products are enough. Square what is a square already, and make no
    product with the identity. You made {most}.
not-counted: Your power is right, but not every product went through `multiply`, which counts them for us.
"""

POWERS = "\n".join(f"another-power/{k}: That is x to the power of {k}." for k in OTHERS)
eleventh_power = declare(
    "eleventh-power",
    see="repeated-work",
    steps=[
        Agrees(
            chain,
            square_matrix,
            [1, 2, 3, 6],
            ask=products_counted,
            reads=lambda facts, x: facts["values"],
            mistakes=MISTAKES,
            then=[in_five_products],
            shows="eleventh_power({}, multiply)",
        ),
    ],
    words=(LESSON, POWERS, WORDS),
)
