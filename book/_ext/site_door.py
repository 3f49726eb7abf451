"""The door: one line of code, the two pictures that it may have made, and a bet on which. Three more of its kind.

What is drawn is a lesson's: its own set-up cell and the cell that makes the pictures are run for it, so that door and
lesson cannot tell two stories.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from site_sources import lesson_source, raw

from jaxcourse.course import Course
from jaxcourse_author.lesson import without_magics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

    from jaxcourse_author.lesson import Cell, LessonSource

Names = dict[str, Any]
"""What cells of a lesson have made."""
Draw = Callable[["Axes", Names], None]


@dataclass(frozen=True)
class Bet:
    """A line of code, two pictures, and which of them it made.

    Args:
        name: its own.
        label: of the section that explains it. Where that is not taught, there is no bet.
        made_by: what the cell defines, in its lesson, that makes the pictures; the set-up cells are run before it.
        story: what the line is for, in HTML.
        line: that.
        asks: which one, in HTML.
        noun: what a picture is called.
        pictures: by name what a reader sees who has no eyes for it, and how it is drawn.
        right: the name of the one that is.
        why: in one sentence of HTML.
        more: the words of the link to the section.
    """

    name: str
    label: str
    made_by: str
    story: str
    line: str
    asks: str
    noun: str
    pictures: dict[str, tuple[str, Draw]]
    right: str
    why: str
    more: str


# -- how they are drawn -----------------------------------------------------------------------------------------


def _map_of(title: str) -> Draw:
    """A map of the lesson on broadcasting, with its darkest point marked."""

    def draw(panel: Axes, names: Names) -> None:
        spread, east, north = names["maps"][title], names["east"], names["north"]
        panel.pcolormesh(east, north, spread, cmap="gray", rasterized=True)
        panel.plot(*names["plain"].T, "^", color="tab:orange", markersize=7)
        i, j = np.unravel_index(spread.argmin(), spread.shape)
        for color, size, width in (("white", 17, 6), ("red", 14, 3)):
            panel.plot(east[j], north[i], "x", color=color, markersize=size, markeredgewidth=width)

    return draw


def _folded(title: str) -> Draw:
    """The photons of the lesson on 32 bits, folded at the star's period."""

    def draw(panel: Axes, names: Names) -> None:
        panel.hist(np.asarray(names["folded"][title]) / names["period"], 40, color="tab:blue")
        panel.set_ylim(0, 240)

    return draw


def _fit_by(loss: str) -> Draw:
    """The line to which a loss of the lesson on broadcasting leads."""

    def draw(panel: Axes, names: Names) -> None:
        panel.plot(names["x"], names["y"], ".", color="black", markersize=4)
        intercept, slope = np.asarray(names["fits"][loss])[:, 0]
        ends = np.array([-1.0, 1.0])
        panel.plot(ends, intercept + slope * ends, color="tab:orange", linewidth=5)

    return draw


RATE, STEPS, TIMES = 0.0015, 6, 8


def way_down(names: Names, times: float) -> list[float]:
    """Where steps against so many times the gradient of the lesson on collectives lead its weight."""
    import jax

    weights, slope = [float(names["weight"])], jax.grad(names["small_loss"])
    for _ in range(STEPS):
        weights.append(weights[-1] - RATE * times * float(slope(weights[-1], names["batch"])))
    return weights


def _descent(by: str) -> Draw:
    """Steps downhill in the valley of a loss, by a gradient of the lesson on collectives."""

    def draw(panel: Axes, names: Names) -> None:
        weights = np.array(way_down(names, TIMES if by == "mean_of_gradients" else 1))
        valley = np.linspace(-6, 6, 200)
        panel.plot(valley, [names["small_loss"](w, names["batch"]) for w in valley], color="black", linewidth=2)
        heights = [names["small_loss"](w, names["batch"]) for w in weights]
        panel.plot(weights, heights, ".-", color="tab:orange", markersize=16, linewidth=3)

    return draw


# -- the bets ---------------------------------------------------------------------------------------------------

DOOR = Bet(
    "door",
    "silent-loss",
    "maps",
    "Twelve stations heard an earthquake. For each point of the map, one line asks by how much they disagree on "
    "when a quake there began. Dark is where they agree.",
    "spread = (arrivals - travel).std()",
    "Same line, same data. Which map is right?",
    "map",
    {
        "A": (
            "Map A, with twelve stations. The darkest point, a cross, is in the middle of the network.",
            _map_of("one map"),
        ),
        "B": (
            "Map B, with the same stations. The darkest point, a cross, is at the south-eastern edge of the network.",
            _map_of("another"),
        ),
    },
    "B",
    "For map A the arrival times came from a file as a column, of shape <code>(12, 1)</code>. So each was "
    "compared with the travel times of <em>all</em> stations, 144 differences where you meant 12, and you saw no "
    "error.",
    "How a shape lies, and how you see it",
)

MORE = (
    Bet(
        "pulsar",
        "int32-by-default",
        "folded",
        "A telescope noted when each photon of a faint star arrived, in nanoseconds since 1970. Folded at the star's "
        "period, its flashes make one peak.",
        "phase = stamps / 1e9 % 0.0893",
        "You turn <code>np</code> into <code>jnp</code>. Which picture do you get?",
        "picture",
        {
            "A": ("Picture A: bars of all phases, and one high, narrow peak.", _folded("with np")),
            "B": ("Picture B: bars of all phases, all about as high as each other, and no peak.", _folded("with jnp")),
        },
        "B",
        "<code>jnp.asarray</code> keeps the low 32 bits of each time stamp, so the nanoseconds start anew every 4.3 "
        "seconds, in the middle of a period, and you see no error.",
        "32 bits by default",
    ),
    Bet(
        "loss",
        "silent-loss",
        "fits",
        "A model with one output walks downhill for 300 steps, to fit a line to 200 points. The loss falls to the end.",
        "loss = jnp.mean((predict(weights) - y) ** 2)",
        "Which line has it found?",
        "picture",
        {
            "A": ("Picture A: points along a rising line, and a level line at their mean.", _fit_by("broken_loss")),
            "B": ("Picture B: points along a rising line, and that line through them.", _fit_by("right_loss")),
        },
        "A",
        "The predictions are a column, <code>(200, 1)</code>, and <code>y</code> is a vector, so each prediction is "
        "compared with <em>every</em> measurement, and the best answer to all of them is their mean.",
        "The silent one",
    ),
    Bet(
        "gradient",
        "eight-times",
        "mean_of_gradients",
        "Eight devices hold two rows each. Every device takes the gradient of its own rows in a "
        "<code>shard_map</code>, and this line averages the eight.",
        'slope = lax.pmean(jax.grad(loss)(w, rows), "x")',
        "Where do six small steps downhill lead?",
        "picture",
        {
            "A": ("Picture A: steps that go down one side of a valley and stop.", _descent("gradient_of_mean")),
            "B": (
                "Picture B: steps that leap from side to side of a valley, each time higher.",
                _descent("mean_of_gradients"),
            ),
        },
        "B",
        "<code>w</code> is the same on all devices, so JAX has summed its gradient over them before "
        "<code>pmean</code>: the mean of eight equal sums is eight times too large.",
        "A gradient that is eight times too large",
    ),
)

HEADING = "## Three more bets: lines that raise no error"
MARKS = {"{{ door }}": ("", (DOOR,)), "{{ more doors }}": (HEADING, MORE)}
"""What stands above the bets that a page asks for, and those."""


# -- as HTML ----------------------------------------------------------------------------------------------------


def doors_html(bets: tuple[Bet, ...], course: Course) -> str:
    """Some bets; those that no lesson explains which is taught are left out."""
    doors = "".join(_door_html(bet, home, course) for bet in bets if (home := _home(bet, course)))
    return f'<div class="doors">{doors}</div>' if len(bets) > 1 and doors else doors


def _door_html(bet: Bet, home: Path, course: Course) -> str:
    drawn = drawn_apart(course)[bet.name]
    maps = "".join(
        f'<figure>{drawn[name]}<button type="button" class="course-button course-button-plain" data-bet="{name}" '
        f'aria-pressed="false" aria-describedby="{bet.name}-asks" hidden>{bet.noun.title()} {name}</button></figure>'
        for name in bet.pictures
    )
    more = f'<a href="../notebooks/{home.stem}.html#{bet.label}">{bet.more}</a>'
    return (
        f'<section class="door" aria-labelledby="{bet.name}-asks" data-right="{bet.right}" data-noun="{bet.noun}">'
        f"<p>{bet.story}</p><pre><code>{escape(bet.line)}</code></pre>"
        f'<p id="{bet.name}-asks"><strong>{bet.asks}</strong></p>'
        f'<div class="door-maps">{maps}</div><p class="door-verdict" role="status"></p>'
        f"<details><summary>Which one is it?</summary>"
        f"<p>It is {bet.noun} {bet.right}. <span>{bet.why}</span> {more}.</p></details></section>"
    )


def _home(bet: Bet, course: Course) -> Path | None:
    """The lesson that explains a bet."""
    return next((path for path in course.lesson_paths if lesson_source(path, course).section(bet.label)), None)


# -- as pictures ------------------------------------------------------------------------------------------------


def drawn_apart(course: Course) -> dict[str, dict[str, str]]:
    """The pictures of all bets as SVG, by their names, from a process of their own: JAX starts there with 8 devices."""
    homes = {home for bet in (DOOR, *MORE) if (home := _home(bet, course))}
    return _drawn_apart(course.root, tuple(home.stat().st_mtime_ns for home in sorted(homes)))


@functools.lru_cache(maxsize=2)
def _drawn_apart(root: Path, changed: tuple[int, ...]) -> dict[str, dict[str, str]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, __file__, str(root)]
    run = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, dict[str, str]] = json.loads(run.stdout)
    return found


def drawn(course: Course) -> dict[str, dict[str, str]]:
    """The same, in this process."""
    return {bet.name: _drawn(bet, made(bet, home, course)) for bet in (DOOR, *MORE) if (home := _home(bet, course))}


def made(bet: Bet, lesson: Path, course: Course) -> Names:
    """What the lesson's set-up cells make, and the cell behind them that defines what is to be drawn."""
    names: Names = {"__name__": "door"}
    for cell in _needed(lesson_source(lesson, course), bet.made_by):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(without_magics(cell.source), str(lesson), "exec"), names)
    return names


def _needed(lesson: LessonSource, name: str) -> Iterator[Cell]:
    setup = [cell for cell in lesson.cells if cell.role == "setup"]
    yield from setup
    others = (cell for cell in lesson.cells if cell.is_shown)
    if not any(name in defined_by(cell.source) for cell in setup):
        yield next(cell for cell in others if name in defined_by(cell.source))


def defined_by(source: str) -> set[str]:
    """The names that code defines or assigns at its outermost level.

    Example:
        >>> sorted(defined_by("x, y = 1, 2\\ndef f(): z = 3"))
        ['f', 'x', 'y']
    """
    found = set[str]()
    for line in ast.parse(without_magics(source)).body:
        if isinstance(line, ast.FunctionDef):
            found.add(line.name)
        elif isinstance(line, ast.Assign):
            found |= {one.id for target in line.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return found


def _drawn(bet: Bet, names: Names) -> dict[str, str]:
    return {name: _picture(draw, names, alt) for name, (alt, draw) in bet.pictures.items()}


def _picture(draw_into: Draw, names: Names, alt: str) -> str:
    """A picture without letters, so that it can be seen at any size."""
    from matplotlib.figure import Figure

    from jaxcourse import draw

    figure = Figure(figsize=(3.2, 2.4), layout="constrained")
    panel = figure.add_subplot()
    draw_into(panel, names)
    panel.set_axis_off()
    return draw.themed(figure, alt).html


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the bets where a page asks for them."""
    for mark, (heading, bets) in MARKS.items():
        if mark in source[0]:
            html = raw(doors_html(bets, Course(Path(app.srcdir))))
            source[0] = source[0].replace(mark, f"{heading}\n\n{html}" if html else "")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill in the bets before addresses; add the script that takes them."""
    app.connect("source-read", on_source_read, priority=400)
    app.add_js_file("door.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    from jaxcourse import devices

    devices.simulate()
    print(json.dumps(drawn(Course(Path(sys.argv[1])))))
