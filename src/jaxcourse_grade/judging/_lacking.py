"""What a notebook imports and this grader has not: a limit of ours, and so no fault of the answer's.

What is not installed here may be installed where the student works, as seaborn is in Colab. An own module may be too
large to be sent along. An answer that needs such a thing is not judged, and the instructor is told what is lacking.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Collection, Iterable

from jaxcourse_grade._records import MOST_TEXT

_NO_MODULE = re.compile(r"No module named '([\w.]{1,100})'")
NOT_FOUND = "ModuleNotFoundError"


def is_here(name: str) -> bool:
    """Whether a module can be imported in this grader's Python; its outermost package decides.

    Example:
        >>> is_here("numpy"), is_here("numpy.typing"), is_here("no_such_library")
        (True, True, False)
    """
    outermost = name.partition(".")[0]
    try:
        return outermost in sys.modules or importlib.util.find_spec(outermost) is not None
    except (ValueError, ImportError):
        return True


def lacking_modules(messages: Iterable[str], too_large: Collection[str] = ()) -> tuple[str, ...]:
    """The modules that exceptions say they have not found, and that are not here or were too large.

    Args:
        messages: of `ModuleNotFoundError`s.
        too_large: the student's own modules for which there was no room.

    Example:
        >>> lacking_modules(["No module named 'no_such.thing'", "No module named 'numpy.thing'"])
        ('no_such',)
    """
    names = [match[1] for message in messages if (match := _NO_MODULE.search(message))]
    found = [name if name in too_large else name.partition(".")[0] for name in names]
    return tuple(dict.fromkeys(name for name in found if name in too_large or not is_here(name)))


def in_words(names: Collection[str], too_large: Collection[str]) -> tuple[str, str]:
    """A label, and what to tell a student whose answer needs some modules."""
    told = ", ".join(f"`{name}`" for name in names)
    if set(names) <= set(too_large):
        return "module-too-large", (
            f"It needs {told}, which you handed in with the notebook. What a notebook imports may have "
            f"{MOST_TEXT // 2**20} million characters here, and this has more, so your answer was not judged. Your "
            "instructor will look at it."
        )
    return "module-lacking", (
        f"It needs {told}, which is not here, so your answer was not judged. If that is a library, your instructor can "
        "install it and grade again. If it is a file of your own, hand it in with the notebook."
    )
