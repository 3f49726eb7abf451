"""What a reader guesses, and by which factor it was off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxcourse.table import number

GUESSED = ("dtype", "shape", "kernels", "bytes", "ms")


def checked(guess: Mapping[str, Any]) -> dict[str, Any]:
    """A guess, as it was given.

    Raises:
        TypeError: it is no mapping, or has something that is not asked.
    """
    if not isinstance(guess, Mapping):
        raise TypeError(
            f"guess is what you expect, such as {{'ms': 2.0}}, got {type(guess).__name__}: if your function has an "
            "argument of this name, bind it with functools.partial first"
        )
    if unknown := sorted(set(guess) - set(GUESSED)):
        raise TypeError(f"guess takes {', '.join(GUESSED)}; there is no {', '.join(unknown)}")
    return {name: guess[name] for name in GUESSED if name in guess}


def factor(guess: float, true: float) -> str:
    """By which factor a number is off, in words.

    Example:
        >>> factor(2, 1), factor(1, 8), factor(3, 3), factor(0, 3)
        ('2 times too high', '8 times too low', 'right', 'off')
    """
    if guess == true:
        return "right"
    if guess <= 0 or true <= 0:
        return "off"
    ratio = guess / true
    return f"{number(ratio)} times too high" if ratio > 1 else f"{number(1 / ratio)} times too low"


def near(guess: float, least: float, most: float) -> str:
    """Where a number lies beside a range, in words.

    Example:
        >>> near(2, 1, 3), near(12, 1, 3), near(1, 2, 3)
        ('in the range', '4 times above it', '2 times below it')
    """
    if least <= guess <= most:
        return "in the range"
    if guess <= 0:
        return "off"
    return f"{number(guess / most)} times above it" if guess > most else f"{number(least / guess)} times below it"
