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
class Forecast:
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


@dataclass(frozen=True)
class Record:
    """How often the ranges held, on one machine with one stack.

    Args:
        machine: what it is, with the versions and the date.
        judged: the functions.
    """

    machine: dict[str, Any]
    judged: tuple[Forecast, ...]

    @property
    def stack(self) -> str:
        """The version of JAX."""
        return f"JAX {self.machine['jax']}"

    @property
    def hits(self) -> int:
        """How many took what was said."""
        return sum(one.inside for one in self.judged)

    def within(self, factor: float) -> int:
        """Of how many the middle of the range was off by no more than a factor."""
        return sum(one.off <= factor for one in self.judged)

    @property
    def width(self) -> float:
        """By which factor the upper end of a range lies above the lower one, in the median."""
        return statistics.median(one.most / one.least for one in self.judged if one.least and one.most)

    def of(self, name: str) -> Forecast | None:
        """One function, if it was judged."""
        return next((one for one in self.judged if one.name == name), None)


@dataclass(frozen=True, repr=False)
class Records(Report):
    """How often the ranges held, with several stacks.

    Args:
        records: one for each version of JAX; of the first, all times are shown.
    """

    records: tuple[Record, ...]

    def _parts(self) -> list[Table | str]:
        head = ["measured with", "took what was said", "middle within 3 times", "within 10", "upper end / lower"]
        rows = [
            [one.stack, f"{one.hits} of {len(one.judged)}", *map(str, map(one.within, (3, 10))), number(one.width)]
            for one in self.records
        ]
        facts = [
            f"{one.stack}: {'; '.join(f'{name} {value}' for name, value in one.machine.items() if name != 'jax')}."
            for one in self.records
        ]
        return [Table("How often the ranges held", head, rows), self._each(), *facts]

    def _each(self) -> Table:
        first, *others = self.records
        rows = [
            [*_row(one), *(_where(found) if (found := other.of(one.name)) else "" for other in others)]
            for one in sorted(first.judged, key=lambda one: one.took)
        ]
        head = ["function", "said", "taken", "that is", *(f"with {other.stack}" for other in others)]
        return Table(f"Said before, and taken, with {first.stack}", head, rows)


def _row(one: Forecast) -> list[str]:
    if one.least is None or one.most is None:
        return [one.name, one.why or "nothing", si(one.took, "s"), _where(one)]
    return [one.name, f"{si(one.least, 's')} to {si(one.most, 's')}", si(one.took, "s"), _where(one)]


def _where(one: Forecast) -> str:
    """Where the time lies beside the range."""
    if one.least is None or one.most is None:
        return "not judged"
    if one.took < one.least:
        return f"{number(one.least / one.took)} times below"
    return "inside" if one.inside else f"{number(one.took / one.most)} times above"


def judge() -> Record:
    """Say and measure all of them here; it takes a minute or two."""
    return Record(_machine(), tuple(_forecast_of(case.name, *case.make()) for case in CASES))


def _forecast_of(name: str, function: Callable[..., Any], args: Sequence[Any]) -> Forecast:
    said = before(function, *args)
    least, most = said.at_least, said.at_most
    took = statistics.median(_rounds(jax.jit(function), args))
    return Forecast(name, least, most, took, "" if least else "; ".join(one.kind for one in said.unread))


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
    """Put a record into a file of JSON, in the place of that with the same version of JAX; all others stay."""
    records = list(read(path).records) if path.exists() else []
    stacks = [one.stack for one in records]
    at = stacks.index(record.stack) if record.stack in stacks else len(records)
    records[at : at + 1] = [record]
    plain = [{"machine": one.machine, "judged": [asdict(each) for each in one.judged]} for one in records]
    path.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Records:
    """Read what `write` has written."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return Records(tuple(Record(one["machine"], tuple(Forecast(**each) for each in one["judged"])) for one in found))
