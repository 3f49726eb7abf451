"""A sheet to draw on: SVG that follows the page's text colour, needs no ids, and reads on a phone."""

from __future__ import annotations

import contextlib
import math
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from jaxcourse._picture import Picture

WIDTH = 440.0
"""In pixels: what stays readable when a 375 px page scales it down."""

MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"

Point = tuple[float, float]


def _attributes(attributes: dict[str, Any]) -> str:
    """SVG attributes; Python's `stroke_width` is SVG's `stroke-width`."""
    words = {k: f"{round(v, 2):g}" if isinstance(v, float) else str(v) for k, v in attributes.items()}
    return "".join(f" {name.replace('_', '-')}={quoteattr(word)}" for name, word in words.items())


@dataclass
class Sheet:
    """The parts of one picture, in the order in which they are drawn: lengths in pixels, y downwards."""

    parts: list[str] = field(default_factory=list)

    def add(self, tag: str, body: str = "", **attributes: Any) -> None:
        self.parts.append(f"<{tag}{_attributes(attributes)}>{body}</{tag}>")

    @contextlib.contextmanager
    def group(self, title: str, **attributes: Any) -> Iterator[None]:
        """Put what is drawn inside of this block into a group; its title shows when the mouse rests on it."""
        self.parts.append(f"<g{_attributes(attributes)}><title>{escape(title)}</title>")
        yield
        self.parts.append("</g>")

    def text(self, x: float, y: float, words: str, size: float = 12.0, anchor: str = "middle", **style: Any) -> None:
        if words:
            self.add("text", escape(words), x=x, y=y, font_size=size, text_anchor=anchor, **style)

    def faint(self, x: float, y: float, words: str, anchor: str = "middle") -> None:
        self.text(x, y, words, 11.0, anchor, fill_opacity=0.7)

    def rect(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        look = {"fill": "none", "stroke": "currentColor", **style}
        self.add("rect", x=x, y=y, width=width, height=height, **look)

    def path(self, steps: str, **style: Any) -> None:
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
        """Write wrapped running text below y and return its bottom."""
        for line in textwrap.wrap(words, int((WIDTH - x) / 6.3)):
            self.text(x, y, line, 12.0, "start", font_family=SANS)
            y += 17
        return y - 12

    def picture(self, bottom: float, alt: str) -> Picture:
        """Close the sheet at its bottom."""
        size = {"width": WIDTH + 2, "height": bottom + 2, "viewBox": f"-1 -1 {WIDTH + 2:g} {bottom + 2:g}"}
        look = {"fill": "currentColor", "font_family": MONO}
        attributes = _attributes({"xmlns": "http://www.w3.org/2000/svg", **size, **look})
        return Picture(f"<svg{attributes}>{''.join(self.parts)}</svg>", alt)
