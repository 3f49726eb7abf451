"""A lesson on paper: printed from the dark it is as everybody's, with all that is folded of a task."""

import pytest
from playwright.sync_api import Page
from test_every_page import COLOURS, KEEP_MARKED, MARK_LOOKS, violations

LESSON = "notebooks/35_first_summit.html"
pytestmark = pytest.mark.lessons("35_first_summit")
FOLDED = """() => [...document.querySelectorAll(".bd-article .admonition:not(.solution) > .admonition-title ~ *")]
  .filter((one) => !one.matches("form, script") && one.textContent.trim() && !one.closest(".solution"))
  .filter((one) => !one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || !one.offsetHeight)
  .map((one) => one.outerHTML.slice(0, 120))"""


def test_a_lesson_in_the_dark_is_printed_with_all_that_a_task_says(page: Page) -> None:
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.goto(LESSON)
    page.wait_for_selector(".toggle-hidden", state="attached")
    assert page.evaluate(FOLDED), "on a screen it is folded"
    page.emulate_media(media="print", color_scheme="dark", reduced_motion="reduce")
    page.wait_for_function(f"({FOLDED})().length === 0", timeout=5000)
    page.evaluate(MARK_LOOKS)
    page.evaluate(KEEP_MARKED)
    assert violations(page, runOnly=COLOURS) == []
