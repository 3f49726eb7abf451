"""eleventh-power."""

import functools

import numpy as np

from jaxcourse import inputs
from jaxcourse.checks import declare, require
from jaxcourse.exercise import is_close
from jaxcourse.inputs import Slip, compare

from ._lesson import WORDS as LESSON


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


POWER_SLIPS = [
    Slip(
        "element-wise",
        lambda x: x**11,
    ),
    *(
        Slip(
            "element-wise-square",
            power,
        )
        for power in (
            lambda x: x**2 @ x**2 @ x @ x**2 @ x**2 @ x @ x,
            lambda x: np.linalg.matrix_power(x**2, 5) @ x,
            lambda x: x @ np.linalg.matrix_power(x**2, 5),
        )
    ),
    *(
        Slip("another-power", lambda x, k=k: np.linalg.matrix_power(x, k), f"That is x to the power of {k}.")
        for k in (1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16)
    ),
]


def check(answer, rng):
    def draw(rng, n):
        return (inputs.array(rng, (n, n), low=-1, high=1),)

    counted = []

    def power(x):
        facts = answer.probe(products_counted, x)
        counted.append((x, facts))
        return facts["values"]

    def chain(x):
        return functools.reduce(np.matmul, [x] * 11)

    compare(power, chain, draw, rng, shapes=[1, 2, 3, 6], slips=POWER_SLIPS, label="wrong-value")
    most = max(facts["products"] for _, facts in counted)
    require(most <= 5, "too-many-products", most=most)
    # An eleventh power is ten products deep, however they are shared: each leaves its mark.
    marked = all(is_close(facts["marked"], 2**10 * chain(x)) for x, facts in counted)
    require(marked, "not-counted")


WORDS = """
hint: Keep what you have: x², then x⁴, …
hint: 11 = 8 + 2 + 1. Three squarings, and two products that put the parts together.
element-wise: That is each element to the power of 11. The eleventh power of a matrix is a chain of products.
element-wise-square: `x**2` and `x * x` square each element. The square of a matrix is `multiply(x, x)`.
wrong-value: That is not the eleventh power.
too-many-products: Right, in {most} products. Five are enough: square what is a square already, and make no product
    that you do not need, such as one with the identity.
not-counted: Right, but not every product went through `multiply`, which counts them for us.
"""

eleventh_power = declare(
    "eleventh-power",
    see="repeated-work",
    steps=[check],
    words=(LESSON, WORDS),
)
