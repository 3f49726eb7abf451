"""What a lesson withholds, an examination's for instance: its solutions, its hints, and what its checks know.

The lesson's front matter says until when. Whoever has the lesson's source has all of it, so the grader does; the wheel
and the site do not, until they are built after that time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from jaxcourse._edition import ALWAYS, is_over

RUNS = "runs"
"""What a withheld check may tell all the same: whether an answer can be called as its task does."""


@dataclass(frozen=True)
class Withheld:
    """Until when a lesson withholds its solutions, and what its checks tell until then.

    Attributes:
        until: in ISO 8601 with an offset, or `always`.
        said: the same as its author wrote it.
        tells: `runs`, or nothing.

    Example:
        >>> Withheld("2026-12-18T18:00:00+01:00", "2026-12-18 18:00 Europe/Berlin").words
        'until 2026-12-18 18:00 Europe/Berlin'
        >>> Withheld("always").words
        'and stay so'
    """

    until: str
    said: str = ""
    tells: str = ""

    @property
    def words(self) -> str:
        """Until when, behind "are withheld"."""
        return "and stay so" if self.until == ALWAYS else f"until {self.said or self.until}"

    @property
    def is_over(self) -> bool:
        """Whether nothing is withheld any more, by this machine's clock."""
        return is_over(self.until)

    @property
    def sentence(self) -> str:
        """What a reader is told in place of a hint or a solution."""
        later = "" if self.until == ALWAYS else " Once they are published, install the course's package again."
        return f"Hints, solutions and checks of this lesson are withheld {self.words}.{later}"

    @classmethod
    def of(cls, said: Mapping[str, str]) -> Withheld | None:
        """From its plain data; None if there is none."""
        return cls(**said) if said else None

    def to_json(self) -> dict[str, str]:
        """As plain data."""
        return asdict(self)
