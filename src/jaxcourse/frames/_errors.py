"""What does not fit, by name."""

from __future__ import annotations


class FrameError(ValueError):
    """A table, a step or a result that does not fit. The message names what is wrong, and what to do."""
