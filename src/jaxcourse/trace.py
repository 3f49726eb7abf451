"""What a program did and when: traces of JAX's profiler, recorded and read without TensorBoard, and drawn in lanes.

    trace.record(loop, w, batches)       # call it once, traced
    trace.read("profile_folder")         # what `jax.profiler.trace` wrote there
    trace.recorded("A")                  # one of the loops that come with the course

A `Trace` has few lanes: `host` is the Python thread, `compile` what it compiles, `copy` what it reads back or sends,
and `device`, `device 2`, ... run compiled programs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from jaxcourse import insides
from jaxcourse.svg import BLUE, ORANGE, TEAL, WIDTH, Picture, Sheet
from jaxcourse.table import Table, si

FOLDER = Path(__file__).parent / "data" / "traces"
"""Where the recorded loops lie.

:meta hide-value:
"""
RECORDED = ("A", "B", "C", "D", "E", "F")
"""The recorded loops."""
_LEFT, _TOP, _ROW = 76.0, 8.0, 26.0
_LEAST = 0.7
"""Pixels of the narrowest event that is drawn."""
_INNER = ("::", "Handle ", "AllocateOutput", "ParseArguments", "shard_args", "batched_copy", "BatchedCopy")
"""What begins or marks the names of parts of a call, which the call itself stands for."""


class Event(NamedTuple):
    """Something that took time.

    Attributes:
        lane: `host`, `compile`, `copy`, or that of a device: `device`, `device 2`, ...
        name: as JAX or XLA calls it.
        start: in seconds since the call began.
        stop: likewise.
    """

    lane: str
    name: str
    start: float
    stop: float


@dataclass(frozen=True, repr=False)
class Trace:
    """What one call did.

    Attributes:
        seconds: from its begin until its result was there.
        events: in all lanes, by their start; those of one lane may overlap.
        about: where it was recorded, if that is known.
    """

    seconds: float
    events: tuple[Event, ...]
    about: str = ""

    @property
    def lanes(self) -> list[str]:
        """The names of the lanes, in the order in which they are drawn.

        Example:
            >>> recorded("A").lanes[:1]
            ['host']
        """
        found = {event.lane for event in self.events}
        return [lane for lane in ("host", "compile", "copy") if lane in found] + sorted(
            (lane for lane in found if lane.startswith("device")), key=lambda lane: (len(lane), lane)
        )

    def busy(self, lane: str = "device") -> float:
        """Return the share of the time in which a lane has an event.

        Args:
            lane: by its name; `device` stands for all lanes of devices together.

        Example:
            >>> 0 < recorded("A").busy() <= 1
            True
        """
        spans = [(event.start, event.stop) for event in self.events if _is_of(event, lane)]
        return _covered_seconds(spans) / self.seconds

    def totals(self, most: int = 6) -> Table:
        """Return what took longest: by lane and name, how often it happened, and its seconds in all.

        Args:
            most: how many rows the table has at most.
        """
        found: dict[tuple[str, str], list[float]] = {}
        for event in self.events:
            found.setdefault((event.lane, event.name), []).append(event.stop - event.start)
        longest = sorted(found.items(), key=lambda item: -sum(item[1]))[:most]
        rows = [[name, lane, str(len(each)), si(sum(each), "s")] for (lane, name), each in longest]
        return Table("What took longest", ["event", "lane", "times", "in all"], rows)

    def picture(self) -> Picture:
        """Return the lanes as a picture: time runs to the right, and an event is a bar."""
        return _picture(self)

    def _repr_html_(self) -> str:
        return self.picture().html

    def __repr__(self) -> str:
        return _in_words(self)


def record(function: Callable[..., Any], *args: Any) -> Trace:
    """Call a function once, with JAX's profiler on, and return what it did.

    Args:
        function: whatever it returns is waited for. Call it before, unless its compilation is what you want to see.
        *args: what it is called with.

    Raises:
        CannotRead: this JAX writes other profiles than are known.

    Example:
        >>> import jax
        >>> seen = record(jax.jit(lambda x: x + 1), 1.0)
        >>> "host" in seen.lanes and "device" in seen.lanes
        True
    """
    return _of_profile(insides.profiled(function, *args)[1])


def read(path: str | Path) -> Trace:
    """Return what `jax.profiler.trace(path)` has written: one profile, or one recorded trace of this course.

    Args:
        path: a folder with one profile, or a file `.xplane.pb` or `.json`.

    Raises:
        CannotRead: there is no profile, or there are several.
    """
    path = Path(path)
    return _from_json(json.loads(path.read_text(encoding="utf-8"))) if path.suffix == ".json" else _of_file(path)


def recorded(name: str) -> Trace:
    """Return the trace of one of six loops: recorded on a CPU, as `about` says.

    Args:
        name: one of `RECORDED`.

    Raises:
        ValueError: there is no such loop.

    Example:
        >>> "CPU" in recorded("A").about
        True
    """
    if name not in RECORDED:
        raise ValueError(f"there is no recorded trace {name!r}: take one of {', '.join(RECORDED)}")
    return read(FOLDER / f"{name}.json")


def to_json(seen: Trace) -> dict[str, Any]:
    """Return a trace as plain data, with times in tenths of a microsecond, each name written once."""
    names = sorted({event.name for event in seen.events})
    lanes = seen.lanes
    rows = [
        [lanes.index(event.lane), names.index(event.name), round(1e7 * event.start), round(1e7 * event.stop)]
        for event in seen.events
    ]
    return {"about": seen.about, "seconds": round(seen.seconds, 7), "lanes": lanes, "names": names, "events": rows}


def _from_json(data: dict[str, Any]) -> Trace:
    events = (
        Event(data["lanes"][lane], data["names"][name], start / 1e7, stop / 1e7)
        for lane, name, start, stop in data["events"]
    )
    return Trace(data["seconds"], tuple(events), data["about"])


def _of_file(path: Path) -> Trace:
    return _of_profile(insides.read_profile(path))


# -- from JAX's events to few lanes -----------------------------------------------------------------------------


def _of_profile(profile: insides.Profile) -> Trace:
    events: list[Event] = []
    for lane in profile.lanes:
        if lane.on_device:
            events += [Event(lane.name, each.name, each.start, each.stop) for each in lane.events]
        else:
            events += _of_host(lane)
    return Trace(profile.seconds, tuple(sorted(events, key=lambda event: event.start)))


def _of_host(lane: insides.Lane) -> list[Event]:
    """What the host does: its calls, and in lanes of their own what it compiles and copies, each without its parts."""
    found: dict[str, list[insides.Event]] = {"host": [], "compile": [], "copy": []}
    for event in lane.events:
        if insides.compiles(event):
            found["compile"].append(event)
        elif insides.reads_back(event) or insides.sends(event):
            found["copy"].append(event)
        elif lane.name == "host" and not any(part in event.name for part in _INNER):
            found["host"].append(event)
    return [Event(kind, each.name, each.start, each.stop) for kind, some in found.items() for each in _outermost(some)]


def _outermost(events: Iterable[insides.Event]) -> list[insides.Event]:
    """Without those that lie within another one: a call stands for its parts."""
    kept: list[insides.Event] = []
    for event in events:  # by their start, the longer one first
        if not kept or event.stop > kept[-1].stop:
            kept.append(event)
    return kept


# -- shares and pictures ----------------------------------------------------------------------------------------


def _is_of(event: Event, lane: str) -> bool:
    return event.lane.startswith("device") if lane == "device" else event.lane == lane


def _covered_seconds(spans: Iterable[tuple[float, float]]) -> float:
    """How long at least one of some spans lasts."""
    total, end = 0.0, float("-inf")
    for start, stop in sorted(spans):
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total


def _in_words(seen: Trace) -> str:
    """A trace in words."""
    parts = []
    for lane in seen.lanes:
        events = [event for event in seen.events if event.lane == lane]
        longest = max(events, key=lambda event: event.stop - event.start)
        share = _covered_seconds((event.start, event.stop) for event in events) / seen.seconds
        length = si(longest.stop - longest.start, "s")
        parts.append(f"{lane}: {len(events)} events, {share:.0%} of the time, the longest {longest.name} with {length}")
    return f"A trace of {si(seen.seconds, 's')}. A device is busy {seen.busy():.0%} of it. " + "; ".join(parts) + "."


def _picture(seen: Trace) -> Picture:
    sheet = Sheet()
    scale = (WIDTH - _LEFT) / seen.seconds
    for row, lane in enumerate(seen.lanes):
        top = _TOP + _ROW * row
        sheet.text(_LEFT - 8, top + 13, lane, 12.0, "end")
        sheet.path(f"M{_LEFT:.1f} {top + 18:.1f}H{WIDTH:.1f}", stroke_opacity=0.3)
        events = [event for event in seen.events if event.lane == lane]
        for start, stop in _bars([(e.start * scale, e.stop * scale) for e in events], WIDTH - _LEFT):
            sheet.rect(_LEFT + start, top, stop - start, 18.0, **_look(lane))
    bottom = _TOP + _ROW * len(seen.lanes)
    for part in (0.0, 0.5, 1.0):
        anchor = "start" if part == 0 else "end" if part == 1 else "middle"
        sheet.faint(_LEFT + part * (WIDTH - _LEFT), bottom + 12, si(part * seen.seconds, "s") if part else "0", anchor)
    return sheet.picture(bottom + 16, _in_words(seen), seen.about)


def _bars(spans: Sequence[tuple[float, float]], width: float) -> list[tuple[float, float]]:
    """Spans in pixels as few bars: what would touch on the page is one, and none is too narrow to be seen."""
    bars: list[tuple[float, float]] = []
    for start, stop in sorted(spans):
        start, stop = min(start, width - _LEAST), min(max(stop, start + _LEAST), width)
        if bars and start - bars[-1][1] < _LEAST / 2:
            bars[-1] = (bars[-1][0], max(bars[-1][1], stop))
        else:
            bars.append((start, stop))
    return bars


def _look(lane: str) -> dict[str, Any]:
    colour = ORANGE if lane in ("compile", "copy") else TEAL if lane.startswith("device") else BLUE
    return {"fill": colour, "stroke": "none"}
