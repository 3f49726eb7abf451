"""The door: one line of code, the two maps that it made of the same data, and a bet on which is right.

The maps are the opening of the lesson on broadcasting: its own set-up cell is run for them, so that door and lesson
cannot tell two stories.
"""

from __future__ import annotations

import functools
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from site_sources import lesson_source, raw

from jaxcourse.course import Course
from jaxcourse_author.lesson import without_magics

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

MARK = "{{ door }}"
LABEL = "silent-loss"
"""Of the section that explains the door. Where it is not taught, there is no door."""
LINE = "spread = (arrivals - travel).std()"
ALTS = {
    "A": "Map A, with twelve stations. The darkest point, a cross, is in the middle of the network.",
    "B": "Map B, with the same stations. The darkest point, a cross, is at the south-eastern edge of the network.",
}
RIGHT = "B"
WHY = (
    "For map A the arrival times came from a file as a column, of shape <code>(12, 1)</code>. So each was "
    "compared with the travel times of <em>all</em> stations, 144 differences where you meant 12, and you saw no error."
)


def door_html(course: Course) -> str:
    """The door; empty where the lesson is not taught that explains it."""
    home = _home(course)
    if home is None:
        return ""
    maps = "".join(
        f'<figure>{svg}<button type="button" class="course-button course-button-plain" data-bet="{name}" '
        f'aria-pressed="false" hidden>Map {name}</button></figure>'
        for name, svg in pictures(home, course).items()
    )
    more = f'<a href="../notebooks/{home.stem}.html#{LABEL}">How a shape lies, and how you see it</a>'
    return (
        f'<section class="door" aria-labelledby="door-asks" data-right="{RIGHT}">'
        "<p>Twelve stations heard an earthquake. For each point of the map, one line asks by how much they disagree on "
        "when a quake there began. Dark is where they agree.</p>"
        f"<pre><code>{escape(LINE)}</code></pre>"
        f'<p id="door-asks"><strong>Same line, same data. Which map is right?</strong></p>'
        f'<div class="door-maps">{maps}</div><p class="door-verdict" role="status"></p>'
        f"<details><summary>Which one is it?</summary><p>It is map {RIGHT}. <span>{WHY}</span> {more}.</p></details>"
        "</section>"
    )


def _home(course: Course) -> Path | None:
    """The lesson that explains the door."""
    return next((path for path in course.lesson_paths if lesson_source(path, course).section(LABEL)), None)


def pictures(lesson: Path, course: Course) -> dict[str, str]:
    """The two maps as SVG, by their names."""
    names = opening(lesson, course)
    place = (names["east"], names["north"]), names["plain"]
    return {name: _map(spread, *place, ALTS[name]) for name, spread in zip(ALTS, names["maps"].values(), strict=True)}


def opening(lesson: Path, course: Course) -> dict[str, Any]:
    """What the lesson's set-up cell makes: `plain` are the stations, `QUAKE` is the place, `maps` are the two maps."""
    return _opening(lesson, course, lesson.stat().st_mtime_ns)


@functools.lru_cache(maxsize=2)
def _opening(lesson: Path, course: Course, changed: int) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "door"}
    for cell in lesson_source(lesson, course).cells:
        if cell.role == "setup":
            exec(compile(without_magics(cell.source), str(lesson), "exec"), names)
    return names


def _map(spread: Any, axes: tuple[Any, Any], stations: Any, alt: str) -> str:
    """A map without letters, so that it can be read at any size."""
    from matplotlib.figure import Figure

    from jaxcourse import draw

    east, north = axes
    figure = Figure(figsize=(3.2, 2.4), layout="constrained")
    panel = figure.add_subplot()
    panel.pcolormesh(east, north, spread, cmap="gray", rasterized=True)
    panel.plot(*stations.T, "^", color="tab:orange", markersize=7)
    i, j = np.unravel_index(spread.argmin(), spread.shape)
    for color, size, width in (("white", 17, 6), ("red", 14, 3)):
        panel.plot(east[j], north[i], "x", color=color, markersize=size, markeredgewidth=width)
    panel.set_axis_off()
    return draw.themed(figure, alt).html


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the door where a page asks for it."""
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, raw(door_html(Course(Path(app.srcdir)))))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the door before addresses; add the script that takes the bet."""
    app.connect("source-read", on_source_read, priority=400)
    app.add_js_file("door.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
