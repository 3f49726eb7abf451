"""Arrays as the pictures that they are, one box of colour for each element; and films of them."""

import base64
import html
import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxcourse.svg import RUNNING, SANS, TEXT, Picture, Sheet

_GAP, _HEAD = 16.0, 20.0
_HIGHEST = 480.0
"""Pixels of height of an array beside which there is no other: what fits on a screen with its text."""
_NARROWEST = {"wide": 240, "other": 150}
"""Pixels below which an array gets a row of its own; two square ones are side by side on a phone."""
_CLEAR = 255
"""The place in a palette of what is no number."""

MOST_FRAMES, HEAVIEST = 24, 160_000
"""Of a film: its frames, and the bytes of all that moves in it."""
_SECONDS = 0.3
"""For which each frame is shown."""

# It moves where a reader may see and stop it: on a screen, where motion is welcome and scripts run. Elsewhere (on
# paper, without scripts, in a notebook that is not trusted) it is the picture of one frame. A reader to whom motion is
# not welcome may ask for it. The button is a check box, and needs no script.
FILM = """
.jaxcourse-hold{display:none}
@supports selector(:has(*)){@media screen and (scripting:enabled){
.jaxcourse-hold{display:inline-flex;align-items:center;gap:.4em;min-height:28px;margin:.3em 0 0;padding:.1em .7em;
border:1px solid #808080;border-radius:4px;cursor:pointer;font-size:.875em;grid-column:1/-1;justify-self:start}
.jaxcourse-hold input{width:1em;height:1em;margin:0;accent-color:#4a74e0}
.jaxcourse-hold:has(:focus-visible){outline:3px solid #4a74e0;outline-offset:2px}
.jaxcourse-run{display:none}
}
@media screen and (scripting:enabled) and (prefers-reduced-motion:no-preference){
.jaxcourse-film image{
animation:jaxcourse-film var(--jaxcourse-time) var(--jaxcourse-steps) infinite}
.jaxcourse-film:has(.jaxcourse-hold :checked) image{animation-play-state:paused}
}
@media screen and (scripting:enabled) and (prefers-reduced-motion:reduce){
.jaxcourse-stop{display:none}
.jaxcourse-run{display:inline}
.jaxcourse-film:has(.jaxcourse-hold :checked) image{
animation:jaxcourse-film var(--jaxcourse-time) var(--jaxcourse-steps) infinite}
}
}
@keyframes jaxcourse-film{
0%{transform:translateY(var(--jaxcourse-first))}
80%,to{transform:translateY(var(--jaxcourse-last))}
}
"""


@dataclass(frozen=True)
class _Panel:
    """One array, or the frames of one.

    Args:
        title: what stands above it.
        png: the array as a file, its frames below each other.
        size: the width and the height of a frame, in elements.
        frames: how many.
        still: which frame is seen where nothing moves.
    """

    title: str
    png: str
    size: tuple[int, int]
    frames: int = 1
    still: int = 0

    @property
    def aspect(self) -> float:
        """The width of a frame over its height."""
        return self.size[0] / self.size[1]

    def sprite(self, width: float, **place: float) -> dict[str, Any]:
        """The attributes of the element that shows the still frame, so wide."""
        high = width / self.aspect
        look = {"href": f"data:image/png;base64,{self.png}", "x": place.get("x", 0.0), "width": width}
        top, whole = place.get("y", 0.0) - self.still * high, high * self.frames
        return {**look, "y": top, "height": whole, "preserveAspectRatio": "none", "style": "image-rendering:pixelated"}

    def html(self, mark: str = "") -> str:
        """The panel, as wide as its place, with its title in letters of the page.

        Args:
            mark: attributes of its drawing.
        """
        wide, high = self.size
        sheet = Sheet()
        sheet.add("image", **self.sprite(float(wide)))
        moves = ""
        if self.frames > 1:
            ways = {"first": self.still * high, "last": (self.still + 1 - self.frames) * high}
            moves = "".join(f";--jaxcourse-{name}:{far}px" for name, far in ways.items())
            moves += f";--jaxcourse-steps:steps({self.frames - 1})"
        look = f"display:block;width:100%;height:auto{moves}"
        heading = f"display:block;margin-bottom:.3em;font:.8125em/1.35 {SANS}"
        return (
            f'<div><span class="jaxcourse-title" style="{heading}">{html.escape(self.title)}</span>'
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" aria-hidden="true"{mark} '
            f'style="{look}">{sheet.parts[0]}</svg></div>'
        )


@dataclass(frozen=True, repr=False)  # in a terminal, a picture is its words
class Row(Picture):
    """Arrays beside each other, as wide together as the text, and below each other where there is no room for that.

    Args:
        panels: the arrays. As one drawing, for a file, they are in `svg`.
    """

    panels: tuple[_Panel, ...] = ()

    @property
    def html(self) -> str:
        """The arrays as HTML; those that move, with the button that stops them."""
        aspect = min(panel.aspect for panel in self.panels)
        least = _NARROWEST["wide" if aspect >= 1.5 else "other"]
        count = len(self.panels)
        most = min(TEXT, count * _HIGHEST * aspect + (count - 1) * _GAP)
        grid = f"display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,{least}px),1fr));gap:8px {_GAP:g}px"
        look = f"{grid};align-items:end;max-width:min(100%,{most:.0f}px)"
        # The last one is what the others lead to: a card of the lesson shows it.
        *others, last = self.panels
        panels = "".join(panel.html() for panel in others) + last.html(' data-card=""')
        label = html.escape(self.alt)
        frames = max(panel.frames for panel in self.panels)
        if frames == 1:
            return f'<div class="jaxcourse-picture" role="img" aria-label="{label}" style="{look}">{panels}</div>'
        time = f"--jaxcourse-time:{_SECONDS * (frames - 1) / 0.8:.2f}s"
        return (
            f'<div class="jaxcourse-film" style="{time}"><style>{FILM}</style>'
            f'<div class="jaxcourse-picture" role="img" aria-label="{label}" style="{look}">{panels}</div>'
            '<label class="jaxcourse-hold"><input type="checkbox"/><span class="jaxcourse-stop">Pause the film</span>'
            '<span class="jaxcourse-run">Play the film</span></label></div>'
        )


def image(pictures: Mapping[str, np.ndarray], alt: str) -> Picture:
    """Draw arrays side by side, row 0 at the top, element by element.

    Args:
        pictures: titles, and for each an array: of shape `(height, width, 3)` and `uint8`, red, green and blue; or of
            shape `(height, width)`, numbers, dark where they are small. All that are numbers share one scale.
        alt: what they show, in words.

    Returns:
        The arrays as one picture, each as wide as the others.

    Raises:
        ValueError: there is no array, or one is of another shape or dtype.

    Example:
        >>> ramp = np.arange(12.0).reshape(3, 4)
        >>> image({"ramp": ramp, "turned": ramp[::-1]}, "A ramp, and the same upside down.")
        A ramp, and the same upside down.
    """
    arrays = {title: np.asarray(array)[None] for title, array in pictures.items()}
    for title, (array,) in arrays.items():
        if not _is_drawable(array):
            raise ValueError(f"{title!r} is {array.dtype}{array.shape}: give (height, width, 3) in uint8, or two axes")
    return _row(arrays, alt, still=0)


def film(frames: Mapping[str, np.ndarray], alt: str, still: int = -1) -> Picture:
    """Draw arrays that change, side by side and in step, in a loop that the reader can stop.

    Where nothing moves, as on paper and for readers who want no motion, one frame is seen.

    Args:
        frames: titles, and for each an array with one more axis before those of `image`: the frames, of which there
            are 2 to 24, for each title as many.
        alt: what they show, in words, and what becomes of it.
        still: the frame that is seen where nothing moves.

    Returns:
        The arrays as one picture, each as wide as the others.

    Raises:
        ValueError: there is no array, one is of another shape or dtype, or what moves is heavier than a page should be.

    Example:
        >>> film({"a ramp": np.arange(24.0).reshape(2, 3, 4)}, "A ramp that rises.")
        A ramp that rises.
    """
    arrays = {title: np.asarray(array) for title, array in frames.items()}
    counts = {len(array) if array.ndim else 0 for array in arrays.values()}
    for title, array in arrays.items():
        if not (len(counts) == 1 and 2 <= len(array) <= MOST_FRAMES and _is_drawable(array[0])):
            each = "2 to 24 frames for each title, of (height, width, 3) in uint8, or of two axes"
            raise ValueError(f"{title!r} is {array.dtype}{array.shape}: give as many frames as to the others, {each}")
    picture = _row(arrays, alt, still=range(max(counts, default=1))[still])
    if (weight := sum(len(panel.png) for panel in picture.panels)) > HEAVIEST:
        raise ValueError(f"a film of {weight} bytes, and a page has room for {HEAVIEST}: give fewer or smaller frames")
    return picture


def _is_drawable(array: np.ndarray) -> bool:
    """Whether an array is a picture: colours, or numbers in two axes."""
    coloured = array.ndim == 3 and array.shape[2] == 3 and array.dtype == np.uint8
    return bool(array.size) and (coloured or array.ndim == 2)


def _row(arrays: Mapping[str, np.ndarray], alt: str, still: int) -> Row:
    """Arrays of frames as panels, and as one drawing."""
    if not arrays:
        raise ValueError("there is nothing to draw: give at least one array")
    numbers = [array for array in arrays.values() if array.ndim == 3]
    scale = (min(map(np.nanmin, numbers)), max(map(np.nanmax, numbers))) if numbers else (0.0, 1.0)
    panels = tuple(
        _Panel(title, _png(array, scale), (array.shape[2], array.shape[1]), len(array), still)
        for title, array in arrays.items()
    )
    return Row(_picture(panels, alt).svg, alt, panels=panels)


def _picture(panels: Sequence[_Panel], alt: str) -> Picture:
    """The still frames as one drawing, as wide as the text."""
    wide = (TEXT - _GAP * (len(panels) - 1)) / len(panels)
    wide = min(wide, _HIGHEST * min(panel.aspect for panel in panels))
    titles = [textwrap.wrap(panel.title, max(1, int(wide / (12 * RUNNING)))) for panel in panels]
    head = _HEAD + 15 * (max(map(len, titles)) - 1)
    sheet, bottom = Sheet(), 0.0
    for place, (panel, title) in enumerate(zip(panels, titles, strict=True)):
        left, high = place * (wide + _GAP), wide / panel.aspect
        for line, words in enumerate(title):
            sheet.text(left, 13 + 15 * line, words, 12.0, "start", font_family=SANS)
        inside = Sheet()
        inside.add("image", **panel.sprite(wide))
        sheet.add("svg", inside.parts[0], x=left, y=head, width=wide, height=high)
        bottom = max(bottom, head + high)
    return sheet.picture(bottom, alt, width=len(panels) * (wide + _GAP) - _GAP)


def _png(frames: np.ndarray, scale: tuple[float, float]) -> str:
    """Frames below each other as a PNG, in base64: the same bytes for the same numbers."""
    from PIL import Image

    drawn = io.BytesIO()
    column = frames.reshape(-1, *frames.shape[2:])
    if column.ndim == 3:
        Image.fromarray(np.ascontiguousarray(column)).save(drawn, format="png", optimize=True)
    else:
        places, palette = _in_palette(column, scale)
        indexed = Image.fromarray(places)
        indexed.putpalette(palette)
        clear = {"transparency": _CLEAR} if (places == _CLEAR).any() else {}
        indexed.save(drawn, format="png", optimize=True, **clear)
    return base64.b64encode(drawn.getvalue()).decode()


def _in_palette(numbers: np.ndarray, scale: tuple[float, float]) -> tuple[np.ndarray, bytes]:
    """Numbers as places in a palette, from dark to light, and that; what is no number is clear."""
    import matplotlib as mpl

    low, high = (float(end) for end in scale)
    values = np.asarray(numbers, float)
    shares = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
    places = np.where(np.isfinite(values), np.round(np.nan_to_num(shares) * (_CLEAR - 1)), _CLEAR).astype(np.uint8)
    colours = mpl.colormaps["viridis"](np.linspace(0, 1, _CLEAR), bytes=True)[:, :3]
    return places, bytes([*colours.tobytes(), 0, 0, 0])
