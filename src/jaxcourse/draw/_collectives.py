"""What a collective does to the piece of each device, and what many devices do from step to step."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jaxcourse.draw._elements import Array
from jaxcourse.draw._words import fitting, spellings_of
from jaxcourse.svg import BLUE, WIDTH, Picture, Sheet

_CELL, _HEIGHT, _GAP = 24.0, 22.0, 14.0
_FAR = 1000
"""Added to a piece, to see which results change: larger than any number that fits into a box."""


def collective(run: Callable[[Array], Array], pieces: Array, name: str) -> Picture:
    """Draw the piece of each device before and after a collective, and who needs what of whom.

    Nothing is known about the collective: `run` is called with the pieces, and once more for each device with a
    changed piece. An arrow leads from a device to each *other* one whose result has changed.

    Args:
        run: takes what all devices have, of shape `(devices, n)`, and gives what they have afterwards, of shape
            `(devices, m)` or `(devices, rows, columns)`.
        pieces: what each of 2 to 4 devices has before: a row of at most 4 numbers.
        name: of the collective.

    Returns:
        The picture.

    Raises:
        ValueError: there are too many devices or numbers, or `run` gives another number of devices.

    Example:
        >>> print(collective(lambda x: x[::-1], np.array([[1, 2], [3, 4]]), "swap").alt)
        swap. Device 0 has 1, 2, then 3, 4, which needs device 1. Device 1 has 3, 4, then 1, 2, which needs device 0.
    """
    devices = _require_pieces(pieces)
    after = np.asarray(run(pieces))
    if len(after) != devices or after.ndim not in (2, 3) or after.shape[-1] > 4:
        raise ValueError(f"{devices} devices have rows of at most 4 numbers each; `run` gave the shape {after.shape}")
    sources = _sources(run, pieces, after)
    sheet = Sheet()
    sheet.text(0, 12, name, 12.0, "start", font_weight="bold")
    bottom = _draw_devices(sheet, 24, pieces[:, None], "before")
    _draw_arrows(sheet, bottom + 3, sources)
    bottom = _draw_devices(sheet, bottom + 62, after.reshape(devices, -1, after.shape[-1]), "after")
    return sheet.picture(bottom + 4, f"{name}. {' '.join(_sentences(pieces, after, sources))}")


def _require_pieces(pieces: Array) -> int:
    if pieces.ndim != 2 or not (2 <= len(pieces) <= 4 and 1 <= pieces.shape[1] <= 4):
        raise ValueError(f"2 to 4 devices with 1 to 4 numbers each can be drawn, not the shape {pieces.shape}")
    return len(pieces)


def _sources(run: Callable[[Array], Array], pieces: Array, after: Array) -> list[list[int]]:
    """For each device the devices whose pieces its result depends on."""
    depends = np.zeros((len(pieces), len(pieces)), bool)
    for source in range(len(pieces)):
        other = pieces.copy()
        other[source] += _FAR
        changed = np.asarray(run(other)) != after
        depends[:, source] = changed.reshape(len(pieces), -1).any(axis=1)
    return [np.flatnonzero(row).tolist() for row in depends]


def _left_edge(device: int, columns: int) -> float:
    """Where the boxes of a device begin, in the middle of its part of the sheet."""
    return _middle(device) - columns * _CELL / 2


def _middle(device: int) -> float:
    return device * (4 * _CELL + _GAP) + 2 * _CELL


def _draw_devices(sheet: Sheet, y: float, blocks: Array, when: str) -> float:
    """Draw a block of numbers for each device under its name, and return the bottom."""
    for device, block in enumerate(blocks):
        sheet.faint(_middle(device), y + 10, f"device {device}")
        with sheet.group(f"device {device} {when}: {_numbers(block)}"):
            for row, column in np.ndindex(block.shape):
                x, top = _left_edge(device, block.shape[1]) + column * _CELL, y + 16 + row * _HEIGHT
                sheet.rect(x, top, _CELL, _HEIGHT)
                word = fitting(spellings_of(block[row, column]), _CELL - 1, 11)
                sheet.text(x + _CELL / 2, top + 15, word, 11.0)
    return y + 16 + _HEIGHT * len(blocks[0])


def _draw_arrows(sheet: Sheet, y: float, sources: Sequence[Sequence[int]]) -> None:
    """Draw an arrow for each message between two devices; what stays with its device is dashed."""
    for device, needed in enumerate(sources):
        for source in needed:
            look: dict[str, Any] = {"stroke_dasharray": "6 4"} if source == device else {"stroke": BLUE}
            with sheet.group(f"from device {source} to device {device}"):
                sheet.arrow((_middle(source), y), (_middle(device), y + 54), **look)


def _numbers(block: Array) -> str:
    rows = block.reshape(-1, block.shape[-1])
    return "; ".join(", ".join(spellings_of(value)[0] for value in row) for row in rows)


def _sentences(pieces: Array, after: Array, sources: Sequence[Sequence[int]]) -> list[str]:
    sentences = []
    for device, needed in enumerate(sources):
        others = [str(source) for source in needed if source != device]
        noun = "device" if len(others) == 1 else "devices"
        needs = f", which needs {noun} {' and '.join(others)}" if others else ""
        has = f"Device {device} has {_numbers(pieces[device])}"
        sentences.append(f"{has}, then {_numbers(after[device])}{needs}.")
    return sentences


def timetable(rows: Mapping[str, Sequence[str]], name: str) -> Picture:
    """Draw who does what in which step: a row for each device or unit, a column for each step.

    A step with nothing to do is hatched, and the alt text names what is done in each step.

    Args:
        rows: at most 8 names of at most 10 letters, and for each as many words; an empty word is a step of waiting.
        name: of the timetable.

    Returns:
        The picture.

    Raises:
        ValueError: there are no rows, the rows have different lengths, or there is too much to draw.

    Example:
        >>> print(timetable({"device 0": ["a", ""], "device 1": ["", "a"]}, "Two steps").alt)
        Two steps. device 0: a, waits. device 1: waits, a.
    """
    steps = _require_timetable(rows)
    sheet = Sheet()
    sheet.text(0, 12, name, 12.0, "start", font_weight="bold")
    cell = min(52.0, (WIDTH - 80) / steps)
    for step in range(steps):
        sheet.faint(80 + (step + 0.5) * cell, 32, str(step))
    sheet.faint(72, 32, "step", "end")
    for number, (row, words) in enumerate(rows.items()):
        _draw_row(sheet, 38 + 28.0 * number, cell, row, words)
    spoken = [f"{row}: {', '.join(word or 'waits' for word in words)}." for row, words in rows.items()]
    return sheet.picture(38 + 28.0 * len(rows), f"{name}. {' '.join(spoken)}")


def _require_timetable(rows: Mapping[str, Sequence[str]]) -> int:
    lengths = {len(words) for words in rows.values()}
    if len(lengths) != 1 or not 1 <= min(lengths) <= 14 or len(rows) > 8 or max(map(len, rows)) > 10:
        raise ValueError("a timetable has 1 to 8 rows with short names, and all have the same 1 to 14 steps")
    return lengths.pop()


def _draw_row(sheet: Sheet, y: float, cell: float, name: str, words: Sequence[str]) -> None:
    sheet.text(72, y + 18, name, 11.0, "end")
    for step, word in enumerate(words):
        x = 80 + step * cell
        with sheet.group(f"{name}, step {step}: {word or 'waits'}"):
            sheet.rect(x, y, cell, 26)
            if not word:
                sheet.hatch(x, y, cell, 26)
            sheet.text(x + cell / 2, y + 17, fitting((word, word[:3], word[:1]), cell - 1, 11), 11.0)
