"""The page about a reader's search: one HTML file that needs no other, in light and in dark."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import numpy as np

from jaxcourse import bench
from jaxcourse.barometers._budget import BudgetReport
from jaxcourse.figures import themed
from jaxcourse.notebook import stack
from jaxcourse.svg import Picture

TITLE = "The wave that no station shows: a search within its budget"
_OPENING = '<!doctype html>\n<html lang="en">'
_META = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
_LOOK = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; background: Canvas; color: CanvasText; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; }
th, td { padding: .3rem .8rem .3rem 0; text-align: left; border-bottom: 1px solid GrayText; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid GrayText; }
svg { max-width: 100%; height: auto; }
"""


def write_page(report: BudgetReport, file: str | Path = "within_budget.html") -> Path:
    """Write a page to be shown: figures, map, machine, versions and program, in one file that needs no other.

    Args:
        report: what a search spends. What it says is escaped, so that no code in it runs.
        file: where; what is there is written over.

    Returns:
        Where it is.
    """
    path = Path(file)
    path.write_text(_page_of(report), encoding="utf-8")
    return path


def _page_of(report: BudgetReport) -> str:
    """The figures beside the budget, the map, the machine, the versions, and the program."""
    parts = [
        f"<h1>{html.escape(TITLE)}</h1>",
        report._repr_html_(),
        "<h2>The map</h2>",
        _map(report.record, report.found).html,
        "<h2>The machine</h2>",
        bench.ceilings()._repr_html_(),
        "<h2>The versions</h2>",
        stack()._repr_html_(),
        "<h2>The program</h2>",
        f"<pre><code>{html.escape(report.source or 'Nobody knows where it is written.')}</code></pre>",
    ]
    head = f"<title>{html.escape(TITLE)}</title><style>{_LOOK}</style>"
    return f"{_OPENING}<head>{_META}{head}</head><body>{''.join(parts)}</body></html>\n"


def _map(record: tuple[Any, ...], found: tuple[Any, Any]) -> Picture:
    """The largest statistic of each place, with the stations and the best place."""
    from matplotlib.figure import Figure

    lat, lon, value, when = (np.asarray(part) for part in (*record[3:5], *found))
    north, east = np.asarray(record[2])
    best = int(value.argmax())
    figure = Figure(figsize=(6, 4.2))
    axes = figure.subplots()
    drawn = axes.scatter(lon, lat, c=value, s=24, marker="s", linewidths=0, cmap="viridis", rasterized=True)
    axes.plot(east, north, "^", color="white", markeredgecolor="black", label="stations", linestyle="none")
    axes.plot(lon[best], lat[best], "*", color="white", markeredgecolor="black", markersize=15, label="best place")
    axes.set(xlabel="degrees east", ylabel="degrees north", aspect=1.5)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2)
    figure.colorbar(drawn, label="statistic")
    at = f"{lat[best]:.1f} N, {lon[best]:.1f} E, minute {when[best]}"
    return themed(figure, f"A map of the statistic: its largest value is {value[best]:.1f}, at {at}.")
