"""Lists as CPython keeps them: pointers here, objects elsewhere."""

import itertools
import math
import numbers
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from jaxcourse.draw._elements import Array
from jaxcourse.draw._words import counted, fitting, spellings_of
from jaxcourse.svg import SANS, WIDTH, Picture, Point, Sheet

_MAX_POINTERS = 30
_SLOT = 22.0
_GAP = 17.0
_LIST_WIDTH = 84.0
_OBJECT_WIDTH = 152.0


def objects(nested: list[Any]) -> Picture:
    """Draw a list, or a list of lists, as CPython keeps it: pointers here, objects elsewhere.

    Objects are sorted by their address, `id(object)`. An object that several pointers share is drawn once.
    Sizes are those of `sys.getsizeof`.

    Args:
        nested: a list of numbers, or a list of lists of numbers, with at most 30 pointers.

    Returns:
        The picture, with the bytes of lists and objects counted in its caption.

    Raises:
        ValueError: not a list, lists mixed with numbers or nested deeper, no numbers, things other than
            numbers, or too many of them.

    Example:
        >>> objects([0.5] * 3).alt.startswith("1 list with 3 pointers, and 1 object")
        True
    """
    _require_lists(nested)
    lists = _distinct(nested) if isinstance(nested[0], list) else []
    leaves = sorted(_distinct(itertools.chain(*lists) if lists else nested), key=id)
    sheet = Sheet()
    bottom = _draw_heap(sheet, nested, lists, leaves)
    values = np.asarray(list(itertools.chain(*nested)) if lists else nested)
    caption = _heap_caption([nested, *lists], leaves, values)
    return sheet.picture(bottom, caption, f"{caption} Gaps are not to scale.")


def _require_lists(nested: object) -> None:
    if not isinstance(nested, list):
        raise ValueError(f"expected a list, got {type(nested).__name__}. Draw an array with draw.layout(x).")
    inner = [value for value in nested if isinstance(value, list)]
    if inner and len(inner) < len(nested):
        raise ValueError("the list mixes lists and other objects: pass a list of numbers or a list of lists")
    leaves = list(itertools.chain(*inner)) if inner else nested
    if any(isinstance(leaf, list) for leaf in leaves):
        raise ValueError("lists can be drawn two deep: pass one of the inner lists")
    if not leaves or not all(isinstance(leaf, numbers.Number) for leaf in leaves):
        raise ValueError("only numbers are drawn: pass a list of numbers or a list of lists of numbers")
    pointers = len(inner) + len(leaves)
    if pointers > _MAX_POINTERS:
        raise ValueError(
            f"too large to draw: {pointers} pointers, the limit is {_MAX_POINTERS}. Draw a part, for example x[:4]."
        )


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Each object once, in order of first appearance."""
    return list({id(value): value for value in values}.values())


def _draw_heap(sheet: Sheet, outer: list[Any], lists: Sequence[list[Any]], leaves: Sequence[object]) -> float:
    """Draw lists on the left, objects by address on the right, pointers between; return the bottom."""
    heights = [_lists_height([outer]), _lists_height(lists), _objects_height(leaves)]
    middle = 26 + max(heights) / 2
    x = WIDTH - _OBJECT_WIDTH
    sheet.text(0, 12, "lists of pointers", 12.0, "start", font_family=SANS)
    sheet.text(WIDTH, 12, "objects by address", 12.0, "end", font_family=SANS)
    targets = _draw_objects(sheet, x, middle - heights[2] / 2, leaves)
    if lists:
        targets = _draw_lists(sheet, x - _LIST_WIDTH - 68, middle - heights[1] / 2, lists, targets)
    _draw_lists(sheet, 0 if lists else 60, middle - heights[0] / 2, [outer], targets)
    return 26 + max(heights)


def _lists_height(lists: Sequence[list[Any]]) -> float:
    return sum(_SLOT * (1 + len(values)) + 26 for values in lists) - 14


def _gaps(leaves: Sequence[object]) -> list[int]:
    """Bytes between each object and the one before it; 0 before the first."""
    return [0, *(id(b) - id(a) - sys.getsizeof(a) for a, b in itertools.pairwise(leaves))]


def _objects_height(leaves: Sequence[object]) -> float:
    return _SLOT * len(leaves) + _GAP * sum(gap > 0 for gap in _gaps(leaves))


def _draw_objects(sheet: Sheet, x: float, y: float, leaves: Sequence[object]) -> dict[int, Point]:
    """Draw objects one below the other and return where arrows to each of them arrive."""
    targets = {}
    for gap, leaf in zip(_gaps(leaves), leaves, strict=True):
        if gap > 0:
            sheet.faint(x + _OBJECT_WIDTH / 2, y + 12, f"⋮ {_bytes_words(gap)}")
            y += _GAP
        kind = type(leaf).__name__
        with sheet.group(f"{kind} {leaf} at {id(leaf):#x}", data_id=id(leaf)):
            sheet.rect(x, y, _OBJECT_WIDTH, _SLOT)
            sheet.text(x + 6, y + 15, fitting((repr(leaf), *spellings_of(leaf)), 46, 12), 12.0, "start")
            sheet.faint(x + 78, y + 15, fitting((kind, kind[:6] + "…"), 50, 11))
            sheet.faint(x + _OBJECT_WIDTH - 4, y + 15, f"…{id(leaf) & 0xFFFFF:05x}", "end")
        targets[id(leaf)] = (x, y + _SLOT / 2)
        y += _SLOT
    return targets


def _draw_lists(
    sheet: Sheet, x: float, y: float, lists: Sequence[list[Any]], targets: dict[int, Point]
) -> dict[int, Point]:
    """Draw lists with their pointers to the targets and return where arrows to each list arrive."""
    arrivals = {}
    middle, right = x + _LIST_WIDTH / 2, x + _LIST_WIDTH - 12
    for values in lists:
        arrivals[id(values)] = (x, y + _SLOT / 2)
        sheet.rect(x, y, _LIST_WIDTH, _SLOT, stroke_width=1.5)
        sheet.text(middle, y + 15, f"list {sys.getsizeof(values)} B", 11.0)
        if values:
            sheet.arrow((middle, y + _SLOT), (middle, y + _SLOT + 12))
        y += _SLOT + 12
        for position, value in enumerate(values):
            sheet.rect(x, y, _LIST_WIDTH, _SLOT)
            sheet.faint(x + 6, y + 15, f"[{position}]", "start")
            sheet.add("circle", cx=right, cy=y + _SLOT / 2, r=3)
            with sheet.group(f"pointer {position}", data_pointer=id(value)):
                sheet.arrow((right, y + _SLOT / 2), targets[id(value)], bend=36.0, stroke_opacity=0.7)
            y += _SLOT
        y += 14
    return arrivals


def _heap_caption(lists: Sequence[list[Any]], leaves: Sequence[object], values: Array) -> str:
    parts = counted(len(lists), "list"), counted(sum(map(len, lists)), "pointer"), counted(len(leaves), "object")
    list_bytes, object_bytes = sum(map(sys.getsizeof, lists)), sum(map(sys.getsizeof, leaves))
    caption = (
        f"{parts[0]} with {parts[1]}, and {parts[2]}: {list_bytes} bytes of lists with their pointers, "
        f"{object_bytes} bytes of objects, {list_bytes + object_bytes} together."
    )
    if values.dtype.hasobject:
        return caption
    numbers = counted(values.size, "number")
    return f"{caption} An array keeps {numbers} of {values.dtype} one after the other: {values.nbytes} bytes."


def _bytes_words(count: int) -> str:
    if count < 10_000:
        return counted(count, "byte")
    power = min(4, int(math.log(count, 1024)))
    return f"{count / 1024**power:.1f} {['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][power]}"
