"""An array twice: as a grid of indices, and as bytes in memory."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from jaxcourse.draw._elements import (
    LINE_BYTES,
    Array,
    Index,
    addresses_of,
    buffer_of,
    lines_of,
    owner_of,
    repeated_axes,
    require_drawable,
    stored_elements,
)
from jaxcourse.draw._grids import CELL, Bond, Box, Grid, cell_width, draw_grids, grid_of, index_tables
from jaxcourse.draw._memory import Band, draw_memory, element_cells, memory_left
from jaxcourse.draw._words import counted, element_title, spellings_of
from jaxcourse.svg import ADVANCE, WIDTH, Picture, Sheet


def layout(array: Array) -> Picture:
    """Draw an array twice: as a grid of indices, and as the bytes that lie in memory.

    Memory is drawn one cache line per row, at the real addresses modulo 64. Bytes of the buffer that the
    array skips are hatched; elements that the grid repeats without storing them again (stride 0) are dashed.
    An arrow leads from an element to its neighbour in the grid where that holds the next bytes in memory.

    Args:
        array: a NumPy array of numbers, of any strides, with at most 3 axes and 128 elements.

    Returns:
        The picture. Its alt text says in which order memory holds the elements.

    Raises:
        ValueError: the array is too large to draw, does not hold plain numbers, or is not NumPy's.

    Example:
        >>> x = np.arange(6.0).reshape(2, 3)
        >>> print(layout(x.T).alt.split(", in ")[0])
        Array of shape (3, 2), float64, F order: memory holds column 0, then column 1
    """
    require_drawable(array)
    sheet = Sheet()
    bottom = _draw_array(sheet, array)
    band = Band(element_cells(array))
    bottom = draw_memory(sheet, bottom + 22, [band], array, left=memory_left(array), says="byte offsets above")
    return sheet.picture(bottom, _layout_alt(array))


def _draw_array(sheet: Sheet, array: Array) -> float:
    """Draw the grids of an array with its facts on their right, or below them if there is no room."""
    grids, facts = _offset_grids(array), _facts(array)
    arrows = "; arrows lead to the next bytes in memory" if any(grid.bonds for grid in grids) else ""
    top = sheet.paragraph(0, 12, f"Array: value and byte offset{arrows}")
    right, bottom = draw_grids(sheet, top + 5, grids)
    width = 66 + max(len(value) for _, value in facts) * 12 * ADVANCE
    if len(grids) == 1 and right + 24 + width <= WIDTH:
        return max(bottom, sheet.facts(right + 24, top + 21, facts))
    return sheet.facts(0, bottom + 14, facts)


def _offset_grids(array: Array) -> list[Grid]:
    """The array as grids of values and offsets: one, or one per strip or slice."""
    boxes, tables = _offset_boxes(array), index_tables(array.shape)
    cell = cell_width(boxes.values(), CELL, (WIDTH - 22) / len(tables[0][0]))
    name = "x[{}]" if array.ndim == 3 else ""
    return [
        grid_of(table, boxes, bonds=_bonds(table, array), cell=cell, name=name.format(position))
        for position, table in enumerate(tables)
    ]


def _offset_boxes(array: Array) -> dict[Index, Box]:
    """The elements with their values and their offsets in the buffer."""
    low, addresses = buffer_of(array)[0], addresses_of(array)
    first = set(stored_elements(array).values())
    boxes = {}
    for index in np.ndindex(array.shape):
        offset = int(addresses[index]) - low
        title = f"{element_title('x', index, array[index])}, byte {offset}"
        boxes[index] = Box(spellings_of(array[index]), str(offset), index not in first, title)
    return boxes


def _bonds(table: list[list[Index]], array: Array) -> list[Bond]:
    """Neighbours in a table that are neighbours in memory: row and column of the first and of the second."""
    place = {index: (row, column) for row, line in enumerate(table) for column, index in enumerate(line)}
    bonds = []
    for (before, a), (after, b) in itertools.pairwise(stored_elements(array).items()):
        if after - before == array.itemsize and a in place and b in place:
            (row, column), (next_row, next_column) = place[a], place[b]
            if abs(next_row - row) + abs(next_column - column) == 1:
                bonds.append((row, column, next_row, next_column))
    return bonds


def _facts(array: Array) -> list[tuple[str, str]]:
    start = array.__array_interface__["data"][0] - buffer_of(array)[0]
    return [
        ("shape", str(array.shape)),
        ("dtype", str(array.dtype)),
        ("itemsize", counted(array.itemsize, "byte")),
        ("strides", f"{array.strides} bytes"),
        ("start", f"byte {start}"),
        ("order", _order_words(array)),
        ("memory", _owner_words(array)),
    ]


def _order_words(array: Array) -> str:
    flags = {"C order": array.flags.c_contiguous, "F order": array.flags.f_contiguous}
    return " and ".join(name for name, holds in flags.items() if holds) or "not contiguous"


def _owner_words(array: Array) -> str:
    if array.flags.owndata:
        return "owns its buffer"
    owner = owner_of(array)
    if owner is array:
        return f"view of {type(array.base).__name__}"
    return f"view of shape {owner.shape}" + (f" {owner.dtype}" if owner.dtype != array.dtype else "")


def _layout_alt(array: Array) -> str:
    low, high = buffer_of(array)
    skipped = high - low - len(stored_elements(array)) * array.itemsize
    repeated = " and ".join(f"axis {axis}" for axis in repeated_axes(array))
    words = [
        f"Array of shape {array.shape}, {array.dtype}, {_order_words(array)}: ",
        f"memory holds {_sequence_words(array)}",
        f", in {counted(len(lines_of(array)), 'cache line')} of {LINE_BYTES} bytes",
        f"; repeated along {repeated} without being stored again" if repeated else "",
        "; several indices lead to the same element" if _overlaps(array) else "",
        f"; {skipped} of the {high - low} bytes of the buffer are skipped" if skipped else "",
    ]
    return "".join(words) + "."


def _sequence_words(array: Array) -> str:
    """In which order memory holds the elements, as a list of the largest parts that lie in one piece."""
    order = list(stored_elements(array).values())
    axes = [axis for axis, length in enumerate(array.shape) if length > 1 and array.strides[axis]]
    for axis in axes if not _overlaps(array) else []:
        parts = [position for position, _ in itertools.groupby(index[axis] for index in order)]
        if len(parts) == len(set(parts)):
            return _in_sequence([f"{_noun(array, axis)} {position}" for position in parts])
    return "one element" if len(order) == 1 else _in_sequence([str(list(index)) for index in order])


def _in_sequence(names: Sequence[str]) -> str:
    """The names in sequence, the middle of a long row left out."""
    if len(names) > 4:
        return f"{names[0]}, then {names[1]}, and so on to {names[-1]}"
    return ", then ".join(names)


def _noun(array: Array, axis: int) -> str:
    return {1: ["element"], 2: ["row", "column"], 3: ["slice", "row", "column"]}[array.ndim][axis]


def _overlaps(array: Array) -> bool:
    """Whether indices lead to the same element on axes that are not repeated, as in a sliding window."""
    repeats = math.prod(array.shape[axis] for axis in repeated_axes(array))
    return bool(len(stored_elements(array)) * repeats < array.size)
