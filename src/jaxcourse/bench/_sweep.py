"""The same race over sizes, as a picture, a table and a sentence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxcourse.bench._clock import Entry
from jaxcourse.bench._fair import UnfairRace
from jaxcourse.bench._race import Race, race
from jaxcourse.figures import themed
from jaxcourse.svg import Picture
from jaxcourse.table import Report, Table, card, si

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Style = tuple[str, str | tuple[int, tuple[int, ...]], str]
# Marker, line and colour: told apart without the colour, and readable on white and on black.
STYLES: tuple[_Style, ...] = (
    ("o", "-", "#000000"),
    ("s", "--", "#0072b2"),
    ("^", "-.", "#d55e00"),
    ("D", ":", "#009e73"),
    ("v", (0, (5, 1, 1, 1, 1, 1)), "#9467bd"),
    ("P", (0, (1, 3)), "#808080"),
)

DETAILS = "All times, ratios and first calls"
HOW = (
    "Times are those of the middle round. Ratios are taken round by round; "
    "the range of 8 rounds out of 10 is in brackets."
)


@dataclass(frozen=True, repr=False)
class Sweep(Report):
    """The result of `sweep`: `sweep[n]` is the `Race` at size n.

    Args:
        variable: what is varied, for the axis and the sentences.
        sizes: its values, increasing.
        races: one race per size.
    """

    variable: str
    sizes: tuple[int, ...]
    races: tuple[Race, ...]

    def __getitem__(self, size: int) -> Race:
        if size not in self.sizes:
            raise KeyError(f"no race at {self.variable} = {size}, only at {', '.join(map(str, self.sizes))}")
        return self.races[self.sizes.index(size)]

    @property
    def names(self) -> tuple[str, ...]:
        """The contestants, in the order of entry."""
        return self.races[0].names

    def times(self, name: str) -> tuple[float, ...]:
        """Seconds per call of one contestant in the middle round, one number per size."""
        return tuple(race[name].median for race in self.races)

    def crossover(self, name: str, to: str | None = None) -> int | None:
        """The size from which on `name` is faster than `to`.

        Args:
            name: a contestant.
            to: another contestant; the first one if not given.

        Returns:
            The first size at which `name` is seen to be faster, or None unless the lead changes exactly once, from
            `to` to `name`. Sizes without a clear difference change nothing.
        """
        leads = self._leads(name, to)
        return self.sizes[leads.index(1)] if _changes(leads) == [-1, 1] else None

    def verdict(self, name: str, to: str | None = None) -> str:
        """One sentence that says which of two contestants is faster, and from which size on."""
        to = self.names[0] if to is None else to
        leads = self._leads(name, to)
        changes = _changes(leads)
        if not changes:
            return f"No clear difference here between {name} and {to} at any {self.variable}."
        if len(changes) > 2:
            return f"No clear crossover between {name} and {to}: the lead changes {len(changes) - 1} times."
        faster, slower = (name, to) if changes[-1] == 1 else (to, name)
        where = f"from {self._at(leads.index(changes[-1]))} on" if len(changes) == 2 else f"at every {self.variable}"
        equal = [f"{size:,}" for size, lead in zip(self.sizes, leads, strict=True) if lead == 0]
        but = f"; no clear difference at {self.variable} = {', '.join(equal)}" if equal else ""
        return f"{faster} is faster than {slower} {where}{but}."

    def picture(self) -> Picture:
        """Time against size, both axes logarithmic: a line per contestant in a band of the middle half of its rounds.

        Returns:
            The picture, with the ends and the crossovers in its alt text.
        """
        from matplotlib.figure import Figure

        figure = Figure(figsize=(3.8, 3.1))
        axes = figure.subplots()
        for name, style in zip(self.names, itertools.cycle(STYLES), strict=False):
            self._draw(axes, name, style)
        are_powers_of_two = all(size & (size - 1) == 0 for size in self.sizes)
        axes.set_xscale("log", base=2 if are_powers_of_two else 10)
        axes.set_yscale("log")
        axes.set_xlabel(self.variable)
        axes.set_ylabel("time per call (s)")
        axes.legend()
        return themed(figure, self._alt())

    def _draw(self, axes: Axes, name: str, style: _Style) -> None:
        marker, line, colour = style
        low, high = zip(*(race[name].quartiles for race in self.races), strict=True)
        axes.fill_between(self.sizes, low, high, color=colour, alpha=0.25, linewidth=0)
        axes.plot(self.sizes, self.times(name), marker=marker, linestyle=line, color=colour, label=name)

    def _alt(self) -> str:
        lines = "; ".join(self.names)
        sentences = [f"Time per call against {self.variable}, both axes logarithmic, with a line each for: {lines}."]
        for index in (0, -1):
            fastest = min(self.races[index].timings, key=lambda timing: timing.median)
            sentences.append(f"At {self._at(index)} {fastest.name} is lowest with {si(fastest.median, 's')}.")
        return " ".join(sentences + self._verdicts())

    def _leads(self, name: str, to: str | None) -> list[int]:
        return [race.ratio(name, to).lead for race in self.races]

    def _verdicts(self) -> list[str]:
        return [self.verdict(name) for name in self.names[1:]]

    def _at(self, index: int) -> str:
        return f"{self.variable} = {self.sizes[index]:,}"

    def _parts(self) -> list[Table | str]:
        return [self._times(), *self._verdicts(), *self._notes(), HOW]

    def _times(self) -> Table:
        first, *others = self.names
        head = [self.variable, *self.names, *(f"{name} / {first}" for name in others)]
        rows = []
        for size, result in zip(self.sizes, self.races, strict=True):
            times = [si(result[name].median, "s") for name in self.names]
            rows.append([f"{size:,}", *times, *(str(result.ratio(name)) for name in others)])
        return Table("Time per call", head, rows)

    def _notes(self) -> list[str]:
        notes = [f"Fair because: {reason}" for reason in self.races[0].reasons]
        for name in self.names:
            compiles = [compile for race in self.races if (compile := race[name].compile) is not None]
            if compiles:
                many = f"{len(compiles)} of {len(self.sizes)} sizes"
                notes.append(f"The first call of {name} compiled at {many}, for up to {si(max(compiles), 's')}.")
        for index, result in enumerate(self.races):
            notes += [f"Warning: at {self._at(index)}, {warning}" for warning in result.warnings]
        return notes

    def _repr_html_(self) -> str:
        doubts = sum(len(result.warnings) for result in self.races)
        warned = [f"Warnings: {doubts}, with their sizes below."] if doubts else []
        sentence = " ".join([*self._verdicts(), *warned])
        return card(self.picture().html, [sentence] if sentence else [], DETAILS, [self._times(), *self._notes(), HOW])


def _changes(leads: Sequence[int]) -> list[int]:
    """The leads without repetitions and without sizes that show no difference: [-1, 1] is one clear crossover."""
    return [lead for lead, _ in itertools.groupby(lead for lead in leads if lead)]


def sweep(
    contestants: Callable[[int], Mapping[str, Entry]],
    sizes: Iterable[int],
    *,
    variable: str = "n",
    seconds: float = 0.25,
    across_dtypes: str = "",
    across_results: str = "",
    across_transfers: str = "",
) -> Sweep:
    """Run the same race at several sizes, and draw time against size.

    Args:
        contestants: makes the contestants of a race from a size. It is called once per size, outside the timing.
        sizes: the sizes, at least two.
        variable: what the sizes are, for the picture's axis.
        seconds: how long to measure at each size.
        across_dtypes: as in `race`.
        across_results: as in `race`.
        across_transfers: as in `race`.

    Returns:
        The races, which show as a picture, a table and a sentence on who is faster from which size on.

    Raises:
        UnfairRace: as in `race`, with the size.
        ValueError: if there are fewer than two sizes, or the contestants are not the same at each.

    Example:
        >>> import jax, jax.numpy as jnp, numpy as np
        >>> from jaxcourse.bench import entry
        >>> def contestants(n):
        ...     x = np.ones(n, np.float32)
        ...     return {"numpy": entry(np.sum, x), "jax": entry(jax.jit(jnp.sum), jnp.asarray(x))}
        >>> sweep(contestants, [10, 1000], seconds=0.01).names
        ('numpy', 'jax')
    """
    ordered = tuple(sorted({int(size) for size in sizes}))
    if len(ordered) < 2 or ordered[0] < 1:
        raise ValueError(f"a sweep needs at least two sizes, all positive, got {ordered}; for one size there is race()")
    races: list[Race] = []
    for size in ordered:
        entries = contestants(size)
        if races and tuple(entries) != races[0].names:
            raise ValueError(f"at {variable} = {size} the contestants are {tuple(entries)}, before {races[0].names}")
        try:
            result = race(
                entries,
                seconds=seconds,
                across_dtypes=across_dtypes,
                across_results=across_results,
                across_transfers=across_transfers,
            )
        except UnfairRace as error:
            raise UnfairRace(f"At {variable} = {size}: {error}") from None
        races.append(result)
    return Sweep(variable, ordered, tuple(races))
