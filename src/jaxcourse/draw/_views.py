"""A buffer, and which of its elements each view touches."""

import numpy as np

from jaxcourse.draw._elements import (
    Array,
    addresses_of,
    buffer_of,
    lines_at,
    owner_of,
    require_drawable,
    stored_elements,
)
from jaxcourse.draw._memory import Band, Cell, draw_memory, element_cells, memory_left, numbered_cells
from jaxcourse.draw._words import counted, fitting
from jaxcourse.svg import ADVANCE, SANS, WIDTH, Picture, Sheet

_MAX_NAME = 14
_NAMES = 11 * ADVANCE * (_MAX_NAME + 1)
"""Width of a column of names."""
_VIEWS_CAPTION = "Numbers in a view's row: the position of the element in the view, counted in C order."
_SLOT = 22.0


def views(base: Array, /, **views: Array) -> Picture:
    """Draw a buffer and, below it, which of its elements each view touches, and in which order.

    The number in a view's row is the element's position in the view, counted in C order. An array without
    a byte in the buffer is a copy, and its row says so.

    Args:
        base: the array whose buffer is drawn, as for `layout`.
        **views: arrays to compare with it, by the names to show. Names that are not identifiers can be passed
            in a dictionary: `views(x, **{"x[::2]": x[::2]})`.

    Returns:
        The picture.

    Raises:
        ValueError: an array cannot be drawn (see `layout`), there is none, or a name is too long.

    Example:
        >>> x = np.arange(4.0)
        >>> print(views(x, odd=x[1::2], copy=x.copy()).alt.split(". ", 1)[1])
        odd touches 2 elements, at bytes 8, 24. copy has its own memory.
    """
    _require_views(base, views)
    shared = {name: view for name, view in views.items() if np.shares_memory(owner_of(base), view)}
    copies = {name: view for name, view in views.items() if name not in shared}
    bands = [Band(element_cells(base, "base"), "base")]
    bands += [Band(_position_cells(view), name, _SLOT) for name, view in shared.items()]
    left = memory_left(base, ["base", *views])
    sheet = Sheet()
    bottom = draw_memory(sheet, 0, bands, base, *shared.values(), left=left, says="byte offsets above")
    bottom = _draw_copies(sheet, bottom + 6, copies, left)
    facts = [(name, _view_fact(view)) for name, view in views.items()]
    bottom = sheet.facts(0, bottom + 12, facts, column=_NAMES)
    return sheet.picture(bottom, _views_alt(base, views, shared), _VIEWS_CAPTION)


def _require_views(base: Array, views: dict[str, Array]) -> None:
    if not views:
        raise ValueError("no views to draw. Pass them by name: draw.views(x, rows=x[::2], copy=x.copy()).")
    for array in (base, *views.values()):
        require_drawable(array)
    for name in views:
        if len(name) > _MAX_NAME:
            raise ValueError(f"the name {name!r} is too long to draw: the limit is {_MAX_NAME} characters")


def _position_cells(view: Array) -> list[Cell]:
    positions: dict[int, list[int]] = {}
    for position, address in enumerate(addresses_of(view).ravel().tolist()):
        positions.setdefault(address, []).append(position)
    return numbered_cells(view, positions, {})


def _draw_copies(sheet: Sheet, y: float, copies: dict[str, Array], left: float) -> float:
    """Draw a row for each array that has its own memory, and return the bottom."""
    for name, copy in copies.items():
        sheet.faint(0, y + 15, name, "start")
        sheet.rect(left, y, WIDTH - left, _SLOT)
        words = f"own memory: {counted(copy.nbytes, 'byte')} somewhere else"
        sheet.text(left + 8, y + 15, words, 12.0, "start", font_family=SANS)
        y += _SLOT + 4
    return y


def _view_fact(view: Array) -> str:
    most = f"{view.shape}, strides {view.strides}"
    return fitting((f"{most}, {view.dtype}", most, f"strides {view.strides}"), WIDTH - _NAMES, 12)


def _views_alt(base: Array, views: dict[str, Array], shared: dict[str, Array]) -> str:
    low, high = buffer_of(base)
    words = [f"A buffer of {high - low} bytes in {counted(len(lines_at(low, high - low)), 'cache line')}."]
    for name, view in views.items():
        if name in shared:
            offsets = [address - low for address in stored_elements(view)]
            some = ", ".join(map(str, offsets[:8])) + (" and so on" if len(offsets) > 8 else "")
            words.append(f"{name} touches {counted(len(offsets), 'element')}, at bytes {some}.")
        else:
            words.append(f"{name} has its own memory.")
    return " ".join(words)
