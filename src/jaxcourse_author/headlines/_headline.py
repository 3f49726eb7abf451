"""What a headline is: work that several programs do, and what a source says of who is faster."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jaxcourse.bench import Entry, Race

ALIKE = 1.5
"""Two programs are on a par if neither takes this many times longer than the other."""


def _no_set_up(platform: str) -> None:
    """Most headlines need none."""


@dataclass(frozen=True)
class Claim:
    """What a source says of two contestants at the last of the sizes, which is its own.

    Args:
        words: the claim.
        source: who says it, as the course names its sources.
        faster: the contestant that is said to be faster.
        slower: the other one.
        times: how many times as fast, if it says so; 1 if it says that they are on a par.
        why: a sentence about what decides it, from the race.
    """

    words: str
    source: str
    faster: str
    slower: str
    why: Callable[[Race], str]
    times: float | None = None

    def verdict_on(self, low: float, high: float) -> str:
        """What a measurement makes of the claim.

        Args:
            low: 1 round out of 10 lies below: how many times as fast `faster` was.
            high: 1 round out of 10 lies above.

        Returns:
            "holds", "less" (it is faster, by less than is said), "not here", or "unclear", where rounds disagree.

        Example:
            >>> claim = Claim("JAX is 3 times as fast.", "a notebook", "JAX", "NumPy", why=lambda race: "", times=3)
            >>> [claim.verdict_on(*found) for found in [(2.8, 3.4), (1.2, 1.4), (0.9, 1.1), (0.7, 0.9)]]
            ['holds', 'less', 'unclear', 'not here']
        """
        if self.times == 1:
            apart = high < 1 / ALIKE or low > ALIKE
            return "not here" if apart else "holds" if high < ALIKE and low > 1 / ALIKE else "unclear"
        if low <= 1:
            return "unclear" if high > 1 else "not here"
        return "holds" if high >= (self.times or 1) else "less"


@dataclass(frozen=True)
class Least:
    """What must be done at least, whoever does it: bytes read and written, and floating-point operations.

    Args:
        nbytes: of the arguments and the result.
        flops: of matrix products; what else is computed is free beside memory.
        on_host: whether the bytes are the host's, on a machine with an accelerator too.
    """

    nbytes: float = 0
    flops: float = 0
    on_host: bool = False


@dataclass(frozen=True)
class Headline:
    """A race that one of the course's sources reports, at three sizes.

    Args:
        name: what `--only` calls it.
        title: what is computed.
        variable: what the sizes count.
        sizes: three, the last of which is the source's own.
        contestants: makes the contestants from a size.
        claims: what the source says.
        least: what must be done at least, from a size.
        set_up: what must be set before JAX computes anything, from the platform: "cpu", "gpu" or "tpu".
        reasons: why contestants may differ, as `bench.race` asks.
        wants: packages without which some contestants are missing.
    """

    name: str
    title: str
    variable: str
    sizes: tuple[int, int, int]
    contestants: Callable[[int], dict[str, Entry]]
    claims: tuple[Claim, ...]
    least: Callable[[int], Least] = lambda size: Least()
    set_up: Callable[[str], None] = _no_set_up
    reasons: Mapping[str, str] = field(default_factory=dict)
    wants: tuple[str, ...] = ()

    @property
    def missing_packages(self) -> tuple[str, ...]:
        """The packages among `wants` that are not installed."""
        return tuple(name for name in self.wants if not has(name))


def has(package: str) -> bool:
    """Whether a package is installed.

    Example:
        >>> has("numpy"), has("nowhere_to_be_found")
        (True, False)
    """
    return importlib.util.find_spec(package) is not None


def busy(race: Race, *names: str) -> str:
    """How many cores contestants kept busy, as a sentence without its full stop."""
    kept = ", ".join(f"{name} {race[name].cores_busy:.1f}" for name in names)
    return f"Busy of {race.cores} cores: {kept}"
