"""The cells of a notebook, taken from its bytes without loading what surrounds them.

A notebook is mostly outputs, and nothing here looks at them: a value that is not asked for is stepped over by a regular
expression. So a notebook costs the memory of its bytes, however its outputs are nested, and a number with a
million digits, `NaN` or a merge conflict in an output does no harm. Grammar: https://www.rfc-editor.org/rfc/rfc8259;
cells: https://nbformat.readthedocs.io/en/latest/format_description.html.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jaxcourse_grade.intake._text import GUESSED, decoded

MAX_PARTS = 400_000
"""More parts than this (cells, their members, lines of source) are not a notebook: they only cost time."""
MAX_STEPS = 2_000_000
"""Brackets of one file that are stepped over one by one, a millionth of a second each; then they are counted."""
MAX_COUNTS = 20_000
"""Values whose brackets are counted, which takes a ten-thousandth of a second each: no notebook has more."""
MAX_SOURCE = 16 * 2**20
"""Characters of source in one notebook. The longest lesson has some ten thousand."""
MAX_NOTES = 20
"""How many oddities of one file are reported, at most."""

# Possessive: nothing is ever tried twice, so broken input costs no more than sound input. Python before 3.11.5 goes on
# from the wrong place where the body of a possessive group fails after its first character
# (https://github.com/python/cpython/issues/106052). So no group here has branches, and the first character of each
# decides whether it is there: beyond that, only the file's end can make it fail.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_STRING_HERE = re.compile(_STRING, re.DOTALL)
_SCALAR_HERE = re.compile(rb'[^\s,:\[\]{}"]++')
_SPACE = rb"[ \t\r\n]*+"
_SPACE_HERE = re.compile(_SPACE)
_NAME_HERE = re.compile(_STRING + _SPACE + rb":" + _SPACE, re.DOTALL)
_COMMA_HERE = re.compile(_SPACE + rb"(,?)" + _SPACE)
_PLAIN = rb'[^"\[\]{}]*+'
_TO_BRACKET = re.compile(_PLAIN + rb"(?:" + _STRING + _PLAIN + rb")*+[\[\]{}]", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)
CONFLICT = "holds an unresolved merge conflict"
"""How it is said that a notebook holds both sides of a merge, which Jupyter does not open either."""
_CONFLICT = re.compile(rb"^(?:<{7}|>{7})(?: |\r?$)", re.MULTILINE)


class Broken(ValueError):
    """The bytes are not a notebook; the message is the end of a sentence, such as "is cut off in line 7"."""


@dataclass(frozen=True)
class Cell:
    """A cell: its type as the file has it, and its source; its id, and the role that our generator gave it, if any."""

    kind: str
    source: str
    ident: str = field(default="", compare=False, repr=False)
    role: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Book:
    """What is taken from a notebook.

    Attributes:
        lesson: as its metadata say; else empty.
        cells: of all types, in order.
        notes: what was odd.
    """

    lesson: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()


def walk(data: bytes) -> Book:
    r"""Take the cells out of a notebook of nbformat 2, 3 or 4.

    Args:
        data: the file, in UTF-8 without a byte order mark; a source that is not UTF-8 is taken as Windows-1252.

    Raises:
        Broken: no notebook can be made out.

    Example:
        >>> walk(b'{"cells": [{"cell_type": "code", "outputs": [NaN], "source": ["x = 1\\n", "x"]}]}').cells
        (Cell(kind='code', source='x = 1\nx'),)
    """
    try:
        return _Walker(data).book()
    except _Stumble as stumble:
        raise Broken(_why(data, stumble.args[0])) from None


class _Stumble(ValueError):
    """The grammar is broken at this byte."""


def _why(data: bytes, at: int) -> str:
    if conflict := _CONFLICT.search(data):
        return f"{CONFLICT}, in line {_line(data, conflict.start())}"
    if not data[at:].strip():
        return f"is cut off: it ends in line {_line(data, at)}, in the middle of a cell"
    return f"is broken JSON from line {_line(data, at)} on"


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


_Shape = str | list["_Shape"] | dict[str, "_Shape"]
"""What is kept of a value: `LINE`, a string; `TEXT`, a string or the joined strings of an array; `LINES`, the same,
where an array may have lines without their ends; an array's elements; an object's members of these names. All else is
stepped over."""
_LINE, _TEXT, _LINES = "a string", "a string, or an array of strings", "a string, or an array of lines"
_OURS: dict[str, _Shape] = {"jaxcourse": {"role": _LINE}}
_CELL: dict[str, _Shape] = {"cell_type": _LINE, "source": _TEXT, "input": _TEXT, "id": _LINE, "metadata": _OURS}
_OLD_CELL: _Shape = {**_CELL, "source": _LINES, "input": _LINES}
_NOTEBOOK: _Shape = {
    "metadata": {"jaxcourse": {"lesson": _LINE}},
    "cells": [_CELL],
    "worksheets": [{"cells": [_OLD_CELL]}],
}
_OPENING = {list: b"[", dict: b"{"}


class _Walker:
    """Steps through one file's bytes, once."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.parts = self.steps = self.counts = 0
        self.notes: dict[str, None] = {}

    def book(self) -> Book:
        start = self._skip_space(0)
        if self._at(start) != b"{":
            raise Broken("is not a JSON object")
        kept, end = self._take(start, _NOTEBOOK)
        self._look_around(end)
        return Book(_lesson(kept), tuple(self._cells(kept)), tuple(self.notes))

    def _note(self, text: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes[text] = None

    def _look_around(self, end: int) -> None:
        if self.data[end:].strip(b" \t\r\n\0"):
            self._note(f"what follows the notebook's end in line {_line(self.data, end)} was left out")
        if conflict := _CONFLICT.search(self.data):
            self._note(f"an unresolved merge conflict in line {_line(self.data, conflict.start())}, outside the code")

    def _cells(self, kept: Any) -> Iterator[Cell]:
        cells = [cell for sheet in _sheets(kept) for cell in sheet]
        if sum(len(cell["source"]) for cell in cells if cell and cell.get("source")) > MAX_SOURCE:
            raise Broken(f"holds more than {MAX_SOURCE // 2**20} million characters of source")
        for number, cell in enumerate(cells, 1):
            if cell is None:
                self._note(f"item {number} in the list of cells is not a cell")
            else:
                yield self._cell(cell, number)

    def _cell(self, members: dict[str, Any], number: int) -> Cell:
        source = members.get("source", members.get("input", ""))
        if source is None:
            self._note(f"the source of cell {number} is not text: it was taken as empty")
        role = ((members.get("metadata") or {}).get("jaxcourse") or {}).get("role")
        return Cell(members.get("cell_type") or "code", source or "", members.get("id") or "", role or "")

    # -- the grammar

    def _take(self, at: int, shape: _Shape) -> tuple[Any, int]:
        """What is kept of the value that begins here (None if it has another shape), and where it ends."""
        first = self._at(at)
        if isinstance(shape, str):
            return self._take_text(at, shape)
        if first != _OPENING[type(shape)]:
            return None, self._end(at)
        return self._take_array(at, shape) if isinstance(shape, list) else self._take_object(at, shape)

    def _take_text(self, at: int, shape: str) -> tuple[str | None, int]:
        if self._at(at) == b'"':
            end = self._end(at)
            return self._string(at, end), end
        if self._at(at) == b"[" and shape != _LINE:
            lines, end = self._take_array(at, [_LINE])
            return _joined([line or "" for line in lines], shape), end
        end = self._end(at)
        return "" if self.data[at:end] == b"null" else None, end

    def _take_array(self, at: int, shape: list[_Shape]) -> tuple[list[Any], int]:
        kept = []
        at = self._skip_space(at + 1)
        while self._at(at) != b"]":
            value, at = self._take(at, shape[0])
            kept.append(value)
            at = self._next(at, b"]")
        return kept, at + 1

    def _take_object(self, at: int, shape: dict[str, _Shape]) -> tuple[dict[str, Any], int]:
        kept = {}
        at = self._skip_space(at + 1)
        while self._at(at) != b"}":
            name, at = self._name(at)
            if name in shape:
                kept[name], at = self._take(at, shape[name])
            else:
                at = self._end(at)
            at = self._next(at, b"}")
        return kept, at + 1

    def _name(self, at: int) -> tuple[str, int]:
        named = _NAME_HERE.match(self.data, at)
        if not named:
            raise _Stumble(self._end(at) if self._at(at) == b'"' else at)
        return self._string(at, self._end(at)), named.end()

    def _next(self, at: int, closing: bytes) -> int:
        """Past the comma, to the next part, or to the closing bracket."""
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise Broken(f"has more than {MAX_PARTS:,} parts: that is not a notebook")
        comma = _COMMA_HERE.match(self.data, at)
        at = comma.end() if comma else at
        if not (comma and comma[1]) and self._at(at) != closing:
            raise _Stumble(at)
        return at

    def _string(self, start: int, end: int) -> str:
        raw = self.data[start:end]
        text, guessed = decoded(raw)
        if guessed:
            self._note(GUESSED)
        if "\\" not in text:
            return text[1:-1]
        try:
            plain: str = _DECODER.decode(text)
        except ValueError:
            raise _Stumble(start) from None
        # Half of a surrogate pair cannot be written to a file; in a Python string the escape means the same.
        return plain.encode("utf-8", "backslashreplace").decode()

    def _end(self, start: int) -> int:
        """Where the value that begins here ends."""
        if self._at(start) in (b"{", b"["):
            return self._end_of_brackets(start)
        quoted = self._at(start) == b'"'
        scalar = (_STRING_HERE if quoted else _SCALAR_HERE).match(self.data, start)
        if not scalar:
            raise _Stumble(len(self.data) if quoted else start)
        return scalar.end()

    def _end_of_brackets(self, start: int) -> int:
        depth, at, data = 1, start + 1, self.data
        few = min(_FEW, MAX_STEPS - self.steps)
        for number in range(1, few + 1):
            step = _TO_BRACKET.match(data, at)
            if not step:
                raise _Stumble(len(data))
            at = step.end()
            depth += 1 if data[at - 1] in b"[{" else -1
            if not depth:
                self.steps += number
                return at
        self.steps += few
        self.counts += 1
        if self.counts > MAX_COUNTS:
            raise Broken("has more brackets than any notebook")
        return _end_of_many(data, at, depth)

    def _at(self, at: int) -> bytes:
        return self.data[at : at + 1]

    def _skip_space(self, at: int) -> int:
        space = _SPACE_HERE.match(self.data, at)
        return space.end() if space else at


_FEW = 2_000
"""Brackets of one value that are stepped over one by one; of those behind, many are counted at once."""
_PIECES = (2**12, 2**14)
"""Bytes that are looked at together: first so many, then twice as many each time, up to the second number."""
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1


def _end_of_many(data: bytes, at: int, depth: int) -> int:
    """Where the value ends in which, at this place outside of strings, so many brackets are open."""
    in_string = escaped = False
    length, most = _PIECES
    while at < len(data):
        piece = np.frombuffer(data, np.uint8, min(length, len(data) - at), at)
        quotes, escaped = _quotes(piece, escaped)
        inside = (np.cumsum(quotes, dtype=np.int32) + in_string) & 1
        depths = depth + np.cumsum(_STEPS[piece] * (1 - inside), dtype=np.int64)
        ends = np.flatnonzero(depths == 0)
        if ends.size:
            return at + int(ends[0]) + 1
        in_string, depth = bool(inside[-1]), int(depths[-1])
        at, length = at + piece.size, min(2 * length, most)
    raise _Stumble(len(data))


def _quotes(piece: np.ndarray, escaped: bool) -> tuple[np.ndarray, bool]:
    """Where strings begin and end: at quotes that no backslash escapes; whether the byte behind the piece is escaped.

    A byte is escaped if an odd number of backslashes stands before it.
    """
    slashes = piece == ord("\\")
    if not slashes.any():
        quotes = piece == ord('"')
        quotes[0] &= not escaped
        return quotes, False
    places = np.arange(piece.size)
    others = np.maximum.accumulate(np.where(slashes, -1, places))  # the last byte that is no backslash
    run = places - others + np.where(others < 0, int(escaped), 0)  # backslashes up to here, with those before the piece
    odd = np.concatenate([[escaped], run % 2 == 1])
    return (piece == ord('"')) & ~odd[:-1], bool(odd[-1])


def _joined(lines: list[str], shape: str) -> str:
    """The lines of a source; before nbformat 4 they may come without their ends."""
    ended = shape != _LINES or not lines or lines[0].endswith(("\n", "\r"))
    return ("" if ended else "\n").join(lines)


def _sheets(kept: Any) -> list[list[Any]]:
    """The lists of cells: one in nbformat 4, one per worksheet in nbformat 3."""
    if isinstance(kept.get("cells"), list):
        return [kept["cells"]]
    if not isinstance(kept.get("worksheets"), list):
        raise Broken("is JSON, but not a notebook: it has no list of cells")
    return [sheet["cells"] for sheet in kept["worksheets"] if sheet and sheet.get("cells")]


def _lesson(kept: Any) -> str:
    metadata = kept.get("metadata") or {}
    return str((metadata.get("jaxcourse") or {}).get("lesson") or "")
