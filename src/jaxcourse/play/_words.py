"""Words and texts that the pictures share."""

import ast
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def counted(count: int, word: str, plural: str = "") -> str:
    """A count with its word.

    Example:
        >>> counted(1, "byte"), counted(1200, "byte")
        ('1 byte', '1,200 bytes')
    """
    return f"{count:,} {word if count == 1 else plural or word + 's'}"


def tuple_of(text: str) -> tuple[int, ...]:
    """The lengths in a text such as `"3, 4"`.

    Example:
        >>> tuple_of("3, 4"), tuple_of("[5]"), tuple_of("()")
        ((3, 4), (5,), ())
    """
    read = ast.literal_eval(text.strip())
    return (read,) if isinstance(read, int) else tuple(read)


def evaluated(text: str, x: Array) -> Any:
    """What an expression of x gives, by NumPy itself. The text is the author's own, as the rest of the cell is."""
    try:
        return eval(text.strip(), {"__builtins__": {}, "np": np}, {"x": x})
    except IndexError as error:
        raise ValueError(f"NumPy refuses {text}: {error}") from error
