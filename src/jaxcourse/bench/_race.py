"""A race: the same work, done by several functions, at one size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxcourse.bench import _arrays, _clock
from jaxcourse.bench._ceilings import bandwidth, cache_bytes
from jaxcourse.bench._clock import Entry, Sample, Trial
from jaxcourse.bench._fair import refuse_unfair
from jaxcourse.runtime import cores
from jaxcourse.svg import BLUE, SANS, Picture, Sheet
from jaxcourse.table import Report, Table, card, number, si

IMPLAUSIBLE = 2.0
"""A call that seems to move this many times more bytes per second than memory can is reported."""
IDLE = 0.8
"""A call on the CPU that has a core for less than this part of its time is reported."""
FAR_BEYOND = 4
"""Arrays this many times larger than the last-level cache cannot have come from there."""

ROW = 42.0
"""Height of a contestant in the picture, in pixels."""
BARS, BAR = 340.0, 260.0
"""Width of the picture, which a phone shows as it is, and of the longest bar; the time stands behind it."""
DETAILS = "All times, first calls, rates and busy cores"


@dataclass(frozen=True)
class Ratio:
    """How many times longer one contestant takes than another, from round to round.

    Args:
        median: the middle of the rounds.
        low: 1 round out of 10 lies below.
        high: 1 round out of 10 lies above.

    Example:
        >>> print(Ratio(2.0, 1.6, 2.5), "or", Ratio(2.0, 1.6, 2.5).inverse())
        2 (1.6 to 2.5) or 0.5 (0.4 to 0.625)
    """

    median: float
    low: float
    high: float

    @property
    def lead(self) -> int:
        """1 if the first contestant is faster, -1 if it is slower, 0 if the difference is not clear."""
        return int(self.high < 1) - int(self.low > 1)

    def inverse(self) -> Ratio:
        """The same comparison, seen from the other contestant."""
        return Ratio(1 / self.median, 1 / self.high, 1 / self.low)

    def __str__(self) -> str:
        return f"{number(self.median)} ({number(self.low)} to {number(self.high)})"


@dataclass(frozen=True)
class Timing:
    """What was measured for one contestant.

    Args:
        name: the contestant.
        samples: seconds per call, one number per round.
        loops: calls per sample.
        first_call: seconds that the first call took.
        compiled: whether JAX or Numba compiled something during the first call.
        cores_busy: processor seconds per second of wall-clock time; 2.0 means that two cores were busy all the time.
        inputs: types and shapes of the arguments, e.g. `"float32[1000,1000]"`.
        outputs: the same of the result.
        platform: where the result is: "cpu" (also for NumPy), "gpu" or "tpu".
        bytes_moved: bytes of arguments and result: what must be read and written at least, if all of it is used.
        ceiling: bytes per second that memory streams at best; None if the data fits into the last-level cache.
    """

    name: str
    samples: tuple[float, ...]
    loops: int
    first_call: float
    compiled: bool
    cores_busy: float
    inputs: str
    outputs: str
    platform: str
    bytes_moved: int
    ceiling: float | None

    @property
    def median(self) -> float:
        """Seconds per call in the middle round."""
        return float(np.median(self.samples))

    @property
    def quartiles(self) -> tuple[float, float]:
        """Seconds per call between which the middle half of the rounds lies."""
        low, high = np.quantile(self.samples, (0.25, 0.75))
        return float(low), float(high)

    @property
    def fastest(self) -> float:
        """Seconds per call in the fastest round."""
        return min(self.samples)

    @property
    def compile(self) -> float | None:
        """Seconds by which the first call was longer than a later one, or None if nothing was compiled."""
        return max(0.0, self.first_call - self.median) if self.compiled else None

    @property
    def bytes_per_second(self) -> float:
        """Bytes moved per second, in the middle round."""
        return self.bytes_moved / self.median

    @property
    def share_of_bandwidth(self) -> float | None:
        """Bytes moved per second over memory's best, or None if the data fits into the cache."""
        return None if self.ceiling is None else self.bytes_per_second / self.ceiling


@dataclass(frozen=True, repr=False)
class Race(Report):
    """The result of `race`: `race["name"]` is a contestant's `Timing`.

    Args:
        timings: one per contestant, in the order of entry.
        cores: how many cores this process may use.
        reasons: why the race is fair although a rule was set aside.
        warnings: what makes a number doubtful.
    """

    timings: tuple[Timing, ...]
    cores: int
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The contestants, in the order of entry."""
        return tuple(timing.name for timing in self.timings)

    def __getitem__(self, name: str) -> Timing:
        for timing in self.timings:
            if timing.name == name:
                return timing
        raise KeyError(f"no contestant {name!r} in this race, only {', '.join(map(repr, self.names))}")

    def ratio(self, name: str, to: str | None = None) -> Ratio:
        """How many times longer `name` takes than `to`, compared round by round.

        Args:
            name: a contestant.
            to: another contestant; the first one if not given.

        Example:
            >>> from jaxcourse.bench import entry
            >>> x = np.ones(9)
            >>> result = race({"sum": entry(np.sum, x), "reduce": entry(np.add.reduce, x)}, seconds=0.01)
            >>> result.ratio("reduce", to="sum").median > 0
            True
        """
        other = self[self.names[0] if to is None else to]
        low, median, high = np.quantile(np.divide(self[name].samples, other.samples), (0.1, 0.5, 0.9))
        return Ratio(float(median), float(low), float(high))

    def verdict(self, name: str, to: str | None = None) -> str:
        """One sentence that compares two contestants, and says so if the difference is not clear."""
        to = self.names[0] if to is None else to
        ratio = self.ratio(name, to)
        if ratio.lead == 1:
            return f"{name} is {ratio.inverse()} times as fast as {to}."
        if ratio.lead == -1:
            return f"{name} takes {ratio} times as long as {to}."
        spread = f"{number(ratio.low)} to {number(ratio.high)}"
        return f"No clear difference here between {name} and {to}: the ratio of their times is {spread}."

    def picture(self) -> Picture:
        """The times as bars from zero, each with a line over the middle half of its rounds.

        Returns:
            The picture, with all times in its alt text.
        """
        sheet = Sheet()
        sheet.text(0, 12, "time per call, with the middle half of the rounds", 12, "start", font_family=SANS)
        longest = max(timing.quartiles[1] for timing in self.timings)
        for row, timing in enumerate(self.timings):
            _draw_bar(sheet, ROW * row + 38, timing, BAR / longest)
        times = "; ".join(f"{timing.name} {_time_with_spread(timing)}" for timing in self.timings)
        alt = f"Bars, the shorter the faster. Time per call: {times}."
        return sheet.picture(ROW * len(self.timings) + 30, alt, width=BARS)

    def _parts(self) -> list[Table | str]:
        return [self._times(), *self._verdicts(), *self._reasons(), *self._warnings(), self._work(), self._how()]

    def _repr_html_(self) -> str:
        details: list[Table | str] = [self._times(), *self._reasons(), self._work(), self._how()]
        return card(self.picture().html, [*self._verdicts(), *self._warnings()], DETAILS, details)

    def _verdicts(self) -> list[str]:
        return [self.verdict(name) for name in self.names[1:]]

    def _reasons(self) -> list[str]:
        return [f"Fair because: {reason}" for reason in self.reasons]

    def _warnings(self) -> list[str]:
        return [f"Warning: {warning}" for warning in self.warnings]

    def _how(self) -> str:
        return (
            f"{len(self.timings[0].samples)} rounds in turn. In brackets: the range of 8 rounds out of 10. "
            "Rate: bytes of arguments and result over time."
        )

    def _times(self) -> Table:
        head = ["contestant", "time per call", "middle half", "fastest", f"time / {self.names[0]}"]
        rows = []
        for timing in self.timings:
            low, high = timing.quartiles
            times = [si(timing.median, "s"), f"{si(low, 's')} to {si(high, 's')}", si(timing.fastest, "s")]
            ratio = "1" if timing.name == self.names[0] else str(self.ratio(timing.name))
            rows.append([timing.name, *times, ratio])
        return Table("Time", head, rows)

    def _work(self) -> Table:
        head = ["contestant", "arguments", "result", "bytes", "rate", "first call", f"cores busy of {self.cores}"]
        rows = []
        for timing in self.timings:
            first = si(timing.first_call, "s")
            if timing.compile:
                first += f" (compile {si(timing.compile, 's')})"
            moved = [si(timing.bytes_moved, "B"), _rate(timing)]
            rows.append([timing.name, timing.inputs, timing.outputs, *moved, first, f"{timing.cores_busy:.1f}"])
        return Table("Work", head, rows)


def _draw_bar(sheet: Sheet, y: float, timing: Timing, scale: float) -> None:
    """Draw a name above its bar, a line over the middle half across the bar's end, and the time behind it."""
    low, high = (scale * edge for edge in timing.quartiles)
    length = max(scale * timing.median, 1.0)
    sheet.text(0, y, timing.name, 12, "start")
    sheet.rect(0, y + 5, length, 14, fill=BLUE, fill_opacity=0.55, stroke=BLUE)
    sheet.path(f"M{low:.1f} {y + 12}H{high:.1f}M{low:.1f} {y + 8}v8M{high:.1f} {y + 8}v8", stroke_width=1.5)
    sheet.text(max(high, length) + 8, y + 16, si(timing.median, "s"), 12, "start", font_weight="bold")


def _time_with_spread(timing: Timing) -> str:
    low, high = timing.quartiles
    return f"{si(timing.median, 's')} ({si(low, 's')} to {si(high, 's')})"


def _rate(timing: Timing) -> str:
    if timing.bytes_moved == 0:
        return "a view, nothing moved"
    if timing.ceiling is None:
        return f"{si(timing.bytes_per_second, 'B/s')} (in cache)"
    share = timing.bytes_per_second / timing.ceiling
    of = "from cache, or not all read; memory" if share > IMPLAUSIBLE else f"{share:.0%} of"
    return f"{si(timing.bytes_per_second, 'B/s')} ({of} {si(timing.ceiling, 'B/s')})"


def race(
    contestants: Mapping[str, Entry],
    *,
    seconds: float = 1.0,
    across_dtypes: str = "",
    across_results: str = "",
    across_transfers: str = "",
) -> Race:
    """Time functions that do the same work, in turn, and compare them round by round.

    Args:
        contestants: names and entries. The first one is what the others are compared with.
        seconds: how long to measure. Slow functions take longer, since there are at least 5 rounds.
        across_dtypes: why contestants with different dtypes may race. The report repeats it.
        across_results: why results may differ in shape or value, e.g. because they are random. The report repeats it.
        across_transfers: why a copy between NumPy and JAX belongs to what is timed. The report repeats it.

    Returns:
        The measurements, which show as tables.

    Raises:
        UnfairRace: if contestants return nothing or different results, use different dtypes, donate their
            arguments, or copy arrays between NumPy and JAX inside the timed region.
        TypeError: if a contestant is not an `entry`.
        ValueError: if there are no contestants.

    Example:
        >>> from jaxcourse.bench import entry
        >>> x = np.ones((50, 40))
        >>> result = race({"rows": entry(lambda a: a.sum(1).sum(), x), "all": entry(np.sum, x)}, seconds=0.01)
        >>> result["rows"].bytes_moved
        16008
    """
    _require_entries(contestants)
    reasons = _reasons(dtypes=across_dtypes, results=across_results, transfers=across_transfers)
    trials: list[Trial] = []
    for name, contestant in contestants.items():
        trials.append(_clock.first_call(name, contestant))
        refuse_unfair(trials[0], trials[-1], reasons.keys())
    loops = [_clock.calibrate(trial) for trial in trials]
    samples = _clock.measure(trials, loops, seconds)
    timings = tuple(map(_timing, trials, loops, samples))
    warnings = [text for timing, its in zip(timings, samples, strict=True) for text in _doubts(timing, its)]
    return Race(timings, cores(), tuple(reasons.values()), tuple(warnings))


def _require_entries(contestants: Mapping[str, Entry]) -> None:
    if not contestants:
        raise ValueError('a race needs at least one contestant: race({"name": entry(function, argument)})')
    for name, contestant in contestants.items():
        if not isinstance(contestant, Entry):
            raise TypeError(f"contestant {name!r} must be an entry(function, *arguments), got {contestant!r}")


def _reasons(**across: str) -> dict[str, str]:
    """The rules that are set aside, with the reason for each."""
    for rule, reason in across.items():
        if not isinstance(reason, str):
            raise TypeError(f"across_{rule} takes the reason in words, for the report, got {reason!r}")
    return {rule: reason for rule, reason in across.items() if reason}


def _timing(trial: Trial, loops: int, samples: Sequence[Sample]) -> Timing:
    platform = _platform(trial)
    moved = _arrays.bytes_moved(trial.inputs, trial.outputs)
    return Timing(
        name=trial.name,
        samples=tuple(sample.wall for sample in samples),
        loops=loops,
        first_call=trial.first_call,
        compiled=trial.compiled,
        cores_busy=sum(sample.processor for sample in samples) / sum(sample.wall for sample in samples),
        inputs=_arrays.describe(trial.inputs),
        outputs=_arrays.describe(trial.outputs),
        platform=platform,
        bytes_moved=moved,
        ceiling=bandwidth(platform) if moved > cache_bytes(platform) else None,
    )


def _platform(trial: Trial) -> str:
    # The sharding outlives an array that was donated; its devices are not typed.
    devices: list[Any] = [d for leaf in trial.outputs if isinstance(leaf, jax.Array) for d in leaf.sharding.device_set]
    return str(devices[0].platform) if devices else "cpu"


def _doubts(timing: Timing, samples: Sequence[Sample]) -> list[str]:
    """What makes a timing doubtful."""
    doubts = []
    if any(sample.compiled for sample in samples):
        doubts.append(
            f"{timing.name} compiled again while it was timed, so its time is mostly the compiler's. "
            "Call jax.jit once, outside the function that is timed."
        )
    if timing.platform == "cpu" and timing.cores_busy < IDLE:
        doubts.append(
            f"{timing.name} had a core for only {timing.cores_busy:.0%} of its time: other programs ran, or it "
            "waited for something. Run it again when the machine is free."
        )
    share = timing.share_of_bandwidth or 0.0
    if timing.bytes_moved > FAR_BEYOND * cache_bytes(timing.platform) and share > IMPLAUSIBLE:
        doubts.append(
            f"{timing.name} seems to move {number(share)} times as many bytes per second as memory can. So not all of "
            "the work was done, or not all of it was waited for: the compiler left out what no result needs, part of "
            "the input is not read, or the input was never written (np.zeros)."
        )
    return doubts
