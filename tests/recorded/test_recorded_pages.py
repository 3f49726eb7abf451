"""The switch between what a build measured and what was recorded, and predictions judged by what is chosen."""

from collections.abc import Iterator

import pytest
from play.play_browser import PATIENCE, launch
from playwright.sync_api import Browser, Page, sync_playwright
from recorded.toy_pages import Pages
from recorded.toy_record import LABEL

OWN, OTHER = "it takes 3.0 times as long", "it takes 50.0 times as long"
BUILD = "this build’s CPU"


@pytest.fixture(scope="module")
def browser(pages: Pages) -> Iterator[Browser]:
    with sync_playwright() as playwright, launch(playwright) as browser:
        yield browser


@pytest.fixture
def tab(browser: Browser, pages: Pages) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 375, "height": 800}) as context:
        tab = context.new_page()
        tab.set_default_timeout(PATIENCE)
        tab.goto(pages.recorded.as_uri())
        yield tab


def output(tab: Page) -> str:
    """What the cell that measures shows, covered or not."""
    return tab.locator(".cell_output").first.text_content() or ""


def test_without_a_script_the_output_is_the_builds_own(browser: Browser, pages: Pages) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        tab = context.new_page()
        tab.goto(pages.recorded.as_uri())
        words = tab.locator("body").inner_text()
    assert OWN in words and OTHER not in words and "Measured on" not in words


def test_a_switch_shows_what_another_device_measured(tab: Page) -> None:
    switch = tab.get_by_role("group", name="Measured on")
    assert switch.count() == 1, "a cell of which nothing was recorded, and one that measures nothing, have none"
    assert [one.inner_text() for one in switch.locator("label").all()] == [BUILD, LABEL]
    assert switch.get_by_label(BUILD).is_checked()
    assert OWN in output(tab)
    switch.get_by_label(LABEL).check()
    assert OTHER in output(tab) and OWN not in output(tab)
    assert tab.locator(".cell_output").first.locator("table").count() == 1
    assert "Recorded on 2026-12-01 on NVIDIA H200, beside Xeon with 16 cores" in switch.inner_text()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 375
    tab.reload()
    assert tab.get_by_label(LABEL).is_checked(), "it is kept as other settings are"
    tab.get_by_label(BUILD).check()
    assert OWN in output(tab)
    assert tab.locator(".cell_output").first.locator("table").count() == 0


def test_what_is_chosen_is_reached_by_the_keyboard(tab: Page) -> None:
    tab.get_by_label(BUILD).focus()
    tab.keyboard.press("ArrowDown")
    assert tab.get_by_label(LABEL).is_checked()
    assert OTHER in output(tab)


def test_a_prediction_is_judged_by_what_is_chosen_and_says_so(tab: Page) -> None:
    tab.get_by_label(LABEL).check()
    assert not tab.get_by_text(OTHER).is_visible(), "what is covered stays covered"
    tab.get_by_label("slower by").fill("40")
    tab.get_by_label("kernels").fill("1")
    tab.get_by_role("button", name="Commit").click()
    told = tab.locator(".predict-told")
    assert "2 of 2 as the record says." in told.inner_text() and "The record says" in told.inner_text()
    assert f"Judged by what was measured on {LABEL}." in told.inner_text()
    assert tab.get_by_text(OTHER).is_visible()
    kept = tab.evaluate("Object.values(course.all('predictions'))[0].first.of")
    assert [one["right"] for one in kept] == [True, True]
    tab.get_by_label(BUILD).check()
    assert "0 of 2 as the run says." in told.inner_text()
    assert "holds for the machine that built this page" in told.inner_text()
    assert "50.0" not in told.inner_text() and "3.0" in told.inner_text()
