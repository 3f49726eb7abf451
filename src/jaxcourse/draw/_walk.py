"""A walk over an array, and the cache lines that it fetches."""

import itertools
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jaxcourse.draw._elements import (
    LINE_BYTES,
    MAX_ELEMENTS,
    Array,
    addresses_of,
    lines_at,
    lines_of,
    require_drawable,
    require_numpy,
)
from jaxcourse.draw._memory import Band, Cell, draw_memory, memory_left, numbered_cells
from jaxcourse.draw._words import counted
from jaxcourse.svg import ORANGE, SANS, Picture, Sheet

Order = Literal["rows", "columns"] | Sequence[Sequence[int]] | Sequence[int] | NDArray[np.integer[Any]]


def walk(array: Array, order: Order, cache_lines: int = 4) -> Picture:
    """Draw a walk over an array: the number of each visit, and the visits that must fetch.

    The cache is the model of `fetches`. An element whose visit fetches a cache line has a filled corner.

    Args:
        array: a NumPy array as for `layout`, with at least 1 axis.
        order: "rows" (the last index runs fastest), "columns" (the first index runs fastest), or the visited
            indices, one after the other, at most 128.
        cache_lines: how many lines of 64 bytes the cache holds.

    Returns:
        The picture, with the counted fetches and the used bytes per fetched byte in its caption.

    Raises:
        ValueError: the array cannot be drawn, or the order does not fit it.

    Example:
        >>> x = np.zeros((2, 8))
        >>> print(walk(x, "rows").alt.split(":")[0])
        Walk over an array of shape (2, 8), float64, by rows
    """
    require_drawable(array)
    visits = _visits(array, order)
    if not 1 <= len(visits) <= MAX_ELEMENTS:
        raise ValueError(f"a walk of 1 to {MAX_ELEMENTS} visits can be drawn, this one has {len(visits)}")
    fetched = list(_fetches_by_visit(array, visits, cache_lines))
    counts = Counter(itertools.chain(*fetched))
    notes = {line: counted(counts[line], "fetch", "fetches") for line in lines_of(array)}
    caption = _walk_caption(array, fetched, cache_lines)
    sheet = Sheet()
    band = Band(_visit_cells(array, visits, fetched), height=26)
    left = memory_left(array, notes.values())
    bottom = draw_memory(sheet, 0, [band], array, left=left, says="visits in the boxes", notes=notes)
    bottom = _draw_visits(sheet, bottom + 10, [bool(lines) for lines in fetched])
    by = f"by {order}" if isinstance(order, str) else "in the given order"
    alt = f"Walk over an array of shape {array.shape}, {array.dtype}, {by}: {caption}"
    return sheet.picture(bottom, alt, caption)


def fetches(array: Array, order: Order, cache_lines: int = 4) -> int:
    """Count the cache lines that a walk over an array must fetch.

    The model: a cache of `cache_lines` lines of 64 bytes, empty at the start; a visit needs each line that
    holds a byte of the element, at its real address; a line that is not in the cache is fetched, and the line
    used least recently makes room for it. There is no prefetching and only one level: a real cache is larger
    and guesses ahead, but a walk that wastes lines here wastes bandwidth there.

    Args:
        array: any NumPy array with at least 1 axis.
        order: "rows", "columns" or a sequence of indices, see `walk`.
        cache_lines: how many lines the cache holds, at least 1.

    Returns:
        The number of fetched lines.

    Raises:
        ValueError: the order does not fit the array, or the cache has no lines.

    Example:
        >>> x = np.zeros((64, 64))
        >>> fetches(x, "columns") // fetches(x, "rows") >= 7
        True
    """
    require_numpy(array)
    return sum(map(len, _fetches_by_visit(array, _visits(array, order), cache_lines)))


def _visits(array: Array, order: Order) -> NDArray[np.intp]:
    """Visited indices, of shape (visits, axes)."""
    if array.ndim == 0:
        raise ValueError("an array of shape () has no axes to walk along")
    if isinstance(order, str):
        if order not in ("rows", "columns"):
            raise ValueError(f"order is 'rows', 'columns' or a sequence of indices, not {order!r}")
        fastest_last = np.indices(array.shape).reshape(array.ndim, -1).T
        fastest_first = np.indices(array.shape).T.reshape(-1, array.ndim)
        return fastest_last if order == "rows" else fastest_first
    visits = np.asarray(order)
    visits = visits[:, None] if visits.ndim == array.ndim == 1 else visits
    if visits.ndim != 2 or visits.shape[1] != array.ndim or visits.dtype.kind not in "iu":
        raise ValueError(f"an order for shape {array.shape} is a sequence of indices of {array.ndim} integers each")
    outside = visits[((visits < -np.array(array.shape)) | (visits >= array.shape)).any(axis=1)]
    if len(outside):
        raise ValueError(f"the order visits index {tuple(outside[0].tolist())}, outside shape {array.shape}")
    return np.where(visits < 0, visits + array.shape, visits)


def _fetches_by_visit(array: Array, visits: NDArray[np.intp], cache_lines: int) -> Iterator[list[int]]:
    """For each visit, the cache lines that it fetches (see `fetches` for the model)."""
    if cache_lines < 1:
        raise ValueError(f"a cache holds at least 1 line, not {cache_lines}")
    cache: OrderedDict[int, None] = OrderedDict()
    start = array.__array_interface__["data"][0]
    for address in (start + visits @ np.array(array.strides, dtype=np.int64)).tolist():
        fetched = []
        for line in lines_at(address, array.itemsize):
            if line not in cache:
                fetched.append(line)
            cache[line] = None
            cache.move_to_end(line)
            if len(cache) > cache_lines:
                cache.popitem(last=False)
        yield fetched


def _visit_cells(array: Array, visits: NDArray[np.intp], fetched: Sequence[Sequence[int]]) -> list[Cell]:
    numbers: dict[int, list[int]] = {}
    lines: dict[int, set[int]] = {}
    addresses = addresses_of(array)
    for number, (index, moved) in enumerate(zip(visits.tolist(), fetched, strict=True)):
        address = int(addresses[tuple(index)])
        numbers.setdefault(address, []).append(number)
        lines.setdefault(address, set()).update(moved)
    return numbered_cells(array, numbers, lines)


def _draw_visits(sheet: Sheet, y: float, fetched: Sequence[bool]) -> float:
    """Draw the visits one after the other, the fetching ones filled, and return the bottom."""
    sheet.text(0, y + 12, "Visits in order, filled where a line is fetched", 12.0, "start", font_family=SANS)
    y += 20
    for start in range(0, len(fetched), 32):
        sheet.faint(0, y + 10, str(start), "start")
        for column, fetches_line in enumerate(fetched[start : start + 32]):
            look = {"fill": ORANGE, "stroke": ORANGE} if fetches_line else {"stroke_opacity": 0.5}
            sheet.rect(28 + 12.8 * column, y + 1, 10, 10, **look)
        y += 16
    return y


def _walk_caption(array: Array, fetched: Sequence[Sequence[int]], cache_lines: int) -> str:
    visits, lines = len(fetched), sum(map(len, fetched))
    used, moved = visits * array.itemsize, lines * LINE_BYTES
    return (
        f"{counted(visits, 'visit')}, {counted(lines, 'fetch', 'fetches')}. Of {moved} bytes fetched, {used} are "
        f"used: {used / moved:.3g} used per fetched byte. Model: a cache of {counted(cache_lines, 'line')} of "
        f"{LINE_BYTES} bytes that drops the line used least recently, without prefetching."
    )
