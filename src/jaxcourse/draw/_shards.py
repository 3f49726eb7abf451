"""Which device holds which part of an array."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding

from jaxcourse.draw._words import counted, fitting
from jaxcourse.svg import ADVANCE, BLUE, ORANGE, TEAL, Picture, Sheet

Ranges = tuple[tuple[int, int], ...]
"""Where a piece begins and ends on each axis of the array."""
Holders = dict[Ranges, list[int]]
"""The different pieces of an array, and the devices that hold each."""

MOST_DEVICES, MOST_ROWS, MOST_COLUMNS = 64, 16, 10
# Tints behind text in the page's own colour, and a hatch for every other piece, for those who see no hues.
_TINTS = (BLUE, ORANGE, TEAL, "#b0589a", "#8a7a00", "#5b6ee1", "#c0392b", "#4f8a8b")
_MESH_CELL, _MESH_HEIGHT = 30.0, 24.0
_LEFT, _RIGHT, _TOP = 166.0, 438.0, 40.0
_SIZE = 12.0


def shards(array: jax.Array) -> Picture:
    """Draw which device holds which part of an array, and the mesh that the devices form.

    Each box is a different piece of the array, with the numbers of all devices that hold it: several numbers in one box
    are copies. The same numbers stand in the mesh on the left. Everything is asked of the array's own sharding.

    Args:
        array: an array of JAX with at most 2 axes, one element or more, on at most 64 devices.

    Returns:
        The picture.

    Raises:
        TypeError: it is no array of JAX.
        ValueError: it is too large or too finely cut to be drawn.

    Example:
        >>> shards(jax.device_put(np.ones((2, 3), np.float32), jax.devices()[0]))
        float32 of shape (2, 3), on 1 device. [0:2, 0:3] is on device 0. Each device holds 24 of 24 bytes.
    """
    holders = _holders(_drawable(array))
    mesh = array.sharding.mesh if isinstance(array.sharding, NamedSharding) else None
    sheet = Sheet()
    tints = {device: _TINTS[i % len(_TINTS)] for i, devices in enumerate(holders.values()) for device in devices}
    bottom = _draw_mesh(sheet, mesh, tints) if isinstance(mesh, Mesh) else _TOP
    bottom = max(bottom, _draw_array(sheet, array.shape, holders, tints))
    heading = fitting(_headings(array), _RIGHT - _LEFT, _SIZE)
    sheet.text(_LEFT, 12, heading, _SIZE, "start", font_weight="bold")
    return sheet.picture(bottom, _alt(array, holders, mesh), _caption(array, holders))


def _drawable(array: jax.Array) -> jax.Array:
    if not isinstance(array, jax.Array):
        raise TypeError(f"only an array of JAX lies on devices, and this is of type {type(array).__name__}")
    if array.ndim > 2 or array.size == 0:
        raise ValueError(f"expected 1 element or more in at most 2 axes, got shape {array.shape}")
    if len(array.sharding.device_set) > MOST_DEVICES:
        raise ValueError(f"at most {MOST_DEVICES} devices can be drawn, not {len(array.sharding.device_set)}")
    return array


def _holders(array: jax.Array) -> Holders:
    """The pieces in the order of the array, as its sharding says."""
    found: Holders = {}
    where: Mapping[Any, Any] = array.sharding.devices_indices_map(array.shape)
    for device, parts in where.items():
        piece = tuple(part.indices(n)[:2] for part, n in zip(parts or (), array.shape, strict=True))
        found.setdefault(piece, []).append(device.id)
    ends = [len({piece[axis] for piece in found}) for axis in range(array.ndim)]
    if max(ends[-1:], default=1) > MOST_COLUMNS or max(ends[:-1], default=1) > MOST_ROWS:
        raise ValueError(f"at most {MOST_ROWS} rows and {MOST_COLUMNS} columns of pieces can be drawn, not {ends}")
    return {piece: sorted(found[piece]) for piece in sorted(found)}


# --- drawing ----------------------------------------------------------------------------------------


def _draw_mesh(sheet: Sheet, mesh: Mesh, tints: Mapping[int, str]) -> float:
    """Draw the devices as the mesh arranges them, a table for each position on the axes before the last two."""
    sheet.text(0, 12, _mesh_words(mesh), _SIZE, "start", font_weight="bold")
    tables = np.asarray(mesh.devices).reshape(-1, *(1, 1, *mesh.devices.shape)[-2:])
    if mesh.devices.ndim == 1:
        tables = tables.reshape(1, -1, 1)
    across = min(_MESH_CELL, (_LEFT - 40) / tables.shape[2])
    y = _TOP
    for table in tables:
        for row in table:
            for column, device in enumerate(row):
                _draw_box(sheet, (across * column, y, across, _MESH_HEIGHT), [device.id], tints[device.id])
            y += _MESH_HEIGHT
        y += 8
    return y - 8


def _draw_array(sheet: Sheet, shape: tuple[int, ...], holders: Holders, tints: Mapping[int, str]) -> float:
    """Draw the array as boxes, one for each different piece, with where they begin and end; return the bottom."""
    rows, columns = _cuts(holders, shape)
    width = (_RIGHT - _LEFT) / len(columns)
    height = max(24.0, (180.0 if len(shape) == 2 else 30.0) / len(rows))
    for column, ends in enumerate(columns if shape else []):
        sheet.faint(_LEFT + width * (column + 0.5), _TOP - 7, fitting(_range_words(ends), width - 8, 11))
    for row, ends in enumerate(rows if len(shape) == 2 else []):
        sheet.faint(_LEFT - 5, _TOP + height * (row + 0.5) + 4, fitting(_range_words(ends), 40, 11), "end")
    for piece, devices in holders.items():
        row, column = _place(piece, rows, columns)
        box = (_LEFT + width * column, _TOP + height * row, width, height)
        _draw_box(sheet, box, devices, tints[devices[0]], _index_words(piece))
    return _TOP + height * len(rows)


def _cuts(holders: Holders, shape: tuple[int, ...]) -> list[list[tuple[int, int]]]:
    """Where the rows and the columns of boxes begin and end; a missing axis is one row or one column."""
    axes = [sorted({piece[axis] for piece in holders}) for axis in range(len(shape))]
    return [[(0, 1)]] * (2 - len(axes)) + axes


def _place(piece: Ranges, rows: Sequence[tuple[int, int]], columns: Sequence[tuple[int, int]]) -> tuple[int, int]:
    first, last = ((0, 1), (0, 1), *piece)[-2:]
    return rows.index(first), columns.index(last)


def _draw_box(
    sheet: Sheet, box: tuple[float, float, float, float], devices: Sequence[int], tint: str, what: str = ""
) -> None:
    """Draw a box with the numbers of devices in it."""
    x, y, width, height = box
    title = f"{what} is on {_device_words(devices)}" if what else _device_words(devices)
    with sheet.group(title, **{"data-devices": " ".join(map(str, devices)), "data-piece": what}):
        sheet.rect(x, y, width, height, fill=tint, fill_opacity=0.25)
        if _TINTS.index(tint) % 2:
            sheet.hatch(x, y, width, height, stroke=tint, stroke_opacity=0.35)
        word = fitting(_spellings(devices), width - 4, _SIZE)
        sheet.text(x + width / 2, y + height / 2 + 4, word, _SIZE)


# --- words ------------------------------------------------------------------------------------------


def _spellings(devices: Sequence[int]) -> tuple[str, ...]:
    numbers = ", ".join(map(str, devices))
    run = f"{devices[0]}–{devices[-1]}" if devices[-1] - devices[0] == len(devices) - 1 else numbers
    return numbers, numbers.replace(", ", ","), run, f"{devices[0]}…"


def _range_words(ends: tuple[int, int]) -> tuple[str, ...]:
    return f"{ends[0]}:{ends[1]}", f"{ends[0]}:", str(ends[0])


def _index_words(piece: Ranges) -> str:
    return f"[{', '.join(f'{start}:{stop}' for start, stop in piece)}]" if piece else "the number"


def _device_words(devices: Sequence[int]) -> str:
    return f"device{'s' * (len(devices) > 1)} {', '.join(map(str, devices))}"


def _mesh_words(mesh: Mesh) -> str:
    words = f"mesh {' × '.join(f'{name}: {size}' for name, size in mesh.shape.items())}"
    return words if len(words) * ADVANCE * _SIZE < _LEFT - 6 else f"mesh {' × '.join(map(str, mesh.shape.values()))}"


def _spec_words(sharding: NamedSharding) -> str:
    return f"P({', '.join(repr(entry) for entry in sharding.spec)})"


def _headings(array: jax.Array) -> tuple[str, ...]:
    """Type and layout of the array; the layout alone, where there is no room for both."""
    kind = _spec_words(array.sharding) if isinstance(array.sharding, NamedSharding) else "no mesh"
    return f"{array.dtype}{list(array.shape)}  {kind}", kind, "…"


def _bytes_per_device(array: jax.Array, holders: Holders) -> int:
    return array.dtype.itemsize * max(math.prod(stop - start for start, stop in piece) for piece in holders)


def _caption(array: jax.Array, holders: Holders) -> str:
    copies = len(next(iter(holders.values())))
    shape = tuple(stop - start for start, stop in next(iter(holders)))
    each = "each on one device" if copies == 1 else f"each on {copies} devices, as copies"
    return (
        f"{counted(len(holders), 'piece')} of shape {shape}, {each}. The numbers in the boxes are devices. "
        f"Each device holds {_bytes_per_device(array, holders)} of {array.nbytes} bytes."
    )


def _alt(array: jax.Array, holders: Holders, mesh: object) -> str:
    where = counted(len(array.sharding.device_set), "device")
    if isinstance(mesh, Mesh) and isinstance(array.sharding, NamedSharding):
        where = f"a {_mesh_words(mesh)}, as {_spec_words(array.sharding)}"
    pieces = "; ".join(f"{_index_words(piece)} is on {_device_words(devices)}" for piece, devices in holders.items())
    held = f"Each device holds {_bytes_per_device(array, holders)} of {array.nbytes} bytes."
    return f"{array.dtype} of shape {array.shape}, on {where}. {pieces}. {held}"
