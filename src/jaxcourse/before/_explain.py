"""What each kernel took in a traced call, beside what was said of it."""

from __future__ import annotations

import functools
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax

from jaxcourse import insides
from jaxcourse.before._hazards import Asked
from jaxcourse.before._model import of_kernel
from jaxcourse.before._rates import Rates
from jaxcourse.before._run import arrays_of, jitted
from jaxcourse.before._span import Span
from jaxcourse.table import Report, Table, si

CALLS = 5
MOST = 12
"""Rows that are shown."""
IDLE = 0.8
"""If the calls had a core for less than this part of their time, as in a race, nothing is judged by it."""
HOW = (
    "Times by the clock, in the mean of {calls} calls. The trace notes each kernel, which takes time as well: the "
    "shorter a kernel is, the less its time can be trusted."
)


@dataclass(frozen=True)
class Traced:
    """A kernel in a trace.

    Attributes:
        name: what the compiler calls it.
        kind: as in `insides.Kernel`.
        written: what it was written as.
        runs: how often one call launched it, as the trace has it.
        seconds: of all its runs in one call.
        said: the same, as it was said before; None where nothing was.
    """

    name: str
    kind: str
    written: str
    runs: float
    seconds: float
    said: Span | None


@dataclass(frozen=True, repr=False)
class Explained(Report):
    """What the kernels took, the longest first.

    Args:
        kernels: those that the trace has.
        missing: the names of those that it has not: too short to be noted, or a part of another.
        calls: how many calls were traced.
        busy: processor seconds for each second by the clock, meanwhile.
    """

    kernels: tuple[Traced, ...]
    missing: tuple[str, ...]
    calls: int
    busy: float = 1.0

    def _parts(self) -> list[Table | str]:
        total = sum(one.seconds for one in self.kernels) or 1.0
        rows = [self._row(one, total) for one in self.kernels[:MOST]]
        head = ["kernel", "kind", "from", "runs", "taken", "share", "said before", "that is"]
        return [Table("What each kernel took", head, rows), *self._beside(), HOW.format(calls=self.calls)]

    def _row(self, one: Traced, total: float) -> list[str]:
        where = "in the range" if one.said and one.said.holds(one.seconds) else "outside" if one.said else ""
        times = [si(one.seconds, "s"), f"{one.seconds / total:.0%}", str(one.said or "nothing")]
        return [one.name, one.kind, one.written, f"{one.runs:,.0f}", *times, where if self.busy >= IDLE else ""]

    def _beside(self) -> list[str]:
        """What the table does not show, and why nothing may follow from it."""
        found = []
        if len(self.kernels) > MOST:
            found.append(f"{len(self.kernels) - MOST} more kernels took less.")
        if self.missing:
            found.append(f"Not in the trace: {', '.join(self.missing[:MOST])}.")
        if self.busy < IDLE:
            share = f"the calls had a core for only {self.busy:.0%} of their time"
            found.append(f"**No verdict**: {share}. Trace them again when the machine is free.")
        return found


def explained(asked: Asked, rates: Rates | None) -> Explained:
    """Trace some calls, the first one before not counted.

    Raises:
        ValueError: the arguments are shapes without values.
        CannotRead: this JAX writes other traces than are known.
    """
    args, kwargs = arrays_of(asked)
    run = functools.partial(jitted(asked.function), *args, **kwargs)
    jax.block_until_ready(run())

    busy, profile = insides.profiled(_called, run)
    events = [event for lane in profile.lanes if lane.on_device for event in lane.events]
    return replace(of_events(asked.kernels, events, rates), busy=busy)


def _called(run: Callable[[], Any]) -> float:
    """Make some calls; processor seconds for each second by the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    for _ in range(CALLS):
        jax.block_until_ready(run())
    return (time.process_time() - processor) / (time.perf_counter() - clock)


def of_events(
    kernels: Sequence[insides.Kernel], events: Sequence[insides.Event], rates: Rates | None, calls: int = CALLS
) -> Explained:
    """The kernels of a program, by the events of a trace that have their names."""
    took, often = defaultdict[str, float](float), Counter[str]()
    for event in events:
        took[event.name] += event.stop - event.start
        often[event.name] += 1
    seen = [_traced(one, took[one.name] / calls, often[one.name] / calls, rates) for one in kernels if often[one.name]]
    missing = tuple(one.name for one in kernels if not often[one.name])
    return Explained(tuple(sorted(seen, key=lambda one: -one.seconds)), missing, calls)


def _traced(one: insides.Kernel, seconds: float, runs: float, rates: Rates | None) -> Traced:
    said = of_kernel(one, rates).times(runs, runs) if rates and one.is_read else None
    return Traced(one.name, one.kind, one.written, runs, seconds, said)
