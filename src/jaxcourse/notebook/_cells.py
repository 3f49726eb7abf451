"""What stands in the notebook's cells: one that Python could not read has left no trace but its text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from typing import Any

from jaxcourse.exercise import Exercise, Verdict
from jaxcourse.markup import quoted


def _shell() -> Any:
    """IPython's, if this runs in it; else None."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def in_notebook() -> bool:
    """Whether this runs in IPython, be it a notebook or a terminal."""
    return _shell() is not None


def in_kernel() -> bool:
    """Whether this runs in the kernel of a notebook."""
    return getattr(_shell(), "kernel", None) is not None


def cells() -> list[str]:
    """The cells that were run in this session, as Python read them, without the one that is running."""
    shell = _shell()
    return [str(cell) for cell in shell.user_ns.get("In", [])[:-1]] if shell else []


def unread_verdict(task: Exercise, cells: Sequence[str]) -> Verdict | None:
    """The verdict on an answer whose cell Python could not read when it was last run; None if it could.

    What an earlier cell has defined is not what the reader wants to know of.

    Args:
        task: the exercise.
        cells: those that were run, in their order.

    Example:
        >>> task = Exercise("double-it", lambda answer, rng: None)
        >>> unread_verdict(task, ["def double_it(x): ...", "def double_it(x)"]).message
        "Python could not read the cell of `double_it`, so nothing of it was run: expected ':', in line 1: ..."
        >>> unread_verdict(task, ["def double_it(x)", "def double_it(x): ..."])
    """
    name = task.variable
    defines = rf"def\s+{name}\b|{name}\s*(?::[^=\n]+)?=(?!=)"
    begins = re.compile(rf"^\s*(?:{defines}|# exercise: {task.name}\s*$)", re.MULTILINE)
    latest = next(filter(begins.search, reversed(cells)), "")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(latest)
    except SyntaxError as error:
        line = (error.text or "").strip()
        where = f", in line {error.lineno}: {quoted(line)}" if line else ""
        message = f"Python could not read the cell of `{name}`, so nothing of it was run: {error.msg}{where}."
        return Verdict(task.name, "error", type(error).__name__, message)
    except (ValueError, RecursionError, MemoryError):  # what Python has run, it has read
        pass
    return None
