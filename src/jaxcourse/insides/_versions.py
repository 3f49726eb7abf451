"""What is tied to a version of JAX: on which ones every lesson was seen to run, and which flags they were told.

Nothing else in the course, the Makefile included, names a flag of XLA. When a new JAX comes, this file is what changes.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Iterable

SEEN = ((0, 7, 2), (0, 10, 2), (0, 12, 0))
"""The versions of JAX on which every lesson, every listed answer and the package's tests were run, and passed: what
Colab has, what `requirements.txt` has, and the newest. `make test-newest` says when there is another."""

QUICKLY = (
    "--xla_backend_optimization_level=0",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)
"""What makes XLA compile in half the time: most of it is spent on making programs fast, and ours run once.

JAX makes the same of a function with these, and XLA the same but for how many fusions: no check reads those.
"""
_KNOWN_BEFORE = (0, 11)
"""XLA ends a process that sets what it does not know. Of jaxlib before this version, 0.7 and 0.10 were tried."""


def numbers(text: str) -> tuple[int, ...]:
    """The three numbers of a version.

    Example:
        >>> numbers("0.10.2.dev20260101")
        (0, 10, 2)
    """
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


def quick_flags(level: int = 0) -> tuple[str, ...]:
    """`QUICKLY`, if it is known that this version of XLA takes it; otherwise nothing.

    Args:
        level: how much XLA does to make programs fast. 1 is worth its time where they run for longer than they compile.

    Example:
        >>> quick_flags() in (QUICKLY, ())
        True
        >>> quick_flags(1)[1:] in (QUICKLY[1:], ())
        True
    """
    known = numbers(importlib.metadata.version("jaxlib")) < _KNOWN_BEFORE
    return (f"{_name_of(QUICKLY[0])}={level}", *QUICKLY[1:]) if known else ()


def joined(flags: Iterable[str], others: Iterable[str]) -> list[str]:
    """Flags of XLA, and of others those of which the first say nothing.

    Example:
        >>> joined(["--xla_a=1"], ["--xla_a=0", "--xla_b=0"])
        ['--xla_a=1', '--xla_b=0']
    """
    flags = list(flags)
    named = set(map(_name_of, flags))
    return [*flags, *(flag for flag in others if _name_of(flag) not in named)]


def _name_of(flag: str) -> str:
    """A flag without its value."""
    return flag.partition("=")[0]


def quick_options() -> dict[str, int]:
    """The same for one program, as `jax.jit(..., compiler_options=...)` takes it; of a newer XLA only the first.

    Example:
        >>> quick_options()["xla_backend_optimization_level"]
        0
    """
    known = quick_flags() or QUICKLY[:1]
    return {name: json.loads(value) for name, value in (flag.removeprefix("--").split("=") for flag in known)}
