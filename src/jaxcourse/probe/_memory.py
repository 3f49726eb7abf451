"""How much memory a call needs, as far as Python sees it asked for."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any


def most_asked_for(call: Callable[[], Any]) -> int:
    """The most bytes that NumPy and Python hold at once beyond what they held before a call.

    Args:
        call: takes nothing; what it returns is thrown away.

    Returns:
        Bytes. What another library allocates is not among them. What Linux says of a process (its peak, the pages
        that it touched) would show that, and on a busy machine accuses right answers now and then.

    Example:
        >>> 8000 <= most_asked_for(lambda: bytes(8000)) < 20_000
        True
    """
    was_on = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_on:
            tracemalloc.stop()
