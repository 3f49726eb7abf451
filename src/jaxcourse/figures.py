"""Figures of matplotlib as pictures of the page: one hand for all, in its colours, as wide as the text, or as a phone.

Lessons draw in matplotlib's default style, and at the size that they like. What they draw becomes a `Picture` here.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxcourse.svg import BLUE, ORANGE, TEAL, TEXT, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
    from matplotlib.ticker import Locator


def themed(figure: Figure, alt: str) -> Picture:
    """Turn a matplotlib figure into a picture that follows the page from light to dark.

    What is black becomes the colour of the page's text, backgrounds and legend frames become transparent, and the same
    figure always gives the same bytes. The figure is closed, so that a notebook does not show it a second time.

    Args:
        figure: the figure, drawn in matplotlib's default style.
        alt: what the figure shows, in words.

    Returns:
        The figure as a picture.

    Example:
        >>> from matplotlib.figure import Figure
        >>> themed(Figure(figsize=(1, 1)), "An empty figure.")
        An empty figure.
    """
    import matplotlib.pyplot as plt
    from matplotlib.legend import Legend

    for legend in figure.findobj(Legend):
        legend.set(frame_on=False)
    for axes in figure.axes:
        _tell_lines_apart(axes)
    ticks = [(axis, axis.get_major_locator()) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    shape, wide = tuple(figure.get_size_inches()), wide_size(figure)
    figure.set_size_inches(wide)
    labels = [label for axes in figure.axes for label in _label_lines(axes)]
    svg = _svg_of(figure, alt)
    narrow = narrow_size(figure, shape)
    if narrow != wide:
        for label in labels:
            label.remove()
        for legend in figure.findobj(Legend):
            legend.set_visible(True)
        for axis, locator in ticks:
            axis.set_major_locator(locator)
        _below_each_other(figure)
        figure.set_size_inches(narrow)
    plt.close(figure)
    return Picture(svg, alt, narrow=_svg_of(figure, alt) if narrow != wide else "")


def _svg_of(figure: Figure, alt: str) -> str:
    """A figure as SVG that follows the page."""
    import matplotlib as mpl

    tidy(figure)
    drawn = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "jaxcourse"}):
        figure.savefig(drawn, format="svg", transparent=True, bbox_inches="tight", pad_inches=_MARGIN)
    return _follow_the_page(drawn.getvalue(), alt)


# -- sizes ------------------------------------------------------------------------------------------------------

_MARGIN = 0.03
"""Inches around what is drawn."""
_WIDE = TEXT / 96 - 2 * _MARGIN
"""Inches of a page's text."""
_NARROW = 4.84 - 2 * _MARGIN
"""Inches of what can be read on a phone: where 358 pixels are, letters of 9 points have more than 9."""
_HIGHEST = 5.4
"""Inches of height to which a figure grows with its width."""

Size = tuple[float, float]


def wide_size(figure: Figure) -> Size:
    """The width of the text for a figure that is wider than half of it and no higher than wide; its own for others.

    Example:
        >>> from matplotlib.figure import Figure
        >>> [wide_size(Figure(figsize=size)) for size in ((2, 2), (5, 3), (5, 7))]
        [(2.0, 2.0), (8.106666666666666, 3.75), (5.0, 7.0)]
    """
    width, height = map(float, figure.get_size_inches())
    if width < _WIDE / 2 or height > width:
        return width, height
    grows = _WIDE / width
    keeps_shape = any(axes.get_aspect() != "auto" for axes in figure.axes)
    most = max(height, _HIGHEST)
    return _WIDE, min(most, height * grows) if keeps_shape else height * min(max(grows, 1.0), 1.25)


def narrow_size(figure: Figure, shape: Size) -> Size:
    """The size for a phone of a figure of some shape: as many times as high as it has panels beside each other.

    Panels in a grid would have no room there: such a figure stays as it is, and scrolls.
    """
    (width, height), row = map(float, shape), _row(figure)
    if not row and _has_a_grid(figure):
        wide, high = map(float, figure.get_size_inches())
        return wide, high
    if width < _WIDE / 2 and not row:
        return width, height
    return min(width, _NARROW), height * max(1, len(row))


def _geometries(figure: Figure) -> list[tuple[int, int]]:
    """The rows and columns of the grid in which each panel has its place; (0, 0) for one that has none."""
    places = [axes.get_subplotspec() for axes in figure.axes]
    return [place.get_gridspec().get_geometry() if place else (0, 0) for place in places]


def _has_a_grid(figure: Figure) -> bool:
    """Whether there are panels beside each other."""
    return bool(figure.subfigs) or any(columns > 1 for _, columns in _geometries(figure))


def _row(figure: Figure) -> list[Axes]:
    """The panels of a figure that has a row of them, and nothing else."""
    count = len(figure.axes)
    is_row = count > 1 and set(_geometries(figure)) == {(1, count)} and not figure.subfigs
    return figure.axes if is_row else []


def _below_each_other(figure: Figure) -> None:
    """Put panels that are beside each other into a column."""
    if not (panels := _row(figure)):
        return
    from matplotlib.gridspec import GridSpec

    grid = GridSpec(len(panels), 1, figure=figure)
    for place, axes in enumerate(panels):
        axes.set_subplotspec(grid[place])
        axes.tick_params(labelleft=axes.yaxis.get_visible())


# -- one hand ---------------------------------------------------------------------------------------------------

HOUSE = {
    BLUE: ("#1f77b4", "#0072b2", "#3b82c4", "#2a78d6", "#0000ff"),
    ORANGE: ("#ff7f0e", "#d55e00", "#c2410c"),
    TEAL: ("#2ca02c", "#009e73", "#008000"),
}
"""The course's colours, and those of matplotlib and of lessons in whose place they stand."""
_DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
_FEW = 4
"""Lines that are named at their ends; more have a legend."""


def _plain_lines(axes: Axes) -> list[Line2D]:
    """The lines of a panel that have a name, and nothing but colour to tell them apart.

    A line without points stands in the legend for something else, whose look it has.
    """
    named = (line for line in axes.lines if not str(line.get_label()).startswith("_") and len(_points(axes, line)))
    return [line for line in named if line.get_linestyle() == "-" and line.get_marker() in ("None", None, "")]


def _tell_lines_apart(axes: Axes) -> None:
    """Give lines of which each has its colour dashes of their own, in the panel and in its legend."""
    lines = _plain_lines(axes)
    if len({str(line.get_color()) for line in lines}) < 2:
        return
    legend, named = axes.get_legend(), axes.get_legend_handles_labels()[0]
    for line, dashes in zip(lines, itertools.cycle(_DASHES)):
        line.set_linestyle(dashes)
        if legend and line in named and len(named) == len(legend.legend_handles):
            legend.legend_handles[named.index(line)].set_linestyle(dashes)  # type: ignore[union-attr]


def _label_lines(axes: Axes) -> list[Text]:
    """Write the names of few lines at their right ends, where there is room, in place of a legend.

    Returns:
        What was written; nothing where the legend stays.
    """
    legend = axes.get_legend()
    handles, _ = axes.get_legend_handles_labels()
    lines = [line for line in axes.lines if line in handles and line.get_linestyle() != "None"]
    if not legend or not 1 < len(lines) == len(handles) <= _FEW or not all(len(_points(axes, line)) for line in lines):
        return []
    ends = [_right_end(axes, line) for line in lines]
    heights = sorted(y for _, y in ends)
    apart = 1.4 * LETTERS / 72 / (axes.get_window_extent().height / axes.figure.dpi)
    if min(x for x, _ in ends) < 0.9 or any(b - a < apart for a, b in itertools.pairwise(heights)):
        return []
    legend.set_visible(False)
    # A little larger than others: what is written beside a panel makes the drawing a little wider than the text.
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
    return [
        axes.annotate(
            str(line.get_label()), (max(x, 1.0), y), (4, 0), annotation_clip=False, fontsize=LETTERS + 0.5, **look
        )
        for line, (x, y) in zip(lines, ends, strict=True)
    ]


def _points(axes: Axes, line: Line2D) -> np.ndarray:
    """The points of a line that can be drawn, in shares of the panel."""
    there = line.get_transform().transform(np.column_stack(line.get_data(orig=False)).astype(float))
    shares: np.ndarray = axes.transAxes.inverted().transform(there[np.isfinite(there).all(1)])
    return shares


def _right_end(axes: Axes, line: Line2D) -> Size:
    """Where the last point of a line is, in shares of the panel."""
    points = _points(axes, line)
    x, y = points[np.argmax(points[:, 0])]
    return float(x), float(np.clip(y, 0, 1))


# -- letters ----------------------------------------------------------------------------------------------------

LETTERS = 9.5
"""Points of the smallest letters of a figure: 11 pixels where a text of 784 has 688, as on a desk of 1280."""


def tidy(figure: Figure) -> None:
    """Lay out a figure so that no words lie on others: room for all labels, few numbers at the axes, readable letters.

    Words are measured in matplotlib's own font, which is as wide as any that is usual.

    Args:
        figure: the figure; a layout of its own and ticks that were set by hand stay as they are.

    Example:
        >>> from matplotlib.figure import Figure
        >>> figure = Figure(figsize=(2, 2))
        >>> axes = figure.subplots()
        >>> axes.set(xscale="log", xlim=(0.3, 3e7))
        [None, (0.3, 30000000.0)]
        >>> tidy(figure)
        >>> [tick.get_text() for tick in axes.get_xticklabels()]
        ['0.01', '1', '100', '10⁴', '10⁶', '10⁸']
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine, TightLayoutEngine
    from matplotlib.text import Text

    # After `tight_layout`, what is left of a layout is a place holder: where things were at that size.
    if not isinstance(figure.get_layout_engine(), (ConstrainedLayoutEngine, TightLayoutEngine)):
        # A colour bar that was made without a layout has its place in a grid, which `constrained` cannot divide.
        gridded = any(hasattr(one, "_colorbar") and one.get_subplotspec() for one in figure.axes)
        figure.set_layout_engine("tight" if gridded else "constrained")
    for text in figure.findobj(Text):
        text.set_fontsize(max(text.get_fontsize(), LETTERS))
    axes = figure.axes
    # Numbers at the side take room from those below.
    for axis in [*(one.yaxis for one in axes), *(one.xaxis for one in axes)]:
        _few_numbers(figure, axis)


def _few_numbers(figure: Figure, axis: Axis) -> None:
    """Put as many numbers at an axis as have room beside each other."""
    from matplotlib.ticker import AutoLocator, LogLocator, MaxNLocator

    logarithmic = axis.get_scale() == "log"
    if not isinstance(axis.get_major_locator(), LogLocator if logarithmic else AutoLocator):
        return
    for count in (9, 7, 5, 4, 3, 2, 1):
        if logarithmic:
            _logarithmic(axis, count)
        elif count < 9:
            axis.set_major_locator(MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]))
        figure.draw_without_rendering()
        if not _is_crowded(axis):
            return


def _is_crowded(axis: Axis) -> bool:
    """Whether two numbers at an axis are closer than half a letter."""
    from matplotlib.axis import XAxis

    across = isinstance(axis, XAxis)
    boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text() and label.get_visible()]
    ends = sorted((box.x0, box.x1) if across else (box.y0, box.y1) for box in boxes)
    gap = LETTERS / 2 if across else 0.0
    return any(left[1] + gap > right[0] for left, right in itertools.pairwise(ends))


def _logarithmic(axis: Axis, count: int) -> None:
    """Powers at a logarithmic axis, and other numbers where it has fewer than two of them; none at the small ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    base: float = axis.get_transform().base  # type: ignore[attr-defined]
    low, high = sorted(axis.get_view_interval())
    many = _SUBS if base == 10 else _SUBS[:1]
    ways: list[Locator] = [*(LogLocator(base, subs, numticks=count) for subs in many), MaxNLocator(count)]

    def is_enough(way: Locator, subs: tuple[float, ...]) -> bool:
        ticks = [tick for tick in way.tick_values(low, high) if low <= tick <= high]
        # With one alone, matplotlib 3.10 puts other numbers in its place, and as many as it likes.
        return len(ticks) >= 2 and (not subs or all(_is_multiple(tick, subs, base) for tick in ticks))

    enough = (way for way, subs in zip(ways, (*many, ()), strict=True) if is_enough(way, subs))
    axis.set_major_locator(next(enough, ways[0]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: power(value, base)))
    axis.set_minor_formatter(NullFormatter())


def _is_multiple(tick: float, subs: Sequence[float], base: float) -> bool:
    """Whether a number is one of some multiples of a power."""
    return any(math.isclose(tick, sub * base ** round(math.log(tick / sub, base))) for sub in subs)


_SUBS = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))
"""Which multiples of a power have numbers."""


def power(value: float, base: float = 10) -> str:
    """A number at a logarithmic axis: as it is, if that is short, or else as a power.

    Example:
        >>> [power(value) for value in (0.01, 1, 200, 1e-5, 3e6)], power(2**20, 2), power(64, 2)
        (['0.01', '1', '200', '10⁻⁵', '3×10⁶'], '2²⁰', '64')
    """
    if 0.001 <= value < 10_000:
        return f"{value:g}"
    exponent = math.floor(math.log(value, base) + 1e-9)
    factor = round(value / base**exponent, 6)
    raised = f"{base:g}{str(exponent).translate(_RAISED)}"
    return raised if factor == 1 else f"{factor:g}×{raised}"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _follow_the_page(svg: str, alt: str) -> str:
    """Matplotlib's SVG with the page's text colour for black, and without what would disturb the page around it."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # A style sheet inside an SVG applies to the whole page; on the root element the same is inherited:
    # https://github.com/matplotlib/matplotlib/issues/14283
    # The fill is for text and marks, where matplotlib leaves black out because it is SVG's default.
    svg = re.sub(r"\s*<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = svg.replace("<svg", '<svg fill="currentColor" stroke-linejoin="round" stroke-linecap="butt"', 1)
    svg = re.sub(r"\b(stroke|fill): ?#000000", r"\1: currentColor", svg)
    for ours, theirs in HOUSE.items():
        svg = re.sub(rf"\b(stroke|fill): ?(?:{'|'.join(theirs)})", rf"\1: {ours}", svg)
    return _own_ids(svg, alt)


def _own_ids(svg: str, alt: str) -> str:
    """The drawing with ids that no other drawing on the page has, and only those that it refers to itself."""
    # Equal ids in two drawings clip the one with the paths of the other:
    # https://github.com/matplotlib/matplotlib/issues/4349. What is drawn alike may still say something else.
    prefix = hashlib.sha256((alt + svg).encode()).hexdigest()[:8]
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda match: match[0] if match[1] in used else "", svg)
    return re.sub(r'( id="|href="#|url\(#)', rf"\1p{prefix}-", svg)
