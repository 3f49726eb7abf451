"""Pictures for the page: inline SVG with a text alternative, readable on light and on dark."""

from __future__ import annotations

import hashlib
import html
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Picture", "themed"]

_TAKEN = re.compile(r"\s(role|aria-label|style)\s*=")


@dataclass(frozen=True)
class Picture:
    """An SVG drawing with the text that stands for it.

    A notebook shows the drawing; a terminal shows the text.

    Args:
        svg: One complete `<svg ...>...</svg>` element. Its root must not carry `role`, `aria-label` or `style`:
            they are set here.
        alt: What is to be seen, in words, for readers who do not see the drawing.

    Raises:
        ValueError: If `svg` is not one `<svg>` element, if its root has one of those attributes, or if `alt` is empty.

    Example:
        >>> Picture('<svg viewBox="0 0 1 1"><path d="M0 0h1"/></svg>', "A line from left to right.")
        A line from left to right.
    """

    svg: str
    alt: str

    def __post_init__(self) -> None:
        svg = self.svg.strip()
        if not (re.match(r"<svg[\s>]", svg) and svg.endswith("</svg>")):
            raise ValueError(f"a picture needs one complete <svg>...</svg> element, got {svg[:40]!r}")
        if taken := _TAKEN.search(svg[: svg.index(">")]):
            raise ValueError(f"remove {taken[1]!r} from the <svg> tag: Picture sets role, aria-label and style itself")
        if not self.alt.strip():
            raise ValueError("a picture needs an alt text: say in words what is to be seen")

    @property
    def html(self) -> str:
        """The drawing as HTML that fits its column and tells a screen reader its alt text."""
        label = html.escape(self.alt)
        root = f'<svg role="img" aria-label="{label}" style="max-width:100%;height:auto"'
        return f'<div class="jaxcourse-picture">{self.svg.strip().replace("<svg", root, 1)}</div>'

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.alt


def themed(figure: Figure, alt: str) -> Picture:
    """Turn a matplotlib figure into a picture that follows the page from light to dark.

    What is black becomes the colour of the page's text, backgrounds and legend frames become transparent, and the same
    figure always gives the same bytes. The figure is closed, so that a notebook does not show it a second time.

    Args:
        figure: The figure, drawn in matplotlib's default style.
        alt: What is to be seen, in words.

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
    drawn = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "jaxcourse"}):
        figure.savefig(drawn, format="svg", transparent=True, bbox_inches="tight")
    plt.close(figure)
    return Picture(_follow_the_page(drawn.getvalue()), alt)


def _follow_the_page(svg: str) -> str:
    """Matplotlib's SVG with the page's text colour for black, and without what would disturb the page around it."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # A style sheet inside an SVG applies to the whole page; on the root element the same is inherited:
    # https://github.com/matplotlib/matplotlib/issues/14283
    # The fill is for text and marks, where matplotlib leaves black out because it is SVG's default.
    svg = re.sub(r"\s*<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = svg.replace("<svg", '<svg fill="currentColor" stroke-linejoin="round" stroke-linecap="butt"', 1)
    svg = re.sub(r"\b(stroke|fill): ?#000000", r"\1: currentColor", svg)
    return _own_ids(svg)


def _own_ids(svg: str) -> str:
    """The drawing with ids that no other drawing on the page has, and only those that it refers to itself."""
    # Equal ids in two drawings clip the one with the paths of the other:
    # https://github.com/matplotlib/matplotlib/issues/4349
    prefix = hashlib.sha256(svg.encode()).hexdigest()[:8]
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda match: match[0] if match[1] in used else "", svg)
    return re.sub(r'( id="|href="#|url\(#)', rf"\1p{prefix}-", svg)
