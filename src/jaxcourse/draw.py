"""Pictures of how numbers lie in memory, drawn from the reader's own arrays.

Nothing here is typed in: addresses come from `array.__array_interface__`, steps from `array.strides`, the
bytes of Python objects from `id` and `sys.getsizeof`. A picture is inline SVG without ids, scripts or
external files, so that any number of them can share a page, be hidden and be shown again.

Three words mean the same in every picture. The *buffer* is the memory of the array that owns the bytes (an
array's last `.base`); a byte's *offset* counts from the start of the buffer; a *cache line* is the 64 bytes,
starting at a multiple of 64, that a processor moves at once.
"""

import functools
import itertools
import math
import numbers
import string
import sys
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jaxcourse._picture import Picture
from jaxcourse._picture import themed as themed
from jaxcourse._sheet import SANS, WIDTH, Sheet

Array = NDArray[Any]
Index = tuple[int, ...]
Point = tuple[float, float]
Bond = tuple[int, int, int, int]
Order = Literal["rows", "columns"] | Sequence[Sequence[int]] | Sequence[int] | NDArray[np.integer[Any]]

LINE_BYTES = 64
"""Bytes in a cache line, as on every x86-64 processor and most ARM ones (Apple's have 128)."""

_MAX_ELEMENTS = 128
_MAX_LINES = 20
_MAX_COLUMNS = 12
_MAX_ROWS = 16
_MAX_POINTERS = 30
_MAX_NAME = 14
_VIEWS_CAPTION = "Numbers in a view's row: the position of the element in the view, counted in C order."

# Lengths below are in pixels.
_CELL = 36.0
_STRIP = 8
_SLOT = 22.0
_GAP = 17.0
_LIST_WIDTH = 84.0
_OBJECT_WIDTH = 152.0
_LENGTH_WIDTH = 56.0
_BLUE = "#3b82c4"
_ORANGE = "#c2703d"
_ADVANCE = 0.61
"""Width of a monospace character in units of its size: the widest of the fonts above."""
_NAMES = 11 * _ADVANCE * (_MAX_NAME + 1)
"""Width of a column of names."""


# --- the pictures ---------------------------------------------------------------------------------


def layout(array: Array) -> Picture:
    """Draw an array twice: as a grid of indices, and as the bytes that lie in memory.

    Memory is drawn one cache line per row, at the real addresses modulo 64. Bytes of the buffer that the
    array skips are hatched; elements that the grid repeats without storing them again (stride 0) are dashed.
    An arrow leads from an element to its neighbour in the grid where that holds the next bytes in memory.

    Args:
        array: A NumPy array of numbers, of any strides, with at most 3 axes and 128 elements.

    Returns:
        The picture. Its alt text says in which order memory holds the elements.

    Raises:
        ValueError: The array is too large to draw, does not hold plain numbers, or is not NumPy's.

    Example:
        >>> x = np.arange(6.0).reshape(2, 3)
        >>> print(layout(x.T).alt.split(", in ")[0])
        Array of shape (3, 2), float64, F order: memory holds column 0, then column 1
    """
    _require_drawable(array)
    sheet = Sheet()
    bottom = _draw_array(sheet, array)
    band = _Band(_element_cells(array))
    bottom = _draw_memory(sheet, bottom + 22, [band], array, left=_left(array), says="byte offsets above")
    return sheet.picture(bottom, _layout_alt(array))


def views(base: Array, /, **views: Array) -> Picture:
    """Draw a buffer and, below it, which of its elements each view touches, and in which order.

    The number in a view's row is the element's position in the view, counted in C order. An array that has no
    byte in the buffer is a copy: its row says so.

    Args:
        base: The array whose buffer is drawn, as for `layout`.
        **views: Arrays to compare with it, by the names to show. Names that are no identifiers can be passed
            in a dictionary: `views(x, **{"x[::2]": x[::2]})`.

    Returns:
        The picture.

    Raises:
        ValueError: An array cannot be drawn (see `layout`), there is none, or a name is too long.

    Example:
        >>> x = np.arange(4.0)
        >>> print(views(x, odd=x[1::2], copy=x.copy()).alt.split(". ", 1)[1])
        odd touches 2 elements, at bytes 8, 24. copy has its own memory.
    """
    _require_views(base, views)
    shared = {name: view for name, view in views.items() if np.shares_memory(_owner(base), view)}
    copies = {name: view for name, view in views.items() if name not in shared}
    bands = [_Band(_element_cells(base, "base"), "base")]
    bands += [_Band(_position_cells(view), name, _SLOT) for name, view in shared.items()]
    left = _left(base, ["base", *views])
    sheet = Sheet()
    bottom = _draw_memory(sheet, 0, bands, base, *shared.values(), left=left, says="byte offsets above")
    bottom = _draw_copies(sheet, bottom + 6, copies, left)
    facts = [(name, _view_fact(view)) for name, view in views.items()]
    bottom = _draw_facts(sheet, 0, bottom + 12, facts, column=_NAMES)
    return sheet.picture(sheet.paragraph(0, bottom + 22, _VIEWS_CAPTION), _views_alt(base, views, shared))


def walk(array: Array, order: Order, cache_lines: int = 4) -> Picture:
    """Draw a walk over an array: the number of each visit, and the visits that must fetch.

    The cache is the model of `fetches`. An element whose visit fetches a cache line has a filled corner.

    Args:
        array: A NumPy array as for `layout`, with at least 1 axis.
        order: "rows" (the last index runs fastest), "columns" (the first index runs fastest), or the visited
            indices, one after the other, at most 128.
        cache_lines: How many cache lines of 64 bytes the cache holds.

    Returns:
        The picture, with the counted fetches and the used bytes per fetched byte in its caption.

    Raises:
        ValueError: The array cannot be drawn, or the order is none for this array.

    Example:
        >>> x = np.zeros((2, 8))
        >>> print(walk(x, "rows").alt.split(":")[0])
        Walk over an array of shape (2, 8), float64, by rows
    """
    _require_drawable(array)
    visits = _visits(array, order)
    if not 1 <= len(visits) <= _MAX_ELEMENTS:
        raise ValueError(f"a walk of 1 to {_MAX_ELEMENTS} visits can be drawn, this one has {len(visits)}")
    fetched = list(_fetched(array, visits, cache_lines))
    counts = Counter(itertools.chain(*fetched))
    notes = {line: _count(counts[line], "fetch", "fetches") for line in _lines(array)}
    caption = _walk_caption(array, fetched, cache_lines)
    sheet = Sheet()
    band = _Band(_visit_cells(array, visits, fetched), height=26)
    left = _left(array, notes.values())
    bottom = _draw_memory(sheet, 0, [band], array, left=left, says="visits in the boxes", notes=notes)
    bottom = _draw_visits(sheet, bottom + 10, [bool(lines) for lines in fetched])
    bottom = sheet.paragraph(0, bottom + 22, caption)
    by = f"by {order}" if isinstance(order, str) else "in the given order"
    return sheet.picture(bottom, f"Walk over an array of shape {array.shape}, {array.dtype}, {by}: {caption}")


def fetches(array: Array, order: Order, cache_lines: int = 4) -> int:
    """Count the cache lines that a walk over an array must fetch.

    The model: a cache of `cache_lines` lines of 64 bytes, empty at the start; a visit needs each line that
    holds a byte of the element, at its real address; a line that is not in the cache is fetched, and the line
    used least recently makes room for it. There is no prefetching and only one level: a real cache is larger
    and guesses ahead, but a walk that wastes lines here wastes bandwidth there.

    Args:
        array: Any NumPy array with at least 1 axis.
        order: "rows", "columns" or a sequence of indices, see `walk`.
        cache_lines: How many lines the cache holds, at least 1.

    Returns:
        The number of fetched lines.

    Raises:
        ValueError: The order is none for this array, or the cache has no lines.

    Example:
        >>> x = np.zeros((64, 64))
        >>> fetches(x, "columns") // fetches(x, "rows") >= 7
        True
    """
    _require_numpy(array)
    return sum(map(len, _fetched(array, _visits(array, order), cache_lines)))


def broadcast(*arrays: Array | complex) -> Picture:
    """Draw how arrays broadcast: their shapes aligned on the right, and the cells that are only repeated.

    Repeated cells are dashed: they take no memory, their stride is 0. The result is shown for `+`. Shapes
    that do not broadcast are drawn as well, with the clashing axis marked. Of a result with more than 2 axes,
    12 columns or 128 elements only the shapes are drawn.

    Args:
        *arrays: 2 to 5 NumPy arrays of numbers, or plain numbers, of at most 5 axes.

    Returns:
        The picture.

    Raises:
        ValueError: Not 2 to 5 operands, one of them holds no numbers, or has more than 5 axes.

    Example:
        >>> broadcast(np.ones((4, 3)), np.ones(4))
        Shapes (4, 3) and (4,) do not broadcast: on axis -1 the lengths 3 and 4 differ and none of them is 1.
    """
    operands = _require_operands(arrays)
    shapes = [operand.shape for operand in operands]
    sheet = Sheet()
    bottom = _draw_shape_table(sheet, shapes)
    if _clashes(shapes):
        alt = _clash_alt(shapes)
        return sheet.picture(sheet.paragraph(0, bottom + 22, alt), alt)
    if _fits_a_grid(np.broadcast_shapes(*shapes)):
        bottom = _draw_sum(sheet, bottom + 20, operands)
    bottom = sheet.paragraph(0, bottom + 22, _broadcast_caption(operands))
    return sheet.picture(bottom, _broadcast_alt(operands))


def objects(nested: list[Any]) -> Picture:
    """Draw a list, or a list of lists, as CPython keeps it: pointers here, objects elsewhere.

    Objects are sorted by their address, `id(object)`. An object that several pointers share is drawn once.
    Sizes are those of `sys.getsizeof`.

    Args:
        nested: A list of numbers, or a list of lists of numbers, with at most 30 pointers.

    Returns:
        The picture, with the bytes of lists and objects counted in its caption.

    Raises:
        ValueError: Not a list, lists mixed with numbers or nested deeper, no numbers, other things than
            numbers, or too many of them.

    Example:
        >>> objects([0.5] * 3).alt.startswith("1 list with 3 pointers to 1 object")
        True
    """
    _require_lists(nested)
    lists = _distinct(nested) if isinstance(nested[0], list) else []
    leaves = sorted(_distinct(itertools.chain(*lists) if lists else nested), key=id)
    sheet = Sheet()
    bottom = _draw_heap(sheet, nested, lists, leaves)
    values = np.asarray(list(itertools.chain(*nested)) if lists else nested)
    caption = _heap_caption([nested, *lists], leaves, values)
    bottom = sheet.paragraph(0, bottom + 24, caption + " Gaps are not to scale.")
    return sheet.picture(bottom, caption)


# --- refusals -------------------------------------------------------------------------------------


def _require_numpy(array: object) -> None:
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(array, jax.Array):
        raise ValueError(
            "a jax array has no strides and no address to draw: its layout belongs to the compiler. "
            "Draw a NumPy copy or view of its values, np.asarray(x)."
        )
    if isinstance(array, list | tuple):
        raise ValueError(
            f"a {type(array).__name__} is no array. Draw the objects of a list with draw.objects(x), "
            "or the array made from it with np.asarray(x)."
        )
    if not isinstance(array, np.ndarray):
        raise ValueError(f"expected a NumPy array, got {type(array).__name__}. Draw np.asarray(x) instead.")


def _require_numbers(array: Array) -> None:
    _require_numpy(array)
    if isinstance(array, np.ma.MaskedArray):
        raise ValueError("a masked array is two arrays: draw x.data, or x.mask.")
    if array.dtype.hasobject:
        raise ValueError(
            f"an array of dtype {array.dtype} holds pointers, its values lie elsewhere. "
            "Draw them with draw.objects(x.tolist())."
        )
    if array.dtype.names:
        raise ValueError(f"an array of records is drawn one field at a time, for example x[{array.dtype.names[0]!r}]")
    if array.dtype.type is np.void or array.dtype.kind in "SUMmT":
        raise ValueError(f"only numbers are drawn, not dtype {array.dtype}. Draw its bytes: x.view(np.uint8).")


def _require_drawable(array: Array) -> None:
    _require_numbers(array)
    if array.size == 0:
        raise ValueError(f"an array of shape {array.shape} has no elements to draw")
    if array.ndim > 3:
        raise ValueError(f"at most 3 axes can be drawn, this array has {array.ndim}. Draw a part, for example x[0].")
    rows, columns = array.shape[-2:] if array.ndim > 1 else (1, 1)
    part = {0: "x", 1: "x[:16]", 2: "x[:4, :8]", 3: "x[:2, :3, :3]"}[array.ndim]
    _require_at_most(_MAX_ELEMENTS, array.size, "elements", part)
    _require_at_most(_MAX_COLUMNS, columns, "columns", part)
    _require_at_most(_MAX_ROWS, rows, "rows", part)
    _require_at_most(_MAX_LINES, len(_lines(array)), "cache lines", part)
    stored = list(_stored(array))
    if any(after - before < array.itemsize for before, after in itertools.pairwise(stored)):
        raise ValueError(
            f"elements of {array.itemsize} bytes overlap in part (strides {array.strides}), which cannot be drawn"
        )


def _require_at_most(limit: int, count: int, what: str, part: str) -> None:
    if count > limit:
        raise ValueError(f"too large to draw: {count} {what}, the limit is {limit}. Draw a part, for example {part}.")


def _require_views(base: Array, views: dict[str, Array]) -> None:
    if not views:
        raise ValueError("no views to draw. Pass them by name: draw.views(x, rows=x[::2], copy=x.copy()).")
    for array in (base, *views.values()):
        _require_drawable(array)
    for name in views:
        if len(name) > _MAX_NAME:
            raise ValueError(f"the name {name!r} is too long to draw: the limit is {_MAX_NAME} characters")


def _require_operands(arrays: Sequence[Array | complex]) -> list[Array]:
    if not 2 <= len(arrays) <= 5:
        raise ValueError(f"draw.broadcast takes 2 to 5 arrays, got {len(arrays)}")
    operands: list[Array] = []
    for given in arrays:
        operand = given if not isinstance(given, int | float | complex | np.number) else np.asarray(given)
        _require_numbers(operand)
        if operand.ndim > 5:
            raise ValueError(f"shapes of at most 5 axes can be drawn, not {operand.shape}")
        operands.append(operand)
    return operands


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


# --- where elements lie ---------------------------------------------------------------------------


def _addresses(array: Array) -> NDArray[np.int64]:
    """Address of each element, as an array of the same shape."""
    start = array.__array_interface__["data"][0]
    steps = np.asarray(array.strides, dtype=np.int64)
    addresses: NDArray[np.int64] = start + np.tensordot(steps, np.indices(array.shape), axes=1)
    return addresses


def _owner(array: Array) -> Array:
    """The last array on the way to the memory's owner, which may be something else, such as bytes."""
    owner = array
    link: Any = array.base
    while link is not None:
        if isinstance(link, np.ndarray):
            owner = link
        link = getattr(link, "base", None)
    return owner


def _buffer(*arrays: Array) -> tuple[int, int]:
    """First address of the arrays' buffer and the address after its last byte."""
    bounds = [np.lib.array_utils.byte_bounds(a) for array in arrays for a in (array, _owner(array))]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def _stored(array: Array) -> dict[int, Index]:
    """The addresses that hold an element, ascending, each with the first index that leads there."""
    first: dict[int, Index] = {}
    for index, address in zip(np.ndindex(array.shape), _addresses(array).ravel().tolist(), strict=True):
        first.setdefault(address, index)
    return dict(sorted(first.items()))


def _lines_of(address: int, nbytes: int) -> range:
    return range(address // LINE_BYTES, (address + nbytes - 1) // LINE_BYTES + 1)


def _lines(array: Array) -> list[int]:
    """The cache lines (address // 64) that hold a byte of the array, ascending."""
    return sorted({line for address in _stored(array) for line in _lines_of(address, array.itemsize)})


def _lines_to_draw(touched: Iterable[int], low: int, high: int) -> list[range]:
    """All cache lines of a buffer, in order: single lines to draw, and longer runs that nothing touches."""
    whole = _lines_of(low, high - low)
    drawn: list[range] = []
    for before, after in itertools.pairwise([whole.start - 1, *sorted(touched), whole.stop]):
        gap = range(before + 1, after)
        drawn += [range(line, line + 1) for line in gap] if len(gap) <= 2 else [gap]
        drawn.append(range(after, after + 1))
    return drawn[:-1]


# --- walks ----------------------------------------------------------------------------------------


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
        raise ValueError(f"the order visits index {tuple(outside[0].tolist())}, outside of shape {array.shape}")
    return np.where(visits < 0, visits + array.shape, visits)


def _fetched(array: Array, visits: NDArray[np.intp], cache_lines: int) -> Iterator[list[int]]:
    """For each visit, the cache lines that it fetches (see `fetches` for the model)."""
    if cache_lines < 1:
        raise ValueError(f"a cache holds at least 1 line, not {cache_lines}")
    cache: OrderedDict[int, None] = OrderedDict()
    start = array.__array_interface__["data"][0]
    for address in (start + visits @ np.array(array.strides, dtype=np.int64)).tolist():
        fetched = []
        for line in _lines_of(address, array.itemsize):
            if line not in cache:
                fetched.append(line)
            cache[line] = None
            cache.move_to_end(line)
            if len(cache) > cache_lines:
                cache.popitem(last=False)
        yield fetched


# --- words ----------------------------------------------------------------------------------------


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _order_words(array: Array) -> str:
    flags = {"C order": array.flags.c_contiguous, "F order": array.flags.f_contiguous}
    return " and ".join(name for name, holds in flags.items() if holds) or "not contiguous"


def _owner_words(array: Array) -> str:
    if array.flags.owndata:
        return "owns its buffer"
    owner = _owner(array)
    if owner is array:
        return f"view of {type(array.base).__name__}"
    return f"view of shape {owner.shape}" + (f" {owner.dtype}" if owner.dtype != array.dtype else "")


def _facts(array: Array) -> list[tuple[str, str]]:
    start = array.__array_interface__["data"][0] - _buffer(array)[0]
    return [
        ("shape", str(array.shape)),
        ("dtype", str(array.dtype)),
        ("itemsize", _count(array.itemsize, "byte")),
        ("strides", f"{array.strides} bytes"),
        ("start", f"byte {start}"),
        ("order", _order_words(array)),
        ("memory", _owner_words(array)),
    ]


def _listed(names: Sequence[str]) -> str:
    """The names in sequence, the middle of a long row left out."""
    if len(names) > 4:
        return f"{names[0]}, then {names[1]}, and so on to {names[-1]}"
    return ", then ".join(names)


def _noun(array: Array, axis: int) -> str:
    return {1: ["element"], 2: ["row", "column"], 3: ["slice", "row", "column"]}[array.ndim][axis]


def _repeated_axes(array: Array) -> list[int]:
    return [axis for axis, (n, step) in enumerate(zip(array.shape, array.strides, strict=True)) if n > 1 and step == 0]


def _overlapping(array: Array) -> bool:
    """Whether indices lead to the same element on axes that are not repeated, as in a sliding window."""
    repeats = math.prod(array.shape[axis] for axis in _repeated_axes(array))
    return bool(len(_stored(array)) * repeats < array.size)


def _sequence_words(array: Array) -> str:
    """In which order memory holds the elements, as a list of the largest parts that lie in one piece."""
    order = list(_stored(array).values())
    axes = [axis for axis, length in enumerate(array.shape) if length > 1 and array.strides[axis]]
    for axis in axes if not _overlapping(array) else []:
        parts = [position for position, _ in itertools.groupby(index[axis] for index in order)]
        if len(parts) == len(set(parts)):
            return _listed([f"{_noun(array, axis)} {position}" for position in parts])
    return "one element" if len(order) == 1 else _listed([str(list(index)) for index in order])


def _layout_alt(array: Array) -> str:
    low, high = _buffer(array)
    skipped = high - low - len(_stored(array)) * array.itemsize
    repeated = " and ".join(f"axis {axis}" for axis in _repeated_axes(array))
    words = [
        f"Array of shape {array.shape}, {array.dtype}, {_order_words(array)}: ",
        f"memory holds {_sequence_words(array)}",
        f", in {_count(len(_lines(array)), 'cache line')} of {LINE_BYTES} bytes",
        f"; repeated along {repeated} without being stored again" if repeated else "",
        "; several indices lead to the same element" if _overlapping(array) else "",
        f"; {skipped} of the {high - low} bytes of the buffer are skipped" if skipped else "",
    ]
    return "".join(words) + "."


def _view_fact(view: Array) -> str:
    most = f"{view.shape}, strides {view.strides}"
    return _fitting((f"{most}, {view.dtype}", most, f"strides {view.strides}"), WIDTH - _NAMES, 12)


def _views_alt(base: Array, views: dict[str, Array], shared: dict[str, Array]) -> str:
    low, high = _buffer(base)
    words = [f"A buffer of {high - low} bytes in {_count(len(_lines_of(low, high - low)), 'cache line')}."]
    for name, view in views.items():
        if name in shared:
            offsets = [address - low for address in _stored(view)]
            some = ", ".join(map(str, offsets[:8])) + (" and so on" if len(offsets) > 8 else "")
            words.append(f"{name} touches {_count(len(offsets), 'element')}, at bytes {some}.")
        else:
            words.append(f"{name} has its own memory.")
    return " ".join(words)


def _walk_caption(array: Array, fetched: Sequence[Sequence[int]], cache_lines: int) -> str:
    visits, lines = len(fetched), sum(map(len, fetched))
    used, moved = visits * array.itemsize, lines * LINE_BYTES
    return (
        f"{_count(visits, 'visit')}, {_count(lines, 'fetch', 'fetches')}. Of {moved} bytes fetched, {used} are "
        f"used: {used / moved:.3g} used per fetched byte. Model: a cache of {_count(cache_lines, 'line')} of "
        f"{LINE_BYTES} bytes that drops the line used least recently, without prefetching."
    )


def _bytes_words(count: int) -> str:
    if count < 10_000:
        return _count(count, "byte")
    power = min(4, int(math.log(count, 1024)))
    return f"{count / 1024**power:.1f} {['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][power]}"


def _heap_caption(lists: Sequence[list[Any]], leaves: Sequence[object], values: Array) -> str:
    pointers = sum(map(len, lists))
    array = f" An array keeps {_count(values.size, 'number')} of {values.dtype} in a row: {values.nbytes} bytes."
    list_bytes, object_bytes = sum(map(sys.getsizeof, lists)), sum(map(sys.getsizeof, leaves))
    counted = f"{_count(len(lists), 'list')} with {_count(pointers, 'pointer')}"
    return (
        f"{counted} to {_count(len(leaves), 'object')}: "
        f"{list_bytes} bytes of lists with their pointers, {object_bytes} bytes of objects, "
        f"{list_bytes + object_bytes} together." + ("" if values.dtype.hasobject else array)
    )


# --- broadcasting ---------------------------------------------------------------------------------


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
        lengths = " and ".join(str(n) for n in dict.fromkeys(_lengths(shapes, axis)) if n != 1)
        clashes.append(f"on axis {axis} the lengths {lengths} differ and none of them is 1")
    return f"Shapes {' and '.join(map(str, shapes))} do not broadcast: {'; '.join(clashes)}."


def _broadcast_alt(operands: Sequence[Array]) -> str:
    shapes = [operand.shape for operand in operands]
    result = np.broadcast_shapes(*shapes)
    words = [f"Shapes {' and '.join(map(str, shapes))} broadcast to {result}."]
    for name, operand in zip(string.ascii_lowercase, operands, strict=False):
        axes = [axis - len(result) for axis in _repeated_axes(np.broadcast_to(operand, result))]
        along = " and ".join(f"axis {axis}" for axis in axes)
        words.append(f"{name} is repeated along {along}." if axes else f"{name} is used as it is.")
    return " ".join(words)


def _broadcast_caption(operands: Sequence[Array]) -> str:
    result = np.broadcast_shapes(*[operand.shape for operand in operands])
    words = []
    for name, operand in zip(string.ascii_lowercase, operands, strict=False):
        strides = np.broadcast_to(operand, result).strides
        unbroken = str(strides).replace(" ", "\xa0")
        words.append(f"{name} has strides {unbroken}, {_count(operand.size, 'element')} stored")
    shown = "Its values are shown for +." if _fits_a_grid(result) else "Its cells are not drawn: too many."
    return (
        f"As broadcast: {'; '.join(words)}. A stride of 0 repeats an element without storing it again; "
        f"the result stores all {math.prod(result)}. {shown}"
    )


# --- numbers in small boxes -----------------------------------------------------------------------


def _spellings(value: Any) -> tuple[str, ...]:
    """Ways to write a number, the most exact first and the shortest last."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool):
        return str(number), str(number)[0]
    if isinstance(number, int):
        exact, rounded = [str(number)], [f"{number:.1e}", f"{number:.0e}"]
    elif isinstance(number, complex):
        exact, rounded = [], [f"{number:.{digits}g}" for digits in (3, 2, 1)]
    else:
        exact, rounded = (
            _plain_decimal(float(number)),
            [f"{float(number):.{digits}g}" for digits in (3, 2, 1)],
        )
    short = [word.replace("e+0", "e").replace("e-0", "e-").replace("e+", "e") for word in rounded]
    return (*exact, *short, short[-1].replace("0.", ".", 1), "…")


def _plain_decimal(number: float) -> list[str]:
    """The number with all its digits, if they are few."""
    words = f"{number:.6g}"
    return [words] if len(words) <= 6 and float(words) == number else []


def _fitting(spellings: Sequence[str], width: float, size: float) -> str:
    return next((word for word in spellings if len(word) * _ADVANCE * size <= width), "")


@dataclass(frozen=True)
class _Cell:
    """An element on the address line, and what is written in its box: the first spellings that fit."""

    address: int
    nbytes: int
    index: Index
    spellings: tuple[str, ...]
    notes: tuple[str, ...]
    title: str
    fetched: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _Band:
    """Cells on a stretch of the address line, drawn in one row and named on its left."""

    cells: list[_Cell]
    label: str = ""
    height: float = 34.0


def _title(name: str, index: Index, value: Any) -> str:
    return f"{name}[{', '.join(map(str, index)) or '()'}] is {value}"


def _index_notes(array: Array, index: Index, paths: int) -> tuple[str, ...]:
    """The index of a stored element, `:` on a repeated axis; a count where more indices lead there."""
    repeated = _repeated_axes(array)
    paths //= math.prod(array.shape[axis] for axis in repeated)
    if paths > 1:
        return (f"×{paths}",)
    names = [":" if axis in repeated else str(position) for axis, position in enumerate(index)]
    return f"[{', '.join(names) or '()'}]", f"[{','.join(names)}]", ",".join(names)


def _element_cells(array: Array, name: str = "x") -> list[_Cell]:
    """The stored elements with their values and indices."""
    paths = Counter(_addresses(array).ravel().tolist())
    return [
        _Cell(
            address,
            array.itemsize,
            index,
            _spellings(array[index]),
            _index_notes(array, index, paths[address]),
            _title(name, index, array[index]),
        )
        for address, index in _stored(array).items()
    ]


def _numbered_cells(array: Array, numbers: dict[int, list[int]], fetched: dict[int, set[int]]) -> list[_Cell]:
    """The stored elements with numbers by address, and the lines that were fetched for them."""
    cells = []
    for address, index in _stored(array).items():
        found = numbers.get(address, [])
        written = (" ".join(map(str, found)), f"×{len(found)}") if len(found) != 1 else (str(found[0]),)
        title = f"{_title('x', index, array[index])}, numbers {found}"
        lines = frozenset(fetched.get(address, set()))
        cells.append(_Cell(address, array.itemsize, index, written, (), title, lines))
    return cells


def _position_cells(view: Array) -> list[_Cell]:
    positions: dict[int, list[int]] = {}
    for position, address in enumerate(_addresses(view).ravel().tolist()):
        positions.setdefault(address, []).append(position)
    return _numbered_cells(view, positions, {})


def _visit_cells(array: Array, visits: NDArray[np.intp], fetched: Sequence[Sequence[int]]) -> list[_Cell]:
    numbers: dict[int, list[int]] = {}
    lines: dict[int, set[int]] = {}
    addresses = _addresses(array)
    for number, (index, moved) in enumerate(zip(visits.tolist(), fetched, strict=True)):
        address = int(addresses[tuple(index)])
        numbers.setdefault(address, []).append(number)
        lines.setdefault(address, set()).update(moved)
    return _numbered_cells(array, numbers, lines)


# --- grids ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Box:
    """A cell of a grid."""

    spellings: tuple[str, ...]
    note: str = ""
    repeated: bool = False
    title: str = ""


@dataclass(frozen=True)
class _Grid:
    """Boxes in rows and columns with their indices around them."""

    boxes: list[list[_Box]]
    rows: list[str]
    columns: list[str]
    name: str = ""
    bonds: list[Bond] = field(default_factory=list)
    height: float = 34.0
    cell: float = _CELL
    sign: str = ""

    @property
    def left(self) -> float:
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

    def _draw_box(self, sheet: Sheet, x: float, y: float, box: _Box) -> None:
        with sheet.group(box.title):
            dashes = {"stroke_dasharray": "2 3", "stroke_opacity": 0.6} if box.repeated else {}
            sheet.rect(x, y, self.cell, self.height, **dashes)
            word = _fitting(box.spellings, self.cell - 2, 12)
            baseline = y + (15 if box.note else self.height / 2 + 4)
            sheet.text(x + self.cell / 2, baseline, word, fill_opacity=0.7 if box.repeated else 1.0)
            sheet.faint(x + self.cell / 2, y + 29, _fitting((box.note,), self.cell, 11))

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
        sheet.arrow(start, end, stroke=_BLUE, stroke_width=1.5)


def _index_tables(shape: Index) -> list[list[list[Index]]]:
    """The indices of an array as tables that fit the page: strips of 8, one table, or one per slice."""
    if len(shape) < 2:
        indices = list(np.ndindex(shape))
        return [[indices[start : start + _STRIP]] for start in range(0, len(indices), _STRIP)]
    slices = np.ndindex(shape[:-2])
    return [[[(*outer, i, j) for j in range(shape[-1])] for i in range(shape[-2])] for outer in slices]


def _grid(table: list[list[Index]], boxes: dict[Index, _Box], **look: Any) -> _Grid:
    """The boxes of a table of indices, with the last two axes written around them."""
    rows = [str(line[0][-2]) for line in table] if len(table[0][0]) > 1 else []
    columns = [str(index[-1]) if index else "" for index in table[0]]
    return _Grid([[boxes[index] for index in line] for line in table], rows, columns, **look)


def _cell_width(boxes: Iterable[_Box], least: float, most: float) -> float:
    """The width that shows each number as exactly as it can be written, within limits."""
    values = max(len(box.spellings[0]) for box in boxes) * 12 * _ADVANCE + 6
    notes = max(len(box.note) for box in boxes) * 11 * _ADVANCE + 10
    return min(most, max(least, values, notes))


def _offset_boxes(array: Array) -> dict[Index, _Box]:
    """The elements with their values and their offsets in the buffer."""
    low, addresses = _buffer(array)[0], _addresses(array)
    first = set(_stored(array).values())
    boxes = {}
    for index in np.ndindex(array.shape):
        offset = int(addresses[index]) - low
        title = f"{_title('x', index, array[index])}, byte {offset}"
        boxes[index] = _Box(_spellings(array[index]), str(offset), index not in first, title)
    return boxes


def _bonds(table: list[list[Index]], array: Array) -> list[Bond]:
    """Neighbours in a table that are neighbours in memory: row and column of the first and of the second."""
    place = {index: (row, column) for row, line in enumerate(table) for column, index in enumerate(line)}
    bonds = []
    for (before, a), (after, b) in itertools.pairwise(_stored(array).items()):
        if after - before == array.itemsize and a in place and b in place:
            (row, column), (next_row, next_column) = place[a], place[b]
            if abs(next_row - row) + abs(next_column - column) == 1:
                bonds.append((row, column, next_row, next_column))
    return bonds


def _offset_grids(array: Array) -> list[_Grid]:
    """The array as grids of values and offsets: one, or one per strip or slice."""
    boxes, tables = _offset_boxes(array), _index_tables(array.shape)
    cell = _cell_width(boxes.values(), _CELL, (WIDTH - 22) / len(tables[0][0]))
    name = "x[{}]" if array.ndim == 3 else ""
    return [
        _grid(table, boxes, bonds=_bonds(table, array), cell=cell, name=name.format(position))
        for position, table in enumerate(tables)
    ]


def _flow(sheet: Sheet, y: float, grids: Sequence[_Grid]) -> tuple[float, float]:
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


def _draw_facts(sheet: Sheet, x: float, y: float, facts: Sequence[tuple[str, str]], column: float = 66) -> float:
    """Write a table of names and values below y and return its bottom."""
    for row, (name, value) in enumerate(facts):
        sheet.faint(x, y + 17 * row + 12, name, "start")
        sheet.text(x + column, y + 17 * row + 12, value, 12.0, "start")
    return y + 17 * len(facts)


def _draw_array(sheet: Sheet, array: Array) -> float:
    """Draw the grids of an array with its facts on their right, or below them if there is no room."""
    grids, facts = _offset_grids(array), _facts(array)
    arrows = "; arrows lead to the next bytes in memory" if any(grid.bonds for grid in grids) else ""
    sheet.text(0, 12, f"Array: value and byte offset{arrows}", 12.0, "start", font_family=SANS)
    right, bottom = _flow(sheet, 22, grids)
    width = 66 + max(len(value) for _, value in facts) * 12 * _ADVANCE
    if len(grids) == 1 and right + 24 + width <= WIDTH:
        return max(bottom, _draw_facts(sheet, right + 24, 38, facts))
    return _draw_facts(sheet, 0, bottom + 14, facts)


# --- the address line -----------------------------------------------------------------------------


def _row_bytes(cell: _Cell, left: float) -> int:
    """Bytes in a drawn row: a cache line, or a part of it if the element were too narrow for its number."""
    row_bytes = LINE_BYTES
    needed = len(cell.spellings[0]) * 11 * _ADVANCE + 2
    while row_bytes > 8 * cell.nbytes and needed * row_bytes > (WIDTH - left) * cell.nbytes:
        row_bytes //= 2
    return row_bytes


def _left(array: Array, names: Iterable[str] = ()) -> float:
    """Where memory starts, on the right of the names of bands and cache lines."""
    low, high = _buffer(array)
    last_line = f"line {(high - 1) // LINE_BYTES - low // LINE_BYTES}"
    return 8 + 11 * _ADVANCE * max(map(len, [last_line, *names]))


def _draw_memory(
    sheet: Sheet,
    y: float,
    bands: Sequence[_Band],
    *arrays: Array,
    left: float,
    says: str,
    notes: dict[int, str] | None = None,
) -> float:
    """Draw bands on the address line of the arrays' buffer, and return the bottom.

    The heading ends with what the picture `says`; `notes` are written beside the cache lines of that number.
    """
    low, high = _buffer(*arrays)
    row_bytes = min(_row_bytes(cell, left) for band in bands for cell in band.cells)
    rows = LINE_BYTES // row_bytes
    per = "block" if len(bands) > 1 else "row" if rows == 1 else f"{rows} rows"
    heading = f"Memory: one cache line ({LINE_BYTES} bytes) per {per}; {says}"
    sheet.text(0, y + 12, heading, 12.0, "start", font_family=SANS)
    return _Memory(low, high, row_bytes, left, notes or {}).draw(sheet, y + 22, bands)


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

    def draw(self, sheet: Sheet, y: float, bands: Sequence[_Band]) -> float:
        """Draw the bands below y, cache line after cache line, and return the bottom."""
        cells = itertools.chain(*(band.cells for band in bands))
        touched = {line for cell in cells for line in _lines_of(cell.address, cell.nbytes)}
        for lines in _lines_to_draw(touched, self.low, self.high):
            if len(lines) > 1:
                words = f"⋮  {len(lines):,} cache lines of the buffer, not touched"
                sheet.faint(self.left, y + 12, words, "start")
                y += 22
            else:
                y = self._draw_line(sheet, y, lines[0], bands)
        return self._draw_legend(sheet, y, bands)

    def _draw_line(self, sheet: Sheet, y: float, line: int, bands: Sequence[_Band]) -> float:
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

    def _draw_row(self, sheet: Sheet, y: float, row: int, bands: Sequence[_Band]) -> float:
        self._draw_offsets(sheet, y + 11, row, bands[0].cells)
        y += 15
        for band in bands:
            self._draw_outside(sheet, y, band.height)
            label = band.label or (self.notes.get(row // LINE_BYTES, "") if row % LINE_BYTES == 0 else "")
            sheet.faint(0, y + band.height / 2 + 4, label, "start")
            for start, stop in self._skipped(row, band.cells):
                sheet.hatch(self._x(start, row), y, (stop - start) * self.scale, band.height)
            for cell in band.cells:
                if cell.address < row + self.row_bytes and row < cell.address + cell.nbytes:
                    self._draw_cell(sheet, y, row, cell, band)
            y += band.height + 4
        return y

    def _x(self, address: int, row: int) -> float:
        return self.left + (address - row) * self.scale

    def _draw_offsets(self, sheet: Sheet, y: float, row: int, cells: Sequence[_Cell]) -> None:
        """Write the offset of each element over its left end, where the number before leaves room."""
        free = self.left
        for cell in cells:
            if row <= cell.address < row + self.row_bytes and self._x(cell.address, row) >= free:
                words = str(cell.address - self.low)
                sheet.faint(self._x(cell.address, row), y, words, "start")
                free = self._x(cell.address, row) + (len(words) + 0.3) * _ADVANCE * 11

    def _skipped(self, row: int, cells: Sequence[_Cell]) -> Iterator[tuple[int, int]]:
        """The stretches of a row that belong to the buffer and hold no cell."""
        free, stop = max(row, self.low), min(row + self.row_bytes, self.high)
        for start, after in [*((cell.address, cell.address + cell.nbytes) for cell in cells), (stop, stop)]:
            if free < min(start, stop):
                yield free, min(start, stop)
            free = max(free, after)

    def _draw_cell(self, sheet: Sheet, y: float, row: int, cell: _Cell, band: _Band) -> None:
        """Draw the part of an element that lies in a row, with the number in the larger part."""
        start, stop = max(cell.address, row), min(cell.address + cell.nbytes, row + self.row_bytes)
        x, width = self._x(start, row), (stop - start) * self.scale
        marks = {"data_band": band.label, "data_offset": cell.address - self.low, "data_index": cell.index}
        with sheet.group(cell.title, **marks):
            sheet.rect(x, y, width, band.height)
            if row // LINE_BYTES in cell.fetched:
                sheet.rect(x, y, width, band.height, fill=_ORANGE, fill_opacity=0.16)
                sheet.path(_corner(x, y), fill=_ORANGE, stroke="none")
            if 2 * (stop - start) > cell.nbytes or (2 * (stop - start) == cell.nbytes and start == cell.address):
                size = 12.0 if width >= 30 else 11.0
                baseline = y + (15 if cell.notes else band.height / 2 + 4)
                sheet.text(x + width / 2, baseline, _fitting(cell.spellings, width - 2, size), size)
                sheet.faint(x + width / 2, y + 29, _fitting(cell.notes, width - 2, 11))

    def _draw_legend(self, sheet: Sheet, y: float, bands: Sequence[_Band]) -> float:
        """Explain the marks that the drawing has, and return the bottom."""
        entries = []
        if any(sum(cell.nbytes for cell in band.cells) < self.high - self.low for band in bands):
            entries.append("skipped")
        if self.low % LINE_BYTES or self.high % LINE_BYTES:
            entries.append("outside the buffer")
        if any(cell.fetched for band in bands for cell in band.cells):
            entries.append("fetches a cache line")
        x = self.left
        for words in entries:
            _draw_swatch(sheet, x, y + 2, words)
            sheet.text(x + 22, y + 12, words, 12.0, "start", font_family=SANS)
            x += 42 + 6.6 * len(words)
        return y + 18 if entries else y


def _draw_swatch(sheet: Sheet, x: float, y: float, words: str) -> None:
    dashes = {"stroke_dasharray": "1 4"} if words == "outside the buffer" else {}
    sheet.rect(x, y, 16, 12, stroke_opacity=0.5, **dashes)
    if words == "skipped":
        sheet.hatch(x, y, 16, 12)
    if words == "fetches a cache line":
        sheet.path(_corner(x, y), fill=_ORANGE, stroke="none")


def _corner(x: float, y: float) -> str:
    return f"M{x:.1f} {y:.1f}h9l-9 9z"


def _draw_copies(sheet: Sheet, y: float, copies: dict[str, Array], left: float) -> float:
    """Draw a row for each array that has its own memory, and return the bottom."""
    for name, copy in copies.items():
        sheet.faint(0, y + 15, name, "start")
        sheet.rect(left, y, WIDTH - left, _SLOT)
        words = f"own memory: {_count(copy.nbytes, 'byte')} somewhere else"
        sheet.text(left + 8, y + 15, words, 12.0, "start", font_family=SANS)
        y += _SLOT + 4
    return y


def _draw_visits(sheet: Sheet, y: float, fetched: Sequence[bool]) -> float:
    """Draw the visits one after the other, the fetching ones filled, and return the bottom."""
    sheet.text(0, y + 12, "Visits in order, filled where a line is fetched", 12.0, "start", font_family=SANS)
    y += 20
    for start in range(0, len(fetched), 32):
        sheet.faint(0, y + 10, str(start), "start")
        for column, fetches_line in enumerate(fetched[start : start + 32]):
            look = {"fill": _ORANGE, "stroke": _ORANGE} if fetches_line else {"stroke_opacity": 0.5}
            sheet.rect(28 + 12.8 * column, y + 1, 10, 10, **look)
        y += 16
    return y


# --- broadcasting, drawn -------------------------------------------------------------------------


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
            sheet.rect(x, 17, _LENGTH_WIDTH, bottom - 18, stroke=_ORANGE, stroke_width=2.5)
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
    look = {"stroke_dasharray": "2 3"} if -axis > len(shape) else {}
    sheet.rect(x + 4, y, _LENGTH_WIDTH - 8, 22, **look)
    sheet.text(x + _LENGTH_WIDTH / 2, y + 15, f"1→{result}" if length == 1 != result else str(length))


def _fits_a_grid(shape: Index) -> bool:
    rows, columns = (1, 1, *shape)[-2:]
    fits = 1 <= rows <= _MAX_ROWS and 1 <= columns <= _MAX_COLUMNS and rows * columns <= _MAX_ELEMENTS
    return fits and len(shape) <= 2


def _draw_sum(sheet: Sheet, y: float, operands: Sequence[Array]) -> float:
    """Draw the operands as broadcast, and their sum, as grids of one shape; return the bottom."""
    with np.errstate(all="ignore"):
        result: Array = np.asarray(functools.reduce(np.add, operands))
    stretched = [np.broadcast_to(operand, result.shape) for operand in operands]
    signs = ["", *"+" * (len(operands) - 1), "="]
    names = [*string.ascii_lowercase[: len(operands)], "result"]
    table = _index_tables(result.shape)[0] if result.ndim == 2 else [list(np.ndindex(result.shape))]
    boxes = [_sum_boxes(array, name) for array, name in zip([*stretched, result], names, strict=True)]
    columns = len(table[0])
    room = (WIDTH - 42 * len(boxes)) / (columns * len(boxes))
    every = [box for operand in boxes for box in operand.values()]
    look = {"cell": _cell_width(every, max(26.0, min(_CELL, room)), (WIDTH - 42) / columns), "height": 26.0}
    parts = zip(boxes, names, signs, strict=True)
    return _flow(sheet, y, [_grid(table, box, name=name, sign=sign, **look) for box, name, sign in parts])[1]


def _sum_boxes(array: Array, name: str) -> dict[Index, _Box]:
    first = set(_stored(array).values())
    return {
        index: _Box(_spellings(array[index]), "", index not in first, _title(name, index, array[index]))
        for index in np.ndindex(array.shape)
    }


# --- objects on the heap, drawn ------------------------------------------------------------------


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
            sheet.text(x + 6, y + 15, _fitting((repr(leaf), *_spellings(leaf)), 46, 12), 12.0, "start")
            sheet.faint(x + 78, y + 15, _fitting((kind, kind[:6] + "…"), 50, 11))
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
