"""Arrays as pictures: what is drawn is what is in them."""

import base64
import io
import re

import numpy as np
import pytest
from drawings import SVG, parse
from matplotlib.image import imread

from jaxcourse import draw
from jaxcourse.svg import RUNNING, WIDTH


def drawn(picture):
    """The pixels of each array in a picture."""
    for element in parse(picture).iter(f"{SVG}image"):
        yield imread(io.BytesIO(base64.b64decode(element.get("href").partition(",")[2])), format="png")


def test_colours_are_drawn_as_they_are_from_any_view():
    film = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    picture = draw.image({"film": film[::-1, :, ::-1], "again": film}, "Noise.")
    turned, plain = (np.round(255 * pixels[..., :3]).astype(np.uint8) for pixels in drawn(picture))
    assert np.array_equal(turned, film[::-1, :, ::-1]) and np.array_equal(plain, film)
    assert picture.alt == "Noise." and picture.svg.count("image-rendering:pixelated") == 2


def test_numbers_share_one_scale_and_row_0_is_at_the_top():
    low, high = (np.array([[0.0, 1.0], [2.0, 3.0]]) + shift for shift in (0, 3))
    first, second = drawn(draw.image({"low": low, "high": high}, "Two ramps."))
    assert np.array_equal(first[1, 1], second[0, 0]), "3 has the same colour in both"
    assert not np.array_equal(first[0, 0], first[1, 1])


def test_the_same_arrays_give_the_same_bytes():
    ramp = np.arange(12).reshape(3, 4)
    assert draw.image({"a": ramp}, "A ramp.").svg == draw.image({"a": ramp}, "A ramp.").svg


@pytest.mark.parametrize("array", [np.zeros(3), np.zeros((2, 2, 3)), np.zeros((2, 2, 4), np.uint8), np.zeros((0, 2))])
def test_what_is_no_picture_is_refused_by_name(array):
    with pytest.raises(ValueError, match=r"'odd' is .*: give \(height, width, 3\) in uint8, or two axes"):
        draw.image({"odd": array}, "Nothing.")
    with pytest.raises(ValueError, match="nothing to draw"):
        draw.image({}, "Nothing.")


def test_long_titles_take_several_lines_and_stay_within_their_pictures():
    titles = ["each star, folded with what was found", "noise", "round 200, by two others"]
    picture = draw.image({title: np.zeros((2, 3)) for title in titles}, "Three.")
    lines = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" font-size="12"[^>]*>([^<]*)<', picture.svg)
    assert " ".join(words for _, _, words in lines) == " ".join(titles)
    wide = (WIDTH - 32) / 3
    assert all(len(words) * 12 * RUNNING <= wide for _, _, words in lines)
    (top,) = {float(y) for y in re.findall(r'<image [^>]* y="([\d.]+)"', picture.svg)}
    assert top > max(float(y) for _, y, _ in lines)
