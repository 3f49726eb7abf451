"""The thirty functions, said before and measured after, as plain data."""

from __future__ import annotations

import datetime
import gc
import importlib.metadata
import json
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax

from jaxcourse.before import before
from jaxcourse.runtime import cores
from jaxcourse.table import Report, Table, number, si
from jaxcourse_author.foretold._functions import CASES

ROUNDS, LEAST = 7, 5e-3


@dataclass(frozen=True)
class Judged:
    """A function, what was said of it, and what it took.

    Attributes:
        name: what it does.
        least: processor seconds that were said at least; None if nothing was said.
        most: the same, at most.
        took: processor seconds, in the middle of some rounds.
        why: what was said in place of a time.
    """

    name: str
    least: float | None
    most: float | None
    took: float
    why: str = ""

    @property
    def inside(self) -> bool:
        """Whether it took what was said."""
        return self.least is not None and self.most is not None and self.least <= self.took <= self.most

    @property
    def off(self) -> float:
        """By which factor the middle of the range was off, above 1; infinite if nothing was said."""
        if self.least is None or self.most is None:
            return math.inf
        ratio = self.took / math.sqrt(self.least * self.most)
        return max(ratio, 1 / ratio)


@dataclass(frozen=True, repr=False)
class Record(Report):
    """How often the ranges held, on one machine.

    Args:
        machine: what it is, with the versions and the date.
        judged: the functions.
    """

    machine: dict[str, Any]
    judged: tuple[Judged, ...]

    def within(self, factor: float) -> int:
        """Of how many the middle of the range was off by no more than a factor."""
        return sum(one.off <= factor for one in self.judged)

    @property
    def sentence(self) -> str:
        """How often the ranges held."""
        said = [one for one in self.judged if one.least is not None]
        held = sum(one.inside for one in self.judged)
        width = statistics.median(one.most / one.least for one in said if one.least and one.most)
        return (
            f"Of {len(self.judged)} functions, {held} took what was said, {self.within(3)} were within 3 times the "
            f"middle of the range, and {self.within(10)} within 10 times. In the middle, the upper end of a range is "
            f"{number(width)} times the lower one."
        )

    def _parts(self) -> list[Table | str]:
        rows = [_row(one) for one in sorted(self.judged, key=lambda one: one.took)]
        head = ["function", "said", "taken", "that is"]
        facts = "; ".join(f"{name} {value}" for name, value in self.machine.items())
        return [self.sentence, Table("Said before, and taken", head, rows), f"Measured with: {facts}."]


def _row(one: Judged) -> list[str]:
    if one.least is None or one.most is None:
        return [one.name, one.why or "nothing", si(one.took, "s"), "not judged"]
    where = "inside" if one.inside else f"{number(one.took / one.most)} times above"
    where = f"{number(one.least / one.took)} times below" if one.took < one.least else where
    return [one.name, f"{si(one.least, 's')} to {si(one.most, 's')}", si(one.took, "s"), where]


def judge() -> Record:
    """Say and measure all of them here; it takes a minute or two."""
    return Record(_machine(), tuple(_judged(case.name, *case.make()) for case in CASES))


def _judged(name: str, function: Callable[..., Any], args: Sequence[Any]) -> Judged:
    said = before(function, *args)
    least, most = said.at_least, said.at_most
    took = statistics.median(_rounds(jax.jit(function), args))
    return Judged(name, least, most, took, "" if least else "; ".join(one.kind for one in said.unread))


def _rounds(function: Callable[..., Any], args: Sequence[Any]) -> list[float]:
    """Processor seconds of a call, over all threads, in each of some rounds."""
    jax.block_until_ready(function(*args))
    calls, first = 1, _round(function, args, 1)
    while first * calls < LEAST and calls < 1 << 14:
        calls *= 4
        first = _round(function, args, calls)
    return [first, *(_round(function, args, calls) for _ in range(ROUNDS - 1))]


def _round(function: Callable[..., Any], args: Sequence[Any], calls: int) -> float:
    gc.collect()
    start = time.process_time()
    for _ in range(calls):
        jax.block_until_ready(function(*args))
    return (time.process_time() - start) / calls


def _machine() -> dict[str, Any]:
    versions = {name: importlib.metadata.version(name) for name in ("jax", "jaxlib", "numpy")}
    day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    busy = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else "unknown"
    return {
        "processor": platform.machine(),
        "cores": cores(),
        "Python": platform.python_version(),
        **versions,
        "on": day,
        "programs that wanted a core meanwhile (load)": busy,
    }


def write(record: Record, path: Path) -> None:
    """Write a record as JSON."""
    judged = [asdict(one) for one in record.judged]
    path.write_text(json.dumps({"machine": record.machine, "judged": judged}, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Record:
    """Read what `write` has written."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return Record(found["machine"], tuple(Judged(**one) for one in found["judged"]))
