"""Arrays as grids of boxes, with their indices around them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jaxcourse.draw._elements import Index
from jaxcourse.draw._words import fitting
from jaxcourse.svg import ADVANCE, BLUE, VIRTUAL, WIDTH, Sheet

Bond = tuple[int, int, int, int]
"""Row and column of a box, and of its neighbour that holds the next bytes in memory."""
CELL = 36.0
_STRIP = 8


@dataclass(frozen=True)
class Box:
    """A cell of a grid."""

    spellings: tuple[str, ...]
    note: str = ""
    repeated: bool = False
    title: str = ""


@dataclass(frozen=True)
class Grid:
    """Boxes in rows and columns with their indices around them."""

    boxes: list[list[Box]]
    rows: list[str]
    columns: list[str]
    name: str = ""
    bonds: list[Bond] = field(default_factory=list)
    height: float = 34.0
    cell: float = CELL
    sign: str = ""

    @property
    def left(self) -> float:
        """Width of the row numbers."""
        return 22.0 if self.rows else 0.0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height with everything around the boxes."""
        heading = 18.0 if self.name else 0.0
        return self.left + self.cell * len(self.columns), heading + 18 + self.height * len(self.boxes)

    def draw(self, sheet: Sheet, x: float, y: float) -> None:
        """Draw the grid with its upper left corner at (x, y)."""
        if self.name:
            sheet.text(x + self.left, y + 12, self.name, 12.0, "start", font_weight="bold")
            y += 18
        for column, name in enumerate(self.columns):
            sheet.faint(x + self.left + self.cell * (column + 0.5), y + 11, name)
        for row, name in enumerate(self.rows):
            sheet.faint(x + 12, y + 18 + self.height * (row + 0.5) + 4, name)
        for row, boxes in enumerate(self.boxes):
            for column, box in enumerate(boxes):
                self._draw_box(sheet, x + self.left + self.cell * column, y + 18 + self.height * row, box)
        for bond in self.bonds:
            self._draw_bond(sheet, x + self.left, y + 18, bond)

    def _draw_box(self, sheet: Sheet, x: float, y: float, box: Box) -> None:
        with sheet.group(box.title):
            dashes = {"stroke_dasharray": VIRTUAL, "stroke_opacity": 0.6} if box.repeated else {}
            sheet.rect(x, y, self.cell, self.height, **dashes)
            word = fitting(box.spellings, self.cell - 2, 12)
            baseline = y + (15 if box.note else self.height / 2 + 4)
            sheet.text(x + self.cell / 2, baseline, word, fill_opacity=0.7 if box.repeated else 1.0)
            sheet.faint(x + self.cell / 2, y + 29, fitting((box.note,), self.cell, 11))

    def _draw_bond(self, sheet: Sheet, x: float, y: float, bond: Bond) -> None:
        """Draw an arrow across the border of two boxes that are neighbours in memory."""
        row, column, next_row, next_column = bond
        right, down = next_column - column, next_row - row
        if right:
            middle = (x + self.cell * max(column, next_column), y + self.height * row + 25)
        else:
            middle = (x + self.cell * column + 5, y + self.height * max(row, next_row))
        start = (middle[0] - 5 * right, middle[1] - 6 * down)
        end = (middle[0] + 5 * right, middle[1] + 6 * down)
        sheet.arrow(start, end, stroke=BLUE, stroke_width=1.5)


def index_tables(shape: Index) -> list[list[list[Index]]]:
    """The indices of an array as tables that fit the page: strips of 8, one table, or one per slice."""
    if len(shape) < 2:
        indices = list(np.ndindex(shape))
        return [[indices[start : start + _STRIP]] for start in range(0, len(indices), _STRIP)]
    slices = np.ndindex(shape[:-2])
    return [[[(*outer, i, j) for j in range(shape[-1])] for i in range(shape[-2])] for outer in slices]


def grid_of(table: list[list[Index]], boxes: dict[Index, Box], **look: Any) -> Grid:
    """The boxes of a table of indices, with the last two axes written around them."""
    rows = [str(line[0][-2]) for line in table] if len(table[0][0]) > 1 else []
    columns = [str(index[-1]) if index else "" for index in table[0]]
    return Grid([[boxes[index] for index in line] for line in table], rows, columns, **look)


def cell_width(boxes: Iterable[Box], least: float, most: float) -> float:
    """The width that shows each number as exactly as it can be written, within limits."""
    values = max(len(box.spellings[0]) for box in boxes) * 12 * ADVANCE + 6
    notes = max(len(box.note) for box in boxes) * 11 * ADVANCE + 10
    return min(most, max(least, values, notes))


def draw_grids(sheet: Sheet, y: float, grids: Sequence[Grid]) -> tuple[float, float]:
    """Place grids from left to right in as many rows as they need.

    Returns:
        The right end of the last row, and the bottom.
    """
    x = bottom = 0.0
    for grid in grids:
        width, height = grid.size
        if x and x + 20 + width > WIDTH:
            x, y = 0.0, bottom + 14
        x += 20 if x or grid.sign else 0
        sheet.text(x - 10, y + height - grid.height * len(grid.boxes) / 2 + 5, grid.sign, 14.0)
        grid.draw(sheet, x, y)
        x, bottom = x + width, y + height
    return x, bottom
