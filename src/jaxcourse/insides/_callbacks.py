"""What a program hands back to Python while it runs: noted wherever a program is looked at, for whoever has asked.

A callback is no part of a program: it has no gradient, runs on no accelerator, and computes what nobody sees in the
program's operations. So the engine refuses it, once, in every exercise in which a program is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

CALLBACKS = ("pure_callback", "io_callback", "debug_callback")
"""The primitives by which a program calls a function of Python."""
_IN_HLO = re.compile(rf'custom-call\(.*op_name="[^"]*?\b({"|".join(CALLBACKS)})\b')
_noted: list[set[str]] = []


@contextmanager
def noting() -> Iterator[set[str]]:
    """The callbacks that are noted within a `with` block.

    Example:
        >>> with noting() as found:
        ...     note("add")
        ...     note("io_callback")
        >>> found
        {'io_callback'}
    """
    _noted.append(set())
    try:
        yield _noted[-1]
    finally:
        _noted.pop()


def note(primitive: str) -> None:
    """Note a primitive of a program, if it is a callback and anybody wants to know."""
    if primitive in CALLBACKS and _noted:
        _noted[-1].add(primitive)


def note_compiled(text: str) -> None:
    """Note the callbacks in the text of an optimised program."""
    for name in _IN_HLO.findall(text):
        note(name)
