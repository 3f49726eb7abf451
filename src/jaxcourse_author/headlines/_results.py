"""What was found: plain data that a file can hold, and how it is shown."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxcourse.svg import BLUE, ORANGE, SANS, Picture, Sheet
from jaxcourse.table import Report, Table, card, number, si

ROW, LEFT, PLOT = 46.0, 6.0, 330.0
"""Of the picture, in pixels: the height of a claim, the margin, and the width of the axis."""
SAID = {
    "holds": "holds",
    "less": "faster, but less so",
    "not here": "not here",
    "unclear": "unclear, rounds disagree",
    "not tried": "not tried",
}


@dataclass(frozen=True)
class Machine:
    """Where it was measured, and what that machine does at best.

    Args:
        platform: "cpu", "gpu" or "tpu".
        device: what JAX calls it.
        cores: how many the process may use.
        bandwidth: bytes per second that the device's memory streams.
        host_bandwidth: the same of the host's memory.
        matmul: floating-point operations per second in a matrix product.
        versions: of Python and the libraries.
    """

    platform: str
    device: str
    cores: int
    bandwidth: float
    host_bandwidth: float
    matmul: float
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Time:
    """Seconds per call of a contestant at one size: the middle round, and the middle half of the rounds."""

    name: str
    median: float
    low: float
    high: float
    cores_busy: float


@dataclass(frozen=True)
class Finding:
    """What became of a claim: `ratio` says how many times as fast, in the middle and in 8 rounds out of 10."""

    words: str
    source: str
    faster: str
    slower: str
    times: float | None
    ratio: tuple[float, float, float] | None
    judged: str
    why: str

    def __str__(self) -> str:
        if self.ratio is None:
            return f'"{self.words}": not tried. {self.why}'
        low, middle, high = map(number, self.ratio)
        found = f"Here {self.faster} is {middle} ({low} to {high}) times as fast as {self.slower}"
        return f'"{self.words}": {SAID[self.judged]}. {found}. {self.why}'


@dataclass(frozen=True)
class Outcome:
    """A headline, measured.

    Args:
        floor: seconds that the machine needs at best for what must be done, at each size; None if that is nothing.
        times: of each contestant, at each size.
        whole: whether the last size is the source's own.
    """

    name: str
    title: str
    variable: str
    sizes: tuple[int, ...]
    floor: tuple[float | None, ...]
    times: tuple[tuple[Time, ...], ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    whole: bool

    def table(self) -> Table:
        """Times at each size, how they grow, and how far they are from what the machine can do."""
        head = ["contestant", *(f"{self.variable} = {size:,}" for size in self.sizes), "grows as", "times the floor"]
        rows = [self._row(i) for i in range(len(self.times[-1]))]
        return Table(f"{self.name}: {self.title}", head, rows)

    def _row(self, index: int) -> list[str]:
        its = [times[index] for times in self.times]
        medians = [time.median for time in its]
        power = math.log(medians[-1] / medians[0]) / math.log(self.sizes[-1] / self.sizes[0])
        floor = self.floor[-1]
        above = number(medians[-1] / floor) if floor else "-"
        return [its[0].name, *(si(median, "s") for median in medians), f"size^{power:.1f}", above]


@dataclass(frozen=True, repr=False)
class Results(Report):
    """All headlines on one machine. It shows as a picture and tables, and is written as JSON.

    Args:
        machine: where.
        outcomes: of each headline.
        failed: why some could not be measured.
    """

    machine: Machine
    outcomes: tuple[Outcome, ...]
    failed: tuple[str, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        """What became of each claim."""
        return [finding for outcome in self.outcomes for finding in outcome.findings]

    def to_json(self) -> str:
        """As a text that `read` reads."""
        return json.dumps(dataclasses.asdict(self), indent=1)

    def picture(self) -> Picture:
        """A claim in each row: how many times as fast on this machine, with its spread, beside what was said."""
        measured = [finding for finding in self.findings if finding.ratio]
        ends = [value for finding in measured for value in (*(finding.ratio or ()), finding.times or 1)]
        scale = _Scale(min([0.5, *ends]), max([2.0, *ends]))
        sheet = Sheet()
        for row, finding in enumerate(measured):
            _draw(sheet, ROW * row + 14, finding, scale)
        bottom = ROW * len(measured) + 8
        for value in scale.ticks():
            sheet.faint(scale.at(value), bottom + 14, f"{value:g}x")
        words = "; ".join(f"{one.faster} against {one.slower} {number(one.ratio[1])}" for one in measured if one.ratio)
        alt = f"How many times as fast, on a logarithmic axis, with the range of 8 rounds out of 10: {words}."
        return sheet.picture(
            bottom + 20, alt, "Bars: this machine. Diamonds: what the source says.", width=LEFT + PLOT + 20
        )

    def _parts(self) -> list[Table | str]:
        parts: list[Table | str] = [self._machine()]
        for outcome in self.outcomes:
            parts += [
                f"== {outcome.name}: {outcome.title}",
                outcome.table(),
                *map(str, outcome.findings),
                *outcome.notes,
            ]
            if not outcome.whole:
                parts.append(
                    "The source's own size was left out (--quick), so that its claims are judged at a smaller one."
                )
        return [*parts, *self.failed]

    def _repr_html_(self) -> str:
        return card(self.picture().html, map(str, self.findings), "All times", self._parts())

    def _machine(self) -> Table:
        its = self.machine
        rows = [
            ["device", f"{its.device} ({its.platform}), {its.cores} cores"],
            ["memory at best", si(its.bandwidth, "B/s")],
            ["matrix product at best", si(its.matmul, "FLOP/s")],
            ["versions", ", ".join(f"{name} {version}" for name, version in its.versions.items())],
        ]
        return Table("This machine", ["what", "measured"], rows)


@dataclass(frozen=True)
class _Scale:
    """A logarithmic axis."""

    low: float
    high: float

    def at(self, value: float) -> float:
        return LEFT + PLOT * math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[float]:
        powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
        return [10.0**power for power in powers]


def _draw(sheet: Sheet, y: float, finding: Finding, scale: _Scale) -> None:
    """A claim above its bar, which begins where both are as fast."""
    low, middle, high = (scale.at(value) for value in finding.ratio or (1, 1, 1))
    start, end = sorted((scale.at(1), middle))
    sheet.path(f"M{scale.at(1):.1f} {y + 3}v17", stroke_opacity=0.6)
    sheet.text(LEFT, y, finding.words, 11, "start", font_family=SANS)
    sheet.rect(start, y + 6, max(end - start, 1.0), 11, fill=BLUE, fill_opacity=0.55, stroke=BLUE)
    sheet.path(f"M{low:.1f} {y + 11.5}H{high:.1f}M{low:.1f} {y + 8}v7M{high:.1f} {y + 8}v7", stroke_width=1.5)
    if finding.times:
        said = scale.at(finding.times)
        sheet.path(f"M{said - 5:.1f} {y + 11.5}l5 -6l5 6l-5 6z", fill=ORANGE, stroke=ORANGE)


def read(path: Path) -> Results:
    """Results from a file that `jaxcourse bench --json` has written.

    Raises:
        ValueError: it is not such a file.
    """
    try:
        return of_dict(json.loads(path.read_text(encoding="utf-8")))
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is not what `jaxcourse bench --json` writes ({error})") from None


def of_dict(kept: Mapping[str, Any]) -> Results:
    """Results from what `dataclasses.asdict` has made of them."""
    return Results(Machine(**kept["machine"]), tuple(map(outcome_of, kept["outcomes"])), tuple(kept["failed"]))


def outcome_of(kept: Mapping[str, Any]) -> Outcome:
    """An outcome from its dictionary."""
    lists = {name: tuple(kept[name]) for name in ("sizes", "floor", "notes")}
    times = tuple(tuple(Time(**time) for time in times) for times in kept["times"])
    findings = tuple(Finding(**{**one, "ratio": one["ratio"] and tuple(one["ratio"])}) for one in kept["findings"])
    return Outcome(**{**kept, **lists, "times": times, "findings": findings})
