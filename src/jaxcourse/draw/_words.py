"""Numbers and names as words that fit into small boxes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxcourse.draw._elements import Index
from jaxcourse.svg import ADVANCE


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, e.g. `1 byte` or `2 bytes`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def element_title(name: str, index: Index, value: Any) -> str:
    """What a box says when the mouse rests on it, e.g. `x[0, 1] is 2.5`."""
    return f"{name}[{', '.join(map(str, index)) or '()'}] is {value}"


def spellings_of(value: Any) -> tuple[str, ...]:
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


def fitting(spellings: Sequence[str], width: float, size: float) -> str:
    """The first spelling that fits into a width, in a font of that size; nothing if none does."""
    return next((word for word in spellings if len(word) * ADVANCE * size <= width), "")
