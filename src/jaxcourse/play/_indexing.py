"""Which elements an index takes, in which shape and order, and whether as a view or as a copy."""

from __future__ import annotations

import ast

import numpy as np

from jaxcourse.play._play import Field, Play, start
from jaxcourse.play._words import Array, counted, evaluated, tuple_of

FIELDS = (
    Field("shape", "shape of x", "Lengths, such as 3, 4"),
    Field("index", "expression", "x[...] with numbers, slices, None, ..., [0, 2] or [True, False]", wide=True),
)
STATE = {"shape": "4, 6", "index": "x[[0, 2, 2], 1:4]"}
EXAMPLES = {
    "a number": {"shape": "4, 6", "index": "x[1]"},
    "pairs": {"shape": "4, 6", "index": "x[[0, 1, 3], [5, 0, 2]]"},
    "a grid": {"shape": "4, 6", "index": "x[[[0], [3]], [1, 2, 5]]"},
    "a mask": {"shape": "4, 6", "index": "x[[True, False, True, True]]"},
    "axes that move": {"shape": "2, 3, 4", "index": "x[[0, 1], :, [0, 2]]"},
    "axes that stay": {"shape": "2, 3, 4", "index": "x[:, [0, 1], [0, 2]]"},
    "a new axis": {"shape": "5", "index": "x[:, None]"},
}


def indexing(index: str | None = None, *, shape: str | None = None) -> Play:
    """Let the reader choose an array and an index, and see which elements it takes.

    The elements of `x` are counted from 0 in C order.

    Args:
        index: the expression at the start, such as `"x[[0, 2], 1:]"`.
        shape: the shape of `x` at the start, such as `"3, 4"`.

    Returns:
        The picture, to be shown by a notebook.

    Raises:
        ValueError: if NumPy refuses that start.

    Example:
        >>> print(indexing("x[[2, 0]]", shape="3, 2").says)
        x[[2, 0]] takes 4 elements of the 6 of x: shape (2, 2). Lists name elements one by one: a copy.
        Together they give the shape (2,). In order: 4, 5, 0, 1.
    """
    state = start("indexing", STATE, {"index": index, "shape": shape})
    question = "Choose an array and an index, and see what it takes."
    says, scripts = indexing_says(**state), ("shapes", "arrays", "lists")
    return Play("indexing", question, FIELDS, state, says, EXAMPLES, scripts=scripts)


def indexing_says(shape: str, index: str) -> str:
    """What the picture says, by NumPy itself."""
    lengths = tuple_of(shape)
    x, text = np.arange(np.prod(lengths, dtype=int)).reshape(lengths), index.strip()
    found = evaluated(text, x)
    if isinstance(found, np.generic):
        return f"{text} is a single number, element {found} of x. It shares no memory with x."
    words = [f"{text} takes {counted(found.size, 'element')} of the {x.size:,} of x: shape {found.shape}."]
    words += _lists(text, x, found)
    if twice := found.size - len(np.unique(found)):
        words.append(f"{counted(twice, 'element')} of the result repeat{'s' * (twice == 1)} another.")
    if found.size:
        first = ", ".join(map(str, found.ravel()[:12].tolist()))
        words.append(f"In order: {first}{', …' * (found.size > 12)}.")
    return " ".join(words)


def _lists(text: str, x: Array, found: Array) -> list[str]:
    """Whether it is a copy, and what its lists give together: the result of the same index without all the rest."""
    expression = ast.parse(text, mode="eval").body
    assert isinstance(expression, ast.Subscript)
    parts = expression.slice.elts if isinstance(expression.slice, ast.Tuple) else [expression.slice]
    lists = [part for part in parts if _names_elements(part)]
    if not lists:
        return ["Numbers, slices, None and ... alone: a view."]
    indices = [part for part in parts if _names_elements(part) or _is_number(part)]
    arrays = [np.asarray(ast.literal_eval(part)) for part in indices]
    joint = np.broadcast_shapes(*(_shape_of(array) for array in arrays))
    words = [f"Lists name elements one by one: a copy. Together they give the shape {joint}."]
    places = [place for place, part in enumerate(parts) if part in indices]
    if places[-1] - places[0] + 1 > len(places):
        words.append("Something stands between them, so that shape comes first.")
    return words


def _shape_of(array: Array) -> tuple[int, ...]:
    """What an index array adds to the shape: a mask counts where it is true."""
    return (int(array.sum()),) if array.dtype == bool else array.shape


def _names_elements(part: ast.expr) -> bool:
    return isinstance(part, ast.List) or (isinstance(part, ast.Constant) and isinstance(part.value, bool))


def _is_number(part: ast.expr) -> bool:
    try:
        return isinstance(ast.literal_eval(part), int)
    except ValueError:
        return False
