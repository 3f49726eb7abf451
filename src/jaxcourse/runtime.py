"""What this process runs on: its cores."""

from __future__ import annotations

import os
import sys


def cores() -> int:
    """How many cores this process may use.

    Example:
        >>> 1 <= cores() <= os.cpu_count()
        True
    """
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
