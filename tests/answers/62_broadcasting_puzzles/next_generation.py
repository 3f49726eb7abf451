"""Answers to next-generation."""

import jax.numpy as jnp

from jaxcourse.exercise import equivalent, right, wrong


@right("next-generation")
def a_table_with_four_axes(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    rows, columns = i[:, None] - i, j[:, None] - j
    close = ((rows * rows <= 1)[:, None, :, None]) & ((columns * columns <= 1)[None, :, None, :])
    alive = (close * board).sum(axis=(2, 3))
    return jnp.where(alive == 3, 1, jnp.where(alive == 4, board, 0))


@right("next-generation")
def neighbours_by_indices(board):
    rows, columns = board.shape
    i, j = jnp.arange(rows)[:, None], jnp.arange(columns)
    up, down = jnp.where(i > 0, board[i - 1, j], 0), jnp.where(i < rows - 1, board[(i + 1) % rows, j], 0)
    three = up + board + down
    left, right_ = jnp.where(j > 0, three[i, j - 1], 0), jnp.where(j < columns - 1, three[i, (j + 1) % columns], 0)
    neighbours = left + three + right_ - board
    return (neighbours == 3) | ((neighbours == 2) & (board > 0))


@wrong("next-generation", "not-a-primitive")
def with_abs(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    alive = (abs(i - i[:, None]) <= 1) @ board @ (abs(j - j[:, None]) <= 1)
    return (alive == 3) | ((alive == 4) & (board == 1))


@wrong("next-generation", "loops")
def shift_by_shift(board):
    padded = jnp.pad(board, 1)
    rows, columns = board.shape
    alive = sum(padded[k : k + rows, m : m + columns] for k in range(3) for m in range(3))
    return (alive == 3) | ((alive == 4) & (board == 1))


@wrong("next-generation", "truth-value")
def joins_masks_by_words(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    alive = ((i - i[:, None]) ** 2 < 2) @ board @ ((j - j[:, None]) ** 2 < 2)
    return alive == 3 or (alive == 4 and board == 1)


@wrong("next-generation", "truth-value")
def chains_comparisons(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    alive = (-1 <= i - i[:, None] <= 1) @ board @ (-1 <= j - j[:, None] <= 1)
    return (alive == 3) | ((alive == 4) & (board == 1))


@wrong("next-generation", "one-mask")
def takes_rows_for_columns(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    alive = ((j - j[:, None]) ** 2 < 2) @ board @ ((i - i[:, None]) ** 2 < 2)
    return (alive == 3) | ((alive == 4) & (board == 1))


@wrong("next-generation", "one-direction")
def masks_the_diagonal_alone(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    alive = ((i - i[:, None]) ** 2 < 1) @ board @ ((j - j[:, None]) ** 2 < 2)
    return (alive == 3) | ((alive == 4) & (board == 1))


@wrong("next-generation", "wraps-around")
def takes_minus_one_for_outside(board):
    rows, columns = board.shape
    i, j = jnp.arange(rows)[:, None], jnp.arange(columns)
    three = board[i - 1, j] + board + board[(i + 1) % rows, j]
    alive = three[i, j - 1] + three + three[i, (j + 1) % columns]
    return (alive == 3) | ((alive == 4) & (board == 1))


@wrong("next-generation", "counterexample")
def looks_two_rows_away(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    alive = ((i - i[:, None]) ** 2 < 5) @ board @ ((j - j[:, None]) ** 2 < 2)
    return (alive == 3) | ((alive == 4) & (board == 1))


@wrong("next-generation", "counterexample")
def needs_more_to_be_born(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    alive = ((i - i[:, None]) ** 2 < 2) @ board @ ((j - j[:, None]) ** 2 < 2)
    return (alive == 4) | ((alive == 3) & (board == 1))


@wrong("next-generation", "only-three")
def forgets_the_brackets(board):
    i, j = jnp.arange(len(board)), jnp.arange(len(board[0]))
    alive = ((i - i[:, None]) ** 2 < 2) @ board @ ((j - j[:, None]) ** 2 < 2)
    return alive == 3 | (alive == 4) & (board == 1)


equivalents = [
    equivalent("next-generation", "`1`  ->  `-1`", "a board has two axes: the second is the last"),
    equivalent(
        "next-generation",
        "`(i - i[:, None]) ** 2 < 2`  ->  `(i - i[:, None]) ** 2 <= 2`",
        "squares of whole numbers are 0, 1, 4, ...: none is 2",
    ),
    equivalent(
        "next-generation",
        "`(j - j[:, None]) ** 2 < 2`  ->  `(j - j[:, None]) ** 2 <= 2`",
        "squares of whole numbers are 0, 1, 4, ...: none is 2",
    ),
    equivalent("next-generation", "`i - i[:, None]`  ->  `i[:, None] - i`", "it is squared"),
    equivalent("next-generation", "`j - j[:, None]`  ->  `j[:, None] - j`", "it is squared"),
    equivalent("next-generation", "`2`  ->  `3`", "squares of whole numbers are 0, 1, 4, ...: none is 2"),
    equivalent(
        "next-generation",
        "`((alive == 3) | (alive == 4) & (board == 1)) * 1`  ->  `((alive == 3) | (alive == 4) & (board == 1)) / 1`",
        "0.0 and 1.0 are 0 and 1: no dtype is asked for",
    ),
    equivalent(
        "next-generation",
        "`((alive == 3) | (alive == 4) & (board == 1)) * 1`  ->  `(alive == 3) | (alive == 4) & (board == 1)`",
        "False and True are 0 and 1: no dtype is asked for",
    ),
]
