"""next-generation: a board of living and dead cells after one generation of the game of life."""

import numpy as np

from jaxcourse.checks import Solves, declare
from jaxcourse.puzzle import Rules


def lives(board):
    rows, columns = len(board), len(board[0])
    alive = [
        [sum(sum(line[max(j - 1, 0) : j + 2]) for line in board[max(i - 1, 0) : i + 2]) for j in range(columns)]
        for i in range(rows)
    ]
    return [
        [int(alive[i][j] == 3 or (alive[i][j] == 4 and board[i][j] == 1)) for j in range(columns)] for i in range(rows)
    ]


def board_of(rng, shape):
    return (rng.integers(0, 2, size=shape).astype(np.int32),)


def cases(rng):
    """Boards of two shapes, since another one costs compilations: the least with cells on all sides of some cell."""
    return [board_of(rng, shape) for shape in ((3, 3), (3, 4)) for _ in range(12)]


def many(rng):
    return [board_of(rng, (130, 130))]


def near(n):
    """Which of `n` places are neighbours, or the same."""
    return abs(np.arange(n)[:, None] - np.arange(n)) <= 1


def around(board):
    """How many live in each square of nine, with the cell itself."""
    return near(len(board)) * 1 @ board @ near(board.shape[1])


def on_a_torus(board):
    return sum(np.roll(board, (down, right), (0, 1)) for down in (-1, 0, 1) for right in (-1, 0, 1))


def on_a_cross(board):
    return near(len(board)) * 1 @ board + board @ near(board.shape[1]) - board


def ruled(alive, board):
    return (alive == 3) | (alive == 4) & (board == 1)


MISTAKES = {
    "itself-left-out": lambda board: ruled(around(board) - board, board),
    "two-or-three": lambda board: (around(board) == 3) | (around(board) == 2) & (board == 1),
    "wraps-around": lambda board: ruled(on_a_torus(board), board),
    "corners-lost": lambda board: ruled(on_a_cross(board), board),
    "one-direction": [
        lambda board: ruled(near(len(board)) * 1 @ board, board),
        lambda board: ruled(board @ near(board.shape[1]), board),
    ],
    "one-mask": lambda board: ruled(near(len(board)) * 1 @ board @ near(len(board)), board),
    "only-three": lambda board: around(board) == 3,
    "no-births": lambda board: ((around(board) == 3) | (around(board) == 4)) & (board == 1),
    "four-is-enough": lambda board: (around(board) == 3) | (around(board) == 4),
    "counts-returned": around,
}

WORDS = """
hint: `abs(i - k) <= 1` is a mask over the rows `i` and `k`, and `abs(j - l) <= 1` one over the columns `j` and `l`.
    Write them without `abs`.
hint: `near_rows @ board @ near_columns` is `alive`, for all cells at once.
hint: `|` and `&` join masks, with brackets around each comparison.
itself-left-out: You counted the eight neighbours alone. The loops count a square of nine, with the cell itself, and
    compare that with 3 and 4.
two-or-three: With 2 and 3 you follow the game's rule for the eight neighbours alone. The loops count the cell itself as
    well, and compare with 3 and 4.
wraps-around: Your board is a torus. Its left edge touches its right one, or its upper one the lower. Index -1 is the
    last cell, and beyond the edge nothing lives.
corners-lost: Your neighbours at the corners are missing. Both conditions hold at once, which makes a square and not a
    cross.
one-direction: You looked in one direction only, up and down or left and right. One mask of neighbours stands before
    the board, another behind it.
one-mask: Your answer is right for square boards only. The mask before the board needs a column for each row of the
    board, the one behind it a row for each column.
only-three: A cell that lives goes on living where `alive` is 4 as well. If your line says so, bracket each comparison.
    `|` and `&` bind more tightly than `==`.
no-births: No cell is born. Where `alive` is 3, a cell lives, whether it lived before or not.
four-is-enough: Where `alive` is 4, only a cell that lived goes on living.
counts-returned: Those are the numbers of living cells around each. Which of them live next?
"""

next_generation = declare(
    "next-generation",
    points=2,
    see="both-sides",
    steps=[Solves(lives, cases, many=many, mistakes=MISTAKES)],
    without=[Rules()],
    words=WORDS,
)
