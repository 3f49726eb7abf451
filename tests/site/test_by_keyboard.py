"""Without a mouse, and without seeing: where the focus is shows, and no two folds have one name."""

import pytest
from playwright.sync_api import Page

LESSON = "notebooks/35_first_summit.html"
pytestmark = pytest.mark.lessons("35_first_summit")


def test_a_header_shows_which_button_has_the_focus(page: Page) -> None:
    page.goto(LESSON)
    header = page.locator(".bd-header-article button:visible")
    outlines = set()
    for button in header.all():
        button.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        outlines.add(button.evaluate("(one) => one === document.activeElement && getComputedStyle(one).outlineStyle"))
    assert header.count() > 3 and outlines == {"solid"}


def test_who_hears_a_list_of_folds_hears_no_two_alike(page: Page) -> None:
    page.goto(LESSON)
    page.wait_for_selector(".toggle-button[aria-label^='Show or hide: ']")
    buttons = page.locator(".exercise .toggle-button, .solution .toggle-button")
    names = buttons.evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
    assert len(names) > 5 and len(set(names)) == len(names)
