"""What this machine takes for each sort of work: measured by some fifty small programs, and kept for a day.

`bench.ceilings` says what a machine can do at best. To say how long a program takes *at most*, its usual pace is needed
as well: of exponentials, sorts, gathers, calls of LAPACK, and of memory that the system has to find first. Each sort of
work is measured by one or two programs, and gets a range around what they took.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcourse import bench, insides
from jaxcourse.before._probes import ALONE, Probe, probes, turns
from jaxcourse.before._span import Span

KEPT_AS = "rates"
NEW = 1 << 25
"""Bytes from which on an array gets new memory in each call: the system's allocator (glibc's) keeps smaller ones."""
SLACK = 0.65, 1.4
"""Other programs of the same sort are faster or slower than those that are measured: by so much on the whole."""
ROUNDS, LEAST = 9, 1e-3
"""How often each program is timed, and for how many processor seconds at least."""
FEWEST, LONG = 4, 8e-3
"""How often one is timed that takes as long as that."""


@dataclass(frozen=True)
class Rates:
    """How long one machine takes for each sort of work.

    Attributes:
        tiers: memories, the smallest first: how many bytes fit, and seconds to read or write one.
        work: seconds for a unit of each sort of work.
        launch: seconds of a kernel that does nothing.
        within: the same in a small loop of which the compiler made one piece.
        call: seconds of a program that does nothing.
        array: seconds for each array that a program takes or makes.
        fresh: seconds for each byte of new memory.
    """

    tiers: tuple[tuple[float, Span], ...]
    work: Mapping[str, Span]
    launch: Span
    within: Span
    call: Span
    array: Span
    fresh: Span

    def moving(self, nbytes: float, around: float = 0) -> Span:
        """Seconds to read and write so many bytes: in the smallest memory that holds them, or in the next larger.

        Args:
            nbytes: of one kernel.
            around: of all that the program makes, which may be in the way.
        """
        last = len(self.tiers) - 1
        best, other = (next((i for i, (size, _) in enumerate(self.tiers) if n <= size), last) for n in (nbytes, around))
        worst = min(max(best + 1, other), last)
        return Span(nbytes * self.tiers[best][1].least, nbytes * self.tiers[worst][1].most)

    def doing(self, kind: str) -> Span:
        """Seconds for a unit of a sort of work; of one that was not measured, what the slowest functions take."""
        return self.work.get(kind, self.work["hard"])

    @property
    def plain(self) -> dict[str, Any]:
        """The same as plain data."""
        spans = {name: list(getattr(self, name)) for name in ("launch", "within", "call", "array", "fresh")}
        tiers = [[size if math.isfinite(size) else None, *span] for size, span in self.tiers]
        return {"tiers": tiers, "work": {kind: list(span) for kind, span in self.work.items()}, **spans}


def of_plain(found: Mapping[str, Any]) -> Rates:
    """Rates from plain data.

    Raises:
        KeyError, TypeError, ValueError: these are none.
    """
    tiers = tuple((math.inf if size is None else size, Span(*span)) for size, *span in found["tiers"])
    work = {kind: Span(*span) for kind, span in found["work"].items()}
    spans = {name: Span(*found[name]) for name in ("launch", "within", "call", "array", "fresh")}
    return Rates(tiers, work, **spans)


@functools.cache
def rates() -> Rates:
    """What this machine takes, from what was kept or measured now; while it measures, it says so."""
    if kept := bench.kept(KEPT_AS):
        return of_plain(kept)
    print("Measuring this machine, once a day: some ten seconds.", flush=True)
    with insides.as_ever():
        found = measured()
    bench.keep(found.plain, KEPT_AS)
    return found


def on_this_backend() -> bool:
    """Whether times can be said at all: the model was judged on CPUs alone."""
    return jax.default_backend() == "cpu"


# -- measuring --------------------------------------------------------------------------------------------------


def seconds(function: Callable[..., Any], *args: Any) -> float:
    """Processor seconds of a call over all threads, in the fastest round: so what runs beside it hardly counts."""
    jax.block_until_ready(function(*args))
    calls, took = 1, _round(function, args, 1)
    while took * calls < LEAST and calls < 1 << 14:
        calls *= 4
        took = _round(function, args, calls)
    rounds = ROUNDS if took * calls < LONG else FEWEST
    return min(took, *(_round(function, args, calls) for _ in range(rounds - 1)))


def _round(function: Callable[..., Any], args: Sequence[Any], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        jax.block_until_ready(function(*args))
    return (time.process_time() - start) / calls


def measured() -> Rates:
    """Measure, whatever is kept."""
    big = jnp.asarray(np.ones(1 << 24, np.float32))
    add = jax.jit(lambda *arrays: [each + 1 for each in arrays])
    call, dozen, large = (
        seconds(add, *[jnp.asarray(np.ones(n, np.float32))] * k) for k, n in ((1, 1), (12, 1), (1, 1 << 14))
    )

    def unit(*some: Probe) -> Span:
        calls = ((seconds(jax.jit(f), *args), units) for f, args, units in some)
        took = [max(call - large, call / 3) / units for call, units in calls]  # the rest may be its own overhead
        return Span(SLACK[0] * min(took), SLACK[1] * max(took))

    work = {kind: unit(*some) for kind, some in probes().items()}
    alone = [work[kind] for kind in (*ALONE, "power")]
    work["hard"] = Span(min(span.least for span in alone), max(span.most for span in alone))
    tiers, fresh = _memory(unit, big)
    launch, within = _launches(call, work["simple"].least)
    array = (dozen - call) / 22  # eleven more go in, and eleven come out
    return Rates(
        tiers,
        work,
        Span(launch / 2, 3 * launch),
        Span(within / 2, 3 * within),
        Span(call, 1.5 * max(large, call)),
        Span(array / 4, 2 * array),
        Span(0.7 * fresh, 1.3 * fresh),
    )


def _memory(unit: Callable[..., Span], big: Any) -> tuple[tuple[tuple[float, Span], ...], float]:
    """The memories, by arrays that a loop reads and writes in each turn; and seconds for a byte of new memory."""
    found = []
    for size, times in ((1 << 16, 400), (1 << 20, 40)):
        took = unit((turns(lambda x: x + 1, times), (jnp.asarray(np.ones(size, np.float32)),), 8 * size * times)).middle
        found.append((16.0 * size, Span(took, took / 0.6)))
    large = _in_place(jnp.asarray(np.ones(1 << 24, np.float32)))
    fresh = max(seconds(jax.jit(lambda x: x + 1), big) - 2 * big.nbytes * large, 0) / big.nbytes
    return (*found, (math.inf, Span(large, large / 0.6))), fresh


def _in_place(x: Any) -> float:
    """Seconds for a byte of an update of an array that is given away, so that none of its memory is new."""
    update, took = jax.jit(lambda x: x + 1, donate_argnums=0), []
    for _ in range(9):
        start = time.process_time()
        x = update(x).block_until_ready()
        took.append(time.process_time() - start)
    return float(min(took[1:]) / (2 * x.nbytes))


def _launches(call: float, element: float) -> tuple[float, float]:
    """Seconds of a kernel in a loop, each turn of which launches three: the work, a counter and the test."""
    long, small = (
        seconds(jax.jit(turns(lambda x: x * 1.01)), jnp.asarray(np.ones(n, np.float32))) - call for n in (600, 8)
    )
    return max((long - 600e3 * element) / 3000, 1e-9), max(small / 3000, 1e-9)
