"""Pictures: what the page needs around an SVG, and what matplotlib's SVG must not bring along."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from jaxcourse.svg import RUNNING, WIDTH, Picture, Sheet, themed, tidy

SVG = '<svg viewBox="0 0 1 1"><path d="M0 0h1" style="stroke:red"/></svg>'


def a_figure(label: str = "time & <space>") -> Figure:
    figure, axes = plt.subplots()
    axes.plot([1, 2], [3, 4], "ko-", label=label)
    axes.fill_between([1, 2], [3, 4], [4, 5])
    axes.legend()
    return figure


def test_a_picture_has_what_the_page_needs() -> None:
    picture = Picture(SVG, 'A "line" & more')
    assert picture.html == picture._repr_html_()
    assert picture.html.startswith(
        '<div class="jaxcourse-picture" style="max-width:100%;overflow-x:auto"><svg role="img"'
    )
    root = ElementTree.fromstring(picture.html)[0]
    assert root.attrib == {
        "role": "img",
        "aria-label": 'A "line" & more',
        "style": "max-width:100%;height:auto",
        "viewBox": "0 0 1 1",
    }
    assert repr(picture) == 'A "line" & more'


def test_a_caption_is_text_of_the_page_and_nobody_hears_it_twice() -> None:
    drawing, caption = ElementTree.fromstring(Picture(SVG, "A line.", "From 0 to 1, a < b.").html)
    assert drawing.attrib["aria-label"] == "A line."
    assert caption.text == "From 0 to 1, a < b." and caption.attrib["aria-hidden"] == "true"
    assert len(ElementTree.fromstring(Picture(SVG, "A line.").html)) == 1


def test_running_text_fits_the_sheet_in_the_widest_of_the_usual_fonts() -> None:
    sheet = Sheet()
    sheet.paragraph(0, 12, "Array: value and byte offset; arrows lead to the next bytes in memory")
    lines = ElementTree.fromstring(sheet.picture(40, "Words.").svg)
    assert [len(line.text or "") * 12 * RUNNING <= WIDTH for line in lines] == [True, True]


@pytest.mark.parametrize(
    ("svg", "alt", "message"),
    [
        ("<p>no</p>", "alt", "one complete <svg>"),
        ("<svg>", "alt", "one complete <svg>"),
        ("<svgs></svg>", "alt", "one complete <svg>"),
        ('<svg role="img"></svg>', "alt", "remove 'role'"),
        ('<svg viewBox="0 0 1 1"\nstyle="width:3px"></svg>', "alt", "remove 'style'"),
        (SVG, " ", "alt text"),
    ],
)
def test_a_bad_picture_is_refused(svg: str, alt: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Picture(svg, alt)


def test_a_figure_follows_the_page() -> None:
    svg = themed(a_figure(), "A line.").svg
    assert "#000000" not in svg and "#ffffff" not in svg
    assert svg.startswith('<svg fill="currentColor"')
    assert "stroke: currentColor" in svg
    assert "<style" not in svg and "<metadata" not in svg
    assert "time &amp; &lt;space&gt;" in svg
    ElementTree.fromstring(svg)


def test_a_figure_is_the_same_each_time_and_is_closed() -> None:
    assert themed(a_figure(), "A line.") == themed(a_figure(), "A line.")
    assert plt.get_fignums() == []


def test_ids_are_a_figures_own_and_all_of_them_are_used() -> None:
    one, other = (themed(a_figure(label), "A line.").svg for label in ("one", "other"))
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (one, other)]
    assert ids[0] and not ids[0] & ids[1]
    for svg, own in zip((one, other), ids, strict=True):
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) == own


# -- figures are laid out in one place ---------------------------------------------------------------------------


def test_a_picture_scrolls_before_its_letters_are_too_small() -> None:
    svg = '<svg viewBox="0 0 600 40"><text style="font: 10px sans-serif">a</text><text font-size="8">b</text></svg>'
    assert f"min-width:{math.ceil(9.2 / 8 * 600)}px" in Picture(svg, "Words.").html


def drawn(figure: Figure) -> list[list[Bbox]]:
    """The boxes of the words of a figure: those of each axes with its labels, and of each axis the numbers."""
    tidy(figure)
    figure.draw_without_rendering()
    axes = figure.axes
    sides = [axis for one in axes for axis in (one.xaxis, one.yaxis)]
    numbers = [[tick.get_window_extent() for tick in axis.get_ticklabels() if tick.get_text()] for axis in sides]
    return [[one.get_tightbbox() for one in axes], *numbers]


def side_by_side() -> Figure:
    figure = Figure(figsize=(9, 3))
    left, right = figure.subplots(1, 2)
    left.set(ylabel="level in metres", xlabel="readings")
    right.set(ylabel="off the next reading, in cm", xscale="log", yscale="log", xlim=(0.01, 0.9), ylim=(1.5, 5.5))
    return figure


def logarithmic(low: float, high: float, base: float = 10) -> Figure:
    figure = Figure(figsize=(3.8, 3.1))
    axes = figure.subplots()
    axes.set_xscale("log", base=base)
    axes.set_yscale("log")
    axes.set(xlim=(low, high), ylim=(low, high), xlabel="bytes", ylabel="time per call (s)")
    return figure


def narrow() -> Figure:
    figure = Figure(figsize=(6, 2))
    for axes in figure.subplots(1, 3):
        axes.set(xlim=(33.65, 33.75), ylim=(-100, 2200), ylabel="power")
    return figure


def with_a_colour_bar() -> Figure:
    figure = Figure(figsize=(4, 3))
    axes = figure.subplots()
    axes.set(xlabel="degrees east", ylabel="degrees north")
    figure.colorbar(axes.scatter([1, 2], [3, 4], c=[5, 6]), label="statistic")
    return figure


ENDS = [(1e-4, 1.7e-4), (3, 4e6), (0.3, 3), (1e-9, 1e9), (128, 512, 2)]


@pytest.mark.parametrize(
    "figure",
    [side_by_side(), narrow(), with_a_colour_bar(), *itertools.starmap(logarithmic, ENDS)],
    ids=["side by side", "narrow", "colours", "within a power", "millions", "around one", "18 powers", "powers of two"],
)
def test_no_words_of_a_figure_lie_on_others(figure: Figure) -> None:
    for boxes in drawn(figure):
        overlapping = [(a, b) for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)]
        assert not overlapping
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if hasattr(axes, "_colorbar") and axis is axes.xaxis:
                continue  # across a colour bar
            low, high = sorted(axis.get_view_interval())
            assert sum(low <= tick <= high for tick in axis.get_ticklocs()) >= 2, "an axis needs two numbers"


def test_no_letters_of_a_figure_are_small() -> None:
    figure = Figure()
    figure.subplots().set_title("small", fontsize=5)
    tidy(figure)
    assert min(text.get_fontsize() for text in figure.findobj(Text)) >= 9


def test_ticks_set_by_hand_stay() -> None:
    figure = Figure(figsize=(2, 2))
    axes = figure.subplots()
    axes.set_xticks(range(12))
    tidy(figure)
    assert list(axes.get_xticks()) == list(range(12))
