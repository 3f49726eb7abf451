"""What a search may spend, and what one spends: figures of the compiled program, and seconds that carry no points."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxcourse import bench, insides, probe
from jaxcourse.barometers._search import course_search
from jaxcourse.barometers._steps import STARTS
from jaxcourse.table import Report, Table, number, si


@dataclass(frozen=True)
class Budget:
    """What one call of a search may spend on each device.

    Attributes:
        temporaries: bytes that it holds besides arguments and results.
        sent: bytes that it sends, by the usual algorithms on a ring.
        messages: how many collectives it takes part in.
        work: elements that it computes or moves, for each of its places, each station, and each minute.
    """

    temporaries: int = 6_000_000
    sent: int = 3_000_000
    messages: int = 64
    work: int = 64


BUDGET = Budget()
"""The budget of the last exercise: twice of what a good program holds and sends, or more, and far below the others."""


def searched_here(record: Sequence[Any]) -> int:
    """How many combinations of place, station and minute each device has to look at.

    Args:
        record: score, variance, place_of, lat, lon, first: the first two (minutes, stations), the places split.

    Example:
        >>> import jax
        >>> searched_here((np.zeros((9, 5)), None, None, jax.numpy.zeros(4), None, 0)) == 4 * 5 * STARTS
        True
    """
    (here,) = record[3].sharding.shard_shape(record[3].shape)
    return int(here * record[0].shape[1] * STARTS)


@dataclass(frozen=True, repr=False)
class BudgetReport(Report):
    """What a search spends: shows itself as a table; `write_page` makes a page of it.

    Attributes:
        name: of the function.
        spent: what `jaxcourse.probe.spent` says of its program.
        work: elements for each place, station and minute, or None where that is not known.
        ratio: how many times longer it takes here than the course's program.
        agrees: whether its map is the course's.
        record: what was searched.
        found: the map: values and minutes.
        source: the code of the function.
    """

    name: str
    spent: dict[str, Any]
    work: float | None
    ratio: bench.Ratio
    agrees: bool
    record: tuple[Any, ...]
    found: tuple[Any, Any]
    source: str

    def rows(self) -> list[list[str]]:
        """Each figure, what it is here, what is allowed, and whether it is within: four texts."""
        spent = self.spent
        figures = [
            ("temporaries on each device", spent["temporaries"], BUDGET.temporaries, "B"),
            ("sent by each device", spent["bytes_sent"], BUDGET.sent, "B"),
            ("collectives in a call", spent["messages"], BUDGET.messages, ""),
            ("work for each place, station, minute", self.work, BUDGET.work, ""),
        ]
        return [[name, _figure(is_, unit), _figure(may, unit), _within(is_, may)] for name, is_, may, unit in figures]

    def _parts(self) -> list[Table | str]:
        table = Table(f"What {self.name} spends", ["figure", "here", "budget", ""], self.rows())
        seconds = (
            f"It takes {self.ratio} times as long as the course's program, on this machine: that carries no points."
        )
        return [table, "" if self.agrees else "Its map is not the course's.", seconds]


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "not known"
    return si(value, unit) if unit else number(value)


def _within(is_: float | None, may: float) -> str:
    return "not known" if is_ is None else "within" if is_ <= may else "over"


def budget_report(search: Callable[..., Any], record: Sequence[Any], seconds: float = 2.0) -> BudgetReport:
    """What a search spends on a record, beside the budget.

    Args:
        search: `search(score, variance, place_of, lat, lon, first) -> (value, when)`, jitted or not.
        record: its arguments, on their mesh.
        seconds: for how long it runs in turns with the course's program.

    Raises:
        jax.errors.JAXTypeError: it cannot be compiled as one program.

    Example:
        >>> import jax
        >>> mesh = jax.make_mesh((1,), ("d",), (jax.sharding.AxisType.Auto,), devices=jax.devices()[:1])
        >>> parts = [np.ones((1500, 3)), np.ones((1500, 3)), np.ones((2, 3)), np.ones(16), np.ones(16)]
        >>> sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
        >>> record = [*jax.device_put([part.astype(np.float32) for part in parts], sharding), np.int32(0)]
        >>> found = budget_report(course_search(mesh), record, seconds=0.1)
        >>> found.agrees, found.rows()[1]
        (True, ['sent by each device', '0 B', '3 MB', 'within'])
    """
    own = course_search(record[0].sharding.mesh)
    with insides.as_ever():  # a check may ask, too
        compiled: Any = probe.jitted(search).lower(*record).compile()  # type: ignore[attr-defined]
    spent = probe.spent(compiled)
    value, when = search(*record)
    beside = "whether its map is right is said beside it"
    race = bench.race(
        {"the course's": bench.entry(own, *record), "this": bench.entry(search, *record)},
        seconds=seconds,
        across_results=beside,
        across_dtypes=beside,
    )
    agrees = bool(np.allclose(value, own(*record)[0], atol=1e-3))
    work = None if spent["work"] is None else spent["work"] / searched_here(record)
    name = getattr(search, "__name__", "this program")
    return BudgetReport(name, spent, work, race.ratio("this"), agrees, tuple(record), (value, when), _source_of(search))


def _source_of(function: Callable[..., Any]) -> str:
    """The code of a function, or nothing if nobody knows where it is written."""
    inner = inspect.unwrap(function)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    try:
        return textwrap.dedent(inspect.getsource(inner))
    except (OSError, TypeError):  # typed at a prompt, or not written in Python
        return ""
