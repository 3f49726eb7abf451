"""What a function's compiled code says about it."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator


def globals_of(code: types.CodeType) -> set[str]:
    """The global names that a function's code reads, in the functions inside it too."""
    steps = [step for part in (code, *inner(code)) for step in dis.get_instructions(part)]
    return {str(step.argval) for step in steps if step.opname == "LOAD_GLOBAL"}


def loops(code: types.CodeType) -> int:
    """How many places a function jumps back to: every loop jumps to its own beginning."""
    return len({step.argval for step in dis.get_instructions(code) if "BACKWARD" in step.opname})


def inner(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of the functions inside a function."""
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield part
            yield from inner(part)
