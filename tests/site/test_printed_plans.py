"""The page of plans on the built site: links lead to cells, and each plan is printed alone, on two sides at most."""

import re

import pytest
from built import COURSE, HTML
from play.play_browser import BROWSER
from playwright.sync_api import Page

from jaxcourse_author.teach import PAGE

NAME = f"{PAGE}.html"
PLANS = [f"teach-{path.stem[:2]}" for path in COURSE.lesson_paths]
MOST = 2
"""Sides of A4 of one plan."""

pytestmark = pytest.mark.skipif(not (HTML / NAME).exists(), reason="this copy has no page of plans")


def within(plan: str) -> str:
    """The section of a plan."""
    return f"section.teach:has(#{plan})"


def pages_of(pdf: bytes) -> int:
    """How many pages a file has that Chromium has printed."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.skipif(BROWSER != "chromium", reason="only Chromium prints into a file")
def test_a_plan_is_printed_alone_on_two_sides_at_most(page: Page, plan: str) -> None:
    page.goto(f"{NAME}#{plan}")
    page.emulate_media(media="print")
    assert page.locator("section.teach:visible").count() == 1 and page.locator(within(plan)).is_visible()
    assert not page.locator(".bd-article h1").is_visible()
    assert pages_of(page.pdf(prefer_css_page_size=True)) <= MOST


def test_without_a_plan_in_the_address_all_are_printed(page: Page) -> None:
    page.goto(NAME)
    page.emulate_media(media="print")
    assert page.locator("section.teach:visible").count() == len(PLANS) and page.locator(".bd-article h1").is_visible()


def test_each_plan_has_what_it_promises(page: Page) -> None:
    page.goto(NAME)
    for plan in PLANS:
        headings = {one.rstrip("#") for one in page.locator(f"{within(plan)} h3").all_inner_texts()}
        assert {"Minutes", "Show live", "What goes wrong", "A question for peers"} <= headings, plan
        rows = page.locator(f"{within(plan)} .teach-answers tr")
        assert 3 <= rows.count() <= 4 and rows.locator("strong").count() == 1, plan


def test_a_link_to_a_cell_leads_to_that_cell(page: Page) -> None:
    page.goto(NAME)
    link = page.locator(f"{within(PLANS[-1])} a[href*='#cell-']").first
    words = link.locator("xpath=following-sibling::code[1]").inner_text()
    link.click()
    page.wait_for_url("**#cell-*")
    cell = page.locator(f"[id='{page.url.rpartition('#')[2]}']")
    assert words.strip() in cell.text_content()  # type: ignore[operator]
