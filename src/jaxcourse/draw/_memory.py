"""The bytes of a buffer, cache line by cache line, with the elements that lie there."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from jaxcourse.draw._elements import (
    LINE_BYTES,
    Array,
    Index,
    addresses_of,
    buffer_of,
    lines_at,
    repeated_axes,
    stored_elements,
)
from jaxcourse.draw._words import element_title, fitting, spellings_of
from jaxcourse.svg import ADVANCE, ORANGE, RUNNING, SANS, WIDTH, Sheet


@dataclass(frozen=True)
class Cell:
    """An element on the address line, and what is written in its box: the first spellings that fit."""

    address: int
    nbytes: int
    index: Index
    spellings: tuple[str, ...]
    notes: tuple[str, ...]
    title: str
    fetched: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Band:
    """Cells on a stretch of the address line, drawn in one row and named on its left."""

    cells: list[Cell]
    label: str = ""
    height: float = 34.0


def _index_notes(array: Array, index: Index, paths: int) -> tuple[str, ...]:
    """The index of a stored element, `:` on a repeated axis; a count where more indices lead there."""
    repeated = repeated_axes(array)
    paths //= math.prod(array.shape[axis] for axis in repeated)
    if paths > 1:
        return (f"×{paths}",)
    names = [":" if axis in repeated else str(position) for axis, position in enumerate(index)]
    return f"[{', '.join(names) or '()'}]", f"[{','.join(names)}]", ",".join(names)


def element_cells(array: Array, name: str = "x") -> list[Cell]:
    """The stored elements with their values and indices."""
    paths = Counter(addresses_of(array).ravel().tolist())
    return [
        Cell(
            address,
            array.itemsize,
            index,
            spellings_of(array[index]),
            _index_notes(array, index, paths[address]),
            element_title(name, index, array[index]),
        )
        for address, index in stored_elements(array).items()
    ]


def numbered_cells(array: Array, numbers: dict[int, list[int]], fetched: dict[int, set[int]]) -> list[Cell]:
    """The stored elements with numbers by address, and the lines that were fetched for them."""
    cells = []
    for address, index in stored_elements(array).items():
        found = numbers.get(address, [])
        written = (" ".join(map(str, found)), f"×{len(found)}") if len(found) != 1 else (str(found[0]),)
        title = f"{element_title('x', index, array[index])}, numbers {found}"
        lines = frozenset(fetched.get(address, set()))
        cells.append(Cell(address, array.itemsize, index, written, (), title, lines))
    return cells


def _row_bytes(cell: Cell, left: float) -> int:
    """Bytes in a drawn row: a cache line, or a part of it if the element were too narrow for its number."""
    row_bytes = LINE_BYTES
    needed = len(cell.spellings[0]) * 11 * ADVANCE + 2
    while row_bytes > 8 * cell.nbytes and needed * row_bytes > (WIDTH - left) * cell.nbytes:
        row_bytes //= 2
    return row_bytes


def memory_left(array: Array, names: Iterable[str] = ()) -> float:
    """Where memory starts, on the right of the names of bands and cache lines."""
    low, high = buffer_of(array)
    last_line = f"line {(high - 1) // LINE_BYTES - low // LINE_BYTES}"
    return 8 + 11 * ADVANCE * max(map(len, [last_line, *names]))


def draw_memory(
    sheet: Sheet,
    y: float,
    bands: Sequence[Band],
    *arrays: Array,
    left: float,
    says: str,
    notes: dict[int, str] | None = None,
) -> float:
    """Draw bands on the address line of the arrays' buffer, and return the bottom.

    The heading ends with what the picture `says`; `notes` are written beside the cache lines with those numbers.
    """
    low, high = buffer_of(*arrays)
    row_bytes = min(_row_bytes(cell, left) for band in bands for cell in band.cells)
    rows = LINE_BYTES // row_bytes
    per = "block" if len(bands) > 1 else "row" if rows == 1 else f"{rows} rows"
    heading = f"Memory: one cache line ({LINE_BYTES} bytes) per {per}; {says}"
    y = sheet.paragraph(0, y + 12, heading)
    return _Memory(low, high, row_bytes, left, notes or {}).draw(sheet, y + 5, bands)


def _lines_to_draw(touched: Iterable[int], low: int, high: int) -> list[range]:
    """All cache lines of a buffer, in order: single lines to draw, and longer runs that nothing touches."""
    whole = lines_at(low, high - low)
    drawn: list[range] = []
    for before, after in itertools.pairwise([whole.start - 1, *sorted(touched), whole.stop]):
        gap = range(before + 1, after)
        drawn += [range(line, line + 1) for line in gap] if len(gap) <= 2 else [gap]
        drawn.append(range(after, after + 1))
    return drawn[:-1]


@dataclass(frozen=True)
class _Memory:
    """The addresses of a buffer, from `low` to before `high`, cut into rows at multiples of `row_bytes`."""

    low: int
    high: int
    row_bytes: int
    left: float
    notes: dict[int, str]

    @property
    def scale(self) -> float:
        """Pixels for one byte."""
        return (WIDTH - self.left) / self.row_bytes

    def draw(self, sheet: Sheet, y: float, bands: Sequence[Band]) -> float:
        """Draw the bands below y, cache line after cache line, and return the bottom."""
        cells = itertools.chain(*(band.cells for band in bands))
        touched = {line for cell in cells for line in lines_at(cell.address, cell.nbytes)}
        for lines in _lines_to_draw(touched, self.low, self.high):
            if len(lines) > 1:
                words = f"⋮  {len(lines):,} cache lines of the buffer, not touched"
                sheet.faint(self.left, y + 12, words, "start")
                y += 22
            else:
                y = self._draw_line(sheet, y, lines[0], bands)
        return self._draw_legend(sheet, y, bands)

    def _draw_line(self, sheet: Sheet, y: float, line: int, bands: Sequence[Band]) -> float:
        sheet.faint(0, y + 11, f"line {line - self.low // LINE_BYTES}", "start")
        for row in range(line * LINE_BYTES, (line + 1) * LINE_BYTES, self.row_bytes):
            if self.low < row + self.row_bytes and row < self.high:
                y = self._draw_row(sheet, y, row, bands)
            else:
                self._draw_outside(sheet, y + 3, 8)
                y += 12
        return y + 6

    def _draw_outside(self, sheet: Sheet, y: float, height: float) -> None:
        look = {"stroke_dasharray": "1 4", "stroke_opacity": 0.5}
        sheet.rect(self.left, y, WIDTH - self.left, height, **look)

    def _draw_row(self, sheet: Sheet, y: float, row: int, bands: Sequence[Band]) -> float:
        self._draw_offsets(sheet, y + 11, row, bands[0].cells)
        y += 15
        for band in bands:
            self._draw_outside(sheet, y, band.height)
            label = band.label or (self.notes.get(row // LINE_BYTES, "") if row % LINE_BYTES == 0 else "")
            sheet.faint(0, y + band.height / 2 + 4, label, "start")
            for start, stop in self._gaps(row, band.cells):
                sheet.hatch(self._x(start, row), y, (stop - start) * self.scale, band.height)
            for cell in band.cells:
                if cell.address < row + self.row_bytes and row < cell.address + cell.nbytes:
                    self._draw_cell(sheet, y, row, cell, band)
            y += band.height + 4
        return y

    def _x(self, address: int, row: int) -> float:
        return self.left + (address - row) * self.scale

    def _draw_offsets(self, sheet: Sheet, y: float, row: int, cells: Sequence[Cell]) -> None:
        """Write the offset of each element over its left end, where the number before leaves room."""
        free = self.left
        for cell in cells:
            if row <= cell.address < row + self.row_bytes and self._x(cell.address, row) >= free:
                words = str(cell.address - self.low)
                sheet.faint(self._x(cell.address, row), y, words, "start")
                free = self._x(cell.address, row) + (len(words) + 0.3) * ADVANCE * 11

    def _gaps(self, row: int, cells: Sequence[Cell]) -> Iterator[tuple[int, int]]:
        """The stretches of a row that belong to the buffer and hold no cell."""
        free, stop = max(row, self.low), min(row + self.row_bytes, self.high)
        for start, after in [*((cell.address, cell.address + cell.nbytes) for cell in cells), (stop, stop)]:
            if free < min(start, stop):
                yield free, min(start, stop)
            free = max(free, after)

    def _draw_cell(self, sheet: Sheet, y: float, row: int, cell: Cell, band: Band) -> None:
        """Draw the part of an element that lies in a row, with the number in the larger part."""
        start, stop = max(cell.address, row), min(cell.address + cell.nbytes, row + self.row_bytes)
        x, width = self._x(start, row), (stop - start) * self.scale
        marks = {"data_band": band.label, "data_offset": cell.address - self.low, "data_index": cell.index}
        with sheet.group(cell.title, **marks):
            sheet.rect(x, y, width, band.height)
            if row // LINE_BYTES in cell.fetched:
                sheet.rect(x, y, width, band.height, fill=ORANGE, fill_opacity=0.16)
                sheet.path(_corner(x, y), fill=ORANGE, stroke="none")
            if 2 * (stop - start) > cell.nbytes or (2 * (stop - start) == cell.nbytes and start == cell.address):
                size = 12.0 if width >= 30 else 11.0
                baseline = y + (15 if cell.notes else band.height / 2 + 4)
                sheet.text(x + width / 2, baseline, fitting(cell.spellings, width - 2, size), size)
                sheet.faint(x + width / 2, y + 29, fitting(cell.notes, width - 2, 11))

    def _draw_legend(self, sheet: Sheet, y: float, bands: Sequence[Band]) -> float:
        """Explain the marks in the drawing, and return the bottom."""
        entries = []
        if any(sum(cell.nbytes for cell in band.cells) < self.high - self.low for band in bands):
            entries.append("skipped")
        if self.low % LINE_BYTES or self.high % LINE_BYTES:
            entries.append("outside the buffer")
        if any(cell.fetched for band in bands for cell in band.cells):
            entries.append("fetches a cache line")
        x = self.left
        for words in entries:
            width = 22 + 12 * RUNNING * len(words)
            if x + width > WIDTH:
                x, y = self.left, y + 17
            _draw_swatch(sheet, x, y + 2, words)
            sheet.text(x + 22, y + 12, words, 12.0, "start", font_family=SANS)
            x += width + 14
        return y + 18 if entries else y


def _draw_swatch(sheet: Sheet, x: float, y: float, words: str) -> None:
    dashes = {"stroke_dasharray": "1 4"} if words == "outside the buffer" else {}
    sheet.rect(x, y, 16, 12, stroke_opacity=0.5, **dashes)
    if words == "skipped":
        sheet.hatch(x, y, 16, 12)
    if words == "fetches a cache line":
        sheet.path(_corner(x, y), fill=ORANGE, stroke="none")


def _corner(x: float, y: float) -> str:
    return f"M{x:.1f} {y:.1f}h9l-9 9z"
