"""How what was measured or counted is shown: tables, and numbers with three digits and a unit.

A `Report` is anything that shows itself as tables and sentences: as text in a terminal, as HTML in a notebook. A
`Table` is one of its parts. `number` and `si` write the numbers that stand in it.
"""

from __future__ import annotations

import html
import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jaxcourse.markup import marked, plain

LONG = 12
"""Characters of a cell that stand in one line."""


@dataclass(frozen=True)
class Table:
    """A table to be read by people: the first column says what a row is about.

    Args:
        caption: what the table is about.
        head: the columns' names.
        rows: the cells.
        is_code: the cells are code. It wraps, so that nothing of it is cut off.
    """

    caption: str
    head: list[str]
    rows: list[list[str]]
    is_code: bool = False

    def __str__(self) -> str:
        columns = zip(self.head, *self.rows, strict=True)
        widths = [max(map(len, column)) for column in columns]
        lines = []
        for row in [self.head, *self.rows]:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines.append("  ".join(cells).rstrip())
        return "\n".join(["", *lines, ""])

    def html(self) -> str:
        """The table as HTML, which scrolls on its own instead of widening the page."""
        head = "".join(f'<th scope="col" style="white-space:normal">{html.escape(cell)}</th>' for cell in self.head)
        body = "".join(_html_row(row, self.is_code) for row in self.rows)
        label = html.escape(self.caption)
        table = f"<caption>{label}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        # The focus is for scrolling with the keyboard.
        return (
            f'<div role="group" aria-label="{label}" tabindex="0" style="max-width:100%;overflow-x:auto">'
            f'<table style="white-space:nowrap">{table}</table></div>'
        )


def _html_row(row: Sequence[str], is_code: bool) -> str:
    first, *others = (_html_cell(cell, is_code) for cell in row)
    return f'<tr><th scope="row"{first}</th>{"".join(f"<td{cell}</td>" for cell in others)}</tr>'


def _html_cell(cell: str, is_code: bool) -> str:
    """The rest of a cell's tag, and what is in it."""
    if is_code:
        look = ' style="white-space:normal;text-align:left"><code style="overflow-wrap:anywhere;white-space:pre-wrap"'
        return f"{look}>{html.escape(cell)}</code>"
    # What is longer than a number with its unit, such as the types of many arguments, takes several lines.
    style = ' style="white-space:normal;min-width:7em"' if len(cell) > LONG else ""
    return f"{style}>{html.escape(cell)}"


class Report:
    """Something that prints as text in a terminal and as tables in a notebook."""

    @abstractmethod
    def _parts(self) -> list[Table | str]:
        """Tables and sentences, in order."""

    def __repr__(self) -> str:
        return "\n".join(str(part) if isinstance(part, Table) else plain(part) for part in self._parts()).strip("\n")

    def _repr_html_(self) -> str:
        return f'<div class="jaxcourse-report">{in_html(self._parts())}</div>'


def in_html(parts: Iterable[Table | str]) -> str:
    """Tables and sentences as HTML."""
    return "".join(part.html() if isinstance(part, Table) else f"<p>{marked(part)}</p>" for part in parts)


def card(picture: str, sentences: Iterable[str], summary: str, details: Iterable[Table | str]) -> str:
    """A result at a glance, with what it rests on folded below.

    Args:
        picture: HTML of a drawing.
        sentences: what is to be seen in it.
        summary: what the fold holds.
        details: tables and sentences in the fold.
    """
    fold = f"<details><summary>{html.escape(summary)}</summary>{in_html(details)}</details>"
    return f'<div class="jaxcourse-report">{picture}{in_html(sentences)}{fold}</div>'


def number(value: float) -> str:
    """Three significant digits, e.g. `6,240` or `1.52`.

    Example:
        >>> number(6237.2), number(0.04811)
        ('6,240', '0.0481')
    """
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:.3g}"


def si(value: float, unit: str) -> str:
    """Three significant digits with a decimal prefix.

    Example:
        >>> si(0.0012345, "s"), si(67.2e9, "B/s"), si(0, "B")
        ('1.23 ms', '67.2 GB/s', '0 B')
    """
    rounded = float(f"{value:.3g}")
    thousands = math.floor(math.log10(rounded) / 3) if rounded else 0
    thousands = min(max(thousands, -3), 4)
    prefix = {-3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G", 4: "T"}[thousands]
    return f"{rounded / 1000.0**thousands:.3g} {prefix}{unit}"
