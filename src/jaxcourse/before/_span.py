"""At least and at most: the only form in which a time is said before a run."""

from __future__ import annotations

import math
from typing import NamedTuple

from jaxcourse.table import si


class Span(NamedTuple):
    """Seconds, at least and at most.

    Example:
        >>> print(Span(2e-3, 0.05).plus(Span(1e-3, 1e-3)))
        3 ms to 51 ms
    """

    least: float
    most: float

    @property
    def middle(self) -> float:
        """The geometric mean; it is used to rank, and never shown."""
        return math.sqrt(max(self.least, 1e-15) * max(self.most, 1e-15))

    def times(self, least: float, most: float) -> Span:
        """So many of it, at least and at most."""
        return Span(least * self.least, most * self.most)

    def plus(self, other: Span) -> Span:
        """Both, one after the other."""
        return Span(self.least + other.least, self.most + other.most)

    def holds(self, seconds: float) -> bool:
        """Whether a time is in it."""
        return self.least <= seconds <= self.most

    def __str__(self) -> str:
        return f"{si(self.least, 's')} to {si(self.most, 's')}"
