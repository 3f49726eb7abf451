"""Old addresses lead on: of a lesson with another name, and of a section that is on another page."""

import re

import pytest
from built import COURSE
from playwright.sync_api import Page, expect

from jaxcourse_author.lesson import labels, old_names

OLD = old_names(COURSE)
PLACES = {label: pages[0] for label, pages in labels(COURSE).items()}


@pytest.mark.parametrize("name", OLD)
def test_the_page_at_an_old_address_leads_to_that_of_today_and_to_the_same_place(page: Page, name: str) -> None:
    label = next(label for label, where in PLACES.items() if where == f"notebooks/{OLD[name]}")
    page.goto(f"notebooks/{name}.html#{label}", wait_until="commit")
    page.wait_for_url(f"**/notebooks/{OLD[name]}.html#{label}")
    expect(page.locator(f"[id='{label}']").first).to_be_attached()


@pytest.mark.parametrize(
    ("old", "label"),
    [
        ("04_indexing", "at-property"),
        ("06_from_numpy_to_jax", "key-reuse"),
        ("07_fusion", "nine-loops"),
        ("08_jit_stages", "export-a-program"),
        ("09_gotchas", "control-flow"),
    ],
)
def test_an_old_link_to_a_section_that_is_in_another_lesson_now_finds_it(page: Page, old: str, label: str) -> None:
    assert PLACES[label] != f"notebooks/{OLD[old]}", "it has not moved: name another section"
    page.goto(f"notebooks/{old}.html#{label}", wait_until="commit")
    page.wait_for_url(f"**/{PLACES[label]}.html#{label}")
    expect(page.locator(f"[id='{label}']").first).to_be_attached()


def test_a_link_to_no_place_at_all_stays_on_its_page(page: Page) -> None:
    first = COURSE.lesson_paths[1].stem
    page.goto(f"notebooks/{first}.html#no-such-place")
    with page.expect_response("**/places.json"):
        page.evaluate("location.hash = '#nor-this'")
    expect(page).to_have_url(re.compile(rf"{first}\.html#nor-this$"))
