"""Edits of a text: whatever is not edited stays as it is written, letter for letter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """What stands in a text in place of what was between two places of it."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> str:
    """A text, or a part of it, after some edits, none of which overlap.

    Example:
        >>> apply_edits("one two", [Edit(4, 7, "three"), Edit(0, 3, "")])
        ' three'
    """
    parts, done = [], start
    for edit in sorted(edits):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, text[done : len(text) if end is None else end]])


def trimmed(text: str) -> str:
    r"""A text without the empty lines at its ends; the indentation of its first line means something.

    Example:
        >>> trimmed("\n  \n    code\n")
        '    code'
    """
    lines = text.rstrip().split("\n")
    return "\n".join(lines[next((i for i, line in enumerate(lines) if line.strip()), 0) :])
