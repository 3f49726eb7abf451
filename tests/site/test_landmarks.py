"""How those who hear a page find their way on it: by headings, and from landmark to landmark."""

import pytest
from built import SEEN
from playwright.sync_api import Page
from test_every_page import OPEN_EVERYTHING, violations

LANDMARKS = ["region", "landmark-unique", "landmark-no-duplicate-main", "landmark-one-main", "heading-order"]


@pytest.mark.parametrize("name", SEEN)
def test_all_of_a_page_is_in_a_landmark_and_each_place_to_work_has_a_heading(page: Page, name: str) -> None:
    page.goto(name)
    page.evaluate(OPEN_EVERYTHING)
    assert violations(page, runOnly={"type": "rule", "values": LANDMARKS}) == []
    places = page.locator(".bd-article :is(.exercise, .admonition-predict)")
    bare = places.filter(has_not=page.locator(":scope > [role=heading][aria-level]"))
    assert bare.evaluate_all("(all) => all.map((one) => one.id)") == [], "these have no heading"
