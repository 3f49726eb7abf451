"""What does not fit, by name."""

from __future__ import annotations

import operator
from typing import Any


class FrameError(ValueError):
    """A table, a step or a result that does not fit. The message names what is wrong, and what to do."""


def whole_number(name: str, value: Any) -> int:
    """An argument that counts.

    Raises:
        TypeError: if it is not an integer; it names the argument.
    """
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} counts, so it must be an integer, not {value!r}") from None
