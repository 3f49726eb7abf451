"""all-products: the table of the products of every element of `a`, down, with every one of `b`, to the right."""

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules, growing

from . import _lesson
from ._lesson import digits


def products(a, b):
    return [[p * q for q in b] for p in a]


def cases(rng):
    drawn = growing(lambda n: (digits(rng, n), digits(rng, 7 % n + 1)), largest=4, tries=4)
    return [*drawn, (digits(rng, 7), digits(rng, 3))]


def many(rng):
    return [(digits(rng, 130), digits(rng, 131))]


MISTAKES = {
    "table-transposed": lambda a, b: a * b[:, None],
    "no-table": lambda a, b: a * b,
    "summed-up": lambda a, b: (a[:, None] * b).sum(1),
    "sums-not-products": lambda a, b: a[:, None] + b,
}

WORDS = """
hint: `a` runs down, so it is a column. `b` runs to the right, so it is a row.
table-transposed: Your table has rows for `b` and columns for `a`. It should be the other way round.
summed-up: The table was summed over its columns. Keep it.
sums-not-products: You returned a table of sums. It should be one of products.
"""

all_products = declare(
    "all-products",
    see="loop-is-an-axis",
    steps=[Solves(products, cases, many=many, mistakes=MISTAKES)],
    without=[Rules()],
    words=(_lesson.WORDS, WORDS),
)
