"""Pictures: what the page needs around an SVG, and what matplotlib's SVG must not bring along."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from jaxcourse._svg import RUNNING, WIDTH, Picture, Sheet, themed

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
    assert picture.html.startswith('<div class="jaxcourse-picture"><svg role="img" ')
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
