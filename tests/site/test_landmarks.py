"""How those who hear a page find their way on it: by headings, and from landmark to landmark."""

import json

import pytest
from browser import Page
from built import SEEN
from test_every_page import COME_TO_REST, OPEN_EVERYTHING

LANDMARKS = ["region", "landmark-unique", "landmark-no-duplicate-main", "landmark-one-main", "heading-order"]
PLACES = ".bd-article :is(.exercise, .admonition-predict)"


@pytest.mark.parametrize("name", SEEN)
def test_all_of_a_page_is_in_a_landmark_and_each_place_to_work_has_a_heading(
    page: Page, site: str, axe: str, name: str
) -> None:
    page.open(f"{site}/{name}")
    page.run(f"{axe}; 0")
    page.run(f"{{{OPEN_EVERYTHING}}}; {COME_TO_REST}")
    options = {"runOnly": {"type": "rule", "values": LANDMARKS}, "resultTypes": ["violations"], "preload": False}
    found = page.run(f"""
      axe.run(document, {json.dumps(options)}).then(({{violations}}) => violations.map(({{id, nodes}}) =>
        `${{id}} (${{nodes.length}}): ${{nodes.slice(0, 3).map((one) => one.html.slice(0, 160)).join(" | ")}}`))
    """)
    assert found == []
    bare = page.run(f"""
      [...document.querySelectorAll({json.dumps(PLACES)})]
        .filter((one) => !one.querySelector(":scope > [role=heading][aria-level]")).map((one) => one.id)
    """)
    assert bare == [], "these have no heading"
