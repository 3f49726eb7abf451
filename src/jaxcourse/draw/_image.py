"""Arrays as the pictures that they are: one box of colour for each element."""

import base64
import io
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from jaxcourse.svg import RUNNING, SANS, WIDTH, Picture, Sheet

_GAP, _HEAD = 16.0, 20.0


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
    arrays = {title: np.asarray(array) for title, array in pictures.items()}
    if not arrays:
        raise ValueError("there is nothing to draw: give at least one array")
    for title, array in arrays.items():
        coloured = array.ndim == 3 and array.shape[2] == 3 and array.dtype == np.uint8
        if not (coloured or array.ndim == 2) or not array.size:
            raise ValueError(f"{title!r} is {array.dtype}{array.shape}: give (height, width, 3) in uint8, or two axes")
    numbers = [array for array in arrays.values() if array.ndim == 2]
    scale = (min(map(np.min, numbers)), max(map(np.max, numbers))) if numbers else (0.0, 1.0)
    wide = (WIDTH - _GAP * (len(arrays) - 1)) / len(arrays) if len(arrays) > 1 else WIDTH / 2
    titles = {title: textwrap.wrap(title, max(1, int(wide / (12 * RUNNING)))) for title in arrays}
    head = _HEAD + 15 * (max(map(len, titles.values())) - 1)
    sheet, bottom = Sheet(), 0.0
    for place, (title, array) in enumerate(arrays.items()):
        left, high = place * (wide + _GAP), wide * array.shape[0] / array.shape[1]
        for line, words in enumerate(titles[title]):
            sheet.text(left, 13 + 15 * line, words, 12.0, "start", font_family=SANS)
        address = f"data:image/png;base64,{_png(array, scale)}"
        sheet.add("image", href=address, x=left, y=head, width=wide, height=high, style="image-rendering:pixelated")
        bottom = max(bottom, head + high)
    return sheet.picture(bottom, alt)


def _png(array: np.ndarray, scale: tuple[float, float]) -> str:
    """An array as a PNG, in base64: the same bytes for the same numbers."""
    from matplotlib import image as files

    drawn = io.BytesIO()
    plain: dict[str, Any] = {"format": "png", "metadata": {"Software": None}}
    if array.ndim == 3:
        files.imsave(drawn, np.ascontiguousarray(array), **plain)
    else:
        files.imsave(drawn, array, cmap="viridis", vmin=scale[0], vmax=scale[1], **plain)
    return base64.b64encode(drawn.getvalue()).decode()
