"""not-later: the mask of `n` rows and columns that is true where the column is not later than the row."""

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules

from . import _lesson
from ._lesson import column_and_row


def lower_triangle(n):
    return [[j <= i for j in range(n)] for i in range(n)]


def compared(compare):
    return lambda n: compare(*column_and_row(n))


MISTAKES = {
    "upper-triangle": compared(lambda i, j: j >= i),
    "diagonal-lost": compared(lambda i, j: j < i),
    "no-table": compared(lambda i, j: j <= j),
    "other-diagonal": compared(lambda i, j: i + j < len(j)),
    "contrary": compared(lambda i, j: j > i),
}
SIZES = [(n,) for n in (1, 2, 3, 4, 5, 9)]

WORDS = """
hint: Compare the index of the row, a column, with the index of the column, a row.
upper-triangle: Your mask is true where the column is *greater*, or equal. Exchange the two sides.
diagonal-lost: You left out the diagonal. An event may be its own cause here.
other-diagonal: That is the triangle on the other diagonal. It compares `i + j` with `n`, and not `j` with `i`.
contrary: Your mask is the opposite, true where the column is *greater*.
"""

not_later = declare(
    "not-later",
    see="loop-is-an-axis",
    steps=[Solves(lower_triangle, lambda rng: SIZES, many=lambda rng: [(130,)], mistakes=MISTAKES)],
    without=[Rules()],
    words=(_lesson.WORDS, WORDS),
)
