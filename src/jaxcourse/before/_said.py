"""What is known of a call, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from jaxcourse import insides
from jaxcourse.before import _model
from jaxcourse.before._hazards import Asked, Hazard
from jaxcourse.before._rates import Rates, on_this_backend, rates
from jaxcourse.before._run import Taken
from jaxcourse.before._span import Span
from jaxcourse.insides import Kernel, Sent


@dataclass(frozen=True, repr=False)
class Said:
    """What is known of a call before it runs.

    Args:
        asked: the function, its arguments, and what JAX made of them.
        costs: what the compiler says of memory.
        sent: the collectives; None if they cannot be read.
        hazards: what may surprise, each with the label of the section that explains it.
        guess: what the reader expected, by name.
        took: what a run took, once `run` was called.
        why_not_run: why nothing was measured.
    """

    asked: Asked
    costs: insides.Costs
    sent: tuple[Sent, ...] | None
    hazards: tuple[Hazard, ...]
    guess: Mapping[str, Any] = field(default_factory=dict)
    took: Taken | None = None
    why_not_run: str = ""

    @property
    def result(self) -> Any:
        """What comes back, in its structure: each leaf has `shape` and `dtype`."""
        return self.asked.result

    @property
    def parts(self) -> tuple[Kernel, ...]:
        """The kernels themselves, in the order of the program."""
        return tuple(self.asked.kernels)

    @property
    def kernels(self) -> int:
        """How many kernels the program has."""
        return len(self.parts)

    @property
    def launches(self) -> int | None:
        """How often a kernel is launched in one call at most; None if a loop has an unknown length."""
        return _total(self.parts, lambda one: 1)

    @property
    def bytes(self) -> int | None:
        """Bytes that all kernels read and write in one call at most; None if a loop has an unknown length."""
        return _total(self.parts, lambda one: one.bytes)

    @property
    def operations(self) -> int | None:
        """Arithmetic operations of one call at most; None if a loop has an unknown length."""
        return _total(self.parts, lambda one: one.operations)

    @property
    def temporaries(self) -> int:
        """Bytes that the program needs besides arguments and results, as the compiler says."""
        return self.costs.temporaries

    @property
    def collectives(self) -> dict[str, int]:
        """How often one call runs each collective, for loops of unknown length as if they took one turn."""
        found: dict[str, int] = {}
        for one in self.sent or ():
            found[one.operation] = found.get(one.operation, 0) + (one.runs or 1)
        return found

    @property
    def may_skip(self) -> bool:
        """Whether a decision may skip some of the kernels, so that bytes and operations are no more than these."""
        return any(one.may_skip for one in self.parts)

    @property
    def unread(self) -> tuple[Kernel, ...]:
        """The kernels of which the text does not say what they do."""
        return tuple(one for one in self.parts if not one.is_read)

    @cached_property
    def _rates(self) -> Rates | None:
        return rates() if on_this_backend() else None

    @cached_property
    def span(self) -> Span | None:
        """Processor seconds of a call on this machine; None if these cannot be said."""
        if not self._rates or self.launches is None or self.unread or self.collectives:
            return None
        made = [value.nbytes for value in self.asked.program.outputs if not value.is_key]
        arrays = len(self.asked.program.inputs) + len(self.asked.program.outputs)
        return _model.of_call(self.parts, self._rates, [*made, self.temporaries], arrays)

    @property
    def at_least(self) -> float | None:
        """Processor seconds of a call on this machine, at least; None if these cannot be said."""
        return self.span.least if self.span else None

    @property
    def at_most(self) -> float | None:
        """The same, at most."""
        return self.span.most if self.span else None

    @cached_property
    def in_the_way(self) -> tuple[_model.Share, ...]:
        """The kernels that take most of the time, the largest first, each with its share; none if no time is said."""
        return tuple(_model.largest(self.parts, self._rates)) if self._rates and self.span else ()


def _total(kernels: Sequence[Kernel], of: Callable[[Kernel], float]) -> int | None:
    if any(one.runs is None for one in kernels):
        return None
    return round(math.fsum((one.runs or 0) * of(one) for one in kernels))
