"""Pictures for the page: inline SVG with a text that can stand for it, readable on light and on dark.

A `Picture` is what the page shows. It comes from a `Sheet`, on which the course draws by hand, or from a figure of
matplotlib, which `themed` makes follow the page.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import io
import itertools
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.ticker import Locator

WIDTH = 440.0
"""Width of a sheet in pixels: what stays readable when a 375 px page scales it down."""
TEXT = 784.0
"""Width of a page's text on a desk, in pixels: as wide are pictures at the beginning and the end of a lesson."""
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
ADVANCE = 0.61
"""Width of a monospace character in units of its size: the widest of the fonts above."""
RUNNING = 0.6
"""Width of a character of running text, on average: the widest of the usual fonts, and not only of those above."""
BLUE, ORANGE = "#3b82c4", "#c2703d"
"""Colours that stand out on white and on black."""

SMALLEST = 9.2
"""Pixels of the smallest letters that can be read on a phone."""
_SIZE = re.compile(r"""\bfont(?:-size)?(?:="|: ?)(?:[a-z]+ )*([\d.]+)""")

Point = tuple[float, float]

_TAKEN = re.compile(r"\s(role|aria-label|style)\s*=")


@dataclass(frozen=True)
class Picture:
    """An SVG drawing with the text that stands for it, and perhaps a caption below it.

    A notebook shows the drawing; a terminal shows the text.

    Args:
        svg: One complete `<svg ...>...</svg>` element. Its root must not carry `role`, `aria-label` or `style`:
            they are set here.
        alt: What the drawing shows, in words, for readers who cannot see the drawing.
        caption: What is said below it, in the page's own letters. A screen reader has the alt text instead.

    Raises:
        ValueError: If `svg` is not one `<svg>` element, if its root has one of those attributes, or if `alt` is empty.

    Example:
        >>> Picture('<svg viewBox="0 0 1 1"><path d="M0 0h1"/></svg>', "A line from left to right.")
        A line from left to right.
    """

    svg: str
    alt: str
    caption: str = ""

    def __post_init__(self) -> None:
        svg = self.svg.strip()
        if not (re.match(r"<svg[\s>]", svg) and svg.endswith("</svg>")):
            raise ValueError(f"a picture needs one complete <svg>...</svg> element, got {svg[:40]!r}")
        if taken := _TAKEN.search(svg[: svg.index(">")]):
            raise ValueError(f"remove {taken[1]!r} from the <svg> tag: Picture sets role, aria-label and style itself")
        if not self.alt.strip():
            raise ValueError("a picture needs an alt text: say in words what it shows")

    @property
    def html(self) -> str:
        """The drawing as HTML that fits its column and tells a screen reader its alt text."""
        label = html.escape(self.alt)
        # On a phone it scrolls in its own box, before its letters are too small.
        least = _readable_width(self.svg)
        look = f"max-width:100%;{f'min-width:{least}px;' * bool(least)}height:auto"
        root = f'<svg role="img" aria-label="{label}" style="{look}"'
        drawing = self.svg.strip().replace("<svg", root, 1)
        scrolls = "max-width:100%;overflow-x:auto"
        return f'<div class="jaxcourse-picture" style="{scrolls}">{drawing}{_caption_html(self.caption)}</div>'

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.alt


def _readable_width(svg: str) -> int:
    """The pixels of width at which the smallest letters of a drawing can be read; 0 where it has none.

    Example:
        >>> _readable_width('<svg viewBox="0 0 440 20"><text font-size="11">x</text></svg>')
        368
    """
    frame = re.search(r'viewBox="\S+ \S+ ([\d.]+)', svg)
    sizes = [float(size) for size in _SIZE.findall(svg) if float(size)]
    return math.ceil(SMALLEST / min(sizes) * float(frame[1])) if frame and sizes else 0


def _caption_html(caption: str) -> str:
    look = f"margin:.3em 0 0;max-width:{WIDTH:g}px;font:.8125em/1.4 {SANS}"
    return f'<p style="{look}" aria-hidden="true">{html.escape(caption)}</p>' if caption else ""


# --- drawn by hand ----------------------------------------------------------------------------------


def _attributes(attributes: dict[str, Any]) -> str:
    """SVG attributes; Python's `stroke_width` is SVG's `stroke-width`."""
    words = {k: f"{round(v, 2):g}" if isinstance(v, float) else str(v) for k, v in attributes.items()}
    return "".join(f" {name.replace('_', '-')}={quoteattr(word)}" for name, word in words.items())


@dataclass
class Sheet:
    """What a picture is drawn on: lengths are in pixels, y points down, and later parts cover earlier ones.

    Everything has the colour of the page's text unless a style says otherwise, and nothing has an id, so that any
    number of pictures can share a page.

    Example:
        >>> sheet = Sheet()
        >>> sheet.rect(0, 0, 40, 20)
        >>> sheet.picture(20, "A box.")
        A box.
    """

    parts: list[str] = field(default_factory=list)

    def add(self, tag: str, body: str = "", **attributes: Any) -> None:
        """Add an element; Python's `stroke_width` is SVG's `stroke-width`."""
        self.parts.append(f"<{tag}{_attributes(attributes)}>{body}</{tag}>")

    @contextlib.contextmanager
    def group(self, title: str, **attributes: Any) -> Iterator[None]:
        """Put what is drawn in this block into a group; its title shows when the mouse rests on it."""
        self.parts.append(f"<g{_attributes(attributes)}><title>{escape(title)}</title>")
        yield
        self.parts.append("</g>")

    def text(self, x: float, y: float, words: str, size: float = 12.0, anchor: str = "middle", **style: Any) -> None:
        """Write a text at a baseline, in the monospace font unless the style says otherwise."""
        if words:
            self.add("text", escape(words), x=x, y=y, font_size=size, text_anchor=anchor, **style)

    def faint(self, x: float, y: float, words: str, anchor: str = "middle") -> None:
        """Write a small text that stands back."""
        self.text(x, y, words, 11.0, anchor, fill_opacity=0.7)

    def rect(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """Draw a box by its upper left corner."""
        look = {"fill": "none", "stroke": "currentColor", **style}
        self.add("rect", x=x, y=y, width=width, height=height, **look)

    def path(self, steps: str, **style: Any) -> None:
        """Draw lines, in the steps of SVG's paths."""
        self.add("path", d=steps, **{"fill": "none", "stroke": "currentColor", **style})

    def hatch(self, x: float, y: float, width: float, height: float) -> None:
        """Fill a rectangle with diagonals: an SVG pattern needs an id, and fails where its owner is hidden."""
        steps = []
        for reach in np.arange(6.0, width + height, 6.0).tolist():
            right, low = min(reach, width), min(reach, height)
            steps.append(f"M{x + reach - low:.1f} {y + low:.1f}L{x + right:.1f} {y + reach - right:.1f}")
        self.path("".join(steps), stroke_opacity=0.45)

    def arrow(self, start: Point, end: Point, *, bend: float = 0.0, **style: Any) -> None:
        """Draw an arrow: straight, or leaving and arriving horizontally along curves of the length `bend`."""
        (x0, y0), (x1, y1) = start, end
        angle = 0.0 if bend else math.atan2(y1 - y0, x1 - x0)
        self.path(f"M{x0:.1f} {y0:.1f}C{x0 + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}", **style)
        barbs = [(x1 - 4.5 * math.cos(angle + turn), y1 - 4.5 * math.sin(angle + turn)) for turn in (0.5, -0.5)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in [end, *barbs])
        self.add("polygon", points=points, fill=style.get("stroke", "currentColor"))

    def paragraph(self, x: float, y: float, words: str) -> float:
        """Write running text, wrapped so that it fits in any usual font, and return its bottom."""
        for line in textwrap.wrap(words, int((WIDTH - x) / (12 * RUNNING))):
            self.text(x, y, line, 12.0, "start", font_family=SANS)
            y += 17
        return y - 12

    def facts(self, x: float, y: float, facts: Sequence[tuple[str, str]], column: float = 66) -> float:
        """Write names and, a column to the right, their values below y; return the bottom."""
        for row, (name, value) in enumerate(facts):
            self.faint(x, y + 17 * row + 12, name, "start")
            self.text(x + column, y + 17 * row + 12, value, 12.0, "start")
        return y + 17 * len(facts)

    def picture(self, bottom: float, alt: str, caption: str = "", width: float = WIDTH) -> Picture:
        """Close the sheet at its bottom, and at its right side if it is narrower than others."""
        size = {"width": width + 2, "height": bottom + 2, "viewBox": f"-1 -1 {width + 2:g} {bottom + 2:g}"}
        look = {"fill": "currentColor", "font_family": MONO}
        attributes = _attributes({"xmlns": "http://www.w3.org/2000/svg", **size, **look})
        return Picture(f"<svg{attributes}>{''.join(self.parts)}</svg>", alt, caption)


# --- drawn by matplotlib ----------------------------------------------------------------------------


def themed(figure: Figure, alt: str) -> Picture:
    """Turn a matplotlib figure into a picture that follows the page from light to dark.

    What is black becomes the colour of the page's text, backgrounds and legend frames become transparent, and the same
    figure always gives the same bytes. The figure is closed, so that a notebook does not show it a second time.

    Args:
        figure: The figure, drawn in matplotlib's default style.
        alt: What the figure shows, in words.

    Returns:
        The figure as a picture.

    Example:
        >>> from matplotlib.figure import Figure
        >>> themed(Figure(figsize=(1, 1)), "An empty figure.")
        An empty figure.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib.legend import Legend

    for legend in figure.findobj(Legend):
        legend.set(frame_on=False)
    tidy(figure)
    drawn = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "jaxcourse"}):
        figure.savefig(drawn, format="svg", transparent=True, bbox_inches="tight")
    plt.close(figure)
    return Picture(_follow_the_page(drawn.getvalue(), alt), alt)


LETTERS = 9.0
"""Points of the smallest letters of a figure."""


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
    from matplotlib.text import Text

    if figure.get_layout_engine() is None:
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
        if not _crowded(axis):
            return


def _crowded(axis: Axis) -> bool:
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
    return _own_ids(svg, alt)


def _own_ids(svg: str, alt: str) -> str:
    """The drawing with ids that no other drawing on the page has, and only those that it refers to itself."""
    # Equal ids in two drawings clip the one with the paths of the other:
    # https://github.com/matplotlib/matplotlib/issues/4349. What is drawn alike may still say something else.
    prefix = hashlib.sha256((alt + svg).encode()).hexdigest()[:8]
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda match: match[0] if match[1] in used else "", svg)
    return re.sub(r'( id="|href="#|url\(#)', rf"\1p{prefix}-", svg)
