"""Each sheet of the built site: printed, it is one side of A4, and what stands on it can be read."""

import re

import pytest
from built import COURSE, HTML
from play.play_browser import BROWSER
from playwright.sync_api import Page

from jaxcourse_author.sheets import read_sheets

SHEETS = [f"{sheet.page}.html" for sheet in read_sheets(COURSE) if (HTML / f"{sheet.page}.html").exists()]
SMALLEST = 6
"""Points of the smallest letters on paper, those in pictures left out."""
PAPER = {"width": 710, "height": 1054}
"""What of a page of A4 is printed on, in pixels."""

UNREAD = """(smallest) => {
const sheet = document.querySelector(".sheet");
const { columnGap, columnCount } = getComputedStyle(sheet);
const count = parseInt(columnCount) || 1;
const width = (sheet.clientWidth - (count - 1) * (parseFloat(columnGap) || 0)) / count;
const shown = (selector) => [...sheet.querySelectorAll(selector)].filter((one) => one.checkVisibility());
const small = shown("p, li, td, th, pre, code")
  .filter((one) => one.innerText.trim() && parseFloat(getComputedStyle(one).fontSize) * 0.75 < smallest)
  .map((one) => ["too small", one.innerText.slice(0, 40)]);
const wide = shown("table, pre, svg")
  .filter((one) => Math.max(one.scrollWidth, one.getBoundingClientRect().width) > width + 1)
  .map((one) => ["too wide", one.textContent.trim().slice(0, 40)]);
return [...small, ...wide];
}"""


def pages_of(pdf: bytes) -> int:
    """How many pages a file has that Chromium has printed."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_there_are_sheets(site: str) -> None:
    assert len(SHEETS) == len(read_sheets(COURSE)) > 10


@pytest.mark.skipif(BROWSER != "chromium", reason="only Chromium prints into a file")
@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_is_one_page_of_a4_and_nothing_on_it_is_cut(page: Page, name: str) -> None:
    page.goto(name)
    assert pages_of(page.pdf(prefer_css_page_size=True, print_background=True)) == 1
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    assert page.evaluate(UNREAD, SMALLEST) == []


@pytest.mark.skipif(BROWSER != "chromium", reason="only Chromium prints into a file")
def test_a_second_page_is_counted_and_a_wide_table_is_seen(page: Page) -> None:
    page.goto(SHEETS[0])
    page.evaluate("document.querySelector('.sheet').style.paddingBottom = '200mm'")
    page.evaluate("document.querySelector('.sheet table').style.minWidth = '250mm'")
    assert pages_of(page.pdf(prefer_css_page_size=True)) > 1
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    assert [what for what, _ in page.evaluate(UNREAD, 30)][-1] == "too wide"
    assert page.evaluate(UNREAD, 30)[0][0] == "too small"
