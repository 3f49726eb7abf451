"""Pictures: what the page needs around an SVG, and what matplotlib's SVG must not bring along."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from play.play_browser import run

from jaxcourse.figures import themed, tidy
from jaxcourse.svg import BLUE, BREAK, ORANGE, RUNNING, TEAL, TEXT, WIDTH, Picture, Sheet

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


# -- one hand ----------------------------------------------------------------------------------------------------


def in_a_row(count: int = 2, **look: Any) -> Figure:
    figure = Figure(figsize=(7, 2.5))
    for axes in figure.subplots(1, count, **look):
        axes.plot([0, 1], [0, 1])
        axes.set(title="one of them", xlabel="across", ylabel="up")
    return figure


def size_of(svg: str) -> tuple[float, float]:
    _, _, width, height = map(float, re.search(r'viewBox="([^"]+)"', svg)[1].split())  # type: ignore[index]
    return width * 96 / 72, height * 96 / 72


def test_a_figure_is_as_wide_as_the_text_and_has_a_drawing_for_a_phone() -> None:
    picture = themed(in_a_row(), "Two panels.")
    (wide, low), (narrow, high) = map(size_of, (picture.svg, picture.narrow))
    assert TEXT - 12 < wide <= TEXT + 1 and narrow * 9.2 / 12 <= 358
    assert low < wide / 2 and high > narrow * 0.9, "below each other"
    assert picture.narrow.count("one of them") == 2


def test_what_is_small_or_higher_than_wide_stays_as_it_is() -> None:
    for size in ((3.2, 2.4), (5, 7)):
        figure = Figure(figsize=size)
        figure.subplots().plot([0, 1], [0, 1])
        picture = themed(figure, "A line.")
        assert size_of(picture.svg)[0] < size[0] * 96 + 1
        assert bool(picture.narrow) == (size == (5, 7)), "for a phone it is narrower"


def test_panels_below_each_other_have_numbers_of_their_own_and_do_not_touch() -> None:
    figure = in_a_row(sharey=True)
    figure.tight_layout()  # which leaves a place holder
    narrow = themed(figure, "Two panels.").narrow
    assert narrow.count(">0.4<") == 4, "at two vertical axes and at two level ones"
    place = r'<text[^>]* y="([\d.]+)"[^>]*>{}<'.format
    titles, below = ([*map(float, re.findall(place(words), narrow))] for words in ("one of them", "across"))
    assert titles[0] < below[0] < titles[1] - 9 and titles[1] < below[1]


def test_a_grid_of_panels_stays_wide_and_a_figure_without_any_is_one() -> None:
    figure = Figure(figsize=(6, 4))
    for axes in figure.subplots(2, 2).ravel():
        axes.plot([0, 1], [0, 1])
    assert themed(figure, "Four panels.").narrow == ""
    figure = Figure(figsize=(6, 4))
    for part in figure.subfigures(2):
        part.subplots(1, 2)
    assert themed(figure, "Four more.").narrow == ""
    assert themed(Figure(figsize=(6, 2)), "Nothing.").narrow


def lines(count: int = 3, end: float = 1.0, apart: float = 1.0) -> Figure:
    figure = Figure(figsize=(6, 2.8))
    axes = figure.subplots()
    for i in range(count):
        axes.plot([0, end], [0, apart * i], label=f"line {i}")
    axes.set(xlim=(0, 1), ylim=(-0.5, 3))
    axes.legend()
    return figure


def test_lines_are_told_apart_without_colours() -> None:
    svg = themed(lines(), "Three lines.").narrow
    assert len(set(re.findall(r"stroke-dasharray: ([^;\"]+)", svg))) == 2, "and one has none"


def test_few_lines_have_their_names_at_their_ends_where_there_is_room() -> None:
    for figure, named in ((lines(), True), (lines(end=0.5), False), (lines(apart=0.01), False), (lines(5), False)):
        picture = themed(figure, "Lines.")
        assert ("legend" in picture.svg) != named or not named
        ends = re.findall(r">line 0<", picture.svg)
        assert len(ends) == 1 and len(re.findall(r">line 0<", picture.narrow)) == 1, "named once"
        assert (picture.svg.count("stroke-dasharray") < picture.narrow.count("stroke-dasharray")) == named


def test_what_stands_in_a_legend_for_something_else_keeps_its_look() -> None:
    figure = Figure(figsize=(6, 2.8))
    axes = figure.subplots()
    for colour in ("#d55e00", "#009e73"):
        axes.plot([], [], color=colour, label=f"a region in {colour}")
    axes.plot([0, 1], [np.nan, np.nan], color="black", label="nothing")
    axes.legend()
    picture = themed(figure, "An empty panel.")
    assert "stroke-dasharray" not in picture.svg and picture.svg.count(">a region in") == 2


def test_the_colours_are_the_courses() -> None:
    svg = themed(lines(), "Three lines.").svg
    assert all(one in svg for one in (BLUE, ORANGE, TEAL)) and "#1f77b4" not in svg


def test_a_reader_sees_and_hears_one_drawing() -> None:
    picture = Picture(SVG, "A line.", narrow=SVG.replace("M0", "M1"))
    root = ElementTree.fromstring(picture.html)
    style, wide, narrow = root
    assert f"max-width:{BREAK}px" in (style.text or "") and "display:none" in narrow.attrib["style"]
    assert wide.attrib["aria-label"] == narrow.attrib["aria-label"] == "A line."
    with pytest.raises(ValueError, match="one complete <svg>"):
        Picture(SVG, "A line.", narrow="<p>no</p>")


@pytest.mark.parametrize(("width", "seen"), [(1000, "jaxcourse-wide"), (390, "jaxcourse-narrow")])
def test_which_drawing_is_seen_follows_from_its_place(tmp_path: Path, width: int, seen: str) -> None:
    body = f"{themed(in_a_row(), 'Two panels.').html}<script>"
    body += """
const shown = [...document.querySelectorAll(".jaxcourse-picture svg")].filter((one) => one.checkVisibility());
const sizes = [...shown[0].querySelectorAll("text")].map((one) =>
  parseFloat(getComputedStyle(one).fontSize) * Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b));
const box = document.querySelector(".jaxcourse-picture");
report([shown.map((one) => one.getAttribute("class")), Math.min(...sizes), box.scrollWidth <= box.clientWidth + 1]);
</script>"""
    classes, smallest, fits = run(tmp_path, body, width=width)
    assert classes == [seen] and fits
    assert smallest >= (11 if width > 390 else 9)
