"""How shapes broadcast, and which cells are only repeated."""

import functools
import math
import string
from collections.abc import Sequence

import numpy as np

from jaxcourse.draw._elements import (
    MAX_COLUMNS,
    MAX_ELEMENTS,
    MAX_ROWS,
    Array,
    Index,
    repeated_axes,
    require_numbers,
    stored_elements,
)
from jaxcourse.draw._grids import CELL, Box, cell_width, draw_grids, grid_of, index_tables
from jaxcourse.draw._words import counted, element_title, spellings_of
from jaxcourse.svg import ORANGE, VIRTUAL, WIDTH, Picture, Sheet

_LENGTH_WIDTH = 56.0


def broadcast(*arrays: Array | complex) -> Picture:
    """Draw how arrays broadcast: their shapes aligned on the right, and the cells that are only repeated.

    Repeated cells are dashed: they take no memory, because their stride is 0. The result is shown for `+`. Shapes
    that do not broadcast are drawn as well, with the clashing axis marked. If the result has more
    than 2 axes, 16 rows, 12 columns or 128 elements, only the shapes are drawn.

    Args:
        *arrays: 2 to 5 NumPy arrays of numbers, or plain numbers, of at most 5 axes.

    Returns:
        The picture.

    Raises:
        ValueError: not 2 to 5 operands, one of them holds no numbers, or has more than 5 axes.

    Example:
        >>> broadcast(np.ones((4, 3)), np.ones(4))
        Shapes (4, 3) and (4,) do not broadcast: on axis -1 the lengths 3 and 4 differ and neither is 1.
    """
    operands = _require_operands(arrays)
    shapes = [operand.shape for operand in operands]
    sheet = Sheet()
    bottom = _draw_shape_table(sheet, shapes)
    if _clashes(shapes):
        alt = _clash_alt(shapes)
        return sheet.picture(bottom, alt, alt)
    if _fits_a_grid(np.broadcast_shapes(*shapes)):
        bottom = _draw_sum(sheet, bottom + 20, operands)
    return sheet.picture(bottom, _broadcast_alt(operands), _broadcast_caption(operands))


def _require_operands(arrays: Sequence[Array | complex]) -> list[Array]:
    if not 2 <= len(arrays) <= 5:
        raise ValueError(f"draw.broadcast takes 2 to 5 arrays, got {len(arrays)}")
    operands: list[Array] = []
    for given in arrays:
        operand = given if not isinstance(given, int | float | complex | np.number) else np.asarray(given)
        require_numbers(operand)
        if operand.ndim > 5:
            raise ValueError(f"shapes of at most 5 axes can be drawn, not {operand.shape}")
        operands.append(operand)
    return operands


def _lengths(shapes: Sequence[Index], axis: int) -> list[int]:
    """The lengths on an axis counted from the right (-1 is the last): 1 where a shape is too short."""
    return [shape[axis] if -axis <= len(shape) else 1 for shape in shapes]


def _result_length(shapes: Sequence[Index], axis: int) -> int:
    return next((n for n in _lengths(shapes, axis) if n != 1), 1)


def _clashes(shapes: Sequence[Index]) -> list[int]:
    axes = range(-max(map(len, shapes)), 0)
    return [axis for axis in axes if len({n for n in _lengths(shapes, axis) if n != 1}) > 1]


def _clash_alt(shapes: Sequence[Index]) -> str:
    clashes = []
    for axis in _clashes(shapes):
        lengths = [str(n) for n in dict.fromkeys(_lengths(shapes, axis)) if n != 1]
        none = "neither" if len(lengths) == 2 else "none of them"
        clashes.append(f"on axis {axis} the lengths {' and '.join(lengths)} differ and {none} is 1")
    return f"Shapes {' and '.join(map(str, shapes))} do not broadcast: {'; '.join(clashes)}."


def _broadcast_alt(operands: Sequence[Array]) -> str:
    shapes = [operand.shape for operand in operands]
    result = np.broadcast_shapes(*shapes)
    words = [f"Shapes {' and '.join(map(str, shapes))} broadcast to {result}."]
    for name, operand in zip(string.ascii_lowercase, operands, strict=False):
        axes = [axis - len(result) for axis in repeated_axes(np.broadcast_to(operand, result))]
        along = " and ".join(f"axis {axis}" for axis in axes)
        words.append(f"{name} is repeated along {along}." if axes else f"{name} is used as it is.")
    return " ".join(words)


def _broadcast_caption(operands: Sequence[Array]) -> str:
    result = np.broadcast_shapes(*[operand.shape for operand in operands])
    words = []
    for name, operand in zip(string.ascii_lowercase, operands, strict=False):
        strides = np.broadcast_to(operand, result).strides
        unbroken = str(strides).replace(" ", "\xa0")
        words.append(f"{name} has strides {unbroken}, {counted(operand.size, 'element')} stored")
    shown = "Its values are shown for +." if _fits_a_grid(result) else "Its cells are too many to draw."
    return (
        f"As broadcast: {'; '.join(words)}. A stride of 0 repeats an element without storing it again; "
        f"the result stores all {math.prod(result)}. {shown}"
    )


def _draw_shape_table(sheet: Sheet, shapes: Sequence[Index]) -> float:
    """Write the shapes aligned on the right, with what happens to each length, and return the bottom."""
    axes = range(-max(1, *map(len, shapes)), 0)
    clashes = _clashes(shapes)
    bottom = 20.0 + 26 * len(shapes)
    for axis in axes:
        x = 150 + _LENGTH_WIDTH * (axis - axes.start)
        sheet.faint(x + _LENGTH_WIDTH / 2, 12, f"axis {axis}")
        for row, shape in enumerate(shapes):
            _draw_length(sheet, x, 20.0 + 26 * row, axis, shape, _result_length(shapes, axis))
        if axis in clashes:
            sheet.rect(x, 17, _LENGTH_WIDTH, bottom - 18, stroke=ORANGE, stroke_width=2.5)
        result = "clash" if axis in clashes else str(_result_length(shapes, axis))
        sheet.text(x + _LENGTH_WIDTH / 2, bottom + 23, result, font_weight="bold")
    names = [*string.ascii_lowercase[: len(shapes)], "result"]
    words = [*map(str, shapes), "none" if clashes else str(np.broadcast_shapes(*shapes))]
    for row, (name, shape_words) in enumerate(zip(names, words, strict=True)):
        y = bottom + 23 if name == "result" else 37.0 + 26 * row
        sheet.text(0, y, name, 12.0, "start", font_weight="bold")
        sheet.text(60, y, shape_words, 12.0, "start")
    sheet.path(f"M0 {bottom + 5:g}h{150 + _LENGTH_WIDTH * len(axes):g}")
    return bottom + 30


def _draw_length(sheet: Sheet, x: float, y: float, axis: int, shape: Index, result: int) -> None:
    """Write one length: dashed where the shape has no such axis, with an arrow where it is stretched."""
    length = _lengths([shape], axis)[0]
    look = {"stroke_dasharray": VIRTUAL} if -axis > len(shape) else {}
    sheet.rect(x + 4, y, _LENGTH_WIDTH - 8, 22, **look)
    sheet.text(x + _LENGTH_WIDTH / 2, y + 15, f"1→{result}" if length == 1 != result else str(length))


def _fits_a_grid(shape: Index) -> bool:
    rows, columns = (1, 1, *shape)[-2:]
    fits = 1 <= rows <= MAX_ROWS and 1 <= columns <= MAX_COLUMNS and rows * columns <= MAX_ELEMENTS
    return fits and len(shape) <= 2


def _draw_sum(sheet: Sheet, y: float, operands: Sequence[Array]) -> float:
    """Draw the operands as broadcast, and their sum, as grids of one shape; return the bottom."""
    with np.errstate(all="ignore"):
        result: Array = np.asarray(functools.reduce(np.add, operands))
    stretched = [np.broadcast_to(operand, result.shape) for operand in operands]
    signs = ["", *"+" * (len(operands) - 1), "="]
    names = [*string.ascii_lowercase[: len(operands)], "result"]
    table = index_tables(result.shape)[0] if result.ndim == 2 else [list(np.ndindex(result.shape))]
    boxes = [_sum_boxes(array, name) for array, name in zip([*stretched, result], names, strict=True)]
    columns = len(table[0])
    room = (WIDTH - 42 * len(boxes)) / (columns * len(boxes))
    every = [box for operand in boxes for box in operand.values()]
    look = {"cell": cell_width(every, max(26.0, min(CELL, room)), (WIDTH - 42) / columns), "height": 26.0}
    parts = zip(boxes, names, signs, strict=True)
    return draw_grids(sheet, y, [grid_of(table, box, name=name, sign=sign, **look) for box, name, sign in parts])[1]


def _sum_boxes(array: Array, name: str) -> dict[Index, Box]:
    first = set(stored_elements(array).values())
    return {
        index: Box(spellings_of(array[index]), "", index not in first, element_title(name, index, array[index]))
        for index in np.ndindex(array.shape)
    }
