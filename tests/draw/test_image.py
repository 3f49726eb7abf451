"""Arrays as pictures: what is drawn is what is in them."""

import base64
import io
import re

import numpy as np
import pytest
from drawings import SVG, parse
from matplotlib.image import imread

from jaxcourse import draw
from jaxcourse.draw._image import HEAVIEST, MOST_FRAMES
from jaxcourse.svg import RUNNING, TEXT


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
    wide = (TEXT - 32) / 3
    assert all(len(words) * 12 * RUNNING <= wide for _, _, words in lines)
    (top,) = {float(y) for y in re.findall(r'<svg x="[\d.]+" y="([\d.]+)"', picture.svg)}
    assert top > max(float(y) for _, y, _ in lines)


def test_together_they_are_as_wide_as_the_text_and_none_is_higher_than_a_screen():
    for shape in ((96, 96), (60, 180), (300, 30)):
        for count in (1, 2, 3):
            picture = draw.image({str(i): np.zeros(shape) for i in range(count)}, "Nothing.")
            most = int(re.search(r"max-width:min\(100%,(\d+)px\)", picture.html)[1])
            each = (most - 16 * (count - 1)) / count
            assert most <= TEXT and each * shape[0] / shape[1] <= 481
            assert most == TEXT or each * shape[0] / shape[1] > 470, "it could be wider"


def test_titles_are_letters_of_the_page_and_are_escaped():
    html = draw.image({"a < b": np.zeros((2, 2)), "b": np.zeros((2, 2))}, 'Two "black" squares.').html
    assert 'class="jaxcourse-title"' in html and ">a &lt; b</span>" in html
    assert html.count('role="img"') == 1 and 'aria-label="Two &quot;black&quot; squares."' in html
    assert html.count("data-card") == 1 and html.index("data-card") > html.index(">b</span>"), "the last stands for all"


def test_what_is_no_number_is_clear():
    (pixels,) = drawn(draw.image({"hole": np.array([[0.0, np.nan, 1.0]])}, "A hole."))
    assert pixels[0, :, 3].tolist() == [1, 0, 1]


def test_a_film_has_its_frames_below_each_other_and_shows_one_of_them():
    frames = np.arange(24.0).reshape(4, 2, 3)
    picture = draw.film({"a": frames, "b": frames[::-1]}, "Two ramps.", still=1)
    column, back = drawn(picture)
    assert column.shape[:2] == (8, 3) and np.array_equal(column[:2], back[-2:])
    panel = picture.html.split("<svg")[1]
    assert 'viewBox="0 0 3 2"' in panel and ' y="-2"' in panel and ' height="8"' in panel
    assert "--jaxcourse-first:2px;--jaxcourse-last:-4px;--jaxcourse-steps:steps(3)" in panel
    assert draw.film({"a": frames}, "A ramp.").html.split("<svg")[1].count(' y="-6"') == 1, "the last one"


@pytest.mark.parametrize("shape", [(3, 4), (1, 3, 4), (MOST_FRAMES + 1, 3, 4), (4, 3, 4, 5)])
def test_what_is_no_film_is_refused_by_name(shape):
    with pytest.raises(ValueError, match=r"'odd' is .*: give as many frames as to the others"):
        draw.film({"odd": np.zeros(shape)}, "Nothing.")


def test_a_film_has_as_many_frames_for_each_title_and_is_not_heavy():
    with pytest.raises(ValueError, match="as many frames"):
        draw.film({"a": np.zeros((3, 2, 2)), "b": np.zeros((4, 2, 2))}, "Nothing.")
    noise = np.random.default_rng(0).normal(size=(24, 100, 100))
    with pytest.raises(ValueError, match=f"a page has room for {HEAVIEST}: give fewer or smaller frames"):
        draw.film({"noise": noise}, "Noise.")
    with pytest.raises(ValueError, match="nothing to draw"):
        draw.film({}, "Nothing.")
