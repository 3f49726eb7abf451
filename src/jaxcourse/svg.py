"""Pictures for the page: inline SVG with a text that can stand for it, readable on light and on dark.

A `Picture` is what the page shows. It comes from a `Sheet`, on which the course draws by hand, or from a figure of
matplotlib, which `figures.themed` makes follow the page.
"""

from __future__ import annotations

import contextlib
import html
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

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
BLUE, TEAL, ORANGE = "#4a74e0", "#1f9e94", "#c2703d"
"""Colours that stand out on white and on black: the logo's two, and one for what is followed."""
VIRTUAL = "2 3"
"""The dashes of what is not there: an element that is repeated and has no bytes of its own."""

BREAK = 602
"""Pixels of width below which a picture that has a narrow drawing shows that: the wide one has small letters there."""
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
        svg: one complete `<svg ...>...</svg>` element. Its root must not carry `role`, `aria-label` or `style`:
            they are set here.
        alt: what the drawing shows, in words, for readers who cannot see the drawing.
        caption: what is said below it, in the page's own letters. A screen reader has the alt text instead.
        narrow: the same drawn for a phone, as one `<svg>`, if it is not the same there.

    Raises:
        ValueError: if `svg` is not one `<svg>` element, if its root has one of those attributes, or if `alt` is empty.

    Example:
        >>> Picture('<svg viewBox="0 0 1 1"><path d="M0 0h1"/></svg>', "A line from left to right.")
        A line from left to right.
    """

    svg: str
    alt: str
    caption: str = ""
    narrow: str = ""

    def __post_init__(self) -> None:
        for svg in filter(None, (self.svg.strip() or "nothing", self.narrow.strip())):
            _require_drawing(svg)
        if not self.alt.strip():
            raise ValueError("a picture needs an alt text: say in words what it shows")

    @property
    def html(self) -> str:
        """The drawing as HTML that fits its column and tells a screen reader its alt text."""
        caption = _caption_html(self.caption)
        if not self.narrow:
            # On a phone it scrolls in its own box, before its letters are too small.
            return f'<div class="jaxcourse-picture" style="{_SCROLLS}">{self._shown(self.svg)}{caption}</div>'
        wide = self._shown(self.svg, ' class="jaxcourse-wide"', scrolls=False)
        narrow = self._shown(self.narrow, ' class="jaxcourse-narrow"', "display:none;")
        look = f"{_SCROLLS};container:jaxcourse-picture/inline-size"
        return f'<div class="jaxcourse-picture" style="{look}"><style>{BY_WIDTH}</style>{wide}{narrow}{caption}</div>'

    def _shown(self, svg: str, attributes: str = "", look: str = "", scrolls: bool = True) -> str:
        least = _readable_width(svg) if scrolls else 0
        look += f"max-width:100%;{f'min-width:{least}px;' * bool(least)}height:auto"
        root = f'<svg{attributes} role="img" aria-label="{html.escape(self.alt)}" style="{look}"'
        return svg.strip().replace("<svg", root, 1)

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.alt


_SCROLLS = "max-width:100%;overflow-x:auto"
BY_WIDTH = (
    f"@container jaxcourse-picture (max-width:{BREAK}px){{.jaxcourse-wide{{display:none!important}}"
    ".jaxcourse-narrow{display:block!important}}"
)
"""What shows one of two drawings: the only style sheet that a picture brings along."""


def _require_drawing(svg: str) -> None:
    if not (re.match(r"<svg[\s>]", svg) and svg.endswith("</svg>")):
        raise ValueError(f"a picture needs one complete <svg>...</svg> element, got {svg[:40]!r}")
    if taken := _TAKEN.search(svg[: svg.index(">")]):
        raise ValueError(f"remove {taken[1]!r} from the <svg> tag: Picture sets role, aria-label and style itself")


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

    def hatch(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """Fill a rectangle with diagonals: an SVG pattern needs an id, and fails where its owner is hidden."""
        steps = []
        for reach in np.arange(6.0, width + height, 6.0).tolist():
            right, low = min(reach, width), min(reach, height)
            steps.append(f"M{x + reach - low:.1f} {y + low:.1f}L{x + right:.1f} {y + reach - right:.1f}")
        self.path("".join(steps), **{"stroke_opacity": 0.45, **style})

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
